"""A list of events in blocks, sorted by (rank, name), for the compiled ScuttleSort.

A block holds up to ``BLOCK`` events, and two neighbours together hold more than half of that. So n
events need at most ``4 n / BLOCK + 1`` blocks. A block keeps its number; ``sequence`` says which block
is at which place. A step costs O(BLOCK + n / BLOCK) at worst: it shifts events inside one block, adds up
the sizes of the blocks on one side, or renumbers the places after a split.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints32: TypeAlias = NDArray[np.int32]

BLOCK = 256
NONE = -1

Function = TypeVar("Function", bound=Callable[..., object])


def borrowing(function: Function) -> Function:
    """Compile a function that neither makes nor returns an array, without reference counting.

    Reference counting of arrays took three quarters of the time. Numba's cache notices a change of the
    module that it compiled, but not of the modules that this one calls. After such a change, delete
    __pycache__.
    """
    options: dict[str, Any] = {"cache": True, "_nrt": False}
    compiled: Function = njit(**options)(function)
    return compiled


# One row per name, known or only mentioned, so that one memory access brings all fields of an event.
# `prefix` is eight bytes of the name as a number. They start after the bytes that all names share.
EVENT = np.dtype(
    [
        ("prefix", np.uint64),
        ("text_start", np.int64),
        ("mark", np.int64),
        ("rank", np.int32),
        ("target", np.int32),
        ("block", np.int32),
        ("right", np.int32),
        ("first_follower", np.int32),
        ("last_follower", np.int32),
        ("first_previous", np.int32),
        ("previous_count", np.int32),
    ]
)


class Blocks(NamedTuple):
    """``events`` by block and slot; ``sizes`` and ``sequence`` by place; ``places`` by block.

    ``used[0]`` is the number of blocks in use, at least one. Unused blocks come after them in
    ``sequence``. ``used[1]`` is the number of events in the list.
    """

    events: Ints32
    sizes: Ints32
    sequence: Ints32
    places: Ints32
    used: Ints32


class Names(NamedTuple):
    """``events`` has the type ``EVENT``. ``text`` holds all names as UTF-8, one after the other."""

    events: Any
    text: NDArray[np.uint8]


def block_capacity(event_capacity: int) -> int:
    """How many blocks are enough for this many events, even while a block is split."""
    return 4 * event_capacity // BLOCK + 3


@borrowing
def is_before(names: Names, one: int, other: int) -> bool:
    """Whether (rank, name) of one event is less than that of another. UTF-8 sorts by code point."""
    left, right = names.events[one], names.events[other]
    if left.rank != right.rank:
        return bool(left.rank < right.rank)
    if left.prefix != right.prefix:
        return bool(left.prefix < right.prefix)
    left_size = names.events[one + 1].text_start - left.text_start
    right_size = names.events[other + 1].text_start - right.text_start
    for place in range(min(left_size, right_size)):
        left_byte = names.text[left.text_start + place]
        right_byte = names.text[right.text_start + place]
        if left_byte != right_byte:
            return bool(left_byte < right_byte)
    return bool(left_size < right_size)


@borrowing
def find_event(blocks: Blocks, names: Names, event: int) -> tuple[int, int]:
    """The place and slot of an event in the list."""
    block = names.events[event].block
    slot = 0
    while blocks.events[block, slot] != event:
        slot += 1
    return blocks.places[block], slot


@borrowing
def find_gap(blocks: Blocks, names: Names, event: int) -> tuple[int, int]:
    """The place and slot for an event that is not in the list yet."""
    place, end = 0, blocks.used[0]
    middle = end - 1  # most new events belong here
    while end - place > 1:
        if is_before(names, event, blocks.events[blocks.sequence[middle], 0]):
            end = middle
        else:
            place = middle
        middle = (place + end) // 2
    block = blocks.sequence[place]
    slot, slot_end = 0, blocks.sizes[place]
    while slot < slot_end:
        middle = (slot + slot_end) // 2
        if is_before(names, event, blocks.events[block, middle]):
            slot_end = middle
        else:
            slot = middle + 1
    return place, slot


@borrowing
def index_at(blocks: Blocks, place: int, slot: int) -> int:
    """How many events are left of a place and slot. Counts from the nearer end of the list."""
    index = slot
    if 2 * place < blocks.used[0]:
        for left in range(place):
            index += blocks.sizes[left]
    else:
        index += blocks.used[1]
        for here in range(place, blocks.used[0]):
            index -= blocks.sizes[here]
    return index


@borrowing
def left_of(blocks: Blocks, place: int, slot: int) -> int:
    """The event directly left of a place and slot. ``NONE`` at the start."""
    if slot == 0 and place == 0:
        return NONE
    if slot == 0:
        place -= 1
        slot = blocks.sizes[place]
    event: int = blocks.events[blocks.sequence[place], slot - 1]
    return event


@borrowing
def right_of(blocks: Blocks, place: int, slot: int) -> int:
    """The event at a place and slot. The slot may be just behind the block. ``NONE`` at the end."""
    if slot == blocks.sizes[place]:
        place, slot = place + 1, 0
    if place == blocks.used[0]:
        return NONE
    event: int = blocks.events[blocks.sequence[place], slot]
    return event


@borrowing
def insert(blocks: Blocks, names: Names, event: int, place: int, slot: int) -> None:
    """Insert an event at a place and slot."""
    left = left_of(blocks, place, slot)
    names.events[event].right = right_of(blocks, place, slot)
    if left != NONE:
        names.events[left].right = event
    if blocks.sizes[place] == BLOCK:
        split(blocks, names, place)
        if slot > BLOCK // 2:
            place, slot = place + 1, slot - BLOCK // 2
    block = blocks.sequence[place]
    for moved in range(blocks.sizes[place], slot, -1):
        blocks.events[block, moved] = blocks.events[block, moved - 1]
    blocks.events[block, slot] = event
    blocks.sizes[place] += 1
    blocks.used[1] += 1
    names.events[event].block = block


@borrowing
def remove(blocks: Blocks, names: Names, place: int, slot: int) -> None:
    """Remove the event at a place and slot."""
    block = blocks.sequence[place]
    left = left_of(blocks, place, slot)
    if left != NONE:
        names.events[left].right = names.events[blocks.events[block, slot]].right
    blocks.sizes[place] -= 1
    blocks.used[1] -= 1
    for moved in range(slot, blocks.sizes[place]):
        blocks.events[block, moved] = blocks.events[block, moved + 1]
    if place + 1 < blocks.used[0]:
        merge_if_small(blocks, names, place)
    if place > 0:
        merge_if_small(blocks, names, place - 1)


@borrowing
def split(blocks: Blocks, names: Names, place: int) -> None:
    """Move the right half of a full block into a new block."""
    spare = blocks.sequence[blocks.used[0]]
    for moved in range(blocks.used[0], place + 1, -1):
        put_block(blocks, moved, blocks.sequence[moved - 1], blocks.sizes[moved - 1])
    put_block(blocks, place + 1, spare, 0)
    blocks.used[0] += 1
    move_events(blocks, names, place, BLOCK // 2, place + 1)


@borrowing
def merge_if_small(blocks: Blocks, names: Names, place: int) -> None:
    """Move the events of the next block here, if both together fill at most half a block."""
    left, right = blocks.sizes[place], blocks.sizes[place + 1]
    if left > 0 and right > 0 and left + right > BLOCK // 2:
        return
    spare = blocks.sequence[place + 1]
    move_events(blocks, names, place + 1, 0, place)
    blocks.used[0] -= 1
    for moved in range(place + 1, blocks.used[0]):
        put_block(blocks, moved, blocks.sequence[moved + 1], blocks.sizes[moved + 1])
    put_block(blocks, blocks.used[0], spare, 0)


@borrowing
def put_block(blocks: Blocks, place: int, block: int, size: int) -> None:
    """Record that a block is at a place."""
    blocks.sequence[place] = block
    blocks.sizes[place] = size
    blocks.places[block] = place


@borrowing
def move_events(blocks: Blocks, names: Names, place: int, slot: int, to_place: int) -> None:
    """Append the events of a block, from a slot on, to another block."""
    block, to_block = blocks.sequence[place], blocks.sequence[to_place]
    for moved in range(slot, blocks.sizes[place]):
        event = blocks.events[block, moved]
        blocks.events[to_block, blocks.sizes[to_place]] = event
        blocks.sizes[to_place] += 1
        names.events[event].block = to_block
    blocks.sizes[place] = slot
