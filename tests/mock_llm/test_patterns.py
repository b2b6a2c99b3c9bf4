"""Texts of patterns, held against `re`."""

import contextlib
import re
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_llm.patterns import Pattern, PatternError

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
    "(^a)?b",
    "^a*?b+?$",
    r"^\x61\u0062$",
    r"^\/\.\-\[\]\(\)$",
    "^((a?){3}){2}$",
    "x{",
    "^]$",
    r"\bword\b",
    r"^(a|b)\1$",
    "^[а-я]{3}$",
    "^(?=.*[A-Z])(?=.*[0-9])[A-Za-z0-9]{8,}$",
    "^[^a]b(?!c)",
]


@pytest.mark.parametrize("pattern", PATTERNS)
@given(least=st.integers(0, 9))
def test_the_first_texts_are_long_enough_and_one_of_them_matches(pattern, least):
    made = list(islice(Pattern(pattern).texts(least), 20))
    assert all(len(text) >= least for text in made)
    longest = {"^$": 0, r"\bword\b": 4, "^a|b$": 9, "^.$": 1, "^]$": 1, r"^\S\W$": 2, r"^(a|b)\1$": 2, "^[а-я]{3}$": 3,
               "^(?:ab){2,3}$": 6, r"^\x61\u0062$": 2, r"^\/\.\-\[\]\(\)$": 7, "^((a?){3}){2}$": 6}  # fmt: skip
    assert any(re.search(pattern, text) for text in made) == (least <= longest.get(pattern, 9))


@given(st.sampled_from(PATTERNS), st.text("abcx.-@{}]/ 2\n", max_size=8))
def test_what_matches(pattern, text):
    assert Pattern(pattern).stands_in(text) == (re.search(pattern, text) is not None)


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        (r"^\d{2}$", ["00", "10", "20"]),
        ("^[a-z]+$", ["a", "aa", "aaa"]),
        ("^(low|high)$", ["low", "high"]),
        ("^(?<year>2026)-0[1-9]$", ["2026-01", "2026-02"]),
    ],
)
def test_texts_differ(pattern, texts):
    made = [text for text in Pattern(pattern).texts(0) if Pattern(pattern).stands_in(text)]
    assert list(dict.fromkeys(made))[: len(texts)] == texts


def test_digits_and_words_are_those_of_ecma():
    assert not Pattern(r"\d|\w").stands_in("٣é")
    assert Pattern(r"^[\b]$").stands_in("\b")


@pytest.mark.parametrize("pattern", ["(a", "a)", "[a", "*a", "a{3,2}", r"\p{L}", "[z-a]", "a\\", "a{99999999999}"])
def test_what_cannot_be_read_is_named(pattern):
    with pytest.raises(PatternError, match="^this mock cannot read the pattern "):
        Pattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("^(a+)+$", "a" * 60 + "!"),
        ("^(a|aa)+$", "a" * 60 + "!"),
        ("^(a?){60}a{60}$", "a" * 59),
        ("a*a*a*a*a*b", "a" * 300),
        ("a?" * 28 + "b", "a" * 28),
        (r"(?:a|.|\w)" * 16 + "b", "a" * 16),
        ("^(?:a?){40}b", "a" * 40),
        ("^(?:a(?:|||||||)){12}b", "a" * 16),
        ("^(?:a(?:|||||||))*b", "a" * 16),
        (r"(a)(?:\1?){40}b", "a" * 40),
    ],
)
def test_a_slow_pattern_is_given_up_soon(pattern, text):
    """Whether it is slow is the library's matter; that it ends is ours."""
    slow = Pattern(pattern)
    for _ in range(50):
        with contextlib.suppress(PatternError):
            assert slow.stands_in(text) is False
    assert isinstance(Pattern(pattern).stands_in(text[-3:]), bool)


@pytest.mark.parametrize("pattern", ["^((a{900}){900}){900}$", "^((){65000}){65000}$", "^[^\\s\\S]$"])
def test_a_text_without_end_or_letter_is_not_made(pattern):
    with pytest.raises(PatternError):
        next(Pattern(pattern).texts(0))
