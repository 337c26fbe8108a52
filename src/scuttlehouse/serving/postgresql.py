"""The published tables in a PostgreSQL database, for Superset and other programs that people look through.

``SCUTTLEHOUSE_SERVING`` names the database. Every run that is logged, and every rollback, renews the schema
``scuttlehouse`` there in one transaction, so whoever reads it sees one build, and nobody waits.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import duckdb

from scuttlehouse.catalog.database import postgresql_parts
from scuttlehouse.catalog.home import temporary_folder
from scuttlehouse.catalog.metadata_files import read_metadata
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.catalog.storage import warehouse_location
from scuttlehouse.databases import (
    POSTGRESQL_FORM,
    AddressError,
    DatabaseError,
    is_postgresql,
    open_database,
)
from scuttlehouse.reading.engine import (
    WarehouseError,
    connect,
    first_sentences,
    identifier,
    literal,
    scan_of,
)
from scuttlehouse.serving.shown import published_id, showing, shown_id
from scuttlehouse.serving.tables import comments, published_tables, reading, verified_columns

SCHEMA = "scuttlehouse"

# DuckDB's types and PostgreSQL's, as information_schema names them. A list, a struct or a map becomes JSON.
_TYPES = {
    "BOOLEAN": "boolean",
    "INTEGER": "integer",
    "BIGINT": "bigint",
    "FLOAT": "real",
    "DOUBLE": "double precision",
    "DECIMAL": "numeric",  # DECIMAL(38,6)
    "VARCHAR": "text",
    "UUID": "uuid",
    "BLOB": "bytea",
    "DATE": "date",
    "TIME": "time without time zone",
    "TIMESTAMP": "timestamp without time zone",
    "TIMESTAMP WITH TIME ZONE": "timestamp without time zone",
}

_COLUMNS = """
    select column_name, data_type from information_schema.columns
    where table_schema = %s and table_name = %s order by ordinal_position
