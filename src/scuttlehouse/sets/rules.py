"""The two rules for the contents of messages of sets that a message may break (pzp-set, "Msg content")."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scuttlehouse.sets.items import SetMessage, changes
from scuttlehouse.tangles.causality import mask_of, sweep_named

# So few bytes without a change are kept that they take about as much memory as the text of an item.
_KEPT_BYTES = 64

# A run of bytes that hold the changes of an item, one bit each, and the number of its first byte.
Run = tuple[int, bytearray]


class Unsuperseded(NamedTuple):
    """A message that changes an item, and supersedes none of the newest changes of the item that it knew.

    ``known_id`` is the last of these changes, by depth and id.
    """

    message_id: str
    item: str
    known_id: str


def unsuperseded(moot_id: str, messages: Sequence[SetMessage]) -> list[Unsuperseded]:
    """The changes of a set that do not point to a newest known change of the same item.

    "When you add or delete an item in a set, in the supersedes array you MUST point to the currently-known
    highest-depth msg that added or deleted that item." A message knows all that its previous lead to. It also
    knows what it supersedes, even if messages between are not at hand. Of several of the same depth one is
    enough. A message that supersedes one without lists, or one that is not at hand, may have superseded the
    newest one.

    Args:
        moot_id: the id of the set. The moot has no data, so it is known even if no log holds it.
        messages: the messages in the tangle of one set, in the order (depth, id) of R26.

    Complexity: O(messages + links) operations on integers with a bit for each message about an item that
    other messages are about, too. For each named item, one on a part of these bits that reaches at most eight
    times as far back as the answer; several, if the changes of the item are far apart.

    >>> messages = [
    ...     SetMessage("moot", 0, [], None, None, None), SetMessage("1", 1, ["moot"], ["a"], [], []),
    ...     SetMessage("2", 2, ["1"], [], ["a"], ["1"]), SetMessage("3", 3, ["2"], ["a"], [], ["1"]),
    ... ]
    >>> unsuperseded("moot", messages)
    [Unsuperseded(message_id='3', item='a', known_id='2')]
    """
    about: dict[str, list[int]] = defaultdict(list)
    for node, message in enumerate(messages):
        for change in changes(message):
            about[change.item].append(node)
    shared = {item: nodes for item, nodes in about.items() if len(nodes) > 1}
    # The highest place is that of the last message in the order.
    nodes_of_places = sorted({node for nodes in shared.values() for node in nodes})
    placed = [messages[node] for node in nodes_of_places]
    place_of = {message.message_id: place for place, message in enumerate(placed)}
    first_of_depth = _first_of_depth(placed)
    runs_of_items = {
        item: _runs(place_of[messages[node].message_id] for node in nodes)
        for item, nodes in shared.items()
    }
    readable = {one.message_id for one in messages if one.superseded_ids is not None} | {moot_id}
    found: list[Unsuperseded] = []

    def visit(name: str, before: int) -> int:
        message = by_id[name]
        superseded = {*(message.superseded_ids or ())} - {name}
        if superseded <= readable:
            places = mask_of(place_of[one] for one in superseded if one in place_of)
            seen, pointed = _bytes(before | places), _bytes(places)
            for change in changes(message):
                runs = runs_of_items.get(change.item, [])
                last = _newest_left(runs, seen, pointed, first_of_depth)
                if last is not None:
                    known_id = placed[last].message_id
                    found.append(Unsuperseded(message.message_id, change.item, known_id))
        place = place_of.get(message.message_id)
        return 0 if place is None else 1 << place

    by_id = {message.message_id: message for message in messages}
    sweep_named({message.message_id: message.previous_ids for message in messages}, visit)
    return found


def _first_of_depth(ordered: Sequence[SetMessage]) -> list[int]:
    """For each message, the place of the first one that has the same depth."""
    first: dict[int, int] = {}
    return [first.setdefault(message.depth, place) for place, message in enumerate(ordered)]


def _bytes(mask: int) -> bytes:
    return mask.to_bytes((mask.bit_length() + 7) // 8, "little")


def _runs(places: Iterable[int]) -> list[Run]:
    """Ascending places as bits. Many bytes without one are left out: the more, the more runs there are."""
    runs: list[Run] = []
    end = 0
    for place in places:
        number, bit = divmod(place, 8)
        if not runs or number >= end + _KEPT_BYTES * len(runs):
            runs.append((number, bytearray()))
            end = number
        start, run = runs[-1]
        if number >= end:
            run.extend(bytes(number + 1 - end))
            end = number + 1
        run[number - start] |= 1 << bit
    return runs


def _newest_left(
    runs: list[Run], seen: bytes, pointed: bytes, first_of_depth: list[int]
) -> int | None:
    """The last seen place of those that change an item. None if one of the same depth is pointed to."""
    last: int | None = None
    # From the end, each time eight times as many bytes.
    size = _KEPT_BYTES
    for first, run in reversed(runs):
        end = min(first + len(run), len(seen))
        while end > first and (last is None or 8 * end > first_of_depth[last]):
            start = max(first, end - size)
            changing = int.from_bytes(run[start - first : end - first], "little")
            known = changing & int.from_bytes(seen[start:end], "little")
            if last is None and known:
                last = 8 * start + known.bit_length() - 1
            both = known and known & int.from_bytes(pointed[start:end], "little")
            if both and last is not None and 8 * start + both.bit_length() > first_of_depth[last]:
                return None
            end, size = start, 8 * size
    return last


def left_deletions(moot_id: str, messages: Sequence[SetMessage]) -> dict[str, str]:
    """The additions that leave a newest known deletion unsuperseded, with its id: the last by depth and id.

    "Also, when you add any item, in the supersedes array you SHOULD point to all currently-known
    highest-depth msgs that deleted something." What is superseded by a message that the author knows is done
    with. Where the author knows messages that are not at hand, or one without lists that is as deep as the
    deletions, these may be newer deletions or supersede one: then nothing is said.

    Args:
        moot_id: the id of the set, as for :func:`unsuperseded`.
        messages: those in the tangle of one set, in the order (depth, id) of R26.

    Complexity: O(messages + links) operations on integers with two bits for each message that deletes
    something or has no lists.

    >>> messages = [
    ...     SetMessage("moot", 0, [], None, None, None), SetMessage("1", 1, ["moot"], [], ["a"], []),
    ...     SetMessage("2", 2, ["1"], ["b"], [], []), SetMessage("3", 3, ["2"], ["c"], [], ["1"]),
    ...     SetMessage("4", 4, ["3"], ["d"], [], []),
    ... ]
    >>> left_deletions("moot", messages)
    {'2': '1'}
    """
    marked = [one for one in messages if one.deleted or (one.deleted is None and one.depth)]
    place_of = {one.message_id: place for place, one in enumerate(marked)}
    first_of_depth = _first_of_depth(marked)
    everything = (1 << len(marked)) - 1
    by_id = {message.message_id: message for message in messages}
    # Behind a bit for each of them, one for each that is superseded, and one for what is not at hand.
    lacking = 1 << 2 * len(marked)
    deletions = mask_of(place for place, one in enumerate(marked) if one.deleted)
    found: dict[str, str] = {}

    def visit(name: str, before: int) -> int:
        message = by_id[name]
        others = {*(message.superseded_ids or ())} - {name}
        superseded = mask_of(place_of[one] for one in others if one in place_of)
        if any(one not in by_id and one != moot_id for one in message.previous_ids):
            before |= lacking
        known = before & everything
        if message.added and known and not before & lacking:
            first = first_of_depth[known.bit_length() - 1]
            newest = known >> first << first
            left = newest & ~(before >> len(marked)) & ~superseded
            if left and not newest & ~deletions:
                found[message.message_id] = marked[left.bit_length() - 1].message_id
        own = mask_of([place_of[message.message_id]] if message.message_id in place_of else ())
        return own | superseded << len(marked) | before & lacking

    sweep_named({message.message_id: message.previous_ids for message in messages}, visit)
    return found
