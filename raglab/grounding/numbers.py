"""Numbers in text, by value and unit: what a check compares between an answer and its passages.

A `Mention` is one place where a text names a number. It may have several readings: `21:00` is also 9 PM, and
`3/5/2024` is in March or in May. Each reading is one or more quantities: a date is a day and a year.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from raglab.grounding.units import (
    CLOCK,
    CURRENCY_CODES,
    MAGNITUDES,
    MONTH,
    MONTHS,
    NO_UNIT,
    PARTS,
    PREFIX,
    SCALES,
    SIGNS,
    SMALL,
    SUPPORTING,
    TENS,
    THING,
    VERSIONED,
    Unit,
    find_unit,
    unit_after,
)

Value = Decimal | str  # a str for what is compared as text: "v2.10", "9:30", "#h2o", "192.168.0.1"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value with its unit."""

    value: Value
    unit: Unit = NO_UNIT  # what it may be; empty: none is written, and that agrees with every unit
    raw: str = ""  # the digits as written, where the same digits may name a version elsewhere


@dataclass(frozen=True, slots=True)
class Mention:
    """One place where a text names a number."""

    text: str  # as written, with its unit; the whole range where the unit stands at the other end
    start: int  # code points in the plain text
    end: int
    readings: tuple[tuple[Quantity, ...], ...]  # any one of them may be meant
    claim: bool = True  # False for words such as "once" or "an hour", which support a claim and make none
    scale: Decimal = Decimal(1)  # of a word such as million, already in the value

    @property
    def unit(self) -> Unit:
        """The unit of its first reading."""
        return self.readings[0][0].unit


def mentions(text: str, commas: Sequence[bool] = ()) -> list[Mention]:
    """The numbers that `text` names, in order. `commas`: read `1,5` as a decimal (True), `1,500` as thousands (False).

    >>> [(each.text, str(each.readings[0][0].value)) for each in mentions("Twelve rooms cost $1.5M, v2.10 is free.")]
    [('Twelve rooms', '12'), ('$1.5M', '1500000.0'), ('v2.10', 'v2.10')]
    """
    text = plain(text)
    commas = commas or (has_decimal_commas(text),)
    found: list[Mention] = []
    position = 0
    while token := _TOKEN.search(text, position):
        position = token.end()
        if token.lastgroup != "address":
            readings = (reader(text, token.start(), commas) for reader in _READERS)
            if mention := next(filter(None, readings), None):
                found.append(mention)
                position = mention.end
    return _with_shared_units(text, found)


# ── Plain text ─────────────────────────────────────────────────────────────────────────────────────────────────────

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_SUPERSCRIPTS = re.compile("(?:(?<![A-Za-z])|(?<=[A-Za-z]{3}))[¹²³⁰⁴-⁹]+")  # a footnote mark or an exponent, but m²
_VULGAR = re.compile("(?<=[0-9])(?=[¼-¾⅐-⅞])")
_GROUPS = re.compile("(?<![\\d.,])\\d{1,3}(?:[\u00a0\u2007-\u2009\u202f]\\d{3})+(?!\\d)")
_DIGITS = re.compile(r"[^\W\D]")
_MARKS = str.maketrans("−‐‑—’‘٫٬٪º", "---–''.,%°")
_ISO_TIME = re.compile(r"(?<=\d)T(?=\d\d:)")
_EMPHASIS = re.compile(r"\*\*|(?<!\w)[*_]+|[*_]+(?!\w)|`|\\(?=[^\w\s])")
_WRAP = re.compile(r"[ \t]+\n?[ \t]*|\n[ \t]+")  # also an indented line; an empty line is no wrap


def plain(text: str) -> str:
    """The text with ASCII digits and marks, no emphasis and no indents; a group set off with a hard blank is closed.

    >>> plain("**１２** 000, ٣٫٥, 2½")
    '12 000, 3.5, 2 1⁄2'
    """
    if not text.isascii():
        text = _VULGAR.sub(" ", _SUPERSCRIPTS.sub("", _INVISIBLE.sub("", text)))
        text = _GROUPS.sub(lambda group: "".join(filter(str.isdecimal, group[0])), text)
        text = unicodedata.normalize("NFKC", text.translate(_MARKS)).translate(_MARKS)
        text = _DIGITS.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)
    return _WRAP.sub(" ", _ISO_TIME.sub(" ", _EMPHASIS.sub("", text)))


def squeezed(text: str) -> str:
    """A name without blanks, hyphens and letter case: `E-1234`, `E 1234` and `e1234` are one."""
    return re.sub(r"[\s_-]+", "", text).lower()


