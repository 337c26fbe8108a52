"""Posts in an epoch by somebody who knew that they should prefer another epoch (4.8.1)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.authority import GroupMessage
from scuttlehouse.groups.causality import bits_of
from scuttlehouse.groups.epochs import KeyRanks, preferred_epoch


class Choices:
    """The epochs that people could choose from, by the additions that their messages knew of.

    Only forks need this. Somebody who knows of an epoch that succeeds all their others has no choice to make.
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
        self._answers: dict[tuple[tuple[str, ...], int], str] = {}
        self._tips: dict[tuple[str, int], list[str]] = {}

    def preferred(self, person: str, known: int) -> str | None:
        """The epoch that a person should prefer with what they know (R21). None if they know none.

        ``known`` are the additions that they know of, as bits in the order of ``additions``.

        Complexity: O(known additions), once for each set of additions of the person, and once for all people
        who know of the same additions to the same forked epochs.
        """
        own = person, known & self._of_person[person]
        if own not in self._tips:
            epochs = {self._additions[place].epoch_id or "" for place in bits_of(own[1])}
            self._tips[own] = self._ancestry.unsucceeded(epochs)
        tips = self._tips[own]
        if len(tips) < 2:
            return tips[0] if tips else None
        mask = 0
        for tip in tips:
            mask |= known & self._of_epoch[tip]
        choice = tuple(tips), mask
        if choice not in self._answers:
            members: dict[str, set[str]] = {tip: set() for tip in tips}
            for place in bits_of(mask):
                members[self._additions[place].epoch_id or ""].update(
                    self._additions[place].person_ids
                )
            frozen = {tip: frozenset(people) for tip, people in members.items()}
            self._answers[choice] = preferred_epoch(
                tips, frozen, self._ancestry, self._keys
            ).epoch_id
        return self._answers[choice]
