"""The OpenAI wire without a socket: every field is checked, chunks join to the whole, bytes repeat."""

import os
import subprocess
import sys

import msgspec
import pytest

import mock_llm
from mock_llm.wires import openai, openai_responses

PROMPT = "Context:\n[1] (source: a.md) The tea room opens at 8.\n\nQuestion: When does the tea room open?"
GOOD = {"model": "mock-reader", "messages": [{"role": "user", "content": PROMPT}]}
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
OTHER = {"type": "function", "function": {"name": "close"}}
TEXT = {"type": "text", "text": "hi"}
CALL = {"id": "c1", "type": "function", "function": {"name": "open_at", "arguments": "{}"}}
BACK = {"role": "tool", "tool_call_id": "c1", "content": "8"}
ALLOWED = {
    "type": "allowed_tools",
    "allowed_tools": {"mode": "required", "tools": [{"type": "function", "function": {"name": "open_at"}}]},
}


def served(**change):
    return openai.serve(msgspec.json.encode({**GOOD, **change}), "reader")


def answered(**change):
    return openai_responses.serve(msgspec.json.encode({"model": "m", "input": PROMPT, **change}), "reader")


def said(content, role="user", **fields):
    return {"messages": [{"role": role, "content": content, **fields}]}


def talk(*messages):
    return {"messages": [*GOOD["messages"], *messages]}


def called(*calls):
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def formatted(schema, name="s"):
    return {"response_format": {"type": "json_schema", "json_schema": {"name": name, "schema": schema}}}


NAME = "String should match pattern '^[a-zA-Z0-9_-]{1,64}$'"


def refused(call, **change):
    with pytest.raises(mock_llm.RequestError) as refusal:
        call(**change)
    assert refusal.value.status == 400
    return openai.error_body(refusal.value, "")["error"]


