"""A body of the Anthropic Messages API, checked field by field and turned into a request."""

from mock_llm.records import JsonObject, Message, Request, Shape
from mock_llm.wires.anthropic_blocks import (
    CACHE,
    CONTENT,
    Counts,
    checked_messages,
    made_content,
    made_messages,
    prefill_of,
)
from mock_llm.wires.anthropic_tools import TOOL_CHOICE, checked_tools, forced
from mock_llm.wires.bodies import encoded
from mock_llm.wires.fields import (
    Check,
    boolean,
    by_type,
    fields,
    filled,
    integer,
    json_schema,
    list_of,
    mapping,
    number,
    one_of,
    optional,
    record,
    refuse,
    string,
)


def as_body(request: JsonObject | list[JsonObject]) -> JsonObject:
    """The body for a request: a list of messages alone stands for a body with that list and defaults."""
    if isinstance(request, list):
        return {"model": "mock", "max_tokens": 1024, "messages": request}
    return request


def parsed(body: JsonObject) -> Request:
    """Check every field of a body and turn it into a request.

    >>> parsed({"model": "mock-reader", "messages": []})
    Traceback (most recent call last):
    mock_llm.errors.RequestError: max_tokens: Field required
    """
    fields(body, "", REQUEST_FIELDS, ("model", "max_tokens", "messages"))
    thinking = body.get("thinking") or {}
    if thinking.get("budget_tokens", 0) >= max(body["max_tokens"], 1):
        raise refuse("max_tokens", "must be greater than thinking.budget_tokens")
    request = _request(body, body["max_tokens"])
    if request.must_call and thinking.get("type") == "enabled":
        raise refuse("thinking", "may not be enabled when tool_choice forces tool use")
    if request.must_fit and any(one.cited for message in request.messages for one in message.documents):
        raise refuse("output_config.format", "citations cannot be enabled together with it")
    return request


def parsed_for_count(body: JsonObject) -> Request:
    """The same for a body of `count_tokens`, which has fewer fields, and whose prompt is only measured."""
    fields(body, "", COUNT_FIELDS, ("model", "messages"))
    return _request(body, 0)


def _request(body: JsonObject, max_tokens: int) -> Request:
    tools = body.get("tools") or []
    return Request(
        model=body["model"],
        max_tokens=max_tokens,
        messages=made_messages(body["messages"]),
        system=Message("system", made_content(body["system"], Counts(iter(()), iter(()))))
        if "system" in body
        else None,
        stop_sequences=tuple(body.get("stop_sequences") or ()),
        stream=body.get("stream", False),
        prefill=prefill_of(body["messages"]),
        must_call=forced(tools, body.get("tool_choice") or {"type": "auto"}),
        must_fit=_shape(body.get("output_config") or {}),
        tools_characters=len(encoded(tools).decode()) if tools else 0,
    )


def _shape(output: JsonObject) -> Shape | None:
    form = output.get("format")
    return Shape(form["schema"], "output_config.format.schema") if form else None


def _stop_sequence(value: object, path: str) -> None:
    if not string(value, path).strip():
        raise refuse("stop_sequences", "each stop sequence must contain non-whitespace")


def _container(value: object, path: str) -> None:
    if not isinstance(value, str):
        _CONTAINER(value, path)


_SKILL = record("", {"type": one_of("anthropic", "custom"), "skill_id": filled, "version": string}, "type", "skill_id")
_CONTAINER = record("", {"id": optional(string), "skills": optional(list_of(_SKILL))})
_DISPLAY: dict[str, Check] = {"display": optional(one_of("summarized", "omitted"))}
# The mock never thinks aloud, whatever it is allowed to.
THINKING = by_type(
    {
        "enabled": record("enabled", {"budget_tokens": integer(1024), **_DISPLAY}, "budget_tokens"),
        "adaptive": record("adaptive", _DISPLAY),
        "between_tools": record("between_tools", {}),
        "disabled": record("disabled", {}),
    }
)

OUTPUT: dict[str, Check] = {
    "effort": optional(one_of("low", "medium", "high", "xhigh", "max")),
    "format": optional(by_type({"json_schema": record("json_schema", {"schema": json_schema}, "schema")})),
}

# The fields of a request, and those of a request to count its tokens. The mock reads the first nine; it
# checks the others and accepts them, as the service does.
REQUEST_FIELDS: dict[str, Check] = {
    "model": filled,
    "max_tokens": integer(0),
    "messages": checked_messages,
    "system": CONTENT["system"],
    "stop_sequences": optional(list_of(_stop_sequence)),
    "stream": boolean,
    "tool_choice": TOOL_CHOICE,
    "tools": checked_tools,
    "output_config": record("", OUTPUT),
    "cache_control": CACHE,
    "container": optional(_container),
    "diagnostics": optional(mapping),
    "inference_geo": optional(string),
    "metadata": record("", {"user_id": optional(string)}),
    "service_tier": one_of("auto", "standard_only"),
    "speed": optional(one_of("standard", "fast")),
    "temperature": number(0, 1),
    "thinking": THINKING,
    "top_k": integer(0),
    "top_p": number(0, 1),
    "user_profile_id": string,
    "workspace_id": string,
}
COUNTED = (
    "model messages system tool_choice tools cache_control output_config speed thinking user_profile_id workspace_id"
)
COUNT_FIELDS = {name: REQUEST_FIELDS[name] for name in COUNTED.split()}
