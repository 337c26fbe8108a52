"""Past and present forks: which epochs, which one wins, which one healed it (3, 4.4 to 4.7, R20)."""

from __future__ import annotations

import heapq
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.epochs import (
    ForkRule,
    KeyRanks,
    Members,
    contenders,
    fork_rule,
    fork_winner,
    having_all,
    holders,
    in_key_order,
)
from scuttlehouse.groups.witnesses import Witnesses
from scuttlehouse.tangles.causality import bits_of

MOST_RIVALS = 50
"""An epoch that begins is paired with at most this many others, and with as many that are still newest."""

# The place of an epoch's first message in the group's timeline, and its time in milliseconds since 1970.
Beginnings = Mapping[str, tuple[int, int | None]]


class Fork(NamedTuple):
    """A pair of epochs that were newest at the same time. The lesser id is on the left.

    ``is_current``: both are still newest. ``healed_by_epoch_id``: the epoch that ended the fork, None if no
    epoch did. ``began_ms``: the time of the later one of the two first messages, None if neither has a time.
    ``needs_repair``: somebody must create an epoch (4.6).
    """

    left_epoch_id: str
    right_epoch_id: str
    nearest_epoch_id: str | None
    rule: ForkRule
    winner_epoch_id: str | None
    loser_epoch_id: str | None
    witness_ids: list[str]
    is_criss_cross: bool
    is_current: bool
    healed_by_epoch_id: str | None
    began_ms: int | None
    needs_repair: bool


def forks(
    previous: Mapping[str, Sequence[str]],
    members: Members,
    key_ranks: KeyRanks,
    beginnings: Beginnings,
) -> Iterator[Fork]:
    """All forks of a group. Each epoch is paired with the epochs that were newest when it began.

    The first epoch that succeeds both heals a fork. So does an epoch that directly succeeds one of the two
    and has only members who are in both, at least one: 4.5 or 4.4 then prefers it (4.6).
    If more than ``MOST_RIVALS`` epochs were newest, an epoch is paired only with those that have the least
    keys, because the number of all pairs is the square of the number of forked epochs. Of the epochs that are
    still newest, each is also paired with as many others: all of them, if there are no more.

    The forks come in the order in which the later one of their two epochs begins; those of one epoch by the
    key of the other.

    Args:
        previous: every epoch of the group that counts, with those of them that it follows.
        members: the declared members of each epoch.
        key_ranks: the places of the epochs' keys.
        beginnings: the place and time at which each epoch begins.

    Raises:
        KeyError: epochs succeed each other in a loop.

    Complexity: O(members + links + forks * members of the smaller epoch) operations on integers with a bit
    for each epoch; for each criss-cross also O(common predecessors + their links), in machine code.

    >>> previous = {"x": [], "l": ["x"], "r": ["x"], "z": ["l"]}
    >>> members = {"x": frozenset("abcd"), "l": frozenset("abd"), "r": frozenset("abc"), "z": frozenset("ab")}
    >>> times = {"x": (0, 10), "l": (1, 20), "r": (2, 15), "z": (3, 30)}
    >>> for fork in forks(previous, members, {"x": 0, "l": 1, "r": 2, "z": 3}, times):
    ...     print(fork.left_epoch_id, fork.right_epoch_id, fork.rule, fork.healed_by_epoch_id, fork.began_ms)
    l r overlapping z 20
    r z subset None 30
    """
    ancestry = Ancestry(previous)
    witnesses = Witnesses(members, ancestry)
    order = _in_time(previous, beginnings)
    place = {epoch: at for at, epoch in enumerate(order)}
    # The epochs that succeed each epoch, as bits in the order of time.
    after = dict.fromkeys(order, 0)
    for epoch in reversed(order):
        for one in previous[epoch]:
            after[one] |= after[epoch] | 1 << place[epoch]
    pairs = list(_pairs(order, previous, key_ranks))
    first_within = _first_within(order, previous, members, pairs)
    tips = ancestry.unsucceeded(list(previous))
    undecided = set(contenders([tip for tip in tips if members[tip]], members, key_ranks))

    for left, right in pairs:
        nearest = ancestry.nearest_common(left, right)
        people = witnesses.among(left, right, nearest)
        rule = fork_rule(members[left], members[right])
        winner = fork_winner(left, right, members, key_ranks)
        both = after[left] & after[right]
        healing = [
            first_within[pair] for pair in ((left, right), (right, left)) if pair in first_within
        ]
        if both:
            healing.append((both & -both).bit_length() - 1)
        times = [time for one in (left, right) if (time := beginnings[one][1]) is not None]
        yield Fork(
            left,
            right,
            ancestry.least_of(nearest),
            rule,
            winner,
            None if winner is None else left if winner == right else right,
            sorted(people),
            nearest.bit_count() > 1,
            not after[left] and not after[right],
            order[min(healing)] if healing else None,
            max(times, default=None),
            rule == "overlapping" and bool(people) and {left, right} <= undecided,
        )


