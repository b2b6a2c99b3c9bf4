"""The exercises of lesson 17: what a customer's page gets, when a person takes over, a help center of one's own."""

import re
from typing import Any

from raglab.course.differences import show
from raglab.course.exercises import Calls, Case, Exercise, attempt
from raglab.models.connect import connect
from raglab.pipeline import ask
from raglab.records import Answer, Document, Hit, Problem, Reply, Source
from raglab.retrieval.chunks import chunk_by_heading
from raglab.retrieval.tfidf import TfidfIndex
from raglab.styles import HELPDESK

_FEES = Hit.of("fees.md#0", "The fee is ten dollars.", score=0.81)
_DATES = Hit.of("dates.md#0", "Terms begin in May and in October.", heading="Terms", score=0.44)
_ROOMS = Hit.of("rooms.md#0", "We meet in room 4.", score=0.25)


def _source(n: int, hit: Hit, cited: bool) -> Source:
    return Source(n, hit.chunk.id, hit.chunk.source, hit.chunk.heading, hit.score, cited)


def _answer(text: str, status: str, sources: tuple[Source, ...], hits: tuple[Hit, ...], **more: Any) -> Answer:
    return Answer(text, status, "What is the fee?", "What is the fee?", sources=sources, hits=hits, **more)


_PAGES = Calls(
    (
        Case(
            (
                _answer(
                    "Ten dollars [1].",
                    "answered",
                    (_source(1, _FEES, True), _source(2, _DATES, False)),
                    (_FEES, _DATES),
                    reply=Reply("Ten dollars [1]."),
                ),
            ),
            {
                "text": "Ten dollars [1].",
                "sources": [{"n": 1, "label": "fees.md", "passage": "The fee is ten dollars."}],
            },
        ),
        Case(
            (
                _answer(
                    "In May [2]. In room 4 [3].",
                    "partial",
                    (_source(1, _FEES, False), _source(2, _DATES, True), _source(3, _ROOMS, True)),
                    (_FEES, _DATES, _ROOMS),
                    reply=Reply("In May [2]. In room 4 [3]."),
                ),
            ),
            {
                "text": "In May [2]. In room 4 [3].",
                "sources": [
                    {"n": 2, "label": "dates.md > Terms", "passage": "Terms begin in May and in October."},
                    {"n": 3, "label": "rooms.md", "passage": "We meet in room 4."},
                ],
            },
        ),
        Case(
            (
                _answer(
                    "Please ask at the desk.",
                    "needs_review",
                    (),
                    (_FEES,),
                    reply=Reply("Twelve dollars [1]."),
                    problems=(Problem("number-not-in-source", "Twelve dollars [1].", "12 is not in passage 1"),),
                ),
            ),
            {"text": "Please ask at the desk.", "sources": []},
        ),
        Case(
            (
                _answer(
                    "Please ask at the desk.",
                    "not_found",
                    (),
                    (_FEES,),
                    refused_by="model",
                    reply=Reply("NOT_IN_CONTEXT"),
                ),
            ),
            {"text": "Please ask at the desk.", "sources": []},
        ),
        Case(
            (_answer("Please ask at the desk.", "not_found", (), (), refused_by="gate"),),
            {"text": "Please ask at the desk.", "sources": []},
        ),
    )
)


def _grade_help_center(build: Any) -> list[str]:
    """Ten articles, a question for each that finds it, and three questions that get the refusal."""
    if not callable(build):
        return Calls(())(build)
    made, raised = attempt(build)
    if raised:
        return [f"your function raised {raised}"]
    wrong = _wrong_shape(made)
    if wrong:
        return wrong
    articles, questions, uncovered = made
    chunks = [chunk for name, text in articles.items() for chunk in chunk_by_heading(Document(name, text))]
    index, model = TfidfIndex.build(chunks), connect("mock-reader")
    answers = {question: ask(question, index, model, style=HELPDESK) for question in [*questions.values(), *uncovered]}
    for name, question in questions.items():
        if _cited(answers[question]) != {name}:
            return [f"one question is not answered from its own article, {name}", *_happened(answers[question])]
    for question in uncovered:
        if not answers[question].refused:
            return ["a question that no article should answer is answered", *_happened(answers[question])]
    if all(answers[question].refused_by == "gate" for question in uncovered):
        return [
            "the gate refuses all of the last questions; let one reach the model",
            "Let it share one word with an article, so that its best score is at least 0.2.",
        ]
    return []


