"""The epoch that an author should have preferred, by what their message knew of (4.8.1, ruling R21)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.epochs import KeyRanks, in_key_order
from scuttlehouse.groups.member_bits import MemberBits
from scuttlehouse.groups.messages import GroupMessage
from scuttlehouse.tangles.causality import bits_of, mask_of


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
        if message_id not in self._additions:
            return 0
        one = self._additions[message_id]
        places = (self._members.place_of(one.epoch_id or "", person) for person in one.person_ids)
        return mask_of(places)

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
