"""The catalog database: its tables, its readers, damage, and databases of other homes."""

from __future__ import annotations

import errno
import os
import pwd
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import psycopg
import pytest
from hypothesis import settings
from pyiceberg.catalog.sql import SqlCatalog

from houses import House, exit_code, flip, fork
from postgresql import PASSWORD, URL_PASSWORD
from scuttlehouse.catalog.home import prepare_home
from scuttlehouse.catalog.names import CATALOG, MAIN, WORK, CatalogError
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.catalog.spark import catalog_settings

# The change stays in SQLite's write-ahead log.
WRITE = "update iceberg_tables set previous_metadata_location = 'earlier'"

COLUMNS = """
    select table_name, column_name, data_type, character_maximum_length
    from information_schema.columns where table_schema = 'public' order by 1, 2
"""


def columns(house: House) -> list[tuple[object, ...]]:
    if house.address:
        with psycopg.connect(house.address) as connection:
            found = connection.execute(COLUMNS).fetchall()
    else:
        with sqlite3.connect(house.home / "catalog.db") as database:
            found = [
                (table, column[1], column[2].upper())
                for table in ("iceberg_tables", "iceberg_namespace_properties")
                for column in database.execute(
                    f"select * from pragma_table_info('{table}') order by 2"
                )
            ]
    return [column for column in found if "scuttlehouse" not in str(column[0])]


def test_the_tables_are_those_that_iceberg_makes(house: House) -> None:
    uri = house.address.replace("postgresql://", "postgresql+psycopg://")
    SqlCatalog(CATALOG, uri=uri or f"sqlite:///{house.home}/catalog.db").close()
    of_iceberg = columns(house)
    assert of_iceberg
    with open_catalog(house.home):
        assert columns(house) == of_iceberg
    if house.address:
        with psycopg.connect(house.address, autocommit=True) as connection:
            connection.execute("drop table iceberg_tables, iceberg_namespace_properties")
            connection.execute("drop table scuttlehouse_state, scuttlehouse_builds")
    else:
        (house.home / "catalog.db").unlink()
    with open_catalog(house.home):
        assert columns(house) == of_iceberg
    house.begin("one")
    house.make("dim_a", 1)
    assert house.read(WORK) == {"dim_a": [1]}


def test_many_open_a_new_home_at_once(house: House) -> None:
    def begin(number: int) -> None:
        house.begin(f"build-{number}")

    processes = [fork(lambda number=number: begin(number)) for number in range(6)]
    assert [exit_code(process) for process in processes] == [0] * 6
    house.build("one", {"dim_a": 1})


@pytest.mark.parametrize("umask", [0, 0o077, 0o777])
def test_only_the_owner_reads_the_catalog(sqlite_house: House, umask: int) -> None:
    catalog_file = sqlite_house.home / "catalog.db"
    shutil.rmtree(sqlite_house.home)
    before = os.umask(umask)
    try:
        prepare_home(sqlite_house.home)
        with open_catalog(sqlite_house.home) as catalog:
            catalog.begin("one", "", "", refresh=False, rebuilt=(), schemas=MAIN)
            files = sorted(sqlite_house.home.iterdir())
            assert [path.name for path in files] == [
                f"catalog.db{end}" for end in ("", "-shm", "-wal")
            ]
            assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    finally:
        os.umask(before)
    assert sqlite_house.home.stat().st_mode & 0o777 == 0o700
    catalog_file.chmod(0o644)
    with open_catalog(sqlite_house.home):
        assert catalog_file.stat().st_mode & 0o777 == 0o600


