"""The exercises of lesson 15: the outcome of a question, who is to blame, and a regression gate."""

from raglab.course.exercises import Calls, Case, Exercise

EXERCISES = (
    Exercise(
        id="15.1",
        task="""\
**Exercise 15.1: the outcome of a question.** `kind` is `"answerable"`, `"partial"` or `"unanswerable"`, `status` is
the status of the answer, and `right` says whether the answer says all that it must. Return the outcome:

| outcome | when |
|---|---|
| `needs-review` | the status is `needs_review` |
| `refused` | not covered, and the status is `not_found` |
| `over-refusal` | covered, and the status is `not_found` |
| `hallucination` | not covered, and answered, if only in part |
| `correct`, `wrong` | covered and answered, if only in part: depending on `right` |

A question of kind `"partial"` is covered. For `outcome("answerable", "not_found", False)` the right answer is
`"over-refusal"`.""",
        answer="outcome",
        starter='''\
def outcome(kind, status, right):
    """needs-review, refused, over-refusal, hallucination, correct or wrong."""
    ...''',
        hints=(
            "The rows are in a good order: first the status `needs_review`, then `not_found`, then the rest.",
            '`covered = kind != "unanswerable"` is all you need to know about the kind.',
            '`if status == "not_found": return "over-refusal" if covered else "refused"`; the rest is similar.',
        ),
        solution='''\
def outcome(kind, status, right):
    """needs-review, refused, over-refusal, hallucination, correct or wrong."""
    covered = kind != "unanswerable"
    if status == "needs_review":
        return "needs-review"
    if status == "not_found":
        return "over-refusal" if covered else "refused"
    if not covered:
        return "hallucination"
    return "correct" if right else "wrong"''',
        grade=Calls(
            (
                Case(("answerable", "not_found", False), "over-refusal"),
                Case(("answerable", "answered", True), "correct"),
                Case(("answerable", "answered", False), "wrong"),
                Case(("partial", "partial", True), "correct"),
                Case(("partial", "partial", False), "wrong"),
                Case(("partial", "not_found", False), "over-refusal"),
                Case(("unanswerable", "not_found", False), "refused"),
                Case(("unanswerable", "answered", False), "hallucination"),
                Case(("unanswerable", "partial", False), "hallucination"),
                Case(("unanswerable", "needs_review", False), "needs-review"),
                Case(("answerable", "needs_review", True), "needs-review"),
            )
        ),
    ),
    Exercise(
        id="15.2",
        task="""\
**Exercise 15.2: who is to blame.** A question was not answered as it should be. `marked` are the ids of the chunks
that contain the answer, `found` the ids that search found, and `sent` those that the gate left in the prompt. Return
`"generation"` if everything marked was in the prompt, `"gate"` if it was not, but search had found everything marked,
and `"retrieval"` otherwise. Where nothing is marked, no passage contains an answer, and the model should have said so:
`"generation"`.

For `blame(["fees.md#1"], ["fees.md#1", "fees.md#2"], ["fees.md#2"])` the right answer is `"gate"`.""",
        answer="blame",
        starter='''\
def blame(marked, found, sent):
    """generation, gate or retrieval."""
    ...''',
        hints=(
            "Go backwards from the answer: look in the prompt first, then in what search found.",
            "Sets can tell whether all of one list is in another: `set(marked) <= set(sent)`.",
            "Then ask the same of `found`; what is left is `retrieval`. An empty set is part of every set.",
        ),
        solution='''\
def blame(marked, found, sent):
    """generation, gate or retrieval."""
    if set(marked) <= set(sent):
        return "generation"
    return "gate" if set(marked) <= set(found) else "retrieval"''',
        grade=Calls(
            (
                Case((["fees.md#1"], ["fees.md#1", "fees.md#2"], ["fees.md#2"]), "gate"),
                Case((["fees.md#1"], ["fees.md#2", "fees.md#1"], ["fees.md#1"]), "generation"),
                Case((["fees.md#1"], ["fees.md#2", "fees.md#10"], ["fees.md#2", "fees.md#10"]), "retrieval"),
                Case((["a.md#0", "b.md#0"], ["b.md#0", "c.md#0"], ["b.md#0"]), "retrieval"),
                Case((["a.md#0", "b.md#0"], ["b.md#0", "a.md#0"], ["b.md#0"]), "gate"),
                Case((["a.md#0", "b.md#0"], ["b.md#0", "a.md#0"], ["b.md#0", "a.md#0"]), "generation"),
                Case((["a.md#0"], [], []), "retrieval"),
                Case(([], ["a.md#0"], ["a.md#0"]), "generation"),
                Case(([], [], []), "generation"),
            )
        ),
    ),
    Exercise(
        id="15.3",
        task="""\
**Exercise 15.3: a regression gate.** `before` and `now` are dicts of the same rates, which map each name to a pair
`(count, total)`. Return the list of the names whose rate got worse and left the interval that it had *before*, in the
order of `before`. `wilson(count, total)` gives that interval, and `BETTER` says which direction is better. A rate with
a total of 0, before or now, cannot be compared and is not listed.

For `{"correct": (17, 18), "over_refusal": (0, 18)}` before, and `{"correct": (13, 18), "over_refusal": (3, 18)}` now,
the right answer is `["correct"]`.""",
        answer="got_worse",
        starter='''\
from raglab.evaluate import wilson

BETTER = {
    "correct": "higher",
    "refused": "higher",
    "hallucination": "lower",
    "over_refusal": "lower",
    "needs_review": "lower",
}

def got_worse(before, now):
    """The names of the rates that left their old interval on the wrong side."""
    ...''',
        hints=(
            "For each name: skip it if a total is 0, else take the old interval and the new share.",
            "`low, high = wilson(*before[name])`, and the new share is the count divided by the total.",
            "If higher is better, it got worse when `share < low`; if lower is better, when `share > high`.",
        ),
        solution='''\
from raglab.evaluate import wilson

BETTER = {
    "correct": "higher",
    "refused": "higher",
    "hallucination": "lower",
    "over_refusal": "lower",
    "needs_review": "lower",
}

def got_worse(before, now):
    """The names of the rates that left their old interval on the wrong side."""
    worse = []
    for name in before:
        count, total = now[name]
        if total == 0 or before[name][1] == 0:
            continue
        low, high = wilson(*before[name])
        share = count / total
        worsened = share < low if BETTER[name] == "higher" else share > high
        if worsened:
            worse.append(name)
    return worse''',
        # The intervals, in per cent: 17 of 18: 74.2 to 99.0; 0 of 18: 0 to 17.6; 3 of 7: 15.8 to 75.0;
        # 8 of 40: 10.5 to 34.8; 4 of 7: 25.0 to 84.2.
        grade=Calls(
            (
                Case(
                    (
                        {"correct": (17, 18), "over_refusal": (0, 18)},
                        {"correct": (13, 18), "over_refusal": (3, 18)},
                    ),
                    ["correct"],
                ),
                Case(({"correct": (17, 18)}, {"correct": (14, 18)}), []),
                Case(
                    (
                        {"over_refusal": (0, 18), "hallucination": (3, 7), "correct": (17, 18)},
                        {"over_refusal": (4, 18), "hallucination": (6, 7), "correct": (18, 18)},
                    ),
                    ["over_refusal", "hallucination"],
                ),
                Case(({"hallucination": (3, 7), "refused": (4, 7)}, {"hallucination": (1, 7), "refused": (6, 7)}), []),
                Case(
                    ({"refused": (4, 7), "needs_review": (8, 40)}, {"refused": (1, 7), "needs_review": (4, 40)}),
                    ["refused"],
                ),
                Case(({"needs_review": (8, 40)}, {"needs_review": (15, 40)}), ["needs_review"]),
                Case(({"correct": (17, 18)}, {"correct": (70, 100)}), ["correct"]),
                Case(({"refused": (0, 0), "correct": (17, 18)}, {"refused": (0, 5), "correct": (0, 0)}), []),
                Case(({}, {}), []),
            )
        ),
    ),
)
