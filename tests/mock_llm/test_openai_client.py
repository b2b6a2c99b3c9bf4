"""The OpenAI wire through the official client, unmodified. What replies say is a table in tests/conformance."""

import base64
import struct

import httpx2
import openai
import pytest
from openai.types.chat import completion_create_params
from openai.types.responses import response_create_params

import mock_llm
from mock_llm.wires import openai_request, openai_responses

PROMPT = "Context:\n[1] (source: a.md) The tea room opens at 8.\n\nQuestion: When does the tea room open?"
ASKED = {"model": "mock-reader", "messages": [{"role": "user", "content": PROMPT}]}
SAID = "The tea room opens at 8. [1]"
TOOL = {
    "type": "function",
    "function": {
        "name": "open_at",
        "parameters": {
            "type": "object",
            "properties": {"hour": {"type": "integer", "minimum": 8}},
            "required": ["hour"],
        },
    },
}


@pytest.fixture(scope="module")
def client(mock):
    with openai.OpenAI(base_url=f"{mock.url}/v1", api_key=mock.api_key, max_retries=0) as official:
        yield official


@pytest.mark.parametrize(
    "extra",
    [{}, {"stop": ["opens"]}, {"n": 3}, {"tools": [TOOL], "tool_choice": "required"}],
    ids=["plain", "stopped", "three", "tool"],
)
def test_whole_and_streamed_are_the_same(client, extra):
    whole = client.chat.completions.create(**ASKED, **extra)
    with client.chat.completions.stream(**ASKED, **extra, stream_options={"include_usage": True}) as stream:
        streamed = stream.until_done().get_final_completion()
    assert len(whole.choices) == extra.get("n", 1)
    for one, other in zip(whole.choices, streamed.choices, strict=True):
        assert (one.message.content, one.finish_reason, one.index) == (
            other.message.content or None, other.finish_reason, other.index
        )  # fmt: skip
        for call, other_call in zip(one.message.tool_calls or (), other.message.tool_calls or (), strict=True):
            assert (call.id, call.function.name, call.function.arguments) == (
                other_call.id, other_call.function.name, other_call.function.arguments
            )  # fmt: skip
    assert (whole.id, whole.created, whole.model, whole.usage) == (
        streamed.id, streamed.created, streamed.model, streamed.usage
    )  # fmt: skip
    assert whole._request_id.startswith("req_")


def test_a_cut_completion_ends_with_its_last_text(client):
    asked = {**ASKED, "max_completion_tokens": 3}
    whole = client.chat.completions.create(**asked)
    *chunks, usage = client.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True})
    assert (whole.choices[0].message.content, whole.choices[0].finish_reason) == ("The tea room", "length")
    assert "".join(chunk.choices[0].delta.content for chunk in chunks) == "The tea room"
    assert (chunks[-1].choices[0].delta.content, chunks[-1].choices[0].finish_reason) == ("room", "length")
    assert usage.usage == whole.usage and usage.choices == []


def test_a_cut_response_is_incomplete(client):
    asked = {"model": "mock-reader", "input": PROMPT, "max_output_tokens": 3}
    whole = client.responses.create(**asked)
    *_, last = client.responses.create(**asked, stream=True)
    assert (whole.status, whole.incomplete_details.reason, whole.output_text) == (
        "incomplete", "max_output_tokens", "The tea room"
    )  # fmt: skip
    assert last.type == "response.incomplete" and last.response.to_dict() == whole.to_dict()


def test_embeddings_as_floats_and_as_the_client_asks_for_them(client, mock):
    texts = ["The tea room opens at 8.", "When does the tea room open?", "Parking is free."]
    as_base64 = client.embeddings.create(model="text-embedding-3-small", input=texts, dimensions=256)
    as_floats = client.embeddings.create(
        model="text-embedding-3-small", input=texts, dimensions=256, encoding_format="float"
    )
    assert [one.embedding for one in as_base64.data] == [one.embedding for one in as_floats.data]
    assert [len(one.embedding) for one in as_floats.data] == [256] * 3
    sent = httpx2.post(
        f"{mock.url}/v1/embeddings", headers={"authorization": f"Bearer {mock.api_key}"},
        json={"model": "m", "input": texts[0], "dimensions": 256, "encoding_format": "base64"},
    ).json()["data"][0]["embedding"]  # fmt: skip
    assert list(struct.unpack("<256f", base64.b64decode(sent))) == as_floats.data[0].embedding


def test_models_are_listed_in_the_form_of_the_client_that_asks(client, mock):
    import anthropic

    names = {f"mock-{persona}" for persona in mock_llm.PERSONAS}
    listed = client.models.list()
    assert listed.object == "list" and names < {one.id for one in listed}
    assert client.models.retrieve("mock-reader").owned_by == "mock_llm"
    with pytest.raises(openai.NotFoundError, match="'nobody' does not exist") as refusal:
        client.models.retrieve("nobody")
    assert refusal.value.code == "model_not_found"
    with anthropic.Anthropic(base_url=mock.url, api_key=mock.api_key, max_retries=0) as other:
        assert {one.id for one in other.models.list()} == names
        with pytest.raises(anthropic.NotFoundError) as theirs:
            other.models.retrieve("nobody")
    assert theirs.value.body["error"]["type"] == "not_found_error"


def test_a_path_that_is_not_served(client):
    with pytest.raises(openai.NotFoundError):
        client.completions.create(model="m", prompt="x")


@pytest.mark.parametrize(
    ("method", "path", "content", "status", "code"),
    [
        ("POST", "/v1/chat/completions", b"{", 400, None),
        ("POST", "/v1/chat/completions", b"[]", 400, None),
        ("POST", "/v1/responses", b"{}", 400, "missing_required_parameter"),
        ("POST", "/v1/embeddings", b'{"model": "m"}', 400, "missing_required_parameter"),
        ("GET", "/v1/chat/completions", None, 405, None),
        ("POST", "/v1/chat/nowhere", b"{}", 404, None),
        ("POST", "/v1/nowhere", b"{}", 404, None),
    ],
)
def test_error_envelopes(mock, method, path, content, status, code):
    headers = {"authorization": f"Bearer {mock.api_key}"}
    response = httpx2.request(method, f"{mock.url}{path}", headers=headers, content=content)
    error = response.json()["error"]
    assert (response.status_code, error["code"], set(error)) == (status, code, {"message", "type", "param", "code"})
    assert "x-request-id" in response.headers and "request-id" not in response.headers


def test_the_server_scripts_faults_for_this_wire_too(client, mock):
    mock.script([{"status": 429, "retry_after": 3}, {"status": 529}, {"reply": "I am scripted."}])
    with pytest.raises(openai.RateLimitError) as limited:
        client.chat.completions.create(**ASKED)
    assert (limited.value.response.headers["retry-after"], limited.value.code) == ("3", "rate_limit_exceeded")
    with pytest.raises(openai.InternalServerError):
        client.responses.create(model="m", input="hi")
    assert client.chat.completions.create(**ASKED).choices[0].message.content == "I am scripted."
    assert client.chat.completions.create(**ASKED).choices[0].message.content == SAID


@pytest.mark.parametrize(
    ("known", "params"),
    [
        (openai_request.REQUEST_FIELDS, completion_create_params.CompletionCreateParamsStreaming),
        (openai_responses.REQUEST_FIELDS, response_create_params.ResponseCreateParamsStreaming),
    ],
)
def test_every_parameter_of_the_client_is_known(known, params):
    fields = {name for base in params.__mro__ for name in getattr(base, "__annotations__", {})}
    assert fields and fields == known.keys()
