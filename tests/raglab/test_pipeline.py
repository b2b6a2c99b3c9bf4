"""ask(): gate, prompt, model, checks, retry. Most of it with functions as models, so that each reply is known."""

import dataclasses

import pytest

from raglab import (
    BRACKETED,
    NUMBERED,
    STYLES,
    TAGGED,
    FunctionModel,
    Hit,
    RaglabError,
    Reply,
    SettingError,
    Usage,
    ask,
    edge_order,
)
from raglab.pipeline import prepare

FEES = Hit.of("fees.md#1", "The fee is ten dollars per term.", heading="Fees", score=0.6)
VISITS = Hit.of("visits.md#0", "Visit us on Monday at 9 PM.", score=0.3)


class Index:
    """The smallest index of a user's own: just search(question, k)."""

    def __init__(self, *hits):
        self.hits, self.calls = hits, []

    def search(self, question, k):
        self.calls.append((question, k))
        return list(self.hits)


class Replies:
    """A model that gives its replies one after the other and remembers the prompts."""

    def __init__(self, *replies, usage=None):
        self.replies, self.prompts, self.usage = list(replies), [], usage

    def complete(self, prompt):
        self.prompts.append(prompt)
        return Reply(self.replies.pop(0), usage=self.usage)


GOOD = {
    "numbered": "Ten dollars [1].",
    "bracketed": "Ten dollars [fees.md#1].",
    "tagged": "Ten dollars [fees.md#1].",
    "helpdesk": "Ten dollars [1].",
    "documents_v1": "Ten dollars [1].",
}
TEXT_STYLES = {name: style for name, style in STYLES.items() if style.citation != "block"}


@pytest.mark.parametrize("style", TEXT_STYLES.values(), ids=TEXT_STYLES)
def test_every_style_answers_over_an_index_with_nothing_but_search(style):
    answer = ask("What is the fee?", Index(FEES, VISITS), lambda prompt: GOOD[style.name], style=style)
    listed = "\n\nSources:\n  [1] fees.md" if style.name == "helpdesk" else ""
    assert (answer.status, answer.text, answer.refused, answer.problems) == (
        "answered",
        GOOD[style.name] + listed,
        False,
        (),
    )
    assert [(s.n, s.id, s.label, s.score, s.cited) for s in answer.sources] == [
        (1, "fees.md#1", "fees.md > Fees", 0.6, True),
        (2, "visits.md#0", "visits.md", 0.3, False),
    ]
    assert answer.question == answer.search_question == "What is the fee?"
    assert answer.prompt.style is style


def test_an_id_in_an_answer_of_the_house_style_cites_its_passage():
    answer = ask("When?", Index(FEES, VISITS), lambda prompt: "On Monday [visits.md#0].")
    assert (answer.status, [source.n for source in answer.sources if source.cited]) == ("answered", [2])
    answer = ask("When?", Index(FEES, VISITS), lambda prompt: "On Monday [visits.md#1].")
    assert [problem.code for problem in answer.problems] == ["unknown-source"]


GATED = {name: style for name, style in STYLES.items() if style.min_score}


@pytest.mark.parametrize("style", GATED.values(), ids=GATED)
def test_the_gate_refuses_without_a_call_when_nothing_reaches_min_score(style):
    model = Replies()
    weak = dataclasses.replace(FEES, score=style.min_score - 1e-9)
    answer = ask("What is the fee?", Index(weak), model, style=style)
    assert (answer.text, answer.status, answer.refused_by) == (style.refusal, "not_found", "gate")
    assert (answer.usage, answer.reply, answer.prompt, answer.sources, answer.hits) == (None, None, None, (), ())
    assert model.prompts == []


@pytest.mark.parametrize("style", TEXT_STYLES.values(), ids=TEXT_STYLES)
def test_the_model_refuses_and_no_source_is_shown(style):
    answer = ask("Who won?", Index(FEES), Replies(style.sentinel, usage=Usage(9, 4)), style=style)
    assert (answer.text, answer.status, answer.refused_by) == (style.refusal, "not_found", "model")
    assert (answer.sources, answer.problems, answer.usage) == ((), (), Usage(9, 4))


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_a_padded_refusal_needs_review_and_its_padding_is_not_shown(style):
    answer = ask("Who won?", Index(FEES), lambda prompt: f"{style.refusal} Usually it is 20.", style=style)
    assert (answer.text, answer.status, answer.refused_by) == (style.refusal, "needs_review", None)
    assert "padded-refusal" in [problem.code for problem in answer.problems]
    assert answer.reply.text.endswith("Usually it is 20.")


