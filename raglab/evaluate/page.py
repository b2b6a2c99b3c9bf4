"""A report as one HTML file: every answer unfolds, nothing is loaded from anywhere."""

import html

from raglab.evaluate.cases import Case
from raglab.evaluate.metrics import METRICS
from raglab.evaluate.plots import bars
from raglab.evaluate.report import Report, words

_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }}
table {{ border-collapse: collapse }}
th, td {{ border: 1px solid #999; padding: 0.2rem 0.6rem; text-align: left; vertical-align: top }}
pre {{ white-space: pre-wrap; background: #f4f4f4; padding: 0.5rem }}
</style>
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""


def html_page(report: Report) -> str:
    """The whole report as the text of an HTML file, with a plot and all answers.

    >>> from raglab.evaluate.report import Report
    >>> html_page(Report("club", (), ())).startswith("<!DOCTYPE html>")
    True
    """
    rates = {METRICS[name].label: rate for name, rate in report.rates.items() if rate.denominator}
    in_words = "; ".join(f"{label} {rate}" for label, rate in rates.items())
    plot = bars(rates, x_label="share, with its 95 % interval", alt=f"Rates as bars: {in_words}.") if rates else None
    parts = [plot._repr_html_()] if plot else []
    parts += [table.html() for table in report.tables()]
    parts += ["<h2>All answers</h2>", *map(_answer, report.cases)]
    return _PAGE.format(title=html.escape(report.title), body="\n".join(parts))


def _answer(case: Case) -> str:
    """One question, folded."""
    answer = case.answer
    passages = "\n\n".join(
        f"[{n}] {hit.chunk.id}, score {hit.score:.3f}\n{hit.chunk.text}" for n, hit in enumerate(answer.hits, 1)
    )
    fields = {
        "Must contain": "; ".join(case.question.contains) or "–",
        "Shown": answer.text,
        "The model's words": words(case),
        "Problems": "\n".join(f"{problem.code}: {problem.detail}" for problem in answer.problems) or "–",
        "Passages": passages or "none reached the gate",
    }
    inside = "".join(f"<h4>{name}</h4><pre>{html.escape(text)}</pre>" for name, text in fields.items())
    head = f"{case.question.id}: {case.outcome}{f' ({case.blame})' if case.blame else ''} – {answer.question}"
    return f"<details><summary>{html.escape(head)}</summary>{inside}</details>"
