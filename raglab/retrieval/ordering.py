"""The order of passages in the prompt."""

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def edge_order(hits: Iterable[T]) -> list[T]:
    """The best first and the second best last, the weakest in the middle.

    `hits` stand best first. Models of 2023 used the edges of a long prompt better than its middle: Liu et al. 2023,
    "Lost in the Middle". Measure with yours before you keep it.

    >>> "".join(edge_order("ABCDE")), "".join(edge_order("ABCD"))
    ('ACEDB', 'ACDB')
    """
    hits = list(hits)
    return hits[::2] + hits[1::2][::-1]
