"""Checks: what code can tell about a reply without asking a model.

    reply → refusal? → statements → Check.run → Problem

Every check is one small function in `CHECKS`. A bad reply is never an exception: it is a list of problems.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from raglab.errors import SettingError, did_you_mean
from raglab.grounding.citations import cited_numbers, parse_citations, without_citations
from raglab.grounding.links import unknown_links
from raglab.grounding.numbers import Mention, mentions
from raglab.grounding.quotes import wrong_quotes
from raglab.grounding.refusals import refusal_in
from raglab.grounding.statements import Statement, statements
from raglab.grounding.support import Miss, Numbers, is_derived, missing_support, numbers_of
from raglab.records import Chunk, Citation, Hit, Problem
from raglab.styles import NUMBERED, Style, find_style
from raglab.text.words import fold, squash

_WORD = re.compile(r"[^\W_]")
_BEGINS_WITH_WORD = re.compile(r"[^\[【［〔]*?[^\W_]")  # one before any bracket, so in no citation


class Reading:
    """A reply under examination; what several checks need is worked out once, and only when asked for."""

    def __init__(self, text: str, hits: Sequence[Hit], question: str, style: Style) -> None:
        self.text, self.hits, self.question, self.style = text, hits, question, style

    @cached_property
    def citations(self) -> list[Citation]:
        """The markers that the style reads."""
        return parse_citations(self.text, self.hits, self.style)

    @cached_property
    def refusal(self) -> str | None:
        """Whether it refuses: "exact", "padded" or None."""
        return refusal_in(self.text, self.style)

    @cached_property
    def statements(self) -> list[Statement]:
        """The sentences that state something."""
        return statements(self.text, self.hits, self.style)

    @cached_property
    def unsupported(self) -> list[tuple[Statement, Mention, Miss, list[Numbers]]]:
        """The numbers that neither a cited passage nor the question supports; an uncited statement has none."""
        found = []
        for statement in self.statements:
            cited = [self.hits[n - 1].chunk for n in cited_numbers(statement.citations, self.hits)]
            if cited:
                sources = [numbers_of(text) for chunk in cited for text in (chunk.text, chunk.heading) if text]
                sources.append(numbers_of(self.question))
                commas = [False, True] if any(source.comma for source in sources) else ()
                claims = (each for each in mentions(_without_names(statement.claim, cited), commas) if each.claim)
                misses = ((each, missing_support(each, sources)) for each in claims)
                found += [(statement, each, miss, sources) for each, miss in misses if miss]
        return found


@dataclass(frozen=True, slots=True)
class Check:
    """One rule: what its problem means, in a line, and the function that finds it."""

    meaning: str
    run: Callable[[Reading], Iterable[Problem]]
    asked_for: bool = False  # runs only where a style or the caller names it
    reads_markers: bool = False  # makes no sense where the service cites by itself

    def runs_in(self, style: Style) -> bool:
        """Whether it runs by default on a reply in this style."""
        return not self.asked_for and not (self.reads_markers and style.citation == "block")


def check_answer(
    text: str,
    hits: Sequence[Hit],
    question: str,
    style: Style | str = NUMBERED,
    *,
    checks: Iterable[str] | None = None,
) -> list[Problem]:
    """The problems of a reply to `question` from the passages `hits`, in the order of `CHECKS`, then of the text.

    `checks` names the codes to run; by default all that fit the way the style cites, but those that only some styles
    want. What `ask` runs is `checks=style.checks`. A refusal has no problems, and a padded one only that. Raises
    `SettingError` for an unknown style or code.

    >>> from raglab.records import Hit
    >>> hits = [Hit.of("hours.md#0", "The library closes at 9 PM.")]
    >>> for problem in check_answer("It closes at 10 PM [1].", hits, "When does it close?"):
    ...     print(problem.code, "-", problem.detail)
    number-not-in-source - "10 PM" is in no cited passage and not in the question.
    """
    style = find_style(style)
    chosen = chosen_checks(checks, style)
    reading = Reading(text, hits, question, style)
    if reading.refusal == "exact":
        return []
    if reading.refusal == "padded" and "padded-refusal" in chosen:
        chosen = ["padded-refusal"]  # what else is wrong with the padding helps nobody: all of it has to go
    return [problem for code in chosen for problem in CHECKS[code].run(reading)]


def chosen_checks(checks: Iterable[str] | None, style: Style) -> list[str]:
    """The codes to run, in the order of `CHECKS`; an unknown one is a `SettingError`. None: all that suit the style."""
    if checks is None:
        return [code for code, check in CHECKS.items() if code in style.checks or check.runs_in(style)]
    wanted = [checks] if isinstance(checks, str) else list(checks)
    for code in wanted:
        if code not in CHECKS:
            raise SettingError(f"There is no check {code!r}: {did_you_mean(code, CHECKS)}.")
    return [code for code in CHECKS if code in wanted]


def _without_names(claim: str, chunks: Iterable[Chunk]) -> str:
    """A claim without the ids and files of what it cites: the numbers in `fees-2023.md#1` claim nothing."""
    for name in (name for chunk in chunks for name in (chunk.id, chunk.source) if not name.isalnum()):
        claim = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", claim)
    return claim


def _empty_answer(reading: Reading) -> Iterator[Problem]:
    if _BEGINS_WITH_WORD.match(reading.text):
        return
    rest = without_citations(reading.text, reading.hits)
    if not _WORD.search(rest):
        only = ", only citations" if rest != reading.text else ""
        yield Problem("empty-answer", "", f"The answer has no words{only}.")


def _padded_refusal(reading: Reading) -> Iterator[Problem]:
    if reading.refusal == "padded":
        detail = "The refusal has something before or after it; it must be the whole answer or no part of it."
        yield Problem("padded-refusal", "", detail)


def _unknown_source(reading: Reading) -> Iterator[Problem]:
    for citation in reading.citations:
        if citation.bad:
            detail = f"{squash(citation.marker)} {_what_is_bad(citation, _known(reading))}"
            yield Problem("unknown-source", _sentence_of(citation, reading), detail)


def _what_is_bad(citation: Citation, known: str) -> str:
    if citation.bad == (citation.marker,):
        return f"runs backwards; {known}."
    named = " and ".join(citation.bad)
    if citation.nearest:
        return f"cites {named}, which is not in the prompt; did you mean {citation.nearest}?"
    return f"cites {named}, but {known}."


def _known(reading: Reading) -> str:
    count = len(reading.hits)
    if not count:
        return "there are no passages"
    if reading.style.citation == "number":
        return "the only passage is 1" if count == 1 else f"the passages are 1 to {count}"
    return "the passages are " + ", ".join(hit.chunk.id for hit in reading.hits)


def _sentence_of(citation: Citation, reading: Reading) -> str:
    return next((each.text for each in reading.statements if citation in each.citations), citation.marker)


def _missing_citation(reading: Reading) -> Iterator[Problem]:
    for statement in reading.statements:
        if not statement.citations:
            yield Problem("missing-citation", statement.text, f"This sentence cites no source: {statement.text}")


def _number_not_in_source(reading: Reading) -> Iterator[Problem]:
    for statement, mention, miss, sources in reading.unsupported:
        if not miss.units:
            detail = f'"{mention.text}" is in no cited passage and not in the question'
            if is_derived(miss.quantity, sources):
                detail += "; it may be derived, as a sum or difference of numbers there"
            yield Problem("number-not-in-source", statement.text, f"{detail}.")


def _unit_mismatch(reading: Reading) -> Iterator[Problem]:
    for statement, mention, miss, _ in reading.unsupported:
        if miss.units:
            written = " and ".join(f'"{each}"' for each in miss.units)
            detail = f'"{mention.text}" has another unit in the source: {written}.'
            yield Problem("unit-mismatch", statement.text, detail)


def _unknown_link(reading: Reading) -> Iterator[Problem]:
    return unknown_links(reading.text, reading.hits, reading.question, reading.style)


def _quote_not_in_source(reading: Reading) -> Iterator[Problem]:
    return wrong_quotes(reading.text, reading.hits, reading.question, reading.style, lambda: reading.statements)


def _leaks_instructions(reading: Reading) -> Iterator[Problem]:
    """Words of the rules that no passage and not the question could have brought into the answer.

    It knows the rules' own words and the usual ways of pointing at them. Rules told in other words, or in another
    language, pass; and so does what a fence adds to the rules.
    """
    answer, words = _on_one_line(reading.text), _spaced_words(reading.text)
    names = [name[0] for name in _NAMES_RULES.finditer(answer)]
    runs = [run for run in _rule_runs(reading.style.system or reading.style.user) if run in words]
    if not (names or runs):  # whoever points at the rules names them
        return  # as nearly always, and reading the passages takes longer than all before it
    passages = _on_one_line(" ".join(f"{hit.chunk.label} {hit.chunk.text}" for hit in reading.hits))
    question = _on_one_line(reading.question)
    pointers = [pointer[0] for pointer in _POINTS_AT_RULES.finditer(answer)]
    told = _first_not_in(passages, pointers) or _first_not_in(f"{passages} {question}", names)
    if told:
        yield Problem("leaks-instructions", "", f'The answer speaks of its instructions: "{told}".')
        return
    allowed = "|".join(map(_spaced_words, (reading.style.refusal, passages, question)))
    if repeated := _first_not_in(allowed, runs):
        yield Problem("leaks-instructions", "", f'The answer repeats its instructions: "{repeated.strip()} …".')


_RULE_WORDS = 7  # so many words of the rules in a row are no accident
_POINTS_AT_RULES = re.compile(
    r"\b(?:according to|based on|as per) (?:the|this|my|your) (?:\w+ )?context\b|\bcontext (?:above|below)\b"
    r"|\b(?:provided|given|supplied) context\b"
)
_NAMES_RULES = re.compile(
    r"\bcontexts?\b|\bi must (?:not|never|only)\b|\bsystem (?:prompt|message)s?\b"
    r"|\bmy (?:own |initial |original )?(?:instructions|rules|guidelines|prompt|programming|configuration)\b"
    r"|\b(?:instructions|rules|prompt) (?:(?:that )?i(?: was| am| have been|'ve been) given|(?:given|provided) to me)\b"
    r"|\bi(?:'m| am| was| have been|'ve been) (?:(?:told|instructed|programmed|asked) (?:not |never )?to"
    r"|(?:not|only) (?:allowed|permitted|supposed) to|given (?:the|a|this) (?:rule|instruction))\b"
)


@cache
def _rule_runs(rules: str) -> list[str]:
    """Every run of so many words of the rules."""
    words = _spaced_words(rules).split()
    starts = range(len(words) - _RULE_WORDS + 1)
    return [f" {' '.join(words[start : start + _RULE_WORDS])} " for start in starts]


def _first_not_in(text: str, phrases: Iterable[str]) -> str | None:
    return next((phrase for phrase in phrases if phrase not in text), None)


def _on_one_line(text: str) -> str:
    """The text on one line, without letter case, emphasis and curly apostrophes."""
    return squash(fold(text).replace("’", "'").replace("*", ""))


def _spaced_words(text: str) -> str:
    """The words of the text with a blank before and after each, so that runs of whole words can be searched in it."""
    words = re.findall(r"[\w']+", _on_one_line(text))
    return f" {' '.join(words)} "


def _unsupported_sentence(reading: Reading) -> Iterator[Problem]:
    """A statement of whose content words less than half are in the passages that it cites.

    It compares words, not meanings: a faithful rewording may fail it, and a false sentence in the passage's own words
    passes. A script that is written without blanks has no words that it could see.
    """
    for statement in reading.statements:
        cited = [reading.hits[n - 1].chunk for n in cited_numbers(statement.citations, reading.hits)]
        claimed = _words_by_stem(statement.claim)
        known = _words_by_stem(" ".join(f"{chunk.label} {chunk.text}" for chunk in cited))
        missing = [word for stem, word in claimed.items() if stem not in known]
        if cited and 2 * len(missing) > len(claimed):
            detail = f"Most of its words are in no cited passage: {', '.join(missing)}."
            yield Problem("unsupported-sentence", statement.text, detail)


_UNBROKEN = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"  # scripts without blanks
_CONTENT_WORD = re.compile(rf"[^\W\d_{_UNBROKEN}]{{3,}}")
_ENDING = re.compile(r"(?<=\w\w\w)(?:ing|ed|es|ly|(?<!s)s)$")


def _words_by_stem(text: str) -> dict[str, str]:
    """The words of three letters or more that search would count, by what is left without a common ending."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    words = (word for word in _CONTENT_WORD.findall(fold(text)) if word not in ENGLISH_STOP_WORDS)
    return {_ENDING.sub("", word).removesuffix("e"): word for word in words}


# To add a check: a function from a Reading to its problems above, one row here, and its code in the styles that run it.
CHECKS: dict[str, Check] = {
    "empty-answer": Check("nothing, or only citations", _empty_answer),
    "missing-citation": Check("a sentence states something and cites nothing", _missing_citation, reads_markers=True),
    "unknown-source": Check("cites what was not in the prompt", _unknown_source, reads_markers=True),
    "number-not-in-source": Check(
        "a number is neither in a cited passage nor in the question", _number_not_in_source, reads_markers=True
    ),
    "unit-mismatch": Check("the number is there, but with another unit", _unit_mismatch, reads_markers=True),
    "unknown-link": Check("an address that no passage has", _unknown_link),
    "quote-not-in-source": Check("quoted words are not in the cited passage", _quote_not_in_source, reads_markers=True),
    "padded-refusal": Check("a refusal with something before or after it", _padded_refusal),
    "leaks-instructions": Check("names its instructions or repeats them", _leaks_instructions, asked_for=True),
    "unsupported-sentence": Check(
        "less than half of its content words are in the cited passages",
        _unsupported_sentence,
        asked_for=True,
        reads_markers=True,
    ),
}
