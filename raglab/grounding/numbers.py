"""Numbers in text, by value and unit: what a check compares between an answer and its passages.

A `Mention` is one place where a text names a number. It may have several readings: `21:00` is also 9 PM, and
`3/5/2024` is in March or in May. Each reading is one or more quantities: a date is a day and a year.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from raglab.grounding.numerals import (
    Commas,
    Value,
    half_after,
    has_decimal_commas,
    magnitude_after,
    normalized,
    spelled_number,
    values_of_digits,
)
from raglab.grounding.units import (
    AM,
    CLOCK,
    CURRENCY_CODES,
    MONTH,
    MONTHS,
    NO_UNIT,
    PARTS,
    PM,
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


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value with its unit."""

    value: Value
    unit: Unit = NO_UNIT  # what it may be; empty: none is written, and that agrees with every unit
    raw: str = ""  # the digits as written, where the same digits may name a version elsewhere


@dataclass(frozen=True, slots=True)
class Mention:
    """One place where a text names a number."""

    text: str  # as written, with its unit; the whole range where only the other end has the unit
    start: int  # code points in the normalized text
    end: int
    readings: tuple[tuple[Quantity, ...], ...]  # any one of them may be meant
    claim: bool = True  # False for words such as "once" or "an hour", which support a claim but do not make one
    scale: Decimal = Decimal(1)  # of a word such as million, already in the value

    @property
    def unit(self) -> Unit:
        """The unit of its first reading."""
        return self.readings[0][0].unit


def mentions(text: str, commas: Commas = ()) -> list[Mention]:
    """The numbers that `text` names, in order. `commas`: how to read `1,5`; by default as the text itself shows.

    >>> [(each.text, str(each.readings[0][0].value)) for each in mentions("Twelve rooms cost $1.5M, v2.10 is free.")]
    [('Twelve rooms', '12'), ('$1.5M', '1500000.0'), ('v2.10', 'v2.10')]
    """
    text = normalized(text)
    commas = commas or (has_decimal_commas(text),)
    found: list[Mention] = []
    position = 0
    while token := _TOKEN.search(text, position):
        position = token.end()
        if token.lastgroup != "address":
            attempts = (reader(text, token.start(), commas) for reader in _READERS)
            if mention := next(filter(None, attempts), None):
                found.append(mention)
                position = mention.end
    return _with_shared_units(text, found)


def squeezed(text: str) -> str:
    """A name without spaces, hyphens and letter case: `E-1234`, `E 1234` and `e1234` are the same.

    >>> squeezed("NB-40 20")
    'nb4020'
    """
    return re.sub(r"[\s_-]+", "", text).lower()


def _name(written: str) -> Quantity:
    return Quantity(f"#{squeezed(written)}")


def _mention(
    match: re.Match[str], readings: Iterable[Iterable[Quantity]], end: int | None = None, scale: Decimal = Decimal(1)
) -> Mention:
    start, end = match.start(), match.end() if end is None else end
    distinct = dict.fromkeys(tuple(reading) for reading in readings)
    return Mention(match.string[start:end], start, end, tuple(distinct), scale=scale)


# ── Versions and names ─────────────────────────────────────────────────────────────────────────────────────────────

_VERSION = re.compile(
    r"(?<![A-Za-z0-9])(?:v\.?\s?v?(?<=[v.])(?=\d)|(?:versions?|ver\.?|releases?)[\s:]\s?v?(?=\d)"
    rf"|(?P<product>{'|'.join(VERSIONED)})\s(?=\d+\.\d))(?P<number>\d+(?:\.\d+)*)",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<![A-Za-z0-9])(?:[A-Za-z]++|[A-Z]{1,6}-)\d[A-Za-z0-9]*(?:\.\d+)*")


def _read_version(text: str, start: int, commas: Commas) -> Mention | None:
    """`v1.2`, `version 2.10`, `Python 3.12`: compared as text, since 2.10 is not 2.1."""
    version = _VERSION.match(text, start)
    if version is None:
        return None
    readings = [[Quantity(f"v{version['number']}", raw=version["number"])]]
    if version["product"]:  # Python 3.12 may be python3.12 elsewhere
        readings.append([_name(version[0])])
    return _mention(version, readings)


def _read_name(text: str, start: int, commas: Commas) -> Mention | None:
    """`Q3`, `H2O`, `COVID-19`: compared as text."""
    name = _NAME.match(text, start)
    return name and _mention(name, [[_name(name[0])]])


# ── Dates ──────────────────────────────────────────────────────────────────────────────────────────────────────────

