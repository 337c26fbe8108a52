"""What dbt's hook calls when a run begins: check the settings, lock the warehouse, and start a build.

A build starts from the published tables, under a lock. When every step has passed, its tables are published
in one transaction. Every run that writes is logged in ``fct_builds``.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from scuttlehouse.builds.log_of_runs import continue_log
from scuttlehouse.builds.publishable import absent_tables, tables_elsewhere
from scuttlehouse.builds.quality import checking_builds
from scuttlehouse.builds.rules import code_of_lines_hash, project_hash, rules_hash
from scuttlehouse.builds.runs import (
    BUILDING,
    LOGGED,
    WRITING,
    Run,
    RunError,
    lock_of,
    release,
    start,
    stop,
)
from scuttlehouse.catalog.damage import verify_base
from scuttlehouse.catalog.home import home_folder, prepare_home
from scuttlehouse.catalog.log import require_clock, require_clock_of_tables
from scuttlehouse.catalog.names import Schemas, schemas_of
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.catalog.publishing import Catalog
from scuttlehouse.catalog.storage import warehouse_location
from scuttlehouse.landing.folder import landing_folder, require_apart
from scuttlehouse.printing import count, first_of
from scuttlehouse.spark.cluster import check_workers
from scuttlehouse.spark.connect import check_server
from scuttlehouse.spark.imports import import_ahead

# The greatest value of each var that is a number. Spark's greatest integer is one.
_MOST = {"settle_steps": 64, "set_ghost_span": 2**31 - 1, "kept_builds": 2**31 - 1}

# The tables that hold the lines of the logs. A build that recomputes the rest does not read the logs again.
LANDED_LINES = ("stg_ssb__landed_lines", "stg_pzp__landed_lines")


def begin(
    command: str,
    run_id: str,
    schema: str,
    is_full_refresh: bool,
    is_sampled: bool,
    is_deferring: bool,
    graph: Mapping[str, Any],
    selected: Sequence[str],
    variables: Mapping[str, Any],
) -> None:
    """Check the settings and lock the warehouse. A build then starts from the published tables.

    Args:
        command: dbt's command. A retry comes as ``build``.
        schema: the schema of dbt's target.
        is_sampled: with `--empty` or `--sample`, so that tables lack rows.
        is_deferring: with `--defer`, so that tables of another target may be read.
        graph: dbt's nodes, by id in the member ``nodes``.
        selected: the ids of the nodes that the run runs.
        variables: the vars of scuttlehouse, by name.

    Raises:
        RunError: a setting has an impossible value, Python runs without docstrings, there is no build that a
            retry can continue, or a table that the run reads is not there.
        CatalogError: another build runs, the warehouse is damaged, or the schema is not one to build in.
        LandingError: the landing folder has no possible name, or is not apart from the home and the tables.
    """
    check_variables(variables)
    stop()  # an earlier run of dbt in this process may have ended without its hook
    # `dbt retry` gives its command as `build`, without what the failed build selected.
    if command == "build" and (not selected or _is_retry()):
        command, selected = "retry", ()
    if command not in WRITING:
        return
    _check_docstrings()
    home, schemas = home_folder(), schemas_of(schema)
    require_apart(landing_folder(), home, warehouse_location(home))
    prepare_home(home)
    lock = lock_of(home, schemas)
    run = Run(
        command, run_id, home, schemas, graph, frozenset(selected), variables, lock, is_sampled
    )
    try:
        lock.hold(exclusive=command in BUILDING)
        _begin(run, is_full_refresh, is_deferring)
    except BaseException:  # The process may go on and be no run of dbt: no end would release it.
        release(home, lock)
        raise
    start(run)


def _is_retry() -> bool:
    """Whether the command is `dbt retry`. A run before it in this process leaves dbt what it has selected."""
    context = click.get_current_context(silent=True)
    return context is not None and context.info_name == "retry"


def check_spark() -> None:
    """See whether Spark's server or workers can do the run that has begun. If not, the run has ended.

    Raises:
        ConnectError: see :func:`check_server`.
        ClusterError: see :func:`check_workers`.
    """
    try:
        check_server()
        check_workers()
    except Exception:
        run = stop()
        if run is not None:
            with open_catalog(run.home) as catalog:
                catalog.record_passed(run.run_id, (), run.schemas)
            release(run.home, run.lock)
        raise


def _begin(run: Run, is_full_refresh: bool, is_deferring: bool) -> None:
    command, schemas = run.command, run.schemas
    with open_catalog(run.home) as catalog:
        if command == "test" and schemas.is_published and not catalog.tables(schemas.work):
            raise RunError(
                f"{schemas.work} has no tables to test: run `scuttlehouse build`, which tests them, too."
            )
        # A run that is refused has changed nothing: a retry still continues the run before it.
        if command != "build":  # A build names these tables again.
            verify_base(catalog, schemas)
        if not is_deferring:
            _refuse_absent_tables(catalog, run)
        elif command == "build" and schemas.is_published:
            _refuse_tables_elsewhere(run)
        if command == "build":
            continue_log(catalog, run, is_full_refresh)
            if not is_full_refresh:
                require_clock_of_tables(catalog)
            _start_from_published(catalog, run, is_full_refresh)
        elif command in LOGGED:
            require_clock(catalog, schemas)
            require_clock_of_tables(catalog)
            if command == "retry":
                _continue_retry(catalog, run, is_full_refresh)
            else:
                _forget_passed(catalog, schemas)
    if command in LOGGED:
        code_of_lines_hash()
    if command in BUILDING:
        import_ahead()


def _check_docstrings() -> None:
    if sys.flags.optimize > 1:
        raise RunError(
            "Python runs without docstrings, which Great Expectations needs: unset PYTHONOPTIMIZE, and do "
            "not run Python with -OO."
        )


def check_variables(variables: Mapping[str, Any]) -> None:
    """Refuse vars with impossible values.

    >>> check_variables({"settle_steps": 0})
    Traceback (most recent call last):
    scuttlehouse.builds.runs.RunError: The var settle_steps is 0: set it to a whole number from 1 to 64.
    """
    for name, most in _MOST.items():
        value = variables[name]
        # True and False are numbers of Python.
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if not is_whole or not 1 <= value <= most:
            raise RunError(
                f"The var {name} is {value!r}: set it to a whole number from 1 to {most}."
            )
    # What stands in place of the name may be the key itself.
    named = variables["network_key_file"] or ""
    if not isinstance(named, str) or "\0" in named:
        raise RunError(
            "The var network_key_file is no path: let it name the file that holds the network's HMAC key."
        )


def _start_from_published(catalog: Catalog, run: Run, is_full_refresh: bool) -> None:
    project = _project()
    rules, whole_project = rules_hash(project, run.variables), project_hash(project)
    published, landing = catalog.published(), landing_folder()
    run.is_refresh = bool(
        published
        and published.can_be_refreshed(rules, landing)
        and not is_full_refresh
        and not run.is_sampled
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
        landing=landing,
        is_full_refresh=is_full_refresh,
        schemas=run.schemas,
    )


def _is_made(node: str) -> bool:
    return node.startswith(("model.", "seed."))


def _continue_retry(catalog: Catalog, run: Run, is_full_refresh: bool) -> None:
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
    # Otherwise the ledger and the lines could be those of two folders.
    if work.landing not in ("", landing_folder()):
        raise RunError(
            f"The build {work.build_id} began with the logs of {work.landing}: set SCUTTLEHOUSE_LANDING to "
            "that folder to retry it, or run `scuttlehouse build`."
        )
    # dbt gives a retry the options of its build, but takes this one from its variable, too.
    if is_full_refresh and not work.is_full_refresh:
        raise RunError(
            f"The build {work.build_id} began without --full-refresh, so many of its tables may hold the "
            "rows of new logs alone: unset DBT_FULL_REFRESH to retry it, or run `scuttlehouse build "
            "--full-refresh`."
        )
    # dbt's results of a killed build leave out what did not run, or are those of an earlier build.
    if work.passed is None:
        raise RunError(
            f"The build {work.build_id} did not end, so no retry can continue it: run `scuttlehouse build`."
        )
    project = _project()
    run.rules_changed = work.rules_hash != rules_hash(project, run.variables)
    run.passed = work.passed
    changed = work.project_hash != project_hash(project)
    catalog.go_on(run.run_id, run.schemas, changed=changed)


def _refuse_absent_tables(catalog: Catalog, run: Run) -> None:
    """A part of the project needs the tables that it reads. dbt would name each in an error of its own."""
    work = run.schemas.work
    present = catalog.tables(work)
    if run.command == "build":  # It starts from the published tables.
        published = catalog.published()
        present = dict(published.tables) if published else {}
    absent = absent_tables(run.graph["nodes"], run.selected, present, work)
    if absent:
        raise RunError(
            f"{work} lacks {count(len(absent), 'table')} that this run reads and does not make "
            f"({first_of(absent)}): run `scuttlehouse build`, which makes all tables, or select what they "
            "are made of, too (`-s +dim_groups`)."
        )


def _refuse_tables_elsewhere(run: Run) -> None:
    """What a build publishes is made and tested from its own tables and the published ones alone."""
    elsewhere = tables_elsewhere(run.graph["nodes"], run.selected)
    if elsewhere:
        raise RunError(
            f"With --defer, this build may read {count(len(elsewhere), 'table')} of another target "
            f"({first_of(elsewhere)}), from which nothing may be published: leave out --defer, or give "
            "--state the artifacts of a build with the same target."
        )


def _forget_passed(catalog: Catalog, schemas: Schemas) -> None:
    """`dbt run` and `dbt seed` change tables after their tests: a retry of the build counts only itself."""
    work = catalog.work(schemas)
    if work and work.passed:
        catalog.record_passed(work.build_id, (), schemas)


def _project() -> Path:
    from dbt.flags import get_flags

    flags: Any = get_flags()  # type: ignore[no-untyped-call]
    return Path(flags.PROJECT_DIR)
