"""Say how a value differs from the right one, in words and with a caret, bounded in length.

Pure: two values in, a `Difference` or None out. Strings are compared exactly, floats with a tolerance, lists in
order, dicts by key.
"""

import os
import re
import reprlib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from numbers import Integral, Real
from typing import Any

_LINE_WIDTH = 80  # characters of one shown line
_LEAD = 30  # characters kept before a difference far to the right
_NOTHING = "nothing"
_BLANKS = {" ": "·", "\t": "→", "\n": "⏎"}
_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")


class _InOrder(reprlib.Repr):
    """`reprlib` sorts the keys of a dict; a learner must see a call as it was made."""

    def repr_dict(self, x: dict[Any, Any], level: int) -> str:
        if level <= 0 and x:
            return "{...}"
        items = islice(x.items(), self.maxdict)
        pairs = [f"{self.repr1(key, level - 1)}: {self.repr1(each, level - 1)}" for key, each in items]
        return "{" + ", ".join(pairs + ["..."] * (len(x) > self.maxdict)) + "}"


_repr = _InOrder()
_repr.maxlevel, _repr.maxstring, _repr.maxother, _repr.maxlong = 4, 400, 400, 100
_repr.maxlist = _repr.maxtuple = _repr.maxdict = _repr.maxset = 12

_TYPE_WORDS = {
    "str": "a text (str)",
    "int": "a whole number (int)",
    "float": "a number (float)",
    "bool": "True or False (bool)",
    "list": "a list",
    "tuple": "a tuple",
    "dict": "a dict",
    "set": "a set",
    "NoneType": "None",
    "function": "a function",
    "generator": "a generator",
}


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference between two values."""

    kind: str  # one clause: "the text differs"
    want: str  # the expected line, whole
    got: str  # the line in its place, whole
    path: str = ""  # where inside the value: "[1]['heading']"
    line: int | None = None  # of a text with several lines, from 1
    exact: bool = False  # whether the two lines are text whose blanks matter

    def lines(self) -> list[str]:
        """The place, the two lines and a caret under the first character that differs.

        >>> print(*compare("ten dollars", "ten  dollars").lines(), sep="\\n")
        Expected: ten·dollars
        Got:      ten··dollars
                      ^
        """
        where = [f"result{self.path}"] * bool(self.path) + [f"line {self.line}"] * bool(self.line)
        same = len(os.path.commonprefix([self.want, self.got]))
        start = same - _LEAD if same > _LINE_WIDTH - _LEAD else 0
        want, got, prefix = (self._window(text, start) for text in (self.want, self.got, self.want[:same]))
        nothing = "(no line)" if self.line else "(empty text)"
        return [
            *([f"Where:    {', '.join(where)}"] if where else []),
            f"Expected: {want or nothing}",
            f"Got:      {got or nothing}",
            " " * (10 + _caret_column(prefix, self.got[same : same + 1])) + "^",
            *_look_alike(self.want[same:], self.got[same:]),
        ]

    def _window(self, text: str, start: int) -> str:
        cut = text[start : start + _LINE_WIDTH]
        body = visible(cut) if self.exact else cut
        return "…" * (start > 0) + body + "…" * (len(text) > start + _LINE_WIDTH)


def compare(want: object, got: object, tolerance: float = 1e-6) -> Difference | None:
    """The first difference between two values, or None when `got` is right.

    `tolerance` is absolute and holds for floats anywhere inside.

    >>> compare([1, 2], [2, 1]).kind
    'the order differs: the items themselves are right'
    """
    if not _same_type(want, got):
        return Difference(f"the type differs: expected {_type(want)}, got {_type(got)}", show(want), show(got))
    if isinstance(want, str) and isinstance(got, str):
        return _compare_texts(want, got)
    if isinstance(want, list | tuple) and isinstance(got, list | tuple):
        return _compare_items(want, got, tolerance)
    if isinstance(want, Mapping) and isinstance(got, Mapping):
        return _compare_entries(want, got, tolerance)
    if isinstance(want, float) and isinstance(got, Real):
        right = abs(want - float(got)) <= tolerance
        kind = f"the number differs by more than {_without_exponent(tolerance)}"
    else:
        right, kind = want == got, "the value differs"
    return None if right else Difference(kind, show(want), show(got))


def show(value: object) -> str:
    """A bounded `repr` on one line, the same on every run.

    >>> show(list(range(100)))
    '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ...]'
    """
    return _ADDRESS.sub("", " ".join(_repr.repr(value).split("\n")))


def visible(text: str) -> str:
    """The text with blanks, line ends and invisible characters made visible.

    >>> visible("a b\\tc\\u200b\\n")
    'a·b→c\\\\u200b⏎'
    """
    return "".join(
        _BLANKS.get(char) or (char if char.isprintable() else char.encode("unicode_escape").decode()) for char in text
    )


def _without_exponent(number: float) -> str:
    """The number in digits: 0.000001, not 1e-06."""
    return f"{number:.12f}".rstrip("0").rstrip(".")


def _type(value: object) -> str:
    name = type(value).__name__
    return _TYPE_WORDS.get(name, f"a {name}")


def _same_type(want: object, got: object) -> bool:
    if _is_bool(want) or _is_bool(got):
        return _is_bool(want) and _is_bool(got)
    for family in (Integral, Real, str, list, tuple, Mapping, set):
        if isinstance(want, family):
            return isinstance(got, family)
    return type(want) is type(got)


def _is_bool(value: object) -> bool:
    return type(value).__name__ == "bool"  # numpy's own has the same name


def _compare_texts(want: str, got: str) -> Difference | None:
    if want == got:
        return None
    ours, theirs = _lines(want), _lines(got[: len(want) + _LINE_WIDTH + 1])
    line = 0
    while ours[line : line + 1] == theirs[line : line + 1]:
        line += 1
    if line + 1 == min(len(ours), len(theirs)) and ours[line].rstrip("\n") == theirs[line].rstrip("\n"):
        line += max(len(ours), len(theirs)) > line + 1  # one text ends here, the other goes on
    several = max(len(ours), len(theirs)) > 1
    where = line + 1 if several else None
    return Difference("the text differs", _at(ours, line), _at(theirs, line), line=where, exact=True)


def _lines(text: str) -> list[str]:
    """The lines with their ends; "\\n" alone ends one, as in a file."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


