"""Citations: the markers in a reply that say which passage a sentence rests on.

Two grammars: passage numbers (`[1]`, `[1, 3]`, `[2-4]`) and chunk ids (`[notes.md#2]`). A style that cites by id reads
ids alone, any other style both. Everything here runs in time linear in the text.
"""

import difflib
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Protocol

from raglab.records import Citation, Hit
from raglab.styles import NUMBERED, Style, find_style
from raglab.text.markdown import code_spans
from raglab.text.words import fold, squash

_CLOSERS = {"[": "]", "【": "】", "［": "］", "〔": "〕"}
_OPENER = re.compile(r"(?<!\\)[\[【［〔]")
_BODY = re.compile(r"[^\[\]【】［］〔〕]++")
_DASHES = str.maketrans("‐‑‒–—―−～〜", "-------~~")
_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_SEPARATOR = re.compile(r"\s*[,;，；、]\s*(?:(?:and\b|or\b|&)\s*)?|(?<=\d)\s*(?:&|\+|\b(?:and|or)\b)\s*", re.IGNORECASE)
_BETWEEN_NUMBERS = re.compile(rf"{_SEPARATOR.pattern}|(?<=\d)\s(?:(?:und|et|y)\s)?(?=\d)", re.IGNORECASE)
_NAMING = (
    r"(?:(?:see|cf|sources?|passages?|excerpts?|chunks?|context|entry|entries|documents?|docs?|refs?|references?|citations?"
    r"|ids?|nos?|numbers?)(?![^\W_])[\s.:#=_]*+|#)"
)
_PREFIX = re.compile(rf"{_NAMING}+", re.IGNORECASE)
_TO = r"\s?(?:--?|~|\.\.+|to|through|thru)\s?"
_NUMBERS = re.compile(rf"{_NAMING}*(-?\d+)(?:{_TO}(\d+))?(?:†.*)?", re.IGNORECASE)
_CHAIN = re.compile(rf"[1-9]\d{{,2}}(?:{_TO}[1-9]\d{{,2}}){{2,}}", re.IGNORECASE)  # a group to some, to others a date
_WRAPPING = " \"'“”`*"

# What looks like an id: `name#3`, `#3`, or the name of a document, with an anchor or alone.
_ANCHORED = re.compile(r"(?:[^\s#][^#]*(?<!\s))?#\d+(?:\.\d+)*")
_FILE = re.compile(r"(?:[^#]+{0}#.+|[^\s#]+{0})".format(r"\.(?:md|markdown|txt|rst|html?|pdf|docx?)"), re.IGNORECASE)
_NUMBER_LIKE_ID = re.compile(r"#?\d+(?:-\d+)?")  # where passages are numbered, [2-3] is a range
_GAP_AT_HASH = re.compile(r"\s*#\s*")
_LONGEST_ID = 300  # code points; a longer bracket is prose

# The target of an inline link, up to its closing parenthesis, and a reference definition such as `[1]: https://…`.
_LINK = re.compile(
    r"""\(\s*+(?:<[^<>\n]*+>|[^\s()<][^\s()]*+(?:\([^\s()]*+\)[^\s()]*+)*+)?(?:\s++(?:"[^"]*+"|'[^']*+'))?\s*+\)"""
)
_DEFINITION = re.compile(
    r"^[ ]{0,3}(\[[^\[\]\n]{1,100}\]):[ \t]*<?(?:[a-z][a-z0-9+.-]*:|\.{0,2}/|#|www\.)", re.MULTILINE | re.IGNORECASE
)

_INTEGER = re.compile(r"-?\d{1,18}")


class Labelled(Protocol):
    """What `label_citations` needs of a source; `records.Source` has it."""

    @property
    def n(self) -> int: ...
    @property
    def id(self) -> str: ...
    @property
    def label(self) -> str: ...


