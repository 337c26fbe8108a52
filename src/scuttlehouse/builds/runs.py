"""What dbt's hooks call when a run begins and ends.

A build starts from the published tables, under a lock. When every step has passed, its tables are published
in one transaction. Every run that writes is logged in ``fct_builds``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scuttlehouse.builds.changes import Changes, count_changes
from scuttlehouse.builds.publishable import all_models, keys_of, public_models, publishable
from scuttlehouse.builds.quality import TABLE as QUALITY_RESULTS
from scuttlehouse.builds.quality import write_results
from scuttlehouse.builds.rules import project_hash, rules_hash
from scuttlehouse.builds.steps import node_steps, run_step, steps_table, total_changes
from scuttlehouse.builds.summary import print_summary
from scuttlehouse.builds.unchanged import logged_builds
from scuttlehouse.catalog import (
    PUBLISHED,
    WORK,
    Build,
    BuildLock,
    Catalog,
    CatalogError,
    home_folder,
    open_catalog,
    prepare_home,
)
from scuttlehouse.catalog.expiry import remove_unreachable, trim_history
from scuttlehouse.catalog.log import append_steps
from scuttlehouse.landing.logs import landing_folder
from scuttlehouse.operation.metrics import update_metrics_file
from scuttlehouse.reading.engine import WarehouseError
from scuttlehouse.serving.duckdb_file import renew_serving_file
from scuttlehouse.spark.imports import import_ahead

BUILDING = ("build", "retry")
LOGGED = (*BUILDING, "run", "seed")
WRITING = (*LOGGED, "test", "snapshot")
FAILED = ("error", "fail", "partial success", "runtime error")

# The tables that hold the lines of the logs. A build that recomputes the rest does not read the logs again.
LANDED_LINES = ("stg_ssb__landed_lines", "stg_pzp__landed_lines")


class RunError(Exception):
    """A run cannot begin or publish. The message says why and what to do."""


@dataclass
class Run:
    """The run of dbt in this process."""

    command: str
    run_id: str
    home: Path
    graph: Mapping[str, Any]
    selected: frozenset[str]
    variables: Mapping[str, Any]
    lock: BuildLock
    is_empty: bool = False
    is_refresh: bool = False
    tests_touched_rows: bool = False
    rules_changed: bool = False
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    # Rows of fct_quality_results; tests add to it.
    quality_results: list[dict[str, Any]] = field(default_factory=list)


_run: Run | None = None


def begin(
    command: str,
    run_id: str,
    is_full_refresh: bool,
    is_empty: bool,
    graph: Mapping[str, Any],
    selected: Sequence[str],
    variables: Mapping[str, Any],
) -> None:
    """Check the settings and lock the warehouse. A build then starts from the published tables.

    Raises:
        RunError: a setting has an impossible value, or there is no build that a retry can continue.
        CatalogError: another build runs, or the warehouse is damaged.
    """
    global _run
    check_variables(variables)
    _run = None
    # `dbt retry` gives its command as `build`, without what the failed build selected.
    if command == "build" and not selected:
        command = "retry"
    if command not in WRITING:
        return
    home = home_folder()
    prepare_home(home)
    lock = BuildLock(home)
    lock.hold(exclusive=command in BUILDING)
    run = Run(command, run_id, home, graph, frozenset(selected), variables, lock, is_empty)
    with open_catalog(home) as catalog:
        if command == "build":
            _continue_log(catalog, run, is_full_refresh)
            _start_from_published(catalog, run, is_full_refresh)
        elif command == "retry":
            _continue_retry(catalog, run)
    if command in BUILDING:
        import_ahead()
    _run = run


def current() -> Run | None:
    """The run of dbt in this process, if it is one that may write."""
    return _run


def table_node(run: Run, table: str) -> Mapping[str, Any]:
    """The model or the seed of a table, as dbt's manifest has it."""
    found: Mapping[str, Any] = next(
        node
        for node in run.graph["nodes"].values()
        if node["resource_type"] in ("model", "seed") and node["alias"] == table
    )
    return found


