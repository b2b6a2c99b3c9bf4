"""Limits that uvicorn does not set: how large a head may be, how slow a request.

A guard is placed between the network and uvicorn's own protocol. It parses what comes in, and passes on what is
within the limits. What it refuses, including what is not HTTP at all, gets an error in the envelope of the API.
"""

import asyncio
from http import HTTPStatus

import httptools
import msgspec
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from mock_llm.endpoints import wire_of
from mock_llm.errors import RequestError
from mock_llm.sending import Application, Message, Receive, Send
from mock_llm.wires.bodies import identity

LARGEST_HEAD = 64 * 1024  # bytes of request line and headers
SLOWEST_REQUEST = 30  # seconds until its last byte


class GuardedProtocol(asyncio.Protocol):
    """One connection. A request that is not complete in time is refused, and so is one with too large a head.

    The application must be `counted`, since no refusal may be written into an answer that is on its way.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, object],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        self._loop = _loop or asyncio.get_running_loop()
        self._inner = HttpToolsProtocol(config, server_state, {**app_state, "guard": self}, self._loop)
        self._parser = httptools.HttpRequestParser(self)
        self._parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn reads it
        self._timer: asyncio.TimerHandle | None = None  # runs until the request is complete
        self._reading_head = True
        self._head = 0  # bytes of the head that is being read, counted by whole pieces from the network
        self._url = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._asked = 0  # requests whose head is complete
        self.answered = 0  # of these

    # What the network says.

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._transport = transport
        self._inner.connection_made(transport)
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        self._inner.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._reading_head:
            self._head += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            pass  # uvicorn ignores the upgrade
        except httptools.HttpParserError:
            self._refuse(400, "the request is not valid HTTP", "invalid_request_error")
        if self._reading_head and self._head > LARGEST_HEAD:
            self._refuse_head()
        if not self._transport.is_closing():
            self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        return self._inner.eof_received()

    def pause_writing(self) -> None:
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        self._inner.resume_writing()

    # What the parser says.

    def on_message_begin(self) -> None:
        self._reading_head, self._url, self._headers = True, b"", []
        if self._timer is None:  # a later request of the connection
            self._start_timer()

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        if self._head > LARGEST_HEAD and self._head_length() > LARGEST_HEAD:
            self._refuse_head()
            return
        self._reading_head, self._head = False, 0
        self._asked += 1

    def on_message_complete(self) -> None:
        self._stop_timer()

    def _head_length(self) -> int:
        return len(self._url) + sum(len(name) + len(value) for name, value in self._headers)

    def _start_timer(self) -> None:
        self._timer = self._loop.call_later(SLOWEST_REQUEST, self._too_slow)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _too_slow(self) -> None:
        if self._waiting() > 0:  # the server may have stopped reading
            self._start_timer()
        elif self._reading_head:
            self._transport.close()
        else:
            late = f"the request was not complete after {SLOWEST_REQUEST} seconds"
            self._refuse(408, late, "timeout_error")

    def _waiting(self) -> int:
        """How many earlier requests are still being answered; -1 if the one that is being read is answered already."""
        return self._asked - self.answered - (0 if self._reading_head else 1)

    def _refuse_head(self) -> None:
        self._refuse(431, f"the headers are larger than {LARGEST_HEAD} bytes", "request_too_large")

    def _refuse(self, status: int, message: str, kind: str) -> None:
        """Send an error and hang up, unless an answer is on its way already, to this request or an earlier one."""
        if self._transport.is_closing():
            return
        if self._waiting() == 0:
            self._transport.write(_refusal(self._url, dict(self._headers), status, message, kind))
        self._transport.close()


def _refusal(url: bytes, headers: dict[bytes, bytes], status: int, message: str, kind: str) -> bytes:
    """A whole response, as bytes."""
    wire = wire_of(url.partition(b"?")[0].decode("ascii", "replace"), headers)
    error, request_id = RequestError(message, status=status, kind=kind), identity("req", url)
    body = msgspec.json.encode(wire.error_body(error, request_id))
    head = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        f"{wire.id_header}: {request_id}",
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n",
    ]
    return "\r\n".join(head).encode() + body


def counted(app: Application) -> Application:
    """The application, telling the guard of a connection when it has answered a request."""

    async def telling(scope: Message, receive: Receive, send: Send) -> None:
        try:
            await app(scope, receive, send)
        finally:
            scope["state"]["guard"].answered += 1

    return telling
