"""A worker, S3 or PostgreSQL fails in a build, or another builder comes: it ends right, or with a sentence.

Each test lands the sample with or without its last log, so that every build has other tables to publish. A
build that fails leaves the published tables as they are, and the next one needs no hand.
"""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable
from threading import Thread

import psycopg
import pytest

import postgresql
from conftest import land_sample
from places import OF_HISTORIES, Place, Tables, assert_same
from servers import S3, Cluster, kill

OUTAGE_SECONDS = 20
EARLY = r" OK created .*landed_lines"
LATE = r" OK created .*fct_tangle_messages"

Expected = dict[bool, Tables]


class Changes:
    """Builds of the sample, in turn with and without its last log."""

    def __init__(self, place: Place, expected: Expected) -> None:
        self.place = place
        self.expected = expected
        self.is_whole = False

    def build_through(self, moment: str, disturb: Callable[[], None]) -> tuple[int, str]:
        """A build of the other logs that is disturbed once it says something."""
        self.is_whole = not self.is_whole
        land_sample(self.place.landing, is_whole=self.is_whole)
        with self.place.start("--full-refresh") as process:
            assert process.stdout
            said = []
            for line in process.stdout:
                said.append(line)
                if re.search(moment, line):
                    disturb()
                    moment = "(?!)"
        assert moment == "(?!)", "".join(said)[-4000:]
        return process.returncode, "".join(said)

    def assert_published(self) -> None:
        assert_same(self.place.tables(), self.expected[self.is_whole], but=OF_HISTORIES)

    def end_right(self, moment: str, disturb: Callable[[], None]) -> None:
        code, said = self.build_through(moment, disturb)
        assert code == 0, said[-4000:]
        self.assert_published()

    def end_right_or_with_a_sentence(self, moment: str, disturb: Callable[[], None]) -> None:
        before = self.place.published()
        code, said = self.build_through(moment, disturb)
        if code != 0:
            assert "Traceback" not in said
            assert not re.search(r"^\s+at [\w.$]+\(", said, re.MULTILINE), said[-8000:]
            assert self.place.published() == before, "nothing is published"
            self.place.build("--full-refresh")
        self.assert_published()


@pytest.fixture(scope="module")
def changes(far: Place, expected: Expected) -> Changes:
    return Changes(far, expected)


def test_a_worker_is_killed(changes: Changes, cluster: Cluster) -> None:
    changes.end_right(EARLY, lambda: kill(cluster.workers[0]))


@pytest.mark.parametrize("moment", [EARLY, LATE])
def test_s3_does_not_answer_for_a_while(changes: Changes, s3_server: S3, moment: str) -> None:
    def freeze() -> None:
        s3_server.freeze()
        time.sleep(OUTAGE_SECONDS)
        s3_server.thaw()

    changes.end_right(moment, freeze)


@pytest.mark.parametrize("moment", [EARLY, LATE])
def test_s3_ends_and_starts_again(changes: Changes, s3_server: S3, moment: str) -> None:
    def restart() -> None:
        s3_server.end()
        time.sleep(OUTAGE_SECONDS)
        s3_server.start()

    changes.end_right_or_with_a_sentence(moment, restart)


@pytest.mark.parametrize("moment", [EARLY, LATE])
def test_postgresql_restarts(changes: Changes, database: postgresql.Server, moment: str) -> None:
    changes.end_right_or_with_a_sentence(moment, database.restart)


def test_a_second_builder_is_told(changes: Changes) -> None:
    def build_too() -> None:
        with changes.place.start() as second:
            said, _ = second.communicate()
        assert second.returncode != 0
        assert re.search(r"is in use by process \d+ \(dbt build\) on host ", said), said[-4000:]
        assert "Traceback" not in said

    changes.end_right(EARLY, build_too)


def test_a_builder_is_cut_off_while_it_publishes(changes: Changes) -> None:
    """Its last statement waits for the row of the catalog's state, which the test has locked.

    `test_killed_builds.py` cuts a builder off before each of its statements.
    """
    address, before = changes.place.variables["SCUTTLEHOUSE_CATALOG"], changes.place.published()
    with psycopg.connect(address) as holder, psycopg.connect(address, autocommit=True) as other:

        def cut_off_what_waits() -> None:
            query = "select pg_terminate_backend(pid) from pg_stat_activity "
            query += "where %s = any(pg_blocking_pids(pid))"
            while not other.execute(query, [holder.info.backend_pid]).fetchall():
                time.sleep(0.1)
            holder.rollback()

        waiting = Thread(target=cut_off_what_waits, daemon=True)

        def lock() -> None:
            holder.execute("select from scuttlehouse_state for update")
            waiting.start()

        code, said = changes.build_through(EARLY, lock)
        assert not waiting.is_alive()
    assert code != 0
    assert "PostgreSQL cannot be used for the catalog" in said
    assert "Traceback" not in said
    assert changes.place.published() == before
    changes.place.build("--full-refresh")
    changes.assert_published()


def test_a_builder_that_lost_its_lock_leaves_the_next_build_alone(changes: Changes) -> None:
    """Another build begins after PostgreSQL has cut the first builder off, and both go on at once."""
    address = changes.place.variables["SCUTTLEHOUSE_CATALOG"]
    others: list[subprocess.Popen[str]] = []

    def cut_off_and_build() -> None:
        with psycopg.connect(address, autocommit=True) as connection:
            query = "select pg_terminate_backend(pid, 10000) from pg_locks "
            assert connection.execute(f"{query} where locktype = 'advisory'").fetchall()
        others.append(changes.place.start("--full-refresh"))

    code, said = changes.build_through(EARLY, cut_off_and_build)
    with others[0] as other:
        said_by_other, _ = other.communicate()
    assert code != 0
    assert "has lost its lock, and another build has begun since" in said
    assert "Traceback" not in said
    assert other.returncode == 0, said_by_other[-4000:]
    changes.assert_published()
