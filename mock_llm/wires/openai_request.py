"""A body of the OpenAI chat completions API, checked field by field and made a request."""

from typing import Any, NamedTuple

from mock_llm.records import Message, Request, Shape, Text, Tool, Unread
from mock_llm.wires.anthropic_request import encoded
from mock_llm.wires.fields import (
    Check,
    anything,
    boolean,
    by_type,
    fields,
    filled,
    integer,
    list_of,
    mapping,
    number,
    one_of,
    optional,
    record,
    refuse,
    refused,
    string,
)

NO_LIMIT = 2**31  # tokens, where the request sets none
MOST_CHOICES = 128
MOST_STOPS = 4
ANY_OBJECT = {"type": "object"}  # a JSON schema


class Chat(NamedTuple):
    """A valid body: the request, and what only this wire knows."""

    request: Request
    choices: int  # how many times the same reply is sent
    include_usage: bool  # in a stream


def parsed(body: dict[str, Any]) -> Chat:
    """Check every field of a body and make a request of it.

    >>> parsed({"messages": []})
    Traceback (most recent call last):
    mock_llm.errors.RequestError: model: Field required
    """
    fields(body, "", REQUEST_FIELDS, ("model", "messages"))
    options = body.get("stream_options")
    if options is not None and not body.get("stream"):
        raise refuse("stream_options", "only allowed when 'stream' is enabled")
    tools = body.get("tools") or []
    form = body.get("response_format") or {}
    request = Request(
        model=body["model"],
        max_tokens=_limit(body),
        messages=tuple(_as_message(one) for one in body["messages"]),
        stop_sequences=_stops(body.get("stop")),
        stream=bool(body.get("stream")),
        must_call=_forced(tools, body.get("tool_choice")),
        must_fit=shape(form, form.get("json_schema", {}), "response_format.json_schema.schema"),
        tools_characters=len(encoded(tools).decode()) if tools else 0,
    )
    return Chat(request, body.get("n") or 1, bool(options and options.get("include_usage")))


def texts(content: str | list[dict[str, Any]] | None) -> tuple[Text, ...]:
    """The text blocks of a message's content."""
    if isinstance(content, str):
        return (Text(content),)
    return tuple(Text(part.get("text", part.get("refusal", ""))) for part in content or ())


def shape(form: dict[str, Any], described: dict[str, Any], path: str) -> Shape | None:
    """What a format asks of a reply. `described` holds the schema at this path, if there is one.

    >>> shape({"type": "json_object"}, {}, "response_format").schema, shape({"type": "text"}, {}, "")
    ({'type': 'object'}, None)
    """
    plain = form.get("type", "text") == "text"
    return None if plain else Shape(described.get("schema", ANY_OBJECT), path)


def _as_message(one: dict[str, Any]) -> Message:
    role, said = ROLES[one["role"]], texts(one.get("content"))
    if role == "tool":
        return Message(role, tuple(Unread(len(text.text)) for text in said))
    calls = one.get("tool_calls")
    return Message(role, (*said, Unread(len(encoded(calls).decode()))) if calls else said)


def _limit(body: dict[str, Any]) -> int:
    old, new = body.get("max_tokens"), body.get("max_completion_tokens")
    if old is not None and new is not None:
        raise refuse("max_tokens", "cannot be set together with 'max_completion_tokens'")
    return next((limit for limit in (new, old) if limit is not None), NO_LIMIT)


def _stops(stop: str | list[str] | None) -> tuple[str, ...]:
    return (stop,) if isinstance(stop, str) else tuple(stop or ())


def _forced(tools: list[dict[str, Any]], choice: str | dict[str, Any] | None) -> Tool | None:
    """The function that must be called: the one named, or the first of those allowed."""
    if choice is None or choice == "none":
        return None
    if not tools:
        raise refuse("tool_choice", "only allowed when 'tools' are specified")
    functions = {tool["function"]["name"]: tool["function"] for tool in tools}
    if isinstance(choice, str):
        mode, names = choice, list(functions)
    elif choice["type"] == "function":
        mode, names = "required", [choice["function"]["name"]]
    else:
        allowed = choice["allowed_tools"]
        mode, names = allowed["mode"], [tool["function"]["name"] for tool in allowed["tools"]]
    for name in names:
        if name not in functions:
            raise refuse("tool_choice", f"{name[:80]!r} is not among the tools")
    return Tool(names[0], functions[names[0]].get("parameters") or {"type": "object"}) if mode == "required" else None


def _messages(value: object, path: str) -> None:
    if not _MESSAGES(value, path):
        raise refuse(path, "at least one message is required")


def _message(value: object, path: str) -> None:
    message = mapping(value, path)
    if "role" not in message:
        raise refuse(f"{path}.role", "Field required")
    _ROLE(message["role"], f"{path}.role")
    kind = MESSAGES[message["role"]]
    fields(message, path, kind.checks, kind.required)
    if message["role"] == "assistant" and not (message.keys() & {"content", "tool_calls", "function_call", "audio"}):
        raise refuse(f"{path}.content", "Field required")


def _content(value: object, path: str) -> None:
    """A string, or a list of parts."""
    if not isinstance(value, str) and not _PARTS(value, path):
        raise refuse(path, "at least one content part is required")


