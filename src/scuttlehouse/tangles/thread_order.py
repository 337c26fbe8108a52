"""The reading order of a thread: causal, and among concurrent messages the earlier first (ruling R13).

This is Kahn's algorithm. Of the messages that have all their previous placed, it always takes the one with
the least *(time, id)*. The time of a message is the earlier of the time that its author asserted and
the time when it was received (tangle SIP, section 2d; the sample there subtracts the wrong way round).

**A new message reorders nothing.** A message in the graph has all its previous there, so no old message
lists a new one. Which old messages are free at a moment then depends only on old messages, and they are
taken in the same order as before. New messages only come in between. (Their times must stay: see
``received_ms`` in ``stg_ssb__messages``.)

**Which positions it can change.** Write E(m) for the greatest (time, id) over m and all its ancestors. *The
order never decreases in E.* Suppose a comes before b with E(a) > E(b). E(a) is the (time, id) of a message
c, which is a or an ancestor of a, so c was taken before b. At that moment some x, which is b or an ancestor
of b, was free, because not all of these were taken. But the (time, id) of x is at most E(b), so less than
that of c, and x would have been taken instead. So messages with the same E stand together, in the order of
Kahn's algorithm for these messages alone. A new message is placed among those that have its E, and shifts
the positions after them. Nothing else can change.
"""

from __future__ import annotations

import heapq

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numba import njit
from numpy.typing import NDArray

from scuttlehouse.tangles.graphs import Column, Ints, followers_of
from scuttlehouse.tangles.order import UNRANKED, find_loops


def thread_positions(
    tangle_codes: Ints,
    node_ranks: Ints,
    link_message: Ints,
    link_previous: Ints,
    times: Column,
    ids: Column,
) -> Ints:
    """The place of each message in the thread order of its tangle, from 0.

    Args:
        tangle_codes: per node (``Nodes.tangle_codes``).
        node_ranks: per node (``order.ranks``). A node without a rank takes no place.
        link_message, link_previous: a row per message and previous that it lists, as for ``ranks``.
        times: per node, milliseconds since 1970. Null if the message has no known time; it then comes
            last.
        ids: per node, text. Decides between equal times, by code point.

    Returns:
        A place per node. ``UNRANKED`` (-1) for nodes without a rank.

    Raises:
        ValueError: an id is null, or the columns do not match (``graphs.followers_of``).

    Complexity: O(n log n + k) for k links, plus the sorting of the links by previous.

    >>> ids = pa.array(["root", "late", "early", "answer"])
    >>> links = np.array([1, 2, 3]), np.array([0, 0, 1])
    >>> times = pa.array([5.0, 9.0, 7.0, 1.0])
    >>> thread_positions(np.zeros(4, int), np.array([0, 1, 1, 2]), *links, times, ids).tolist()
    [0, 2, 1, 3]
    """
    if ids.null_count:
        raise ValueError("An id is null; leave out rows that have none.")
    is_placed = node_ranks != UNRANKED
    is_counted = (link_previous >= 0) & (link_message != link_previous)
    links = link_message[is_counted], link_previous[is_counted]
    turns = (
        pc.sort_indices(
            pa.table({"tangle": tangle_codes, "time": times, "id": ids}),
            sort_keys=[("tangle", "ascending"), ("time", "ascending"), ("id", "ascending")],
        )
        .to_numpy()
        .astype(np.int64)
    )
    unmet = np.bincount(links[0], minlength=node_ranks.size).astype(np.int64)
    # One heap serves all tangles. The turns of the first tangle come first, so its nodes are taken first.
    order = _take_turns(turns, is_placed, unmet, *followers_of(node_ranks.size, *links))
    places = np.full(node_ranks.size, UNRANKED, dtype=np.int64)
    tangles = tangle_codes[order]
    places[order] = np.arange(order.size) - np.searchsorted(tangles, tangles)
    return places


def whole_thread_positions(
    tangle_codes: Ints,
    is_root: NDArray[np.bool_],
    link_message: Ints,
    link_previous: Ints,
    times: Column,
    ids: Column,
) -> Ints:
    """The place of each message among all messages that name the root of its thread, from 0 (ruling R39).

    This is how ssb-sort reads a thread: a link to a message that is not in the thread is ignored, and all
    messages come after the root. So a message without remaining links is placed by its time alone. A message
    in a loop, which no signed message can be, is treated in the same way. If a message arrives that others
    have answered before, they come after it from then on. The columns are those of :func:`thread_positions`,
    and every node has a place.

    Complexity: O(n log n + k) for k links, plus the sorting of the links by previous.

    >>> ids = pa.array(["root", "answers what is missing", "answers that"])
    >>> links = np.array([1, 2]), np.array([-1, 1])
    >>> is_root = np.array([True, False, False])
    >>> whole_thread_positions(np.zeros(3, int), is_root, *links, pa.array([5, 9, 1]), ids).tolist()
    [0, 1, 2]
    """
    count = tangle_codes.size
    is_looped = find_loops(count, link_message, link_previous)
    is_kept = (link_previous >= 0) & (link_message != link_previous)
    is_kept &= ~is_looped[link_message] & ~is_root[link_message]
    root_of = np.full(int(tangle_codes.max(initial=0)) + 1, -1, dtype=np.int64)
    root_of[tangle_codes[is_root]] = np.flatnonzero(is_root)
    roots = root_of[tangle_codes]
    below = np.flatnonzero(~is_root & (roots >= 0))
    return thread_positions(
        tangle_codes,
        np.zeros(count, dtype=np.int64),
        np.concatenate([link_message[is_kept], below]),
        np.concatenate([link_previous[is_kept], roots[below]]),
        times,
        ids,
    )


@njit(cache=True)
def _take_turns(
    turns: Ints, is_placed: NDArray[np.bool_], unmet: Ints, offsets: Ints, followers: Ints
) -> Ints:
    """The placed nodes in order. Of the nodes with all previous taken, the least turn is next."""
    turn_of = np.empty_like(turns)
    for turn in range(turns.size):
        turn_of[turns[turn]] = turn
    # Turns ascend, so the list is already a heap.
    free = [turn for turn in range(turns.size) if is_placed[turns[turn]] and not unmet[turns[turn]]]
    order = np.empty_like(turns)
    count = 0
    while len(free) > 0:
        node = turns[heapq.heappop(free)]
        order[count] = node
        count += 1
        for follower in followers[offsets[node] : offsets[node + 1]]:
            unmet[follower] -= 1
            if unmet[follower] == 0:
                heapq.heappush(free, turn_of[follower])
    return order[:count]
