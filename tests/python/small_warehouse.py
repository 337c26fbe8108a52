"""A published warehouse with a few rows, made by pyiceberg without Spark and dbt."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestWriterV2,
    write_manifest_list,
)
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Operation, Snapshot, Summary
from pyiceberg.table.update import AddSnapshotUpdate, SetSnapshotRefUpdate
from pyiceberg.typedef import Record

from scuttlehouse.catalog import checksums
from scuttlehouse.catalog.names import CATALOG, LOG, MAIN, WORK
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.catalog.records import Build

Tables = Mapping[str, pa.Table]


class SmallWarehouse:
    """Tables in the catalog of a home. Every file has the checksum file that Spark would write."""

    def __init__(self, home: Path) -> None:
        self.home = home
        home.mkdir(parents=True, exist_ok=True)
        with open_catalog(home) as catalog:
            catalog.begin("none", "", "", refresh=False, rebuilt=(), schemas=MAIN)
            catalog.record_passed("none", (), MAIN)
        self._catalog = SqlCatalog(
            CATALOG,
            uri=f"sqlite:///{home}/catalog.db",
            warehouse=str(home / "warehouse"),
            init_catalog_tables="false",
        )
        self._number = 0

    def begin(self) -> None:
        """Begin a build that continues from the published one."""
        self._number += 1
        with open_catalog(self.home) as catalog:
            catalog.begin(
                f"build-{self._number}", "rules", "project", refresh=True, rebuilt=(), schemas=MAIN
            )

    def end(self, public: Collection[str] | None = None) -> Build:
        """Publish the build that has begun: these tables, or all. Three builds are kept."""
        with open_catalog(self.home) as catalog:
            return catalog.publish(
                f"build-{self._number}",
                catalog.tables(WORK) if public is None else public,
                is_whole=True,
                landing="/landing",
                kept_builds=3,
            )

    def publish(self, changed: Tables) -> Build:
        """Publish a build with these new tables. Other tables stay the same."""
        self.begin()
        for name, rows in changed.items():
            self.write(name, rows)
        return self.end()

    def log(self, name: str, rows: pa.Table) -> None:
        """Add rows to a table of the log, and publish it."""
        if self._catalog.table_exists(f"{LOG}.{name}"):
            table = self._catalog.load_table(f"{LOG}.{name}")
            table.append(rows)
        else:
            table = self._create(LOG, name, rows.schema, [rows])
        _write_checksums(table)
        with open_catalog(self.home) as catalog:
            catalog.move_log()

    def write(self, name: str, rows: pa.Table, *, files: int = 1) -> str:
        """Create or replace a table of the work namespace, and return its metadata file."""
        if self._catalog.table_exists(f"{WORK}.{name}"):
            self._catalog.drop_table(f"{WORK}.{name}")
        size = -(-len(rows) // files) or 1
        parts = [rows.slice(start, size) for start in range(0, len(rows), size)]
        table = self._create(WORK, name, rows.schema, parts)
        _write_checksums(table)
        return str(table.metadata_location)

    def append(self, name: str, rows: pa.Table) -> str:
        """Add rows to a table, and return its metadata file."""
        self._catalog.load_table(f"{WORK}.{name}").append(rows)
        return self._done(name)

    def delete(self, name: str, places: Mapping[str, Collection[int]]) -> str:
        """Delete rows merge-on-read, as Spark does: by data file and position."""
        table = self._catalog.load_table(f"{WORK}.{name}")
        pairs = sorted((path, place) for path, all_of in places.items() for place in all_of)
        file = write_deletes(table, pairs)
        _commit_deletes(table, file)
        return self._done(name)

    def describe(self, name: str, comment: str, **columns: str) -> str:
        """Change the descriptions of a table and of columns, and return its metadata file."""
        table = self._catalog.load_table(f"{WORK}.{name}")
        with table.update_schema() as schema:
            for column, doc in columns.items():
                schema.update_column(column, doc=doc)
        with table.transaction() as changed:
            changed.set_properties(comment=comment)
        return self._done(name)

    def data_files(self, name: str) -> dict[str, int]:
        """The data files of a table, with the number of rows in each, including deleted ones."""
        table = self._catalog.load_table(f"{WORK}.{name}")
        files = table.inspect.data_files().to_pylist() if table.current_snapshot() else []
        return {file["file_path"]: file["record_count"] for file in files}

    def _create(
        self, namespace: str, name: str, schema: pa.Schema, parts: Iterable[pa.Table]
    ) -> Table:
        location = self.home / "warehouse" / namespace / f"{name}-{uuid4().hex[:8]}"
        return create_table(self._catalog, (namespace, name), schema, location, parts)

    def _done(self, name: str) -> str:
        table = self._catalog.load_table(f"{WORK}.{name}")
        _write_checksums(table)
        return str(table.metadata_location)


def create_table(
    catalog: SqlCatalog,
    identifier: tuple[str, str],
    schema: pa.Schema,
    location: Path,
    parts: Iterable[pa.Table],
) -> Table:
    """Create a table with these rows, a file for each part, in one commit as Spark does."""
    created = catalog.create_table_transaction(identifier, schema, location=str(location))
    for rows in parts:
        created.append(rows)
    return created.commit_transaction()


def _write_checksums(table: Table) -> None:
    for path in Path(table.location()).glob("*/*.*"):
        if path.suffix != ".crc" and not checksums.sidecar(path).exists():
            checksums.write(path)


_FILE_PATH, _POSITION = 2147483546, 2147483545


def write_deletes(table: Table, pairs: list[tuple[str, int]]) -> DataFile:
    """Write the places of deleted rows in version 2 of Iceberg's format."""
    path = Path(table.location(), "data", f"{uuid4()}-deletes.parquet")
    fields = [
        pa.field("file_path", pa.string(), False, {"PARQUET:field_id": str(_FILE_PATH)}),
        pa.field("pos", pa.int64(), False, {"PARQUET:field_id": str(_POSITION)}),
    ]
    paths, positions = ([pair[n] for pair in pairs] for n in (0, 1))
    pq.write_table(pa.table([paths, positions], schema=pa.schema(fields)), path)
    return DataFile.from_args(
        content=DataFileContent.POSITION_DELETES,
        file_path=str(path),
        file_format=FileFormat.PARQUET,
        partition=Record(),
        record_count=len(pairs),
        file_size_in_bytes=path.stat().st_size,
        sort_order_id=None,
        spec_id=table.spec().spec_id,
        equality_ids=None,
        key_metadata=None,
    )


