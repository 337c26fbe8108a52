"""The published tables as dashboards get them: which they are, their columns, and their descriptions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from scuttlehouse.catalog.names import LOG, PUBLISHED, NothingPublishedError
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.reading.engine import identifier, literal, rows_of, scan_of
from scuttlehouse.reading.table_files import unreadable, verify_table


def published_tables(home: Path, *, log_only: bool) -> list[tuple[str, str]]:
    """The name and the metadata file of each published table, or of the log of runs alone.

    Raises:
        CatalogError: nothing is published yet, or the catalog cannot be read.
    """
    with open_catalog(home, read_only=True) as catalog:
        # One statement reads a namespace, so the tables are of one build.
        tables = catalog.tables(LOG if log_only else PUBLISHED)
    if not tables:
        raise NothingPublishedError(home)
    return sorted(tables.items())


def verified_columns(
    connection: duckdb.DuckDBPyConnection, name: str, location: str
) -> list[tuple[str, str]]:
    """The name and DuckDB's type of each column of a table, whose files are compared with their checksums.

    Raises:
        WarehouseError: the table is damaged.
    """
    verify_table(connection, name, location)
    try:
        described = rows_of(connection, f"describe from {scan_of(location)}")
    except duckdb.Error as error:
        raise unreadable(name, error) from None
    return [(column, kind) for column, kind, *_ in described]


@contextmanager
def reading(name: str, part: Path) -> Iterator[None]:
    """Read a table and write it into a file: an error that does not name this file is one of the table.

    Raises:
        WarehouseError: the table cannot be read.
    """
    try:
        yield
    except duckdb.Error as error:
        if str(part) in str(error):
            raise
        raise unreadable(name, error) from None


def comments(table: str, metadata: Mapping[str, Any]) -> Iterator[str]:
    """What sets the descriptions that the metadata file of a table has."""
    comment = metadata.get("properties", {}).get("comment")
    if comment:
        yield f"comment on table {table} is {literal(comment)}"
    current = metadata["current-schema-id"]
    schema = next(one for one in metadata["schemas"] if one["schema-id"] == current)
    for field in schema["fields"]:
        if field.get("doc"):
            column = f"{table}.{identifier(field['name'])}"
            yield f"comment on column {column} is {literal(field['doc'])}"
