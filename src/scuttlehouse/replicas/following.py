"""``scuttlehouse follow``: bring a replica to the order that the warehouse publishes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scuttlehouse.catalog.home import home_folder, require_outside
from scuttlehouse.printing import count, visible
from scuttlehouse.replicas.replicas import (
    Progress,
    PublishedUpdate,
    Replica,
    ReplicaError,
    open_replica,
    read_orders,
)

if TYPE_CHECKING:
    from scuttlehouse.reading.warehouse import Warehouse

BATCH_SIZE = 10_000

# The commands from the last applied one on. That one is read too, because the warehouse must still hold it.
_UPDATES = """
    select
        updates.tangle_id,
        updates.refresh_number,
        updates.step,
        updates.refresh_id,
        updates.message_id,
        updates.from_position,
        updates.to_position
    from fct_timeline_updates as updates
    {join} join replica_progress as progress on updates.tangle_id = progress.tangle_id
    where
        progress.tangle_id is null
        or updates.refresh_number > progress.refresh_number
        or (updates.refresh_number = progress.refresh_number and updates.step >= progress.step)
    order by updates.tangle_id, updates.refresh_number, updates.step
"""
_ORDERS = """
    select messages.tangle_id, messages.message_id
    from fct_tangle_messages as messages
    {join} join replica_progress as progress on messages.tangle_id = progress.tangle_id
    where messages.status = 'in'
    order by messages.tangle_id, messages.position
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``scuttlehouse follow``."""
    parser.add_argument(
        "--to", required=True, metavar="DATABASE", help="sqlite:PATH or postgresql://..."
    )
    parser.add_argument(
        "--tangle",
        action="append",
        default=[],
        metavar="TANGLE_ID",
        help="only this tangle; may be given several times",
    )
    parser.add_argument(
        "--verify", action="store_true", help="then compare with the published order"
    )


def run(args: argparse.Namespace) -> int:
    """Follow as the arguments say, and return the exit code."""
    from scuttlehouse.reading.warehouse import open_published

    home = home_folder()
    scheme, _, path = args.to.partition(":")
    if scheme == "sqlite" and path:
        require_outside(home, Path(path))
    tangle_ids = list(dict.fromkeys(args.tangle)) or None
    differing: list[str] = []
    # The published tables come first: where nothing is published, no database is made.
    with open_published(home) as warehouse, open_replica(args.to) as replica:
        published = Published(warehouse, replica.progress(tangle_ids), tangle_ids)
        _apply(replica, published.updates())
        if args.verify:
            differing = differences(replica.orders(tangle_ids), published.orders())
    if differing:
        print(
            "These tangles are not in the published order; delete their rows from tangle_messages "
            "and tangle_progress, then follow again:",
            *map(visible, differing),
            sep="\n",
            file=sys.stderr,
        )
    elif args.verify:
        print("Verified: the replica has the published order.")
    return 1 if differing else 0


def _apply(replica: Replica, updates: Sequence[PublishedUpdate]) -> None:
    applied = 0
    for batch in batches(updates, BATCH_SIZE):
        applied += replica.apply(batch)
        print(f"{applied} of {len(updates)} commands", file=sys.stderr)
    tangles = len({update.tangle_id for update in updates})
    print(f"Applied {count(applied, 'command')}; {count(tangles, 'tangle')} changed.")


class Published:
    """The published tables, in the form that a replica needs.

    Args:
        warehouse: the published tables. A table ``replica_progress`` is added to them.
        progress: the last command applied to each of the chosen tangles.
        tangle_ids: the chosen tangles, or None for all.
    """

    def __init__(
        self,
        warehouse: Warehouse,
        progress: Mapping[str, Progress],
        tangle_ids: Sequence[str] | None,
    ) -> None:
        import pyarrow as pa

        self._warehouse = warehouse
        self._progress = progress
        self._tangle_ids = tangle_ids
        nothing = Progress(0, 0, "")
        ids = list(progress) if tangle_ids is None else list(tangle_ids)
        reached = [progress.get(tangle_id, nothing) for tangle_id in ids]
        columns = {
            "tangle_id": pa.array(ids, pa.string()),
            "refresh_number": pa.array([one.refresh_number for one in reached], pa.int64()),
            "step": pa.array([one.step for one in reached], pa.int64()),
        }
        warehouse.add("replica_progress", pa.table(columns))

    def updates(self) -> list[PublishedUpdate]:
        """The commands that the replica lacks, by tangle, refresh number and step.

        Raises:
            ReplicaError: the replica has applied a command that the published build does not hold, or a
                chosen tangle never had a command.
        """
        updates = [PublishedUpdate(*row) for row in self._query(_UPDATES)]
        first = {update.tangle_id: update.progress for update in reversed(updates)}
        for tangle_id, progress in self._progress.items():
            if first.get(tangle_id) != progress:
                raise ReplicaError(
                    f"The replica has applied step {progress.step} of refresh_number "
                    f"{progress.refresh_number} to {tangle_id}, which the published build does not have: "
                    "follow the warehouse that it has followed so far, or begin with an empty database. "
                    "After a rollback, the replica can also go on if the later build is published again "
                    "(`scuttlehouse rollback --list` shows the kept builds)."
                )
        for tangle_id in self._tangle_ids or []:
            if tangle_id not in first:
                raise ReplicaError(
                    f"Nothing was ever published of {tangle_id}: fct_timeline_updates has the ids "
                    "of tangles."
                )
        return [one for one in updates if one.is_after(self._progress.get(one.tangle_id))]

    def orders(self) -> dict[str, list[str]]:
        """The ids of the messages of each tangle in the published order. Empty tangles are left out."""
        return read_orders(self._query(_ORDERS))

    def _query(self, statement: str) -> list[tuple[Any, ...]]:
        join = "left" if self._tangle_ids is None else "inner"
        return self._warehouse.rows(statement.format(join=join))


def batches(updates: Sequence[PublishedUpdate], size: int) -> Iterator[list[PublishedUpdate]]:
    """Cut commands into batches of at least ``size``. No build's commands to a tangle are cut.

    >>> told = [PublishedUpdate("t", r, s, "b", "m", None, 0) for r, s in [(1, 0), (1, 1), (2, 0)]]
    >>> [len(batch) for batch in batches(told, 2)]
    [2, 1]
    """
    batch: list[PublishedUpdate] = []
    for _, of_build in groupby(updates, key=lambda one: (one.tangle_id, one.refresh_number)):
        batch += of_build
        if len(batch) >= size:
            yield batch
            batch = []
    if batch:
        yield batch


def differences(
    followed: Mapping[str, Sequence[str]], published: Mapping[str, Sequence[str]]
) -> list[str]:
    """The tangles with different orders, sorted. A missing tangle counts as an empty one.

    >>> differences({"s": ["a"], "t": ["a"]}, {"t": ["a", "b"]})
    ['s', 't']
    """
    return sorted(
        tangle_id
        for tangle_id in {*followed, *published}
        if followed.get(tangle_id, []) != published.get(tangle_id, [])
    )
