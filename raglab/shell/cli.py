"""The command line: `raglab …`, or `python -m raglab …`. Errors are one sentence on stderr, exit status 2."""

import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, as_completed
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeVar, Unpack

import click

from raglab.answerlog import AnswerLog
from raglab.answerlog import gaps as list_gaps
from raglab.errors import DocumentError, RaglabError, did_you_mean
from raglab.models.mock import MOCK_PORT
from raglab.pipeline import ask as ask_index
from raglab.pipeline import prepare
from raglab.prompting.fences import FENCES
from raglab.retrieval.documents import load_documents
from raglab.retrieval.tfidf import TfidfIndex
from raglab.safety.scanning import scan_documents
from raglab.shell.showing import answer_json, answer_lines, gap_line, prompt_lines
from raglab.styles import STYLES, Style, find_style
from raglab.text.terminal import visible
from raglab.text.words import shorten

if TYPE_CHECKING:  # loaded by the command itself, so that the others start fast
    from raglab.course.rerun import Rerun
    from raglab.evaluate.command import EvalOptions

Command = TypeVar("Command", bound=Callable[..., object])


def main() -> None:
    """Run the command line and end the process with a tidy exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character shows its code instead of stopping the command.
            stream.reconfigure(errors="backslashreplace")
    try:
        code = cli.main(standalone_mode=False, prog_name="raglab")
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())  # no command at all: the help says which there are
        code = 0
    except click.exceptions.Abort:
        code = 130
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:
        # The reader has gone: Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 141
    except click.ClickException as error:
        code = _fail(error.format_message())
    except RaglabError as error:
        code = _fail(str(error))
    sys.exit(code)


def _fail(message: str) -> int:
    _complain(message)
    return 2


def _complain(message: str) -> None:
    print(f"raglab: {visible(message, one_line=True)}", file=sys.stderr)


def _with_folder(command: Command) -> Command:
    """The options of every command that reads a folder of documents."""
    options = [
        click.option("--docs", required=True, metavar="FOLDER", help="Folder of .md, .markdown, .txt or .rst files."),
        click.option("--style", default="numbered", show_default=True, help=f"Answer style: {', '.join(STYLES)}."),
        click.option("--k", type=click.IntRange(min=0), help="Passages in the prompt (default: the style's)."),
        click.option("--min-score", type=click.FloatRange(0, 1), help="The gate, a cosine (default: the style's)."),
        click.option("--skip-bad-files", is_flag=True, help="Leave out files that cannot be read, and say which."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="raglab", message="raglab %(version)s")
def cli() -> None:
    """Grounded answers from your own documents: with citations, honest refusals and checks."""


@cli.command()
@click.argument("question", required=False)
@_with_folder
@click.option("--retries", type=click.IntRange(min=0), default=0, help="How often a reply that fails is sent back.")
@click.option("--fence", type=click.Choice(list(FENCES)), help="Wrap each passage, so that its text stays data.")
@click.option("--log", metavar="FILE", help="Add each question and its outcome to this file; see `raglab gaps`.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per question.")
def ask(
    question: str | None,
    docs: str,
    style: str,
    k: int | None,
    min_score: float | None,
    skip_bad_files: bool,
    retries: int,
    fence: str | None,
    log: str | None,
    as_json: bool,
) -> None:
    """Answer QUESTION from the documents; without QUESTION, ask for one again and again."""
    _check_question(question, "ask")
    found_style = find_style(style)
    index = _index(docs, found_style, skip_bad_files)
    history: list[tuple[str, str]] = []
    for asked in [question] if question is not None else _questions(sys.stderr if as_json else sys.stdout):
        try:
            answer = ask_index(
                asked,
                index,
                style=found_style,
                k=k,
                min_score=min_score,
                history=history,
                retries=retries,
                fence=fence,
            )
            click.echo(answer_json(answer) if as_json else "\n".join(answer_lines(answer)))
            history.append((answer.search_question, answer.text))
            if log:
                AnswerLog(log).add(answer)
        except RaglabError as error:
            if question is not None:
                raise
            _complain(str(error))  # the loop goes on: the next question may fare better


@cli.command()
@click.argument("question")
@_with_folder
@click.option("--fence", type=click.Choice(list(FENCES)), help="Wrap each passage, so that its text stays data.")
def prompt(
    question: str,
    docs: str,
    style: str,
    k: int | None,
    min_score: float | None,
    skip_bad_files: bool,
    fence: str | None,
) -> None:
    """Show the exact prompt for QUESTION and send nothing."""
    _check_question(question, "prompt")
    found_style = find_style(style)
    index = _index(docs, found_style, skip_bad_files)
    _, built = prepare(question, index, style=found_style, k=k, min_score=min_score, fence=fence)
    if built is None:
        click.echo("No passage reaches the gate, so no prompt would be sent; a lower --min-score lets more through.")
        return
    click.echo("\n".join(prompt_lines(built)))


@cli.command()
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per question.")
def gaps(file: str, as_json: bool) -> None:
    """List the questions of a log that were not answered, the most frequent first."""
    for question, outcome, count in list_gaps(file):
        click.echo(gap_line(question, outcome, count, as_json=as_json))


@cli.command("eval")
@click.argument("questions", required=False)
@click.option("--docs", metavar="FOLDER", help="Folder of the documents that the questions are about.")
@click.option("--style", help=f"Answer style (default: the question set's): {', '.join(STYLES)}.")
@click.option("--k", type=click.IntRange(min=0), help="Passages in the prompt (default: the style's).")
@click.option("--min-score", type=click.FloatRange(0, 1), help="The gate, a cosine (default: the style's).")
@click.option("--workers", type=click.IntRange(min=1), default=1, help="Questions asked at the same time.")
@click.option("--save", metavar="FILE", help="Keep each answer in FILE; the same command resumes an interrupted run.")
@click.option("--against", metavar="FILE", help="Compare with a saved run; exit status 1 if a rate got worse.")
@click.option("--judge", is_flag=True, help="Ask the model for the form of each answer, and say how far it agrees.")
@click.option("--prices", type=(float, float), metavar="IN OUT", help="Say what the run costs, per million tokens.")
@click.option("--html", "page", metavar="FILE", help="Write the report with every answer as one HTML file, too.")
@click.option("--draft", metavar="FOLDER", help="Print a first question set from the headings of FOLDER, to be edited.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, with every answer.")
def evaluate(questions: str | None, docs: str | None, draft: str | None, **options: "Unpack[EvalOptions]") -> None:
    """Ask all QUESTIONS (.toml, .jsonl or .csv) and report how the answers did.

    Both kinds of error with their intervals, the form of the answers, which half is to blame, and the answers to read.
    A rate got worse if it left the 95 % interval of the run before.
    """
    from raglab.evaluate.command import print_draft, run

    if draft:
        print_draft(draft, options["style"])
    elif not questions or not docs:
        raise click.UsageError("Name a question set and its documents: `raglab eval QUESTIONS --docs FOLDER`.")
    else:
        sys.exit(run(questions, docs, **options))


@cli.command()
@click.argument("folder")
@click.option("--skip-bad-files", is_flag=True, help="Leave out files that cannot be read, and say which.")
def scan(folder: str, skip_bad_files: bool) -> None:
    """Look through a FOLDER of documents for planted instructions; exit status 1 when there is a finding.

    It is a tripwire, not a guard: an ordinary request in ordinary words passes it.
    """
    documents = load_documents(folder, on_error="skip" if skip_bad_files else "raise")
    _say_skipped(documents.skipped)
    found = scan_documents(documents)
    for document, findings in found:
        for finding in findings:
            line = document.text.count("\n", 0, finding.start) + 1
            source = visible(document.source, one_line=True)
            click.echo(f"{source}, line {line}: {finding.reason}: {shorten(visible(finding.text))}")
    total = sum(len(findings) for _, findings in found)
    click.echo(f"{total} findings in {len(documents)} documents.")
    sys.exit(1 if total else 0)


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def check(as_json: bool) -> None:
    """Show which exercises are passed; `check(…)` in the lessons keeps this up to date, on this machine alone."""
    from raglab.course.progress import progress

    state = progress()
    record = {"passed": state.passed, "exercises": len(state.outcomes), "outcomes": dict(state.outcomes)}
    click.echo(json.dumps(record) if as_json else visible(str(state)))


@cli.command("class")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--out", metavar="FILE", type=click.Path(path_type=Path), help="Where the results go, as CSV.")
@click.option("--timeout", type=click.FloatRange(min=1), default=120, show_default=True, help="Seconds per notebook.")
@click.option("--workers", type=click.IntRange(1, 64), default=2, show_default=True, help="Notebooks at a time.")
@click.option("--lesson", "lessons", multiple=True, metavar="NN", help="Only this lesson; may be given several times.")
@click.option("--reset", is_flag=True, help="Make FOLDER a set of clean starters instead.")
def class_(folder: Path, out: Path | None, timeout: float, workers: int, lessons: tuple[str, ...], reset: bool) -> None:
    """Run every notebook in a FOLDER of submissions and write one row per learner.

    Submissions are NAME/NN_lesson.ipynb, or NAME_NN_lesson.ipynb side by side.
    """
    from raglab.course import classroom

    if reset:
        lessons_made = len(classroom.make_starters(folder))
        click.echo(visible(f"{lessons_made} lessons, as committed, are in {folder}.", one_line=True))
        return
    if out is None:
        raise click.UsageError("The results need a file: add --out results.csv.")
    if unknown := [lesson for lesson in lessons if lesson not in classroom.LESSONS]:
        raise click.UsageError(f"There is no lesson {unknown[0]!r}: {did_you_mean(unknown[0], classroom.LESSONS)}.")
    classroom.check_writable(out)
    rows, ignored = classroom.grade_class(
        folder, lessons or classroom.LESSONS, timeout=timeout, workers=workers, watch=_progress_bar
    )
    classroom.write_csv(rows, out)
    for name in ignored:
        if folder / name != out:
            _complain(f"{name} belongs to no learner and is left out")
    passed = sum(row.passed for row in rows)
    click.echo(visible(f"{len(rows)} learners, {passed} exercises passed; written to {out}.", one_line=True))


@cli.command()
@click.option("--browser/--no-browser", default=True, help="Open the browser at lesson 00, or only say the address.")
@click.option("--port", type=click.IntRange(1, 65535), default=MOCK_PORT, show_default=True, help="Port of the mock.")
@click.option("--lab-port", type=click.IntRange(1, 65535), default=8888, show_default=True, help="Port of JupyterLab.")
def start(browser: bool, port: int, lab_port: int) -> None:
    """Start the mock LLM and JupyterLab at lesson 00; Ctrl-C ends both."""
    from raglab.shell.launcher import start_course

    sys.exit(start_course(browser=browser, port=port, lab_port=lab_port))


@cli.command(context_settings={"ignore_unknown_options": True})
@click.argument("pytest_arguments", nargs=-1, type=click.UNPROCESSED)
def test(pytest_arguments: tuple[str, ...]) -> None:
    """Run every test and every lesson; PYTEST_ARGUMENTS are handed to pytest."""
    from raglab.shell.launcher import test_course

    sys.exit(test_course(pytest_arguments))


@cli.command()
def doctor() -> None:
    """Say what is installed and reachable, and what each failing line needs."""
    from raglab.shell.doctor import examine

    lines = examine()
    for line in lines:
        click.echo(visible(str(line), one_line=True))
    sys.exit(0 if all(line.ok for line in lines) else 1)


def _progress_bar(runs: "list[Future[Rerun]]") -> Iterable[object]:
    """The runs as they end, counted on a terminal."""
    from tqdm import tqdm

    return tqdm(as_completed(runs), total=len(runs), unit="notebook", disable=None)  # None: only on a terminal


def _index(docs: str, style: Style, skip_bad_files: bool) -> TfidfIndex:
    index = TfidfIndex.from_folder(docs, style=style, on_error="skip" if skip_bad_files else "raise")
    _say_skipped(index.skipped)
    return index


def _check_question(question: str | None, command: str) -> None:
    if question is not None and not question.strip():
        raise click.UsageError(f"The question is empty; write it in quotation marks after `{command}`.")


def _say_skipped(errors: Iterable[DocumentError]) -> None:
    for error in errors:
        _complain(f"skipped: {error}")


def _questions(prompts: TextIO) -> Iterator[str]:
    """The lines that a person types; `ask>` goes to `prompts`, where it does not mix with JSON."""
    while True:
        try:
            if prompts is sys.stdout:
                question = input("ask> ").strip()
            else:
                print("ask> ", end="", file=prompts, flush=True)
                question = input().strip()
        except EOFError:
            print(file=prompts)
            return
        if question.lower() in ("quit", "exit"):
            return
        if question:
            yield question
