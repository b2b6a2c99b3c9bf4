"""The whole path of one request, without a wire: request → reading → draft → reply."""

import msgspec
from msgspec.structs import replace

from mock_llm.errors import RequestError
from mock_llm.examples import example
from mock_llm.personas import perform, persona_of
from mock_llm.reader import said
from mock_llm.recognise import recognise
from mock_llm.records import Reply, Request, Said, Shape, Tool, ToolCall, Usage

MOST_TOKENS = 200_000  # of a prompt, as for the real service

CHARACTERS_PER_TOKEN = 4


def answer(request: Request, default: str = "reader", scripted: str | None = None) -> Reply:
    """Answer a request as the persona that its model name asks for. A scripted text takes the place of its reply.

    >>> from mock_llm.records import Message, Text
    >>> prompt = "Context:\\n[1] (source: hours.md) Rooms open at 8.\\n\\nQuestion: When do rooms open?"
    >>> answer(Request("mock-reader", 99, (Message("user", (Text(prompt),)),))).text
    'Rooms open at 8. [1]'
    """
    sent = input_tokens(request)
    if sent > MOST_TOKENS:
        raise RequestError(f"prompt is too long: {sent} tokens > {MOST_TOKENS} maximum")
    persona = persona_of(request.model, default)
    scoring = perform(recognise(request), persona)
    if scripted is not None:
        texts = (Said(scripted),) if scripted else ()
    else:
        texts = continued(example_reply(request.must_fit) or said(scoring.draft, scoring.reading), request.prefill)
    reply = Reply(
        said=texts,
        stop_reason="end_turn",
        stop_sequence=None,
        usage=Usage(sent, tokens(sum(len(one.text) for one in texts))),
        persona=persona,
        reading=scoring.reading,
    )
    if request.must_call and scripted is None:
        return called(reply, request.must_call, request.max_tokens)
    kept = at_limit(at_stop_sequence(reply, request.stop_sequences), request.max_tokens)
    return kept if kept is reply else replace(kept, usage=Usage(sent, tokens(len(kept.text))))


def called(reply: Reply, tool: Tool, max_tokens: int) -> Reply:
    """The forced call of a tool instead of the text. A call that does not fit in max_tokens is not sent."""
    call = ToolCall(tool.name, example(tool.schema))
    used = tokens(len(msgspec.json.encode(call.input).decode()))
    if used > max_tokens:
        return replace(reply, said=(), stop_reason="max_tokens", usage=Usage(reply.usage.input_tokens, 0))
    usage = Usage(reply.usage.input_tokens, used)
    return replace(reply, said=(), call=call, stop_reason="tool_use", usage=usage)


def example_reply(shape: Shape | None) -> tuple[Said, ...]:
    """An example of what a reply must be, or nothing where it may be anything.

    >>> example_reply(Shape({"required": ["city"], "properties": {"city": {"enum": ["Hanoi"]}}}, "response_format"))
    (Said(text='{"city":"Hanoi"}', quotes=()),)
    """
    return (Said(msgspec.json.encode(example(shape.schema, shape.path)).decode()),) if shape else ()


def tokens(characters: int) -> int:
    """Tokens of a text: characters / 4, rounded up.

    >>> tokens(434), tokens(315), tokens(44), tokens(67)
    (109, 79, 11, 17)
    """
    return -(-characters // CHARACTERS_PER_TOKEN)


def input_tokens(request: Request) -> int:
    """Tokens of a request. Each message is rounded up separately; so are the system prompt and all tools together."""
    messages = (request.system, *request.messages) if request.system else request.messages
    return tokens(request.tools_characters) + sum(tokens(message.characters) for message in messages)


def continued(texts: tuple[Said, ...], prefill: str) -> tuple[Said, ...]:
    """What comes after a prefill: the rest of a reply that begins with it, otherwise a space and the reply.

    >>> continued((Said("Rooms open"), Said(" at 8.")), "Rooms op")
    (Said(text='en', quotes=()), Said(text=' at 8.', quotes=()))
    >>> continued((Said("At 8."),), "Sure:")
    (Said(text=' At 8.', quotes=()),)
    """
    if not prefill or not texts:
        return texts
    whole = "".join(one.text for one in texts)
    if whole.startswith(prefill):
        return cut(texts, len(prefill), len(whole))
    return (texts[0]._replace(text=f" {texts[0].text}"), *texts[1:])


def cut(texts: tuple[Said, ...], start: int, end: int) -> tuple[Said, ...]:
    """The characters from start to end, counted over all texts. A text of which anything is left keeps its quotes.

    >>> cut((Said("Rooms open"), Said(" at 8.")), 6, 13)
    (Said(text='open', quotes=()), Said(text=' at', quotes=()))
    """
    left, at = [], 0
    for one in texts:
        if text := one.text[max(start - at, 0) : max(end - at, 0)]:
            left.append(Said(text, one.quotes))
        at += len(one.text)
    return tuple(left)


def at_stop_sequence(reply: Reply, sequences: tuple[str, ...]) -> Reply:
    """End before the first stop sequence; of two at the same place, the one listed first counts."""
    if not sequences:
        return reply
    text = reply.text
    places = [(text.find(sequence), i) for i, sequence in enumerate(sequences)]
    met = min((place for place in places if place[0] >= 0), default=None)
    if met is None:
        return reply
    said, sequence = cut(reply.said, 0, met[0]), sequences[met[1]]
    return replace(reply, said=said, stop_reason="stop_sequence", stop_sequence=sequence)


def at_limit(reply: Reply, max_tokens: int) -> Reply:
    """Cut after max_tokens. A reply that just fits is not cut."""
    if tokens(len(reply.text)) <= max_tokens:
        return reply
    said = cut(reply.said, 0, max_tokens * CHARACTERS_PER_TOKEN)
    return replace(reply, said=said, stop_reason="max_tokens", stop_sequence=None)
