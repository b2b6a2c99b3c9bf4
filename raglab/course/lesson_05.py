"""The exercises of lesson 05: the cited source opened, a source list, and an answer with links."""

from raglab.course.exercises import Calls, Case, Exercise
from raglab.records import Chunk, Hit

_FEES = "# Fees\n\nThe fee is 10 dollars.\n\n## Refunds\n\nHalf of it comes back.\nAsk Vibol.\n"
_HOURS = "\n  Open from 8 to 9.  \n"
_DOCUMENTS = {"fees.md": _FEES, "hours.md": _HOURS}


def _piece(id: str, text: str, heading: str = "") -> Hit:
    """A hit on this piece of its document, with its text squashed as a prompt would show it."""
    source = id.rpartition("#")[0]
    start = _DOCUMENTS[source].index(text)
    return Hit(Chunk(id, source, heading, " ".join(text.split()), start, start + len(text)), 0.5)


_FEE = _piece("fees.md#0", "The fee is 10 dollars.", "Fees")
_BACK = _piece("fees.md#1", "Half of it comes back.\nAsk Vibol.", "Refunds")
_HALF = _piece("fees.md#1", "Half of it comes back.", "Refunds")
_ASK = _piece("fees.md#2", "Ask Vibol.", "Refunds")
_OPEN = _piece("hours.md#0", "Open from 8 to 9.")


def _opened(text: str, hits: list[Hit], *wanted: tuple[str, str]) -> Case:
    return Case((text, hits, _DOCUMENTS), list(wanted))


_TWELVE = [Hit.of(f"{'guide' if n % 2 else 'faq'}.md#{n}", f"Text {n}.", heading=f"Part {n}") for n in range(12)]
_ODD = [
    Hit.of("a&b.md#0", "A.", heading='The "best" <room>'),
    Hit.of("b.md#0", "B."),
    Hit.of("c.md#0", "C.", heading="C"),
]
_A = '<a href="#p1" title="a&amp;b.md &gt; The &quot;best&quot; &lt;room&gt;">[1]</a>'
_B = '<a href="#p2" title="b.md">[2]</a>'
_C = '<a href="#p3" title="c.md &gt; C">[3]</a>'

