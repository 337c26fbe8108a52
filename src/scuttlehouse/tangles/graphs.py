"""Arrow columns of tangles as graphs of integers. All tangles of a partition are one graph.

A node is a (tangle, message) pair. A message may be in many tangles, and links never cross from one tangle
to another, so one walk over a graph of many parts handles thousands of tangles. Ids are only compared:
``__proto__`` is an id like any other. No Python loop runs over rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numba import njit
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Column: TypeAlias = "pa.Array | pa.ChunkedArray"

UNKNOWN = -1


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes of a partition. Node ``i`` is row ``i`` of the numbered columns.

    ``tangle_codes`` holds the number of each node's tangle, from 0 in order of first appearance.
    """

    tangle_codes: Ints
    _message_ids: pa.Array
    # Nodes sorted by message and tangle, and the place where each message begins.
    _sorted_nodes: Ints
    _offsets: Ints

    def __len__(self) -> int:
        return len(self.tangle_codes)

    def find_beside(self, nodes: Ints, message_ids: Column) -> Ints:
        """The node of each message in the tangle of another node.

        ``UNKNOWN`` (-1) if there is no such node or the id is null.

        Complexity: O(n + k log n) for k messages among n nodes.

        >>> nodes = number_nodes(pa.array(["t", "t", "u"]), pa.array(["a", "b", "a"]))
        >>> nodes.find_beside(np.array([1, 2]), pa.array(["a", "b"])).tolist()
        [0, -1]
        """
        messages = _codes_in(self._message_ids, message_ids)
        tangles = self.tangle_codes[nodes]
        return _search(self._offsets, self._sorted_nodes, self.tangle_codes, tangles, messages)


def number_nodes(tangle_ids: Column, message_ids: Column) -> Nodes:
    """Number the (tangle, message) pairs of two text columns: row ``i`` becomes node ``i``.

    Args:
        tangle_ids, message_ids: columns of the same length, of any Arrow text type, without nulls.

    Raises:
        ValueError: an id is null, or a pair occurs twice.

    Complexity: O(n log n).

    >>> nodes = number_nodes(pa.array(["t", "t", "u"]), pa.array(["a", "b", "a"]))
    >>> len(nodes), nodes.tangle_codes.tolist()
    (3, [0, 0, 1])
    """
    for name, column in (("tangle", tangle_ids), ("message", message_ids)):
        if column.null_count:
            raise ValueError(f"A {name} id is null; leave out rows that have none.")
    tangles, messages = (_text(column).dictionary_encode() for column in (tangle_ids, message_ids))
    tangle_codes = _integers(tangles.indices)
    message_codes = _integers(messages.indices)
    pairs = message_codes * len(tangles.dictionary) + tangle_codes
    order = np.argsort(pairs, kind="stable")
    sorted_pairs = pairs[order]
    repeated = np.flatnonzero(sorted_pairs[1:] == sorted_pairs[:-1])
    if len(repeated):
        row = int(order[repeated[0] + 1])
        raise ValueError(
            f"Message {message_ids[row]} occurs twice in tangle {tangle_ids[row]}; "
            "give one row per tangle and message."
        )
    offsets = np.zeros(len(messages.dictionary) + 1, dtype=np.int64)
    np.cumsum(np.bincount(message_codes, minlength=len(offsets) - 1), out=offsets[1:])
    return Nodes(tangle_codes, messages.dictionary, order, offsets)


