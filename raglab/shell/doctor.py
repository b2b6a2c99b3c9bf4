"""`raglab doctor`: what is installed and reachable, and what each failing line needs."""

import os
import platform
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from raglab.checkout import ROOT
from raglab.models.connect import SERVICES
from raglab.models.mock import MOCK_URL, probe

_PACKAGES = ("anthropic", "jupyterlab", "ipywidgets", "numpy", "scikit-learn", "sentencex", "matplotlib", "starlette")
_SETUP = "run `python3 course.py start` once"


@dataclass(frozen=True, slots=True)
class Line:
    """One thing looked at."""

    ok: bool
    what: str
    found: str
    remedy: str = ""

    def __str__(self) -> str:
        line = f"{'ok  ' if self.ok else 'FAIL'}  {self.what:<14} {self.found}"
        return line if self.ok else f"{line}: {self.remedy}"


def examine() -> list[Line]:
    """Every line of the report, in a fixed order; nothing is changed and no key is shown."""
    return [_python(), _interpreter(), *map(_package, _PACKAGES), _widgets(), _corpora(), _service(), _mock()]


def _python() -> Line:
    ok = (3, 11) <= sys.version_info[:2] < (3, 15)
    return Line(ok, "python", platform.python_version(), "install Python 3.11 to 3.14")


def _interpreter() -> Line:
    own = Path(sys.prefix).resolve() == (ROOT / ".venv").resolve()
    if own:
        return Line(True, "interpreter", ".venv of this folder")
    kind = "conda" if (Path(sys.prefix) / "conda-meta").is_dir() else "another environment"
    return Line(True, "interpreter", f"{kind} (right with --here; else {_SETUP})")


def _package(name: str) -> Line:
    try:
        return Line(True, name, metadata.version(name))
    except metadata.PackageNotFoundError:
        return Line(False, name, "not installed", _SETUP)


def _widgets() -> Line:
    """Widgets need their half inside JupyterLab as well."""
    try:
        return Line(True, "widgets", f"jupyterlab_widgets {metadata.version('jupyterlab_widgets')}")
    except metadata.PackageNotFoundError:
        return Line(False, "widgets", "JupyterLab's half is missing", _SETUP)


def _corpora() -> Line:
    ok = (ROOT / "docs" / "club").is_dir()
    return Line(
        ok, "documents", "docs/ of the course" if ok else "docs/ is missing", "run from a checkout of the course"
    )


def _service() -> Line:
    service = os.environ.get("RAGLAB_LLM", "").strip().lower() or "mock"
    if service not in SERVICES:
        return Line(False, "RAGLAB_LLM", repr(service), f"use one of {', '.join(SERVICES)}")
    if service == "claude" and not os.environ.get("ANTHROPIC_API_KEY", "").strip():
        return Line(False, "RAGLAB_LLM", service, "set ANTHROPIC_API_KEY, or unset RAGLAB_LLM to use the mock")
    return Line(True, "RAGLAB_LLM", service)


def _mock() -> Line:
    url = os.environ.get("RAGLAB_MOCK_URL", "").strip()
    found = probe(url or MOCK_URL)
    if found == "mock":
        return Line(True, "mock LLM", f"answers at {url or MOCK_URL}")
    if url:
        return Line(
            False, "mock LLM", f"none at RAGLAB_MOCK_URL={url}", "run `python3 -m mock_llm`, or unset the variable"
        )
    return Line(True, "mock LLM", "not running; each notebook starts its own")
