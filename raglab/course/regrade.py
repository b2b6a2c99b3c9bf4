"""Inside a submission's kernel: made ready before the learner's first cell, it grades answers after their cells.

The learner's code runs in the same process, so this is a fence against easy fakes, not a wall: printing PASS, a
`check` of one's own, and functions of this package that were swapped all change nothing.
"""

import builtins
import os
import sys

from raglab.course.checker import judge
from raglab.course.registry import EXERCISES
from raglab.models.mock import start_mock


def make_ready(folder: str, name: str, namespace: dict[str, object]) -> None:
    """Start a mock for this kernel alone, enter the folder, and put the grader under a name nobody knows."""
    os.environ["RAGLAB_MOCK_URL"] = start_mock(0).url
    os.chdir(folder)
    exercises = dict(EXERCISES)
    ours = [module for module_name, module in sys.modules.items() if module_name.startswith("raglab.")]
    originals = [(module, dict(vars(module))) for module in ours]

    def grade(exercise_id: str, expression: str) -> str:
        answer = eval(expression, namespace)
        for module, names in originals:  # undoes `raglab.course.exercises.compare = …` and its like
            vars(module).update(names)
        return judge(exercises[exercise_id], answer)[0]

    # Not into the namespace: `%reset` would clear it away.
    setattr(builtins, name, grade)
