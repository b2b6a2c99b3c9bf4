"""Whether a value fits a JSON schema, within bounds.

The library jsonschema knows the rules, but it would follow references and run patterns for as long as they take. So
the rules that do so are replaced here by ones that spend a budget. Patterns are run by the library regex, which can
be stopped.
"""

import json
import math
import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from time import thread_time

import regex
from jsonschema import Draft202012Validator
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from mock_llm.records import Json, JsonObject
from mock_llm.schemas import BudgetError, PatternError, SchemaError, check_schema

MOST_STEPS = 10_000  # a schema can be small and its smallest value huge; a step is a value that is tried
PER_STEP = 50  # characters of a value
LARGEST_PATTERN = 200_000  # parts, if each repeat is written out as often as it must be
SECONDS = 0.25  # of the processor for all patterns of a schema: the time can double with each letter of a text


class Judge:
    """Says which values fit one schema and its parts, as long as its budget lasts.

    >>> Judge({}).fits("b", {"pattern": "^a"}), Judge({}).fits("ab", {"pattern": "^a"})
    (False, True)
    """

    def __init__(self, root: Json) -> None:
        text = json.dumps(root)
        for words, reason in UNBOUNDED:
            if all(f'"{word}"' in text for word in words):
                raise SchemaError(f"this mock cannot make an example for a schema {reason}")
        self._steps = MOST_STEPS
        self._seconds = SECONDS
        self._compiled = cache(compiled)
        self._lookup = Registry().resolver_with_root(DRAFT202012.create_resource(root)).lookup
        self.target = cache(self._target)
        rules = {keyword: partial(rule, self) for keyword, rule in RULES.items()}
        self._validator: Validator = extend(Draft202012Validator, rules)(root, registry=Registry())

    def spend(self, steps: int = 1) -> None:
        """Count what is tried. Raises BudgetError when it is too much."""
        self._steps -= steps
        if self._steps < 0:
            raise BudgetError("too much was tried")

    def fits(self, value: Json, schema: Json) -> bool:
        """Whether a value fits a schema that is part of the root. Raises PatternError and BudgetError."""
        self.spend(1 + len(str(value)) // PER_STEP)
        return self._validator.evolve(schema=schema).is_valid(value)

    def matches(self, pattern: str, text: str) -> bool:
        """Whether a pattern matches anywhere in a text. Raises PatternError and BudgetError."""
        self.spend()
        start = thread_time()
        try:
            return self._compiled(pattern).search(text, timeout=max(self._seconds, 1e-6)) is not None
        except TimeoutError:
            slow = f"the pattern {pattern[:80]!r} takes too long to match"
            raise PatternError(f"{slow}: simplify it, or script the reply with mock.script") from None
        finally:
            self._seconds -= thread_time() - start

    def described(self, schema: JsonObject, name: str) -> list[Json]:
        """The schemas that `patternProperties` has for a property of this name."""
        return [one for pattern, one in schema.get("patternProperties", {}).items() if self.matches(pattern, name)]

    def _target(self, ref: str) -> Json:
        """The schema that a reference names. Raises SchemaError."""
        try:
            found = self._lookup(ref).contents
        except (Unresolvable, LookupError, TypeError, ValueError, AttributeError):
            raise SchemaError(f"the schema names {ref[:80]!r}, which it does not define") from None
        check_schema(found)  # it can be where no schema is looked for
        return found


def compiled(pattern: str) -> regex.Pattern[str]:
    r"""A pattern, with `\d`, `\w` and `\s` as in ECMA 262. Raises PatternError.

    >>> bool(compiled(r"^\d{4}$").search("2026"))
    True
    """
    shown = f"this mock cannot read the pattern {pattern[:80]!r}"
    bare = _CLASS.sub("c", _ESCAPE.sub("e", pattern))
    if _OTHER_GROUP.search(bare):
        raise PatternError(f"{shown}: it has a group that JSON schemas do not have")
    # The library writes repeats out, each group inside another, and can fill the memory with a short pattern.
    groups = math.prod(int(times or 1) + 1 for times in _GROUP_REPEAT.findall(bare))
    if groups * (len(bare) + sum(map(int, _REPEAT.findall(bare)))) > LARGEST_PATTERN:
        raise PatternError(f"{shown}: it has too many repeats")
    try:
        return regex.compile(pattern, regex.ASCII)
    except (regex.error, OverflowError) as error:
        raise PatternError(f"{shown}: {error}") from None


_ESCAPE = re.compile(r"\\.", re.DOTALL)
_CLASS = re.compile(r"\[\^?\]?[^\]]*\]")
_OTHER_GROUP = re.compile(r"\(\?(?![:=!<])")  # such as flags and comments, which would hide a repeat
_GROUP_REPEAT = re.compile(r"\)(?:\{(\d+)|\+)")
_REPEAT = re.compile(r"\{(\d+)")


def _reference(judge: Judge, validator: Validator, ref: str, value: Json, schema: JsonObject) -> Iterator[Exception]:
    judge.spend()
    yield from validator.evolve(schema=judge.target(ref)).iter_errors(value)


def _pattern(judge: Judge, validator: Validator, pattern: str, value: Json, schema: JsonObject) -> Iterator[Exception]:
    if isinstance(value, str) and not judge.matches(pattern, value):
        yield from validator.evolve(schema=False).iter_errors(value)


def _described(
    judge: Judge, validator: Validator, patterns: JsonObject, value: Json, schema: JsonObject
) -> Iterator[Exception]:
    for name in value if isinstance(value, dict) else ():
        for one in judge.described(schema, name):
            yield from validator.evolve(schema=one).iter_errors(value[name])


def _others(judge: Judge, validator: Validator, other: Json, value: Json, schema: JsonObject) -> Iterator[Exception]:
    for name in value if isinstance(value, dict) else ():
        if name not in schema.get("properties", {}) and not judge.described(schema, name):
            yield from validator.evolve(schema=other).iter_errors(value[name])


# Rules in place of the library's, which could take forever. To add one, add a line.
RULES: dict[str, Callable[[Judge, Validator, Json, Json, JsonObject], Iterator[Exception]]] = {
    "$ref": _reference,
    "$dynamicRef": _reference,
    "pattern": _pattern,
    "patternProperties": _described,
    "additionalProperties": _others,
}

# Keywords with which the library would set aside the rules above, and run patterns as long as they take.
UNBOUNDED = (
    (("$schema",), "that has `$schema` below its top"),
    (("patternProperties", "unevaluatedProperties"), "with both `patternProperties` and `unevaluatedProperties`"),
)
