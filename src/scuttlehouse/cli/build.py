"""``scuttlehouse build``: a `dbt build` that shows how far it is, unless nothing is new."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from scuttlehouse.catalog.damage import forget_damaged
from scuttlehouse.catalog.home import holds_table_files, home_folder
from scuttlehouse.catalog.lock import BuildLock
from scuttlehouse.catalog.names import MAIN, CatalogError, NothingPublishedError
from scuttlehouse.catalog.opening import open_catalog, published_build
from scuttlehouse.cli.dbt_files import log_file_may_fail, told
from scuttlehouse.cli.dbt_settings import (
    VERIFY,
    asks_for_help,
    is_full_refresh,
    is_plain_build,
    is_printed_by_dbt,
    is_verifying,
    profiles_folders,
    project_folder,
    variable,
)
from scuttlehouse.cli.interrupts import is_interrupted
from scuttlehouse.cli.output import go_on_without_reader
from scuttlehouse.errors import HouseError
from scuttlehouse.printing import visible, visible_lines
from scuttlehouse.reading.engine import WarehouseError

# Unit tests test the code and not the logs: `make test` runs them.
DBT_BUILD = ("build", "--exclude-resource-type", "unit_test")

_HELP_ON_VERIFY = """\
scuttlehouse build takes the options of dbt build, which follow, and one of its own:
  --verify  Read all logs and tables first, and say what differs from what earlier builds recorded.
"""

# The exit code of a build that is published, though something in the landing folder could not be read.
LEFT_OUT = 3

# dbt's exit code if it cannot begin.
DBT_CANNOT_RUN = 2


def build(options: Sequence[str]) -> int:
    """Run `dbt build` with some options, unless nothing is new; return its exit code, or LEFT_OUT.

    With options, or variables of dbt that change what it makes, dbt always runs. If something is wrong, dbt
    runs too, and reports it. With `--verify`, all logs and tables are read first, and compared with what
    earlier builds recorded.
    """
    go_on_without_reader()
    if asks_for_help(options):
        print(_HELP_ON_VERIFY, flush=True)
        return _run_dbt(["--help"])
    project = project_folder(options)
    if project is None:
        print(
            f"There is no dbt project in {visible(str(Path.cwd()))}: run this command in the folder of "
            "scuttlehouse, or of your project that has it as a package.",
            file=sys.stderr,
        )
        return DBT_CANNOT_RUN
    before = _published_id()
    try:
        return _build(options, project, before)
    except KeyboardInterrupt:
        what = "published nothing" if _published_id() == before else "had published already"
        # What dbt prints may be for a program to read.
        output = sys.stderr if is_printed_by_dbt(options) else sys.stdout
        print(f"\nscuttlehouse: the build was interrupted, and {what}.", file=output)
        raise


def _build(options: Sequence[str], project: Path, before: str | None) -> int:
    """See :func:`build`. ``before`` is the published build."""
    if "--verify" in options:
        options = [option for option in options if option != "--verify"]
        # A full refresh makes damaged tables again.
        if not _verify() and not is_full_refresh(options):
            return 1
    if is_full_refresh(options):
        _forget_damaged_tables()
    if not options and not is_verifying() and _nothing_is_new(project):
        return LEFT_OUT if _leaves_out() else 0
    arguments = [*_profiles(project), *options]
    is_printed = is_printed_by_dbt(options)
    with log_file_may_fail():
        code = _run_dbt(arguments) if is_printed else _build_with_progress(arguments, project)
    # The target `dev` and some parts of the project publish nothing.
    has_published = code == 0 and _published_id() != before
    return LEFT_OUT if has_published and _leaves_out() else code


def _published_id() -> str | None:
    """The id of the published build. None if nothing is published, or nobody can say."""
    try:
        published = published_build(home_folder())
    except CatalogError:
        return None
    return published.build_id if published else None


def _run_dbt(options: Sequence[str]) -> int:
    """Run dbt in this process. So a signal that ends this process ends the build.

    Raises:
        KeyboardInterrupt: Ctrl-C or SIGTERM has ended dbt, which says that as an error of its own.
    """
    from dbt.cli.main import cli

    arguments = [*DBT_BUILD, *options]
    sys.argv = ["dbt", *arguments]  # dbt writes its command into its artifacts.
    try:
        cli(arguments, prog_name="dbt")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if code and is_interrupted():
            raise KeyboardInterrupt from None
        return code
    return 0


def _build_with_progress(options: Sequence[str], project: Path) -> int:
    """Run dbt in this process, and print the progress of its steps in place of its own output.

    Raises:
        KeyboardInterrupt: Ctrl-C has ended dbt.
    """
    from dbt.cli.main import dbtRunner

    from scuttlehouse.builds.progress import LastBuild, Progress, last_build, spoken
    from scuttlehouse.landing.read_so_far import bytes_read

    try:
        last = last_build(home_folder(), project, is_full_refresh=is_full_refresh(options))
    except CatalogError:  # dbt says what is wrong.
        last = LastBuild(None, {})
    if last.seconds:
        print(
            f"scuttlehouse: the last whole build of this kind took {spoken(last.seconds)}.",
            flush=True,
        )
    progress = Progress(sys.stdout, last, bytes_read, is_terminal=sys.stdout.isatty())
    # At the end, they would be the values of an option whose value is missing. What silences the terminal
    # would silence dbt's log file, too.
    of_log_file = "--log-level-file", variable("LOG_LEVEL_FILE") or "debug"
    silent = "--log-level", "none", *of_log_file, "--no-use-colors"
    arguments = [*DBT_BUILD, *silent, *options]
    sys.argv = ["dbt", *DBT_BUILD, *options]

    def say(event: Any) -> None:
        # SIGTERM often ends Java, too: what fails without it says nothing.
        if not is_interrupted():
            progress(event)

    with progress.ticking():
        done = dbtRunner(callbacks=[say]).invoke(arguments)
    if isinstance(done.exception, KeyboardInterrupt) or (is_interrupted() and not done.success):
        raise KeyboardInterrupt
    if done.exception and not progress.has_said_an_error:
        print(visible_lines(_refused(arguments) or told(done.exception)))
    # The exit codes are those of the command `dbt`: 1 if steps failed.
    return 0 if done.success else DBT_CANNOT_RUN if done.exception else 1


def _refused(arguments: Sequence[str]) -> str | None:
    """What dbt says of an option that it refuses, with the option: its runner tells of the value alone."""
    from click import UsageError
    from dbt.cli.main import build as of_dbt

    command, *options = arguments
    try:
        of_dbt.make_context(command, options)
    except UsageError as error:
        return error.format_message()
    return None


def _profiles(project: Path) -> list[str]:
    """The option that names the profiles, unless dbt's variable does. dbt prefers an option that follows."""
    if variable("PROFILES_DIR"):
        return []
    folders = profiles_folders(project)
    found = [str(folder) for folder in folders if (folder / "profiles.yml").is_file()]
    return ["--profiles-dir", found[0]] if found else []


