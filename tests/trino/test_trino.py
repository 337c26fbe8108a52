"""Trino reads what is published, and changes nothing: `make test-trino`.

TRINO_SERVER is the folder of an unpacked server (io.trino:trino-server:476:tar.gz of Maven Central, 0.8 GB),
and TRINO_JAVA the Java that it needs (24 or newer).
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

import postgresql
from houses import House
from scuttlehouse.catalog.home import prepare_home

PROJECT = Path(__file__).parents[2]

JAVA_OPTIONS = ["-Xmx1500m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
JAVA_OPTIONS += ["--add-opens=java.base/java.nio=ALL-UNNAMED", "-Djdk.attach.allowAttachSelf=true"]

Query = Callable[[str], Any]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A warehouse with its catalog in PostgreSQL."""
    with postgresql.server() as url, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCUTTLEHOUSE_CATALOG", url)
        home = tmp_path_factory.mktemp("trino") / "home"
        prepare_home(home)
        yield House(home, url)


@pytest.fixture(scope="module")
def query(tmp_path_factory: pytest.TempPathFactory, house: House) -> Iterator[Query]:
    """Ask a Trino that runs with the properties of the example: rows, or the sentence of an error."""
    server, java = os.environ.get("TRINO_SERVER"), os.environ.get("TRINO_JAVA")
    assert server, "TRINO_SERVER is not set: see the first lines of this file."
    assert java, "TRINO_JAVA is not set: see the first lines of this file."
    folder = tmp_path_factory.mktemp("server")
    (folder / "catalog").mkdir()
    example = (PROJECT / "examples" / "reading" / "trino.properties").read_text()
    place = house.address.partition("@")[2]
    for shown, here in (
        ("//localhost:5432/scuttlehouse", f"//{place}"),
        ("connection-user=scuttlehouse", "connection-user=tester"),
        ("/srv/scuttlebutt/warehouse/warehouse", f"{house.home}/warehouse"),
    ):
        assert shown in example
        example = example.replace(shown, here)
    (folder / "catalog" / "scuttlehouse.properties").write_text(example)
    (folder / "plugin").mkdir()
    (folder / "plugin" / "iceberg").symlink_to(Path(server, "plugin", "iceberg"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    settings = {
        "coordinator": "true",
        "node-scheduler.include-coordinator": "true",
        "http-server.http.port": address.rpartition(":")[2],
        "node.internal-address": "127.0.0.1",
        "discovery.uri": address,
        "plugin.dir": folder / "plugin",
    }
    lines = "\n".join(f"{name}={value}" for name, value in settings.items())
    (folder / "config.properties").write_text(lines)
    of_node = {
        "config": folder / "config.properties",
        "node.environment": "test",
        "node.id": "one",
        "node.bind-ip": "127.0.0.1",
        "node.data-dir": folder,
        "catalog.config-dir": folder / "catalog",
    }
    options = [*JAVA_OPTIONS, *(f"-D{name}={value}" for name, value in of_node.items())]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [java, "-cp", f"{server}/lib/*", *options, "io.trino.server.TrinoServer"],
            env={**os.environ, "CATALOG_PASSWORD": postgresql.PASSWORD},
            cwd=folder,
            stdout=log,
            stderr=log,
        )
    try:
        while not _has_started(address):
            assert process.poll() is None, (folder / "log").read_text()[-3000:]
            time.sleep(0.5)
        yield lambda sql: _ask(address, sql)
    finally:
        process.kill()
        process.wait()


def _has_started(address: str) -> bool:
    try:
        return not _get(f"{address}/v1/info")["starting"]
    except OSError:
        return False


def _get(request: str | Request) -> dict[str, Any]:
    with urlopen(request) as response:
        answer: dict[str, Any] = json.load(response)
    return answer


def _ask(address: str, sql: str) -> Any:
    names = {"User": "reader", "Catalog": "scuttlehouse", "Schema": "scuttlehouse"}
    headers = {f"X-Trino-{name}": value for name, value in names.items()}
    answer = _get(Request(f"{address}/v1/statement", data=sql.encode(), headers=headers))
    rows = answer.get("data", [])
    while "nextUri" in answer:
        answer = _get(answer["nextUri"])
        rows += answer.get("data", [])
    return answer["error"]["message"] if "error" in answer else rows


def test_trino_reads_what_is_published(house: House, query: Query) -> None:
    house.build("one", {"dim_one": 1, "dim_two": 2})
    assert query("show tables") == [["dim_one"], ["dim_two"]]
    both = "select a.number, b.number from dim_one a cross join dim_two b"
    assert query(both) == [[1, 2]]
    house.build("two", {"dim_one": 11, "dim_two": 12})
    assert query(both) == [[11, 12]]


def test_trino_changes_nothing(house: House, query: Query) -> None:
    house.build("three", {"dim_one": 21})
    for statement in (
        "insert into dim_one values (3)",
        "delete from dim_one",
        "drop table dim_one",
        "create table dim_new (number bigint)",
        "drop schema scuttlehouse cascade",
    ):
        assert "Access Denied" in query(statement), statement
        assert house.read() == {"dim_one": [21]}
