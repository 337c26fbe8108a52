"""Who was in which epoch when, along the timeline of a group.

The timeline is the order of the group tangle. Everything that a message knew of comes before it, so the
messages before any position are a view of the group that somebody could have had. At each position
everybody is in the epoch that they should prefer with what was published until then (ruling R21). An
exclusion does not end membership; it acts on the epochs that follow (R16). A person who is excluded stays
in the last epoch that they are in, marked as excluded, until somebody adds them again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from typing import Literal, NamedTuple

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.epochs import KeyRanks, preferred_epoch


class Change(NamedTuple):
    """A person added to an epoch or excluded from it, by the message at a position.

    ``time_ms`` is the time of the message, in milliseconds since 1970. None if it has no time.
    """

    position: int
    time_ms: int | None
    epoch_id: str
    person_id: str
    change: Literal["add", "exclude"]


class Period(NamedTuple):
    """A person in an epoch, from a position until the next period begins.

    The last period of a person has no end: ``to_position`` and ``to_ms`` are None. ``from_ms`` and
    ``to_ms`` are also None if the message there has no time. The times of a person's periods never run
    backwards: if a message has an earlier time than the period before, the time of that period counts.
    """

    person_id: str
    epoch_id: str
    is_excluded: bool
    from_position: int
    from_ms: int | None
    to_position: int | None
    to_ms: int | None


class Moment(NamedTuple):
    """The start of a period: its position, its time, and what is true from there on."""

    position: int
    time_ms: int | None
    epoch_id: str
    is_excluded: bool


def periods(changes: Iterable[Change], ancestry: Ancestry, key_ranks: KeyRanks) -> Iterator[Period]:
    """The periods of everybody who was ever added, without gaps and without overlaps.

    Args:
        changes: the changes of one group, in any order. Changes at one position happen at once: the least
            of their times counts, and an addition counts before an exclusion.
        ancestry: the precedence of the group's epochs.
        key_ranks: the places of the epochs' keys.

    Complexity: O(changes) while nobody is in two epochs that do not precede each other. If people are,
    an addition to one of these epochs makes them choose again: once for all who have the same choice.

    >>> changes = [
    ...     Change(1, 10, "x", "a", "add"), Change(1, 10, "x", "b", "add"),
    ...     Change(2, 20, "x", "b", "exclude"), Change(4, 40, "y", "a", "add"),
    ... ]
    >>> for period in periods(changes, Ancestry({"x": [], "y": ["x"]}), {"x": 0, "y": 1}):
    ...     print(*period)
    a x False 1 10 4 40
    a y False 4 40 None None
    b x False 1 10 2 20
    b x True 2 20 None None
    """
    for person, moments in sorted(_moments(changes, ancestry, key_ranks).items()):
        own = [*_forwards(moments), None]
        for moment, following in pairwise(own):
            assert moment
            yield Period(
                person,
                moment.epoch_id,
                moment.is_excluded,
                moment.position,
                moment.time_ms,
                following.position if following else None,
                following.time_ms if following else None,
            )


def _forwards(moments: Iterable[Moment]) -> Iterator[Moment]:
    """The moments with times that never run backwards."""
    latest: int | None = None
    for moment in moments:
        time = moment.time_ms
        if time is not None:
            latest = time if latest is None else max(latest, time)
            moment = moment._replace(time_ms=latest)
        yield moment


class _Choices:
    """The epochs that people can choose from: their epochs that no other of theirs succeeds."""

    def __init__(self, ancestry: Ancestry, key_ranks: KeyRanks) -> None:
        self._ancestry = ancestry
        self._key_ranks = key_ranks
        self._people: dict[str, set[str]] = defaultdict(set)
        self._members: dict[str, frozenset[str]] = {}
        self._choice: dict[str, frozenset[str]] = {}
        self._choosing: dict[frozenset[str], set[str]] = defaultdict(set)
        # For each epoch, the choices with several epochs that contain it.
        self._open: dict[str, set[frozenset[str]]] = defaultdict(set)
        self._preferred: dict[frozenset[str], str] = {}

    def add(self, person: str, epoch: str) -> None:
        if person in self._people[epoch]:
            return
        self._people[epoch].add(person)
        self._members.pop(epoch, None)
        before = self._choice.get(person, frozenset())
        if any(self._ancestry.precedes(epoch, one) for one in before):
            return
        choice = frozenset(one for one in before if not self._ancestry.precedes(one, epoch)) | {
            epoch
        }
        self._choosing[before].discard(person)
        self._choosing[choice].add(person)
        self._choice[person] = choice
        if len(choice) > 1:
            for one in choice:
                self._open[one].add(choice)

    def changed_by(self, epochs: Iterable[str]) -> set[str]:
        """The people who prefer another epoch now that the members of these epochs have changed."""
        found: set[str] = set()
        for choice in set[frozenset[str]]().union(*(self._open[epoch] for epoch in epochs)):
            before = self._preferred.pop(choice, None)
            people = self._choosing[choice]
            if people and self._of(choice) != before:
                found |= people
        return found

    def preferred_by(self, person: str) -> str | None:
        """The epoch that a person prefers. None for somebody who is in no epoch."""
        return self._of(self._choice[person]) if person in self._choice else None

    def _of(self, choice: frozenset[str]) -> str:
        if choice not in self._preferred:
            members = (
                {epoch: self._members_of(epoch) for epoch in choice} if len(choice) > 1 else {}
            )
            self._preferred[choice] = preferred_epoch(
                choice, members, self._ancestry, self._key_ranks
            ).epoch_id
        return self._preferred[choice]

    def _members_of(self, epoch: str) -> frozenset[str]:
        if epoch not in self._members:
            self._members[epoch] = frozenset(self._people[epoch])
        return self._members[epoch]


def _moments(
    changes: Iterable[Change], ancestry: Ancestry, key_ranks: KeyRanks
) -> dict[str, list[Moment]]:
    choices = _Choices(ancestry, key_ranks)
    excluded: set[tuple[str, str]] = set()
    moments: dict[str, list[Moment]] = {}
    for position, group in groupby(sorted(changes, key=_in_order), lambda one: one.position):
        at_once = list(group)
        for change in at_once:
            if change.change == "exclude":
                excluded.add((change.epoch_id, change.person_id))
            else:
                excluded.discard((change.epoch_id, change.person_id))
                choices.add(change.person_id, change.epoch_id)
        times = [one.time_ms for one in at_once if one.time_ms is not None]
        touched = {one.person_id for one in at_once}
        touched |= choices.changed_by({one.epoch_id for one in at_once if one.change == "add"})
        for person in touched:
            epoch = choices.preferred_by(person)
            if epoch is None:
                continue
            state = epoch, (epoch, person) in excluded
            before = moments.setdefault(person, [])
            if not before or before[-1][2:] != state:
                before.append(Moment(position, min(times, default=None), *state))
    return moments


def _in_order(change: Change) -> tuple[int, bool]:
    return change.position, change.change == "exclude"
