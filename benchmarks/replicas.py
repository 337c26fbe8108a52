"""Commands applied to a replica per second, compared with plain inserts of the same rows.

    python benchmarks/replicas.py ADDRESS ...

ADDRESS is sqlite:PATH or postgresql://.... Its tables `bare`, `tangle_messages` and `tangle_progress` are
dropped.
Cases: the first refresh of a tangle of 100,000 messages, in one transaction; as many messages in tangles of
three, in transactions as `scuttlehouse follow` makes them; then, in the large tangle, one message at its
end, and one at its front, which changes the message at every position. The comparison is the driver's
`executemany` of a plain `insert` into a table with the same columns and key. Seconds are medians of RUNS.
"""

from __future__ import annotations

import sys
from statistics import median
from time import perf_counter

from paper_model import message_id
from scuttlehouse.databases import is_postgresql, open_database
from scuttlehouse.replicas.following import BATCH_SIZE, batches
from scuttlehouse.replicas.replicas import PublishedUpdate, Replica

RUNS = 3
MESSAGES = 100_000
TANGLE = message_id(-1)


def inserts(rows: list[tuple[str, int, str]]) -> list[PublishedUpdate]:
    """The first refresh of tangles with these rows."""
    return [PublishedUpdate(one, 1, at, "build", name, None, at) for one, at, name in rows]


def measure(address: str) -> dict[str, float]:
    names = [message_id(number) for number in range(MESSAGES)]
    large = [(TANGLE, position, name) for position, name in enumerate(names)]
    small = [(names[n - n % 3], n % 3, name) for n, name in enumerate(names)]
    end = PublishedUpdate(TANGLE, 2, 0, "build", "at the end", None, MESSAGES)
    front = PublishedUpdate(TANGLE, 3, 0, "build", "at the front", None, 0)
    seconds: dict[str, float] = {}
    with open_database(address) as cursor:
        for table in ("bare", "tangle_messages", "tangle_progress"):
            cursor.execute(f"drop table if exists {table}")
        replica = Replica(cursor, address)
        cursor.execute(
            "create table bare (tangle_id text not null, position bigint not null,"
            " message_id text not null, primary key (tangle_id, position))"
        )
        start = perf_counter()
        cursor.execute("begin")
        place = "%s" if is_postgresql(address) else "?"
        cursor.executemany(f"insert into bare values ({place}, {place}, {place})", large)
        cursor.execute("commit")
        seconds["bare inserts"] = perf_counter() - start
        cases = {
            "one tangle": [inserts(large)],
            "tangles of three": list(batches(inserts(small), BATCH_SIZE)),
            "one at the end": [[end]],
            "one at the front": [[front]],
        }
        for case, parts in cases.items():
            start = perf_counter()
            applied = sum(map(replica.apply, parts))
            seconds[case] = perf_counter() - start
            assert applied == sum(map(len, parts))
    return seconds


if __name__ == "__main__":
    for address in sys.argv[1:]:
        runs = [measure(address) for _ in range(RUNS)]
        print(address.split(":")[0])
        for case in runs[0]:
            took = median(run[case] for run in runs)
            rate = "" if case.startswith("one at") else f"{MESSAGES / took:9,.0f} a second"
            print(f"  {case:16} {took:6.2f} s {rate}")
