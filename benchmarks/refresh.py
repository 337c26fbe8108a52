"""What a refresh costs compared with a whole build: for one per cent more, one message, and nothing new.

    python benchmarks/refresh.py [--messages N ...] [--target local_big]

For each number of messages, a log of that size from `scuttlehouse sample --size huge` is built five times in
one warehouse: 99 per cent of it from nothing (`whole`); the last per cent of every exporter, as a log that
has arrived since (`1 %`); one message more, in a log of its own (`one`); again without anything new, with
`dbt build` (`dbt`) and with `scuttlehouse build` (`nothing`), which then starts neither dbt nor Java.
Seconds go from the start of the process to its end, including Python, Java, tests and expectations. Peak
memory is that of all processes. Then come the seconds of every step, summed over its models or tests.
Several run at the same time, so the sum is more than the build took. `start` is the rest: Python, parsing,
Java.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from scuttlehouse.sample.write import TARGETS, write_sample
from timed_build import build, run

SEED = 1
NEW_SHARE = 0.01
STEPS = ["seed", "staging", "intermediate", "marts", "ops", "test", "operation"]


def step_seconds(target: Path) -> tuple[Counter[str], float]:
    """Seconds of each step of the last build, and of the whole build by dbt's own clock."""
    run = json.loads((target / "run_results.json").read_text())
    manifest = json.loads((target / "manifest.json").read_text())
    seconds: Counter[str] = Counter()
    for result in run["results"]:
        kind = result["unique_id"].split(".")[0]
        if kind == "model":
            kind = manifest["nodes"][result["unique_id"]]["fqn"][1]
        seconds[kind] += result["execution_time"]
    return seconds, run["elapsed_time"]


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure refreshes beside whole builds.")
    parser.add_argument("--messages", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--target", default="local_big")
    given = parser.parse_args()
    print(
        f"{'messages':>9} {'build':>8} {'lines':>8} {'s':>7} {'of whole':>8} {'peak GB':>7}  "
        + " ".join(f"{step:>12}" for step in [*STEPS, "start"])
    )
    for messages in given.messages:
        with TemporaryDirectory() as folder:
            measure(messages, Path(folder), given.target)


def measure(messages: int, folder: Path, target: str) -> None:
    landing, home = folder / "landing", folder / "home"
    write_log(landing, messages)
    *held, last = hold_back(landing)
    whole = 0.0
    for name, new in {"whole": [], "1 %": held, "one": [last], "dbt": []}.items():
        if new:
            (landing / f"new-{len(new)}.jsonl").write_bytes(b"".join(new))
        count = len(new) if whole else sum(map(count_lines, landing.glob("*.jsonl")))
        built = build(landing, home, target)
        whole = whole or built.seconds
        steps, elapsed = step_seconds(home / "target")
        steps["start"] = built.seconds - elapsed
        print(
            f"{messages:>9,} {name:>8} {count:>8,} {built.seconds:>7.1f} {built.seconds / whole:>8.1%} "
            f"{built.peak_bytes / 1e9:>7.2f}  "
            + " ".join(f"{steps[step]:>12.1f}" for step in [*STEPS, "start"]),
            flush=True,
        )
    seconds = run(["scuttlehouse", "build"], landing, home, target).seconds
    print(
        f"{messages:>9,} {'nothing':>8} {0:>8} {seconds:>7.1f} {seconds / whole:>8.1%}", flush=True
    )


def write_log(landing: Path, messages: int) -> None:
    """A log of that size from `scuttlehouse sample`."""
    TARGETS["huge"] = messages
    write_sample(landing, SEED, "huge")


def hold_back(landing: Path) -> list[bytes]:
    """Remove the last lines of every exporter from its logs, and return them."""
    held: list[bytes] = []
    exporters: dict[str, list[Path]] = {}
    for log in sorted(landing.glob("*.jsonl")):
        exporters.setdefault(log.name.split("-")[0], []).append(log)
    for logs in exporters.values():
        left = round(sum(map(count_lines, logs)) * NEW_SHARE)
        for log in reversed(logs):
            lines = log.read_bytes().splitlines(keepends=True)
            kept = max(len(lines) - left, 0)
            held += lines[kept:]
            log.write_bytes(b"".join(lines[:kept]))
            left -= len(lines) - kept
    return held


def count_lines(log: Path) -> int:
    with log.open("rb") as lines:
        return sum(1 for _ in lines)


if __name__ == "__main__":
    main()
