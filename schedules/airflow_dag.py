"""scuttlehouse in Airflow: a DAG that refreshes the warehouse every night at three.

    pip install apache-airflow==3.3.2            # in an environment of its own, not in .venv
    ln -s "$PWD/schedules/airflow_dag.py" "$AIRFLOW_HOME/dags/"

The folders are those of the environment that Airflow's workers run in (SCUTTLEHOUSE_LANDING,
SCUTTLEHOUSE_HOME). The build is one task, because models and tests are published together or not at all;
airflow_cosmos.py shows them apart. Failed tasks alert as Airflow's callbacks and notifiers say: `build` if a
test fails, `check_age` if no log has come for a week.
"""

from __future__ import annotations

import os
import subprocess
from datetime import timedelta
from pathlib import Path

import pendulum
from airflow.sdk import dag, task
from airflow.sdk.exceptions import AirflowException, AirflowFailException

PROJECT = Path(__file__).resolve().parents[1]
BIN = PROJECT / ".venv" / "bin"

# As in scuttlehouse.cli.build, which Airflow cannot import: published, without what could not be read.
LEFT_OUT = 3


def run(*command: str) -> str:
    """Run a command in the project, with what it says in the task's log; a failure is Airflow's."""
    said = []
    with subprocess.Popen(
        [BIN / command[0], *command[1:]],
        cwd=PROJECT,
        env={**os.environ, "DBT_USE_COLORS": "false"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        for line in process.stdout or ():
            print(line.rstrip())
            said.append(line)
    output = "".join(said)
    if process.returncode == LEFT_OUT:
        print("Published, without what could not be read: see dim_logs.")
    elif process.returncode != 0:
        is_busy = " is in use by " in output
        raise (AirflowException if is_busy else AirflowFailException)(
            f"{' '.join(command)} has failed: see above. {'It is tried again.' if is_busy else ''}"
        )
    return output


@dag(
    schedule="0 3 * * *",
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=1,
)
def scuttlehouse() -> None:
    @task(retries=3, retry_delay=timedelta(minutes=5))
    def build() -> None:
        """What `make build` does once all is installed; tried again only if another build is in its way."""
        run("scuttlehouse", "build")

    @task
    def check_age() -> None:
        """How long ago a log came or grew."""
        run("dbt", "source", "freshness", "--profiles-dir", "profiles")

    build() >> check_age()


scuttlehouse()
