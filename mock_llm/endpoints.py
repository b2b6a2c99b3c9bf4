"""The table of endpoints: which API a path belongs to, and what answers there."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from mock_llm.errors import RequestError
from mock_llm.journal import Call, answered
from mock_llm.personas import PERSONAS, PREFIX
from mock_llm.records import JsonObject, Request
from mock_llm.wires import anthropic, anthropic_models, openai, openai_embeddings, openai_responses
from mock_llm.wires.sse import event

Headers = Mapping[bytes, bytes]  # names in lower case


class Wire(NamedTuple):
    """What one API does in its own way at all its endpoints."""

    id_header: str  # carries the id of every request
    error_body: Callable[[RequestError, str], JsonObject]
    no_key: str  # the error text where there is no key
    wrong_key: str  # and where it is wrong
    models: Callable[[Mapping[str, list[str]]], JsonObject]  # the list, for the parameters of a query
    model: Callable[[str], JsonObject]  # one of them
    needs: str = ""  # a header that is required besides the key
    ping: bytes = b""  # sent into a stream that is silent for long


class Answer(NamedTuple):
    """What an endpoint sends."""

    call: Call
    body: JsonObject
    events: Iterable[bytes] | None = None  # where a stream was asked for
    request: Request | None = None  # where it can be explained


class Endpoint(NamedTuple):
    """One path that takes POST."""

    wire: Wire
    answer: Callable[[bytes, str, str | None], Answer]  # of a body, the default persona, a scripted text
    delta: bytes = b""  # is in every event of its streams that carries text, and in no other
    heavy: bool = False  # even a short body can take long


def messages(raw: bytes, persona: str, scripted: str | None) -> Answer:
    request, reply, message = anthropic.serve(raw, persona, scripted)
    events = anthropic.events(message) if request.stream else None
    return Answer(answered("/v1/messages", request, reply), message, events, request)


def count_tokens(raw: bytes, persona: str, scripted: str | None) -> Answer:
    request, body = anthropic.count_tokens(raw)
    call = Call("/v1/messages/count_tokens", 200, model=request.model, input_tokens=body["input_tokens"])
    return Answer(call, body)


def chat(raw: bytes, persona: str, scripted: str | None) -> Answer:
    request, reply, whole, include_usage = openai.serve(raw, persona, scripted)
    events = openai.chunks(whole, include_usage) if request.stream else None
    return Answer(answered("/v1/chat/completions", request, reply), whole, events, request)


def responses(raw: bytes, persona: str, scripted: str | None) -> Answer:
    request, reply, whole = openai_responses.serve(raw, persona, scripted)
    events = openai_responses.events(whole) if request.stream else None
    return Answer(answered("/v1/responses", request, reply), whole, events, request)


def embeddings(raw: bytes, persona: str, scripted: str | None) -> Answer:
    model, spent, body = openai_embeddings.serve(raw)
    return Answer(Call("/v1/embeddings", 200, model=model, input_tokens=spent), body)


def wire_of(path: str, headers: Headers) -> Wire:
    """The API that a path belongs to. Where both have the path or neither, the headers decide."""
    if path in ENDPOINTS:
        return ENDPOINTS[path].wire
    for prefix, wire in PREFIXES.items():
        if path.startswith(prefix):
            return wire
    own = b"anthropic-version" in headers or b"x-api-key" in headers or b"authorization" not in headers
    return ANTHROPIC if own else OPENAI


MODELS = [*(PREFIX + persona for persona in PERSONAS), *openai_embeddings.DIMENSIONS]

ANTHROPIC = Wire(
    id_header="request-id",
    error_body=anthropic.error_body,
    no_key="x-api-key header is required",
    wrong_key="invalid x-api-key: send the key that this server was started with (--api-key)",
    models=anthropic_models.page,
    model=anthropic_models.model,
    needs="anthropic-version",
    ping=event("ping"),
)
OPENAI = Wire(
    id_header="x-request-id",
    error_body=openai.error_body,
    no_key="You didn't provide an API key: send it in a header, Authorization: Bearer",
    wrong_key="Incorrect API key provided: send the key that this server was started with (--api-key)",
    models=lambda query: openai.models(MODELS),
    model=lambda name: openai.model(name, MODELS),
)

# To add an endpoint, write a function of a body, the default persona and a scripted text, and add a line here.
ENDPOINTS = {
    "/v1/messages": Endpoint(ANTHROPIC, messages, delta=b"event: content_block_delta\n"),
    "/v1/messages/count_tokens": Endpoint(ANTHROPIC, count_tokens),
    "/v1/chat/completions": Endpoint(OPENAI, chat, delta=b'"delta":{"content":"'),
    "/v1/responses": Endpoint(OPENAI, responses, delta=b"event: response.output_text.delta\n"),
    "/v1/embeddings": Endpoint(OPENAI, embeddings, heavy=True),
}

# The API that paths belong to by their start, whether they are served or not.
PREFIXES = {
    "/_mock/": ANTHROPIC,
    "/v1/messages": ANTHROPIC,
    "/v1/chat": OPENAI,
    "/v1/responses": OPENAI,
    "/v1/embeddings": OPENAI,
}
