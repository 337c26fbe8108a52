"""The members of many epochs as bits, to compare one epoch with all others at once (4.5, ruling R21)."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import or_

import numpy as np
from numpy.typing import NDArray

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.tangles.causality import bits_of, mask_of

_FEW = 8


class MemberBits:
    """Bits for the people of epochs, and numbers for the epochs.

    Each member of an epoch has a bit. The bits of an epoch's members are side by side, and above them is one
    for the epoch. So one sum of integers tells for all epochs at once whether some of their members are in
    a set: a carry then arrives at the bit of the epoch. Members who are not yet added, or not known, are the
    bits that ``known`` lacks.

    Epochs in arguments and results are other bits, one for each epoch by its number. These are few: what is
    remembered for each person would take the square of the members otherwise.

    Args:
        members: the epochs, in the order of their keys, with everybody who is ever added to them.

    >>> bits = MemberBits([("l", ["ann", "bob"]), ("r", ["ann"])])
    >>> bits.epochs, bits.numbers["r"], bits.place_of("r", "ann"), bin(bits.of_person("ann"))
    (['l', 'r'], 1, 3, '0b1001')
    """

    def __init__(self, members: Iterable[tuple[str, Iterable[str]]]) -> None:
        self.epochs: list[str] = []
        self.numbers: dict[str, int] = {}
        # By the place of a bit: the person who is a member, or the epoch.
        self._names: list[str] = []
        self._places: dict[tuple[str, str], int] = {}
        self._places_of: dict[str, list[int]] = defaultdict(list)
        # The places of the epochs, by their numbers, and of their first members.
        self._ends: list[int] = []
        self._firsts: list[int] = []
        for epoch, people in members:
            self._firsts.append(len(self._names))
            for person in dict.fromkeys(people):
                self._places[epoch, person] = len(self._names)
                self._places_of[person].append(len(self._names))
                self._names.append(person)
            self.numbers[epoch] = len(self.epochs)
            self.epochs.append(epoch)
            self._ends.append(len(self._names))
            self._names.append(epoch)
        self._all_ends = np.array(self._ends, np.int64)
        self._bits_of_epochs = mask_of(self._ends)
        self._bits_of_members = (1 << len(self._names)) - 1 - self._bits_of_epochs
        # For an epoch: known members, and the bits of these people in all epochs.
        self._people: dict[int, tuple[int, int]] = {}
        # For somebody who is in many epochs: their bits.
        self._kept: dict[str, int] = {}

    def place_of(self, epoch: str, person: str) -> int:
        """The place of the bit of a member of an epoch."""
        return self._places[epoch, person]

    def of_person(self, person: str) -> int:
        """The bits of a person in all epochs."""
        places = self._places_of.get(person, ())
        if not self._is_in_many(places):
            return mask_of(places)
        if person not in self._kept:
            self._kept[person] = mask_of(places)
        return self._kept[person]

    def _is_in_many(self, places: Sequence[int]) -> bool:
        """Whether it takes longer to set these bits than to read those of everybody, 64 at a time.

        At most 64 people are in so many epochs, so their bits may be kept.
        """
        return 64 * len(places) >= len(self._names)

    def of_members(self, epochs: int) -> int:
        """The bits of all members of these epochs."""
        if not epochs & (epochs - 1):
            return self._of_epoch(epochs.bit_length() - 1) if epochs else 0
        sizes = np.diff(self._all_ends, prepend=-1)
        return _as_integer(np.repeat(self._flags(epochs), sizes)) & self._bits_of_members

    def under(self, ancestry: Ancestry) -> list[int]:
        """Each epoch with all that precede it, by its number."""
        under = ancestry.masks_under(lambda epoch: 1 << self.numbers[epoch])
        return [under[epoch] for epoch in self.epochs]

    def of_known(self, person: str, known: int) -> int:
        """The epochs that a person is known to be a member of."""
        members = known & self.of_person(person)
        if members.bit_count() <= _FEW:
            return mask_of(bisect_left(self._ends, place) for place in bits_of(members))
        return self._numbered(self._having(members))

    def first_of(self, epochs: int, known: int) -> tuple[int, dict[int, int]]:
        """The first of these epochs that does not have all members of another one, and more (4.5).

        Returns:
            Its number; and others that decided, by number, each with those that have all of its members, and
            more.

        Complexity: operations on integers with a bit for each member: O(1), and for each epoch that decided
        O(its members or the epochs, whichever are fewer). Many decide only if each is within others than the
        rest are. Also O(members of these epochs who were not known at the last call); O(all members of an
        epoch), if one of them is no longer known.

        >>> bits = MemberBits([("l", ["ann", "bob"]), ("r", ["ann"])])
        >>> first, decided = bits.first_of(0b11, 0b1011)
        >>> bits.epochs[first], [bits.epochs[number] for number in decided]
        ('r', ['r'])
        """
        left = self._placed(epochs)
        decided: dict[int, int] = {}
        while True:
            number = bisect_left(self._ends, (left & -left).bit_length() - 1)
            others = left ^ 1 << self._ends[number]
            within = others & ~self._exceeding(number, known)
            smaller = next(filter(None, self._smaller(within, number, known)), 0)
            if not smaller:
                return number, {one: self._numbered(larger) for one, larger in decided.items()}
            one = bisect_left(self._ends, smaller.bit_length() - 1)
            # They are not needed to decide against others: what has all their members has all of this one's.
            larger = 1 << self._ends[number] | self._larger(others, one, known)
            decided[one] = decided.get(one, 0) | larger
            left &= ~larger

    def smaller(self, epochs: int, number: int, known: int) -> int:
        """Those of the epochs that this one has all members of, and more."""
        within = self._placed(epochs) & ~self._exceeding(number, known)
        return self._numbered(reduce(or_, self._smaller(within, number, known), 0))

    def larger(self, epochs: int, number: int, people: Iterable[str], known: int) -> int:
        """Those of the epochs that have all members of this one, and more.

        ``people`` are the members who may be missing in some of them.
        """
        holding = self._holding(people, self._placed(epochs), known)
        return self._numbered(holding & self._exceeding(number, known))

    def _smaller(self, within: int, number: int, known: int) -> Iterator[int]:
        """The epochs within this one that lack a member of it: some at a time, or none."""
        members = known & self._of_epoch(number)
        if within.bit_count() <= members.bit_count():
            while within:
                place = within.bit_length() - 1
                within ^= 1 << place
                if members & ~self._people_in(bisect_left(self._ends, place), known):
                    yield 1 << place
        else:
            for person in self._people_of(number, members):
                yield within & ~self._having(known & self.of_person(person))

    def _holding(self, people: Iterable[str], epochs: int, known: int) -> int:
        """Those of the epochs that have all these people."""
        for person in people:
            if not epochs:
                break
            epochs &= self._having(known & self.of_person(person))
        return epochs

    def _exceeding(self, number: int, known: int) -> int:
        """The epochs that have somebody who is not in this one."""
        return self._having(known & ~self._people_in(number, known))

    def _larger(self, epochs: int, number: int, known: int) -> int:
        """Those of the epochs that have all members of this one, and more. None if that takes too long."""
        members = known & self._of_epoch(number)
        if members.bit_count() > epochs.bit_count():
            return 0
        people = self._people_of(number, members)
        return self._holding(people, epochs & self._exceeding(number, known), known)

    def _people_in(self, number: int, known: int) -> int:
        """The bits of the known members of an epoch, in all epochs.

        What is known mostly grows. So only further members are looked at.
        """
        members = known & self._of_epoch(number)
        before, found = self._people.get(number, (0, 0))
        if members != before:
            if before & ~members:
                before = found = 0
            few: list[int] = []
            for person in self._people_of(number, members & ~before):
                places = self._places_of[person]
                if self._is_in_many(places):
                    found |= self.of_person(person)
                else:
                    few += places
            found |= mask_of(few)
            self._people[number] = members, found
        return found

    def _people_of(self, number: int, members: int) -> Iterator[str]:
        """These members of an epoch by their names."""
        first = self._firsts[number]
        return (self._names[first + one] for one in bits_of(members >> first))

    def _of_epoch(self, number: int) -> int:
        """The bits of all members of an epoch."""
        return (1 << self._ends[number]) - (1 << self._firsts[number])

    def _having(self, members: int) -> int:
        """The epochs that have some of these members, as bits at their places."""
        return members + self._bits_of_members & self._bits_of_epochs

    def _placed(self, epochs: int) -> int:
        """Epochs as bits at their places."""
        if epochs.bit_count() <= _FEW:
            return mask_of(self._ends[number] for number in bits_of(epochs))
        flags = np.zeros(len(self._names), np.uint8)
        flags[self._all_ends] = self._flags(epochs)
        return _as_integer(flags)

    def _numbered(self, placed: int) -> int:
        """The reverse of ``_placed``."""
        if placed.bit_count() <= _FEW:
            return mask_of(bisect_left(self._ends, place) for place in bits_of(placed))
        return _as_integer(_as_flags(placed, len(self._names))[self._all_ends])

    def _flags(self, epochs: int) -> NDArray[np.uint8]:
        return _as_flags(epochs, len(self.epochs))


def _as_flags(mask: int, count: int) -> NDArray[np.uint8]:
    data = np.frombuffer(mask.to_bytes((count + 7) // 8, "little"), np.uint8)
    return np.unpackbits(data, count=count, bitorder="little")


def _as_integer(flags: NDArray[np.uint8]) -> int:
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")
