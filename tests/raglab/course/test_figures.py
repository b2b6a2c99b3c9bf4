"""The pictures of the lessons: a description each, the same bytes for the same numbers."""

from raglab.course.figures import heat_map

COUNTS = {"order": {"no fence": (5, 6), "fence": (0, 6)}, "open": {"no fence": (1, 1), "fence": (1, 1)}}


def test_a_heat_map_is_a_png_that_describes_itself():
    picture = heat_map(COUNTS, alt='A fence stops "all" orders.')
    assert picture.png.startswith(b"\x89PNG")
    assert 'alt="A fence stops &quot;all&quot; orders."' in picture._repr_html_()


def test_a_heat_map_is_the_same_for_the_same_counts_and_differs_for_others():
    one_more = {**COUNTS, "order": {"no fence": (5, 6), "fence": (1, 6)}}
    same, again, other = (heat_map(counts, alt="").png for counts in (COUNTS, COUNTS, one_more))
    assert same == again != other


def test_the_words_of_a_field_tell_its_counts_without_the_colour(monkeypatch):
    from matplotlib.axes import Axes

    words = []
    monkeypatch.setattr(Axes, "text", lambda axes, x, y, text, **settings: words.append(text))
    heat_map({"a": {"x": (0, 3), "y": (2, 3), "z": (3, 3), "w": (1, 1)}}, alt="")
    assert words == ["none", "2 of 3", "all 3", "1 of 1"]
