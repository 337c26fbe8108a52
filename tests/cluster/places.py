"""Warehouses that builds are run in, and what is compared of them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.reading.warehouse import open_published

PROJECT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
KEY = "07" * 32

# These columns tell of builds, and not of logs.
OF_BUILDS = {"batch_id", "build_id", "refresh_id", "refreshed_at"}

# These tables tell of several builds. Warehouses with other histories have other rows. For one, dim_logs
# says which logs are new.
OF_HISTORIES = {"fct_timeline_updates", "fct_quality_results", "dim_logs"}

Tables = dict[str, list[tuple[Any, ...]]]


@dataclass
class Place:
    """A warehouse, and the variables that lead to it. Others may have the same landing folder."""

    folder: Path
    landing: Path
    target: str
    variables: dict[str, str]

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

    @contextmanager
    def _in_this_process(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in self.environment.items():
                patch.setenv(name, value)
            yield

    def published(self) -> str | None:
        """The id of the published build."""
        with self._in_this_process(), open_catalog(self.home) as catalog:
            build = catalog.published()
        return build.build_id if build else None

    def tables(self) -> Tables:
        """The rows of every published table but the log of builds, in an order of their own."""
        with self._in_this_process(), open_published(self.home) as warehouse:
            names = {name for (name, *_) in warehouse.query("show tables")[1]} - {"fct_builds"}
            return {name: _rows(*warehouse.query(f"select * from {name}")) for name in names}


def _rows(columns: Iterable[str], rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    kept = [place for place, column in enumerate(columns) if column not in OF_BUILDS]
    return sorted((tuple(row[place] for place in kept) for row in rows), key=repr)


def assert_same(found: Tables, expected: Tables, *, but: Iterable[str] = ()) -> None:
    assert found.keys() == expected.keys()
    assert len(found) > 25
    for name in found.keys() - set(but):
        if found[name] != expected[name]:
            others = Counter(map(repr, found[name])) - Counter(map(repr, expected[name]))
            pytest.fail(f"{name}: {[*others][:3]}, and {len(found[name])} rows")
