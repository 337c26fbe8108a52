"""The files of a table, verified before anybody reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import duckdb

from scuttlehouse.catalog import checksums
from scuttlehouse.catalog.metadata_files import current_snapshot, read_metadata
from scuttlehouse.catalog.names import UnusableError, advice_for
from scuttlehouse.reading.engine import WarehouseError, first_sentences, literal, rows_of


class TableFiles(NamedTuple):
    """The paths of a table's files: those that hold rows, and those that list deleted rows."""

    data: frozenset[str] = frozenset()
    deletes: frozenset[str] = frozenset()


def read_files(
    connection: duckdb.DuckDBPyConnection, table: str, metadata_location: str
) -> TableFiles:
    """The files of a table's current snapshot. The metadata files that list them are verified first.

    Args:
        table: the name of the table, for errors.
        metadata_location: the path of the table's metadata file.

    Raises:
        WarehouseError: a file is missing or damaged.

    Linear in the number of files.
    """
    if not verify_metadata(connection, table, metadata_location):
        return TableFiles()
    try:
        files = rows_of(
            connection,
            "select manifest_content = 'DATA', file_path "
            f"from iceberg_metadata({literal(metadata_location)}) where status <> 'DELETED'",
        )
    except duckdb.Error as error:
        raise unreadable(table, error) from None
    return TableFiles(
        frozenset(path for is_data, path in files if is_data),
        frozenset(path for is_data, path in files if not is_data),
    )


def verify_metadata(
    connection: duckdb.DuckDBPyConnection, table: str, metadata_location: str
) -> bool:
    """Compare the files that list a table's files with their checksums, as :func:`read_files` takes it.

    DuckDB reads them when it makes a view of the table. It may end the process if it cannot read one.

    Returns:
        Whether the table has any snapshot.

    Raises:
        WarehouseError: a file is missing or damaged.

    Linear in the number of files.
    """
    with needed_by(table):
        metadata = read_metadata(metadata_location)
    try:
        snapshot = current_snapshot(metadata)
        if snapshot is None:
            return False
        manifest_list = snapshot["manifest-list"]
        verify(table, [manifest_list])
        manifests = rows_of(
            connection, f"select manifest_path from read_avro({literal(manifest_list)})"
        )
    except (duckdb.Error, ValueError, LookupError, TypeError) as error:
        raise unreadable(table, error) from None
    verify(table, [path for (path,) in manifests])
    return True


def verify_table(connection: duckdb.DuckDBPyConnection, table: str, metadata_location: str) -> None:
    """Compare all files of a table's current snapshot with their checksums, as :func:`read_files` takes it.

    Raises:
        WarehouseError: a file is missing or damaged.

    Linear in the size of the files.
    """
    files = read_files(connection, table, metadata_location)
    verify(table, sorted(files.data | files.deletes))


def verify(table: str, paths: Iterable[str]) -> None:
    """Compare files of a table with their checksums.

    Raises:
        WarehouseError: a file is missing or damaged. The message names the table and the file.

    Linear in the size of the files.
    """
    for path in paths:
        with needed_by(table):
            checksums.verify(path)


@contextmanager
def needed_by(table: str) -> Iterator[None]:
    """In the block a file of a table is read. The error for a missing or damaged file says what to do.

    Raises:
        WarehouseError: a file is missing or damaged. The message names the table and the file.
    """
    try:
        yield
    except UnusableError as error:
        raise WarehouseError(f"{error} The table {table} needs it. {advice_for(table)}") from None


def unreadable(table: str, error: Exception) -> WarehouseError:
    """The error for a table that cannot be read although its files match their checksums."""
    reason = first_sentences(str(error))
    return WarehouseError(f"The table {table} cannot be read ({reason}). {advice_for(table)}")
