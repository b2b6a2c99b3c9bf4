"""Any index → the hits that go into a prompt: through the gate, and not too many of one document."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from raglab.errors import SettingError
from raglab.records import Hit
from raglab.settings import number_between, whole_number
from raglab.styles import Style

Search = Callable[[str, int], Sequence[Hit]]
_ROUNDING = 1e-6  # what 32-bit floats may add to a cosine of 1


def retrieve(
    question: str, search: Search, style: Style, *, k: int | None = None, min_score: float | None = None
) -> list[Hit]:
    """The first `k` hits above the gate, best first, with at most `style.per_source` of one document.

    `k` and `min_score` (cosine, 0..1) default to the style's. `search` is asked for more where the cap leaves places
    empty, as far down as its ranking goes. The style's gate is drawn by cosines alone: hits of another `score_kind`
    all pass. Raises `SettingError` for a `min_score` with such hits, and for what is not a hit or not a cosine.
    """
    wanted = style.k if k is None else whole_number("k", k)
    gate = style.min_score if min_score is None else number_between("min_score", min_score)
    if not question.strip() or not wanted:
        return []
    asked, seen = wanted, 0
    while True:
        found = checked_hits(search(question, asked), "search")
        if min_score and (other := next((hit.score_kind for hit in found if hit.score_kind != "cosine"), None)):
            raise SettingError(f"min_score={min_score} is a cosine, but search scores by {other}; leave min_score out.")
        hits = take_best(found, wanted, min_score=gate, per_source=style.per_source)
        known, seen = seen, len({hit.chunk.id for hit in found})
        exhausted = len(found) < asked or seen == known or not _passes(found[-1], gate)
        if style.per_source is None or len(hits) == wanted or exhausted:
            return hits
        asked *= 2


def take_best(hits: Iterable[Hit], k: int, *, min_score: float = 0.0, per_source: int | None = None) -> list[Hit]:
    """The first `k` of the hits that reach the gate, without those after `per_source` others of their document.

    >>> hits = [Hit.of("a.md#0", "", score=0.9), Hit.of("a.md#1", "", score=0.8), Hit.of("b.md#0", "", score=0.7)]
    >>> [hit.chunk.id for hit in take_best(hits, 2, per_source=1)]
    ['a.md#0', 'b.md#0']
    """
    kept: list[Hit] = []
    taken: Counter[str] = Counter()  # hits of each document
    for hit in hits:
        if len(kept) == k:
            break
        if _passes(hit, min_score) and taken[hit.chunk.source] != per_source:
            taken[hit.chunk.source] += 1
            kept.append(hit)
    return kept


def checked_hits(found: Iterable[Hit], name: str) -> list[Hit]:
    """What a function of the user's own returned, as a list; `SettingError` for anything but hits with scores."""
    try:
        hits = list(found)
    except TypeError:
        raise SettingError(f"{name} returned {type(found).__name__}; it must return a list of hits.") from None
    for hit in hits:
        if not isinstance(hit, Hit):
            raise SettingError(f"{name} returned {type(hit).__name__}, not Hit; make one with Hit.of(id, text).")
        if hit.score_kind == "cosine" and not _is_cosine(hit.score):
            raise SettingError(
                f"{name} gave {hit.chunk.id} the score {hit.score!r}, which is not a cosine; say what it is with "
                'Hit.of(…, score_kind="bm25"), or the like.'
            )
    return hits


def _passes(hit: Hit, min_score: float) -> bool:
    return hit.score_kind != "cosine" or (hit.score > 0 and hit.score >= min_score)


def _is_cosine(score: object) -> bool:
    try:
        return -1 - _ROUNDING <= score <= 1 + _ROUNDING  # type: ignore[operator]
    except TypeError:
        return False
