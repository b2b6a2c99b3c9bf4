"""Explanations, for people and for programs."""

import msgspec
import pytest

import mock_llm

PAGE = """\
form      numbered: a Context: block of [n] (source: …) passages
persona   reader: repeats the sentence that shares most words with the question
question  How much does membership cost per term?
words     membership, cost, per, term

  score  passage  sentence
>     4  [1]      Membership costs 10 US dollars per term.
                  = membership + cost + per + term
      1  [1]      A term lasts about four months.
                  = term
      0  [2]      Tea is free.

why       4 is the highest score
reply     Membership costs 10 US dollars per term. [1]"""


def test_the_page(prompts):
    passages = ("Membership costs 10 US dollars per term. A term lasts about four months.", "Tea is free.")
    assert repr(mock_llm.explain(prompts.numbered("How much does membership cost per term?", *passages))) == PAGE


def test_a_refusal_says_why(prompts):
    told = mock_llm.explain(prompts.numbered("Who is the vice president?", "The president is Sophea."))
    assert told.refusal == told.reply == "I don't know based on the provided documents."
    assert told.why.startswith("the highest score is 1, less than 2")
    assert not any(line.winner for line in told.sentences)


def test_a_tie_is_told(prompts):
    told = mock_llm.explain(prompts.numbered("tea time?", "Tea time. Tea time."))
    assert told.why == "2 is the highest score, and the first of 2 sentences with it wins"
    assert [line.winner for line in told.sentences] == [True, False]


def test_chat_and_empty_context():
    assert mock_llm.explain([{"role": "user", "content": "hi"}]).refusal is None
    empty = mock_llm.explain([{"role": "user", "content": "Context:\n\nQuestion: why?"}])
    assert empty.why.startswith("there is no sentence")


def test_it_is_plain_data(prompts):
    told = mock_llm.explain(prompts.bracketed("tea time?", a="Tea time."))
    assert msgspec.json.decode(msgspec.json.encode(told.as_dict()))["sentences"][0] == {
        "passage": "a", "sentence": "Tea time.", "matches": ["tea", "time"], "score": 2, "winner": True,
        "weight": 1,
    }  # fmt: skip


def test_bodies_with_and_without_the_rest(prompts):
    messages = prompts.numbered("When do classes end?", "Classes end at 9.")
    told = mock_llm.explain({"messages": messages, "model": "mock-misnumbering"})
    assert (told.persona, told.reply) == ("misnumbering", "Classes end at 10. [1]")
    assert mock_llm.explain(messages) == mock_llm.explain({"messages": messages})
    with pytest.raises(mock_llm.RequestError, match="messages: at least one"):
        mock_llm.explain({"messages": []})


def test_long_lines_stay_within_the_page(prompts):
    ids = {"a very long folder name/and a long file name.md#12": "Tea time " * 40, "b": "値" * 200}
    page = repr(mock_llm.explain(prompts.bracketed("tea time and " * 30, **ids)))
    assert max(len(line) for line in page.splitlines()) <= 79
    assert "a long file name.md#12]" in page and "値値値" in page
