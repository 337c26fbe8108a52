"""A file as a stream of plain bytes: unpacked, and as UTF-8 if it is text. Memory stays bounded."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import zstandard

from scuttlehouse.files.parts import Kind

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

# What reading raises where a compressed file is cut or broken, and where a disk or a mount fails.
BROKEN = (EOFError, OSError, zlib.error, zstandard.ZstdError)

# A few bytes of zstd can stand for 128 KiB of zeros, so little is unpacked at once.
_ZSTD_PIECE = 512

_CHUNK = 1 << 16


@contextmanager
def opened(path: str, size_bytes: int, kind: Kind) -> Iterator[BinaryIO]:
    """The bytes that a file had when it was listed, unpacked; text comes as UTF-8.

    A character that cannot be decoded becomes bytes that are not UTF-8, so its line is rejected.

    Raises:
        OSError: the file cannot be opened. Reading raises one of ``BROKEN``.
    """
    with Path(path).open("rb") as file:
        stream = unpacked(buffered(_Beginning(file, size_bytes)), kind.compression)
        if kind.encoding not in ("utf-8", "binary"):
            stream = buffered(_Recoded(stream, kind.encoding))
        yield stream


def unpacked(stream: BinaryIO, compression: str) -> BinaryIO:
    """The bytes inside of a compressed stream; several compressed parts in a row are one.

    >>> unpacked(io.BytesIO(gzip.compress(b"a") + gzip.compress(b"b")), "gzip").read()
    b'ab'
    """
    if compression == "gzip":
        return cast("BinaryIO", gzip.GzipFile(fileobj=stream, mode="rb"))
    if compression == "bzip2":
        return cast("BinaryIO", bz2.BZ2File(stream, "rb"))
    if compression == "zstd":
        return buffered(_Zstd(stream))
    return stream


def buffered(raw: io.RawIOBase) -> BinaryIO:
    """A raw stream with a buffer, which can read lines."""
    return cast("BinaryIO", io.BufferedReader(raw, _CHUNK))


class _Beginning(io.RawIOBase):
    """The first bytes of a file, which may grow meanwhile."""

    def __init__(self, file: BinaryIO, size_bytes: int) -> None:
        self._file, self._left = file, size_bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        data = self._file.read(min(self._left, len(view)))
        self._left -= len(data)
        view[: len(data)] = data
        return len(data)


class _Waiting(io.RawIOBase):
    """A stream that is made chunk by chunk."""

    _ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        while not self._ready:
            chunk = self._next()
            if chunk is None:
                return 0
            self._ready = chunk
        data, self._ready = self._ready[: len(view)], self._ready[len(view) :]
        view[: len(data)] = data
        return len(data)

    def _next(self) -> bytes | None:
        """The next bytes, perhaps none; None at the end."""
        raise NotImplementedError


class _Zstd(_Waiting):
    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._rest = b""
        self._frame: zstandard.ZstdDecompressionObj | None = None

    def _next(self) -> bytes | None:
        piece = self._rest or self._file.read(_ZSTD_PIECE)
        self._rest = b""
        if not piece:
            if self._frame is not None:
                raise EOFError
            return None
        if self._frame is None:
            self._frame = zstandard.ZstdDecompressor().decompressobj()
        data = self._frame.decompress(piece)
        if self._frame.eof:
            self._rest, self._frame = self._frame.unused_data, None
        return data


def _mark(error: UnicodeError) -> tuple[str, int]:
    """Replace what cannot be decoded by half a surrogate pair, which has no UTF-8."""
    assert isinstance(error, UnicodeDecodeError)
    return "\udfff", error.end


codecs.register_error("scuttlehouse.mark", _mark)


class _Recoded(_Waiting):
    def __init__(self, file: BinaryIO, encoding: str) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder(encoding)("scuttlehouse.mark")
        self._is_over = False

    def _next(self) -> bytes | None:
        if self._is_over:
            return None
        data = self._file.read(_CHUNK)
        self._is_over = not data
        text = self._decoder.decode(data, final=not data)
        return text.encode("utf-8", "surrogatepass")
