"""From a reading to a draft: the sentence that shares the most words with the question.

question words   words(question), each once
score            how many of a sentence's words, counted with repetition, are question words,
                 times the weight of its passage (1, unless a persona says otherwise)
winner           the highest score; ties go to the earlier passage, then the earlier sentence
answer           the winner and its citation, if its score is 2 or more
refusal          what the prompt's own rules name, otherwise

In the documents form each part of the question has its own winner.
"""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct

from mock_llm.records import Draft, Part, Passage, Quote, Reading, Said, Span
from mock_llm.sentences import Sentence, sentences
from mock_llm.tasks import TASKS
from mock_llm.words import words

LEAST = 2  # shared words; with fewer there is no answer
MOST_PARTS = 8  # of one question; the last part takes the rest

REFUSAL = "I don't know based on the provided documents."  # where no rule names one

CHAT = (
    "I am mock_llm, a small program that stands in for a language model: send me passages, each after "
    'its number or id in square brackets, and a last line that starts with "Question:", and I will '
    "repeat the sentence that shares the most words with it."
)


class Scored(NamedTuple):
    """One sentence of one passage and its score."""

    passage: Passage
    piece: int  # index in passage.texts
    sentence: Sentence
    matches: tuple[str, ...]  # its words that are question words, with repetition

    @property
    def score(self) -> int | Fraction:
        return len(self.matches) * self.passage.weight


class Scoring(Struct, frozen=True):
    """How the answer came about, step by step."""

    reading: Reading
    words: tuple[str, ...]  # of the question, in order, each once
    sentences: tuple[Scored, ...]  # all of them, in the order of the prompt
    winners: tuple[Scored, ...]  # one for each part that is answered; none: refused, a task, or plain chat
    draft: Draft
    parts: tuple[str, ...] = ()  # of the question, in the documents form


def scoring_of(reading: Reading) -> Scoring:
    """Score every sentence and draft the answer.

    >>> passages = (Passage("1", "A term is short. Membership costs 10 dollars per term."),)
    >>> scoring = scoring_of(Reading("numbered", passages, "How much does membership cost per term?", ""))
    >>> scoring.words, [s.score for s in scoring.sentences], said(scoring.draft, scoring.reading)[0].text
    (('membership', 'cost', 'per', 'term'), [1, 4], 'Membership costs 10 dollars per term. [1]')
    """
    if reading.form == "chat":
        return Scoring(reading, (), (), (), Draft("chat", (Part(CHAT),)))
    if task := TASKS.get(reading.form):
        return Scoring(reading, (), (), (), Draft("task", (Part(task(reading)),)))
    asked = dict.fromkeys(words(reading.question))
    scored = tuple(
        Scored(passage, piece, sentence, tuple([word for word in words(sentence.text) if word in asked]))
        for passage in reading.passages
        for piece, text in enumerate(passage.texts)
        for sentence in sentences(text)
    )
    parts = parts_of(reading.question) if reading.form == "documents" else (reading.question,)
    winners, missing = _winners(parts, scored)
    if not winners and len(parts) > 1:  # no part is answered: perhaps the whole is
        winners, missing = _winners((reading.question,), scored)
    if not winners:
        draft = Draft("refusal", (Part(refusal(reading)),))
    else:
        said = [as_part(one) for one in dict.fromkeys(winners)]
        draft = Draft("answer", (*said, *_missing(missing, reading.rules)))
    return Scoring(reading, tuple(asked), scored, tuple(winners), draft, parts)


def parts_of(question: str) -> tuple[str, ...]:
    """The parts of a question, cut after `?` and `;`, and at ` and ` between two clauses.

    A clause has two words or more, and one that its neighbour does not have: a part of one word could
    hardly score 2.

    >>> parts_of("How do I start a session, and how do I split the window? Is it free?")
    ('How do I start a session,', 'how do I split the window', 'Is it free')
    >>> parts_of("When are tea and coffee served?")
    ('When are tea and coffee served',)
    """
    pieces = [piece.strip() for piece in _PART_END.split(question) if words(piece)]
    parts = [part for piece in pieces for part in _clauses(piece)]
    return (*parts[: MOST_PARTS - 1], "; ".join(parts[MOST_PARTS - 1 :])) if len(parts) > MOST_PARTS else tuple(parts)


def _clauses(piece: str) -> list[str]:
    """Cut at each ` and ` that has a clause on both sides."""
    clauses: list[list[str]] = []
    left: set[str] = set()
    for one in _AND.split(piece):
        right = set(words(one))
        if clauses and (min(len(left), len(right)) < LEAST or left <= right or right <= left):
            clauses[-1].append(one)
            left |= right
        else:
            clauses.append([one])
            left = right
    return [" and ".join(clause) for clause in clauses]


