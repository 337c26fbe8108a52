"""Who prefers which epoch: the preference of every person of a group (rulings R19 and R21)."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.epochs import (
    KeyRanks,
    Members,
    Rule,
    having_all,
    holders,
    in_key_order,
    smallest_of,
)
from scuttlehouse.tangles.causality import bits_of


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

    Complexity: O(members), and O(epochs) for each different choice of epochs, operations on integers with a
    bit for each epoch; for each criss-cross of a choice also O(common predecessors + their links), in machine
    code.

    >>> members = {"x": frozenset("abc"), "l": frozenset("ab"), "r": frozenset("abc")}
    >>> ancestry = Ancestry({"x": [], "l": ["x"], "r": ["x"]})
    >>> [tuple(one) for one in preferences(members, ancestry, {"x": 0, "l": 2, "r": 1})]
    [('a', 'l', 'subset', True), ('b', 'l', 'subset', True), ('c', 'r', 'successor', None)]
    """
    names = in_key_order(members, key_ranks)
    people = [members[epoch] for epoch in names]
    declaring = holders(people)
    larger = [having_all(declared, declaring) for declared in people]
    places = {epoch: place for place, epoch in enumerate(names)}

    # Many people are members of the same epochs, so they prefer the same epoch, and witness the same forks.
    @cache
    def prefer(own: int) -> tuple[str, Rule, bool | None]:
        declared = [names[place] for place in bits_of(own)]
        tips = ancestry.unsucceeded(declared)
        if len(tips) == 1:
            return tips[0], "only" if len(declared) == 1 else "successor", None
        smallest = smallest_of(sum(1 << places[tip] for tip in tips), larger, people)
        first = (smallest & -smallest).bit_length() - 1
        others, epoch = smallest ^ 1 << first, names[first]
        elsewhere = ~ancestry.mask_of(declared)
        is_witness = all(
            (nearest := ancestry.nearest_common(epoch, tip)) and not nearest & elsewhere
            for tip in tips
            if tip != epoch
        )
        if not others:
            return epoch, "subset", is_witness
        # None of them is within another, so what has all members of the first has the same members.
        return epoch, "overlapping" if others & ~larger[first] else "same", is_witness

    return [PersonPreference(person, *prefer(own)) for person, own in sorted(declaring.items())]
