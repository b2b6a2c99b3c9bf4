"""Where the course's own files are: notebooks and documents, beside the package in a checkout of the repository."""

from pathlib import Path

from raglab.errors import RaglabError

ROOT = Path(__file__).resolve().parents[1]


def docs_folder() -> Path:
    """The folder of the course's documents; `RaglabError` where only the package is installed.

    >>> docs_folder().name
    'docs'
    """
    docs = ROOT / "docs"
    if not docs.is_dir():
        raise RaglabError(
            "The course's documents are not beside the package: install raglab from its repository "
            "(`python3 course.py start` in it does so), not from a built wheel."
        )
    return docs
