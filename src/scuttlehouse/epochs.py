"""The rules of epochs: precedence, forks, preference and who should be a member.

Plain functions over one group (group exclusion specification, sections 3 and 4; rulings R18 to
R24). Epochs and people are named by any text; the members of an epoch are those declared in it
(R16), an empty set if nobody is.

A key rank is the place of an epoch's key among all keys, in the order of their bytes (4.3, R23). An
epoch whose key the log does not tell has None, and comes after those with a rank; between two of
those the least id decides.

**An epoch without members**, by the letter: the empty set is a proper subset of every other, so
4.5 applies, and equals itself, so 4.4 does. But both bind witnesses only, of which such a fork has
none, and where there are none 4.7 says that nothing needs to be done. No person is concerned, as
nobody is declared there. A group's own preferred epoch follows the sets (R21), so an empty tip,
one that somebody made and added nobody to, is preferred to all others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import combinations
from typing import Literal, NamedTuple

Rule = Literal["only", "successor", "subset", "same", "overlapping"]
ForkRule = Literal["same", "subset", "overlapping", "disjoint"]
Members = Mapping[str, frozenset[str]]
Ancestors = Mapping[str, Mapping[str, int]]
KeyRanks = Mapping[str, int | None]


class Preference(NamedTuple):
    """The most preferred epoch and the rule that left it: the last one that had a choice to make.

    ``only``: one epoch declares the person; ``successor`` (4.2): it succeeds all others; ``subset``
    (4.5): all that are left have its members and more; ``same`` (4.4): all that are left have its
    members, and its key is the least; ``overlapping`` (4.6): its key is the least of what is left.
    """

    epoch_id: str
    rule: Rule


class Exclusion(NamedTuple):
    """A group/exclude-member message: who wrote it, in which epoch it stands, whom it excludes."""

    message_id: str
    author_id: str
    epoch_id: str
    person_ids: frozenset[str]


def precedence(previous: Mapping[str, Collection[str]]) -> dict[str, dict[str, int]]:
    """For every epoch the epochs that precede it, with the least number of steps to each.

    ``previous`` holds every epoch of the group with those it directly succeeds (ruling R18). What
    it lists that is no key of ``previous`` is no epoch of the group and counts for nothing. An
    epoch never precedes itself.

    Complexity: O(epochs * links). Deep chains are no trouble.

    >>> precedence({"x": [], "y": ["x"], "z": ["x", "y"]})
    {'x': {}, 'y': {'x': 1}, 'z': {'x': 1, 'y': 1}}
    """
    ancestors = {}
    for epoch in previous:
        distances: dict[str, int] = {}
        frontier, distance = [epoch], 0
        while frontier:
            distance += 1
            reached = {p for e in frontier for p in previous[e] if p in previous and p != epoch}
            frontier = [p for p in reached if p not in distances]
            distances.update(dict.fromkeys(frontier, distance))
        ancestors[epoch] = dict(sorted(distances.items()))
    return ancestors


def preferred_epoch(
    declaring: Collection[str], members: Members, ancestors: Ancestors, key_ranks: KeyRanks
) -> Preference:
    """The epoch that a person should prefer, among those that declare them (ruling R21).

    Keep what none of the others succeeds (4.2); drop every epoch whose members strictly contain
    another's (4.5); of equal memberships keep the least key (4.4); of what is left take the least
    key (4.6). One answer, whatever the order of ``declaring``. Section 4.8 would take the epochs
    two at a time, in any order, which has no answer where pairs beat each other in a ring.

    Raises:
        ValueError: no epoch declares the person.

    Complexity: O(n^2 * members) for n epochs.

    >>> members = {"x": frozenset("abc"), "l": frozenset("ab"), "r": frozenset("ab")}
    >>> ancestors = {"x": {}, "l": {"x": 1}, "r": {"x": 1}}
    >>> preferred_epoch(["x", "l", "r"], members, ancestors, {"x": 0, "l": 2, "r": 1})
    Preference(epoch_id='r', rule='same')
    """
    if not declaring:
        raise ValueError("A person whom no epoch declares has no epoch to prefer.")
    tips = unsucceeded(declaring, ancestors)
    if len(tips) == 1:
        return Preference(tips[0], "only" if len(set(declaring)) == 1 else "successor")
    smallest = _without_supersets(tips, members)
    if len(smallest) == 1:
        return Preference(smallest[0], "subset")
    left = _least_key_per_membership(smallest, members, key_ranks)
    return Preference(left[0], "same" if len(left) == 1 else "overlapping")


def group_preferred_epoch(
    tips: Collection[str], members: Members, key_ranks: KeyRanks
) -> str | None:
    """The epoch that a group as a whole should prefer: the rule of R21 over all its tips.

    None where two of the epochs that 4.5 and 4.4 leave are disjoint (4.7): then there are two
    groups of people who do not know of each other, and no epoch for all. Also None where there is
    no tip.

    Complexity: O(n^2 * members) for n tips.

    >>> members = {"l": frozenset("ab"), "r": frozenset("cd")}
    >>> group_preferred_epoch(["l", "r"], members, {"l": 0, "r": 1}) is None
    True
    """
    left = contenders(tips, members, key_ranks)
    if any(members[one].isdisjoint(members[other]) for one, other in combinations(left, 2)):
        return None
    return left[0] if left else None


def contenders(tips: Collection[str], members: Members, key_ranks: KeyRanks) -> list[str]:
    """The tips that 4.5 and 4.4 leave, the least key first: none is within another (R21).

    Complexity: O(n^2 * members) for n tips.

    >>> members = {"l": frozenset("ab"), "r": frozenset("abc"), "s": frozenset("ac")}
    >>> contenders("lrs", members, {"l": 2, "r": 0, "s": 1})
    ['s', 'l']
    """
    return _least_key_per_membership(_without_supersets(tips, members), members, key_ranks)


def fork_rule(left_members: frozenset[str], right_members: frozenset[str]) -> ForkRule:
    """The rule that two forked epochs fall under, in the order of sections 4.4 to 4.7.

    >>> fork_rule(frozenset("abd"), frozenset("abc"))
    'overlapping'
    """
    if left_members == right_members:
        return "same"
    if left_members < right_members or right_members < left_members:
        return "subset"
    return "disjoint" if left_members.isdisjoint(right_members) else "overlapping"


def fork_winner(left: str, right: str, members: Members, key_ranks: KeyRanks) -> str | None:
    """Which of two forked epochs wins: the subset (4.5), else the least key (4.4, 4.6).

    None where they are disjoint (4.7): neither is anything to the members of the other.

    >>> members = {"l": frozenset("ab"), "r": frozenset("abc")}
    >>> fork_winner("l", "r", members, {"l": 1, "r": 0})
    'l'
    """
    rule = fork_rule(members[left], members[right])
    if rule == "disjoint":
        return None
    if rule == "subset":
        return left if members[left] < members[right] else right
    return min(left, right, key=lambda epoch: _key_order(epoch, key_ranks))


def nearest_common_predecessors(left: str, right: str, ancestors: Ancestors) -> frozenset[str]:
    """The common predecessors that no other one succeeds (section 3).

    An epoch counts as a predecessor of itself here. Several in a criss-cross (ruling R19); none
    only where the two are of different groups.

    >>> ancestors = {"x": {}, "y": {"x": 1}, "l": {"x": 2, "y": 1}, "r": {"x": 1, "y": 1}}
    >>> nearest_common_predecessors("l", "r", ancestors)
    frozenset({'y'})
    """
    common = {left, *ancestors[left]} & {right, *ancestors[right]}
    succeeded = {predecessor for epoch in common for predecessor in ancestors[epoch]}
    return frozenset(common - succeeded)


def fork_witnesses(left: str, right: str, members: Members, ancestors: Ancestors) -> frozenset[str]:
    """The members of both epochs and of all their nearest common predecessors (section 3, R19).

    Nobody, where there is no common predecessor.

    >>> members = {"x": frozenset("abc"), "l": frozenset("abd"), "r": frozenset("acd")}
    >>> sorted(fork_witnesses("l", "r", members, {"x": {}, "l": {"x": 1}, "r": {"x": 1}}))
    ['a']
    """
    nearest = nearest_common_predecessors(left, right, ancestors)
    if not nearest:
        return frozenset()
    return (members[left] & members[right]).intersection(*(members[epoch] for epoch in nearest))


def correct_members(
    epoch: str,
    members: Members,
    exclusions: Iterable[Exclusion],
    past: Collection[str],
    previous: Mapping[str, Collection[str]],
    ancestors: Ancestors,
    creators: Mapping[str, str],
) -> frozenset[str]:
    """Who should be in epoch Z: all declared in any epoch, less those excluded up to Z (4.9, R24).

    An exclusion leads up to Z when its message is in the causal past of Z's init in the group
    tangle, or its author created an epoch Q that directly succeeds the epoch it stands in, where Q
    is Z or precedes Z. By the letter of 4.9 an exclusion is for ever: being added again does not
    undo it.

    Args:
        epoch: Z.
        members: the declared members of every epoch of the group.
        exclusions: those of the whole group.
        past: the messages before Z's init in the group tangle; a set, for speed.
        previous: the epochs that each epoch directly succeeds.
        ancestors: what ``precedence(previous)`` gives.
        creators: the person who created each epoch; the author of an exclusion is a person too.

    Complexity: O(links before Z + people declared or excluded).

    >>> members = {"x": frozenset("abcde"), "y": frozenset("abde"), "z": frozenset("ab")}
    >>> previous = {"x": [], "y": ["x"], "z": ["x"]}
    >>> exclusions = [
    ...     Exclusion("m1", "b", "x", frozenset("c")),
    ...     Exclusion("m2", "a", "x", frozenset("cd")),
    ... ]
    >>> creators = {"x": "a", "y": "b", "z": "a"}
    >>> ancestors = precedence(previous)
    >>> sorted(correct_members("z", members, exclusions, {"m2"}, previous, ancestors, creators))
    ['a', 'b', 'e']
    """
    led_to = {
        (creators[made], left)
        for made in (epoch, *ancestors[epoch])
        for left in previous[made]
        if made in creators
    }
    declared = frozenset[str]().union(*members.values())
    return declared.difference(
        *(
            exclusion.person_ids
            for exclusion in exclusions
            if exclusion.message_id in past or (exclusion.author_id, exclusion.epoch_id) in led_to
        )
    )


def unsucceeded(epochs: Collection[str], ancestors: Ancestors) -> list[str]:
    """The epochs that none of the others succeeds (4.2), sorted.

    >>> unsucceeded(["x", "y"], {"x": {}, "y": {"x": 1}})
    ['y']
    """
    succeeded = {predecessor for epoch in epochs for predecessor in ancestors[epoch]}
    return sorted(set(epochs) - succeeded)


def _without_supersets(epochs: Collection[str], members: Members) -> list[str]:
    """Without the epochs whose members strictly contain another's (4.5)."""
    return [e for e in epochs if not any(members[other] < members[e] for other in epochs)]


def _least_key_per_membership(
    epochs: Iterable[str], members: Members, key_ranks: KeyRanks
) -> list[str]:
    """Of equal memberships the epoch with the least key (4.4), by key."""
    winners: dict[frozenset[str], str] = {}
    for epoch in sorted(epochs, key=lambda epoch: _key_order(epoch, key_ranks)):
        winners.setdefault(members[epoch], epoch)
    return list(winners.values())


def _key_order(epoch: str, key_ranks: KeyRanks) -> tuple[bool, int, str]:
    rank = key_ranks.get(epoch)
    return rank is None, rank or 0, epoch