def _pairs(
    order: Sequence[str], previous: Mapping[str, Sequence[str]], key_ranks: KeyRanks
) -> Iterator[tuple[str, str]]:
    """Each epoch with those that were newest when it began. The lesser id comes first."""
    named = in_key_order(previous, key_ranks)
    place = {epoch: at for at, epoch in enumerate(named)}
    succeeded = {one for listed in previous.values() for one in listed}
    # The newest epochs by key, and those of them that are still newest at the end.
    tips: list[int] = []
    lasting: list[int] = []
    for epoch in order:
        for one in previous[epoch]:
            at = bisect_left(tips, place[one])
            if tips[at : at + 1] == [place[one]]:
                del tips[at]
        rivals = tips[:MOST_RIVALS]
        if epoch not in succeeded:
            rivals = sorted({*rivals, *lasting[:MOST_RIVALS]})
            insort(lasting, place[epoch])
        for rival in rivals:
            yield min(epoch, named[rival]), max(epoch, named[rival])
        insort(tips, place[epoch])


def _first_within(
    order: Sequence[str],
    previous: Mapping[str, Sequence[str]],
    members: Members,
    pairs: Sequence[tuple[str, str]],
) -> dict[tuple[str, str], int]:
    """For an epoch and its rival: the first direct successor of the epoch that is within both (4.6).

    Successors are places in ``order``. One without members is within none. Every pair is found once, so an
    epoch with many rivals and many successors costs no more than the two counts together.
    """
    place = {epoch: at for at, epoch in enumerate(order)}
    having = holders([members[epoch] for epoch in order])
    rivals = dict.fromkeys(order, 0)
    for left, right in pairs:
        rivals[left] |= 1 << place[right]
        rivals[right] |= 1 << place[left]
    found = {}
    for at, epoch in enumerate(order):
        larger = having_all(members[epoch], having)
        for one in previous[epoch]:
            if larger >> place[one] & 1:
                for rival in bits_of(larger & rivals[one]):
                    found[one, order[rival]] = at
                rivals[one] &= ~larger
    return found


def _in_time(previous: Mapping[str, Sequence[str]], beginnings: Beginnings) -> list[str]:
    """The epochs by their beginnings. Each comes after those that it succeeds."""
    unmet = {epoch: len(set(listed)) for epoch, listed in previous.items()}
    followers: dict[str, list[str]] = defaultdict(list)
    for epoch, listed in previous.items():
        for one in set(listed):
            followers[one].append(epoch)
    free = [(beginnings[epoch][0], epoch) for epoch, count in unmet.items() if not count]
    heapq.heapify(free)
    placed = []
    while free:
        _, epoch = heapq.heappop(free)
        placed.append(epoch)
        for follower in followers[epoch]:
            unmet[follower] -= 1
            if not unmet[follower]:
                heapq.heappush(free, (beginnings[follower][0], follower))
    return placed
