"""Locks that say who holds them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.sparkpython.owners import (
    hold,
    holder,
    is_locked,
    release,
    signature_of,
    write_whole,
)

HOLD = """
import sys, time
from pathlib import Path
from dbt.adapters.sparkpython.owners import hold
print(hold(Path(sys.argv[1])), flush=True)
time.sleep(600)
"""


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "build.lock"


@pytest.fixture
def other(lock: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(lock)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        yield process
        process.kill()


def test_a_process_holds_a_lock_until_it_lets_go(lock: Path) -> None:
    assert not is_locked(lock)
    assert hold(lock)
    assert hold(lock), "it may ask twice"
    assert str(os.getpid()) in holder(lock)
    release(lock)
    assert not signature_of(lock).exists()
    release(lock)


def test_a_second_process_is_told_who_the_first_is(
    lock: Path, other: subprocess.Popen[str]
) -> None:
    assert is_locked(lock)
    assert not hold(lock)
    words = holder(lock)
    assert words.startswith(f"process {other.pid} ")
    assert f" on host {socket.gethostname()}, since 20" in words
    assert words.endswith(" UTC")


def test_a_killed_process_lets_go(lock: Path, other: subprocess.Popen[str]) -> None:
    other.send_signal(signal.SIGKILL)
    other.wait()
    assert not is_locked(lock)
    assert f"process {other.pid} " in holder(lock), "it can still be told who did not end well"
    assert hold(lock)
    assert f"process {os.getpid()} " in holder(lock)
    release(lock)


@pytest.mark.parametrize("text", ["", "{", "{}", "[1]"])
def test_a_damaged_signature_is_no_trouble(lock: Path, text: str) -> None:
    lock.parent.mkdir()
    signature_of(lock).write_text(text)
    assert holder(lock) == "another process"


@pytest.mark.parametrize("name", ["folder", "file/name"])
@pytest.mark.parametrize(
    ("what", "done"),
    [(is_locked, "opened"), (hold, "locked"), (lambda path: write_whole(path, ""), "written")],
)
def test_a_place_that_cannot_be_used_is_a_sentence(
    tmp_path: Path, name: str, what: Callable[[Path], object], done: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(DbtRuntimeError) as raised:
        what(tmp_path / name)
    assert raised.value.msg.startswith(f"{tmp_path / name} cannot be {done}: ")
    assert "\n" not in raised.value.msg
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"], "no part is left"
