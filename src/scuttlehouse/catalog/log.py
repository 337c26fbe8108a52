"""The log of runs, ``fct_builds``. Its rows are added without Spark."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from scuttlehouse.catalog import checksums
from scuttlehouse.catalog.names import MAIN, Schemas
from scuttlehouse.catalog.publishing import Catalog
from scuttlehouse.catalog.pyiceberg_tables import changing
from scuttlehouse.catalog.reached_files import files_of

TABLE = "fct_builds"

# With more files, the log is rewritten as one file, because readers open each file.
_MOST_FILES = 50


def append_steps(catalog: Catalog, home: Path, rows: pa.Table, schemas: Schemas = MAIN) -> None:
    """Add rows to the log and publish it. Do nothing if the log does not exist yet.

    Args:
        catalog: a catalog that is open for writing.
        home: the home of the catalog.
        rows: columns of the log, by name. Missing columns are null.
        schemas: whose log it is. That of a developer is not published.

    Raises:
        CatalogError: the log is damaged or cannot be changed.
    """
    if TABLE not in catalog.tables(schemas.log):
        return
    with changing(catalog, home, schemas.log, TABLE) as table:
        files = [file for file in files_of(table.metadata_location) if file.endswith(".parquet")]
        if len(files) < _MOST_FILES:
            table.append(rows)
        else:
            for file in files:
                checksums.verify(file)
            earlier = table.scan().to_arrow()
            table.overwrite(pa.concat_tables([earlier, rows], promote_options="permissive"))
    if schemas.is_published:
        catalog.move_log()
