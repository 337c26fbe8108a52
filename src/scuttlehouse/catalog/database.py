"""The catalog database: SQLite in the home, or PostgreSQL, and where the two differ."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from scuttlehouse.catalog.names import FROM_NOTHING, CatalogError
from scuttlehouse.catalog.readers import set_mode_of_catalog
from scuttlehouse.catalog.sqlite_copy import open_copy, opening
from scuttlehouse.databases import (
    AddressError,
    Database,
    DatabaseError,
    DriverError,
    is_postgresql,
    open_database,
)

# What keeps other writers of PostgreSQL out: of the catalog, and while its tables are made.
_LOCK = "lock table scuttlehouse_state, iceberg_tables in share row exclusive mode"
LOCK_OF_MAKING = "select pg_advisory_xact_lock(hashtext('scuttlehouse_state'))"

_TABLES_OF_POSTGRESQL = (
    "select table_name from information_schema.tables where table_schema = current_schema()"
)
_TABLES_OF_SQLITE = "select name from sqlite_master"


class CatalogDatabase(Database):
    """The database of the catalog."""

    def has_state(self) -> bool:
        """Whether the tables of our records are there."""
        tables = _TABLES_OF_POSTGRESQL if self.is_postgresql else _TABLES_OF_SQLITE
        return ("scuttlehouse_state",) in self.rows(tables)

    @contextmanager
    def transaction(self, lock: str = _LOCK) -> Iterator[None]:
        """Run all statements of a block or none. Nobody else writes the catalog in the meantime."""
        with super().transaction(lock):
            yield
        if not self.is_postgresql:
            self._empty_log()

    def _empty_log(self) -> None:
        """Move SQLite's write-ahead log into the database, unless somebody is reading it.

        SQLite drops the damaged end of a log, so published records must not stay in the log.
        """
        with suppress(sqlite3.Error):  # A full disk prevents the move, but not the commit.
            self.rows("pragma busy_timeout = 0")
            self.rows("pragma wal_checkpoint(truncate)")
        self.rows("pragma busy_timeout = 60000")


def postgresql_address() -> str:
    """The address in ``SCUTTLEHOUSE_CATALOG``. Empty if the catalog is SQLite in the home."""
    return os.environ.get("SCUTTLEHOUSE_CATALOG", "").strip()


@contextmanager
def open_postgresql(address: str) -> Iterator[CatalogDatabase]:
    """Open a separate connection to PostgreSQL.

    Raises:
        CatalogError: the address is invalid, or PostgreSQL refuses something. It names no password.
    """
    if not is_postgresql(address):
        raise CatalogError(_NEEDS)
    try:
        with open_database(address) as cursor:
            yield CatalogDatabase(cursor, is_postgresql=True)
    except (AddressError, DriverError):
        raise CatalogError(_NEEDS) from None
    except DatabaseError as error:
        raise CatalogError(
            f"PostgreSQL cannot be used for the catalog (SCUTTLEHOUSE_CATALOG): {error}"
        ) from None


_NEEDS = (
    "SCUTTLEHOUSE_CATALOG needs psycopg (`pip install 'psycopg[binary]'`) and an address "
    "postgresql://user:password@host:port/database. In a password, write every character that "
    "is not a letter or a digit as its code, for example %40 for @."
)


class PostgresqlParts(NamedTuple):
    """How PostgreSQL is reached: what an address says, and all that psycopg connects with."""

    given: dict[str, str]
    used: dict[str, str]


def postgresql_parts(address: str) -> PostgresqlParts:
    """The parts of an address of PostgreSQL, as psycopg reads them.

    Missing parts come from the environment (``PGUSER`` and so on), or are psycopg's defaults.

    Raises:
        CatalogError: the address is invalid, or psycopg is not installed.
    """
    try:
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict
        from psycopg.pq import Conninfo
    except ImportError:
        raise CatalogError(_NEEDS) from None
    if not is_postgresql(address):
        raise CatalogError(_NEEDS)
    try:
        given = {name: str(value) for name, value in conninfo_to_dict(address).items()}
    except ProgrammingError:
        raise CatalogError(_NEEDS) from None
    defaults = {
        option.keyword.decode(): option.val.decode()
        for option in Conninfo.get_defaults()
        if option.val
    }
    used = defaults | given
    return PostgresqlParts(given, {"dbname": used.get("user", "")} | used)


@contextmanager
def open_sqlite(path: Path, read_only: bool) -> Iterator[CatalogDatabase]:
    """Open the file of the catalog, or a copy of it.

    Raises:
        CatalogError: it cannot be opened or is damaged, or SQLite refuses a statement of the block.
    """
    try:
        with open_copy(path) if read_only else _open_file(path) as cursor:
            database = CatalogDatabase(cursor, is_postgresql=False)
            [[reason]] = database.rows("pragma integrity_check(1)")
            if reason != "ok":
                raise CatalogError(_damage(path, reason))
            yield database
    except DatabaseError as error:
        raise CatalogError(_damage(path, str(error))) from None
    except UnicodeDecodeError as error:  # SQLite's message quotes damaged bytes
        raise CatalogError(_damage(path, str(error))) from None


def _damage(path: Path, reason: str) -> str:
    reason = " ".join(reason.split()).rstrip(".")
    return (
        f"SQLite cannot use the catalog {path}: {reason}. If it is damaged, restore it from a backup, "
        f"or move {path.parent} away and build again, {FROM_NOTHING}"
    )


@contextmanager
def _open_file(path: Path) -> Iterator[Any]:
    with opening(path):
        if not path.exists():
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        # SQLite gives the files beside the database the same mode.
        set_mode_of_catalog(path)
    with open_database(f"sqlite:{path}") as cursor:
        cursor.execute("pragma journal_mode = wal")
        yield cursor
