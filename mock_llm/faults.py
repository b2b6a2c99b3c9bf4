"""Faults on request: a script says what the next calls do, one step per call.

    mock.script([{"status": 529}, {"latency_ms": 300, "reply": "Open at 8. [1]"}])

The first call is refused as by an overloaded service, the second waits and says that text,
and from the third on everything is as usual. Only calls with the right key take a step.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from mock_llm.errors import MockError, RequestError
from mock_llm.records import Json, JsonObject
from mock_llm.wires.fields import Check, boolean, fields, integer, list_of, mapping, number, refuse, string

LONGEST_WAIT = 600_000  # ms
RETRY_AFTER = 1  # seconds, of a 429 whose step names none


@dataclass(frozen=True, slots=True)
class Step:
    """What one call does. With nothing set it is an ordinary call."""

    status: int | None = None  # 400 to 599: refuse the call with it
    retry_after: float | None = None  # seconds, sent with the refusal
    latency_ms: float = 0  # wait this long before anything is sent
    cut_stream_after: int | None = None  # pieces of text of a stream; then hang up
    malformed: bool = False  # break the JSON of the reply, or of a stream's first piece of text
    reply: str | None = None  # say this; limits and usage apply as usual

    def refusal(self) -> RequestError | None:
        """The error of a step with a status."""
        if self.status is None:
            return None
        kind, message = KINDS.get(self.status, OTHER if self.status < 500 else FAULT)
        error = RequestError(message, status=self.status, kind=kind)
        wait = RETRY_AFTER if self.status == 429 and self.retry_after is None else self.retry_after
        if wait is not None:
            error.headers["retry-after"] = f"{wait:g}"
        return error


class StreamCutError(Exception):
    """Raised at the place in a stream where the server hangs up."""


AS_ALWAYS = Step()


class Script:
    """The steps still to come. One thread may write while another reads.

    >>> script = Script()
    >>> script.replace([{"status": 529}])
    >>> script.take().status, script.take() == AS_ALWAYS, len(script)
    (529, True, 0)
    """

    def __init__(self) -> None:
        self._steps: deque[Step] = deque()

    def replace(self, steps: object) -> None:
        """Forget what is left and start with these. Raises RequestError that names a wrong step."""
        self._steps = deque(checked(steps))

    def take(self) -> Step:
        """The step of the next call."""
        try:
            return self._steps.popleft()
        except IndexError:
            return AS_ALWAYS

    def __len__(self) -> int:
        return len(self._steps)


def checked(steps: object) -> list[Step]:
    """Check steps given as plain values.

    >>> checked([{"status": 200}])
    Traceback (most recent call last):
    mock_llm.errors.RequestError: script.0.status: Input should be 400 to 599, the status of a refusal
    """
    return [msgspec.convert(step, Step) for step in list_of(_step)(steps, "script")]


def read_script(path: str) -> list[JsonObject]:
    """The steps in a file: a JSON list, or one JSON object per line. Raises MockError naming the file."""
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        raise MockError(f"cannot read the script {path} ({error.strerror}): name a readable file") from None
    try:
        steps = msgspec.json.decode(raw) if raw.lstrip().startswith(b"[") else _lines(raw)
        checked(steps)
    except (ValueError, RecursionError, MockError) as error:
        raise MockError(f"the script {path} cannot be used: {error}") from None
    return steps


def _lines(raw: bytes) -> list[Json]:
    steps = []
    for place, line in enumerate(raw.splitlines(), 1):
        try:
            if line.strip():
                steps.append(msgspec.json.decode(line))
        except (ValueError, RecursionError) as error:
            raise MockError(f"line {place} is not valid JSON: {error}") from None
    return steps


def played(events: Iterable[bytes], step: Step, delta: bytes) -> Iterator[bytes]:
    """The events of a stream, changed as the step says. `delta` is in every event that carries text.

    Raises StreamCutError where the server hangs up.

    >>> list(played([b"data: start", b"data: {delta}"], Step(malformed=True), b"delta"))
    [b'data: start', b'data: {de\\n\\n']
    """
    texts = 0
    for one in events:
        is_text = delta in one
        if step.cut_stream_after == texts and (texts or is_text):
            raise StreamCutError
        texts += is_text
        if step.malformed and is_text and texts == 1:
            name, mark, data = one.partition(b"data: ")
            one = name + mark + spoiled(data.rstrip()) + b"\n\n"
        yield one


def spoiled(raw: bytes) -> bytes:
    """The first half: JSON that never ends.

    >>> spoiled(b'{"a":1}')
    b'{"a'
    """
    return raw[: len(raw) // 2]


def _step(value: object, path: str) -> None:
    step = mapping(value, path)
    fields(step, path, STEP_FIELDS, ())
    if "retry_after" in step and "status" not in step:
        raise refuse(f"{path}.retry_after", "only sent with a status: add one, such as 429")


def _status(value: object, path: str) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not 400 <= value <= 599:
        raise refuse(path, "Input should be 400 to 599, the status of a refusal")


# The fields of a step. To add one, add it to Step and a line here.
STEP_FIELDS: dict[str, Check] = {
    "status": _status,
    "retry_after": number(0, 86_400),
    "latency_ms": number(0, LONGEST_WAIT),
    "cut_stream_after": integer(0),
    "malformed": boolean,
    "reply": string,
}

# Error type and message of each status, as the real service has them. To add one, add a line here.
KINDS = {
    400: ("invalid_request_error", "Invalid request (scripted)"),
    401: ("authentication_error", "Invalid authentication (scripted)"),
    403: ("permission_error", "Permission denied (scripted)"),
    404: ("not_found_error", "Not found (scripted)"),
    413: ("request_too_large", "Request too large (scripted)"),
    429: ("rate_limit_error", "Rate limit exceeded (scripted)"),
    500: ("api_error", "Internal server error (scripted)"),
    504: ("timeout_error", "Timed out (scripted)"),
    529: ("overloaded_error", "Overloaded (scripted)"),
}
OTHER = ("invalid_request_error", "Refused (scripted)")
FAULT = ("api_error", "Internal server error (scripted)")
