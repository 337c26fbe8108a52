"""The members of many epochs as bits, to compare one epoch with all others at once (4.5, ruling R21)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.tangles.causality import bits_of


class MemberBits:
    """Bits for the people of epochs, and for the epochs.

    Each member of an epoch has a bit. The bits of an epoch's members are side by side, and above them is the
    bit of the epoch. So one sum of integers tells for all epochs at once whether some of their members are in
    a set: a carry then arrives at the bit of the epoch. Members who are not yet added, or not known, are the
    bits that ``known`` lacks. An epoch is also named by the ``place`` of its bit.

    Args:
        members: the epochs, in the order of their keys, with everybody who is ever added to them.

    >>> bits = MemberBits([("l", ["ann", "bob"]), ("r", ["ann"])])
    >>> bits.names, bits.places["r"], bits.of_member("r", "ann")
    (['ann', 'bob', 'l', 'ann', 'r'], 4, 8)
    """

    def __init__(self, members: Iterable[tuple[str, Iterable[str]]]) -> None:
        # By the place of a bit: the person who is a member, or the epoch.
        self.names: list[str] = []
        self.places: dict[str, int] = {}
        self._places_of_members: dict[tuple[str, str], int] = {}
        self.of_person: dict[str, int] = defaultdict(int)
        # The place of the first member.
        self._first: dict[int, int] = {}
        self._epochs = 0
        for epoch, people in members:
            first = len(self.names)
            for person in dict.fromkeys(people):
                self._places_of_members[epoch, person] = len(self.names)
                self.of_person[person] |= 1 << len(self.names)
                self.names.append(person)
            self.places[epoch] = len(self.names)
            self._first[len(self.names)] = first
            self._epochs |= 1 << len(self.names)
            self.names.append(epoch)
        self._members = (1 << len(self.names)) - 1 - self._epochs
        # For an epoch: known members, and the bits of these people in all epochs.
        self._people: dict[int, tuple[int, int]] = {}

    def of_member(self, epoch: str, person: str) -> int:
        """The bit of a member of an epoch."""
        return 1 << self._places_of_members[epoch, person]

    def of_epoch(self, place: int) -> int:
        """The bits of all members of an epoch."""
        return (1 << place) - (1 << self._first[place])

    def under(self, ancestry: Ancestry) -> dict[int, int]:
        """Each epoch with all that precede it, by place."""
        bits = {epoch: 1 << place for epoch, place in self.places.items()}
        return {self.places[epoch]: mask for epoch, mask in ancestry.masks_under(bits).items()}

    def having(self, members: int) -> int:
        """The epochs that have some of these members."""
        return members + self._members & self._epochs

    def first_of(self, epochs: int, known: int) -> tuple[int, dict[int, int]]:
        """The first of these epochs that does not have all members of another one, and more (4.5).

        Returns:
            Its place; and others that decided, by place, each with those that have all its members and more.

        Complexity: operations on integers with a bit for each member: O(1), and for each epoch that decided
        O(its members or the epochs, whichever are fewer). Many decide only if each is within others than the
        rest are. Also O(members of these epochs who were not known at the last call); O(all members of an
        epoch), if one of them is no longer known.

        >>> bits = MemberBits([("l", ["ann", "bob"]), ("r", ["ann"])])
        >>> first, decided = bits.first_of(0b10100, 0b1011)
        >>> bits.names[first], [bits.names[place] for place in decided]
        ('r', ['r'])
        """
        decided: dict[int, int] = {}
        while True:
            place = (epochs & -epochs).bit_length() - 1
            others = epochs ^ 1 << place
            within = others & ~self.exceeding(place, known)
            smaller = next(filter(None, self.smaller(within, place, known)), 0)
            if not smaller:
                return place, decided
            one = smaller.bit_length() - 1
            # They are not needed to decide against others: what has all their members has all of this one's.
            larger = 1 << place | self._larger(others, one, known)
            decided[one] = decided.get(one, 0) | larger
            epochs &= ~larger

    def smaller(self, within: int, place: int, known: int) -> Iterator[int]:
        """The epochs within this one that lack a member of it: some at a time, or none."""
        members = known & self.of_epoch(place)
        if within.bit_count() <= members.bit_count():
            while within:
                one = within.bit_length() - 1
                within ^= 1 << one
                if members & ~self._people_in(one, known):
                    yield 1 << one
        else:
            for person in self._people_of(place, members):
                yield within & ~self.having(known & self.of_person[person])

    def holding(self, people: Iterable[str], epochs: int, known: int) -> int:
        """Those of the epochs that have all these people."""
        for person in people:
            if not epochs:
                break
            epochs &= self.having(known & self.of_person[person])
        return epochs

    def exceeding(self, place: int, known: int) -> int:
        """The epochs that have somebody who is not in this one."""
        return self.having(known & ~self._people_in(place, known))

    def _larger(self, epochs: int, place: int, known: int) -> int:
        """Those of the epochs that have all members of this one, and more. None if that takes too long."""
        members = known & self.of_epoch(place)
        if members.bit_count() > epochs.bit_count():
            return 0
        people = self._people_of(place, members)
        return self.holding(people, epochs & self.exceeding(place, known), known)

    def _people_in(self, place: int, known: int) -> int:
        """The bits of the known members of an epoch, in all epochs.

        What is known mostly grows. So only further members are looked at.
        """
        members = known & self.of_epoch(place)
        before, found = self._people.get(place, (0, 0))
        if members != before:
            if before & ~members:
                before = found = 0
            for person in self._people_of(place, members & ~before):
                found |= self.of_person[person]
            self._people[place] = members, found
        return found

    def _people_of(self, place: int, members: int) -> Iterator[str]:
        """These members of an epoch by their names."""
        first = self._first[place]
        return (self.names[first + one] for one in bits_of(members >> first))
