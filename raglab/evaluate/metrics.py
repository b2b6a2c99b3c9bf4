"""The rates of a report: each one small function from cases to a count out of a total."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from raglab.evaluate.cases import Case
from raglab.evaluate.rates import Rate

Cases = Sequence[Case]


@dataclass(frozen=True, slots=True)
class Metric:
    """A rate: what it is called, of what it is a share, and which way is better."""

    label: str
    of: str  # what the denominator counts
    better: int  # 1: higher, -1: lower, 0: neither
    count: Callable[[Cases], Rate]  # from the cases whose call did not fail


def _outcome(outcome: str, *, covered: bool | None) -> Callable[[Cases], Rate]:
    """How many of the covered, the uncovered or (None) of all questions end so."""

    def count(cases: Cases) -> Rate:
        chosen = [case for case in cases if covered is None or case.question.covered == covered]
        return Rate(sum(case.outcome == outcome for case in chosen), len(chosen))

    return count


def _refused_by(guard: str) -> Callable[[Cases], Rate]:
    return lambda cases: Rate(sum(case.answer.refused_by == guard for case in cases), len(cases))


def _names_missing_part(cases: Cases) -> Rate:
    partial = [case for case in cases if case.question.kind == "partial"]
    return Rate(sum(case.form == "partial" for case in partial), len(partial))


def _precision(cases: Cases) -> Rate:
    cited = [bool(ids & set(case.question.chunks)) for case in _marked(cases) if case.shown for ids in case.cited]
    return Rate(sum(cited), len(cited))


def _recall(cases: Cases) -> Rate:
    return _found_of_marked([(case, case.cited) for case in _marked(cases) if case.shown])


def _recall_at_k(cases: Cases) -> Rate:
    return _found_of_marked([(case, case.ranked) for case in _marked(cases)])


def _found_of_marked(found: list[tuple[Case, tuple[frozenset[str], ...]]]) -> Rate:
    marked = [(id, frozenset().union(*passages)) for case, passages in found for id in case.question.chunks]
    return Rate(sum(id in ids for id, ids in marked), len(marked))


def _reciprocal_rank(cases: Cases) -> Rate:
    marked = _marked(cases)
    return Rate(sum((_first(case) for case in marked), Fraction(0)), len(marked))


def _first(case: Case) -> Fraction:
    """1 / the rank of the first marked chunk, from 1; 0 where none was found."""
    ranks = (rank for rank, ids in enumerate(case.ranked, 1) if ids & set(case.question.chunks))
    return next((Fraction(1, rank) for rank in ranks), Fraction(0))


def _marked(cases: Cases) -> list[Case]:
    return [case for case in cases if case.question.chunks]


def _code_found(cases: Cases) -> Rate:
    found = [found for case in cases for _, found in case.code]
    return Rate(sum(found), len(found))


# To add a rate: a function above, and a row here. A row's name is its key in the JSON of a report.
METRICS: dict[str, Metric] = {
    "correct": Metric("answered correctly", "covered", 1, _outcome("correct", covered=True)),
    "wrong": Metric("answered wrongly", "covered", -1, _outcome("wrong", covered=True)),
    "over_refusal": Metric("over-refusal", "covered", -1, _outcome("over-refusal", covered=True)),
    "refused": Metric("refused rightly", "not covered", 1, _outcome("refused", covered=False)),
    "hallucination": Metric("hallucination", "not covered", -1, _outcome("hallucination", covered=False)),
    "needs_review": Metric("needs review", "all", -1, _outcome("needs-review", covered=None)),
    "partial": Metric("names the missing part", "partly covered", 1, _names_missing_part),
    "by_gate": Metric("refused by the gate", "all", 0, _refused_by("gate")),
    "by_model": Metric("refused by the model", "all", 0, _refused_by("model")),
    "citation_precision": Metric("citation precision", "passages cited", 1, _precision),
    "citation_recall": Metric("citation recall", "marked chunks of shown answers", 1, _recall),
    "recall_at_k": Metric("recall@k", "marked chunks", 1, _recall_at_k),
    "mrr": Metric("MRR", "questions with marked chunks", 1, _reciprocal_rank),
    "code_found": Metric("code found in the passages", "code blocks", 1, _code_found),
}
