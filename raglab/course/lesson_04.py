"""The exercises of lesson 04: a gate, what an application shows, and a model that listens to feedback."""

from collections.abc import Callable
from typing import Any

from raglab.course.exercises import Calls, Case, Exercise
from raglab.models.function import FunctionModel
from raglab.pipeline import ask
from raglab.records import Answer, Hit, Problem, Reply, Source
from raglab.styles import BRACKETED, NUMBERED, TAGGED

REFUSAL = NUMBERED.refusal


def reader(ids: list[str]) -> str:
    """A model for the gate's exercise: it says what it was given."""
    return f"I read {', '.join(ids)}."


class _Once:
    """A reader that must not be asked twice."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, ids: list[str]) -> str:
        self.asked += 1
        if self.asked > 1:
            raise AssertionError("the model was called twice")
        return reader(ids)

    def __repr__(self) -> str:
        return "reader"


def sleeper(ids: list[str]) -> str:
    """A model that must be left alone."""
    raise AssertionError("the model was called, though no hit is good enough")


def silent(ids: list[str]) -> str:
    """A model that replies nothing."""
    return ""


def _answered(text: str, *sources: Source) -> Answer:
    return Answer(text, "answered", "What is it?", "What is it?", sources=sources)


def _gap(question: str, refused_by: str, searched: str = "") -> Answer:
    return Answer(REFUSAL, "not_found", question, searched or question, refused_by=refused_by)


def _failed(reply: str, *codes: str) -> Answer:
    problems = tuple(Problem(code, reply, "") for code in codes)
    text = BRACKETED.refusal
    return Answer(text, "needs_review", "What is it?", "What is it?", problems=problems, reply=Reply(reply))


def _source(n: int, label: str) -> Source:
    file, _, heading = label.partition(" > ")
    return Source(n, f"{file}#0", file, heading, 0.5, cited=True)


class _LiveClasses:
    """One passage, for every question."""

    def search(self, question: str, k: int) -> list[Hit]:
        return [Hit.of("live-classes#0", "Live classes are held from 7 PM to 9 PM.")]


def _asked_twice(second_try: Callable[[str, str], Callable[..., str]]) -> Callable[..., list[str]]:
    def two_questions(first: str, second: str, retries: int) -> list[str]:
        model = FunctionModel(second_try(first, second))
        questions = ("When are live classes held?", "When do live classes end?")
        answers = [ask(question, _LiveClasses(), model, style=TAGGED, retries=retries) for question in questions]
        return [f"{answer.status}: {answer.text}" for answer in answers]

    return two_questions


_RIGHT, _WRONG = "They end at 9 PM [live-classes#0].", "They end at 10 PM [live-classes#0]."
_UNSOURCED = "They end at 9 PM [timetable#3]."


def _grade_second_try(second_try: Any) -> list[str]:
    """Two questions, one after the other, to the same model: only what the prompt says may count."""
    right, refused = f"answered: {_RIGHT}", f"needs_review: {TAGGED.refusal}"
    return Calls(
        (
            Case((_WRONG, _RIGHT, 1), [right, right]),
            Case((_WRONG, _RIGHT, 0), [refused, refused]),
            Case((_RIGHT, _WRONG, 1), [right, right]),
            Case((_UNSOURCED, _RIGHT, 1), [right, right]),
            Case((_WRONG, _UNSOURCED, 2), [refused, refused]),
        )
    )(_asked_twice(second_try))


EXERCISES = (
    Exercise(
        id="04.1",
        task="""\
**Exercise 04.1: the gate.** `hits` is a list of pairs `(id, score)`, best first. If at least one score is
`min_score` or more, call `model` once with the list of the ids that are good enough, and return its reply. If none
is, return `REFUSAL`, and do not call the model at all.

Let `reader` be a model that returns `"I read a.md#0."` for the list `["a.md#0"]`. Then
`guarded([("a.md#0", 0.4), ("b.md#0", 0.1)], 0.2, reader)` returns `"I read a.md#0."`.""",
        answer="guarded",
        starter=f'''\
REFUSAL = "{REFUSAL}"

def guarded(hits, min_score, model):
    """The model's reply to the good hits, or the refusal without a call."""
    ...''',
        hints=(
            "Two steps: keep the ids whose score is high enough, then see whether any are left.",
            "`[id for id, score in hits if score >= min_score]` keeps them; an empty list counts as False.",
            "`return model(good) if good else REFUSAL`",
        ),
        solution=f'''\
REFUSAL = "{REFUSAL}"

