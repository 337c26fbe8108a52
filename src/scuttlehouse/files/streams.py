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


class Chunked(io.RawIOBase):
    """A stream that is made chunk by chunk."""

    # A chunk of zstd may be long. A view of it is cut without a copy.
    _ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        while not self._ready:
            chunk = self._next()
            if chunk is None:
                return 0
            self._ready = memoryview(chunk)
        data, self._ready = self._ready[: len(view)], self._ready[len(view) :]
        view[: len(data)] = data
        return len(data)

    def _next(self) -> bytes | None:
        """The next bytes, perhaps none; None at the end."""
        raise NotImplementedError
