"""Numerals: what digits and number words say by themselves, before any unit, date or name is read around them."""

import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from typing import Literal, NamedTuple

from raglab.grounding.units import MAGNITUDES, SCALES, SMALL, TENS

Value = Decimal | str  # a str for what is compared as text: "v2.10", "9:30", "#h2o", "192.168.0.1"
Commas = Sequence[bool]  # each a way to read a lone comma: `1,5` as a decimal (True), `1,500` as thousands (False)

# ── Normal form ────────────────────────────────────────────────────────────────────────────────────────────────────

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_SUPERSCRIPTS = re.compile("(?:(?<![A-Za-z])|(?<=[A-Za-z]{3}))[¹²³⁰⁴-⁹]+")  # a footnote mark or an exponent, but m²
_BEFORE_VULGAR_FRACTION = re.compile("(?<=[0-9])(?=[¼-¾⅐-⅞])")
_SPACED_GROUPS = re.compile("(?<![\\d.,])\\d{1,3}(?:[\u00a0\u2007-\u2009\u202f]\\d{3})+(?!\\d)")
_DIGITS = re.compile(r"[^\W\D]")
_MARKS = str.maketrans("−‐‑—’‘٫٬٪º", "---–''.,%°")
_ISO_TIME = re.compile(r"(?<=\d)T(?=\d\d:)")
_EMPHASIS = re.compile(r"\*\*|(?<!\w)[*_]+|[*_]+(?!\w)|`|\\(?=[^\w\s])")
_WRAP = re.compile(r"[ \t]+\n?[ \t]*|\n[ \t]+")  # also before an indented line; an empty line is not a wrap


def normalized(text: str) -> str:
    """The text with ASCII digits and marks, without emphasis and indents; `1 200` with a hard space becomes `1200`.

    >>> normalized("**１２** 000, ٣٫٥, 2½")
    '12 000, 3.5, 2 1⁄2'
    """
    if not text.isascii():
        text = _BEFORE_VULGAR_FRACTION.sub(" ", _SUPERSCRIPTS.sub("", _INVISIBLE.sub("", text)))
        text = _SPACED_GROUPS.sub(lambda groups: "".join(filter(str.isdecimal, groups[0])), text)
        text = unicodedata.normalize("NFKC", text.translate(_MARKS)).translate(_MARKS)
        text = _DIGITS.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)
    return _WRAP.sub(" ", _ISO_TIME.sub(" ", _EMPHASIS.sub("", text)))


# ── Digits and separators ──────────────────────────────────────────────────────────────────────────────────────────

_NO_DIGIT_FOLLOWS = r"(?![\d.,]*\d)"
_DECIMAL_COMMA = re.compile(
    rf"(?<![\d.,])(?:\d{{1,3}}(?:\.\d{{3}})+,\d+|\d+,\d\d?|0,\d+|\d{{1,3}}(?:\.\d{{3}}){{2,}}"
    rf"|(?<=€)\d{{1,3}}\.\d{{3}}|\d{{1,3}}\.\d{{3}}(?=\s?(?:€|EUR\b|[Ee]uro))){_NO_DIGIT_FOLLOWS}"
)
_DECIMAL_POINT = re.compile(
    rf"(?<![\d.,vV])(?:\d{{1,3}}(?:,\d{{3}})+\.\d+|\d+\.\d{{2}}|0\.\d+|\d{{1,3}}(?:,\d{{3}}){{2,}}){_NO_DIGIT_FOLLOWS}"
)


def has_decimal_commas(text: str) -> bool:
    """Whether the numbers of a text show that it writes 1.200,50 and not 1,200.50.

    >>> has_decimal_commas("It costs 3,50."), has_decimal_commas("It has 1,200 members.")
    (True, False)
    """
    return bool(_DECIMAL_COMMA.search(text)) and not _DECIMAL_POINT.search(text)


_MOST_DIGITS = 100  # more are a code, compared as text


def values_of_digits(raw: str, decimal_comma: bool) -> list[Value]:
    """What digits with separators say: one number, a dotted name such as 1.2.3, or each number of a list.

    >>> [values_of_digits(raw, decimal_comma=False) for raw in ("1,200", "1.200,50", "1.2.3")]
    [[Decimal('1200')], [Decimal('1200.50')], ['1.2.3']]
    """
    raw = raw.replace("'", "")
    if len(raw) > _MOST_DIGITS:
        return [raw]
    if "," in raw and "." in raw:
        return _with_both_marks(raw)
    if "," in raw:
        return _with_one_mark(raw, ",", decimal_comma)
    if "." in raw:
        return _with_one_mark(raw, ".", decimal_comma)
    return [Decimal(raw)]


def _with_both_marks(raw: str) -> list[Value]:
    """The later mark is the decimal one, whatever country the writer is from."""
    point, group = (".", ",") if raw.rindex(".") > raw.rindex(",") else (",", ".")
    whole, _, rest = raw.rpartition(point)
    if point not in whole and _is_grouped(whole, group):
        return [Decimal(f"{whole.replace(group, '')}.{rest}")]
    return [value for piece in raw.split(",") for value in values_of_digits(piece, False)]


