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
from scuttlehouse.catalog.lock import BuildLock
from scuttlehouse.catalog.names import WORK, CatalogError

PAGE = Path(__file__).parents[3] / "OPERATION.md"


def commands(section: str) -> list[str]:
    """The commands of a section of the page."""
    [text] = re.findall(rf"^### {section}\n(.*?)(?=^###? |\Z)", PAGE.read_text(), re.M | re.S)
    return re.findall(r"^ {4}(\S(?:.*\\\n)*.*)$", text, re.M)


def run(command: str, house: House, backup: Path) -> None:
    subprocess.run(["bash", "-ceu", command], check=True, env=environment(house, backup))


def environment(house: House, backup: Path) -> dict[str, str]:
    programs = Path(postgresql.find("pg_dump")).parent
    return {
        **os.environ,
        "PATH": f"{os.environ['PATH']}:{programs}",
        "SCUTTLEHOUSE_HOME": str(house.home),
        "SCUTTLEHOUSE_CATALOG": house.address,
        "BACKUP": str(backup),
    }


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


@pytest.mark.parametrize("house", ["postgresql"], indirect=True)
def test_a_run_between_the_two_commands_does_no_harm(house: House, tmp_path: Path) -> None:
    house.build("one", {"dim_a": 1})
    [dump, copy] = commands("Back up, with the catalog in PostgreSQL")
    run(dump, house, tmp_path)
    house.append("dim_a", 2)
    run(copy, house, tmp_path)
    lose(house)
    for command in commands("Restore, with the catalog in PostgreSQL"):
        run(command, house, tmp_path)
    assert house.read(WORK) == house.read() == {"dim_a": [1]}


# What a build, a run of dbt beside others, and a developer's build hold.
HOLDERS = [("build", True), ("build", False), ("files", False)]


def copying(program: str) -> str:
    """The command that copies a home with SQLite, with another program in place of tar."""
    [copy] = commands("Back up, with the catalog in SQLite")
    locks, tar, _ = copy.partition("tar ")
    assert tar
    return locks + program


@pytest.mark.parametrize(("name", "exclusive"), HOLDERS)
def test_nobody_begins_while_a_home_is_copied(
    sqlite_house: House, tmp_path: Path, name: str, exclusive: bool
) -> None:
    sqlite_house.build("one", {"dim_a": 1})
    with subprocess.Popen(
        ["bash", "-ceu", copying("cat")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(sqlite_house, tmp_path),
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"begun\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"begun\n"
        with pytest.raises(CatalogError, match="in use by another process"):
            BuildLock(sqlite_house.home, name).hold(exclusive=exclusive)
        assert sqlite_house.published(), "readers go on"
        process.stdin.close()
    BuildLock(sqlite_house.home, name).hold(exclusive=exclusive)
    BuildLock(sqlite_house.home, name).release()


@pytest.mark.parametrize(("name", "exclusive"), HOLDERS)
def test_a_home_is_not_copied_while_somebody_writes(
    sqlite_house: House, tmp_path: Path, name: str, exclusive: bool
) -> None:
    command = copying("true").replace("flock ", "flock --nonblock ")
    lock = BuildLock(sqlite_house.home, name)
    lock.hold(exclusive=exclusive)
    with pytest.raises(subprocess.CalledProcessError):
        run(command, sqlite_house, tmp_path)
    lock.release()
    run(command, sqlite_house, tmp_path)