@pytest.fixture
def open_house(monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """A home that everybody may read and nobody may write, not even its owner or root."""
    monkeypatch.setenv("SCUTTLEHOUSE_CATALOG", "")
    folder = Path(tempfile.mkdtemp(prefix="scuttlehouse-open-"))
    prepare_home(folder / "home")
    yield House(folder / "home")
    for path in (folder, folder / "home"):
        path.chmod(0o700)
    shutil.rmtree(folder)


def read_as_somebody_else(house: House, read: Callable[[], None]) -> None:
    """Read in a process that may not write. The home is the same afterwards."""
    house.home.parent.chmod(0o555)
    house.home.chmod(0o555)
    for path in house.home.glob("catalog.db*"):
        path.chmod(0o444)
    before = {path: path.read_bytes() for path in house.home.glob("catalog.db*")}

    def as_nobody() -> None:
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.setgroups([])
            os.setgid(nobody.pw_gid)
            os.setuid(nobody.pw_uid)
        with pytest.raises(OSError, match="denied"):
            (house.home / "new").touch()
        read()

    assert exit_code(fork(as_nobody)) == 0
    assert before == {path: path.read_bytes() for path in house.home.glob("catalog.db*")}
    house.home.chmod(0o700)
    for path in house.home.glob("catalog.db*"):
        path.chmod(0o600)


def test_users_without_write_access_read_the_published_tables(open_house: House) -> None:
    def is_published(build_id: str | None) -> None:
        build = open_house.published()
        assert (build and build.build_id) == build_id

    with open_catalog(open_house.home):
        pass
    read_as_somebody_else(open_house, lambda: is_published(None))
    open_house.build("one", {"dim_a": 1})
    assert not (open_house.home / "catalog.db-wal").exists(), "nobody has it open"
    read_as_somebody_else(open_house, lambda: is_published("one"))

    with open_catalog(open_house.home) as catalog:
        catalog.begin("two", "", "", refresh=True, rebuilt=(), schemas=MAIN)
        read_as_somebody_else(open_house, lambda: is_published("one"))
        catalog.database.execute(WRITE)
        assert (open_house.home / "catalog.db-wal").stat().st_size
        read_as_somebody_else(open_house, lambda: is_published("one"))
        catalog.database.execute("begin immediate")
        catalog.database.execute("delete from scuttlehouse_builds")
        read_as_somebody_else(open_house, lambda: is_published("one"))
        catalog.database.execute("rollback")


def test_users_without_write_access_read_after_a_killed_writer(open_house: House) -> None:
    open_house.build("one", {"dim_a": 1})

    def publish_and_die() -> None:
        with open_catalog(open_house.home) as catalog:
            catalog.begin("two", "", "", refresh=True, rebuilt=(), schemas=MAIN)
            catalog.publish("two", ["dim_a"], is_whole=True, landing="", kept_builds=2)
            catalog.database.execute(WRITE)
            os.kill(os.getpid(), signal.SIGKILL)

    def is_published() -> None:
        build = open_house.published()
        assert build
        assert build.build_id == "two"

    assert exit_code(fork(publish_and_die)) == -signal.SIGKILL
    assert (open_house.home / "catalog.db-wal").stat().st_size
    read_as_somebody_else(open_house, is_published)
    (open_house.home / "catalog.db-shm").unlink()
    read_as_somebody_else(open_house, is_published)
    is_published()


OPEN = """
import sys
from pathlib import Path
from scuttlehouse.catalog.opening import open_catalog
with open_catalog(Path(sys.argv[1])):
    pass
"""


def test_a_reader_keeps_the_locks_of_its_process(sqlite_house: House) -> None:
    log = sqlite_house.home / "catalog.db-wal"

    with open_catalog(sqlite_house.home) as catalog:
        catalog.begin("one", "", "", refresh=False, rebuilt=(), schemas=MAIN)
        assert sqlite_house.published() is None
        with open_catalog(sqlite_house.home):
            pass
        subprocess.run([sys.executable, "-c", OPEN, str(sqlite_house.home)], check=True)
        assert log.exists(), "the other process has taken itself for the last one"
        catalog.publish("one", [], is_whole=True, landing="", kept_builds=1)
    assert not log.exists()
    assert sqlite_house.kept() == ["one"]


@pytest.mark.parametrize("is_moved", [False, True])
def test_a_home_that_was_copied_or_moved_is_refused(sqlite_house: House, is_moved: bool) -> None:
    sqlite_house.build("one", {"dim_a": 1})
    other = sqlite_house.home.with_name("other")
    if is_moved:
        sqlite_house.home.rename(other)
    else:
        shutil.copytree(sqlite_house.home, other)
    for read_only in False, True:
        with (
            pytest.raises(
                CatalogError, match=r"^The catalog of \S+/other belongs to the home \S+/home, "
            ),
            open_catalog(other, read_only=read_only),
        ):
            pass
    if is_moved:
        other.rename(sqlite_house.home)
    assert sqlite_house.kept() == ["one"]


def test_tables_that_are_elsewhere_than_the_settings_say_are_not_called_damaged(
    sqlite_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody has forgotten or changed SCUTTLEHOUSE_WAREHOUSE."""
    home = sqlite_house.home
    sqlite_house.build("one", {"dim_a": 1})
    monkeypatch.setenv("SCUTTLEHOUSE_WAREHOUSE", "s3://bucket/house")
    told = rf"^The tables of {home} are not in s3://bucket/house \(one is {home}/warehouse/\S+\): set SCUTTLE"
    for read_only in False, True:
        with pytest.raises(CatalogError, match=told), open_catalog(home, read_only=read_only):
            pass
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(home))
    with pytest.raises(CatalogError, match=told):
        catalog_settings()
    monkeypatch.delenv("SCUTTLEHOUSE_WAREHOUSE")
    assert sqlite_house.read() == {"dim_a": [1]}
    with open_catalog(home) as catalog:
        in_s3 = "update iceberg_tables set metadata_location = replace(metadata_location, ?, ?)"
        catalog.database.execute(in_s3, f"{home}/warehouse", "s3://bucket/house")
    told = rf"^The tables of {home} are not in {home}/warehouse \(one is s3://bucket/house/\S+\): set SCUTTLE"
    for read_only in False, True:
        with pytest.raises(CatalogError, match=told), open_catalog(home, read_only=read_only):
            pass


@pytest.mark.parametrize("house", ["postgresql"], indirect=True)
def test_a_database_of_another_home_is_refused(house: House, tmp_path: Path) -> None:
    house.build("one", {"dim_a": 1})
    prepare_home(tmp_path / "other")
    for read_only in False, True:
        with (
            pytest.raises(
                CatalogError, match=r"cannot be copied or moved.* put back those that you"
            ),
            open_catalog(tmp_path / "other", read_only=read_only),
        ):
            pass


@pytest.mark.parametrize("damage", ["removed", "emptied"])
def test_tables_without_a_catalog_are_refused(house: House, damage: str) -> None:
    house.build("one", {"dim_a": 1})
    if house.address:
        with psycopg.connect(house.address, autocommit=True) as connection:
            connection.execute("drop table scuttlehouse_state, scuttlehouse_builds")
    elif damage == "removed":
        (house.home / "catalog.db").unlink()
    else:
        (house.home / "catalog.db").write_bytes(b"")
    for read_only in True, False:
        with (
            pytest.raises(
                CatalogError, match=r"names them is missing: restore it .* put back those that"
            ),
            open_catalog(house.home, read_only=read_only),
        ):
            pass


def answers(house: House) -> tuple[object, ...]:
    """What a catalog says of its builds. None for what it refuses with a sentence."""
    given: list[object] = []
    for ask in house.published, house.kept:
        try:
            given.append(ask())
        except CatalogError:
            given.append(None)
    return tuple(given)


def is_right_or_refused(house: House, right: tuple[object, ...]) -> bool:
    """Whether reading and beginning a build give the right answer, or a sentence."""
    given = answers(house)
    assert all(now in (None, before) for now, before in zip(given, right, strict=True)), given
    try:
        house.begin("next")
    except CatalogError:
        return False
    tables = {name: numbers[0] for name, numbers in house.read(WORK).items()}
    assert tables == {"dim_a": 2, "dim_b": 2}
    assert house.read() == {"dim_a": [2], "dim_b": [2]}
    return True


def test_a_damaged_catalog_is_reported_or_gives_the_right_answer(sqlite_house: House) -> None:
    sqlite_house.build("one", {"dim_a": 1, "dim_b": 1})
    sqlite_house.build("two", {"dim_a": 2, "dim_b": 2})
    catalog_file = sqlite_house.home / "catalog.db"
    whole = catalog_file.read_bytes()
    right = answers(sqlite_house)
    assert None not in right
    seed = random.randrange(10**9)
    choose = random.Random(seed)
    outcomes = {True: 0, False: 0}
    for turn in range(5 * settings.default.max_examples):
        print(f"seed {seed}, turn {turn}")
        for file in sqlite_house.home.glob("catalog.db-*"):
            file.unlink()
        catalog_file.write_bytes(whole)
        if turn % 10:
            flip(catalog_file, choose.randrange(8 * len(whole)))
        else:
            catalog_file.write_bytes(whole[: choose.randrange(len(whole))])
        outcomes[is_right_or_refused(sqlite_house, right)] += 1
    assert all(outcomes.values()), outcomes


def test_a_damaged_column_name_is_reported(sqlite_house: House) -> None:
    sqlite_house.build("one", {"dim_a": 1})
    catalog_file = sqlite_house.home / "catalog.db"
    whole = catalog_file.read_bytes()
    for name in (b"previous_metadata_location", b"property_value", b"iceberg_type"):
        place = whole.index(name)
        catalog_file.write_bytes(whole)
        flip(catalog_file, 8 * (place + len(name) - 1))
        with pytest.raises(CatalogError, match=r"SQLite cannot use the catalog .*no such column"):
            sqlite_house.kept()


def test_a_damaged_log_of_a_killed_process_undoes_nothing(sqlite_house: House) -> None:
    sqlite_house.build("one", {"dim_a": 1})
    sqlite_house.begin("two")
    log = sqlite_house.home / "catalog.db-wal"

    def publish_and_die() -> None:
        with open_catalog(sqlite_house.home) as catalog:
            catalog.publish("two", [], is_whole=True, landing="", kept_builds=2)
            assert log.stat().st_size == 0, "it is in the database"
            catalog.database.execute(WRITE)
            os.kill(os.getpid(), signal.SIGKILL)

    assert exit_code(fork(publish_and_die)) == -signal.SIGKILL
    whole = log.read_bytes()
    assert whole
    for place in range(0, len(whole), 97):
        log.write_bytes(whole)
        flip(log, 8 * place)
        assert sqlite_house.kept() == ["two", "one"], f"byte {place}"


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("catalog", "^SCUTTLEHOUSE_CATALOG needs psycopg"),
        ("sqlite:/tmp/catalog.db", "^SCUTTLEHOUSE_CATALOG needs psycopg"),
        (
            f"postgresql://tester:{PASSWORD}@127.0.0.1/catalog",
            "write every character that is not a letter",
        ),
        (
            f"postgresql://tester:{URL_PASSWORD}@127.0.0.1:9/catalog",
            r"^PostgreSQL cannot be used for the catalog \(SCUTTLEHOUSE_CATALOG\): .*refused",
        ),
    ],
)
def test_an_unusable_postgresql_is_reported_without_its_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, sentence: str
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_CATALOG", address)
    with pytest.raises(CatalogError, match=sentence) as raised, open_catalog(tmp_path):
        pass
    assert "hush" not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_without_room_for_a_copy_there_is_a_sentence(
    sqlite_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A killed build leaves a write-ahead log, and often a full disk."""
    sqlite_house.build("one", {"dim_a": 1})
    full = OSError(errno.ENOSPC, "No space left on device", "/tmp/copy")

    def fail(*_: object, **__: object) -> NoReturn:
        raise full

    with open_catalog(
        sqlite_house.home
    ) as catalog:  # The log stays while somebody has the catalog open.
        catalog.database.execute(WRITE)
        assert (sqlite_house.home / "catalog.db-wal").stat().st_size
        for broken in ("tempfile.mkdtemp", "pathlib.Path.write_bytes"):
            with monkeypatch.context() as patch:
                patch.setattr(broken, fail)
                with pytest.raises(
                    CatalogError, match=r"no room \(No space left on device\): make"
                ):
                    sqlite_house.published()
        assert sqlite_house.published()


def test_a_file_in_place_of_the_home_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "home").touch()
    sentence = (
        r"catalog\.db cannot be opened \(Not a directory\): set SCUTTLEHOUSE_HOME to the folder"
    )
    with (
        pytest.raises(CatalogError, match=sentence),
        open_catalog(tmp_path / "home", read_only=True),
    ):
        pass


def test_a_full_disk_is_reported(sqlite_house: House) -> None:
    sqlite_house.build("one", {"dim_a": 1})

    def begin_on_a_full_disk() -> None:
        with open_catalog(sqlite_house.home) as catalog:
            [[pages]] = catalog.database.rows("pragma page_count")
            catalog.database.rows(f"pragma max_page_count = {pages}")
            catalog.begin("x" * 100_000, "", "", refresh=True, rebuilt=(), schemas=MAIN)

    with pytest.raises(CatalogError, match="database or disk is full"):
        begin_on_a_full_disk()
    assert sqlite_house.kept() == ["one"]
    sqlite_house.build("two", {"dim_a": 2})


def test_a_full_disk_that_ends_the_transaction_is_reported(sqlite_house: House) -> None:
    """SQLite rolls back by itself if an insert of one row does not fit."""
    insert = "insert into iceberg_namespace_properties values (?, 'a', 'exists', ?)"

    def insert_on_a_full_disk() -> None:
        with open_catalog(sqlite_house.home) as catalog, catalog.database.transaction():
            [[pages]] = catalog.database.rows("pragma page_count")
            catalog.database.rows(f"pragma max_page_count = {pages}")
            catalog.database.execute(insert, CATALOG, "x" * 100_000)

    with pytest.raises(CatalogError, match="database or disk is full"):
        insert_on_a_full_disk()
