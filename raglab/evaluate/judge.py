"""A model as judge of the form of an answer, and how far it agrees with the rules."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from raglab.evaluate.cases import Case
from raglab.evaluate.forms import FORMS
from raglab.evaluate.rates import Rate
from raglab.protocols import Model
from raglab.records import Prompt
from raglab.styles import NUMBERED
from raglab.text.words import squash

INSTRUCTION = """\
Classify the form of the answer below. It is one of these:
answered: it answers the question.
partial: it answers a part and says which part the sources do not cover.
clean_no: it says that the sources do not hold the answer, and nothing else.
padded_no: it says so, and adds something.
Reply with JSON only, such as {"form": "answered"}."""

_JUDGE = replace(NUMBERED, name="judge", system=None, max_tokens=100)
_OBJECT = re.compile(r"\{[^{}]*\}")


def judge_form(question: str, text: str, model: Model) -> str | None:
    """The form of an answer as a model sees it, one of `FORMS`; None where its reply names none of them.

    >>> from raglab.models.function import FunctionModel
    >>> judge_form("What is the fee?", "I don't know.", FunctionModel(lambda prompt: '{"form": "clean_no"}'))
    'clean_no'
    """
    content = f"{INSTRUCTION}\n\nQuestion: {squash(question)}\nAnswer: {text}"
    found = _OBJECT.search(model.complete(Prompt(None, content, _JUDGE)).text)
    try:
        form = json.loads(found[0]).get("form") if found else None
    except ValueError:
        return None
    return form if form in FORMS else None


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far the rules and a model agree on the form of the same answers."""

    judged: tuple[tuple[Case, str | None], ...]  # each case with the model's word; None: it named no form

    @property
    def rate(self) -> Rate:
        """Answers with the same form, of all that were judged."""
        return Rate(sum(case.form == form for case, form in self.judged), len(self.judged))

    @property
    def table(self) -> dict[tuple[str, str], int]:
        """(form by the rules, form by the model) → how many answers."""
        return dict(sorted(Counter((str(case.form), str(form)) for case, form in self.judged).items()))

    @property
    def differing(self) -> tuple[tuple[Case, str | None], ...]:
        """The answers to read: those on which the two differ."""
        return tuple((case, form) for case, form in self.judged if case.form != form)

    def __repr__(self) -> str:
        return f"<Agreement of rules and model: {self.rate}>"


def agreement(cases: Iterable[Case], model: Model) -> Agreement:
    """Ask a model for the form of every reply; what the gate refused has none and is left out."""
    judged = (
        (case, judge_form(case.answer.question, case.answer.reply.text, model)) for case in cases if case.answer.reply
    )
    return Agreement(tuple(judged))
