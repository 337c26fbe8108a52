"""The rules of epochs: forks and preference.

Plain functions over the epochs of one group that count (group exclusion specification, sections 3 and
4; rulings R18 to R23, R30 and R32). Epochs and people have any text as their name. The members of an
epoch are the people declared in it (R16); the set is empty if nobody is.

A key rank is the place of an epoch's key among those of its group, in the order of their bytes (4.3, R23).
It is None if the log does not show the key, or if the key is too short (R31). Epochs without a rank come
after those with one, in the order of their ids.

**An epoch without members.** By the letter, the empty set is a proper subset of every other set, so 4.5
applies, and it equals itself, so 4.4 applies. But both sections are about witnesses, and such a fork has
none. Without witnesses, 4.7 says that nothing needs to be done. Nobody is declared there, so nobody is
affected. The preferred epoch of the group as a whole compares the sets (R21), so it prefers a tip without
members to all others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.tangles.causality import bits_of

Rule = Literal["only", "successor", "subset", "same", "overlapping"]
ForkRule = Literal["same", "subset", "overlapping", "disjoint"]
Members = Mapping[str, frozenset[str]]
KeyRanks = Mapping[str, int | None]


class Preference(NamedTuple):
    """The preferred epoch, and the rule that decided: the last rule that had a choice to make.

    ``only``: one epoch declares the person. ``successor`` (4.2): it succeeds all others. ``subset``
    (4.5): all that were left have its members and more. ``same`` (4.4): all that were left have its
    members, and its key is the least. ``overlapping`` (4.6): its key is the least of those that were left.
    """

    epoch_id: str
    rule: Rule


def preferred_epoch(
    declaring: Collection[str], members: Members, ancestry: Ancestry, key_ranks: KeyRanks
) -> Preference:
    """The epoch that a person should prefer, of the epochs that declare them (ruling R21).

    Keep the epochs that no other succeeds (4.2). Drop every epoch that has all members of another, and more
    (4.5). Of epochs with the same members, keep the one with the least key (4.4). Of the rest, take the
    least key (4.6). The answer does not depend on the order of ``declaring``. Section 4.8 would take the
    epochs two at a time, in any order. That gives no answer where pairs beat each other in a ring.

    Raises:
        ValueError: no epoch declares the person.

    Complexity: O(n * members) operations on integers with a bit for each of the n epochs.

    >>> members = {"x": frozenset("abc"), "l": frozenset("ab"), "r": frozenset("ab")}
    >>> ancestry = Ancestry({"x": [], "l": ["x"], "r": ["x"]})
    >>> preferred_epoch(["x", "l", "r"], members, ancestry, {"x": 0, "l": 2, "r": 1})
    Preference(epoch_id='r', rule='same')
    """
    if not declaring:
        raise ValueError("A person whom no epoch declares has no epoch to prefer.")
    tips = ancestry.unsucceeded(declaring)
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

    None if two of the epochs that 4.5 and 4.4 leave are disjoint (4.7). Then there are two groups of
    people who do not know of each other, and no epoch is for all. Also None if there is no tip.

    Complexity: as :func:`preferred_epoch`.

    >>> members = {"l": frozenset("ab"), "r": frozenset("cd")}
    >>> group_preferred_epoch(["l", "r"], members, {"l": 0, "r": 1}) is None
    True
    """
    left = contenders(tips, members, key_ranks)
    holding = holders([members[epoch] for epoch in left])
    everybody = (1 << len(left)) - 1
    for epoch in left:
        met = 0
        for person in members[epoch]:
            met |= holding[person]
            if met == everybody:
                break
        # An epoch without members meets not even itself.
        if met != everybody and len(left) > 1:
            return None
    return left[0] if left else None


def contenders(tips: Collection[str], members: Members, key_ranks: KeyRanks) -> list[str]:
    """The tips that 4.5 and 4.4 leave, the least key first. None of them is within another (R21).

    Complexity: as :func:`preferred_epoch`.

    >>> members = {"l": frozenset("ab"), "r": frozenset("abc"), "s": frozenset("ac")}
    >>> contenders("lrs", members, {"l": 2, "r": 0, "s": 1})
    ['s', 'l']
    """
    return _least_key_per_membership(_without_supersets(tips, members), members, key_ranks)