_DAYS = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:\s?(?:-|–|to|and|&)\s?(?P<last_day>\d{1,2})(?:st|nd|rd|th)?)?"
_YEAR = r"(?:,?\s(?P<year>\d{4})\b)?"
_DAY_FIRST = re.compile(rf"(?<![\d.,/:$€£-]){_DAYS},?\s(?:of\s)?(?P<month>{MONTH}){_YEAR}")
_MONTH_FIRST = re.compile(
    rf"\b(?P<month>{MONTH})\s(?:the\s)?(?!\d{{3}}|\d\d?(?:[:.,/]\d|\s?(?:%|[AaPp]\.?[Mm]\b))){_DAYS}{_YEAR}"
)
_YEAR_FIRST = re.compile(
    r"(?<![\d.,/-])(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})(?![\d/-])"
)
_CJK_DATE = re.compile(r"(?<![\d.,/-])(?:(?P<year>\d{4})年)?(?P<month>\d{1,2})月(?P<day>\d{1,2})日")
_YEAR_LAST = re.compile(
    r"(?<![\d.,/-])(?P<one>\d{1,2})(?P<mark>[-/.])(?P<other>\d{1,2})(?P=mark)(?P<year>\d{4}|(?<=/)\d\d)(?![\d/-])"
)


def _read_date(text: str, start: int, commas: Commas) -> Mention | None:
    """A day, whose unit is its month, and a year where one is written."""
    if date := _DAY_FIRST.match(text, start):
        return _mention(date, [_named_date(date)])
    if date := _MONTH_FIRST.match(text, start):
        return _month_first(date)
    if date := _YEAR_FIRST.match(text, start) or _CJK_DATE.match(text, start):
        return _numeric_date(date, date["year"], [(date["month"], date["day"])])
    if date := _YEAR_LAST.match(text, start):
        orders = [(date["other"], date["one"]), (date["one"], date["other"])]
        return _numeric_date(date, _full_year(date["year"]), orders)
    return None


def _named_date(date: re.Match[str]) -> list[Quantity]:
    month = next(each for each in MONTHS if each.startswith(date["month"][:3]))
    return _date(month, [date["day"], date["last_day"]], date["year"])


def _month_first(date: re.Match[str]) -> Mention:
    readings = [_named_date(date)]
    unit, end = unit_after(date.string, date.end())
    if unit and date[0].endswith(date["day"]):  # `In June 20 people came.`
        return _mention(date, [*readings, [Quantity(Decimal(date["day"]), unit)]], end)
    return _mention(date, readings)


def _numeric_date(date: re.Match[str], year: str | None, orders: list[tuple[str, str]]) -> Mention | None:
    """The date in each order of month and day that makes one; a fraction or a version makes none."""
    readings = [
        _date(MONTHS[int(month) - 1], [day], year)
        for month, day in orders
        if 1 <= int(month) <= 12 and 1 <= int(day) <= 31
    ]
    return _mention(date, readings) if readings else None


def _full_year(year: str) -> str:
    if len(year) == 4:
        return year
    return f"20{year}" if year < "70" else f"19{year}"


def _date(month: str, days: list[str | None], year: str | None) -> list[Quantity]:
    quantities = [Quantity(Decimal(day), frozenset({month})) for day in days if day]
    return [*quantities, Quantity(Decimal(year))] if year else quantities


# ── Times ──────────────────────────────────────────────────────────────────────────────────────────────────────────

_HALF_DAY = re.compile(
    r"(?<![\d.,:/$])(?P<hour>\d{1,2})(?:[:.](?P<minute>[0-5]\d))?\s?"
    r"(?:(?P<morning>a\.?\s?m|A\.?\s?M)|p\.?\s?m|P\.?\s?M)\b(?:(?<=\.m|\.M)\.)?"
)
_PART_OF_DAY = re.compile(
    r"(?<![\d.,:/$])(?P<hour>1[0-2]|0?[1-9])(?:[:.](?P<minute>[0-5]\d))?(?:\so'clock)?"
    r"\sin\sthe\s(?:(?P<morning>morning)|afternoon|evening)\b"
)
_FULL_DAY = re.compile(r"(?<![\d:.,])(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?![\d:])")


