"""Compare this checkout with an earlier one: the time and memory of builds and of a query, in one run.

    python benchmarks/ground.py --baseline FOLDER [--rounds 3]
    python benchmarks/ground.py --baseline FOLDER --messages 1000000 --rounds 1

FOLDER is a worktree of the earlier commit, where `make build` has installed everything:
`git worktree add FOLDER d34c455`. Without --messages, the sample is built with the target `embedded`. With
it, a log of that size from `scuttlehouse sample` is built with `local_big`. Each round has a new home for
each checkout. In each step the checkouts take turns; in every second round the other one is first. The steps:

- whole: a build from nothing; with --messages, of 99 per cent of the log;
- 1 % more: with --messages, a build after the last per cent of every exporter has arrived;
- nothing new: another build;
- sql: a query over the published tables, with `scuttlehouse sql`.

A build is what `make build` runs. Seconds go from the start of the process to its end. Peak memory is that
of all processes of a command; shared memory is counted once. Seconds and memory are medians of the rounds; a
ratio is the median of the rounds' ratios. `asked` is the goal in issue 30.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from refresh import hold_back, write_log
from timed_build import DBT_BUILD, PROJECT, Run, run

QUERY = (
    *("scuttlehouse", "sql", "--format", "csv"),
    "select status, count(*) as messages from fct_tangle_messages group by status order by status",
)
ASKED_OF_SAMPLE = {"whole": "ratio 0.7", "nothing new": "5 s", "sql": "1.2 s"}
ASKED_OF_LOG = {
    "whole": "ratio 0.8",
    "1 % more": "15 % of whole",
    "nothing new": "5 s",
    "sql": "1.2 s",
}


class Checkout(NamedTuple):
    name: str
    project: Path
    build: Sequence[str]


class Pair(NamedTuple):
    """The same step in both checkouts."""

    baseline: Run
    now: Run


def steps_of(
    checkouts: list[Checkout], landing: Path, later: Path | None, folder: Path
) -> dict[str, Pair]:
    """One round. `later` is a log that arrives after the whole build."""
    target = "local_big" if later else "embedded"

    def both(is_query: bool = False) -> Pair:
        runs = {
            one.name: run(
                QUERY if is_query else one.build, landing, folder / one.name, target, one.project
            )
            for one in checkouts
        }
        return Pair(**runs)

    steps = {"whole": both()}
    if later:
        landed = later.rename(landing / later.name)
        steps["1 % more"] = both()
    steps["nothing new"] = both()
    steps["sql"] = both(is_query=True)
    if later:
        landed.rename(later)
    answers = [answer.output for answer in steps["sql"]]
    if len(set(answers)) > 1:
        raise SystemExit("The answers differ:\n" + "\n".join(answers))
    return steps


def report(rounds: list[dict[str, Pair]], asked: dict[str, str]) -> None:
    print(
        f"{'step':>11} {'baseline s':>10} {'now s':>7} {'ratio':>6} {'of whole':>8} "
        f"{'baseline GB':>11} {'now GB':>7} {'ratio':>6}  asked"
    )
    for step, limit in asked.items():
        pairs = [steps[step] for steps in rounds]
        seconds = [median(getattr(pair, name).seconds for pair in pairs) for name in Pair._fields]
        peaks = [median(getattr(pair, name).peak_bytes for pair in pairs) for name in Pair._fields]
        faster = median(pair.now.seconds / pair.baseline.seconds for pair in pairs)
        smaller = median(pair.now.peak_bytes / pair.baseline.peak_bytes for pair in pairs)
        of_whole = median(steps[step].now.seconds / steps["whole"].now.seconds for steps in rounds)
        print(
            f"{step:>11} {seconds[0]:>10.1f} {seconds[1]:>7.2f} {faster:>6.2f} {of_whole:>8.1%} "
            f"{peaks[0] / 1e9:>11.2f} {peaks[1] / 1e9:>7.2f} {smaller:>6.2f}  {limit}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare this checkout with an earlier one.")
    parser.add_argument("--baseline", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--messages", type=int, metavar="N")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    checkouts = [
        Checkout("baseline", given.baseline.resolve(), DBT_BUILD),
        Checkout("now", PROJECT, ("scuttlehouse", "build")),
    ]
    rounds = []
    with TemporaryDirectory() as logs:
        landing, later = PROJECT / "sample", None
        if given.messages:
            landing, later = Path(logs, "landing"), Path(logs, "later.jsonl")
            write_log(landing, given.messages)
            later.write_bytes(b"".join(hold_back(landing)))
        for number in range(1, given.rounds + 1):
            with TemporaryDirectory() as folder:
                rounds.append(steps_of(checkouts, landing, later, Path(folder)))
            checkouts.reverse()
            print(f"after {number} of {given.rounds} rounds", flush=True)
            report(rounds, ASKED_OF_LOG if later else ASKED_OF_SAMPLE)


if __name__ == "__main__":
    main()
