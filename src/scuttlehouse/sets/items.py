"""Read a pzp set: the items that messages add and delete, in one order for everybody (R26, R27).

A set is a tangle of messages under a moot, which has depth 0 and no data (pzp-set/protospec.md).

**The order** is *(depth, id)*. It depends only on the messages, so everybody who holds the same messages
reads the same list. Ids compare as in the reference, with JavaScript's ``localeCompare`` on en-US: see
``scuttlehouse.pzp.canonical.id_key``.

**Changes.** A message that names an item *changes* it once: the change is a deletion if the message deletes
the item, otherwise an addition. The reference reads each message into a JavaScript Set, additions first.
Adding a present item changes nothing, adding an absent one appends it, deleting removes it. An item that
a message both adds and deletes is out after it, wherever it was, and moves no other item. So the addition
has no effect, and it does not matter how often a message names an item. It follows:

- *An item is in the set if its last change is an addition, and only then.* Changes of other items do not
  matter.
- *Its place is that of the first addition since its last deletion.* The items follow one another as
  these additions do: by message, then by place in the message's list.

**Item roots** are the messages that no other message supersedes, transitively (R27). If a message is
superseded over several steps, the last of these steps supersedes it directly, so one step is enough.
Real ids are hashes, so there are no loops. In a loop, another message supersedes each message, so none of
them is a root. A message that lists itself does not supersede itself. What a message without lists
supersedes is not known.

The reference computes its minimum required depth in one pass over the order: it removes what the message
supersedes from the roots, then adds the message. The result differs if a message supersedes one that is
later in the order, because the pass adds that one afterwards. By the text of the specification it is not
a root, and here it is not. A message that follows the specification supersedes only messages that it knew
of, which have a lesser depth.

**Unknown lists.** Nobody at hand can read the lists of a message that is not opened, or whose plaintexts
differ (R36). Everything here reads it as a message without lists; ``scuttlehouse.sets.pruning`` does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from scuttlehouse.pzp.canonical import id_key


class SetMessage(NamedTuple):
    """A message of a set. Ids are base58 texts, each only once in a set.

    ``depth`` counts steps from the moot, which has 0. ``previous_ids`` and ``superseded_ids`` may name
    messages that are not at hand. The three lists are all None for the moot, if the data was erased, if it
    is not data of a set, and if it is unknown: ``has_unknown_lists`` is true only then.
    """

    message_id: str
    depth: int
    previous_ids: list[str]
    added: list[str] | None
    deleted: list[str] | None
    superseded_ids: list[str] | None
    has_unknown_lists: bool = False


class Change(NamedTuple):
    """What a message does to an item: it adds or deletes it."""

    item: str
    is_deletion: bool


class Item(NamedTuple):
    """An item of a set, its position in the list from 0, and the messages that decide its place.

    ``placed_by_id`` is the first message since its last deletion that adds it; ``last_added_by_id`` is the
    last message that adds it.
    """

    item: str
    position: int
    placed_by_id: str
    last_added_by_id: str


def topological_order(messages: Iterable[SetMessage]) -> list[SetMessage]:
    """The messages by depth and id (R26).

    Complexity: O(n log n).

    >>> messages = [SetMessage(m, d, [], [], [], []) for m, d in [("B", 2), ("a", 2), ("c", 1)]]
    >>> [message.message_id for message in topological_order(messages)]
    ['c', 'a', 'B']
    """
    return sorted(messages, key=lambda message: (message.depth, id_key(message.message_id)))


def changes(message: SetMessage) -> list[Change]:
    """The changes of a message: its additions in order, then its deletions. One change of each item.

    Empty if the message has no lists.

    >>> message = SetMessage("m", 1, [], ["b", "a", "c", "b"], ["c"], [])
    >>> [tuple(change) for change in changes(message)]
    [('b', False), ('a', False), ('c', True)]
    """
    out = dict.fromkeys(message.deleted or (), True)
    put_in = {item: False for item in message.added or () if item not in out}
    return [Change(item, is_deletion) for item, is_deletion in (put_in | out).items()]


def read_items(messages: Iterable[SetMessage]) -> list[Item]:
    """The items of a set, in the order of the reference (R26).

    Complexity: O(n log n + named items).

    >>> messages = [
    ...     SetMessage("moot", 0, [], None, None, None),
    ...     SetMessage("m1", 1, ["moot"], ["alice", "bob"], [], []),
    ...     SetMessage("m2", 2, ["m1"], [], ["alice"], ["m1"]),
    ...     SetMessage("m3", 3, ["m2"], ["alice", "bob"], [], ["m2"]),
    ... ]
    >>> for item in read_items(messages):
    ...     print(*item)
    bob 0 m1 m3
    alice 1 m3 m3
    """
    placed_by: dict[str, str] = {}
    last_added_by: dict[str, str] = {}
    for message in topological_order(messages):
        for item, is_deletion in changes(message):
            if is_deletion:
                placed_by.pop(item, None)
            else:
                placed_by.setdefault(item, message.message_id)
                last_added_by[item] = message.message_id
    return [
        Item(item, position, placed, last_added_by[item])
        for position, (item, placed) in enumerate(placed_by.items())
    ]


def tips(messages: Iterable[SetMessage]) -> list[SetMessage]:
    """The messages that no other message of the set lists as previous, in order.

    Complexity: O(n log n + links).

    >>> messages = [SetMessage("moot", 0, [], None, None, None), SetMessage("m", 1, ["moot"], [], [], [])]
    >>> [message.message_id for message in tips(messages)]
    ['m']
    """
    ordered = topological_order(messages)
    links = (
        (message.message_id, previous) for message in ordered for previous in message.previous_ids
    )
    listed = {previous for message_id, previous in links if previous != message_id}
    return [message for message in ordered if message.message_id not in listed]


def superseded_by(messages: Iterable[SetMessage]) -> dict[str, str]:
    """For each superseded message, the first message in the order that supersedes it (R27).

    Complexity: O(n log n + listed ids).

    >>> superseded_by([
    ...     SetMessage("m1", 1, [], ["a"], [], []),
    ...     SetMessage("m2", 2, ["m1"], [], ["a"], ["m1", "not at hand", "m2"]),
    ...     SetMessage("m3", 3, ["m2"], ["a"], [], ["m1", "m2"]),
    ... ])
    {'m1': 'm2', 'm2': 'm3'}
    """
    ordered = topological_order(messages)
    superseding: dict[str, str] = {}
    for message in ordered:
        for superseded in message.superseded_ids or ():
            if superseded != message.message_id:
                superseding.setdefault(superseded, message.message_id)
    at_hand = [message.message_id for message in ordered]
    return {one: superseding[one] for one in at_hand if one in superseding}


def item_roots(messages: Iterable[SetMessage]) -> list[SetMessage]:
    """The messages with lists that no other message supersedes, in order (R27).

    Complexity: O(n log n + listed ids).

    >>> [message.message_id for message in item_roots([
    ...     SetMessage("m1", 1, [], ["a"], [], []),
    ...     SetMessage("m2", 1, [], ["b"], [], []),
    ...     SetMessage("m3", 2, ["m1", "m2"], [], ["a"], ["m1"]),
    ... ])]
    ['m2', 'm3']
    """
    ordered = topological_order(messages)
    superseded = superseded_by(ordered)
    unsuperseded = [message for message in ordered if message.message_id not in superseded]
    return [message for message in unsuperseded if message.superseded_ids is not None]


def minimum_required_depth(messages: Iterable[SetMessage]) -> int | None:
    """The least depth of the item roots. None if there are no item roots.

    The reference drops messages of a lesser depth. The text at the top says how its formula may differ.

    Complexity: O(n log n + listed ids).

    >>> minimum_required_depth([SetMessage("m1", 4, [], ["a"], [], [])])
    4
    """
    return min((message.depth for message in item_roots(messages)), default=None)


def reference_keeps(messages: Iterable[SetMessage]) -> list[SetMessage]:
    """The messages that the reference keeps, in order: the moot, and those with at least the required depth.

    All messages if there is no item root.

    Complexity: O(n log n + listed ids).

    >>> messages = [SetMessage("m1", 1, [], ["a"], [], []), SetMessage("m2", 2, [], [], ["a"], ["m1"])]
    >>> [message.message_id for message in reference_keeps(messages)]
    ['m2']
    """
    ordered = topological_order(messages)
    least = minimum_required_depth(ordered) or 0
    return [message for message in ordered if message.depth == 0 or message.depth >= least]


def lost_by_reference(messages: Iterable[SetMessage]) -> list[str]:
    """The items that are lost if a set is read from what the reference keeps of it, in order (R28).

    Complexity: O(n log n + items and listed ids).

    >>> lost_by_reference([
    ...     SetMessage("m1", 1, [], ["alice", "bob"], [], []),
    ...     SetMessage("m2", 2, ["m1"], [], ["bob"], ["m1"]),
    ... ])
    ['alice']
    """
    ordered = topological_order(messages)
    kept = {item.item for item in read_items(reference_keeps(ordered))}
    return [item.item for item in read_items(ordered) if item.item not in kept]


def lipmaa_depth(depth: int) -> int:
    """The depth that a message also links to, so that few steps lead to the moot.

    This is Bamboo's lipmaa, with entries that count from 1. Take the numbers 1, 4, 13, 40, ...: each is three
    times the last one plus one. The entry with the k-th number steps back by 3^(k - 1). For any other entry,
    subtract the greatest number as often as possible, then the next smaller one from the rest, and so on.
    The step is that of the number that leaves nothing.

    Raises:
        ValueError: the depth is below 1. The moot links to nothing.

    >>> [lipmaa_depth(depth) for depth in range(1, 14)]
    [0, 1, 0, 3, 4, 5, 3, 7, 8, 9, 7, 3, 12]
    """
    if depth < 1:
        raise ValueError("Only a message below the moot has a depth to link to.")
    rest, step = depth + 1, 1
    while 3 * step + 1 <= rest:
        step = 3 * step + 1
    if step == rest:
        return depth - (step - step // 3)
    while rest := rest % step:
        step //= 3
    return depth - step


def lipmaa_link(message: SetMessage, depths: Mapping[str, int]) -> bool | None:
    """Whether a message lists a message of its lipmaa depth as previous.

    None if it is unknown because a previous is not at hand, and for the moot, which has no lipmaa depth.
    ``depths`` holds the depths of the messages at hand.

    >>> message = SetMessage("m", 3, ["moot", "m2"], [], [], [])
    >>> lipmaa_link(message, {"moot": 0}), lipmaa_link(message, {"m2": 2}) is None
    (True, True)
    """
    if message.depth == 0:
        return None
    wanted = lipmaa_depth(message.depth)
    listed = [depths.get(previous) for previous in message.previous_ids]
    return True if wanted in listed else None if None in listed else False
