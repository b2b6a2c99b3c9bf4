"""The two seams: what an index has to offer, and what a model. Anything of your own that does is welcome.

class MyIndex:                                          class MyModel:
    def search(self, question, k):                          def complete(self, prompt):
        return [Hit.of("fees.md#0", "Ten dollars.")]            return Reply("Ten dollars [1].")
"""

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

from raglab.records import Delta, Hit, Prompt, Reply


@runtime_checkable
class Index(Protocol):
    """Anything that finds passages for a question; `search=` of `ask` takes a function with the same signature.

    A hit's score is a cosine of 0..1: the style's gate, `min_score`, is drawn by it. An index that ranks by anything
    else (BM25, reciprocal rank, an inner product) says so in each hit, `Hit.of(id, text, score=7.3,
    score_kind="bm25")`; then no gate is drawn, and a `min_score` given to `ask` is an error. Nothing else is needed:
    the cap per document is applied by `ask`, which asks for a larger `k` where the cap leaves places empty.

    >>> class MyIndex:
    ...     def search(self, question, k):
    ...         return [Hit.of("fees.md#0", "Ten dollars.")]
    >>> isinstance(MyIndex(), Index)
    True
    """

    def search(self, question: str, k: int, /) -> Sequence[Hit]:
        """The up to `k` best hits, best first; fewer, or none, where there are no more."""
        ...


@runtime_checkable
class Model(Protocol):
    """Anything that turns a prompt into a reply; one that can also `stream` is a `StreamingModel`.

    >>> class MyModel:
    ...     def complete(self, prompt):
    ...         return Reply("Ten dollars [1].")
    >>> isinstance(MyModel(), Model), isinstance(MyModel(), StreamingModel)
    (True, False)
    """

    def complete(self, prompt: Prompt, /) -> Reply:
        """The whole reply; `ModelError` when there is none."""
        ...


@runtime_checkable
class StreamingModel(Model, Protocol):
    """A model that can also give its reply in pieces; `ask` uses that where it is given an `on_token`."""

    def stream(self, prompt: Prompt, /) -> Iterator[Delta]:
        """The pieces of the reply as they come; the last one holds the whole `reply`, as `complete` gives it."""
        ...
