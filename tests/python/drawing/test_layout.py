"""Boxes and lines from left to right, for any graph."""

from __future__ import annotations

import random
from functools import cache
from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from scuttlehouse.drawing.layout import Link, Point, layered, layers, spread

NAMES = [f"n{number}" for number in range(24)]
MOST_BENDS = 20

sizes = st.tuples(st.floats(1, 300), st.floats(1, 300))
boxes = st.integers(0, len(NAMES)).flatmap(
    lambda size: st.fixed_dictionaries(dict.fromkeys(NAMES[:size], sizes))
)
any_links = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=60)


def forwards(links: list[Link]) -> list[Link]:
    """The links that follow an order, so there is no cycle."""
    return [(one, other) for one, other in links if NAMES.index(one) < NAMES.index(other)]


@given(boxes, any_links)
def test_every_box_is_there_once_and_no_two_overlap(
    boxes: dict[str, Point], links: list[Link]
) -> None:
    places, _ = layered(boxes, links)
    assert {name: (place.width, place.height) for name, place in places.items()} == boxes
    for one, other in combinations(places.values(), 2):
        is_beside = one.right <= other.x or other.right <= one.x
        is_above = one.bottom <= other.y + 1e-6 or other.bottom <= one.y + 1e-6
        assert is_beside or is_above
    assert all(place.x >= 0 and place.y >= -1e-6 for place in places.values())


@given(boxes, any_links)
def test_every_line_goes_right_from_box_to_box(boxes: dict[str, Point], links: list[Link]) -> None:
    links = forwards(links)
    places, routes = layered(boxes, links)
    assert set(routes) == {link for link in links if set(link) <= set(boxes)}
    for (start, end), points in routes.items():
        assert points[0][0] == places[start].right
        assert points[-1][0] == places[end].x
        for place, (_, y) in ((places[start], points[0]), (places[end], points[-1])):
            assert place.y <= y <= place.bottom
        assert all(x <= to_x for (x, _), (to_x, _) in pairwise(points))


@given(boxes, any_links)
def test_a_line_is_behind_no_box(boxes: dict[str, Point], links: list[Link]) -> None:
    """Level parts of a line are between boxes of a layer, and curves between layers."""
    links = forwards(links)
    layer = layers(boxes, [link for link in links if set(link) <= set(boxes)])
    places, routes = layered(boxes, links)
    for (start, end), points in routes.items():
        if layer[end] - layer[start] > MOST_BENDS:  # It goes straight.
            continue
        for (x, y), (to_x, to_y) in pairwise(points):
            for place in places.values():
                if x < place.right - 1e-6 and place.x + 1e-6 < to_x:
                    assert y == to_y
                    assert not place.y + 1e-6 < y < place.bottom - 1e-6


@given(any_links)
def test_a_layer_is_the_length_of_the_longest_path(links: list[Link]) -> None:
    links = forwards(links)

    @cache
    def longest(name: str) -> int:
        return max((1 + longest(one) for one, other in links if other == name), default=0)

    assert layers(NAMES, links) == {name: longest(name) for name in NAMES}


@given(
    st.lists(
        st.tuples(st.floats(-1000, 1000), st.floats(1, 90), st.floats(1, 500)),
        min_size=1,
        max_size=12,
    )
)
def test_boxes_of_a_column_keep_their_order_and_their_gap(
    column: list[tuple[float, float, float]],
) -> None:
    wanted, heights, weights = zip(*column, strict=True)
    middles = spread(wanted, heights, weights, 5)
    for at, (one, other) in enumerate(pairwise(middles)):
        assert other - one >= (heights[at] + heights[at + 1]) / 2 + 5 - 1e-6
    fits = all(
        other - one >= (heights[at] + heights[at + 1]) / 2 + 5
        for at, (one, other) in enumerate(pairwise(wanted))
    )
    if fits:
        assert all(abs(one - other) < 1e-6 for one, other in zip(middles, wanted, strict=True))


def test_a_long_line_of_boxes_stays_level() -> None:
    # At every fifth box another box branches off, and nothing follows it.
    names = [str(number) for number in range(500)]
    branches = [(name, f"branch {name}") for name in names[:-1:5]]
    every = [*names, *(branch for _, branch in branches)]
    places, _ = layered(dict.fromkeys(every, (40.0, 20.0)), [*pairwise(names), *branches])
    assert max(place.bottom for place in places.values()) < 20 * 20


def test_the_layout_of_a_long_graph_has_few_points_for_each_line() -> None:
    # Each box links to the one before it and to one far back. Lines over many layers stay cheap.
    dice = random.Random(3)
    names = [str(number) for number in range(2000)]
    links = list(pairwise(names)) + [
        (names[dice.randrange(number)], names[number]) for number in range(1, len(names))
    ]
    places, routes = layered(dict.fromkeys(names, (40.0, 20.0)), links)
    assert len(places) == len(names)
    assert max(map(len, routes.values())) <= 2 * MOST_BENDS + 3
