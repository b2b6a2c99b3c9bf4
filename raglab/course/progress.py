"""What a learner has passed: one small file beside the notebooks, which git ignores and nothing sends anywhere."""

import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from raglab.checkout import ROOT
from raglab.course.exercises import NOT_STARTED, OUTCOMES, PASS
from raglab.course.registry import EXERCISES

NOTEBOOKS = ROOT / "notebooks"
_FILE = ".progress.json"
_VERSION = 1


@dataclass(frozen=True, slots=True, repr=False)
class Progress:
    """The outcome of every exercise; it shows itself as a table, one row per lesson."""

    outcomes: Mapping[str, str]  # exercise id → PASS, NOT YET or NOT STARTED; all of the course, in its order

    @property
    def passed(self) -> int:
        """How many exercises are passed."""
        return list(self.outcomes.values()).count(PASS)

    def rows(self) -> list[tuple[str, ...]]:
        """One row per lesson: its name, how many exercises it has, and the ids with each of the three outcomes."""
        names = {path.stem[:2]: path.stem for path in NOTEBOOKS.glob("[0-9][0-9]_*.ipynb")}
        rows = []
        for lesson in sorted({exercise.lesson for exercise in EXERCISES.values()}):
            ours = {id: outcome for id, outcome in self.outcomes.items() if EXERCISES[id].lesson == lesson}
            groups = [" ".join(id for id, outcome in ours.items() if outcome == word) for word in OUTCOMES]
            rows.append((names.get(lesson, lesson), str(len(ours)), *groups))
        return rows

    def __str__(self) -> str:
        table = [_HEADER, *self.rows()]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table
        ]
        return "\n".join([*lines, "", self._summary()])

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        table = [_HEADER, ("---",) * len(_HEADER), *self.rows()]
        return "\n".join([*(f"| {' | '.join(row)} |" for row in table), "", self._summary()])

    def _summary(self) -> str:
        return f"{self.passed} of {len(self.outcomes)} exercises passed."


_HEADER = ("lesson", "exercises", *OUTCOMES)


def progress() -> Progress:
    """What `check` said last about each answer, in the lessons on this machine.

    >>> all(outcome in ("PASS", "NOT YET", "NOT STARTED") for outcome in progress().outcomes.values())
    True
    """
    known = _read(NOTEBOOKS / _FILE)
    return Progress({id: known.get(id, NOT_STARTED) for id in EXERCISES})


def record(exercise_id: str, outcome: str) -> None:
    """Remember the outcome if this is a lesson's own kernel; a file that cannot be written spoils nothing.

    An exercise that was begun stays so: a lesson that is opened again runs its untouched starters again.
    """
    with suppress(OSError):
        if outcome != NOT_STARTED and _is_a_lesson():
            file = NOTEBOOKS / _FILE
            _write(file, {**_read(file), exercise_id: outcome})


def _is_a_lesson() -> bool:
    """Whether this is the kernel of a notebook in notebooks/ itself, opened by a person and not by nbval."""
    tested = ".ipynb::" in os.environ.get("PYTEST_CURRENT_TEST", "")
    return "ipykernel" in sys.modules and not tested and os.path.samefile(os.getcwd(), NOTEBOOKS)


def _read(file: Path) -> dict[str, str]:
    """The outcomes in the file; what cannot be read counts as nothing."""
    try:
        saved: Any = json.loads(file.read_text(encoding="utf-8"))
        return {id: word for id, word in saved["outcomes"].items() if id in EXERCISES and word in OUTCOMES}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def _write(file: Path, outcomes: Mapping[str, str]) -> None:
    """Replace the file in one step: a reader sees the old one or the new one, whole."""
    new = file.with_name(f"{file.name}.{os.getpid()}")
    new.write_text(json.dumps({"version": _VERSION, "outcomes": outcomes}, indent=1), encoding="utf-8")
    os.replace(new, file)