def guarded(hits, min_score, model):
    """The model's reply to the good hits, or the refusal without a call."""
    good = [id for id, score in hits if score >= min_score]
    return model(good) if good else REFUSAL''',
        grade=Calls(
            (
                Case(([("a.md#0", 0.4), ("b.md#0", 0.1)], 0.2, reader), "I read a.md#0."),
                Case(([("a.md#0", 0.4), ("b.md#0", 0.1)], 0.5, sleeper), REFUSAL),
                Case(([], 0.0, sleeper), REFUSAL),
                Case(([("a.md#0", 0.4)], 0.2, _Once()), "I read a.md#0."),
                Case(([("a.md#0", 0.3)], 0.3, reader), "I read a.md#0."),
                Case(([("a.md#0", 0.4)], 0.2, silent), ""),
                Case(([("z.md#1", 0.9), ("a.md#0", 0.3), ("m.md#2", 0.2)], 0.25, reader), "I read z.md#1, a.md#0."),
            )
        ),
    ),
    Exercise(
        id="04.2",
        task="""\
**Exercise 04.2: what an application shows.** Turn an `Answer` into the pair `(shown, log)`: what the person reads,
and the line that goes into a log, or an empty string if there is none.

| status | shown | log |
|---|---|---|
| `answered` | the text, with labels instead of its citations | nothing: `""` |
| `not_found` | the text | the question, as in `gap: Is there a pool?` |
| `needs_review` | the text | codes and reply, as in `review: unknown-source, missing-citation: It is 10.` |

For an answer with the text `"Ten dollars [1]."`, whose source 1 is `fees.md > Fee`, the right answer is
`("Ten dollars [fees.md > Fee].", "")`.""",
        answer="respond",
        starter='''\
def respond(answer):
    """What the person reads, and what is logged."""
    ...''',
        hints=(
            "Three statuses, three returns. `answer.status` is a text; compare it with `==`.",
            "`raglab.label_citations(answer.text, answer.sources)` puts the labels in.",
            '`", ".join(problem.code for problem in answer.problems)` gives the codes, `answer.reply.text` the reply.',
        ),
        solution='''\
def respond(answer):
    """What the person reads, and what is logged."""
    if answer.status == "answered":
        return raglab.label_citations(answer.text, answer.sources), ""
    if answer.status == "not_found":
        return answer.text, f"gap: {answer.question}"
    codes = ", ".join(problem.code for problem in answer.problems)
    return answer.text, f"review: {codes}: {answer.reply.text}"''',
        grade=Calls(
            (
                Case(
                    (_answered("Ten dollars [1].", _source(1, "fees.md > Fee")),), ("Ten dollars [fees.md > Fee].", "")
                ),
                Case((_gap("Who is the vice president?", "model"),), (REFUSAL, "gap: Who is the vice president?")),
                Case((_gap("Is there a pool?", "gate"),), (REFUSAL, "gap: Is there a pool?")),
                Case(
                    (_failed("It is 10 [7].", "unknown-source"),),
                    (BRACKETED.refusal, "review: unknown-source: It is 10 [7]."),
                ),
                Case(
                    (_failed("10 PM.", "missing-citation", "number-not-in-source"),),
                    (BRACKETED.refusal, "review: missing-citation, number-not-in-source: 10 PM."),
                ),
                Case(
                    (_failed("It is 10.", "unknown-source", "missing-citation"),),
                    (BRACKETED.refusal, "review: unknown-source, missing-citation: It is 10."),
                ),
                Case(
                    (_answered("Two [2]. One [1].", _source(1, "a.md"), _source(2, "b.md > Two")),),
                    ("Two [b.md > Two]. One [a.md].", ""),
                ),
                Case(
                    (_answered("Ten [1, 2]. Use `rows[1]`.", _source(1, "a.md"), _source(2, "b.md > Two")),),
                    ("Ten [a.md; b.md > Two]. Use `rows[1]`.", ""),
                ),
                Case((_gap("And how long?", "gate", "How long is a loan?"),), (REFUSAL, "gap: And how long?")),
            )
        ),
    ),
    Exercise(
        id="04.3",
        task="""\
**Exercise 04.3: a model that listens.** Return a function that can take the model's place. It is given the whole
prompt as one text. It replies `first`, but when the prompt contains feedback, a line `Problems with your answer:`, it
replies `second`. Do not count calls: the check asks the same model two questions.

The check calls `two_questions(first, second, retries)`, which has `raglab.ask` put both questions to your model, in
the style TAGGED. When `first` says `10 PM` and `second` says `9 PM`, both must end as `answered` with `retries=1`,
and as `needs_review` with `retries=0`.""",
        answer="second_try",
        starter='''\
def second_try(first, second):
    """A model that replies `first`, and `second` when it is told of problems."""
    ...''',
        hints=(
            "A function may be defined inside another one; return it without calling it.",
            "The inner function takes one argument, the prompt, and returns one of the two texts.",
            '`return second if "Problems with your answer:" in prompt else first` is its body.',
        ),
        solution='''\
def second_try(first, second):
    """A model that replies `first`, and `second` when it is told of problems."""

    def reply(prompt):
        return second if "Problems with your answer:" in prompt else first

    return reply''',
        grade=_grade_second_try,
    ),
)
