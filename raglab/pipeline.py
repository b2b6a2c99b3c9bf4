"""The whole pipeline on one screen: question → hits → prompt → reply → problems → Answer."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypedDict

from raglab.errors import SettingError
from raglab.followups import rewritten
from raglab.grounding.checks import check_answer, chosen_checks
from raglab.grounding.citations import cited_passages
from raglab.grounding.cited_blocks import render_blocks
from raglab.grounding.partial import is_partial
from raglab.grounding.refusals import is_refusal
from raglab.models.connect import model_or_connect
from raglab.prompting.prompts import build_prompt, check_fence, with_feedback
from raglab.protocols import Index, Model
from raglab.records import Answer, Hit, Prompt, Quote, Reply, Source
from raglab.retrieval.retrieve import Search, checked_hits, retrieve
from raglab.settings import whole_number
from raglab.streaming import Shown, stream_reply, unmarked
from raglab.styles import NUMBERED, Style, filled, find_style

Order = Callable[[list[Hit]], Sequence[Hit]]


class AskSettings(TypedDict, total=False):
    """The settings of `ask`, for functions that hand them on."""

    style: Style | str
    k: int | None
    min_score: float | None
    order: Order | None
    search: Search | None
    history: Sequence[tuple[str, str]]
    retries: int
    fence: str | None
    checks: Iterable[str] | None
    on_token: Callable[[str], object] | None


def ask(
    question: str,
    index: Index | None,
    model: Model | Callable[..., str] | None = None,
    *,
    style: Style | str = NUMBERED,
    k: int | None = None,
    min_score: float | None = None,
    order: Order | None = None,
    search: Search | None = None,
    history: Sequence[tuple[str, str]] = (),
    retries: int = 0,
    fence: str | None = None,
    checks: Iterable[str] | None = None,
    on_token: Callable[[str], object] | None = None,
) -> Answer:
    """Answer `question` from the documents of `index`, with citations, or say honestly that they hold no answer.

    `index` has `search(question, k) -> hits`, see `Index`; `search=` replaces it for this call. `model=None` means
    `connect()`; a plain function works too. `k` and `min_score` (cosine, 0..1) default to the style's. `order`
    arranges the hits for the prompt, as `edge_order` does. `history` holds the (question, answer text) pairs before,
    oldest first; a vague question is then rewritten before it is searched. `retries` is how often a reply that fails
    its `checks` (codes; the style's by default) is sent back with what is wrong. `fence` wraps each passage, see
    `fence_passages`. `on_token` gets the text in pieces as it comes.

    A bad answer raises nothing: its status is `needs_review`. Raises `SettingError` for a setting that cannot be
    meant, before anything is searched or asked, and `ModelError` where the model gives no reply.

    >>> class MyIndex:
    ...     def search(self, question, k):
    ...         return [Hit.of("fees.md#0", "The fee is ten dollars.")]
    >>> ask("What is the fee?", MyIndex(), lambda prompt: "Ten dollars [1].").status
    'answered'
    """
    style = find_style(style)
    codes = chosen_checks(style.checks if checks is None else checks, style)
    prepared = partial(
        prepare, index=index, style=style, k=k, min_score=min_score, order=order, search=search, fence=fence
    )
    prepared("")  # searches nothing: a setting that cannot be meant is an error before anything is asked
    _check_conversation(question, history, retries, on_token)
    model = model_or_connect(model)
    searched, spent = rewritten(question, history, model)
    hits, prompt = prepared(searched)
    answer = Answer(style.refusal, "not_found", question, searched, hits=tuple(hits), usage=spent)
    shown = Shown(style, on_token, hold=retries > 0)
    if prompt is None:  # the first guard: nothing to answer from, so the model is not asked
        answer = replace(answer, refused_by="gate")
    else:
        reply = stream_reply(prompt, model, shown)
        answer = _judge(answer, prompt, reply, codes)
        for _ in range(retries):
            if answer.status != "needs_review":
                break
            prompt = with_feedback(prompt, reply, answer.problems)
            reply = stream_reply(prompt, model, shown)
            answer = _judge(answer, prompt, reply, codes)
    retracted = shown.finish(answer, _source_list(answer, style))
    return replace(answer, retracted=retracted)


def prepare(
    question: str,
    index: Index | None,
    *,
    style: Style | str = NUMBERED,
    k: int | None = None,
    min_score: float | None = None,
    order: Order | None = None,
    search: Search | None = None,
    fence: str | None = None,
) -> tuple[list[Hit], Prompt | None]:
    """What `ask` does before it asks: the hits in the order of the prompt, and the prompt; None without hits.

    `question` is the one to search with; the settings are those of `ask`.

    >>> prepare("Fee?", None, search=lambda question, k: [Hit.of("fees.md#0", "Ten dollars.")])[1].text[-14:]
    'Question: Fee?'
    """
    style = find_style(style)
    check_fence(fence, style)
    if order is not None:
        _check_function("order", "(hits)", order)
    hits = retrieve(question, _search_of(index, search), style, k=k, min_score=min_score)
    hits = checked_hits(order(hits), "order") if order and hits else hits
    return hits, build_prompt(question, hits, style, fence=fence) if hits else None


def _check_conversation(
    question: str, history: Sequence[tuple[str, str]], retries: int, on_token: Callable[[str], object] | None
) -> None:
    if not isinstance(question, str):
        raise SettingError(f"A question is a text, got {question!r}.")
    for turn in history:
        if not (isinstance(turn, (tuple, list)) and len(turn) == 2 and all(isinstance(said, str) for said in turn)):
            raise SettingError(f"history holds pairs of texts, (question, answer), got {turn!r}.")
    whole_number("retries", retries)
    if on_token is not None:
        _check_function("on_token", "(piece)", on_token)


def _check_function(name: str, arguments: str, value: object) -> None:
    if not callable(value):
        raise SettingError(f"{name} must be a function of {arguments}, got {value!r}.")


def _search_of(index: Index | None, search: Search | None) -> Search:
    if search is not None:
        _check_function("search", "(question, k)", search)
        return search
    if not isinstance(index, Index) or isinstance(index, type):
        raise SettingError(f"An index has search(question, k), got {index!r}; make one with TfidfIndex.from_folder.")
    return index.search


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
            n=n,
            id=hit.chunk.id,
            source=hit.chunk.source,
            heading=hit.chunk.heading,
            score=hit.score,
            cited=n in cited,
            quotes=tuple(quote for quote in quotes if quote.n == n),
        )
        for n, hit in enumerate(hits, 1)
    )


def _source_list(answer: Answer, style: Style) -> str:
    """The list that some styles append to an answer: every number it cites, in order, each once."""
    cited = [source for source in answer.sources if source.cited]
    if not style.source_list or not cited:
        return ""
    lines = [filled(style.source_list, {"n": str(source.n), "source": source.source}) for source in cited]
    return "\n\nSources:\n" + "\n".join(lines)
