"""What the adapter builds: first a crash, then a build on top of what the crash left."""

from __future__ import annotations

import datetime
import json
import re
import sys
import threading
from pathlib import Path
from types import ModuleType

import pytest

from conftest import Project
from tiny_project import write_project

GOOD = "--exclude", "tag:broken"


@pytest.fixture(scope="module")
def built(unbuilt: Project) -> Project:
    """The project after its first build, all in this process."""
    meeting = ModuleType("rendezvous")
    meeting.meet = threading.Barrier(2, timeout=120).wait  # type: ignore[attr-defined]
    sys.modules["rendezvous"] = meeting
    assert unbuilt.dbt("seed").success
    outcome = unbuilt.dbt("build", *GOOD)
    assert outcome.success, [(r.node.name, r.message) for r in outcome.result]
    return unbuilt


@pytest.fixture(scope="module")
def built_twice(built: Project) -> Project:
    outcome = built.dbt(
        "run", "--select", "grown_sql", "grown_python", "parted_sql", "parted_python"
    )
    assert outcome.success
    return built


def test_only_dbt_writes_on_the_terminal(unbuilt: Project, tmp_path: Path) -> None:
    run = unbuilt.start("run", "--select", "numbers", home=tmp_path)
    printed = run.communicate()[0]
    assert "START sql table model tiny.numbers" in printed
    assert [line for line in printed.splitlines() if not re.match(r"\d\d:\d\d:\d\d ", line)] == []


def test_the_end_of_java_leaves_no_stack_on_the_terminal(tmp_path: Path) -> None:
    write_project(tmp_path)
    (tmp_path / "models" / "ends_java.py").write_text(
        "import os\n\n"
        "def model(dbt, session):\n"
        "    os.kill(session.sparkContext._gateway.proc.pid, 9)\n"
        "    return session.range(1)\n"
    )
    run = Project(tmp_path).start("run", "--threads", "1", "--select", "ends_java", "numbers")
    printed = run.communicate()[0]
    assert printed.count("Spark's Java process has ended unexpectedly") >= 2, printed
    for part in ("Traceback", "Exception"):
        assert part not in printed


def test_sparks_output_is_in_a_log(built: Project) -> None:
    assert "WARN" in (built.root / "logs" / "spark.log").read_text()
    assert list(Path.cwd().iterdir()) == []


def test_settings_of_the_profile_reach_java_and_the_workers(built: Project) -> None:
    context = built.session.sparkContext
    java = context._jvm.java.lang.management.ManagementFactory.getRuntimeMXBean()
    assert {"-Xmx1g", "-XX:+UseSerialGC"} <= set(java.getInputArguments())
    assert context.pythonExec == sys.executable


def test_seed_keeps_nulls_quotes_and_large_numbers(built: Project) -> None:
    assert [tuple(row) for row in built.rows("select * from tiny.people order by id")] == [
        (1, "it's 100%", 1.5),
        (2, None, None),
        (9007199254740993, "back\\slash", 2.25),
    ]


def test_python_model_is_written_as_its_config_says(built: Project) -> None:
    rows = built.rows("select id, doubled, parity from tiny.doubled order by id")
    assert [tuple(row) for row in rows] == [(i, 2 * i, i % 2) for i in range(10)]
    information = built.rows("show table extended in tiny like 'doubled'")[0].information
    assert "Provider: orc" in information
    assert "Partition Columns: [`parity`]" in information
    assert "made_by=doubled" in information


def test_python_model_is_parquet_by_default(built: Project) -> None:
    information = built.rows("show table extended in tiny like 'from_pandas'")[0].information
    assert "Provider: parquet" in information


def test_pandas_keeps_its_nulls_and_types(built: Project) -> None:
    assert [tuple(row) for row in built.rows("select * from tiny.from_pandas order by i")] == [
        (1, "a", 1.5, datetime.datetime(2020, 1, 1, 12), ["x"]),
        (2, None, None, None, None),
    ]
    assert dict(built.session.table("tiny.from_pandas").dtypes) == {
        "i": "bigint",
        "s": "string",
        "f": "double",
        "at": "timestamp",
        "l": "array<string>",
    }


def test_arrow_table_of_a_source(built: Project) -> None:
    assert dict(built.session.table("tiny.from_arrow").dtypes)["n"] == "int"
    rows = built.rows("select id, n from tiny.from_arrow order by id")
    assert [tuple(row) for row in rows] == [(1, None), (2, None), (9007199254740993, None)]


