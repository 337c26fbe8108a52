from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from scuttlehouse.epochs import precedence

SCHEMA = pa.schema(
    [
        ("group_id", pa.string()),
        ("epoch_id", pa.string()),
        ("predecessor_id", pa.string()),
        ("distance", pa.int64()),
    ]
)


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    epochs = dbt.ref("int_groups__epoch_members")
    return epochs.groupBy("group_id").applyInArrow(precede, from_arrow_schema(SCHEMA))


def precede(epochs: pa.Table) -> pa.Table:
    rows = epochs.to_pylist()
    ancestors = precedence({row["epoch_id"]: row["previous_epoch_ids"] for row in rows})
    return pa.Table.from_pylist(
        [
            {
                "group_id": rows[0]["group_id"],
                "epoch_id": epoch,
                "predecessor_id": predecessor,
                "distance": distance,
            }
            for epoch, distances in ancestors.items()
            for predecessor, distance in distances.items()
        ],
        SCHEMA,
    )
