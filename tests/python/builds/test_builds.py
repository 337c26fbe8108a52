"""When a build finds nothing new, what a refresh tests, and what a run of a part does."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import pytest

from conftest import PROJECT, Build, Rows, Warehouse
from scuttlehouse.builds import beginning, rules, runs
from scuttlehouse.builds.beginning import check_variables
from scuttlehouse.builds.runs import RunError
from scuttlehouse.builds.steps import run_step, steps_table
from scuttlehouse.builds.unchanged import unchanged_build
from scuttlehouse.catalog.lock import BuildLock
from scuttlehouse.catalog.log import append_steps
from scuttlehouse.catalog.names import MAIN, CatalogError, Schemas, schemas_of
from scuttlehouse.catalog.opening import open_catalog

POSSIBLE = {"settle_steps": 64, "set_ghost_span": 1, "kept_builds": 1, "network_key_file": ""}
OTHER_KEY = "AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwM="
WITHOUT_UNIT_TESTS = "--exclude-resource-types", "unit_test"


def since(warehouse: Warehouse) -> str | None:
    """The build that a new build would compare with, if nothing has changed since."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in warehouse.environment.items():
            patch.setenv(name, value)
        build = unchanged_build(warehouse.home, warehouse.project)
    return build and build.build_id


def logged(warehouse: Warehouse) -> Rows:
    return warehouse.rows(
        "select * from scuttlehouse.fct_builds where step = 'build' order by started_at"
    )


def files(warehouse: Warehouse) -> set[str]:
    """The files of all tables except the log."""
    folder = warehouse.home / "warehouse"
    return {
        str(path)
        for path in folder.rglob("*.*")
        if path.is_file() and "fct_builds" not in path.parts
    }


@pytest.fixture
def kept(warehouse: Warehouse, built: Build) -> str:
    """The published build of exactly the logs in the landing folder."""
    return keep(warehouse, built)


def keep(warehouse: Warehouse, built: Build) -> str:
    warehouse.land(*built.logs)
    if since(warehouse) is None:
        warehouse.refresh("build", *WITHOUT_UNIT_TESTS)
    found = since(warehouse)
    assert found
    return found


@pytest.fixture(scope="module")
def untouched(warehouse: Warehouse, built: Build) -> dict[str, str]:
    """What dbt says of each step of a refresh that finds no touched id. It publishes a build."""
    keep(warehouse, built)
    with another_time(warehouse):
        outcome = warehouse.dbt("build", "--no-write-json", *WITHOUT_UNIT_TESTS)
    assert outcome.success
    return {one.node.name: one.message for one in outcome.result}


def test_a_build_with_nothing_new_changes_nothing(warehouse: Warehouse, kept: str) -> None:
    before, rows = files(warehouse), len(logged(warehouse))
    done = warehouse.run("scuttlehouse", "build", PATH="", JAVA_HOME="")
    assert done.returncode == 0, "neither dbt nor Java is started"
    assert f"nothing is new since build {kept}, published " in done.stdout
    assert files(warehouse) == before
    assert len(logged(warehouse)) == rows + 1
    assert [row["status"] for row in logged(warehouse)].count("unchanged") >= 1


@pytest.mark.usefixtures("kept")
def test_all_logs_moved_to_an_archive(
    warehouse: Warehouse, built: Build, capfd: pytest.CaptureFixture[str]
) -> None:
    warehouse.land()
    assert since(warehouse) is None, "all logs have vanished"
    warehouse.refresh("build", "-s", "stg_landing__logs", "--exclude-resource-types", "test")
    status = "select distinct status from scuttlehouse_work.stg_landing__logs"
    assert warehouse.rows(status) == [{"status": "vanished"}]
    outcome = warehouse.dbt("build", "-s", "stg_landing__logs", "--full-refresh", "--no-write-json")
    [shown] = [one.message for one in outcome.result if one.node.name == "stg_landing__logs"]
    assert "holds no log with a line in it" in shown, "a full refresh reads what is there"
    warehouse.land(built.logs[0])
    warehouse.build("build", "-s", "stg_landing__logs", "--exclude-resource-types", "test")
    shown = capfd.readouterr().out
    assert re.search(r"and \d+ that the published build has read are not in ", shown)


