"""The bytes of the OpenAI wire, pinned, and read through the official client's own types.

After an intended change, `python tests/mock_llm/test_golden_openai.py` writes the files again; read the diff.
"""

from pathlib import Path

import httpx2
import msgspec
import openai
import pytest
from openai.types import CreateEmbeddingResponse, Model
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response

from mock_llm.errors import RequestError
from mock_llm.wires import openai as wire
from mock_llm.wires import openai_embeddings, openai_responses

FOLDER = Path(__file__).parents[1] / "golden" / "wire"
PROMPT = "Context:\n[1] (source: a.md) Rooms open at 8.\n\nQuestion: When do rooms open?"
NOBODY = PROMPT.replace("When do rooms open?", "Who pays?")
RULES = "If they cover nothing, reply exactly: NO."
BOOK = {
    "type": "object",
    "required": ["room", "day"],
    "properties": {"room": {"type": "string"}, "day": {"type": "string", "format": "date"}},
}
TOOLS = [{"type": "function", "function": {"name": "book", "parameters": BOOK}}]
FORMAT = {"type": "json_schema", "json_schema": {"name": "stay", "schema": BOOK}}


def chat(**more):
    return {"model": "mock-reader", "messages": [{"role": "user", "content": PROMPT}], **more}


def response(**more):
    return {"model": "mock-reader", "input": PROMPT, **more}


CHATS = {
    "chat": chat(),
    "chat_refusal": chat(messages=[{"role": "developer", "content": RULES}, {"role": "user", "content": NOBODY}]),
    "chat_cut": chat(max_completion_tokens=2),
    "chat_stopped": chat(stop=["open"]),
    "chat_two": chat(n=2),
    "chat_tool": chat(tools=TOOLS, tool_choice="required"),
    "chat_schema": chat(response_format=FORMAT),
}
RESPONSES = {
    "response": response(instructions=RULES),
    "response_cut": response(max_output_tokens=2),
    "response_schema": response(text={"format": {"type": "json_schema", **FORMAT["json_schema"]}}),
}
VECTORS = {
    "embeddings": {"model": "text-embedding-3-small", "input": ["Rooms open.", "Tea."], "dimensions": 6},
    "embeddings_base64": {"model": "m", "input": "Rooms open.", "dimensions": 6, "encoding_format": "base64"},
}


def written():
    """Every file and its bytes."""
    for name, body in CHATS.items():
        done = wire.serve(msgspec.json.encode(body), "reader")
        yield f"{name}.json", msgspec.json.encode(done.completion)
        yield f"{name}.sse", b"".join(wire.chunks(done.completion, include_usage=True))
    for name, body in RESPONSES.items():
        done = openai_responses.serve(msgspec.json.encode(body), "reader")
        yield f"{name}.json", msgspec.json.encode(done.response)
        yield f"{name}.sse", b"".join(openai_responses.events(done.response))
    for name, body in VECTORS.items():
        yield f"{name}.json", msgspec.json.encode(openai_embeddings.serve(msgspec.json.encode(body)).response)
    yield "models.json", msgspec.json.encode(wire.models(["mock-reader", "mock-padding"]))
    try:
        wire.serve(b'{"model": "m"}', "reader")
    except RequestError as error:
        yield "error.json", msgspec.json.encode(wire.error_body(error, ""))


STREAMED = [*CHATS, *RESPONSES]
GOLDEN = [
    *(f"{name}.{kind}" for name in STREAMED for kind in ("json", "sse")),
    *(f"{name}.json" for name in (*VECTORS, "models", "error")),
]


def read(name):
    return (FOLDER / f"openai_{name}").read_bytes()


def client(name, status=200):
    """The official client of a server that sends one golden file, whatever is asked."""
    kind = "text/event-stream" if name.endswith(".sse") else "application/json"
    sent = httpx2.Response(status, content=read(name), headers={"content-type": kind, "x-request-id": "req_1"})
    transport = httpx2.MockTransport(lambda request: sent)
    return openai.OpenAI(api_key="x", max_retries=0, http_client=httpx2.Client(transport=transport))


