"""The entries of the landing folder: files that may be logs, and all others with what they are."""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from operator import attrgetter
from pathlib import Path

from scuttlehouse.files.names import (
    PACKED,
    SUFFIXES,
    has_control,
    has_name_of_a_log,
    kept_name,
    shown_name,
)
from scuttlehouse.files.other_files import BESIDE_COPIES, PEERS
from scuttlehouse.files.parts import LandingError, Log
from scuttlehouse.files.places import list_s3
from scuttlehouse.s3 import is_in_s3
from scuttlehouse.ssb.epoch_keys import KeyRing

# How the reasons begin of files that nobody may have meant to be logs.
_NOT_NAMED = "Its name is not that of a log"
_INDEX = "A file of LevelDB"
NOT_MEANT = (_NOT_NAMED, _INDEX, PEERS, BESIDE_COPIES)
_NOT_A_LOG = (
    f"{_NOT_NAMED}: if it is one, let the name end in {', '.join(SUFFIXES[:-1])} "
    f"or {SUFFIXES[-1]}; compressed, {', '.join(PACKED)} may follow."
)
# The names of archives, and what unpacks them.
_ARCHIVES = {
    "unzip": re.compile(r"\.zip\Z", re.I),
    "tar -xf": re.compile(r"\.(?:tar(?:\.[a-z0-9]{1,4})?|tgz|tbz2?|txz|tzst)\Z", re.I),
    "7z x": re.compile(r"\.7z\Z", re.I),
    "unrar x": re.compile(r"\.rar\Z", re.I),
}

_NO_TEXT = "Its name holds line ends, control characters or bytes that are no text: rename it."

_OF_LEVELDB = (
    f"{_INDEX}: an index or a store of keys, and no log. The messages are in another file, for example "
    "log.bipf or log.offset."
)
# LevelDB names its write-ahead log by a number, and has these files beside it.
_NUMBERED = re.compile(r"[0-9]{6,}\.log")
_CURRENT, _MANIFEST = "CURRENT", "MANIFEST-"

_SPECIAL = (
    (stat.S_ISFIFO, "A named pipe (FIFO)"),
    (stat.S_ISSOCK, "A socket"),
    (stat.S_ISCHR, "A device"),
    (stat.S_ISBLK, "A device"),
)
# The times that a table can have: the years 1 to 9999, as in the macro timestamp_of. A disk may have others.
_FIRST_MS, _LAST_MS = -62_135_596_800_000, 253_402_300_799_999

_REMEDY = "correct its permissions or move it out of the landing folder"
_REMEDY_OF_A_LINK = "let it lead to a file or move it out of the landing folder"


def list_logs(folder: Path | str, ring: KeyRing | None = None) -> list[Log]:
    """List what is below the landing folder, in the order of the names: logs, and what cannot be one.

    With the key of the warehouse, names that look like keys stand as tokens (``names.kept_name``): so
    tables have them. Without it, they are as they are: so a person looks for them.

    On a disk, every file with the name of a log is opened once. What is no such file, or cannot be opened,
    has a ``problem``. Only folders that can be read and are no links are looked into.

    Args:
        folder: a path, or ``s3://bucket/key``.
        ring: the key of the warehouse.

    Raises:
        LandingError: the folder is missing, is no folder, or cannot be read.

    Complexity: O(entries).

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "a.jsonl").write_bytes(b"{}\\n")
    3
    >>> (folder / "b.csv").touch()
    >>> [(log.source_file, log.size_bytes, log.problem is None) for log in list_logs(folder)]
    [('a.jsonl', 3, True), ('b.csv', 0, False)]
    """
    logs: dict[str, Log] = {}
    entries = _stored(str(folder)) if is_in_s3(str(folder)) else _found(Path(folder))
    # Of two names that are shown as one, the same has the "~" in every build.
    marks: Counter[str] = Counter()
    for log in sorted(entries, key=attrgetter("source_file")):
        shown = shown_name(log.source_file)
        problem = _NO_TEXT if has_control(log.source_file) else log.problem
        if ring is not None:
            shown = kept_name(shown, ring)
        name = shown
        # Thousands may be shown as one, so that the marks are counted.
        while name in logs:
            marks[shown] += 1
            name = f"{shown}~{marks[shown]}" if marks[shown] > 1 else f"{shown}~"
        logs[name] = replace(log, source_file=name, problem=problem)
    return [logs[name] for name in sorted(logs)]


def _stored(folder: str) -> Iterator[Log]:
    """Every object below a folder of S3, by its own name."""
    try:
        objects = list_s3(folder)
    except FileNotFoundError:
        raise LandingError(
            f"The landing folder {folder} does not exist: put logs there, or set SCUTTLEHOUSE_LANDING to the "
            "folder of S3 that holds your logs."
        ) from None
    beside: dict[str, set[str]] = {}
    for log in objects:
        parent, _, name = log.source_file.rpartition("/")
        beside.setdefault(parent, set()).add(name)
    of_leveldb = {parent for parent, names in beside.items() if _are_of_leveldb(names)}
    for log in objects:
        parent, _, name = log.source_file.rpartition("/")
        problem = _problem_of_name(name, is_in_leveldb=parent in of_leveldb)
        yield replace(log, problem=problem)


