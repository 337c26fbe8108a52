from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.epoch_keys import KeyRing, warehouse_pepper
from scuttlehouse.landing import (
    Line,
    Split,
    count_line_ends,
    first_line_numbers,
    list_splits,
    read_lines,
)
from scuttlehouse.lines import LandedLine, epoch_key, land_line
from scuttlehouse.validation import read_network_key

# Small files share a task up to this size.
BIN_BYTES = 1 << 20

BATCH_LINES = 2_000

ARROW_TYPES = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
SPARK_TYPES = {str: "string", int: "bigint", float: "double", bool: "boolean"}
COLUMNS = {
    name: next(kind for kind in (bool, int, float, str) if kind in (hint, *get_args(hint)))
    for name, hint in get_type_hints(LandedLine).items()
}
ARROW_SCHEMA = pa.schema([(name, ARROW_TYPES[kind]) for name, kind in COLUMNS.items()])
SPARK_SCHEMA = ", ".join(f"{name} {SPARK_TYPES[kind]}" for name, kind in COLUMNS.items())


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    splits = list_splits(Path(dbt.config.get("landing")))
    key_file = dbt.config.get("network_key_file")
    network_key = read_network_key(Path(key_file)) if key_file else None
    frame = splits_frame(session, splits)
    ring = KeyRing(warehouse_pepper(Path(dbt.config.get("home"))))
    keys = frame.mapInArrow(find_epoch_keys, "epoch_key binary").collect()
    ring = ring.ranked(bytes(row.epoch_key) for row in keys)
    return frame.mapInArrow(line_lander(ring, network_key), SPARK_SCHEMA)


def splits_frame(session: SparkSession, splits: list[Split]) -> DataFrame:
    """One row per split, spread so that a task has at least BIN_BYTES to read."""
    first_lines = first_line_numbers(splits, line_ends(session, splits))
    rows, bin_number, bin_bytes = [], 0, 0
    for split, first_line in zip(splits, first_lines, strict=True):
        if bin_bytes >= BIN_BYTES:
            bin_number, bin_bytes = bin_number + 1, 0
        bin_bytes += split.end - split.start
        rows.append((bin_number, split.path, split.source_file, split.start, split.end, first_line))
    columns = "bin int, path string, source_file string, start long, end long, first_line long"
    return session.createDataFrame(rows, columns).repartitionById(bin_number + 1, "bin")


def line_ends(session: SparkSession, splits: list[Split]) -> list[int]:
    """What each split adds to the line numbers of the splits after it in the same file."""
    followed = [n for n in range(len(splits) - 1) if splits[n].path == splits[n + 1].path]
    counts = [0] * len(splits)
    if followed:
        rows = [(n, splits[n].path, splits[n].start, splits[n].end) for n in followed]
        frame = session.createDataFrame(rows, "n int, path string, start long, end long")
        counted = frame.repartition(len(rows)).mapInArrow(count_batches, "n int, line_ends long")
        for row in counted.collect():
            counts[row.n] = row.line_ends
    return counts


def count_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        rows = batch.to_pylist()
        ends = [
            count_line_ends(Split(row["path"], row["path"], row["start"], row["end"]))
            for row in rows
        ]
        yield pa.record_batch({"n": batch["n"], "line_ends": pa.array(ends, pa.int64())})


def lines_of(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[str, Line]]:
    for batch in batches:
        for row in batch.to_pylist():
            split = Split(row["path"], row["source_file"], row["start"], row["end"])
            for line in read_lines(split, row["first_line"]):
                yield split.source_file, line


def find_epoch_keys(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for _, line in lines_of(batches):
        if key := epoch_key(line):
            yield pa.record_batch({"epoch_key": pa.array([key], pa.binary())})


def line_lander(
    ring: KeyRing, network_key: bytes | None
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def land(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for rows in batched(
            land_line(file, line, ring, network_key) for file, line in lines_of(batches)
        ):
            columns = zip(*rows, strict=True)
            yield pa.record_batch(
                [pa.array(c, f.type) for c, f in zip(columns, ARROW_SCHEMA, strict=True)],
                schema=ARROW_SCHEMA,
            )

    return land


def batched(rows: Iterator[LandedLine]) -> Iterator[list[LandedLine]]:
    while batch := list(islice(rows, BATCH_LINES)):
        yield batch
