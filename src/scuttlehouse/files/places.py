"""Where logs are: in a folder of a disk, or in S3. Whatever reads a log opens it here.

The place of a log is its path, or ``s3://bucket/key``.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, cast

from scuttlehouse.files.parts import LandingError, Log
from scuttlehouse.files.streams import Raw
from scuttlehouse.s3 import HOW_TO_REACH_S3, S3, s3_files

# Each read of S3 is a request. It brings so much.
_PART_BYTES = 1 << 20


class NotGivenError(LandingError):
    """S3 refuses something, or does not answer."""


def open_log(place: str) -> BinaryIO:
    """The bytes of a log, as a stream that can seek.

    Raises:
        OSError: it is not there, a disk refuses it, or it is no file any more. A pipe that somebody has put
            in its place would let a build wait for ever.
        NotGivenError: S3 refuses it, now or when it is read. This is no ``OSError``: a log that S3 does not
            give has not been cut short. The message does not name it, because names may be keys.
    """
    if not place.startswith(S3):
        descriptor = os.open(place, os.O_RDONLY | os.O_NONBLOCK)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return os.fdopen(descriptor, "rb")
        os.close(descriptor)
        raise OSError(errno.EINVAL, "It is no file any more")
    return cast("BinaryIO", io.BufferedReader(_InS3(place), _PART_BYTES))


def list_s3(folder: str) -> list[Log]:
    """The objects below a folder of S3, in any order, each with its name below the folder.

    Raises:
        FileNotFoundError: no object is below it, or there is no such bucket.
        NotGivenError: S3 refuses the list.
    """
    from pyarrow.fs import FileSelector

    key = folder.removeprefix(S3)
    with _refusals(f"The landing folder {folder} cannot be listed"):
        try:
            found = s3_files().get_file_info(FileSelector(key, recursive=True))
        except OSError as error:
            if _code(error) == "NO_SUCH_BUCKET":
                raise FileNotFoundError from None
            raise
    return [
        Log(S3 + one.path, one.path[len(key) + 1 :], one.size, one.mtime_ns // 1_000_000)
        for one in found
        if one.is_file
    ]


@contextmanager
def _refusals(what: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        raise NotGivenError(f"{what} ({_code(error)}): {HOW_TO_REACH_S3}") from None


def _code(error: OSError) -> str:
    """What S3 calls an error. The whole text may name an object."""
    said = re.search(r"AWS Error ([A-Z_]+)", str(error))
    return said[1] if said else type(error).__name__


class _InS3(Raw):
    """An object of S3, read in parts."""

    def __init__(self, place: str) -> None:
        bucket, _, _ = place.removeprefix(S3).partition("/")
        self._what = f"A log in {S3}{bucket} cannot be read"
        with _refusals(self._what):
            self._file = s3_files().open_input_file(place.removeprefix(S3))

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def _up_to(self, most: int) -> bytes:
        with _refusals(self._what):
            data: bytes = self._file.read(most)
        return data

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()
