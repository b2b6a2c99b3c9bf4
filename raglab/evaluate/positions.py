"""Lost in the middle: how often the answer is found, by where its passage stands among many.

The method is that of Liu et al. 2023, "Lost in the Middle": one passage holds the answer, the others do not, and it is
put at five places from first to last. The others are two natural sentences each, taken from different sections of the
same documents, those most like the question first. They are made by counting, without chance.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Unpack

from raglab.errors import SettingError
from raglab.evaluate.cases import says
from raglab.evaluate.questions import Question
from raglab.evaluate.runs import Questions, as_set, evaluate
from raglab.evaluate.sweeps import Sweep, find_order, several
from raglab.many import ManySettings, RunSettings, check_settings
from raglab.models.connect import model_or_connect
from raglab.protocols import Model
from raglab.records import Chunk, Hit
from raglab.retrieval.tfidf import TfidfIndex
from raglab.settings import known_settings, whole_number
from raglab.styles import NUMBERED, Style, find_style
from raglab.text.markdown import without_code
from raglab.text.words import sentences, squash

SIZES = (10, 20, 30)  # passages in the prompt
PLACES = 5  # at which the answer stands, from first to last
_SHORTEST = 5  # words of a sentence that makes sense on its own
_STRIDES = (7, 11, 19)  # sentences from one to its partner: far enough to be of another section


class PositionSettings(RunSettings, total=False):
    """The settings of `evaluate` that leave the passages and their places alone."""

    retries: int
    fence: str | None
    checks: Iterable[str] | None


def position_sweep(
    questions: Questions,
    chunks: Iterable[Chunk],
    model: Model | Callable[..., str] | None = None,
    *,
    style: Style | str = NUMBERED,
    sizes: Iterable[int] = SIZES,
    orders: Iterable[str] = ("score", "edge"),
    **settings: Unpack[PositionSettings],
) -> Sweep:
    """Answers by number of passages, rank of the one with the answer, and order in the prompt.

    Of the questions, those that are answerable from one chunk and stand alone take part. The rank counts from 0 and is
    the place in score order; in edge order the passage stands where `edge_order` puts that rank. `settings` are those
    of `evaluate`, without those that choose or arrange the passages. The sweep varies `passages`, `rank` and `order`:
    `.only(passages=20).plot("correct")`. Raises `SettingError` for what cannot be meant, before any question is asked.

    >>> text = "The fee is ten dollars. Pay it on Monday at the desk. The room has a red door and a bell."
    >>> chunks = [Chunk(f"a.md#{n}", "a.md", "", text.replace("red", f"red{n}")) for n in range(9)]
    >>> door = Question("door", "Which door has the room?", "answerable", chunks=("a.md#4",), contains=("red4 door",))
    >>> model = lambda prompt: "It has a red4 door [1]." if "red4" in prompt else "No door [1]."
    >>> found = position_sweep([door], chunks, model, sizes=[5], orders=["score"], progress=False)
    >>> [(values, report.rates["correct"].count) for values, report in found.points][:2]
    [((5, 0, 'score'), '1 of 1'), ((5, 1, 'score'), '1 of 1')]
    """
    all_sizes, all_orders = [_size(size) for size in several("sizes", sizes)], several("orders", orders)
    arranged = {order: find_order(order) for order in all_orders}
    known_settings("position_sweep", settings, PositionSettings.__annotations__)
    style = replace(find_style(style), per_source=None)
    check_settings("position_sweep", Placed({}), style=style, **settings)
    haystack = Haystack.of(chunks)
    chosen = [question for question in as_set(questions) if haystack.takes(question)]
    if not chosen:
        raise SettingError("No question of the set is answerable from one chunk of these documents and stands alone.")
    model = model_or_connect(model)
    others = {question.id: haystack.distractors(question, max(all_sizes) - 1) for question in chosen}
    points = []
    for size in all_sizes:
        for rank in ranks(size):
            placed = Placed({q.question: _ranked(haystack.gold(q), others[q.id][: size - 1], rank) for q in chosen})
            for order, arrange in arranged.items():
                fixed: ManySettings = {**settings, "style": style, "k": size, "min_score": 0.0, "order": arrange}
                points.append(((size, rank, order), evaluate(chosen, placed, model, **fixed)))
    return Sweep(("passages", "rank", "order"), tuple(points))


def _size(passages: object) -> int:
    """A number of passages that has room for all places."""
    size = whole_number("each size", passages)
    if size < PLACES:
        raise SettingError(f"{size} passages have no {PLACES} places; use at least {PLACES}.")
    return size


def ranks(size: int) -> list[int]:
    """The five ranks among `size` passages, from 0: first, last and three between at equal distances.

    >>> ranks(20)
    [0, 4, 9, 14, 19]
    """
    return [(size - 1) * place // (PLACES - 1) for place in range(PLACES)]


@dataclass(frozen=True)
class Placed:
    """An index that brings, for each question, the passages laid out for it."""

    hits: dict[str, tuple[Hit, ...]]

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """All passages in their order, by which a saved answer knows the layout it belongs to."""
        return tuple(hit.chunk for hits in self.hits.values() for hit in hits)

    def search(self, question: str, k: int) -> list[Hit]:
        """The first `k` of them."""
        return list(self.hits[question][:k])


@dataclass(frozen=True)
class Haystack:
    """The chunks of a corpus, and passages made of its sentences."""

    chunks: dict[str, Chunk]
    made: dict[str, tuple[Chunk, frozenset[str]]]  # each with the ids of the two chunks its sentences come from
    index: TfidfIndex  # of what was made

    @classmethod
    def of(cls, chunks: Iterable[Chunk]) -> "Haystack":
        """All pairs of sentences at a few fixed distances."""
        by_id = {chunk.id: chunk for chunk in TfidfIndex.build(chunks).chunks}  # it checks that no id occurs twice
        all_sentences = [(chunk, sentence) for chunk in by_id.values() for sentence in _prose(chunk.text)]
        made = {chunk.id: (chunk, homes) for chunk, homes in _pairs(all_sentences)}
        return cls(by_id, made, TfidfIndex.build(chunk for chunk, _ in made.values()))

    def takes(self, question: Question) -> bool:
        """Whether a question can take part."""
        marked = question.chunks
        return question.kind == "answerable" and not question.history and len(marked) == 1 and marked[0] in self.chunks

    def gold(self, question: Question) -> Chunk:
        """The chunk that holds the answer."""
        return self.chunks[question.chunks[0]]

    def distractors(self, question: Question, count: int) -> list[Chunk]:
        """`count` passages without the answer: those most like the question, then others in order.

        A sentence stands in one of them only, as long as there are others.
        """
        fresh: list[Chunk] = []
        again: list[Chunk] = []
        used: set[str] = set()
        for chunk in self._candidates(question):
            parts = set(chunk.text.split("\n"))
            (again if used & parts else fresh).append(chunk)
            used |= parts
        chosen = [*fresh, *again][:count]
        if len(chosen) < count:
            raise SettingError(
                f"The documents give {len(chosen)} passages beside the answer to {question.id!r}, not {count}; "
                "use fewer passages, or the chunks of more documents."
            )
        return chosen

    def _candidates(self, question: Question) -> list[Chunk]:
        """Everything that was made without the section that holds the answer, and does not say it."""
        found = [hit.chunk.id for hit in self.index.search(question.question, len(self.made))]
        ranked = [self.made[id] for id in dict.fromkeys([*found, *self.made])]
        apart = [chunk for chunk, homes in ranked if question.chunks[0] not in homes]
        return [chunk for chunk in apart if not any(says(chunk.text, part) for part in question.contains)]


def _ranked(gold: Chunk, others: list[Chunk], rank: int) -> tuple[Hit, ...]:
    """The answer at its rank among the others, with scores that fall evenly."""
    passages = [*others[:rank], gold, *others[rank:]]
    return tuple(Hit(chunk, 1 - place / len(passages)) for place, chunk in enumerate(passages))


def _pairs(all_sentences: list[tuple[Chunk, str]]) -> Iterator[tuple[Chunk, frozenset[str]]]:
    """Each sentence with the one some places further on, where that is of another chunk."""
    for stride in _STRIDES:
        for place, (chunk, sentence) in enumerate(all_sentences):
            other, second = all_sentences[(place + stride) % len(all_sentences)]
            if other.id != chunk.id and second != sentence:
                id = f"{chunk.source}#{stride}.{place}"
                yield (
                    replace(chunk, id=id, text=f"{sentence}\n{second}", start=0, end=0),
                    frozenset((chunk.id, other.id)),
                )


def _prose(text: str) -> list[str]:
    """The sentences of a text that can stand alone: no code block, no table, no heading."""
    text = without_code(text, keep_inline=True)
    told = (squash(text[start:end]) for start, end in sentences(text))
    return [one for one in told if len(one.split()) >= _SHORTEST and one[-1] in ".!?" and "|" not in one]
