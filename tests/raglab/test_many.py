"""Many questions: order, failures kept apart, and a run that resumes where it was interrupted."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from raglab import DOCUMENTS, Hit, RaglabError, SettingError, ask, ask_many
from raglab.many import saved_answers
from raglab.models.claude import ClaudeModel

QUESTIONS = [f"What is fee number {n}?" for n in range(12)]


class Index:
    def search(self, question, k):
        return [Hit.of("fees.md#0", f"The fee is due. {question}")]


class Counting:
    """Answers with the question's number; fails where it is told to."""

    def __init__(self, fail=()):
        self.asked, self.fail, self.lock = [], set(fail), threading.Lock()

    def complete(self, prompt):
        number = int(prompt.text.rpartition("number ")[2].rstrip("?"))
        with self.lock:
            self.asked.append(number)
        if number in self.fail:
            raise ConnectionError("gone")
        from raglab import Reply

        return Reply(f"Fee {number} [1].")

    def __repr__(self):
        return "Counting"


def many(model, **settings):
    return ask_many(QUESTIONS, Index(), model, progress=False, **settings)


@pytest.mark.parametrize("workers", [1, 4])
def test_answers_keep_the_order_and_equal_single_ones(workers):
    model = Counting()
    assert many(model, workers=workers) == [ask(question, Index(), model) for question in QUESTIONS]


def test_a_failed_call_spoils_no_other():
    answers = many(Counting(fail=[3]))
    assert [n for n, answer in enumerate(answers) if answer.status != "answered"] == [3]
    assert (answers[3].status, answers[3].problems[0].code) == ("needs_review", "call-failed")
    assert "gone" in answers[3].problems[0].detail and answers[3].question == QUESTIONS[3]


def test_a_setting_that_cannot_be_meant_is_an_error_not_twelve_answers():
    with pytest.raises(SettingError, match="k must be 0 or more, got -1"):
        many(Counting(), k=-1)
    with pytest.raises(SettingError, match="workers must be 1 or more, got 0"):
        many(Counting(), workers=0)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"styel": "numbered"}, "ask_many has no setting 'styel': did you mean 'style'"),
        ({"min_scor": 0.1}, "did you mean 'min_score'"),
        ({"quantity": 3}, "no setting 'quantity': valid: "),
        ({"k": 2.5}, "k must be a whole number, got 2.5"),
        ({"min_score": "0.2"}, "min_score must be a number, got '0.2'"),
        ({"retries": True}, "retries must be a whole number, got True"),
        ({"workers": 1.5}, "workers must be a whole number, got 1.5"),
        ({"fence": "tagz"}, "did you mean 'tags'"),
        ({"on_token": 3}, "on_token"),
    ],
    ids=str,
)
def test_a_wrong_setting_is_an_error_before_anything_is_asked_or_saved(tmp_path, wrong, message):
    model, pieces = Counting(), []
    with pytest.raises(SettingError, match=message):
        many(model, save=tmp_path / "run", **{"on_token": pieces.append, **wrong})
    assert not model.asked and not pieces and not list(tmp_path.iterdir())


@pytest.mark.parametrize("question", [3, None, ["What?", 4], []])
def test_a_question_that_is_none_is_named(question):
    model = Counting()
    with pytest.raises(SettingError, match="A question is a text"):
        ask_many([QUESTIONS[0], question], Index(), model, progress=False)
    assert not model.asked


def test_without_an_index_nothing_is_asked():
    with pytest.raises(SettingError, match=r"search\(question, k\), got None"):
        ask_many(QUESTIONS, None, Counting(), progress=False)


class Failing:
    """A model or an index of a user's own that raises."""

    def __init__(self, error):
        self.error = error

    def fail(self, *_):
        raise self.error

    complete = stream = search = fail


ERRORS = [ValueError("bad JSON"), KeyError("choices"), TypeError("no len()"), AttributeError("text"), OSError("gone")]


@pytest.mark.parametrize("error", ERRORS, ids=repr)
@pytest.mark.parametrize("streamed", [False, True])
def test_what_a_model_or_an_index_of_ones_own_raises_is_its_own_failure(error, streamed):
    pieces = [].append if streamed else None
    for index, model in ((Index(), Failing(error)), (Failing(error), Counting())):
        (answer,) = ask_many(QUESTIONS[:1], index, model, progress=False, on_token=pieces)
        (problem,) = answer.problems
        assert problem.code == "call-failed" and f"{type(error).__name__}: " in problem.detail


@pytest.mark.parametrize("error", ERRORS, ids=repr)
@pytest.mark.parametrize("place", ["order", "on_token", "checks", "client"])
def test_a_mistake_in_a_program_is_not_the_failure_of_its_model(monkeypatch, error, place):
    def mistaken(*_, **__):
        raise error

    model, settings = Counting(), {}
    if place == "checks":
        monkeypatch.setattr("raglab.pipeline.check_answer", mistaken)
    elif place == "client":
        model = ClaudeModel("mock", api_key="k")
        monkeypatch.setattr(model, "_request", mistaken)
    else:
        settings = {place: mistaken}
    with pytest.raises(type(error)):
        many(model, **settings)


