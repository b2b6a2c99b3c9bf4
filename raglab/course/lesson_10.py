"""The exercises of lesson 10: reading a prompt, whose fault an answer is, and the smallest k that does."""

from raglab.course.exercises import Calls, Case, Exercise, Value
from raglab.prompting.prompts import build_prompt
from raglab.records import Hit

_SHELF = Hit.of("laptops.md#0", "Members may borrow\none of nine machines.")
_LOAN = Hit.of("laptops.md#2", "A laptop loan lasts up to 7\ndays.")
_BORROW = "You can borrow one from the club. [1]"


def _prompt(*hits: Hit, style: str = "numbered") -> str:
    return build_prompt("How long can I borrow a laptop?", hits, style).text


EXERCISES = (
    Exercise(
        id="10.1",
        task="""\
**Exercise 10.1: read the prompt for k = 3.** Run the cell below: it shows what the model is given for the laptop
question with three passages. Read it as the model does, and set `reading` to two numbers: how many of the three
passages mention borrowing, and how many say for how long.

For a prompt with four passages, two of which mention borrowing and one says for how long, it would be `(2, 1)`.""",
        answer="reading",
        starter="""\
LAPTOP = "How long can I borrow a laptop?"
THREE = raglab.TfidfIndex.from_folder(DOCS / "club").search(LAPTOP, k=3)

reading = ...

raglab.build_prompt(LAPTOP, THREE)""",
        hints=(
            "A passage mentions borrowing if the word *borrow* is in it, in any sentence.",
            "Look for a number of days or weeks in each of the three.",
            "All three have the word *borrow*, but none has a number of days: `reading = (3, …)`.",
        ),
        solution="""\
LAPTOP = "How long can I borrow a laptop?"
THREE = raglab.TfidfIndex.from_folder(DOCS / "club").search(LAPTOP, k=3)

reading = (3, 0)

raglab.build_prompt(LAPTOP, THREE)""",
        grade=Value((3, 0)),
    ),
    Exercise(
        id="10.2",
        task="""\
**Exercise 10.2: whose fault?** `needed` is what a right answer must say, such as `"7 days"`. `prompt` is the whole
text that was sent, and `reply` the text that came back. Return the first row that fits:

| return | when |
|---|---|
| `"retrieval"` | `needed` is not in the prompt |
| `"generation"` | it is in the prompt, and not in the reply |
| `"none"` | it is in both |

Every run of white space counts as one space, in all three texts: in a document, a line may end between `7` and
`days`. Here `in` is enough, although it also finds `7 days` in `17 days`. For `"7 days"`, a prompt with
`"A loan lasts up to 7\\ndays."` and the reply `"You can borrow one."` the right answer is `"generation"`.""",
        answer="whose_fault",
        starter='''\
def whose_fault(needed, prompt, reply):
    """retrieval, generation or none."""
    ...''',
        hints=(
            "Squash all three texts first. Then go through the table row by row.",
            '`" ".join(text.split())` squashes a text.',
            'After that, two `if`s: `if needed not in prompt: return "retrieval"`, and the same with the reply.',
        ),
        solution='''\
def whose_fault(needed, prompt, reply):
    """retrieval, generation or none."""
    needed, prompt, reply = (" ".join(text.split()) for text in (needed, prompt, reply))
    if needed not in prompt:
        return "retrieval"
    return "none" if needed in reply else "generation"''',
        grade=Calls(
            (
                Case(("7 days", "A loan lasts up to 7\ndays.", "You can borrow one."), "generation"),
                Case(("7 days", _prompt(_SHELF), _BORROW), "retrieval"),
                Case(("7 days", _prompt(_SHELF, _LOAN, style="bracketed"), _BORROW), "generation"),
                Case(("7 days", _prompt(_SHELF, _LOAN), "It lasts up to 7 days. [2]"), "none"),
                Case(("7 days", _prompt(_SHELF), "It lasts up to 7 days."), "retrieval"),
                Case(("1 GB", "The small plan has 11GB.", "It has 1 GB."), "retrieval"),
                Case(
                    ("up to 7\n  days", _prompt(_LOAN, style="bracketed"), "Up to 7 days, up to 7\ndays. [1]"), "none"
                ),
            )
        ),
    ),
    Exercise(
        id="10.3",
        task="""\
**Exercise 10.3: the smallest k.** `ranks` gives the rank of the right passage for each question of a set: 1 is the
best hit, and None means that search does not find it at all. Return the smallest k for which at least the share
`wanted` of all questions has its passage among the first k hits. If no k is enough, return None.

For `smallest_k([1, 1, 2, 4], 0.75)` the right answer is `2`: with k = 2, three questions out of four have theirs.""",
        answer="smallest_k",
        starter='''\
def smallest_k(ranks, wanted):
    """The smallest k that is enough for the share `wanted` of the questions, or None."""
    ...''',
        hints=(
            "Only ranks that occur can be the answer: try them from small to large.",
            "For one k, `sum(rank is not None and rank <= k for rank in ranks) / len(ranks)` is the share.",
            "`for k in sorted(rank for rank in ranks if rank is not None):` tries them; return the first that does.",
        ),
        solution='''\
def smallest_k(ranks, wanted):
    """The smallest k that is enough for the share `wanted` of the questions, or None."""
    found = sorted(rank for rank in ranks if rank is not None)
    for k in found:
        if sum(rank <= k for rank in found) / len(ranks) >= wanted:
            return k
    return None''',
        grade=Calls(
            (
                Case(([1, 1, 2, 4], 0.75), 2),
                Case(([1, 1, 2, 4], 1.0), 4),
                Case(([3, None, 1, None], 0.5), 3),
                Case(([3, None, 1, None], 0.75), None),
                Case(([None, None], 0.1), None),
                Case(([12, 5, 5, 1, 7], 0.6), 5),
                Case(([12, 5, 5, 1, 7], 1.0), 12),
                Case(([40], 1.0), 40),
                Case(([2, 2, 2], 0.5), 2),
            )
        ),
    ),
)
