"""A follower that is killed (SIGKILL) at a given moment: before a statement, or a row of one.

Arguments: the address of a replica, a file with published updates, and the number of the moment.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from scuttlehouse.databases import Cursor, open_database
from scuttlehouse.replicas.following import batches
from scuttlehouse.replicas.replicas import PublishedUpdate, Replica


class KilledCursor:
    def __init__(self, cursor: Cursor, moments: int) -> None:
        self._cursor = cursor
        self._moments = moments
        self.fetchall = cursor.fetchall

    def _live_on(self) -> None:
        self._moments -= 1
        if self._moments == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> None:
        self._live_on()
        self._cursor.execute(statement, values)

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> None:
        def living() -> Iterator[Sequence[Any]]:
            for row in rows:
                self._live_on()
                yield row

        self._cursor.executemany(statement, living())


if __name__ == "__main__":
    address, file, moments = sys.argv[1:]
    updates = [PublishedUpdate(*row) for row in json.loads(Path(file).read_text())]
    with open_database(address) as (cursor, dialect):
        replica = Replica(KilledCursor(cursor, int(moments)), dialect)
        progress = replica.progress()
        lacking = [one for one in updates if one.is_after(progress.get(one.tangle_id))]
        for batch in batches(lacking, size=8):
            replica.apply(batch)
