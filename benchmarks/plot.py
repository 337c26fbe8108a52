"""A plot of lines on logarithmic axes, as SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

WIDTH, HEIGHT, EDGE = 640, 460, 60
COLOURS = ["#1b6ca8", "#2e8b57", "#b8860b", "#b03060", "#5d3a9b"]


class Line(NamedTuple):
    """A line of a plot: figures by what is below the axis.

    A bar at a point goes from the first to the second figure of ``bars``. ``dashed`` is another line in the
    same colour, to compare with.
    """

    label: str
    points: Mapping[int, float]
    bars: Mapping[int, tuple[float, float]] = {}
    dashed: Mapping[int, float] = {}

    @property
    def figures(self) -> list[float]:
        bars = chain.from_iterable(self.bars.values())
        return [*self.points.values(), *bars, *self.dashed.values()]


def plot(lines: Sequence[Line], title: str, below: str) -> str:
    """The lines as an SVG. ``below`` says what the axis from left to right is."""
    places = sorted({place for line in lines for place in (*line.points, *line.dashed)})
    drawn = [figure for line in lines for figure in line.figures]
    low, high = math.floor(math.log2(min(drawn))), math.ceil(math.log2(max(drawn)))

    def x(place: int) -> float:
        span = math.log2(places[-1] / places[0]) or 1
        return EDGE + math.log2(place / places[0]) / span * (WIDTH - 2 * EDGE)

    def y(figure: float) -> float:
        return HEIGHT - EDGE - (math.log2(figure) - low) / ((high - low) or 1) * (HEIGHT - 2 * EDGE)

    def polyline(points: Mapping[int, float], style: str) -> str:
        corners = " ".join(f"{x(one):.1f},{y(points[one]):.1f}" for one in sorted(points))
        return f'<polyline points="{corners}" fill="none" {style}/>'

    def text(left: float, top: float, words: object, anchor: str = "middle") -> str:
        return f'<text x="{left:.1f}" y="{top:.1f}" text-anchor="{anchor}">{words}</text>'

    shapes = [f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    shapes += [text(x(place), HEIGHT - EDGE + 18, f"{place:,}") for place in places]
    for power in range(low, high + 1):
        level = y(2**power)
        shapes.append(f'<path d="M{EDGE} {level:.1f}H{WIDTH - EDGE}" stroke="#ddd"/>')
        shapes.append(text(EDGE - 8, level + 4, f"{2.0**power:g}", "end"))
    for number, line in enumerate(lines):
        colour = COLOURS[number % len(COLOURS)]
        shapes.append(polyline(line.points, f'stroke="{colour}" stroke-width="2"'))
        for place, (least, greatest) in line.bars.items():
            # Side by side, because the lines may run together.
            left = x(place) + 4 * (number - (len(lines) - 1) / 2)
            shapes.append(
                f'<path d="M{left:.1f} {y(least) + 1:.1f}V{y(greatest) - 1:.1f}" '
                f'stroke="{colour}" stroke-width="3"/>'
            )
        if line.dashed:
            shapes.append(polyline(line.dashed, f'stroke="{colour}" stroke-dasharray="4 4"'))
        top = EDGE + 18 * number
        shapes.append(f'<path d="M{EDGE + 12} {top}h24" stroke="{colour}" stroke-width="2"/>')
        shapes.append(text(EDGE + 42, top + 4, line.label, "start"))
    shapes.append(text(WIDTH / 2, HEIGHT - 16, below))
    shapes.append(text(WIDTH / 2, 28, title))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" font-size="12">{"".join(shapes)}</svg>\n'
    )
