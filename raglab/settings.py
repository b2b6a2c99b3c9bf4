"""Settings are checked before any work is done: each function gives the value back, or raises a `SettingError`.

The message names the setting, what it may be, and the value that was given.
"""

import math
import operator
from collections.abc import Iterable

from raglab.errors import SettingError, did_you_mean


def whole_number(name: str, value: object, least: int = 0) -> int:
    """A whole number of at least `least`; True, 2.5 and "2" are none.

    >>> whole_number("k", 4)
    4
    """
    try:
        number = operator.index(value)  # type: ignore[arg-type]  # NumPy's integers are whole numbers too
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise SettingError(f"{name} must be a whole number, got {value!r}.")
    if number < least:
        raise SettingError(f"{name} must be {least} or more, got {value!r}.")
    return number


def number_between(name: str, value: object, least: float = 0, most: float = 1) -> float:
    """A number from `least` to `most`, both included.

    >>> number_between("min_score", 0.2)
    0.2
    """
    try:
        number = math.nan if isinstance(value, (bool, str)) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if math.isnan(number):
        raise SettingError(f"{name} must be a number, got {value!r}.")
    if not least <= number <= most:
        raise SettingError(f"{name} must be between {least} and {most}, got {value!r}.")
    return number


def one_of(name: str, value: object, names: Iterable[str]) -> str:
    """One of the valid names.

    >>> one_of("ids", "stem", ["path", "stem"])
    'stem'
    """
    names = list(names)
    if not isinstance(value, str) or value not in names:
        raise SettingError(f"{name} cannot be {value!r}: {did_you_mean(value, names)}.")
    return value


def known_settings(function: str, given: Iterable[str], valid: Iterable[str]) -> None:
    """An error for the first of the `given` settings that `function` does not take.

    >>> known_settings("ask", ["k", "style"], ["k", "min_score", "style"])
    """
    valid = set(valid)
    for name in given:
        if name not in valid:
            raise SettingError(f"{function} has no setting {name!r}: {did_you_mean(name, valid)}.")
