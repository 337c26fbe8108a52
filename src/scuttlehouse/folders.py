"""Folders that several processes use at the same time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """In the block, no other process has the lock of a folder: others wait. It ends with the process.

    Raises:
        OSError: the folder is not there, or this user may not read it.

    >>> with locked_folder(Path()):
    ...     print("nobody else")
    nobody else
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
