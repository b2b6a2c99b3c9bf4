"""Run one submitted notebook in a fresh kernel, and grade the answers that its own cells hand to `check`.

The kernel has a temporary copy of the learner's folder, a home of its own, none of the caller's settings or keys, no
network but loopback, and a deadline. It is not a sandbox: harmful code can read this machine's files. Where
strangers hand in, run the whole command in a container.
"""

import ast
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty
from typing import Any

import nbformat

from raglab.course.exercises import NOT_STARTED, OUTCOMES, Exercise
from raglab.course.registry import EXERCISES
from raglab.course.submissions import read_notebook
from raglab.errors import DocumentError, ModelError

UNREADABLE, TIMEOUT, CRASHED = "UNREADABLE", "TIMEOUT", "CRASHED"
LOOPBACK_ONLY = Path(__file__).parent / "loopback_only"
# What a kernel needs of the caller's environment. A list of what to keep: keys have too many names to list.
_KEPT = re.compile(
    r"(?i)PATH|PYTHONPATH|VIRTUAL_ENV|CONDA_PREFIX|LD_LIBRARY_PATH|LANG|LC_\w+|TZ"
    r"|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|PROCESSOR_ARCHITECTURE|NUMBER_OF_PROCESSORS"
)


@dataclass(frozen=True, slots=True)
class Rerun:
    """What became of one notebook."""

    outcomes: Mapping[str, str]  # exercise id → PASS, NOT YET, NOT STARTED, UNREADABLE, TIMEOUT or CRASHED
    notes: tuple[str, ...] = ()  # what went wrong, one clause each


class _Ended(Exception):
    """The kernel has ended or must end; the message is the outcome of what it has not graded."""


def rerun(
    path: Path, lesson: str, folder: Path | None, *, timeout: float, scratch: Path, stop: threading.Event
) -> Rerun:
    """Run the notebook for at most `timeout` seconds and grade the lesson's exercises.

    `folder` is the learner's, copied whole; without it the notebook is copied alone. The copies are made in
    `scratch`, which many runs may share. `stop` ends the run early.
    """
    exercises = [exercise for exercise in EXERCISES.values() if exercise.lesson == lesson]
    try:
        notebook = read_notebook(path)
        deadline = time.monotonic() + timeout
        with _copy(path, folder, scratch) as (home, place), _kernel(home, deadline, stop) as kernel:
            return _grade(kernel, place, notebook, exercises, timeout)
    except DocumentError as error:
        return Rerun({exercise.id: UNREADABLE for exercise in exercises}, (str(error),))


def _grade(
    kernel: "_Kernel", place: Path, notebook: nbformat.NotebookNode, exercises: list[Exercise], timeout: float
) -> Rerun:
    outcomes: dict[str, str] = {}
    notes: list[str] = []
    try:
        grader = kernel.make_ready(place)
        for number, cell in enumerate((cell for cell in notebook.cells if cell.cell_type == "code"), 1):
            error = kernel.run(cell.source).get("ename")
            if error and "raises-exception" not in cell.metadata.get("tags", []) and not notes:
                notes.append(f"code cell {number} raised {_word(error)}")
            for exercise_id, answer in handed_in(cell.source):
                if exercise_id in (exercise.id for exercise in exercises):
                    outcome = kernel.grade(grader, exercise_id, answer)
                    outcomes.update({exercise_id: outcome} if outcome else {})
        for exercise in exercises:
            if exercise.id not in outcomes:  # its check never ran; a name that is missing is an answer not begun
                outcomes[exercise.id] = kernel.grade(grader, exercise.id, exercise.answer) or NOT_STARTED
    except _Ended as ended:
        reason = {TIMEOUT: f"the time limit of {timeout:g} seconds is over", CRASHED: "the kernel died"}
        notes.append(reason[str(ended)])
        outcomes = {exercise.id: outcomes.get(exercise.id, str(ended)) for exercise in exercises}
    return Rerun({exercise.id: outcomes[exercise.id] for exercise in exercises}, tuple(notes))


def _word(name: str) -> str:
    """The name of an error, which a learner may have chosen, as one short word."""
    return re.sub(r"\W", "", name)[:40]


def handed_in(source: str) -> list[tuple[str, str]]:
    """The (exercise id, answer's source) of every `check` in a cell; of a cell with magics, none.

    >>> handed_in('check("00.1", score)\\ncheck("00.2", answer=max)')
    [('00.1', 'score'), ('00.2', 'max')]
    """
    try:
        calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found = []
    for call in calls:
        values = [*call.args, *(keyword.value for keyword in call.keywords)]
        named = isinstance(call.func, ast.Name) and call.func.id == "check"
        if named and len(values) == 2 and isinstance(values[0], ast.Constant) and isinstance(values[0].value, str):
            found.append((values[0].value, ast.unparse(values[1])))
    return found


