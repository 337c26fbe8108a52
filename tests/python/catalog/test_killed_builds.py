"""Processes are killed while they begin, publish and roll back. Readers always see one whole build."""

from __future__ import annotations

import os
import random
import signal
import time
from itertools import count
from mmap import mmap
from typing import Any

import psycopg
import pyarrow as pa
import pytest
from hypothesis import settings

from houses import FLAGS, DyingCursor, House, exit_code, fork, reader
from scuttlehouse.catalog import definitions
from scuttlehouse.catalog.expiry import remove_unreachable
from scuttlehouse.catalog.lock import BuildLock, _held
from scuttlehouse.catalog.names import LOG, MAIN, PUBLISHED, WORK, CatalogError, namespace_of_build
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.catalog.pyiceberg_tables import changing

NAMES = "dim_a", "dim_b"
# `make test` kills before every second statement, and `make check` before every twelfth: others in every run.
EVERY = max(60 // settings.default.max_examples, 1)
Versions = list[dict[str, str]]


@pytest.fixture
def versions(house: House) -> Versions:
    """Three states of the same tables. The first two are published as builds."""
    house.begin("0")
    states = [{name: house.make(name, number) for name in NAMES} for number in range(3)]
    for number in range(2):
        house.begin(str(number))
        house.set_work(states[number])
        house.publish(str(number), *NAMES)
    return states


def check(house: House, versions: Versions) -> None:
    """The records and all namespaces of builds agree, and each is a whole state."""
    with open_catalog(house.home) as catalog:
        build, kept = catalog.published(), catalog.kept()
        assert build
        assert build == kept[0]
        assert build.public in versions
        published = catalog.tables(PUBLISHED)
        published.pop("fct_builds", None)
        assert published == build.public
        for one in kept:
            assert one.public in versions
            assert catalog.tables(namespace_of_build(one.number)) == one.public


@pytest.mark.parametrize("step", ["begin", "publish", "roll back", "log", "forget the log"])
def test_a_process_is_killed_before_a_statement(
    house: House, versions: Versions, step: str
) -> None:
    def die(last: int) -> None:
        with open_catalog(house.home) as catalog:
            catalog.database.cursor = DyingCursor(catalog.database.cursor, last)
            if step == "begin":
                catalog.begin("2", "rules", "project", refresh=False, rebuilt=(), schemas=MAIN)
            elif step == "publish":
                catalog.publish("2", NAMES, **FLAGS)
            elif step == "roll back":
                catalog.roll_back("0")
            elif step == "log":
                catalog.move_log()
            else:
                catalog.drop_log(MAIN)

    house.begin("2")
    house.set_work(versions[2])
    if "log" in step:
        house.make("fct_builds", 1, namespace=LOG)
    if step == "forget the log":
        with open_catalog(house.home) as catalog:
            catalog.move_log()
    before = house.published()
    for last in count(random.randrange(EVERY), EVERY):
        code = exit_code(fork(lambda last=last: die(last)))
        check(house, versions)
        if code == 0 or house.published() != before:  # SQLite's log is emptied after the commit.
            break
        assert code == -signal.SIGKILL
    assert last > 5
    published = house.published()
    assert published
    assert published.build_id == {"publish": "2", "roll back": "0"}.get(step, "1")
    if "log" in step:
        assert ("fct_builds" in house.tables(PUBLISHED)) == (step == "log")
    house.begin("next")
    house.publish("next", *NAMES)
    check(house, versions)


class CutCursor:
    """A cursor whose connection to PostgreSQL is cut before one of its statements, counted from 0."""

    def __init__(self, cursor: Any, last: int, address: str) -> None:
        self._cursor = cursor
        self._left = last
        self._address = address

    def __getattr__(self, name: str) -> Any:
        if name.startswith("execute"):
            if self._left == 0:
                cut(self._address, self._cursor.connection.info.backend_pid)
            self._left -= 1
        return getattr(self._cursor, name)


def cut(address: str, backend: int) -> None:
    with psycopg.connect(address, autocommit=True) as other:
        other.execute("select pg_terminate_backend(%s, 10000)", [backend])


@pytest.mark.parametrize("house", ["postgresql"], indirect=True)
def test_a_builder_that_is_cut_off_has_published_all_or_nothing(
    house: House, versions: Versions
) -> None:
    house.begin("2")
    house.set_work(versions[2])
    for last in count():
        try:
            with open_catalog(house.home) as catalog:
                catalog.database.cursor = CutCursor(catalog.database.cursor, last, house.address)
                catalog.publish("2", NAMES, **FLAGS)
        except CatalogError as error:
            assert str(error).startswith("PostgreSQL cannot be used for the catalog")  # noqa: PT017
            check(house, versions)
            continue
        break
    assert last > 5
    check(house, versions)
    published = house.published()
    assert published
    assert published.build_id == "2"


@pytest.mark.parametrize("house", ["postgresql"], indirect=True)
def test_a_builder_whose_lock_is_cut_off_publishes_nothing_over_the_next_one(
    house: House, versions: Versions
) -> None:
    lock = BuildLock(house.home)
    lock.hold(exclusive=True)
    house.begin("2")
    house.set_work(versions[2])
    assert lock.is_held()
    with psycopg.connect(house.address) as other:
        query = "select pid from pg_locks where locktype = 'advisory' and granted"
        [[backend]] = other.execute(query).fetchall()
    cut(house.address, backend)
    assert not lock.is_held()
    assert exit_code(fork(lambda: begin_another(house))) == 0
    with pytest.raises(CatalogError, match="it lost its lock, and the build 3 has begun since"):
        house.publish("2", *NAMES)
    with (
        open_catalog(house.home) as catalog,
        pytest.raises(CatalogError, match="has lost the lock"),
    ):
        remove_unreachable(catalog, house.home, lock.is_held)
    lock.release()
    check(house, versions)


@pytest.mark.parametrize("house", ["postgresql"], indirect=True)
def test_a_builder_that_was_superseded_changes_no_table_of_the_next_build(
    house: House, versions: Versions
) -> None:
    house.begin("2")
    house.set_work(versions[2])
    assert exit_code(fork(lambda: begin_another(house))) == 0
    with open_catalog(house.home) as catalog:
        before = catalog.tables(WORK)
        with (
            pytest.raises(CatalogError, match="has lost its lock, and another build has begun"),
            changing(catalog, house.home, WORK, "dim_a") as table,
        ):
            table.append(pa.table({"number": pa.array([9], pa.int64())}))
        assert catalog.tables(WORK) == before
    house.begin("4")
    with (
        open_catalog(house.home) as catalog,
        changing(catalog, house.home, WORK, "dim_a") as table,
    ):
        table.append(pa.table({"number": pa.array([9], pa.int64())}))
    with open_catalog(house.home) as catalog:
        assert catalog.tables(WORK)["dim_a"] != before["dim_a"]


def begin_another(house: House) -> None:
    _held.clear()  # A fork holds no lock of its parent.
    definitions.BUILDER = "another"
    BuildLock(house.home).hold(exclusive=True)
    house.begin("3")


def test_readers_see_whole_builds_whenever_a_builder_is_killed(
    house: House, versions: Versions
) -> None:
    seed = random.randrange(10**9)
    choose = random.Random(seed)
    steps_done = mmap(-1, 8)

    def build_on(first: int) -> None:
        numbers = count(1)
        for number in count(first):
            for step in (
                lambda number=number: house.begin(f"build-{number}"),
                lambda number=number: house.set_work(versions[number % 3]),
                lambda number=number: house.publish(f"build-{number}", *NAMES),
                *([house.roll_back] if number % 5 == 0 else []),
            ):
                step()
                steps_done[:] = next(numbers).to_bytes(8)

    def read_records() -> None:
        build = house.published()
        assert build, f"seed {seed}"
        assert build.public in versions, f"seed {seed}"

    def read_namespace() -> None:
        with open_catalog(house.home, read_only=True) as catalog:
            assert catalog.tables(PUBLISHED) in versions, f"seed {seed}"

    numbers = set()
    with reader(read_records, read_namespace) as wait:
        for turn in count():
            steps_done[:] = bytes(8)
            process = fork(lambda turn=turn: build_on(1000 * turn))
            # On a slow machine, too, some builders get as far as to publish.
            some = choose.randint(0, 8)
            while int.from_bytes(steps_done[:]) < some:
                assert os.waitpid(process, os.WNOHANG) == (0, 0), f"seed {seed}, turn {turn}"
                time.sleep(0.001)
            time.sleep(choose.uniform(0, 0.02))
            os.kill(process, signal.SIGKILL)
            assert exit_code(process) == -signal.SIGKILL, f"seed {seed}, turn {turn}"
            check(house, versions)
            wait()
            build = house.published()
            assert build
            numbers.add(build.number)
            if turn + 1 >= settings.default.max_examples and len(numbers) > 2:
                break
