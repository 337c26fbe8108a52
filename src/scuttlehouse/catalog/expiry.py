"""What no kept build needs any more: old snapshots of tables, and files that nothing reaches."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Container, Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any, NoReturn

from pyiceberg.io import FileIO, InputFile, InputStream, OutputFile
from pyiceberg.manifest import read_manifest_list
from typing_extensions import override

from scuttlehouse.catalog import checksums
from scuttlehouse.catalog.names import LOG, WORK, CatalogError
from scuttlehouse.catalog.publishing import Catalog
from scuttlehouse.catalog.pyiceberg_tables import changing
from scuttlehouse.catalog.rows import all_tables


def trim_history(catalog: Catalog, home: Path, most_snapshots: int = 20) -> None:
    """Keep only the current snapshot of tables that builds write, where they have more than so many.

    A table's metadata file lists all its snapshots, so it would grow with every build. No file is
    removed. Call it before publishing: a table that is trimmed gets a new metadata file.

    Raises:
        CatalogError: a metadata file is missing or damaged, or a table cannot be changed.
    """
    for namespace in WORK, LOG:
        for name, file in catalog.tables(namespace).items():
            if len(_metadata(file).get("snapshots", ())) <= most_snapshots:
                continue
            with changing(catalog, home, namespace, name) as table:
                current = table.metadata.current_snapshot_id
                ids = [snapshot.snapshot_id for snapshot in table.snapshots()]
                old = [snapshot_id for snapshot_id in ids if snapshot_id != current]
                table.maintenance.expire_snapshots().by_ids(old).commit()


def remove_unreachable(catalog: Catalog, home: Path) -> int:
    """Remove the files of the warehouse that no table of the catalog and no kept build reaches.

    A table reaches its metadata file and the files of its current snapshot. This process holds the
    build lock exclusively, because a file that is being written is not reached yet. It can be
    killed at any moment, and run again. About 3 ms for each metadata file that is reached.

    Returns:
        How many files were removed.

    Raises:
        CatalogError: a file by which others are reached is missing or damaged; nothing is removed then.
    """
    warehouse = home / "warehouse"
    found = [Path(folder, name) for folder, _, files in os.walk(warehouse) for name in files]
    reached = _reached(catalog, warehouse)
    reached |= {str(checksums.sidecar(Path(file))) for file in reached}
    removed = 0
    for path in found:
        if str(path) not in reached:
            path.unlink(missing_ok=True)
            removed += 1
    for folder, folders, _ in os.walk(warehouse, topdown=False):
        for name in folders:
            with suppress(OSError):  # It is not empty.
                Path(folder, name).rmdir()
    return removed


def _reached(catalog: Catalog, warehouse: Path) -> set[str]:
    """All files that are needed, without their checksums."""
    tables = all_tables(catalog.database)
    for build in catalog.kept():
        for named in build.tables, build.views, build.public:
            tables |= {
                file: f"{name} of the build {build.build_id}" for name, file in named.items()
            }
    reached: set[str] = set()
    for file, table in tables.items():
        try:
            reached.update(_files_of(file, reached))
        except CatalogError as error:
            raise CatalogError(
                f"No unused file is removed. The table {table} is damaged: {error}"
            ) from None
    if strange := [file for file in reached if not Path(file).is_relative_to(warehouse)]:
        raise CatalogError(
            f"No unused file is removed, because the catalog names {min(strange)}, which is not in "
            f"{warehouse}."
        )
    return reached


def _files_of(file: str, known: Container[str]) -> Iterator[str]:
    """The files that a metadata file reaches; none of manifests that are known already."""
    yield file
    metadata = _metadata(file)
    try:
        for kind in "statistics", "partition-statistics":
            yield from (one["statistics-path"] for one in metadata.get(kind, ()))
        snapshots = {
            one["snapshot-id"]: one["manifest-list"] for one in metadata.get("snapshots", ())
        }
        current = metadata.get("current-snapshot-id", -1)
        if current in (None, -1):
            return
        yield snapshots[current]
        for manifest in read_manifest_list(_File(snapshots[current])):
            if manifest.manifest_path not in known:
                yield manifest.manifest_path
                entries = manifest.fetch_manifest_entry(_Files(), discard_deleted=True)
                yield from (entry.data_file.file_path for entry in entries)
    except CatalogError:
        raise
    except (
        Exception
    ) as error:  # whatever pyiceberg says of files without checksums that are damaged
        raise CatalogError(
            f"What {file} names cannot be read ({type(error).__name__}: {error})."
        ) from None


def _metadata(file: str) -> dict[str, Any]:
    content = checksums.read(Path(file))
    try:
        plain = gzip.decompress(content) if ".gz." in Path(file).name else content
        metadata: dict[str, Any] = json.loads(plain)
    except (ValueError, OSError, EOFError, zlib.error):
        raise CatalogError(f"The file {file} is damaged: it is no metadata of a table.") from None
    return metadata


class _File(InputFile):
    """A file for pyiceberg, whose content is compared with its checksums."""

    @override
    def open(self, seekable: bool = True) -> InputStream:
        return BytesIO(checksums.read(Path(self.location)))

    def exists(self) -> bool:
        return Path(self.location).exists()

    def __len__(self) -> int:
        return Path(self.location).stat().st_size


class _Files(FileIO):
    def new_input(self, location: str) -> InputFile:
        return _File(location)

    def new_output(self, location: str) -> NoReturn:
        raise NotImplementedError(location)

    def delete(self, location: str | InputFile | OutputFile) -> NoReturn:
        raise NotImplementedError(location)
