"""`check`, `hint` and `solution` as a learner meets them."""

import re
import subprocess
import sys

import pytest

import raglab.course
from raglab.course import check, checker, hint, solution
from raglab.course.registry import EXERCISES
from raglab.errors import RaglabError


@pytest.fixture
def printed(capsys):
    """Call a function and return what it printed."""

    def call(function, *args):
        function(*args)
        return capsys.readouterr().out

    return call


def wrong_score(question_words, sentence_words):
    return 2


@pytest.mark.parametrize("answer", [None, ...])
def test_nothing_written_is_not_started(printed, answer):
    assert printed(check, "00.1", answer) == "NOT STARTED\n"


def test_a_comment_or_pass_in_place_of_the_dots_is_not_started(printed):
    def score(question_words, sentence_words):
        # I shall do this later.
        pass

    assert printed(check, "00.1", score) == "NOT STARTED\n"


def test_a_wrong_answer_shows_call_both_values_and_a_caret(printed):
    assert printed(check, "00.1", wrong_score) == (
        "NOT YET: the value differs.\n"
        "Call:     wrong_score(['fee', 'term'], ['fee', 'one', 'term', 'next', 'term'])\n"
        "Expected: 3\n"
        "Got:      2\n"
        "          ^\n"
    )


def test_an_answer_made_for_the_example_alone_fails_on_a_new_input(printed):
    out = printed(check, "00.1", lambda question_words, sentence_words: 3)
    assert out.startswith("NOT YET: right for the example, but for a new input the value differs.\nCall:")


def test_a_forgotten_return_is_guessed(printed):
    def score(question_words, sentence_words):
        print(len(sentence_words))

    out = printed(check, "00.1", score)
    assert out.startswith(
        "NOT YET: the type differs: expected a whole number (int), got None (is a `return` missing?)."
    )
    assert "5\n" not in out, "what the function prints is not mixed in"


def test_something_that_is_no_function_is_a_difference_of_type(printed):
    assert (
        printed(check, "00.1", 3)
        == "NOT YET: the type differs: expected a function (its name without parentheses), got 3.\n"
    )


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("by\nzero"), SystemExit(1), KeyboardInterrupt(), RecursionError("x" * 999)]
)
def test_what_the_answer_raises_is_reported_in_one_line(printed, error):
    def score(question_words, sentence_words):
        raise error

    first, call = printed(check, "00.1", score).splitlines()
    assert first.startswith(f"NOT YET: your function raised {type(error).__name__}")
    assert len(first) < 300
    assert call.startswith("Call:     score(")


def test_the_full_stop_of_an_error_is_not_doubled(printed):
    def score(question_words, sentence_words):
        raise ValueError("That is no word.")

    first = printed(check, "00.1", score).splitlines()[0]
    assert first == "NOT YET: your function raised ValueError: That is no word."


def test_wrong_parameters_are_reported(printed):
    assert "raised TypeError" in printed(check, "00.1", lambda: 3)


def test_an_answer_that_changes_its_arguments_spoils_nothing(printed):
    def score(question_words, sentence_words):
        count = sum(word in question_words for word in sentence_words)
        question_words.clear()
        sentence_words.clear()
        return count

    assert printed(check, "00.1", score) == "PASS\n"
    assert printed(check, "00.1", score) == "PASS\n"


def test_a_value_that_breaks_when_compared_is_reported(printed):
    class Odd(list):
        def __getitem__(self, place):
            raise ValueError("no")

    assert printed(check, "01.1", lambda text: Odd([1, 2])).startswith("NOT YET: ")


def test_hints_come_one_at_a_time_and_then_the_way_to_the_solution(printed, monkeypatch):
    monkeypatch.setattr(checker, "_hints_given", checker.Counter())
    monkeypatch.setattr(checker, "_passed", set())
    hints = EXERCISES["01.2"].hints
    for step, text in enumerate(hints, 1):
        assert printed(hint, "01.2") == f"Hint {step} of {len(hints)}: {text}\n"
    assert 'solution("01.2")' in printed(hint, "01.2")
    assert printed(hint, "01.1").startswith("Hint 1 of 3: "), "each exercise counts for itself"


def test_no_hint_is_given_away_after_a_pass(printed, monkeypatch):
    monkeypatch.setattr(checker, "_hints_given", checker.Counter())
    monkeypatch.setattr(checker, "_passed", set())
    assert printed(hint, "00.1").startswith("Hint 1 of 3: ")
    assert printed(check, "00.1", lambda asked, words: sum(map(asked.__contains__, words))) == "PASS\n"
    assert printed(hint, "00.1") == (
        'You have passed, so there is no hint. solution("00.1") prints one way to do it.\n'
    )
    printed(check, "00.1", wrong_score)
    assert printed(hint, "00.1").startswith("Hint 2 of 3: "), "no step was lost"


def test_the_solution_is_printed_as_it_would_be_typed(printed):
    assert printed(solution, "01.2") == EXERCISES["01.2"].solution + "\n"


@pytest.mark.parametrize("function", [check, hint, solution])
@pytest.mark.parametrize("unknown", ["xx", "99.1", ""])
def test_an_unknown_exercise_is_said_and_the_valid_ones_named(printed, function, unknown):
    out = printed(function, unknown)
    assert out.startswith(f"There is no exercise '{unknown}': ")
    assert "00.1, 00.2, 01.1" in out
    assert out.count("\n") == 1


@pytest.mark.parametrize("function", [check, hint, solution])
def test_of_a_known_lesson_only_its_own_exercises_are_named(printed, function):
    assert printed(function, "01.22") == (
        "There is no exercise '01.22': did you mean '01.2'? Valid: 01.1, 01.2, 01.3.\n"
    )


@pytest.mark.parametrize("function", [check, hint, solution])
@pytest.mark.parametrize("unknown", [0.1, None, len])
def test_an_id_without_quotation_marks_is_told_to_have_them(printed, function, unknown):
    out = printed(function, unknown)
    assert out.endswith(': an id is a text in quotation marks, such as "00.1".\n')
    assert out.count("\n") == 1


def test_docs_is_found_from_any_working_directory(tmp_path):
    code = "from raglab.course import DOCS; print((DOCS / 'club').is_dir(), DOCS.is_absolute())"
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout == "True True\n"


def test_missing_documents_are_said_only_when_they_are_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(raglab.checkout, "ROOT", tmp_path)
    with pytest.raises(RaglabError, match="course.py start"):
        assert raglab.course.DOCS


def test_the_course_loads_no_heavy_library():
    heavy = {"sklearn", "anthropic", "matplotlib", "mock_llm"}
    code = f"import sys, raglab.course; print(sorted({heavy} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


@pytest.mark.parametrize("source", ["raise SystemExit", "raise KeyboardInterrupt", "exit()"])
def test_what_a_help_center_raises_or_prints_is_reported_in_one_line(printed, source):
    answers = {}
    exec(f"def my_help_center():\n    print('noise')\n    {source}", answers)
    told = printed(check, "17.3", answers["my_help_center"])
    assert re.fullmatch(r"NOT YET: your function raised \w+(: \w+)?\.\n", told)


def test_a_check_that_cannot_reach_its_model_says_how_to_help(printed, monkeypatch):
    monkeypatch.setenv("RAGLAB_MOCK_URL", "http://127.0.0.1:9")
    answers = {}
    exec(EXERCISES["17.3"].solution, answers)
    told = printed(check, "17.3", answers["my_help_center"])
    assert told.startswith("NOT YET: the check could not ask its model: ") and "python3 -m mock_llm" in told
