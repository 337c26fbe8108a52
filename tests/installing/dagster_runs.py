"""Runs of schedules/dagster_assets.py, in Dagster's own environment: what they say is written to a file."""

import json
import os
import sys
import time
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from dagster import (
    DagsterEventType,
    DagsterInstance,
    build_run_status_sensor_context,
    build_sensor_context,
)

spec = spec_from_file_location("dagster_assets", Path("schedules", "dagster_assets.py"))
example = module_from_spec(spec)
sys.modules[spec.name] = example
spec.loader.exec_module(example)

found = {}
context = build_sensor_context()
asked = []
for text in ("", "{}\n", "{}\n{}\n", ""):
    if text:
        Path("sample", "more.jsonl").write_text(text)
    asked.append(len([*example.new_logs(context)]))
Path("sample", "more.jsonl").unlink()
found["asked"] = asked

with DagsterInstance.ephemeral() as instance:
    refresh = example.defs.resolve_job_def("refresh")
    run = refresh.execute_in_process(instance=instance, raise_on_error=False)
    checks = run.get_asset_check_evaluations()
    found["built"] = run.success
    found["tables"] = [event.asset_key.path[-1] for event in run.get_asset_materialization_events()]
    found["checks"] = [check.check_name for check in checks if check.passed]
    found["failed_checks"] = [check.check_name for check in checks if not check.passed]

    # Data catalogs read the artifacts of a build that succeeded.
    artifacts = {path: path.read_bytes() for path in Path("target").glob("*.json")}

    age = example.defs.resolve_job_def("age")
    logs = [*Path("sample").iterdir()]
    for name, days in (("is_young", 1), ("is_old", 8)):
        then = time.time() - days * 24 * 60 * 60
        for log in logs:
            os.utime(log, (then, then))
        found[f"{name}_passes"] = age.execute_in_process(
            instance=instance, raise_on_error=False
        ).success

    # A test fails: it is the check of its table, and the alert says so.
    seed = Path("seeds", "tangle_kinds.csv")
    kinds = seed.read_text()
    seed.write_text(kinds + kinds.splitlines()[1] + "\n")
    broken = refresh.execute_in_process(instance=instance, raise_on_error=False)
    found["is_broken_built"] = broken.success
    checks = broken.get_asset_check_evaluations()
    found["broken_checks"] = [check.check_name for check in checks if not check.passed]
    [failure] = [
        event for event in broken.all_events if event.event_type == DagsterEventType.RUN_FAILURE
    ]
    context = build_run_status_sensor_context(
        sensor_name="alert",
        dagster_instance=instance,
        dagster_run=broken.dagster_run,
        dagster_event=failure,
    ).for_run_failure()
    example.alert(context)
    found["alert"] = [example.reason(step) for step in context.get_step_failure_events()]
    seed.write_text(kinds)
    for path, content in artifacts.items():
        path.write_bytes(content)

Path(sys.argv[1]).write_text(json.dumps(found))
