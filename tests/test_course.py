"""course.py: the set-up is done once, repaired after an interruption, and every mistake is one sentence.

The steps that install packages are replaced here, for tests reach no network. The real set-up of a fresh clone is
run by the last test, where TEST_INSTALL says that the network may be used; `.ci/run` says so.
"""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import raglab.shell.launcher

ROOT = Path(__file__).parents[1]


@pytest.fixture
def course(tmp_path, monkeypatch):
    """course.py in an empty folder with two locks; pip and venv only note what they were asked."""
    sys.path.insert(0, str(ROOT))
    import course

    sys.path.remove(str(ROOT))
    (tmp_path / "tests").mkdir()
    for name in (*course.LOCKS.values(), "pyproject.toml"):
        (tmp_path / name).write_text("one==1\ntwo==2\n")
    log = []

    def create(folder, clear, with_pip):
        log.append("venv")
        python = course.interpreter(Path(folder))
        python.parent.mkdir(parents=True, exist_ok=True)
        python.touch()

    monkeypatch.setattr(course, "ROOT", tmp_path)
    monkeypatch.setattr(course, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(course.venv, "create", create)
    monkeypatch.setattr(course, "run_pip", lambda command, what, total: log.append(what))
    course.log = log
    return course


FIRST = ["venv", "up to 2 packages", "raglab itself"]


def test_the_first_run_installs_and_the_second_does_nothing(course):
    python = course.set_up_venv("start")
    assert course.log == FIRST and python == course.VENV / "bin/python"
    assert course.set_up_venv("start") == python and course.log == FIRST


def test_test_adds_its_packages_once_and_start_is_then_satisfied(course):
    course.set_up_venv("start")
    course.set_up_venv("test")
    assert course.log == FIRST + FIRST[1:]
    course.set_up_venv("start")
    course.set_up_venv("test")
    assert course.log == FIRST + FIRST[1:]


@pytest.mark.parametrize("name", ["requirements.lock", "pyproject.toml"])
def test_a_changed_lock_is_installed_into_the_same_environment(course, name):
    course.set_up_venv("start")
    (course.ROOT / name).write_text("one==2\ntwo==2\n")
    course.set_up_venv("start")
    assert course.log == FIRST + FIRST[1:]


@pytest.mark.parametrize("step", FIRST)
def test_an_interrupted_set_up_is_made_anew(course, monkeypatch, step):
    def interrupted(command, what, total):
        course.log.append(what)
        if what == step:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(course, "run_pip", interrupted)
        if step == "venv":
            patch.setattr(course.venv, "create", lambda *args, **kwargs: interrupted(None, "venv", 0))
        assert course.main(["start"]) == 130
    course.log.clear()
    course.set_up_venv("start")
    assert course.log == FIRST


@pytest.mark.parametrize("stamp", ["", "{", "[]", json.dumps({"python": "3.8", "place": "elsewhere"})])
def test_a_stamp_that_means_nothing_leads_to_a_new_environment(course, stamp):
    course.set_up_venv("start")
    (course.VENV / "raglab-stamp.json").write_text(stamp)
    course.set_up_venv("start")
    assert course.log == FIRST + FIRST


def test_a_moved_folder_gets_a_new_environment(course, monkeypatch, tmp_path):
    course.set_up_venv("start")
    monkeypatch.setattr(course, "ROOT", tmp_path / "tests" / "..")
    course.set_up_venv("start")
    assert course.log == FIRST + FIRST


def test_a_folder_that_cannot_be_written_is_said(course, monkeypatch, capsys):
    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(course.venv, "create", refuse)
    assert course.main(["start"]) == 1
    error = capsys.readouterr().err
    assert "permission denied" in error and error.count("\n") == 1


def test_the_command_gets_every_other_option(course, monkeypatch):
    seen = []
    monkeypatch.setattr(course, "become", lambda command: seen.extend(command) or 0)
    assert course.main(["start", "--no-browser", "--port", "9000"]) == 0
    assert seen == [str(course.VENV / "bin/python"), "-m", "raglab", "start", "--no-browser", "--port", "9000"]


def test_here_keeps_what_fits_and_installs_only_the_project(course, monkeypatch):
    monkeypatch.setattr(
        course.subprocess, "run", lambda *a, **k: subprocess.CompletedProcess(a, 0, "No broken requirements.")
    )
    assert course.set_up_here("test") == Path(sys.executable)
    assert course.log == ["raglab itself"]


def test_here_installs_the_lock_when_something_is_missing(course, monkeypatch):
    said = "other 1.0 requires x, which is not installed.\nraglab 0.1.0 requires msgspec, which is not installed.\n"
    monkeypatch.setattr(course.subprocess, "run", lambda *a, **k: subprocess.CompletedProcess(a, 1, said))
    course.set_up_here("start")
    assert course.log == ["raglab itself", "up to 2 packages"]


def test_windows_keeps_its_interpreter_elsewhere(course):
    assert course.interpreter(Path(".venv"), windows=True).as_posix() == ".venv/Scripts/python.exe"
    assert course.interpreter(Path(".venv"), windows=False).as_posix() == ".venv/bin/python"


def run_course(*arguments):
    return subprocess.run([sys.executable, ROOT / "course.py", *arguments], capture_output=True, text=True)


def test_help_gives_the_two_commands():
    for arguments in ([], ["--help"]):
        run = run_course(*arguments)
        assert run.returncode == 0 and "course.py start" in run.stdout and "course.py test" in run.stdout


def test_an_unknown_command_is_one_sentence():
    run = run_course("strat")
    assert (run.returncode, run.stdout, run.stderr.count("\n")) == (2, "", 1) and "'strat'" in run.stderr


@pytest.mark.parametrize("version", [(3, 6, 15), (3, 10, 13)])
def test_an_old_python_is_told_so_before_anything_else(version):
    program = f"import sys, runpy; sys.version_info = {version}; runpy.run_path('course.py', run_name='__main__')"
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 1 and "Traceback" not in run.stderr
    assert f"needs Python 3.11 or newer, and this is Python 3.{version[1]}." in run.stderr


def test_pip_failing_gives_its_last_words(course, monkeypatch, capsys):
    monkeypatch.undo()
    with pytest.raises(course.SetUpFailed, match=r"could not install it; its last words:\n  gone\nCheck the network"):
        course.run_pip([sys.executable, "-c", "import sys; print('gone'); sys.exit(1)"], "it", 1)


def test_a_folder_without_lessons_is_no_checkout(monkeypatch, tmp_path):
    monkeypatch.setattr(raglab.shell.launcher, "ROOT", tmp_path)
    for command in (
        lambda: raglab.shell.launcher.start_course(browser=False, port=1, lab_port=1),
        lambda: raglab.shell.launcher.test_course([]),
    ):
        with pytest.raises(raglab.SettingError, match="checkout of the course"):
            command()


@pytest.mark.skipif(
    not os.environ.get("TEST_INSTALL"),
    reason="installs some 140 packages from the network; set TEST_INSTALL=1 to run it",
)
def test_a_fresh_clone_starts_and_survives_an_interrupted_install(tmp_path, running_course):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    clone = tmp_path / "a course"  # a blank in the path is where many scripts break
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    command = [sys.executable, "course.py", "start", "--no-browser"]
    pipes = {"stdout": subprocess.PIPE, "text": True, "start_new_session": True}
    first = subprocess.Popen(command, cwd=clone, env=environment, **pipes)
    while "Installing up to" not in (line := first.stdout.readline()):
        assert line, "the set-up ended by itself"
    os.killpg(first.pid, signal.SIGKILL)  # pip as well, as when a terminal is closed
    first.communicate()
    assert not (clone / ".venv" / "raglab-stamp.json").exists()
    with running_course(command, cwd=clone, env=environment) as course:
        assert re.search("10 US dollars", course.answer())
