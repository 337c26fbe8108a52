"""What is in a landing folder: logs anywhere below it, and entries that are none."""

from __future__ import annotations

import lzma
import os
import shutil
import socket
import tempfile
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from houses import exit_code, fork
from other_users import as_another_user, needs_root
from pieces import stock_of
from scuttlehouse.files import listing
from scuttlehouse.files.listing import NOT_MEANT, entry_of, list_logs
from scuttlehouse.files.recognise import recognise
from scuttlehouse.landing.folder import landing_folder
from scuttlehouse.landing.logs import LandingError


@pytest.mark.parametrize("seconds", [-(2**63), -62_135_596_801, 253_402_300_800, 2**63 - 1])
def test_a_log_has_a_time_that_a_table_can_have(
    seconds: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some disks keep any time, and every file of dim_logs has one."""
    (tmp_path / "a.jsonl").write_bytes(b"{}\n")
    state = (tmp_path / "a.jsonl").stat()
    odd = SimpleNamespace(
        st_mode=state.st_mode, st_size=state.st_size, st_mtime_ns=seconds * 1_000_000_000
    )
    monkeypatch.setattr(Path, "stat", lambda _: odd)
    log = entry_of(tmp_path / "a.jsonl", "a.jsonl")
    year = (datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=log.modified_ms)).year
    assert year == (1 if seconds < 0 else 9999)


def test_logs_anywhere_below_the_folder(tmp_path: Path) -> None:
    (tmp_path / "b" / "c.jsonl").mkdir(parents=True)
    logs = ["a.json", "b/a.jsonl.gz", "b/c.jsonl/d.jsonl", "n.txt", "z.JSONL.Zst"]
    others = ["b.csv", "b.jsonl.bak", "log", "z.gz"]
    for name in logs + others:
        (tmp_path / name).write_bytes(b"{}\n")
    (tmp_path / "empty.jsonl").touch()
    listed = list_logs(tmp_path)
    assert [log.source_file for log in listed if log.size_bytes and not log.problem] == logs
    told = {log.source_file: log.problem for log in listed if log.problem}
    assert list(told) == others
    assert all(problem.startswith("Its name is not that of a log: ") for problem in told.values())


@pytest.mark.parametrize(
    "name",
    ["a.jsonl.xz", "a.JSON.XZ", "log.bipf.zip", "a.log.7z", "a.jsonl.tar.gz", "a.txt.gz.bz2"],
)
def test_a_log_that_nothing_here_unpacks_is_looked_into(tmp_path: Path, name: str) -> None:
    """Its first bytes say what it is, and a build says that it could not be read."""
    path = tmp_path / name
    path.write_bytes(lzma.compress(b"{}\n"))
    [log] = list_logs(tmp_path)
    assert log.problem is None
    assert recognise(log) == "This is an xz file: unpack it with `xz -d`."


@pytest.mark.parametrize(
    "end",
    ["1", "2.gz", "0.bz2", "zst.3", "2026-01-31", "2026-01-31_23-59.xz", "20260131T235959Z.1"],
)
@pytest.mark.parametrize("sign", [".", "-"])
def test_a_log_that_a_program_has_rotated_is_looked_into(
    tmp_path: Path, sign: str, end: str
) -> None:
    (tmp_path / f"a.jsonl{sign if end[0].isdigit() else '.'}{end}").write_bytes(b"{}\n")
    [log] = list_logs(tmp_path)
    assert log.problem is None


@pytest.mark.parametrize("name", ["a.jsonl1", "a.jsonl.1.part", "a.jsonl.v1", "a.1", "a.jsonl.~1~"])
def test_a_number_alone_makes_no_name_of_a_log(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"{}\n")
    [log] = list_logs(tmp_path)
    assert (log.problem or "").startswith("Its name is not that of a log: ")


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("logs.zip", "unzip"),
        ("Logs.TAR", "tar -xf"),
        ("logs.tar.gz", "tar -xf"),
        ("logs.tgz", "tar -xf"),
        ("logs.tar.zst", "tar -xf"),
        ("logs.7z", "7z x"),
        ("logs.rar", "unrar x"),
    ],
)
def test_the_name_of_an_archive_says_how_to_unpack_it(
    tmp_path: Path, name: str, command: str
) -> None:
    """It may hold anything, so that a build does not call it an error."""
    (tmp_path / name).write_bytes(b"...")
    [log] = list_logs(tmp_path)
    assert log.problem is not None
    assert log.problem.endswith(f"if logs are in it, unpack it with `{command}`.")
    assert log.problem.startswith(NOT_MEANT)


@pytest.mark.parametrize("is_in_s3", [False, True])
def test_files_of_leveldb_are_no_logs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_in_s3: bool
) -> None:
    """As they are below ~/.ssb: its write-ahead log has the ending of a log. Other numbers may be logs."""
    index, other, copied = (tmp_path / name for name in ("flume/feed", "numbered", "flume/copied"))
    for folder in (index, other, copied):
        folder.mkdir(parents=True)
        for name in ("000003.log", "000005.ldb", "CURRENT", "LOG"):
            (folder / name).write_bytes(b"\x9a\x81\xff\0\x01")
    for folder in (index, copied):
        (folder / "MANIFEST-000002").touch()
    (copied / "CURRENT").unlink()
    (index / "2023.log").write_bytes(b"{}\n")
    listed = list_logs(tmp_path)
    if is_in_s3:
        objects = [replace(log, problem=None) for log in listed]
        monkeypatch.setattr(listing, "list_s3", lambda _: objects)
        listed = list_logs("s3://bucket/logs")
    logs = {log.source_file: log.problem for log in listed}
    problem = logs.pop("flume/feed/000003.log")
    assert problem is not None
    assert problem.startswith("A file of LevelDB: an index or a store of keys, and no log.")
    assert problem.startswith(NOT_MEANT)
    assert entry_of(index / "000003.log", "a").problem == problem
    assert [name for name, told in logs.items() if told is None] == [
        "flume/copied/000003.log",
        "flume/feed/2023.log",
        "numbered/000003.log",
    ]


def test_a_folder_like_one_of_leveldb_is_listed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was listed for each file whose name is a number, and a stranger may have sent thousands."""
    (tmp_path / "CURRENT").touch()
    for number in range(300):
        (tmp_path / f"{number:06}.log").touch()
    listed = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda *of: listed.append(of) or scandir(*of))
    monkeypatch.setattr(os, "listdir", lambda *of: listed.append(of) or [])
    assert len(list_logs(tmp_path)) == 301
    assert len(listed) == 1


