"""What can be pruned from a pzp set without a change for any reader (ruling R28).

The specification lets a device delete or erase everything before the item roots, and the reference drops
all messages with a lesser depth than all item roots. Both lose items, because a message is superseded as a
whole. Example: squeeze bob, carol and dave into one message, then delete bob. The deletion supersedes the
squeeze and is the only message left; carol and dave are lost.

**What can be pruned.** *Candidates* are the messages that precede every item root, through messages at
hand. The moot and the item roots are not candidates; without an item root there are none. The *last
change* of an item (``items.changes``) is that of the last message in the order that changes it. A candidate
can be pruned if it has the last change of no item, and if the list keeps its order without it. A last change
that takes an item out stays too, as a tombstone: a device that has forked may still send an older addition.

Let M be the messages at hand and K the messages that stay. Then M and K have the same last changes:
the message with the last change is in K, and K changes nothing that M does not change.

1. *K reads as M, in the same order.* See below: otherwise the message stays.
2. *Whatever messages N are added, anywhere in the order, M + N and K + N have the same items.* An item is
   in if and only if its last change is an addition. If N has that change in M + N, it is the last in K + N
   too, which holds less. If not, it is M's last change, which K also has. The same is true of everything
   between K and M: of a device that has dropped a part, or gets some of it back. Which messages are added is
   another matter: see "Late messages".
3. *Messages that come after all of M also leave the same order.* How a message changes a list depends only
   on the list. Messages that come in between may change it. Example: messages add alice, then bob, then
   both. The first two can be pruned. If a message that deletes alice comes in just before the third, M
   reads bob, alice and K reads alice, bob.

**The order.** The place of an item is that of the first addition since its last deletion. So only changes of
items of the list count, and if a message is dropped, only the items that it changes can move. The others
keep their order. So all items keep their order if each one that moves stays between its neighbours;
``scuttlehouse.sets.order`` checks this. First all candidates without a last change are tried together: no
more can be dropped, and plain additions before a squeeze all can. If that fails, they are tried one by one,
in the order. The answer for one message depends on the items that it would move (it places or last deletes
each of them) and on their neighbours. If the answer changes when another message is dropped, that message
changes such an item or a neighbour. So after a drop, the messages that placed or last deleted an item that
it changes, or a neighbour, are tried again. In the end *no further message can be dropped by itself*.
Another choice might drop more: to find the most, every choice would have to be tried.

**Unknown lists.** A message that is not opened, or whose plaintexts differ, may change any item and
supersede anything. It stays. (An erased message is none of them: its data is gone, and it changes nothing.)
What is said about the others holds for *every plaintext* of these messages, with lists or without:

4. *What is pruned precedes all item roots.* By any plaintext, an item root is one that the lists at hand
   leave, or a message with unknown lists that they do not supersede. A candidate precedes both.
5. *K reads as M, in the same order.* The items are the same by 2, with the unknown changes as N. The messages
   with unknown lists cut the order into *stretches*. An item *counts* in a stretch if no later stretch
   deletes it. In each stretch, the last change of each item that counts stays, the last deletion too, and the
   items that count, read from an empty list, keep their order. So with and without what is pruned, a stretch
   removes the same items from any list and appends the same ones in the same order, as far as they count. The
   items that do not count change nothing about that, and are deleted later. So both lists have the items that
   count in the same order after each stretch, and after each unknown change. In the end all items count.
   (The first stretch begins with the empty list, so a deletion matters there only as a last change.)

**Later prunings.** Item roots stay item roots. A message that stays may become one, if the message that
superseded it is gone. Then fewer messages precede all roots, and a later pruning drops less, never too
much.

**Late messages.** A device with M accepts some of the messages that arrive later (see
``scuttlehouse.sets.tangles``). With K and its trail it accepts the same ones, as far as each lists a message
of K or the trail, or one that arrives and is accepted. The others wait until a message that they list is at
hand again, in the reference too; to remember the ids of dropped messages does not help. A message that is
rejected with M, because its depth does not fit that of a dropped message, may be accepted with K: a device of
the account that follows the specification writes none.

**The trail.** A message is accepted only if one of its previous is known. So some messages that can be
pruned stay without their data: see ``trail``. Only links to messages at hand with a lesser depth count;
the reference accepts no others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Literal, NamedTuple

from scuttlehouse.pzp.canonical import id_key
from scuttlehouse.sets.items import (
    SetMessage,
    changes,
    item_roots,
    superseded_by,
    topological_order,
)
from scuttlehouse.sets.order import kept_for_order

_ROOTS_AT_A_TIME = 4096

KeptBecause = Literal["moot", "unknown", "item_root", "concurrent", "source", "deletion", "order"]


class Verdict(NamedTuple):
    """Whether a message can be pruned. If not, the first of these reasons that applies.

    ``moot``; ``unknown``: nobody knows its lists; ``item_root``; ``concurrent``: it does not precede every
    item root, or every message with unknown lists that is not superseded, or there is no item root;
    ``source``: it has the last change of a present item; ``deletion``: it has the last change that
    takes an absent item out; ``order``: without it items would change places, or would do so with unknown
    changes. None if it can be pruned.
    """

    message_id: str
    is_prunable: bool
    kept_because: KeptBecause | None


def verdicts(messages: Iterable[SetMessage]) -> list[Verdict]:
    """Which messages of a set can be pruned, all of them together. In the order of the set.

    Complexity: O(n log n + c log c + links) for c changes, if few item roots are concurrent: k of them add
    k / 64 to a link.

    >>> for verdict in verdicts([
    ...     SetMessage("moot", 0, [], None, None, None),
    ...     SetMessage("m1", 1, ["moot"], ["alice"], [], []),
    ...     SetMessage("m2", 2, ["m1"], ["bob"], [], []),
    ...     SetMessage("m3", 3, ["m2"], ["alice", "bob"], [], ["m1", "m2"]),
    ...     SetMessage("m4", 4, ["m3"], [], ["bob"], ["m3"]),
    ... ]):
    ...     print(*verdict)
    moot False moot
    m1 True None
    m2 True None
    m3 False source
    m4 False item_root
    """
    ordered = topological_order(messages)
    roots = {message.message_id for message in item_roots(ordered)}
    candidates = _preceding_all(ordered, roots | _possible_roots(ordered)) if roots else set()
    last_changes = {
        item: (message.message_id, is_deletion)
        for message in ordered
        for item, is_deletion in changes(message)
    }
    last = set(last_changes.values())

    def reason(message: SetMessage) -> KeptBecause | None:
        one = message.message_id
        if message.depth == 0:
            return "moot"
        if message.has_unknown_lists:
            return "unknown"
        if one in roots:
            return "item_root"
        if one not in candidates:
            return "concurrent"
        if (one, False) in last:
            return "source"
        return "deletion" if (one, True) in last else None

    reasons = {message.message_id: reason(message) for message in ordered}
    for one in kept_for_order(ordered, [one for one, because in reasons.items() if not because]):
        reasons[one] = "order"
    return [Verdict(one, because is None, because) for one, because in reasons.items()]


def trail(messages: Iterable[SetMessage], prunable: Collection[str]) -> list[str]:
    """The prunable messages that are erased and not deleted: their data goes, their metadata stays.

    These are paths towards the moot. A path starts at every message that stays, and ends at the first
    message that lists one that stays. Each step goes to the known previous with the least depth, then the
    least id. So each message that stays or is erased still has a previous at hand, if it had one, and with a
    whole log all paths lead to the moot. The reference keeps only the paths from messages that have no
    staying message before them. Here others need a path too, because the messages that stay may be scattered.

    Args:
        messages: the whole set.
        prunable: the ids of the messages that ``verdicts`` allows to prune; a set, for speed.

    Complexity: O(n log n + links).

    >>> trail([
    ...     SetMessage("moot", 0, [], None, None, None),
    ...     SetMessage("m1", 1, ["moot"], ["alice"], [], []),
    ...     SetMessage("m2", 2, ["m1"], [], ["alice"], ["m1"]),
    ...     SetMessage("m3", 3, ["m2", "moot"], ["alice"], [], ["m2"]),
    ...     SetMessage("m4", 4, ["m3"], [], ["alice"], ["m3"]),
    ... ], {"m1", "m2", "m3"})
    ['m3']
    """
    ordered = topological_order(messages)
    at_hand = {message.message_id: message for message in ordered}
    erased: set[str] = set()
    for message in ordered:
        if message.message_id in prunable:
            continue
        previous = _known_previous(message, at_hand)
        while previous and all(one.message_id in prunable for one in previous):
            nearest = min(previous, key=lambda one: (one.depth, id_key(one.message_id)))
            if nearest.message_id in erased:
                break
            erased.add(nearest.message_id)
            previous = _known_previous(nearest, at_hand)
    return [message_id for message_id in at_hand if message_id in erased]


def _possible_roots(ordered: list[SetMessage]) -> set[str]:
    """The messages with unknown lists that are item roots if no other such message supersedes them."""
    superseded = superseded_by(ordered)
    unknown = (message.message_id for message in ordered if message.has_unknown_lists)
    return {one for one in unknown if one not in superseded}


def _preceding_all(ordered: list[SetMessage], roots: Collection[str]) -> set[str]:
    """The messages that precede every one of these roots. An empty set if there are no roots.

    Only roots that follow no other root matter: a message before all of them is before all roots. Each of
    these roots has a bit, and each message has the bits of the roots that it precedes. There are so many bits
    at a time that memory does not grow with the number of roots.
    """
    at_hand = {message.message_id: message for message in ordered}
    following: set[str] = set()
    first: list[str] = []
    for message in ordered:
        is_after = any(p.message_id in following for p in _known_previous(message, at_hand))
        if is_after or message.message_id in roots:
            following.add(message.message_id)
        if message.message_id in roots and not is_after:
            first.append(message.message_id)
    preceding: set[str] = set(at_hand) if first else set()
    for start in range(0, len(first), _ROOTS_AT_A_TIME):
        if not preceding:
            break
        bits = {one: 1 << bit for bit, one in enumerate(first[start : start + _ROOTS_AT_A_TIME])}
        everything = (1 << len(bits)) - 1
        preceded: dict[str, int] = {}
        for message in reversed(ordered):
            mask = preceded.pop(message.message_id, 0)
            if mask != everything:
                preceding.discard(message.message_id)
            mask |= bits.get(message.message_id, 0)
            for previous in _known_previous(message, at_hand) if mask else ():
                preceded[previous.message_id] = preceded.get(previous.message_id, 0) | mask
    return preceding


def _known_previous(message: SetMessage, at_hand: Mapping[str, SetMessage]) -> list[SetMessage]:
    known = [at_hand[previous] for previous in message.previous_ids if previous in at_hand]
    return [previous for previous in known if previous.depth < message.depth]
