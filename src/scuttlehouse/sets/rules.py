"""The two rules for the contents of messages of sets that a message may break (pzp-set, "Msg content")."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from scuttlehouse.sets.items import SetMessage, changes
from scuttlehouse.tangles.causality import sweep


class Unsuperseded(NamedTuple):
    """A message that changes an item, and supersedes none of the newest changes of the item that it knew.

    ``known_id`` is the last of these changes, by depth and id.
    """

    message_id: str
    item: str
    known_id: str


def unsuperseded(messages: Sequence[SetMessage]) -> list[Unsuperseded]:
    """The changes of a set that do not point to a newest known change of the same item.

    "When you add or delete an item in a set, in the supersedes array you MUST point to the currently-known
    highest-depth msg that added or deleted that item." A message knows all that its previous lead to. Of
    several of the same depth one is enough. What supersedes a message without lists, or one that is not at
    hand, may have superseded the newest one.

    Args:
        messages: the messages in the tangle of one set, in the order (depth, id) of R26.

    Complexity: O(messages + links + named items + superseded ids) operations on integers with a bit for each
    message about an item that other messages are about, too.

    >>> messages = [
    ...     SetMessage("moot", 0, [], None, None, None), SetMessage("1", 1, ["moot"], ["a"], [], []),
    ...     SetMessage("2", 2, ["1"], [], ["a"], ["1"]), SetMessage("3", 3, ["2"], ["a"], [], ["1"]),
    ... ]
    >>> unsuperseded(messages)
    [Unsuperseded(message_id='3', item='a', known_id='2')]
    """
    about: dict[str, list[int]] = defaultdict(list)
    for node, message in enumerate(messages):
        for change in changes(message):
            about[change.item].append(node)
    shared = {item: nodes for item, nodes in about.items() if len(nodes) > 1}
    # The highest bit of a set is the last message in the order.
    nodes_of_bits = sorted({node for nodes in shared.values() for node in nodes})
    bits = {messages[node].message_id: 1 << place for place, node in enumerate(nodes_of_bits)}
    masks = {
        item: sum(bits[messages[node].message_id] for node in nodes)
        for item, nodes in shared.items()
    }
    of_depth: dict[int, int] = defaultdict(int)
    for node in nodes_of_bits:
        of_depth[messages[node].depth] |= bits[messages[node].message_id]
    readable = {
        one.message_id for one in messages if one.superseded_ids is not None or not one.depth
    }
    found: list[Unsuperseded] = []

    def visit(node: int, before: int) -> int:
        message = messages[node]
        superseded, of_superseded = set(message.superseded_ids or ()), 0
        for one in superseded:
            of_superseded |= bits.get(one, 0)
        for change in changes(message):
            if known := before & masks.get(change.item, 0):
                last = messages[nodes_of_bits[known.bit_length() - 1]]
                newest = known & of_depth[last.depth]
                if not newest & of_superseded and superseded <= readable:
                    found.append(Unsuperseded(message.message_id, change.item, last.message_id))
        return bits.get(message.message_id, 0)

    places = {message.message_id: node for node, message in enumerate(messages)}
    sweep([[places[one] for one in m.previous_ids if one in places] for m in messages], visit)
    return found


def left_deletions(messages: Sequence[SetMessage]) -> dict[str, str]:
    """The additions that leave a newest known deletion unsuperseded, with its id: the last by depth and id.

    "Also, when you add any item, in the supersedes array you SHOULD point to all currently-known
    highest-depth msgs that deleted something." What is superseded by a message that the author knows is done
    with. Where the author knows messages that are not at hand, or one without lists that is as deep as the
    deletions, these may be newer deletions or supersede one: then nothing is said.

    Args:
        messages: those in the tangle of one set, in the order (depth, id) of R26.

    Complexity: O(messages + links) operations on integers with two bits for each message that deletes
    something or has no lists.

    >>> messages = [
    ...     SetMessage("moot", 0, [], None, None, None), SetMessage("1", 1, ["moot"], [], ["a"], []),
    ...     SetMessage("2", 2, ["1"], ["b"], [], []), SetMessage("3", 3, ["2"], ["c"], [], ["1"]),
    ...     SetMessage("4", 4, ["3"], ["d"], [], []),
    ... ]
    >>> left_deletions(messages)
    {'2': '1'}
    """
    marked = [one for one in messages if one.deleted or (one.deleted is None and one.depth)]
    bits = {one.message_id: 1 << place for place, one in enumerate(marked)}
    everything = (1 << len(marked)) - 1
    places = {message.message_id: node for node, message in enumerate(messages)}
    # Behind a bit for each of them, one for each that is superseded, and one for what is not at hand.
    lacking = 1 << 2 * len(marked)
    deletions = sum(bits[one.message_id] for one in marked if one.deleted)
    of_depth: dict[int, int] = defaultdict(int)
    for one in marked:
        of_depth[one.depth] |= bits[one.message_id]
    found: dict[str, str] = {}

    def visit(node: int, before: int) -> int:
        message = messages[node]
        superseded = 0
        for one in message.superseded_ids or ():
            superseded |= bits.get(one, 0)
        if any(one not in places for one in message.previous_ids):
            before |= lacking
        known = before & everything
        if message.added and known and not before & lacking:
            newest = known & of_depth[marked[known.bit_length() - 1].depth]
            left = newest & ~(before >> len(marked)) & ~superseded
            if left and not newest & ~deletions:
                found[message.message_id] = marked[left.bit_length() - 1].message_id
        return bits.get(message.message_id, 0) | superseded << len(marked) | before & lacking

    sweep([[places[one] for one in m.previous_ids if one in places] for m in messages], visit)
    return found
