"""Statements: the sentences of a reply that state something, each with the citations that belong to it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, NamedTuple

from raglab.grounding.citations import parse_citations
from raglab.grounding.units import SIGNS
from raglab.records import Citation, Hit
from raglab.styles import NUMBERED, Style
from raglab.text.markdown import code_spans
from raglab.text.words import fold, sentences

_QUOTE_MARKS = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
_BULLET = r"[-*+•·‣◦–—→➜✓✔✅]\s+(?:\[[ xX]\]\s+)?"
_ITEM_NUMBER = (
    r"(?:(?:\*\*|__)?\(?(?:\d{1,3}(?:\.\d{1,2}){0,2}(?:\*\*|__)?[.)]|[a-zA-Z]\))(?:\*\*|__)?(?=\s)"
    r"|(?:\*\*|__)?(?i:step|part|option|method|approach|example|tip)\s+\d{1,2}\s*(?:[:.)](?!\d)|[–—-](?!\s?\d))(?:\*\*|__)?"
    r"|(?:\d\ufe0f?\u20e3|[①-⒇❶-➓])\s*)"
)
_ITEM = re.compile(rf"\s*(?:{_BULLET}{_ITEM_NUMBER}?|{_ITEM_NUMBER})")
_HEADING = re.compile(r"\s*(?:#{1,6}(?:\s.*)?|\*\*[^*]*[^*.!?]\*\*|__[^_]*[^_.!?]__)\s*")
_RULE = re.compile(r"\s{0,3}(?:=+|-+|\*{3,}|_{3,})\s*")  # a rule, or the line under a heading
_ROW = re.compile(r"\s*\|.*\|\s*")
_ROW_RULE = re.compile(r"[\s|:-]+")  # the line under the head of a table
_FOOTNOTE = re.compile(r"\[\^[^\[\]\n]{1,50}\]")
_NUMBERING = re.compile(r"\(?\d{1,3}[.)]")
_ENUMERATOR = re.compile(r"\(\d{1,2}\)(?=\s*\w)")
_LAST_ENUMERATOR = re.compile(r"\(\d{1,2}\)(?=\W*$)")
_FIRST_ENUMERATOR = re.compile(rf"(?:^|[,;:]|\band|\bor)\s*{_ENUMERATOR.pattern}")
_INLINE_NUMBER = re.compile(
    r"(?:^[ \t]*|(?P<within>[.:;,!?)\]]|\b(?:and|or))[ \t]+)(?P<number>(\d{1,2})[.)])(?=\s)"
    r"|^[ \t]*(?P<line>(\d{1,2})\s?[-–—:/](?=\s+[^\W\d_]))",
    re.MULTILINE,
)
_ORPHAN_STOP = re.compile(r"\s+(?=[.,;:!?]+(?:\s|$))")
_BOLD_LABEL = re.compile(r"(?:\*\*|__)(?:[^\W\d_]++[\s.:]*+){1,4}+(?:\*\*|__)?[.:]?")
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_POINTER = re.compile(r"\b(?:sources?|see(?: also)?|refs?|references?|citations?|cf|from)\b", re.IGNORECASE)

# Where the splitter mistakes an abbreviation for the end of a sentence, and what then follows.
_COUNTED = re.compile(r"\b(?:ca|max|min|est|ext|no|nos|vol)\.$", re.IGNORECASE)
_UNFINISHED = re.compile(r"\b(?:approx|incl|excl|tel|acct)\.$", re.IGNORECASE)
_ABBREVIATION = re.compile(rf"(?:\b(?:[A-Z][a-z]{{1,3}}|dept|vs|etc|[ap]\.m)\.$|{_COUNTED.pattern})")
_ZONED = re.compile(r"[ap]\.m\.$", re.IGNORECASE)
_ZONE = re.compile(r"(?:UTC|GMT|IST|BST|CES?T|EE[SD]?T|[ECMP][SD]T|JST|AES?T|SGT|HKT|WIB)\b")
_STOPS = (".", "!", "?", "…", "。", "！", "？")
_LEADING_MARKS = " \t\n*_(),;"
_CLOSING_MARKS = " \t\n\"'”’»*_)`~"

# Sentences that only address the reader and state nothing about the documents.
_COURTESY = re.compile(
    r"(?:yes|no|sure|of course|certainly|absolutely|hello|hi|hi there|good (?:morning|afternoon|evening|day|question)"
    r"|ok|okay|great question|you'?re welcome|have a (?:nice|good|great|lovely|wonderful) \w+|happy \w+ing"
    r"|(?:thanks|thank you)(?: (?:so|very) much)?(?: for (?:asking|reaching out|contacting us|(?:your|the) \w+))?"
    r"|sorry(?: (?:for|about) (?:that|(?:the|any) (?:confusion|inconvenience|delay|trouble|mistake)))?"
    r"|(?:i )?hope (?:this|that|it) helps|(?:i(?:'m| am|'d be| would be) )?(?:happy|glad) to (?:help|assist)\b.*"
    r"|(?:please )?let me know\b.*|(?:please )?feel free to ask\b.*"
    r"|(?:please )?(?:don'?t|do not) hesitate to ask\b.*)"
)

Span = tuple[int, int]  # start and end, in code points
Kind = Literal["text", "item", "row", "heading"]


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence that states something."""

    text: str  # as written, markers included
    claim: str  # the same without citations, code, list number and footnote marks
    citations: tuple[Citation, ...]  # in it, directly after it, or in the line that introduces its list