@pytest.mark.parametrize("question", ["", "  \n"])
def test_an_empty_question_is_refused_by_the_gate_whatever_the_index_returns(question):
    assert ask(question, Index(FEES), Replies()).refused_by == "gate"


def test_a_reply_with_problems_is_not_shown():
    answer = ask("When?", Index(FEES, VISITS), lambda prompt: "At 10 PM [visits.md#0].", style=TAGGED)
    assert (answer.status, answer.text, answer.sources) == ("needs_review", TAGGED.refusal, ())
    assert [problem.code for problem in answer.problems] == ["number-not-in-source"]
    assert "10" in answer.problems[0].detail


def test_only_the_styles_checks_run_unless_the_caller_names_others():
    index = Index(FEES)
    assert ask("Fee?", index, lambda prompt: "Ten dollars.").status == "answered"
    assert ask("Fee?", index, lambda prompt: "Ten dollars.", checks=["missing-citation"]).status == "needs_review"
    assert ask("Fee?", index, lambda prompt: "Ten [7].", checks=[]).status == "answered"


def test_a_retry_sends_the_problems_back_and_adds_up_the_tokens():
    model = Replies("At 10 PM [visits.md#0].", "At 9 PM [visits.md#0].", usage=Usage(100, 10))
    answer = ask("When?", Index(VISITS), model, style=TAGGED, retries=1)
    assert (answer.status, answer.text, answer.usage) == ("answered", "At 9 PM [visits.md#0].", Usage(200, 20))
    first, second = (prompt.messages() for prompt in model.prompts)
    assert second[: len(first)] == first
    assert second[-2] == {"role": "assistant", "content": "At 10 PM [visits.md#0]."}
    assert second[-1]["content"].startswith("Problems with your answer:\n- ")


def test_retries_end_when_they_are_used_up_or_not_needed():
    wrong, right = "At 10 PM [visits.md#0].", "At 9 PM [visits.md#0]."
    assert ask("When?", Index(VISITS), Replies(wrong, wrong, wrong), style=TAGGED, retries=2).status == "needs_review"
    model = Replies(right, wrong)
    assert ask("When?", Index(VISITS), model, style=TAGGED, retries=5).status == "answered"
    assert len(model.prompts) == 1


def test_order_arranges_the_prompt_and_numbers_follow_it():
    hits = [Hit.of(f"{name}.md#0", f"Text {name}.", score=0.9 - n / 10) for n, name in enumerate("abcd")]
    answer = ask("Text?", Index(*hits), lambda prompt: "Text c [2].", order=edge_order)
    assert [hit.chunk.source for hit in answer.hits] == ["a.md", "c.md", "d.md", "b.md"]
    assert [source.id for source in answer.sources if source.cited] == ["c.md#0"]


def test_k_and_min_score_overrule_the_style():
    index = Index(FEES, VISITS)
    assert len(ask("Fee?", index, lambda prompt: "Ten [1].", k=1).hits) == 1
    assert len(ask("Fee?", index, lambda prompt: "Ten [1].", min_score=0.5).hits) == 1
    assert ask("Fee?", index, Replies(), k=0).refused_by == "gate"
    assert index.calls[0] == ("Fee?", 1)


def test_search_replaces_the_index_for_one_call():
    answer = ask("Fee?", None, lambda prompt: "Ten [1].", search=lambda question, k: [FEES])
    assert answer.sources[0].id == "fees.md#1"


