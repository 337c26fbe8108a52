"""Metrics of a warehouse in Prometheus's text format, for the textfile collector of its node exporter.

All come from the published tables and the catalog. They are counts, times and sizes: no ids, no names of
people or logs.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from tempfile import mkstemp
from typing import Any, NamedTuple

from scuttlehouse.catalog.metadata_files import totals_of
from scuttlehouse.catalog.names import (
    ENDED_WELL,
    LOG,
    LOG_TABLE,
    PUBLISHED,
    CatalogError,
    NothingPublishedError,
)
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.printing import without_passwords
from scuttlehouse.reading.engine import WarehouseError
from scuttlehouse.reading.table_files import needed_by
from scuttlehouse.reading.warehouse import Warehouse, open_published, open_tables

_RUNS = """
    select
        status,
        count(*),
        epoch(max(started_at)),
        arg_max(seconds, started_at)
    from fct_builds
    where step = 'build'
    group by status
    order by status
"""
_LAST_RUN = f"""
    select status in {ENDED_WELL}
    from fct_builds
    where step = 'build' and started_at is not null
    order by started_at desc
    limit 1
"""
_LOGS = "select status, count(*) from dim_logs group by status order by status"
_REJECTED = "select coalesce(sum(line_count), 0) from fct_rejected_lines"
_CHANGED = """
    select step, rows_added, rows_changed, rows_deleted
    from fct_builds
    where build_id = '{}' and step_kind = 'model' and rows_added is not null
    order by step
