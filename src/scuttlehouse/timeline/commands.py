"""Update commands. A replica applies them to follow an order (ScuttleSort, section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

import pyarrow as pa


class Ins(NamedTuple):
    """A new event. Insert its name at ``position``, counted from 0."""

    name: str
    position: int


class Mov(NamedTuple):
    """An event moves. Pop it at ``from_position``, insert it at ``to_position``, counted after the pop."""

    from_position: int
    to_position: int


Command: TypeAlias = Ins | Mov


def follow(replica: list[str], commands: Iterable[Command]) -> None:
    """Apply commands to a replica, in place, in the order given.

    Raises:
        IndexError: there is no event to move, so the commands are not for this replica.

    >>> replica = ["a", "b"]
    >>> follow(replica, [Ins("c", 1), Mov(0, 2)])
    >>> replica
    ['c', 'b', 'a']
    """
    for command in commands:
        match command:
            case Ins(name, position):
                replica.insert(position, name)
            case Mov(from_position, to_position):
                replica.insert(to_position, replica.pop(from_position))


def read_commands(table: pa.Table) -> Iterator[Command]:
    """The commands in a table, in order. ``Timeline.extend`` describes its columns.

    >>> columns = {"name": ["b", None], "from_position": [None, 0], "to_position": [1, 2]}
    >>> list(read_commands(pa.table(columns)))
    [Ins(name='b', position=1), Mov(from_position=0, to_position=2)]
    """
    columns = (table[name].to_pylist() for name in ("name", "from_position", "to_position"))
    for name, from_position, to_position in zip(*columns, strict=True):
        if name is None:
            yield Mov(from_position, to_position)
        else:
            yield Ins(name, to_position)