@pytest.mark.parametrize(
    ("change", "param", "message"),
    [
        ({"model": None}, "model", "'model': Input should be a valid string."),
        ({"model": ""}, "model", "'model': String should have at least 1 character."),
        ({"messages": []}, "messages", "'messages': at least one message is required."),
        ({"messages": ["hi"]}, "messages[0]", "'messages[0]': Input should be a valid dictionary."),
        ({"messages": [{"content": "x"}]}, "messages[0].role", "Missing required parameter: 'messages[0].role'."),
        ({"messages": [{"role": "user"}]}, "messages[0].content", "Missing required parameter: 'messages[0].content'."),
        ({"messages": [{"role": "assistant"}]}, "messages[0].content",
         "Missing required parameter: 'messages[0].content'."),
        ({"messages": [{"role": "tool", "content": "x"}]}, "messages[0].tool_call_id",
         "Missing required parameter: 'messages[0].tool_call_id'."),
        (said("x", "robot"), "messages[0].role",
         "'messages[0].role': Input should be 'user', 'assistant', 'system', 'developer', 'tool' or 'function'."),
        (said(None), "messages[0].content", "'messages[0].content': Input should be a valid list."),
        (said([]), "messages[0].content", "'messages[0].content': at least one content part is required."),
        (said("x", colour="red"), "messages[0].colour", "Unknown parameter: 'messages[0].colour'."),
        (said([TEXT, {"type": "text"}]), "messages[0].content[1].text",
         "Missing required parameter: 'messages[0].content[1].text'."),
        (said([{"type": "image_url", "image_url": {"url": "x"}}]), "messages[0].content[0]",
         "'messages[0].content[0]': this mock serves text parts only: send the text itself."),
        ({"max_tokens": 0}, "max_tokens", "'max_tokens': Input should be greater than or equal to 1."),
        ({"max_tokens": 1, "max_completion_tokens": 1}, "max_tokens",
         "'max_tokens': cannot be set together with 'max_completion_tokens'."),
        ({"n": 0}, "n", "'n': Input should be greater than or equal to 1."),
        ({"n": 129}, "n", "'n': Input should be less than or equal to 128."),
        ({"stop": ""}, "stop", "'stop': String should have at least 1 character."),
        ({"stop": ["a"] * 5}, "stop", "'stop': List should have at most 4 items."),
        ({"stop": [1]}, "stop[0]", "'stop[0]': Input should be a valid string."),
        ({"stream": "yes"}, "stream", "'stream': Input should be a valid boolean."),
        ({"stream_options": {}}, "stream_options", "'stream_options': only allowed when 'stream' is enabled."),
        ({"stream": True, "stream_options": {"usage": True}}, "stream_options.usage",
         "Unknown parameter: 'stream_options.usage'."),
        ({"temperature": 2.5}, "temperature", "'temperature': range: 0..2."),
        ({"tool_choice": "required"}, "tool_choice", "'tool_choice': only allowed when 'tools' are specified."),
        ({"tools": [TOOL], "tool_choice": "any"}, "tool_choice",
         "'tool_choice': Input should be 'none', 'auto' or 'required'."),
        ({"tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": "shut"}}}, "tool_choice",
         "'tool_choice': 'shut' is not among the tools."),
        ({"tools": [{"type": "function"}]}, "tools[0].function", "Missing required parameter: 'tools[0].function'."),
        ({"tools": [{"type": "custom", "custom": {"name": "x"}}]}, "tools[0]",
         "'tools[0]': this mock calls functions only, not custom tools."),
        ({"response_format": {"type": "xml"}}, "response_format.type",
         "'response_format.type': Input should be 'text', 'json_object' or 'json_schema', not 'xml'."),
        ({"response_format": {"type": "json_schema"}}, "response_format.json_schema",
         "Missing required parameter: 'response_format.json_schema'."),
        ({"response_format": {"type": "json_schema", "json_schema": {"schema": {}}}},
         "response_format.json_schema.name", "Missing required parameter: 'response_format.json_schema.name'."),
        ({"prompt": "x"}, "prompt", "Unknown parameter: 'prompt'."),
        ({"seed": "x"}, "seed", "'seed': Input should be a valid integer."),
        ({"seed": 1.5}, "seed", "'seed': Input should be a valid integer."),
        ({"seed": True}, "seed", "'seed': Input should be a valid integer."),
        ({"seed": 2**63}, "seed", f"'seed': Input should be less than or equal to {2**63 - 1}."),
        ({"logit_bias": [1]}, "logit_bias", "'logit_bias': Input should be a valid dictionary."),
        ({"logit_bias": {"50256": "no"}}, "logit_bias", "'logit_bias': Input should be a valid number."),
        ({"logit_bias": {"50256": 101}}, "logit_bias", "'logit_bias': range: -100..100."),
        ({"logit_bias": {"tea": 1}}, "logit_bias", "'logit_bias': the keys should be token numbers, not 'tea'."),
        ({"logprobs": 1}, "logprobs", "'logprobs': Input should be a valid boolean."),
        ({"logprobs": True, "top_logprobs": 21}, "top_logprobs",
         "'top_logprobs': Input should be less than or equal to 20."),
        ({"logprobs": True, "top_logprobs": -1}, "top_logprobs",
         "'top_logprobs': Input should be greater than or equal to 0."),
        ({"logprobs": True, "top_logprobs": "5"}, "top_logprobs", "'top_logprobs': Input should be a valid integer."),
        ({"top_logprobs": 5}, "top_logprobs", "'top_logprobs': only allowed when 'logprobs' is enabled."),
        ({"service_tier": "gold"}, "service_tier",
         "'service_tier': Input should be 'auto', 'default', 'flex', 'scale', 'priority' or 'fast'."),
        ({"service_tier": 1}, "service_tier",
         "'service_tier': Input should be 'auto', 'default', 'flex', 'scale', 'priority' or 'fast'."),
        ({"reasoning_effort": "huge"}, "reasoning_effort", "'reasoning_effort': Input should be 'none', 'minimal', "
         "'low', 'medium', 'high', 'xhigh' or 'max'."),
        ({"verbosity": "x"}, "verbosity", "'verbosity': Input should be 'low', 'medium' or 'high'."),
        ({"prompt_cache_retention": "1y"}, "prompt_cache_retention",
         "'prompt_cache_retention': Input should be 'in_memory', 'in-memory' or '24h'."),
        ({"presence_penalty": 3}, "presence_penalty", "'presence_penalty': range: -2..2."),
        ({"frequency_penalty": "x"}, "frequency_penalty", "'frequency_penalty': Input should be a valid number."),
        ({"top_p": -0.1}, "top_p", "'top_p': range: 0..1."),
        ({"n": "2"}, "n", "'n': Input should be a valid integer."),
        ({"stop": 5}, "stop", "'stop': Input should be a valid list."),
        ({"user": 5}, "user", "'user': Input should be a valid string."),
        ({"metadata": {"a": 1}}, "metadata.a", "'metadata.a': Input should be a valid string."),
        ({"metadata": {"a": "x" * 513}}, "metadata.a", "'metadata.a': String should have at most 512 characters."),
        ({"metadata": {"k" * 65: ""}}, "metadata",
         f"'metadata': a key is longer than 64 characters: '{'k' * 65}'."),
        ({"metadata": {str(i): "" for i in range(17)}}, "metadata", "'metadata': Object should have at most 16 pairs."),
        ({"modalities": ["smell"]}, "modalities[0]", "'modalities[0]': Input should be 'text' or 'audio'."),
        ({"parallel_tool_calls": True}, "parallel_tool_calls",
         "'parallel_tool_calls': only allowed when 'tools' are specified."),
        ({"tools": []}, "tools", "'tools': at least one tool is required."),
        ({"tools": [TOOL] * 129}, "tools", "'tools': List should have at most 128 items."),
        ({"tools": [{"type": "function", "function": {"name": "a b"}}]}, "tools[0].function.name",
         f"'tools[0].function.name': {NAME}."),
        ({"tools": [{"type": "function", "function": {"name": "a", "parameters": {"type": "string"}}}]},
         "tools[0].function.parameters", "'tools[0].function.parameters': schema must be a JSON Schema of "
         "'type: \"object\"', got 'string'."),
        ({"tools": [{"type": "function", "function": {"name": "a", "parameters": {"properties": 5}}}]},
         "tools[0].function.parameters", "'tools[0].function.parameters': JSON schema is invalid. It must match JSON "
         "Schema draft 2020-12: 5 is not of type 'object' in 'properties'."),
        (formatted({"type": "object"}, "a b"), "response_format.json_schema.name",
         f"'response_format.json_schema.name': {NAME}."),
        (formatted({"minimum": "3"}), "response_format.json_schema.schema", "'response_format.json_schema.schema': "
         "JSON schema is invalid. It must match JSON Schema draft 2020-12: '3' is not of type 'number' in "
         "'minimum'."),
        (formatted({"type": "string", "pattern": "(a"}), "response_format.json_schema.schema",
         "'response_format.json_schema.schema': this mock cannot read the pattern '(a': missing ) at position 2."),
        (talk(BACK), "messages[1].role",
         "'messages[1].role': messages with role 'tool' must be a response to a preceding message with 'tool_calls'."),
        (talk(called(CALL), {**BACK, "tool_call_id": "c2"}), "messages[2].tool_call_id",
         "'messages[2].tool_call_id': 'c2' is not found in 'tool_calls' of the previous message."),
        (talk(called(CALL, {**CALL, "id": "c2"}), BACK, *GOOD["messages"]), "messages",
         "'messages': an assistant message with 'tool_calls' must be followed by tool messages responding to each "
         "'tool_call_id'; these have none: c2."),
        (talk(called({"id": "c1", "type": "function", "function": {"name": "x"}})),
         "messages[1].tool_calls[0].function.arguments",
         "Missing required parameter: 'messages[1].tool_calls[0].function.arguments'."),
    ],
)  # fmt: skip
def test_a_bad_field_is_named_with_its_reason(change, param, message):
    error = refused(served, **change)
    assert (error["param"], error["message"], error["type"]) == (param, message, "invalid_request_error")


