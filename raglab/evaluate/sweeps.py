"""Sweeps: the same questions under several values of one or two settings."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple, Unpack, cast

from raglab.errors import SettingError, did_you_mean
from raglab.evaluate.forms import FORMS
from raglab.evaluate.metrics import METRICS, Metric
from raglab.evaluate.plots import Picture, curves
from raglab.evaluate.rates import Rate
from raglab.evaluate.report import Report
from raglab.evaluate.runs import Questions, as_set, evaluate
from raglab.evaluate.tables import Table
from raglab.many import ManySettings, check_settings
from raglab.models.connect import connect, model_or_connect
from raglab.pipeline import Order
from raglab.protocols import Index, Model
from raglab.retrieval.ordering import edge_order
from raglab.settings import known_settings, number_between

ERRORS = ("correct", "hallucination", "over_refusal", "needs_review")
THRESHOLDS = tuple(step / 20 for step in range(1, 11))  # 0.05, 0.10 … 0.50
ORDERS: dict[str, Order | None] = {"score": None, "edge": edge_order}


@dataclass(frozen=True)
class Sweep:
    """One report for every combination of the values."""

    names: tuple[str, ...]  # of the settings that vary
    points: tuple[tuple[tuple[Any, ...], Report], ...]  # (a value for each name, what came of it), in order

    def only(self, **fixed: object) -> "Sweep":
        """The points with these values, and the names that are left: `sweep.only(k=4)`."""
        for name in fixed:
            self._check_name(name)
        left = [place for place, name in enumerate(self.names) if name not in fixed]
        chosen = tuple(
            (tuple(values[place] for place in left), report)
            for values, report in self.points
            if all(values[self.names.index(name)] == value for name, value in fixed.items())
        )
        if not chosen:
            raise SettingError(f"The sweep has no point with {fixed}; its values are {self._values()}.")
        return Sweep(tuple(self.names[place] for place in left), chosen)

    def report(self, **values: object) -> Report:
        """The report of one point, with every answer behind its numbers."""
        chosen = self.only(**values).points
        if len(chosen) != 1:
            raise SettingError(f"{len(chosen)} points have {values}; name a value for each of {', '.join(self.names)}.")
        return chosen[0][1]

    def table(self, rates: Sequence[str] = ERRORS) -> Table:
        """One row per point, one column per rate of `METRICS`."""
        columns = (*self.names, *(_metric(rate).label for rate in rates))
        rows = tuple(
            (*map(shown, values), *(f"{report.rates[rate].count}, {report.rates[rate].percent}" for rate in rates))
            for values, report in self.points
        )
        return Table(f"Rates by {_joined(self.names)}", columns, rows)

    def forms(self) -> Table:
        """The forms of the answers to covered and to uncovered questions, one row each per point."""
        columns = (*self.names, "questions", *FORMS, "none")
        rows = []
        for values, report in self.points:
            for place, kind in enumerate(("covered", "not covered")):
                total = sum(case.question.covered == (place == 0) for case in report.cases)
                counts = [report.forms()[form][place] for form in FORMS]
                rows.append((*map(shown, values), f"{total} {kind}", *map(str, counts), str(total - sum(counts))))
        return Table(f"Form of the answers by {_joined(self.names)}", columns, tuple(rows))

    def plot(self, *rates: str, shade: tuple[float, float] | None = None) -> Picture:
        """Rates over the first setting, with their intervals; a line for each value of the second, if there is one."""
        if len(self.names) not in (1, 2):
            raise SettingError(f"A plot shows one or two settings, not {len(self.names)}; choose with only(…).")
        chosen = rates or ("hallucination", "over_refusal")
        x = list(dict.fromkeys(values[0] for values, _ in self.points))
        lines = self._lines(chosen)
        y_label = _metric(chosen[0]).label if len(chosen) == 1 else "share of the questions"
        alt = "; ".join(f"{name}: {', '.join(rate.percent for rate in line)}" for name, line in lines.items())
        alt = f"{y_label} at {self.names[0]} {', '.join(map(shown, x))}. {alt}."
        numbers = all(isinstance(value, int | float) for value in x)
        return curves(
            x if numbers else list(map(shown, x)), lines, x_label=self.names[0], y_label=y_label, alt=alt, shade=shade
        )

    def _lines(self, rates: Sequence[str]) -> dict[str, list[Rate]]:
        """Name of a line → its rate at each point: by rate, by value of the second setting, or by both."""
        lines: dict[str, list[Rate]] = {}
        for values, report in self.points:
            second = [f"{self.names[1]} {shown(values[1])}"] if values[1:] else []
            for rate in rates:
                first = [] if second and len(rates) == 1 else [_metric(rate).label]
                lines.setdefault(", ".join([*first, *second]), []).append(report.rates[rate])
        return lines

    def _values(self) -> str:
        columns = zip(*(values for values, _ in self.points), strict=True)
        every = (", ".join(dict.fromkeys(map(shown, column))) for column in columns)
        return "; ".join(f"{name}: {values}" for name, values in zip(self.names, every, strict=True))

    def _check_name(self, name: str) -> None:
        if name not in self.names:
            raise SettingError(f"The sweep does not vary {name!r}: {did_you_mean(name, self.names)}.")

    def __repr__(self) -> str:
        return f"<Sweep over {self._values()}>"

    def _repr_markdown_(self) -> str:
        return self.table().markdown()


def sweep(
    questions: Questions,
    index: Index,
    model: Model | Callable[..., str] | None = None,
    *,
    vary: Mapping[str, Iterable[object]],
    **settings: Unpack[ManySettings],
) -> Sweep:
    """Evaluate under every combination of the values of one or two settings.

    `vary` maps a setting of `evaluate` or `ask` (`min_score`, `k`, `style`, `fence`, `retries` …) to its values. The
    values of `order` are "score" or "edge"; those of `persona` are the mock's, and `model` is then not asked. Raises
    `SettingError` for a setting that does not exist or cannot be meant, before any question is asked.

    >>> from raglab.evaluate.questions import Question
    >>> from raglab.records import Hit
    >>> class Index:
    ...     def search(self, question, k):
    ...         return [Hit.of("fees.md#0", "The fee is ten dollars.", score=0.3)]
    >>> fee = Question("fee", "What is the fee?", "answerable", contains=("ten dollars",))
    >>> found = sweep([fee], Index(), lambda prompt: "Ten dollars [1].", vary={"min_score": [0.2, 0.4]}, progress=False)
    >>> [report.rates["over_refusal"].count for _, report in found.points]
    ['0 of 1', '1 of 1']
    """
    check_settings("sweep", index, **settings)
    planned = _planned(vary, settings)
    for point in planned:
        check_settings("sweep", index, **point.settings)
    fixed = None if "persona" in vary else model_or_connect(model)
    models = [connect(f"mock-{point.persona}") if fixed is None else fixed for point in planned]
    chosen = as_set(questions)
    points = (
        (point.values, evaluate(chosen, index, asked, **point.settings))
        for point, asked in zip(planned, models, strict=True)
    )
    return Sweep(tuple(vary), tuple(points))


class _Planned(NamedTuple):
    """A point of a sweep before it is asked."""

    values: tuple[Any, ...]  # of the settings that vary
    settings: ManySettings  # all of them
    persona: object  # of the mock, where that varies


def _planned(vary: Mapping[str, Iterable[object]], settings: ManySettings) -> list[_Planned]:
    """Every combination of the values, with the settings that it makes."""
    if len(vary) not in (1, 2):
        raise SettingError(f"A sweep varies one or two settings, not {len(vary)}; hold the others fixed.")
    known_settings("sweep", vary, {*ManySettings.__annotations__, "persona"})
    for name in vary:
        if name in settings:
            raise SettingError(f"{name} cannot be varied and held at {settings[name]!r}; leave one of the two out.")
    points = []
    for values in product(*(several(f"vary[{name!r}]", each) for name, each in vary.items())):
        chosen = dict(zip(vary, values, strict=True))
        persona = chosen.pop("persona", None)
        if "order" in chosen:
            chosen["order"] = find_order(chosen["order"])
        # Their names were checked above; their values are by `check_settings`.
        points.append(_Planned(values, cast(ManySettings, {**settings, **chosen}), persona))
    return points


@dataclass(frozen=True)
class ThresholdSweep(Sweep):
    """A sweep over `min_score`, and where it has both kinds of error at once."""

    @property
    def clean(self) -> tuple[float, ...]:
        """The thresholds at which no uncovered question is answered and no covered one is refused."""
        return tuple(values[0] for values, report in self.points if not any(_errors(report)))

    @property
    def conflict(self) -> tuple[float, ...]:
        """The thresholds at which both errors happen: raising the gate costs answers, lowering it lets more through."""
        return tuple(values[0] for values, report in self.points if all(_errors(report)))

    @property
    def verdict(self) -> str:
        """What the sweep says, in one or two sentences."""
        first, last = (shown(self.points[place][0][0]) for place in (0, -1))
        if self.clean:
            return f"Free of both errors: {', '.join(map(shown, self.clean))}."
        both = f" Both happen at once at {', '.join(map(shown, self.conflict))}." if self.conflict else ""
        return f"No threshold from {first} to {last} is free of both errors.{both}"

    def plot(self, *rates: str, shade: tuple[float, float] | None = None) -> Picture:
        """Both error rates over the threshold; grey where both errors happen at once."""
        grey = (min(self.conflict), max(self.conflict)) if self.conflict else None
        return super().plot(*rates, shade=shade or grey)

    def _repr_markdown_(self) -> str:
        return f"{super()._repr_markdown_()}\n\n{self.verdict}"


def threshold_sweep(
    questions: Questions,
    index: Index,
    model: Model | Callable[..., str] | None = None,
    thresholds: Iterable[float] = THRESHOLDS,
    **settings: Unpack[ManySettings],
) -> ThresholdSweep:
    """Both error rates at every threshold of the gate (cosine, 0..1), in ascending order; `settings` as for `sweep`.

    >>> from raglab.evaluate.questions import Question
    >>> from raglab.records import Hit
    >>> class Index:
    ...     def search(self, question, k):
    ...         return [Hit.of("fees.md#0", "The fee is ten dollars.", score=0.3)]
    >>> rust = Question("rust", "Do you teach Rust?", "unanswerable")
    >>> threshold_sweep([rust], Index(), lambda prompt: "Ten dollars [1].", [0.2, 0.4], progress=False).verdict
    'Free of both errors: 0.4.'
    """
    check_settings("threshold_sweep", index, **settings)
    ascending = sorted(number_between("each threshold", each) for each in several("thresholds", thresholds))
    found = sweep(questions, index, model, vary={"min_score": ascending}, **settings)
    return ThresholdSweep(found.names, found.points)


def shown(value: object) -> str:
    """A value of a setting as a person reads it.

    >>> shown(0.05), shown(None), shown(edge_order)
    ('0.05', 'none', 'edge_order')
    """
    if isinstance(value, float):
        return f"{value:g}"
    return "none" if value is None else str(getattr(value, "name", None) or getattr(value, "__name__", value))


def several(name: str, values: object) -> list[Any]:
    """The values of a setting that is varied, at least one; a `SettingError` for what is not a list of them.

    >>> several("sizes", (10, 20))
    [10, 20]
    """
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise SettingError(f"{name} must be a list of values, got {values!r}.")
    found = list(values)
    if not found:
        raise SettingError(f"{name} must have at least one value, got {values!r}.")
    return found


def find_order(order: Order | str) -> Order | None:
    """The function that arranges the hits, by its name in `ORDERS`; None leaves them as search ranks them.

    >>> find_order("edge") is edge_order
    True
    """
    if callable(order):
        return order
    if not isinstance(order, str) or order not in ORDERS:
        raise SettingError(f"There is no order {order!r}: {did_you_mean(order, ORDERS)}.")
    return ORDERS[order]


def _joined(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else "nothing"


def _errors(report: Report) -> tuple[int, int]:
    return int(report.rates["hallucination"].numerator), int(report.rates["over_refusal"].numerator)


def _metric(name: str) -> Metric:
    if name not in METRICS:
        raise SettingError(f"There is no rate {name!r}: {did_you_mean(name, METRICS)}.")
    return METRICS[name]
