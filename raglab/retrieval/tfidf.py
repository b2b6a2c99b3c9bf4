"""Chunks → index → hits: TF-IDF vectors compared by cosine, exactly as scikit-learn computes them."""

import os
from collections.abc import Callable, Iterable, Iterator

from raglab.errors import DocumentError
from raglab.records import Chunk, Document, Hit
from raglab.retrieval.chunks import CHUNKERS
from raglab.retrieval.documents import load_documents
from raglab.retrieval.retrieve import take_best
from raglab.settings import number_between, whole_number
from raglab.styles import NUMBERED, Style, find_style


class TfidfIndex:
    """An index over chunks, held in memory; make one with `build` or `from_folder`.

    >>> from raglab.records import Chunk
    >>> index = TfidfIndex.build([Chunk("a.md#0", "a.md", "", "Open on Monday"), Chunk("b.md#0", "b.md", "", "Closed")])
    >>> [(hit.chunk.id, round(hit.score, 3)) for hit in index.search("open today?")]
    [('a.md#0', 0.707)]
    """

    def __init__(self, chunks: Iterable[Chunk]):
        from sklearn.feature_extraction.text import TfidfVectorizer

        self.chunks = tuple(chunks)
        self.skipped: tuple[DocumentError, ...] = ()  # files that from_folder left out
        texts = [chunk.text for chunk in self.chunks]
        self._vectorizer = TfidfVectorizer(stop_words="english")
        analyze = self._vectorizer.build_analyzer()
        # scikit-learn refuses to fit texts without a single word; such an index just finds nothing.
        self._matrix = self._vectorizer.fit_transform(texts) if any(map(analyze, texts)) else None
        self._first: dict[str, int] = {}  # text → row of the first chunk with it
        self._also: dict[int, tuple[str, ...]] = {}  # that row → ids of the later ones
        for row, chunk in enumerate(self.chunks):
            first = self._first.setdefault(chunk.text, row)
            if first != row:
                self._also[first] = self._also.get(first, ()) + (chunk.id,)

    @classmethod
    def build(cls, chunks: Iterable[Chunk]) -> "TfidfIndex":
        """An index over these chunks; their order breaks ties. Two chunks with one id raise `DocumentError`."""
        chunks, seen = tuple(chunks), set()
        for chunk in chunks:
            if chunk.id in seen:
                raise DocumentError(f"Two chunks have the id {chunk.id!r}; ids must differ, for answers cite them.")
            seen.add(chunk.id)
        return cls(chunks)

    @classmethod
    def from_folder(
        cls,
        folder: str | os.PathLike[str],
        *,
        style: Style | str = NUMBERED,
        chunker: Callable[[Document], list[Chunk]] | None = None,
        ids: str | None = None,
        on_error: str = "raise",
    ) -> "TfidfIndex":
        """An index over a folder, cut and named as `style` wants it; `chunker` and `ids` overrule the style.

        `on_error` is that of `load_documents`; what was skipped stands in `.skipped`.
        """
        style = find_style(style)
        documents = load_documents(folder, ids=ids or style.ids, on_error=on_error)
        chunker = chunker or CHUNKERS[style.chunker]
        index = cls.build(chunk for document in documents for chunk in chunker(document))
        index.skipped = documents.skipped
        return index

    def search(self, question: str, k: int = 4, *, min_score: float = 0.0, per_source: int | None = None) -> list[Hit]:
        """The up to `k` best chunks with a cosine above 0 and of at least `min_score`, best first.

        `per_source` is how many of them may be of one document.

        Scores equal scikit-learn's `TfidfVectorizer(stop_words="english")` and `cosine_similarity` bit for bit;
        ties keep the order of the chunks. Equal texts are one hit, the later ids stand in `Hit.also`. A question
        without a known word finds nothing. Raises `SettingError` for a `k`, `min_score` or `per_source` out of range.
        """
        whole_number("k", k)
        number_between("min_score", min_score)
        if per_source is not None:
            whole_number("per_source", per_source, least=1)
        return take_best(self._ranked(question, min_score), k, min_score=min_score, per_source=per_source)

    def _ranked(self, question: str, min_score: float) -> Iterator[Hit]:
        """Every hit down to the gate, best first."""
        if self._matrix is None:
            return
        from sklearn.metrics.pairwise import cosine_similarity

        scores = cosine_similarity(self._vectorizer.transform([question]), self._matrix)[0]
        for row in map(int, (-scores).argsort(kind="stable")):
            score = float(scores[row])
            if score <= 0 or score < min_score:
                return
            chunk = self.chunks[row]
            if self._first[chunk.text] == row:
                yield Hit(chunk, score, self._also.get(row, ()))

    def __len__(self) -> int:
        return len(self.chunks)

    def __repr__(self) -> str:
        return f"<TfidfIndex of {len(self)} chunks from {len({chunk.source for chunk in self.chunks})} documents>"
