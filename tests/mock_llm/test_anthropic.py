"""The Messages API without a socket: every field is checked, and bytes repeat."""

import os
import subprocess
import sys
from typing import get_args, get_type_hints

import msgspec
import pytest
from anthropic.types.beta import BetaToolUnionParam

import mock_llm
from mock_llm.wires.anthropic import count_tokens, events, serve
from mock_llm.wires.anthropic_tools import SERVICE_TOOLS
from mock_llm.wires.bodies import decoded
from mock_llm.wires.sse import pieces

GOOD = {"model": "mock-reader", "max_tokens": 100, "messages": [{"role": "user", "content": "hi"}]}
EMPTY = "all messages must have non-empty content except for the optional final assistant message"
BLANK = "text content blocks must contain non-whitespace text"
TEXT = {"type": "text", "text": "hi"}

SOURCE = {"type": "text", "media_type": "text/plain", "data": "x"}
DOCUMENT = {"type": "document", "source": SOURCE}
RESULT = {"type": "search_result", "source": "u", "title": "t", "content": [TEXT]}
CALL = {"type": "tool_use", "id": "t1", "name": "look", "input": {}}
BACK = {"type": "tool_result", "tool_use_id": "t1", "content": "x"}
TOOL = {"name": "look", "input_schema": {"type": "object"}}
PLAIN = "this mock reads plain text only: send the document's text in a source of type 'text' or 'content'"
FITTING = {"format": {"type": "json_schema", "schema": {"properties": {"n": {"minimum": 2, "type": "integer"}},
                                                        "required": ["n"]}}}  # fmt: skip
ON = {"citations": {"enabled": True}}


def said(content, role="user"):
    return {"messages": [{"role": role, "content": content}]}


