"""A tiny dbt project on a real Spark, in one Java process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from dbt.cli.main import dbtRunner, dbtRunnerResult
from pyspark import SparkContext
from pyspark.sql import Row, SparkSession

from tiny_project import write_project


@dataclass
class Project:
    """The tiny project, and ways to run dbt in it."""

    root: Path

    def arguments(self, *arguments: str) -> list[str]:
        place = ["--project-dir", str(self.root), "--profiles-dir", str(self.root)]
        return [*arguments, *place, "--no-use-colors"]

    def dbt(self, *arguments: str) -> dbtRunnerResult:
        """Run dbt in this process, in its one Spark session."""
        return dbtRunner().invoke(self.arguments(*arguments))

    def results(self, *arguments: str) -> dict[str, Any]:
        """Run dbt here and return the result of every node by its name."""
        outcome = self.dbt(*arguments)
        assert outcome.exception is None, outcome.exception
        return {result.node.name: result for result in outcome.result}

    def start(self, *arguments: str, home: Path | None = None, **env: str) -> subprocess.Popen[str]:
        """Start dbt in a new process."""
        return subprocess.Popen(
            [
                sys.executable,
                "-c",
                "from dbt.cli.main import cli; cli()",
                *self.arguments(*arguments),
            ],
            env={**os.environ, "TINY_HOME": str(home or self.root), **env},
            cwd=self.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    @property
    def session(self) -> SparkSession:
        return SparkSession.builder.getOrCreate()

    def rows(self, sql: str) -> list[Row]:
        return self.session.sql(sql).collect()


@pytest.fixture(scope="session")
def unbuilt(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """The project before anything ran in this process. The Java process stops at the end."""
    root = tmp_path_factory.mktemp("tiny")
    write_project(root)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TINY_HOME", str(root))
        patch.chdir(tmp_path_factory.mktemp("elsewhere"))
        patch.setenv("DBT_SEND_ANONYMOUS_USAGE_STATS", "false")
        yield Project(root)
    gateway = SparkContext._gateway
    if gateway is not None:
        SparkSession.builder.getOrCreate().stop()
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(timeout=60)
        SparkContext._gateway = SparkContext._jvm = None
