"""From a JSON schema to one small value that fits it: what a forced tool is called with, or a reply that must fit.

The library jsonschema tells what is a schema (draft 2020-12), and whether a value fits one. Here values are made for
it to try, the simplest first. A schema is made flat before: a list, in which what it asks for by references, `allOf`
and choices stands beside it.
"""

import json
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache, lru_cache, partial
from itertools import chain, islice, product
from math import ceil, floor, inf
from typing import Any

from mock_llm.errors import MockError, RequestError
from mock_llm.patterns import Pattern, PatternError

MOST_STEPS = 10_000  # a schema can be small and its smallest value huge; a step is a value that is tried
PER_STEP = 50  # characters of a value
MOST_TRIES = 200  # for one place, of one type
LONGEST = 100_000  # characters of a schema
MOST_KEPT = 256  # schemas; one request may have 128 tools

NO_END = "the schema nests too deeply or never ends"
NO_VALUE = "no small value fits the schema: it contradicts itself, or asks for too much"

Schema = Any  # a dict, True or False
Flat = tuple[dict[str, Any], ...]  # schemas for one place, of which references, `allOf` and choices are beside them
Place = tuple[str, ...]  # the names that lead to a place in the value
Refs = tuple[str, ...]  # the references that lead to it in the schema


class SchemaError(MockError):
    """What is no schema, or one that no value is found for; the message says where and why."""


def check_schema(schema: object) -> None:
    """Raise SchemaError for what is no schema.

    >>> check_schema({"type": "object", "properties": {"days": {"type": "integer", "minimum": "3"}}})
    Traceback (most recent call last):
    mock_llm.schemas.SchemaError: '3' is not of type 'number' in 'properties.days.minimum'
    """
    if fault := _kept(_fault, schema):
        raise SchemaError(fault)


def example(schema: Schema, path: str = "tools") -> Any:
    """A value that fits the schema, decided by the schema alone: required properties, first choices.

    A free string is the name of its property, and a number the one nearest to 0. Raises RequestError, which begins
    with the schema's path in the request, for what is no schema, and for a schema that no small value is found for.

    >>> example({"type": "object", "required": ["city", "days"],
    ...          "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 3}}})
    {'city': 'city', 'days': 3}
    """
    try:
        check_schema(schema)
        return json.loads(_kept(_made, schema))
    except SchemaError as error:
        raise RequestError(f"{path}: {error}", param=path) from None


def _kept(work: Callable[[str], str], schema: object) -> str:
    """What is found for the JSON text of a schema, now or before."""
    try:
        text = json.dumps(schema)
    except RecursionError:
        raise SchemaError(NO_END) from None
    if len(text) > LONGEST:
        raise SchemaError(f"this mock reads no schema of more than {LONGEST:,} characters")
    return work(text)


@lru_cache(maxsize=MOST_KEPT)
def _fault(text: str) -> str:
    """Why a text is no schema, or nothing."""
    import jsonschema

    try:
        jsonschema.Draft202012Validator.check_schema(json.loads(text), format_checker=None)
    except RecursionError:
        return NO_END
    except jsonschema.SchemaError as error:
        while error.context:  # the first of several choices says more
            error = error.context[0]
        where = ".".join(map(str, error.absolute_path))
        return error.message[:200] + (f" in {where[:200]!r}" if where else "")
    return ""


@lru_cache(maxsize=MOST_KEPT)
def _made(text: str) -> str:
    """The JSON text of a value. Raises SchemaError."""
    try:
        for repeats in (1, 2):
            schema = json.loads(text)
            maker = _Maker(schema, repeats)
            for value in maker.values(schema, (), ()):
                return json.dumps(value)
    except (RecursionError, ArithmeticError):
        raise SchemaError(NO_END) from None
    except ValueError as error:  # of an `$id`
        raise SchemaError(f"the schema names an address that cannot be read: {error}") from None
    raise SchemaError(maker.reason)


