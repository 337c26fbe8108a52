"""The run of dbt in this process, from its beginning (``beginning``) to its end (``ending``).

A developer's build has a work schema, a lock and a log of its own, and publishes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scuttlehouse.catalog.home import home_folder
from scuttlehouse.catalog.lock import BuildLock
from scuttlehouse.catalog.names import CatalogError, Schemas, schemas_of
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.errors import HouseError

BUILDING = ("build", "retry")
LOGGED = (*BUILDING, "run", "seed")
WRITING = (*LOGGED, "test", "snapshot")

# Every developer's run holds it, with others. Whoever removes files holds it alone.
FILES_LOCK = "files"


class RunError(HouseError):
    """A run cannot begin or publish. The message says why and what to do."""


@dataclass
class Run:
    """The run of dbt in this process."""

    command: str
    run_id: str
    home: Path
    schemas: Schemas
    graph: Mapping[str, Any]
    selected: frozenset[str]
    variables: Mapping[str, Any]
    lock: BuildLock  # A developer's run holds FILES_LOCK, too.
    is_sampled: bool = False  # By --empty or --sample: its tables lack rows.
    # What has passed in the build that a retry continues.
    passed: Collection[str] = ()
    is_refresh: bool = False
    tests_touched_rows: bool = False
    # The build that checked each published table, if tests may skip its rows.
    checked_by: Mapping[str, str] = field(default_factory=dict)
    rules_changed: bool = False
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    # Rows of fct_quality_results; tests add to it.
    quality_results: list[dict[str, Any]] = field(default_factory=list)

    @property
    def is_public(self) -> bool:
        """Whether it builds the tables that people read. A developer's build does not."""
        return self.command in BUILDING and self.schemas.is_published


_run: Run | None = None


def lock_of(home: Path, schemas: Schemas) -> BuildLock:
    """What keeps other builds of the same work schema away."""
    if schemas.is_published:
        return BuildLock(home)
    BuildLock(home, FILES_LOCK).hold(exclusive=False)
    return BuildLock(home, schemas.work)


def release(home: Path, lock: BuildLock) -> None:
    """Let others build: release the lock of a run."""
    lock.release()
    BuildLock(home, FILES_LOCK).release()


def drop_developer_schema(schema: str) -> None:
    """Drop the tables of a developer. The next published build removes the files that only they needed.

    Raises:
        CatalogError: the schema is no developer's, or is in use.
    """
    home, schemas = home_folder(), schemas_of(schema)
    if schemas.is_published:
        raise CatalogError(f"{schema} is not the schema of a developer: nothing was dropped.")
    lock = lock_of(home, schemas)
    try:
        lock.hold(exclusive=True)
        with open_catalog(home) as catalog:
            catalog.drop_work(schemas)
    finally:
        release(home, lock)


def start(run: Run) -> None:
    """From here on it is the run of dbt in this process."""
    global _run
    _run = run


def current() -> Run | None:
    """The run of dbt in this process, if it is one that may write."""
    return _run


def stop() -> Run | None:
    """From here on this process has no run of dbt. It returns the one that it had."""
    global _run
    run, _run = _run, None
    return run


def table_node(run: Run, table: str) -> Mapping[str, Any]:
    """The model or the seed of a table, as dbt's manifest has it."""
    found: Mapping[str, Any] = next(
        node
        for node in run.graph["nodes"].values()
        if node["resource_type"] in ("model", "seed") and node["alias"] == table
    )
    return found


def tested_keys(table: str) -> tuple[str, str] | None:
    """The key of a model, and the model that lists its touched keys. Tests of this run read only those.

    The rows that a refresh keeps passed the same tests before. None if the tests read all rows.
    """
    run = current()
    if run is None or not run.tests_touched_rows:
        return None
    config = table_node(run, table)["config"]
    touched = config.get("replaced_keys_from")
    return (config["unique_key"], touched) if touched else None
