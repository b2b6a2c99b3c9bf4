"""Settings of evaluate and the sweeps: a wrong one is an error before a file is read or a model is asked."""

import pytest

from raglab import Chunk, Hit, SettingError, TfidfIndex
from raglab.evaluate import Question, evaluate, position_sweep, sweep, threshold_sweep

NOT_READ = "no/such/questions.toml"  # reading it would be a DocumentError
CHUNKS = [
    Chunk(f"fees.md#{n}", "fees.md", "", f"The fee of year {n} is {n} dollars. Pay it in cash.") for n in range(9)
]
INDEX = TfidfIndex.build(CHUNKS)


def not_asked(prompt):
    raise AssertionError("a model was asked")


def by_evaluate(index=INDEX, **settings):
    return evaluate(NOT_READ, index, not_asked, **settings)


def by_sweep(index=INDEX, **settings):
    return sweep(NOT_READ, index, not_asked, vary={"fence": [None, "tags"]}, **settings)


def by_threshold_sweep(index=INDEX, **settings):
    return threshold_sweep(NOT_READ, index, not_asked, **settings)


def by_position_sweep(**settings):
    return position_sweep(NOT_READ, CHUNKS, not_asked, **settings)


WITH_AN_INDEX = [by_evaluate, by_sweep, by_threshold_sweep]
ALL = [*WITH_AN_INDEX, by_position_sweep]


@pytest.mark.parametrize("measure", WITH_AN_INDEX)
@pytest.mark.parametrize(
    "settings, problem",
    [
        ({"min_scor": 0.1}, r"has no setting 'min_scor': did you mean 'min_score'"),
        ({"k": 2.5}, "k must be a whole number, got 2.5"),
        ({"k": True}, "k must be a whole number, got True"),
        ({"k": -1}, "k must be 0 or more, got -1"),
        ({"order": "edge"}, "order must be a function, got 'edge'"),
        ({"search": "bm25"}, "search must be a function"),
        ({"history": ["What is the fee?"]}, "history holds pairs of texts"),
    ],
)
def test_settings_of_ask(measure, settings, problem):
    with pytest.raises(SettingError, match=problem):
        measure(**settings)


@pytest.mark.parametrize("measure", [by_evaluate, by_sweep])
@pytest.mark.parametrize("value", ["0.2", True, 1.5, -0.1])
def test_a_gate_that_is_not_a_cosine(measure, value):
    with pytest.raises(SettingError, match="min_score must be"):
        measure(min_score=value)


@pytest.mark.parametrize("measure", ALL)
@pytest.mark.parametrize(
    "settings, problem",
    [
        ({"worker": 2}, r"has no setting 'worker': did you mean 'workers'"),
        ({"retries": True}, "retries must be a whole number, got True"),
        ({"retries": "1"}, "retries must be a whole number, got '1'"),
        ({"style": "numberd"}, "no style 'numberd': did you mean 'numbered'"),
        ({"style": 7}, "no style 7"),
        ({"fences": "tags"}, "has no setting 'fences': did you mean 'fence'"),
        ({"checks": ["empty-anser"]}, "no check 'empty-anser': did you mean 'empty-answer'"),
        ({"workers": 0}, "workers must be 1 or more, got 0"),
        ({"workers": "2"}, "workers must be a whole number, got '2'"),
        ({"executor": "threads"}, "executor must be one of concurrent.futures, got 'threads'"),
        ({"progress": 1}, "progress must be True or False, got 1"),
        ({"save": 1}, "save must be the path of a file, got 1"),
    ],
)
def test_settings_that_all_of_them_take(measure, settings, problem):
    with pytest.raises(SettingError, match=problem):
        measure(**settings)


@pytest.mark.parametrize("measure", [by_evaluate, by_threshold_sweep, by_position_sweep])
def test_a_fence_that_does_not_exist(measure):
    with pytest.raises(SettingError, match="fence cannot be 'tag': did you mean 'tags'"):
        measure(fence="tag")