"""
_ROLE = "select current_user, current_schema()"

_NO_ADDRESS = f"SCUTTLEHOUSE_SERVING is no address of PostgreSQL: set it to {POSTGRESQL_FORM}"


def serving_database() -> str:
    """The address in ``SCUTTLEHOUSE_SERVING``; empty if there is none."""
    return os.environ.get("SCUTTLEHOUSE_SERVING", "").strip()


def write_serving_database(home: Path, address: str, *, log_only: bool = False) -> None:
    """Write the published tables, with the descriptions of tables and columns.

    Times are timestamps without a zone, in UTC. A list is JSON. All files of the tables are compared with
    their checksums first. A table with the same columns as before keeps its rights and the views on it. Other
    tables and views in the schema stay.

    Args:
        address: ``postgresql://user:password@host:port/database``.
        log_only: write the log of runs alone, if the other tables there are those of the published build.

    Raises:
        CatalogError: nothing is published yet, or the catalog cannot be read.
        WarehouseError: it is no such address, a table is damaged, or PostgreSQL refuses something; the
            earlier rows stay.

    Complexity: linear in the size of the tables.
    """
    _require_address(address)
    published = published_id(home)
    folder = temporary_folder(home)
    try:
        with connect(warehouse_location(home), folder) as connection, _opened(address) as cursor:
            place = _place(address)
            log_only = log_only and shown_id(home, place) == published
            tables = published_tables(home, log_only=log_only)
            cursor.execute("begin")
            _create_schema(cursor)
            for name, location in tables:
                _write(cursor, connection, name, location, folder / "serving.csv")
            if not log_only:
                _drop_unpublished(cursor, home, {name for name, _ in tables})
            with nullcontext() if log_only else showing(home, place, published):
                cursor.execute("commit")
    except (OSError, duckdb.Error) as error:
        said = error.strerror if isinstance(error, OSError) else first_sentences(str(error))
        raise WarehouseError(
            f"{folder} cannot be written ({said}): make room on its disk."
        ) from None


def place_to_write(address: str) -> str:
    """The database that an address names, which answers and lets its user write. Nothing is written.

    Raises:
        WarehouseError: it is no such address, nobody answers, or PostgreSQL refuses something.
    """
    _require_address(address)
    with _opened(address) as cursor:
        cursor.execute("begin")
        _create_schema(cursor)
        cursor.execute("rollback")
        return _place(address)


def _require_address(address: str) -> None:
    if not is_postgresql(address):
        raise WarehouseError(_NO_ADDRESS)


@contextmanager
def _opened(address: str) -> Iterator[Any]:
    """Give a cursor of the database. What is wrong with it is a sentence about the setting."""
    try:
        with open_database(address) as cursor:
            yield cursor
    except AddressError:
        raise WarehouseError(_NO_ADDRESS) from None
    except DatabaseError as error:
        raise WarehouseError(
            f"The database that SCUTTLEHOUSE_SERVING names cannot be written ({error}): correct it."
        ) from None


def _place(address: str) -> str:
    """The database that an address names, without user and password."""
    used = postgresql_parts(address).used
    return f"{used.get('host', '')}:{used['port']}/{used['dbname']}"


def _create_schema(cursor: Any) -> None:
    """Create the schema, unless the role would then look there for tables that it has elsewhere."""
    [(role, before)] = cursor.execute(_ROLE).fetchall()
    cursor.execute(f"create schema if not exists {SCHEMA}")
    [(_, after)] = cursor.execute(_ROLE).fetchall()
    if before != after:
        raise WarehouseError(
            f"The role {role} of SCUTTLEHOUSE_SERVING has the name of the schema of the published tables. "
            f"PostgreSQL would look there for its tables in the schema {before}: use another role."
        )


def _write(
    cursor: Any, connection: duckdb.DuckDBPyConnection, name: str, location: str, part: Path
) -> None:
    """Replace the rows of a table. Others read the earlier ones until the transaction ends."""
    columns = [
        (column, _type(kind)) for column, kind in verified_columns(connection, name, location)
    ]
    table = f"{SCHEMA}.{identifier(name)}"
    cursor.execute(_COLUMNS, (SCHEMA, name))
    if cursor.fetchall() == columns:
        cursor.execute(f"delete from {table}")
    else:
        cursor.execute(f"drop table if exists {table}")
        typed = ", ".join(f"{identifier(column)} {kind}" for column, kind in columns)
        cursor.execute(f"create table {table} ({typed})")
    for statement in comments(table, read_metadata(location)):
        cursor.execute(statement)
    values = ", ".join(_value(column, kind) for column, kind in columns)
    # A null is an empty field. An empty text is quoted.
    with reading(name, part):
        connection.execute(
            f"copy (select {values} from {scan_of(location)}) to {literal(str(part))} "
            "(format csv, header false, nullstr '', force_quote *)"
        )
    try:
        copy = f"copy {table} from stdin (format csv)"
        with part.open("rb") as file, cursor.copy(copy) as copied:
            shutil.copyfileobj(file, copied)
    finally:
        part.unlink()


def _type(kind: str) -> str:
    # A list has its brackets behind the type of what is in it: DECIMAL(38,6)[].
    return _TYPES.get(re.sub(r"\(\d+,\d+\)$", "", kind), "jsonb")


def _value(column: str, kind: str) -> str:
    named = identifier(column)
    if kind == "jsonb":
        return f"to_json({named})"
    if kind == "bytea":
        return f"'\\x' || hex({named})"
    return f"cast({named} as timestamp)" if kind.startswith("timestamp") else named


def _drop_unpublished(cursor: Any, home: Path, tables: set[str]) -> None:
    """Drop the tables that a kept build published and the published build does not."""
    with open_catalog(home, read_only=True) as catalog:
        of_kept = {name for build in catalog.kept() for name in build.public}
    for name in sorted(of_kept - tables):
        cursor.execute(f"drop table if exists {SCHEMA}.{identifier(name)}")
