"""Superset with the dashboards, on this machine alone: start it, stop it, or make another password.

    python dashboards/serve.py start|stop|password

Superset's own files are in the folder `dashboards` of the home. This needs only the standard library;
Superset runs in the environment that this Python belongs to.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.request import urlopen

HERE = Path(__file__).parent
HOST = "127.0.0.1"
PORTS = range(8088, 8108)
FIRST_PAGE = "/superset/dashboard/this-morning/"
STARTS_WITHIN = 300  # seconds
STOPS_WITHIN = 60
_AT_WORK = "Another `make dashboards` is at work: wait until it is done."


class DashboardsError(Exception):
    """The dashboards cannot be shown; the message says why and what to do."""


def start(home: Path) -> None:
    """Show the dashboards of a home; print the address last.

    Raises:
        DashboardsError: there is no serving file, Superset fails, or no port is free.
    """
    file = home / "serving" / "published.duckdb"
    if not file.exists():
        # With the variable, `export` writes the tables into the database that it names.
        without = "SCUTTLEHOUSE_SERVING= " if os.environ.get("SCUTTLEHOUSE_SERVING") else ""
        raise DashboardsError(f"{file} is missing: run `{without}scuttlehouse export` first.")
    state = _state(home)
    if _runs(state) and _prepared(state) == _wanted(file) and (state / "process").exists():
        print(f"The dashboards are shown already.\nhttp://{_address(state)}{FIRST_PAGE}")
        return
    stop(home, is_again=True)
    with _lock(state) as lock:
        if lock is None:
            raise DashboardsError(_AT_WORK)
        (state / "process").unlink(missing_ok=True)
        if _prepared(state) != _wanted(file):
            _run(state, str(file))
            (state / "prepared").write_text(_wanted(file))
        print("Starting Superset ...", flush=True)
        with _listener() as listener:
            (state / "address").write_text(f"{HOST}:{listener.getsockname()[1]}")
            server = _serve(state, listener, lock)
        _wait(server, state)
    print(
        f"The dashboards are shown until `make dashboards-stop`.\nhttp://{_address(state)}{FIRST_PAGE}"
    )


def stop(home: Path, *, is_again: bool = False) -> None:
    """Stop the Superset of a home, if it runs.

    Args:
        is_again: it is started again afterwards, so nothing is said if it does not run.

    Raises:
        DashboardsError: it does not stop.
    """
    state = _folder(home)
    if not _runs(state):
        if not is_again:
            print("The dashboards are not running.")
        return
    process = state / "process"
    if not process.exists():
        raise DashboardsError(_AT_WORK)
    # Who holds the lock has written this number, so it is a process of ours.
    os.killpg(int(process.read_text()), signal.SIGTERM)
    for _ in range(STOPS_WITHIN * 10):
        time.sleep(0.1)
        if not _runs(state):
            print("The dashboards are stopped.")
            return
    raise DashboardsError(f"Superset does not stop: see {state}/superset.log.")


def change_password(home: Path) -> None:
    """Give the user another random password, and print it.

    Raises:
        DashboardsError: there is no user yet, or Superset fails.
    """
    state = _folder(home)
    if not (state / "superset.db").exists():
        raise DashboardsError("There is no user yet: `make dashboards` makes one.")
    _run(state)


def _folder(home: Path) -> Path:
    return home / "dashboards"


def _state(home: Path) -> Path:
    """The folder of Superset's own files, for the owner alone, with the secret that signs its cookies."""
    state = _folder(home)
    state.mkdir(mode=0o700, exist_ok=True)
    secret = state / "secret_key"
    if not secret.exists():
        secret.write_text(secrets.token_urlsafe(42))
    return state


def _environment(state: Path) -> dict[str, str]:
    config = {
        "SUPERSET_CONFIG_PATH": str(HERE / "superset_config.py"),
        "SCUTTLEHOUSE_DASHBOARDS": str(state),
    }
    return {**os.environ, **config}


def _run(state: Path, *arguments: str) -> None:
    """Run `prepare.py`; what Superset says goes to a file."""
    log = state / "prepare.log"
    with log.open("w") as errors:
        process = subprocess.run(
            [sys.executable, str(HERE / "prepare.py"), *arguments],
            env=_environment(state),
            stderr=errors,
        )
    if process.returncode:
        last = (log.read_text().strip().splitlines() or ["it was ended"])[-1]
        raise DashboardsError(f"The dashboards could not be made ({last}): {log} says more.")


def _prepared(state: Path) -> str | None:
    done = state / "prepared"
    return done.read_text() if done.exists() else None


def _wanted(file: Path) -> str:
    """What the dashboards in Superset's database are made of: code, versions, and where the tables are."""
    parts = hashlib.sha256(str(file).encode())
    for path in sorted(_sources()):
        parts.update(path.read_bytes())
    return parts.hexdigest()


def _sources() -> Iterable[Path]:
    return (
        path for path in HERE.rglob("*") if path.suffix in {".py", ".sql", ".yml", ".css", ".lock"}
    )


def _runs(state: Path) -> bool:
    """Whether a Superset, or another start of one, is at work."""
    if not state.exists():
        return False
    with _lock(state) as lock:
        return lock is None


@contextmanager
def _lock(state: Path) -> Iterator[int | None]:
    """The lock of the folder, or null while a Superset, which inherits it, runs. It ends with the process."""
    lock = os.open(state / "running", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield lock if _take(lock) else None
    finally:
        os.close(lock)


def _take(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _serve(state: Path, listener: socket.socket, lock: int) -> subprocess.Popen[bytes]:
    # A control socket would be a file outside of the home, the same for all homes.
    command = (
        "-m gunicorn -w 1 --threads 8 -k gthread --timeout 120 --graceful-timeout 5 --no-control-socket "
        f"-b fd://{listener.fileno()} superset.app:create_app()"
    )
    log = (state / "superset.log").open("w")
    server = subprocess.Popen(
        [sys.executable, *command.split()],
        env=_environment(state),
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        pass_fds=[lock, listener.fileno()],
        start_new_session=True,
    )
    (state / "process").write_text(str(server.pid))
    return server


def _wait(server: subprocess.Popen[bytes], state: Path) -> None:
    ends_at = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < ends_at:
        if server.poll() is not None:
            raise DashboardsError(f"Superset ended at once: {state}/superset.log says why.")
        try:
            with urlopen(f"http://{_address(state)}/health", timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    os.killpg(server.pid, signal.SIGTERM)
    raise DashboardsError(
        f"Superset did not answer for {STARTS_WITHIN} seconds: see {state}/superset.log."
    )


def _listener() -> socket.socket:
    """A socket at a free port. Superset inherits it, so nobody else takes the port meanwhile."""
    for port in PORTS:
        with suppress(OSError):
            return socket.create_server((HOST, port))
    raise DashboardsError(
        f"The ports {PORTS[0]} to {PORTS[-1]} are all in use: end a program that uses one."
    )


def _address(state: Path) -> str:
    return (state / "address").read_text()


_COMMANDS = {"start": start, "stop": stop, "password": change_password}


def main(*arguments: str) -> int:
    """Run a command; return the exit code."""
    if len(arguments) != 1 or arguments[0] not in _COMMANDS:
        print(f"Say one of {', '.join(_COMMANDS)} behind dashboards/serve.py.", file=sys.stderr)
        return 2
    os.umask(0o077)
    home = Path(
        os.path.realpath(os.environ.get("SCUTTLEHOUSE_HOME", "").strip() or ".scuttlehouse")
    )
    try:
        _COMMANDS[arguments[0]](home)
    except (DashboardsError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
