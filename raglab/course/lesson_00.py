"""The exercises of lesson 00: predict the mock's answer by hand."""

from raglab.course.exercises import Calls, Case, Exercise

EXERCISES = (
    Exercise(
        id="00.1",
        task="""\
**Exercise 00.1: the score of a sentence.** Both arguments are lists of words, already in lower case and without
stop words. Return how many words of the *sentence* are among the words of the *question*. A word that appears
twice in the sentence counts twice.

For `score(["fee", "term"], ["fee", "one", "term", "next", "term"])` the right answer is `3`.""",
        answer="score",
        starter='''\
def score(question_words, sentence_words):
    """How many words of the sentence are among the question's."""
    ...''',
        hints=(
            "Go through the words of the sentence, one after the other, and count.",
            "`word in question_words` is True when the question has the word.",
            "`sum(... for word in sentence_words)` adds up; True counts as 1 and False as 0.",
        ),
        solution='''\
def score(question_words, sentence_words):
    """How many words of the sentence are among the question's."""
    return sum(word in question_words for word in sentence_words)''',
        grade=Calls(
            (
                Case((["fee", "term"], ["fee", "one", "term", "next", "term"]), 3),
                Case((["vice", "president"], ["president", "sophea"]), 1),
                Case((["club", "teach", "rust"], ["club", "room", "club", "member"]), 2),
                Case((["password", "password", "wi", "fi"], ["password", "desk"]), 1),
                Case((["laptop"], []), 0),
                Case((["classroom"], ["room", "class"]), 0),
                Case((["room"], ["classroom"]), 0),
            )
        ),
    ),
    Exercise(
        id="00.2",
        task="""\
**Exercise 00.2: the winner.** `scores` holds the score of every sentence, in the order of the sentences in the prompt.
Return the position of the winning sentence, counted from 0. The highest score wins; among equal scores, the earliest
one. If no sentence has 2 points or more, the mock refuses: return `None`.

For `winner([1, 4, 0, 4])` the right answer is `1`.""",
        answer="winner",
        starter='''\
def winner(scores):
    """The position of the winning sentence, or None for a refusal."""
    ...''',
        hints=(
            "Find the highest score first. There may be no sentence at all: then the mock refuses too.",
            "`max(scores, default=0)` is the highest score, and 0 for an empty list.",
            "`scores.index(best)` is the first position of `best`.",
        ),
        solution='''\
def winner(scores):
    """The position of the winning sentence, or None for a refusal."""
    best = max(scores, default=0)
    return scores.index(best) if best >= 2 else None''',
        grade=Calls(
            (
                Case(([1, 4, 0, 4],), 1),
                Case(([1, 1, 0],), None),
                Case(([2],), 0),
                Case(([],), None),
                Case(([0, 0, 7, 3],), 2),
                Case(([2, 5, 5],), 1),
            )
        ),
    ),
)
