from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from scuttlehouse.groups.forks import forks
from scuttlehouse.groups.tables import read_epochs
from scuttlehouse.landing.spark import row_batches

SCHEMA = pa.schema(
    [
        ("group_id", pa.string()),
        ("left_epoch_id", pa.string()),
        ("right_epoch_id", pa.string()),
        ("nearest_epoch_id", pa.string()),
        ("rule", pa.string()),
        ("winner_epoch_id", pa.string()),
        ("loser_epoch_id", pa.string()),
        ("witness_ids", pa.list_(pa.string())),
        ("is_criss_cross", pa.bool_()),
        ("is_current", pa.bool_()),
        ("healed_by_epoch_id", pa.string()),
        ("began_ms", pa.int64()),
        ("needs_repair", pa.bool_()),
    ]
)


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    epochs = dbt.ref("int_groups__judged_epochs")
    return epochs.groupBy("group_id").applyInArrow(fork, from_arrow_schema(SCHEMA))


# A table of all rows could have more witnesses than an array can hold.
def fork(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    epochs = pa.Table.from_batches(batches)
    group_id, previous, members, _, key_ranks, _ = read_epochs(epochs)
    names, positions, times = (
        epochs[name].to_pylist() for name in ("epoch_id", "position", "time_ms")
    )
    beginnings = dict(zip(names, zip(positions, times, strict=True), strict=True))
    found = forks(previous, members, key_ranks, beginnings)
    yield from row_batches(((group_id, *one) for one in found), SCHEMA)
