"""The lines of logs, whatever the splits in which workers read them."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entries import assert_row
from memory import peak_memory
from pieces import LINE_TEXTS, each_line, plain_lines
from rows import RING
from scuttlehouse.files import parts
from scuttlehouse.files.listing import list_logs
from scuttlehouse.files.parts import MAX_LINE_BYTES, PLAIN, Kind, Line, Split
from scuttlehouse.landing.logs import count_line_ends, first_line_numbers, list_splits, read_lines
from scuttlehouse.ssb.lines import epoch_key, land_line

GZIP = Kind("json_lines", "gzip", "utf-8")


def read_folder(folder: Path, split_bytes: int, kind: Kind = PLAIN) -> dict[str, list[Line]]:
    """All lines below a folder, read split by split as workers do."""
    splits = list_splits([replace(log, kind=kind) for log in list_logs(folder)], split_bytes)
    numbers = first_line_numbers(splits, [count_line_ends(split) for split in splits])
    lines: dict[str, list[Line]] = {}
    for split, number in zip(splits, numbers, strict=True):
        lines.setdefault(split.source_file, []).extend(each_line(read_lines(split, number)))
    return lines


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
