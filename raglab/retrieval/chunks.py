"""Documents → chunks: split by headings, or into runs of whole sentences."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from raglab.records import Chunk, Document
from raglab.settings import whole_number
from raglab.text.words import sentences, squash

if TYPE_CHECKING:
    from markdown_it.token import Token

Span = tuple[int, int]  # start and end in code points, end exclusive


@dataclass(frozen=True, slots=True)
class Section:
    """The text from one heading to the next, without the heading line."""

    heading: str  # plain text; empty before the first heading
    level: int  # 1..6; 0 before the first heading
    start: int  # code points
    end: int
    blocks: tuple["Block", ...]  # paragraphs, lists, fences, tables … in order


@dataclass(frozen=True, slots=True)
class Block:
    """A top-level Markdown block."""

    start: int  # code points
    end: int
    prose: bool  # may be split between sentences; code and tables are split at line ends


def chunk_by_heading(document: Document, *, max_words: int = 250) -> list[Chunk]:
    """One chunk per section, with its heading and without its heading line; ids are `id#0`, `id#1`, …

    Sections are numbered from 0. Text before the first heading is a section if there is any; a section without
    text gives no chunk and keeps its number. A section of more than `max_words` words is split between blocks, then
    between sentences, then between words: `#3`, `#3.1`, `#3.2`. Code and tables that fit are never split. Raises
    `SettingError` for `max_words` below 1.

    >>> document = Document("fees.md", "# Fees\\n\\n## Term\\n\\nTen dollars.\\n")
    >>> [(chunk.id, chunk.heading, chunk.text) for chunk in chunk_by_heading(document)]
    [('fees.md#1', 'Term', 'Ten dollars.')]
    """
    max_words = whole_number("max_words", max_words, least=1)
    chunks = []
    for number, section in enumerate(sections(document.text)):
        pieces = _pack(_units(document.text, section, max_words), document.text, max_words)
        for part, (start, end) in enumerate(pieces):
            id = f"{document.id}#{number}.{part}" if part else f"{document.id}#{number}"
            chunks.append(_chunk(document, id, section.heading, document.text[start:end], start, end))
    return chunks


def chunk_by_sentences(document: Document, *, max_words: int = 30, overlap: int = 1) -> list[Chunk]:
    """Runs of whole sentences with at most `max_words` words, white space squashed; ids are `id#0`, `id#1`, …

    The last `overlap` sentences of a chunk are repeated at the start of the next, unless that would exceed the limit.
    A single longer sentence is split between words. A chunk never extends past a heading. Raises `SettingError` for
    `max_words` below 1 or `overlap` below 0.

    >>> document = Document("refund.md", "Ask within 7 days. Write to us. We answer soon.")
    >>> [chunk.text for chunk in chunk_by_sentences(document, max_words=7)]
    ['Ask within 7 days. Write to us.', 'Write to us. We answer soon.']
    """
    max_words, overlap = whole_number("max_words", max_words, least=1), whole_number("overlap", overlap)
    text, chunks = document.text, []
    for section in sections(text):
        spans = (span for block in section.blocks for span in _sentence_spans(text, block, max_words))
        for start, end in _windows(spans, text, max_words, overlap):
            id = f"{document.id}#{len(chunks)}"
            chunks.append(_chunk(document, id, section.heading, squash(text[start:end]), start, end))
    return chunks


def sections(text: str) -> list[Section]:
    """The sections of a Markdown text, also those without text, in order.

    A `#` line inside a code fence, a list or a quotation is not a heading; underlined headings count.

    >>> [(section.level, section.heading) for section in sections("Hello\\n\\nFees\\n====\\n")]
    [(0, ''), (1, 'Fees')]
    """
    tokens, line_starts = _parse(text)
    heads: list[tuple[str, int, Span]] = [("", 0, (0, 0))]
    blocks: list[list[Block]] = [[]]
    for index, token in enumerate(tokens):
        if token.level or token.map is None or token.nesting < 0:
            continue
        start, end = (line_starts[min(line, len(line_starts) - 1)] for line in token.map)
        if token.type == "heading_open":
            heads.append((_heading_text(tokens[index + 1]), int(token.tag[1]), (start, end)))
            blocks.append([])
        elif token.type != "hr":
            blocks[-1].append(Block(*_strip(text, start, end), token.type not in _SPLIT_BY_LINES))
    ends = [head[2][0] for head in heads[1:]] + [len(text)]
    found = [
        Section(
            heading, level, *_strip(text, span[1], end), tuple(block for block in inside if block.end > block.start)
        )
        for (heading, level, span), end, inside in zip(heads, ends, blocks, strict=True)
    ]
    return found if found[0].end > found[0].start else found[1:]


_SPLIT_BY_LINES = ("fence", "code_block", "table_open", "html_block")


def _parse(text: str) -> tuple[list["Token"], list[int]]:
    """Markdown tokens, and where each line starts."""
    from markdown_it import MarkdownIt

    line_starts = [0] + [match.end() for match in re.finditer("\n", text)] + [len(text)]
    return MarkdownIt("commonmark").enable("table").parse(text), line_starts


def _heading_text(inline: "Token") -> str:
    """The text of a heading without its markup."""
    kinds = ("text", "code_inline", "image")
    return squash("".join(c.content if c.type in kinds else " " for c in inline.children or () if c.nesting == 0))


def _chunk(document: Document, id: str, heading: str, text: str, start: int, end: int) -> Chunk:
    title = {"title": document.title} if document.title else {}
    return Chunk(id, document.source, heading, text, start, end, {**title, **document.meta})


def _strip(text: str, start: int, end: int) -> Span:
    """The span without white space at its ends, but with the indent of its first line."""
    piece = text[start:end]
    lead = len(piece) - len(piece.lstrip())
    lead = piece.rfind("\n", 0, lead) + 1 if piece.strip() else len(piece)
    return start + lead, max(start + lead, end - (len(piece) - len(piece.rstrip())))


def _units(text: str, section: Section, max_words: int) -> Iterator[Span]:
    """The section's blocks, those that are too long split into sentences or lines and packed again."""
    for block in section.blocks:
        if _count(text, block.start, block.end) <= max_words:
            yield block.start, block.end
        else:
            yield from _pack(_sentence_spans(text, block, max_words), text, max_words)


