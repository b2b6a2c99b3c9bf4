"""The sentences of a passage, with their places in it.

A passage is Markdown, wrapped anywhere. The table at the foot of this module tells the kind of each line. Lines of
prose that belong together are joined, and sentencex cuts them. Headings, breadcrumbs, rules and
code are not sentences. A table row and a list item are each cut separately.
"""

import re
import textwrap
from collections.abc import Iterator
from itertools import pairwise

import sentencex
from msgspec import Struct


class Sentence(Struct, frozen=True):
    """One sentence. In `text` each run of white space is one space; the span is that of the original."""

    text: str
    start: int  # code points in the passage, 0-based
    end: int  # exclusive
    code: str = ""  # the code fence that follows directly, closed


class _Block(Struct, frozen=True):
    """Lines that belong together."""

    kind: str  # of its first line
    spans: list[tuple[int, int]]  # one per line, in the passage, without the line's mark


def sentences(text: str) -> list[Sentence]:
    """Cut one passage into sentences, in order.

    >>> [s.text for s in sentences("# Hours\\n\\nOpen at 8. Close\\nat 6.\\n\\n- Bring a pen.")]
    ['Open at 8.', 'Close at 6.', 'Bring a pen.']
    """
    found: list[Sentence] = []
    for block, after in pairwise([*_blocks(text), None]):
        if block and block.kind in PROSE:
            code = _code(text, after) if after and after.kind == "fence" else ""
            at = block.spans[0][0]
            spans = list(_spans(_line(text, block)))
            for start, end, sentence in spans:
                found.append(Sentence(sentence, at + start, at + end, code if end == spans[-1][1] else ""))
    return found


def fence_after(line: str, fence: str) -> str:
    """The code fence that is open after a line; `fence` is the one open before it, or "".

    >>> fence_after("```python", ""), fence_after("~~~", "```"), fence_after("````", "```")
    ('```', '```', '')
    """
    mark = _FENCE.match(line)
    if not fence:
        return mark["mark"] if mark else ""
    closes = mark and mark["mark"].startswith(fence) and not mark["info"].strip()
    return "" if closes else fence


def _blocks(text: str) -> Iterator[_Block]:
    """Join lines to blocks. A blank line is not a block, but it ends the one before it."""
    squashed = "\n" not in text.strip() and text.rstrip(_CLOSERS).endswith(_STOPS)
    block: _Block | None = None
    fence, in_list, at = "", False, 0
    for line in text.split("\n"):
        inside, fence = fence, fence_after(line, fence)
        kind, mark = ("code" if inside else "fence", 0)
        if not inside and not fence:
            opened = block.kind if block and block.kind in PROSE else "list" if in_list else ""
            kind, mark = _kind(line, opened, squashed)
        span = (at + mark, at + len(line))
        at += len(line) + 1
        in_list = kind == "item" or in_list and (kind == "blank" or line[:1].isspace())
        if block and block.kind in CONTINUES.get(kind, ()):
            block.spans.append(span)
            continue
        if block and kind != "underline":  # an underline makes the lines above it a heading
            yield block
        block = _Block(kind, [span]) if kind != "blank" else None
    if block:
        yield block


def _kind(line: str, within: str, squashed: bool) -> tuple[str, int]:
    """The kind of a line outside code, and how many of its characters are its mark."""
    for kind, pattern in LINE_KINDS:
        mark = pattern.match(line)
        if not mark or within not in STANDS.get(kind, (within,)):
            continue
        # Some prompts squash a passage to one line. If the line ends as a sentence does, there is
        # more to it than a heading at its start.
        if squashed and kind in ("heading", "breadcrumb"):
            kind = "text"
        return kind, mark.end()
    return "text", 0


def _line(text: str, block: _Block) -> str:
    """The block as one line, exactly as long as in the passage, so that places stay true."""
    pieces, at = [], block.spans[0][0]
    for start, end in block.spans:
        pieces += [" " * (start - at), text[start:end]]
        at = end
    line = "".join(pieces)
    return line.rstrip(" |") if block.kind == "row" else line


