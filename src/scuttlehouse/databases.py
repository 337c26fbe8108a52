"""Open SQLite or PostgreSQL. Who opens one says what an error means, and what to do."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote

# If a password holds a bare @, / or #, the driver takes part of it for the host and names it in errors.
_POSTGRESQL_URL = re.compile(r"postgres(ql)?://([^@/?#]*@)?[^@]*")

POSTGRESQL_FORM = (
    "postgresql://user:password@host:port/database. In a password, write every character that is not a "
    "letter or a digit as its code in UTF-8, for example %40 for @."
)

# What SQLite calls a database without a file.
_IN_MEMORY = ":memory:"


def is_postgresql(address: str) -> bool:
    """Whether this is an address of PostgreSQL, in which all is UTF-8: the driver takes nothing else.

    >>> is_postgresql("postgresql://u:p%c3%bc@h/x"), is_postgresql("postgresql://u:p%fc@h/x")
    (True, False)
    """
    try:
        unquote(address, errors="strict").encode()
    except UnicodeError:
        return False
    return _POSTGRESQL_URL.fullmatch(address) is not None


class DatabaseError(Exception):
    """A database cannot be opened, read or written. The message is the driver's, on one line."""


class AddressError(DatabaseError):
    """The address names no database."""


class DriverError(DatabaseError):
    """The driver of PostgreSQL is missing. The message says how to install it."""


class Cursor(Protocol):
    """The part of a DB-API cursor that we use."""

    def execute(self, statement: str, values: Sequence[Any] = ..., /) -> object: ...
    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> object: ...
    def fetchall(self) -> list[Any]: ...


class Database:
    """A cursor of SQLite or PostgreSQL. Statements use ``?`` for values with either.

    >>> with open_database("sqlite::memory:") as cursor:
    ...     Database(cursor, is_postgresql=False).rows("select ?", "a")
    [('a',)]
    """

    def __init__(self, cursor: Cursor, *, is_postgresql: bool) -> None:
        self.cursor = cursor
        self.is_postgresql = is_postgresql

    def rows(self, statement: str, *values: object) -> list[Any]:
        """Run a query and return its rows."""
        self.execute(statement, *values)
        return self.cursor.fetchall()

    def execute(self, statement: str, *values: object) -> None:
        """Run a statement."""
        self.cursor.execute(self._with_placeholders(statement), values)

    def execute_many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """Run a statement for each row of values."""
        self.cursor.executemany(self._with_placeholders(statement), rows)

    def _with_placeholders(self, statement: str) -> str:
        return statement.replace("?", "%s") if self.is_postgresql else statement

    @contextmanager
    def transaction(self, lock: str) -> Iterator[None]:
        """Run all statements of a block or none.

        Args:
            lock: the statement that keeps other writers of PostgreSQL out. SQLite needs none.
        """
        for statement in ("begin", lock) if self.is_postgresql else ("begin immediate",):
            self.execute(statement)
        try:
            yield
        except BaseException:
            # Some errors, a full disk for example, end the transaction. Only the first error matters.
            with suppress(Exception):
                self.execute("rollback")
            raise
        self.execute("commit")


@contextmanager
def open_database(address: str) -> Iterator[Cursor]:
    """Open a database and give a cursor. A statement outside a transaction is committed at once.

    Args:
        address: ``sqlite:PATH``, where the file is made if it is missing, or ``postgresql://...``.

    Raises:
        AddressError, DriverError: as they say.
        DatabaseError: the database cannot be opened, or a statement in the block fails. The message never
            holds a password.

    >>> with open_database("sqlite::memory:") as cursor:
    ...     _ = cursor.execute("select ?", ["a"])
    ...     cursor.fetchall()
    [('a',)]
    """
    scheme, _, path = address.partition(":")
    if scheme == "sqlite" and path:
        with _open_sqlite(path) as cursor:
            yield cursor
    elif is_postgresql(address):
        with _open_postgresql(address) as cursor:
            yield cursor
    else:
        raise AddressError


@contextmanager
def _open_sqlite(path: str) -> Iterator[Cursor]:
    # In many builds of SQLite a name that begins with `file:` is an address, and no path.
    place = path if path == _IN_MEMORY else Path(path).absolute()
    try:
        with closing(sqlite3.connect(place, timeout=60, isolation_level=None)) as connection:
            yield connection.cursor()
    except sqlite3.Error as error:
        raise DatabaseError(_words_of(error)) from error


@contextmanager
def _open_postgresql(url: str) -> Iterator[Cursor]:
    try:
        import psycopg
    except ImportError:
        raise DriverError(
            "PostgreSQL needs psycopg: install it with `pip install 'psycopg[binary]'`."
        ) from None
    try:
        psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.Error:
        raise AddressError from None
    try:
        # What is copied is UTF-8, whatever the database or PGCLIENTENCODING says: the server recodes it.
        connecting = psycopg.connect(url, autocommit=True, client_encoding="utf8")
        with closing(connecting) as connection:
            yield connection.cursor()
    except psycopg.Error as error:
        raise DatabaseError(_words_of(error)) from error


def _words_of(error: Exception) -> str:
    return " ".join(str(error).split())
