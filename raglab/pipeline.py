"""The whole pipeline on one screen: question → hits → prompt → reply → problems → Answer."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from raglab.checks import check_answer
from raglab.citations import cited_passages
from raglab.errors import SettingError
from raglab.models import Model
from raglab.models.function import FunctionModel
from raglab.prompts import build_prompt, with_feedback
from raglab.records import Answer, Hit, Prompt, Source, Style, Usage
from raglab.refusals import is_refusal
from raglab.startup import connect
from raglab.styles import NUMBERED, find_style

Search = Callable[[str, int], Sequence[Hit]]


def ask(
    question: str,
    index: Any,
    model: Model | Callable[..., str] | None = None,
    *,
    style: Style | str = NUMBERED,
    k: int | None = None,
    min_score: float | None = None,
    order: Callable[[list[Hit]], Sequence[Hit]] | None = None,
    search: Search | None = None,
    retries: int = 0,
    checks: Iterable[str] | None = None,
) -> Answer:
    """Answer `question` from the documents of `index`, with citations, or say honestly that they hold no answer.

    `index` has `search(question, k) -> hits`; `search=` replaces it for this call. `model=None` means `connect()`;
    a plain function works too. `k` and `min_score` (cosine, 0..1) default to the style's. `order` arranges the hits
    for the prompt, as `edge_order` does. `retries` is how often a reply that fails its `checks` (codes; the style's
    by default) is sent back with what is wrong. A bad answer raises nothing: its status is `needs_review`.

    >>> class Index:
    ...     def search(self, question, k):
    ...         return [Hit.of("fees.md#0", "The fee is ten dollars.")]
    >>> ask("What is the fee?", Index(), lambda prompt: "Ten dollars [1].").status
    'answered'
    """
    style = find_style(style)
    k, min_score, retries = _settings(style, k, min_score, retries)
    hits = _retrieve(question, search or index.search, k, min_score)
    if not hits:  # the first guard: nothing to answer from, so the model is not asked
        return Answer(style.refusal, "not_found", question, question, refused_by="gate")
    hits = list(order(hits)) if order else hits
    prompt = build_prompt(question, hits, style)
    model = _as_model(model)
    answer = _attempt(prompt, model, question, hits, checks)
    for _ in range(retries):
        if answer.status != "needs_review":
            break
        again = with_feedback(answer.prompt, answer.reply, answer.problems)
        answer = _attempt(again, model, question, hits, checks, spent=answer.usage)
    return answer


def _retrieve(question: str, search: Search, k: int, min_score: float) -> list[Hit]:
    """The first k hits above the gate; it is drawn here, so that any index with a `search` will do."""
    hits = list(search(question, k)) if question.strip() else []
    for hit in hits:
        if not isinstance(hit, Hit):
            raise SettingError(f"search returned {type(hit).__name__}, not Hit; make one with Hit.of(id, text).")
    return [hit for hit in hits if hit.score > 0 and hit.score >= min_score][:k]


def _attempt(
    prompt: Prompt,
    model: Model,
    question: str,
    hits: Sequence[Hit],
    checks: Iterable[str] | None,
    spent: Usage | None = None,
) -> Answer:
    """One call of the model, and the second guard: its reply is a refusal, passes its checks, or needs review."""
    style = prompt.style
    reply = model.complete(prompt)
    usage = spent + reply.usage if spent and reply.usage else reply.usage or spent
    answer = Answer(
        reply.text.strip(), "answered", question, question, hits=tuple(hits), prompt=prompt, reply=reply, usage=usage
    )
    if is_refusal(reply.text, style):
        return replace(answer, text=style.refusal, status="not_found", refused_by="model")
    problems = check_answer(reply.text, hits, question, style=style, checks=style.checks if checks is None else checks)
    if problems:
        return replace(answer, text=style.refusal, status="needs_review", problems=tuple(problems))
    return replace(answer, sources=_sources(reply.text, hits, style))


def _sources(text: str, hits: Sequence[Hit], style: Style) -> tuple[Source, ...]:
    """Every passage of the prompt with its number, and whether the answer cites it."""
    cited = cited_passages(text, hits, style)
    return tuple(
        Source(n, hit.chunk.id, hit.chunk.source, hit.chunk.heading, hit.score, n in cited)
        for n, hit in enumerate(hits, 1)
    )


def _as_model(model: Model | Callable[..., str] | None) -> Model:
    if model is None:
        return connect()
    return model if isinstance(model, Model) else FunctionModel(model)


def _settings(style: Style, k: int | None, min_score: float | None, retries: int) -> tuple[int, float, int]:
    """The style's settings where the caller gave none, and nothing that cannot be meant."""
    k = style.k if k is None else k
    min_score = style.min_score if min_score is None else min_score
    if k < 0:
        raise SettingError(f"k={k} is not possible; use 0 or more passages.")
    if not 0 <= min_score <= 1:
        raise SettingError(f"min_score={min_score} is not possible; a cosine lies between 0 and 1.")
    if retries < 0:
        raise SettingError(f"retries={retries} is not possible; use 0 or more.")
    return k, min_score, retries
