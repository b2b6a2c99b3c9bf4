"""The OpenAI chat completions API: bodies in, replies and errors out. Nothing here touches a socket."""

import re
from collections.abc import Iterator
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from mock_llm.core import answer
from mock_llm.errors import RequestError
from mock_llm.records import JsonObject, Reply, Request, Usage
from mock_llm.wires.bodies import decoded, encoded
from mock_llm.wires.fields import refuse
from mock_llm.wires.openai_request import Chat, parsed
from mock_llm.wires.sse import data, pieces

# The request decides the time in `created`, since a clock would give different bytes each time.
FIRST_SECOND = 1_767_225_600  # 2026-01-01T00:00:00Z
SECONDS = 2**24  # about half a year

MOST_CHARACTERS = 2_000_000  # of all choices together, where there are several

FINISHED = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "tool_use": "tool_calls"}


class Served(NamedTuple):
    """What one body led to."""

    request: Request
    reply: Reply
    completion: JsonObject  # the response's JSON
    include_usage: bool  # in a stream


def serve(raw: bytes, default: str, scripted: str | None = None) -> Served:
    """Read a body, answer it and write the completion. `default` is the server's persona.

    A scripted text takes the place of what the persona would say.
    """
    body = decoded(raw)
    chat = parsed(body)
    reply = answer(chat.request, default, scripted)
    length = len(reply.text) if reply.call is None else len(encoded(reply.call.input))
    if chat.choices > 1 and chat.choices * length > MOST_CHARACTERS:
        reason = f"{chat.choices} choices of {length} characters are more than {MOST_CHARACTERS} in all: ask for fewer"
        raise refuse("n", reason)
    return Served(chat.request, reply, completion(chat, reply, digest(body)), chat.include_usage)


def digest(body: JsonObject) -> str:
    """What ids are made from. Streamed or not, it is the same reply, so its id is the same.

    >>> digest({"model": "m", "stream": True}) == digest({"model": "m"})
    True
    """
    asked = {name: value for name, value in body.items() if name not in ("stream", "stream_options")}
    return blake2b(encoded(asked), digest_size=16).hexdigest()


def created(digest: str) -> int:
    """A time in seconds that the request decides.

    >>> created("00000000ff"), created("ffffffffff")
    (1767225600, 1784002815)
    """
    return FIRST_SECOND + int(digest[:6], 16) % SECONDS


def completion(chat: Chat, reply: Reply, digest: str) -> JsonObject:
    """The whole response, with as many equal choices as the request asks for."""
    choice = {
        "message": _assistant_message(reply, digest),
        "logprobs": None,
        "finish_reason": FINISHED[reply.stop_reason],
    }
    return {
        "id": f"chatcmpl-{digest}",
        "object": "chat.completion",
        "created": created(digest),
        "model": chat.request.model,
        "choices": [{"index": i, **choice} for i in range(chat.choices)],
        "usage": usage(reply.usage, chat.choices),
    }


def _assistant_message(reply: Reply, digest: str) -> JsonObject:
    message: JsonObject = {"role": "assistant", "content": reply.text, "refusal": None}
    if reply.call is None:
        return message
    function = {"name": reply.call.name, "arguments": msgspec.json.encode(reply.call.input).decode()}
    call = {"id": f"call_{digest[:24]}", "type": "function", "function": function}
    return {**message, "content": reply.text or None, "tool_calls": [call]}


def usage(spent: Usage, choices: int = 1) -> dict[str, int]:
    """The tokens of all choices; the prompt is read once.

    >>> usage(Usage(10, 3), 2)
    {'prompt_tokens': 10, 'completion_tokens': 6, 'total_tokens': 16}
    """
    written = spent.output_tokens * choices
    return {
        "prompt_tokens": spent.input_tokens,
        "completion_tokens": written,
        "total_tokens": spent.input_tokens + written,
    }


def chunks(whole: JsonObject, include_usage: bool = False) -> Iterator[bytes]:
    """The same response in pieces: joined, they give the same content and finish reason."""
    head = {**{name: whole[name] for name in ("id", "created", "model")}, "object": "chat.completion.chunk"}
    tail = {"usage": None} if include_usage else {}
    for choice in whole["choices"]:
        for delta, finish in _deltas(choice["message"], choice["finish_reason"]):
            one = {"index": choice["index"], "delta": delta, "logprobs": None, "finish_reason": finish}
            yield data({**head, "choices": [one], **tail})
    if include_usage:
        yield data({**head, "choices": [], "usage": whole["usage"]})
    yield b"data: [DONE]\n\n"


def _deltas(message: JsonObject, finish: str) -> Iterator[tuple[JsonObject, str | None]]:
    """The pieces of one choice. If the text was cut, its last piece comes together with the finish reason."""
    calls = message.get("tool_calls", [])
    yield {"role": "assistant", "content": None if calls else "", "refusal": None}, None
    said = pieces(message["content"] or "")
    cut = said.pop() if finish == "length" and said else None
    for piece in said:
        yield {"content": piece}, None
    for index, call in enumerate(calls):
        function = call["function"]
        yield {"tool_calls": [{**call, "index": index, "function": {**function, "arguments": ""}}]}, None
        for piece in pieces(function["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}, None
    yield {} if cut is None else {"content": cut}, finish


def error_body(error: RequestError, request_id: str) -> JsonObject:
    """The envelope of an error. The field at fault is written as this API writes it.

    >>> error_body(RequestError("messages.0.role: Field required", param="messages.0.role"), "")["error"]["message"]
    "Missing required parameter: 'messages[0].role'."
    """
    param = re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", error.param)
    reason = str(error).removeprefix(f"{error.param}: ")
    opening, code = REASONS.get(reason, ("", ""))
    default_type, default_code = KINDS.get(error.status, ("invalid_request_error", ""))
    return {
        "error": {
            "message": f"{opening}: '{param}'." if opening else f"'{param}': {reason}." if param else str(error),
            "type": default_type,
            "param": param or None,
            "code": error.code or code or default_code or None,
        }
    }


# How this API words some errors, and their codes. To add one, add the reason as `fields` gives it.
REASONS = {
    "Field required": ("Missing required parameter", "missing_required_parameter"),
    "Extra inputs are not permitted": ("Unknown parameter", "unknown_parameter"),
}

# Type and code of the statuses that are not about the body.
KINDS = {
    401: ("invalid_request_error", "invalid_api_key"),
    403: ("invalid_request_error", "forbidden"),
    429: ("requests", "rate_limit_exceeded"),
    **dict.fromkeys(range(500, 600), ("server_error", "")),
}


def models(names: list[str]) -> JsonObject:
    """The list of models.

    >>> models(["mock-reader"])["data"][0]["id"]
    'mock-reader'
    """
    return {"object": "list", "data": [_model(name) for name in names]}


def model(name: str, names: list[str]) -> JsonObject:
    """One model. Raises RequestError for a name that is not listed."""
    if name not in names:
        raise RequestError(
            f"The model '{name[:80]}' does not exist", status=404, kind="not_found_error", code="model_not_found"
        )
    return _model(name)


def _model(name: str) -> JsonObject:
    return {"id": name, "object": "model", "created": FIRST_SECOND, "owned_by": "mock_llm"}
