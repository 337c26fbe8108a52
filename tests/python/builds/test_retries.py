"""A retry publishes what has passed in its build and in itself. The runs are real, without dbt and Spark."""

from __future__ import annotations

import errno
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click import Command, Context

from houses import House, flip
from scuttlehouse.builds import beginning, ending, publishable, runs, steps
from scuttlehouse.builds.publishable import all_steps, passed_so_far
from scuttlehouse.builds.rules import project_hash
from scuttlehouse.builds.runs import BUILDING, RunError
from scuttlehouse.builds.steps import run_step, steps_table
from scuttlehouse.catalog import pyiceberg_tables
from scuttlehouse.catalog.expiry import remove_unreachable
from scuttlehouse.catalog.lock import BuildLock
from scuttlehouse.catalog.names import BASE, LOG, PUBLISHED, START_ANEW, WORK, CatalogError, Schemas
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.files.parts import LandingError
from scuttlehouse.spark.cluster import ClusterError
from small_warehouse import create_table
from test_lock import holding

ANN = Schemas("scuttlehouse_dev_ann")
VARIABLES = {"settle_steps": 4, "set_ghost_span": 32, "kept_builds": 3, "network_key_file": ""}


def node(kind: str, alias: str, *parents: str, **config: str) -> dict[str, Any]:
    return {
        "resource_type": kind,
        "alias": alias,
        "schema": WORK,
        "config": {"materialized": "table", **config},
        "depends_on": {"nodes": list(parents)},
    }


NODES = {
    "seed.words": node("seed", "words"),
    "model.stg": node("model", "stg", "seed.words"),
    "model.part": node("model", "part", "model.stg", materialized="ephemeral"),
    "model.dim_a": node("model", "dim_a", "model.part", access="public"),
    "model.dim_b": node("model", "dim_b", "model.stg", access="public"),
    "test.stg": node("test", "of_stg", "model.stg"),
    "test.a": node("test", "of_a", "model.dim_a"),
    "test.b": node("test", "of_b", "model.dim_b"),
}
# dbt has no result for a part of another model.
STEPS = NODES.keys() - {"model.part"}
PASSED = dict.fromkeys(STEPS, "success")


def passed_after(*statuses: Mapping[str, str]) -> set[str]:
    """What has passed in a build and its retries."""
    passed: frozenset[str] = frozenset()
    for ran in statuses:
        passed = passed_so_far(NODES, passed, ran)
    return {*passed}


FAILED = PASSED | {"test.a": "fail"}
BROKEN = PASSED | {"model.dim_a": "error", "test.a": "skipped"}


@pytest.mark.parametrize(
    ("statuses", "missing"),
    [
        ([PASSED], set()),
        ([PASSED | {"test.a": "warn"}], set()),
        ([FAILED], {"test.a"}),
        ([FAILED, {"test.a": "fail"}], {"test.a"}),
        ([FAILED, {"test.a": "fail"}, {"test.a": "pass"}], set()),
        ([BROKEN], {"model.dim_a", "test.a"}),
        ([BROKEN, {"model.dim_a": "success", "test.a": "fail"}], {"test.a"}),
        ([BROKEN, {"model.dim_a": "success", "test.a": "fail"}, {"test.a": "pass"}], set()),
        # The retry has the results of another build, in which another test failed.
        ([FAILED, {"test.b": "pass"}], {"test.a"}),
        # In that one, a table was not made. It is made again after its test has passed.
        ([FAILED, {"model.dim_b": "success"}], {"test.a", "test.b"}),
        (
            [FAILED, {"model.stg": "success", "test.stg": "pass"}],
            STEPS - {"seed.words", "model.stg", "test.stg"},
        ),
    ],
)
def test_what_has_passed_in_a_build_and_its_retries(
    statuses: list[dict[str, str]], missing: set[str]
) -> None:
    assert all_steps(NODES) - passed_after(*statuses) == missing


# `dim_c` is made from `stg` directly and by way of `mid`.
MORE_NODES = {
    **NODES,
    "model.logs": node("model", "dim_logs", "model.stg", access="public"),
    "model.mid": node("model", "mid", "model.part"),
    "model.dim_c": node("model", "dim_c", "model.mid", "model.stg", access="public"),
}
OF_A = {"model.dim_a", "test.a"}
OF_C = {"model.mid", "model.dim_c"}