def _read_time(text: str, start: int, commas: Commas) -> Mention | None:
    """`9 PM`, `9.30 p.m.`, `9 in the evening`, `21:00`: hour and minute, with the half of the day as unit."""
    if time := _HALF_DAY.match(text, start) or _PART_OF_DAY.match(text, start):
        half = AM if time["morning"] else PM
        return _mention(time, [[Quantity(_clock_value(int(time["hour"]), time["minute"]), half)]])
    if time := _FULL_DAY.match(text, start):
        return _mention(time, [[each] for each in _full_day_readings(time["hour"], time["minute"])])
    return None


def _full_day_readings(written_hour: str, minute: str) -> Iterator[Quantity]:
    """`9:00` may be in either half of the day, `09:00` is in the morning, and `21:00` is also 9 PM."""
    hour = int(written_hour)
    is_on_dial = 1 <= hour <= 12
    half = PM if 12 < hour < 24 else AM
    may_be_either = is_on_dial and not written_hour.startswith("0")
    yield Quantity(_clock_value(hour % 12 or 12, minute), CLOCK if may_be_either else half)
    if not is_on_dial:
        yield Quantity(_clock_value(hour, minute), CLOCK)


def _clock_value(hour: int, minute: str | None) -> Value:
    return Decimal(hour) if minute in (None, "00") else f"{hour}:{minute}"


# ── Amounts ────────────────────────────────────────────────────────────────────────────────────────────────────────

_AMOUNT = re.compile(
    r"(?P<sign>(?<![\w)\]%.,'\"°$€£-])(?<!\d\s)(?:-(?=\S)|(?i:minus|negative)\s)|(?<!\S)(?<!\d\s)–(?=\S))?"
    rf"(?:(?P<currency>{PREFIX})(?P<minus>-)?)?"
    r"(?:(?P<whole>\d{1,4}[ -])?(?P<over>\d{1,3})(?P<slash>[/⁄])(?P<under>\d{1,3})(?![\d/])"
    r"|(?P<spaced>\d{1,3}(?: \d{3})+(?:[.,]\d{1,2})?(?![\d.,]?\d))"
    r"|(?P<digits>\d++(?:[.,']\d++)*+|(?<![\w.])\.\d++))"
)
_COMMON_PARTS = (2, 3, 4, 8, 16)
_ORDINAL_OR_DECADE = re.compile(r"(?:st|nd|rd|th)\b|(?<=\d0)'?s\b")
_BELOW_ZERO = re.compile(r"\s+below\s+(?:zero|freezing)\b")
_CODE_BEFORE = re.compile(rf"\b(?:[A-Z]{{1,6}}|(?i:{'|'.join(VERSIONED)}))\s\Z|\b[a-z]{{1,6}}-\Z")
_LABEL_BEFORE = re.compile(  # `Room 12 opens`, `on day 7 classes end`: the number belongs to the word before it
    r"\b(?:chapter|class|day|figure|grade|group|item|lesson|level|line|module|month|no\.|number|option|page|part|phase"
    r"|plan|question|room|row|section|stage|step|table|team|unit|week|year)\s\Z",
    re.IGNORECASE,
)
_NAME_TAIL = re.compile(r"(?!x\d)[A-Za-z][A-Za-z0-9]*")  # the "G" of 5G, but not the "x20" of 10x20


def _read_amount(text: str, start: int, commas: Commas) -> Mention | None:
    """Digits with the sign, currency, fraction, magnitude and unit that they have."""
    amount = _AMOUNT.match(text, start)
    if amount is None:
        return None
    if suffix := _ORDINAL_OR_DECADE.match(text, amount.end()):
        readings = ([Quantity(value) for value in values] for values in _digit_readings(amount, commas))
        return _mention(amount, readings, suffix.end())
    currency = find_unit(amount["currency"].strip()) if amount["currency"] else NO_UNIT
    magnitude, magnitude_end = magnitude_after(text, amount.end(), is_money=bool(currency))
    half, half_magnitude, number_end = half_after(text, magnitude_end)
    unit, end = _unit_unless_labelled(amount, number_end)
    if end == amount.end() and not currency and (tail := _NAME_TAIL.match(text, end)):
        return _mention(amount, [[_name(text[start : tail.end()])]], tail.end())
    below = _BELOW_ZERO.match(text, end)
    scale = magnitude * half_magnitude
    factor = -scale if amount["sign"] or amount["minus"] or below else scale
    readings = [
        [_scaled(value, half, factor, currency or unit, amount["digits"]) for value in values]
        for values in _digit_readings(amount, commas)
    ]
    if code := _CODE_BEFORE.search(text, max(0, start - 12), start):  # ISO 9001 and iso-9001 may be ISO-9001 elsewhere
        readings.append([_name(text[code.start() : amount.end()])])
    return _mention(amount, readings, below.end() if below else end, scale)


