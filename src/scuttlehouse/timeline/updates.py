"""The update commands from a tangle's published order to the next one: rows of ``fct_timeline_updates``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from scuttlehouse.timeline.commands import Ins, Mov
from scuttlehouse.timeline.fewest import fewest_commands


class Update(NamedTuple):
    """A command and the message that it places. Steps are counted from 0.

    ``ins`` has no ``from_position``, ``del`` no ``to_position``. Positions count from 0. The position to
    which a message moves counts after the message was taken out.
    """

    step: int
    command: Literal["ins", "mov", "del"]
    message_id: str
    from_position: int | None
    to_position: int | None


def updates(old: Sequence[str], new: Sequence[str]) -> Iterator[Update]:
    """The least number of commands that turn a tangle's old order into its new one.

    A tangle only grows, but a log that held a part of it may be gone. Messages that are no longer there
    are deleted first.

    Args:
        old, new: ids of messages in order, without repeats.

    Raises:
        AssertionError: the commands do not lead from the old order to the new one. This is impossible.

    Complexity: O(n log n) comparisons. Applying the commands, which checks them, costs O(n) for each.

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
    for command in fewest_commands(replica.copy(), new):
        match command:
            case Ins(name, position):
                replica.insert(position, name)
                yield Update(step, "ins", name, None, position)
            case Mov(from_position, to_position):
                name = replica.pop(from_position)
                replica.insert(to_position, name)
                yield Update(step, "mov", name, from_position, to_position)
        step += 1
    assert replica == list(new), "The commands do not give the new order."