def _wrong_shape(made: Any) -> list[str]:
    """What is wrong with the three things before anything is asked."""
    if not isinstance(made, tuple | list) or [type(part) for part in made] != [dict, dict, list]:
        parts = [type(part).__name__ for part in made] if isinstance(made, tuple | list) else [type(made).__name__]
        return [
            "expected two dicts and a list: `return articles, questions, uncovered`",
            f"Got:      {', '.join(parts) or 'nothing'}",
        ]
    articles, questions, uncovered = made
    texts = [*articles, *articles.values(), *questions.values(), *uncovered]
    odd = [text for text in texts if not isinstance(text, str) or not text.strip()]
    if odd:
        return ["every name, article and question is a text that is not empty", f"Got:      {show(odd[0])}"]
    if len(articles) != 10 or len(set(articles.values())) != 10:
        return [f"ten different articles are wanted, and there are {len(set(articles.values()))}"]
    bare = [name for name, text in articles.items() if not re.match(r"\s*# .*\n\s*\S", text)]
    if bare:
        return [f"{bare[0]} needs a heading, `# …`, as its first line, and a text below it"]
    other = [name for name in [*articles, *questions] if (name in articles) != (name in questions)]
    if other:
        return [f"articles and questions need the same names, and {show(other[0])} stands in one of them only"]
    if len(set(uncovered)) < 3:
        return [f"three different uncovered questions are wanted, and there are {len(set(uncovered))}"]
    return []


def _cited(answer: Answer) -> set[str]:
    return {source.source for source in answer.sources if source.cited}


def _happened(answer: Answer) -> list[str]:
    by = f", by the {answer.refused_by}" if answer.refused_by else ""
    best = f"{answer.hits[0].chunk.source}, score {answer.hits[0].score:.3f}" if answer.hits else "none above the gate"
    cited = ", ".join(sorted(_cited(answer))) or "nothing"
    return [
        f"Question: {answer.question}",
        f"Status:   {answer.status}{by}",
        f"Best hit: {best}",
        f"Cited:    {cited}",
    ]


_HELP_CENTER = '''\
def my_help_center():
    """Ten articles, a question for each of them, and questions that none of them answers."""
    articles = {
        "hours.md": "# Opening hours\\n\\nThe library is open from 9 to 17 on weekdays.",
        "card.md": "# Library card\\n\\nA library card is free for pupils.",
        "lost.md": "# Lost card\\n\\nA lost card costs 3 dollars to replace.",
        "loans.md": "# Loans\\n\\nBooks can be borrowed for 21 days.",
        "renew.md": "# Renewals\\n\\nRenew a loan twice, online or by phone.",
        "fines.md": "# Fines\\n\\nThe fine for late return is 10 cents a day.",
        "games.md": "# Games\\n\\nBoard games stay in the reading room.",
        "print.md": "# Printing\\n\\nOne printed page costs 5 cents.",
        "events.md": "# Story hour\\n\\nThe story hour for children is on Friday.",
        "garden.md": "# Garden\\n\\nThe garden behind the house is open in summer.",
    }
    questions = {
        "hours.md": "When is the library open on weekdays?",
        "card.md": "Is a library card free for pupils?",
        "lost.md": "What does it cost to replace a lost card?",
        "loans.md": "How many days can books be borrowed?",
        "renew.md": "Can I renew a loan by phone?",
        "fines.md": "What is the fine for late return?",
        "games.md": "Do board games stay in the reading room?",
        "print.md": "How many cents for a printed page?",
        "events.md": "When is the story hour for children?",
        "garden.md": "Is the garden open in summer?",
    }
    uncovered = [
        "Who is the mayor?",
        "Do you sell coffee?",
        "Who waters the garden?",
    ]
    return articles, questions, uncovered'''


