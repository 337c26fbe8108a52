"""The serving file: all published tables in one file of DuckDB, and drawings, for dashboards.

`scuttlehouse export` makes it. From then on every run that is logged, and every rollback, renews it, until
somebody deletes it. It is replaced in one step, so whoever reads it sees one build.
"""

from __future__ import annotations

import shutil
from contextlib import nullcontext
from pathlib import Path

import duckdb

from scuttlehouse.catalog.home import temporary_folder
from scuttlehouse.catalog.metadata_files import read_metadata
from scuttlehouse.catalog.storage import warehouse_location
from scuttlehouse.reading.engine import (
    WarehouseError,
    connect,
    first_sentences,
    identifier,
    literal,
    scan_of,
)
from scuttlehouse.serving.drawings import draw_all
from scuttlehouse.serving.shown import published_id, showing, shown_id
from scuttlehouse.serving.tables import comments, published_tables, reading, verified_columns


def serving_file(home: Path) -> Path:
    """Where the serving file of a home is. Its stem is not the name of a schema, which DuckDB would confuse.

    >>> serving_file(Path("/srv/house"))
    PosixPath('/srv/house/serving/published.duckdb')
    """
    return home / "serving" / "published.duckdb"


def write_serving_file(home: Path, *, log_only: bool = False) -> Path:
    """Write the published tables, with the descriptions of tables and columns; return the file.

    Times are timestamps without a zone, in UTC: a dashboard shows them as they are. All files of the tables
    are compared with their checksums first.

    Args:
        log_only: write the log of runs alone, if the others in the file are those of the published build.

    Raises:
        CatalogError: nothing is published yet, or the catalog cannot be read.
        WarehouseError: a table is damaged, or the file cannot be written; the earlier one stays.

    Complexity: linear in the size of the tables.
    """
    target = serving_file(home)
    published = published_id(home)
    log_only = log_only and shown_id(home, target.name) == published
    tables = published_tables(home, log_only=log_only)
    part = temporary_folder(home) / target.name
    try:
        target.parent.mkdir(mode=0o700, exist_ok=True)
        part.unlink(missing_ok=True)
        if log_only:
            shutil.copyfile(target, part)
        with connect(warehouse_location(home), part.parent) as connection:
            connection.execute(f"attach {literal(str(part))} as serving")
            part.chmod(0o600)
            connection.execute("use serving")
            connection.execute("begin")
            for name, location in tables:
                _copy(connection, name, location, part)
            connection.execute("commit")
            if not log_only:
                draw_all(connection)
            connection.execute("use memory")
            connection.execute("detach serving")
        with nullcontext() if log_only else showing(home, target.name, published):
            part.replace(target)
    except (OSError, duckdb.Error) as error:
        said = error.strerror if isinstance(error, OSError) else first_sentences(str(error))
        raise WarehouseError(
            f"{target} cannot be written ({said}): make room on its disk, or let this user write it."
        ) from None
    return target


def _copy(connection: duckdb.DuckDBPyConnection, name: str, location: str, part: Path) -> None:
    columns = ", ".join(
        f"cast({identifier(column)} as timestamp) as {identifier(column)}"
        if kind == "TIMESTAMP WITH TIME ZONE"
        else identifier(column)
        for column, kind in verified_columns(connection, name, location)
    )
    table = identifier(name)
    with reading(name, part):
        connection.execute(
            f"create or replace table {table} as select {columns} from {scan_of(location)}"
        )
    for statement in comments(table, read_metadata(location)):
        connection.execute(statement)