def parse_citations(text: str, hits: Sequence[Hit], style: Style | str = NUMBERED) -> list[Citation]:
    """The citations in `text`, in order, with offsets in code points.

    BRACKETED, TAGGED and other styles that cite by id read ids alone; all others read numbers and ids, and take an id
    that is nothing but a number (`7`, `#7`, `2-3`) for a passage number. Numbers may be in lists and ranges, in
    ASCII, CJK or full-width brackets and digits, doubled (`[[2]]`), after a word such as "source", and as `[1]-[3]`; a
    chain (`[1-2-3]`) may be a list or a range, and is bad. Known ids are matched first, so they may hold spaces, commas
    and brackets. A bracket that looks like an id (`name#3`, `notes.md`) but is not one is a citation with something
    `bad`; any other bracket (`[x]`, `[see below]`) is text. So are code in fences and backticks (an indented line is
    not code: replies indent lists), `[1](url)`, `[^1]`, `(1)`, `\\[1]`, and reference definitions. Raises
    `SettingError` for an unknown style.

    >>> from raglab.records import Hit
    >>> hits = [Hit.of("fees.md#0", "It costs 10."), Hit.of("visits.md#2", "Open daily.")]
    >>> [(c.refs, c.bad) for c in parse_citations("It is 10 [1, 7], daily [visits.md#2].", hits)]
    [((1,), ('7',)), (('visits.md#2',), ())]
    """
    ids = tuple(hit.chunk.id for hit in hits)
    if find_style(style).citation == "id":
        return list(_parsed(text, None, ids))
    return list(_parsed(text, len(hits), tuple(id for id in ids if not _NUMBER_LIKE_ID.fullmatch(id))))


def invalid_citations(text: str, hits: Sequence[Hit], style: Style | str = NUMBERED) -> list[int | str]:
    """Everything bad in any marker, in order: numbers as int, unknown ids and reversed ranges as text.

    Raises `SettingError` for an unknown style.

    >>> invalid_citations("Rooms open at 8 [0, 2], [3-1].", [])
    [0, 2, '[3-1]']
    """
    bad = [each for citation in parse_citations(text, hits, style) for each in citation.bad]
    return [int(each) if _INTEGER.fullmatch(each) else each for each in bad]


def cited_numbers(citations: Iterable[Citation], hits: Sequence[Hit]) -> list[int]:
    """The numbers (from 1) of the passages cited, whatever the grammar, each once, in order of first citation.

    >>> from raglab.records import Hit
    >>> hits = [Hit.of("a.md#0", "A"), Hit.of("b.md#0", "B")]
    >>> cited_numbers(parse_citations("So [b.md#0]. And [1, 2].", hits), hits)
    [2, 1]
    """
    numbers = {hit.chunk.id: n for n, hit in enumerate(hits, start=1)}
    refs = (ref for citation in citations for ref in citation.refs)
    return list(dict.fromkeys(numbers[ref] if isinstance(ref, str) else ref for ref in refs))


def cited_passages(text: str, hits: Sequence[Hit], style: Style | str = NUMBERED) -> list[int]:
    """The numbers (from 1) of the passages that a reply cites, in order of first citation.

    Raises `SettingError` for an unknown style.

    >>> from raglab.records import Hit
    >>> cited_passages("So [b.md#0]. And [1].", [Hit.of("a.md#0", "A"), Hit.of("b.md#0", "B")])
    [2, 1]
    """
    return cited_numbers(parse_citations(text, hits, style), hits)


def without_citations(text: str, hits: Sequence[Hit] = ()) -> str:
    """The text without its citations, in either grammar, and without the blanks before them.

    `hits` tell the ids that do not look like one.

    >>> without_citations("It is 10 [1], daily [visits.md#2].")
    'It is 10, daily.'
    """
    pieces, done = [], 0
    for citation in parse_citations(text, hits):
        pieces.append(text[done : citation.start].rstrip(" "))
        done = citation.end
    return "".join((*pieces, text[done:]))


def label_citations(text: str, sources: Sequence[Labelled]) -> str:
    """The text with every citation replaced by labels that a person can read; invalid ones stay as they are.

    >>> from raglab.records import Source
    >>> label_citations("It is 10 [1]. Or 20 [7].", [Source(1, "fees.md#0", "fees.md", "Fees", 0.9, True)])
    'It is 10 [fees.md > Fees]. Or 20 [7].'
    """
    labels: dict[int | str, str] = {}
    for source in sources:
        labels[source.n] = labels[source.id] = source.label
    known = _Known(max((source.n for source in sources), default=0), [source.id for source in sources])
    pieces, done = [], 0
    for citation in _parse(text, known):
        if any(ref in labels for ref in citation.refs):
            names = dict.fromkeys(labels.get(ref, str(ref)) for ref in citation.refs)
            pieces += [text[done : citation.start], "[", "; ".join((*names, *citation.bad)), "]"]
            done = citation.end
    return "".join((*pieces, text[done:]))


