"""Inputs that a stranger may write, for as long as one likes: crashes, and the worst cost of a byte.

    python benchmarks/fuzz.py --minutes 30             # every target in turn; minutes of processor time
    python benchmarks/fuzz.py --minutes 5 line file    # some of them
    python benchmarks/fuzz.py --seed 17 line           # one round again

Hypothesis makes the inputs (`tests/python/fuzzing/targets.py` says which, and what must hold), in rounds of
EXAMPLES; a round is a seed. The cost of an input is its processor time, divided by the time of messages of
the sample with as many bytes, measured in the same run: at most BOUND. What breaks a promise, or costs more
in each of three runs, is printed with its seed, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

PROJECT = Path(__file__).parents[1]
for room in ("", "files", "fuzzing", "landing"):
    sys.path.insert(0, str(PROJECT / "tests" / "python" / room))

import targets  # noqa: E402

EXAMPLES = 300
# After so many rounds, what was found so far is printed.
ROUNDS_BETWEEN = 3
# How often an input may cost what messages of the sample with as many bytes cost.
BOUND = 16
# What every input costs beside its bytes: less is not told from the clock's own errors.
LEAST_BYTES = 4096


@dataclass
class Found:
    """What the rounds of a target have found."""

    inputs: int = 0
    bytes_read: int = 0
    worst: float = 0.0
    worst_input: str = ""
    broken: list[str] = field(default_factory=list)


def seconds_a_byte() -> float:
    """What reading messages of the sample costs."""
    begun = process_time()
    read = sum(targets.read_line(message) for _ in range(10) for message in targets.MESSAGES)
    return (process_time() - begun) / read


def cost_of(run: Any, value: Any, ordinary: float) -> tuple[int, float]:
    """The bytes of an input, and how often it costs what as many bytes of messages cost."""
    begun = process_time()
    read = run(value)
    return read, (process_time() - begun) / (ordinary * max(read, LEAST_BYTES))


def shown(value: Any) -> str:
    """The beginning of an input."""
    text = repr(value)
    return text if len(text) < 160 else f"{text[:120]}... ({len(text)} characters)"


def try_round(name: str, number: int, ordinary: float, found: Found) -> None:
    """Try the inputs of a seed; keep what they cost and what they break."""
    inputs, run = targets.target(name)

    @seed(number)
    @settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        # Hypothesis's search for dearer inputs need not end, because a clock says something else each time.
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=[*HealthCheck],
        print_blob=False,
        report_multiple_bugs=False,
    )
    @given(inputs)
    def try_input(value: Any) -> None:
        read, cost = cost_of(run, value, ordinary)
        found.inputs += 1
        found.bytes_read += read
        if cost > max(BOUND, found.worst):
            cost = min(cost, *(cost_of(run, value, ordinary)[1] for _ in range(2)))
        if cost > found.worst:
            found.worst, found.worst_input = cost, f"seed {number}: {shown(value)}"

    try:
        try_input()
    except Exception as error:  # whatever it is, it is what we look for
        told = " ".join([repr(error), *getattr(error, "__notes__", [])])
        found.broken.append(f"{name}, seed {number}: {told[:600]}")


def tell(found: dict[str, Found], rounds: int, ordinary: float) -> tuple[list[str], list[str]]:
    """Print what was found so far; return it, too: promises that are broken, and costs over the bound."""
    print(
        f"{rounds} rounds in {process_time() / 60:.1f} minutes of processor time; messages of the sample"
        f" cost {1e9 * ordinary:.0f} ns a byte."
    )
    for name, one in found.items():
        print(
            f"{name:10} {one.inputs:9,} inputs {one.bytes_read / 1e6:9,.1f} MB   worst cost"
            f" {one.worst:6.2f} times   {one.worst_input}"
        )
    broken = [told for one in found.values() for told in one.broken]
    over = [f"{name} costs more than {BOUND} times" for name in found if found[name].worst > BOUND]
    print(*broken, *over, sep="\n", flush=True)
    return broken, over


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("targets", nargs="*", choices=[*targets.NAMES, []], default=[])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int)
    arguments = parser.parse_args()
    names = arguments.targets or targets.NAMES
    ordinary = seconds_a_byte()
    found = {name: Found() for name in names}
    end = process_time() + 60 * arguments.minutes
    number = arguments.seed or 0
    while True:
        for name in names:
            try_round(name, number, ordinary, found[name])
        number += 1
        if number % ROUNDS_BETWEEN == 0:
            tell(found, number, ordinary)
        if arguments.seed is not None or process_time() > end:
            break
    broken, over = tell(found, number, ordinary)
    return 1 if broken or over else 0


if __name__ == "__main__":
    sys.exit(main())
