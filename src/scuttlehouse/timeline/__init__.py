"""ScuttleSort: one order of events that arrive in any order. It is kept up to date while they arrive.

An event has a name and lists the events before it (``after``). The order is by (rank, name); the rank of
an event is the length of the longest path of known links that ends at it. ``tangles.order`` has the proof.
A timeline returns update commands that a replica can follow: command by command the same as the published
``scuttlesort`` 0.0.9. There are two implementations: ``plain`` is the definition to read, and ``core`` is
the same, compiled.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import ClassVar, Self

import pyarrow as pa
import pyarrow.compute as pc

from scuttlehouse.tangles.relations import Relation
from scuttlehouse.timeline.commands import Command
from scuttlehouse.timeline.order import Order
from scuttlehouse.timeline.plain import PlainOrder
from scuttlehouse.timeline.refusals import (
    Column,
    ConflictError,
    LoopError,
    check_event,
    checked_columns,
    find_loop,
)


def fastest_order() -> type[Order]:
    """The compiled implementation if it can be imported, otherwise the plain one.

    numba raises RuntimeError where no folder can keep machine code: neither that of the modules, nor one in a
    home. Compiling in each process would take half a minute.
    """
    try:
        from scuttlehouse.timeline.compiled import CompiledOrder
    except (ImportError, RuntimeError):  # numba has no build for every Python and processor
        return PlainOrder
    return CompiledOrder


class Timeline:
    """The known events in order. Iteration gives their names from first to last.

    Events may arrive in any order. Listed events that are not known, an event that lists itself, and
    repeats in a list are ignored. Names are texts without lone surrogates, which UTF-8 cannot hold. They
    compare by code point.

    Memory grows with the number of names, links and bytes of text: about 360 bytes per event if an event
    lists two others and ids have 64 characters (``benchmarks/timeline.py memory``). There may be less
    than 2**31 names and as many links, and a name has less than 2**31 bytes.

    If MemoryError, KeyboardInterrupt or the like ends ``add`` or ``extend``, the event or the batch is in
    as a whole or not at all. It is right to add it again. If it is in, its commands are lost: a replica
    needs those of ``fewest.fewest_commands``.

    With ``most_listed``, an event that lists more other events is refused. With 2, as the paper proposes
    (2.2.1), memory per event is bounded: a row for each name and a row for each link.

    >>> timeline = Timeline()
    >>> timeline.add("b", after=["a"])
    [Ins(name='b', position=0)]
    >>> timeline.add("c")
    [Ins(name='c', position=1)]
    >>> timeline.add("a")
    [Ins(name='a', position=0), Mov(from_position=1, to_position=2)]
    >>> list(timeline), timeline.rank("b"), timeline.index("b"), timeline.tips()
    (['a', 'c', 'b'], 1, 2, ['c', 'b'])
    """

    _order_type: ClassVar[type[Order]] = fastest_order()

    def __init__(self, *, most_listed: int | None = None) -> None:
        self._current = self._order_type()
        self._most_listed = most_listed
        # If an exception has ended a call: how many events stay, of those that have arrived.
        self._staying: int | None = None
        self._followed_before = 0  # by orders that were made anew

    @classmethod
    def from_arrow(cls, events: pa.Table, *, most_listed: int | None = None) -> Self:
        """A timeline of the events in a table. A stream can continue from it.

        The order depends only on the set of events. But the order of arrival still decides in which order
        later commands raise events that wait for the same event. So the state keeps it.

        Args:
            events: a table from ``to_arrow``: ``name`` and ``after``, with rows in the order of arrival.
            most_listed: as for the class.

        Raises:
            LoopError, ConflictError, TooManyError: as ``add``.
            ValueError: as ``extend``.

        Complexity: O(n log n + k) for n names and k links.

        >>> timeline = Timeline()
        >>> _ = timeline.add("b", ["a"])
        >>> other = Timeline.from_arrow(timeline.to_arrow())
        >>> other.add("a"), list(other)
        ([Ins(name='a', position=0)], ['a', 'b'])
        """
        timeline = cls(most_listed=most_listed)
        names, after = checked_columns(events["name"], events["after"], most_listed)
        conflict = timeline._order.restore(names, after)
        if conflict >= 0:
            raise ConflictError(names[conflict].as_py())
        if len(timeline) < pc.count_distinct(names).as_py():
            name = next(name for name in names.to_pylist() if name not in timeline)
            raise LoopError(find_loop(name, timeline._order.previous))
        return timeline

    def to_arrow(self) -> pa.Table:
        """The state of the timeline: a row per event, in the order of arrival.

        ``name`` is large_string. ``after`` is a list of names without the event itself and repeats
        (large_list of large_string). No nulls.

        Complexity: O(n + k).

        >>> timeline = Timeline()
        >>> _ = timeline.add("b", ["a", "a"]), timeline.add("a")
        >>> timeline.to_arrow().to_pylist()
        [{'name': 'b', 'after': ['a']}, {'name': 'a', 'after': []}]
        """
        names, after = self._order.events()
        return pa.table({"name": names, "after": after})

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[str]:
        return iter(self._order)

    def __contains__(self, name: str) -> bool:
        return name in self._order

    @property
    def links_followed(self) -> int:
        """How many links were followed so far, to raise events and to look for loops.

        Links that a refused event or batch has followed count, too. To undo a batch, none is followed.
        """
        order = self._order
        return self._followed_before + order.links_followed

    def index(self, name: str) -> int:
        """The place of a known event, from 0. KeyError if the event is not known. About O(sqrt(n))."""
        return self._order.index(self._known(name))

    def rank(self, name: str) -> int:
        """The length of the longest path of known links that ends at an event. Otherwise KeyError. O(1)."""
        return self._order.rank(self._known(name))

    def tips(self) -> list[str]:
        """The known events that no other known event lists, in order. O(n)."""
        return self._order.tips()

    def relation(self, one: str, other: str) -> Relation:
        """How one event relates to another: it is `before`, `after` or `concurrent` to it, or the `same`.

        KeyError if one of them is not known. Complexity: as ``is_concurrent``.

        >>> timeline = Timeline()
        >>> _ = timeline.add("a"), timeline.add("b", ["a"])
        >>> timeline.relation("a", "b"), timeline.relation("b", "a"), timeline.relation("a", "a")
        ('before', 'after', 'same')
        """
        if self.is_concurrent(one, other):
            return "concurrent"
        if one == other:
            return "same"
        return "before" if self.rank(one) < self.rank(other) else "after"

    def is_concurrent(self, one: str, other: str) -> bool:
        """Whether neither of two events comes before the other. An event is not concurrent to itself.

        KeyError if one of them is not known. Complexity: O(1) if their ranks are equal, otherwise
        O(d + k) for d events with ranks between them, and their k links.

        >>> timeline = Timeline()
        >>> _ = timeline.add("a"), timeline.add("b", ["a"]), timeline.add("c")
        >>> timeline.is_concurrent("a", "b"), timeline.is_concurrent("b", "c")
        (False, True)
        """
        earlier, later = sorted((one, other), key=self.rank)
        if self.rank(earlier) == self.rank(later):
            return one != other
        return not self._order.is_after(later, earlier)

    def add(self, name: str, after: Iterable[str] = ()) -> list[Command]:
        """Add an event. Returns the commands that a replica needs to follow.

        Args:
            name: the name of the event.
            after: names of the events that it lists, in any order.

        Returns:
            An `ins`, then a `mov` for each other event that moves. Nothing if the event is already known with
            the same list.

        Raises:
            LoopError: the event would close a loop. Nothing has changed.
            ConflictError: the name is known with another list. Nothing has changed.
            TooManyError: it lists more than ``most_listed`` other events. Nothing has changed.
            ValueError: a name has a lone surrogate or 2**31 bytes, or there would be 2**31 names or links.
                Nothing has changed.

        Complexity: about O((r + k) log r + c sqrt(n)) for r events that its waves raise, with k links, and c
        commands. A wave raises each event once. There is a wave for each event that waited for this one and
        has no higher rank.

        >>> timeline = Timeline()
        >>> timeline.add("a", ["b"]), timeline.add("a", ["b", "b"])
        ([Ins(name='a', position=0)], [])
        >>> timeline.add("b", ["a"])
        Traceback (most recent call last):
        ...
        scuttlehouse.timeline.refusals.LoopError: 2 events would list each other in a loop: a, b
        """
        listed = list(after)
        check_event(name, listed, self._most_listed)
        order = self._order
        try:
            commands = order.add(name, listed)
        except BaseException:
            self._staying = sys.maxsize
            raise
        if commands is None:
            raise self._refusal(name, listed)
        return commands

    def extend(self, names: Column, after: Column) -> pa.Table:
        """Add a batch of events, one after the other, as with ``add``.

        Args:
            names: a column of text, without nulls.
            after: a column of lists of text, of the same length. A null is an empty list. No item is null.

        Returns:
            The commands, which ``commands.read_commands`` iterates: ``row`` (int64), the row of the event
            that caused it; ``name`` (large_string), null for `mov`; ``from_position`` (int64), null for
            `ins`; ``to_position`` (int64).

        Raises:
            LoopError, ConflictError: as ``add``, for the first row that is refused. Nothing of the batch is
                added. Undoing it costs O(n log n), when the timeline is used next.
            TooManyError: as ``add``, for the first such row. It is checked before loops and conflicts.
            ValueError: as ``add``, or the columns have different lengths or hold a null. Nothing has changed.

        Complexity: as ``add``, for each row.

        >>> timeline = Timeline()
        >>> timeline.extend(pa.array(["b", "a"]), pa.array([["a"], None])).to_pylist()[0]
        {'row': 0, 'name': 'b', 'from_position': None, 'to_position': 0}
        """
        names, after = checked_columns(names, after, self._most_listed)
        known = len(self)
        try:
            columns, refused = self._order.extend(names, after)
            if refused >= 0:
                raise self._refusal(names[refused].as_py(), after[refused].as_py() or [])
            return columns.table(names)
        except BaseException:
            self._staying = known
            raise

    @property
    def _order(self) -> Order:
        if self._staying is not None:
            self._mend(self._staying)
        return self._current

    def _mend(self, staying: int) -> None:
        """Keep the first events that have arrived, all in order. If it is interrupted, it begins again."""
        order, followed = self._current, self._followed_before
        if not order.mend() or len(order) > staying:
            names, after = order.events()
            followed += order.links_followed
            order = self._order_type()
            order.restore(names[:staying], after[:staying])
        self._current, self._staying, self._followed_before = order, None, followed

    def _known(self, name: str) -> str:
        if name not in self._order:
            raise KeyError(name)
        return name

    def _refusal(self, name: str, listed: list[str]) -> ValueError:
        if name in self._order:
            return ConflictError(name)
        return LoopError(
            find_loop(name, lambda one: listed if one == name else self._order.previous(one))
        )
