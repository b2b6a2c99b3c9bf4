"""Plots: pictures that carry their own description, the same in every notebook viewer."""

import base64
import html
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING

from raglab.evaluate.rates import Rate

if TYPE_CHECKING:  # loaded on first use
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG image with its description in words."""

    alt: str
    png: bytes = field(repr=False)

    def _repr_html_(self) -> str:
        data = base64.b64encode(self.png).decode()
        return f'<img alt="{html.escape(self.alt)}" src="data:image/png;base64,{data}" style="max-width: 100%">'


def curves(
    x: Sequence[float | str],
    lines: Mapping[str, Sequence[float | Rate]],
    *,
    x_label: str,
    y_label: str,
    alt: str,
    shade: tuple[float, float] | None = None,
) -> Picture:
    """One line per name over the same `x`, told apart by marker and dashes as well as colour.

    A `Rate` is drawn with its interval, and left out where it has none. Texts as `x` are set at equal distances.
    `shade` is a span of x with a grey ground. `alt` says in words what the picture shows.

    >>> curves([1, 2], {"a": [0.1, 0.2]}, x_label="k", y_label="score", alt="One line, which rises.")
    Picture(alt='One line, which rises.')
    """
    figure, axes = _figure()
    places = list(range(len(x))) if any(isinstance(one, str) for one in x) else x
    for (name, y), marker, dashes in zip(lines.items(), cycle("os^Dv"), cycle(["-", "--", ":"]), strict=False):
        heights, spread = [_height(one) for one in y], _spread(y)
        if any(isinstance(one, Rate) for one in y):
            axes.errorbar(
                places, heights, yerr=spread, capsize=3, elinewidth=0.7, marker=marker, linestyle=dashes, label=name
            )
        else:
            axes.plot(places, heights, marker=marker, linestyle=dashes, label=name)
    if places is not x or (len(x) <= 10 and all(one == int(one) for one in x)):
        axes.set_xticks(places, [str(one) for one in x])  # else whole numbers get ticks such as 2.5
    if shade:
        axes.axvspan(*shade, color="0.5", alpha=0.2, hatch="//")
    axes.set(xlabel=x_label, ylabel=y_label)
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    return picture(figure, alt)


def bars(rates: Mapping[str, Rate], *, x_label: str, alt: str) -> Picture:
    """One bar per rate, with its interval and its count written beside it.

    >>> bars({"correct": Rate(8, 10)}, x_label="share", alt="One bar, at 80 %.")
    Picture(alt='One bar, at 80 %.')
    """
    figure, axes = _figure(height=0.6 + 0.35 * len(rates))
    places = range(len(rates))
    heights = [rate.value or 0 for rate in rates.values()]
    axes.barh(places, heights, color="0.75", edgecolor="0.2", xerr=_spread(list(rates.values())), capsize=3)
    for place, rate in zip(places, rates.values(), strict=True):
        axes.text(1.02, place, rate.count, va="center", fontsize=8)
    axes.set_yticks(places, list(rates))
    axes.invert_yaxis()
    axes.set(xlabel=x_label, xlim=(0, 1))
    axes.grid(alpha=0.3, axis="x")
    return picture(figure, alt)


def _height(value: float | Rate) -> float:
    """The y of a point; not a number where there is no rate."""
    if isinstance(value, Rate):
        return math.nan if value.value is None else value.value
    return value


def _spread(values: Sequence[float | Rate]) -> list[list[float]]:
    """How far each interval reaches below and above its point; 0 where there is none."""
    below: list[float] = []
    above: list[float] = []
    for one in values:
        low, high = (one.interval if isinstance(one, Rate) else None) or (0.0, 0.0)
        middle = (one.value if isinstance(one, Rate) else None) or 0.0
        below.append(max(0.0, middle - low))
        above.append(max(0.0, high - middle))
    return [below, above]


def _figure(height: float = 3.6) -> "tuple[Figure, Axes]":
    from matplotlib.figure import Figure  # not pyplot: no global state, and nothing is shown twice

    figure = Figure(figsize=(7, height))
    return figure, figure.subplots()


def picture(figure: "Figure", alt: str) -> Picture:
    """A figure as PNG with its description.

    >>> picture(_figure()[0], "Two empty axes.")
    Picture(alt='Two empty axes.')
    """
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=100, bbox_inches="tight", metadata={"Software": None})
    return Picture(alt, buffer.getvalue())
