"""Whatever is sent to the OpenAI and the control paths, there is an answer or a clear refusal: no 500, no hang."""

import httpx2
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mock_llm
from mock_llm.examples import example
from mock_llm.wires import anthropic, openai, openai_responses

EXAMPLES = settings.default.max_examples  # of the profile
KNOWN = ["model", "messages", "role", "content", "user", "system", "developer", "tool", "assistant", "type", "text",
         "input", "input_text", "stream", "n", "stop", "tools", "tool_choice", "function", "name", "required", "auto",
         "stream_options", "include_usage", "max_tokens", "dimensions", "encoding_format", "base64",
         "instructions"]  # fmt: skip
LEAVES = (
    st.none() | st.booleans() | st.integers(-3, 2000) | st.floats(allow_nan=False) | st.sampled_from(KNOWN) | st.text()
)
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KNOWN) | st.text(), inner)
)
TURNS = st.lists(st.fixed_dictionaries({"role": st.sampled_from(KNOWN), "content": JSON}), min_size=1, max_size=3)
BODIES = st.fixed_dictionaries(
    {"model": st.just("m")},
    optional={
        "messages": TURNS, "input": TURNS | JSON, "stream": st.booleans(), "n": st.integers(0, 4), "tools": JSON,
        "tool_choice": JSON, "stop": JSON, "max_tokens": st.integers(0, 9), "dimensions": st.integers(0, 40),
        "encoding_format": st.sampled_from(KNOWN), "stream_options": JSON, "instructions": JSON,
    },
)  # fmt: skip
KEYWORDS = ["type", "object", "string", "integer", "array", "properties", "required", "items", "minItems", "anyOf",
            "allOf", "$ref", "#", "#/$defs/a", "$defs", "a", "enum", "const", "minimum", "maxLength",
            "format"]  # fmt: skip
SCHEMAS = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(KEYWORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYWORDS), inner, max_size=5),
)


@pytest.fixture(scope="module")
def http(mock):
    with httpx2.Client(base_url=mock.url, headers={"authorization": f"Bearer {mock.api_key}"}) as plain:
        yield plain


@settings(max_examples=max(150, EXAMPLES))
@given(body=BODIES | JSON, path=st.sampled_from(["chat/completions", "responses", "embeddings"]))
def test_bodies(http, body, path):
    response = http.post(f"/v1/{path}", content=msgspec.json.encode(body))
    assert response.status_code in (200, 400)
    assert response.headers["x-request-id"]
    if response.status_code == 400:
        assert response.json()["error"]["message"]


@given(steps=JSON | st.lists(st.dictionaries(st.sampled_from(["status", "reply", "malformed", "latency_ms"]), LEAVES)))
def test_scripts(http, steps):
    assert http.post("/_mock/script", content=msgspec.json.encode(steps)).status_code in (200, 400)
    assert http.post("/_mock/script", content=b"[]").json() == {"steps": 0}


@given(st.dictionaries(st.sampled_from(KEYWORDS), SCHEMAS))
def test_replies_that_must_fit(schema):
    form = {"type": "json_schema", "name": "s", "schema": schema}
    hi = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    bodies = {
        anthropic: {**hi, "max_tokens": 9, "output_config": {"format": {"type": "json_schema", "schema": schema}}},
        openai: {**hi, "response_format": {"type": "json_schema", "json_schema": {"name": "s", "schema": schema}}},
        openai_responses: {"model": "m", "input": "hi", "text": {"format": form}},
    }
    outcomes = set()
    for wire, body in bodies.items():
        try:
            wire.serve(msgspec.json.encode(body), "reader")
            outcomes.add("")
        except mock_llm.RequestError as refusal:
            outcomes.add(str(refusal).removeprefix(f"{refusal.param}: "))
    assert len(outcomes) == 1


@settings(max_examples=max(150, EXAMPLES))
@given(SCHEMAS)
def test_schemas(schema):
    try:
        msgspec.json.encode(example(schema))
    except mock_llm.RequestError as refusal:
        assert str(refusal).startswith("tools: ")
