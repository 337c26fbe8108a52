"""The published tables in PostgreSQL, as BI programs read them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import datetime, time
from decimal import Decimal
from pathlib import Path

import psycopg
import pyarrow as pa
import pytest

import postgresql
from scuttlehouse.catalog.home import prepare_home
from scuttlehouse.cli import main
from scuttlehouse.reading.engine import WarehouseError
from scuttlehouse.serving.postgresql import write_serving_database
from scuttlehouse.serving.renewal import renew_serving
from small_warehouse import SmallWarehouse
from test_duckdb_file import MESSAGES, damage_unseen, files_up_to

LISTS = pa.table(
    {"texts": [["a", 'b"c'], [], None], "Count": [1, None, 3], "name": ["", "a,b\nc", None]}
)


@pytest.fixture
def small(tmp_path: Path) -> SmallWarehouse:
    prepare_home(tmp_path / "home")
    small = SmallWarehouse(tmp_path / "home")
    small.publish({"fct_messages": MESSAGES, "dim_lists": LISTS})
    return small


@pytest.fixture
def serving(postgresql_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[psycopg.Cursor]:
    """A cursor of an empty serving database."""
    monkeypatch.setenv("SCUTTLEHOUSE_SERVING", postgresql_url)
    with psycopg.connect(postgresql_url, autocommit=True) as connection:
        yield connection.cursor()
        connection.execute("drop schema if exists scuttlehouse cascade")


def rows(cursor: psycopg.Cursor, query: str) -> list[tuple[object, ...]]:
    return cursor.execute(query).fetchall()


def test_tables_in_postgresql(
    small: SmallWarehouse, serving: psycopg.Cursor, capsys: pytest.CaptureFixture[str]
) -> None:
    small.log("fct_builds", pa.table({"step": ["build"]}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCUTTLEHOUSE_HOME", str(small.home))
        assert main(["export"]) == 0
    assert "in the schema scuttlehouse" in capsys.readouterr().out
    assert not (small.home / "serving").exists()
    assert not [*small.home.rglob("*.csv")], "no copy of a table is left"
    assert rows(serving, "select * from scuttlehouse.fct_messages") == [
        ("a", 1, True, datetime(2026, 1, 2, 3, 4, 5, 678900)),
        ("b 'c'", 20, False, None),
        (None, None, None, datetime(1, 1, 1)),
    ]
    assert rows(serving, "select * from scuttlehouse.dim_lists") == [
        (["a", 'b"c'], 1, ""),
        ([], None, "a,b\nc"),
        (None, 3, None),
    ]
    assert rows(serving, "select * from scuttlehouse.fct_builds") == [("build",)]


def test_numbers_of_other_types_are_numbers(small: SmallWarehouse, serving: psycopg.Cursor) -> None:
    """A model of another project may have what ours have not: in Spark `1.5` is a decimal."""
    other = pa.table(
        {
            "share": pa.array(
                [Decimal("0.25"), Decimal("-1234567.89"), None], pa.decimal128(38, 6)
            ),
            "ratio": pa.array([0.5, float("inf"), None], pa.float32()),
            "bytes": pa.array([b"\x00\xff'\\", b"", None], pa.binary()),
            "time": pa.array([time(23, 59, 59, 999999), time(0), None], pa.time64("us")),
            "parts": [{"a": 1}, {"a": None}, None],
        }
    )
    small.publish({"club_shares": other})
    for _ in range(2):  # The second time the table is there, and keeps the views on it.
        assert renew_serving(small.home) is None
        assert rows(serving, "select * from scuttlehouse.club_shares") == [
            (Decimal("0.250000"), 0.5, b"\x00\xff'\\", time(23, 59, 59, 999999), {"a": 1}),
            (Decimal("-1234567.890000"), float("inf"), b"", time(0), {"a": None}),
            (None, None, None, None, None),
        ]
        serving.execute(
            "create or replace view mine as select sum(share) as n from scuttlehouse.club_shares"
        )
    serving.execute("drop view mine")


def test_descriptions_are_comments_and_follow_those_of_the_tables(
    small: SmallWarehouse, serving: psycopg.Cursor, postgresql_url: str
) -> None:
    write_serving_database(small.home, postgresql_url)
    for told in ("One's messages", "Messages"):
        small.begin()
        small.describe("dim_lists", told, Count=f"{told}, counted")
        small.end()
        write_serving_database(small.home, postgresql_url)
        table = "'scuttlehouse.dim_lists'::regclass"
        comments = f"select obj_description({table}), col_description({table}, 2)"
        assert rows(serving, comments) == [(told, f"{told}, counted")]


def test_a_build_and_a_rollback_renew_the_tables(
    small: SmallWarehouse, serving: psycopg.Cursor
) -> None:
    assert renew_serving(small.home) is None
    serving.execute("create view mine as select count(*) as n from scuttlehouse.fct_messages")
    small.publish({"fct_messages": MESSAGES.slice(0, 1), "dim_lists": LISTS.select(["name"])})
    assert rows(serving, "select n from mine") == [(3,)]
    assert renew_serving(small.home) is None
    assert rows(serving, "select n from mine") == [(1,)], "a view on the table stays"
    assert rows(serving, "select * from scuttlehouse.dim_lists")[0] == ("",)
    small.log("fct_builds", pa.table({"step": ["build"]}))
    # Damage shows that no other table is read.
    [path] = small.data_files("fct_messages")
    Path(path).write_bytes(b"damage")
    assert renew_serving(small.home, log_only=True) is None
    assert rows(serving, "select * from scuttlehouse.fct_builds") == [("build",)]
    assert rows(serving, "select n from mine") == [(1,)]
    serving.execute("drop view mine")


def test_a_build_that_was_not_shown_is_shown_by_the_next_run(
    small: SmallWarehouse, serving: psycopg.Cursor, postgresql_url: str
) -> None:
    """The database did not answer when it was published. A database without tables gets all of them, too."""
    small.log("fct_builds", pa.table({"step": ["build"]}))
    assert renew_serving(small.home, log_only=True) is None
    assert rows(serving, "select count(*) from scuttlehouse.fct_messages") == [(3,)]
    small.publish({"fct_messages": MESSAGES.slice(0, 1)})
    wrong = postgresql_url.replace(postgresql.URL_PASSWORD, "wrong")
    with pytest.raises(WarehouseError, match="cannot be written"):
        write_serving_database(small.home, wrong)
    assert renew_serving(small.home, log_only=True) is None
    assert rows(serving, "select count(*) from scuttlehouse.fct_messages") == [(1,)]
    record = (small.home / "serving.json").read_text()
    assert postgresql.PASSWORD not in record
    assert postgresql.URL_PASSWORD not in record


def test_other_tables_and_views_in_the_schema_stay(
    small: SmallWarehouse, serving: psycopg.Cursor, postgresql_url: str
) -> None:
    small.publish({"Unpublished": LISTS})
    write_serving_database(small.home, postgresql_url)
    serving.execute("create table scuttlehouse.notes as select 'of a reader' as note")
    serving.execute("create view scuttlehouse.noted as select note from scuttlehouse.notes")
    small.begin()
    small.end(public={"fct_messages"})
    write_serving_database(small.home, postgresql_url)
    listed = "select table_name from information_schema.tables where table_schema = 'scuttlehouse'"
    assert {name for [name] in rows(serving, listed)} == {"fct_messages", "notes", "noted"}
    assert rows(serving, "select note from scuttlehouse.noted") == [("of a reader",)]


@pytest.mark.usefixtures("serving")
def test_a_role_that_would_no_longer_find_its_other_tables_is_refused(
    small: SmallWarehouse, postgresql_url: str
) -> None:
    """PostgreSQL looks first in the schema that has the name of the role: there would be no catalog."""
    with psycopg.connect(postgresql_url, autocommit=True) as connection:
        connection.execute(
            f"create role scuttlehouse login superuser password '{postgresql.PASSWORD}'"
        )
        own = postgresql_url.replace("//tester:", "//scuttlehouse:")
        with pytest.raises(WarehouseError, match=r"^The role scuttlehouse .* another role"):
            write_serving_database(small.home, own)
        found = connection.execute("select to_regnamespace('scuttlehouse')").fetchone()
        assert found == (None,)
        connection.execute("drop role scuttlehouse")


def test_readers_see_one_build_and_do_not_wait(
    small: SmallWarehouse, serving: psycopg.Cursor, postgresql_url: str
) -> None:
    write_serving_database(small.home, postgresql_url)
    small.publish({"fct_messages": MESSAGES.slice(0, 1), "dim_lists": LISTS.slice(0, 1)})
    serving.execute("begin isolation level repeatable read")
    assert rows(serving, "select count(*) from scuttlehouse.fct_messages") == [(3,)]
    write_serving_database(small.home, postgresql_url)
    assert rows(serving, "select count(*) from scuttlehouse.dim_lists") == [(3,)]
    serving.execute("commit")
    assert rows(serving, "select count(*) from scuttlehouse.dim_lists") == [(1,)]


def test_names_arrive_in_any_encoding_of_the_database(
    small: SmallWarehouse, postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Strangers choose names. Each byte of them became a letter. A letter that cannot be stored is told."""
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    address = f"{postgresql_url.rpartition('/')[0]}/latin"
    with psycopg.connect(postgresql_url, autocommit=True) as server:
        server.execute("create database latin encoding 'LATIN1' template template0 locale 'C'")
    names = pa.table({"name": ["Jos\u00e9"], "names": [["Zo\u00e9"]]})
    try:
        small.publish({"dim_people": names})
        for place in (postgresql_url, address):
            write_serving_database(small.home, place)
            with psycopg.connect(place, client_encoding="utf8") as connection:
                written = connection.execute("select * from scuttlehouse.dim_people").fetchall()
            assert written == [("Jos\u00e9", ["Zo\u00e9"])]
        small.publish({"dim_people": pa.table({"name": ["\u6f22"]})})
        write_serving_database(small.home, postgresql_url)
        with pytest.raises(WarehouseError, match='no equivalent in encoding "LATIN1"'):
            write_serving_database(small.home, address)
    finally:
        with psycopg.connect(postgresql_url, autocommit=True) as server:
            server.execute("drop database latin")
            server.execute("drop schema if exists scuttlehouse cascade")


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://127.0.0.1:1/none",
        "postgresql://127.0.0.1:1/none?mode=fast",
        "postgresql://[::1/none",
        "postgresql://ann:a%zz@127.0.0.1:1/none",
        "mysql://here",
        "sqlite:x",
    ],
)
def test_a_database_that_cannot_be_used(
    small: SmallWarehouse, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_SERVING", address)
    said = renew_serving(small.home)
    assert said is not None
    assert said.startswith("The published tables stand, but dashboards do not show this run yet: ")
    assert "SCUTTLEHOUSE_SERVING" in said
    assert "replica" not in said
    assert "follow" not in said
    assert "a%zz" not in said, "it is a password"


def test_a_missing_driver_is_told(small: SmallWarehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_SERVING", "postgresql://127.0.0.1:1/none")
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert "install it with `pip install 'psycopg[binary]'`" in str(renew_serving(small.home))


@pytest.mark.usefixtures("serving")
def test_a_table_that_duckdb_cannot_read_is_named(
    small: SmallWarehouse, postgresql_url: str
) -> None:
    damage_unseen(small, "fct_messages")
    with pytest.raises(
        WarehouseError, match=r"^The table fct_messages cannot be read \(.*\)\. Restore"
    ):
        write_serving_database(small.home, postgresql_url)


@pytest.mark.usefixtures("serving")
def test_a_full_disk_is_a_sentence(small: SmallWarehouse, postgresql_url: str) -> None:
    with (
        files_up_to(10),
        pytest.raises(WarehouseError, match=r"cannot be written \(.*\): make room on its disk"),
    ):
        write_serving_database(small.home, postgresql_url)


@pytest.mark.usefixtures("serving")
def test_what_postgresql_tells_of_a_value_steers_no_terminal(small: SmallWarehouse) -> None:
    small.publish({"dim_lists": pa.table({"texts": [["\x00", "\u202eevE"]]})})
    said = renew_serving(small.home)
    assert said
    assert "dim_lists" in said
    assert "\u202e" not in said


def test_a_refused_statement_leaves_the_earlier_rows(
    small: SmallWarehouse, serving: psycopg.Cursor, postgresql_url: str
) -> None:
    write_serving_database(small.home, postgresql_url)
    serving.execute("create view mine as select texts from scuttlehouse.dim_lists")
    small.publish({"fct_messages": MESSAGES.slice(0, 1), "dim_lists": LISTS.select(["name"])})
    with pytest.raises(WarehouseError, match=r"cannot be written \(.*depend") as told:
        write_serving_database(small.home, postgresql_url)
    assert postgresql.PASSWORD not in str(told.value)
    assert rows(serving, "select count(*) from scuttlehouse.fct_messages") == [(3,)]
    serving.execute("drop view mine")
