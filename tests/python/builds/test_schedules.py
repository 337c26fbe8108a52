"""The schedules in the examples. The Dagster job makes the build that most tests share (`built`)."""

from __future__ import annotations

import re
import shutil
import subprocess
from configparser import ConfigParser

import pytest
from dagster import Failure

from conftest import PROJECT, Build, dagster_definitions


def test_the_dagster_job_builds_and_shows_the_output(built: Build) -> None:
    assert re.search("^scuttlehouse: built, tested and published as build ", built.output, re.M)


def test_the_dagster_job_fails_with_its_build(monkeypatch: pytest.MonkeyPatch) -> None:
    module = dagster_definitions(PROJECT)
    monkeypatch.setattr(module, "SCUTTLEHOUSE", "false")
    with pytest.raises(Failure, match="Nothing was published"):
        module.refresh.execute_in_process()


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
