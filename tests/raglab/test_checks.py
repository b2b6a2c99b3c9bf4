"""Checks: what is wrong with a reply, and above all what is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raglab.checks import CHECKS, check_answer
from raglab.errors import SettingError
from raglab.records import Hit
from raglab.styles import NUMBERED, STYLES, TAGGED

HITS = [
    Hit.of("fees.md#0", "The fee is 10 dollars per term.", heading="Fees 2024"),
    Hit.of("hours.md#0", "The club opens at 8 AM and closes at 9 PM."),
    Hit.of("visits.md#0", "10 people came in May, 20 people in June."),
    Hit.of("fees-2023.md#0", "The fee was 10 dollars."),
]


def codes(text: str, question: str = "What is it?", *, style: str = "numbered", checks: object = None) -> list[str]:
    return [problem.code for problem in check_answer(text, HITS, question, style=style, checks=checks)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "The fee is 10 dollars [1].",
        "The fee is 10 dollars. [1]",
        "The fee is 10 dollars.[1]",
        "The fee is 10 dollars.[1][2] It closes at 9 PM.[2]",
        "The fee is 10 dollars.\n[1]",
        "The fee is 10 dollars.\n\n[1]",
        "The fee is 10 dollars. [1] It closes at 9 PM. [2]",
        "The fee is 10 dollars. [1] It closes at 9 PM [2].",
        "[1] The fee is 10 dollars. [2] It closes at 9 PM.",
        "The fee is 10 dollars [1]. [2] It closes at 9 PM.",
        "The fee [1] is 10 dollars.",
        "The fee is **10 dollars** [1].",
        "According to [1], the fee is\n10 dollars.",
        "Ask Dr. Lim, e.g. by mail [1].",
        "It opens at 8 a.m. on Mondays [2].",
        "1. Open the lid [1].\n2. Close it [1].",
        "1) Open the lid [1].\n2) Close it [1].",
        "1. Open the lid [1]. 2. Close it [1].",
        "12. Open the lid [1].",
        "(1) Open the lid and (2) close it [1].",
        "Step 1: Open the lid [1].\nStep 2: Close it [1].",
        "- Open the lid [1]\n- Close it [1]",
        "- [x] Open the lid [1]\n- [ ] Close it [1]",
        "# Fees of 2023\nThe fee is 10 dollars [1].",
        "Fees of 2023\n====\nThe fee is 10 dollars [1].",
        "Fees of 2023\n---\nThe fee is 10 dollars [1].",
        "The fee is 10 dollars. **[1]** It closes at 9 PM [2].",
        "The fee is 10 dollars. ([1]) It closes at 9 PM. ([2])",
        "The fee is 10 dollars. 【1】 It closes at 9 PM. ［2］",
        "The fee is 10 dollars. [1], [2] It closes at 9 PM [2].",
        "# Fees of 2023\n\nThe fee is 10 dollars [1].",
        "Fees\n====\nThe fee is 10 dollars [1].",
        "**Fees**\n\nThe fee is 10 dollars [1].",
        "The steps are:\n\n1. Open the lid [1].\n2. Close it [1].",
        "The steps are [1]:\n\n1. Open the lid.\n2. Close it.",
        "| fee | term |\n|---|---|\n| 10 dollars | one [1] |",
        "Is there a fee? It is 10 dollars [1].",
        "Yes. The fee is 10 dollars [1].",
        "Sure! The fee is 10 dollars [1]. Let me know if you need more.",
        "> The fee is 10 dollars.\n> [1]",
        "Run this [1]:\n\n```\npay --fee 99\n```",
        "Use `pay --fee 99` to pay [1].",
        "The fee of 2024 is 10 dollars [1].",
        "The fee is 10 dollars [1, 2] and it closes at 9 PM.",
        "It opens at 8 [2]; 20 people came [3].",
        "値は１０です [1]。",
        "Is it 99?",
        "It is open from 8 a.m. to 9:00 p.m. IST. [2]",
        "It is open at 8 a.m. on Sat. and Sun. [2]",
        "The fee is approx. 10 dollars [1].",
        "The fee is 10 dollars (1). [1]",
        "The fee is 10 dollars. (Source: [1])",
        "The fee is 10 dollars.\n\nSource: [1]",
        "1️⃣ The fee is 10 dollars [1].\n② It closes at 9 PM [2].",
        "a) Open the lid [1]\nb) Close it [1]",
        "Fee | Term\n--- | ---\n10 dollars | one [1]",
        "| Fee. | 10 dollars [1] |",
        "**Fee.** It is 10 dollars [1].",
        "- **The fee:** 10 dollars [1]",
        "It is 10 dollars, says fees-2023.md [4].",
        "Hello!\n\nThe fee is 10 dollars [1].\n\n---\n\nI hope this helps!",
    ],
)
def test_a_good_answer_has_no_problem(text: str) -> None:
    assert codes(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["empty-answer"]),
        (" \n ", ["empty-answer"]),
        ("...", ["empty-answer"]),
        ("[1]", ["empty-answer"]),
        ("**[1]**, [2].", ["empty-answer"]),
        ("[7]", ["empty-answer", "unknown-source"]),
        ("The fee is 10 dollars.", ["missing-citation"]),
        ("The fee is 10 dollars [^1].", ["missing-citation"]),
        ("The fee is 10 dollars (1).", ["missing-citation"]),
        ("The fee is 10 dollars [1](https://a.example).", ["missing-citation"]),
        ("The fee is 10 dollars `[1]`.", ["missing-citation"]),
        ("The fee is 10 dollars. It closes at 9 PM [2].", ["missing-citation"]),
        ("The fee is 10 dollars [1]. It is due in May.", ["missing-citation"]),
        ("- Open the lid\n- Close it [1]", ["missing-citation"]),
        ("The steps are [1]:\n- Open the lid.\n\nThen close it.", ["missing-citation"]),
        ("The fee is 10 dollars:", ["missing-citation"]),
        ("# Fees\nThe fee is 10 dollars.", ["missing-citation"]),
        ("Fees\n---\nThe fee is 10 dollars.", ["missing-citation"]),
        ("- Fees\n---\nThe fee is 10 dollars [1].", ["missing-citation"]),
        ("Fee [1].\nIt is due.\n---\n", ["missing-citation"]),
        ("The fee (99) applies [1].", ["number-not-in-source"]),
        ("The fee is 10 dollars [1]. [2] It closes at 9 PM [1].", ["number-not-in-source"]),
        ("The fee is 10 dollars [1], [2] It closes at 9 PM [1].", []),
        ("It is due. **[1]** It is monthly.", ["missing-citation"]),
        ("**The fee is 10.** It is due in May [1].", ["missing-citation"]),
        ("**The fee.**", ["missing-citation"]),
        ("Use pip. npm is not needed [1].", ["missing-citation"]),
        ("The fee is 10 dollars [7].", ["unknown-source"]),
        ("The fee is 10 dollars [1, 7].", ["unknown-source"]),
        ("The fee is 10 dollars [0].", ["unknown-source"]),
        ("The fee is 10 dollars [3-1].", ["unknown-source"]),
        ("The fee is 11 dollars [1].", ["number-not-in-source"]),
        ("It closes at 9 PM [1].", ["number-not-in-source"]),
        ("The fee is 12 and 13 dollars [1].", ["number-not-in-source"] * 2),
        ("The fee is 10% [1].", ["unit-mismatch"]),
        ("It closes at 9 AM [2].", ["unit-mismatch"]),
        ("The steps are [1]:\n- Pay 99 dollars.", ["number-not-in-source"]),
        ("The fee is 99 dollars.\n\n[1]", ["number-not-in-source"]),
        ("Fee 99 [1]. [2] Also 9 PM.", ["number-not-in-source"]),
        ("The fee is 11. It is 9 AM [2]. It is [9].", ["missing-citation", "unknown-source", "unit-mismatch"]),
        (NUMBERED.refusal, []),
        (f"{NUMBERED.refusal} Usually it is 20.", ["padded-refusal"]),
        (f"{NUMBERED.refusal} [9]", ["padded-refusal"]),
        (f'The sign says "{NUMBERED.refusal}" [1]', []),
    ],
)
def test_problems(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


def test_ids_are_checked_alike() -> None:
    assert codes("The fee is 10 dollars [fees.md#0].", style="tagged") == []
    assert codes("It closes at 9 AM [hours.md#0].", style="tagged") == ["unit-mismatch"]
    assert codes("The fee is 10 dollars [1].", style="tagged") == ["missing-citation"]
    assert codes("[1]", style="tagged") == ["empty-answer"]
    assert codes("The fee. It is 10 [a. b.md#1].", style="tagged") == ["missing-citation", "unknown-source"]
    assert codes(TAGGED.sentinel, style="tagged") == []
    assert codes("NOT_IN_CONTEXT.", style="bracketed") == []


def test_the_detail_names_the_number_and_the_sentence() -> None:
    (problem,) = check_answer("It opens at 8 AM [2]. It closes at 10 PM [2].", HITS, "When?", style=NUMBERED)
    assert problem.where == "It closes at 10 PM [2]."
    assert problem.detail == '"10 PM" is in no cited passage and not in the question.'


def test_the_sentence_ends_after_its_marker() -> None:
    problems = check_answer("The fee is 11. **[1]** It is 12 [1].", HITS, "What?", style=NUMBERED)
    assert [problem.where for problem in problems] == ["The fee is 11. **[1]**", "It is 12 [1]."]


def test_the_detail_of_an_empty_answer() -> None:
    assert [p.detail for p in check_answer("", HITS, "What?", style=NUMBERED)] == ["The answer has no words."]
    (problem,) = check_answer("[1]", HITS, "What?", style=NUMBERED)
    assert problem.detail == "The answer has no words, only citations."


def test_a_sum_is_called_derived() -> None:
    (problem,) = check_answer("30 people came in total [3].", HITS, "How many?", style=NUMBERED)
    assert (problem.code, "derived" in problem.detail) == ("number-not-in-source", True)
    (problem,) = check_answer("31 people came in total [3].", HITS, "How many?", style=NUMBERED)
    assert "derived" not in problem.detail


def test_the_detail_of_a_unit_shows_what_the_source_says() -> None:
    (problem,) = check_answer("It closes at 9 AM [2].", HITS, "When?", style=NUMBERED)
    assert problem.detail == '"9 AM" has another unit in the source: "9 PM".'


@pytest.mark.parametrize(
    ("text", "style", "detail"),
    [
        ("So [5, 7].", "numbered", "[5, 7] cites 5 and 7, but the passages are 1 to 4."),
        ("So [3-1].", "numbered", "[3-1] runs backwards; the passages are 1 to 4."),
        ("So [fee.md#0].", "tagged", "[fee.md#0] cites fee.md#0, which is not in the prompt; did you mean fees.md#0?"),
        (
            "So [zzz#1].",
            "tagged",
            "[zzz#1] cites zzz#1, but the passages are fees.md#0, hours.md#0, visits.md#0, fees-2023.md#0.",
        ),
    ],
)
def test_the_detail_of_an_unknown_source(text: str, style: str, detail: str) -> None:
    (problem,) = check_answer(text, HITS, "What?", style=style, checks=["unknown-source"])
    assert (problem.where, problem.detail) == (text, detail)


def test_an_unknown_source_with_one_passage_or_none() -> None:
    (problem,) = check_answer("So [2].", HITS[:1], "What?", style="numbered")
    assert problem.detail == "[2] cites 2, but the only passage is 1."
    (problem,) = check_answer("So [2].", [], "What?", style="numbered")
    assert problem.detail == "[2] cites 2, but there are no passages."


def test_the_question_allows_its_numbers() -> None:
    assert codes("99 % is enough [1].", "Is 99 % enough?") == []
    assert codes("99 % is enough [1].") == ["number-not-in-source"]


def test_only_cited_passages_count() -> None:
    assert codes("It closes at 9 PM [2].") == []
    assert codes("It closes at 9 PM [1].") == ["number-not-in-source"]
    assert codes("It closes at 9 PM [1, 2].") == []


def test_checks_chooses_in_the_order_of_the_table() -> None:
    text = "The fee is 11 [1]. So [9]. No."
    assert codes(text, checks=[]) == []
    assert codes(text, checks="unknown-source") == ["unknown-source"]
    assert codes(text, checks=("number-not-in-source", "unknown-source")) == ["unknown-source", "number-not-in-source"]
    assert codes(f"{NUMBERED.refusal} Or 20 [9].", checks=["unknown-source"]) == ["unknown-source"]


def test_an_unknown_code_names_the_valid_ones() -> None:
    with pytest.raises(
        SettingError, match="no check 'unit-mismatched': did you mean 'unit-mismatch'\\? Valid: empty-answer"
    ):
        codes("x", checks=["unit-mismatched"])
    with pytest.raises(SettingError, match="no style 'none'"):
        codes("x", style="none")


def test_every_style_runs_known_checks_and_every_check_has_a_meaning() -> None:
    assert all(code in CHECKS for style in STYLES.values() for code in style.checks)
    assert all(check.meaning and not check.meaning.endswith(".") for check in CHECKS.values())


@given(st.text(), st.sampled_from(sorted(STYLES)))
def test_any_reply_gets_a_list_of_known_problems(text: str, style: str) -> None:
    problems = check_answer(text, HITS, text, style=style)
    assert {problem.code for problem in problems} <= set(CHECKS)
    assert all(problem.detail.endswith((".", "?")) or problem.where for problem in problems)
    assert problems == check_answer(text, HITS, text, style=style)


LINES = [
    "The fee is 10 [1].",
    "# Head",
    "- item [9]",
    "```",
    "~~~",
    "> said",
    "| a |",
    "|---|",
    "",
    "Is it?",
    "See: [1]",
    "`x`",
    "===",
    "[2]",
    "1. a",
]


@given(st.lists(st.sampled_from(LINES), max_size=12).map("\n".join))
def test_any_markdown_gets_problems_about_its_own_words(text: str) -> None:
    for problem in check_answer(text, HITS, "What?", style="numbered"):
        assert problem.where in text