@pytest.mark.parametrize(
    ("change", "param", "message"),
    [
        ({"input": []}, "input", "'input': at least one item is required."),
        ({"input": None}, "input", "'input': Input should be a valid list."),
        ({"input": [{"role": "tool", "content": "x"}]}, "input[0].role",
         "'input[0].role': Input should be 'user', 'assistant', 'system' or 'developer'."),
        ({"input": [{"type": "song"}]}, "input[0].type", "'input[0].type': Input should be 'message', not 'song'."),
        ({"input": [{"role": "user", "content": [{"type": "input_image"}]}]}, "input[0].content[0]",
         "'input[0].content[0]': this mock serves text only: send the text itself."),
        ({"max_output_tokens": 0}, "max_output_tokens",
         "'max_output_tokens': Input should be greater than or equal to 1."),
        ({"previous_response_id": "resp_1"}, "previous_response_id",
         "'previous_response_id': this mock keeps no conversations: send the whole input."),
        ({"background": True}, "background", "'background': this mock answers immediately: leave it out."),
        ({"text": {"format": {"type": "json_schema", "name": "s"}}}, "text.format.schema",
         "Missing required parameter: 'text.format.schema'."),
        ({"text": {"format": {"type": "json_schema", "name": "s", "schema": {"$ref": "#"}}}}, "text.format.schema",
         "'text.format.schema': the schema nests too deeply or never ends."),
        ({"messages": []}, "messages", "Unknown parameter: 'messages'."),
        ({"metadata": {"a": 1}}, "metadata.a", "'metadata.a': Input should be a valid string."),
        ({"top_logprobs": 21}, "top_logprobs", "'top_logprobs': Input should be less than or equal to 20."),
        ({"service_tier": "x"}, "service_tier",
         "'service_tier': Input should be 'auto', 'default', 'flex', 'scale', 'priority' or 'fast'."),
        ({"reasoning": {"effort": "x"}}, "reasoning.effort", "'reasoning.effort': Input should be 'none', 'minimal', "
         "'low', 'medium', 'high', 'xhigh' or 'max'."),
        ({"user": 5}, "user", "'user': Input should be a valid string."),
        ({"text": {"format": {"type": "json_schema", "name": "s", "schema": {"type": "thing"}}}}, "text.format.schema",
         "'text.format.schema': JSON schema is invalid. It must match JSON Schema draft 2020-12: 'thing' is not one of "
         "['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] in 'type'."),
    ],
)  # fmt: skip
def test_a_bad_field_of_a_response_is_named_with_its_reason(change, param, message):
    error = refused(answered, **change)
    assert (error["param"], error["message"]) == (param, message)


