"""A body of the Anthropic Messages API, checked field by field and made a request."""

from typing import Any

import msgspec

from mock_llm.errors import RequestError
from mock_llm.records import Message, Request, Text
from mock_llm.wires.fields import (
    Check,
    anything,
    boolean,
    fields,
    filled,
    integer,
    list_of,
    mapping,
    number,
    one_of,
    optional,
    refuse,
    string,
)


def as_body(request: dict[str, Any] | list[dict[str, Any]]) -> dict[str, Any]:
    """A list of messages is short for a body with that list and nothing special about it."""
    if isinstance(request, list):
        return {"model": "mock", "max_tokens": 1024, "messages": request}
    return request


def decoded(raw: bytes) -> dict[str, Any]:
    """The JSON object of a body."""
    try:
        body = msgspec.json.decode(raw)
    except RecursionError:
        raise RequestError("The request body is nested too deeply") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RequestError(f"The request body is not valid JSON: {error}") from None
    if not isinstance(body, dict):
        raise RequestError("The request body is not a JSON object")
    return body


def encoded(body: object) -> bytes:
    """The bytes of a value, whatever the order of its keys."""
    try:
        return msgspec.json.encode(body, order="deterministic")
    except RecursionError:
        raise RequestError("The request body is nested too deeply") from None
    except (TypeError, ValueError, msgspec.MsgspecError) as error:
        raise RequestError(f"The request cannot be written as JSON: {error}") from None


def parsed(body: dict[str, Any]) -> Request:
    """Check every field of a body and make a request of it.

    >>> parsed({"model": "mock-reader", "messages": []})
    Traceback (most recent call last):
    mock_llm.errors.RequestError: max_tokens: Field required
    """
    fields(body, "", REQUEST_FIELDS, ("model", "max_tokens", "messages"))
    return Request(
        model=body["model"],
        max_tokens=body["max_tokens"],
        messages=tuple(Message(one["role"], _blocks(one["content"])) for one in body["messages"]),
        system=Message("system", _blocks(body["system"])) if "system" in body else None,
        stop_sequences=tuple(body.get("stop_sequences") or ()),
        stream=body.get("stream", False),
    )


def _blocks(content: str | list[dict[str, Any]]) -> tuple[Text, ...]:
    return (Text(content),) if isinstance(content, str) else tuple(Text(one["text"]) for one in content)


def _messages(value: object, path: str) -> None:
    messages = list_of(_message)(value, path)
    if not messages:
        raise refuse(path, "at least one message is required")
    for i, one in enumerate(messages):
        ends = one["role"] == "assistant" and i == len(messages) - 1
        if not one["content"] and not ends:
            raise refuse(f"{path}.{i}", "all messages must have non-empty content except for the optional "
                         "final assistant message")  # fmt: skip


def _message(value: object, path: str) -> None:
    fields(value, path, MESSAGE_FIELDS, ("role", "content"))


def _content(value: object, path: str) -> None:
    """A string, or a list of blocks."""
    if not isinstance(value, str):
        list_of(_block)(value, path)


def _block(value: object, path: str) -> None:
    block = mapping(value, path)
    if "type" not in block:
        raise refuse(f"{path}.type", "Field required")
    kind = string(block["type"], f"{path}.type")
    if kind in NOT_SERVED:
        raise refuse(path, f"this mock serves text blocks only, not {kind!r}: send the text itself")
    if kind not in BLOCKS:
        raise refuse(f"{path}.type", f"Input should be 'text', not {kind[:80]!r}")
    fields(block, f"{path}.{kind}", BLOCKS[kind], ("type", "text"))


def _block_text(value: object, path: str) -> None:
    if not string(value, path):
        raise refuse(path.partition(".")[0], "text content blocks must be non-empty")


def _stop_sequence(value: object, path: str) -> None:
    if not string(value, path).strip():
        raise refuse("stop_sequences", "each stop sequence must contain non-whitespace")


def _tool_choice(value: object, path: str) -> None:
    if mapping(value, path).get("type") not in ("auto", "none"):
        raise refuse(path, "this mock calls no tools: use 'auto' or 'none'")


# The kinds of content block that are read, with their fields. To add one, add a line here, take it
# out of NOT_SERVED, and make a value of it in _blocks.
BLOCKS: dict[str, dict[str, Check]] = {
    "text": {
        "type": string,
        "text": _block_text,
        "cache_control": optional(mapping),
        "citations": optional(list_of(mapping)),
    },
}

# The service reads these as well.
NOT_SERVED = (
    "image",
    "document",
    "search_result",
    "thinking",
    "redacted_thinking",
    "tool_use",
    "tool_result",
)

MESSAGE_FIELDS: dict[str, Check] = {"role": one_of("user", "assistant", "system"), "content": _content}

# The fields of a request. The mock reads the first seven; it accepts the others as the service does.
REQUEST_FIELDS: dict[str, Check] = {
    "model": filled,
    "max_tokens": integer(0),
    "messages": _messages,
    "system": _content,
    "stop_sequences": optional(list_of(_stop_sequence)),
    "stream": boolean,
    "tool_choice": _tool_choice,
    "cache_control": optional(mapping),
    "container": anything,
    "diagnostics": optional(mapping),
    "inference_geo": optional(string),
    "metadata": mapping,
    "output_config": mapping,
    "service_tier": one_of("auto", "standard_only"),
    "speed": optional(one_of("standard", "fast")),
    "temperature": number(0, 1),
    "thinking": mapping,
    "tools": list_of(mapping),
    "top_k": integer(0),
    "top_p": number(0, 1),
}
