"""Numerals: the normal form of a text, and what digits with separators and number words say."""

from decimal import Decimal

import pytest

from raglab.grounding.numerals import has_decimal_commas, normalized, spelled_number, values_of_digits


@pytest.mark.parametrize(
    ("text", "comma"),
    [
        ("1.200,50", True),
        ("1.234.567", True),
        ("0,5 Liter", True),
        ("3,50 and 4.20", False),
        ("1,200.50", False),
        ("1,200", False),
        ("version 2.10", False),
        ("", False),
    ],
)
def test_decimal_commas(text: str, comma: bool) -> None:
    assert has_decimal_commas(text) is comma


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("٢٥ x²", "25 x2"),
        ("5 m²", "5 m2"),
        ("10² or 5¹", "10 or 5"),
        ("1½", "1 1⁄2"),
        ("`5` *days* and __6__", "5 days and 6"),
        ("snake_case_5 2*3", "snake_case_5 2*3"),
        ("1\u2009200 but 2024\u00a0120", "1200 but 2024 120"),
        ("1\u200b2", "12"),
        ("5\n\t  million  \nmore", "5 million more"),
    ],
)
def test_normalized(text: str, expected: str) -> None:
    assert normalized(text) == expected


@pytest.mark.parametrize(
    ("text", "value", "length"),
    [
        ("a", None, 0),
        ("a five", None, 0),
        ("a dozen eggs", 12, 7),
        ("An hundred", 100, 10),
        ("five and ten", 5, 4),
        ("twenty-five", 25, 11),
        ("twenty nineteen", 20, 6),
        ("twenty zero", 20, 6),
        ("two hundred and ten", 210, 19),
        ("two dozen and five", 24, 9),
        ("zero hundred", 0, 4),
        ("five thousand million", 5000, 13),
        ("two thousand five million", 5_002_000, 25),
        ("people", None, 0),
    ],
)
def test_spelled_number(text: str, value: int | None, length: int) -> None:
    assert spelled_number(text, 0) == (None if value is None else (value, length))


@pytest.mark.parametrize(
    ("raw", "values"),
    [
        ("1,200.50", ["1200.50"]),
        ("1.200,50", ["1200.50"]),
        ("12,34,567.8", ["1234567.8"]),
        ("2.1,200.50", ["2.1", "200.50"]),
        ("1.2,345.6", ["1.2", "345.6"]),
        ("5,1.2,200.50", ["5", "1.2", "200.50"]),
    ],
)
def test_two_kinds_of_mark(raw: str, values: list[str]) -> None:
    assert values_of_digits(raw, decimal_comma=False) == [Decimal(value) for value in values]
