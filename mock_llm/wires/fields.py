"""Checks of request fields. A check takes a value and its path, and its error names the path.

The error texts are those of the real service: `max_tokens: Field required`.
"""

from collections.abc import Callable, Mapping

from mock_llm.errors import RequestError
from mock_llm.records import Json, JsonObject
from mock_llm.schemas import SchemaError, check_schema

Check = Callable[[object, str], object]


def refuse(path: str, reason: str) -> RequestError:
    return RequestError(f"{path}: {reason}" if path else reason, param=path)


def fields(value: object, path: str, checks: Mapping[str, Check], required: tuple[str, ...]) -> None:
    """Check an object: the required fields are there, each is right, and there are no others.

    >>> fields({"a": 1}, "", {"a": integer(0), "b": string}, ("a", "b"))
    Traceback (most recent call last):
    mock_llm.errors.RequestError: b: Field required
    """
    given = mapping(value, path)
    inside = f"{path}." if path else ""
    for name in required:
        if name not in given:
            raise refuse(f"{inside}{name}", "Field required")
    for name, one in given.items():
        if name not in checks:
            raise refuse(f"{inside}{name[:80]}", "Extra inputs are not permitted")
        checks[name](one, f"{inside}{name}")


def anything(value: object, path: str) -> None:
    """The mock does not look at this field."""


def string(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise refuse(path, "Input should be a valid string")
    return value


def filled(value: object, path: str) -> None:
    if not string(value, path):
        raise refuse(path, "String should have at least 1 character")


def boolean(value: object, path: str) -> None:
    if not isinstance(value, bool):
        raise refuse(path, "Input should be a valid boolean")


def mapping(value: object, path: str) -> JsonObject:
    if not isinstance(value, dict):
        raise refuse(path, "Input should be a valid dictionary")
    return value


def json_schema(value: object, path: str) -> JsonObject:
    """An object that is a JSON schema."""
    schema = mapping(value, path)
    try:
        check_schema(schema)
    except SchemaError as error:
        reason = f"JSON schema is invalid. It must match JSON Schema draft 2020-12: {error}"
        raise refuse(path, reason) from None
    return schema


def integer(least: int, most: int | None = None) -> Check:
    def check(value: object, path: str) -> None:
        if not isinstance(value, int) or isinstance(value, bool):
            raise refuse(path, "Input should be a valid integer")
        if value < least:
            raise refuse(path, f"Input should be greater than or equal to {least}")
        if most is not None and value > most:
            raise refuse(path, f"Input should be less than or equal to {most}")

    return check


def by_type(kinds: Mapping[str, Check]) -> Check:
    """An object whose field `type` decides how it is checked.

    >>> by_type({"auto": anything, "any": anything})({"type": "all"}, "tool_choice")
    Traceback (most recent call last):
    mock_llm.errors.RequestError: tool_choice.type: Input should be 'auto' or 'any', not 'all'
    """

    def check(value: object, path: str) -> None:
        given = mapping(value, path)
        if "type" not in given:
            raise refuse(f"{path}.type", "Field required")
        kind = string(given["type"], f"{path}.type")
        if kind not in kinds:
            raise refuse(f"{path}.type", f"Input should be {_either(tuple(kinds))}, not {kind[:80]!r}")
        kinds[kind](value, path)

    return check


def refused(reason: str) -> Check:
    """What the service takes and the mock does not: the reason says why, and what to do instead."""

    def check(value: object, path: str) -> None:
        raise refuse(path, reason)

    return check


def record(kind: str, checks: Mapping[str, Check], *required: str) -> Check:
    """An object of one type, "" for none. Its errors have the type in their path, as those of the service."""
    known = {"type": anything, **checks} if kind else checks

    def check(value: object, path: str) -> None:
        fields(value, f"{path}.{kind}" if kind else path, known, required)

    return check


def number(least: float, most: float) -> Check:
    def check(value: object, path: str) -> None:
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise refuse(path, "Input should be a valid number")
        if not least <= value <= most:
            raise refuse(path, f"range: {least}..{most}")

    return check


def one_of(*choices: str) -> Check:
    def check(value: object, path: str) -> None:
        if value not in choices:
            raise refuse(path, f"Input should be {_either(choices)}")

    return check


def _either(choices: tuple[str, ...]) -> str:
    *first, last = (f"'{choice}'" for choice in choices)
    return f"{', '.join(first)} or {last}" if first else last


def list_of(each: Check) -> Callable[[object, str], list[Json]]:
    def check(value: object, path: str) -> list[Json]:
        if not isinstance(value, list):
            raise refuse(path, "Input should be a valid list")
        for i, one in enumerate(value):
            each(one, f"{path}.{i}")
        return value

    return check


def optional(inner: Check) -> Check:
    """The field may be null."""

    def check(value: object, path: str) -> None:
        if value is not None:
            inner(value, path)

    return check
