"""Replicas in SQLite and in a real PostgreSQL server: they follow, and a kill never makes them wrong."""

from __future__ import annotations

import gzip
import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, chain
from itertools import count as numbers
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import postgresql
from conftest import FIXTURES
from houses import exit_code, fork
from scuttlehouse.catalog.home import home_folder
from scuttlehouse.cli import main
from scuttlehouse.cli.rollback import list_builds
from scuttlehouse.databases import Cursor, Database, open_database
from scuttlehouse.printing import count
from scuttlehouse.reading.warehouse import Rows, Warehouse
from scuttlehouse.replicas.following import batches
from scuttlehouse.replicas.replicas import PublishedUpdate, Replica, ReplicaError, open_replica
from scuttlehouse.timeline.commands import Command, Ins, Mov, follow
from scuttlehouse.timeline.fewest import fewest_commands
from small_warehouse import SmallWarehouse

Orders = dict[str, list[str]]

# What a database reports each time the progress of a tangle is written.
LOG = """
    create table written (
        tangle_id text, old_refresh bigint, old_step bigint, refresh bigint, step bigint
    )
"""
TRIGGERS = {
    "sqlite": [
        """create trigger first after insert on tangle_progress begin
            insert into written values (new.tangle_id, 0, 0, new.refresh_number, new.step); end""",
        """create trigger later after update on tangle_progress begin
            insert into written values
            (new.tangle_id, old.refresh_number, old.step, new.refresh_number, new.step); end""",
    ],
    "postgresql": [
        """create function first() returns trigger language plpgsql as $$ begin
            insert into written values (new.tangle_id, 0, 0, new.refresh_number, new.step);
            return null; end $$""",
        """create function later() returns trigger language plpgsql as $$ begin
            insert into written values
            (new.tangle_id, old.refresh_number, old.step, new.refresh_number, new.step);
            return null; end $$""",
        """create trigger first after insert on tangle_progress
            for each row execute function first()""",
        """create trigger later after update on tangle_progress
            for each row execute function later()""",
    ],
}


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database."""
    if request.param == "sqlite":
        return f"sqlite:{tmp_path}/replica.db"
    url = request.getfixturevalue("postgresql_url")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("drop database if exists replica with (force)")
        connection.execute("create database replica")
    return url.removesuffix("/postgres") + "/replica"


@pytest.fixture
def replica(address: str) -> Iterator[Replica]:
    with open_replica(address) as replica:
        yield replica


def refresh(number: int, tangle_id: str, old: list[str], new: list[str]) -> list[PublishedUpdate]:
    """The published commands of a refresh: first deletions of missing messages, then the other commands."""
    copy = list(old)
    steps: list[tuple[str, int | None, int | None]] = []
    for position in range(len(old) - 1, -1, -1):
        if old[position] not in new:
            steps.append((copy.pop(position), position, None))
    for command in fewest_commands(list(copy), new):
        match command:
            case Ins(name, position):
                steps.append((name, None, position))
            case Mov(from_position, to_position):
                steps.append((copy[from_position], from_position, to_position))
        follow(copy, [command])
    build = f"build {number}"
    return [PublishedUpdate(tangle_id, number, n, build, *step) for n, step in enumerate(steps)]


def publish(refreshes: Sequence[Orders]) -> list[PublishedUpdate]:
    """Everything that was ever published, by tangle, in the order of the warehouse."""
    updates = []
    before: Orders = {}
    for number, orders in enumerate(refreshes, start=1):
        for tangle_id, order in orders.items():
            updates += refresh(number, tangle_id, before.get(tangle_id, []), order)
        before = {**before, **orders}
    return sorted(updates, key=lambda update: update[:3])


def without_empty(orders: Orders) -> Orders:
    return {tangle_id: order for tangle_id, order in orders.items() if order}


def make_refreshes(seed: int, tangles: int, refreshes: int, size: int) -> list[Orders]:
    """Tangles that grow, are shuffled a little, and sometimes lose a message."""
    rng = random.Random(seed)
    made: list[Orders] = []
    orders: Orders = {f"tangle {n}": [] for n in range(tangles)}
    for number in range(refreshes):
        for tangle_id in rng.sample(sorted(orders), tangles // 2):
            order = list(orders[tangle_id])
            for name in range(rng.randint(0, size)):
                order.insert(rng.randint(0, len(order)), f"{tangle_id} message {number}.{name}")
            for _ in range(rng.randint(0, 3) if order else 0):
                order.insert(rng.randint(0, len(order) - 1), order.pop(rng.randrange(len(order))))
            if order and rng.random() < 0.3:
                del order[rng.randrange(len(order))]
            orders = {**orders, tangle_id: order}
        made.append(orders)
    return made


EXAMPLES = numbers()
orders_of_a_tangle = st.lists(st.lists(st.sampled_from("abcdefghé😀"), unique=True), max_size=6)


@settings(
    max_examples=settings.default.max_examples // 3,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(tangles=st.lists(orders_of_a_tangle, min_size=1, max_size=3), size=st.integers(1, 30))
def test_a_replica_follows_any_successive_orders(
    replica: Replica, tangles: list[list[list[str]]], size: int
) -> None:
    example = next(EXAMPLES)
    ids = [f"example {example}, tangle {number}" for number in range(len(tangles))]
    refreshes = [
        {
            tangle_id: orders[number]
            for tangle_id, orders in zip(ids, tangles, strict=True)
            if number < len(orders)
        }
        for number in range(6)
    ]
    updates = publish(refreshes)
    for number, expected in enumerate(accumulate(refreshes, lambda a, b: {**a, **b}), start=1):
        so_far = [update for update in updates if update.refresh_number <= number]
        known = replica.progress(ids)
        lacking = [one for one in so_far if one.is_after(known.get(one.tangle_id))]
        assert sum(replica.apply(batch) for batch in batches(so_far, size)) == len(lacking)
        assert replica.orders(ids) == without_empty(expected)
    assert replica.progress(ids) == {update.tangle_id: update.progress for update in updates}


def test_only_positions_that_change_are_written(
    replica: Replica, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[int] = []
    execute_many = Database.execute_many

    def counted(database: Database, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        if "insert into tangle_messages" in statement:
            written.extend(position for _, position, _ in rows)
        execute_many(database, statement, rows)

    monkeypatch.setattr(Database, "execute_many", counted)
    changed = {"abcd": [0, 1, 2, 3], "acbd": [1, 2], "acb": [], "xacb": [0, 1, 2, 3], "xaeb": [2]}
    updates = publish([{"t": [*order]} for order in changed])
    for number, (order, positions) in enumerate(changed.items(), start=1):
        written.clear()
        replica.apply([one for one in updates if one.refresh_number == number])
        assert replica.orders() == {"t": [*order]}
        assert written == positions


def test_a_replica_follows_the_timelines(replica: Replica) -> None:
    """For each timeline, the orders after one third, two thirds and all of its deliveries."""
    vectors = [
        json.loads(line)
        for file in sorted((FIXTURES / "timelines").iterdir())
        for line in gzip.decompress(file.read_bytes()).decode().split("\n")
        if line
    ]
    assert len(vectors) == 236
    refreshes: list[Orders] = [{}, {}, {}]
    for vector in vectors:
        order: list[str] = []
        third = len(vector["cmds"]) // 3
        parts = [
            vector["cmds"][:third],
            vector["cmds"][third : 2 * third],
            vector["cmds"][2 * third :],
        ]
        for orders, part in zip(refreshes, parts, strict=True):
            follow(order, [read(*command) for command in chain.from_iterable(part)])
            orders[vector["id"]] = list(order)
    updates = publish(refreshes)
    for batch in batches(updates, 1000):
        replica.apply(batch)
    assert replica.orders() == without_empty({v["id"]: v["final"] for v in vectors})


def read(kind: str, *values: Any) -> Command:
    return Ins(*values) if kind == "ins" else Mov(*values)


class KilledCursor:
    """A cursor of a process that is killed at a moment: before a statement, or before a row of one."""

    def __init__(self, cursor: Cursor, moment: int) -> None:
        self._cursor = cursor
        self._left = moment
        self.fetchall = cursor.fetchall

    def _live_on(self) -> None:
        self._left -= 1
        if self._left == 0:
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


def follow_until(moment: int, address: str, updates: list[PublishedUpdate]) -> None:
    with open_database(address) as cursor:
        replica = Replica(KilledCursor(cursor, moment), address)
        progress = replica.progress()
        lacking = [one for one in updates if one.is_after(progress.get(one.tangle_id))]
        for batch in batches(lacking, size=8):
            replica.apply(batch)


def test_a_follower_killed_at_any_moment_continues(address: str) -> None:
    refreshes = make_refreshes(seed=7, tangles=20, refreshes=8, size=8)
    updates = publish(refreshes)
    at_refresh = {
        (tangle_id, number): order
        for number, orders in enumerate(refreshes, start=1)
        for tangle_id, order in orders.items()
    }
    rng = random.Random(8)
    exit_codes: list[int] = []
    with open_database(address) as cursor:
        Replica(cursor, address)
        for statement in [LOG, *TRIGGERS[address.split(":")[0]]]:
            cursor.execute(statement)
    while 0 not in exit_codes:
        moment = rng.randint(1, 200)
        process = fork(lambda moment=moment: follow_until(moment, address, updates))
        exit_codes.append(exit_code(process))
        assert exit_codes[-1] in (0, -signal.SIGKILL)
        with open_replica(address) as replica:
            reached = {
                tangle_id: at_refresh[tangle_id, progress.refresh_number]
                for tangle_id, progress in replica.progress().items()
            }
            assert replica.orders() == without_empty(reached)
    assert len(exit_codes) > 5
    with open_database(address) as cursor:
        assert Replica(cursor, address).orders() == without_empty(refreshes[-1])
        cursor.execute("select * from written")
        written = cursor.fetchall()
    assert len(written) > len(refreshes[-1])
    applied = Counter(
        update
        for tangle_id, *ends in written
        for update in updates
        if update.tangle_id == tangle_id and tuple(ends[:2]) < update[1:3] <= tuple(ends[2:])
    )
    assert applied == Counter(updates)


def test_followers_at_the_same_time_apply_each_command_once(address: str) -> None:
    refreshes = make_refreshes(seed=9, tangles=10, refreshes=6, size=6)
    updates = publish(refreshes)

    def follower(_: int) -> int:
        with open_replica(address) as replica:
            return sum(replica.apply(batch) for batch in batches(updates, 1))

    with open_replica(address) as replica:
        with ThreadPoolExecutor(3) as pool:
            assert sum(pool.map(follower, range(3))) == len(updates)
        assert replica.orders() == without_empty(refreshes[-1])


@pytest.mark.parametrize(
    "misfit",
    [
        pytest.param([(2, 0, "b", 0, 1)], id="another message is moved"),
        pytest.param([(2, 0, "b", 0, None)], id="another message is deleted"),
        pytest.param([(2, 0, "c", 2, 0)], id="nothing is there to move"),
        pytest.param([(2, 0, "a", 0, 2)], id="moved behind the end"),
        pytest.param([(2, 0, "c", None, 3)], id="inserted behind the end"),
        pytest.param([(2, 0, "a", None, 2)], id="inserted again"),
        pytest.param([(2, 1, "c", None, 2)], id="a first step is missing"),
        pytest.param([(1, 3, "c", None, 2)], id="a step of the same refresh is missing"),
        pytest.param([(2, 0, "c", None, 2), (2, 2, "d", None, 3)], id="a step between is missing"),
    ],
)
def test_commands_for_another_order_change_nothing(
    replica: Replica, misfit: list[tuple[int, int, str, int | None, int | None]]
) -> None:
    replica.apply(publish([{"t": ["a", "b"]}]))
    before = replica.progress(), replica.orders()
    innocent = PublishedUpdate("other", 2, 0, "build 2", "x", None, 0)
    refused = [PublishedUpdate("t", *one[:2], "build 2", *one[2:]) for one in misfit]
    with pytest.raises(
        ReplicaError, match=r"order of t that .* delete the rows .* follow again\.$"
    ):
        replica.apply([innocent, *refused])
    assert (replica.progress(), replica.orders()) == before
    assert replica.apply([innocent]) == 1
    assert replica.apply([]) == 0


def test_a_lost_server_is_reported_in_a_sentence(postgresql_url: str) -> None:
    def lose() -> None:
        with open_replica(postgresql_url) as replica:
            with psycopg.connect(postgresql_url) as other:
                other.execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity"
                    " where backend_type = 'client backend' and pid <> pg_backend_pid()"
                )
            replica.apply([PublishedUpdate("t", 1, 0, "build", "a", None, 0)])

    with pytest.raises(
        ReplicaError, match=r"^PostgreSQL reports an error. Correct it, .*terminat"
    ) as raised:
        lose()
    assert "\n" not in str(raised.value)


class Published:
    """A warehouse that publishes orders of tangles. It also counts the rows of the last query."""

    def __init__(self, home: Path) -> None:
        self._small = SmallWarehouse(home)
        self.handed_over = 0

    def publish(self, refreshes: Sequence[Orders]) -> None:
        messages = [
            (tangle_id, name, "in", position)
            for tangle_id, order in refreshes[-1].items()
            for position, name in enumerate(order)
        ]
        messages += [(tangle_id, "late", "set_aside", None) for tangle_id in refreshes[-1]]
        updates = publish(refreshes)
        names = PublishedUpdate._fields
        tables = {
            "fct_timeline_updates": as_table(names, "sllssll", updates[::-1]),
            "fct_tangle_messages": as_table(
                ("tangle_id", "message_id", "status", "position"), "sssl", messages[::-1]
            ),
        }
        self._small.publish(tables)


def as_table(names: Sequence[str], types: str, rows: Sequence[tuple[object, ...]]) -> pa.Table:
    """A table with columns of strings (s) and whole numbers (l)."""
    schema = pa.schema(
        [
            (name, {"s": pa.string(), "l": pa.int64()}[one])
            for name, one in zip(names, types, strict=True)
        ]
    )
    return pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in rows], schema)


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Published:
    published = Published(tmp_path / "home")
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path / "home"))
    query = Warehouse.query

    def counting_query(warehouse: Warehouse, statement: str) -> tuple[list[str], Rows]:
        columns, rows = query(warehouse, statement)
        published.handed_over = len(rows)
        return columns, rows

    monkeypatch.setattr(Warehouse, "query", counting_query)
    return published


REFRESHES = make_refreshes(seed=3, tangles=8, refreshes=5, size=5)


@pytest.fixture
def something_published(published: Published) -> None:
    published.publish(REFRESHES[:1])


def test_the_command_follows_and_verifies(
    address: str, published: Published, capsys: pytest.CaptureFixture[str]
) -> None:
    applied = 0
    for number in (2, 2, 5):
        published.publish(REFRESHES[:number])
        updates = publish(REFRESHES[:number])
        with open_replica(address) as replica:
            progress = replica.progress()
        lacking = [one for one in updates if one.is_after(progress.get(one.tangle_id))]
        changed = {one.tangle_id for one in lacking}
        assert main(["follow", "--to", address]) == 0
        assert published.handed_over == len(lacking) + len(progress)
        out, err = capsys.readouterr()
        assert (
            out
            == f"Applied {count(len(lacking), 'command')}; {count(len(changed), 'tangle')} changed.\n"
        )
        assert err == (f"{len(lacking)} of {len(lacking)} commands\n" if lacking else "")
        applied += len(lacking)
        assert main(["follow", "--to", address, "--verify"]) == 0
        assert capsys.readouterr().out.endswith("Verified: the replica has the published order.\n")
        with open_replica(address) as replica:
            assert replica.orders() == without_empty(REFRESHES[number - 1])
    assert applied == len(publish(REFRESHES))


@pytest.mark.parametrize("address", ["postgresql"], indirect=True)
def test_the_command_follows_in_a_new_process(
    address: str, published: Published, tmp_path: Path
) -> None:
    published.publish(REFRESHES)
    command = [str(Path(sys.executable).with_name("scuttlehouse")), "follow", "--to", address]
    environment = {**os.environ, "SCUTTLEHOUSE_HOME": str(tmp_path / "home")}
    done = subprocess.run(
        [*command, "--verify"], env=environment, capture_output=True, text=True, check=False
    )
    count = len(publish(REFRESHES))
    assert (done.returncode, done.stderr) == (0, f"{count} of {count} commands\n")
    assert done.stdout.endswith("Verified: the replica has the published order.\n")
    with open_replica(address) as replica:
        assert replica.orders() == without_empty(REFRESHES[-1])


def test_a_replica_stays_the_same_if_a_published_file_is_damaged(
    address: str, published: Published, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    published.publish(REFRESHES[:2])
    assert main(["follow", "--to", address]) == 0
    published.publish(REFRESHES)
    [*_, newest] = sorted(
        tmp_path.glob("home/warehouse/*/fct_timeline_updates-*/data/*.parquet"),
        key=lambda path: path.stat().st_mtime_ns,
    )
    newest.write_bytes(newest.read_bytes()[:-9])
    capsys.readouterr()
    assert main(["follow", "--to", address, "--verify"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"The file {newest} is damaged: ")
    assert err.count("\n") == 1
    with open_replica(address) as replica:
        assert replica.orders() == without_empty(REFRESHES[1])


def test_the_command_follows_only_some_tangles(
    address: str, published: Published, capsys: pytest.CaptureFixture[str]
) -> None:
    published.publish(REFRESHES)
    some = ["tangle 2", "tangle 5"]
    for tangles in (some[:1], some):
        only = [part for tangle_id in tangles for part in ("--tangle", tangle_id)]
        assert main(["follow", "--to", address, *only, "--verify"]) == 0
        with open_replica(address) as replica:
            assert replica.orders() == {one: REFRESHES[-1][one] for one in tangles}
    assert main(["follow", "--to", address, "--tangle", "nope"]) == 1
    assert capsys.readouterr().err.endswith(
        "Nothing was ever published of nope: fct_timeline_updates has the ids of tangles.\n"
    )
    assert main(["follow", "--to", address, "--verify"]) == 0
    with open_replica(address) as replica:
        assert replica.orders() == without_empty(REFRESHES[-1])


def test_verifying_says_which_tangles_differ(
    address: str, published: Published, capsys: pytest.CaptureFixture[str]
) -> None:
    published.publish(REFRESHES)
    assert main(["follow", "--to", address]) == 0
    with open_database(address) as cursor:
        cursor.execute("delete from tangle_messages where tangle_id = 'tangle 1'")
        cursor.execute("insert into tangle_messages values ('of nobody', 0, 'x')")
    capsys.readouterr()
    assert main(["follow", "--to", address, "--verify"]) == 1
    out, err = capsys.readouterr()
    assert out == "Applied 0 commands; 0 tangles changed.\n"
    assert err.endswith("follow again:\nof nobody\ntangle 1\n")
    with open_database(address) as cursor:
        cursor.execute("delete from tangle_messages where tangle_id = 'of nobody'")
        cursor.execute("delete from tangle_progress where tangle_id = 'tangle 1'")
    assert main(["follow", "--to", address, "--verify"]) == 0


@pytest.mark.parametrize(
    "change",
    [
        "update tangle_progress set refresh_number = 9 where tangle_id = 'tangle 1'",
        "update tangle_progress set step = step + 1 where tangle_id = 'tangle 1'",
        "update tangle_progress set refresh_id = 'of another' where tangle_id = 'tangle 1'",
        "insert into tangle_progress values ('of nobody', 1, 0, 'build 1')",
    ],
)
def test_a_replica_of_another_warehouse_is_refused(
    address: str, published: Published, capsys: pytest.CaptureFixture[str], change: str
) -> None:
    published.publish(REFRESHES[:3])
    assert main(["follow", "--to", address]) == 0
    published.publish(REFRESHES)
    with open_database(address) as cursor:
        cursor.execute(change)
        replica = Replica(cursor, address)
        before = replica.progress(), replica.orders()
        capsys.readouterr()
        assert main(["follow", "--to", address]) == 1
        assert (replica.progress(), replica.orders()) == before
    out, err = capsys.readouterr()
    assert out == ""
    assert "which the published build does not have: follow the warehouse" in err
    assert err.count("\n") == 1


def test_a_replica_that_is_ahead_after_a_rollback(
    address: str, published: Published, capsys: pytest.CaptureFixture[str]
) -> None:
    """It goes on once the later build is published again, and never follows another build in its place."""
    published.publish(REFRESHES[:2])
    published.publish(REFRESHES[:4])
    assert main(["follow", "--to", address]) == 0
    [later, _] = list_builds(home_folder())
    assert main(["rollback"]) == 0
    capsys.readouterr()
    assert main(["follow", "--to", address, "--verify"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "the replica can also go on if the later build is published again" in err
    assert main(["rollback", "--to", later.split()[1]]) == 0
    assert main(["follow", "--to", address, "--verify"]) == 0
    with open_replica(address) as replica:
        assert replica.orders() == without_empty(REFRESHES[3])


@pytest.mark.usefixtures("something_published")
@pytest.mark.parametrize(
    ("database", "sentence"),
    [
        ("mysql://me:hush@host/db", "A replica is in sqlite:PATH or in postgresql://"),
        ("sqlite:", "A replica is in sqlite:PATH"),
        ("sqlite:/nowhere/at/all.db", "SQLite reports an error for /nowhere/at/all.db. Correct it"),
        ("postgresql://me:hush@127.0.0.1:1/db", "PostgreSQL reports an error. Correct it"),
        ("postgresql://me:hush@hush@127.0.0.1:1/db", "write every character that is not"),
        ("postgresql://me:hush/hush@127.0.0.1:1/db", "write every character that is not"),
        ("postgresql://me:hush#hush@127.0.0.1:1/db", "write every character that is not"),
        ("postgresql://me:hush%zz@127.0.0.1:1/db", "write every character that is not"),
        ("postgresql://me:hush hush@127.0.0.1:1/db", "write every character that is not"),
        ("postgresql://me:hush@[::1/db", "write every character that is not"),
        ("postgresql://127.0.0.1:1/db?password=hush", "PostgreSQL reports an error. Correct it"),
        ("postgresql://127.0.0.1:1/db?pasword=hush", "write every character that is not"),
    ],
)
def test_a_database_that_cannot_be_opened(
    database: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["follow", "--to", database]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence in err
    assert "hush" not in err
    assert err.count("\n") == 1


@pytest.mark.usefixtures("something_published")
@pytest.mark.parametrize("name", ["catalog.db", "replica.db"])
def test_a_file_of_the_home_is_no_replica(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    link = tmp_path / "a link"
    link.symlink_to(home_folder())
    before = {path: path.read_bytes() for path in home_folder().rglob("*") if path.is_file()}
    for folder in (home_folder(), link):
        assert main(["follow", "--to", f"sqlite:{folder}/{name}"]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert "name a file outside of it" in err
    assert before == {
        path: path.read_bytes() for path in home_folder().rglob("*") if path.is_file()
    }


@pytest.mark.usefixtures("something_published")
def test_the_file_of_a_replica_is_no_address_of_sqlite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In many builds of SQLite a name that begins with `file:` is one, which may lead into the home."""
    monkeypatch.chdir(tmp_path)
    catalog = home_folder() / "catalog.db"
    before = catalog.read_bytes()
    assert main(["follow", "--to", f"sqlite:file:{catalog}"]) == 1
    assert "unable to open database file" in capsys.readouterr().err
    assert catalog.read_bytes() == before
    assert main(["follow", "--to", "sqlite:file:replica.db?mode=memory"]) == 0
    assert (tmp_path / "file:replica.db?mode=memory").is_file()


