"""A message of a group, as its tangles have it, and what messages know of directly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from scuttlehouse.tangles.causality import sweep_named

Kind = Literal["init", "add", "exclude", "other"]


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
