"""Read the published tables without Java. All tables of a query come from one build."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from scuttlehouse.catalog.names import LOG, PUBLISHED, NothingPublishedError, namespace_of_build
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.catalog.storage import warehouse_location
from scuttlehouse.reading.engine import (
    UnboundError,
    WarehouseError,
    connect,
    first_sentences,
    identifier,
    rows_of,
    scan_of,
)
from scuttlehouse.reading.statements import Query, TableName, read_query
from scuttlehouse.reading.table_files import unreadable, verify_metadata, verify_table

if TYPE_CHECKING:
    import pyarrow as pa

Rows = list[tuple[Any, ...]]

# How DuckDB begins to say that a query names an unknown table.
_NO_TABLE = "Catalog Error: Table with name "
_SUGGESTION = re.compile(r' Did you mean "([^"]*)"\?')
_REPLACED = (
    "A build has replaced meanwhile what this was reading, and removed its files: try again."
)
_TABLES = (
    " `show tables` lists the published tables: a build of a part of the project publishes fewer."
)


@contextmanager
def open_published(home: Path) -> Iterator[Warehouse]:
    """Open the published tables. The tables of each kept build are in a schema of their own.

    Nothing is written. A build that publishes later does not change what this reads, and may remove it.

    Raises:
        CatalogError: nothing is published yet, or the catalog cannot be read.
        WarehouseError: an extension of DuckDB is not installed.
    """
    with open_catalog(home, read_only=True) as catalog:
        builds = catalog.kept()
        rows = catalog.tables(PUBLISHED)
        # The log of runs belongs to no build, so its place comes from the catalog itself.
        log = {name: rows[name] for name in catalog.tables(LOG) if name in rows}
    if not builds:
        raise NothingPublishedError(home)
    schemas = {namespace_of_build(build.number): build.public for build in builds}
    with open_tables(home, {PUBLISHED: log | dict(builds[0].public), **schemas}) as warehouse:
        yield warehouse


@contextmanager
def open_tables(home: Path, schemas: Mapping[str, Mapping[str, str]]) -> Iterator[Warehouse]:
    """Open tables of a home.

    Args:
        schemas: the metadata file of each table, by schema and name. A query may name a table of the
            schema ``scuttlehouse`` without its schema.

    Raises:
        WarehouseError: an extension of DuckDB is not installed, or a build has replaced a table that
            the block reads.
    """
    with connect(warehouse_location(home)) as connection:
        for schema in {*schemas, PUBLISHED}:
            connection.execute(f"create schema {identifier(schema)}")
        connection.execute(f"use {identifier(PUBLISHED)}")
        warehouse = Warehouse(connection, schemas)
        try:
            yield warehouse
        except WarehouseError:
            with open_catalog(home, read_only=True) as catalog:
                replaced = warehouse.read_files - catalog.metadata_files().keys()
            if not replaced:
                raise
            raise WarehouseError(_REPLACED) from None


def are_whole(home: Path, *tables: str) -> bool:
    """Whether these tables are published, and all their files exist and match their checksums.

    Raises:
        CatalogError: the catalog cannot be read, or a server does not answer. Then nobody knows.
        WarehouseError: an extension of DuckDB is not installed.
    """
    try:
        with open_published(home) as warehouse:
            for table in tables:
                try:
                    warehouse.verify(table)
                except WarehouseError:
                    return False
    except NothingPublishedError:
        return False
    return True


class Warehouse:
    """Tables that answer queries. A table is a view over its metadata file, made when a query needs it.

    Args:
        connection: a database that can read the files of the tables, with a schema for each of theirs.
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
        self.read_files: set[str] = set()
        """The metadata files of the tables that queries have named."""
        self._views: set[TableName] = set()
        self._verified: set[TableName] = set()
        self._added: set[str] = set()

    def add(self, name: str, rows: pa.Table) -> None:
        """Make a table in memory available to queries. It replaces a table of the same name."""
        self._connection.register(name, rows)
        self._added.add(name)

    def query(self, statement: str) -> tuple[list[str], Rows]:
        """Run a query and return its column names and its rows. Times are in UTC.

        The files of the tables that the query names are compared with their checksums first.

        Raises:
            UnboundError: a table that it names lacks a column, or has it with another type.
            WarehouseError: the statement is not a query, DuckDB refuses it, or a file of a table that it
                names is missing or damaged.
        """
        query = read_query(self._connection, statement)
        self._prepare(query)
        try:
            self._connection.execute(query.statement)
            columns = [column[0] for column in self._connection.description or []]
            return columns, self._connection.fetchall()
        except duckdb.BinderException as error:
            raise UnboundError(first_sentences(str(error))) from None
        except duckdb.Error as error:
            said = first_sentences(str(error))
            if _NO_TABLE in said:
                said = _SUGGESTION.sub(self._if_published, said) + _TABLES
            raise WarehouseError(said) from None

    def _if_published(self, suggestion: re.Match[str]) -> str:
        """What DuckDB suggests; nothing if it is a table of its own, which helps nobody."""
        return suggestion[0] if TableName("", PUBLISHED, suggestion[1]) in self._locations else ""

    def rows(self, statement: str) -> Rows:
        """The rows of a query. Raises as :meth:`query`."""
        return self.query(statement)[1]

    def verify(self, table: str) -> None:
        """Compare every file of a published table with its checksums.

        Raises:
            WarehouseError: the table does not exist, or one of its files is missing or damaged.
        """
        name = TableName("", PUBLISHED, table)
        if name not in self._locations:
            raise WarehouseError(f"There is no table {table}.")
        self._verify(name)

    def _prepare(self, query: Query) -> None:
        is_listing, lists_all = query.lists_tables, query.lists_all_tables
        for name in query.tables:
            place = TableName(name.catalog, name.schema or PUBLISHED, name.table)
            if place in self._locations:
                self._verify(place)
                self._make_view(place)
            elif name.schema or "." in name.table:
                # DuckDB would look for a file with this name.
                self._check_is_of_duckdb(name)
                lists_all = True
            elif name.table not in query.own_names | self._added:
                is_listing = True  # It is unknown, and DuckDB suggests one, or it is DuckDB's own.
                lists_all |= name.table in {table for _, table in self._of_duckdb()}
        for place in self._locations:
            if lists_all or (is_listing and place.schema == PUBLISHED):
                self._make_view(place)

    def _verify(self, name: TableName) -> None:
        self.read_files.add(self._locations[name])
        if name not in self._verified:
            verify_table(self._connection, _for_people(name), self._locations[name])
            self._verified.add(name)

    def _make_view(self, name: TableName) -> None:
        if name in self._views:
            return
        location = self._locations[name]
        self.read_files.add(location)
        verify_metadata(self._connection, _for_people(name), location)
        try:
            self._connection.execute(
                f"create view {identifier(name.schema)}.{identifier(name.table)} "
                f"as from {scan_of(location)}"
            )
        except duckdb.Error as error:
            raise unreadable(_for_people(name), error) from None
        self._views.add(name)

    def _check_is_of_duckdb(self, name: TableName) -> None:
        if name.catalog or (name.schema, name.table) not in self._of_duckdb():
            raise WarehouseError(
                f"There is no table {name}: `show tables` lists the published tables, and "
                "`show all tables` those of each kept build."
            )

    def _of_duckdb(self) -> Rows:
        """The schema and the name of each view of DuckDB's own."""
        return rows_of(
            self._connection, "select schema_name, view_name from duckdb_views() where internal"
        )


def _for_people(name: TableName) -> str:
    return name.table if name.schema == PUBLISHED else str(name)
