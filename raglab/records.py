"""The values that travel through the pipeline: frozen, without input or output, in reading order.

Document → Chunk → Hit → Prompt → Reply → Citation, Problem → Answer.
"""

import difflib
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import Any

from raglab.styles import Style
from raglab.text.words import shorten

ContentBlock = dict[str, Any]
"""One block of a message's content, as JSON: its "type", and what that type holds (text, a document, citations …)."""


@singledispatch
def markdown(value: object) -> str | None:
    """How a notebook shows a value: filled in by `raglab.render`; None means by its `repr`."""
    return None


@dataclass(frozen=True, slots=True)
class Document:
    """One file of the folder that answers come from.

    >>> Document("guide/setup.md", "Install it.").id
    'guide/setup.md'
    """

    source: str  # posix path relative to the folder
    text: str  # without byte order mark and front matter, line ends are \n
    title: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict, hash=False)  # front matter
    id: str = ""  # what its chunks' ids begin with; the source unless said otherwise

    def __post_init__(self) -> None:
        if not self.id:
            object.__setattr__(self, "id", self.source)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document, small enough to stand in a prompt: what search finds.

    >>> Chunk("fees.md#1", "fees.md", "Fees", "It costs 10 dollars.", 8, 28).label
    'fees.md > Fees'
    """

    id: str  # "fees.md#1": unique in its index
    source: str  # of its document
    heading: str  # of its section; empty without one
    text: str  # without the heading line
    start: int = 0  # code points in the document's text
    end: int = 0  # exclusive
    meta: Mapping[str, Any] = field(default_factory=dict, hash=False)  # title, category, url … of its document

    @property
    def label(self) -> str:
        """What a person reads in a source list."""
        return f"{self.source} > {self.heading}" if self.heading else self.source

    @property
    def anchor(self) -> str:
        """What the model reads beside a passage: `file#heading`, on one line."""
        return " ".join(f"{self.source}#{self.heading}".split()) if self.heading else self.source

    def _repr_markdown_(self) -> str | None:
        return markdown(self)


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that search found for a question.

    Its score is a cosine, unless `score_kind` names another kind, such as "bm25": then it says how the hits of one
    search rank, and no gate is drawn by it.
    """

    chunk: Chunk
    score: float  # unrounded; a cosine similarity: 0..1
    also: tuple[str, ...] = ()  # ids of chunks with the very same text
    score_kind: str = "cosine"

    @classmethod
    def of(
        cls,
        id: str,
        text: str,
        *,
        source: str | None = None,
        heading: str = "",
        score: float = 1.0,
        score_kind: str = "cosine",
    ) -> "Hit":
        """A hit made by hand, for an index of your own, tests and first steps; its source is what precedes the `#`.

        >>> Hit.of("fees.md#0", "It costs 10 dollars.").chunk.source
        'fees.md'
        """
        file = id.rpartition("#")[0] or id if source is None else source
        return cls(Chunk(id, file, heading, text, 0, len(text)), score, score_kind=score_kind)

    def __repr__(self) -> str:
        heading = f"heading={self.chunk.heading!r}, " if self.chunk.heading else ""
        return f"Hit({self.chunk.id!r}, {heading}score={self.score:.3f}, text={shorten(self.chunk.text)!r})"


@dataclass(frozen=True, slots=True)
class Prompt:
    """Exactly what the model is sent: system prompt, user message, and the turns of a retry after it."""

    system: str | None
    content: str | tuple[ContentBlock, ...]
    style: Style
    turns: tuple[tuple[str, str], ...] = ()  # (role, text), after the first user message
    mark: str = ""  # what stands between the words of its passages in place of a blank

    def messages(self) -> list[dict[str, Any]]:
        """The conversation as a list of role and content, the system prompt first where there is one.

        >>> from raglab import NUMBERED
        >>> [message["role"] for message in Prompt("Rules.", "Question?", NUMBERED).messages()]
        ['system', 'user']
        """
        content = self.content if isinstance(self.content, str) else list(self.content)
        system = [("system", self.system)] if self.system else []
        return [{"role": role, "content": each} for role, each in (*system, ("user", content), *self.turns)]

    @property
    def text(self) -> str:
        """All messages in one string, an empty line between two."""
        return "\n\n".join(text_of(message["content"]) for message in self.messages())

    @property
    def sha256(self) -> str:
        """A fingerprint of the messages: two prompts with the same one are equal to the byte."""
        return hashlib.sha256(json.dumps(self.messages(), ensure_ascii=False).encode()).hexdigest()

    def diff(self, other: "Prompt") -> str:
        """What changes from this prompt to the other, as a unified diff; empty when nothing does."""
        lines = difflib.unified_diff(
            self.text.splitlines(), other.text.splitlines(), "before", "after", lineterm="", n=1
        )
        return "\n".join(lines)

    def with_turns(self, *turns: tuple[str, str]) -> "Prompt":
        """The same conversation with more turns at its end."""
        return replace(self, turns=self.turns + turns)

    def __repr__(self) -> str:
        return f"<Prompt {self.style.name}, {len(self.text)} characters, sha256 {self.sha256[:12]}>"

    def _repr_markdown_(self) -> str | None:
        return markdown(self)


