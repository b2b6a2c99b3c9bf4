"""The exercises of lesson 01: a chunker, a weight and a ranking of your own."""

from math import log

from raglab.course.exercises import Calls, Case, Exercise

EXERCISES = (
    Exercise(
        id="01.1",
        task="""\
**Exercise 01.1: a chunker of your own.** Every line that starts with `## ` begins a section. Return the list of
pairs `(heading, text)`: the heading without `## `, the text without spaces and empty lines at its start and
end. Whatever comes before the first heading is left out.

For `sections("Hello.\\n## Fee\\nTen dollars.\\n\\n## Refunds\\nHalf of it.\\n")` the right answer is
`[("Fee", "Ten dollars."), ("Refunds", "Half of it.")]`.""",
        answer="sections",
        starter='''\
def sections(text):
    """The (heading, text) pairs of a Markdown text."""
    ...''',
        hints=(
            "Go line by line. A heading line opens a new pair; any other line belongs to the newest pair.",
            '`line.startswith("## ")` finds a heading, and `line[3:]` is the rest of it.',
            'Shorter: every section follows a `\\n## `, so `("\\n" + text).split("\\n## ")[1:]` gives them all.',
        ),
        solution='''\
def sections(text):
    """The (heading, text) pairs of a Markdown text."""
    pairs = []
    for section in ("\\n" + text).split("\\n## ")[1:]:
        heading, _, body = section.partition("\\n")
        pairs.append((heading, body.strip()))
    return pairs''',
        grade=Calls(
            (
                Case(
                    ("Hello.\n## Fee\nTen dollars.\n\n## Refunds\nHalf of it.\n",),
                    [("Fee", "Ten dollars."), ("Refunds", "Half of it.")],
                ),
                Case(("No heading here.\n",), []),
                Case(
                    ("## Hours\n\nOpen at 8.\n\nClosed on Sunday.",),
                    [("Hours", "Open at 8.\n\nClosed on Sunday.")],
                ),
                Case(("# Title\n## One\nSee ## below.\n## Two\nb\n",), [("One", "See ## below."), ("Two", "b")]),
                Case(
                    ("## C#\n### Part\nOne.\n##Not one\n## Empty\n## Two\n  set in  \n\n",),
                    [("C#", "### Part\nOne.\n##Not one"), ("Empty", ""), ("Two", "set in")],
                ),
                Case(
                    ("## A\n- x\n  - y\n ## no heading\n## B ## c\nb\n## A\nagain",),
                    [("A", "- x\n  - y\n ## no heading"), ("B ## c", "b"), ("A", "again")],
                ),
                Case(("",), []),
            )
        ),
    ),
    Exercise(
        id="01.2",
        task="""\
**Exercise 01.2: how rare is a word?** `texts` is a list of lists of words. Return the idf of `word` by the
formula above: ln((1 + n) / (1 + df)) + 1, where n is the number of texts and df is the number of texts that contain
the word at least once. (The index never needs it for a word that no text contains; the formula still gives a number.)

For `idf_of("fee", [["fee", "term"], ["room"], ["fee", "fee"]])` the right answer is ln(4 / 3) + 1 = 1.287682…""",
        answer="idf_of",
        starter='''\
from math import log

def idf_of(word, texts):
    """How rare the word is in the texts; `log` is the natural logarithm."""
    ...''',
        hints=(
            "Two numbers are needed: how many texts there are, and how many of them contain the word.",
            "`sum(word in text for text in texts)` is df: a text counts once, however often it contains the word.",
            "`log((1 + n) / (1 + df)) + 1`",
        ),
        solution='''\
from math import log

def idf_of(word, texts):
    """How rare the word is in the texts; `log` is the natural logarithm."""
    df = sum(word in text for text in texts)
    return log((1 + len(texts)) / (1 + df)) + 1''',
        grade=Calls(
            (
                Case(("fee", [["fee", "term"], ["room"], ["fee", "fee"]]), log(4 / 3) + 1),
                Case(("room", [["room"], ["room"]]), 1.0),
                Case(("rust", [["fee"], ["term"], ["room"], ["fee"]]), log(5) + 1),
                Case(("fee", []), 1.0),
                Case(("fee", [["coffee"], ["feet"]]), log(3) + 1),
                Case(("a", [["a", "b", "a", "a"], ["b"], ["b"], ["c"], ["c"]]), log(3) + 1),
            )
        ),
    ),
    Exercise(
        id="01.3",
        task="""\
**Exercise 01.3: from scores to hits.** `scores` maps the id of each chunk to its score, in document order. Return
the list of the best `k` ids, best first. A score below `min_score` is not a hit, and a score of 0 never is. Equal
scores stay in document order.

For `best_hits({"a#0": 0.2, "a#1": 0.5, "b#0": 0.0, "b#1": 0.5}, 3, 0.1)` the answer is `["a#1", "b#1", "a#0"]`.""",
        answer="best_hits",
        starter='''\
def best_hits(scores, k, min_score):
    """The ids of the best k chunks, best first."""
    ...''',
        hints=(
            "Drop what is not a hit, sort the rest by score, keep the first k.",
            "`sorted(..., key=scores.get, reverse=True)` sorts ids by their score, best first.",
            "`sorted` keeps equal items in order, even with `reverse=True`: ties stay in document order.",
        ),
        solution='''\
def best_hits(scores, k, min_score):
    """The ids of the best k chunks, best first."""
    good = [id for id, score in scores.items() if score > 0 and score >= min_score]
    return sorted(good, key=scores.get, reverse=True)[:k]''',
        grade=Calls(
            (
                Case(({"a#0": 0.2, "a#1": 0.5, "b#0": 0.0, "b#1": 0.5}, 3, 0.1), ["a#1", "b#1", "a#0"]),
                Case(({"a#0": 0.0, "b#0": 0.0}, 4, 0.0), []),
                Case(({"z#0": 0.3, "m#0": 0.3, "a#0": 0.3}, 2, 0.3), ["z#0", "m#0"]),
                Case(({"a#0": 0.9, "b#0": 0.29, "c#0": 0.31}, 10, 0.3), ["a#0", "c#0"]),
                Case(({"a#0": 0.4}, 0, 0.0), []),
                Case(({}, 4, 0.2), []),
            )
        ),
    ),
)