def _verify() -> bool:
    """Read all logs and tables again, and print what differs. The build then reads these logs again.

    False if a table is damaged: a build cannot repair it.
    """
    from scuttlehouse.builds.verification import damaged_tables, differing_logs

    try:
        home = home_folder()
        damaged = [*damaged_tables(home)]
        differing = [] if damaged else differing_logs(home)
    except NothingPublishedError:
        print(f"scuttlehouse: nothing is built in {visible(str(home))} yet, so nothing can differ.")
        return True
    except HouseError as error:
        print(visible(str(error)), file=sys.stderr)
        return False
    for sentence in damaged:
        print(f"scuttlehouse: {visible(sentence)}")
    if differing:
        os.environ[VERIFY] = "1"
        print(
            "scuttlehouse: logs have the same size and time as before, but other content. "
            f"This build reads them again: {visible(', '.join(differing))}."
        )
    elif not damaged:
        print(
            "scuttlehouse: no log has changed since it was read, and no table since it was written."
        )
    return not damaged


def _leaves_out() -> bool:
    """Whether the build could not read something in the landing folder. What is no log does not count."""
    from scuttlehouse.builds.unchanged import published_logs
    from scuttlehouse.files.listing import NOT_MEANT

    try:
        entries = published_logs(home_folder()).entries
    except (CatalogError, WarehouseError):
        return False
    reasons = (entry.status_reason or "" for entry in entries if entry.status == "left_out")
    return any(not reason.startswith(NOT_MEANT) for reason in reasons)


def _forget_damaged_tables() -> None:
    """A build that makes all tables again does not need the tables that are there."""
    try:
        home = home_folder()
        if not holds_table_files(home):
            return
        with BuildLock(home).alone(), open_catalog(home) as catalog:
            for name in forget_damaged(catalog):
                print(f"scuttlehouse: the table {name} is damaged. This build makes it again.")
    except CatalogError:
        return  # dbt shows the error.


def _nothing_is_new(project: Path) -> bool:
    from scuttlehouse.builds.unchanged import unchanged_build

    if not is_plain_build(project):
        return False
    started_at = datetime.now(UTC)
    try:
        home = home_folder()
        published = unchanged_build(home, project)
        if published is None:
            return False
        _log_unchanged(home, started_at)
    except (HouseError, OSError, ValueError, LookupError):
        return False
    print(
        f"scuttlehouse: nothing is new since build {published.build_id}, published "
        f"{published.published_at}: its tables stay, and are not tested again. "
        "`scuttlehouse build --full-refresh` makes all of them again."
    )
    return True


def _log_unchanged(home: Path, started_at: datetime) -> None:
    from scuttlehouse.builds.steps import run_step, steps_table
    from scuttlehouse.catalog.log import append_steps
    from scuttlehouse.operation.metrics import update_metrics_file
    from scuttlehouse.serving.renewal import renew_serving

    os.umask(0o077)
    step = run_step(str(uuid4()), "unchanged", started_at=started_at)
    with BuildLock(home).alone(), open_catalog(home) as catalog:
        if append_steps(catalog, home, steps_table([step]), MAIN):
            from scuttlehouse.builds.ending import remove_unneeded

            remove_unneeded(catalog, home, BuildLock(home))
        if not_renewed := renew_serving(home, log_only=True):
            print(not_renewed)
    update_metrics_file(home)