def tests_touched_rows() -> bool:
    """Whether tests of this run may skip the rows that a refresh keeps. They passed the same tests before."""
    return _run is not None and _run.tests_touched_rows


def tested_keys(table: str) -> tuple[str, str] | None:
    """The key of a model, and the model that lists its touched keys. Tests of this run read only those.

    None if the tests read all rows.
    """
    if not tests_touched_rows():
        return None
    assert _run is not None, "begin() has run"
    config = table_node(_run, table)["config"]
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
    published = catalog.published()
    landing = landing_folder()
    run.is_refresh = bool(
        published
        and published.can_be_refreshed(rules, landing)
        and not is_full_refresh
        and not run.is_empty
    )
    run.tests_touched_rows = bool(
        run.is_refresh and published and published.project_hash == whole_project
    )
    rebuilt = {run.graph["nodes"][node]["alias"] for node in run.selected if _is_made(node)}
    if published and published.landing == landing and not is_full_refresh:
        rebuilt -= set(LANDED_LINES)
    catalog.begin(run.run_id, rules, whole_project, refresh=run.is_refresh, rebuilt=rebuilt)


def _is_made(node: str) -> bool:
    return node.startswith(("model.", "seed."))


def _continue_retry(catalog: Catalog, run: Run) -> None:
    """A retry continues with the tables of the build that failed."""
    work, published = catalog.work(), catalog.published()
    if work is None or work.base_id != (published.build_id if published else None):
        raise RunError(
            "Another build was published since the one that failed: run the whole `dbt build`."
        )
    run.rules_changed = work.rules_hash != rules_hash(_project(), run.variables)
    if work.build_id not in logged_builds(run.home):
        append_steps(catalog, run.home, steps_table([run_step(work.build_id, "killed")]))
    catalog.go_on(run.run_id)


def _continue_log(catalog: Catalog, run: Run, is_full_refresh: bool) -> None:
    """Log the build before this one if it was killed. A full refresh replaces a damaged log."""
    try:
        _log_killed_run(catalog, run)
    except (CatalogError, WarehouseError) as error:
        if not is_full_refresh:
            raise
        print(f"The log of builds is damaged, so an empty one replaces it: {error}")
        catalog.drop_log()


def _log_killed_run(catalog: Catalog, run: Run) -> None:
    """Log the build before this one, if it did not end."""
    work, published = catalog.work(), catalog.published()
    if work is None or work.build_id in logged_builds(run.home):
        return
    was_published = published is not None and published.build_id == work.build_id
    status = "published" if was_published else "killed"
    append_steps(catalog, run.home, steps_table([run_step(work.build_id, status)]))
    if not was_published:
        print(
            f"The build {work.build_id} was killed. Its tables are dropped, and the published tables "
            "have not changed."
        )


def end(results: Sequence[Any], arguments: Mapping[str, Any]) -> None:
    """Publish the tables that passed, log the run, and print what is published now.

    Raises:
        RunError: a whole build passed, but it may not be published.
    """
    global _run
    run, _run = _run, None
    if run is None:
        return
    try:
        if run.command not in LOGGED:
            return
        with open_catalog(run.home) as catalog:
            _end(catalog, run, results, arguments)
    finally:
        run.lock.release()
        if run.command in BUILDING:
            update_metrics_file(run.home)


