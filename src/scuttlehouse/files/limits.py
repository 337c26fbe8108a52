"""How much a compressed file may become: a few bytes can stand for any number of zeros or empty lines."""

from __future__ import annotations

import os
from collections.abc import Mapping

from scuttlehouse.files.parts import Kind, LandingError, Log
from scuttlehouse.files.recognise import recognise
from scuttlehouse.files.unpack import BROKEN, opened

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

    Unpacks a compressed file to its end, or up to the limit.

    Raises:
        OSError: the file cannot be read.
        LandingError: the setting of the limit is no number.

    Complexity: O(bytes up to the limit), memory O(1).
    """
    kind = recognise(log)
    if isinstance(kind, str) or kind.compression == "none":
        return kind
    most = most_unpacked_bytes(log.size_bytes)
    if not _is_longer(log, kind.compression, most):
        return kind
    # A small file may become LEAST_BYTES, which may be more than the setting allows.
    ratio = most // log.size_bytes
    return (
        f"A {kind.compression} file of {log.size_bytes} bytes that becomes longer than {most} bytes, as no "
        f"log of messages does: if it is one, unpack it, or set {_SETTING} to more than {ratio}."
    )


def _is_longer(log: Log, compression: str, most: int) -> bool:
    left = most
    try:
        with opened(log.path, log.size_bytes, Kind("", compression, "binary")) as stream:
            while left >= 0 and (data := stream.read(_CHUNK)):
                left -= len(data)
    except BROKEN:
        pass  # What is whole before the break is read.
    return left < 0
