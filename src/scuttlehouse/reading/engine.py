"""DuckDB with its Iceberg extension, restricted to the files of the tables."""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb

from scuttlehouse.errors import HouseError
from scuttlehouse.s3 import is_in_s3, s3_files

# The order matters: iceberg needs avro.
_EXTENSIONS = "avro", "iceberg"

_SETTINGS = (
    "set TimeZone = 'UTC'",
    "set ieee_floating_point_ops = false",  # A division by zero is null.
    "set python_enable_replacements = false",  # Python variables are not tables.
    "set allow_persistent_secrets = false",
    "set enable_progress_bar = false",  # It would be printed among the rows.
    "set temp_directory = ''",  # Readers need no disk space.
)
_LOCK = "set enable_external_access = false", "set lock_configuration = true"


class WarehouseError(HouseError):
    """The warehouse cannot answer. The message says what is wrong, where, and what to do."""


class UnboundError(WarehouseError):
    """A query does not fit the columns of the tables that it names."""


def connect(*folders: str | Path) -> duckdb.DuckDBPyConnection:
    """An empty database in memory that can use the files of some folders, and that nobody can reconfigure.

    It uses no file elsewhere, and neither loads nor installs extensions.

    Args:
        folders: absolute paths or folders of S3; the files of all tables are below them.

    Raises:
        WarehouseError: an extension is not installed.
    """
    _check_signatures()
    connection = _with_extensions(allow_unsigned_extensions="true")
    if any(is_in_s3(str(folder)) for folder in folders):
        _let_read_s3(connection)
    allowed = ", ".join(literal(str(folder)) for folder in folders)
    for setting in (*_SETTINGS, f"set allowed_directories = [{allowed}]", *_LOCK):
        connection.execute(setting)
    return connection


@cache
def _check_signatures() -> None:
    """Let DuckDB check who signed the extensions. It reads 60 MB for that: once in a process is enough."""
    _with_extensions().close()


def _with_extensions(**config: str) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(config={"autoinstall_known_extensions": "false", **config})
    for name in _EXTENSIONS:
        connection.execute(f"load {literal(str(_extension(name)))}")
    return connection


def _let_read_s3(connection: duckdb.DuckDBPyConnection) -> None:
    """Let DuckDB read S3 through Arrow, which finds secrets as AWS's own tools do, and shows none."""
    from fsspec.implementations.arrow import ArrowFSWrapper

    connection.register_filesystem(ArrowFSWrapper(s3_files()))


def _extension(name: str) -> Path:
    package = find_spec(f"duckdb_extension_{name}")
    places = package.submodule_search_locations if package else None
    files = [
        file for place in places or () for file in Path(place).rglob(f"{name}.duckdb_extension")
    ]
    if not files:
        raise WarehouseError(
            f"The Python package duckdb-extension-{name} is missing: install it with "
            f"`pip install duckdb-extension-{name}=={duckdb.__version__}`."
        )
    return files[0]


def rows_of(connection: duckdb.DuckDBPyConnection, statement: str) -> list[tuple[Any, ...]]:
    """Run one of our own statements. It takes no parameters, because they make DuckDB import pandas."""
    return connection.execute(statement).fetchall()


def literal(text: str) -> str:
    """A text as SQL.

    >>> literal("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def scan_of(location: str) -> str:
    """SQL for the rows of a table, from its metadata file.

    >>> scan_of("/a.metadata.json")
    "iceberg_scan('/a.metadata.json')"
    """
    return f"iceberg_scan({literal(location)})"


def identifier(name: str) -> str:
    """A name as SQL.

    >>> identifier('a "b"')
    '"a ""b""\"'
    """
    return '"' + name.replace('"', '""') + '"'


def first_sentences(message: str) -> str:
    """DuckDB's message without the statement and the stack trace, on one line.

    >>> first_sentences('Catalog Error: No table a!\\nDid you mean "b"?\\n\\nLINE 1: from a\\n     ^')
    'Catalog Error: No table a! Did you mean "b"?'
    """
    return " ".join(re.split(r"\n\s*\n|\nLINE \d|\nStack Trace", message.strip())[0].split())
