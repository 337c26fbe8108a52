"""What ordering threads and reading sets cost, compared with one read and write of their rows.

    python benchmarks/threads_and_sets.py [threads] [sets]

- `threads`: 100,000 threads of ten posts on average, from int_tangles__grown and the times of messages to
  int_tangles__ranked, which finds both orders;
- `sets`: 10,000 sets of 100 operations by two devices that fork and merge, from int_sets__candidates to
  int_sets__messages (which are in, which can be pruned) and int_sets__items.

Each also runs at a quarter of the size, to show how it grows. The models are the project's own, on the target
local_big. Figures are medians of RUNS runs. The lower bound is a job that reads the same input and writes
its keys.
"""

from __future__ import annotations

import argparse
import math
import random
import runpy
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from grow import message_id
from spark import open_spark
from timed_build import PROJECT

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SEED = 1
RUNS = 3
TARGET = "local_big"
MODELS = PROJECT / "python_models/intermediate"
OF_THREADS = [MODELS / "tangles/int_tangles__ranked.py"]
OF_SETS = [MODELS / "sets/int_sets__messages.py", MODELS / "sets/int_sets__items.py"]
POSTS = [250_000, 1_000_000]
POSTS_PER_THREAD = 10
SETS = [2_500, 10_000]
OPERATIONS = 100
ITEMS = 30
NOON = 1_714_564_800_000


class Project:
    """Replaces dbt for a Python model: tables by name, and no settings."""

    def __init__(self, session: SparkSession, tables: Path) -> None:
        self._session = session
        self._tables = tables

    def ref(self, name: str) -> DataFrame:
        return self._session.read.parquet(str(self._tables / name))

    def config(self, **_: Any) -> None:
        pass


def write(table: pa.Table, tables: Path, name: str) -> None:
    """Write a table in several files, as Spark does."""
    (tables / name).mkdir(parents=True)
    for part in range(8):
        rows = math.ceil(table.num_rows / 8)
        pq.write_table(table.slice(part * rows, rows), tables / name / f"{part}.parquet")


def threads(size: int, tables: Path) -> None:
    """Posts that answer one or two of the last three of their thread, in random order."""
    dice = random.Random(SEED)
    thread_count = size // POSTS_PER_THREAD
    known: list[list[str]] = [[] for _ in range(thread_count)]
    rows = []
    for number in range(size):
        thread = number if number < thread_count else dice.randrange(thread_count)
        own, latest = message_id(number), known[thread][-3:]
        previous = dice.sample(latest, min(len(latest), dice.randrange(1, 3)))
        known[thread].append(own)
        rows.append((f"thread:{known[thread][0]}", own, previous or None, number))
    dice.shuffle(rows)
    ids = [row[1] for row in rows]
    grown = {"tangle_id": [row[0] for row in rows], "message_id": ids}
    grown |= {"previous_ids": [row[2] for row in rows], "is_grown": [True] * size}
    grown |= {"grown_by": ["settled"] * size}
    times = [float(NOON + row[3] * 1_000 + dice.randrange(-60_000, 60_000)) for row in rows]
    write(pa.table(grown | {"told_ms": times}), tables, "int_tangles__grown")


def operations(number: int, dice: random.Random) -> list[dict[str, Any]]:
    """The messages of a set by two devices. One message in ten knows only the device's last one."""
    set_id = message_id(number * (OPERATIONS + 1))
    depths = {set_id: 0}
    present: set[str] = set()
    last, tips = set_id, [set_id]
    made = [
        {"message_id": set_id, "depth": 0, "previous_ids": [], "added_items": None}
        | {"deleted_items": None, "superseded_ids": None}
    ]
    about: dict[str, str] = {}
    for step in range(1, OPERATIONS + 1):
        own = message_id(number * (OPERATIONS + 1) + step)
        previous = [last] if dice.random() < 0.1 else sorted(tips)
        item = f"item {dice.randrange(ITEMS)}"
        added, deleted = ([], [item]) if item in present else ([item], [])
        present ^= {item}
        depths[own] = 1 + max(depths[one] for one in previous)
        superseded = [about[item]] if item in about else []
        made.append(
            {"message_id": own, "depth": depths[own], "previous_ids": previous}
            | {"added_items": added, "deleted_items": deleted, "superseded_ids": superseded}
        )
        about[item] = last = own
        tips = [tip for tip in tips if tip not in previous] + [own]
    return [{"set_id": set_id, **row, "is_by_device": True} for row in made]


def sets(size: int, tables: Path) -> None:
    dice = random.Random(SEED)
    rows = [row for number in range(size) for row in operations(number, dice)]
    dice.shuffle(rows)
    texts = pa.list_(pa.string())
    schema = pa.schema(
        {
            "set_id": pa.string(),
            "message_id": pa.string(),
            "depth": pa.int64(),
            "previous_ids": texts,
            "added_items": texts,
            "deleted_items": texts,
            "superseded_ids": texts,
            "set_fault": pa.string(),
            "is_by_device": pa.bool_(),
        }
    )
    write(pa.Table.from_pylist(rows, schema), tables, "int_sets__candidates")


def seconds(frame: DataFrame, target: Path) -> float:
    start = perf_counter()
    frame.write.mode("overwrite").parquet(str(target))
    return perf_counter() - start


def measure(session: SparkSession, tables: Path, source: str, models: list[Path]) -> list[float]:
    """The median seconds: of the lower bound, then of each model."""
    project = Project(session, tables)
    loaded = [(path.stem, runpy.run_path(str(path))["model"]) for path in models]
    times: list[list[float]] = []
    for _ in range(RUNS):
        read = project.ref(source)
        floor = seconds(read.select(read.columns[0], "message_id"), tables / "floor")
        spent = [seconds(model(project, session), tables / name) for name, model in loaded]
        times.append([floor, *spent])
    return [median(each) for each in zip(*times, strict=True)]


def report(
    session: SparkSession,
    sizes: list[int],
    make: Callable[[int, Path], None],
    source: str,
    models: list[Path],
) -> None:
    heads = "".join(f" {path.stem + ' s':>22} {'ratio':>6}" for path in models)
    print(f"\n{make.__name__:>9} {'floor s':>8}{heads}")
    found = []
    for size in sizes:
        with TemporaryDirectory() as folder:
            make(size, Path(folder))
            floor, *spent = measure(session, Path(folder), source, models)
        found.append(spent)
        print(
            f"{size:>9,} {floor:>8.1f}"
            + "".join(f" {one:>22.1f} {one / floor:>6.1f}" for one in spent),
            flush=True,
        )
    for path, first, last in zip(models, found[0], found[-1], strict=True):
        power = math.log(last / first) / math.log(sizes[-1] / sizes[0])
        print(f"time of {path.stem} grows to the power of {power:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure threads and sets.")
    parser.add_argument("parts", nargs="*", choices=["threads", "sets", []], metavar="threads|sets")
    parts = parser.parse_args().parts or ["threads", "sets"]
    with TemporaryDirectory() as home:
        session = open_spark(Path(home), TARGET)
        session.range(1).count()
        if "threads" in parts:
            report(session, POSTS, threads, "int_tangles__grown", OF_THREADS)
        if "sets" in parts:
            report(session, SETS, sets, "int_sets__candidates", OF_SETS)
        session.stop()


if __name__ == "__main__":
    main()
