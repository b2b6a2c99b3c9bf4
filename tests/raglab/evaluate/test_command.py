"""`raglab eval`, run as people run it."""

import json
import os
import subprocess
import sys
from typing import NamedTuple

import pytest

from raglab.shell import cli


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def raglab_eval(mock, docs, monkeypatch, capsys):
    """Run the command line inside this process, which saves the start of another."""
    monkeypatch.setenv("RAGLAB_MOCK_URL", mock.url)
    monkeypatch.chdir(docs.parent)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["raglab", "eval", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return Done(ended.value.code or 0, *capsys.readouterr())

    return run


CLUB = ("docs/club/questions.toml", "--docs", "docs/club")


def test_the_table_of_a_corpus(raglab_eval):
    done = raglab_eval(*CLUB)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("club: 25 questions, style numbered, k 4, min_score 0.2, model ClaudeModel('mock')\n")
    for line in (
        "  answered correctly          17 of 18     covered                         94.4 %   74.2 to 99.0 %",
        "  hallucination               3 of 7       not covered                     42.9 %   15.8 to 75.0 %",
        "  generation  4 of 4  laptop-days, rust, wifi-password, laptop-model",
    ):
        assert f"\n{line}\n" in done.stdout


def test_the_same_bytes_from_a_process_of_its_own(raglab_eval, mock, docs):
    env = {**os.environ, "RAGLAB_MOCK_URL": mock.url, "PYTHONIOENCODING": "utf-8", "PYTHONHASHSEED": "7"}
    command = [sys.executable, "-m", "raglab", "eval", *CLUB]
    done = subprocess.run(command, env=env, cwd=docs.parent, capture_output=True, text=True, encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == raglab_eval(*CLUB).stdout


def test_saved_resumed_and_compared(raglab_eval, mock, tmp_path):
    file = tmp_path / "run.jsonl"
    first = raglab_eval(*CLUB, "--save", file)
    calls = len(mock.journal)
    assert raglab_eval(*CLUB, "--save", file).stdout == first.stdout
    assert len(mock.journal) == calls
    same = raglab_eval(*CLUB, "--against", file)
    assert same.returncode == 0 and "on 25 questions that both asked" in same.stdout
    worse = raglab_eval(*CLUB, "--min-score", "0.4", "--against", file, "--json")
    assert worse.returncode == 1 and worse.stdout.count("\n") == 1
    assert "over_refusal" in json.loads(worse.stdout)["worse"]


def test_json_and_page(raglab_eval, tmp_path):
    page = tmp_path / "report.html"
    done = raglab_eval(*CLUB, "--style", "helpdesk", "--k", "3", "--json", "--html", page)
    data = json.loads(done.stdout)
    assert done.stdout.count("\n") == 1
    assert (data["settings"]["style"], data["settings"]["k"], len(data["questions"])) == ("helpdesk", "3", 25)
    assert page.read_text("utf-8").count("<details>") == 25


def test_the_judge_and_the_prices(raglab_eval):
    options = ("docs/gocourse/questions.toml", "--docs", "docs/gocourse", "--judge", "--prices", "3", "15")
    text, data = raglab_eval(*options).stdout, json.loads(raglab_eval(*options, "--json").stdout)
    used = data["usage"]
    assert data["cost"] == pytest.approx((3 * used["input_tokens"] + 15 * used["output_tokens"]) / 1e6)
    assert f"At 3 and 15 per million tokens in and out: {data['cost']:.6f}." in text
    assert len(data["judge"]) == 9  # the gate refused two of eleven, and their words are nobody's
    assert "The model as judge agrees on the form of " in text and " of 9 = " in text


def test_a_run_without_a_single_answer_fails(raglab_eval, mock):
    mock.script([{"status": 400}] * 40)
    done = raglab_eval(*CLUB)
    mock.script([])
    assert done.returncode == 1
    assert "failed calls" in done.stdout and "call-failed" in done.stdout and "Traceback" not in done.stderr


def test_a_draft_can_be_asked_at_once(raglab_eval, tmp_path):
    draft = raglab_eval("--draft", "docs/gocourse", "--style", "tagged")
    assert draft.returncode == 0 and 'style = "tagged"' in draft.stdout and "refund-policy#0" in draft.stdout
    (tmp_path / "mine.toml").write_text(draft.stdout, "utf-8")
    done = raglab_eval(tmp_path / "mine.toml", "--docs", "docs/gocourse")
    assert done.returncode == 0 and done.stdout.startswith("mine: ")


@pytest.mark.parametrize(
    "arguments, problem",
    [
        ([], "Name a question set and its documents"),
        (CLUB[:1], "Name a question set and its documents"),
        (["none.toml", "--docs", "docs/club"], "The question set none.toml cannot be read"),
        (["docs/README.md", "--docs", "docs/club"], "README.md is not a question set"),
        ([CLUB[0], "--docs", "docs/none"], "The folder 'docs/none' does not exist"),
        ([CLUB[0], "--docs", "docs/notes"], "Question 'membership-cost' marks the chunk 'membership.md#1'"),
        ([*CLUB, "--style", "numberd"], "did you mean 'numbered'"),
        ([*CLUB, "--against", "none.jsonl"], "There is no saved run 'none.jsonl'"),
        ([*CLUB, "--against", "README.md"], "README.md, line 1: not a saved answer"),
        ([*CLUB, "--html", "none/page.html"], "The page 'none/page.html' cannot be written"),
        ([*CLUB, "--min-score", "2"], "2.0 is not in the range"),
    ],
)
def test_a_mistake_is_one_sentence(raglab_eval, arguments, problem):
    done = raglab_eval(*arguments)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("raglab: ") and problem in done.stderr and done.stderr.count("\n") == 1
