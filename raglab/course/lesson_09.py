"""The exercises of lesson 09: quotes compared with their documents, markers, and quotes under each source."""

from typing import Any

from raglab.course.exercises import Calls, Case, Exercise
from raglab.grounding.cited_blocks import render_blocks
from raglab.records import Quote, Source

_RULES = "Rooms open at 8. They close at 6."
_FEES = "A card costs\nfive dollars. 😀 Bring it."


def _cited(text: str, *places: tuple[int, int, int, str]) -> dict[str, Any]:
    """A block with a citation for each (document, start, end, quote)."""
    names = ("document_index", "start_char_index", "end_char_index", "cited_text")
    return {"type": "text", "text": text, "citations": [dict(zip(names, place, strict=True)) for place in places]}


def _marked(*blocks: tuple[str, list[int]]) -> Case:
    """Blocks of (text, indexes of the documents cited), and the text with markers."""
    made = [_cited(text, *((index, 0, 1, "R") for index in indexes)) for text, indexes in blocks]
    return Case((made,), render_blocks(made)[0])


class _Shown(Source):
    """A source that shows its quotes, so that a learner can see what the function was given."""

    __slots__ = ()

    def __repr__(self) -> str:
        quotes = [quote.quote for quote in self.quotes]
        return f"<Source {self.n}: {self.label}, {'cited' if self.cited else 'not cited'}, quotes {quotes}>"


def _source(n: int, label: str, *quotes: str, cited: bool = True) -> Source:
    file, _, heading = label.partition(" > ")
    return _Shown(n, f"{file}#0", file, heading, 0.5, cited, tuple(Quote(n, quote) for quote in quotes))


