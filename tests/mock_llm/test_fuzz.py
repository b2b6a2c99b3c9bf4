"""Whatever is sent, there is an answer or a clear refusal: no exception, no 500."""

import httpx2
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mock_llm

KNOWN = ["model", "max_tokens", "messages", "system", "stop_sequences", "stream", "role", "content", "type", "text",
         "user", "assistant", "tools", "temperature", "metadata", "image"]  # fmt: skip
NUMBERS = st.integers(-3, 2000) | st.floats(allow_nan=False)
LEAVES = st.none() | st.booleans() | NUMBERS | st.sampled_from(KNOWN) | st.text()
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KNOWN) | st.text(), inner)
)
LINES = st.lists(
    st.sampled_from(
        ["Context:", "[1] (source: a.md) tea time", "[2] (source: (b) tea", "Question: tea time?", "Question:", "",
         "[a#1] tea time.", "[x] tea", "```", "~~~", '<source id="a">', "</source>", "<question>", "</question>", "|-|",
         "reply exactly:", '"tea', "Problems with your answer:", "# tea", "- tea 7", "tea 1,999.5 [3", "\r", "\u2028"]
    )
    | st.text(max_size=30),
    max_size=14,
).map("\n".join)  # fmt: skip


@pytest.fixture(scope="module")
def http(mock):
    headers = {"x-api-key": mock.api_key, "anthropic-version": "x"}
    with httpx2.Client(base_url=mock.url, headers=headers) as plain:
        yield plain


@settings(max_examples=300, deadline=None)
@given(body=JSON | st.fixed_dictionaries({"model": JSON, "max_tokens": JSON, "messages": JSON}))
def test_bodies(http, body):
    response = http.post("/v1/messages", content=msgspec.json.encode(body))
    assert response.status_code in (200, 400)
    assert response.headers["request-id"]


@settings(max_examples=100, deadline=None)
@given(st.binary())
def test_bytes(http, raw):
    response = http.post("/v1/messages", content=raw)
    assert response.status_code == 400
    assert response.json()["type"] == "error"


@settings(max_examples=600, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "system"]), LINES), min_size=1, max_size=3),
       st.sampled_from(list(mock_llm.PERSONAS)))  # fmt: skip
def test_prompts(turns, persona):
    messages = [{"role": role, "content": text or "-"} for role, text in turns]
    told = mock_llm.explain(messages, persona)
    whole = mock_llm.reply_to({"model": "any", "max_tokens": 10_000, "messages": messages}, persona)
    assert (
        "".join(block["text"] for block in whole["content"])
        == mock_llm.explain({"model": "any", "max_tokens": 10_000, "messages": messages}, persona).reply
    )
    assert told.form in {*mock_llm.RECOGNISERS, "chat"}
    assert repr(told)
