"""The exercises of lesson 11: edge order inside `ask`, the weight of a place, and an order taken from a curve."""

from collections.abc import Callable, Iterable
from typing import Any

from raglab.course.differences import show
from raglab.course.exercises import Calls, Case, Exercise
from raglab.pipeline import ask
from raglab.records import Hit
from raglab.retrieval.ordering import edge_order

LONGCHAT = [0.686, 0.574, 0.553, 0.525, 0.550]  # Liu et al. 2023, 20 documents, the answer at 0, 4, 9, 14 and 19
MPT = [0.537, 0.518, 0.522, 0.527, 0.562]


class _Facts:
    """As many hits as are asked for, best first."""

    def search(self, question: str, k: int) -> list[Hit]:
        return [Hit.of(f"fact-{n}.md#0", f"This is fact {n}.", score=1 - n / 100) for n in range(1, k + 1)]


def _in_ask(order: Callable[[list[Hit]], Any]) -> Callable[[int], Any]:
    """The names of the passages in a prompt; what `order` returns instead of hits is left for all to see."""

    def passages_in_prompt(k: int) -> Any:
        placed: Any = None

        def seen(hits: list[Hit]) -> list[Hit]:
            nonlocal placed
            placed = order(hits)
            if isinstance(placed, Iterable):
                placed = list(placed)
            return placed if _are_hits(placed) else hits

        answer = ask("Which fact?", _Facts(), lambda prompt: "A fact [1].", k=k, order=seen)
        if _are_hits(placed):
            placed = answer.hits
        return [_name(each) for each in placed] if isinstance(placed, list | tuple) else placed

    return passages_in_prompt


def _are_hits(placed: Any) -> bool:
    return isinstance(placed, list) and all(isinstance(each, Hit) for each in placed)


def _name(placed: Any) -> str:
    return placed.chunk.source.removesuffix(".md") if isinstance(placed, Hit) else f"no hit, but {show(placed)}"


def _is_raglabs(edges: Any) -> bool:
    """Whether the function is `raglab.edge_order`, or calls it."""
    names = getattr(getattr(edges, "__code__", None), "co_names", ())
    known = getattr(edges, "__globals__", {})
    return edges is edge_order or {"raglab", "edge_order"} <= {*names} or edge_order in map(known.get, names)


def _facts(*numbers: int) -> list[str]:
    return [f"fact-{n}" for n in numbers]


def _grade_edges(edges: Any) -> list[str]:
    """The passages of real prompts, for odd and even numbers of them."""
    if _is_raglabs(edges):
        return ["it uses `raglab.edge_order`, which the task rules out"]
    return Calls(
        (
            Case((5,), _facts(1, 3, 5, 4, 2)),
            Case((4,), _facts(1, 3, 4, 2)),
            Case((1,), _facts(1)),
            Case((2,), _facts(1, 2)),
            Case((9,), _facts(1, 3, 5, 7, 9, 8, 6, 4, 2)),
            Case((10,), _facts(1, 3, 5, 7, 9, 10, 8, 6, 4, 2)),
        )
    )(_in_ask(edges) if callable(edges) else edges)


