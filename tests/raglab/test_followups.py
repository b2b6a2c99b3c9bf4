"""Follow-ups: when a rewrite is asked for, and when it is trusted."""

import pytest

from raglab import Hit, Reply, Usage, ask, standalone

HISTORY = [("What is the laptop loan policy?", "Members may borrow one. [1]")]


class Counting:
    def __init__(self, reply):
        self.reply, self.prompts = reply, []

    def __call__(self, prompt):
        self.prompts.append(prompt)
        return self.reply


@pytest.mark.parametrize(
    "question",
    [
        *("How long can I keep it?", "Are THOSE free?", "Who runs this?", "Can they come?", "Why that?", "and them"),
        *(
            "Thanks! How long can I keep it?",
            "ok tell me about it",
            "thanks, how long is that",
            "Is that it?",
            "ok, it?",
        ),
        *("Great, and what does it cost", "Explain this", "Does it help me?"),
    ],
)
def test_a_vague_question_is_rewritten(question):
    assert standalone(question, HISTORY, Counting("How long can I keep a laptop?")) == "How long can I keep a laptop?"


@pytest.mark.parametrize(
    ("question", "history"),
    [
        ("How long can I keep it?", []),
        ("What does membership cost?", HISTORY),
        ("What is an item?", HISTORY),
        ("thanks", HISTORY),
        ("Thanks for that!", HISTORY),
        ("ok, that is great", HISTORY),
        ("Thanks, that really helped me a lot.", HISTORY),
        ("Thank you very much for this!", HISTORY),
        ("That helps, got it.", HISTORY),
    ],
)
def test_no_call_is_made_when_nothing_is_vague(question, history):
    model = Counting("Something else?")
    assert standalone(question, history, model) == question and model.prompts == []


@pytest.mark.parametrize(
    "rewrite", ["", "   ", '""', "Question:", "x" * 301, "Line one?\nLine two?", "One?\rTwo?", "One?\u2028Two?"]
)
def test_a_rewrite_that_cannot_be_one_question_is_not_trusted(rewrite):
    assert standalone("How long can I keep it?", HISTORY, Counting(rewrite)) == "How long can I keep it?"


@pytest.mark.parametrize(
    ("reply", "rewrite"),
    [
        (' "How long is the loan?" ', "How long is the loan?"),
        ("“How long is the loan?”", "How long is the loan?"),
        ("'How long is the club's loan?'", "How long is the club's loan?"),
        ('What is meant by "member"', 'What is meant by "member"'),
        ('"Loan" or "gift"', '"Loan" or "gift"'),
        ("Question: How long is the loan?", "How long is the loan?"),
        ('Rewritten question: "How long is the loan?"', "How long is the loan?"),
        ("The question: how long?", "The question: how long?"),
        ("Question: " + "x" * 300, "x" * 300),
        ("x" * 300, "x" * 300),
    ],
)
def test_a_rewrite_loses_its_label_and_the_quotation_marks_around_it(reply, rewrite):
    assert standalone("And it?", HISTORY, Counting(reply)) == rewrite


def test_the_model_sees_the_last_turns_and_no_passages():
    model = Counting("x?")
    history = [(f"Question {n}?", f"Answer\n\n{n}.") for n in range(5)]
    standalone("What about it?", history, model)
    (prompt,) = model.prompts
    assert prompt.startswith("Rewrite the last question so that it stands alone")
    assert "Question 1?" not in prompt and "User: Question 2?\nAssistant: Answer 2.\n" in prompt
    assert prompt.endswith("\nQuestion: What about it?")


def test_the_rewritten_question_is_searched_and_put_in_the_prompt():
    searched = []

    def search(question, k):
        searched.append(question)
        return [Hit.of("laptops.md#1", "A laptop may be kept for 7 days.")]

    replies = ["How long can I keep a laptop?", "For 7 days [1]."]
    answer = ask("How long can I keep it?", None, lambda prompt: replies.pop(0), search=search, history=HISTORY)
    assert searched == ["How long can I keep a laptop?"]
    assert (answer.question, answer.search_question) == ("How long can I keep it?", "How long can I keep a laptop?")
    assert answer.prompt.content.endswith("Question: How long can I keep a laptop?")
    assert "Members may borrow" not in answer.prompt.text, "old answers and passages are not used again"


def test_the_tokens_of_the_rewrite_are_counted():
    replies = [
        Reply("How long can I keep a laptop?", usage=Usage(50, 8)),
        Reply("For 7 days [1].", usage=Usage(100, 4)),
    ]
    model = type("Model", (), {"complete": lambda self, prompt: replies.pop(0)})()
    hits = [Hit.of("laptops.md#1", "A laptop may be kept for 7 days.")]
    answer = ask("How long can I keep it?", None, model, search=lambda question, k: hits, history=HISTORY)
    assert answer.usage == Usage(150, 12)
