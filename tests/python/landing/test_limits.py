"""Bombs: small files that become long ones, and long lines. `benchmarks/bombs.py` has them at full size."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import forms
from conftest import PROJECT
from memory import peak_memory
from pieces import each_line
from scuttlehouse.builds.unchanged import is_unchanged
from scuttlehouse.cli import main
from scuttlehouse.files.jsjson import MAX_INDENTED
from scuttlehouse.files.limits import LEAST_BYTES, recognise_within_limits
from scuttlehouse.files.listing import entry_of, list_logs
from scuttlehouse.files.parts import MAX_LINE_BYTES, Kind, LandingError, Log
from scuttlehouse.files.whole import skip_line
from scuttlehouse.landing.glued_lines import epoch_keys, land_lines, land_pzp_lines
from scuttlehouse.landing.ledger import LedgerEntry, take_stock
from scuttlehouse.landing.logs import list_splits, read_lines
from scuttlehouse.landing.looks import look_into
from scuttlehouse.landing.rejects import fold_rejects
from scuttlehouse.pzp.lines import LandedPzpLine
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.lines import LandedLine
from scuttlehouse.ssb.validation import check_value

PACKED = {name: pack for name, pack in forms.COMPRESSIONS.items() if name != "none"}
MESSAGE = b'{"key":"%a","value":{}}\n'
BOMBS = {
    "zeros": bytes(4 << 20),
    "an endless line": b"x" * (4 << 20),
    "deep nesting": b"[" * (4 << 20),
    "empty lines": b"\n" * (4 << 20),
    "tiny entries": b"{}\n" * (1 << 19),
}


def stock_of(folder: Path, known: dict[str, LedgerEntry] | None = None) -> dict[str, LedgerEntry]:
    logs = list_logs(folder)
    stock = take_stock(logs, known or {}, "batch", "rules", look_into)
    return {entry.source_file: entry for entry in stock}


@pytest.mark.parametrize("compression", PACKED)
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_is_left_out_and_the_rest_is_read(
    compression: str, bomb: str, tmp_path: Path
) -> None:
    (tmp_path / "bomb.jsonl").write_bytes(PACKED[compression](MESSAGE + BOMBS[bomb]))
    log = (PROJECT / "sample" / "alice.jsonl").read_bytes()
    (tmp_path / "good.jsonl").write_bytes(PACKED[compression](log))
    stock, peak = peak_memory(partial(stock_of, tmp_path))
    assert peak < 32 * MAX_LINE_BYTES
    left_out, good = stock["bomb.jsonl"], stock["good.jsonl"]
    assert (good.status, good.batch_id) == ("new", "batch")
    assert (left_out.status, left_out.batch_id) == ("left_out", None)
    assert left_out.status_reason
    assert left_out.status_reason.startswith(
        f"A {compression} file of {left_out.size_bytes} bytes "
    )
    assert "SCUTTLEHOUSE_UNPACK_LIMIT" in left_out.status_reason
    # The next build finds nothing new.
    assert is_unchanged(list_logs(tmp_path), stock)


def test_the_limit_is_raised_by_a_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.jsonl.bz2"
    path.write_bytes(PACKED["bzip2"](MESSAGE + BOMBS["an endless line"]))
    known = stock_of(tmp_path)
    assert main(["inspect", str(path)]) == 1
    assert "becomes longer than 1048576 bytes" in capsys.readouterr().out
    monkeypatch.setenv("SCUTTLEHOUSE_UNPACK_LIMIT", "1000000")
    assert not is_unchanged(list_logs(tmp_path), known)
    assert stock_of(tmp_path, known)["a.jsonl.bz2"].status == "new"
    for wrong in ("a lot", "-1", "0", "1.5"):
        monkeypatch.setenv("SCUTTLEHOUSE_UNPACK_LIMIT", wrong)
        with pytest.raises(LandingError, match="one byte of a compressed log may become"):
            stock_of(tmp_path, known)
        assert main(["inspect", str(path)]) == 1
        assert "SCUTTLEHOUSE_UNPACK_LIMIT is" in capsys.readouterr().out


@pytest.mark.parametrize("limit", ["", "200"])
def test_the_limit_that_is_named_is_the_one_in_force(
    limit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a small file too, which may become a megabyte: 100 times its size is less, and changes nothing."""
    monkeypatch.setenv("SCUTTLEHOUSE_UNPACK_LIMIT", limit)
    for size in (2_000, 20_000):
        path = tmp_path / "a.jsonl.gz"
        path.write_bytes(PACKED["gzip"](MESSAGE + b"x" * (size * 1000)))
        ratio = max(LEAST_BYTES // path.stat().st_size, int(limit or "100"))
        said = recognise_within_limits(entry_of(path, path.name))
        assert str(said).endswith(f"set SCUTTLEHOUSE_UNPACK_LIMIT to more than {ratio}.")
        with monkeypatch.context() as raised:
            raised.setenv("SCUTTLEHOUSE_UNPACK_LIMIT", str(ratio + 1))
            again = recognise_within_limits(entry_of(path, path.name))
        assert again != said, "the advice changes something"


@pytest.mark.parametrize("compression", PACKED)
def test_a_log_at_the_limit_is_read(compression: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    for length, is_read in ((LEAST_BYTES, True), (LEAST_BYTES + 1, False)):
        path.write_bytes(PACKED[compression](MESSAGE.ljust(length)))
        kind = recognise_within_limits(entry_of(path, "a.jsonl"))
        assert isinstance(kind, Kind) == is_read


def test_a_file_that_is_cut_is_not_too_long(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(PACKED["gzip"](MESSAGE * 1000)[:-9])
    assert isinstance(recognise_within_limits(entry_of(path, "a.jsonl")), Kind)


def test_messages_do_not_reach_the_limit(tmp_path: Path) -> None:
    """The longest ones with the emptiest text."""
    lines = (PROJECT / "sample" / "bob.jsonl").read_bytes().splitlines()
    messages = [json.loads(line) for line in lines if b'"type":"post"' in line][:60]
    for message in messages:
        message["value"]["content"] = {"type": "post", "text": "a" * 7700}
    for compression, pack in PACKED.items():
        path = tmp_path / compression
        path.write_bytes(pack("".join(f"{json.dumps(one)}\n" for one in messages).encode()))
        assert isinstance(
            recognise_within_limits(Log(str(path), "a", path.stat().st_size, 0)), Kind
        )


@given(
    text=st.lists(st.sampled_from([b"x" * 70_000, b"ab", b"\n", b""])).map(b"".join),
    step=st.integers(1, 9).map(lambda n: n * 20_000),
)
def test_lines_of_splits_are_those_of_the_file(
    tmp_path_factory: pytest.TempPathFactory, text: bytes, step: int
) -> None:
    path = tmp_path_factory.mktemp("landing") / "a.jsonl"
    path.write_bytes(text)
    splits = list_splits([Log(str(path), "a.jsonl", len(text), 0)], step)
    found = [line.text for split in splits for line in each_line(read_lines(split))]
    assert found == text.removesuffix(b"\n").split(b"\n") if text else not found


def test_no_split_reads_on_to_the_end_of_an_endless_line() -> None:
    """Otherwise each split would read the rest of the file."""
    file = BytesIO(b"x" * (1 << 22))
    skip_line(file, 1 << 17)
    assert file.tell() <= (1 << 17) + (1 << 16)


AUTHOR = f"@{'A' * 43}=.ed25519"
SMALL = b'{"author":"%s","sequence":1,"content":%%s}' % AUTHOR.encode()
PRETTY = b'{\n  "key": "%a",\n  "value": {}\n}\n'
FLUME = b"\0\0\0\x02{}\0\0\0\x02"
# What cost fifty to two thousand times as much as messages of as many bytes, and what is told of it.
COSTLY = {
    "pretty-printed entries": (PRETTY + b"{\n}\n" * 20_000, {"not_a_message": 20_001}),
    "entries between zeros": (
        PRETTY + b"{}\n\0" * 20_000 + b"{}",
        {"not_a_message": 20_002, "zero_bytes": 20_000},
    ),
    "beginnings of messages, and an end": (
        PRETTY + b'{"key":' * 50_000 + b'"value"' + b"}" * 100,
        {"not_a_message": 1, "cut_short": 1},
    ),
    "lines of beginnings, each with an end": (
        MESSAGE + ((b'{"key":' * 300 + b"x") * 5 + b'"value"' + b"}" * 70 + b"\n") * 40,
        {"not_a_message": 1, "not_json": 40},
    ),
    "arrays without end around messages": (
        PRETTY + (b'{"a":[' + SMALL % b'"' + b'"}') * 5_000 + b'"value"' + b" " * 70 + b"}",
        {"not_a_message": 1, "damaged": 1},  # What is in an object is no message of its own.
    ),
    "different names behind damage": (
        PRETTY + b"".join(b'{"n%d":x}{"key":"%070d"}' % (n, n) for n in range(2_000)),
        {"not_a_message": 1, "damaged": 1},
    ),
    "messages on a line": (MESSAGE + SMALL % b"0" * 4_000 + b"\n", {"not_a_message": 1, "": 4_000}),
    "messages with entries on a line": (
        MESSAGE + (SMALL % b"0" + b"{}" * 9_000 + b"\n") * 40,
        {"not_a_message": 1, "damaged": 40, "": 40},
    ),
    "a wide array in deep ones": (
        MESSAGE + SMALL % (b"[" * 120 + b"1," * 400_000 + b"1" + b"]" * 120) + b"\n",
        {"not_a_message": 2},
    ),
    "a name of ligatures": (
        MESSAGE
        + SMALL
        % json.dumps({"type": "about", "about": AUTHOR, "name": "\ufdfa" * 150_000}).encode(),
        {"not_a_message": 1, "": 1},
    ),
    "records of BIPF": ((b"\1\0\5" * 21_845 + b"\0") * 4, {"not_a_message": 4 * 21_845}),
    "damage of BIPF": (
        (b"\1\0\5" + b"\x85" * ((1 << 16) - 3)) * 4,
        {"not_a_message": 4, "damaged": 4},
    ),
    "records of pzp": (
        (b"\2\0\0\0{}\0\0\1\0\0" * 5_957).ljust(1 << 16, b"\0") * 4,
        {"not_a_message": 4 * 5_957},
    ),
    "damage of pzp": (
        (b"\2\0\0\0{}" + b'\x50\0\0\0{"' * 10_000 + b"}" * 5_530) * 4,
        {"not_a_message": 4, "damaged": 4},
    ),
    "records of flume": (FLUME * 50_000, {"not_a_message": 50_000}),
    "blanks behind damage": (
        b"x" + b"\n" * 200_000 + MESSAGE * 2,
        {"not_json": 1, "empty_line": 199_999, "not_a_message": 2},
    ),
    "damage of flume": (FLUME * 3 + b"x{" * 400_000, {"not_a_message": 3, "cut_short": 1}),
}


@pytest.mark.parametrize("name", COSTLY)
def test_what_cost_much_is_read_in_bulk(name: str, tmp_path: Path) -> None:
    """No row is lost, and rows stay few."""
    data, expected = COSTLY[name]
    path, ring = tmp_path / "a.jsonl", KeyRing(b"pepper")
    path.write_bytes(data)
    log = entry_of(path, path.name)
    kind = recognise_within_limits(log)
    assert isinstance(kind, Kind), kind
    [split] = list_splits([Log(str(path), path.name, len(data), 0, kind)])
    assert [key for line in each_line(read_lines(split)) for key in epoch_keys(line)] == []
    counts: Counter[str] = Counter()
    for land, row_type in ((land_lines, LandedLine), (land_pzp_lines, LandedPzpLine)):
        lines = (("a", line) for line in read_lines(split))
        rows = [*fold_rejects(lines, partial(land, ring=ring), ring, row_type)]
        assert sum(row.reject_reason is not None for row in rows) <= 2 * 101
        for row in rows:
            counts[row.reject_reason or ""] += row.line_count
    assert counts == expected


@pytest.mark.parametrize("depth", [60, 120])
def test_a_text_that_indentation_makes_long_costs_no_memory(depth: int) -> None:
    """The first rule that is broken is told all the same."""
    wide: Any = [None] * 40_000
    for _ in range(depth):
        wide = [wide]
    for content, reason in ((wide, "type_is_malformed"), ({"type": "abc", "a": wide}, "too_long")):
        value = {
            **{"previous": None, "author": AUTHOR, "sequence": 1, "timestamp": 1, "hash": "sha256"},
            "content": content,
            "signature": "A" * 86 + "==.sig.ed25519",
        }
        check, peak = peak_memory(partial(check_value, value))
        assert (check.message_key, check.invalid_reason) == (None, reason)
        assert peak < 16 * MAX_INDENTED
