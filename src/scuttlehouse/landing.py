"""Log files in the landing folder, read as numbered lines of bytes.

A log is a file of JSON lines, plain (`.jsonl`) or compressed (`.jsonl.gz`), anywhere below the
landing folder. Lines end at ``\\n`` alone: U+2028 and U+0085 are ordinary text inside a message.
Large plain files are read in splits, so that one file keeps many workers busy; a compressed file
is one split. Nothing here looks inside a line; :mod:`scuttlehouse.lines` does.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple, NoReturn

SUFFIXES = (".jsonl", ".jsonl.gz")

SPLIT_BYTES = 64 << 20

# A signed message has at most 8192 UTF-16 units; a decrypted one carries its ciphertext beside it.
# What is longer than this cannot be a message, and must not fill a worker's memory.
MAX_LINE_BYTES = 1 << 20


class LandingError(Exception):
    """The landing folder cannot be read; the message says why and what to do."""


@dataclass(frozen=True)
class Split:
    """The lines of one file that begin at bytes ``start`` to ``end`` (exclusive)."""

    path: str
    source_file: str
    start: int
    end: int


class Line(NamedTuple):
    """A numbered line: its bytes without line end, or None and the fault that hides them."""

    line_number: int
    text: bytes | None
    fault: str | None


@dataclass(frozen=True)
class Log:
    """A log file in the landing folder; ``source_file`` is its path below that folder."""

    path: str
    source_file: str
    size_bytes: int
    modified_ms: int


def landing_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder that SCUTTLEHOUSE_LANDING names, in full; the sample where it names none.

    >>> landing_folder({"SCUTTLEHOUSE_LANDING": "/logs"})
    PosixPath('/logs')
    >>> landing_folder({"SCUTTLEHOUSE_LANDING": ""}).name
    'sample'
    """
    return Path(environment.get("SCUTTLEHOUSE_LANDING", "").strip() or "sample").resolve()


