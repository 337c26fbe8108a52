"""The log of runs. Its rows are added without Spark."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from scuttlehouse.catalog import checksums
from scuttlehouse.catalog.metadata_files import read_metadata
from scuttlehouse.catalog.names import (
    BEGIN_LOG,
    LOG_TABLE,
    Schemas,
    UnusableError,
)
from scuttlehouse.catalog.publishing import Catalog
from scuttlehouse.catalog.pyiceberg_tables import changing, forget_history, require_order
from scuttlehouse.catalog.reached_files import files_of

# With more files, the log is rewritten as one file, because readers open each file.
_MOST_FILES = 50


def require_clock(catalog: Catalog, schemas: Schemas) -> None:
    """See to it that this machine's clock is not behind the last change of the log of runs.

    Raises:
        UnusableError: it is.
    """
    file = catalog.tables(schemas.log).get(LOG_TABLE)
    # Whoever changes a damaged log reports the damage.
    if file is not None and checksums.is_whole(file):
        require_order(read_metadata(file)["last-updated-ms"])


def require_clock_of_tables(catalog: Catalog) -> None:
    """See to it that this machine's clock is not behind the published build, whose tables a run changes.

    The log of runs may be newer, after a rollback to a build of a time when the clock was ahead.

    Raises:
        UnusableError: it is.
    """
    published = catalog.published()
    if published is not None:
        require_order(int(published.published_moment.timestamp() * 1000))


def append_steps(catalog: Catalog, home: Path, rows: pa.Table, schemas: Schemas) -> bool:
    """Add rows to the log and publish it. Do nothing if the log does not exist yet.

    Args:
        catalog: a catalog that is open for writing.
        home: the home of the catalog.
        rows: columns of the log, by name. Missing columns are null.
        schemas: whose log it is. That of a developer is not published.

    Returns:
        Whether the log was rewritten as one file. Then nothing needs its earlier files.

    Raises:
        UnusableError: the log is damaged or cannot be changed, or the clock is behind its last change.
    """
    if LOG_TABLE not in catalog.tables(schemas.log):
        return False
    is_rewritten = _has_many_files(catalog.tables(schemas.log)[LOG_TABLE])
    with changing(catalog, home, schemas.log, LOG_TABLE) as table:
        if not is_rewritten:
            table.append(rows)
        else:
            earlier = table.scan().to_arrow()
            table.overwrite(pa.concat_tables([earlier, rows], promote_options="permissive"))
            forget_history(table)
    if schemas.is_published:
        catalog.move_log()
    return is_rewritten


def _has_many_files(metadata_file: str) -> bool:
    """Whether readers of the log open many files. If they do, all files have been verified."""
    try:
        files = [file for file in files_of(metadata_file) if file.endswith(".parquet")]
        if len(files) < _MOST_FILES:
            return False
        for file in files:
            checksums.verify(file)
    except UnusableError as error:
        raise UnusableError(f"The table {LOG_TABLE} is damaged. {error} {BEGIN_LOG}") from None
    return True
