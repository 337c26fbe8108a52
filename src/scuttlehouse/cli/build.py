"""``scuttlehouse build``: a `dbt build` that shows how far it is, unless nothing is new."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread
from uuid import uuid4

from scuttlehouse.catalog import BuildLock, CatalogError, home_folder, open_catalog
from scuttlehouse.catalog.home import holds_table_files
from scuttlehouse.landing.logs import LandingError
from scuttlehouse.reading.engine import WarehouseError

# Unit tests test the code and not the logs: `make test` runs them.
DBT_BUILD = ("build", "--exclude-resource-type", "unit_test")

# In the project itself, or in another one that has it as a package.
PROFILES = Path("profiles"), Path("dbt_packages", "scuttlehouse", "profiles")


# With one of these, dbt says what it says, and no progress is shown.
_OUTPUT_OPTIONS = frozenset(
    {"--quiet", "-q", "--debug", "-d", "--log-level", "--log-format", "--help", "-h"}
)


def build(options: Sequence[str]) -> int:
    """Run `dbt build` with some options and show how far it is; return its exit code, 0 if nothing is new.

    With options, dbt always runs. If something is wrong, dbt also runs, and says what.
    """
    if "--full-refresh" in options:
        _forget_damaged_tables()
    if not options and _nothing_is_new():
        return 0
    if any(option.partition("=")[0] in _OUTPUT_OPTIONS for option in options):
        dbt = Path(sys.executable).with_name("dbt")
        os.execv(dbt, [str(dbt), *DBT_BUILD, *_profiles(options), *options])
    return _build_with_progress(options)


def _build_with_progress(options: Sequence[str]) -> int:
    """dbt in this process, which tells the progress of its steps and prints nothing itself."""
    from dbt.cli.main import dbtRunner

    from scuttlehouse.builds.progress import LastBuild, Progress, last_build, spoken
    from scuttlehouse.landing.reading import bytes_read

    try:
        last = last_build(home_folder())
    except CatalogError:  # dbt says what is wrong.
        last = LastBuild(None, {})
    if last.seconds:
        print(f"scuttlehouse: the last build took {spoken(last.seconds)}.", flush=True)
    progress = Progress(sys.stdout, last, bytes_read, is_terminal=sys.stdout.isatty())
    arguments = [*DBT_BUILD, *_profiles(options), *options]
    with _ticking(progress.tick):
        silent = "--log-level", "none", "--no-use-colors"
        done = dbtRunner(callbacks=[progress]).invoke([*arguments, *silent])
    if done.exception and not progress.has_said_an_error:
        print(done.exception)
    # As the command `dbt` itself: 2 for what dbt cannot do, 1 for steps that failed.
    return 0 if done.success else 2 if done.exception else 1


def _profiles(options: Sequence[str]) -> list[str]:
    """Where the profiles are, unless an option or dbt's own variable says so."""
    if "--profiles-dir" in options or "DBT_PROFILES_DIR" in os.environ:
        return []
    found = [str(folder) for folder in PROFILES if (folder / "profiles.yml").is_file()]
    return ["--profiles-dir", found[0]] if found else []


@contextmanager
def _ticking(tick: Callable[[], None]) -> Iterator[None]:
    """In the block, a function is called every second."""
    done = Event()

    def tick_on() -> None:
        while not done.wait(1):
            tick()

    thread = Thread(target=tick_on, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


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
    except (CatalogError, WarehouseError, LandingError, OSError, ValueError):
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
    from scuttlehouse.serving.duckdb_file import renew_serving_file

    os.umask(0o077)
    step = run_step(str(uuid4()), "unchanged", started_at=datetime.now(UTC))
    with _locked(home), open_catalog(home) as catalog:
        append_steps(catalog, home, steps_table([step]))
        if not_renewed := renew_serving_file(home, log_only=True):
            print(not_renewed)
    update_metrics_file(home)
