"""What any drawing keeps to: words, boxes and lines have their places in the picture."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from scuttlehouse.drawing.layout import Place
from scuttlehouse.drawing.svg import Canvas, Words, width_of

SVG = "{http://www.w3.org/2000/svg}"
SIDE = st.integers(1, 400)
LETTERS = st.text("aW漢", min_size=1, max_size=40)


@given(st.builds(Place, SIDE, SIDE, SIDE, SIDE), SIDE, SIDE, LETTERS, LETTERS, st.lists(LETTERS))
def test_words_are_in_the_picture_and_over_nothing(
    place: Place, x: int, y: int, text: str, heading: str, notes: list[str]
) -> None:
    words = Words(text), Words(text, "strong")
    canvas = Canvas()
    canvas.box(place, "box")
    canvas.text(x, y, *words)
    drawing = ElementTree.fromstring(canvas.document(heading, notes))
    group = drawing.find(f"{SVG}g")
    assert group is not None
    left, top = (float(n) for n in re.findall(r"[\d.]+", group.get("transform", "")))
    lines = [float(one.get("y", 0)) for one in drawing.findall(f"{SVG}text")]
    assert lines[0] >= 17, "letters of a heading are as high"
    assert all(other - one >= 12 for one, other in pairwise([*lines, top])), "and other letters"
    above = [width_of(Words(heading, "strong")) * 17 / 12, *map(width_of, map(Words, notes))]
    right = max(x + width_of(*words), place.right, *above)
    assert left + right <= float(drawing.get("width", 0)) + 0.01
    assert top + max(y, place.bottom) <= float(drawing.get("height", 0)) + 0.01


@given(st.lists(st.tuples(SIDE, SIDE), min_size=2, max_size=6).map(sorted))
def test_a_line_is_level_at_its_points_and_never_goes_back(points: list[tuple[int, int]]) -> None:
    canvas = Canvas()
    canvas.route(points)
    path = ElementTree.fromstring(canvas.document("", [])).find(f".//{SVG}path")
    assert path is not None
    numbers = re.findall(r"(-?[\d.]+),(-?[\d.]+)", path.get("d", ""))
    *curves, above, tip, below = [(float(x), float(y)) for x, y in numbers]
    ends = curves[::3]
    assert ends == [*dict.fromkeys(points)]
    for start, one, other, end in zip(ends, curves[1::3], curves[2::3], ends[1:], strict=False):
        assert (one[1], other[1]) == (start[1], end[1])
        assert start[0] <= min(one[0], other[0]) <= max(one[0], other[0]) <= end[0]
    assert tip == points[-1]
    assert above[0] == below[0] < tip[0]
    assert above[1] < tip[1] < below[1]
