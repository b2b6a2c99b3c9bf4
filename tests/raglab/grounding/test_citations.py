"""Citations: every form a model writes, and what looks like one and is not."""

import re
import sys
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raglab.errors import SettingError
from raglab.grounding.citations import (
    cited_numbers,
    cited_passages,
    invalid_citations,
    label_citations,
    parse_citations,
    without_citations,
)
from raglab.records import Hit, Source
from raglab.text.markdown import code_spans

FOUR = [Hit.of(f"{name}.md#0", f"Text of {name}.") for name in "abcd"]
TWELVE = [Hit.of(f"{'ab'[n % 2]}.md#{n}", f"Text {n}.") for n in range(12)]
NAMED = [
    Hit.of(id, "Text.")
    for id in (
        "fees.md#0",
        "visits.md#2",
        "fees.v2.md#0",
        "my notes/über uns.md#1",
        "notes [old], x.md#0",
        "setup#10",
        "setup#1",
    )
]


def refs(text: str, hits: list[Hit] = FOUR, style: str = "numbered") -> list[int | str]:
    return [ref for citation in parse_citations(text, hits, style) for ref in citation.refs]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fee is 10 [1].", [1]),
        ("Fee is 10 [ 1 ].", [1]),
        ("Fee is 10 [1, 2].", [1, 2]),
        ("Fee is 10 [1,2].", [1, 2]),
        ("Fee is 10 [1，2].", [1, 2]),
        ("Fee is 10 [1; 2].", [1, 2]),
        ("Fee is 10 [1、2].", [1, 2]),
        ("Fee is 10 [1][2].", [1, 2]),
        ("Fee is 10 [1, 2,].", [1, 2]),
        ("Fee is 10 [1 and 2].", [1, 2]),
        ("Fee is 10 [1, 2, and 3].", [1, 2, 3]),
        ("Fee is 10 [1 & 2].", [1, 2]),
        ("Fee is 10 [1 2].", [1, 2]),
        ("Fee is 10 [1,\n2].", [1, 2]),
        ("All agree [1-3].", [1, 2, 3]),
        ("All agree [1–3].", [1, 2, 3]),
        ("All agree [1 — 3].", [1, 2, 3]),
        ("All agree [1 to 3].", [1, 2, 3]),
        ("All agree [1]-[3].", [1, 2, 3]),
        ("All agree [1]–[3].", [1, 2, 3]),
        ("All agree [1-2, 4].", [1, 2, 4]),
        ("All agree [1~3].", [1, 2, 3]),
        ("All agree [1 .. 3].", [1, 2, 3]),
        ("All agree [1...3].", [1, 2, 3]),
        ("All agree [1]- or [3].", [1, 3]),
        ("All agree [1, 2]-[4].", [1, 2, 4]),
        ("All agree [1] - [4].", [1, 4]),
        ("All agree [1]/[4].", [1, 4]),
        ("All agree [2-2].", [2]),
        ("Again [2, 2, 1-3].", [2, 1, 3]),
        ("Fee is 10 [[2]].", [2]),
        ("Fee is 10 [[2, 3]].", [2, 3]),
        ("Fee is 10 [[1], [2]].", [1, 2]),
        ("Fee is 10 【2】.", [2]),
        ("Fee is 10 ［２］.", [2]),
        ("Fee is 10 [２，３].", [2, 3]),
        ("Fee is 10 [٢].", [2]),
        ("Fee is 10 [¹].", [1]),
        ("Fee is 10 [source 1].", [1]),
        ("Fee is 10 [Sources: 1, 2].", [1, 2]),
        ("Fee is 10 [Passage 2; Passage 3].", [2, 3]),
        ("Fee is 10 [see 2].", [2]),
        ("Fee is 10 [#2].", [2]),
        ("Fee is 10 **[1]**.", [1]),
        ("Great![1]", [1]),
        ("Fee is 10 [1] (per term).", [1]),
        ("Fee is 10 [1](per term, at most).", [1]),
        ("[1]: The fee is 10.", [1]),
        ("Fee is 10 [see below][1].", [1]),
        ("    indented [1]", [1]),
        ("All agree [1--3].", [1, 2, 3]),
        ("All agree [1 through 3].", [1, 2, 3]),
        ("All agree [1 thru 3, and 4].", [1, 2, 3, 4]),
        ("All agree [1 or 2].", [1, 2]),
        ("All agree [1, or 2].", [1, 2]),
        ("Beide [1 und 2].", [1, 2]),
        ("Les deux [1 et 2].", [1, 2]),
        ("Los dos [1 y 2].", [1, 2]),
        ("Fee is 10 【1†source】.", [1]),
        ("Fee is 10 【1†L3-L9, 2†source】.", [1, 2]),
        ("Fee is 10 [No. 1].", [1]),
        ("Fee is 10 [number 2, nos. 3].", [2, 3]),
        ("Fee is 10 [source_2].", [2]),
        ("Fee is 10 [Source ID: 2].", [2]),
        ("Fee is 10 [Context #2].", [2]),
        ("Fee is 10 [excerpt 1, chunk 2, entry 3].", [1, 2, 3]),
        ("Fee is 10 [1\u200b].", [1]),
        ("Fee is 10 [\ufeff1,\u00ad2].", [1, 2]),
        ("Fee is 10 [**1**].", [1]),
        ("Fee is 10 [`1`].", [1]),
        ('Fee is 10 ["1"].', [1]),
    ],
)
def test_numbers(text: str, expected: list[int]) -> None:
    assert refs(text) == expected
    assert refs(text, style="numbered") == expected
    assert invalid_citations(text, FOUR) == []


