"""Quotes: words in quotation marks, and whether they stand where they are said to stand.

reply → quotations → words, omissions, insertions → passage, letter by letter
"""

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from raglab.grounding.citations import cited_numbers, parse_citations
from raglab.grounding.statements import Statement
from raglab.records import Chunk, Citation, Hit, Problem
from raglab.styles import Style
from raglab.text.markdown import code_spans
from raglab.text.words import shorten


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words in quotation marks, inside code points `start` to `end` (exclusive) of a reply, marks included."""

    start: int
    end: int
    words: str
    longer: tuple[int, ...] = ()  # where else it may end, if that mark closed nothing: `"a 15" screen"`


def wrong_quotes(
    text: str, hits: Sequence[Hit], question: str, style: Style, statements: Callable[[], Iterable[Statement]]
) -> Iterator[Problem]:
    """A problem `quote-not-in-source` for each quotation that is not in the passages which its statement cites.

    Without a citation any passage will do, and always the question, the style's refusal, and the headings, titles and
    files of all passages.
    Blanks, dashes, quotation marks, letter case, Markdown and a comma or stop at the end make no difference. `…` and
    `[…]` leave words out, but no "not" (`_NEGATION`). A bracket stands for up to five words, and not for a "not".

    >>> from raglab.grounding.statements import statements
    >>> from raglab.styles import NUMBERED
    >>> hits, text = [Hit.of("a.md#0", "Laptops may not be lent.")], 'It says "laptops may … be lent" [1].'
    >>> for problem in wrong_quotes(text, hits, "Lent?", NUMBERED, lambda: statements(text, hits, NUMBERED)):
    ...     print(problem.detail)
    The quote "laptops may … be lent" is not in passage 1.
    """
    found = [each for each in quotations(text) if is_quote(each.words)]
    if not found:
        return
    markers = [(each.start, each.end) for each in parse_citations(text, hits)]
    placed = _Placed(text, statements())
    common = [question, style.refusal, style.sentinel, *(name for hit in hits for name in _names(hit.chunk))]
    passages = {number: [hit.chunk.text] for number, hit in enumerate(hits, 1)}
    done = 0
    for quotation in found:
        if quotation.start < done:
            continue
        where, citations = placed.over(quotation)
        cited = cited_numbers(citations, hits) or list(passages)
        sources = [*common, *(piece for number in cited for piece in passages[number])]
        for end in (quotation.end, *quotation.longer):
            bare = _without_markers(text, quotation.start + 1, end - 1, markers)
            if any(stands_in(bare, source) for source in sources):
                done = end
                break
        else:
            done = quotation.end
            shown = shorten(quotation.words, 100)
            detail = f'The quote "{shown}" is not in {_named(citations, cited, hits)}'
            others = [number for number in passages if number not in cited]
            elsewhere = next((n for n in others if any(stands_in(quotation.words, each) for each in passages[n])), None)
            detail += f"; passage {elsewhere} has it." if elsewhere else "."
            yield Problem("quote-not-in-source", where or quotation.words, detail)


def _names(chunk: Chunk) -> list[str]:
    return [chunk.heading, chunk.source, *(str(value) for value in chunk.meta.values())]


def _named(citations: Sequence[Citation], cited: Sequence[int], hits: Sequence[Hit]) -> str:
    if not cited_numbers(citations, hits):
        return "any passage"
    return ("passage " if len(cited) == 1 else "passages ") + " and ".join(map(str, cited))


def _without_markers(text: str, start: int, end: int, markers: Sequence[tuple[int, int]]) -> str:
    """A piece of the text without the citations in it."""
    pieces, done = [], start
    for left, right in markers[bisect_right(markers, (start, 0)) :]:
        if right > end:
            break
        pieces.append(text[done:left])
        done = right
    return "".join((*pieces, text[done:end]))


class _Placed:
    """The statements of a reply with their places in it."""

    def __init__(self, text: str, statements: Iterable[Statement]) -> None:
        self._spans: list[tuple[int, int, Statement]] = []
        done = 0
        for statement in statements:
            start = text.find(statement.text, done)
            if start >= 0:
                done = start + 1
                self._spans.append((start, start + len(statement.text), statement))

    def over(self, quotation: Quotation) -> tuple[str, list[Citation]]:
        """The text of the statements that a quotation is part of, and their citations."""
        first = max(0, bisect_right(self._spans, quotation.start, key=lambda span: span[0]) - 1)
        touched: list[Statement] = []
        for start, end, statement in self._spans[first:]:
            if start >= quotation.end:
                break
            if end > quotation.start:
                touched.append(statement)
        return " ".join(each.text for each in touched), [each for one in touched for each in one.citations]


# --- what is a quotation ---------------------------------------------------------------------------------------------

_UNBROKEN = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
_UNBROKEN_LETTER = re.compile(f"[{_UNBROKEN}]")
_CLOSES = {"“": "”", "„": "“”", "‟": "”", "«": "»", "»": "«", "‹": "›", "›": "‹", "「": "」", "『": "』"}
_MARKS = re.compile(r'[“”„‟«»‹›「」『』"＂]')
_SINGLE = re.compile(r"['‘’‚‛]")
_BLOCK_END = re.compile(r"\n[ \t]*(?=\n|[-*+•]\s|\d{1,3}[.)]\s|\||#{1,6}\s|>)|\n(?=[ \t]*\n)|(?<=\|)(?=\s)")
_HIDDEN = re.compile(r"\]\([^()\n]{0,2000}+\)|<[/a-zA-Z!][^<>\n]{0,500}+>")  # targets and tags have marks of their own
_NO_OPENING = re.compile(r"'(?:\d|tis\b|twas\b|em\b|til\b|cause\b|n'|n\b|s\b|round\b)", re.IGNORECASE)
_STRAIGHT = '"＂'
_TRIES = 4  # closing marks tried for one opening one
_LONGEST_SINGLE = 2_000  # characters between two single marks: further apart, they are apostrophes


def quotations(text: str) -> list[Quotation]:
    """The outermost words in quotation marks, in order, of whatever length; marks in code and link targets are none.

    A quotation ends with its paragraph, list item or table cell. A `"` after a digit or letter opens nothing (15", 5'),
    and an apostrophe is no mark: single marks need blanks or punctuation around them and at least four words inside.

    >>> [each.words for each in quotations('A 15" screen is "bright", „sehr hell“ and «très clair».')]
    ['bright', 'sehr hell', 'très clair']
    """
    found = [each for marks in (_MARKS, _SINGLE) for each in _paired(text, marks)]
    outermost: list[Quotation] = []
    for quotation in sorted(found, key=lambda each: (each.start, -each.end)):
        if not outermost or quotation.start >= outermost[-1].end:
            outermost.append(quotation)
    return outermost


def _paired(text: str, marks: re.Pattern[str]) -> Iterator[Quotation]:
    if not marks.search(text):
        return
    hidden = sorted([*code_spans(text), *(each.span() for each in _HIDDEN.finditer(text))])
    starts = [start for start, _ in hidden]
    ends = [each.start() for each in _BLOCK_END.finditer(text)]
    pair = _pair_single if marks is _SINGLE else _pair_double
    block: list[int] = []
    current = 0
    for mark in marks.finditer(text):
        place = mark.start()
        before = bisect_right(starts, place) - 1
        if before >= 0 and place < hidden[before][1]:
            continue
        number = bisect_right(ends, place)
        if number != current:
            yield from pair(text, block)
            block, current = [], number
        block.append(place)
    yield from pair(text, block)


def _pair_double(text: str, places: Sequence[int]) -> Iterator[Quotation]:
    """The outermost pairs of marks of one block."""
    opened: list[int] = []  # indices into places
    pairs: list[tuple[int, int]] = []
    for number, place in enumerate(places):
        partner = next((each for each in opened[: -_TRIES - 1 : -1] if _closes(text, places[each], place)), None)
        if partner is not None:
            while opened.pop() != partner:
                pass
            pairs.append((partner, number))
        elif _may_open(text, place):
            opened.append(number)
    done = -1
    for first, last in sorted(pairs):
        if first > done:
            done, start = last, places[first]
            longer: list[int] = []
            for place in places[last + 1 : last + _TRIES] if text[start] in _STRAIGHT else ():
                if text[place] not in _STRAIGHT:
                    break
                longer.append(place + 1)
            yield Quotation(start, places[last] + 1, text[start + 1 : places[last]], tuple(longer))


def _may_open(text: str, place: int) -> bool:
    mark, before, after = text[place], text[place - 1 : place] if place else "", text[place + 1 : place + 2]
    if mark in "「『„‟":
        return True
    if mark in "」』" or not after or (after.isspace() and mark not in "«‹"):
        return False
    if mark == "”":
        return not before.strip() and after.isalnum()  # as in Swedish
    return not before.isalnum() or _is_unbroken(before)


def _closes(text: str, opened: int, place: int) -> bool:
    opening, mark = text[opened], text[place]
    if mark in _STRAIGHT:
        glued = text[place - 1].isspace() or text[place + 1 : place + 2].isalnum()
        return (
            place > opened + 1
            and (opening in _STRAIGHT or opening in "“„‟”")
            and not (glued and _may_open(text, place))
        )
    return mark in _CLOSES.get(opening, "”")


def _pair_single(text: str, places: Sequence[int]) -> Iterator[Quotation]:
    closing = [number for number, place in enumerate(places) if _closes_single(text, place)]
    done = 0
    for place in places:
        if place < done or not _opens_single(text, place):
            continue
        first = bisect_right(closing, place, key=lambda number: places[number])
        ends = [places[number] for number in closing[first : first + _TRIES]]
        sure = next(
            (each for each in ends if text[each - 1] not in "sz" or not text[each + 1 : each + 2].isspace()), None
        )
        if sure is None or sure - place > _LONGEST_SINGLE:
            continue
        if len(text[place + 1 : sure].split()) >= _LEAST_WORDS:
            done = sure + 1
            longer = tuple(each + 1 for each in ends if each != sure and each - place <= _LONGEST_SINGLE)
            yield Quotation(place, done, text[place + 1 : sure], longer)


def _opens_single(text: str, place: int) -> bool:
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    free = not before or before.isspace() or before in '([{—–-:*_"“„'
    return text[place] != "’" and free and (after.isalnum() or after in '[…“"*') and not _NO_OPENING.match(text, place)


def _closes_single(text: str, place: int) -> bool:
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    return text[place] != "‚" and bool(before.strip()) and not after.isalnum()


_LEAST_WORDS = 4
_VERBS = frozenset(
    "is are was were be am isn't aren't has have had do does did don't doesn't can can't cannot could may might must"
    " mustn't shall should will won't would costs cost opens open closes close ist sind war wird werden kann darf muss"
    " soll hat haben kostet est sont était peut doit es son está puede debe".split()
)
_SMALL = frozenset(
    "a an the of and or nor but in on at to for by with from as is vs via into over than de la le les des du del der"
    " die das den dem und von zu im am für mit et à en y el los".split()
)
_CODE = re.compile(
    r"(?<!\S)--?[A-Za-z][\w-]*(?=[\s=]|$)|\w\(\)|\w_\w|[={}]|\\\w|<[/\w]|\$[A-Za-z_({]|://|;$"
    r"|(?<!\S)[~.]{0,2}/\w+/|\w\.(?:md|markdown|txt|rst|html?|pdf|py|js|json|ya?ml|toml|csv)\b"
)
_MENU = re.compile(r"\s(?:>|→|›|»|/|\|)\s|→")
_WORD = re.compile(rf"[{_UNBROKEN}]|[^\W_{_UNBROKEN}][\w'’.,-]*")
_FINAL = " \t\n.,;:!?…。，、！？；：-–—*_`"


def is_quote(words: str) -> bool:
    """Whether words in quotation marks say something, and are no name, title, label or code.

    They do with four words or more, or with three and a verb (`_VERBS`); eight letters in a script without blanks. A
    title (`How to Join the Club`: each word capitalised but small ones), a path through menus (`Settings > Account`)
    and code (`pip install --user x`) do not. It errs towards silence: a false quote of three words without a verb
    passes.

    >>> [is_quote(words) for words in ("open daily", "Fees are low.", "The Lord of the Rings", "we open at noon")]
    [False, True, False, True]
    """
    found = _WORD.findall(re.sub(r"\[[^\[\]]{0,40}\]", " ", words))
    if any(_is_unbroken(word[0]) for word in found):
        return len(found) >= 2 * _LEAST_WORDS
    says = len(found) >= _LEAST_WORDS or (
        len(found) == 3 and any(word.lower().strip(".,-") in _VERBS for word in found)
    )
    return says and not _is_title(found, words) and not _MENU.search(words) and not _CODE.search(words)


def _is_title(found: Sequence[str], words: str) -> bool:
    if words.isupper() or (words.rstrip("*_ ").endswith((".", ";", ",")) and not words.rstrip().endswith("...")):
        return False
    return all(word[0].isupper() or word[0].isdigit() or word.lower().strip(".,-") in _SMALL for word in found) and any(
        word[0].isupper() for word in found
    )


# --- where it stands -------------------------------------------------------------------------------------------------

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|nowhere|nor|neither|without|cannot|except|unless|\w+n['’]t"
    r"|nicht|nie|niemals|ohne|kein\w*|außer|ne|pas|jamais|sans|aucune?|sauf|nunca|jamás|sin|ningun[oa]?|nada)\b"
    r"|[不没无未別别勿]|ない|ません",
    re.IGNORECASE,
)
_GAP = re.compile(r"[\[(（]\s*(?:…|\.\s?\.\s?\.)\s*[\])）]|…+|\.\s?\.\s?\.(?:\s?\.)*")
_INSERTION = re.compile(r"\[([^\[\]\n]{0,60})\]")
_SKIPPED = re.compile(
    r"\[\^?\d{1,3}\]|\]\([^()\s]{0,2000}+(?:\s\"[^\"\n]{0,200}+\")?\)|<[/a-zA-Z!][^<>\n]{0,300}+>|^[ \t]*(?:>[ \t]?)+"
    r"|^[ \t]*(?:[-*+•]|#{1,6})[ \t]|\[sic!?\]",
    re.MULTILINE | re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]\w{1,30});", re.IGNORECASE)
_DROPPED = frozenset("“”„‟«»‹›「」『』\"＂'‘’‚‛`´′″‐‑‒–—―−-*_~[]|\\#•\xad\u200b\u200c\u200d\u2060\ufeff")
_DASHES = frozenset("‐‑‒–—―−-")
_OCCURRENCES = 50  # of one piece in one source
_INSERTED = 5  # words that a bracket may stand for


@dataclass(frozen=True, slots=True)
class Letters:
    """A text without blanks, dashes, quotation marks and markup, with the place of each letter in the text."""

    text: str
    letters: str
    places: tuple[int, ...]
    starts: frozenset[int]  # letters before which a word, number or sign begins

    def find(self, piece: str) -> list[tuple[int, int]]:
        """Where the letters of a piece stand, from the beginning to the end of words."""
        found: list[tuple[int, int]] = []
        at = self.letters.find(piece)
        for _ in range(_OCCURRENCES):
            if at < 0:
                break
            end = at + len(piece)
            if at in self.starts and (end == len(self.letters) or end in self.starts):
                found.append((at, end))
            at = self.letters.find(piece, at + 1)
        return found

    def between(self, first: int, last: int) -> str:
        """The text as written between two of the letters."""
        left = self.places[first - 1] + 1 if first else 0
        return self.text[left : self.places[last] if last < len(self.places) else len(self.text)]


@lru_cache(maxsize=256)
def letters_of(text: str) -> Letters:
    """The letters of a passage or question, for `stands_in`; a blank stays between two numbers.

    >>> letters_of("**Wi-Fi** works\\nfrom 8 - 10.").letters
    'wifiworksfrom8-10.'
    """
    text = unicodedata.normalize("NFC", _ENTITY.sub(lambda found: html.unescape(found[0]), text))
    letters: list[str] = []
    places: list[int] = []
    starts: set[int] = set()
    gap, dash = True, False
    for begin, end in _kept(text):
        gap = gap or begin > 0
        for place in range(begin, end):
            letter = text[place]
            if letter.isspace() or letter in _DROPPED:
                # A mark inside a word (don't, snake_case) joins it; a blank and a dash end it.
                gap = gap or letter.isspace() or letter in _DASHES or letter in "[]|*"
                dash = dash or letter in _DASHES
                continue
            signed = (
                dash
                and letter.isdigit()
                and text[place - 1] in _DASHES
                and text[place - 2 : place - 1] in ("", " ", "(")
            )
            for folded in unicodedata.normalize("NFKC", letter).casefold():
                if gap or not folded.isalnum() or (letters and not letters[-1].isalnum()) or _is_unbroken(folded):
                    starts.add(len(letters))
                if folded.isdigit() and letters and gap and (letters[-1].isdigit() or signed):
                    letters.append("-" if dash else " ")
                    places.append(place)
                    starts.add(len(letters))
                letters.append(folded)
                places.append(place)
            gap = dash = False
    return Letters(text, "".join(letters), tuple(places), frozenset(starts))


def _is_unbroken(letter: str) -> bool:
    return letter > "\u0dff" and bool(_UNBROKEN_LETTER.match(letter))


def _kept(text: str) -> Iterator[tuple[int, int]]:
    done = 0
    for skipped in _SKIPPED.finditer(text):
        yield done, skipped.start()
        done = skipped.end()
    yield done, len(text)


def stands_in(words: str, source: str) -> bool:
    """Whether quoted words stand in a source, with what they leave out or insert.

    >>> source = "The club doesn't lend **laptops** to guests - members may borrow one."
    >>> [stands_in(words, source) for words in ("lend laptops to guests […] borrow one.", "[It] doesn't lend Laptops")]
    [True, True]
    >>> stands_in("The club … lend laptops", source)
    False
    """
    known = letters_of(source)
    plain = _piece(words)
    if not plain or known.find(plain):
        return True
    if not _GAP.search(words) and not _INSERTION.search(words):
        return False
    return _follow(known, list(_pieces(words)))


def _piece(words: str) -> str:
    return letters_of(words.strip(_FINAL + "\"'“”‘’„«»‹›() ")).letters


def _pieces(words: str) -> Iterator[tuple[str, int | None]]:
    """The pieces of a quotation, each with how many words may stand before it: none, some, or None for any number."""
    before: int | None = None
    done = 0
    for cut in sorted([*_GAP.finditer(words), *_INSERTION.finditer(words)], key=lambda each: each.start()):
        if cut.start() < done:
            continue
        inserted = cut.group(1) if cut.re is _INSERTION else None
        if inserted is not None and (_NEGATION.search(inserted) or any(map(str.isdigit, inserted))):
            continue  # these words are the editor's, but they would say what the source does not
        if piece := _piece(words[done : cut.start()]):
            yield piece, before
            before = 0
        before = None if inserted is None or before is None else before + _INSERTED
        done = cut.end()
    if piece := _piece(words[done:]):
        yield piece, before


def _follow(known: Letters, pieces: Sequence[tuple[str, int | None]]) -> bool:
    """Whether the pieces stand in the source one after the other, with no "not" in what lies between."""
    ends: list[int] | None = None
    for piece, room in pieces:
        reached = []
        for start, end in known.find(piece):
            if ends is None or _may_skip(known, ends, start, room):
                reached.append(end)
        if not reached:
            return False
        ends = sorted(reached)
    return True


def _may_skip(known: Letters, ends: Sequence[int], start: int, room: int | None) -> bool:
    before = bisect_right(ends, start) - 1
    if before < 0:
        return False
    skipped = known.between(ends[before], start)
    return not _NEGATION.search(skipped) and (room is None or len(skipped.split()) <= room)
