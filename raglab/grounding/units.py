"""Units, months, magnitudes and number words: the tables that `numerals` and `numbers` read with."""

import re
from collections import defaultdict
from decimal import Decimal

Unit = frozenset[str]  # what a spelling may mean; empty: no unit is written

NO_UNIT: Unit = frozenset()
THING: Unit = frozenset({"thing"})  # some plural noun: 35 members are neither 35 % nor 35 dollars
AM: Unit = frozenset({"AM"})
PM: Unit = frozenset({"PM"})
CLOCK: Unit = AM | PM

# The spellings of each unit, `_` for a space. A spelling in two rows may mean either. To add a unit: a row here.
_SPELLINGS = {
    "%": "% percent per_cent pct",
    "percentage point": "pp percentage_point percentage_points percent_points",
    "‰": "‰",
    "USD": "$ US$ USD dollar dollars bucks US_dollar US_dollars American_dollars",
    "AUD": "$ A$ AU$ AUD dollar dollars Australian_dollar Australian_dollars",
    "CAD": "$ C$ CA$ CAD dollar dollars Canadian_dollar Canadian_dollars",
    "NZD": "$ NZ$ NZD dollar dollars New_Zealand_dollars",
    "SGD": "$ S$ SGD dollar dollars Singapore_dollar Singapore_dollars",
    "HKD": "$ HK$ HKD dollar dollars Hong_Kong_dollars",
    "EUR": "€ EUR euro euros",
    "GBP": "£ GBP pound pounds quid",
    "JPY": "¥ 円 JPY yen",
    "CNY": "¥ 元 CNY RMB yuan",
    "INR": "₹ INR Rs Rs. rupee rupees",
    "KRW": "₩ KRW won",
    "RUB": "₽ RUB rouble roubles ruble rubles",
    "CHF": "CHF franc francs Swiss_franc Swiss_francs",
    "THB": "฿ THB baht",
    "VND": "₫ VND dong",
    "KHR": "៛ KHR riel riels",
    "LAK": "₭ LAK kip",
    "MYR": "RM MYR ringgit",
    "IDR": "Rp IDR rupiah",
    "peso": "₱ MXN peso pesos",
    "BRL": "R$ BRL reais",
    "ZAR": "ZAR rand",
    "NGN": "₦ NGN naira",
    "TRY": "₺ TRY lira liras",
    "ILS": "₪ ILS shekel shekels",
    "AED": "AED dirham dirhams",
    "PLN": "zł PLN złoty zloty zlotys",
    "UAH": "₴ UAH hryvnia",
    "crown": "kr SEK NOK DKK CZK crown crowns kroner kronor",
    "cent": "¢ ct cent cents",
    "penny": "p penny pence",
    "millisecond": "ms msec millisecond milliseconds",
    "second": "s sec second seconds 秒",
    "minute": "min minute minutes 分 分鐘 分钟",
    "hour": "h hr hour hours 時間 小时",
    "day": "d day days calendar_day calendar_days 日 日間 天",
    "business day": "business_day business_days working_day working_days workday workdays weekday weekdays",
    "night": "night nights",
    "week": "wk week weeks 週間 周",
    "month": "mo month months ヶ月 か月 个月",
    "year": "y yr year years",
    "B": "byte bytes",
    "KB": "KB kB KiB kilobyte kilobytes",
    "MB": "MB MiB megabyte megabytes",
    "GB": "GB GiB gig gigabyte gigabytes",
    "TB": "TB TiB terabyte terabytes",
    "Mbps": "Mbps Mbit/s Mb/s megabits_per_second",
    "Gbps": "Gbps Gbit/s Gb/s gigabits_per_second",
    "mm": "mm millimetre millimetres millimeter millimeters",
    "cm": "cm centimetre centimetres centimeter centimeters",
    "m": "m metre metres meter meters",
    "km": "km kilometre kilometres kilometer kilometers",
    "mile": "mi mile miles",
    "foot": "ft foot feet",
    "inch": "inch inches",
    "yard": "yd yard yards",
    "m²": "m2 sqm square_metre square_metres square_meter square_meters",
    "km/h": "km/h kmh kph km_per_hour kilometres_per_hour kilometers_per_hour",
    "mph": "mph miles_per_hour",
    "m/s": "m/s metres_per_second meters_per_second",
    "mg": "mg milligram milligrams",
    "g": "g gram grams gramme grammes",
    "kg": "kg kilo kilogram kilograms",
    "tonne": "t ton tonne",
    "lb": "lb pound pounds",
    "oz": "oz ounce ounces",
    "ml": "ml millilitre millilitres milliliter milliliters",
    "l": "l L litre litres liter liters",
    "°C": "° °C degree degrees degree_Celsius degrees_Celsius degrees_C Celsius",
    "°F": "° °F degree degrees degree_Fahrenheit degrees_Fahrenheit degrees_F Fahrenheit",
    "angle": "° degree degrees",
    "W": "W watt watts",
    "kW": "kW kilowatt kilowatts",
    "kWh": "kWh",
    "V": "V volt volts",
    "Hz": "Hz hertz",
    "MHz": "MHz",
    "GHz": "GHz",
    "px": "px pixel pixels",
    "times": "x × times",
    "AM": "am a.m a.m. o'clock",
    "PM": "pm p.m p.m. o'clock",
    "thing": "people persons men women children",
}