@pytest.mark.parametrize(
    "text",
    [
        "", "No marker.", "Fee is 10 (1).", "Fee is 10 [^1].", "see [1](https://example.org)",
        "see [1](<a b> \"title\")",
        "see [1](a(b)c)", "see [[1]](https://example.org)", "see [[1](u)]", "![1](plan.png)", r"\[1\]", r"\[1]",
        "- [x] done\n- [ ] open", "He said [sic] so.", "He [...] left.", "[see below]", "[C#]",
        "[issue #12]", "[1st]", "[1.5]",
        "[½]", "[]", "[ ]", "[,]", "[1", "1]", "[1】", "[one]", "[1, see below]", "[2024-05-01]",
        "[1-800-555-0199]", "[1-2-x]", "[1-02-3]", "[1st to 3rd]", "[context]", "[5 dollars]", "[@ann]", "[Node.js]",
        "[https://example.org/a.md]", "[1-]", "[1 to]", "[.md]", "[.md#part]", "[two words.md#]", "[zzz#]",
        "see [1](https://a.example/[2])", "[^a.md#9]", "[1]: ./a.md", "[1]: ../a.md", "[1]: /a", "[1]: #a",
        "[1]: www.a.b", "[the site][1]\n\n[1]: https://example.org", "[1]: <https://example.org>",
        "`a[2] = b`", "``a`[2]``", "`[1]", "```\nrows[1]\n```", "~~~\nrows[1]\n~~~", "````\n```\n[1]\n```\n````",
        "```\nnever closed [1]", "- item\n  ```py\n  [1]\n  ```", "> ```\n> [1]\n> ```", "```py title=\"[1]\"\n```",
    ],
)  # fmt: skip
def test_no_citations(text: str) -> None:
    if text == "`[1]":  # a backtick without its partner opens no code
        assert refs(text) == [1]
    else:
        assert parse_citations(text, FOUR) == []


