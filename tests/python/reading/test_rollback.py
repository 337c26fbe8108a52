"""`scuttlehouse rollback`: readers see an earlier build again."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pytest

from scuttlehouse.cli import main
from scuttlehouse.reading.warehouse import open_published
from small_warehouse import SmallWarehouse

HOLDER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from scuttlehouse.catalog.lock import BuildLock
BuildLock(Path(sys.argv[1])).hold(exclusive=sys.argv[2] == "exclusive")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SmallWarehouse:
    """Four builds; three of them are kept."""
    small = SmallWarehouse(tmp_path / "home")
    for number in range(1, 5):
        small.publish({"dim_groups": pa.table({"build": [number]})})
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(small.home))
    return small


def published(small: SmallWarehouse) -> int:
    with open_published(small.home) as warehouse:
        [(number,)] = warehouse.query("select build from dim_groups")[1]
    return int(number)


def listed(out: str) -> list[str]:
    """The builds in a list, with a star if the list has one."""
    at = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC"
    pattern = rf"([* ]) build-(\d)  published {at}  namespace scuttlehouse_build_\2"
    lines = [re.fullmatch(pattern, line) for line in out.splitlines()]
    return ["".join(line.groups()).strip() for line in lines if line]


def test_builds_are_listed(small: SmallWarehouse, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rollback", "--list"]) == 0
    out, err = capsys.readouterr()
    assert (listed(out), err) == (["*4", "3", "2"], "")
    assert published(small) == 4


def test_back_step_by_step_and_forward_again(
    small: SmallWarehouse, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, number, order in [
        ([], 3, ["*3", "2", "4"]),
        ([], 2, ["*2", "4", "3"]),
        (["--to", "build-4"], 4, ["*4", "3", "2"]),
        (["--to", "build-2"], 2, ["*2", "4", "3"]),
    ]:
        assert main(["rollback", *arguments]) == 0
        out, err = capsys.readouterr()
        assert (listed(out), err) == (order, "")
        assert published(small) == number
    assert main(["rollback"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("No kept build is older than the published one")
    assert published(small) == 2


@pytest.mark.parametrize(
    ("build_id", "expected"),
    [
        (
            "build-1",
            "The build build-1 is not kept. The kept builds are: build-4, build-3, build-2 ",
        ),
        ("build-4", "The build build-4 is already published."),
        ("", "The build  is not kept."),
    ],
)
def test_a_build_that_cannot_be_published_again(
    small: SmallWarehouse, build_id: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rollback", "--to", build_id]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(expected)
    assert published(small) == 4


@pytest.mark.parametrize("how", ["exclusive", "shared"])
def test_no_rollback_while_a_run_writes(
    small: SmallWarehouse, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [sys.executable, "-c", HOLDER, str(small.home), how]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        assert main(["rollback"]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert f"is in use by process {holder.pid}" in err
        assert main(["rollback", "--list"]) == 0
        assert listed(capsys.readouterr().out) == ["*4", "3", "2"]
        holder.communicate()
    assert main(["rollback"]) == 0
    assert published(small) == 3


def test_a_build_can_begin_after_a_rollback(small: SmallWarehouse) -> None:
    """The lock is released."""
    assert main(["rollback"]) == 0
    command = [sys.executable, "-c", HOLDER, str(small.home), "exclusive"]
    done = subprocess.run(command, input="", capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("held\n", "")


def test_dashboards_that_do_not_follow_are_told_and_the_rollback_stands(
    small: SmallWarehouse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_SERVING", "mysql://here")
    assert main(["rollback"]) == 0
    out, err = capsys.readouterr()
    assert listed(out) == ["*3", "2", "4"]
    assert err.startswith("The published tables stand, but dashboards do not show this run yet: ")
    assert published(small) == 3


def ledger(folder: Path, *contents: str) -> pa.Table:
    """The table of logs of a build that has read a log with each of these contents, but for `left out`."""
    entries = [
        {
            "landing_folder": str(folder),
            "batch_id": None if content == "left out" else "a batch",
            "lines_hash": "rules",
            "status": "new",
        }
        | {"source_file": f"{content}.jsonl", "content_hash": content, "size_bytes": 3}
        | {"modified_at": datetime(2026, 1, 31, tzinfo=UTC)}
        | dict.fromkeys(["status_reason", "form", "compression", "encoding"], "")
        for content in contents
    ]
    return pa.Table.from_pylist(entries)


def test_logs_that_the_next_build_lacks_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The replaced build had read them, and then they were moved to an archive."""
    small, landing = SmallWarehouse(tmp_path / "home"), tmp_path / "landing"
    landing.mkdir()
    (landing / "there.jsonl").write_text("{}\n")
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(small.home))
    small.publish({"dim_logs": ledger(landing, "old")})
    small.publish({"dim_logs": ledger(landing, "old", "there", "moved", "moved too", "left out")})
    assert main(["rollback"]) == 0
    out, err = capsys.readouterr()
    assert listed(out) == ["*1", "2"]
    assert err == (
        f"2 logs that the replaced build has read cannot be read again from {landing} (first: moved "
        "too.jsonl). Put back what you have moved, or the next build lacks those messages.\n"
    )
    assert main(["rollback", "--to", "build-2"]) == 0
    assert capsys.readouterr().err == ""
    for name in "moved", "moved too":
        (landing / f"{name}.jsonl").write_text("{}\n")
    assert main(["rollback"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", ["renamed.jsonl", "2026/moved.jsonl", "moved.jsonl.gz"])
def test_a_log_with_another_name_is_not_told_to_be_lost(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
) -> None:
    """It was renamed, moved to another folder or compressed after the replaced build had read it."""
    small, landing = SmallWarehouse(tmp_path / "home"), tmp_path / "landing"
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(small.home))
    data = b'{"key": "moved", "value": {}}\n'
    logs = ledger(landing, sha256(data).hexdigest(), "lost").to_pylist()
    logs[0]["source_file"] = "moved.jsonl"
    small.publish({"dim_logs": ledger(landing, "old")})
    small.publish({"dim_logs": pa.Table.from_pylist(logs)})
    path = landing / name
    path.parent.mkdir(parents=True)
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    assert main(["rollback"]) == 0
    said = capsys.readouterr().err
    assert said.startswith("1 log that the replaced build has read cannot be read again from ")
    assert "(first: lost.jsonl)" in said
