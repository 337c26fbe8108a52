from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from scuttlehouse.groups.ancestry import nearest_predecessors
from scuttlehouse.landing.spark import row_batches

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
    # An epoch whose signed bytes are not in the log has no rows, but precedence goes on through it.
    epochs = dbt.ref("int_groups__messages").where("kind = 'init' or size(previous_epoch_ids) > 0")
    columns = epochs.select("group_id", "message_id", "kind", "previous_epoch_ids")
    return columns.groupBy("group_id").applyInArrow(precede, from_arrow_schema(SCHEMA))


def precede(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    epochs = pa.Table.from_batches(batches)
    group_id = epochs["group_id"][0].as_py()
    names, kinds, previous = (
        epochs[name].to_pylist() for name in ("message_id", "kind", "previous_epoch_ids")
    )
    shown = {name for name, kind in zip(names, kinds, strict=True) if kind == "init"}
    rows = (
        (group_id, epoch, predecessor, distance)
        for epoch, distances in nearest_predecessors(
            dict(zip(names, previous, strict=True))
        ).items()
        for predecessor, distance in distances.items()
        if epoch in shown and predecessor in shown
    )
    yield from row_batches(rows, SCHEMA)
