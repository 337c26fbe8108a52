"""Which build a rollback publishes, and which build leaves all as it is."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from conftest import Build, Rows, Warehouse
from scuttlehouse.builds import choose
from scuttlehouse.warehouse import WarehouseError

BUILDS = [{"build_id": "c"}, {"build_id": "b"}, {"build_id": "a"}]


@pytest.mark.parametrize(
    ("published", "asked", "chosen"),
    [("c", None, "b"), ("b", None, "a"), ("c", "a", "a"), ("a", "c", "c")],
)
def test_the_build_before_or_the_one_that_is_named(
    published: str, asked: str | None, chosen: str
) -> None:
    history = {"published": published, "builds": BUILDS}
    assert choose(history, asked) == {"build_id": chosen}


@pytest.mark.parametrize(
    ("published", "asked", "sentence"),
    [
        ("a", None, "No build is kept that is older"),
        ("b", "b", "The build b is published already"),
        ("c", "d", "The build d is not kept. These are: c, b, a "),
    ],
)
def test_builds_that_cannot_be_published(published: str, asked: str | None, sentence: str) -> None:
    with pytest.raises(WarehouseError, match=sentence):
        choose({"published": published, "builds": BUILDS}, asked)


UNCHANGED = "unchanged since build "
WITHOUT_UNIT_TESTS = "--exclude-resource-types", "unit_test"


def planned(warehouse: Warehouse) -> str | None:
    """The build since which nothing has changed, as a build finds that starts now."""
    plan = "-s", "stg_landing__logs", "int_refresh__plan", "--exclude-resource-types", "test"
    outcome = warehouse.dbt("build", *plan, "--no-write-json")
    assert outcome.success
    [said] = [one.message for one in outcome.result if one.node.name == "int_refresh__plan"]
    return said.removeprefix(UNCHANGED) if said.startswith(UNCHANGED) else None


def builds(warehouse: Warehouse) -> Rows:
    return warehouse.rows(
        "select * from scuttlehouse.fct_builds where step = 'build' order by started_at"
    )


def versions(warehouse: Warehouse) -> set[str]:
    """What any build has written and the warehouse keeps."""
    folder = warehouse.home / "warehouse"
    return {str(path) for path in folder.rglob("*.parquet") if "builds" not in path.parts}


def is_untouched(path: str) -> bool:
    """Seeds are made anew in every build, and so is the ledger, which says that nothing is new."""
    return not any(
        f"/{name}/" in path for name in ("reject_reasons", "tangle_kinds", "stg_landing__logs")
    )


@pytest.fixture
def kept(warehouse: Warehouse, built: Build) -> str:
    """The published build, of just those logs that have landed."""
    warehouse.land(*built.logs)
    if planned(warehouse) is None:
        warehouse.refresh("build", *WITHOUT_UNIT_TESTS)
    [row] = warehouse.rows("select history from int_quality__passed")
    return str(json.loads(row["history"])["published"])


def test_nothing_new_leaves_all_as_it_is(
    warehouse: Warehouse, kept: str, capfd: pytest.CaptureFixture[str]
) -> None:
    published, files = warehouse.published(), versions(warehouse)
    (warehouse.home / "published.json").unlink()
    outcome = warehouse.dbt("build", *WITHOUT_UNIT_TESTS)
    assert outcome.success
    listed = json.loads((warehouse.home / "published.json").read_text())
    assert listed["build_id"] == kept
    assert {path for path in versions(warehouse) ^ files if is_untouched(path)} == set()
    assert warehouse.published() == published
    answers = [result.message for result in outcome.result]
    assert answers.count(UNCHANGED + kept) > len(published)
    last = builds(warehouse)[-1]
    assert last["status"] == "unchanged"
    own = f"select * from scuttlehouse.fct_builds where build_id = '{last['build_id']}'"
    assert warehouse.rows(own) == [last]
    [row] = warehouse.rows("select history from int_quality__passed")
    assert json.loads(row["history"])["published"] == kept
    assert f"nothing is new since build {kept}" in capfd.readouterr().out


OF_SETS = "is_key_dim_sets_set_id"
OF_TANGLES = "positions_have_no_holes", "is_key_dim_tangles_tangle_id"


def found_faulty(warehouse: Warehouse, command: str = "build") -> dict[str, bool]:
    """Two tests of tangles, as a build runs them that starts now: whether they find faults."""
    plan = "stg_landing__logs", "int_refresh__plan"
    selected = (*plan, *OF_TANGLES) if command == "build" else OF_TANGLES
    options = "--indirect-selection", "empty", "--no-write-json"
    outcome = warehouse.dbt(command, "-s", *selected, *options)
    status = {one.node.name: one.status for one in outcome.result}
    assert {status[name] for name in plan if name in status} <= {"success"}
    return {name: status[name] == "fail" for name in OF_TANGLES}


def test_a_refresh_tests_what_it_computes(warehouse: Warehouse, kept: str) -> None:
    """Faults are planted in the tables of a tangle, which a refresh carries over or computes."""
    find = "select max(tangle_id) as tangle_id from scuttlehouse.dim_tangles where depth > 0"
    [tangle] = [row["tangle_id"] for row in warehouse.rows(find)]
    neither, both = dict.fromkeys(OF_TANGLES, False), dict.fromkeys(OF_TANGLES, True)
    with another_time(warehouse):
        with rows_twice(warehouse, tangle, are_computed=False):
            assert found_faulty(warehouse) == neither, f"carried over: {tangle}"
            assert found_faulty(warehouse, "test") == both, "dbt test looks at everything"
            with a_test_more(warehouse):
                assert found_faulty(warehouse) == both, "the other rows have not passed that test"
        with rows_twice(warehouse, tangle, are_computed=True):
            assert found_faulty(warehouse) == both, f"computed: {tangle}"
    assert planned(warehouse) == kept, "all is as it was"


@pytest.mark.usefixtures("kept")
def test_what_nothing_touches_is_neither_computed_nor_tested(warehouse: Warehouse) -> None:
    """The first build computes all, so the sets that it says are touched are none."""
    plan, tests = (
        ("stg_landing__logs", "int_refresh__plan"),
        ("is_key_stg_landing__logs_source_file", OF_SETS),
    )
    selected = (*plan, "int_sets__messages", "dim_sets", *tests)
    options = "--indirect-selection", "empty", "--no-write-json"
    assert warehouse.rows("select * from scuttlehouse_work.int_refresh__sets") == []
    with another_time(warehouse):
        outcome = warehouse.dbt("build", "-s", *selected, *options)
        assert outcome.success
        said = {one.node.name: one.adapter_response.get("_message") for one in outcome.result}
        assert said["int_sets__messages"] == "nothing of it is touched"
        assert said["dim_sets"] == "carried over whole"
        assert [said[test] for test in tests] == ["OK", None], "only what is new is tested"
        with a_test_more(warehouse):
            outcome = warehouse.dbt("build", "-s", *selected, *options)
            assert outcome.success
            said = {one.node.name: one.adapter_response.get("_message") for one in outcome.result}
            assert "touched" not in said["int_sets__messages"], (
                "a build that failed may have made it"
            )
            assert said[OF_SETS] == "OK", "the other rows have not passed all tests"


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"rules_hash": "other"}, "This refresh was planned before the code changed"),
        ({"versions": "gone"}, "This refresh was planned from a build that is no longer kept"),
    ],
)
def test_a_plan_that_no_longer_holds(
    warehouse: Warehouse, changed: dict[str, str], sentence: str
) -> None:
    """Builds of a part go by the plan of the last whole one."""
    plan_view = "scuttlehouse_work.int_refresh__plan"
    [row] = warehouse.rows(f"select refresh_plan from {plan_view}")
    plan = json.loads(row["refresh_plan"])
    [row] = warehouse.rows("select history from int_quality__passed")
    versions = json.loads(row["history"])["builds"][0]["versions"]
    base_versions = {table: changed.get("versions", version) for table, version in versions.items()}
    other = plan | changed | {"base_versions": base_versions}
    warehouse.session.sql(f"alter view {plan_view} as select '{json.dumps(other)}' as refresh_plan")
    try:
        outcome = warehouse.dbt("run", "-s", "fct_tangle_tips", "--no-write-json")
    finally:
        text = json.dumps(plan)
        warehouse.session.sql(f"alter view {plan_view} as select '{text}' as refresh_plan")
    [said] = [one.message for one in outcome.result if one.node.name == "fct_tangle_tips"]
    assert sentence in said


@contextmanager
def rows_twice(warehouse: Warehouse, tangle: str, *, are_computed: bool) -> Iterator[None]:
    """The rows of a tangle stand twice in two tables, all of which are computed or carried over."""
    views = {}
    for name in "scuttlehouse_work.dim_tangles", "scuttlehouse_work.fct_tangle_messages":
        [row] = warehouse.rows(f"show create table {name}")
        views[name] = row["createtab_stmt"][row["createtab_stmt"].index("select") :]
    try:
        for name, rows in views.items():
            warehouse.session.sql(
                f"alter view {name} as select * except (is_computed), {are_computed} as is_computed"
                f" from ({rows} union all select * from ({rows}) where tangle_id = '{tangle}')"
            )
        yield
    finally:
        for name, rows in views.items():
            warehouse.session.sql(f"alter view {name} as {rows}")


@contextmanager
def another_time(warehouse: Warehouse) -> Iterator[None]:
    """A log has another time than in the published build, so that there is something to do."""
    log = max(warehouse.landing.iterdir())
    times = log.stat()
    os.utime(log, (0, 0))
    try:
        yield
    finally:
        os.utime(log, ns=(times.st_atime_ns, times.st_mtime_ns))


@contextmanager
def a_test_more(warehouse: Warehouse) -> Iterator[None]:
    path = warehouse.project / "tests" / "singular" / "another.sql"
    path.write_text("select 1 as one where false\n")
    try:
        yield
    finally:
        path.unlink()


@pytest.mark.usefixtures("kept")
def test_logs_that_were_all_moved_to_an_archive(
    warehouse: Warehouse, built: Build, capfd: pytest.CaptureFixture[str]
) -> None:
    warehouse.land()
    assert planned(warehouse) is None, "all logs have vanished"
    status = "select distinct status from scuttlehouse_work.stg_landing__logs"
    assert warehouse.rows(status) == [{"status": "vanished"}]
    outcome = warehouse.dbt("build", "-s", "stg_landing__logs", "--full-refresh", "--no-write-json")
    [said] = [one.message for one in outcome.result if one.node.name == "stg_landing__logs"]
    assert "holds no log with a line in it" in said, "a full refresh reads what is there"
    warehouse.land(built.logs[0])
    warehouse.build("build", "-s", "stg_landing__logs", "--exclude-resource-types", "test")
    lost = len(built.logs) - 1
    assert f"and {lost} that the published build has read are not in " in capfd.readouterr().out


def test_whatever_is_new_is_built_and_tested(warehouse: Warehouse, kept: str) -> None:
    with a_test_more(warehouse):
        assert planned(warehouse) is None, "a test has come"
    with another_time(warehouse):
        assert planned(warehouse) is None, "another time"
    log = max(warehouse.landing.iterdir())
    times, data = log.stat(), log.read_bytes()
    log.unlink()
    assert planned(warehouse) is None, "a log has vanished"
    log.write_bytes(data)
    os.utime(log, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert planned(warehouse) == kept, "all is as it was"
    warehouse.refresh("run", "-s", "fct_rejected_lines")
    assert planned(warehouse) is None, "a table was made since"