def _stop(value: object, path: str) -> None:
    if not isinstance(value, str) and len(list_of(filled)(value, path)) > MOST_STOPS:
        raise refuse(path, f"List should have at most {MOST_STOPS} items")
    if value == "":
        raise refuse(path, "String should have at least 1 character")


def _n(value: object, path: str) -> None:
    integer(1)(value, path)
    if value > MOST_CHOICES:  # type: ignore[operator]
        raise refuse(path, f"Input should be less than or equal to {MOST_CHOICES}")


def _some_tools(value: object, path: str) -> None:
    if not list_of(_FUNCTION_NAMED)(value, path):
        raise refuse(path, "at least one tool is required")


def _tool_choice(value: object, path: str) -> None:
    check = one_of("none", "auto", "required") if isinstance(value, str) else _TOOL_CHOICE
    check(value, path)


def _function_call(value: object, path: str) -> None:
    if value not in ("none", "auto"):
        raise refuse(path, "this mock calls no functions of the old kind: use 'tools' and 'tool_choice'")


class Kind(NamedTuple):
    """The fields of the messages of one role."""

    required: tuple[str, ...]
    checks: dict[str, Check]


# The roles, and what the mock's core calls them. A result of a tool is nothing that the user said.
ROLES = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}

_ROLE = one_of(*ROLES)
_MESSAGES = list_of(_message)
_TOOL_CALL = record("", {"type": string, "id": string, "function": mapping, "custom": mapping}, "id", "type")
_SAID: dict[str, Check] = {"role": string, "content": _content, "name": string}

# To add a field to a message, add it to the line of its role.
MESSAGES = {
    "user": Kind(("content",), _SAID),
    "system": Kind(("content",), _SAID),
    "developer": Kind(("content",), _SAID),
    "tool": Kind(("content", "tool_call_id"), {**_SAID, "tool_call_id": string}),
    "function": Kind(("content", "name"), {**_SAID, "content": optional(_content)}),
    "assistant": Kind(
        (),
        {
            **_SAID,
            "content": optional(_content),
            "refusal": optional(string),
            "audio": optional(mapping),
            "function_call": optional(mapping),
            "tool_calls": optional(list_of(_TOOL_CALL)),
            "annotations": optional(list_of(mapping)),
        },
    ),
}

_NO_TEXT = refused("this mock serves text parts only: send the text itself")

# The kinds of content part, with their fields. To add one that is read, name its text in `texts`.
_PART = by_type(
    {
        "text": record("", {"type": anything, "text": string, "prompt_cache_breakpoint": mapping}, "text"),
        "refusal": record("", {"type": anything, "refusal": string}, "refusal"),
        "image_url": _NO_TEXT,
        "input_audio": _NO_TEXT,
        "file": _NO_TEXT,
    }
)
_PARTS = list_of(_PART)

_FUNCTION: dict[str, Check] = {
    "name": filled,
    "description": optional(string),
    "parameters": optional(mapping),
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

# How a reply is to look. The responses API has the same kinds, and the fields of a schema one level higher.
SCHEMA: dict[str, Check] = {
    "name": filled,
    "description": optional(string),
    "schema": mapping,
    "strict": optional(boolean),
}
_FORMAT = by_type(
    {
        "text": record("", {"type": anything}),
        "json_object": record("", {"type": anything}),
        "json_schema": record("", {"type": anything, "json_schema": record("", SCHEMA, "name")}, "json_schema"),
    }
)
_STREAM_OPTIONS = record("", {"include_usage": boolean, "include_obfuscation": boolean})

# The fields of a request. The mock reads the first eleven; it accepts the others as the service does.
REQUEST_FIELDS: dict[str, Check] = {
    "model": filled,
    "messages": _messages,
    "max_completion_tokens": optional(integer(1)),
    "max_tokens": optional(integer(1)),
    "n": optional(_n),
    "stop": optional(_stop),
    "stream": optional(boolean),
    "stream_options": optional(_STREAM_OPTIONS),
    "tool_choice": optional(_tool_choice),
    "tools": optional(list_of(_TOOL)),
    "response_format": optional(_FORMAT),
    "audio": optional(mapping),
    "frequency_penalty": optional(number(-2, 2)),
    "function_call": optional(_function_call),
    "functions": optional(list_of(mapping)),
    "logit_bias": optional(mapping),
    "logprobs": optional(boolean),
    "metadata": optional(mapping),
    "modalities": optional(list_of(one_of("text", "audio"))),
    "moderation": optional(mapping),
    "parallel_tool_calls": optional(boolean),
    "prediction": optional(mapping),
    "presence_penalty": optional(number(-2, 2)),
    "prompt_cache_key": optional(string),
    "prompt_cache_options": optional(mapping),
    "prompt_cache_retention": optional(string),
    "reasoning_effort": optional(string),
    "safety_identifier": optional(string),
    "seed": optional(anything),
    "service_tier": optional(string),
    "store": optional(boolean),
    "temperature": optional(number(0, 2)),
    "top_logprobs": optional(integer(0)),
    "top_p": optional(number(0, 1)),
    "user": optional(string),
    "verbosity": optional(string),
    "web_search_options": optional(mapping),
}
