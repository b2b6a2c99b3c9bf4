"""Who handed in what: both layouts, odd names, and files that are no submissions."""

import os

import nbformat
import pytest

from raglab.course.submissions import MAX_BYTES, find_submissions, read_notebook
from raglab.errors import DocumentError


@pytest.fixture
def folder(tmp_path):
    def fill(*names):
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        return tmp_path

    return fill


def found(folder):
    """{learner: {lesson: file below the folder}}."""
    return {
        submission.learner: {lesson: str(path.relative_to(folder)) for lesson, path in submission.notebooks.items()}
        for submission in find_submissions(folder)[0]
    }


LAYOUTS = [
    ("ann/01_x.ipynb", "ann", "01"),
    ("ann/01_from_hits_to_an_answer.ipynb", "ann", "01"),
    ("ann/deep/er/01_x.ipynb", "ann", "01"),
    ("Ann Lee_123_assignsubmission_file/Lee 01_x (1).ipynb", "Ann Lee_123_assignsubmission_file", "01"),
    ("ann_01_x.ipynb", "ann", "01"),
    ("ann lee-01_x.ipynb", "ann lee", "01"),
    ("leeann_4711_98_01_from_hits_to_an_answer-2.ipynb", "leeann_4711_98", "01"),
    ("group_07_01_x.ipynb", "group_07", "01"),
    ("Zoë_00_x.ipynb", "Zoë", "00"),
]


@pytest.mark.parametrize(("name", "learner", "lesson"), LAYOUTS)
def test_the_learner_and_the_lesson_are_read_from_the_path(folder, name, learner, lesson):
    assert found(folder(name)) == {learner: {lesson: name}}


def test_both_layouts_of_one_learner_come_together_and_learners_are_sorted(folder):
    place = folder("zoe/00_x.ipynb", "ann_01_x.ipynb", "ann/00_x.ipynb")
    assert list(found(place).items()) == [
        ("ann", {"00": "ann/00_x.ipynb", "01": "ann_01_x.ipynb"}),
        ("zoe", {"00": "zoe/00_x.ipynb"}),
    ]


def test_a_second_notebook_of_a_lesson_is_left_out_and_said(folder):
    (submission,), _ = find_submissions(folder("ann/00_a.ipynb", "ann/00_b.ipynb"))
    assert submission.notebooks["00"].name == "00_a.ipynb"
    assert submission.notes == ["00_b.ipynb is left out: 00_a.ipynb is taken for 00"]


def test_a_file_of_another_kind_is_said(folder):
    submissions, ignored = find_submissions(folder("ann/01_x.pdf", "bob_00_x.docx", "README.txt"))
    assert [(submission.learner, submission.notes) for submission in submissions] == [
        ("ann", ["01_x.pdf is not a notebook (.ipynb)"]),
        ("bob", ["bob_00_x.docx is not a notebook (.ipynb)"]),
    ]
    assert ignored == ["README.txt"]


def test_what_tools_leave_behind_is_no_submission(folder):
    place = folder("ann/.ipynb_checkpoints/00_x.ipynb", "__MACOSX/00_x.ipynb", ".git/00_x.ipynb", "ann/._00_x.ipynb")
    assert found(place) == {"ann": {}}


def test_a_notebook_that_names_nobody_is_ignored(folder):
    assert find_submissions(folder("00_x.ipynb", "ann/00_x.ipynb"))[1] == ["00_x.ipynb"]


@pytest.mark.skipif(os.name == "nt", reason="Windows needs a right of its own to make links")
def test_links_are_not_followed(folder):
    place = folder("ann/x.txt", "bob/01_x.ipynb")
    (place / "ann" / "00_x.ipynb").symlink_to(place / "bob" / "01_x.ipynb")
    (place / "ann" / "more").symlink_to(place / "bob")
    (place / "cat").symlink_to(place / "bob")
    assert found(place) == {"ann": {}, "bob": {"01": "bob/01_x.ipynb"}}
    assert find_submissions(place)[0][0].notes == ["00_x.ipynb is not a plain file, so it is left out"]


@pytest.mark.parametrize(("name", "message"), [("nowhere", "is not a folder"), (".", "no submission in")])
def test_a_folder_without_submissions_is_one_sentence(tmp_path, name, message):
    with pytest.raises(DocumentError, match=message):
        find_submissions(tmp_path / name)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\xfe\x00", b"[]", b"3", b'{"cells": 3}', b'{"nbformat": 4}', b"[" * 100_000, b'{"nbformat": 99}'],
)
def test_a_broken_notebook_is_one_clause(tmp_path, content):
    path = tmp_path / "00_x.ipynb"
    path.write_bytes(content)
    with pytest.raises(DocumentError, match=r"^00_x\.ipynb is not a notebook$"):
        read_notebook(path)


def test_a_huge_notebook_is_not_read(tmp_path):
    path = tmp_path / "00_x.ipynb"
    with open(path, "wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(DocumentError, match="larger than 50 MB"):
        read_notebook(path)


def test_an_older_notebook_is_brought_up_to_date(tmp_path):
    path = tmp_path / "00_x.ipynb"
    cell = {"cell_type": "code", "source": "1", "metadata": {}, "outputs": [], "execution_count": None}
    old = nbformat.from_dict({"nbformat": 4, "nbformat_minor": 2, "metadata": {}, "cells": [cell]})
    path.write_text(nbformat.writes(old, version=nbformat.NO_CONVERT))
    assert read_notebook(path).cells[0].source == "1"
