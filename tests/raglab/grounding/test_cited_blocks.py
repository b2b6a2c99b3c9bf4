"""Rendering cited blocks: where a marker may stand, whatever the pieces."""

import re
import types

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from raglab import Quote, render_blocks
from raglab.grounding.cited_blocks import BlockRenderer


def block(text, *documents):
    citations = [{"document_index": n - 1, "cited_text": f" quote {n} "} for n in documents]
    return {"type": "text", "text": text, "citations": citations or None}


def rendered(*blocks):
    return render_blocks(blocks)[0]


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ([block("Ten dollars.", 1)], "Ten dollars. [1]"),
        ([block("Ten. ", 1), block("Two.", 2)], "Ten. [1] Two. [2]"),
        ([block("a thread ", 1), block("Like this")], "a thread [1] Like this"),
        ([block("a thread", 1), block("Like this")], "a thread [1] Like this"),
        ([block("a thread", 1), block(".")], "a thread [1]."),
        ([block("a thread", 1), block("(see it)")], "a thread [1] (see it)"),
        ([block("Both.", 2, 1, 2)], "Both. [2][1]"),
        ([block("One.\n\n", 1), block("Two.")], "One. [1]\n\nTwo."),
        ([block("", 1)], "[1]"),
        ([], ""),
        # inline code
        ([block("Use `git ", 1), block("switch` now.")], "Use `git switch` [1] now."),
        ([block("Use `git switch`", 1), block(" now.")], "Use `git switch` [1] now."),
        ([block("Use ``a ` b", 1), block("`` now.")], "Use ``a ` b`` [1] now."),
        ([block("A ` alone", 1), block(" here.\n\nNext.")], "A ` alone here. [1]\n\nNext."),
        ([block("An \\` escaped.", 1), block(" More.")], "An \\` escaped. [1] More."),
        # fences
        ([block("Run:\n```\nls", 1), block("\n```\nDone.")], "Run:\n```\nls\n```\n[1]\n\nDone."),
        ([block("Run:\n```sh\nls\n```", 1), block("\n\nDone.")], "Run:\n```sh\nls\n```\n[1]\n\nDone."),
        ([block("Run:\n```sh\nls\n```", 1)], "Run:\n```sh\nls\n```\n[1]"),
        ([block("~~~~\nls\n~~~", 1), block("\n~~~~\n")], "~~~~\nls\n~~~\n~~~~\n[1]\n"),
        ([block("````\n```\nls", 1), block("\n```\n````\nEnd")], "````\n```\nls\n```\n````\n[1]\n\nEnd"),
        ([block("```\nnever closed", 1)], "```\nnever closed\n[1]"),
        ([block("```py", 1), block("thon\nx\n```\n")], "```python\nx\n```\n[1]\n"),
        ([block("```a``` inline", 1), block(" on.")], "```a``` inline [1] on."),
        ([block("An open ` tick.\n```\nx", 1), block("\n```\nEnd")], "An open ` tick.\n```\nx\n```\n[1]\n\nEnd"),
        ([block("Text.", 1), block("\n```\nx\n```\n")], "Text. [1]\n```\nx\n```\n"),
        # tables, links
        ([block("| a | b |\n", 1), block("|---|---|\n")], "| a | b [1] |\n|---|---|\n"),
        ([block("| a | b |\n|---|---|\n| 1 | 2 |", 3)], "| a | b |\n|---|---|\n| 1 | 2 [3] |"),
        (
            [block("see [the gui", 1), block("de](http://a.example/x) now")],
            "see [the guide](http://a.example/x) [1] now",
        ),
        (
            [block("see [the guide]", 1), block("(http://a.example/x_(y)) now")],
            "see [the guide](http://a.example/x_(y)) [1] now",
        ),
        ([block("at http://a.exam", 1), block("ple/x now")], "at http://a.example/x [1] now"),
        ([block("see [never closed", 1), block(" here.\n\nNext.")], "see [never closed here. [1]\n\nNext."),
        ([block("[the guide]", 1), block("[ref] now")], "[the guide][ref] [1] now"),
        # a fence that ends with its block
        ([block("```sh\nls\n```\n", 1), block("Next")], "```sh\nls\n```\n[1]\n\nNext"),
        ([block("```\nls\n```\n\n", 1), block("Next")], "```\nls\n```\n[1]\n\nNext"),
        ([block("```\nls\n```\n", 1), block("```\nls\n```\n", 2)], "```\nls\n```\n[1]\n\n```\nls\n```\n[2]"),
        ([block("```\r\nls\r\n", 1), block("```\r\nNext")], "```\r\nls\r\n```\r\n[1]\n\nNext"),
        ([block("- a\n  ```\n  ls\n  ```\n", 1), block("- b")], "- a\n  ```\n  ls\n  ```\n  [1]\n\n- b"),
        ([block("> ```\n> ls\n> ```\n", 1), block("b")], "> ```\n> ls\n> ```\n> [1]\n\nb"),
        ([block("- ```\n  ls\n", 1), block("  ```\n- b")], "- ```\n  ls\n  ```\n  [1]\n\n- b"),
        ([block("1. ~~~\n   ls", 1), block("\n   ~~~\n2. b")], "1. ~~~\n   ls\n   ~~~\n   [1]\n\n2. b"),
        # never inside a word, unless the service itself cut there
        ([block("", 1), block("Two words")], "Two [1] words"),
        ([block("`a", 1), block("`b c")], "`a`b [1] c"),
        ([block("wo", 1), block("rd")], "wo [1] rd"),
        ([block("値", 1), block("。次")], "値 [1]。次"),
        ([block("\n", 1), block("1. one\n")], "\n1. one [1]\n"),
        ([block("1.", 1), block(" one\n2", 2), block(". two\n")], "1. one [1]\n2. two [2]\n"),
        ([block("1.", 1), block(" ~~~\n   ls\n   ~~~\n")], "1. ~~~\n   ls\n   ~~~\n   [1]\n"),
        ([block("| 1", 1), block(" | 2 |")], "| 1 [1] | 2 |"),
        ([block("a !", 1), block("[plan](x.png) b")], "a ![plan](x.png) [1] b"),
        ([block("a *", 1), block("soft* word")], "a *soft* [1] word"),
        ([block("Run `ls", 1), block("`5.5 times.")], "Run `ls`5.5 [1] times."),
        # rules and headings
        ([block("---\n\n", 1), block("Next")], "---\n[1]\n\nNext"),
        ([block("---\n", 1), block("Next")], "---\n[1]\n\nNext"),
        ([block("Fees\n====\n", 1), block("\nNext")], "Fees\n====\n[1]\n\nNext"),
        ([block("Fees\n", 1), block("====\nNext")], "Fees [1]\n====\nNext"),
        ([block("> ***\n", 1)], "> ***\n[1]"),
        ([block("* * *", 1)], "* * *\n[1]"),
        ([block("**bold", 1), block("** text")], "**bold [1]** text"),
        ([block("**", 1), block("bold** text")], "**bold** [1] text"),
        # the rule of a table
        ([block("| a |\n|---|\n", 1), block("| 1 |\n")], "| a |\n|---|\n| 1 [1] |\n"),
        ([block("| a |\n|---|", 1), block("\n| 1 |\n")], "| a |\n|---|\n| 1 [1] |\n"),
    ],
)
def test_where_a_marker_stands(blocks, expected):
    assert rendered(*blocks) == expected


