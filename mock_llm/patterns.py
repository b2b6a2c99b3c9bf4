r"""Regular expressions of JSON schemas: texts for one, and whether one stands in a text, both within bounds.

The library regex does the matching, for it can be stopped, with the letters of ECMA 262 for `\d`, `\w` and `\s`. The
texts are read off the expression as Python parses it: what stands ahead or behind is not known there, so a text has to
be matched before it is used.
"""

import re
from collections.abc import Callable, Iterator
from re import _compiler as compiler
from re import _parser as parser
from string import ascii_lowercase, ascii_uppercase, digits, punctuation
from time import thread_time
from typing import Any

import regex

from mock_llm.errors import MockError

LONGEST_TEXT = 100_000
SECONDS = 0.25  # of the processor for one pattern: the time can double with each letter of a text
MOST_TEXTS = 100  # of one pattern, each in a few lengths


class PatternError(MockError):
    """A pattern that cannot be read, or not in time; the message says why."""


class Pattern:
    r"""One expression, which may stand anywhere in a text.

    >>> next(Pattern(r"^[A-Z]{2}-\d+$").texts(6)), Pattern("b+").stands_in("abc")
    ('AA-000', True)
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.left = SECONDS
        python = re.sub(r"\(\?<(?![=!])", "(?P<", pattern)
        try:
            self.tree = parser.parse(python, re.ASCII)
            if _written_out(self.tree) > LONGEST_TEXT:
                raise OverflowError("its repeats are too many")
            self.search = regex.compile(python, regex.ASCII).search
        except (re.error, regex.error, OverflowError) as error:
            raise PatternError(f"this mock cannot read the pattern {pattern[:80]!r}: {error}") from None

    def stands_in(self, text: str) -> bool:
        """Whether it matches. Raises PatternError when all such questions took longer than they may."""
        start = thread_time()
        try:
            return self.search(text, timeout=max(self.left, 1e-6)) is not None
        except TimeoutError:
            raise PatternError(f"the pattern {self.pattern[:80]!r} takes too long to read") from None
        finally:
            self.left -= thread_time() - start

    def texts(self, least: int) -> Iterator[str]:
        """Texts of at least so many characters: repeats as few, letters as plain as may be."""
        if least > LONGEST_TEXT:
            raise PatternError(f"a text of {least} characters is too long for a pattern")
        for variant in range(MOST_TEXTS):
            spelling = _Spelling(self.tree, variant, 0)
            made = [spelling.text]
            if (missing := least - len(spelling.text)) > 0:
                made = [_Spelling(self.tree, variant, missing + more).text for more in range(3)]
                made += [spelling.text.ljust(least, "x"), spelling.text.rjust(least, "x")]
            made += [spelling.ahead + text[len(spelling.ahead) :] for text in made]  # as `(?=.*[A-Z])` asks
            made += [made[0] + str(variant)] if variant else []  # where nothing says how the text ends
            yield from (text for text in dict.fromkeys(made) if len(text) >= least)


def _written_out(node: Any) -> int:
    """How many parts a pattern has if each repeat is written as often as it must be; the library needs so much room."""
    if isinstance(node, parser.SubPattern):
        parts = [(argument[0] if "REPEAT" in str(kind) else 1, argument) for kind, argument in node]
        return sum(max(times, 1) * _written_out(argument) for times, argument in parts)
    return max(1, sum(map(_written_out, node))) if isinstance(node, list | tuple) else 1


class _Spelling:
    """A text of a pattern. The variant picks letters, branches and repeats, as the digits of a number."""

    def __init__(self, tree: Any, variant: int, spare: int) -> None:
        self.state = tree.state
        self.variant = variant
        self.spare = spare  # letters that repeats should add
        self.left = LONGEST_TEXT
        self.ahead = ""  # what it looks ahead for
        self.groups: dict[Any, str] = {}
        self.text = self.of(tree)

    def of(self, tree: Any) -> str:
        return "".join(SPELLED[str(kind)](self, kind, argument) for kind, argument in tree)

    def pick(self, choices: Any) -> Any:
        self.variant, i = divmod(self.variant, len(choices))
        return choices[i]

    def letter(self, kind: Any, argument: Any) -> str:
        """A letter of a class, a plain one if there is one."""
        one = compiler.compile(parser.SubPattern(self.state, [(kind, argument)]), re.ASCII)
        ends = re.findall(r"\d+", str(argument)) if str(kind) == "IN" else ()
        own = [chr(int(end)) for end in ends if not 0xD800 <= int(end) <= 0xDFFF]
        found = [letter for letter in (*PLAIN, *own) if one.match(letter)]
        if not found:
            raise PatternError("this mock finds no letter for a class in a pattern of the schema")
        return self.pick(found)

    def repeat(self, kind: Any, argument: Any) -> str:
        """As often as it must be, or as the variant says; then as long as letters are to be added."""
        least, most, inner = argument
        least += self.pick(range(min(most - least, 3) + 1))
        made: list[str] = []
        settled = not self.variant  # every piece is the same
        while len(made) < least or self.spare > 0 and len(made) < most:
            piece = made[-1] if settled and made else self.of(inner)
            if len(made) >= least and not piece:
                break
            self.spare -= len(piece) if len(made) >= least else 0
            self.left -= len(piece) + 1
            if self.left < 0:
                raise PatternError("a pattern of the schema asks for too long a text")
            made.append(piece)
        return "".join(made)

    def group(self, kind: Any, argument: Any) -> str:
        self.groups[argument[0]] = text = self.of(argument[-1])
        return text

    def assertion(self, kind: Any, argument: Any) -> str:
        self.ahead += self.of(argument[1]) if argument[0] > 0 else ""
        return ""


PLAIN = ascii_lowercase + digits + ascii_uppercase + punctuation + " "

# How each part of a pattern is spelled, by the names of Python's parser. To add one, add a line.
SPELLED: dict[str, Callable[[_Spelling, Any, Any], str]] = {
    "LITERAL": lambda spelling, kind, code: chr(code),
    **dict.fromkeys(("NOT_LITERAL", "ANY", "IN"), _Spelling.letter),
    **dict.fromkeys(("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"), _Spelling.repeat),
    "BRANCH": lambda spelling, kind, branches: spelling.of(spelling.pick(branches[1])),
    "SUBPATTERN": _Spelling.group,
    "ATOMIC_GROUP": lambda spelling, kind, tree: spelling.of(tree),
    "GROUPREF": lambda spelling, kind, number: spelling.groups.get(number, ""),
    "ASSERT": _Spelling.assertion,
    **dict.fromkeys(("ASSERT_NOT", "AT", "FAILURE", "GROUPREF_EXISTS"), lambda spelling, kind, argument: ""),
}
