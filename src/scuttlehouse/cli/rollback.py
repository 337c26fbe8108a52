"""``scuttlehouse rollback``: an earlier build is published again."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scuttlehouse.builds.unchanged import PublishedLogs, published_logs
from scuttlehouse.catalog.home import home_folder
from scuttlehouse.catalog.lock import BuildLock
from scuttlehouse.catalog.names import NothingPublishedError, namespace_of_build
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.errors import HouseError
from scuttlehouse.files.listing import list_logs
from scuttlehouse.files.parts import Log
from scuttlehouse.landing.ledger import lost_logs
from scuttlehouse.landing.looks import look_into
from scuttlehouse.operation.metrics import update_metrics_file
from scuttlehouse.printing import count
from scuttlehouse.serving.renewal import renew_serving
from scuttlehouse.ssb.epoch_keys import KeyRing


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
    for sentence in () if args.list else roll_back(home, args.to):
        print(sentence, file=sys.stderr)
    print(*list_builds(home), sep="\n")
    return 0


def roll_back(home: Path, build_id: str | None) -> list[str]:
    """Publish a kept build again, in one transaction, and show it in dashboards and metrics.

    Args:
        build_id: the build, or None for the one before the published one.

    Returns:
        Sentences: which logs the next build lacks, and why dashboards do not show this one.

    Raises:
        CatalogError: a build is running, nothing is published, or no such build is kept.
    """
    with open_catalog(home, read_only=True):  # Nothing is made where nothing is published.
        pass
    with BuildLock(home).alone():
        before = _logs(home)
        with open_catalog(home) as catalog:
            catalog.roll_back(build_id)
        told = [_told_of_lost_logs(home, before), renew_serving(home)]
    update_metrics_file(home)
    return [sentence for sentence in told if sentence]


def _logs(home: Path) -> PublishedLogs:
    """The ledger of the published build. It has no entries if it is damaged: a rollback needs none."""
    try:
        return published_logs(home)
    except HouseError:
        return PublishedLogs()


def _told_of_lost_logs(home: Path, before: PublishedLogs) -> str | None:
    """A sentence if the replaced build has read logs that this build has not, and that are there no longer.

    People move logs to an archive after they are read. A log that they have renamed or compressed is there.

    Complexity: linear in the logs; if a name is missing, in the bytes of those that this build has not read.
    """
    after = _logs(home)
    known = {entry.content_hash for entry in after.entries if entry.batch_id is not None}
    unread = [entry for entry in before.entries if entry.content_hash not in known]
    there = _listed(home, before.folder) if unread else {}
    others = there.keys() - after.of_folder(before.folder).keys()
    lost = lost_logs(unread, there, (look_into(there[name]).content_hash for name in others))
    if not lost:
        return None
    return (
        f"{count(len(lost), 'log')} that the replaced build has read cannot be read again from "
        f"{before.folder} (first: {min(entry.source_file for entry in lost)}). Put back what you have moved, "
        "or the next build lacks those messages."
    )


def _listed(home: Path, folder: str) -> dict[str, Log]:
    try:
        return {log.source_file: log for log in list_logs(folder, KeyRing.of_home(home))}
    except HouseError:
        return {}


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
        f"namespace {namespace_of_build(build.number)}"
        for build in kept
    ]
