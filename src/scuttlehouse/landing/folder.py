"""The landing folder: where it is, that it is apart from the warehouse, and whether it has a log."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from scuttlehouse.files.listing import list_logs
from scuttlehouse.files.parts import LandingError
from scuttlehouse.landing.ledger import LedgerEntry
from scuttlehouse.landing.looks import look_into
from scuttlehouse.printing import without_passwords
from scuttlehouse.s3 import S3_FOLDER

_DAY_SECONDS = 24 * 60 * 60

_SHOWN_REASONS = 3
_PUT_LOGS_THERE = (
    "put logs there (for example *.jsonl, *.jsonl.gz, log.bipf), or set SCUTTLEHOUSE_LANDING to "
    "another folder"
)


def landing_folder(environment: Mapping[str, str] = os.environ, below: Path = Path()) -> str:
    """The folder that SCUTTLEHOUSE_LANDING names, in full or in S3; the sample where it names none.

    A name that is not in full is ``below`` a folder, by default the one that this process is in.

    Raises:
        LandingError: the name is an address, and not that of a folder of S3, or the path has bytes that are
            not UTF-8.

    >>> landing_folder({"SCUTTLEHOUSE_LANDING": "/var/../logs"})
    '/logs'
    >>> landing_folder({"SCUTTLEHOUSE_LANDING": "s3://bucket/logs/"})
    's3://bucket/logs'
    >>> Path(landing_folder({"SCUTTLEHOUSE_LANDING": ""})).name
    'sample'
    """
    named = environment.get("SCUTTLEHOUSE_LANDING", "").strip() or "sample"
    if "://" not in named:
        path = os.path.realpath(Path(below, named))  # list_logs refuses a loop of links.
        # Python has surrogates in place of such bytes. Java takes none.
        if any("\ud800" <= sign <= "\udfff" for sign in path):
            raise LandingError(
                f"The landing folder {path!r} has bytes in its path that are not UTF-8: rename it, or set "
                "SCUTTLEHOUSE_LANDING to another one."
            )
        return path
    folder = named.rstrip("/")
    if not S3_FOLDER.fullmatch(folder):
        raise LandingError(
            f"SCUTTLEHOUSE_LANDING is {without_passwords(named)!r}: set it to s3://bucket/folder, in "
            "letters, digits and ._=- only, or to a folder of this machine."
        )
    return folder


def require_logs(folder: Path | str, stock: Iterable[LedgerEntry]) -> None:
    """See to it that there is a line to read.

    Raises:
        LandingError: all logs are empty or left out; says why the first few are.
    """
    entries = list(stock)
    if any(entry.size_bytes and entry.status != "left_out" for entry in entries):
        return
    reasons = [
        f"{entry.source_file}: {entry.status_reason}" for entry in entries if entry.status_reason
    ]
    told = " ".join(["", *reasons[:_SHOWN_REASONS]])
    raise LandingError(
        f"The landing folder {folder} holds no log with a line in it: {_PUT_LOGS_THERE}.{told}"
    )


def newest_ms() -> int:
    """When the newest log of the landing folder was written. What a build leaves out does not count.

    Nor does a log that is from more than a day ahead, if there is any other: it would pass for new every day.

    Raises:
        LandingError: there is no log, or as :func:`list_logs` raises it.

    Complexity: linear in the bytes of the newest log, and of what comes before it and is left out.
    """
    folder, tomorrow = landing_folder(), 1000 * (time.time() + _DAY_SECONDS)
    newest_first = sorted(
        list_logs(folder),
        key=lambda log: (log.modified_ms <= tomorrow, log.modified_ms),
        reverse=True,
    )
    for log in newest_first:
        if look_into(log).problem is None:
            return log.modified_ms
    raise LandingError(f"The landing folder {folder} holds no log: {_PUT_LOGS_THERE}.")


def require_apart(landing: str, home: Path, warehouse: str) -> None:
    """See to it that neither logs nor files of the warehouse are taken for the other.

    Args:
        landing: the landing folder.
        home: the home of the warehouse.
        warehouse: the folder of all tables, of this disk or of S3.

    Raises:
        LandingError: the landing folder holds the home or the tables, whose files would be read as logs, or
            is among the tables, where builds remove files.

    >>> home = Path("/srv/house")
    >>> require_apart("/srv/logs", home, "/srv/house/warehouse"), require_apart("s3://b/logs", home, "s3://b/house")
    (None, None)
    """
    if _is_in(str(home), landing):
        raise LandingError(
            f"The home {home} is in the landing folder {landing}, so its own files would be read as logs: "
            "set SCUTTLEHOUSE_HOME to a folder outside of it."
        )
    if _is_in(landing, warehouse):
        raise LandingError(
            f"The landing folder {landing} is in {warehouse}, where builds remove all files but those of "
            "tables: set SCUTTLEHOUSE_LANDING to a folder outside of it."
        )
    if _is_in(warehouse, landing):
        raise LandingError(
            f"The tables in {warehouse} are in the landing folder {landing}, so their files would be read as "
            "logs: set SCUTTLEHOUSE_LANDING to a folder beside them."
        )


def _is_in(inner: str, outer: str) -> bool:
    """Whether a folder is another one or is below it. Both are full paths, or locations of S3."""
    return inner == outer or inner.startswith(f"{outer.rstrip('/')}/")
