"""Sentences of a Markdown passage and their places."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mock_llm.sentences import WINDOW, fence_after, sentences

EXAMPLES = settings.default.max_examples  # of the profile
MARKDOWN = st.lists(
    st.sampled_from(
        ["# Head", "A one. B two.", "wrapped", "", "  ", "```", "~~~~", "    code", "- item one", "| a | b |", "|--|",
         "===", "---", "> quote", "1. first", "[x] a > b", "\r", "😀 Yes. No", "値は３．１４です。次です。",
         "On 3. May 2020."]
    )
).map("\n".join)  # fmt: skip


def texts(text):
    return [sentence.text for sentence in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Open at 8. Close\nat 6.", ["Open at 8.", "Close at 6."]),
        ("# Hours\n\nOpen at 8.", ["Open at 8."]),
        ("Hours\n=====\n\nOpen at 8.", ["Open at 8."]),
        ("[help] Rooms > Hours\n\nOpen at 8.", ["Open at 8."]),
        ("| Day | Fee |\n|---|:-:|\n| Monday | 10 |", ["Day | Fee", "Monday | 10"]),
        ("- Bring a pen\n- Bring a book,\n  a thin one", ["Bring a pen", "Bring a book, a thin one"]),
        ("1. Open the lid.\n2. Close it.", ["Open the lid.", "Close it."]),
        ("> Quoted and\n> wrapped.", ["Quoted and wrapped."]),
        ("Before.\n\n    x = 1. y = 2.\n\nAfter.", ["Before.", "After."]),
        ("Before.\n\n```\n# not a heading. x\n```\nAfter.", ["Before.", "After."]),
        ("~~~\n```\n~~~\nAfter.", ["After."]),
        ("One.\n\n***\n\nTwo.", ["One.", "Two."]),
        ("Ask Dr. Lim, e.g. by mail. Go.", ["Ask Dr. Lim, e.g. by mail.", "Go."]),
        ("値は３．１４です。次です。", ["値は３．１４です。", "次です。"]),
        ("We met on 3. March 2020. It rained.", ["We met on 3. March 2020.", "It rained."]),
        ("We met on 12. 3. 2020. It rained.", ["We met on 12. 3. 2020.", "It rained."]),
        ("It costs 3. Pay now.", ["It costs 3.", "Pay now."]),
        ("One.\r\nTwo is\r\nwrapped.", ["One.", "Two is wrapped."]),
        ("# Fees They cost 10 dollars.", ["Fees They cost 10 dollars."]),  # squashed by the prompt
        ("# Fees Is it free? Yes!", ["Fees Is it free?", "Yes!"]),
        ('# Fees He said "it is **free.**"', ['Fees He said "it is **free.**"']),
        ("# Fees 無料！", ["Fees 無料！"]),
        ("# Fees and hours", []),
        ("# Fees", []),
        ("…\n\n—", []),
        ("", []),
    ],
)
def test_what_is_a_sentence(text, expected):
    assert texts(text) == expected


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Run it:\n\n```bash\ngit init\n```\nDone.", "```bash\ngit init\n```"),
        ("Run it:\n~~~\na\n\nb\n~~~", "~~~\na\n\nb\n~~~"),
        ("- Run it:\n  ```\n  a\n    b\n  ```", "```\na\n  b\n```"),
        ("Run it:\n```\ncut off", "```\ncut off\n```"),
        ("Run it:\n```", "```\n```"),
        ("Run it:\n```\na\n```\n```\nb\n```", "```\na\n```"),
        ("Run it.\n\n## Next\n\n```\na\n```", ""),
        ("Run it. Then see.\n\nMore.\n\n```\na\n```", ""),
    ],
)
def test_the_fence_that_follows_directly(text, code):
    first_block = [s for s in sentences(text) if s.text.startswith(("Run it", "Then see"))]
    assert first_block[-1].code == code
    assert all(s.code == "" for s in first_block[:-1])


def test_places_are_code_points_of_the_passage():
    text = "# T\n\n😀 Open at 8. Close\n  at 6."
    first, second = sentences(text)
    assert text[first.start : first.end] == "😀 Open at 8."
    assert text[second.start : second.end] == "Close\n  at 6."


@settings(max_examples=max(300, EXAMPLES))
@given(MARKDOWN)
def test_places_never_overlap_and_hold_the_words(text):
    at = 0
    for sentence in sentences(text):
        assert at <= sentence.start < sentence.end <= len(text)
        at = sentence.end
        span = text[sentence.start : sentence.end].replace(">", "")  # a quote's mark is no word
        assert span.split() == sentence.text.replace(">", "").split()


def test_a_line_beyond_the_window_gives_the_same_sentences():
    one = "値は３．１４です。次はここです。"
    many = WINDOW // len(one) * 3
    assert texts(one * many) == ["値は３．１４です。", "次はここです。"] * many


@pytest.mark.parametrize(
    ("line", "before", "after"),
    [
        ("```python", "", "```"),
        ("``` a`b", "", ""),
        ("```", "````", "````"),
        ("`````", "````", ""),
        ("``` x", "```", "```"),
        ("text", "~~~", "~~~"),
    ],
)
def test_fence_after(line, before, after):
    assert fence_after(line, before) == after
