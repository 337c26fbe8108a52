"""The interface of the two implementations of a timeline, the plain and the compiled one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any, NamedTuple, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from scuttlehouse.timeline.commands import Command

# Sizes and numbers that the compiled implementation keeps in 32 bits are less than this. So it is for both.
LIMIT = 2**31


def check_sizes(names: pa.Array) -> None:
    """Raise ValueError if a name has ``LIMIT`` bytes or more. O(names)."""
    if (pc.max(pc.binary_length(names)).as_py() or 0) >= LIMIT:
        raise ValueError(f"A name has {LIMIT:,} bytes or more; give a shorter one.")


class TooManyError(ValueError):
    """The event ``name`` lists more other events than the timeline allows."""

    def __init__(self, name: str, count: int, most: int) -> None:
        super().__init__(f"Event {name} lists {count} other events; this timeline allows {most}.")
        self.name = name


def check_listed(name: str, listed: Iterable[str], most: int | None) -> None:
    """Raise TooManyError if an event lists more than ``most`` others. Repeats and itself do not count.

    >>> check_listed("a", ["b", "b", "a", "c"], 2)
    >>> check_listed("a", ["b", "c", "d"], 2)
    Traceback (most recent call last):
    ...
    scuttlehouse.timeline.order.TooManyError: Event a lists 3 other events; this timeline allows 2.
    """
    if most is not None and (count := len({*listed} - {name})) > most:
        raise TooManyError(name, count, most)


def check_all_listed(names: pa.Array, after: pa.Array, most: int | None) -> None:
    """``check_listed`` for each row. A null list is empty. O(rows + items)."""
    if most is None:
        return
    # Most rows are short enough even with their repeats.
    for row in pc.indices_nonzero(pc.greater(pc.list_value_length(after), most)).to_pylist():
        check_listed(names[row].as_py(), after[row].as_py(), most)


class CommandColumns(NamedTuple):
    """Commands as columns of integers: the row of the event that caused each, and where it leads.

    ``from_positions`` is -1 for `ins`.
    """

    rows: Any
    from_positions: Any
    to_positions: Any


class Order(Protocol):
    """The methods of both implementations. The caller checks that names are known and valid UTF-8."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def __contains__(self, name: str) -> bool: ...
    def index(self, name: str) -> int: ...
    def rank(self, name: str) -> int: ...
    def tips(self) -> list[str]: ...

    @property
    def links_followed(self) -> int: ...

    def previous(self, name: str) -> list[str]:
        """The events that an event lists, without itself and repeats. Empty if the event has not arrived."""
        ...

    def is_after(self, name: str, earlier: str) -> bool:
        """Whether links lead from ``earlier`` to an event."""
        ...

    def add(self, name: str, previous: Sequence[str]) -> list[Command] | None:
        """None, and no change, if the event would close a loop or its name is known with another list."""
        ...

    def extend(self, names: pa.Array, after: pa.Array) -> tuple[CommandColumns, int]:
        """The commands up to the first row that is refused, and that row, -1 if none is refused."""
        ...

    def restore(self, names: pa.Array, after: pa.Array) -> int:
        """Add rows to an empty order, without commands. Returns the row of a conflicting repeat, -1 for none.

        Events in a loop or behind one arrive, but are not in the order.
        """
        ...

    def mend(self) -> bool:
        """After a call that an exception has ended: whether all events that have arrived are in order.

        If not, only ``events`` can be called. It is cheap, and needs no memory.
        """
        ...

    def events(self) -> tuple[pa.Array, pa.Array]:
        """The names, and the list of each event, in the order of arrival."""
        ...


def find_loop(name: str, previous: Callable[[str], list[str]]) -> list[str]:
    """A loop among an event and all events before it. There must be one."""
    graph: dict[str, list[str]] = {}
    waiting = [name]
    while waiting:
        event = waiting.pop()
        if event not in graph:
            graph[event] = [one for one in previous(event) if one != event]
            waiting += graph[event]
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        loop: list[str] = error.args[1]
        return loop[1:]
    raise AssertionError(f"Event {name} was refused for a loop, but is in none.")
