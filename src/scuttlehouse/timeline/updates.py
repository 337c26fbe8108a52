"""The update commands of a tangle's order at a refresh, as rows of ``fct_timeline_updates``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from scuttlehouse.timeline.commands import Ins, Mov
from scuttlehouse.timeline.refresh import refresh_commands


class Update(NamedTuple):
    """A command, and the message that it places: to be applied at its step, counted from 0.

    ``ins`` has no ``from_position``, ``del`` no ``to_position``. Positions are from 0; that to which a
    message moves counts after it was taken out.
    """

    step: int
    command: Literal["ins", "mov", "del"]
    message_id: str
    from_position: int | None
    to_position: int | None


def updates(old: Sequence[str], new: Sequence[str]) -> Iterator[Update]:
    """The least number of commands that turn a tangle's old order into its new one.

    A tangle only grows, but a log that held some of it may be gone: what is no longer there is
    deleted first.

    Args:
        old, new: ids of messages in order, without repeats.

    Raises:
        AssertionError: the commands do not lead from the one to the other, which cannot be.

    Complexity: O(n log n) comparisons; applying them, which proves them, O(n) more for each command.

    >>> for update in updates(["a", "b", "c"], ["x", "c", "a"]):
    ...     print(*update)
    0 del b 1 None
    1 ins x None 0
    2 mov a 1 2
    """
    kept = set(new)
    replica = list(old)
    step = 0
    for position in range(len(old) - 1, -1, -1):
        if old[position] not in kept:
            yield Update(step, "del", replica.pop(position), position, None)
            step += 1
    for command in refresh_commands(replica.copy(), new):
        match command:
            case Ins(name, position):
                replica.insert(position, name)
                yield Update(step, "ins", name, None, position)
            case Mov(from_position, to_position):
                name = replica.pop(from_position)
                replica.insert(to_position, name)
                yield Update(step, "mov", name, from_position, to_position)
        step += 1
    assert replica == list(new), "The commands of a refresh do not give the new order."
