"""Follow-up questions: a question that leans on the conversation → one that stands alone, for search and prompt."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from raglab.models.connect import model_or_connect
from raglab.protocols import Model
from raglab.records import Prompt, Usage
from raglab.styles import NUMBERED
from raglab.text.words import fold, squash

TURNS = 3  # of the conversation that the model sees
LONGEST = 300  # characters of a rewrite; a longer one is an answer, not a question

INSTRUCTION = (
    "Rewrite the last question so that it stands alone: put the thing it is about in place of words like it, that or "
    "they. Keep its meaning and its language. Reply with the question only."
)

_VAGUE = re.compile(r"\b(?:it|its|that|they|them|their|those|these|this)\b", re.IGNORECASE)
# A model may put the prompt's own label in front of its rewrite.
_LABEL = re.compile(r"(?:(?:rewritten|stand-?alone|last)\s)*question\s?:\s*", re.IGNORECASE)
_QUOTED = re.compile(r"""["'“‘«]([^"“”«»]*)["'”’»]""")
# What ends a conversation and asks nothing: one of the first, and nothing but these and the others.
_COURTESIES = frozenset(
    "thanks thank thx cheers ok okay great cool perfect nice wonderful awesome bye goodbye got helps helped".split()
)
_AROUND_THEM = frozenset(
    "a all and for good help helpful i is it its lot makes me much now really s see sense so that the this understand"
    " very was well works worked you".split()
)
_STYLE = replace(NUMBERED, name="rewrite", system=None, max_tokens=200)  # for the reply; the prompt is our own


def standalone(
    question: str, history: Sequence[tuple[str, str]], model: Model | Callable[..., str] | None = None
) -> str:
    """The question as it would be asked without the conversation before it.

    `history` holds (question, answer text) pairs, oldest first. The model is asked only when there is one and the
    question holds a vague word (it, its, that, this, these, those, they, them, their). A rewrite that is empty, over
    300 characters or has several lines is not trusted: the question stays as it is, and so does "thanks". Raises
    `ModelError` where the model gives no reply.

    >>> history = [("What is the laptop loan policy?", "Members may borrow one.")]
    >>> standalone("How long can I keep it?", history, lambda prompt: "How long can I keep a laptop?")
    'How long can I keep a laptop?'
    """
    return rewritten(question, history, model_or_connect(model))[0]


def rewritten(question: str, history: Sequence[tuple[str, str]], model: Model) -> tuple[str, Usage | None]:
    """What `standalone` gives, and the tokens that it took; None without a call."""
    if not history or not _VAGUE.search(question) or _asks_nothing(question):
        return question, None
    reply = model.complete(_prompt(question, history))
    rewrite = reply.text.strip()
    if label := _LABEL.match(rewrite):
        rewrite = rewrite[label.end() :]
    if quoted := _QUOTED.fullmatch(rewrite):
        rewrite = quoted[1].strip()
    trusted = len(rewrite) <= LONGEST and len(rewrite.splitlines()) == 1
    return rewrite if trusted else question, reply.usage


def _asks_nothing(question: str) -> bool:
    words = set(re.findall(r"[^\W_]+", fold(question)))
    return "?" not in question and bool(words & _COURTESIES) and words <= _COURTESIES | _AROUND_THEM


def _prompt(question: str, history: Sequence[tuple[str, str]]) -> Prompt:
    turns = [f"User: {squash(asked)}\nAssistant: {squash(answer)}" for asked, answer in history[-TURNS:]]
    content = "\n".join([INSTRUCTION, "", *turns, f"Question: {squash(question)}"])
    return Prompt(None, content, _STYLE)
