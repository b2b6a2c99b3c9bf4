"""Quotes: what is a quotation, and whether it stands where its citation says."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raglab import Chunk, Hit, ask, check_answer
from raglab.grounding.quotes import is_quote, quotations, stands_in
from raglab.styles import STYLES

LOANS = (
    "The club doesn't lend **laptops** to guests - members may borrow one for 15 days, but not over the summer.\n"
    'It costs 10 US dollars; `Wi-Fi` is included. Ask at the\nfront desk [room 2]. The screen is 15" wide. It may drop '
    'to -5 °C at night. Use [the form](https://x.example/f) to *book a "quiet" room* ahead.'
)
HOURS = "We open at nine. We close at five, except on Fridays. Rooms are free from 8 – 10."
CHINESE = "会员每学期支付十美元，\n访客不能借用笔记本电脑。"
HITS = [
    Hit.of("loans.md#0", LOANS, heading="How to borrow a laptop from us"),
    Hit.of("hours.md#0", HOURS),
    Hit(Chunk("zh.md#0", "zh.md", "", CHINESE, meta={"title": "what the guests should know"}), 1.0),
]
QUESTION = "My friend told me that guests borrow laptops freely, is that so?"


def problems(text, style="numbered"):
    return check_answer(text, HITS, QUESTION, style=style, checks=["quote-not-in-source"])


@pytest.mark.parametrize(
    "text",
    [
        'It says "members may borrow one for 15 days" [1].',
        "It says “members may borrow one for 15 days,” [1] and “we open at nine.” [2]",
        'It says "Members may\n borrow ONE for 15  days." [1]',
        "„members may borrow one for 15 days“ steht dort [1].",
        "»members may borrow one for 15 days« steht dort [1].",
        "« members may borrow one for 15 days » y est [1].",
        "‹members may borrow one for 15 days› [1].",
        "「会员每学期支付十美元，访客不能借用笔记本电脑」 [3]。",
        '他说"会员每学期支付十美元" [3]。',
        "It says 'members may borrow one for 15 days' [1].",
        "It says ‘The club doesn’t lend laptops to guests’ [1].",
        'It says "The club doesn’t lend laptops to guests – members may borrow one" [1].',
        'It says "lend **laptops** to *guests*" [1].',
        'It costs "10 US-dollars; WiFi is included" [1].',
        'It says "costs 10 US dollars; Wi‑Fi is included" [1].',
        'Ask "at the front desk room 2" or "at the front desk [room 2]" [1].',
        'It says "The screen is 15" wide" [1].',
        "It says \"book a 'quiet' room ahead\" and “book a “quiet” room ahead” [1].",
        'It says "Use the form to book" [1].',
        'It says "The club … lend" and "we … at five" [2].',  # too short to be a quotation
        'It says "members may borrow one … but not over the summer" [1].',
        'It says "members may ... borrow one for 15 days..." [1].',
        'It says "[…] It costs […] is included" [1].',
        'It says "[They] may borrow one for 15 days" and "members may borrow [a laptop] for 15 days" [1].',
        'It says "[M]embers may borrow one" and "member[s] may borrow one" [1].',
        'It says "members may borrow one [sic] for 15 days" [1].',
        'It says "members may borrow one [1] for 15 days" and "we open at nine [2]. We close at five".',
        'It says "We open at nine. We close at five" [2].',
        'Free "from 8-10" and "rooms are free from 8—10" [2].',
        'You asked whether "guests borrow laptops freely" [1].',
        'See "How to borrow a laptop from us" [2] and "What the guests should know" [2].',
        'The guide says "we open at nine" and "members may borrow one".',  # cites nothing: any passage
        "It says &quot;this is none at all&quot; [1].",
        'The words "laptop" and "summer loan" and "Nimbus Tower Club House" are names [1].',
        'Read "The Lord of the Rings" and "How To Reset Your Password" [1].',
        'Open "Settings > Account > Reset the password" and "docs/a long name.md" [1].',
        'Type "pip install --user some package" or `echo "no such words here at all"` [1].',
        '```\nprint("no such words here at all")\n```\nIt opens at nine [2].',
        'See [it](a.md "no such words here at all") and <b title="no such words here at all">it</b> [1].',
        "A 15\" screen and a 17\" one, 5' 10\" tall: the dogs' bowl, it's theirs, '90s, rock 'n' roll [1].",
        '- a "first item that opens\n- and never closes" a mark',
        'The bot says "I don\'t know based on the provided documents" [1].',
        '" " "" “” «» \'\' " [1].',
    ],
)
def test_what_stands_there_or_is_no_quotation_is_no_problem(text):
    assert problems(text) == []


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ('It says "members may borrow two for 15 days" [1].', "members may borrow two for 15 days"),
        ('It says "members may not borrow one" [1].', "members may not borrow one"),
        ('It says "the club lends laptops to guests" [1].', "the club lends laptops to guests"),
        ('It says "The club … lend laptops to guests" [1].', "The club … lend"),
        ('It says "The club […] lend laptops to guests" [1].', "The club […] lend"),
        ('It says "The club ... lend laptops to guests" [1].', "The club ... lend"),
        ('It says "for 15 days, but … over the summer" [1].', "for 15 days, but … over"),
        ('It says "We close at five … on Fridays" [2].', "on Fridays"),
        ('It says "members may borrow one for 5 days" [1].', "for 5 days"),
        ('It says "members may borrow one for 15 day" [1].', "15 day"),
        ('It says "embers may borrow one for" [1].', "embers"),
        ('It says "may drop to 5 °C at night" [1].', "5 °C"),
        ('It says "members may [not] borrow one" [1].', "[not]"),
        ('It says "The club [may] lend laptops" [1].', "[may]"),
        ('It says "members may borrow one for [20] days" [1].', "for"),
        ('It says "members … laptops to guests" [1].', "laptops to guests"),  # in the other order
        ('It says "We open at nine in the morning" [2].', "in the morning"),
        ('It says "we open at nine" [1].', "we open at nine"),
        ("It says “fees are refundable” [1].", "fees are refundable"),
        ("Dort steht „Die Gebühr wird immer erstattet“ [1].", "Die Gebühr wird"),
        ('Dort steht „Die Gebühr wird immer erstattet" [1].', "Die Gebühr wird"),
        ("Il dit « les frais sont toujours remboursés » [1].", "les frais"),
        ("他说「会员每学期支付二十美元」 [3]。", "二十美元"),
        ("他说“会员每学期支付二十美元” [3]。", "二十美元"),
        ("它说「访客能借用笔记本电脑」 [3]。", "访客能借用"),
        ("It says 'the fees are always refunded' [1].", "the fees are"),
        ("It says ‘the members’ fees are always refunded’ [1].", "fees are"),
        ('# It says "the fees are always refunded"', "the fees"),
        ('Does it say "the fees are always refunded"?', "the fees"),
        ('| a | b |\n|---|---|\n| "the fees are always refunded" [1] | x |', "the fees"),
        ('- It says "the fees are always refunded" [1]', "the fees"),
        ('> "the fees are always refunded" [1]', "the fees"),
        ('**"the fees are always refunded"** [1]', "the fees"),
        ('("the fees are always refunded") [1]', "the fees"),
        ('It says:"the fees are always refunded" [1]', "the fees"),
        ("It says “he told us ‘the fees are always refunded’ then” [1]", "he told us"),
        ('It says "NO REFUNDS AFTER THE FIRST WEEK" [1].', "NO REFUNDS"),
        ('It says "the fees are always refunded, and "pay" is due" [1].', "the fees"),
    ],
)
def test_what_does_not_stand_there_is_a_problem(text, quote):
    found = problems(text)
    assert [problem.code for problem in found] == ["quote-not-in-source"], found
    assert quote in found[0].detail and found[0].where


def test_the_detail_says_where_it_was_looked_for_and_where_it_is():
    details = [
        problems(text)[0].detail
        for text in (
            'It says "fees are refundable" [1].',
            'It says "fees are refundable" [1, 2].',
            'It says "fees are refundable".',
            'It says "we open at nine" [1].',
        )
    ]
    assert details == [
        'The quote "fees are refundable" is not in passage 1.',
        'The quote "fees are refundable" is not in passages 1 and 2.',
        'The quote "fees are refundable" is not in any passage.',
        'The quote "we open at nine" is not in passage 1; passage 2 has it.',
    ]


@pytest.mark.parametrize(
    "text", ['It says "We open at nine. We close at five." [2]', '"We open at nine." [2] Then "we close at five" [2].']
)
def test_a_quote_of_several_sentences_has_the_citation_after_it(text):
    assert problems(text) == []


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_every_style_that_cites_by_markers_runs_it(style):
    assert ("quote-not-in-source" in style.checks) == (style.citation != "block")


def test_ask_holds_back_an_invented_quote():
    answer = ask("How?", None, lambda prompt: 'It says "fees are refundable" [1].', search=lambda q, k: HITS)
    assert (answer.status, [each.code for each in answer.problems]) == ("needs_review", ["quote-not-in-source"])


@pytest.mark.parametrize(
    ("words", "is_one"),
    [
        ("open", False),
        ("open daily", False),
        ("fees are low", True),
        ("low yearly fees", False),
        ("we open at nine", True),
        ("The Name of the Rose", False),
        ("Nimbus Tower Club", False),
        ("Der Name der Rose", False),
        ("We open at Nine", True),
        ("It costs $20 per month", True),
        ("SELECT a FROM b WHERE c = 1", False),
        ("snake_case is used here", False),
        ("a temperature > 5 degrees today", False),  # read as a path through menus
        ("会员每学期", False),
        ("会员每学期支付十美元", True),
        ("", False),
        ("… […] —", False),
    ],
)
def test_what_is_a_quotation(words, is_one):
    assert is_quote(words) is is_one


def test_marks_that_pair():
    words = '“a “b” c” „d“ »e« «f» ‹g› 「h『i』」 "j" ”k” “l" "m”'
    assert [each.words for each in quotations(words)] == ["a “b” c", "d", "e", "f", "g", "h『i』", "j", "k", "l", "m"]
    assert quotations("‘it’s four words long’")[0].words == "it’s four words long"


PIECES = st.sampled_from(
    "“ ” „ « » ‹ › 「 」 ‘ ’ … ... […] [not] [a] [1] ** _ ` ``` ]( <b> | - – 15 -5 5 the club not is may don't 会员 é ."
    " , ? # [ ] ( ) 's s' &quot; \u0301 ﬁ \u2028".split()
    + [*" \"'\n\ud800\x00\u200b", '"', " ", "\n\n", "\n- "]
)


@given(st.lists(PIECES, max_size=50).map("".join))
def test_any_reply_is_read_without_an_error(text):
    for quotation in quotations(text):
        assert quotation.words == text[quotation.start + 1 : quotation.end - 1]
    problems(text)
    stands_in(text, LOANS)
    check_answer(f'It says "{LOANS}" [1].', [Hit.of("a.md#0", text)], text, style="numbered")


WORDS = st.lists(st.sampled_from(LOANS.split()), min_size=4, max_size=12).map(" ".join)


@given(st.integers(0, 40), st.integers(4, 20))
def test_any_run_of_words_of_a_source_stands_in_it(start, count):
    words = LOANS.split()[start : start + count]
    assert stands_in(" ".join(words), LOANS)


@pytest.mark.parametrize(
    "unit",
    [
        *"\"'“‘”«「",
        '"a ',
        "“a “",
        "'a ",
        "('a",
        '"a b c d" ',
        "‘a b c d ",
        '"a … b … c d" ',
        '"a [b] c d e" ',
        "a\n",
        "…",
        "[",
        "](",
        "<a ",
    ]
    + ['"the … the … the … the" ', '"we open at nine" ', "s' ", '"a\n\n', "“a b c d” and "],
)
def test_time_is_linear(unit):
    def seconds(count):
        start = time.perf_counter()
        problems(unit * count)
        return time.perf_counter() - start

    count = 8_000 // len(unit)
    small = min(seconds(count) for _ in range(2))
    assert seconds(4 * count) < 4 * 3 * max(small, 0.1)
