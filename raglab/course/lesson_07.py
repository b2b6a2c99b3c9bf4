"""The exercises of lesson 07: both errors counted, a threshold found, and the gate of TAGGED tuned."""

from functools import cache
from typing import Any

from raglab.checkout import docs_folder
from raglab.course.exercises import Calls, Case, Exercise
from raglab.models.connect import connect
from raglab.records import Hit, Prompt, Reply, Usage
from raglab.retrieval.tfidf import TfidfIndex

GATES = [0.05, 0.1, 0.2]


class _AskAt:
    """Answers a question up to the threshold that stands at its end, as in `free 0.42`."""

    def __init__(self, refusal: str) -> None:
        self.refusal = refusal

    def __call__(self, question: str, threshold: float) -> str:
        return "answered" if float(question.split()[-1]) >= threshold else self.refusal

    def __repr__(self) -> str:
        return "ask_at"


def _find(price: float, covered: list[str], others: list[str], want: float, refusal: str = "not_found") -> Case:
    questions = [(question, True) for question in covered] + [(question, False) for question in others]
    return Case((_AskAt(refusal), questions, price), want)


FIFTEEN = [
    ("I was charged twice, can I get a refund?", True),
    ("Within how many days of purchase can I get a refund?", True),
    ("What does error NB-4020 mean?", True),
    ("What is the price of Nimbus Tower?", True),
    ("When does Rainkeep save my files and databases?", True),
    ("Which port do I use for SFTP?", True),
    ("How long do new DNS records take?", True),
    ("How often does a recovery code work?", True),
    ("Is there a notice period if I cancel?", True),
    ("Do you offer refunds in cryptocurrency?", False),
    ("What's the weather in Mumbai?", False),
    ("Can I run a game server with the Anvil plan?", False),
    ("Can I download an application for my phone?", False),
    ("What does error NB-7777 mean?", False),
    ("Is there a discount for students?", False),
]


class _KnownScores:
    """Finds a passage with the score that the question ends in, `free 0.15`, and for *far* a better, useless one."""

    def search(self, question: str, k: int) -> list[Hit]:
        page = Hit.of("page#0", "It costs 10 dollars.", score=float(question.split()[-1]))
        return [Hit.of("top#0", "Ask us.", score=0.4), page] if "far" in question else [page]


class _Counting:
    """A model that replies by `_reply`, and counts its tokens as a service does."""

    def complete(self, prompt: Prompt) -> Reply:
        return Reply(_reply(prompt.text), usage=Usage(10, 5))


def _reply(prompt: str) -> str:
    """Refuses what asks for the moon, states what cites nothing where the sea is asked for, and answers the rest."""
    if "moon" in prompt:
        return "I couldn't find this in our help documents. Please contact support@gocourse.example."
    return "It costs 10 dollars." if "sea" in prompt else "It costs 10 dollars [page#0]."


@cache
def _help_center() -> TfidfIndex:
    return TfidfIndex.from_folder(docs_folder() / "nimbus", style="tagged")


def _grade_tune(tune: Any) -> list[str]:
    """First over the help center with the mock, then over passages whose scores are known."""
    over_nimbus = _over(tune, _help_center(), connect("mock-reader"), "tune_nimbus")
    over_known = _over(tune, _KnownScores(), _Counting(), "tune_page")
    questions = [("free 0.15", True), ("price 0.3", True), ("moon 0.12", False), ("sun 0.07", False)]
    held_out = (
        Case((questions, GATES), {0.05: (0, 1, 4), 0.1: (0, 0, 3), 0.2: (1, 0, 1)}),
        Case(
            ([("moon 0.9", True), ("sea 0.9", True), ("sea 0.9", False), ("moon 0.9", False)], [0.5]), {0.5: (2, 0, 4)}
        ),
        Case(([("price 0.3", False), ("price 0.30", False)], [0.3, 0.31]), {0.3: (0, 2, 2), 0.31: (0, 0, 0)}),
        Case(([("far 0.15", True)], GATES), {0.05: (0, 0, 1), 0.1: (0, 0, 1), 0.2: (1, 0, 1)}),
        Case(([], GATES), {gate: (0, 0, 0) for gate in GATES}),
    )
    visible = Case((FIFTEEN, GATES), {0.05: (0, 2, 13), 0.1: (0, 2, 13), 0.2: (0, 1, 11)})
    return Calls((visible,))(over_nimbus) or Calls(held_out, seen=0)(over_known)


