"""The schedules that show models and tests apart: `make test-installing`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from environments import run_platform
from scuttlehouse.reading.warehouse import open_published


def published(project: Path) -> list[str]:
    """The builds of the log that were published, the oldest first."""
    with open_published(project.parent / "house") as tables:
        _, rows = tables.query(
            "select build_id from fct_builds where step = 'build' and status = 'published' "
            "order by started_at"
        )
    return [build for [build] in rows]


def test_dagster_builds_every_table_as_an_asset(dagster: dict[str, Any], project: Path) -> None:
    manifest = json.loads((project / "target" / "manifest.json").read_text())
    models = {
        node["alias"]
        for node in manifest["nodes"].values()
        if node["resource_type"] in ("model", "seed")
        and node["config"]["materialized"] != "ephemeral"
    }
    assert dagster["built"]
    assert len(published(project)) >= 1
    assert set(dagster["tables"]) == models
    assert len(dagster["checks"]) > 50
    assert dagster["failed_checks"] == []


def test_dagster_asks_for_a_build_when_logs_come(dagster: dict[str, Any]) -> None:
    assert dagster["asked"] == [1, 1, 1, 0]


def test_dagster_checks_the_age_of_logs(dagster: dict[str, Any]) -> None:
    assert dagster["is_young_passes"]
    assert not dagster["is_old_passes"]


def test_a_failed_test_is_a_failed_check_and_an_alert(dagster: dict[str, Any]) -> None:
    assert not dagster["is_broken_built"]
    assert len(dagster["broken_checks"]) == 1
    assert "tangle_kinds" in dagster["broken_checks"][0]
    [alert] = dagster["alert"]
    assert "Nothing was published." in alert
    assert "tangle_kinds" in alert


COSMOS = """
import json, sys
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("airflow_cosmos", "schedules/airflow_cosmos.py")
module = module_from_spec(spec)
spec.loader.exec_module(module)
dag = module.scuttlehouse_models()
# Tasks run one at a time here, so those that watch the build come after it.
build = dag.get_task("models.dbt_producer_watcher")
for watcher in dag.get_task("nobody_builds").downstream_list:
    if watcher is not build:
        watcher.set_upstream(build)
run = dag.test()
states = {task.task_id: str(task.state) for task in run.get_task_instances()}
with open(sys.argv[1], "w") as file:
    json.dump(states, file)
"""


def test_cosmos_shows_models_and_tests_apart(
    dagster: dict[str, Any], project: Path, tmp_path: Path
) -> None:
    before = published(project)
    dags = project.parent / "airflow" / "dags"
    dags.mkdir(parents=True)
    (dags / "airflow_cosmos.py").symlink_to(project / "schedules" / "airflow_cosmos.py")
    run_platform(project, "airflow", "airflow", "db", "migrate")
    run_platform(project, "airflow", "python", "-c", COSMOS, str(tmp_path / "states"))
    states = json.loads((tmp_path / "states").read_text())
    assert set(states.values()) == {"success"}
    assert {"logs_came", "nobody_builds", "models.dim_groups.run", "models.dim_groups.test"} < set(
        states
    )
    tables = {
        task.split(".")[1].removesuffix("_run") for task in states if task.startswith("models.")
    }
    assert set(dagster["tables"]) <= tables
    assert published(project)[:-1] == before
