"""The Anthropic Messages API: bodies in, replies and errors out. Nothing here touches a socket."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from mock_llm.core import answer, input_tokens
from mock_llm.errors import RequestError
from mock_llm.records import JsonObject, Quote, Reply, Request
from mock_llm.wires.anthropic_request import as_body, parsed, parsed_for_count
from mock_llm.wires.bodies import decoded, encoded, identity
from mock_llm.wires.sse import event, pieces


class Served(NamedTuple):
    """What one body led to."""

    request: Request
    reply: Reply
    message: JsonObject  # the response's JSON


def serve(raw: bytes, default: str, scripted: str | None = None) -> Served:
    """Read a body, answer it and write the message. `default` is the server's persona.

    A scripted text takes the place of what the persona would say.
    """
    body = decoded(raw)
    request = parsed(body)
    reply = answer(request, default, scripted)
    # Streamed or not, it is the same message, so its id is the same.
    asked = {name: value for name, value in body.items() if name != "stream"}
    return Served(request, reply, message(request, reply, identity("msg", encoded(asked))))


def reply_to(request: JsonObject | list[JsonObject], persona: str = "reader") -> JsonObject:
    """The response to a request, as the server would send it, without a server.

    `request` is the body of `POST /v1/messages`, held to the same rules; or just a list of messages.
    `persona` is the default persona. Raises RequestError where the server would answer with one.

    >>> prompt = "Context:\\n[1] (source: hours.md) Rooms open at 8.\\n\\nQuestion: When do rooms open?"
    >>> reply_to([{"role": "user", "content": prompt}])["content"][0]["text"]
    'Rooms open at 8. [1]'
    """
    return serve(encoded(as_body(request)), persona).message


def count_tokens(raw: bytes) -> tuple[Request, dict[str, int]]:
    """The answer of `POST /v1/messages/count_tokens`: what `usage.input_tokens` of the same prompt would be.

    >>> count_tokens(b'{"model": "mock", "messages": [{"role": "user", "content": "Hello!"}]}')[1]
    {'input_tokens': 2}
    """
    request = parsed_for_count(decoded(raw))
    return request, {"input_tokens": input_tokens(request)}


def message(request: Request, reply: Reply, message_id: str) -> JsonObject:
    """The whole response. A reply without text has no block."""
    content: list[JsonObject] = [
        {"type": "text", "text": one.text, "citations": [citation(quote) for quote in one.quotes] or None}
        for one in reply.said
    ]
    if reply.call:
        tool_id = message_id.replace("msg", "toolu", 1)
        content.append({"type": "tool_use", "id": tool_id, "name": reply.call.name, "input": reply.call.input})
    return {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "content": content,
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


def citation(quote: Quote) -> JsonObject:
    """A quote, written as its kind of document requires.

    >>> from mock_llm.records import Document, Span
    >>> citation(Quote(Document("text", 0, ("Open at 8. Close at 6.",)), Span(0, 0, 11)))["cited_text"]
    'Open at 8. '
    """
    return LOCATIONS[quote.document.kind](quote)


def _char_location(quote: Quote) -> JsonObject:
    document, span = quote
    return {
        "type": "char_location",
        "cited_text": document.texts[0][span.start : span.end],
        "document_index": document.index,
        "document_title": document.title,
        "start_char_index": span.start,
        "end_char_index": span.end,
        "file_id": None,
    }


def _content_block_location(quote: Quote) -> JsonObject:
    document, span = quote
    return {
        "type": "content_block_location",
        "cited_text": document.texts[span.piece],
        "document_index": document.index,
        "document_title": document.title,
        "start_block_index": span.piece,
        "end_block_index": span.piece + 1,
        "file_id": None,
    }


def _search_result_location(quote: Quote) -> JsonObject:
    document, span = quote
    return {
        "type": "search_result_location",
        "cited_text": document.texts[span.piece],
        "search_result_index": document.index,
        "source": document.source,
        "title": document.title,
        "start_block_index": span.piece,
        "end_block_index": span.piece + 1,
    }


# How each kind of document is cited. To add a kind, add a line here and one in anthropic_blocks.MAKERS.
LOCATIONS = {
    "text": _char_location,
    "content": _content_block_location,
    "search_result": _search_result_location,
}


def events(whole: JsonObject) -> Iterator[bytes]:
    """The same response in pieces: joined, they give the same content and the same usage."""
    usage = whole["usage"]
    begun = {"content": [], "stop_reason": None, "stop_sequence": None}
    yield event("message_start", message={**whole, **begun, "usage": {**usage, "output_tokens": 0}})
    for index, block in enumerate(whole["content"]):
        empty, deltas = IN_PIECES[block["type"]](block)
        yield event("content_block_start", index=index, content_block={**block, **empty})
        for delta in deltas:
            yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    ending = {name: whole[name] for name in ("stop_reason", "stop_sequence")}
    counted = {name: count for name, count in usage.items() if name.endswith("_tokens")}
    yield event("message_delta", delta=ending, usage=counted)
    yield event("message_stop")


def _text_in_pieces(block: JsonObject) -> tuple[JsonObject, Iterator[JsonObject]]:
    """How a text block starts, and its deltas: each word, then each citation."""
    cited = block["citations"]

    def deltas() -> Iterator[JsonObject]:
        for piece in pieces(block["text"]):
            yield {"type": "text_delta", "text": piece}
        for one in cited or ():
            yield {"type": "citations_delta", "citation": one}

    return {"text": "", "citations": [] if cited else None}, deltas()


def _tool_use_in_pieces(block: JsonObject) -> tuple[JsonObject, Iterator[JsonObject]]:
    """The same for a call: its input travels as JSON, cut after commas."""
    written = _TO_COMMA.findall(msgspec.json.encode(block["input"]).decode())
    return {"input": {}}, ({"type": "input_json_delta", "partial_json": piece} for piece in written)


_TO_COMMA = re.compile(r"[^,]*,|[^,]+")

# How each kind of block is streamed. To add one, add a line here.
IN_PIECES = {"text": _text_in_pieces, "tool_use": _tool_use_in_pieces}


def error_body(error: RequestError, request_id: str) -> JsonObject:
    """The envelope of an error."""
    return {"type": "error", "error": {"type": error.kind, "message": str(error)}, "request_id": request_id}