@pytest.mark.usefixtures("something_published")
def test_a_wrong_password_is_not_shown(
    postgresql_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = postgresql_url.replace(postgresql.URL_PASSWORD, postgresql.URL_PASSWORD + "wrong")
    assert main(["follow", "--to", wrong]) == 1
    err = capsys.readouterr().err
    assert "password authentication failed" in err
    assert "hush" not in err


@pytest.mark.parametrize(
    ("argument", "shown"),
    [
        ("postgresql://me:hush@hush@host/db", "postgresql://...@host/db"),
        ("postgresql://me:hush hush@host/db", "postgresql://...@host/db"),
        ("postgresql:/me:hush@host/db", "postgresql:/...@host/db"),
        ("me:hush@host", "me:...@host"),
        ("me:hush hush@host", "me:...@host"),
        ("postgresql://host/db?password=hush", "postgresql://host/db?password=..."),
        ("host=host password=hush port=1", "host=host password=..."),
        ("host=host password='it\\'s hush'", "host=host password=..."),
        ("host=host password='hush", "host=host password=..."),
        ('host=host password="hush hush"', "host=host password=..."),
        ("host=host password=a\\ hush", "host=host password=..."),
        ('host=host password=a"b;hush&hush', "host=host password=..."),
        ("postgresql://host/db?password=a@hush", "postgresql://..."),
        ("postgresql://me:hush token=hush@hush", "postgresql://..."),
        ("me:hush@host password=a@hush", "me:..."),
        ("host=host PASSWORD = 'hush hush'", "host=host PASSWORD = ..."),
        ("--too=postgresql://me:hush@host/db", "--too=postgresql://...@host/db"),
    ],
)
def test_a_password_in_the_wrong_place_is_not_shown(
    argument: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["follow", "--to", "sqlite:a", argument])
    err = capsys.readouterr().err
    assert f"unrecognized arguments: {shown}\n" in err
    assert "hush" not in err


@pytest.mark.usefixtures("something_published")
def test_without_psycopg(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert main(["follow", "--to", "postgresql://host/db"]) == 1
    assert capsys.readouterr().err.startswith("PostgreSQL needs psycopg: install it")


def test_without_a_server_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(Path, "glob", lambda *_: iter([]))
    with pytest.raises(AssertionError, match=r"^PostgreSQL's server is missing: run bin/ensure-"):
        postgresql.find("initdb")
