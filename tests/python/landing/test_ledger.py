"""Which logs a refresh reads."""

from __future__ import annotations

import bz2
import errno
import gzip
import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from scuttlehouse.builds.unchanged import is_unchanged
from scuttlehouse.files.listing import list_logs
from scuttlehouse.files.parts import PLAIN, Kind, Log
from scuttlehouse.landing.ledger import (
    LedgerEntry,
    Look,
    RulesChangedError,
    changed_unseen,
    require_rules,
    take_stock,
)
from scuttlehouse.landing.looks import look_into

NAMES = ["a.jsonl", "b.jsonl", "c/d.jsonl.gz"]


def log(name: str, content: str, modified_ms: int = 0) -> Log:
    return Log(f"/landing/{name}#{content}", name, len(content), modified_ms)


def content_of(log: Log) -> str:
    return log.path.partition("#")[2]


def seen(log: Log) -> Look:
    return Look(PLAIN, content_of(log) if log.problem is None else None, log.problem)


def never(log: Log) -> Any:
    raise AssertionError(f"{log} was read")


def stock(
    found: list[Log],
    known: dict[str, LedgerEntry],
    batch_id: str = "now",
    look: Callable[[Log], Look] = seen,
) -> dict[str, LedgerEntry]:
    entries = take_stock(found, known, batch_id, "rules", look)
    return {entry.source_file: entry for entry in entries}


KNOWN = stock([log("a.jsonl", "one"), log("b.jsonl", "two")], {}, "before")


def test_a_known_log_is_not_even_opened() -> None:
    found = stock([log("a.jsonl", "one"), log("b.jsonl", "two")], KNOWN, look=never)
    assert {entry.status for entry in found.values()} == {"known"}
    assert {entry.batch_id for entry in found.values()} == {"before"}


def test_a_touched_log_is_known_by_its_content() -> None:
    entry = stock([log("a.jsonl", "one", modified_ms=5)], KNOWN)["a.jsonl"]
    assert (entry.status, entry.batch_id, entry.modified_ms) == ("known", "before", 5)


def test_a_log_of_the_same_size_and_another_time_may_have_changed() -> None:
    entry = stock([log("a.jsonl", "eno", modified_ms=5)], KNOWN)["a.jsonl"]
    assert (entry.status, entry.batch_id) == ("changed", "now")


@pytest.mark.parametrize("first", [b"", b"{}\n"])
def test_what_comes_while_a_log_is_hashed_is_read_by_the_next_build(
    tmp_path: Path, first: bytes
) -> None:
    (tmp_path / "a.jsonl").write_bytes(first)
    listed = list_logs(tmp_path)
    (tmp_path / "a.jsonl").write_bytes(b"{}\n{}\n")
    [before] = take_stock(listed, {}, "before", "rules", look_into)
    again = list_logs(tmp_path)
    [after] = take_stock(again, {"a.jsonl": before}, "now", "rules", look_into)
    assert (before.size_bytes, after.status) == (len(first), "changed")


def test_a_vanished_log_keeps_its_lines_and_comes_back_as_known() -> None:
    found = stock([log("b.jsonl", "two")], KNOWN)
    assert (found["a.jsonl"].status, found["a.jsonl"].batch_id) == ("vanished", "before")
    again = stock([log("a.jsonl", "one", modified_ms=9), log("b.jsonl", "two")], found)
    assert {entry.status for entry in again.values()} == {"known"}


def test_lines_of_other_rules_are_refused() -> None:
    with pytest.raises(RulesChangedError, match=r"scuttlehouse build --full-refresh") as said:
        take_stock([log("a.jsonl", "one")], KNOWN, "now", "other rules", never)
    assert "1 log is in the warehouse and no longer in the landing folder" in str(said.value)
    with pytest.raises(RulesChangedError) as of_a_part:
        require_rules(["rules"], "other rules")
    # What `lines_hash` is made of: the code and two keys.
    for cause in ("rules for reading lines", "key of the warehouse", "network key"):
        assert cause in str(said.value)
        assert cause in str(of_a_part.value)


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ([], "2 logs are in the warehouse and no longer in the landing folder"),
        ([log("a.jsonl", "one")], "1 log is in the warehouse and no longer in the landing folder"),
        ([log("c.jsonl", "two")], "1 log is in the warehouse and no longer in the landing folder"),
        ([log("c.jsonl", "one"), log("b.jsonl.gz", "two")], "which reads all logs again."),
    ],
)
def test_a_log_under_another_name_is_not_lost_with_the_rules(found: list[Log], told: str) -> None:
    with pytest.raises(RulesChangedError) as said:
        take_stock(found, KNOWN, "now", "other rules", seen)
    assert told in str(said.value)
    assert ("in the warehouse" in str(said.value)) == ("in the warehouse" in told)


