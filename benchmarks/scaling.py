"""What more executors win, and what a large tangle costs: wall time, shuffled bytes, largest tasks by step.

    python benchmarks/scaling.py [--messages N] [--tangle M] [--executors E ...]

The log has N messages from `scuttlehouse sample --size huge`, and M posts in threads of ten. The target is
`cluster`, on executors of one core, in processes of their own that Spark starts on this machine
(`local-cluster`). The tables are in a folder, and the catalog is SQLite. dbt runs one step at a time, so the
time of a task says to which step it belongs. The last build has the M posts in one thread. Tasks and
shuffled bytes come from Spark's event log, seconds of steps from dbt. `tests` are all tests, `other` is all
steps that are not among the longest.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory

from refresh import write_log
from scuttlehouse.sample.lines import line_of
from scuttlehouse.sample.public import Thread
from scuttlehouse.sample.world import World
from timed_build import build

SEED = 2
PEOPLE = 50
POSTS_PER_THREAD = 10
SHOWN_STEPS = 14
MEMORY_MB = 1500


@dataclass
class Step:
    """What a step took: by dbt's clock, in all tasks, and in the longest task."""

    seconds: float = 0.0
    shuffled_mb: float = 0.0
    tasks: list[float] = field(default_factory=list)

    @property
    def longest(self) -> float:
        return max(self.tasks, default=0.0)

    def add(self, other: Step) -> None:
        self.seconds += other.seconds
        self.shuffled_mb += other.shuffled_mb
        self.tasks += other.tasks


