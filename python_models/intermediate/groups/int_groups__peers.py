from collections import defaultdict
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from scuttlehouse.groups.messages import GroupMessage
from scuttlehouse.groups.peers import Listed, PeerEpoch, peer_epochs, seen
from scuttlehouse.groups.tables import read_messages

REPAIR = pa.struct([("action", pa.string()), ("person_id", pa.string()), ("because", pa.string())])
SCHEMA = pa.schema(
    [
        ("group_id", pa.string()),
        ("source_file", pa.string()),
        ("owner_id", pa.string()),
        ("epoch_id", pa.string()),
        ("counts", pa.bool_()),
        ("is_tip", pa.bool_()),
        ("is_member", pa.bool_()),
        ("member_count", pa.int32()),
        ("rule", pa.string()),
        ("fork_count", pa.int32()),
        ("repairs", pa.list_(REPAIR)),
    ]
)


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    messages = dbt.ref("int_groups__messages")
    sightings = dbt.ref("int_groups__sightings")
    return (
        messages.select("group_id", "key_rank", *GroupMessage._fields, *Listed._fields)
        .groupBy("group_id")
        .cogroup(sightings.groupBy("group_id"))
        .applyInArrow(judge_views, from_arrow_schema(SCHEMA))
    )


def judge_views(table: pa.Table, sightings: pa.Table) -> pa.Table:
    """The epochs of a group, as the owner of each log with messages of the group should judge them."""
    if not table.num_rows:  # A part of the project may leave the sightings of an earlier refresh.
        return SCHEMA.empty_table()
    group_id, messages, key_ranks = read_messages(table)
    by_id = {one.message_id: one for one in messages}
    lists = map(Listed, *(table[name].to_pylist() for name in Listed._fields))
    listed = dict(zip(table["message_id"].to_pylist(), lists, strict=True))
    logs: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in sightings.to_pylist():
        logs[row["source_file"], row["owner_id"]].add(row["message_id"])
    return pa.Table.from_pylist(
        [
            {"group_id": group_id, "source_file": source_file, "owner_id": owner} | as_row(epoch)
            for (source_file, owner), log in sorted(logs.items())
            for epoch in peer_epochs(seen(by_id, listed, log), key_ranks, owner)
        ],
        SCHEMA,
    )


def as_row(epoch: PeerEpoch) -> dict[str, object]:
    return epoch._asdict() | {"repairs": [repair._asdict() for repair in epoch.repairs]}
