"""Who was in which epoch when, along the timeline of a group.

The timeline is the order of the group tangle: everything that a message knew of stands before it, so
the messages before any position are a view of the group that somebody could have had. At each
position everybody is in the epoch that they should prefer by what was published until then
(ruling R21). Exclusion ends no membership, it acts on the epochs that follow (R16); who is excluded
stays in the last epoch that they are in, marked, until they are added again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Literal, NamedTuple

from scuttlehouse.epochs import Ancestors, KeyRanks, preferred_epoch


class Change(NamedTuple):
    """A person added to an epoch or excluded from it, by the message at a position.

    ``asserted_ms`` is the time that the message gives, in milliseconds since 1970; None without one.
    """

    position: int
    asserted_ms: int | None
    epoch_id: str
    person_id: str
    change: Literal["add", "exclude"]


class Stretch(NamedTuple):
    """A person in an epoch from a position on, up to the position where the next stretch begins.

    The last stretch of a person has no end: ``to_position`` and ``to_ms`` are None. ``from_ms`` and
    ``to_ms`` are also None where the message there gives no time.
    """

    person_id: str
    epoch_id: str
    is_excluded: bool
    from_position: int
    from_ms: int | None
    to_position: int | None
    to_ms: int | None


class Moment(NamedTuple):
    """Where a stretch begins: a position, its time, and what holds from there on."""

    position: int
    asserted_ms: int | None
    epoch_id: str
    is_excluded: bool


def stretches(
    changes: Iterable[Change], ancestors: Ancestors, key_ranks: KeyRanks
) -> Iterator[Stretch]:
    """The stretches of everybody who was ever added: without gaps, never two at once.

    Args:
        changes: those of one group, in any order. Those at one position happen at once; the least of
            their times counts, and an addition counts before an exclusion.
        ancestors: what ``precedence`` gives for the group's epochs.
        key_ranks: the places of the epochs' keys.

    Complexity: O(changes * people * n^2) at worst for n epochs, as an addition may change what the
    members of its epoch prefer.

    >>> changes = [
    ...     Change(1, 10, "x", "a", "add"), Change(1, 10, "x", "b", "add"),
    ...     Change(2, 20, "x", "b", "exclude"), Change(4, 40, "y", "a", "add"),
    ... ]
    >>> for stretch in stretches(changes, {"x": {}, "y": {"x": 1}}, {"x": 0, "y": 1}):
    ...     print(*stretch)
    a x False 1 10 4 40
    a y False 4 40 None None
    b x False 1 10 2 20
    b x True 2 20 None None
    """
    for person, moments in sorted(_moments(changes, ancestors, key_ranks).items()):
        for moment, following in zip(moments, [*moments[1:], None], strict=True):
            yield Stretch(
                person,
                moment.epoch_id,
                moment.is_excluded,
                moment.position,
                moment.asserted_ms,
                following.position if following else None,
                following.asserted_ms if following else None,
            )


def _moments(
    changes: Iterable[Change], ancestors: Ancestors, key_ranks: KeyRanks
) -> dict[str, list[Moment]]:
    members: dict[str, frozenset[str]] = {}
    declaring: dict[str, tuple[str, ...]] = {}
    excluded: set[tuple[str, str]] = set()
    moments: dict[str, list[Moment]] = {}
    for position, group in groupby(sorted(changes, key=_in_order), lambda one: one.position):
        at_once = list(group)
        for change in at_once:
            epoch, person = change.epoch_id, change.person_id
            if change.change == "exclude":
                excluded.add((epoch, person))
            else:
                excluded.discard((epoch, person))
                if person not in members.get(epoch, ()):
                    members[epoch] = members.get(epoch, frozenset()) | {person}
                    declaring[person] = (*declaring.get(person, ()), epoch)
        times = [one.asserted_ms for one in at_once if one.asserted_ms is not None]
        touched = {one.person_id for one in at_once}.union(
            *(members[one.epoch_id] for one in at_once if one.change == "add")
        )
        preferred: dict[tuple[str, ...], str] = {}
        for person in touched & declaring.keys():
            own = declaring[person]
            if own not in preferred:
                preferred[own] = preferred_epoch(own, members, ancestors, key_ranks).epoch_id
            state = preferred[own], (preferred[own], person) in excluded
            before = moments.setdefault(person, [])
            if not before or before[-1][2:] != state:
                before.append(Moment(position, min(times, default=None), *state))
    return moments


def _in_order(change: Change) -> tuple[int, bool]:
    return change.position, change.change == "exclude"
