"""The values: frozen, and readable in a terminal and in a notebook."""

import dataclasses
import html
import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

import raglab
from raglab import (
    DOCUMENTS,
    NUMBERED,
    Answer,
    Chunk,
    Citation,
    Hit,
    Problem,
    Prompt,
    Quote,
    Reply,
    Source,
    Usage,
    build_prompt,
)
from raglab.render import answer_html
from raglab.text.words import shorten

HIT = Hit.of("fees.md#1", "The fee is ten dollars.", heading="Fees", score=0.51234)


def test_every_value_is_frozen():
    for name in (
        "Answer",
        "Chunk",
        "Citation",
        "Document",
        "Hit",
        "Problem",
        "Prompt",
        "Quote",
        "Reply",
        "Source",
        "Style",
        "Usage",
    ):
        assert getattr(raglab, name).__dataclass_params__.frozen, name
    with pytest.raises(dataclasses.FrozenInstanceError):
        HIT.score = 1.0


@pytest.mark.parametrize(("id", "source"), [("fees.md#0", "fees.md"), ("a#b.md#3", "a#b.md"), ("plain", "plain")])
def test_a_quick_hit_takes_its_source_from_its_id(id, source):
    assert Hit.of(id, "Text.").chunk.source == source


def test_a_label_names_file_and_heading_where_there_is_one():
    assert (HIT.chunk.label, HIT.chunk.anchor) == ("fees.md > Fees", "fees.md#Fees")
    assert (Hit.of("fees.md#0", "x").chunk.label, Hit.of("fees.md#0", "x").chunk.anchor) == ("fees.md", "fees.md")
    assert Source(1, "fees.md#1", "fees.md", "Fees", 0.5, True).label == "fees.md > Fees"


def test_costs_are_per_million_tokens():
    assert Usage(1_000_000, 200_000).cost(3, 15) == 6
    assert Usage(3, 4).total_tokens == 7
    assert Usage(1, 2) + Usage(3, 4) == Usage(4, 6)


def test_a_prompt_lists_its_messages():
    prompt = Prompt("Rules.", "Why?", NUMBERED, (("assistant", "So."), ("user", "Again.")))
    assert [(m["role"], m["content"]) for m in prompt.messages()] == [
        ("system", "Rules."),
        ("user", "Why?"),
        ("assistant", "So."),
        ("user", "Again."),
    ]
    assert prompt.text == "Rules.\n\nWhy?\n\nSo.\n\nAgain."
    assert Prompt(None, "Why?", NUMBERED).text == "Why?"


def test_reprs_are_short_and_say_what_matters():
    prompt = build_prompt("What is the fee?", [HIT])
    assert repr(HIT) == "Hit('fees.md#1', heading='Fees', score=0.512, text='The fee is ten dollars.')"
    assert repr(Hit.of("a.md#0", "Ten.")) == "Hit('a.md#0', score=1.000, text='Ten.')"
    assert prompt.sha256[:12] in repr(prompt) and "numbered" in repr(prompt)
    source = Source(1, "fees.md#1", "fees.md", "Fees", 0.5, True)
    answer = Answer("Ten [1].", "answered", "?", "?", sources=(source,), prompt=prompt)
    assert repr(source) == "<Source 1: fees.md > Fees, id 'fees.md#1', score 0.500, cited>"
    quoted = dataclasses.replace(source, quotes=(Quote(1, "The fee"), Quote(1, "ten dollars")))
    assert repr(quoted) == f"{repr(source)[:-1]}, quotes ['The fee', 'ten dollars']>"
    assert repr(Problem("unknown-source", "x", "It cites 7.")) == "<Problem unknown-source: It cites 7.>"
    assert repr(Citation("[1, 7]", 3, 9, (1,), ("7",))) == "<Citation [1, 7] at 3..9: 1, bad 7>"
    assert repr(answer) == "<Answer answered: 'Ten [1].' from fees.md > Fees>"


EVIL = "<script>x</script> ![p](https://example.org/leak) ``` a|b"


def test_a_notebook_shows_the_answer_with_its_sources_and_nothing_that_runs_or_loads():
    source = Source(1, "a.md#1", EVIL, "", 0.51234, True)
    answer = Answer(
        EVIL,
        "answered",
        EVIL,
        EVIL,
        sources=(source,),
        problems=(Problem("c", EVIL, EVIL),),
        reply=Reply(EVIL),
        usage=Usage(9, 4),
    )
    shown = answer._repr_markdown_()
    assert "<script" not in shown and "![p]" not in shown
    assert "9 tokens in, 4 out" in shown and "0.512 | yes" in shown
    assert shown.index("&lt;script") < shown.index("<details>")


