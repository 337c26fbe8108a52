"""``scuttlehouse export``: the published tables as one file of DuckDB, which each build renews."""

from __future__ import annotations

import argparse
import os
import sys

from scuttlehouse.catalog import CatalogError, home_folder, locked, open_catalog
from scuttlehouse.printing import visible
from scuttlehouse.reading.engine import WarehouseError
from scuttlehouse.serving.duckdb_file import write_serving_file


def add_arguments(_: argparse.ArgumentParser) -> None:
    """The options of ``scuttlehouse export``: none."""


def run(_: argparse.Namespace) -> int:
    """Write the file and say where it is; return the exit code."""
    os.umask(0o077)
    try:
        home = home_folder()
        with open_catalog(home, read_only=True):  # Nothing is made where nothing is published.
            pass
        with locked(home):  # A build would publish between reading and replacing.
            file = write_serving_file(home)
    except (CatalogError, WarehouseError) as error:
        print(visible(str(error)), file=sys.stderr)
        return 1
    print(f"The published tables are in {file}. Each build renews it, until you delete it.")
    return 0
