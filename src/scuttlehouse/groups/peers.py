"""What one peer knows of a group. The group is judged from the messages of one log alone.

Sections 4.2 to 4.6 of the group exclusion specification are about peers "who detect" an epoch or a fork. A
peer detects what their log shows, and every log shows another part of the group.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.authority import declared_members, judge
from scuttlehouse.groups.epochs import KeyRanks, Members, preferred_epoch
from scuttlehouse.groups.exclusions import knowledge
from scuttlehouse.groups.forks import forks
from scuttlehouse.groups.messages import GroupMessage
from scuttlehouse.groups.repairs import Repair, repairs
from scuttlehouse.groups.witnesses import Witnesses
from scuttlehouse.tangles.causality import sweep_named


class Listed(NamedTuple):
    """What a message lists, by tangle.

    ``own_previous_ids``: in the group and epoch tangles of its group. ``members_previous_ids``: in the
    members tangle of the epoch ``members_root_id`` (None without one). ``is_in_members_graph``: whether it is
    in the graph of that tangle of all logs, and not its root.

    If the log lacks the signed bytes of the message, nobody knows what it lists. But in the graphs it comes
    after what it says: ``said_timeline_ids`` in the group's tangle, ``said_members_ids`` in the members
    tangle. Both are empty for other messages.
    """

    own_previous_ids: Sequence[str]
    members_root_id: str | None
    members_previous_ids: Sequence[str]
    is_in_members_graph: bool
    said_timeline_ids: Sequence[str] = ()
    said_members_ids: Sequence[str] = ()


class PeerEpoch(NamedTuple):
    """An epoch that a peer knows.

    ``counts``: its creator was a member and it has a members tangle (R30, R32). ``is_member``: the peer is
    declared in it. ``rule``: the rule that made the peer prefer it, None if they prefer another epoch.
    ``fork_count``: current forks of the epoch that the peer is a witness of. ``repairs``: what the peer
    should publish there.
    """

    epoch_id: str
    counts: bool
    is_tip: bool
    is_member: bool
    member_count: int
    rule: str | None
    fork_count: int
    repairs: list[Repair]


def peer_epochs(
    messages: Sequence[GroupMessage], key_ranks: KeyRanks, peer: str
) -> list[PeerEpoch]:
    """The epochs of a group as a peer should judge them, by id.

    Only a member or the creator can add people to an epoch (R30), and only a witness should mend a fork
    (4.6). So a peer gets only these repairs. Who is missing in an epoch is no witness before somebody has
    added them: they could not complete that epoch first, as 4.9 asks.

    Args:
        messages: what the peer knows of the group, from :func:`seen`.
        key_ranks: the places of the epochs' keys.
        peer: the person.

    Complexity: as ``judge``, ``knowledge``, ``forks`` and ``repairs``.

    >>> def message(name, kind, epoch, people, *previous):
    ...     before = [one for one in previous if one in "xy"] if kind == "init" else []
    ...     return GroupMessage(
    ...         name, "ann", kind, epoch, people, previous, previous, before, True, False, None, 0
    ...     )
    >>> messages = [
    ...     message("x", "init", None, []), message("1", "add", "x", ["ann", "bob"], "x"),
    ...     message("2", "exclude", "x", ["bob"], "1"), message("y", "init", None, [], "x", "2"),
    ...     message("3", "add", "y", ["ann"], "y"),
    ... ]
    >>> for epoch in peer_epochs(messages, {"x": 0, "y": 1}, "bob"):
    ...     print(epoch.epoch_id, epoch.is_tip, epoch.is_member, epoch.member_count, epoch.rule)
    x False True 2 only
    y True False 1 None
    """
    judged = judge(messages)
    inits = [one for one in messages if one.kind == "init"]
    previous = judged.previous_epochs
    members = declared_members(messages, judged)
    ancestry = Ancestry(previous)
    tips = set(ancestry.unsucceeded(previous))
    everybody = frozenset[str]().union(*members.values())
    known = knowledge(messages, judged)
    correct = {
        epoch: (everybody if epoch in known.complete else people) - known.excluded_before[epoch]
        for epoch, people in members.items()
    }
    created = {one.message_id for one in inits if one.author_id == peer}
    found = repairs(tips, members, correct, ancestry, key_ranks)
    todo: dict[str, list[Repair]] = defaultdict(list)
    for repair in _own(found, members, Witnesses(members, ancestry), created, peer):
        todo[repair.epoch_id].append(repair)
    beginnings = {one.message_id: (one.position, None) for one in inits}
    detected: Counter[str] = Counter()
    for fork in forks(previous, members, key_ranks, beginnings):
        if fork.is_current and peer in fork.witness_ids:
            detected.update([fork.left_epoch_id, fork.right_epoch_id])
    own = {epoch for epoch, people in members.items() if peer in people}
    preference = preferred_epoch(own, members, ancestry, key_ranks) if own else None
    return [
        PeerEpoch(
            epoch,
            epoch in previous,
            epoch in tips,
            epoch in own,
            len(members.get(epoch, ())),
            preference.rule if preference and preference.epoch_id == epoch else None,
            detected[epoch],
            todo[epoch],
        )
        for epoch in sorted(one.message_id for one in inits)
    ]


def _own(
    found: Sequence[Repair],
    members: Members,
    witnesses: Witnesses,
    created: Collection[str],
    peer: str,
) -> Iterator[Repair]:
    """The repairs that the peer can make. ``created`` are the epochs that the peer created.

    A creator who has not added themselves yet (4.1.5) may be the only one who holds the key. A witness of all
    forks that a new epoch heals remains in it.
    """
    rivals = {one.epoch_id: one.rival_ids for one in found if one.action == "create_epoch"}
    healed = {
        base
        for base, others in rivals.items()
        if all(peer in witnesses.of(base, other) for other in others)
    }
    for repair in found:
        if repair.action == "add":
            is_own = peer in members[repair.epoch_id] or repair.epoch_id in created
        else:
            is_own = repair.epoch_id in healed
        if is_own:
            yield repair


def seen(
    messages: Mapping[str, GroupMessage], listed: Mapping[str, Listed], log: Collection[str]
) -> list[GroupMessage]:
    """The messages of a group that a log holds, as the tangles of that log alone have them.

    A message is in a graph of the log if it is in that graph of all logs, and if the log holds all messages
    before it there (R7), those too that a message without signed bytes says. Ranks, and so the order, are
    then the same. If a message lists something that the log lacks, its authority is unknown (R30).

    Args:
        messages: all messages of the group by id, for :func:`scuttlehouse.groups.authority.judge`.
        listed: what each of them lists.
        log: ids of all messages that the log holds and somebody could open, including those of other groups.

    Complexity: O(n log n + links) in the messages of the log: a group may be in hundreds of logs.

    >>> def message(name, kind, epoch, people, *previous):
    ...     return GroupMessage(
    ...         name, "ann", kind, epoch, people, previous, previous, [], True, False, None, 0
    ...     )
    >>> messages = {
    ...     "x": message("x", "init", None, []), "1": message("1", "add", "x", ["ann"], "x"),
    ...     "2": message("2", "add", "x", ["bob"], "1"),
    ... }
    >>> listed = {
    ...     name: Listed((), "x", one.previous_ids, one.kind == "add") for name, one in messages.items()
    ... }
    >>> [(one.message_id, one.kind) for one in seen(messages, listed, {"x", "2"})]
    [('2', 'other'), ('x', 'init')]
    """
    held = [messages[name] for name in sorted(log) if name in messages]
    timeline = _closed(
        {
            one.message_id: [
                *one.timeline_previous_ids,
                *listed[one.message_id].said_timeline_ids,
            ]
            for one in held
            if one.timeline_previous_ids is not None
        }
    )
    epochs = _closed(
        {
            one.message_id: one.previous_epoch_ids
            for one in held
            if one.kind == "init" or one.previous_epoch_ids
        }
    )
    changes = _closed(
        {one.message_id: () for one in held if one.message_id in epochs}
        | {
            one.message_id: [*own.members_previous_ids, *own.said_members_ids]
            for one in held
            if (own := listed[one.message_id]).is_in_members_graph and own.members_root_id in epochs
        }
    )
    found = []
    for one in held:
        own = listed[one.message_id]
        previous = set(own.own_previous_ids)
        if own.members_root_id in epochs:
            previous.update(own.members_previous_ids)
        known = one._replace(
            previous_ids=sorted(previous),
            timeline_previous_ids=one.timeline_previous_ids if one.message_id in timeline else None,
            lacks_previous=one.lacks_previous or any(each not in log for each in previous),
            position=one.position if one.message_id in timeline else len(messages),
        )
        is_in_graph = one.message_id in (epochs if one.kind == "init" else changes)
        found.append(known if one.kind == "other" or is_in_graph else _as_no_act(known))
    return found


def _as_no_act(message: GroupMessage) -> GroupMessage:
    """An act as an ordinary message, because the log does not hold all messages before it."""
    return message._replace(
        kind="other", epoch_id=None, person_ids=(), previous_epoch_ids=(), declares_members=False
    )


def _closed(listed: Mapping[str, Sequence[str]]) -> set[str]:
    """The messages that have all messages before them here."""
    found: set[str] = set()

    def visit(name: str, before: int) -> int:
        is_open = before or any(one not in listed for one in listed[name])
        if not is_open:
            found.add(name)
        return int(bool(is_open))

    sweep_named(listed, visit)
    return found
