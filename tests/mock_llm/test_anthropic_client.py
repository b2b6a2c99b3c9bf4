"""The Messages API over HTTP and through its client: events, envelopes, tokens and models. What replies say is a
table in tests/conformance."""

import json

import anthropic
import httpx2
import pytest

import mock_llm

HEADERS = {"x-api-key": "test-key", "anthropic-version": "2026-10-21"}
GRASS = "The grass is green. The sky is blue."
CODE = "Start a named session:\n\n```bash\ntmux new\n```\n\nDone."
ON = {"citations": {"enabled": True}}
TEXT = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": GRASS}, "title": "T", **ON}
TMUX = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": CODE}, **ON}
ASKED = {"type": "text", "text": "What is the green grass?"}
TOOL = {
    "name": "book",
    "input_schema": {
        "type": "object",
        "required": ["city", "nights"],
        "properties": {"city": {"enum": ["Hué", "Sapa"]}, "nights": {"type": "integer", "minimum": 2}},
    },
}
NUMBERED = f"Context:\n[1] (source: a.md) {GRASS}\n\nQuestion: What is the green grass?"
CALL = {"type": "tool_use", "id": "t1", "name": "look", "input": {}}
BACK = {"type": "tool_result", "tool_use_id": "t1", "content": "The green grass is a result."}


def asked(*blocks, **body):
    return {"messages": [{"role": "user", "content": [*blocks]}], **body}


def numbered(**body):
    return {"messages": [{"role": "user", "content": NUMBERED}], **body}


# Bodies whose streams differ in kind.
BODIES = {
    "numbered": numbered(),
    "text source": asked(TEXT, ASKED),
    "code and two parts": asked(
        TMUX, TEXT, {"type": "text", "text": "How do I start a named session? What is the green grass?"}
    ),
    "limit": numbered(max_tokens=2),
    "limit of 0": numbered(max_tokens=0),
    "stop sequence": numbered(stop_sequences=["x", " green"]),
    "stop at once": numbered(stop_sequences=["The"]),
    "tool": numbered(tools=[TOOL], tool_choice={"type": "tool", "name": "book"}),
    "prefill": {"messages": [*numbered()["messages"], {"role": "assistant", "content": "The grass"}]},
    "earlier tool result": {
        "messages": [
            {"role": "user", "content": "look"},
            {"role": "assistant", "content": [CALL]},
            {"role": "user", "content": [BACK]},
            {"role": "assistant", "content": "Found."},
            *numbered()["messages"],
        ]
    },
}


@pytest.fixture(scope="module")
def client(mock):
    with anthropic.Anthropic(base_url=mock.url, api_key=mock.api_key, max_retries=0) as official:
        yield official


@pytest.fixture(scope="module")
def http(mock):
    with httpx2.Client(base_url=mock.url, headers=HEADERS) as plain:
        yield plain


def events(http, body):
    """The events of a stream, each checked for its name."""
    response = http.post("/v1/messages", json={"model": "mock-reader", "max_tokens": 1000, **body, "stream": True})
    found = []
    for part in response.text.removesuffix("\n\n").split("\n\n"):
        name, data = part.split("\n")
        found.append(json.loads(data.removeprefix("data: ")))
        assert name == f"event: {found[-1]['type']}"
    return found


@pytest.mark.parametrize("case", BODIES)
def test_a_stream_has_every_event_in_its_place(http, case):
    found = events(http, BODIES[case])
    first, *middle, delta, last = found
    assert (first["type"], delta["type"], last) == ("message_start", "message_delta", {"type": "message_stop"})
    assert first["message"]["content"] == [] and first["message"]["stop_reason"] is None
    assert first["message"]["usage"]["input_tokens"] == delta["usage"]["input_tokens"] > 0
    assert first["message"]["usage"]["output_tokens"] == 0
    assert set(delta["delta"]) == {"stop_reason", "stop_sequence"}
    assert isinstance(delta["usage"]["output_tokens"], int)
    open_block = None
    for one in middle:
        assert one["type"] in ("content_block_start", "content_block_delta", "content_block_stop")
        if one["type"] == "content_block_start":
            assert open_block is None
            open_block = one["index"]
            assert not one["content_block"].get("text") and not one["content_block"].get("input")
        assert one["index"] == open_block
        if one["type"] == "content_block_stop":
            open_block = None
    assert open_block is None