def fork_rule(left_members: frozenset[str], right_members: frozenset[str]) -> ForkRule:
    """The rule that applies to two forked epochs, in the order of sections 4.4 to 4.7.

    Complexity: O(members).

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

    None if they are disjoint (4.7): the members of one have nothing to do with the other.

    Complexity: O(members).

    >>> members = {"l": frozenset("ab"), "r": frozenset("abc")}
    >>> fork_winner("l", "r", members, {"l": 1, "r": 0})
    'l'
    """
    rule = fork_rule(members[left], members[right])
    if rule == "disjoint":
        return None
    if rule == "subset":
        return left if members[left] < members[right] else right
    return in_key_order([left, right], key_ranks)[0]


def _without_supersets(epochs: Collection[str], members: Members) -> list[str]:
    """The epochs without those that have all members of another, and more (4.5)."""
    memberships = list(dict.fromkeys(members[epoch] for epoch in epochs))
    holding = holders(memberships)
    larger = 0
    for place, people in enumerate(memberships):
        own = 1 << place
        containing = (1 << len(memberships)) - 1
        for person in people:
            containing &= holding[person]
            if containing == own:
                break
        larger |= containing ^ own
    left = {people for place, people in enumerate(memberships) if not larger >> place & 1}
    return [epoch for epoch in epochs if members[epoch] in left]


def smallest_of(choice: int, containing: Sequence[int], members: Sequence[Collection[str]]) -> int:
    """The epochs of a choice without those that have all members of another of them, and more (4.5), as bits.

    For many choices between the same epochs. ``containing`` has the epochs with all members of each, as bits.

    Complexity: O(epochs of the choice) operations on integers with a bit for each epoch.

    >>> members = ["abc", "ab", "ac", "ab"]
    >>> bin(smallest_of(0b1111, [0b0001, 0b1011, 0b0101, 0b1011], members))
    '0b1110'
    """
    of_size: dict[int, list[int]] = defaultdict(list)
    for place in bits_of(choice):
        of_size[len(members[place])].append(place)
    larger = 0
    for places in of_size.values():
        same_size = found = 0
        for place in places:
            same_size |= 1 << place
            found |= containing[place]
        larger |= found & ~same_size
    return choice & ~larger


def holders(memberships: Iterable[frozenset[str]]) -> dict[str, int]:
    """For each person the memberships that have them, as bits.

    Complexity: O(members) operations on integers with a bit for each membership.

    >>> {person: bin(own) for person, own in sorted(holders([frozenset("ab"), frozenset("b")]).items())}
    {'a': '0b1', 'b': '0b11'}
    """
    found: dict[str, int] = defaultdict(int)
    for place, people in enumerate(memberships):
        for person in people:
            found[person] |= 1 << place
    return found


def having_all(people: Collection[str], holding: Mapping[str, int]) -> int:
    """The memberships with all these people, as bits. None without people: nobody can choose such an epoch.

    ``holding`` is the answer of :func:`holders`.

    Complexity: O(people) operations on integers with a bit for each membership.

    >>> bin(having_all("ab", holders([frozenset("ab"), frozenset("b"), frozenset("abc")])))
    '0b101'
    """
    found = -1 if people else 0
    for person in people:
        found &= holding[person]
    return found


def _least_key_per_membership(
    epochs: Iterable[str], members: Members, key_ranks: KeyRanks
) -> list[str]:
    """One epoch for each membership: the one with the least key (4.4). They are in key order."""
    winners: dict[frozenset[str], str] = {}
    for epoch in in_key_order(epochs, key_ranks):
        winners.setdefault(members[epoch], epoch)
    return list(winners.values())


def in_key_order(epochs: Iterable[str], key_ranks: KeyRanks) -> list[str]:
    """The epochs by their keys, the least first. Epochs without a rank come last, by id (4.3).

    Complexity: O(n log n).

    >>> in_key_order("abc", {"a": None, "b": 1, "c": 0})
    ['c', 'b', 'a']
    """
    return sorted(epochs, key=lambda epoch: _key_order(epoch, key_ranks))


def _key_order(epoch: str, key_ranks: KeyRanks) -> tuple[bool, int, str]:
    rank = key_ranks.get(epoch)
    return rank is None, rank or 0, epoch