def _at(lines: Sequence[str], line: int) -> str:
    return lines[line] if line < len(lines) else ""


def _compare_items(want: Sequence[object], got: Sequence[object], tolerance: float) -> Difference | None:
    shared = min(len(want), len(got))
    for place in range(shared):
        inner = compare(want[place], got[place], tolerance)
        if inner:
            break
    else:
        if len(want) == len(got):
            return None
        place = shared
        expected, received = (show(items[place]) if place < len(items) else _NOTHING for items in (want, got))
        inner = Difference("", expected, received)
    kind = _kind_of_list(want, got, tolerance) or inner.kind
    return replace(inner, kind=kind, path=f"[{place}]{inner.path}")


def _kind_of_list(want: Sequence[object], got: Sequence[object], tolerance: float) -> str:
    """The word for two lists as a whole, empty when only single items differ."""
    counts = f"expected {len(want)} item{'s' * (len(want) != 1)}, got {len(got)}"
    if len(got) > len(want):
        return f"the length differs: {counts}"
    left = list(got)
    missing = 0
    for item in want:
        partner = next((i for i, other in enumerate(left) if compare(item, other, tolerance) is None), None)
        if partner is None:
            missing += 1
        else:
            del left[partner]
    if len(got) < len(want):
        return f"an item is missing: {counts}" if not left else f"the length differs: {counts}"
    return "" if missing else "the order differs: the items themselves are right"


def _compare_entries(
    want: Mapping[object, object], got: Mapping[object, object], tolerance: float
) -> Difference | None:
    for key, value in want.items():
        if key not in got:
            return Difference(f"an item is missing: the key {show(key)}", show(value), _NOTHING, f"[{show(key)}]")
        inner = compare(value, got[key], tolerance)
        if inner:
            return replace(inner, path=f"[{show(key)}]{inner.path}")
    extra = [key for key in got if key not in want]
    if extra:
        kind = f"the length differs: the key {show(extra[0])} is too many"
        return Difference(kind, _NOTHING, show(got[extra[0]]), f"[{show(extra[0])}]")
    return None


def _caret_column(prefix: str, differing: str) -> int:
    """Columns before the caret, in a font of fixed width; a combining mark points at its letter."""
    if differing and not _width(differing):
        prefix = prefix.rstrip("".join(char for char in prefix if not _width(char)))[:-1]
    return sum(map(_width, prefix))


def _width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _look_alike(want: str, got: str) -> list[str]:
    """A line naming the two characters where the eye may not tell them apart."""
    pair = want[:1], got[:1]
    if all(char.isascii() for char in pair):
        return []
    return ["Character: expected {}, got {}".format(*map(_name, pair))]


def _name(char: str) -> str:
    return f"U+{ord(char):04X} {unicodedata.name(char, '')}".strip() if char else "the end"
