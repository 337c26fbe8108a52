"""A cluster of Spark and an S3 server for tests: processes of their own, on loopback."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pyspark

S3_SECRETS = {
    "AWS_ACCESS_KEY_ID": "tester",
    "AWS_SECRET_ACCESS_KEY": "hush-of-s3",
    "AWS_REGION": "us-east-1",
}
BUCKET = "bucket"
_SPARK = Path(pyspark.__file__).parent
_WAIT_SECONDS = 600


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def running(log: Path, *command: str, **variables: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process for a block, with all processes that it starts."""
    with (
        log.open("wb") as output,
        subprocess.Popen(
            command,
            env={**os.environ, **variables},
            stdout=output,
            stderr=output,
            start_new_session=True,
        ) as process,
    ):
        try:
            yield process
        finally:
            kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait_for(what: str, log: Path) -> None:
    """Wait until a log says something."""
    end = time.monotonic() + _WAIT_SECONDS
    while what not in log.read_text(errors="replace"):
        assert time.monotonic() < end, log.read_text(errors="replace")[-2000:]
        time.sleep(0.2)


@dataclass
class S3:
    """An S3 server with a bucket, which keeps its files when it ends. `variables` lead to it."""

    folder: Path
    port: int = field(default_factory=free_port)
    _stack: ExitStack = field(default_factory=ExitStack)

    @property
    def variables(self) -> dict[str, str]:
        return {**S3_SECRETS, "AWS_ENDPOINT_URL_S3": f"http://127.0.0.1:{self.port}"}

    def start(self) -> None:
        python = os.environ.get("MOTO_PYTHON")
        assert python, "MOTO_PYTHON names no Python with moto: `make test-cluster` installs it."
        log = self.folder / "s3.log"
        command = python, str(Path(__file__).with_name("s3_server.py")), str(self.port), BUCKET
        started = running(log, *command, str(self.folder / "files"))
        self._process = self._stack.enter_context(started)
        wait_for("Running on", log)

    def end(self) -> None:
        """End the server. What it has answered is kept for the next start."""
        self.thaw()
        self._process.send_signal(signal.SIGTERM)
        self._process.wait()
        self._stack.close()

    def freeze(self) -> None:
        """From now on the server neither answers nor refuses anything."""
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._process.send_signal(signal.SIGCONT)


@contextmanager
def s3(folder: Path) -> Iterator[S3]:
    server = S3(folder)
    server.start()
    try:
        yield server
    finally:
        server.end()


@dataclass
class Cluster:
    """A master and workers of one core each. They know S3's secrets and the key of the warehouse."""

    master: str
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)


@contextmanager
def spark(folder: Path, workers: int, *, secret: str = "", **variables: str) -> Iterator[Cluster]:
    port = free_port()
    if secret:
        settings = f"spark.authenticate true\nspark.authenticate.secret {secret}\n"
        (folder / "spark-defaults.conf").write_text(settings)
        variables["SPARK_CONF_DIR"] = str(folder)
    command = str(_SPARK / "bin" / "spark-class"), "org.apache.spark.deploy"
    own = {**variables, "SPARK_HOME": str(_SPARK), "SPARK_LOCAL_IP": "127.0.0.1"}
    own["PYTHONPATH"] = ""  # The package comes with the build.
    cluster = Cluster(f"spark://127.0.0.1:{port}")
    with ExitStack() as stack:
        log = folder / "master.log"
        where = "--host", "127.0.0.1", "--webui-port", "0"
        start = command[0], f"{command[1]}.master.Master", "--port", str(port), *where
        stack.enter_context(running(log, *start, **own))
        wait_for("I have been elected leader", log)
        for number in range(workers):
            log, place = folder / f"worker{number}.log", folder / f"worker{number}"
            size = "--cores", "1", "--memory", "1g", "--work-dir", str(place)
            start = command[0], f"{command[1]}.worker.Worker", *where, *size, cluster.master
            local = {**own, "SPARK_LOCAL_DIRS": str(place)}
            cluster.workers.append(stack.enter_context(running(log, *start, **local)))
            wait_for("Successfully registered with master", log)
        yield cluster
