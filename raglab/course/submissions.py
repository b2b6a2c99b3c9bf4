"""A folder of submissions → who handed in which lesson. Nothing is run and nothing is changed.

    FOLDER/NAME/NN_any_name.ipynb       at any depth below NAME, whatever stands before the NN_
    FOLDER/NAME_NN_any_name.ipynb       all files side by side; a blank, a dot or a hyphen may stand for the first _

NN is a lesson's number. Where a name holds several such numbers, the last one counts.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import nbformat

from raglab.course.registry import EXERCISES
from raglab.errors import DocumentError

MAX_BYTES = 50_000_000  # of one notebook: parsed, it takes several times as much memory
LESSONS = tuple(sorted({exercise.lesson for exercise in EXERCISES.values()}))
_NAME = re.compile(r"(?s)(?:(?P<learner>.*)[ ._-])?(?P<lesson>\d\d)_[^/]*")


@dataclass(slots=True)
class Submission:
    """What one learner handed in."""

    learner: str
    notebooks: dict[str, Path] = field(default_factory=dict)  # lesson → file
    notes: list[str] = field(default_factory=list)  # one clause for each file that is left out


def find_submissions(folder: Path) -> tuple[list[Submission], list[str]]:
    """Every learner by name, and the names of files that belong to none.

    Raises `DocumentError` for something that is not a folder or holds no submission.
    """
    if not folder.is_dir():
        raise DocumentError(f"{str(folder)!r} is not a folder; name the folder that holds the submissions.")
    found: dict[str, Submission] = {}
    ignored = []
    for path in _files(folder):
        inside = path.relative_to(folder)
        name = _NAME.fullmatch(path.name)
        lesson = name["lesson"] if name and name["lesson"] in LESSONS else None
        by_name = name["learner"] if name and lesson else None
        learner = inside.parts[0] if len(inside.parts) > 1 else by_name
        if not learner:
            ignored.append(path.name)
            continue
        submission = found.setdefault(learner, Submission(learner))
        if lesson:
            _hand_in(submission, lesson, path)
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink() and not _is_junk(path.name):
            found.setdefault(path.name, Submission(path.name))
    if not found:
        raise DocumentError(
            f"There is no submission in {str(folder)!r}; expected NAME/NN_lesson.ipynb or NAME_NN_lesson.ipynb in it."
        )
    return [found[learner] for learner in sorted(found)], ignored


def read_notebook(path: Path) -> nbformat.NotebookNode:
    """The notebook; raises `DocumentError` with one clause that says why it is not one."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DocumentError(f"{path.name} is larger than {MAX_BYTES // 1_000_000} MB")
        notebook = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
        nbformat.validate(notebook)
        return notebook
    except OSError as error:
        raise DocumentError(f"{path.name} cannot be read ({(error.strerror or 'no reason given').lower()})") from None
    except DocumentError:
        raise
    except Exception:  # nbformat answers broken JSON of every shape with an exception of every kind
        raise DocumentError(f"{path.name} is not a notebook") from None


def _hand_in(submission: Submission, lesson: str, path: Path) -> None:
    if path.is_symlink() or not path.is_file():
        submission.notes.append(f"{path.name} is not a plain file, so it is left out")
    elif path.suffix != ".ipynb":
        submission.notes.append(f"{path.name} is not a notebook (.ipynb)")
    elif lesson in submission.notebooks:
        submission.notes.append(f"{path.name} is left out: {submission.notebooks[lesson].name} is taken for {lesson}")
    else:
        submission.notebooks[lesson] = path


def _files(folder: Path) -> Iterator[Path]:
    """Every file below the folder, in a fixed order; links to folders are not followed."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _is_junk(name))
        yield from (Path(place, name) for name in sorted(files) if not _is_junk(name))


def _is_junk(name: str) -> bool:
    return name.startswith((".", "__"))
