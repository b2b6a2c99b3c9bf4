"""Lost in the middle: where the answer stands, what stands around it, and what becomes of it."""

import pytest

from raglab import SettingError, TfidfIndex, connect, edge_order
from raglab.evaluate import load_questions, position_sweep, ranks
from raglab.evaluate.cases import says
from raglab.evaluate.positions import Haystack


@pytest.fixture(scope="module")
def club(docs):
    return load_questions(docs / "club" / "questions.toml"), TfidfIndex.from_folder(docs / "club").chunks


def test_five_ranks_as_published():
    assert ranks(20) == [0, 4, 9, 14, 19]  # Liu et al. 2023, for 20 documents
    assert (ranks(10), ranks(30), ranks(5)) == ([0, 2, 4, 6, 9], [0, 7, 14, 21, 29], [0, 1, 2, 3, 4])


def test_distractors_are_natural_sentences_without_the_answer(club):
    questions, chunks = club
    haystack = Haystack.of(chunks)
    texts = {chunk.id: " ".join(chunk.text.split()) for chunk in chunks}
    for question in filter(haystack.takes, questions):
        made = haystack.distractors(question, 29)
        assert len({chunk.id for chunk in made}) == 29
        for chunk in made:
            first, second = chunk.text.split("\n")
            homes = [{id for id, text in texts.items() if sentence in text} for sentence in (first, second)]
            assert all(homes) and not homes[0] & homes[1]  # whole, from two different sections
            assert not any(says(chunk.text, part) for part in question.contains)
            assert question.chunks[0] not in homes[0] | homes[1]


def test_the_nearest_distractors_come_first(club):
    questions, chunks = club
    question = next(question for question in questions if question.id == "laptop-days")
    made = Haystack.of(chunks).distractors(question, 29)
    assert all("laptop" in chunk.text.lower() for chunk in made[:3])
    assert made == Haystack.of(chunks).distractors(question, 29)
    assert made[:9] == Haystack.of(chunks).distractors(question, 9)


def sweep(club, model, **settings):
    return position_sweep(*club, model, progress=False, **settings)


def test_the_answer_stands_at_its_rank_in_either_order(club):
    found = sweep(club, lambda prompt: "Ten [1].", sizes=[10])
    assert found.names == ("passages", "rank", "order")
    assert len(found.points) == 1 * 5 * 2
    for (size, rank, order), report in found.points:
        place = rank if order == "score" else edge_order(range(size)).index(rank)
        for case in report.cases:
            assert [hit.chunk.id for hit in case.answer.hits].index(case.question.chunks[0]) == place
            assert len(case.answer.hits) == size and case.question.kind == "answerable"
            scores = sorted((hit.score for hit in case.answer.hits), reverse=True)
            assert len(set(scores)) == size and scores[-1] > 0 and scores[0] <= 1


def test_the_persona_loses_the_middle_and_the_reader_does_not(club, model):
    lost = sweep(club, connect("mock-lost-in-the-middle"), sizes=[20]).only(passages=20)
    right = {values: report.rates["correct"].numerator for values, report in lost.points}
    by_rank = [right[rank, "score"] for rank in ranks(20)]
    assert by_rank[0] > by_rank[1] > by_rank[2] < by_rank[3] <= by_rank[4] < by_rank[0]
    # Edge order moves rank 9 away from the middle, and ranks 14 and 19 into it.
    assert right[9, "edge"] > right[9, "score"]
    assert right[14, "edge"] < right[14, "score"] and right[19, "edge"] < right[19, "score"]
    reader = sweep(club, model, sizes=[20], orders=["score"])
    assert [report.rates["over_refusal"].numerator for _, report in reader.points] == [0] * 5


def test_documents_of_one_source_are_not_capped(club):
    found = sweep(club, lambda prompt: "Ten [1].", sizes=[10], orders=["score"], style="documents_v1")
    assert {len(case.answer.hits) for _, report in found.points for case in report.cases} == {10}


def test_what_cannot_be_swept(club):
    questions, chunks = club
    with pytest.raises(SettingError, match="4 passages have no 5 places"):
        sweep(club, str, sizes=[4])
    with pytest.raises(SettingError, match="no order 'best'"):
        sweep(club, str, orders=["best"])
    with pytest.raises(SettingError, match="the chunks of more documents"):
        sweep((questions, chunks[:6]), str, sizes=[200])
    unanswerable = [question for question in questions if not question.covered]
    with pytest.raises(SettingError, match="No question of the set is answerable from one chunk"):
        sweep((unanswerable, chunks), str)


def test_a_saved_sweep_mixes_up_no_places(club, tmp_path):
    def model(prompt):
        return "It is the first [1]." if "[1] (source: membership.md#Membership fee)" in prompt else "Ten [1]."

    plain = sweep(club, model, sizes=[10], orders=["score"])
    for _ in range(2):
        assert sweep(club, model, sizes=[10], orders=["score"], save=tmp_path / "sweep.jsonl") == plain