@pytest.mark.parametrize(
    ("passed", "is_refresh", "tables"),
    [
        (OF_A, True, {"dim_a"}),
        # An earlier refresh may have left rows of a part in what it is made from.
        (OF_A, False, set()),
        (OF_A | {"model.stg", "seed.words"}, False, {"dim_a"}),
        # The seed may have changed, and its table has the rows of the published build.
        (OF_A | {"model.stg"}, False, set()),
        ({*STEPS} - {"seed.words"} | {"model.logs", *OF_C}, False, set()),
        (
            {*STEPS} - {"seed.words"} | {"model.logs", *OF_C},
            True,
            {"dim_a", "dim_b", "dim_c", "dim_logs"},
        ),
        ({"model.dim_a"}, True, set()),
        ({*STEPS} - {"test.b"} | {"model.logs", *OF_C}, False, {"dim_a", "dim_c", "dim_logs"}),
        # The ledger would hide lines that the other tables lack.
        ({*STEPS} - {"model.dim_b", "test.b"} | {"model.logs"}, True, {"dim_a"}),
        ({"model.logs"}, True, set()),
        ({"model.dim_c"}, True, {"dim_c"}),
        (OF_C, True, {"dim_c"}),
        ({"model.stg", *OF_C}, True, {"dim_c"}),
        # A refresh has left rows of a part in what is between.
        ({"model.stg", "model.dim_c"}, True, set()),
        ({"model.stg", "model.dim_c", *OF_A}, True, {"dim_a"}),
    ],
)
def test_what_may_be_published(passed: set[str], is_refresh: bool, tables: set[str]) -> None:
    assert publishable.publishable(MORE_NODES, passed, WORK, is_refresh=is_refresh) == tables


@pytest.mark.parametrize(
    ("selected", "is_refresh", "expected"),
    [
        ({"model.stg", "model.dim_c"}, True, {"model.mid"}),
        ({"model.stg", "model.dim_c"}, False, {"model.mid"}),
        ({"model.dim_c"}, True, set()),
        ({"model.dim_c"}, False, {"model.mid", "model.stg"}),
        ({"model.stg", *OF_C}, False, set()),
        ({"test.a"}, False, set()),
    ],
)
def test_what_a_run_reads_and_leaves_out(
    selected: set[str], is_refresh: bool, expected: set[str]
) -> None:
    assert publishable.left_out(MORE_NODES, selected, is_refresh=is_refresh) == expected


class Runs:
    """A home in which runs of dbt begin and end without dbt and Spark."""

    def __init__(self, house: House) -> None:
        self.house = house
        self._count = 0

    def begin(
        self,
        command: str,
        *,
        is_full_refresh: bool = False,
        is_sampled: bool = False,
        is_deferring: bool = False,
        selected: Collection[str] = STEPS,
        schema: str = WORK,
    ) -> str:
        """Begin a run, and return its id. A run in a new process knows nothing of the run before it."""
        runs.stop()
        BuildLock(self.house.home).release()
        self._count += 1
        run_id = f"{command} {self._count}"
        # dbt does not say what a retry selects.
        retries = command == "retry"
        beginning.begin(
            command="build" if retries else command,
            run_id=run_id,
            schema=schema,
            is_full_refresh=is_full_refresh,
            is_sampled=is_sampled,
            is_deferring=is_deferring,
            graph={"nodes": {name: {**one, "schema": schema} for name, one in NODES.items()}},
            selected=[] if retries else sorted(selected),
            variables=VARIABLES,
        )
        return run_id

    def run(
        self,
        command: str,
        statuses: Mapping[str, str],
        *,
        is_full_refresh: bool = False,
        is_sampled: bool = False,
    ) -> str:
        """Run these steps to the end. Every table that succeeds gets a new row."""
        run_id = self.begin(command, is_full_refresh=is_full_refresh, is_sampled=is_sampled)
        for step, status in statuses.items():
            if status == "success" and not step.startswith("test."):
                self.house.make(NODES[step]["alias"], self._count)
        ending.end([result(step, status) for step, status in statuses.items()])
        return run_id

    @property
    def published(self) -> str | None:
        with open_catalog(self.house.home) as catalog:
            build = catalog.published()
        return build and build.build_id


def result(step: str, status: str) -> SimpleNamespace:
    kind = NODES[step]["resource_type"]
    of_step = SimpleNamespace(
        unique_id=step,
        resource_type=kind,
        alias=NODES[step]["alias"],
        name=NODES[step]["alias"],
    )
    return SimpleNamespace(node=of_step, status=status, message=None, execution_time=1.0, timing=[])


@pytest.fixture
def dbt(sqlite_house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runs]:
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(sqlite_house.home))
    monkeypatch.setenv("SCUTTLEHOUSE_LANDING", str(tmp_path / "landing"))
    (tmp_path / "dbt_project.yml").write_text("name: club\n")
    monkeypatch.setattr(beginning, "_project", lambda: tmp_path)
    monkeypatch.setattr(beginning, "import_ahead", lambda: None)
    monkeypatch.setattr(ending, "summary", lambda *_: ())
    yield Runs(sqlite_house)
    runs.stop()
    BuildLock(sqlite_house.home).release()


