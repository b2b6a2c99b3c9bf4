"""Reports: every rate by hand on seven small cases, and the four ways to show them."""

import html.parser
import json
import re

import pytest

from raglab import Hit, ask
from raglab.evaluate import FORMS, METRICS, Case, Question, Rate, Report, html_page

A, B, C = (
    Hit.of(f"{name}.md#1", f"{name} text here", score=score) for name, score in (("a", 0.6), ("b", 0.4), ("c", 0.3))
)
NO = "I don't know based on the provided documents."


class Index:
    def search(self, question, k):
        return [A, B, C][:k]


def case(id, kind, text, chunks=(), contains=(), **settings):
    question = Question(id, f"{id}?", kind, chunks=chunks, contains=contains)

    def model(prompt):
        if text is None:
            raise ConnectionError("gone")
        return text

    from raglab import ask_many

    (answer,) = ask_many([question.question], Index(), model, progress=False, **{"k": 3, **settings})
    return Case(question, answer, (A, B, C))


CASES = (
    case("right", "answerable", "It says text [1].", ("a.md#1",), ("text",)),
    case("two", "answerable", "It says text [2][3].", ("b.md#1", "c.md#1"), ("text",)),
    case("half", "partial", "It says text [2]. The sources do not cover the rest.", ("c.md#1",), ("text",)),
    case("refused", "answerable", NO, ("b.md#1",), ("text",)),
    case("gate", "unanswerable", "never asked", min_score=0.9),
    case("made-up", "unanswerable", "Of course [1]."),
    case("lost", "answerable", None, ("a.md#1",), ("text",)),
)
REPORT = Report("seven", (("style", "numbered"),), CASES)


@pytest.mark.parametrize(
    "name, numerator, denominator",
    [
        ("correct", 3, 4),
        ("wrong", 0, 4),
        ("over_refusal", 1, 4),
        ("refused", 1, 2),
        ("hallucination", 1, 2),
        ("needs_review", 0, 6),
        ("partial", 1, 1),
        ("by_gate", 1, 6),
        ("by_model", 1, 6),
        ("citation_precision", 3, 4),  # right: a of a; two: b and c of b, c; half: b, which is not c
        ("citation_recall", 3, 4),
        ("recall_at_k", 5, 5),
        ("mrr", 1 + 1 / 2 + 1 / 3 + 1 / 2, 4),
        ("code_found", 0, 0),
    ],
)
def test_rates(name, numerator, denominator):
    rate = REPORT.rates[name]
    assert (float(rate.numerator), rate.denominator) == (pytest.approx(numerator), denominator)


def test_every_rate_is_tested_here():
    tested = next(mark for mark in test_rates.pytestmark if mark.name == "parametrize")
    assert [row[0] for row in tested.args[1]] == list(METRICS)


def test_a_failed_call_spoils_no_rate_and_is_counted():
    assert REPORT.failed == Rate(1, 7)
    without = REPORT.only(lambda each: not each.failed)
    assert without.rates == REPORT.rates and without.failed == Rate(0, 6)


def test_a_correct_refusal_is_right_and_in_no_other_rate():
    refusals = REPORT.only(lambda each: each.outcome == "refused")
    assert refusals.rates["refused"] == Rate(1, 1)
    assert refusals.rates["hallucination"] == Rate(0, 1)
    for name in ("correct", "wrong", "over_refusal", "partial", "citation_precision", "citation_recall", "mrr"):
        assert refusals.rates[name] == Rate(0, 0)


def test_an_empty_report_has_rates_of_nothing():
    nothing = Report("none", (), ())
    assert {rate.count for rate in nothing.rates.values()} == {"0 of 0"}
    assert all(shown(nothing) for shown in (Report.text, Report.to_json, Report._repr_markdown_, html_page))


