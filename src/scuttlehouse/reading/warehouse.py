"""The published tables, read without Java: all tables of a query are of one build."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from scuttlehouse.catalog import (
    LOG,
    NOTHING_PUBLISHED,
    PUBLISHED,
    CatalogError,
    namespace_of_build,
    open_catalog,
)
from scuttlehouse.catalog.storage import warehouse_location
from scuttlehouse.reading.engine import (
    WarehouseError,
    connect,
    first_sentences,
    identifier,
    literal,
    rows_of,
)
from scuttlehouse.reading.statements import Query, TableName, read_query
from scuttlehouse.reading.table_files import read_files, unreadable, verify

if TYPE_CHECKING:
    import pyarrow as pa

Rows = list[tuple[Any, ...]]


@contextmanager
def open_published(home: Path) -> Iterator[Warehouse]:
    """The published tables for a block, and those of every kept build in schemas of their own.

    Nothing is written, and no later build changes what is read.

    Raises:
        CatalogError: nothing is published yet, or the catalog cannot be read.
        WarehouseError: an extension of DuckDB is not installed.
    """
    with open_catalog(home, read_only=True) as catalog:
        builds = catalog.kept()
        rows = catalog.tables(PUBLISHED)
        # The log of builds is part of no build: its row alone says where it is.
        log = {name: rows[name] for name in catalog.tables(LOG) if name in rows}
    if not builds:
        raise WarehouseError(NOTHING_PUBLISHED)
    schemas = {namespace_of_build(build.number): build.public for build in builds}
    with open_tables(home, {PUBLISHED: log | dict(builds[0].public), **schemas}) as warehouse:
        yield warehouse


@contextmanager
def open_tables(home: Path, schemas: Mapping[str, Mapping[str, str]]) -> Iterator[Warehouse]:
    """Tables of a home for a block.

    Args:
        schemas: the metadata file of each table, by schema and name. Tables of the schema
            ``scuttlehouse`` are found without their schema, too.

    Raises:
        WarehouseError: an extension of DuckDB is not installed.
    """
    with connect(warehouse_location(home)) as connection:
        yield Warehouse(connection, schemas)


def are_whole(home: Path, *tables: str) -> bool:
    """Whether some published tables can be read: all their files are there and fit their checksums."""
    try:
        with open_published(home) as warehouse:
            for table in tables:
                warehouse.verify(table)
    except (CatalogError, WarehouseError):
        return False
    return True


class Warehouse:
    """Tables to ask queries about. A table is a view over its metadata file, made when a query needs it.

    Args:
        connection: an empty database that can read the files of the tables.
        schemas: the metadata file of each table, by schema and name.
    """

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, schemas: Mapping[str, Mapping[str, str]]
    ) -> None:
        self._connection = connection
        self._locations = {
            TableName("", schema, name.lower()): location
            for schema, tables in schemas.items()
            for name, location in tables.items()
        }
        self._views: set[TableName] = set()
        self._verified: set[TableName] = set()
        self._added: set[str] = set()
        for schema in {*schemas, PUBLISHED}:
            connection.execute(f"create schema {identifier(schema)}")
        connection.execute(f"use {identifier(PUBLISHED)}")

    def add(self, name: str, rows: pa.Table) -> None:
        """Let queries name a table in memory, or another one from now on."""
        self._connection.register(name, rows)
        self._added.add(name)

    def query(self, statement: str) -> tuple[list[str], Rows]:
        """Run a query; return the names of its columns and its rows. Times are in UTC.

        Every file of the tables that it names is compared with its checksums first.

        Raises:
            WarehouseError: it is not a query, DuckDB refuses it, or a file of a table that it names is
                missing or damaged.
        """
        query = read_query(self._connection, statement)
        self._prepare(query)
        try:
            self._connection.execute(query.statement)
            columns = [column[0] for column in self._connection.description or []]
            return columns, self._connection.fetchall()
        except duckdb.Error as error:
            raise WarehouseError(first_sentences(str(error))) from None

    def verify(self, table: str) -> None:
        """Compare every file of a published table with its checksums.

        Raises:
            WarehouseError: there is no such table, or a file of it is missing or damaged.
        """
        name = TableName("", PUBLISHED, table)
        if name not in self._locations:
            raise WarehouseError(f"There is no table {table}.")
        self._verify(name)

    def _prepare(self, query: Query) -> None:
        is_listing = query.lists_tables
        for name in query.tables:
            place = TableName(name.catalog, name.schema or PUBLISHED, name.table)
            if place in self._locations:
                self._verify(place)
                self._make_view(place)
            elif name.schema or "." in name.table:
                # DuckDB would look for a file of this name.
                self._check_is_of_duckdb(name)
                is_listing = True
            elif name.table not in query.own_names | self._added:
                is_listing = True  # DuckDB's own, or none: then it names a similar one.
        if is_listing:
            for place in self._locations:
                self._make_view(place)

    def _verify(self, name: TableName) -> None:
        if name not in self._verified:
            table = _for_people(name)
            files = read_files(self._connection, table, self._locations[name])
            verify(table, sorted(files.data | files.deletes))
            self._verified.add(name)

    def _make_view(self, name: TableName) -> None:
        if name in self._views:
            return
        location = self._locations[name]
        verify(_for_people(name), [location])
        try:
            self._connection.execute(
                f"create view {identifier(name.schema)}.{identifier(name.table)} "
                f"as from iceberg_scan({literal(location)})"
            )
        except duckdb.Error as error:
            raise unreadable(_for_people(name), error) from None
        self._views.add(name)

    def _check_is_of_duckdb(self, name: TableName) -> None:
        listed = rows_of(
            self._connection, "select schema_name, view_name from duckdb_views() where internal"
        )
        if name.catalog or (name.schema, name.table) not in listed:
            raise WarehouseError(
                f"There is no table {name}: `show tables` lists the published tables, and "
                "`show all tables` those of each kept build."
            )


def _for_people(name: TableName) -> str:
    return name.table if name.schema == PUBLISHED else str(name)
