"""The log of runs. Its rows are added without Spark."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.table import Table

from houses import House, exit_code, flip, fork
from scuttlehouse.catalog import checksums
from scuttlehouse.catalog.log import append_steps
from scuttlehouse.catalog.names import LOG, MAIN, PUBLISHED, CatalogError
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.catalog.reached_files import files_of


def rows(*numbers: int) -> pa.Table:
    return pa.table({"number": pa.array(numbers, pa.int64())})


def append(house: House, *numbers: int) -> None:
    with open_catalog(house.home) as catalog:
        append_steps(catalog, house.home, rows(*numbers), MAIN)


def test_rows_are_added_once_there_is_a_log(house: House) -> None:
    append(house, 1)
    house.build("one", {"dim_a": 1})
    append(house, 2)
    assert house.read() == {"dim_a": [1]}
    house.make("fct_builds", 3, namespace=LOG)
    there = set(house.files())
    append(house, 4, 5)
    assert house.read() == {"dim_a": [1], "fct_builds": [3, 4, 5]}
    assert house.tables(LOG)["fct_builds"] == house.tables(PUBLISHED)["fct_builds"]
    made = set(house.files()) - there
    assert {path.stat().st_mode & 0o777 for path in made} == {0o600}
    files = {path for path in made if path.suffix != ".crc"}
    assert made - files == {checksums.sidecar(path) for path in files}
    assert len(files) == 4, "data, manifest, list of manifests, metadata"
    for path in files:
        checksums.verify(path)


def test_missing_columns_are_null(house: House) -> None:
    house.begin("one")
    with house.iceberg() as iceberg:
        wide = rows(1).append_column("step", [["build"]])
        location = f"{house.home}/warehouse/{LOG}/fct_builds"
        iceberg.create_table((LOG, "fct_builds"), wide.schema, location).append(wide)
    append(house, 2)
    with house.iceberg() as iceberg:
        found = iceberg.load_table((LOG, "fct_builds")).scan().to_arrow().to_pylist()
    assert sorted(found, key=lambda row: row["number"]) == [
        {"number": 1, "step": "build"},
        {"number": 2, "step": None},
    ]


def test_the_log_stays_in_few_files(sqlite_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scuttlehouse.catalog.log._MOST_FILES", 5)
    sqlite_house.begin("one")
    sqlite_house.make("fct_builds", 0, namespace=LOG)
    for number in range(1, 8):
        append(sqlite_house, number)
    assert sqlite_house.read() == {"fct_builds": [*range(8)]}
    with sqlite_house.iceberg() as iceberg:
        table = iceberg.load_table((LOG, "fct_builds"))
        files = list(table.scan().plan_files())
    assert len(files) < 5
    assert len(table.snapshots()) == len(files), "the metadata file does not grow either"


def test_of_two_runs_that_end_together_one_waits(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one begins to log while the first is about to replace all files of the log by one."""
    monkeypatch.setattr("scuttlehouse.catalog.log._MOST_FILES", 1)
    house.begin("one")
    house.make("fct_builds", 0, namespace=LOG)
    begin, go_on = os.pipe(), os.pipe()

    def wait(seconds: float) -> None:
        os.write(go_on[1], b".")
        time.sleep(seconds)

    def end_together() -> None:
        os.read(begin[0], 1)
        monkeypatch.setattr("scuttlehouse.catalog.lock.sleep", wait)
        append(house, 1)
        os.write(go_on[1], b".")

    other, overwrite = fork(end_together), Table.overwrite
    os.close(go_on[1])

    def overwrite_later(*what: Any, **how: Any) -> None:
        os.write(begin[1], b".")
        os.read(go_on[0], 1)  # It waits, or has ended.
        overwrite(*what, **how)

    monkeypatch.setattr(Table, "overwrite", overwrite_later)
    append(house, 2)
    assert exit_code(other) == 0
    assert house.read() == {"fct_builds": [0, 1, 2]}
    for path in house.files():
        checksums.verify(path)


def test_a_run_does_not_wait_for_ever(sqlite_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    sqlite_house.begin("one")
    sqlite_house.make("fct_builds", 0, namespace=LOG)
    monkeypatch.setattr("scuttlehouse.catalog.pyiceberg_tables._PATIENCE_SECONDS", 0.0)
    with (sqlite_house.home / "changes.lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(
            CatalogError, match=r"is in use by another process\. Wait until it ends"
        ):
            append(sqlite_house, 1)
    append(sqlite_house, 2)
    assert sqlite_house.read() == {"fct_builds": [0, 2]}


def test_a_change_beside_spark_is_reported(
    sqlite_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark does not take the lock of changes."""
    monkeypatch.setattr("scuttlehouse.catalog.log._MOST_FILES", 1)
    sqlite_house.begin("one")
    sqlite_house.make("fct_builds", 0, namespace=LOG)
    overwrite = Table.overwrite

    def overwrite_later(*what: Any, **how: Any) -> None:
        sqlite_house.append("fct_builds", 1, namespace=LOG)
        overwrite(*what, **how)

    monkeypatch.setattr(Table, "overwrite", overwrite_later)
    with pytest.raises(CatalogError, match=r"fct_builds cannot be changed: Added data files were"):
        append(sqlite_house, 2)


@pytest.mark.parametrize("kind", ["*.metadata.json", "*.avro", "*.parquet"])
def test_a_damaged_log_is_reported(
    sqlite_house: House, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr("scuttlehouse.catalog.log._MOST_FILES", 1)
    sqlite_house.begin("one")
    metadata_file = sqlite_house.make("fct_builds", 0, namespace=LOG)
    [file, *_] = [path for path in map(Path, files_of(metadata_file)) if path.match(kind)]
    flip(file, 8 * 100)
    with pytest.raises(CatalogError) as raised:
        append(sqlite_house, 1)
    assert str(raised.value) == (
        f"The table fct_builds is damaged. The file {file} is damaged: it does not match its checksums. "
        "Restore the file from a backup, or run `scuttlehouse build --full-refresh`, which reads all logs "
        "again and begins a new log of runs."
    )
    assert sqlite_house.tables(LOG) == {"fct_builds": metadata_file}


def test_a_clock_that_is_behind_is_reported(
    sqlite_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With changes out of the order of their times, Spark would not read the log any more."""
    now = time.time()
    sqlite_house.begin("one")
    with monkeypatch.context() as clock:
        clock.setattr(time, "time", lambda: now + 3600)
        metadata_file = sqlite_house.make("fct_builds", 0, namespace=LOG)
    with pytest.raises(CatalogError, match=r"^The clock of this machine is behind: the last run"):
        append(sqlite_house, 1)
    assert sqlite_house.tables(LOG) == {"fct_builds": metadata_file}
    monkeypatch.setattr(time, "time", lambda: now + 3560)
    append(sqlite_house, 1)
    assert sqlite_house.read() == {"fct_builds": [0, 1]}


def test_other_columns_are_reported(sqlite_house: House) -> None:
    sqlite_house.begin("one")
    sqlite_house.make("fct_builds", 0, namespace=LOG)
    other = pa.table({"number": ["a"], "unknown": [1]})
    with (
        open_catalog(sqlite_house.home) as catalog,
        pytest.raises(
            CatalogError, match=r"^The table scuttlehouse_work_log\.fct_builds cannot be changed"
        ),
    ):
        append_steps(catalog, sqlite_house.home, other, MAIN)
    assert Path(sqlite_house.tables(LOG)["fct_builds"]).exists()