class _DeletesWriter(ManifestWriterV2):
    def content(self) -> ManifestContent:
        return ManifestContent.DELETES

    @property
    def _meta(self) -> dict[str, str]:
        return {**super()._meta, "content": "deletes"}


def _totals(parent: Snapshot, file: DataFile) -> dict[str, str]:
    """The totals of a table after a file of deletes, as every writer of Iceberg keeps them."""
    assert parent.summary
    totals = {key: int(parent.summary[key] or 0) for key in _TOTALS}
    totals["total-position-deletes"] += file.record_count
    totals["total-files-size"] += file.file_size_in_bytes
    return {key: str(total) for key, total in totals.items()}


_TOTALS = "total-records", "total-position-deletes", "total-files-size"


def _commit_deletes(table: Table, file: DataFile) -> None:
    parent = table.current_snapshot()
    assert parent
    snapshot_id, sequence_number = table.metadata.new_snapshot_id(), parent.sequence_number + 1
    metadata = Path(table.location(), "metadata")
    output = table.io.new_output(str(metadata / f"{uuid4()}-m0.avro"))
    with _DeletesWriter(table.spec(), table.schema(), output, snapshot_id, "null") as writer:
        writer.add(ManifestEntry.from_args(status=ManifestEntryStatus.ADDED, data_file=file))
    manifests = [writer.to_manifest_file(), *parent.manifests(table.io)]
    listed = str(metadata / f"snap-{snapshot_id}.avro")
    with write_manifest_list(
        2, table.io.new_output(listed), snapshot_id, parent.snapshot_id, sequence_number, "null"
    ) as manifest_list:
        manifest_list.add_manifests(manifests)
    snapshot: Any = Snapshot(
        snapshot_id=snapshot_id,
        parent_snapshot_id=parent.snapshot_id,
        sequence_number=sequence_number,
        manifest_list=listed,
        summary=Summary(Operation.DELETE, **_totals(parent, file)),
        schema_id=table.schema().schema_id,
    )
    updates = (
        AddSnapshotUpdate(snapshot=snapshot),
        SetSnapshotRefUpdate(ref_name="main", type="branch", snapshot_id=snapshot_id),
    )
    table.catalog.commit_table(table, (), updates)