# ── Separators ─────────────────────────────────────────────────────────────────────────────────────────────────────

_ALONE = r"(?![\d.,]*\d)"
_DECIMAL_COMMA = re.compile(
    rf"(?<![\d.,])(?:\d{{1,3}}(?:\.\d{{3}})+,\d+|\d+,\d\d?|0,\d+|\d{{1,3}}(?:\.\d{{3}}){{2,}}"
    rf"|(?<=€)\d{{1,3}}\.\d{{3}}|\d{{1,3}}\.\d{{3}}(?=\s?(?:€|EUR\b|[Ee]uro))){_ALONE}"
)
_DECIMAL_POINT = re.compile(
    rf"(?<![\d.,vV])(?:\d{{1,3}}(?:,\d{{3}})+\.\d+|\d+\.\d{{2}}|0\.\d+|\d{{1,3}}(?:,\d{{3}}){{2,}}){_ALONE}"
)


def has_decimal_commas(text: str) -> bool:
    """Whether the numbers of a text tell that it writes 1.200,50 and not 1,200.50."""
    return bool(_DECIMAL_COMMA.search(text)) and not _DECIMAL_POINT.search(text)


_LONGEST = 100  # digits; more are a code, compared as text


def _values(raw: str, comma: bool) -> list[Value]:
    """What digits with separators say: one number, a dotted name such as 1.2.3, or a list such as 1,2,3."""
    raw = raw.replace("'", "")
    if len(raw) > _LONGEST:
        return [raw]
    marks = {each for each in raw if not each.isdigit()}
    if not marks:
        return [Decimal(raw)]
    if len(marks) == 2:  # the later mark is the decimal one, wherever the writer comes from
        point = max(marks, key=raw.rindex)
        group = "," if point == "." else "."
        whole, _, rest = raw.rpartition(point)
        if _is_grouped(whole, group):
            return [Decimal(f"{whole.replace(group, '')}.{rest}")]
        return [value for piece in raw.split(",") for value in _values(piece, False)]
    (mark,) = marks
    if _is_grouped(raw, mark) and (raw.count(mark) > 1 or comma == (mark == ".")):
        return [Decimal(raw.replace(mark, ""))]
    if raw.count(mark) == 1:
        return [Decimal(raw.replace(",", "."))]
    return [raw] if mark == "." else [Decimal(piece) for piece in raw.split(",")]


def _is_grouped(raw: str, mark: str) -> bool:
    """Whether the mark may stand for thousands: 1,200 and 12,34,567, but not 0,125 or 3,50."""
    first, *middle, last = raw.split(mark)
    western = all(len(each) == 3 for each in middle)
    indian = len(first) <= 2 and all(len(each) == 2 for each in middle)
    return 0 < len(first) <= 3 and first[0] != "0" and len(last) == 3 and (western or indian)


# ── One reader for each form ───────────────────────────────────────────────────────────────────────────────────────

Reader = Callable[[str, int, Sequence[bool]], Mention | None]

_VERSION = re.compile(
    r"(?<![A-Za-z0-9])(?:v\.?\s?v?(?<=[v.])(?=\d)|(?:versions?|ver\.?|releases?)[\s:]\s?v?(?=\d)"
    rf"|(?P<name>{'|'.join(VERSIONED)})\s(?=\d+\.\d))(?P<number>\d+(?:\.\d+)*)",
    re.IGNORECASE,
)


def _read_version(text: str, start: int, commas: Sequence[bool]) -> Mention | None:
    """`v1.2`, `version 2.10`, `Python 3.12`: compared as text, since 2.10 is not 2.1."""
    version = _VERSION.match(text, start)
    if version is None:
        return None
    readings = [[Quantity(f"v{version['number']}", raw=version["number"])]]
    if version["name"]:  # Python 3.12 may be python3.12 elsewhere
        readings.append([_name(version[0])])
    return _mention(version, readings)


_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_DAYS = rf"{_DAY}(?:\s?(?:-|–|to|and|&)\s?{_DAY})?"
_YEAR = r"(?:,?\s(\d{4})\b)?"
_DAY_FIRST = re.compile(rf"(?<![\d.,/:$€£-]){_DAYS},?\s(?:of\s)?({MONTH}){_YEAR}")
_MONTH_FIRST = re.compile(
    rf"\b({MONTH})\s(?:the\s)?(?!\d{{3}}|\d\d?(?:[:.,/]\d|\s?(?:%|[AaPp]\.?[Mm]\b))){_DAYS}{_YEAR}"
)
_YEAR_FIRST = re.compile(
    r"(?<![\d.,/-])(?:(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?![\d/-])|(?:(\d{4})年)?(\d{1,2})月(\d{1,2})日)"
)
_YEAR_LAST = re.compile(r"(?<![\d.,/-])(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|(?<=/)\d\d)(?![\d/-])")