EXERCISES = (
    Exercise(
        id="05.1",
        task="""\
**Exercise 05.1: open the cited source.** `text` is an answer, `hits` is the list its prompt was built from, and
`documents` is a dict from file to the text of the file. Return, for each passage that the answer cites, the pair of its
label and its characters in the document. List each passage once, in the order of first citation; ignore invalid
citations.

Let `hits[0].chunk` have the label `fees.md > Fees`, the start 8 and the end 30. With
`documents = {"fees.md": "# Fees\\n\\nThe fee is 10 dollars."}` the answer `"It is 10 dollars [1]."` gives
`[("fees.md > Fees", "The fee is 10 dollars.")]`.""",
        answer="open_sources",
        starter='''\
def open_sources(text, hits, documents):
    """(label, characters in the document) of each cited passage."""
    ...''',
        hints=(
            "`raglab.parse_citations(text, hits)` gives the citations, each with its `refs`.",
            "Number n is `hits[n - 1].chunk`, and a chunk has `label`, `source`, `start` and `end`.",
            "Collect each `n` once, in a list. Then cut `documents[chunk.source][chunk.start : chunk.end]`.",
        ),
        solution='''\
def open_sources(text, hits, documents):
    """(label, characters in the document) of each cited passage."""
    numbers = []
    for citation in raglab.parse_citations(text, hits):
        numbers += [n for n in citation.refs if n not in numbers]
    chunks = [hits[n - 1].chunk for n in numbers]
    return [(chunk.label, documents[chunk.source][chunk.start : chunk.end]) for chunk in chunks]''',
        grade=Calls(
            (
                _opened("It is 10 dollars [1].", [_FEE, _OPEN], ("fees.md > Fees", "The fee is 10 dollars.")),
                _opened(
                    "Half comes back [2]. The fee is 10 [1]. Ask Vibol [2].",
                    [_FEE, _BACK, _OPEN],
                    ("fees.md > Refunds", "Half of it comes back.\nAsk Vibol."),
                    ("fees.md > Fees", "The fee is 10 dollars."),
                ),
                _opened(
                    "All of it [1-3].",
                    [_OPEN, _BACK, _FEE],
                    ("hours.md", "Open from 8 to 9."),
                    ("fees.md > Refunds", "Half of it comes back.\nAsk Vibol."),
                    ("fees.md > Fees", "The fee is 10 dollars."),
                ),
                _opened("Open [0, 2, 9]. Use `rows[1]`.", [_FEE, _OPEN], ("hours.md", "Open from 8 to 9.")),
                _opened(
                    "Half [1]. Ask [2].",
                    [_HALF, _ASK],
                    ("fees.md > Refunds", "Half of it comes back."),
                    ("fees.md > Refunds", "Ask Vibol."),
                ),
                _opened("Nothing is cited (1).", [_FEE]),
            )
        ),
    ),
    Exercise(
        id="05.2",
        task="""\
**Exercise 05.2: a source list.** Return the lines of the source list for an answer: `[n] file`, one for each number
that the answer cites, in the order of the numbers and each number once. Two passages of one file are two lines. Invalid
numbers get no line.

Let passage 1 come from `faq.md`, and passages 2 and 3 both from `fees.md`. The answer
`"Ten [3]. Or half [2, 3]."` gives `["[2] fees.md", "[3] fees.md"]`.""",
        answer="source_list",
        starter='''\
def source_list(text, hits):
    """The lines of the source list."""
    ...''',
        hints=(
            "Collect the numbers of all markers first: `citation.refs` of each, in a set.",
            "`sorted(numbers)` is their order. The file of number n is `hits[n - 1].chunk.source`.",
            "The set: `{n for citation in raglab.parse_citations(text, hits) for n in citation.refs}`.",
        ),
        solution='''\
def source_list(text, hits):
    """The lines of the source list."""
    citations = raglab.parse_citations(text, hits)
    numbers = {n for citation in citations for n in citation.refs}
    return [f"[{n}] {hits[n - 1].chunk.source}" for n in sorted(numbers)]''',
        grade=Calls(
            (
                Case(
                    (
                        "Ten [3]. Or half [2, 3].",
                        [
                            Hit.of("faq.md#0", "F."),
                            Hit.of("fees.md#0", "A.", heading="Fee"),
                            Hit.of("fees.md#1", "B.", heading="Refunds"),
                        ],
                    ),
                    ["[2] fees.md", "[3] fees.md"],
                ),
                Case(("So [11]. And [2]. And [9].", _TWELVE), ["[2] guide.md", "[9] faq.md", "[11] faq.md"]),
                Case(("So [3-5], [1-3].", _TWELVE), [f"[{n}] {_TWELVE[n - 1].chunk.source}" for n in (1, 2, 3, 4, 5)]),
                Case(("So [0]. Or [13, 12]. Or `x[1]`.", _TWELVE), ["[12] guide.md"]),
                Case(("Nothing here.", _TWELVE), []),
            )
        ),
    ),
    Exercise(
        id="05.3",
        task="""\
**Exercise 05.3: an answer with links.** Return the answer as HTML. Everything is escaped with `html.escape`. Each
marker is replaced by a link for each known number and then a mark for each bad one, without anything between them:

- a link is `<a href="#p1" title="fees.md &gt; Fees">[1]</a>`, with the escaped label of its passage as the title;
- a mark is `<mark>[7]</mark>`. Its content comes from the model too, and is escaped.

If passage 1 has the label `fees.md > Fees`, the answer `"It is < 20 [1, 7]."` gives
`It is &lt; 20 <a href="#p1" title="fees.md &gt; Fees">[1]</a><mark>[7]</mark>.`""",
        answer="to_html",
        starter='''\
from html import escape

def to_html(text, hits):
    """The answer as HTML: escaped, with links and marks."""
    ...''',
        hints=(
            "Go from marker to marker as `linked` does above, and remember in `done` how far you have come.",
            "`citation.refs` are the known numbers, `citation.bad` the bad ones: texts from the model, so escape them.",
            "`escape(hits[n - 1].chunk.label)` is safe inside quotation marks too. Add the text after the last one.",
        ),
        solution='''\
from html import escape

def to_html(text, hits):
    """The answer as HTML: escaped, with links and marks."""
    page, done = "", 0
    for citation in raglab.parse_citations(text, hits):
        page += escape(text[done : citation.start])
        for n in citation.refs:
            page += f'<a href="#p{n}" title="{escape(hits[n - 1].chunk.label)}">[{n}]</a>'
        page += "".join(f"<mark>[{escape(bad)}]</mark>" for bad in citation.bad)
        done = citation.end
    return page + escape(text[done:])''',
        grade=Calls(
            (
                Case(
                    ("It is < 20 [1, 7].", [Hit.of("fees.md#0", "Ten.", heading="Fees")]),
                    'It is &lt; 20 <a href="#p1" title="fees.md &gt; Fees">[1]</a><mark>[7]</mark>.',
                ),
                Case(("So [1]. <b>And</b> [2-3] & more", _ODD), f"So {_A}. &lt;b&gt;And&lt;/b&gt; {_B}{_C} &amp; more"),
                Case(("So [1 & 3].", _ODD), f"So {_A}{_C}."),
                Case(("So [7, 2, 9].", _ODD), f"So {_B}<mark>[7]</mark><mark>[9]</mark>."),
                Case(("So [2 & 3-1].", _ODD), "So <mark>[[2 &amp; 3-1]]</mark>."),
                Case(("`rows[1]` [0][2]", _ODD), f"`rows[1]` <mark>[0]</mark>{_B}"),
                Case(
                    ('"No" [x], see [3](a.md) & [4].', _ODD),
                    "&quot;No&quot; [x], see [3](a.md) &amp; <mark>[4]</mark>.",
                ),
                Case(("", _ODD), ""),
            )
        ),
    ),
)
