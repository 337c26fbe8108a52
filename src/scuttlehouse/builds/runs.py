"""The run of dbt in this process, and what dbt's hook calls when it begins (``ending`` has its end).

A build starts from the published tables, under a lock. When every step has passed, its tables are published
in one transaction. Every run that writes is logged in ``fct_builds``. A developer's build has a work schema,
a lock and a log of its own, and publishes nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scuttlehouse.builds.quality import checking_builds
from scuttlehouse.builds.rules import code_of_lines_hash, project_hash, rules_hash
from scuttlehouse.builds.steps import run_step, steps_table
from scuttlehouse.builds.unchanged import logged_builds
from scuttlehouse.builds.verification import verify_log
from scuttlehouse.catalog import (
    BuildLock,
    Catalog,
    CatalogError,
    Schemas,
    home_folder,
    open_catalog,
    prepare_home,
    schemas_of,
)
from scuttlehouse.catalog.log import append_steps
from scuttlehouse.catalog.names import UnreachableError
from scuttlehouse.errors import HouseError
from scuttlehouse.landing.logs import landing_folder, require_apart
from scuttlehouse.reading.engine import WarehouseError
from scuttlehouse.spark.imports import import_ahead

BUILDING = ("build", "retry")
LOGGED = (*BUILDING, "run", "seed")
WRITING = (*LOGGED, "test", "snapshot")

# Every developer's run holds it, with others. Whoever removes files holds it alone.
FILES_LOCK = "files"

# The tables that hold the lines of the logs. A build that recomputes the rest does not read the logs again.
LANDED_LINES = ("stg_ssb__landed_lines", "stg_pzp__landed_lines")


class RunError(HouseError):
    """A run cannot begin or publish. The message says why and what to do."""


@dataclass
class Run:
    """The run of dbt in this process."""

    command: str
    run_id: str
    home: Path
    schemas: Schemas
    graph: Mapping[str, Any]
    selected: frozenset[str]
    variables: Mapping[str, Any]
    lock: BuildLock  # A developer's run holds FILES_LOCK, too.
    is_empty: bool = False
    # What has passed in the build that a retry continues.
    passed: Collection[str] = ()
    is_refresh: bool = False
    tests_touched_rows: bool = False
    # The build that checked each published table, if tests may skip its rows.
    checked_by: Mapping[str, str] = field(default_factory=dict)
    rules_changed: bool = False
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    # Rows of fct_quality_results; tests add to it.
    quality_results: list[dict[str, Any]] = field(default_factory=list)


_run: Run | None = None


def begin(
    command: str,
    run_id: str,
    schema: str,
    is_full_refresh: bool,
    is_empty: bool,
    graph: Mapping[str, Any],
    selected: Sequence[str],
    variables: Mapping[str, Any],
) -> None:
    """Check the settings and lock the warehouse. A build then starts from the published tables.

    Raises:
        RunError: a setting has an impossible value, Python runs without docstrings, there is no build that a
            retry can continue, or no table that can be tested.
        CatalogError: another build runs, the warehouse is damaged, or the schema is not one to build in.
        LandingError: the landing folder has no possible name, or holds the home.
    """
    global _run
    check_variables(variables)
    _run = None
    # `dbt retry` gives its command as `build`, without what the failed build selected.
    if command == "build" and not selected:
        command = "retry"
    if command not in WRITING:
        return
    _check_docstrings()
    home, schemas = home_folder(), schemas_of(schema)
    prepare_home(home)
    lock = _lock(home, schemas)
    lock.hold(exclusive=command in BUILDING)
    run = Run(command, run_id, home, schemas, graph, frozenset(selected), variables, lock, is_empty)
    with open_catalog(home) as catalog:
        if command == "build":
            _continue_log(catalog, run, is_full_refresh)
            _start_from_published(catalog, run, is_full_refresh)
        elif command == "retry":
            _continue_retry(catalog, run)
        elif command in LOGGED:
            _forget_passed(catalog, schemas)
        elif command == "test" and schemas.is_published and not catalog.tables(schemas.work):
            raise RunError(
                f"{schemas.work} has no tables to test: run `scuttlehouse build`, which tests them, too."
            )
    if command in LOGGED:
        code_of_lines_hash()
    if command in BUILDING:
        import_ahead()
    _run = run


def _check_docstrings() -> None:
    if sys.flags.optimize > 1:
        raise RunError(
            "Python runs without docstrings, which Great Expectations needs: unset PYTHONOPTIMIZE, and do "
            "not run Python with -OO."
        )


def _lock(home: Path, schemas: Schemas) -> BuildLock:
    """What keeps other builds of the same work schema away."""
    if schemas.is_published:
        return BuildLock(home)
    BuildLock(home, FILES_LOCK).hold(exclusive=False)
    return BuildLock(home, schemas.work)


def drop_developer_schema(schema: str) -> None:
    """Drop the tables of a developer. The next published build removes the files that only they needed.

    Raises:
        CatalogError: the schema is no developer's, or is in use.
    """
    home, schemas = home_folder(), schemas_of(schema)
    if schemas.is_published:
        raise CatalogError(f"{schema} is not the schema of a developer: nothing was dropped.")
    lock = _lock(home, schemas)
    try:
        lock.hold(exclusive=True)
        with open_catalog(home) as catalog:
            catalog.drop_work(schemas)
    finally:
        lock.release()
        BuildLock(home, FILES_LOCK).release()


def current() -> Run | None:
    """The run of dbt in this process, if it is one that may write."""
    return _run


def finished() -> Run | None:
    """The same, when it ends: from here on there is none."""
    global _run
    run, _run = _run, None
    return run


def table_node(run: Run, table: str) -> Mapping[str, Any]:
    """The model or the seed of a table, as dbt's manifest has it."""
    found: Mapping[str, Any] = next(
        node
        for node in run.graph["nodes"].values()
        if node["resource_type"] in ("model", "seed") and node["alias"] == table
    )
    return found


