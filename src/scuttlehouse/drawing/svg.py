"""SVG with text that can be selected, on a light or dark background, as the reader's system prefers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple
from unicodedata import category, east_asian_width

from scuttlehouse.drawing.layout import Place, Point
from scuttlehouse.printing import visible

# The colours of Okabe and Ito, without black. Colour-blind people can tell them apart.
COLOURS = "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7"

LINE = 18.0
_MARGIN = 16.0
# Letters of the widest fonts that `sans-serif` may mean. Words after other words need no such guess.
_CHARACTER, _STRONG = 7.5, 8.5
_WIDE, _WIDEST = frozenset("+<=>~#&"), frozenset("MWmw%@…")
# Behind Cyrillic, Hebrew and Arabic: letters as wide as those of East Asia, or nearly.
_LAST_NARROW = "\u06ff"
_BETWEEN = "  "

# Plain rules without variables, because programs other than browsers read them, too.
_STYLE = """
text { font: 12px sans-serif; fill: #1a1a1a; }
tspan { unicode-bidi: isolate; }
.ground { fill: #ffffff; }
.heading { font-size: 17px; font-weight: bold; }
.strong { font-weight: bold; }
.soft { fill: #595959; }
.alarm { fill: #a33d00; }
.gone { text-decoration: line-through; }
.box { fill: #fafafa; stroke: #595959; }
.marked { stroke: #1a1a1a; stroke-width: 3; }
.aside { fill: #ffffff; stroke: #a33d00; stroke-dasharray: 5 3; }
.line { fill: none; stroke: #595959; stroke-width: 1.2; }
.waits { stroke-dasharray: 5 3; }
.rule { fill: none; stroke: #d0d0d0; }
.fork { fill: none; stroke: #0072b2; stroke-width: 1.5; stroke-dasharray: 6 4; }
.mend { stroke: #a33d00; stroke-width: 2.5; }
.on { fill: #000000; }
.on4 { fill: #ffffff; }
.hollow { fill-opacity: 0.15; stroke: #a33d00; stroke-dasharray: 4 3; }
@media (prefers-color-scheme: dark) {
text { fill: #ececec; }
.ground { fill: #161616; }
.soft { fill: #b0b0b0; }
.alarm { fill: #ff9a5c; }
.box { fill: #242424; stroke: #b0b0b0; }
.marked { stroke: #ffffff; }
.aside { fill: #161616; stroke: #ff9a5c; }
.line { stroke: #b0b0b0; }
.rule { stroke: #444444; }
.fork { stroke: #56b4e9; }
.mend { stroke: #ff9a5c; }
.hollow { stroke: #ff9a5c; }
}
"""


class Words(NamedTuple):
    """A text, the class of its style, and the tooltip."""

    text: str
    kind: str = ""
    title: str = ""


class Canvas:
    """Collects what is drawn. All text is escaped. Lines and boxes come in the order given."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._right = self._bottom = 0.0

    def text(self, x: float, y: float, *words: Words) -> None:
        """Write words one after the other, with their base line at y."""
        self.reach(x + width_of(*words), y + 4)
        inside = _BETWEEN.join(
            f'<tspan class="{one.kind}">{_title(one.title)}{escaped(one.text)}</tspan>'
            for one in words
        )
        self._parts.append(f'<text x="{x:g}" y="{y:g}">{inside}</text>')

    def box(self, place: Place, kind: str, title: str = "") -> None:
        """Draw a rectangle."""
        self.reach(place.right, place.bottom)
        self._parts.append(
            f'<rect x="{place.x:g}" y="{place.y:g}" width="{place.width:g}" height="{place.height:g}"'
            f' class="{kind}">{_title(title)}</rect>'
        )

    def route(self, points: Sequence[Point], kind: str = "line") -> None:
        """Draw a line through points, level at each point, with an arrow at its end."""
        path = f"M{points[0][0]:g},{points[0][1]:g}"
        for (x, y), (to_x, to_y) in pairwise(dict.fromkeys(points)):
            half = (x + to_x) / 2
            path += f" C{half:g},{y:g} {half:g},{to_y:g} {to_x:g},{to_y:g}"
        x, y = points[-1]
        path += f" M{x - 6:g},{y - 4:g} L{x:g},{y:g} L{x - 6:g},{y + 4:g}"
        self.path(path, kind)

    def path(self, path: str, kind: str, title: str = "") -> None:
        """Draw an SVG path. It does not widen the drawing; :meth:`reach` does."""
        self._parts.append(f'<path d="{path}" class="{kind}">{_title(title)}</path>')

    def document(self, heading: str, notes: Iterable[str]) -> str:
        """The whole drawing: a heading, a line for each note, and the drawing below them."""
        lines = list(notes)
        top = _MARGIN + 20 + LINE * len(lines) + _MARGIN
        # Letters of a heading are half as wide again.
        widths = [
            1.5 * width_of(Words(heading, "strong")),
            *(width_of(Words(one)) for one in lines),
        ]
        widest = max([*widths, self._right])
        width, height = widest + 2 * _MARGIN, top + self._bottom + _MARGIN
        inside = "\n".join(self._parts)
        subtitle = "\n".join(
            f'<text x="{_MARGIN:g}" y="{_MARGIN + 20 + LINE * (n + 1):g}" class="soft">{escaped(line)}</text>'
            for n, line in enumerate(lines)
        )
        colours = "\n".join(f".c{n} {{ fill: {colour}; }}" for n, colour in enumerate(COLOURS))
        return f"""\
<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" \
viewBox="0 0 {width:g} {height:g}" role="img" xml:space="preserve">
<title>{escaped(heading)}</title>
<style>{_STYLE}{colours}
</style>
<rect class="ground" width="{width:g}" height="{height:g}"/>
<text x="{_MARGIN:g}" y="{_MARGIN + 14:g}" class="heading">{escaped(heading)}</text>
{subtitle}
<g transform="translate({_MARGIN:g},{top:g})">
{inside}
</g>
</svg>
"""

    def reach(self, x: float, y: float) -> None:
        """Make the drawing wide and high enough for a point."""
        self._right, self._bottom = max(self._right, x), max(self._bottom, y)


def escaped(text: str) -> str:
    """A text for XML. Control characters and direction marks are shown as codes.

    >>> escaped('<b> & "c"\\x00')
    '&lt;b&gt; &amp; &quot;c&quot;\\\\x00'
    """
    return escape(re.sub("[\ufffe\uffff]", "\ufffd", visible(text)))


def width_of(*words: Words) -> float:
    """The approximate width of words in one line, in pixels. East Asian letters count double.

    >>> width_of(Words("ab")), width_of(Words("\\u6f22")), width_of(Words("MW"))
    (15.0, 15.0, 24.0)
    """
    widths = [
        (_STRONG if one.kind == "strong" else _CHARACTER) * sum(map(_width, visible(one.text)))
        for one in words
    ]
    return sum(widths) + _CHARACTER * len(_BETWEEN) * (len(words) - 1)


def _width(letter: str) -> float:
    """The width of a letter, where that of most letters is 1."""
    if category(letter) in ("Mn", "Me"):
        return 0
    if letter in _WIDEST:
        return 1.6
    if east_asian_width(letter) in "WF" or letter > _LAST_NARROW:
        return 2
    return 1.35 if letter in _WIDE or letter.isupper() else 1


def colour(number: int) -> str:
    """The class of the colour with this number. Colours repeat after the last one.

    >>> colour(0), colour(7)
    ('c0', 'c0')
    """
    return f"c{number % len(COLOURS)}"


def note_on_authors(count: int) -> list[str]:
    """The note that colours repeat, if there are more authors than colours.

    >>> note_on_authors(7), note_on_authors(1000)
    ([], ['There are 1,000 authors, so colours repeat: names tell.'])
    """
    note = f"There are {count:,} authors, so colours repeat: names tell."
    return [note] if count > len(COLOURS) else []


def _title(text: str) -> str:
    return f"<title>{escaped(text)}</title>" if text else ""
