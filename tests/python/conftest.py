"""One warehouse for all tests that need one: real dbt builds, in this process, on one Spark session."""

from __future__ import annotations

import os
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).parents[2]
FIXTURES = Path(__file__).parent / "fixtures"


class Warehouse:
    """A warehouse in a folder of its own, built by dbt as a user would."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.landing = home / "landing"
        os.environ["SCUTTLEHOUSE_HOME"] = str(home)

    def land(self, *logs: Path) -> None:
        """Put logs, and nothing else, into the landing folder."""
        shutil.rmtree(self.landing, ignore_errors=True)
        self.landing.mkdir(parents=True)
        for number, log in enumerate(logs):
            shutil.copy(log, self.landing / f"{number:03d}-{log.name}")

    def dbt(self, *arguments: str) -> Any:
        """Run dbt; return its result, whether it failed or not."""
        from dbt.cli.main import dbtRunner

        os.environ["SCUTTLEHOUSE_LANDING"] = str(self.landing)
        where = ["--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT / "profiles")]
        paths = ["--target-path", str(self.home / "target"), "--log-path", str(self.home / "logs")]
        return dbtRunner().invoke([*arguments, *where, *paths, "--quiet"])

    def build(self, *arguments: str) -> None:
        """Run dbt; fail the test with what dbt says if anything fails."""
        outcome = self.dbt(*arguments)
        messages = [f"{r.node.name}: {r.message}" for r in outcome.result or [] if r.status == "error"]
        assert outcome.success, outcome.exception or "\n".join(messages)

    def rows(self, query: str) -> list[dict[str, Any]]:
        """The rows of a query over the tables of the last build, published or not."""
        from pyspark.sql import SparkSession

        session = SparkSession.builder.getOrCreate()
        session.sql("use scuttlehouse_work")
        return [row.asDict() for row in session.sql(query).collect()]


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    return Warehouse(tmp_path_factory.mktemp("warehouse"))


@pytest.fixture(scope="session")
def tribes2(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Real group logs with the answers of the software that published them."""
    folder = tmp_path_factory.mktemp("tribes2")
    with tarfile.open(FIXTURES / "tribes2.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    yield folder / "tribes2"
    shutil.rmtree(folder)