def test_what_has_no_lines_is_not_lost_with_the_rules() -> None:
    """A copy, or a log that nobody could read, may go before all logs are read again."""
    logs = [log("a.jsonl", "one"), log("b.jsonl", "one"), log("c.jsonl", "two")]
    known = stock([*logs[:2], replace(logs[2], problem="It is a link.")], {})
    with pytest.raises(RulesChangedError) as said:
        take_stock(logs[:1], known, "now", "other rules", never)
    assert str(said.value).endswith("which reads all logs again.")


def test_a_log_that_may_not_be_read_any_more_keeps_its_lines_unopened() -> None:
    """With the size and time that it had."""
    refused = replace(log("a.jsonl", "one"), problem="It is a link.")
    unopened = partial(look_into, recognise=never)
    [entry] = take_stock([refused], {"a.jsonl": KNOWN["a.jsonl"]}, "now", "rules", unopened)
    assert entry == KNOWN["a.jsonl"]._replace(
        status="left_out", status_reason="It is a link.", modified_ms=0
    )
    gone = stock([], {"a.jsonl": entry})["a.jsonl"]
    assert gone == KNOWN["a.jsonl"]._replace(status="vanished"), "why it was not read is past"


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (OSError(errno.EIO, "Input/output error"), "Input/output error"),
        (EOFError(), "it breaks while it is read"),
    ],
)
def test_what_breaks_while_it_is_read_is_told(error: Exception, why: str) -> None:
    def breaks(_: Log) -> str:
        raise error

    look = partial(look_into, recognise=breaks)
    [entry] = take_stock([log("a.jsonl", "one")], {}, "now", "rules", look)
    assert entry.status == "left_out"
    assert entry.status_reason == (
        f"The file cannot be read ({why}): copy it again, and look at its disk."
    )


def test_empty_logs_and_logs_of_other_forms_are_no_copies() -> None:
    """An exporter that has just begun several logs, and a file whose name says how to read it."""
    empty = stock([log("a.jsonl", ""), log("b.jsonl", "")], {})
    assert {(entry.status, entry.batch_id) for entry in empty.values()} == {("new", "now")}
    logs = [log("a.jsonl", "one"), log("b.offset", "one")]
    stocked = take_stock(
        logs, {}, "now", "rules", lambda one: seen(one)._replace(kind=Kind(one.source_file, "", ""))
    )
    assert {(entry.status, entry.batch_id) for entry in stocked} == {("new", "now")}


def test_of_copies_the_first_name_counts_whatever_order_the_table_has() -> None:
    known = dict(reversed(KNOWN.items()))
    found = stock([log("b.jsonl", "new", 1), log("a.jsonl", "new", 1)], known)
    assert [(one.status, one.batch_id, one.status_reason) for one in found.values()] == [
        ("changed", "now", None),
        ("copy", None, "The same content as a.jsonl."),
    ]


def test_a_log_that_changes_into_one_that_cannot_be_read_takes_its_lines() -> None:
    refused = replace(log("a.jsonl", "one"), problem="It is a link.")
    found = stock([refused, log("b.jsonl", "one", 1)], KNOWN)
    assert [(one.status, one.batch_id) for one in found.values()] == [
        ("left_out", None),
        ("changed", "now"),
    ]
    nothing = found["a.jsonl"]
    assert (nothing.form, nothing.compression, nothing.encoding) == (None, None, None)


