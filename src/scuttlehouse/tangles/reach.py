"""How many messages come after others in a graph of `previous` links, for many sources at once.

``fct_tangle_gaps`` needs this: how many messages a missing one blocks.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from scuttlehouse.tangles.graphs import Ints, followers_of
from scuttlehouse.tangles.order import components_of


def reach_counts(node_count: int, messages: Ints, previous: Ints, sources: Ints) -> Ints:
    """For each source, how many nodes come after it: nodes that list it, nodes that list those, and so on.

    Args:
        node_count: nodes are the integers from 0 to ``node_count - 1``.
        messages, previous: a link per row. The node ``messages[i]`` lists the node ``previous[i]``.
        sources: nodes. In a loop, a source does not count itself.

    Complexity: O(links * sources / 64) at worst, plus sorting; memory O(nodes + links).

    >>> reach_counts(4, np.array([1, 2, 3]), np.array([0, 1, 1]), np.array([0, 1, 3])).tolist()
    [3, 2, 0]
    """
    offsets, followers = followers_of(node_count, messages, previous)
    components = components_of(offsets, followers)
    nodes = np.argsort(components, kind="stable")
    starts = np.searchsorted(components[nodes], np.arange(components.max(initial=-1) + 2))
    return _reach(offsets, followers, components, nodes, starts, sources)


@njit(cache=True)
def _reach(
    offsets: Ints, followers: Ints, components: Ints, nodes: Ints, starts: Ints, sources: Ints
) -> Ints:
    """``nodes`` are in the order of their components. ``starts`` has the place where each one begins."""
    counts = np.zeros(sources.size, dtype=np.int64)
    # For each component, the sources that its nodes come after, and those that are its nodes.
    masks = np.zeros(starts.size - 1, dtype=np.uint64)
    own = np.zeros(starts.size - 1, dtype=np.uint64)
    is_reached = np.zeros(starts.size - 1, dtype=np.bool_)
    reached = np.empty(starts.size - 1, dtype=np.int64)
    for first in range(0, sources.size, 64):  # one bit per source, so 64 at a time
        block = sources[first : first + 64]
        end = 0
        for bit in range(block.size):
            component = components[block[bit]]
            own[component] |= np.uint64(1) << np.uint64(bit)
            if not is_reached[component]:
                is_reached[component] = True
                reached[end] = component
                end += 1
        at = 0
        while at < end:
            for node in nodes[starts[reached[at]] : starts[reached[at] + 1]]:
                for follower in followers[offsets[node] : offsets[node + 1]]:
                    if not is_reached[components[follower]]:
                        is_reached[components[follower]] = True
                        reached[end] = components[follower]
                        end += 1
            at += 1
        # The sums of 64 sources, a bit of each in every number. The numbers stand for 1, 2, 4, ...
        sums = np.zeros(64, dtype=np.uint64)
        itself = np.uint64(0)
        # What comes before a component has greater numbers, so each mask is complete when its turn comes.
        for component in np.sort(reached[:end])[::-1]:
            size = starts[component + 1] - starts[component]
            passed = masks[component] | own[component]
            # All nodes of a loop come after each other.
            known = passed if size > 1 else masks[component]
            for _ in range(size):
                place, carry = 0, known
                while carry:
                    sums[place], carry = sums[place] ^ carry, sums[place] & carry
                    place += 1
            if size > 1:
                itself |= own[component]
            for node in nodes[starts[component] : starts[component + 1]]:
                for follower in followers[offsets[node] : offsets[node + 1]]:
                    if components[follower] != component:
                        masks[components[follower]] |= passed
            masks[component] = own[component] = 0
            is_reached[component] = False
        for bit in range(block.size):
            for place in range(sums.size):
                counts[first + bit] += (
                    np.int64(sums[place] >> np.uint64(bit) & np.uint64(1)) << place
                )
            counts[first + bit] -= np.int64(itself >> np.uint64(bit) & np.uint64(1))
    return counts
