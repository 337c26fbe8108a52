"""Time and memory of a whole `dbt build`, compared with one Spark job that reads, parses and writes the log.

    python benchmarks/build.py [--log FILE] [sample|medium|large ...]

- `sample`: the sample that comes with the project;
- `medium`, `large`: 10,000 and 100,000 messages from `scuttlehouse sample`;
- `--log`: your own log, a file or a folder.

Each is built from nothing, with all tests and expectations. `build s` is the time from the start of the
process to its end, including Python and Java. `job s` is the lower bound: a Spark with the same settings,
which already runs, reads every line of the same files, parses it as JSON and writes it as Parquet. Peak
memory is that of all processes of the build (Python, Java, Python workers). Shared memory is counted once.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from scuttlehouse.sample.write import write_sample
from spark import open_spark
from timed_build import PROJECT, build

SEED = 1
CASES = ("sample", "medium", "large")
TARGET = "embedded"


def job(landing: Path, home: Path) -> tuple[int, float]:
    """The number of lines, and the seconds of the one job that handles each of them once."""
    session = open_spark(home, TARGET)
    session.range(1).count()
    start = perf_counter()
    lines = session.read.text([str(file) for file in landing.iterdir()])
    lines.selectExpr("try_parse_json(value) as line").write.parquet(str(home / "lines"))
    seconds = perf_counter() - start
    count = session.read.parquet(str(home / "lines")).count()
    session.stop()
    return count, seconds


def landing_of(log: Path, folder: Path) -> Path:
    """A landing folder with the log. If the log is a folder of logs, that folder."""
    if log.is_dir():
        return log.resolve()
    landing = folder / "landing"
    landing.mkdir()
    (landing / log.name).symlink_to(log.resolve())
    return landing


def measure(name: str, landing: Path, home: Path) -> None:
    built = build(landing, home / "warehouse", TARGET)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other_process:
        count, seconds = other_process.submit(job, landing, home / "floor").result()
    size = sum(file.stat().st_size for file in landing.iterdir())
    print(
        f"{name:>20} {count:>8,} {size / 1e6:>6.1f} {built.seconds:>8.1f} "
        f"{seconds:>6.1f} {built.seconds / seconds:>6.1f} {built.peak_bytes / 1e9:>8.2f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure whole builds.")
    parser.add_argument("cases", nargs="*", metavar="sample|medium|large", choices=[*CASES, []])
    parser.add_argument("--log", type=Path, help="a log, or a folder of logs, to build as well")
    arguments = parser.parse_args()
    cases = arguments.cases or ([] if arguments.log else CASES)
    print(
        f"{'log':>20} {'lines':>8} {'MB':>6} {'build s':>8} {'job s':>6} "
        f"{'ratio':>6} {'peak GB':>8}"
    )
    for case in cases:
        with TemporaryDirectory() as folder:
            landing = PROJECT / "sample"
            if case != "sample":
                landing = Path(folder, "landing")
                write_sample(landing, SEED, case)
            measure(case, landing, Path(folder))
    if arguments.log:
        with TemporaryDirectory() as folder:
            landing = landing_of(arguments.log, Path(folder))
            measure(arguments.log.name[:20], landing, Path(folder))


if __name__ == "__main__":
    main()
