"""The command line, as a process."""

import re
import signal
import subprocess
import sys

import httpx2
import pytest

COMMAND = [sys.executable, "-m", "mock_llm"]


def test_it_says_where_it_listens_and_ends_on_sigterm():
    with subprocess.Popen([*COMMAND, "--port", "0", "--log"], stdout=-1, stderr=-1, text=True) as process:
        line = process.stdout.readline()
        url = re.fullmatch(r"mock LLM listening on (http://127\.0\.0\.1:\d+)  \(api key: test-key\)\n", line)[1]
        assert httpx2.get(f"{url}/health").json()["server"] == "mock_llm"
        body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi there"}]}
        httpx2.post(f"{url}/v1/messages", json=body, headers={"x-api-key": "test-key", "anthropic-version": "x"})
        process.send_signal(signal.SIGTERM)
        rest, log = process.communicate(timeout=20)
    assert (process.returncode, rest) == (0, "")
    assert log == "200 /v1/messages  reader, chat, 2 + 9 tokens: 'hi there'\n"


def test_ctrl_c_ends_it_quietly_and_another_key_is_not_shown():
    command = [*COMMAND, "--port", "0", "--api-key", "sesame", "--persona", "misnumbering"]
    with subprocess.Popen(command, stdout=-1, stderr=-1, text=True) as process:
        line = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=20)
    assert (process.returncode, rest, errors) == (0, "", "")
    assert "sesame" not in line


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--port", "taken"], "is taken: stop what listens there, or choose another port"),
        (["--host", "0.0.0.0"], "everybody knows the key test-key"),
        (["--persona", "raeder"], "unknown persona 'raeder': did you mean 'reader'"),
        (["--script", "no-such-file.json"], "cannot read the script no-such-file.json (No such file or directory)"),
        (["--script", __file__], "line 1 is not valid JSON"),
    ],
)
def test_a_mistake_is_one_sentence_and_status_2(mock, options, message):
    options = [str(mock.port) if option == "taken" else option for option in options]
    done = subprocess.run([*COMMAND, *options], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_script_from_a_file_is_played_to_the_first_calls(tmp_path):
    (tmp_path / "faults.jsonl").write_text('{"status": 529}\n{"reply": "scripted"}\n', encoding="utf-8")
    command = [*COMMAND, "--port", "0", "--delay-ms", "0", "--script", str(tmp_path / "faults.jsonl")]
    with subprocess.Popen(command, stdout=-1, stderr=-1, text=True) as process:
        url = re.search(r"http://\S+", process.stdout.readline())[0]
        body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi there"}]}
        headers = {"x-api-key": "test-key", "anthropic-version": "x"}
        first, second = (httpx2.post(f"{url}/v1/messages", json=body, headers=headers) for _ in range(2))
        process.terminate()
        process.communicate(timeout=20)
    assert (first.status_code, second.json()["content"][0]["text"]) == (529, "scripted")
