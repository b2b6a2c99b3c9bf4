"""The server, through the official client and through plain HTTP."""

import asyncio
import inspect
import socket
import subprocess
import sys
import threading

import anthropic
import httpx2
import pytest

import mock_llm
from mock_llm.app import LARGEST_BODY
from mock_llm.journal import REMEMBERED, Call, Journal

HEADERS = {"x-api-key": "test-key", "anthropic-version": "2026-10-21"}
HELLO = {"model": "mock-reader", "max_tokens": 50, "messages": [{"role": "user", "content": "hi"}]}


@pytest.fixture(scope="module")
def client(mock):
    with anthropic.Anthropic(base_url=mock.url, api_key=mock.api_key, max_retries=0) as official:
        yield official


@pytest.fixture(scope="module")
def http(mock):
    with httpx2.Client(base_url=mock.url, headers=HEADERS) as plain:
        yield plain


@pytest.fixture
def body(prompts):
    system, user = prompts.numbered("How much does membership cost per term?", "Membership costs 10 dollars per term.")
    return {"model": "mock-reader", "max_tokens": 50, "system": system["content"], "messages": [user]}


def test_the_official_client_whole_and_streamed(client, body):
    whole = client.messages.create(**body)
    with client.messages.stream(**body) as stream:
        text = "".join(stream.text_stream)
        streamed = stream.get_final_message()
    assert whole.content[0].text == text == streamed.content[0].text == "Membership costs 10 dollars per term. [1]"
    assert whole.usage == streamed.usage
    assert (whole.id, whole.model, whole.stop_reason) == (streamed.id, streamed.model, streamed.stop_reason)
    assert whole.usage.output_tokens == 11
    assert whole._request_id.startswith("req_")


def test_it_equals_reply_to(http, body):
    assert http.post("/v1/messages", json=body).json() == mock_llm.reply_to(body)


@pytest.mark.parametrize("extra", [{"max_tokens": 3}, {"stop_sequences": ["dollars"]}, {"max_tokens": 0}])
def test_a_cut_reply_is_the_same_whole_and_streamed(client, body, extra):
    whole = client.messages.create(**{**body, **extra})
    with client.messages.stream(**{**body, **extra}) as stream:
        streamed = stream.get_final_message()
    assert [block.text for block in whole.content] == [block.text for block in streamed.content]
    assert (whole.usage, whole.stop_reason, whole.stop_sequence) == (
        streamed.usage, streamed.stop_reason, streamed.stop_sequence
    )  # fmt: skip
    assert whole.stop_reason in ("max_tokens", "stop_sequence")


def test_the_client_raises_its_own_errors(mock, client, body):
    with pytest.raises(anthropic.BadRequestError, match="messages: at least one message is required") as bad:
        client.messages.create(**{**body, "messages": []})
    assert bad.value.request_id == bad.value.body["request_id"]
    with (
        anthropic.Anthropic(base_url=mock.url, api_key="wrong", max_retries=0) as stranger,
        pytest.raises(anthropic.AuthenticationError, match="invalid x-api-key"),
    ):
        stranger.messages.create(**body)
    with pytest.raises(anthropic.BadRequestError, match="max_tokens: Field required"):
        client.post("/v1/messages", body={"model": "m", "messages": body["messages"]}, cast_to=object)


def test_bearer_is_a_key_too(mock, body):
    with anthropic.Anthropic(base_url=mock.url, auth_token="test-key", api_key=None, max_retries=0) as official:
        assert official.messages.create(**body).content


