"""The metadata files of Iceberg tables, read without pyiceberg: importing it takes longer than a query."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from typing import Any

from scuttlehouse.catalog import checksums
from scuttlehouse.catalog.names import UnusableError

_TOTALS = "total-records", "total-position-deletes", "total-files-size"


def read_metadata(file: str) -> dict[str, Any]:
    """The content of a metadata file, compared with its checksums.

    Raises:
        UnusableError: the file is missing or damaged.
        CatalogError: see :func:`.checksums.read`.
    """
    content = checksums.read(file)
    try:
        is_compressed = file.endswith(".gz.metadata.json")
        metadata: dict[str, Any] = json.loads(
            gzip.decompress(content) if is_compressed else content
        )
    except Exception as error:  # a parser may raise any error for a damaged file without checksums
        raise UnusableError(f"The file {file} is damaged ({type(error).__name__}).") from None
    return metadata


def current_snapshot(metadata: Mapping[str, Any]) -> dict[str, Any] | None:
    """The current snapshot of a table. None before there is one, and for a view.

    >>> current_snapshot({"current-snapshot-id": 2, "snapshots": [{"snapshot-id": 2}]})
    {'snapshot-id': 2}
    >>> current_snapshot({"current-snapshot-id": -1}), current_snapshot({})
    (None, None)
    """
    current = metadata.get("current-snapshot-id")
    if current is None or current == -1:
        return None
    snapshots: dict[int, dict[str, Any]] = {
        one["snapshot-id"]: one for one in metadata["snapshots"]
    }
    return snapshots[current]


def totals_of(file: str) -> dict[str, int] | None:
    """What Iceberg says of a table's current snapshot: rows, deleted rows, and bytes of its files.

    Args:
        file: the metadata file.

    Returns:
        Zeros if there is no snapshot yet; None if the snapshot does not say how many rows it has.

    Raises:
        UnusableError: the file is missing or damaged.
    """
    snapshot = current_snapshot(read_metadata(file))
    said = {"total-records": 0} if snapshot is None else snapshot["summary"]
    return {name: int(said.get(name, 0)) for name in _TOTALS} if "total-records" in said else None
