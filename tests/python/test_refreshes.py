"""Refreshes: whatever comes in, in whatever pieces and order, the tables are those of one build of all.

One random split in every run; `SCUTTLEHOUSE_TEST_SPLITS=100 pytest tests/python/test_refreshes.py` takes
a hundred, which takes hours. All builds share one Spark session.
"""

from __future__ import annotations

import gzip
import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import BIN, PROJECT, Rows, Warehouse
from test_publishing import differing, published_orders, replayed

SPLITS = int(os.environ.get("SCUTTLEHOUSE_TEST_SPLITS", "1"))
REFRESHES = 1
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
    for number in range(REFRESHES + 1):
        count = dice.randrange(1, len(waiting) - REFRESHES + number + 1)
        for name, data in waiting[: count if number < REFRESHES else None]:
            (refreshed.landing / name).write_bytes(data)
        del waiting[:count]
        refreshed.refresh(*BUILD, *(["--full-refresh"] if number == 0 else []))
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


def alongside(warehouse: Warehouse, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command while this process keeps the metastore."""
    assert warehouse.session is not None
    return subprocess.run(
        [str(BIN / command[0]), *command[1:]],
        cwd=warehouse.project,
        env={**os.environ, **warehouse.environment},
        capture_output=True,
        text=True,
        check=False,
    )


def statuses(warehouse: Warehouse) -> dict[str, str]:
    rows = warehouse.rows("select source_file, status from scuttlehouse.dim_logs")
    return {row["source_file"]: row["status"] for row in rows}


def test_logs_that_change_and_vanish_and_a_build_that_is_published_again(
    refreshed: Warehouse, tribes2: Path
) -> None:
    """One history of a landing folder, and whoever reads meanwhile."""
    logs = tribes2 / "s4-overlap" / "forked-synced"
    alice, bob, carol = (refreshed.landing / f"{name}.jsonl" for name in ("alice", "bob", "carol"))
    lines = (logs / alice.name).read_bytes().splitlines(keepends=True)
    alice.write_bytes(b"".join(lines[:40]))
    carol.write_bytes(b"".join(lines[:20]))
    (refreshed.landing / "cut.jsonl.gz").write_bytes(gzip.compress(b"".join(lines))[:-200])
    refreshed.refresh(*BUILD, "--full-refresh")
    first = refreshed.published()
    assert [row["reason"] for row in first["fct_rejected_lines"]] == ["cut_short"]

    # An export that goes on under its name, one that is whole at last, one more, and one that vanishes.
    carol.unlink()
    alice.write_bytes(b"".join(lines[:60]))
    (refreshed.landing / "cut.jsonl.gz").write_bytes(gzip.compress(b"".join(lines[50:])))
    shutil.copy(logs / bob.name, bob)
    refreshed.refresh(*BUILD)
    assert statuses(refreshed) == {
        "alice.jsonl": "changed",
        "bob.jsonl": "new",
        "carol.jsonl": "vanished",
        "cut.jsonl.gz": "changed",
    }
    second = refreshed.published()
    assert second["fct_rejected_lines"] == []
    assert of_the_logs(second) == of_the_logs(anew(refreshed))

    # Somebody reads, and somebody builds, while this process keeps the metastore.
    query = "select count(*) as n from dim_tangles"
    asked = alongside(refreshed, "scuttlehouse", "sql", query, "--format", "json")
    assert asked.stdout == f'{{"n": {len(second["dim_tangles"])}}}\n', asked.stderr
    assert f"in use by process {os.getpid()} " in asked.stderr
    refused = alongside(refreshed, "dbt", "build", "--profiles-dir", "profiles")
    assert refused.returncode != 0
    assert f"in use by process {os.getpid()} " in refused.stdout
    assert "at org.apache" not in refused.stdout

    back = refreshed.run("scuttlehouse", "rollback")
    assert (back.returncode, back.stderr) == (0, "")
    assert [line[0] for line in back.stdout.splitlines()[:2]] == [" ", "*"]
    assert differing(refreshed.published(), first) == []

    # A refresh goes on from what is published, whatever was read since.
    refreshed.refresh(*BUILD)
    assert of_the_logs(refreshed.published()) == of_the_logs(second)


def anew(warehouse: Warehouse) -> dict[str, Rows]:
    """The tables of one build of all that has landed."""
    before = warehouse.published()
    warehouse.build_marts()
    return {
        name: sorted(warehouse.rows(f"select * from {name}"), key=repr)
        for name in before
        if name not in OF_BUILDS
    }
