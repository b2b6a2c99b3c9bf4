"""Every exercise of the course, by id."""

from raglab.course import (
    lesson_00,
    lesson_01,
    lesson_02,
    lesson_03,
    lesson_04,
    lesson_05,
    lesson_06,
    lesson_07,
    lesson_08,
    lesson_09,
    lesson_10,
    lesson_11,
    lesson_12,
    lesson_13,
    lesson_14,
    lesson_15,
    lesson_17,
)
from raglab.course.exercises import Exercise

# To add an exercise: append it to EXERCISES in its lesson's module (name a new module here), add two wrong answers
# and another right one to tests/raglab/course/answers/, and put its starter and check cells into the notebook and
# its solution into the notebook of the same name under notebooks/solutions/. The tests say what is still missing.
EXERCISES: dict[str, Exercise] = {
    exercise.id: exercise
    for lesson in (
        lesson_00,
        lesson_01,
        lesson_02,
        lesson_03,
        lesson_04,
        lesson_05,
        lesson_06,
        lesson_07,
        lesson_08,
        lesson_09,
        lesson_10,
        lesson_11,
        lesson_12,
        lesson_13,
        lesson_14,
        lesson_15,
        lesson_17,
    )
    for exercise in lesson.EXERCISES
}
