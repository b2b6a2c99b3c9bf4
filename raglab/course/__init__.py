"""What a lesson's first cell takes: the documents, and the exercises' `check`, `hint` and `solution`."""

from pathlib import Path

from raglab.checkout import docs_folder
from raglab.course.checker import check, hint, solution

__all__ = ["DOCS", "check", "hint", "solution"]

DOCS: Path  # the docs folder of this repository, whatever the working directory


def __getattr__(name: str) -> Path:
    if name != "DOCS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return docs_folder()
