"""The exercises of lesson 12: a stub that resolves a vague word, the prompt for a rewrite, and what to check in one."""

from raglab.course.exercises import Calls, Case, Exercise
from raglab.followups import INSTRUCTION, standalone

_LOAN = "What is the laptop loan policy?"
_KEEP = "How long can I keep it?"
_DAYS = "A laptop loan lasts up to 7 days. [1]"
_TALK = [(_LOAN, _DAYS)]
_LONGEST = "keep " * 59 + "keep?"  # 300 characters
_LONG_TALK = [(f"Question {n}?", f"Answer\n  {n}. [1]") for n in range(1, 6)]


def _asked(question: str, history: list[tuple[str, str]]) -> Case:
    """A vague question, and the prompt that `standalone` sends for it."""
    sent: list[str] = []
    standalone(question, history, lambda prompt: sent.append(prompt) or "What?")
    return Case((question, history), sent[0])


EXERCISES = (
    Exercise(
        id="12.1",
        task="""\
**Exercise 12.1: a better stub.** `history` is a list of the earlier questions, oldest first. If `question` has one of
the words in `VAGUE`, return it followed by a space and `(about: …)`, with the newest question of the history that has
no vague word itself. If `question` has none of these words, or if the history has no such question, return `question`
unchanged. Letter case makes no difference, and *with* does not count as *it*: only whole words count.

For `resolve("Is it free?", ["What is a loan?", "Who may have one?", "Do they pay?"])` the right answer is
`"Is it free? (about: Who may have one?)"`.""",
        answer="resolve",
        starter='''\
VAGUE = ("it", "that", "they", "them", "those", "this")

def resolve(question, history):
    """The question, with what it is about if it has a vague word."""
    ...''',
        hints=(
            "Write a small function that says whether a text has a vague word. You need it twice.",
            r"`set(re.findall(r'\w+', text.lower())) & set(VAGUE)` is empty for a text without one.",
            "Go through `reversed(history)` and return at the first question that is not vague.",
        ),
        solution='''\
import re

VAGUE = ("it", "that", "they", "them", "those", "this")

def is_vague(text):
    return bool(set(re.findall(r"\\w+", text.lower())) & set(VAGUE))

def resolve(question, history):
    """The question, with what it is about if it has a vague word."""
    if is_vague(question):
        for before in reversed(history):
            if not is_vague(before):
                return f"{question} (about: {before})"
    return question''',
        grade=Calls(
            (
                Case(
                    ("Is it free?", ["What is a loan?", "Who may have one?", "Do they pay?"]),
                    "Is it free? (about: Who may have one?)",
                ),
                Case((_KEEP, [_LOAN]), f"{_KEEP} (about: {_LOAN})"),
                Case(("Is the kit free with a thesis?", [_LOAN]), "Is the kit free with a thesis?"),
                Case(("THEY pay?", ["Who visits with whom?"]), "THEY pay? (about: Who visits with whom?)"),
                Case((_KEEP, [_LOAN, "IT is free?"]), f"{_KEEP} (about: {_LOAN})"),
                Case(("What about (it)?", [_LOAN]), f"What about (it)? (about: {_LOAN})"),
                Case((_KEEP, []), _KEEP),
                Case(("And that?", ["Is it free?", "Is this so?"]), "And that?"),
                Case(("What about those?", [_LOAN, _KEEP]), f"What about those? (about: {_LOAN})"),
            )
        ),
    ),
    Exercise(
        id="12.2",
        task="""\
**Exercise 12.2: ask a model to rewrite.** Return the prompt that `standalone` sends, exact to the character:
`INSTRUCTION`, an empty line, two lines for each of the last three turns of the history, oldest first, and a last line
with the question. `history` is a list of pairs `(question, answer)`. Every run of white space in these texts becomes
one space.

For the question `"How long can I keep it?"` after one turn, the right answer is this text, with the whole instruction
as its first line:

```text
Rewrite the last question so that it stands alone: …

User: What is the laptop loan policy?
Assistant: A laptop loan lasts up to 7 days. [1]
Question: How long can I keep it?
```""",
        answer="rewrite_prompt",
        starter='''\
from raglab.followups import INSTRUCTION

def rewrite_prompt(question, history):
    """The instruction, the last three turns, and the question."""
    ...''',
        hints=(
            'Make a list of lines and join it with newlines. The list starts with `[INSTRUCTION, ""]`.',
            "`history[-3:]` are the last three turns, or all if there are fewer.",
            'A turn adds `f"User: {asked}"` and `f"Assistant: {answered}"`; `" ".join(text.split())` squashes.',
        ),
        solution='''\
from raglab.followups import INSTRUCTION

def squashed(text):
    return " ".join(text.split())

def rewrite_prompt(question, history):
    """The instruction, the last three turns, and the question."""
    lines = [INSTRUCTION, ""]
    for asked, answered in history[-3:]:
        lines += [f"User: {squashed(asked)}", f"Assistant: {squashed(answered)}"]
    return "\\n".join([*lines, f"Question: {squashed(question)}"])''',
        grade=Calls(
            (
                _asked(_KEEP, _TALK),
                _asked("Is  it\nfree? ", _LONG_TALK[:2]),
                _asked("Do they pay?", _LONG_TALK),
                _asked("Is that {so}?", [("What is {it}?", "100 % of\n\nit. [1]")]),
                Case((_KEEP, []), f"{INSTRUCTION}\n\nQuestion: {_KEEP}"),
            )
        ),
    ),
    Exercise(
        id="12.3",
        task="""\
**Exercise 12.3: check the rewrite.** Return the model's `rewrite` without white space at either end, or the `question`
unchanged if the rewrite cannot be trusted: if it has more than one line, more than 300 characters, no `?` at its end,
or a word that is new. A word is new if it is not in `FILLERS`, nor in the question, nor in any question or answer of
the `history`. `words` gives the words of a text.

With the turn about the laptop loan (question and answer as above), `"How long can I keep a laptop?"` is returned as
it is for `"How long can I keep it?"`. `"How long can I keep a projector?"` is not, because *projector* is new.""",
        answer="trusted",
        starter='''\
import re

FILLERS = {"a", "an", "the", "of", "on", "for", "in", "to", "is", "are", "do", "does", "i"}

def words(text):
    return set(re.findall(r"\\w+", text.lower()))

def trusted(rewrite, question, history):
    """The rewrite if it can be trusted, else the question."""
    ...''',
        hints=(
            "Strip the rewrite first. Then four conditions, each of which returns the question.",
            "Collect the known words: `FILLERS | words(question)`, and those of both texts of each turn.",
            "`words(rewrite) <= known` is True if no word is new. An empty rewrite does not end with `?`.",
        ),
        solution='''\
import re

FILLERS = {"a", "an", "the", "of", "on", "for", "in", "to", "is", "are", "do", "does", "i"}

def words(text):
    return set(re.findall(r"\\w+", text.lower()))

def trusted(rewrite, question, history):
    """The rewrite if it can be trusted, else the question."""
    rewrite = rewrite.strip()
    known = FILLERS | words(question)
    for asked, answered in history:
        known |= words(asked) | words(answered)
    shaped = rewrite.endswith("?") and len(rewrite.splitlines()) == 1 and len(rewrite) <= 300
    return rewrite if shaped and words(rewrite) <= known else question''',
        grade=Calls(
            (
                Case(("How long can I keep a laptop?", _KEEP, _TALK), "How long can I keep a laptop?"),
                Case(("How long can I keep a projector?", _KEEP, _TALK), _KEEP),
                Case(("A laptop loan lasts up to 7 days.", _KEEP, _TALK), _KEEP),
                Case(
                    (" How long can I keep the laptop on loan?\n", _KEEP, _TALK),
                    "How long can I keep the laptop on loan?",
                ),
                Case(("How long can I keep\na laptop?", _KEEP, _TALK), _KEEP),
                Case(("How long can I keep a laptop " + "on loan " * 40 + "?", _KEEP, _TALK), _KEEP),
                Case((f"  {_LONGEST}\n", _KEEP, _TALK), _LONGEST),
                Case((f"i {_LONGEST}", _KEEP, _TALK), _KEEP),
                Case(("How long can I keep it? A laptop.", _KEEP, _TALK), _KEEP),
                Case(("Is it up to 7 days?", _KEEP, _TALK), "Is it up to 7 days?"),
                Case(("", _KEEP, _TALK), _KEEP),
                Case(("How long can I keep a laptop for 14 days?", _KEEP, _TALK), _KEEP),
                Case(
                    ("Do LAPTOP and loan last?", "Do they last?", [("A laptop?", "Yes."), ("And a loan?", "No.")]),
                    "Do LAPTOP and loan last?",
                ),
            )
        ),
    ),
)