@pytest.mark.parametrize(
    ("text", "good", "bad"),
    [
        ("Rooms open at 8 [5, 7].", [], [5, 7]),
        ("Opens at 8 [0].", [], [0]),
        ("Opens at 8 [-1].", [], [-1]),
        ("All agree [3-1].", [], ["[3-1]"]),
        ("All agree [1, 3-2].", [], ["[1, 3-2]"]),
        ("All agree [1-2-3].", [], ["1-2-3"]),
        ("All agree [5-6]-[7].", [], ["5-6", 7]),
        ("All agree [1–2–3–4].", [], ["1-2-3-4"]),
        ("All agree [4, 1 - 2 - 3, 9].", [4], ["1 - 2 - 3", 9]),
        ("All agree [1 to 2 to 3].", [], ["1 to 2 to 3"]),
        ("All agree [1 or 9].", [1], [9]),
        ("All agree [No. 9].", [], [9]),
        ("All agree 【9†source】.", [], [9]),
        ("All agree [9\u200b].", [], [9]),
        ("All agree [[3-1]].", [], ["[[3-1]]"]),
        ("All agree [3]-[1].", [], ["[3]-[1]"]),
        ("All agree [1-999999999].", [1, 2, 3, 4], ["5-999999999"]),
        ("All agree [3-6].", [3, 4], ["5-6"]),
        ("All agree [3-5].", [3, 4], [5]),
        ("All agree [0-2].", [1, 2], [0]),
        ("All agree [6-9].", [], ["6-9"]),
        ("All agree [1, 9].", [1], [9]),
        ("Since [1900].", [], [1900]),
        ("Since [9] and [2] and [0].", [2], [9, 0]),
        ("Odd [" + "9" * 5000 + "].", [], ["9" * 5000]),
        ("Odd [1-" + "9" * 5000 + "].", [1, 2, 3, 4], [f"5-{10**18}"]),
    ],
)
def test_invalid_numbers(text: str, good: list[int], bad: list[int | str]) -> None:
    assert refs(text) == good
    assert invalid_citations(text, FOUR) == bad
    assert not all(citation.valid for citation in parse_citations(text, FOUR))


def test_a_number_is_invalid_without_passages() -> None:
    assert invalid_citations("Opens at 8 [1].", []) == [1]


def test_zero_never_means_the_last_of_three() -> None:
    assert invalid_citations("Opens at 8 [0].", FOUR[:3]) == [0]
    assert cited_passages("Opens at 8 [0].", FOUR[:3], "numbered") == []


def test_two_digit_numbers() -> None:
    assert refs("It is so [11].", TWELVE) == [11]
    assert refs("It is so [12][1].", TWELVE) == [12, 1]
    assert invalid_citations("It is so [13].", TWELVE) == [13]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[fees.md#0]", ["fees.md#0"]),
        ("[ fees.md#0 ]", ["fees.md#0"]),
        ("[fees.md#0, visits.md#2]", ["fees.md#0", "visits.md#2"]),
        ("[fees.md#0; visits.md#2]", ["fees.md#0", "visits.md#2"]),
        ("[fees.md#0，visits.md#2]", ["fees.md#0", "visits.md#2"]),
        ("[fees.md#0 and visits.md#2]", ["fees.md#0", "visits.md#2"]),
        ("[fees.md#0][visits.md#2]", ["fees.md#0", "visits.md#2"]),
        ("[[fees.md#0]]", ["fees.md#0"]),
        ("【fees.md#0】", ["fees.md#0"]),
        ("[my notes/über uns.md#1]", ["my notes/über uns.md#1"]),
        (unicodedata.normalize("NFD", "[my notes/über uns.md#1]"), ["my notes/über uns.md#1"]),
        ("[notes [old], x.md#0]", ["notes [old], x.md#0"]),
        ("[notes [old], x.md#0, fees.md#0]", ["notes [old], x.md#0", "fees.md#0"]),
        ("[ notes [old], x.md#0 ]", ["notes [old], x.md#0"]),
        ("[fees.md#0 , notes [old], x.md#0 ]", ["fees.md#0", "notes [old], x.md#0"]),
        ("[setup#1]", ["setup#1"]),
        ("[setup#10]", ["setup#10"]),
        ("[source: fees.md#0]", ["fees.md#0"]),
        ("[see fees.md#0]", ["fees.md#0"]),
        ('["fees.md#0"]', ["fees.md#0"]),
        ("[fees.md#0, fees.md#0]", ["fees.md#0"]),
        ("[`fees.md#0`]", ["fees.md#0"]),
        ("[**fees.md#0**]", ["fees.md#0"]),
        ("[fees.md#0\u200b]", ["fees.md#0"]),
        ("[fees.md#0 or visits.md#2]", ["fees.md#0", "visits.md#2"]),
        ("[fees.md#0 visits.md#2]", ["fees.md#0", "visits.md#2"]),
        ("[fees.md#0\nnotes [old], x.md#0]", ["fees.md#0", "notes [old], x.md#0"]),
        ("[Source id: fees.md#0]", ["fees.md#0"]),
        ('[id="fees.md#0"]', ["fees.md#0"]),
    ],
)
def test_ids(text: str, expected: list[str]) -> None:
    for style in ("numbered", "bracketed", "tagged"):
        assert refs(f"It is so {text}.", NAMED, style) == expected
    assert invalid_citations(text, NAMED) == []


