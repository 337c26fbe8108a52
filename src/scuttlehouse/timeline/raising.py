"""Waves of a timeline as compiled code: which events must rise when one rises, and in which order."""

from __future__ import annotations

from typing import Any

import numpy as np

from scuttlehouse.timeline.blocks import NONE, Names, borrowing, is_before
from scuttlehouse.timeline.graph import FOLLOWED, PASSED, State


@borrowing
def wave(state: State, start: int, rank: int) -> int:
    """Give a higher rank, as target, to an event and to the events that must rise with it.

    Raised events fill ``state.raised`` by their old keys, lowest first. Returns their number. An event in
    the wave has a target above its rank; any other event has a target equal to its rank.

    The order is still sorted by old keys, so a walk to the right finds raised events sorted. Most are close
    together. If the walk would pass by many others, a heap sorts the rest.
    """
    events, heap = state.names.events, state.heap
    events[start].target = rank
    heap[0].event = start
    event, count, passed = start, 0, 0
    found = 1
    while True:
        state.raised[count] = event
        count += 1
        found = raise_targets(state, event, found, False)
        if count == found:
            break
        event = events[event].right
        while events[event].target == events[event].rank and passed < most_passed(count):
            event = events[event].right
            passed += 1
        if events[event].target == events[event].rank:
            count = wave_by_heap(state, found, count)
            break
    state.counts[PASSED] += passed
    return count


@borrowing
def most_passed(raised: int) -> int:
    """How many events a wave may pass by. Most pass by few: one for twelve that they raise, in a replay."""
    return 8 * raised + 256


@borrowing
def wave_by_heap(state: State, found: int, count: int) -> int:
    """Continue a wave that has raised ``count`` events, of those ``found`` that the heap lists unsorted."""
    heap, last = state.heap, state.raised[count - 1]
    waiting = 0
    for place in range(found):
        event = heap[place].event
        if is_before(state.names, last, event):
            push(heap, waiting, state.names, event)
            waiting += 1
    while waiting > 0:
        event = pop(heap, waiting, state.names)
        state.raised[count] = event
        count += 1
        waiting = raise_targets(state, event, waiting - 1, True)
    return count


@borrowing
def raise_targets(state: State, event: int, found: int, is_sorted: bool) -> int:
    """Give the followers of a raised event a target above its own.

    Followers that had none go into the heap, or behind the ``found`` events that it lists unsorted. Returns
    the new number of events there.
    """
    events, links = state.names.events, state.links
    target = events[event].target + 1
    link = events[event].first_follower
    while link != NONE:
        state.counts[FOLLOWED] += 1
        follower = links[link].event
        link = links[link].next
        if events[follower].target < target and events[follower].rank != NONE:
            if events[follower].target == events[follower].rank:
                if is_sorted:
                    push(state.heap, found, state.names, follower)
                else:
                    state.heap[found].event = follower
                found += 1
            events[follower].target = target
    return found


@borrowing
def push(heap: Any, size: int, names: Names, event: int) -> None:
    """Add an event to a heap of this size. The heap is ordered by (rank, name)."""
    added = names.events[event]
    key = int((np.int64(added.rank) << 32) | np.int64(added.prefix >> np.uint64(32)))
    place = size
    while place > 0:
        parent = (place - 1) // 2
        if not is_lower(names, key, event, heap[parent].key, heap[parent].event):
            break
        heap[place] = heap[parent]
        place = parent
    heap[place].key = key
    heap[place].event = event


@borrowing
def pop(heap: Any, size: int, names: Names) -> int:
    """Take the least event from a heap of this size."""
    least: int = heap[0].event
    key, event = heap[size - 1].key, heap[size - 1].event
    place, child = 0, 1
    while child < size - 1:
        if child + 1 < size - 1 and is_lower(
            names, heap[child + 1].key, heap[child + 1].event, heap[child].key, heap[child].event
        ):
            child += 1
        if not is_lower(names, heap[child].key, heap[child].event, key, event):
            break
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    heap[place].key = key
    heap[place].event = event
    return least


@borrowing
def is_lower(names: Names, key: int, event: int, other_key: int, other: int) -> bool:
    """As ``is_before``, which is called only if the keys in the heap are equal."""
    if key != other_key:
        return key < other_key
    return is_before(names, event, other)