def _read_date(text: str, start: int, commas: Sequence[bool]) -> Mention | None:
    """A day, whose unit is its month, and a year where one is written."""
    if date := _DAY_FIRST.match(text, start):
        return _mention(date, [_date(date[3], date[1], date[2], date[4])])
    if date := _MONTH_FIRST.match(text, start):
        readings = [_date(date[1], date[2], date[3], date[4])]
        unit, end = unit_after(text, date.end())
        if unit and date[0].endswith(date[2]):  # `In June 20 people came.`
            return _mention(date, [*readings, [Quantity(Decimal(date[2]), unit)]], end=end)
        return _mention(date, readings)
    if date := _YEAR_FIRST.match(text, start):
        return _numeric_date(date, date[1] or date[5], [(date[3] or date[6], date[4] or date[7])])
    if date := _YEAR_LAST.match(text, start):
        year = date[4] if len(date[4]) == 4 else f"{'20' if date[4] < '70' else '19'}{date[4]}"
        return _numeric_date(date, year, [(date[3], date[1]), (date[1], date[3])])
    return None


def _date(month: str, *numbers: str | None) -> list[Quantity]:
    name = frozenset(each for each in MONTHS if each.startswith(month.rstrip(".")[:3]))
    return [Quantity(Decimal(number), name if len(number) < 3 else NO_UNIT) for number in numbers if number]


def _numeric_date(date: re.Match[str], year: str | None, orders: list[tuple[str, str]]) -> Mention | None:
    readings = [
        _date(MONTHS[int(month) - 1], day, year)
        for month, day in orders
        if 1 <= int(month) <= 12 and 1 <= int(day) <= 31
    ]
    return _mention(date, readings) if readings else None


_HALF_DAY = re.compile(
    r"(?<![\d.,:/$])(\d{1,2})(?:[:.]([0-5]\d))?\s?(?:([ap])\.?\s?m|([AP])\.?\s?M)\b(?:(?<=\.m|\.M)\.)?"
)
_PART_OF_DAY = re.compile(
    r"(?<![\d.,:/$])(1[0-2]|0?[1-9])(?:[:.]([0-5]\d))?(?:\so'clock)?\sin\sthe\s(?:(morning)|afternoon|evening)\b"
)
_FULL_DAY = re.compile(r"(?<![\d:.,])([01]?\d|2[0-4]):([0-5]\d)(?![\d:])")


def _read_time(text: str, start: int, commas: Sequence[bool]) -> Mention | None:
    """`9 PM`, `9.30 p.m.`, `9 in the evening`, `21:00`: hour and minute, with the half of the day as unit."""
    if time := _HALF_DAY.match(text, start):
        half = (time[3] or time[4]).upper() + "M"
        return _mention(time, [[Quantity(_clock(int(time[1]), time[2]), frozenset({half}))]])
    if time := _PART_OF_DAY.match(text, start):
        half = "AM" if time[3] else "PM"
        return _mention(time, [[Quantity(_clock(int(time[1]), time[2]), frozenset({half}))]])
    time = _FULL_DAY.match(text, start)
    if time is None:
        return None
    hour, minute = int(time[1]), time[2]
    half = "PM" if 12 < hour < 24 else "AM"
    known = CLOCK if 1 <= hour <= 12 and time[1][0] != "0" else frozenset({half})
    readings = [[Quantity(_clock(hour % 12 or 12, minute), known)]]
    if not 1 <= hour <= 12:
        readings.append([Quantity(_clock(hour, minute), CLOCK)])
    return _mention(time, readings)


def _clock(hour: int, minute: str | None) -> Value:
    return Decimal(hour) if minute in (None, "00") else f"{hour}:{minute}"


