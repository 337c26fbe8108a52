from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from scuttlehouse.builds.rules import lines_hash
from scuttlehouse.catalog.home import home_folder, temporary_folder
from scuttlehouse.landing.glued_lines import land_pzp_lines
from scuttlehouse.landing.read_so_far import begin_reading, counted
from scuttlehouse.landing.rejects import fold_rejects
from scuttlehouse.landing.spark import (
    arrow_schema,
    lines_of,
    new_splits,
    row_batches,
    splits_frame,
)
from scuttlehouse.pzp.lines import PZP_WORDS, LandedPzpLine
from scuttlehouse.ssb.epoch_keys import KeyRing

Batches = Iterator[pa.RecordBatch]


def model(dbt: Any, session: SparkSession) -> DataFrame:
    home = home_folder()
    ring = KeyRing.of_home(home)
    rules = lines_hash(home, dbt.config.get("network_key_file"))
    splits = new_splits(dbt.ref("stg_landing__logs"), dbt.ref("stg_landing__new_logs"), ring, rules)
    frame = splits_frame(session, splits)
    read = begin_reading(temporary_folder(home), dbt.this.identifier, splits)
    return frame.mapInArrow(line_lander(home, read), from_arrow_schema(arrow_schema(LandedPzpLine)))


# Spark writes functions to files and sockets. So the key of the warehouse is read where it is used.
def line_lander(home: Path, read: Path) -> Callable[[Batches], Batches]:
    def land(batches: Batches) -> Batches:
        ring = KeyRing.of_home(home)
        lines = lines_of(counted(batches, read), PZP_WORDS)
        rows = fold_rejects(lines, partial(land_pzp_lines, ring=ring), ring, LandedPzpLine)
        return row_batches(rows, arrow_schema(LandedPzpLine))

    return land
