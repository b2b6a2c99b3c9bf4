"""Clients that are slow, greedy, broken or gone: each has its outcome, and the others are served."""

import contextlib
import json
import select
import socket
import threading
import time

import httpx2
import pytest

import mock_llm
from mock_llm import app, guard

HEADERS = {"x-api-key": "test-key", "anthropic-version": "2026-10-21"}
HELLO = {"model": "mock-reader", "max_tokens": 50, "messages": [{"role": "user", "content": "hi"}]}
HEAD = b"POST /v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: test-key\r\nanthropic-version: x\r\n"


def connection(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=20)


def answer(one):
    """All that comes until the server hangs up."""
    sent = b""
    with contextlib.suppress(ConnectionError):
        while part := one.recv(65_536):
            sent += part
    return sent


def others_are_served(server):
    response = httpx2.post(f"{server.url}/v1/messages", headers=HEADERS, json=HELLO, timeout=20)
    return response.status_code == 200


@pytest.mark.parametrize(
    ("path", "envelope"),
    [
        (b"/v1/messages", b'{"type":"error","error":{"type":"timeout_error"'),
        (b"/v1/responses", b'{"error":{"message":'),
    ],
)
def test_a_byte_at_a_time_is_waited_for_and_then_refused(monkeypatch, path, envelope):
    monkeypatch.setattr(guard, "SLOWEST_REQUEST", 0.3)
    with mock_llm.running() as server, connection(server) as slow:
        slow.sendall(HEAD.replace(b"/v1/messages", path) + b"content-length: 100000\r\n\r\n")
        over = threading.Event()

        def drip():
            with contextlib.suppress(OSError):
                while not over.wait(0.02):
                    slow.sendall(b" ")

        dripping = threading.Thread(target=drip)
        dripping.start()
        assert others_are_served(server)
        sent = answer(slow)
        over.set()
        dripping.join()
        assert sent.startswith(b"HTTP/1.1 408 ") and envelope in sent
        assert others_are_served(server)


def test_a_head_that_never_ends_is_hung_up_on(monkeypatch):
    monkeypatch.setattr(guard, "SLOWEST_REQUEST", 0.2)
    with mock_llm.running() as server:
        for begun in (b"", b"POST /v1/messages HTTP/1.1\r\nhost: x\r\nx-slow: "):
            with connection(server) as slow:
                slow.sendall(begun)
                assert others_are_served(server)
                assert answer(slow) == b""


def test_the_time_of_a_head_starts_again_with_each_request_of_a_connection(monkeypatch):
    with mock_llm.running() as server, connection(server) as slow:
        whole = HEAD + b"content-length: 2\r\n\r\n{}"
        slow.sendall(whole)
        assert slow.recv(65_536).startswith(b"HTTP/1.1 400 ")
        monkeypatch.setattr(guard, "SLOWEST_REQUEST", 0.2)
        slow.sendall(whole[:20])
        assert answer(slow) == b""


def test_empty_lines_without_end_are_refused(mock, monkeypatch):
    monkeypatch.setattr(guard, "LARGEST_HEAD", 1_000)
    with connection(mock) as greedy:
        greedy.sendall(b"\r\n" * guard.LARGEST_HEAD)
        assert answer(greedy).startswith(b"HTTP/1.1 431 ")


