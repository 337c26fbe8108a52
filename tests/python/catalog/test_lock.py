"""The build lock between real processes, with the kernel and with PostgreSQL."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from houses import House
from scuttlehouse.catalog.lock import BuildLock
from scuttlehouse.catalog.names import CatalogError

HOLD = """
import sys
from pathlib import Path
from scuttlehouse.catalog.lock import BuildLock
lock = BuildLock(Path(sys.argv[2]), *sys.argv[3:])
lock.hold(exclusive=sys.argv[1] == "build")
print("held", flush=True)
sys.stdin.readline()
lock.release()
print("released", flush=True)
sys.stdin.read()
"""


@contextmanager
def holding(house: House, command: str, *name: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, command, str(house.home), *name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_locks_of_other_names_are_not_in_the_way(house: House, lock: BuildLock) -> None:
    files = BuildLock(house.home, "files")
    with holding(house, "build", "scuttlehouse_dev_ann"), holding(house, "test", "files"):
        lock.hold(exclusive=True)
        assert "in use by" in in_the_way(
            BuildLock(house.home, "scuttlehouse_dev_ann"), exclusive=True
        )
        assert "in use by" in in_the_way(files, exclusive=True), "somebody writes files"
        files.hold(exclusive=False)
        files.release()


@pytest.fixture
def lock(house: House) -> Iterator[BuildLock]:
    lock = BuildLock(house.home)
    yield lock
    lock.release()


def in_the_way(lock: BuildLock, *, exclusive: bool) -> str:
    with pytest.raises(CatalogError) as raised:
        lock.hold(exclusive=exclusive)
    return str(raised.value)


@pytest.mark.parametrize("exclusive", [True, False])
def test_a_build_is_alone_and_says_who_it_is(
    house: House, lock: BuildLock, exclusive: bool
) -> None:
    with holding(house, "build") as other:
        message = in_the_way(lock, exclusive=exclusive)
        prefix = (
            f"The warehouse in {house.home} is in use by process {other.pid} (-c build) on host "
        )
        assert message.startswith(f"{prefix}{socket.gethostname()}, since 20")
        assert message.endswith(" UTC. Wait until it ends, or stop it, and try again.")
    hold_soon(lock, exclusive=exclusive)


def test_other_commands_run_together_but_not_beside_a_build(house: House, lock: BuildLock) -> None:
    lock.hold(exclusive=False)
    with holding(house, "run") as first, holding(house, "test") as second:
        assert f"process {second.pid} (-c test)" in in_the_way(lock, exclusive=True)
        assert second.stdin
        assert second.stdout
        second.stdin.write("\n")
        second.stdin.flush()
        assert second.stdout.readline() == "released\n"
        assert f"process {first.pid} (-c run)" in in_the_way(lock, exclusive=True)
        lock.hold(exclusive=False)
    with pytest.raises(AssertionError), holding(house, "build"):
        pass  # This process still holds its shared lock.
    hold_soon(lock, exclusive=True)
    with pytest.raises(AssertionError), holding(house, "run"):
        pass


@pytest.mark.parametrize("command", ["build", "run"])
def test_a_killed_process_leaves_no_lock(house: House, lock: BuildLock, command: str) -> None:
    with holding(house, command) as other:
        other.send_signal(signal.SIGKILL)
        other.wait()
        hold_soon(lock, exclusive=True)
        lines = (house.home / "build.lock").read_text().splitlines()
        assert [json.loads(line)["process"] for line in lines] == [os.getpid()]


def test_whoever_is_refused_is_told_who_lives_and_holds_nothing(sqlite_house: House) -> None:
    lock = BuildLock(sqlite_house.home)
    with holding(sqlite_house, "run") as first:
        with holding(sqlite_house, "test"):
            pass  # It is killed here.
        opened = {*Path("/proc/self/fd").iterdir()}
        assert f"in use by process {first.pid} (-c run)" in in_the_way(lock, exclusive=True)
        assert not lock.is_held()
        assert {*Path("/proc/self/fd").iterdir()} == opened
    with holding(sqlite_house, "build"):
        pass


def test_whoever_has_patience_waits(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    with holding(house, "build", "changes") as other:
        waits = []

        def let_go(seconds: float) -> None:
            waits.append(seconds)
            if len(waits) == 1:
                assert other.stdin
                assert other.stdout
                other.stdin.write("\n")
                other.stdin.flush()
                assert other.stdout.readline() == "released\n"

        monkeypatch.setattr("scuttlehouse.catalog.lock.sleep", let_go)
        with BuildLock(house.home, "changes").alone(600):
            assert waits


def hold_soon(lock: BuildLock, *, exclusive: bool) -> None:
    """PostgreSQL ends the session of a killed process a moment later."""
    for _ in range(600):
        with suppress(CatalogError):
            lock.hold(exclusive=exclusive)
            return
        time.sleep(0.1)
    lock.hold(exclusive=exclusive)


def test_a_process_may_take_its_lock_again(house: House, lock: BuildLock) -> None:
    lock.release()
    lock.hold(exclusive=True)
    lock.hold(exclusive=False)
    BuildLock(house.home).hold(exclusive=True)
    with pytest.raises(AssertionError), holding(house, "run"):
        pass
    BuildLock(house.home).release()
    with holding(house, "build"):
        pass
    lock.hold(exclusive=False)
    with holding(house, "run"):
        pass


@pytest.mark.parametrize("exclusive", [True, False])
def test_a_block_leaves_a_lock_as_a_run_holds_it(
    house: House, lock: BuildLock, exclusive: bool
) -> None:
    lock.hold(exclusive=exclusive)
    for _ in range(2):
        with BuildLock(house.home).alone(), pytest.raises(AssertionError), holding(house, "run"):
            pass
        with pytest.raises(AssertionError), holding(house, "build"):
            pass
        assert lock.is_held()
    if not exclusive:
        with holding(house, "run"):
            pass


def test_a_lock_ends_with_the_last_block_unless_a_run_holds_it(
    house: House, lock: BuildLock
) -> None:
    with BuildLock(house.home).alone():
        with BuildLock(house.home).alone():
            pass
        assert lock.is_held()
    assert not lock.is_held()
    with BuildLock(house.home).alone():
        lock.hold(exclusive=True)
        lock.hold(exclusive=False)
    with pytest.raises(AssertionError), holding(house, "run"):
        pass
    lock.release()
    with holding(house, "build"):
        pass


def test_others_may_begin_at_every_moment_of_a_shared_lock(
    house: House, lock: BuildLock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that has the lock alone for a moment refuses them in that moment."""
    sign, begun = BuildLock._sign, []

    def begin_another(self: BuildLock, **how: bool) -> None:
        with holding(house, "run"):
            begun.append(how)
        sign(self, **how)

    monkeypatch.setattr(BuildLock, "_sign", begin_another)
    lock.hold(exclusive=False)
    lock.release()
    assert len(begun) == 2