def spoil_nothing(folder: Path) -> None:
    folder.rmdir()


def spoil_by_a_file(folder: Path) -> None:
    folder.rmdir()
    folder.write_text("{}\n")


def spoil_by_a_loop_of_links(folder: Path) -> None:
    folder.rmdir()
    folder.symlink_to(folder)


def spoil_by_leaving_it_empty(folder: Path) -> None:
    assert not list(folder.iterdir())


def spoil_by_other_files(folder: Path) -> None:
    (folder / "notes.txt").write_text("no JSON\n")
    (folder / "empty.jsonl").touch()


def spoil_by_a_broken_link(folder: Path) -> None:
    (folder / "b.jsonl").symlink_to(folder / "gone.jsonl")


NO_LINE = (
    "The landing folder {} holds no log with a line in it: put logs there (for example *.jsonl, *.jsonl.gz, "
    "log.bipf), or set SCUTTLEHOUSE_LANDING to another folder."
)


SPOILT: dict[Callable[[Path], None], str] = {
    spoil_nothing: "The landing folder {} does not exist: make it, or set SCUTTLEHOUSE_LANDING to the "
    "folder that holds your logs.",
    spoil_by_a_file: "The landing folder {} is a file: set SCUTTLEHOUSE_LANDING to the folder that "
    "holds it.",
    spoil_by_a_loop_of_links: "The landing folder {} cannot be read (Too many levels of symbolic links): "
    "correct that, or set SCUTTLEHOUSE_LANDING to the folder that holds your logs.",
    spoil_by_leaving_it_empty: NO_LINE,
    spoil_by_other_files: f"{NO_LINE} notes.txt: Text without a JSON object: export the log as JSON, one "
    "message a line (`jq -c .`).",
    spoil_by_a_broken_link: f"{NO_LINE} b.jsonl: A link to nothing (No such file or directory): let it lead "
    "to a file or move it out of the landing folder.",
}