class _Maker:
    """One schema with its definitions, and how much may still be tried."""

    def __init__(self, root: Schema, repeats: int) -> None:
        from jsonschema import Draft202012Validator
        from jsonschema.validators import extend
        from referencing import Registry
        from referencing.jsonschema import DRAFT202012

        self.repeats = repeats  # how often a reference may lead to itself
        self.steps = MOST_STEPS
        self.reason = ""  # why there is no value, at the first place without one
        self.pattern, self.target = cache(Pattern), cache(self._target)
        self.lookup = Registry().resolver_with_root(DRAFT202012.create_resource(root)).lookup
        rules = {keyword: partial(rule, self) for keyword, rule in RULES.items()}
        self.validator = extend(Draft202012Validator, rules)(root, registry=Registry())

    def spend(self, steps: int = 1) -> None:
        self.steps -= steps
        if self.steps < 0:
            raise SchemaError(self.reason or NO_VALUE)

    def blame(self, reason: object, place: Place) -> None:
        self.reason = self.reason or str(reason) + (f" (at {'.'.join(place)[:80]!r})" if place else "")

    def _target(self, ref: str) -> Schema:
        from referencing.exceptions import Unresolvable

        try:
            found = self.lookup(ref).contents
        except (Unresolvable, LookupError, TypeError, ValueError, AttributeError):
            raise SchemaError(f"the schema names {ref[:80]!r}, which it does not define") from None
        check_schema(found)  # it can stand where no schema is looked for
        return found

    def matches(self, pattern: str, text: str) -> bool:
        self.spend()
        return self.pattern(pattern).stands_in(text)

    def fits(self, value: Any, schema: Schema, place: Place) -> bool:
        self.spend(1 + len(str(value)) // PER_STEP)
        try:
            return self.validator.evolve(schema=schema).is_valid(value)
        except (PatternError, re.error) as error:
            self.blame(error, place)
            return False

    def values(self, schema: Schema, place: Place, refs: Refs) -> Iterator[Any]:
        """Values that fit, the simplest first."""
        found = False
        for flat, within in self.flat(schema, place, refs):
            for value in self.tries(flat, place, within):
                if self.fits(value, schema, place):
                    found = True
                    yield value
        if not found:
            self.blame(NO_VALUE, place)

    def flat(self, schema: Schema, place: Place, refs: Refs) -> Iterator[tuple[Flat, Refs]]:
        """The schemas that a value has to fit, one list for each way to choose, and the references that led to them."""
        self.spend()
        if isinstance(schema, bool):
            yield from [((), refs)] if schema else []
            return
        parts = [[one] for one in schema.get("allOf", ())]
        if "$ref" in schema:
            if refs.count(schema["$ref"]) == self.repeats:
                self.blame(NO_END, place)
                return
            refs = (*refs, schema["$ref"])
            parts.append([self.target(schema["$ref"])])
        dependent = schema.get("dependentSchemas", {})
        parts += [[dependent[name]] for name in schema.get("required", ()) if name in dependent]
        parts += [schema[key] for key in ("anyOf", "oneOf") if key in schema]
        if "if" in schema:
            parts.append([{"allOf": [schema["if"], schema.get("then", True)]}, schema.get("else", True)])
        for chosen in product(*parts):
            for flats in product(*(self.flat(one, place, refs) for one in chosen)):
                more = dict.fromkeys(ref for _, within in flats for ref in within[len(refs) :])
                yield (schema, *(one for flat, _ in flats for one in flat)), (*refs, *more)

    def tries(self, flat: Flat, place: Place, refs: Refs) -> Iterator[Any]:
        """What may fit, kind by kind: where no type is named, those first that the keywords are about."""
        listed = [[one["const"]] if "const" in one else one["enum"] for one in flat if "const" in one or "enum" in one]
        if listed:
            yield from listed[0]
            return
        yield from _told(flat, "default")
        yield from chain(*_told(flat, "examples"))
        named = [sorted([one] if isinstance(one, str) else one, key="null".__eq__) for one in _told(flat, "type")]
        hinted = [HINTS[key] for one in flat for key in one if key in HINTS]
        for kind in named[0] if named else dict.fromkeys([*hinted, *MAKERS]):
            try:
                yield from islice(MAKERS[kind](self, flat, place, refs), MOST_TRIES)
            except PatternError as error:
                self.blame(error, place)

    def strings(self, flat: Flat, place: Place, refs: Refs) -> Iterator[str]:
        """Texts of the format or the pattern; otherwise the name, as long as it has to be, with a number or without."""
        least, most = _counts(flat, "Length")
        if least > LONGEST:
            return
        formats = [FORMATS[one] for one in _told(flat, "format") if one in FORMATS]
        patterns = _told(flat, "pattern")
        name, room = place[-1] if place else "value", int(min(most, LONGEST))
        for end in ("", *map(str, range(2, 2 if patterns else MOST_TRIES))) if not formats else ():
            yield name[: max(room - len(end), 0)].ljust(least - len(end), "x") + end
        if len(patterns) > 1:
            patterns = ["".join(f"(?=.*(?:{one}))" for one in patterns)]
        for pattern in (*formats, *patterns):
            texts = self.pattern(pattern).texts(least)
            fitting = (text for text in texts if all(self.matches(one, text) for one in formats))
            yield from islice(fitting, MOST_TRIES // 2)

    def numbers(self, flat: Flat, place: Place, refs: Refs) -> Iterator[float]:
        """Whole ones or multiples that are in range, those nearest to 0 first; then others."""
        low = max(map(Fraction, _told(flat, "minimum") + _told(flat, "exclusiveMinimum")), default=-inf)
        high = min(map(Fraction, _told(flat, "maximum") + _told(flat, "exclusiveMaximum")), default=inf)
        if low > high:
            return
        first = Fraction(min(max(0, low), high))
        step = Fraction(str(max(_told(flat, "multipleOf"), default=1)))
        whole = (n * step for i in range(MOST_TRIES // 3) for n in (ceil(first / step) + i, floor(first / step) - i))
        bottom, top = max(low, first - 1), min(high, first + 1)
        between = (bottom + (top - bottom) / parts for parts in range(2, MOST_TRIES))
        for value in chain((one for one in whole if low <= one <= high), [first], between):
            yield value.numerator if value.denominator == 1 else float(value)

    def arrays(self, flat: Flat, place: Place, refs: Refs) -> Iterator[list[Any]]:
        """As few items as may be, those last that must be contained."""
        least, _ = _counts(flat, "Items")
        wanted = _told(flat, "contains")
        times = max([int(one.get("minContains", 1)) for one in flat if "contains" in one], default=0)
        after = max(map(len, _told(flat, "prefixItems")), default=0) + times
        for length in dict.fromkeys((max(least, times), max(least, after))):
            made: list[Any] = []
            for i in range(length):
                schemas = [(one.get("prefixItems", [])[i : i + 1] or [one.get("items", True)])[0] for one in flat]
                schema = {"allOf": schemas + wanted if i >= length - times else schemas}
                for item in self.values(schema, place, refs):
                    if not any(_told(flat, "uniqueItems")) or self.fits([*made, item], {"uniqueItems": True}, place):
                        made.append(item)
                        break
                else:
                    break
            else:
                yield made

    def objects(self, flat: Flat, place: Place, refs: Refs) -> Iterator[dict[str, Any]]:
        """The properties that are required, and as many more as must be."""
        needed = list(dict.fromkeys(chain(*_told(flat, "required"))))
        for name in needed:  # it grows
            more = chain(*(one.get(name, ()) for one in _told(flat, "dependentRequired")))
            needed += [one for one in more if one not in needed]
        least = max(_counts(flat, "Properties")[0], len(needed))
        made: dict[str, Any] = {}
        for name in chain(needed, self.names(flat)):
            if len(made) >= least:
                break
            if name not in made:
                made.update((name, value) for value in islice(self.property(flat, name, place, refs), 1))
        yield made
        for name in made:
            yield from ({**made, name: value} for value in self.property(flat, name, place, refs))

    def names(self, flat: Flat) -> Iterator[str]:
        """Names of properties that need not be there: those described, those of a pattern, any."""
        yield from chain(*_told(flat, "properties"))
        patterns = [{"pattern": pattern} for pattern in chain(*_told(flat, "patternProperties"))]
        for rule in (*patterns, True):
            yield from self.values({"allOf": [{"type": "string"}, rule, *_told(flat, "propertyNames")]}, ("key",), ())

    def property(self, flat: Flat, name: str, place: Place, refs: Refs) -> Iterator[Any]:
        """Values for a property."""
        schemas: list[Schema] = []
        for one in flat:
            own = [one["properties"][name]] if name in one.get("properties", {}) else []
            schemas += own + self.described(one, name) or [one.get("additionalProperties", True)]
        return self.values({"allOf": schemas}, (*place, name), refs)

    def described(self, schema: dict[str, Any], name: str) -> list[Schema]:
        """The schemas of a property of this name in `patternProperties`."""
        return [one for pattern, one in schema.get("patternProperties", {}).items() if self.matches(pattern, name)]

    # Rules of the validator: see RULES. Each gives the errors of a value.

    def target_rule(self, validator: Any, ref: str, value: Any, schema: Schema) -> Iterator[Exception]:
        self.spend()
        yield from validator.descend(value, self.target(ref))

    def pattern_rule(self, validator: Any, pattern: str, value: Any, schema: Schema) -> Iterator[Exception]:
        if isinstance(value, str) and not self.matches(pattern, value):
            yield from validator.descend(value, False)

    def described_rule(self, validator: Any, patterns: Any, value: Any, schema: Schema) -> Iterator[Exception]:
        for name in value if isinstance(value, dict) else ():
            for one in self.described(schema, name):
                yield from validator.descend(value[name], one)

    def others_rule(self, validator: Any, other: Schema, value: Any, schema: Schema) -> Iterator[Exception]:
        for name in value if isinstance(value, dict) else ():
            if name not in schema.get("properties", {}) and not self.described(schema, name):
                yield from validator.descend(value[name], other)


def _told(flat: Flat, keyword: str) -> list[Any]:
    return [one[keyword] for one in flat if keyword in one]


def _counts(flat: Flat, what: str) -> tuple[int, float]:
    """How many there must be at least, and at most."""
    return max(map(int, _told(flat, f"min{what}")), default=0), min(map(int, _told(flat, f"max{what}")), default=inf)


# Formats of strings, each as a pattern of valid ones, the plainest of which is the shortest. To add one, add a line.
FORMATS = {
    "date": r"^2026-01-(0[1-9]|[12]\d)$",
    "date-time": r"^2026-01-(0[1-9]|[12]\d)T00:00:00(\.0+)?Z$",
    "time": r"^[01]\d:[0-5]\d:00(\.0+)?Z$",
    "duration": r"^P[1-9]\d*D$",
    "email": r"^[a-z]{1,60}@example\.org$",
    "hostname": r"^([a-z]{1,60}\.)?example\.org$",
    "ipv4": r"^127\.0\.0\.[1-9]$",
    "ipv6": r"^::[1-9]$",
    "uri": r"^https://example\.org(/[a-z]*)?$",
    "uuid": r"^00000000-0000-4000-8000-\d{12}$",
}

# Rules of the validator in place of the library's, which could take for ever. To add one, add a line.
RULES: dict[str, Callable[..., Iterator[Exception]]] = {
    "$ref": _Maker.target_rule,
    "$dynamicRef": _Maker.target_rule,
    "pattern": _Maker.pattern_rule,
    "patternProperties": _Maker.described_rule,
    "additionalProperties": _Maker.others_rule,
}

# The keywords that tell of a type where none is named.
HINTS = {
    keyword: kind
    for kind, keywords in (
        ("object", "properties required minProperties maxProperties patternProperties additionalProperties "
                   "propertyNames dependentRequired dependentSchemas"),
        ("array", "items prefixItems contains minItems maxItems uniqueItems"),
        ("string", "minLength maxLength pattern format"),
        ("number", "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"),
    )
    for keyword in keywords.split()
}  # fmt: skip

# How values of each type are made, in the order in which they are tried where no type is named. To add one, add a line.
MAKERS: dict[str, Callable[[_Maker, Flat, Place, Refs], Iterator[Any]]] = {
    "string": _Maker.strings,
    "integer": _Maker.numbers,
    "number": _Maker.numbers,
    "object": _Maker.objects,
    "array": _Maker.arrays,
    "boolean": lambda maker, flat, place, refs: iter((True, False)),
    "null": lambda maker, flat, place, refs: iter((None,)),
}
