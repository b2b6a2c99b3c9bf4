"""What is remembered of the checks, where, and when not."""

import json
import subprocess
import sys

import nbformat
import pytest

import raglab
from raglab.course import check, progress
from raglab.course.registry import EXERCISES


def score(question_words, sentence_words):
    return sum(word in question_words for word in sentence_words)


@pytest.fixture
def notebooks(tmp_path, monkeypatch):
    """A folder that stands for notebooks/, with this process as the kernel of a lesson in it."""
    (tmp_path / "00_start_here.ipynb").touch()
    monkeypatch.setattr(progress, "NOTEBOOKS", tmp_path)
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "an ordinary test")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def saved(notebooks):
    return json.loads((notebooks / ".progress.json").read_text())["outcomes"]


def test_at_first_nothing_is_started(notebooks):
    state = raglab.progress()
    assert (state.passed, list(state.outcomes)) == (0, list(EXERCISES))
    assert set(state.outcomes.values()) == {"NOT STARTED"}
    assert list(notebooks.glob(".*")) == [], "looking writes nothing"


def test_each_check_is_remembered_and_the_last_one_counts(notebooks):
    check("00.1", len)
    check("00.2", None)
    assert saved(notebooks) == {"00.1": "NOT YET"}
    check("00.1", score)
    assert raglab.progress().outcomes["00.1"] == "PASS"
    assert raglab.progress().passed == 1


def test_an_untouched_starter_that_is_run_again_takes_nothing_away(notebooks):
    check("00.1", score)
    check("00.1", None)
    assert raglab.progress().outcomes["00.1"] == "PASS"


def test_the_table_has_a_row_a_lesson_with_the_exercises_under_their_outcomes(notebooks):
    check("00.1", score)
    check("00.2", len)
    state = raglab.progress()
    header, first, *_ = str(state).splitlines()
    assert header.split("  ")[0] == "lesson" and header.endswith("PASS  NOT YET  NOT STARTED")
    assert first.split() == ["00_start_here", "2", "00.1", "00.2"]
    assert first.index("00.1") == header.index("PASS") and first.index("00.2") == header.index("NOT YET")
    assert str(state).endswith(f"\n\n1 of {len(EXERCISES)} exercises passed.") and repr(state) == str(state)
    assert "\n| 00_start_here | 2 | 00.1 | 00.2 |  |\n" in state._repr_markdown_()


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\xfe", b"[]", b"null", b'{"outcomes": 3}', b'{"outcomes": {"00.1": "DONE", "99.9": "PASS"}}']
    + [b"[" * 100_000, b'{"outcomes": {"00.1": ["PASS"]}}'],
)
def test_a_broken_file_counts_as_nothing_and_the_next_check_mends_it(notebooks, content):
    (notebooks / ".progress.json").write_bytes(content)
    assert raglab.progress().passed == 0
    check("00.1", score)
    assert saved(notebooks) == {"00.1": "PASS"}


def test_a_folder_in_place_of_the_file_disturbs_nothing(notebooks, capsys):
    (notebooks / ".progress.json").mkdir()
    check("00.1", score)
    assert capsys.readouterr().out == "PASS\n"
    assert raglab.progress().passed == 0


def test_the_old_file_stays_whole_when_writing_is_interrupted(notebooks, monkeypatch):
    check("00.1", score)
    monkeypatch.setattr(progress.os, "replace", lambda *_: (_ for _ in ()).throw(OSError("power cut")))
    check("00.2", len)
    assert saved(notebooks) == {"00.1": "PASS"}


def test_solutions_and_copies_elsewhere_are_not_remembered(notebooks, monkeypatch):
    (notebooks / "solutions").mkdir()
    monkeypatch.chdir(notebooks / "solutions")
    check("00.1", score)
    assert not list(notebooks.rglob(".progress*"))


def test_a_plain_program_is_not_remembered(notebooks, monkeypatch):
    monkeypatch.delitem(sys.modules, "ipykernel")
    check("00.1", score)
    assert not list(notebooks.rglob(".progress*"))


LESSON = """\
from pathlib import Path
from raglab.course import check, progress
progress.NOTEBOOKS = Path.cwd()
check("00.1", lambda question, sentence: sum(word in question for word in sentence))"""


@pytest.mark.parametrize("tested", [False, True])
def test_a_persons_kernel_is_remembered_and_nbval_is_not(tested, tmp_path):
    cell = nbformat.v4.new_code_cell(
        LESSON, execution_count=1, outputs=[nbformat.v4.new_output("stream", name="stdout", text="PASS\n")]
    )
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "lesson.ipynb")
    nbval = ["pytest", "--nbval", "--nbval-current-env", "-q", "-p", "no:cacheprovider", "lesson.ipynb"]
    opened = ["nbconvert", "--to", "notebook", "--execute", "lesson.ipynb", "--output", "run", "--log-level", "ERROR"]
    command = [sys.executable, "-m", *(nbval if tested else opened)]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert (tmp_path / ".progress.json").exists() is not tested
