r"""Regular expressions of JSON schemas, as machines: matched in steady steps, and asked for texts that match.

A node is what a text must still be. `after` gives the node that is left of it once a letter is read, its
derivative (J. A. Brzozowski, "Derivatives of Regular Expressions", 1964). Nothing is ever tried twice, so that
no pattern is slow for a short text, as it can be for `re`.

The grammar is that of ECMA 262, as JSON schema asks. References, lookaround and `\b` are beyond such machines.
"""

import string
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from mock_llm.errors import MockError

LAST = 0x10FFFF  # the last code point
MOST_REPEATS = 1_000  # in braces

Ranges = tuple[tuple[int, int], ...]  # code points, both ends inclusive, in order


class PatternError(MockError):
    """A pattern that these machines cannot read; the message says what stands in the way."""


class Budget:
    """Steps that are left to one piece of work; `spend` raises OverBudget when they are gone."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def spend(self, steps: int = 1) -> None:
        self.steps -= steps
        if self.steps < 0:
            raise OverBudget


class OverBudget(Exception):
    """The work was more than it may be."""


class Letter(NamedTuple):
    """One letter of these."""

    ranges: Ranges
    kind: str = "letter"


class Edge(NamedTuple):
    """The start of the text, or its end."""

    at_start: bool
    kind: str = "edge"


class Both(NamedTuple):
    """One after the other."""

    first: Any
    second: Any
    kind: str = "both"


class Choice(NamedTuple):
    """One of these; of none of them nothing can come."""

    choices: frozenset[Any]
    kind: str = "choice"


class Repeat(NamedTuple):
    """So many times."""

    inner: Any
    least: int
    most: float
    kind: str = "repeat"


NOTHING = Choice(frozenset())
EMPTY = Repeat(NOTHING, 0, 0)
ANYTHING = Repeat(Letter(((0, LAST),)), 0, float("inf"))


def matches(pattern: str, text: str, budget: Budget) -> bool:
    r"""Whether the pattern stands somewhere in the text.

    >>> matches(r"^\d{4}-\d\d$", "2026-11", Budget(1_000)), matches("b+", "abc", Budget(1_000))
    (True, True)
    """
    node = parsed(pattern)
    for i, letter in enumerate(text):
        node = _read(node, letter, i == 0, budget)
    return _ends(node, not text, True)


def texts(patterns: list[str], least: int, most: float, budget: Budget) -> Iterator[str]:
    r"""Texts of these lengths in which all the patterns stand, the shortest first, of each kind one.

    >>> next(texts(["^[A-Z]{2}[0-9]*$", "7"], 4, 9, Budget(10_000)))
    'AA07'
    """
    machines = tuple(parsed(pattern) for pattern in patterns)
    letters = _representatives(machines)
    read = cache(lambda node, letter, start: _read(node, letter, start, budget))
    layer = {machines: ""}
    length = 0
    while layer and length <= most:
        for nodes, text in layer.items():
            if length >= least and all(_ends(node, length == 0, True) for node in nodes):
                yield text
        following: dict[tuple[Any, ...], str] = {}
        for nodes, text in layer.items():
            budget.spend(len(letters))  # what is known is done again for nothing, but not without end
            for letter in letters:
                after = tuple(read(node, letter, length == 0) for node in nodes)
                if NOTHING not in after:
                    following.setdefault(after, text + letter)
        layer, length = following, length + 1


def _representatives(machines: tuple[Any, ...]) -> list[str]:
    """A letter for each way in which letters can differ to these machines; plain ones, if there are."""
    ranges = {one.ranges for machine in machines for one in _letters(machine)}
    bounds = {bound for one in ranges for low, high in one for bound in (low, high + 1)}
    others = [chr(bound) for bound in sorted(bounds) if bound <= LAST and not 0xD800 <= bound <= 0xDFFF]
    found: dict[tuple[bool, ...], str] = {}
    for letter in [*PLAIN, *others]:
        found.setdefault(tuple(_within(ord(letter), one) for one in ranges), letter)
    return list(found.values())


def _letters(node: Any) -> Iterator[Letter]:
    if node.kind == "letter":
        yield node
    inner = {"both": node[:2], "repeat": node[:1]}.get(node.kind, node[0] if node.kind == "choice" else ())
    for one in inner:
        yield from _letters(one)


def _read(node: Any, letter: str, start: bool, budget: Budget) -> Any:
    """What is left of a pattern after a letter; after the first one the start of the text never comes again."""
    left = _after(node, ord(letter), start, budget)
    return _begun(left) if start else left


def _begun(node: Any) -> Any:
    match node.kind:
        case "edge":
            return NOTHING if node.at_start else node
        case "both":
            return both(_begun(node.first), _begun(node.second))
        case "choice":
            return choice(*map(_begun, node.choices))
        case "repeat":
            return repeat(_begun(node.inner), node.least, node.most)
    return node


def _ends(node: Any, start: bool, end: bool) -> bool:
    """Whether a text may end with nothing more of the node. `start`, `end`: of the text, it is there."""
    match node.kind:
        case "edge":
            return start if node.at_start else end
        case "both":
            return _ends(node.first, start, end) and _ends(node.second, start, end)
        case "choice":
            return any(_ends(one, start, end) for one in node.choices)
        case "repeat":
            return node.least == 0 or _ends(node.inner, start, end)
    return False


def _after(node: Any, letter: int, start: bool, budget: Budget) -> Any:
    """What is left of a node after a letter, the first of the text or a later one."""
    budget.spend()
    match node.kind:
        case "letter":
            return EMPTY if _within(letter, node.ranges) else NOTHING
        case "both":
            left = both(_after(node.first, letter, start, budget), node.second)
            if not _ends(node.first, start, False):
                return left
            return choice(left, _after(node.second, letter, start, budget))
        case "choice":
            return choice(*[_after(one, letter, start, budget) for one in node.choices])
        case "repeat":
            left = _after(node.inner, letter, start, budget)
            return both(left, repeat(node.inner, max(node.least - 1, 0), node.most - 1))
    return NOTHING


def both(first: Any, second: Any) -> Any:
    if NOTHING in (first, second):
        return NOTHING
    if first == EMPTY:
        return second
    if second == EMPTY:
        return first
    return both(first.first, both(first.second, second)) if first.kind == "both" else Both(first, second)


def choice(*nodes: Any) -> Any:
    choices = frozenset(one for node in nodes for one in (node.choices if node.kind == "choice" else (node,)))
    return next(iter(choices)) if len(choices) == 1 else Choice(choices)


def repeat(inner: Any, least: int, most: float) -> Any:
    if most == 0 or inner == EMPTY or inner == NOTHING and not least:
        return EMPTY
    if inner == NOTHING:
        return NOTHING
    return inner if least == most == 1 else Repeat(inner, least, most)


def _within(letter: int, ranges: Ranges) -> bool:
    return any(low <= letter <= high for low, high in ranges)


def _merged(ranges: Ranges) -> Ranges:
    """Ranges in order, without overlaps."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def _others(ranges: Ranges) -> Ranges:
    """All letters but these."""
    edges = [(-1, -1), *_merged(ranges), (LAST + 1, LAST + 1)]
    return tuple((left[1] + 1, right[0] - 1) for left, right in pairwise(edges) if left[1] + 1 < right[0])


