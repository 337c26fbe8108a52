"""Rows of a key stay together, where Spark drops a repartition."""

from __future__ import annotations

from collections import Counter

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from conftest import Warehouse
from scuttlehouse.spark.partitions import whole

SETTINGS = {
    # Spark plans the join with two shuffles, and finds at run time that it is small.
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.adaptive.autoBroadcastJoinThreshold": "10m",
    "spark.sql.shuffle.partitions": "8",
    "spark.sql.adaptive.coalescePartitions.enabled": "false",
}


def most_partitions_of_a_key(frame: DataFrame) -> int:
    mapped = frame.mapInArrow(lambda batches: batches, frame.schema)
    rows = mapped.select("key", F.spark_partition_id()).collect()
    return max(Counter(key for key, _ in set(rows)).values())


def test_rows_of_a_key_stay_together_after_a_join(warehouse: Warehouse) -> None:
    session = warehouse.session.newSession()
    for name, value in SETTINGS.items():
        session.conf.set(name, value)
    rows = session.range(0, 2_000, 1, 4).select(F.expr("string(id % 7)").alias("key"), "id")
    joined = rows.join(
        session.range(3).select(F.expr("string(id)").alias("key")), "key", "left_semi"
    )
    assert most_partitions_of_a_key(whole(joined, "key")) == 1
    if most_partitions_of_a_key(joined.repartition("key")) == 1:
        pytest.fail("Spark keeps a repartition behind a join now: `whole` is not needed any more.")
