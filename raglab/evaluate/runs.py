"""Runs: a question set, an index and a model → a Report; saved runs read again, and two runs compared."""

import hashlib
import os
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Unpack

from raglab.errors import DocumentError
from raglab.evaluate.cases import Case
from raglab.evaluate.metrics import METRICS
from raglab.evaluate.questions import Question, QuestionSet, check_chunks, load_questions
from raglab.evaluate.rates import Rate
from raglab.evaluate.report import Report
from raglab.evaluate.tables import Table
from raglab.many import ask_many, saved_answers
from raglab.models.connect import model_or_connect
from raglab.pipeline import AskSettings
from raglab.protocols import Index, Model
from raglab.records import Answer, Hit
from raglab.retrieval.retrieve import retrieve
from raglab.styles import NUMBERED, Style, find_style

Questions = QuestionSet | Iterable[Question] | str | os.PathLike[str]


def evaluate(
    questions: Questions,
    index: Index,
    model: Model | Callable[..., str] | None = None,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    progress: bool = True,
    save: str | os.PathLike[str] | None = None,
    **settings: Unpack[AskSettings],
) -> Report:
    """Ask every question of a set and report how the answers did; `settings` are those of `ask`.

    `questions` is a question set, its file, or some `Question`s. `style` is the set's own unless given. A question
    with a history is asked after the questions of its history. `workers`, `executor`, `progress` and `save` are those
    of `ask_many`: a failed call spoils no other, and a run with `save` goes on where it was cut off. Answers saved over
    other documents are not used again. Raises `DocumentError` for a set that does not fit the index.

    >>> from raglab.records import Hit
    >>> class Index:
    ...     def search(self, question, k):
    ...         return [Hit.of("fees.md#0", "The fee is ten dollars.")]
    >>> fee = Question("fee", "What is the fee?", "answerable", chunks=("fees.md#0",), contains=("ten dollars",))
    >>> report = evaluate([fee], Index(), lambda prompt: "Ten dollars [1].", progress=False)
    >>> print(report.rates["correct"])
    1 of 1 = 100.0 % (20.7 to 100.0 %)
    """
    questions, model = as_set(questions), model_or_connect(model)
    style = find_style(settings.get("style") or questions.style or NUMBERED)
    asked: AskSettings = {**settings, "style": style}
    check_chunks(questions, index)
    answers = ask_many(
        [question.conversation if question.history else question.question for question in questions],
        index,
        model,
        workers=workers,
        executor=executor,
        progress=progress,
        save=save,
        version=_fingerprint(index) if save else "",
        **asked,
    )
    cases = tuple(
        Case(question, answer, _ranking(answer, index, style, settings))
        for question, answer in zip(questions, answers, strict=True)
    )
    return Report(questions.name, _described(style, model, settings), cases)


def as_set(questions: Questions) -> QuestionSet:
    """A question set, read from its file if need be."""
    if isinstance(questions, QuestionSet):
        return questions
    if isinstance(questions, str | os.PathLike):
        return load_questions(questions)
    return QuestionSet(tuple(questions))


def load_run(path: str | os.PathLike[str], questions: Questions) -> Report:
    """The report of a saved run over the questions of the set that it asked; the documents are not needed.

    What the gate cut is not in the file: a passage that it kept out counts as not found.
    """
    questions = as_set(questions)
    answers = dict(saved_answers(path))
    cases = (
        Case(question, answers[question.conversation], answers[question.conversation].hits)
        for question in questions
        if question.conversation in answers
    )
    return Report(questions.name, (("saved in", os.path.basename(path)),), tuple(cases))


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs over the questions that both asked."""

    before: Report
    now: Report

    @property
    def worse(self) -> tuple[str, ...]:
        """The rates that got worse beyond the interval they had before."""
        return tuple(name for name in METRICS if self.verdict(name) == "worse")

    def verdict(self, name: str) -> str:
        """What became of a rate: "worse" or "better" if it left the interval it had before, else "as before".

        A dash stands for a rate of nothing, and for one of which neither way is better.
        """
        before, now, better = self.before.rates[name], self.now.rates[name], METRICS[name].better
        if before.interval is None or now.value is None or not better:
            return "–"
        low, high = before.interval
        if low <= now.value <= high:
            return "as before"
        return "better" if (now.value > high) == (better > 0) else "worse"

    def table(self) -> Table:
        """Every rate before and now."""
        rows = tuple(
            (METRICS[name].label, _short(self.before.rates[name]), self.before.rates[name].span)
            + (_short(self.now.rates[name]), self.verdict(name))
            for name in METRICS
        )
        title = f"Compared with the run before, on {len(self.now.cases)} questions that both asked"
        return Table(title, ("rate", "before", "95 % interval", "now", "verdict"), rows)

    def _repr_markdown_(self) -> str:
        return self.table().markdown()


def compare(now: Report, before: Report) -> Comparison:
    """Two reports side by side, over the questions that both have, and whose call failed in neither."""
    both = _asked(now) & _asked(before)
    if not both:
        raise DocumentError("The two runs have no answered question in common; compare runs of one question set.")
    return Comparison(*(report.only(lambda case: case.question.conversation in both) for report in (before, now)))


def _asked(report: Report) -> set[tuple[str, ...]]:
    return {case.question.conversation for case in report.cases if not case.failed}


def _short(rate: Rate) -> str:
    return f"{rate.count}, {rate.percent}" if rate.denominator else rate.count


def _ranking(answer: Answer, index: Index, style: Style, settings: AskSettings) -> tuple[Hit, ...]:
    """What search finds before gate and ordering; where neither can have changed a thing, the hits themselves."""
    k = settings.get("k")
    k = style.k if k is None else k
    gate = settings.get("min_score")
    gate = style.min_score if gate is None else gate
    if not settings.get("order") and (gate == 0 or len(answer.hits) == k):
        return answer.hits
    search = settings.get("search") or index.search
    return tuple(retrieve(answer.search_question, search, replace(style, min_score=0), k=k))


def _fingerprint(index: Index) -> str:
    """A hash of the documents, so that a saved answer is used again only over the same ones."""
    digest = hashlib.sha256()
    for chunk in getattr(index, "chunks", ()):
        digest.update(f"{chunk.id}\0{chunk.text}\0".encode())
    return digest.hexdigest()[:16]


def _described(style: Style, model: Model, settings: AskSettings) -> tuple[tuple[str, str], ...]:
    """What was asked with; a setting that was not given is the style's."""
    known = {"style": style.name, "k": style.k, "min_score": style.min_score}
    given = {name: value for name, value in settings.items() if value is not None}
    all_settings = {**known, **given, "model": model}
    return tuple((name, str(getattr(value, "__name__", value))) for name, value in all_settings.items())