EXERCISES = (
    Exercise(
        id="11.1",
        task="""\
**Exercise 11.1: edge order inside `ask`.** Write a function that can be passed as `order=` to `raglab.ask`. It gets the
list of hits, best first, and returns them in edge order: the best first, the second best last, the third best second,
and so on. Do not use `raglab.edge_order`.

The check calls `passages_in_prompt(k)`: it lets `raglab.ask` search for `k` passages, with your function as `order=`,
and looks at the prompt. For 5 passages the right answer is `["fact-1", "fact-3", "fact-5", "fact-4", "fact-2"]`.""",
        answer="edges",
        starter='''\
def edges(hits):
    """The best hit first, the second best last, the weakest in the middle."""
    ...''',
        hints=(
            "The first, third, fifth … hits come first, in this order. The others come after them, in reverse.",
            "`hits[::2]` is every second hit, `hits[1::2]` are the others.",
            "`[::-1]` reverses a list, and `+` joins two.",
        ),
        solution='''\
def edges(hits):
    """The best hit first, the second best last, the weakest in the middle."""
    return hits[::2] + hits[1::2][::-1]''',
        grade=_grade_edges,
    ),
    Exercise(
        id="11.2",
        task="""\
**Exercise 11.2: the weight of a place.** Return the weight that `lost-in-the-middle` gives to passage `i`, counted
from 0, of `count` passages. With x = i / (count − 1), the weight falls in a straight line from 1 at x = 0 to 0.5 at
x = 0.5, and rises in a straight line from there to 0.9 at x = 1. A single passage has weight 1.

For `weight(1, 5)` the right answer is `0.75`.""",
        answer="weight",
        starter='''\
def weight(i, count):
    """How much a sentence of passage i counts, from 0.5 to 1."""
    ...''',
        hints=(
            "There are three cases: a single passage, the first half (x up to 0.5), and the second half.",
            "In the first half the weight is 1 − x: it is 1 at x = 0 and 0.5 at x = 0.5.",
            "In the second half it rises by 0.4 over a distance of 0.5: `0.5 + (x - 0.5) * 0.8`.",
        ),
        solution='''\
def weight(i, count):
    """How much a sentence of passage i counts, from 0.5 to 1."""
    if count == 1:
        return 1.0
    x = i / (count - 1)
    return 1 - x if x <= 0.5 else 0.5 + (x - 0.5) * 0.8''',
        grade=Calls(
            (
                Case((1, 5), 0.75),
                Case((0, 1), 1.0),
                Case((2, 5), 0.5),
                Case((3, 5), 0.7),
                Case((19, 20), 0.9),
                Case((1, 4), 1 - 1 / 3),
                Case((2, 4), 0.5 + (2 / 3 - 1 / 2) * 4 / 5),
            )
        ),
    ),
    Exercise(
        id="11.3",
        task=f"""\
**Exercise 11.3: an order from a curve.** `hits` are in order, best first, and `accuracy` says, for each place in the
prompt, how often a model finds an answer there. The two lists have the same length. Put the best hit at the place with
the highest accuracy, the second best at the place with the second highest, and so on. Among equal places, the earlier
one comes first. Return the list of the hits, place by place.

For `["A", "B", "C", "D", "E"]` and LongChat's curve `{LONGCHAT}` it is `["A", "B", "C", "E", "D"]`.""",
        answer="by_curve",
        starter='''\
def by_curve(hits, accuracy):
    """The hits place by place, the best at the place that the model reads best."""
    ...''',
        hints=(
            "First put the places in order, the best place first. Then give each hit its place.",
            "`sorted(range(len(hits)), key=lambda place: -accuracy[place])` is the order of the places.",
            "Make a list `placed = [None] * len(hits)`, then set `placed[place] = hit` for each pair from `zip`.",
        ),
        solution='''\
def by_curve(hits, accuracy):
    """The hits place by place, the best at the place that the model reads best."""
    places = sorted(range(len(hits)), key=lambda place: -accuracy[place])
    placed = [None] * len(hits)
    for place, hit in zip(places, hits):
        placed[place] = hit
    return placed''',
        grade=Calls(
            (
                Case(([*"ABCDE"], LONGCHAT), [*"ABCED"]),
                Case(([*"ABCDE"], MPT), [*"BEDCA"]),
                Case(([*"ABCDE"], [1.0, 0.75, 0.5, 0.7, 0.9]), [*"ACEDB"]),
                Case(([*"ABCD"], [0.5, 0.5, 0.5, 0.5]), [*"ABCD"]),
                Case(([*"ABC"], [0.6, 0.9, 0.6]), [*"BAC"]),
                Case(([], []), []),
            )
        ),
    ),
)
