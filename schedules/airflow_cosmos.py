"""scuttlehouse in Airflow with Cosmos: a task for each model and one for its tests, whenever logs come.

    pip install apache-airflow==3.3.2 astronomer-cosmos==1.15.1   # an environment of its own, not .venv
    ln -s "$PWD/schedules/airflow_cosmos.py" "$AIRFLOW_HOME/dags/"

`make build` comes first: Cosmos reads the project from target/manifest.json. The folders are those of the
environment that Airflow's workers run in: SCUTTLEHOUSE_LANDING, on a disk, and SCUTTLEHOUSE_HOME. One task,
`dbt_producer_watcher`, runs `dbt build`, because models and tests are published together or not at all. The
other tasks watch it, so each model and its tests succeed or fail by themselves. airflow_dag.py has the build
as one task.
Cosmos tells its makers of every run, unless AIRFLOW__COSMOS__ENABLE_TELEMETRY is false.
"""

from __future__ import annotations

import logging
import os
import subprocess
from contextlib import suppress
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from stat import S_ISREG
from typing import Any

import pendulum
from airflow.sdk import PokeReturnValue, dag, task
from cosmos import DbtTaskGroup, ExecutionConfig, ProfileConfig, ProjectConfig, RenderConfig
from cosmos.constants import ExecutionMode, InvocationMode, LoadMode

PROJECT = Path(__file__).resolve().parents[1]
LANDING = Path(PROJECT, os.environ.get("SCUTTLEHOUSE_LANDING", "").strip() or "sample")
HOME = Path(PROJECT, os.environ.get("SCUTTLEHOUSE_HOME", "").strip() or ".scuttlehouse")


def alert(context: Any) -> None:
    """Where a failed task goes: a model, its tests, or the wait for logs. Send it from here."""
    failed = context["task_instance"]
    logging.getLogger("scuttlehouse").error("%s has failed in %s", failed.task_id, failed.run_id)


@dag(
    schedule="@continuous",
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=1,
    default_args={"on_failure_callback": alert},
)
def scuttlehouse_models() -> None:
    # A day without a new log is an alert.
    @task.sensor(poke_interval=60, timeout=timedelta(days=1).total_seconds(), mode="reschedule")
    def logs_came(ti: Any) -> PokeReturnValue:
        """Whether the landing folder has other files than when the last build began."""
        found = []
        for path in LANDING.rglob("*"):
            with suppress(OSError):  # A file may vanish before it is looked at.
                entry = path.stat()
                if S_ISREG(entry.st_mode):
                    found.append((str(path), entry.st_size, entry.st_mtime_ns))
        state = sha256(repr(sorted(found)).encode()).hexdigest()
        built = ti.xcom_pull(task_ids="logs_came", include_prior_dates=True)
        return PokeReturnValue(is_done=state != built, xcom_value=state)

    @task(retries=12, retry_delay=timedelta(minutes=5))
    def nobody_builds() -> None:
        """Waits for another build: the task that builds is not tried again."""
        HOME.mkdir(mode=0o700, exist_ok=True)
        lock = HOME / "build.lock"
        subprocess.run(["flock", "--shared", "--nonblock", lock, "true"], check=True)

    models = DbtTaskGroup(
        group_id="models",
        project_config=ProjectConfig(PROJECT, manifest_path=PROJECT / "target" / "manifest.json"),
        profile_config=ProfileConfig(
            profile_name="scuttlehouse",
            target_name="embedded",
            profiles_yml_filepath=PROJECT / "profiles" / "profiles.yml",
        ),
        execution_config=ExecutionConfig(
            execution_mode=ExecutionMode.WATCHER,
            invocation_mode=InvocationMode.SUBPROCESS,
            dbt_executable_path=PROJECT / ".venv" / "bin" / "dbt",
        ),
        render_config=RenderConfig(load_method=LoadMode.DBT_MANIFEST),
        # Cosmos runs dbt in a folder of its own, so the folders are named in full.
        operator_args={
            "env": {
                "SCUTTLEHOUSE_LANDING": str(LANDING),
                "SCUTTLEHOUSE_HOME": str(HOME),
                "DBT_EXCLUDE_RESOURCE_TYPES": "unit_test",
            },
            "append_env": True,
        },
    )
    logs_came() >> nobody_builds() >> models


scuttlehouse_models()