Steps = dict[str, Step]


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure builds on executors of one core.")
    parser.add_argument("--messages", type=int, default=50_000)
    parser.add_argument("--tangle", type=int, default=20_000)
    parser.add_argument("--executors", type=int, nargs="+", default=[1, 2, 4])
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        even, skewed = Path(folder, "even"), Path(folder, "skewed")
        for landing, size in (even, POSTS_PER_THREAD), (skewed, given.tangle):
            write_log(landing, given.messages)
            write_threads(landing / "threads.jsonl", given.tangle, size)
        runs = {}
        for executors in given.executors:
            runs[executors] = measure(even, Path(folder, f"home{executors}"), executors)
        middle = given.executors[len(given.executors) // 2]
        _, with_tangle = measure(skewed, Path(folder, "home_skewed"), middle)
    show_runs(runs)
    show_steps({executors: steps for executors, (_, steps) in runs.items()}, middle)
    show_skew(runs[middle][1], with_tangle)


def write_threads(log: Path, posts: int, size: int) -> None:
    """Posts in threads of a size. Each replies to the two newest posts of its thread."""
    world, dice = World(SEED, "huge"), random.Random(SEED)
    names = [f"poster{number}" for number in range(PEOPLE)]
    with log.open("wb") as lines:
        for first in range(0, posts, size):
            thread = Thread(world, names[0])
            newest = [thread.root]
            for _ in range(min(size, posts - first) - 1):
                reply = thread.reply(dice.choice(names), newest)
                newest = [newest[-1], reply]
            lines.writelines(
                line_of(sighting.message, "relay", sighting.received)
                for sighting in world.sightings()
            )


def measure(landing: Path, home: Path, executors: int) -> tuple[float, Steps]:
    """The seconds of a build from nothing, and what its steps took."""
    events = home / "events"
    events.mkdir(parents=True)
    (home / "spark-defaults.conf").write_text(
        f"spark.eventLog.enabled true\nspark.eventLog.dir file://{events}\n"
        "spark.eventLog.compress false\nspark.eventLog.rolling.enabled false\n"
        f"spark.authenticate.secret {token_hex(16)}\n"  # local-cluster makes none by itself
    )
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["SPARK_CONF_DIR"] = str(home)
    os.environ["SCUTTLEHOUSE_MASTER"] = f"local-cluster[{executors},1,{MEMORY_MB}]"
    os.environ["SCUTTLEHOUSE_MEMORY"] = f"{MEMORY_MB}m"
    os.environ.setdefault("SCUTTLEHOUSE_PARTITIONS", "16")
    run = build(landing, home, "cluster", "--threads", "1")
    [log] = events.iterdir()
    print(f"{executors} executors: {run.seconds:.0f} s", flush=True)
    return run.seconds, steps_of(home / "target" / "run_results.json", log)


def steps_of(results: Path, log: Path) -> Steps:
    """The steps of a build in which dbt ran one step at a time."""
    begins, names = [], []
    steps: Steps = {}
    for result in json.loads(results.read_text())["results"]:
        kind, _, rest = result["unique_id"].split(".", 2)
        name = "tests" if kind == "test" else rest
        for timing in result["timing"]:
            if timing["name"] == "execute":
                begins.append(datetime.fromisoformat(timing["started_at"]).timestamp())
                names.append(name)
        steps.setdefault(name, Step()).seconds += result["execution_time"]
    in_order = sorted(zip(begins, names, strict=True))
    for launched, task in tasks_of(log):
        place = bisect_right(in_order, (launched, "~")) - 1
        steps.setdefault(in_order[place][1] if place >= 0 else "start", Step()).add(task)
    return steps


def tasks_of(log: Path) -> Iterator[tuple[float, Step]]:
    """The time when each task was launched, and what it took."""
    with log.open() as events:
        for line in events:
            event = json.loads(line)
            if event["Event"] != "SparkListenerTaskEnd" or not event.get("Task Metrics"):
                continue
            metrics = event["Task Metrics"]
            yield (
                event["Task Info"]["Launch Time"] / 1000,
                Step(
                    shuffled_mb=metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"] / 1e6,
                    tasks=[metrics["Executor Run Time"] / 1000],
                ),
            )


def show_runs(runs: dict[int, tuple[float, Steps]]) -> None:
    print("\n| executors | seconds | of the first | seconds of tasks | shuffled MB |")
    print("|---:|---:|---:|---:|---:|")
    first = next(iter(runs.values()))[0]
    for executors, (seconds, steps) in runs.items():
        tasks = sum(sum(step.tasks) for step in steps.values())
        shuffled = sum(step.shuffled_mb for step in steps.values())
        share = seconds / first
        print(f"| {executors} | {seconds:.0f} | {share:.2f} | {tasks:.0f} | {shuffled:.0f} |")


def show_steps(runs: dict[int, Steps], middle: int) -> None:
    counts = " / ".join(map(str, runs))
    print(f"\n| step | seconds with {counts} executors | tasks | longest task, s | shuffled MB |")
    print("|---|---:|---:|---:|---:|")
    shown = longest_first(runs[middle])
    found = {executors: short(steps, shown) for executors, steps in runs.items()}
    for name in shown:
        step = found[middle][name]
        seconds = " / ".join(f"{steps[name].seconds:.1f}" for steps in found.values())
        print(
            f"| {name} | {seconds} | {len(step.tasks)} | {step.longest:.2f} "
            f"| {step.shuffled_mb:.1f} |"
        )


def show_skew(even: Steps, skewed: Steps) -> None:
    print("\n| step | longest task, s: threads of ten | one thread | seconds | one thread |")
    print("|---|---:|---:|---:|---:|")
    shown = longest_first(skewed)
    before, after = short(even, shown), short(skewed, shown)
    for name in shown:
        print(
            f"| {name} | {before[name].longest:.2f} | {after[name].longest:.2f} "
            f"| {before[name].seconds:.1f} | {after[name].seconds:.1f} |"
        )


def longest_first(steps: Steps) -> list[str]:
    names = sorted(steps, key=lambda name: -sum(steps[name].tasks))
    return [*names[:SHOWN_STEPS], "other"]


def short(steps: Steps, shown: list[str]) -> Steps:
    """The steps that are shown, and all others as one."""
    kept = {name: Step() for name in shown}
    for name, step in steps.items():
        kept[name if name in shown else "other"].add(step)
    return kept


if __name__ == "__main__":
    main()
