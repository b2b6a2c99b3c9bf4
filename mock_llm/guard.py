"""Uvicorn's HTTP protocol with limits that uvicorn does not set: how large a head may be, how slow a request."""

import asyncio
from http import HTTPStatus

import msgspec
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from mock_llm.endpoints import ANTHROPIC, wire_of
from mock_llm.errors import RequestError
from mock_llm.wires.anthropic import identity

LARGEST_HEAD = 64 * 1024  # bytes of request line and headers
SLOWEST_REQUEST = 30  # seconds until its last byte


class GuardedProtocol(HttpToolsProtocol):
    """One connection. A request that is not complete in time is refused, and so is one with too large a head."""

    _reading_head = True
    _head = 0  # bytes of the head that is being read, counted by whole pieces from the network
    _timer: asyncio.TimerHandle | None = None  # runs until the request is complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._reading_head:
            self._head += len(data)
        super().data_received(data)
        if self._reading_head and self._head > LARGEST_HEAD:
            self._refuse(431, f"the headers are larger than {LARGEST_HEAD} bytes", "request_too_large")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._reading_head = True
        if self._timer is None:  # a later request of the connection
            self._start_timer()

    def on_headers_complete(self) -> None:
        self._reading_head, self._head = False, 0
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._stop_timer()
        super().on_message_complete()

    def _start_timer(self) -> None:
        self._timer = self.loop.call_later(SLOWEST_REQUEST, self._too_slow)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _too_slow(self) -> None:
        if self.pipeline:  # it waits for its turn: the server does not read on
            self._start_timer()
        elif self._reading_head:
            self.transport.close()
        else:
            late = f"the request was not complete after {SLOWEST_REQUEST} seconds"
            self._refuse(408, late, "timeout_error")

    def _refuse(self, status: int, message: str, kind: str) -> None:
        """Send an error and hang up, unless an answer is on its way already."""
        if self.transport.is_closing():
            return
        if self._reading_head or not self.cycle.response_started:
            wire = ANTHROPIC if self._reading_head else wire_of(self.scope["path"], dict(self.headers))
            error, request_id = RequestError(message, status=status, kind=kind), identity("req", self.url)
            body = msgspec.json.encode(wire.error_body(error, request_id))
            head = [
                f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
                f"{wire.id_header}: {request_id}",
                f"content-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n",
            ]
            self.transport.write("\r\n".join(head).encode() + body)
        self.transport.close()
