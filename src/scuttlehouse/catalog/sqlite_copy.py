"""Read SQLite's catalog from a copy of it: who may only read the home writes nothing there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scuttlehouse.catalog.names import CatalogError
from scuttlehouse.databases import open_database


@contextmanager
def opening(path: Path) -> Iterator[None]:
    """Open the file of the catalog in a block.

    Raises:
        CatalogError: the system refuses that.
    """
    try:
        yield
    except OSError as error:
        raise CatalogError(
            f"The catalog {path} cannot be opened ({error.strerror}): set SCUTTLEHOUSE_HOME to the folder of "
            "the warehouse, or correct its permissions."
        ) from None


@contextmanager
def open_copy(path: Path) -> Iterator[Any]:
    """Open the catalog as it is now, in memory unless there is a write-ahead log, and give a cursor.

    Raises:
        CatalogError: the file cannot be read, or there is no room for a copy.
        DatabaseError: SQLite cannot read it, or refuses a statement of the block.
    """
    with opening(path):
        content, log = _stable_copy(path)
    if log:
        with (
            _written_copy(path, content, log) as copy,
            open_database(f"sqlite:{copy}") as cursor,
        ):
            yield cursor
        return
    with open_database("sqlite::memory:") as memory:
        in_memory: Any = memory
        if content:
            # Bytes 18 and 19 say that there is a write-ahead log. A database in memory cannot have one.
            in_memory.connection.deserialize(content[:18] + b"\1\1" + content[20:])
        yield in_memory


@contextmanager
def _written_copy(path: Path, content: bytes, log: bytes) -> Iterator[Path]:
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(TemporaryDirectory(prefix="scuttlehouse-"))
            copy = Path(folder, path.name)
            copy.write_bytes(content)
            _log_of(copy).write_bytes(log)
        except OSError as error:
            raise CatalogError(
                f"The catalog {path} has a write-ahead log, so it is read from a copy, for which there is no "
                f"room ({error.strerror}): make room on the disk, or set TMPDIR to a folder on another one."
            ) from None
        yield copy


def _stable_copy(path: Path) -> tuple[bytes, bytes]:
    """The database and its write-ahead log at one moment: they are read until two reads are the same."""
    copy = _contents(path)
    for _ in range(1000):
        again = _contents(path)
        if again == copy:
            return copy
        copy = again
    raise CatalogError(f"The catalog {path} changed while it was read: try again.")


def _contents(path: Path) -> tuple[bytes, bytes]:
    try:
        descriptor = _descriptor(path)
    except FileNotFoundError:
        return b"", b""
    content = os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    try:
        return content, _log_of(path).read_bytes()
    except FileNotFoundError:
        return content, b""


_descriptors: dict[tuple[int, int], int] = {}


def _descriptor(path: Path) -> int:
    """A descriptor of a database that stays open until the process ends.

    Closing one drops the locks that SQLite has on the same file in this process.
    """
    found = path.stat()
    file = found.st_dev, found.st_ino
    if file not in _descriptors:
        _descriptors[file] = os.open(path, os.O_RDONLY)
    return _descriptors[file]


def _log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")
