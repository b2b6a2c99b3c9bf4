"""Words and sentences: the few text rules that every other module shares."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Protocol, TypedDict, cast


def squash(text: str) -> str:
    """The text with every run of white space made one space, and none at the ends.

    >>> squash("one\\n  two\\tthree ")
    'one two three'
    """
    return " ".join(text.split())


def shorten(text: str, width: int = 60) -> str:
    """The text on one line, shortened to `width` characters with an ellipsis where it is longer.

    >>> shorten("one\\ntwo three", 9)
    'one two …'
    """
    line = squash(text)
    if len(line) <= width:
        return line
    words, space, _ = line[: width - 1].rpartition(" ")  # the last word may be incomplete
    return f"{words.rstrip()} …" if space else f"{line[: width - 1]}…"


# sentencex ends a sentence at every full-width stop, also inside a decimal such as ３．１４.
_DECIMAL_STOP = re.compile(r"\d[．.]$")
# It takes (1), (b) and (xii) for list marks, splits before each of them, and then does not split at a full stop.
_LIST_MARK = re.compile(r"\(([^\W_]+)\)")
_HALF_LETTER = re.compile("[\ud800-\udfff]")  # it cannot encode one
_QUOTE_MARKS = str.maketrans(dict.fromkeys("\"'“”„‟‘’‚‛«»‹›「」『』《》〈〉()（）[]{}", " "))
_WINDOW = 4_000  # characters


def sentences(text: str) -> list[tuple[int, int]]:
    """Spans `(start, end)` of the sentences of `text`, in code points, without outer white space.

    A paragraph always ends a sentence. A citation such as `[1]` directly after a full stop stays with its sentence.
    Boundaries come from `sentencex` (Wikimedia), corrected for decimals and for lists in running text.

    >>> text = "Opens at 8. [1] Closes at ９．３０."
    >>> [text[start:end] for start, end in sentences(text)]
    ['Opens at 8. [1]', 'Closes at ９．３０.']
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for end in _sentence_ends(text):
        piece = text[start:end]
        if piece.strip():
            first, last = end - len(piece.lstrip()), start + len(piece.rstrip())
            if spans and spans[-1][1] == first and _is_inside_decimal(text, first):
                first = spans.pop()[0]
            spans.append((first, last))
        start = end
    return spans


def _is_inside_decimal(text: str, position: int) -> bool:
    return text[position].isdigit() and bool(_DECIMAL_STOP.search(text, position - 2, position))


def _sentence_ends(text: str) -> Iterator[int]:
    """Where sentencex ends a sentence.

    Its time grows with the square of a long paragraph in some scripts, so it sees one window at a time. A sentence
    that one window does not finish is seen again, whole, in the next, without the marks whose partners it looks for.
    """
    import sentencex

    splitter = cast(_Splitter, sentencex)
    text = _HALF_LETTER.sub("x", _LIST_MARK.sub(r"-\1-", text))
    start, window = 0, _WINDOW
    while start < len(text):
        seen = text[start : start + window]
        found = splitter.get_sentence_boundaries("en", seen if window == _WINDOW else seen.translate(_QUOTE_MARKS))
        ends = [start + boundary["end_index"] for boundary in found]
        if ends[-1] < len(text):
            ends.pop()
        yield from ends
        window = _WINDOW if ends else 2 * window
        start = ends[-1] if ends else start


class _Boundary(TypedDict):
    end_index: int  # code points; exclusive


class _Splitter(Protocol):
    """What is used of sentencex, whose compiled module comes without types."""

    def get_sentence_boundaries(self, language: str, text: str, /) -> list[_Boundary]: ...


def fold(text: str) -> str:
    """The text in Unicode's compatibility form (NFKC) and without letter case, for comparing words.

    >>> fold("Ｗｉ-Ｆｉ")
    'wi-fi'
    """
    return unicodedata.normalize("NFKC", text).casefold()
