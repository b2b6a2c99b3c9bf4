"""The Anthropic Messages API: bodies in, replies and errors out. Nothing here touches a socket."""

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, NamedTuple

from mock_llm.core import answer
from mock_llm.errors import RequestError
from mock_llm.records import Reply, Request
from mock_llm.wires.anthropic_request import as_body, decoded, encoded, parsed
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


def identity(kind: str, raw: bytes) -> str:
    """An id that the bytes alone decide: no clock, no random.

    >>> identity("req", b"")
    'req_cae66941d9efbd404e4d88758ea67670'
    """
    return f"{kind}_{blake2b(raw, digest_size=16).hexdigest()}"


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
    begun = {"content": [], "stop_reason": None, "stop_sequence": None}
    yield event("message_start", message={**whole, **begun, "usage": {**usage, "output_tokens": 0}})
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
