from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.epoch_keys import KeyRing, warehouse_pepper
from scuttlehouse.landing import list_splits
from scuttlehouse.lines import LandedLine, epoch_key, land_line
from scuttlehouse.spark_landing import (
    arrow_schema,
    lines_of,
    row_batches,
    spark_schema,
    splits_frame,
)
from scuttlehouse.validation import read_network_key


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    splits = list_splits(Path(dbt.config.get("landing")))
    key_file = dbt.config.get("network_key_file")
    network_key = read_network_key(Path(key_file)) if key_file else None
    frame = splits_frame(session, splits)
    ring = KeyRing(warehouse_pepper(Path(dbt.config.get("home"))))
    keys = frame.mapInArrow(find_epoch_keys, "epoch_key binary").collect()
    ring = ring.ranked(bytes(row.epoch_key) for row in keys)
    return frame.mapInArrow(line_lander(ring, network_key), spark_schema(LandedLine))


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
