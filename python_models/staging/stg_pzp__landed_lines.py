from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.glued_lines import land_pzp_lines
from scuttlehouse.pzp import LandedPzpLine
from scuttlehouse.spark_landing import (
    arrow_schema,
    lines_of,
    new_splits,
    row_batches,
    spark_schema,
    splits_frame,
)


def model(dbt: Any, session: SparkSession) -> DataFrame:
    splits = new_splits(dbt.ref("stg_landing__logs"), dbt.ref("stg_landing__new_logs"))
    return splits_frame(session, splits).mapInArrow(land, spark_schema(LandedPzpLine))


def land(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    rows = (row for file, line in lines_of(batches) for row in land_pzp_lines(file, line))
    return row_batches(rows, arrow_schema(LandedPzpLine))
