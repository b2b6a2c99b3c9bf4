"""The exercises of lesson 14: a half marker, a stream without half markers, a refusal that is not shown in parts."""

from raglab.course.exercises import Calls, Case, Exercise
from raglab.styles import NUMBERED

_REFUSAL = NUMBERED.refusal


EXERCISES = (
    Exercise(
        id="14.1",
        task="""\
**Exercise 14.1: where a half marker begins.** Return the pair `(safe, held)`. `safe` is the part of the text that can
be shown, and `held` is the rest. `held` begins at the last `[`, if no `]` comes after it. If no marker is open, `held`
is empty.

For `"Ten dollars [1]. Half of it [1"` the right answer is `("Ten dollars [1]. Half of it ", "[1")`.""",
        answer="split_safe",
        starter='''\
def split_safe(text):
    """The part of the text that can be shown, and the half marker at its end."""
    ...''',
        hints=(
            '`text.rfind("[")` is the place of the last `[`, or -1 if there is none.',
            'The marker is open if there is a `[`, and `"]"` is not in the text from that place on.',
            'If it is open at `start`, return `text[:start], text[start:]`, else `text, ""`.',
        ),
        solution='''\
def split_safe(text):
    """The part of the text that can be shown, and the half marker at its end."""
    start = text.rfind("[")
    if start == -1 or "]" in text[start:]:
        return text, ""
    return text[:start], text[start:]''',
        grade=Calls(
            (
                Case(("Ten dollars [1]. Half of it [1",), ("Ten dollars [1]. Half of it ", "[1")),
                Case(("Ten dollars [1].",), ("Ten dollars [1].", "")),
                Case(("[",), ("", "[")),
                Case(("Ten dollars",), ("Ten dollars", "")),
                Case(("A list ] ends [fees.md#",), ("A list ] ends ", "[fees.md#")),
                Case(("",), ("", "")),
            )
        ),
    ),
    Exercise(
        id="14.2",
        task="""\
**Exercise 14.2: a stream without half markers.** `pieces` is a list of what a model sends. Return the list of what a
reader is shown, one piece after the other. After each piece from the model, show everything that is safe, but nothing
from an open `[` onwards. When the stream has ended, show the rest. Leave out empty pieces.

For `["Ten ", "dollars [", "1", "]. Half [2"]` the right answer is `["Ten ", "dollars ", "[1]. Half ", "[2"]`.""",
        answer="without_halves",
        starter='''\
def without_halves(pieces):
    """What a reader is shown, piece by piece."""
    ...''',
        hints=(
            "Keep what has not been shown yet in a string, `waiting`. Add each piece to it.",
            "After each piece, split `waiting` as in exercise 14.1: show the first part, keep the second one.",
            "After the loop, what is left in `waiting` is the last piece. `if piece` leaves out the empty ones.",
        ),
        solution='''\
def without_halves(pieces):
    """What a reader is shown, piece by piece."""
    shown, waiting = [], ""
    for piece in pieces:
        waiting += piece
        start = waiting.rfind("[")
        whole = start == -1 or "]" in waiting[start:]
        safe = len(waiting) if whole else start
        shown.append(waiting[:safe])
        waiting = waiting[safe:]
    return [piece for piece in [*shown, waiting] if piece]''',
        grade=Calls(
            (
                Case((["Ten ", "dollars [", "1", "]. Half [2"],), ["Ten ", "dollars ", "[1]. Half ", "[2"]),
                Case((["Fee 10 [", "1", "2", "]", "."],), ["Fee 10 ", "[12]", "."]),
                Case((["One [1]. Two [2", "]", ""],), ["One [1]. Two ", "[2]"]),
                Case(([*"a [1] b"],), ["a", " ", "[1]", " ", "b"]),
                Case((["See ", "[", "or ask"],), ["See ", "[or ask"]),
                Case(([],), []),
            )
        ),
    ),
    Exercise(
        id="14.3",
        task=f"""\
**Exercise 14.3: no half refusal.** `pieces` is a list of what a model sends. Return the list of what a reader is
shown. Show nothing as long as the text so far can still become `REFUSAL`. Once it cannot, show all of it in one piece,
and every later piece as it comes. If the stream ends before that, show what was held back in one piece. Leave out
empty pieces.

For `["I don't", " know the room.", " Ask."]` the answer is `["I don't know the room.", " Ask."]`. For the refusal
`"{_REFUSAL}"`, in any number of pieces, it is a list with just that text.""",
        answer="no_half_refusal",
        starter=f'''\
REFUSAL = "{_REFUSAL}"

def no_half_refusal(pieces):
    """What a reader is shown, piece by piece."""
    ...''',
        hints=(
            "`REFUSAL.startswith(text)` is True as long as the text can still become the refusal.",
            "Collect pieces in `held` as long as this is True for `held`. When it becomes False, show `held`.",
            "From then on, show each piece by itself. Use a variable `free` to remember that.",
        ),
        solution=f'''\
REFUSAL = "{_REFUSAL}"

def no_half_refusal(pieces):
    """What a reader is shown, piece by piece."""
    shown, waiting, free = [], "", False
    for piece in pieces:
        waiting += piece
        free = free or not REFUSAL.startswith(waiting)
        if free:
            shown.append(waiting)
            waiting = ""
    return [piece for piece in [*shown, waiting] if piece]''',
        grade=Calls(
            (
                Case((["I don't", " know the room.", " Ask."],), ["I don't know the room.", " Ask."]),
                Case(([*_REFUSAL],), [_REFUSAL]),
                Case((["Ten dollars", " per", " term."],), ["Ten dollars", " per", " term."]),
                Case((["I", " pay.", "I", " don't know."],), ["I pay.", "I", " don't know."]),
                Case(([_REFUSAL[:20]],), [_REFUSAL[:20]]),
                Case((["the provided", " form", " is yellow."],), ["the provided", " form", " is yellow."]),
                Case((["", "It is open.", ""],), ["It is open."]),
                Case(([],), []),
            )
        ),
    ),
)
