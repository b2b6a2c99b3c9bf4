"""Support: whether the numbers of a statement are in its sources, each by its value and with a unit that agrees."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache

from raglab.grounding.numbers import Mention, Quantity, mentions, squeezed
from raglab.grounding.numerals import Value, has_decimal_commas, normalized
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
    """The numbers of a passage or question, for `missing_support`.

    >>> list(numbers_of("It closes at 9 PM, or 21:30 in May.").found)
    [Decimal('9'), '9:30', '21:30']
    """
    normal = normalized(text)
    numbers = Numbers(normal, has_decimal_commas(normal))
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
    misses: list[Miss] = []
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
    addends = _addends(quantity.unit, sources)
    counts = Counter(value for value, _ in addends)
    return (
        _is_sum_of_two(quantity.value, counts)
        or _is_difference(quantity.value, counts)
        or _is_total_of_a_unit(quantity.value, addends)
    )


def _addends(unit: Unit, sources: Sequence[Numbers]) -> list[tuple[Decimal, Unit]]:
    """The numbers of the sources that could add up to something in this unit."""
    entries = (entry for source in sources for group in source.found.values() for entry, _ in group)
    return [
        (entry.value, entry.unit)
        for entry in entries
        if isinstance(entry.value, Decimal) and _units_agree(entry.unit, unit)
    ]


def _is_sum_of_two(value: Decimal, counts: Counter[Decimal]) -> bool:
    for one in counts:
        other = value - one
        needed = 2 if other == one else 1
        if counts[other] >= needed:
            return True
    return False


def _is_difference(value: Decimal, counts: Counter[Decimal]) -> bool:
    return value != 0 and any(greater - value in counts for greater in counts)


def _is_total_of_a_unit(value: Decimal, addends: list[tuple[Decimal, Unit]]) -> bool:
    totals: defaultdict[Unit, Decimal] = defaultdict(Decimal)
    for addend, unit in addends:
        totals[unit] += addend
    return value in totals.values()


def _miss(quantity: Quantity, sources: Sequence[Numbers]) -> Miss | None:
    if any(_supports(source, quantity) for source in sources):
        return None
    elsewhere = (written for source in sources for _, written in source.found.get(quantity.value, ()))
    return Miss(quantity, tuple(dict.fromkeys(elsewhere)))


def _supports(source: Numbers, quantity: Quantity) -> bool:
    """By its value with a unit that agrees, by its digits where they may name a version, or by its name."""
    if any(_units_agree(found.unit, quantity.unit) for found, _ in source.found.get(quantity.value, ())):
        return True
    if quantity.unit <= THING and quantity.raw in source.written:
        return True
    return isinstance(quantity.value, str) and quantity.value.startswith("#") and _has_name(source, quantity.value[1:])


def _units_agree(one: Unit, other: Unit) -> bool:
    return not one or not other or bool(one & other)


def _has_name(source: Numbers, name: str) -> bool:
    """Whether the text writes a name such as `a5` in any way: `A5`, `A-5`, `A 5`."""
    return bool(re.search(rf"{re.escape(name)}(?!\.?\d)", squeezed(source.text)))
