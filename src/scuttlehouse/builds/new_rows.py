"""Which rows a refresh has inserted into a table, and whether a table has any."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scuttlehouse.builds import runs
from scuttlehouse.catalog.metadata_files import read_metadata, totals_of
from scuttlehouse.catalog.opening import open_catalog


def snapshot_before(table: str, touched: str) -> int | None:
    """The snapshot of a table after which this refresh has inserted the rows of the touched keys.

    These rows, and no others, are in the files that have been appended since. Whoever reads only these files
    needs no scan of the whole table.

    Args:
        table: the model that a step of this refresh has written.
        touched: the model with the touched keys.

    Returns:
        None if the refresh replaces the rows of other keys in this table or none, or if it has written the
        table anew. Then the keys themselves say which rows are touched.

    Raises:
        CatalogError: the catalog or a metadata file of the table is damaged.
    """
    run = runs.current()
    if run is None or not run.is_refresh:
        return None
    if runs.table_node(run, table)["config"].get("replaced_keys_from") != touched:
        return None
    namespaces = run.schemas.base, run.schemas.work
    with open_catalog(run.home) as catalog:
        base, work = (catalog.tables(namespace).get(table) for namespace in namespaces)
    if base is None or work is None or base == work:
        return None
    return _inserted_after(read_metadata(base), read_metadata(work))


def is_empty(table: str) -> bool:
    """Whether a table of this run has no row. If the catalog does not say so, it may have rows.

    Raises:
        CatalogError: the catalog or a metadata file of the table is damaged.
    """
    run = runs.current()
    if run is None:
        return False
    with open_catalog(run.home) as catalog:
        metadata_file = catalog.tables(run.schemas.work).get(table)
    totals = totals_of(metadata_file) if metadata_file else None
    return totals is not None and totals["total-records"] == 0


def _inserted_after(before: Mapping[str, Any], now: Mapping[str, Any]) -> int | None:
    """The current snapshot of the metadata before, if the current one now has come from it.

    >>> chain = [{"snapshot-id": 1}, {"snapshot-id": 2, "parent-snapshot-id": 1}]
    >>> now = {"current-snapshot-id": 2, "snapshots": chain}
    >>> _inserted_after({"current-snapshot-id": 1}, now)
    1
    >>> _inserted_after({"current-snapshot-id": 3}, now)
    >>> _inserted_after({"current-snapshot-id": 2}, now)
    """
    first = before.get("current-snapshot-id")
    parents = {one["snapshot-id"]: one.get("parent-snapshot-id") for one in now["snapshots"]}
    snapshot = parents.get(now["current-snapshot-id"])
    while snapshot is not None and snapshot != first:
        snapshot = parents.get(snapshot)
    return snapshot
