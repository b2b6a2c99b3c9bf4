"""Refusals: however they are dressed up, and answers that only speak of one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raglab.refusals import is_refusal, refusal_in
from raglab.styles import STYLES

WORDS = "I don't know based on the provided documents"
NUMBERED = f"{WORDS}."
TAGGED = "I couldn't find this in our help documents. Please contact support@gocourse.example."

DRESSES = [
    "{}", "{}\n", "\n\n  {}", "{}.", "{}..", "\"{}\"", "“{}”", "'{}'", "‘{}’", "«{}»", "**{}**", "*{}*",
    "__{}__", "_{}_", "***{}***", "`{}`", "```\n{}\n```", "```text\n{}\n```", "~~~\n{}\n~~~", "> {}", ">> {}",
    "> **“{}”**", "# {}", "- {}", "\ufeff{}", "**\"{}\"**.", "\u00a0{}\u00a0",
]  # fmt: skip


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("dress", DRESSES)
def test_a_refusal_in_any_dress(style: str, dress: str) -> None:
    for words in (STYLES[style].sentinel, STYLES[style].refusal):
        for form in (
            words,
            words.rstrip("."),
            words.upper(),
            words.lower(),
            words.replace("'", "’"),
            words.replace("'", "`"),
        ):
            assert refusal_in(dress.format(form), style) == "exact"
            assert is_refusal(dress.format(form), style)


@pytest.mark.parametrize(
    ("style", "reply"),
    [
        ("bracketed", "NOT_IN_CONTEXT."),
        ("bracketed", r"NOT\_IN\_CONTEXT"),
        ("numbered", "I don't know based on\nthe provided  documents."),
        ("numbered", "**I don't know** based on the provided documents."),
        ("tagged", "> I couldn't find this in our help documents.\n> Please contact support@gocourse.example."),
        ("tagged", "I couldn’t find this in our help documents.\n\nPlease contact support@gocourse.example"),
    ],
)
def test_other_exact_refusals(style: str, reply: str) -> None:
    assert refusal_in(reply, style) == "exact"


@pytest.mark.parametrize(
    ("style", "reply"),
    [
        ("numbered", f"{NUMBERED} Usually it is 20."),
        ("numbered", f"{NUMBERED}\n\nUsually it is 20."),
        ("numbered", f"Sorry. {NUMBERED}"),
        ("numbered", f"Sorry, {NUMBERED}"),
        ("numbered", f"Unfortunately {NUMBERED}"),
        ("numbered", f"The fee is 10 [1]. {NUMBERED}"),
        ("numbered", f"The passages list fees, but {NUMBERED}"),
        ("numbered", f"{WORDS}, but usually it is 20."),
        ("numbered", f"{WORDS} because they are silent."),
        ("numbered", f"{WORDS} — usually it is 20."),
        ("numbered", f"{NUMBERED} [1]"),
        ("numbered", f"{WORDS} [1]."),
        ("numbered", f'"{NUMBERED}" [1]'),
        ("numbered", f"`{NUMBERED}` Usually it is 20."),
        ("numbered", f'"{NUMBERED}" Usually it is 20.'),
        ("numbered", f"**{NUMBERED}** Usually it is 20."),
        ("numbered", f"> {NUMBERED}\n\nUsually it is 20."),
        ("numbered", f"{NUMBERED} {NUMBERED}"),
        ("numbered", f"Answer: {NUMBERED}"),
        ("numbered", f"Usually 20.\n{NUMBERED.lower()}"),
        ("numbered", "Usually 20. I don’t know based on\nthe provided documents."),
        ("bracketed", "NOT_IN_CONTEXT\nThe sources are silent."),
        ("bracketed", "Answer: NOT_IN_CONTEXT"),
        ("bracketed", "NOT_IN_CONTEXT Usually it is 20."),
        ("bracketed", "NOT_IN_CONTEXT usually it is 20."),
        ("bracketed", "Usually it is 20. NOT_IN_CONTEXT"),
        ("numbered", f"{WORDS} Usually it is 20."),
        ("bracketed", "[NOT_IN_CONTEXT]"),
        ("tagged", f"{TAGGED} Or ask a friend."),
        ("tagged", f"Hello! {TAGGED}"),
        ("tagged", f"{TAGGED} [refund-policy#0]"),
    ],
)
def test_padded(style: str, reply: str) -> None:
    assert refusal_in(reply, style) == "padded"
    assert not is_refusal(reply, style)


@pytest.mark.parametrize(
    ("style", "reply"),
    [
        ("numbered", ""),
        ("numbered", "The fee is 10 [1]."),
        ("numbered", "I don't know."),
        ("numbered", f'The sign says "{NUMBERED}" [1]'),
        ("numbered", f"The sign says “{NUMBERED}” [1]."),
        ("numbered", f"The sign says ‘{NUMBERED}’ [1]."),
        ("numbered", f"The sign says '{WORDS}' [1]."),
        ("numbered", f'The sign says "Sorry. {NUMBERED} Go away." [1]'),
        ("numbered", f"The sign says: `{NUMBERED}` [1]"),
        ("numbered", f'"{WORDS}" is what the sign says [1].'),
        ("numbered", f'"{NUMBERED}" is what the sign says [1].'),
        ("numbered", f"Staff say {WORDS} when they are unsure [1]."),
        ("numbered", f"{WORDS} they say when they are unsure [1]."),
        ("numbered", "NOT_IN_CONTEXT"),
        ("bracketed", NUMBERED),
        ("bracketed", "The tool prints `NOT_IN_CONTEXT` [a.md#1]."),
        ("bracketed", "NOT_IN_CONTEXTS are none [a.md#1]."),
        ("bracketed", "NOT_IN_CONTEXT is what the tool prints [a.md#1]."),
        ("bracketed", "The answer MUST_NOT_IN_CONTEXT be [a.md#1]."),
        ("tagged", "I couldn't find this in our help documents."),
    ],
)
def test_answers(style: str, reply: str) -> None:
    assert refusal_in(reply, style) is None


@given(st.text(), st.sampled_from(sorted(STYLES)))
def test_any_text_has_a_verdict(text: str, style: str) -> None:
    assert refusal_in(text, style) in ("exact", "padded", None)


@given(st.text(alphabet=" \n\t*_\"'`.>“”", max_size=12), st.text(alphabet=" \n\t*_\"'`.“”", max_size=12))
def test_marks_around_a_refusal_change_nothing(before: str, after: str) -> None:
    assert refusal_in(f"{before}{NUMBERED}{after}", "numbered") in ("exact", "padded")