def list_logs(folder: Path, *, may_be_empty: bool = False) -> list[Log]:
    """List the logs below the landing folder, in the order of their names.

    Every file is opened once, so that one that may not be read stops a build before it starts. A folder
    whose logs have been read and moved to an archive may be empty.

    Raises:
        LandingError: the folder is missing, is no folder, holds no line (unless it may be empty), or a
            log or a folder in it cannot be opened.

    Complexity: O(files).

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "a.jsonl").write_bytes(b"{}\\n")
    3
    >>> [(log.source_file, log.size_bytes) for log in list_logs(folder)]
    [('a.jsonl', 3)]
    """
    if not folder.exists():
        raise LandingError(
            f"The landing folder {folder} does not exist: make it, or set SCUTTLEHOUSE_LANDING "
            "to the folder that holds your logs (*.jsonl, *.jsonl.gz)."
        )
    if not folder.is_dir():
        raise LandingError(
            f"The landing folder {folder} is a file: set SCUTTLEHOUSE_LANDING to the folder "
            "that holds it."
        )
    logs = []
    for path in _log_paths(folder):
        if not str(path).isprintable():
            raise LandingError(f"The log {str(path)!a} has a name that is no text: rename it.")
        try:
            with path.open("rb") as file:
                state = os.fstat(file.fileno())
        except OSError as error:
            raise LandingError(
                f"The log {path} cannot be read ({error.strerror}): mend its permissions or move "
                "it out of the landing folder, then build again."
            ) from None
        source_file = path.relative_to(folder).as_posix()
        logs.append(Log(str(path), source_file, state.st_size, state.st_mtime_ns // 1_000_000))
    if not may_be_empty and not any(log.size_bytes for log in logs):
        raise LandingError(
            f"The landing folder {folder} holds no log with a line in it: put *.jsonl or "
            "*.jsonl.gz files there, or set SCUTTLEHOUSE_LANDING to another folder."
        )
    return logs


def _log_paths(folder: Path) -> list[Path]:
    def refuse(error: OSError) -> NoReturn:
        raise LandingError(
            f"The folder {error.filename} cannot be read ({error.strerror}): mend its permissions or move "
            "it out of the landing folder, then build again."
        )

    return sorted(
        Path(parent, name)
        for parent, _, names in os.walk(folder, onerror=refuse)
        for name in names
        if name.endswith(SUFFIXES)
    )


def content_hash(log: Log) -> str:
    """SHA-256 of the bytes that a log had when it was listed, as hex. O(bytes), memory O(1).

    A log may grow meanwhile. What has come since is not read in this build, so that it must not count as
    known in the next one.
    """
    digest = hashlib.sha256()
    left = log.size_bytes
    with Path(log.path).open("rb") as file:
        while chunk := file.read(min(left, 1 << 20)):
            digest.update(chunk)
            left -= len(chunk)
    return digest.hexdigest()


def list_splits(logs: Iterable[Log], split_bytes: int = SPLIT_BYTES) -> list[Split]:
    """What there is to read in some logs. O(files + bytes / split_bytes).

    >>> log = Log("/landing/a.jsonl", "a.jsonl", 6, 0)
    >>> [(split.source_file, split.start, split.end) for split in list_splits([log], 4)]
    [('a.jsonl', 0, 4), ('a.jsonl', 4, 6)]
    """
    splits = []
    for log in logs:
        step = log.size_bytes if log.path.endswith(".gz") else split_bytes
        splits += [
            Split(log.path, log.source_file, start, min(start + step, log.size_bytes))
            for start in range(0, log.size_bytes, max(step, 1))
        ]
    return splits


def is_compressed(split: Split) -> bool:
    """Whether the split is a whole gzip file, which can only be read from its beginning."""
    return split.path.endswith(".gz")


def count_line_ends(split: Split) -> int:
    """Count the line ends that stand before the last byte of a plain split, and after its first.

    That is: the lines that begin in the split after its first byte, plus one where the split
    begins a line. Summed over a file's earlier splits, it is the number of lines before a split.

    Complexity: O(bytes of the split), memory O(1).
    """
    first = max(split.start - 1, 0)
    left = split.end - 1 - first
    count = 1 if split.start == 0 else 0
    with Path(split.path).open("rb") as file:
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


def read_lines(split: Split, first_line_number: int = 1) -> Iterator[Line]:
    """Yield the lines that begin in a split.

    A line over ``MAX_LINE_BYTES`` comes as the fault ``too_long``. A gzip file that is cut short,
    or is none, ends with a line of the fault ``cut_short`` at the place where reading stopped; the
    whole lines before it are good.

    Memory: O(MAX_LINE_BYTES).

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.jsonl"
    >>> path.write_bytes(b"one\\ntwo\\r\\nthree")
    14
    >>> list(read_lines(Split(str(path), "a.jsonl", 0, 14)))[1:]
    [Line(line_number=2, text=b'two', fault=None), Line(line_number=3, text=b'three', fault=None)]
    """
    number = first_line_number
    if is_compressed(split):
        with gzip.open(split.path, "rb") as unpacked:
            try:
                while text := _read_line(unpacked):
                    yield _line(number, text)
                    number += 1
            except (EOFError, zlib.error, gzip.BadGzipFile):
                yield Line(number, None, "cut_short")
        return
    with Path(split.path).open("rb") as file:
        if split.start > 0:
            file.seek(split.start - 1)
            _skip_line(file)
        while file.tell() < split.end and (text := _read_line(file)):
            yield _line(number, text)
            number += 1


def _line(number: int, text: bytes) -> Line:
    line = text.removesuffix(b"\n").removesuffix(b"\r")
    if len(line) > MAX_LINE_BYTES:
        return Line(number, None, "too_long")
    return Line(number, line, None)


def _read_line(file: BinaryIO | gzip.GzipFile) -> bytes:
    """The next line with its end, cut two bytes over the limit; nothing at the end of the file."""
    text = file.readline(MAX_LINE_BYTES + 2)
    if len(text) == MAX_LINE_BYTES + 2 and not text.endswith(b"\n"):
        _skip_line(file)
    return text


def _skip_line(file: BinaryIO | gzip.GzipFile) -> None:
    while (chunk := file.readline(1 << 16)) and not chunk.endswith(b"\n"):
        pass
