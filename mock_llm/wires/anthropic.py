"""The Anthropic Messages API: bodies in, replies and errors out. Nothing here touches a socket."""

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec

from mock_llm.core import answer
from mock_llm.errors import RequestError
from mock_llm.records import Message, Reply, Request, Text
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
from mock_llm.wires.sse import event, pieces


class Served(NamedTuple):
    """What became of one body."""

    request: Request
    reply: Reply
    message: dict[str, Any]  # the response's JSON


def serve(raw: bytes, default: str) -> Served:
    """Read a body, answer it and write the message. `default` is the server's persona."""
    body = decoded(raw)
    request = parsed(body)
    reply = answer(request, default)
    # Streamed or not, it is the same message, so its id is the same.
    asked = {name: value for name, value in body.items() if name != "stream"}
    return Served(request, reply, message(request, reply, identity("msg", encoded(asked))))


def reply_to(request: dict[str, Any] | list[dict[str, Any]], persona: str = "reader") -> dict[str, Any]:
    """The response to a request, as the server would send it, without a server.

    `request` is the body of `POST /v1/messages`, held to the same rules; or just a list of messages.
    `persona` is the default persona. Raises RequestError where the server would answer with one.

    >>> prompt = "Context:\\n[1] (source: hours.md) Rooms open at 8.\\n\\nQuestion: When do rooms open?"
    >>> reply_to([{"role": "user", "content": prompt}])["content"][0]["text"]
    'Rooms open at 8. [1]'
    """
    return serve(encoded(as_body(request)), persona).message


def as_body(request: dict[str, Any] | list[dict[str, Any]]) -> dict[str, Any]:
    """A list of messages is short for a body with that list and nothing special about it."""
    if isinstance(request, list):
        return {"model": "mock-reader", "max_tokens": 1024, "messages": request}
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


def identity(kind: str, raw: bytes) -> str:
    """An id that the bytes alone decide: no clock, no random.

    >>> identity("req", b"")
    'req_cae66941d9efbd404e4d88758ea67670'
    """
    return f"{kind}_{blake2b(raw, digest_size=16).hexdigest()}"


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


def message(request: Request, reply: Reply, message_id: str) -> dict[str, Any]:
    """The whole response. A reply without text has no block."""
    return {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "content": [{"type": "text", "text": reply.text, "citations": None}] if reply.text else [],
        "stop_reason": reply.stop_reason,
        "stop_sequence": reply.stop_sequence,
        "usage": {
            "input_tokens": reply.usage.input_tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": reply.usage.output_tokens,
            "service_tier": "standard",
        },
    }


def events(whole: dict[str, Any]) -> Iterator[bytes]:
    """The same response in pieces: joined, they give the same content and the same usage."""
    usage = whole["usage"]
    empty = {"content": [], "stop_reason": None, "stop_sequence": None, "usage": {**usage, "output_tokens": 0}}
    yield event("message_start", message={**whole, **empty})
    for index, block in enumerate(whole["content"]):
        yield event("content_block_start", index=index, content_block={**block, "text": ""})
        for piece in pieces(block["text"]):
            yield event("content_block_delta", index=index, delta={"type": "text_delta", "text": piece})
        yield event("content_block_stop", index=index)
    ending = {name: whole[name] for name in ("stop_reason", "stop_sequence")}
    counted = {name: count for name, count in usage.items() if name.endswith("_tokens")}
    yield event("message_delta", delta=ending, usage=counted)
    yield event("message_stop")


def error_body(error: RequestError, request_id: str) -> dict[str, Any]:
    """The envelope of an error."""
    return {"type": "error", "error": {"type": error.kind, "message": str(error)}, "request_id": request_id}


def _messages(value: object, path: str) -> None:
    if value == []:
        raise refuse(path, "at least one message is required")
    list_of(_message)(value, path)
    if isinstance(value, list):
        for i, one in enumerate(value):
            last_words = i == len(value) - 1 and one["role"] == "assistant"
            if not one["content"] and not last_words:
                raise refuse(
                    f"{path}.{i}",
                    "all messages must have non-empty content except for the optional final assistant message",
                )


def _message(value: object, path: str) -> None:
    fields(value, path, MESSAGE_FIELDS, ("role", "content"))


def _content(value: object, path: str) -> None:
    """A string, or a list of blocks."""
    if not isinstance(value, str):
        list_of(_block)(value, path)


def _block(value: object, path: str) -> None:
    mapping(value, path)
    kind = value.get("type") if isinstance(value, dict) else None
    if kind is None:
        raise refuse(f"{path}.type", "Field required")
    if kind in NOT_SERVED:
        raise refuse(path, f"this mock serves text blocks only, not {kind!r}: send the text itself")
    if kind not in BLOCKS:
        raise refuse(f"{path}.type", f"Input should be 'text', not {str(kind)[:80]!r}")
    fields(value, f"{path}.{kind}", BLOCKS[kind], ("type", "text"))


def _block_text(value: object, path: str) -> None:
    string(value, path)
    if not value:
        raise refuse(path.partition(".")[0], "text content blocks must be non-empty")


def _stop_sequence(value: object, path: str) -> None:
    string(value, path)
    if isinstance(value, str) and not value.strip():
        raise refuse("stop_sequences", "each stop sequence must contain non-whitespace")


def _tool_choice(value: object, path: str) -> None:
    mapping(value, path)
    if isinstance(value, dict) and value.get("type") not in ("auto", "none"):
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
