"""`raglab start` and `raglab test`: the course's two commands, once the environment is set up."""

import http.client
import importlib.util
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import webbrowser
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from raglab.checkout import ROOT
from raglab.errors import ModelError, SettingError
from raglab.models.mock import probe, start_mock

LESSON = "notebooks/00_start_here.ipynb"
LOOPBACK_ONLY = ROOT / "raglab" / "course" / "loopback_only"
_QUIET_LAB = (
    "--no-browser",
    "--ServerApp.ip=127.0.0.1",
    "--ServerApp.port_retries=0",
    "--Application.log_level=ERROR",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    "--LabApp.news_url=None",
    "--LabApp.extension_manager=readonly",  # the other kind lists packages from the network
    "--KernelManager.transport_encryption=auto",  # without it each kernel warns in the terminal
)
# What a person's shell may hold and a test run must not see.
_NOT_FOR_TESTS = (
    "RAGLAB_LLM",
    "RAGLAB_MODEL",
    "RAGLAB_MOCK_URL",
    "PYTEST_ADDOPTS",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_CUSTOM_HEADERS",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
)


def start_course(*, browser: bool, port: int, lab_port: int) -> int:
    """Start the mock and JupyterLab, wait for Ctrl-C or for JupyterLab to end, and leave nothing running."""
    _check_checkout("start")
    # A termination, or a terminal that closes, must end like Ctrl-C: through the `finally` blocks below.
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _interrupt)
    try:
        with _mock(port) as mock_url, _lab(mock_url, _free_port(lab_port)) as (lab, address):
            print(f"JupyterLab at lesson 00: {address}\nCtrl-C ends the course.", flush=True)
            if browser:
                webbrowser.open(address)
            return lab.wait()
    except KeyboardInterrupt:
        print("\nThe course has ended.", flush=True)
        return 0


def test_course(arguments: Iterable[str]) -> int:
    """Run every test and every lesson in one pytest, cut off from every network but loopback."""
    _check_checkout("test")
    if not all(map(importlib.util.find_spec, ("pytest", "nbval", "hypothesis", "xdist"))):
        raise SettingError("The test packages are not installed; run `python3 course.py test`, which installs them.")
    environment = {name: value for name, value in os.environ.items() if name not in _NOT_FOR_TESTS}
    # Python reads this folder's sitecustomize at start: the kernels of the lessons are cut off as well.
    environment["PYTHONPATH"] = os.pathsep.join([str(LOOPBACK_ONLY), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "pytest", "--doctest-modules", "--nbval", "--nbval-current-env"]
    folders = ["tests", "raglab", "mock_llm", "notebooks"]
    # Two workers, each taking whole files, so that a notebook keeps its kernel; options replace these.
    options = list(arguments) or ["-n", "2", "--dist", "loadscope"]
    return subprocess.call([*command, *options, *folders], cwd=ROOT, env=environment)


@contextmanager
def _mock(port: int) -> Iterator[str]:
    """The address of a mock: one that runs already, or our own for as long as the course runs."""
    url = f"http://127.0.0.1:{port}"
    if probe(url) == "mock":
        print(f"mock LLM already listening on {url}", flush=True)
        yield url
        return
    free = _free_port(port)
    if free != port:
        print(f"Port {port} is taken by another program; the mock LLM takes {free}.", flush=True)
    mock = start_mock(free, delay_ms=40)
    try:
        print(f"mock LLM listening on {mock.url}  (api key: {mock.api_key})", flush=True)
        yield mock.url
    finally:
        mock.stop()


@contextmanager
def _lab(mock_url: str, port: int) -> Iterator[tuple[subprocess.Popen, str]]:
    """JupyterLab as a child process, ready to answer, with the address that opens lesson 00."""
    token = secrets.token_hex(24)
    # So that `python3 -m raglab …` in a terminal of JupyterLab is this Python.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    # JupyterLab's own settings: no question about news at the first start.
    config = os.pathsep.join([str(ROOT / "raglab" / "course" / "jupyter"), os.environ.get("JUPYTER_CONFIG_PATH", "")])
    ours = {"RAGLAB_MOCK_URL": mock_url, "JUPYTER_TOKEN": token, "PATH": path, "JUPYTER_CONFIG_PATH": config}
    allow_root = ["--allow-root"] if getattr(os, "geteuid", lambda: 1)() == 0 else []
    lab = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *_QUIET_LAB, f"--ServerApp.port={port}", *allow_root],
        cwd=ROOT,
        # The token goes by the environment: a command line can be read by every user of the machine.
        env={**os.environ, **ours},
        # Ctrl-C reaches the whole terminal; JupyterLab would answer it with a question of its own.
        start_new_session=True,
    )
    try:
        _wait_until_ready(lab, f"http://127.0.0.1:{port}/api/status", token)
        yield lab, f"http://127.0.0.1:{port}/lab/tree/{LESSON}?token={token}"
    finally:
        _end(lab, f"http://127.0.0.1:{port}/api/shutdown", token)


def _end(lab: subprocess.Popen, url: str, token: str) -> None:
    """End JupyterLab: by its own call, which ends its kernels on every system; else by a signal, which does on some."""
    try:
        try:
            _call(url, token, method="POST")
        except OSError:
            lab.terminate()
        lab.wait(timeout=15)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):  # it hangs, or a person cannot wait
        lab.kill()
        lab.wait()


def _call(url: str, token: str, method: str = "GET") -> None:
    """Ask JupyterLab; an OSError where it does not answer, or not with a success."""
    request = urllib.request.Request(url, headers={"Authorization": f"token {token}"}, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # no proxy before loopback
    try:
        opener.open(request, timeout=5).close()
    except http.client.HTTPException as error:  # from a program that does not speak HTTP
        raise OSError(str(error)) from None


def _wait_until_ready(lab: subprocess.Popen, url: str, token: str, seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if lab.poll() is not None:
            raise ModelError(
                f"JupyterLab ended at once with status {lab.returncode}; `raglab doctor` says what is missing."
            )
        try:
            _call(url, token)
            return
        except OSError:
            time.sleep(0.1)
    raise ModelError(
        f"JupyterLab did not answer within {seconds:.0f} seconds; try again, or run `jupyter lab` yourself."
    )


def _free_port(port: int) -> int:
    """The first port from `port` on that nothing listens at."""
    for candidate in range(port, min(port + 100, 65536)):
        with socket.socket() as trial:
            if os.name == "posix":  # else a port that was closed a moment ago counts as taken
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                trial.bind(("127.0.0.1", candidate))
                return candidate
            except OSError:
                continue
    raise SettingError(f"No port from {port} on is free; name another with --port or --lab-port.")


def _check_checkout(command: str) -> None:
    if not (ROOT / LESSON).is_file():
        raise SettingError(f"`raglab {command}` needs the workbook's own folder; run it from a checkout of the course.")


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
