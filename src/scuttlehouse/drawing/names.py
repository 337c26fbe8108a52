"""Name ids and people in a drawing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from unicodedata import normalize

from scuttlehouse.printing import cut
from scuttlehouse.reading.engine import literal
from scuttlehouse.reading.warehouse import Warehouse


def people(warehouse: Warehouse, ids: Collection[str]) -> dict[str, str]:
    """A name for each person. If it may be taken for somebody else, a short id follows it.

    Without a name, only the short id. O(n log n) in the people.
    """
    if not ids:
        return {}
    listed = ", ".join(map(literal, sorted(ids)))
    rows = warehouse.rows(f"select person_id, name from dim_people where person_id in ({listed})")
    names = {one: short(one) for one in ids}
    named = {person: name for person, name in rows if name}
    # Anybody may call themselves anything: as somebody else from the first letter to the last that is shown,
    # or with the short id of somebody else.
    taken = Counter(map(_read, named.values()))
    short_ids = {*names.values()}
    for person, name in named.items():
        is_own = taken[_read(name)] == 1 and short_ids.isdisjoint(name.split()[-1:])
        names[person] = cut(name) if is_own else f"{cut(name, 16)} {short(person)}"
    return names


def _read(name: str) -> str:
    """A name as people read it: without its width, its case, and the way its accents are written."""
    return normalize("NFKC", cut(name)).casefold()


def short(one: str) -> str:
    """The first six letters of the specific part of an id.

    >>> short("ssb:message/classic/2n2iXjeuDWw="), short("@ArPkn4SBJmnu+xI=.ed25519")
    ('2n2iXj', 'ArPkn4')
    """
    return one.rpartition("/" if one.startswith("ssb:") or ":ssb:" in one else "@")[2][:6]
