from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.landing import list_splits
from scuttlehouse.pzp import LandedPzpLine, land_pzp_line
from scuttlehouse.spark_landing import (
    arrow_schema,
    lines_of,
    row_batches,
    spark_schema,
    splits_frame,
)


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    frame = splits_frame(session, list_splits(Path(dbt.config.get("landing"))))
    return frame.mapInArrow(land, spark_schema(LandedPzpLine))


def land(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    rows = (land_pzp_line(file, line) for file, line in lines_of(batches))
    return row_batches(rows, arrow_schema(LandedPzpLine))
