"""Streaming: pieces that join to the answer, nothing half shown, nothing that must be taken back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raglab import BRACKETED, DOCUMENTS, HELPDESK, NUMBERED, STYLES, TAGGED, Delta, Hit, ModelError, Reply, Usage, ask

HITS = [
    Hit.of(f"{name}.md#0", f"The fee of {name} is {n} dollars. It is due on Monday.")
    for n, name in enumerate("abcdefghijkl", 3)
]
INDEX = type("Index", (), {"search": lambda self, question, k: HITS[:k]})()


class Cut:
    """A model whose stream is cut at given places; whole, it gives the same reply."""

    def __init__(self, text, cuts=(), blocks=()):
        self.cuts = cuts
        self.blocks = tuple(blocks) or ({"type": "text", "text": text, "citations": []},)
        self.reply = Reply("".join(block["text"] for block in self.blocks), self.blocks, Usage(5, 3))

    def complete(self, prompt):
        return self.reply

    def stream(self, prompt):
        done = 0
        for block in self.blocks:
            text = block["text"]
            inner = [cut - done for cut in self.cuts if done < cut < done + len(text)]
            for start, end in zip([0, *inner], [*inner, len(text)], strict=True):
                yield Delta(text[start:end])
            for citation in block["citations"]:
                yield Delta(citations=(citation,))
            yield Delta(ends_block=True)
            done += len(text)
        yield Delta(reply=self.reply)


def streamed(model, style=NUMBERED, **settings):
    pieces = []
    answer = ask("What is the fee?", INDEX, model, style=style, on_token=pieces.append, **settings)
    return answer, pieces


def every_character(text):
    return range(1, len(text))


TEXTS = [
    "Ten dollars [1].",
    "Ten [1], due on Monday [2, 3]. More [1-2] and [[2]] and 【3】 and 〔1〕 and ［2］.",
    "See [a link](http://a.example) and [a.md#0], then [7].",
    "  Leading space, trailing too [1].  \n",
    "**Bold** and `code[1]` and\n\n```\nrows[1]\n```\n\nDone [2].",
    "I don't know much, but the fee is 3 dollars [1].",
    NUMBERED.refusal,
    f"**{NUMBERED.refusal}**",
    f"{NUMBERED.refusal} Usually it is 20.",
    f"Sorry. {NUMBERED.refusal}",
    f'The sign says "{NUMBERED.refusal}" [1].',
    "NOT_IN_CONTEXT",
    "NOT_IN_CONTEXT.",
    "NOT_IN_CONTEXT Usually 20.",
    "NOT only that [a.md#0].",
    TAGGED.refusal,
    HELPDESK.refusal,
    "The tutorials on this site don't cover fees.",
    "The tutorials on this site don't cover fees. In general, ask.",
    "The tutorials show fees. They don't cover dates.",
    "",
    "[1]",
    "値は３．１４です [1]。 😀",
]


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
@pytest.mark.parametrize("text", TEXTS)
def test_one_character_a_piece_gives_the_same_answer(text, style):
    answer, pieces = streamed(Cut(text, every_character(text)), style)
    assert (answer, False) == (ask("What is the fee?", INDEX, Cut(text), style=style), False) or answer.retracted
    if not answer.retracted:
        assert "".join(pieces) == answer.text


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(TEXTS), st.sampled_from(list(STYLES.values())), st.lists(st.integers(1, 120), max_size=8))
def test_however_the_stream_is_cut_the_answer_is_equal(text, style, cuts):
    import dataclasses

    answer, pieces = streamed(Cut(text, sorted(set(cuts))), style)
    whole = ask("What is the fee?", INDEX, Cut(text), style=style)
    assert dataclasses.replace(answer, retracted=False) == whole
    assert answer.retracted or "".join(pieces) == answer.text


@pytest.mark.parametrize("brackets", ["[]", "【】", "［］", "〔〕"])
def test_a_marker_in_any_brackets_is_never_half_shown(brackets):
    opening, closing = brackets
    text = f"Fee 10 {opening}12{closing}. Bring ID"
    states = streamed(Cut(text, every_character(text)), k=12)[1]
    assert "".join(states) == text
    assert [piece for piece in states if opening in piece] == [f"{opening}12{closing}."]


def test_a_marker_is_never_half_shown():
    model = Cut("Fee 10 [12] and [[2]]. Bring ID", every_character("Fee 10 [12] and [[2]]. Bring ID"))
    _, pieces = streamed(model, k=12)
    shown = ""
    for piece in pieces:
        shown += piece
        assert shown.count("[") == shown.count("]")
    assert "[12]" in shown and shown.endswith("Bring ID")


@pytest.mark.parametrize("style", [NUMBERED, BRACKETED, HELPDESK], ids=str)
def test_a_refusal_comes_as_one_piece_and_nothing_after_it(style):
    dresses = ("{}", "> **{}**", "{}\n\nUsually it is 20.", "\u200b{}", "「{}」", "\\*{}\\*")
    half = f"{style.refusal.partition('. ')[0]}. Usually it is 20."
    wide = style.sentinel.translate({code: code + 0xFEE0 for code in range(ord("A"), ord("z"))})
    for text in (*(dress.format(style.sentinel) for dress in dresses), half, wide):
        answer, pieces = streamed(Cut(text, every_character(text)), style)
        assert pieces == [style.refusal] and not answer.retracted


def test_a_sentinel_is_never_shown_not_even_late():
    text = "Well, NOT_IN_CONTEXT"
    answer, pieces = streamed(Cut(text, every_character(text)), BRACKETED)
    assert "NOT_IN" not in "".join(pieces) and answer.text == BRACKETED.refusal


def test_text_comes_while_the_reply_is_still_coming():
    seen = []

    class Watched(Cut):
        def stream(self, prompt):
            for delta in super().stream(prompt):
                yield delta
                seen.append(len(pieces))

    pieces = []
    text = "The fee is three dollars [1]. It is due on Monday [1]."
    ask("What is the fee?", INDEX, Watched(text, every_character(text)), on_token=pieces.append)
    assert seen[10] > 1 and seen[30] > 10


def test_checked_styles_show_nothing_before_their_checks_have_passed():
    good = "The fee is 3 dollars [a.md#0]."
    assert streamed(Cut(good, every_character(good)), TAGGED)[1] == [good]
    bad = "The fee is 99 dollars [a.md#0]."
    answer, pieces = streamed(Cut(bad, every_character(bad)), TAGGED)
    assert pieces == [TAGGED.refusal] and answer.status == "needs_review" and not answer.retracted


def test_with_retries_only_the_last_answer_is_shown():
    replies = [Cut("Ten [99]."), Cut("Three [1].")]
    model = type("Model", (), {"complete": lambda self, prompt: replies.pop(0).reply})()
    answer, pieces = streamed(model, retries=1)
    assert pieces == ["Three [1]."] == [answer.text]


def test_pieces_the_answer_does_not_stand_by_are_retracted():
    text = "The fee is ten dollars [99]."
    answer, pieces = streamed(Cut(text, every_character(text)))
    assert answer.retracted and answer.status == "needs_review" and "".join(pieces).startswith("The fee is")


def test_the_source_list_is_the_last_piece():
    answer, pieces = streamed(Cut("Three dollars [1]. Due Monday [1].", [3, 9]), HELPDESK)
    assert pieces[-1] == "\n\nSources:\n  [1] a.md"
    assert "".join(pieces) == answer.text


def test_the_gate_refuses_in_one_piece_without_a_call():
    answer, pieces = streamed(None, min_score=1.0, k=0)
    assert pieces == [NUMBERED.refusal] and answer.refused_by == "gate"


def cited(text, *documents):
    citations = [{"type": "char_location", "document_index": n - 1, "cited_text": f"quote {n}"} for n in documents]
    return {"type": "text", "text": text, "citations": citations}


def test_a_fence_in_several_pieces_has_its_marker_after_it():
    blocks = [cited("Run it:\n``", 1), cited("`sh\nls\n"), cited("```\nDone."), cited(" Bye.", 2)]
    text = "".join(block["text"] for block in blocks)
    answer, pieces = streamed(Cut("", every_character(text), blocks), DOCUMENTS)
    assert answer.text == "Run it:\n```sh\nls\n```\n[1]\n\nDone. Bye. [2]" == "".join(pieces)
    assert [source.quotes[0].quote for source in answer.sources if source.cited] == ["quote 1", "quote 2"]


def test_a_model_that_cannot_stream_gives_its_reply_at_the_end():
    pieces = []
    answer = ask("What is the fee?", INDEX, lambda prompt: "Three [1].", on_token=pieces.append)
    assert pieces == ["Three [1]."] == [answer.text]


def test_a_stream_that_ends_early_is_an_error_not_an_answer():
    class Broken(Cut):
        def stream(self, prompt):
            yield Delta("Three doll")

    with pytest.raises(ModelError, match="ended before"):
        streamed(Broken("Three dollars [1]."))


def test_what_waits_stays_small_over_20_000_pieces(monkeypatch):
    import raglab.streaming as streaming

    work = []
    safe = streaming.Shown._safe

    def counted(self):
        work.append(len(self._waiting))
        return safe(self)

    monkeypatch.setattr(streaming.Shown, "_safe", counted)
    text = "Word after word [1], and so on. " * 625
    answer, pieces = streamed(Cut(text, every_character(text)))
    assert "".join(pieces) == answer.text == text.strip()
    assert 10_000 < len(work) <= 20_000 and max(work) < 100


@pytest.mark.parametrize("mark", [" ", "\n", "*", '"', "`"])
def test_a_long_run_of_marks_is_not_looked_at_again_with_every_piece(monkeypatch, mark):
    import raglab.streaming as streaming

    work = []
    safe = streaming.Shown._safe
    monkeypatch.setattr(streaming.Shown, "_safe", lambda self: work.append(len(self._waiting)) or safe(self))
    text = f"a{mark * 10_000}b [1]."
    answer, pieces = streamed(Cut(text, every_character(text)))
    assert "".join(pieces) == answer.text and sum(work) < 50_000


@pytest.mark.parametrize("style", ["numbered", "bracketed", "tagged"])
def test_over_the_mock_the_streamed_answer_equals_the_whole_one(style, model, docs):
    from raglab import TfidfIndex

    index = TfidfIndex.from_folder(docs / "club", style=style)
    for question in ("How much does membership cost per term?", "Who is the vice president?"):
        pieces = []
        answer = ask(question, index, model, style=style, on_token=pieces.append)
        assert answer == ask(question, index, model, style=style)
        assert "".join(pieces) == answer.text
