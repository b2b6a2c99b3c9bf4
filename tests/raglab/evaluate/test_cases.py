"""One question and its answer: outcome, blame, citations, code."""

import pytest

from raglab import DOCUMENTS_V1, NUMBERED, Answer, Hit, Problem, Reply, ask
from raglab.evaluate import OUTCOMES, Case, Question
from raglab.evaluate.cases import says

GOLD = Hit.of("fees.md#1", "The fee is ten dollars per term.", score=0.5)
OTHER = Hit.of("rooms.md#1", "The room is open until 9 PM.", score=0.3)
FEE = Question("fee", "What is the fee?", "answerable", chunks=("fees.md#1",), contains=("ten dollars",))
RUST = Question("rust", "Is Rust taught?", "unanswerable")
NO = NUMBERED.refusal


class Index:
    def __init__(self, *hits):
        self.hits = hits

    def search(self, question, k):
        return list(self.hits[:k])


def case(question, text, *hits, style=NUMBERED, **settings):
    hits = hits or (GOLD, OTHER)
    return Case(question, ask(question.question, Index(*hits), lambda prompt: text, style=style, **settings), hits)


@pytest.mark.parametrize(
    "question, text, outcome",
    [
        (FEE, "It is ten dollars [1].", "correct"),
        (FEE, "It is TEN\n dollars [1].", "correct"),
        (FEE, "It is ten [1] dollars [1].", "correct"),
        (FEE, "It is nine dollars [1].", "wrong"),
        (FEE, "It is often dollars [1].", "wrong"),
        (FEE, NO, "over-refusal"),
        (FEE, f"{NO} It is ten dollars [1].", "needs-review"),
        (FEE, "It is ten dollars [7].", "needs-review"),
        (RUST, NO, "refused"),
        (RUST, f"> *{NO}*", "refused"),
        (RUST, "Rust is taught [1].", "hallucination"),
        (RUST, f"{NO} But rooms are open [2].", "needs-review"),
        # An answer that quotes a refusal is an answer.
        (RUST, f'The sign says "{NO}" and lists Rust [1].', "hallucination"),
        (FEE, f'The fee is ten dollars [1]; the bot once said "{NO}" [2].', "correct"),
        # A refusal in the model's own words is one, too.
        (RUST, "The passages do not mention Rust.", "refused"),
        (FEE, "The passages do not mention a fee.", "over-refusal"),
        (RUST, "The passages do not mention Rust. It is a fine language, though.", "needs-review"),
    ],
)
def test_outcomes(question, text, outcome):
    assert case(question, text).outcome == outcome and outcome in OUTCOMES


def test_the_gate_refuses_rightly_and_wrongly():
    assert case(RUST, "never asked", min_score=0.9).outcome == "refused"
    assert case(FEE, "never asked", min_score=0.9).outcome == "over-refusal"
    assert case(FEE, "never asked", min_score=0.9).form == "clean_no"


def test_a_failed_call_is_neither_right_nor_wrong():
    answer = Answer(NO, "needs_review", "Fee?", "Fee?", problems=(Problem("call-failed", "", "The call failed: gone"),))
    failed = Case(FEE, answer)
    assert (failed.outcome, failed.form, failed.blame, failed.shown) == ("failed", None, None, False)


def test_without_words_to_look_for_an_answer_must_cite_a_marked_chunk():
    question = Question("fee", "What is the fee?", "answerable", chunks=("fees.md#1",))
    assert case(question, "Ten [1].").outcome == "correct"
    assert case(question, "Ten [2].").outcome == "wrong"
    assert case(question, "Ten.").outcome == "wrong"


# --- blame ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "made, blame",
    [
        (lambda: case(FEE, "It is ten dollars [1]."), None),
        (lambda: case(RUST, NO), None),
        (lambda: case(FEE, "Until 9 PM [2]."), "generation"),
        (lambda: case(FEE, NO), "generation"),
        (lambda: case(FEE, "Ten dollars [7]."), "generation"),
        (lambda: case(FEE, "Until 9 PM [1].", OTHER), "retrieval"),
        (lambda: case(FEE, "never asked", min_score=0.9), "gate"),
        (lambda: case(FEE, "never asked", OTHER, min_score=0.9), "retrieval"),
        (lambda: case(RUST, "Rust is taught [1]."), "generation"),
    ],
)
def test_blame(made, blame):
    assert made().blame == blame


