"""Refusals: telling "I don't know" from an answer, however a model dresses it up."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Literal

from raglab.grounding.citations import without_citations
from raglab.styles import NUMBERED, Style, find_style
from raglab.text.words import sentences

# Emphasis and invisible characters go; every quotation mark and apostrophe becomes a straight one, and so does the
# backtick: code inside an answer is quoted too.
_INVISIBLE = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
_UNSEEN = re.compile(rf"[\\*{_INVISIBLE}]")
_MARKS = str.maketrans("’‘‚‛ʼ´＇`“”„‹›«»「」『』", "'" * 8 + '"' * 11)
_LINE_MARKS = re.compile(r"^[ \t]*(?:(?:>|#{1,6}[ \t])[ \t]*)+|^[ \t]*(?:`{3,}|~{3,})[a-z]*[ \t]*$", re.MULTILINE)
_LINKED_ADDRESS = re.compile(r"[<`](?:mailto:)?([\w.+-]+@[\w.-]+)[>`]|\[([^\[\]\n]+)\]\(mailto:[^()\n]*\)")
_OUTER = " \"'_~.。-•>#"
_QUOTED = re.compile(r'"[^"\n]*+"')

# Reporting the words is not refusing: "Staff say …", "… is what they say".
_REPORTED = re.compile(
    r"(?<!\bI )(?<!\bto )(?<!must )(?<!can )(?<!only )\b(?:says?|said|writes?|wrote|reads?|prints?|printed|shows?"
    r"|displays?|answers?|answered|repl(?:y|ies|ied)|returns?|outputs?|phrase|words|sentence|text)(?: that)?\s+$",
    re.IGNORECASE,
)
_SPOKEN_OF = r"(?i:is|was|are|means?|says?|said|reads|stands|appears|shows|does|must|should|can|in|on)\b"
_AFTER = re.compile(r"(?![^\W_])(?!\s+(?i:is|was|means?|reads|stands|appears|(?:\w+\s+)?(?:says?|said))\b)")
_AFTER_TOKEN = re.compile(rf"(?!\w)(?!\s*{_SPOKEN_OF})")
_NEW_SENTENCE = re.compile(rf"['\"_]*(?:[.!?。]['\"_]*\s+|\s+(?=[A-Z]))(?!{_SPOKEN_OF})")


def is_refusal(text: str, style: Style | str = NUMBERED) -> bool:
    """Whether the reply is the style's sentinel or refusal, and nothing else.

    Outer white space, quotes, Markdown emphasis, code, heading and block quote marks, curly apostrophes, a missing
    or doubled final stop, and letter case make no difference. Raises `SettingError` for an unknown style.

    >>> is_refusal("> **I don’t know based on the provided documents**")
    True
    """
    return refusal_in(text, style) == "exact"


def refusal_in(text: str, style: Style | str = NUMBERED) -> Literal["exact", "padded"] | None:
    """Say "exact" for a refusal alone, "padded" for one with anything before or after it, even a citation.

    Padded, too, is a refusal inside a longer sentence ("Sorry, I don't know …, but …"), and the first sentence of one
    that has two. Quoted words, and words that someone is said to say, are part of an answer: None.
    Raises `SettingError` for an unknown style.

    >>> refusal_in("NOT_IN_CONTEXT. Usually it is 20.", "bracketed")
    'padded'
    >>> refusal_in('The sign says "NOT_IN_CONTEXT" [a.md#1].', "bracketed") is None
    True
    """
    style = find_style(style)
    if style.citation == "block":
        return _opens(text, style)
    wanted = _wanted(style.sentinel, style.refusal)
    folded = _without_marks(text)
    core = _core(folded)
    if core in wanted:
        return "exact"
    heads = [words.partition(". ")[0] for words in wanted]
    if not any(all(word in core for word in words.split()) for words in heads):
        return None  # as nearly always, and reading the citations takes longer than all before it
    if _core(_without_marks(without_citations(text))) in wanted:
        return "padded"
    unquoted = _QUOTED.sub(lambda quote: "x" * len(quote[0]), folded)
    said = any(_is_said(words, unquoted) for words in heads) or any(_opens_quoted(words, folded) for words in wanted)
    return "padded" if said else None


def _opens(text: str, style: Style) -> Literal["exact", "padded"] | None:
    """A refusal that the model words to its end: it begins as the style says, and is one sentence."""
    if not _core(_without_marks(text)).startswith(_core(_without_marks(style.sentinel))):
        return None
    bare = _LINE_MARKS.sub("", text)
    said = [span for span in sentences(bare) if any(map(str.isalnum, bare[slice(*span)]))]
    return "exact" if len(said) == 1 else "padded"


@cache
def _wanted(sentinel: str, refusal: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_core(_without_marks(words)) for words in (sentinel, refusal)))


def _without_marks(text: str) -> str:
    """Marks and emphasis undone; line breaks are kept, other white space is one space."""
    plain = _UNSEEN.sub("", _LINKED_ADDRESS.sub(r"\1\2", _LINE_MARKS.sub("", text))).translate(_MARKS)
    plain = unicodedata.normalize("NFKC", plain)
    return "\n".join(" ".join(line.split()) for line in plain.split("\n"))


def _core(folded: str) -> str:
    """The words alone, on one line and without letter case."""
    return " ".join(folded.split()).strip(_OUTER).casefold()


def _occurrences(words: str, folded: str) -> Iterator[re.Match[str]]:
    return re.finditer(r"\s+".join(map(re.escape, words.split())), folded, re.IGNORECASE)


def _opens_quoted(words: str, folded: str) -> bool:
    """Whether the reply opens with the refusal in quotes, and says something else after it."""
    first = next(_occurrences(words, folded), None)
    if first is None or folded[: first.start()].strip(_OUTER + "\n"):
        return False
    return bool(_NEW_SENTENCE.match(folded, first.end()))


def _is_said(words: str, folded: str) -> bool:
    """Whether the reply says the words itself, outside quotation marks."""
    after = _AFTER if " " in words else _AFTER_TOKEN
    for found in _occurrences(words, folded):
        before = folded[max(0, found.start() - 40) : found.start()].rstrip("_")
        quoted = before.endswith("'") and folded.startswith(("'", ".'"), found.end())
        spoken_of = before[-1:].isalnum() or _REPORTED.search(before) or not after.match(folded, found.end())
        if not quoted and not spoken_of:
            return True
    return False
