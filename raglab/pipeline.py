"""The whole pipeline on one screen: question → hits → prompt → reply → problems → Answer."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from raglab.blocks import render_blocks
from raglab.checks import check_answer, chosen_checks
from raglab.citations import cited_passages
from raglab.coverage import is_partial
from raglab.errors import SettingError
from raglab.followups import rewritten
from raglab.models import Model
from raglab.prompts import build_prompt, with_feedback
from raglab.records import Answer, Hit, Prompt, Quote, Reply, Source, Style
from raglab.refusals import is_refusal
from raglab.startup import as_model
from raglab.streaming import Shown, stream_reply, unmarked
from raglab.styles import NUMBERED, find_style

Search = Callable[[str, int], Sequence[Hit]]
_DEEPEST = 64  # times k: how far down a ranking is read to fill the places that `per_source` leaves


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
    history: Sequence[tuple[str, str]] = (),
    retries: int = 0,
    fence: str | None = None,
    checks: Iterable[str] | None = None,
    on_token: Callable[[str], object] | None = None,
) -> Answer:
    """Answer `question` from the documents of `index`, with citations, or say honestly that they hold no answer.

    `index` has `search(question, k) -> hits`; `search=` replaces it for this call. `model=None` means `connect()`;
    a plain function works too. `k` and `min_score` (cosine, 0..1) default to the style's. `order` arranges the hits
    for the prompt, as `edge_order` does. `history` holds the (question, answer text) pairs before, oldest first; a
    vague question is then rewritten before it is searched. `retries` is how often a reply that fails its `checks`
    (codes; the style's by default) is sent back with what is wrong. `fence` wraps each passage, see `fence_passages`.
    `on_token` gets the text in pieces as it comes. A bad answer raises nothing: its status is `needs_review`.

    >>> class Index:
    ...     def search(self, question, k):
    ...         return [Hit.of("fees.md#0", "The fee is ten dollars.")]
    >>> ask("What is the fee?", Index(), lambda prompt: "Ten dollars [1].").status
    'answered'
    """
    style = find_style(style)
    k, min_score, retries = _settings(style, k, min_score, retries)
    checks = chosen_checks(style.checks if checks is None else checks, style)
    if fence:
        build_prompt(question, [], style, fence=fence)  # a fence that cannot be is an error, whatever is found
    searched, spent = rewritten(question, history, model)
    hits = retrieve(searched, search or index.search, k, min_score, style.per_source)
    hits = list(order(hits)) if order else hits
    answer = Answer(style.refusal, "not_found", question, searched, hits=tuple(hits), usage=spent)
    shown = Shown(style, on_token, hold=retries > 0)
    if not hits:  # the first guard: nothing to answer from, so the model is not asked
        answer = replace(answer, refused_by="gate")
    else:
        prompt, model = build_prompt(searched, hits, style, fence=fence), as_model(model)
        answer = _judge(answer, prompt, stream_reply(prompt, model, shown), checks)
        for _ in range(retries):
            if answer.status != "needs_review":
                break
            prompt = with_feedback(prompt, answer.reply, answer.problems)
            answer = _judge(answer, prompt, stream_reply(prompt, model, shown), checks)
    retracted = shown.finish(answer, _source_list(answer, style))
    return replace(answer, retracted=retracted)


def retrieve(question: str, search: Search, k: int, min_score: float, per_source: int | None) -> list[Hit]:
    """The first k hits above the gate, best first; it is drawn here, so that any index with a `search` will do."""
    if not question.strip() or not k:
        return []
    asked = k
    while True:
        found = list(search(question, asked))
        for hit in found:
            if not isinstance(hit, Hit):
                raise SettingError(f"search returned {type(hit).__name__}, not Hit; make one with Hit.of(id, text).")
        hits = _capped([hit for hit in found if hit.score > 0 and hit.score >= min_score], per_source)[:k]
        if per_source is None or len(hits) == k or len(found) < asked or asked > _DEEPEST * k:
            return hits
        asked *= 2  # the cap left some out: look further down the ranking


def _capped(hits: list[Hit], per_source: int | None) -> list[Hit]:
    """The hits without those that come after `per_source` others of the same document."""
    if per_source is None:
        return hits
    seen: Counter[str] = Counter()
    kept = []
    for hit in hits:
        seen[hit.chunk.source] += 1
        if seen[hit.chunk.source] <= per_source:
            kept.append(hit)
    return kept


def _judge(before: Answer, prompt: Prompt, reply: Reply, checks: Sequence[str]) -> Answer:
    """The second guard: the reply is a refusal, fails its checks, or is an answer."""
    style, hits = prompt.style, before.hits
    usage = before.usage + reply.usage if before.usage and reply.usage else reply.usage or before.usage
    text, quotes = _read(reply, prompt)
    answer = replace(before, text=style.refusal, problems=(), prompt=prompt, reply=reply, usage=usage)
    if is_refusal(text, style):
        # A block style gives only the beginning of its refusal; the model words it to the end.
        told = text if style.citation == "block" else style.refusal
        return replace(answer, text=told, status="not_found", refused_by="model")
    asked = " ".join(dict.fromkeys((before.question, before.search_question)))
    problems = check_answer(text, hits, asked, style=style, checks=checks)
    if problems:
        return replace(answer, status="needs_review", problems=tuple(problems))
    answer = replace(answer, text=text, status="answered", sources=_sources(text, quotes, hits, style))
    if style.citation == "block" and is_partial(_text_blocks(reply)):
        answer = replace(answer, status="partial")
    return replace(answer, text=text + _source_list(answer, style))


def _read(reply: Reply, prompt: Prompt) -> tuple[str, list[Quote]]:
    """The text that the checks see, and the quotes that the service vouches for."""
    if prompt.style.citation != "block":
        return unmarked(reply.text, prompt).strip(), []
    text, quotes = render_blocks(reply.blocks or [{"type": "text", "text": reply.text}])
    return text.strip(), quotes


def _text_blocks(reply: Reply) -> list[tuple[str, bool]]:
    blocks = [block for block in reply.blocks if block.get("type") == "text"] or [{"text": reply.text}]
    return [(block["text"], bool(block.get("citations"))) for block in blocks]


def _sources(text: str, quotes: Sequence[Quote], hits: Sequence[Hit], style: Style) -> tuple[Source, ...]:
    """Every passage of the prompt with its number, and whether the answer cites it."""
    cited = {quote.n for quote in quotes} if style.citation == "block" else set(cited_passages(text, hits, style))
    return tuple(
        Source(
            *(n, hit.chunk.id, hit.chunk.source, hit.chunk.heading, hit.score, n in cited),
            quotes=tuple(quote for quote in quotes if quote.n == n),
        )
        for n, hit in enumerate(hits, 1)
    )


def _source_list(answer: Answer, style: Style) -> str:
    """The list that some styles append to an answer: every number it cites, in order, each once."""
    cited = [source for source in answer.sources if source.cited]
    if not style.source_list or not cited:
        return ""
    lines = [style.source_list.replace("{n}", str(source.n)).replace("{source}", source.source) for source in cited]
    return "\n\nSources:\n" + "\n".join(lines)


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
