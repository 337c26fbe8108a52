"""Name ids and people in a drawing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from unicodedata import bidirectional, normalize

from scuttlehouse.printing import cut
from scuttlehouse.reading.engine import literal
from scuttlehouse.reading.warehouse import Warehouse
from scuttlehouse.ssb.ids import TOKEN

# Letters and digits of ASCII that look alike in many fonts, in lower case.
_ALIKE = str.maketrans({"i": "l", "1": "l", "|": "l", "0": "o"})
_PAIRS_ALIKE = {"rn": "m", "vv": "w"}


def people(warehouse: Warehouse, ids: Collection[str]) -> dict[str, str]:
    """A name for each person. If it may be taken for somebody else, a short id stands beside it.

    So it does beside every name that is not in ASCII: other letters look like those of ASCII, or like each
    other. Without a name, only the short id. O(n log n) in the people.
    """
    if not ids:
        return {}
    listed = ", ".join(map(literal, sorted(ids)))
    rows = warehouse.rows(f"select person_id, name from dim_people where person_id in ({listed})")
    names = {one: short(one) for one in ids}
    named = {person: name for person, name in rows if name}
    # Anybody may call themselves anything: as somebody else from the first letter to the last that is shown,
    # or with the short id of somebody else.
    taken = Counter(map(_seen, named.values()))
    short_ids = set(map(_seen, names.values()))
    for person, name in named.items():
        is_own = name.isascii() and taken[_seen(name)] == 1
        if is_own and short_ids.isdisjoint(map(_seen, name.split()[-1:])):
            names[person] = cut(name)
        else:
            names[person] = _beside(cut(name, 16), short(person))
    return names


def _seen(name: str) -> str:
    """A name as people see it: without its width, its case, and the way its accents are written.

    What looks alike in ASCII is the same.
    """
    seen = normalize("NFKC", cut(name)).casefold()
    for pair, one in _PAIRS_ALIKE.items():
        seen = seen.replace(pair, one)
    return seen.translate(_ALIKE)


def _beside(name: str, short_id: str) -> str:
    """A name and a short id. Letters from right to left would turn the digits of an id behind them."""
    is_turned = any(bidirectional(one) in ("R", "AL") for one in name)
    return f"{short_id} {name}" if is_turned else f"{name} {short_id}"


def short(one: str) -> str:
    """The first six letters of the specific part of an id, which is the hash of a token.

    >>> short("ssb:message/classic/2n2iXjeuDWw="), short("@ArPkn4SBJmnu+xI=.ed25519")
    ('2n2iXj', 'ArPkn4')
    >>> short("token-8-74bead364d9b"), short("thread:token-8-74bead364d9b")
    ('74bead', '74bead')
    """
    if one.startswith("ssb:") or ":ssb:" in one:
        mark = "/"
    else:
        mark = "-" if one.rpartition(":")[2].startswith(TOKEN) else "@"
    return one.rpartition(mark)[2][:6]