EXERCISES = (
    Exercise(
        id="17.1",
        task="""\
**Exercise 17.1: what the customer's page gets.** A web page in front of the desk shows what you send it.
Return a dict with two keys: `"text"`, the text that may be shown, and `"sources"`, a list with one dict for each
*cited* source, in order: its number `"n"`, its `"label"`, and the text of its `"passage"`. Nothing else may leave the
desk: no passage that is not cited, no score, and no reply that was held back.

`answer.sources` are the sources, and passage number 1 is `answer.hits[0]`. For an answer with the text
`Ten dollars [1].` that cites the first of two passages, the right result is
`{"text": "Ten dollars [1].", "sources": [{"n": 1, "label": "fees.md", "passage": "The fee is ten dollars."}]}`.""",
        answer="for_customer",
        starter='''\
def for_customer(answer):
    """The text, and number, label and passage of each cited source."""
    ...''',
        hints=(
            "`answer.text` is what may be shown, whatever the status. `answer.reply` is not for customers.",
            "`[source for source in answer.sources if source.cited]` are the sources to send.",
            "The passage of a source is `answer.hits[source.n - 1].chunk.text`, and its label is `source.label`.",
        ),
        solution='''\
def for_customer(answer):
    """The text, and number, label and passage of each cited source."""
    sources = [
        {
            "n": source.n,
            "label": source.label,
            "passage": answer.hits[source.n - 1].chunk.text,
        }
        for source in answer.sources
        if source.cited
    ]
    return {"text": answer.text, "sources": sources}''',
        grade=_PAGES,
    ),
    Exercise(
        id="17.2",
        task="""\
**Exercise 17.2: when a person takes over.** `statuses` are the statuses of one customer's answers so far, oldest first.
Return `True` if neither of the last two gave an answer, that is, if each is `not_found` or `needs_review`, and `False`
otherwise.

For `["answered", "not_found", "needs_review"]` the right answer is `True`.""",
        answer="hand_over",
        starter='''\
def hand_over(statuses):
    """Whether the last two statuses were both without an answer."""
    ...''',
        hints=(
            "`statuses[-2:]` are the last two. At the beginning there may be fewer than two.",
            '`status in ("not_found", "needs_review")` says whether one of them was without an answer.',
            "`all(… for status in last)` asks it of both; `len(last) == 2` must hold as well.",
        ),
        solution='''\
def hand_over(statuses):
    """Whether the last two statuses were both without an answer."""
    last = statuses[-2:]
    return len(last) == 2 and all(status in ("not_found", "needs_review") for status in last)''',
        grade=Calls(
            (
                Case((["answered", "not_found", "needs_review"],), True),
                Case((["not_found", "not_found"],), True),
                Case((["not_found", "answered", "needs_review", "not_found"],), True),
                Case((["needs_review", "needs_review", "answered"],), False),
                Case((["not_found", "partial", "not_found"],), False),
                Case((["not_found", "partial"],), False),
                Case((["not_found"],), False),
                Case(([],), False),
            )
        ),
    ),
    Exercise(
        id="17.3",
        task="""\
**Exercise 17.3: ten help articles of your own.** Write a small help center about anything you like. Return three
things:

- `articles`, a dict of ten articles, from name to Markdown text. Each begins with a heading:
  `{"hours.md": "# Opening hours\\n\\nThe library is open from 9 to 17 on weekdays.", …}`
- `questions`, a dict with the same ten names: for each article a question whose answer comes from it, and that cites
  nothing else: `{"hours.md": "When is the library open on weekdays?", …}`
- `uncovered`, a list of at least three questions that no article answers. All must be refused, and at least one of them
  by the model rather than the gate.

There is no single right answer. The check builds an index of your articles and asks all your questions, with the style
HELPDESK and the persona `reader`.""",
        answer="my_help_center",
        starter='''\
def my_help_center():
    """Ten articles, a question for each of them, and questions that none of them answers."""
    ...''',
        hints=(
            "Begin with the articles. One or two sentences each are enough, in the words that a customer would use.",
            "To answer, the mock needs a sentence that shares two words with the question. Use your article's words.",
            "For the model to refuse, a question must share one word with an article and pass the gate of 0.2: "
            'with an article about a garden, "Who waters the garden?" does.',
        ),
        solution=_HELP_CENTER,
        grade=_grade_help_center,
    ),
)
