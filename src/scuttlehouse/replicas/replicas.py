"""Replicas of the published order of tangles, in two tables of a database."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import Any, NamedTuple

from scuttlehouse.databases import (
    POSTGRESQL_FORM,
    AddressError,
    Cursor,
    Database,
    DatabaseError,
    DriverError,
    is_postgresql,
    open_database,
)
from scuttlehouse.errors import HouseError
from scuttlehouse.printing import read_text, stored_text

_TABLES = (
    """
    create table if not exists tangle_messages (
        tangle_id text not null,
        position bigint not null,
        message_id text not null,
        primary key (tangle_id, position)
    )
    """,
    """
    create table if not exists tangle_progress (
        tangle_id text not null primary key,
        refresh_number bigint not null,
        step bigint not null,
        refresh_id text not null
    )
    """,
)

_WRITE_MESSAGE = """
    insert into tangle_messages (tangle_id, position, message_id) values (?, ?, ?)
    on conflict (tangle_id, position) do update set message_id = excluded.message_id
"""
_CUT_MESSAGES = "delete from tangle_messages where tangle_id = ? and position >= ?"
_WRITE_PROGRESS = """
    insert into tangle_progress (tangle_id, refresh_number, step, refresh_id) values (?, ?, ?, ?)
    on conflict (tangle_id) do update set
        refresh_number = excluded.refresh_number, step = excluded.step, refresh_id = excluded.refresh_id
