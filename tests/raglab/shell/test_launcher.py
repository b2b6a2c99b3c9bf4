"""`raglab start`: JupyterLab serves lesson 00, the mock answers, a kernel finds it, and nothing is left at the end."""

import signal
import socket
import subprocess
import sys
import threading

import pytest

from raglab.shell import launcher

COMMAND = [sys.executable, "-m", "raglab", "start", "--no-browser"]


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_start_serves_the_lesson_and_leaves_no_process(running_course, stop):
    with running_course(COMMAND, stop=stop) as course:
        lesson = course.lab("contents/notebooks/00_start_here.ipynb")
        assert lesson["content"]["cells"][0]["source"].startswith("# 00")
        assert "10 US dollars" in course.answer()
        course.lab("kernels", {"name": "python3"})
        assert any("ipykernel" in command for command in course.commands())
    assert course.status == 0
    assert course.survivors == []
    assert "The course has ended." in course.output


def test_a_mock_that_runs_already_is_used(running_course, mock):
    with running_course(COMMAND, port=mock.port) as course:
        assert course.mock_url == mock.url
        mock.journal.clear()
        course.answer()
        assert len(mock.journal) == 1
    assert mock.running, "it is not ours to stop"


def test_a_taken_port_is_said_and_the_next_one_used(running_course, other_program):
    with running_course(COMMAND, port=other_program) as course:
        assert f"Port {other_program} is taken by another program" in course.output
        assert course.mock_url != f"http://127.0.0.1:{other_program}"
        assert "10 US dollars" in course.answer()


@pytest.mark.parametrize("failure", [OSError("refused"), KeyboardInterrupt()])
def test_jupyterlab_ends_whatever_its_own_call_comes_to(monkeypatch, failure):
    def fails(*_, **__):
        raise failure

    monkeypatch.setattr(launcher, "_call", fails)
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    launcher._end(child, "http://127.0.0.1:9/api/shutdown", "token")
    assert child.poll() is not None


def test_what_speaks_no_http_is_an_os_error():
    with socket.create_server(("127.0.0.1", 0)) as server:
        answer = threading.Thread(target=lambda: server.accept()[0].sendall(b"no HTTP\r\n\r\n"))
        answer.start()
        with pytest.raises(OSError):
            launcher._call(f"http://127.0.0.1:{server.getsockname()[1]}/api/status", "token")
        answer.join()


def test_no_free_port_is_one_sentence(monkeypatch):
    run = subprocess.run([*COMMAND, "--port", "65535", "--lab-port", "70000"], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr.count("\n")) == (2, "", 1) and "70000" in run.stderr
