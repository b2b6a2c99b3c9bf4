"""A class of learners, each with trouble of their own, run once; what each row says; and clean starters."""

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from raglab.course import classroom
from raglab.course.registry import EXERCISES

ROOT = Path(__file__).parents[3]
SETUP = "import raglab\nfrom raglab.course import DOCS, check, hint, solution\n\nmodel = raglab.connect()"
RIGHT_1, RIGHT_2 = EXERCISES["00.1"].solution, EXERCISES["00.2"].solution
WRONG_1, WRONG_2 = "def score(question, sentence):\n    return 3", "def winner(scores):\n    return 1"
CHECK_1, CHECK_2 = 'check("00.1", score)', 'check("00.2", winner)'
FAKES = """\
import raglab.course.checker, raglab.course.exercises, raglab.course.registry
for name in ("compare", "PASS", "NOT_YET"):
    setattr(raglab.course.exercises, name, lambda *_: None)
raglab.course.checker.judge = lambda *_: ("PASS", [])
raglab.course.registry.EXERCISES.clear()
def check(*_):
    print("PASS")"""
ALONE = """\
import os, socket, subprocess, sys, helper
from pathlib import Path
assert not [name for name in os.environ if "KEY" in name or "TOKEN" in name], "a key"
assert (DOCS / "club").is_dir()
assert Path("data.csv").read_text() == "1" and not helper.__file__.startswith(os.environ["THE_ORIGINAL"])
Path("data.csv").write_text("2")
for code in (0, 1):
    try:
        socket.create_connection(("192.0.2.1", 80), timeout=1)
        raise AssertionError("the network")
    except ConnectionRefusedError:
        pass
dial = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=1)"
child = subprocess.run([sys.executable, "-c", dial], capture_output=True, text=True)
assert "only loopback" in child.stderr"""

CELLS = {
    "ann/00_start_here": [SETUP, RIGHT_1, CHECK_1, RIGHT_2, CHECK_2],
    "bob_00_start_here": [SETUP, WRONG_1, CHECK_1, WRONG_2, CHECK_2],
    "cat/00_x": [SETUP, EXERCISES["00.1"].starter, CHECK_1, EXERCISES["00.2"].starter, CHECK_2],
    "eve/00_x": ["import nothing_of_this_name", RIGHT_1, CHECK_1, WRONG_2],
    "fay/00_x": [SETUP, FAKES, WRONG_1, CHECK_1, WRONG_2, CHECK_2],
    "gus/00_x": [SETUP, RIGHT_1, CHECK_1, "while True:\n    print('x' * 1000)", RIGHT_2, CHECK_2],
    "hal/00_x": [SETUP, "for _ in range(200):\n    print('x' * 10**6)", RIGHT_1, CHECK_1, RIGHT_2, CHECK_2],
    "joe/00_x": [SETUP, RIGHT_1, CHECK_1, "import os\nos._exit(1)", RIGHT_2, CHECK_2],
    "kim/00_x": [SETUP, ALONE.replace('os.environ["THE_ORIGINAL"]', "{folder!r}"), RIGHT_1, RIGHT_2],
    "lea/00_x": [SETUP, RIGHT_1, "mine = score", 'check("00.1", mine)', "%reset -f", "input()", "exit()", RIGHT_2],
    "=mia/00_x": [SETUP, "def score(question, sentence):\n    while True:\n        pass", RIGHT_2, CHECK_2],
}


