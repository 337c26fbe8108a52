from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.epochs import precedence
from scuttlehouse.memberships import Change, stretches

SCHEMA = pa.schema(
    [
        ("group_id", pa.string()),
        ("person_id", pa.string()),
        ("epoch_id", pa.string()),
        ("is_excluded", pa.bool_()),
        ("from_position", pa.int64()),
        ("from_ms", pa.int64()),
        ("to_position", pa.int64()),
        ("to_ms", pa.int64()),
    ]
)
COLUMNS = (
    "group_id string, person_id string, epoch_id string, is_excluded boolean, from_position bigint,"
    " from_ms bigint, to_position bigint, to_ms bigint"
)


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    changes = dbt.ref("int_groups__member_changes").select("group_id", *Change._fields)
    epochs = dbt.ref("int_groups__epoch_members")
    return (
        epochs.groupBy("group_id")
        .cogroup(changes.groupBy("group_id"))
        .applyInArrow(follow, COLUMNS)
    )


def follow(epochs: pa.Table, changes: pa.Table) -> pa.Table:
    rows = epochs.to_pylist()
    found = stretches(
        [Change(**change) for change in changes.drop_columns("group_id").to_pylist()],
        precedence({row["epoch_id"]: row["previous_epoch_ids"] for row in rows}),
        {row["epoch_id"]: row["key_rank"] for row in rows},
    )
    group_id = rows[0]["group_id"]
    return pa.Table.from_pylist([{"group_id": group_id, **one._asdict()} for one in found], SCHEMA)
