"""Whose acts count in a group (rulings R30 and R32). Only members create epochs, add and exclude.

Section 4.1 of the group exclusion specification lets "some member" act. Somebody is a member if their own
message knows of it: if the messages before it in the group, epoch and members tangles of the group say so.

An epoch that does not count stands for the epochs that it follows: precedence is ancestry in the epoch tangle
(R18), and anybody may put an epoch into the tangle. So what follows it follows them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from scuttlehouse.groups.messages import GroupMessage, known_directly
from scuttlehouse.tangles.causality import bits_of, mask_of, sweep_named

MOST_FOLLOWED = 1_000_000
"""In so many pairs an epoch of a group may follow another one only through epochs that do not count."""

Authority = bool | None


class Judged(NamedTuple):
    """What the acts of a group are worth.

    ``authority``: whether the author of each init, addition and exclusion was a member of the epoch that it
    acts on (R30). None where the log lacks messages that may show it. ``counting``: the acts that change
    something. They are authorised (None is taken as true), and their epoch is, too, and has a members tangle
    (R32). ``previous_epochs``: for each epoch that counts, those that count and that it follows, directly or
    with only epochs between that do not count; sorted. ``ranks``: the number of links in the longest chain of
    messages that each message knows of (``known_directly``).
    """

    authority: dict[str, Authority]
    counting: frozenset[str]
    previous_epochs: dict[str, list[str]]
    ranks: dict[str, int]


def judge(messages: Sequence[GroupMessage]) -> Judged:
    """Judge every init, addition and exclusion of a group.

    The creator of an epoch is a member from its first message on, other people from the first addition that
    counts. An exclusion does not end membership (R16). The creator of an epoch must be a member of every
    epoch before it, and of at least one. Of an epoch that does not count, they must be a member of those that
    it stands for. A first epoch without a members tangle stands for itself, and only its creator is a member.

    An act is not authorised if the log holds all messages before it and they show no membership.

    Thousands of epochs may follow a chain of others that do not count and stand for thousands more. After
    ``MOST_FOLLOWED`` pairs, an epoch follows only those that it lists itself: none, if none of these counts.

    Complexity: O(messages + links + additions) operations on integers with a bit for each pair of an epoch
    and a person who acts on it, or who is added to it and creates epochs. For each epoch also O(epochs before
    it that epochs between them stand for).

    >>> def message(name, author, kind, epoch, people, *previous, lacks=False):
    ...     before = [one for one in previous if one in "xyz"] if kind == "init" else []
    ...     return GroupMessage(
    ...         name, author, kind, epoch, people, previous, previous, before, True, lacks, None, 0
    ...     )
    >>> judged = judge([
    ...     message("x", "ann", "init", None, []), message("1", "ann", "add", "x", ["bob"], "x"),
    ...     message("2", "bob", "exclude", "x", ["ann"], "1"), message("y", "eve", "init", None, [], "x"),
    ...     message("z", "bob", "init", None, [], "y", "1"),
    ...     message("3", "eve", "add", "x", ["eve"], "lost", lacks=True),
    ... ])
    >>> judged.authority
    {'x': True, '1': True, '2': True, 'y': False, 'z': True, '3': None}
    >>> judged.previous_epochs
    {'x': [], 'z': ['x']}
    >>> sorted(judged.ranks.items())
    [('1', 1), ('2', 2), ('3', 1), ('x', 0), ('y', 1), ('z', 2)]
    """
    judging = _Judging(messages)
    sweep_named(judging.known, judging.visit)
    return judging.judged()


class _Judging:
    """What is judged so far. Every message is visited after all messages that it knows of.

    The bits that messages pass to those after them: a message before is missing, and the members of epochs.
    """

    def __init__(self, messages: Sequence[GroupMessage]) -> None:
        self.known, self._looped = known_directly(messages)
        self._by_id = {one.message_id: one for one in messages}
        self._inits = [one for one in messages if one.kind == "init"]
        self._places = {one.message_id: place for place, one in enumerate(self._inits)}
        self._pairs = _pairs(messages, {one.author_id for one in self._inits})
        self._authority: dict[str, Authority] = {}
        self._counting: set[str] = set()
        self._previous_epochs: dict[str, list[str]] = {}
        # The epochs that stand for themselves; and as bits what others stand for, which may be nothing.
        self._alone: set[str] = set()
        self._stands_for: dict[str, int] = {}
        self._left = MOST_FOLLOWED
        self._ranks: dict[str, int] = {}

    def visit(self, name: str, before: int) -> int:
        """Judge a message, and return the bits that it passes on. ``before`` are those that it is passed."""
        message, ranks = self._by_id[name], self._ranks
        ranks[name] = max((ranks[one] + 1 for one in self.known[name] if one in ranks), default=0)
        lacks = int(message.lacks_previous or name in self._looped)
        if message.kind == "other":
            if message.previous_epoch_ids:
                self._stands_for[name] = self._epochs_before(message)
            return lacks
        visit_act = self._visit_init if message.kind == "init" else self._visit_change
        return lacks | visit_act(message, before | lacks)

    def _visit_init(self, message: GroupMessage, before: int) -> int:
        name = message.message_id
        follows = self._epochs_before(message)
        listed = [one for one in message.previous_epoch_ids if one in self._counting]
        direct = mask_of(self._places[one] for one in listed)
        further = (follows & ~direct).bit_count()
        if further > self._left:
            follows, further = direct, 0
        authority: Authority = True
        if message.previous_epoch_ids:
            authority = self._authority_of(message, self._named(follows), before)
        self._authority[name] = authority
        if authority is False:
            self._stands_for[name] = follows
            return 0
        self._left -= further
        if message.declares_members:
            self._counting.add(name)
            before_it = (one for one in self._named(follows) if one in self._counting)
            self._previous_epochs[name] = sorted(before_it)
        if message.declares_members or not follows:
            self._alone.add(name)
        else:
            self._stands_for[name] = follows
        return 1 << self._pairs[name, message.author_id]

    def _visit_change(self, message: GroupMessage, before: int) -> int:
        """An addition or an exclusion."""
        name, epoch = message.message_id, message.epoch_id or ""
        on = [] if self._authority.get(epoch, False) is False else [epoch]
        self._authority[name] = self._authority_of(message, on, before)
        if self._authority[name] is False or epoch not in self._counting:
            return 0
        self._counting.add(name)
        if message.kind != "add":
            return 0
        places = (self._pairs.get((epoch, person)) for person in message.person_ids)
        return mask_of(place for place in places if place is not None)

    def _authority_of(self, message: GroupMessage, on: Iterable[str], before: int) -> Authority:
        """Whether the author is a member of all these epochs, and of at least one."""
        is_member = False
        for epoch in on:
            place = self._pairs.get((epoch, message.author_id))
            is_member = place is not None and bool(before >> place & 1)
            if not is_member:
                return None if before & 1 else False
        return is_member

    def _epochs_before(self, message: GroupMessage) -> int:
        """The epochs that the epochs before a message stand for, as bits."""
        listed = message.previous_epoch_ids
        themselves = mask_of(self._places[one] for one in listed if one in self._alone)
        others = (self._stands_for.get(one, 0) for one in listed)
        return reduce(or_, filter(None, others), themselves)

    def _named(self, epochs: int) -> Iterator[str]:
        return (self._inits[place].message_id for place in bits_of(epochs))

    def judged(self) -> Judged:
        """The result, when every message was visited."""
        acts = (name for name, one in self._by_id.items() if one.kind != "other")
        counting = (one.message_id for one in self._inits if one.message_id in self._counting)
        return Judged(
            {name: self._authority[name] for name in acts},
            frozenset(self._counting),
            {epoch: self._previous_epochs[epoch] for epoch in counting},
            self._ranks,
        )


def declared_members(messages: Iterable[GroupMessage], judged: Judged) -> dict[str, frozenset[str]]:
    """The people whom additions that count add to each epoch that counts (ruling R16).

    Complexity: O(messages + additions).

    >>> messages = [
    ...     GroupMessage(name, "ann", kind, epoch, people, [], [], [], True, False, None, 0)
    ...     for name, kind, epoch, people in [("x", "init", None, []), ("1", "add", "x", ["ann"])]
    ... ]
    >>> declared_members(messages, judge(messages))
    {'x': frozenset({'ann'})}
    """
    members: dict[str, set[str]] = {epoch: set() for epoch in judged.previous_epochs}
    for one in messages:
        if one.kind == "add" and one.epoch_id and one.message_id in judged.counting:
            members[one.epoch_id].update(one.person_ids)
    return {epoch: frozenset(people) for epoch, people in members.items()}


def _pairs(
    messages: Iterable[GroupMessage], creators: Collection[str]
) -> dict[tuple[str, str], int]:
    """The place of a bit for each pair of an epoch and a person whose membership may be asked for.

    Bit 0 tells that a message is missing. Bits are not kept as integers: each is as long as there are pairs.
    """
    pairs: dict[tuple[str, str], int] = {}
    for message in messages:
        if message.kind == "init":
            # The creator acts on the new epoch, too, as soon as it counts.
            asked = [(epoch, message.author_id) for epoch in message.previous_epoch_ids]
            asked.append((message.message_id, message.author_id))
        elif message.kind == "other" or message.epoch_id is None:
            continue
        else:
            asked = [(message.epoch_id, message.author_id)]
            if message.kind == "add":
                asked += [(message.epoch_id, one) for one in message.person_ids if one in creators]
        for pair in asked:
            pairs.setdefault(pair, len(pairs) + 1)
    return pairs
