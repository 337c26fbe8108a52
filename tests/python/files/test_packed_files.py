"""Compressed files, and files that are cut or grow while they are read."""

from __future__ import annotations

import gzip
import io
import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
import zstandard

import forms
from memory import peak_memory
from pieces import each_line
from read_files import POST, parsed, read, row_of_text, values
from scuttlehouse.cli import main
from scuttlehouse.files import unpack
from scuttlehouse.files.listing import entry_of
from scuttlehouse.files.parts import MAX_LINE_BYTES, Kind, Line, Log
from scuttlehouse.files.recognise import recognise
from scuttlehouse.files.whole import skip_line
from scuttlehouse.landing.glued_lines import line_parts
from scuttlehouse.landing.logs import list_splits, read_lines
from scuttlehouse.landing.looks import content_hash


@pytest.mark.parametrize("packed", ["none", "gzip"])
def test_a_file_that_is_shorter_than_when_it_was_listed(packed: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(forms.rewrite([{"a": n} for n in range(99)], "json_lines", packed, "utf-8"))
    log = replace(entry_of(path, "a.jsonl"), kind=Kind("json_lines", packed, "utf-8"))
    path.write_bytes(path.read_bytes()[:60])
    [split] = list_splits([log])
    assert [*each_line(read_lines(split))][-1].fault == "cut_short"
    with pytest.raises(EOFError):
        content_hash(log)


@pytest.mark.product
@pytest.mark.parametrize("form", [*forms.FORMS])
@pytest.mark.parametrize("compression", [*forms.COMPRESSIONS])
def test_a_file_that_is_cut_keeps_its_whole_messages(
    form: str, compression: str, tmp_path: Path
) -> None:
    messages = [value for value in values() if "value" in value]
    # What is compressed breaks by whole blocks, of up to 128 KiB.
    messages = messages[:40] if compression in ("none", "gzip") else messages * 3
    data = forms.rewrite(messages, form, compression, "utf-8")
    path = tmp_path / "a.json"
    path.write_bytes(data[: len(data) * 5 // 8])
    found = read(path)
    *whole, last = [part for line in found for part in line_parts(line)]
    kept = parsed(whole)
    assert kept == messages[: len(kept)]
    assert len(kept) > len(messages) // 8
    if form == "json_lines" and compression == "none":
        assert row_of_text(last.text).reject_reason == "not_json"
    else:
        assert last.fault == "cut_short"


BREAKS = {
    "no checksum": ("gzip", lambda data: data[:-8]),
    "a byte more": ("gzip", lambda data: data + b"\n"),
    "another file": ("zstd", lambda data: data + b"PK\3\4"),
}


@pytest.mark.product
@pytest.mark.parametrize("form", [*forms.FORMS])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-32-be"])
@pytest.mark.parametrize("fault", [*BREAKS])
@pytest.mark.parametrize("count", [3, 100])
def test_a_break_behind_the_last_message_costs_none(
    form: str, encoding: str, fault: str, count: int, tmp_path: Path
) -> None:
    compression, broken = BREAKS[fault]
    messages = [value for value in values() if "value" in value][:count]
    log = forms.FORMS[form][1](messages)
    log = log.rstrip("\n") if isinstance(log, str) else log
    path = tmp_path / "a.json"
    path.write_bytes(broken(forms.packed(log, compression, encoding)))
    *whole, last = read(path)
    assert parsed(whole) == messages
    assert last.fault == "cut_short"


@pytest.mark.parametrize("compression", ["gzip", "bzip2", "zstd"])
def test_what_follows_a_compressed_log_is_told(
    compression: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Somebody has appended plain lines: no program unpacks them, and they are not dropped silently.

    The same bytes, copied again, would be told again.
    """
    path = tmp_path / "a.jsonl"
    packed = forms.COMPRESSIONS[compression](forms.json_lines([*values()[:2]]).encode())
    expected = [(1, None), (2, None)]
    path.write_bytes(packed)
    assert [(line.line_number, line.fault) for line in read(path)] == expected
    path.write_bytes(packed + packed)
    assert len(read(path)) == 4
    path.write_bytes(packed + POST + b"\n")
    assert [(line.line_number, line.fault) for line in read(path)] == [*expected, (3, "cut_short")]
    assert main(["inspect", str(path)]) == 0
    assert "or other bytes follow a compressed part: compress them, too" in capsys.readouterr().out


@pytest.mark.parametrize("compression", ["gzip", "bzip2"])
def test_zeros_behind_a_compressed_log_are_padding(compression: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    packed = forms.COMPRESSIONS[compression](forms.json_lines([*values()[:2]]).encode())
    path.write_bytes(packed + bytes(100_000) + packed + bytes(512))
    assert [line.fault for line in read(path)] == [None] * 4


@pytest.mark.parametrize("short", [b"", b"{}\n{}\n"])
def test_a_line_that_breaks_off_is_one_reject(short: bytes, tmp_path: Path) -> None:
    message = json.dumps(values()[0]).encode()
    for cut in (1, 40, 400):
        path = tmp_path / "a.jsonl.gz"
        path.write_bytes(gzip.compress(short + message + b"\n" + short + message[:cut])[:-8])
        lines = read(path)
        assert sum(line.text == message for line in lines) == 1
        assert [line.fault for line in lines] == [None] * (len(lines) - 1) + ["cut_short"]
        assert [line.line_number for line in lines] == [*range(1, len(lines) + 1)]


def test_a_value_of_50_megabytes_costs_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_UNPACK_LIMIT", "1000000")
    message = json.dumps(values()[0])
    path = tmp_path / "a.json.gz"
    with gzip.open(path, "wt", compresslevel=1) as file:
        file.write(f'[{message},{{"key": "')
        for _ in range(50):
            file.write("x" * 1_000_000)
        file.write(f'"}},{message}]')
    found, peak = peak_memory(partial(read, path))
    assert [line.fault for line in found] == [None, "too_long", None]
    assert peak < 24 * MAX_LINE_BYTES, f"reading took {peak} bytes of memory"


def test_a_bomb_of_zstd_costs_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_UNPACK_LIMIT", "1000000")
    path = tmp_path / "a.jsonl.zst"
    path.write_bytes(forms.COMPRESSIONS["zstd"](b"{}\n" + bytes(60_000_000)))
    found, peak = peak_memory(partial(read, path))
    assert [line.fault for line in found] == [None, "too_long"]
    assert peak < 48 * MAX_LINE_BYTES, f"reading took {peak} bytes of memory"


def test_many_parts_of_zstd_are_unpacked_by_one_decompressor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each has memory of its own, which costs more than a small part."""
    made = []

    def counted() -> zstandard.ZstdDecompressor:
        made.append(zstandard.ZstdDecompressor())
        return made[-1]

    monkeypatch.setattr(unpack, "zstandard", SimpleNamespace(ZstdDecompressor=counted))
    parts = zstandard.ZstdCompressor().compress(b"a") * 1_000
    assert unpack.unpacked(io.BytesIO(parts), "zstd").read() == b"a" * 1_000
    assert len(made) == 1


def test_a_file_that_grows_is_read_as_it_was_listed(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[{"a":1}')
    log = entry_of(path, "a.json")
    kind = recognise(log)
    assert isinstance(kind, Kind)
    path.write_text('[{"a":1},{"a":2}]')
    [split] = list_splits([replace(log, kind=kind)])
    assert [line.text for line in each_line(read_lines(split))] == [b'{"a":1}']


@pytest.mark.parametrize("length", [0, 70_000, 200_000])
@pytest.mark.parametrize("end", [None, 1, 150_000, 300_000])
def test_a_line_is_skipped_to_its_end_however_long_it_is(length: int, end: int | None) -> None:
    """A worker that begins inside of a line leaves all of it to the worker before, or its own part."""
    file = io.BytesIO(b"x" * length + b"\n" + b"y" * 100)
    skip_line(file, end)
    is_behind_end = end is not None and end <= file.tell() <= length
    assert file.tell() == length + 1 or is_behind_end


def test_a_file_that_goes_away_is_told(tmp_path: Path) -> None:
    for kind in (Kind("json_lines", "none", "utf-8"), Kind("array", "gzip", "utf-8")):
        [split] = list_splits([Log(str(tmp_path / "gone"), "gone", 9, 0, kind)])
        assert [*read_lines(split)] == [Line(1, None, "cut_short")]
