"""Plots for lessons: pictures that carry their own description, the same in every notebook viewer."""

from collections.abc import Mapping, Sequence

from raglab.evaluate.plots import Picture, curves, picture

__all__ = ["Picture", "curves", "heat_map", "strips"]


def heat_map(counts: Mapping[str, Mapping[str, tuple[int, int]]], *, alt: str) -> Picture:
    """A field for each row and column: how many of how many, in words and as a shade from white (none) to dark (all).

    The first row names the columns; a total is at least 1. `alt` says in words what the picture shows.

    >>> heat_map({"order": {"no fence": (5, 6), "fence": (0, 6)}}, alt="The fence stops all orders.")
    Picture(alt='The fence stops all orders.')
    """
    from matplotlib.figure import Figure

    columns = list(next(iter(counts.values())))
    fields = [[row[name] for name in columns] for row in counts.values()]
    figure = Figure(figsize=(1.6 + 1.05 * len(columns), 0.8 + 0.42 * len(fields)))
    axes = figure.subplots()
    axes.imshow([[hit / of for hit, of in row] for row in fields], cmap="Oranges", vmin=0, vmax=1.6, aspect="auto")
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(fields)), list(counts))
    axes.tick_params(length=0, labeltop=True, labelbottom=False)
    for y, row in enumerate(fields):
        for x, (hit, of) in enumerate(row):
            axes.text(x, y, _in_words(hit, of), ha="center", va="center", fontsize=9)
    return picture(figure, alt)


def _in_words(hit: int, of: int) -> str:
    return "none" if hit == 0 else f"all {of}" if hit == of > 1 else f"{hit} of {of}"


def strips(rows: Mapping[str, Sequence[tuple[float, bool]]], *, line: float, x_label: str, alt: str) -> Picture:
    """One row of dots per name, each at its score (0..1), filled where the question was answered, and a line across.

    Equal scores of a row are drawn one above another. `alt` says in words what the picture shows.

    >>> strips({"covered": [(0.3, True), (0.6, False)]}, line=0.5, x_label="score", alt="One dot on each side.")
    Picture(alt='One dot on each side.')
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 1 + 0.6 * len(rows)))
    axes = figure.subplots()
    for y, dots in enumerate(rows.values()):
        for number, (score, answered) in enumerate(dots):
            under = sum(abs(score - other) < 0.015 for other, _ in dots[:number])  # else they would cover each other
            axes.plot(
                score,
                y - 0.17 * under,
                "o",
                markersize=7,
                color="C0",
                fillstyle="full" if answered else "none",
                label="answered" if answered else "refused",
            )
    axes.axvline(line, color="0.3", linestyle="--", label="threshold")
    axes.set_yticks(range(len(rows)), list(rows))
    axes.set(xlabel=x_label, xlim=(-0.03, 1), ylim=(len(rows) - 0.6, -0.7))
    handles, labels = axes.get_legend_handles_labels()
    once = dict(zip(labels, handles, strict=True))
    axes.legend(once.values(), once.keys(), fontsize=8)
    return picture(figure, alt)
