"""From a reading to a draft: the sentence that shares the most words with the question.

question words   words(question), each once
score            how many of a sentence's words, counted with repetition, are question words
winner           the highest score; ties go to the earlier passage, then the earlier sentence
answer           the winner and its citation, if its score is 2 or more
refusal          what the prompt's own rules name, otherwise
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from mock_llm.records import Draft, Part, Reading
from mock_llm.sentences import Sentence, sentences
from mock_llm.words import words

LEAST = 2  # shared words, below which there is no answer

REFUSAL = "I don't know based on the provided documents."  # where no rule names one

CHAT = (
    "I am mock_llm, a small program that stands in for a language model: send me passages, each after "
    'its number or id in square brackets, and a last line that starts with "Question:", and I will '
    "repeat the sentence that shares the most words with it."
)


@dataclass(frozen=True, slots=True)
class Scored:
    """One sentence of one passage and its score."""

    ref: str  # of its passage
    sentence: Sentence
    matches: tuple[str, ...]  # its words that are question words, with repetition

    @property
    def score(self) -> int:
        return len(self.matches)


@dataclass(frozen=True, slots=True)
class Reckoning:
    """How the answer came about, step by step."""

    reading: Reading
    words: tuple[str, ...]  # of the question, in order, each once
    scored: tuple[Scored, ...]  # every sentence, in the order of the prompt
    winner: Scored | None  # None: refused, or plain chat
    draft: Draft


def reckon(reading: Reading) -> Reckoning:
    """Score every sentence and draft the answer.

    >>> from mock_llm.records import Passage
    >>> passages = (Passage("1", "A term is short. Membership costs 10 dollars per term."),)
    >>> done = reckon(Reading("numbered", passages, "How much does membership cost per term?", ""))
    >>> done.words, [s.score for s in done.scored], written(done.draft, "numbered")
    (('membership', 'cost', 'per', 'term'), [1, 4], 'Membership costs 10 dollars per term. [1]')
    """
    if reading.form == "chat":
        return Reckoning(reading, (), (), None, Draft("chat", (Part(CHAT),)))
    asked = dict.fromkeys(words(reading.question))
    scored = tuple(
        Scored(passage.ref, sentence, tuple(word for word in words(sentence.text) if word in asked))
        for passage in reading.passages
        for sentence in sentences(passage.text)
    )
    best = max(scored, key=lambda one: one.score, default=None)  # max keeps the first of equals
    if best is None or best.score < LEAST:
        return Reckoning(reading, tuple(asked), scored, None, Draft("refusal", (Part(refusal(reading)),)))
    part = Part(best.sentence.text, best.ref, best.sentence.code)
    return Reckoning(reading, tuple(asked), scored, best, Draft("answer", (part,)))


def refusal(reading: Reading) -> str:
    """The refusal that the prompt's rules name.

    `reply exactly:` is followed by a quoted text, which may wrap, or by the rest of its line.
    `starts with "X"` asks for X, the question's words in order, and a full stop.

    >>> refusal(Reading("numbered", (), "", "If not, reply exactly: NOT_IN_CONTEXT"))
    'NOT_IN_CONTEXT'
    >>> refusal(Reading("numbered", (), "Why use Rust?", 'one sentence that starts with "We don\\'t cover"'))
    "We don't cover use rust."
    """
    if exact := _named(reading.rules, _EXACTLY):
        return exact
    if opening := _named(reading.rules, _STARTS):
        return " ".join([opening, *words(reading.question)]) + "."
    return REFUSAL


def _named(rules: str, opener: re.Pattern[str]) -> str:
    """The text that a rule names after its opener, on one line; "" where there is none."""
    found = opener.search(rules)
    rest = rules[found.end() :] if found else ""
    if closing := QUOTES.get(rest[:1]):
        # An apostrophe closes nothing: a letter follows it.
        end = re.search(closing + r"(?!\w)", rest[1:])
        rest = rest[1 : 1 + end.start()] if end else rest[1:].partition("\n")[0]
        return " ".join(rest.split())
    return " ".join(rest.partition("\n")[0].split())


def written(draft: Draft, form: str) -> str:
    """The draft as the text of a reply, with citations in the grammar of the form.

    >>> written(Draft("answer", (Part("It costs 10.", "fees#0"),)), "tagged")
    'It costs 10 [fees#0].'
    """
    return " ".join(_written_part(part, CITED[form]) for part in draft.parts)


def _written_part(part: Part, cite: Callable[[str, str], str]) -> str:
    text = cite(part.text, part.ref) if part.ref is not None else part.text
    return f"{text}\n\n{part.code}" if part.code else text


def after_stop(sentence: str, ref: str) -> str:
    return f"{sentence} [{ref}]"


def before_stop(sentence: str, ref: str) -> str:
    body = sentence.rstrip(_STOPS + _CLOSERS)
    end = sentence[len(body) :].lstrip(_CLOSERS)  # an end without a stop is left alone
    body = sentence.removesuffix(end)
    return f"{body} [{ref}]{end}"


_STOPS = ".!?。！？…"
_CLOSERS = "\"'”’»)]"
QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’", "`": "`", "«": "»"}
_EXACTLY = re.compile(r"reply\s+exactly:\s*", re.IGNORECASE)
_STARTS = re.compile(rf"starts?\s+with:?\s+(?=[{''.join(QUOTES)}])", re.IGNORECASE)

# The citation grammar of each form. To add a form, add a line here and one in RECOGNISERS.
CITED = {"tagged": before_stop, "numbered": after_stop, "bracketed": after_stop, "chat": after_stop}
