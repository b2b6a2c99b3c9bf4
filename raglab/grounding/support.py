"""Support: whether the numbers of a statement are in its sources, each by its value and with a unit that agrees."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache

from raglab.grounding.numbers import Mention, Quantity, Value, has_decimal_commas, mentions, plain, squeezed
from raglab.grounding.units import THING, Unit

_GLUED_VERSION = re.compile(r"v\d", re.IGNORECASE)  # 1.2 is not in v1.2, but it may be in "version 1.2"


@dataclass(frozen=True, slots=True)
class Numbers:
    """Every number of a text, ready to be looked up."""

    text: str
    comma: bool  # whether the text writes decimals with a comma
    found: dict[Value, list[tuple[Quantity, str]]] = field(default_factory=dict)  # with what was written
    written: set[str] = field(default_factory=set)  # digits that may name a version


@dataclass(frozen=True, slots=True)
class Miss:
    """Why a mention has no support: its value is nowhere (`units` is empty), or only with other units."""

    quantity: Quantity
    units: tuple[str, ...] = ()  # how the texts write the same value


@lru_cache(maxsize=512)
def numbers_of(text: str) -> Numbers:
    """The numbers of a passage or question, for `missing_support`."""
    numbers = Numbers(plain(text), has_decimal_commas(plain(text)))
    for mention in mentions(text):
        for quantity in (quantity for reading in mention.readings for quantity in reading):
            numbers.found.setdefault(quantity.value, []).append((quantity, mention.text))
            if quantity.raw and quantity.unit <= THING and not _GLUED_VERSION.match(mention.text):
                numbers.written.add(quantity.raw)
    return numbers


def missing_support(mention: Mention, sources: Sequence[Numbers]) -> Miss | None:
    """None if one reading of the mention is in the sources, each quantity with a unit that agrees; else why not.

    >>> missing_support(mentions("9 AM")[0], [numbers_of("Closes at 9 PM.")]).units
    ('9 PM',)
    """
    misses = []
    for reading in mention.readings:
        miss = next(filter(None, (_miss(quantity, sources) for quantity in reading)), None)
        if miss is None:
            return None
        misses.append(miss)
    return max(misses, key=lambda miss: bool(miss.units))


def is_derived(quantity: Quantity, sources: Sequence[Numbers]) -> bool:
    """Whether the value is the sum or difference of two numbers of the sources, or the sum of all of one unit.

    >>> is_derived(Quantity(Decimal(30)), [numbers_of("10 in May, 20 in June")])
    True
    """
    if not isinstance(quantity.value, Decimal):
        return False
    found = [entry for source in sources for group in source.found.values() for entry, _ in group]
    entries = [entry for entry in found if not entry.unit or not quantity.unit or entry.unit & quantity.unit]
    counts = Counter(entry.value for entry in entries if isinstance(entry.value, Decimal))
    totals: dict[Unit, Decimal] = {}
    for entry in entries:
        if isinstance(entry.value, Decimal):
            totals[entry.unit] = totals.get(entry.unit, Decimal(0)) + entry.value
    is_sum = any(counts[quantity.value - value] > (quantity.value - value == value) for value in counts)
    is_difference = quantity.value != 0 and any(value - quantity.value in counts for value in counts)
    return is_sum or is_difference or quantity.value in totals.values()


def _miss(quantity: Quantity, sources: Sequence[Numbers]) -> Miss | None:
    others: list[str] = []
    for source in sources:
        for found, written in source.found.get(quantity.value, ()):
            if not found.unit or not quantity.unit or found.unit & quantity.unit:
                return None
            others.append(written)
        if quantity.raw and quantity.unit <= THING and quantity.raw in source.written:
            return None
        if str(quantity.value).startswith("#") and _names(source.text, str(quantity.value)[1:]):
            return None
    return Miss(quantity, tuple(dict.fromkeys(others)))


def _names(text: str, name: str) -> bool:
    """Whether the text writes a name such as `a5` in any way: `A5`, `A-5`, `A 5`."""
    return bool(re.search(rf"{re.escape(name)}(?!\.?\d)", squeezed(text)))
