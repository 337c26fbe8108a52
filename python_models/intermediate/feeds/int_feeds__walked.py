from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.spark.partitions import whole
from scuttlehouse.ssb.feeds import Link, Walker

COLUMNS = (
    "message_id string, feed_id string, sequence long, feed_fault string, feed_fault_sequence long"
)


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    links = dbt.ref("int_feeds__links")
    forked = links.where("claim_count > 1").select("feed_id").distinct()
    of_forked = links.join(forked, "feed_id", "left_semi").select(
        "feed_id", "sequence", "message_id", "previous_id", "link_fault"
    )
    in_order = whole(of_forked, "feed_id").sortWithinPartitions("feed_id", "sequence")
    return in_order.mapInArrow(walk, COLUMNS)


def walk(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    walker = Walker()
    for batch in batches:
        faults = [walker.fault(Link(**row)) for row in batch.to_pylist()]
        yield pa.record_batch(
            {
                "message_id": batch["message_id"],
                "feed_id": batch["feed_id"],
                "sequence": batch["sequence"],
                "feed_fault": pa.array([fault for fault, _ in faults], pa.string()),
                "feed_fault_sequence": pa.array([place for _, place in faults], pa.int64()),
            }
        )
