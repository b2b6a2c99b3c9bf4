"""Words that are known to be misspelt, in every page, lesson and docstring; codespell has few false alarms."""

import ast
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RIGHT = "ist"  # codespell's list of words to let be: Indian Standard Time

pytestmark = pytest.mark.skipif(not importlib.util.find_spec("codespell_lib"), reason="codespell is not installed")


def prose():
    """(file, text) of what people read: pages whole, lessons' text cells, modules' docstrings."""
    pages = ("*.md", "docs/README.md", "notebooks/*.md", "benchmarks/*.md")
    for path in sorted(path for pattern in pages for path in ROOT.glob(pattern)):
        yield path, path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "notebooks").rglob("*.ipynb")):
        if ".ipynb_checkpoints" not in path.parts:
            cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
            yield path, "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    for package in ("raglab", "mock_llm"):
        for path in sorted((ROOT / package).rglob("*.py")):
            yield path, "\n\n".join(docstrings(ast.parse(path.read_text(encoding="utf-8"))))


def docstrings(tree):
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return [ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, kinds)]


def misspelt(folder):
    """codespell's lines for the texts in a folder."""
    command = [sys.executable, "-m", "codespell_lib", "--ignore-words-list", RIGHT, "--builtin", "clear,rare", folder]
    run = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    return [re.sub(r"^.*[/\\]", "", line) for line in run.stdout.splitlines()]


def test_no_word_is_misspelt(tmp_path):
    for path, text in prose():
        (tmp_path / ("-".join(path.relative_to(ROOT).parts) + ".txt")).write_text(text, encoding="utf-8")
    assert misspelt(tmp_path) == []


def test_a_misspelt_word_is_found(tmp_path):
    word = "rec" + "ieve"
    (tmp_path / "page.txt").write_text(f"You will {word} an answer.")
    assert misspelt(tmp_path) == [f"page.txt:1: {word} ==> receive"]
