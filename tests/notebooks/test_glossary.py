"""The glossary has every term of the lessons, and each of its links leads to the lesson that explains the term.

A lesson puts a new term in italics. It puts other words in italics, too: `is_no_term` knows most of them by a rule,
and EMPHASIS lists the rest. So a new lesson needs a row, or an entry there, for each of its italics.
"""

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest

import mock_llm
import raglab

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
PAGE = (NOTEBOOKS / "glossary.md").read_text(encoding="utf-8")

EMPHASIS = {  # in italics, and no terms, though no rule of `is_no_term` knows it
    *("better", "before", "cited", "exactly", "last", "made", "never", "worse"),  # stressed
    *("club", "derived", "fee", "heading", "question", "sentence", "snacks", "zebra"),  # as words
    *("2 am", "7 days", "and stop", "context menu", "do not add"),
    *("from those passages", "let a person look", "nightly job", "no model call"),
    *("remove this", "reply exactly", "the room", "this line", "use only the excerpts"),
    *("about.md", "ask", "disguise", "fields", "membership fee", "no defence", "payment update"),  # as titles
    *("spotlighting", "typing it", "words sent"),
}


@dataclass(frozen=True)
class Row:
    """One row of the glossary; `links` are pairs (number, file)."""

    names: tuple[str, ...]
    meaning: str
    links: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Lesson:
    """A lesson's text cells, the phrases in italics in them, its code with its output, and the questions in there."""

    file: str
    text: str
    italics: tuple[str, ...]
    shown: str
    questions: str


def rows_of(page):
    cells = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")][1:]
    return [Row(names_of(term), meaning, tuple(LINK.findall(links))) for term, meaning, links in cells]


LINK = re.compile(r"\[([^]]+)\]\(([^)]+)\)")


def names_of(term):
    """The names in a first cell, without code marks and without the word in parentheses that one goes with."""
    return tuple(re.sub(r" \(.*\)|`", "", name) for name in term.split(", "))


def lesson_of(path):
    cells = nbformat.read(path, as_version=4).cells
    texts = [cell.source for cell in cells if cell.cell_type == "markdown"]
    code = [cell for cell in cells if cell.cell_type == "code"]
    printed = [output.get("text", "") for output in outputs_of(code)]
    printed += [text for output in outputs_of(code) for text in output.get("data", {}).values()]
    shown = [cell.source for cell in code] + [text for text in printed if isinstance(text, str)]
    questions = re.findall(r'"([^"\n]*\?)"', "\n".join(cell.source for cell in code))
    return Lesson(path.name, "\n".join(texts), italics_of(texts), "\n".join(shown), "\n".join(questions))


def outputs_of(code):
    return [output for cell in code for output in cell.outputs]


def italics_of(texts):
    bare = [re.sub(r"```.*?```|`[^`]*`", "`", text, flags=re.DOTALL) for text in texts]
    return tuple(" ".join(phrase.split()) for text in bare for phrase in ITALIC.findall(text))


ITALIC = re.compile(r"(?<!\*)\*(?!\s)([^*]+)\*")


def plain(text):
    return " ".join(re.sub(r"[-_]", " ", text.casefold()).split())


def stem(phrase):
    """The phrase without letter case, ending and a share before it: *95 % confidence intervals* is the same term."""
    return re.sub(r"(?<=\w\w)(?:ing|ed|es|e|s)$", "", re.sub(r"^\d+ % ", "", plain(phrase)))


def holds(text, phrase):
    return re.search(rf"\b{re.escape(stem(phrase))}(?:ing|ed|es|e|s)?\b", plain(text)) is not None


def is_no_term(phrase, lesson):
    """A sentence; a letter or stop words; words of a question that is asked; a quotation of what is shown."""
    words = plain(phrase).split()
    sentence = len(words) > 4 or phrase[-1] in ".?" or "…" in phrase
    quotation = len(words) > 2 and plain(phrase) in plain(lesson.shown)
    small = len(phrase) == 1 or set(words) <= set(mock_llm.STOP_WORDS)
    return sentence or quotation or small or holds(lesson.questions, phrase)


# ----------------------------------------------------------------- the rules: (rows, lessons) → complaints


def rows_are_sorted(rows, lessons):
    firsts = [plain(row.names[0]) for row in rows]
    return [f"{later} stands after {earlier}" for earlier, later in pairwise(firsts) if later < earlier]


def each_term_stands_once(rows, lessons):
    stems = [stem(name) for row in rows for name in row.names]
    return sorted({each for each in stems if stems.count(each) > 1})


def links_name_their_lessons_in_order(rows, lessons):
    return [row.names for row in rows if not in_order([n for n, _ in row.links]) or mislabelled(row)]


def in_order(numbers):
    return numbers and all(earlier < later for earlier, later in pairwise(numbers))


def mislabelled(row):
    return [number for number, file in row.links if number != file[:2]]


def each_link_leads_to_the_term(rows, lessons):
    texts = {lesson.file: lesson.text for lesson in lessons}
    links = [(row, file) for row in rows for _, file in row.links]
    return [(row.names, file) for row, file in links if not any(holds(texts.get(file, ""), name) for name in row.names)]


def each_name_is_in_a_linked_lesson(rows, lessons):
    texts = {lesson.file: lesson.text for lesson in lessons}
    linked = [(name, "\n".join(texts.get(file, "") for _, file in row.links)) for row in rows for name in row.names]
    return [name for name, text in linked if not holds(text, name)]


