"""Read the Arrow tables that the dbt models pass, as graphs of integers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.epochs import KeyRanks, Members
from scuttlehouse.sets.items import SetMessage
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


class EpochTable(NamedTuple):
    """The epochs of one group that count (:mod:`scuttlehouse.groups.epochs`). No epoch succeeds ``tips``."""

    group_id: str
    previous: dict[str, list[str]]
    members: Members
    ancestry: Ancestry
    key_ranks: KeyRanks
    tips: list[str]


def read_epochs(table: pa.Table) -> EpochTable:
    """Read a table with a row per epoch of one group, as ``int_groups__epoch_members`` has them.

    ``member_ids`` and ``previous_epoch_ids`` are lists of texts. ``key_rank`` is null if unknown. Epochs that
    do not count (R30, R32) are left out. The table has at least one row.

    Complexity: O(n log n) in epochs and links, on integers with a bit for each epoch.

    >>> columns = {"group_id": ["g"], "epoch_id": ["x"], "key_rank": [None], "counts": [True]}
    >>> table = pa.table(columns | {"previous_epoch_ids": [[]], "member_ids": [["a"]]})
    >>> epochs = read_epochs(table)
    >>> epochs.members, epochs.key_ranks, epochs.tips
    ({'x': frozenset({'a'})}, {'x': None}, ['x'])
    """
    names = ["epoch_id", "previous_epoch_ids", "member_ids", "key_rank", "counts"]
    rows = [row for row in table.select(names).sort_by("epoch_id").to_pylist() if row["counts"]]
    previous = {row["epoch_id"]: row["previous_epoch_ids"] for row in rows}
    ancestry = Ancestry(previous)
    return EpochTable(
        table["group_id"][0].as_py(),
        previous,
        {row["epoch_id"]: frozenset(row["member_ids"]) for row in rows},
        ancestry,
        {row["epoch_id"]: row["key_rank"] for row in rows},
        ancestry.unsucceeded(previous),
    )


# The columns of a set's messages, in the order of SetMessage.
SET_MESSAGE_COLUMNS = [
    "message_id",
    "depth",
    "previous_ids",
    "added_items",
    "deleted_items",
    "superseded_ids",
]


def read_set_messages(table: pa.Table) -> list[SetMessage]:
    """Read a table with a row per message of one set, as ``int_sets__candidates`` has them.

    ``previous_ids`` is a list of texts without nulls. ``added_items``, ``deleted_items`` and
    ``superseded_ids`` are all such lists, or all null.

    Complexity: O(n) in rows and their lists.

    >>> columns = {"message_id": ["m"], "depth": [1], "previous_ids": [["moot"]]}
    >>> lists = {"added_items": [["a"]], "deleted_items": [[]], "superseded_ids": [[]]}
    >>> read_set_messages(pa.table(columns | lists))[0][1:]
    (1, ['moot'], ['a'], [], [])
    """
    rows = table.select(SET_MESSAGE_COLUMNS).to_pylist()
    return [SetMessage(*row.values()) for row in rows]
