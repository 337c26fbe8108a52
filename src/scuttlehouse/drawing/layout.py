"""Boxes and lines of a graph from left to right: layers by longest path, in the order of their neighbours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from scuttlehouse.tangles.causality import sweep_named

Link = tuple[str, str]
Point = tuple[float, float]

# A longer line goes straight, behind the boxes, so the cost stays linear in links.
_MOST_BENDS = 20
# Odd, so that the last pass goes from left to right.
_SWEEPS = 7

# A box by its name, or the place where a long line crosses a layer.
_Node = str | tuple[str, str, int]


class Place(NamedTuple):
    """Where a box is: its left upper corner and its size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The x of its right side."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The y of its lower side."""
        return self.y + self.height

    @property
    def middle(self) -> float:
        """The y of its middle."""
        return self.y + self.height / 2


class Layout(NamedTuple):
    """The places of all boxes, and the points that each drawn line goes through."""

    places: dict[str, Place]
    routes: dict[Link, list[Point]]


def layered(
    sizes: Mapping[str, Point], links: Iterable[Link], *, gap: Point = (60.0, 16.0)
) -> Layout:
    """Place boxes in layers. Every line goes right, and no two boxes overlap.

    Args:
        sizes: width and height of each box.
        links: pairs of boxes, from left to right. A pair is left out if one of its boxes has no size, or
            if it closes a cycle.
        gap: the space between layers, and between boxes of a layer.

    Complexity: O(n log n) in boxes and links.

    >>> layered({"a": (10, 10), "b": (10, 10)}, [("a", "b")]).places["b"]
    Place(x=70.0, y=0.0, width=10, height=10)
    """
    kept = [link for link in dict.fromkeys(links) if link[0] in sizes and link[1] in sizes]
    layer = layers(sizes, kept)
    kept = [(start, end) for start, end in kept if layer[start] < layer[end]]
    columns: list[list[_Node]] = [[] for _ in range(1 + max(layer.values(), default=-1))]
    for name in sizes:
        columns[layer[name]].append(name)
    chains: dict[Link, list[_Node]] = {}
    for start, end in kept:
        first, last = layer[start] + 1, layer[end]
        is_bent = last - first < _MOST_BENDS
        bends = [(start, end, at) for at in range(first, last)] if is_bent else []
        for bend in bends:
            columns[bend[2]].append(bend)
        chains[start, end] = [start, *bends, end]
    heights = {
        node: sizes[node][1] if isinstance(node, str) else 0.0 for c in columns for node in c
    }
    centres = _centres(columns, heights, chains.values(), gap[1])
    widths = [max(sizes[n][0] if isinstance(n, str) else 0.0 for n in column) for column in columns]
    lefts = list(accumulate((width + gap[0] for width in widths), initial=0.0))
    places = {
        name: Place(lefts[layer[name]], centres[name] - height / 2, width, height)
        for name, (width, height) in sizes.items()
    }
    routes = {
        link: [
            (places[link[0]].right, centres[link[0]]),
            # Level to the end of its layer, where a wider box may be.
            (lefts[layer[link[0]]] + widths[layer[link[0]]], centres[link[0]]),
            *(
                (lefts[bend[2]] + side * widths[bend[2]], centres[bend])
                for bend in chain
                if not isinstance(bend, str)
                for side in (0, 1)
            ),
            (places[link[1]].x, centres[link[1]]),
        ]
        for link, chain in chains.items()
    }
    return Layout(places, routes)


def layers(names: Iterable[str], links: Iterable[Link]) -> dict[str, int]:
    """The layer of each box: the length of the longest path that leads to it.

    A box behind a cycle has no such length. Those boxes are in one layer after all others.

    Complexity: O(n) in boxes and links.

    >>> layers("abcde", [("a", "b"), ("b", "c"), ("a", "c"), ("d", "e"), ("e", "d")])
    {'a': 0, 'b': 1, 'c': 2, 'd': 3, 'e': 3}
    """
    before: dict[str, list[str]] = {name: [] for name in names}
    for start, end in links:
        before[end].append(start)
    found: dict[str, int] = {}

    def visit(name: str, _: int) -> int:
        found[name] = 1 + max((found[one] for one in before[name]), default=-1)
        return 0

    sweep_named(before, visit)
    last = 1 + max(found.values(), default=-1)
    return {name: found.get(name, last) for name in before}


def spread(
    wanted: Sequence[float], heights: Sequence[float], weights: Sequence[float], gap: float
) -> list[float]:
    """Middles of boxes in a column, as close to the wanted middles as their order and the gap allow.

    Boxes that would overlap move together, around the weighted mean of the middles that they want.

    Complexity: O(n).

    >>> spread([0, 0, 50], [10, 10, 10], [1, 1, 1], 2)
    [-6.0, 6.0, 50.0]
    >>> spread([0, 0, 50], [10, 10, 10], [1, 3, 1], 2)
    [-9.0, 3.0, 50.0]
    """
    steps = [(one + other) / 2 + gap for one, other in pairwise(heights)]
    offsets = list(accumulate(steps, initial=0.0))
    # For each block of boxes that move together: the sum of the wanted middles, the weight, the number.
    blocks: list[tuple[float, float, int]] = []
    for want, offset, heavy in zip(wanted, offsets, weights, strict=False):
        total, weight, count = heavy * (want - offset), heavy, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / weight:
            before = blocks.pop()
            total, weight, count = total + before[0], weight + before[1], count + before[2]
        blocks.append((total, weight, count))
    moved = [total / weight for total, weight, count in blocks for _ in range(count)]
    return [place + offset for place, offset in zip(moved, offsets, strict=False)]


def _centres(
    columns: list[list[_Node]],
    heights: Mapping[_Node, float],
    chains: Iterable[list[_Node]],
    gap: float,
) -> dict[_Node, float]:
    """The y of the middle of each node. The top of the drawing is 0. Orders the columns."""
    before: dict[_Node, list[_Node]] = defaultdict(list)
    after: dict[_Node, list[_Node]] = defaultdict(list)
    for chain in chains:
        for one, other in pairwise(chain):
            after[one].append(other)
            before[other].append(one)
    # A line that continues to the right weighs more, so that a long line of boxes stays level.
    weights: dict[_Node, float] = {}
    for column in reversed(columns):
        for node in column:
            weights[node] = 1 + max((weights[one] for one in after[node]), default=0)
    centres = dict.fromkeys(heights, 0.0)
    for sweep in range(_SWEEPS):
        is_forward = sweep % 2 == 0
        neighbours = before if is_forward else after
        for column in columns if is_forward else reversed(columns):
            wanted = {
                node: sum(centres[one] for one in neighbours[node]) / len(neighbours[node])
                if neighbours[node]
                else centres[node]
                for node in column
            }
            column.sort(key=wanted.__getitem__)
            middles = spread(
                [wanted[node] for node in column],
                [heights[node] for node in column],
                [weights[node] for node in column],
                gap,
            )
            centres.update(zip(column, middles, strict=True))
    top = min((middle - heights[node] / 2 for node, middle in centres.items()), default=0.0)
    return {node: middle - top for node, middle in centres.items()}
