"""The built warehouse, for people without a BI tool: what ``scuttlehouse sql`` asks and prints."""

from __future__ import annotations

import atexit
import csv
import json
import os
import re
import shutil
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PUBLISHED_SCHEMA = "scuttlehouse"

# The view whose one row says which build is published; see macros/materializations/published_view.sql.
PASSED = "scuttlehouse_work.int_quality__passed"

# What the last published build wrote down of its files.
PUBLISHED_FILES = "published.json"

NOTHING_PUBLISHED = "Nothing is published yet: run `make build` first."

_QUERY = re.compile(r"\s*(select|with|from|values|table|show|describe|desc|explain)\b", re.I)

# What Spark calls the plans of statements that may stand behind a `with` or a `from` and write.
_WRITING_PLANS = ("Insert", "DeleteFrom", "Update", "MergeInto")


class WarehouseError(Exception):
    """The warehouse cannot answer; the message says why and what to do."""


def open_warehouse(project: Path, target: str | None = None) -> SparkSession:
    """Open a session on the warehouse of a project, with the settings of its dbt profile.

    Raises:
        WarehouseError: there is no project here, or no published table yet.
    """
    return _open_metastore(session_settings(project, target))


def _open_metastore(settings: dict[str, str]) -> SparkSession:
    from dbt.adapters.sparkpython.sentences import SPARK_ERRORS, spark_sentence
    from dbt.adapters.sparkpython.session import open_session

    session = open_session(settings)
    try:
        is_published = session.catalog.tableExists(PASSED)
    except SPARK_ERRORS as error:
        raise WarehouseError(spark_sentence(error)) from None
    if not is_published:
        raise WarehouseError(NOTHING_PUBLISHED)
    session.catalog.setCurrentDatabase(PUBLISHED_SCHEMA)
    return session


def open_for_reading(project: Path, target: str | None = None) -> SparkSession:
    """The same to read from: where the metastore lets one process in, from the published files.

    So many may read at once, and nobody who reads keeps a build out.

    Raises:
        WarehouseError: there is no project here, or no published table yet.
    """
    from dbt.adapters.sparkpython import java
    from dbt.adapters.sparkpython.derby import metastore_folder
    from dbt.adapters.sparkpython.owners import holder, is_locked

    settings = session_settings(project, target)
    metastore = metastore_folder(settings)
    # The Java that this process has started may be the one that keeps the metastore.
    if metastore is None or java.is_running():
        return _open_metastore(settings)
    published = read_list(metastore.parent / PUBLISHED_FILES)
    if published is None:
        return _open_metastore(settings)
    if is_locked(metastore / "dbex.lck"):
        print(
            f"The metastore is in use by {holder(metastore)}: this is read from the files that were "
            f"published at {published['published_at']}.",
            file=sys.stderr,
        )
    return _open_files(settings, published)


def read_list(path: Path) -> Mapping[str, Any] | None:
    """What a build has listed of its files; None if nothing can be read by it: the next build lists them.

    >>> read_list(Path("no", "published.json")) is None
    True
    """
    try:
        listed: Mapping[str, Any] = json.loads(path.read_text())
        tables = listed["tables"].values()
        is_whole = "published_at" in listed and all("described" in files for files in tables)
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return listed if is_whole else None


def published_files(settings: Mapping[str, str]) -> Path | None:
    """Where a build lists the files that it publishes; None where the metastore lets many read."""
    from dbt.adapters.sparkpython.derby import metastore_folder

    metastore = metastore_folder(dict(settings))
    return metastore and metastore.parent / PUBLISHED_FILES


def session_settings(project: Path, target: str | None) -> dict[str, str]:
    """The settings of Spark in the dbt profile of a project."""
    if not (project / "dbt_project.yml").exists():
        raise WarehouseError(
            f"{project} holds no dbt_project.yml: run this in the folder of scuttlehouse."
        )
    from dbt.config.runtime import load_profile
    from dbt.flags import set_from_args
    from dbt_common.context import set_invocation_context

    set_invocation_context(os.environ)
    set_from_args(Namespace(PROFILES_DIR=str(project / "profiles"), profile=None), {})
    profile = load_profile(str(project), {}, None, target)
    return dict(profile.credentials.to_dict()["server_side_parameters"])


