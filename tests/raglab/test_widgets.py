import re

import ipywidgets
import pytest

import raglab
from raglab import FunctionModel, Hit
from raglab.errors import ModelError, SettingError
from raglab.evaluate import Picture
from raglab.widgets import HelpDesk, live


class Index:
    def __init__(self, *hits):
        self.hits = hits or (Hit.of("fees.md#0", "It costs <10> dollars.", heading="Fees", score=0.4),)

    def search(self, question, k):
        return self.hits[:k]


def of_kind(panel, kind):
    """All widgets of a kind, from the top, at any depth."""
    below = [widget for child in getattr(panel, "children", ()) for widget in of_kind(child, kind)]
    return [panel] * isinstance(panel, kind) + below


# ----------------------------------------------------------------- live


def shown(panel):
    return [area.value for area in of_kind(panel, ipywidgets.HTML)]


def test_live_shows_each_view_for_the_first_values_and_again_on_every_change():
    panel = live(lambda k, style: f"{k} {style}", lambda k, style: k * k, k=[1, 2, 4], style=["plain", "tagged"])
    assert [re.sub("<[^>]*>", "", html) for html in shown(panel)] == ["1 plain", "1"]
    (slider,), (chosen,) = of_kind(panel, ipywidgets.SelectionSlider), of_kind(panel, ipywidgets.Dropdown)
    assert (slider.description, chosen.description) == ("k", "style")
    assert slider.options == (("1", 1), ("2", 2), ("4", 4))
    slider.value = 4
    assert [re.sub("<[^>]*>", "", html) for html in shown(panel)] == ["4 plain", "16"]
    chosen.value = "tagged"
    assert [re.sub("<[^>]*>", "", html) for html in shown(panel)] == ["4 tagged", "16"]


def test_live_shows_a_picture_as_it_is_and_text_escaped():
    picture = Picture("A dot.", b"png")
    panel = live(lambda k: picture, lambda k: "<b>", k=[1])
    assert shown(panel)[0] == picture._repr_html_()
    assert "&lt;b&gt;" in shown(panel)[1] and "<b>" not in shown(panel)[1]


def test_a_view_that_fails_at_the_start_fails_as_it_would_in_a_cell():
    with pytest.raises(ZeroDivisionError):
        live(lambda k: 1 / k, k=[0, 1])


def test_a_view_that_fails_later_says_so_in_place_of_what_it_showed():
    panel = live(lambda k: 1 / k, lambda k: k, k=[1, 0])
    of_kind(panel, ipywidgets.SelectionSlider)[0].value = 0
    assert "ZeroDivisionError: division by zero" in shown(panel)[0]
    assert ">0<" in shown(panel)[1]


@pytest.mark.parametrize("values", [[(1, 2), (3, 4)], [False, True], ["a", "b"]])
def test_what_is_no_number_is_chosen_from_a_list_as_it_is(values):
    seen = []
    panel = live(lambda edge: seen.append(edge), edge=values)
    (chosen,) = of_kind(panel, ipywidgets.Dropdown)
    chosen.index = 1
    assert seen == values and [label for label, _ in chosen.options] == [str(value) for value in values]


@pytest.mark.parametrize("values", [[], ()])
def test_a_choice_without_values_is_named(values):
    with pytest.raises(SettingError, match="order="):
        live(str, k=[1], order=values)


# ----------------------------------------------------------------- the help desk


@pytest.fixture
def log(tmp_path):
    return raglab.AnswerLog(tmp_path / "log.jsonl")


def replies(text):
    return FunctionModel(lambda prompt: text)


def test_a_desk_shows_answer_status_and_the_folded_passage(log):
    desk = HelpDesk(Index(), {"mine": replies("It costs <10> dollars [1].")}, log)
    desk.question.value = "What does it cost?"
    desk.button.click()
    assert "It costs &lt;10&gt; dollars [1]." in desk.answer.value
    assert "<em>answered</em>" in desk.answer.value
    assert re.search(
        r"<details><summary>\[1\] fees.md &gt; Fees \(cited, score 0.400\)</summary>.*It costs &lt;10&gt;",
        desk.answer.value,
    )
    assert (desk.message.value, desk.gaps.value, desk.button.disabled) == ("", "", False)


def test_a_desk_shows_the_exact_quote_where_the_service_gives_one(log):
    desk = HelpDesk(raglab.TfidfIndex.build([chunk()]), {"m": raglab.connect("mock-reader")}, log, style="documents")
    desk.question.value = "What does membership cost?"
    desk.ask()
    assert "<blockquote" in desk.answer.value and "Membership costs 10 dollars.</blockquote>" in desk.answer.value
    assert "The club meets on Fridays" not in desk.answer.value


