"""Logs in S3 are read as those in a folder are. The S3 server is a process of its own on this machine."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from objects import delete, put
from pieces import each_line
from scuttlehouse.builds.unchanged import is_unchanged
from scuttlehouse.files.listing import list_logs
from scuttlehouse.files.parts import Kind, LandingError, Line, Log
from scuttlehouse.landing.folder import landing_folder
from scuttlehouse.landing.ledger import LedgerEntry, take_stock
from scuttlehouse.landing.logs import count_line_ends, first_line_numbers, list_splits, read_lines
from scuttlehouse.landing.looks import look_into
from scuttlehouse.spark.worker_checks import Needed, fingerprint, problem_of_worker
from scuttlehouse.warehouse_key import warehouse_pepper
from servers import BUCKET, free_port, s3

SAMPLE = Path(__file__).parents[2] / "sample"
FOLDER = f"s3://{BUCKET}/logs"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """An S3 server; the environment leads to it."""
    with s3(tmp_path_factory.mktemp("s3")) as server, pytest.MonkeyPatch.context() as patch:
        for name, value in server.variables.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, store: None) -> Path:
    """A folder of this disk with the same files as ``FOLDER``."""
    assert store is None, "it is there"
    folder = tmp_path_factory.mktemp("logs")
    shutil.copytree(SAMPLE, folder, dirs_exist_ok=True)
    (folder / "sub").mkdir()
    (folder / "sub" / ".hidden.jsonl").write_bytes(b'{"id": 1}\n' * 3)
    (folder / "sub" / "empty.jsonl").touch()
    (folder / "notes.csv").write_bytes(b"name,age\n")
    (folder / "odd\x7fname.jsonl").write_bytes(b"{}\n")
    (folder / "broken.jsonl.gz").write_bytes(b"\x1f\x8b\x08 and no more")
    for path in folder.rglob("*"):
        if path.is_file():
            put(f"logs/{path.relative_to(folder).as_posix()}", path.read_bytes())
    return folder


def lines_of(log: Log, split_bytes: int) -> list[Line]:
    splits = list_splits([log], split_bytes)
    firsts = first_line_numbers(splits, [count_line_ends(split) for split in splits])
    return [
        line
        for split, first in zip(splits, firsts, strict=True)
        for line in each_line(read_lines(split, first))
    ]


def test_they_are_listed_hashed_and_read_as_those_of_a_folder(folder: Path) -> None:
    here, there = list_logs(folder), list_logs(FOLDER)
    assert len(here) > 8
    for local, stored in zip(here, there, strict=True):
        assert stored.modified_ms > 0
        assert stored.path.startswith(FOLDER)
        same = replace(stored, path=local.path, modified_ms=local.modified_ms)
        assert same == local
        found = look_into(local)
        assert look_into(stored) == found
        kind, digest, problem = found
        if digest is not None:
            assert problem is None
            kinds = [replace(log, kind=Kind(*kind)) for log in (local, stored)]
            for split_bytes in (1 << 26, max(local.size_bytes // 3, 1)):
                expected, read = (lines_of(log, split_bytes) for log in kinds)
                assert read == expected


@pytest.mark.usefixtures("store")
def test_a_log_that_was_read_is_known_until_it_changes() -> None:
    def stock(known: dict[str, LedgerEntry]) -> dict[str, LedgerEntry]:
        found = list_logs(f"s3://{BUCKET}/changing")
        entries = take_stock(found, known, "now", "rules", look_into)
        by_name = {entry.source_file: entry for entry in entries}
        assert is_unchanged(found, by_name)
        return by_name

    put("changing/a.jsonl", b"{}\n")
    put("changing/b.jsonl", b'{"a": 1}\n')
    first = stock({})
    assert {name: entry.status for name, entry in stock(first).items()} == {
        "a.jsonl": "known",
        "b.jsonl": "known",
    }
    put("changing/b.jsonl", b'{"a": 1}\n{"a": 2}\n')
    delete("changing/a.jsonl")
    assert {name: entry.status for name, entry in stock(first).items()} == {
        "a.jsonl": "vanished",
        "b.jsonl": "changed",
    }


def test_what_is_wrong_is_a_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert folder.is_dir()
    for missing in (f"s3://{BUCKET}/nothing", "s3://no-such-bucket/logs"):
        with pytest.raises(
            LandingError, match=f"landing folder {missing} does not exist: put logs"
        ):
            list_logs(missing)
    with pytest.raises(LandingError, match="set it to s3://bucket/folder"):
        landing_folder({"SCUTTLEHOUSE_LANDING": "s3://a b"})
    [log] = [log for log in list_logs(FOLDER) if log.source_file == "sub/.hidden.jsonl"]
    # A log that is deleted meanwhile reads as one of a folder does.
    gone = replace(log, path=f"{FOLDER}/gone.jsonl")
    assert [line.fault for line in lines_of(gone, 1 << 26)] == ["cut_short"]
    # No server: a log is not taken for one that has been cut short.
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setattr("scuttlehouse.s3._ATTEMPTS", 1)
    with pytest.raises(LandingError, match=r"cannot be listed \([A-Z_]+\): is the server there"):
        list_logs(FOLDER)
    with pytest.raises(
        LandingError, match=r"A log in s3://bucket cannot be read \([A-Z_]+\)"
    ) as no:
        lines_of(log, 1 << 26)
    assert "hidden" not in str(no.value)
    _, digest, problem = look_into(log)
    assert digest is None
    assert str(problem).startswith("A log in s3://bucket cannot be read")


def test_workers_must_be_able_to_list_the_folder(folder: Path, tmp_path: Path) -> None:
    assert folder.is_dir()
    key = fingerprint(warehouse_pepper(tmp_path))
    needed = Needed(str(tmp_path), str(tmp_path / "warehouse"), FOLDER, key)
    assert problem_of_worker(needed) is None
    elsewhere = needed._replace(landing="s3://no-such-bucket/logs")
    assert "cannot list the landing folder s3://no-such-bucket/logs" in str(
        problem_of_worker(elsewhere)
    )