@pytest.mark.usefixtures("kept")
def test_code_is_parsed_before_dbt_has_threads(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """dbt parses values in its threads, and some versions of Python cannot parse twice at once."""
    threads: list[threading.Thread] = []

    def parse(code: bytes) -> ast.Module:
        threads.append(threading.current_thread())
        return ast.parse(code)

    monkeypatch.setattr(rules, "ast", SimpleNamespace(**{**vars(ast), "parse": parse}))
    rules._parsed.cache_clear()
    warehouse.refresh("run", "-s", "stg_landing__logs")
    assert {*threads} == {threading.main_thread()}


def test_lines_are_read_by_the_rules_of_the_ledger(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part of the project or a retry may have another network key than the run before."""
    warehouse.land(PROJECT / "sample" / "bob.jsonl")
    warehouse.build("run", "-s", "stg_landing__logs", "stg_landing__new_logs")
    monkeypatch.setattr(rules, "code_of_lines_hash", lambda: "other")
    landed = "stg_ssb__landed_lines", "stg_pzp__landed_lines"
    outcome = warehouse.dbt("run", "-s", *landed)
    said = {one.node.name: str(one.message) for one in outcome.result}
    for name in landed:
        assert (
            "have changed since `stg_landing__logs` was made: run `scuttlehouse build`"
            in (said[name])
        )


@pytest.mark.usefixtures("kept")
def test_an_unfinished_build_is_logged(warehouse: Warehouse) -> None:
    with open_catalog(warehouse.home) as catalog:
        catalog.begin("killed-one", "rules", "project", refresh=True, rebuilt=(), schemas=MAIN)
    warehouse.refresh("build", "-s", "tangle_kinds", "--exclude-resource-types", "test")
    [row] = [row for row in logged(warehouse) if row["build_id"] == "killed-one"]
    assert row["status"] == "killed"
    with open_catalog(warehouse.home) as catalog:
        append_steps(catalog, warehouse.home, steps_table([run_step("another", "failed")]), MAIN)
    assert logged(warehouse)[0]["build_id"] is not None


@pytest.mark.usefixtures("kept")
def test_a_developer_starts_from_the_published_tables(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Another build may run meanwhile."""
    monkeypatch.setenv("SCUTTLEHOUSE_DEVELOPER", "ann")
    ann = Schemas("scuttlehouse_dev_ann")
    published, files = warehouse.published(), set(warehouse.home.rglob("*.parquet"))
    lock = BuildLock(warehouse.home)
    lock.hold(exclusive=True)
    some = "-s", "dim_people", *WITHOUT_UNIT_TESTS
    warehouse.refresh("build", "--target", "dev", *some, "--no-write-json")
    lock.release()
    assert "A developer's build publishes nothing" in capfd.readouterr().out
    assert warehouse.published() == published
    with open_catalog(warehouse.home) as catalog:
        work, base = catalog.tables(ann.work), catalog.tables(ann.base)
    assert {name for name, file in work.items() if base[name] != file} >= {"dim_people"}
    assert len(work) > 30
    assert len(set(warehouse.home.rglob("*.parquet")) - files) < 10, "nothing is copied"
    count = "select count(*) as n from"
    for table in "dim_people", "fct_messages":
        assert warehouse.rows(f"{count} {ann.work}.{table}") == warehouse.rows(
            f"{count} scuttlehouse.{table}"
        )
    assert warehouse.rows(f"{count} {ann.log}.fct_builds where step = 'dim_people'")
    assert not warehouse.dbt("run-operation", "drop_developer_schema").success
    assert "is not the schema of a developer" in capfd.readouterr().out
    warehouse.refresh("run-operation", "drop_developer_schema", "--target", "dev")
    with open_catalog(warehouse.home) as catalog:
        assert not catalog.tables(ann.work)


def test_untouched_rows_are_neither_computed_nor_checked(
    warehouse: Warehouse, untouched: dict[str, str]
) -> None:
    """The tests above need no build after the first, so those of a refresh are behind them."""
    marts = ("dim_sets", "dim_tangles", "fct_messages", "dim_groups")
    assert {untouched[name] for name in marts} == {"no key to replace"}
    assert untouched["dim_logs"] == "OK"

    tables = "dim_groups", "dim_sets", "dim_tangles"
    of_groups, of_sets, of_tangles = pages = [
        warehouse.home / "data_docs" / f"{name}.html" for name in tables
    ]
    checks = [f"meets_expectations_{name}_" for name in tables]
    only = "--indirect-selection", "empty", "--no-write-json"
    assert warehouse.dbt("test", "-s", checks[0], *only).success
    of_sets.unlink()
    before = [page.exists() and page.read_text() for page in pages]
    checked = checked_by(warehouse)
    warehouse.refresh("build", "-s", *checks, *only)
    again = checked_by(warehouse)
    assert {name for name in again if again[name] != checked[name]} == {"dim_groups", "dim_sets"}
    assert of_tangles.read_text() == before[2]
    assert of_sets.exists(), "a missing page is written"
    assert of_groups.read_text() != before[0], "dbt test wrote it, and publishes nothing"


def checked_by(warehouse: Warehouse) -> dict[str, str]:
    """The one run whose results about a table stay, by the name of the table."""
    rows = warehouse.rows(
        "select distinct table_name, build_id from scuttlehouse_work.fct_quality_results"
    )
    found = {row["table_name"]: row["build_id"] for row in rows}
    assert len(found) == len(rows)
    return found


EXPECTATIONS = "meets_expectations_dim_tangles_"
IS_KEY = "is_key_dim_tangles_tangle_id"
OF_TANGLES = "tangles_add_up", IS_KEY, EXPECTATIONS


def found_faulty(warehouse: Warehouse) -> dict[str, bool]:
    """The tests of tangles, and whether they find faults."""
    options = "--indirect-selection", "empty", "--no-write-json"
    outcome = warehouse.dbt("test", "-s", *OF_TANGLES, *options)
    status = {one.node.name: str(one.status) for one in outcome.result}
    return {name: status[name] == "fail" for name in OF_TANGLES}


@pytest.mark.usefixtures("untouched")
def test_a_refresh_tests_what_it_computes(warehouse: Warehouse) -> None:
    """Faults are planted in the tables of a tangle. The refresh keeps or computes these tables."""
    find = "select max(tangle_id) as tangle_id from scuttlehouse.dim_tangles where depth > 0"
    [tangle] = [row["tangle_id"] for row in warehouse.rows(find)]
    none, all_three = dict.fromkeys(OF_TANGLES, False), dict.fromkeys(OF_TANGLES, True)
    for name in "dim_tangles", "fct_tangle_messages":
        warehouse.rows(f"insert into {name} select * from {name} where tangle_id = '{tangle}'")
    warehouse.rows(f"update dim_tangles set depth = -1 where tangle_id = '{tangle}'")
    with pytest.MonkeyPatch.context() as patch:
        run = runs.current

        def current(**changes: bool) -> Callable[[], runs.Run | None]:
            return lambda: replace(found, **changes) if (found := run()) else None

        patch.setattr(runs, "current", current(tests_touched_rows=True))
        assert found_faulty(warehouse) == none, f"kept: {tangle}"
        touched = f"insert into int_changes__tangles values ('{tangle}')"
        warehouse.rows(touched)
        assert found_faulty(warehouse) == all_three, f"computed: {tangle}"
        patch.setattr(runs, "current", current(tests_touched_rows=True, is_refresh=True))
        assert not found_faulty(warehouse)[IS_KEY], "only one of the two rows was inserted"
        for statement in (
            f"delete from dim_tangles where tangle_id = '{tangle}'",
            "insert into dim_tangles select published.* from scuttlehouse.dim_tangles as published "
            f"cross join (values 1, 2) where tangle_id = '{tangle}'",
        ):
            warehouse.rows(statement)
        assert found_faulty(warehouse)[IS_KEY], "both were inserted"
    everything = {name: name != EXPECTATIONS for name in OF_TANGLES}
    assert found_faulty(warehouse) == everything, "dbt test looks at everything"


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("settle_steps", 65, "a whole number from 1 to 64"),
        ("set_ghost_span", True, "a whole number from 1 to 2147483647"),
        # Spark would make a column of another type.
        ("set_ghost_span", 10**19, "a whole number from 1 to 2147483647"),
        ("kept_builds", 0, "a whole number from 1 to 2147483647"),
        # Of --vars '{kept_builds: "5"}'.
        ("kept_builds", "5", "a whole number from 1 to 2147483647"),
    ],
)
def test_impossible_settings_are_refused(name: str, value: object, wanted: str) -> None:
    check_variables(POSSIBLE)
    with pytest.raises(RunError, match=f"^The var {name} is {value!r}: set it to {wanted}.$"):
        check_variables({**POSSIBLE, name: value})