@pytest.mark.parametrize(
    ("method", "path", "headers", "content", "status", "kind"),
    [
        ("POST", "/v1/messages", HEADERS, b"{", 400, "invalid_request_error"),
        ("POST", "/v1/messages", HEADERS, b"[" * 20_000, 400, "invalid_request_error"),
        ("POST", "/v1/messages", {"x-api-key": "test-key"}, b"{}", 400, "invalid_request_error"),
        ("POST", "/v1/messages", {"anthropic-version": "x"}, b"{}", 401, "authentication_error"),
        ("POST", "/v1/messages", {**HEADERS, "x-api-key": "tést".encode()}, b"{}", 401, "authentication_error"),
        ("POST", "/v1/messages", {"authorization": "Basic test-key"}, b"{}", 401, "authentication_error"),
        ("POST", "/v1/nowhere", HEADERS, b"{}", 404, "not_found_error"),
        ("GET", "/v1/messages", HEADERS, None, 405, "invalid_request_error"),
        ("POST", "/v1/messages", HEADERS, b"x" * (LARGEST_BODY + 1), 413, "request_too_large"),
    ],
)
def test_error_envelopes(mock, method, path, headers, content, status, kind):
    with httpx2.Client(base_url=mock.url) as plain:
        response = plain.request(method, path, headers=headers, content=content)
    envelope = response.json()
    assert (response.status_code, envelope["type"], envelope["error"]["type"]) == (status, "error", kind)
    assert envelope["request_id"] == response.headers["request-id"]
    assert "test-key" not in response.text


def test_the_version_header_is_named(mock):
    response = httpx2.post(f"{mock.url}/v1/messages", headers={"x-api-key": "test-key"}, json=HELLO)
    assert response.json()["error"]["message"] == "anthropic-version: header is required"


def test_the_same_request_gives_the_same_bytes(http, body):
    for stream in (False, True):
        first, second = (http.post("/v1/messages", json={**body, "stream": stream}) for _ in range(2))
        assert (first.content, first.headers) == (second.content, second.headers)


def test_health_needs_no_key_and_tells_none(mock):
    response = httpx2.get(f"{mock.url}/health")
    assert response.json() == {
        "status": "ok",
        "server": "mock_llm",
        "version": mock_llm.__version__,
        "persona": "reader",
        "personas": list(mock_llm.PERSONAS),
    }
    assert "test-key" not in response.text and "request-id" in response.headers


def test_a_paced_stream_has_the_same_bytes(http, body):
    with mock_llm.running(delay_ms=1) as slow:
        paced = httpx2.post(f"{slow.url}/v1/messages", headers=HEADERS, json={**body, "stream": True})
    assert paced.content == http.post("/v1/messages", json={**body, "stream": True}).content
    assert paced.headers["content-type"].startswith("text/event-stream")


def test_a_client_that_hangs_up_ends_its_own_stream_only(body):
    with mock_llm.running(delay_ms=20_000) as slow:
        url = f"{slow.url}/v1/messages"
        for _ in range(2):
            with httpx2.stream("POST", url, headers=HEADERS, json={**body, "stream": True}) as one:
                assert next(one.iter_lines()) == "event: message_start"
        assert httpx2.post(url, headers=HEADERS, json=body).status_code == 200


def test_running_takes_what_start_takes():
    heard = []
    assert inspect.signature(mock_llm.running) == inspect.signature(mock_llm.start)
    with mock_llm.running(host="localhost", on_call=heard.append) as server:
        httpx2.post(f"{server.url}/v1/messages", headers=HEADERS, json=HELLO)
    assert heard == list(server.journal) and not server.running


def test_stopping_ends_open_streams_and_threads(body):
    server = mock_llm.start(delay_ms=20_000)
    url = f"{server.url}/v1/messages"
    with httpx2.stream("POST", url, headers=HEADERS, json={**body, "stream": True}) as one:
        assert next(one.iter_lines()) == "event: message_start"
        server.stop()
        assert not server.running
    server.stop()


def test_a_long_prompt_is_read_in_a_thread_that_ends_with_the_server(prompts):
    before = set(threading.enumerate())
    long = {**HELLO, "messages": prompts.numbered("tea time?", *["Nothing of it. " * 200] * 20, "Tea time at 5.")}
    with mock_llm.running() as server:
        response = httpx2.post(f"{server.url}/v1/messages", headers=HEADERS, json=long)
        assert response.json()["content"][0]["text"] == "Tea time at 5. [21]"
    assert set(threading.enumerate()) == before
    with pytest.raises(httpx2.ConnectError):
        httpx2.get(f"{server.url}/health")


