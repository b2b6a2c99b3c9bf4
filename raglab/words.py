"""Words and sentences: the few text rules that every other module shares."""

import re
import unicodedata

# sentencex ends a sentence at every full-width stop, also inside a decimal such as ３．１４.
_DECIMAL_STOP = re.compile(r"\d[．.]$")


def squash(text: str) -> str:
    """The text with every run of white space made one space, and none at the ends.

    >>> squash("one\\n  two\\tthree ")
    'one two three'
    """
    return " ".join(text.split())


def sentences(text: str) -> list[tuple[int, int]]:
    """Spans `(start, end)` of the sentences of `text`, in code points, without outer white space.

    A paragraph always ends a sentence. A citation such as `[1]` directly after a full stop stays with
    its sentence. Boundaries come from `sentencex` (Wikimedia), mended for decimals it would cut.

    >>> text = "Opens at 8. [1] Closes at ９．３０."
    >>> [text[start:end] for start, end in sentences(text)]
    ['Opens at 8. [1]', 'Closes at ９．３０.']
    """
    import sentencex

    spans: list[tuple[int, int]] = []
    for boundary in sentencex.get_sentence_boundaries("en", text):
        start, end = boundary["start_index"], boundary["end_index"]
        piece = text[start:end]
        if not piece.strip():
            continue
        start += len(piece) - len(piece.lstrip())
        end -= len(piece) - len(piece.rstrip())
        if (
            spans
            and spans[-1][1] == start
            and text[start].isdigit()
            and _DECIMAL_STOP.search(text[spans[-1][0] : start])
        ):
            start = spans.pop()[0]
        spans.append((start, end))
    return spans


def fold(text: str) -> str:
    """The text in Unicode's compatibility form (NFKC) and without letter case, for comparing words.

    >>> fold("Ｗｉ-Ｆｉ")
    'wi-fi'
    """
    return unicodedata.normalize("NFKC", text).casefold()
