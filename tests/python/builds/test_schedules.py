"""The schedules in the examples. The Dagster job makes the build that most tests share (`built`)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path

import pytest
from dagster import Failure, build_op_context, build_sensor_context

from conftest import PROJECT, Build, dagster_definitions
from scuttlehouse.cli.build import LEFT_OUT


def test_the_dagster_job_builds_and_shows_the_output(built: Build) -> None:
    assert re.search("^scuttlehouse: built, tested and published as build ", built.output, re.M)


def test_the_dagster_job_fails_with_its_build(monkeypatch: pytest.MonkeyPatch) -> None:
    module = dagster_definitions(PROJECT)
    monkeypatch.setattr(module, "SCUTTLEHOUSE", "false")
    with pytest.raises(Failure, match="Nothing was published"):
        module.refresh.execute_in_process()


def test_a_build_is_tried_again_only_if_another_is_in_its_way(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    module = dagster_definitions(PROJECT)
    program = tmp_path / "scuttlehouse"
    for said, is_tried_again in ((" is in use by process 1", True), ("a test failed", False)):
        program.write_text(f"#!/bin/sh\necho 'The warehouse{said}.'\nexit 2\n")
        program.chmod(0o700)
        monkeypatch.setattr(module, "SCUTTLEHOUSE", program)
        with pytest.raises(Failure) as failed:
            module.build(build_op_context())
        assert failed.value.allow_retries == is_tried_again


def test_a_build_that_leaves_something_out_is_published(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    module = dagster_definitions(PROJECT)
    program = tmp_path / "scuttlehouse"
    program.write_text(f"#!/bin/sh\necho published\nexit {LEFT_OUT}\n")
    program.chmod(0o700)
    monkeypatch.setattr(module, "SCUTTLEHOUSE", program)
    assert module.build(build_op_context()) == "published\n"
    dag = (PROJECT / "schedules" / "airflow_dag.py").read_text()
    assert f"\nLEFT_OUT = {LEFT_OUT}\n" in dag, "Airflow cannot import it"


def test_dagster_builds_when_a_log_comes_or_grows(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_LANDING", str(tmp_path))
    log = tmp_path / "a.jsonl"
    sensor = dagster_definitions(PROJECT).new_logs
    context = build_sensor_context()
    asked = []
    for text in ("one\n", "one\n", "one\ntwo\n", "one\n"):
        log.write_text(text)
        os.utime(log, (0, 0))
        asked += [(len(text), request.run_key) for request in sensor(context)]
    # Dagster runs a key only once, and a folder may become what it was.
    assert asked == [(4, None), (8, None), (4, None)]


@pytest.mark.parametrize(
    ("named", "folder"),
    [("s3://bucket/logs/", "s3://bucket/logs"), ("", f"{PROJECT}/sample"), ("/a/../b", "/b")],
)
def test_dagster_looks_into_the_folder_that_builds_read(
    named: str, folder: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_LANDING", named)
    monkeypatch.chdir(tmp_path)
    module = dagster_definitions(PROJECT)
    listed: list[str] = []
    monkeypatch.setattr(module, "list_logs", lambda folder: listed.append(str(folder)) or [])
    [*module.new_logs(build_sensor_context())]
    assert listed == [folder]


def test_every_schedule_builds_at_three() -> None:
    [schedule] = dagster_definitions(PROJECT).defs.schedules
    assert (schedule.job_name, schedule.cron_schedule) == ("refresh", "0 3 * * *")
    units = {}
    for name in ("scuttlehouse.service", "scuttlehouse.timer"):
        # A key may occur more than once in a unit.
        units[name] = ConfigParser(strict=False, delimiters=("=",))
        units[name].read(PROJECT / "schedules" / name)
    assert units["scuttlehouse.service"]["Service"]["ExecStart"] == "/usr/bin/make build"
    assert units["scuttlehouse.timer"]["Timer"]["OnCalendar"] == "*-*-* 03:00:00"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_the_unit_of_systemd_is_sandboxed() -> None:
    """systemd's own score, from 0 (nothing is open) to 10. A unit without a sandbox has 9.6."""
    unit = PROJECT / "schedules" / "scuttlehouse.service"
    command = [
        "systemd-analyze",
        "security",
        "--offline=true",
        "--threshold=15",
        "--no-pager",
        str(unit),
    ]
    judged = subprocess.run(command, capture_output=True, text=True)
    assert judged.returncode == 0, judged.stdout[-500:] + judged.stderr