CURRENCY_CODES = (
    "USD AUD CAD NZD SGD HKD EUR GBP JPY CNY INR CHF SEK NOK DKK THB VND KHR MYR IDR BRL ZAR PLN Rs Rp RM".split()
)
SIGNS = "$€£¥₹₩₽฿₫៛₭₱₦₺₪₴"
PREFIX = rf"(?:(?:US|AU?|CA?|NZ|S|HK|R)?\$|[{SIGNS[1:]}]|\b(?:{'|'.join(CURRENCY_CODES)})\.?\s?)"  # before a number

# A dotted number after one of these is compared as text: Python 3.10 is not Python 3.1.
VERSIONED = (
    r"python java node(?:\.js)? ruby php perl django ubuntu debian postgresql mysql macos ios android windows kernel"
    " section chapter clause figure table"
).split()

# Between a number and its unit: at most one space or hyphen, and one of a few adjectives.
_AFTER = re.compile(
    r"(?P<gap>\s?|-)(?:(?:full|whole|more|additional|extra|consecutive|further|entire|U\.S\.)\s)?"
    rf"(?P<first>°[CF]?(?![A-Za-z])|[%‰¢]|[{SIGNS}×](?!\s?\d)|[AaPp]\.\s?[Mm]\.?|o'clock"
    r"|[A-Za-zł]+(?:/[a-z]+|2)?(?![A-Za-z0-9]))"
    r"(?:\s(?P<second>[A-Za-z]+)(?:\s(?P<third>[A-Za-z]+))?)?"
)
_CJK = re.compile(r"\s?([\u3040-\u30ff\u4e00-\u9fff]{1,2})")
_SPACED_LETTERS = "mhsglLWVt"  # the one-letter units that a space may precede: "5 m", but not "2 x 3" or "5 p"
_PLURAL = re.compile(r"[a-z]{2,}s")
_NOT_PLURALS = frozenset(
    "always across applies begins closes costs ends gets has its lasts less means minus needs opens perhaps plus runs"
    " says starts takes this unless versus was works yes".split()
)

MONTHS = "January February March April May June July August September October November December".split()
MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)

MAGNITUDES = {
    "dozen": 12, "hundred": 100, "thousand": 1000, "lakh": 10**5, "million": 10**6, "crore": 10**7, "billion": 10**9,
    "trillion": 10**12, "k": 1000, "mn": 10**6, "mln": 10**6, "m": 10**6, "bn": 10**9, "b": 10**9,
    "千": 1000, "万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8,
}  # fmt: skip

