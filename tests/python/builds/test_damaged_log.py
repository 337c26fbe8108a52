"""Damage in the log of runs, and the files that it leaves. The runs are real, without dbt and Spark."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from houses import House, flip
from scuttlehouse.builds import ending
from scuttlehouse.builds.steps import run_step, steps_table
from scuttlehouse.builds.verification import damaged_tables
from scuttlehouse.catalog import publishing
from scuttlehouse.catalog.names import BEGIN_LOG, LOG, LOG_TABLE, PUBLISHED, CatalogError
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.catalog.reached_files import files_of
from scuttlehouse.cli.build import _log_unchanged
from small_warehouse import create_table
from test_retries import FAILED, PASSED, Runs, dbt, result

__all__ = ["dbt"]


@pytest.fixture
def logged(dbt: Runs) -> Runs:
    """A published build, and a log with its steps."""
    first = steps_table([run_step("first", "published", started_at=datetime.now(UTC))])
    dbt.house.begin("first")
    with dbt.house.iceberg() as iceberg:
        location = dbt.house.home / "warehouse" / LOG / LOG_TABLE
        create_table(iceberg, (LOG, LOG_TABLE), first.schema, location, [first])
    dbt.house.write_sidecars()
    dbt.run("build", PASSED)
    return dbt


def runs_in_log(house: House) -> int:
    with house.iceberg() as iceberg:
        steps = iceberg.load_table((PUBLISHED, LOG_TABLE)).scan(row_filter="step = 'build'")
        return len(steps.to_arrow())


def file_of_log(house: House, ending: str) -> Path:
    files = files_of(house.tables(LOG)[LOG_TABLE])
    return next(Path(file) for file in files if file.endswith(ending))


@pytest.mark.parametrize("ending", [".metadata.json", ".avro", ".parquet"])
def test_a_damaged_log_is_found_and_a_full_refresh_begins_a_new_one(
    logged: Runs, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    assert [*damaged_tables(logged.house.home)] == []
    flip(file_of_log(logged.house, ending), 800)
    [sentence] = damaged_tables(logged.house.home)
    assert sentence.endswith(f" The table {LOG_TABLE} needs it. {BEGIN_LOG}")
    last = logged.run("build", PASSED, is_full_refresh=True)
    assert "The log of runs cannot be continued, so an empty one" in capsys.readouterr().out
    assert logged.published == last
    assert LOG_TABLE not in logged.house.tables(LOG), "the model makes it"
    assert [*damaged_tables(logged.house.home)] == []


def test_a_clock_that_was_ahead(
    logged: Runs, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Iceberg refuses changes that are not in the order of their times, with a `[BUG]` of its own."""
    now = time.time()
    with monkeypatch.context() as clock:
        clock.setattr(time, "time", lambda: now + 3600)
        published = logged.run("build", PASSED)
    for command in "build", "run", "seed":
        with pytest.raises(CatalogError, match="The clock of this machine is behind"):
            logged.run(command, PASSED)
    assert logged.published == published
    last = logged.run("build", PASSED, is_full_refresh=True)
    assert (
        "an empty one replaces it: The clock of this machine is behind" in capsys.readouterr().out
    )
    assert logged.published == last
    assert LOG_TABLE not in logged.house.tables(LOG), "the model makes it"


def test_a_clock_that_goes_back_during_a_build(
    logged: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log of runs has no change of that time: the next build would begin, and change no table."""
    before, now = logged.published, time.time()
    logged.begin("build")
    with monkeypatch.context() as clock:
        clock.setattr(time, "time", lambda: now + 3600)
        for table in "words", "stg", "dim_a", "dim_b":
            logged.house.make(table, 7)
    with pytest.raises(CatalogError, match="has gone back during the build"):
        ending.end([result(step, status) for step, status in PASSED.items()])
    assert logged.published == before
    last = logged.run("build", PASSED)
    assert logged.published == last


@pytest.mark.parametrize("command", ["build", "run", "seed"])
def test_after_a_rollback_to_a_build_of_a_time_when_the_clock_was_ahead(
    logged: Runs, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    now = time.time()
    with monkeypatch.context() as clock:
        clock.setattr(time, "time", lambda: now + 3600)
        clock.setattr(
            publishing,
            "datetime",
            SimpleNamespace(now=lambda _: datetime.fromtimestamp(now + 3600, UTC)),
        )
        ahead = logged.run("build", PASSED)
    last = logged.run("build", PASSED, is_full_refresh=True)
    logged.house.roll_back(ahead)
    with pytest.raises(CatalogError, match="The clock of this machine is behind"):
        logged.run(command, PASSED)
    assert logged.published == ahead
    assert logged.run("build", PASSED, is_full_refresh=True) == logged.published != last


def test_a_build_that_is_published_ends_well_beside_a_damaged_log(
    logged: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    flip(file_of_log(logged.house, ".avro"), 800)
    last = logged.run("build", PASSED)
    assert logged.published == last
    said = capsys.readouterr().out
    assert re.search(
        r"The build is published, but its steps are not in fct_builds: .* damaged", said
    )
    with pytest.raises(CatalogError, match=r"fct_builds is damaged\. .* begins a new log of runs"):
        logged.run("run", {"seed.words": "success"})


def test_no_file_stays_of_failed_builds(logged: Runs) -> None:
    logged.run("build", FAILED)
    there = len(logged.house.files())
    for _ in range(3):
        logged.run("build", FAILED)
    # A step has a data file and a manifest in the log, each with its checksums, until it is rewritten.
    assert len(logged.house.files()) <= there + 3 * 4


def test_runs_with_nothing_new_fill_no_disk(logged: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scuttlehouse.catalog.log._MOST_FILES", 5)
    house, sizes = logged.house, []
    runs_before = runs_in_log(house)
    for _ in range(20):
        _log_unchanged(house.home, datetime.now(UTC))
        sizes.append(sum(path.stat().st_size for path in house.files()))
    assert runs_in_log(house) == runs_before + 20
    assert max(sizes[10:]) < 1.5 * max(sizes[:10])
    with open_catalog(house.home) as catalog:
        assert len(catalog.kept()) == 1
