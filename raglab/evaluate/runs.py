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
from raglab.many import ask_many, check_settings, saved_answers
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
    of `ask_many`: a failed call spoils no other, and a run with `save` resumes where it was interrupted. Answers saved
    over other documents are not used again. Raises `DocumentError` for a set that does not fit the index, and
    `SettingError` for a setting that does not exist or cannot be meant, before any file is read.

    >>> from raglab.records import Hit
    >>> class Index:
    ...     def search(self, question, k):
    ...         return [Hit.of("fees.md#0", "The fee is ten dollars.")]
    >>> fee = Question("fee", "What is the fee?", "answerable", chunks=("fees.md#0",), contains=("ten dollars",))
    >>> report = evaluate([fee], Index(), lambda prompt: "Ten dollars [1].", progress=False)
    >>> print(report.rates["correct"])
    1 of 1 = 100.0 % (20.7 to 100.0 %)
    """
    check_settings("evaluate", index, workers=workers, executor=executor, progress=progress, save=save, **settings)
    chosen, model = as_set(questions), model_or_connect(model)
    style = find_style(settings.get("style") or chosen.style or NUMBERED)
    with_style: AskSettings = {**settings, "style": style}
    check_chunks(chosen, index)
    answers = ask_many(
        [question.conversation if question.history else question.question for question in chosen],
        index,
        model,
        workers=workers,
        executor=executor,
        progress=progress,
        save=save,
        version=_fingerprint(index) if save else "",
        **with_style,
    )
    in_force = _in_force(style, settings)
    cases = tuple(
        Case(question, answer, _ranking(answer, index, in_force, settings))
        for question, answer in zip(chosen, answers, strict=True)
    )
    return Report(chosen.name, _described(in_force, model, settings), cases)


def as_set(questions: Questions) -> QuestionSet:
    """A question set, read from its file if need be."""
    if isinstance(questions, QuestionSet):
        return questions
    if isinstance(questions, str | os.PathLike):
        return load_questions(questions)
    return QuestionSet(tuple(questions))


def load_run(path: str | os.PathLike[str], questions: Questions) -> Report:
    """The report of a saved run over the questions of the set that it asked; the documents are not needed.

    The file does not hold what the gate cut: a passage that it kept out counts as not found.
    """
    chosen = as_set(questions)
    answers = dict(saved_answers(path))
    cases = (
        Case(question, answers[question.conversation], answers[question.conversation].hits)
        for question in chosen
        if question.conversation in answers
    )
    return Report(chosen.name, (("saved in", os.path.basename(path)),), tuple(cases))


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

        A dash: there is no rate before or now, or neither direction is better.
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
    both = _answered(now) & _answered(before)
    if not both:
        raise DocumentError("The two runs have no answered question in common; compare runs of one question set.")

    def shared(report: Report) -> Report:
        return report.only(lambda case: case.question.conversation in both)

    return Comparison(shared(before), shared(now))


def _answered(report: Report) -> set[tuple[str, ...]]:
    """The conversations whose call did not fail."""
    return {case.question.conversation for case in report.cases if not case.failed}


def _short(rate: Rate) -> str:
    return f"{rate.count}, {rate.percent}" if rate.denominator else rate.count


def _in_force(style: Style, settings: AskSettings) -> Style:
    """The style with the k and the gate that were given in place of its own."""
    k, min_score = settings.get("k"), settings.get("min_score")
    return replace(style, k=style.k if k is None else k, min_score=style.min_score if min_score is None else min_score)


def _ranking(answer: Answer, index: Index, in_force: Style, settings: AskSettings) -> tuple[Hit, ...]:
    """What search finds before gate and ordering; where neither can have changed a thing, the hits themselves."""
    if not settings.get("order") and (in_force.min_score == 0 or len(answer.hits) == in_force.k):
        return answer.hits
    search = settings.get("search") or index.search
    return tuple(retrieve(answer.search_question, search, replace(in_force, min_score=0)))


def _fingerprint(index: Index) -> str:
    """A hash of the documents, so that a saved answer is used again only over the same ones."""
    digest = hashlib.sha256()
    for chunk in getattr(index, "chunks", ()):
        digest.update(f"{chunk.id}\0{chunk.text}\0".encode())
    return digest.hexdigest()[:16]


def _described(in_force: Style, model: Model, settings: AskSettings) -> tuple[tuple[str, str], ...]:
    """What was asked with; a setting that was not given is the style's."""
    known = {"style": settings.get("style") or in_force.name, "k": in_force.k, "min_score": in_force.min_score}
    others = {name: value for name, value in settings.items() if name not in known and value is not None}
    every = {**known, **others, "model": model}
    return tuple((name, str(getattr(value, "__name__", value))) for name, value in every.items())