@pytest.fixture
def taken_meanwhile(
    sqlite_house: House, monkeypatch: pytest.MonkeyPatch
) -> Iterator[list[subprocess.Popen[str]]]:
    """The kernel drops a lock that it changes, then takes it anew (flock(2)). In between, a build begins."""
    flock, known = fcntl.flock, set()
    builds: list[subprocess.Popen[str]] = []
    with ExitStack() as stack:

        def flock_in_two_steps(descriptor: int, operation: int) -> None:
            if descriptor in known and not builds:
                flock(descriptor, fcntl.LOCK_UN)
                builds.append(stack.enter_context(holding(sqlite_house, "build")))
            known.add(descriptor)
            flock(descriptor, operation)

        monkeypatch.setattr(fcntl, "flock", flock_in_two_steps)
        yield builds


def test_no_build_begins_while_a_lock_is_shared(
    sqlite_house: House, taken_meanwhile: list[subprocess.Popen[str]]
) -> None:
    lock = BuildLock(sqlite_house.home)
    lock.hold(exclusive=False)
    assert not taken_meanwhile
    lock.release()


def test_a_shared_lock_that_another_build_takes_is_no_longer_held(
    sqlite_house: House, taken_meanwhile: list[subprocess.Popen[str]]
) -> None:
    lock = BuildLock(sqlite_house.home)
    lock.hold(exclusive=False)
    message = in_the_way(lock, exclusive=True)
    assert f"in use by process {taken_meanwhile[0].pid} (-c build)" in message
    assert not lock.is_held()


def test_a_build_starts_the_list_of_holders_again(house: House, lock: BuildLock) -> None:
    for exclusive in (False, False, True) * 5:
        lock.hold(exclusive=exclusive)
        lock.release()
    assert len((house.home / "build.lock").read_text().splitlines()) == 1
    assert (house.home / "build.lock").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[1]", "null", "\udcff", '{"process": "a"}', '{"host": [], "process": {}}'),
        '{"host": "a", "process": 1, "command": "build", "since": "today"}',
    ],
)
def test_damaged_signatures_are_ignored(house: House, lock: BuildLock, text: str) -> None:
    with holding(house, "build"):
        (house.home / "build.lock").write_text(text, errors="surrogateescape")
        assert " is in use by another process. " in in_the_way(lock, exclusive=True)


@pytest.mark.parametrize(
    ("host", "process", "is_told"),
    [
        ("a host that is not this one", 2**30, True),
        (socket.gethostname(), 2**30, False),
        (socket.gethostname(), 2**70, False),
        (socket.gethostname(), 1, True),
    ],
)
def test_whoever_may_be_alive_is_told(
    sqlite_house: House, lock: BuildLock, host: str, process: int, is_told: bool
) -> None:
    """Of another host, nobody here knows which processes run."""
    words = {"host": host, "process": process, "command": "dbt build", "since": "today"}
    with holding(sqlite_house, "build"):
        (sqlite_house.home / "build.lock").write_text(json.dumps(words | {"has_left": False}))
        told = in_the_way(lock, exclusive=True)
    assert (f"process {process} (dbt build) on host {host}, since today" in told) == is_told


def test_a_lock_that_cannot_be_opened_is_reported(sqlite_house: House) -> None:
    (sqlite_house.home / "build.lock").mkdir()
    says_what_to_do = r"/build\.lock cannot be opened \(Is a directory\): correct that, or set"
    with pytest.raises(CatalogError, match=says_what_to_do):
        BuildLock(sqlite_house.home).hold(exclusive=True)
