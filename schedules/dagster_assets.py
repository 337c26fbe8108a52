"""scuttlehouse in Dagster with dagster-dbt: a table is an asset, and a test is a check of it.

    pip install 'dagster-dbt[dbt-core]==0.29.27' dagster-webserver   # an environment of its own, not .venv
    dagster dev -f schedules/dagster_assets.py

`make build` comes first: dagster-dbt reads the project from target/manifest.json. The folders are those of
the environment that Dagster runs in: SCUTTLEHOUSE_LANDING, on a disk, and SCUTTLEHOUSE_HOME. One `dbt build`
makes all assets, because models and tests are published together or not at all; Dagster sees each as it ends.
dagster_definitions.py has the build as one op, and needs less.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from stat import S_ISREG
from typing import Any

from dagster import (
    AssetExecutionContext,
    AssetSelection,
    DagsterEvent,
    DefaultSensorStatus,
    Definitions,
    Failure,
    RetryPolicy,
    RunFailureSensorContext,
    RunRequest,
    ScheduleDefinition,
    SensorEvaluationContext,
    define_asset_job,
    job,
    op,
    run_failure_sensor,
    sensor,
)
from dagster_dbt import DbtCliResource, dbt_assets

PROJECT = Path(__file__).resolve().parents[1]
LANDING = Path(PROJECT, os.environ.get("SCUTTLEHOUSE_LANDING", "").strip() or "sample")


@dbt_assets(
    manifest=PROJECT / "target" / "manifest.json",
    exclude="resource_type:unit_test",
    retry_policy=RetryPolicy(max_retries=3, delay=300),
)
def tables(context: AssetExecutionContext, dbt: DbtCliResource) -> Iterator[Any]:
    """One build of everything. It is tried again only if another build is in its way."""
    artifacts = PROJECT / "target"  # for data catalogs
    build = dbt.cli(["build"], context=context, target_path=artifacts, raise_on_error=False)
    yield from build.stream()
    if not build.is_successful():
        error = str(build.get_error())
        raise Failure(f"Nothing was published. {error}", allow_retries=" is in use by " in error)


@op
def check_age(dbt: DbtCliResource) -> None:
    """Fails if no log has come or grown for a week."""
    dbt.cli(["source", "freshness"]).wait()


@job
def age() -> None:
    check_age()


refresh = define_asset_job("refresh", AssetSelection.assets(tables))


@sensor(job=refresh, minimum_interval_seconds=60)
def new_logs(context: SensorEvaluationContext) -> Iterator[RunRequest]:
    """Asks for a refresh when the files of the landing folder are others than the last time."""
    found = []
    for path in LANDING.rglob("*"):
        with suppress(OSError):  # A file may vanish before it is looked at.
            entry = path.stat()
            if S_ISREG(entry.st_mode):
                found.append((str(path), entry.st_size, entry.st_mtime_ns))
    state = sha256(repr(sorted(found)).encode()).hexdigest()
    if state != context.cursor:
        context.update_cursor(state)
        # Without a key: Dagster runs a key once for ever, and a folder may become what it was before.
        yield RunRequest()


@run_failure_sensor(default_status=DefaultSensorStatus.RUNNING)
def alert(context: RunFailureSensorContext) -> None:
    """Where a failed run goes: a failed test, or logs that are too old. Send it from here."""
    for step in context.get_step_failure_events():
        context.log.error(f"{context.dagster_run.job_name} has failed: {reason(step)}")


def reason(step: DagsterEvent) -> str:
    """Why a step has failed, in the words of dbt."""
    failure = step.step_failure_data
    said = failure.user_failure_data
    return (said.description if said else None) or failure.error_display_string


defs = Definitions(
    assets=[tables],
    jobs=[refresh, age],
    schedules=[
        ScheduleDefinition(job=refresh, cron_schedule="0 3 * * *"),
        ScheduleDefinition(job=age, cron_schedule="0 6 * * *"),
    ],
    sensors=[new_logs, alert],
    resources={
        "dbt": DbtCliResource(
            project_dir=str(PROJECT),
            profiles_dir=str(PROJECT / "profiles"),
            dbt_executable=str(PROJECT / ".venv" / "bin" / "dbt"),
        )
    },
)
