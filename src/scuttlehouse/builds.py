"""``scuttlehouse rollback``: an earlier build is published again."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scuttlehouse import warehouse
from scuttlehouse.warehouse import PASSED, PUBLISHED_SCHEMA, WarehouseError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``scuttlehouse rollback``."""
    parser.add_argument(
        "--to", metavar="BUILD_ID", help="this build; by default the one before the published one"
    )
    parser.add_argument("--list", action="store_true", help="only say which builds are kept")
    parser.add_argument("--target", help="a target of profiles/profiles.yml")


def run(args: argparse.Namespace) -> int:
    """Roll back, or list the builds that are kept; return the exit code."""
    from dbt_common.exceptions import DbtBaseException

    try:
        session = warehouse.open_warehouse(Path.cwd(), args.target)
        history = read_history(session)
        if not args.list:
            build = choose(history, args.to)
            publish(session, history, build)
            files = warehouse.published_files(warehouse.session_settings(Path.cwd(), args.target))
            if files is not None and files.exists():
                list_files(files, build)
    except (WarehouseError, DbtBaseException) as error:
        print(error, file=sys.stderr)
        return 1
    for kept in history["builds"]:
        mark = "*" if kept["build_id"] == history["published"] else " "
        print(f"{mark} {kept['build_id']}  published {kept['published_at']}")
    return 0


def read_history(session: SparkSession) -> dict[str, Any]:
    """The builds that are kept, newest first, and the id of the one that is published."""
    history: dict[str, Any] = json.loads(session.table(PASSED).collect()[0]["history"])
    return history


def choose(history: dict[str, Any], build_id: str | None) -> dict[str, Any]:
    """The build to publish: the named one, else the newest that is older than the published one.

    Raises:
        WarehouseError: no such build is kept, or it is published already.

    >>> builds = [{"build_id": "new"}, {"build_id": "old"}]
    >>> choose({"published": "new", "builds": builds}, None)
    {'build_id': 'old'}
    """
    builds: Sequence[dict[str, Any]] = history["builds"]
    ids = [build["build_id"] for build in builds]
    if build_id == history["published"]:
        raise WarehouseError(f"The build {build_id} is published already.")
    if build_id is not None:
        if build_id not in ids:
            raise WarehouseError(
                f"The build {build_id} is not kept. These are: {', '.join(ids)} "
                "(the var kept_builds says how many)."
            )
        return builds[ids.index(build_id)]
    place = ids.index(history["published"]) + 1
    if place == len(ids):
        raise WarehouseError(
            "No build is kept that is older than the published one (the var kept_builds says how many are)."
        )
    return builds[place]


def publish(session: SparkSession, history: dict[str, Any], build: dict[str, Any]) -> None:
    """Publish a build that is kept, in one step; ``history`` says so afterwards.

    Raises:
        WarehouseError: a published view has other columns than the build.
    """
    versions: dict[str, str] = build["versions"]
    # Spark counts the views of a session among those of every schema.
    for row in session.sql(f"show views in {PUBLISHED_SCHEMA}").where("not isTemporary").collect():
        [view] = session.sql(f"show create table {PUBLISHED_SCHEMA}.{row.viewName}").collect()
        if "versions[" in view[0] and not any(f"'{table}'" in view[0] for table in versions):
            raise WarehouseError(
                f"{row.viewName} had other columns in the build {build['build_id']}: go back to the code "
                "of that time and build."
            )
    history["published"] = build["build_id"]
    pairs = ", ".join(f"'{table}', '{version}'" for table, version in versions.items())
    session.sql(
        f"alter view {PASSED} as select cast(map({pairs}) as map<string, string>) as versions, "
        f"'{json.dumps(history)}' as history"
    )


def list_files(path: Path, build: dict[str, Any]) -> None:
    """Bring the list of published files up to date, which `scuttlehouse sql` reads.

    A list that cannot be read is removed: then the metastore is asked until a build lists the files again.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "published.json")
    >>> build = {"build_id": "b", "published_at": "now", "versions": {}, "is_whole": True}
    >>> _ = path.write_text('{"build_id": "a", "tables": {}, "published_at": "then"}')
    >>> list_files(path, build)
    >>> path.read_text()
    '{"build_id": "b", "tables": {}, "published_at": "now", "versions": {}}'
    >>> _ = path.write_text('{"build_id": ')
    >>> list_files(path, build)
    >>> path.exists()
    False
    """
    from dbt.adapters.sparkpython.owners import write_whole

    listed = warehouse.read_list(path)
    if listed is None:
        path.unlink()
        return
    published = {name: build[name] for name in ("build_id", "published_at", "versions")}
    write_whole(path, json.dumps({**listed, **published}))
