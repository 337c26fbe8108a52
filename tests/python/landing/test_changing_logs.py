"""Logs that go, grow or are replaced while a build reads them."""

from __future__ import annotations

import gzip
import os
import signal
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from houses import exit_code, fork
from pieces import each_line, ledger_of, splits_of, stock_of
from rows import RING
from scuttlehouse.files.listing import list_logs
from scuttlehouse.files.parts import PLAIN, Line, Piece
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
