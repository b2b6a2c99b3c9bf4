"""The ASGI application: keys, limits, faults, errors, streams. What a reply says is decided in `core`.

`guard` limits how slow a request may be and how large its head.
The endpoints are answered here, directly in ASGI, for speed; Starlette routes the few other paths.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from mock_llm.control import routes
from mock_llm.endpoints import ENDPOINTS, Endpoint, Headers
from mock_llm.errors import RequestError
from mock_llm.faults import AS_ALWAYS, Script, Step, StreamCutError, played, spoiled
from mock_llm.journal import Call, Journal, refused
from mock_llm.records import Request
from mock_llm.sending import STREAM, Message, Receive, Send, begin, check_key, check_needs, refuse, respond

LARGEST_BODY = 32 * 1024 * 1024  # bytes
MOST_HELD = 8 * LARGEST_BODY  # bytes of all bodies together that are being read or answered
QUICK_BODY = 16 * 1024  # bytes; a longer one is answered in a thread, so that others need not wait
MOST_KEPT = 64  # answers to short requests, since a request that comes again has the same answer
LARGEST_KEPT = 64 * 1024  # bytes of an answer; a longer one is made again
MOST_THREADS = 2  # that answer long requests; more would only take turns
SILENCE = 10  # seconds without a piece of a stream, after which a ping is sent


@dataclass(frozen=True, slots=True)
class Settings:
    """How one server behaves."""

    api_key: str = "test-key"
    persona: str = "reader"  # for model names that name no persona
    delay_ms: float = 0  # between two pieces of a stream


class Ready(NamedTuple):
    """An answer, as the bytes to send."""

    call: Call
    request: Request | None
    body: bytes
    events: tuple[bytes, ...] | None  # instead of the body, where a stream was asked for


class App:
    """The application of one server. `on_call` gets each call as it is entered in the journal."""

    def __init__(
        self, settings: Settings, journal: Journal, script: Script, on_call: Callable[[Call], None] | None = None
    ) -> None:
        self.settings = settings
        self.journal = journal
        self.script = script
        self._on_call = on_call
        self._others = routes(settings.api_key, settings.persona, journal, script)
        self._key = settings.api_key.encode()
        self._held = 0
        self._kept: dict[tuple[str, bytes, str | None], Ready] = {}  # the most recently used last
        self._threads = asyncio.Semaphore(MOST_THREADS)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        endpoint = ENDPOINTS.get(scope.get("path", ""))
        if endpoint and scope["type"] == "http" and scope["method"] == "POST":
            await self._call(endpoint, scope, receive, send)
        else:
            await self._others(scope, receive, send)

    async def _call(self, endpoint: Endpoint, scope: Message, receive: Receive, send: Send) -> None:
        wire, headers, step, raw = endpoint.wire, dict(scope["headers"]), AS_ALWAYS, b""
        try:
            check_key(headers, self._key, wire)
            raw = await self._body(receive)
            step = self.script.take()
            answer = await self._answer(scope["path"], headers, step, raw)
        except RequestError as error:
            self._note(refused(scope["path"], error))
            await refuse(send, wire, error, raw, step.malformed)
            return
        except Exception:
            fault = RequestError("Internal server error", status=500, kind="api_error")
            self._note(refused(scope["path"], fault))
            await refuse(send, wire, fault, raw)
            raise
        finally:
            self._held -= len(raw)
        self._note(answer.call, answer.request)
        if answer.events is not None:
            await self._stream(endpoint, answer.events, step, raw, receive, send)
        else:
            await respond(send, wire, 200, spoiled(answer.body) if step.malformed else answer.body, raw)

    async def _body(self, receive: Receive) -> bytes:
        """The body, if it is not too large. It counts as held until it is answered."""
        parts, size = [], 0
        try:
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise RequestError("the client hung up before its request was complete")
                part = message.get("body", b"")
                size += len(part)
                self._held += len(part)
                if size > LARGEST_BODY:
                    too_large = f"Request exceeds the maximum size of {LARGEST_BODY} bytes"
                    raise RequestError(too_large, status=413, kind="request_too_large")
                if self._held > MOST_HELD:
                    too_many = "Overloaded: too many long requests at once"
                    raise RequestError(too_many, status=529, kind="overloaded_error")
                parts.append(part)
                if not message.get("more_body"):
                    return b"".join(parts)
        except BaseException:
            self._held -= size
            raise

    async def _answer(self, path: str, headers: Headers, step: Step, raw: bytes) -> Ready:
        if step.latency_ms:
            await asyncio.sleep(step.latency_ms / 1000)
        if refusal := step.refusal():
            raise refusal
        check_needs(headers, ENDPOINTS[path].wire)
        if len(raw) <= QUICK_BODY and not ENDPOINTS[path].heavy:
            return self._again(path, raw, step.reply)
        async with self._threads:
            return await asyncio.to_thread(self._ready, path, raw, step.reply)

    def _again(self, path: str, raw: bytes, scripted: str | None) -> Ready:
        """The answer that was kept, or one made now, and kept if it is short."""
        key = (path, raw, scripted)
        ready = self._kept.pop(key, None) or self._ready(*key)
        if sum(map(len, (ready.body, *(ready.events or ()), scripted or ""))) <= LARGEST_KEPT:
            self._kept[key] = ready
            if len(self._kept) > MOST_KEPT:
                del self._kept[next(iter(self._kept))]
        return ready

    def _ready(self, path: str, raw: bytes, scripted: str | None) -> Ready:
        call, body, events, request = ENDPOINTS[path].answer(raw, self.settings.persona, scripted)
        if events is not None:
            return Ready(call, request, b"", tuple(events))
        return Ready(call, request, msgspec.json.encode(body), None)

    async def _stream(
        self, endpoint: Endpoint, events: Iterable[bytes], step: Step, raw: bytes, receive: Receive, send: Send
    ) -> None:
        pieces = played(events, step, endpoint.delta)
        if not self.settings.delay_ms and step.cut_stream_after is None:
            await respond(send, endpoint.wire, 200, b"".join(pieces), raw, STREAM)
            return
        await begin(send, endpoint.wire, 200, raw, STREAM)
        # All that can still come is the news that the client hung up.
        gone = asyncio.ensure_future(receive())
        try:
            await self._paced(pieces, endpoint, gone, send)
        except StreamCutError:
            pass  # a response that is left incomplete makes the server hang up
        else:
            await send({"type": "http.response.body", "body": b""})
        finally:
            gone.cancel()

    async def _paced(
        self, pieces: Iterable[bytes], endpoint: Endpoint, gone: asyncio.Future[Message], send: Send
    ) -> None:
        """Send the events, each piece of text `delay_ms` after the one before.

        The time is counted from the start of the stream, not from the piece before, so that one late piece
        does not make all others late.
        """
        clock = asyncio.get_running_loop().time
        due = clock()
        for piece in pieces:
            if endpoint.delta in piece:
                await _rest(due - clock(), endpoint.wire.ping, gone, send)
                due += self.settings.delay_ms / 1000
            if gone.done():
                return
            await send({"type": "http.response.body", "body": piece, "more_body": True})

    def _note(self, call: Call, request: Request | None = None) -> None:
        self.journal.add(call, request)
        if self._on_call:
            self._on_call(call)


async def _rest(wait: float, ping: bytes, gone: asyncio.Future[Message], send: Send) -> None:
    """Wait so many seconds, or until the client hangs up; a long silence is broken by pings."""
    while wait > SILENCE and not gone.done():
        await asyncio.wait((gone,), timeout=SILENCE)
        wait -= SILENCE
        if ping:
            await send({"type": "http.response.body", "body": ping, "more_body": True})
    if wait > 0:
        await asyncio.wait((gone,), timeout=wait)