@pytest.mark.parametrize("piece", [b"x-more: y\r\n", b"x" * 1000])
def test_endless_headers_are_refused(mock, piece):
    with connection(mock) as greedy:
        greedy.sendall(HEAD + b"x-long: ")
        with contextlib.suppress(OSError):
            for _ in range(40 * guard.LARGEST_HEAD // len(piece)):
                greedy.sendall(piece)
        greedy.settimeout(20)
        sent = answer(greedy)
    assert sent == b"" or sent.startswith(b"HTTP/1.1 431 ")  # a reset can overtake the answer
    assert others_are_served(mock)


def test_headers_that_are_too_large_are_told_so(mock):
    with connection(mock) as greedy:
        greedy.sendall(HEAD + b"x-long: ")
        greedy.sendall(b"x" * guard.LARGEST_HEAD)
        sent = answer(greedy)
    assert sent.startswith(b"HTTP/1.1 431 ") and b'"type":"request_too_large"' in sent


@pytest.mark.parametrize(
    ("path", "envelope"),
    [(b"/v1/messages", b'"error":{"type":"request_too_large"'), (b"/v1/chat/completions", b'{"error":{"message":')],
)
def test_too_large_headers_in_one_piece_with_their_body_and_the_next_request(mock, monkeypatch, path, envelope):
    monkeypatch.setattr(guard, "LARGEST_HEAD", 1_000)  # so little that it comes in one piece
    before = len(mock.journal)
    body = json.dumps(HELLO).encode()
    head = HEAD.replace(b"/v1/messages", path) + b"content-length: %d\r\n" % len(body)
    large = head + b"x-long: " + b"x" * guard.LARGEST_HEAD + b"\r\n\r\n" + body
    with connection(mock) as greedy:
        greedy.sendall(large + head + b"\r\n" + body)
        sent = answer(greedy)
    assert sent.startswith(b"HTTP/1.1 431 ") and envelope in sent and sent.count(b"HTTP/1.1") == 1
    assert len(mock.journal) == before


def test_a_large_body_in_one_piece_with_its_head_is_no_large_head(mock, monkeypatch):
    monkeypatch.setattr(guard, "LARGEST_HEAD", 1_000)
    body = json.dumps({**HELLO, "system": "x" * guard.LARGEST_HEAD}).encode()
    with connection(mock) as one:
        one.sendall(HEAD + b"connection: close\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
        assert answer(one).startswith(b"HTTP/1.1 200 ")


def test_forty_megabytes_are_refused_while_others_are_served(mock):
    refused = []

    def send():
        response = httpx2.post(f"{mock.url}/v1/messages", headers=HEADERS, content=b" " * 40_000_000, timeout=60)
        refused.append((response.status_code, response.json()["error"]["type"]))

    greedy = threading.Thread(target=send)
    greedy.start()
    assert others_are_served(mock)
    greedy.join()
    assert refused == [(413, "request_too_large")]


def test_many_long_bodies_at_once_are_refused(monkeypatch):
    monkeypatch.setattr(app, "MOST_HELD", 1_000_000)
    with mock_llm.running() as server, contextlib.ExitStack() as stack:
        greedy = [stack.enter_context(connection(server)) for _ in range(3)]
        for one in greedy:
            one.sendall(HEAD + b"content-length: 500000\r\n\r\n" + b" " * 400_000)
        (refused,), _, _ = select.select(greedy, [], [], 20)
        assert refused.recv(13) == b"HTTP/1.1 529 "
        assert others_are_served(server)


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 10_000 + b"]" * 10_000,
        json.dumps(HELLO)[:-1].encode() + b', "metadata": ' + b"[" * 10_000 + b"]" * 10_000 + b"}",
        b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
        b"[" * 3_000_000,
    ],
)
@pytest.mark.parametrize("path", ["/v1/messages", "/v1/chat/completions", "/v1/responses", "/v1/embeddings"])
def test_deep_nesting_is_refused(mock, path, content):
    response = httpx2.post(f"{mock.url}{path}", headers=HEADERS, content=content)
    assert (response.status_code, "nested too deeply" in response.text) == (400, True)


def test_a_client_that_hangs_up_mid_stream_ends_its_own_stream_only():
    with mock_llm.running(delay_ms=60_000) as slow:
        url = f"{slow.url}/v1/chat/completions"
        for _ in range(3):
            with httpx2.stream("POST", url, headers=HEADERS, json={**HELLO, "stream": True}) as one:
                assert next(one.iter_lines()).startswith("data: ")
        assert others_are_served(slow)
        began = time.monotonic()
    assert time.monotonic() - began < 0.9  # nothing was left to wait for at the end


def test_a_client_that_hangs_up_in_its_body(mock):
    before = len(mock.journal)
    with connection(mock) as gone:
        gone.sendall(HEAD + b"content-length: 100\r\n\r\n{")
    assert others_are_served(mock)
    assert [call.status for call in mock.journal[before:]] == [400, 200]
    assert "hung up" in mock.journal[before].error


def test_pings_break_a_long_silence(monkeypatch):
    monkeypatch.setattr(app, "SILENCE", 0.02)
    body = {**HELLO, "stream": True, "max_tokens": 1, "messages": [{"role": "user", "content": "hi"}]}
    with mock_llm.running(delay_ms=100, script=[{"reply": "a b c"}] * 2) as slow:
        sent = httpx2.post(f"{slow.url}/v1/messages", headers=HEADERS, json=body).text
        other = httpx2.post(f"{slow.url}/v1/chat/completions", headers=HEADERS, json=body).text
    assert sent.count('event: ping\ndata: {"type":"ping"}\n\n') >= 2
    assert "ping" not in other


