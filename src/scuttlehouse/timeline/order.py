"""The interface of the two implementations of a timeline, the plain and the compiled one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from scuttlehouse.timeline.commands import Command


class CommandColumns(NamedTuple):
    """Commands as columns of integers: the row of the event that caused each, and where it leads.

    ``from_positions`` is -1 for `ins`.
    """

    rows: Any
    from_positions: Any
    to_positions: Any

    def table(self, names: pa.Array) -> pa.Table:
        """The commands as ``Timeline.extend`` describes them. ``names`` are those of the rows."""
        rows, starts = (np.asarray(column, np.int64) for column in self[:2])
        is_ins = starts < 0
        # If every row is new and nothing moved, the column already exists.
        is_same = len(rows) == len(names) and bool(is_ins.all())
        return pa.table(
            {
                "row": rows,
                "name": names if is_same else names.take(pa.array(rows, mask=~is_ins)),
                "from_position": pa.array(starts, mask=is_ins),
                "to_position": np.asarray(self.to_positions, np.int64),
            }
        )


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