def tested_keys(table: str) -> tuple[str, str] | None:
    """The key of a model, and the model that lists its touched keys. Tests of this run read only those.

    The rows that a refresh keeps passed the same tests before. None if the tests read all rows.
    """
    run = current()
    if run is None or not run.tests_touched_rows:
        return None
    config = table_node(run, table)["config"]
    touched = config.get("replaced_keys_from")
    return (config["unique_key"], touched) if touched else None


def check_variables(variables: Mapping[str, Any]) -> None:
    """Refuse vars with impossible values.

    >>> check_variables({"settle_steps": 0, "set_ghost_span": 32, "kept_builds": 3})
    Traceback (most recent call last):
    scuttlehouse.builds.runs.RunError: The var settle_steps is 0: set it to a whole number from 1 to 64.
    """
    steps = variables["settle_steps"]
    if not _is_whole_number(steps) or not 1 <= steps <= 64:
        raise RunError(f"The var settle_steps is {steps}: set it to a whole number from 1 to 64.")
    for name in ("set_ghost_span", "kept_builds"):
        value = variables[name]
        if not _is_whole_number(value) or value < 1:
            raise RunError(f"The var {name} is {value}: set it to a whole number from 1 on.")


def _is_whole_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _start_from_published(catalog: Catalog, run: Run, is_full_refresh: bool) -> None:
    project = _project()
    rules, whole_project = rules_hash(project, run.variables), project_hash(project)
    published, landing = catalog.published(), landing_folder()
    require_apart(landing, run.home)
    run.is_refresh = bool(
        published
        and published.can_be_refreshed(rules, landing)
        and not is_full_refresh
        and not run.is_empty
    )
    run.tests_touched_rows = bool(
        run.is_refresh and published and published.project_hash == whole_project
    )
    if published and run.tests_touched_rows:
        run.checked_by = checking_builds(run.home, published)
    rebuilt = {run.graph["nodes"][node]["alias"] for node in run.selected if _is_made(node)}
    if published and published.landing == landing and not is_full_refresh:
        rebuilt -= set(LANDED_LINES)
    catalog.begin(
        run.run_id,
        rules,
        whole_project,
        refresh=run.is_refresh,
        rebuilt=rebuilt,
        schemas=run.schemas,
    )


def _is_made(node: str) -> bool:
    return node.startswith(("model.", "seed."))


def _continue_retry(catalog: Catalog, run: Run) -> None:
    """A retry continues with the tables of the build that failed, and with what has passed in it."""
    work, published = catalog.work(run.schemas), catalog.published()
    if work is None:
        raise RunError(
            f"There is no build in {run.home} that a retry can continue: set SCUTTLEHOUSE_HOME to the home "
            "of the build that failed, or run `scuttlehouse build`."
        )
    if work.base_id != (published.build_id if published else None):
        raise RunError(
            "Another build was published since the one that failed: run `scuttlehouse build`."
        )
    # dbt's results of a killed build leave out what did not run, or are those of an earlier build.
    if work.passed is None:
        raise RunError(
            f"The build {work.build_id} did not end, so no retry can continue it: run `scuttlehouse build`."
        )
    run.rules_changed = work.rules_hash != rules_hash(_project(), run.variables)
    run.passed = work.passed
    catalog.go_on(run.run_id, run.schemas)


def _forget_passed(catalog: Catalog, schemas: Schemas) -> None:
    """`dbt run` and `dbt seed` change tables after their tests: a retry of the build counts only itself."""
    work = catalog.work(schemas)
    if work and work.passed:
        catalog.record_passed(work.build_id, (), schemas)


def _continue_log(catalog: Catalog, run: Run, is_full_refresh: bool) -> None:
    """Log the build before this one if it was killed. A full refresh replaces a damaged log."""
    try:
        if is_full_refresh:
            verify_log(run.home, run.schemas)
        _log_killed_run(catalog, run)
    except UnreachableError:
        raise
    except (CatalogError, WarehouseError) as error:
        if not is_full_refresh:
            raise
        print(f"The log of builds is damaged, so an empty one replaces it: {error}")
        catalog.drop_log(run.schemas)


def _log_killed_run(catalog: Catalog, run: Run) -> None:
    """Log the build before this one, if it did not end."""
    work, published = catalog.work(run.schemas), catalog.published()
    if work is None or work.passed is not None:
        return
    if work.build_id in logged_builds(run.home, run.schemas):
        return
    was_published = published is not None and published.build_id == work.build_id
    status = "published" if was_published else "killed"
    ended = steps_table([run_step(work.build_id, status)])
    append_steps(catalog, run.home, ended, run.schemas)
    if not was_published:
        print(
            f"The build {work.build_id} was killed. Its tables are dropped, and the published tables "
            "have not changed."
        )


def _project() -> Path:
    from dbt.flags import get_flags

    flags: Any = get_flags()  # type: ignore[no-untyped-call]
    return Path(flags.PROJECT_DIR)
