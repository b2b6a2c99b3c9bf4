"""One question with its answer, and what can be said about the two: outcome, form, blame, citations, code."""

import re
from dataclasses import dataclass
from functools import cached_property

from raglab.evaluate.forms import form_of
from raglab.evaluate.questions import Question
from raglab.grounding.citations import without_citations
from raglab.records import Answer, Hit
from raglab.styles import NUMBERED
from raglab.text.markdown import code_blocks
from raglab.text.words import fold, squash

# Every question ends in exactly one of these.
OUTCOMES: dict[str, str] = {
    "correct": "covered, and the answer says all that it must",
    "wrong": "covered and answered, but something that the answer must say is not there",
    "over-refusal": "covered, but refused",
    "refused": "not covered, and refused: right",
    "hallucination": "not covered, but answered",
    "needs-review": "the reply failed a check, or refused in its own words and went on",
    "failed": "there is no answer: the call failed",
}
WRONG = ("wrong", "over-refusal", "hallucination", "needs-review")

# What caused a wrong answer.
BLAMES: dict[str, str] = {
    "retrieval": "search did not bring the text that holds the answer",
    "gate": "search brought it, and the gate cut it",
    "generation": "it stood in the prompt; or nothing holds an answer, and the model did not say so",
}


@dataclass(frozen=True)
class Case:
    """A question, its answer, and what search found before the gate, best first."""

    question: Question
    answer: Answer
    ranking: tuple[Hit, ...] = ()

    @cached_property
    def outcome(self) -> str:
        """One of `OUTCOMES`."""
        if self.failed:
            return "failed"
        form = self.form
        if self.answer.status == "needs_review" or form == "padded_no":
            return "needs-review"
        if self.answer.status == "not_found" or form == "clean_no":
            return "over-refusal" if self.question.covered else "refused"
        if not self.question.covered:
            return "hallucination"
        return "correct" if self._is_right else "wrong"

    @property
    def failed(self) -> bool:
        """Whether the call failed, so that there is nothing to judge."""
        return any(problem.code == "call-failed" for problem in self.answer.problems)

    @property
    def shown(self) -> bool:
        """Whether an answer was shown, and no refusal in its place."""
        return self.outcome in ("correct", "wrong", "hallucination")

    @cached_property
    def form(self) -> str | None:
        """One of `raglab.evaluate.forms.FORMS`; a refusal of the gate is a clean no, a failed call has no form."""
        if self.answer.reply is None:
            return None if self.failed else "clean_no"
        return form_of(self.answer.reply, self.answer.prompt.style if self.answer.prompt else NUMBERED)

    @cached_property
    def blame(self) -> str | None:
        """One of `BLAMES` for a wrong answer, None for a right one."""
        if self.outcome not in WRONG:
            return None
        if not self.question.covered or self._holds_the_answer(self.answer.hits):
            return "generation"
        return "gate" if self._holds_the_answer(self.ranking) else "retrieval"

    @property
    def cited(self) -> tuple[frozenset[str], ...]:
        """The passages that the answer cites, each as its ids: more than one where documents repeat a text."""
        return tuple(_ids(self.answer.hits[source.n - 1]) for source in self.answer.sources if source.cited)

    @cached_property
    def ranked(self) -> tuple[frozenset[str], ...]:
        """The passages of the prompt as search ranked them, each as its ids."""
        kept = {hit.chunk.id for hit in self.answer.hits}
        ranking = [hit for hit in self.ranking if hit.chunk.id in kept]
        return tuple(map(_ids, ranking if len(ranking) == len(kept) else self.answer.hits))

    @cached_property
    def code(self) -> tuple[tuple[str, bool], ...]:
        """Every code block of the answer, and whether a passage holds it, line for line but for a `$ ` before them."""
        blocks = [block for block in code_blocks(self.answer.text) if block.strip()] if self.shown else []
        passages = [_lines(hit.chunk.text) for hit in self.answer.hits] if blocks else []
        return tuple((block, any(_within(_lines(block), passage) for passage in passages)) for block in blocks)

    @property
    def _is_right(self) -> bool:
        if not self.question.contains:
            return any(ids & set(self.question.chunks) for ids in self.cited)
        told = without_citations(self.answer.text, self.answer.hits)
        return all(says(told, part) for part in self.question.contains)

    def _holds_the_answer(self, hits: tuple[Hit, ...]) -> bool:
        """Whether all marked chunks are among the hits, or everything that must be said stands in those that are."""
        marked = [hit for hit in hits if _ids(hit) & set(self.question.chunks)]
        found = frozenset().union(*map(_ids, marked)) if marked else frozenset()
        if not self.question.chunks:
            marked = list(hits)
        elif found >= set(self.question.chunks):
            return True
        parts = self.question.contains
        return bool(parts) and all(any(says(hit.chunk.text, part) for hit in marked) for part in parts)

    def __repr__(self) -> str:
        return f"<Case {self.question.id}: {self.outcome}>"


_MARKS = re.compile(r"[*`]|(?<![^\W_])_+|_+(?![^\W_])")  # emphasis and code
_PLAIN = str.maketrans("’‐‒–—−", "'-----")


def says(text: str, part: str) -> bool:
    """Whether a text says some words: all of them in a row, whole words and numbers, whatever their case and emphasis.

    >>> says("Until 2 PM\\non Sunday.", "2 pm on Sunday"), says("Until 12 PM.", "2 PM"), says("4.5 bar", "5 bar")
    (True, False, False)
    """
    text, part = (squash(fold(each).translate(_PLAIN)) for each in (text, part))
    if not _MARKS.search(part):
        text = _MARKS.sub("", text)
    before = r"(?<!\w)(?<!\d[.,])" if part[:1].isalnum() else ""
    after = r"(?!\w)(?![.,]\d)" if part[-1:].isalnum() else ""
    return bool(re.search(before + re.escape(part) + after, text))


def _ids(hit: Hit) -> frozenset[str]:
    return frozenset((hit.chunk.id, *hit.also))


def _lines(text: str) -> list[str]:
    """The lines without indent, the prompt of a shell, and empty ones."""
    lines = (line.strip().removeprefix("$ ") for line in text.split("\n"))
    return [squash(line) for line in lines if line]


def _within(lines: list[str], passage: list[str]) -> bool:
    """Whether the lines stand in the passage, one after the other."""
    places = range(len(passage) - len(lines) + 1)
    return bool(lines) and any(passage[at : at + len(lines)] == lines for at in places)
