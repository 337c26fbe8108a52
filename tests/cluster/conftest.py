"""The servers of these tests, and the warehouse on them: processes of their own on this machine."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

import postgresql
from places import KEY, PROJECT, Place, Tables
from servers import BUCKET, S3, Cluster, s3, spark
from settings_of_people import forget_settings

forget_settings()

WORKERS = 3

# The environment of moto runs it.
collect_ignore = ["s3_server.py"]


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3]:
    with s3(tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture(scope="session")
def database() -> Iterator[postgresql.Server]:
    with postgresql.running() as server:
        yield server


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory, s3_server: S3) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("cluster")
    with spark(folder, WORKERS, **s3_server.variables, SCUTTLEHOUSE_KEY=KEY) as running:
        yield running


Places = Callable[[str, Path], Place]


@pytest.fixture(scope="session")
def far_places(
    tmp_path_factory: pytest.TempPathFactory,
    s3_server: S3,
    database: postgresql.Server,
    cluster: Cluster,
) -> Places:
    """Makes a warehouse on the cluster, by its name and its landing folder."""

    def make(name: str, landing: Path) -> Place:
        with psycopg.connect(database.url, autocommit=True) as connection:
            connection.execute(f"create database {name}")
        variables = {
            **s3_server.variables,
            "SCUTTLEHOUSE_CATALOG": database.url.removesuffix("postgres") + name,
            "SCUTTLEHOUSE_WAREHOUSE": f"s3://{BUCKET}/{name}",
            "SCUTTLEHOUSE_MASTER": cluster.master,
            "SCUTTLEHOUSE_MEMORY": "700m",
            "SCUTTLEHOUSE_PARTITIONS": "4",
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable,
        }
        return Place(tmp_path_factory.mktemp(name), landing, "cluster", variables)

    return make


@pytest.fixture(scope="session")
def near_places(tmp_path_factory: pytest.TempPathFactory) -> Places:
    """Makes a warehouse in a folder of this machine, which Spark in dbt's own process builds."""

    def make(name: str, landing: Path) -> Place:
        return Place(tmp_path_factory.mktemp(name), landing, "embedded", {})

    return make


@pytest.fixture(scope="session")
def landing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The landing folder of the sample."""
    return tmp_path_factory.mktemp("landing")


@pytest.fixture(scope="session")
def far(far_places: Places, landing: Path) -> Place:
    """The warehouse of the sample on the cluster."""
    return far_places("far", landing)


@pytest.fixture(scope="session")
def expected(near_places: Places, landing: Path) -> dict[bool, Tables]:
    """The tables of the sample without its last log (False), and of a refresh with it (True)."""
    near = near_places("near", landing)
    tables = {}
    for is_whole in (False, True):
        land_sample(landing, is_whole=is_whole)
        near.build()
        tables[is_whole] = near.tables()
    return tables


def land_sample(landing: Path, *, is_whole: bool) -> None:
    """Make the landing folder hold the sample, or all its logs but the last."""
    *most, last = sorted((PROJECT / "sample").iterdir())
    for log in (*most, last):
        shutil.copy2(log, landing)
    if not is_whole:
        (landing / last.name).unlink()