def test_forms_and_blame_name_the_answers():
    assert REPORT.forms() == {"answered": (2, 1), "partial": (1, 0), "clean_no": (1, 1), "padded_no": (0, 0)}
    ids = {blame: [each.question.id for each in cases] for blame, cases in REPORT.blame().items()}
    assert ids == {"retrieval": [], "gate": [], "generation": ["refused", "made-up"]}
    assert [each.question.id for each in REPORT.wrong] == ["refused", "made-up"]


def test_ranks_are_those_of_the_search_not_of_the_prompt():
    question = Question("b", "b?", "answerable", chunks=("a.md#1",))
    answer = ask("b?", Index(), lambda prompt: "It [1].", k=3, order=lambda hits: hits[::-1])
    assert Report("", (), (Case(question, answer, (A, B, C)),)).rates["mrr"] == Rate(1, 1)


def test_what_the_gate_cut_is_not_recalled():
    question = Question("c", "c?", "answerable", chunks=("c.md#1", "a.md#1"), contains=("c text",))
    answer = ask("c?", Index(), lambda prompt: NO, k=3, min_score=0.35)
    found = Case(question, answer, (A, B, C))
    assert Report("", (), (found,)).rates["recall_at_k"] == Rate(1, 2)
    assert found.blame == "gate"


def test_cost_is_that_of_the_tokens():
    from dataclasses import replace

    from raglab import Usage

    paid = tuple(replace(each, answer=replace(each.answer, usage=Usage(1000, 100))) for each in CASES[:3])
    report = Report("paid", (), (*paid, CASES[4]))
    assert report.usage == Usage(3000, 300)
    assert report.cost(3.0, 15.0) == pytest.approx(3000 * 3e-6 + 300 * 15e-6)
    assert "3000 tokens in, 300 out; counted for 3 of 4 questions." in report.text()


# --- how it is shown -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("shown", [REPORT.text(), REPORT._repr_markdown_(), html_page(REPORT)])
def test_every_rate_is_shown_with_its_denominator(shown):
    plain = re.sub(r"</?\w+>|\||\s", " ", shown)
    for name, metric in METRICS.items():
        assert re.search(rf"{re.escape(metric.label)}\s+{re.escape(REPORT.rates[name].count)}\s", plain)
    assert re.search(r"failed calls\s+1 of 7\s", plain)
    assert all(form in plain for form in FORMS)


def test_json_is_one_line_with_every_answer():
    text = REPORT.to_json()
    data = json.loads(text)
    assert "\n" not in text and "NaN" not in text
    assert [each["id"] for each in data["questions"]] == [each.question.id for each in CASES]
    assert data["rates"]["code_found"] == {"numerator": 0, "denominator": 0, "value": None, "low": None, "high": None}
    assert data["rates"]["correct"]["numerator"] == 3 and data["rates"]["failed"]["denominator"] == 7


def test_markdown_cannot_be_broken_by_an_answer():
    nasty = case("x", "unanswerable", "a | b <script> ![i](http://h.example/) [1]")
    rows = [line for line in Report("x", (), (nasty,))._repr_markdown_().splitlines() if line.startswith("| x |")]
    (row,) = rows
    assert len(re.findall(r"(?<!\\)\|", row)) == 6
    assert "<script>" not in row and "![i]" not in row


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.addresses, self.tags, self.alt = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in ("meta", "img"):
            self.open.append(tag)
        self.addresses += [value for name, value in attrs if name in ("src", "href", "action", "data", "poster")]
        self.alt += [value for name, value in attrs if name == "alt"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_one_file_that_loads_nothing():
    nasty = case("x", "unanswerable", '</pre><img src="http://h.example/x.png"><script>alert(1)</script> [1]')
    page = Page()
    text = html_page(Report("<b>x</b>", (), (*CASES, nasty)))
    page.feed(text)
    assert page.open == [] and "script" not in page.tags and page.tags.count("img") == 1
    assert all(address.startswith("data:image/png;base64,") for address in page.addresses)
    assert "answered correctly 3 of 4" in page.alt[0]
    assert not re.search(r"url\(|@import|<link", text)
    assert text.count("<details>") == 8
