"""Whose acts count in a group (rulings R30 and R32). Only members create epochs, add and exclude.

Section 4.1 of the group exclusion specification lets "some member" act. Somebody is a member if their own
message knows of it: if the messages before it in the group, epoch and members tangles of the group say so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from scuttlehouse.groups.causality import sweep

Kind = Literal["init", "add", "exclude", "other"]
Authority = bool | None


class GroupMessage(NamedTuple):
    """A message of a group, as its tangles have it.

    ``previous_ids`` are all ids that it lists in these tangles. ``timeline_previous_ids`` are the ids that it
    lists in the group tangle; None if it is not in the graph of that tangle. ``lacks_previous``: the log
    lacks a message that it lists, or nobody could read it.

    An ``init`` makes the epoch with its own id, after ``previous_epoch_ids``. ``declares_members``: it is the
    root of a members tangle (R32). An ``add`` or ``exclude`` is in the graph of the members tangle of
    ``epoch_id``, and acts on that epoch and on ``person_ids``. Every other message has the kind ``other`` and
    the epoch that it was written in, or None if the log does not say.

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


def judge(messages: Sequence[GroupMessage]) -> dict[str, Authority]:
    """Whether the author of each init, addition and exclusion was a member of the epoch it acts on (R30).

    The creator of an epoch is a member from its first message on, other people from the first addition that
    counts. An exclusion does not end membership (R16). The creator of an epoch must be a member of every
    epoch before it that counts, and of at least one.

    Returns:
        True; False if the log holds all messages before it and they show no membership; None if some of
        those messages are missing. None counts as true. A message in a loop, or behind one, is False.

    Complexity: O(messages + links + additions) operations on integers with a bit for each pair of an
    epoch and a person who acts on it.

    >>> def message(name, author, kind, epoch, people, *previous, lacks=False):
    ...     before = [one for one in previous if one in "xy"] if kind == "init" else []
    ...     return GroupMessage(
    ...         name, author, kind, epoch, people, previous, previous, before, True, lacks, None, 0
    ...     )
    >>> judge([
    ...     message("x", "ann", "init", None, []), message("1", "ann", "add", "x", ["bob"], "x"),
    ...     message("2", "bob", "exclude", "x", ["ann"], "1"), message("y", "bob", "init", None, [], "x"),
    ...     message("3", "eve", "add", "x", ["eve"], "lost", lacks=True),
    ... ])
    {'x': True, '1': True, '2': True, 'y': False, '3': None}
    """
    places = places_of(messages)
    # Bit 0: a message before this one is missing. The others: pairs of an epoch and a person acting on it.
    pairs: dict[tuple[str, str], int] = {}
    for message in messages:
        for epoch in _acts_on(message):
            pairs.setdefault((epoch, message.author_id), 2 << len(pairs))
    judged: dict[str, Authority] = {}

    def visit(node: int, before: int) -> int:
        message = messages[node]
        before |= message.lacks_previous
        if message.kind != "other":
            judged[message.message_id] = _authority(
                message, before, pairs, judged, places, messages
            )
        gained = int(message.lacks_previous)
        if not counts(message, judged):
            return gained
        if message.kind == "init":
            gained |= pairs.get((message.message_id, message.author_id), 0)
        elif message.kind == "add" and message.epoch_id:
            for person in message.person_ids:
                gained |= pairs.get((message.epoch_id, person), 0)
        return gained

    sweep([known(message.previous_ids, places) for message in messages], visit)
    acts = [message.message_id for message in messages if message.kind != "other"]
    return {act: judged.get(act, False) for act in acts}


def counts(message: GroupMessage, judged: Mapping[str, Authority]) -> bool:
    """Whether an act changes anything: it is authorised, and a new epoch has a members tangle (R30, R32)."""
    is_whole = message.kind != "init" or message.declares_members
    return is_whole and judged.get(message.message_id) is not False and message.kind != "other"


def places_of(messages: Iterable[GroupMessage]) -> dict[str, int]:
    """The index of each message in the list."""
    return {message.message_id: place for place, message in enumerate(messages)}


def known(message_ids: Iterable[str], places: Mapping[str, int]) -> list[int]:
    """The indexes of the messages that are in the log."""
    return [places[one] for one in message_ids if one in places]


def _acts_on(message: GroupMessage) -> Sequence[str]:
    if message.kind == "init":
        # The creator acts on the new epoch, too, as soon as it counts.
        return (*message.previous_epoch_ids, message.message_id)
    if message.kind == "other" or message.epoch_id is None:
        return ()
    return (message.epoch_id,)


def _authority(
    message: GroupMessage,
    before: int,
    pairs: Mapping[tuple[str, str], int],
    judged: Mapping[str, Authority],
    places: Mapping[str, int],
    messages: Sequence[GroupMessage],
) -> Authority:
    def is_member(epoch: str) -> Authority:
        if before & pairs[epoch, message.author_id]:
            return True
        return None if before & 1 else False

    def epoch_counts(epoch: str) -> bool:
        return epoch in judged and counts(messages[places[epoch]], judged)

    if message.kind != "init":
        epoch = message.epoch_id
        return is_member(epoch) if epoch and epoch_counts(epoch) else False
    if not message.previous_epoch_ids:
        return True
    answers = {is_member(epoch) for epoch in message.previous_epoch_ids if epoch_counts(epoch)}
    if not answers or False in answers:
        return False
    return None if None in answers else True
