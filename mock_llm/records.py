"""The nouns of the mock, as frozen values without behaviour.

A request becomes a reading, a reading becomes a draft, a draft becomes a reply:

    Request(Message(Text))  →  Turn  →  Reading(Passage)  →  Draft(Part)  →  Reply(Usage)
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """One text block of a message."""

    text: str


@dataclass(frozen=True, slots=True)
class Message:
    """What one role said. Blocks are joined by an empty line, so each starts at a line start.

    >>> Message("user", (Text("Hello"), Text("there"))).text
    'Hello\\n\\nthere'
    """

    role: str  # "user", "assistant" or "system"
    blocks: tuple[Text, ...]

    @property
    def text(self) -> str:
        return "\n\n".join(block.text for block in self.blocks)

    @property
    def characters(self) -> int:
        """Characters sent, without the empty lines that join the blocks."""
        return sum(len(block.text) for block in self.blocks)


@dataclass(frozen=True, slots=True)
class Request:
    """A valid request, free of any wire."""

    model: str
    max_tokens: int  # >= 0
    messages: tuple[Message, ...]  # in the order sent, roles not yet merged
    system: Message | None = None  # the top-level system prompt
    stop_sequences: tuple[str, ...] = ()
    stream: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """What a recogniser looks at: one user turn and all system text."""

    system: str
    user: str  # line ends are "\n"
    feedback: bool = False  # a later turn named problems with the answer to this one


@dataclass(frozen=True, slots=True)
class Passage:
    """One passage, as the prompt names it."""

    ref: str  # "1" or "notes.md#2": what a citation must say
    text: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What the prompt asks, found in the prompt alone."""

    form: str  # a name in RECOGNISERS, or "chat"
    passages: tuple[Passage, ...]  # in the order of the prompt
    question: str
    rules: str  # the prompt without its passages and its question
    feedback: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the answer and what it cites."""

    text: str
    ref: str | None = None  # the passage's ref; None: nothing is cited
    code: str = ""  # a code fence that follows, uncited


@dataclass(frozen=True, slots=True)
class Draft:
    """The answer before it is written out. A persona may change it."""

    kind: str  # "answer", "refusal" or "chat"
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens: characters / 4, rounded up for each message."""

    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Reply:
    """What is sent back, free of any wire."""

    text: str  # as cut by stop_sequences and max_tokens
    stop_reason: str  # "end_turn", "stop_sequence" or "max_tokens"
    stop_sequence: str | None  # the one that was met
    usage: Usage
    persona: str
    reading: Reading
