"""What every test shares: no network but loopback, no settings of the person who runs them, one mock."""

import contextlib
import http.server
import json
import os
import re
import runpy
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import psutil
import pytest
from hypothesis import settings

HERE = Path(__file__).parent
GUARD = HERE.parent / "raglab" / "course" / "loopback_only"

# `raglab test` has set this up already; a plain `pytest` gets the same, for itself and its child processes.
if not getattr(sys, "loopback_only", False):
    runpy.run_path(str(GUARD / "sitecustomize.py"))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(GUARD), os.environ.get("PYTHONPATH", "")])

# A run in the background may ignore Ctrl-C, and its children would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

for name in [name for name in os.environ if name.startswith(("RAGLAB_", "ANTHROPIC_", "OPENAI_"))]:
    del os.environ[name]

# The same examples in every run; `HYPOTHESIS_PROFILE=long` looks for new ones, and for many. No deadlines: a busy
# machine is no fault.
settings.register_profile("usual", max_examples=100, deadline=None, derandomize=True)
settings.register_profile("long", max_examples=10_000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "usual"))


@pytest.fixture(scope="session")
def docs() -> Path:
    """The folder of the corpora."""
    return HERE.parent / "docs"


@pytest.fixture(scope="session")
def mock():
    """One mock LLM for the whole run, on a free port."""
    import mock_llm

    with mock_llm.running(port=0) as server:
        yield server


@pytest.fixture
def model(mock, monkeypatch):
    """The model that `connect` gives when RAGLAB_MOCK_URL names the shared mock."""
    from raglab import connect

    monkeypatch.setenv("RAGLAB_MOCK_URL", mock.url)
    return connect()


@pytest.fixture
def other_program():
    """The port of a program that is not ours: it accepts connections and says nothing sensible."""
    handler = type("Handler", (http.server.BaseHTTPRequestHandler,), {"log_message": lambda *_: None})
    server = http.server.HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


class RunningCourse:
    """A `start` command that serves, and how to talk to what it serves."""

    def __init__(self, process: subprocess.Popen):
        self.process, self.output, self.status, self.survivors = process, "", None, []
        while "Ctrl-C ends the course" not in self.output:
            line = process.stdout.readline()
            assert line, f"it ended by itself:\n{self.output}"
            self.output += line
        self.mock_url = re.search(r"listening on (\S+)", self.output)[1]
        self.address, self.token = re.search(r"(http://\S+)/lab/tree/\S+\?token=(\w+)", self.output).groups()

    def lab(self, path, body=None):
        """A call of JupyterLab's own interface."""
        headers = {"Authorization": f"token {self.token}", "Content-Type": "application/json"}
        data = json.dumps(body).encode() if body else None
        request = urllib.request.Request(f"{self.address}/api/{path}", data, headers)
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)

    def answer(self) -> str:
        """What the mock answers to the first question of the README."""
        passage = "[1] (source: membership.md#Membership fee) Membership costs 10 US dollars per term."
        question = f"Context:\n{passage}\n\nQuestion: How much does membership cost per term?"
        body = {"model": "mock", "max_tokens": 100, "messages": [{"role": "user", "content": question}]}
        headers = {"x-api-key": "test-key", "anthropic-version": "2026-10-21", "content-type": "application/json"}
        request = urllib.request.Request(f"{self.mock_url}/v1/messages", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)["content"][0]["text"]

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def commands(self) -> list[str]:
        """The command line of every process it has started."""
        found = []
        for child in self.children():
            with contextlib.suppress(psutil.Error):  # it may have ended meanwhile
                found.append(" ".join(child.cmdline()))
        return found

    def stop(self, stop: signal.Signals) -> None:
        """End it as a person or a system would, and note what is still there afterwards."""
        family = self.children()
        self.process.send_signal(stop)
        self.output += self.process.communicate(timeout=60)[0]
        self.status = self.process.returncode
        self.survivors = psutil.wait_procs(family, timeout=30)[1]


@pytest.fixture(scope="session")
def running_course():
    """A context manager: run a `start` command on free ports, and stop it at the end whatever happens."""

    @contextlib.contextmanager
    def run(command, port=None, stop=signal.SIGINT, **options):
        ports = ["--port", str(port or free_port()), "--lab-port", str(free_port())]
        process = subprocess.Popen([*command, *ports], stdout=subprocess.PIPE, text=True, **options)
        try:
            course = RunningCourse(process)
            yield course
            course.stop(stop)
        finally:
            if process.poll() is None:
                process.terminate()  # not killed: it has a JupyterLab to end
                process.communicate(timeout=60)

    return run


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]
