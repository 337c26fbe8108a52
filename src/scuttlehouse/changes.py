"""How many rows of each public table a build added, changed and deleted."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb

from scuttlehouse.engine import (
    WarehouseError,
    connect,
    first_sentences,
    identifier,
    literal,
    rows_of,
)
from scuttlehouse.table_files import TableFiles, read_files, verify

# Rows added, changed and deleted, by table.
Changes = dict[str, tuple[int, int, int]]

# Where DuckDB says that a row is.
_PLACE = "(filename, file_row_number)"


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

    Only rows that are not in the same file at the same place in both states are compared: files never
    change, so the others are the same.

    Args:
        home: the folder of the warehouse.
        before: the metadata file of each table in the earlier state, by name. All rows of a table that
            is not in it were added.
        after: the same in the later state.
        keys: the columns whose values no two rows of a table share; nulls are values here.

    Returns:
        Rows added, changed and deleted for each table of ``after``, except a table whose columns are
        not the same in both states, and one without a key here.

    Raises:
        WarehouseError: a file of a table is missing or damaged.

    Linear in the rows of the files that are in one state only, and of common files from which a row
    was deleted.
    """
    changes: Changes = {}
    with connect(home / "warehouse") as connection:
        for table, location in after.items():
            try:
                counted = _count(connection, table, before.get(table), location, keys.get(table))
            except duckdb.Error as error:
                said = first_sentences(str(error))
                raise WarehouseError(f"The changes of {table} cannot be counted: {said}") from None
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
        [(row_count,)] = rows_of(connection, f"select count(*) from {_scan(after)}")
        return row_count, 0, 0
    old = _read_state(connection, table, before)
    if old.columns != new.columns or not key:
        return None
    return _compare(connection, table, old, new, key)


def _read_state(connection: duckdb.DuckDBPyConnection, table: str, location: str) -> _State:
    files = read_files(connection, table, location)
    described = rows_of(connection, f"describe from {_scan(location)}")
    return _State(location, {name: kind for name, kind, *_ in described}, files)


def _scan(location: str) -> str:
    return f"iceberg_scan({literal(location)})"


def _compare(
    connection: duckdb.DuckDBPyConnection, table: str, old: _State, new: _State, key: Sequence[str]
) -> tuple[int, int, int]:
    common = old.files.data & new.files.data
    verify(table, sorted(old.files.deletes | new.files.deletes | (old.files.data ^ new.files.data)))
    changed_files = _find_places(connection, table, old, new) if common else frozenset()
    sides = []
    for side, state in ("gone", old), ("came", new):
        columns = [f"{identifier(name)} as key_{number}" for number, name in enumerate(key)]
        columns.append(f"{_hash(state.columns)} as row_hash")
        selected = f"select {', '.join(columns)} from {_scan(state.location)} where filename"
        sides.append(
            f"({selected} in {_list(state.files.data - common)} union all "
            f"{selected} in {_list(changed_files)} and {_PLACE} in (from {side})) as {side}"
            if changed_files
            else f"({selected} in {_list(state.files.data - common)}) as {side}"
        )
    matches = [f"gone.key_{n} is not distinct from came.key_{n}" for n in range(len(key))]
    [(added, changed, deleted)] = rows_of(
        connection,
        "select count(*) filter (where gone.row_hash is null), "
        "count(*) filter (where gone.row_hash <> came.row_hash), "
        f"count(*) filter (where came.row_hash is null) from {' full join '.join(sides)} on {' and '.join(matches)}",
    )
    return added, changed, deleted


def _find_places(
    connection: duckdb.DuckDBPyConnection, table: str, old: _State, new: _State
) -> frozenset[str]:
    """Find the places in common files at which a row is in only one of the states.

    They are in the tables ``gone``, of rows of the old state, and ``came``, of rows of the new one.

    Returns:
        The files of these places, and perhaps others; none if there are no such places.
    """
    common = _list(old.files.data & new.files.data)
    if old.files.other_deletes ^ new.files.other_deletes:
        scans = [
            f"select filename, file_row_number from {_scan(one.location)}" for one in (old, new)
        ]
        places = (
            f"{scans[0]} where filename in {common} union {scans[1]} where filename in {common}"
        )
    elif differing := old.files.position_deletes ^ new.files.position_deletes:
        places = (
            "select file_path as filename, pos as file_row_number "
            f"from read_parquet([{', '.join(map(literal, sorted(differing)))}]) where file_path in {common}"
        )
    else:
        return frozenset()
    connection.execute(f"create or replace temp table places as {places}")
    found = rows_of(connection, "select distinct filename from places")
    files = frozenset(filename for (filename,) in found)
    if files:
        verify(table, sorted(files))
        is_there = f"where filename in {_list(files)} and {_PLACE} in (from places)"
        in_old, in_new = (
            f"select filename, file_row_number from {_scan(one.location)} {is_there}"
            for one in (old, new)
        )
        connection.execute(f"create or replace temp table gone as {in_old} except {in_new}")
        connection.execute(f"create or replace temp table came as {in_new} except {in_old}")
    return files


def _hash(columns: Mapping[str, str]) -> str:
    """A hash of all columns. DuckDB's hash of a null list is that of an empty list: their JSON is not.

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
    # null equals nothing: it stands there for the case that there is no path.
    return f"({', '.join(['null', *map(literal, sorted(paths))])})"
