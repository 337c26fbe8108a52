"""Find all files of a table, starting with its metadata file."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from functools import partial
from io import BytesIO
from typing import Any, NoReturn, TypeVar

from pyiceberg.io import FileIO, InputFile, InputStream, OutputFile
from pyiceberg.manifest import read_manifest_list

from scuttlehouse.catalog import checksums
from scuttlehouse.catalog.metadata_files import current_snapshot, read_metadata
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
    named, manifest_list = _parsed(file, lambda: _named_by(read_metadata(file)))
    yield from named
    if manifest_list is None:
        return
    yield manifest_list
    for manifest in _parsed(manifest_list, lambda: [*read_manifest_list(_File(manifest_list))]):
        path = manifest.manifest_path
        if path not in known:
            yield path
            entries = _parsed(path, partial(manifest.fetch_manifest_entry, _Files()))
            yield from (entry.data_file.file_path for entry in entries)


def _parsed(file: str, parse: Callable[[], Parsed]) -> Parsed:
    """What a parser gives for a file, or an UnusableError, whatever error the parser raises."""
    try:
        return parse()
    except CatalogError:
        raise
    except Exception as error:  # a parser may raise any error for a damaged file without checksums
        raise UnusableError(f"The file {file} is damaged ({type(error).__name__}).") from None


def _named_by(metadata: Mapping[str, Any]) -> tuple[list[str], str | None]:
    """The statistics files, and the manifest list of the current snapshot. The list is None without one."""
    kinds = "statistics", "partition-statistics"
    statistics = [one["statistics-path"] for kind in kinds for one in metadata.get(kind, ())]
    snapshot = current_snapshot(metadata)
    return statistics, snapshot["manifest-list"] if snapshot else None


class _File(InputFile):
    """A file for pyiceberg. Its content is compared with its checksums."""

    def open(self, seekable: bool = True) -> InputStream:  # noqa: ARG002
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
