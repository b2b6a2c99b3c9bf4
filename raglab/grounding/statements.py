"""Statements: the sentences of a reply that state something, each with the citations that belong to it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from raglab.grounding.citations import parse_citations
from raglab.grounding.units import SIGNS
from raglab.records import Citation, Hit
from raglab.styles import Style
from raglab.text.markdown import code_spans
from raglab.text.words import fold, sentences

_QUOTE_MARKS = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
_BULLET = r"[-*+•·‣◦–—→➜✓✔✅]\s+(?:\[[ xX]\]\s+)?"
_ORDINAL = (
    r"(?:(?:\*\*|__)?\(?(?:\d{1,3}(?:\.\d{1,2}){0,2}(?:\*\*|__)?[.)]|[a-zA-Z]\))(?:\*\*|__)?(?=\s)"
    r"|(?:\*\*|__)?(?i:step|part|option|method|approach|example|tip)\s+\d{1,2}\s*(?:[:.)](?!\d)|[–—-](?!\s?\d))(?:\*\*|__)?"
    r"|(?:\d\ufe0f?\u20e3|[①-⒇❶-➓])\s*)"
)
_ITEM = re.compile(rf"\s*(?:{_BULLET}{_ORDINAL}?|{_ORDINAL})")
_HEADING = re.compile(r"\s*(?:#{1,6}(?:\s.*)?|\*\*[^*]*[^*.!?]\*\*|__[^_]*[^_.!?]__)\s*")
_LINE = re.compile(r"\s{0,3}(?:=+|-+|\*{3,}|_{3,})\s*")  # a rule, or the line under a heading
_ROW = re.compile(r"\s*\|.*\|\s*")
_RULE = re.compile(r"[\s|:-]+")
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
_LABEL = re.compile(r"(?:\*\*|__)(?:[^\W\d_]++[\s.:]*+){1,4}+(?:\*\*|__)?[.:]?")
_WORD = re.compile(r"[^\W_]")
_POINTER = re.compile(r"\b(?:sources?|see(?: also)?|refs?|references?|citations?|cf|from)\b", re.IGNORECASE)

# Where the splitter takes an abbreviation for the end of a sentence, and what then follows.
_COUNTED = re.compile(r"\b(?:ca|max|min|est|ext|no|nos|vol)\.$", re.IGNORECASE)
_UNFINISHED = re.compile(r"\b(?:approx|incl|excl|tel|acct)\.$", re.IGNORECASE)
_ABBREVIATION = re.compile(rf"(?:\b(?:[A-Z][a-z]{{1,3}}|dept|vs|etc|[ap]\.m)\.$|{_COUNTED.pattern})")
_ZONED = re.compile(r"[ap]\.m\.$", re.IGNORECASE)
_ZONE = re.compile(r"(?:UTC|GMT|IST|BST|CES?T|EE[SD]?T|[ECMP][SD]T|JST|AES?T|SGT|HKT|WIB)\b")
_STOPS = (".", "!", "?", "…", "。", "！", "？")
_MARKS = " \t\n*_(),;"
_END_MARKS = " \t\n\"'”’»*_)`~"

# Sentences that speak to the reader and state nothing about the documents.
_COURTESY = re.compile(
    r"(?:yes|no|sure|of course|certainly|absolutely|hello|hi|hi there|good (?:morning|afternoon|evening|day|question)"
    r"|ok|okay|great question|you'?re welcome|have a (?:nice|good|great|lovely|wonderful) \w+|happy \w+ing"
    r"|(?:thanks|thank you)(?: (?:so|very) much)?(?: for (?:asking|reaching out|contacting us|(?:your|the) \w+))?"
    r"|sorry(?: (?:for|about) (?:that|(?:the|any) (?:confusion|inconvenience|delay|trouble|mistake)))?"
    r"|(?:i )?hope (?:this|that|it) helps|(?:i(?:'m| am|'d be| would be) )?(?:happy|glad) to (?:help|assist)\b.*"
    r"|(?:please )?let me know\b.*|(?:please )?feel free to ask\b.*"
    r"|(?:please )?(?:don'?t|do not) hesitate to ask\b.*)"
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence that states something."""

    text: str  # as written, markers included
    claim: str  # the same without citations, code, list number and footnote marks
    citations: tuple[Citation, ...]  # in it, directly after it, or in the line that leads in its list


