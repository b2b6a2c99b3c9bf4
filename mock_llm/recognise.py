"""From a request to a reading: what form the prompt has, its passages, its question, its rules.

The prompt alone decides; nothing else tells the mock what the caller meant. A recogniser is one
function `Turn -> Reading or None`; the first that knows the form wins, in the order of
RECOGNISERS at the foot.

A passage starts only where its marker stands at the start of a line. A marker inside a line is text.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from mock_llm.records import Message, Passage, Reading, Request, Turn
from mock_llm.sentences import fence_after

FEEDBACK = "Problems with your answer:"


def recognise(request: Request) -> Reading:
    """Read the last user turn. A feedback turn stands for the turn with passages before it.

    >>> from mock_llm.records import Text
    >>> prompt = "Context:\\n[1] (source: hours.md) Rooms open at 8.\\n\\nQuestion: When do rooms open?"
    >>> recognise(Request("m", 9, (Message("user", (Text(prompt),)),))).passages
    (Passage(ref='1', text='Rooms open at 8.'),)
    """
    system = "\n\n".join(m.text for m in (request.system, *request.messages) if m and m.role == "system")
    turns = [text for role, text in _merged(request.messages) if role == "user"]
    asked = [text for text in turns if not _is_feedback(text)]
    feedback = bool(turns) and _is_feedback(turns[-1])
    for user in reversed(asked if feedback else asked[-1:]):
        turn = Turn(_lines_ended(system), _lines_ended(user), feedback)
        for known in RECOGNISERS.values():
            if reading := known.read(turn):
                return reading
    return Reading("chat", (), _lines_ended(turns[-1]) if turns else "", _lines_ended(system))


def _merged(messages: tuple[Message, ...]) -> list[tuple[str, str]]:
    """Consecutive messages of one role are one turn; feedback begins a turn of its own."""
    turns: list[tuple[str, str]] = []
    for message in messages:
        if turns and turns[-1][0] == message.role and not _is_feedback(message.text):
            turns[-1] = (message.role, f"{turns[-1][1]}\n\n{message.text}")
        else:
            turns.append((message.role, message.text))
    return turns


def _is_feedback(text: str) -> bool:
    return text.lstrip().startswith(FEEDBACK)


def _lines_ended(text: str) -> str:
    return text.replace("\r\n", "\n")


def tagged(turn: Turn) -> Reading | None:
    """`<source id="…">` elements and a `<question>`; a tag within an element is text."""
    passages, question, outside = [], None, [turn.system]
    for tag, ref, text in _elements(turn.user.split("\n")):
        if tag == "source":
            passages.append(Passage(ref, text.strip("\n")))
        elif tag == "question":
            question = text.strip()
        else:
            outside.append(text)
    if question is None or not (passages or "<sources>" in outside):
        return None
    return Reading("tagged", tuple(passages), question, "\n".join(outside), turn.feedback)


def _elements(lines: list[str]) -> Iterator[tuple[str, str, str]]:
    """Tag, id and text of each element that opens at a line start, and each line outside them."""
    tag, ref, body = "", "", []
    for line in lines:
        if not tag:
            opening = _ELEMENT.match(line)
            if not opening:
                yield "", "", line
                continue
            tag, ref, body = opening["tag"] or "question", opening["ref"] or "", []
            line = line[opening.end() :]
        closing = f"</{tag}>"
        if line.rstrip().endswith(closing):
            yield tag, ref, "\n".join([*body, line.rstrip().removesuffix(closing)])
            tag = ""
        else:
            body.append(line)
    if tag:
        yield tag, ref, "\n".join(body)


def numbered(turn: Turn) -> Reading | None:
    """A line `Context:`, passages `[n] (source: …) text`, and `Question:`."""
    prompt, question = _question(turn.user)
    lines = prompt.split("\n")
    at = next((i for i, line in enumerate(lines) if line.rstrip() == "Context:"), None)
    if question is None or at is None:
        return None
    before, passages = _passages(lines[at + 1 :], lambda line, *_: _NUMBERED.match(line))
    if not passages and "".join(before).strip():
        return None
    rules = "\n".join([turn.system, *lines[:at]])
    return Reading("numbered", passages, question, rules, turn.feedback)


def bracketed(turn: Turn) -> Reading | None:
    """Blocks `[id] text`, each after an empty line, and a last line `Question:`.

    The text is not altered, so it may hold anything. `[x] milk` within a paragraph is text. In a
    code fence `[INFO] started` is text even after an empty line: only an id with a chunk number,
    as `notes.md#2`, starts a passage there, because a chunk can end before its fence does.
    """
    prompt, question = _question(turn.user)
    if question is None:
        return None
    before, passages = _passages(prompt.split("\n"), _starts_block)
    if not passages:
        return None
    return Reading("bracketed", passages, question, "\n".join([turn.system, *before]), turn.feedback)


def _starts_block(line: str, previous: str, fence: str, first: bool) -> re.Match[str] | None:
    after_gap = not previous or first and previous.rstrip().endswith(":")
    marker = _BRACKETED.match(line) if after_gap else None
    return marker if marker and (not fence or _CHUNK_ID.search(marker["ref"])) else None


def _passages(
    lines: list[str], starts: Callable[[str, str, str, bool], re.Match[str] | None]
) -> tuple[list[str], tuple[Passage, ...]]:
    """The lines before the first marker, and the passage after each marker."""
    before: list[str] = []
    found: list[tuple[str, list[str]]] = []
    previous, fence = "", ""
    for line in lines:
        marker = starts(line, previous, fence, not found)
        previous = line
        if marker:
            line, fence = line[marker.end() :], ""
            found.append((marker["ref"], []))
        fence = fence_after(line, fence) if found else ""
        (found[-1][1] if found else before).append(line)
    return before, tuple(Passage(ref, "\n".join(body).strip("\n")) for ref, body in found)


def _question(text: str) -> tuple[str, str | None]:
    """What stands before the last `Question:` at a line start, and what follows it."""
    before, found, question = f"\n{text}".rpartition("\nQuestion:")
    return (before[1:], question.strip()) if found else (text, None)


_ELEMENT = re.compile(r"""<(?P<tag>source)\s+id=(?P<quote>["'])(?P<ref>.*?)(?P=quote)(?:\s[^>]*)?>|<question>""")
_NUMBERED = re.compile(r"\[(?P<ref>\d+)\] \(source: (?:(?:[^()]|\([^()]*\))*+|.*?)\)(?: |$)")
_BRACKETED = re.compile(r"\[(?!\^|\s*\])(?P<ref>(?:[^\[\]]|\[[^\[\]]*\])++)\] ")
_CHUNK_ID = re.compile(r"#\d+(?:\.\d+)?\Z")


class Recogniser(NamedTuple):
    """A form of prompt."""

    about: str  # how the form looks, for `explain`
    read: Callable[[Turn], Reading | None]


# In the order in which they are tried. To add one, write a function `Turn -> Reading or None`,
# and add a line here and one in reader.CITED.
RECOGNISERS = {
    "tagged": Recogniser('<source id="…"> elements and a <question>', tagged),
    "numbered": Recogniser("a Context: block of [n] (source: …) passages", numbered),
    "bracketed": Recogniser("blocks [id] text and a last line Question:", bracketed),
}