def text_of(content: str | Sequence[Mapping[str, Any]]) -> str:
    """The text of a message's content, whether it is a string or content blocks.

    >>> text_of([{"type": "text", "text": "Why?"}])
    'Why?'
    """
    if isinstance(content, str):
        return content
    return "\n\n".join(block["source"]["data"] if block["type"] == "document" else block["text"] for block in content)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one answer, as the service counted them.

    >>> Usage(2_000, 500).cost(input_per_mtok=3.0, output_per_mtok=15.0)
    0.0135
    """

    input_tokens: int
    output_tokens: int

    @property
    def total_tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    def cost(self, input_per_mtok: float, output_per_mtok: float) -> float:
        """The price in the currency of the two rates, which are per million tokens."""
        return (self.input_tokens * input_per_mtok + self.output_tokens * output_per_mtok) / 1_000_000

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens)


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model sent back."""

    text: str
    blocks: tuple[ContentBlock, ...] = ()  # as the service sent them
    usage: Usage | None = None  # None: the model does not count
    stop_reason: str | None = None
    request_id: str | None = field(default=None, compare=False)  # another one for every request


@dataclass(frozen=True, slots=True)
class Delta:
    """One piece of a streamed reply."""

    text: str = ""
    citations: tuple[Any, ...] = ()  # of the block that the text belongs to, as the service sent them
    ends_block: bool = False
    reply: Reply | None = None  # the whole reply, in the last piece


@dataclass(frozen=True, slots=True)
class Citation:
    """One marker in a reply, such as `[1]`, `[1, 3]` or `[notes.md#2]`."""

    marker: str  # as written
    start: int  # code points in the reply
    end: int  # exclusive
    refs: tuple[int | str, ...]  # known passage numbers or ids, in order
    bad: tuple[str, ...] = ()  # the rest of the marker; the whole marker for a reversed range
    nearest: str | None = None  # the known id most like an unknown one

    @property
    def valid(self) -> bool:
        """Whether everything in the marker names a passage of the prompt."""
        return not self.bad

    def __repr__(self) -> str:
        bad = f", bad {', '.join(self.bad)}" if self.bad else ""
        near = f", nearest {self.nearest!r}" if self.nearest else ""
        refs = ", ".join(map(str, self.refs)) or "nothing known"
        return f"<Citation {self.marker} at {self.start}..{self.end}: {refs}{bad}{near}>"


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a passage that the service itself says an answer rests on."""

    n: int  # number of the passage, from 1
    quote: str


@dataclass(frozen=True, slots=True)
class Source:
    """A passage that stood in the prompt, as a source list shows it."""

    n: int  # its number in the prompt, from 1
    id: str
    source: str
    heading: str
    score: float  # cosine, 0..1, unrounded
    cited: bool  # whether the answer cites it
    quotes: tuple[Quote, ...] = ()

    @property
    def label(self) -> str:
        """`membership.md > Membership fee`, or the file alone."""
        return f"{self.source} > {self.heading}" if self.heading else self.source

    def __repr__(self) -> str:
        cited = "cited" if self.cited else "not cited"
        quotes = f", quotes {[quote.quote for quote in self.quotes]}" if self.quotes else ""
        return f"<Source {self.n}: {self.label}, id {self.id!r}, score {self.score:.3f}, {cited}{quotes}>"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a reply."""

    code: str  # stable, see raglab.grounding.checks.CHECKS
    where: str  # the sentence; empty for the whole reply
    detail: str  # one sentence for a person

    def __repr__(self) -> str:
        return f"<Problem {self.code}: {self.detail}>"


@dataclass(frozen=True, slots=True)
class Finding:
    """A place in a document that reads like an instruction to the model, see raglab.safety.scanning."""

    start: int  # code points in the scanned text
    end: int  # exclusive
    text: str  # as it stands there
    reason: str  # the pattern, and what was undone to see it


@dataclass(frozen=True, slots=True)
class Answer:
    """What `ask` returns: what may be shown, and everything needed to see why."""

    text: str  # what may be shown to the person who asked
    status: str  # "answered", "partial", "not_found" or "needs_review"
    question: str  # as asked
    search_question: str  # as searched
    refused_by: str | None = None  # "gate": before the model; "model": by its reply
    sources: tuple[Source, ...] = ()
    hits: tuple[Hit, ...] = ()  # in the order of the prompt
    problems: tuple[Problem, ...] = ()
    prompt: Prompt | None = None  # None: no model call
    reply: Reply | None = None
    usage: Usage | None = None  # of all calls together; None: no model call, or a model that does not count
    retracted: bool = False  # pieces were streamed that the answer does not stand by

    @property
    def refused(self) -> bool:
        """Whether the answer is an honest "I don't know"."""
        return self.refused_by is not None

    def __repr__(self) -> str:
        cited = ", ".join(source.label for source in self.sources if source.cited)
        return f"<Answer {self.status}: {self.text!r}{f' from {cited}' if cited else ''}>"

    def _repr_markdown_(self) -> str | None:
        return markdown(self)
