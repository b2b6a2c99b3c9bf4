"""The nouns of the mock, as frozen values without behaviour. A Struct is a dataclass that is quick to make.

A request becomes a reading, a reading becomes a draft, a draft becomes a reply:

    Request(Message(Text, Document))  →  Turn  →  Reading(Passage)  →  Draft(Part)  →  Reply(Said, Usage)
"""

from fractions import Fraction
from typing import Any, NamedTuple

from msgspec import Struct

Json = Any  # a value that JSON can hold, not checked yet, or a JSON schema
JsonObject = dict[str, Any]  # an object of JSON, such as a body


class Text(Struct, frozen=True):
    """One text block of a message."""

    text: str


class Document(Struct, frozen=True):
    """One document or search result that a message carries as its own block."""

    kind: str  # "text", "content" or "search_result"
    index: int  # among the documents, or among the search results, of the whole request; 0-based
    texts: tuple[str, ...]  # one for a plain text, otherwise one per block
    title: str | None = None
    context: str | None = None
    source: str = ""  # of a search result
    cited: bool = False  # citations are enabled

    @property
    def characters(self) -> int:
        return sum(map(len, (*self.texts, self.title or "", self.context or "", self.source)))


class Unread(Struct, frozen=True):
    """A block that is counted but not read: a tool's call or result, a thought."""

    characters: int


class Message(Struct, frozen=True):
    """What one role said. Texts are joined by an empty line, so each one starts a line.

    >>> Message("user", (Text("Hello"), Text("there"))).text
    'Hello\\n\\nthere'
    """

    role: str  # "user", "assistant" or "system"
    blocks: tuple[Text | Document | Unread, ...]

    @property
    def text(self) -> str:
        return "\n\n".join([block.text for block in self.blocks if isinstance(block, Text)])

    @property
    def documents(self) -> tuple[Document, ...]:
        return tuple([block for block in self.blocks if isinstance(block, Document)])

    @property
    def characters(self) -> int:
        """Characters sent, without the empty lines that join the blocks."""
        return sum([len(block.text) if isinstance(block, Text) else block.characters for block in self.blocks])


class Tool(NamedTuple):
    """A function that the caller offers."""

    name: str
    schema: JsonObject  # JSON schema of its input


class Shape(NamedTuple):
    """What the text of a reply must be: JSON that fits a schema."""

    schema: JsonObject  # JSON schema
    path: str  # of the schema in the request


class Request(Struct, frozen=True):
    """A valid request, whatever the API."""

    model: str
    max_tokens: int  # >= 0
    messages: tuple[Message, ...]  # in the order sent, roles not yet merged
    system: Message | None = None  # the top-level system prompt
    stop_sequences: tuple[str, ...] = ()
    stream: bool = False
    prefill: str = ""  # how the reply has already begun
    must_call: Tool | None = None  # this tool is called instead of giving an answer; without it no tool is called
    must_fit: Shape | None = None  # an example of it is said instead of an answer
    tools_characters: int = 0  # of all tools, as JSON


class Turn(Struct, frozen=True):
    """What a recogniser looks at: one user turn and all system text."""

    system: str
    user: str  # line ends are "\n"
    feedback: bool = False  # a later turn named problems with the answer to this one
    documents: tuple[Document, ...] = ()
    before: str = ""  # what the user said in the turn before


class Passage(Struct, frozen=True):
    """One passage, as the prompt names it."""

    ref: str  # "1" or "notes.md#2": what a citation must say
    text: str  # without its fence
    fence: str = ""  # the tag around it: "passage", "source" …, or "datamark"
    document: Document | None = None  # the block that it is
    weight: int | Fraction = 1  # by which its scores are multiplied

    @property
    def texts(self) -> tuple[str, ...]:
        """Its pieces, each of which is cut into sentences separately."""
        return self.document.texts if self.document else (self.text,)


class Reading(Struct, frozen=True):
    """What the prompt asks, found in the prompt alone."""

    form: str  # a name in RECOGNISERS, or "chat"
    passages: tuple[Passage, ...]  # in the order of the prompt
    question: str
    rules: str  # the prompt without its passages and its question
    feedback: bool = False
    subject: str = ""  # of a task: the previous question, or the answer to classify


class Span(NamedTuple):
    """A place in a passage."""

    piece: int  # index in Passage.texts
    start: int  # code points in the piece, 0-based
    end: int  # exclusive


class Part(Struct, frozen=True):
    """A piece of the answer and what it cites."""

    text: str
    ref: str | None = None  # the passage's ref; None: nothing is cited
    code: str = ""  # the code block that follows, uncited
    span: Span | None = None  # what is quoted of the passage, where quotes are sent


class Draft(Struct, frozen=True):
    """The answer before it is written out. A persona may change it."""

    kind: str  # "answer", "refusal", "obeyed", "task" or "chat"
    parts: tuple[Part, ...]
    note: str = ""  # what a persona did, in one clause


class Quote(NamedTuple):
    """A citation that is sent beside the text."""

    document: Document
    span: Span


class Said(NamedTuple):
    """A text of the reply and what supports it."""

    text: str
    quotes: tuple[Quote, ...] = ()


class ToolCall(NamedTuple):
    """A call of a caller's tool."""

    name: str
    input: JsonObject


class Usage(Struct, frozen=True):
    """Tokens: characters / 4, rounded up for each message."""

    input_tokens: int
    output_tokens: int


class Reply(Struct, frozen=True):
    """What is sent back, whatever the API."""

    said: tuple[Said, ...]  # as cut by stop_sequences and max_tokens; no text is empty
    stop_reason: str  # "end_turn", "stop_sequence", "max_tokens" or "tool_use"
    stop_sequence: str | None  # the one that was met
    usage: Usage
    persona: str
    reading: Reading
    call: ToolCall | None = None

    @property
    def text(self) -> str:
        return "".join([one.text for one in self.said])
