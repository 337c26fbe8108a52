"""Read the Arrow tables of one group that the dbt models pass."""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.epochs import KeyRanks, Members
from scuttlehouse.groups.messages import GroupMessage


class EpochTable(NamedTuple):
    """The epochs of one group that count (:mod:`scuttlehouse.groups.epochs`). No epoch succeeds ``tips``."""

    group_id: str
    previous: dict[str, list[str]]
    members: Members
    ancestry: Ancestry
    key_ranks: KeyRanks
    tips: list[str]


def read_epochs(table: pa.Table) -> EpochTable:
    """Read a table with a row per epoch of one group, as ``int_groups__judged_epochs`` has them.

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


class MessageTable(NamedTuple):
    """The messages of one group, by id, and the ranks of its epochs' keys."""

    group_id: str
    messages: list[GroupMessage]
    key_ranks: KeyRanks


def read_messages(table: pa.Table) -> MessageTable:
    """Read a table with a row per message of one group, as ``int_groups__messages`` has them.

    ``key_rank`` is null in a message that makes no epoch, and if it is unknown. ``person_ids`` is null or a
    list of texts. The table has at least one row.

    Complexity: O(n log n) in rows.

    >>> row = dict.fromkeys(GroupMessage._fields) | {"message_id": "x", "kind": "init"}
    >>> table = read_messages(pa.Table.from_pylist([row | {"group_id": "g", "key_rank": 1}]))
    >>> table.group_id, table.messages[0].person_ids, table.key_ranks
    ('g', (), {'x': 1})
    """
    columns = (table[name].to_pylist() for name in GroupMessage._fields)
    messages = [
        one._replace(person_ids=one.person_ids or ())
        for one in sorted(map(GroupMessage, *columns), key=lambda one: one.message_id)
    ]
    names, ranks = (table[name].to_pylist() for name in ("message_id", "key_rank"))
    return MessageTable(
        table["group_id"][0].as_py(), messages, dict(zip(names, ranks, strict=True))
    )
