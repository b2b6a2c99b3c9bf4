"""The messages of the Anthropic API: their content blocks, checked and turned into values."""

from collections.abc import Callable, Iterable, Iterator
from itertools import count, groupby
from typing import NamedTuple

from mock_llm.records import Document, JsonObject, Message, Text, Unread
from mock_llm.wires.bodies import encoded
from mock_llm.wires.fields import (
    Check,
    anything,
    boolean,
    by_type,
    fields,
    filled,
    list_of,
    mapping,
    one_of,
    optional,
    record,
    refuse,
    refused,
    string,
)

Made = Text | Document | Unread


def checked_messages(value: object, path: str) -> None:
    """A list of messages, each with content, and a result for each call of a tool."""
    messages = list_of(_role_and_content)(value, path)
    if not messages:
        raise refuse(path, "at least one message is required")
    for i, one in enumerate(messages):
        ends = one["role"] == "assistant" and i == len(messages) - 1
        if not one["content"] and not ends:
            raise refuse(f"{path}.{i}", "all messages must have non-empty content except for the optional "
                         "final assistant message")  # fmt: skip
        if isinstance(one["content"], str) and not ends:
            _some_words(one["content"], f"{path}.{i}.content")
    if any(isinstance(one["content"], list) for one in messages):  # calls and results are blocks
        _check_pairs(messages, path)
    prefill = prefill_of(messages)
    if prefill != prefill.rstrip():
        raise refuse(path, "final assistant content cannot end with trailing whitespace")


def prefill_of(messages: list[JsonObject]) -> str:
    """How the reply has already begun: the text of the last message, if it is the assistant's."""
    last = messages[-1]
    if last["role"] != "assistant":
        return ""
    return "".join(block.get("text", "") for block in _as_blocks(last["content"]) if block["type"] == "text")


def made_messages(messages: list[JsonObject]) -> tuple[Message, ...]:
    """The values of checked messages. Raises RequestError unless all documents have citations, or none has."""
    counts = Counts(count(), count())
    made = tuple(Message(one["role"], made_content(one["content"], counts)) for one in messages)
    if len({document.cited for message in made for document in message.documents}) > 1:
        raise refuse("messages", "citations must be enabled on all documents or on none of them")
    return made


class Counts(NamedTuple):
    """The indexes that citations use. Documents and search results are counted separately."""

    documents: Iterator[int]
    results: Iterator[int]


def made_content(content: str | list[JsonObject], counts: Counts) -> tuple[Made, ...]:
    return tuple(made for block in _as_blocks(content) for made in MAKERS[block["type"]](block, counts))


def _as_blocks(content: str | list[JsonObject]) -> list[JsonObject]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _text(block: JsonObject, counts: Counts) -> Iterable[Made]:
    yield Text(block["text"])


def _document(block: JsonObject, counts: Counts) -> Iterable[Made]:
    source = block["source"]
    content = source["data"] if source["type"] == "text" else source["content"]
    yield Document(
        kind=source["type"],
        index=next(counts.documents),
        texts=tuple(one["text"] for one in _as_blocks(content)),
        title=block.get("title"),
        context=block.get("context"),
        cited=_is_cited(block),
    )


def _search_result(block: JsonObject, counts: Counts) -> Iterable[Made]:
    yield Document(
        kind="search_result",
        index=next(counts.results),
        texts=tuple(one["text"] for one in block["content"]),
        title=block["title"],
        source=block["source"],
        cited=_is_cited(block),
    )


def _is_cited(block: JsonObject) -> bool:
    return bool((block.get("citations") or {}).get("enabled"))


def _tool_result(block: JsonObject, counts: Counts) -> Iterable[Made]:
    """What a tool says is not read as a question; documents that it found can be cited."""
    for made in made_content(block.get("content") or "", counts):
        yield Unread(len(made.text)) if isinstance(made, Text) else made


def _tool_use(block: JsonObject, counts: Counts) -> Iterable[Made]:
    yield Unread(len(block["name"]) + len(encoded(block["input"]).decode()))


def _thinking(block: JsonObject, counts: Counts) -> Iterable[Made]:
    yield Unread(len(block.get("thinking", block.get("data", ""))))


def _role_and_content(value: object, path: str) -> None:
    fields(value, path, {"role": one_of(*CONTENT), "content": anything}, ("role", "content"))
    message = mapping(value, path)
    CONTENT[message["role"]](message["content"], f"{path}.content")


def blocks(**kinds: Check) -> Check:
    """A string, or a list of blocks of these kinds."""
    each = list_of(by_type(kinds))

    def check(value: object, path: str) -> None:
        if not isinstance(value, str):
            each(value, path)

    return check


def _some_blocks(**kinds: Check) -> Check:
    each = list_of(by_type(kinds))

    def check(value: object, path: str) -> None:
        if not each(value, path):
            raise refuse(path, "at least one block is required")

    return check


