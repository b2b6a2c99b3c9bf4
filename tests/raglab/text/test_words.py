"""Sentences: where one ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raglab.text.words import sentences, squash


def split(text):
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    "expected",
    [
        ["Opens at 8. [1]", "Closes at 9 [2]."],
        ["Ask Dr. Lim, e.g. by mail [1].", "She answers."],
        ["値は３．１４です。", "次です。"],
        ["比は０．５と１２．２５です。", "終わり。"],
        ["It costs 3.5 dollars.", "Version 1.2.3 is out!", "Really?", "Yes."],
        ["😀 ok [1].", "Next."],
        ["The hall (1) 40 seats, the bar (2) 20 seats.", "Both open at 9."],
        ["Use a file (i) - a folder (v) - the card (x).", "Then sign."],
        ["Two lines\nof one sentence.", "Another."],
        [],
    ],
)
def test_sentences(expected):
    assert split(" ".join(expected)) == expected


def test_a_paragraph_ends_a_sentence():
    assert split("No stop here\n\nNext one") == ["No stop here", "Next one"]


@given(st.text(alphabet="ab 12.．。!?\n[]#-😀\u0301", max_size=80))
def test_no_character_is_lost_but_white_space(text):
    assert "".join("".join(split(text)).split()) == "".join(text.split())


@pytest.mark.parametrize("sentence", ["値は３．１４です。", "Open at ten, and 3.5 hours later closed. "])
def test_a_long_text_is_split_as_a_short_one(sentence):
    assert split(sentence * 2_000) == [sentence.strip()] * 2_000


def test_squash():
    assert squash(" a\u2003b\n\nc ") == "a b c"
