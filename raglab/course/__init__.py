"""What a lesson's first cell takes: the documents, and the exercises' `check`, `hint` and `solution`."""

from pathlib import Path
from typing import Any

from raglab.course.checker import check, hint, solution
from raglab.errors import RaglabError

__all__ = ["DOCS", "check", "hint", "solution"]

DOCS: Path  # the docs folder of this repository, whatever the working directory


def __getattr__(name: str) -> Any:
    if name != "DOCS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    docs = Path(__file__).resolve().parents[2] / "docs"
    if not docs.is_dir():
        raise RaglabError(
            "The course's documents are not beside the package: install raglab from its repository "
            "(`python3 course.py start` in it does so), not from a built wheel."
        )
    return docs