def talk(*contents):
    roles = ("user", "assistant") * len(contents)
    return {"messages": [{"role": role, "content": one} for role, one in zip(roles, contents, strict=False)]}


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
        (said([{"type": "text", "text": " \n\t"}]), f"messages: {BLANK}"),
        (said([TEXT, {"type": "text", "text": "\u3000"}]), f"messages: {BLANK}"),
        (said(" \n"), f"messages: {BLANK}"),
        ({"system": [{"type": "text", "text": " "}]}, f"system: {BLANK}"),
        (talk("hi", [{"type": "text", "text": " "}], "go on"), f"messages: {BLANK}"),
        ({"container": 5}, "container: Input should be a valid dictionary"),
        ({"container": ["c"]}, "container: Input should be a valid dictionary"),
        ({"container": {"name": "c"}}, "container.name: Extra inputs are not permitted"),
        ({"container": {"id": 5}}, "container.id: Input should be a valid string"),
        ({"container": {"skills": [{"type": "own", "skill_id": "s"}]}},
         "container.skills.0.type: Input should be 'anthropic' or 'custom'"),
        ({"container": {"skills": [{"type": "custom"}]}}, "container.skills.0.skill_id: Field required"),
        ({"tools": [{"type": "web_search_20250305"}]}, "tools.0.web_search_20250305.name: Field required"),
        ({"tools": [{"type": "web_search_20250305", "name": "search"}]},
         "tools.0.web_search_20250305.name: Input should be 'web_search'"),
        ({"tools": [{**TOOL, "input_schema": {"type": "object", "properties": {"a": {"minimum": "3"}}}}]},
         "tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12: '3' is not "
         "of type 'number' in 'properties.a.minimum'"),
        ({"tools": [{**TOOL, "input_schema": {"type": "object", "required": ["a"], "properties": {"a": False}}}],
          "tool_choice": {"type": "any"}},
         "tools: no small value fits the schema: it contradicts itself, or asks for too much (at 'a')"),
        (said([{"type": "banana"}]), "messages.0.content.0.type: Input should be 'text', 'document', 'search_result', "
         "'tool_result' or 'image', not 'banana'"),
        (said([{"type": "tool_use"}]), "messages.0.content.0.type: Input should be 'text', 'document', "
         "'search_result', 'tool_result' or 'image', not 'tool_use'"),
        (said([{"type": ["text"]}]), "messages.0.content.0.type: Input should be a valid string"),
        (said([TEXT, {"type": "image", "source": {}}]),
         "messages.0.content.1: this mock sees no images: send what they show as a text block"),
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
        ({"tools": [{}]}, "tools.0.custom.name: Field required"),
        ({"tools": [{**TOOL, "name": "a b"}]},
         "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"),
        ({"tools": [{"name": "t"}]}, "tools.0.custom.input_schema: Field required"),
        ({"tools": [{**TOOL, "input_schema": {"type": "array"}}]},
         "tools.0.custom.input_schema.type: Input should be 'object'"),
        ({"tools": [{**TOOL, "x": 1}]}, "tools.0.custom.x: Extra inputs are not permitted"),
        ({"tools": [TOOL, TOOL]}, "tools: Tool names must be unique."),
        ({"tool_choice": {"type": "any"}}, "tool_choice: may only be specified while providing tools"),
        ({"tools": [TOOL], "tool_choice": {"type": "tool", "name": "x"}},
         "tool_choice: Tool 'x' not found in provided tools"),
        ({"tools": [TOOL], "tool_choice": {"type": "tool"}}, "tool_choice.tool.name: Field required"),
        ({"tool_choice": {"type": "all"}},
         "tool_choice.type: Input should be 'auto', 'any', 'tool' or 'none', not 'all'"),
        ({"tool_choice": {}}, "tool_choice.type: Field required"),
        ({"tools": [TOOL], "tool_choice": {"type": "any"}, "thinking": {"type": "enabled", "budget_tokens": 1024},
          "max_tokens": 2000}, "thinking: may not be enabled when tool_choice forces tool use"),
        ({"thinking": {"type": "enabled"}}, "thinking.enabled.budget_tokens: Field required"),
        ({"thinking": {"type": "enabled", "budget_tokens": 9}},
         "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"),
        ({"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 1024},
         "max_tokens: must be greater than thinking.budget_tokens"),
        ({"output_config": {"effort": "x"}},
         "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'"),
        ({"output_config": {"format": {"type": "json_schema"}}},
         "output_config.format.json_schema.schema: Field required"),
        ({"output_config": {"format": {"type": "xml"}}},
         "output_config.format.type: Input should be 'json_schema', not 'xml'"),
        ({"output_config": FITTING, **said([{**DOCUMENT, **ON}, TEXT])},
         "output_config.format: citations cannot be enabled together with it"),
        ({"output_config": {"format": {"type": "json_schema", "schema": {"$ref": "#"}}}},
         "output_config.format.schema: the schema nests too deeply or never ends"),
        ({"output_config": {"format": {"type": "json_schema", "schema": {"$ref": "#/x"}}}},
         "output_config.format.schema: the schema names '#/x', which it does not define"),
        ({"metadata": {"user_id": 1}}, "metadata.user_id: Input should be a valid string"),
        ({"cache_control": {"type": "x"}}, "cache_control.type: Input should be 'ephemeral', not 'x'"),
        (said([{**TEXT, "cache_control": {"type": "ephemeral", "ttl": "9h"}}]),
         "messages.0.content.0.text.cache_control.ephemeral.ttl: Input should be '5m' or '1h'"),
        (said([{"type": "document"}]), "messages.0.content.0.document.source: Field required"),
        (said([{**DOCUMENT, "title": 5}]), "messages.0.content.0.document.title: Input should be a valid string"),
        (said([{**DOCUMENT, "citations": {"enabled": 1}}]),
         "messages.0.content.0.document.citations.enabled: Input should be a valid boolean"),
        (said([{**DOCUMENT, "source": {**SOURCE, "media_type": "text/html"}}]),
         "messages.0.content.0.document.source.text.media_type: Input should be 'text/plain'"),
        (said([{**DOCUMENT, "source": {"type": "text", "data": "x"}}]),
         "messages.0.content.0.document.source.text.media_type: Field required"),
        (said([{**DOCUMENT, "source": {"type": "base64", "media_type": "application/pdf", "data": "x"}}]),
         f"messages.0.content.0.document.source: {PLAIN}"),
        (said([{**DOCUMENT, "source": {"type": "url", "url": "https://a.example"}}]),
         f"messages.0.content.0.document.source: {PLAIN}"),
        (said([{**DOCUMENT, "source": {"type": "file", "file_id": "f"}}]),
         f"messages.0.content.0.document.source: {PLAIN}"),
        (said([{**DOCUMENT, "source": {"type": "content", "content": [{"type": "image", "source": {}}]}}]),
         "messages.0.content.0.document.source.content.content.0: this mock sees no images: send what they show as a "
         "text block"),
        (said([{**DOCUMENT, **ON}, DOCUMENT, TEXT]),
         "messages: citations must be enabled on all documents or on none of them"),
        (said([{**RESULT, **ON}, DOCUMENT, TEXT]),
         "messages: citations must be enabled on all documents or on none of them"),
        (said([{**RESULT, "content": []}]),
         "messages.0.content.0.search_result.content: at least one block is required"),
        (said([{**RESULT, "content": [DOCUMENT]}]),
         "messages.0.content.0.search_result.content.0.type: Input should be 'text', not 'document'"),
        (said([{"type": "search_result", "source": "u", "content": [TEXT]}]),
         "messages.0.content.0.search_result.title: Field required"),
        (said([DOCUMENT], "system"), "messages.0.content.0.type: Input should be 'text', not 'document'"),
        (talk("hi", "Sure: "), "messages: final assistant content cannot end with trailing whitespace"),
        (talk("hi", [{"type": "text", "text": "Sure\n"}]),
         "messages: final assistant content cannot end with trailing whitespace"),
        (talk("hi", [CALL]),
         "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1. Each `tool_use` "
         "block must have a corresponding `tool_result` block in the next message."),
        (talk("hi", [CALL], "no"),
         "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1. Each `tool_use` "
         "block must have a corresponding `tool_result` block in the next message."),
        (said([BACK]),
         "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t1. Each `tool_result` block "
         "must have a corresponding `tool_use` block in the previous message."),
        (talk("hi", [CALL], [{"type": "tool_result"}]),
         "messages.2.content.0.tool_result.tool_use_id: Field required"),
        (talk("hi", [{"type": "thinking", "thinking": "x"}]),
         "messages.1.content.0.thinking.signature: Field required"),
        ({"service_tier": "x"}, "service_tier: Input should be 'auto' or 'standard_only'"),
        ({"prompt": "x"}, "prompt: Extra inputs are not permitted"),
    ],
)  # fmt: skip
def test_a_bad_field_is_named_with_its_reason(change, message):
    with pytest.raises(mock_llm.RequestError) as refusal:
        mock_llm.reply_to({**GOOD, **change})
    assert (str(refusal.value), refusal.value.status) == (message, 400)


