"""The shape of the code: imports go one way, the face is the list of ideas, importing is cheap."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import mock_llm
import raglab

ROOT = Path(__file__).parents[1]

# Lowest first: a module may import modules of earlier rows, and of its own row none.
RAGLAB_LADDER = [
    ["errors", "markdown", "tripwires", "unmask", "words"],
    ["render"],
    ["records"],
    ["blocks", "chunks", "injection", "ordering", "scanning", "styles"],
    ["attacks", "documents"],
    ["index", "prompts", "models"],
    ["models.function", "models.claude", "models.openai"],
    ["startup"],
    ["followups", "streaming"],
    ["units"],
    ["numbers"],
    ["citations", "coverage", "support"],
    ["refusals", "statements"],
    ["checks"],
    ["pipeline"],
    ["answerlog", "many"],
    ["evaluate"],
    ["course", "doctor", "launcher", "widgets"],
    ["cli"],
    ["__main__"],
]
MOCK_LADDER = [
    ["errors", "hosts", "marks", "version", "words"],
    ["patterns", "records"],
    ["schemas", "sentences"],
    ["tasks"],
    ["recognise"],
    ["reader"],
    ["personas"],
    ["core"],
    ["wires", "journal"],
    ["explanation", "faults"],
    ["endpoints"],
    ["sending"],
    ["control"],
    ["app", "guard"],
    ["server"],
    ["__main__", "pytest_plugin"],
]
MEETING_PLACE = "raglab.startup"


def modules(package):
    folder = ROOT / package
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        yield name, ast.parse(path.read_text(encoding="utf-8"))


def imported(tree):
    """Every module that is imported anywhere in the file, also inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            if "." in node.module:  # `from raglab import words` names the module, not the face
                yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def rung(ladder, package, name):
    """The row of a module, by the longest entry that fits; the package itself stands above all but __main__."""
    inner = name.removeprefix(package).strip(".")
    if not inner:
        return len(ladder)
    rows = {entry: row for row, entries in enumerate(ladder) for entry in entries}
    while inner not in rows:
        assert "." in inner, f"{name} has no place on the ladder"
        inner = inner.rpartition(".")[0]
    return rows[inner]


@pytest.mark.parametrize(("package", "ladder"), [("raglab", RAGLAB_LADDER), ("mock_llm", MOCK_LADDER)])
def test_imports_go_one_way(package, ladder):
    known = dict(modules(package))
    upward = []
    for name, tree in known.items():
        if name == package:
            continue
        for target in imported(tree):
            if target in known and target != name:
                sibling = target.split(".")[:2] == name.split(".")[:2]  # models.*, wires.*, course.* … know each other
                if not sibling and rung(ladder, package, target) >= rung(ladder, package, name):
                    upward.append(f"{name} imports {target}")
    assert upward == []


def test_the_two_packages_meet_in_one_place_only():
    meetings = {
        name
        for package, other in (("raglab", "mock_llm"), ("mock_llm", "raglab"))
        for name, tree in modules(package)
        if any(target.split(".")[0] == other for target in imported(tree))
    }
    assert meetings == {MEETING_PLACE}


@pytest.mark.parametrize("package", [raglab, mock_llm])
def test_the_face_is_sorted_and_complete(package):
    assert package.__all__ == sorted(package.__all__)
    assert all(hasattr(package, name) for name in package.__all__)
    assert all(getattr(package, name).__doc__ for name in package.__all__ if callable(getattr(package, name)))


FACE = """Answer Chunk Citation Document Hit Problem Prompt Quote Reply Source Usage load_documents chunk_by_heading
chunk_by_sentences TfidfIndex build_prompt connect FunctionModel ask edge_order parse_citations label_citations
invalid_citations check_answer is_refusal NUMBERED BRACKETED TAGGED""".split()


def test_the_names_people_rely_on_are_exported():
    assert set(FACE) <= set(raglab.__all__)
    assert {"STOP_WORDS", "explain", "reply_to", "running"} <= set(mock_llm.__all__)


HEAVY = (
    "anthropic",
    "sklearn",
    "numpy",
    "scipy",
    "matplotlib",
    "ipywidgets",
    "starlette",
    "uvicorn",
    "jsonschema",
    "markdown_it",
    "yaml",
)


@pytest.mark.parametrize("package", ["raglab", "raglab.cli", "mock_llm"])
def test_importing_loads_nothing_heavy(package):
    program = f"import json, sys, {package}; print(json.dumps(sorted(sys.modules)))"
    loaded = json.loads(subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout)
    assert [name for name in HEAVY if name in loaded] == []


def public_functions():
    for package in ("raglab", "mock_llm"):
        for name in sorted(sys.modules[package].__all__):
            value = getattr(sys.modules[package], name)
            if callable(value) and getattr(value, "__module__", "").startswith(package) and not isinstance(value, type):
                yield pytest.param(value, id=f"{package}.{name}")


@pytest.mark.parametrize("function", list(public_functions()))
def test_every_public_function_has_a_runnable_example(function):
    assert ">>> " in function.__doc__
