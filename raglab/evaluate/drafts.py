"""A first question set for a person's own documents, to be edited: one question per heading."""

import json
from collections.abc import Iterable

from raglab.records import Chunk
from raglab.styles import NUMBERED, Style, find_style
from raglab.text.terminal import escaped

_HEAD = """\
# A draft: edit every question. Ask as your readers would, not in the words of the heading.
# contains  what a right answer must say, word for word, for example ["10 US dollars", "per term"];
#           while it is empty, an answer counts as right if it cites one of the chunks.
# kind      answerable, partial (the documents answer one part) or unanswerable.
# A third of the set should be unanswerable: questions near your subject that the documents do not answer.

style = {style}
"""
_ENTRY = """
[[question]]
id = {id}
question = {question}
kind = "answerable"
tags = []
chunks = [{chunk}]
contains = []
"""
_UNANSWERABLE = """
# An example of the other kind: replace it, and add more.

[[question]]
id = "not-covered-1"
question = "Who won the 1998 World Cup?"
kind = "unanswerable"
tags = []
chunks = []
contains = []
"""


def draft_questions(chunks: Iterable[Chunk], style: Style | str = NUMBERED) -> str:
    """The text of a `questions.toml` with one answerable question per heading, and one that is not covered.

    A heading that is a question is taken as it is. `style` is the one the chunks were cut for.

    >>> draft = draft_questions([Chunk("fees.md#1", "fees.md", "When do I pay?", "Within a week.")])
    >>> [line for line in draft.splitlines() if line.startswith(("question =", "chunks ="))]
    ['question = "When do I pay?"', 'chunks = ["fees.md#1"]', 'question = "Who won the 1998 World Cup?"', 'chunks = []']
    """
    first: dict[str, Chunk] = {}  # by its question, so that no question occurs twice
    for chunk in chunks:
        first.setdefault(_question_for(chunk), chunk)
    entries = (
        _ENTRY.format(id=_quoted(f"q{number}"), question=_quoted(question), chunk=_quoted(chunk.id))
        for number, (question, chunk) in enumerate(first.items(), 1)
    )
    return "".join([_HEAD.format(style=_quoted(find_style(style).name)), *entries, _UNANSWERABLE])


def _question_for(chunk: Chunk) -> str:
    heading = " ".join(chunk.heading.split())
    if heading.endswith("?"):
        return heading
    return f'What is said about "{heading or chunk.source}"?'


def _quoted(text: str) -> str:
    """A TOML string: JSON's is one, but for one character that JSON leaves alone and `escaped` does not."""
    return escaped(json.dumps(text, ensure_ascii=False))
