"""One retrieve for everything: the gate, and the cap per document, which fills its places however deep they stand."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raglab import DOCUMENTS, NUMBERED, Chunk, Hit, SettingError, TfidfIndex
from raglab.retrieval.retrieve import retrieve, take_best


def ranked(*sources):
    """One hit per source, best first."""
    count = len(sources)
    return [Hit.of(f"{source}#{n}", "text", score=(count - n) / count) for n, source in enumerate(sources)]


class Counting:
    def __init__(self, hits, most=None):
        self.hits, self.most, self.asked = hits, most, []

    def __call__(self, question, k):
        self.asked.append(k)
        return self.hits[: min(k, self.most or k)]


def sources(hits):
    return [hit.chunk.source for hit in hits]


@pytest.mark.parametrize("deep", [3, 700, 5_000])
def test_the_cap_fills_its_places_however_deep_the_others_stand(deep):
    search = Counting(ranked(*["big.md"] * deep, *(f"small{n}.md" for n in range(5))))
    assert sources(retrieve("fee", search, DOCUMENTS)) == ["big.md", "big.md", "small0.md", "small1.md", "small2.md"]
    assert len(search.asked) < 14  # it doubles


def test_an_index_of_one_file_of_700_sections_and_five_others():
    text = "The fee of part {} is ten dollars."
    chunks = [Chunk(f"big.md#{n}", "big.md", "", text.format(f"w{n}")) for n in range(700)]
    chunks += [Chunk(f"s{n}.md#0", f"s{n}.md", "", text.format(f"v{n}") + " More words follow here.") for n in range(5)]
    index = TfidfIndex.build(chunks)
    hits = retrieve("What is the fee of a part?", index.search, DOCUMENTS)
    assert sources(hits) == ["big.md", "big.md", "s0.md", "s1.md", "s2.md"]
    assert hits == index.search("What is the fee of a part?", 5, per_source=2)


def test_it_looks_no_deeper_than_it_must():
    enough = Counting(ranked("a.md", "b.md", "c.md", "d.md", "e.md", "f.md"))
    retrieve("fee", enough, DOCUMENTS)
    assert enough.asked == [5]
    below_the_gate = Counting([Hit.of(f"a.md#{n}", "text", score=0.3 - n / 100) for n in range(100)])
    assert len(retrieve("fee", below_the_gate, replace(NUMBERED, per_source=1))) == 1
    assert below_the_gate.asked == [4, 8, 16]  # the sixteenth is below 0.2, and so are all after it


@pytest.mark.parametrize("most", [3, 5, 7])
def test_an_index_that_gives_no_more_than_so_many_ends_it(most):
    search = Counting(ranked(*["big.md"] * 50), most)
    assert sources(retrieve("fee", search, DOCUMENTS)) == ["big.md", "big.md"]
    assert len(search.asked) <= 3


def test_an_index_that_pays_no_attention_to_k_is_cut_to_it():
    hits = ranked("a.md", "b.md", "c.md", "d.md", "e.md")
    assert retrieve("fee", lambda question, k: hits, replace(NUMBERED, k=2, min_score=0)) == hits[:2]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 10))), st.integers(1, 5), st.integers(1, 3))
def test_it_equals_the_plain_definition(found, k, per_source):
    """The cap over the whole ranking, then the first k."""
    hits = [Hit.of(f"{name}#{n}", "", source=name, score=score / 10) for n, (name, score) in enumerate(found)]
    hits.sort(key=lambda hit: -hit.score)
    above = [hit for hit in hits if hit.score > 0 and hit.score >= 0.2]
    capped = [hit for n, hit in enumerate(above) if sources(above[:n]).count(hit.chunk.source) < per_source]
    assert retrieve("fee", lambda q, n: hits[:n], replace(NUMBERED, k=k, per_source=per_source)) == capped[:k]
    assert take_best(hits, k, min_score=0.2, per_source=per_source) == capped[:k]


@pytest.mark.parametrize("question", ["", " \n"])
def test_an_empty_question_finds_nothing_and_is_not_searched(question):
    search = Counting(ranked("a.md"))
    assert retrieve(question, search, NUMBERED) == [] == retrieve("fee", search, NUMBERED, k=0)
    assert search.asked == []


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k": -1}, "k must be 0 or more, got -1"),
        ({"k": 2.5}, "k must be a whole number, got 2.5"),
        ({"k": True}, "k must be a whole number, got True"),
        ({"k": "4"}, "k must be a whole number, got '4'"),
        ({"min_score": "0.2"}, "min_score must be a number, got '0.2'"),
        ({"min_score": -0.1}, "min_score must be between 0 and 1, got -0.1"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_named_before_the_search(settings, message):
    search = Counting(ranked("a.md"))
    with pytest.raises(SettingError, match=message):
        retrieve("fee", search, NUMBERED, **settings)
    assert search.asked == []
    with pytest.raises(SettingError, match=message):
        TfidfIndex.build([]).search("fee", **settings)


def test_numpys_whole_numbers_are_whole_numbers():
    import numpy as np

    assert len(retrieve("fee", Counting(ranked("a", "b", "c")), replace(NUMBERED, min_score=0), k=np.int64(2))) == 2
