"""A cluster gives the tables that one process gives, keeps secrets, and says what its workers lack."""

from __future__ import annotations

import os
import shutil
import tarfile
import venv
from contextlib import suppress
from pathlib import Path

import pytest

import postgresql
from conftest import Places, land_sample
from places import KEY, PROJECT, Place, Tables, assert_same
from scuttlehouse.sample import write
from servers import S3, S3_SECRETS, spark

# SCUTTLEHOUSE_TEST_MESSAGES=100000 compares what OPERATION.md promises. It takes many minutes.
MESSAGES = int(os.environ.get("SCUTTLEHOUSE_TEST_MESSAGES", "10000"))


def test_the_sample_and_a_refresh_give_the_same_tables(
    far: Place, landing: Path, expected: dict[bool, Tables]
) -> None:
    for is_whole in (False, True):
        land_sample(landing, is_whole=is_whole)
        far.build()
        assert_same(far.tables(), expected[is_whole])
    assert not [*far.home.glob("warehouse/**/*")], "all tables are in S3"


def test_tribes2_and_generated_messages_give_the_same_tables(
    near_places: Places,
    far_places: Places,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """First half of the logs of each, then a refresh with the others."""
    folder, landing = tmp_path_factory.mktemp("logs"), tmp_path_factory.mktemp("landing")
    monkeypatch.setitem(write.TARGETS, "huge", MESSAGES)
    write.write_sample(folder, size="huge")
    with tarfile.open(PROJECT / "tests/python/fixtures/tribes2.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    logs = sorted([*folder.rglob("*.jsonl"), *folder.rglob("*.gz")])
    near, far = near_places("near_more", landing), far_places("far_more", landing)
    for half in (logs[::2], logs[1::2]):
        for log in half:
            place = landing / log.relative_to(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(log, place)
        near.build()
        far.build()
        tables = far.tables()
        assert_same(tables, near.tables())
    assert len(tables["fct_messages"]) >= MESSAGES


def test_a_worker_without_packages_is_told_of(far: Place, tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", symlinks=True)
    with far.start("-s", "rules", PYSPARK_PYTHON=str(tmp_path / "bare/bin/python")) as process:
        output, _ = process.communicate()
    assert process.returncode != 0
    assert "cannot run this package" in output
    assert "set PYSPARK_PYTHON" in output
    assert "Traceback" not in output


def test_a_cluster_that_asks_for_a_secret(far: Place, s3_server: S3, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hush-of-the-cluster")
    variables = {**s3_server.variables, "SCUTTLEHOUSE_KEY": KEY}
    with spark(tmp_path, 1, secret="hush-of-the-cluster", **variables) as other:
        named = {"SCUTTLEHOUSE_SPARK_SECRET_FILE": str(tmp_path / "secret")}
        with far.start("-s", "rules", SCUTTLEHOUSE_MASTER=other.master, **named) as build:
            said, _ = build.communicate()
    assert build.returncode == 0, said[-4000:]


def test_no_secret_is_in_a_file(far: Place) -> None:
    secrets = [S3_SECRETS["AWS_SECRET_ACCESS_KEY"], postgresql.PASSWORD, KEY]
    files = [path for path in far.folder.rglob("*") if path.is_file() and path.name != "pgpass"]
    assert any(path.name == "spark.log" for path in files)
    for path in files:
        # Java removes its temporary files a moment after the build of the test before.
        with suppress(FileNotFoundError):
            content = path.read_bytes()
            for secret in secrets:
                assert secret.encode() not in content, path
