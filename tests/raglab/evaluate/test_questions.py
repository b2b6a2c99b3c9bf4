"""Question sets: three formats, the five of the corpora, and errors that name the file and the entry."""

import json

import pytest

from raglab import Chunk, DocumentError
from raglab.evaluate import KINDS, Question, draft_questions, load_questions
from raglab.evaluate.questions import check_chunks

GOOD = {"id": "fee", "question": "What is the fee?", "kind": "answerable", "contains": ["10 dollars"]}


def toml(folder, *entries, head=""):
    lines = [head]
    for entry in entries:
        lines += ["[[question]]", *(f"{name} = {json.dumps(value)}" for name, value in entry.items())]
    (folder / "set.toml").write_text("\n".join(lines), "utf-8")
    return folder / "set.toml"


@pytest.mark.parametrize(
    "name, style, count",
    [
        ("club", "numbered", 25),
        ("gocourse", "tagged", 11),
        ("notes", "bracketed", 13),
        ("nimbus", "helpdesk", 24),
        ("tutorials", "documents", 40),
    ],
)
def test_the_sets_of_the_corpora(docs, name, style, count):
    loaded = load_questions(docs / name / "questions.toml")
    assert (loaded.name, loaded.style, len(loaded)) == (name, style, count)
    assert {question.kind for question in loaded} == set(KINDS)


def test_the_three_formats_say_the_same(tmp_path):
    follow_up = {
        "id": "keep",
        "question": "How long, and where?",
        "kind": "partial",
        "tags": ["follow-up", "two-part"],
        "chunks": ["a.md#1", "a.md#2"],
        "contains": ["7 days"],
        "missing": ["b.md#1"],
        "history": ["May I borrow it?"],
    }
    no = {"id": "no", "question": 'Who said "no"?', "kind": "unanswerable"}
    entries = [GOOD, follow_up, no]
    (tmp_path / "set.jsonl").write_text("".join(json.dumps(entry) + "\n\n" for entry in entries), "utf-8")
    head = ["id", "question", "kind", "tags", "chunks", "contains", "missing", "history"]
    rows = [head, *([_cell(entry.get(name, "")) for name in head] for entry in entries)]
    text = "\ufeff" + "\r\n".join(",".join(row) for row in rows)
    (tmp_path / "set.csv").write_bytes(text.encode())
    loaded = load_questions(toml(tmp_path, *entries)).questions
    assert loaded == load_questions(tmp_path / "set.jsonl").questions == load_questions(tmp_path / "set.csv").questions
    assert loaded[1] == Question(**{name: tuple(v) if isinstance(v, list) else v for name, v in follow_up.items()})
    assert loaded[1].conversation == ("May I borrow it?", "How long, and where?")


def _cell(value):
    text = "|".join(value) if isinstance(value, list) else value
    return '"' + text.replace('"', '""') + '"'


def test_an_entry_without_an_id_is_named_by_its_place(tmp_path):
    (tmp_path / "mine.csv").write_text("question,kind,contains\nFee?,answerable,10\nRust?,unanswerable,\n")
    assert [question.id for question in load_questions(tmp_path / "mine.csv")] == ["line-2", "line-3"]


@pytest.mark.parametrize(
    "change, problem",
    [
        ({"kind": "maybe"}, "the kind 'maybe' is not known"),
        ({"kind": "answerabel"}, "did you mean 'answerable'"),
        ({"question": " "}, "the field 'question' is ' '; it must be a text"),
        ({"question": 7}, "the field 'question' is 7"),
        ({"contains": "10 dollars"}, "the field 'contains' is '10 dollars'; it must be a list of texts"),
        ({"contains": ["10", ""]}, "it must be a list of texts"),
        ({"chunk": ["a.md#1"]}, "there is no field 'chunk': did you mean 'chunks'"),
        ({"contains": []}, "say what a right answer must contain"),
        ({"kind": "unanswerable"}, "no chunk can hold the answer"),
        ({"missing": ["a.md#1"]}, "only a partial question has `missing`"),
    ],
)
def test_a_wrong_entry_is_named_with_its_file(tmp_path, change, problem):
    with pytest.raises(DocumentError) as raised:
        load_questions(toml(tmp_path, {**GOOD, "id": "first"}, {**GOOD, "question": "Other?", **change}))
    assert str(raised.value).startswith("set.toml, question 2 ('fee'): ") and problem in str(raised.value)


