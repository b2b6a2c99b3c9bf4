"""A count out of a total, with the interval that the count allows: never an average without its denominator."""

import math
from dataclasses import dataclass
from fractions import Fraction

Z95 = 1.959963984540054  # of a normal distribution: 95 % lie within ± this many standard deviations


@dataclass(frozen=True, slots=True)
class Rate:
    """`numerator` of `denominator`. Without a denominator there is no rate: `value` and `interval` are None.

    >>> print(Rate(8, 10))
    8 of 10 = 80.0 % (49.0 to 94.3 %)
    >>> print(Rate(0, 0))
    0 of 0
    """

    numerator: int | Fraction  # a fraction where a question counts in part, as in MRR
    denominator: int

    @property
    def value(self) -> float | None:
        """The share, 0..1."""
        return float(self.numerator / Fraction(self.denominator)) if self.denominator else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % Wilson interval, (low, high) in 0..1."""
        return wilson(float(self.numerator), self.denominator) if self.denominator else None

    @property
    def count(self) -> str:
        """`17 of 18`."""
        whole = self.numerator == int(self.numerator)
        return f"{int(self.numerator) if whole else f'{float(self.numerator):.2f}'} of {self.denominator}"

    @property
    def percent(self) -> str:
        """`94.4 %`, or a dash where there is no rate."""
        return "–" if self.value is None else f"{100 * self.value:.1f} %"

    @property
    def span(self) -> str:
        """`74.2 to 99.0 %`, or a dash where there is no interval."""
        return "–" if self.interval is None else "{:.1f} to {:.1f} %".format(*(100 * end for end in self.interval))

    def __str__(self) -> str:
        return f"{self.count} = {self.percent} ({self.span})" if self.denominator else self.count


def wilson(successes: float, n: int, z: float = Z95) -> tuple[float, float]:
    """The Wilson score interval of a proportion, (low, high) in 0..1; for `n` of at least 1.

    It stays inside 0..1 and is not empty at 0 or n successes, where the usual ± interval is. A mean of values in 0..1
    may take the place of the proportion: it varies no more than a proportion does, so the interval is wide enough.
    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927.

    >>> ["%.3f" % end for end in wilson(8, 10)]
    ['0.490', '0.943']
    """
    middle = (successes + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * math.sqrt(successes * (n - successes) / n + z * z / 4)
    # Rounding alone could leave 0..1, or miss its ends.
    return (max(0.0, middle - half) if successes > 0 else 0.0), (min(1.0, middle + half) if successes < n else 1.0)
