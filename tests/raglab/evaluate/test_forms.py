"""The form of an answer: the rules one by one, and a model as the second judge."""

import pytest

from raglab import DOCUMENTS, DOCUMENTS_V1, NUMBERED, STYLES, TAGGED, Answer, FunctionModel, Reply
from raglab.evaluate import Case, Question, agreement, form_of, judge_form

NO = "I don't know based on the provided documents."


@pytest.mark.parametrize("style", [style for style in STYLES.values() if style.citation != "block"], ids=repr)
def test_the_refusal_of_every_style(style):
    assert form_of(Reply(style.sentinel), style) == "clean_no"
    assert form_of(Reply(style.refusal), style) == "clean_no"
    assert form_of(Reply(f"{style.sentinel} Usually it is ten dollars."), style) == "padded_no"
    assert form_of(Reply(f"Usually it is ten dollars. {style.sentinel}"), style) == "padded_no"


@pytest.mark.parametrize(
    "text, form",
    [
        ("It costs ten dollars [1].", "answered"),
        ("Ten dollars.", "answered"),
        ("The sources do not mention a fee.", "clean_no"),
        ("The provided sources don’t contain information about fees.", "clean_no"),
        ("I could not find anything about that.", "clean_no"),
        ("There is no information about fees in the sources.", "clean_no"),
        ("The sources do not mention a fee. Please contact the desk.", "clean_no"),
        ("The sources do not mention a fee. Clubs often charge ten dollars.", "padded_no"),
        ("The fee is ten dollars [1]. The sources don't cover refunds.", "partial"),
        ("The fee is ten dollars [1].\n\n```\nthe sources do not cover this\n```", "answered"),
        ('The button says "I do not know" in red.', "answered"),
        (f'If you read "{NO}", the gate was closed [2].', "answered"),
        ("The posts do not cover this, the page says [1].", "answered"),
        ("", "clean_no"),
        ("[1]", "clean_no"),
        ("I can't tell.", "clean_no"),
        ("I can not find that.", "clean_no"),
        ("I'm unable to find that.", "clean_no"),
        ("We are not sure.", "clean_no"),
        ("I have no information about fees.", "clean_no"),
        ("The context does not contain the answer.", "clean_no"),
        ("Not mentioned in the documents.", "clean_no"),
        ("Sorry! I couldn't find that.", "clean_no"),
        ("Hello! I don't know. I hope this helps.", "clean_no"),
        ("Sorry. I don't know. Clubs often charge ten dollars.", "padded_no"),
        ("Hello! The fee is ten dollars [1].", "answered"),
        ("You can't pay by card [1].", "answered"),
        ("There is no fee [1].", "answered"),
        ("The fee is not mentioned in May [1].", "answered"),
    ],
)
def test_rules(text, form):
    assert form_of(Reply(text), DOCUMENTS_V1) == form


def blocks(*pieces):
    made = [
        {"type": "text", "text": text, "citations": [{"document_index": 0, "cited_text": text}] if cited else []}
        for text, cited in pieces
    ]
    return Reply("".join(text for text, _ in pieces), tuple(made))


def test_blocks_that_cite_are_the_words_of_a_document():
    answered = ("A stash is a shelf. ", True)
    assert form_of(blocks(answered, ("The posts do not cover files.", True)), DOCUMENTS) == "answered"
    assert form_of(blocks(answered, ("The tutorials do not cover files.", False)), DOCUMENTS) == "partial"
    assert form_of(blocks(("The tutorials on this site don't cover Rust.", False)), DOCUMENTS) == "clean_no"
    padded = blocks(("The tutorials on this site don't cover Rust. ", False), ("Try the Rust book.", False))
    assert form_of(padded, DOCUMENTS) == "padded_no"


@pytest.mark.parametrize(
    "reply, form",
    [
        ('{"form": "partial"}', "partial"),
        ('Sure! ```json\n{"form": "clean_no"}\n```', "clean_no"),
        ('{"form": "maybe"}', None),
        ("{form: partial}", None),
        ("partial", None),
        ("", None),
    ],
)
def test_what_a_judge_may_reply(reply, form):
    assert judge_form("Fee?", "Ten dollars.", FunctionModel(lambda prompt: reply)) == form


def test_the_judge_sees_question_and_answer_and_every_form():
    seen = []
    judge_form("What is\nthe fee?", "Ten dollars [1].", FunctionModel(lambda prompt: seen.append(prompt) or ""))
    assert seen[0].endswith("\n\nQuestion: What is the fee?\nAnswer: Ten dollars [1].")
    assert all(form in seen[0] for form in ("answered", "partial", "clean_no", "padded_no"))


def case(number, text, style=NUMBERED):
    from raglab import Hit, build_prompt

    prompt = build_prompt(f"Question {number}?", [Hit.of("a.md#0", "Ten dollars.")], style)
    answer = Answer(text, "answered", f"Question {number}?", f"Question {number}?", prompt=prompt, reply=Reply(text))
    return Case(Question(str(number), answer.question, "answerable", contains=("Ten",)), answer)


def test_agreement_shows_the_answers_behind_it():
    by_gate = Answer(NO, "not_found", "Gate?", "Gate?", refused_by="gate")
    cases = [
        case(1, "Ten [1]."),
        case(2, NO),
        case(3, "Ten [1]."),
        Case(Question("g", "Gate?", "unanswerable"), by_gate),
    ]
    judge = FunctionModel(lambda prompt: '{"form": "answered"}' if "Question 3" not in prompt else "no idea")
    found = agreement(cases, judge)
    assert found.rate.count == "1 of 3"  # the gate's refusal is nobody's words
    assert found.table == {("answered", "None"): 1, ("answered", "answered"): 1, ("clean_no", "answered"): 1}
    assert [(one.question.id, form) for one, form in found.differing] == [("2", "answered"), ("3", None)]


def test_a_refusal_of_two_sentences_is_one():
    assert form_of(Reply(f"> **{TAGGED.refusal}**"), TAGGED) == "clean_no"
