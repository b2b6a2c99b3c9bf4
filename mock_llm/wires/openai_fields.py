"""Fields of OpenAI requests: tools, the format of a reply, and what chat completions and responses have in common."""

import re

from mock_llm.wires.fields import (
    Check,
    anything,
    boolean,
    by_type,
    filled,
    integer,
    json_schema,
    list_of,
    mapping,
    one_of,
    optional,
    record,
    refuse,
    refused,
    string,
)

MOST_TOOLS = 128
MOST_METADATA = 16  # pairs
LONGEST_KEY = 64  # characters, of metadata; below, the same for a value
LONGEST_VALUE = 512


def _name(value: object, path: str) -> None:
    if not _FUNCTION_NAME.fullmatch(string(value, path)):
        raise refuse(path, "String should match pattern '^[a-zA-Z0-9_-]{1,64}$'")


def checked_tools(value: object, path: str) -> None:
    """A list of functions."""
    tools = list_of(_TOOL)(value, path)
    if not tools:
        raise refuse(path, "at least one tool is required")
    if len(tools) > MOST_TOOLS:
        raise refuse(path, f"List should have at most {MOST_TOOLS} items")


def _metadata(value: object, path: str) -> None:
    given = mapping(value, path)
    if len(given) > MOST_METADATA:
        raise refuse(path, f"Object should have at most {MOST_METADATA} pairs")
    for name, one in given.items():
        if len(name) > LONGEST_KEY:
            raise refuse(path, f"a key is longer than {LONGEST_KEY} characters: {name[:80]!r}")
        if len(string(one, f"{path}.{name}")) > LONGEST_VALUE:
            raise refuse(f"{path}.{name}", f"String should have at most {LONGEST_VALUE} characters")


def _some_tools(value: object, path: str) -> None:
    if not list_of(_FUNCTION_NAMED)(value, path):
        raise refuse(path, "at least one tool is required")


def tool_choice(value: object, path: str) -> None:
    """Which function is to be called."""
    check = one_of("none", "auto", "required") if isinstance(value, str) else _TOOL_CHOICE
    check(value, path)


def _parameters(value: object, path: str) -> None:
    kind = json_schema(value, path).get("type", "object")
    if kind != "object":
        raise refuse(path, f"schema must be a JSON Schema of 'type: \"object\"', got {str(kind)[:80]!r}")


_FUNCTION_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")

_FUNCTION: dict[str, Check] = {
    "name": _name,
    "description": optional(string),
    "parameters": optional(_parameters),
    "strict": optional(boolean),
}
_TOOL = by_type(
    {
        "function": record("", {"type": anything, "function": record("", _FUNCTION, "name")}, "function"),
        "custom": refused("this mock calls functions only, not custom tools"),
    }
)
_FUNCTION_NAMED = by_type(
    {"function": record("", {"type": anything, "function": record("", {"name": filled}, "name")}, "function")}
)
_ALLOWED: dict[str, Check] = {"mode": one_of("auto", "required"), "tools": _some_tools}
_TOOL_CHOICE = by_type(
    {
        "function": _FUNCTION_NAMED,
        "allowed_tools": record(
            "", {"type": anything, "allowed_tools": record("", _ALLOWED, "mode", "tools")}, "allowed_tools"
        ),
    }
)

# The format of a reply. The responses API has the same kinds, with the fields of a schema one level higher.
SCHEMA: dict[str, Check] = {
    "name": _name,
    "description": optional(string),
    "schema": json_schema,
    "strict": optional(boolean),
}
FORMAT = by_type(
    {
        "text": record("", {"type": anything}),
        "json_object": record("", {"type": anything}),
        "json_schema": record("", {"type": anything, "json_schema": record("", SCHEMA, "name")}, "json_schema"),
    }
)

# Fields that the responses API has too.
METADATA = optional(_metadata)
CACHE_RETENTION = optional(one_of("in_memory", "in-memory", "24h"))
EFFORT = optional(one_of("none", "minimal", "low", "medium", "high", "xhigh", "max"))
SERVICE_TIER = optional(one_of("auto", "default", "flex", "scale", "priority", "fast"))
TOP_LOGPROBS = optional(integer(0, 20))
VERBOSITY = optional(one_of("low", "medium", "high"))
