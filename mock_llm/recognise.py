"""From a request to a reading: what form the prompt has, its passages, its question, its rules.

The prompt alone decides; the mock has nothing else to go by. A recogniser is one
function `Turn -> Reading or None`; the first that knows the form wins, in the order of
RECOGNISERS at the foot.

A passage starts only where its marker is at the start of a line. A marker within a line is text, and so
is one inside a fence.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace

from mock_llm.marks import fence_of, marker_of, question_of, unfenced
from mock_llm.records import Document, Message, Passage, Reading, Request, Turn
from mock_llm.sentences import fence_after
from mock_llm.tasks import classify, rewrite

FEEDBACK = "Problems with your answer:"
MOST_CONTEXTS = 20  # lines `CONTEXT:` after which a block is sought


def recognise(request: Request) -> Reading:
    """Read the last user turn that says something. A feedback turn means the turn with passages before it.

    Documents belong to the turn that carries them, or to what the user last said before them, since a tool may
    have found them. A turn without passages of any form is read with the documents of earlier turns.

    >>> from mock_llm.records import Text
    >>> prompt = "Context:\\n[1] (source: hours.md) Rooms open at 8.\\n\\nQuestion: When do rooms open?"
    >>> recognise(Request("m", 9, (Message("user", (Text(prompt),)),))).passages[0].text
    'Rooms open at 8.'
    """
    system, turns = _system(request), _user_turns(request.messages)
    feedback = bool(turns) and _is_feedback(turns[-1].text)
    candidates = list(_candidates(system, turns, feedback))
    for turn in candidates:
        for known in RECOGNISERS.values():
            if reading := known.read(turn):
                return reading
    last = candidates[0] if candidates else Turn(system, "", feedback)
    every = tuple(document for turn in turns for document in turn.documents)
    if every and (reading := documents(replace(last, documents=every))):
        return reading
    return Reading("chat", (), next((turn.text for turn in reversed(turns) if turn.text), ""), system)


class _UserTurn(NamedTuple):
    """What the user sent between two answers."""

    text: str
    documents: tuple[Document, ...]


def _system(request: Request) -> str:
    said = [message.text for message in (request.system, *request.messages) if message and message.role == "system"]
    return _lines_ended("\n\n".join(said))


def _user_turns(messages: tuple[Message, ...]) -> list[_UserTurn]:
    """Consecutive messages of one role are one turn; feedback begins a turn of its own."""
    turns: list[list[Message]] = []
    for message in messages:
        if turns and turns[-1][0].role == message.role and not _is_feedback(message.text):
            turns[-1].append(message)
        else:
            turns.append([message])
    merged = (turn[0] if len(turn) == 1 else _joined(turn) for turn in turns if turn[0].role == "user")
    return [_UserTurn(_lines_ended(turn.text), turn.documents) for turn in merged]


def _joined(turn: list[Message]) -> Message:
    return Message(turn[0].role, tuple(block for message in turn for block in message.blocks))


def _candidates(system: str, turns: list[_UserTurn], feedback: bool) -> Iterator[Turn]:
    """The turns that may be answered, the last first: one that says something, and with feedback those before it too.

    Each has the documents of the turns after it.
    """
    found: tuple[Document, ...] = ()
    for at in reversed(range(len(turns))):
        text, own = turns[at]
        found = own + found
        if text and not _is_feedback(text):
            yield Turn(system, text, feedback, found, turns[at - 1].text if at else "")
            if not feedback:
                return


def _is_feedback(text: str) -> bool:
    return text.lstrip().startswith(FEEDBACK)


def _lines_ended(text: str) -> str:
    return text.replace("\r\n", "\n")


def documents(turn: Turn) -> Reading | None:
    """Blocks `document` and `search_result`. The question is the user's text, or its line `Question:`."""
    if not turn.documents:
        return None
    before, question = question_of(turn.user)
    passages = tuple(
        Passage(f"{_LABELS.get(one.kind, 'document')} {one.index}", "\n\n".join(one.texts), document=one)
        for one in turn.documents
    )
    if question is None:
        return Reading("documents", passages, turn.user.strip(), turn.system, turn.feedback)
    return Reading("documents", passages, question, f"{turn.system}\n{before}", turn.feedback)


def tagged(turn: Turn) -> Reading | None:
    """`<source id="…">` elements and a `<question>`; a tag within an element is text.

    What is between two elements belongs to the one before, whose text has closed its own fence.
    """
    lines = turn.user.split("\n")
    first, end = _sources(lines)
    outside = lines[:first] + lines[end:]
    at = _last(outside, lambda line: line.startswith("<question>"))
    if first == end or at is None:
        return None
    found: list[tuple[str, list[str]]] = []
    rules = [turn.system, *outside[:at]]
    for ref, text in _elements(lines[first:end]):
        if ref:
            found.append((ref, [text.strip("\n")]))
        elif not found:
            rules.append(text)
        elif text.strip() not in ("", "</source>", "</sources>"):
            found[-1][1].extend([text] if len(found[-1][1]) > 1 else ["\n</source>\n", text])
    passages = [(ref, "\n".join(body)) for ref, body in found]
    question, after = _question(outside[at:])
    return _reading("tagged", passages, question, rules + after, turn, fence="source")


