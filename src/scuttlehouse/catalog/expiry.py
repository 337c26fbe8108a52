"""Remove what no kept build needs any more: old snapshots of tables, and unused files."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from scuttlehouse.catalog import checksums, storage
from scuttlehouse.catalog.metadata_files import read_metadata
from scuttlehouse.catalog.names import WORK, CatalogError, UnusableError
from scuttlehouse.catalog.publishing import Catalog
from scuttlehouse.catalog.pyiceberg_tables import (
    changing,
    forget_history,
    require_steady_clock,
)
from scuttlehouse.catalog.reached_files import files_of
from scuttlehouse.s3 import is_in_s3

_ADVICE = (
    "Restore the file from a backup. Otherwise run `scuttlehouse build --full-refresh`: files are removed "
    "again once no kept build names this one. A developer's table goes with `dbt run-operation "
    "drop_developer_schema --profiles-dir profiles --target dev`."
)


def trim_history(catalog: Catalog, home: Path, most_snapshots: int = 20) -> None:
    """Keep only the current snapshot of work tables that have more than ``most_snapshots`` snapshots.

    A table's metadata file lists all its snapshots, so it grows with every build. No file is removed.
    Call this before publishing, because a trimmed table gets a new metadata file.

    Raises:
        CatalogError: a metadata file is missing or damaged, a table cannot be changed, or was written later
            than now.
    """
    for name, file in catalog.tables(WORK).items():
        metadata = read_metadata(file)
        require_steady_clock(name, metadata["last-updated-ms"])
        if len(metadata.get("snapshots", ())) > most_snapshots:
            with changing(catalog, home, WORK, name) as table:
                forget_history(table)


def remove_unreachable(catalog: Catalog, home: Path, is_alone: Callable[[], bool]) -> int:
    """Remove the files of the warehouse that no table of the catalog and no kept build reaches.

    A table reaches its metadata file and the files of its current snapshot. The caller must hold the
    build lock exclusively, because nothing reaches a file that is still being written. The function can be
    killed at any moment and run again. It takes about 3 ms for each metadata file.

    Args:
        is_alone: whether this process still holds the lock. If it does after the files are listed, all of
            them are its own or older.

    Returns:
        How many files were removed.

    Raises:
        CatalogError: a file by which others are reached is missing or damaged, or the lock is lost;
            nothing is removed then.
    """
    warehouse = storage.warehouse_location(home)
    found = [*storage.files_below(warehouse)]
    reached = _reached(catalog, warehouse)
    if not is_in_s3(warehouse):
        reached |= {str(checksums.sidecar(Path(file))) for file in reached}
    if not is_alone():
        raise CatalogError("This process has lost the lock of builds. The next build removes them.")
    unneeded = [file for file in found if file not in reached]
    for file in unneeded:
        storage.remove(file)
    for folder, folders, _ in os.walk(warehouse, topdown=False):
        for name in folders:
            with suppress(OSError):  # The folder is not empty.
                Path(folder, name).rmdir()
    return len(unneeded)


def _reached(catalog: Catalog, warehouse: str) -> set[str]:
    """All files that are needed, without their checksums."""
    reached: set[str] = set()
    for file, table in catalog.metadata_files().items():
        try:
            reached.update(files_of(file, reached))
        except UnusableError as error:
            raise CatalogError(
                f"No unused file is removed. The table {table} is damaged: {error} {_ADVICE}"
            ) from None
    if strange := [file for file in reached if not file.startswith(f"{warehouse}/")]:
        raise CatalogError(
            f"No unused file is removed, because the catalog names {min(strange)}, which is not in "
            f"{warehouse}."
        )
    return reached