@pytest.mark.parametrize("spoil", SPOILT, ids=lambda spoil: spoil.__name__)
def test_a_folder_without_logs_is_an_error(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    folder = tmp_path / "landing"
    folder.mkdir()
    spoil(folder)
    with pytest.raises(LandingError) as said:
        stock_of(Path(landing_folder({"SCUTTLEHOUSE_LANDING": str(folder)})))
    assert str(said.value) == SPOILT[spoil].format(folder)


@needs_root
def test_a_folder_below_one_of_others_is_an_error(tmp_path: Path) -> None:
    """Another user may not even see whether it is there."""
    folder = tmp_path / "closed" / "landing"
    folder.mkdir(parents=True)
    (tmp_path / "closed").chmod(0o700)
    with (
        as_another_user(),
        pytest.raises(LandingError, match=r"cannot be read \(Permission denied\)"),
    ):
        stock_of(Path(landing_folder({"SCUTTLEHOUSE_LANDING": str(folder)})))


def test_entries_that_are_no_files_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}\n")
    (tmp_path / "dangling.jsonl").symlink_to(tmp_path / "gone.jsonl")
    (tmp_path / "device.jsonl").symlink_to("/dev/null")
    (tmp_path / "round.jsonl").symlink_to(tmp_path / "round.jsonl")
    (tmp_path / "folder").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(tmp_path / "pipe.jsonl")
    with socket.socket(socket.AF_UNIX) as listening, pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)  # The path of a socket has little room.
        listening.bind("socket.jsonl")
    found = stock_of(tmp_path)
    told = {name: str(entry.status_reason) for name, entry in found.items()}
    assert {name for name, entry in found.items() if entry.status == "left_out"} == {*told} - {
        "a.jsonl"
    }
    assert told["dangling.jsonl"].startswith("A link to nothing (No such file or directory): ")
    assert told["device.jsonl"].startswith("A device and no file: ")
    assert told["folder"].startswith("A link to a folder: ")
    assert told["pipe.jsonl"].startswith("A named pipe (FIFO) and no file: ")
    assert told["round.jsonl"].startswith("A link to nothing (Too many levels of symbolic links): ")
    assert told["socket.jsonl"].startswith("A socket and no file: ")


def test_a_log_below_a_thousand_folders_is_listed(tmp_path: Path) -> None:
    """Before Python 3.12, `os.walk` calls itself for each level, and no log was read."""
    folders = [tmp_path]
    for _ in range(1200):
        folders.append(folders[-1] / "d")
        folders[-1].mkdir()
    log = folders[-1] / "a.jsonl"
    log.write_bytes(b"{}\n")
    try:
        assert [one.source_file for one in list_logs(tmp_path)] == ["d/" * 1200 + "a.jsonl"]
    finally:  # pytest removes folders by a function that calls itself, too.
        log.unlink()
        for folder in reversed(folders[1:]):
            folder.rmdir()


def test_what_may_not_be_read_is_told() -> None:
    """In a process without the rights of root, if the tests have them."""
    landing = Path(tempfile.mkdtemp(prefix="scuttlehouse-landing-"))
    (landing / "a.jsonl").write_text("{}\n")
    (landing / "a.jsonl").chmod(0o644)
    (landing / "locked").mkdir(mode=0)
    (landing / "secret.jsonl").touch(mode=0)
    (landing / "link.jsonl").symlink_to(landing / "locked" / "b.jsonl")
    landing.chmod(0o755)

    # Everything is imported before the user changes, who perhaps cannot read this Python.
    stock_of(landing)

    def look() -> None:
        if os.geteuid() == 0:
            os.setuid(65_534)
        found = {name: entry.status_reason for name, entry in stock_of(landing).items()}
        assert str(found["locked"]).startswith("The folder cannot be read (Permission denied): ")
        for name in ("secret.jsonl", "link.jsonl"):
            assert str(found[name]).startswith(
                "The file cannot be read (Permission denied): correct"
            )
        assert found["a.jsonl"] is None

    assert exit_code(fork(look)) == 0
    shutil.rmtree(landing)


@pytest.mark.parametrize("name", [b"caf\xe9.jsonl", "a\u2028b.jsonl".encode(), b"a\nb\x1b.jsonl"])
def test_a_name_that_is_no_text_is_shown_escaped(tmp_path: Path, name: bytes) -> None:
    (tmp_path / os.fsdecode(name)).write_bytes(b"{}\n")
    (tmp_path / "caf\\udce9.jsonl").write_bytes(b"[]")
    found = stock_of(tmp_path)
    assert len(found) == 2
    [left_out] = [entry for entry in found.values() if entry.status == "left_out"]
    assert left_out.source_file.isascii()
    assert left_out.source_file.isprintable()
    assert str(left_out.status_reason).startswith("Its name holds line ends, control characters")


@pytest.mark.parametrize(
    "name", ["a\u202fb\xa0c", "\u3000", "\U0001f468\u200d\U0001f469", "\u200c", "'\"`$"]
)
def test_names_in_all_scripts_work(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.jsonl").write_bytes(b"{}\n")
    assert [(name, entry.status) for name, entry in stock_of(tmp_path).items()] == [
        (f"{name}.jsonl", "new")
    ]
