"""DuckDB with its Iceberg extension, which reads table files and nothing else."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb

# In this order: the second one needs the first.
_EXTENSIONS = "avro", "iceberg"

_SETTINGS = (
    "set TimeZone = 'UTC'",
    "set ieee_floating_point_ops = false",  # A division by zero is null, as JSON has no infinity.
    "set python_enable_replacements = false",  # The variables of this process are no tables.
    "set allow_persistent_secrets = false",
    "set enable_progress_bar = false",  # It would stand between the rows.
    "set temp_directory = ''",  # Readers need no disk space.
)
_LOCK = "set enable_external_access = false", "set lock_configuration = true"


class WarehouseError(Exception):
    """The warehouse cannot answer; the message is a sentence: what is wrong, where, what to do."""


def connect(folder: Path) -> duckdb.DuckDBPyConnection:
    """An empty database in memory that can read the files of a folder, and that nobody can reconfigure.

    It reads no file elsewhere, writes none, and neither loads nor installs extensions.

    Args:
        folder: where the files of all tables are, an absolute path.

    Raises:
        WarehouseError: an extension is not installed.
    """
    connection = duckdb.connect(config={"autoinstall_known_extensions": "false"})
    for name in _EXTENSIONS:
        connection.execute(f"load {literal(str(_extension(name)))}")
    for setting in (*_SETTINGS, f"set allowed_directories = [{literal(str(folder))}]", *_LOCK):
        connection.execute(setting)
    return connection


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
    """The rows of a statement of ours. It takes no parameters: those make DuckDB import pandas."""
    return connection.execute(statement).fetchall()


def literal(text: str) -> str:
    """A text as SQL.

    >>> literal("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """A name as SQL.

    >>> identifier('a "b"')
    '"a ""b""\"'
    """
    return '"' + name.replace('"', '""') + '"'


def first_sentences(message: str) -> str:
    """What DuckDB says before it shows the statement or gives a stack, in one line.

    >>> first_sentences('Catalog Error: No table a!\\nDid you mean "b"?\\n\\nLINE 1: from a\\n     ^')
    'Catalog Error: No table a! Did you mean "b"?'
    """
    return " ".join(re.split(r"\n\s*\n|\nLINE \d|\nStack Trace", message.strip())[0].split())
