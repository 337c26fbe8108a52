"""Who was in which epoch when, along the timeline of a group.

The timeline is the order of the group tangle. Everything that a message lists there comes before it, and what
it knows of only by other tangles is known from its position (:func:`places_of`). So what is known at any
position is a view of the group that somebody could have had. At each position everybody is in the epoch that
they should prefer with what was published until then (ruling R21). An exclusion does not end membership; it
acts on the epochs that follow (R16). A person who is excluded stays in the last epoch that they are in,
marked as excluded, until somebody adds them again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.authority import Judged
from scuttlehouse.groups.epochs import KeyRanks
from scuttlehouse.groups.growing_choices import GrowingChoices, Place
from scuttlehouse.groups.messages import GroupMessage, known_directly


class Change(NamedTuple):
    """A person added to an epoch or excluded from it, from the position where that is known (``places_of``).

    ``causal_rank`` is the rank of the message after all that it knows of (``Judged.ranks``). ``time_ms`` is
    the time of the message, in milliseconds since 1970. None if it has no time. ``asserted_ms`` is the time
    that its author says, and so has signed. None if they say none.
    """

    position: int
    causal_rank: int
    time_ms: int | None
    asserted_ms: float | None
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
    ``MOST_TURNS`` of them (:mod:`scuttlehouse.groups.growing_choices`) a period shows the epoch that the
    person prefers in the end. What is done to the person is always told.
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


def places_of(messages: Sequence[GroupMessage], judged: Judged) -> dict[str, int]:
    """The position from which each message is known: its own, or that of an earlier act that knows of it.

    An act may be in its members tangle and not in the timeline, where somebody who knows of it may be (4.10:
    each tangle has its own gaps). Only acts that count show what is known: a stranger's message does not.

    Args:
        messages: the messages of one group.
        judged: what their acts are worth.

    Complexity: O(n log n + links) in the messages.

    >>> from scuttlehouse.groups.authority import judge
    >>> def message(name, kind, people, position, *previous):
    ...     epoch = None if kind == "init" else "x"
    ...     return GroupMessage(
    ...         name, "ann", kind, epoch, people, previous, None, [], True, False, None, position
    ...     )
    >>> messages = [
    ...     message("x", "init", [], 0), message("1", "add", ["bob"], 1, "x"),
    ...     message("2", "exclude", ["bob"], 3, "1"), message("3", "add", ["bob"], 2, "2"),
    ... ]
    >>> places_of(messages, judge(messages))
    {'x': 0, '1': 1, '2': 2, '3': 2}
    """
    known, _ = known_directly(messages)
    own = {one.message_id: one.position for one in messages}
    # The first position of the acts that count and know of each message, or are it.
    shown: dict[str, int] = {}
    for name in sorted(known, key=judged.ranks.__getitem__, reverse=True):
        if name in judged.counting:
            shown[name] = min(own[name], shown.get(name, own[name]))
        if name in shown:
            for one in known[name]:
                shown[one] = min(shown[name], shown.get(one, shown[name]))
    return {name: min(place, shown.get(name, place)) for name, place in own.items()}


def periods(changes: Iterable[Change], ancestry: Ancestry, key_ranks: KeyRanks) -> Iterator[Period]:
    """The periods of everybody who was ever added, without gaps and without overlaps.

    Those of a person come in order, and each comes when the next one begins.

    Args:
        changes: the changes of one group, in any order. Changes at one position happen at once, as all
            outside the timeline do: of those of a person in an epoch, the last one by rank, and then by
            asserted time, counts, and the least time. Without such a change, the least time of all counts.
        ancestry: the precedence of the group's epochs.
        key_ranks: the places of the epochs' keys.

    Complexity: O(changes + periods) operations on integers with a bit for each person of each epoch, while
    nobody is in two epochs that do not precede each other. If people are, :meth:`.MemberBits.first_of` adds
    to each of their additions, and to each change in what decides their answer, once for all who have the
    same choice; and to each change of an answer, a step for each choice with the same answer.

    >>> changes = [
    ...     Change(1, 1, 10, 10, "x", "a", "add"), Change(1, 1, 10, 10, "x", "b", "add"),
    ...     Change(2, 2, 20, 20, "x", "b", "exclude"), Change(4, 1, 40, 40, "y", "a", "add"),
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


# An epoch and a person.
_Member = tuple[str, str]


def _moments(
    changes: Iterable[Change], ancestry: Ancestry, key_ranks: KeyRanks
) -> Iterator[tuple[str, Moment]]:
    """The people with the moments where something changes for them, in order."""
    changes = list(changes)
    additions = ((one.epoch_id, one.person_id) for one in changes if one.change == "add")
    choices = GrowingChoices(additions, ancestry, key_ranks)
    excluded: set[_Member] = set()
    states: dict[str, tuple[str, bool]] = {}

    def of(
        people: Iterable[str], place: Place, times: Mapping[_Member, Sequence[int]]
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


def _in_order(change: Change) -> tuple[int, int, bool, float, bool]:
    # Any log can claim to have received a message earlier.
    time = change.asserted_ms
    is_exclusion = change.change == "exclude"
    return change.position, change.causal_rank, time is None, time or 0, is_exclusion