"""

Labels = Mapping[str, str]


class Metric(NamedTuple):
    """A metric: its name with the unit, what Prometheus may do with it, what it is, its samples."""

    name: str
    kind: str  # gauge or counter
    meaning: str
    samples: list[tuple[Labels, float]]


def metrics(home: Path) -> list[Metric]:
    """The metrics of a warehouse as it is published now. If nothing is published yet, those of its runs.

    Raises:
        CatalogError: no build has begun, or the catalog cannot be read.
        WarehouseError: a table is damaged.
    """
    with open_catalog(home, read_only=True) as catalog:
        kept = catalog.kept()
        log = catalog.tables(LOG)
    if not kept:
        if LOG_TABLE not in log:
            raise NothingPublishedError(home)
        with open_tables(home, {PUBLISHED: log}) as unpublished:
            return [*_of_runs(unpublished)]
    with open_published(home) as warehouse:
        published = kept[0]
        changed = warehouse.rows(_CHANGED.format(published.build_id))
        # Builds of a part of the project never publish the one, and not always the other.
        logs = warehouse.rows(_LOGS) if "dim_logs" in published.public else []
        rejected = warehouse.rows(_REJECTED) if "fct_rejected_lines" in published.public else []
        of_runs = [*_of_runs(warehouse)]
    return [
        *of_runs,
        *_of_state(published.published_moment, len(kept)),
        _gauge("scuttlehouse_logs", "Logs by their status in dim_logs.", _by_status(logs)),
        _gauge(
            "scuttlehouse_rejected_lines",
            "Lines that fct_rejected_lines stands for: the sum of its line_count.",
            [({}, int(lines)) for (lines,) in rejected],
        ),
        *_of_tables(published.public),
        _gauge(
            "scuttlehouse_table_changed_rows",
            "Rows that the published build added, changed and deleted, by table.",
            [
                ({"table": table, "change": change}, count)
                for table, *counts in changed
                for change, count in zip(("added", "changed", "deleted"), counts, strict=True)
            ],
        ),
    ]


def _of_runs(warehouse: Warehouse) -> Iterator[Metric]:
    runs = warehouse.rows(_RUNS)
    last = warehouse.rows(_LAST_RUN)
    yield Metric(
        "scuttlehouse_runs_total",
        "counter",
        "Runs of dbt in the log of runs, by how they ended.",
        _by_status([(status, count) for status, count, *_ in runs]),
    )
    yield _gauge(
        "scuttlehouse_run_start_timestamp_seconds",
        "When the last run of each status began, in Unix time.",
        _by_status([(status, start) for status, _, start, _ in runs]),
    )
    yield _gauge(
        "scuttlehouse_run_duration_seconds",
        "How long the last run of each status took.",
        _by_status([(status, seconds) for status, *_, seconds in runs]),
    )
    yield _gauge(
        "scuttlehouse_last_run_success",
        "0 if the last run that ended failed, otherwise 1.",
        [({}, float(is_success)) for (is_success,) in last],
    )


def _of_state(published: datetime, kept: int) -> Iterator[Metric]:
    yield _gauge(
        "scuttlehouse_published_timestamp_seconds",
        "When the tables that people read were published, in Unix time.",
        [({}, published.timestamp())],
    )
    yield _gauge("scuttlehouse_kept_builds", "Builds that are kept.", [({}, kept)])


def _of_tables(tables: Mapping[str, str]) -> Iterator[Metric]:
    """The rows and bytes of tables, from what Iceberg says of their current snapshots."""
    summaries = {}
    for name, file in sorted(tables.items()):
        with needed_by(name):
            said = totals_of(file)
        if said:
            summaries[name] = said
    yield _gauge(
        "scuttlehouse_table_rows",
        "Rows of each published table.",
        [
            ({"table": name}, said["total-records"] - said["total-position-deletes"])
            for name, said in summaries.items()
        ],
    )
    yield _gauge(
        "scuttlehouse_table_bytes",
        "Bytes of the files of each published table.",
        [({"table": name}, said["total-files-size"]) for name, said in summaries.items()],
    )


def _gauge(name: str, meaning: str, samples: list[tuple[Labels, float]]) -> Metric:
    return Metric(name, "gauge", meaning, samples)


def _by_status(rows: Iterable[tuple[Any, Any]]) -> list[tuple[Labels, float]]:
    return [({"status": str(status)}, number) for status, number in rows if number is not None]


def text_of(found: Iterable[Metric]) -> str:
    r"""Metrics in Prometheus's text format.

    >>> print(text_of([Metric("a_seconds", "gauge", "A time.", [({"of": 'a "b"'}, 1.5)])]), end="")
    # HELP a_seconds A time.
    # TYPE a_seconds gauge
    a_seconds{of="a \"b\""} 1.5
    """
    lines = []
    for metric in found:
        lines.append(f"# HELP {metric.name} {_escaped(metric.meaning)}")
        lines.append(f"# TYPE {metric.name} {metric.kind}")
        for labels, number in metric.samples:
            pairs = ",".join(f'{name}="{_in_quotes(value)}"' for name, value in labels.items())
            lines.append(f"{metric.name}{f'{{{pairs}}}' if pairs else ''} {number!r}")
    return "".join(f"{line}\n" for line in lines)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _in_quotes(text: str) -> str:
    return _escaped(text).replace('"', '\\"')


def metrics_file() -> Path | None:
    """The file that ``SCUTTLEHOUSE_METRICS_FILE`` names. None if nobody asks for metrics."""
    named = os.environ.get("SCUTTLEHOUSE_METRICS_FILE", "").strip()
    return Path(named) if named else None


def write_metrics(home: Path, path: Path) -> None:
    """Replace a file of metrics in one step; everybody may read it, as Prometheus is another user.

    Raises:
        CatalogError: there are no metrics, or the file cannot be written.
        WarehouseError: a table is damaged.
    """
    require_name(path)
    text = text_of(metrics(home))
    part: Path | None = None
    try:
        # In a folder that users share, another user could have put a link in the place of a name that can
        # be guessed.
        descriptor, name = mkstemp(prefix=f".{path.name}.", dir=path.parent)
        part = Path(name)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            os.fchmod(descriptor, 0o644)
        part.replace(path)
    except OSError as error:
        raise unwritten(path, error.strerror) from None
    finally:
        if part is not None:
            with suppress(OSError):  # It is gone if it has replaced the file.
                part.unlink()


def require_name(path: Path) -> None:
    """Refuse a file with another name: the collector reads no other, and /dev/null would be replaced.

    Raises:
        CatalogError: its name does not end in `.prom`.
    """
    if not path.name.endswith(".prom"):
        raise unwritten(path, "its name ends in something else")


def unwritten(path: Path, reason: str | None) -> CatalogError:
    """What is wrong with a file of metrics that cannot be written."""
    return CatalogError(
        f"The metrics cannot be written to {without_passwords(str(path))} ({reason}): correct "
        "SCUTTLEHOUSE_METRICS_FILE, which names a file ending in .prom."
    )


def update_metrics_file(home: Path) -> None:
    """Bring the file that ``SCUTTLEHOUSE_METRICS_FILE`` names up to date; a build never fails by it."""
    named = metrics_file()
    if named is None:
        return
    try:
        write_metrics(home, named)
    except (CatalogError, WarehouseError) as error:
        print(f"The metrics are not up to date: {error}")
