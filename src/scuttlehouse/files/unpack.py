"""A file as a stream of plain bytes: unpacked, and as UTF-8 if it is text. Memory stays bounded."""

from __future__ import annotations

import bz2
import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, cast

import zstandard

from scuttlehouse.files.encodings import as_utf_8
from scuttlehouse.files.parts import Kind
from scuttlehouse.files.places import open_log
from scuttlehouse.files.streams import CHUNK, Chunked, Raw, buffered

# A few bytes of zstd can stand for 128 KiB of zeros, so little is unpacked at once.
_ZSTD_PIECE = 512


@contextmanager
def opened(path: str, size_bytes: int, kind: Kind) -> Iterator[BinaryIO]:
    """The bytes that a file had when it was listed, unpacked; text comes as UTF-8.

    A character that cannot be decoded becomes bytes that are not UTF-8, so its line is rejected.
    A file that ends before the bytes that it had breaks there.

    Raises:
        OSError: the file cannot be opened. Reading raises one of ``BROKEN``.
        NotGivenError: S3 refuses it.
    """
    with open_log(path) as file:
        stream = unpacked(buffered(_Beginning(file, size_bytes)), kind.compression)
        yield as_utf_8(stream, kind)


def unpacked(stream: BinaryIO, compression: str) -> BinaryIO:
    """The bytes inside of a compressed stream; several compressed parts in a row are one.

    >>> unpacked(io.BytesIO(gzip.compress(b"a") + gzip.compress(b"b")), "gzip").read()
    b'ab'
    """
    if compression == "gzip":
        return cast("BinaryIO", gzip.GzipFile(fileobj=stream, mode="rb"))
    if compression == "bzip2":
        return buffered(_Bzip2(stream))
    if compression == "zstd":
        return buffered(_Zstd(stream))
    return stream


class _Beginning(Raw):
    """The first bytes of a file, which may grow meanwhile."""

    def __init__(self, file: BinaryIO, size_bytes: int) -> None:
        self._file, self._left = file, size_bytes

    def _up_to(self, most: int) -> bytes:
        data = self._file.read(min(self._left, most))
        if not data and self._left and most:
            raise EOFError
        self._left -= len(data)
        return data


class _Bzip2(Chunked):
    """As gzip is read: zeros behind a part are padding, other bytes break it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._rest = b""
        self._part: bz2.BZ2Decompressor | None = None

    def _next(self) -> bytes | None:
        piece = b""
        if self._part is None or self._part.needs_input:
            piece = self._rest or cast("io.BufferedReader", self._file).read1(CHUNK)
            self._rest = b""
            if not piece and self._part is not None:
                raise EOFError
            if not piece:
                return None
        if self._part is None:
            piece = piece.lstrip(b"\0")
            if not piece:
                return b""
            self._part = bz2.BZ2Decompressor()
        data = self._part.decompress(piece, CHUNK)
        if self._part.eof:
            self._rest, self._part = self._part.unused_data, None
        return data


class _Zstd(Chunked):
    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._rest = b""
        self._decompressor = zstandard.ZstdDecompressor()
        self._frame: zstandard.ZstdDecompressionObj | None = None

    def _next(self) -> bytes | None:
        piece = self._rest or self._file.read(_ZSTD_PIECE)
        self._rest = b""
        if not piece:
            if self._frame is not None:
                raise EOFError
            return None
        if self._frame is None:
            self._frame = self._decompressor.decompressobj()
        data = self._frame.decompress(piece)
        if self._frame.eof:
            self._rest, self._frame = self._frame.unused_data, None
        return data