def test_retries_publish_a_build_once_all_of_it_has_passed(dbt: Runs) -> None:
    dbt.run("build", BROKEN)
    dbt.run("retry", {"model.dim_a": "success", "test.a": "fail"})
    assert dbt.published is None
    last = dbt.run("retry", {"test.a": "pass"})
    assert dbt.published == last
    assert dbt.house.read() == {"dim_a": [2], "dim_b": [1]}


@pytest.mark.parametrize("killed", ["build", "retry"])
def test_a_retry_of_what_was_killed_is_refused(dbt: Runs, killed: str) -> None:
    """Whatever dbt has as the results of the last build."""
    first = dbt.run("build", PASSED)
    dbt.run("build", FAILED)
    run_id = dbt.begin(killed)
    for _ in range(2):
        with pytest.raises(RunError) as told:
            dbt.begin("retry")
        assert str(told.value) == (
            f"The build {run_id} did not end, so no retry can continue it: run `scuttlehouse build`."
        )
    assert dbt.published == first
    assert dbt.published != dbt.run("build", PASSED)


def test_a_retry_after_another_run_of_the_same_process_is_one(dbt: Runs) -> None:
    """dbt then says that it has selected what the run before had selected."""
    dbt.run("build", FAILED)
    with Context(Command("retry"), info_name="retry"):
        last = dbt.run("build", {"test.a": "pass"})
    assert dbt.published == last


