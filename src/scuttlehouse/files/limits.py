"""What a file is, also behind its first bytes; and how much a compressed one may become.

A few bytes can stand for any number of zeros or empty lines.
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import BinaryIO, cast

from scuttlehouse.files.encodings import as_utf_8, has_utf_16
from scuttlehouse.files.forms import goes_over_lines
from scuttlehouse.files.parts import Kind, LandingError, Log
from scuttlehouse.files.recognise import HEAD_BYTES, recognise
from scuttlehouse.files.streams import BROKEN, Raw, buffered
from scuttlehouse.files.unpack import opened

# A log that becomes no longer than this is always read.
LEAST_BYTES = 1 << 20

# Each message has a signature, which does not compress: of messages, a byte becomes a few dozen at most.
DEFAULT_RATIO = 100

_SETTING = "SCUTTLEHOUSE_UNPACK_LIMIT"
_CHUNK = 1 << 18


def most_unpacked_bytes(size_bytes: int, environment: Mapping[str, str] = os.environ) -> int:
    """How many bytes a compressed file of this size may become.

    Raises:
        LandingError: the setting is no number.

    >>> most_unpacked_bytes(10, {}), most_unpacked_bytes(1_000_000, {})
    (1048576, 100000000)
    >>> most_unpacked_bytes(1_000_000, {"SCUTTLEHOUSE_UNPACK_LIMIT": "2000"})
    2000000000
    """
    said = environment.get(_SETTING, "").strip() or str(DEFAULT_RATIO)
    if not said.isdecimal() or not int(said):
        raise LandingError(
            f"{_SETTING} is {said!r}: it is how many bytes one byte of a compressed log may become, "
            f"a whole number, by default {DEFAULT_RATIO}."
        )
    return max(LEAST_BYTES, int(said) * size_bytes)


def recognise_within_limits(log: Log) -> Kind | str:
    """The kind of a log as :func:`recognise` gives it; a sentence also for a file that becomes too long.

    Lines behind which another program has appended messages over several lines, or in UTF-16, are
    ``pretty_printed``. To know that, reads JSON lines to their end. Unpacks a compressed file to its end, or
    up to the limit.

    Raises:
        OSError: the file cannot be read.
        LandingError: the setting of the limit is no number.

    Complexity: O(bytes up to the limit), memory O(1).
    """
    kind = recognise(log)
    if isinstance(kind, str):
        return kind
    is_packed = kind.compression != "none"
    has_more = is_packed or log.size_bytes > HEAD_BYTES
    if not has_more or not (is_packed or kind.form == "json_lines"):
        return kind
    most = most_unpacked_bytes(log.size_bytes) if is_packed else log.size_bytes
    over_lines = kind._replace(form="pretty_printed")
    with opened(log.path, log.size_bytes, kind._replace(encoding="binary")) as stream:
        counted = _UpTo(stream, most)
        with suppress(*BROKEN):  # What is whole before the break is read.
            data = buffered(counted)
            text = as_utf_8(data, over_lines)
            if kind.form == "json_lines" and (goes_over_lines(text) or has_utf_16(text)):
                kind = over_lines
            while is_packed and data.read(_CHUNK):
                pass
    if not counted.has_more:
        return kind
    # A small file may become LEAST_BYTES, which may be more than the setting allows.
    ratio = most // log.size_bytes
    return (
        f"A {kind.compression} file of {log.size_bytes} bytes that becomes longer than {most} bytes, as no "
        f"log of messages does: if it is one, unpack it, or set {_SETTING} to more than {ratio}."
    )


class _UpTo(Raw):
    """A stream up to a number of bytes; whether it has more."""

    def __init__(self, stream: BinaryIO, most: int) -> None:
        self._stream, self._left = stream, most
        self.has_more = False

    def _up_to(self, most: int) -> bytes:
        data = cast("io.BufferedReader", self._stream).read1(min(self._left + 1, most))
        self.has_more = self.has_more or len(data) > self._left
        data = data[: self._left]
        self._left -= len(data)
        return data
