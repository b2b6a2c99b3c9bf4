"""Search: scikit-learn's scores to the bit, its order, and the edges of the input."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from raglab import Chunk, DocumentError, SettingError, TfidfIndex

TEXTS = [
    "Membership costs 10 dollars per term.",
    "A term lasts four months.",
    "Laptops can be borrowed for 7 days.",
    "The fee pays for snacks.",
    "Membership pays for snacks and laptops; membership is cheap.",
]


def chunks(texts):
    return [Chunk(f"a.md#{n}", "a.md", "", text) for n, text in enumerate(texts)]


def index(texts):
    return TfidfIndex.build(chunks(texts))


def sklearn_ranking(texts, question):
    """The whole ranking as the library computes it, in plain Python sorting."""
    vectorizer = TfidfVectorizer(stop_words="english")
    matrix = vectorizer.fit_transform(texts)
    scores = cosine_similarity(vectorizer.transform([question]), matrix)[0].tolist()
    return sorted(((score, row) for row, score in enumerate(scores) if score > 0), key=lambda pair: (-pair[0], pair[1]))


@pytest.mark.parametrize("question", ["What does membership cost per term?", "laptops", "snacks snacks fee", "term"])
def test_scores_and_order_equal_scikit_learn_bit_for_bit(question):
    found = [(hit.score, int(hit.chunk.id[5:])) for hit in index(TEXTS).search(question, 100)]
    assert found == sklearn_ranking(TEXTS, question)


def words(*choice):
    return st.lists(st.sampled_from(choice), min_size=1, max_size=9).map(" ".join)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(words("fee", "term", "laptop", "snack", "club", "room", "day"), min_size=2, max_size=12, unique=True),
    words("fee", "term", "laptop", "club", "other"),
    st.integers(1, 15),
)
def test_any_corpus_ranks_as_scikit_learn_ranks_it(texts, question, k):
    found = [(hit.score, int(hit.chunk.id[5:])) for hit in index(texts).search(question, k)]
    assert found == sklearn_ranking(texts, question)[:k]


def test_ties_keep_the_order_of_the_chunks():
    tied = index(["red boat", "blue boat", "green boat"])
    assert [hit.chunk.id for hit in tied.search("boat", 3)] == ["a.md#0", "a.md#1", "a.md#2"]


def test_an_equal_text_is_one_hit_that_names_the_others():
    hits = index(["red boat", "blue car", "red boat", "red boat"]).search("red", 3)
    assert [(hit.chunk.id, hit.also) for hit in hits] == [("a.md#0", ("a.md#2", "a.md#3"))]


def test_equal_texts_are_the_same_under_every_hash_seed():
    program = (
        "from raglab import Chunk, TfidfIndex\n"
        "texts = ['red boat', 'red boat', 'blue boat', 'red boat']\n"
        "found = TfidfIndex.build([Chunk(f'{n}', 'a', '', t) for n, t in enumerate(texts)]).search('red boat')\n"
        "print([(hit.chunk.id, hit.also, hit.score.hex()) for hit in found])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1")
    }
    assert len(outputs) == 1


@pytest.mark.parametrize("question", ["", "   ", "the of and", "5", "unknown", "?!", "\0", "\ud800"])
def test_a_question_without_a_known_word_finds_nothing(question):
    assert index(TEXTS).search(question) == []


@pytest.mark.parametrize("texts", [[], ["the of"], ["5"], ["", " "]])
def test_an_index_without_words_finds_nothing(texts):
    assert index(texts).search("fee 5 the", 3) == []


def test_k_may_be_larger_than_the_corpus_or_zero():
    assert len(index(TEXTS).search("membership", 99)) == 2
    assert index(TEXTS).search("membership", 0) == []


def test_a_negative_k_is_refused():
    with pytest.raises(SettingError, match="k must be 0 or more, got -1"):
        index(TEXTS).search("fee", -1)


def test_min_score_is_compared_unrounded_and_a_score_of_zero_is_no_hit():
    score = index(TEXTS).search("membership", 1)[0].score
    assert len(index(TEXTS).search("membership", 5, min_score=score)) == 1
    assert len(index(TEXTS).search("membership", 5, min_score=np.nextafter(score, 1))) == 0
    assert all(hit.score > 0 for hit in index(TEXTS).search("membership", 99, min_score=0))


def test_two_chunks_with_one_id_are_refused():
    with pytest.raises(DocumentError, match="'a.md#0'"):
        TfidfIndex.build([*chunks(["x"]), *chunks(["y"])])


def test_a_folder_is_cut_and_named_as_the_style_wants_it(docs):
    assert [c.id for c in TfidfIndex.from_folder(docs / "gocourse", style="tagged").chunks] == [
        "certificates#0",
        "live-classes#0",
        "refund-policy#0",
        "refund-policy#1",
    ]
    assert all(c.id.startswith("refund-policy.md#") for c in TfidfIndex.from_folder(docs / "gocourse").chunks[-1:])


def test_skipped_files_are_listed(tmp_path):
    (tmp_path / "good.md").write_text("Fees.")
    (tmp_path / "bad.md").write_bytes(b"\xff\xff")
    assert ["bad.md" in str(error) for error in TfidfIndex.from_folder(tmp_path, on_error="skip").skipped] == [True]


def test_a_chunker_of_ones_own_overrules_the_style(tmp_path):
    (tmp_path / "a.md").write_text("Fees are due.")
    whole = TfidfIndex.from_folder(tmp_path, chunker=lambda d: [Chunk("mine", d.source, "", d.text)], ids="stem")
    assert [hit.chunk.id for hit in whole.search("fees")] == ["mine"]
