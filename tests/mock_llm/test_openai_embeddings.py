"""Vectors of hashes of words: near where words are shared, stable, and of length one."""

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mock_llm
from mock_llm.wires.openai_embeddings import embedded, serve


def vectors(given, **change):
    answer = serve(msgspec.json.encode({"model": "m", "input": given, **change}))
    return [one["embedding"] for one in answer.response["data"]]


def cosine(one, other):
    return sum(a * b for a, b in zip(one, other, strict=True))


def test_texts_that_share_words_are_near():
    question, near, nearer, far = vectors(
        ["When does the tea room open?", "The shop has tea.", "The tea room opens at 8.", "Parking is free."]
    )
    assert cosine(question, nearer) > cosine(question, near) > cosine(question, far) + 0.2
    assert abs(cosine(question, far)) < 0.15
    # Of the words tea, room, open and tea, room, open, 8 three are shared: 3 / sqrt(3 · 4).
    assert cosine(question, nearer) == pytest.approx(3 / math.sqrt(12), abs=0.1)


def test_word_order_and_case_do_not_matter_and_a_word_more_does():
    one, same, other = vectors(["tea room open", "Open tea ROOMS", "tea room open late"])
    assert one == same != other


@pytest.mark.parametrize(
    ("model", "size"), [("text-embedding-3-small", 1536), ("text-embedding-3-large", 3072), ("anything", 1536)]
)
def test_dimensions_of_the_models(model, size):
    assert len(vectors("tea", model=model)[0]) == size
    assert len(vectors("tea", model=model, dimensions=7)[0]) == 7


def test_tokens_are_words_too():
    one, same, near, far = vectors([[1, 2, 3], [3, 2, 1], [1, 2, 9], [7, 8]])
    assert one == same and cosine(one, near) > 0.5 > abs(cosine(one, far))
    assert vectors([1, 2, 3]) == [one]


def test_usage_is_the_sum_of_the_inputs():
    answer = serve(msgspec.json.encode({"model": "m", "input": ["12345", "1234"]}))
    assert answer.response["usage"] == {"prompt_tokens": 3, "total_tokens": 3}
    assert serve(msgspec.json.encode({"model": "m", "input": [[7] * 10]})).input_tokens == 10


@given(st.lists(st.text(min_size=1), max_size=5), st.integers(1, 50))
def test_a_vector_has_length_one(terms, size):
    assert math.hypot(*embedded(terms, size)) == pytest.approx(1, abs=1e-5)


@given(st.text(min_size=1, max_size=40))
def test_a_text_is_nearest_to_itself(text):
    one, same = vectors([text, text])
    assert one == same and cosine(one, same) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"input": ""}, "input.0: Input cannot be empty"),
        ({"input": []}, "input: Input should be a string, or a list"),
        ({"input": None}, "input: Input should be a string, or a list"),
        ({"input": ["a", ""]}, "input.1: Input cannot be empty"),
        ({"input": ["a", 1]}, "input.1: Input should be a valid string"),
        ({"input": [[]]}, "input.0: Input cannot be empty"),
        ({"input": [[-1]]}, "input.0.0: Input should be greater than or equal to 0"),
        ({"input": [1, "a"]}, "input.1: Input should be a valid integer"),
        ({"input": [True]}, "input.0: Input should be a valid integer"),
        ({"input": ["a"] * 2049}, "input: List should have at most 2048 items"),
        ({"input": "a" * 32_769}, "input.0: 8193 tokens are more than the 8192"),
        ({"dimensions": 0}, "dimensions: Input should be greater than or equal to 1"),
        ({"dimensions": 10_000}, "dimensions: Input should be less than or equal to 3072"),
        ({"encoding_format": "hex"}, "encoding_format: Input should be 'float' or 'base64'"),
    ],
)
def test_a_bad_field_is_named(change, message):
    with pytest.raises(mock_llm.RequestError, match=f"^{message}"):
        vectors(**{"given": "x", **{("given" if name == "input" else name): value for name, value in change.items()}})
