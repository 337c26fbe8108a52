"""Whether a build has read of each log what it found when it looked at the folder.

Where somebody has replaced a log in between, the ledger has the hash of one content, and the tables have the
lines of another. The log would count as read when it comes back as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from scuttlehouse.files.listing import list_logs
from scuttlehouse.files.parts import Log
from scuttlehouse.landing.logs import gone, still_there
from scuttlehouse.landing.looks import content_hash

if TYPE_CHECKING:
    from scuttlehouse.ssb.epoch_keys import KeyRing


class Reading(NamedTuple):
    """What models of a build read: logs of a folder as the build has found them, each with its hash."""

    folder: str
    ring: KeyRing
    hashes: Mapping[Log, str]


_reading: list[Reading] = []


def begin_to_read(reading: Reading) -> None:
    """Remember what a model of this process reads from here on. All models of a build read the same."""
    _reading[:] = [reading]


def require_same_logs() -> None:
    """When a model has read the logs: see to it that they still begin with what the build has found.

    A log may grow meanwhile. One that is gone was moved after it was read.

    Raises:
        LandingError: another log is in the place of one of them, or the folder cannot be listed.

    Complexity: linear in the logs, and in the bytes of those that have another size or time now.
    """
    for folder, ring, hashes in _reading:
        now = {log.source_file: log for log in list_logs(folder, ring)} if hashes else {}
        for found, hash_then in hashes.items():
            log = now.get(found.source_file)
            if log is None or log.problem or replace(log, kind=found.kind) == found:
                continue
            with suppress(OSError):  # It goes now.
                still_there(log, found.source_file, found.size_bytes)
                if content_hash(found) != hash_then:
                    raise gone(found.source_file)
