"""A rule for messages of sets that a message may break (pzp-set, "Msg content")."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scuttlehouse.groups.causality import sweep
from scuttlehouse.sets.items import SetMessage, words


class Unsuperseded(NamedTuple):
    """A message that changes an item, and supersedes none of the newest changes of the item that it knew.

    ``known_id`` is the last of these changes, by depth and id.
    """

    message_id: str
    item: str
    known_id: str


def unsuperseded(messages: Sequence[SetMessage]) -> Iterator[Unsuperseded]:
    """The changes of a set that do not point to a newest known change of the same item.

    "When you add or delete an item in a set, in the supersedes array you MUST point to the currently-known
    highest-depth msg that added or deleted that item." A message knows all messages that its previous lead
    to. If several have the same depth, one is enough. What messages without lists changed is not known.

    Args:
        messages: the messages in the tangle of one set, in the order (depth, id) of R26.

    Complexity: O(messages + links + named items) operations on integers with a bit for each message about
    an item that other messages are about, too.

    >>> messages = [
    ...     SetMessage("moot", 0, [], None, None, None), SetMessage("1", 1, ["moot"], ["a"], [], []),
    ...     SetMessage("2", 2, ["1"], [], ["a"], ["1"]), SetMessage("3", 3, ["2"], ["a"], [], ["1"]),
    ... ]
    >>> list(unsuperseded(messages))
    [Unsuperseded(message_id='3', item='a', known_id='2')]
    """
    about: dict[str, list[int]] = defaultdict(list)
    for node, message in enumerate(messages):
        for word in words(message):
            about[word.item].append(node)
    shared = {item: nodes for item, nodes in about.items() if len(nodes) > 1}
    # The highest bit of a set is the last message in the order.
    nodes_of_bits = sorted({node for nodes in shared.values() for node in nodes})
    bits = {node: 1 << place for place, node in enumerate(nodes_of_bits)}
    masks = {item: sum(bits[node] for node in nodes) for item, nodes in shared.items()}
    found: list[Unsuperseded] = []

    def visit(node: int, before: int) -> int:
        message = messages[node]
        for word in words(message):
            known = before & masks.get(word.item, 0)
            if not known:
                continue
            last = messages[nodes_of_bits[known.bit_length() - 1]]
            newest = set[str]()
            while known:
                one = messages[nodes_of_bits[known.bit_length() - 1]]
                if one.depth < last.depth:
                    break
                newest.add(one.message_id)
                known ^= 1 << known.bit_length() - 1
            if newest.isdisjoint(message.superseded_ids or ()):
                found.append(Unsuperseded(message.message_id, word.item, last.message_id))
        return bits.get(node, 0)

    places = {message.message_id: node for node, message in enumerate(messages)}
    sweep([[places[one] for one in m.previous_ids if one in places] for m in messages], visit)
    return iter(found)