def _spans(line: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and squashed text of each sentence of a line."""
    start = 0
    for end in _bounds(line):
        if _NEAR_DIGIT.search(line, end - 3, end) and any(
            left.search(line, end - 8, end) and right.match(line, end) for left, right in NO_BOUND
        ):
            continue
        piece = line[start:end]
        squashed = " ".join(piece.split())
        if squashed[:1].isalnum() or any(map(str.isalnum, squashed)):
            yield line.index(squashed[0], start), start + len(piece.rstrip()), squashed
        start = end


def _bounds(line: str) -> Iterator[int]:
    """Where sentencex ends a sentence.

    It sees one window at a time, since its time grows with the square of a text in full-width
    characters. What it leaves unfinished in one window it sees again, whole, in the next.
    """
    start = 0
    while start < len(line):
        window = line[start : start + WINDOW]
        found = sentencex.get_sentence_boundaries("en", window)  # pyright: ignore[reportAttributeAccessIssue]
        ends = [start + bound["end_index"] for bound in found]
        if ends[-1] < len(line) and len(ends) > 1:
            ends.pop()
        yield from ends
        start = ends[-1]


def _code(text: str, block: _Block) -> str:
    """The code of a fence without its indent. One that its chunk cut off is closed."""
    code = textwrap.dedent(text[block.spans[0][0] : block.spans[-1][1]]).rstrip()
    fence = ""
    for line in code.split("\n"):
        fence = fence_after(line, fence)
    return f"{code}\n{fence}" if fence else code


WINDOW = 2_000  # characters; a longer sentence is cut

_FENCE = re.compile(r"[ \t>]*(?P<mark>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)")
_STOPS = (".", "!", "?", "…", "。", "！", "？")
_CLOSERS = " \t\r\n\"'”’»)]}*_`"
_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"

# The kinds of line outside code, first match wins; what is matched does not belong to a sentence.
# A line of none of these kinds is text. To add a kind, add a line here.
LINE_KINDS = (
    ("blank", re.compile(r"\s*\Z")),
    ("underline", re.compile(r" {0,3}(?:=+|-+)\s*\Z")),
    ("rule", re.compile(r"[\s|:*_=+-]+\Z")),
    ("heading", re.compile(r" {0,3}#{1,6}(?:\s+|\Z)")),
    ("row", re.compile(r"\s*\|\s*")),
    ("item", re.compile(r"\s*(?:>\s?)*(?:[-*+]|\d{1,9}[.)])\s+")),
    ("indented", re.compile(r" {4}|\t")),
    ("breadcrumb", re.compile(r"(?=\[[^\]]+\] .+ > .)")),
    ("text", re.compile(r"\s*>[\s>]*")),
)

# The kinds that hold sentences.
PROSE = ("text", "item", "row")

# Where a kind of line can be: in the open block of prose, in a "list" between two items, or in neither ("").
STANDS = {"underline": ("text",), "indented": ("",), "breadcrumb": ("",)}

# Which open blocks a line of a kind continues; other lines start a new block.
CONTINUES = {"text": ("text", "item"), "code": ("fence",)}

# How each left side below ends: one quick look before all are tried.
_NEAR_DIGIT = re.compile(r"\d[.．]\s?\Z")

# Where sentencex ends a sentence and a reader does not: how the left side ends, how the right side
# starts. These are full-width decimals and dates with a dot. To add one, add a pair.
NO_BOUND = (
    (re.compile(r"\d．\Z"), re.compile(r"\d")),
    (re.compile(r"(?<!\d)\d\d?\.\s\Z"), re.compile(_MONTH + r"\s+\d{4}")),
    (re.compile(r"(?<!\d)\d\d?\.\s\Z"), re.compile(r"\d\d?\.\s+\d{4}")),
    (re.compile(r"(?<!\d)\d\d?\.\s\d\d?\.\s\Z"), re.compile(r"\d{4}")),
)