@pytest.mark.parametrize("measure", WITH_AN_INDEX)
@pytest.mark.parametrize("index", [None, "docs/club", []])
def test_something_that_is_no_index(measure, index):
    with pytest.raises(SettingError, match="An index has search"):
        measure(index=index)


def test_the_error_names_the_function_that_was_called():
    for measure, name in zip(ALL, ("evaluate", "sweep", "threshold_sweep", "position_sweep"), strict=True):
        with pytest.raises(SettingError, match=rf"^{name} has no setting 'save_to'"):
            measure(save_to="run.jsonl")


@pytest.mark.parametrize(
    "vary, problem",
    [
        ({"min_scor": [0.1]}, "sweep has no setting 'min_scor': did you mean 'min_score'"),
        ({"personas": ["reader"]}, "did you mean 'persona'"),
        ({"persona": ["reeder"]}, "no persona 'reeder'"),
        ({"k": 4}, r"vary\['k'\] must be a list of values, got 4"),
        ({"style": "numbered"}, r"vary\['style'\] must be a list of values, got 'numbered'"),
        ({"k": [2, 2.5]}, "k must be a whole number, got 2.5"),
        ({"min_score": [0.1, "0.2"]}, "min_score must be a number, got '0.2'"),
        ({"style": ["numbered", "tagged"], "fence": [None, "tags"]}, "The style tagged takes no fence"),
    ],
)
def test_every_value_is_checked_before_the_first_is_tried(vary, problem):
    with pytest.raises(SettingError, match=problem):
        sweep(NOT_READ, INDEX, not_asked, vary=vary)


def test_a_setting_cannot_be_varied_and_held():
    with pytest.raises(SettingError, match="min_score cannot be varied and held at 0.3"):
        sweep(NOT_READ, INDEX, not_asked, vary={"min_score": [0.1]}, min_score=0.3)
    with pytest.raises(SettingError, match="min_score cannot be varied and held at 0.3"):
        threshold_sweep(NOT_READ, INDEX, not_asked, min_score=0.3)


@pytest.mark.parametrize(
    "thresholds, problem",
    [
        (0.2, "thresholds must be a list of values, got 0.2"),
        ([], "thresholds must have at least one value"),
        ([0.1, "0.2"], "each threshold must be a number, got '0.2'"),
        ([0.1, 2], "each threshold must be between 0 and 1, got 2"),
    ],
)
def test_thresholds(thresholds, problem):
    with pytest.raises(SettingError, match=problem):
        threshold_sweep(NOT_READ, INDEX, not_asked, thresholds)


@pytest.mark.parametrize(
    "settings, problem",
    [
        ({"k": 3}, "position_sweep has no setting 'k'"),
        ({"min_score": 0.1}, "position_sweep has no setting 'min_score'"),
        ({"sizes": 10}, "sizes must be a list of values, got 10"),
        ({"sizes": [10, 7.5]}, "each size must be a whole number, got 7.5"),
        ({"sizes": []}, "sizes must have at least one value"),
        ({"orders": "edge"}, "orders must be a list of values, got 'edge'"),
        ({"orders": ["edges"]}, "no order 'edges': did you mean 'edge'"),
        ({"style": "documents", "fence": "tags"}, "The style documents takes no fence"),
    ],
)
def test_settings_of_a_position_sweep(settings, problem):
    with pytest.raises(SettingError, match=problem):
        by_position_sweep(**settings)


def test_the_default_values_are_those_of_the_style():
    question = Question("fee", "What is the fee of year 3?", "answerable", contains=("3 dollars",))

    def search(question, k):
        return [Hit.of("fees.md#3", CHUNKS[3].text)]

    report = evaluate([question], INDEX, lambda prompt: "It is 3 dollars [1].", search=search, k=None, progress=False)
    assert dict(report.settings)["k"] == "4" and dict(report.settings)["min_score"] == "0.2"
    assert report.rates["correct"].numerator == 1
