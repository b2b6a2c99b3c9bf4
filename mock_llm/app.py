"""The ASGI application: routes, key, limits, error envelopes. What is said is decided in core."""

import asyncio
import hmac
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from mock_llm.errors import RequestError
from mock_llm.journal import Call, Journal, answered, refused
from mock_llm.personas import PERSONAS
from mock_llm.version import __version__
from mock_llm.wires.anthropic import error_body, events, identity, serve

LARGEST_BODY = 32 * 1024 * 1024  # bytes
QUICK_BODY = 16 * 1024  # bytes; a longer one is read in a thread, so that others are not held up

# Error types for statuses that the framework itself gives.
KINDS = {404: "not_found_error", 413: "request_too_large", 500: "api_error"}


@dataclass(frozen=True, slots=True)
class Settings:
    """How one server is to behave."""

    api_key: str = "test-key"
    persona: str = "reader"  # for model names that name none
    delay_ms: float = 0  # between two pieces of a stream


def make_app(settings: Settings, journal: Journal, on_call: Callable[[Call], None] | None) -> Starlette:
    """The application. `on_call` is told of each call as it is entered in the journal."""

    def note(call: Call) -> None:
        journal.add(call)
        if on_call:
            on_call(call)

    async def messages(request: Request) -> Response:
        raw = b""
        try:
            raw = await _body(request)
            _check_headers(request, settings.api_key)
            if len(raw) > QUICK_BODY:
                served = await asyncio.to_thread(serve, raw, settings.persona)
            else:
                served = serve(raw, settings.persona)
        except RequestError as error:
            note(refused(request.url.path, error))
            return _refusal(error, identity("req", raw))
        note(answered(request.url.path, served.request, served.reply))
        request_id = identity("req", raw)
        if served.request.stream:
            return _stream(events(served.message), settings.delay_ms / 1000, request_id)
        return _json(served.message, 200, request_id)

    async def health(request: Request) -> Response:
        """Who is here, for a client that looks for this server. No key is needed, and none is told."""
        about = {
            "status": "ok",
            "server": "mock_llm",
            "version": __version__,
            "persona": settings.persona,
            "personas": list(PERSONAS),
        }
        return _json(about, 200, identity("req", b""))

    return Starlette(
        routes=[
            Route("/v1/messages", messages, methods=["POST"]),
            Route("/health", health, methods=["GET"]),
        ],
        exception_handlers={HTTPException: _no_route, Exception: _fault},
    )


async def _body(request: Request) -> bytes:
    """The body, as far as it is allowed to go."""
    parts, size = [], 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > LARGEST_BODY:
                raise RequestError(
                    f"Request exceeds the maximum size of {LARGEST_BODY} bytes", status=413, kind=KINDS[413]
                )
            parts.append(part)
    except ClientDisconnect:
        raise RequestError("the client hung up before its request was complete") from None
    return b"".join(parts)


def _check_headers(request: Request, api_key: str) -> None:
    given = request.headers.get("x-api-key") or _bearer(request.headers.get("authorization", ""))
    if not given:
        raise RequestError("x-api-key header is required", status=401, kind="authentication_error")
    if not hmac.compare_digest(given.encode(), api_key.encode()):
        raise RequestError(
            "invalid x-api-key: send the key that this server was started with (--api-key)",
            status=401,
            kind="authentication_error",
        )
    if "anthropic-version" not in request.headers:
        raise RequestError("anthropic-version: header is required")


def _bearer(header: str) -> str:
    scheme, _, token = header.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _json(body: object, status: int, request_id: str, headers: dict[str, str] | None = None) -> Response:
    return Response(
        msgspec.json.encode(body),
        status,
        {**(headers or {}), "request-id": request_id},
        media_type="application/json",
    )


def _refusal(error: RequestError, request_id: str, headers: dict[str, str] | None = None) -> Response:
    return _json(error_body(error, request_id), error.status, request_id, headers)


def _stream(pieces: Iterable[bytes], delay: float, request_id: str) -> Response:
    headers = {"request-id": request_id, "cache-control": "no-cache"}
    if not delay:
        return Response(b"".join(pieces), 200, headers, media_type="text/event-stream")
    return StreamingResponse(_paced(pieces, delay), 200, headers, media_type="text/event-stream")


async def _paced(pieces: Iterable[bytes], delay: float) -> AsyncIterator[bytes]:
    """The events, each delta `delay` seconds after the one before.

    A delta is due by the start of the stream, not by the delta before it, so that a late one does
    not make all others late.
    """
    clock = asyncio.get_running_loop().time
    due = clock()
    for piece in pieces:
        if piece.startswith(b"event: content_block_delta"):
            await asyncio.sleep(max(0, due - clock()))
            due += delay
        yield piece


async def _no_route(request: Request, error: Exception) -> Response:
    """An unknown path, or a method that its path does not take."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    where = f"{request.method} {request.url.path}"
    said = {404: f"{where} is not served: try POST /v1/messages", 405: f"{where}: Method Not Allowed"}
    refusal = RequestError(said.get(status, str(error)), status=status, kind=KINDS.get(status, "invalid_request_error"))
    headers = getattr(error, "headers", None)
    return _refusal(refusal, identity("req", where.encode()), headers)


async def _fault(request: Request, error: Exception) -> Response:
    """A fault of ours."""
    refusal = RequestError("Internal server error", status=500, kind=KINDS[500])
    return _refusal(refusal, identity("req", request.url.path.encode()))
