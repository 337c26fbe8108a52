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
from scuttlehouse.groups.epochs import KeyRanks, in_key_order, smallest_of
from scuttlehouse.tangles.causality import bits_of


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

    Complexity: O(changes + periods) operations on integers with a bit for each epoch, while nobody is in two
    epochs that do not precede each other. If people are, the epochs to choose from add to each of their
    additions, and to each change of what they prefer, once for all who have the same choice.

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


class _ChoicesSoFar:
    """The epochs that people can choose from: their epochs that no other of theirs succeeds.

    A set of epochs is an integer with a bit for each, in the order of their keys: of several epochs that may
    win, the lowest bit wins. Who prefers what is asked again only where an epoch comes to hold all members of
    another one, or no longer does. A stranger may add people to an epoch that thousands can choose.
    """

    def __init__(self, ancestry: Ancestry, key_ranks: KeyRanks) -> None:
        self._names = in_key_order(ancestry.in_order(), key_ranks)
        self._places = {epoch: place for place, epoch in enumerate(self._names)}
        bits = {epoch: 1 << place for epoch, place in self._places.items()}
        under = ancestry.masks_under(bits)
        self._under = [under[epoch] for epoch in self._names]
        self._members: list[set[str]] = [set() for _ in self._names]
        # For each epoch: those that somebody can choose in its place, and those of them with all its members.
        self._rivals = [0] * len(self._names)
        self._containing = [0] * len(self._names)
        # The choices with several epochs that people have now, by epoch.
        self._open: list[set[int]] = [set() for _ in self._names]
        self._choosing: dict[int, set[str]] = {}
        self._preferred: dict[int, int] = {}
        # For each person: their epochs, these and all that precede them, and those to choose from.
        self._own: dict[str, int] = defaultdict(int)
        self._covered: dict[str, int] = defaultdict(int)
        self._choice: dict[str, int] = {}
        # The new members of epochs, since `changed` was called.
        self._grown: dict[int, list[str]] = defaultdict(list)

    def add(self, person: str, epoch: str) -> None:
        """Add a person to an epoch."""
        place = self._places[epoch]
        if person in self._members[place]:
            return
        self._members[place].add(person)
        self._grown[place].append(person)
        self._own[person] |= 1 << place
        if self._covered[person] >> place & 1:
            return
        self._covered[person] |= self._under[place]
        before = self._choice.get(person, 0)
        self._choice[person] = before & ~self._under[place] | 1 << place
        self._join(person, self._choice[person])
        if before:
            self._leave(person, before)

    def changed(self) -> set[str]:
        """The people who prefer another epoch because epochs have new members, since the last call."""
        again: set[int] = set()
        for place, people in self._grown.items():
            for other in bits_of(self._compare(place, people)):
                both = 1 << place | 1 << other
                fewest = min(self._open[place], self._open[other], key=len)
                again.update(choice for choice in fewest if choice & both == both)
        self._grown.clear()
        found: set[str] = set()
        for choice in again:
            before = self._preferred.pop(choice, None)
            if self._of(choice) != before:
                found |= self._choosing[choice]
        return found

    def preferred_by(self, person: str) -> str | None:
        """The epoch that a person prefers. None for somebody who is in no epoch."""
        return self._names[self._of(self._choice[person])] if person in self._choice else None

    def _join(self, person: str, choice: int) -> None:
        if choice not in self._choosing:
            self._choosing[choice] = set()
            # If there is one epoch, no other can win.
            for place in bits_of(choice) if choice & (choice - 1) else ():
                self._open[place].add(choice)
                rivals = choice & ~(1 << place)
                for other in bits_of(rivals & ~self._rivals[place]):
                    if self._members[place] <= self._members[other]:
                        self._containing[place] |= 1 << other
                self._rivals[place] |= rivals
        self._choosing[choice].add(person)

    def _leave(self, person: str, choice: int) -> None:
        self._choosing[choice].discard(person)
        if not self._choosing[choice]:
            del self._choosing[choice]
            self._preferred.pop(choice, None)
            for place in bits_of(choice):
                self._open[place].discard(choice)

    def _compare(self, place: int, people: Iterable[str]) -> int:
        """The rivals that no longer have all members of a grown epoch, and those that are now within it."""
        containing, near = self._containing[place], 0
        for person in people:
            containing &= self._own[person]
            near |= self._own[person]
        differing = self._containing[place] ^ containing
        self._containing[place] = containing
        # A rival that is within it now has one of its new members.
        for other in bits_of(near & self._rivals[place]):
            is_within = self._containing[other] >> place & 1
            if not is_within and self._members[other] <= self._members[place]:
                self._containing[other] |= 1 << place
                differing |= 1 << other
        return differing

    def _of(self, choice: int) -> int:
        """The epoch that R21 leaves of a choice: of the smallest ones (4.5) that with the least key."""
        if choice not in self._preferred:
            left = smallest_of(choice, self._containing, self._members)
            self._preferred[choice] = (left & -left).bit_length() - 1
        return self._preferred[choice]


def _moments(
    changes: Iterable[Change], ancestry: Ancestry, key_ranks: KeyRanks
) -> dict[str, list[Moment]]:
    choices = _ChoicesSoFar(ancestry, key_ranks)
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
        touched |= choices.changed()
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
