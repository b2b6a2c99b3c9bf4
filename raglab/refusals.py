"""Refusals: telling "I don't know" from an answer, however a model dresses it up."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Literal

from raglab.citations import parse_citations
from raglab.records import Style
from raglab.styles import find_style
from raglab.words import sentences

# Emphasis and invisible characters go; every quotation mark and apostrophe becomes a straight one, and so does the
# backtick: code inside an answer is quoted too.
_MARKS = str.maketrans("’‘‚‛ʼ´＇`“”„‹›«»「」『』", "'" * 8 + '"' * 11, "\\*\u200b\u2060\ufeff")
_LINE_MARKS = re.compile(r"^[ \t]*(?:(?:>|#{1,6}[ \t])[ \t]*)+|^[ \t]*(?:`{3,}|~{3,})[a-z]*[ \t]*$", re.MULTILINE)
_LINKED_ADDRESS = re.compile(r"<(?:mailto:)?([\w.+-]+@[\w.-]+)>|\[([^\]\n]+)\]\(mailto:[^)\n]*\)")
_OUTER = " \"'_~.。-•>#"
_QUOTED = re.compile(r'"[^"\n]*+"')

# A padded refusal begins a sentence or follows one of these words …
_BEFORE = re.compile(
    r"(?:^|[.!?。:;,()\[\]|\n–—-]|\b(?i:but|and|so|yet|sorry|afraid|apologies|unfortunately|regrettably|honestly|frankly"
    r"|actually|think|believe|however))[\s_-]*$"
)
# … and there the sentence ends, a new one begins, or it goes on with one of these.
_AFTER = re.compile(
    r"[\s_]*(?:$|[.!?。:;,()\[\]|\n–—-]|[A-Z]|(?i:but|and|so|because|since|as|if|whether|how|what|which|who|when|where"
    r"|why|although|though|however|about|regarding|concerning)\b)"
)
# A sentence that goes on like this speaks about the words.
_SPOKEN_OF = r"(?i:is|was|are|means?|says|said|reads|stands|appears|shows|does|must|should|can|in|on)\b"
_NEW_SENTENCE = re.compile(rf"['\"_]*[.!?。]['\"_]*\s+(?!{_SPOKEN_OF})")
_AFTER_TOKEN = re.compile(rf"(?!\w)(?!\s*{_SPOKEN_OF})")


def is_refusal(text: str, style: Style | str) -> bool:
    """Whether the reply is the style's sentinel or refusal, and nothing else.

    Outer white space, quotes, Markdown emphasis, code, heading and block quote marks, curly apostrophes, a missing
    or doubled final stop, and letter case make no difference.

    >>> is_refusal("> **I don’t know based on the provided documents**", "numbered")
    True
    """
    return refusal_in(text, style) == "exact"


def refusal_in(text: str, style: Style | str) -> Literal["exact", "padded"] | None:
    """Say "exact" for a refusal alone, "padded" for one with anything before or after it, even a citation.

    Padded is a refusal that stands as sentences of its own, or as a main clause ("Sorry, I don't know …, but …").
    Quoted words, or words inside another sentence, are part of an answer: None.

    >>> refusal_in("NOT_IN_CONTEXT. Usually it is 20.", "bracketed")
    'padded'
    >>> refusal_in('The sign says "NOT_IN_CONTEXT" [a.md#1].', "bracketed") is None
    True
    """
    style = find_style(style)
    if style.citation == "block":
        return _opens(text, style)
    wanted = _wanted(style.sentinel, style.refusal)
    folded = _fold(text)
    core = _core(folded)
    if core in wanted:
        return "exact"
    if not any(all(word in core for word in words.split()) for words in wanted):
        return None  # as nearly always, and reading the citations takes longer than all before it
    if _core(_fold(_without_citations(text))) in wanted:
        return "padded"
    if not any(words in core for words in wanted):
        return None
    unquoted = _QUOTED.sub(lambda quote: "x" * len(quote[0]), folded)
    if any(_opens_quoted(words, folded) or _stands_alone(words, unquoted) for words in wanted):
        return "padded"
    return None


def _opens(text: str, style: Style) -> Literal["exact", "padded"] | None:
    """A refusal that the model words to its end: it begins as the style says, and is one sentence."""
    if not _core(_fold(text)).startswith(_core(_fold(style.sentinel))):
        return None
    bare = _LINE_MARKS.sub("", text)
    said = [span for span in sentences(bare) if any(map(str.isalnum, bare[slice(*span)]))]
    return "exact" if len(said) == 1 else "padded"


@cache
def _wanted(sentinel: str, refusal: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_core(_fold(words)) for words in (sentinel, refusal)))


def _fold(text: str) -> str:
    """Marks and emphasis undone; line breaks are kept, other white space is one space."""
    plain = _LINKED_ADDRESS.sub(r"\1\2", _LINE_MARKS.sub("", text)).translate(_MARKS)
    plain = unicodedata.normalize("NFKC", plain)
    return "\n".join(" ".join(line.split()) for line in plain.split("\n"))


def _core(folded: str) -> str:
    """The words alone, on one line and without letter case."""
    return " ".join(folded.split()).strip(_OUTER).casefold()


def _without_citations(text: str) -> str:
    pieces, done = [], 0
    for citation in parse_citations(text, ()):
        pieces.append(text[done : citation.start])
        done = citation.end
    return "".join((*pieces, text[done:]))


def _occurrences(words: str, folded: str) -> Iterator[re.Match[str]]:
    return re.finditer(r"\s+".join(map(re.escape, words.split())), folded, re.IGNORECASE)


def _opens_quoted(words: str, folded: str) -> bool:
    """Whether the reply opens with the refusal in quotes, and says something else after it."""
    first = next(_occurrences(words, folded), None)
    if first is None or folded[: first.start()].strip(_OUTER + "\n"):
        return False
    return bool(_NEW_SENTENCE.match(folded, first.end()))


def _stands_alone(words: str, folded: str) -> bool:
    """Whether the words occur as a clause of their own, outside quotation marks."""
    after = _AFTER if " " in words else _AFTER_TOKEN  # nobody says a word such as NOT_IN_CONTEXT by chance
    for found in _occurrences(words, folded):
        before = folded[max(0, found.start() - 20) : found.start()]  # longer than any word of _BEFORE
        if _BEFORE.search(before) and after.match(folded, found.end()):
            return True
    return False