def followers_of(node_count: int, link_message: Ints, link_previous: Ints) -> tuple[Ints, Ints]:
    """The nodes that list each node, as compressed rows.

    Args:
        node_count: nodes are the integers from 0 to ``node_count - 1``.
        link_message, link_previous: a link per row. The first lists the second. Links with an unknown
            previous (-1) are left out.

    Returns:
        ``offsets`` (of length ``node_count + 1``) and ``followers``. The followers of node ``i`` are
        ``followers[offsets[i]:offsets[i + 1]]``, in the order of the links, including repeats.

    Raises:
        ValueError: the columns have different lengths, or a node is out of range.

    Complexity: O(n + k log k) for k links.

    >>> links = np.array([1, 2, 2]), np.array([0, 0, -1])
    >>> [column.tolist() for column in followers_of(3, *links)]
    [[0, 2, 2, 2], [1, 2]]
    """
    if link_message.shape != link_previous.shape:
        raise ValueError(
            f"There are {link_message.size} messages and {link_previous.size} previous; "
            "a link has one of each."
        )
    for column, least in ((link_message, 0), (link_previous, UNKNOWN)):
        if column.size and not least <= column.min() <= column.max() < node_count:
            raise ValueError(
                f"A link names a node outside {least} to {node_count - 1}; number links and nodes together, "
                "as tables.read_graph does."
            )
    is_known = link_previous >= 0
    previous = link_previous[is_known]
    offsets = np.zeros(node_count + 1, dtype=np.int64)
    np.cumsum(np.bincount(previous, minlength=node_count), out=offsets[1:])
    return offsets, link_message[is_known][np.argsort(previous, kind="stable")]


@njit(cache=True)
def walk(offsets: Ints, followers: Ints, unmet: Ints) -> Ints:
    """Take nodes that wait for no link, one by one, until none is left (Kahn's algorithm).

    Args:
        offsets, followers: the result of ``followers_of``.
        unmet: how many links each node waits for. It is changed in place.

    Returns:
        The level of each node that was taken: 0 if it waited for nothing, otherwise one more than the
        highest level of the nodes that it follows. -1 if the node was never taken.

    Complexity: O(n + k).

    >>> offsets, followers = followers_of(4, np.array([1, 2, 2, 3]), np.array([0, 0, 1, 3]))
    >>> walk(offsets, followers, np.array([0, 1, 2, 1])).tolist()
    [0, 1, 2, -1]
    """
    levels = np.full(unmet.size, -1, dtype=np.int64)
    queue = np.empty(unmet.size, dtype=np.int64)
    end = 0
    for node in range(unmet.size):
        if unmet[node] == 0:
            levels[node] = 0
            queue[end] = node
            end += 1
    start = 0
    while start < end:
        node = queue[start]
        start += 1
        for place in range(offsets[node], offsets[node + 1]):
            follower = followers[place]
            unmet[follower] -= 1
            if unmet[follower] == 0:
                # Nodes are taken level by level, so the last node that it waited for has the highest level.
                levels[follower] = levels[node] + 1
                queue[end] = follower
                end += 1
    return levels


@njit(cache=True)
def _search(
    offsets: Ints, sorted_nodes: Ints, tangle_codes: Ints, tangles: Ints, messages: Ints
) -> Ints:
    """The node of each pair of codes. Few messages are in more than one tangle."""
    nodes = np.full(messages.size, UNKNOWN, dtype=np.int64)
    for row in range(messages.size):
        if messages[row] == UNKNOWN:
            continue
        start, end = offsets[messages[row]], offsets[messages[row] + 1]
        while end - start > 1:
            middle = (start + end) // 2
            if tangle_codes[sorted_nodes[middle]] <= tangles[row]:
                start = middle
            else:
                end = middle
        if tangle_codes[sorted_nodes[start]] == tangles[row]:
            nodes[row] = sorted_nodes[start]
    return nodes


def _text(column: Column) -> pa.Array:
    """One array of large text. Spark, pandas and pyarrow each send another type."""
    flat = column.cast(pa.large_string())
    return flat.combine_chunks() if isinstance(flat, pa.ChunkedArray) else flat


def _codes_in(distinct_ids: pa.Array, column: Column) -> Ints:
    return _integers(pc.fill_null(pc.index_in(_text(column), value_set=distinct_ids), UNKNOWN))


def _integers(column: pa.Array) -> Ints:
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.int64)
