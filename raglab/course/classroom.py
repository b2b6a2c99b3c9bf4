"""A class: every submission run and graded, one row per learner; and clean starters to hand out."""

import csv
import os
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TextIO

from raglab.checkout import ROOT
from raglab.course.exercises import PASS
from raglab.course.registry import EXERCISES
from raglab.course.rerun import CRASHED, Rerun, rerun
from raglab.course.submissions import LESSONS, Submission, find_submissions
from raglab.errors import DocumentError, RaglabError, SettingError

MISSING = "MISSING"


@dataclass(frozen=True, slots=True)
class Row:
    """One learner's results."""

    learner: str
    outcomes: dict[str, str]  # exercise id → PASS, NOT YET, NOT STARTED, MISSING, UNREADABLE, TIMEOUT or CRASHED
    notes: tuple[str, ...]  # one sentence's worth each: "01: code cell 1 raised NameError"

    @property
    def passed(self) -> int:
        """How many exercises are passed."""
        return list(self.outcomes.values()).count(PASS)


def grade_class(
    folder: Path,
    lessons: Sequence[str] = LESSONS,
    *,
    timeout: float = 120,
    workers: int = 2,
    watch: Callable[[list[Future[Rerun]]], Iterable[object]] = iter,
) -> tuple[list[Row], list[str]]:
    """Run every submission below `folder` and return the rows, by learner, and the files that belong to nobody.

    `timeout` is in seconds for each notebook. `watch` is given the runs that have been started and yields as they
    end, as a progress bar does.
    """
    submissions, ignored = find_submissions(folder)
    stop = threading.Event()
    with tempfile.TemporaryDirectory(prefix="raglab-class-", ignore_cleanup_errors=True) as scratch:
        pool = ThreadPoolExecutor(workers)
        try:
            runs = {
                (submission.learner, lesson): pool.submit(
                    rerun,
                    path,
                    lesson,
                    _own_folder(folder, path),
                    timeout=timeout,
                    scratch=Path(scratch),
                    stop=stop,
                )
                for submission in submissions
                for lesson, path in submission.notebooks.items()
                if lesson in lessons
            }
            for _ in watch(list(runs.values())):
                pass
            results = {key: _result(run, key[1]) for key, run in runs.items()}
        finally:  # after Ctrl-C the kernels that run are ended, and no other is started
            stop.set()
            pool.shutdown(cancel_futures=True)
    return [_row(submission, lessons, results) for submission in submissions], ignored


def write_csv(rows: Sequence[Row], file: Path) -> None:
    """Write one line per learner: name, each exercise's outcome, how many are passed, notes."""
    ids = [id for id in EXERCISES if any(id in row.outcomes for row in rows)]
    with _writable(file, "w") as out:
        table = csv.writer(out)
        table.writerow(["learner", *ids, "passed", "notes"])
        for row in rows:
            outcomes = [row.outcomes[id] for id in ids]
            table.writerow([_harmless(row.learner), *outcomes, row.passed, _harmless("; ".join(row.notes))])


def check_writable(file: Path) -> None:
    """Raise `SettingError` where results cannot be written: better before the hours of work than after them."""
    with _writable(file, "a"):
        pass


def make_starters(folder: Path) -> list[str]:
    """Copy every lesson as it was committed, outputs included and solutions not, into the folder; return the names.

    Without git, the lessons are copied as they stand. A file that is there already is never replaced.
    """
    lessons = _committed() or {path.name: path.read_bytes() for path in (ROOT / "notebooks").glob("*.ipynb")}
    if not lessons:
        raise SettingError("The lessons are not beside the package; run this from a checkout of the course.")
    there = sorted(name for name in lessons if (folder / name).exists())
    if there:
        raise DocumentError(f"{str(folder)!r} holds {there[0]} already; name an empty folder, so that no work is lost.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in lessons.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        reason = (error.strerror or "no reason given").lower()
        raise DocumentError(f"{str(folder)!r} cannot be written to ({reason}); name another folder.") from None
    return sorted(lessons)


@contextmanager
def _writable(file: Path, mode: Literal["w", "a"]) -> Iterator[TextIO]:
    try:
        with open(file, mode, newline="", encoding="utf-8", errors="backslashreplace") as out:
            yield out
    except OSError as error:
        reason = (error.strerror or "no reason given").lower()
        raise SettingError(f"{str(file)!r} cannot be written ({reason}); name another file with --out.") from None


def _own_folder(folder: Path, path: Path) -> Path | None:
    """The learner's own folder, None where all submissions lie side by side."""
    first = path.relative_to(folder).parts[0]
    return None if first == path.name and path.parent == folder else folder / first


def _result(run: Future[Rerun], lesson: str) -> Rerun:
    try:
        return run.result()
    except RaglabError:  # not a submission's fault: no kernel can be started
        raise
    except Exception as error:  # whatever goes wrong with one notebook spoils its own row only
        return Rerun(dict.fromkeys(_ids(lesson), CRASHED), (f"it could not be run ({type(error).__name__})",))


def _ids(lesson: str) -> list[str]:
    return [exercise.id for exercise in EXERCISES.values() if exercise.lesson == lesson]


def _row(submission: Submission, lessons: Sequence[str], results: dict[tuple[str, str], Rerun]) -> Row:
    outcomes: dict[str, str] = {}
    notes = list(submission.notes)
    for lesson in lessons:
        result = results.get((submission.learner, lesson), Rerun(dict.fromkeys(_ids(lesson), MISSING)))
        outcomes.update(result.outcomes)
        notes += [f"{lesson}: {note}" for note in result.notes]
    if not submission.notebooks:
        notes.append("no notebook whose name begins with a lesson's number, as 01_ does")
    return Row(submission.learner, outcomes, tuple(notes))


def _harmless(text: str) -> str:
    """The text as a spreadsheet shows it, not as a formula that it runs."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _committed() -> dict[str, bytes]:
    """The lessons of the last commit, by name; empty where git or the repository is missing."""
    git = ["git", "-C", os.fspath(ROOT)]
    try:
        listed = subprocess.run(
            [*git, "ls-tree", "--name-only", "HEAD", "notebooks/"], capture_output=True, check=True, encoding="utf-8"
        ).stdout.split("\n")
        names = [name for name in listed if name.endswith(".ipynb")]
        shown = [subprocess.run([*git, "show", f"HEAD:{name}"], capture_output=True, check=True) for name in names]
    except (OSError, subprocess.CalledProcessError):
        return {}
    return {Path(name).name: show.stdout for name, show in zip(names, shown, strict=True)}