@given(
    st.lists(
        st.dictionaries(st.sampled_from(NAMES), st.sampled_from("uvw"), min_size=1), max_size=8
    )
)
def test_every_content_counts_once_and_under_a_name_that_is_there(
    builds: list[dict[str, str]],
) -> None:
    known: dict[str, LedgerEntry] = {}
    last: dict[str, str] = {}
    for number, contents in enumerate(builds):
        before = known
        found = [log(name, content, number) for name, content in contents.items()]
        known = stock(found, known, f"batch {number}")
        # What lay under a name is forgotten if it is replaced, or lies under another name, too.
        last = {
            name: text
            for name, text in last.items()
            if before[name].batch_id is not None and text not in contents.values()
        } | contents
        counting = {n: entry for n, entry in known.items() if entry.batch_id is not None}
        held = [entry.content_hash for entry in counting.values()]
        assert sorted(held) == sorted(set(last.values()))
        for name, entry in counting.items():
            is_read = entry.status in ("new", "changed")
            assert is_read == (entry.batch_id == f"batch {number}")
            assert is_read or before[name].batch_id == entry.batch_id
            assert (name in contents) == (entry.status != "vanished")
        for name, entry in known.items():
            if entry.batch_id is None:
                assert entry.status == ("copy" if name in contents else "moved")
                assert entry.content_hash in [
                    other.content_hash for n, other in counting.items() if n in contents
                ]


def test_a_log_that_was_compressed_is_the_same_log(tmp_path: Path) -> None:
    text = b'{"key": 1}\n' * 9
    (tmp_path / "a.jsonl").write_bytes(text)
    before = {entry.source_file: entry for entry in real_stock(tmp_path, {})}
    (tmp_path / "a.jsonl").unlink()
    for name, pack in {"b.gz": gzip.compress, "c.bz2": bz2.compress, "d.zst": zstd}.items():
        (tmp_path / f"x.jsonl{name[1:]}").write_bytes(pack(text))
        (tmp_path / name.replace(".", ".jsonl.")).write_bytes(pack(text))
    after = real_stock(tmp_path, before)
    assert [(entry.source_file, entry.status) for entry in after if entry.status != "copy"] == [
        ("a.jsonl", "moved"),
        ("b.jsonl.gz", "new"),
    ]
    assert len(after) == 7
    again = real_stock(tmp_path, {entry.source_file: entry for entry in after})
    assert [entry.status for entry in again] == ["known", *["copy"] * 5]


def test_a_log_that_is_rotated_loses_no_lines(tmp_path: Path) -> None:
    """Its name holds other lines the next night, and the old ones are under a name with a number."""
    path, known, texts = tmp_path / "a.jsonl", {}, []
    for night in range(4):
        texts.append(b'{"night": %d}\n' % night)
        if night > 1:
            (tmp_path / f"a.jsonl.{night}.gz").write_bytes(gzip.compress(texts[night - 2]))
        if night:
            path.rename(tmp_path / "a.jsonl.1")
        path.write_bytes(texts[night])
        os.utime(path, (night, night))
        stock = real_stock(tmp_path, known)
        known = {entry.source_file: entry for entry in stock}
        held = {entry.content_hash for entry in stock if entry.batch_id is not None}
        assert held == {hashlib.sha256(text).hexdigest() for text in texts}, f"night {night}"


def test_a_log_that_cannot_be_read_for_a_while_keeps_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"{}\n")
    [before] = real_stock(tmp_path, {})
    path.unlink()
    path.symlink_to("gone")
    [meanwhile] = real_stock(tmp_path, {"a.jsonl": before})
    assert (meanwhile.status, meanwhile.batch_id) == ("left_out", "now")
    path.unlink()
    path.write_bytes(b"{}\n")
    [after] = real_stock(tmp_path, {"a.jsonl": meanwhile})
    assert (after.status, after.batch_id, after.status_reason) == ("known", "now", None)
    path.write_bytes(b"a,b\n")
    [later] = real_stock(tmp_path, {"a.jsonl": after})
    assert (later.status, later.batch_id) == ("left_out", "now")