class Page(HTMLParser):
    """What a reader of the rendered page gets: its text, and its tags with what they lead to."""

    def __init__(self, markdown):
        super().__init__()
        self.text, self.tags = "", []
        self.feed(MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown))

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs).get("href") or dict(attrs).get("src")))

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize(
    "said",
    [
        "let x: Vec<u8> costs `Vec<u8>` and ``a`b<i>`` [1].",
        "It costs `*a*`, `[x](https://e.example)` and `<b>&amp;</b>` [1].",
        "Pay [here](https://evil.example/?q=secret) [1].",
        "Pay [here][1] [1].\n\n[1]: https://evil.example/?q=secret",
        "Pay [here] [1].\n\n[here]: https://evil.example 'now'",
        "![p](https://evil.example/leak) <img src=x onerror=y> <https://evil.example> [1]",
        "Use `a <script> [1].",
        "Use ```foo\nbar``` now [1].",
        "```foo`bar\nbaz``` now [1].",
        "Call `__init__` and `_x_` of `a_b_c` [1].",
    ],
)
def test_a_notebook_shows_code_as_it_is_and_every_address_in_words(said):
    page = Page(Answer(said, "answered", "?", "?")._repr_markdown_())
    shown = page.text.partition("answered")[0]
    assert shown.replace("`", "").split() == said.replace("`", "").split()
    assert [target for _, target in page.tags if target] == []
    assert {tag for tag, _ in page.tags} <= {"div", "p", "em", "code", "details", "summary", "pre"}


@pytest.mark.parametrize("fence", ["```", "~~~", "```rust", "````"])
@pytest.mark.parametrize("closed", [True, False])
def test_a_notebook_shows_a_block_of_code_as_it_is(fence, closed):
    code = "let x: Vec<u8> = [1](2);\n\n# *not* a heading & ![no](picture)"
    end = f"\n{fence.rstrip('rust')}\n\nThat is all [1]." if closed else ""
    page = Page(Answer(f"Use this:\n\n{fence}\n{code}{end}", "answered", "?", "?")._repr_markdown_())
    assert code in page.text and "&lt;" not in page.text
    assert ("That is all [1]." in page.text) == closed
    assert {tag for tag, _ in page.tags} <= {"div", "p", "em", "details", "summary", "pre"}


@pytest.mark.parametrize(
    ("said", "code", "tag"),
    [
        ("1. ```sh\n   pip install x\n   ```\n2. Done [1].", "   pip install x", "ol"),
        ("- ```\n  a\n  ```\n", "  a", "ul"),
        ("> ```\n> a\n>  b\n> ```\n\nDone [1].", "a\n b", "pre"),
        ("Text\n```\na\n\n```", "a", "pre"),
        ("````\n```\nnever closed\n```", "```\nnever closed\n```", "pre"),
    ],
)
def test_a_block_of_code_keeps_its_lines_in_lists_and_quotes(said, code, tag):
    page = Page(Answer(said, "answered", "?", "?")._repr_markdown_())
    assert f"{code}\n" in f"{page.text}\n" and (tag, None) in page.tags and ("code", None) not in page.tags


@pytest.mark.parametrize("end", ["\r", "\r\r", "\r\n\r\n", "\n\n"])
def test_no_line_end_leaves_a_block(end):
    answer = Answer("Ten [1].", "answered", "?", "?", reply=Reply(f"a{end}[click](https://evil.example){end}# big"))
    page = Page(answer._repr_markdown_())
    assert [target for _, target in page.tags if target] == [] and ("h1", None) not in page.tags


def test_two_prices_are_no_formula():
    answer = Answer("It costs $5 a month and $50 a year [1].", "answered", "?", "?")
    for shown in (answer._repr_markdown_(), answer_html(answer)):
        assert shown.startswith('<div class="mathjax_ignore">\n\n') and shown.endswith("\n\n</div>")
        assert "$5 a month and $50 a year" in shown


def blocks(markdown):
    """What a reader sees in each block of text, which must be one line of Markdown."""
    lines = [line for line in markdown.splitlines() if line.startswith("<pre")]
    return [html.unescape(re.fullmatch(r"<pre [^>]*>([^<>]*)</pre>", line).group(1)) for line in lines]


def test_a_notebook_shows_the_whole_prompt_and_nothing_in_it_runs_or_loads():
    prompt = build_prompt(f"{EVIL}\n\n# no heading", [Hit.of("a.md#0", EVIL)])
    shown = prompt._repr_markdown_()
    assert blocks(shown) == [message["content"] for message in prompt.messages()]
    assert "<script" not in shown and "![" not in shown


def test_a_prompt_of_documents_shows_each_by_its_title():
    shown = build_prompt("What is the fee?", [HIT], DOCUMENTS)._repr_markdown_()
    assert "document 1, fees.md\n\n<pre" in shown
    document, question = blocks(shown)[-2:]
    assert document.endswith("\n\nThe fee is ten dollars.") and question == "What is the fee?"


@pytest.mark.parametrize("text", ["a" * 100, "a" * 30 + " b", "one two three four five six", "one  two\nthree " * 9])
@pytest.mark.parametrize("width", [2, 9, 20])
def test_a_shortened_text_is_no_longer_than_asked(text, width):
    assert len(shorten(text, width)) <= width and shorten(text, width).endswith("…")


def test_a_chunk_shows_where_it_stands():
    assert "characters 3 to 9 of a.md" in Chunk("a.md#0", "a.md", "H", "Words.", 3, 9)._repr_markdown_()


def test_an_answer_counts_as_refused_only_when_somebody_refused():
    assert Answer("x", "not_found", "?", "?", refused_by="gate").refused
    assert not Answer("x", "needs_review", "?", "?").refused
