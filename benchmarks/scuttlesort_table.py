"""The evaluation of the ScuttleSort paper (section 4), and the experiments in its to-do list.

    python benchmarks/scuttlesort_table.py [--entries N ...] [--feeds N ...] [--seeds N]
        [--runs FILE.csv] [--plot FILE.svg] [--logs FILE.jsonl[.gz] ...]

The figures are update commands per entry, `ins` included, for events that random feeds deliver
(`paper_model.py`). 1K is 1,000. For each cell: the mean over the seeds, the 10th and 90th percentile of
the runs, and the paper's figure. Then:

- more cross-references: 1 to 4 of them at the smallest number of entries;
- the asymmetric case: 256,000 messages, 32 active feeds, and 512 silent feeds with a single message each; the
  paper does not say what silent means;
- logs of messages, if given: an entry lists the message before it in its feed, and all messages that its
  content names. They are delivered by random feeds, and in the order of the log.

The whole table takes hours. Every run is stored in a file as soon as it ends, and does not run again: stop
when you like, and continue later. The figures are counts, so other load on the machine does not change them.

The plot looks like the paper's figure 9: commands by feeds, both axes logarithmic, a line for each number of
entries with a bar from the 10th to the 90th percentile. The paper's figures are dashed.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from paper_model import (
    Event,
    active_and_silent,
    columns,
    named,
    pairs,
    random_feeds,
    tangle,
)
from plot import Line, plot
from scuttlehouse.ssb.ids import message_uri
from scuttlehouse.timeline import Timeline

ENTRIES = [32_000, 64_000, 128_000, 256_000, 512_000]
FEEDS = [4, 8, 16, 32, 64, 128, 256, 512, 1024]
PAPER = {
    32_000: [2.5, 3.0, 3.6, 4.7, 7.1, 10.4, 13.1, 16.8, 21.5],
    64_000: [3.8, 2.9, 5.7, 4.4, 7.0, 10.1, 13.2, 17.0, 22.0],
    128_000: [1.7, 2.7, 3.7, 5.3, 6.6, 9.2, 13.9, 18.1, 24.8],
    256_000: [2.6, 2.4, 3.5, 5.8, 6.9, 10.6, 14.6, 19.7, 24.5],
    512_000: [1.6, 3.3, 2.9, 6.2, 7.3, 10.7, 15.0, 19.3, 26.0],
}


class Cell(NamedTuple):
    """Commands per entry of the runs of a cell: their mean, and the 10th and 90th percentile."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, figures: Sequence[float]) -> Cell:
        low, high = np.percentile(figures, [10, 90])
        return cls(float(np.mean(figures)), float(low), float(high))

    def __str__(self) -> str:
        return f"{self.mean:>7.2f} {self.low:>7.2f} {self.high:>7.2f}"


Cells = dict[int, dict[int, Cell]]


def commands_per_entry(events: Sequence[Event], delivery: Sequence[int]) -> float:
    told = Timeline().extend(*columns(named(events, delivery)))
    return told.num_rows / len(events)


class Runs:
    """Commands per entry by tangle and seed, stored in a CSV file."""

    def __init__(self, path: Path, seeds: int) -> None:
        self.path = path
        self.seeds = seeds
        self.kept: dict[tuple[str, int], float] = {}
        if path.exists():
            with path.open(newline="", encoding="utf-8") as file:
                for tangle_name, seed, figure in csv.reader(file):
                    self.kept[tangle_name, int(seed)] = float(figure)

    def of(self, tangle_name: str, make: Callable[[random.Random], list[Event]]) -> list[float]:
        """Commands per entry of a tangle with a random delivery, for each seed."""
        for seed in range(1, self.seeds + 1):
            if (tangle_name, seed) not in self.kept:
                dice = random.Random(seed)
                events = make(dice)
                figure = commands_per_entry(events, random_feeds(events, dice))
                self.kept[tangle_name, seed] = figure
                with self.path.open("a", newline="", encoding="utf-8") as file:
                    csv.writer(file).writerow([tangle_name, seed, figure])
        return [self.kept[tangle_name, seed] for seed in range(1, self.seeds + 1)]

    def of_paper(self, entries: int, feeds: int, references: int = 1) -> list[float]:
        """The same for a tangle of the paper's model."""
        make = partial(paper_tangle, entries=entries, feeds=feeds, cross_references=references)
        return self.of(f"{entries} entries of {feeds} feeds with {references} references", make)


def paper_tangle(
    dice: random.Random, entries: int, feeds: int, cross_references: int
) -> list[Event]:
    return tangle(pairs(entries, feeds, dice), cross_references)


def paper_figure(entries: int, feeds: int) -> float | None:
    if entries not in PAPER or feeds not in FEEDS:
        return None
    return PAPER[entries][FEEDS.index(feeds)]


