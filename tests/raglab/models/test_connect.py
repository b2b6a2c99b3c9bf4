"""connect(): the environment decides, a stray key changes nothing, and every wrong setting says what helps."""

import http.server
import threading

import pytest

from raglab import Hit, ModelError, SettingError, ask, build_prompt, connect
from raglab.models import CLAUDE_MODEL
from raglab.models import mock as mocks
from raglab.models.claude import ClaudeModel
from raglab.models.mock import probe

HITS = [Hit.of("fees.md#0", "The membership fee is ten dollars per term.")]
PROMPT = build_prompt("What is the membership fee per term?", HITS)


class Index:
    def search(self, question, k):
        return HITS


@pytest.fixture
def mock_url(mock, monkeypatch):
    monkeypatch.setenv("RAGLAB_MOCK_URL", mock.url)
    return mock.url


def test_the_mock_answers_and_counts(mock_url):
    reply = connect().complete(PROMPT)
    assert reply.text == "The membership fee is ten dollars per term. [1]"
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (109 + -(-len(PROMPT.content) // 4), 12)
    assert reply.stop_reason == "end_turn" and reply.request_id.startswith("req_")


@pytest.mark.parametrize("key", [None, "sk-rubbish", "\n", "test-key"])
def test_a_key_in_the_environment_changes_nothing(mock_url, monkeypatch, key):
    expected = connect().complete(PROMPT)
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "HTTP_PROXY"):
        monkeypatch.setenv(name, key or "") if key else monkeypatch.delenv(name, raising=False)
    assert connect().complete(PROMPT) == expected


def test_without_a_mock_anywhere_one_starts_inside_the_process(monkeypatch):
    monkeypatch.delenv("RAGLAB_MOCK_URL", raising=False)
    monkeypatch.setattr(mocks, "MOCK_URL", "http://127.0.0.1:9")
    mocks.usual_or_own_url.cache_clear()
    assert ask("What is the membership fee per term?", Index()).text.endswith("[1]")
    own = mocks.usual_or_own_url()
    connect().complete(PROMPT)
    assert mocks.usual_or_own_url() == own, "one mock for the whole process"
    mocks.usual_or_own_url.cache_clear()


def test_a_mock_at_the_usual_address_is_used(mock, monkeypatch):
    monkeypatch.delenv("RAGLAB_MOCK_URL", raising=False)
    monkeypatch.setattr(mocks, "MOCK_URL", mock.url)
    mocks.usual_or_own_url.cache_clear()
    mock.journal.clear()
    connect().complete(PROMPT)
    mocks.usual_or_own_url.cache_clear()
    assert len(mock.journal) == 1


def test_a_persona_is_chosen_by_the_model_id(mock_url, monkeypatch):
    nine = build_prompt("When do classes end?", [Hit.of("a.md#0", "Classes end at 9 PM.")])
    assert connect("mock-misnumbering").complete(nine).text == "Classes end at 10 PM. [1]"
    assert connect().complete(nine).text == "Classes end at 9 PM. [1]"
    monkeypatch.setenv("RAGLAB_MODEL", "mock-misnumbering")
    assert connect().model == "mock-misnumbering"


def test_a_persona_is_the_mocks_whatever_the_service(mock_url, monkeypatch):
    monkeypatch.setenv("RAGLAB_LLM", "claude")
    assert connect("mock-reader").complete(PROMPT).text.endswith("[1]")


def test_claude_gets_room_for_thinking_and_the_mock_does_not(mock_url, monkeypatch):
    assert connect()._request(PROMPT)["max_tokens"] == 1024
    monkeypatch.setenv("RAGLAB_LLM", "claude")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    assert connect()._request(PROMPT)["max_tokens"] == 1024 + 8000


def test_the_claude_that_is_asked_by_default_is_one_that_its_client_knows():
    from typing import get_args

    from anthropic.types import Model

    assert CLAUDE_MODEL in [name for part in get_args(Model) for name in get_args(part)]


@pytest.mark.parametrize("chosen", ["argument", "RAGLAB_MODEL"])
def test_a_mistyped_persona_is_named_with_the_right_one(mock_url, monkeypatch, chosen):
    if chosen == "RAGLAB_MODEL":
        monkeypatch.setenv("RAGLAB_MODEL", "mock-gulible")
    with pytest.raises(SettingError, match="no persona 'gulible': did you mean 'gullible'"):
        connect("mock-gulible" if chosen == "argument" else None)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9", "127.0.0.1:9", "nonsense", "http://127.0.0.1:99999", "ftp://x", "http://"]
)
def test_an_address_where_nothing_answers_is_named_with_the_remedy(monkeypatch, url):
    monkeypatch.setenv("RAGLAB_MOCK_URL", url)
    with pytest.raises(ModelError, match="python3 -m mock_llm") as caught:
        connect()
    assert url in str(caught.value)


def test_another_program_at_the_address_is_no_mock(monkeypatch, other_program):
    url = f"http://127.0.0.1:{other_program}"
    assert probe(url) == "other"
    monkeypatch.setenv("RAGLAB_MOCK_URL", url)
    with pytest.raises(ModelError, match="no mock LLM answers there"):
        connect()


def test_a_mock_that_has_gone_is_said_at_the_first_question():
    model = ClaudeModel("mock", api_key="test-key", base_url="http://127.0.0.1:9", remedy="Start it.")
    with pytest.raises(ModelError, match=r"cannot be reached\. Start it\."):
        model.complete(PROMPT)


def test_a_wrong_key_is_said_and_not_shown(mock):
    model = ClaudeModel("mock", api_key="sk-secret", base_url=mock.url, remedy="Check it.")
    with pytest.raises(ModelError, match=r"refused the key \(401\)\. Check it\.") as caught:
        model.complete(PROMPT)
    assert "secret" not in str(caught.value) + repr(model)


def test_a_request_that_the_service_refuses_gives_its_reason(mock):
    import dataclasses

    empty = dataclasses.replace(PROMPT, content="")
    with pytest.raises(ModelError, match=r"refused the request \(400\): .*non-empty"):
        ClaudeModel("mock", api_key="test-key", base_url=mock.url).complete(empty)


@pytest.mark.parametrize(
    "body", [b"hello", b"{}", b"[1]", b'{"content": 5}', b"null", b'{"content": [{"type": "text"}]}']
)
def test_a_server_that_is_no_messages_api_gives_one_error(body):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        model = ClaudeModel("mock", api_key="x", base_url=f"http://127.0.0.1:{server.server_port}")
        with pytest.raises(ModelError):
            model.complete(PROMPT)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_an_unknown_service_names_the_valid_ones(monkeypatch):
    monkeypatch.setenv("RAGLAB_LLM", "cluade")
    with pytest.raises(SettingError, match="did you mean 'claude'.*claude, mock"):
        connect()


def test_claude_needs_a_key_and_names_the_variable(monkeypatch):
    monkeypatch.setenv("RAGLAB_LLM", "Claude")
    with pytest.raises(SettingError, match="ANTHROPIC_API_KEY"):
        connect()
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-anything")
    assert repr(connect()) == "ClaudeModel('claude-sonnet-5-5')"