def test_files_whose_names_differ_in_unicode_form_alone() -> None:
    composed, decomposed = "\u00fc.md#0", "u\u0308.md#0"
    hits = [Hit.of(composed, "One."), Hit.of(decomposed, "Two.")]
    assert refs(f"[{composed}] [{decomposed}]", hits) == [composed, decomposed]


@pytest.mark.parametrize(
    ("text", "bad", "nearest"),
    [
        ("[fees v2.md#0]", ["fees v2.md#0"], "fees.v2.md#0"),
        ("[fees.md#9]", ["fees.md#9"], "fees.md#0"),
        ("[fees.md]", ["fees.md"], "fees.md#0"),
        ("[setup]", ["setup"], "setup#1"),
        ("[setup#11]", ["setup#11"], "setup#1"),
        ("[Fees.md#0]", ["Fees.md#0"], "fees.md#0"),
        ("[visits.md#Opening hours]", ["visits.md#Opening hours"], "visits.md#2"),
        ("[fees.md#0, visit.md#2]", ["visit.md#2"], "visits.md#2"),
        ("[fees.md#0, see below]", ["see below"], None),
        ("[quite-another-thing.pdf]", ["quite-another-thing.pdf"], None),
        ("[zzz#1, fees.md#7]", ["zzz#1", "fees.md#7"], None),
        ("[source: fees.md]", ["source: fees.md"], "fees.md#0"),
        ("[fees.md＃9]", ["fees.md＃9"], "fees.md#0"),
    ],
)
def test_unknown_ids(text: str, bad: list[str], nearest: str | None) -> None:
    (citation,) = parse_citations(f"It is so {text}.", NAMED, "bracketed")
    assert list(citation.bad) == bad
    assert not citation.valid
    assert citation.nearest == nearest


NAMING = (
    "see cf source sources passage passages document documents doc docs ref refs reference references citation"
    " citations id ids See"
).split()


@pytest.mark.parametrize("word", NAMING)
@pytest.mark.parametrize("between", [" ", ": ", ". ", "=", " #"])
def test_a_word_that_names_a_source_may_stand_before_it(word: str, between: str) -> None:
    assert refs(f"So [{word}{between}2].") == [2]
    assert refs(f"So [x{word}{between}2].") == []
    if "#" not in between:
        assert refs(f"So [{word}{between}fees.md#0].", NAMED, "bracketed") == ["fees.md#0"]


@pytest.mark.parametrize("extension", "md markdown txt rst htm html pdf doc docx MD".split())
def test_the_name_of_a_document_looks_like_an_id(extension: str) -> None:
    assert invalid_citations(f"So [other.{extension}].", NAMED) == [f"other.{extension}"]
    assert invalid_citations(f"So [two words.{extension}#Part two].", NAMED) == [f"two words.{extension}#Part two"]
    assert invalid_citations(f"So [two words.{extension}].", NAMED) == []
    assert invalid_citations(f"So [other.{extension}z].", NAMED) == []


def test_a_bracket_of_more_than_300_characters_is_prose() -> None:
    assert invalid_citations(f"[{'x' * 298}#1]", NAMED) == [f"{'x' * 298}#1"]
    assert invalid_citations(f"[{'x' * 299}#1]", NAMED) == []


@pytest.mark.parametrize("text", ["So [x#1].", "So [xyz#1.2].", "So [xyz#12]."])
def test_a_name_with_a_number_looks_like_an_id(text: str) -> None:
    assert invalid_citations(text, FOUR) == [text[4:-2]]


def test_numbers_of_more_than_18_digits_stay_text() -> None:
    assert invalid_citations(f"So [{'9' * 18}].", FOUR) == [10**18 - 1]
    assert invalid_citations(f"So [{'9' * 19}].", FOUR) == ["9" * 19]


