"""Run commands of a checkout of this project in new processes, and measure their time and memory."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from threading import Event, Thread
from time import perf_counter, sleep
from typing import NamedTuple

PROJECT = Path(__file__).parents[1]

# `dbt build` as `make build` runs it.
DBT_BUILD = (
    *("dbt", "build", "--profiles-dir", "profiles"),
    *("--exclude-resource-type", "unit_test"),
)

# The pauses between two looks at the memory grow from the first value to the second.
PAUSES = (0.05, 0.5)

# Java ends a moment after the Python process that started it.
JAVA_ENDS = 1.0


class Run(NamedTuple):
    """The seconds from the start of a process to its end, those of processors, the peak memory, the output.

    Memory and processor time are those of the process and all its descendants, but for the processor time of
    what ends between two looks.
    """

    seconds: float
    processor_seconds: float
    peak_bytes: int
    output: str


class RunError(SystemExit):
    """A command failed. If nobody handles the error, the benchmark ends with this message."""


def build(landing: Path, home: Path, target: str, *options: str) -> Run:
    """Run `dbt build` with additional options. It also runs if nothing is new."""
    return run([*DBT_BUILD, *options], landing, home, target)


def run(
    command: Sequence[str], landing: Path, home: Path, target: str, project: Path = PROJECT
) -> Run:
    """Run a command of a checkout, which has its own environment in `.venv`.

    Raises:
        RunError: the exit code is not 0.
    """
    settings = {
        "SCUTTLEHOUSE_LANDING": str(landing),
        "SCUTTLEHOUSE_HOME": str(home),
        "DBT_TARGET": target,
        "DBT_TARGET_PATH": str(home / "target"),
        "DBT_LOG_PATH": str(home / "logs"),
        "DBT_QUIET": "1",
    }
    home.mkdir(parents=True, exist_ok=True)
    with (home / "output.txt").open("w+") as output:
        start = perf_counter()
        process = subprocess.Popen(
            [project / ".venv/bin" / command[0], *command[1:]],
            cwd=project,
            env=os.environ | settings,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        has_ended, peaks, spent = Event(), [0], dict[str, float]()
        watcher = Thread(target=watch, args=(process.pid, has_ended, peaks, spent))
        watcher.start()
        process.wait()
        seconds = perf_counter() - start
        has_ended.set()
        watcher.join()
        output.seek(0)
        said = output.read()
    if process.returncode:
        raise RunError(f"{' '.join(command)} failed on {landing}:\n{said}")
    sleep(JAVA_ENDS)
    return Run(seconds, sum(spent.values()), max(peaks), said)


def watch(root: int, has_ended: Event, peaks: list[int], spent: dict[str, float]) -> None:
    """Look at a process and its descendants: the bytes that they use, and the processor time of each."""
    pause, longest = PAUSES
    while not has_ended.wait(pause):
        family = with_descendants(root)
        peaks.append(sum(map(memory_of_one, family)))
        spent.update(processor_seconds(process) for process in family)
        pause = min(2 * pause, longest)


def with_descendants(root: int) -> list[int]:
    """A process and all its descendants.

    A child of Java that still has Java's program is none: Java begins it by vfork, and its memory is Java's.
    """
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:  # The process has ended.
            continue
        children.setdefault(parent, []).append(int(folder.name))
    family = [root]
    for process in family:
        begun = children.get(process, [])
        family += [child for child in begun if not (is_java(process) and is_java(child))]
    return family


def processor_seconds(process: int) -> tuple[str, float]:
    """What no other process is called, and the processor time that this one has taken."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # The process has ended.
        return "", 0.0
    user, system, started = (int(fields[place]) for place in (11, 12, 19))
    return f"{process} since {started}", (user + system) / os.sysconf("SC_CLK_TCK")


def is_java(process: int) -> bool:
    """Whether a process runs Java's program."""
    try:
        return Path(f"/proc/{process}/exe").readlink().name == "java"
    except OSError:  # The process has ended.
        return False


def memory_of_one(process: int) -> int:
    """The bytes of one process: of shared bytes its share, or all of them if the share cannot be read."""
    folder = Path("/proc", str(process))
    try:
        lines = (folder / "smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    except OSError:
        pass
    try:
        return int((folder / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # The process has ended.
        return 0