EXERCISES = (
    Exercise(
        id="09.1",
        task="""\
**Exercise 09.1: is every quote exact?** `blocks` is a reply's list of blocks, and `documents` the list of the
documents' texts. Return the list of the quotes (`cited_text`) that are not the exact span of their document. A
citation of a document that does not exist is not exact.

With `documents = ["Rooms open at 8. They close at 6."]`, a citation of document 0 from 0 to 17 with the quote
`"Rooms open at 8. "` is exact. With the quote `"Rooms open at 9. "` the right answer is `["Rooms open at 9. "]`.""",
        answer="inexact",
        starter='''\
def inexact(blocks, documents):
    """The quotes that are not where their citations say."""
    ...''',
        hints=(
            'Two loops: over the blocks, and over `block["citations"]`, which may be an empty list.',
            'The span is `document[citation["start_char_index"]:citation["end_char_index"]]`.',
            'First check that the document exists: `citation["document_index"] < len(documents)`.',
        ),
        solution='''\
def inexact(blocks, documents):
    """The quotes that are not where their citations say."""
    wrong = []
    for block in blocks:
        for citation in block["citations"]:
            index, quote = citation["document_index"], citation["cited_text"]
            start, end = citation["start_char_index"], citation["end_char_index"]
            if index >= len(documents) or documents[index][start:end] != quote:
                wrong.append(quote)
    return wrong''',
        grade=Calls(
            (
                Case(([_cited("At 9.", (0, 0, 17, "Rooms open at 9. "))], [_RULES]), ["Rooms open at 9. "]),
                Case(([_cited("At 8.", (0, 0, 17, "Rooms open at 8. "))], [_RULES]), []),
                Case(([_cited("At 8.", (0, 0, 17, "Rooms open at 8."))], [_RULES]), ["Rooms open at 8."]),
                Case(([_cited("At 8.", (0, 5, 17, "Rooms open at 8. "))], [_RULES]), ["Rooms open at 8. "]),
                Case(
                    (
                        [
                            _cited("Five.", (1, 0, 26, "A card costs\nfive dollars."), (1, 29, 38, "Bring it.")),
                            _cited("Well."),
                            _cited("At 6.", (0, 17, 33, "They close at 6."), (1, 0, 26, "A card costs five dollars.")),
                        ],
                        [_RULES, _FEES],
                    ),
                    ["A card costs five dollars."],
                ),
                Case(([_cited("At 6.", (1, 17, 33, "They close at 6."))], [_RULES]), ["They close at 6."]),
                Case(([_cited("No."), _cited("Nothing.")], []), []),
            )
        ),
    ),
    Exercise(
        id="09.2",
        task="""\
**Exercise 09.2: markers.** Join the texts of the blocks. After a block with citations, put a space and a marker
`[n]` for each document that it cites: n is `document_index` + 1, each document once, in order of first citation,
without spaces between the markers. White space at the end of the block's text comes after the markers. The texts
contain no code.

A block `"Use it. "` that cites document 2, and then a block `"Good luck."` that cites nothing, become
`"Use it. [3] Good luck."`""",
        answer="with_markers",
        starter='''\
def with_markers(blocks):
    """The text of the reply, with a marker for each document that a block cites."""
    ...''',
        hints=(
            "Build the text block by block. A block without citations is added as it is.",
            "`text.rstrip()` is the text without the white space at its end; `text[len(text.rstrip()):]` is the rest.",
            '`dict.fromkeys(numbers)` keeps each number once and in order: join `f"[{n}]"` over it.',
        ),
        solution='''\
def with_markers(blocks):
    """The text of the reply, with a marker for each document that a block cites."""
    whole = ""
    for block in blocks:
        text, markers = block["text"], ""
        for n in dict.fromkeys(each["document_index"] + 1 for each in block["citations"]):
            markers += f"[{n}]"
        words = text.rstrip()
        whole += f"{words} {markers}{text[len(words):]}" if markers else text
    return whole''',
        grade=Calls(
            (
                _marked(("Use it. ", [2]), ("Good luck.", [])),
                _marked(("One. ", [1, 0, 1]), ("Two.", [0])),
                _marked(("Nothing is cited. ", []), ("Nothing at all.", [])),
                _marked(("First.\n\n", [0]), ("Second.\n\n", []), ("Third.\n", [3, 3])),
                _marked(("Done.", [11])),
                Case(([],), ""),
            )
        ),
    ),
    Exercise(
        id="09.3",
        task="""\
**Exercise 09.3: quotes under each source.** `sources` is `answer.sources`: each has `n`, `label`, `cited` and
`quotes`, and each quote has its text in `quote.quote`. Return one text, with no newline after its last line: for
each cited source a line with its number and label, and below it, indented by four spaces, each of its quotes in
quotation marks. A quote takes one line (every run of white space becomes one space) and is shown once. A cited source
may have no quote.

For source 2, `fees.md > Fee`, cited with the quote `"It costs\\n10 dollars."`, and source 1, not cited, it is:

```text
[2] fees.md > Fee
    "It costs 10 dollars."
```""",
        answer="quotes_under",
        starter='''\
def quotes_under(sources):
    """Each cited source with its quotes below it."""
    ...''',
        hints=(
            "Collect the lines in a list, and join them with newlines when you are done.",
            'A source\'s line is `f"[{source.n}] {source.label}"`. `" ".join(text.split())` squashes white space.',
            "To show a quote once, squash them all first, then go through `dict.fromkeys(...)`, which keeps the order.",
        ),
        solution='''\
def quotes_under(sources):
    """Each cited source with its quotes below it."""
    lines = []
    for source in sources:
        if source.cited:
            lines.append(f"[{source.n}] {source.label}")
            quotes = dict.fromkeys(" ".join(quote.quote.split()) for quote in source.quotes)
            lines += [f'    "{quote}"' for quote in quotes]
    return "\\n".join(lines)''',
        grade=Calls(
            (
                Case(
                    ((_source(1, "a.md", cited=False), _source(2, "fees.md > Fee", "It costs\n10 dollars.")),),
                    '[2] fees.md > Fee\n    "It costs 10 dollars."',
                ),
                Case(
                    ((_source(1, "a.md > A", "One.", "Two\n  lines.", "One."), _source(2, "b.md", "Three.")),),
                    '[1] a.md > A\n    "One."\n    "Two lines."\n[2] b.md\n    "Three."',
                ),
                Case(
                    ((_source(1, "a.md", "Same words."), _source(2, "b.md", "Same words.")),),
                    '[1] a.md\n    "Same words."\n[2] b.md\n    "Same words."',
                ),
                Case(((_source(1, "a.md", "All\nof it.", "All of it."),),), '[1] a.md\n    "All of it."'),
                Case(((_source(1, "a.md"), _source(2, "b.md", cited=False)),), "[1] a.md"),
                Case(((_source(1, "a.md", cited=False), _source(2, "b.md", cited=False)),), ""),
                Case(((),), ""),
            )
        ),
    ),
)
