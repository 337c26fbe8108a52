"""A PostgreSQL server for a session of tests, on loopback, with a password."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PASSWORD = "hush@2/b?c#d"
URL_PASSWORD = "hush%402%2Fb%3Fc%23d"
MISSING = "PostgreSQL's server is missing: run bin/ensure-postgres, as `make test` does."


def find(program: str) -> str:
    """The path of a program of the server. If it is not on PATH, that of the newest version."""
    installed = Path("/usr/lib/postgresql").glob(f"*/bin/{program}")
    newest = max(installed, key=lambda path: float(path.parts[4]), default=None)
    found = shutil.which(program) or newest
    assert found, MISSING
    return str(found)


@dataclass
class Server:
    """A server that runs. `url` is that of its database ``postgres``."""

    url: str
    restart: Callable[[], None]


@contextmanager
def server() -> Iterator[str]:
    """Run a server for a block. Yields the URL of its database ``postgres``."""
    with running() as found:
        yield found.url


@contextmanager
def running() -> Iterator[Server]:
    """Run a server for a block, which may restart it."""
    # Not pytest's folder, because the user that runs the server cannot open it.
    folder = Path(tempfile.mkdtemp(prefix="scuttlehouse-postgresql-"))
    data = folder / "data"
    password_file = folder / "password"
    password_file.write_text(PASSWORD)
    as_user: list[str] = []
    if os.geteuid() == 0:  # the server refuses to run as root
        names = {entry.pw_name for entry in pwd.getpwall()}
        user = "postgres" if "postgres" in names else "nobody"
        as_user = ["setpriv", f"--reuid={user}", f"--regid={pwd.getpwnam(user).pw_gid}"]
        as_user.append("--clear-groups")
        shutil.chown(folder, user)
        shutil.chown(password_file, user)

    def run(*command: str) -> None:
        with (folder / "output").open("a+") as output:
            done = subprocess.run(
                [*as_user, *command], cwd=folder, stdout=output, stderr=output, check=False
            )
            output.seek(0)
            assert done.returncode == 0, output.read()

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = f"-h 127.0.0.1 -p {port} -k '{folder}' -c fsync=off"
    control = [find("pg_ctl"), "--wait", "-D", str(data)]
    try:
        make = [find("initdb"), "-D", str(data), "-U", "tester", f"--pwfile={password_file}"]
        run(*make, "--auth=scram-sha-256", "--encoding=UTF8", "--no-sync")
        run(*control, "-l", str(folder / "log"), "-o", settings, "start")
        try:
            url = f"postgresql://tester:{URL_PASSWORD}@127.0.0.1:{port}/postgres"
            yield Server(url, lambda: run(*control, "-m", "fast", "restart"))
        finally:
            run(*control, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)
