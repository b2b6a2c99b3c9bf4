"""The exercises of lesson 06: numbers that are not in the source, a second try with feedback, answers that drift."""

from raglab.course.exercises import Calls, Case, Exercise

_CITED = "It ends at 9 PM [1]."
_LATE, _BARE = "It ends at 10 PM [1].", "It ends at 9 PM."


def errs_once(problems: list[str]) -> str:
    """A model that is right when it is told of problems."""
    return _CITED if problems else _LATE


def never_learns(problems: list[str]) -> str:
    """A model that makes the same mistake whatever it is told."""
    return _LATE


def mends_one_by_one(problems: list[str]) -> str:
    """A model that needs to be told of each mistake."""
    if problems == ["10 PM is not in the source"]:
        return _BARE
    return _CITED if problems == ["no source is cited"] else _LATE


def needs_both(problems: list[str]) -> str:
    """A model that needs to be told of all its mistakes at once."""
    if not problems:
        return "It ends at 10 PM."
    return _CITED if len(problems) == 2 else _LATE


def right_at_once(problems: list[str]) -> str:
    """A model that must be asked only once."""
    if problems:
        raise AssertionError("the model was asked again, though its reply had no problems")
    return _CITED


def check_end(reply: str) -> list[str]:
    """The problems of a reply about when it ends."""
    number = [] if "9 PM" in reply else ["10 PM is not in the source"]
    return number + ([] if "[1]" in reply else ["no source is cited"])


class _Patience:
    """A model that errs, and that must not be asked more than `limit` times in a row."""

    def __init__(self, limit: int) -> None:
        self.limit, self.asked = limit, 0

    def __call__(self, problems: list[str]) -> str:
        self.asked += 1
        if self.asked > self.limit:
            raise AssertionError(f"the model was asked more than {self.limit} times")
        return _LATE

    def __repr__(self) -> str:
        return "never_learns"


# What the learner gets of these: `errs_once` and `check_end` in the starter cell, to try.
_TO_TRY = '''\
def errs_once(problems):
    """A model that is right when it is told of problems."""
    return "It ends at 9 PM [1]." if problems else "It ends at 10 PM [1]."

def check_end(reply):
    """The problems of a reply about when something ends."""
    number = [] if "9 PM" in reply else ["10 PM is not in the source"]
    return number + ([] if "[1]" in reply else ["no source is cited"])
'''


