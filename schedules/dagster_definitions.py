"""scuttlehouse in Dagster: a job that refreshes the warehouse, every night at three and when logs come.

    pip install dagster dagster-webserver        # into .venv, once
    .venv/bin/dagster dev -f schedules/dagster_definitions.py

The folders are those of the environment that Dagster runs in (SCUTTLEHOUSE_LANDING, SCUTTLEHOUSE_HOME).
The output of a build is in the run's log, line by line. If a build publishes nothing, the run fails. It is
one op, because models and tests are published together or not at all. It is tried again only if another
build is in its way.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from dagster import (
    Definitions,
    Failure,
    OpExecutionContext,
    RetryPolicy,
    RunRequest,
    ScheduleDefinition,
    SensorEvaluationContext,
    job,
    op,
    sensor,
)

from scuttlehouse.cli.build import LEFT_OUT
from scuttlehouse.files.listing import list_logs
from scuttlehouse.landing.folder import landing_folder

PROJECT = Path(__file__).parents[1]
SCUTTLEHOUSE = Path(sys.executable).with_name("scuttlehouse")


@op(retry_policy=RetryPolicy(max_retries=3, delay=300))
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
    if process.returncode == LEFT_OUT:
        context.log.warning("Published, without what could not be read: see dim_logs.")
    elif process.returncode != 0:
        is_busy = any(" is in use by " in line for line in said)
        raise Failure("Nothing was published: see what failed above.", allow_retries=is_busy)
    return "".join(said)


@job
def refresh() -> None:
    build()


@sensor(job=refresh, minimum_interval_seconds=60)
def new_logs(context: SensorEvaluationContext) -> Iterator[RunRequest]:
    """Asks for a refresh when the entries of the landing folder are others than the last time."""
    logs = list_logs(landing_folder(below=PROJECT))
    entries = [(log.source_file, log.size_bytes, log.modified_ms) for log in logs]
    state = sha256(repr(entries).encode()).hexdigest()
    if state != context.cursor:
        context.update_cursor(state)
        # Without a key: Dagster runs a key once for ever, and a folder may become what it was before.
        yield RunRequest()


defs = Definitions(
    jobs=[refresh],
    schedules=[ScheduleDefinition(job=refresh, cron_schedule="0 3 * * *")],
    sensors=[new_logs],
)
