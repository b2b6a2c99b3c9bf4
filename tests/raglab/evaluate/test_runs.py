"""Runs: follow-ups, failures, resuming after a kill, every kind of executor, and two runs compared."""

import multiprocessing
import pickle
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

import raglab
from raglab import Chunk, DocumentError, FunctionModel, RaglabError, SettingError, TfidfIndex
from raglab.evaluate import Question, Rate, compare, evaluate, load_questions, load_run

TEXTS = {"fees": "The fee is ten dollars per term.", "rooms": "The room opens at nine.", "desk": "Pay at the desk."}
INDEX = TfidfIndex.build([Chunk(f"{name}.md#1", f"{name}.md", name, text) for name, text in TEXTS.items()])
QUESTIONS = [
    Question("fee", "What is the fee per term?", "answerable", chunks=("fees.md#1",), contains=("ten dollars",)),
    Question("room", "When does the room open?", "answerable", chunks=("rooms.md#1",), contains=("nine",)),
    Question("rust", "Is Rust taught in the room?", "unanswerable"),
    Question(
        "pay", "Where do I pay it?", "answerable", ("follow-up",), ("desk.md#1",), ("desk",), (), ("What is the fee?",)
    ),
    Question("moon", "Who owns the moon?", "unanswerable"),
]


def first_passage(prompt):
    """A model that repeats the first passage, and rewrites a question by naming the fee."""
    if prompt.startswith("Rewrite"):
        return "Where do I pay the fee?"
    return prompt.partition(") ")[2].partition("\n")[0] + " [1]"


def run(model=first_passage, **settings):
    return evaluate(QUESTIONS, INDEX, model, progress=False, **settings)


def outcomes(report):
    return {case.question.id: case.outcome for case in report.cases}


def test_a_run():
    assert outcomes(run()) == {
        "fee": "correct",
        "room": "correct",
        "rust": "hallucination",
        "pay": "correct",  # asked alone it would find the desk too, but the model is told what "it" is
        "moon": "refused",
    }


def test_a_follow_up_is_asked_after_the_questions_before_it():
    asked = []

    def model(prompt):
        asked.append(prompt)
        return first_passage(prompt)

    report = evaluate([QUESTIONS[3]], INDEX, model, progress=False)
    (case,) = report.cases
    assert (case.answer.question, case.answer.search_question) == ("Where do I pay it?", "Where do I pay the fee?")
    assert "What is the fee?" in asked[0]
    assert "User: What is the fee?\nAssistant: The fee is ten dollars per term. [1]" in asked[1]


def test_one_failed_call_spoils_no_other():
    def model(prompt):
        if "Rust" in prompt:
            raise ConnectionError("gone")
        return first_passage(prompt)

    report, whole = run(model), run()
    assert outcomes(report) == {**outcomes(whole), "rust": "failed"}
    assert report.failed == Rate(1, 5)
    assert report.rates["correct"] == whole.rates["correct"]
    assert report.rates["hallucination"] == Rate(0, 1)
    assert "call-failed" in report.text() and "ConnectionError: gone" in report.text()


def test_a_set_that_does_not_fit_the_index_is_refused():
    with pytest.raises(DocumentError, match=r"'x' marks the chunk 'fees#1'"):
        evaluate([Question("x", "Fee?", "answerable", chunks=("fees#1",))], INDEX, first_passage, progress=False)


def test_the_style_is_the_set_s_own_unless_given(docs, model):
    index = TfidfIndex.from_folder(docs / "gocourse", style="tagged")
    questions = docs / "gocourse" / "questions.toml"
    assert dict(evaluate(questions, index, model, progress=False).settings)["style"] == "tagged"
    given = evaluate(questions, index, model, style="numbered", progress=False)
    assert dict(given.settings) == {"style": "numbered", "k": "4", "min_score": "0.2", "model": "ClaudeModel('mock')"}


# --- saved and resumed ---------------------------------------------------------------------------------------


def test_a_run_cut_off_at_any_byte_goes_on_where_it_was(tmp_path):
    file = tmp_path / "run.jsonl"
    whole = run(save=file)
    data = file.read_bytes()
    for cut in range(0, len(data), 97):
        file.write_bytes(data[:cut])
        assert run(save=file) == whole
        assert file.read_bytes() == data


def test_a_killed_run_goes_on_where_it_was(tmp_path):
    script = """
import os, signal, sys
sys.path.insert(0, os.path.dirname(sys.argv[1]))
import test_runs
calls = 0
def model(prompt):
    global calls
    calls += 1
    if calls == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return test_runs.first_passage(prompt)
model.__name__ = "first_passage"
test_runs.run(model, save=sys.argv[2])
"""
    file = tmp_path / "run.jsonl"
    killed = subprocess.run([sys.executable, "-c", script, __file__, str(file)])
    assert killed.returncode == -signal.SIGKILL
    saved = len(file.read_bytes().splitlines()) if file.exists() else 0
    assert saved <= 2
    asked = []

    def model(prompt):
        asked.append(prompt)
        return first_passage(prompt)

    model.__name__ = "first_passage"
    assert run(model, save=file) == run()
    assert len(asked) == 6 - saved  # the follow-up takes three calls, the moon none


