"""Sweeps: what varies, what the tables say, and where no threshold works."""

import pytest

from raglab import DOCUMENTS, DOCUMENTS_V1, Hit, SettingError, TfidfIndex
from raglab.evaluate import Question, Rate, load_questions, sweep, threshold_sweep


class Index:
    """Finds one passage for each question, with the score that stands in it."""

    def search(self, question, k):
        return [Hit.of("a.md#1", "The answer is ten.", score=float(question.split()[-1].rstrip("?")))][:k]


def at(score, kind):
    contains = ("ten",) if kind == "answerable" else ()
    return Question(f"{kind}-{score}", f"What is it at {score}?", kind, contains=contains)


def answer(prompt):
    return "It is ten [1]."


MIXED = [at(0.25, "answerable"), at(0.45, "answerable"), at(0.15, "unanswerable"), at(0.35, "unanswerable")]
APART = [at(0.35, "answerable"), at(0.15, "unanswerable")]


def counts(found, *names):
    return [tuple(int(report.rates[name].numerator) for name in names) for _, report in found.points]


def test_no_threshold_works_where_the_scores_overlap():
    found = threshold_sweep(MIXED, Index(), answer, [0.1, 0.2, 0.3, 0.4, 0.5], progress=False)
    assert counts(found, "hallucination", "over_refusal") == [(2, 0), (1, 0), (1, 1), (0, 1), (0, 2)]
    assert (found.clean, found.conflict) == ((), (0.3,))
    assert found.verdict == "No threshold from 0.1 to 0.5 is free of both errors. Both happen at once at 0.3."
    assert found.verdict in found._repr_markdown_()


def test_a_threshold_works_where_they_do_not():
    found = threshold_sweep(APART, Index(), answer, [0.4, 0.3, 0.2, 0.1], progress=False)
    assert [values for values, _ in found.points] == [(0.1,), (0.2,), (0.3,), (0.4,)]
    assert (found.clean, found.conflict) == ((0.2, 0.3), ())
    assert found.verdict == "Free of both errors: 0.2, 0.3."


def test_two_settings_give_every_combination():
    vary = {"min_score": [0.2, 0.4], "fence": [None, "tags"]}
    found = sweep(MIXED, Index(), answer, vary=vary, progress=False)
    assert [values for values, _ in found.points] == [(0.2, None), (0.2, "tags"), (0.4, None), (0.4, "tags")]
    assert "trust=" in found.report(min_score=0.2, fence="tags").cases[0].answer.prompt.text
    assert "trust=" not in found.report(min_score=0.2, fence=None).cases[0].answer.prompt.text
    assert found.only(fence="tags").names == ("min_score",)
    rows = found.table(["correct"]).rows
    assert rows[0] == ("0.2", "none", "2 of 2, 100.0 %") and rows[3] == ("0.4", "tags", "1 of 2, 50.0 %")
    with pytest.raises(SettingError, match="2 points have"):
        found.report(min_score=0.2)
    with pytest.raises(SettingError, match="no point with .*min_score: 0.2, 0.4; fence: none, tags"):
        found.only(min_score=0.3)
    with pytest.raises(SettingError, match="does not vary 'min-score': did you mean 'min_score'"):
        found.only(**{"min-score": 0.2})


def test_k_and_order_reach_the_prompt():
    class Three:
        def search(self, question, k):
            return [Hit.of(f"{n}.md#1", "Text.", score=1 - n / 10) for n in range(4)][:k]

    found = sweep([APART[0]], Three(), answer, vary={"k": [2, 4], "order": ["score", "edge"]}, progress=False)
    order = [[hit.chunk.source[0] for hit in report.cases[0].answer.hits] for _, report in found.points]
    assert order == [list("01"), list("01"), list("0123"), list("0231")]


@pytest.mark.parametrize(
    "vary, problem",
    [
        ({}, "one or two settings, not 0"),
        ({"k": [1], "min_score": [0], "fence": [None]}, "one or two settings, not 3"),
        ({"order": ["edges"]}, "no order 'edges': did you mean 'edge'"),
        ({"k": []}, "at least one value"),
        ({"style": ["numberd"]}, "no style 'numberd'"),
        ({"k": [-1]}, "k must be 0 or more, got -1"),
    ],
)
def test_settings_that_cannot_be_meant(vary, problem):
    with pytest.raises(SettingError, match=problem):
        sweep(MIXED, Index(), answer, vary=vary, progress=False)