_AMOUNT = re.compile(
    r"(?P<sign>(?<![\w)\]%.,'\"°$€£-])(?<!\d\s)(?:-(?=\S)|(?i:minus|negative)\s)|(?<!\S)(?<!\d\s)–(?=\S))?"
    rf"(?:(?P<currency>{PREFIX})(?P<minus>-)?)?"
    r"(?:(?P<whole>\d{1,4}[ -])?(?P<over>\d{1,3})(?P<slash>[/⁄])(?P<under>\d{1,3})(?![\d/])"
    r"|(?P<spaced>\d{1,3}(?: \d{3})+(?:[.,]\d{1,2})?(?![\d.,]?\d))"
    r"|(?P<digits>\d++(?:[.,']\d++)*+|(?<![\w.])\.\d++))"
)
_COMMON_PARTS = (2, 3, 4, 8, 16)
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")
_DECADE = re.compile(r"(?<=\d0)'?s\b")
_MAGNITUDE = re.compile(
    r"[\s-]?((?i:hundred|thousand|lakh|million|crore|billion|trillion|dozen|mln|mn|bn))s?\b|([kKMB])(?![A-Za-z0-9])"
    r"|([千万萬億亿])"
)
_MONEY_MAGNITUDE = re.compile(r"\s?([kKmMbB])(?![A-Za-z0-9])")
_AND_A_HALF = re.compile(r"\s+and\s+a\s+half\b")
_BELOW_ZERO = re.compile(r"\s+below\s+(?:zero|freezing)\b")
_CODE_BEFORE = re.compile(rf"\b(?:[A-Z]{{1,6}}|(?i:{'|'.join(VERSIONED)}))\s\Z|\b[a-z]{{1,6}}-\Z")
_LABEL_BEFORE = re.compile(  # `Room 12 opens`, `on day 7 classes end`: the number names what stands before it
    r"\b(?:chapter|class|day|figure|grade|group|item|lesson|level|line|module|month|no\.|number|option|page|part|phase"
    r"|plan|question|room|row|section|stage|step|table|team|unit|week|year)\s\Z",
    re.IGNORECASE,
)
_NAME_TAIL = re.compile(r"(?!x\d)[A-Za-z][A-Za-z0-9]*")


def _read_amount(text: str, start: int, commas: Sequence[bool]) -> Mention | None:
    """Digits with sign, currency, fraction, magnitude and unit, as far as they are there."""
    amount = _AMOUNT.match(text, start)
    if amount is None:
        return None
    currency = find_unit(amount["currency"].strip()) if amount["currency"] else NO_UNIT
    bare = _bare_values(amount, commas)
    if suffix := _ORDINAL.match(text, amount.end()) or _DECADE.match(text, amount.end()):
        return _mention(amount, [[Quantity(value) for value in values] for values in bare], end=suffix.end())
    scale, end = _magnitude(text, amount.end(), bool(currency))
    half, scale, end = _and_a_half(text, end, scale)
    after, unit_end = unit_after(text, end)
    labelled = after == THING and _LABEL_BEFORE.search(text, max(0, start - 10), start)
    unit, end = (NO_UNIT, end) if labelled else (after, unit_end)
    tail = _NAME_TAIL.match(text, end)
    if tail and end == amount.end() and not currency:
        name = text[start : tail.end()]
        return _mention(amount, [[_name(name)]], end=tail.end())
    below = _BELOW_ZERO.match(text, end)
    factor = -scale if amount["sign"] or amount["minus"] or below else scale
    exact = factor == 1 and not half  # arithmetic would round a number of many digits
    raw = amount["digits"] if exact else None
    readings = [
        [
            Quantity(each if isinstance(each, str) or exact else (each + half) * factor, currency or unit, raw or "")
            for each in values
        ]
        for values in bare
    ]
    if code := _CODE_BEFORE.search(text, max(0, start - 12), start):  # ISO 9001 and iso-9001 may be ISO-9001 elsewhere
        readings.append([_name(text[code.start() : amount.end()])])
    return _mention(amount, readings, end=below.end() if below else end, scale=scale)


def _bare_values(amount: re.Match[str], commas: Sequence[bool]) -> list[list[Value]]:
    """What the digits alone may say: readings of one or more values."""
    if amount["over"]:
        over, under, whole = (Decimal((amount[name] or "0").strip(" -")) for name in ("over", "under", "whole"))
        is_fraction = amount["slash"] == "⁄" or amount["whole"] or (over < under and under in _COMMON_PARTS)
        fraction: list[list[Value]] = [[whole + over / under]] if under else []
        return fraction if fraction and is_fraction else [*fraction, [over, under]]
    if amount["spaced"]:
        pieces = [Decimal(piece) for piece in amount["spaced"].replace(",", ".").split()]
        return [[Decimal(amount["spaced"].replace(" ", "").replace(",", "."))], [*pieces]]
    return [_values(amount["digits"], comma) for comma in commas]