class _Block(NamedTuple):
    """A paragraph, list item, table row or heading."""

    start: int
    end: int
    kind: Kind


@dataclass(slots=True)
class _Part:
    """One sentence of one block."""

    start: int
    end: int
    block: int
    kind: Kind
    citations: list[Citation] = field(default_factory=list)


def statements(text: str, hits: Sequence[Hit], style: Style | str = NUMBERED) -> list[Statement]:
    """The statements of a reply, in order.

    These are not statements: headings (`#`, underlined, a bold line, the head of a table), bold labels, code, pure
    questions, courtesies, and a line that ends in a colon and introduces what follows; its citations count for every
    item of that list. A table row is one statement. A citation before or directly after the full stop belongs to the
    sentence; one on a line of its own to the sentence before it.

    >>> found = statements("## Hours\\n\\n1. Opens at 8. [1]\\n2. Is it free? Ask `--help` first.", [], "numbered")
    >>> [(each.claim, len(each.citations)) for each in found]
    [('Opens at 8.', 1), ('Ask first.', 0)]
    """
    code = code_spans(text)
    markers = [(each.start, each.end) for each in parse_citations(text, hits)]
    prose = _prose(text, code)
    # For the splitter a marker is a number in brackets and inline code a word: their dots do not end a sentence.
    split = list(_parts(_filled(prose, markers, "0")))
    masked = _filled(_filled(prose, markers, " "), code, " ")
    parts = _with_citations(split, parse_citations(text, hits, style), masked)
    return list(_stated(parts, text, masked))


def is_courtesy(sentence: str) -> bool:
    """Whether a sentence only addresses the reader, and says nothing about the documents.

    >>> is_courtesy("I hope this helps!"), is_courtesy("This helps members.")
    (True, False)
    """
    return bool(_COURTESY.fullmatch(fold(sentence).replace("’", "'").strip(" .!,*_")))


def _stated(parts: Sequence[_Part], text: str, masked: str) -> Iterator[Statement]:
    introduction: list[Citation] = []  # what the line before a list cites
    for part, following in zip(parts, [*parts[1:], None], strict=False):
        claim = _claim(masked[part.start : part.end])
        continues = following is not None and following.block == part.block
        introduces = following is not None and not continues and claim.rstrip(_CLOSING_MARKS).endswith((":", "："))
        if part.kind == "text":
            introduction = []
        if continues and _BOLD_LABEL.fullmatch(text, part.start, part.end):
            continue
        if introduces:
            introduction = part.citations
        elif part.kind != "heading" and _LETTER_OR_DIGIT.search(claim) and not _states_nothing(claim):
            yield Statement(text[part.start : part.end].strip(), claim, (*part.citations, *introduction))