class _Known:
    """What a marker may name: `ids`, and numbers up to `count`; None: no numbers."""

    def __init__(self, count: int | None, ids: Sequence[str]) -> None:
        self.count = count
        # A file name typed on one system and listed on another may differ in Unicode form alone.
        self.ids = {unicodedata.normalize(form, id): id for form in ("NFD", "NFC") for id in ids}
        self.ids |= {id: id for id in ids}
        self.longest_first = sorted(self.ids, key=len, reverse=True)
        self.documents = {id.rpartition("#")[0] for id in self.ids} - {""}
        self.nearest = cache(self._nearest)

    def marker_at(self, text: str, start: int) -> Citation | None:
        """The marker that opens at `start`, if there is one."""
        if marker := self._id_list(text, start):
            return marker
        body = _BODY.match(text, start + 1)
        if body is None or text[body.end() : body.end() + 1] != _CLOSERS[text[start]]:
            return None
        marker = text[start : body.end() + 1]
        inside = body[0].translate(_UNSEEN)
        if numbers := self.read_numbers(inside):
            return _citation(marker, start, *numbers)
        return self._read_ids(squash(inside), marker, start)

    def _id_list(self, text: str, start: int) -> Citation | None:
        """A bracket that holds known ids and nothing else."""
        refs: list[int | str] = []
        position = _after_blanks(text, start + 1)
        while written := next((id for id in self.longest_first if text.startswith(id, position)), None):
            refs.append(self.ids[written])
            position = _after_blanks(text, position + len(written))
            if text.startswith(_CLOSERS[text[start]], position):
                return _citation(text[start : position + 1], start, refs, [])
            if separator := _SEPARATOR.match(text, position):
                position = _after_blanks(text, separator.end())
            elif not text[position - 1].isspace():
                break
        return None

    def read_numbers(self, body: str) -> tuple[list[int | str], list[str] | None] | None:
        """Numbers in and out of range, when the body is nothing but numbers; None for the latter: it runs backwards."""
        if self.count is None:
            return None
        refs: list[int | str] = []
        bad: list[str] = []
        plain = squash(unicodedata.normalize("NFKC", body).translate(_DASHES)).strip(_WRAPPING)
        for item in _BETWEEN_NUMBERS.split(plain):
            if number := _NUMBERS.fullmatch(item):
                first, last = number[1], number[2] or number[1]
                if _int(first) > _int(last):
                    return [], None
                inside, outside = self._count_off(first, last)
                refs += inside
                bad += outside
            elif _CHAIN.fullmatch(item):
                bad.append(item)
            elif item or not (refs or bad):  # an empty item after a number is a trailing comma
                return None
        return refs, bad

    def _count_off(self, first: str, last: str) -> tuple[range, list[str]]:
        """The known numbers from `first` to `last`, and those outside; never longer than the passages."""
        low, high, count = _int(first), _int(last), self.count or 0
        inside = range(max(low, 1), min(high, count) + 1)
        outside = [(low, 0), (count + 1, high)] if inside else [(low, high)]
        return inside, [(first if a == low else str(a)) if a == b else f"{a}-{b}" for a, b in outside if a <= b]

    def _read_ids(self, body: str, marker: str, start: int) -> Citation | None:
        """A bracket in which at least one item is an id or looks like one."""
        refs: list[int | str] = []
        bad: list[str] = []
        unknown: list[str] = []
        for item in filter(None, (part.strip(_WRAPPING) for part in _SEPARATOR.split(body))):
            bare = unicodedata.normalize("NFC", item)
            named = _PREFIX.sub("", bare, count=1).strip(_WRAPPING)
            if id := self.ids.get(bare) or self.ids.get(named):
                refs.append(id)
            elif numbers := self.read_numbers(item):
                refs += numbers[0]
                bad += [item] if numbers[1] is None else numbers[1]
            else:
                bad.append(item)
                unknown += [each for each in (bare, named) if self._looks_like_id(each)]
        if not unknown and not any(isinstance(ref, str) for ref in refs):
            return None
        return _citation(marker, start, refs, bad, self.nearest(unknown[0]) if unknown else None)

    def _looks_like_id(self, item: str) -> bool:
        if len(item) > _LONGEST_ID or item.startswith("^") or "://" in item:
            return False
        if item in self.documents or _GAP_AT_HASH.sub("#", item) in self.ids:
            return True
        folded = unicodedata.normalize("NFKC", item)
        return bool(_ANCHORED.fullmatch(folded) or _FILE.fullmatch(folded))

    def _nearest(self, unknown: str) -> str | None:
        folded = {fold(written): id for written, id in self.ids.items()}
        near = difflib.get_close_matches(fold(unknown), folded, n=1, cutoff=0.5)
        return folded[near[0]] if near else None


