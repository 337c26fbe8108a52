"""The way in: files to lines, lines to rows, and builds of logs that are not as they should be."""

from __future__ import annotations

import base64
import gzip
import json
import lzma
import os
import shutil
import signal
import socket
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Warehouse
from houses import exit_code, fork
from memory import peak_memory
from other_users import as_another_user, needs_root
from pieces import each_line, ledger_of, splits_of
from rows import RING
from rows import row_of as land
from scuttlehouse.files import listing, parts
from scuttlehouse.files.listing import NOT_MEANT, entry_of, list_logs
from scuttlehouse.files.parts import (
    MAX_LINE_BYTES,
    PLAIN,
    Kind,
    Line,
    Piece,
    Split,
)
from scuttlehouse.files.recognise import recognise
from scuttlehouse.landing.folder import landing_folder, require_logs
from scuttlehouse.landing.ledger import LedgerEntry, take_stock
from scuttlehouse.landing.logs import (
    LandingError,
    count_line_ends,
    first_line_numbers,
    list_splits,
    read_lines,
)
from scuttlehouse.landing.looks import look_into
from scuttlehouse.landing.replaced import require_same_logs
from scuttlehouse.landing.spark import lines_of
from scuttlehouse.sample.signing import ClassicFeed, Message
from scuttlehouse.ssb.epoch_keys import spelled_bytes
from scuttlehouse.ssb.lines import REJECT_REASONS, LandedLine, epoch_key, land_line
from scuttlehouse.ssb.texts import token
from scuttlehouse.warehouse_key import KEY_BYTES, warehouse_pepper

KEY = bytes(range(200, 232))
KEY_TEXT = base64.b64encode(KEY).decode()


def post(feed: ClassicFeed, text: str = "hello", **content: Any) -> Message:
    return feed.publish({"type": "post", "text": text, **content}, feed.sequence + 1)


def entry(message: Message, **changes: Any) -> dict[str, Any]:
    return {"key": message.key, "value": {**message.value, **changes}, "timestamp": message.at}


def written(value: object) -> bytes:
    return json.dumps(value).encode()


def land_value(**changes: Any) -> LandedLine:
    """The row of a message with some members of its value changed."""
    row = land(written(entry(post(ClassicFeed(bytes(32))), **changes)))
    assert row.reject_reason is None, row
    return row


# Files to lines


def plain_lines(data: bytes, limit: int = MAX_LINE_BYTES) -> list[Line]:
    """The slow plain oracle: split on line ends, nothing else."""
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    lines = [line.removesuffix(b"\r") for line in lines]
    return [
        Line(number, None, "too_long") if len(line) > limit else Line(number, line, None)
        for number, line in enumerate(lines, 1)
    ]


GZIP = Kind("json_lines", "gzip", "utf-8")


def read_folder(folder: Path, split_bytes: int, kind: Kind = PLAIN) -> dict[str, list[Line]]:
    """All lines below a folder, read split by split as workers do."""
    splits = list_splits([replace(log, kind=kind) for log in list_logs(folder)], split_bytes)
    numbers = first_line_numbers(splits, [count_line_ends(split) for split in splits])
    lines: dict[str, list[Line]] = {}
    for split, number in zip(splits, numbers, strict=True):
        lines.setdefault(split.source_file, []).extend(each_line(read_lines(split, number)))
    return lines


LINE_TEXTS = st.lists(
    st.one_of(
        st.binary(max_size=12),
        st.sampled_from([b"", b"\r", b"\n\n", b"\r\n", b"\x00", "\u2028\u0085".encode(), b"\n"]),
    ),
    max_size=20,
).map(b"".join)


@given(
    files=st.lists(LINE_TEXTS.filter(bool), min_size=1, max_size=3),
    split_bytes=st.integers(1, 40),
    limit=st.integers(parts.SHORT_BYTES, parts.SHORT_BYTES + 15),
)
def test_lines_of_any_bytes_in_any_splits(
    tmp_path_factory: pytest.TempPathFactory, files: list[bytes], split_bytes: int, limit: int
) -> None:
    folder = tmp_path_factory.mktemp("landing")
    for number, data in enumerate(files):
        (folder / f"{number}.jsonl").write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "MAX_LINE_BYTES", limit)
        lines = read_folder(folder, split_bytes)
    expected = {f"{number}.jsonl": plain_lines(data, limit) for number, data in enumerate(files)}
    assert lines == expected


@given(data=LINE_TEXTS, limit=st.integers(parts.SHORT_BYTES, parts.SHORT_BYTES + 15))
def test_lines_of_any_bytes_in_gzip(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, limit: int
) -> None:
    path = tmp_path_factory.mktemp("landing") / "a.jsonl.gz"
    path.write_bytes(gzip.compress(data))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "MAX_LINE_BYTES", limit)
        assert read_folder(path.parent, 3, GZIP) == {"a.jsonl.gz": plain_lines(data, limit)}


WORDS = (b"msg", b"\\u")


