"""What differs, where, and under which column the caret stands."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raglab.course.differences import compare, show, visible

EQUAL = [
    ("a b", "a b"),
    (1.5, 1.5 + 5e-7),
    (2.0, 2),
    ([1, [2.0, "x"]], [1, [2.0 + 1e-9, "x"]]),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ({1, 2}, {2, 1}),
    (None, None),
    (True, True),
    (True, np.bool_(True)),
    (2, np.int64(2)),
    (0.5, np.float64(0.5)),
]


@pytest.mark.parametrize(("want", "got"), EQUAL)
def test_right_values_have_no_difference(want, got):
    assert compare(want, got) is None


KINDS = [
    ("text", 3, "the type differs: expected a text (str), got a whole number (int)"),
    ([1], (1,), "the type differs: expected a list, got a tuple"),
    (1, True, "the type differs: expected a whole number (int), got True or False (bool)"),
    (1, 1.0, "the type differs: expected a whole number (int), got a number (float)"),
    ([1], iter([1]), "the type differs: expected a list, got a list_iterator"),
    ([1, 2], [1, 2, 3], "the length differs: expected 2 items, got 3"),
    ([1, 2, 3], [1, 3], "an item is missing: expected 3 items, got 2"),
    ([1], [1, 2], "the length differs: expected 1 item, got 2"),
    ([1, 2, 3], [1, 9], "the length differs: expected 3 items, got 2"),
    ([1], [], "an item is missing: expected 1 item, got 0"),
    ([], [1], "the length differs: expected 0 items, got 1"),
    (["a", "b", "c"], ["a", "c", "b"], "the order differs: the items themselves are right"),
    (["a", "b"], ["a", "x"], "the text differs"),
    (["a", "b"], ["a", 4], "the type differs: expected a text (str), got a whole number (int)"),
    ("a\nb", "a\nc", "the text differs"),
    (1.5, 1.51, "the number differs by more than 0.000001"),
    (1.5, float("nan"), "the number differs by more than 0.000001"),
    (3, 4, "the value differs"),
    ({"a": 1}, {"b": 1}, "an item is missing: the key 'a'"),
    ({"a": 1}, {"a": 1, "b": 1}, "the length differs: the key 'b' is too many"),
    ([1, 1, 2], [1, 2, 2], "the value differs"),
]


@pytest.mark.parametrize(("want", "got", "kind"), KINDS)
def test_the_kind_is_named_in_plain_words(want, got, kind):
    assert compare(want, got).kind == kind


SHOWN = [
    ("ten dollars", "ten  dollars", ["Expected: ten·dollars", "Got:      ten··dollars", "              ^"]),
    ("a\tb", "a b", ["Expected: a→b", "Got:      a·b", "           ^"]),
    ("a\n", "a", ["Expected: a⏎", "Got:      a", "           ^"]),
    ("a", "a\n", ["Expected: a", "Got:      a⏎", "           ^"]),
    ("one\ntwo\n", "one\ntoo\n", ["Where:    line 2", "Expected: two⏎", "Got:      too⏎", "           ^"]),
    # Nothing at all is said in words. Where one text goes on, the line that is missing or too many is shown.
    ("two", "", ["Expected: two", "Got:      (empty text)", "          ^"]),
    ("", " ", ["Expected: (empty text)", "Got:      ·", "          ^"]),
    ("one\ntwo", "one\n", ["Where:    line 2", "Expected: two", "Got:      (no line)", "          ^"]),
    ("one\ntwo", "one", ["Where:    line 2", "Expected: two", "Got:      (no line)", "          ^"]),
    ("one", "one\n\n", ["Where:    line 2", "Expected: (no line)", "Got:      ⏎", "          ^"]),
    ("one\n", "one\n\ntwo", ["Where:    line 2", "Expected: (no line)", "Got:      ⏎", "          ^"]),
    (
        [1, {"h": "x"}],
        [1, {"h": "y"}],
        ["Where:    result[1]['h']", "Expected: x", "Got:      y", "          ^"],
    ),
    ([1], [1, 2], ["Where:    result[1]", "Expected: nothing", "Got:      2", "          ^"]),
    # Each of these letters fills two columns.
    ("値は3", "値は4", ["Expected: 値は3", "Got:      値は4", "              ^"]),
    # The accent fills none: the caret points at its letter.
    (
        "xe\u0301",
        "xe\u0300",
        [
            "Expected: xe\u0301",
            "Got:      xe\u0300",
            "           ^",
            "Character: expected U+0301 COMBINING ACUTE ACCENT, got U+0300 COMBINING GRAVE ACCENT",
        ],
    ),
    # A no-break space looks like a space until it is named.
    (
        "a b",
        "a\u00a0b",
        [
            "Expected: a·b",
            "Got:      a\\xa0b",
            "           ^",
            "Character: expected U+0020 SPACE, got U+00A0 NO-BREAK SPACE",
        ],
    ),
]


@pytest.mark.parametrize(("want", "got", "lines"), SHOWN)
def test_the_first_difference_is_shown_with_a_caret_below_it(want, got, lines):
    assert compare(want, got).lines() == lines


def test_a_difference_far_to_the_right_is_brought_into_view():
    want, got = "x" * 500 + "yes" + "z" * 500, "x" * 500 + "no" + "z" * 500
    expected, received, caret = compare(want, got).lines()
    column = caret.index("^")
    assert (expected[column], received[column]) == ("y", "n")
    assert max(map(len, (expected, received))) < 100


def test_huge_and_endless_answers_are_cut():
    loop = []
    loop.append(loop)
    for got in ("x" * 10_000_000, [1] * 1_000_000, loop, 10**4_000, {n: n for n in range(100_000)}):
        shown = "\n".join(compare("text\nof two lines", got).lines())
        assert len(shown) < 1_000
    assert len("\n".join(compare([1, 2], list(range(1_000_000))).lines())) < 1_000


SHORT = [
    ({"z": 1, "a": {"y": [2], "b": ()}}, "{'z': 1, 'a': {'y': [2], 'b': ()}}"),
    ({}, "{}"),
    ([[[[{}, {"a": 1}]]]], "[[[[{}, {...}]]]]"),
    (dict.fromkeys(range(12)), "{" + ", ".join(f"{n}: None" for n in range(12)) + "}"),
    (dict.fromkeys(range(13)), "{" + ", ".join(f"{n}: None" for n in range(12)) + ", ...}"),
]


@pytest.mark.parametrize(("value", "text"), SHORT)
def test_a_dict_is_shown_in_its_own_order(value, text):
    assert show(value) == text


def test_no_address_in_memory_is_shown():
    assert show(object()) == "<object object>"


def test_blanks_and_invisible_characters_become_visible():
    assert visible("a b\tc\n\u200b\r") == "a·b→c⏎\\u200b\\r"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
)


@given(values)
def test_every_value_equals_itself(value):
    assert compare(value, value) is None


@given(values, values)
def test_any_two_values_are_equal_or_differ_in_a_few_printable_lines(want, got):
    difference = compare(want, got)
    if difference is None:
        return
    lines = difference.lines()
    "\n".join(lines).encode()
    assert [line for line in lines if line.strip() == "^"]
    assert 3 <= len(lines) <= 5
    assert all(len(line) < 2_000 and line.isprintable() for line in [difference.kind, *lines])
