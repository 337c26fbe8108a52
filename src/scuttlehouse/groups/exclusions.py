"""Which exclusions lead up to which epochs, and what else messages knew of (4.9, rulings R24 and R24b)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scuttlehouse.groups.act_bits import ActBits
from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.authority import Judged, declared_members
from scuttlehouse.groups.choices import Lateness
from scuttlehouse.groups.epochs import KeyRanks
from scuttlehouse.groups.messages import GroupMessage, known_directly
from scuttlehouse.groups.pairing import own_epochs
from scuttlehouse.tangles.causality import bits_of, mask_of, sweep_named

FREE_MEMBERSHIPS = 10_000
MEMBERSHIPS_PER_MESSAGE = 100
"""As many of the newest epochs of a group are complete as have together this many correct members for each
message of the group, or ``FREE_MEMBERSHIPS`` of them."""


class Knowledge(NamedTuple):
    """What the messages of a group knew of.

    ``excluded_before``: the people whom an exclusion that leads up to the epoch excludes, for each epoch that
    counts (R24); only people who were ever added. ``complete``: the epochs for which these are all of them.
    For the others, they are only people who were added to this epoch, so nobody knows who is missing there:
    a stranger may write thousands of epochs, and name thousands of people in the group.
    ``following``: the epoch that each exclusion that counts leads to, the first if there are several, None if
    there is none. ``readded``: the people whom an addition adds although it knows of their exclusion.
    ``late``: posts and exclusions in an epoch by somebody who, by all that they can have known, should have
    preferred another one with another key (4.8.1, :mod:`.choices`). Nothing but the key tells in which epoch
    a post is, and whoever knows it can make more epochs with it.
    ``before_init``: exclusions that the first message of their author's next epoch knows of (4.1).
    ``stale``: inits that follow an epoch although they know of another one that succeeds it (4.10.2). One
    that follows it only in place of an epoch that does not count may follow the other one as well.
    ``with_old_key``: inits with the key of an epoch that they succeed or know of (4.1.1).
    """

    excluded_before: dict[str, frozenset[str]]
    complete: frozenset[str]
    following: dict[str, str | None]
    readded: dict[str, list[str]]
    late: set[str]
    before_init: set[str]
    stale: set[str]
    with_old_key: set[str]


def knowledge(
    messages: Sequence[GroupMessage],
    judged: Judged,
    key_ranks: KeyRanks | None = None,
    most: int | None = None,
) -> Knowledge:
    """What the messages of one group knew of. Acts that do not count are ignored (``judged``).

    ``key_ranks`` are the places of the epochs' keys (4.3). Without them, ids decide between forks.
    Complete epochs times people ever added are at most ``most`` (by default ``FREE_MEMBERSHIPS``, and
    ``MEMBERSHIPS_PER_MESSAGE`` for each message), or one epoch is complete: epochs that no other succeeds
    come first, then those that began last.

    An exclusion leads up to an epoch, and to all that succeed it, in two cases: it comes before the epoch's
    first message in the group tangle, or ``own_epochs`` pairs it with the epoch. By the letter of 4.9 an
    exclusion is forever: adding the person again does not undo it.

    Complexity: O(messages + links) operations on integers with a bit for each epoch, exclusion, person
    excluded, and person of an addition; plus the people in ``excluded_before``, who are at most ``most`` and
    the people of all additions. For each post also as ``Lateness.is_late``.

    >>> from scuttlehouse.groups.authority import judge
    >>> def message(name, kind, epoch, people, *previous):
    ...     before = [one for one in previous if one in "xy"] if kind == "init" else []
    ...     return GroupMessage(
    ...         name, "ann", kind, epoch, people, previous, previous, before, True, False, None, 0
    ...     )
    >>> messages = [
    ...     message("x", "init", None, []), message("1", "add", "x", ["ann", "bob"], "x"),
    ...     message("2", "exclude", "x", ["bob"], "1"), message("y", "init", None, [], "x", "2"),
    ... ]
    >>> found = knowledge(messages, judge(messages))
    >>> found.excluded_before, found.following, found.before_init
    ({'x': frozenset(), 'y': frozenset({'bob'})}, {'2': 'y'}, {'2'})
    """
    ancestry = Ancestry(judged.previous_epochs)
    acts = [one for one in messages if one.message_id in judged.counting]
    ranks = key_ranks or {}
    lateness = Lateness([one for one in acts if one.kind == "add"], ancestry, ranks)
    bits = ActBits(acts, ancestry, lateness)
    own = own_epochs(messages, judged)
    walk = _Walk(messages, judged, ancestry, lateness, bits, ranks)
    timeline = {
        one.message_id: one.timeline_previous_ids
        for one in messages
        if one.timeline_previous_ids is not None
    }
    sweep_named(timeline, walk.visit)
    if most is None:
        most = max(FREE_MEMBERSHIPS, MEMBERSHIPS_PER_MESSAGE * len(messages))
    complete = _newest(bits.inits, ancestry, max(1, most // max(1, len(bits.added))))
    members = declared_members(messages, judged)
    return Knowledge(
        excluded_before={
            epoch: bits.people_in(mask)
            if epoch in complete
            else frozenset(bits.those_in(mask, members[epoch]))
            for epoch, mask in _leading(ancestry, own, bits, walk.known_at).items()
        },
        complete=complete,
        following=_following(bits, own, walk.known_at),
        readded=_readded(messages, judged, bits),
        late=walk.late,
        before_init={
            exclusion
            for exclusion, epoch in own.items()
            if walk.known_at.get(epoch, 0) >> bits.place_of_exclusion[exclusion] & 1
        },
        stale=walk.stale,
        with_old_key=walk.with_old_key,
    )


def _readded(
    messages: Sequence[GroupMessage], judged: Judged, bits: ActBits
) -> dict[str, list[str]]:
    """The people whom each addition adds although it knows of their exclusion.

    It may know of one by the members tangle alone (4.10.1).
    """
    additions = (one for one in messages if one.kind == "add")
    adding = {one.message_id: one.person_ids for one in additions}
    found: dict[str, list[str]] = {}

    def visit(name: str, before: int) -> int:
        if name in judged.counting and (again := bits.those_in(before, adding.get(name, ()))):
            found[name] = again
        return bits.of_people(name)

    sweep_named(known_directly(messages)[0], visit)
    return found


class _Walk:
    """What the messages that are visited so far, in the order of the group's timeline, knew of by it.

    ``known_at``: the exclusions, and the people whom they exclude, before the first message of each epoch, as
    bits. The sets are those of :class:`Knowledge`.
    """

    def __init__(
        self,
        messages: Sequence[GroupMessage],
        judged: Judged,
        ancestry: Ancestry,
        lateness: Lateness,
        bits: ActBits,
        key_ranks: KeyRanks,
    ) -> None:
        self._by_id = {one.message_id: one for one in messages}
        self._previous_epochs = judged.previous_epochs
        self._ancestry = ancestry
        self._lateness = lateness
        self._bits = bits
        self._after = ancestry.masks_after()
        self._sharing = _sharing_a_key(ancestry, key_ranks)
        self.known_at: dict[str, int] = {}
        self.late: set[str] = set()
        self.stale: set[str] = set()
        self.with_old_key = {
            epoch
            for epoch, shared in self._sharing.items()
            if (shared & ancestry.mask_up_to(epoch)).bit_count() > 1
        }

    def visit(self, name: str, before: int) -> int:
        """Look at a message; return the bits that it passes on. ``before`` are those that it is passed."""
        message = self._by_id[name]
        if message.kind in ("other", "exclude"):
            self._visit_written(message, before)
        elif name in self._ancestry:
            self._visit_init(message, before)
        return self._bits.of_message(name)

    def _visit_written(self, message: GroupMessage, before: int) -> None:
        """A post or an exclusion in an epoch."""
        epoch = message.epoch_id or ""
        if epoch in self._ancestry:
            known = before >> self._bits.first_addition
            if self._lateness.is_late(message.author_id, epoch, known):
                self.late.add(message.message_id)

    def _visit_init(self, message: GroupMessage, before: int) -> None:
        name, after = message.message_id, self._after
        # Only the bits of exclusions and people are needed later.
        self.known_at[name] = before & (1 << self._bits.first_epoch) - 1
        epochs = before >> self._bits.first_epoch & (1 << len(after)) - 1
        beside = epochs & ~self._ancestry.mask_up_to(name)
        listed = any(epochs & after.get(epoch, 0) for epoch in message.previous_epoch_ids)
        if listed or any(beside & after[epoch] for epoch in self._previous_epochs[name]):
            self.stale.add(name)
        if epochs & self._sharing.get(name, 0):
            self.with_old_key.add(name)


def _sharing_a_key(ancestry: Ancestry, key_ranks: KeyRanks) -> dict[str, int]:
    """The epochs with the key of each epoch, as bits. Epochs with a key of their own are left out."""
    epochs: dict[int, list[str]] = defaultdict(list)
    for epoch in ancestry.in_order():
        if (rank := key_ranks.get(epoch)) is not None:
            epochs[rank].append(epoch)
    shared = [own for own in epochs.values() if len(own) > 1]
    # All epochs with a key hold the same integer.
    return {epoch: mask for own in shared for mask in [ancestry.mask_of(own)] for epoch in own}


def _newest(inits: Sequence[GroupMessage], ancestry: Ancestry, count: int) -> frozenset[str]:
    """So many epochs: first those that no other succeeds, then those that began last."""
    tips = {*ancestry.unsucceeded([one.message_id for one in inits])}
    newest = sorted(
        inits, key=lambda one: (one.message_id not in tips, -one.position, one.message_id)
    )
    return frozenset(one.message_id for one in newest[:count])


def _leading(
    ancestry: Ancestry,
    own: Mapping[str, str],
    bits: ActBits,
    known_at: Mapping[str, int],
) -> dict[str, int]:
    """The exclusions up to each epoch, as bits: for the epoch or for one that precedes it.

    Where the log lacks a message, the first message of an epoch may be outside the group tangle, but the
    epoch still succeeds others (4.9).
    """
    led = {epoch: known_at.get(epoch, 0) for epoch in ancestry.in_order()}
    for exclusion, epoch in own.items():
        led[epoch] |= bits.of_message(exclusion)
    return ancestry.masks_under(led.__getitem__)


def _following(
    bits: ActBits, own: Mapping[str, str], known_at: Mapping[str, int]
) -> dict[str, str | None]:
    """The epoch that each exclusion leads to: that of its author, else the first that knows of it."""
    found = {one.message_id: own.get(one.message_id) for one in bits.exclusions}
    unmet = mask_of(bits.place_of_exclusion[one] for one, epoch in found.items() if epoch is None)
    for init in sorted(bits.inits, key=lambda one: (one.position, one.message_id)):
        met = known_at.get(init.message_id, 0) & unmet
        unmet ^= met
        for place in bits_of(met):
            found[bits.exclusions[place].message_id] = init.message_id
    return found
