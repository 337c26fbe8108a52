"""Calls of compiled code that add one event, as functions of C.

numba takes arrays apart at each call. That takes longer than the work for most events. These functions take
addresses, and cffi calls them in less than half a microsecond.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import cffi
import numpy as np
from numba import carray, cfunc, njit, types  # type: ignore[attr-defined]
from numba.extending import intrinsic
from numpy.typing import NDArray

from scuttlehouse.timeline.blocks import BLOCK, EVENT, NONE, Blocks, Ints32, Names, borrowing
from scuttlehouse.timeline.core import append_command, place, raise_followers, settle
from scuttlehouse.timeline.graph import (
    LINK,
    LINKS,
    NAMES,
    NEW,
    REFUSED,
    WAITING,
    State,
    first_follower,
    intern,
    register,
)

# What `add_event` returns, if not the index of a new event for which no other event waited. MOVED: others
# waited. MORE: they did, and there is too little room for the commands of the next wave. NO_ROOM: the state
# has too little room, and nothing has changed.
WAS_KNOWN, WAS_REFUSED, MOVED, MORE, NO_ROOM = -1, -2, -3, -4, -5

# Indexes in `Caller.progress`: how many commands there are, the next link to follow, and how many events the
# wave (``raising``) has raised for which there is too little room.
COMMANDS, NEXT_LINK, RAISED = range(3)

# How many arrays a caller has. Its table has the address and the length of each.
ARRAYS = 14


class Caller:
    """Where the arrays of a state are. A state with other arrays needs another caller.

    ``add_event(address, text, size, names, listed, numbers)`` adds an event. ``text`` has names that were
    never mentioned before, as UTF-8; they become the next events. ``size`` is its size, ``names`` how many
    they are, ``listed`` how many events the event lists. ``numbers`` are the event, the events that it lists,
    and the size of each new name.
    """

    def __init__(self, state: State) -> None:
        self.add_event, self._go_on = _functions()
        self._state = state
        self._progress = np.zeros(3, np.int64)
        self._use(np.empty((8, 3), np.int32))

    def moves(self, result: int, event: int) -> list[list[int]]:
        """The commands of an event for which others waited, as rows of ``deliver``: its `ins` is first."""
        while result == MORE:
            wanted = len(self._commands) + int(self._progress[RAISED]) + 1
            self._use(np.concatenate((self._commands, np.empty((wanted, 3), np.int32))))
            result = self._go_on(self.address, event)
        rows: list[list[int]] = self._commands[: self._progress[COMMANDS]].tolist()
        return rows

    @property
    def is_halfway(self) -> bool:
        """Whether ``moves`` has not come to its end."""
        return bool(self._progress[RAISED])

    def _use(self, commands: Ints32) -> None:
        """Use these commands, of which the first may be in use already."""
        names, links, arrived, blocks, heap, raised, counts = self._state
        arrays = (*names, links, arrived, *blocks, heap, raised, counts, commands, self._progress)
        places = [number for array in arrays for number in (array.ctypes.data, len(array))]
        self._commands, self._table = commands, np.array(places, np.int64)
        self.address = self._table.ctypes.data


@cache
def _functions() -> tuple[Any, Any]:
    """``add_event`` and ``go_on`` as functions that Python can call. They are compiled when first used."""
    address, size = types.voidptr, types.int64
    text: Any = types.CPointer(types.uint8)  # type: ignore[no-untyped-call]
    numbers: Any = types.CPointer(types.int32)  # type: ignore[no-untyped-call]
    add = cfunc(size(address, text, size, size, size, numbers), cache=True)(add_event)
    more = cfunc(size(address, size), cache=True)(go_on)
    c = cffi.FFI()
    return (
        c.cast(
            "int64_t (*)(intptr_t, uint8_t *, int64_t, int64_t, int64_t, int32_t *)", add.address
        ),
        c.cast("int64_t (*)(intptr_t, int64_t)", more.address),
    )


def add_event(table: Any, text: Any, size: int, names: int, listed: int, numbers: Any) -> int:
    """Add an event, as ``Caller`` describes. Returns its index, or what became of it."""
    state, commands, progress = arrays_of(table)
    known, links = state.counts[NAMES], state.counts[LINKS]
    start = state.names.events[known].text_start
    if (
        known + names >= state.names.events.size
        or links + listed > state.links.size
        or start + size > state.names.text.size
    ):
        return NO_ROOM
    mentioned = carray(numbers, (1 + listed + names,), np.int32)
    intern(state, carray(text, (size,), np.uint8), mentioned[1 + listed :])
    event = mentioned[0]
    result = register(state, event, mentioned, 1, 1 + listed)
    if result == REFUSED:
        state.counts[NAMES] = known
        return WAS_REFUSED
    if result != NEW:
        return WAS_KNOWN
    index: int = place(state, event)
    link = first_follower(state, event)
    if link == NONE:
        return index
    count = append_command(commands, 0, 0, NONE, index)
    return raise_waiting(state, event, link, commands, count, progress)


def go_on(table: Any, event: int) -> int:
    """Settle the wave that had too little room, then raise the other events that waited."""
    state, commands, progress = arrays_of(table)
    count = settle(state, progress[RAISED], event, commands, progress[COMMANDS], 0)
    return raise_waiting(state, event, progress[NEXT_LINK], commands, count, progress)


@borrowing
def raise_waiting(
    state: State, event: int, link: int, commands: Ints32, count: int, progress: NDArray[np.int64]
) -> int:
    """Raise the events that waited for a new event, starting at a link."""
    link, count, raised = raise_followers(state, link, event, commands, count, 0)
    progress[COMMANDS], progress[NEXT_LINK], progress[RAISED] = count, link, raised
    return MORE if raised > 0 else MOVED


def _to_pointer(_typing: Any, _address: Any) -> Any:
    """numba's definition of ``pointer``."""

    def convert(context: Any, builder: Any, _: Any, values: Any) -> Any:
        return builder.inttoptr(values[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.int64), convert


# A pointer from an address, which is a number.
pointer: Any = intrinsic(_to_pointer)


@njit(cache=True)
def arrays_of(table: Any) -> tuple[State, Ints32, NDArray[np.int64]]:
    """The state, the commands and the progress of a caller."""
    at = carray(table, (2 * ARRAYS,), np.int64)
    names = Names(
        carray(pointer(at[0]), (at[1],), EVENT), carray(pointer(at[2]), (at[3],), np.uint8)
    )
    blocks = Blocks(
        carray(pointer(at[8]), (at[9], BLOCK), np.int32),
        carray(pointer(at[10]), (at[11],), np.int32),
        carray(pointer(at[12]), (at[13],), np.int32),
        carray(pointer(at[14]), (at[15],), np.int32),
        carray(pointer(at[16]), (at[17],), np.int32),
    )
    state = State(
        names,
        carray(pointer(at[4]), (at[5],), LINK),
        carray(pointer(at[6]), (at[7],), np.int32),
        blocks,
        carray(pointer(at[18]), (at[19],), WAITING),
        carray(pointer(at[20]), (at[21],), np.int32),
        carray(pointer(at[22]), (at[23],), np.int64),
    )
    commands = carray(pointer(at[24]), (at[25], 3), np.int32)
    return state, commands, carray(pointer(at[26]), (at[27],), np.int64)
