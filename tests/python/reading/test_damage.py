"""A file of a published table is removed, cut or changed. Nobody gets a wrong answer."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from houses import flip
from scuttlehouse.builds.changes import count_changes
from scuttlehouse.catalog import checksums
from scuttlehouse.catalog.expiry import remove_unreachable
from scuttlehouse.catalog.names import CatalogError
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.cli import main
from scuttlehouse.reading.engine import WarehouseError
from scuttlehouse.reading.warehouse import are_whole, open_published
from small_warehouse import SmallWarehouse

ROWS = pa.table({"id": [f"id {n}" for n in range(100)], "number": list(range(100))})
KINDS = {
    "metadata": "metadata/*.metadata.json",
    "manifest list": "metadata/snap-*.avro",
    "manifest": "metadata/*-m0.avro",
    "data": "data/*-0-*.parquet",
    "deletes": "data/*-deletes.parquet",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> SmallWarehouse:
    """Two tables with rows in several files, some of them deleted."""
    made = SmallWarehouse(tmp_path_factory.mktemp("home"))
    made.begin()
    for name in "dim_groups", "fct_messages":
        made.write(name, ROWS, files=2)
        file = min(made.data_files(name))
        made.delete(name, {file: [3, 4]})
    made.end()
    return made


@pytest.fixture
def small(made: SmallWarehouse) -> Iterator[SmallWarehouse]:
    """The same tables for every test: what a test damages is whole again after it."""
    files = [path for path in made.home.glob("warehouse/**/*.*") if path.is_file()]
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}
    yield made
    for path, (content, time) in before.items():
        path.write_bytes(content)
        os.utime(path, ns=(time, time))


def remove(path: Path) -> None:
    path.unlink()


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def files_of(small: SmallWarehouse, kind: str) -> list[Path]:
    """The files of a kind that the current snapshot of dim_groups needs."""
    found = sorted(small.home.glob(f"warehouse/*/dim_groups-*/{KINDS[kind]}"))
    if kind == "metadata":
        return found[-1:]
    if kind == "manifest list":
        return [max(found, key=lambda path: path.stat().st_mtime_ns)]
    return found


@pytest.mark.parametrize("damage", [remove, cut, empty, flip])
@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_is_named(
    small: SmallWarehouse, kind: str, damage: Callable[[Path], None]
) -> None:
    files = files_of(small, kind)
    assert files
    for path in files:
        content = path.read_bytes()
        damage(path)
        with open_published(small.home) as warehouse:
            for statement in (
                "select count(*) from dim_groups",
                "select number from fct_messages join dim_groups using (number)",
                "select max(number) from scuttlehouse_build_1.dim_groups",
                "summarize dim_groups",
                "select 1 where exists (from dim_groups where number = 1)",
            ):
                with pytest.raises(WarehouseError) as refused:
                    warehouse.query(statement)
                assert re.fullmatch(
                    rf"The file {re.escape(str(path))} is (missing|damaged).* "
                    r"The table (scuttlehouse_build_1\.)?dim_groups needs it\. Restore .*"
                    r"`scuttlehouse rollback`, or run `scuttlehouse build --full-refresh`, .* again\.",
                    str(refused.value),
                )
            assert warehouse.query("select count(*) from fct_messages")[1] == [(98,)]
            path.write_bytes(content)
            assert warehouse.query("select count(*) from dim_groups")[1] == [(98,)]


def test_the_command_names_a_damaged_file(
    small: SmallWarehouse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(small.home))
    [path, *_] = files_of(small, "data")
    flip(path)
    assert main(["sql", "select * from dim_groups"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(rf"The file {re.escape(str(path))} is damaged: .*\n", err)


def flip_a_sum(path: Path) -> None:
    """Flip a bit of a checksum. A bit of the chunk size might change nothing."""
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))


@pytest.mark.parametrize("damage", [cut, empty, flip_a_sum])
@pytest.mark.parametrize("kind", KINDS)
def test_damaged_checksums_are_like_a_damaged_file(
    small: SmallWarehouse, kind: str, damage: Callable[[Path], None]
) -> None:
    [path, *_] = files_of(small, kind)
    damage(checksums.sidecar(path))
    with open_published(small.home) as warehouse:
        with pytest.raises(WarehouseError, match=rf"^The file {path} .* dim_groups"):
            warehouse.query("select * from dim_groups")
        assert len(warehouse.query("select * from fct_messages")[1]) == 98


def test_without_checksums_an_intact_file_is_read(small: SmallWarehouse) -> None:
    for path in small.home.glob("warehouse/**/.*.crc"):
        path.unlink()
    with open_published(small.home) as warehouse:
        assert len(warehouse.query("select * from dim_groups")[1]) == 98


@pytest.mark.parametrize("damage", [remove, empty])
@pytest.mark.parametrize("kind", KINDS)
def test_without_checksums_a_damaged_file_is_an_error(
    small: SmallWarehouse, kind: str, damage: Callable[[Path], None]
) -> None:
    for path in small.home.glob("warehouse/**/.*.crc"):
        path.unlink()
    damage(files_of(small, kind)[0])
    with open_published(small.home) as warehouse:
        with pytest.raises(WarehouseError) as refused:
            warehouse.query("select * from dim_groups")
        assert "\n" not in str(refused.value)
        assert len(warehouse.query("select * from fct_messages")[1]) == 98


def test_tables_are_listed_beside_damaged_rows(small: SmallWarehouse) -> None:
    for kind in "data", "deletes":
        for path in files_of(small, kind):
            path.unlink()
    with open_published(small.home) as warehouse:
        assert warehouse.query("show tables")[1] == [("dim_groups",), ("fct_messages",)]
        with pytest.raises(WarehouseError, match="is missing"):
            warehouse.query("select * from dim_groups")


@pytest.mark.product
@pytest.mark.parametrize("damage", [remove, cut, flip])
@pytest.mark.parametrize("kind", ["metadata", "manifest list", "manifest"])
def test_tables_are_not_listed_beside_damaged_metadata(
    small: SmallWarehouse, kind: str, damage: Callable[[Path], None]
) -> None:
    """In a process of its own: DuckDB ends the process if it makes a view and cannot read a manifest.

    Whoever misspells a table is told of all tables, too.
    """
    files = files_of(small, kind)
    damage(files[0])
    command = [
        sys.executable,
        "-c",
        "import sys; from scuttlehouse.cli import main; sys.exit(main())",
    ]
    for statement in "show tables", "select * from dim_grups":
        told = subprocess.run(
            [*command, "sql", statement],
            env={**os.environ, "SCUTTLEHOUSE_HOME": str(small.home)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (told.returncode, told.stdout) == (1, ""), told.stderr
        sentence = rf"The file {re.escape(str(files[0]))} is (missing|damaged).* dim_groups needs it\. .*\n"
        assert re.fullmatch(sentence, told.stderr)


def test_published_tables_are_listed_beside_damaged_metadata_of_an_older_build(
    tmp_path: Path,
) -> None:
    small = SmallWarehouse(tmp_path)
    before = small.publish({"dim_groups": ROWS})
    small.publish({"dim_groups": ROWS})
    flip(Path(before.public["dim_groups"]))
    with open_published(small.home) as warehouse:
        assert warehouse.query("show tables")[1] == [("dim_groups",)]
        with pytest.raises(WarehouseError, match=r"name dim_grups does not exist.*dim_groups"):
            warehouse.query("select * from dim_grups")
    of_all = "show all tables", "show tables from scuttlehouse_build_1", "from duckdb_tables"
    for statement in *of_all, "from information_schema.tables":
        with (
            open_published(small.home) as warehouse,
            pytest.raises(WarehouseError, match=r"scuttlehouse_build_1\.dim_groups needs it"),
        ):
            warehouse.query(statement)


@pytest.fixture
def states(tmp_path: Path) -> tuple[SmallWarehouse, str, str]:
    small = SmallWarehouse(tmp_path)
    before = small.publish({"dim_groups": ROWS}).public["dim_groups"]
    small.begin()
    [file] = small.data_files("dim_groups")
    after = small.delete("dim_groups", {file: [7]})
    return small, before, after


@pytest.mark.parametrize("damage", [remove, flip])
def test_changes_are_not_counted_from_damaged_files(
    states: tuple[SmallWarehouse, str, str], damage: Callable[[Path], None]
) -> None:
    small, before, after = states
    folder = Path(after).parents[1]

    def count() -> object:
        return count_changes(
            small.home, {"dim_groups": before}, {"dim_groups": after}, {"dim_groups": ["id"]}
        )

    assert count() == {"dim_groups": (0, 0, 1)}
    needed = [Path(before), Path(after), *folder.glob("*/*.avro"), *folder.glob("data/*.parquet")]
    for path in needed:
        content = path.read_bytes()
        damage(path)
        with pytest.raises(WarehouseError, match=rf"^The file {path} .* table dim_groups needs it"):
            count()
        path.write_bytes(content)
    assert count() == {"dim_groups": (0, 0, 1)}


TWO = "dim_groups", "fct_messages"


def test_only_what_is_there_and_undamaged_is_whole(small: SmallWarehouse, tmp_path: Path) -> None:
    assert are_whole(small.home, *TWO)
    assert not are_whole(small.home, *TWO, "fct_timeline_updates"), "it is not published"
    assert not are_whole(SmallWarehouse(tmp_path).home, *TWO), "nothing is published"
    for kind in KINDS:
        [path, *_] = files_of(small, kind)
        content = path.read_bytes()
        flip(path)
        assert not are_whole(small.home, *TWO), kind
        path.write_bytes(content)
    assert are_whole(small.home, *TWO)


@pytest.mark.parametrize("silent", ["catalog", "S3", "disk"])
def test_what_nobody_can_say_is_not_taken_for_damage(
    small: SmallWarehouse, monkeypatch: pytest.MonkeyPatch, silent: str
) -> None:
    """A build would begin the history of the timelines again, which no replica could follow."""

    def refuse(*_: object) -> None:
        raise CatalogError("S3 cannot be used.")

    if silent == "catalog":
        monkeypatch.setenv("SCUTTLEHOUSE_CATALOG", "postgresql://127.0.0.1:1/none")
    elif silent == "S3":
        monkeypatch.setattr(checksums, "verify", refuse)
    else:
        (small.home / "catalog.db-wal").write_bytes(b"log")
        monkeypatch.setenv("TMPDIR", str(small.home / "none"))
        monkeypatch.setattr("tempfile.tempdir", str(small.home / "none"))
    try:
        with pytest.raises(CatalogError, match=r"cannot be used|no room"):
            are_whole(small.home, *TWO)
    finally:
        (small.home / "catalog.db-wal").unlink(missing_ok=True)


@pytest.mark.parametrize("table", ["dim_groups", "fct_builds"])
def test_what_builds_remove_while_it_is_read_is_not_called_damaged(
    tmp_path: Path, table: str
) -> None:
    """The advice for damage is to read all logs again, which helps nobody here."""
    small = SmallWarehouse(tmp_path)
    small.log("fct_builds", ROWS)
    small.publish(dict.fromkeys(TWO, ROWS))

    def read_beside_builds(table: str) -> None:
        with open_published(small.home) as warehouse:
            for _ in range(3):
                small.log("fct_builds", ROWS)
                small.publish({"dim_groups": ROWS})
            with open_catalog(small.home) as catalog:
                remove_unreachable(catalog, small.home, lambda: True)
            warehouse.rows(f"from {table}")

    read_beside_builds("fct_messages")  # All builds have the same.
    with pytest.raises(WarehouseError, match=r"^A build has replaced meanwhile .* try again\.$"):
        read_beside_builds(table)
    flip(Path(min(small.data_files("fct_messages"))))
    with pytest.raises(WarehouseError, match=r"^The file \S+ is damaged"):
        read_beside_builds("fct_messages")
