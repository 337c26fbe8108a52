"""What the page OPERATION.md says of backups: the commands that it shows, on both databases."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import psycopg
import pytest

import postgresql
from houses import House
from scuttlehouse.catalog import BuildLock, CatalogError

PAGE = Path(__file__).parents[3] / "OPERATION.md"


def commands(section: str) -> list[str]:
    """The commands of a section of the page."""
    [text] = re.findall(rf"^### {section}\n(.*?)(?=^###? |\Z)", PAGE.read_text(), re.M | re.S)
    return [line.strip() for line in re.findall(r"^ {4}(\S.*)$", text, re.M)]


def run(command: str, house: House, backup: Path) -> None:
    programs = Path(postgresql.find("pg_dump")).parent
    subprocess.run(
        ["bash", "-ceu", command],
        check=True,
        env={
            **os.environ,
            "PATH": f"{os.environ['PATH']}:{programs}",
            "SCUTTLEHOUSE_HOME": str(house.home),
            "SCUTTLEHOUSE_CATALOG": house.address,
            "BACKUP": str(backup),
        },
    )


def test_a_home_is_as_it_was_after_a_backup_is_restored(house: House, tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    backup.mkdir()
    house.build("one", {"dim_a": 1, "dim_b": 1})
    house.build("two", {"dim_a": 2, "dim_b": 1})
    database = "PostgreSQL" if house.address else "SQLite"
    files = house.files()

    for command in commands(f"Back up, with the catalog in {database}"):
        run(command, house, backup)
    house.build("three", {"dim_a": 3, "dim_b": 3})
    lose(house)
    for command in commands(f"Restore, with the catalog in {database}"):
        run(command, house, backup)

    assert house.kept() == ["two", "one"]
    assert house.read() == {"dim_a": [2], "dim_b": [1]}
    assert house.files() == files
    assert house.home.stat().st_mode & 0o077 == 0
    house.build("four", {"dim_a": 2, "dim_b": 4})
    assert house.read() == {"dim_a": [2], "dim_b": [4]}
    assert house.roll_back().build_id == "two"


def lose(house: House) -> None:
    """The home is gone, and so is its database."""
    shutil.rmtree(house.home)
    if house.address:
        server, _, name = house.address.rpartition("/")
        with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
            connection.execute(f"drop database {name}")
            connection.execute(f"create database {name}")


def test_no_build_begins_while_a_home_is_copied(sqlite_house: House) -> None:
    [copy] = commands("Back up, with the catalog in SQLite")
    locked = re.match(r"flock --shared \"\$SCUTTLEHOUSE_HOME/build.lock\" ", copy)
    assert locked
    sqlite_house.build("one", {"dim_a": 1})
    waiting = [*("flock", "--shared", str(sqlite_house.home / "build.lock")), "cat"]
    with subprocess.Popen(waiting, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"begun\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"begun\n"
        with pytest.raises(CatalogError, match="in use by another process"):
            BuildLock(sqlite_house.home).hold(exclusive=True)
        process.stdin.close()
    BuildLock(sqlite_house.home).hold(exclusive=True)
    BuildLock(sqlite_house.home).release()