def test_inside_a_running_loop(body):
    async def notebook():
        with mock_llm.running(persona="misnumbering", api_key="other") as server:
            async with anthropic.AsyncAnthropic(base_url=server.url, api_key="other") as official:
                return (await official.messages.create(**{**body, "model": "claude"})).content[0].text

    assert asyncio.run(notebook()) == "Membership costs 11 dollars per term. [1]"


def test_the_journal(body):
    with mock_llm.running() as server:
        url = f"{server.url}/v1/messages"
        httpx2.post(url, headers=HEADERS, json=body)
        httpx2.post(url, headers=HEADERS, json={**body, "stream": True, "model": "mock-misnumbering"})
        httpx2.post(url, headers={"x-api-key": "secret-guess"}, json=body)
        first, second, third = server.journal
        assert (first.question, first.form) == ("How much does membership cost per term?", "numbered")
        assert (first.status, first.persona, first.stream) == (200, "reader", False)
        assert (first.reply, first.output_tokens) == ("Membership costs 10 dollars per term. [1]", 11)
        assert (second.persona, second.stream, second.model) == ("misnumbering", True, "mock-misnumbering")
        assert (third.status, third.input_tokens) == (401, 0)
        assert "invalid x-api-key" in third.error
        assert "secret-guess" not in repr(list(server.journal)) and "test-key" not in repr(list(server.journal))
        assert server.journal[-2:] == [second, third]
        server.journal.clear()
        assert len(server.journal) == 0


def test_the_journal_forgets_the_oldest():
    journal = Journal()
    for i in range(REMEMBERED + 1):
        journal.add(Call("/v1/messages", 200, question=str(i)))
    assert (len(journal), journal[0].question, journal[-1].question) == (1_000, "1", "1000")


def test_a_port_that_is_taken(mock):
    with pytest.raises(mock_llm.MockError, match=f"port {mock.port} on 127.0.0.1 is taken: .*another port"):
        mock_llm.start(port=mock.port)


def test_a_port_is_free_again_after_the_end():
    with mock_llm.running() as server:
        port = server.port
    with mock_llm.running(port=port) as again:
        assert again.port == port


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"host": "0.0.0.0"}, "everybody knows the key test-key"),
        ({"persona": "raeder"}, "did you mean 'reader'"),
        ({"port": 70_000}, "port 70000 is out of range"),
        ({"port": -1}, "port -1 is out of range"),
        ({"api_key": ""}, "printable ASCII"),
        ({"api_key": "a b"}, "printable ASCII"),
        ({"delay_ms": -1}, "out of range"),
        ({"delay_ms": float("nan")}, "out of range"),
    ],
)
def test_options_that_cannot_be(options, message):
    with pytest.raises(mock_llm.MockError, match=message):
        mock_llm.start(**options)


def test_a_slow_client_holds_nobody_up(mock, http, body):
    with socket.create_connection(("127.0.0.1", mock.port)) as slow:
        slow.sendall(b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{")
        assert http.post("/v1/messages", json=body).status_code == 200


def test_the_interpreter_ends_with_a_server_left_running():
    code = "import mock_llm; server = mock_llm.start(); print(server.running)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


def test_a_server_left_running_is_stopped_before_the_interpreter_is_taken_apart():
    code = (
        "import atexit, mock_llm\n"
        "atexit.register(lambda: print(server.running))  # called last: the first to be registered\n"
        "server = mock_llm.start()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (0, "False\n", "")


def test_a_request_that_is_asked_again_is_one_more_call(body):
    with mock_llm.running(script=[{}, {"reply": "scripted"}]) as server:
        sent = [httpx2.post(f"{server.url}/v1/messages", headers=HEADERS, json=body) for _ in range(3)]
        other = httpx2.post(f"{server.url}/v1/chat/completions", headers=HEADERS, content=sent[0].request.content)
        assert sent[0].content == sent[2].content != sent[1].content
        assert [call.reply for call in server.journal[:3]] == [one.json()["content"][0]["text"] for one in sent]
        assert (len(server.journal), other.status_code) == (4, 400)  # a system prompt apart is unknown there
