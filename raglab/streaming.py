"""Streaming: what may be shown while a reply is still coming, so that nothing has to be taken back.

Held back are white space at either end, a marker that is not whole, and words that may still become a refusal. The
pieces shown join to the text of the answer, unless the answer turns out to need review: then it is `retracted`.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from raglab.errors import ModelError
from raglab.grounding.cited_blocks import BlockRenderer, numbers_of, quotes_of
from raglab.protocols import Model, StreamingModel
from raglab.records import Answer, Delta, Prompt, Quote, Reply
from raglab.styles import Style
from raglab.text.words import fold

_LONGEST_MARKER = 300  # code points; a longer bracket is prose
# What may stand before a refusal, or between its words.
_MARKS = " \t\r\n*_>\"'`“”„‘’‚‛‹›«»「」『』#~\\\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
_APOSTROPHES = str.maketrans("’‘‚‛ʼ´`", "'" * 7)
_BRACKET = re.compile(r"[\[\]【】［］〔〕]")
_WORD = re.compile(r"\w+", re.UNICODE)


class Shown:
    """Passes the text of one reply on in pieces, and knows what it has passed on."""

    def __init__(self, style: Style, on_token: Callable[[str], object] | None, hold: bool = False):
        self._on_token = on_token or (lambda piece: None)
        self._refusals = _refusals(style.sentinel, style.refusal)
        self._renderer = BlockRenderer() if style.citation == "block" else None
        self._cited: list[Quote] = []  # by the block that is coming
        self._waiting = ""
        self._holding = hold or style.hold or on_token is None  # nothing is passed on before the end
        self._pieces: list[str] = []

    @property
    def wants_pieces(self) -> bool:
        """Whether anything is passed on before the end."""
        return not self._holding

    def take(self, delta: Delta) -> None:
        """Take one piece of the reply, and pass on what is safe."""
        if self._holding:
            return
        text = delta.text
        if self._renderer:
            text = self._renderer.feed(text)
            self._cited += quotes_of(delta.citations)
            if delta.ends_block:
                self._renderer.end_block(numbers_of(self._cited))
                self._cited = []
        if not text:
            return
        self._waiting += text
        if not text.strip(_MARKS):  # makes nothing more safe, and must not be looked at again with every piece
            return
        safe = self._safe()
        self._give(self._waiting[:safe])
        self._waiting = self._waiting[safe:]

    def finish(self, answer: Answer, tail: str = "") -> bool:
        """Pass on the rest of the answer, its `tail` as a piece of its own; True when it must be taken back."""
        given, body = "".join(self._pieces), answer.text.removesuffix(tail)
        if not body.startswith(given):
            return True
        self._give(body[len(given) :])
        self._give(tail)
        return False

    def _give(self, piece: str) -> None:
        if not self._pieces:
            piece = piece.lstrip()
        if piece:
            self._pieces.append(piece)
            self._on_token(piece)

    def _safe(self) -> int:
        """How much of the waiting text can be passed on."""
        text = self._waiting
        end = min(len(text.rstrip(_MARKS)), _open_bracket(text))
        folded, places = _folded_with_places(text)
        for word in _WORD.finditer(folded):
            start = word.start()
            for refusal in self._refusals:
                whole = folded.startswith(refusal, start)
                begun = len(folded) - start < len(refusal) and refusal.startswith(folded[start:])
                if whole or begun:
                    self._holding = whole
                    return min(end, len(text[: places[start]].rstrip(_MARKS)))
        return end


def stream_reply(prompt: Prompt, model: Model, shown: Shown) -> Reply:
    """The whole reply of a model, passed on piece by piece where the model can stream.

    Raises `ModelError` where the model gives no reply, or a stream that ends before its reply is whole.
    """
    if not (shown.wants_pieces and isinstance(model, StreamingModel)):
        return model.complete(prompt)
    reply = None
    for delta in model.stream(prompt):
        shown.take(replace(delta, text=unmarked(delta.text, prompt)))
        reply = delta.reply or reply
    if reply is None:
        raise ModelError("The stream of the model ended before its reply was whole; ask again.")
    return reply


def unmarked(text: str, prompt: Prompt) -> str:
    """The text with blanks for the marks that a model copied from a datamarked prompt."""
    return text.replace(prompt.mark, " ") if prompt.mark else text


def _open_bracket(text: str) -> int:
    """Where a marker that is not whole yet starts; the length of the text if there is none."""
    start, depth, opened = max(0, len(text) - _LONGEST_MARKER), 0, len(text)
    for bracket in _BRACKET.finditer(text, start):
        if bracket[0] in "[【［〔":
            opened = bracket.start() if depth == 0 else opened
            depth += 1
        else:
            depth = max(0, depth - 1)
    # A closed marker at the very end may still become a link, a range or a doubled one: one more character tells.
    if depth == 0 and opened < len(text) and text.endswith(("]", "】", "］", "〕")):
        return opened
    return opened if depth else len(text)


@cache
def _refusals(sentinel: str, refusal: str) -> tuple[str, str]:
    """How sentinel and refusal begin: their first sentence is enough to know them by."""
    return _first_sentence_folded(sentinel), _first_sentence_folded(refusal)


def _first_sentence_folded(text: str) -> str:
    return _folded_with_places(text.partition(". ")[0])[0]


def _folded_with_places(text: str) -> tuple[str, list[int]]:
    """The text without case, marks and repeated white space, and the place of each of its characters."""
    letters: list[str] = []
    places: list[int] = []
    gap = False
    for place, character in enumerate(text.translate(_APOSTROPHES)):
        for letter in fold(character):
            if letter.isspace():
                gap = True
            elif letter not in _MARKS or letter == "'":
                if gap and letters:
                    letters.append(" ")
                    places.append(place)
                gap = False
                letters.append(letter)
                places.append(place)
    return "".join(letters), places
