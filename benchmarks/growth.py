"""How the time and memory of a whole build grow with the number of messages, and which steps take most.

    python benchmarks/growth.py [--messages N ...] [--runs FILE.csv] [--plot FILE.svg]

For each number of messages, a log of that size from `scuttlehouse sample --size huge` is built from nothing
with the target local_big, with all tests and expectations. `landing s` is the time of the steps that read
and verify the lines. `CPU s` and peak memory are those of all processes. The exponent says how seconds grow
from the size before: 1 is linear. Then come the steps of the last build that took most. Several run at the
same time, so their sum is more than the build took.

Each build is added to the file of runs, whose figures the plot shows: a line for each day, landing dashed.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
from datetime import date
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from plot import Line, plot
from refresh import write_log
from timed_build import build

TARGET = "local_big"
LANDING = ("stg_ssb__landed_lines", "stg_pzp__landed_lines")
SHOWN_STEPS = 15
RUNS = Path(__file__).with_name("growth_runs.csv")


def seconds_by_step(home: Path) -> dict[str, float]:
    """The seconds of each step of the last build of a home, by its name, the longest first."""
    results = json.loads((home / "target/run_results.json").read_text())["results"]
    named = {}
    for result in results:
        kind, _, name, *_ = result["unique_id"].split(".")
        if kind != "operation":
            named[name] = float(result["execution_time"])
    return dict(sorted(named.items(), key=lambda item: -item[1]))


def measure(messages: int, runs: Path) -> dict[str, float]:
    """Build a log of a size, add what it took to the file of runs, and return the seconds of each step."""
    with TemporaryDirectory() as folder:
        landing, home = Path(folder, "landing"), Path(folder, "home")
        write_log(landing, messages)
        built = build(landing, home, TARGET)
        steps = seconds_by_step(home)
    landed = sum(steps[name] for name in LANDING)
    figures = built.seconds, landed, built.processor_seconds, built.peak_bytes / 1e9
    print(f"{messages:>9,} " + " ".join(f"{figure:>9.1f}" for figure in figures), flush=True)
    with runs.open("a", newline="", encoding="utf-8") as file:
        row = [date.today(), messages, *(f"{figure:.1f}" for figure in figures)]
        csv.writer(file).writerow(row)
    return steps


def lines_of(runs: Path) -> list[Line]:
    """A line for each day of the file of runs: seconds by messages, those of landing dashed."""
    whole: dict[str, dict[int, float]] = {}
    landing: dict[str, dict[int, float]] = {}
    with runs.open(newline="", encoding="utf-8") as file:
        for day, messages, seconds, landed, *_ in csv.reader(file):
            whole.setdefault(day, {})[int(messages)] = float(seconds)
            landing.setdefault(day, {})[int(messages)] = float(landed)
    return [Line(day, points, dashed=landing[day]) for day, points in whole.items()]


def print_exponents(points: dict[int, float]) -> None:
    sizes = sorted(points)
    for one, other in pairwise(sizes):
        exponent = math.log(points[other] / points[one]) / math.log(other / one)
        print(f"from {one:,} to {other:,}: to the power of {exponent:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure how whole builds grow.")
    parser.add_argument("--messages", type=int, nargs="*", default=[62_500, 250_000, 1_000_000])
    parser.add_argument("--runs", type=Path, default=RUNS, metavar="FILE.csv")
    parser.add_argument("--plot", type=Path, default=Path("growth.svg"), metavar="FILE.svg")
    given = parser.parse_args()
    print(f"{'messages':>9} {'s':>9} {'landing s':>9} {'CPU s':>9} {'peak GB':>9}")
    steps: dict[str, float] = {}
    for messages in given.messages:
        steps = measure(messages, given.runs)
    lines = lines_of(given.runs)
    print_exponents(dict(lines[-1].points))
    for name, seconds in list(steps.items())[:SHOWN_STEPS]:
        print(f"{seconds:>8.1f}  {seconds / sum(steps.values()):>4.0%}  {name}")
    title = "seconds of a whole build (dashed: its landing)"
    given.plot.write_text(plot(lines, title, "messages"), encoding="utf-8")


if __name__ == "__main__":
    main()
