"""What a message of a group passes to the messages that know of it: the acts that count, as bits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.choices import Lateness
from scuttlehouse.groups.messages import GroupMessage
from scuttlehouse.tangles.causality import bits_of, mask_of


class ActBits:
    """The acts of a group that count, and the bits that a message passes to those after it.

    The lowest bits are for exclusions. Then come the people whom they exclude, epochs in the order of
    ``ancestry``, and additions, which say what epochs an author knows as their own. Places of bits are kept,
    and not integers: each of these is as long as there are bits before it.
    """

    def __init__(
        self, acts: Sequence[GroupMessage], ancestry: Ancestry, lateness: Lateness
    ) -> None:
        self.inits = [one for one in acts if one.kind == "init"]
        self.exclusions = [one for one in acts if one.kind == "exclude"]
        # A person whom nobody adds is in no epoch.
        self.added = {person for one in acts if one.kind == "add" for person in one.person_ids}
        excluded = {person for one in self.exclusions for person in one.person_ids}
        self._people = sorted(excluded & self.added)
        self._first_person = len(self.exclusions)
        self.first_epoch = self._first_person + len(self._people)
        self.first_addition = self.first_epoch + len(self.inits)
        self._place_of_person = {
            person: place for place, person in enumerate(self._people, self._first_person)
        }
        self.place_of_exclusion = {
            one.message_id: place for place, one in enumerate(self.exclusions)
        }
        self._struck = {one.message_id: one.person_ids for one in self.exclusions}
        self._ancestry = ancestry
        self._lateness = lateness

    def of_message(self, name: str) -> int:
        """The bits that a message passes on: 0 if it is no act that counts."""
        if (place := self.place_of_exclusion.get(name)) is not None:
            return 1 << place | self.of_people(name)
        if name in self._ancestry:
            return self._ancestry.mask_of([name]) << self.first_epoch
        return self._lateness.bits_of(name) << self.first_addition

    def of_people(self, name: str) -> int:
        """The bits of the people whom a message excludes: 0 if it is no exclusion that counts."""
        return mask_of(self._places_of(self._struck.get(name, ())))

    def people_in(self, mask: int) -> frozenset[str]:
        """The people whom the exclusions in a mask exclude."""
        return frozenset(self._people[place] for place in bits_of(mask >> self._first_person))

    def those_in(self, mask: int, people: Iterable[str]) -> list[str]:
        """Those of the people whom the exclusions in a mask exclude."""
        places = self._place_of_person
        return [one for one in people if one in places and mask >> places[one] & 1]

    def _places_of(self, people: Iterable[str]) -> Iterator[int]:
        return (self._place_of_person[one] for one in people if one in self._place_of_person)
