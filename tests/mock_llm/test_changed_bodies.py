"""Good bodies with a thing or two changed: each is answered, or refused as a bad request, on every endpoint."""

import copy

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mock_llm
from mock_llm.endpoints import ENDPOINTS

SCHEMA = {
    "type": "object",
    "required": ["a", "b"],
    "properties": {
        "a": {"type": "string", "pattern": "^ax+$", "minLength": 2, "maxLength": 9},
        "b": {"type": "array", "items": {"$ref": "#/$defs/d"}, "minItems": 2, "uniqueItems": True,
              "contains": {"const": 3}, "prefixItems": [{"enum": [1, "q"]}]},
        "c": {"anyOf": [{"type": "integer", "multipleOf": 3, "minimum": 4}, {"type": "null"}]},
    },
    "$defs": {"d": {"oneOf": [{"type": "integer"}, {"type": "string", "format": "email"}], "not": {"const": 0}}},
    "additionalProperties": {"if": {"type": "string"}, "then": {"maxLength": 3}},
    "patternProperties": {"^z": {}},
    "dependentRequired": {"a": ["e"]},
    "propertyNames": {"maxLength": 5},
    "minProperties": 4,
}  # fmt: skip
PROMPT = "Context:\n[1] (source: a.md) Tea is at 8.\n\nQuestion: When is tea?"
ON = {"citations": {"enabled": True}}
SOURCE = {"type": "text", "media_type": "text/plain", "data": "Tea is at 8."}
ANTHROPIC = {
    "model": "m",
    "messages": [
        {"role": "user", "content": [
            {"type": "document", "source": SOURCE, "title": "t", "cache_control": {"type": "ephemeral"}, **ON},
            {"type": "search_result", "source": "u", "title": "t", "content": [{"type": "text", "text": "x"}], **ON},
            {"type": "text", "text": PROMPT}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "t", "input": {"a": 1}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "x"},
                                     {"type": "text", "text": "hi"}]},
    ],
    "system": [{"type": "text", "text": "reply exactly: 'NO'"}],
    "tools": [{"name": "t", "input_schema": SCHEMA}, {"type": "bash_20250124", "name": "bash"}],
    "tool_choice": {"type": "tool", "name": "t"},
}  # fmt: skip
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
OPENAI = {
    "model": "m",
    "messages": [
        {"role": "developer", "content": "x"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "8"},
        {"role": "user", "content": [{"type": "text", "text": PROMPT}], "name": "n"},
    ],
    "n": 2,
    "stop": ["zz"],
    "logit_bias": {"1": 5},
    "logprobs": True,
    "top_logprobs": 3,
    "seed": 4,
    "metadata": {"k": "v"},
    "stream": True,
    "stream_options": {"include_usage": True},
}
TOOL = {"type": "function", "function": {"name": "f", "parameters": SCHEMA}}
FORM = {"name": "s", "schema": SCHEMA}
# To add one, add a line: the path and a body that is answered.
BODIES = [
    ("/v1/messages", {**ANTHROPIC, "max_tokens": 2000, "stop_sequences": ["zz"], "metadata": {"user_id": "u"},
                      "container": {"id": "c", "skills": [{"type": "custom", "skill_id": "s"}]}}),
    ("/v1/messages/count_tokens", ANTHROPIC),
    ("/v1/chat/completions", {**OPENAI, "tools": [TOOL], "tool_choice": "required"}),
    ("/v1/chat/completions", {**OPENAI, "response_format": {"type": "json_schema", "json_schema": FORM}}),
    ("/v1/responses", {"model": "m", "input": [{"role": "user", "content": [{"type": "input_text", "text": PROMPT}]}],
                       "text": {"format": {"type": "json_schema", **FORM}}, "reasoning": {"effort": "low"}}),
    ("/v1/embeddings", {"model": "m", "input": ["a", "b"], "dimensions": 8, "encoding_format": "float"}),
]  # fmt: skip
VALUES = st.sampled_from(
    [None, True, False, 0, 1, -1, 1.5, 2.0, 0.1, 1e308, -1e308, 2**63, "", "x", " ", "😀", "a" * 5000, "^(a+)+$", "(",
     "a$b", "[z", "\\p{L}", "\x00", [], [1], ["a"], [[]], {}, {"a": {}}, {"type": "text"}, {"type": "object"},
     {"$ref": "#"}, {"type": ["string"]}, {"type": "string", "pattern": "^(a|b){999}$", "minLength": 500}]
)  # fmt: skip
NAMES = st.sampled_from(["type", "x", "minimum", "enum", "allOf", "text", "minLength", "content"])


def places(value, path=()):
    """The paths of all that is in a value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        yield (*path, key)
        yield from places(inner, (*path, key))


@st.composite
def changed(draw):
    path, body = draw(st.sampled_from(BODIES))
    body = copy.deepcopy(body)
    for _ in range(draw(st.integers(1, 3))):
        *above, last = draw(st.sampled_from([*places(body)] or [("model",)]))
        node = body
        for key in above:
            node = node[key]
        change = draw(st.sampled_from(["other", "more", "gone"]))
        if change == "gone":
            node.pop(last, None) if isinstance(node, dict) else node.pop(last)
        else:
            node[draw(NAMES) if change == "more" and isinstance(node, dict) else last] = copy.deepcopy(draw(VALUES))
    return path, body


def answered(path, body):
    answer = ENDPOINTS[path].answer(msgspec.json.encode(body), "reader", None)
    return msgspec.json.encode(answer.body), list(answer.events or ())


@pytest.mark.parametrize(("path", "body"), BODIES)
def test_the_bodies_are_good(path, body):
    assert answered(path, body)[0]


@settings(max_examples=5 * settings.default.max_examples)
@given(changed())
def test_a_changed_body_is_answered_or_refused(one):
    path, body = one
    try:
        answered(path, body)
    except mock_llm.RequestError as refusal:
        assert refusal.status == 400
        assert msgspec.json.encode(ENDPOINTS[path].wire.error_body(refusal, "r"))