def test_every_golden_file_is_made():
    assert [name for name, _ in written()] == GOLDEN
    assert {path.name for path in FOLDER.glob("openai_*")} == {f"openai_{name}" for name in GOLDEN}


@pytest.mark.parametrize("name", GOLDEN)
def test_the_bytes_are_the_golden_ones(name):
    assert dict(written())[name] == read(name)


def extras(value):
    """Every field, at any depth, that the client's type does not know."""
    if isinstance(value, openai.BaseModel):
        yield from value.model_extra
        for field in type(value).model_fields:
            yield from extras(getattr(value, field))
    elif isinstance(value, list):
        for one in value:
            yield from extras(one)


TYPES = {
    **dict.fromkeys((f"{name}.json" for name in CHATS), ChatCompletion),
    **dict.fromkeys((f"{name}.json" for name in RESPONSES), Response),
    "embeddings.json": CreateEmbeddingResponse,
}


@pytest.mark.parametrize("name", TYPES)
def test_the_clients_types_hold_all_that_is_sent(name):
    raw = msgspec.json.decode(read(name))
    value = TYPES[name].model_validate(raw)
    assert value.model_dump(mode="json", exclude_unset=True, by_alias=True) == raw
    assert list(extras(value)) == []


@pytest.mark.parametrize("name", CHATS)
def test_every_chunk_is_one_of_the_clients(name):
    *lines, last = read(f"{name}.sse").removesuffix(b"\n\n").split(b"\n\n")
    assert last == b"data: [DONE]"
    for line in lines:
        raw = msgspec.json.decode(line.removeprefix(b"data: "))
        chunk = ChatCompletionChunk.model_validate(raw)
        assert chunk.model_dump(mode="json", exclude_unset=True) == raw and list(extras(chunk)) == []


@pytest.mark.parametrize("name", CHATS)
def test_the_chunks_give_the_whole_completion(name):
    whole = client(f"{name}.json").chat.completions.create(**CHATS[name])
    said, calls, ends, usage = {}, {}, {}, None
    for chunk in client(f"{name}.sse").chat.completions.create(**CHATS[name], stream=True):
        usage = chunk.usage or usage
        for one in chunk.choices:
            said[one.index] = said.get(one.index, "") + (one.delta.content or "")
            for call in one.delta.tool_calls or ():
                calls[one.index] = calls.get(one.index, "") + call.function.arguments
            ends[one.index] = one.finish_reason
    assert said == {one.index: one.message.content or "" for one in whole.choices}
    assert calls == {one.index: one.message.tool_calls[0].function.arguments for one in whole.choices
                     if one.message.tool_calls}  # fmt: skip
    assert ends == {one.index: one.finish_reason for one in whole.choices}
    assert usage == whole.usage


@pytest.mark.parametrize("name", RESPONSES)
def test_the_events_give_the_whole_response(name):
    whole = client(f"{name}.json").responses.create(**RESPONSES[name])
    events = list(client(f"{name}.sse").responses.create(**RESPONSES[name], stream=True))
    assert [one for event in events for one in extras(event)] == []
    assert events[-1].response.to_dict() == whole.to_dict()
    assert "".join(event.delta for event in events if event.type == "response.output_text.delta") == whole.output_text


def test_the_other_files():
    floats = client("embeddings.json").embeddings.create(**VECTORS["embeddings"], encoding_format="float").data
    packed = client("embeddings_base64.json").embeddings.create(model="m", input="Rooms open.").data
    assert packed[0].embedding == floats[0].embedding and [len(one.embedding) for one in floats] == [6, 6]
    models = client("models.json").models.list().data
    assert [type(one) for one in models] == [Model, Model] and [*extras(models)] == []
    with pytest.raises(openai.BadRequestError) as refusal:
        client("error.json", 400).chat.completions.create(model="m", messages=[])
    assert (refusal.value.param, refusal.value.code) == ("messages", "missing_required_parameter")
    assert refusal.value.request_id == "req_1"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, content in written():
        (FOLDER / f"openai_{name}").write_bytes(content)