def test_codes_of_faults():
    assert refused(served, prompt="x")["code"] == "unknown_parameter"
    assert refused(served, messages=[{}])["code"] == "missing_required_parameter"
    assert refused(served, n=0)["code"] is None


@pytest.mark.parametrize(
    "change",
    [
        {"stop": None, "n": None, "stream": None, "max_tokens": None, "tools": None, "tool_choice": None},
        {"response_format": {"type": "json_object"}, "seed": 7, "logprobs": True, "top_logprobs": 2, "user": "u"},
        {"stop": ["a", "b"], "temperature": 1.9, "store": False, "reasoning_effort": "low", "verbosity": "low"},
        said("hi", "developer"),
        said([TEXT, TEXT], name="Ann"),
        {"messages": [*GOOD["messages"], {"role": "assistant", "content": None, "refusal": "no"}]},
        {"tools": [TOOL], "tool_choice": "auto", "parallel_tool_calls": False},
        {"seed": -(2**63), "logit_bias": {"50256": -100, "1": 0.5}, "service_tier": "flex", "metadata": {"k": "v"}},
        {"logprobs": True, "top_logprobs": 20, "presence_penalty": -2, "top_p": 0, "reasoning_effort": "xhigh"},
        {"seed": None, "logit_bias": None, "logprobs": None, "top_logprobs": None, "metadata": None, "verbosity": None},
        talk(called(CALL, {**CALL, "id": "c2"}), BACK, {**BACK, "tool_call_id": "c2"}, *GOOD["messages"]),
        talk(called(CALL), BACK, called(CALL), BACK, *GOOD["messages"]),
    ],
)
def test_what_the_service_accepts_is_accepted(change):
    assert served(**change).completion["choices"][0]["finish_reason"] == "stop"


def test_a_whole_completion_has_all_fields():
    whole = served(n=2).completion
    message = {"role": "assistant", "content": "The tea room opens at 8. [1]", "refusal": None}
    choice = {"message": message, "logprobs": None, "finish_reason": "stop"}
    assert whole["choices"] == [{"index": 0, **choice}, {"index": 1, **choice}]
    # 92 characters of prompt, and 28 of reply, twice
    assert len(PROMPT) == 92 and whole["usage"] == {"prompt_tokens": 23, "completion_tokens": 14, "total_tokens": 37}
    assert (whole["object"], whole["model"]) == ("chat.completion", "mock-reader")
    assert whole["id"].startswith("chatcmpl-") and isinstance(whole["created"], int)


