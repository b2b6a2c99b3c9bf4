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

# Lowest first: a module may import what stands in earlier rows of its ladder, and nothing of its own row.
ROOMS = [
    ["errors", "text"],
    ["checkout", "settings"],
    ["styles"],
    ["records"],
    ["protocols", "render"],
    ["retrieval", "prompting", "models", "grounding"],  # only what is above joins them
    ["followups", "streaming", "safety"],
    ["pipeline"],
    ["answerlog", "many"],
    ["evaluate"],
    ["course", "widgets"],
    ["shell"],
    ["__main__"],
]
INSIDE = {  # the same within each room
    "text": [["markdown", "terminal", "unmask", "words"]],
    "retrieval": [["chunks", "ordering", "retrieve"], ["documents"], ["tfidf"]],
    "prompting": [["fences"], ["prompts"]],
    "models": [["function", "mock", "service"], ["claude", "openai"], ["connect"]],
    "grounding": [
        ["addresses", "cited_blocks", "partial", "units"],
        ["citations", "links", "numerals"],
        ["numbers"],
        ["refusals", "statements", "support"],
        ["quotes"],
        ["checks"],
    ],
    "safety": [["tripwires"], ["scanning"], ["attacks"]],
    "evaluate": [
        ["questions", "rates", "tables"],
        ["forms", "plots"],
        ["cases"],
        ["drafts", "metrics"],
        ["judge", "report"],
        ["page", "runs"],
        ["sweeps"],
        ["positions"],
        ["command"],
    ],
    "course": [
        ["differences", "figures", "loopback_only"],
        ["exercises"],
        [f"lesson_{number:02}" for number in range(18) if number != 16],
        ["registry"],
        ["progress", "submissions"],
        ["checker"],
        ["regrade", "rerun"],
        ["classroom"],
    ],
    "shell": [["doctor", "launcher", "showing"], ["cli"]],
}
MOCK_LADDER = [
    ["errors", "hosts", "marks", "records", "version", "wires", "words"],
    ["schemas", "sentences", "wires.bodies", "wires.sse"],
    ["fitting", "tasks", "wires.fields"],
    ["examples", "faults", "recognise", "wires.anthropic_blocks", "wires.openai_fields", "wires.openai_messages"],
    ["reader", "wires.anthropic_tools", "wires.openai_request"],
    ["personas", "wires.anthropic_request"],
    ["core"],
    [
        "explanation",
        "journal",
        "wires.anthropic",
        "wires.anthropic_models",
        "wires.openai",
        "wires.openai_embeddings",
    ],
    ["wires.openai_responses"],
    ["endpoints"],
    ["sending"],
    ["control", "guard"],
    ["app"],
    ["server"],
    ["__main__", "pytest_plugin"],
]
FACES = ["course", "evaluate"]  # rooms whose own file imports what is in them, and which nothing in them imports
MEETING_PLACE = "raglab.models.mock"


def modules(package):
    folder = ROOT / package
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        yield name, ast.parse(path.read_text(encoding="utf-8"))


def is_module(name):
    place = ROOT.joinpath(*name.split("."))
    return place.with_suffix(".py").is_file() or place.is_dir()


def imported(tree):
    """Everything that is imported anywhere in the file, also inside functions: modules, and names of modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from names
            if not all(map(is_module, names)):  # `from raglab.text import words` takes that module alone
                yield node.module


def row(ladder, name):
    return next(number for number, names in enumerate(ladder) if name in names)


def raglab_may_import(name, target):
    """Whether the module `name` may import `target`, both without the package; "" is the package itself."""
    room, _, inner = name.partition(".")
    other_room, _, other_inner = target.partition(".")
    if not target:
        return name == "__main__"
    if room != other_room:
        return row(ROOMS, other_room) < row(ROOMS, room)
    if not inner:  # a room's own file shows what is in it
        return True
    if not other_inner:  # or holds what all of it needs
        return room not in FACES
    return row(INSIDE[room], other_inner.split(".")[0]) < row(INSIDE[room], inner.split(".")[0])


def mock_may_import(name, target):
    """The same for mock_llm, where every module stands on the ladder by itself."""
    return name == "__main__" if not target else row(MOCK_LADDER, target) < row(MOCK_LADDER, name)


@pytest.mark.parametrize(("package", "may_import"), [("raglab", raglab_may_import), ("mock_llm", mock_may_import)])
def test_imports_go_one_way(package, may_import):
    known = {name: tree for name, tree in modules(package) if name != package}
    upward = [
        f"{name} imports {target}"
        for name, tree in known.items()
        for target in imported(tree)
        if (target == package or target in known) and target != name
        if not may_import(name.removeprefix(f"{package}."), target.removeprefix(package)[1:])
    ]
    assert upward == []


def test_every_module_has_its_row_and_every_row_its_module():
    inside = [f"{room}.{name}" for room, ladder in INSIDE.items() for names in ladder for name in names]
    rooms = [name for names in ROOMS for name in names]
    found = [name.removeprefix("raglab.") for name, _ in modules("raglab") if name != "raglab"]
    # loopback_only holds a sitecustomize.py, which is no module of the package
    assert sorted({*found} - {"course.loopback_only.sitecustomize"}) == sorted(
        {*rooms, *inside} - {"course.loopback_only"}
    )
    mocks = [name.removeprefix("mock_llm.") for name, _ in modules("mock_llm") if name != "mock_llm"]
    assert sorted(mocks) == sorted(name for names in MOCK_LADDER for name in names)


@pytest.mark.parametrize(
    ("may_import", "name", "target"),
    [
        (raglab_may_import, "records", "render"),
        (raglab_may_import, "grounding.checks", "models.connect"),
        (raglab_may_import, "retrieval.documents", "retrieval.tfidf"),
        (raglab_may_import, "evaluate.cases", "evaluate"),
        (raglab_may_import, "pipeline", ""),
        (mock_may_import, "wires.sse", "wires.anthropic"),
        (mock_may_import, "reader", "core"),
    ],
)
def test_an_upward_import_is_found(may_import, name, target):
    assert not may_import(name, target)


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
chunk_by_sentences TfidfIndex Index Model build_prompt connect FunctionModel ask edge_order parse_citations
label_citations invalid_citations check_answer is_refusal NUMBERED BRACKETED TAGGED""".split()


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


@pytest.mark.parametrize("package", ["raglab", "raglab.shell.cli", "mock_llm"])
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
