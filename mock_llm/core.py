"""The whole way of one request, without a wire: request → reading → draft → reply."""

from dataclasses import replace

from mock_llm.errors import RequestError
from mock_llm.personas import perform, persona_of
from mock_llm.reader import written
from mock_llm.recognise import recognise
from mock_llm.records import Reply, Request, Usage

MOST_TOKENS = 200_000  # of a prompt, as for the real service

CHARACTERS_PER_TOKEN = 4


def answer(request: Request, default: str = "reader") -> Reply:
    """Answer a request as the persona that its model name asks for.

    >>> from mock_llm.records import Message, Text
    >>> prompt = "Context:\\n[1] (source: hours.md) Rooms open at 8.\\n\\nQuestion: When do rooms open?"
    >>> answer(Request("mock-reader", 99, (Message("user", (Text(prompt),)),))).text
    'Rooms open at 8. [1]'
    """
    sent = input_tokens(request)
    if sent > MOST_TOKENS:
        raise RequestError(f"prompt is too long: {sent} tokens > {MOST_TOKENS} maximum")
    persona = persona_of(request.model, default)
    done = perform(recognise(request), persona)
    reply = Reply(
        text=written(done.draft, done.reading.form),
        stop_reason="end_turn",
        stop_sequence=None,
        usage=Usage(sent, 0),
        persona=persona,
        reading=done.reading,
    )
    reply = at_limit(at_stop_sequence(reply, request.stop_sequences), request.max_tokens)
    return replace(reply, usage=Usage(sent, tokens(len(reply.text))))


def tokens(characters: int) -> int:
    """Tokens of a text: characters / 4, rounded up.

    >>> tokens(434), tokens(315), tokens(44), tokens(67)
    (109, 79, 11, 17)
    """
    return -(-characters // CHARACTERS_PER_TOKEN)


def input_tokens(request: Request) -> int:
    """Tokens of a request: each message is rounded up by itself, and the system prompt is one."""
    messages = (request.system, *request.messages) if request.system else request.messages
    return sum(tokens(message.characters) for message in messages)


def at_stop_sequence(reply: Reply, sequences: tuple[str, ...]) -> Reply:
    """End before the first stop sequence; of two at one place, the one listed first counts."""
    places = [(reply.text.find(sequence), i) for i, sequence in enumerate(sequences)]
    met = min((place for place in places if place[0] >= 0), default=None)
    if met is None:
        return reply
    text, sequence = reply.text[: met[0]], sequences[met[1]]
    return replace(reply, text=text, stop_reason="stop_sequence", stop_sequence=sequence)


def at_limit(reply: Reply, max_tokens: int) -> Reply:
    """End after max_tokens. A reply that just fits has ended by itself."""
    if tokens(len(reply.text)) <= max_tokens:
        return reply
    text = reply.text[: max_tokens * CHARACTERS_PER_TOKEN]
    return replace(reply, text=text, stop_reason="max_tokens", stop_sequence=None)
