"""Personas: one failure each, on purpose.

A persona is two small hooks around the reader: what it looks at, and what it does to the draft.
The model name `mock-<persona>` chooses one; any other model name means the server's default.
No clock and no random: the same request gives the same bytes.
"""

import re
from bisect import bisect_left
from collections.abc import Callable
from difflib import get_close_matches
from fractions import Fraction
from typing import NamedTuple

from msgspec.structs import replace

from mock_llm.errors import MockError
from mock_llm.marks import holds
from mock_llm.reader import Scoring, as_part, scoring_of
from mock_llm.records import Draft, Part, Passage, Reading, Span
from mock_llm.sentences import sentences

PREFIX = "mock-"


def perform(reading: Reading, persona: str) -> Scoring:
    """Let a persona read and draft.

    >>> from mock_llm.records import Passage
    >>> reading = Reading("numbered", (Passage("1", "Classes end at 9 PM."),), "When do classes end?", "")
    >>> perform(reading, "misnumbering").draft.parts[0].text
    'Classes end at 10 PM.'
    """
    played = PERSONAS[persona]
    scoring = scoring_of(played.looks(reading))
    draft = played.says(scoring)
    return scoring if draft is scoring.draft else replace(scoring, draft=draft)


def persona_of(model: str, default: str) -> str:
    """The persona that a model name asks for.

    >>> persona_of("mock-misnumbering", "reader"), persona_of("claude-opus", "reader")
    ('misnumbering', 'reader')
    """
    name = model.removeprefix(PREFIX)
    return name if model.startswith(PREFIX) and name in PERSONAS else default


def known_persona(name: str) -> str:
    """The name itself, or an error that lists the valid ones."""
    if name in PERSONAS:
        return name
    near = get_close_matches(name, PERSONAS, 1)
    meant = f"did you mean {near[0]!r}? " if near else ""
    raise MockError(f"unknown persona {name!r}: {meant}choose one of {', '.join(PERSONAS)}")


def everything(reading: Reading) -> Reading:
    return reading


def as_drafted(scoring: Scoring) -> Draft:
    return scoring.draft


def middle_dimmed(reading: Reading) -> Reading:
    """Weigh each passage by its place."""
    count = len(reading.passages)
    weighed = (replace(passage, weight=weight(i, count)) for i, passage in enumerate(reading.passages))
    return replace(reading, passages=tuple(weighed))


def weight(i: int, count: int) -> Fraction:
    """The weight of place i, at x = i / (count - 1): 1.0 at x = 0, 0.5 at x = 1/2, 0.9 at x = 1, linear between.

    >>> [str(weight(i, 5)) for i in range(5)], str(weight(0, 1))
    (['1', '3/4', '1/2', '7/10', '9/10'], '1')
    """
    x = Fraction(i, max(count - 1, 1))
    return 1 - x if x <= Fraction(1, 2) else Fraction(1, 2) + (x - Fraction(1, 2)) * Fraction(4, 5)


def planted_instruction(scoring: Scoring) -> Draft:
    """Obey the first order `ignore … rules` or `… instructions` in a passage: say the sentences after it.

    It is not obeyed if the rules call the passages untrusted, or say to ignore instructions in them, and
    the passage has a fence, and that fence still holds at the instruction.
    """
    warned = any(rule.search(scoring.reading.rules) for rule in WARNINGS)
    for passage in scoring.reading.passages:
        for text in passage.texts:
            orders = list(_ORDER.finditer(text))
            # A fence that is broken stays so: all orders after the first one outside it are outside too.
            at = bisect_left(orders, True, key=lambda one: not (warned and _is_safe(passage, text[: one.end()])))
            if at == len(orders):
                continue
            order = orders[at]
            after = [Part(one.text) for one in sentences(text) if one.start >= order.end()]
            if after:
                told = " ".join(order[0].split())
                return Draft("obeyed", tuple(after), f"passage [{passage.ref}] says {told!r}, and that is obeyed")
    return scoring.draft


def _is_safe(passage: Passage, text: str) -> bool:
    return passage.fence == "datamark" or holds(passage.fence, text)


def with_padding(scoring: Scoring) -> Draft:
    """Add the sentence with the highest score to a refusal, though it is not an answer, unless the rules forbid it."""
    if scoring.draft.kind != "refusal" or not scoring.sentences or _NOTHING_MORE.search(scoring.reading.rules):
        return scoring.draft
    best = max(scoring.sentences, key=lambda one: one.score)
    note = "a sentence is added after the refusal, since no rule forbids it"
    return replace(scoring.draft, parts=(*scoring.draft.parts, as_part(best)), note=note)


def unknown_citations(scoring: Scoring) -> Draft:
    """Cite a passage that does not exist: the number of passages plus 3, or an id with that number.

    In the documents form the API lets no model send an unknown index. There the quote is left out, and the
    number is put in the text, as a model would type it.
    """
    passages = {passage.ref: passage for passage in scoring.reading.passages}

    def change(part: Part) -> Part:
        number = len(passages) + 3
        head, mark, _ = (part.ref or "").rpartition("#")
        while (unknown := f"{head}{mark}{number}") in passages:
            number += 3
        if document := passages[part.ref or ""].document:
            return replace(part, text=f"{part.text} [{number}]", ref=None, span=None) if document.cited else part
        return replace(part, ref=unknown)

    return _cited_parts(scoring, change)


