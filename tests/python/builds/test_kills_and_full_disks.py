"""Nothing is lost or mixed if a build (dbt or Java) is killed at any moment while somebody reads, or if it
fills the disk.

`SCUTTLEHOUSE_TEST_KILLS=50 pytest tests/python/builds/test_kills_and_full_disks.py` takes an hour or two.
Without the variable nothing runs; `test_publishing.py` has one kill.
"""

from __future__ import annotations

import itertools
import os
import random
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from conftest import OF_BUILDS, PROJECT, Rows, Warehouse, reading
from other_users import family
from scuttlehouse.reading.warehouse import open_published
from test_publishing import WITHOUT_UNIT_TESTS

KILLS = int(os.environ.get("SCUTTLEHOUSE_TEST_KILLS", "0"))
BUILD = "dbt", "build", "--profiles-dir", "profiles", *WITHOUT_UNIT_TESTS
READ = "fct_messages", "fct_tangle_messages"
# What no user should see.
PAGES = "\tat ", "Traceback"

if_asked = pytest.mark.skipif(KILLS == 0, reason="SCUTTLEHOUSE_TEST_KILLS asks for it")


@pytest.fixture
def growing(warehouse: Warehouse) -> Path:
    """A log that grows beside the sample."""
    warehouse.land(*sorted((PROJECT / "sample").iterdir()))
    return warehouse.landing / "growing.jsonl"


@pytest.fixture
def contents(tribes2: Path) -> list[bytes]:
    """The log at two times."""
    log = tribes2 / "s4-overlap" / "forked-synced" / "alice.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    return [b"".join(lines[: len(lines) // 2]), b"".join(lines)]


@pytest.fixture
def disk(warehouse: Warehouse) -> Iterator[Path]:
    """A disk of 120 MB that holds only the warehouse."""
    warehouse.stop()
    mount = ["mount", "-t", "tmpfs", "-o", "size=120m", "tmpfs", str(warehouse.home)]
    if subprocess.run(mount, check=False).returncode:
        pytest.skip("only root may mount a disk")
    yield warehouse.home
    warehouse.stop()
    # Java of this process keeps SQLite's library open, which is on this disk.
    subprocess.run(["umount", "--lazy", str(warehouse.home)], check=True)


@if_asked
def test_builds_killed_at_any_moment(
    warehouse: Warehouse, growing: Path, contents: list[bytes]
) -> None:
    """A log arrives again and again, longer or shorter. The next build succeeds, whatever the kills left."""
    right = []
    for content in contents:
        growing.write_bytes(content)
        build = warehouse.run(*BUILD, "--full-refresh")
        assert build.returncode == 0, build.stdout
        right.append(of_logs(warehouse.published()))
    assert right[0] != right[1]
    line_count = build.stdout.count("\n")

    hits = 0
    with reading(lambda: read_counts(warehouse.home)) as reads:
        for seed in itertools.count():
            if hits >= KILLS:
                break
            dice = random.Random(seed)
            growing.write_bytes(contents[seed % 2])
            for _ in range(dice.randint(1, 2)):
                printed, is_hit = kill(warehouse, dice, line_count)
                what = "killed" if is_hit else "missed"
                print(f"seed {seed}: {what} after {len(printed)} lines", flush=True)
                hits += is_hit
                assert of_logs(warehouse.published()) in right, f"seed {seed}: {printed}"
                for page in PAGES:
                    assert page not in "".join(printed), f"seed {seed}: {printed}"
            warehouse.refresh("build", *WITHOUT_UNIT_TESTS)
            assert of_logs(warehouse.published()) == right[seed % 2], f"seed {seed}"
            assert set(reads) <= {tuple(len(tables[name]) for name in READ) for tables in right}
    print(f"{hits} builds killed, {len(reads)} reads")
    assert warehouse.rows("select * from scuttlehouse.fct_builds where status = 'killed'")


@if_asked
def test_a_disk_that_is_full(
    warehouse: Warehouse, disk: Path, growing: Path, contents: list[bytes]
) -> None:
    growing.write_bytes(contents[0])
    warehouse.build("build", *WITHOUT_UNIT_TESTS)
    before = warehouse.published()
    growing.write_bytes(contents[1])
    filler = disk / "filler"
    count = "select count(*) as n from fct_messages"
    # Spark begins with the first, and not with the others.
    for room in (9_500_000, 1_500_000, 0):
        filler.write_bytes(bytes(shutil.disk_usage(disk).free - room))
        build = warehouse.run(*BUILD)
        assert build.returncode not in (0, -signal.SIGKILL)
        assert "No space left on device" in build.stdout
        for page in PAGES:
            assert page not in build.stdout + build.stderr
        assert warehouse.published() == before
        read = warehouse.run("scuttlehouse", "sql", count, "--format", "json")
        assert read.stdout == f'{{"n": {len(before["fct_messages"])}}}\n', read.stderr
        filler.unlink()
    warehouse.refresh("build", *WITHOUT_UNIT_TESTS)
    after = of_logs(warehouse.published())
    assert after != of_logs(before)
    warehouse.build("build", *WITHOUT_UNIT_TESTS)
    assert of_logs(warehouse.published()) == after


def of_logs(tables: dict[str, Rows]) -> dict[str, Rows]:
    return {name: rows for name, rows in tables.items() if name not in OF_BUILDS}


def kill(warehouse: Warehouse, dice: random.Random, line_count: int) -> tuple[list[str], bool]:
    """Kill a build, or its Java, at a random moment: after one of this many lines.

    Returns the lines that it printed, and whether it still ran when it was killed.
    """
    after, is_java, seconds = dice.randint(1, line_count), dice.random() < 0.5, 2 * dice.random()
    printed = []
    victims: list[int] = []
    java: list[int] = []
    with warehouse.start(*BUILD, stderr=subprocess.STDOUT) as process:
        for line in process.stdout or ():
            printed.append(line)
            if len(printed) != after:
                continue
            time.sleep(seconds)
            if process.poll() is None:
                java = java_of(process.pid)
                victims = java if is_java else [process.pid]
            for victim in victims:
                with suppress(ProcessLookupError):
                    os.kill(victim, signal.SIGKILL)
    # Java ends as soon as it notices that dbt was killed.
    for one in java:
        wait_for_end(one)
    if is_java:
        return printed, bool(victims)
    assert process.returncode in (0, -signal.SIGKILL), "".join(printed)
    return printed, process.returncode != 0


def java_of(pid: int) -> list[int]:
    """The Java process that a process has started."""
    found = []
    for one in family(pid):
        with suppress(FileNotFoundError, ProcessLookupError):
            if Path(f"/proc/{one}/comm").read_text() == "java\n":
                found.append(one)
    return found


def wait_for_end(pid: int) -> None:
    """Wait until a process has ended. It may stay in /proc where no process reaps it."""
    with suppress(ProcessLookupError):
        ended = os.pidfd_open(pid)
        select.select([ended], [], [])
        os.close(ended)


def read_counts(home: Path) -> tuple[int, ...]:
    """The rows of two published tables, in one query without Java."""
    counts = ", ".join(f"(select count(*) from {name})" for name in READ)
    with open_published(home) as tables:
        _, [row] = tables.query(f"select {counts}")
    return row
