"""The script: what it can hold, and what the calls do then."""

import json

import anthropic
import httpx2
import pytest

import mock_llm
from mock_llm.faults import AS_ALWAYS, Script, Step, StreamCutError, checked, played, read_script

HEADERS = {"x-api-key": "test-key", "anthropic-version": "2026-10-21"}
HELLO = {"model": "mock-reader", "max_tokens": 50, "messages": [{"role": "user", "content": "hi"}]}
DELTA = b"event: content_block_delta\n"


@pytest.fixture(scope="module")
def client(mock):
    with anthropic.Anthropic(base_url=mock.url, api_key=mock.api_key, max_retries=0) as official:
        yield official


@pytest.fixture
def post(mock):
    def send(stream=False, **change):
        return httpx2.post(f"{mock.url}/v1/messages", headers=HEADERS, json={**HELLO, "stream": stream, **change})

    return send


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ({"status": 429}, "script: Input should be a valid list"),
        ([429], "script.0: Input should be a valid dictionary"),
        ([{}, {"stauts": 429}], "script.1.stauts: Extra inputs are not permitted"),
        ([{"status": 200}], "script.0.status: Input should be 400 to 599"),
        ([{"status": "429"}], "script.0.status: Input should be 400 to 599"),
        ([{"status": True}], "script.0.status: Input should be 400 to 599"),
        ([{"retry_after": 1}], "script.0.retry_after: only sent with a status"),
        ([{"status": 429, "retry_after": -1}], "script.0.retry_after: range: 0..86400"),
        ([{"latency_ms": "5"}], "script.0.latency_ms: Input should be a valid number"),
        ([{"latency_ms": 1e9}], "script.0.latency_ms: range: 0..600000"),
        ([{"cut_stream_after": 1.5}], "script.0.cut_stream_after: Input should be a valid integer"),
        ([{"malformed": 1}], "script.0.malformed: Input should be a valid boolean"),
        ([{"reply": None}], "script.0.reply: Input should be a valid string"),
    ],
)
def test_a_wrong_step_is_named(steps, message):
    with pytest.raises(mock_llm.RequestError) as refusal:
        checked(steps)
    assert str(refusal.value).startswith(message)


def test_steps_are_taken_in_order_and_a_new_script_forgets_the_old():
    script = Script()
    script.replace([{"status": 500}, {"reply": "a"}, {"reply": "b"}])
    assert [script.take(), script.take()] == [Step(status=500), Step(reply="a")]
    script.replace([{"reply": "c"}])
    assert [script.take(), script.take(), script.take()] == [Step(reply="c"), AS_ALWAYS, AS_ALWAYS]


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (400, anthropic.BadRequestError, "invalid_request_error"),
        (401, anthropic.AuthenticationError, "authentication_error"),
        (403, anthropic.PermissionDeniedError, "permission_error"),
        (404, anthropic.NotFoundError, "not_found_error"),
        (413, anthropic.APIStatusError, "request_too_large"),
        (418, anthropic.APIStatusError, "invalid_request_error"),
        (429, anthropic.RateLimitError, "rate_limit_error"),
        (500, anthropic.InternalServerError, "api_error"),
        (503, anthropic.InternalServerError, "api_error"),
        (504, anthropic.APIStatusError, "timeout_error"),
        (529, anthropic.APIStatusError, "overloaded_error"),
    ],
)
def test_a_scripted_status(client, mock, status, error, kind):
    mock.script([{"status": status, "retry_after": 2.5}])
    with pytest.raises(error) as refusal:
        client.messages.create(**HELLO)
    assert (refusal.value.status_code, refusal.value.body["error"]["type"]) == (status, kind)
    assert refusal.value.response.headers["retry-after"] == "2.5"
    assert client.messages.create(**HELLO).content


def test_a_rate_limit_always_says_when_to_come_back(mock, post):
    mock.script([{"status": 429}, {"status": 500}])
    assert post().headers["retry-after"] == "1"
    assert "retry-after" not in post().headers


def test_the_client_retries_what_the_script_refuses(mock):
    mock.script([{"status": 529, "retry_after": 0}, {"status": 500, "retry_after": 0}])
    with anthropic.Anthropic(base_url=mock.url, api_key=mock.api_key, max_retries=2) as patient:
        assert patient.messages.create(**HELLO).content
    assert [call.status for call in mock.journal[-3:]] == [529, 500, 200]