def _over(tune: Any, index: Any, model: Any, name: str) -> Any:
    """The learner's function with index and model filled in."""
    if not callable(tune):
        return tune

    def filled_in(questions: list[tuple[str, bool]], gates: list[float]) -> Any:
        return tune(questions, index, model, gates)

    filled_in.__name__ = name
    return filled_in


EXERCISES = (
    Exercise(
        id="07.1",
        task="""\
**Exercise 07.1: two kinds of error.** `results` is a list of pairs `(covered, status)`: whether the documents answer
the question, and the status of the answer it got. Return the pair `(false_refusals, unwanted_answers)`. What counts is
what the reader sees: `answered` and `partial` (an answer to part of the question, lesson 08) show an answer;
`not_found` and `needs_review` show the refusal.

`[(True, "answered"), (True, "not_found"), (False, "answered")]` gives `(1, 1)`.""",
        answer="count_errors",
        starter='''\
def count_errors(results):
    """(false refusals, unwanted answers)."""
    ...''',
        hints=(
            'An answer is seen if `status in ("answered", "partial")`. Anything else is a refusal.',
            "A false refusal: covered, but no answer is seen. An unwanted answer: not covered, but one is seen.",
            "`sum(covered and not seen for …)` counts, since True counts as 1.",
        ),
        solution='''\
def count_errors(results):
    """(false refusals, unwanted answers)."""
    seen = [(covered, status in ("answered", "partial")) for covered, status in results]
    false_refusals = sum(covered and not shown for covered, shown in seen)
    return false_refusals, sum(shown and not covered for covered, shown in seen)''',
        grade=Calls(
            (
                Case(([(True, "answered"), (True, "not_found"), (False, "answered")],), (1, 1)),
                Case(([(True, "needs_review"), (False, "needs_review"), (True, "not_found")],), (2, 0)),
                Case(([(False, "partial"), (True, "partial"), (False, "answered"), (False, "not_found")],), (0, 2)),
                Case(([(True, "answered")] * 3,), (0, 0)),
                Case(([],), (0, 0)),
            )
        ),
    ),
    Exercise(
        id="07.2",
        task="""\
**Exercise 07.2: find your threshold.** `ask_at(question, threshold)` asks a question at a threshold and returns the
status. `questions` is a list of pairs `(question, covered)`. Try the thresholds 0.1, 0.15 and so on up to 0.5. The cost
of a threshold is the number of false refusals plus `price` times the number of unwanted answers. Return the threshold
with the lowest cost, the lowest one if several have it. `answered` counts as an answer, anything else as a refusal.

Let a covered question be answered up to 0.42, and one that is not covered up to 0.27. At a price of 1, the answer
is `0.3`: up to 0.25 there is one unwanted answer, at 0.3 there is no error, and from 0.45 on there is one false
refusal. In the check, each question ends with the score up to which it is answered, as in `free 0.42`.

When your function passes, run `find_threshold(ask_at, TEN, 1)`, and try other prices. Then put your own questions into
`TEN`: choose the threshold on one half of them, and measure on the other.""",
        answer="find_threshold",
        starter='''\
TEN = [
    ("How much does membership cost per term?", True),
    ("Can I get a scholarship?", True),
    ("How do I pay the membership fee?", True),
    ("How many teams win a prize?", True),
    ("Who is the club president?", True),
    ("Can my parents visit?", True),
    ("Who is the vice president?", False),
    ("Does the club teach Rust?", False),
    ("What is the Wi-Fi password?", False),
    ("What is the capital of Peru?", False),
]

CLUB = raglab.TfidfIndex.from_folder(DOCS / "club")

def ask_at(question, threshold):
    return raglab.ask(question, CLUB, model, min_score=threshold).status

def find_threshold(ask_at, questions, price):
    """The threshold from 0.1 to 0.5 with the lowest cost."""
    ...''',
        hints=(
            "`[n / 100 for n in range(10, 51, 5)]` are the thresholds, in ascending order.",
            "Write a helper `cost(threshold)`: go through the questions, and add 1 or `price` where there is an error.",
            "`min(thresholds, key=cost)` returns the first of those with the lowest cost.",
        ),
        solution='''\
TEN = [
    ("How much does membership cost per term?", True),
    ("Can I get a scholarship?", True),
    ("How do I pay the membership fee?", True),
    ("How many teams win a prize?", True),
    ("Who is the club president?", True),
    ("Can my parents visit?", True),
    ("Who is the vice president?", False),
    ("Does the club teach Rust?", False),
    ("What is the Wi-Fi password?", False),
    ("What is the capital of Peru?", False),
]

CLUB = raglab.TfidfIndex.from_folder(DOCS / "club")

def ask_at(question, threshold):
    return raglab.ask(question, CLUB, model, min_score=threshold).status

def find_threshold(ask_at, questions, price):
    """The threshold from 0.1 to 0.5 with the lowest cost."""

    def cost(threshold):
        total = 0
        for question, covered in questions:
            answered = ask_at(question, threshold) == "answered"
            total += (covered and not answered) + price * (answered and not covered)
        return total

    return min([n / 100 for n in range(10, 51, 5)], key=cost)''',
        grade=Calls(
            (
                _find(1, ["free 0.42"], ["blue 0.27"], 0.3),
                _find(1, ["a 0.32", "b 0.48"], ["c 0.37", "d 0.12"], 0.15),
                _find(3, ["a 0.32", "b 0.48"], ["c 0.37", "d 0.12"], 0.4),
                _find(1, ["a 0.22", "b 0.32"], ["c 0.44"], 0.1),
                _find(2.5, ["a 0.22", "b 0.32"], ["c 0.44"], 0.45),
                _find(2, ["a 0.9", "b 0.7"], [], 0.1),
                _find(1, ["a 0.52"], ["b 0.9", "c 0.47"], 0.5),
                _find(1, ["a 0.22", "b 0.9", "c 0.9", "d 0.9"], ["e 0.32"], 0.1),
                _find(1, [], ["a 0.32"], 0.35, refusal="needs_review"),
            )
        ),
    ),
    Exercise(
        id="07.3",
        task="""\
**Exercise 07.3: tune the gate of TAGGED.** `questions` is a list of pairs `(question, covered)`, `gates` a list of
thresholds. Ask each question at each gate with `raglab.ask` in the style TAGGED. Return a dict from gate to
`(false_refusals, unwanted_answers, calls)`. Here the status `answered` is an answer and any other a refusal, and a call
is made unless the gate refused.

Fifteen questions to a help center, of which the documents answer nine, give this with the mock:
`{0.05: (0, 2, 13), 0.1: (0, 2, 13), 0.2: (0, 1, 11)}`. What does that say about the gate? The last of the questions
below has an answer.

The check calls `tune_nimbus(questions, gates)` and `tune_page(questions, gates)`: your function with an index and a
model filled in. The first is the help center with the mock. In the second, each question finds a passage with the
score at the end of the question, as in `free 0.15`; a question with `far` first finds another passage, at 0.4, that
does not answer it.""",
        answer="tune",
        starter='''\
def tune(questions, index, model, gates):
    """For each gate: (false refusals, unwanted answers, calls)."""
    ...''',
        hints=(
            "`raglab.ask(question, index, model, style=raglab.TAGGED, min_score=gate)` asks at one gate.",
            '`answer.status == "answered"` is an answer, and `answer.refused_by != "gate"` means that a call was made.',
            "Two loops: the outer one over the gates sets three counters to 0, the inner one over the questions adds.",
        ),
        solution='''\
def tune(questions, index, model, gates):
    """For each gate: (false refusals, unwanted answers, calls)."""
    table = {}
    for gate in gates:
        false_refusals = unwanted = calls = 0
        for question, covered in questions:
            answer = raglab.ask(question, index, model, style=raglab.TAGGED, min_score=gate)
            answered = answer.status == "answered"
            false_refusals += covered and not answered
            unwanted += answered and not covered
            calls += answer.refused_by != "gate"
        table[gate] = (false_refusals, unwanted, calls)
    return table''',
        grade=_grade_tune,
    ),
)
