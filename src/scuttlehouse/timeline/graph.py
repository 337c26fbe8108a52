"""Names and links of a timeline as compiled code: which event lists which."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scuttlehouse.timeline.blocks import NONE, Blocks, Ints32, Names, borrowing

# A row per event and previous that it lists. `next` is the next link with the same previous.
LINK = np.dtype([("previous", np.int32), ("event", np.int32), ("next", np.int32)])

# An event in the heap of a wave. `key` holds its rank and the first four bytes of its prefix.
WAITING = np.dtype([("key", np.int64), ("event", np.int32)])

# Indexes in `State.counts`. FOLLOWED counts the links that searches and waves have followed, PASSED the
# events that waves have passed by. SHARED is how many bytes all names share at the start, at most
# MOST_SHARED. Ids as URIs share twenty.
NAMES, LINKS, ARRIVED, MARKS, FOLLOWED, PASSED, SHARED = range(7)
MOST_SHARED = 32

# What became of an event.
NEW, REPEATED, REFUSED = range(3)


class State(NamedTuple):
    """The whole state of a timeline. The arrays have spare room; ``counts`` says how much is used."""

    names: Names
    links: Any
    arrived: Ints32
    blocks: Blocks
    heap: Any
    raised: Ints32
    counts: NDArray[np.int64]


@borrowing
def intern(state: State, text: NDArray[np.uint8], sizes: Ints32) -> None:
    """Append new names, given as UTF-8, one after the other."""
    events, counts = state.names.events, state.counts
    start = events[counts[NAMES]].text_start
    for place in range(text.size):
        state.names.text[start + place] = text[place]
    for size in sizes:
        event = counts[NAMES]
        events[event + 1].text_start = events[event].text_start + size
        events[event].mark = 0
        events[event].rank = events[event].target = NONE
        events[event].first_follower = events[event].last_follower = NONE
        events[event].first_previous = NONE
        counts[NAMES] += 1
        shared = shared_size(state.names, event, MOST_SHARED if event == 0 else counts[SHARED])
        if shared != counts[SHARED]:
            counts[SHARED] = shared
            for one in range(event):
                events[one].prefix = prefix_of(state.names, one, shared)
        events[event].prefix = prefix_of(state.names, event, shared)


@borrowing
def shared_size(names: Names, event: int, most: int) -> int:
    """How many bytes at the start the name of an event has in common with the first name."""
    start, end = names.events[event].text_start, names.events[event + 1].text_start
    size = 0
    while size < min(most, end - start) and names.text[size] == names.text[start + size]:
        size += 1
    return size


@borrowing
def prefix_of(names: Names, event: int, shared: int) -> np.uint64:
    """Eight bytes of a name as a number. They start after the bytes that all names share."""
    start, end = names.events[event].text_start + shared, names.events[event + 1].text_start
    prefix = np.uint64(0)
    for place in range(start, start + 8):
        byte = names.text[place] if place < end else np.uint8(0)
        prefix = (prefix << np.uint64(8)) | np.uint64(byte)
    return prefix


@borrowing
def register(state: State, event: int, previous: Ints32, start: int, end: int) -> int:
    """Link an event to ``previous[start:end]``, unless it is known or would close a loop.

    Returns ``NEW``, ``REPEATED`` for a repeat with the same previous, or ``REFUSED``; it raises no error.
    Only ``NEW`` changes anything.
    """
    events, links = state.names.events, state.links
    state.counts[MARKS] += 2
    mark = state.counts[MARKS]
    count = 0
    highest = NONE
    for one in previous[start:end]:
        if one != event and events[one].mark != mark:
            events[one].mark = mark
            highest = max(highest, events[one].rank)
            count += 1
    new = events[event]
    if new.first_previous != NONE:
        if count != new.previous_count:
            return REFUSED
        for link in range(new.first_previous, new.first_previous + count):
            if events[links[link].previous].mark != mark:
                return REFUSED
        return REPEATED
    if highest != NONE and new.first_follower != NONE and is_path(state, event, mark, highest):
        return REFUSED
    new.first_previous = state.counts[LINKS]
    new.previous_count = count
    for one in previous[start:end]:
        if one != event and events[one].mark == mark:
            events[one].mark = 0
            append_link(state, event, one)
    state.arrived[state.counts[ARRIVED]] = event
    state.counts[ARRIVED] += 1
    return NEW


@borrowing
def first_follower(state: State, event: int) -> int:
    """The link of the first event that lists an event. ``NONE`` if no event does."""
    link: int = state.names.events[event].first_follower
    return link


@borrowing
def append_link(state: State, event: int, previous: int) -> None:
    link = state.counts[LINKS]
    state.links[link].previous = previous
    state.links[link].event = event
    state.links[link].next = NONE
    listed = state.names.events[previous]
    if listed.first_follower == NONE:
        listed.first_follower = link
    else:
        state.links[listed.last_follower].next = link
    listed.last_follower = link
    state.counts[LINKS] += 1


@borrowing
def is_path(state: State, start: int, mark: int, highest: int) -> bool:
    """Whether links lead from an event to a marked event. Marked events have at most the rank ``highest``.

    Visited events are marked too, with one less.
    """
    events, links, stack = state.names.events, state.links, state.raised
    stack[0] = start
    size = 1
    while size > 0:
        size -= 1
        link = events[stack[size]].first_follower
        while link != NONE:
            state.counts[FOLLOWED] += 1
            follower = links[link].event
            link = links[link].next
            if events[follower].mark == mark:
                return True
            is_seen = events[follower].mark == mark - 1
            if not is_seen and NONE < events[follower].rank < highest:
                events[follower].mark = mark - 1
                stack[size] = follower
                size += 1
    return False


@borrowing
def is_after(state: State, event: int, earlier: int) -> bool:
    """Whether links lead from ``earlier`` to an event."""
    state.counts[MARKS] += 2
    mark = state.counts[MARKS]
    state.names.events[event].mark = mark
    return is_path(state, earlier, mark, state.names.events[event].rank)