@pytest.mark.parametrize("value", [5, [OTHER_KEY], {OTHER_KEY: 1}, f"{OTHER_KEY}\0"])
def test_a_name_of_the_key_file_is_text(value: object) -> None:
    """No file has U+0000 in its name: Python would raise an error that is no OSError."""
    with pytest.raises(RunError, match=r"^The var network_key_file is no path: ") as raised:
        check_variables({**POSSIBLE, "network_key_file": value})
    assert OTHER_KEY not in str(raised.value)
    check_variables({**POSSIBLE, "network_key_file": None})


def test_python_without_docstrings_is_refused() -> None:
    begin = (
        "from scuttlehouse.builds import beginning; variables = {'settle_steps': 4, 'set_ghost_span': 32, "
        "'kept_builds': 3, 'network_key_file': ''}; "
        "beginning.begin('build', 'id', 'nobody', False, False, False, {}, ['a'], variables)"
    )
    done = subprocess.run(
        [sys.executable, "-c", begin],
        env={**os.environ, "PYTHONOPTIMIZE": "2"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "RunError: Python runs without docstrings, which Great Expectations" in done.stderr


def test_a_target_of_nobody_is_refused() -> None:
    """That of `dev`, where the environment has no name of the user."""
    with pytest.raises(CatalogError, match="Set SCUTTLEHOUSE_DEVELOPER to a name in small letters"):
        schemas_of("scuttlehouse_dev_")


def test_a_build_with_impossible_settings_ends_with_the_sentence(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The vars are those that dbt knows. With `--vars` dbt would parse the whole project again."""
    monkeypatch.setattr(
        beginning, "check_variables", lambda known: check_variables({**known, "kept_builds": "all"})
    )
    outcome = warehouse.dbt("build", "-s", "tangle_kinds")
    assert not outcome.success
    messages = [str(one.message) for one in outcome.result or ()]
    sentence = "The var kept_builds is 'all': set it to a whole number from 1 to 2147483647."
    assert any(sentence in message for message in [*messages, str(outcome.exception)])


@contextmanager
def another_time(warehouse: Warehouse) -> Iterator[None]:
    """A log has another time than in the published build, so there is something to build."""
    log = max(warehouse.landing.iterdir())
    times = log.stat()
    os.utime(log, (0, 0))
    try:
        yield
    finally:
        os.utime(log, ns=(times.st_atime_ns, times.st_mtime_ns))
