"""What a prompt puts around its texts: the line `Question:`, fences of tags, markers between words.

A fence is a tag around one passage. It holds as long as no tolerant reader sees its end inside the passage.
"""

import html
import re
import unicodedata


def question_of(text: str) -> tuple[str, str | None]:
    """What comes before the last `Question:` at a line start, and what follows it; None without one.

    >>> question_of("Be brief.\\nQuestion: When?")
    ('Be brief.', 'When?')
    """
    before, found, question = f"\n{text}".rpartition("\nQuestion:")
    return (before[1:], question.strip()) if found else (text, None)


def fence_of(text: str) -> str:
    """The tag that a passage opens with: `passage`, or `passage-` and a nonce; "" for none.

    >>> fence_of('<passage-3fa9c1 n="1" trust="untrusted">Open.</passage-3fa9c1>'), fence_of("<b>Open</b>")
    ('passage-3fa9c1', '')
    """
    opening = _OPENING.match(text)
    return opening["tag"] if opening else ""


def unfenced(text: str, marker: str = "") -> tuple[str, str]:
    """A passage without its fence, and what fenced it: the tag, "datamark", or "" for nothing.

    Given a marker, it is replaced by a space; a passage whose words it all joined has the fence "datamark".

    >>> unfenced('<passage n="1">\\nOpen at 8.\\n</passage>')
    ('Open at 8.', 'passage')
    >>> unfenced("Open^at^8.", "^")
    ('Open at 8.', 'datamark')
    """
    fence = fence_of(text)
    if opening := _OPENING.match(text):
        text = text[opening.end() :].rstrip().removesuffix(f"</{fence}>").strip("\n")
    if marker and marker in text:
        fence = fence or ("" if _BLANK.search(text.strip()) else "datamark")
        text = text.replace(marker, " ")
    return text, fence


def marker_of(rules: str) -> str:
    """The marker that the rules name: `words are joined by the marker X`, where X may be quoted.

    >>> marker_of('Its words are joined by the marker "^".'), marker_of("No marker.")
    ('^', '')
    """
    named = _MARKER.search(rules)
    return named["marker"] if named else ""


def holds(fence: str, text: str) -> bool:
    """Whether a text is still inside its fence at its end, as a tolerant reader sees it.

    Letter case, spaces, attributes, entities, invisible and look-alike characters do not hide a closing tag. A tag
    with another name closes nothing.

    >>> holds("passage", "Free. <b>Now</b>"), holds("passage", "Free. </Passage >"), holds("", "Free.")
    (True, False, False)
    """
    return bool(fence) and re.search(rf"<[/\\]+{re.escape(_as_seen(fence))}", _as_seen(text)) is None


def _as_seen(text: str) -> str:
    """The text as a reader sees it: plain lower-case letters, without invisible characters."""
    plain = unicodedata.normalize("NFKD", html.unescape(text)).casefold().translate(_LOOKALIKES)
    return "".join(letter for letter in plain if unicodedata.category(letter)[0] not in "ZCM")


_OPENING = re.compile(r"""\s*<(?P<tag>passage(?:-[0-9A-Za-z]+)?)(?:\s+[\w-]+=(?:"[^"]*"|'[^']*'|[^\s"'<>]+))*+\s*>""")
_MARKER = re.compile(
    r"""joined\s+by\s+the\s+marker\s+["'`“]?(?P<marker>[^\s"'`”]+?)["'`”]?(?=[.,;:]?(?:\s|\Z))""", re.IGNORECASE
)
_BLANK = re.compile(r"\s")

# Letters and signs that look like those of a tag. To add one, add it to its row.
_LOOKALIKES = {
    ord(other): plain
    for plain, others in {
        "a": "аɑα",
        "c": "сϲ",
        "e": "еє",
        "g": "ɡց",
        "i": "іıɩι",
        "n": "ոпη",
        "o": "оοօ",
        "p": "рρ",
        "r": "гᴦ",
        "s": "ѕꜱ",
        "u": "սυ",
        "<": "‹〈⟨❮˂《",
        ">": "›〉⟩❯˃》",
        "/": "∕⁄⧸╱",
    }.items()
    for other in others
}