def no_earlier_lesson_has_the_term_in_italics(rows, lessons):
    return [
        (name, lesson.file)
        for row in rows
        for lesson in lessons
        for name in row.names
        if lesson.file < row.links[0][1] and stem(name) in map(stem, lesson.italics)
    ]


def each_term_in_italics_has_a_row(rows, lessons):
    known = {stem(name) for row in rows for name in row.names}
    found = [(phrase, lesson) for lesson in lessons for phrase in lesson.italics if stem(phrase) not in known]
    return [
        (phrase, lesson.file)
        for phrase, lesson in found
        if plain(phrase) not in EMPHASIS and not is_no_term(phrase, lesson)
    ]


ROWS = rows_of(PAGE)
LESSONS = [lesson_of(path) for path in sorted(NOTEBOOKS.glob("*.ipynb"))]
RULES = [
    rows_are_sorted,
    each_term_stands_once,
    links_name_their_lessons_in_order,
    each_link_leads_to_the_term,
    each_name_is_in_a_linked_lesson,
    no_earlier_lesson_has_the_term_in_italics,
    each_term_in_italics_has_a_row,
]


@pytest.mark.parametrize("rule", RULES)
def test_the_glossary_keeps_the_rule(rule):
    assert rule(ROWS, LESSONS) == []


# ----------------------------------------------------------------- each rule catches a broken copy


CHUNK = Row(("chunk",), "A piece.", (("00", "00_a.ipynb"), ("01", "01_b.ipynb")))
TOKEN = Row(("token", "bill"), "A unit.", (("01", "01_b.ipynb"),))
FIRST = Lesson("00_a.ipynb", "Some *chunks* here.", ("chunks",), "", "")
SECOND = Lesson("01_b.ipynb", "A chunk is billed by *tokens*.", ("tokens",), "", "")

BROKEN = [
    (rows_are_sorted, [TOKEN, CHUNK], []),
    (each_term_stands_once, [CHUNK, replace(TOKEN, names=("token", "Chunks"))], []),
    (links_name_their_lessons_in_order, [replace(CHUNK, links=CHUNK.links[::-1])], []),
    (links_name_their_lessons_in_order, [replace(CHUNK, links=(("00", "01_b.ipynb"),))], []),
    (links_name_their_lessons_in_order, [replace(CHUNK, links=())], []),
    (each_link_leads_to_the_term, [CHUNK], [FIRST]),
    (each_link_leads_to_the_term, [CHUNK], [FIRST, replace(SECOND, text="A chunky text.")]),
    (each_name_is_in_a_linked_lesson, [TOKEN], [replace(SECOND, text="*Tokens* and a billboard.")]),
    (no_earlier_lesson_has_the_term_in_italics, [TOKEN], [replace(FIRST, italics=("Token",)), SECOND]),
    (no_earlier_lesson_has_the_term_in_italics, [TOKEN], [replace(FIRST, italics=("billing",)), SECOND]),
    (each_term_in_italics_has_a_row, [CHUNK], [FIRST, SECOND]),
]


def test_every_rule_has_a_broken_copy():
    assert {rule for rule, _, _ in BROKEN} == set(RULES)


@pytest.mark.parametrize(("rule", "rows", "lessons"), BROKEN)
def test_the_rule_catches_a_broken_copy(rule, rows, lessons):
    assert rule([CHUNK, TOKEN], [FIRST, SECOND]) == []
    assert rule(rows, lessons)


# ----------------------------------------------------------------- what counts as a term


def test_italics_are_read_as_markdown_reads_them():
    text = "**bold**(*one*), 2 * 3 * 4, `*code*`, **a *nested* one**\n* (*two\nlines*)\n```\n` *fenced*\n```"
    assert italics_of([text]) == ("one", "nested", "two lines")


@pytest.mark.parametrize(
    "phrase",
    [
        "In words: the line falls and rises",
        "Why not?",
        "Dr.",
        "Searched for: …",
        "and",
        "Rust",
        "up to 7 days",
    ],
)
def test_a_quotation_or_a_stressed_word_is_no_term(phrase):
    lesson = replace(FIRST, shown="It lasts up\nto 7 days.", questions="Do you teach Rust?")
    assert is_no_term(phrase, lesson)


@pytest.mark.parametrize("phrase", ["chunk", "system message", "recall at k", "up", "Rusty"])
def test_anything_else_in_italics_may_be_a_term(phrase):
    lesson = replace(FIRST, shown="A system message, chunk up.", questions="Do you teach Rust?")
    assert not is_no_term(phrase, lesson)


@pytest.mark.parametrize("word", sorted(EMPHASIS))
def test_no_word_is_listed_as_emphasis_for_nothing(word):
    users = [lesson for lesson in LESSONS if word in map(plain, lesson.italics)]
    assert any(not is_no_term(word, lesson) for lesson in users)
    assert stem(word) not in {stem(name) for row in ROWS for name in row.names}


# ----------------------------------------------------------------- the page


def test_the_page_says_what_it_is_and_stays_short():
    assert PAGE.startswith("# Glossary: ")
    assert 50 < len(ROWS) < 90
    assert "—" not in PAGE
    assert [row.names for row in ROWS if not 1 <= len(re.findall(r"\.(?= |$)", row.meaning)) <= 2] == []


def test_it_names_every_problem_code_every_persona_and_every_status():
    meanings = {row.names[0]: re.findall(r"`([^`]+)`", row.meaning) for row in ROWS}
    assert meanings["problem"] == list(raglab.CHECKS)
    assert set(meanings["persona"]) == set(mock_llm.PERSONAS)
    names = {name for row in ROWS for name in row.names}
    assert names >= {"answered", "partial", "not_found", "needs_review"}
