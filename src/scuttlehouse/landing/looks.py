"""What a look into a log finds: what it is, and the hash of its content."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace

from scuttlehouse.files.limits import recognise_within_limits
from scuttlehouse.files.parts import Kind, Log
from scuttlehouse.files.places import NotGivenError
from scuttlehouse.files.recognise import is_without_values
from scuttlehouse.files.streams import BROKEN
from scuttlehouse.files.unpack import opened
from scuttlehouse.landing.ledger import Look


def look_into(log: Log, recognise: Callable[[Log], Kind | str] = recognise_within_limits) -> Look:
    """Recognise a log and hash its content."""
    problem = log.problem
    if problem is None:
        try:
            kind = recognise(log)
            if isinstance(kind, Kind):
                known = replace(log, kind=kind)
                return Look(kind, content_hash(known), has_values=not is_without_values(known))
            problem = kind
        except NotGivenError as error:  # S3 refuses this one.
            problem = str(error)
        except BROKEN as error:
            why = getattr(error, "strerror", None) or "it breaks while it is read"
            problem = f"The file cannot be read ({why}): copy it again, and look at its disk."
    return Look(Kind("", "", ""), None, problem)


def content_hash(log: Log) -> str:
    """SHA-256 of the bytes that a log had when it was listed, unpacked, as hex. O(bytes), memory O(1).

    A log may grow meanwhile. What has come since is not read in this build, so that it must not count as
    known in the next one. A log that was compressed since is the same log.

    A file that cannot be unpacked to its end is known by its own bytes.

    Raises:
        OSError: the file cannot be read.
    """
    try:
        return _hash(log, log.kind.compression)
    except BROKEN:
        return _hash(log, "none")


def _hash(log: Log, compression: str) -> str:
    digest = hashlib.sha256()
    with opened(log.path, log.size_bytes, Kind("", compression, "binary")) as stream:
        while chunk := stream.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
