from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from scuttlehouse.builds.rules import lines_hash
from scuttlehouse.catalog.home import home_folder, temporary_folder
from scuttlehouse.files.parts import Line
from scuttlehouse.landing.glued_lines import epoch_keys, land_lines
from scuttlehouse.landing.read_so_far import begin_reading, counted
from scuttlehouse.landing.rejects import fold_rejects
from scuttlehouse.landing.spark import (
    arrow_schema,
    lines_of,
    new_splits,
    row_batches,
    splits_frame,
)
from scuttlehouse.ssb.epoch_keys import KeyRing, keep_sealed, seal_key
from scuttlehouse.ssb.lines import KEY_WORDS, LandedLine
from scuttlehouse.ssb.network_key import read_network_key
from scuttlehouse.warehouse_key import warehouse_pepper

Batches = Iterator[pa.RecordBatch]


def model(dbt: Any, session: SparkSession) -> DataFrame:
    home, key_file = home_folder(), dbt.config.get("network_key_file")
    ring = KeyRing.of_home(home)
    rules = lines_hash(home, key_file)
    splits = new_splits(dbt.ref("stg_landing__logs"), dbt.ref("stg_landing__new_logs"), ring, rules)
    frame = splits_frame(session, splits)
    read = begin_reading(temporary_folder(home), dbt.this.identifier, splits, passes=2)
    keys = frame.mapInArrow(key_finder(home, read), "sealed_key binary").collect()
    keep_sealed(home, (bytes(row.sealed_key) for row in keys))
    return frame.mapInArrow(
        line_lander(home, key_file, read), from_arrow_schema(arrow_schema(LandedLine))
    )


# Spark writes functions and rows to files and sockets. They hold sealed keys and file names, no plain key.
def key_finder(home: Path, read: Path) -> Callable[[Batches], Batches]:
    def find(batches: Batches) -> Batches:
        pepper = warehouse_pepper(home)
        for _, line in lines_of(counted(batches, read), KEY_WORDS):
            for key in epoch_keys(line) if isinstance(line, Line) else ():
                sealed = pa.array([seal_key(pepper, key)], pa.binary())
                yield pa.record_batch({"sealed_key": sealed})

    return find


def line_lander(home: Path, key_file: str, read: Path) -> Callable[[Batches], Batches]:
    def land(batches: Batches) -> Batches:
        ring = KeyRing.of_home(home)
        network_key = read_network_key(Path(key_file)) if key_file else None
        land_all = partial(land_lines, ring=ring, network_key=network_key)
        rows = fold_rejects(lines_of(counted(batches, read)), land_all, ring, LandedLine)
        return row_batches(rows, arrow_schema(LandedLine))

    return land