@pytest.mark.parametrize(
    ("change", "text", "finish"),
    [
        ({}, "The tea room opens at 8. [1]", "stop"),
        ({"stop": "opens"}, "The tea room ", "stop"),
        ({"stop": ["x", "room"]}, "The tea ", "stop"),
        ({"max_tokens": 3}, "The tea room", "length"),
        ({"max_completion_tokens": 3}, "The tea room", "length"),
        ({"max_tokens": 7}, "The tea room opens at 8. [1]", "stop"),
        ({"max_tokens": 1, "n": 2}, "The ", "length"),
    ],
)
def test_the_chunks_join_to_the_whole(change, text, finish):
    whole = served(**change).completion
    sent = b"".join(openai.chunks(whole)).split(b"\n\n")[:-1]
    assert sent.pop() == b"data: [DONE]"
    chunks = [msgspec.json.decode(line.removeprefix(b"data: ")) for line in sent]
    assert {(one["id"], one["created"], one["object"]) for one in chunks} == {
        (whole["id"], whole["created"], "chat.completion.chunk")
    }
    assert not any("usage" in one for one in chunks)
    for choice in whole["choices"]:
        assert (choice["message"]["content"], choice["finish_reason"]) == (text, finish)
        parts = [one["choices"][0] for one in chunks if one["choices"][0]["index"] == choice["index"]]
        assert parts[0]["delta"]["role"] == "assistant"
        assert "".join(part["delta"].get("content") or "" for part in parts) == text
        assert [part["finish_reason"] for part in parts] == [None] * (len(parts) - 1) + [finish]
        # Of a text that was cut, the last chunk carries the last word.
        assert parts[-1]["delta"] == ({"content": text.split(" ")[-1] or "The "} if finish == "length" else {})


def test_usage_is_sent_in_a_stream_only_when_asked_for():
    for options, expected in ((None, False), ({}, False), ({"include_usage": False}, False),
                              ({"include_usage": True}, True)):  # fmt: skip
        done = served(stream=True, stream_options=options)
        lines = b"".join(openai.chunks(done.completion, done.include_usage)).split(b"\n\n")[:-2]
        last = msgspec.json.decode(lines[-1].removeprefix(b"data: "))
        assert (last.get("usage") == done.completion["usage"] and last["choices"] == []) is expected


@pytest.mark.parametrize(
    ("choice", "name", "arguments"),
    [
        ("required", "open_at", '{"hour":8}'),
        ({"type": "function", "function": {"name": "close"}}, "close", "{}"),
        (ALLOWED, "open_at", '{"hour":8}'),
    ],
)
def test_a_forced_tool_is_called(choice, name, arguments):
    whole = served(tools=[TOOL, OTHER], tool_choice=choice).completion
    message = whole["choices"][0]["message"]
    assert (message["content"], whole["choices"][0]["finish_reason"]) == (None, "tool_calls")
    assert message["tool_calls"][0]["function"] == {"name": name, "arguments": arguments}
    lines = b"".join(openai.chunks(whole)).split(b"\n\n")[:-2]
    deltas = [msgspec.json.decode(line.removeprefix(b"data: "))["choices"][0]["delta"] for line in lines]
    calls = [call for delta in deltas for call in delta.get("tool_calls", [])]
    assert (calls[0]["id"], calls[0]["function"]["name"]) == (message["tool_calls"][0]["id"], name)
    assert "".join(call["function"]["arguments"] for call in calls) == arguments


def test_a_tool_that_may_be_called_is_not():
    for choice in ("auto", "none", {**ALLOWED, "allowed_tools": {**ALLOWED["allowed_tools"], "mode": "auto"}}):
        message = served(tools=[TOOL], tool_choice=choice).completion["choices"][0]["message"]
        assert "tool_calls" not in message and message["content"] == "The tea room opens at 8. [1]"


def test_an_earlier_tool_result_does_not_shadow_the_question():
    calls = [{"id": "c1", "type": "function", "function": {"name": "open_at", "arguments": "{}"}}]
    other = PROMPT.replace("tea room", "shop").replace("at 8", "at 9")
    done = served(
        messages=[
            {"role": "user", "content": other},
            {"role": "assistant", "content": None, "tool_calls": calls},
            {"role": "tool", "tool_call_id": "c1", "content": other},
            *GOOD["messages"],
        ]
    )
    assert done.reply.text == "The tea room opens at 8. [1]"


