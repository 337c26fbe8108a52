from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.pzp import LandedPzpLine, land_pzp_line
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
    rows = (land_pzp_line(file, line) for file, line in lines_of(batches))
    return row_batches(rows, arrow_schema(LandedPzpLine))