def test_a_definition_takes_a_marker_after_words_and_none_after_a_marker() -> None:
    definition = "\n\n[2]: https://a.example"
    assert refs(f"Fee [1][2].{definition}") == [1, 2]
    assert refs(f"Fee [see here][2] and [1].{definition}") == [1]
    assert refs(f"Fee [2].{definition}") == [2]


def test_the_first_marker_of_a_text_looks_at_no_character_before_it() -> None:
    """Before the first character there is none; Python's -1 would be the last of the text."""
    (citation,) = parse_citations("[1] is so.\n\n[1]: https://a.example [x]", FOUR)
    assert (citation.refs, citation.start) == ((1,), 0)
    (citation,) = parse_citations("[2]] so [", FOUR)
    assert (citation.marker, citation.start) == ("[2]", 0)


def test_numbers_beside_ids_are_judged_too() -> None:
    assert invalid_citations("So [a.md#0, 9, 2].", FOUR) == [9]
    assert invalid_citations("So [a.md#0, 3-1].", FOUR) == ["3-1"]
    assert invalid_citations("So [a.md#0, 3-6].", FOUR) == ["5-6"]
    assert refs("So [a.md#0, 2-3].") == ["a.md#0", 2, 3]


def test_a_style_that_cites_by_id_reads_ids_alone_and_any_other_reads_both() -> None:
    text = "One [1], two [a.md#0], three [#2], four [a.md#0, 2]."
    assert parse_citations(text, FOUR) == parse_citations(text, FOUR, "numbered")
    for style in ("numbered", "helpdesk", "documents_v1", "documents"):
        assert refs(text, style=style) == [1, "a.md#0", 2, "a.md#0", 2]
    for style in ("bracketed", "tagged"):
        assert refs(text, style=style) == ["a.md#0", "a.md#0"]
        assert invalid_citations(text, FOUR, style) == ["#2", 2]


@pytest.mark.parametrize("ids", [["3", "2", "1"], ["#3", "#2", "#1"], ["1-3", "2-1", "3-3"]])
def test_an_id_that_is_a_number_is_an_id_only_where_ids_are_cited(ids: list[str]) -> None:
    hits = [Hit.of(id, "Text.") for id in ids]
    assert cited_passages("So [1], [#2].", hits) == [1, 2]
    assert refs(f"So [{ids[0]}].", hits, "tagged") == [ids[0]]
    assert cited_passages("So [1-3].", hits) == [1, 2, 3]


def test_an_unknown_style_is_told_so() -> None:
    with pytest.raises(SettingError, match="There is no style None: valid: bracketed"):
        parse_citations("So [1].", FOUR, None)  # type: ignore[arg-type]


def test_a_fence_hides_only_what_is_in_it() -> None:
    assert refs("```\nrows[1]\n```\n\ndone [2].") == [2]
    assert refs("~~~~\n~~~\n[1]\n~~~~ \n[2] ``[3]`` [4]") == [2, 4]
    assert refs("`[1]` [2] ```[3]```") == [2]
    assert refs("`x`[1]`[2]`[3]") == [1, 3]
    assert refs("a ` here [1]\n\nand ` there") == [1]
    assert refs(r"\`[1]\` and ``[2]\`` [3]") == [1, 3]
    assert refs("```not`a fence\n[1]") == [1]
    assert refs("> ```\n> [1]\n\n[2]") == [2]
    assert refs("> ```\n> [1]\n[2]\n> ```\n> [3]") == [2]
    assert refs("> > ~~~\n> > [1]\n> > ~~~\n> [2]") == [2]
    assert refs("```\n> [1]\n[2]\n```\n[3]") == [3]


def test_offsets_are_code_points() -> None:
    (citation,) = parse_citations("😀 ok [1]", FOUR)
    assert (citation.marker, citation.start, citation.end) == ("[1]", 5, 8)


@pytest.mark.parametrize("text", ["😀 [[2]] x", "é [a.md#0, b.md#0]", "x [1]–[3].", "【 2 】", "[1]\n[9]"])
def test_the_marker_is_what_stands_there(text: str) -> None:
    for citation in parse_citations(text, FOUR):
        assert text[citation.start : citation.end] == citation.marker
    assert "".join(c.marker for c in parse_citations(text, FOUR)) == "".join(re.findall(r"[\[【].*[\]】]", text))


