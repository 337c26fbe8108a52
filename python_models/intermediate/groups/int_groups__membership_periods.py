from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from scuttlehouse.groups.memberships import Change, periods
from scuttlehouse.groups.tables import read_epochs
from scuttlehouse.landing.spark import row_batches

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


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    changes = dbt.ref("int_groups__member_changes").where("counts")
    changes = changes.select("group_id", *Change._fields)
    epochs = dbt.ref("int_groups__judged_epochs")
    return (
        epochs.groupBy("group_id")
        .cogroup(changes.groupBy("group_id"))
        .applyInArrow(follow, from_arrow_schema(SCHEMA))
    )


def follow(epochs: pa.Table, changes: pa.Table) -> pa.Table:
    if not epochs.num_rows:  # A part of the project may leave the changes of an earlier refresh.
        return SCHEMA.empty_table()
    group_id, _, _, ancestry, key_ranks, _ = read_epochs(epochs)
    own = [Change(**change) for change in changes.drop_columns("group_id").to_pylist()]
    found = periods(own, ancestry, key_ranks)
    return pa.Table.from_batches(row_batches(((group_id, *one) for one in found), SCHEMA), SCHEMA)
