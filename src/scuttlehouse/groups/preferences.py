"""Who prefers which epoch: the preference of every person of a group (rulings R19 and R21)."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.epochs import KeyRanks, Members, Rule, fork_witnesses, preferred_epoch


class PersonPreference(NamedTuple):
    """The epoch that a person should prefer, and the rule that decided (:class:`.epochs.Preference`).

    ``is_witness``: the person is a witness of the fork between this epoch and each other one that declares
    them and that no epoch of theirs succeeds. None if there is no other.
    """

    person_id: str
    epoch_id: str
    rule: Rule
    is_witness: bool | None


def preferences(
    members: Members, ancestry: Ancestry, key_ranks: KeyRanks
) -> list[PersonPreference]:
    """The preference of everybody whom an epoch declares, by person.

    Complexity: O(members) and, for each different choice of epochs, as
    :func:`scuttlehouse.groups.epochs.preferred_epoch` and a ``fork_witnesses`` for each epoch that loses.

    >>> members = {"x": frozenset("abc"), "l": frozenset("ab"), "r": frozenset("abc")}
    >>> ancestry = Ancestry({"x": [], "l": ["x"], "r": ["x"]})
    >>> [tuple(one) for one in preferences(members, ancestry, {"x": 0, "l": 2, "r": 1})]
    [('a', 'l', 'subset', True), ('b', 'l', 'subset', True), ('c', 'r', 'successor', None)]
    """
    declaring: dict[str, list[str]] = defaultdict(list)
    for epoch, people in members.items():
        for person in people:
            declaring[person].append(epoch)
    # Many people are members of the same epochs, so they prefer the same epoch.
    answers: dict[tuple[str, ...], tuple[str, Rule, frozenset[str] | None]] = {}
    found = []
    for person in sorted(declaring):
        own = tuple(declaring[person])
        if own not in answers:
            epoch, rule = preferred_epoch(own, members, ancestry, key_ranks)
            rivals = [other for other in ancestry.unsucceeded(own) if other != epoch]
            witnesses = [fork_witnesses(epoch, rival, members, ancestry) for rival in rivals]
            answers[own] = epoch, rule, frozenset.intersection(*witnesses) if rivals else None
        epoch, rule, seen_by = answers[own]
        is_witness = None if seen_by is None else person in seen_by
        found.append(PersonPreference(person, epoch, rule, is_witness))
    return found
