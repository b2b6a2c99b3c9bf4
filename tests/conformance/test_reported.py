"""What users of other mock servers reported: one test for each fault, by plain HTTP, that fails if it is here."""

import base64
import json
import struct

import httpx2
import pytest

GRASS = "The grass is green. The sky is blue."
WHAT = "What is the green grass?"
NUMBERED = f"Context:\n[1] (source: a.md) {GRASS}\n\nQuestion: {WHAT}"
SAID = "The grass is green. [1]"
ASKED = {"model": "mock-reader", "max_tokens": 100, "messages": [{"role": "user", "content": NUMBERED}]}
SOURCE = {"type": "text", "media_type": "text/plain", "data": GRASS}
DOCUMENT = {"type": "document", "source": SOURCE, "citations": {"enabled": True}}
CITED = {**ASKED, "messages": [{"role": "user", "content": [DOCUMENT, {"type": "text", "text": WHAT}]}]}
OURS = ("/v1/messages", "/v1/messages/count_tokens")
THEIRS = ("/v1/chat/completions", "/v1/responses", "/v1/embeddings")


@pytest.fixture(scope="module")
def post(mock):
    headers = {"x-api-key": mock.api_key, "authorization": f"Bearer {mock.api_key}", "anthropic-version": "2026-10-21"}
    with httpx2.Client(base_url=mock.url, headers=headers) as client:
        yield lambda path, body: client.post(path, **{"content" if isinstance(body, bytes) else "json": body})


@pytest.fixture(scope="module")
def events(post):
    """A function of a body: the events of its stream, each a name and its data."""

    def sent(body, path="/v1/messages"):
        parts = post(path, {**body, "stream": True}).text.removesuffix("\n\n").split("\n\n")
        lines = [part.split("data: ", 1) for part in parts]
        return [(name.strip(), json.loads(data)) for name, data in lines if data != "[DONE]"]

    return sent


def test_no_event_has_data_alone(events):
    assert [name for name, _ in events(ASKED)] == [f"event: {data['type']}" for _, data in events(ASKED)]