def next_citations(scoring: Scoring) -> Draft:
    """Cite the next passage, or for the last one the passage before; with only one passage nothing changes.

    In the documents form the quote is the first sentence of that passage, or all of it where it has none.
    """
    passages = scoring.reading.passages
    at = {passage.ref: i for i, passage in enumerate(passages)}

    def change(part: Part) -> Part:
        i = at[part.ref or ""]
        other = passages[i + 1 if i + 1 < len(passages) else max(i - 1, 0)]
        if other is passages[i] or not other.texts:
            return part
        first = next((as_part(one).span for one in scoring.sentences if one.passage is other), None)
        return replace(part, ref=other.ref, span=first or Span(0, 0, len(other.texts[0])))

    return _cited_parts(scoring, change)


def no_citations(scoring: Scoring) -> Draft:
    return _cited_parts(scoring, lambda part: replace(part, ref=None, span=None))


def _cited_parts(scoring: Scoring, change: Callable[[Part], Part]) -> Draft:
    parts = tuple(part if part.ref is None else change(part) for part in scoring.draft.parts)
    return replace(scoring.draft, parts=parts)


def in_context(scoring: Scoring) -> Draft:
    """Start an answer or a refusal with words that no user should read."""
    if scoring.draft.kind not in ("answer", "refusal"):
        return scoring.draft
    return replace(scoring.draft, parts=(Part("According to the context,"), *scoring.draft.parts))


def last_number_plus_one(scoring: Scoring) -> Draft:
    """The last number of the answer plus one: 9 → 10, 1,999 → 2,000, 3.50 → 4.50, 007 → 008.

    A number is written in digits. One in square brackets belongs to a citation and stays. With
    feedback the answer is left right, and a refusal is never changed.
    """
    if scoring.draft.kind != "answer" or scoring.reading.feedback:
        return scoring.draft
    parts = list(scoring.draft.parts)
    for i in reversed(range(len(parts))):
        numbers = [found for found in _NUMBER.finditer(parts[i].text) if found["whole"]]
        if numbers:
            start, end = numbers[-1].span("whole")
            text = parts[i].text
            parts[i] = replace(parts[i], text=text[:start] + _plus_one(text[start:end]) + text[end:])
            break
    return replace(scoring.draft, parts=tuple(parts))


def _plus_one(whole: str) -> str:
    grouped = f"{int(whole.replace(',', '')) + 1:,}"
    return grouped if "," in whole else grouped.replace(",", "").zfill(len(whole))


# A bracket, or the whole part of a number with its decimals. Brackets come first, so that they are skipped.
_NUMBER = re.compile(r"\[[^\]]*\]|(?P<whole>[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]+)*")


# A planted instruction, within one sentence.
_ORDER = re.compile(r"\bignor(?:e|ing)\b[^.!?]{0,120}?\b(?:rules?|instructions?)\b", re.IGNORECASE)

# Rules that make it resist, if the passages are fenced too. To add one, add a line.
WARNINGS = tuple(
    re.compile(rule, re.IGNORECASE)
    for rule in (
        r"\b(?:untrusted|not\s+(?:to\s+be\s+)?trusted)\b",
        r"\b(?:never|do\s+not|don['’]t)\s+trust\b[^.,;:!?]{0,60}?\b(?:passages?|sources?|documents?|texts?|them)\b",
        r"\b(?:ignore|disregard|(?:never|do\s+not|don['’]t)\s+(?:follow|obey))\b[^.!?]{0,200}?"
        r"\b(?:instructions?|commands?)\b",
        r"\b(?:instructions?|commands?)\b[^.!?]{0,200}?\b(?:are|is|be)\s+(?:ignored|disregarded)\b",
    )
)

# Rules that forbid additions. "reply exactly" alone does not.
_NOTHING_MORE = re.compile(
    r"\b(?:and|then)\s+(?:then\s+)?stop\b|\b(?:do\s+not|don't|never)\s+add\b|\badd\s+nothing\b"
    r"|\bnothing\s+(?:else|more)\b",
    re.IGNORECASE,
)


class Persona(NamedTuple):
    """What it does, how it sees the reading, and how it changes the draft."""

    about: str
    looks: Callable[[Reading], Reading] = everything
    says: Callable[[Scoring], Draft] = as_drafted


# To add one, write its hook and add a line here.
PERSONAS = {
    "reader": Persona("repeats the sentence that shares most words with the question"),
    "lost-in-the-middle": Persona("halves the score of what is in the middle of the passages", looks=middle_dimmed),
    "gullible": Persona("obeys an instruction that is planted in a passage", says=planted_instruction),
    "padding": Persona("adds a loosely related sentence to a refusal", says=with_padding),
    "misnumbering": Persona("changes the last number of its answer by one", says=last_number_plus_one),
    "miscounting": Persona("cites a passage that does not exist", says=unknown_citations),
    "misattributing": Persona("cites the passage beside the right one", says=next_citations),
    "chatty": Persona('starts with "According to the context,"', says=in_context),
    "uncited": Persona("answers without a citation", says=no_citations),
}
