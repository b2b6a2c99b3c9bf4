"""The values: frozen, and readable in a terminal and in a notebook."""

import dataclasses
import html
import re

import pytest

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
from raglab.render import shorten

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
