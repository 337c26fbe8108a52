"""Who was in which epoch when, along the timeline of a group.

The timeline is the order of the group tangle. Everything that a message knew of comes before it, so the
messages before any position are a view of the group that somebody could have had. At each position
everybody is in the epoch that they should prefer with what was published until then (ruling R21). An
exclusion does not end membership; it acts on the epochs that follow (R16). A person who is excluded stays
in the last epoch that they are in, marked as excluded, until somebody adds them again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.epochs import KeyRanks, in_key_order
from scuttlehouse.groups.member_bits import MemberBits
from scuttlehouse.tangles.causality import mask_of

MOST_TURNS = 50
"""For people with the same epochs to choose from, so many turns by additions of others are told."""


class Change(NamedTuple):
    """A person added to an epoch or excluded from it, by the message at a position.

    ``causal_rank`` is the rank of the message after all that it knows of (``Judged.ranks``). ``time_ms`` is
    the time of the message, in milliseconds since 1970. None if it has no time.
    """

    position: int
    causal_rank: int
    time_ms: int | None
    epoch_id: str
    person_id: str
    change: Literal["add", "exclude"]


class Period(NamedTuple):
    """A person in an epoch, from a position until the next period begins.

    The last period of a person has no end: ``to_position`` and ``to_ms`` are None. ``from_ms`` and
    ``to_ms`` are also None if the message there has no time. The times of a person's periods never run
    backwards: if a message has an earlier time than the period before, the time of that period counts.

    As people are added to forked epochs, one epoch may come to hold all members of another, again and again.
    Each such turn changes what all who are in both prefer, so the number of periods would be a product. After
    ``MOST_TURNS`` of them a period shows the epoch that the person prefers in the end. What is done to the
    person is always told.
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

    Those of a person come in order, and each comes when the next one begins.

    Args:
        changes: the changes of one group, in any order. Changes at one position happen at once, as all
            outside the timeline do: of those of a person in an epoch, the last one by rank, and then by
            time, counts, and the least time. Without such a change, the least time of all counts.
        ancestry: the precedence of the group's epochs.
        key_ranks: the places of the epochs' keys.

    Complexity: O(changes + periods) operations on integers with a bit for each person of each epoch, while
    nobody is in two epochs that do not precede each other. If people are, :meth:`.MemberBits.first_of` adds
    to each of their additions, and to each change in what decides their answer, once for all who have the
    same choice; and to each change of an answer, a step for each choice with the same answer.

    >>> changes = [
    ...     Change(1, 1, 10, "x", "a", "add"), Change(1, 1, 10, "x", "b", "add"),
    ...     Change(2, 2, 20, "x", "b", "exclude"), Change(4, 1, 40, "y", "a", "add"),
    ... ]
    >>> for period in sorted(periods(changes, Ancestry({"x": [], "y": ["x"]}), {"x": 0, "y": 1})):
    ...     print(*period)
    a x False 1 10 4 40
    a y False 4 40 None None
    b x False 1 10 2 20
    b x True 2 20 None None
    """
    begun: dict[str, Moment] = {}
    latest: dict[str, int] = {}
    for person, moment in _moments(changes, ancestry, key_ranks):
        if moment.time_ms is not None:
            latest[person] = max(moment.time_ms, latest.get(person, moment.time_ms))
            moment = moment._replace(time_ms=latest[person])
        if person in begun:
            yield _period(person, begun[person], moment.position, moment.time_ms)
        begun[person] = moment
    for person, moment in begun.items():
        yield _period(person, moment, None, None)


def _period(person: str, begun: Moment, to_position: int | None, to_ms: int | None) -> Period:
    return Period(
        person,
        begun.epoch_id,
        begun.is_excluded,
        begun.position,
        begun.time_ms,
        to_position,
        to_ms,
    )


# A position in the timeline, and its time. An epoch and a person.
_Place = tuple[int, int | None]
_Member = tuple[str, str]


class _ChoicesSoFar:
    """The epochs that people can choose from: their epochs that no other of theirs succeeds.

    A choice is an integer with bits of epochs (:class:`.MemberBits`). Its answer is asked for again only
    where it may change: where the preferred epoch comes to hold all members of another one and more, or
    where one that decided against others is no longer within them. A stranger may add people to an epoch
    that thousands can choose.
    """

    def __init__(self, changes: Iterable[Change], ancestry: Ancestry, key_ranks: KeyRanks) -> None:
        people: dict[str, list[str]] = defaultdict(list)
        for one in changes:
            if one.change == "add":
                people[one.epoch_id].append(one.person_id)
        names = in_key_order(ancestry.in_order(), key_ranks)
        self._members = MemberBits((epoch, people[epoch]) for epoch in names)
        self._under = self._members.under(ancestry)
        self._alone = [1 << number for number in range(len(names))]
        # The places of the bits of members: all, those that are not yet in `_known`, and `_known` itself.
        self._added: set[int] = set()
        self._waiting: list[int] = []
        self._known = 0
        # For each person: their epochs and all that precede them, and those to choose from. Most people share
        # these integers.
        self._covered: dict[str, int] = {}
        self._choice: dict[str, int] = {}
        self._choosing: dict[int, set[str]] = defaultdict(set)
        # For each choice of several epochs that was asked for: the answer of `MemberBits.first_of`.
        self._answers: dict[int, tuple[int, dict[int, int]]] = {}
        # For each epoch: the choices that prefer it, and those that it decided.
        self._preferring: dict[int, set[int]] = defaultdict(set)
        self._decided: dict[int, set[int]] = defaultdict(set)
        # For each epoch, all others in the choices that prefer it, and all that it decided against. These may
        # be too many, where a choice is gone.
        self._rivals: dict[int, int] = defaultdict(int)
        self._larger: dict[int, int] = defaultdict(int)
        # The new members of epochs, since `changed` was called.
        self._grown: dict[int, list[str]] = defaultdict(list)
        # How often each answer may have changed, and where it did so without being asked for again.
        self._turns: Counter[int] = Counter()
        self._untold: dict[int, _Place] = {}

    def add(self, person: str, epoch: str) -> None:
        """Add a person to an epoch."""
        place, number = self._members.place_of(epoch, person), self._members.numbers[epoch]
        if place in self._added:
            return
        self._added.add(place)
        self._waiting.append(place)
        self._grown[number].append(person)
        covered, under = self._covered.get(person, 0), self._under[number]
        if covered >> number & 1:
            return
        self._covered[person] = covered | under if covered else under
        before = self._choice.get(person, 0)
        left = before & ~under
        self._choice[person] = left | self._alone[number] if left else self._alone[number]
        self._choosing[self._choice[person]].add(person)
        self._choosing[before].discard(person)
        if not self._choosing[before]:
            del self._choosing[before]
            self._forget(before)

    def changed(self, place: _Place) -> set[str]:
        """The people who prefer another epoch because epochs have new members, since the last call.

        Without those whose choice has had ``MOST_TURNS`` before.
        """
        again: set[int] = set()
        for number, people in self._grown.items():
            again.update(self._now_larger(number))
            again.update(self._no_longer_within(number, people))
        self._grown.clear()
        found: set[str] = set()
        for choice in again:
            before = self._forget(choice)
            self._turns[choice] += 1
            if self._turns[choice] > MOST_TURNS:
                self._untold[choice] = place
            elif self._of(choice) != before:
                found |= self._choosing[choice]
        return found

    def untold(self) -> Iterator[tuple[_Place, Iterable[str]]]:
        """The people whom ``changed`` left out, with the last place where it did so."""
        for choice, place in self._untold.items():
            yield place, self._choosing.get(choice, ())

    def preferred_by(self, person: str) -> str | None:
        """The epoch that a person prefers. None for somebody who is in no epoch."""
        choice = self._choice.get(person)
        return self._members.epochs[self._of(choice)] if choice else None

    def _now_larger(self, number: int) -> list[int]:
        """The choices that prefer a grown epoch, which now has all members of another one, and more."""
        rivals = self._rivals[number] & ~self._alone[number]
        if not rivals:
            return []
        smaller = self._members.smaller(rivals, number, self._known_members())
        self._rivals[number] = rivals & ~smaller
        return (
            [choice for choice in self._preferring[number] if choice & smaller] if smaller else []
        )

    def _no_longer_within(self, number: int, people: Iterable[str]) -> list[int]:
        """The choices that a grown epoch decided, which is no longer within all that it decided against."""
        larger = self._larger[number]
        if not larger:
            return []
        still = self._members.larger(larger, number, people, self._known_members())
        self._larger[number] = still
        lost = larger & ~still
        if not lost:
            return []
        return [one for one in self._decided[number] if self._answers[one][1][number] & lost]

    def _forget(self, choice: int) -> int | None:
        """Forget the answer of a choice, and return it."""
        if choice not in self._answers:
            return None
        number, decided = self._answers.pop(choice)
        self._preferring[number].discard(choice)
        for one in decided:
            self._decided[one].discard(choice)
        return number

    def _of(self, choice: int) -> int:
        """The epoch that R21 leaves of a choice: of the smallest ones (4.5) that with the least key."""
        if not choice & (choice - 1):
            return choice.bit_length() - 1
        if choice not in self._answers:
            found = self._members.first_of(choice, self._known_members())
            number, decided = self._answers[choice] = found
            self._preferring[number].add(choice)
            self._rivals[number] |= choice
            for one, larger in decided.items():
                self._decided[one].add(choice)
                self._larger[one] |= larger
        return self._answers[choice][0]

    def _known_members(self) -> int:
        """The members whom somebody has added, as bits."""
        if self._waiting:
            self._known |= mask_of(self._waiting)
            self._waiting.clear()
        return self._known


def _moments(
    changes: Iterable[Change], ancestry: Ancestry, key_ranks: KeyRanks
) -> Iterator[tuple[str, Moment]]:
    """The people with the moments where something changes for them, in order."""
    changes = list(changes)
    choices = _ChoicesSoFar(changes, ancestry, key_ranks)
    excluded: set[_Member] = set()
    states: dict[str, tuple[str, bool]] = {}

    def of(
        people: Iterable[str], place: _Place, times: Mapping[_Member, Sequence[int]]
    ) -> Iterator[tuple[str, Moment]]:
        for person in people:
            epoch = choices.preferred_by(person)
            if epoch is None:
                continue
            state = epoch, (epoch, person) in excluded
            if states.get(person) != state:
                states[person] = state
                own = times.get((epoch, person))
                time = place[1] if own is None else min(own, default=None)
                yield person, Moment(place[0], time, *state)

    for position, group in groupby(sorted(changes, key=_in_order), lambda one: one.position):
        at_once = list(group)
        for change in at_once:
            if change.change == "exclude":
                excluded.add((change.epoch_id, change.person_id))
            else:
                excluded.discard((change.epoch_id, change.person_id))
                choices.add(change.person_id, change.epoch_id)
        times: dict[_Member, list[int]] = defaultdict(list)
        for change in at_once:
            told = [] if change.time_ms is None else [change.time_ms]
            times[change.epoch_id, change.person_id] += told
        place = position, min((time for own in times.values() for time in own), default=None)
        touched = {one.person_id for one in at_once}
        touched |= choices.changed(place)
        yield from of(touched, place, times)
    for place, people in choices.untold():
        yield from of(people, place, {})


def _in_order(change: Change) -> tuple[int, int, bool, int, bool]:
    time = change.time_ms
    is_exclusion = change.change == "exclude"
    return change.position, change.causal_rank, time is None, time or 0, is_exclusion
