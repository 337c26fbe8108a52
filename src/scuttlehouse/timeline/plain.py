"""ScuttleSort in plain Python: the definition to read. It also runs where there is no compiler.

The order is the known events by (rank, name). The rank of an event is the length of the longest path
of known links that ends at it; ``tangles.order`` proves that this is what ScuttleSort computes. This
module defines how the order is kept while events arrive, and which commands are given on the way:

1. A new event is inserted at its place.
2. The events that waited for it are treated one by one, in the order in which they arrived. An event
   with a rank not above that of the new event is raised to one more. The events that must then rise
   with it are raised, too: the *wave*.
3. The first event of the wave takes a provisional step. If it is left of the new event, it goes to
   directly right of it. Otherwise it goes right until it meets its place or another raised event.
4. All raised events go to their places, from the rightmost to the leftmost.
5. Of these moves, a move that starts where the one before it ended is merged with it.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush

import pyarrow as pa

from scuttlehouse.tangles.causality import sweep_named
from scuttlehouse.timeline.commands import Command, Ins, Mov
from scuttlehouse.timeline.order import CommandColumns

Key = tuple[int, str]


class PlainOrder:
    """The events known so far, in order. ``order.Order`` describes the methods.

    >>> order = PlainOrder()
    >>> order.add("b", ["a"]), order.add("a", [])
    ([Ins(name='b', position=0)], [Ins(name='a', position=0)])
    >>> list(order), order.add("a", ["b"])
    (['a', 'b'], None)
    """

    def __init__(self) -> None:
        self.links_followed = 0
        self._previous: dict[str, list[str]] = {}
        self._followers: defaultdict[str, list[str]] = defaultdict(list)
        self._ranks: dict[str, int] = {}
        self._keys: list[Key] = []

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter([name for _, name in self._keys])

    def __contains__(self, name: str) -> bool:
        return name in self._ranks

    def index(self, name: str) -> int:
        return bisect_left(self._keys, self._key(name))

    def rank(self, name: str) -> int:
        return self._ranks[name]

    def previous(self, name: str) -> list[str]:
        return self._previous.get(name, [])

    def events(self) -> tuple[pa.Array, pa.Array]:
        names, previous = list(self._previous), list(self._previous.values())
        text = pa.large_string()
        return pa.array(names, text), pa.array(previous, pa.large_list(text))

    def tips(self) -> list[str]:
        return [name for name in self if not self._followers.get(name)]

    def is_after(self, name: str, earlier: str) -> bool:
        return self._is_path(earlier, {name})

    def add(self, name: str, previous: Sequence[str]) -> list[Command] | None:
        previous = distinct(name, previous)
        if name in self._previous:
            return [] if set(previous) == set(self._previous[name]) else None
        if self._is_path(name, {one for one in previous if one in self}):
            return None
        self._link(name, previous)
        return self._place(name)

    def extend(self, names: pa.Array, after: pa.Array) -> tuple[CommandColumns, int]:
        columns = CommandColumns([], [], [])
        for row, (name, previous) in enumerate(
            zip(names.to_pylist(), after.to_pylist(), strict=True)
        ):
            commands = self.add(name, previous or [])
            if commands is None:
                return columns, row
            for command in commands:
                columns.rows.append(row)
                columns.from_positions.append(-1 if isinstance(command, Ins) else command[0])
                columns.to_positions.append(command[1])
        return columns, -1

    def restore(self, names: pa.Array, after: pa.Array) -> int:
        for row, (name, listed) in enumerate(
            zip(names.to_pylist(), after.to_pylist(), strict=True)
        ):
            previous = distinct(name, listed or [])
            if name not in self._previous:
                self._link(name, previous)
            elif set(previous) != set(self._previous[name]):
                return row

        def place(name: str, _: int) -> int:
            self._place(name)
            return 0

        sweep_named(self._previous, place)
        return -1

    def mend(self) -> bool:
        return False  # nothing says how far a call has come

    def _key(self, name: str) -> Key:
        return self._ranks[name], name

    def _link(self, name: str, previous: list[str]) -> None:
        self._previous[name] = previous
        for one in previous:
            self._followers[one].append(name)

    def _known_followers(self, name: str) -> list[str]:
        return [one for one in self._followers.get(name, []) if one in self]

    def _is_path(self, start: str, ends: set[str]) -> bool:
        """Whether links lead from an event to one of the ends. No path goes above their ranks."""
        if not ends:
            return False
        highest = max(self._ranks[name] for name in ends)
        seen = {start}
        waiting = [start]
        while waiting:
            for follower in self._known_followers(waiting.pop()):
                self.links_followed += 1
                if follower in ends:
                    return True
                if follower not in seen and self._ranks[follower] < highest:
                    seen.add(follower)
                    waiting.append(follower)
        return False

    def _place(self, name: str) -> list[Command]:
        known = [one for one in self._previous[name] if one in self]
        self._ranks[name] = 1 + max((self._ranks[one] for one in known), default=-1)
        insort(self._keys, self._key(name))
        ins = Ins(name, self.index(name))
        moves: list[Mov] = []
        for follower in self._known_followers(name):
            if self._ranks[follower] <= self._ranks[name]:
                moves += self._raise(follower, name)
        return [ins, *merged(moves)]

    def _wave(self, start: str, rank: int) -> dict[str, int]:
        """The new ranks of an event and of the events that must rise with it, by old keys, lowest first."""
        raised: dict[str, int] = {}
        ranks = {start: rank}
        waiting = [self._key(start)]
        while waiting:
            _, name = heappop(waiting)
            raised[name] = ranks[name]
            for follower in self._known_followers(name):
                self.links_followed += 1
                if self._ranks[follower] <= ranks[name]:
                    if follower not in ranks:
                        heappush(waiting, self._key(follower))
                    ranks[follower] = max(ranks.get(follower, 0), ranks[name] + 1)
        return raised

    def _raise(self, first: str, new: str) -> list[Mov]:
        """Raise an event that waited for the new one, and the events that must rise with it."""
        raised = self._wave(first, self._ranks[new] + 1)
        turns = {name: self._key(name) for name in raised}
        start = self._take_out(first)
        self._ranks[first] = raised[first]
        if turns[first] < self._key(new):
            turns[first] = self._key(new)
            step = bisect_left(self._keys, self._key(new)) + 1
        else:
            others = [self._key(name) for name in raised if name != first]
            step = bisect_left(self._keys, min([self._key(first), *others]))
        moves = [Mov(start, step)]
        # The first event is held back until its turn, so that the rest stays sorted. The events that are
        # treated before it are right of it.
        held = 1
        for name in sorted(turns, key=turns.__getitem__, reverse=True):
            if name == first:
                start, held = step, 0
            else:
                start = self._take_out(name) + held
                self._ranks[name] = raised[name]
            insort(self._keys, self._key(name))
            moves.append(Mov(start, self.index(name) + held))
        return [move for move in moves if move.from_position != move.to_position]

    def _take_out(self, name: str) -> int:
        index = self.index(name)
        del self._keys[index]
        return index


def merged(moves: Iterable[Mov]) -> Iterator[Mov]:
    """The moves. A move that starts where the one before it ended is merged with it.

    >>> list(merged([Mov(0, 4), Mov(4, 5), Mov(2, 3)]))
    [Mov(from_position=0, to_position=5), Mov(from_position=2, to_position=3)]
    """
    last: Mov | None = None
    for move in moves:
        if last is not None and last.to_position == move.from_position:
            last = Mov(last.from_position, move.to_position)
            continue
        if last is not None:
            yield last
        last = move
    if last is not None:
        yield last


def distinct(name: str, previous: Iterable[str]) -> list[str]:
    """The events that an event lists, without itself and repeats.

    >>> distinct("a", ["c", "a", "b", "c"])
    ['c', 'b']
    """
    return [one for one in dict.fromkeys(previous) if one != name]