def _magnitude(text: str, end: int, money: bool) -> tuple[Decimal, int]:
    """The product of the magnitudes that follow a number, and where they end."""
    scale = Decimal(1)
    while scale < 10**9 and (
        found := _MAGNITUDE.match(text, end) or (money and scale == 1 and _MONEY_MAGNITUDE.match(text, end))
    ):
        scale *= MAGNITUDES[next(filter(None, found.groups())).lower()]
        end = found.end()
    return scale, end


def _and_a_half(text: str, end: int, scale: Decimal) -> tuple[Decimal, Decimal, int]:
    """What `and a half` adds, the scale with a magnitude after it (`two and a half million`), and where they end."""
    half = _AND_A_HALF.match(text, end)
    if half is None:
        return Decimal(0), scale, end
    more, end = _magnitude(text, half.end(), False)
    return Decimal("0.5"), scale * more, end


_NAME = re.compile(r"(?<![A-Za-z0-9])(?:[A-Za-z]++|[A-Z]{1,6}-)\d[A-Za-z0-9]*(?:\.\d+)*")


def _read_name(text: str, start: int, commas: Sequence[bool]) -> Mention | None:
    """`Q3`, `H2O`, `COVID-19`: a name, compared as text."""
    name = _NAME.match(text, start)
    return name and _mention(name, [[_name(name[0])]])


def _name(written: str) -> Quantity:
    return Quantity(f"#{squeezed(written)}")


_WORD = re.compile(r"([A-Za-z]+)\b")
_NEXT_WORD = re.compile(r"(?P<link>\s(?:and\s)?|-)([A-Za-z]+)\b")
_MINUS = re.compile(r"(?:minus|negative)\s", re.IGNORECASE)
_PART_OF_SCALE = re.compile(
    rf"(?:an?\s)?({'|'.join(sorted(PARTS, key=len, reverse=True))})\s(?:of\s)?an?\s({'|'.join(SCALES)})\b",
    re.IGNORECASE,
)
_PART = re.compile(rf"[\s-]({'|'.join(sorted(PARTS, key=len, reverse=True))})\b", re.IGNORECASE)


def _read_words(text: str, start: int, commas: Sequence[bool]) -> Mention | None:
    """`twelve`, `two hundred and ten`, `two thirds`, `half a million`, `minus five`; "one" alone counts nothing."""
    if part := _PART_OF_SCALE.match(text, start):
        unit, end = unit_after(text, part.end())
        return _mention(part, [[Quantity(Decimal(SCALES[part[2].lower()]) / PARTS[part[1].lower()], unit)]], end)
    minus = _MINUS.match(text, start)
    value, end = _spelled(text, minus.end() if minus else start)
    if value is None:
        return None
    if part := _PART.match(text, end):
        value, end = value / PARTS[part[1].lower()], part.end()
    else:
        half, scale, end = _and_a_half(text, end, Decimal(1))
        value = (value + half) * scale
    unit, end = unit_after(text, end)
    quantity = Quantity(-value if minus else value, unit)
    claim = value not in (0, 1) or not unit <= THING
    return Mention(text[start:end], start, end, ((quantity,),), claim)


def _spelled(text: str, start: int) -> tuple[Decimal | None, int]:
    """The value of the longest number in words that begins here, and its end."""
    total = current = 0
    kind, end = "", start  # the kind of the last word: "article", "small", "tens" or "scale"
    word = _WORD.match(text, start)
    while word:
        last, link = word[word.lastindex or 0].lower(), word.groupdict().get("link") or ""
        if link.strip(" -") and kind != "scale":  # "five and ten" are two numbers
            break
        if last in ("a", "an") and not kind:
            kind, word = "article", _NEXT_WORD.match(text, word.end())
            continue
        if last in SMALL and (kind in ("", "scale") or (kind == "tens" and 0 < SMALL[last] < 10)):
            kind, current = "small", current + SMALL[last]
        elif last in TENS and kind in ("", "scale"):
            kind, current = "tens", current + TENS[last]
        elif current < (scale := SCALES.get(last, 0)) and (current or kind == "article"):
            kind, current = "dozen" if scale == 12 else "scale", (current or 1) * scale
            if scale >= 1000:
                total, current = total + current, 0
        else:
            break
        end = word.end()
        word = _NEXT_WORD.match(text, end)
    return (Decimal(total + current), end) if end > start else (None, start)


_ARTICLE = re.compile(r"[Aa]n?(?=[\s-][A-Za-z]{3})")