def _open_files(settings: Mapping[str, str], published: Mapping[str, Any]) -> SparkSession:
    """A session with a catalog of its own, which ends with the process, over the published files."""
    from dbt.adapters.sparkpython.connections import literal
    from dbt.adapters.sparkpython.session import log_to, open_session

    folder = Path(mkdtemp(prefix="scuttlehouse-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    log_to(folder)  # The build that is running has the usual place.
    own = {
        key: value
        for key, value in settings.items()
        if "javax.jdo" not in key and key != "spark.sql.warehouse.dir"
    }
    session = open_session(own | {"spark.sql.catalogImplementation": "in-memory"})
    session.sql(f"create schema {PUBLISHED_SCHEMA} location '{folder}/catalog'")
    session.catalog.setCurrentDatabase(PUBLISHED_SCHEMA)
    session.sql(f"create schema {published['schema']} location '{folder}/versions'")
    versions = ", ".join(f"'{table}', '{one}'" for table, one in published["versions"].items())
    session.sql(f"create view {PUBLISHED_SCHEMA}.passed as select map({versions}) as versions")
    for name, files in published["tables"].items():
        path = f"{published['location']}/{files['table']}"
        table = f"{published['schema']}.{files['table']}"
        view = f"`{name}` ({files['described']}) as select {files['names']}"
        version = published["versions"].get(files["table"])
        if version is None:  # The log of builds is read as it is.
            session.sql(f"create table {table} using parquet location {literal(path)}")
            session.sql(f"msck repair table {table}")
            session.sql(f"create view {view} from {table}")
            continue
        session.sql(
            f"create table {table} ({files['columns']}, row_hash bigint, version string, part string)"
            f" using parquet partitioned by (version, part) location {literal(path)}"
        )
        # A version may stand on another one, as its name says (macro new_version).
        for one in version, version.partition("_on_")[2]:
            for part in Path(path.removeprefix("file:"), f"version={one}").glob("part=*"):
                session.sql(
                    f"alter table {table}"
                    f" add partition (version = '{one}', part = '{part.name.partition('=')[2]}')"
                )
        session.sql(f"create view {view} from {files['rows']}")
    return session


def query(session: SparkSession, statement: str) -> tuple[list[str], list[tuple[object, ...]]]:
    """Run a query; return the names of its columns and its rows.

    Raises:
        WarehouseError: Spark refuses it (in Spark's words, without a stack).
    """
    from pyspark.errors import PySparkException

    try:
        frame = session.sql(statement)
        return frame.columns, [tuple(row) for row in frame.collect()]
    except PySparkException as error:
        raise WarehouseError(first_sentences(str(error))) from None


def is_query(session: SparkSession, statement: str) -> bool:
    """Whether a statement only reads: `with` and `from` may stand before an insert, too.

    Raises:
        WarehouseError: Spark cannot read it.
    """
    from pyspark.errors import PySparkException

    if not _QUERY.match(statement):
        return False
    java: Any = session
    try:
        plans = [java._jsparkSession.sessionState().sqlParser().parsePlan(statement)]
    except PySparkException as error:
        raise WarehouseError(first_sentences(str(error))) from None
    for plan in plans:  # Python goes on with what is appended while it loops.
        if plan.getClass().getSimpleName().startswith(_WRITING_PLANS):
            return False
        children = plan.children()
        plans += [children.apply(number) for number in range(children.size())]
    return True


def first_sentences(message: str) -> str:
    """What Spark says before it gives advice, or shows the statement, its plan or its stack.

    >>> first_sentences("[COLUMN] No such column. SQLSTATE: 42703; line 1 pos 7;\\n'Project ['a]")
    '[COLUMN] No such column. SQLSTATE: 42703; line 1 pos 7;'
    """
    return message.strip().split("\n")[0]


def write_rows(
    out: IO[str], form: str, columns: Sequence[str], rows: Sequence[tuple[object, ...]]
) -> None:
    """Write rows as a table for the eye, as CSV (null is empty) or as JSON lines.

    >>> import sys
    >>> write_rows(sys.stdout, "table", ["epoch", "members"], [("a", 3), (None, 12)])
    epoch  members
    -----  -------
    a            3
    null        12
    >>> write_rows(sys.stdout, "json", ["a"], [(None,)])
    {"a": null}
    """
    if form == "csv":
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
    elif form == "json":
        for row in rows:
            out.write(json.dumps(dict(zip(columns, row, strict=True)), default=str) + "\n")
    else:
        _write_table(out, columns, rows)


def _write_table(out: IO[str], columns: Sequence[str], rows: Sequence[tuple[object, ...]]) -> None:
    cells = [["null" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [max([len(name), *(len(row[n]) for row in cells)]) for n, name in enumerate(columns)]
    is_number = [
        all(isinstance(row[n], int | float | None) for row in rows) for n in range(len(columns))
    ]
    for line in (list(columns), ["-" * width for width in widths], *cells):
        padded = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, is_number, strict=True)
        ]
        out.write("  ".join(padded).rstrip() + "\n")
