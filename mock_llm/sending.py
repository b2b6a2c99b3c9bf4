"""What all paths share: keys, headers, and responses sent directly through ASGI."""

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import msgspec

from mock_llm.endpoints import Headers, Wire
from mock_llm.errors import RequestError
from mock_llm.faults import spoiled
from mock_llm.wires.bodies import identity

Message = MutableMapping[str, Any]  # of ASGI, or a scope
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

JSON = ((b"content-type", b"application/json"),)
STREAM = ((b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-cache"))


def check_key(headers: Headers, key: bytes, wire: Wire) -> None:
    """Raise RequestError unless the key is in `x-api-key` or the bearer token of `authorization`."""
    given = headers.get(b"x-api-key") or _bearer(headers.get(b"authorization", b""))
    if not given:
        raise RequestError(wire.no_key, status=401, kind="authentication_error")
    if not hmac.compare_digest(given, key):
        raise RequestError(wire.wrong_key, status=401, kind="authentication_error")


def check_needs(headers: Headers, wire: Wire) -> None:
    """Raise RequestError unless the header that the API needs is there."""
    if wire.needs and wire.needs.encode() not in headers:
        raise RequestError(f"{wire.needs}: header is required")


def _bearer(header: bytes) -> bytes:
    scheme, _, token = header.partition(b" ")
    return token.strip() if scheme.lower() == b"bearer" else b""


async def begin(
    send: Send, wire: Wire, status: int, raw: bytes, headers: tuple[tuple[bytes, bytes], ...] = JSON
) -> None:
    """Send the head of a response to the body `raw`, whose id is made of it."""
    own = (wire.id_header.encode(), identity("req", raw).encode())
    await send({"type": "http.response.start", "status": status, "headers": (*headers, own)})


async def respond(
    send: Send, wire: Wire, status: int, body: bytes, raw: bytes, headers: tuple[tuple[bytes, bytes], ...] = JSON
) -> None:
    """Send a whole response to the body `raw`."""
    await begin(send, wire, status, raw, (*headers, (b"content-length", b"%d" % len(body))))
    await send({"type": "http.response.body", "body": body})


async def refuse(send: Send, wire: Wire, error: RequestError, raw: bytes, malformed: bool = False) -> None:
    """Send an error to the body `raw`, in the envelope of the API."""
    body = msgspec.json.encode(wire.error_body(error, identity("req", raw)))
    own = tuple((name.encode(), value.encode()) for name, value in error.headers.items())
    await respond(send, wire, error.status, spoiled(body) if malformed else body, raw, (*JSON, *own))
