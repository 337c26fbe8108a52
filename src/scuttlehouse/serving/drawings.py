"""Drawings of groups, tangles and threads as a table, for dashboards."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import suppress
from html import escape
from typing import NamedTuple
from xml.etree import ElementTree

import duckdb

from scuttlehouse.drawing.groups import draw_group
from scuttlehouse.drawing.members import draw_members
from scuttlehouse.drawing.tangles import draw_tangle
from scuttlehouse.drawing.threads import draw_thread
from scuttlehouse.reading.engine import WarehouseError, literal
from scuttlehouse.reading.warehouse import Warehouse

# Those with most to do. A drawing takes 10 to 300 ms; `scuttlehouse draw` makes all others.
MOST_GROUPS = 100
MOST_TANGLES = 20

_GROUPS = f"""
    select group_id, null
    from dim_groups
    order by repair_count desc, fork_count desc, epoch_count desc, group_id
    limit {MOST_GROUPS}
"""

_TANGLES = f"""
    select group_id, tangle_id
    from dim_tangles
    where {{where}}
    order by set_aside_count + gap_count desc, message_count desc, tangle_id
    limit {MOST_TANGLES}
"""


class _Kind(NamedTuple):
    """A kind of drawing, and a query for what is drawn: the group, and the tangle if it is one."""

    name: str
    draw: Callable[[Warehouse, str], str]
    query: str


_KINDS = (
    _Kind("group", draw_group, _GROUPS),
    _Kind("members", draw_members, _GROUPS),
    _Kind("tangle", draw_tangle, _TANGLES.format(where="true")),
    _Kind("thread", draw_thread, _TANGLES.format(where="tangle_kind = 'thread'")),
)

_COMMENT = (
    f"A row is a drawing, as `scuttlehouse draw` makes it: of the {MOST_GROUPS} groups with most to "
    f"publish, most forks and most epochs (`kind` is group or members), and of the {MOST_TANGLES} tangles "
    "and threads with most messages set aside or missing, and most messages (tangle, thread). `rank` counts "
    "from 1 in each kind. `drawing` is an SVG as a data URI, `texts` its texts as HTML at their places, "
    "transparent: over the picture they can be selected."
)

_SVG = "{http://www.w3.org/2000/svg}"

# From the base line of a text to the top of its line box, and the font, as `drawing/svg.py` writes it.
_FONT = 11, "12px/14px sans-serif"
_HEADING_FONT = 16, "bold 17px/20px sans-serif"


def draw_all(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the table `drawings` from the other tables of the database and schema in use.

    What cannot be drawn, because a part of the tables is not published, has no row.

    Complexity: that of the drawings, of 240 at most.
    """
    connection.execute(
        "create table drawings (kind varchar, rank integer, group_id varchar, tangle_id varchar, "
        "width_pixels double, height_pixels double, drawing varchar, texts varchar)"
    )
    connection.execute(f"comment on table drawings is {literal(_COMMENT)}")
    warehouse = Warehouse(connection, {})
    for kind in _KINDS:
        for rank, (group, tangle, picture) in enumerate(_drawn(warehouse, kind), 1):
            uri = f"data:image/svg+xml;base64,{b64encode(picture.encode()).decode()}"
            width, height = map(float, re.findall(r'(?:width|height)="([\d.]+)"', picture)[:2])
            connection.execute(
                "insert into drawings values (?, ?, ?, ?, ?, ?, ?, ?)",
                [kind.name, rank, group, tangle, width, height, uri, text_layer(picture)],
            )


def _drawn(warehouse: Warehouse, kind: _Kind) -> Iterator[tuple[str | None, str | None, str]]:
    with suppress(WarehouseError):
        for group, tangle in warehouse.rows(kind.query):
            with suppress(WarehouseError):
                yield group, tangle, kind.draw(warehouse, tangle or group)


def text_layer(picture: str) -> str:
    """The texts of a drawing as HTML, each at its place.

    Browsers show an SVG of a table as a picture, whose texts nobody can select. These lie over it.

    >>> text = '<text x="5" y="20"><tspan>a &lt; b</tspan></text>'
    >>> print(text_layer(f'<svg xmlns="http://www.w3.org/2000/svg">{text}</svg>')[-56:])
    <span style="unicode-bidi:isolate">a &lt; b</span></div>
    """
    return "".join(_texts(ElementTree.fromstring(picture), 0.0, 0.0))


def _texts(parent: ElementTree.Element, left: float, top: float) -> Iterator[str]:
    fixed = "white-space:pre;color:transparent"
    for part in parent:
        if part.tag == f"{_SVG}g":
            moved = re.findall(r"[\d.]+", part.attrib["transform"])
            yield from _texts(part, left + float(moved[0]), top + float(moved[1]))
        elif part.tag == f"{_SVG}text":
            rise, font = _HEADING_FONT if part.get("class") == "heading" else _FONT
            x, y = left + float(part.attrib["x"]), top + float(part.attrib["y"]) - rise
            style = f"position:absolute;left:{x:g}px;top:{y:g}px;font:{font};{fixed}"
            inside = escape(part.text or "") + "".join(map(_words, part))
            yield f'<div style="{style}">{inside}</div>'


def _words(words: ElementTree.Element) -> str:
    title = words.find(f"{_SVG}title")
    text = (words.text or "") + ((title.tail or "") if title is not None else "")
    said = f' title="{escape(title.text or "")}"' if title is not None else ""
    # As in the picture, a name from right to left turns nothing else.
    style = "unicode-bidi:isolate" + ";font-weight:bold" * (words.get("class") == "strong")
    return f'<span{said} style="{style}">{escape(text)}</span>{escape(words.tail or "")}'
