"""Who else may read: nobody, or a group, which reads the published tables and no other file."""

from __future__ import annotations

import grp
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pyarrow as pa
import pytest

from conftest import PROJECT
from houses import House
from other_users import NOBODY, NOGROUP, OUTSIDER, let_through, needs_root, opened_by, queried_by
from scuttlehouse.builds.steps import run_step, steps_table
from scuttlehouse.catalog.checksums import sidecar
from scuttlehouse.catalog.home import prepare_home
from scuttlehouse.catalog.names import CatalogError
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.catalog.reached_files import files_of
from scuttlehouse.cli import main
from small_warehouse import SmallWarehouse

READERS = grp.getgrgid(NOGROUP).gr_name
QUERY = "select number from numbers"


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home whose own mode decides who can go through it."""
    with TemporaryDirectory() as folder:
        path = Path(folder).resolve() / "home"
        let_through(path)
        monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(path))
        monkeypatch.setenv("PYTHONPATH", str(PROJECT / "src"))
        monkeypatch.setenv("SCUTTLEHOUSE_CATALOG", "")
        monkeypatch.setenv("SCUTTLEHOUSE_READERS", READERS)
        # As builds set it.
        before = os.umask(0o077)
        yield path
        os.umask(before)


def build(home: Path, address: str = "") -> House:
    """Two builds, with a table that is not published, a key, and a log of runs."""
    prepare_home(home)
    (home / "key_hash.pepper").touch(0o600)
    house = House(home, address)
    for number in (1, 2):
        house.begin(f"build-{number}")
        house.make("numbers", number)
        house.make("secrets", number)
        house.publish(f"build-{number}", "numbers", is_whole=False)
    return house


def entries(home: Path) -> list[Path]:
    return [home, *home.rglob("*")]


def published_files(home: Path) -> set[Path]:
    with open_catalog(home) as catalog:
        tables = [table for build in catalog.kept() for table in build.public.values()]
    files = {Path(file) for table in tables for file in files_of(table)}
    return files | {sidecar(file) for file in files if sidecar(file).exists()}


@needs_root
def test_readers_read_the_published_tables_and_nothing_else(home: Path) -> None:
    build(home)
    catalog = {path for path in home.iterdir() if path.name.startswith("catalog.db")}
    assert opened_by(NOBODY, NOGROUP, entries(home)) == published_files(home) | catalog
    assert not opened_by(OUTSIDER, OUTSIDER, entries(home))
    before = {path: path.stat().st_mtime_ns for path in entries(home)}
    done = queried_by(NOBODY, NOGROUP, QUERY)
    assert (done.returncode, done.stdout) == (0, '{"number": 2}\n'), done.stderr
    assert {path: path.stat().st_mtime_ns for path in entries(home)} == before
    for statement in (
        "from scuttlehouse_work.secrets",
        f"from read_text('{home}/key_hash.pepper')",
    ):
        done = queried_by(NOBODY, NOGROUP, statement)
        assert (done.returncode, done.stdout) == (1, ""), done.stdout
        assert len(done.stderr.splitlines()) == 1
    done = queried_by(OUTSIDER, OUTSIDER, QUERY)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1


@needs_root
def test_readers_read_while_the_catalog_is_written(home: Path) -> None:
    """Then SQLite's log stands beside it."""
    build(home)
    with open_catalog(home) as catalog, catalog.database.transaction():
        catalog.database.execute("update iceberg_tables set iceberg_type = iceberg_type")
        done = queried_by(NOBODY, NOGROUP, QUERY)
    assert (done.returncode, done.stdout) == (0, '{"number": 2}\n'), done.stderr


@needs_root
def test_a_build_that_is_rolled_back_to_is_readable(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_READERS", "")
    house = build(home)
    prepare_home(home)
    assert not opened_by(NOBODY, NOGROUP, entries(home))
    monkeypatch.setenv("SCUTTLEHOUSE_READERS", READERS)
    house.roll_back("build-1")
    done = queried_by(NOBODY, NOGROUP, QUERY)
    assert (done.returncode, done.stdout) == (0, '{"number": 1}\n'), done.stderr


@needs_root
def test_a_build_with_nothing_new_lets_the_readers_in_or_out(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They may be others than when the tables were published, and a run without them has closed the home."""
    monkeypatch.setenv("SCUTTLEHOUSE_READERS", "")
    prepare_home(home)
    warehouse = SmallWarehouse(home)
    warehouse.log("fct_builds", steps_table([run_step("build-1", "published")]))
    published = warehouse.publish({"numbers": pa.table({"number": [7]})})
    monkeypatch.setattr("scuttlehouse.builds.unchanged.unchanged_build", lambda *_: published)

    def rows() -> str:
        assert main(["build"]) == 0
        return queried_by(NOBODY, NOGROUP, QUERY).stdout

    assert rows() == ""
    monkeypatch.setenv("SCUTTLEHOUSE_READERS", READERS)
    assert rows() == '{"number": 7}\n'
    monkeypatch.setenv("SCUTTLEHOUSE_READERS", "")
    assert rows() == ""
    assert not opened_by(NOBODY, NOGROUP, entries(home))


@needs_root
def test_without_the_setting_the_home_is_closed_again(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(home)
    monkeypatch.setenv("SCUTTLEHOUSE_READERS", "")
    prepare_home(home)
    assert home.stat().st_mode & 0o7777 == 0o700
    assert not opened_by(NOBODY, NOGROUP, entries(home))


def test_a_group_that_is_not_there(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_READERS", "no such group")
    with pytest.raises(CatalogError, match="there is no such group: make it"):
        prepare_home(home)


@needs_root
def test_a_role_of_postgresql_reads_and_changes_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch, postgresql_url: str
) -> None:
    """With the statements of OPERATION.md."""
    text = (PROJECT / "OPERATION.md").read_text()
    statements = text.partition("```sql\n")[2].partition("```")[0].replace("PASSWORD", "a b")
    address = postgresql_url.removesuffix("postgres") + "readers"
    with psycopg.connect(postgresql_url, autocommit=True) as connection:
        connection.execute("create database readers")
    monkeypatch.setenv("SCUTTLEHOUSE_CATALOG", address)
    build(home, address)
    with psycopg.connect(address, autocommit=True) as connection:
        for statement in filter(str.strip, statements.split(";")):
            connection.execute(statement.encode())
        connection.execute("create table others (secret text)")
    server = address.partition("@")[2]
    reader = f"postgresql://scuttlehouse_reader:a%20b@{server}"
    monkeypatch.setenv("SCUTTLEHOUSE_CATALOG", reader)
    done = queried_by(NOBODY, NOGROUP, QUERY)
    assert (done.returncode, done.stdout) == (0, '{"number": 2}\n'), done.stderr
    with psycopg.connect(reader, autocommit=True) as connection:
        for refused in (
            "update iceberg_tables set metadata_location = ''",
            "delete from scuttlehouse_state",
            "create table mine (a int)",
            "select * from others",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(refused.encode())
