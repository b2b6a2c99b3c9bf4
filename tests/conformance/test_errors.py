"""What goes wrong, and the error that each client makes of it: class, status, type, message, and id of the request."""

from typing import Any, NamedTuple

import anthropic
import openai
import pytest

HI = {"role": "user", "content": "hi"}
ENDLESS = {"$ref": "#"}
INVALID = "invalid_request_error"


class Fault(NamedTuple):
    """A change of a good request, or a status that the script sends, and what comes of it."""

    raised: str  # name of the class, the same in both clients
    status: int
    anthropic: tuple[str, str] | None  # type and message; None: this client is not asked
    openai: tuple[str, str | None, str | None, str] | None  # type, param, code and message
    change: dict[str, Any] = {}
    scripted: bool = False
    key: str | None = None


def bad(anthropic, openai, **change):
    """A bad request, by the message of each API; that of OpenAI comes after its param and code."""
    ours, theirs = anthropic and (INVALID, anthropic), openai and (INVALID, *openai)
    return Fault("BadRequestError", 400, ours, theirs, change)


def scripted(raised, status, kind, message, openai=None):
    theirs = openai and (openai[0], None, openai[1], f"{message} (scripted)")
    return Fault(raised, status, (kind, f"{message} (scripted)"), theirs, scripted=True)


OTHER_KEY = "send the key that this server was started with (--api-key)"
LONG = "prompt is too long: 200001 tokens > 200000 maximum"
NO_END = "the schema nests too deeply or never ends"
OURS, THEIRS = "output_config.format.schema", "response_format.json_schema.schema"

# To add one, add a line.
FAULTS = {
    "no messages": bad(
        "messages: at least one message is required",
        ("messages", None, "'messages': at least one message is required."),
        messages=[],
    ),
    # Without a timeout the client makes one of the limit.
    "no limit": bad("max_tokens: Field required", None, max_tokens=anthropic.omit, timeout=60),
    "a limit of the wrong type": bad(
        "max_tokens: Input should be a valid integer",
        ("max_tokens", None, "'max_tokens': Input should be a valid integer."),
        extra_body={"max_tokens": "many"},
    ),
    "an unknown field": bad(
        "banana: Extra inputs are not permitted",
        ("banana", "unknown_parameter", "Unknown parameter: 'banana'."),
        extra_body={"banana": 1},
    ),
    "a message without a role": bad(
        "messages.1.role: Field required",
        ("messages[1].role", "missing_required_parameter", "Missing required parameter: 'messages[1].role'."),
        messages=[HI, {"content": "hi"}],
    ),
    "a prompt that is too long": bad(LONG, (None, None, LONG), messages=[{"role": "user", "content": "x" * 800_001}]),
    "empty text": bad(
        "messages: text content blocks must be non-empty",
        None,
        messages=[{"role": "user", "content": [{"type": "text", "text": ""}]}],
    ),
    "a schema without end": bad(
        f"{OURS}: {NO_END}", None, output_config={"format": {"type": "json_schema", "schema": ENDLESS}}
    ),
    "a schema without end, of chat": bad(
        None,
        (THEIRS, None, f"'{THEIRS}': {NO_END}."),
        response_format={"type": "json_schema", "json_schema": {"name": "s", "schema": ENDLESS}},
    ),
    "a wrong key": Fault(
        "AuthenticationError",
        401,
        ("authentication_error", f"invalid x-api-key: {OTHER_KEY}"),
        (INVALID, None, "invalid_api_key", f"Incorrect API key provided: {OTHER_KEY}"),
        key="wrong",
    ),
    "forbidden": scripted(
        "PermissionDeniedError", 403, "permission_error", "Permission denied", (INVALID, "forbidden")
    ),
    "not found": scripted("NotFoundError", 404, "not_found_error", "Not found", (INVALID, None)),
    "too many requests": scripted(
        "RateLimitError", 429, "rate_limit_error", "Rate limit exceeded", ("requests", "rate_limit_exceeded")
    ),
    "a fault of the service": scripted(
        "InternalServerError", 500, "api_error", "Internal server error", ("server_error", None)
    ),
    # Classes that the Anthropic client alone has.
    "too large": scripted("ContentTooLargeError", 413, "request_too_large", "Request too large"),
    "too late": scripted("GatewayTimeoutError", 504, "timeout_error", "Timed out"),
    "overloaded": scripted("OverloadedError", 529, "overloaded_error", "Overloaded"),
}


class Api(NamedTuple):
    """How one API is asked, and where its client keeps what an error says."""

    module: Any
    id_header: str
    create: Any
    seen: Any


APIS = {
    "anthropic": Api(
        anthropic,
        "request-id",
        lambda client, body: client.messages.create(**body),
        lambda error: (error.body["error"]["type"], error.body["error"]["message"]),
    ),
    "openai": Api(
        openai,
        "x-request-id",
        lambda client, body: client.chat.completions.create(**body),
        lambda error: (error.type, error.param, error.code, error.body["message"]),
    ),
}
CELLS = [
    pytest.param(name, api, stream, id=f"{name}-{api}-{'streamed' if stream else 'whole'}")
    for name, fault in FAULTS.items()
    for api in APIS
    if getattr(fault, api)
    for stream in (False, True)
]


@pytest.mark.parametrize(("name", "api", "stream"), CELLS)
def test_a_fault(clients, mock, name, api, stream):
    fault, asked = FAULTS[name], APIS[api]
    mock.script([{"status": fault.status}] if fault.scripted else [])
    client = clients(fault.key or mock.api_key)[api]
    with pytest.raises(getattr(asked.module, fault.raised)) as refusal:
        asked.create(client, {"model": "m", "max_tokens": 9, "messages": [HI], "stream": stream, **fault.change})
    error = refusal.value
    assert (type(error).__name__, error.status_code) == (fault.raised, fault.status)
    assert asked.seen(error) == getattr(fault, api)
    assert error.request_id == error.response.headers[asked.id_header]
    assert error.request_id.startswith("req_")
