"""What people prefer as others are added to epochs, one addition after the other (ruling R21)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.epochs import KeyRanks, in_key_order
from scuttlehouse.groups.member_bits import MemberBits
from scuttlehouse.tangles.causality import mask_of

MOST_TURNS = 50
"""For people with the same epochs to choose from, so many turns by additions of others are told."""

# A position in the timeline, and its time.
Place = tuple[int, int | None]


class GrowingChoices:
    """The epochs that people can choose from: their epochs that no other of theirs succeeds.

    A choice is an integer with bits of epochs (:class:`.MemberBits`). Its answer is asked for again only
    where it may change: where the preferred epoch comes to hold all members of another one and more, or
    where one that decided against others is no longer within them. A stranger may add people to an epoch
    that thousands can choose.

    Args:
        additions: each epoch with each person who is ever added to it.
        ancestry: the precedence of the epochs.
        key_ranks: the places of their keys.

    >>> additions = [("l", "ann"), ("l", "bob"), ("r", "ann")]
    >>> choices = GrowingChoices(additions, Ancestry({"l": [], "r": []}), {"l": 0, "r": 1})
    >>> for epoch, person in additions:
    ...     choices.add(person, epoch)
    >>> choices.preferred_by("ann"), choices.preferred_by("bob")
    ('r', 'l')
    """

    def __init__(
        self, additions: Iterable[tuple[str, str]], ancestry: Ancestry, key_ranks: KeyRanks
    ) -> None:
        people: dict[str, list[str]] = defaultdict(list)
        for epoch, person in additions:
            people[epoch].append(person)
        names = in_key_order(ancestry.in_order(), key_ranks)
        self._members = MemberBits((epoch, people[epoch]) for epoch in names)
        self._under = self._members.under(ancestry)
        self._alone = [1 << number for number in range(len(names))]
        # The places of the bits of members: all, those that are not yet in `_known`, and `_known` itself.
        self._added: set[int] = set()
        self._waiting: list[int] = []
        self._known = 0
        # For each person: their epochs and all that precede them, and those to choose from. Most people share
        # these integers.
        self._covered: dict[str, int] = {}
        self._choice: dict[str, int] = {}
        self._choosing: dict[int, set[str]] = defaultdict(set)
        # For each choice of several epochs that was asked for: the answer of `MemberBits.first_of`.
        self._answers: dict[int, tuple[int, dict[int, int]]] = {}
        # For each epoch: the choices that prefer it, and those that it decided.
        self._preferring: dict[int, set[int]] = defaultdict(set)
        self._decided: dict[int, set[int]] = defaultdict(set)
        # For each epoch, all others in the choices that prefer it, and all that it decided against. These may
        # be too many, where a choice is gone.
        self._rivals: dict[int, int] = defaultdict(int)
        self._larger: dict[int, int] = defaultdict(int)
        # The new members of epochs, since `changed` was called.
        self._grown: dict[int, list[str]] = defaultdict(list)
        # How often each answer may have changed, and where it did so without being asked for again.
        self._turns: Counter[int] = Counter()
        self._untold: dict[int, Place] = {}

    def add(self, person: str, epoch: str) -> None:
        """Add a person to an epoch."""
        place, number = self._members.place_of(epoch, person), self._members.numbers[epoch]
        if place in self._added:
            return
        self._added.add(place)
        self._waiting.append(place)
        self._grown[number].append(person)
        covered, under = self._covered.get(person, 0), self._under[number]
        if covered >> number & 1:
            return
        self._covered[person] = covered | under if covered else under
        before = self._choice.get(person, 0)
        left = before & ~under
        self._choice[person] = left | self._alone[number] if left else self._alone[number]
        self._choosing[self._choice[person]].add(person)
        self._choosing[before].discard(person)
        if not self._choosing[before]:
            del self._choosing[before]
            self._forget(before)

    def changed(self, place: Place) -> set[str]:
        """The people who prefer another epoch because epochs have new members, since the last call.

        Without those whose choice has had ``MOST_TURNS`` before.
        """
        again: set[int] = set()
        for number, people in self._grown.items():
            again.update(self._now_larger(number))
            again.update(self._no_longer_within(number, people))
        self._grown.clear()
        found: set[str] = set()
        for choice in again:
            before = self._forget(choice)
            self._turns[choice] += 1
            if self._turns[choice] > MOST_TURNS:
                self._untold[choice] = place
            elif self._of(choice) != before:
                found |= self._choosing[choice]
        return found

    def untold(self) -> Iterator[tuple[Place, Iterable[str]]]:
        """The people whom ``changed`` left out, with the last place where it did so."""
        for choice, place in self._untold.items():
            yield place, self._choosing.get(choice, ())

    def preferred_by(self, person: str) -> str | None:
        """The epoch that a person prefers. None for somebody who is in no epoch."""
        choice = self._choice.get(person)
        return self._members.epochs[self._of(choice)] if choice else None

    def _now_larger(self, number: int) -> list[int]:
        """The choices that prefer a grown epoch, which now has all members of another one, and more."""
        rivals = self._rivals[number] & ~self._alone[number]
        if not rivals:
            return []
        smaller = self._members.smaller(rivals, number, self._known_members())
        self._rivals[number] = rivals & ~smaller
        return (
            [choice for choice in self._preferring[number] if choice & smaller] if smaller else []
        )

    def _no_longer_within(self, number: int, people: Iterable[str]) -> list[int]:
        """The choices that a grown epoch decided, which is no longer within all that it decided against."""
        larger = self._larger[number]
        if not larger:
            return []
        still = self._members.larger(larger, number, people, self._known_members())
        self._larger[number] = still
        lost = larger & ~still
        if not lost:
            return []
        return [one for one in self._decided[number] if self._answers[one][1][number] & lost]

    def _forget(self, choice: int) -> int | None:
        """Forget the answer of a choice, and return it."""
        if choice not in self._answers:
            return None
        number, decided = self._answers.pop(choice)
        self._preferring[number].discard(choice)
        for one in decided:
            self._decided[one].discard(choice)
        return number

    def _of(self, choice: int) -> int:
        """The epoch that R21 leaves of a choice: of the smallest ones (4.5) that with the least key."""
        if not choice & (choice - 1):
            return choice.bit_length() - 1
        if choice not in self._answers:
            found = self._members.first_of(choice, self._known_members())
            number, decided = self._answers[choice] = found
            self._preferring[number].add(choice)
            self._rivals[number] |= choice
            for one, larger in decided.items():
                self._decided[one].add(choice)
                self._larger[one] |= larger
        return self._answers[choice][0]

    def _known_members(self) -> int:
        """The members whom somebody has added, as bits."""
        if self._waiting:
            self._known |= mask_of(self._waiting)
            self._waiting.clear()
        return self._known
