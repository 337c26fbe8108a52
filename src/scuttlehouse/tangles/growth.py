"""Which candidates are in a tangle: the recipe of the tangle specification, in linear time.

The recipe (tangle specification, 'Members tangle'; group exclusion specification, 4.10; ruling R7)
starts with the root, adds a candidate once the graph contains *every* message of its ``previous``,
and repeats until the tangle cannot grow further. This module takes the messages one by one, each after
the last of its previous. That adds the same messages: a message that is in stays in, so the order in
which messages are added does not matter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scuttlehouse.tangles.graphs import Ints, followers_of, walk


def grow(
    node_count: int, is_root: NDArray[np.bool_], link_message: Ints, link_previous: Ints
) -> NDArray[np.bool_]:
    """Whether each candidate is in the graph of its tangle. Works on any number of tangles at once.

    A root is in. Another candidate is in if it lists at least one previous, and all that it lists are in.
    So a candidate is not in if it lists nothing, an unknown message or itself, or if it is in a loop or
    behind one.

    Args:
        node_count: the candidates are the nodes 0 to ``node_count - 1`` (``graphs.number_nodes``).
        is_root: per node. On a refresh, messages that were in before may be given as roots.
        link_message, link_previous: a row per message and previous that it lists. Repeats are allowed. A
            previous that is not a candidate of the tangle is -1 (``tables.read_graph``).

    Raises:
        ValueError: the columns do not match (``graphs.followers_of``).

    Complexity: O(n + k) for k links, plus the sorting of the links by previous.

    >>> is_root = np.array([True, False, False, False])
    >>> grow(4, is_root, np.array([1, 2, 2]), np.array([0, 1, -1])).tolist()
    [True, True, False, False]
    """
    if is_root.shape != (node_count,):
        raise ValueError(
            f"There are {node_count} nodes and {is_root.size} root flags; give one each."
        )
    offsets, followers = followers_of(node_count, link_message, link_previous)
    unmet = np.bincount(link_message, minlength=node_count).astype(np.int64)
    unmet[unmet == 0] = 1  # a node that lists nothing waits forever
    unmet[is_root] = 0
    return walk(offsets, followers, unmet) >= 0
