"""Report: every answer of a run, and what they add up to."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from raglab.evaluate.cases import BLAMES, WRONG, Case
from raglab.evaluate.forms import FORMS
from raglab.evaluate.metrics import METRICS
from raglab.evaluate.rates import Rate
from raglab.evaluate.tables import Table, as_text
from raglab.records import Usage
from raglab.text.words import shorten


@dataclass(frozen=True)
class Report:
    """The cases of one run, in the order of the questions; everything else is worked out from them.

    Rates leave out the questions whose call failed, and say so: their denominators are smaller, and `failed` counts
    them. Two runs with the same answers are equal.
    """

    name: str
    settings: tuple[tuple[str, str], ...]  # what was asked with, as (name, value)
    cases: tuple[Case, ...]

    @cached_property
    def rates(self) -> dict[str, Rate]:
        """The rates of `METRICS`, by name."""
        judged = [case for case in self.cases if not case.failed]
        return {name: metric.count(judged) for name, metric in METRICS.items()}

    @property
    def failed(self) -> Rate:
        """The questions whose call failed, of all."""
        return Rate(sum(case.failed for case in self.cases), len(self.cases))

    @property
    def wrong(self) -> tuple[Case, ...]:
        """The cases to read: answered wrongly, refused wrongly, made up, or held back for review."""
        return tuple(case for case in self.cases if case.outcome in WRONG)

    @property
    def usage(self) -> Usage:
        """Tokens of all answers; a gate refusal costs none, and earlier questions of a follow-up are not counted."""
        used = (case.answer.usage for case in self.cases if case.answer.usage)
        return sum(used, Usage(0, 0))

    def cost(self, input_per_mtok: float, output_per_mtok: float) -> float:
        """The price of the run in the currency of the two rates, which are per million tokens."""
        return self.usage.cost(input_per_mtok, output_per_mtok)

    def only(self, chosen: Callable[[Case], bool]) -> "Report":
        """The same run over fewer questions, such as `lambda case: "tempting" in case.question.tags`."""
        return Report(self.name, self.settings, tuple(filter(chosen, self.cases)))

    def forms(self) -> dict[str, tuple[int, int]]:
        """Form → how many answers to covered and to uncovered questions have it."""
        return {
            form: (
                sum(case.form == form and case.question.covered for case in self.cases),
                sum(case.form == form and not case.question.covered for case in self.cases),
            )
            for form in FORMS
        }

    def blame(self) -> dict[str, tuple[Case, ...]]:
        """One of `BLAMES`, what caused a wrong answer → the answers it caused."""
        return {blame: tuple(case for case in self.wrong if case.blame == blame) for blame in BLAMES}

    # --- as tables, text, Markdown and data --------------------------------------------------------------------

    @property
    def title(self) -> str:
        """One line on what was measured."""
        asked = ", ".join(f"{name} {value}" for name, value in self.settings)
        return f"{self.name}: {len(self.cases)} questions, {asked}"

    def tables(self) -> tuple[Table, ...]:
        """Rates, forms, blame, and the answers to read."""
        return (self._rates_table(), self._forms_table(), self._blame_table(), self._wrong_table())

    def _rates_table(self) -> Table:
        rates = [(METRICS[name].label, METRICS[name].of, rate) for name, rate in self.rates.items()]
        rates.append(("failed calls", "all questions", self.failed))
        rows = tuple((label, rate.count, of, rate.percent, rate.span) for label, of, rate in rates)
        counted = Rate(sum(case.answer.usage is not None for case in self.cases), len(self.cases))
        used = self.usage
        note = f"{used.input_tokens} tokens in, {used.output_tokens} out; counted for {counted.count} questions."
        return Table("Rates", ("rate", "count", "of", "share", "95 % interval"), rows, note)

    def _forms_table(self) -> Table:
        rows = tuple((form, str(yes), str(no)) for form, (yes, no) in self.forms().items())
        covered = sum(case.question.covered for case in self.cases)
        total = (f"of {len(self.cases)} questions", str(covered), str(len(self.cases) - covered))
        return Table("Form of the answers", ("form", "covered", "not covered"), (*rows, total))

    def _blame_table(self) -> Table:
        rows = tuple(
            (blame, f"{len(cases)} of {len(self.wrong)}", ", ".join(case.question.id for case in cases) or "–")
            for blame, cases in self.blame().items()
        )
        return Table("Which half is to blame for a wrong answer", ("blame", "count", "questions"), rows)

    def _wrong_table(self) -> Table:
        rows = tuple(
            (case.question.id, case.outcome, case.blame or "–", _reason(case), shorten(words(case), 70))
            for case in self.cases
            if case.outcome in WRONG or case.failed
        )
        note = "" if rows else "None: no answer is wrong."
        return Table("Answers to read", ("question", "outcome", "blame", "problems", "the model's words"), rows, note)

    def text(self) -> str:
        """The whole report for a terminal."""
        return f"{self.title}\n\n{as_text(self.tables())}"

    def to_dict(self) -> dict[str, Any]:
        """The whole report as plain data for JSON, every answer with it."""
        return {
            "name": self.name,
            "settings": dict(self.settings),
            "rates": {name: _rate(rate) for name, rate in {**self.rates, "failed": self.failed}.items()},
            "forms": {form: {"covered": yes, "not_covered": no} for form, (yes, no) in self.forms().items()},
            "blame": {blame: [case.question.id for case in cases] for blame, cases in self.blame().items()},
            "usage": {"input_tokens": self.usage.input_tokens, "output_tokens": self.usage.output_tokens},
            "questions": [_case(case) for case in self.cases],
        }

    def to_json(self) -> str:
        """`to_dict` on one line."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def __repr__(self) -> str:
        told = ", ".join(f"{METRICS[name].label} {self.rates[name].count}" for name in ("correct", "hallucination"))
        return f"<Report {self.name}: {len(self.cases)} questions, {told}>"

    def _repr_markdown_(self) -> str:
        return "\n\n".join([f"**{self.title}**", *(table.markdown() for table in self.tables())])


def words(case: Case) -> str:
    """What the model said; where it was not asked, what was shown; where the call failed, why."""
    if case.failed:
        return case.answer.problems[0].detail
    return case.answer.reply.text if case.answer.reply else case.answer.text


def _reason(case: Case) -> str:
    codes: Sequence[str] = list(dict.fromkeys(problem.code for problem in case.answer.problems))
    return ", ".join(codes) or "–"


def _rate(rate: Rate) -> dict[str, Any]:
    low, high = rate.interval or (None, None)
    whole = rate.numerator == int(rate.numerator)
    numerator = int(rate.numerator) if whole else float(rate.numerator)
    return {"numerator": numerator, "denominator": rate.denominator, "value": rate.value, "low": low, "high": high}


def _case(case: Case) -> dict[str, Any]:
    answer = case.answer
    return {
        "id": case.question.id,
        "question": answer.question,
        "search_question": answer.search_question,
        "kind": case.question.kind,
        "tags": list(case.question.tags),
        "outcome": case.outcome,
        "form": case.form,
        "blame": case.blame,
        "status": answer.status,
        "refused_by": answer.refused_by,
        "text": answer.text,
        "reply": answer.reply.text if answer.reply else None,
        "problems": [problem.code for problem in answer.problems],
        "passages": [hit.chunk.id for hit in answer.hits],
        "cited": [source.id for source in answer.sources if source.cited],
        "marked": list(case.question.chunks),
    }
