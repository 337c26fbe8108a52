"""Processes of other users: what they can open of ours, what answers them, and what they can query."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
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


# What Py4J, Spark's network, its Python workers and its pages are asked first.
_ASKED = """
def asked(address, message):
    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    with socket.socket(family) as client:
        client.settimeout(3)
        answer = b""
        try:
            client.connect(address if isinstance(address, str) else ("127.0.0.1", address))
            client.sendall(message)
            while part := client.recv(4096):
                answer += part
        except OSError:
            pass
        return answer
def frame(kind, *parts):
    body = bytes([kind]) + b"".join(parts)
    return struct.pack(">q", 8 + len(body)) + body
def text(value):
    return struct.pack(">i", len(value)) + value
messages = {
    "py4j": b"c\\nt\\nsecret\\ne\\n",
    "py4j, another secret": b"A\\n" + 64 * b"0" + b"\\ne\\nc\\nt\\nsecret\\ne\\n",
    "rpc": frame(3, bytes(8), struct.pack(">i", 5), b"hello"),
    "stream": frame(6, text(b"/jars/a.jar")),
    "a Python worker": text(64 * b"0") + struct.pack(">i", 3),
    "a page": b"GET / HTTP/1.0\\r\\n\\r\\n",
}
become()
places = [(address, name) for address in json.load(sys.stdin) for name in messages]
with concurrent.futures.ThreadPoolExecutor(64) as pool:
    answers = pool.map(lambda place: asked(place[0], messages[place[1]]), places)
json.dump([[*place, answer.decode("latin-1")] for place, answer in zip(places, answers)], sys.stdout)
"""

# How what is asked without its secret refuses.
_REFUSALS = (
    r"",
    # Py4J.
    r"!xsAuthentication error: [a-z ]+\.\n",
    r"!zspy4j\.Py4JException: Unknown command received: .*",
    # A Python worker: the number of its process, and an error.
    r".{4}(?:\x00\x00\x00\x03err)?",
    # Spark's network.
    r".{8}\x05.*Expected SaslMessage.*",
    r".{8}\x08.*Unauthenticated call.*",
)


@contextmanager
def as_another_user() -> Iterator[None]:
    """For a block, this process of root may open only what nobody in particular may open."""
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


def is_refused(answer: str) -> bool:
    """Whether an answer of ``answers_to`` says nothing but no."""
    return any(re.fullmatch(pattern, answer, re.DOTALL) for pattern in _REFUSALS)


def answers_to(user: int, group: int, addresses: Iterable[int | str]) -> list[list[str]]:
    """What sockets of this machine answer to a user: the address, who was asked, and the answer."""
    imports = "import concurrent.futures.thread, socket, struct, encodings.idna"
    done = subprocess.run(
        [sys.executable, "-c", f"{imports}{_BECOME}{_ASKED}", str(user), str(group)],
        input=json.dumps(sorted(addresses, key=str)),
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[list[str]] = json.loads(done.stdout)
    return found


def family(pid: int) -> set[int]:
    """A process, all that it has started, and what those have started."""
    found = {pid}
    with suppress(FileNotFoundError, ProcessLookupError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found |= family(int(child))
    return found


def listening(pids: Iterable[int]) -> set[int | str]:
    """The ports and the sockets of files where processes listen."""
    found: set[int | str] = set()
    for pid in pids:
        with suppress(FileNotFoundError, ProcessLookupError):
            found |= {int(port, 16) for _, port in listening_addresses(pid)}
            sockets = _sockets(pid)
            for line in Path(f"/proc/{pid}/net/unix").read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == "00010000" and f"socket:[{fields[6]}]" in sockets:
                    found.add(fields[7].replace("@", "\0", 1))
    return found


def listening_addresses(pid: int) -> set[tuple[str, str]]:
    """The addresses and ports where a process listens, in hexadecimal digits, as the kernel writes them.

    Raises:
        FileNotFoundError, ProcessLookupError: the process has ended.
    """
    found = set()
    sockets = _sockets(pid)
    for name in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                address, _, port = fields[1].rpartition(":")
                found.add((address, port))
    return found


def _sockets(pid: int) -> set[str]:
    """The open files of a process that are links; those of sockets are named ``socket:[NUMBER]``."""
    return {str(one.readlink()) for one in Path(f"/proc/{pid}/fd").iterdir() if one.is_symlink()}


def written_by(pids: Iterable[int]) -> set[Path]:
    """The files that processes hold open for writing."""
    found = set()
    for pid in pids:
        with suppress(FileNotFoundError, ProcessLookupError):
            for one in Path(f"/proc/{pid}/fd").iterdir():
                with suppress(FileNotFoundError):
                    path = one.readlink()
                    if (
                        one.lstat().st_mode & 0o200
                        and path.is_file()
                        and path.parts[1] not in ("proc", "dev")
                    ):
                        found.add(path)
    return found


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
