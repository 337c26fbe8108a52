"""Builds through a Spark Connect server, by a client without Java: `make test-connect`.

The server and PostgreSQL are processes of their own on this machine.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import postgresql
from objects import put
from other_users import family, listening_addresses
from scuttlehouse.reading.warehouse import open_published
from servers import BUCKET, S3_SECRETS, free_port, running, s3

PROJECT = Path(__file__).parents[2]
KEY = "07" * 32
TOKEN = "hush-of-connect"
# What tells of the builds themselves, and not of the logs.
OF_BUILDS = {"fct_builds", "fct_timeline_updates", "fct_quality_results", "dim_logs"}
WAIT_SECONDS = 120

Tables = dict[str, list[tuple[Any, ...]]]


@dataclass
class Place:
    """A warehouse, and the variables that lead to it."""

    folder: Path
    variables: dict[str, str]

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def landing(self) -> Path:
        return self.folder / "landing"

    @property
    def own(self) -> dict[str, str]:
        places = {
            "SCUTTLEHOUSE_HOME": self.home,
            "SCUTTLEHOUSE_LANDING": self.landing,
            "DBT_TARGET_PATH": self.folder / "target",
            "DBT_LOG_PATH": self.folder / "logs",
        }
        named = {name: str(folder) for name, folder in places.items()}
        return {**named, "SCUTTLEHOUSE_KEY": KEY, **self.variables}

    def run(self, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        program, *arguments = command
        return subprocess.run(
            [str(Path(sys.executable).with_name(program)), *arguments],
            cwd=PROJECT,
            env={**os.environ, **self.own, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def build(self) -> None:
        done = self.run("scuttlehouse", "build")
        assert done.returncode == 0, done.stdout[-4000:]

    def tables(self) -> Tables:
        """The rows of every published table; equal rows in equal order."""
        with pytest.MonkeyPatch.context() as patch, open_published_of(self, patch) as warehouse:
            names = {name for (name, *_) in warehouse.query("show tables")[1]} - OF_BUILDS
            return {
                name: sorted(warehouse.query(f"select * from {name}")[1], key=repr)
                for name in names
            }


def open_published_of(place: Place, patch: pytest.MonkeyPatch) -> Any:
    for name, value in place.own.items():
        patch.setenv(name, value)
    return open_published(place.home)


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    with postgresql.server() as url:
        yield url


@pytest.fixture(scope="module")
def s3_variables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with s3(tmp_path_factory.mktemp("s3")) as running_s3:
        yield running_s3.variables


@dataclass
class Server:
    """A Spark Connect server, its address and its process."""

    address: str
    pid: int
    folder: Path


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, database: str, s3_variables: dict[str, str]
) -> Iterator[Server]:
    """A server with a home of its own. It knows the secrets of the warehouse, of PostgreSQL and of S3."""
    folder = tmp_path_factory.mktemp("server")
    port = free_port()
    address = f"sc://localhost:{port}"
    variables = {
        "SCUTTLEHOUSE_CONNECT": address,
        "SPARK_CONNECT_AUTHENTICATE_TOKEN": TOKEN,
        "SCUTTLEHOUSE_HOME": str(folder / "home"),
        "SCUTTLEHOUSE_CATALOG": database,
        "SCUTTLEHOUSE_KEY": KEY,
        **s3_variables,
    }
    command = sys.executable, "-m", "scuttlehouse.spark.connect_server"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(PROJECT)
        with running(folder / "server.log", *command, **variables) as process:
            wait_for_port(port, folder / "server.log")
            yield Server(address, process.pid, folder)


def wait_for_port(port: int, log: Path) -> None:
    end = time.monotonic() + WAIT_SECONDS
    while True:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        assert time.monotonic() < end, log.read_text(errors="replace")[-2000:]
        time.sleep(0.2)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, server: Server) -> Place:
    """A warehouse that is built through the server. No program is on the PATH of its builds."""
    folder = tmp_path_factory.mktemp("client")
    (folder / "bin").mkdir()
    packages = os.environ["CONNECT_PACKAGES"]
    assert Path(packages, "grpc_status").exists(), "`make test-connect` installs these packages"
    variables = {
        "DBT_TARGET": "connect",
        "SCUTTLEHOUSE_PARTITIONS": "4",
        "SCUTTLEHOUSE_CONNECT": server.address,
        "SPARK_CONNECT_AUTHENTICATE_TOKEN": TOKEN,
        "PATH": str(folder / "bin"),
        "JAVA_HOME": str(folder),
        "PYTHONPATH": os.pathsep.join(filter(None, [packages, os.environ.get("PYTHONPATH")])),
    }
    return Place(folder, variables)


@pytest.fixture(scope="module")
def near(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The same warehouse, built by a Spark of its own process."""
    return Place(tmp_path_factory.mktemp("near"), {"DBT_TARGET": "embedded"})