def test_a_score_of_zero_is_never_a_hit():
    zero = dataclasses.replace(FEES, score=0.0)
    assert ask("Fee?", Index(zero), Replies(), min_score=0).refused_by == "gate"


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"k": -1}, "k must be 0 or more, got -1"),
        ({"min_score": 1.5}, "min_score must be between 0 and 1, got 1.5"),
        ({"min_score": float("nan")}, "min_score must be a number, got nan"),
        ({"retries": -2}, "retries must be 0 or more, got -2"),
        (
            {"style": "numberd"},
            "did you mean 'numbered'.*bracketed, documents, documents_v1, helpdesk, numbered, tagged",
        ),
        ({"checks": ["missing-citatoin"]}, "missing-citation"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_named(setting, message):
    with pytest.raises(SettingError, match=message):
        ask("Fee?", Index(FEES), lambda prompt: "Ten [1].", **setting)


@pytest.mark.parametrize(
    "wrong",
    [
        {"k": -1},
        {"k": 2.5},
        {"min_score": "0.2"},
        {"retries": True},
        {"fence": "tagz"},
        {"checks": ["x"]},
        {"order": 1},
        {"style": 3},
        {"history": [("What is it?",)]},
        {"history": ["What is it?"]},
    ],
    ids=str,
)
def test_a_wrong_setting_costs_nothing_not_even_a_rewrite(wrong):
    index, model, history = Index(FEES), Replies("What is the fee?", "Ten dollars [1]."), [("What is the fee?", "Ten.")]
    with pytest.raises(SettingError):
        ask("How long is it valid?", index, model, **{"history": history, **wrong})
    assert not index.calls and not model.prompts


@pytest.mark.parametrize("question", [None, 5, b"What is the fee?", ["What is the fee?"]])
def test_a_question_is_a_text(question):
    with pytest.raises(SettingError, match="A question is a text, got"):
        ask(question, Index(FEES), Replies())


def test_a_wrong_environment_is_told_also_when_the_gate_would_refuse(monkeypatch):
    monkeypatch.setenv("RAGLAB_LLM", "cluade")
    with pytest.raises(SettingError, match="did you mean 'claude'"):
        ask("What is the fee?", Index())


def test_the_settings_that_are_handed_on_are_those_of_ask():
    import inspect

    from raglab.pipeline import AskSettings

    given = [each.name for each in inspect.signature(ask).parameters.values() if each.kind == each.KEYWORD_ONLY]
    assert list(AskSettings.__annotations__) == given


@pytest.mark.parametrize("settings", [{}, {"k": 1}, {"min_score": 0.5}, {"fence": "nonce"}, {"order": edge_order}])
def test_prepare_makes_the_prompt_that_ask_sends(settings):
    model = Replies("Ten dollars [1].")
    answer = ask("What is the fee?", Index(FEES, VISITS), model, **settings)
    hits, prompt = prepare("What is the fee?", Index(FEES, VISITS), **settings)
    assert model.prompts == [prompt] == [answer.prompt] and tuple(hits) == answer.hits
    assert prepare("What is the fee?", Index(), **settings) == ([], None)


def test_an_index_that_returns_something_else_is_told_so():
    with pytest.raises(RaglabError, match=r"tuple.*Hit\.of"):
        ask("Fee?", Index(("fees.md", 0.9)), Replies())


@pytest.mark.parametrize(
    ("fn", "seen"),
    [
        (lambda prompt: prompt[:9], "You answe"),
        (lambda system, user: user[:8], "Context:"),
        (lambda system, user=None: system[:9], "You answe"),
        (lambda *prompt: str(len(prompt)), "1"),
        (str.strip, None),
    ],
)
def test_a_function_model_gets_the_text_or_system_and_user(fn, seen):
    reply = ask("Fee?", Index(FEES), FunctionModel(fn), style=NUMBERED).reply.text
    assert reply == seen or seen is None and reply.startswith("You answer")


def test_a_function_without_a_system_prompt_gets_an_empty_one():
    assert ask("Fee?", Index(FEES), lambda system, user: f"<{system}>", style=BRACKETED).reply.text == "<>"


@pytest.mark.parametrize("reply", [None, 7, b"Ten [1]."])
def test_a_function_that_returns_no_string_is_told_so(reply):
    with pytest.raises(RaglabError, match=f"returned {type(reply).__name__}"):
        ask("Fee?", Index(FEES), lambda prompt: reply)


@pytest.mark.parametrize(
    "setting", [{"fence": "bogus"}, {"checks": ["bogus"]}, {"style": "documents", "fence": "tags"}]
)
def test_a_wrong_setting_is_an_error_whatever_is_found(setting):
    with pytest.raises(SettingError):
        ask("Fee?", Index(), Replies(), **setting)
