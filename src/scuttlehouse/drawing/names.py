"""Name ids and people in a drawing."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from scuttlehouse.printing import cut
from scuttlehouse.reading.engine import literal
from scuttlehouse.reading.warehouse import Warehouse


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


def rows_of(warehouse: Warehouse, query: str) -> list[tuple[Any, ...]]:
    """Run a query and return its rows."""
    return warehouse.query(query)[1]
