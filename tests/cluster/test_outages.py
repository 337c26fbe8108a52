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

Disturb = Callable[[], object]
Expected = dict[bool, Tables]


class Changes:
    """Builds of the sample, in turn with and without its last log."""

    def __init__(self, place: Place, expected: Expected) -> None:
        self.place = place
        self.expected = expected
        self.is_whole = True

    def build_through(self, disturbances: dict[str, Disturb]) -> tuple[int, str]:
        """A build of the other logs. It is disturbed when it has made these tables, in their order.

        Returns:
            The exit code, and what the build said.
        """
        self.is_whole = not self.is_whole
        land_sample(self.place.landing, is_whole=self.is_whole)
        left = dict(disturbances)
        with self.place.start("--full-refresh") as process:
            assert process.stdout
            said = ""
            for line in process.stdout:
                said += line
                for table in [
                    table for table in left if re.search(rf" OK created .*{table}", line)
                ]:
                    left.pop(table)()
        assert not left, said[-4000:]
        return process.returncode, said

    def assert_published(self) -> None:
        assert_same(self.place.tables(), self.expected[self.is_whole], but=OF_HISTORIES)


def assert_sentence(said: str) -> None:
    assert "Traceback" not in said
    assert not re.search(r"^\s+at [\w.$]+\(", said, re.MULTILINE), said[-8000:]


@pytest.fixture(scope="module")
def changes(far: Place, expected: Expected) -> Changes:
    return Changes(far, expected)


def test_a_build_outlives_a_worker_and_outages_of_s3_and_stays_alone(
    changes: Changes, cluster: Cluster, s3_server: S3
) -> None:
    def freeze() -> None:
        s3_server.freeze()
        time.sleep(OUTAGE_SECONDS)
        s3_server.thaw()

    def restart() -> None:
        s3_server.end()
        time.sleep(OUTAGE_SECONDS)
        s3_server.start()

    def build_too() -> None:
        with changes.place.start() as second:
            said, _ = second.communicate()
        assert second.returncode != 0
        assert re.search(r"is in use by process \d+ \(dbt build\) on host ", said), said[-4000:]
        assert_sentence(said)

    code, said = changes.build_through(
        {
            "stg_ssb__landed_lines": lambda: kill(cluster.workers[0]),
            "stg_ssb__messages": freeze,
            "int_tangles__links": build_too,
            "fct_tangle_messages": restart,
        }
    )
    assert code == 0, said[-4000:]
    changes.assert_published()


def test_postgresql_restarts(changes: Changes, database: postgresql.Server) -> None:
    before = changes.place.published()
    code, said = changes.build_through({"stg_ssb__messages": database.restart})
    if code != 0:
        assert_sentence(said)
        assert changes.place.published() == before, "nothing is published"
        changes.place.build("--full-refresh")
    changes.assert_published()


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

        code, said = changes.build_through({"stg_ssb__messages": lock})
        assert not waiting.is_alive()
    assert code != 0
    assert "PostgreSQL cannot be used for the catalog" in said
    assert_sentence(said)
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

    code, said = changes.build_through({"stg_ssb__landed_lines": cut_off_and_build})
    with others[0] as other:
        said_by_other, _ = other.communicate()
    assert code != 0
    assert "has lost its lock, and another build has begun since" in said
    assert_sentence(said)
    assert other.returncode == 0, said_by_other[-4000:]
    changes.assert_published()
