from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from scuttlehouse.epochs import precedence
from scuttlehouse.repairs import repairs

SCHEMA = pa.schema(
    [
        ("group_id", pa.string()),
        ("epoch_id", pa.string()),
        ("person_id", pa.string()),
        ("action", pa.string()),
        ("because", pa.string()),
    ]
)


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    correct = (
        dbt.ref("int_groups__correct_members")
        .groupBy("epoch_id")
        .agg(F.collect_list("person_id").alias("correct_ids"))
    )
    return (
        dbt.ref("int_groups__epoch_members")
        .join(correct, "epoch_id", "left")
        .groupBy("group_id")
        .applyInArrow(
            mend,
            "group_id string, epoch_id string, person_id string, action string, because string",
        )
    )


def mend(epochs: pa.Table) -> pa.Table:
    rows = epochs.to_pylist()
    found = repairs(
        [row["epoch_id"] for row in rows if row["is_tip"]],
        {row["epoch_id"]: frozenset(row["member_ids"]) for row in rows},
        {row["epoch_id"]: frozenset(row["correct_ids"] or ()) for row in rows},
        precedence({row["epoch_id"]: row["previous_epoch_ids"] for row in rows}),
        {row["epoch_id"]: row["key_rank"] for row in rows},
    )
    group_id = rows[0]["group_id"]
    return pa.Table.from_pylist([{"group_id": group_id, **one._asdict()} for one in found], SCHEMA)
