"""The OpenAI responses API, text in and text out: bodies in, responses out."""

from collections.abc import Iterator
from typing import NamedTuple

from mock_llm.core import answer
from mock_llm.records import JsonObject, Message, Reply, Request, Usage
from mock_llm.wires.bodies import decoded
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
from mock_llm.wires.openai import created, digest
from mock_llm.wires.openai_fields import (
    CACHE_RETENTION,
    EFFORT,
    METADATA,
    SCHEMA,
    SERVICE_TIER,
    TOP_LOGPROBS,
    VERBOSITY,
)
from mock_llm.wires.openai_messages import ROLES
from mock_llm.wires.openai_request import NO_LIMIT, shape, texts
from mock_llm.wires.sse import event, pieces


class Served(NamedTuple):
    """What one body led to."""

    request: Request
    reply: Reply
    response: JsonObject  # the response's JSON


def serve(raw: bytes, default: str, scripted: str | None = None) -> Served:
    """Read a body, answer it and write the response. `default` is the server's persona.

    A scripted text takes the place of what the persona would say.
    """
    body = decoded(raw)
    request = parsed(body)
    reply = answer(request, default, scripted)
    return Served(request, reply, response(body, reply, digest(body)))


def parsed(body: JsonObject) -> Request:
    """Check every field of a body and turn it into a request.

    >>> parsed({"model": "mock-reader", "input": "hi", "instructions": "Be brief."}).system.text
    'Be brief.'
    """
    fields(body, "", REQUEST_FIELDS, ("model", "input"))
    given = body["input"]
    form = (body.get("text") or {}).get("format") or {}
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    return Request(
        model=body["model"],
        max_tokens=body.get("max_output_tokens") or NO_LIMIT,
        messages=tuple(Message(ROLES[item["role"]], texts(item["content"])) for item in items if "role" in item),
        system=Message("system", texts(body["instructions"])) if body.get("instructions") else None,
        stream=bool(body.get("stream")),
        must_fit=shape(form, form, "text.format.schema"),
    )


