"""A warehouse that an earlier commit has built: `make test-installing`.

The old commit builds it, with the packages of today. So the test needs the history of the repository.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

from environments import PROJECT
from scuttlehouse.catalog.jars import jars
from scuttlehouse.reading.warehouse import open_published

OLD = "1577f15d509a895281ddd05fa3d904015d27b339"
COMMAND = "import sys; from scuttlehouse.cli import main; sys.exit(main(sys.argv[1:]))"
Groups = list[tuple[object, ...]]


class House:
    """A home that commands of several versions of the project work on."""

    def __init__(self, folder: Path) -> None:
        self.home, self.landing = folder / "home", folder / "landing"
        self.said = folder / "said"
        shutil.copytree(PROJECT / "sample", self.landing)

    def start(self, project: Path, *arguments: str) -> subprocess.Popen[str]:
        """Start a command of a version. What it says is in a file."""
        packages = project / "src", project / "packages" / "dbt-sparkpython" / "src"
        with self.said.open("w") as said:
            return subprocess.Popen(
                [sys.executable, "-c", COMMAND, *arguments],
                cwd=project,
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(map(str, packages)),
                    "SCUTTLEHOUSE_HOME": str(self.home),
                    "SCUTTLEHOUSE_LANDING": str(self.landing),
                    "SCUTTLEHOUSE_JARS": str(jars()[0].parent),
                },
                stdout=said,
                stderr=subprocess.STDOUT,
                text=True,
            )

    def run(self, project: Path, *arguments: str) -> tuple[int, str]:
        code = self.start(project, *arguments).wait()
        return code, self.said.read_text()

    def groups(self) -> Groups:
        """What the reader of today finds."""
        with open_published(self.home) as tables:
            columns = "group_id, epoch_count, preferred_epoch_id, person_count"
            return list(tables.query(f"select {columns} from dim_groups order by group_id")[1])

    def columns(self) -> set[str]:
        with open_published(self.home) as tables:
            return set(tables.query("select * from fct_epoch_members limit 0")[0])


@pytest.fixture(scope="module")
def old_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("old")
    packed = subprocess.run(["git", "archive", OLD], cwd=PROJECT, capture_output=True, check=False)
    assert packed.returncode == 0, f"The history of the repository is needed: {packed.stderr!r}"
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def test_an_old_warehouse_is_read_built_anew_and_rolled_back_to(
    old_project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    house = House(tmp_path_factory.mktemp("house"))
    code, said = house.run(old_project, "build")
    assert code == 0, said[-3000:]

    # The reader of today reads what the old build has published.
    before, columns = house.groups(), house.columns()
    assert len(before) > 3
    code, said = house.run(PROJECT, "doctor")
    assert code == 0, said
    assert "Traceback" not in said

    # The rules for reading lines have changed: one sentence says what to do, and nothing changes.
    code, said = house.run(PROJECT, "build")
    assert code == 1
    assert "network key has changed: run `scuttlehouse build --full-refresh`, which reads" in said
    assert "Traceback" not in said
    assert house.groups() == before

    # While everything is built anew, everybody can read the old tables.
    reads = 0
    with house.start(PROJECT, "build", "--full-refresh") as building:
        while building.poll() is None:
            assert [group[0] for group in house.groups()] == [group[0] for group in before]
            reads += 1
            time.sleep(1)
    assert building.returncode == 0, house.said.read_text()[-3000:]
    assert reads > 3
    assert house.columns() > columns
    assert len(house.groups()) == len(before)

    # Back to the old build, and on again.
    assert house.run(PROJECT, "rollback")[0] == 0
    assert (house.groups(), house.columns()) == (before, columns)
    _, said = house.run(PROJECT, "rollback", "--list")
    newer = said.splitlines()[1].split()[0]
    assert house.run(PROJECT, "rollback", "--to", newer)[0] == 0
    assert house.columns() > columns
