"""Personas: one failure each, on purpose.

A persona is two small hooks around the reader: what it looks at, and what it does to the draft.
The model name `mock-<persona>` chooses one; any other model name means the server's default.
No clock and no random: the same request gives the same bytes.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from difflib import get_close_matches
from typing import NamedTuple

from mock_llm.errors import MockError
from mock_llm.reader import Reckoning, reckon
from mock_llm.records import Draft, Reading

PREFIX = "mock-"


def perform(reading: Reading, persona: str) -> Reckoning:
    """Let a persona read and draft.

    >>> from mock_llm.records import Passage
    >>> reading = Reading("numbered", (Passage("1", "Classes end at 9 PM."),), "When do classes end?", "")
    >>> perform(reading, "misnumbering").draft.parts[0].text
    'Classes end at 10 PM.'
    """
    played = PERSONAS[persona]
    done = reckon(played.looks(reading))
    return replace(done, draft=played.says(done))


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


def as_drafted(done: Reckoning) -> Draft:
    return done.draft


def last_number_plus_one(done: Reckoning) -> Draft:
    """The last number of the answer plus one: 9 → 10, 1,999 → 2,000, 3.50 → 4.50, 007 → 008.

    A number is written in digits. One in square brackets belongs to a citation and stays. With
    feedback the answer is right, and a refusal is never changed.
    """
    if done.draft.kind != "answer" or done.reading.feedback:
        return done.draft
    parts = list(done.draft.parts)
    for i in reversed(range(len(parts))):
        numbers = [found for found in _NUMBER.finditer(parts[i].text) if found["whole"]]
        if numbers:
            start, end = numbers[-1].span("whole")
            text = parts[i].text
            parts[i] = replace(parts[i], text=text[:start] + _plus_one(text[start:end]) + text[end:])
            break
    return replace(done.draft, parts=tuple(parts))


def _plus_one(whole: str) -> str:
    grouped = f"{int(whole.replace(',', '')) + 1:,}"
    return grouped if "," in whole else grouped.replace(",", "").zfill(len(whole))


# A bracket, or the whole part of a number with its decimals. Brackets come first, to be passed over.
_NUMBER = re.compile(r"\[[^\]]*\]|(?P<whole>[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]+)*")


class Persona(NamedTuple):
    """What it does, its view of the reading, and its change to the draft."""

    about: str
    looks: Callable[[Reading], Reading] = everything
    says: Callable[[Reckoning], Draft] = as_drafted


# To add one, write its hook and add a line here.
PERSONAS = {
    "reader": Persona("repeats the sentence that shares most words with the question"),
    "misnumbering": Persona("changes the last number of its answer by one", says=last_number_plus_one),
}
