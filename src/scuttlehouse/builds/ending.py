"""What dbt's hook calls when a run ends: publish what passed, log the run, and print what is published."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from scuttlehouse.builds.beginning import LANDED_LINES
from scuttlehouse.builds.changes import Changes, count_changes
from scuttlehouse.builds.publishable import (
    FAILED,
    LEDGER,
    ORDERS_AND_COMMANDS,
    all_models,
    all_steps,
    keys_of,
    left_out,
    passed_so_far,
    public_models,
    publishable,
)
from scuttlehouse.builds.quality import TABLE as QUALITY_RESULTS
from scuttlehouse.builds.quality import write_results
from scuttlehouse.builds.runs import BUILDING, FILES_LOCK, LOGGED, Run, RunError, release, stop
from scuttlehouse.builds.steps import node_steps, run_step, steps_table, total_changes
from scuttlehouse.builds.summary import summary
from scuttlehouse.catalog.expiry import remove_unreachable, trim_history
from scuttlehouse.catalog.lock import BuildLock
from scuttlehouse.catalog.log import append_steps
from scuttlehouse.catalog.names import LOG_TABLE, PUBLISHED, START_ANEW, CatalogError
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.catalog.publishing import Catalog
from scuttlehouse.catalog.records import Build
from scuttlehouse.catalog.storage import warehouse_location
from scuttlehouse.landing.folder import landing_folder
from scuttlehouse.operation.metrics import update_metrics_file
from scuttlehouse.printing import count, first_of
from scuttlehouse.reading.engine import WarehouseError
from scuttlehouse.serving.renewal import renew_serving

_TOGETHER = f"{' and '.join(sorted(ORDERS_AND_COMMANDS))} are published together or not at all.\n"
_MIXED = (
    "They stay as they were. If this build has read new logs, rows of the tables that are published now may "
    "refer to rows that those lack: run `scuttlehouse build`.\n"
)


def end(results: Sequence[Any]) -> None:
    """Publish the tables that passed, log the run, and print what is published now.

    Raises:
        RunError: a whole build passed, but it may not be published.
    """
    run = stop()
    if run is None:
        return
    try:
        if run.command not in LOGGED:
            return
        with open_catalog(run.home) as catalog:
            _end(catalog, run, results)
    finally:
        release(run.home, run.lock)
        if run.is_public:
            update_metrics_file(run.home)


def _end(catalog: Catalog, run: Run, results: Sequence[Any]) -> None:
    nodes = run.graph["nodes"]
    statuses = {result.node.unique_id: str(result.status) for result in results}
    failed = any(status in FAILED for status in statuses.values())
    passed = passed_so_far(nodes, run.passed, statuses)
    models = {name: nodes[one] for name, one in public_models(nodes, run.schemas.work).items()}
    has_results = write_results(
        catalog, run.home, run.schemas, run.run_id, run.quality_results, models
    )
    public = _to_publish(run, passed, failed)
    if public and has_results:
        public.add(QUALITY_RESULTS)
    build, changes = _publish(catalog, run, public, passed) if public else (None, {})
    steps = _steps(catalog, run, results, build, changes, failed)
    _log(catalog, run, steps, has_published=build is not None)
    if run.command in BUILDING:
        # Tables that lack rows, or by other rules than those of the build, may not be published later either.
        counts = not (run.is_sampled or run.rules_changed)
        catalog.record_passed(run.run_id, passed if counts else (), run.schemas)
    if run.is_public:
        remove_unneeded(catalog, run.home, run.lock)
    if not run.schemas.is_published:
        _report_to_developer(run, failed)
        return
    not_renewed = renew_serving(run.home, log_only=build is None)
    if run.command in BUILDING:
        if failed:
            _report_failure(run, results, has_published=catalog.published() is not None)
        else:
            _report(run, build, changes, models.keys() - public)
    if not_renewed:
        print(f"{not_renewed}\n")


def _to_publish(run: Run, passed: frozenset[str], failed: bool) -> set[str]:
    """The tables that the run may publish, by name, without the results of expectations."""
    if not run.is_public or failed or run.is_sampled or run.rules_changed:
        return set()
    nodes = run.graph["nodes"]
    # dbt does not say what the build of a retry had selected. So a retry publishes everything or nothing.
    if run.command == "retry" and not all_steps(nodes) <= passed:
        return set()
    return publishable(nodes, passed, run.schemas.work, is_refresh=run.is_refresh)


def _steps(
    catalog: Catalog,
    run: Run,
    results: Sequence[Any],
    build: Build | None,
    changes: Changes,
    failed: bool,
) -> pa.Table:
    """The rows of the run in the log of runs. ``build`` is what it has published."""
    status = "failed" if failed else "published" if build and build.is_whole else "unpublished"
    kind = "retry" if run.command == "retry" else "refresh" if run.is_refresh else "build"
    whole = run_step(run.run_id, status, kind=kind, started_at=run.started_at, changes=changes)
    of_nodes = node_steps(
        run.run_id,
        run.graph["nodes"],
        results,
        changes,
        catalog.tables(run.schemas.work),
        run.variables["settle_steps"],
        run.started_at,
    )
    return steps_table([whole, *of_nodes])


def _log(catalog: Catalog, run: Run, steps: pa.Table, *, has_published: bool) -> None:
    """Add the steps to the log of runs. If it is damaged, what is published stays."""
    try:
        append_steps(catalog, run.home, steps, run.schemas)
    except CatalogError as error:
        if not has_published:
            raise
        print(f"The build is published, but its steps are not in {LOG_TABLE}: {error}")


def remove_unneeded(catalog: Catalog, home: Path, lock: BuildLock) -> None:
    """Remove the files that no table and no kept build needs.

    The caller holds the lock of builds alone. If a kept build is damaged or a developer builds, this removes
    nothing, and says so.
    """
    try:
        with BuildLock(home, FILES_LOCK).alone():
            remove_unreachable(catalog, home, lock.is_held)
    except CatalogError as error:
        print(f"Files that no kept build needs were not removed: {error}")


def _publish(
    catalog: Catalog, run: Run, public: set[str], passed: frozenset[str]
) -> tuple[Build, Changes]:
    nodes = run.graph["nodes"]
    before = catalog.published()
    trim_history(catalog, run.home)
    work = catalog.tables(run.schemas.work)
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
        is_whole=public == set(public_models(nodes, run.schemas.work))
        and all_models(nodes) <= passed,
        landing=landing_folder(),
        kept_builds=run.variables["kept_builds"],
        # The next build reads the logs that are not in the ledger. So it begins with the lines of the others.
        as_before=() if LEDGER in public else LANDED_LINES,
        # Some tests look at no public table, so a build that leaves them out publishes all tables.
        is_tested=all_steps(nodes) <= passed,
    )
    return build, changes


def _report_to_developer(run: Run, failed: bool) -> None:
    if run.command in BUILDING:
        what = "Some steps failed." if failed else "All steps passed."
        print(
            f"\n{what} The tables are in {run.schemas.work}. A developer's build publishes nothing.\n"
        )
        if left_out(run.graph["nodes"], run.selected, is_refresh=run.is_refresh):
            print(
                "Tables that this build has read and not made may hold the rows of the last refresh alone, "
                "and then what is made from them lacks rows: select them, too (`-s +dim_groups`).\n"
            )


def _report_failure(run: Run, results: Sequence[Any], *, has_published: bool) -> None:
    print("\nNothing was published: correct what failed and build again.")
    if has_published:
        print(
            f"Until then the namespace {PUBLISHED} holds the tables of the last build that passed all checks."
        )
    if not all(row["is_success"] for row in run.quality_results):
        print(f"{run.home}/data_docs/index.html says which expectations failed, and where.")
    if lacking := left_out(run.graph["nodes"], run.selected, is_refresh=run.is_refresh):
        names = [run.graph["nodes"][model]["alias"] for model in lacking]
        print(
            f"This build has read {count(len(names), 'table')} that it has not made ({first_of(names)}). "
            "They may hold the rows of the last refresh alone, and then what is made from them fails or "
            "lacks rows: select them, too."
        )
    warehouse = warehouse_location(run.home)
    if any(warehouse in (result.message or "") for result in results):
        print(f"A file below {warehouse} may be missing or damaged. {START_ANEW}")
    print()


def _report(run: Run, build: Build | None, changes: Changes, unpublished: set[str]) -> None:
    if build and build.is_whole:
        print(*summary(run.home, build, total_changes(changes) or (0, 0, 0)), sep="\n")
    elif run.is_sampled:
        print("\nNothing was published: with --empty and --sample the tables lack rows.\n")
    elif run.rules_changed:
        raise RunError(
            "Nothing was published: the code has changed since the build began that this retry continues. "
            "Run `scuttlehouse build`, which makes every table by the same rules."
        )
    elif unpublished and run.command == "retry":
        print(
            "\nNothing was published, because not every step of the project has passed in this retry and the "
            "build that it continues: run `scuttlehouse build`.\n"
        )
    elif unpublished:
        print(
            "\nNot published, because not all of their tests, or of the models and seeds before and after "
            f"them, were selected: {', '.join(sorted(unpublished))}.\n"
            + (_TOGETHER if unpublished >= ORDERS_AND_COMMANDS else "")
            + (_MIXED if build else "")
        )
