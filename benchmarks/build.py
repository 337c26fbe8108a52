"""Time and memory of a whole `dbt build`, beside one Spark job that reads, parses and writes the log.

    python benchmarks/build.py [--log FILE] [sample|medium|large ...]

- `sample`: the second build of the sample that comes with the project, in a warehouse that has been
  built before; its tests and expectations are part of it, as of every build.
- `medium`, `large`: 10,000 and 100,000 messages by `scuttlehouse sample`, built from nothing.
- `--log`: a log of your own, a file or a folder, built from nothing.

Build s is the time from the start of the process to its end, Python and Java included. Job s is the
floor: in a Spark of the same settings that is already running, every line of the same files is read,
parsed as JSON and written as Parquet. Peak memory is that of the build's processes together (Python,
Java, Python workers), memory that they share counted once.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from typing import NamedTuple

from grow import PROJECT, open_spark
from scuttlehouse.sample import write_sample

SEED = 1
CASES = {"sample": "embedded", "medium": "embedded", "large": "local_big"}
LOG_TARGET = "embedded"
SAMPLE_SECONDS = 0.5


class Build(NamedTuple):
    seconds: float
    peak_bytes: int


def build(landing: Path, home: Path, target: str) -> Build:
    """Run dbt as `make build` does, in a process of its own."""
    where = {"SCUTTLEHOUSE_LANDING": str(landing), "SCUTTLEHOUSE_HOME": str(home)}
    options = ["--project-dir", PROJECT, "--profiles-dir", PROJECT / "profiles"]
    options += ["--target-path", home / "target", "--log-path", home / "logs", "--target", target]
    options += ["--exclude-resource-type", "unit_test", "--quiet"]
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


def job(landing: Path, home: Path, target: str) -> tuple[int, float]:
    """The number of lines, and the seconds of the one job that handles each of them once."""
    session = open_spark(home, target)
    session.range(1).count()
    start = perf_counter()
    lines = session.read.text([str(file) for file in landing.iterdir()])
    lines.selectExpr("try_parse_json(value) as line").write.parquet(str(home / "lines"))
    seconds = perf_counter() - start
    count = session.read.parquet(str(home / "lines")).count()
    session.stop()
    return count, seconds


def measure(name: str, landing: Path, home: Path, target: str) -> None:
    if name == "sample":
        build(landing, home / "warehouse", target)
    built = build(landing, home / "warehouse", target)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other_process:
        count, seconds = other_process.submit(job, landing, home / "floor", target).result()
    size = sum(file.stat().st_size for file in landing.iterdir())
    print(
        f"{name:>20} {target:>9} {count:>8,} {size / 1e6:>6.1f} {built.seconds:>8.1f} "
        f"{seconds:>6.1f} {built.seconds / seconds:>6.1f} {built.peak_bytes / 1e9:>8.2f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure whole builds.")
    parser.add_argument("cases", nargs="*", metavar="sample|medium|large", choices=[*CASES, []])
    parser.add_argument("--log", type=Path, help="a log, or a folder of logs, to build as well")
    arguments = parser.parse_args()
    cases = arguments.cases or ([] if arguments.log else list(CASES))
    print(
        f"{'log':>20} {'target':>9} {'lines':>8} {'MB':>6} {'build s':>8} {'job s':>6} "
        f"{'ratio':>6} {'peak GB':>8}"
    )
    for case in cases:
        with TemporaryDirectory() as folder:
            landing = PROJECT / "sample"
            if case != "sample":
                landing = Path(folder, "landing")
                write_sample(landing, SEED, case)
            measure(case, landing, Path(folder), CASES[case])
    if arguments.log:
        with TemporaryDirectory() as folder:
            landing = arguments.log.resolve()
            if landing.is_file():
                landing = Path(folder, "landing")
                landing.mkdir()
                (landing / arguments.log.name).symlink_to(arguments.log.resolve())
            measure(arguments.log.name[:20], landing, Path(folder), LOG_TARGET)


if __name__ == "__main__":
    main()
