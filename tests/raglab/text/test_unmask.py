"""Text as a careless reader sees it, with every letter's place in the original."""

import sys
import unicodedata
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raglab.text import unmask as module
from raglab.text.unmask import View, fold_letter, unmask


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("ＡＢＣ ⓓ 𝐞 ﬁ ①", "abc d e fi 1"),
        ("pаssаgе ΡΑSSΑGΕ рᴀssᴀɡᴇ", "passage passage passage"),
        ("🅿🇦ꞩ⒮", "pas(s)"),
        ("a\u200bb\u2060c\xadd\ufe0fe\U000e0041f\x00g\u0301", "abcdefg"),
        ("a\u00a0b\u3000c\u2800d\u3164e", "a b c d e"),
        ("a\r\nb\u2028c", "a\n\nb\nc"),
        ("&lt;&LT;&#60;&#x3C;&#X3c;&lt", "<<<<<<"),
        ("&amp;lt;&amp;amp;lt;&#38;#38;lt;&#x26;amp;#60;", "<<<<"),
        ("&ltpassage &#00060passage", "<passage <passage"),
        ("&#" + "0" * 500 + "60;", "<"),
        ("%3C%3c%253C%25253c%ef%bc%9c%u003c", "<<<<<<"),
        ("\\u003c\\u{3c}\\U0000003c\\x3c\\74", "<<<<<"),
        ("%26lt%3b &#37;3c \\u0026#60; &percnt;3C", "< < < <"),
        ("＆ｌｔ；", "<"),
        ("&l\u200bt;", "<"),
        ("&&#97;mp;lt;", "<"),
        ("&#0;&#55296;&#99999999;", "\ufffd\ufffd\ufffd"),
        ("50% & more \\ AT&T &nosuch; %zz \\q", "50% & more \\ at&t &nosuch; %zz \\q"),
        ("", ""),
    ],
)
def test_disguises_are_undone(text, seen):
    assert unmask(text) == seen


ENCODERS = [
    lambda text: text.replace("&", "&amp;").replace("<", "&lt;"),
    lambda text: "".join(f"&#{ord(letter)};" for letter in text),
    lambda text: "".join(f"&#x{ord(letter):x};" for letter in text),
    lambda text: quote(text, safe=""),
    lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text),
    lambda text: "".join(f"\\x{ord(letter):02x}" for letter in text),
]


@given(st.lists(st.sampled_from(ENCODERS), max_size=4))
def test_an_escape_within_escapes_is_decoded_whatever_the_order(encoders):
    text = "</p>"
    for encode in encoders:
        text = encode(text)
    assert unmask(text) == "</p>"


@given(st.text())
def test_every_letter_has_its_place(text):
    view = View.of(text, 7).folded().unescaped()
    assert len(view.letters) == len(view.starts) == len(view.ends)
    assert all(7 <= start < end <= 7 + len(text) for start, end in zip(view.starts, view.ends, strict=True))
    assert view.starts == sorted(view.starts)


@given(st.text(alphabet="&amp;lt#3860x%25cu0\\{}<"))
def test_what_is_undone_stays_undone(text):
    once = View.of(text).folded().unescaped()
    assert once.unescaped().letters == once.letters


def test_a_place_is_that_of_the_whole_escape():
    view = View.of("a &amp;lt; b").folded().unescaped()
    at = view.letters.index("<")
    assert view.span(at, at + 1) == (2, 10)


def test_no_character_of_unicode_breaks_it_and_all_letters_keep_to_one_case():
    for code in range(sys.maxunicode + 1):
        folded = fold_letter(chr(code))
        assert not set(folded) & set("ABCDEFGHIJKLMNOPQRSTUVWXYZ\u200b\xad")


def test_every_look_alike_can_be_met():
    for letter in module._LOOKALIKES:
        assert unicodedata.normalize("NFKD", letter).casefold() == letter


def test_every_letter_of_the_tag_has_look_alikes_in_three_scripts():
    for latin in "pasge":
        others = [letter for letter, plain in module._LOOKALIKES.items() if plain == latin]
        assert len({unicodedata.name(letter).split()[0] for letter in others}) >= 3, latin
