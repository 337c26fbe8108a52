from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.catalog import home_folder
from scuttlehouse.landing.glued_lines import land_pzp_lines
from scuttlehouse.landing.rejects import fold_rejects
from scuttlehouse.landing.spark import (
    arrow_schema,
    lines_of,
    new_splits,
    row_batches,
    spark_schema,
    splits_frame,
)
from scuttlehouse.pzp.lines import LandedPzpLine
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.warehouse_key import warehouse_pepper

Batches = Iterator[pa.RecordBatch]


def model(dbt: Any, session: SparkSession) -> DataFrame:
    home = str(home_folder())
    ring = KeyRing(warehouse_pepper(home_folder()))
    splits = new_splits(dbt.ref("stg_landing__logs"), dbt.ref("stg_landing__new_logs"), ring)
    frame = splits_frame(session, splits)
    return frame.mapInArrow(line_lander(home), spark_schema(LandedPzpLine))


# Spark writes functions to files and sockets: the key of the warehouse is read where it is needed.
def line_lander(home: str) -> Callable[[Batches], Batches]:
    def land(batches: Batches) -> Batches:
        ring = KeyRing(warehouse_pepper(Path(home)))
        rows = fold_rejects(lines_of(batches), partial(land_pzp_lines, ring=ring), ring)
        return row_batches(rows, arrow_schema(LandedPzpLine))

    return land
