"""Find all files of a table, starting with its metadata file."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Container, Iterator, Mapping
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from pyiceberg.io import FileIO, InputFile, InputStream, OutputFile
from pyiceberg.manifest import read_manifest_list
from typing_extensions import override

from scuttlehouse.catalog import checksums
from scuttlehouse.catalog.names import CatalogError, UnusableError

Parsed = TypeVar("Parsed")


def files_of(file: str, known: Container[str] = ()) -> Iterator[str]:
    """All files of a table or a view: the files of its current snapshot, and the files that list them.

    Files that name others are compared with their checksums.

    Args:
        file: the metadata file, which comes first in the result.
        known: files to leave out, for instance those of an earlier state of the table. The files that a
            known manifest lists are left out, too.

    Raises:
        UnusableError: a file that lists others is missing or damaged.
    """
    yield file
    named, manifest_list = parsed(file, lambda: _named_by(read_metadata(file)))
    yield from named
    if manifest_list is None:
        return
    yield manifest_list
    for manifest in parsed(manifest_list, lambda: [*read_manifest_list(_File(manifest_list))]):
        path = manifest.manifest_path
        if path not in known:
            yield path
            entries = parsed(path, partial(manifest.fetch_manifest_entry, _Files()))
            yield from (entry.data_file.file_path for entry in entries)


def parsed(file: str, parse: Callable[[], Parsed]) -> Parsed:
    """Parse a file.

    Raises:
        UnusableError: the file cannot be parsed, whatever error the parser raises.
    """
    try:
        return parse()
    except CatalogError:
        raise
    except Exception as error:  # a parser may raise any error for a damaged file without checksums
        raise UnusableError(f"The file {file} is damaged ({type(error).__name__}).") from None


def read_metadata(file: str) -> dict[str, Any]:
    """The content of a metadata file; what is damaged and has no checksums raises any error."""
    content = checksums.read(file)
    is_compressed = Path(file).name.endswith(".gz.metadata.json")
    metadata: dict[str, Any] = json.loads(gzip.decompress(content) if is_compressed else content)
    return metadata


_TOTALS = "total-records", "total-position-deletes", "total-files-size"


def totals_of(file: str) -> dict[str, int] | None:
    """What Iceberg says of a table's current snapshot: rows, deleted rows, and bytes of its files.

    Args:
        file: the metadata file.

    Returns:
        Zeros if there is no snapshot yet; None if the snapshot does not say how many rows it has.

    Raises:
        UnusableError: the file is missing or damaged.
    """
    metadata = parsed(file, lambda: read_metadata(file))
    current = metadata.get("current-snapshot-id")
    snapshots = {one["snapshot-id"]: one["summary"] for one in metadata.get("snapshots", ())}
    said = snapshots.get(current, {"total-records": 0})
    return {name: int(said.get(name, 0)) for name in _TOTALS} if "total-records" in said else None


def _named_by(metadata: Mapping[str, Any]) -> tuple[list[str], str | None]:
    """The statistics files, and the manifest list of the current snapshot. The list is None without one."""
    kinds = "statistics", "partition-statistics"
    statistics = [one["statistics-path"] for kind in kinds for one in metadata.get(kind, ())]
    current = metadata.get("current-snapshot-id", -1)
    if current in (None, -1):
        return statistics, None
    lists = {one["snapshot-id"]: one["manifest-list"] for one in metadata["snapshots"]}
    return statistics, lists[current]


class _File(InputFile):
    """A file for pyiceberg. Its content is compared with its checksums."""

    @override
    def open(self, seekable: bool = True) -> InputStream:
        return BytesIO(checksums.read(self.location))

    def exists(self) -> bool:
        return checksums.is_whole(self.location)

    def __len__(self) -> int:
        return len(checksums.read(self.location))


class _Files(FileIO):
    def new_input(self, location: str) -> InputFile:
        return _File(location)

    def new_output(self, location: str) -> NoReturn:
        raise NotImplementedError(location)

    def delete(self, location: str | InputFile | OutputFile) -> NoReturn:
        raise NotImplementedError(location)
