"""A whole `dbt build` in a process of its own, with its time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter, sleep
from typing import NamedTuple

PROJECT = Path(__file__).parents[1]
SAMPLE_SECONDS = 0.5


class Build(NamedTuple):
    """The seconds from the start of the process to its end, and the most memory of all at once."""

    seconds: float
    peak_bytes: int


def build(landing: Path, home: Path, target: str, *selection: str) -> Build:
    """Run dbt as `make build` does, or with a `selection` in dbt's options."""
    where = {"SCUTTLEHOUSE_LANDING": str(landing), "SCUTTLEHOUSE_HOME": str(home)}
    options: list[str | Path] = ["--project-dir", PROJECT, "--profiles-dir", PROJECT / "profiles"]
    options += ["--target-path", home / "target", "--log-path", home / "logs", "--target", target]
    options += ["--exclude-resource-type", "unit_test", "--quiet", *selection]
    command = [Path(sys.executable).parent / "dbt", "build", *options]
    home.mkdir(parents=True, exist_ok=True)
    with (home / "output.txt").open("w+") as output:
        start = perf_counter()
        process = subprocess.Popen(
            command, env=os.environ | where, stdout=output, stderr=subprocess.STDOUT
        )
        peak = 0
        while process.poll() is None:
            peak = max(peak, memory(process.pid))
            sleep(SAMPLE_SECONDS)
        seconds = perf_counter() - start
        if process.returncode:
            output.seek(0)
            sys.exit(f"The build of {landing} failed:\n{output.read()}")
    return Build(seconds, peak)


def memory(root: int) -> int:
    """The bytes that a process and all its descendants take up, shared ones split among them."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended meanwhile
            continue
        children.setdefault(parent, []).append(int(folder.name))
    family, total = [root], 0
    for process in family:
        family += children.get(process, [])
        try:
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    return total
