"""How many rows of each public table a build added, changed and deleted."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb

from scuttlehouse.catalog.storage import warehouse_location
from scuttlehouse.reading.engine import (
    WarehouseError,
    connect,
    first_sentences,
    identifier,
    literal,
    rows_of,
    scan_of,
)
from scuttlehouse.reading.table_files import TableFiles, read_files, verify

# Rows added, changed and deleted, by table.
Changes = dict[str, tuple[int, int, int]]

# DuckDB gives the place of a row in these columns. No table shows them.
_PLACE = "filename", "file_row_number"


class _State(NamedTuple):
    """A table before or after a build."""

    location: str
    columns: dict[str, str]
    files: TableFiles


def count_changes(
    home: Path,
    before: Mapping[str, str],
    after: Mapping[str, str],
    keys: Mapping[str, Sequence[str]],
) -> Changes:
    """Compare two states of tables by key, and rows of the same key by a hash of all columns.

    Files never change, so a row at the same place of the same file in both states is the same. Only the
    other rows are compared.

    Args:
        home: the folder of the warehouse.
        before: the metadata file of each table in the earlier state, by name. If a table is missing here,
            all of its rows were added.
        after: the same in the later state.
        keys: the key columns of each table: no two rows have the same values in them. Nulls count as values.

    Returns:
        Rows added, changed and deleted for each table of ``after``. A table is left out if its columns
        differ between the states, if it has no key here, or if it has a column ``filename`` or
        ``file_row_number``.

    Raises:
        WarehouseError: a file of a table is missing or damaged.

    Linear in the rows of two kinds of files: those that only one state has, and those that both have but
    from which a row was deleted.
    """
    changes: Changes = {}
    with connect(warehouse_location(home)) as connection:
        for table, location in after.items():
            try:
                counted = _count(connection, table, before.get(table), location, keys.get(table))
            except duckdb.Error as error:
                reason = first_sentences(str(error))
                raise WarehouseError(
                    f"The changes of {table} cannot be counted: {reason}"
                ) from None
            if counted is not None:
                changes[table] = counted
    return changes


def _count(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    before: str | None,
    after: str,
    key: Sequence[str] | None,
) -> tuple[int, int, int] | None:
    if before == after:
        return 0, 0, 0
    new = _read_state(connection, table, after)
    if before is None:
        verify(table, new.files.deletes)
        [(row_count,)] = rows_of(connection, f"select count(*) from {scan_of(after)}")
        return row_count, 0, 0
    old = _read_state(connection, table, before)
    if old.columns != new.columns or not key or old.columns.keys() & set(_PLACE):
        return None
    return _compare(connection, table, old, new, key)


def _read_state(connection: duckdb.DuckDBPyConnection, table: str, location: str) -> _State:
    files = read_files(connection, table, location)
    described = rows_of(connection, f"describe from {scan_of(location)}")
    return _State(location, {name: kind for name, kind, *_ in described}, files)


def _compare(
    connection: duckdb.DuckDBPyConnection, table: str, old: _State, new: _State, key: Sequence[str]
) -> tuple[int, int, int]:
    verify(table, sorted(old.files.deletes | new.files.deletes | (old.files.data ^ new.files.data)))
    common = _find_places(connection, table, old, new)
    old_only = _rows(old, old.files.data - new.files.data, common, "old_only", key)
    new_only = _rows(new, new.files.data - old.files.data, common, "new_only", key)
    matches = [f"old.key_{n} is not distinct from new.key_{n}" for n in range(len(key))]
    [(added, changed, deleted)] = rows_of(
        connection,
        "select count(*) filter (where old.row_hash is null), "
        "count(*) filter (where old.row_hash <> new.row_hash), "
        "count(*) filter (where new.row_hash is null) "
        f"from ({old_only}) as old full join ({new_only}) as new on {' and '.join(matches)}",
    )
    return added, changed, deleted


def _find_places(
    connection: duckdb.DuckDBPyConnection, table: str, old: _State, new: _State
) -> frozenset[str]:
    """Find the places in common files where only one of the states has a row.

    The table ``old_only`` lists the places of rows that only the old state has, ``new_only`` those of rows
    that only the new state has.

    Returns:
        The files of these places, and perhaps other files. If there is no such place, it returns nothing
        and makes no tables.
    """
    common, differing = old.files.data & new.files.data, old.files.deletes ^ new.files.deletes
    if not (common and differing):
        return frozenset()
    deletes = ", ".join(map(literal, sorted(differing)))
    connection.execute(
        "create or replace temp table places as select file_path as filename, pos as file_row_number "
        f"from read_parquet([{deletes}]) where file_path in {_list(common)}"
    )
    found = rows_of(connection, "select distinct filename from places")
    files = frozenset(filename for (filename,) in found)
    if files:
        verify(table, sorted(files))
        in_old, in_new = (
            f"select {', '.join(_PLACE)} from {scan_of(state.location)} "
            f"where filename in {_list(files)} and ({', '.join(_PLACE)}) in (from places)"
            for state in (old, new)
        )
        connection.execute(f"create or replace temp table old_only as {in_old} except {in_new}")
        connection.execute(f"create or replace temp table new_only as {in_new} except {in_old}")
    return files


def _rows(
    state: _State, files: Collection[str], common: Collection[str], places: str, key: Sequence[str]
) -> str:
    """A query for keys and hashes: all rows of some files, and the rows at some places of common files."""
    columns = [f"{identifier(name)} as key_{number}" for number, name in enumerate(key)]
    selected = f"select {', '.join(columns)}, {_hash(state.columns)} as row_hash"
    rows = f"{selected} from {scan_of(state.location)} where filename in"
    if not common:
        return f"{rows} {_list(files)}"
    is_there = f"({', '.join(_PLACE)}) in (from {places})"
    return f"{rows} {_list(files)} union all {rows} {_list(common)} and {is_there}"


def _hash(columns: Mapping[str, str]) -> str:
    """A hash of all columns. DuckDB hashes a null list like an empty one, but their JSON differs.

    >>> _hash({"id": "VARCHAR", "parts": "VARCHAR[]"})
    'hash("id", to_json("parts"))'
    """
    values = [
        f"to_json({identifier(name)})" if _is_nested(kind) else identifier(name)
        for name, kind in sorted(columns.items())
    ]
    return f"hash({', '.join(values)})"


def _is_nested(kind: str) -> bool:
    return kind.endswith("]") or kind.startswith(("STRUCT", "MAP"))


def _list(paths: Collection[str]) -> str:
    # An empty list of paths becomes null, because null equals nothing.
    return f"({', '.join(['null', *map(literal, sorted(paths))])})"