@given(
    lines=st.lists(
        st.builds(
            b"%s%s%s".__mod__,
            st.tuples(
                st.sampled_from([b"", b"x" * 70, b"\0" + b"x" * 70]),
                st.sampled_from([b"", b"ms", b"msg", b"\\u", b"\0"]),
                st.sampled_from([b"", b"g", b"y" * 9]),
            ),
        ),
        max_size=12,
    ),
    split_bytes=st.integers(1, 400),
)
def test_only_long_lines_without_the_words_are_left_out(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], split_bytes: int
) -> None:
    """Beside zeros, which may be UTF-16, all lines come."""
    path = tmp_path_factory.mktemp("landing") / "a.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    numbered = [Line(number, line, None) for number, line in enumerate(lines, 1)]
    found = []
    first = 1
    for split in list_splits(list_logs(path.parent), split_bytes):
        pieces = [*read_lines(split, first, WORDS)]
        every = [*each_line(read_lines(split, first))]
        found += [*each_line(pieces)]
        first = every[-1].next_number if every else first
    wanted = [
        line
        for line in numbered
        if len(line.text or b"") <= parts.SHORT_BYTES
        or any(word in (line.text or b"").replace(b"\0", b"") for word in WORDS)
    ]
    assert [line for line in found if line in wanted] == wanted
    if not any(b"\0" in line for line in lines):
        assert found == wanted


def test_a_large_file_in_the_splits_of_a_real_build(tmp_path: Path) -> None:
    """Lines that are longer than a split, and longer than what is read at once, too."""
    data = b"".join(b"%d " % n + b"x" * (n * 7919 % 3_000_000) + b"\n" for n in range(40))
    (tmp_path / "a.jsonl").write_bytes(data)
    assert read_folder(tmp_path, 1 << 20) == {"a.jsonl": plain_lines(data)}


def test_the_limit_counts_bytes_of_the_line_and_not_of_its_end(tmp_path: Path) -> None:
    at_limit, over = b"x" * MAX_LINE_BYTES, b"x" * (MAX_LINE_BYTES + 1)
    data = b"\n".join([at_limit, over, at_limit + b"\r", at_limit + b"\ry", b"short", at_limit])
    (tmp_path / "a.jsonl").write_bytes(data)
    faults = [line.fault for line in read_folder(tmp_path, 1 << 20)["a.jsonl"]]
    assert faults == [None, "too_long", None, "too_long", None, None]


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_a_line_of_50_megabytes_costs_little_memory(tmp_path: Path, name: str) -> None:
    data = b"before\n" + b"x" * 50_000_000 + b"\nafter\n"
    path = tmp_path / name
    path.write_bytes(gzip.compress(data, 1) if name.endswith(".gz") else data)
    kind = GZIP if name.endswith(".gz") else PLAIN
    [split] = list_splits([replace(log, kind=kind) for log in list_logs(tmp_path)])
    lines, peak = peak_memory(lambda: list(each_line(read_lines(split))))
    assert lines == [Line(1, b"before", None), Line(2, None, "too_long"), Line(3, b"after", None)]
    assert peak < 8 * MAX_LINE_BYTES, f"reading took {peak} bytes of memory"


