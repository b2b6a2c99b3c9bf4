"""Tokens, max_tokens and stop_sequences."""

import pytest

import mock_llm
from mock_llm.core import MOST_TOKENS, input_tokens, tokens
from mock_llm.wires.anthropic_request import as_body, parsed

SENTENCE = "Membership costs 10 US dollars per term. [1]"  # 44 characters


def reply(prompts, **body):
    messages = prompts.numbered("How much does membership cost per term?", SENTENCE.removesuffix(" [1]"))
    return mock_llm.reply_to({"model": "mock-reader", "max_tokens": 100, "messages": messages, **body})


def test_tokens_are_characters_by_four_rounded_up():
    assert [tokens(n) for n in (0, 1, 4, 5, 44, 67, 434)] == [0, 1, 1, 2, 11, 17, 109]


@pytest.mark.parametrize(("characters", "expected"), [(315, 188), (478, 229)])
def test_each_message_is_rounded_up_by_itself(prompts, characters, expected):
    assert len(prompts.rules) == 434
    user = [{"role": "user", "content": "x" * characters}]
    beside = parsed({**as_body(user), "system": prompts.rules})
    inside = parsed(as_body([{"role": "system", "content": prompts.rules}, *user]))
    assert input_tokens(beside) == input_tokens(inside) == expected


def test_blocks_of_one_message_are_counted_together():
    block = {"type": "text", "text": "abc"}
    assert input_tokens(parsed(as_body([{"role": "user", "content": [block, block]}]))) == 2


@pytest.mark.parametrize(
    ("max_tokens", "text", "reason", "used"),
    [
        (100, SENTENCE, "end_turn", 11),
        (11, SENTENCE, "end_turn", 11),
        (10, SENTENCE[:40], "max_tokens", 10),
        (1, "Memb", "max_tokens", 1),
    ],
)
def test_max_tokens(prompts, max_tokens, text, reason, used):
    message = reply(prompts, max_tokens=max_tokens)
    assert message["content"][0]["text"] == text
    assert (message["stop_reason"], message["usage"]["output_tokens"]) == (reason, used)


def test_max_tokens_of_zero_gives_no_block(prompts):
    message = reply(prompts, max_tokens=0)
    assert (message["content"], message["stop_reason"], message["usage"]["output_tokens"]) == ([], "max_tokens", 0)


@pytest.mark.parametrize(
    ("stops", "text", "stop"),
    [
        (["dollars"], "Membership costs 10 US ", "dollars"),
        (["term", "US"], "Membership costs 10 ", "US"),
        (["US dollars", "US"], "Membership costs 10 ", "US dollars"),
        (["nowhere"], SENTENCE, None),
        ([], SENTENCE, None),
    ],
)
def test_stop_sequences(prompts, stops, text, stop):
    message = reply(prompts, stop_sequences=stops)
    assert (message["content"][0]["text"], message["stop_sequence"]) == (text, stop)
    assert message["stop_reason"] == ("stop_sequence" if stop else "end_turn")
    assert message["usage"]["output_tokens"] == -(-len(text) // 4)


def test_the_limit_can_come_before_the_stop_sequence(prompts):
    message = reply(prompts, stop_sequences=["term"], max_tokens=2)
    assert (message["stop_reason"], message["stop_sequence"]) == ("max_tokens", None)


def test_a_prompt_beyond_the_limit_is_refused():
    long = [{"role": "user", "content": "x" * (4 * MOST_TOKENS + 1)}]
    with pytest.raises(mock_llm.RequestError, match="prompt is too long: 200001 tokens > 200000 maximum"):
        mock_llm.reply_to(long)
