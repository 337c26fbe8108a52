"""Which messages list what a message before them lists, too.

This asks which links of a graph a longer way makes superfluous (its transitive reduction). Nobody knows an
algorithm that answers it for every graph in about linear time: it takes as long as to multiply matrices of
bits. So a walk over the graph answers for 512 places at once, and holds only their bits. It goes from the
first message that lists one of them to the last.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from scuttlehouse.tangles.graphs import Ints, followers_of, walk

_WORDS = 8
_AT_ONCE = 64 * _WORDS


def listed_before(
    node_count: int, links: tuple[Ints, Ints], nodes: Ints, places: Ints
) -> NDArray[np.bool_]:
    """Whether a node before the node of each listing lists the same place.

    Args:
        node_count: nodes are the integers from 0 to ``node_count - 1``.
        links: a row per link of a graph without loops. The first node comes after the second.
        nodes, places: a row per listing, no two the same: a node, and the number of a place.

    Complexity: O((nodes + links) * (1 + p / 512) + listings * log(listings)), for p places that several
    nodes list; memory O(nodes + links + listings). Where the nodes that list a place are near each other,
    a place counts only as a part of p: as far as they are apart.

    >>> links = np.array([1, 2, 3, 3]), np.array([0, 1, 0, 2])
    >>> listed_before(4, links, np.array([1, 2, 3, 3]), np.array([0, 1, 0, 2])).tolist()
    [False, False, True, False]
    """
    levels = walk(*followers_of(node_count, *links), np.bincount(links[0], minlength=node_count))
    turns = np.empty(node_count, dtype=np.int64)
    turns[np.argsort(levels, kind="stable")] = np.arange(node_count)
    nodes = turns[nodes]
    _, codes, counts = np.unique(places, return_inverse=True, return_counts=True)
    firsts, lasts = np.full(counts.size, node_count), np.zeros(counts.size, dtype=np.int64)
    np.minimum.at(firsts, codes, nodes)
    np.maximum.at(lasts, codes, nodes)
    # Places that are listed about as far apart go together. Few of them make no long walk for others.
    spans = np.frexp((lasts - firsts).astype(float))[1]
    order = np.lexsort((firsts, spans))
    numbers = np.empty(counts.size, dtype=np.int64)
    numbers[order] = np.cumsum(counts[order] > 1) - 1
    rows = np.flatnonzero(counts[codes] > 1)
    numbers = numbers[codes[rows]]
    turn = np.lexsort((nodes[rows], numbers // _AT_ONCE))
    rows, numbers = rows[turn], numbers[turn]
    found = np.zeros(nodes.size, dtype=np.bool_)
    followers = followers_of(node_count, turns[links[0]], turns[links[1]])
    found[rows] = _find(*followers, nodes[rows], numbers)
    return found


@njit(cache=True)
def _find(offsets: Ints, followers: Ints, nodes: Ints, numbers: Ints) -> NDArray[np.bool_]:
    """The same. Listings come by parts of ``_AT_ONCE`` places, and by node. Followers are greater."""
    found = np.zeros(nodes.size, dtype=np.bool_)
    # The places that nodes before each node list, and whether there are any.
    masks = np.zeros((offsets.size - 1, _WORDS), dtype=np.uint64)
    is_reached = np.zeros(offsets.size - 1, dtype=np.bool_)
    end = 0
    while end < nodes.size:
        at, part = end, numbers[end] // _AT_ONCE
        while end < nodes.size and numbers[end] // _AT_ONCE == part:
            end += 1
        last = nodes[end - 1]
        for node in range(nodes[at], last + 1):
            while at < end and nodes[at] == node:
                word, bit = divmod(numbers[at] % _AT_ONCE, 64)
                own = np.uint64(1) << np.uint64(bit)
                found[at] = masks[node, word] & own != 0
                masks[node, word] |= own
                is_reached[node] = True
                at += 1
            if not is_reached[node]:
                continue
            for follower in followers[offsets[node] : offsets[node + 1]]:
                if follower <= last:
                    is_reached[follower] = True
                    for word in range(_WORDS):
                        masks[follower, word] |= masks[node, word]
            masks[node] = 0
            is_reached[node] = False
    return found