def _citation(
    marker: str, start: int, refs: Sequence[int | str], bad: Sequence[str] | None, nearest: str | None = None
) -> Citation:
    """Each reference once; `bad` None: the whole marker is."""
    bad = (marker,) if bad is None else tuple(dict.fromkeys(bad))
    return Citation(marker, start, start + len(marker), tuple(dict.fromkeys(refs)), bad, nearest)


def _after_blanks(text: str, position: int) -> int:
    while text[position : position + 1].isspace():
        position += 1
    return position


@lru_cache(maxsize=16)  # several checks read the same reply
def _parsed(text: str, count: int | None, ids: tuple[str, ...]) -> tuple[Citation, ...]:
    return tuple(_parse(text, _Known(count, ids)))


def _parse(text: str, known: _Known) -> list[Citation]:
    """The markers of the text, without those that are links or define one."""
    definitions = {match.start(1): match[1] for match in _DEFINITION.finditer(text)} if "]:" in text else {}
    defined = set(definitions.values())
    found: list[Citation] = []
    done = 0  # the end of the last marker, and of its link if it is one
    for start in _openers(text):
        if start < done or start in definitions:
            continue
        marker = known.marker_at(text, start)
        if marker is None:
            continue
        citation = _with_outer_brackets(marker, text, done)
        link = _LINK.match(text, citation.end)
        follows_link_text = start > done and text[start - 1] == "]"
        if not link and not (follows_link_text and marker.marker in defined):
            found.append(citation)
        done = link.end() if link else citation.end
    return _joined_ranges(text, found, known)


def _openers(text: str) -> Iterator[int]:
    """Where a bracket opens that is neither escaped nor in code."""
    openers = [opener.start() for opener in _OPENER.finditer(text)]
    code = code_spans(text) if openers else []
    ends = [end for _, end in code]
    for opener in openers:
        nearest = bisect_right(ends, opener)  # the first span of code that ends after it
        if nearest == len(code) or opener < code[nearest][0]:
            yield opener


def _with_outer_brackets(citation: Citation, text: str, done: int) -> Citation:
    """`[[2]]` is one marker, not `[2]` in brackets."""
    start, end = citation.start, citation.end
    while start > done and end < len(text) and _CLOSERS.get(text[start - 1]) == text[end]:
        start, end = start - 1, end + 1
    if start == citation.start:
        return citation
    bad = None if citation.bad == (citation.marker,) else citation.bad
    return _citation(text[start:end], start, citation.refs, bad, citation.nearest)


def _joined_ranges(text: str, found: list[Citation], known: _Known) -> list[Citation]:
    """`[1]-[3]`, the range of technical papers, as one marker."""
    joined: list[Citation] = []
    for citation in found:
        before = joined[-1] if joined else None
        if before and citation.start == before.end + 1 and text[before.end].translate(_DASHES) == "-":
            first, last = _single_number(before), _single_number(citation)
            if first and last and (numbers := known.read_numbers(f"{first}-{last}")):
                joined[-1] = _citation(text[before.start : citation.end], before.start, *numbers)
                continue
        joined.append(citation)
    return joined


def _single_number(citation: Citation) -> str | None:
    named = [str(each) for each in (*citation.refs, *citation.bad)]
    return named[0] if len(named) == 1 and named[0].isdecimal() else None


def _int(digits: str) -> int:
    """The number, capped: Python refuses to read one of more than 4300 digits."""
    return int(digits) if len(digits) < 19 else 10**18
