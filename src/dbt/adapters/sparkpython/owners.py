"""Locks that say who holds them: which process, on which host, since when.

The operating system lets go of a lock when its process ends, however it ends, so none is ever stale.
Beside a lock stands a file of its holder's words, which counts only while the lock is held.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from dbt_common.exceptions import DbtRuntimeError

_held: dict[Path, int] = {}


def is_locked(path: Path) -> bool:
    """Whether another process has locked this file; not if there is none.

    Raises:
        DbtRuntimeError: it cannot be opened, with the reason.
    """
    try:
        with path.open("r+b") as file:
            return not _lock(file.fileno())
    except FileNotFoundError:
        return False
    except OSError as error:
        raise _cannot_be("opened", path, error) from error


def hold(path: Path, word: str = "") -> bool:
    """Lock this file until it is released or the process ends, and sign it; false if another has.

    A process may hold a file as often as it likes. `word` stands in the signature.

    Raises:
        DbtRuntimeError: it cannot be locked or signed, with the reason.
    """
    path = path.resolve()
    if path in _held:
        return True
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise _cannot_be("locked", path, error) from error
    if not _lock(descriptor):
        os.close(descriptor)
        return False
    _held[path] = descriptor
    sign(path, word)
    return True


def _lock(descriptor: int) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows has no such locks.
        return True
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def release(path: Path) -> None:
    """Let go of a file that this process holds."""
    descriptor = _held.pop(path.resolve(), None)
    if descriptor is not None:
        signature_of(path.resolve()).unlink(missing_ok=True)
        os.close(descriptor)


def sign(path: Path, word: str = "") -> None:
    """Write down that this process holds the lock at `path`.

    Raises:
        DbtRuntimeError: it cannot be written; the words of the holder before stay.
    """
    words = {
        "word": word,
        "process": os.getpid(),
        "command": " ".join([Path(sys.argv[0]).name, *_subcommand(sys.argv[1:])]),
        "host": socket.gethostname(),
        "since": f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC",
    }
    write_whole(signature_of(path), json.dumps(words))


def _subcommand(arguments: list[str]) -> list[str]:
    """The first argument that is no option, if there is one.

    >>> _subcommand(["--no-use-colors", "build", "-s", "dim_groups"])
    ['build']
    """
    return [argument for argument in arguments if not argument.startswith("-")][:1]


def write_whole(path: Path, text: str) -> None:
    """Write a file that readers find whole, the old one or the new one.

    Raises:
        DbtRuntimeError: it cannot be written, with the reason; what was there stays.
    """
    part = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise _cannot_be("written", path, error) from error


def _cannot_be(done: str, path: Path, error: OSError) -> DbtRuntimeError:
    return DbtRuntimeError(f"{path} cannot be {done}: {error.strerror}.")


def signature_of(path: Path) -> Path:
    """Where the holder of a lock writes its name.

    >>> signature_of(Path("home/metastore"))
    PosixPath('home/metastore.owner.json')
    """
    return path.with_name(f"{path.name}.owner.json")


def is_signed(path: Path) -> bool:
    """Whether somebody holds this lock, or held it and did not let go."""
    return signature_of(path).exists()


def signed_word(path: Path) -> str:
    """The word in the signature; empty if there is none."""
    return _words(path).get("word", "")


def holder(path: Path) -> str:
    """Who holds a lock, in words."""
    words = _words(path)
    if not words.keys() >= {"process", "command", "host", "since"}:
        return "another process"
    return (
        f"process {words['process']} ({words['command']}) on host {words['host']}, "
        f"since {words['since']}"
    )


def _words(path: Path) -> dict[str, str]:
    try:
        words = json.loads(signature_of(path).read_text())
    except (OSError, ValueError):
        return {}
    return words if isinstance(words, dict) else {}
