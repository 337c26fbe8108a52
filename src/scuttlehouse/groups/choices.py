"""The epoch that an author should have preferred, by what their message knew of (4.8.1, ruling R21)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.authority import GroupMessage
from scuttlehouse.groups.epochs import KeyRanks, in_key_order, preferred_epoch
from scuttlehouse.tangles.causality import bits_of


class KnownChoices:
    """The epochs that people could choose from, by the additions that their messages knew of.

    ``additions`` are in the order of ``ancestry``, those of one epoch in any order.

    >>> def addition(epoch, *people):
    ...     return GroupMessage("", "", "add", epoch, people, (), (), (), True, False, None, 0)
    >>> additions = [addition("x", "ann", "bob"), addition("l", "ann"), addition("r", "ann", "bob")]
    >>> ancestry = Ancestry({"x": [], "l": ["x"], "r": ["x"]})
    >>> choices = KnownChoices(additions, ancestry, {"x": 0, "l": 1, "r": 2})
    >>> [choices.preferred("ann", known) for known in (0b000, 0b001, 0b101, 0b111)]
    [None, 'x', 'r', 'l']
    """

    def __init__(
        self, additions: Sequence[GroupMessage], ancestry: Ancestry, keys: KeyRanks
    ) -> None:
        self._additions = additions
        self._ancestry = ancestry
        self._keys = keys
        self._of_person: dict[str, int] = defaultdict(int)
        self._of_epoch: dict[str, int] = defaultdict(int)
        for place, one in enumerate(additions):
            self._of_epoch[one.epoch_id or ""] |= 1 << place
            for person in set(one.person_ids):
                self._of_person[person] |= 1 << place
        self._under = ancestry.masks_under(self._of_epoch)
        self._answers: dict[tuple[tuple[str, ...], int], str] = {}
        self._tips: dict[tuple[str, int], list[str]] = {}
        # For two epochs: additions to the first whose people are all in the second, by these additions.
        self._within: dict[tuple[str, str], tuple[int, int]] = {}

    def preferred(self, person: str, known: int) -> str | None:
        """The epoch that a person should prefer with what they know (R21). None if they know none.

        ``known`` are the additions that they know of, as bits in the order of ``additions``.

        Complexity: O(epochs to choose from) operations on integers with a bit for each addition; and, once
        for all people who know of the same additions and have a choice, the same for each two epochs, and
        O(additions to these epochs that were not known before). Where knowledge comes in branches, or there
        are more pairs of epochs than additions: O(additions to these epochs).
        """
        own = person, known & self._of_person[person]
        if own not in self._tips:
            left, found = own[1], []
            while left:
                # Of all that are left the last one precedes none.
                found.append(self._additions[left.bit_length() - 1].epoch_id or "")
                left &= ~self._under[found[-1]]
            self._tips[own] = sorted(found)
        tips = self._tips[own]
        if len(tips) < 2:
            return tips[0] if tips else None
        mask = 0
        for tip in tips:
            mask |= known & self._of_epoch[tip]
        choice = tuple(tips), mask
        if choice not in self._answers:
            # Of many epochs each is compared with all others at once.
            is_short = len(tips) ** 2 <= mask.bit_count()
            self._answers[choice] = self._first_of(tips, mask) if is_short else self._of(tips, mask)
        return self._answers[choice]

    def _of(self, tips: Sequence[str], known: int) -> str:
        members: dict[str, set[str]] = {tip: set() for tip in tips}
        for place in bits_of(known):
            one = self._additions[place]
            members[one.epoch_id or ""].update(one.person_ids)
        frozen = {tip: frozenset(people) for tip, people in members.items()}
        return preferred_epoch(tips, frozen, self._ancestry, self._keys).epoch_id

    def _first_of(self, tips: Sequence[str], known: int) -> str:
        """The same: the first by key that does not have all members of another one, and more (4.5)."""
        return next(
            tip
            for tip in in_key_order(tips, self._keys)
            if not any(
                self._is_within(other, tip, known) and not self._is_within(tip, other, known)
                for other in tips
                if other != tip
            )
        )

    def _is_within(self, inner: str, outer: str, known: int) -> bool:
        """Whether all known members of an epoch are known members of another one.

        An author who writes thousands of messages knows more additions each time. What was found for less
        knowledge stays true, so only further additions to the inner epoch are looked at.
        """
        of_outer = known & self._of_epoch[outer]
        found, by = self._within.get((inner, outer), (0, 0))
        if by & ~of_outer:
            found = 0
        left = known & self._of_epoch[inner] & ~found
        while left:
            least = left & -left
            people = self._additions[least.bit_length() - 1].person_ids
            if any(not self._of_person[person] & of_outer for person in people):
                break
            found |= least
            left ^= least
        self._within[inner, outer] = found, of_outer
        return not left
