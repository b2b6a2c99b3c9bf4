"""The paths that control a server: what they do, and who may use them."""

import asyncio
import json

import httpx2
import pytest

import mock_llm
from mock_llm.app import App, Settings
from mock_llm.faults import Script
from mock_llm.journal import Journal

KEY = {"x-api-key": "test-key"}
HEADERS = {**KEY, "anthropic-version": "2026-10-21"}
PATHS = [("GET", "/_mock/journal"), ("DELETE", "/_mock/journal"), ("POST", "/_mock/script"), ("GET", "/_mock/explain")]


@pytest.fixture
def server():
    with mock_llm.running() as fresh:
        yield fresh


@pytest.fixture
def ask(prompts):
    system, user = prompts.numbered("How much does membership cost per term?", "Membership costs 10 dollars per term.")

    def send(url, **change):
        body = {"model": "m", "max_tokens": 50, "system": system["content"], "messages": [user], **change}
        return httpx2.post(f"{url}/v1/messages", headers=HEADERS, json=body)

    return send


def test_the_journal_over_http(server, ask):
    ask(server.url)
    ask(server.url, model=5)
    url = f"{server.url}/_mock/journal"
    first, second = httpx2.get(url, headers=KEY).json()["calls"]
    assert (first["question"], first["reply"], first["status"]) == (
        "How much does membership cost per term?", "Membership costs 10 dollars per term. [1]", 200
    )  # fmt: skip
    assert (second["status"], second["error"]) == (400, "model: Input should be a valid string")
    assert httpx2.delete(url, headers=KEY).json() == {"calls": []} == httpx2.get(url, headers=KEY).json()
    assert len(server.journal) == 0


def test_the_journal_knows_every_endpoint_and_no_key(server):
    bearer = {"authorization": "Bearer test-key"}
    said = [{"role": "user", "content": "hi"}]
    for path, body in {
        "/v1/messages/count_tokens": {"model": "a", "messages": said},
        "/v1/chat/completions": {"model": "b", "messages": said},
        "/v1/responses": {"model": "c", "input": "hi"},
        "/v1/embeddings": {"model": "d", "input": "hi"},
    }.items():
        response = httpx2.post(f"{server.url}{path}", headers={**bearer, "anthropic-version": "x"}, json=body)
        assert response.status_code == 200
        assert (server.journal[-1].path, server.journal[-1].model) == (path, body["model"])
        assert str(server.journal[-1]).startswith(f"200 {path}  ")
    httpx2.post(f"{server.url}/v1/responses", headers={"authorization": "Bearer sk-guess"}, json={})
    told = httpx2.get(f"{server.url}/_mock/journal", headers=bearer).text + repr(server.journal)
    assert "invalid" in told or "Incorrect API key" in told
    assert "test-key" not in told and "sk-guess" not in told


def test_a_script_over_http(server, ask):
    url = f"{server.url}/_mock/script"
    assert httpx2.post(url, headers=KEY, json=[{"status": 529}, {"reply": "hi"}]).json() == {"steps": 2}
    assert (ask(server.url).status_code, ask(server.url).json()["content"][0]["text"]) == (529, "hi")
    assert httpx2.post(url, headers=KEY, json={"status": 429}).json() == {"steps": 1}
    assert ask(server.url).status_code == 429
    wrong = httpx2.post(url, headers=KEY, json=[{"status": 1}])
    assert (wrong.status_code, wrong.json()["error"]["type"]) == (400, "invalid_request_error")
    for content, status in ((b"{", 400), (b"[" * 20_000, 400), (b"[" + b" " * 1024 * 1024, 413), (b"7", 400)):
        assert httpx2.post(url, headers=KEY, content=content).status_code == status


def test_explain_tells_of_the_last_call(server, ask):
    url = f"{server.url}/_mock/explain"
    assert httpx2.get(url, headers=KEY).status_code == 404
    reply = ask(server.url).json()["content"][0]["text"]
    httpx2.post(f"{server.url}/v1/messages", headers=HEADERS, json={"messages": "not explained"})
    told = httpx2.get(url, headers=KEY).json()
    assert (told["form"], told["reply"], told["words"]) == ("numbered", reply, ["membership", "cost", "per", "term"])
    assert [line["score"] for line in told["sentences"] if line["winner"]] == [4]


@pytest.mark.parametrize(("method", "path"), PATHS)
def test_control_needs_the_key(server, method, path):
    for headers in ({}, {"x-api-key": "wrong"}, {"authorization": "Basic test-key"}):
        response = httpx2.request(method, f"{server.url}{path}", headers=headers, content=b"[]")
        assert (response.status_code, response.json()["error"]["type"]) == (401, "authentication_error")


def status_of(method, path, peer, host):
    """The status that a caller from an address gets, straight from the application."""
    app = App(Settings(), Journal(), Script())
    scope = {
        "type": "http", "http_version": "1.1", "scheme": "http", "method": method, "root_path": "", "query_string": b"",
        "path": path, "raw_path": path.encode(), "client": peer and (peer, 5),
        "server": ("127.0.0.1", 8787),
        "headers": [(b"host", host), (b"x-api-key", b"test-key"), (b"anthropic-version", b"x")],
    }  # fmt: skip
    sent = []

    async def call():
        async def receive():
            return {"type": "http.request", "body": b"[]", "more_body": False}

        async def send(message):
            sent.append(message)

        await app(scope, receive, send)

    asyncio.run(call())
    assert b"test-key" not in sent[1]["body"]
    return sent[0]["status"], json.loads(sent[1]["body"])


@pytest.mark.parametrize(("method", "path"), PATHS)
@pytest.mark.parametrize(
    ("peer", "host"),
    [
        ("10.0.0.5", b"127.0.0.1:8787"),
        ("10.0.0.5", b"10.0.0.1:8787"),
        (None, b"127.0.0.1"),
        ("127.0.0.1", b"evil.example"),
        ("127.0.0.1", b"evil.example:8787"),
        ("127.0.0.1", b"127.0.0.1.evil.example"),
        ("127.0.0.1", b""),
        ("::1", b"[2001:db8::1]:8787"),
    ],
)
def test_control_is_for_this_machine_only(method, path, peer, host):
    status, body = status_of(method, path, peer, host)
    assert (status, body["error"]["type"]) == (403, "permission_error")


@pytest.mark.parametrize(
    ("peer", "host"), [("127.0.0.1", b"localhost:1"), ("::1", b"[::1]:8787"), ("127.0.0.2", b"127.0.0.1")]
)
def test_this_machine_has_several_names(peer, host):
    assert status_of("GET", "/_mock/journal", peer, host) == (200, {"calls": []})


def test_another_machine_may_still_ask():
    assert status_of("GET", "/v1/models", "10.0.0.5", b"10.0.0.1")[0] == 200


def test_forwarding_headers_are_not_believed(server):
    spoofed = {**KEY, "x-forwarded-for": "10.0.0.5"}
    assert httpx2.get(f"{server.url}/_mock/journal", headers=spoofed).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/_mock/script", 405),
        ("GET", "/_mock/nowhere", 404),
        ("POST", "/health", 405),
        ("GET", "/v1/messages", 405),
        ("POST", "/v1/models", 405),
    ],
)
def test_methods_and_paths_that_are_not_served(mock, method, path, status):
    response = httpx2.request(method, f"{mock.url}{path}", headers=HEADERS)
    assert (response.status_code, response.json()["type"]) == (status, "error")
    assert ("allow" in response.headers) is (status == 405)