def test_citations_and_tool_input_travel_as_deltas(http):
    kinds = [one["delta"]["type"] for one in events(http, asked(TEXT, ASKED)) if one["type"] == "content_block_delta"]
    assert kinds == ["text_delta"] * 4 + ["citations_delta"]
    body = numbered(tools=[TOOL], tool_choice={"type": "any"})
    deltas = [one["delta"] for one in events(http, body) if one["type"] == "content_block_delta"]
    assert {one["type"] for one in deltas} == {"input_json_delta"}
    assert json.loads("".join(one["partial_json"] for one in deltas)) == {"city": "Hué", "nights": 2}


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/messages/count_tokens"])
@pytest.mark.parametrize(
    ("content", "headers", "status", "kind"),
    [
        (b"{", HEADERS, 400, "invalid_request_error"),
        (b"[]", HEADERS, 400, "invalid_request_error"),
        (b'{"model": 5}', HEADERS, 400, "invalid_request_error"),
        (b"\xff\xfe", HEADERS, 400, "invalid_request_error"),
        (b"{}", {**HEADERS, "x-api-key": "wrong"}, 401, "authentication_error"),
        (b"{}", {"x-api-key": "test-key"}, 400, "invalid_request_error"),
    ],
)
def test_errors_have_the_envelope_of_this_api(mock, path, content, headers, status, kind):
    response = httpx2.post(mock.url + path, content=content, headers=headers)
    envelope = response.json()
    assert (response.status_code, envelope["type"], envelope["error"]["type"]) == (status, "error", kind)
    assert set(envelope) == {"type", "error", "request_id"} and set(envelope["error"]) == {"type", "message"}
    assert response.headers["request-id"] == envelope["request_id"]
    assert "x-request-id" not in response.headers


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/v1/messages"), ("POST", "/v1/messages/count_tokens"), ("GET", "/v1/models"),
                         ("GET", "/v1/models/mock-reader"), ("GET", "/v1/models/x")]
)  # fmt: skip
def test_every_response_has_a_request_id(http, method, path):
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    response = http.request(method, path, json=body if method == "POST" else None)
    assert response.headers["request-id"].startswith("req_") and "x-request-id" not in response.headers


@pytest.mark.parametrize("case", ["numbered", "text source", "tool", "earlier tool result"])
def test_counted_tokens_are_those_of_the_usage(client, case):
    body = {"model": "mock-reader", **BODIES[case]}
    assert client.messages.count_tokens(**body).input_tokens == (
        client.messages.create(**body, max_tokens=100).usage.input_tokens
    )


MODELS = [f"mock-{persona}" for persona in mock_llm.PERSONAS]


def test_models_page_by_page(client):
    assert [model.id for model in client.models.list(limit=2)] == MODELS
    assert [model.id for model in client.models.list(limit=1000)] == MODELS
    first = client.models.list(limit=3)
    assert (first.has_more, first.first_id, first.last_id) == (True, MODELS[0], MODELS[2])
    second = client.models.list(limit=3, after_id=MODELS[2])
    assert [model.id for model in second.data] == MODELS[3:6]
    back = client.models.list(limit=2, before_id=MODELS[4])
    assert ([model.id for model in back.data], back.has_more) == (MODELS[2:4], True)
    assert client.models.list(after_id=MODELS[-1]).data == client.models.list(before_id=MODELS[0]).data == []
    assert client.models.list(lifecycle=["retired"]).data == []
    assert len(client.models.list(lifecycle=["retired", "active"]).data) == 9


def test_one_model(client):
    model = client.models.retrieve("mock-gullible")
    assert (model.id, model.type, model.lifecycle, model.created_at.year) == ("mock-gullible", "model", "active", 1970)
    for unknown in ("mock-nobody", "gullible", "claude-opus"):
        with pytest.raises(anthropic.NotFoundError, match=f"model: {unknown}"):
            client.models.retrieve(unknown)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("limit=0", "limit: Input should be 1 to 1000"),
        ("limit=1001", "limit: Input should be 1 to 1000"),
        ("limit=x", "limit: Input should be a valid integer"),
        ("after_id=nobody", "after_id: there is no model 'nobody'"),
        ("after_id=mock-reader&before_id=mock-reader", "after_id and before_id: only one of them can be given"),
    ],
)
def test_a_page_that_cannot_be(http, query, message):
    response = http.get(f"/v1/models?{query}")
    assert (response.status_code, response.json()["error"]["message"]) == (400, message)


def test_a_model_name_chooses_the_persona(client):
    body = {"max_tokens": 100, **numbered()}
    assert client.messages.create(model="mock-uncited", **body).content[0].text == "The grass is green."
    assert client.messages.create(model="any", **body).content[0].text == "The grass is green. [1]"
