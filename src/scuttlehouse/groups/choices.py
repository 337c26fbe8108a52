"""The epoch that an author should have preferred, by what their message knew of (4.8.1, ruling R21)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.authority import GroupMessage
from scuttlehouse.groups.epochs import KeyRanks, in_key_order
from scuttlehouse.tangles.causality import bits_of


class _Own(NamedTuple):
    """What a person knows of their own epochs, as bits (:class:`KnownChoices`).

    ``known``: the additions of this person that they know of. ``covered``: the epochs of these additions, and
    all that precede them. ``tips``: those of the epochs that no other one succeeds. ``additions``: all
    additions to the tips; also to those that were tips once.
    """

    known: int = 0
    covered: int = 0
    tips: int = 0
    additions: int = 0


class KnownChoices:
    """The epochs that people could choose from, by the additions that their messages knew of.

    Each person of an addition has a bit. The bits of an epoch's additions are side by side, and above them is
    the bit of the epoch. So one sum of integers tells for all epochs at once whether some of their additions
    are in a set: a carry then arrives at the bit of the epoch. The epochs are in the order of their keys.

    >>> def addition(name, epoch, *people):
    ...     return GroupMessage(name, "", "add", epoch, people, (), (), (), True, False, None, 0)
    >>> additions = [addition("1", "x", "ann", "bob"), addition("2", "l", "ann")]
    >>> additions += [addition("3", "r", "ann", "bob")]
    >>> ancestry = Ancestry({"x": [], "l": ["x"], "r": ["x"]})
    >>> choices = KnownChoices(additions, ancestry, {"x": 0, "l": 1, "r": 2})
    >>> bits = [choices.bits[name] for name in "123"]
    >>> [choices.preferred("ann", sum(known)) for known in ([], bits[:1], bits[::2], bits)]
    [None, 'x', 'r', 'l']
    """

    bits: dict[str, int]
    """The bits of each addition, by its message."""

    def __init__(
        self, additions: Iterable[GroupMessage], ancestry: Ancestry, keys: KeyRanks
    ) -> None:
        to_epoch: dict[str, list[GroupMessage]] = defaultdict(list)
        for one in additions:
            to_epoch[one.epoch_id or ""].append(one)
        self.bits = defaultdict(int)
        # By the place of a bit: the person whom an addition adds, or the epoch.
        self._names: list[str] = []
        self._of_person: dict[str, int] = defaultdict(int)
        self._of_epoch: dict[int, int] = {}
        epochs: dict[str, int] = {}
        for epoch in in_key_order(ancestry.in_order(), keys):
            first = len(self._names)
            for one in to_epoch[epoch]:
                for person in one.person_ids:
                    self.bits[one.message_id] |= 1 << len(self._names)
                    self._of_person[person] |= 1 << len(self._names)
                    self._names.append(person)
            self._of_epoch[len(self._names)] = (1 << len(self._names)) - (1 << first)
            epochs[epoch] = 1 << len(self._names)
            self._names.append(epoch)
        self._epochs = sum(epochs.values())
        self._additions = (1 << len(self._names)) - 1 - self._epochs
        under = ancestry.masks_under(epochs)
        self._under = {place: under[self._names[place]] for place in self._of_epoch}
        self._own: dict[str, _Own] = defaultdict(_Own)
        self._answers: dict[tuple[int, int], str] = {}
        # For an epoch: additions to it, and the bits of everybody whom these add, in any epoch.
        self._inside: dict[int, tuple[int, int]] = {}

    def preferred(self, person: str, known: int) -> str | None:
        """The epoch that a person should prefer with what they know (R21). None if they know none.

        ``known`` are the additions that they know of, as ``bits``.

        Complexity: O(1) operations on integers with a bit for each person of each addition; also for each
        epoch to choose from whose key is less than that of the answer, and for each addition to these epochs
        or of the person that was not known at the last call. Where knowledge comes in branches, for all of
        these additions.
        """
        own = self._known_of(person, known & self._of_person[person])
        if not own.tips & (own.tips - 1):
            return self._names[own.tips.bit_length() - 1] if own.tips else None
        choice = own.tips, known & own.additions
        if choice not in self._answers:
            self._answers[choice] = self._first_of(*choice)
        return self._answers[choice]

    def _known_of(self, person: str, known: int) -> _Own:
        """Their epochs. Only what they did not know at the last call is looked at, if they know more now."""
        before = self._own[person]
        if before.known & ~known:
            before = _Own()
        if before.known != known:
            _, covered, tips, additions = before
            for place in bits_of(self._having(known & ~before.known)):
                if not covered >> place & 1:
                    covered |= self._under[place]
                    tips = tips & ~self._under[place] | 1 << place
                    additions |= self._of_epoch[place]
            before = self._own[person] = _Own(known, covered, tips, additions)
        return before

    def _having(self, additions: int) -> int:
        """The epochs that some of these additions are to."""
        return additions + self._additions & self._epochs

    def _first_of(self, tips: int, known: int) -> str:
        """The first of these epochs by key that does not have all members of another one, and more (4.5)."""
        while True:
            place = (tips & -tips).bit_length() - 1
            # One that has is not needed later: what has all members of it has all members of that other one.
            tips ^= 1 << place
            within = tips & ~self._having(known & ~self._people_in(place, known))
            if not self._is_one_smaller(within, place, known):
                return self._names[place]

    def _is_one_smaller(self, within: int, place: int, known: int) -> bool:
        """Whether one of these epochs, whose members are all in another one, lacks a member of that."""
        members = known & self._of_epoch[place]
        if within.bit_count() <= members.bit_count():
            return any(members & ~self._people_in(one, known) for one in bits_of(within))
        return any(
            within & ~self._having(known & self._of_person[self._names[one]])
            for one in bits_of(members)
        )

    def _people_in(self, place: int, known: int) -> int:
        """The bits of everybody who is a known member of an epoch, in any epoch.

        An author who writes thousands of messages knows more additions each time. So only further additions
        are looked at.
        """
        members = known & self._of_epoch[place]
        before, found = self._inside.get(place, (0, 0))
        if before & ~members:
            before = found = 0
        for one in bits_of(members & ~before):
            found |= self._of_person[self._names[one]]
        self._inside[place] = members, found
        return found
