"""A body of the OpenAI chat completions API, checked field by field and turned into a request."""

from typing import NamedTuple

from mock_llm.records import JsonObject, Message, Request, Shape, Text, Tool, Unread
from mock_llm.wires.bodies import encoded
from mock_llm.wires.fields import (
    Check,
    boolean,
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
    string,
)
from mock_llm.wires.openai_fields import (
    CACHE_RETENTION,
    EFFORT,
    FORMAT,
    METADATA,
    SERVICE_TIER,
    TOP_LOGPROBS,
    VERBOSITY,
    checked_tools,
    tool_choice,
)
from mock_llm.wires.openai_messages import ROLES, checked_messages

NO_LIMIT = 2**31  # tokens, where the request sets none
MOST_CHOICES = 128
MOST_STOPS = 4
ANY_OBJECT = {"type": "object"}  # a JSON schema


class Chat(NamedTuple):
    """A valid body: the request, and what only this wire knows."""

    request: Request
    choices: int  # how many times the same reply is sent
    include_usage: bool  # in a stream


def parsed(body: JsonObject) -> Chat:
    """Check every field of a body and turn it into a request.

    >>> parsed({"messages": []})
    Traceback (most recent call last):
    mock_llm.errors.RequestError: model: Field required
    """
    fields(body, "", REQUEST_FIELDS, ("model", "messages"))
    options = body.get("stream_options")
    if options is not None and not body.get("stream"):
        raise refuse("stream_options", "only allowed when 'stream' is enabled")
    tools = body.get("tools") or []
    if body.get("top_logprobs") is not None and not body.get("logprobs"):
        raise refuse("top_logprobs", "only allowed when 'logprobs' is enabled")
    if body.get("parallel_tool_calls") is not None and not tools:
        raise refuse("parallel_tool_calls", "only allowed when 'tools' are specified")
    form = body.get("response_format") or {}
    request = Request(
        model=body["model"],
        max_tokens=_token_limit(body),
        messages=tuple(_as_message(one) for one in body["messages"]),
        stop_sequences=_stops(body.get("stop")),
        stream=bool(body.get("stream")),
        must_call=_forced_function(tools, body.get("tool_choice")),
        must_fit=shape(form, form.get("json_schema", {}), "response_format.json_schema.schema"),
        tools_characters=len(encoded(tools).decode()) if tools else 0,
    )
    return Chat(request, body.get("n") or 1, bool(options and options.get("include_usage")))


def texts(content: str | list[JsonObject] | None) -> tuple[Text, ...]:
    """The text blocks of a message's content."""
    if isinstance(content, str):
        return (Text(content),)
    return tuple(Text(part.get("text", part.get("refusal", ""))) for part in content or ())


def shape(form: JsonObject, described: JsonObject, path: str) -> Shape | None:
    """What a format requires of a reply. `described` has the schema at this path, if there is one.

    >>> shape({"type": "json_object"}, {}, "response_format").schema, shape({"type": "text"}, {}, "")
    ({'type': 'object'}, None)
    """
    plain = form.get("type", "text") == "text"
    return None if plain else Shape(described.get("schema", ANY_OBJECT), path)


def _as_message(one: JsonObject) -> Message:
    role, said = ROLES[one["role"]], texts(one.get("content"))
    if role == "tool":
        return Message(role, tuple(Unread(len(text.text)) for text in said))
    calls = one.get("tool_calls")
    return Message(role, (*said, Unread(len(encoded(calls).decode()))) if calls else said)


def _token_limit(body: JsonObject) -> int:
    old, new = body.get("max_tokens"), body.get("max_completion_tokens")
    if old is not None and new is not None:
        raise refuse("max_tokens", "cannot be set together with 'max_completion_tokens'")
    return next((limit for limit in (new, old) if limit is not None), NO_LIMIT)


def _stops(stop: str | list[str] | None) -> tuple[str, ...]:
    return (stop,) if isinstance(stop, str) else tuple(stop or ())


def _forced_function(tools: list[JsonObject], choice: str | JsonObject | None) -> Tool | None:
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
    if mode != "required":
        return None
    return Tool(names[0], {**(functions[names[0]].get("parameters") or {}), **ANY_OBJECT})


def _stop(value: object, path: str) -> None:
    if not isinstance(value, str) and len(list_of(filled)(value, path)) > MOST_STOPS:
        raise refuse(path, f"List should have at most {MOST_STOPS} items")
    if value == "":
        raise refuse(path, "String should have at least 1 character")


def _logit_bias(value: object, path: str) -> None:
    for token, bias in mapping(value, path).items():
        if not token.isdecimal():
            raise refuse(path, f"the keys should be token numbers, not {token[:80]!r}")
        _BIAS(bias, path)


def _function_call(value: object, path: str) -> None:
    if value not in ("none", "auto"):
        raise refuse(path, "this mock calls no functions of the old kind: use 'tools' and 'tool_choice'")


_BIAS = number(-100, 100)
_STREAM_OPTIONS = record("", {"include_usage": boolean, "include_obfuscation": boolean})

# The fields of a request. The mock reads the first eleven; it accepts the others as the service does.
REQUEST_FIELDS: dict[str, Check] = {
    "model": filled,
    "messages": checked_messages,
    "max_completion_tokens": optional(integer(1)),
    "max_tokens": optional(integer(1)),
    "n": optional(integer(1, MOST_CHOICES)),
    "stop": optional(_stop),
    "stream": optional(boolean),
    "stream_options": optional(_STREAM_OPTIONS),
    "tool_choice": optional(tool_choice),
    "tools": optional(checked_tools),
    "response_format": optional(FORMAT),
    "audio": optional(mapping),
    "frequency_penalty": optional(number(-2, 2)),
    "function_call": optional(_function_call),
    "functions": optional(list_of(mapping)),
    "logit_bias": optional(_logit_bias),
    "logprobs": optional(boolean),
    "metadata": METADATA,
    "modalities": optional(list_of(one_of("text", "audio"))),
    "moderation": optional(mapping),
    "parallel_tool_calls": optional(boolean),
    "prediction": optional(mapping),
    "presence_penalty": optional(number(-2, 2)),
    "prompt_cache_key": optional(string),
    "prompt_cache_options": optional(mapping),
    "prompt_cache_retention": CACHE_RETENTION,
    "reasoning_effort": EFFORT,
    "safety_identifier": optional(string),
    "seed": optional(integer(-(2**63), 2**63 - 1)),
    "service_tier": SERVICE_TIER,
    "store": optional(boolean),
    "temperature": optional(number(0, 2)),
    "top_logprobs": TOP_LOGPROBS,
    "top_p": optional(number(0, 1)),
    "user": optional(string),
    "verbosity": VERBOSITY,
    "web_search_options": optional(mapping),
}
