"""From a JSON schema to one small value that fits it: what a forced tool is called with, or a reply that must fit.

    schema ──flat──▶ the schemas of one place ──kinds──▶ types ──MAKERS──▶ values to try ──fits──▶ the first that fits

A schema is made flat first: a tuple, in which what it asks for by references, `allOf` and choices is beside it. Then
values are made, the simplest first, and each is held against the schema. No text is invented for a pattern: the usual
ones are tried.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import chain, islice, product
from math import ceil, floor, inf
from typing import NamedTuple

from mock_llm.errors import RequestError
from mock_llm.records import Json, JsonObject
from mock_llm.schemas import (
    LONGEST,
    MOST_KEPT,
    NO_END,
    BudgetError,
    PatternError,
    SchemaError,
    check_schema,
    remembered,
)

MOST_TRIES = 200  # for one place, of one type
MOST_NAMES = 10  # tries of a text that has a pattern

NO_VALUE = "no small value fits the schema: it contradicts itself, or asks for too much"
NO_TEXT = (
    "this mock invents no text for the pattern {!r}: add an example, a default or an enum, "
    "or script the reply with mock.script"
)

Flat = tuple[JsonObject, ...]  # schemas for one place, of which references, `allOf` and choices are beside them


class Place(NamedTuple):
    """A place in the value."""

    names: tuple[str, ...] = ()  # that lead to it in the value
    refs: tuple[str, ...] = ()  # that lead to it in the schema


def example(schema: Json, path: str = "tools") -> Json:
    """A value that fits the schema, decided by the schema alone: required properties, first choices.

    A free string is the name of its property, and a number the one nearest to 0. Raises RequestError, which begins
    with the schema's path in the request, for what is not a schema, and for a schema that no small value is found for.

    >>> example({"type": "object", "required": ["city", "days"],
    ...          "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 3}}})
    {'city': 'city', 'days': 3}
    """
    try:
        check_schema(schema)
        return json.loads(remembered(_made, schema))
    except SchemaError as error:
        raise RequestError(f"{path}: {error}", param=path) from None


@lru_cache(maxsize=MOST_KEPT)
def _made(text: str) -> str:
    """The JSON text of a value. Raises SchemaError."""
    schema = json.loads(text)
    if isinstance(schema, dict):
        schema.pop("$schema", None)  # it is read as draft 2020-12 whatever it says
    reason = NO_VALUE
    try:
        for repeats in (1, 2):
            maker = _Maker(schema, repeats)
            for value in maker.values(schema, Place()):
                return json.dumps(value)
            reason = maker.reason
    except (RecursionError, ArithmeticError):
        raise SchemaError(NO_END) from None
    except ValueError as error:  # of an `$id`
        raise SchemaError(f"the schema names an address that cannot be read: {error}") from None
    raise SchemaError(reason)


class _Maker:
    """Makes values of one schema and its parts."""

    def __init__(self, root: Json, repeats: int) -> None:
        from mock_llm.fitting import Judge  # here, since it loads jsonschema

        self.judge = Judge(root)
        self.repeats = repeats  # how often a reference may lead to itself
        self.reason = ""  # why there is no value, at the first place without one

    def values(self, schema: Json, place: Place) -> Iterator[Json]:
        """Values that fit, the simplest first."""
        found, patterns = False, []
        try:
            for flat, inner in self.flat(schema, place):
                patterns += [] if _listed(flat) else _given(flat, "pattern")
                for value in self.tries(flat, inner):
                    if self.fits(value, schema, place):
                        found = True
                        yield value
        except BudgetError:
            raise SchemaError(self.reason or NO_VALUE) from None
        if not found:
            self.blame(NO_TEXT.format(patterns[0][:80]) if patterns else NO_VALUE, place)

    def fits(self, value: Json, schema: Json, place: Place) -> bool:
        try:
            return self.judge.fits(value, schema)
        except PatternError as error:
            self.blame(str(error), place)
            return False

    def blame(self, reason: str, place: Place) -> None:
        self.reason = self.reason or reason + (f" (at {'.'.join(place.names)[:80]!r})" if place.names else "")

    def flat(self, schema: Json, place: Place) -> Iterator[tuple[Flat, Place]]:
        """The schemas that a value has to fit, for each way to choose, and the place with their references."""
        self.judge.spend()
        if isinstance(schema, bool):
            yield from [((), place)] if schema else []
            return
        choices = _choices(schema)
        if "$ref" in schema:
            if place.refs.count(schema["$ref"]) == self.repeats:
                self.blame(NO_END, place)
                return
            place = place._replace(refs=(*place.refs, schema["$ref"]))
            choices.append([self.judge.target(schema["$ref"])])
        for chosen in product(*choices):
            for flats in product(*(self.flat(one, place) for one in chosen)):
                more = dict.fromkeys(ref for _, inner in flats for ref in inner.refs[len(place.refs) :])
                together = chain([schema], *(flat for flat, _ in flats))
                yield tuple(together), place._replace(refs=(*place.refs, *more))

    def tries(self, flat: Flat, place: Place) -> Iterator[Json]:
        """What may fit: what the schema itself gives, or else the values of each type."""
        for listed in _listed(flat):
            yield from listed
            return
        yield from _given(flat, "default")
        yield from chain(*_given(flat, "examples"))
        for kind in _kinds(flat):
            try:
                yield from islice(MAKERS[kind](self, flat, place), MOST_TRIES)
            except PatternError as error:
                self.blame(str(error), place)

    def arrays(self, flat: Flat, place: Place) -> Iterator[list[Json]]:
        """As few items as may be, those last that must be contained."""
        least, _ = _counts(flat, "Items")
        wanted = _given(flat, "contains")
        times = max([int(one.get("minContains", 1)) for one in flat if "contains" in one], default=0)
        after = max(map(len, _given(flat, "prefixItems")), default=0) + times
        for length in dict.fromkeys((max(least, times), max(least, after))):
            made: list[Json] = []
            for i in range(length):
                schemas = [(one.get("prefixItems", [])[i : i + 1] or [one.get("items", True)])[0] for one in flat]
                schema = {"allOf": schemas + wanted if i >= length - times else schemas}
                made += islice(self.items(schema, flat, made, place), 1)
                if len(made) == i:
                    break
            else:
                yield made

    def items(self, schema: Json, flat: Flat, before: list[Json], place: Place) -> Iterator[Json]:
        """Values for an item after others, unlike them if they must be unique."""
        unique = any(_given(flat, "uniqueItems"))
        for item in self.values(schema, place):
            if not unique or self.fits([*before, item], {"uniqueItems": True}, place):
                yield item

    def objects(self, flat: Flat, place: Place) -> Iterator[JsonObject]:
        """The properties that are required, and as many more as must be."""
        needed = _required(flat)
        least = max(_counts(flat, "Properties")[0], len(needed))
        made: JsonObject = {}
        for name in chain(needed, self.names(flat, place)):
            if len(made) >= least:
                break
            if name not in made:
                made.update((name, value) for value in islice(self.property(flat, name, place), 1))
        yield made
        for name in made:
            yield from ({**made, name: value} for value in self.property(flat, name, place))

    def names(self, flat: Flat, place: Place) -> Iterator[str]:
        """Names of properties that need not be there: those described, those of a pattern, any."""
        yield from chain(*_given(flat, "properties"))
        patterns = [{"pattern": pattern} for pattern in chain(*_given(flat, "patternProperties"))]
        for rule in (*patterns, True):
            schema = {"allOf": [{"type": "string"}, rule, *_given(flat, "propertyNames")]}
            yield from self.values(schema, Place((*place.names, "key")))

    def property(self, flat: Flat, name: str, place: Place) -> Iterator[Json]:
        """Values for a property."""
        schemas: list[Json] = []
        for one in flat:
            own = [one["properties"][name]] if name in one.get("properties", {}) else []
            schemas += own + self.judge.described(one, name) or [one.get("additionalProperties", True)]
        return self.values({"allOf": schemas}, place._replace(names=(*place.names, name)))


def _choices(schema: JsonObject) -> list[list[Json]]:
    """Lists of schemas: besides this one, a value has to fit one of each list."""
    dependent = schema.get("dependentSchemas", {})
    together = [
        *schema.get("allOf", ()),
        *(dependent[name] for name in schema.get("required", ()) if name in dependent),
    ]
    choices = [[one] for one in together] + [schema[key] for key in ("anyOf", "oneOf") if key in schema]
    if "if" in schema:
        choices.append([{"allOf": [schema["if"], schema.get("then", True)]}, schema.get("else", True)])
    return choices


def _listed(flat: Flat) -> list[list[Json]]:
    return [[one["const"]] if "const" in one else one["enum"] for one in flat if "const" in one or "enum" in one]


def _given(flat: Flat, keyword: str) -> list[Json]:
    return [one[keyword] for one in flat if keyword in one]


def _counts(flat: Flat, what: str) -> tuple[int, float]:
    """How many there must be at least, and at most."""
    return max(map(int, _given(flat, f"min{what}")), default=0), min(map(int, _given(flat, f"max{what}")), default=inf)


def _kinds(flat: Flat) -> Iterable[str]:
    """The types to try. Where none is named, those come first that the keywords are about."""
    for named in _given(flat, "type"):
        return [named] if isinstance(named, str) else sorted(named, key="null".__eq__)
    if _given(flat, "pattern"):
        return ["string"]  # a number would fit, but is not what is meant
    return dict.fromkeys([*(HINTS[key] for one in flat for key in one if key in HINTS), *MAKERS])


def _required(flat: Flat) -> list[str]:
    """The required properties, and those that are required with one of them."""
    needed = list(dict.fromkeys(chain(*_given(flat, "required"))))
    for name in needed:  # it grows
        more = chain(*(one.get(name, ()) for one in _given(flat, "dependentRequired")))
        needed += [one for one in more if one not in needed]
    return needed


def _strings(maker: _Maker, flat: Flat, place: Place) -> Iterator[str]:
    """Texts of the format; otherwise the name, as long as it has to be, with a number or without."""
    least, most = _counts(flat, "Length")
    if least > LONGEST:
        return
    for form in (one for one in _given(flat, "format") if one in FORMATS):
        shortest = len(FORMATS[form](0, ""))
        yield from (FORMATS[form](i, "x" * (least - shortest)) for i in range(MOST_TRIES // 2))
        return
    name, room = place.names[-1] if place.names else "value", int(min(most, LONGEST))
    for end in ("", *map(str, range(2, MOST_NAMES if _given(flat, "pattern") else MOST_TRIES))):
        yield name[: max(room - len(end), 0)].ljust(least - len(end), "x") + end


def _numbers(maker: _Maker, flat: Flat, place: Place) -> Iterator[float]:
    """Whole ones or multiples that are in range, those nearest to 0 first; then others."""
    low = max(map(Fraction, _given(flat, "minimum") + _given(flat, "exclusiveMinimum")), default=-inf)
    high = min(map(Fraction, _given(flat, "maximum") + _given(flat, "exclusiveMaximum")), default=inf)
    if low > high:
        return
    first = Fraction(min(max(0, low), high))
    step = Fraction(str(max(_given(flat, "multipleOf"), default=1)))
    whole = (n * step for i in range(MOST_TRIES // 3) for n in (ceil(first / step) + i, floor(first / step) - i))
    bottom, top = Fraction(max(low, first - 1)), Fraction(min(high, first + 1))
    between = (bottom + (top - bottom) / parts for parts in range(2, MOST_TRIES))
    for value in chain((one for one in whole if low <= one <= high), [first], between):
        yield value.numerator if value.denominator == 1 else float(value)


def _date(i: int) -> str:
    return f"2026-{i // 28 + 1:02}-{i % 28 + 1:02}"


# Formats of strings, each as a text of the i-th valid one with some letters more, if it can have more. To add one,
# add a line.
FORMATS: dict[str, Callable[[int, str], str]] = {
    "date": lambda i, more: _date(i),
    "date-time": lambda i, more: f"{_date(i)}T00:00:00Z",
    "time": lambda i, more: f"{i // 60:02}:{i % 60:02}:00Z",
    "duration": lambda i, more: f"P{i + 1}{'0' * len(more)}D",
    "email": lambda i, more: f"a{more}{i or ''}@example.org",
    "hostname": lambda i, more: f"{more}{i or ''}.example.org" if more or i else "example.org",
    "ipv4": lambda i, more: f"127.0.0.{i + 1}",
    "ipv6": lambda i, more: f"::{i + 1}",
    "uri": lambda i, more: f"https://example.org/{more}{i or ''}" if more or i else "https://example.org",
    "uuid": lambda i, more: f"00000000-0000-4000-8000-{i:012}",
}

# The keywords that tell of a type where none is named.
HINTS = {
    keyword: kind
    for kind, keywords in (
        ("object", "properties required minProperties maxProperties patternProperties additionalProperties "
                   "propertyNames dependentRequired dependentSchemas"),
        ("array", "items prefixItems contains minItems maxItems uniqueItems"),
        ("string", "minLength maxLength format"),
        ("number", "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"),
    )
    for keyword in keywords.split()
}  # fmt: skip

# How values of each type are made, in the order in which they are tried where no type is named. To add one, add a line.
MAKERS: dict[str, Callable[[_Maker, Flat, Place], Iterator[Json]]] = {
    "string": _strings,
    "integer": _numbers,
    "number": _numbers,
    "object": _Maker.objects,
    "array": _Maker.arrays,
    "boolean": lambda maker, flat, place: iter((True, False)),
    "null": lambda maker, flat, place: iter((None,)),
}
