"""From a JSON schema to one small value that fits it: what a forced tool is called with, or a reply that must fit.

A place in a value can be under several schemas at once: those of `allOf`, of references, of a choice in `anyOf`.
They stay a list. What is found for them is tried in a fixed order, and the first that fits is taken.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial, reduce
from itertools import count, islice, product
from math import lcm
from typing import Any

from mock_llm.errors import RequestError
from mock_llm.patterns import PLAIN, Budget, OverBudget, PatternError, matches, texts
from mock_llm.validity import NUMBER, TESTS, Rules, Schema, SchemaError, additional, check_schema, same

MOST_STEPS = 50_000  # a schema can be small and its smallest value huge
MOST_CHARACTERS = 100_000  # of all names and values that are tried
MOST_MISSES = 1_000  # in a row, of the values that are tried for one place

NO_END = "the schema nests too deeply or never ends"

Schemas = tuple[Schema, ...]
Plain = tuple[dict[str, Any], ...]  # schemas without references, `allOf` and choices, or whose own are beside them

# Formats of strings, each as a pattern of valid ones. To add one, add a line.
FORMATS = {
    "date": r"^2026-01-01$",
    "date-time": r"^2026-01-01T00:00:00(\.0+)?Z$",
    "time": r"^00:00:00(\.0+)?Z$",
    "duration": r"^P[1-9]\d*D$",
    "email": r"^[a-z]{1,60}@example\.org$",
    "hostname": r"^([a-z]{1,60}\.)*example\.org$",
    "ipv4": r"^127\.0\.0\.1$",
    "ipv6": r"^::1$",
    "uri": r"^https://example\.org(/[a-z]*)?$",
    "uuid": r"^00000000-0000-4000-8000-[0-9]{12}$",
}


def example(schema: Schema, path: str = "tools") -> Any:
    """A value that fits the schema, decided by the schema alone: required properties, first choices.

    A free string is the name of its property, and a number the one nearest to 0. Raises RequestError, which begins
    with the schema's path in the request, for what is no schema, and for a schema that no small value fits.

    >>> example({"type": "object", "required": ["city", "days"],
    ...          "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 3}}})
    {'city': 'city', 'days': 3}
    """
    maker = _Maker(schema)
    try:
        check_schema(schema)
        for value in maker.values((schema,), "value", frozenset()):
            return value
        reason = (
            NO_END if maker.endless else "no small value fits the schema: it contradicts itself, or asks for too much"
        )
    except PatternError as error:
        reason = f"this mock cannot read a pattern of the schema: {error}"
    except SchemaError as error:
        reason = str(error)
    except (OverBudget, RecursionError, ArithmeticError):
        reason = NO_END
    raise RequestError(f"{path}: {reason}", param=path)


class _Maker:
    """One schema with its definitions, and how much may still be tried."""

    def __init__(self, root: Schema) -> None:
        self.rules = Rules(root, Budget(MOST_STEPS))
        self.characters = Budget(MOST_CHARACTERS)
        self.endless = False  # a place was met within itself

    def values(self, schemas: Schemas, name: str, above: frozenset[Any]) -> Iterator[Any]:
        """Values that fit all the schemas, the simplest first. `above` are the places that this one lies in.

        A place within itself, by references, has no value: a smallest one never needs that.
        """
        place = frozenset(map(id, schemas))
        if place in above and any(isinstance(one, dict) for one in schemas):
            self.endless = True
            return
        for plain in self._all_plain(schemas, frozenset()):
            for tried in self._ways(plain, name, above | {place}):
                misses = 0
                for value in tried:
                    self.rules.budget.spend()
                    if all(self.rules.fits(value, one) for one in schemas):
                        yield value
                    elif (misses := misses + 1) > MOST_MISSES:
                        break

    def _ways(self, plain: Plain, name: str, above: frozenset[Any]) -> Iterator[Iterator[Any]]:
        """What to try, kind by kind. The characters of all are counted; what is in a list or object is by itself."""
        listed = [[one["const"]] if "const" in one else one["enum"] for one in plain if {"const", "enum"} & one.keys()]
        if listed:
            yield (self._counted(value) for value in listed[0])
            return
        for kind in _kinds(plain):
            made = MAKERS[kind](self, plain, name, above)
            yield made if kind in ("object", "array") else map(self._counted, made)

    def _counted(self, value: Any) -> Any:
        self.characters.spend(len(str(value)))
        return value

    def _all_plain(self, schemas: Schemas, within: frozenset[int]) -> Iterator[Plain]:
        """The same without references, `allOf` and choices: one tuple for each way to choose."""
        if not schemas:
            yield ()
            return
        for one in self._plain(schemas[0], within):
            for others in self._all_plain(schemas[1:], within):
                yield (*one, *others)

    def _plain(self, schema: Schema, within: frozenset[int]) -> Iterator[Plain]:
        self.rules.budget.spend()
        if isinstance(schema, bool):
            yield from [()] if schema else []
            return
        if id(schema) in within:  # a schema that is itself, by references
            self.endless = True
            return
        parts = [*schema.get("allOf", ())]
        if "$ref" in schema:
            parts.append(self.rules.target(schema["$ref"]))
        dependent = schema.get("dependentSchemas", {})
        parts += [dependent[name] for name in schema.get("required", ()) if name in dependent]
        choices = [[(one,) for one in schema[key]] for key in ("anyOf", "oneOf") if key in schema]
        if "if" in schema:
            choices.append([(schema["if"], schema.get("then", True)), (schema.get("else", True),)])
        for chosen in product(*choices):
            more = (*parts, *(one for choice in chosen for one in choice))
            for plain in self._all_plain(more, within | {id(schema)}):
                yield (schema, *plain)

    def strings(self, plain: Plain, name: str, above: frozenset[Any]) -> Iterator[str]:
        """The name, as long as it has to be; then names with a number, or texts of the patterns."""
        least, most = _counts(plain, "Length")
        if least > MOST_CHARACTERS:
            return
        patterns = [one["pattern"] for one in plain if "pattern" in one]
        formats = [FORMATS[one["format"]] for one in plain if one.get("format") in FORMATS]
        free = (text.ljust(least, "x")[: int(min(most, MOST_CHARACTERS))] for text in _named(name, most))
        if not patterns and not formats:
            yield from free
            return
        if not formats:
            yield next(free)
        made = []
        for text in islice(texts(patterns + formats, least, most, self.rules.budget), MOST_MISSES):
            yield text
            made.append(text)
        for text in made:
            for i in reversed(range(len(text))):
                yield from (f"{text[:i]}{letter}{text[i + 1 :]}" for letter in PLAIN)

    def numbers(self, plain: Plain, name: str, above: frozenset[Any], whole: bool = False) -> Iterator[float]:
        """Those nearest to 0 that are in range: whole ones, or the multiples asked for; then some between."""
        low, high = _bounds(plain)
        steps = [Fraction(str(one["multipleOf"])) for one in plain if "multipleOf" in one]
        step = reduce(_lcm, steps, Fraction(1)) if whole or not steps else reduce(_lcm, steps)
        first = Fraction(0) if low <= 0 <= high else low if low > 0 else high
        up, down = -(-first // step), first // step
        only_multiples = whole or bool(steps)
        for i in count() if only_multiples else range(MOST_MISSES // 4):
            near = [n * step for n in dict.fromkeys((up + i, down - i)) if low <= n * step <= high]
            if not near and i:
                break
            yield from map(_number, near)
        if not only_multiples and low <= high:
            least = first - 1 if low == -INFINITE else low
            width = 1 if high == INFINITE else high - least
            yield from (float(least + width / parts) for parts in map(Fraction, count(2)))

    def arrays(self, plain: Plain, name: str, above: frozenset[Any]) -> Iterator[list[Any]]:
        """As few items as may be. What must be contained stands first, or last."""
        least, most = _counts(plain, "Items")
        wanted = [(one["contains"], int(one.get("minContains", 1))) for one in plain if "contains" in one]
        needed = max([times for _, times in wanted], default=0)
        firsts = max([len(one.get("prefixItems", ())) for one in plain], default=0)
        for length in range(max(least, needed), int(min(most, max(least, needed) + firsts + 1)) + 1):
            self.rules.budget.spend(length)
            for start in dict.fromkeys((0, length - needed)):
                places = [
                    (*_items(plain, i), *[one for one, times in wanted if start <= i < start + times])
                    for i in range(length)
                ]
                yield from self._filled(places, any(one.get("uniqueItems") for one in plain), name, above)

    def _filled(self, places: list[Schemas], unique: bool, name: str, above: frozenset[Any]) -> Iterator[list[Any]]:
        """An item for each place, none twice if they are unique; then others for the last place."""
        if not places:
            yield []
            return
        streams: dict[Any, Iterator[Any]] = {}
        head: list[Any] = []
        for place in places[:-1]:
            key = (*map(id, place), () if unique else len(head))
            stream = streams.setdefault(key, self.values(place, name, above))
            taken = set(map(same, head)) if unique else set()
            item = next((one for one in stream if same(one) not in taken), _NONE)
            if item is _NONE:
                return
            head.append(item)
        for last in self.values(places[-1], name, above):
            yield [*head, last]

    def objects(self, plain: Plain, name: str, above: frozenset[Any]) -> Iterator[dict[str, Any]]:
        """The properties that are required, and as many more as must be; then others for one of them."""
        made: dict[str, Any] = {}
        asked = list(dict.fromkeys(key for one in plain for key in one.get("required", ())))
        for key in asked:  # it grows
            asked += [more for one in plain for more in one.get("dependentRequired", {}).get(key, ())
                      if more not in asked]  # fmt: skip
            value = next(self.values(self._under(plain, key), key, above), _NONE)
            if value is _NONE:
                return
            self.characters.spend(len(key))
            made[key] = value
        least, _ = _counts(plain, "Properties")
        for key in self._names(plain) if len(made) < least else ():
            value = _NONE if key in made else next(self.values(self._under(plain, key), key, above), _NONE)
            if value is not _NONE:
                self.characters.spend(len(key))
                made[key] = value
            if len(made) >= least:
                break
        yield made
        for key in made:
            yield from ({**made, key: value} for value in self.values(self._under(plain, key), key, above))

    def _names(self, plain: Plain) -> Iterator[str]:
        """Names of properties that need not be there: those described, those of a pattern, any."""
        yield from (key for one in plain for key in one.get("properties", ()))
        rules = tuple(one["propertyNames"] for one in plain if "propertyNames" in one)
        for pattern in (pattern for one in plain for pattern in one.get("patternProperties", ())):
            yield from islice(self.values(({"type": "string", "pattern": pattern}, *rules), "key", frozenset()),
                              MOST_MISSES)  # fmt: skip
        yield from self.values(({"type": "string"}, *rules), "key", frozenset())

    def _under(self, plain: Plain, key: str) -> Schemas:
        """The schemas that a property is under."""
        found: list[Schema] = []
        for one in plain:
            if key in one.get("properties", {}):
                found.append(one["properties"][key])
            described = one.get("patternProperties", {})
            found += [described[pattern] for pattern in described if matches(pattern, key, self.rules.budget)]
            if "additionalProperties" in one and additional(one, key, self.rules.budget):
                found.append(one["additionalProperties"])
        return tuple(found)


_NONE = object()


def _kinds(plain: Plain) -> list[str]:
    """The types to try: those named, null last; where none is, those that the keywords are about."""
    named = [[one["type"]] if isinstance(one["type"], str) else one["type"] for one in plain if "type" in one]
    if named:
        return sorted(named[0], key=lambda kind: kind == "null")
    told = [KINDS.get(TESTS[keyword].of) for one in plain for keyword in one if keyword in TESTS]
    return [kind for kind in dict.fromkeys([*told, *MAKERS]) if kind]


def _counts(plain: Plain, what: str) -> tuple[int, float]:
    """How many there must be at least, and at most."""
    least = max([int(one.get(f"min{what}", 0)) for one in plain], default=0)
    return least, min([int(one[f"max{what}"]) for one in plain if f"max{what}" in one], default=INFINITE)


def _named(name: str, most: float) -> Iterator[str]:
    """The name, then the name with a number, which is not cut off."""
    yield name
    for number in map(str, count(2)):
        yield (name if most == INFINITE else name[: max(int(most) - len(number), 0)]) + number


def _bounds(plain: Plain) -> tuple[Any, Any]:
    """The least and the greatest number that may do."""
    lows = [Fraction(one[key]) for one in plain for key in ("minimum", "exclusiveMinimum") if key in one]
    highs = [Fraction(one[key]) for one in plain for key in ("maximum", "exclusiveMaximum") if key in one]
    return max(lows, default=-INFINITE), min(highs, default=INFINITE)


def _lcm(one: Fraction, other: Fraction) -> Fraction:
    return Fraction(
        lcm(one.numerator * other.denominator, other.numerator * one.denominator), one.denominator * other.denominator
    )


def _number(value: Fraction) -> float:
    return value.numerator if value.denominator == 1 else float(value)


def _items(plain: Plain, i: int) -> Iterator[Schema]:
    """The schemas that the item at a place is under."""
    for one in plain:
        firsts = one.get("prefixItems", ())
        if i < len(firsts):
            yield firsts[i]
        elif "items" in one:
            yield one["items"]


INFINITE = float("inf")

# The type that a keyword is about, by the values that it tests.
KINDS = {dict: "object", list: "array", str: "string", NUMBER: "number"}

# How values of each type are made, in the order in which they are tried where no type is named.
MAKERS: dict[str, Callable[[_Maker, Plain, str, frozenset[Any]], Iterator[Any]]] = {
    "string": _Maker.strings,
    "integer": partial(_Maker.numbers, whole=True),
    "number": _Maker.numbers,
    "object": _Maker.objects,
    "array": _Maker.arrays,
    "boolean": lambda maker, plain, name, above: iter((True, False)),
    "null": lambda maker, plain, name, above: iter((None,)),
}
