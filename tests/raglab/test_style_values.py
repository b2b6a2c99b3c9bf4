"""A style checks itself when it is made, also by `replace`; its repr says what differs from the style of its name."""

import pickle
from dataclasses import replace

import pytest

from raglab import BRACKETED, DOCUMENTS, HELPDESK, NUMBERED, STYLES, TAGGED, SettingError, Style

BOTH = "{passages} {question}"
WRONG = [
    ({"user": "{m} " + BOTH}, r"user has the field \{m\}.*passages, question.*\{\{m\}\} for the text \{m\}"),
    ({"user": "{passages}"}, r"user needs the field \{question\}"),
    ({"user": "{question}"}, r"numbered needs the field \{passages\}"),
    ({"user": "{questoin} " + BOTH}, "did you mean 'question'"),
    ({"user": 3}, "user must be a text, got 3"),
    ({"system": "{text}"}, r"system has the field \{text\}"),
    ({"passage": "[{n}]"}, r"passage needs the field \{text\}"),
    ({"passage": "{text}"}, r"passage needs the field \{n\}"),
    ({"passage": "[{n}] {txt} {text}"}, "did you mean 'text'"),
    ({"passage": "[{n}] {question} {text}"}, r"passage has the field \{question\}"),
    ({"source_list": "- {source}"}, r"source_list needs the field \{n\}"),
    ({"source_list": "{n} {title}"}, r"source_list has the field \{title\}"),
    ({"citation": "nmber"}, "citation cannot be 'nmber': did you mean 'number'"),
    ({"citation": None}, "citation cannot be None"),
    ({"citation": "id"}, r"passage needs the field \{id\}"),
    ({"chunker": "heading"}, "chunker cannot be 'heading': did you mean 'headings'"),
    ({"ids": "name"}, "ids cannot be 'name': valid: path, stem"),
    ({"checks": ("missing-citatoin",)}, "did you mean 'missing-citation'"),
    ({"checks": "empty-answer"}, "checks must be a tuple of names, got 'empty-answer'"),
    ({"checks": None}, "checks must be a tuple of names, got None"),
    ({"checks": (3,)}, "checks cannot be 3"),
    ({"tags": "source"}, "tags must be a tuple of names"),
    ({"k": -1}, "k must be 0 or more, got -1"),
    ({"k": 2.0}, "k must be a whole number, got 2.0"),
    ({"k": True}, "k must be a whole number, got True"),
    ({"k": None}, "k must be a whole number, got None"),
    ({"min_score": 1.5}, "min_score must be between 0 and 1, got 1.5"),
    ({"min_score": "0.2"}, "min_score must be a number, got '0.2'"),
    ({"min_score": float("nan")}, "min_score must be a number, got nan"),
    ({"per_source": 0}, "per_source must be 1 or more, got 0"),
    ({"max_tokens": 0}, "max_tokens must be 1 or more, got 0"),
    ({"temperature": 3}, "temperature must be between 0 and 2, got 3"),
    ({"temperature": "hot"}, "temperature must be a number, got 'hot'"),
    ({"name": ""}, "name of a style must be a text that is not empty, got ''"),
    ({"refusal": "  "}, "refusal of a style must be a text"),
    ({"sentinel": None}, "sentinel of a style must be a text"),
]


@pytest.mark.parametrize(("change", "message"), WRONG, ids=[str(change) for change, _ in WRONG])
def test_a_value_that_cannot_be_meant_is_one_sentence_that_names_the_field(change, message):
    with pytest.raises(SettingError, match=message) as caught:
        replace(NUMBERED, **change)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_every_style_can_be_varied_and_compared(style):
    variant = replace(style, k=style.k + 1)
    assert variant != style and replace(variant, k=style.k) == style
    assert repr(style) == style.name.upper() and repr(variant) == f"{style.name.upper()}(k={style.k + 1})"


def test_the_repr_shows_all_that_differs_from_the_style_of_that_name():
    variant = replace(NUMBERED, k=8, min_score=0, system=None)
    assert repr(variant) == "NUMBERED(k=8, min_score=0, system=None)"
    assert repr(replace(HELPDESK, checks=())) == "HELPDESK(checks=())"
    assert repr(replace(NUMBERED, name="mine", k=8)) == "MINE"  # a name of its own: nothing to compare with


def test_passages_may_stand_in_the_system_prompt_or_in_documents_of_their_own():
    assert replace(NUMBERED, system="Rules.\n{passages}", user="{question}").user == "{question}"
    assert "{passages}" not in DOCUMENTS.user + str(DOCUMENTS.system)


def test_a_list_of_codes_becomes_a_tuple():
    assert replace(NUMBERED, checks=["empty-answer"]).checks == ("empty-answer",)


@pytest.mark.parametrize("style", [BRACKETED, TAGGED, replace(NUMBERED, k=9)])
def test_a_style_survives_a_trip_to_another_process(style):
    assert pickle.loads(pickle.dumps(style)) == style


def test_a_style_from_nothing():
    mine = Style(
        name="mine", k=2, min_score=0, system=None, passage="({n}) {text}", separator="\n", user=BOTH,
        citation="number", sentinel="NO", refusal="No.", checks=(),
    )  # fmt: skip
    assert repr(mine) == "MINE"
    with pytest.raises(TypeError):
        Style(name="mine")  # type: ignore[call-arg]
