"""What the largest groups and threads cost: seconds, and how they grow with the size.

    python benchmarks/groups.py

The histories are those of `tests/python/groups/test_costs.py`, which counts calls at small sizes: exclusions
and additions in one epoch, chains of epochs, forks. The thread has one message after the other. Seconds of
processor time are medians. The exponent compares a quarter of the size with all of it; 1 is linear.
Spark is not counted.
"""

from __future__ import annotations

import math
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from scuttlehouse.tangles.order import positions, ranks
from scuttlehouse.tangles.thread_order import thread_positions
from timeline import median_seconds

sys.path.append(str(Path(__file__).parents[1] / "tests/python"))
sys.path.append(str(Path(__file__).parents[1] / "tests/python/groups"))
from test_costs import WORK

SIZES = {
    "exclusions, then additions": 3_000,
    "a chain of epochs": 2_000,
    "epochs side by side": 2_000,
    "precedence": 2_000,
    "repairs of forks with a witness": 2_000,
    "preference": 2_000,
}


def order_thread(size: int) -> None:
    """Both orders of a thread in which each message answers the one before it."""
    codes, ids = np.zeros(size, np.int64), pa.array([f"%{number:060}" for number in range(size)])
    links = np.arange(1, size), np.arange(size - 1)
    node_ranks = ranks(size, *links)
    positions(codes, node_ranks, ids)
    thread_positions(codes, node_ranks, *links, pa.array(np.arange(size, dtype=float)), ids)


def main() -> None:
    cases = [(name, WORK[name], size) for name, size in SIZES.items()]
    cases.append(("a thread, a message after the other", order_thread, 100_000))
    order_thread(10)  # compiles
    print("| work | size | seconds | exponent |\n|---|---:|---:|---:|")
    for name, work, size in cases:
        quarter, whole = (median_seconds(partial(work, n)) for n in (size // 4, size))
        exponent = math.log(whole / quarter) / math.log(4)
        print(f"| {name} | {size:,} | {whole:.3f} | {exponent:.2f} |", flush=True)


if __name__ == "__main__":
    main()
