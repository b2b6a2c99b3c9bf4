"""The two seams: what is enough for an index and for a model, and what a score that is not a cosine means."""

import pytest

import raglab
from raglab import Delta, Hit, Index, Model, Reply, SettingError, StreamingModel, TfidfIndex, ask, build_prompt

FEE = Hit.of("fees.md#0", "The fee is ten dollars.", score=0.5)


class MyIndex:
    def __init__(self, *hits):
        self.hits = hits

    def search(self, question, k):
        return self.hits[:k]


class MyModel:
    def __init__(self):
        self.asked = 0

    def complete(self, prompt):
        self.asked += 1
        return Reply("Ten dollars [1].")


class MyStreamingModel(MyModel):
    def stream(self, prompt):
        self.asked += 1
        yield Delta("Ten ")
        yield Delta("dollars [1].", ends_block=True, reply=Reply("Ten dollars [1]."))


def test_raglabs_own_fit_their_seams():
    assert isinstance(TfidfIndex.build([]), Index)
    model = raglab.connect("mock-reader")
    assert isinstance(model, Model) and isinstance(model, StreamingModel)
    function = raglab.FunctionModel(str.upper)
    assert isinstance(function, Model) and not isinstance(function, StreamingModel)


@pytest.mark.parametrize("model", [MyModel(), MyStreamingModel()])
def test_a_model_streams_if_it_can(model):
    pieces = []
    answer = ask("What is the fee?", MyIndex(FEE), model, on_token=pieces.append)
    assert answer.text == "Ten dollars [1]." == "".join(pieces)
    assert model.asked == 1


# --- scores of other kinds ---------------------------------------------------------------------------------------

OTHERS = [("bm25", 7.3), ("bm25", -0.4), ("reciprocal rank", 0.016), ("inner product", 31.0)]


@pytest.mark.parametrize(("kind", "score"), OTHERS)
@pytest.mark.parametrize("style", ["numbered", "bracketed", "tagged", "helpdesk", "documents_v1"])
def test_no_gate_is_drawn_by_a_score_that_is_not_a_cosine(kind, score, style):
    hit = Hit.of("fees.md#0", "The fee is ten dollars.", score=score, score_kind=kind)
    answer = ask("What is the fee?", MyIndex(hit), lambda prompt: "Ten dollars [1][fees.md#0].", style=style)
    assert answer.hits == (hit,) and answer.refused_by is None


@pytest.mark.parametrize(("kind", "score"), OTHERS)
def test_a_gate_that_was_asked_for_is_refused_with_such_scores(kind, score):
    model = MyModel()
    hit = Hit.of("fees.md#0", "The fee is ten dollars.", score=score, score_kind=kind)
    with pytest.raises(SettingError, match=rf"min_score=0.3 is a cosine, but search scores by {kind}"):
        ask("What is the fee?", MyIndex(hit), model, min_score=0.3)
    assert ask("What is the fee?", MyIndex(hit), model, min_score=0).status == "answered"
    assert model.asked == 1


@pytest.mark.parametrize("score", [7.3, -31.0, 1.001, float("nan"), float("inf"), "0.5", None])
def test_a_cosine_that_cannot_be_one_is_refused_with_the_remedy(score):
    model = MyModel()
    hit = Hit.of("fees.md#0", "The fee is ten dollars.", score=score)
    for index, search in ((MyIndex(hit), None), (None, MyIndex(hit).search)):
        with pytest.raises(SettingError, match=r"fees\.md#0 the score .*not a cosine.*score_kind"):
            ask("What is the fee?", index, model, search=search)
    assert not model.asked


def test_a_32_bit_cosine_of_one_and_a_negative_one_are_cosines():
    assert ask("Fee?", MyIndex(Hit.of("a#0", "Ten.", score=1.0000001)), MyModel()).status == "answered"
    assert ask("Fee?", MyIndex(Hit.of("a#0", "Ten.", score=-0.2)), MyModel()).refused_by == "gate"


# --- what cannot be meant ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("index", [None, "docs/club", [FEE], TfidfIndex])
def test_what_is_not_an_index_is_one_sentence(index):
    model = MyModel()
    with pytest.raises(SettingError, match=r"search\(question, k\)"):
        ask("What is the fee?", index, model)
    assert not model.asked


@pytest.mark.parametrize("name", ["search", "order", "on_token"])
@pytest.mark.parametrize("value", ["edge", 4])
def test_what_is_not_a_function_is_one_sentence(name, value):
    with pytest.raises(SettingError, match=f"{name} must be a function"):
        ask("What is the fee?", MyIndex(FEE), MyModel(), **{name: value})


@pytest.mark.parametrize("found", [None, 3, [("fees.md", 0.5)], ["text"]])
def test_what_is_not_a_list_of_hits_is_one_sentence(found):
    with pytest.raises(SettingError, match="search returned"):
        ask("What is the fee?", None, MyModel(), search=lambda question, k: found)


@pytest.mark.parametrize("ordered", [None, ["text"]])
def test_an_order_returns_hits(ordered):
    with pytest.raises(SettingError, match="order returned"):
        ask("What is the fee?", MyIndex(FEE), MyModel(), order=lambda hits: ordered)


def fn_of_three(system, user, more):
    return ""


@pytest.mark.parametrize("model", ["gpt", 3, lambda: "Ten.", fn_of_three, MyModel])
def test_what_is_not_a_model_is_one_sentence(model):
    with pytest.raises(SettingError, match="model"):
        ask("What is the fee?", MyIndex(FEE), model)


@pytest.mark.parametrize(
    "function", [lambda prompt, *, style="x": "a", lambda *parts: "a", lambda a, b=1: "a", str.upper]
)
def test_functions_that_can_be_models(function):
    assert isinstance(raglab.FunctionModel(function).complete(build_prompt("Fee?", [FEE])).text, str)