def _with_one_mark(raw: str, mark: str, decimal_comma: bool) -> list[Value]:
    is_single = raw.count(mark) == 1
    may_group = not is_single or decimal_comma == (mark == ".")
    if may_group and _is_grouped(raw, mark):
        return [Decimal(raw.replace(mark, ""))]
    if is_single:
        return [Decimal(raw.replace(",", "."))]
    return [raw] if mark == "." else [Decimal(piece) for piece in raw.split(",")]


def _is_grouped(raw: str, mark: str) -> bool:
    """Whether the mark may separate thousands: 1,200 and 12,34,567, but not 0,125 or 3,50."""
    first, *middle, last = raw.split(mark)
    western = all(len(each) == 3 for each in middle)
    indian = len(first) <= 2 and all(len(each) == 2 for each in middle)
    return 0 < len(first) <= 3 and first[0] != "0" and len(last) == 3 and (western or indian)


# ── Number words ───────────────────────────────────────────────────────────────────────────────────────────────────


class _Spelled(NamedTuple):
    """A number in words, as far as it has been read."""

    thousands: int = 0  # all up to the last "thousand" or "million"
    rest: int = 0  # what the words after it add
    last: Literal["nothing", "article", "small", "tens", "dozen", "scale"] = "nothing"  # the kind of the last word


_FIRST_WORD = re.compile(r"[A-Za-z]+\b")
_NEXT_WORD = re.compile(r"(?P<link>\s(?:and\s)?|-)(?P<word>[A-Za-z]+)\b")


def spelled_number(text: str, start: int) -> tuple[Decimal, int] | None:
    """The longest number in words that begins at `start`, and its end; None if none begins there.

    >>> spelled_number("two hundred and ten pupils", 0)
    (Decimal('210'), 19)
    """
    first = _FIRST_WORD.match(text, start)
    if first is None:
        return None
    if first[0].lower() in ("a", "an"):
        number, end = _Spelled(last="article"), start  # "a" alone is not a number: it needs the "dozen" after it
    elif one_word := _with_word(_Spelled(), first[0].lower()):
        number, end = one_word, first.end()
    else:
        return None
    following = _NEXT_WORD.match(text, first.end())
    while following and _may_continue(number, following["link"]):
        longer = _with_word(number, following["word"].lower())
        if longer is None:
            break
        number, end = longer, following.end()
        following = _NEXT_WORD.match(text, end)
    return (Decimal(number.thousands + number.rest), end) if end > start else None


def _may_continue(number: _Spelled, link: str) -> bool:
    """Whether "and" may join: `two hundred and ten` is one number, `five and ten` are two."""
    return number.last == "scale" or link in (" ", "-")


def _with_word(number: _Spelled, word: str) -> _Spelled | None:
    """The number with one more word; None if the word cannot continue it."""
    thousands, rest, last = number
    is_open = last in ("nothing", "scale")
    if word in SMALL and (is_open or (last == "tens" and 0 < SMALL[word] < 10)):
        return _Spelled(thousands, rest + SMALL[word], "small")
    if word in TENS and is_open:
        return _Spelled(thousands, rest + TENS[word], "tens")
    scale = SCALES.get(word, 0)
    if rest >= scale or not (rest or last == "article"):
        return None
    scaled = (rest or 1) * scale
    if scale >= 1000:
        return _Spelled(thousands + scaled, 0, "scale")
    return _Spelled(thousands, scaled, "dozen" if word == "dozen" else "scale")


# ── Magnitudes ─────────────────────────────────────────────────────────────────────────────────────────────────────

_MAGNITUDE = re.compile(
    r"[\s-]?((?i:hundred|thousand|lakh|million|crore|billion|trillion|dozen|mln|mn|bn))s?\b|([kKMB])(?![A-Za-z0-9])"
    r"|([千万萬億亿])"
)
_MONEY_MAGNITUDE = re.compile(r"\s?([kKmMbB])(?![A-Za-z0-9])")
_LARGEST_MAGNITUDE = 10**9  # nothing more is read after it, so no text makes an endless product
_AND_A_HALF = re.compile(r"\s+and\s+a\s+half\b")


def magnitude_after(text: str, position: int, is_money: bool = False) -> tuple[Decimal, int]:
    """The product of the magnitudes that follow a number, and where they end.

    >>> magnitude_after("5 hundred thousand", 1), magnitude_after("$5m", 2, is_money=True)
    ((Decimal('100000'), 18), (Decimal('1000000'), 3))
    """
    scale, end = Decimal(1), position
    while scale < _LARGEST_MAGNITUDE:
        found = _MAGNITUDE.match(text, end)
        if found is None and is_money and scale == 1:
            found = _MONEY_MAGNITUDE.match(text, end)
        if found is None:
            break
        scale *= MAGNITUDES[found[found.lastindex or 0].lower()]
        end = found.end()
    return scale, end


def half_after(text: str, position: int) -> tuple[Decimal, Decimal, int]:
    """What `and a half` adds to a number, the magnitude after it, and where they end.

    >>> half_after("two and a half million", 3)
    (Decimal('0.5'), Decimal('1000000'), 22)
    """
    half = _AND_A_HALF.match(text, position)
    if half is None:
        return Decimal(0), Decimal(1), position
    scale, end = magnitude_after(text, half.end())
    return Decimal("0.5"), scale, end
