"""Readers see the last good tables, whatever happens to later builds."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import pytest
import yaml

from conftest import (
    MARTS,
    OF_BUILDS,
    PROJECT,
    PUBLISHED,
    Build,
    Rows,
    Warehouse,
    WholeBuild,
    reading,
    rewritten,
    without_zone,
)
from other_users import (
    NOBODY,
    NOGROUP,
    answers_to,
    family,
    is_refused,
    let_through,
    listening,
    needs_root,
    opened_by,
    written_by,
)
from scuttlehouse.catalog.lock import BuildLock
from scuttlehouse.catalog.names import MAIN, namespace_of_build
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.reading.warehouse import open_tables
from scuttlehouse.sample.write import write_sample

GATE = "tests/singular/nothing_may_pass.sql"
KEPT_BUILDS = yaml.safe_load((PROJECT / "dbt_project.yml").read_text())["vars"]["kept_builds"]
CHANGES = ["rows_added", "rows_changed", "rows_deleted"]
KEYS = {
    "fct_messages": ("message_id",),
    "dim_logs": ("source_file",),
    "fct_tangle_messages": ("tangle_id", "message_id"),
    "fct_epoch_repairs": ("epoch_id", "action", "person_id"),
    "dim_sets": ("set_id",),
}
WITHOUT_UNIT_TESTS = "--exclude-resource-type", "unit_test"


@pytest.fixture
def published(warehouse: Warehouse, built: Build) -> dict[str, Rows]:
    """What is published before a test. There is always something."""
    assert built.tables
    return warehouse.published()


@pytest.fixture
def other_logs(warehouse: Warehouse, tmp_path: Path, tribes2: Path) -> Path:
    """The landing folder has other logs than the published ones."""
    land_other_logs(warehouse, tmp_path, tribes2)
    return tmp_path


def land_other_logs(warehouse: Warehouse, folder: Path, tribes2: Path) -> None:
    write_sample(folder, seed=2)
    warehouse.land(folder / "bob.jsonl", tribes2 / "s3-subset" / "final" / "alice.jsonl")


@dataclass
class Killed:
    """A build that was killed, what was published before it, and what another user saw while it ran.

    `refused` is what a retry said before it and after it.
    """

    build_id: str
    before: dict[str, Rows]
    seen: SeenByAnother | None
    refused: list[str]


@pytest.fixture(scope="module")
def killed(
    warehouse: Warehouse, built: Build, tribes2: Path, tmp_path_factory: pytest.TempPathFactory
) -> Killed:
    """A build of other logs is interrupted after a test has failed, and another one is killed.

    Where this process may become another user, that one looks before.
    """
    assert built.tables
    land_other_logs(warehouse, tmp_path_factory.mktemp("other"), tribes2)
    before = warehouse.published()
    seen: list[SeenByAnother] = []

    def look(build: int) -> None:
        if os.geteuid() == 0:
            seen.append(SeenByAnother(warehouse, build))

    # Tables are made from these words only late, so the interrupted build has not got to any of them.
    with a_test_that_fails(warehouse, on="rules") as failing:
        interrupt_a_build(warehouse, failing.stem)
        failing.write_text(failing.read_text().replace("limit 1", "limit 0"))
        refused = [refusal(warehouse)]
        build_id = kill_a_build(warehouse, random.Random(1), look)
        # dbt has the results of the interrupted build still: a killed one writes none.
        refused.append(refusal(warehouse))
    return Killed(build_id, before, seen[0] if seen else None, refused)


def differing(ours: dict[str, Rows], theirs: dict[str, Rows]) -> list[str]:
    """The names of the tables that differ."""
    return [name for name in sorted({*ours, *theirs}) if ours.get(name) != theirs.get(name)]


def published_id(warehouse: Warehouse) -> str:
    with open_catalog(warehouse.home) as catalog:
        return str(catalog.published().build_id)


def statuses(outcome: Any) -> dict[str, str]:
    return {result.node.name: str(result.status) for result in outcome.result}


@contextmanager
def a_test_that_fails(warehouse: Warehouse, on: str) -> Iterator[Path]:
    path = warehouse.project / GATE
    path.write_text(f"select * from {{{{ ref('{on}') }}}} limit 1\n")
    try:
        yield path
    finally:
        path.unlink()


def refusal(warehouse: Warehouse) -> str:
    """What a retry says that may not begin. As it has no end, this process still holds its lock."""
    outcome = warehouse.dbt("retry")
    BuildLock(warehouse.home).release()
    assert not outcome.success
    return str(outcome.exception)


def a_reader(warehouse: Warehouse) -> AbstractContextManager[list[tuple[int, int]]]:
    """A dashboard that always reads two published tables of one build at once."""
    session = warehouse.session.newSession()

    def read() -> tuple[int, int]:
        with open_catalog(warehouse.home, read_only=True) as catalog:
            schema = namespace_of_build(catalog.published().number)
        query = (
            f"select (select count(*) from {schema}.fct_messages),"
            f" (select count(*) from {schema}.fct_rejected_lines)"
        )
        return tuple(session.sql(query).collect()[0])

    # A query of Spark takes a core for a tenth of a second.
    return reading(read, pause_seconds=0.5)


def replayed(updates: Rows) -> dict[str, list[str]]:
    """The orders in a replica that has applied all commands. Empty tangles are left out."""
    orders: dict[str, list[str]] = {}
    for row in sorted(
        updates, key=lambda row: (row["refresh_number"], row["tangle_id"], row["step"])
    ):
        replica = orders.setdefault(row["tangle_id"], [])
        if row["command"] != "ins":
            assert replica.pop(row["from_position"]) == row["message_id"]
        if row["command"] != "del":
            replica.insert(row["to_position"], row["message_id"])
    return {tangle: order for tangle, order in orders.items() if order}


def published_orders(messages: Rows) -> dict[str, list[str]]:
    placed = sorted(
        (row for row in messages if row["status"] == "in"), key=lambda row: int(row["position"])
    )
    orders: dict[str, list[str]] = {}
    for row in placed:
        orders.setdefault(row["tangle_id"], []).append(row["message_id"])
    return orders


def changes(old: Rows, new: Rows, key: tuple[str, ...]) -> list[int]:
    """How many rows were added, changed and deleted."""
    before, after = ({tuple(row[one] for one in key): row for row in rows} for rows in (old, new))
    changed = sum(before[one] != after[one] for one in before.keys() & after.keys())
    return [len(after.keys() - before.keys()), changed, len(before.keys() - after.keys())]


def counts(tables: dict[str, Rows]) -> tuple[int, int]:
    return len(tables["fct_messages"]), len(tables["fct_rejected_lines"])


def test_a_good_build_publishes_every_mart(built: Build) -> None:
    assert sorted(built.tables) == PUBLISHED
    for name in ("fct_messages", "dim_groups", "fct_preferred_epochs", "fct_rejected_lines"):
        assert built.tables[name], f"{name} is empty"
    assert all(row["is_success"] for row in built.tables["fct_quality_results"])


def test_spark_reads_the_published_tables(warehouse: Warehouse, published: dict[str, Rows]) -> None:
    for name in PUBLISHED:
        table = warehouse.session.table(f"scuttlehouse.{name}").toArrow()
        expected = published[name]
        columns = list(expected[0]) if expected else table.column_names
        rows = [
            {column: without_zone(row[column]) for column in columns} for row in table.to_pylist()
        ]
        assert sorted(rows, key=repr) == expected, name


def test_a_build_is_logged_step_by_step(warehouse: Warehouse, built: Build) -> None:
    log = warehouse.rows("select * from scuttlehouse.fct_builds where started_at is not null")
    whole = min((row for row in log if row["step"] == "build"), key=lambda row: row["started_at"])
    assert (whole["status"], whole["message"]) == ("published", None)
    steps = {row["step"]: row for row in log if row["build_id"] == whole["build_id"]}
    for mart in MARTS:
        assert steps[mart]["rows_out"] == len(built.tables[mart]), mart
        assert steps[mart]["status"] == "success"
        assert 0 < steps[mart]["seconds"] < whole["seconds"]
        added = [steps[mart][name] for name in CHANGES]
        assert added == [len(built.tables[mart]), 0, 0], mart
    logged = [steps[mart]["rows_added"] for mart in MARTS if mart not in OF_BUILDS]
    assert [whole[name] for name in CHANGES] == [sum(logged), 0, 0]
    assert steps["int_tangles__settled"]["settling_steps"] == 4
    read = steps["stg_ssb__messages"]["rows_out"]
    assert steps["stg_ssb__tangle_fields"]["rows_in"] == read == len(built.tables["fct_messages"])
    assert {row["step_kind"] for row in steps.values()} == {"build", "model", "seed", "test"}


@needs_root
def test_another_user_finds_no_answer_and_no_file_while_a_build_and_a_query_run(
    killed: Killed,
) -> None:
    seen = killed.seen
    assert seen
    assert seen.is_in_time
    assert len(seen.ports) > 2
    assert len(seen.written) > 2
    answered = [found for found in seen.answers if not is_refused(found[2])]
    assert not answered, answered
    assert not seen.opened


def test_a_retry_continues_no_build_that_was_killed(
    killed: Killed, published: dict[str, Rows]
) -> None:
    """It would run only the test that had failed, and hide that new logs are in half of the tables only."""
    assert differing(killed.before, published) == []
    for said in killed.refused:
        assert "did not end, so no retry can continue it: run `scuttlehouse build`." in said
    assert killed.build_id in killed.refused[1]
    assert killed.build_id not in killed.refused[0]


@pytest.mark.usefixtures("other_logs")
def test_a_killed_build_and_an_untested_part_publish_nothing(
    warehouse: Warehouse, killed: Killed, published: dict[str, Rows]
) -> None:
    """kill -9 in the middle of writing tables, then a selector."""
    assert differing(killed.before, published) == []
    before = published_id(warehouse)
    some = "-s", "path:models/marts/groups", "--exclude-resource-types", "test", "unit_test"
    assert warehouse.dbt("build", *some).success
    # Its tables have the rows of the published ones.
    assert published_id(warehouse) == before
    logged = warehouse.rows("select * from scuttlehouse.fct_builds where status = 'killed'")
    assert ("build", killed.build_id) in [(row["step"], row["build_id"]) for row in logged]


@dataclass
class Retried:
    """A build that failed at one test, then a retry of it, while somebody read.

    `before`, `between` and `after` are what was published. `work_count` is the number of messages that the
    failed build made.
    """

    before: dict[str, Rows]
    failing: str
    statuses: dict[str, str]
    work_count: int
    between: dict[str, Rows]
    after: dict[str, Rows]
    reads_while_failing: list[tuple[int, int]]
    reads: list[tuple[int, int]]
    build_id: str


def fail_and_retry(warehouse: Warehouse) -> Retried:
    """Build everything from the landed logs, and let one test fail."""
    before = warehouse.published()
    with (
        a_reader(warehouse) as reads,
        a_test_that_fails(warehouse, on="fct_messages") as failing,
    ):
        whole = "build", "--full-refresh", *WITHOUT_UNIT_TESTS
        outcome = warehouse.dbt(*whole, is_quiet=False)
        [work] = warehouse.rows("select count(*) as n from scuttlehouse_work.fct_messages")
        between, while_failing = warehouse.published(), len(reads)
        failing.write_text(failing.read_text().replace("limit 1", "limit 0"))
        assert warehouse.dbt("retry").success
        after = warehouse.published()
    return Retried(
        before,
        failing.stem,
        statuses(outcome),
        work["n"],
        between,
        after,
        reads[:while_failing],
        reads,
        published_id(warehouse),
    )


def test_a_failed_build_publishes_nothing_and_a_retry_everything(
    warehouse: Warehouse, last_logs: WholeBuild
) -> None:
    """A reader sees the old tables, then the new ones, and no error."""
    retried = last_logs.retried
    before, after, by_node = retried.before, retried.after, retried.statuses
    assert [name for name, status in by_node.items() if status in ("error", "fail")] == [
        retried.failing
    ]
    assert by_node["fct_messages"] == "success", "the marts were built, and are not published"
    assert retried.work_count != len(before["fct_messages"])
    assert differing(retried.between, before) == []
    assert counts(after) != counts(before)
    assert differing(after, before) != []
    assert set(retried.reads_while_failing) == {counts(before)}
    assert set(retried.reads) <= {counts(before), counts(after)}
    assert len(after["fct_messages"]) == retried.work_count
    of_build = f"select * from scuttlehouse.fct_builds where build_id = '{retried.build_id}'"
    log = warehouse.rows(of_build)
    for mart, key in KEYS.items():
        [step] = [row for row in log if row["step"] == mart]
        assert [step[name] for name in CHANGES] == changes(before[mart], after[mart], key), mart
    # The commands for the first logs and for the other logs, with other tangles, are one history.
    assert replayed(after["fct_timeline_updates"]) == published_orders(after["fct_tangle_messages"])
    refreshes = {row["refresh_number"] for row in after["fct_timeline_updates"]}
    assert refreshes == set(range(1, len(refreshes) + 1))
    assert len(refreshes) > len({row["refresh_number"] for row in before["fct_timeline_updates"]})
    assert {row["command"] for row in after["fct_timeline_updates"]} >= {"ins", "del"}
    roll_back_and_forth(warehouse, before, after, retried.build_id)


def roll_back_and_forth(
    warehouse: Warehouse, first: dict[str, Rows], last: dict[str, Rows], last_id: str
) -> None:
    """The earlier build is published in one step, then the later one again. Readers see one of the two."""
    with a_reader(warehouse) as reads:
        warehouse.roll_back()
        assert differing(warehouse.published(), first) == []
        warehouse.roll_back("--to", last_id)
        assert differing(warehouse.published(), last) == []
    assert set(reads) <= {counts(first), counts(last)}


def test_a_part_is_built_tested_and_published(
    warehouse: Warehouse, published: dict[str, Rows]
) -> None:
    """The rest stays unchanged."""
    outcome = warehouse.dbt("build", "-s", "dim_groups+", *WITHOUT_UNIT_TESTS)
    by_node = statuses(outcome)
    assert outcome.success, by_node
    assert "is_key_dim_groups_group_id__dim_epochs_epoch_id" in by_node
    assert "dim_feeds" not in by_node
    assert differing(warehouse.published(), published) == ["fct_quality_results"]
    with open_catalog(warehouse.home) as catalog:
        part = catalog.published()
        assert not part.is_whole
        assert part.public["dim_groups"] == catalog.tables("scuttlehouse_work")["dim_groups"]


@pytest.mark.usefixtures("published")
def test_broken_keys_and_references_are_rows(warehouse: Warehouse) -> None:
    """In the tables of the work schema, which the next build resets."""
    warehouse.rows(
        "insert into fct_messages select * from fct_messages order by message_id limit 1"
    )
    warehouse.rows("delete from dim_feeds where feed_id = (select min(feed_id) from fct_messages)")
    outcome = warehouse.dbt("test", "-s", "is_key_fct_messages*", "--store-failures")
    [result] = [one for one in outcome.result if one.node.resource_type == "test"]
    assert str(result.status) == "fail"
    rows = warehouse.rows(f"select distinct broken_rule from {result.node.relation_name}")
    assert {row["broken_rule"] for row in rows} == {"key", "reference of feed_id"}


@pytest.mark.usefixtures("published")
def test_an_expectation_that_does_not_hold_is_a_row_and_shown_on_a_page(
    warehouse: Warehouse,
) -> None:
    """The value that breaks it may hold any characters."""
    odd = "it's {{ 1 }} <b> \\"
    spelled = odd.replace("\\", "\\\\").replace("'", "\\'")
    warehouse.rows(
        f"update fct_messages set validity = '{spelled}'"
        " where message_id = (select min(message_id) from fct_messages)"
    )
    outcome = warehouse.dbt("test", "-s", "meets_expectations_fct_messages*", "--store-failures")
    [result] = [one for one in outcome.result if one.node.resource_type == "test"]
    assert str(result.status) == "fail", result.message
    rows = warehouse.rows(f"select * from {result.node.relation_name}")
    [found] = [row["observed"] for row in rows if row["column_name"] == "validity"]
    assert found.endswith(f", such as {odd}")
    page = (warehouse.home / "data_docs" / "fct_messages.html").read_text()
    assert escape(odd) in page


def test_a_recomputed_part_is_not_published_without_its_inputs(
    warehouse: Warehouse, published: dict[str, Rows]
) -> None:
    """An earlier refresh has left tables that hold only touched rows."""
    warehouse.dbt("build", "--full-refresh", "-s", "dim_sets+", *WITHOUT_UNIT_TESTS)
    assert differing(warehouse.published(), published) == []


def test_a_part_never_publishes_the_ledger(
    warehouse: Warehouse, published: dict[str, Rows], other_logs: Path
) -> None:
    """Otherwise the next build would count lines as read that are in no table.

    The results of its expectations are published. Every row of them names its build.
    """
    shutil.copy(other_logs / "alice.jsonl", warehouse.landing)
    some = "-s", "stg_landing__logs", "dim_logs+"
    outcome = warehouse.dbt("build", *some, *WITHOUT_UNIT_TESTS)
    assert outcome.success
    assert warehouse.rows("select 1 from scuttlehouse_work.dim_logs where status = 'new'")
    assert set(differing(warehouse.published(), published)) <= {"fct_quality_results"}


@pytest.mark.usefixtures("published")
def test_other_commands_while_a_build_runs(warehouse: Warehouse) -> None:
    """Readers get answers. A second build is told who is building."""
    [expected] = warehouse.rows("select count(*) as n from scuttlehouse.dim_tangles")
    query = "select count(*) as n from dim_tangles"
    lock = BuildLock(warehouse.home)
    lock.hold(exclusive=True)
    try:
        asked = warehouse.run("scuttlehouse", "sql", query, "--format", "json")
        assert json.loads(asked.stdout) == expected, asked.stderr
        for command in ("build", "run"):
            refused = warehouse.run("dbt", command, "--profiles-dir", "profiles")
            assert refused.returncode != 0
            assert f"in use by process {os.getpid()} " in refused.stdout
            assert "Traceback" not in refused.stdout
    finally:
        lock.release()


def test_other_commands_publish_nothing(
    warehouse: Warehouse,
    published: dict[str, Rows],
    other_logs: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    warehouse.land(other_logs / "alice.jsonl")
    some = "-s", "+fct_rejected_lines"
    warehouse.build("run", *some)
    count = "select count(*) as n from scuttlehouse_work.fct_rejected_lines"
    assert warehouse.rows(count) != [{"n": len(published["fct_rejected_lines"])}]
    assert differing(warehouse.published(), published) == []
    warehouse.build("build", "--empty", *some, *WITHOUT_UNIT_TESTS)
    assert warehouse.rows(count) == [{"n": 0}]
    assert differing(warehouse.published(), published) == []
    # A project of users may say which column is the time of an event. Then tables hold some rows alone.
    tested_alone = "--indirect-selection", "cautious", *WITHOUT_UNIT_TESTS
    warehouse.build("build", "--sample", "3 days", *some, *tested_alone)
    assert "with --empty and --sample the tables lack rows" in capsys.readouterr().out
    assert warehouse.rows(count) != [{"n": 0}]
    assert differing(warehouse.published(), published) == []


class SeenByAnother:
    """What another user finds while a build and a query run: who answers, and what opens."""

    def __init__(self, warehouse: Warehouse, build: int) -> None:
        query = f"select count(*) from {', '.join(f'fct_messages as m{n}' for n in range(9))}"
        with warehouse.start(
            "scuttlehouse", "sql", f"{query} where m0.sequence > m1.sequence"
        ) as sql:
            processes = family(build) | family(sql.pid)
            self.ports = listening(processes)
            self.answers = answers_to(NOBODY, NOGROUP, self.ports)
            let_through(warehouse.home)
            folders = warehouse.temporary, warehouse.project / "target", warehouse.project / "logs"
            files = {path for folder in (warehouse.home, *folders) for path in folder.rglob("*")}
            files.add(warehouse.home)
            self.written = written_by(processes)
            self.opened = opened_by(NOBODY, NOGROUP, files | self.written)
            self.is_in_time = sql.poll() is None
            sql.kill()


def kill_a_build(warehouse: Warehouse, dice: random.Random, look: Callable[[int], None]) -> str:
    """Kill dbt after it has committed a random number of tables, and return the id of its build."""
    files = warehouse.home / "warehouse" / "scuttlehouse_work"
    known, count = set(files.glob("*/metadata/*.json")), dice.randrange(1, 30)
    command = "dbt", "build", "--profiles-dir", "profiles", *WITHOUT_UNIT_TESTS
    with warehouse.start(*command) as process:
        for _ in process.stdout or ():
            if len(set(files.glob("*/metadata/*.json")) - known) >= count:
                break
        look(process.pid)
        running = process.poll() is None
        process.kill()
    assert running, f"the build ended before it wrote {count} tables"
    assert process.returncode == -9
    with open_catalog(warehouse.home, read_only=True) as catalog:
        work = catalog.work(MAIN)
    assert work
    return work.build_id


def interrupt_a_build(warehouse: Warehouse, test: str) -> None:
    """Stop dbt with Ctrl-C after a test has failed.

    It has noted the failure when a step that began afterwards has ended.
    """
    command = "dbt", "build", "--profiles-dir", "profiles", *WITHOUT_UNIT_TESTS
    with warehouse.start(*command) as process:
        printed, begun = [], None
        for line in process.stdout or ():
            printed.append(line)
            if "FAIL" in line and test in line:
                begun = set[str]()
            if begun is None or not (step := re.search(r"(\d+) of \d+ (START)?", line)):
                continue
            if step[2]:
                begun.add(step[1])
            elif step[1] in begun:
                break
        process.send_signal(signal.SIGINT)
        printed += process.stdout or ()
    assert "Exited because of keyboard interrupt" in "".join(printed), printed
    results = json.loads((warehouse.project / "target" / "run_results.json").read_text())["results"]
    assert [one["unique_id"].split(".")[-1] for one in results if one["status"] == "fail"] == [test]


@pytest.mark.usefixtures("published")
def test_kept_builds_are_read_by_name_and_others_leave_no_file(warehouse: Warehouse) -> None:
    with warehouse.published_unchecked():
        warehouse.refresh("build", "-s", "tangle_kinds", "--exclude-resource-types", "test")
    with open_catalog(warehouse.home) as catalog:
        kept = catalog.kept()
        named = catalog.metadata_files()
    assert 1 <= len(kept) <= KEPT_BUILDS
    for build in kept:
        for mart in ("fct_messages", "dim_groups"):
            place = f"{namespace_of_build(build.number)}.{mart}"
            counted = warehouse.rows(f"select count(*) as n from {place}")
            with open_tables(warehouse.home, {"kept": build.public}) as tables:
                _, [(expected,)] = tables.query(f"select count(*) from kept.{mart}")
            assert counted == [{"n": expected}], place
    files = (warehouse.home / "warehouse").rglob("*.metadata.json")
    assert {str(path) for path in files if not path.name.startswith(".")} == set(named)


@pytest.mark.usefixtures("published")
def test_a_changed_column_is_published(warehouse: Warehouse) -> None:
    models = warehouse.project / "models" / "marts" / "feeds"
    column = "counted_lines.line_number,\n", "int(counted_lines.line_number) as line_number,\n"

    def of_the_contract(text: str) -> str:
        head, name, rest = text.partition("name: fct_rejected_lines")
        return head + name + rest.replace("bigint", "int", 1)

    some = "build", "-s", "+fct_rejected_lines", "--exclude-resource-types", "test", "unit_test"
    with warehouse.published_unchecked():
        with (
            rewritten(models / "fct_rejected_lines.sql", lambda sql: sql.replace(*column)),
            rewritten(models / "_feeds.yml", of_the_contract),
        ):
            warehouse.build(*some)
            assert line_number_type(warehouse) == "int"
        warehouse.build(*some)
        assert line_number_type(warehouse) == "bigint"


def line_number_type(warehouse: Warehouse) -> str:
    return dict(warehouse.session.table("scuttlehouse.fct_rejected_lines").dtypes)["line_number"]
