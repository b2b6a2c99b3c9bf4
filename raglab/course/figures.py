"""Plots for lessons: pictures that carry their own description, the same in every notebook viewer."""

import base64
import html
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG image with its description in words."""

    alt: str
    png: bytes = field(repr=False)

    def _repr_html_(self) -> str:
        data = base64.b64encode(self.png).decode()
        return f'<img alt="{html.escape(self.alt)}" src="data:image/png;base64,{data}" style="max-width: 100%">'


def curves(
    x: Sequence[float], lines: Mapping[str, Sequence[float]], *, x_label: str, y_label: str, alt: str
) -> Picture:
    """One line a name over the same `x`, told apart by marker and dashes as well as colour.

    `alt` says in words what the picture shows.

    >>> curves([1, 2], {"a": [0.1, 0.2]}, x_label="k", y_label="score", alt="One line, which rises.")
    Picture(alt='One line, which rises.')
    """
    from matplotlib.figure import Figure  # not pyplot: no global state, and nothing is shown twice

    figure = Figure(figsize=(7, 3.6))
    axes = figure.subplots()
    for (name, y), marker, dashes in zip(lines.items(), cycle("os^Dv"), cycle(["-", "--", ":"]), strict=False):
        axes.plot(x, y, marker=marker, linestyle=dashes, label=name)
    axes.set(xlabel=x_label, ylabel=y_label)
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=100, bbox_inches="tight", metadata={"Software": None})
    return Picture(alt, buffer.getvalue())