def land(place: Place, *, is_part: bool) -> None:
    """Put the sample into the landing folder, or all logs but the last."""
    place.landing.mkdir(exist_ok=True)
    logs = sorted((PROJECT / "sample").iterdir())
    for log in logs[: -1 if is_part else None]:
        shutil.copy2(log, place.landing)


def assert_same(here: Tables, there: Tables) -> None:
    assert here.keys() == there.keys()
    assert len(here) > 25
    for name, rows in here.items():
        assert there[name] == rows, name


def test_a_client_without_java_builds_the_same_tables(client: Place, near: Place) -> None:
    for is_part in (True, False):
        for place in (near, client):
            land(place, is_part=is_part)
            place.build()
        assert_same(near.tables(), client.tables())


def test_the_catalog_is_in_postgresql_and_the_logs_are_in_s3(
    client: Place, near: Place, database: str, s3_variables: dict[str, str], tmp_path: Path
) -> None:
    far = {"SCUTTLEHOUSE_CATALOG": database, "SCUTTLEHOUSE_LANDING": f"s3://{BUCKET}/logs"}
    other = Place(tmp_path, {**client.variables, **s3_variables, **far})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL_S3", s3_variables["AWS_ENDPOINT_URL_S3"])
        for log in (PROJECT / "sample").iterdir():
            put(f"logs/{log.name}", log.read_bytes())
    land(near, is_part=False)
    for place in (near, other):
        place.build()
    assert not (other.home / "catalog.db").exists()
    assert_same(near.tables(), other.tables())
    assert "nothing is new" in other.run("scuttlehouse", "build").stdout
    said = other.run("dbt", "source", "freshness", "--profiles-dir", "profiles").stdout
    assert "PASS freshness of landing.landing_files" in said


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        (
            {"SPARK_CONNECT_AUTHENTICATE_TOKEN": "another"},
            "asks for another token: set SPARK_CONNECT",
        ),
        (
            {"SCUTTLEHOUSE_CONNECT": "sc://localhost:1"},
            "No Spark Connect server answers at localhost:1",
        ),
        ({"SCUTTLEHOUSE_CONNECT": "sc://127.0.0.1:1"}, "sends its token only through TLS, or to"),
        ({"SCUTTLEHOUSE_CONNECT": "spark://localhost:1"}, "it must be sc://host:port"),
        (
            {"SCUTTLEHOUSE_CONNECT": f"sc://localhost:1/;token={TOKEN}"},
            "holds a token: take it out",
        ),
    ],
)
def test_what_is_wrong_is_a_sentence(
    client: Place, variables: dict[str, str], sentence: str
) -> None:
    land(client, is_part=False)
    done = client.run("scuttlehouse", "build", "--full-refresh", **variables)
    assert done.returncode != 0
    assert sentence in done.stdout
    assert "Traceback" not in done.stdout
    assert "grpc" not in done.stdout
    assert TOKEN not in done.stdout


def test_nobody_beyond_this_machine_reaches_the_server(server: Server) -> None:
    addresses = set()
    for pid in family(server.pid):
        with suppress(FileNotFoundError, ProcessLookupError):
            addresses |= {address for address, _ in listening_addresses(pid)}
    assert addresses
    # The bytes of an address of IPv4 stand in the order of this machine; IPv6 may hold one, or is ::1.
    loopback = "0100007F"
    beyond = {
        address
        for address in addresses
        if address not in (loopback, f"0000000000000000FFFF0000{loopback}", f"{24 * '0'}01000000")
    }
    assert not beyond


def test_no_secret_is_in_a_file(client: Place, server: Server) -> None:
    secrets = (
        TOKEN,
        KEY,
        postgresql.PASSWORD,
        postgresql.URL_PASSWORD,
        S3_SECRETS["AWS_SECRET_ACCESS_KEY"],
    )
    # With an option dbt writes its log.
    said = client.run("scuttlehouse", "build", "--log-level", "debug", "-s", "dim_groups").stdout
    for secret in secrets:
        assert secret not in said
    files = [
        path
        for folder in (client.folder, server.folder)
        for path in folder.rglob("*")
        if path.is_file() and path.name != "pgpass"
    ]
    assert any(path.name == "dbt.log" for path in files)
    assert any(path.name == "connect.properties" for path in files)
    for path in files:
        content = path.read_bytes()
        for secret in secrets:
            assert secret.encode() not in content, path
