"""How many settling steps deep tangles need, and what settling costs compared with one plain join.

    python benchmarks/grow.py [--messages N ...]

A tangle has 16 feeds. Every event lists the event before it in its feed and the tip of another feed. The
model says which one:

- `random`: any other feed; one event per step;
- `longest`: the feed with the highest rank; two feeds continue in every step. This is the model of the
  ScuttleSort paper (section 4), with two events per rank.

One message never arrives. It is early (at a twentieth) or in the middle. The SQL is that of the project: dbt
renders the models int_tangles__links, int_tangles__settled and int_tangles__checked, on Iceberg tables with
the target local_big. They are timed in turns, three times each, with medians:

- settle: int_tangles__settled and int_tangles__checked, each written as a table;
- join: one left join of the same links with the candidates, aggregated by message and written.

`steps` counts the settling steps until nothing changes; `levels` is how many joins would be needed with one
join per level. The watermarks are compared with the graph that the generator knows, message by message.
"""

from __future__ import annotations

import argparse
import math
import random
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from hashlib import sha256
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from jinja2 import Environment

from spark import open_spark
from timed_build import PROJECT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SEED = 1
FEEDS = 16
SIZES = [32_000, 128_000, 512_000]
GAPS = {"early": 20, "middle": 2}
RUNS = 3

JOIN = """
select
    links.tangle_id,
    links.message_id,
    bool_and(candidates.message_id is not null) as has_all_previous
from int_tangles__links as links
left join int_tangles__candidates as candidates
    on links.tangle_id = candidates.tangle_id and links.previous_id = candidates.message_id
group by links.tangle_id, links.message_id
"""


class Event(NamedTuple):
    number: int
    feed: int
    sequence: int
    previous: list[int]
    rank: int
    is_in: bool


def random_tips(size: int) -> Iterator[list[tuple[int, int]]]:
    """Pairs of a feed that continues and the feed with the tip that it lists in addition to its own."""
    dice = random.Random(SEED)
    for _ in range(size):
        feed = dice.randrange(FEEDS)
        yield [(feed, (feed + dice.randrange(1, FEEDS)) % FEEDS)]