def response(body: JsonObject, reply: Reply, digest: str) -> JsonObject:
    """The whole response, with the settings that the request gave."""
    cut = reply.stop_reason == "max_tokens"
    status = "incomplete" if cut else "completed"
    part = {"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}
    item = {"id": f"msg_{digest}", "type": "message", "status": status, "role": "assistant", "content": [part]}
    return {
        "id": f"resp_{digest}",
        "object": "response",
        "created_at": created(digest),
        "status": status,
        "error": None,
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "model": body["model"],
        "output": [item],
        "usage": usage(reply.usage),
        **{name: default if body.get(name) is None else body[name] for name, default in ECHOED.items()},
    }


def usage(spent: Usage) -> JsonObject:
    """The tokens, with the details of this API, which are always 0 here."""
    return {
        "input_tokens": spent.input_tokens,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": spent.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": spent.input_tokens + spent.output_tokens,
    }


def events(whole: JsonObject) -> Iterator[bytes]:
    """The same response in pieces, each with its number."""
    for i, (kind, content) in enumerate(_stream_steps(whole)):
        yield event(kind, sequence_number=i, **content)


def _stream_steps(whole: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    item = whole["output"][0]
    part = item["content"][0]
    begun = {**whole, "status": "in_progress", "output": [], "usage": None, "incomplete_details": None}
    place = {"output_index": 0}
    inside = {**place, "item_id": item["id"], "content_index": 0}
    yield "response.created", {"response": begun}
    yield "response.in_progress", {"response": begun}
    yield "response.output_item.added", {**place, "item": {**item, "status": "in_progress", "content": []}}
    yield "response.content_part.added", {**inside, "part": {**part, "text": ""}}
    for piece in pieces(part["text"]):
        yield "response.output_text.delta", {**inside, "delta": piece, "logprobs": []}
    yield "response.output_text.done", {**inside, "text": part["text"], "logprobs": []}
    yield "response.content_part.done", {**inside, "part": part}
    yield "response.output_item.done", {**place, "item": item}
    yield f"response.{whole['status']}", {"response": whole}


def _input_items(value: object, path: str) -> None:
    """A string, or a list of items."""
    if isinstance(value, str):
        return
    if not list_of(_item)(value, path):
        raise refuse(path, "at least one item is required")


def _item(value: object, path: str) -> None:
    item = mapping(value, path)
    kind = item.get("type", "message")
    if kind in UNREAD_ITEMS:
        return
    if kind != "message":
        raise refuse(f"{path}.type", f"Input should be 'message', not {str(kind)[:80]!r}")
    fields(item, path, ITEM_FIELDS, ("role", "content"))


def _item_content(value: object, path: str) -> None:
    """A string, or a list of parts."""
    if not isinstance(value, str):
        list_of(_ITEM_PART)(value, path)


def _at_once(value: object, path: str) -> None:
    if value is not False:
        raise refuse(path, "this mock answers immediately: leave it out")


def _reasoning(value: object, path: str) -> None:
    EFFORT(mapping(value, path).get("effort"), f"{path}.effort")


def _tool_choice(value: object, path: str) -> None:
    if value not in ("auto", "none"):
        raise refuse(path, "this mock calls no tools here, only on /v1/chat/completions: use 'auto' or 'none'")


_NO_STATE = refused("this mock keeps no conversations: send the whole input")
_NO_TEXT = refused("this mock serves text only: send the text itself")
_NOTES: dict[str, Check] = {"annotations": optional(list_of(mapping)), "logprobs": optional(list_of(mapping))}

# The kinds of content part, with their fields. To add one that is read, name its text in `openai_request.texts`.
_ITEM_PART = by_type(
    {
        "input_text": record("", {"type": anything, "text": string, "prompt_cache_breakpoint": mapping}, "text"),
        "output_text": record("", {"type": anything, "text": string, **_NOTES}, "text"),
        "refusal": record("", {"type": anything, "refusal": string}, "refusal"),
        "input_image": _NO_TEXT,
        "input_file": _NO_TEXT,
        "input_audio": _NO_TEXT,
    }
)

ITEM_FIELDS: dict[str, Check] = {
    "role": one_of("user", "assistant", "system", "developer"),
    "content": _item_content,
    "type": string,
    "id": optional(string),
    "status": optional(string),
    "phase": optional(string),
}

# Items of a conversation that are not messages. The mock skips them.
UNREAD_ITEMS = ("function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "reasoning")

# The settings that a response repeats from its request, and their defaults.
ECHOED: JsonObject = {
    "instructions": None,
    "max_output_tokens": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "reasoning": {"effort": None, "summary": None},
    "temperature": 1.0,
    "text": {"format": {"type": "text"}},
    "tool_choice": "auto",
    "tools": [],
    "top_p": 1.0,
    "truncation": "disabled",
}

_FORMAT = by_type(
    {
        "text": record("", {"type": anything}),
        "json_object": record("", {"type": anything}),
        "json_schema": record("", {"type": anything, **SCHEMA}, "name", "schema"),
    }
)
_TEXT = record("", {"format": optional(_FORMAT), "verbosity": VERBOSITY})

# The fields of a request. The mock reads the first six; it accepts the others as the service does.
REQUEST_FIELDS: dict[str, Check] = {
    "model": filled,
    "input": _input_items,
    "instructions": optional(string),
    "max_output_tokens": optional(integer(1)),
    "stream": optional(boolean),
    "text": optional(_TEXT),
    "access_programs": optional(mapping),
    "background": optional(_at_once),
    "background_options": optional(mapping),
    "context_management": optional(list_of(mapping)),
    "conversation": optional(_NO_STATE),
    "image": optional(mapping),
    "include": optional(list_of(string)),
    "max_tool_calls": optional(integer(1)),
    "metadata": METADATA,
    "moderation": optional(mapping),
    "parallel_tool_calls": optional(boolean),
    "previous_response_id": optional(_NO_STATE),
    "prompt": optional(_NO_STATE),
    "prompt_cache_key": optional(string),
    "prompt_cache_options": optional(mapping),
    "prompt_cache_retention": CACHE_RETENTION,
    "reasoning": optional(_reasoning),
    "safety_identifier": optional(string),
    "service_tier": SERVICE_TIER,
    "store": optional(boolean),
    "stream_options": optional(mapping),
    "temperature": optional(number(0, 2)),
    "tool_choice": optional(_tool_choice),
    "tools": optional(list_of(mapping)),
    "top_logprobs": TOP_LOGPROBS,
    "top_p": optional(number(0, 1)),
    "truncation": optional(one_of("auto", "disabled")),
    "user": optional(string),
}