def chunk():
    return raglab.Chunk("fees.md#0", "fees.md", "Fees", "Membership costs 10 dollars. The club meets on Fridays.")


def test_each_passage_unfolds_its_own_text_under_the_marker_of_the_style(log):
    index = Index(Hit.of("a.md#0", "Red.", score=0.9), Hit.of("b.md#4", "Blue.", score=0.5))
    desk = HelpDesk(index, {"mine": replies("It is blue [b.md#4].")}, log, style="bracketed")
    desk.question.value = "What colour is it?"
    desk.ask()
    folded = re.findall(r"<summary>(.*?)</summary><blockquote[^>]*>(.*?)</blockquote>", desk.answer.value)
    assert folded == [
        ("[a.md#0] a.md (not cited, score 0.900)", "Red."),
        ("[b.md#4] b.md (cited, score 0.500)", "Blue."),
    ]


def test_enter_asks_as_the_button_does(log):
    desk = HelpDesk(Index(), {"mine": replies("It costs [1].")}, log)
    desk.question.value = "What does it cost?"
    desk.question._handle_custom_msg({"event": "submit"}, [])  # what the front end sends for Enter
    assert "It costs [1]." in desk.answer.value


def test_the_model_and_the_threshold_that_are_chosen_are_used(log):
    desk = HelpDesk(Index(), {"one": replies("One [1]."), "two": replies("Two [1].")}, log)
    assert desk.threshold.value == raglab.NUMBERED.min_score
    desk.question.value = "What does it cost?"
    desk.model.value = "two"
    desk.ask()
    assert "Two [1]." in desk.answer.value
    desk.threshold.value = 0.45
    desk.ask()
    assert "refused by the gate" in desk.answer.value


def test_what_was_not_answered_is_listed_below_the_most_frequent_first(log):
    desk = HelpDesk(Index(), {"mine": replies(raglab.NUMBERED.refusal)}, log)
    for question in ("Is it <free>?", "When?", "when?"):
        desk.question.value = question
        desk.ask()
    cells = re.findall("<td>(.*?)</td>", desk.gaps.value)
    assert cells == ["When?", "not_found", "2", "Is it &lt;free&gt;?", "not_found", "1"]


def test_a_reply_that_was_held_back_is_folded_with_its_problem(log):
    desk = HelpDesk(Index(), {"mine": replies("It costs <b>12</b> [7].")}, log)
    desk.question.value = "What does it cost?"
    desk.ask()
    head, _, folded = desk.answer.value.partition("<details>")
    assert raglab.NUMBERED.refusal.replace("'", "&#x27;") in head and "12" not in head
    assert "It costs &lt;b&gt;12&lt;/b&gt; [7]." in folded and "unknown-source" in folded


@pytest.mark.parametrize("question", ["", "  "])
def test_without_a_question_nothing_is_asked(log, question):
    desk = HelpDesk(Index(), {"mine": replies("It costs [1].")}, log)
    desk.question.value = question
    desk.ask()
    assert "Type a question" in desk.message.value
    assert not log.path.exists()


def test_a_failing_model_is_one_sentence_and_the_desk_goes_on(log):
    def broken(prompt):
        raise ModelError("The service <does not> answer.")

    desk = HelpDesk(Index(), {"mine": replies("It costs [1]."), "broken": FunctionModel(broken)}, log)
    desk.question.value = "What does it cost?"
    desk.ask()
    desk.model.value = "broken"
    desk.ask()
    assert "The service &lt;does not&gt; answer." in desk.message.value
    assert desk.answer.value == "" and not desk.button.disabled
    desk.model.value = "mine"
    desk.ask()
    assert desk.message.value == "" and "It costs [1]." in desk.answer.value


def test_a_mistake_in_a_model_of_ones_own_is_named_and_the_desk_goes_on(log):
    desk = HelpDesk(Index(), {"mine": FunctionModel(lambda prompt: 1 / 0)}, log)
    desk.question.value = "What does it cost?"
    desk.ask()
    assert "ZeroDivisionError" in desk.message.value and not desk.button.disabled


def test_a_log_that_cannot_be_written_costs_no_answer(tmp_path):
    desk = HelpDesk(Index(), {"mine": replies("It costs [1].")}, raglab.AnswerLog(tmp_path / "no" / "log.jsonl"))
    desk.question.value = "What does it cost?"
    desk.ask()
    assert "It costs [1]." in desk.answer.value
    assert "cannot be written" in desk.message.value


def test_a_desk_without_models_and_one_with_an_unknown_style_are_errors(log):
    with pytest.raises(SettingError, match="models"):
        HelpDesk(Index(), {}, log)
    with pytest.raises(SettingError, match="numbered"):
        HelpDesk(Index(), {"mine": replies("")}, log, style="numberd")
