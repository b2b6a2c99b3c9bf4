"""What an exercise is, and the two ways an answer is graded. Exercises are data, one module per lesson."""

import contextlib
import copy
import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from raglab.course.differences import compare, show

PASS, NOT_YET, NOT_STARTED = OUTCOMES = ("PASS", "NOT YET", "NOT STARTED")


@dataclass(frozen=True, slots=True)
class Case:
    """One call of the learner's function and what it must return."""

    args: tuple[object, ...]
    want: object


@dataclass(frozen=True, slots=True)
class Calls:
    """Grade a function by cases, first by those that the learner can see, then by those held out.

    >>> doubled = Calls((Case((2,), 4), Case((5,), 10)))
    >>> doubled(lambda number: number * 2)
    []
    >>> doubled(lambda number: 4)[0]
    'right for the example, but for a new input the value differs'
    """

    cases: tuple[Case, ...]
    seen: int = 1  # how many of them the learner can see
    tolerance: float = 1e-6  # absolute, of floats

    def __call__(self, answer: object) -> list[str]:
        """The lines that say what is wrong, none when every case is right."""
        if not callable(answer):
            return [f"the type differs: expected a function (its name without parentheses), got {show(answer)}"]
        for number, case in enumerate(self.cases):
            wrong = self._try(answer, case)
            if wrong:
                kind, *lines = wrong
                new = "right for the example, but for a new input " if number >= self.seen else ""
                return [new + kind, f"Call:     {_call(answer, case)}", *lines]
        return []

    def _try(self, answer: Callable[..., object], case: Case) -> list[str]:
        result, raised = attempt(answer, *case.args)
        if raised:
            return [f"your function raised {raised}"]
        difference = compare(case.want, result, self.tolerance)
        if difference is None:
            return []
        forgotten = " (is a `return` missing?)" if result is None else ""
        return [difference.kind + forgotten, *difference.lines()]


@dataclass(frozen=True, slots=True)
class Value:
    """Grade a plain value by comparing it with the right one.

    >>> Value(4)(5)
    ['the value differs', 'Expected: 4', 'Got:      5', '          ^']
    """

    want: object
    tolerance: float = 1e-6

    def __call__(self, answer: object) -> list[str]:
        """The lines that say what is wrong, none when the value is right."""
        difference = compare(self.want, answer, self.tolerance)
        return [difference.kind, *difference.lines()] if difference else []


@dataclass(frozen=True, slots=True)
class Exercise:
    """A task of a lesson, with everything needed to set it, help with it and grade it."""

    id: str  # "01.2": the second exercise of lesson 01
    task: str  # Markdown, as the notebook shows it
    answer: str  # the name in the starter cell that `check` is given
    starter: str  # source of the starter cell, complete in itself
    hints: tuple[str, ...]  # one step each, in order
    solution: str  # source that replaces the starter
    grade: Callable[[Any], list[str]]  # `Calls`, `Value` or a function of your own: no lines means right

    @property
    def lesson(self) -> str:
        """The lesson's number, two digits."""
        return self.id.partition(".")[0]

    @property
    def check_cell(self) -> str:
        """Source of the cell under the starter."""
        return (
            f'check("{self.id}", {self.answer})\n'
            f'# Stuck? Remove the "# " from one of these lines and run the cell again.\n'
            f'# hint("{self.id}")\n'
            f'# solution("{self.id}")'
        )


def attempt(function: Callable[..., object], *args: object) -> tuple[Any, str]:
    """The function's result, and what it raised in one line, empty if nothing.

    What it prints is thrown away, and it gets copies: it may change its arguments without harm. An interrupt
    of the kernel counts as raised, so that an endless loop can be ended without a traceback.

    >>> attempt(int, "7"), attempt(int, "x")[1].split(":")[0]
    ((7, ''), 'ValueError')
    """
    with contextlib.redirect_stdout(_Discard()):
        try:
            return function(*copy.deepcopy(args)), ""
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            message = " ".join(str(error).split())[:200].rstrip(".")
            return None, f"{type(error).__name__}: {message}" if message else type(error).__name__


class _Discard(io.TextIOBase):
    def write(self, text: str) -> int:
        return len(text)


def _call(answer: object, case: Case) -> str:
    return f"{getattr(answer, '__name__', 'answer')}({', '.join(map(show, case.args))})"
