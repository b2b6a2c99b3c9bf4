"""What each persona does to an answer."""

import pytest

import mock_llm
from mock_llm.errors import MockError
from mock_llm.personas import PERSONAS, known_persona, persona_of

WRONG = "mock-misnumbering"


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("Classes run from 7 PM to 9 PM.", "Classes run from 7 PM to 10 PM."),
        ("Classes have 1,999 seats.", "Classes have 2,000 seats."),
        ("Classes cost 3.50 dollars.", "Classes cost 4.50 dollars."),
        ("Classes start at 007.", "Classes start at 008."),
        ("Classes cost 10 as rule [3] says.", "Classes cost 11 as rule [3] says."),
        ("Classes run all day.", "Classes run all day."),
        ("Classes take 5 to 99 days", "Classes take 5 to 100 days"),
    ],
)
def test_misnumbering_adds_one_to_the_last_number(prompts, say, sentence, said):
    question = "What of classes: run, seats, cost, start, take?"
    assert say(prompts.numbered(question, sentence), WRONG) == f"{said} [1]"
    assert say(prompts.numbered(question, sentence)) == f"{sentence} [1]"


def test_misnumbering_leaves_citations_code_and_refusals(prompts, say):
    text = "Run the tea server:\n\n```\nserve 80\n```"
    said = say(prompts.bracketed("Run the tea server?", **{"a.md#7": text}), WRONG)
    assert said == "Run the tea server: [a.md#7]\n\n```\nserve 80\n```"
    refusal = [{"role": "system", "content": "reply exactly: Call 555"}, *prompts.numbered("Who?", "Tea.")[1:]]
    assert say(refusal, WRONG) == "Call 555"


def test_misnumbering_gives_it_right_after_feedback(prompts, say):
    talk = prompts.numbered("When do classes end?", "Classes end at 9 PM.")
    assert say(talk, WRONG) == "Classes end at 10 PM. [1]"
    again = [{"role": "assistant", "content": "x"}, {"role": "user", "content": "Problems with your answer:\n- 10"}]
    assert say([*talk, *again], WRONG) == "Classes end at 9 PM. [1]"


@pytest.mark.parametrize(
    ("model", "persona"),
    [
        ("mock-reader", "reader"),
        ("mock-misnumbering", "misnumbering"),
        ("mock-unheard-of", "default"),
        ("misnumbering", "default"),
        ("claude-sonnet", "default"),
    ],
)
def test_the_model_name_chooses(model, persona):
    assert persona_of(model, "default") == persona


def test_an_unknown_persona_is_named_with_the_nearest():
    assert [known_persona(name) for name in PERSONAS] == list(PERSONAS)
    with pytest.raises(MockError, match="'raeder': did you mean 'reader'.*misnumbering"):
        known_persona("raeder")


def test_a_bare_list_of_messages_leaves_the_choice_to_the_default(prompts):
    talk = prompts.numbered("When do classes end?", "Classes end at 9 PM.")
    assert mock_llm.reply_to(talk, "misnumbering")["content"][0]["text"] == "Classes end at 10 PM. [1]"
    assert mock_llm.explain(talk, "misnumbering").reply == "Classes end at 10 PM. [1]"