def test_usage_is_in_the_first_event_and_in_the_last_but_one(events):
    (_, start), *_, (_, delta), _ = events(ASKED)
    assert (start["message"]["usage"]["input_tokens"], delta["usage"]["output_tokens"]) == (-(-len(NUMBERED) // 4), 6)


def test_usage_stands_beside_the_delta(events):
    *_, (_, last), _ = events(ASKED)
    assert last.keys() == {"type", "delta", "usage"} and last["delta"].keys() == {"stop_reason", "stop_sequence"}


@pytest.mark.parametrize("path", OURS)
def test_an_error_of_an_anthropic_path_has_its_envelope(post, path):
    envelope = post(path, {"model": "m", "messages": [], "max_tokens": 1}).json()
    assert (envelope.keys(), envelope["type"]) == ({"type", "error", "request_id"}, "error")
    assert envelope["error"].keys() == {"type", "message"}


@pytest.mark.parametrize("path", THEIRS)
def test_an_error_of_an_openai_path_has_its_envelope(post, path):
    envelope = post(path, {"model": 5}).json()
    assert envelope.keys() == {"error"} and envelope["error"].keys() == {"message", "type", "param", "code"}


def test_tokens_can_be_counted(post):
    body = {name: ASKED[name] for name in ("model", "messages")}
    counted = post("/v1/messages/count_tokens", body)
    assert (counted.status_code, counted.json()) == (200, {"input_tokens": -(-len(NUMBERED) // 4)})


@pytest.mark.parametrize(
    ("path", "stop"), [("/v1/messages", {"stop_sequences": [" green"]}), ("/v1/chat/completions", {"stop": " green"})]
)
def test_a_stop_sequence_is_told_and_does_not_leak(post, events, path, stop):
    for text in (post(path, {**ASKED, **stop}).text, json.dumps(events({**ASKED, **stop}, path))):
        assert "grass" in text and " green" not in text.replace('" green"', "")
    whole = post("/v1/messages", {**ASKED, "stop_sequences": [" green"]}).json()
    assert (whole["stop_reason"], whole["stop_sequence"]) == ("stop_sequence", " green")


def test_the_stop_reason_is_not_always_the_same(post):
    tools = {"tools": [{"name": "look", "input_schema": {"type": "object"}}], "tool_choice": {"type": "any"}}
    changes = ({}, {"max_tokens": 1}, {"stop_sequences": ["is"]}, tools)
    reasons = [post("/v1/messages", {**ASKED, **change}).json()["stop_reason"] for change in changes]
    assert reasons == ["end_turn", "max_tokens", "stop_sequence", "tool_use"]


@pytest.mark.parametrize("options", [{}, {"stream_options": {}}, {"stream_options": {"include_usage": False}}])
def test_usage_comes_in_a_chunk_only_by_invitation(events, options):
    for _, chunk in events({**ASKED, **options}, "/v1/chat/completions"):
        assert chunk["choices"] and "usage" not in chunk


def test_a_streamed_answer_has_the_citations_of_the_whole_one(post, events):
    deltas = [data["delta"] for _, data in events(CITED) if data["type"] == "content_block_delta"]
    quotes = [delta["citation"] for delta in deltas if delta["type"] == "citations_delta"]
    assert quotes == post("/v1/messages", CITED).json()["content"][0]["citations"] != []


def test_embeddings_come_as_base64_too(post):
    body = {"model": "m", "input": GRASS, "dimensions": 8}
    floats, packed = (
        post("/v1/embeddings", {**body, "encoding_format": form}).json()["data"][0]["embedding"]
        for form in ("float", "base64")
    )
    assert list(struct.unpack("<8f", base64.b64decode(packed))) == floats


def test_usage_is_the_same_streamed_or_not(post, events):
    whole = post("/v1/messages", CITED).json()["usage"]
    (_, start), *_, (_, delta), _ = events(CITED)
    assert {**start["message"]["usage"], **delta["usage"]} == whole
    invited = {**ASKED, "stream_options": {"include_usage": True}}
    *_, (_, last) = events(invited, "/v1/chat/completions")
    assert last["usage"] == post("/v1/chat/completions", ASKED).json()["usage"]


@pytest.mark.parametrize("body", [ASKED, {}, b"{"], ids=["good", "bad", "broken"])
@pytest.mark.parametrize("path", OURS)
def test_the_id_is_in_the_header_that_the_client_reads(post, path, body):
    headers = post(path, body).headers
    assert headers["request-id"].startswith("req_") and "x-request-id" not in headers


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff", b"5", {}, {"model": 5}, {"model": "m", "x": 1}])
@pytest.mark.parametrize("path", (*OURS, *THEIRS))
def test_a_bad_body_is_a_bad_request(post, path, body):
    assert post(path, body).status_code == 400


def test_an_earlier_tool_result_does_not_hide_the_last_message(post):
    other = NUMBERED.replace("green", "red")
    talk = [
        {"role": "user", "content": other},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "look", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": other}]},
        {"role": "assistant", "content": "Found."},
    ]
    reply = post("/v1/messages", {**ASKED, "messages": [*talk, *ASKED["messages"]]}).json()
    assert reply["content"][0]["text"] == SAID


def test_texts_that_share_words_are_nearer_than_others(post):
    texts = ["The tea room opens at 8.", "When does the tea room open?", "Parking is free.", "Bring your own laptop."]
    data = post("/v1/embeddings", {"model": "text-embedding-3-small", "input": texts}).json()["data"]
    first, *others = (one["embedding"] for one in data)
    near, *far = (sum(a * b for a, b in zip(first, other, strict=True)) for other in others)
    assert near > 0.5 and max(map(abs, far)) < 0.2
