"""The comparable words of a text."""

import pytest

from mock_llm.words import STOP_WORDS, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Wi-Fi", ["wi", "fi"]),
        ("The club's fee, the club’s fee", ["club", "fee", "club", "fee"]),
        ("a b 7 x9", ["7", "x9"]),
        ("costs class bus gas dogs", ["cost", "class", "bus", "gas", "dog"]),
        ("Can I get it per term each day", ["can", "get", "per", "term", "each", "day"]),
        ("ＷＩＦＩ ３", ["wifi", "3"]),
        ("STRASSE Straße", ["strasse", "straße"]),  # lower case, no folding
        ("snake_case don't", ["snake", "case", "don"]),
        ("値は３です", ["値は3です"]),
        ("", []),
    ],
)
def test_words(text, expected):
    assert words(text) == expected


def test_the_published_stop_words():
    published = """a an the this that these those is are was were be been being am do does did do have has had having
    i me my we us our you your he she him her it its they them their what which who whom whose when where why how much
    many of in on at to from for with by about as into and or but if not no so than then there here will would should
    could may might must shall"""
    assert set(STOP_WORDS) == set(published.split())
    assert len(STOP_WORDS) == len(set(STOP_WORDS))
    assert words(" ".join(STOP_WORDS)) == []