def longest_tips(size: int, ranks: list[int]) -> Iterator[list[tuple[int, int]]]:
    """As ``random_tips``. ``ranks`` are the ranks of the tips, by feed, at each step."""
    dice = random.Random(SEED)
    for _ in range(size // 2):
        feeds = dice.sample(range(FEEDS), 2)
        yield [(f, max((o for o in range(FEEDS) if o != f), key=ranks.__getitem__)) for f in feeds]


def events(model: str, size: int, lost: int) -> Iterator[Event]:
    """The root, then all events. The event ``lost`` and all events after it are made, but are not in."""
    numbers = count()
    root = Event(next(numbers), FEEDS, 1, [], 0, True)
    yield root
    tips = [root] * FEEDS
    ranks = [0] * FEEDS
    for pairs in random_tips(size) if model == "random" else longest_tips(size, ranks):
        made = []
        for feed, other in pairs:
            number = next(numbers)
            listed = [tips[feed], tips[other]]
            rank = 1 + max(tip.rank for tip in listed)
            is_in = number != lost and all(tip.is_in for tip in listed)
            sequence = 1 if tips[feed] is root else tips[feed].sequence + 1
            previous = sorted({tip.number for tip in listed})
            made.append(Event(number, feed, sequence, previous, rank, is_in))
        for event in made:
            tips[event.feed] = event
            ranks[event.feed] = event.rank
        yield from made


def message_id(number: int) -> str:
    digest = sha256(f"{SEED}/{number}".encode()).digest()
    return f"ssb:message/classic/{urlsafe_b64encode(digest).decode()}"


def candidates(arrived: list[Event]) -> pa.Table:
    """The columns of int_tangles__candidates that the models read."""
    ids = [message_id(number) for number in range(arrived[-1].number + 1)]
    return pa.table(
        {
            "tangle_id": [f"bench:{ids[0]}"] * len(arrived),
            "message_id": [ids[event.number] for event in arrived],
            "feed_id": [f"ssb:feed/classic/{message_id(-event.feed)[20:]}" for event in arrived],
            "previous_ids": [[ids[one] for one in event.previous] or None for event in arrived],
            "reject_reason": pa.nulls(len(arrived), pa.string()),
            "sequence": [event.sequence for event in arrived],
            "is_root": [event.number == 0 for event in arrived],
        }
    )


def sql_of(model: str, settle_steps: int) -> str:
    """The SQL of a model or a macro call, with the project's own macros."""
    environment = Environment()
    environment.globals.update(
        ref=lambda name: name, var={"settle_steps": settle_steps}.__getitem__
    )
    for path in ("tangles/settle.sql", "messages/is_readable.sql"):
        macros = vars(environment.from_string((PROJECT / "macros" / path).read_text()).module)
        environment.globals.update({name: one for name, one in macros.items() if callable(one)})
    file = PROJECT / f"models/intermediate/tangles/{model}.sql"
    return environment.from_string(file.read_text() if file.exists() else model).render()


def write(session: SparkSession, name: str, sql: str) -> float:
    """Write a query as a table, and return the seconds it took."""
    start = perf_counter()
    session.sql(f"create or replace table {name} as {sql}")
    return perf_counter() - start


def count_steps(session: SparkSession) -> int:
    """How many steps change something. The first one starts without watermarks."""
    before: set[tuple[object, ...]] = set()
    for steps in count():
        marks = {tuple(row) for row in session.sql(sql_of("int_tangles__settled", steps)).collect()}
        if marks == before:
            return steps
        before = marks
    raise AssertionError


def members(session: SparkSession) -> set[str]:
    below = sql_of("{{ is_below_watermark('candidates.sequence', 'settled') }}", 0)
    rows = session.sql(f"""
        select candidates.message_id
        from int_tangles__candidates as candidates
        left join int_tangles__settled as settled
            on candidates.tangle_id = settled.tangle_id and candidates.feed_id = settled.feed_id
        where candidates.is_root or {below}
    """)
    return {row.message_id for row in rows.collect()}


def measure(session: SparkSession, folder: Path, model: str, size: int, gap: str) -> float:
    """Print a line of the table, and return the seconds of settling."""
    lost = size // GAPS[gap]
    made = list(events(model, size, lost))
    pq.write_table(candidates([e for e in made if e.number != lost]), folder / "candidates.parquet")
    session.read.parquet(str(folder / "candidates.parquet")).createOrReplaceTempView("landed")
    write(session, "int_tangles__candidates", "select * from landed distribute by message_id")
    flags = ("is_private", "is_decrypted", "has_claimed_id")
    texts = ("content_type", "warning")
    columns = ", ".join(
        [
            "message_id",
            *(f"false as {flag}" for flag in flags),
            *(f"cast(null as string) as {text}" for text in texts),
        ]
    )
    write(session, "stg_ssb__messages", f"select {columns} from landed")
    links = write(session, "int_tangles__links", sql_of("int_tangles__links", 8))
    settled, checked, joined = [], [], []
    for _ in range(RUNS):
        settled.append(write(session, "int_tangles__settled", sql_of("int_tangles__settled", 8)))
        checked.append(write(session, "int_tangles__checked", sql_of("int_tangles__checked", 8)))
        joined.append(write(session, "joined", JOIN))
    if not session.table("int_tangles__checked").collect()[0].is_settled:
        raise AssertionError("The tangle did not settle, though its feeds follow the protocol.")
    if members(session) != {message_id(event.number) for event in made if event.is_in}:
        raise AssertionError("What settled is not what the recipe grows.")
    seconds = median(map(sum, zip(settled, checked, strict=True)))
    levels = max(event.rank for event in made if event.is_in)
    print(
        f"{size:>9,} {model:>8} {gap:>7} {levels:>8,} {count_steps(session):>6} {links:>7.1f} "
        f"{median(settled):>8.1f} {median(checked):>8.1f} {median(joined):>7.1f} "
        f"{seconds / median(joined):>6.1f}",
        flush=True,
    )
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the settling of deep tangles.")
    parser.add_argument("--messages", type=int, nargs="+", default=SIZES, metavar="N")
    sizes = parser.parse_args().messages
    print(f"seed {SEED}, {FEEDS} feeds, seconds are medians of {RUNS}\n")
    print(
        f"{'messages':>9} {'model':>8} {'gap':>7} {'levels':>8} {'steps':>6} {'links s':>7} "
        f"{'settle s':>8} {'check s':>8} {'join s':>7} {'ratio':>6}"
    )
    with TemporaryDirectory() as folder:
        session = open_spark(Path(folder), "local_big")
        for model in ("random", "longest"):
            for gap in GAPS:
                seconds = [measure(session, Path(folder), model, size, gap) for size in sizes]
                if len(sizes) > 1:
                    growth = math.log(seconds[-1] / seconds[0]) / math.log(sizes[-1] / sizes[0])
                    print(f"time grows with the number of messages to the power of {growth:.2f}")
        session.stop()


if __name__ == "__main__":
    main()
