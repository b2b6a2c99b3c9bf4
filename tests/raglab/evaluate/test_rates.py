"""Rates: counts, and the Wilson interval beside published values and beside its own defining equation."""

from fractions import Fraction

import pytest

from raglab.evaluate import Rate, wilson

Z = 1.959963984540054


# Published: Newcombe 1998 (81 of 263, 15 of 148, 0 of 20, 1 of 29), and the 8 of 10 of most textbooks.
@pytest.mark.parametrize(
    "successes, n, low, high",
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (8, 10, 0.4902, 0.9433),
    ],
)
def test_published_intervals(successes, n, low, high):
    assert [round(end, 4) for end in wilson(successes, n)] == [low, high]


@pytest.mark.parametrize("n", [1, 2, 7, 40, 10_000])
def test_the_ends_are_where_the_count_is_just_as_far_as_z_allows(n):
    for successes in {0, 1, n // 3, n // 2, n - 1, n}:
        for end in wilson(successes, n):
            if 0 < end < 1:  # (p̂ − p)² = z² p (1 − p) / n
                assert (successes / n - end) ** 2 == pytest.approx(Z * Z * end * (1 - end) / n)


@pytest.mark.parametrize("n", [1, 3, 1000])
def test_nothing_and_everything_touch_the_ends_and_still_have_a_width(n):
    low, high = wilson(0, n)
    assert low == 0 < high < 1
    assert wilson(n, n) == (pytest.approx(1 - high), 1)


def test_nothing_of_nothing_is_no_rate():
    nothing = Rate(0, 0)
    assert (nothing.value, nothing.interval) == (None, None)
    assert (str(nothing), nothing.count, nothing.percent, nothing.span) == ("0 of 0", "0 of 0", "–", "–")


def test_a_rate_never_hides_its_denominator():
    assert str(Rate(17, 18)) == "17 of 18 = 94.4 % (74.2 to 99.0 %)"
    assert str(Rate(Fraction(33, 2), 18)).startswith("16.50 of 18 = 91.7 % (")
