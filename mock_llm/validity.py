"""JSON schemas (draft 2020-12): whether one is well formed, and whether a value fits it.

A table says what stands in each keyword, another what each keyword asks of a value. `format` asks nothing, as in
the draft. What no table names is a remark.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple
from urllib.parse import unquote

from mock_llm.errors import MockError
from mock_llm.patterns import Budget, matches

LONGEST_PLACE = 20  # steps of it that are named

Schema = Any  # a dict, True or False


class SchemaError(MockError):
    """A schema that is not well formed, or that is beyond the mock; the message says where and why."""


def check_schema(schema: object) -> None:
    """Raise SchemaError for the first keyword that does not hold what it should.

    >>> check_schema({"type": "object", "properties": {"days": {"type": "integer", "minimum": "3"}}})
    Traceback (most recent call last):
    mock_llm.validity.SchemaError: 'minimum' in properties.days should be a number
    """
    waiting: list[tuple[object, tuple[object, ...]]] = [(schema, ())]
    while waiting:
        one, path = waiting.pop()
        if isinstance(one, bool):
            continue
        if not isinstance(one, dict):
            raise SchemaError(f"{_place(path)} should be an object, true or false")
        for keyword, argument in one.items():
            kind = ARGUMENTS.get(keyword)
            if kind is None:
                continue
            if not kind.holds(argument):
                raise SchemaError(f"{keyword!r} in {_place(path)} should be {kind.about}")
            waiting += [(inner, (*path, keyword, *key)[:LONGEST_PLACE]) for key, inner in kind.inside(argument)]


def _place(path: tuple[object, ...]) -> str:
    return ".".join(map(str, path))[:200] or "the schema"


class Rules(NamedTuple):
    """A schema with its definitions, and how much work may be done on it."""

    root: Schema
    budget: Budget

    def target(self, ref: str) -> Schema:
        """What a reference names: a pointer into the schema. Raises SchemaError for any other."""
        outside, _, pointer = ref.partition("#")
        if outside or pointer[:1] not in ("", "/"):
            raise SchemaError(f"the schema names {ref[:80]!r}, which is outside it")
        node = self.root
        for step in unquote(pointer).split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            if isinstance(node, list):
                node = node[int(key)] if key.isdecimal() and int(key[:9]) < len(node) else None
            else:
                node = node.get(key) if isinstance(node, dict) else None
        if not isinstance(node, dict | bool):
            raise SchemaError(f"the schema names {ref[:80]!r}, which it does not define")
        return node

    def fits(self, value: Any, schema: Schema) -> bool:
        """Whether a value fits a schema that is well formed.

        >>> Rules({}, Budget(100)).fits(3, {"type": "integer", "multipleOf": 2})
        False
        """
        self.budget.spend()
        if isinstance(schema, bool):
            return schema
        for keyword, argument in schema.items():
            test = TESTS.get(keyword)
            if test and test.concerns(value) and not test.holds(value, argument, schema, self):
                return False
        return True

    def all_fit(self, values: Any, schema: Schema) -> bool:
        return all(self.fits(value, schema) for value in values)

    def count(self, value: Any, schemas: list[Schema]) -> int:
        return sum(self.fits(value, schema) for schema in schemas)


def same(one: Any) -> Any:
    """A value as what JSON calls equal: 1 is 1.0, and true is not 1; it can stand in a set."""
    if isinstance(one, dict):
        return "object", frozenset((key, same(inner)) for key, inner in one.items())
    if isinstance(one, list):
        return "array", tuple(same(inner) for inner in one)
    return ("boolean", one) if isinstance(one, bool) else one


def is_multiple(value: float, step: float) -> bool:
    """As decimals are read, and also as floats divide: some readers do this, and some do that."""
    whole = isinstance(value, int) and isinstance(step, int)
    exact = Fraction(str(value)) % Fraction(str(step)) == 0
    return exact and (whole or float(value) / step % 1 == 0)


def additional(schema: dict[str, Any], name: str, budget: Budget) -> bool:
    """Whether a property of this name is none that the schema names, or describes by a pattern."""
    described = schema.get("patternProperties", {})
    return name not in schema.get("properties", {}) and not any(matches(one, name, budget) for one in described)


def _contains(value: list[Any], argument: Schema, schema: dict[str, Any], rules: Rules) -> bool:
    found = sum(rules.fits(one, argument) for one in value)
    return schema.get("minContains", 1) <= found <= schema.get("maxContains", len(value))


def _if(value: Any, argument: Schema, schema: dict[str, Any], rules: Rules) -> bool:
    return rules.fits(value, schema.get("then" if rules.fits(value, argument) else "else", True))


def _unread(keyword: str) -> "Test":
    def refuse(value: Any, argument: Any, schema: dict[str, Any], rules: Rules) -> bool:
        if argument is True:
            return True
        raise SchemaError(f"this mock does not read {keyword!r}: leave it out of a schema that a reply must fit")

    return Test(object, refuse)


class Test(NamedTuple):
    """What a keyword asks, of values of some types of Python; object is any."""

    of: Any
    holds: Callable[[Any, Any, dict[str, Any], Rules], bool]  # value, argument, schema, rules

    def concerns(self, value: Any) -> bool:
        return self.of is object or isinstance(value, self.of) and not isinstance(value, bool)


NUMBER = int | float
TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, NUMBER) and not isinstance(value, bool) and value % 1 == 0,
    "number": lambda value: isinstance(value, NUMBER) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}

# To add a keyword, add a line here and one in ARGUMENTS.
TESTS = {
    "$ref": Test(object, lambda v, a, s, r: r.fits(v, r.target(a))),
    "type": Test(object, lambda v, a, s, r: any(TYPES[kind](v) for kind in ([a] if isinstance(a, str) else a))),
    "const": Test(object, lambda v, a, s, r: same(v) == same(a)),
    "enum": Test(object, lambda v, a, s, r: same(v) in map(same, a)),
    "allOf": Test(object, lambda v, a, s, r: r.count(v, a) == len(a)),
    "anyOf": Test(object, lambda v, a, s, r: r.count(v, a) > 0),
    "oneOf": Test(object, lambda v, a, s, r: r.count(v, a) == 1),
    "not": Test(object, lambda v, a, s, r: not r.fits(v, a)),
    "if": Test(object, _if),
    "minimum": Test(NUMBER, lambda v, a, s, r: v >= a),
    "maximum": Test(NUMBER, lambda v, a, s, r: v <= a),
    "exclusiveMinimum": Test(NUMBER, lambda v, a, s, r: v > a),
    "exclusiveMaximum": Test(NUMBER, lambda v, a, s, r: v < a),
    "multipleOf": Test(NUMBER, lambda v, a, s, r: is_multiple(v, a)),
    "minLength": Test(str, lambda v, a, s, r: len(v) >= a),
    "maxLength": Test(str, lambda v, a, s, r: len(v) <= a),
    "pattern": Test(str, lambda v, a, s, r: matches(a, v, r.budget)),
    "minItems": Test(list, lambda v, a, s, r: len(v) >= a),
    "maxItems": Test(list, lambda v, a, s, r: len(v) <= a),
    "uniqueItems": Test(list, lambda v, a, s, r: not a or len(set(map(same, v))) == len(v)),
    "prefixItems": Test(list, lambda v, a, s, r: all(map(r.fits, v, a))),
    "items": Test(list, lambda v, a, s, r: r.all_fit(v[len(s.get("prefixItems", ())) :], a)),
    "contains": Test(list, _contains),
    "minProperties": Test(dict, lambda v, a, s, r: len(v) >= a),
    "maxProperties": Test(dict, lambda v, a, s, r: len(v) <= a),
    "required": Test(dict, lambda v, a, s, r: all(name in v for name in a)),
    "dependentRequired": Test(dict, lambda v, a, s, r: all(n in v for name in a if name in v for n in a[name])),
    "dependentSchemas": Test(dict, lambda v, a, s, r: all(r.fits(v, a[name]) for name in a if name in v)),
    "properties": Test(dict, lambda v, a, s, r: all(r.fits(v[name], a[name]) for name in a if name in v)),
    "propertyNames": Test(dict, lambda v, a, s, r: r.all_fit(v, a)),
    "patternProperties": Test(
        dict,
        lambda v, a, s, r: all(r.fits(v[name], a[one]) for one in a for name in v if matches(one, name, r.budget)),
    ),
    "additionalProperties": Test(
        dict, lambda v, a, s, r: r.all_fit([v[name] for name in v if additional(s, name, r.budget)], a)
    ),
    **{name: _unread(name) for name in ("unevaluatedItems", "unevaluatedProperties", "$dynamicRef")},
}


class Argument(NamedTuple):
    """What stands in a keyword, and the schemas in it, each with its key there."""

    about: str
    holds: Callable[[Any], bool]
    inside: Callable[[Any], Iterator[tuple[tuple[object, ...], object]]] = lambda argument: iter(())


def _is_number(argument: object) -> bool:
    return isinstance(argument, NUMBER) and not isinstance(argument, bool)


def _is_strings(argument: object) -> bool:
    return isinstance(argument, list) and all(isinstance(one, str) for one in argument)


def _is_type(argument: object) -> bool:
    kinds = argument if isinstance(argument, list) and argument else [argument]
    return all(isinstance(kind, str) and kind in TYPES for kind in kinds)


_ONE = Argument("a schema", lambda a: True, lambda a: iter([((), a)]))
_SOME = Argument(
    "a list of schemas",
    lambda a: isinstance(a, list) and len(a) > 0,
    lambda a: (((i,), one) for i, one in enumerate(a)),
)
_NAMED = Argument(
    "an object of schemas", lambda a: isinstance(a, dict), lambda a: (((name,), one) for name, one in a.items())
)
_COUNT = Argument("a whole number from 0 on", lambda a: _is_number(a) and a >= 0 and a % 1 == 0)
_NUMBER = Argument("a number", _is_number)
_STRING = Argument("a string", lambda a: isinstance(a, str))
_BOOLEAN = Argument("true or false", lambda a: isinstance(a, bool))

# What stands in each keyword, by its kind. To add a keyword, add it to the line of its kind, and one to TESTS.
ARGUMENTS = {
    keyword: kind
    for kind, keywords in (
        (_ONE, "not if then else items contains additionalProperties propertyNames unevaluatedItems "
               "unevaluatedProperties"),
        (_SOME, "allOf anyOf oneOf prefixItems"),
        (_NAMED, "properties patternProperties dependentSchemas $defs definitions"),
        (_COUNT, "minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains"),
        (_NUMBER, "minimum maximum exclusiveMinimum exclusiveMaximum"),
        (Argument("a number above 0", lambda a: _is_number(a) and a > 0), "multipleOf"),
        (_STRING, "$ref $id $anchor $dynamicRef $schema $comment pattern format title description"),
        (_BOOLEAN, "uniqueItems"),
        (Argument("a list of strings", _is_strings), "required"),
        (Argument("an object of lists of strings",
                  lambda a: isinstance(a, dict) and all(map(_is_strings, a.values()))), "dependentRequired"),
        (Argument("a list", lambda a: isinstance(a, list)), "enum"),
        (Argument(f"one of {', '.join(TYPES)}, or a list of these", _is_type), "type"),
    )
    for keyword in keywords.split()
}  # fmt: skip
