"""How one answer came about, step by step, to be read by a person or by a program."""

import textwrap
from dataclasses import asdict, dataclass
from fractions import Fraction

from mock_llm.core import answer
from mock_llm.personas import PERSONAS, perform, persona_of
from mock_llm.reader import LEAST, Scored, Scoring
from mock_llm.recognise import RECOGNISERS, recognise
from mock_llm.records import JsonObject, Request
from mock_llm.tasks import TASKS
from mock_llm.wires.anthropic_request import as_body, parsed

WIDTH = 79


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence and its score."""

    passage: str  # the ref of its passage
    sentence: str
    matches: tuple[str, ...]  # its words that are question words, with repetition
    score: float  # how many they are, times the weight
    winner: bool
    weight: float = 1  # of its passage's place, where a persona weighs places


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """Form, words, scores and winner. Its repr is plain text, at most 79 columns wide."""

    form: str
    about: str  # what that form looks like
    persona: str
    question: str
    words: tuple[str, ...]  # of the question, each once
    sentences: tuple[Line, ...]  # in the order of the prompt
    why: str
    refusal: str | None  # None: answered, a task, or plain chat
    reply: str
    parts: tuple[str, ...] = ()  # of the question, where each has an answer of its own

    def as_dict(self) -> JsonObject:
        """The same as plain lists, dicts and strings."""
        return asdict(self)

    def __repr__(self) -> str:
        head = [
            _labelled("form", f"{self.form}: {self.about}"),
            _labelled("persona", f"{self.persona}: {PERSONAS[self.persona].about}"),
            _labelled("question", self.question),
            *([_labelled("parts", "\n".join(self.parts))] if len(self.parts) > 1 else []),
            _labelled("words", ", ".join(self.words) or "none"),
        ]
        foot = [_labelled("why", self.why), _labelled("reply", self.reply)]
        return "\n".join([*head, "", *self._table(), *foot])

    def _table(self) -> list[str]:
        if not self.sentences:
            return []
        refs = [f"[{_clipped_left(line.passage, 28)}]" for line in self.sentences]
        width = max(len("passage"), *map(len, refs))
        rows = [f"  score  {'passage':{width}}  sentence"]
        for line, ref in zip(self.sentences, refs, strict=True):
            start = f"{'>' if line.winner else ' '} {f'{line.score:.4g}':>5}  {ref:{width}}  "
            rows.append(start + _clipped(line.sentence, WIDTH - len(start)))
            if line.matches:
                rows.append(" " * len(start) + _clipped(_sum(line), WIDTH - len(start)))
        return [*rows, ""]


def explain(request: JsonObject | list[JsonObject], persona: str = "reader") -> Explanation:
    """Why the mock answers a request as it does.

    `request` is a body of `POST /v1/messages`, or just a list of messages; model and max_tokens may
    be left out. Raises RequestError for a request that the server would refuse.

    >>> prompt = "Context:\\n[1] (source: hours.md) Rooms open at 8.\\n\\nQuestion: When do rooms open?"
    >>> explain([{"role": "user", "content": prompt}])
    form      numbered: a Context: block of [n] (source: …) passages
    persona   reader: repeats the sentence that shares most words with the question
    question  When do rooms open?
    words     room, open
    <BLANKLINE>
      score  passage  sentence
    >     2  [1]      Rooms open at 8.
                      = room + open
    <BLANKLINE>
    why       2 is the highest score
    reply     Rooms open at 8. [1]
    """
    body = as_body(request)
    if isinstance(body, dict):
        body = {**as_body([]), **body}
    return explained(parsed(body), persona)


def explained(request: Request, persona: str = "reader") -> Explanation:
    """The same for a request that is already checked, of any API."""
    reply = answer(request, persona)
    scoring = perform(recognise(request), persona_of(request.model, persona))
    form = RECOGNISERS.get(scoring.reading.form)
    return Explanation(
        form=scoring.reading.form,
        about=form.about if form else "no passages with a question were found",
        persona=reply.persona,
        question=scoring.reading.question,
        words=scoring.words,
        sentences=tuple(
            Line(one.passage.ref, one.sentence.text, one.matches, _decimal(one.score), one in scoring.winners,
                 _decimal(one.passage.weight))
            for one in scoring.sentences
        ),
        why=_why_forced(request) or _why(scoring),
        refusal=scoring.draft.parts[0].text if scoring.draft.kind == "refusal" else None,
        reply=reply.text,
        parts=scoring.parts,
    )  # fmt: skip


def _why_forced(request: Request) -> str:
    if request.must_call:
        return f"the tool {request.must_call.name} must be called, whatever the prompt says"
    return "the reply must fit a schema, so an example of it is given" if request.must_fit else ""


def _why(scoring: Scoring) -> str:
    return f"{_outcome(scoring)}; {scoring.draft.note}" if scoring.draft.note else _outcome(scoring)


def _outcome(scoring: Scoring) -> str:
    if scoring.reading.form == "chat":
        return "there is nothing to answer from"
    if scoring.reading.form in TASKS:
        return "the instruction asks for a task, not for an answer"
    refused = "so the refusal of the prompt's rules is given"
    if not scoring.sentences:
        return f"there is no sentence to answer from, {refused}"
    best = max(scoring.sentences, key=_score)
    if not scoring.winners:
        return f"the highest score is {_decimal(best.score):.4g}, less than {LEAST}, {refused}"
    if len(scoring.parts) > 1:
        return "each part of the question has a winner of its own, by the words of that part, if it has one at all"
    ties = sum(one.score == best.score for one in scoring.sentences)
    first = f", and the first of {ties} sentences with it wins" if ties > 1 else ""
    return f"{_decimal(best.score):.4g} is the highest score{first}"


def _score(one: Scored) -> int | Fraction:
    return one.score


def _decimal(number: int | Fraction) -> float:
    """Scores are compared as fractions, and shown as decimals."""
    return number if isinstance(number, int) else float(number)


def _sum(line: Line) -> str:
    words = " + ".join(line.matches)
    return f"= {words}" if line.weight == 1 else f"= {line.weight:.4g} x ({words})"


def _clipped(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 1].rstrip() + "…"


def _clipped_left(text: str, room: int) -> str:
    """Ids differ at their ends."""
    return text if len(text) <= room else "…" + text[1 - room :]


def _labelled(label: str, text: str) -> str:
    """A label and a text beside it. Long lines wrap; line breaks of the text stay."""
    lines = [
        piece for line in text.split("\n") for piece in textwrap.wrap(line, WIDTH - 10, break_on_hyphens=False) or [""]
    ]
    return "\n".join(f"{label if i == 0 else '':10}{line}".rstrip() for i, line in enumerate(lines))
