"""Hits → prompt: the style's recipe carried out, to the character."""

from collections.abc import Iterable, Sequence
from functools import partial

from raglab.errors import SettingError
from raglab.prompting.fences import FENCES, TAG, Fence, attribute, fence_for, neutralise
from raglab.records import Chunk, ContentBlock, Hit, Problem, Prompt, Reply
from raglab.settings import one_of
from raglab.styles import NUMBERED, Style, filled, find_style
from raglab.text.words import squash


def build_prompt(
    question: str, hits: Sequence[Hit], style: Style | str = NUMBERED, *, fence: str | None = None
) -> Prompt:
    """The prompt that asks `question` over `hits`, in their order; equal input gives equal bytes.

    Numbers in a prompt are valid in that prompt alone: passage `[n]` is `hits[n - 1]`. `fence` wraps the text of each
    passage, see `fence_passages`, and adds a rule that says so. Raises `SettingError` for an unknown style or fence,
    and for a fence with a style that keeps passages apart by itself, such as TAGGED and DOCUMENTS.

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
    check_fence(fence, style)
    fenced = fence_for(question, hits, fence) if fence else None
    passages = [_passage(n, hit, style, fenced) for n, hit in enumerate(hits, 1)]
    if style.citation == "block":
        return Prompt(style.system, _blocks(question, hits, passages), style)
    parts = {"passages": style.separator.join(passages), "question": _kept_in(question, style)}
    system, user = _with_rule(style, fenced)
    content = filled(user, parts)
    return Prompt(filled(system, parts) if system else None, content, style, mark=fenced.mark if fenced else "")


def check_fence(fence: str | None, style: Style) -> None:
    """A `SettingError` for a fence that does not exist, or for any where the style keeps passages apart by itself."""
    if fence is None:
        return
    one_of("fence", fence, FENCES)
    if style.citation == "block" or style.tags:
        raise SettingError(
            f"The style {style.name} takes no fence ({fence!r}): it keeps its passages apart by itself; "
            "leave fence out."
        )


def with_feedback(prompt: Prompt, reply: Reply, problems: Iterable[Problem]) -> Prompt:
    """The same conversation, continued: the model's reply, then its problems and the request to try again."""
    lines = ["Problems with your answer:", *(f"- {problem.detail}" for problem in problems)]
    feedback = "\n".join([*lines, "Answer the question again without these problems."])
    # The services refuse an empty turn.
    return prompt.with_turns(("assistant", reply.text.strip() or "(no answer)"), ("user", feedback))


def _passage(n: int, hit: Hit, style: Style, fence: Fence | None) -> str:
    chunk = hit.chunk
    text = squash(chunk.text) if style.squash else _kept_in(chunk.text, style)
    if fence:  # the marker stays outside, and holds nothing that could be taken for a tag
        text = fence.wrap(text, n=n, source=chunk.anchor, lines="\n{text}" in style.passage)
    tags = (*style.tags, TAG) if fence else style.tags
    label = partial(neutralise, names=tags) if tags else str
    parts = {
        "n": str(n),
        "id": attribute(label(chunk.id)) if style.tags else label(chunk.id),
        "anchor": label(chunk.anchor),
        "source": label(chunk.source),
        "breadcrumb": _breadcrumb(chunk),
        "text": text,
    }
    return filled(style.passage, parts)


def _with_rule(style: Style, fence: Fence | None) -> tuple[str | None, str]:
    """System and user template, with the fence's rule at the end of the rules, wherever the style has them."""
    if not fence or (fence.tag == TAG and not fence.mark and "untrusted" in (style.system or style.user)):
        return style.system, style.user
    rules, gap, rest = (style.system or style.user).partition("\n\n")
    ruled = f"{rules}\n{fence.rule}{gap}{rest}"
    return (ruled, style.user) if style.system else (None, ruled)


def _blocks(question: str, hits: Sequence[Hit], passages: Sequence[str]) -> tuple[ContentBlock, ...]:
    """One document block per passage, then the question; the service cites the documents by itself."""
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
    """`[category] title > heading`, always all three: a line of any other form could be read as a sentence."""
    category, title = chunk.meta.get("category") or chunk.source, _title(chunk)
    return squash(f"[{category}] {title} > {chunk.heading or title}")


def _kept_in(text: str, style: Style) -> str:
    return neutralise(text, style.tags) if style.tags else text