@pytest.mark.parametrize("kind", ["banana", "web_search", "bash_20990101", "function", ""])
def test_an_unknown_type_of_tool_is_refused(kind):
    with pytest.raises(mock_llm.RequestError) as refusal:
        mock_llm.reply_to({**GOOD, "tools": [TOOL, {"type": kind, "name": "x"}]})
    told = f"tools.1: Input tag {kind!r} found using 'type' does not match any of the expected tags: 'custom', "
    assert str(refusal.value).startswith(told) and refusal.value.status == 400


def test_the_tools_of_the_service_are_those_of_its_client():
    told = {}
    for tool in get_args(BetaToolUnionParam):
        hints = get_type_hints(tool)
        names = get_args(hints.get("name"))
        told |= {kind: names[0] if names else "" for kind in get_args(hints["type"]) if isinstance(kind, str)}
    assert told == SERVICE_TOOLS


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
        {"container": "container_1"},
        {"container": {"id": None, "skills": [{"type": "anthropic", "skill_id": "pdf", "version": "latest"}]}},
        {"tools": [{"type": "mcp_toolset"}, {"type": "browser_toolset_20260801"}, {**TOOL, "type": "custom"}]},
        said([{**RESULT, "content": [{"type": "text", "text": " "}]}, TEXT]),
        {"system": [{**TEXT, "cache_control": {"type": "ephemeral"}}]},
        {"messages": [*GOOD["messages"], {"role": "assistant", "content": ""}]},
        {"messages": [{"role": "system", "content": [TEXT]}, {"role": "user", "content": [TEXT]}]},
        {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 1025},
        {"thinking": {"type": "adaptive", "display": None}, "output_config": {"effort": "high"}},
        {"tools": [{"type": "web_search_20250305", "name": "web_search"}, TOOL], "tool_choice": {"type": "none"}},
        {"cache_control": {"type": "ephemeral", "ttl": "1h"}, "metadata": {"user_id": None}},
        said([{**DOCUMENT, "title": None, "context": None, "citations": None}, RESULT, TEXT]),
        said([{**DOCUMENT, **ON}, {**RESULT, **ON}, TEXT]),
        talk("hi", [{"type": "thinking", "thinking": "x", "signature": "y"}, TEXT, CALL], [BACK, TEXT]),
        talk("hi", [CALL], [{**BACK, "content": [TEXT, RESULT], "is_error": False}], [TEXT], "go on"),
        talk("hi", [{"type": "redacted_thinking", "data": "x"}, {**TEXT, "citations": []}], "go on"),
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


