"""The lock of a home: one build at a time, or several commands that do not build.

A process holds it until it ends, for whatever reason, so no lock is ever stale. With SQLite the lock is
a kernel lock on ``build.lock`` in the home. With PostgreSQL it is an advisory lock of a separate
connection. The holders write who they are into ``build.lock``.

Each developer has such a lock for the own work namespace, and shares ``files.lock`` with the others. Whoever
removes unused files holds that one alone, because nothing reaches a file that is still being written.
Whoever changes a table without Spark holds ``changes.lock`` alone, for a moment: others wait for it.
"""

from __future__ import annotations

import atexit
import fcntl
import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Protocol

from scuttlehouse.catalog.database import open_postgresql, postgresql_address
from scuttlehouse.catalog.names import CatalogError


class _Lock(Protocol):
    def take(self, *, exclusive: bool) -> bool:
        """Take the lock, or change how it is held. False if another process prevents that."""

    def is_held(self) -> bool:
        """Whether it is still held, if it was taken."""

    def close(self) -> None:
        """Release it."""


class _FileLock:
    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)

    def take(self, *, exclusive: bool) -> bool:
        operation = fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH
        try:
            fcntl.flock(self._descriptor, operation | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def is_held(self) -> bool:
        return True

    def close(self) -> None:
        os.close(self._descriptor)


class _DatabaseLock:
    def __init__(self, address: str, name: str) -> None:
        self._key = f"hashtext('scuttlehouse {name}')"
        self._stack = ExitStack()
        self._database = self._stack.enter_context(open_postgresql(address))
        self._mode: str | None = None
        # A run that fails at its beginning has no end, and the driver closes nothing without a message.
        atexit.register(self._close_in, os.getpid())

    def take(self, *, exclusive: bool) -> bool:
        mode = "" if exclusive else "_shared"
        query = f"select pg_try_advisory_lock{mode}({self._key})"
        [[is_taken]] = self._database.rows(query)
        if is_taken:
            if self._mode is not None:
                self._database.rows(f"select pg_advisory_unlock{self._mode}({self._key})")
            self._mode = mode
        return bool(is_taken)

    def is_held(self) -> bool:
        try:
            self._database.rows("select 1")
        except Exception:  # Whatever the driver says of a connection that is cut.
            return False
        return True

    def close(self) -> None:
        self._stack.close()

    def _close_in(self, process: int) -> None:
        if os.getpid() == process:
            self.close()


@dataclass
class _Held:
    lock: _Lock
    exclusive: bool
    # Whether it is held alone until `release`. None if only a block of `alone` holds it.
    kept: bool | None


_held: dict[Path, _Held] = {}


class BuildLock:
    """A lock of a home in this process. All objects for the same home and name share one lock.

    The name is ``build``, ``files``, ``changes`` or the work namespace of a developer.
    """

    def __init__(self, home: Path, name: str = "build") -> None:
        self._name = name
        self._path = home / f"{name}.lock"

    def hold(self, exclusive: bool) -> None:
        """Hold the lock until :meth:`release` or the end of this process.

        If this process already holds the lock, it keeps it, and holds it exclusively if `exclusive`.

        Args:
            exclusive: hold it alone.

        Raises:
            CatalogError: another process holds the lock (the message names it), or the lock cannot be opened.
        """
        self._take(exclusive)
        held = _held[self._path]
        held.kept = held.kept or exclusive

    def _take(self, exclusive: bool, patience_seconds: float = 0) -> bool:
        """Take the lock, or change how it is held. False if this process already holds it in this way."""
        held = _held.get(self._path)
        if held and (held.exclusive or not exclusive):
            return False
        lock = held.lock if held else self._open()
        last = monotonic() + patience_seconds
        while not lock.take(exclusive=exclusive):
            if monotonic() < last:
                sleep(0.05)
                continue
            # The kernel drops a shared lock that cannot become an exclusive one.
            if not (held and lock.take(exclusive=False)):
                _held.pop(self._path, None)
                lock.close()
            raise CatalogError(
                f"The warehouse in {self._path.parent} is in use by "
                f"{self._somebody()}. "
                "Wait until it ends, or stop it, and try again."
            )
        # Whoever is alone starts the list of holders again.
        self._sign(restart=exclusive)
        _held[self._path] = _Held(lock, exclusive, held.kept if held else None)
        return True

    @contextmanager
    def alone(self, patience_seconds: float = 0) -> Iterator[None]:
        """Hold the lock alone in a block. Afterwards it is held as :meth:`hold` was asked to, or not at all.

        Args:
            patience_seconds: how long to wait for another process that holds it.

        Raises:
            CatalogError: as :meth:`hold` does.
        """
        is_taken = self._take(exclusive=True, patience_seconds=patience_seconds)
        try:
            yield
        finally:
            held = _held.get(self._path)
            if is_taken and held and not held.kept:
                self._give_back(held)

    def _give_back(self, held: _Held) -> None:
        if held.kept is None or not held.lock.take(exclusive=False):
            self.release()
        else:
            held.exclusive = False

    def is_held(self) -> bool:
        """Whether this process still holds the lock: PostgreSQL drops it with its connection."""
        held = _held.get(self._path)
        return held is not None and held.lock.is_held()

    def release(self) -> None:
        """Release the lock if this process holds it."""
        held = _held.pop(self._path, None)
        if held:
            self._sign(restart=held.exclusive, has_left=True)
            held.lock.close()

    def _open(self) -> _Lock:
        address = postgresql_address()
        if address:
            return _DatabaseLock(address, self._name)
        try:
            return _FileLock(self._path)
        except OSError as error:
            raise CatalogError(
                f"The lock {self._path} cannot be opened ({error.strerror}): correct that, or set "
                "SCUTTLEHOUSE_HOME to a home that this user can write."
            ) from None

    def _sign(self, *, restart: bool, has_left: bool = False) -> None:
        words = json.dumps({**_words(), "has_left": has_left})
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | (os.O_TRUNC if restart else 0)
        # The text is only for messages. The lock works without it.
        with suppress(OSError), os.fdopen(os.open(self._path, flags, 0o600), "w") as file:
            file.write(f"{words}\n")

    def _somebody(self) -> str:
        """Who holds the lock, as far as this user can tell."""
        with suppress(CatalogError):
            return self.holder() or "another process"
        return "another process"

    def holder(self) -> str | None:
        """The last process that has signed and, judged from this host, not ended; None if there is none.

        Raises:
            CatalogError: this user may not read who has signed.
        """
        holders: dict[tuple[str, int], dict[str, Any]] = {}
        for words in self._signatures():
            key = words["host"], words["process"]
            holders.pop(key, None)
            if not words["has_left"] and _may_be_alive(*key):
                holders[key] = words
        for words in reversed(holders.values()):
            return (
                f"process {words['process']} ({words['command']}) on host {words['host']}, "
                f"since {words['since']}"
            )
        return None

    def _signatures(self) -> Iterator[dict[str, Any]]:
        try:
            signed = self._path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            raise CatalogError(
                f"{self._path} cannot be read ({error.strerror}), so nobody knows who builds: ask as the "
                "user that builds."
            ) from None
        for line in signed.splitlines():
            with suppress(ValueError):
                words = json.loads(line)
                if isinstance(words, dict) and _is_signature(words):
                    yield words


_SIGNATURE = {"host": str, "process": int, "command": str, "since": str, "has_left": bool}


def _is_signature(words: dict[str, Any]) -> bool:
    return all(type(words.get(key)) is of for key, of in _SIGNATURE.items())


def _words() -> dict[str, Any]:
    return {
        "process": os.getpid(),
        "host": socket.gethostname(),
        "command": " ".join([Path(sys.argv[0]).name, *_subcommand(sys.argv[1:])]),
        "since": f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S UTC}",
    }


def _subcommand(arguments: list[str]) -> list[str]:
    """The first argument that is not an option, if any.

    >>> _subcommand(["--no-use-colors", "build", "-s", "dim_groups"])
    ['build']
    """
    return [argument for argument in arguments if not argument.startswith("-")][:1]


def _may_be_alive(host: str, process: int) -> bool:
    if host != socket.gethostname():
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