@given(lines=st.lists(st.binary(max_size=40).filter(lambda line: b"\n" not in line), min_size=1))
@settings(max_examples=settings.default.max_examples // 3)
def test_a_gzip_cut_anywhere_keeps_its_whole_lines(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    path = tmp_path_factory.mktemp("landing") / "a.jsonl.gz"
    data = b"\n".join(lines) + b"\n"
    packed = gzip.compress(data)
    whole = plain_lines(data)
    for size in range(1, len(packed)):
        path.write_bytes(packed[:size])
        *kept, last = read_folder(path.parent, 1, GZIP)["a.jsonl.gz"]
        assert last == Line(len(kept) + 1, None, "cut_short"), f"cut to {size} bytes"
        assert kept == whole[: len(kept)], f"cut to {size} bytes"


@pytest.mark.parametrize(
    ("packed", "whole_lines"),
    [
        (b"one\ntwo\n", 0),
        (gzip.compress(b"one\ntwo\n") + b"and more", 2),
        (gzip.compress(b"one\ntwo\n")[:-8] + bytes(8), 2),
        (gzip.compress(b"one\n")[:-8] + b"\xff" * 8, 1),
        (gzip.compress(b"one\ntwo\n")[:12] + b"\xff" * 20, 0),
    ],
    ids=["no gzip", "something behind it", "wrong length", "wrong checksum", "broken inside"],
)
def test_a_gzip_that_is_broken(tmp_path: Path, packed: bytes, whole_lines: int) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(packed)
    lines = read_folder(tmp_path, 1, GZIP)["a.jsonl.gz"]
    assert lines == [
        *plain_lines(b"one\ntwo\n")[:whole_lines],
        Line(whole_lines + 1, None, "cut_short"),
    ]


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


def stock_of(folder: Path) -> dict[str, LedgerEntry]:
    stock = take_stock(list_logs(folder), {}, "now", "rules", look_into)
    require_logs(folder, stock)
    return {entry.source_file: entry for entry in stock}


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


@pytest.mark.parametrize("now", ["a pipe", "a pipe that is written", "a device", "a folder"])
def test_what_is_no_file_any_more_keeps_nobody_waiting(tmp_path: Path, now: str) -> None:
    """Somebody has put it in the place of a log since the folder was listed."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"{}\n")
    [log] = list_logs(tmp_path)
    [split] = list_splits([replace(log, kind=PLAIN)])
    path.unlink()
    writer = None
    if now == "a device":
        path.symlink_to("/dev/zero")
    elif now == "a folder":
        path.mkdir()
    else:
        os.mkfifo(path)
        writer = os.open(path, os.O_RDWR) if now != "a pipe" else None

    def look() -> None:
        signal.alarm(20)
        look = look_into(log)
        assert str(look.problem).startswith("The file cannot be read (It is no file any more): ")
        assert count_line_ends(split) == 1
        assert list(read_lines(split)) == [Line(1, None, "cut_short")]

    assert exit_code(fork(look)) == 0
    if writer is not None:
        os.close(writer)


SPLITS = pa.schema(
    [(name, pa.string()) for name in ("path", "source_file", "form", "compression", "encoding")]
    + [(name, pa.int64()) for name in ("start", "end", "first_line")]
)


def read_by_workers(folder: Path, change: Callable[[Path], None]) -> list[Piece]:
    """The lines of the one log of a folder, which somebody changes after it was listed."""
    [log], [known] = list_logs(folder), [*stock_of(folder).values()]
    splits = list_splits([replace(log, kind=known.kind)], 10_000)
    rows = [
        {**vars(split), **split.kind._asdict(), "first_line": number}
        for split, number in zip(
            splits, first_line_numbers(splits, [*map(count_line_ends, splits)]), strict=True
        )
    ]
    change(Path(log.path))
    return [line for _, line in lines_of([pa.RecordBatch.from_pylist(rows, schema=SPLITS)])]


OF_A_LOG = {
    "a.jsonl": b"".join(b'{"key": "%064d", "value": {}}\n' % number for number in range(400)),
    "a.json": b"[%s]"
    % b",".join(b'{"key": "%064d", "value": {}}' % number for number in range(400)),
}


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.json", "a.json.gz"])
@pytest.mark.parametrize("now", ["gone", "a link to nothing", "a folder", "half", "empty"])
def test_a_log_that_goes_while_it_is_read_never_counts_as_read(
    tmp_path: Path, name: str, now: str
) -> None:
    """It comes back as it was. A build then takes its size, time and content for those that it has read."""
    data = OF_A_LOG[name.removesuffix(".gz")]
    data = gzip.compress(data) if name.endswith(".gz") else data
    (tmp_path / name).write_bytes(data)

    def change(path: Path) -> None:
        path.unlink()
        if now == "a link to nothing":
            path.symlink_to("nothing")
        elif now == "a folder":
            path.mkdir()
        elif now != "gone":
            path.write_bytes(data[: len(data) // 2] if now == "half" else b"")

    with pytest.raises(
        LandingError, match=f"^The log {name} was moved, removed, cut or replaced while this build "
    ):
        read_by_workers(tmp_path, change)


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.json", "a.json.gz"])
@pytest.mark.parametrize("is_cut", [False, True])
def test_a_log_that_grows_while_it_is_read_or_was_cut_before_stops_no_build(
    tmp_path: Path, name: str, is_cut: bool
) -> None:
    data = OF_A_LOG[name.removesuffix(".gz")]
    data = gzip.compress(data) if name.endswith(".gz") else data
    (tmp_path / name).write_bytes(data[:-99] if is_cut else data)
    lines = read_by_workers(tmp_path, lambda path: path.write_bytes(path.read_bytes() + data))
    found = [*each_line(lines)]
    assert (found[-1].fault == "cut_short") == (is_cut and name != "a.jsonl")
    assert 200 < len(found) <= 400


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.json", "a.json.gz"])
@pytest.mark.parametrize(
    ("now", "is_told"),
    [
        ("another", True),
        ("another that is longer", True),
        ("half", True),
        ("longer", False),
        ("the same", False),
        ("gone", False),
        ("a folder", False),
    ],
)
def test_a_log_that_is_replaced_while_it_is_read_never_counts_as_read(
    tmp_path: Path, name: str, now: str, is_told: bool
) -> None:
    """One that is gone then was moved after it was read."""
    data = OF_A_LOG[name.removesuffix(".gz")]
    another = data.replace(b"key", b"KEY")
    pack = gzip.compress if name.endswith(".gz") else bytes
    path = tmp_path / name
    path.write_bytes(pack(data))
    splits_of(tmp_path, RING, ledger_of(tmp_path, RING))
    path.unlink()
    if now == "a folder":
        path.mkdir()
    elif now != "gone":
        held = {
            "another that is longer": pack(another) + pack(another),
            "half": pack(data)[: len(pack(data)) // 2],
            "longer": pack(data) + pack(another),
            "the same": pack(data),
        }.get(now, pack(another))
        path.write_bytes(held)
        os.utime(path, (0, 0))
    told = f"^The log {name} was moved, removed, cut or replaced while this build read it: run "
    with pytest.raises(LandingError, match=told) if is_told else nullcontext():
        require_same_logs()


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


# Lines to rows


def is_clean(row: LandedLine) -> bool:
    """Whether every text of the row is text that a table can hold."""
    texts = [cell for cell in row if isinstance(cell, str)]
    return all(text == text.encode("utf-8", "ignore").decode() for text in texts)


def assert_row(row: LandedLine) -> None:
    assert is_clean(row), row
    if row.reject_reason is None:
        assert None not in (row.message_id, row.feed_id, row.is_private, row.is_decrypted)
        assert row.validity in ("valid", "invalid", "not_checked")
        assert (row.validity == "invalid") == (row.invalid_reason is not None), row
        assert row.sequence is None or -(2**53) <= row.sequence <= 2**53
        if row.content is not None:
            json.loads(row.content)
    else:
        assert row.reject_reason in REJECT_REASONS, row
        assert set(row[3:-2]) == {None}, row


@given(data=LINE_TEXTS)
def test_any_bytes_become_one_row_a_line(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.mktemp("landing") / "a.jsonl"
    path.write_bytes(data)
    lines = list(each_line(read_lines(Split(str(path), "a.jsonl", 0, len(data)))))
    rows = [land_line("a.jsonl", line, RING) for line in lines]
    assert [row.line_number for row in rows] == list(range(1, len(plain_lines(data)) + 1))
    for line, row in zip(lines, rows, strict=True):
        assert_row(row)
        assert epoch_key(line) is None


NAMES = st.sampled_from(
    [
        "key",
        "value",
        "timestamp",
        "meta",
        "originalContent",
        "author",
        "sequence",
        "previous",
        "content",
        "type",
        "tangles",
        "group",
        "epoch",
        "members",
        "root",
        "recps",
        "excludes",
        "id",
        "feedpurpose",
        "secret",
        "data",
    ]
)
TEXTS = st.one_of(
    st.text(max_size=8),
    st.text(st.characters(categories=["Cs", "Lu"]), max_size=3),
    st.sampled_from(
        [
            post(ClassicFeed(bytes(32))).key,
            ClassicFeed(bytes(32)).id,
            "ssb:feed/bendybutt-v1/" + "A" * 43 + "=",
            "group/init",
            "group/add-member",
            "metafeed/add/derived",
            "post",
            "sha256",
            "A" * 86 + "==.sig.ed25519",
            "AAAA.box2",
            KEY_TEXT,
            "a" * 64,
        ]
    ),
)
JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**70), 2**70),
        st.floats(),
        TEXTS,
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(NAMES, TEXTS), inner, max_size=5),
    ),
    max_leaves=12,
)


def message_like(key: object, value: object, meta: object, received: object) -> dict[str, Any]:
    return {"key": key, "value": value, "meta": meta, "timestamp": received}


VALUES = st.fixed_dictionaries(
    {
        "previous": st.one_of(st.none(), TEXTS, JSON),
        "sequence": st.one_of(st.integers(-1, 3), st.floats(), st.integers()),
        "author": TEXTS,
        "timestamp": JSON,
        "hash": TEXTS,
        "content": st.one_of(
            st.fixed_dictionaries(
                {"type": TEXTS},
                optional=dict.fromkeys(
                    ["tangles", "recps", "excludes", "secret", "feedpurpose", "root", "branch"],
                    JSON,
                ),
            ),
            JSON,
        ),
        "signature": TEXTS,
    }
)
MESSAGES = st.builds(
    message_like,
    st.sampled_from(
        [post(ClassicFeed(bytes(32))).key, "ssb:message/bendybutt-v1/" + "A" * 43 + "="]
    ),
    VALUES,
    st.one_of(st.fixed_dictionaries({"originalContent": TEXTS}), JSON),
    JSON,
)


@given(value=st.one_of(JSON, MESSAGES), cut=st.integers(0, 10))
@settings(max_examples=4 * settings.default.max_examples)
def test_no_line_raises(value: object, cut: int) -> None:
    text = json.dumps(value, ensure_ascii=bool(cut)).encode("utf-8", "surrogatepass")
    line = Line(1, text[: len(text) - cut] if cut > 5 else text, None)
    assert_row(land_line("a.jsonl", line, RING))
    assert epoch_key(line) in (None, KEY, bytes.fromhex("aa" * 32))


def test_messages_are_what_the_strategy_makes() -> None:
    """The property above sees messages, not only rejects."""
    seen: Counter[tuple[str | None, bool]] = Counter()

    @given(value=MESSAGES)
    @settings(max_examples=100, database=None, derandomize=True)
    def count(value: object) -> None:
        row = land(written(value))
        seen[row.reject_reason, row.content is not None] += 1

    count()
    assert seen[None, True] > 30, seen


def test_a_row_of_a_message_in_full() -> None:
    message = post(
        ClassicFeed(bytes(32)), root=None, tangles={"poll": {"root": None, "previous": None}}
    )
    assert land(written(entry(message))) == LandedLine(
        source_file="a.jsonl",
        line_number=1,
        message_id=message.uri,
        feed_id=message.author,
        feed_format="classic",
        sequence=1,
        content_type="post",
        asserted_ms=1.0,
        received_ms=1.0,
        is_private=False,
        is_decrypted=False,
        content='{"type": "post", "tangles": {"poll": {"root": null, "previous": null}}, "root": null}',
        validity="valid",
        has_claimed_id=False,
    )


@pytest.mark.parametrize("time", [-62135596800000, -1, 0, -0.0, None, "one", "-1", True])
def test_a_time_that_is_not_after_1970_is_no_time_of_reception(time: object) -> None:
    """go-ssb writes the year 1, where it knows no time."""
    message = entry(post(ClassicFeed(bytes(32))))
    assert land(written(message | {"timestamp": time})).received_ms is None
    assert land(written(message | {"timestamp": 1})).received_ms == 1.0


def nested(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "empty_line"),
        (b" \t ", "empty_line"),
        (b"\xff", "not_utf8"),
        (b'{"key": "\xed\xa0\x80"}', "not_utf8"),
        (b"{", "not_json"),
        (b"\xef\xbb\xbf{}", "not_json"),
        (b'{"a": "\x00"}', "not_json"),
        (b'{"a": NaN}', "not_a_message"),
        (b'{"a": Nan}', "not_json"),
        (b"{} {}", "not_json"),
        (nested(5_000), "too_deep"),
        (b"[" * 100_000, "too_deep"),
        (nested(129), "too_deep"),
        (nested(128), "not_a_message"),
        (b"null", "not_a_message"),
        (b"42", "not_a_message"),
        (b"[1]", "not_a_message"),
        (b"{}", "not_a_message"),
    ],
    ids=lambda value: value[:12] if isinstance(value, bytes) else value,
)
def test_lines_that_are_no_message(text: bytes, reason: str) -> None:
    assert land(text) == LandedLine("a.jsonl", 1, reason)


@pytest.mark.parametrize(
    "change",
    [
        {"key": 1, "author": "@nobody"},
        {"value": None},
        {"value": []},
        {"author": None},
        {"sequence": "one"},
        {"sequence": True},
        {"content": ...},
    ],
    ids=str,
)
def test_a_message_that_lacks_what_every_message_has(change: dict[str, Any]) -> None:
    whole = entry(post(ClassicFeed(bytes(32))))
    for name, value in change.items():
        part = whole if name in whole else whole["value"]
        part[name] = value
        if value is ...:
            del part[name]
    assert land(written(whole)).reject_reason == "not_a_message"


def test_deep_nesting_inside_a_message_is_a_reject() -> None:
    text = written(entry(post(ClassicFeed(bytes(32)), "DEEP")))
    assert land(text.replace(b'"DEEP"', nested(5_000))).reject_reason == "too_deep"


def test_unusual_text_in_a_valid_message() -> None:
    feed = ClassicFeed(bytes(32))
    for text in ["a\u2028b\u0085c", "\ud83d\udc1d", "\ud800 alone", "\x00", "\ufeff", "\x7f"]:
        row = land(written(entry(post(feed, text))))
        assert (row.validity, row.sequence) == ("valid", feed.sequence), repr(text)


def test_of_repeated_members_the_last_counts() -> None:
    message = post(ClassicFeed(bytes(32)), "the last")
    text = written(entry(message)).replace(b'"text":', b'"text": "the first", "text":')
    text = b'{"key": "%nothing", ' + text[1:]
    assert (land(text).message_id, land(text).validity) == (message.uri, "valid")


@pytest.mark.parametrize(
    ("sequence", "expected"),
    [
        (2**53, 2**53),
        (2**63 - 1, None),
        (2**64, None),
        (-(2**53), -(2**53)),
        (1.5, None),
        (1e400, None),
        (0, 0),
    ],
)
def test_sequences_that_no_feed_has(sequence: float, expected: int | None) -> None:
    text = json.dumps(entry(post(ClassicFeed(bytes(32))), sequence=sequence))
    row = land(text.replace("Infinity", "1e400").encode())
    assert (row.sequence, row.validity, row.reject_reason) == (expected, "invalid", None)


def test_halves_of_surrogate_pairs_never_reach_a_table() -> None:
    half = "\ud800"
    content = {
        "type": half,
        "root": half,
        "branch": [half],
        "recps": [half, {half: half}],
        "excludes": [half, {"id": half}],
        "tangles": {half: {"root": half, "previous": [half]}, half + half: half},
        "feedpurpose": half,
    }
    row = land_value(author=half, previous=half, content=content)
    assert_row(row)
    assert row.feed_id == row.previous_id == row.content_type == token(half, RING)
    assert "\\ud800" not in (row.content or "")


def test_a_previous_that_is_no_text_is_not_the_same_as_none() -> None:
    """The first message of a feed names no previous; what names anything is not the first."""
    uri = post(ClassicFeed(bytes(32))).uri
    sigil = post(ClassicFeed(bytes(32))).key
    expected: list[tuple[object, str | None]] = [(None, None), (sigil, uri), ([[sigil]], uri)]
    expected += [(5, ""), (False, ""), ([], ""), ({}, ""), ("text", token("text", RING))]
    # The hash proves that it was null.
    expected.append(("", None))
    for previous, previous_id in expected:
        assert land_value(previous=previous).previous_id == previous_id
    feed = ClassicFeed(bytes(32))
    feed.previous = ""
    assert land(written(entry(post(feed)))).previous_id == ""


@pytest.mark.parametrize("empty", ["", {"link": ""}, [""], [{"link": "", "name": "x"}]])
def test_an_empty_link_names_no_thread(empty: object) -> None:
    """Otherwise all posts with one were in one thread, and its root a message to fetch without an id."""
    row = land_value(content={"type": "post", "root": empty, "branch": empty})
    kept = json.loads(row.content or "")
    assert (kept["root"], kept["branch"]) in [(None, None), (0, [0])]


def test_numbers_that_are_none() -> None:
    for number in ["NaN", True, "one", None, [], 10**400]:
        row = land(written(entry(post(ClassicFeed(bytes(32))), timestamp=number)))
        assert row.asserted_ms is None, number


def test_a_decrypted_message_is_checked_by_its_ciphertext() -> None:
    feed = ClassicFeed(bytes(32))
    content = {"type": "post", "text": "for a few"}
    message = feed.publish(content, 1, ciphertext="AAAA.box2")
    sealed = entry(message)
    opened = entry(message, content=content) | {"meta": {"originalContent": "AAAA.box2"}}
    forged = entry(message, content=content) | {"meta": {"originalContent": "AAAB.box2"}}
    rows = [land(written(line)) for line in (sealed, opened, forged)]
    assert [(row.is_private, row.is_decrypted, row.validity) for row in rows] == [
        (True, False, "valid"),
        (True, True, "valid"),
        (True, True, "invalid"),
    ]
    assert [row.content for row in rows[:2]] == [None, '{"type": "post"}']


# Keys


FORMS = {
    "base64": KEY_TEXT,
    "base64 without padding": KEY_TEXT.rstrip("="),
    "url-safe base64": base64.urlsafe_b64encode(KEY).decode(),
    "hex": KEY.hex(),
    "upper hex": KEY.hex().upper(),
    "integers": json.dumps(list(KEY)),
}


@pytest.mark.parametrize("form", [form for form in FORMS if form != "integers"])
def test_a_key_in_any_spelling(form: str) -> None:
    assert spelled_bytes(FORMS[form]) == KEY


def places() -> dict[str, Callable[[object], dict[str, Any]]]:
    """Every place of a message where a key has been seen, or could stand by mistake."""
    root = {"root": None, "previous": None}
    return {
        "secret of an init": lambda key: {"type": "group/init", "secret": key},
        "secret of an addition": lambda key: {"type": "group/add-member", "secret": key},
        "old secrets": lambda key: {"type": "group/add-member", "oldSecrets": [key]},
        "seed": lambda key: {"type": "metafeed/seed", "seed": key, "metafeed": "x"},
        "purpose": lambda key: {"type": "metafeed/add/derived", "feedpurpose": key},
        "key of a recipient": lambda key: {"recps": [{"key": {"data": key}, "scheme": "x"}]},
        "recipient": lambda key: {"recps": [key]},
        "type": lambda key: {"type": key},
        "root": lambda key: {"type": "post", "root": key},
        "branch": lambda key: {"type": "post", "branch": [key]},
        "root of a tangle": lambda key: {"tangles": {"group": {"root": key, "previous": [key]}}},
        "tangle": lambda key: {"tangles": {"group": key}},
        "name of a tangle": lambda key: {"tangles": {key: root} if isinstance(key, str) else {}},
        "excluded": lambda key: {"type": "group/exclude-member", "excludes": [key, {"id": key}]},
        "creator": lambda key: {"creator": key},
        "metafeed": lambda key: {"metafeed": key, "subfeed": key},
        "text": lambda key: {"type": "post", "text": key},
        "member's name": lambda key: {key: 1} if isinstance(key, str) else {},
    }


@pytest.mark.parametrize("place", places())
def test_no_key_leaves_a_line(place: str) -> None:
    for name, form in FORMS.items():
        key: object = list(KEY) if name == "integers" else form
        content = {"type": "x", **places()[place](key)}
        for meta in ({}, {"originalContent": "AAAA.box2"}):
            message = post(ClassicFeed(bytes(32)))
            line = entry(message, content=content) | {"meta": meta}
            shown = repr(land(written(line)))
            for other, spelling in FORMS.items():
                assert spelling not in shown, f"a key as {name} is seen as {other}: {shown}"


@pytest.mark.parametrize("place", ["author", "previous", "hash", "signature"])
def test_no_key_leaves_the_frame_of_a_message(place: str) -> None:
    for name, form in FORMS.items():
        if name != "integers":
            shown = repr(land_value(**{place: form}))
            assert form not in shown, f"a key as {name} is seen: {shown}"


def test_public_purposes_are_kept() -> None:
    for purpose in ["main", "v1", "group/additions", "0", "f"]:
        content = {"type": "metafeed/add/derived", "feedpurpose": purpose}
        line = entry(post(ClassicFeed(bytes(32))), content=content)
        row = land(written(line | {"meta": {"originalContent": "AAAA.box2"}}))
        assert json.loads(row.content or "")["feedpurpose"] == purpose


def test_the_feed_of_additions_under_its_older_name() -> None:
    """ssb-tribes2 0.2.0: the feed is announced with the purpose `invitations`."""
    content = {"type": "metafeed/add/derived", "feedpurpose": "invitations"}
    line = entry(post(ClassicFeed(bytes(32))), content=content)
    for opened in ({}, {"meta": {"originalContent": "AAAA.box2"}}):
        row = land(written(line | opened))
        assert json.loads(row.content or "")["feedpurpose"] == "group/additions"


@pytest.mark.parametrize("sequence", [7, "7", {"$numberLong": "7"}])
def test_a_cutoff_in_any_notation_of_numbers(sequence: object) -> None:
    feed = ClassicFeed(bytes(32))
    excluded = {"id": feed.id, "groupFeedId": feed.id, "sequence": sequence}
    content = {"type": "group/exclude-member", "excludes": [excluded]}
    line = entry(post(feed), content=content) | {"meta": {"originalContent": "AAAA.box2"}}
    [kept] = json.loads(land(written(line)).content or "")["excludes"]
    assert kept == excluded | {"sequence": 7}


def test_key_hash_and_rank_stand_for_the_key() -> None:
    keys = [bytes([n]) * KEY_BYTES for n in (3, 1, 2)]
    # A key as a rank of bytes, where base64 text would say another order (ruling R23).
    keys += [base64.b64decode("+" * 43 + "="), base64.b64decode("A" * 43 + "=")]
    ring = RING.ranked(keys + keys)
    rows = [
        land_line(
            "a", Line(1, written(entry(post(ClassicFeed(bytes(32))), content=content)), None), ring
        )
        for key in keys
        for content in [{"type": "group/init", "secret": base64.b64encode(key).decode()}]
    ]
    order = sorted(keys)
    assert [ring.ranks[row.key_hash] for row in rows] == [order.index(key) for key in keys]
    assert len({row.key_hash for row in rows}) == len(keys)
    assert all(row.key_hash == ring.hash(key) for row, key in zip(rows, keys, strict=True))


def test_the_key_of_an_epoch_however_its_name_is_spelled() -> None:
    content = {"type": "group/init", "secret": KEY_TEXT}
    text = written(entry(post(ClassicFeed(bytes(32))), content=content))
    spelled = text.replace(b'"secret"', b'"\\u0073ecret"')
    other = text.replace(b"group/init", b"group/else")
    assert [epoch_key(Line(1, line, None)) for line in (text, spelled, other)] == [KEY, KEY, None]
    assert epoch_key(Line(1, None, "too_long")) is None


def test_the_pepper_stays_and_is_private(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"
    pepper = warehouse_pepper(home)
    assert len(pepper) == KEY_BYTES
    assert warehouse_pepper(home) == pepper
    assert [path.stat().st_mode & 0o777 for path in home.iterdir()] == [0o600]
    assert warehouse_pepper(tmp_path / "other") != pepper
    (home / "key_hash.pepper").write_bytes(b"cut")
    assert len(warehouse_pepper(home)) == KEY_BYTES


# Builds


def test_a_build_of_odd_logs(warehouse: Warehouse) -> None:
    """Every line comes out once: as its message, or in its place with a reason."""
    feed, other = ClassicFeed(bytes([1] * 32)), ClassicFeed(bytes([2] * 32))
    good = [post(feed, f"message {n}") for n in range(6)]
    separated = post(feed, "a\u2028b\u0085c\x00")
    sealed = other.publish({"type": "post"}, 1, ciphertext="AAAA.box2")
    wide = post(other, tangles={"\ud800": {"root": "\ud800", "previous": ["\ud800"]}}, root="\x00")
    deep = post(other, "DEEP")
    late = post(other, "never came")

    def line(message: Message, **changes: Any) -> bytes:
        return written(entry(message, **changes))

    opened = entry(sealed, content=sealed.content) | {"meta": {"originalContent": "AAAA.box2"}}
    files: dict[str, list[tuple[bytes, str]]] = {
        "lines.jsonl": [
            (line(good[0]), good[0].uri),
            (b"", "empty_line"),
            (line(good[1]) + b"\r", good[1].uri),
            (b"\r", "empty_line"),
            (b"\xef\xbb\xbf" + line(good[2]), good[2].uri),
            (line(good[2]), good[2].uri),
            (line(good[3]).replace(b"message 3", b"message \xff"), "not_utf8"),
            (line(good[0], content={"type": "post", "text": "another"}), "forged"),
            (line(deep).replace(b'"DEEP"', nested(5_000)), "too_deep"),
            (b'{"key": "' + good[2].key.encode() + b'"', "not_json"),
            (line(good[3]).replace(b"message", b"mess\x00age"), "not_json"),
            (b'{"key": "%nothing", ' + line(good[3])[1:], good[3].uri),
            (json.dumps(entry(separated), ensure_ascii=False).encode(), separated.uri),
            (line(wide), wide.uri),
            (line(good[4], sequence=2**63 - 1), "rewritten"),
            (line(late, sequence=2**64), late.uri),
            (line(good[4], author=KEY_TEXT), "rewritten"),
            (b"42", "not_a_message"),
        ],
        "far/below/sealed.jsonl": [(line(sealed), sealed.uri), (line(good[0]), good[0].uri)],
        "far/opened.jsonl": [(written(opened), sealed.uri)],
        "cut.jsonl.gz": [(line(good[4]), good[4].uri), (b"", "cut_short")],
        "no.jsonl.gz": [(line(good[3]), good[3].uri)],
        "long.jsonl": [
            (line(good[0]), good[0].uri),
            (b"x" * 50_000_000, "too_long"),
            (line(good[5]), good[5].uri),
        ],
    }
    warehouse.land()
    for name, lines in files.items():
        path = warehouse.landing / name
        path.parent.mkdir(parents=True, exist_ok=True)
        # The last line of every file has no end.
        path.write_bytes(b"\n".join(text for text, _ in lines))
    filler = b"".join(line(good[5]).replace(b"message 5", b"%064x" % (n**9)) for n in range(500))
    packed = gzip.compress(line(good[4]) + b"\n" + filler)
    (warehouse.landing / "cut.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    expected = {
        (name, number): outcome
        for name, lines in files.items()
        for number, (_, outcome) in enumerate(lines, 1)
    }

    some = "-s", "+fct_rejected_lines", "+stg_ssb__tangle_fields"
    warehouse.build("build", *some, "--exclude-resource-types", "test", "unit_test")

    rejected = warehouse.rows("select source_file, line_number, reason from fct_rejected_lines")
    messages = warehouse.rows("select * from stg_ssb__messages")
    lines = warehouse.rows(
        "select source_file, line_number, reject_reason, message_id from stg_ssb__landed_lines"
    )
    reasons = {(row["source_file"], row["line_number"]): row["reason"] for row in rejected}
    known = {row["message_id"] for row in messages}
    outcomes = {
        place: reasons.get(place, row["message_id"])
        for row in lines
        for place in [(row["source_file"], row["line_number"])]
    }
    assert outcomes == expected
    assert len(rejected) == len(reasons), "a line was rejected twice"
    assert (
        len(lines)
        == len(expected)
        == len(rejected)
        + sum(
            row["message_id"] in known and (row["source_file"], row["line_number"]) not in reasons
            for row in lines
        )
    )
    assert known == {outcome for outcome in expected.values() if outcome.startswith("ssb:")}
    one = {row["message_id"]: row for row in messages}
    assert all(
        one[message.uri]["validity"] == "valid" for message in [*good, separated, sealed, wide]
    )
    assert one[sealed.uri]["source_file"] == "far/opened.jsonl", "the opened sighting counts"
    assert one[good[0].uri]["source_file"] != "", "one of three sightings"
    assert (one[late.uri]["validity"], one[late.uri]["sequence"]) == ("invalid", None)
    fields = warehouse.rows(
        f"select root_id, previous_ids from stg_ssb__messages join stg_ssb__tangle_fields "
        f"using (message_id) where message_id = '{wide.uri}' and tangle_kind != 'thread'"
    )
    [field] = fields
    assert field["root_id"].startswith("token-1-")
    assert field["previous_ids"] == [field["root_id"]]


@pytest.mark.usefixtures("built")
def test_a_build_without_a_folder_of_logs_changes_nothing(warehouse: Warehouse) -> None:
    before = warehouse.published()
    warehouse.land()
    spoil_nothing(warehouse.landing)
    outcome = warehouse.dbt("build", "--exclude-resource-type", "unit_test")
    assert not outcome.success
    [failed] = [result for result in outcome.result if result.status == "error"]
    assert failed.node.name == "stg_landing__logs"
    said = [line.strip() for line in failed.message.splitlines()]
    sentence = SPOILT[spoil_nothing].format(warehouse.landing)
    assert sentence in said
    assert len(said) == 2, said
    ran = {
        result.node.name
        for result in outcome.result
        if result.status == "success" and str(result.node.resource_type) == "model"
    }
    # Their rows come when a run ends.
    assert ran == {"fct_builds", "fct_quality_results"}
    assert warehouse.published() == before