def _sources(lines: list[str]) -> tuple[int, int]:
    """Where the sources start and end: at the first tag that opens them, after the last that closes them.

    So a closing tag within a passage closes nothing. Only a question that follows is outside the sources.
    """
    first = next((i for i, line in enumerate(lines) if line.rstrip() == "<sources>" or _SOURCE.match(line)), None)
    if first is None:
        return 0, 0
    asked = [i for i, line in enumerate(lines) if line.startswith("<question>")]
    limit = asked[-1] if asked and asked[0] > first else len(lines)
    for tag in ("</sources>", "</source>") if lines[first].rstrip() == "<sources>" else ("</source>", "</sources>"):
        last = _last(lines[first:limit], lambda line, tag=tag: line.rstrip().endswith(tag))
        if last is not None:
            return first, first + last + 1
    return first, limit


def _last(lines: list[str], found: Callable[[str], bool]) -> int | None:
    return next((i for i in reversed(range(len(lines))) if found(lines[i])), None)


def _question(lines: list[str]) -> tuple[str, list[str]]:
    """The text of the element that the first line opens, as far as the last tag that closes it, and the rest."""
    last = _last(lines, lambda line: line.rstrip().endswith("</question>"))
    end = len(lines) if last is None else last + 1
    text = "\n".join(lines[:end]).strip().removeprefix("<question>").removesuffix("</question>")
    return text.strip(), lines[end:]