def _found(folder: Path) -> Iterator[Log]:
    """Every entry of a folder of a disk, by its own name."""
    try:
        mode = folder.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise LandingError(
            f"The landing folder {folder} does not exist: make it, or set SCUTTLEHOUSE_LANDING "
            "to the folder that holds your logs."
        ) from None
    except OSError as error:
        raise LandingError(_refused(folder, error)) from None
    if not stat.S_ISDIR(mode):
        raise LandingError(
            f"The landing folder {folder} is a file: set SCUTTLEHOUSE_LANDING to the folder "
            "that holds it."
        )
    for path, reason, is_in_leveldb in _entries(folder):
        shown = path.relative_to(folder).as_posix()
        yield _entry(path, shown, reason, is_in_leveldb=is_in_leveldb)


def _entries(folder: Path) -> Iterator[tuple[Path, str | None, bool]]:
    """Every entry that is no folder, and every folder that cannot be looked into, with the reason.

    And whether the entry is in a folder of LevelDB.
    """
    refused: list[OSError] = []
    left = [folder]
    while left:
        # One step of the walk: before Python 3.12 it calls itself for each level, and there may be thousands.
        for parent, folders, names in islice(os.walk(left.pop(), onerror=refused.append), 1):
            for name in folders:
                path = Path(parent, name)
                if path.is_symlink():
                    yield (
                        path,
                        "A link to a folder: links to folders are not followed. Move the folder here.",
                        False,
                    )
                else:
                    left.append(path)
            is_in_leveldb = _are_of_leveldb(names)
            for name in names:
                yield Path(parent, name), None, is_in_leveldb
    for error in refused:
        path = Path(os.fsdecode(error.filename))
        if path == folder:
            raise LandingError(_refused(folder, error))
        yield path, f"The folder cannot be read ({error.strerror}): {_REMEDY}.", False


def _refused(folder: Path, error: OSError) -> str:
    return (
        f"The landing folder {folder} cannot be read ({error.strerror}): correct that, or set "
        "SCUTTLEHOUSE_LANDING to the folder that holds your logs."
    )


def entry_of(path: Path, shown: str) -> Log:
    """The entry of a path, with the problem that keeps it from being read, if it has one."""
    return _entry(path, shown, None, is_in_leveldb=_are_of_leveldb(_names_beside(path)))


def _entry(path: Path, shown: str, reason: str | None, *, is_in_leveldb: bool) -> Log:
    """The same, where the ``reason`` why it cannot be read may be known."""
    try:
        state = path.stat()
    except OSError as error:
        if reason is None and path.is_symlink() and not isinstance(error, PermissionError):
            reason = f"A link to nothing ({error.strerror}): {_REMEDY_OF_A_LINK}."
        reason = reason or f"The file cannot be read ({error.strerror}): {_REMEDY}."
        return Log(str(path), shown, 0, 0, problem=reason)
    if reason is None:
        reason = _problem(path, state.st_mode, is_in_leveldb=is_in_leveldb)
    modified_ms = min(max(state.st_mtime_ns // 1_000_000, _FIRST_MS), _LAST_MS)
    return Log(str(path), shown, state.st_size, modified_ms, problem=reason)


def _problem(path: Path, mode: int, *, is_in_leveldb: bool) -> str | None:
    for is_special, what in _SPECIAL:
        if is_special(mode):
            return f"{what} and no file: move it out of the landing folder."
    problem = _problem_of_name(path.name, is_in_leveldb=is_in_leveldb)
    if problem is not None:
        return problem
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
    except OSError as error:
        return f"The file cannot be read ({error.strerror}): {_REMEDY}."
    return None


def _problem_of_name(name: str, *, is_in_leveldb: bool) -> str | None:
    """Why a file with this name is no log, if the name says so, or the folder that it is in."""
    if not has_name_of_a_log(name):
        unpack = next((command for command, end in _ARCHIVES.items() if end.search(name)), None)
        if unpack:
            return f"{_NOT_NAMED} but of an archive: if logs are in it, unpack it with `{unpack}`."
        return _NOT_A_LOG
    return _OF_LEVELDB if is_in_leveldb and _NUMBERED.fullmatch(name) else None


def _are_of_leveldb(names: Collection[str]) -> bool:
    """Whether the names of a folder's files are those of LevelDB. O(names): asked once for each folder."""
    return _CURRENT in names and any(name.startswith(_MANIFEST) for name in names)


def _names_beside(path: Path) -> list[str]:
    """The names in the folder of a file of LevelDB; none in other folders, which may have many."""
    if not _NUMBERED.fullmatch(path.name) or not path.with_name(_CURRENT).exists():
        return []
    with suppress(OSError):
        return [other.name for other in path.parent.iterdir()]
    return []