@dataclass(slots=True)
class _Part:
    """One sentence of one block: a paragraph, list item, table row or heading."""

    start: int
    end: int
    block: int
    kind: str  # "text", "item", "row" or "heading"
    citations: list[Citation] = field(default_factory=list)


def statements(text: str, hits: Sequence[Hit], style: Style | str) -> list[Statement]:
    """The statements of a reply, in order.

    No statements are headings (`#`, underlined, a bold line, the head of a table), bold labels, code, pure questions,
    courtesies, and a line that ends in a colon and leads in what follows; its citations count for every item of that
    list. A table row is one statement. A citation before or directly after the full stop belongs to the sentence; one
    in a line of its own to the sentence before it.

    >>> found = statements("## Hours\\n\\n1. Opens at 8. [1]\\n2. Is it free? Ask `--help` first.", [], "numbered")
    >>> [(each.claim, len(each.citations)) for each in found]
    [('Opens at 8.', 1), ('Ask first.', 0)]
    """
    code = code_spans(text)
    markers = [(each.start, each.end) for each in parse_citations(text, hits)]
    quote_marks = [each.span() for each in _QUOTE_MARKS.finditer(text)]
    unquoted = _filled(_filled(text, code, "x"), quote_marks, " ")
    unquoted = _filled(unquoted, _inline_numbers(unquoted), " ")
    # For the splitter a marker is a number in brackets and inline code a word: their dots end no sentence.
    parts = list(_parts(_filled(unquoted, markers, "0")))
    masked = _filled(_filled(unquoted, markers, " "), code, " ")
    _assign(parts, parse_citations(text, hits, style), masked)
    found: list[Statement] = []
    lead: list[Citation] = []
    for i, part in enumerate(parts):
        following = parts[i + 1].block if i + 1 < len(parts) else None
        claim = _claim(masked[part.start : part.end])
        if part.kind == "text":
            lead = []
        if following == part.block and _LABEL.fullmatch(text, part.start, part.end):
            continue
        if following not in (None, part.block) and claim.rstrip(_END_MARKS).endswith((":", "：")):
            lead = part.citations
        elif part.kind != "heading" and _WORD.search(claim) and not _states_nothing(claim):
            found.append(Statement(text[part.start : part.end].strip(), claim, (*part.citations, *lead)))
    return found


def is_courtesy(sentence: str) -> bool:
    """Whether a sentence only speaks to the reader, and says nothing about the documents.

    >>> is_courtesy("I hope this helps!"), is_courtesy("This helps members.")
    (True, False)
    """
    return bool(_COURTESY.fullmatch(fold(sentence).replace("’", "'").strip(" .!,*_")))


def _states_nothing(claim: str) -> bool:
    bare = claim.rstrip(_END_MARKS)
    return bare.rstrip("!").endswith(("?", "？", "؟")) or is_courtesy(bare)


def _claim(masked: str) -> str:
    """The words of a sentence, without what only numbers or marks it."""
    bare = _LAST_ENUMERATOR.sub(" ", _FOOTNOTE.sub(" ", masked))
    if _FIRST_ENUMERATOR.search(bare) or len(_ENUMERATOR.findall(bare)) > 1:
        bare = _ENUMERATOR.sub(" ", bare)
    return _ORPHAN_STOP.sub("", " ".join(bare.split()))