@lru_cache(maxsize=200)
def parsed(pattern: str) -> Any:
    """The node of a pattern that may stand anywhere in a text. Raises PatternError for what is beyond it."""
    reader = _Reader(pattern)
    node = reader.choices()
    if reader.at < len(pattern):
        raise PatternError("a bracket closes that is not open")
    return both(ANYTHING, both(node, ANYTHING))


class _Reader:
    """A pattern and how far it is read."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    def taken(self, text: str) -> bool:
        """Go past the text, if it comes next."""
        found = self.pattern.startswith(text, self.at)
        self.at += len(text) if found else 0
        return found

    def next(self) -> str:
        if self.at == len(self.pattern):
            raise PatternError("it ends too early")
        self.at += 1
        return self.pattern[self.at - 1]

    def choices(self) -> Any:
        found = [self.sequence()]
        while self.taken("|"):
            found.append(self.sequence())
        return choice(*found)

    def sequence(self) -> Any:
        nodes = []
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            nodes.append(self.repeated())
        whole = EMPTY
        for node in reversed(nodes):
            whole = both(node, whole)
        return whole

    def repeated(self) -> Any:
        node = self.atom()
        while (times := self.times()) is not None:
            node = repeat(node, *times)
            self.taken("?")  # lazy: the same texts match
        return node

    def times(self) -> tuple[int, float] | None:
        for sign, times in SIGNS.items():
            if self.taken(sign):
                return times
        inside, found, _ = self.pattern[self.at + 1 :].partition("}")
        low, comma, high = inside.partition(",")
        if not self.pattern.startswith("{", self.at) or not found or not low.isdecimal() or not f"0{high}".isdecimal():
            return None
        self.at += len(inside) + 2
        least = int(low[:9])
        most = int(high[:9]) if high else float("inf") if comma else least
        if least > MOST_REPEATS or MOST_REPEATS < most < float("inf") or most < least:
            raise PatternError(f"{{{inside[:20]}}} is out of range")
        return least, most

    def atom(self) -> Any:
        if self.taken("("):
            return self.group()
        if self.taken("["):
            return Letter(self.class_())
        letter = self.next()
        if letter in "*+?":
            raise PatternError(f"there is nothing to repeat before {letter!r}")
        if letter in "^$":
            return Edge(letter == "^")
        if letter == ".":
            return Letter(_others(LINE_ENDS))
        return Letter(self.escape() if letter == "\\" else _only(letter))

    def group(self) -> Any:
        if self.taken("?") and not self.taken(":"):
            name, found, _ = self.pattern[self.at :].partition(">")
            if not found or not name.startswith("<") or not name[1:].isidentifier():
                raise PatternError("it looks ahead or behind")
            self.at += len(name) + 1
        node = self.choices()
        if not self.taken(")"):
            raise PatternError("a bracket is left open")
        return node

    def class_(self) -> Ranges:
        negated = self.taken("^")
        found: Ranges = ()
        while not self.taken("]"):
            low = self.member()
            ahead = self.pattern[self.at : self.at + 2]
            if len(low) == 1 and low[0][0] == low[0][1] and ahead[:1] == "-" and ahead[1:] not in ("", "]"):
                self.at += 1
                high = self.member()
                if len(high) > 1 or high[0][1] < low[0][0]:
                    raise PatternError("a range of letters is out of order")
                low = ((low[0][0], high[0][1]),)
            found += low
        return _others(found) if negated else _merged(found)

    def member(self) -> Ranges:
        letter = self.next()
        if letter == "\\":
            return ((8, 8),) if self.taken("b") else self.escape()
        return _only(letter)

    def escape(self) -> Ranges:
        letter = self.next()
        if letter in CLASSES:
            return CLASSES[letter]
        if letter in CONTROLS:
            return _only(CONTROLS[letter])
        if letter in HEX_DIGITS:
            digits = self.pattern[self.at : self.at + HEX_DIGITS[letter]]
            if len(digits) == HEX_DIGITS[letter] and all(digit in string.hexdigits for digit in digits):
                self.at += len(digits)
                return ((int(digits, 16), int(digits, 16)),)
        if letter.isalnum():
            raise PatternError(f"\\{letter} is no plain letter")
        return _only(letter)


def _only(letter: str) -> Ranges:
    return ((ord(letter), ord(letter)),)


SIGNS: dict[str, tuple[int, float]] = {"*": (0, float("inf")), "+": (1, float("inf")), "?": (0, 1)}
PLAIN = string.ascii_lowercase + string.digits + string.ascii_uppercase + string.punctuation + " "
CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "0": "\0"}
HEX_DIGITS = {"x": 2, "u": 4}
LINE_ENDS: Ranges = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))

# The classes of letters with a name; one in capitals is all letters but those. To add one, add a line.
_NAMED: dict[str, Ranges] = {
    "d": ((48, 57),),
    "w": ((48, 57), (65, 90), (95, 95), (97, 122)),
    "s": ((9, 13), (32, 32), (160, 160), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029),
          (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)),
}  # fmt: skip
CLASSES = {**_NAMED, **{name.upper(): _others(ranges) for name, ranges in _NAMED.items()}}