def _digit_readings(amount: re.Match[str], commas: Commas) -> list[list[Value]]:
    """What the digits alone may say: readings of one or more values."""
    if amount["over"]:
        return _fraction_readings(amount)
    if amount["spaced"]:
        written = amount["spaced"].replace(",", ".")
        return [[Decimal(written.replace(" ", ""))], [Decimal(piece) for piece in written.split()]]
    return [values_of_digits(amount["digits"], decimal_comma) for decimal_comma in commas]


def _fraction_readings(amount: re.Match[str]) -> list[list[Value]]:
    """`1 1/2` and `3/4` are fractions; `4/5` and `24/7` may also be two numbers."""
    over, under = Decimal(amount["over"]), Decimal(amount["under"])
    whole = Decimal(amount["whole"].strip(" -")) if amount["whole"] else Decimal(0)
    if not under:
        return [[over, under]]
    fraction: list[Value] = [whole + over / under]
    is_surely = amount["slash"] == "⁄" or amount["whole"] or (over < under and under in _COMMON_PARTS)
    return [fraction] if is_surely else [fraction, [over, under]]


def _unit_unless_labelled(amount: re.Match[str], position: int) -> tuple[Unit, int]:
    text, start = amount.string, amount.start()
    unit, end = unit_after(text, position)
    if unit == THING and _LABEL_BEFORE.search(text, max(0, start - 10), start):
        return NO_UNIT, position
    return unit, end


def _scaled(value: Value, half: Decimal, factor: Decimal, unit: Unit, digits: str | None) -> Quantity:
    if factor == 1 and not half:  # arithmetic would round a number of many digits
        return Quantity(value, unit, digits or "")
    return Quantity(value if isinstance(value, str) else (value + half) * factor, unit)


# ── Words ──────────────────────────────────────────────────────────────────────────────────────────────────────────

_MINUS = re.compile(r"(?:minus|negative)\s", re.IGNORECASE)
_ANY_PART = "|".join(sorted(PARTS, key=len, reverse=True))
_PART_OF_SCALE = re.compile(rf"(?:an?\s)?({_ANY_PART})\s(?:of\s)?an?\s({'|'.join(SCALES)})\b", re.IGNORECASE)
_PART_AFTER = re.compile(rf"[\s-]({_ANY_PART})\b", re.IGNORECASE)
_ARTICLE = re.compile(r"[Aa]n?(?=[\s-][A-Za-z]{3})")
_WORD = re.compile(r"[A-Za-z]+\b")


def _read_part_of_scale(text: str, start: int, commas: Commas) -> Mention | None:
    """`half a million`, `a quarter of a dozen`."""
    part = _PART_OF_SCALE.match(text, start)
    if part is None:
        return None
    unit, end = unit_after(text, part.end())
    return _mention(part, [[Quantity(Decimal(SCALES[part[2].lower()]) / PARTS[part[1].lower()], unit)]], end)


def _read_spelled(text: str, start: int, commas: Commas) -> Mention | None:
    """`twelve`, `two hundred and ten`, `two thirds`, `minus five`; "one" alone counts nothing."""
    minus = _MINUS.match(text, start)
    number = spelled_number(text, minus.end() if minus else start)
    if number is None:
        return None
    value, end = _with_part(text, *number)
    unit, end = unit_after(text, end)
    quantity = Quantity(-value if minus else value, unit)
    is_claim = value not in (0, 1) or not unit <= THING
    return Mention(text[start:end], start, end, ((quantity,),), is_claim)


def _with_part(text: str, value: Decimal, end: int) -> tuple[Decimal, int]:
    """A number in words as the text goes on: `two` → `two thirds` or `two and a half million`."""
    if part := _PART_AFTER.match(text, end):
        return value / PARTS[part[1].lower()], part.end()
    half, magnitude, end = half_after(text, end)
    return (value + half) * magnitude, end


def _read_article(text: str, start: int, commas: Commas) -> Mention | None:
    """`an hour` supports a claim but is too loose to make one; `an hour and a half` is a claim."""
    article = _ARTICLE.match(text, start)
    if article is None:
        return None
    unit, unit_end = unit_after(text, article.end())
    if unit <= THING:
        return None
    half, _, end = half_after(text, unit_end)
    return Mention(text[start:end], start, end, ((Quantity(1 + half, unit),),), claim=bool(half))