def _sentence_spans(text: str, block: Block, max_words: int) -> Iterator[Span]:
    """The block's sentences (lines, for code and tables), those that are too long split between words."""
    split = sentences if block.prose else _lines
    for start, end in split(text[block.start : block.end]):
        yield from _split_words(text, block.start + start, block.start + end, max_words)


def _lines(text: str) -> list[Span]:
    return [match.span() for match in re.finditer(r"[^\n]*\S[^\n]*", text)]


def _split_words(text: str, start: int, end: int, max_words: int) -> Iterator[Span]:
    words = [match.span() for match in re.finditer(r"\S+", text[start:end])]
    if len(words) <= max_words:
        yield start, end
        return
    for first in range(0, len(words), max_words):
        last = min(first + max_words, len(words)) - 1
        yield start + words[first][0], start + words[last][1]


def _pack(units: Iterable[Span], text: str, max_words: int) -> list[Span]:
    """Neighbours joined for as long as they stay within the limit."""
    return list(_windows(units, text, max_words, overlap=0))


def _windows(units: Iterable[Span], text: str, max_words: int, overlap: int) -> Iterator[Span]:
    """Runs of units within the limit, each starting with the last units of the one before where that fits."""
    window: list[Span] = []
    sizes: list[int] = []  # words of each unit, with what stands before it since the last one
    for start, end in units:
        size = _count(text, window[-1][1] if window else start, end)
        if window and sum(sizes) + size > max_words:
            yield window[0][0], window[-1][1]
            keep = max(len(window) - overlap, 0)
            window, sizes = window[keep:], sizes[keep:]
            while window and sum(sizes) + size > max_words:
                window, sizes = window[1:], sizes[1:]
            size = size if window else _count(text, start, end)
        window.append((start, end))
        sizes.append(size)
    if window:
        yield window[0][0], window[-1][1]


def _count(text: str, start: int, end: int) -> int:
    return len(text[start:end].split())


# To add a chunker: write a function document → chunks above and name it here; a style refers to it by this name.
CHUNKERS: dict[str, Callable[[Document], list[Chunk]]] = {
    "headings": chunk_by_heading,
    "sentences": chunk_by_sentences,
}
