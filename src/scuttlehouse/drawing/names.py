"""Find the group or tangle that a text means, and name ids and people in a drawing."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from scuttlehouse.drawing.svg import cut
from scuttlehouse.reading.engine import WarehouseError, literal
from scuttlehouse.reading.warehouse import Warehouse
from scuttlehouse.ssb.ids import any_id

_MOST_CANDIDATES = 8


def find_group(warehouse: Warehouse, text: str) -> str:
    """The id of the group that a text means: its id in any spelling, its short id, or the start of either.

    Raises:
        WarehouseError: the text means no group, or several.

    Complexity: linear in groups.
    """
    return _find(warehouse, "dim_groups", "group_id", "group_id", text, "true")


def find_tangle(warehouse: Warehouse, text: str, kind: str | None = None) -> str:
    """The id of the tangle that a text means: its id, the id of its root, or the start of either.

    Args:
        kind: find only tangles of this kind. The text may also start with a kind: ``group:2n2iXj``.

    Raises:
        WarehouseError: the text means no tangle, or several.

    Complexity: linear in tangles.
    """
    prefix, _, root = text.partition(":")
    # `group:2n2iXj` has a kind; `ssb:message/...` has none.
    if not root or prefix == "ssb":
        prefix, root = "", text
    wanted = [f"tangle_kind = {literal(one)}" for one in (prefix, kind) if one]
    condition = " and ".join(wanted) or "true"
    return _find(warehouse, "dim_tangles", "tangle_id", "root_id", root, condition)


def people(warehouse: Warehouse, ids: Collection[str]) -> dict[str, str]:
    """A name for each person. A shared name gets a short id. Without a name, only the short id."""
    if not ids:
        return {}
    listed = ", ".join(map(literal, sorted(ids)))
    rows = rows_of(
        warehouse, f"select person_id, name from dim_people where person_id in ({listed})"
    )
    names = {one: short(one) for one in ids}
    taken: dict[str, int] = {}
    for _, name in rows:
        taken[name] = taken.get(name, 0) + 1
    for person, name in rows:
        if name:
            # Anybody may call themselves anything, so a name that two people share does not tell them apart.
            names[person] = cut(name) if taken[name] == 1 else f"{cut(name, 16)} {short(person)}"
    return names


def short(one: str) -> str:
    """The first six letters of the specific part of an id.

    >>> short("ssb:message/classic/2n2iXjeuDWw="), short("@ArPkn4SBJmnu+xI=.ed25519")
    ('2n2iXj', 'ArPkn4')
    """
    return one.rpartition("/" if one.startswith("ssb:") or ":ssb:" in one else "@")[2][:6]


def count(number: int, noun: str, plural: str = "") -> str:
    """A number of things.

    >>> count(1, "epoch"), count(2000, "message")
    ('1 epoch', '2,000 messages')
    """
    return f"{number:,} " + (noun if number == 1 else plural or f"{noun}s")


def rows_of(warehouse: Warehouse, query: str) -> list[tuple[Any, ...]]:
    """Run a query and return its rows."""
    return warehouse.query(query)[1]


def _find(
    warehouse: Warehouse, table: str, column: str, matched: str, text: str, condition: str
) -> str:
    wanted = any_id(text) or text
    if not wanted:
        raise WarehouseError("The id is empty: give that of a group or a tangle, or its beginning.")
    rows = rows_of(
        warehouse,
        f"""
        select {column}, {column} = {literal(text)} or {matched} = {literal(wanted)} as is_whole
        from {table}
        where {condition} and (
            {column} = {literal(text)}
            or starts_with({matched}, {literal(wanted)})
            or starts_with(regexp_extract({matched}, '[^/:]*$'), {literal(wanted)})
        )
        order by 1
        """,
    )
    found = [row[0] for row in rows if row[1]] or [row[0] for row in rows]
    if len(found) == 1:
        return str(found[0])
    if not found:
        raise WarehouseError(
            f"Nothing in {table} has the id {text}: "
            f'`scuttlehouse sql "select {column} from {table}"` lists all.'
        )
    listed = ", ".join(found[:_MOST_CANDIDATES])
    more = f", and {len(found) - _MOST_CANDIDATES:,} more" if len(found) > _MOST_CANDIDATES else ""
    raise WarehouseError(
        f"{text} may mean {len(found):,} of {table}; give more of the id: {listed}{more}."
    )
