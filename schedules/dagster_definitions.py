"""scuttlehouse in Dagster: a job that refreshes the warehouse every night at three.

    pip install dagster dagster-webserver        # into .venv, once
    .venv/bin/dagster dev -f schedules/dagster_definitions.py

The folders are those of the environment that Dagster runs in (SCUTTLEHOUSE_LANDING, SCUTTLEHOUSE_HOME).
The output of a build is in the run's log, line by line. If a build publishes nothing, the run fails.
"""

import os
import subprocess
import sys
from pathlib import Path

from dagster import Definitions, Failure, OpExecutionContext, ScheduleDefinition, job, op

PROJECT = Path(__file__).parents[1]
SCUTTLEHOUSE = Path(sys.executable).with_name("scuttlehouse")


@op
def build(context: OpExecutionContext) -> str:
    """What `make build` does in an environment that is installed; returns what it said."""
    said = []
    with subprocess.Popen(
        [SCUTTLEHOUSE, "build"],
        cwd=PROJECT,
        env={**os.environ, "DBT_USE_COLORS": "false"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        for line in process.stdout or ():
            context.log.info(line.rstrip())
            said.append(line)
    if process.returncode != 0:
        raise Failure("Nothing was published: see what failed above.")
    return "".join(said)


@job
def refresh() -> None:
    build()


defs = Definitions(
    jobs=[refresh], schedules=[ScheduleDefinition(job=refresh, cron_schedule="0 3 * * *")]
)