def _end(catalog: Catalog, run: Run, results: Sequence[Any], arguments: Mapping[str, Any]) -> None:
    failed = any(str(result.status) in FAILED for result in results)
    may_publish = run.command in BUILDING and not (failed or run.is_empty or run.rules_changed)
    nodes = run.graph["nodes"]
    chosen = _chosen(run, arguments)
    models = {name: nodes[model] for name, model in public_models(nodes, WORK).items()}
    has_results = write_results(catalog, run.home, run.run_id, run.quality_results, models)
    public = publishable(nodes, chosen, WORK, is_refresh=run.is_refresh) if may_publish else set()
    if public and has_results:
        public.add(QUALITY_RESULTS)
    build, changes = _publish(catalog, run, public, chosen) if public else (None, {})
    status = "failed" if failed else "published" if build and build.is_whole else "unpublished"
    steps = [run_step(run.run_id, status, started_at=run.started_at, changes=changes)]
    steps += node_steps(
        run.run_id,
        results,
        changes,
        catalog.tables(WORK),
        run.variables["settle_steps"],
        run.started_at,
    )
    append_steps(catalog, run.home, steps_table(steps))
    if build:
        _remove_unreachable(catalog, run)
    not_renewed = renew_serving_file(run.home, log_only=build is None)
    if run.command in BUILDING and not run.is_empty:
        _report(run, failed, build, changes, set(public_models(nodes, WORK)) - public)
    if not_renewed:
        print(f"{not_renewed}\n")


def _remove_unreachable(catalog: Catalog, run: Run) -> None:
    """Remove what no kept build needs. If a kept build is damaged, remove nothing."""
    try:
        remove_unreachable(catalog, run.home, run.lock.is_held)
    except CatalogError as error:
        print(f"Files that no kept build needs were not removed: {error}")


def _chosen(run: Run, arguments: Mapping[str, Any]) -> frozenset[str]:
    """The nodes that a build runs. A retry counts the nodes that the failed build ran, too."""
    if run.command != "retry":
        return frozenset(run.selected)
    # dbt does not store what the failed build selected, only whether it selected something.
    choices = [arguments.get(name) for name in ("select", "exclude", "selector", "resource_types")]
    left_out = arguments.get("exclude_resource_types") or ()
    if any(choices) or "test" in left_out:
        return frozenset(run.selected)
    return frozenset(run.graph["nodes"])


def _publish(
    catalog: Catalog, run: Run, public: set[str], chosen: frozenset[str]
) -> tuple[Build, Changes]:
    nodes = run.graph["nodes"]
    before = catalog.published()
    trim_history(catalog, run.home)
    work = catalog.tables(WORK)
    after = {table: work[table] for table in public}
    try:
        changes = count_changes(
            run.home, before.public if before else {}, after, keys_of(nodes, public)
        )
    except WarehouseError:
        # Recomputed tables replace damaged ones, so there is nothing to compare them with.
        if run.is_refresh:
            raise
        changes = {}
    build = catalog.publish(
        run.run_id,
        public,
        is_whole=public == set(public_models(nodes, WORK)) and all_models(nodes) <= chosen,
        landing=landing_folder(),
        kept_builds=run.variables["kept_builds"],
    )
    return build, changes


def _report(
    run: Run, failed: bool, build: Build | None, changes: Changes, unpublished: set[str]
) -> None:
    if failed:
        print(
            "\nNothing was published: correct what failed above and build again. Until then the schema "
            f"{PUBLISHED} holds the tables of the last build that passed all its checks.\nIf an expectation "
            f"failed, {run.home}/data_docs/index.html says which and where. If a file below "
            f"{run.home}/warehouse is missing or damaged, put it back from a backup, go back with "
            "`scuttlehouse rollback`, or run `scuttlehouse build --full-refresh`, which reads all logs "
            "again.\n"
        )
    elif build and build.is_whole:
        print_summary(run.home, build, total_changes(changes) or (0, 0, 0))
    elif run.rules_changed:
        raise RunError(
            "Nothing was published: the code has changed since the build began that this retry continues. "
            "Run the whole `dbt build`, which makes every table by the same rules."
        )
    elif unpublished:
        print(
            "\nNot published, because some of their tests or parents were not selected: "
            f"{', '.join(sorted(unpublished))}.\n"
        )


def _project() -> Path:
    from dbt.flags import get_flags

    flags: Any = get_flags()  # type: ignore[no-untyped-call]
    return Path(flags.PROJECT_DIR)