def test_quotes_come_in_order_and_stripped():
    assert render_blocks([block("A.", 2), block("B.", 1)])[1] == [Quote(2, "quote 2"), Quote(1, "quote 1")]


def test_blocks_may_be_objects_and_others_are_passed_over():
    citation = types.SimpleNamespace(document_index=0, cited_text="Ten.")
    text = types.SimpleNamespace(type="text", text="Ten.", citations=[citation])
    blocks = [types.SimpleNamespace(type="tool_use"), text, {"type": "thinking"}]
    assert render_blocks(blocks) == ("Ten. [1]", [Quote(1, "Ten.")])


def test_a_search_result_is_cited_by_its_own_number():
    result = {"type": "search_result_location", "search_result_index": 2, "cited_text": " Ten. ", "source": "a.md"}
    found = types.SimpleNamespace(search_result_index=0, cited_text="Two.", title=None)
    blocks = [{"type": "text", "text": "Ten. ", "citations": [result, result]}, {**block("Two."), "citations": [found]}]
    assert render_blocks(blocks) == ("Ten. [3] Two. [1]", [Quote(3, "Ten."), Quote(3, "Ten."), Quote(1, "Two.")])


def test_citations_without_a_document_number_are_passed_over():
    bad = {"type": "text", "text": "Ten.", "citations": [{"cited_text": "x"}, {"document_index": None}]}
    assert render_blocks([bad, {"type": "text", "text": None, "citations": None}]) == ("Ten.", [])


