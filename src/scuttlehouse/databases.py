"""The databases that can hold a replica, SQLite and PostgreSQL: how each is opened and spoken to."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, NamedTuple, Protocol

# The driver takes part of a password with a bare @, / or # for a host, and would name it in errors.
_POSTGRESQL_URL = re.compile(r"postgres(ql)?://([^@/?#]*@)?[^@]*")

_ADDRESSES = (
    "A replica is in sqlite:PATH or in postgresql://user:password@host:port/database. In a password, "
    "write every character that is not a letter or a digit as its code, for example %40 for @."
)


class DatabaseError(Exception):
    """A database cannot be opened, read or written; the message says why and what to do."""


class Cursor(Protocol):
    """What is needed of a cursor of the DB-API."""

    def execute(self, statement: str, values: Sequence[Any] = ..., /) -> object: ...
    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> object: ...
    def fetchall(self) -> list[Any]: ...


class Dialect(NamedTuple):
    """The placeholder of a value, and what begins a transaction during which nobody else follows."""

    placeholder: str
    begin: tuple[str, ...]


SQLITE = Dialect("?", ("begin immediate",))
POSTGRESQL = Dialect("%s", ("begin", "lock table tangle_progress in share row exclusive mode"))


@contextmanager
def open_database(address: str) -> Iterator[tuple[Cursor, Dialect]]:
    """A cursor for a block, each of whose statements outside of a transaction is committed at once.

    Args:
        address: ``sqlite:PATH``, where the file is made if it is missing, or ``postgresql://...``.

    Raises:
        DatabaseError: the address is none, the database cannot be opened, or an error of it is
            raised in the block. The message never holds a password.

    >>> with open_database("sqlite::memory:") as (cursor, dialect):
    ...     _ = cursor.execute(f"select {dialect.placeholder}", ["a"])
    ...     cursor.fetchall()
    [('a',)]
    """
    scheme, _, path = address.partition(":")
    if scheme == "sqlite" and path:
        with _open_sqlite(path) as cursor:
            yield cursor, SQLITE
    elif _POSTGRESQL_URL.fullmatch(address):
        with _open_postgresql(address) as cursor:
            yield cursor, POSTGRESQL
    else:
        raise DatabaseError(_ADDRESSES)


@contextmanager
def _open_sqlite(path: str) -> Iterator[Cursor]:
    try:
        with closing(sqlite3.connect(path, timeout=60, isolation_level=None)) as connection:
            yield connection.cursor()
    except sqlite3.Error as error:
        raise DatabaseError(
            f"SQLite reports an error for {path}. Correct it, then follow again: {error}."
        ) from error


@contextmanager
def _open_postgresql(url: str) -> Iterator[Cursor]:
    try:
        import psycopg
    except ImportError:
        raise DatabaseError(
            "PostgreSQL needs psycopg: install it with `pip install 'psycopg[binary]'`."
        ) from None
    try:
        psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.Error:
        raise DatabaseError(_ADDRESSES) from None
    try:
        with closing(psycopg.connect(url, autocommit=True)) as connection:
            yield connection.cursor()
    except psycopg.Error as error:
        said = " ".join(str(error).split())
        raise DatabaseError(
            f"PostgreSQL reports an error. Correct it, then follow again: {said}"
        ) from error
