"""What messages list although their author knew of a message after it (4.10; tangle SIP, "Tangle fields")."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import numpy as np

from scuttlehouse.groups.authority import GroupMessage, known_directly
from scuttlehouse.tangles.graphs import Ints
from scuttlehouse.tangles.listings import listed_before


def no_tips(
    messages: Sequence[GroupMessage], changes: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    """What each message of a group lists in a tangle that was no tip of it for the author; sorted.

    It was none if a message in the graph of the same tangle lists it, and the author knew of that one: their
    message knows of it through any tangle of the group. Messages that list only tips are left out.

    Args:
        messages: the messages of the group.
        changes: what the messages in the graphs of members tangles list there.

    Complexity: as :func:`.listed_before`.

    >>> def message(name, *previous):
    ...     return GroupMessage(
    ...         name, "ann", "other", None, [], previous, previous, [], True, False, None, 0
    ...     )
    >>> no_tips([message("x"), message("1", "x"), message("2", "1"), message("3", "x", "2")], {})
    {'3': ['x']}
    """
    names = [one.message_id for one in messages]
    node_of = {name: node for node, name in enumerate(names)}
    known, _ = known_directly(messages)
    after, before = _columns(
        (node, node_of[one])
        for node, name in enumerate(names)
        for one in known[name]
        if one in node_of
    )
    number_of: dict[tuple[str, str], int] = {}
    nodes, numbers = _columns(
        (node, number_of.setdefault(place, len(number_of)))
        for node, one in enumerate(messages)
        for place in _listed(one, changes)
    )
    is_again = listed_before(len(names), (after, before), nodes, numbers)
    listed = [name for _, name in number_of]
    found: dict[str, set[str]] = defaultdict(set)
    for node, number in zip(nodes[is_again].tolist(), numbers[is_again].tolist(), strict=True):
        found[names[node]].add(listed[number])
    return {name: sorted(ids) for name, ids in found.items()}


def _columns(pairs: Iterable[tuple[int, int]]) -> Ints:
    return np.fromiter(chain.from_iterable(pairs), np.int64).reshape(-1, 2).T


def _listed(message: GroupMessage, changes: Mapping[str, Sequence[str]]) -> set[tuple[str, str]]:
    """The places that a message lists. An id has a place in one members tangle at most."""
    in_epochs = message.previous_epoch_ids if message.kind == "init" else ()
    return {
        *(("group", one) for one in message.timeline_previous_ids or ()),
        *(("epoch", one) for one in in_epochs),
        *(("members", one) for one in changes.get(message.message_id, ())),
    }
