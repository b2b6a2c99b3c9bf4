"""What the server remembers: its latest calls, never a key."""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import overload

from msgspec import Struct
from msgspec.structs import asdict

from mock_llm.errors import RequestError
from mock_llm.records import JsonObject, Reply, Request

REMEMBERED = 1_000  # calls; the oldest is forgotten first


class Call(Struct, frozen=True):
    """One call of the API. A refused call has a status of 400 or more and an error."""

    path: str
    status: int  # HTTP status
    model: str = ""
    persona: str = ""
    stream: bool = False
    form: str = ""  # of the prompt
    question: str = ""
    reply: str = ""  # text
    stop_reason: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    error: str = ""  # the message sent back

    def __str__(self) -> str:
        """One line, for `--log`."""
        if self.error:
            return f"{self.status} {self.path}  {self.error}"
        tokens = f"{self.input_tokens} + {self.output_tokens} tokens"
        if not self.form:  # nothing was read or said
            return f"{self.status} {self.path}  {self.model}, {tokens}"
        return f"{self.status} {self.path}  {self.persona}, {self.form}, {tokens}: {self.question!r}"


def answered(path: str, request: Request, reply: Reply) -> Call:
    """The record of an answered call."""
    return Call(
        path=path,
        status=200,
        model=request.model,
        persona=reply.persona,
        stream=request.stream,
        form=reply.reading.form,
        question=reply.reading.question,
        reply=reply.text,
        stop_reason=reply.stop_reason,
        input_tokens=reply.usage.input_tokens,
        output_tokens=reply.usage.output_tokens,
    )


def refused(path: str, error: RequestError) -> Call:
    """The record of a refused call."""
    return Call(path=path, status=error.status, error=str(error))


class Journal(Sequence[Call]):
    """The last calls, oldest first. One thread writes while others read.

    >>> journal = Journal()
    >>> journal.add(Call("/v1/messages", 200, question="When?"))
    >>> len(journal), journal[-1].question
    (1, 'When?')
    """

    def __init__(self) -> None:
        self._calls: deque[Call] = deque(maxlen=REMEMBERED)
        self.last_request: Request | None = None  # the last one that was answered from its prompt

    def add(self, call: Call, request: Request | None = None) -> None:
        self._calls.append(call)
        if request is not None:
            self.last_request = request

    def clear(self) -> None:
        """Forget all calls."""
        self._calls.clear()
        self.last_request = None

    def as_list(self) -> list[JsonObject]:
        """The same as plain lists, dicts and strings."""
        return [asdict(call) for call in self]

    @overload
    def __getitem__(self, index: int) -> Call: ...
    @overload
    def __getitem__(self, index: slice) -> list[Call]: ...
    def __getitem__(self, index: int | slice) -> Call | list[Call]:
        return list(self._calls.copy())[index]

    def __iter__(self) -> Iterator[Call]:
        return iter(self._calls.copy())  # a copy, since the server may write meanwhile

    def __len__(self) -> int:
        return len(self._calls)

    def __repr__(self) -> str:
        return "\n".join(str(call) for call in self) or "no calls yet"
