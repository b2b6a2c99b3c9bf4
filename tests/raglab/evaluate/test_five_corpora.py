"""The five corpora under the mock: what is expected follows from the sets and from docs/, not from a run.

What the mock gets wrong, and why, is proved sentence by sentence in tests/docs.
"""

from collections import Counter

import pytest

from raglab import TfidfIndex
from raglab.evaluate import Rate, evaluate, load_questions

CORPORA = ("club", "gocourse", "notes", "nimbus", "tutorials")
WRONG = {
    "laptop-days": ("wrong", "generation"),  # ranked fourth, in the prompt; another sentence shares more words
    "laptop-model": ("hallucination", "generation"),
    "rust": ("hallucination", "generation"),
    "wifi-password": ("hallucination", "generation"),
    "soup-salt": ("hallucination", "generation"),
    "error-7777": ("hallucination", "generation"),
    "backup-region": ("hallucination", "generation"),
    "outgoing-server": ("over-refusal", "generation"),  # a cell of a table, in the prompt
    "cron-by-hand": ("over-refusal", "retrieval"),  # shares no word with its section
    "cron-half-past-six": ("wrong", "generation"),  # the code stands before the sentence that wins
}


def expected(question):
    return WRONG.get(question.id, ("correct" if question.covered else "refused", None))


@pytest.fixture(scope="module", params=CORPORA)
def run(request, docs, mock):
    from raglab import connect

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGLAB_MOCK_URL", mock.url)
        questions = load_questions(docs / request.param / "questions.toml")
        index = TfidfIndex.from_folder(docs / request.param, style=questions.style)
        return questions, evaluate(questions, index, connect(), progress=False)


def test_outcome_and_blame_of_every_question(run):
    questions, report = run
    told = {case.question.id: (case.outcome, case.blame) for case in report.cases}
    assert told == {question.id: expected(question) for question in questions}


def test_rates_are_the_counts_of_these(run):
    questions, report = run
    ends = Counter((question.covered, expected(question)[0]) for question in questions)
    covered = sum(question.covered for question in questions)
    others = len(questions) - covered
    assert report.rates["correct"] == Rate(ends[True, "correct"], covered)
    assert report.rates["wrong"] == Rate(ends[True, "wrong"], covered)
    assert report.rates["over_refusal"] == Rate(ends[True, "over-refusal"], covered)
    assert report.rates["refused"] == Rate(ends[False, "refused"], others)
    assert report.rates["hallucination"] == Rate(ends[False, "hallucination"], others)
    assert report.rates["needs_review"] == Rate(0, len(questions)) and report.failed == Rate(0, len(questions))
    refused = ends[True, "over-refusal"] + ends[False, "refused"]
    assert report.rates["by_gate"].numerator + report.rates["by_model"].numerator == refused


def test_all_but_one_marked_chunk_stands_in_the_prompt(run):
    questions, report = run
    lost = {case.question.id for case in report.cases if case.blame == "retrieval"}
    assert lost == {"cron-by-hand"} & {question.id for question in questions}
    marked = sum(len(question.chunks) for question in questions)
    assert report.rates["recall_at_k"] == Rate(marked - len(lost), marked)


def test_only_the_documents_form_answers_in_part(run):
    questions, report = run
    partial = sum(question.kind == "partial" for question in questions)
    assert report.rates["partial"] == Rate(partial if questions.style == "documents" else 0, partial)


def test_code_is_copied_from_the_passages(run):
    questions, report = run
    found = report.rates["code_found"]
    assert found.numerator == found.denominator
    assert (found.denominator >= 8) == (questions.style == "documents")  # eight or more winning sentences lead to code


def test_again_gives_the_same(run, docs, model):
    questions, report = run
    index = TfidfIndex.from_folder(docs / questions.name, style=questions.style)
    again = evaluate(questions, index, model, progress=False)
    assert again == report and again.text() == report.text() and again.to_json() == report.to_json()
