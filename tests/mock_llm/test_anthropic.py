"""The Messages API without a socket: every field is checked, and bytes repeat."""

import os
import subprocess
import sys

import msgspec
import pytest

import mock_llm
from mock_llm.wires.anthropic import events, serve
from mock_llm.wires.anthropic_request import decoded
from mock_llm.wires.sse import pieces

GOOD = {"model": "mock-reader", "max_tokens": 100, "messages": [{"role": "user", "content": "hi"}]}
EMPTY = "all messages must have non-empty content except for the optional final assistant message"
TEXT = {"type": "text", "text": "hi"}


def said(content, role="user"):
    return {"messages": [{"role": role, "content": content}]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": None}, "model: Input should be a valid string"),
        ({"model": ""}, "model: String should have at least 1 character"),
        ({"max_tokens": "5"}, "max_tokens: Input should be a valid integer"),
        ({"max_tokens": True}, "max_tokens: Input should be a valid integer"),
        ({"max_tokens": 1.5}, "max_tokens: Input should be a valid integer"),
        ({"max_tokens": -1}, "max_tokens: Input should be greater than or equal to 0"),
        ({"messages": []}, "messages: at least one message is required"),
        ({"messages": "hi"}, "messages: Input should be a valid list"),
        ({"messages": ["hi"]}, "messages.0: Input should be a valid dictionary"),
        ({"messages": [{"content": "x"}]}, "messages.0.role: Field required"),
        ({"messages": [{"role": "user"}]}, "messages.0.content: Field required"),
        ({"messages": [{"role": "user", "content": "x", "name": "y"}]},
         "messages.0.name: Extra inputs are not permitted"),
        (said("x", "tool"), "messages.0.role: Input should be 'user', 'assistant' or 'system'"),
        (said("x", ["user"]), "messages.0.role: Input should be 'user', 'assistant' or 'system'"),
        (said(5), "messages.0.content: Input should be a valid list"),
        (said(""), f"messages.0: {EMPTY}"),
        (said([]), f"messages.0: {EMPTY}"),
        (said([{"text": "x"}]), "messages.0.content.0.type: Field required"),
        (said([{"type": "text"}]), "messages.0.content.0.text.text: Field required"),
        (said([{**TEXT, "x": 1}]), "messages.0.content.0.text.x: Extra inputs are not permitted"),
        (said([{"type": "text", "text": ""}]), "messages: text content blocks must be non-empty"),
        (said([{"type": "banana"}]), "messages.0.content.0.type: Input should be 'text', not 'banana'"),
        (said([{"type": ["text"]}]), "messages.0.content.0.type: Input should be a valid string"),
        (said([TEXT, {"type": "image", "source": {}}]),
         "messages.0.content.1: this mock serves text blocks only, not 'image': send the text itself"),
        ({"system": 5}, "system: Input should be a valid list"),
        ({"system": [{"type": "text", "text": ""}]}, "system: text content blocks must be non-empty"),
        ({"stream": "yes"}, "stream: Input should be a valid boolean"),
        ({"stream": None}, "stream: Input should be a valid boolean"),
        ({"stop_sequences": "x"}, "stop_sequences: Input should be a valid list"),
        ({"stop_sequences": [1]}, "stop_sequences.0: Input should be a valid string"),
        ({"stop_sequences": ["a", "\n"]}, "stop_sequences: each stop sequence must contain non-whitespace"),
        ({"temperature": 2}, "temperature: range: 0..1"),
        ({"top_k": -1}, "top_k: Input should be greater than or equal to 0"),
        ({"tools": {}}, "tools: Input should be a valid list"),
        ({"tool_choice": {"type": "any"}}, "tool_choice: this mock calls no tools: use 'auto' or 'none'"),
        ({"service_tier": "x"}, "service_tier: Input should be 'auto' or 'standard_only'"),
        ({"prompt": "x"}, "prompt: Extra inputs are not permitted"),
    ],
)  # fmt: skip
def test_a_bad_field_is_named_with_its_reason(change, message):
    with pytest.raises(mock_llm.RequestError) as refusal:
        mock_llm.reply_to({**GOOD, **change})
    assert (str(refusal.value), refusal.value.status) == (message, 400)


@pytest.mark.parametrize("field", ["model", "max_tokens", "messages"])
def test_a_missing_field_is_named(field):
    with pytest.raises(mock_llm.RequestError, match=f"^{field}: Field required$"):
        mock_llm.reply_to({name: value for name, value in GOOD.items() if name != field})