def _winners(parts: tuple[str, ...], scored: tuple[Scored, ...]) -> tuple[list[Scored], list[str]]:
    """The best sentence for each part, and the parts without one."""
    winners, missing = [], []
    for part in parts:
        best = _best(scored, None if len(parts) == 1 else set(words(part)))
        if best is None:
            missing.append(part)
        else:
            winners.append(best)
    return winners, missing


def _best(scored: tuple[Scored, ...], asked: set[str] | None) -> Scored | None:
    """The winner, if its score is enough. With `asked`, only these words count."""

    def score(one: Scored) -> int | Fraction:
        return one.score if asked is None else sum(word in asked for word in one.matches) * one.passage.weight

    best = max(scored, key=score, default=None)  # max keeps the first of equals
    return best if best is not None and score(best) >= LEAST else None


def _missing(parts: list[str], rules: str) -> tuple[Part, ...]:
    """One sentence that names the parts without an answer, if the rules ask for it."""
    if not parts or not _NAME_PARTS.search(rules):
        return ()
    return (Part(f"The excerpts do not cover this part: {'; '.join(part.rstrip(' ,.') for part in parts)}."),)


def as_part(one: Scored) -> Part:
    """A sentence, cited. A quote from a document includes the spaces up to the next sentence."""
    text, sentence = one.passage.texts[one.piece], one.sentence
    after = _BLANKS.match(text, sentence.end)
    span = Span(one.piece, sentence.start, after.end() if after else sentence.end)
    return Part(sentence.text, one.passage.ref, sentence.code, span)


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
        # An apostrophe within a word does not close a quote. Nor does that of a plural, as in the students' guide,
        # if a closing mark follows later in the line.
        inside = rf"(?:[^{closing}\n]|(?<=\w){closing}(?=\w)|(?<=s){closing}(?= [a-z]))*+"
        end = re.match(rf"{inside}(?={closing}(?!\w))", rest[1:]) or re.search(rf"(?={closing}(?!\w))", rest[1:])
        rest = rest[1 : 1 + end.end()] if end else rest[1:].partition("\n")[0]
        return " ".join(rest.split())
    return " ".join(rest.partition("\n")[0].split())


def said(draft: Draft, reading: Reading) -> tuple[Said, ...]:
    """The draft as texts. A citation is written into its text, or sent beside it in the documents form.

    Without quotes it is a single text. A text that another one follows ends with what separates them: a space,
    or an empty line after code.

    >>> said(Draft("answer", (Part("It costs 10.", "fees#0"), Part("Pay now."))), Reading("tagged", (), "", ""))
    (Said(text='It costs 10 [fees#0]. Pay now.', quotes=()),)
    """
    found = {passage.ref: passage for passage in reading.passages}
    texts: list[Said] = []
    for i, part in enumerate(draft.parts):
        cited = found.get(part.ref or "")
        document = cited.document if cited else None
        quotes = (Quote(document, part.span),) if document and document.cited and part.span else ()
        text = part.text if part.ref is None else CITED[reading.form](part.text, part.ref)
        last = i == len(draft.parts) - 1
        texts.append(Said(text if part.code or last else f"{text} ", quotes))
        if part.code:
            texts.append(Said(f"\n\n{part.code}" if last else f"\n\n{part.code}\n\n"))
    if not any(one.quotes for one in texts):
        texts = [Said("".join(one.text for one in texts))]
    return tuple(one for one in texts if one.text)


def after_stop(sentence: str, ref: str) -> str:
    return f"{sentence} [{ref}]"


def before_stop(sentence: str, ref: str) -> str:
    body = sentence.rstrip(_SENTENCE_STOPS + _CLOSING_MARKS)
    end = sentence[len(body) :].lstrip(_CLOSING_MARKS)  # an end without a stop is left alone
    body = sentence.removesuffix(end)
    return f"{body} [{ref}]{end}"


def beside(sentence: str, ref: str) -> str:
    """The citation is sent beside the text, or not at all where citations are not enabled."""
    return sentence


_SENTENCE_STOPS = ".!?。！？…"
_CLOSING_MARKS = "\"'”’»)]"
QUOTES = {'"': '"', "“": "”", "„": "“", "'": "'", "‘": "’", "`": "`", "«": "»"}
_EXACTLY = re.compile(r"reply\s+exactly:\s*", re.IGNORECASE)
_STARTS = re.compile(rf"starts?\s+with:?\s+(?=[{''.join(QUOTES)}])", re.IGNORECASE)

_PART_END = re.compile(r"[?？;；]")
_AND = re.compile(r"(?<=\S)\s+and\s+", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t]*")
_NAME_PARTS = re.compile(r"\b(?:say|name|state|tell|mention|list)\b[^.;:]{0,200}?\bparts?\b", re.IGNORECASE)

# The citation grammar of each form. To add a form, add a line here and one in RECOGNISERS.
CITED: dict[str, Callable[[str, str], str]] = {
    "documents": beside,
    "tagged": before_stop,
    "numbered": after_stop,
    "helpdesk": after_stop,
    "bracketed": after_stop,
}
