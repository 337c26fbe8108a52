"""How many messages come after others in a graph of `previous` links, for many sources at once.

``fct_tangle_gaps`` needs this: how many messages a missing one blocks.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from scuttlehouse.tangles.graphs import Ints, followers_of


def reach_counts(node_count: int, messages: Ints, previous: Ints, sources: Ints) -> Ints:
    """For each source, how many nodes come after it: nodes that list it, nodes that list those, and so on.

    Args:
        node_count: nodes are the integers from 0 to ``node_count - 1``.
        messages, previous: a link per row. The node ``messages[i]`` lists the node ``previous[i]``.
        sources: nodes. In a loop, a source does not count itself.

    Complexity: O(links * sources / 64) at worst, memory O(nodes + links).

    >>> reach_counts(4, np.array([1, 2, 3]), np.array([0, 1, 1]), np.array([0, 1, 3])).tolist()
    [3, 2, 0]
    """
    offsets, followers = followers_of(node_count, messages, previous)
    return _reach(offsets, followers, sources)


@njit(cache=True)
def _reach(offsets: Ints, followers: Ints, sources: Ints) -> Ints:
    counts = np.zeros(sources.size, dtype=np.int64)
    masks = np.zeros(offsets.size - 1, dtype=np.uint64)
    is_queued = np.zeros(offsets.size - 1, dtype=np.bool_)
    for first in range(0, sources.size, 64):  # one bit per source, so 64 at a time
        block = sources[first : first + 64]
        # Two empty lists. numba must see what they will hold.
        queue = [np.int64(0) for _ in range(0)]
        touched = [np.int64(0) for _ in range(0)]
        for bit in range(block.size):
            for place in range(offsets[block[bit]], offsets[block[bit] + 1]):
                node = followers[place]
                if masks[node] == 0:
                    touched.append(node)
                masks[node] |= np.uint64(1) << np.uint64(bit)
                if not is_queued[node]:
                    is_queued[node] = True
                    queue.append(node)
        while len(queue) > 0:
            node = queue.pop()
            is_queued[node] = False
            for place in range(offsets[node], offsets[node + 1]):
                follower = followers[place]
                merged = masks[follower] | masks[node]
                if merged != masks[follower]:
                    if masks[follower] == 0:
                        touched.append(follower)
                    masks[follower] = merged
                    if not is_queued[follower]:
                        is_queued[follower] = True
                        queue.append(follower)
        for node in touched:
            for bit in range(block.size):
                if masks[node] & (np.uint64(1) << np.uint64(bit)) and block[bit] != node:
                    counts[first + bit] += 1
            masks[node] = 0
    return counts