def test_the_text_counts_where_two_chunks_hold_it():
    either = Question(
        "fee", "What is the fee?", "answerable", chunks=("fees.md#1", "fees.md#2"), contains=("ten dollars",)
    )
    assert case(either, NO).blame == "generation"  # one of the two is enough, it says everything
    both = Question(
        "fee", "Fee? Room?", "answerable", chunks=("fees.md#1", "fees.md#2"), contains=("ten dollars", "red")
    )
    assert case(both, NO).blame == "retrieval"
    # The words alone, in a passage that is not marked, are a coincidence.
    assert case(FEE, NO, Hit.of("zoo.md#1", "A lion costs ten dollars.", score=0.4)).blame == "retrieval"


def test_a_repeated_text_counts_under_each_of_its_ids():
    twin = Hit(Hit.of("copy.md#1", GOLD.chunk.text).chunk, 0.5, also=("fees.md#1",))
    found = case(FEE, "It is nine dollars [1].", twin)
    assert found.blame == "generation"
    assert found.cited == (frozenset({"copy.md#1", "fees.md#1"}),)


# --- words and code ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, part, held",
    [
        ("It starts at 2 PM.", "2 PM", True),
        ("It starts at 12 PM.", "2 PM", False),
        ("Press to 4.5 bar.", "5 bar", False),
        ("Pay 1,200 dollars.", "200 dollars", False),
        ("Use v1.20", "v1.2", False),
        ("Version 1.2.", "1.2", True),
        ("5 to 7 business\ndays", "5 to 7 business days", True),
        ("The sister’s flat", "sister's flat", True),
        ("Add `@contextmanager`.", "@contextmanager", True),
        ("git stash --include-untracked", "--include-untracked", True),
        ("Collectors.groupingBy(key)", "groupingBy", True),
        ("It is the scholarship office.", "scholar", False),
        ("It is **10** US dollars.", "10 US dollars", True),
        ("It is _10_ `US` dollars.", "10 US dollars", True),
        ("It is __100__ dollars.", "10 dollars", False),
        ("Use the Wi‑Fi from 9–5.", "Wi-Fi from 9-5", True),
        ("Call f(**options).", "**options", True),
        ("Call f(options).", "**options", False),
        ("Set `snake_case_name`.", "snake_case_name", True),
        ("Set `snake_case_name`.", "case", False),
    ],
)
def test_what_a_text_says(text, part, held):
    assert says(text, part) == held


SHELL = Hit.of("shell.md#1", "Run this:\n\n```console\n$ chmod u+x job.sh\n$ ./job.sh\n```\n\nDone.", score=0.5)


@pytest.mark.parametrize(
    "block, found",
    [
        ("```bash\nchmod u+x job.sh\n./job.sh\n```", True),
        ("```\n$ chmod u+x job.sh\n```", True),
        ("~~~\n./job.sh\n~~~", True),
        ("```\n  chmod   u+x job.sh\n\n  ./job.sh\n```", True),
        ("1. ```sh\n   ./job.sh\n   ```", True),
        ("> ```sh\n> ./job.sh\n> ```", True),
        ("```\n./job.sh\nchmod u+x job.sh\n```", False),
        ("```\nchmod u+x\n```", False),
        ("```\nchmod 777 job.sh\n```", False),
    ],
)
def test_code_blocks_are_looked_for_in_the_passages(block, found):
    question = Question("run", "How?", "answerable", contains=("Run",))
    made = case(question, f"Run this [1]:\n\n{block}\n\nThat is `all` [1].", SHELL, style=DOCUMENTS_V1)
    assert [held for _, held in made.code] == [found]


def test_the_code_of_a_reply_that_is_not_shown_does_not_count():
    assert case(RUST, f"{NO}\n\n```\nls\n```", SHELL).code == ()


def test_an_empty_block_is_not_code():
    assert case(FEE, "Ten dollars [1].\n\n```\n```").code == ()


def test_no_prompt_and_no_search_are_needed():
    bare = Answer("Ten dollars.", "answered", "Fee?", "Fee?", reply=Reply("Ten dollars."))
    assert Case(FEE, bare).outcome == "correct"
