"""ScuttleSort as compiled code, on columns of integers. ``plain`` defines what it computes.

Three things make it fast. A wave goes through the events that rise by their old keys, so it raises each of
them once and has them sorted (``raising``). A raised event that keeps its place costs one look at the
event right of it. The order is a list of blocks (``blocks``).
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from scuttlehouse.timeline.blocks import (
    NONE,
    Ints32,
    borrowing,
    find_event,
    find_gap,
    index_at,
    insert,
    is_before,
    remove,
)
from scuttlehouse.timeline.graph import (
    ARRIVED,
    LINKS,
    REFUSED,
    REPEATED,
    State,
    first_follower,
    intern,
    register,
)
from scuttlehouse.timeline.raising import wave


@borrowing
def append_command(commands: Ints32, count: int, row: int, from_index: int, to_index: int) -> int:
    """Append a command and return the new number of commands. ``from_index`` is ``NONE`` for `ins`.

    A `mov` that starts where the command before it ended, for the same new event, is merged with it.
    """
    if count > 0 and commands[count - 1, 0] == row and commands[count - 1, 2] == from_index:
        commands[count - 1, 2] = to_index
        return count
    commands[count, 0] = row
    commands[count, 1] = from_index
    commands[count, 2] = to_index
    return count + 1


@borrowing
def take_out(state: State, event: int) -> int:
    """Remove an event from the order and return its index."""
    place, slot = find_event(state.blocks, state.names, event)
    index = index_at(state.blocks, place, slot)
    remove(state.blocks, state.names, place, slot)
    return index


@borrowing
def put_in(state: State, event: int, place: int, slot: int) -> int:
    """Insert an event into the order and return its index."""
    index = index_at(state.blocks, place, slot)
    insert(state.blocks, state.names, event, place, slot)
    return index


@borrowing
def step(
    state: State, event: int, new: int, second: int, commands: Ints32, count: int, row: int
) -> int:
    """The provisional step of the first event of a wave. ``second`` is the next raised event.

    The event jumps to directly right of the new event, or it rises, but not past ``second``.
    """
    names, blocks = state.names, state.blocks
    is_jump = is_before(names, event, new)
    names.events[event].rank = names.events[event].target
    right = names.events[event].right
    if not is_jump and (right in (NONE, second) or is_before(names, event, right)):
        return count
    from_index = take_out(state, event)
    if is_jump:
        place, slot = find_event(blocks, names, new)
        slot += 1
    elif second != NONE and is_before(names, second, event):
        place, slot = find_event(blocks, names, second)
    else:
        place, slot = find_gap(blocks, names, event)
    return append_command(commands, count, row, from_index, put_in(state, event, place, slot))


@borrowing
def rise(state: State, event: int, commands: Ints32, count: int, row: int) -> int:
    """Move an event to its target. The order right of it is sorted."""
    events = state.names.events
    events[event].rank = events[event].target
    right = events[event].right
    if right == NONE or is_before(state.names, event, right):
        return count
    from_index = take_out(state, event)
    place, slot = find_gap(state.blocks, state.names, event)
    return append_command(commands, count, row, from_index, put_in(state, event, place, slot))


@borrowing
def settle(state: State, raised: int, new: int, commands: Ints32, count: int, row: int) -> int:
    """Move all events of a wave to their places: the step of the first event, then from right to left."""
    first = state.raised[0]
    is_first_due = is_before(state.names, first, new)
    second = state.raised[1] if raised > 1 else NONE
    count = step(state, first, new, second, commands, count, row)
    for place in range(raised - 1, 0, -1):
        event = state.raised[place]
        if is_first_due and is_before(state.names, event, new):
            count = rise(state, first, commands, count, row)
            is_first_due = False
        count = rise(state, event, commands, count, row)
    return rise(state, first, commands, count, row)


@borrowing
def place(state: State, event: int) -> int:
    """Insert a registered event at its place and return its index."""
    names, links = state.names, state.links
    new = names.events[event]
    rank = 0
    for link in range(new.first_previous, new.first_previous + new.previous_count):
        rank = max(rank, names.events[links[link].previous].rank + 1)
    new.rank = new.target = rank
    at_place, slot = find_gap(state.blocks, names, event)
    return put_in(state, event, at_place, slot)


@borrowing
def raise_followers(
    state: State, link: int, new: int, commands: Ints32, count: int, row: int
) -> tuple[int, int, int]:
    """Raise the events that waited for a new event, starting at a link.

    Returns the next link, the number of commands, and 0. If there may be no room among the commands, it
    stops before it settles a wave, and returns the number of raised events in place of the 0.
    """
    events = state.names.events
    rank = events[new].rank
    while link != NONE:
        follower = state.links[link].event
        link = state.links[link].next
        if NONE < events[follower].rank <= rank:
            raised = wave(state, follower, rank + 1)
            if count + raised + 1 > commands.shape[0]:
                return link, count, raised
            count = settle(state, raised, new, commands, count, row)
    return link, count, 0


@njit(cache=True)
def with_room(commands: Ints32, count: int) -> Ints32:
    """The same commands, with room for as many again."""
    grown = np.empty((2 * count, 3), dtype=np.int32)
    grown[: commands.shape[0]] = commands
    return grown


@njit(cache=True)
def raise_all(
    state: State, event: int, commands: Ints32, count: int, row: int
) -> tuple[Ints32, int]:
    """Raise all events that waited for a new event. Returns the commands, which may have grown."""
    link = first_follower(state, event)
    link, count, raised = raise_followers(state, link, event, commands, count, row)
    while raised > 0:
        commands = with_room(commands, count + raised + 1)
        count = settle(state, raised, event, commands, count, row)
        link, count, raised = raise_followers(state, link, event, commands, count, row)
    return commands, count


@njit(cache=True)
def deliver(
    state: State,
    text: NDArray[np.uint8],
    text_sizes: Ints32,
    rows: Ints32,
    offsets: Ints32,
    previous: Ints32,
) -> tuple[Ints32, int]:
    """Add events, one after the other.

    Args:
        text, text_sizes: names that were never mentioned before, as UTF-8. They become the next events.
        rows: the event of each row.
        offsets, previous: row ``i`` lists ``previous[offsets[i]:offsets[i + 1]]``.

    Returns:
        The commands, one per row: the row of the event that caused it, the index where it starts
        (``NONE`` for `ins`), the index where it ends. And the first row that is refused, where delivery
        stops, or ``NONE``.
    """
    intern(state, text, text_sizes)
    commands = np.empty((rows.size + 8, 3), dtype=np.int32)
    count = 0
    for row in range(rows.size):
        event = rows[row]
        result = register(state, event, previous, offsets[row], offsets[row + 1])
        if result == REFUSED:
            return commands[:count], row
        if result == REPEATED:
            continue
        if count == commands.shape[0]:
            commands = with_room(commands, count)
        index = place(state, event)
        count = append_command(commands, count, row, NONE, index)
        commands, count = raise_all(state, event, commands, count, row)
    return commands[:count], NONE


@njit(cache=True)
def restore(
    state: State,
    text: NDArray[np.uint8],
    text_sizes: Ints32,
    rows: Ints32,
    offsets: Ints32,
    previous: Ints32,
) -> int:
    """Add events to an empty timeline, as ``deliver`` does, in O(n log n) and without commands.

    All events are linked first, then each is placed after those that it lists, so no event is ever raised.
    Returns the first row that is refused. Events in a loop or behind one get no place.
    """
    intern(state, text, text_sizes)
    for row in range(rows.size):
        if register(state, rows[row], previous, offsets[row], offsets[row + 1]) == REFUSED:
            return row
    events, links = state.names.events, state.links
    unmet = np.zeros(events.size, dtype=np.int32)
    for link in range(state.counts[LINKS]):
        if events[links[link].previous].first_previous != NONE:
            unmet[links[link].event] += 1
    ready = np.empty(state.counts[ARRIVED], dtype=np.int32)
    end = 0
    for event in state.arrived[: state.counts[ARRIVED]]:
        if unmet[event] == 0:
            ready[end] = event
            end += 1
    start = 0
    while start < end:
        event = ready[start]
        start += 1
        place(state, event)
        link = events[event].first_follower
        while link != NONE:
            follower = links[link].event
            link = links[link].next
            unmet[follower] -= 1
            if unmet[follower] == 0:
                ready[end] = follower
                end += 1
    return NONE


@borrowing
def index_of(state: State, event: int) -> int:
    """How many events are left of an event of the order."""
    at_place, slot = find_event(state.blocks, state.names, event)
    return index_at(state.blocks, at_place, slot)