@pytest.mark.parametrize(
    ("sent", "envelope"),
    [
        (b"\x16\x03\x01 hello\r\n\r\n", "anthropic"),
        (HEAD + b"no header\r\n\r\n", "anthropic"),
        (HEAD + b"content-length: -5\r\n\r\n", "anthropic"),
        (HEAD.replace(b"messages", b"chat/completions") + b"no header\r\n\r\n", "openai"),
        (HEAD.replace(b"messages", b"responses") + b"transfer-encoding: chunked\r\n\r\nzz\r\n", "openai"),
    ],
)
def test_what_is_not_http_gets_an_error_of_the_api(mock, sent, envelope):
    with connection(mock) as stranger:
        stranger.sendall(sent)
        head, _, body = answer(stranger).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    told = json.loads(body)
    assert told["error"]["message"] == "the request is not valid HTTP"
    assert told["error"]["type"] == "invalid_request_error"
    assert (b"\r\nx-request-id: req_" in head) == (envelope == "openai") == ("type" not in told)
    assert others_are_served(mock)


@pytest.fixture
def made(monkeypatch):
    """The scripted texts of the answers that were made, not kept ones."""
    made = []
    ready = app.App._ready

    def counted(self, path, raw, scripted):
        made.append(scripted)
        return ready(self, path, raw, scripted)

    monkeypatch.setattr(app.App, "_ready", counted)
    return made


def test_only_short_answers_are_kept(made):
    long = "x" * (app.LARGEST_KEPT + 1)
    with mock_llm.running(script=[{"reply": one} for one in ("short", long) for _ in range(2)]) as server:
        said = [
            httpx2.post(f"{server.url}/v1/messages", headers=HEADERS, json={**HELLO, "max_tokens": 50_000}).json()
            for _ in range(4)
        ]
    assert [one["content"][0]["text"] for one in said] == ["short", "short", long, long]
    assert made == ["short", long, long]


def test_the_answers_used_last_are_kept(monkeypatch, made):
    monkeypatch.setattr(app, "MOST_KEPT", 2)
    with mock_llm.running(script=[{"reply": one} for one in "abacab"]) as server:
        assert all(others_are_served(server) for _ in range(6))
    assert made == ["a", "b", "c", "b"]


def test_many_small_headers_in_one_piece_are_too_large(mock, monkeypatch):
    monkeypatch.setattr(guard, "LARGEST_HEAD", 1_000)
    with connection(mock) as greedy:
        greedy.sendall(HEAD + b"x-more: y\r\n" * 200 + b"content-length: 2\r\n\r\n{}")
        assert answer(greedy).startswith(b"HTTP/1.1 431 ")


def test_what_is_not_http_after_an_answer_gets_an_error_too(mock):
    with connection(mock) as stranger:
        stranger.sendall(HEAD + b"content-length: 2\r\n\r\n{}")
        assert stranger.recv(65_536).startswith(b"HTTP/1.1 400 ")
        stranger.sendall(b"\x16\x03\x01 hello\r\n\r\n")
        assert b"the request is not valid HTTP" in answer(stranger)


@pytest.mark.parametrize("more", [b"\x16\x03\x01 hello\r\n\r\n", b""])
def test_no_refusal_is_written_into_an_answer(monkeypatch, more):
    """What comes while a stream is sent ends it, or waits for it."""
    monkeypatch.setattr(guard, "SLOWEST_REQUEST", 0.1)
    body = json.dumps({**HELLO, "stream": True}).encode()
    request = HEAD + b"content-length: %d\r\n\r\n" % len(body) + body
    with mock_llm.running(delay_ms=20, script=[{"reply": "a " * 30}]) as server, connection(server) as one:
        one.sendall(request)
        sent = one.recv(65_536)
        one.sendall(more or request[:-1])
        sent += answer(one)
    assert sent.count(b"invalid_request_error") == 0
    assert (b"message_stop" in sent) == (not more)
    assert sent.count(b"HTTP/1.1 408 ") == (0 if more else 1)  # for the second, once the first is answered