FORCED = {"tools": [TOOL, {"name": "book", "input_schema": {
    "type": "object", "required": ["city", "days"],
    "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 3}, "note": {"type": "string"}},
}}]}  # fmt: skip


@pytest.mark.parametrize(
    ("choice", "name", "given"),
    [
        ({"type": "any"}, "look", {}),
        ({"type": "tool", "name": "book"}, "book", {"city": "city", "days": 3}),
    ],
)
def test_a_forced_tool_is_called(choice, name, given):
    message = mock_llm.reply_to({**GOOD, **FORCED, "tool_choice": choice})
    (block,) = message["content"]
    assert (block["type"], block["name"], block["input"]) == ("tool_use", name, given)
    assert block["id"].startswith("toolu_") and message["stop_reason"] == "tool_use"
    assert message["usage"]["output_tokens"] == -(-len(msgspec.json.encode(given)) // 4)


@pytest.mark.parametrize("choice", [{}, {"tool_choice": {"type": "auto"}}, {"tool_choice": {"type": "none"}}])
def test_a_tool_that_is_not_forced_is_not_called(choice):
    message = mock_llm.reply_to({**GOOD, **FORCED, **choice})
    assert ([block["type"] for block in message["content"]], message["stop_reason"]) == (["text"], "end_turn")


def test_a_call_that_does_not_fit_is_not_sent():
    body = {**GOOD, **FORCED, "tool_choice": {"type": "tool", "name": "book"}, "max_tokens": 5}
    message = mock_llm.reply_to(body)
    assert (message["content"], message["stop_reason"]) == ([], "max_tokens")
    assert message["usage"]["output_tokens"] == 0


@pytest.mark.parametrize(
    ("change", "text", "reason"),
    [
        ({}, '{"n":2}', "end_turn"),
        ({"max_tokens": 1}, '{"n"', "max_tokens"),
        ({"stop_sequences": ["2"]}, '{"n":', "stop_sequence"),
        ({"model": "mock-chatty"}, '{"n":2}', "end_turn"),
        (talk("hi", '{"n'), '":2}', "end_turn"),
        ({"output_config": {"format": None, "effort": "low"}, **said("hi")}, None, "end_turn"),
        ({"tools": [TOOL], "tool_choice": {"type": "any"}}, None, "tool_use"),
    ],
)
def test_a_reply_that_must_fit_a_schema_is_an_example_of_it(change, text, reason):
    message = mock_llm.reply_to({**GOOD, "output_config": FITTING, **change})
    assert message["stop_reason"] == reason
    said = "".join(block.get("text", "") for block in message["content"])
    assert said == text if text else not said.startswith("{")
    assert message["usage"]["output_tokens"] == -(-len(said or "{}") // 4)


def test_an_explanation_says_what_was_forced():
    assert "fit a schema" in mock_llm.explain({**GOOD, "output_config": FITTING}).why
    assert "tool look must be called" in mock_llm.explain({**GOOD, "tools": [TOOL], "tool_choice": {"type": "any"}}).why


@pytest.mark.parametrize(
    ("prefill", "rest"),
    [
        ("Tea time", " is at five. [1]"),
        ("Tea time is at five. [1]", ""),
        ("Sure:", " Tea time is at five. [1]"),
        ("", "Tea time is at five. [1]"),
    ],
)
def test_a_prefill_is_continued(prompts, prefill, rest):
    messages = [
        *prompts.numbered("When is tea time?", "Tea time is at five."),
        {"role": "assistant", "content": prefill},
    ]
    message = mock_llm.reply_to({**GOOD, "messages": messages})
    assert "".join(block["text"] for block in message["content"]) == rest
    assert message["usage"]["output_tokens"] == -(-len(rest) // 4)


def test_tokens_are_counted_before_they_are_spent(prompts):
    system, user = prompts.numbered("When is tea time?", "Tea time is at five.")
    for more in ({}, {"tools": FORCED["tools"]}, {"system": system["content"]}):
        body = {"model": "m", "messages": [user], **more}
        counted = count_tokens(msgspec.json.encode(body))[1]
        whole = mock_llm.reply_to({**body, "max_tokens": 9})
        assert counted == {"input_tokens": whole["usage"]["input_tokens"]}
    with pytest.raises(mock_llm.RequestError, match="max_tokens: Extra inputs are not permitted"):
        count_tokens(msgspec.json.encode(GOOD))
    with pytest.raises(mock_llm.RequestError, match="messages: Field required"):
        count_tokens(b'{"model": "m"}')


@pytest.mark.parametrize(
    ("limit", "reason"), [(0, "max_tokens"), (3, "max_tokens"), (9, "max_tokens"), (99, "end_turn")]
)
def test_a_limit_cuts_through_the_blocks(limit, reason):
    source = {**SOURCE, "data": "Tea time is at five. A room of rooms is free."}
    document = {**DOCUMENT, **ON, "source": source}
    question = {"type": "text", "text": "When is tea time? Which room of the rooms is free?"}
    whole = "Tea time is at five. A room of rooms is free."
    message = mock_llm.reply_to({**GOOD, **said([document, question]), "max_tokens": limit})
    text = "".join(block["text"] for block in message["content"])
    assert (text, message["stop_reason"]) == (whole[: limit * 4], reason)
    assert message["usage"]["output_tokens"] == min(limit, -(-len(whole) // 4))
    assert all(block["text"] and block["citations"] for block in message["content"])


def test_a_stop_sequence_may_span_two_blocks():
    source = {**SOURCE, "data": "Tea time is at five. A room of rooms is free."}
    question = {"type": "text", "text": "When is tea time? Which room of the rooms is free?"}
    body = {**GOOD, **said([{**DOCUMENT, **ON, "source": source}, question]), "stop_sequences": ["five. A"]}
    message = mock_llm.reply_to(body)
    assert [block["text"] for block in message["content"]] == ["Tea time is at "]
    assert (message["stop_reason"], message["stop_sequence"]) == ("stop_sequence", "five. A")


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
