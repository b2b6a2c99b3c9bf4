"""Patterns, held against `re` where both speak the same language."""

import re
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_llm.patterns import Budget, OverBudget, PatternError, matches, parsed, texts

PATTERNS = [
    "",
    "^$",
    "a",
    "^a|b$",
    "^(a|b)*c$",
    "^(?:ab){2,3}$",
    "^a{2}b{1,}c{0,1}$",
    "^[a-c]+$",
    "^[^a-c]+$",
    "^[a-]+$",
    r"^[\w.-]+@[\w-]+\.c{2}$",
    r"\d\D\s",
    r"^\S\W$",
    "^.$",
    "a^b",
    "a$b",
    "(^a)?b",
    "^a*?b+?$",
    r"^\x61\u0062$",
    r"^\/\.\-\[\]\(\)$",
    "^((a?){3}){2}$",
    "x{",
    "^]$",
]


@given(st.sampled_from(PATTERNS), st.text("abcx.-@{}]/ 2\n", max_size=8))
def test_what_matches(pattern, text):
    assert matches(pattern, text, Budget(10**6)) == (re.search(pattern.replace("$", r"\Z"), text) is not None)


@pytest.mark.parametrize("pattern", [one for one in PATTERNS if one not in ("a^b", "a$b")])
def test_texts_match_their_pattern_the_shortest_first(pattern):
    made = list(islice(texts([pattern], 0, 20, Budget(10**6)), 5))
    assert made
    assert sorted(made, key=len) == made
    assert all(re.search(pattern, text) for text in made)


@given(st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=2), st.integers(0, 6), st.integers(0, 6))
def test_texts_are_as_long_as_asked_and_match_all_patterns(patterns, least, more):
    for text in islice(texts(patterns, least, least + more, Budget(10**6)), 3):
        assert least <= len(text) <= least + more
        assert all(re.search(pattern, text) for pattern in patterns)


def test_a_named_group_is_a_group():
    assert matches("^(?<year>2026)$", "2026", Budget(1_000))


def test_digits_and_words_are_those_of_ecma():
    assert not matches(r"\d|\w", "٣é", Budget(1_000))
    assert matches(r"^[\b]$", "\b", Budget(1_000))


@pytest.mark.parametrize(
    "pattern",
    [
        "(a",
        "a)",
        "[a",
        "*a",
        "a{3,2}",
        "a{5000}",
        "(?=a)",
        "(?!a)",
        "(?<=a)",
        r"\bword",
        r"(a)\1",
        r"\p{L}",
        "[z-a]",
        "a\\",
    ],
)
def test_what_is_beyond_the_machines_is_named(pattern):
    with pytest.raises(PatternError):
        parsed(pattern)


def test_work_is_bounded():
    with pytest.raises(OverBudget):
        matches("^(a|b)*a(a|b){40}$", "ab" * 500, Budget(5_000))
    assert not matches("^(a+)+$", "a" * 60 + "!", Budget(5_000))
    for pattern, least in (("a*$b", 0), ("^a*$", 2**63)):  # no text matches; none is so long
        with pytest.raises(OverBudget):
            next(texts([pattern], least, float("inf"), Budget(5_000)))
