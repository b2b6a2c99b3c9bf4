"""What `raglab eval` does: prints a draft, or a report, its comparison and its page."""

import json
import sys
from pathlib import Path
from typing import NamedTuple, TypedDict, Unpack

from raglab.errors import RaglabError
from raglab.evaluate.drafts import draft_questions
from raglab.evaluate.judge import Agreement, agreement
from raglab.evaluate.page import html_page
from raglab.evaluate.questions import load_questions
from raglab.evaluate.report import Report
from raglab.evaluate.runs import Comparison, compare, evaluate, load_run
from raglab.models.connect import connect
from raglab.retrieval.tfidf import TfidfIndex
from raglab.styles import NUMBERED
from raglab.text.terminal import escaped, visible


class EvalOptions(TypedDict):
    """What the command line gives beside the question set and the documents; None: not given."""

    style: str | None
    k: int | None
    min_score: float | None
    workers: int
    save: str | None
    against: str | None
    judge: bool
    prices: tuple[float, float] | None
    page: str | None
    as_json: bool


def print_draft(folder: str, style: str | None) -> None:
    """Print a question set for the documents of a folder."""
    style = style or NUMBERED.name
    print(draft_questions(TfidfIndex.from_folder(folder, style=style).chunks, style), end="")


def run(questions: str, docs: str, **options: Unpack[EvalOptions]) -> int:
    """Evaluate, print, and say how it ended: 0, or 1 if a rate got worse or no call came through."""
    asked = load_questions(questions)
    style = options["style"] or asked.style or NUMBERED.name
    # First: a wrong file name must not cost a run.
    before = load_run(options["against"], asked) if options["against"] else None
    index, model = TfidfIndex.from_folder(docs, style=style), connect()
    report = evaluate(
        asked,
        index,
        model,
        style=style,
        k=options["k"],
        min_score=options["min_score"],
        workers=options["workers"],
        save=options["save"],
        progress=sys.stderr.isatty(),
    )
    if options["page"]:
        _write(options["page"], html_page(report))
    came_through = not report.failed.numerator or any(case.answer.reply for case in report.cases)
    comparison = compare(report, before) if before and came_through else None
    agreed = agreement(report.cases, model) if options["judge"] else None
    findings = Findings(report, comparison, agreed, options["prices"])
    print(escaped(_as_json(findings)) if options["as_json"] else visible(_as_text(findings)))
    return 0 if came_through and not (comparison and comparison.worse) else 1


class Findings(NamedTuple):
    """What is printed."""

    report: Report
    comparison: Comparison | None
    agreed: Agreement | None
    prices: tuple[float, float] | None  # per million tokens in and out


def _as_text(found: Findings) -> str:
    parts = [found.report.text()]
    if found.prices:
        price_in, price_out = found.prices
        cost = found.report.cost(price_in, price_out)
        parts.append(f"At {price_in:g} and {price_out:g} per million tokens in and out: {cost:.6f}.")
    if found.agreed:
        ids = ", ".join(f"{case.question.id} ({case.form}, {form})" for case, form in found.agreed.differing)
        parts.append(
            f"The model as judge agrees on the form of {found.agreed.rate}." + (f" Not on {ids}." if ids else "")
        )
    if found.comparison:
        parts.append(found.comparison.table().text())
    return "\n\n".join(parts)


def _as_json(found: Findings) -> str:
    record = found.report.to_dict()
    if found.prices:
        record["cost"] = found.report.cost(*found.prices)
    if found.agreed:
        record["judge"] = {case.question.id: form for case, form in found.agreed.judged}
    if found.comparison:
        record["worse"] = list(found.comparison.worse)
    return json.dumps(record, ensure_ascii=False)


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise RaglabError(f"The page {path!r} cannot be written: {(error.strerror or '').lower()}.") from None
