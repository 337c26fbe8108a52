"""Whether an author should have preferred another epoch, by what their message knew of (4.8.1, ruling R21).

A message in the group tangle shows some of what its author knew: the additions before it there. They may
know more. Whoever writes in an epoch has its key, so they know of an addition to it that their message may
not know of. Nobody can list an addition that is outside the tangle, because it waits for a missing message or
names none. More additions may change who wins a fork (4.4 to 4.6), but never that an epoch succeeds another
(4.2).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.epochs import KeyRanks, in_key_order
from scuttlehouse.groups.member_bits import MemberBits
from scuttlehouse.groups.messages import GroupMessage
from scuttlehouse.tangles.causality import bits_of, mask_of


class Lateness:
    """Whether people write in another epoch than the one that they should prefer.

    >>> def addition(name, epoch, people, timeline):
    ...     return GroupMessage(name, "", "add", epoch, people, (), timeline, (), True, False, None, 0)
    >>> additions = [addition("1", "x", "ab", ()), addition("2", "l", "a", ("1",))]
    >>> additions += [addition("3", "l", "c", None), addition("4", "r", "ab", ("2",))]
    >>> lateness = Lateness(additions, Ancestry({"x": [], "l": ["x"], "r": ["x"]}), {"l": 2, "r": 1})
    >>> bits = [lateness.bits_of(name) for name in "1234"]
    >>> [lateness.is_late("a", epoch, bits[0] | bits[1]) for epoch in "xlr"]
    [True, False, False]
    >>> [lateness.is_late("a", epoch, bits[0] | bits[1] | bits[3]) for epoch in "xlr"]
    [True, False, False]
    """

    def __init__(
        self, additions: Collection[GroupMessage], ancestry: Ancestry, keys: KeyRanks
    ) -> None:
        self._shown = KnownChoices(additions, ancestry, keys)
        self._ancestry = ancestry
        self._keys = keys
        outside = (one for one in additions if one.timeline_previous_ids is None)
        self._outside = mask_of(
            place for one in outside for place in self._shown.places_of(one.message_id)
        )
        # What a person knows mostly grows (KnownChoices.preferred), so both answers have their own.
        self._at_most = KnownChoices(additions, ancestry, keys) if self._outside else self._shown

    def bits_of(self, message_id: str) -> int:
        """The members whom an addition adds (:class:`.MemberBits`). None for another message."""
        return self._shown.bits_of(message_id)

    def is_late(self, author: str, epoch: str, known: int) -> bool:
        """Whether a message in an epoch is late. ``known`` are the bits of all additions that it knows of.

        It is if the preferred epoch succeeds this one. If not, the message must show that its author is in
        both, and what is outside the tangle must not make them prefer this one. An epoch with the same key is
        no other one.

        Complexity: as :meth:`KnownChoices.preferred`.
        """
        preferred = self._shown.preferred(author, known)
        if preferred is None or self._is_same(preferred, epoch):
            return False
        if self._ancestry.mask_up_to(preferred) & self._ancestry.mask_of([epoch]):
            return True
        if not self._shown.is_member(author, epoch, known):
            return False
        return not self._is_same(self._at_most.preferred(author, known | self._outside), epoch)

    def _is_same(self, one: str | None, other: str) -> bool:
        """Whether two epochs have one key, or are one."""
        rank = self._keys.get(one or "")
        return one == other or (rank is not None and rank == self._keys.get(other))


class _Own(NamedTuple):
    """What a person knows of their own epochs, as bits of epochs (:class:`.MemberBits`).

    ``known``: those that they know themselves a member of. ``covered``: these, and all that precede them.
    ``tips``: those of their epochs that no other one succeeds. ``ever``: the tips, and those that were tips
    once.
    """

    known: int = 0
    covered: int = 0
    tips: int = 0
    ever: int = 0


_NONE = _Own()


class KnownChoices:
    """The epochs that people could choose from, by the additions that their messages knew of.

    >>> def addition(name, epoch, *people):
    ...     return GroupMessage(name, "", "add", epoch, people, (), (), (), True, False, None, 0)
    >>> additions = [addition("1", "x", "ann", "bob"), addition("2", "l", "ann")]
    >>> additions += [addition("3", "r", "ann", "bob")]
    >>> ancestry = Ancestry({"x": [], "l": ["x"], "r": ["x"]})
    >>> choices = KnownChoices(additions, ancestry, {"x": 0, "l": 1, "r": 2})
    >>> bits = [choices.bits_of(name) for name in "123"]
    >>> [choices.preferred("ann", sum(known)) for known in ([], bits[:1], bits[::2], bits)]
    [None, 'x', 'r', 'l']
    """

    def __init__(
        self, additions: Collection[GroupMessage], ancestry: Ancestry, keys: KeyRanks
    ) -> None:
        members: dict[str, list[str]] = defaultdict(list)
        for one in additions:
            members[one.epoch_id or ""].extend(one.person_ids)
        epochs = in_key_order(ancestry.in_order(), keys)
        self._members = MemberBits((epoch, members[epoch]) for epoch in epochs)
        self._additions = {one.message_id: one for one in additions}
        # Few are kept: each has a bit for each member of each epoch.
        self._of_members = lru_cache(16)(self._members.of_members)
        self._under = self._members.under(ancestry)
        self._own: dict[str, _Own] = {}
        # By the epochs to choose from, and a hash of what is known of their members.
        self._answers: dict[tuple[int, bytes], str] = {}

    def bits_of(self, message_id: str) -> int:
        """The members whom an addition adds (:class:`.MemberBits`). None for another message."""
        return mask_of(self.places_of(message_id))

    def places_of(self, message_id: str) -> Iterator[int]:
        """The places of these bits."""
        if message_id in self._additions:
            one = self._additions[message_id]
            for person in one.person_ids:
                yield self._members.place_of(one.epoch_id or "", person)

    def preferred(self, person: str, known: int) -> str | None:
        """The epoch that a person should prefer with what they know (R21). None if they know none.

        ``known`` are the bits of all additions that they know of.

        Complexity: as :meth:`.MemberBits.first_of`, once for all people who know the same and have the same
        choice; and O(epochs of the person that they did not know of at the last call) operations on integers
        with a bit for each member of each epoch. O(epochs of the person), if knowledge comes in branches and
        they no longer know of one.
        """
        own = self._known_of(person, self._members.of_known(person, known))
        if not own.tips & (own.tips - 1):
            return self._members.epochs[own.tips.bit_length() - 1] if own.tips else None
        known &= self._of_members(own.ever)
        data = known.to_bytes((known.bit_length() + 7) // 8, "little")
        choice = own.tips, blake2b(data, digest_size=16).digest()
        if choice not in self._answers:
            self._answers[choice] = self._members.epochs[self._members.first_of(own.tips, known)[0]]
        return self._answers[choice]

    def is_member(self, person: str, epoch: str, known: int) -> bool:
        """Whether these additions add a person to an epoch."""
        epochs = self._members.of_known(person, known)
        return bool(epochs >> self._members.numbers[epoch] & 1)

    def _known_of(self, person: str, known: int) -> _Own:
        """Their epochs. Only what they did not know at the last call is looked at, if they know more now."""
        before = self._own.get(person, _NONE)
        if before.known & ~known:
            before = _NONE
        if before.known != known:
            _, covered, tips, ever = before
            for number in bits_of(known & ~before.known):
                if not covered >> number & 1:
                    covered |= self._under[number]
                    tips = tips & ~self._under[number] | 1 << number
                    ever |= 1 << number
            before = self._own[person] = _Own(known, covered, tips, ever)
        return before