def print_table(entries: Sequence[int], feeds: Sequence[int], runs: Runs) -> Cells:
    print(f"{'entries':>8} {'feeds':>5} {'mean':>7} {'p10':>7} {'p90':>7} {'paper':>6}")
    cells: Cells = {}
    for size in entries:
        for width in feeds:
            cell = Cell.of(runs.of_paper(size, width))
            cells.setdefault(size, {})[width] = cell
            paper = paper_figure(size, width) or ""
            print(f"{size:>8,} {width:>5} {cell} {paper:>6}", flush=True)
    return cells


def print_to_do(entries: int, feeds: Sequence[int], runs: Runs) -> None:
    print(f"\nmore cross-references, {entries:,} entries")
    print(f"{'feeds':>5} {'references':>10} {'mean':>7} {'p10':>7} {'p90':>7}")
    for width in feeds:
        for references in range(1, 5):
            figures = runs.of_paper(entries, width, references)
            print(f"{width:>5} {references:>10} {Cell.of(figures)}", flush=True)
    print("\n256,000 messages, 32 active feeds, 512 silent ones")
    print(f"{'mean':>7} {'p10':>7} {'p90':>7}")
    name = "256000 entries of 32 active feeds and 512 silent ones"
    print(Cell.of(runs.of(name, lambda dice: tangle(active_and_silent(256_000, 32, 512, dice)))))


def texts(content: Any) -> Iterator[str]:
    """All texts in a content, at any depth."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict | list):
        for inner in content.values() if isinstance(content, dict) else content:
            yield from texts(inner)


def read_log(path: Path) -> list[tuple[str | None, str, list[str | None]]]:
    """The id, the author and the listed messages of each message of a log."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="\n") as lines:
        values = {message_uri(line["key"]): line["value"] for line in map(json.loads, lines)}
    log = []
    for uri, value in values.items():
        mentioned = (message_uri(text) for text in texts([value["previous"], value["content"]]))
        log.append((uri, value["author"], [one for one in mentioned if one in values]))
    return log


def print_logs(paths: Sequence[Path], seeds: int) -> None:
    print("\nlogs: commands per entry, delivered by random feeds and as the log has them")
    print(
        f"{'log':>44} {'entries':>8} {'feeds':>5} {'links':>6} {'mean':>7} {'p10':>7} {'p90':>7} "
        f"{'as is':>7}"
    )
    for path in paths:
        log = read_log(path)
        numbers = {key: number for number, (key, _, _) in enumerate(log)}
        authors = list(dict.fromkeys(author for _, author, _ in log))
        events = [
            Event(authors.index(author), tuple(numbers[one] for one in listed))
            for _, author, listed in log
        ]
        figures = [
            commands_per_entry(events, random_feeds(events, random.Random(seed)))
            for seed in range(1, seeds + 1)
        ]
        links = sum(len(set(event.after)) for event in events) / len(events)
        print(
            f"{Path(*path.parts[-3:])!s:>44} {len(events):>8,} {len(authors):>5} {links:>6.2f} "
            f"{Cell.of(figures)} {commands_per_entry(events, range(len(events))):>7.2f}"
        )


def drawn(cells: Cells) -> str:
    """The plot: a line for each number of entries, with the figures of the paper beside it."""
    lines = [
        Line(
            f"{size:,} entries",
            {width: cell.mean for width, cell in row.items()},
            {width: (cell.low, cell.high) for width, cell in row.items()},
            {width: figure for width in row if (figure := paper_figure(size, width)) is not None},
        )
        for size, row in cells.items()
    ]
    below = "feeds (bars: 10th to 90th percentile; dashed: the paper)"
    return plot(lines, "update commands per entry", below)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure ScuttleSort as its paper does.")
    parser.add_argument("--entries", type=int, nargs="+", default=ENTRIES, metavar="N")
    parser.add_argument("--feeds", type=int, nargs="+", default=FEEDS, metavar="N")
    parser.add_argument("--seeds", type=int, default=10, metavar="N")
    parser.add_argument(
        "--runs",
        type=Path,
        default=Path(__file__).with_name("scuttlesort_runs.csv"),
        metavar="FILE.csv",
    )
    parser.add_argument("--plot", type=Path, default=Path("scuttlesort.svg"), metavar="FILE.svg")
    parser.add_argument("--logs", type=Path, nargs="+", default=[], metavar="FILE")
    given = parser.parse_args()
    print(f"seeds 1 to {given.seeds}, commands per entry\n")
    runs = Runs(given.runs, given.seeds)
    cells = print_table(given.entries, given.feeds, runs)
    given.plot.write_text(drawn(cells), encoding="utf-8")
    print_to_do(given.entries[0], given.feeds, runs)
    if given.logs:
        print_logs(given.logs, given.seeds)


if __name__ == "__main__":
    main()
