"""What no kept build needs is removed: old snapshots out of metadata, and files that nothing names."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb

from scuttlehouse.catalog import checksums
from scuttlehouse.catalog.iceberg import iceberg_catalog, write_sidecars
from scuttlehouse.catalog.names import LOG, WORK
from scuttlehouse.catalog.publishing import Catalog
from scuttlehouse.engine import connect, literal, rows_of


def trim_history(catalog: Catalog, home: Path, most_snapshots: int = 20) -> None:
    """Let tables with a long history name their present snapshot alone, or their metadata grows without end.

    No file is removed: kept builds name the older snapshots in metadata of their own. Call it before a build is published.

    Args:
        most_snapshots: tables with more snapshots than this are trimmed.
    """
    long_ones = [
        (namespace, name)
        for namespace in (WORK, LOG)
        for name, file in catalog.tables(namespace).items()
        if len(_metadata(file).get("snapshots", ())) > most_snapshots
    ]
    if not long_ones:
        return
    tables = iceberg_catalog(home)
    for namespace, name in long_ones:
        table = tables.load_table(f"{namespace}.{name}")
        present = table.metadata.current_snapshot_id
        old = [one.snapshot_id for one in table.snapshots() if one.snapshot_id != present]
        table.maintenance.expire_snapshots().by_ids(old).commit()
        write_sidecars(table.metadata_location)
    if any(namespace == LOG for namespace, _ in long_ones):
        catalog.move_log()


def remove_unreachable(catalog: Catalog, home: Path) -> int:
    """Remove the files of tables that neither the catalog nor a kept build names; return how many.

    A metadata file names the files of its present snapshot. What a killed build has left is named by nothing. The removal can
    be stopped at any moment, and the next one goes on. Nothing is removed where a metadata file cannot be read.

    Complexity: O(files).
    """
    folder = home / "warehouse"
    reached = _reached(folder, catalog.metadata_files())
    if reached is None:
        return 0
    removed = 0
    for parent, _, names in os.walk(folder, topdown=False):
        for name in names:
            path = Path(parent, name)
            if str(_described(path)) not in reached:
                path.unlink(missing_ok=True)
                removed += not _is_sidecar(name)
        if parent != str(folder) and not os.listdir(parent):
            os.rmdir(parent)
    return removed


def _reached(folder: Path, metadata_files: Iterable[str]) -> set[str] | None:
    """These metadata files and all files that they name; null where one cannot be read."""
    reached = set(metadata_files)
    lists: set[str] = set()
    try:
        for file in sorted(reached):
            if file.endswith(".gz.metadata.json"):  # a view, which has no files
                continue
            metadata = _metadata(file)
            present = metadata.get("current-snapshot-id")
            lists |= {
                one["manifest-list"]
                for one in metadata.get("snapshots", ())
                if one["snapshot-id"] == present
            }
            reached |= {one["statistics-path"] for one in metadata.get("statistics", ())}
    except (OSError, ValueError, LookupError):
        return None
    with connect(folder) as connection:
        manifests = set(_read(connection, "manifest_path", lists))
        files = set(_read(connection, "data_file.file_path", manifests, "where status <> 2"))
    return reached | lists | manifests | files


def _read(
    connection: duckdb.DuckDBPyConnection, column: str, avro_files: set[str], where: str = ""
) -> list[str]:
    if not avro_files:
        return []
    listed = ", ".join(literal(path) for path in sorted(avro_files))
    rows = rows_of(connection, f"select {column} from read_avro([{listed}]) {where}")
    return [value for (value,) in rows]


def _metadata(file: str) -> dict[str, Any]:
    metadata: dict[str, Any] = json.loads(Path(file).read_bytes())
    return metadata


def _is_sidecar(name: str) -> bool:
    return name.startswith(".") and name.endswith(".crc")


def _described(path: Path) -> Path:
    """The file that a sidecar describes; any other file itself."""
    return path.with_name(path.name[1:-4]) if _is_sidecar(path.name) else path