def test_the_system_prompt_may_come_as_developer_and_counts():
    rules = "If the passages do not contain the answer, reply exactly: NOTHING"
    for role in ("system", "developer"):
        question = PROMPT.replace("When does the tea room open?", "Who is Ann?")
        done = served(messages=[{"role": role, "content": rules}, {"role": "user", "content": question}])
        assert done.completion["choices"][0]["message"]["content"] == "NOTHING"
        assert done.completion["usage"]["prompt_tokens"] == 17 + 19


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ({"type": "text"}, "The tea room opens at 8. [1]"),
        ({"type": "json_object"}, "{}"),
        ({"type": "json_schema", "name": "s", "schema": TOOL["function"]["parameters"]}, '{"hour":8}'),
    ],
)
def test_a_reply_that_must_be_json(form, text):
    assert answered(text={"format": form}).reply.text == text
    nested = {"json_schema": {name: form[name] for name in ("name", "schema")}} if "schema" in form else {}
    assert served(response_format={"type": form["type"], **nested}).reply.text == text


def test_whole_and_streamed_are_one_completion():
    whole, streamed = served(), served(stream=True, stream_options={"include_usage": True})
    assert whole.completion == streamed.completion
    assert served(n=1).completion["id"] != whole.completion["id"]


@pytest.mark.parametrize(
    ("change", "status", "text"),
    [({}, "completed", "The tea room opens at 8. [1]"), ({"max_output_tokens": 3}, "incomplete", "The tea room")],
)
def test_the_events_of_a_response_join_to_the_whole(change, status, text):
    whole = answered(**change).response
    lines = [one.split(b"\ndata: ") for one in b"".join(openai_responses.events(whole)).split(b"\n\n")[:-1]]
    events = [msgspec.json.decode(data) for _, data in lines]
    assert [name.removeprefix(b"event: ").decode() for name, _ in lines] == [one["type"] for one in events]
    assert [one["sequence_number"] for one in events] == list(range(len(events)))
    deltas = [one["delta"] for one in events if one["type"] == "response.output_text.delta"]
    assert "".join(deltas) == text
    assert [one["type"].removeprefix("response.") for one in events] == [
        "created", "in_progress", "output_item.added", "content_part.added", *["output_text.delta"] * len(deltas),
        "output_text.done", "content_part.done", "output_item.done", status,
    ]  # fmt: skip
    assert events[-1]["response"] == whole and whole["status"] == status
    assert events[0]["response"] | {"status": status, "output": [], "usage": None} == whole | {
        "output": [], "usage": None, "incomplete_details": None
    }  # fmt: skip
    assert whole["output"][0]["content"][0]["text"] == events[-4]["text"] == text
    assert (whole["incomplete_details"] == {"reason": "max_output_tokens"}) is (status == "incomplete")


def test_a_response_reads_instructions_and_items():
    items = [
        {"role": "developer", "content": "Be kind."},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": PROMPT}]},
    ]
    done = answered(input=items, instructions="If not, reply exactly: NOTHING")
    assert done.response["output"][0]["content"][0]["text"] == "The tea room opens at 8. [1]"
    assert done.response["usage"]["input_tokens"] == 2 + 23 + 8
    assert done.response["instructions"] == "If not, reply exactly: NOTHING"
    refusal = answered(
        input="Context:\n[1] (source: a) B.\n\nQuestion: Who?", instructions=done.response["instructions"]
    )
    assert refusal.reply.text == "NOTHING"


def test_bytes_repeat_across_processes_and_hash_seeds():
    code = (
        "import msgspec; from mock_llm.wires import openai as o, openai_responses as r, openai_embeddings as e\n"
        f"chat = msgspec.json.encode({GOOD!r}); text = {PROMPT!r}\n"
        "done = o.serve(chat, 'reader'); told = r.serve(msgspec.json.encode({'model': 'm', 'input': text}), 'reader')\n"
        "print(msgspec.json.encode(done.completion), b''.join(o.chunks(done.completion, True)))\n"
        "print(msgspec.json.encode(told.response), b''.join(r.events(told.response)))\n"
        "print(e.serve(msgspec.json.encode({'model': 'm', 'input': text})))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1", "4242")
    ]
    assert b"chatcmpl-" in runs[0] and b'"created":' in runs[0] and b"resp_" in runs[0]
    assert len(set(runs)) == 1


def test_all_choices_together_are_limited():
    raw = msgspec.json.encode({**GOOD, "n": 100})
    assert len(openai.serve(raw, "reader", "x" * 20_000).completion["choices"]) == 100
    with pytest.raises(mock_llm.RequestError, match="^n: 100 choices of 20001 characters .* ask for fewer$") as refusal:
        openai.serve(raw, "reader", "x" * 20_001)
    assert (refusal.value.status, refusal.value.param) == (400, "n")
    assert openai.serve(msgspec.json.encode(GOOD), "reader", "x" * 2_000_001).reply.text