class _Kernel:
    """A kernel that is asked one thing at a time; every wait ends at the deadline."""

    def __init__(self, manager: Any, client: Any, deadline: float, stop: threading.Event):
        self._manager, self._client, self._deadline, self._stop = manager, client, deadline, stop

    def make_ready(self, folder: Path) -> str:
        """Let raglab settle in before the learner's code; returns the secret name of the grader."""
        name = f"_{secrets.token_hex(16)}"
        ready = f"__import__('raglab.course.regrade').course.regrade.make_ready({str(folder)!r}, {name!r}, globals())"
        if self.run(ready, silent=True)["status"] != "ok":
            raise ModelError("A kernel with raglab in it does not start; `raglab doctor` says what is missing.")
        return name

    def grade(self, grader: str, exercise_id: str, answer: str) -> str | None:
        """The outcome, or None when the answer's expression has no value."""
        reply = self.run("", silent=True, outcome=f"{grader}({exercise_id!r}, {answer!r})")
        said = reply.get("user_expressions", {}).get("outcome", {}).get("data", {}).get("text/plain", "").strip("'")
        return said if said in OUTCOMES else None

    def run(self, code: str, silent: bool = False, **expressions: str) -> dict[str, Any]:
        """Run one cell and return the kernel's reply; raises `_Ended` when there will be none.

        A silent cell leaves no trace in the history that a notebook can read.
        """
        sent = self._client.execute(
            code, silent=silent, user_expressions=expressions, allow_stdin=False, stop_on_error=False
        )
        while True:
            if self._stop.is_set() or time.monotonic() > self._deadline:
                raise _Ended(TIMEOUT)
            try:
                reply = self._client.get_shell_msg(timeout=0.1)
            except Empty:
                if not self._manager.is_alive():
                    raise _Ended(CRASHED) from None
                continue
            if reply["parent_header"].get("msg_id") == sent:
                return reply["content"]


@contextmanager
def _kernel(home: Path, deadline: float, stop: threading.Event) -> Iterator[_Kernel]:
    import psutil
    from jupyter_client.manager import KernelManager
    from jupyter_client.provisioning.local_provisioner import LocalProvisioner

    manager = KernelManager(kernel_name="python3", connection_file=str(home / "kernel.json"))
    spec = manager.kernel_spec
    assert spec is not None  # where there is none, the line above raises
    # This Python, whatever kernels the person has installed.
    spec.argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    manager.start_kernel(cwd=str(home), env=_environment(home), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert isinstance(manager.provisioner, LocalProvisioner)
    process = psutil.Process(manager.provisioner.pid)
    client = manager.client()
    # No iopub: what the cells print is sent to nobody, however much it is.
    client.start_channels(shell=True, iopub=False, stdin=False, hb=False, control=False)
    try:
        yield _Kernel(manager, client, deadline, stop)
    finally:
        client.stop_channels()
        with suppress(psutil.Error):
            for child in process.children(recursive=True):
                with suppress(psutil.Error):
                    child.kill()
        manager.shutdown_kernel(now=True)


def _environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if _KEPT.fullmatch(name)}
    paths = [str(LOOPBACK_ONLY), os.environ.get("PYTHONPATH", "")]
    own = {name: str(home) for name in ("HOME", "USERPROFILE", "APPDATA", "TMPDIR", "TEMP", "TMP", "IPYTHONDIR")}
    # Shared by all runs: matplotlib looks through the machine's fonts once, which takes seconds.
    shared = {"MPLCONFIGDIR": str(home.parent / "fonts")}
    return {**kept, **own, **shared, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}


@contextmanager
def _copy(path: Path, folder: Path | None, scratch: Path) -> Iterator[tuple[Path, Path]]:
    """A temporary home with a copy in it, and the notebook's own place in the copy."""
    with tempfile.TemporaryDirectory(dir=scratch, ignore_cleanup_errors=True) as temporary:
        home = Path(temporary)
        copy = home / "submission"
        try:
            if folder:
                shutil.copytree(folder, copy, ignore=_not_to_copy)
            else:
                copy.mkdir()
                shutil.copy(path, copy)
        except (OSError, shutil.Error):
            raise DocumentError(f"{path.name} cannot be copied with the files beside it") from None
        yield home, (copy / path.relative_to(folder or path.parent)).parent


def _not_to_copy(place: str, names: list[str]) -> list[str]:
    """Links, pipes and whatever else is neither file nor folder; and what tools leave behind."""
    plain = [name for name in names if (path := Path(place, name)).is_file() or path.is_dir()]
    links = {name for name in names if Path(place, name).is_symlink()}
    return [name for name in names if name not in plain or name in links or name.startswith((".", "__"))]
