"""Read the Arrow tables that the dbt models pass, as graphs of integers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from scuttlehouse.tangles.graphs import Ints, Nodes, number_nodes


class TangleGraph(NamedTuple):
    """The rows of a table as nodes, and a row per link. See :mod:`scuttlehouse.tangles.graphs`."""

    nodes: Nodes
    link_message: Ints
    link_previous: Ints


def read_graph(table: pa.Table) -> TangleGraph:
    """Read a table with a row per message of a tangle: tangle_id, message_id and previous_ids.

    The first two together are unique. ``previous_ids`` is a list of texts without nulls; null is an
    empty list. A previous that is not a row of the same tangle becomes ``UNKNOWN``.

    Complexity: O(n log n) in rows and links.

    >>> table = pa.table(
    ...     {"tangle_id": ["t", "t"], "message_id": ["b", "a"], "previous_ids": [None, ["b", "lost"]]}
    ... )
    >>> graph = read_graph(table)
    >>> graph.link_message.tolist(), graph.link_previous.tolist()
    ([1, 1], [0, -1])
    """
    nodes = number_nodes(table["tangle_id"], table["message_id"])
    rows, previous_ids = explode(table["previous_ids"])
    return TangleGraph(nodes, rows, nodes.find_beside(rows, previous_ids))


def explode(lists: pa.ChunkedArray) -> tuple[Ints, pa.Array]:
    """The items of a column of lists, each with its row number.

    Complexity: O(n) in rows and items.

    >>> rows, items = explode(pa.chunked_array([[["a", "b"], None, ["c"]]]))
    >>> rows.tolist(), items.to_pylist()
    ([0, 0, 2], ['a', 'b', 'c'])
    """
    flat = lists.combine_chunks()
    rows = np.asarray(pc.list_parent_indices(flat), dtype=np.int64)
    return rows, pc.list_flatten(flat)
