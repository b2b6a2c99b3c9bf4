"""Hits → prompt: the style's recipe carried out, to the character."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from raglab.injection import neutralise
from raglab.records import Chunk, Hit, Problem, Prompt, Reply, Style
from raglab.styles import NUMBERED, find_style
from raglab.words import squash

_PLACE = re.compile(r"\{(\w+)\}")


def build_prompt(question: str, hits: Sequence[Hit], style: Style | str = NUMBERED) -> Prompt:
    """The prompt that asks `question` over `hits`, in their order; equal input gives equal bytes.

    Numbers in a prompt are valid in that prompt alone: passage `[n]` is `hits[n - 1]`.

    >>> hits = [Hit.of("notes.md#0", "Tea at four."), Hit.of("notes.md#2", "Cake at five.")]
    >>> print(build_prompt("When is tea?", hits, "bracketed").content)
    Answer the question using only the sources below.
    Cite every source you use by its bracketed id, like [notes.md#2].
    If the sources do not answer the question, reply exactly: NOT_IN_CONTEXT
    <BLANKLINE>
    [notes.md#0] Tea at four.
    <BLANKLINE>
    [notes.md#2] Cake at five.
    <BLANKLINE>
    Question: When is tea?
    """
    style = find_style(style)
    passages = [_passage(n, hit, style) for n, hit in enumerate(hits, 1)]
    if style.citation == "block":
        return Prompt(style.system, _blocks(question, hits, passages), style)
    parts = {"passages": style.separator.join(passages), "question": _kept_in(question, style)}
    return Prompt(_filled(style.system, parts) if style.system else None, _filled(style.user, parts), style)


def with_feedback(prompt: Prompt, reply: Reply, problems: Iterable[Problem]) -> Prompt:
    """The same conversation, continued: the model's reply, then its problems and the request to try again."""
    lines = ["Problems with your answer:", *(f"- {problem.detail}" for problem in problems)]
    feedback = "\n".join([*lines, "Answer the question again without these problems."])
    # The services refuse an empty turn.
    return prompt.with_turns(("assistant", reply.text.strip() or "(no answer)"), ("user", feedback))


def _passage(n: int, hit: Hit, style: Style) -> str:
    chunk = hit.chunk
    parts = {
        "n": str(n),
        "id": _kept_in(chunk.id, style).translate(_QUOTED) if style.tags else chunk.id,
        "anchor": chunk.anchor,
        "source": chunk.source,
        "breadcrumb": _breadcrumb(chunk),
        "text": squash(chunk.text) if style.squash else _kept_in(chunk.text, style),
    }
    return _filled(style.passage, parts)


def _blocks(question: str, hits: Sequence[Hit], passages: Sequence[str]) -> tuple[dict[str, Any], ...]:
    """One document block a passage, then the question; the service cites the documents by itself."""
    documents = (
        {
            "type": "document",
            "source": {"type": "text", "media_type": "text/plain", "data": passage},
            "title": _title(hit.chunk),
            "context": str(hit.chunk.meta.get("url") or hit.chunk.source),
            "citations": {"enabled": True},
        }
        for hit, passage in zip(hits, passages, strict=True)
    )
    return (*documents, {"type": "text", "text": question})


def _title(chunk: Chunk) -> str:
    return str(chunk.meta.get("title") or chunk.source)


def _breadcrumb(chunk: Chunk) -> str:
    category = chunk.meta.get("category")
    title, heading = _title(chunk), chunk.heading
    trail = f"{title} > {heading}" if heading and heading != title else title
    return squash(f"[{category}] {trail}" if category else trail)


def _filled(template: str, parts: dict[str, str]) -> str:
    """The template with its places filled in one pass: braces in a passage or a question are text."""
    return _PLACE.sub(lambda place: parts.get(place[1], place[0]), template)


def _kept_in(text: str, style: Style) -> str:
    return neutralise(text, style.tags) if style.tags else text


_QUOTED = str.maketrans({'"': "'", "<": "(", ">": ")"})  # an id stands between the quotation marks of a tag
