"""The messages of the OpenAI chat completions API, checked field by field."""

from typing import NamedTuple

from mock_llm.records import JsonObject
from mock_llm.wires.fields import (
    Check,
    anything,
    by_type,
    fields,
    list_of,
    mapping,
    one_of,
    optional,
    record,
    refuse,
    refused,
    string,
)


def checked_messages(value: object, path: str) -> None:
    """A list of messages, and a result for each call of a tool."""
    messages = _MESSAGES(value, path)
    if not messages:
        raise refuse(path, "at least one message is required")
    _check_calls(messages, path)


def _check_calls(messages: list[JsonObject], path: str) -> None:
    """Each call of a tool has its result right after it, and each result its call before it."""
    waiting: dict[str, None] = {}
    called: set[str] = set()
    for i, one in enumerate(messages):
        if one["role"] == "tool":
            if not called:
                raise refuse(f"{path}.{i}.role", "messages with role 'tool' must be a response to a preceding message "
                             "with 'tool_calls'")  # fmt: skip
            if one["tool_call_id"] not in called:
                raise refuse(f"{path}.{i}.tool_call_id", f"{one['tool_call_id'][:80]!r} is not found in 'tool_calls' "
                             "of the previous message")  # fmt: skip
            waiting.pop(one["tool_call_id"], None)
            continue
        if waiting:
            break
        waiting = dict.fromkeys(call["id"] for call in one.get("tool_calls") or ())
        called = set(waiting)
    if waiting:
        raise refuse(path, "an assistant message with 'tool_calls' must be followed by tool messages responding to "
                     f"each 'tool_call_id'; these have none: {', '.join(waiting)[:80]}")  # fmt: skip


def _chat_message(value: object, path: str) -> None:
    message = mapping(value, path)
    if "role" not in message:
        raise refuse(f"{path}.role", "Field required")
    _ROLE(message["role"], f"{path}.role")
    kind = MESSAGES[message["role"]]
    fields(message, path, kind.checks, kind.required)
    if message["role"] == "assistant" and not (message.keys() & {"content", "tool_calls", "function_call", "audio"}):
        raise refuse(f"{path}.content", "Field required")


def _message_content(value: object, path: str) -> None:
    """A string, or a list of parts."""
    if not isinstance(value, str) and not _MESSAGE_PARTS(value, path):
        raise refuse(path, "at least one content part is required")


class Kind(NamedTuple):
    """The fields of the messages of one role."""

    required: tuple[str, ...]
    checks: dict[str, Check]


# The roles, and what the rest of the mock calls them. A tool's result is not something that the user said.
ROLES = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}

_ROLE = one_of(*ROLES)
_MESSAGES = list_of(_chat_message)
_CALLED = record("", {"name": string, "arguments": string}, "name", "arguments")
_CALLED_CUSTOM = record("", {"name": string, "input": string}, "name", "input")
_TOOL_CALL = by_type(
    {
        "function": record("", {"type": anything, "id": string, "function": _CALLED}, "id", "function"),
        "custom": record("", {"type": anything, "id": string, "custom": _CALLED_CUSTOM}, "id", "custom"),
    }
)
_SAID: dict[str, Check] = {"role": string, "content": _message_content, "name": string}

# To add a field to a message, add it to the line of its role.
MESSAGES = {
    "user": Kind(("content",), _SAID),
    "system": Kind(("content",), _SAID),
    "developer": Kind(("content",), _SAID),
    "tool": Kind(("content", "tool_call_id"), {**_SAID, "tool_call_id": string}),
    "function": Kind(("content", "name"), {**_SAID, "content": optional(_message_content)}),
    "assistant": Kind(
        (),
        {
            **_SAID,
            "content": optional(_message_content),
            "refusal": optional(string),
            "audio": optional(mapping),
            "function_call": optional(mapping),
            "tool_calls": optional(list_of(_TOOL_CALL)),
            "annotations": optional(list_of(mapping)),
        },
    ),
}

_NO_TEXT = refused("this mock serves text parts only: send the text itself")

# The kinds of content part, with their fields. To add one that is read, name its text in `texts`.
_MESSAGE_PART = by_type(
    {
        "text": record("", {"type": anything, "text": string, "prompt_cache_breakpoint": mapping}, "text"),
        "refusal": record("", {"type": anything, "refusal": string}, "refusal"),
        "image_url": _NO_TEXT,
        "input_audio": _NO_TEXT,
        "file": _NO_TEXT,
    }
)
_MESSAGE_PARTS = list_of(_MESSAGE_PART)