def _read_supporting(text: str, start: int, commas: Commas) -> Mention | None:
    """`twice`, `third`, `noon`: enough to support a claim, too loose to make one."""
    word = _WORD.match(text, start)
    if word is None or word[0].lower() not in SUPPORTING:
        return None
    value, unit = SUPPORTING[word[0].lower()]
    return replace(_mention(word, [[Quantity(value, unit)]]), claim=False)


# ── Readers ────────────────────────────────────────────────────────────────────────────────────────────────────────

Reader = Callable[[str, int, Commas], Mention | None]

# To add a form: a reader here, before any that would read a part of it, and where it may begin in _TOKEN.
_READERS: tuple[Reader, ...] = (
    _read_version,
    _read_date,
    _read_time,
    _read_amount,
    _read_name,
    _read_part_of_scale,
    _read_spelled,
    _read_article,
    _read_supporting,
)
_VERSION_WORDS = ("versions?", r"ver\.?", "releases?", r"v\.")
_BEGINNINGS = "|".join(
    (*SMALL, *TENS, *SUPPORTING, "an?", "minus", "negative", MONTH, *_VERSION_WORDS, *VERSIONED, *CURRENCY_CODES)
)
_TOKEN = re.compile(
    r"(?P<address>https?://\S++|www\.\S++|(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++)"
    rf"|(?<![A-Za-z0-9])(?:[A-Za-z]++(?=-?\d)|(?i:{_BEGINNINGS})(?![A-Za-z])|[A-Z]{{1,2}}\$(?=-?\d))"
    rf"|[-–](?=[{SIGNS}]?\d)|[{SIGNS}](?=-?\d)|(?<!\.)\.\d|\d"
)

# ── Ranges ─────────────────────────────────────────────────────────────────────────────────────────────────────────

_RANGE = re.compile(r"\s?(?:-|–|~|to|through|until|till|or)\s?")
_AND = re.compile(r"\s?(?:and|&)\s?")
_CURRENCY = re.compile(PREFIX)


def _with_shared_units(text: str, found: list[Mention]) -> list[Mention]:
    """The two ends of a range have one unit: `5 to 7 days`, `$5–7`, `7–9 PM`, `5–7 million`."""
    shared = list(found)
    for i in range(len(shared) - 2, -1, -1):  # from the right, so that a unit passes through all of `5 or 6 or 7 days`
        if _is_range(text, shared[i], shared[i + 1]):
            shared[i : i + 2] = _range_ends(text, shared[i], shared[i + 1])
    return shared


def _is_range(text: str, left: Mention, right: Mention) -> bool:
    between = text[left.end : right.start]
    if _RANGE.fullmatch(between):
        return True
    return bool(_AND.fullmatch(between)) and text[max(0, left.start - 9) : left.start].lower().endswith("between ")


def _range_ends(text: str, left: Mention, right: Mention) -> tuple[Mention, Mention]:
    """Both ends, each with the unit and the magnitude that only the other one has in writing."""
    whole = text[left.start : right.end]
    scale = right.scale if left.scale == 1 else Decimal(1)
    if left.unit in (NO_UNIT, CLOCK) and right.unit and _may_share_half_day(left, right):
        left = _with_unit(left, right.unit, whole)
    elif not right.unit and _CURRENCY.match(left.text):
        right = _with_unit(right, left.unit, whole)
    return (_with_scale(left, scale) if scale != 1 else left), right


def _with_unit(mention: Mention, unit: Unit, text: str) -> Mention:
    readings = tuple(tuple(replace(each, unit=unit) for each in reading) for reading in mention.readings)
    return replace(mention, text=text, readings=readings)


def _with_scale(mention: Mention, scale: Decimal) -> Mention:
    """The mention with one more reading: the 5 of `5–7 million` is first of all 5 million."""
    scaled = tuple(
        replace(each, value=each.value * scale) for each in mention.readings[0] if isinstance(each.value, Decimal)
    )
    return replace(mention, readings=(scaled, *mention.readings)) if scaled else mention


def _may_share_half_day(left: Mention, right: Mention) -> bool:
    """`7 to 9 PM` is all in the evening; `10 to 2 PM` begins in the morning."""
    if not right.unit < CLOCK:
        return True
    return _minutes(left.readings[0][0].value) < _minutes(right.readings[0][0].value)


_NEVER = 10**6  # minutes: what is not a time comes after every time


def _minutes(value: Value) -> int:
    hour, _, minute = str(value).partition(":")
    if not hour.replace(".", "", 1).isdigit():  # also 1.2.3, which is a name
        return _NEVER
    return int(Decimal(hour)) % 12 * 60 + int(minute or 0)
