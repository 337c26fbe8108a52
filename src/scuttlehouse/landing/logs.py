"""Logs of the landing folder, read as numbered lines of bytes.

Lines end at ``\\n`` alone: U+2028 and U+0085 are ordinary text inside a message. A large file of plain JSON
lines is read in splits, so that it keeps many workers busy. A file of any other kind is one split (see
:mod:`scuttlehouse.files`). Nothing here looks inside a line; :mod:`scuttlehouse.ssb.lines` does.
"""

from __future__ import annotations

import io
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from scuttlehouse.files.listing import list_logs
from scuttlehouse.files.parts import PLAIN, LandingError, Line, Log, Piece, Split
from scuttlehouse.files.places import open_log
from scuttlehouse.files.whole import numbered_lines, read_whole, skip_line
from scuttlehouse.landing.ledger import LedgerEntry
from scuttlehouse.landing.looks import look_into
from scuttlehouse.printing import without_passwords
from scuttlehouse.s3 import S3_FOLDER, is_in_s3

SPLIT_BYTES = 64 << 20
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
        LandingError: the name is not that of a folder of S3, though it begins like one, or the path has bytes
            that are not UTF-8.

    >>> landing_folder({"SCUTTLEHOUSE_LANDING": "/var/../logs"})
    '/logs'
    >>> landing_folder({"SCUTTLEHOUSE_LANDING": "s3://bucket/logs/"})
    's3://bucket/logs'
    >>> Path(landing_folder({"SCUTTLEHOUSE_LANDING": ""})).name
    'sample'
    """
    named = environment.get("SCUTTLEHOUSE_LANDING", "").strip() or "sample"
    if not is_in_s3(named):
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


def list_splits(logs: Iterable[Log], split_bytes: int = SPLIT_BYTES) -> list[Split]:
    """What there is to read in some logs. O(files + bytes / split_bytes).

    >>> log = Log("/landing/a.jsonl", "a.jsonl", 6, 0)
    >>> [(split.source_file, split.start, split.end) for split in list_splits([log], 4)]
    [('a.jsonl', 0, 4), ('a.jsonl', 4, 6)]
    """
    splits = []
    for log in logs:
        step = split_bytes if log.kind == PLAIN else log.size_bytes
        splits += [
            Split(log.path, log.source_file, start, min(start + step, log.size_bytes), log.kind)
            for start in range(0, log.size_bytes, max(step, 1))
        ]
    return splits


def count_line_ends(split: Split) -> int:
    """Count the line ends that stand before the last byte of a plain split, and after its first.

    That is: the lines that begin in the split after its first byte, plus one where the split
    begins a line. Summed over a file's earlier splits, it is the number of lines before a split.

    Complexity: O(bytes of the split), memory O(1).
    """
    first = max(split.start - 1, 0)
    left = split.end - 1 - first
    count = 1 if split.start == 0 else 0
    with suppress(OSError), open_log(split.path) as file:
        file.seek(first)
        while left > 0 and (chunk := file.read(min(left, 1 << 20))):
            count += chunk.count(b"\n")
            left -= len(chunk)
    return count


def first_line_numbers(splits: Sequence[Split], line_ends: Sequence[int]) -> list[int]:
    """The number of the first line of each split, from what :func:`count_line_ends` gave for each.

    >>> splits = [Split("a", "a", 0, 4), Split("a", "a", 4, 6), Split("b", "b", 0, 3)]
    >>> first_line_numbers(splits, [2, 1, 1])
    [1, 3, 1]
    """
    numbers = []
    before = 0
    for split, count in zip(splits, line_ends, strict=True):
        if split.start == 0:
            before = 0
        numbers.append(before + 1)
        before += count
    return numbers


def still_there(found: Log | None, source_file: str, size_bytes: int) -> Log:
    """A log as it is listed now, if it has all bytes that it had when the build looked at it.

    Raises:
        LandingError: it is gone, cannot be opened any more, or is shorter.

    >>> still_there(Log("/logs/a.jsonl", "a.jsonl", 9, 7), "a.jsonl", 6).path
    '/logs/a.jsonl'
    >>> still_there(None, "a.jsonl", 6)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    scuttlehouse.files.parts.LandingError: The log a.jsonl was moved, removed, cut or replaced ...
    """
    if found is None or found.problem is not None or found.size_bytes < size_bytes:
        raise gone(source_file)
    return found


def require_all_there(split: Split) -> None:
    """See to it that a file which could not be read to its end has all bytes that it had when it was listed.

    Otherwise it counts as known when it comes back as it was, and its other lines are never read.

    Raises:
        LandingError: as :func:`still_there` raises it.
        NotGivenError: S3 refuses it.
    """
    with suppress(OSError), open_log(split.path) as file:
        if file.seek(0, io.SEEK_END) >= split.end:
            return
    raise gone(split.source_file)


def gone(source_file: str) -> LandingError:
    """The error for a log that is no longer what the build has found in the folder."""
    return LandingError(
        f"The log {source_file} was moved, removed, cut or replaced while this build read it: run "
        "`scuttlehouse build` again, which reads what is there then."
    )


def read_lines(
    split: Split, first_line_number: int = 1, words: tuple[bytes, ...] = ()
) -> Iterator[Piece]:
    """Yield the lines that begin in a split; short ones that follow each other come together.

    With ``words``, long lines of a plain file come only if they may have one of them.

    A line over ``MAX_LINE_BYTES`` comes as the fault ``too_long``. A file that cannot be read to its end
    ends with a line of the fault ``cut_short`` at the place where reading stopped; the whole lines before
    it are good.

    Memory: O(MAX_LINE_BYTES).

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.jsonl"
    >>> path.write_bytes(b"one\\ntwo\\r\\nthree")
    14
    >>> [*read_lines(Split(str(path), "a.jsonl", 0, 14))]
    [ShortLines(line_number=1, text=b'one\\ntwo\\r\\n'), ShortLines(line_number=3, text=b'three')]
    """
    if split.kind != PLAIN:
        yield from read_whole(split)
        return
    last: Piece | None = None
    try:
        with open_log(split.path) as file:
            if split.start > 0:
                file.seek(split.start - 1)
                skip_line(file, split.end)
            for last in numbered_lines(file, first_line_number, split.end, words):
                yield last
    except (OSError, EOFError):  # The file is gone or shorter than it was, or its disk fails.
        yield Line(last.next_number if last else first_line_number, None, "cut_short")
