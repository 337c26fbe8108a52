"""``scuttlehouse rollback``: an earlier build is published again."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scuttlehouse.catalog import (
    NothingPublishedError,
    home_folder,
    locked,
    namespace_of_build,
    open_catalog,
)
from scuttlehouse.operation.metrics import update_metrics_file
from scuttlehouse.serving.renewal import renew_serving


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``scuttlehouse rollback``."""
    choices = parser.add_mutually_exclusive_group()
    choices.add_argument(
        "--to",
        metavar="BUILD_ID",
        help="publish this build; by default the one before the published one",
    )
    choices.add_argument("--list", action="store_true", help="only list the kept builds")


def run(args: argparse.Namespace) -> int:
    """Roll back, or list the kept builds; return the exit code."""
    home = home_folder()
    if not args.list and (not_renewed := roll_back(home, args.to)):
        print(not_renewed, file=sys.stderr)
    print(*list_builds(home), sep="\n")
    return 0


def roll_back(home: Path, build_id: str | None) -> str | None:
    """Publish a kept build again, in one transaction, and show it in dashboards and metrics.

    Args:
        build_id: the build, or None for the one before the published one.

    Returns:
        Why dashboards do not show it, or None.

    Raises:
        CatalogError: a build is running, nothing is published, or no such build is kept.
    """
    with open_catalog(home, read_only=True):  # Nothing is made where nothing is published.
        pass
    with locked(home):
        with open_catalog(home) as catalog:
            catalog.roll_back(build_id)
        not_renewed = renew_serving(home)
    update_metrics_file(home)
    return not_renewed


def list_builds(home: Path) -> list[str]:
    """A line for each kept build, with a star for the published one, in the order of rollbacks.

    Raises:
        CatalogError: nothing is published.
    """
    with open_catalog(home, read_only=True) as catalog:
        published, kept = catalog.published(), catalog.kept()
    if published is None:
        raise NothingPublishedError(home)
    return [
        f"{'*' if build == published else ' '} {build.build_id}  published {build.published_at}  "
        f"schema {namespace_of_build(build.number)}"
        for build in kept
    ]