def test_answers_over_other_documents_are_not_used_again(tmp_path):
    file = tmp_path / "run.jsonl"
    run(save=file)
    other = TfidfIndex.build([*INDEX.chunks[:2], Chunk("desk.md#1", "desk.md", "desk", "Pay at the desk in the hall.")])
    report = evaluate(QUESTIONS, other, first_passage, progress=False, save=file)
    assert report == evaluate(QUESTIONS, other, first_passage, progress=False)


def test_a_saved_run_is_read_without_its_documents(tmp_path):
    file = tmp_path / "run.jsonl"
    report = run(save=file)
    loaded = load_run(file, QUESTIONS)
    assert loaded.rates == report.rates
    assert [case.answer for case in loaded.cases] == [case.answer for case in report.cases]
    assert len(load_run(file, QUESTIONS[:2]).cases) == 2
    with pytest.raises(RaglabError, match="There is no saved run"):
        load_run(tmp_path / "none.jsonl", QUESTIONS)


@pytest.mark.parametrize("place", ["", "none/run.jsonl"])
def test_a_place_where_nothing_can_be_kept(tmp_path, place):
    with pytest.raises(RaglabError, match=r"Answers cannot be kept in .*; name another file for save="):
        run(save=tmp_path / place)


# --- executors -----------------------------------------------------------------------------------------------


def test_the_same_report_on_one_thread_and_on_four(docs, model):
    questions = load_questions(docs / "club" / "questions.toml")
    index = TfidfIndex.from_folder(docs / "club")
    one = evaluate(questions, index, model, progress=False)
    assert evaluate(questions, index, model, progress=False, workers=4) == one
    with ThreadPoolExecutor(4) as pool:
        assert evaluate(questions, index, model, progress=False, executor=pool) == one


def test_the_same_report_on_two_processes(docs, tmp_path):
    questions = load_questions(docs / "club" / "questions.toml")
    index = TfidfIndex.from_folder(docs / "club")
    echo = FunctionModel(str.upper)  # found by its name in any process
    one = evaluate(questions, index, echo, progress=False, save=tmp_path / "one.jsonl")
    spawned = multiprocessing.get_context("spawn")  # a fork would copy the locks of threads
    with ProcessPoolExecutor(2, mp_context=spawned) as pool:
        two = evaluate(questions, index, echo, progress=False, executor=pool, save=tmp_path / "two.jsonl")
    assert two == one and len({case.outcome for case in two.cases}) > 1
    assert (tmp_path / "two.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()


def test_what_cannot_travel_to_another_process_is_named():
    with (
        ProcessPoolExecutor(1) as pool,
        pytest.raises(SettingError, match=r"FunctionModel\(<lambda>\).*another process"),
    ):
        evaluate(QUESTIONS, INDEX, lambda prompt: "Ten [1].", progress=False, executor=pool)


def test_workers_and_an_executor_are_one_too_many():
    with ThreadPoolExecutor(2) as pool, pytest.raises(SettingError, match="workers=2 and an executor"):
        run(executor=pool, workers=2)


def test_an_executor_is_left_open():
    with ThreadPoolExecutor(2) as pool:
        run(executor=pool)
        assert pool.submit(int, "7").result() == 7


def test_models_travel_without_their_connection(model):
    raglab.ask("What is the fee per term?", INDEX, model)
    copy = pickle.loads(pickle.dumps(model))
    assert raglab.ask("What is the fee per term?", INDEX, copy) == raglab.ask("What is the fee per term?", INDEX, model)


# --- compared ------------------------------------------------------------------------------------------------


def many(right, of=40):
    """A run over as many questions, the first ones answered rightly, the rest wrongly."""
    questions = [Question(str(n), f"The fee, number {n}?", "answerable", contains=("ten dollars",)) for n in range(of)]

    def model(prompt):
        number = int(prompt.rpartition("number ")[2].rstrip("?"))
        return "It is ten dollars [1]." if number < right else "It is nine dollars [1]."

    return evaluate(questions, INDEX, model, progress=False)


def test_worse_and_better_are_beyond_the_interval_before():
    before = many(36)  # 90 %; Wilson: 77 to 96 %
    assert compare(many(31), before).worse == ()
    worse = compare(many(30), before)  # 75 %
    assert worse.worse == ("correct", "wrong")
    assert (worse.verdict("correct"), worse.verdict("wrong"), worse.verdict("hallucination")) == (
        "worse",
        "worse",
        "–",
    )
    assert compare(many(40), before).verdict("correct") == "better"
    assert compare(before, before).worse == ()


def test_only_questions_that_both_answered_are_compared():
    now, before = run(), evaluate(QUESTIONS[:2], INDEX, first_passage, progress=False)
    found = compare(now, before)
    assert (
        [case.question.id for case in found.now.cases] == ["fee", "room"] == [c.question.id for c in found.before.cases]
    )
    assert "on 2 questions" in found.table().text()
    with pytest.raises(DocumentError, match="no answered question in common"):
        compare(evaluate(QUESTIONS[:2], INDEX, first_passage, progress=False), many(3))