def test_ids_and_questions_differ(tmp_path):
    with pytest.raises(DocumentError, match="two questions have the id 'fee'"):
        load_questions(toml(tmp_path, GOOD, {**GOOD, "question": "Other?"}))
    with pytest.raises(DocumentError, match="'fee' and 'again' ask the same"):
        load_questions(toml(tmp_path, GOOD, {**GOOD, "id": "again"}))
    load_questions(toml(tmp_path, GOOD, {**GOOD, "id": "again", "history": ["Is it free?"]}))


@pytest.mark.parametrize(
    "name, data, problem",
    [
        ("set.toml", b"[[question]", "set.toml is not valid TOML: .*line 1"),
        ("set.toml", b"", "set.toml holds no question"),
        ("set.toml", b"stile = 'numbered'", "the field 'stile' at its top"),
        ("set.toml", b"style = 'numberd'", "set.toml: There is no style 'numberd': did you mean 'numbered'"),
        ("set.toml", b"question = 'Fee?'", "a question is a table of its own"),
        ("set.jsonl", b'{"id": "a"}\n', r"set.jsonl, line 1 \('a'\): the field 'question' is None"),
        ("set.jsonl", b"\n[1]", "set.jsonl, line 2 is not a JSON object"),
        ("set.jsonl", b"\n{", "set.jsonl, line 2 is not a JSON object"),
        ("set.csv", b"question,kind\nA, b?,unanswerable\n", "set.csv, line 2 has . cells, not 2"),
        ("set.csv", b"question,kind\nA?\n", "set.csv, line 2 has . cells, not 2"),
        ("set.csv", b'question,kind\n"A?\n', "set.csv, line 2 is not valid CSV"),
        ("set.csv", b"question,kind, question\nA?,unanswerable,B?\n", "set.csv has two columns 'question'"),
        ("set.jsonl", b"\n" + b"[" * 100_000, "set.jsonl, line 2 is not a JSON object"),
        ("set.toml", b"a = " + b"[" * 100_000, "set.toml is not valid TOML"),
        ("set.toml", b"# caf\xe9", "set.toml is not UTF-8 at byte 5"),
        ("set.txt", b"Fee?", r"set.txt is not a question set: name a file that ends in .toml, .jsonl, .csv"),
    ],
)
def test_a_file_that_is_no_question_set(tmp_path, name, data, problem):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DocumentError, match=problem):
        load_questions(tmp_path / name)


def test_a_missing_file_and_a_folder(tmp_path):
    (tmp_path / "folder.toml").mkdir()
    for name in ("none.toml", "folder.toml"):
        with pytest.raises(DocumentError, match=f"{name} cannot be read"):
            load_questions(tmp_path / name)


def test_chunks_that_the_index_does_not_have():
    index = type("Index", (), {"chunks": (Chunk("refund-policy#1", "refund-policy.md", "", "text"),)})()
    fits = Question("a", "A?", "answerable", chunks=("refund-policy#1",))
    wrong = Question("b", "B?", "answerable", chunks=("refund-policy.md#1",))
    check_chunks([fits], index)
    with pytest.raises(
        DocumentError, match=r"'b' marks the chunk 'refund-policy.md#1'.*the nearest is 'refund-policy#1'"
    ):
        check_chunks([fits, wrong], index)
    check_chunks([wrong], object())  # an index that does not list its chunks


def test_a_draft_is_a_set_to_edit(tmp_path):
    chunks = [
        Chunk("a.md#0", "a.md", "", "Text."),
        Chunk("a.md#1", "a.md", 'Fees "and" \\ more', "Ten."),
        Chunk("a.md#2", "a.md", "When do I pay?", "Soon."),
        Chunk("b.md#1", "b.md", "When do I pay?", "Later."),
    ]
    (tmp_path / "questions.toml").write_text(draft_questions(chunks, "helpdesk"), "utf-8")
    loaded = load_questions(tmp_path / "questions.toml")
    assert loaded.style == "helpdesk"
    assert [question.kind for question in loaded] == ["answerable"] * 3 + ["unanswerable"]
    assert [question.chunks for question in loaded] == [("a.md#0",), ("a.md#1",), ("a.md#2",), ()]
    assert loaded.questions[2].question == "When do I pay?"
    assert "a.md" in loaded.questions[0].question and 'Fees "and" \\ more' in loaded.questions[1].question
