"""Uvicorn's HTTP protocol with limits that it does not set: how large a head may be, how slow a request.

What is refused here, and what is no HTTP at all, has the envelope of the API as everything else has.
"""

import asyncio
from http import HTTPStatus

import msgspec
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from mock_llm.endpoints import wire_of
from mock_llm.errors import RequestError
from mock_llm.wires.anthropic import identity

LARGEST_HEAD = 64 * 1024  # bytes of request line and headers
SLOWEST_REQUEST = 30  # seconds until its last byte


class GuardedProtocol(HttpToolsProtocol):
    """One connection. A request that is not complete in time is refused, and so is one with too large a head."""

    url = b""  # until there is a request line
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
            self._too_large()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._reading_head = True
        if self._timer is None:  # a later request of the connection
            self._start_timer()

    def on_headers_complete(self) -> None:
        if self.transport.is_closing():  # what follows a refusal in the same piece
            return
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > LARGEST_HEAD:
            self._too_large()
            return
        self._reading_head, self._head = False, 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        if not self.transport.is_closing():
            super().on_body(body)

    def on_message_complete(self) -> None:
        self._stop_timer()
        if not self.transport.is_closing():
            super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(400, "the request is not valid HTTP", "invalid_request_error")

    def _too_large(self) -> None:
        self._refuse(431, f"the headers are larger than {LARGEST_HEAD} bytes", "request_too_large")

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
        """Send an error and hang up, unless an answer is on its way already, to this request or the one before."""
        if self.transport.is_closing():
            return
        cycle: RequestResponseCycle | None = self.cycle  # that of this request, or of the one before
        if cycle is None or not cycle.response_started or cycle.response_complete and self._reading_head:
            wire = wire_of(self.url.partition(b"?")[0].decode("ascii", "replace"), dict(self.headers or ()))
            error, request_id = RequestError(message, status=status, kind=kind), identity("req", self.url)
            body = msgspec.json.encode(wire.error_body(error, request_id))
            head = [
                f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
                f"{wire.id_header}: {request_id}",
                f"content-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n",
            ]
            self.transport.write("\r\n".join(head).encode() + body)
        self.transport.close()
