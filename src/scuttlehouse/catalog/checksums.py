"""The checksums of local files. Hadoop keeps them beside each file, in ``.name.crc``.

Spark writes and verifies them. What is read or written without Spark is verified and written here.
Files in S3 have none: S3 keeps its own.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from zlib import crc32

from scuttlehouse.catalog import storage
from scuttlehouse.catalog.names import CatalogError, UnusableError
from scuttlehouse.s3 import is_in_s3

# What keeps a process from a file that may be as good as ever.
_NO_DAMAGE = errno.EACCES, errno.EPERM, errno.EMFILE, errno.ENFILE, errno.ENOMEM

_MAGIC = b"crc\0"
_CHUNK = 1 << 16  # spark.hadoop.file.bytes-per-checksum of profiles.yml


def sidecar(path: Path) -> Path:
    """The path of the file that holds the checksums of a file.

    >>> sidecar(Path("data/a.parquet"))
    PosixPath('data/.a.parquet.crc')
    """
    return path.with_name(f".{path.name}.crc")


def read(location: str | Path) -> bytes:
    """The content of a file of this disk or of S3, compared with its checksums if there are any.

    Linear in the size of the file.

    Raises:
        UnusableError: the file is missing, cannot be read, or does not match its checksums.
        CatalogError: S3 cannot be asked, or this user may not read the file. Then it may be whole.
    """
    if is_in_s3(str(location)):
        return storage.read(str(location))
    path = Path(location)
    try:
        content = path.read_bytes()
        sums = sidecar(path).read_bytes() if sidecar(path).exists() else None
    except FileNotFoundError:
        raise UnusableError(f"The file {path} is missing.") from None
    except OSError as error:
        if error.errno in _NO_DAMAGE:
            raise CatalogError(
                f"The file {path} cannot be read: {error.strerror}. Correct that, and try again."
            ) from None
        raise UnusableError(f"The file {path} cannot be read: {error.strerror}.") from None
    if sums is not None:
        chunk = int.from_bytes(sums[4:8], "big")
        if sums[:4] != _MAGIC or not chunk or _checksums(content, chunk) != sums[8:]:
            raise UnusableError(f"The file {path} is damaged: it does not match its checksums.")
    return content


def verify(location: str | Path) -> None:
    """Compare a file with its checksums, as :func:`read` does. A file in S3 needs only to be there."""
    if is_in_s3(str(location)):
        storage.require(str(location))
    else:
        read(location)


def verify_table(table: str, metadata_file: str, advice: str) -> None:
    """Compare the metadata file of a table with its checksums.

    Raises:
        UnusableError: it is missing or damaged. The message names the table and the file, and what to do.
        CatalogError: see :func:`read`.
    """
    try:
        verify(metadata_file)
    except UnusableError as error:
        raise UnusableError(f"The table {table} cannot be used. {error} {advice}") from None


def is_whole(location: str | Path) -> bool:
    """Whether a file is there and fits its checksums.

    Raises:
        CatalogError: S3 cannot be asked, or this user may not read the file.
    """
    try:
        verify(location)
    except UnusableError:
        return False
    return True


def write(path: Path) -> None:
    """Write the checksums of a file. Only its owner can read them. Linear in the size of the file.

    Raises:
        CatalogError: the checksums cannot be written.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "file")
    >>> _ = file.write_bytes(b"123456789")
    >>> write(file)
    >>> sidecar(file).read_bytes().hex(" ", 4)
    '63726300 00010000 cbf43926'
    >>> verify(file)
    """
    target = sidecar(path)
    try:
        sums = _MAGIC + _CHUNK.to_bytes(4, "big") + _checksums(path.read_bytes(), _CHUNK)
        target.unlink(missing_ok=True)
        with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(sums)
    except OSError as error:
        raise CatalogError(f"{target} cannot be written: {error.strerror}.") from None


def _checksums(content: bytes, chunk: int) -> bytes:
    starts = range(0, len(content), chunk)
    return b"".join(crc32(content[at : at + chunk]).to_bytes(4, "big") for at in starts)
