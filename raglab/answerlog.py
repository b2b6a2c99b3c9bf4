"""A log of answers as JSON lines, and what it tells: the questions that the documents do not answer."""

import json
import os
from collections import Counter
from pathlib import Path

from raglab.errors import RaglabError
from raglab.records import Answer

UNANSWERED = ("not_found", "needs_review", "partial")
_CALL_FAILED = '"call-failed"'  # a problem of the model's service, as a code or in a record


class AnswerLog:
    """Adds one line per answer to a file: question, search question, status, problems and cited sources.

    >>> import tempfile
    >>> from raglab.records import Answer
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = AnswerLog(os.path.join(folder, "answers.jsonl"))
    ...     log.add(Answer("I don't know.", "not_found", "Is it free?", "Is it free?", refused_by="gate"))
    ...     gaps(log.path)
    [('Is it free?', 'not_found', 1)]
    """

    def __init__(self, path: str | os.PathLike[str]):
        self.path = Path(path)

    def add(self, answer: Answer) -> None:
        """Write the answer's line; it is whole even if several programs write at once."""
        record = {
            "question": answer.question,
            "search_question": answer.search_question,
            "status": answer.status,
            "refused_by": answer.refused_by,
            "problems": [problem.code for problem in answer.problems],
            "sources": [source.id for source in answer.sources if source.cited],
        }
        # Half a character, as a terminal may give it, is written as JSON's own escape.
        line = json.dumps(record, ensure_ascii=False).encode(errors="backslashreplace") + b"\n"
        try:
            with self.path.open("ab") as file:
                file.write(line)
        except OSError as error:
            reason = (error.strerror or "").lower()
            raise RaglabError(
                f"The log {str(self.path)!r} cannot be written: {reason}; name a file in a folder that exists."
            ) from None


def gaps(path: str | os.PathLike[str]) -> list[tuple[str, str, int]]:
    """(question, status, how often) of what was not answered, the most frequent first, then in order of first asking.

    Questions are counted together whatever their letter case and white space. A call that failed says nothing about
    the documents, and is left out. A line that is not a record is skipped; a file that cannot be read is a
    `RaglabError`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "answers.jsonl")
    ...     written = file.write_text('{"question": "Is it free?", "status": "not_found"}\\n' * 2)
    ...     gaps(file)
    [('Is it free?', 'not_found', 2)]
    """
    try:
        lines = Path(path).read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as error:
        reason = (error.strerror or "").lower()
        raise RaglabError(f"The log {str(path)!r} cannot be read: {reason}; name a file made with --log.") from None
    counted: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], str] = {}
    for line in lines:
        try:
            record = json.loads(line)
            question, status = str(record["question"]), record["status"]
            failed = _CALL_FAILED in json.dumps(record.get("problems"))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
        if status in UNANSWERED and not failed:
            key = " ".join(question.casefold().split()), status
            first.setdefault(key, question)
            counted[key] += 1
    return [(first[key], key[1], count) for key, count in counted.most_common()]
