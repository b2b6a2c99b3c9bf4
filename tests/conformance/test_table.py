"""One table of cases, asked with the unmodified clients of both APIs, whole and streamed: all give the same facts.

`python tests/conformance/test_table.py` prints the table.
"""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import anthropic
import openai
import pytest

import mock_llm

ALL = ("messages", "chat", "responses")
MESSAGES, COMMON = ALL[:1], ALL[:2]

GRASS = "The grass is green. The sky is blue."
CODE = "Start a named session:\n\n```bash\ntmux new\n```\n\nDone."
WHAT = "What is the green grass?"
BOTH = f"How do I start a named session? {WHAT}"
NUMBERED = f"Context:\n[1] (source: a.md) {GRASS}\n\nQuestion: {WHAT}"
RULES = "If the passages do not contain the answer, reply exactly: NOT_IN_CONTEXT"
WHO = "Context:\n[1] (source: a.md) Tea is hot.\n\nQuestion: Who pays?"
ON = {"citations": {"enabled": True}}
ASKED = {"type": "text", "text": WHAT}
SCHEMA = {
    "type": "object",
    "required": ["city", "nights"],
    "properties": {"city": {"enum": ["Hué", "Sapa"]}, "nights": {"type": "integer", "minimum": 2}},
    "additionalProperties": False,
}
TOOL = {"name": "book", "input_schema": SCHEMA}
INPUT = {"city": "Hué", "nights": 2}
FOUND = {"type": "search_result", "source": "u", "title": "S", "content": [{"type": "text", "text": GRASS}], **ON}
PARTS = [{"type": "text", "text": text} for text in ("No.", GRASS)]