PIECES = [
    *(
        "word ",
        "Two words.",
        "`",
        "``",
        "```",
        "```\n",
        "\n```\n",
        "~~~\n",
        "\n",
        "\n\n",
        " ",
        "[a](b)",
        "[",
        "](",
        ")",
    ),
    *("| a |", "|---|", "- item\n", "\\", "http://a.example", "é😀", "    x\n", "# H\n", "*b*"),
]
BLOCKS = st.lists(
    st.builds(block, st.lists(st.sampled_from(PIECES), max_size=5).map("".join))
    | st.builds(block, st.lists(st.sampled_from(PIECES), max_size=5).map("".join), st.integers(1, 3)),
    max_size=6,
)


@given(BLOCKS)
def test_only_markers_and_white_space_are_added(blocks):
    text = "".join(b["text"] for b in blocks)
    assert "".join(re.sub(r"\[[123]\]", "", rendered(*blocks)).split()) == "".join(text.split())


@given(BLOCKS)
def test_every_cited_document_is_marked(blocks):
    cited = {c["document_index"] + 1 for b in blocks for c in b["citations"] or ()}
    assert {int(n) for n in re.findall(r"\[([123])\]", rendered(*blocks))} == cited


@given(BLOCKS)
def test_code_is_the_same_as_without_markers(blocks):
    """An independent Markdown parser sees the same fences, apart from one that is never closed."""
    text = "".join(b["text"] for b in blocks)
    before = [token.content for token in MarkdownIt().parse(text) if token.type == "fence"]
    after = [token.content for token in MarkdownIt().parse(rendered(*blocks)) if token.type == "fence"]
    assert len(before) == len(after)
    closed = len(MarkdownIt().parse(text + "\n\nend")) > len(MarkdownIt().parse(text))
    assert before[: None if closed else -1] == after[: None if closed else -1]


@settings(max_examples=200)
@given(BLOCKS, st.randoms(use_true_random=False))
def test_the_text_is_the_same_however_it_is_cut(blocks, random):
    renderer, pieces = BlockRenderer(), []
    for b in blocks:
        text = b["text"]
        cuts = sorted(random.choices(range(len(text) + 1), k=3))
        for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
            pieces.append(renderer.feed(text[start:end]))
        renderer.end_block([c["document_index"] + 1 for c in b["citations"] or ()])
    assert "".join([*pieces, renderer.close()]) == rendered(*blocks)


def test_what_was_let_out_is_never_taken_back_and_the_renderer_keeps_little():
    renderer = BlockRenderer()
    for _ in range(20_000):
        renderer.feed("a ")
    assert len(renderer._gap) + len(renderer._line) + len(renderer._out) < 10


MARKDOWN = [
    *("Some words here, and more.", "- item one\n- item `two`\n  - nested", "1. first\n2. second", "* a\n\n* b"),
    *("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", "# Head", "Head\n====", "Sub\n---\n\ntext", "---", "* * *"),
    *("```py\nx = [1]\n```", "~~~\ny\n~~~", "- ```\n  ls\n  ```\n- next", "1. ~~~\n   ls\n   ~~~", "> quote\n> more"),
    *("> ```\n> ls\n> ```", "Text:\n```\nls\n```\nmore", "A **bold** and *soft* word.", "Run `a b` and ``c ` d``."),
    *("A [link](http://a.b/c) and ![im](x.png).", "See http://a.b/c now."),
]


def structure(text):
    """What an independent Markdown parser sees, but for paragraphs: a marker may need one of its own."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    inner = [
        child for token in tokens for child in token.children or () if child.type.startswith(("code", "link", "im"))
    ]
    emphasis = [child.type for token in tokens for child in token.children or () if child.type.startswith(("em", "st"))]
    blocks = [(t.type, t.content) for t in tokens if not t.type.startswith(("paragraph", "inline"))]
    return blocks, [(child.type, child.content, child.attrs) for child in inner], emphasis


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(MARKDOWN), min_size=1, max_size=4).map("\n\n".join), st.data())
def test_wherever_the_service_cuts_markdown_stays_what_it_was(text, data):
    cuts = sorted(data.draw(st.sets(st.integers(1, len(text)), max_size=3)))
    numbers = st.lists(st.integers(1, 3), max_size=2)
    cut = [block(text[a:b], *data.draw(numbers)) for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert structure(rendered(*cut)) == structure(text)