def test_a_retry_with_the_results_of_another_build_publishes_nothing(
    dbt: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    """Even if only the test of a table that is not published has failed."""
    dbt.run("build", PASSED | {"test.stg": "fail"})
    dbt.run("retry", {"test.b": "pass"})
    assert dbt.published is None
    assert (
        "Nothing was published, because not every step of the project has passed in this retry and the build "
        "that it continues: run `scuttlehouse build`."
    ) in capsys.readouterr().out


def test_tables_that_lack_rows_are_never_published(
    dbt: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither by the build that made them nor by a retry, which dbt gives the options of the build."""
    first = dbt.run("build", PASSED)
    dbt.run("build", PASSED, is_sampled=True)
    assert dbt.published == first
    assert "Nothing was published: with --empty and --sample the tables lack rows." in (
        capsys.readouterr().out
    )
    dbt.run("build", FAILED, is_sampled=True)
    assert "Nothing was published: correct what failed" in capsys.readouterr().out
    dbt.run("retry", {"test.a": "pass"}, is_sampled=True)
    dbt.run("retry", {"test.a": "pass"})
    assert dbt.published == first


@pytest.mark.parametrize("command", ["run", "seed"])
def test_a_retry_does_not_count_what_passed_before_other_runs(dbt: Runs, command: str) -> None:
    dbt.run("build", FAILED)
    dbt.run(command, {"seed.words": "success"})
    dbt.run("retry", {"test.a": "pass"})
    assert dbt.published is None


def test_what_passed_by_other_rules_does_not_count(dbt: Runs, tmp_path: Path) -> None:
    """Even if the rules of the build are back."""
    dbt.run("build", BROKEN)
    (tmp_path / "models").mkdir()
    other = tmp_path / "models" / "a.sql"
    other.write_text("select 1")
    with pytest.raises(RunError, match="the code has changed since the build began"):
        dbt.run("retry", {"model.dim_a": "success", "test.a": "pass"})
    other.unlink()
    dbt.run("retry", {"test.a": "pass"})
    assert dbt.published is None


def test_what_passed_by_another_test_is_tested_again(dbt: Runs, tmp_path: Path) -> None:
    """A test fails, is weakened for a retry, and is as it was afterwards."""
    (tmp_path / "tests").mkdir()
    test = tmp_path / "tests" / "a.sql"
    test.write_text("select 1")
    dbt.run("build", FAILED)
    test.write_text("select 1 limit 0")
    retried = dbt.run("retry", {"test.a": "pass"})
    test.write_text("select 1")
    with open_catalog(dbt.house.home) as catalog:
        published = catalog.published()
    assert published
    assert published.build_id == retried
    assert published.project_hash != project_hash(tmp_path)
    dbt.begin("build")
    run = runs.current()
    assert run
    assert (run.is_refresh, run.tests_touched_rows) == (True, False)


def test_what_no_test_has_passed_is_tested_by_the_next_build(dbt: Runs, tmp_path: Path) -> None:
    """A build leaves out a test of a table that is not published: `--exclude of_stg`."""

    def passed() -> tuple[bool, bool]:
        with open_catalog(dbt.house.home) as catalog:
            published = catalog.published()
        assert published
        dbt.begin("build")
        run = runs.current()
        assert run
        return published.is_whole, run.tests_touched_rows

    dbt.run("build", {step: PASSED[step] for step in STEPS - {"test.stg"}})
    assert passed() == (True, False)
    with open_catalog(dbt.house.home) as catalog:
        assert catalog.published().project_hash != project_hash(tmp_path)
    dbt.run("build", PASSED)
    assert passed() == (True, True)


def test_a_retry_in_another_home_has_nothing_to_continue(dbt: Runs) -> None:
    with pytest.raises(RunError, match=rf"no build in {dbt.house.home} that a retry can continue"):
        dbt.begin("retry")


def test_a_retry_has_the_logs_of_its_build(
    dbt: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tables that the build made are of its logs, and so is the ledger that the retry publishes."""
    failed = dbt.run("build", FAILED)
    with monkeypatch.context() as patch:
        patch.setenv("SCUTTLEHOUSE_LANDING", str(tmp_path / "another folder"))
        with pytest.raises(RunError) as told:
            dbt.begin("retry")
    assert str(told.value) == (
        f"The build {failed} began with the logs of {tmp_path / 'landing'}: set SCUTTLEHOUSE_LANDING to that "
        "folder to retry it, or run `scuttlehouse build`."
    )
    assert dbt.run("retry", {"test.a": "pass"}) == dbt.published


def test_a_retry_makes_all_rows_again_only_if_its_build_did(dbt: Runs) -> None:
    """dbt takes DBT_FULL_REFRESH from the environment of the retry, too."""
    dbt.run("build", PASSED)
    failed = dbt.run("build", FAILED)
    with pytest.raises(RunError) as told:
        dbt.begin("retry", is_full_refresh=True)
    assert str(told.value) == (
        f"The build {failed} began without --full-refresh, so many of its tables may hold the rows of new "
        "logs alone: unset DBT_FULL_REFRESH to retry it, or run `scuttlehouse build --full-refresh`."
    )
    assert dbt.run("retry", {"test.a": "pass"}) == dbt.published
    dbt.run("build", FAILED, is_full_refresh=True)
    for status in "fail", "pass":  # A retry of a retry is one, too.
        last = dbt.run("retry", {"test.a": status}, is_full_refresh=True)
    assert last == dbt.published


def test_only_a_killed_build_is_called_killed(
    dbt: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    """Even if there is no log of runs yet, because no build has got so far."""
    dbt.run("build", PASSED | {"seed.words": "error"})
    killed = dbt.begin("build")
    assert "was killed" not in capsys.readouterr().out
    dbt.begin("build")
    assert f"The build {killed} was killed." in capsys.readouterr().out


def test_a_refused_build_changes_nothing_and_is_not_called_killed(
    dbt: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    """What failed before it can still be retried."""
    dbt.run("build", FAILED)
    with pytest.raises(RunError, match=r"lacks 1 table that this run reads .* \(stg\)"):
        dbt.begin("build", selected=["model.dim_b"])
    last = dbt.run("retry", {"test.a": "pass"})
    assert dbt.published == last
    assert "was killed" not in capsys.readouterr().out


def test_a_run_that_cannot_begin_keeps_no_other_process_away(dbt: Runs) -> None:
    """This process may go on, as a scheduler does that runs dbt in itself."""
    with pytest.raises(RunError, match="There is no build in"):
        dbt.begin("retry")
    for name in ("build", "files"):
        with holding(dbt.house, "build", name):
            pass


def test_a_build_is_alone_and_other_runs_share(dbt: Runs) -> None:
    def can_begin(command: str) -> bool:
        with suppress(AssertionError), holding(dbt.house, command):
            return True
        return False

    dbt.begin("build")
    assert (can_begin("run"), can_begin("build")) == (False, False)
    ending.end([])
    assert can_begin("build")
    for command in ("run", "seed", "snapshot"):
        dbt.begin(command, selected=["seed.words"])
        assert (can_begin("run"), can_begin("build")) == (True, False)


@pytest.mark.parametrize("command", ["build", "retry", "run", "seed"])
def test_nothing_that_is_logged_begins_while_the_clock_is_behind(
    dbt: Runs, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    dbt.run("build", FAILED)
    dbt.house.make("fct_builds", 1, namespace=LOG)
    before = dbt.house.tables(WORK)
    monkeypatch.setattr(pyiceberg_tables, "time", SimpleNamespace(time=lambda: 0.0))
    with pytest.raises(CatalogError, match=r"^The clock of this machine is behind: "):
        dbt.begin(command)
    assert dbt.house.tables(WORK) == before
    dbt.begin("snapshot")


def test_a_build_that_spark_cannot_do_has_ended(
    dbt: Runs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """dbt calls no end where its first hook fails."""

    def refuse() -> None:
        raise ClusterError("The workers cannot run this package.")

    monkeypatch.setattr(beginning, "check_server", lambda: None)
    monkeypatch.setattr(beginning, "check_workers", refuse)
    dbt.begin("build")
    with pytest.raises(ClusterError, match="cannot run this package"):
        beginning.check_spark()
    assert runs.current() is None
    with holding(dbt.house, "build"):
        pass
    dbt.begin("build")
    assert "was killed" not in capsys.readouterr().out
    monkeypatch.setattr(beginning, "check_workers", lambda: None)
    beginning.check_spark()
    assert runs.current()


def test_a_failed_build_says_what_may_help(dbt: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    dbt.run("build", FAILED)
    said = capsys.readouterr().out
    assert "Nothing was published: correct what failed" in said
    assert "the last build that passed" not in said
    assert "data_docs" not in said
    assert "from a backup" not in said
    dbt.begin("build")
    run = runs.current()
    assert run
    run.quality_results.append({"is_success": False})
    failed = result("model.dim_a", "error")
    failed.message = f"The file {dbt.house.home}/warehouse/a.parquet is missing."
    ending._report_failure(run, [failed], has_published=True)
    said = capsys.readouterr().out
    assert f"the namespace {PUBLISHED} holds the tables of the last build that passed" in said
    assert f"{dbt.house.home}/data_docs/index.html says which expectations failed" in said
    assert START_ANEW in said


@pytest.mark.parametrize(
    ("selected", "is_refresh", "told"),
    [
        ({"model.stg", "model.dim_c"}, True, "has read 1 table that it has not made (mid)"),
        ({"model.dim_c"}, False, "has read 2 tables that it has not made (mid, stg)"),
        ({"model.dim_c"}, True, None),
        ({"model.stg", *OF_C}, False, None),
    ],
)
def test_a_failed_build_names_what_it_has_read_and_left_out(
    dbt: Runs,
    capsys: pytest.CaptureFixture[str],
    selected: set[str],
    is_refresh: bool,
    told: str | None,
) -> None:
    dbt.begin("build")
    run = runs.current()
    assert run
    run.graph, run.selected, run.is_refresh = {"nodes": MORE_NODES}, frozenset(selected), is_refresh
    ending._report_failure(run, [result("model.dim_a", "error")], has_published=True)
    said = capsys.readouterr().out
    assert ("has read" in said) == bool(told)
    assert (told or "") in said


@pytest.mark.parametrize(
    ("selected", "is_refresh", "warns"),
    [
        ({"model.dim_a"}, False, True),
        ({"model.dim_a"}, True, False),
        ({"model.dim_a", "model.stg"}, False, False),
        ({"test.a"}, False, False),
    ],
)
def test_a_developer_hears_of_parents_that_may_lack_rows(
    dbt: Runs,
    capsys: pytest.CaptureFixture[str],
    selected: set[str],
    is_refresh: bool,
    warns: bool,
) -> None:
    dbt.begin("build")
    run = runs.current()
    assert run
    run.selected, run.is_refresh = frozenset(selected), is_refresh
    ending._report_to_developer(run, failed=False)
    assert ("may hold the rows of the last refresh alone" in capsys.readouterr().out) == warns


def test_the_landing_folder_does_not_hold_the_home(
    dbt: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (dbt.house.home, dbt.house.home.parent):
        monkeypatch.setenv("SCUTTLEHOUSE_LANDING", str(folder))
        with pytest.raises(LandingError, match="set SCUTTLEHOUSE_HOME to a folder outside of it"):
            dbt.begin("build")
    monkeypatch.setenv("SCUTTLEHOUSE_LANDING", str(dbt.house.home / "logs"))
    dbt.begin("build")


def test_a_step_reads_what_its_parts_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "rows_written", lambda name, _: {"stg": 7, "dim_a": 3}[name])
    results = [result(step, "success") for step in ("model.stg", "model.dim_a")]
    tables = {name: name for name in ("stg", "dim_a")}
    rows = steps.node_steps("build 1", NODES, results, {}, tables, 4, datetime.now(UTC))
    read = {row["step"]: row["rows_in"] for row in rows}
    assert read == {"stg": None, "dim_a": 7}


def test_a_run_needs_the_tables_that_it_reads(dbt: Runs) -> None:
    """Of a build, those that its tests read do not count: an error of dbt names each of these tests."""
    with pytest.raises(RunError, match=f"{WORK} has no tables to test: run `scuttlehouse build`"):
        dbt.begin("test")
    dbt.run("seed", {"seed.words": "success"})
    with pytest.raises(RunError) as told:
        dbt.begin("test", selected=["test.stg", "test.a", "test.b"])
    assert str(told.value) == (
        f"{WORK} lacks 3 tables that this run reads and does not make (dim_a, dim_b, stg): run `scuttlehouse "
        "build`, which makes all tables, or select what they are made of, too (`-s +dim_groups`)."
    )
    lacks_one = rf"^{WORK} lacks 1 table that this run reads and does not make \(stg\): "
    for command in ("run", "build"):
        # A part of dim_a reads it.
        for selected in (["model.dim_b", "test.b"], ["model.dim_a"]):
            with pytest.raises(RunError, match=lacks_one):
                dbt.begin(command, selected=selected)
        dbt.begin(command, selected=["model.dim_b"], is_deferring=True)
        dbt.begin(command, selected=["seed.words", "model.stg", "test.a"])
    dbt.run("run", dict.fromkeys(["seed.words", "model.stg"], "success"))
    dbt.begin("test", selected=["test.stg"])
    dbt.begin("run", selected=["model.dim_b"])


def test_a_build_that_publishes_reads_no_tables_of_another_target(
    dbt: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `--defer`, dbt gives every node the place of its table in the artifacts of `--state`."""

    def defer_to(schema: str) -> None:
        for name in ("model.stg", "model.dim_b", "model.dim_a"):
            place = {"schema": schema, "alias": NODES[name]["alias"]}
            monkeypatch.setitem(NODES, name, {**NODES[name], "defer_relation": place})

    dbt.run("build", PASSED)
    defer_to(ANN.work)
    # `dim_a` reads `stg` by way of a part that has no table.
    for selected in (["model.dim_a"], ["model.dim_b", "test.b"], ["test.stg"]):
        with pytest.raises(
            RunError, match=r"another target \(scuttlehouse_dev_ann.stg\), from which"
        ):
            dbt.begin("build", selected=selected, is_deferring=True)
    # They read what they make.
    dbt.begin("build", is_deferring=True)
    dbt.begin("run", selected=["model.dim_a"], is_deferring=True)
    defer_to(WORK)
    dbt.begin("build", selected=["model.dim_a"], is_deferring=True)
    dbt.begin("build", selected=["model.dim_a"], is_deferring=True, schema=ANN.work)


@pytest.mark.parametrize("is_full_refresh", [False, True])
def test_a_build_after_another_is_a_refresh(dbt: Runs, is_full_refresh: bool) -> None:
    dbt.run("build", PASSED)
    dbt.begin("build", is_full_refresh=is_full_refresh)
    run = runs.current()
    assert run
    assert (run.is_refresh, run.tests_touched_rows) == (not is_full_refresh, not is_full_refresh)


@pytest.mark.parametrize("folder", ["landing", "another folder"])
def test_after_a_part_a_build_starts_from_the_lines_of_the_ledger(
    dbt: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    """The part has read other logs. They may be gone or have another name before anything says so."""
    for module in beginning, ending:
        monkeypatch.setattr(module, "LANDED_LINES", ("stg",))
    for module in publishable, ending:
        monkeypatch.setattr(module, "LEDGER", "dim_b")
    dbt.run("build", PASSED)
    with monkeypatch.context() as patch:
        patch.setenv("SCUTTLEHOUSE_LANDING", str(tmp_path / folder))
        dbt.run("build", {step: PASSED[step] for step in STEPS - {"model.dim_b", "test.b"}})
    assert dbt.house.read() == {"dim_a": [2], "dim_b": [1]}
    dbt.begin("build")
    assert dbt.house.read(WORK) == {"stg": [1]}


def test_after_a_first_part_a_build_reads_all_logs(
    dbt: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in beginning, ending:
        monkeypatch.setattr(module, "LANDED_LINES", ("stg",))
    dbt.run("build", {step: PASSED[step] for step in STEPS - {"model.dim_b", "test.b"}})
    assert dbt.house.read() == {"dim_a": [1]}
    dbt.begin("build")
    assert dbt.house.read(WORK) == {}


def test_a_build_by_other_rules_or_of_another_folder_is_no_refresh(
    dbt: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And lines that were read from another folder are no start for it."""

    def begun() -> tuple[bool, set[str]]:
        dbt.begin("build", selected=["model.lines", *STEPS])
        run = runs.current()
        assert run
        return run.is_refresh, {*dbt.house.tables(WORK)}

    for module in publishable, ending:
        monkeypatch.setattr(module, "LEDGER", "dim_b")
    lines = "stg_ssb__landed_lines"
    monkeypatch.setitem(NODES, "model.lines", node("model", lines))
    dbt.run("build", {**PASSED, "model.lines": "success"})
    everything = {lines, "words", "stg", "dim_a", "dim_b"}
    assert begun() == (True, everything)
    rules = tmp_path / "models" / "a.sql"
    rules.parent.mkdir()
    rules.write_text("select 1")
    assert begun() == (False, {lines})
    rules.unlink()
    monkeypatch.setenv("SCUTTLEHOUSE_LANDING", str(tmp_path / "elsewhere"))
    assert begun() == (False, set())
    monkeypatch.setenv("SCUTTLEHOUSE_LANDING", str(tmp_path / "landing"))
    assert begun() == (True, everything)
    dbt.begin("build", is_full_refresh=True, selected=["model.lines", *STEPS])
    assert dbt.house.tables(WORK) == {}, "a full refresh reads the logs again"
    part = dbt.run("build", {"model.dim_a": "success", "test.a": "pass"})
    assert dbt.published == part
    assert begun() == (False, {lines}), "the tables of a part and the others may differ"
    dbt.run("build", {**PASSED, "model.lines": "success"})
    assert begun() == (True, everything)
    ran = ["model.dim_a", "model.dim_b", "test.a", "test.b"]
    dbt.run("build", {step: PASSED[step] for step in ran})
    assert begun() == (False, {lines}), "all are published, and not all that they are made from"


def begin_log(house: House) -> None:
    """The log of runs, with a row of an earlier run."""
    steps = steps_table([run_step("earlier", "failed")])
    with house.iceberg() as iceberg:
        location = house.home / "warehouse" / LOG / "fct_builds"
        create_table(iceberg, (LOG, "fct_builds"), steps.schema, location, [steps])
    house.write_sidecars()


def logged(house: House) -> list[dict[str, Any]]:
    """The rows of the log of runs; what was added last comes last."""
    with house.iceberg() as iceberg:
        files = iceberg.load_table((LOG, "fct_builds")).scan().to_arrow_batch_reader()
        return [row for batch in reversed([*files]) for row in batch.to_pylist()]


def test_every_run_is_logged_with_how_it_ended(dbt: Runs) -> None:
    begin_log(dbt.house)
    part = {"model.dim_a": "success", "test.a": "pass"}
    expected = [("earlier", "failed", "build", None)]
    for command, statuses, status, kind, added in (
        ("build", PASSED, "published", "build", 2),
        ("build", PASSED, "published", "refresh", None),
        ("build", FAILED, "failed", "refresh", None),
        ("retry", {"test.a": "pass"}, "published", "retry", None),
        ("build", part, "unpublished", "refresh", None),
        ("run", {"seed.words": "success"}, "unpublished", "build", None),
        ("seed", {"seed.words": "error"}, "failed", "build", None),
    ):
        run_id = dbt.run(command, statuses)
        if command in BUILDING:
            with open_catalog(dbt.house.home) as catalog:
                assert not remove_unreachable(catalog, dbt.house.home, lambda: True), (
                    "the build has removed all"
                )
        expected.append((run_id, status, kind, added))
        of_run = [row for row in logged(dbt.house) if row["build_id"] == run_id]
        assert {row["step"] for row in of_run} == {
            "build",
            *(NODES[step]["alias"] for step in statuses),
        }
        assert {row["status"] for row in of_run if row["step"] != "build"} == {*statuses.values()}
    runs_of_log = [row for row in logged(dbt.house) if row["step"] == "build"]
    assert [
        (row["build_id"], row["status"], row["step_kind"], row["rows_added"]) for row in runs_of_log
    ] == expected
    assert all(row["started_at"] for row in runs_of_log[1:])
    assert dbt.house.tables(PUBLISHED)["fct_builds"] == dbt.house.tables(LOG)["fct_builds"]


@pytest.mark.parametrize("in_the_way", ["a lock", "a full disk", "nothing"])
def test_a_full_refresh_replaces_no_log_of_runs_because_of_what_passes(
    dbt: Runs, monkeypatch: pytest.MonkeyPatch, in_the_way: str
) -> None:
    """Before it begins, it logs the build before it, which was killed."""

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    begin_log(dbt.house)
    killed = dbt.begin("build")
    monkeypatch.setattr(pyiceberg_tables, "_PATIENCE_SECONDS", 0.0)
    if in_the_way == "a lock":
        with (
            holding(dbt.house, "build", "changes"),
            pytest.raises(CatalogError, match="in use by"),
        ):
            dbt.begin("build", is_full_refresh=True)
    elif in_the_way == "a full disk":
        with monkeypatch.context() as full:
            full.setattr("pyiceberg.table.Table.append", refuse)
            with pytest.raises(CatalogError, match="No space left"):
                dbt.begin("build", is_full_refresh=True)
    dbt.begin("build", is_full_refresh=True)
    assert [(row["build_id"], row["status"]) for row in logged(dbt.house)] == [
        ("earlier", "failed"),
        (killed, "killed"),
    ]


def test_a_developer_publishes_nothing_and_keeps_nobody_from_building(
    dbt: Runs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Metrics are those of the builds that are published, too, whether they fail or not."""
    measured: list[str] = []
    monkeypatch.setattr(ending, "update_metrics_file", lambda _: measured.append(last))
    last = "published"
    first = dbt.run("build", PASSED)
    last = "failed"
    dbt.run("build", FAILED)
    last = "of a developer"
    dbt.begin("build", schema=ANN.work)
    for step in PASSED:
        if not step.startswith("test."):
            dbt.house.make(NODES[step]["alias"], 9, namespace=ANN.work)
    with (
        holding(dbt.house, "build"),
        pytest.raises(AssertionError),
        holding(dbt.house, "build", "files"),
    ):
        pass
    ending.end([result(step, status) for step, status in PASSED.items()])
    assert "A developer's build publishes nothing." in capsys.readouterr().out
    assert dbt.published == first
    assert dbt.house.read() == {"dim_a": [1], "dim_b": [1]}
    assert dbt.house.read(ANN.work)["dim_a"] == [9]
    for name in "files", ANN.work:
        with holding(dbt.house, "build", name):
            pass
    last = "of a run"
    dbt.run("run", {"seed.words": "success"})
    assert measured == ["published", "failed"]


def test_no_file_is_removed_while_a_developer_writes(
    dbt: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    dbt.run("build", PASSED)
    file = dbt.house.home / "warehouse" / ANN.work / "data" / "unfinished.parquet"
    file.parent.mkdir(parents=True)
    file.touch()
    with holding(dbt.house, "run", "files"):
        dbt.run("build", FAILED)
    assert file.exists()
    said = capsys.readouterr().out
    assert f"were not removed: The warehouse in {dbt.house.home} is in use by process " in said
    dbt.run("build", FAILED)
    assert not file.parent.exists()
    assert "were not removed" not in capsys.readouterr().out


def test_a_part_says_what_is_not_published(dbt: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    dbt.run("build", PASSED)
    assert "Not published" not in capsys.readouterr().out
    dbt.run("build", {"model.dim_a": "success", "test.a": "pass"})
    said = capsys.readouterr().out
    assert "before and after them, were selected: dim_b.\nThey stay as they were." in said
    dbt.run("build", {"model.dim_a": "success"})
    said = capsys.readouterr().out
    assert "before and after them, were selected: dim_a, dim_b.\n" in said
    assert "They stay" not in said


def test_a_changed_test_reads_all_rows_and_a_sample_is_no_refresh(
    dbt: Runs, tmp_path: Path
) -> None:
    """The rows that a refresh keeps have passed other tests, or none."""

    def begun(*, is_sampled: bool = False) -> tuple[bool, bool]:
        dbt.begin("build", is_sampled=is_sampled)
        run = runs.current()
        assert run
        return run.is_refresh, run.tests_touched_rows

    dbt.run("build", PASSED)
    assert begun() == (True, True)
    for file in "tests/a.sql", "models/a.yml", "snapshots/a.sql":
        changed = tmp_path / file
        changed.parent.mkdir()
        changed.write_text("a")
        assert begun() == (True, False), file
        changed.unlink()
    assert begun() == (True, True)
    assert begun(is_sampled=True) == (False, False)


def test_a_retry_after_a_rollback_is_refused(dbt: Runs) -> None:
    """Its build began from the tables that the rollback has replaced."""
    first = dbt.run("build", PASSED)
    dbt.run("build", PASSED)
    dbt.run("build", FAILED)
    assert dbt.house.roll_back().build_id == first
    with pytest.raises(RunError, match=r"^Another build was published since the one that failed: "):
        dbt.begin("retry")
    assert dbt.published == first


@pytest.mark.parametrize("command", ["retry", "run", "test", "seed"])
def test_a_run_beside_a_damaged_table_of_its_refresh_ends_with_a_sentence(
    dbt: Runs, command: str
) -> None:
    """No work table has the file any more. Spark would try to read it for a minute and a half."""
    dbt.run("build", PASSED)
    dbt.run("build", FAILED)
    file = dbt.house.tables(BASE)["dim_a"]
    assert file != dbt.house.tables(WORK)["dim_a"]
    flip(Path(file))
    with pytest.raises(CatalogError) as told:
        dbt.begin(command)
    assert str(told.value) == (
        f"The table {BASE}.dim_a cannot be used. The file {file} is damaged: it does not match its "
        "checksums. Restore the file from a backup, or run `scuttlehouse build`."
    )