def test_classes_of_a_model_reach_the_workers(built: Project) -> None:
    assert built.rows("select sum(tripled) as s from tiny.by_value")[0].s == 3 * 45


def test_models_run_at_the_same_time(built: Project) -> None:
    for who in "ab":
        assert [row.who for row in built.rows(f"select * from tiny.together_{who}")] == [who] * 3


def test_contract_on_a_view_over_a_python_model(built: Project) -> None:
    assert built.rows("select sum(doubled) as s from tiny.contracted")[0].s == 90
    view = built.root / "models" / "contracted.sql"
    was = view.read_text()
    view.write_text(was.replace("doubled from", "cast(doubled as string) as doubled from"))
    try:
        result = built.results("run", "--select", "contracted")["contracted"]
    finally:
        view.write_text(was)
    assert result.status == "error"
    assert "data type mismatch" in result.message


def test_stored_failures(built: Project) -> None:
    tables = [row.tableName for row in built.rows("show tables in tiny_dbt_test__audit")]
    assert len(tables) == 1
    assert len(built.rows(f"select * from tiny_dbt_test__audit.{tables[0]}")) == 7


@pytest.mark.parametrize("table", ["grown_sql", "grown_python"])
def test_append_keeps_the_rows_and_adds_those_of_the_model(
    built_twice: Project, table: str
) -> None:
    rows = built_twice.rows(
        f"select is_added, count(*) as n from tiny.{table} group by 1 order by 1"
    )
    assert [tuple(row) for row in rows] == [(False, 10), (True, 10)]


@pytest.mark.parametrize("table", ["parted_sql", "parted_python"])
def test_insert_overwrite_replaces_only_the_partitions_it_writes(
    built_twice: Project, table: str
) -> None:
    rows = built_twice.rows(f"select x, p from tiny.{table} order by p")
    assert [tuple(row) for row in rows] == [(0, 0), (9, 1)]


def test_nothing_remains_in_the_session(built_twice: Project) -> None:
    mode = built_twice.session.conf.get("spark.sql.sources.partitionOverwriteMode")
    assert mode is not None
    assert mode.lower() == "static"
    assert [t.name for t in built_twice.session.catalog.listTables("tiny") if t.isTemporary] == []


def test_full_refresh(built_twice: Project) -> None:
    results = built_twice.results("run", "--full-refresh", "--select", "grown_python", "parted_sql")
    assert {result.status for result in results.values()} == {"success"}
    assert built_twice.rows("select count(*) as n from tiny.grown_python")[0].n == 10
    assert built_twice.rows("select sum(x) as s from tiny.parted_sql")[0].s == 1


def test_empty_run_reads_no_rows(built_twice: Project) -> None:
    outcome = built_twice.dbt(
        "run", "--empty", "--select", "doubled", "from_arrow", "contracted_table"
    )
    assert outcome.success
    for table in ("doubled", "from_arrow", "contracted_table"):
        assert built_twice.rows(f"select count(*) as n from tiny.{table}")[0].n == 0
    assert built_twice.rows("select count(*) as n from tiny.numbers")[0].n == 10


def test_docs_are_generated(built: Project) -> None:
    assert built.dbt("docs", "generate", "--no-compile").success
    catalog = json.loads((built.root / "target" / "catalog.json").read_text())
    columns = catalog["nodes"]["model.tiny.doubled"]["columns"]
    assert set(columns) == {"id", "doubled", "parity"}


def test_show_returns_the_rows_of_a_query(built: Project) -> None:
    outcome = built.dbt("show", "--inline", "select id from {{ ref('numbers') }}", "--limit", "3")
    assert outcome.success
    assert len(outcome.result.results[0].agate_table.rows) == 3


@pytest.mark.usefixtures("built")
def test_a_macro_calls_a_python_function(built: Project) -> None:
    outcome = built.dbt("run-operation", "join_words", "--args", "{words: [a, b]}")
    assert outcome.success
    assert "a b" in (built.root / "logs" / "dbt.log").read_text()
    refused = built.dbt("run-operation", "join_words", "--args", "{words: [a, 1]}")
    assert not refused.success
    assert "expected string or bytes-like object" in (built.root / "logs" / "dbt.log").read_text()
