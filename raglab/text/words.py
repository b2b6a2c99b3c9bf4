"""Words and sentences: the few text rules that every other module shares."""

import re
import unicodedata
from collections.abc import Iterator

# sentencex ends a sentence at every full-width stop, also inside a decimal such as ３．１４.
_DECIMAL_STOP = re.compile(r"\d[．.]$")
# It takes (1), (b) and (xii) for the marks of a list, cuts before each of them, and then at no full stop.
_LIST_MARK = re.compile(r"\(([^\W_]+)\)")
_HALF_LETTER = re.compile("[\ud800-\udfff]")  # it cannot encode one
_QUOTE_MARKS = str.maketrans(dict.fromkeys("\"'“”„‟‘’‚‛«»‹›「」『』《》〈〉()（）[]{}", " "))
_WINDOW = 4_000  # characters


def squash(text: str) -> str:
    """The text with every run of white space made one space, and none at the ends.

    >>> squash("one\\n  two\\tthree ")
    'one two three'
    """
    return " ".join(text.split())


def shorten(text: str, width: int = 60) -> str:
    """The text on one line, with an ellipsis where it is longer than `width` characters.

    >>> shorten("one\\ntwo three", 9)
    'one two …'
    """
    line = " ".join(text.split())
    if len(line) <= width:
        return line
    words, blank, _ = line[: width - 1].rpartition(" ")  # the last word may be cut
    return f"{words.rstrip()} …" if blank else f"{line[: width - 1]}…"


def sentences(text: str) -> list[tuple[int, int]]:
    """Spans `(start, end)` of the sentences of `text`, in code points, without outer white space.

    A paragraph always ends a sentence. A citation such as `[1]` directly after a full stop stays with
    its sentence. Boundaries come from `sentencex` (Wikimedia), mended for decimals and for lists in running text.

    >>> text = "Opens at 8. [1] Closes at ９．３０."
    >>> [text[start:end] for start, end in sentences(text)]
    ['Opens at 8. [1]', 'Closes at ９．３０.']
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for end in _bounds(text):
        piece, place = text[start:end], start
        start = end
        if piece.strip():
            first, last = place + len(piece) - len(piece.lstrip()), place + len(piece.rstrip())
            if (
                spans
                and spans[-1][1] == first
                and text[first].isdigit()
                and _DECIMAL_STOP.search(text, first - 2, first)
            ):
                first = spans.pop()[0]
            spans.append((first, last))
    return spans


def _bounds(text: str) -> Iterator[int]:
    """Where sentencex ends a sentence.

    Its time grows with the square of a long paragraph in some scripts, so it sees one window at a time. What is not
    finished in one window is seen again, whole, in the next, without the marks of which it looks for the partners.
    """
    import sentencex

    text = _HALF_LETTER.sub("x", _LIST_MARK.sub(r"-\1-", text))
    start, window = 0, _WINDOW
    while start < len(text):
        seen = text[start : start + window]
        found = sentencex.get_sentence_boundaries("en", seen if window == _WINDOW else seen.translate(_QUOTE_MARKS))
        ends = [start + boundary["end_index"] for boundary in found]
        if ends[-1] < len(text):
            ends.pop()
        yield from ends
        window = _WINDOW if ends else 2 * window
        start = ends[-1] if ends else start


def fold(text: str) -> str:
    """The text in Unicode's compatibility form (NFKC) and without letter case, for comparing words.

    >>> fold("Ｗｉ-Ｆｉ")
    'wi-fi'
    """
    return unicodedata.normalize("NFKC", text).casefold()