def _claim(masked: str) -> str:
    """The words of a sentence, without what only numbers or marks it."""
    bare = _LAST_ENUMERATOR.sub(" ", _FOOTNOTE.sub(" ", masked))
    if _FIRST_ENUMERATOR.search(bare) or len(_ENUMERATOR.findall(bare)) > 1:
        bare = _ENUMERATOR.sub(" ", bare)
    return _ORPHAN_STOP.sub("", " ".join(bare.split()))


def _states_nothing(claim: str) -> bool:
    bare = claim.rstrip(_CLOSING_MARKS)
    return bare.rstrip("!").endswith(("?", "？", "؟")) or is_courtesy(bare)


# ── What the splitter sees ─────────────────────────────────────────────────────────────────────────────────────────


def _prose(text: str, code: Sequence[Span]) -> str:
    """The text, as long as before, with words for code and spaces for quote marks and the numbers of lists."""
    quote_marks = [each.span() for each in _QUOTE_MARKS.finditer(text)]
    unquoted = _filled(_filled(text, code, "x"), quote_marks, " ")
    return _filled(unquoted, _inline_numbers(unquoted), " ")


def _inline_numbers(text: str) -> list[Span]:
    """Spans of what counts the items of a list in running text, or on lines of its own without being Markdown.

    `Do this: 1) open the lid, 2) close it.` and `1 - open the lid`; a list counts from 1.
    """
    runs: list[list[re.Match[str]]] = []
    for found in _INLINE_NUMBER.finditer(text):
        number = int(found[3] or found[5])
        if number == 1:
            runs.append([found])
        elif runs and number == len(runs[-1]) + 1:
            runs[-1].append(found)
    listed = [found for run in runs if len(run) > 1 for found in run if found["within"] or found["line"]]
    return [found.span("line" if found["line"] else "number") for found in listed]


def _filled(text: str, spans: Sequence[Span], filler: str) -> str:
    """The text with spans filled; offsets stay, and a marker keeps its brackets, a fence its line breaks."""
    pieces: list[str] = []
    done = 0
    for start, end in spans:
        span = text[start:end]
        if "\n" in span:
            fill = re.sub(r"[^\n]", " ", span)
        elif filler == "0":
            fill = f"[{filler * (len(span) - 2)}]"
        else:
            fill = filler * len(span)
        pieces += [text[done:start], fill]
        done = end
    return "".join((*pieces, text[done:]))


# ── Blocks and their sentences ─────────────────────────────────────────────────────────────────────────────────────


def _parts(shape: str) -> Iterator[_Part]:
    for number, (start, end, kind) in enumerate(_blocks(shape)):
        line = shape[start:end].replace("\n", " ")
        for left, right in [(0, len(line.rstrip()))] if kind == "row" else _whole_sentences(line):
            if not _NUMBERING.fullmatch(shape, start + left, start + right):
                yield _Part(start + left, start + right, number, kind)


def _whole_sentences(line: str) -> list[Span]:
    """The sentences of a block, rejoined where an abbreviation has split them: `7 p.m. IST`, `on Sat. and Sun.`"""
    spans: list[Span] = []
    for start, end in sentences(line):
        if spans and _is_split_at_abbreviation(line, spans[-1][1], start):
            start = spans.pop()[0]
        spans.append((start, end))
    return spans


def _is_split_at_abbreviation(line: str, end: int, start: int) -> bool:
    """Whether the sentence that begins at `start` continues the one that seemed to end at `end`."""
    before, first = line[max(0, end - 12) : end], line[start]
    return bool(
        (_ABBREVIATION.search(before) and first.islower())
        or (_COUNTED.search(before) and (first.isdigit() or first in SIGNS))
        or _UNFINISHED.search(before)
        or (_ZONED.search(before) and _ZONE.match(line, start))
    )


