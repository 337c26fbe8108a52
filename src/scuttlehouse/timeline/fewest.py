"""The fewest update commands from one order to a later one, for replicas that have the first one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from scuttlehouse.timeline.commands import Command, Ins, Mov


def fewest_commands(old: Sequence[str], new: Sequence[str]) -> list[Command]:
    """The least number of `ins` and `mov` that turn one order into another.

    Old names may move left or right, and nothing is ever taken out: a timeline only grows.

    **Why it is the least.** Every new name needs its `ins`. Old names that no `mov` touches keep their order,
    so they are an increasing subsequence of the old names' new places. A longest such subsequence stays,
    and each other old name moves once.

    Args:
        old, new: names in order, without repeats. ``new`` contains all of ``old``.

    Returns:
        Commands to apply one after the other, ordered by the new place of the name that they place.

    Raises:
        ValueError: a name occurs twice, or an old name is not among the new ones.

    Complexity: O(n log n).

    >>> fewest_commands(["a", "b", "c"], ["c", "x", "a", "b"])
    [Mov(from_position=2, to_position=0), Ins(name='x', position=1)]
    """
    new_places = {name: place for place, name in enumerate(new)}
    old_places = {name: place for place, name in enumerate(old, start=1)}
    if len(new_places) < len(new) or len(old_places) < len(old):
        raise ValueError("A name occurs twice in an order.")
    missing = next((name for name in old if name not in new_places), None)
    if missing is not None:
        raise ValueError(f"{missing} is missing in the new order; events are never taken out.")
    staying = {old[place] for place in longest_increasing([new_places[name] for name in old])}
    # Slot i, from 1, holds the old name at place i as long as it has not moved. The slot of the last name
    # that stays also holds the names placed behind it so far. Slot 0 is the far left.
    slots = Sums([0] + [1] * len(old))
    last_staying = 0
    commands: list[Command] = []
    for name in new:
        if name in staying:
            last_staying = old_places[name]
            continue
        if name in old_places:
            slot = old_places[name]
            from_position = slots.before(slot)
            slots.add(slot, -1)
            commands.append(Mov(from_position, slots.before(last_staying + 1)))
        else:
            commands.append(Ins(name, slots.before(last_staying + 1)))
        slots.add(last_staying, 1)
    return commands


def longest_increasing(numbers: Sequence[int]) -> list[int]:
    """The indexes of a longest increasing subsequence of distinct numbers. O(n log n).

    >>> longest_increasing([3, 0, 4, 1, 2])
    [1, 3, 4]
    """
    ends: list[int] = []  # for each length, the least number that ends a subsequence
    end_indexes: list[int] = []
    before: list[int] = []
    for index, number in enumerate(numbers):
        length = bisect_left(ends, number)
        before.append(end_indexes[length - 1] if length else -1)
        ends[length : length + 1] = [number]
        end_indexes[length : length + 1] = [index]
    chosen = []
    index = end_indexes[-1] if end_indexes else -1
    while index >= 0:
        chosen.append(index)
        index = before[index]
    return chosen[::-1]


class Sums:
    """Numbers that change, with the sum of those before a place: both O(log n) (a Fenwick tree).

    >>> sums = Sums([5, 6, 7])
    >>> sums.add(1, 10)
    >>> [sums.before(place) for place in range(4)]
    [0, 5, 21, 28]
    """

    def __init__(self, numbers: Sequence[int]) -> None:
        self._tree = [0, *numbers]
        for place in range(1, len(self._tree)):
            parent = place + (place & -place)
            if parent < len(self._tree):
                self._tree[parent] += self._tree[place]

    def add(self, place: int, amount: int) -> None:
        place += 1
        while place < len(self._tree):
            self._tree[place] += amount
            place += place & -place

    def before(self, place: int) -> int:
        total = 0
        while place > 0:
            total += self._tree[place]
            place &= place - 1
        return total