@pytest.mark.parametrize(
    "left", [b"", b"\n", b"[]", b"[\n]\n", b"\xff\xfe", b"\xef\xbb\xbf\n", b"\0" * (1 << 19)]
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_log_that_an_export_has_emptied_keeps_its_lines(
    tmp_path: Path, left: bytes, pack: Callable[[bytes], bytes]
) -> None:
    """`ssb-server log > a.jsonl` empties the file before it asks a server, which may not answer."""
    path, text = tmp_path / "a.jsonl", b'{"a": 1}\n'
    path.write_bytes(text)
    known = {entry.source_file: entry for entry in real_stock(tmp_path, {})}
    path.write_bytes(pack(left))
    for _ in range(2):
        [entry] = real_stock(tmp_path, known)
        assert (entry.status, entry.batch_id) == ("left_out", "now")
        assert (entry.status_reason or "").startswith("The log is empty now")
        known = {"a.jsonl": entry}
        assert is_unchanged(list_logs(tmp_path), known)
    path.write_bytes(text)
    [after] = real_stock(tmp_path, known)
    assert (after.status, after.batch_id, after.status_reason) == ("known", "now", None)


def test_an_empty_log_whose_lines_have_another_name_is_read(tmp_path: Path) -> None:
    """As after a rotation before anything was written."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 1}\n')
    known = {entry.source_file: entry for entry in real_stock(tmp_path, {})}
    path.rename(tmp_path / "a.jsonl.1")
    path.write_bytes(b"")
    stock = real_stock(tmp_path, known)
    assert [(one.status, one.status_reason) for one in stock] == [("changed", None), ("new", None)]
    assert is_unchanged(list_logs(tmp_path), {entry.source_file: entry for entry in stock})


def test_a_copy_of_a_log_that_cannot_be_read_takes_its_lines(tmp_path: Path) -> None:
    """Otherwise its content would count as that of two logs."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 1}\n')
    known = {entry.source_file: entry for entry in real_stock(tmp_path, {})}
    path.rename(tmp_path / "b.jsonl")
    path.write_bytes(b"a,b\n")
    for status in ("new", "known"):
        stock = real_stock(tmp_path, known)
        assert [(one.status, one.batch_id) for one in stock] == [
            ("left_out", None),
            (status, "now"),
        ]
        assert stock[0].content_hash is None
        assert stock[0].status_reason
        known = {entry.source_file: entry for entry in stock}
        assert is_unchanged(list_logs(tmp_path), known)
    (tmp_path / "b.jsonl").rename(path)
    stock = real_stock(tmp_path, known)
    assert [(one.status, one.batch_id) for one in stock] == [("new", "now"), ("moved", None)]


def test_what_is_left_out_makes_no_build_new(tmp_path: Path) -> None:
    """Until it can be read."""
    (tmp_path / "a.jsonl").write_bytes(b"{}\n")
    (tmp_path / "b.jsonl").write_bytes(b"{}\n")
    (tmp_path / "c.jsonl").write_bytes(b"a,b\n")
    (tmp_path / "link.jsonl").symlink_to("gone")
    stock = real_stock(tmp_path, {})
    known = {entry.source_file: entry for entry in stock}
    assert [entry.status for entry in stock] == ["new", "copy", "left_out", "left_out"]
    assert is_unchanged(list_logs(tmp_path), known)
    (tmp_path / "gone").touch()
    os.utime(tmp_path / "gone", (0, 0))
    assert not is_unchanged(list_logs(tmp_path), known)
    (tmp_path / "gone").unlink()
    assert is_unchanged(list_logs(tmp_path), known)
    for name in ("c.jsonl", "link.jsonl"):
        # As if another version of the rules had left them out.
        other = {**known, name: known[name]._replace(status_reason="Another reason.")}
        assert not is_unchanged(list_logs(tmp_path), other)
    (tmp_path / "b.jsonl").unlink()
    assert not is_unchanged(list_logs(tmp_path), known)


def test_what_a_disk_does_not_give_makes_no_build_new() -> None:
    log = Log("/proc/self/mem", "a.jsonl", 100, 0)  # Its first bytes cannot be read.
    [entry] = take_stock([log], {}, "now", "rules", look_into)
    assert (entry.status_reason or "").startswith("The file cannot be read")
    assert is_unchanged([log], {"a.jsonl": entry})


def real_stock(folder: Path, known: dict[str, LedgerEntry]) -> list[LedgerEntry]:
    return take_stock(list_logs(folder), known, "now", "rules", look_into)


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


def test_what_changed_with_the_same_size_and_time_is_found_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    (tmp_path / "b.jsonl").write_bytes(b"{}\n")
    path.write_bytes(b'{"a": 1}\n')
    known = {entry.source_file: entry for entry in real_stock(tmp_path, {})}
    times = path.stat()
    path.write_bytes(b'{"a": 2}\n')
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    found = list_logs(tmp_path)
    assert is_unchanged(found, known)
    assert changed_unseen(found, known, look_into) == ["a.jsonl"]
    stock = take_stock(found, known, "later", "rules", look_into, trusts_times=False)
    assert [(entry.status, entry.batch_id) for entry in stock] == [
        ("changed", "later"),
        ("known", "now"),
    ]
    path.write_bytes(b'{"a": 21}\n')
    assert changed_unseen(list_logs(tmp_path), known, look_into) == []
