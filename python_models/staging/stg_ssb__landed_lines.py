from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from scuttlehouse.epoch_keys import KeyRing, seal_keys, warehouse_pepper
from scuttlehouse.lines import LandedLine, epoch_key, land_line
from scuttlehouse.spark_landing import (
    arrow_schema,
    lines_of,
    new_batch,
    row_batches,
    spark_schema,
    splits_frame,
)
from scuttlehouse.validation import read_network_key


def model(dbt: Any, session: SparkSession) -> DataFrame:
    home, key_file = Path(dbt.config.get("home")), dbt.config.get("network_key_file")
    network_key = read_network_key(Path(key_file)) if key_file else None
    batch_id, splits = new_batch(dbt.ref("stg_landing__logs"))
    frame = splits_frame(session, splits)
    keys = frame.mapInArrow(find_epoch_keys, "epoch_key binary").collect()
    seal_keys(home, (bytes(row.epoch_key) for row in keys))
    ring = KeyRing(warehouse_pepper(home))
    lines = frame.mapInArrow(line_lander(ring, network_key), spark_schema(LandedLine))
    return lines.withColumn("batch_id", F.lit(batch_id))


def find_epoch_keys(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for _, line in lines_of(batches):
        if key := epoch_key(line):
            yield pa.record_batch({"epoch_key": pa.array([key], pa.binary())})


def line_lander(
    ring: KeyRing, network_key: bytes | None
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def land(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = (land_line(file, line, ring, network_key) for file, line in lines_of(batches))
        return row_batches(rows, arrow_schema(LandedLine))

    return land
