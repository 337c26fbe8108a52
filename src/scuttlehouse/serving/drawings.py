"""Drawings of groups as a table, for dashboards."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress

import duckdb

from scuttlehouse.drawing.groups import draw_group
from scuttlehouse.drawing.members import draw_members
from scuttlehouse.reading.engine import WarehouseError, literal
from scuttlehouse.reading.warehouse import Warehouse

# The groups with most to do. A drawing takes about 10 ms; `scuttlehouse draw` makes those of other groups.
MOST_GROUPS = 100

_GROUPS = f"""
    select group_id
    from dim_groups
    order by repair_count desc, fork_count desc, epoch_count desc, group_id
    limit {MOST_GROUPS}
"""

_KINDS = {"group": draw_group, "members": draw_members}

_COMMENT = (
    f"A row is a drawing of a group, as `scuttlehouse draw` makes it: of the {MOST_GROUPS} groups with most "
    "to publish, most forks and most epochs. `kind` is group or members, `drawing` an SVG as a data URI."
)


def draw_groups(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the table `drawings` from the other tables of the database and schema in use.

    A group that cannot be drawn, because a part of the tables is not published, has no row.

    Complexity: that of the drawings, of 100 groups at most.
    """
    connection.execute(
        "create table drawings (group_id varchar, kind varchar, width_pixels double, height_pixels double, "
        "drawing varchar)"
    )
    connection.execute(f"comment on table drawings is {literal(_COMMENT)}")
    warehouse = Warehouse(connection, {})
    for group, kind, picture in _drawn(warehouse):
        uri = f"data:image/svg+xml;base64,{b64encode(picture.encode()).decode()}"
        width, height = re.findall(r'(?:width|height)="([\d.]+)"', picture)[:2]
        connection.execute(
            f"insert into drawings values "
            f"({literal(group)}, {literal(kind)}, {width}, {height}, {literal(uri)})"
        )


def _drawn(warehouse: Warehouse) -> Iterator[tuple[str, str, str]]:
    try:
        _, groups = warehouse.query(_GROUPS)
    except WarehouseError:
        return
    for (group,) in groups:
        for kind, draw in _KINDS.items():
            with suppress(WarehouseError):
                yield group, kind, draw(warehouse, group)
