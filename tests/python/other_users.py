"""Processes of other users: what they can open of ours, what answers them, and what they can query."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

NOBODY, NOGROUP = 65534, 65534
OUTSIDER = 65533
needs_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root can start processes of other users"
)

# Everything is imported before the user changes, who perhaps cannot read this Python.
_BECOME = """
import json, os, sys
user, group = int(sys.argv[1]), int(sys.argv[2])
def become():
    os.setgroups([]); os.setgid(group); os.setuid(user)
"""

_OPENED = (
    _BECOME
    + """
become()
found = []
for path in json.load(sys.stdin):
    for flags in (os.O_RDONLY, os.O_WRONLY):
        try:
            os.close(os.open(path, flags))
        except OSError:
            continue
        found.append([path, flags == os.O_WRONLY])
    try:
        os.listdir(path)
    except OSError:
        continue
    found.append([path, False])
json.dump(found, sys.stdout)
"""
)

_QUERY = (
    _BECOME
    + """
import pathlib, tempfile
from scuttlehouse.cli import main
import scuttlehouse.cli.sql, scuttlehouse.reading.warehouse, psycopg, encodings.idna
from scuttlehouse.reading.engine import connect
with connect(pathlib.Path("/nothing")) as database:
    database.execute("select now(), 1.5").fetchall()
become()
sys.exit(main(["sql", sys.argv[3], "--format", "json"]))
"""
)


def opened_by(user: int, group: int, paths: Iterable[Path]) -> set[Path]:
    """Which files a user can open for reading, and which folders they can list; nothing for writing."""
    done = subprocess.run(
        [sys.executable, "-c", _OPENED, str(user), str(group)],
        input=json.dumps([str(path) for path in paths]),
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    written = [path for path, is_for_writing in found if is_for_writing]
    assert not written, written
    return {Path(path) for path, _ in found}


def queried_by(user: int, group: int, statement: str) -> subprocess.CompletedProcess[str]:
    """What `scuttlehouse sql` says to a user, in the environment of this process."""
    return subprocess.run(
        [sys.executable, "-c", _QUERY, str(user), str(group), statement],
        capture_output=True,
        text=True,
        check=False,
    )


def let_through(folder: Path) -> None:
    """Let other users go through the folders above one, so that its own mode decides."""
    for parent in folder.parents:
        if parent.stat().st_uid == os.geteuid() and parent != Path(parent.anchor):
            parent.chmod(parent.stat().st_mode | 0o111)
