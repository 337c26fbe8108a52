"""Refreshes: whatever comes in, in whatever pieces and order, the tables are those of one build of all.

Two random splits in every run; `SCUTTLEHOUSE_TEST_SPLITS=100 pytest tests/python/test_refreshes.py` takes
a hundred, which takes hours. All builds share one Spark session.
"""

from __future__ import annotations

import gzip
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import PROJECT, Rows, Warehouse
from test_publishing import published_orders, replayed

SPLITS = int(os.environ.get("SCUTTLEHOUSE_TEST_SPLITS", "2"))
BUILD = "build", "--exclude-resource-types", "test", "unit_test"

# What tells of the builds themselves, and not of the logs.
OF_BUILDS = {"fct_timeline_updates", "fct_quality_results", "dim_logs"}


@pytest.fixture
def refreshed(warehouse: Warehouse) -> Iterator[Warehouse]:
    warehouse.land()
    with warehouse.published_unchecked():
        yield warehouse


def of_the_logs(tables: dict[str, Rows]) -> dict[str, Rows]:
    return {name: rows for name, rows in tables.items() if name not in OF_BUILDS}


def pieces(logs: list[Path], dice: random.Random) -> list[tuple[str, bytes]]:
    """Parts of the logs as files, with overlaps and repeats, in any order."""
    found = []
    for log in logs:
        data = gzip.decompress(log.read_bytes()) if log.suffix == ".gz" else log.read_bytes()
        lines = data.splitlines(keepends=True)
        cuts = sorted(dice.sample(range(len(lines)), min(len(lines) - 1, dice.randrange(3))))
        for start, end in zip([0, *cuts], [*cuts, len(lines)], strict=True):
            overlap = dice.choice([0, 0, 5, 200])
            name = f"{dice.randrange(10**6):06d}-{log.parent.name}-{log.name.removesuffix('.gz')}"
            found.append((name, b"".join(lines[max(start - overlap, 0) : end])))
    dice.shuffle(found)
    return found


@pytest.mark.parametrize("seed", range(SPLITS))
def test_any_split_in_any_order_ends_in_the_same_tables(
    refreshed: Warehouse, tribes2: Path, seed: int
) -> None:
    dice = random.Random(seed)
    scenario = dice.choice(sorted(path for path in tribes2.iterdir() if path.is_dir()))
    snapshots = sorted(path for path in scenario.iterdir() if path.is_dir())
    logs = [
        *sorted((PROJECT / "sample").iterdir()),
        *(log for snapshot in snapshots for log in sorted(snapshot.glob("*.jsonl"))),
    ]
    waiting = pieces(dice.sample(logs, min(len(logs), 6)), dice)
    options = ["--full-refresh"]
    while waiting:
        count = dice.randrange(1, len(waiting) + 1)
        for name, data in waiting[:count]:
            (refreshed.landing / name).write_bytes(data)
        del waiting[:count]
        refreshed.refresh(*BUILD, *options)
        options = []
    tables = refreshed.published()
    told = replayed(tables["fct_timeline_updates"])
    assert told == published_orders(tables["fct_tangle_messages"]), f"seed {seed}"
    refreshed.build(*BUILD)
    at_once = refreshed.published()
    for name, rows in of_the_logs(at_once).items():
        ours, theirs = tables[name], rows
        different = (
            [row for row in ours if row not in theirs],
            [row for row in theirs if row not in ours],
        )
        assert ours == theirs, f"seed {seed}, {name}: {different}"
