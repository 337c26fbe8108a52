"""``scuttlehouse export``: the published tables in a file of DuckDB or in PostgreSQL. Builds renew them."""

from __future__ import annotations

import argparse
import os

from scuttlehouse.catalog.home import home_folder
from scuttlehouse.catalog.lock import BuildLock
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.serving.duckdb_file import serving_file, write_serving_file
from scuttlehouse.serving.postgresql import SCHEMA, serving_database, write_serving_database


def add_arguments(_: argparse.ArgumentParser) -> None:
    """The options of ``scuttlehouse export``: none."""


def run(_: argparse.Namespace) -> int:
    """Write the tables into the database that is named, and into the file; return the exit code.

    Where a database is named, the file is written only if it is there already.
    """
    os.umask(0o077)
    home = home_folder()
    with open_catalog(home, read_only=True):  # Nothing is made where nothing is published.
        pass
    address = serving_database()
    has_file = not address or serving_file(home).exists()
    with BuildLock(home).alone():  # A build would publish between reading and replacing.
        if address:
            write_serving_database(home, address)
            print(
                f"The published tables are in the schema {SCHEMA} of the database that "
                "SCUTTLEHOUSE_SERVING names. Each build with this variable renews them."
            )
        if has_file:
            file = write_serving_file(home)
            print(f"The published tables are in {file}. Each build renews it, until you delete it.")
    return 0
