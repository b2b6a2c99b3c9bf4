"""The log of answers and the gaps it shows."""

import json

import pytest

from raglab import Answer, AnswerLog, Problem, RaglabError, Source, gaps


def answer(question, status, **fields):
    return Answer("text", status, question, question, **fields)


def test_one_line_an_answer_with_what_matters(tmp_path):
    log = AnswerLog(tmp_path / "log.jsonl")
    sources = (Source(1, "a#0", "a", "", 0.5, True), Source(2, "b#0", "b", "", 0.4, False))
    log.add(answer("Fee?", "answered", sources=sources))
    log.add(answer("Who?\nNow?", "needs_review", problems=(Problem("empty-answer", "", "Empty."),)))
    assert [json.loads(line) for line in log.path.read_text().splitlines()] == [
        {
            "question": "Fee?",
            "search_question": "Fee?",
            "status": "answered",
            "refused_by": None,
            "problems": [],
            "sources": ["a#0"],
        },
        {
            "question": "Who?\nNow?",
            "search_question": "Who?\nNow?",
            "status": "needs_review",
            "refused_by": None,
            "problems": ["empty-answer"],
            "sources": [],
        },
    ]


def test_gaps_are_counted_together_and_sorted(tmp_path):
    log = AnswerLog(tmp_path / "log.jsonl")
    for question, status in [
        ("Fee?", "answered"),
        ("Who won?", "not_found"),
        ("Is it free?", "not_found"),
        ("is  it FREE?", "not_found"),
        ("Half?", "partial"),
        ("Who won?", "needs_review"),
    ]:
        log.add(answer(question, status))
    assert gaps(log.path) == [
        ("Is it free?", "not_found", 2),
        ("Who won?", "not_found", 1),
        ("Half?", "partial", 1),
        ("Who won?", "needs_review", 1),
    ]


def test_a_call_that_failed_is_no_gap(tmp_path):
    log = AnswerLog(tmp_path / "log.jsonl")
    failed = Problem("call-failed", "", "The call failed: gone")
    log.add(answer("Fee?", "needs_review", problems=(failed,)))
    log.add(answer("Fee?", "needs_review", problems=(Problem("empty-answer", "", "Empty."),)))
    with log.path.open("a") as file:  # as an older version, or another program, may write it
        file.write('{"question": "Who?", "status": "needs_review", "problems": null}\n')
        file.write('{"question": "Who?", "status": "needs_review", "problems": [{"code": "call-failed"}]}\n')
        file.write('{"question": "Who?", "status": "needs_review"}\n')
    assert gaps(log.path) == [("Who?", "needs_review", 2), ("Fee?", "needs_review", 1)]


@pytest.mark.parametrize(
    "question", ["Is it\u2028free?", "One\x85two?", "Odd \ud800 half?", "Ünïcode 😀?", 'A "q"\r\n?']
)
def test_any_question_stays_one_line_and_comes_back(tmp_path, question):
    log = AnswerLog(tmp_path / "log.jsonl")
    log.add(answer(question, "not_found"))
    assert log.path.read_bytes().count(b"\n") == 1
    assert gaps(log.path) == [(question, "not_found", 1)]


def test_lines_that_are_no_records_are_passed_over(tmp_path):
    file = tmp_path / "log.jsonl"
    file.write_bytes(
        b'\xff\n{"question": "Q?"}\n[1]\n{"question": "Q?", "status": "not_found"}\n{"question": "Q\n' + b"[" * 10**6
    )
    assert gaps(file) == [("Q?", "not_found", 1)]


def test_a_log_that_cannot_be_used_is_said(tmp_path):
    with pytest.raises(RaglabError, match="cannot be read: no such file"):
        gaps(tmp_path / "none.jsonl")
    with pytest.raises(RaglabError, match="cannot be written: is a directory"):
        AnswerLog(tmp_path).add(answer("Q?", "answered"))