@pytest.mark.parametrize(
    "change",
    [
        {"temperature": 0.2, "top_p": 1, "top_k": 40},
        {"system": "", "stop_sequences": None, "stream": False, "metadata": {"user_id": "u"}},
        {"tools": [{"name": "t", "input_schema": {}}], "tool_choice": {"type": "auto"}},
        {"thinking": {"type": "disabled"}, "service_tier": "auto", "container": None},
        {"system": [{**TEXT, "cache_control": {"type": "ephemeral"}}]},
        {"messages": [*GOOD["messages"], {"role": "assistant", "content": ""}]},
        {"messages": [{"role": "system", "content": [TEXT]}, {"role": "user", "content": [TEXT]}]},
    ],
)
def test_what_the_service_accepts_is_accepted(change):
    assert mock_llm.reply_to({**GOOD, **change})["stop_reason"] == "end_turn"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "not valid JSON"),
        (b"{", "not valid JSON"),
        (b"\xff", "not valid JSON"),
        (b'"\\ud800"', "not valid JSON"),
        (b"1e999", "not valid JSON"),
        (b"[]", "not a JSON object"),
        (b"null", "not a JSON object"),
        (b"[" * 10_000, "nested too deeply"),
        (b'{"a":' * 10_000, "nested too deeply"),
    ],
)
def test_a_body_that_is_no_object(raw, message):
    with pytest.raises(mock_llm.RequestError, match=message):
        decoded(raw)


@pytest.mark.parametrize("value", ["\ud800", object(), {1: 2}])
def test_reply_to_refuses_what_is_no_json(value):
    with pytest.raises(mock_llm.RequestError):
        mock_llm.reply_to({**GOOD, "metadata": {"x": value}, "model": 1})


def test_the_events_join_to_the_whole_message(prompts):
    messages = prompts.numbered("When does the tea room open?", "The tea room  opens at 8.")
    whole = mock_llm.reply_to({**GOOD, "messages": messages})
    sent = [part.split(b"\n") for part in b"".join(events(whole)).split(b"\n\n")[:-1]]
    data = [msgspec.json.decode(line.removeprefix(b"data: ")) for _, line in sent]
    assert [name for name, _ in sent] == [b"event: " + one["type"].encode() for one in data]
    deltas = [one for one in data if one["type"] == "content_block_delta"]
    assert [one["type"] for one in data] == [
        "message_start", "content_block_start", *["content_block_delta"] * len(deltas), "content_block_stop",
        "message_delta", "message_stop",
    ]  # fmt: skip
    assert "".join(one["delta"]["text"] for one in deltas) == whole["content"][0]["text"]
    assert len(deltas) == len(whole["content"][0]["text"].split())
    start, end = data[0]["message"]["usage"], data[-2]["usage"]
    assert start["input_tokens"] == end["input_tokens"] == whole["usage"]["input_tokens"]
    assert end["output_tokens"] == whole["usage"]["output_tokens"]
    assert data[-2]["delta"] == {"stop_reason": "end_turn", "stop_sequence": None}
    assert (data[0]["message"]["content"], data[0]["message"]["stop_reason"]) == ([], None)


@pytest.mark.parametrize("text", ["", " ", "one", " one  two\n\nthree ", "\n\n```\na\n```"])
def test_pieces_join_to_the_text(text):
    assert "".join(pieces(text)) == text


def test_whole_and_streamed_are_one_message():
    whole, streamed = (serve(msgspec.json.encode({**GOOD, "stream": stream}), "reader") for stream in (False, True))
    assert whole.message == streamed.message
    assert (whole.request.stream, streamed.request.stream) == (False, True)
    assert mock_llm.reply_to(dict(reversed(GOOD.items()))) == whole.message
    assert mock_llm.reply_to({**GOOD, "max_tokens": 99})["id"] != whole.message["id"]


def test_bytes_repeat_across_processes_and_hash_seeds(prompts):
    messages = prompts.bracketed("When does the tea room open?", **{"a.md#0": "The tea room opens at 8."})
    code = (
        "import msgspec, mock_llm; from mock_llm.wires.anthropic import events\n"
        f"message = mock_llm.reply_to({messages!r})\n"
        f"print(msgspec.json.encode(message), b''.join(events(message)), mock_llm.explain({messages!r}))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1", "4242")
    ]
    assert b"[a.md#0]" in runs[0]
    assert len(set(runs)) == 1
