"""Question sets: a TOML, JSONL or CSV file → validated questions. docs/README.md explains the fields."""

import difflib
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from raglab.errors import DocumentError, RaglabError, did_you_mean
from raglab.styles import find_style

KINDS = ("answerable", "partial", "unanswerable")
_TEXTS = ("id", "question", "kind")
_LISTS = ("tags", "chunks", "contains", "missing", "history")

Entry = tuple[str, dict[str, Any]]  # where it stands in the file, and its fields


@dataclass(frozen=True, slots=True)
class Question:
    """One question, and what is known about a right answer to it.

    >>> Question("fee", "What is the fee?", "answerable", contains=("10 dollars",)).covered
    True
    """

    id: str
    question: str
    kind: str  # one of KINDS
    tags: tuple[str, ...] = ()
    chunks: tuple[str, ...] = ()  # ids of the chunks that hold the answer
    contains: tuple[str, ...] = ()  # what a right answer says, all of it; empty: it cites one of the chunks
    missing: tuple[str, ...] = ()  # chunks that hold the other part of a partial question
    history: tuple[str, ...] = ()  # questions asked before it, oldest first

    @property
    def covered(self) -> bool:
        """Whether the documents hold an answer, at least to a part."""
        return self.kind != "unanswerable"

    @property
    def conversation(self) -> tuple[str, ...]:
        """Everything that is asked, this question last."""
        return (*self.history, self.question)


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The questions of one file, in its order."""

    questions: tuple[Question, ...]
    style: str | None = None  # the answer style whose chunk ids the set uses
    name: str = "questions"

    def __iter__(self) -> Iterator[Question]:
        return iter(self.questions)

    def __len__(self) -> int:
        return len(self.questions)


def load_questions(path: str | os.PathLike[str]) -> QuestionSet:
    """The question set of a `.toml`, `.jsonl` or `.csv` file.

    TOML has `[[question]]` tables and may name a `style` at its top; JSONL has one object per line, CSV one question
    per row below a row of field names, with `|` between the values of a list. `question` and `kind` must be there; a
    missing `id` is the place in the file, such as `line-3`. Raises `DocumentError`, which names the file and the entry.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "mine.csv")
    ...     written = file.write_text("question,kind,contains\\nWhat is the fee?,answerable,10 dollars|a term\\n")
    ...     list(load_questions(file))[0].contains
    ('10 dollars', 'a term')
    """
    file = Path(path)
    if file.suffix.lower() not in READERS:
        raise DocumentError(f"{file.name} is not a question set: name a file that ends in {', '.join(READERS)}.")
    style, entries = READERS[file.suffix.lower()](_text(file), file.name)
    questions = tuple(_question(file.name, place, fields) for place, fields in entries)
    if not questions:
        raise DocumentError(f"{file.name} holds no question; write at least one.")
    _check_unique(file.name, questions)
    return QuestionSet(questions, style, file.resolve().parent.name if file.stem == "questions" else file.stem)


def check_chunks(questions: Iterable[Question], index: object) -> None:
    """`DocumentError` if a question marks a chunk that the index does not have, which is how a wrong style shows."""
    known = {chunk.id for chunk in getattr(index, "chunks", ())}
    for question in questions if known else ():
        for id in (*question.chunks, *question.missing):
            if id not in known:
                near = difflib.get_close_matches(id, sorted(known), n=1)
                hint = f" (the nearest is {near[0]!r})" if near else ""
                raise DocumentError(
                    f"Question {question.id!r} marks the chunk {id!r}, which the index does not have{hint}; "
                    "use the style and the documents that the set was written for."
                )


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DocumentError(f"{file.name} is not UTF-8 at byte {error.start}; save it as UTF-8.") from None
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise DocumentError(f"The question set {file.name} cannot be read: {reason}.") from None


def _toml(text: str, name: str) -> tuple[str | None, list[Entry]]:
    import tomllib

    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise DocumentError(f"{name} is not valid TOML: {error}.") from None
    unknown = set(data) - {"style", "question"}
    if unknown:
        raise DocumentError(f"{name} has the field {min(unknown)!r} at its top; only style and question belong there.")
    tables = data.get("question", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise DocumentError(f"{name}: a question is a table of its own, headed [[question]].")
    return _style(data.get("style"), name), [(f"question {n}", table) for n, table in enumerate(tables, 1)]


def _style(style: Any, name: str) -> str | None:
    try:
        return None if style is None else find_style(style).name
    except RaglabError as error:
        raise DocumentError(f"{name}: {error}") from None


def _jsonl(text: str, name: str) -> tuple[None, list[Entry]]:
    import json

    entries = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                record = None
            if not isinstance(record, dict):
                raise DocumentError(f"{name}, line {number} is not a JSON object; write one question per line.")
            entries.append((f"line {number}", record))
    return None, entries


def _csv(text: str, name: str) -> tuple[None, list[Entry]]:
    import csv

    rows = csv.reader(text.splitlines(keepends=True), strict=True)
    entries: list[Entry] = []
    try:
        head = [field.strip() for field in next(rows, ())]
        if twice := [field for field in head if field and head.count(field) > 1]:
            raise DocumentError(f"{name} has two columns {twice[0]!r}; leave one out.")
        for row in filter(None, rows):
            if len(row) != len(head):
                raise DocumentError(
                    f"{name}, line {rows.line_num} has {len(row)} cells, not {len(head)}; put a comma in quotes."
                )
            cells = {field: cell.strip() for field, cell in zip(head, row, strict=True) if cell.strip()}
            fields = {field: _parts(cell) if field in _LISTS else cell for field, cell in cells.items()}
            entries.append((f"line {rows.line_num}", fields))
    except csv.Error as error:
        raise DocumentError(f"{name}, line {rows.line_num} is not valid CSV: {error}.") from None
    return None, entries


def _parts(cell: str) -> list[str]:
    """The values of a list in a cell of CSV."""
    return [one.strip() for one in cell.split("|")]


# To add a format: a function from the file's text and name to its style and its entries.
READERS: dict[str, Callable[[str, str], tuple[str | None, list[Entry]]]] = {
    ".toml": _toml,
    ".jsonl": _jsonl,
    ".csv": _csv,
}


def _question(file: str, place: str, fields: dict[str, Any]) -> Question:
    """The question of an entry; a `DocumentError` for a field that cannot be meant."""
    fields = {"id": place.replace(" ", "-"), **fields}
    place = f"{file}, {place}" + (f" ({fields['id']!r})" if isinstance(fields["id"], str) else "")
    for field in fields:
        if field not in (*_TEXTS, *_LISTS):
            raise DocumentError(f"{place}: there is no field {field!r}: {did_you_mean(field, (*_TEXTS, *_LISTS))}.")
    texts = {field: _text_field(place, field, fields.get(field)) for field in _TEXTS}
    lists = {field: _list_field(place, field, fields.get(field, [])) for field in _LISTS}
    question = Question(
        id=texts["id"],
        question=texts["question"],
        kind=texts["kind"],
        tags=lists["tags"],
        chunks=lists["chunks"],
        contains=lists["contains"],
        missing=lists["missing"],
        history=lists["history"],
    )
    problem = _contradiction(question)
    if problem:
        raise DocumentError(f"{place}: {problem}")
    return question


def _text_field(place: str, field: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise DocumentError(f"{place}: the field {field!r} is {value!r}; it must be a text.")
    return value


def _list_field(place: str, field: str, value: object) -> tuple[str, ...]:
    texts = [one for one in value if isinstance(one, str) and one.strip()] if isinstance(value, list) else None
    if texts is None or texts != value:
        raise DocumentError(f"{place}: the field {field!r} is {value!r}; it must be a list of texts.")
    return tuple(texts)


def _contradiction(question: Question) -> str | None:
    """Why the fields of a question cannot all be meant."""
    if question.kind not in KINDS:
        return f"the kind {question.kind!r} is not known: {did_you_mean(question.kind, KINDS)}."
    if not question.covered and (question.chunks or question.contains):
        return "it is unanswerable, so no chunk can hold the answer; empty `chunks` and `contains`, or change the kind."
    if question.covered and not (question.chunks or question.contains):
        return f"it is {question.kind}, so say what a right answer must contain, or which chunks hold it."
    if question.missing and question.kind != "partial":
        return f"it is {question.kind}, and only a partial question has `missing`."
    return None


def _check_unique(name: str, questions: Iterable[Question]) -> None:
    ids: set[str] = set()
    first: dict[tuple[str, ...], str] = {}  # what is asked → the id of the question that asks it
    for question in questions:
        if question.id in ids:
            raise DocumentError(f"{name}: two questions have the id {question.id!r}; ids must differ.")
        ids.add(question.id)
        if question.conversation in first:
            twin = first[question.conversation]
            raise DocumentError(f"{name}: {twin!r} and {question.id!r} ask the same; leave one out.")
        first[question.conversation] = question.id
