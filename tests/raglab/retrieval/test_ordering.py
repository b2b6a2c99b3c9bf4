"""Edge order: the best first, the second best last."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raglab import edge_order


@pytest.mark.parametrize(
    ("hits", "expected"), [("ABCDE", "ACEDB"), ("ABCD", "ACDB"), ("AB", "AB"), ("A", "A"), ("", "")]
)
def test_edge_order(hits, expected):
    assert "".join(edge_order(hits)) == expected


@given(st.lists(st.integers()))
def test_nothing_is_lost_and_the_list_itself_stays(hits):
    before = list(hits)
    assert sorted(edge_order(hits)) == sorted(before) and hits == before
