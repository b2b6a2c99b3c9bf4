"""From a JSON schema to one small value that fits it: what a forced tool is called with, or a reply that must fit."""

from typing import Any

from mock_llm.errors import RequestError

MOST_STEPS = 10_000  # a schema can be small and its smallest value huge
MOST_CHARACTERS = 100_000  # of all names and values of one example

# Formats of strings. To add one, add a line with a value that is valid for it.
FORMATS = {
    "date": "2026-01-01",
    "date-time": "2026-01-01T00:00:00Z",
    "time": "00:00:00Z",
    "duration": "P1D",
    "email": "a@example.org",
    "hostname": "example.org",
    "ipv4": "127.0.0.1",
    "ipv6": "::1",
    "uri": "https://example.org",
    "uuid": "00000000-0000-4000-8000-000000000000",
}


def example(schema: Any, path: str = "tools") -> Any:
    """A value that fits the schema, decided by the schema alone: required properties, first choices.

    A free string is the name of its property. `pattern` is not read. Raises RequestError, which begins with the
    schema's path in the request, for a schema that no small value fits.

    >>> example({"type": "object", "required": ["city", "days"],
    ...          "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 3}}})
    {'city': 'city', 'days': 3}
    """
    try:
        return _Maker(schema, path).value(schema, "value", frozenset())
    except (_NoValue, RecursionError):
        raise RequestError(f"{path}: the schema nests too deeply or never ends", param=path) from None
    except (TypeError, ValueError, AttributeError, LookupError, ArithmeticError):
        raise RequestError(f"{path}: the schema is not a valid JSON schema", param=path) from None


class _NoValue(Exception):
    """A schema that needs itself, or is too large: another alternative may do."""


class _Maker:
    """One schema with its definitions, and the steps and characters that are left."""

    def __init__(self, root: Any, path: str) -> None:
        self.root = root
        self.path = path
        self.steps = MOST_STEPS
        self.characters = MOST_CHARACTERS

    def value(self, schema: Any, name: str, within: frozenset[str]) -> Any:
        """A value of a schema. `within` are the references that are being followed."""
        self.steps -= 1
        if self.steps < 0:
            raise _NoValue
        if not isinstance(schema, dict):  # true: anything will do
            return self._counted(name)
        if ref := schema.get("$ref"):
            if ref in within:
                raise _NoValue
            return self.value(_joined(_without(schema, "$ref"), self._target(ref)), name, within | {ref})
        if parts := schema.get("allOf"):
            whole = _without(schema, "allOf")
            for part in parts:
                whole = _joined(whole, self._resolved(part))
            return self.value(whole, name, within)
        for key in ("anyOf", "oneOf"):
            if key in schema:
                return self._first(_without(schema, key), schema[key], name, within)
        if "const" in schema:
            return self._counted(schema["const"])
        if "enum" in schema:
            return self._counted(schema["enum"][0])
        return self._typed(schema, name, within)

    def _first(self, base: dict[str, Any], choices: list[Any], name: str, within: frozenset[str]) -> Any:
        for choice in choices:
            try:
                return self.value(_joined(base, choice), name, within)
            except _NoValue:
                continue
        raise _NoValue

    def _typed(self, schema: dict[str, Any], name: str, within: frozenset[str]) -> Any:
        kind = _kind(schema)
        if kind == "object":
            properties = schema.get("properties", {})
            if not all(isinstance(key, str) for key in schema.get("required", ())):
                raise TypeError("required")
            return {
                self._counted(key): self.value(properties.get(key, True), key, within)
                for key in schema.get("required", ())
            }
        if kind == "array":
            firsts, rest = schema.get("prefixItems", []), schema.get("items", True)
            count = schema.get("minItems", 0)
            if count > MOST_STEPS:
                raise _NoValue
            return [self.value(firsts[i] if i < len(firsts) else rest, name, within) for i in range(count)]
        return self._counted(SCALARS[kind](schema, name))

    def _counted(self, value: Any) -> Any:
        """The value itself, after its characters are taken from those that are left."""
        self.characters -= len(str(value))
        if self.characters < 0:
            raise _NoValue
        return value

    def _resolved(self, schema: Any) -> Any:
        """A part of an allOf, with its reference followed, so that it can be joined."""
        seen = set()
        while isinstance(schema, dict) and "$ref" in schema:
            if schema["$ref"] in seen:
                raise _NoValue
            seen.add(schema["$ref"])
            schema = _joined(_without(schema, "$ref"), self._target(schema["$ref"]))
        return schema

    def _target(self, ref: str) -> Any:
        node = self.root
        if ref.partition("#")[0]:
            raise self._bad_ref(ref, "is outside it")
        for step in ref.removeprefix("#").split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            node = node.get(key) if isinstance(node, dict) else None
            if node is None:
                raise self._bad_ref(ref, "it does not define")
        return node

    def _bad_ref(self, ref: str, reason: str) -> RequestError:
        return RequestError(f"{self.path}: the schema names {ref[:80]!r}, which {reason}", param=self.path)


def _without(schema: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name != key}


def _joined(one: dict[str, Any], other: Any) -> dict[str, Any]:
    """Both schemas at once: properties and required names add up."""
    if not isinstance(other, dict):
        return one
    joined = {**one, **other}
    if "properties" in one and "properties" in other:
        joined["properties"] = {**one["properties"], **other["properties"]}
    if "required" in one and "required" in other:
        joined["required"] = list(dict.fromkeys([*one["required"], *other["required"]]))
    if "allOf" in one and "allOf" in other:
        joined["allOf"] = [*one["allOf"], *other["allOf"]]
    return joined


def _kind(schema: dict[str, Any]) -> str:
    """The type of the value; where none is named, the keywords tell."""
    kinds = schema.get("type")
    if isinstance(kinds, list):
        kinds = next((kind for kind in kinds if kind != "null"), "null")
    if kinds is None:
        kinds = (
            "object" if "properties" in schema or "required" in schema else "array" if "items" in schema else "string"
        )
    if kinds not in (*SCALARS, "object", "array"):
        raise ValueError(kinds)
    return kinds


def _string(schema: dict[str, Any], name: str) -> str:
    text = FORMATS.get(schema.get("format", ""), name)
    least = schema.get("minLength", 0)
    if least > MOST_STEPS:
        raise _NoValue
    return text.ljust(least, "x")[: schema.get("maxLength", len(text) + least)]


def _integer(schema: dict[str, Any], name: str) -> int:
    """The number nearest to 0 that is in range, a multiple if one is asked for."""
    low, high = schema.get("minimum"), schema.get("maximum")
    if (above := schema.get("exclusiveMinimum")) is not None:
        low = max(above // 1 + 1, low if low is not None else above)
    if (below := schema.get("exclusiveMaximum")) is not None:
        high = min(-(-below // 1) - 1, high if high is not None else below)
    step = schema.get("multipleOf", 1)
    if low is not None and low > 0:
        return int(-(-low // step) * step)
    if high is not None and high < 0:
        return int(high // step * step)
    return 0


def _number(schema: dict[str, Any], name: str) -> float:
    """As an integer where one is in range, halfway between the bounds otherwise."""
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    whole = _integer(schema, name)
    if (low is not None and whole < low) or (high is not None and whole > high):
        return (low + high) / 2
    return whole


SCALARS = {
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": lambda schema, name: True,
    "null": lambda schema, name: None,
}
