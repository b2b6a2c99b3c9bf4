"""Chunks: numbering, headings, cuts, and offsets that lead back into the document."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raglab import Document, SettingError, chunk_by_heading, chunk_by_sentences
from raglab.retrieval.chunks import CHUNKERS, sections


def by_heading(text, **settings):
    return chunk_by_heading(Document("a.md", text), **settings)


def by_sentences(text, **settings):
    return chunk_by_sentences(Document("a.md", text), **settings)


def numbered(chunks):
    return [(chunk.id, chunk.heading) for chunk in chunks]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Title\n\n## Fees\n\nTen.\n", [("a.md#1", "Fees")]),
        ("# Title\n\nHello.\n\n## Fees\n\nTen.\n", [("a.md#0", "Title"), ("a.md#1", "Fees")]),
        ("Before.\n\n# Title\n\n## Empty\n\n## Fees\n\nTen.\n", [("a.md#0", ""), ("a.md#3", "Fees")]),
        ("Only text.", [("a.md#0", "")]),
        ("", []),
        (" \n\n", []),
        ("# Only a title\n", []),
        ("Title\n=====\n\nText.\n\nFees\n----\n\nTen.\n", [("a.md#0", "Title"), ("a.md#1", "Fees")]),
        ("# A\n\n```bash\n# comment\n```\n", [("a.md#0", "A")]),
        ("# A\n\n~~~~\n# comment\n```\n# more\n~~~~\n\n# B\nText.\n", [("a.md#0", "A"), ("a.md#1", "B")]),
        ("# A\n\n    # indented code\n", [("a.md#0", "A")]),
        ("# A\n\n> # quoted\n\n- # in a list\n", [("a.md#0", "A")]),
        ("#no heading\n", [("a.md#0", "")]),
        ("# A #\nText\n## *B* `c` [d](e) ##\nText\n", [("a.md#0", "A"), ("a.md#1", "B c d")]),
        ("# A\nText.\n# A\nText.\n", [("a.md#0", "A"), ("a.md#1", "A")]),
        ("# A\n\n---\n\n# B\n\nText.\n", [("a.md#1", "B")]),
        ("# A\n\n```\nnever closed\n# no heading\n", [("a.md#0", "A")]),
    ],
)
def test_sections_are_numbered_from_zero_and_empty_ones_keep_their_number(text, expected):
    assert numbered(by_heading(text)) == expected


def test_the_text_leaves_the_heading_line_out():
    assert [c.text for c in by_heading("# Fees\n\nTen.\n\nTwenty.\n\n## Later\nThirty.\n")] == [
        "Ten.\n\nTwenty.",
        "Thirty.",
    ]


def test_a_chunk_carries_what_its_document_says_of_itself():
    document = Document("a.md", "Text.", "Setup", {"category": "git"})
    assert chunk_by_heading(document)[0].meta == {"title": "Setup", "category": "git"}
    assert chunk_by_heading(Document("a.md", "Text."))[0].meta == {}


def test_ids_begin_with_the_documents_id():
    assert chunk_by_heading(Document("guide/setup.md", "Text.", id="setup"))[0].id == "setup#0"


PARAGRAPH = "one two three four five."


def test_a_long_section_is_cut_between_paragraphs():
    chunks = by_heading("\n\n".join(["# A", PARAGRAPH, PARAGRAPH, PARAGRAPH]), max_words=10)
    assert [(c.id, c.text) for c in chunks] == [("a.md#0", f"{PARAGRAPH}\n\n{PARAGRAPH}"), ("a.md#0.1", PARAGRAPH)]


def test_a_long_paragraph_is_cut_between_sentences():
    chunks = by_heading("# A\n\nOne two three. Four five six. Seven eight.", max_words=6)
    assert [c.text for c in chunks] == ["One two three. Four five six.", "Seven eight."]


def test_code_that_fits_stays_whole_and_code_that_does_not_is_cut_between_lines():
    code = "```\nrun one\n\nrun two\n```"
    chunks = by_heading(f"# A\n\n{PARAGRAPH}\n\n{code}\n\n{PARAGRAPH}", max_words=6)
    assert [c.text for c in chunks] == [PARAGRAPH, code, PARAGRAPH]
    assert [c.text for c in by_heading(f"# A\n\n{code}", max_words=3)] == ["```\nrun one", "run two\n```"]


def test_a_table_that_fits_stays_whole():
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    assert table in [c.text for c in by_heading(f"# A\n\n{PARAGRAPH}\n\n{table}\n\n{PARAGRAPH}", max_words=13)]


ONE, TWO, THREE, FOUR = "Open at ten.", "Close at six.", "Rest on Monday.", "Call us first."


def test_sentences_are_packed_and_the_last_one_repeated():
    chunks = by_sentences(f"{ONE} {TWO} {THREE} {FOUR}", max_words=6)
    assert [(chunk.id, chunk.text) for chunk in chunks] == [
        ("a.md#0", f"{ONE} {TWO}"),
        ("a.md#1", f"{TWO} {THREE}"),
        ("a.md#2", f"{THREE} {FOUR}"),
    ]


def test_an_overlap_that_would_pass_the_limit_is_left_out():
    long = "We never close before nine."
    assert [chunk.text for chunk in by_sentences(f"{long} {ONE} {TWO}", max_words=6)] == [long, f"{ONE} {TWO}"]


@pytest.mark.parametrize(
    ("overlap", "expected"),
    [
        (0, [f"{ONE} {TWO} {THREE}", FOUR]),
        (1, [f"{ONE} {TWO} {THREE}", f"{THREE} {FOUR}"]),
        (2, [f"{ONE} {TWO} {THREE}", f"{TWO} {THREE} {FOUR}"]),
        (9, [f"{ONE} {TWO} {THREE}", f"{TWO} {THREE} {FOUR}"]),
    ],
)
def test_the_overlap_counts_sentences_and_always_moves_on(overlap, expected):
    text = f"{ONE} {TWO} {THREE} {FOUR}"
    assert [chunk.text for chunk in by_sentences(text, max_words=9, overlap=overlap)] == expected


@pytest.mark.parametrize("chunker", CHUNKERS.values(), ids=CHUNKERS)
def test_one_sentence_of_900_words_becomes_chunks_within_the_limit(chunker):
    words = [f"word{n}" for n in range(900)]
    chunks = chunker(Document("a.md", " ".join(words)), max_words=30)
    assert all(len(chunk.text.split()) == 30 for chunk in chunks)
    assert [word for chunk in chunks for word in chunk.text.split()] == words


def test_sentence_chunks_never_reach_over_a_heading():
    assert [(c.id, c.heading, c.text) for c in by_sentences("# A\n\nOne.\n\n# B\n\nTwo.\n")] == [
        ("a.md#0", "A", "One."),
        ("a.md#1", "B", "Two."),
    ]


def test_sentence_chunks_fold_white_space():
    assert [c.text for c in by_sentences("One\n  two.\n\nThree.")] == ["One two. Three."]


LINES = [
    *("# H", "## Two words", "H\n===", "Some words here. And more, of 3.5 kg!", "- item\n- item", "```", "~~~~"),
    *("|a|b|\n|-|-|\n|1|2|", "値は３．１４です。次です。", "😀 ok.", "> quote", "", " ", "\t", "---", "<b>", "\0"),
    *("\u2028", "[x]: y", "word " * 40),
]
MARKDOWN = st.lists(st.sampled_from(LINES), max_size=12).map("\n".join)


@given(MARKDOWN | st.text(max_size=80), st.integers(1, 20))
def test_every_chunk_leads_back_to_its_place(text, max_words):
    for chunker in CHUNKERS.values():
        last = -1
        for chunk in chunker(Document("a.md", text), max_words=max_words):
            there = text[chunk.start : chunk.end]
            assert chunk.text == (there if chunker is chunk_by_heading else " ".join(there.split()))
            assert chunk.text.strip() and len(chunk.text.split()) <= max_words
            assert chunk.start > last
            last = chunk.start


@given(MARKDOWN, st.integers(1, 20))
def test_chunks_by_heading_lose_no_word_of_a_paragraph(text, max_words):
    kept = [span for chunk in by_heading(text, max_words=max_words) for span in range(chunk.start, chunk.end)]
    assert len(kept) == len(set(kept))
    blocks = [
        place for section in sections(text) for block in section.blocks for place in range(block.start, block.end)
    ]
    assert {place for place in blocks if not text[place].isspace()} <= set(kept)


@pytest.mark.parametrize(
    ("max_words", "message"),
    [
        (0, "max_words must be 1 or more, got 0."),
        (-1, "max_words must be 1 or more, got -1."),
        (2.5, "max_words must be a whole number, got 2.5."),
    ],
)
def test_a_limit_below_one_word_is_refused(max_words, message):
    for chunker in CHUNKERS.values():
        with pytest.raises(SettingError) as caught:
            chunker(Document("a.md", "x"), max_words=max_words)
        assert str(caught.value) == message


def test_a_negative_overlap_is_refused():
    with pytest.raises(SettingError, match="^overlap must be 0 or more, got -1.$"):
        by_sentences("x", overlap=-1)
