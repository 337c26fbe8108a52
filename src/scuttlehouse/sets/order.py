"""Which messages of a set must stay so that its list keeps its order (see ``scuttlehouse.sets.pruning``)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection

from scuttlehouse.sets.items import Change, SetMessage, changes, read_items


def kept_for_order(ordered: list[SetMessage], free: list[str]) -> set[str]:
    """The messages without a last change that must stay so that the list keeps its order.

    Args:
        ordered: the messages of a set, in its order.
        free: the ids of those that may be dropped, in the same order.

    Complexity: O(n + c log c) for c changes.

    >>> kept_for_order([
    ...     SetMessage("m1", 1, [], ["alice"], [], []), SetMessage("m2", 2, ["m1"], ["bob"], [], []),
    ...     SetMessage("m3", 3, ["m2"], ["alice"], [], ["m1"]),
    ... ], ["m1"])
    {'m1'}
    """
    is_free = set(free)
    kept: set[str] = set()
    deleted_later: set[str] = set()
    stretches = _stretches(ordered)
    for number, stretch in reversed([*enumerate(stretches)]):
        last: dict[Change | str, str] = {}
        for message in stretch:
            for change in changes(message):
                if change.item not in deleted_later:
                    last[change.item] = message.message_id
                    if number and change.is_deletion:
                        last[change] = message.message_id
        needed = is_free.intersection(last.values())
        droppable = [
            one.message_id
            for one in stretch
            if one.message_id in is_free and one.message_id not in needed
        ]
        kept |= needed | _kept_in_stretch(stretch, droppable, deleted_later)
        deleted_later.update(item for one in stretch for item in one.deleted or ())
    return kept


def _stretches(ordered: list[SetMessage]) -> list[list[SetMessage]]:
    """The messages before, between and after those with unknown lists, which are left out."""
    stretches: list[list[SetMessage]] = [[]]
    for message in ordered:
        if message.has_unknown_lists:
            stretches.append([])
        else:
            stretches[-1].append(message)
    return stretches


def _kept_in_stretch(
    stretch: list[SetMessage], free: list[str], ignored: Collection[str]
) -> set[str]:
    """Those of the free messages that must stay so that the list keeps its order, but for ignored items."""
    kept = set(free)

    def read(messages: list[SetMessage]) -> list[str]:
        return [one.item for one in read_items(messages) if one.item not in ignored]

    items = read(stretch)
    if read([message for message in stretch if message.message_id not in kept]) == items:
        return set()
    reading = _Reading(stretch, items, free)
    turns = {message_id: turn for turn, message_id in enumerate(free)}
    waiting = free
    while waiting:
        again: set[str] = set()
        for message_id in waiting:
            near = reading.drop(message_id)
            if near is not None:
                kept.discard(message_id)
                again |= near
        waiting = sorted(again & kept, key=turns.__getitem__)
    return kept


class _Reading:
    """The list that messages read as, while some of them are dropped.

    The changes of present items are numbered in the order, also within a message. So an item comes
    before another if the addition that places it has the lesser number.
    """

    def __init__(self, ordered: list[SetMessage], items: list[str], free: list[str]) -> None:
        # Positions count from 1, so every position has two neighbours.
        positions = {item: position for position, item in enumerate(items, 1)}
        self._additions: list[list[int]] = [[] for _ in range(len(positions) + 1)]
        self._deletions: list[list[int]] = [[] for _ in range(len(positions) + 1)]
        # The message of each change, by the number of the change.
        self._messages: list[str] = []
        self._changes: dict[str, dict[int, int]] = {}
        for message in ordered:
            numbers = self._changes[message.message_id] = {}
            for item, is_deletion in changes(message):
                if position := positions.get(item):
                    numbers[position] = len(self._messages)
                    change_numbers = self._deletions if is_deletion else self._additions
                    change_numbers[position].append(len(self._messages))
                    self._messages.append(message.message_id)
        inner = [self._place(position) for position in positions.values()]
        self._places = [-1, *inner, len(self._messages)]
        # The positions of items that would come after the next one, for each message that may be dropped.
        self._crossings: dict[str, set[int]] = {message_id: set() for message_id in free}
        for message_id in free:
            for position in self._changes[message_id]:
                self._compare(message_id, position - 1)
                self._compare(message_id, position)

    def _place(self, position: int, without: int = -1) -> int:
        """The number of the addition that places an item, without one of the item's changes."""
        last = max((n for n in self._deletions[position][-2:] if n != without), default=-1)
        additions = self._additions[position]
        first = bisect_right(additions, last)
        return additions[first + (additions[first] == without)]

    def drop(self, message_id: str) -> set[str] | None:
        """Drop a message that has no last change, if the list stays the same. None if it does not.

        Returns:
            The messages that placed or last deleted the items that it changes, or their neighbours.
        """
        if self._crossings.get(message_id):
            return None
        numbers = self._changes[message_id]
        near = {position: self._deciding(position) for position in numbers}
        moved = {position: self._place(position, number) for position, number in numbers.items()}
        for position, number in numbers.items():
            for change_numbers in (self._additions[position], self._deletions[position]):
                at = bisect_left(change_numbers, number)
                if change_numbers[at : at + 1] == [number]:
                    del change_numbers[at]
            self._places[position] = moved[position]
        for position, messages in near.items():
            for one in messages | self._deciding(position):
                self._compare(one, position - 1)
                self._compare(one, position)
        return set().union(*near.values())

    def _compare(self, message_id: str, position: int) -> None:
        """Note whether the item here would come after the next one if a free message were dropped.

        The answer depends only on the changes of the two items. It is yes only if the message places or last
        deletes one of them.
        """
        crossings = self._crossings.get(message_id)
        if crossings is None:
            return
        numbers = self._changes[message_id]
        place, next_place = (
            self._place(one, numbers[one]) if one in numbers else self._places[one]
            for one in (position, position + 1)
        )
        if place < next_place:
            crossings.discard(position)
        else:
            crossings.add(position)

    def _deciding(self, position: int) -> set[str]:
        """The messages that place or last delete the item at a position or its neighbours."""
        near = (position - 1, position, position + 1)
        inner = [one for one in near if 0 < one < len(self._additions)]
        placing = [self._places[one] for one in inner]
        deleting = [number for one in inner for number in self._deletions[one][-1:]]
        return {self._messages[number] for number in placing + deleting}
