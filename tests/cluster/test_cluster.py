"""Builds on a cluster, with the catalog in PostgreSQL and the tables in S3: `make test-cluster`.

The master, three workers, PostgreSQL and the S3 server are processes of their own on this machine.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

import postgresql
from scuttlehouse.reading.warehouse import open_published
from servers import BUCKET, S3_SECRETS, Cluster, kill, s3, spark

PROJECT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
KEY = "07" * 32
# What tells of the builds themselves, and not of the logs.
OF_BUILDS = {"fct_builds", "fct_timeline_updates", "fct_quality_results", "dim_logs"}

Tables = dict[str, list[tuple[Any, ...]]]


@dataclass
class Place:
    """A warehouse, and the variables that lead to it."""

    folder: Path
    variables: dict[str, str]
    target: str

    @property
    def landing(self) -> Path:
        return self.folder / "landing"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def environment(self) -> dict[str, str]:
        own = {"SCUTTLEHOUSE_HOME": str(self.home), "SCUTTLEHOUSE_LANDING": str(self.landing)}
        return {**os.environ, **own, "SCUTTLEHOUSE_KEY": KEY, **self.variables}

    def start(self, *options: str, **variables: str) -> subprocess.Popen[str]:
        where = ["--profiles-dir", "profiles", "--target", self.target]
        where += ["--target-path", str(self.folder / "target")]
        where += ["--log-path", str(self.folder / "logs"), "--no-use-colors"]
        unit_tests = ["--exclude-resource-type", "unit_test"]
        return subprocess.Popen(
            [str(BIN / "dbt"), "build", *unit_tests, *where, *options],
            cwd=PROJECT,
            env={**self.environment, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def build(self, *options: str) -> str:
        with self.start(*options) as process:
            output, _ = process.communicate()
        assert process.returncode == 0, output[-4000:]
        return output

    def tables(self, monkeypatch: pytest.MonkeyPatch) -> Tables:
        """The rows of every published table; equal rows in equal order."""
        for name, value in self.environment.items():
            monkeypatch.setenv(name, value)
        with open_published(self.home) as warehouse:
            names = {name for (name, *_) in warehouse.query("show tables")[1]} - OF_BUILDS
            return {
                name: sorted(warehouse.query(f"select * from {name}")[1], key=repr)
                for name in names
            }


@pytest.fixture(scope="module")
def s3_variables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with s3(tmp_path_factory.mktemp("s3")) as variables:
        yield variables


@pytest.fixture(scope="module")
def cluster(
    tmp_path_factory: pytest.TempPathFactory, s3_variables: dict[str, str]
) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("cluster")
    with spark(folder, 3, **s3_variables, SCUTTLEHOUSE_KEY=KEY) as running:
        yield running


@pytest.fixture(scope="module")
def far(
    tmp_path_factory: pytest.TempPathFactory, s3_variables: dict[str, str], cluster: Cluster
) -> Iterator[Place]:
    """A warehouse on the cluster."""
    with postgresql.server() as url:
        variables = {
            **s3_variables,
            "SCUTTLEHOUSE_CATALOG": url,
            "SCUTTLEHOUSE_WAREHOUSE": f"s3://{BUCKET}/house",
            "SCUTTLEHOUSE_MASTER": cluster.master,
            "SCUTTLEHOUSE_MEMORY": "700m",
            "SCUTTLEHOUSE_PARTITIONS": "4",
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable,
        }
        yield Place(tmp_path_factory.mktemp("far"), variables, "cluster")


@pytest.fixture(scope="module")
def near(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A warehouse in this machine's folder and process."""
    return Place(tmp_path_factory.mktemp("near"), {}, "embedded")


def land(place: Place, *, is_part: bool) -> None:
    """Put the sample into the landing folder, or all logs but the last."""
    place.landing.mkdir(exist_ok=True)
    logs = sorted((PROJECT / "sample").iterdir())
    for log in logs[: -1 if is_part else None]:
        shutil.copy2(log, place.landing)


def test_the_sample_and_a_refresh_give_the_same_tables(
    far: Place, near: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    for is_part in (True, False):
        for place in (near, far):
            land(place, is_part=is_part)
            place.build()
        here, there = near.tables(monkeypatch), far.tables(monkeypatch)
        assert here.keys() == there.keys()
        assert len(here) > 25
        for name, rows in here.items():
            assert there[name] == rows, name
    assert not [*far.home.glob("warehouse/**/*")], "all tables are in S3"


def test_a_worker_is_killed_in_a_build(
    far: Place, near: Place, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    with far.start("--full-refresh") as process:
        assert process.stdout
        lines = iter(process.stdout)
        said = [next(line for line in lines if re.search(r" OK created .*landed_lines", line))]
        kill(cluster.workers[0])
        said += lines
    assert process.returncode == 0, "".join(said)[-4000:]
    here, there = near.tables(monkeypatch), far.tables(monkeypatch)
    for name, rows in here.items():
        assert there[name] == rows, name


def test_a_worker_without_packages_is_told_of(far: Place, tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", symlinks=True)
    with far.start("-s", "rules", PYSPARK_PYTHON=str(tmp_path / "bare/bin/python")) as process:
        output, _ = process.communicate()
    assert process.returncode != 0
    assert "cannot run this package" in output
    assert "set PYSPARK_PYTHON" in output
    assert "Traceback" not in output


def test_no_secret_is_in_a_file(far: Place) -> None:
    secrets = [S3_SECRETS["AWS_SECRET_ACCESS_KEY"], postgresql.PASSWORD, KEY]
    files = [path for path in far.folder.rglob("*") if path.is_file() and path.name != "pgpass"]
    assert any(path.name == "spark.log" for path in files)
    for path in files:
        content = path.read_bytes()
        for secret in secrets:
            assert secret.encode() not in content, path


def test_a_second_builder_is_told(far: Place) -> None:
    with psycopg.connect(far.variables["SCUTTLEHOUSE_CATALOG"]) as other:
        other.execute("select pg_advisory_lock(hashtext('scuttlehouse build'))")
        with far.start() as process:
            output, _ = process.communicate()
    assert process.returncode != 0
    assert "is in use by" in output
