"""Hits → prompt: the style's recipe carried out, to the character."""

from collections.abc import Iterable, Sequence

from raglab.injection import neutralise
from raglab.records import Hit, Problem, Prompt, Reply, Style
from raglab.styles import NUMBERED, find_style
from raglab.words import squash


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
    passages = style.separator.join(_passage(n, hit, style) for n, hit in enumerate(hits, 1))
    content = style.user.format(passages=passages, question=_fenced(question, style))
    return Prompt(style.system, content, style)


def with_feedback(prompt: Prompt, reply: Reply, problems: Iterable[Problem]) -> Prompt:
    """The same conversation, continued: the model's reply, then its problems and the request to try again."""
    lines = ["Problems with your answer:", *(f"- {problem.detail}" for problem in problems)]
    feedback = "\n".join([*lines, "Answer the question again without these problems."])
    # The services refuse an empty turn.
    return prompt.with_turns(("assistant", reply.text.strip() or "(no answer)"), ("user", feedback))


def _passage(n: int, hit: Hit, style: Style) -> str:
    chunk = hit.chunk
    text = squash(chunk.text) if style.squash else _fenced(chunk.text, style)
    return style.passage.format(
        n=n, id=_attribute(chunk.id, style), anchor=chunk.anchor, source=chunk.source, text=text
    )


def _fenced(text: str, style: Style) -> str:
    return neutralise(text, style.fence) if style.fence else text


def _attribute(id: str, style: Style) -> str:
    """The id as it may stand between the quotation marks of a tag."""
    return _fenced(id, style).translate({34: "'", 60: "(", 62: ")"}) if style.fence else id
