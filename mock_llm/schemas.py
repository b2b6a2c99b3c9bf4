"""What is a JSON schema (draft 2020-12), and a memory of what has been found for one."""

import json
from collections.abc import Callable
from functools import lru_cache

from mock_llm.errors import MockError
from mock_llm.records import Json

LONGEST = 100_000  # characters of a schema
MOST_KEPT = 256  # schemas; one request may have 128 tools

NO_END = "the schema nests too deeply or never ends"


class SchemaError(MockError):
    """What is not a schema, or one that no value is found for; the message says where and why."""


class PatternError(SchemaError):
    """A pattern that cannot be read, or not in time; the message says why."""


class BudgetError(SchemaError):
    """More was tried than one schema is worth."""


def check_schema(schema: Json) -> None:
    """Raise SchemaError for what is not a schema.

    >>> check_schema({"type": "object", "properties": {"days": {"type": "integer", "minimum": "3"}}})
    Traceback (most recent call last):
    mock_llm.schemas.SchemaError: '3' is not of type 'number' in 'properties.days.minimum'
    """
    if fault := remembered(_schema_fault, schema):
        raise SchemaError(fault)


def remembered(work: Callable[[str], str], schema: Json) -> str:
    """What `work`, which has a cache, finds for the JSON text of a schema."""
    try:
        text = json.dumps(schema)
    except RecursionError:
        raise SchemaError(NO_END) from None
    if len(text) > LONGEST:
        raise SchemaError(f"this mock reads no schema of more than {LONGEST:,} characters")
    return work(text)


@lru_cache(maxsize=MOST_KEPT)
def _schema_fault(text: str) -> str:
    """Why a text is not a schema, or nothing."""
    from jsonschema import Draft202012Validator, FormatChecker
    from jsonschema import SchemaError as Fault

    try:
        Draft202012Validator.check_schema(json.loads(text), format_checker=FormatChecker(formats=()))
    except RecursionError:
        return NO_END
    except Fault as error:
        while error.context:  # the first of several choices says more
            error = error.context[0]
        where = ".".join(map(str, error.absolute_path))
        return error.message[:200] + (f" in {where[:200]!r}" if where else "")
    return ""