def test_a_scripted_reply_keeps_limits_and_usage(mock, post):
    mock.script([{"reply": "one two three"}] * 3 + [{"reply": ""}])
    assert post().json()["content"][0]["text"] == "one two three"
    cut = post(max_tokens=1).json()
    assert (cut["content"][0]["text"], cut["stop_reason"], cut["usage"]["output_tokens"]) == ("one ", "max_tokens", 1)
    stopped = post(stop_sequences=["two"]).json()
    assert (stopped["content"][0]["text"], stopped["stop_sequence"]) == ("one ", "two")
    assert post().json()["content"] == []
    assert mock.journal[-2].reply == "one "


@pytest.mark.parametrize("pieces", [0, 1, 3])
def test_a_stream_is_cut_after_so_many_pieces(mock, pieces):
    mock.script([{"cut_stream_after": pieces}])
    sent = b""
    with (
        pytest.raises(httpx2.RemoteProtocolError),
        httpx2.stream("POST", f"{mock.url}/v1/messages", headers=HEADERS, json={**HELLO, "stream": True}) as response,
    ):
        for part in response.iter_raw():
            sent += part
    assert sent.count(DELTA) == pieces
    assert sent.startswith(b"event: message_start") and b"message_stop" not in sent


def test_the_end_of_a_stream_can_be_cut_and_what_lies_after_it_cannot():
    events = [b"start", DELTA, DELTA, b"stop"]
    with pytest.raises(StreamCutError):
        list(played(events, Step(cut_stream_after=2), DELTA))
    assert list(played(events, Step(cut_stream_after=3), DELTA)) == events


def test_malformed_replies(mock, post):
    mock.script([{"malformed": True}, {"malformed": True}, {"malformed": True, "status": 529}])
    whole = post()
    with pytest.raises(json.JSONDecodeError):
        whole.json()
    assert (whole.status_code, whole.headers["content-type"]) == (200, "application/json")
    lines = [line for line in post(stream=True).text.split("\n") if line.startswith("data: ")]
    broken = [line for line in lines if not line.endswith("}")]
    assert len(broken) == 1 and broken[0] == lines[2]
    refused = post()
    with pytest.raises(json.JSONDecodeError):
        refused.json()
    assert refused.status_code == 529


def test_latency_is_waited_before_the_reply(mock, post, monkeypatch):
    import asyncio

    waited = []
    sleep = asyncio.sleep

    async def short(seconds):
        waited.append(seconds)
        await sleep(0)

    monkeypatch.setattr(asyncio, "sleep", short)
    mock.script([{"latency_ms": 432_100}])
    assert post().status_code == 200
    assert 432.1 in waited


def test_a_call_without_the_key_takes_no_step(mock, post):
    mock.script([{"status": 529}])
    assert httpx2.post(f"{mock.url}/v1/messages", json=HELLO).status_code == 401
    assert httpx2.get(f"{mock.url}/health").status_code == 200
    assert httpx2.get(f"{mock.url}/v1/models", headers=HEADERS).status_code == 200
    assert [post().status_code, post().status_code] == [529, 200]


@pytest.mark.parametrize(
    "text",
    [
        '[{"status": 529}, {"reply": "hi"}]',
        '{"status": 529}\n\n{"reply": "hi"}\n',
        '\n [\n{"status":529},{"reply":"hi"}]',
    ],
)
def test_a_script_in_a_file(tmp_path, text):
    (tmp_path / "faults.json").write_text(text, encoding="utf-8")
    assert read_script(str(tmp_path / "faults.json")) == [{"status": 529}, {"reply": "hi"}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"status": 529}\n{', "line 2 is not valid JSON"),
        ('[{"status": 1}]', "script.0.status: Input should be 400 to 599"),
        ("[" * 20_000, "cannot be used"),
        ("5", "script.0: Input should be a valid dictionary"),
    ],
)
def test_a_script_in_a_file_that_cannot_be_used(tmp_path, text, message):
    (tmp_path / "faults.json").write_text(text, encoding="utf-8")
    with pytest.raises(mock_llm.MockError, match=message):
        read_script(str(tmp_path / "faults.json"))


def test_a_script_that_is_not_there(tmp_path):
    with pytest.raises(mock_llm.MockError, match="cannot read the script .*No such file"):
        read_script(str(tmp_path / "none.json"))


def test_a_script_at_the_start(tmp_path):
    with mock_llm.running(script=[{"status": 529}]) as server:
        assert httpx2.post(f"{server.url}/v1/messages", headers=HEADERS, json=HELLO).status_code == 529
    with pytest.raises(mock_llm.MockError, match="script.0.status"):
        mock_llm.start(script=[{"status": 1}])