"""


# Keeps other followers of a replica in PostgreSQL out.
_LOCK = "lock table tangle_progress in share row exclusive mode"


class ReplicaError(HouseError):
    """A replica cannot follow. The message says why and what to do."""


class Progress(NamedTuple):
    """The last command that was applied to a tangle, and the build that published it."""

    refresh_number: int
    step: int
    refresh_id: str


class PublishedUpdate(NamedTuple):
    """A row of ``fct_timeline_updates``.

    ``from_position`` is null for `ins` and ``to_position`` for `del`; `mov` has both.
    """

    tangle_id: str
    refresh_number: int
    step: int
    refresh_id: str
    message_id: str
    from_position: int | None
    to_position: int | None

    @property
    def progress(self) -> Progress:
        """The progress of the tangle after this command."""
        return Progress(self.refresh_number, self.step, self.refresh_id)

    def follows(self, progress: Progress | None) -> bool:
        """Whether this command comes directly after the last one applied, if any."""
        if progress is not None and progress.refresh_number == self.refresh_number:
            return self.step == progress.step + 1
        return self.step == 0

    def is_after(self, progress: Progress | None) -> bool:
        """Whether this command comes after the last one applied."""
        return progress is None or self.progress[:2] > progress[:2]


class Replica:
    """The order of tangles in two tables. Missing tables are made.

    ``tangle_messages`` has a row per message of a tangle: ``tangle_id``, ``position`` (from 0, without
    gaps) and ``message_id``. ``tangle_progress`` has a row per tangle that ever had a command: the last one
    applied, by ``refresh_number`` and ``step``, and the ``refresh_id`` of the build that published it. No
    column is ever null. In texts, a backslash is written twice. U+0000 and halves of surrogate pairs, which
    a database may refuse, are written as a backslash, u and four digits.

    >>> from scuttlehouse.databases import open_database
    >>> with open_database("sqlite::memory:") as cursor:
    ...     replica = Replica(cursor, "sqlite::memory:")
    ...     replica.apply([PublishedUpdate("t", 1, 0, "build", "a", None, 0)])
    ...     replica.apply([PublishedUpdate("t", 1, 0, "build", "a", None, 0)])
    ...     replica.orders()
    1
    0
    {'t': ['a']}
    """

    def __init__(self, cursor: Cursor, address: str) -> None:
        self._database = Database(cursor, is_postgresql=is_postgresql(address))
        for table in _TABLES:
            self._database.execute(table)

    def progress(self, tangle_ids: Collection[str] | None = None) -> dict[str, Progress]:
        """The last command applied to each of some tangles, or of all tangles that had one."""
        columns = "tangle_id, refresh_number, step, refresh_id"
        rows = self._select(f"{columns} from tangle_progress", tangle_ids)
        return {tangle_id: Progress(*progress) for tangle_id, *progress in rows}

    def orders(self, tangle_ids: Collection[str] | None = None) -> dict[str, list[str]]:
        """The ids of the messages of some or all tangles, in order. Tangles without messages are left out."""
        rows = self._select("tangle_id, message_id from tangle_messages", tangle_ids, "position")
        return read_orders(rows)

    def apply(self, updates: Collection[PublishedUpdate]) -> int:
        """Apply commands in one transaction, all of them or none.

        Commands that this or another follower has already applied are skipped. So no command is applied
        twice, even if a follower is killed. If all commands of a build to a tangle are given together, nobody
        ever reads an order that was not published.

        Args:
            updates: the commands of a tangle by refresh number and step, with none left out after the first;
                at most 30,000 tangles.

        Returns:
            How many commands were applied.

        Raises:
            ReplicaError: the commands do not fit what the replica holds.

        Complexity: for a tangle of n messages, O(n) to read and compare its order, and O(n) in memory for
        each command. One row is written for each position that has changed.
        """
        tangle_ids = {update.tangle_id for update in updates}
        with self._database.transaction(_LOCK):
            progress = self.progress(tangle_ids)
            lacking = [one for one in updates if one.is_after(progress.get(one.tangle_id))]
            found = self.orders(tangle_ids)
            before = {tangle_id: found.get(tangle_id, []) for tangle_id in tangle_ids}
            after = {tangle_id: list(order) for tangle_id, order in before.items()}
            for update in lacking:
                tangle_id = update.tangle_id
                fits = update.follows(progress.get(tangle_id)) and _place(update, after[tangle_id])
                if not fits:
                    raise ReplicaError(_misfit(tangle_id))
                progress[tangle_id] = update.progress
            for tangle_id, order in after.items():
                if len(set(order)) < len(order):
                    raise ReplicaError(_misfit(tangle_id))
            cuts = [(key, len(after[key])) for key in after if len(after[key]) < len(before[key])]
            reached = {update.tangle_id: update.progress for update in lacking}
            self._write_many(_WRITE_MESSAGE, _changes(before, after))
            self._write_many(_CUT_MESSAGES, cuts)
            self._write_many(_WRITE_PROGRESS, [(key, *row) for key, row in reached.items()])
        return len(lacking)

    def _write_many(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        stored = [
            tuple(stored_text(value) if isinstance(value, str) else value for value in row)
            for row in rows
        ]
        self._database.execute_many(statement, stored)

    def _select(
        self,
        columns_and_table: str,
        tangle_ids: Collection[str] | None,
        order_by: str = "tangle_id",
    ) -> list[Any]:
        where = ""
        if tangle_ids is not None:
            # An empty list of tangles becomes null, because null equals nothing.
            places = ", ".join(["null", *["?"] * len(tangle_ids)])
            where = f"where tangle_id in ({places})"
        statement = f"select {columns_and_table} {where} order by {order_by}"
        values = [stored_text(tangle_id) for tangle_id in tangle_ids or []]
        return [
            tuple(read_text(value) if isinstance(value, str) else value for value in row)
            for row in self._database.rows(statement, *values)
        ]


@contextmanager
def open_replica(address: str) -> Iterator[Replica]:
    """Open a replica.

    Args:
        address: as for :func:`scuttlehouse.databases.open_database`.

    Raises:
        ReplicaError: the address names no database, or the database cannot be opened, read or written. The
            message never holds a password.
    """
    try:
        with open_database(address) as cursor:
            yield Replica(cursor, address)
    except AddressError:
        raise ReplicaError(f"A replica is in sqlite:PATH or in {POSTGRESQL_FORM}") from None
    except DriverError as error:
        raise ReplicaError(str(error)) from None
    except DatabaseError as error:
        again = "Correct it, then follow again:"
        if is_postgresql(address):
            raise ReplicaError(f"PostgreSQL reports an error. {again} {error}") from None
        path = address.partition(":")[2]
        raise ReplicaError(f"SQLite reports an error for {path}. {again} {error}.") from None


def read_orders(rows: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The orders of tangles, from rows of a tangle and a message in order.

    >>> read_orders([("t", "b"), ("s", "a"), ("t", "a")])
    {'t': ['b', 'a'], 's': ['a']}
    """
    orders: dict[str, list[str]] = {}
    for tangle_id, message_id in rows:
        orders.setdefault(tangle_id, []).append(message_id)
    return orders


def _changes(
    before: dict[str, list[str]], after: dict[str, list[str]]
) -> list[tuple[str, int, str]]:
    """The tangle, the position and the new message of each place that changes."""
    return [
        (tangle_id, position, new)
        for tangle_id, order in after.items()
        for position, (old, new) in enumerate(zip_longest(before[tangle_id], order))
        if new not in (None, old)
    ]


def _place(update: PublishedUpdate, order: list[str]) -> bool:
    """Apply a command. Returns whether that was possible."""
    if update.from_position is not None:
        if order[update.from_position : update.from_position + 1] != [update.message_id]:
            return False
        del order[update.from_position]
    if update.to_position is not None:
        if not 0 <= update.to_position <= len(order):
            return False
        order.insert(update.to_position, update.message_id)
    return True


def _misfit(tangle_id: str) -> str:
    return (
        f"The replica does not hold the order of {tangle_id} that its next commands were made for: "
        f"delete the rows of this tangle from tangle_messages and tangle_progress, then follow again."
    )
