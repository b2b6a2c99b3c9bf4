"""Questions per CPU second of an evaluation, how its time and memory grow, and other evaluators on the same answers.

    python -m benchmarks.evaluation --help

The questions are the forty of docs/tutorials, asked again and again; the model is the mock inside this process, so
that no connection is measured. The other evaluators score the same answers with their metrics that need no model; they
are installed into a scratch folder, never into this environment.
"""

import contextlib
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import psutil

import mock_llm
from benchmarks.evaluation_peers import PEERS
from raglab import Prompt, Reply, TfidfIndex, Usage
from raglab.evaluate import METRICS, Case, Question, Report, evaluate, load_questions

DOCS = Path(__file__).parents[1] / "docs" / "tutorials"
SILENT = {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "RAGAS_DO_NOT_TRACK": "true"}  # they would tell their makers
SIZES = (100, 1_000, 10_000)


class InProcess:
    """The mock as a model without a server."""

    def complete(self, prompt: Prompt) -> Reply:
        messages = [message for message in prompt.messages() if message["role"] != "system"]
        request = {"model": "mock-reader", "max_tokens": prompt.style.max_tokens, "messages": messages}
        message = mock_llm.reply_to({**request, "system": prompt.system} if prompt.system else request)
        blocks = tuple({**block, "citations": block.get("citations") or []} for block in message["content"])
        usage = Usage(message["usage"]["input_tokens"], message["usage"]["output_tokens"])
        return Reply("".join(block["text"] for block in blocks), blocks, usage, message["stop_reason"])

    def __repr__(self) -> str:
        return "InProcess()"


def many(number: int) -> list[Question]:
    """The questions of the set, again and again, each with an id of its own."""
    questions = load_questions(DOCS / "questions.toml").questions
    again = (questions[n % len(questions)] for n in range(number))
    return [replace(question, id=f"{question.id}-{n}") for n, question in enumerate(again)]


def measured(number: int, index: TfidfIndex) -> tuple[float, float, Report]:
    """CPU seconds to ask and to judge, megabytes that the process grew, and the report."""
    questions, process = many(number), psutil.Process()
    before, start = process.memory_info().rss, time.process_time()
    report = evaluate(questions, index, InProcess(), style="documents", progress=False)
    report.text()
    seconds = time.process_time() - start
    return seconds, (process.memory_info().rss - before) / 1e6, report


def judged(report: Report) -> float:
    """CPU seconds for all rates over answers that are there already."""
    fresh = Report(report.name, report.settings, tuple(Case(c.question, c.answer, c.ranking) for c in report.cases))
    start = time.process_time()
    assert len(fresh.rates) == len(METRICS)
    return time.process_time() - start


def records(report: Report) -> Iterator[dict[str, Any]]:
    """What the other evaluators need of each answer."""
    for case in report.cases:
        yield {
            "question": case.question.question,
            "covered": case.question.covered,
            "refused": case.answer.refused,
            "text": case.answer.text,
            "contains": list(case.question.contains),
            "found": [hit.chunk.id for hit in case.answer.hits],
            "marked": list(case.question.chunks),
        }


def peers(report: Report, scratch: Path) -> Iterator[str]:
    """A row for each metric of the others: CPU seconds for all answers, and what it says of a right refusal."""
    data = scratch / "answers.jsonl"
    data.write_text("".join(json.dumps(record) + "\n" for record in records(report)), "utf-8")
    for name, requirement in PEERS.items():
        folder = scratch / name
        python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
        if not python.exists():
            click.echo(f"installing {requirement} …", err=True)
            commands = [
                [sys.executable, "-m", "venv", folder],
                [python, "-m", "pip", "install", "-q", *requirement.split()],
            ]
            for command in commands:
                if subprocess.run(command, capture_output=True).returncode:
                    yield f"| {name} | cannot be installed here | | |"
                    break
        script = Path(__file__).with_name("evaluation_peers.py")
        done = subprocess.run(
            [python, script, name, data], capture_output=True, text=True, env={**os.environ, **SILENT}
        )
        lines = [line for line in done.stdout.splitlines() if line.startswith("|")]
        yield from lines or [f"| {name} | failed: {(done.stderr.strip() or 'no output').splitlines()[-1]} | | |"]


@click.command(context_settings={"show_default": True})
@click.option("--largest", default=SIZES[-1], help="Questions of the largest run.")
@click.option("--peers/--no-peers", "others", default=True, help="Let the other evaluators score the same answers.")
@click.option("--scratch", type=click.Path(path_type=Path), help="Where they are installed.  [default: a new folder]")
def main(largest: int, others: bool, scratch: Path | None) -> None:
    """Evaluate docs/tutorials at growing sizes, and print tables of Markdown."""
    index = TfidfIndex.from_folder(DOCS, style="documents")
    measured(40, index)  # loads what is loaded on first use
    click.echo(
        "| questions | CPU seconds | questions per CPU second | memory grew by | CPU time per question, against 100 |"
    )
    click.echo("|---:|---:|---:|---:|---:|")
    first, report = 0.0, None
    for size in [*(size for size in SIZES if size < largest), largest]:
        seconds, grown, report = measured(size, index)
        first = first or seconds / size
        row = f"| {size:,} | {seconds:.2f} | {size / seconds:,.0f} | {grown:.1f} MB | {seconds / size / first:.2f}× |"
        click.echo(row)
    assert report is not None  # there is at least one size
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    click.echo(f"\nThe process took {peak:.0f} MB at most. Its rates: {report!r}\n")
    click.echo("| evaluator | metric | CPU seconds for all answers | right refusals are scored |")
    click.echo("|---|---|---:|---|")
    right = report.rates["refused"]
    click.echo(f"| raglab | all {len(METRICS)} rates | {judged(report):.2f} | refused rightly: {right.count} |")
    if others:
        with contextlib.ExitStack() as stack:
            if scratch is None:
                scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="evaluation_")))
            scratch.mkdir(parents=True, exist_ok=True)
            click.echo("\n".join(peers(report, scratch.resolve())))
    click.echo(
        f"\n{platform.system()}, {platform.machine()}, {psutil.cpu_count()} cores, Python {platform.python_version()}"
    )


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.evaluation")
