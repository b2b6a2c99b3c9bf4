"""What a learner calls: `check`, `hint` and `solution`. They print plain text and never raise."""

import dis
import types
from collections import Counter

from raglab.course.differences import show
from raglab.course.exercises import NOT_STARTED, NOT_YET, PASS, Exercise
from raglab.course.progress import record
from raglab.course.registry import EXERCISES
from raglab.errors import ModelError, did_you_mean

_hints_given: Counter[str] = Counter()
_passed: set[str] = set()  # the ids whose last check was PASS


def check(exercise_id: str, answer: object = None) -> None:
    """Print PASS, NOT STARTED, or NOT YET with the first thing that differs.

    A function is first called with the input that the task shows, then with inputs it has not seen. What a
    learner's code raises is reported, not raised. In a lesson's own kernel, `raglab.progress` remembers the outcome.

    >>> check("01.2", None)
    NOT STARTED
    """
    exercise = _find(exercise_id)
    if exercise is None:
        return
    outcome, lines = judge(exercise, answer)
    print("\n".join([f"{outcome}: {lines[0]}.", *lines[1:]]) if lines else outcome)
    if outcome == PASS:
        _passed.add(exercise.id)
    else:
        _passed.discard(exercise.id)
    record(exercise.id, outcome)


def judge(exercise: Exercise, answer: object) -> tuple[str, list[str]]:
    """The outcome, and for NOT YET the lines that say what is wrong; the first is a clause without a final stop."""
    if _untouched(exercise, answer):
        return NOT_STARTED, []
    try:
        lines = exercise.grade(answer)
    except ModelError as error:
        lines = [f"the check could not ask its model: {str(error).rstrip('.')}"]
    except Exception as error:  # a value may fail at its own comparison, as a table does
        lines = [f"your answer cannot be compared ({type(error).__name__}); expected a plain value"]
    return (NOT_YET, lines) if lines else (PASS, [])


def hint(exercise_id: str) -> None:
    """Print the exercise's next hint; after the last one, where the solution is; none after a PASS.

    The line may stay in a cell that is run to check again, so it must not give away what nobody asked for.
    """
    exercise = _find(exercise_id)
    if exercise is None:
        return
    if exercise.id in _passed:
        print(f'You have passed, so there is no hint. solution("{exercise.id}") prints one way to do it.')
        return
    _hints_given[exercise.id] += 1
    step, total = _hints_given[exercise.id], len(exercise.hints)
    if step <= total:
        print(f"Hint {step} of {total}: {exercise.hints[step - 1]}")
    else:
        print(
            f'There are no more hints. solution("{exercise.id}") prints the solution; it also stands, with its '
            "check, in the notebook of the same name in notebooks/solutions."
        )


def solution(exercise_id: str) -> None:
    """Print the source of the exercise's solution."""
    exercise = _find(exercise_id)
    if exercise:
        print(exercise.solution)


def _find(exercise_id: object) -> Exercise | None:
    if not isinstance(exercise_id, str):
        print(f'There is no exercise {show(exercise_id)}: an id is a text in quotation marks, such as "00.1".')
        return None
    if exercise_id not in EXERCISES:
        of_the_lesson = [id for id in EXERCISES if id[:2] == exercise_id[:2]]
        print(f"There is no exercise {show(exercise_id)}: {did_you_mean(exercise_id, of_the_lesson or EXERCISES)}.")
    return EXERCISES.get(exercise_id)


def _untouched(exercise: Exercise, answer: object) -> bool:
    """Whether the answer is still the starter's: nothing, `...`, or a function with the starter's own body."""
    if isinstance(answer, types.FunctionType):
        return _instructions(answer.__code__) == _starter_instructions(exercise)
    return answer is None or answer is ...


def _starter_instructions(exercise: Exercise) -> list[object]:
    """What the starter's function does; nothing is run."""
    module = compile(exercise.starter, "starter", "exec")
    codes = (const for const in module.co_consts if isinstance(const, types.CodeType))
    return next((_instructions(code) for code in codes if code.co_name == exercise.answer), [])


def _instructions(code: types.CodeType) -> list[object]:
    """What the code does, whatever its name, place, comments and docstring."""
    return [
        (step.opname, _instructions(step.argval) if isinstance(step.argval, types.CodeType) else step.argval)
        for step in dis.get_instructions(code)
    ]
