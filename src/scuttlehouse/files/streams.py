"""Streams of bytes that are made while they are read."""

from __future__ import annotations

import io
import zlib
from typing import TYPE_CHECKING, BinaryIO, cast

import zstandard

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

# What reading raises where a compressed file is cut or broken, and where a disk or a mount fails.
BROKEN = (EOFError, OSError, zlib.error, zstandard.ZstdError)

# How many bytes are read at once.
CHUNK = 1 << 16


def buffered(raw: io.RawIOBase) -> BinaryIO:
    """A raw stream with a buffer, which can read lines."""
    return cast("BinaryIO", io.BufferedReader(raw, CHUNK))


class Raw(io.RawIOBase):
    """A stream of bytes that come from somewhere else."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        data = self._up_to(len(view))
        view[: len(data)] = data
        return len(data)

    def _up_to(self, most: int) -> bytes | memoryview:
        """The next bytes, so many at most; none at the end."""
        raise NotImplementedError


class Chunked(Raw):
    """A stream that is made chunk by chunk."""

    # A chunk of zstd may be long. A view of it is cut without a copy.
    _ready = memoryview(b"")

    def _up_to(self, most: int) -> memoryview:
        while not self._ready:
            chunk = self._next()
            if chunk is None:
                break
            self._ready = memoryview(chunk)
        data, self._ready = self._ready[:most], self._ready[most:]
        return data

    def _next(self) -> bytes | None:
        """The next bytes, perhaps none; None at the end."""
        raise NotImplementedError