def _blocks(shape: str) -> list[_Block]:
    blocks: list[_Block] = []
    position, is_open = 0, False  # whether the next line may continue the last block
    for line in shape.splitlines(keepends=True):
        start, end = position, position + len(line)
        position = end
        if not line.strip():
            is_open = False
        elif _RULE.fullmatch(line):
            if is_open and _may_be_heading(shape, blocks[-1]):
                blocks[-1] = blocks[-1]._replace(kind="heading")
            is_open = False
        elif _HEADING.fullmatch(line.rstrip()):
            blocks.append(_Block(start, end, "heading"))
            is_open = False
        elif _ROW.fullmatch(line):
            if _ROW_RULE.fullmatch(line) and blocks:
                blocks[-1] = blocks[-1]._replace(kind="heading")
            else:
                blocks.append(_Block(start, end, "row"))
            is_open = False
        elif item := _ITEM.match(line):
            blocks.append(_Block(start + item.end(), end, "item"))
            is_open = True
        elif is_open:
            blocks[-1] = blocks[-1]._replace(end=end)
        else:
            blocks.append(_Block(start, end, "text"))
            is_open = True
    return blocks


def _may_be_heading(shape: str, block: _Block) -> bool:
    line = shape[block.start : block.end].strip()
    return block.kind == "text" and "\n" not in line and not line.endswith((".", "!", "?", "]"))


# ── Which sentence a citation belongs to ───────────────────────────────────────────────────────────────────────────


def _with_citations(split: Sequence[_Part], citations: Sequence[Citation], masked: str) -> list[_Part]:
    """The sentences, each with its citations. Those that are nothing but markers become part of the one before."""
    _place_by_position(split, citations)
    parts = _without_pointers(split, masked)
    for before, part in pairwise(parts):
        if before.block != part.block:
            continue
        if not before.citations or masked[part.start] in ",;":
            _take_leading(before, part, masked)
        elif not part.citations:
            _share_trailing(before, part, masked)
    return parts


def _place_by_position(parts: Sequence[_Part], citations: Sequence[Citation]) -> None:
    waiting = list(reversed(citations))
    for part in parts:
        while waiting and waiting[-1].start < part.end:
            part.citations.append(waiting.pop())


def _without_pointers(parts: Sequence[_Part], masked: str) -> list[_Part]:
    """The parts, where one that only points at sources gives its citations to the sentence before it."""
    kept: list[_Part] = []
    for part in parts:
        if not _only_points(part, masked):
            kept.append(part)
            continue
        if part.citations and len(kept) > 1 and _only_points(kept[-1], masked):
            kept.pop()  # `Sources:` on a line above them
        before = kept[-1] if kept else None
        if before and before.kind != "heading" and (part.citations or before.block == part.block):
            before.citations += part.citations
            before.end = part.end
        else:
            kept.append(part)
    return kept


def _only_points(part: _Part, masked: str) -> bool:
    return not _LETTER_OR_DIGIT.search(_POINTER.sub("", masked[part.start : part.end]))


def _take_leading(before: _Part, part: _Part, masked: str) -> None:
    """`Opens at 8. **[1]** Closes at 9 [2].`: the first marker closes the first sentence."""
    words = part.end - len(masked[part.start : part.end].lstrip(_LEADING_MARKS))
    leading = [each for each in part.citations if each.end <= words]
    if leading:
        before.citations += leading
        before.end = part.start = words
        part.citations = part.citations[len(leading) :]


def _share_trailing(before: _Part, part: _Part, masked: str) -> None:
    """`[1] Opens at 8. [2] Closes at 9.`: a marker between two sentences may belong to either."""
    words = masked[before.start : before.end].rstrip()
    trailing = [each for each in before.citations if each.start >= before.start + len(words)]
    if words.endswith(_STOPS) and len(trailing) < len(before.citations):
        part.citations += trailing
