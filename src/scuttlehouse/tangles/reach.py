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

    Complexity: O(links * sources / 64) at worst, plus sorting; memory O(nodes + links). Sources that the same
    nodes list count as one.

    >>> reach_counts(4, np.array([1, 2, 3]), np.array([0, 1, 1]), np.array([0, 1, 3])).tolist()
    [3, 2, 0]
    """
    components = components_of(*followers_of(node_count, messages, previous))
    # What comes after a component has greater numbers, so that a walk through memory goes one way.
    components = components.max(initial=-1) - components
    sizes = np.bincount(components)
    is_known = previous >= 0
    after, before = components[messages[is_known]], components[previous[is_known]]
    is_between = after != before
    offsets, followers = followers_of(sizes.size, after[is_between], before[is_between])
    # Sources whose first followers are close together come before almost the same nodes.
    firsts = np.full(sizes.size, sizes.size, dtype=np.int64)
    np.minimum.at(firsts, before[is_between], after[is_between])
    some, places = _different(components[sources], offsets, followers, sizes)
    turns = np.argsort(firsts[some], kind="stable")
    counts = np.empty(some.size, dtype=np.int64)
    counts[turns] = _reach(offsets, followers, sizes, some[turns])
    return counts[places]


def _different(sources: Ints, offsets: Ints, followers: Ints, sizes: Ints) -> tuple[Ints, Ints]:
    """One of all sources with the same followers, and for each source the place of that one.

    A message may list thousands of missing ones. Followers are compared by the sum of random numbers of
    128 bits. All nodes of a loop are one source.
    """
    weights = np.random.default_rng().integers(0, 1 << 64, (sizes.size, 2), dtype=np.uint64)
    sums = np.zeros((followers.size + 1, 2), dtype=np.uint64)
    np.cumsum(weights[followers], axis=0, out=sums[1:])
    keys = sums[offsets[sources + 1]] - sums[offsets[sources]]
    in_loop = sizes[sources] > 1
    keys[in_loop] = ~weights[sources[in_loop]]
    _, found, places = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return sources[found], places


@njit(cache=True)
def _reach(offsets: Ints, followers: Ints, sizes: Ints, sources: Ints) -> Ints:
    """How many nodes come after each source. Sources are given by their components.

    Args:
        offsets, followers: the result of ``followers_of`` for components. Followers have greater numbers.
        sizes: how many nodes each component has.
    """
    counts = np.zeros(sources.size, dtype=np.int64)
    # For each component, the sources that its nodes come after, and those that are its nodes.
    masks = np.zeros(sizes.size, dtype=np.uint64)
    own = np.zeros(sizes.size, dtype=np.uint64)
    is_reached = np.zeros(sizes.size, dtype=np.bool_)
    reached = np.empty(sizes.size, dtype=np.int64)
    for first in range(0, sources.size, 64):  # one bit per source, so 64 at a time
        block = sources[first : first + 64]
        end = 0
        for bit in range(block.size):
            component = block[bit]
            own[component] |= np.uint64(1) << np.uint64(bit)
            if not is_reached[component]:
                is_reached[component] = True
                reached[end] = component
                end += 1
        at = 0
        while at < end:
            for follower in followers[offsets[reached[at]] : offsets[reached[at] + 1]]:
                if not is_reached[follower]:
                    is_reached[follower] = True
                    reached[end] = follower
                    end += 1
            at += 1
        # Where few components lie between, passing by them is cheaper than sorting.
        start, stop = reached[:end].min(), reached[:end].max() + 1
        if stop - start < 16 * end:
            reached[:end] = start + np.flatnonzero(is_reached[start:stop])
        else:
            reached[:end].sort()
        # The sums of 64 sources, a bit of each in every number. The numbers stand for 1, 2, 4, ...
        sums = np.zeros(64, dtype=np.uint64)
        # What comes before a component has lesser numbers, so each mask is complete when its turn comes.
        for component in reached[:end]:
            passed = masks[component] | own[component]
            # All nodes of a loop come after each other.
            known = passed if sizes[component] > 1 else masks[component]
            for _ in range(sizes[component]):
                place, carry = 0, known
                while carry:
                    sums[place], carry = sums[place] ^ carry, sums[place] & carry
                    place += 1
            for follower in followers[offsets[component] : offsets[component + 1]]:
                masks[follower] |= passed
            masks[component] = own[component] = 0
            is_reached[component] = False
        for bit in range(block.size):
            for place in range(sums.size):
                counts[first + bit] += (
                    np.int64(sums[place] >> np.uint64(bit) & np.uint64(1)) << place
                )
            # In a loop, a source comes after itself.
            counts[first + bit] -= np.int64(sizes[block[bit]] > 1)
    return counts