def write(path, cells):
    path.parent.mkdir(exist_ok=True)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    for cell in notebook.cells:
        if "check(" in cell.source:  # what stands in the file says nothing
            cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text="PASS\n")]
    nbformat.write(notebook, path)


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """{learner: row of the CSV file}, the folder, and what the command said."""
    folder = tmp_path_factory.mktemp("class")
    for name, cells in CELLS.items():
        write(folder / f"{name}.ipynb", [cell.replace("{folder!r}", repr(str(folder))) for cell in cells])
    (folder / "dan").mkdir()
    (folder / "dan" / "00_x.ipynb").write_text('{"cells": [')
    (folder / "ida").mkdir()
    (folder / "ida" / "report.pdf").touch()
    (folder / "kim" / "data.csv").write_text("1")
    (folder / "kim" / "helper.py").touch()
    (folder / "lea" / "raglab").mkdir()  # not to be taken for ours
    (folder / "lea" / "raglab" / "__init__.py").write_text("raise SystemExit('the wrong raglab')")
    command = [sys.executable, "-m", "raglab", "class", folder, "--out", folder / "results.csv", "--timeout", "20"]
    keys = {"ANTHROPIC_API_KEY": "sk-secret", "GITHUB_TOKEN": "secret", "RAGLAB_LLM": "claude"}
    environment = {**os.environ, **keys}
    run = subprocess.run([*command, "--workers", "2"], env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    with open(folder / "results.csv", newline="", encoding="utf-8") as file:
        return {row["learner"]: row for row in csv.DictReader(file)}, folder, run


EXPECTED = {
    "ann": ("PASS", "PASS", ""),
    "bob": ("NOT YET", "NOT YET", ""),
    "cat": ("NOT STARTED", "NOT STARTED", ""),
    "dan": ("UNREADABLE", "UNREADABLE", "00: 00_x.ipynb is not a notebook"),
    "eve": ("PASS", "NOT YET", "00: code cell 1 raised ModuleNotFoundError"),
    "fay": ("NOT YET", "NOT YET", ""),
    "gus": ("PASS", "TIMEOUT", "00: the time limit of 20 seconds is over"),
    "hal": ("PASS", "PASS", ""),
    "ida": ("MISSING", "MISSING", "no notebook whose name begins with a lesson's number, as 01_ does"),
    "joe": ("PASS", "CRASHED", "00: the kernel died"),
    "kim": ("PASS", "PASS", ""),
    "lea": ("PASS", "PASS", "00: code cell 6 raised StdinNotImplementedError"),
    "'=mia": ("TIMEOUT", "PASS", "00: the time limit of 20 seconds is over"),
}


@pytest.mark.parametrize("learner", EXPECTED)
def test_a_row_says_what_became_of_each_exercise_and_why(graded, learner):
    rows, _, _ = graded
    row = rows[learner]
    assert (row["00.1"], row["00.2"], row["notes"]) == EXPECTED[learner]
    assert row["passed"] == str(EXPECTED[learner].count("PASS"))


def test_there_is_one_row_a_learner_and_one_column_an_exercise(graded):
    rows, _, _ = graded
    assert list(rows) == sorted(EXPECTED, key=lambda learner: learner.lstrip("'"))
    assert list(rows["ann"]) == ["learner", *EXERCISES, "passed", "notes"]
    assert {rows["ann"][id] for id in EXERCISES if not id.startswith("00.")} == {"MISSING"}


def test_submissions_are_as_they_were(graded):
    _, folder, _ = graded
    assert (folder / "kim" / "data.csv").read_text() == "1"
    assert [path.name for path in (folder / "kim").iterdir() if path.name.startswith("_")] == []


def test_the_command_sums_up_and_shows_no_bar_where_nobody_looks(graded):
    _, folder, run = graded
    assert (run.stdout, run.stderr) == (f"13 learners, 12 exercises passed; written to {folder / 'results.csv'}.\n", "")


def raglab(*arguments, **options):
    command = [sys.executable, "-m", "raglab", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, **options)


def test_some_lessons_can_be_asked_for(tmp_path):
    write(tmp_path / "ann_00_x.ipynb", [RIGHT_1])
    out = tmp_path / "results.csv"
    assert raglab("class", tmp_path, "--out", out, "--lesson", "01").stdout.startswith("1 learners, 0 exercises")
    ids = [id for id in EXERCISES if id.startswith("01.")]
    assert out.read_text().splitlines()[0].split(",") == ["learner", *ids, "passed", "notes"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere", "--out", "r.csv"], "'nowhere' is not a folder"),
        ([".", "--out", "r.csv"], "no submission in '.'"),
        (["."], "--out results.csv"),
        ([".", "--out", "no/such/r.csv"], "cannot be written"),
        ([".", "--out", "r.csv", "--lesson", "99"], "There is no lesson '99'"),
        ([".", "--out", "r.csv", "--timeout", "0"], "--timeout"),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path, arguments, message):
    run = raglab("class", *arguments, cwd=tmp_path)
    assert message in run.stderr and run.stderr.startswith("raglab: ")
    assert (run.stderr.count("\n"), run.stdout, run.returncode) == (1, "", 2)


def test_clean_starters_are_the_committed_lessons(tmp_path):
    place = tmp_path / "starters"
    run = raglab("class", "--reset", place)
    names = sorted(path.name for path in place.iterdir())
    assert run.stdout == f"{len(names)} lessons, as committed, are in {place}.\n"
    assert "00_start_here.ipynb" in names
    for path in place.iterdir():
        notebook = nbformat.read(path, as_version=4)
        checks = [cell for cell in notebook.cells if cell.source.startswith("check(")]
        assert checks and {cell.outputs[0].text for cell in checks} == {"NOT STARTED\n"}
        committed = subprocess.run(
            ["git", "-C", ROOT, "show", f"HEAD:notebooks/{path.name}"], capture_output=True, check=False
        )
        assert committed.returncode or path.read_bytes() == committed.stdout


def test_starters_never_replace_somebodys_work(tmp_path):
    (tmp_path / "00_start_here.ipynb").write_text("mine")
    run = raglab("class", "--reset", tmp_path)
    assert (run.returncode, run.stderr.count("\n")) == (2, 1) and "holds 00_start_here.ipynb already" in run.stderr
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]


def test_without_git_the_lessons_are_copied_as_they_stand(tmp_path, monkeypatch):
    (tmp_path / "notebooks").mkdir()
    write(tmp_path / "notebooks" / "00_x.ipynb", [SETUP])
    monkeypatch.setattr(classroom, "ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert classroom.make_starters(tmp_path / "out") == ["00_x.ipynb"]
    assert (tmp_path / "out" / "00_x.ipynb").read_bytes() == (tmp_path / "notebooks" / "00_x.ipynb").read_bytes()


def test_progress_is_a_command_too():
    shown = raglab("check")
    assert shown.returncode == 0 and re.search(r"^00_start_here +2 ", shown.stdout, re.MULTILINE)
    said = json.loads(raglab("check", "--json").stdout)
    assert said["exercises"] == len(EXERCISES) == len(said["outcomes"])
    assert said["passed"] == list(said["outcomes"].values()).count("PASS")
