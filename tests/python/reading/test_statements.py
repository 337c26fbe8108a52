"""Which statements run, and that no statement reads or writes anything except published tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from scuttlehouse.reading.engine import WarehouseError, connect, rows_of
from scuttlehouse.reading.statements import NO_QUERY, TABLE_FUNCTIONS
from scuttlehouse.reading.warehouse import Warehouse, open_published
from small_warehouse import SmallWarehouse

GROUPS = pa.table({"group_id": ["a", "b"], "epoch_count": [3, None]})


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> SmallWarehouse:
    small = SmallWarehouse(tmp_path_factory.mktemp("home"))
    small.publish({"dim_groups": GROUPS, "fct_messages": GROUPS})
    # A file in the warehouse that a query could name without its folder.
    (small.home / "warehouse" / "x.csv").write_text("secret\n1\n")
    return small


@pytest.fixture(scope="module")
def published(small: SmallWarehouse) -> Iterator[Warehouse]:
    with open_published(small.home) as warehouse:
        yield warehouse


@pytest.mark.parametrize(
    "statement",
    [
        "select count(*) from dim_groups",
        "with a as (select * from dim_groups) select count(*) from a",
        "with recursive a as (select 2 as n union all select n - 1 from a where n > 1) select max(n) from a",
        "from dim_groups select count(*)",
        "table dim_groups limit 2",
        "values (2)",
        "select count(*) from DIM_GROUPS",
        "select count(*) from Scuttlehouse.Dim_Groups",
        "select count(*) from scuttlehouse_build_1.dim_groups",
        "select count(*) from (select * from dim_groups union all select * from dim_groups) group by all",
        "select (select count(*) from dim_groups)",
        "select count(*) from dim_groups join fct_messages using (group_id)",
        "select * from (with dim_groups as (select 1) select 2), dim_groups",
        "select unnest([1, 2])",
        "select * from Range(2)",
        "select * from generate_series(1, 2)",
        """select * from json_each('{"a": 1, "b": 2}')""",
        "select value from json_tree('[1]')",
        "pivot dim_groups on group_id in ('a', 'b') using count(*)",
        "show tables",
        "show all tables",
        "show dim_groups",
        "describe dim_groups",
        "describe select 1",
        "summarize dim_groups",
        "select * from information_schema.tables where table_schema = 'scuttlehouse'",
        "select * from (show tables)",
        "-- a comment\nselect 1 /* and one more */;",
    ],
)
def test_queries_are_answered(published: Warehouse, statement: str) -> None:
    columns, rows = published.query(statement)
    assert rows
    assert {len(row) for row in rows} == {len(columns)}


@pytest.mark.parametrize(
    "statement",
    [
        "",
        "-- nothing",
        "drop table dim_groups",
        "drop view dim_groups",
        "create table t (a int)",
        "create or replace view dim_groups as select 1",
        "create macro f(x) as x",
        "create secret s (type s3)",
        "insert into dim_groups select * from dim_groups",
        "update dim_groups set group_id = 'x'",
        "delete from dim_groups",
        "merge into dim_groups using fct_messages on true when matched then delete",
        "copy dim_groups to 'x.csv'",
        "copy (select 1) to 'x.csv'",
        "export database 'x'",
        "import database 'x'",
        "attach 'x.db'",
        "detach memory",
        "use main",
        "set threads = 1",
        "set variable a = 1",
        "reset threads",
        "pragma database_list",
        "pragma table_info('dim_groups')",
        "pragma enable_profiling",
        "call pragma_version()",
        "install httpfs",
        "load httpfs",
        "begin",
        "checkpoint",
        "vacuum",
        "explain select 1",
        "explain analyze copy (select 1) to 'x.csv'",
        "prepare p as select 1",
        "execute p",
        "pivot dim_groups on group_id using count(*)",  # This makes a type first.
        "select * from (pivot dim_groups on group_id using count(*))",
    ],
)
def test_other_statements_are_refused(published: Warehouse, statement: str) -> None:
    with pytest.raises(WarehouseError) as refused:
        published.query(statement)
    assert str(refused.value) == NO_QUERY


@pytest.mark.parametrize(
    "statement",
    [
        "select 1; select 2",
        "select 1; copy (select 1) to 'x.csv'",
        "copy (select 1) to 'x.csv'; select 1",
        "select 1; drop view dim_groups;",
        "from dim_groups insert into dim_groups select *",
        "with a as (select 1) insert into dim_groups select * from a",
        "with a as (delete from dim_groups returning *) select * from a",
        "select * from (insert into dim_groups values ('x', 1) returning *)",
        "select 1; set threads = 1",
    ],
)
def test_nothing_is_hidden_behind_a_query(published: Warehouse, statement: str) -> None:
    with pytest.raises(WarehouseError):
        published.query(statement)
    assert published.query("select count(*) from dim_groups")[1] == [(2,)]
    assert published.query("select current_setting('threads')")[1] != [(1,)]


def functions_that_make_tables(connection: duckdb.DuckDBPyConnection) -> list[str]:
    rows = rows_of(
        connection,
        "select distinct function_name from duckdb_functions() "
        "where function_type in ('table', 'table_macro') order by function_name",
    )
    return [name for (name,) in rows]


def test_no_table_function_is_called_that_may_read_files(
    small: SmallWarehouse, published: Warehouse
) -> None:
    """Neither of DuckDB nor of its extensions, wherever it stands in a query."""
    with connect(str(small.home / "warehouse")) as connection:
        names = functions_that_make_tables(connection)
    known = {
        "read_text",
        "read_parquet",
        "glob",
        "iceberg_scan",
        "read_avro",
        "query",
        "arrow_scan",
    }
    assert known <= set(names)
    assert set(names) >= TABLE_FUNCTIONS
    file = small.home / "warehouse" / "x.csv"
    places = [
        "select * from {}",
        "select (select count(*) from {})",
        "with a as (select * from {}) select * from a",
        "describe select * from {}",
        "summarize select * from {}",
        "select 1 union all (select 1 from {})",
        "select 1 limit (select count(*) from {})",
        "select 1 order by (select count(*) from {})",
        "select * replace ((select 1 from {}) as group_id) from dim_groups",
        "select list_transform([1], lambda x: (select count(*) from {}))",
        "select * from dim_groups, lateral (select * from {})",
        "select count(*) over (order by (select 1 from {})) from dim_groups",
        "select * from dim_groups where exists (from {})",
        "pivot (from {}) on content in ('a') using count(*)",
    ]
    for name in sorted({*names} - TABLE_FUNCTIONS):
        for place in places if name == "read_text" else places[:1]:
            for call in f"{name}('{file}')", f"main.\"{name.upper()}\"('{file}')":
                with pytest.raises(
                    WarehouseError, match=r"^The table function \w+ is not available"
                ):
                    published.query(place.format(call))


@pytest.mark.parametrize("folder", ["warehouse", ""])
def test_no_file_is_read_by_its_name(
    small: SmallWarehouse, published: Warehouse, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = small.home / folder
    monkeypatch.chdir(place)
    (place / "scuttlehouse.csv").write_text("secret\n1\n")
    [data_file] = small.data_files("dim_groups")
    for table in [
        "'x.csv'",
        "x.csv",
        '"x"."csv"',
        "scuttlehouse.csv",
        "'./x.csv'",
        f"'{place}/x.csv'",
        f"'{data_file}'",
        "'/etc/passwd'",
        "'/etc/passwd.csv'",
        "'http://127.0.0.1/x.csv'",
        f"'{small.home}/catalog.db'",
        "information_schema.csv",
        "memory.scuttlehouse.csv",
        "memory.scuttlehouse.dim_groups",
        "scuttlehouse_work.dim_groups",
    ]:
        for statement in (
            f"select * from {table}",
            f"describe {table}",
            f"summarize {table}",
            f"with a as (select * from {table}) select * from a",
            f"""select * from (with "x.csv" as (select 1), a as (select 2) select * from a), {table}""",
        ):
            with pytest.raises(WarehouseError) as refused:
                published.query(statement)
            assert "secret" not in str(refused.value)


def test_the_engine_alone_reads_and_writes_nothing_elsewhere(
    small: SmallWarehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second wall: if the check of statements let something through, DuckDB refuses it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.csv").write_text("secret\n1\n")
    folder = small.home / "warehouse"
    with connect(str(folder)) as connection:
        for statement in [
            "from read_text('/etc/passwd')",
            "from 'x.csv'",
            "from glob('/etc/*')",
            f"from read_blob('{small.home}/catalog.db')",
            f"from read_blob('{folder}/../catalog.db')",
            f"copy (select 1) to '{tmp_path}/y.csv'",
            f"attach '{tmp_path}/y.db'",
            "install httpfs",
            "load httpfs",
            "from 'http://127.0.0.1/x.csv'",
            "create persistent secret s (type s3)",
            "set enable_external_access = true",
            f"set allowed_directories = ['{tmp_path}']",
            "set lock_configuration = false",
            "set temp_directory = '/tmp'",
            "set TimeZone = 'Europe/Zurich'",
        ]:
            with pytest.raises(duckdb.Error):
                connection.execute(statement).fetchall()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.csv"]


def test_a_long_query_shows_no_progress_among_its_rows(small: SmallWarehouse) -> None:
    with connect(str(small.home / "warehouse")) as connection:
        setting = connection.execute("select current_setting('enable_progress_bar')").fetchone()
    assert setting == (False,)


def test_no_function_reads_the_environment(small: SmallWarehouse, published: Warehouse) -> None:
    """Every function that a query can call and that sounds like it is known to be harmless."""
    with pytest.raises(WarehouseError, match="does not exist"):
        published.query("select getenv('PATH')")
    sounds = "env|file|read|path|secret|http|load|shell|system|exec|glob|open|write|import|variable"
    with connect(str(small.home / "warehouse")) as connection:
        found = rows_of(
            connection,
            "select distinct function_name from duckdb_functions() where function_type in "
            f"('scalar', 'macro', 'aggregate') and regexp_matches(function_name, '{sounds}')",
        )
    assert {name for (name,) in found} == {
        "getvariable",  # Of the session; no query can set one.
        "in_search_path",
        "json_extract_path",
        "json_extract_path_text",
        "parse_dirpath",  # These take a path apart, as a text.
        "parse_filename",
        "parse_path",
        "pg_conf_load_time",
        "write_log",  # Into memory.
    }


def test_the_variables_of_the_process_are_not_tables(published: Warehouse) -> None:
    secret_table = pa.table({"a": [1]})
    with pytest.raises(WarehouseError, match="secret_table does not exist"):
        published.query("select * from secret_table")
    assert secret_table.num_rows == 1


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (
            "select * from dim_group",
            'Table with name dim_group does not exist! Did you mean "dim_groups"',
        ),
        # DuckDB suggests a view of its own, pg_settings.
        ("select * from nothing", "name nothing does not exist! `show tables` lists"),
        ("select * from nope", "`show tables` lists the published tables: a build of"),
        ("select * from scuttlehouse.nope", "There is no table scuttlehouse.nope: `show tables`"),
        ("select nope from dim_groups", 'Referenced column "nope" not found'),
        ("select from where", 'syntax error at or near "where"'),
        ("select (", "syntax error"),
        ("select 'a", "unterminated"),
        ("select $1", "parameter"),
        ("select error('no way')", "no way"),
        ("select cast('x' as int)", "Could not convert string 'x'"),
        ("select 1; select 2", "Only one query is answered at a time"),
        ("select * from read_csv('/etc/passwd')", "The table function read_csv is not available"),
        ("select " + "(select " * 400 + "1" + ")" * 400, "nested|depth"),
        ("select 'a\0'", "."),
    ],
)
def test_errors_are_one_sentence(published: Warehouse, statement: str, expected: str) -> None:
    with pytest.raises(WarehouseError) as refused:
        published.query(statement)
    assert re.search(expected, str(refused.value))
    assert "\n" not in str(refused.value)
    assert "LINE" not in str(refused.value)


def test_a_division_by_zero_is_null(published: Warehouse) -> None:
    assert published.query("select 1 / 0, 1.0 / 0, 1 % 0")[1] == [(None, None, None)]


def test_all_tables_of_a_query_are_of_one_build(tmp_path: Path) -> None:
    """A reader continues with its build, whatever is published in the meantime."""
    small = SmallWarehouse(tmp_path)
    for number in range(1, 3):
        rows = pa.table({"build": [number]})
        small.publish({"dim_groups": rows, "fct_messages": rows})
    with open_published(tmp_path) as warehouse:
        assert warehouse.query("select * from dim_groups, fct_messages")[1] == [(2, 2)]
        rows = pa.table({"build": [3]})
        small.publish({"dim_groups": rows, "fct_messages": rows})
        assert warehouse.query("select * from dim_groups, fct_messages")[1] == [(2, 2)]
        assert warehouse.query("select * from scuttlehouse_build_1.dim_groups")[1] == [(1,)]
    with open_published(tmp_path) as warehouse:
        assert warehouse.query("select * from dim_groups, fct_messages")[1] == [(3, 3)]
        assert warehouse.query("select * from scuttlehouse_build_2.fct_messages")[1] == [(2,)]


def test_the_log_is_read_as_it_is_now(tmp_path: Path) -> None:
    small = SmallWarehouse(tmp_path)
    small.publish({"dim_groups": GROUPS})
    small.log("fct_builds", pa.table({"step": ["build"]}))
    small.log("fct_builds", pa.table({"step": ["test"]}))
    with open_published(tmp_path) as warehouse:
        assert warehouse.query("select * from fct_builds order by 1")[1] == [("build",), ("test",)]
        tables = warehouse.query("select table_name from information_schema.tables order by 1")[1]
        assert tables == [("dim_groups",), ("dim_groups",), ("fct_builds",)]
