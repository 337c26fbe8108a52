"""The log of runs when a build begins: it is checked, and gets the build before this one if it was killed."""

from __future__ import annotations

from scuttlehouse.builds.runs import Run
from scuttlehouse.builds.steps import run_step, steps_table
from scuttlehouse.catalog.log import append_steps, require_clock
from scuttlehouse.catalog.names import LOG_TABLE, PUBLISHED, UnusableError
from scuttlehouse.catalog.publishing import Catalog
from scuttlehouse.catalog.storage import warehouse_location
from scuttlehouse.reading.engine import WarehouseError, connect, literal
from scuttlehouse.reading.table_files import verify_table
from scuttlehouse.reading.warehouse import open_tables


def continue_log(catalog: Catalog, run: Run, is_full_refresh: bool) -> None:
    """Log the build before this one if it was killed. A full refresh replaces a log that cannot go on.

    Raises:
        UnusableError, WarehouseError: the log is damaged, or the clock is behind its last change.
    """
    try:
        if is_full_refresh:
            _verify_log(catalog, run)
        require_clock(catalog, run.schemas)
        _log_killed_run(catalog, run)
    except (UnusableError, WarehouseError) as error:
        if not is_full_refresh:
            raise
        print(f"The log of runs cannot be continued, so an empty one replaces it: {error}")
        catalog.drop_log(run.schemas)


def _verify_log(catalog: Catalog, run: Run) -> None:
    """Compare all files of the log with their checksums."""
    with connect(warehouse_location(run.home)) as connection:
        for table, location in catalog.tables(run.schemas.log).items():
            verify_table(connection, table, location)


def _log_killed_run(catalog: Catalog, run: Run) -> None:
    """Log the build before this one, if it did not end."""
    work, published = catalog.work(run.schemas), catalog.published()
    if work is None or work.passed is not None or _is_logged(catalog, run, work.build_id):
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


def _is_logged(catalog: Catalog, run: Run, build_id: str) -> bool:
    """Whether the log has the end of a build."""
    log = catalog.tables(run.schemas.log)
    if LOG_TABLE not in log:
        return False
    with open_tables(run.home, {PUBLISHED: log}) as tables:
        rows = tables.rows(
            f"select 1 from {LOG_TABLE} where step = 'build' and build_id = {literal(build_id)}"
        )
    return bool(rows)
