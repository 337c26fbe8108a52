"""Builds that are killed at any moment, dbt or Java, while somebody reads: nothing is lost or mixed.

`SCUTTLEHOUSE_TEST_KILLS=50 pytest tests/python/test_kills.py` takes an hour or two. A run without the
variable takes none of it: one kill is part of `test_publishing.py`.
"""

from __future__ import annotations

import json
import os
import random
import signal
import time
from pathlib import Path

import pytest

from conftest import OF_BUILDS, PROJECT, Rows, Warehouse, reading, version_rows

KILLS = int(os.environ.get("SCUTTLEHOUSE_TEST_KILLS", "0"))
BUILD = "dbt", "build", "--profiles-dir", "profiles", "--exclude-resource-type", "unit_test"
# A build says about so many lines, the summary of what it has published included.
LINES = 440
READ = "fct_messages", "fct_tangle_messages"


@pytest.mark.skipif(KILLS == 0, reason="SCUTTLEHOUSE_TEST_KILLS says how many builds to kill")
def test_builds_killed_at_any_moment(warehouse: Warehouse, tribes2: Path) -> None:
    """A log is exported again and again, longer or shorter; most of the builds that read it are killed."""
    log = tribes2 / "s4-overlap" / "forked-synced" / "alice.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    contents = [b"".join(lines[: len(lines) // 2]), b"".join(lines)]
    warehouse.land(*sorted((PROJECT / "sample").iterdir()))
    growing = warehouse.landing / "growing.jsonl"
    right = []
    for content in contents:
        growing.write_bytes(content)
        warehouse.build("build", "--exclude-resource-type", "unit_test")
        right.append(of_logs(warehouse.published()))
    assert right[0] != right[1]

    with reading(lambda: read_counts(warehouse.home)) as reads:
        for seed in range(KILLS):
            dice = random.Random(seed)
            growing.write_bytes(contents[seed % 2])
            after, java, seconds = dice.randrange(1, LINES), dice.random() < 0.5, 2 * dice.random()
            said, killed = kill(warehouse, after, seconds, java=java)
            victim = ("Java" if java else "dbt") if killed else "nothing"
            print(f"seed {seed}: {victim} killed after: {said.splitlines()[-1]}", flush=True)
            found = of_logs(warehouse.published())
            assert found in right, f"seed {seed}: {said}"
            assert "\tat " not in said, f"seed {seed}: a page of Java"
        for content, tables in zip(contents, right, strict=True):
            growing.write_bytes(content)
            warehouse.refresh("build", "--exclude-resource-type", "unit_test")
            assert of_logs(warehouse.published()) == tables
    assert set(reads) <= {tuple(len(tables[name]) for name in READ) for tables in right}
    assert warehouse.rows("select * from scuttlehouse.fct_builds where status = 'killed'")


def of_logs(tables: dict[str, Rows]) -> dict[str, Rows]:
    return {name: rows for name, rows in tables.items() if name not in OF_BUILDS}


def kill(warehouse: Warehouse, after: int, seconds: float, *, java: bool) -> tuple[str, int]:
    """Kill a build, or its Java, some seconds after it has said so many lines.

    What it said until it ended, and how many processes were killed.
    """
    said = []
    killed = 0
    with warehouse.start(*BUILD) as process:
        for line in process.stdout or ():
            said.append(line)
            if len(said) != after:
                continue
            time.sleep(seconds)
            if process.poll() is None:
                for victim in children(process.pid) if java else [process.pid]:
                    os.kill(victim, signal.SIGKILL)
                    killed += 1
    if not java:
        assert process.returncode in (0, -signal.SIGKILL), "".join(said)
    warehouse.wait_for_java()
    return "".join(said), killed


def children(pid: int) -> list[int]:
    """The Java that a process has started."""
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(one) for one in listed if "java" in Path(f"/proc/{one}/cmdline").read_text()]


def read_counts(home: Path) -> tuple[int, ...]:
    """The rows of two published tables, of one build, as `scuttlehouse sql` reads them beside a build."""
    listed = json.loads((home / "published.json").read_text())
    folder = Path(listed["location"].removeprefix("file:"))
    counts = []
    for name in READ:
        table = listed["tables"][name]["table"]
        counts.append(len(version_rows(folder / table, listed["versions"][table], ["message_id"])))
    return tuple(counts)