def _inline_numbers(text: str) -> list[tuple[int, int]]:
    """Spans of what counts the items of a list in running text, or in lines of its own without being Markdown.

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


def _filled(text: str, spans: Sequence[tuple[int, int]], filler: str) -> str:
    """The text with spans filled; offsets stay, and a marker keeps its brackets, a fence its line breaks."""
    pieces, done = [], 0
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


def _parts(shape: str) -> Iterator[_Part]:
    for number, (start, end, kind) in enumerate(_blocks(shape)):
        line = shape[start:end].replace("\n", " ")
        for left, right in [(0, len(line.rstrip()))] if kind == "row" else _whole(line):
            if not _NUMBERING.fullmatch(shape, start + left, start + right):
                yield _Part(start + left, start + right, number, kind)


def _whole(line: str) -> list[tuple[int, int]]:
    """The sentences of a block, with those joined that an abbreviation has cut: `7 p.m. IST`, `on Sat. and Sun.`"""
    spans: list[tuple[int, int]] = []
    for start, end in sentences(line):
        before = line[max(0, spans[-1][1] - 12) : spans[-1][1]] if spans else ""
        if before and (
            (_ABBREVIATION.search(before) and line[start].islower())
            or (_COUNTED.search(before) and (line[start].isdigit() or line[start] in SIGNS))
            or _UNFINISHED.search(before)
            or (_ZONED.search(before) and _ZONE.match(line, start))
        ):
            start = spans.pop()[0]
        spans.append((start, end))
    return spans


def _blocks(shape: str) -> list[tuple[int, int, str]]:
    """Spans of the paragraphs, list items, table rows and headings, with their kind."""
    blocks: list[tuple[int, int, str]] = []
    position, is_open = 0, False  # whether the next line may continue the last block
    for line in shape.splitlines(keepends=True):
        start, end = position, position + len(line)
        position = end
        if not line.strip():
            is_open = False
        elif _LINE.fullmatch(line):
            if is_open and _may_be_heading(shape, blocks[-1]):
                blocks[-1] = (*blocks[-1][:2], "heading")
            is_open = False
        elif _HEADING.fullmatch(line.rstrip()):
            blocks.append((start, end, "heading"))
            is_open = False
        elif _ROW.fullmatch(line):
            if _RULE.fullmatch(line) and blocks:
                blocks[-1] = (*blocks[-1][:2], "heading")
            else:
                blocks.append((start, end, "row"))
            is_open = False
        elif item := _ITEM.match(line):
            blocks.append((start + item.end(), end, "item"))
            is_open = True
        elif is_open:
            blocks[-1] = (blocks[-1][0], end, blocks[-1][2])
        else:
            blocks.append((start, end, "text"))
            is_open = True
    return blocks


def _may_be_heading(shape: str, block: tuple[int, int, str]) -> bool:
    line = shape[block[0] : block[1]].strip()
    return block[2] == "text" and "\n" not in line and not line.endswith((".", "!", "?", "]"))


def _assign(parts: list[_Part], citations: Sequence[Citation], masked: str) -> None:
    """Give each citation to its sentence. Sentences that are nothing but markers go to the one before, and away."""
    waiting = list(reversed(citations))
    for part in parts:
        while waiting and waiting[-1].start < part.end:
            part.citations.append(waiting.pop())
    kept: list[_Part] = []
    for part in parts:
        points = _only_points(masked[part.start : part.end])
        if points and part.citations and len(kept) > 1 and _only_points(masked[kept[-1].start : kept[-1].end]):
            kept.pop()  # `Sources:` on a line above them
        belongs = kept and kept[-1].kind != "heading" and (part.citations or kept[-1].block == part.block)
        if belongs and points:
            kept[-1].citations += part.citations
            kept[-1].end = part.end
        else:
            kept.append(part)
    parts[:] = kept
    for before, part in zip(parts, parts[1:], strict=False):
        if before.block != part.block:
            continue
        if not before.citations or masked[part.start] in ",;":
            _take_leading(before, part, masked)
        elif not part.citations:
            _share_trailing(before, part, masked)


def _only_points(masked: str) -> bool:
    return not _WORD.search(_POINTER.sub("", masked))


def _take_leading(before: _Part, part: _Part, masked: str) -> None:
    """`Opens at 8. **[1]** Closes at 9 [2].`: the first marker closes the first sentence."""
    words = part.end - len(masked[part.start : part.end].lstrip(_MARKS))
    leading = [each for each in part.citations if each.end <= words]
    if leading:
        before.citations += leading
        before.end = part.start = words
        part.citations = part.citations[len(leading) :]


def _share_trailing(before: _Part, part: _Part, masked: str) -> None:
    """`[1] Opens at 8. [2] Closes at 9.`: a marker between two sentences may stand for either."""
    words = masked[before.start : before.end].rstrip()
    trailing = [each for each in before.citations if each.start >= before.start + len(words)]
    if words.endswith(_STOPS) and len(trailing) < len(before.citations):
        part.citations += trailing
