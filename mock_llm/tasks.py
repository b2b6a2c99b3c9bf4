"""Two tasks that are not questions about passages: rewrite a question, classify an answer.

A task is known by its instruction, in the system prompt or in the first lines of the user's turn. What
follows `Context:`, `[` or `<` at a line start is quoted text, not an instruction.
"""

import re
from collections.abc import Callable

import msgspec

from mock_llm.marks import question_of
from mock_llm.records import Reading, Turn
from mock_llm.sentences import sentences


def rewrite(turn: Turn) -> Reading | None:
    """The instruction to rewrite the last question so that it stands alone.

    The questions are the lines that start with `User:` or `Question:`, also as in `Last question:`; where there
    are none, the last line and the last line of the turn before.
    """
    if turn.documents or not _REWRITE.search(_lead(turn)):
        return None
    asked = [*_questions_in(turn.before)[-1:], *_questions_in(turn.user)]
    subject = asked[-2] if len(asked) > 1 else ""
    return Reading("rewrite", (), asked[-1] if asked else "", turn.system, turn.feedback, subject)


def resolved(reading: Reading) -> str:
    """The question, with the question before it where it has a vague word.

    >>> resolved(Reading("rewrite", (), "How long can I keep it?", "", subject="May I borrow a laptop?"))
    'How long can I keep it? (about: May I borrow a laptop?)'
    >>> resolved(Reading("rewrite", (), "thanks", "", subject="May I borrow a laptop?"))
    'thanks'
    """
    vague = reading.subject and _VAGUE.search(reading.question)
    return f"{reading.question} (about: {reading.subject})" if vague else reading.question


def classify(turn: Turn) -> Reading | None:
    """The instruction to classify the form of an answer: what follows the first line `Answer:`."""
    if turn.documents or not _CLASSIFY.search(_lead(turn)):
        return None
    before, found, answer = f"\n{turn.user}".partition("\nAnswer:")
    if not found:  # the instruction is in the system prompt, or in the first paragraph
        answer = turn.user if _CLASSIFY.search(turn.system) else turn.user.partition("\n\n")[2]
    return Reading("classify", (), question_of(before)[1] or "", turn.system, turn.feedback, answer.strip())


def classified(reading: Reading) -> str:
    """The form of an answer, as JSON, by which of its sentences say no.

    answered    none does
    partial     one does, but not the first
    clean_no    the first does, and there is no other; also an empty answer
    padded_no   the first does, and others follow

    A sentence that only says whom to ask does not count.

    >>> classified(Reading("classify", (), "", "", subject="The tutorials don't cover Rust. Try a book."))
    '{"form":"padded_no"}'
    """
    told = [one.text.replace("’", "'") for one in sentences(reading.subject)]
    no = [_NO.search(text) is not None for text in told if not _ASK.match(text)]
    if not any(no):
        form = "answered" if no else "clean_no"
    elif no[0]:
        form = "padded_no" if len(no) > 1 else "clean_no"
    else:
        form = "partial"
    return msgspec.json.encode({"form": form}).decode()


def _lead(turn: Turn) -> str:
    """The lines that can instruct: those before the first one of a passage."""
    return "\n".join(_PASSAGE.split(text, maxsplit=1)[0] for text in (turn.system, turn.user))


def _questions_in(text: str) -> list[str]:
    """The questions that a text marks as questions, or else its last line."""
    marked = [found.strip() for found in _MARKED_QUESTION.findall(text)]
    return marked or [line.strip() for line in text.split("\n") if line.strip()][-1:]


_PASSAGE = re.compile(r"^(?:Context:|CONTEXT:|\[|<)", re.MULTILINE)

# Within one sentence, and not far apart.
_REWRITE = re.compile(
    r"\brewrite\b[^.!?]{0,80}?\bquestion\b[^.!?]{0,80}?\bstands?\s+(?:alone|on\s+its\s+own)\b", re.IGNORECASE
)
_CLASSIFY = re.compile(r"\bclassify\b[^.!?]{0,80}?\banswer\b", re.IGNORECASE)
_MARKED_QUESTION = re.compile(
    r"^(?:(?:[\w-]+ ){0,3}question|user|human|customer):[^\S\n]*(\S.*)", re.MULTILINE | re.IGNORECASE
)
_VAGUE = re.compile(r"\b(?:its?|that|the(?:y|m|ir|se)|those|this)\b", re.IGNORECASE)

# A sentence that says no: someone, a negation, and a verb of knowing or covering, in this order; or that one of the
# sources ends too early; or that nothing is there.
_NO = re.compile(
    r"\b(?:i|we|they|it|sources?|documents?|excerpts?|passages?|tutorials?|context|site|center)\b[^.;]{0,40}?"
    r"\b(?:do not|does not|did not|could not|can not|cannot|(?:do|does|did|could|ca)n't|not able to|unable to)"
    r"[^.;]{0,20}?\b(?:know|have|find|answer|cover|show|include|mention|contain|explain|say|tell)\b"
    r"|\b(?:sources?|documents?|excerpts?|passages?|tutorials?|context|they) (?:stops?|ends?) (?:at|before|short of)\b"
    r"|\bno (?:information|mention|answer) (?:of|about|on|in|to)\b|\bsays? nothing about\b"
    r"|\bthere is no information\b|\bNOT_IN_CONTEXT\b",
    re.IGNORECASE,
)
_ASK = re.compile(r"(?:please )?(?:contact|ask|write to) ", re.IGNORECASE)

# What each task replies. To add one, write its recogniser and its reply, add a line here and one in RECOGNISERS.
TASKS: dict[str, Callable[[Reading], str]] = {"rewrite": resolved, "classify": classified}
