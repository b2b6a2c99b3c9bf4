"""The bytes of the Anthropic wire, pinned, and read through the official client's own types.

After an intended change, `python tests/mock_llm/test_golden_wire.py` writes the files again; read the diff.
"""

from pathlib import Path

import anthropic
import httpx2
import msgspec
import pytest

import mock_llm
from mock_llm.wires import anthropic_models
from mock_llm.wires.anthropic import count_tokens, error_body, events, serve
from mock_llm.wires.bodies import identity

FOLDER = Path(__file__).parents[1] / "golden" / "wire"
RULES = "Name the part that they do not cover. If they cover nothing, reply exactly: NO."


def document(text, title):
    source = {"type": "text", "media_type": "text/plain", "data": text}
    return {"type": "document", "source": source, "title": title, "citations": {"enabled": True}}


def body(*content, **more):
    return {"model": "mock-reader", "max_tokens": 200, "messages": [{"role": "user", "content": [*content]}], **more}


PARTS = {"type": "content", "content": [{"type": "text", "text": text} for text in ("Rooms.", "Rooms open at 8.")]}
FOUND = {
    "type": "search_result",
    "source": "https://a.example",
    "title": "Hours",
    "content": [{"type": "text", "text": "Rooms open at 8. Come in."}],
    "citations": {"enabled": True},
}
WHEN = {"type": "text", "text": "When do rooms open?"}
BOOK = {
    "name": "book",
    "input_schema": {
        "type": "object",
        "required": ["room", "day"],
        "properties": {"room": {"type": "string"}, "day": {"type": "string", "format": "date"}},
    },
}
REQUESTS = {
    "numbered": body(
        {"type": "text", "text": "Context:\n[1] (source: a.md) Rooms open at 8.\n\nQuestion: " + WHEN["text"]}
    ),
    "documents": body(
        document("[linux] Tmux > Start\n\nStart a session so:\n\n```bash\ntmux new\n```", "Tmux"),
        document("Rooms open at 8. 値は３．１４です。", None),
        {"type": "text", "text": "How do I start a session? When do rooms open? Who pays for tea?"},
        system=RULES,
    ),
    "content": body({"type": "document", "source": PARTS, "citations": {"enabled": True}}, WHEN),
    "search_result": body(FOUND, WHEN),
    "tool_use": body(WHEN, tools=[BOOK], tool_choice={"type": "any"}),
    "max_tokens": body(FOUND, WHEN, max_tokens=2),
    "refusal": body(FOUND, {"type": "text", "text": "Who pays?"}, system=RULES),
}


def written():
    """Every file and its bytes."""
    for name, request in REQUESTS.items():
        served = serve(msgspec.json.encode(request), "reader")
        yield f"{name}.json", msgspec.json.encode(served.message)
        yield f"{name}.sse", b"".join(events(served.message))
    counted = {name: REQUESTS["documents"][name] for name in ("model", "messages", "system")}
    yield "count_tokens.json", msgspec.json.encode(count_tokens(msgspec.json.encode(counted))[1])
    yield "models.json", msgspec.json.encode(anthropic_models.page({"limit": ["2"]}))
    try:
        mock_llm.reply_to({"model": "m", "messages": []})
    except mock_llm.RequestError as error:
        yield "error.json", msgspec.json.encode(error_body(error, identity("req", b"")))


GOLDEN = [f"{name}.{kind}" for name in REQUESTS for kind in ("json", "sse")] + [
    "count_tokens.json", "models.json", "error.json"
]  # fmt: skip


def read(name):
    return (FOLDER / f"anthropic_{name}").read_bytes()


def client(name, status=200):
    """The official client of a server that sends one golden file, whatever is asked."""
    kind = "text/event-stream" if name.endswith(".sse") else "application/json"
    response = httpx2.Response(status, content=read(name), headers={"content-type": kind, "request-id": "req_1"})
    transport = httpx2.MockTransport(lambda request: response)
    return anthropic.Anthropic(api_key="x", max_retries=0, http_client=httpx2.Client(transport=transport))


def test_every_golden_file_is_made():
    assert [name for name, _ in written()] == GOLDEN
    assert {path.name for path in FOLDER.glob("anthropic_*")} == {f"anthropic_{name}" for name in GOLDEN}


@pytest.mark.parametrize("name", GOLDEN)
def test_the_bytes_are_the_golden_ones(name):
    assert dict(written())[name] == read(name)


@pytest.mark.parametrize("name", REQUESTS)
def test_the_clients_types_hold_all_that_is_sent(name):
    raw = msgspec.json.decode(read(f"{name}.json"))
    message = anthropic.types.Message.model_validate(raw, strict=True)
    assert message.model_dump(mode="json", exclude_unset=True) == raw
    assert message.model_extra == {} and all(block.model_extra == {} for block in message.content)
    for block in message.content:
        for quote in getattr(block, "citations", None) or ():
            assert quote.model_extra == {}


@pytest.mark.parametrize("name", REQUESTS)
def test_the_stream_gives_the_whole_message(name):
    request = REQUESTS[name]
    whole = client(f"{name}.json").messages.create(**request)
    with client(f"{name}.sse").messages.stream(**request) as stream:
        streamed = stream.get_final_message()
    assert streamed.usage == whole.usage and streamed.stop_reason == whole.stop_reason
    assert [block.to_dict() for block in whole.content] == [
        {field: value for field, value in block.to_dict().items() if field != "parsed_output"}
        for block in streamed.content
    ]


def test_the_other_files():
    request = {name: REQUESTS["documents"][name] for name in ("model", "messages")}
    assert client("count_tokens.json").messages.count_tokens(**request).input_tokens > 0
    page = client("models.json").models.list()
    assert (page.has_more, [model.lifecycle for model in page.data]) == (True, ["active", "active"])
    with pytest.raises(anthropic.BadRequestError, match="max_tokens: Field required"):
        client("error.json", 400).messages.create(**request, max_tokens=1)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, content in written():
        (FOLDER / f"anthropic_{name}").write_bytes(content)