PIECES = [
    "[",
    "]",
    "[1]",
    "[1, 9]",
    "[a.md#0]",
    "[x.md#1]",
    "【2】",
    "(u)",
    "`",
    "```",
    "~~~",
    "\n",
    " ",
    "-",
    "\\",
    "1",
    "😀",
    "[^1]",
    "]:",
]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join) | st.text())
def test_any_text_gives_markers_in_order(text: str) -> None:
    for style in ("numbered", "bracketed"):
        citations = parse_citations(text, FOUR, style)
        assert all(text[each.start : each.end] == each.marker for each in citations)
        assert all(left.end <= right.start for left, right in zip(citations, citations[1:], strict=False))
        assert all(ref in (1, 2, 3, 4, *(hit.chunk.id for hit in FOUR)) for each in citations for ref in each.refs)
        assert all(each.refs or each.bad for each in citations)


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_labelling_never_touches_code(text: str) -> None:
    code = [text[start:end] for start, end in code_spans(text)]
    labelled = label_citations(text, SOURCES)
    position = 0
    for span in code:
        found = labelled.find(span, position)
        assert found >= position
        position = found + len(span)


SOURCES = [
    Source(1, "a.md#0", "a.md", "A", 0.9, True),
    Source(2, "b.md#0", "b.md", "B", 0.8, True),
    Source(3, "a.md#1", "a.md", "A", 0.7, False),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ten [1].", "Ten [a.md > A]."),
        ("Ten [[1]].", "Ten [a.md > A]."),
        ("Ten [1, 2].", "Ten [a.md > A; b.md > B]."),
        ("Ten [1][2].", "Ten [a.md > A][b.md > B]."),
        ("Ten [1-3].", "Ten [a.md > A; b.md > B]."),
        ("Ten [a.md#0].", "Ten [a.md > A]."),
        ("Ten [1, 7].", "Ten [a.md > A; 7]."),
        ("Ten [7].", "Ten [7]."),
        ("Ten [0, 7].", "Ten [0, 7]."),
        ("Ten [3-1].", "Ten [3-1]."),
        ("Ten [a.md#9].", "Ten [a.md#9]."),
        ("Ten `x[1]` [see](u) [1](u).", "Ten `x[1]` [see](u) [1](u)."),
        ("No marker.", "No marker."),
    ],
)
def test_label_citations(text: str, expected: str) -> None:
    assert label_citations(text, SOURCES) == expected


def test_labels_need_no_first_source() -> None:
    assert label_citations("Ten [1] or [2].", SOURCES[1:2]) == "Ten [1] or [b.md > B]."
    assert label_citations("Ten [1].", []) == "Ten [1]."


def test_cited_numbers_map_ids_to_places_in_the_prompt() -> None:
    text = "So [b.md#0]. And [1, 2]. Not [9] and [c.md#9]."
    assert cited_numbers(parse_citations(text, FOUR), FOUR) == [2, 1]
    assert cited_passages("So [b.md#0].", FOUR) == [2]
    assert cited_passages("So [1, b.md#0].", FOUR, "tagged") == [2]


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("It is 10 [1].", "It is 10."),
        ("It is 10  [[1]] [a.md#0, 2] [x.md#1].", "It is 10."),
        ("[1] It is 10[2].", " It is 10."),
        ("Ten [1]\n[2]\nor `a[1]` [see](u) [x].", "Ten\n\nor `a[1]` [see](u) [x]."),
        ("No marker.", "No marker."),
        ("[1]", ""),
    ],
)
def test_without_citations(text: str, bare: str) -> None:
    assert without_citations(text) == bare


def test_an_id_that_does_not_look_like_one_is_known_by_the_hits() -> None:
    assert without_citations("So [About us].") == "So [About us]."
    assert without_citations("So [About us].", [Hit.of("About us", "We.")]) == "So."


