"""Whose acts count in a group (rulings R30 and R32). Only members create epochs, add and exclude.

Section 4.1 of the group exclusion specification lets "some member" act. Somebody is a member if their own
message knows of it: if the messages before it in the group, epoch and members tangles of the group say so.

An epoch that does not count stands for the epochs that it follows: precedence is ancestry in the epoch tangle
(R18), and anybody may put an epoch into the tangle. So what follows it follows them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import reduce
from operator import or_
from typing import Literal, NamedTuple

from scuttlehouse.tangles.causality import bits_of, mask_of, sweep_named

MOST_FOLLOWED = 1_000_000
"""In so many pairs an epoch of a group may follow another one only through epochs that do not count."""

Kind = Literal["init", "add", "exclude", "other"]
Authority = bool | None


class GroupMessage(NamedTuple):
    """A message of a group, as its tangles have it.

    ``previous_ids`` are all ids that it lists in these tangles. ``timeline_previous_ids`` are the ids that it
    lists in the group tangle; None if it is not in the graph of that tangle. If the log lacks the signed
    bytes of the message, nobody knows what it lists: both are empty. ``lacks_previous``: the log does not
    show what the message lists, or what a message says that it lists. It is missing, nobody could open it, or
    the log lacks its signed bytes.

    An ``init`` makes the epoch with its own id, after ``previous_epoch_ids``. ``declares_members``: it is the
    root of a members tangle (R32). An ``add`` or ``exclude`` is in the graph of the members tangle of
    ``epoch_id``, and acts on that epoch and on ``person_ids``. Every other message has the kind ``other`` and
    the epoch that it was written in, or None if the log does not say. One with ``previous_epoch_ids`` would
    be an ``init``, but the log lacks its signed bytes: nobody knows who made it, and it does not count.

    ``position`` is the place in the group's timeline. Messages that are not in the timeline come after it.
    """

    message_id: str
    author_id: str
    kind: Kind
    epoch_id: str | None
    person_ids: Sequence[str]
    previous_ids: Sequence[str]
    timeline_previous_ids: Sequence[str] | None
    previous_epoch_ids: Sequence[str]
    declares_members: bool
    lacks_previous: bool
    asserted_ms: int | None
    position: int


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
    inits = [one for one in messages if one.kind == "init"]
    pairs = _pairs(messages, {one.author_id for one in inits})
    epochs = {one.message_id: place for place, one in enumerate(inits)}
    authority: dict[str, Authority] = {}
    counting: set[str] = set()
    # What each epoch that counts follows; and as bits what others stand for, which may be nothing. All other
    # epochs stand for themselves.
    previous_epochs: dict[str, list[str]] = {}
    stands_for: dict[str, int] = {}
    alone: set[str] = set()
    left = MOST_FOLLOWED
    ranks: dict[str, int] = {}

    def authority_of(message: GroupMessage, on: Iterable[str], before: int) -> Authority:
        is_member = False
        for epoch in on:
            place = pairs.get((epoch, message.author_id))
            is_member = place is not None and bool(before >> place & 1)
            if not is_member:
                return None if before & 1 else False
        return is_member

    def epochs_before(message: GroupMessage) -> int:
        themselves = mask_of(epochs[one] for one in message.previous_epoch_ids if one in alone)
        others = (stands_for.get(one, 0) for one in message.previous_epoch_ids)
        return reduce(or_, filter(None, others), themselves)

    def visit_init(message: GroupMessage, before: int) -> int:
        nonlocal left
        name = message.message_id
        follows = epochs_before(message)
        listed = [one for one in message.previous_epoch_ids if one in counting]
        direct = mask_of(epochs[one] for one in listed)
        further = (follows & ~direct).bit_count()
        if further > left:
            follows, further = direct, 0
        on = (inits[place].message_id for place in bits_of(follows))
        is_first = not message.previous_epoch_ids
        authority[name] = True if is_first else authority_of(message, on, before)
        if authority[name] is not False:
            left -= further
        if authority[name] is not False and message.declares_members:
            counting.add(name)
            before_it = (inits[place].message_id for place in bits_of(follows))
            previous_epochs[name] = sorted(one for one in before_it if one in counting)
        if name in counting or (authority[name] is not False and not follows):
            alone.add(name)
        else:
            stands_for[name] = follows
        return 0 if authority[name] is False else 1 << pairs[name, message.author_id]

    def visit_change(message: GroupMessage, before: int) -> int:
        epoch = message.epoch_id or ""
        on = [] if authority.get(epoch, False) is False else [epoch]
        authority[message.message_id] = authority_of(message, on, before)
        if authority[message.message_id] is False or epoch not in counting:
            return 0
        counting.add(message.message_id)
        if message.kind != "add":
            return 0
        places = (pairs.get((epoch, person)) for person in message.person_ids)
        return mask_of(place for place in places if place is not None)

    def visit(name: str, before: int) -> int:
        message = by_id[name]
        ranks[name] = max((ranks[one] + 1 for one in known[name] if one in ranks), default=0)
        # Bit 0: a message before this one is missing.
        lacks = int(message.lacks_previous or name in looped)
        if message.kind == "other":
            if message.previous_epoch_ids:
                stands_for[message.message_id] = epochs_before(message)
            return lacks
        visit_act = visit_init if message.kind == "init" else visit_change
        return lacks | visit_act(message, before | lacks)

    by_id = {message.message_id: message for message in messages}
    known, looped = known_directly(messages)
    sweep_named(known, visit)
    return Judged(
        {one.message_id: authority[one.message_id] for one in messages if one.kind != "other"},
        frozenset(counting),
        {
            one.message_id: previous_epochs[one.message_id]
            for one in inits
            if one.message_id in counting
        },
        ranks,
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


def known_directly(
    messages: Sequence[GroupMessage],
) -> tuple[dict[str, Sequence[str]], set[str]]:
    """What each message knows of directly, without loops, and the messages that are in a loop or behind one.

    A message knows of what it lists, and an act of the epoch that it acts on. Nobody can sign a loop of
    hashes: some message of it is not what was signed, and the log does not tell which. Of what is in a loop
    or behind it, only the links between epochs, and from an act to its epoch, are kept: they
    cannot loop (R7).

    Complexity: O(messages + links).

    >>> def message(name, kind, epoch, *previous):
    ...     return GroupMessage(
    ...         name, "ann", kind, epoch, [], previous, previous, [], True, False, None, 0
    ...     )
    >>> known, looped = known_directly([
    ...     message("x", "init", None), message("1", "add", "x"), message("2", "add", "x", "x", "3"),
    ...     message("3", "other", None, "2"), message("4", "other", None, "1", "3"),
    ... ])
    >>> known, sorted(looped)
    ({'x': (), '1': ['x'], '2': ['x'], '3': [], '4': ['1']}, ['2', '3', '4'])
    """

    def own_links(message: GroupMessage) -> list[str]:
        is_act = message.kind in ("add", "exclude")
        return [message.epoch_id] if is_act and message.epoch_id else [*message.previous_epoch_ids]

    known: dict[str, Sequence[str]] = {}
    for message in messages:
        listed = message.previous_ids
        further = set(own_links(message)).difference(listed)
        known[message.message_id] = [*listed, *sorted(further)] if further else listed
    placed: set[str] = set()

    def visit(name: str, before: int) -> int:
        placed.add(name)
        return before

    sweep_named(known, visit)
    looped = known.keys() - placed
    for message in messages:
        if message.message_id in looped:
            kept = [one for one in message.previous_ids if one in placed] + own_links(message)
            known[message.message_id] = list(dict.fromkeys(kept))
    return known, looped


def _pairs(
    messages: Iterable[GroupMessage], creators: Collection[str]
) -> dict[tuple[str, str], int]:
    """The place of a bit for each pair of an epoch and a person whose membership may be asked for.

    The first bit is for something else. Bits are not kept as integers: each is as long as there are pairs.
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