def test_an_interrupted_run_asks_only_what_is_missing(tmp_path):
    file = tmp_path / "answers.jsonl"
    whole = many(Counting(), save=file)
    lines = file.read_bytes().splitlines(keepends=True)
    for cut in range(len(lines)):
        file.write_bytes(b"".join(lines[:cut]) + lines[cut][: len(lines[cut]) // 2])
        model = Counting()
        assert many(model, save=file) == whole
        assert model.asked == list(range(cut, 12))
    assert file.read_bytes() == b"".join(lines)


def test_failed_calls_are_asked_again(tmp_path):
    file = tmp_path / "answers.jsonl"
    many(Counting(fail=[2, 5]), save=file)
    model = Counting()
    assert [answer.status for answer in many(model, save=file)] == ["answered"] * 12
    assert model.asked == [2, 5]


def test_other_settings_are_another_call(tmp_path):
    file = tmp_path / "answers.jsonl"
    many(Counting(), save=file)
    model = Counting()
    many(model, save=file, min_score=0.5)
    assert len(model.asked) == 12


def test_saved_answers_come_back_equal_in_every_field(tmp_path):
    file = tmp_path / "answers.jsonl"
    block = {"type": "text", "text": "Due.", "citations": [{"document_index": 0, "cited_text": "The fee"}]}
    from raglab import Reply, Usage

    model = type(
        "Model", (), {"complete": lambda s, p: Reply("Due.", (block,), Usage(3, 1)), "__repr__": lambda s: "m"}
    )()
    first = ask_many(["Fee?"], Index(), model, style=DOCUMENTS, progress=False, save=file)
    again = ask_many(["Fee?"], Index(), model, style=DOCUMENTS, progress=False, save=file)
    assert first == again and again[0].sources[0].quotes[0].quote == "The fee"


def test_a_foreign_file_is_left_alone(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("my notes\n")
    with pytest.raises(RaglabError, match=r"notes\.txt, line 1: not a saved answer"):
        many(Counting(), save=file)
    assert file.read_text() == "my notes\n"


def test_a_conversation_is_asked_from_its_beginning():
    asked = []

    def model(prompt):
        asked.append(prompt)
        return "What is fee number 5?" if prompt.startswith("Rewrite") else f"Answer {len(asked)} [1]."

    first, second = ask_many(
        ["What is fee number 1?", ("What is fee number 4?", "And it?")], Index(), model, progress=False
    )
    assert first.text == "Answer 1 [1]."
    assert "User: What is fee number 4?\nAssistant: Answer 2 [1].\nQuestion: And it?" in asked[2]
    assert (second.question, second.search_question, second.text) == (
        "And it?",
        "What is fee number 5?",
        "Answer 4 [1].",
    )


def test_saved_answers_come_with_their_conversation_and_leave_the_file_alone(tmp_path):
    file = tmp_path / "answers.jsonl"
    questions = ["What is fee number 1?", ("What is fee number 4?", "What is fee number 5?")]
    answers = ask_many(questions, Index(), Counting(), progress=False, save=file)
    file.write_bytes(file.read_bytes() + b'{"half')
    whole = file.read_bytes()
    assert saved_answers(file) == [(("What is fee number 1?",), answers[0]), (questions[1], answers[1])]
    assert file.read_bytes() == whole


def test_another_version_of_the_documents_is_another_call(tmp_path):
    file = tmp_path / "answers.jsonl"
    many(Counting(), save=file, version="1")
    again, other = Counting(), Counting()
    many(again, save=file, version="1")
    many(other, save=file, version="2")
    assert (len(again.asked), len(other.asked)) == (0, 12)


def test_an_executor_asks_and_stays_open():
    with ThreadPoolExecutor(3) as pool:
        assert many(Counting(), executor=pool) == many(Counting())
        assert pool.submit(int, "7").result() == 7
        with pytest.raises(SettingError, match="workers=2 and an executor"):
            many(Counting(), executor=pool, workers=2)


@pytest.mark.parametrize(
    "settings, problem",
    [
        ({"min_scor": 0.1}, "ask_many has no setting 'min_scor': did you mean 'min_score'"),
        ({"worker": 2}, "ask_many has no setting 'worker': did you mean 'workers'"),
        ({"workers": 1.5}, "workers must be a whole number, got 1.5"),
        ({"executor": 4}, "executor must be one of concurrent.futures, got 4"),
        ({"progress": "no"}, "progress must be True or False, got 'no'"),
        ({"save": 3}, "save must be the path of a file, got 3"),
        ({"order": "edge"}, "order must be a function, got 'edge'"),
        ({"on_token": "print"}, "on_token must be a function, got 'print'"),
    ],
)
def test_settings_are_checked_before_anything_is_asked(settings, problem):
    model = Counting()
    with pytest.raises(SettingError, match=problem):
        ask_many(QUESTIONS, Index(), model, **{"progress": False, **settings})
    assert model.asked == []


def test_a_folder_that_does_not_exist_is_named_before_the_first_answer(tmp_path):
    model = Counting()
    with pytest.raises(RaglabError, match=r"Answers cannot be kept in run\.jsonl: no such folder"):
        many(model, save=tmp_path / "none" / "run.jsonl")
    assert model.asked == []
