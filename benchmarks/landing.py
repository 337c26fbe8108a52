"""How fast plain JSON lines become rows, beside bare verification and beside an earlier checkout, in one run.

    python benchmarks/landing.py [--baseline FOLDER]

There are two logs. `sample` is the messages of the sample again and again: a third are of metafeeds, which
cost most. `generated` is those of `scuttlehouse sample --size medium`, as in the logs of other benchmarks:
one in thirty is of a metafeed. Only lines that could be used are in them. Each is read in a process of its
own, to batches of Arrow, as a worker of Spark does; keys and rows of pzp included. Bare verification is
libsodium's, of the signatures that landing verifies: a message of bendybutt-v1 may have two. With a
baseline, both checkouts read in turn. What counts is processor time: other work on the machine lengthens
all of them.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from scuttlehouse.sample.write import write_sample

PROJECT = Path(__file__).parents[1]

LAND = """
import sys, time
from functools import partial
from nacl import bindings, exceptions

path, size, what = sys.argv[1], int(sys.argv[2]), sys.argv[3]
verify, verified = bindings.crypto_sign_open, []
if what == "bare":
    bindings.crypto_sign_open = lambda *signed: verified.append(signed) or verify(*signed)

import pandas  # Pyarrow imports it when it makes the first array, and a worker has it.
from scuttlehouse.files.parts import Line, Split
from scuttlehouse.landing.glued_lines import epoch_keys, land_lines, land_pzp_lines
from scuttlehouse.landing.logs import read_lines
from scuttlehouse.landing.spark import arrow_schema, row_batches
from scuttlehouse.pzp.lines import PZP_WORDS, LandedPzpLine
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.lines import KEY_WORDS, LandedLine
from scuttlehouse.landing.rejects import fold_rejects

ring = KeyRing(b"pepper" * 6)
split = Split(path, "a.jsonl", 0, size)
lines = lambda words: (("a.jsonl", line) for line in read_lines(split, 1, words))
begun = time.process_time()
keys = sum(1 for _, line in lines(KEY_WORDS) if isinstance(line, Line) for _ in epoch_keys(line))
rows = 0
passes = (land_lines, LandedLine, ()), (land_pzp_lines, LandedPzpLine, PZP_WORDS)
for land, kind, words in passes:
    landed = fold_rejects(lines(words), partial(land, ring=ring), ring, kind)
    rows += sum(batch.num_rows for batch in row_batches(landed, arrow_schema(kind)))
if what == "bare":
    rows, begun = len(verified), time.process_time()
    for signed in verified:
        try:
            verify(*signed)
        except exceptions.BadSignatureError:
            pass
print(rows, time.process_time() - begun)
"""


def land(checkout: Path, log: Path, what: str = "rows") -> tuple[int, float]:
    """The rows of the log, and the processor seconds that the code of a checkout takes for them.

    For ``bare``, the signatures that it verifies, and the seconds that libsodium takes for them.
    """
    done = subprocess.run(
        [sys.executable, "-c", LAND, str(log), str(log.stat().st_size), what],
        env={**os.environ, "PYTHONPATH": str(checkout / "src")},
        cwd=log.parent,
        check=True,
        capture_output=True,
        text=True,
    )
    rows, seconds = done.stdout.split()
    return int(rows), float(seconds)


def write_log(path: Path, folder: Path, size: int) -> None:
    """Repeat the messages of the logs in a folder up to a size."""
    lines = [
        line + b"\n"
        for log in sorted(folder.glob("*.jsonl"))
        for line in log.read_bytes().split(b"\n")
        if line.startswith((b'{"key"', b'{"id"')) and line.endswith(b"}")
    ]
    block = b"".join(lines)
    with path.open("wb") as file:
        for _ in range(max(size // len(block), 1)):
            file.write(block)


def compare(name: str, log: Path, checkouts: dict[str, Path], rounds: int) -> None:
    """Measure the checkouts and bare verification with one log, in turn."""
    seconds: dict[str, list[float]] = {who: [] for who in (*checkouts, "bare")}
    for number in range(rounds):
        # Who is first changes, so that neither gains by it.
        for who in sorted(checkouts, reverse=number % 2 == 1):
            rows, taken = land(checkouts[who], log)
            seconds[who].append(taken)
            rate = log.stat().st_size / taken / 1e6
            print(f"{name:<9}  {who:<8}  {rows} rows  {taken:.2f} s  {rate:.1f} MB/s", flush=True)
        signatures, taken = land(PROJECT, log, "bare")
        seconds["bare"].append(taken)
        print(f"{name:<9}  bare      {signatures} signatures  {taken:.2f} s", flush=True)
    medians = {who: statistics.median(taken) for who, taken in seconds.items()}
    print(f"{name}: seconds here / bare verification: {medians['here'] / medians['bare']:.2f}")
    if "baseline" in checkouts:
        print(f"{name}: speed here / baseline: {medians['baseline'] / medians['here']:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--baseline", type=Path, help="another checkout")
    parser.add_argument("--megabytes", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    checkouts = {"here": PROJECT}
    if args.baseline:
        checkouts["baseline"] = args.baseline.resolve()
    with tempfile.TemporaryDirectory() as folder:
        generated = Path(folder) / "generated"
        write_sample(generated, size="medium")
        for name, logs in (("sample", PROJECT / "sample"), ("generated", generated)):
            log = Path(folder) / f"{name}.jsonl"
            write_log(log, logs, args.megabytes << 20)
            compare(name, log, checkouts, args.rounds)


if __name__ == "__main__":
    main()