def _some_text(value: object, path: str) -> None:
    if not string(value, path):
        raise refuse(path.partition(".")[0], "text content blocks must be non-empty")


def _some_words(value: object, path: str) -> None:
    _some_text(value, path)
    if str(value).isspace():
        raise refuse(path.partition(".")[0], "text content blocks must contain non-whitespace text")


def _text_block(text: Check) -> Check:
    return record("text", {"text": text, "cache_control": CACHE, "citations": optional(list_of(mapping))}, "text")


def _check_pairs(messages: list[JsonObject], path: str) -> None:
    """Each call of a tool has its result in the next turn, and each result its call in the turn before."""
    talk = [(i, one) for i, one in enumerate(messages) if one["role"] != "system"]
    called: dict[str, int] = {}
    for role, group in groupby(talk, key=lambda numbered: numbered[1]["role"]):
        turn = [(i, j, block) for i, one in group for j, block in enumerate(_as_blocks(one["content"]))]
        if role == "assistant":
            called = {block["id"]: i for i, _, block in turn if block["type"] == "tool_use"}
            continue
        results = {block["tool_use_id"]: f"{i}.content.{j}" for i, j, block in turn if block["type"] == "tool_result"}
        for name, place in results.items():
            if name not in called:
                raise refuse(f"{path}.{place}", f"unexpected `tool_use_id` found in `tool_result` blocks: {name[:80]}. "
                             "Each `tool_result` block must have a corresponding `tool_use` block in the previous "
                             "message.")  # fmt: skip
        called = {name: i for name, i in called.items() if name not in results}
        if called:
            break
    if called:
        name, i = next(iter(called.items()))
        raise refuse(f"{path}.{i}", "`tool_use` ids were found without `tool_result` blocks immediately after: "
                     f"{name[:80]}. Each `tool_use` block must have a corresponding `tool_result` block in the next "
                     "message.")  # fmt: skip


CACHE = optional(by_type({"ephemeral": record("ephemeral", {"ttl": one_of("5m", "1h")})}))
_CITATIONS = optional(record("", {"enabled": boolean}))
_TEXT_ONLY = "this mock reads plain text only: send the document's text in a source of type 'text' or 'content'"

IMAGE = refused("this mock sees no images: send what they show as a text block")
TEXT = _text_block(_some_words)
FOUND = _text_block(_some_text)  # for text that was found, not said; it may be blank
SOURCE = by_type(
    {
        "text": record("text", {"media_type": one_of("text/plain"), "data": string}, "media_type", "data"),
        "content": record("content", {"content": blocks(text=FOUND, image=IMAGE)}, "content"),
        "base64": refused(_TEXT_ONLY),
        "url": refused(_TEXT_ONLY),
        "file": refused(_TEXT_ONLY),
    }
)
DOCUMENT = record(
    "document",
    {
        "source": SOURCE,
        "title": optional(string),
        "context": optional(string),
        "citations": _CITATIONS,
        "cache_control": CACHE,
    },
    "source",
)
SEARCH_RESULT = record(
    "search_result",
    {
        "source": string,
        "title": string,
        "content": _some_blocks(text=FOUND),
        "citations": _CITATIONS,
        "cache_control": CACHE,
    },
    "source",
    "title",
    "content",
)
TOOL_RESULT = record(
    "tool_result",
    {
        "tool_use_id": filled,
        "content": blocks(text=FOUND, image=IMAGE, search_result=SEARCH_RESULT, document=DOCUMENT),
        "is_error": boolean,
        "toolset_name": optional(string),
        "cache_control": CACHE,
    },
    "tool_use_id",
)
TOOL_USE = record(
    "tool_use",
    {
        "id": filled,
        "name": filled,
        "input": mapping,
        "caller": mapping,
        "toolset_name": optional(string),
        "cache_control": CACHE,
    },
    "id",
    "name",
    "input",
)
THINKING = record("thinking", {"thinking": string, "signature": string}, "thinking", "signature")
REDACTED = record("redacted_thinking", {"data": string}, "data")

# The content of each role's messages. To add a kind of block, add its check to its role, and a line to MAKERS.
CONTENT: dict[str, Check] = {
    "user": blocks(text=TEXT, document=DOCUMENT, search_result=SEARCH_RESULT, tool_result=TOOL_RESULT, image=IMAGE),
    "assistant": blocks(text=TEXT, tool_use=TOOL_USE, thinking=THINKING, redacted_thinking=REDACTED),
    "system": blocks(text=TEXT),
}

# How each kind of block becomes values. An image is refused before.
MAKERS: dict[str, Callable[[JsonObject, Counts], Iterable[Made]]] = {
    "text": _text,
    "document": _document,
    "search_result": _search_result,
    "tool_result": _tool_result,
    "tool_use": _tool_use,
    "thinking": _thinking,
    "redacted_thinking": _thinking,
}
