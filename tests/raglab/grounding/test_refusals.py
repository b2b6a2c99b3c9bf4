"""Refusals: however they are dressed up, and answers that only speak of one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raglab.grounding.refusals import is_refusal, refusal_in
from raglab.styles import HELPDESK, STYLES

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
        ("tagged", "Please contact support@gocourse.example."),
        ("numbered", f"Staff say that {WORDS} [1]."),
        ("numbered", f"The clerk replied {WORDS} [1]."),
        ("numbered", f"Say '{WORDS}' when unsure [1]."),
        ("numbered", f"{WORDS} is what the sign says [1]."),
        ("bracketed", "The tool prints NOT_IN_CONTEXT [a.md#1]."),
        ("helpdesk", f'"{HELPDESK.refusal}" is what the chat says [1].'),
    ],
)
def test_answers(style: str, reply: str) -> None:
    assert refusal_in(reply, style) is None


@pytest.mark.parametrize("mark", "’‘ʼ´＇`'")
def test_every_apostrophe_is_one(mark: str) -> None:
    assert refusal_in(NUMBERED.replace("'", mark), "numbered") == "exact"


@pytest.mark.parametrize("pair", ["“”", "„“", "«»", "»«", "「」", "『』", '""', "``", "‘’"])
def test_every_quotation_mark_quotes(pair: str) -> None:
    opening, closing = pair
    assert refusal_in(f"{opening}{NUMBERED}{closing}", "numbered") == "exact"
    if pair not in ("‘’", "``"):
        assert refusal_in(f"The sign: {opening}Sorry. {NUMBERED} Go.{closing} [1]", "numbered") is None


@pytest.mark.parametrize("invisible", ["\u200b", "\u2060", "\ufeff", "\u00ad", "\u200e", "\u2069"])
def test_an_invisible_character_changes_nothing(invisible: str) -> None:
    assert refusal_in(NUMBERED.replace("know", f"kn{invisible}ow"), "numbered") == "exact"


@pytest.mark.parametrize(
    "dress",
    [
        *(
            "> > {}",
            ">>> # {}",
            "   > {}",
            "###### {}",
            "#\t{}",
            "~~~~\n{}\n~~~~~",
            "```\n> {}\n```",
            "  ```text  \n{}\n  ```  ",
        ),
        *("- {}", "-- {}", "• {}", "~{}~", "_{}_", "{}。", "{}...", "{} ", "# # {}"),
    ],
)
def test_more_dresses(dress: str) -> None:
    assert refusal_in(dress.format(NUMBERED), "numbered") == "exact"


LEAD_INS = (
    "but", "so", "yet", "sorry", "unfortunately", "I'm afraid", "I regret that", "It seems", "I must say", "Note that",
    "Therefore", "Sadly", "At the moment", "The passages list fees, and as to refunds", "The answer is", "<b>", "Oops",
    "I have to say that", "I can only answer", "1.", "(", "A:", "The fee is 10 [1]. For the rest,", "[1]", "Hello!\n\n",
)  # fmt: skip
TAILS = (
    "but it varies", "because it varies", "whether it is free", "what is meant", "of the club", "at this time", "yet",
    "unfortunately", "alone", "that were given to me", "about fees", "(sorry)", "?", "| 20", "</b>", "— usually 20",
    "[1]", "\n\nUsually 20",
)  # fmt: skip


@pytest.mark.parametrize("lead_in", LEAD_INS)
def test_whatever_leads_in_a_refusal_pads_it(lead_in: str) -> None:
    assert refusal_in(f"{lead_in} {NUMBERED}", "numbered") == "padded"
    assert refusal_in(f"{lead_in} NOT_IN_CONTEXT.", "bracketed") == "padded"


@pytest.mark.parametrize("tail", TAILS)
def test_whatever_follows_a_refusal_pads_it(tail: str) -> None:
    assert refusal_in(f"{WORDS} {tail}", "numbered") == "padded"
    assert refusal_in(f"Sorry, {WORDS} {tail}", "numbered") == "padded"
    assert refusal_in(f"Sorry, '{WORDS} {tail}", "numbered") == "padded"  # a quotation mark alone quotes nothing


@pytest.mark.parametrize("mark", ".!?。:;,()[]|–—-\n")
def test_marks_beside_a_refusal(mark: str) -> None:
    assert refusal_in(f"The fees vary{mark} {WORDS}.", "numbered") == "padded"
    assert refusal_in(f"The fees vary{mark}_ {WORDS}.", "numbered") == "padded"
    assert refusal_in(f"{WORDS}{mark} it varies.", "numbered") == "padded"
    assert refusal_in(f"{WORDS}_{mark} it varies.", "numbered") == "padded"


@pytest.mark.parametrize("style", ["helpdesk", "tagged"])
@pytest.mark.parametrize("form", ["{}.", "{}", "Hi! {}.", "{}. You can pay by card [1].", "> **{}**"])
def test_half_a_refusal_is_none_and_no_answer(style: str, form: str) -> None:
    half = STYLES[style].refusal.partition(". ")[0]
    assert refusal_in(form.format(half), style) == "padded"


REPORTING = (
    "say says said write writes wrote read reads print prints printed show shows display displays answer answers"
    " answered reply replies replied return returns output outputs"
).split()


@pytest.mark.parametrize("word", REPORTING)
def test_what_somebody_else_says_is_an_answer(word: str) -> None:
    assert refusal_in(f"Staff {word} {WORDS} [1].", "numbered") is None
    assert refusal_in(f"I {word} {WORDS} [1].", "numbered") == "padded"
    assert refusal_in(f"Staff x{word} {WORDS} [1].", "numbered") == "padded"
    assert refusal_in(f"It {word} x{WORDS} [1].", "numbered") is None


@pytest.mark.parametrize("noun", ["phrase", "words", "sentence", "text"])
def test_words_that_are_named_as_words_are_an_answer(noun: str) -> None:
    assert refusal_in(f"The sign has the {noun} {WORDS} [1].", "numbered") is None
    assert refusal_in(f"The sign has the x{noun} {WORDS} [1].", "numbered") == "padded"


@pytest.mark.parametrize("verb", "is was means mean reads stands appears says say said".split())
def test_words_that_a_sentence_speaks_of_are_an_answer(verb: str) -> None:
    assert refusal_in(f"{WORDS} {verb} all there [1].", "numbered") is None
    assert refusal_in(f"{WORDS} x{verb} all there [1].", "numbered") == "padded"


@pytest.mark.parametrize("verb", ["says", "say", "said"])
def test_words_that_somebody_is_named_for_are_an_answer(verb: str) -> None:
    assert refusal_in(f"{WORDS} staff {verb} then [1].", "numbered") is None
    assert refusal_in(f"{WORDS} as staff {verb} then [1].", "numbered") == "padded"
    assert refusal_in(f"{WORDS} staff {verb}ings differ [1].", "numbered") == "padded"


@pytest.mark.parametrize("reporter", ["The AI says", "The photo says", "The sign at the Taj Mahal I says"])
def test_only_a_whole_word_before_it_makes_a_report_ones_own(reporter: str) -> None:
    expected = "padded" if reporter.endswith(" I says") else None
    assert refusal_in(f"{reporter} {WORDS} [1].", "numbered") == expected


def test_wide_letters_are_letters() -> None:
    wide = str.maketrans({code: code + 0xFEE0 for code in range(0x21, 0x7F)})
    assert refusal_in(NUMBERED.translate(wide), "numbered") == "exact"
    assert refusal_in(f"Sorry. {NUMBERED} Usually 20.".translate(wide), "numbered") == "padded"


@pytest.mark.parametrize("marks", [">", "> >", ">>", "# ", "###### ", "> ## "])
def test_line_marks_are_a_dress_with_and_without_a_blank(marks: str) -> None:
    assert refusal_in(f"{marks}{NUMBERED}", "numbered") == "exact"


@pytest.mark.parametrize("closing", ["```", "``` ", "```\t", " ```"])
def test_a_fence_around_a_refusal_is_a_dress(closing: str) -> None:
    assert refusal_in(f"```text\n{NUMBERED}\n{closing}", "numbered") == "exact"


SPOKEN = "is was are mean means says said reads stands appears shows does must should can in on".split()


@pytest.mark.parametrize("word", [*SPOKEN, "IS"])
def test_a_sentence_that_speaks_of_the_words_is_an_answer(word: str) -> None:
    assert refusal_in(f"NOT_IN_CONTEXT {word} so [a.md#1].", "bracketed") is None
    assert refusal_in(f'"{NUMBERED}" {word} so [1].', "numbered") is None
    assert refusal_in(f"NOT_IN_CONTEXT {word}x so [a.md#1].", "bracketed") == "padded"
    assert refusal_in(f'"{NUMBERED}" {word}x so [1].', "numbered") == "padded"


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        (f'"{WORDS}" it says [1].', None),
        (f'"{WORDS}" [1]', "padded"),
        (f'[1] "{WORDS}" [2]', "padded"),
        (f'"{WORDS}" [1] [2]', "padded"),
        ("I don't know [1] based on the provided documents.", "padded"),
        ("I don't know > based on the provided documents.", None),
        (f"Usually 20.\n###### {NUMBERED}", "padded"),
        (f"Usually 20.\n>{NUMBERED}", "padded"),
        (f"```sorry {NUMBERED}```", "padded"),
        (f"XX{NUMBERED}", None),
        (f"~~~text\n{NUMBERED}\n~~~", "exact"),
        (f"'{NUMBERED}' Usually 20.", "padded"),
        (f'"{WORDS}"! Usually 20.', "padded"),
        (f"'{WORDS}'? Usually 20.", "padded"),
        (f'The sign: "{NUMBERED}" Usually 20 [1].', None),
        (f'It is 20 [1]. "{NUMBERED}" Usually it is said.', None),
        ("Ask: who says so?\n\n" + "word " * 9 + f"{WORDS} they say", None),
        (f"{WORDS} they say. {NUMBERED}", "padded"),
        (f"I know. {WORDS}ation.", None),
        ("NOT_IN_CONTEXT", None),
    ],
)
def test_quoted_and_spoken_of(reply: str, verdict: str | None) -> None:
    assert refusal_in(reply, "numbered") == verdict


OPENING = "The tutorials on this site don't cover"


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        (f"{OPENING} Rust.", "exact"),
        (f"{OPENING} Rust", "exact"),
        (OPENING.upper() + " RUST.", "exact"),
        (f"{OPENING} Rust. ...", "exact"),
        (f"{OPENING} Rust!\n\n---\n", "exact"),
        (f"> **{OPENING} Rust.**", "exact"),
        (f"```\n{OPENING} Rust.\n```", "exact"),
        (f"{OPENING} Rust. Ask a friend.", "padded"),
        (f"{OPENING} Rust.\n\nAsk", "padded"),
        (f"Sorry. {OPENING} Rust.", None),
        (f'They say "{OPENING} Rust."', None),
        ("The tutorials on this site cover Rust.", None),
    ],
)
def test_a_refusal_that_the_model_words_to_its_end(reply: str, verdict: str | None) -> None:
    assert refusal_in(reply, "documents") == verdict
    assert is_refusal(reply, "documents") is (verdict == "exact")


@given(st.text(), st.sampled_from(sorted(STYLES)))
def test_any_text_has_a_verdict(text: str, style: str) -> None:
    assert refusal_in(text, style) in ("exact", "padded", None)


@given(st.text(alphabet=" \n\t*_\"'`.>“”", max_size=12), st.text(alphabet=" \n\t*_\"'`.“”", max_size=12))
def test_marks_around_a_refusal_change_nothing(before: str, after: str) -> None:
    assert refusal_in(f"{before}{NUMBERED}{after}", "numbered") in ("exact", "padded")


@pytest.mark.parametrize(
    "reply",
    [
        "I'm afraid {}",
        "Honestly {}",
        "I think {}",
        "{} Usually it is 20.",
        "I'm afraid {} Usually it is 20.",
    ],
)
def test_a_lead_in_makes_it_padded_not_an_answer(reply):
    assert refusal_in(reply.format("I don't know based on the provided documents."), "numbered") == "padded"


def test_a_refusal_that_goes_on_about_something_is_padded():
    assert refusal_in("I don't know based on the provided documents about fees. Usually 20.", "numbered") == "padded"


@pytest.mark.parametrize("address", ["<{}>", "<mailto:{}>", "[{0}](mailto:{0})", "`{}`", "**{}**"])
def test_a_linked_address_is_the_address(address):
    linked = HELPDESK.refusal.replace("support@nimbus.example", address.format("support@nimbus.example"))
    assert refusal_in(linked, "helpdesk") == "exact"


@pytest.mark.parametrize("quotes", ["‹{}›", "‚{}‘", "„{}“", "‛{}’"])
def test_every_kind_of_quotation_mark_is_folded(quotes):
    assert refusal_in(quotes.format("I don't know based on the provided documents."), "numbered") == "exact"