_UP_TO_NINETEEN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
).split()
_MULTIPLES_OF_TEN = "twenty thirty forty fifty sixty seventy eighty ninety".split()
SMALL = {word: value for value, word in enumerate(_UP_TO_NINETEEN)}
TENS = {word: 10 * value for value, word in enumerate(_MULTIPLES_OF_TEN, start=2)}
SCALES = {word: MAGNITUDES[word] for word in ("dozen", "hundred", "thousand", "million", "billion", "trillion")}
PARTS = {
    "half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4,
    "fifth": 5, "fifths": 5, "eighth": 8, "eighths": 8, "tenth": 10, "tenths": 10,
}  # fmt: skip

# Words that name a number without counting anything: they can support a claim, but are not claims themselves.
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
    " sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
SUPPORTING: dict[str, tuple[Decimal, Unit]] = {
    **{word: (Decimal(value), frozenset({"ordinal", *MONTHS})) for value, word in enumerate(_ORDINALS, start=1)},
    "half": (Decimal("0.5"), NO_UNIT),
    "quarter": (Decimal("0.25"), NO_UNIT),
    "once": (Decimal(1), NO_UNIT),
    "single": (Decimal(1), NO_UNIT),
    "twice": (Decimal(2), NO_UNIT),
    "both": (Decimal(2), NO_UNIT),
    "double": (Decimal(2), NO_UNIT),
    "couple": (Decimal(2), NO_UNIT),
    "pair": (Decimal(2), NO_UNIT),
    "triple": (Decimal(3), NO_UNIT),
    "noon": (Decimal(12), PM),
    "midday": (Decimal(12), PM),
    "midnight": (Decimal(12), AM),
}


def _units_by_spelling() -> dict[str, Unit]:
    units: defaultdict[str, set[str]] = defaultdict(set)
    for unit, row in _SPELLINGS.items():
        for spelling in row.split():
            written = spelling.replace("_", " ")
            units[written].add(unit)
            if len(written) > 1:  # but "G" is not "g"
                units[written.lower()].add(unit)
    return {spelling: frozenset(meanings) for spelling, meanings in units.items()}


_UNITS = _units_by_spelling()


def find_unit(spelling: str) -> Unit:
    """What a spelling may mean, in the singular or plural and with or without a full stop; the empty set if nothing.

    >>> sorted(find_unit("pounds"))
    ['GBP', 'lb']
    """
    bare = spelling.rstrip(".")
    forms = [spelling, bare]
    if len(bare) > 1:
        forms += [spelling.lower(), bare.lower()]
    if len(bare) > 2:
        forms.append(bare.removesuffix("s"))
    return next((_UNITS[form] for form in forms if form in _UNITS), NO_UNIT)


def unit_after(text: str, position: int) -> tuple[Unit, int]:
    """The unit that follows a number, and where it ends; a plural noun that is not a unit counts as `THING`.

    >>> unit_after("7 business days", 1)
    (frozenset({'business day'}), 15)
    """
    if cjk := _CJK.match(text, position):
        return _cjk_unit(cjk)
    if after := _AFTER.match(text, position):
        return _several_word_unit(after) or _one_word_unit(after) or (NO_UNIT, position)
    return NO_UNIT, position


def _cjk_unit(cjk: re.Match[str]) -> tuple[Unit, int]:
    for length in (2, 1):
        if unit := _UNITS.get(cjk[1][:length]):
            return unit, cjk.start(1) + length
    return NO_UNIT, cjk.start()


def _several_word_unit(after: re.Match[str]) -> tuple[Unit, int] | None:
    """A unit of three words or two, such as `kilometres per hour`."""
    for last in ("third", "second"):
        if after[last] and (unit := find_unit(after.string[after.start("first") : after.end(last)])):
            return unit, after.end(last)
    return None


def _one_word_unit(after: re.Match[str]) -> tuple[Unit, int] | None:
    first, gap = after["first"], after["gap"]
    is_stray_letter = len(first) == 1 and first.isalpha() and gap and first not in _SPACED_LETTERS
    if not is_stray_letter and (unit := find_unit(first)):
        return unit, after.end("first")
    if gap.isspace() and _PLURAL.fullmatch(first) and first not in _NOT_PLURALS:
        return THING, after.end("first")
    return None