def work(run: Callable[[], object]) -> int:
    """Calls of Python functions: a measure of work that no clock disturbs."""
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize(
    "piece", ["[1] ", "[", "[1]", "[[", "[x.md#1] ", "[1](", "[1]-", "[a.md#0,", "` `` ", "```a\n~~~\n", "[see this] "]
)
def test_work_grows_with_the_text_alone(piece: str) -> None:
    small, large = (work(lambda n=n: parse_citations(piece * n, FOUR)) for n in (200, 800))
    assert large <= 4 * small + 200


@pytest.mark.parametrize("inside", ["see#", "1-", "source: ", "1 to ", "1,", "a.md#0 ", "#", "\u200b", "1† "])
@pytest.mark.parametrize("last", [" x", "1"])
def test_one_long_bracket(inside: str, last: str) -> None:
    """A pattern that tries every way to split would not come back."""
    assert parse_citations(f"[{inside * 5_000}{last}] [1]", FOUR)[-1].refs == (1,)


def test_twenty_thousand_brackets() -> None:
    assert len(refs("[1] " * 20_000)) == 20_000
    assert parse_citations("[" * 20_000, FOUR) == []
    (citation,) = parse_citations("[" * 10_000 + "2" + "]" * 10_000, FOUR)
    assert (citation.refs, citation.end) == ((2,), 20_001)


SIX = [Hit.of(f"{name}.md#0", "Text.") for name in ("fees", "andes", "c", "d", "e", "f")]


@pytest.mark.parametrize(
    ("text", "refs"),
    [
        ("[1 & 2]", (1, 2)),
        ("[1& 2]", (1, 2)),
        ("[1 &2]", (1, 2)),
        ("[1 and 2]", (1, 2)),
        ("[1, and 2]", (1, 2)),
        ("[1, & 2]", (1, 2)),
        ("[1 + 2]", (1, 2)),
        ("[1+2]", (1, 2)),
        ("[1; 2 and 4]", (1, 2, 4)),
        ("〔2〕", (2,)),
        ("［3］", (3,)),
        ("[ 1 , 2 ]", (1, 2)),
        ("[fees.md#0 and andes.md#0]", ("fees.md#0", "andes.md#0")),
        ("[fees.md#0, andes.md#0]", ("fees.md#0", "andes.md#0")),
        ("[3..5]", (3, 4, 5)),
        ("[3 to 4]", (3, 4)),
        ("[6-6]", (6,)),
    ],
)
def test_ways_to_name_several(text, refs):
    (citation,) = parse_citations(f"So {text}.", SIX)
    assert (citation.refs, citation.bad, citation.marker) == (refs, (), text)


def test_the_word_and_at_the_start_of_an_id_belongs_to_it():
    (citation,) = parse_citations("So [gone.md#0, andes.md#0].", SIX)
    assert (citation.refs, citation.bad) == (("andes.md#0",), ("gone.md#0",))


@pytest.mark.parametrize(
    "text",
    [
        '[1](page.md "Title")',
        "[1](page.md 'Title')",
        "[1]( page.md )",
        "[1](<a page.md>)",
        "[1](page_(new).md)",
        "[1]()",
        "[1]: https://a.example",
        "   [1]: /path",
        "[1]:https://a.example",
        "[1]: <https://a.example>",
        "[1]: #anchor",
        "[1]: ../other.md",
        "[1]: www.a.example",
        "Text.\n[2]: https://a.example\nText.",
    ],
)
def test_links_and_their_definitions_are_no_citations(text):
    assert parse_citations(text, SIX) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("see [1]: https://a.example", 1),
        ("[1]: as said.", 1),
        ("    [1]: https://a.example", 1),
        ("[1] (see it)", 1),
        ("[1](two words)", 1),
        ("[1](page.md", 1),
        ("[1]:", 1),
    ],
)
def test_what_only_looks_like_a_link_or_a_definition_is_a_citation(text, count):
    assert len(parse_citations(text, SIX)) == count


@pytest.mark.parametrize(
    ("text", "nearest"), [("[FEES.md#0]", "fees.md#0"), ("[Andes.MD#0]", "andes.md#0"), ("[fees.md #0]", "fees.md#0")]
)
def test_the_nearest_id_whatever_the_case_and_blanks(text, nearest):
    (citation,) = parse_citations(text, SIX, "bracketed")
    assert (citation.valid, citation.nearest) == (False, nearest)
