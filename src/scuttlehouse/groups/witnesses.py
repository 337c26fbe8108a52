"""Who is a witness of which fork (group exclusion specification, section 3; ruling R19)."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.epochs import Members


class Witnesses:
    """The witnesses of the forks of a group, by the members of its epochs.

    >>> members = {"x": frozenset("abc"), "l": frozenset("abd"), "r": frozenset("acd")}
    >>> witnesses = Witnesses(members, Ancestry({"x": [], "l": ["x"], "r": ["x"]}))
    >>> sorted(witnesses.of("l", "r"))
    ['a']
    """

    def __init__(self, members: Members, ancestry: Ancestry) -> None:
        self._members = members
        self._ancestry = ancestry

    def of(self, left: str, right: str) -> frozenset[str]:
        """The members of two epochs and of all their nearest common predecessors.

        Empty if there is no common predecessor.

        Complexity: as :meth:`.Ancestry.nearest_common` and :meth:`among`.
        """
        return self.among(left, right, self._ancestry.nearest_common(left, right))

    def among(self, left: str, right: str, nearest: int) -> frozenset[str]:
        """The same, if the nearest common predecessors are known (as bits).

        Complexity: O(members of the smaller epoch). In a criss-cross an operation on integers with a bit for
        each epoch, for each member of both.
        """
        both = self._members[left] & self._members[right]
        if nearest & (nearest - 1):
            return frozenset(one for one in both if not nearest & ~self._declaring[one])
        epoch = self._ancestry.least_of(nearest)
        return both & self._members[epoch] if epoch is not None else frozenset()

    @cached_property
    def _declaring(self) -> dict[str, int]:
        """The epochs of each person, as bits."""
        found: dict[str, int] = defaultdict(int)
        for epoch in self._ancestry.in_order():
            bit = self._ancestry.mask_of([epoch])
            for person in self._members[epoch]:
                found[person] |= bit
        return found
