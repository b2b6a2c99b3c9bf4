"""The exercises of lesson 08: the opening words, the outcome of a reply, and what came from nowhere."""

from raglab.course.exercises import Calls, Case, Exercise
from raglab.styles import DOCUMENTS

OPENING = DOCUMENTS.sentinel
_RUST = f"{OPENING} Rust."
_KEEPS = "A terminal multiplexer keeps your programs running."
_MISSING = "The excerpts do not cover which command starts a session."
_CODE = "```bash\ntmux list-sessions\n```"
_MEMORY = "You can also use GNU screen."

EXERCISES = (
    Exercise(
        id="08.1",
        task="""\
**Exercise 08.1: the opening words.** Return True if a reply begins with `OPENING`, however the model dresses it up:
white space, `*`, `_`, `>` or `"` may come before it, the apostrophe may be the curly one `’`, and letter case makes
no difference. With anything else before it, return False.

For `"**The tutorials on this site don’t cover Rust.**"` the right answer is `True`.""",
        answer="says_not_covered",
        starter=f'''\
OPENING = "{OPENING}"

def says_not_covered(reply):
    """Whether the reply begins with the opening words, folded."""
    ...''',
        hints=(
            "Remove what the reply is dressed up with first, then compare. Letter case must be undone on both sides.",
            "`reply.lstrip(' \\t\\r\\n*_>\"')` removes these characters from the front, as many as there are.",
            '`.replace("’", "\'")` straightens it; `.casefold().startswith(OPENING.casefold())` compares.',
        ),
        solution=f'''\
import string

OPENING = "{OPENING}"

def says_not_covered(reply):
    """Whether the reply begins with the opening words, folded."""
    plain = reply.lstrip(string.whitespace + '*_>"').replace("’", "'").casefold()
    return plain.startswith(OPENING.casefold())''',
        grade=Calls(
            (
                Case(("**The tutorials on this site don’t cover Rust.**",), True),
                Case((f'\n> "{_RUST}"',), True),
                Case((f"  __{_RUST.upper()}__",), True),
                Case((f"\t\r\n{_RUST}",), True),
                Case((f"Sorry, {_RUST}",), False),
                Case((f"# {_RUST}",), False),
                Case((f"({_RUST})",), False),
                Case((f"Use git stash. {_RUST}",), False),
                Case(("The tutorials on this site cover Rust.",), False),
                Case((OPENING[:-1],), False),
                Case(("",), False),
            )
        ),
    ),
    Exercise(
        id="08.2",
        task="""\
**Exercise 08.2: the outcome of a reply.** `blocks` is a reply as a list of pairs `(text, cited)`, with at least one
pair. Each text is one sentence, and `cited` says whether a citation goes with it. Return the outcome:

| outcome | when |
|---|---|
| `not_found` | the first text starts with `OPENING`, and nothing follows it |
| `needs_review` | the first text starts with `OPENING`, and something follows it |
| `partial` | a text without a citation names a missing part, according to `names_missing_part` |
| `answered` | none of these |

For `[("A stash keeps changes.", True), ("The tutorials don't cover how to share it.", False)]` it is `"partial"`.""",
        answer="outcome",
        starter=f'''\
from raglab.grounding.partial import names_missing_part

OPENING = "{OPENING}"

def outcome(blocks):
    """not_found, needs_review, partial or answered."""
    ...''',
        hints=(
            "The order of the rows matters: look at the first text before you look for a missing part.",
            "`blocks[0][0].startswith(OPENING)` is the first question, `len(blocks) == 1` the second.",
            "`any(names_missing_part(text) for text, cited in blocks if not cited)` is the third.",
        ),
        solution=f'''\
from raglab.grounding.partial import names_missing_part

OPENING = "{OPENING}"

def outcome(blocks):
    """not_found, needs_review, partial or answered."""
    if blocks[0][0].startswith(OPENING):
        return "not_found" if len(blocks) == 1 else "needs_review"
    if any(names_missing_part(text) for text, cited in blocks if not cited):
        return "partial"
    return "answered"''',
        grade=Calls(
            (
                Case(
                    ([("A stash keeps changes.", True), ("The tutorials don't cover how to share it.", False)],),
                    "partial",
                ),
                Case(([(_KEEPS, True)],), "answered"),
                Case(([(_RUST, False)],), "not_found"),
                Case(([(_RUST, False), ("A small image is quicker to deploy.", True)],), "needs_review"),
                Case(([(_MISSING, False), (_KEEPS, True)],), "partial"),
                Case(([(f"Well: {_RUST}", False)],), "partial"),
                Case(([("The posts do not cover Windows.", True), (_KEEPS, True)],), "answered"),
                Case(([(_KEEPS, True), (_MEMORY, False)],), "answered"),
                Case(([(_KEEPS, True), (_RUST, False)],), "partial"),
            )
        ),
    ),
    Exercise(
        id="08.3",
        task="""\
**Exercise 08.3: what came from nowhere.** `blocks` is a list of pairs `(text, cited)` as before, and some of the
texts are blocks of code, which begin with three backticks. Return the list of the texts that should not be in an
answer from the excerpts: those that cite nothing, are not code, and do not say that something is not covered
(`names_missing_part` is also true of the opening words).

For `[("A stash keeps changes.", True), ("Git 2.35 can stash staged files.", False)]` the right answer is
`["Git 2.35 can stash staged files."]`.""",
        answer="from_nowhere",
        starter='''\
from raglab.grounding.partial import names_missing_part

def from_nowhere(blocks):
    """The texts without a citation that are neither code nor name a missing part."""
    ...''',
        hints=(
            "Go through the pairs and keep a text only if three things are true of it.",
            '`text.startswith("```")` recognises code. Combine the three with `and not`.',
            '`if not cited and not text.startswith("```") and not names_missing_part(text)`',
        ),
        solution='''\
from raglab.grounding.partial import names_missing_part

def from_nowhere(blocks):
    """The texts without a citation that are neither code nor name a missing part."""
    return [
        text
        for text, cited in blocks
        if not cited and not text.startswith("```") and not names_missing_part(text)
    ]''',
        grade=Calls(
            (
                Case(
                    ([("A stash keeps changes.", True), ("Git 2.35 can stash staged files.", False)],),
                    ["Git 2.35 can stash staged files."],
                ),
                Case(([(_KEEPS, True), (_CODE, False), (_MISSING, False)],), []),
                Case(([(_RUST, False), (_MEMORY, False)],), [_MEMORY]),
                Case(([(_MEMORY, False), (_KEEPS, True), ("Restart it.", False)],), [_MEMORY, "Restart it."]),
                Case(([("Type ```tmux``` and press Enter.", False)],), ["Type ```tmux``` and press Enter."]),
                Case(([],), []),
            )
        ),
    ),
)
