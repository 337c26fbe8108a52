"""The example of a project that has scuttlehouse as a package: `make test-installing`."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from environments import PROJECT, TAG, Environment
from scuttlehouse.catalog.jars import jars

EXAMPLE = PROJECT / "examples" / "in_another_project"


class Club:
    """A copy of the example with its packages, in an environment."""

    def __init__(self, folder: Path, environment: Environment, package: str) -> None:
        self.folder = folder
        self.environment = environment
        shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("dbt_packages", "target"))
        packages = (folder / "packages.yml").read_text()
        assert "  - local: ../..\n" in packages
        (folder / "packages.yml").write_text(packages.replace("- local: ../..", package))
        # dbt is not of the environment, but of the one that has what the wheels require.
        self.dbt("deps")

    def dbt(self, *arguments: str) -> None:
        subprocess.run(
            [Path(sys.executable).with_name("dbt"), *arguments], cwd=self.folder, check=True
        )

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.environment.run(
            "scuttlehouse",
            *arguments,
            folder=self.folder,
            SCUTTLEHOUSE_LANDING=str(PROJECT / "sample"),
            SCUTTLEHOUSE_JARS=str(jars()[0].parent),
        )

    def ask(self, query: str) -> list[dict[str, Any]]:
        """The rows of a query over the published tables."""
        said = self.run("sql", query, "--format", "json")
        assert said.returncode == 0, said.stderr
        return [json.loads(line) for line in said.stdout.splitlines()]


@pytest.fixture(scope="module")
def from_git(
    repository: str, installed: Environment, tmp_path_factory: pytest.TempPathFactory
) -> Club:
    """The package is in a repository, and the wheels are made from it: nothing is of this folder."""
    folder = tmp_path_factory.mktemp("git") / "club"
    return Club(folder, installed, f"- git: {repository}\n    revision: {TAG}")


@pytest.fixture(scope="module")
def from_a_folder(tmp_path_factory: pytest.TempPathFactory) -> Club:
    """The package is this folder, and so are the command line and the adapter."""
    folder = tmp_path_factory.mktemp("local") / "club"
    here = Environment(Path(sys.executable).parent, folder)
    return Club(folder, here, f"- local: {PROJECT}")


def test_a_part_has_models_of_both_projects(from_a_folder: Club) -> None:
    # Other tests need tables that this part does not make.
    own_tests = "--indirect-selection", "buildable"
    built = from_a_folder.run("build", "-s", "+logs_to_repair", *own_tests)
    assert built.returncode == 0, built.stdout[-3000:]
    rejects = from_a_folder.ask("select source_file, line_count from club_rejects order by 1")
    logs = {path.name for path in (PROJECT / "sample").iterdir()}
    assert len(rejects) > 1
    for row in rejects:
        assert row["source_file"] in logs
        assert row["line_count"] > 0


def test_a_build_publishes_the_tables_of_both_projects(from_git: Club) -> None:
    built = from_git.run("build")
    assert built.returncode == 0, built.stdout[-3000:]
    query = (
        "select count(*) as n, count(distinct a.group_id) as ids, sum(a.repair_count) as repairs, "
        "(select count(*) from dim_groups) as groups, "
        "(select count(*) from fct_epoch_repairs) as all_repairs "
        "from club_groups a join dim_groups b on a.group_id = b.group_id and b.short_id = a.shown_as"
    )
    [row] = from_git.ask(query)
    assert row["n"] == row["ids"] == row["groups"] > 3
    assert row["repairs"] == row["all_repairs"] > 0
    [row] = from_git.ask(
        "select sum(line_count) as n, any_value(m) as m from club_rejects, "
        "(select sum(rejected_line_count) as m from dim_logs)",
    )
    assert row["n"] == row["m"] > 3
    # The schema of the project's own, and its vars.
    tables = from_git.folder / "home" / "warehouse"
    assert [*tables.glob("scuttlehouse_work_club/logs_to_repair*")]
    steps = "select distinct settling_steps from fct_builds where settling_steps is not null"
    assert from_git.ask(steps) == [{"settling_steps": 12}]
    # Nothing is new: neither in the package nor in this project.
    again = from_git.run("build")
    assert "nothing is new since build" in again.stdout
