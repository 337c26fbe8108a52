"""``scuttlehouse build``: a `dbt build`, unless nothing is new since the published one."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from scuttlehouse.catalog import BuildLock, CatalogError, home_folder, open_catalog
from scuttlehouse.catalog.home import holds_table_files
from scuttlehouse.landing.logs import LandingError
from scuttlehouse.reading.engine import WarehouseError

# Unit tests test the code and not the logs: `make test` runs them.
DBT_BUILD = ("build", "--exclude-resource-type", "unit_test")

# In the project itself, or in another one that has it as a package.
PROFILES = Path("profiles"), Path("dbt_packages", "scuttlehouse", "profiles")


def build(options: Sequence[str]) -> int:
    """Replace this process by `dbt build` with some options; return 0 if nothing is new.

    With options, dbt always runs. If something is wrong, dbt also runs, and says what.
    """
    if "--full-refresh" in options:
        _forget_damaged_tables()
    if options or not _nothing_is_new():
        dbt = Path(sys.executable).with_name("dbt")
        os.execv(dbt, [str(dbt), *DBT_BUILD, *_profiles(options), *options])
    return 0


def _profiles(options: Sequence[str]) -> list[str]:
    """Where the profiles are, unless an option or dbt's own variable says so."""
    if "--profiles-dir" in options or "DBT_PROFILES_DIR" in os.environ:
        return []
    found = [str(folder) for folder in PROFILES if (folder / "profiles.yml").is_file()]
    return ["--profiles-dir", found[0]] if found else []


def _forget_damaged_tables() -> None:
    """A build that makes all tables again does not need the tables that are there."""
    try:
        home = home_folder()
        if not holds_table_files(home):
            return
        with _locked(home), open_catalog(home) as catalog:
            for name in catalog.forget_damaged():
                print(f"scuttlehouse: the table {name} is damaged. This build makes it again.")
    except CatalogError:
        return  # dbt shows the error.


@contextmanager
def _locked(home: Path) -> Iterator[None]:
    lock = BuildLock(home)
    lock.hold(exclusive=True)
    try:
        yield
    finally:
        lock.release()


def _nothing_is_new() -> bool:
    from scuttlehouse.builds.unchanged import unchanged_build

    try:
        home = home_folder()
        published = unchanged_build(home, Path.cwd())
        if published is None:
            return False
        _log_unchanged(home)
    except (CatalogError, WarehouseError, LandingError, OSError, ValueError, LookupError):
        return False
    print(
        f"scuttlehouse: nothing is new since build {published.build_id}, published "
        f"{published.published_at}: its tables stay, and are not tested again. "
        "`scuttlehouse build --full-refresh` makes all of them again."
    )
    return True


def _log_unchanged(home: Path) -> None:
    from scuttlehouse.builds.steps import run_step, steps_table
    from scuttlehouse.catalog.log import append_steps
    from scuttlehouse.operation.metrics import update_metrics_file

    os.umask(0o077)
    step = run_step(str(uuid4()), "unchanged", started_at=datetime.now(UTC))
    with _locked(home), open_catalog(home) as catalog:
        append_steps(catalog, home, steps_table([step]))
    update_metrics_file(home)
