"""The steps of a run, as rows of ``fct_builds``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from scuttlehouse.builds.changes import Changes
from scuttlehouse.builds.publishable import Nodes, read_by
from scuttlehouse.catalog.metadata_files import read_metadata
from scuttlehouse.catalog.names import CatalogError

SCHEMA = pa.schema(
    [
        ("build_id", pa.string()),
        ("step", pa.string()),
        ("step_kind", pa.string()),
        ("status", pa.string()),
        ("message", pa.string()),
        ("seconds", pa.float64()),
        ("rows_in", pa.int64()),
        ("rows_out", pa.int64()),
        ("rows_added", pa.int64()),
        ("rows_changed", pa.int64()),
        ("rows_deleted", pa.int64()),
        ("settling_steps", pa.int64()),
        ("started_at", pa.timestamp("us", tz="UTC")),
    ]
)
LONGEST_MESSAGE = 500

# What dbt writes above an error, and what its adapter writes before one of Python.
_HEADING = re.compile(r"[A-Z]\w+ Error in \w+ \S+ \(.*\)")
_UNFORESEEN = re.compile(r"(?:The model|Writing what the model returned) raised [^\s:]+")

# Tables about builds. Every build changes them.
OF_BUILDS = ("dim_logs", "fct_timeline_updates", "fct_quality_results")


def run_step(
    build_id: str,
    status: str,
    *,
    kind: str = "build",
    started_at: datetime | None = None,
    changes: Changes | None = None,
) -> dict[str, Any]:
    """The row of a whole run."""
    return {
        "build_id": build_id,
        "step": "build",
        "step_kind": kind,
        "status": status,
        "seconds": (datetime.now(UTC) - started_at).total_seconds() if started_at else None,
        "started_at": started_at,
        **_changed_rows(total_changes(changes or {})),
    }


def node_steps(
    build_id: str,
    nodes: Nodes,
    results: Sequence[Any],
    changes: Changes,
    tables: Mapping[str, str],
    settling_steps: int,
    started_at: datetime,
) -> list[dict[str, Any]]:
    """A row for each model, seed and test that a run ran.

    Args:
        nodes: all nodes of the project.
        results: dbt's results.
        changes: the result of ``count_changes``.
        tables: the metadata file of every table that the run may have made, by name.
        settling_steps: the var ``settle_steps``.
        started_at: when the run began. Rows that a table got since then count as written by the run.
    """
    ran = [
        result for result in results if str(result.node.resource_type) in ("model", "seed", "test")
    ]
    written = {
        result.node.unique_id: rows_written(tables[result.node.alias], started_at)
        for result in ran
        if str(result.node.resource_type) != "test" and result.node.alias in tables
    }
    steps = [
        _node_step(
            build_id,
            result,
            changes,
            written,
            read_by(nodes, [result.node.unique_id]),
            settling_steps,
        )
        for result in ran
    ]
    # A retry also publishes tables that the failed build made.
    made = {result.node.alias for result in ran}
    return steps + [
        {
            "build_id": build_id,
            "step": table,
            "step_kind": "model",
            "status": "success",
            **_changed_rows(counts),
        }
        for table, counts in changes.items()
        if table not in made
    ]


def _node_step(
    build_id: str,
    result: Any,
    changes: Changes,
    written: Mapping[str, int | None],
    parents: Iterable[str],
    settling_steps: int,
) -> dict[str, Any]:
    node = result.node
    read = [count for parent in parents if (count := written.get(parent)) is not None]
    passed = str(result.status) in ("success", "pass")
    is_model = str(node.resource_type) == "model"
    return {
        "build_id": build_id,
        "step": node.name,
        "step_kind": str(node.resource_type),
        "status": str(result.status),
        "message": None if passed else told_error(result.message),
        "seconds": result.execution_time,
        "rows_in": sum(read) if read else None,
        "rows_out": written.get(node.unique_id),
        "settling_steps": settling_steps if node.name == "int_tangles__settled" else None,
        "started_at": _aware(result.timing[-1].started_at) if result.timing else None,
        **_changed_rows(changes.get(node.alias) if is_model else None),
    }


def _aware(moment: datetime | None) -> datetime | None:
    return moment and (moment if moment.tzinfo else moment.replace(tzinfo=UTC))


def told_error(message: str | None) -> str | None:
    """The line of dbt's message that tells the error, shortened if it is long. None for an empty message.

    dbt writes a heading with the name of the step above it. Of an error of Python that is no sentence for
    people the class alone is told: its text may hold anything, and others may read the log of runs.

    >>> told_error("Database Error in model a (models/a.sql)\\n  [X] No table `b`.\\n  SQL: from b")
    '[X] No table `b`.'
    >>> told_error("Got 2 results."), told_error("")
    ('Got 2 results.', None)
    """
    lines = [line.strip() for line in (message or "").strip().splitlines()]
    if len(lines) > 1 and _HEADING.fullmatch(lines[0]):
        lines = lines[1:]
    if not lines:
        return None
    unforeseen = _UNFORESEEN.match(lines[0])
    return unforeseen[0] if unforeseen else lines[0][:LONGEST_MESSAGE]


def _changed_rows(changed: tuple[int, int, int] | None) -> dict[str, int | None]:
    added, updated, deleted = changed or (None, None, None)
    return {"rows_added": added, "rows_changed": updated, "rows_deleted": deleted}


def total_changes(changes: Changes) -> tuple[int, int, int] | None:
    """The rows added, changed and deleted in all tables about the logs. None if no table was compared."""
    counts = [counts for table, counts in changes.items() if table not in OF_BUILDS]
    if not counts:
        return None
    added, changed, deleted = (sum(column) for column in zip(*counts, strict=True))
    return added, changed, deleted


def rows_written(metadata_file: str, since: datetime) -> int | None:
    """The rows that commits added to a table since a moment. None without a commit, or if nobody can tell."""
    try:
        metadata = read_metadata(metadata_file)
    except CatalogError:
        return None
    moment = since.timestamp() * 1000
    commits = [one for one in metadata.get("snapshots", ()) if one["timestamp-ms"] >= moment]
    added = (int(one["summary"].get("added-records", 0)) for one in commits)
    return sum(added) if commits else None


def steps_table(steps: Iterable[Mapping[str, Any]]) -> pa.Table:
    """Steps as a table. A value that a step does not give is null."""
    return pa.Table.from_pylist([dict(step) for step in steps], SCHEMA)