def _elements(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Id and text of each source that opens at a line start, and each line outside them, without an id."""
    ref, body = "", []
    for line in lines:
        if not ref:
            opening = _SOURCE.match(line)
            if not opening:
                yield "", line
                continue
            ref, body = opening["ref"] or opening["bare"], []
            line = line[opening.end() :]
        bare = line.rstrip()
        if bare.endswith("</source>"):
            yield ref, "\n".join([*body, bare.removesuffix("</source>")])
            ref = ""
        else:
            body.append(line)
    if ref:
        yield ref, "\n".join(body)


def numbered(turn: Turn) -> Reading | None:
    """A line `Context:`, passages `[n] (source: …) text`, and `Question:`."""
    prompt, question = question_of(turn.user)
    if question is None:
        return None
    lines = prompt.split("\n")
    at = next((i for i, line in enumerate(lines) if line.rstrip() == "Context:"), None)
    if at is None:
        return None
    before, passages = _cut(lines[at + 1 :], _starts_numbered)
    if not passages and "".join(before).strip():
        return None
    return _reading("numbered", passages, question, [turn.system, *lines[:at]], turn)


def helpdesk(turn: Turn) -> Reading | None:
    """A system prompt with a line `CONTEXT:` and blocks `[n] Source: file`; the user's turn is the question.

    The first such line that is followed by a block, or by nothing, counts. A block starts there, or after a line
    `---` between two empty lines. The text is not altered: a `---` or a `[2] Source: x` elsewhere is text.
    """
    if "CONTEXT:" not in turn.system:
        return None
    lines = turn.system.split("\n")
    for at in islice((i for i, line in enumerate(lines) if line.rstrip() == "CONTEXT:"), MOST_CONTEXTS):
        after = "\n".join(lines[at + 1 :]).lstrip("\n")
        before, passages = _cut(after.split("\n"), _starts_article)
        if passages or not "".join(before).strip():
            break
    else:
        return None
    between = [(ref, text.removesuffix("\n\n---")) for ref, text in passages[:-1]]
    return _reading("helpdesk", [*between, *passages[-1:]], turn.user.strip(), lines[:at], turn)


def bracketed(turn: Turn) -> Reading | None:
    """Blocks `[id] text`, each after an empty line, and a last line `Question:`.

    Where the id has a chunk number, the first block may follow any line; and where `Question:` follows without an
    empty line, a block may follow a block of one line.
    The text is not altered, so it may hold anything. `[x] milk` within a paragraph is text. In a
    code fence `[INFO] started` is text even after an empty line: only an id with a chunk number, as
    `notes.md#2`, starts a passage there, because a chunk can end before its fence does. After such an id, only
    another one starts a passage anywhere: the ids of one prompt are of one kind.
    """
    prompt, question = question_of(turn.user)
    if question is None:
        return None
    before, passages = _cut(prompt.split("\n"), _starts_block)
    return _reading("bracketed", passages, question, [turn.system, *before], turn) if passages else None


def _starts_numbered(lines: list[str], i: int, fence: str, last: int) -> re.Match[str] | None:
    return _NUMBERED.match(lines[i])


def _starts_article(lines: list[str], i: int, fence: str, last: int) -> re.Match[str] | None:
    begins = i == 0 if last < 0 else lines[i - 3 : i] == ["", "---", ""]
    return _ARTICLE.match(lines[i]) if begins else None


def _starts_block(lines: list[str], i: int, fence: str, last: int) -> re.Match[str] | None:
    marker = _BRACKETED.match(lines[i])
    if marker is None:
        return None
    first, gap = last < 0, _after_gap(lines, i, last)
    if _has_chunk(lines[i]):
        starts = gap or not fence and (first or _after_line_block(lines, i, last))
    else:
        starts = gap and (first or not fence and not _has_chunk(lines[last]))
    return marker if starts else None


def _after_gap(lines: list[str], i: int, last: int) -> bool:
    """Whether a line is the first, or follows an empty one; the first block may also follow a colon at a line's end."""
    previous = lines[i - 1] if i else ""
    return not previous or last < 0 and previous.rstrip().endswith(":")


def _after_line_block(lines: list[str], i: int, last: int) -> bool:
    """Whether a line follows a block of one line, in a prompt whose `Question:` follows without an empty line too."""
    return last == i - 1 and lines[-1].strip() != ""


def _has_chunk(line: str) -> bool:
    """Whether a line starts with an id that has a chunk number."""
    marker = _BRACKETED.match(line)
    return marker is not None and _CHUNK_ID.search(marker["ref"]) is not None


# Of the lines, the index of one, the code fence open before it, and the index of the last marker, -1 for none.
Starts = Callable[[list[str], int, str, int], re.Match[str] | None]


def _cut(lines: list[str], starts: Starts) -> tuple[list[str], list[tuple[str, str]]]:
    """The lines before the first marker, and the ref and text that each marker begins.

    Within a fence, which ends at the first closing tag at a line's end, a marker is text.
    """
    before: list[str] = []
    found: list[tuple[str, list[str]]] = []
    last = -1
    code, fence, blank = "", "", False  # the open code fence, the open fence, whether the passage is empty so far
    for i, line in enumerate(lines):
        marker = None if fence else starts(lines, i, code, last)
        if marker:
            line, code, blank, last = line[marker.end() :], "", True, i
            found.append((marker["ref"], []))
        code = fence_after(line, code)
        if not found:
            before.append(line)
            continue
        if blank and line:
            fence, blank = fence_of(line), False
        if fence and line.rstrip().endswith(f"</{fence}>"):
            fence = ""
        found[-1][1].append(line)
    return before, [(ref, "\n".join(body).strip("\n")) for ref, body in found]


def _reading(
    form: str, passages: Iterable[tuple[str, str]], question: str, rules: list[str], turn: Turn, fence: str = ""
) -> Reading:
    """A reading, its passages without their fences. `fence` is the tag that the form itself puts around a passage."""
    ruled = "\n".join(rules)
    marker = marker_of(ruled)
    bare = [(ref, *unfenced(text, marker)) for ref, text in passages]
    return Reading(form, tuple(Passage(ref, text, inner or fence) for ref, text, inner in bare), question, ruled,
                   turn.feedback)  # fmt: skip


_SOURCE = re.compile(
    r"""<source(?:\s+(?!id=)[\w-]+=(?:"[^"]*"|'[^']*'|[^\s"'<>]+))*+"""
    r"""\s+id=(?:(?P<quote>["'])(?P<ref>(?:(?!(?P=quote)).)++)(?P=quote)|(?P<bare>[^\s"'<>]+))(?:\s[^>]*)?>"""
)
_NUMBERED = re.compile(r"\[(?P<ref>\d+)\] \(source: (?:(?:[^()]|\([^()]*\))*+|.*?)\)(?: |$)")
_ARTICLE = re.compile(r"\[(?P<ref>\d+)\] Source: .*")
_BRACKETED = re.compile(r"\[(?!\^|\s*\])(?P<ref>(?:[^\[\]]|\[[^\[\]]*\])++)\] ")
_CHUNK_ID = re.compile(r"#\d+(?:\.\d+)?\Z")


_LABELS = {"search_result": "search result"}


class Recogniser(NamedTuple):
    """A form of prompt."""

    about: str  # what the form looks like, for `explain`
    read: Callable[[Turn], Reading | None]


# In the order in which they are tried. To add one, write a function `Turn -> Reading or None`,
# and add a line here and one in reader.CITED.
RECOGNISERS = {
    "documents": Recogniser("blocks document and search_result", documents),
    "rewrite": Recogniser("the task to rewrite a question so that it stands alone", rewrite),
    "classify": Recogniser("the task to classify the form of an answer", classify),
    "tagged": Recogniser('<source id="…"> elements and a <question>', tagged),
    "numbered": Recogniser("a Context: block of [n] (source: …) passages", numbered),
    "helpdesk": Recogniser("a system prompt with CONTEXT: and [n] Source: blocks", helpdesk),
    "bracketed": Recogniser("blocks [id] text and a last line Question:", bracketed),
}
