from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from scuttlehouse.pzp import LandedPzpLine, land_pzp_line
from scuttlehouse.spark_landing import (
    arrow_schema,
    lines_of,
    new_batch,
    row_batches,
    spark_schema,
    splits_frame,
)


def model(dbt: Any, session: SparkSession) -> DataFrame:
    batch_id, splits = new_batch(dbt.ref("stg_landing__logs"))
    lines = splits_frame(session, splits).mapInArrow(land, spark_schema(LandedPzpLine))
    return lines.withColumn("batch_id", F.lit(batch_id))


def land(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    rows = (land_pzp_line(file, line) for file, line in lines_of(batches))
    return row_batches(rows, arrow_schema(LandedPzpLine))