def _read_support(text: str, start: int, commas: Sequence[bool]) -> Mention | None:
    """`an hour`, `twice`, `third`, `noon`: enough to support a claim, too loose to make one."""
    if article := _ARTICLE.match(text, start):
        unit, end = unit_after(text, article.end())
        half, _, end = _and_a_half(text, end, Decimal(1))
        return (
            None if unit <= THING else Mention(text[start:end], start, end, ((Quantity(1 + half, unit),),), bool(half))
        )
    word = _WORD.match(text, start)
    if word is None or word[0].lower() not in SUPPORTING:
        return None
    return replace(_mention(word, [[Quantity(*SUPPORTING[word[0].lower()])]]), claim=False)


def _mention(
    match: re.Match[str], readings: Iterable[Iterable[Quantity]], end: int | None = None, scale: Decimal = Decimal(1)
) -> Mention:
    start, end = match.start(), match.end() if end is None else end
    distinct = dict.fromkeys(tuple(reading) for reading in readings)
    return Mention(match.string[start:end], start, end, tuple(distinct), scale=scale)


# To add a form: a reader here, before any that would read a part of it, and where it may begin in _TOKEN.
_READERS: tuple[Reader, ...] = (
    _read_version, _read_date, _read_time, _read_amount, _read_name, _read_words, _read_support,
)  # fmt: skip
_VERSION_WORDS = ("versions?", r"ver\.?", "releases?", r"v\.")
_WORDS = "|".join(
    (*SMALL, *TENS, *SUPPORTING, "an?", "minus", "negative", MONTH, *_VERSION_WORDS, *VERSIONED, *CURRENCY_CODES)
)
_TOKEN = re.compile(
    r"(?P<address>https?://\S++|www\.\S++|(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++)"
    rf"|(?<![A-Za-z0-9])(?:[A-Za-z]++(?=-?\d)|(?i:{_WORDS})(?![A-Za-z])|[A-Z]{{1,2}}\$(?=-?\d))"
    rf"|[-–](?=[{SIGNS}]?\d)|[{SIGNS}](?=-?\d)|(?<!\.)\.\d|\d"
)

# ── Ranges ─────────────────────────────────────────────────────────────────────────────────────────────────────────

_RANGE = re.compile(r"\s?(?:-|–|~|to|through|until|till|or)\s?")
_AND = re.compile(r"\s?(?:and|&)\s?")
_CURRENCY = re.compile(PREFIX)


def _with_shared_units(text: str, found: list[Mention]) -> list[Mention]:
    """The two ends of a range have one unit: `5 to 7 days`, `$5–7`, `7–9 PM`, `5–7 million`."""
    shared = list(found)
    for i in range(len(shared) - 2, -1, -1):
        left, right = shared[i], shared[i + 1]
        between = text[left.end : right.start]
        is_range = _RANGE.fullmatch(between) or (
            _AND.fullmatch(between) and text[max(0, left.start - 9) : left.start].lower().endswith("between ")
        )
        if not is_range:
            continue
        if left.unit in (NO_UNIT, CLOCK) and right.unit and _shares(left, right):
            shared[i] = left = _with_unit(left, right.unit, text[left.start : right.end])
        elif not right.unit and _CURRENCY.match(left.text):
            shared[i + 1] = _with_unit(right, left.unit, text[left.start : right.end])
        if right.scale != 1 and left.scale == 1:
            shared[i] = _with_scale(left, right.scale)
    return shared


def _with_unit(mention: Mention, unit: Unit, text: str) -> Mention:
    readings = tuple(tuple(replace(each, unit=unit) for each in reading) for reading in mention.readings)
    return replace(mention, text=text, readings=readings)


def _with_scale(mention: Mention, scale: Decimal) -> Mention:
    """The mention with one more reading: the 5 of `5–7 million` is first of all 5 million."""
    scaled = tuple(
        replace(each, value=each.value * scale) for each in mention.readings[0] if isinstance(each.value, Decimal)
    )
    return replace(mention, readings=(scaled, *mention.readings)) if scaled else mention


def _shares(left: Mention, right: Mention) -> bool:
    """Not so for `10 to 2 PM`, which begins in the morning."""
    if not right.unit < CLOCK:
        return True
    first, second = (_minutes(each.readings[0][0].value) for each in (left, right))
    return first < second


def _minutes(value: Value) -> int:
    hour, _, minute = str(value).partition(":")
    return int(Decimal(hour)) % 12 * 60 + int(minute or 0) if hour.replace(".", "").isdigit() else 10**6
