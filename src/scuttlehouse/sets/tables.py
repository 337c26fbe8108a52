"""Read the Arrow tables of one set that the dbt models pass."""

from __future__ import annotations

import pyarrow as pa

from scuttlehouse.pzp.kept_content import UNKNOWN_LISTS
from scuttlehouse.sets.items import SetMessage

# The columns of a set's messages: those of SetMessage in its order, with a fault in place of the last one.
SET_MESSAGE_COLUMNS = [
    "message_id",
    "depth",
    "previous_ids",
    "added_items",
    "deleted_items",
    "superseded_ids",
    "set_fault",
]


def read_set_messages(table: pa.Table) -> list[SetMessage]:
    """Read a table with a row per message of one set, as ``int_sets__candidates`` has them.

    ``previous_ids`` is a list of texts without nulls. ``added_items``, ``deleted_items`` and
    ``superseded_ids`` are all such lists, or all null. ``set_fault`` is null or one of ``SET_FAULTS``.

    Complexity: O(n) in rows and their lists.

    >>> columns = {"message_id": ["m"], "depth": [1], "previous_ids": [["moot"]], "set_fault": [None]}
    >>> lists = {"added_items": [["a"]], "deleted_items": [[]], "superseded_ids": [[]]}
    >>> read_set_messages(pa.table(columns | lists))[0][1:]
    (1, ['moot'], ['a'], [], [], False)
    """
    rows = table.select(SET_MESSAGE_COLUMNS).to_pylist()
    return [
        SetMessage._make([*values, fault in UNKNOWN_LISTS])
        for *values, fault in (row.values() for row in rows)
    ]