def document(text, **fields):
    return {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": text}, **fields}


def exchange(result):
    """A tool was called and gave a result, which was talked about, before the question is asked."""
    call = {"type": "tool_use", "id": "t1", "name": "look", "input": {}}
    back = {"type": "tool_result", "tool_use_id": "t1", "content": result}
    return [("user", "look"), ("assistant", [call]), ("user", [back]), ("assistant", "Found.")]


class Block(NamedTuple):
    """A text of the reply, and what it cites: kind of location and cited text."""

    text: str
    kind: str | None = None
    cited: str | None = None


class Case(NamedTuple):
    """A request in the words of the Messages API, and what must come back, on every wire that can ask it."""

    asked: str | list[dict[str, Any]]  # the last turn
    blocks: tuple[Block, ...]
    sent: tuple[int, ...]  # characters of each message, besides tools
    stop: str = "end_turn"
    options: dict[str, Any] = {}
    wires: tuple[str, ...] = ALL
    before: list[tuple[str, Any]] = []  # the turns before it
    call: dict[str, Any] | None = None  # input of the tool that is called

    @property
    def output(self) -> int:
        """Tokens of the reply: characters / 4, rounded up."""
        said = "".join(block.text for block in self.blocks)
        return -(-len(said if self.call is None else compact(self.call)) // 4)

    def input(self, tools: Any) -> int:
        """Tokens of the request, each message and all tools rounded up by themselves."""
        return sum(-(-characters // 4) for characters in (*self.sent, len(compact(tools)) if tools else 0))


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def numbered(*blocks, stop="end_turn", wires=ALL, call=None, **options):
    return Case(NUMBERED, blocks, (len(NUMBERED),), stop, options, wires, [], call)


ANSWER = Block("The grass is green. [1]")
CITED = Block("The grass is green.", "char_location", "The grass is green. ")
CUT = len(GRASS) + len(WHAT)

# To add a case, add a line.
CASES = {
    "grounded": numbered(ANSWER),
    "refused": Case(WHO, (Block("NOT_IN_CONTEXT"),), (len(RULES), len(WHO)), options={"system": RULES}),
    "limit": numbered(Block("The gras"), stop="max_tokens", max_tokens=2),
    "limit that just fits": numbered(ANSWER, max_tokens=6),
    "limit of 0": numbered(stop="max_tokens", max_tokens=0, wires=MESSAGES),
    "stop sequence": numbered(
        Block("The grass is"), stop="stop_sequence", stop_sequences=["x", " green"], wires=COMMON
    ),
    "stop at once": numbered(stop="stop_sequence", stop_sequences=["The"], wires=COMMON),
    "stop sequence that is not met": numbered(ANSWER, stop_sequences=["blue"], wires=COMMON),
    "tool, the one named": numbered(
        stop="tool_use", call=INPUT, tools=[TOOL], tool_choice={"type": "tool", "name": "book"}, wires=COMMON
    ),
    "tool, any": numbered(stop="tool_use", call=INPUT, tools=[TOOL], tool_choice={"type": "any"}, wires=COMMON),
    "tool not forced": numbered(ANSWER, tools=[TOOL], wires=COMMON),
    "tool that does not fit": numbered(
        stop="max_tokens", tools=[TOOL], tool_choice={"type": "any"}, max_tokens=3, wires=COMMON
    ),
    "earlier tool result": Case(
        NUMBERED, (ANSWER,), (4, len("look{}"), len(WHO), 6, len(NUMBERED)), before=exchange(WHO), wires=MESSAGES
    ),
    "earlier answer": Case(
        NUMBERED, (ANSWER,), (len(WHO), 4, len(NUMBERED)), before=[("user", WHO), ("assistant", "Ann.")]
    ),
    "schema": numbered(
        Block(compact(INPUT)), output_config={"format": {"type": "json_schema", "schema": SCHEMA}}
    ),
    "prefill": Case(
        NUMBERED, (Block(" is green. [1]"),), (len(NUMBERED), 9), options={"prefill": "The grass"}, wires=MESSAGES
    ),
    "blocks of system": Case(
        NUMBERED, (ANSWER,), (9, len(NUMBERED)), options={"system": [{"type": "text", "text": "Be brief."}]},
        wires=MESSAGES,
    ),
    "temperature": numbered(ANSWER, extra_body={"temperature": 0.2, "top_p": 0.9}),
    "thinking": numbered(
        ANSWER, thinking={"type": "enabled", "budget_tokens": 1024}, max_tokens=2000, wires=MESSAGES
    ),
    "document, cited": Case([document(GRASS, title="T", **ON), ASKED], (CITED,), (CUT + 1,), wires=MESSAGES),
    "document, citations off": Case(
        [document(GRASS), ASKED], (Block("The grass is green."),), (CUT,), wires=MESSAGES
    ),
    "document in blocks": Case(
        [{"type": "document", "source": {"type": "content", "content": PARTS}, **ON}, ASKED],
        (Block("The grass is green.", "content_block_location", GRASS),), (CUT + 3,), wires=MESSAGES,
    ),
    "search result": Case(
        [FOUND, ASKED], (Block("The grass is green.", "search_result_location", GRASS),), (CUT + 2,), wires=MESSAGES
    ),
    "code and two parts": Case(
        [document(CODE, **ON), document(GRASS, **ON), {"type": "text", "text": BOTH}],
        (
            Block("Start a named session:", "char_location", "Start a named session:"),
            Block("\n\n```bash\ntmux new\n```\n\n"),
            CITED,
        ),
        (len(CODE + GRASS + BOTH),), wires=MESSAGES,
    ),
    "limit of a cited text": Case(
        [document(GRASS, **ON), ASKED], (Block("The gras", "char_location", "The grass is green. "),), (CUT,),
        "max_tokens", {"max_tokens": 2}, MESSAGES,
    ),
}  # fmt: skip


class Facts(NamedTuple):
    """What a client saw."""

    blocks: tuple[Block, ...]
    call: Any  # input of a tool
    stop: str | None
    input: int
    output: int


def messages_body(case):
    options = {"max_tokens": 1000, **case.options}
    turns = [*case.before, ("user", case.asked)]
    if prefill := options.pop("prefill", None):
        turns.append(("assistant", prefill))
    return {"model": "mock-reader", "messages": [{"role": role, "content": said} for role, said in turns], **options}


def chat_body(case):
    """The same in the words of chat completions."""
    options = dict(case.options)
    system = [("system", options.pop("system"))] if "system" in options else []
    turns = [*system, *case.before, ("user", case.asked)]
    body = {"model": "mock-reader", "messages": [{"role": role, "content": said} for role, said in turns]}
    if "output_config" in options:
        form = {"name": "stay", "schema": options.pop("output_config")["format"]["schema"]}
        body["response_format"] = {"type": "json_schema", "json_schema": form}
    for tool in options.pop("tools", []):
        function = {"name": tool["name"], "parameters": tool["input_schema"]}
        body["tools"] = [{"type": "function", "function": function}]
    if choice := options.pop("tool_choice", None):
        named = {"type": "function", "function": {"name": choice.get("name")}}
        body["tool_choice"] = named if choice["type"] == "tool" else "required"
    names = {"max_tokens": "max_completion_tokens", "stop_sequences": "stop"}
    return body | {names.get(name, name): value for name, value in options.items()}


def responses_body(case):
    """The same in the words of responses."""
    body = chat_body(case)
    names = {"messages": "input", "max_completion_tokens": "max_output_tokens"}
    if form := body.pop("response_format", None):
        body["text"] = {"format": {"type": "json_schema", **form["json_schema"]}}
    return {names.get(name, name): value for name, value in body.items()}


def of_message(message):
    blocks, call = [], None
    for block in message.content:
        if block.type == "tool_use":
            call = block.input
        else:
            (quote,) = block.citations or (None,)
            blocks.append(Block(block.text, quote.type, quote.cited_text) if quote else Block(block.text))
    assert (message.stop_sequence is not None) == (message.stop_reason == "stop_sequence")
    return Facts(tuple(blocks), call, message.stop_reason, message.usage.input_tokens, message.usage.output_tokens)


def of_completion(completion):
    (choice,), usage = completion.choices, completion.usage
    calls = choice.message.tool_calls
    said = (Block(choice.message.content),) if choice.message.content else ()
    call = json.loads(calls[0].function.arguments) if calls else None
    return Facts(said, call, choice.finish_reason, usage.prompt_tokens, usage.completion_tokens)


def of_response(response):
    said = (Block(response.output_text),) if response.output_text else ()
    stop = response.incomplete_details.reason if response.incomplete_details else response.status
    return Facts(said, None, stop, response.usage.input_tokens, response.usage.output_tokens)


def streamed_message(client, body):
    with client.messages.stream(**body) as stream:
        return stream.get_final_message()


def streamed_completion(client, body):
    with client.chat.completions.stream(**body, stream_options={"include_usage": True}) as stream:
        try:
            return stream.get_final_completion()
        except openai.LengthFinishReasonError as cut:  # raised by the client for every text that was cut
            return cut.completion


def streamed_response(client, body):
    *events, last = client.responses.create(**body, stream=True)
    pieces = [event.delta for event in events if event.type == "response.output_text.delta"]
    assert last.response.output_text == "".join(pieces)
    return last.response


class Wire(NamedTuple):
    """How one API is asked, and what its reasons to stop are called."""

    client: str
    body: Callable[[Case], dict[str, Any]]
    facts: Callable[[Any], Facts]
    whole: Callable[[Any, dict[str, Any]], Any]
    streamed: Callable[[Any, dict[str, Any]], Any]
    stops: dict[str, str]
    created: str = "created"  # the field that holds the time


WIRES = {
    "messages": Wire(
        "anthropic", messages_body, of_message, lambda client, body: client.messages.create(**body), streamed_message,
        {name: name for name in ("end_turn", "stop_sequence", "max_tokens", "tool_use")},
    ),
    "chat": Wire(
        "openai", chat_body, of_completion, lambda client, body: client.chat.completions.create(**body),
        streamed_completion,
        {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "tool_use": "tool_calls"},
    ),
    "responses": Wire(
        "openai", responses_body, of_response, lambda client, body: client.responses.create(**body),
        streamed_response, {"end_turn": "completed", "max_tokens": "max_output_tokens"}, "created_at",
    ),
}  # fmt: skip
WAYS = ("whole", "streamed")
CELLS = [(name, wire, way) for name, case in CASES.items() for wire in case.wires for way in WAYS]


def seen_and_due(official, name, wire, way):
    """The facts of one cell, and those that must be."""
    case, asked = CASES[name], WIRES[wire]
    body = asked.body(case)
    seen = asked.facts(getattr(asked, way)(official[asked.client], body))
    due = Facts(case.blocks, case.call, asked.stops[case.stop], case.input(body.get("tools")), case.output)
    return seen, due


@pytest.mark.parametrize(("name", "wire", "way"), CELLS)
def test_a_cell(official, name, wire, way):
    seen, due = seen_and_due(official, name, wire, way)
    assert seen == due


@pytest.mark.parametrize(("name", "wire"), [(name, wire) for name, wire, way in CELLS if way == "whole"])
def test_both_ways_are_one_reply(official, name, wire):
    asked = WIRES[wire]
    body, client = asked.body(CASES[name]), official[asked.client]
    whole, streamed = asked.whole(client, body), asked.streamed(client, body)
    assert (whole.id, whole.model) == (streamed.id, streamed.model)
    assert getattr(whole, asked.created, None) == getattr(streamed, asked.created, None)
    assert whole.usage.to_dict() == streamed.usage.to_dict()


@pytest.mark.parametrize("name", CASES)
def test_a_message_can_be_sent_back(official, name):
    """The content of a reply, as the client holds it, is a turn of the next request."""
    client, body = official["anthropic"], messages_body(CASES[name])
    for reply in (client.messages.create(**body).content, streamed_message(client, body).content):
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": "ok"}
            for block in reply
            if block.type == "tool_use"
        ]
        turns = [{"role": "user", "content": NUMBERED}]
        if reply:
            turns += [{"role": "assistant", "content": reply}, {"role": "user", "content": [*results, ASKED]}]
        assert client.messages.create(model="m", max_tokens=9, messages=turns).content


if __name__ == "__main__":
    with mock_llm.running() as server:
        run = {
            "anthropic": anthropic.Anthropic(base_url=server.url, api_key=server.api_key),
            "openai": openai.OpenAI(base_url=f"{server.url}/v1", api_key=server.api_key),
        }
        columns = [(wire, way) for wire in ALL for way in WAYS]
        print(f"| case | {' | '.join(' '.join(column) for column in columns)} |")
        print("|---|" + ":-:|" * len(columns))
        for row in CASES:
            cells = []
            for wire, way in columns:
                asked_for = (row, wire, way) in CELLS
                seen, due = seen_and_due(run, row, wire, way) if asked_for else (None, None)
                cells.append("" if not asked_for else "yes" if seen == due else "NO")
            print(f"| {row} | {' | '.join(cells)} |")