EXERCISES = (
    Exercise(
        id="06.1",
        task="""\
**Exercise 06.1: numbers that are not in the source.** Return the numbers of an answer that are not in the source, as
strings of digits without commas, in order; a number that appears twice is returned twice. A number is a run of
digits that may have commas inside, and `1,200` is `1200`. Numbers are compared as a whole: `200` is not in `1,200`.
Anything in square brackets is a citation, not a number.

For the answer `"There are 200 seats and 1200 members [3]."` and the source `"1,200 members"` the right answer is
`["200"]`.""",
        answer="missing_numbers",
        starter='''\
def missing_numbers(answer, source):
    """The numbers of the answer that are not in the source."""
    ...''',
        hints=(
            'Take the citations out first: `re.sub(r"\\[[^\\]]*\\]", "", answer)`. In it `[^\\]]*` is any number of '
            "characters other than `]`.",
            'Find the numbers of both texts with one pattern: `re.findall(r"\\d[\\d,]*", text)`. In it `[\\d,]*` is '
            "any number of digits and commas.",
            'Take the commas out with `.replace(",", "")`, then keep those that are not among the source\'s.',
        ),
        solution='''\
import re

def missing_numbers(answer, source):
    """The numbers of the answer that are not in the source."""

    def numbers(text):
        return [found.replace(",", "") for found in re.findall(r"\\d[\\d,]*", text)]

    known = numbers(source)
    return [number for number in numbers(re.sub(r"\\[[^\\]]*\\]", "", answer)) if number not in known]''',
        grade=Calls(
            (
                Case(("There are 200 seats and 1200 members [3].", "1,200 members"), ["200"]),
                Case(("It costs 1,200,000, or 7 [2].", "1200000 or 70 dollars"), ["7"]),
                Case(("From 7 to 10, then 10 again [1][12].", "7 to 9"), ["10", "10"]),
                Case(("Half of it comes back [refund-policy#1].", "Half of the fee."), []),
                Case(("3 minutes, 12, 5", "12 minutes, 3 seconds, 15"), ["5"]),
                Case(("From 7 [1] to 10 [2], or ($35) [3].", "7 to 9"), ["10", "35"]),
                Case(("It ends at 9PM [1, 3], and 10km on [a/b c.md#2].", "9 PM"), ["10"]),
                Case(("", "10"), []),
            )
        ),
    ),
    Exercise(
        id="06.2",
        task="""\
**Exercise 06.2: a second try.** `model(problems)` returns a reply; `problems` is a list of strings, empty at the first
try. `check(reply)` returns the problems of a reply. Ask the model, and ask again with the problems of the last reply,
until a reply has none, but at most `retries` more times. Return the pair `(reply, tries)`, with `None` instead of
the reply if the last one still had problems.

The next cell has a model and a check to try it with. `errs_once` first replies `"It ends at 10 PM [1]."`, and
`"It ends at 9 PM [1]."` when it is told of problems. So `ask_again(errs_once, check_end, 1)` returns
`("It ends at 9 PM [1].", 2)`.""",
        answer="ask_again",
        starter=_TO_TRY
        + '''
def ask_again(model, check, retries):
    """(the good reply or None, the number of tries)."""
    ...''',
        hints=(
            "A loop over the tries: `for tries in range(1, retries + 2):`.",
            "Start with `problems = []`. In the loop: `reply = model(problems)`, then `problems = check(reply)`.",
            "Return `(reply, tries)` inside the loop if there is no problem, and `(None, retries + 1)` after it.",
        ),
        solution=_TO_TRY
        + '''
def ask_again(model, check, retries):
    """(the good reply or None, the number of tries)."""
    problems = []
    for tries in range(1, retries + 2):
        reply = model(problems)
        problems = check(reply)
        if not problems:
            return reply, tries
    return None, retries + 1''',
        grade=Calls(
            (
                Case((errs_once, check_end, 1), (_CITED, 2)),
                Case((errs_once, check_end, 0), (None, 1)),
                Case((right_at_once, check_end, 3), (_CITED, 1)),
                Case((_Patience(3), check_end, 2), (None, 3)),
                Case((mends_one_by_one, check_end, 5), (_CITED, 3)),
                Case((mends_one_by_one, check_end, 1), (None, 2)),
                Case((needs_both, check_end, 1), (_CITED, 2)),
            )
        ),
    ),
    Exercise(
        id="06.3",
        task="""\
**Exercise 06.3: answers that drift.** `replies` are several replies to the same question. Two replies agree if they are
equal after this folding: everything in square brackets is removed, each run of white space becomes one space, spaces
before a full stop and at both ends are removed, and letter case does not count. If more than half of all replies
agree, return the first of them as it was written, and otherwise `None`.

`["Nine PM [1].", "At ten [1].", "nine PM. [2]"]` gives `"Nine PM [1]."`: the first and the third agree.""",
        answer="agreed",
        starter='''\
def agreed(replies):
    """The first of the replies that more than half agree on, or None."""
    ...''',
        hints=(
            "Write a helper that folds one reply, and fold all of them into a second list.",
            '`" ".join(re.sub(r"\\[[^\\]]*\\]", "", text).split()).replace(" .", ".").lower()` folds one.',
            "`folded.count(f) > len(replies) / 2` says whether more than half agree with the folded reply `f`.",
        ),
        solution='''\
import re

def agreed(replies):
    """The first of the replies that more than half agree on, or None."""

    def fold(text):
        return " ".join(re.sub(r"\\[[^\\]]*\\]", "", text).split()).replace(" .", ".").lower()

    folded = [fold(reply) for reply in replies]
    return next((r for r, f in zip(replies, folded) if folded.count(f) > len(replies) / 2), None)''',
        grade=Calls(
            (
                Case((["Nine PM [1].", "At ten [1].", "nine PM. [2]"],), "Nine PM [1]."),
                Case((["Ten [1].", "Nine [1].", "Ten.", "Nine [2]."],), None),
                Case((["Eight.", "At  nine\n[a.md#0].", "AT NINE [b.md#1] .", "at nine."],), "At  nine\n[a.md#0]."),
                Case((["Only one [4]."],), "Only one [4]."),
                Case((["9 PM [1].", "10 PM [1].", "11 PM [1]."],), None),
                Case((["[1] Nine [2].", "[1] Ten [2].", "Eight."],), None),
                Case((["No where.", "Nowhere.", "Home."],), None),
                Case((["At 9:30.", "At 930.", "At ten."],), None),
                Case((["At nine [1].", "At nine [2]", "At ten."],), None),
                Case((["At nine , or ten.", "At nine, or ten.", "No."],), None),
                Case((["Dogs eat cats.", "Cats eat dogs.", "No."],), None),
                Case(([],), None),
            )
        ),
    ),
)
