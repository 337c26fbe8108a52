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
# A path through some boxes makes many layers.
deep_links = st.tuples(st.integers(0, len(NAMES)), any_links).map(
    lambda drawn: [*pairwise(NAMES[: drawn[0]]), *drawn[1]]
)


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
    """Also where links close cycles: those are left out."""
    ahead = forwards(links)
    assert set(layered(boxes, ahead).routes) == {link for link in ahead if set(link) <= set(boxes)}
    places, routes = layered(boxes, links)
    assert set(routes) <= set(links)
    for (start, end), points in routes.items():
        assert points[0][0] == places[start].right
        assert points[-1][0] == places[end].x
        for place, (_, y) in ((places[start], points[0]), (places[end], points[-1])):
            assert place.y <= y <= place.bottom
        assert all(x <= to_x for (x, _), (to_x, _) in pairwise(points))


@given(boxes, deep_links)
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
def test_boxes_of_a_column_keep_order_and_gap_and_are_nearest_to_what_they_want(
    column: list[tuple[float, float, float]],
) -> None:
    wanted, heights, weights = zip(*column, strict=True)
    middles = spread(wanted, heights, weights, 5)
    for at, (one, other) in enumerate(pairwise(middles)):
        assert other - one >= (heights[at] + heights[at + 1]) / 2 + 5 - 1e-6
    # As near to the wanted ones as that allows, by the formula of weighted isotonic regression.
    above = [sum(heights[:at]) + heights[at] / 2 + 5 * at for at in range(len(heights))]
    offsets = [place - above[0] for place in above]

    def mean(first: int, last: int) -> float:
        every = range(first, last + 1)
        total = sum(weights[n] * (wanted[n] - offsets[n]) for n in every)
        return total / sum(weights[n] for n in every)

    for at, middle in enumerate(middles):
        nearest = max(
            min(mean(first, last) for last in range(at, len(wanted))) for first in range(at + 1)
        )
        assert abs(middle - nearest - offsets[at]) < 1e-6


@given(st.lists(st.integers(1, 3), max_size=4), st.booleans(), st.randoms(use_true_random=False))
def test_lines_of_a_tree_do_not_cross(
    branches: list[int], is_merging: bool, dice: random.Random
) -> None:
    """Whether the tree grows or merges, and in whatever order its boxes come."""
    levels = [["root"]]
    for count in branches:
        levels.append([f"{name}{at}" for name in levels[-1] for at in range(count)])
    links = [(name[:-1], name) for level in levels[1:] for name in level]
    if is_merging:
        links = [(other, one) for one, other in links]
    names = [name for level in levels for name in level]
    dice.shuffle(names)
    places, routes = layered(dict.fromkeys(names, (40.0, 20.0)), links)
    lines = sorted((places[a].x, places[a].middle, places[b].middle) for a, b in routes)
    for (x, _, to_y), (other_x, _, other_to_y) in pairwise(lines):
        assert x < other_x or to_y <= other_to_y + 1e-6


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
