"""The example of a project that has scuttlehouse as a package: `make test-installing`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example, with the package installed."""
    folder = tmp_path_factory.mktemp("elsewhere") / "club"
    example = PROJECT / "examples" / "in_another_project"
    shutil.copytree(example, folder, ignore=shutil.ignore_patterns("dbt_packages", "target"))
    packages = (folder / "packages.yml").read_text()
    (folder / "packages.yml").write_text(packages.replace("../..", str(PROJECT)))
    assert run(folder, "dbt", "deps").returncode == 0
    return folder


def run(club: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(BIN / program), *arguments],
        cwd=club,
        env={
            **os.environ,
            "SCUTTLEHOUSE_HOME": str(club / "home"),
            "SCUTTLEHOUSE_LANDING": str(PROJECT / "sample"),
        },
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_part_has_models_of_both_projects(club: Path) -> None:
    built = run(club, "scuttlehouse", "build", "-s", "+logs_to_repair")
    assert built.returncode == 0, built.stdout[-3000:]
    rejects = ask(club, "select source_file, line_count from club_rejects order by 1")
    logs = {path.name for path in (PROJECT / "sample").iterdir()}
    assert len(rejects) > 1
    for row in rejects:
        assert row["source_file"] in logs
        assert row["line_count"] > 0


def ask(club: Path, query: str) -> list[dict[str, Any]]:
    """The rows of a query over the published tables."""
    said = run(club, "scuttlehouse", "sql", query, "--format", "json")
    assert said.returncode == 0, said.stderr
    return [json.loads(line) for line in said.stdout.splitlines()]


def test_a_build_publishes_the_tables_of_both_projects(club: Path) -> None:
    built = run(club, "scuttlehouse", "build")
    assert built.returncode == 0, built.stdout[-3000:]
    query = (
        "select count(*) as n, count(distinct a.group_id) as ids, sum(repair_count) as repairs, "
        "(select count(*) from dim_groups) as groups, "
        "(select count(*) from fct_epoch_repairs) as all_repairs "
        "from club_groups a join dim_groups b on a.group_id = b.group_id and b.short_id = a.shown_as"
    )
    [row] = ask(club, query)
    assert row["n"] == row["ids"] == row["groups"] > 3
    assert row["repairs"] == row["all_repairs"] > 0
    [row] = ask(
        club,
        "select sum(line_count) as n, any_value(m) as m from club_rejects, "
        "(select count(*) as m from fct_rejected_lines)",
    )
    assert row["n"] == row["m"] > 3
    # Nothing is new: neither in the package nor in this project.
    again = run(club, "scuttlehouse", "build")
    assert "nothing is new since build" in again.stdout