def test_a_rate_that_does_not_exist():
    found = sweep(APART, Index(), answer, vary={"k": [1]}, progress=False)
    with pytest.raises(SettingError, match="no rate 'halucination': did you mean 'hallucination'"):
        found.table(["halucination"])


def test_plots_say_what_they_show():
    found = threshold_sweep(MIXED, Index(), answer, [0.2, 0.3], progress=False)
    picture = found.plot()
    assert picture.alt == (
        "share of the questions at min_score 0.2, 0.3. hallucination: 50.0 %, 50.0 %; over-refusal: 0.0 %, 50.0 %."
    )
    assert picture.png.startswith(b"\x89PNG") and picture.png == found.plot().png
    assert f'<img alt="{picture.alt}"' in picture._repr_html_()
    styles = sweep(MIXED, Index(), answer, vary={"style": ["numbered", "helpdesk"], "k": [1, 2]}, progress=False)
    assert "k 1: 100.0 %, 100.0 %" in styles.plot("correct").alt
    assert "hallucination, k 2: 50.0 %, 50.0 %" in styles.plot().alt


def test_a_plot_shows_no_more_than_two_settings():
    from raglab.evaluate import Sweep

    with pytest.raises(SettingError, match="one or two settings, not 3"):
        Sweep(("a", "b", "c"), (((1, 2, 3), None),)).plot()


# --- with the mock -------------------------------------------------------------------------------------------


def test_each_persona_spoils_its_own_rate(docs, model):
    questions, index = (
        load_questions(docs / "gocourse" / "questions.toml"),
        TfidfIndex.from_folder(docs / "gocourse", style="tagged"),
    )
    found = sweep(questions, index, vary={"persona": ["reader", "uncited", "miscounting"]}, progress=False)
    assert found.report(persona="reader").rates["correct"] == Rate(8, 8)
    codes = {
        values[0]: {problem.code for case in report.cases for problem in case.answer.problems}
        for values, report in found.points
    }
    assert (
        codes["reader"] == set() and "missing-citation" in codes["uncited"] and "unknown-source" in codes["miscounting"]
    )
    assert dict(found.report(persona="uncited").settings)["model"] == "ClaudeModel('mock-uncited')"


def test_the_three_outcome_rules_make_padded_refusals_clean_and_name_what_is_missing(docs, mock, monkeypatch):
    from raglab import connect

    monkeypatch.setenv("RAGLAB_MOCK_URL", mock.url)
    questions = load_questions(docs / "tutorials" / "questions.toml")
    index = TfidfIndex.from_folder(docs / "tutorials", style="documents")
    vary = {"style": [DOCUMENTS_V1, DOCUMENTS]}
    found = sweep(questions, index, connect("mock-padding"), vary=vary, progress=False)
    before, after = (found.report(style=style).forms() for style in (DOCUMENTS_V1, DOCUMENTS))
    assert {form: no for form, (_, no) in before.items()} == {
        "answered": 0,
        "partial": 0,
        "clean_no": 0,
        "padded_no": 7,
    }
    assert {form: no for form, (_, no) in after.items()} == {"answered": 0, "partial": 0, "clean_no": 7, "padded_no": 0}
    # The ten questions whose second part search does not find, each with the missing part named.
    assert (before["partial"][0], after["partial"][0]) == (0, 10)
    assert after["padded_no"] == (0, 0)
    partial = [case for case in found.report(style=DOCUMENTS).cases if case.form == "partial"]
    assert {case.question.kind for case in partial} == {"partial"}
    assert all(case.answer.status == "partial" for case in partial)
    rows = found.forms().rows
    assert [row[:2] for row in rows] == [
        ("documents_v1", "33 covered"),
        ("documents_v1", "7 not covered"),
        ("documents", "33 covered"),
        ("documents", "7 not covered"),
    ]
    assert all(sum(map(int, row[2:])) == int(row[1].split()[0]) for row in rows)


def test_rules_and_judge_agree_on_the_tutorials(docs, model):
    from raglab.evaluate import agreement, evaluate

    questions = load_questions(docs / "tutorials" / "questions.toml")
    index = TfidfIndex.from_folder(docs / "tutorials", style="documents")
    report = evaluate(questions, index, model, progress=False)
    found = agreement(report.cases, model)
    assert found.rate.denominator == 40 and found.rate.value >= 0.9
    assert sum(found.table.values()) == 40
