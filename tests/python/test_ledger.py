"""Which logs a refresh reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scuttlehouse.landing import Log, content_hash, list_logs
from scuttlehouse.ledger import LedgerEntry, RulesChangedError, take_stock

NAMES = ["a.jsonl", "b.jsonl", "c/d.jsonl.gz"]


def log(name: str, content: str, modified_ms: int = 0) -> Log:
    return Log(f"/landing/{name}#{content}", name, len(content), modified_ms)


def content_of(log: Log) -> str:
    return log.path.partition("#")[2]


def never(log: Log) -> str:
    raise AssertionError(f"{log} was read")


def stock(
    found: list[Log],
    known: dict[str, LedgerEntry],
    batch_id: str = "now",
    content_hash: Callable[[Log], str] = content_of,
) -> dict[str, LedgerEntry]:
    entries = take_stock(found, known, batch_id, "rules", content_hash)
    return {entry.source_file: entry for entry in entries}


KNOWN = stock([log("a.jsonl", "one"), log("b.jsonl", "two")], {}, "before")


def test_a_known_log_is_not_even_opened() -> None:
    found = stock([log("a.jsonl", "one"), log("b.jsonl", "two")], KNOWN, content_hash=never)
    assert {entry.status for entry in found.values()} == {"known"}
    assert {entry.batch_id for entry in found.values()} == {"before"}


def test_a_touched_log_is_known_by_its_content() -> None:
    entry = stock([log("a.jsonl", "one", modified_ms=5)], KNOWN)["a.jsonl"]
    assert (entry.status, entry.batch_id, entry.modified_ms) == ("known", "before", 5)


def test_a_log_of_the_same_size_and_another_time_may_have_changed() -> None:
    entry = stock([log("a.jsonl", "eno", modified_ms=5)], KNOWN)["a.jsonl"]
    assert (entry.status, entry.batch_id) == ("changed", "now")


@pytest.mark.parametrize("first", [b"", b"one\n"])
def test_what_comes_while_a_log_is_hashed_is_read_by_the_next_build(
    tmp_path: Path, first: bytes
) -> None:
    (tmp_path / "a.jsonl").write_bytes(first)
    listed = list_logs(tmp_path, may_be_empty=True)
    (tmp_path / "a.jsonl").write_bytes(b"one\ntwo\n")
    [before] = take_stock(listed, {}, "before", "rules", content_hash)
    again = list_logs(tmp_path)
    [after] = take_stock(again, {"a.jsonl": before}, "now", "rules", content_hash)
    assert (before.size_bytes, after.status) == (len(first), "changed")


def test_a_vanished_log_keeps_its_lines_and_comes_back_as_known() -> None:
    found = stock([log("b.jsonl", "two")], KNOWN)
    assert (found["a.jsonl"].status, found["a.jsonl"].batch_id) == ("vanished", "before")
    again = stock([log("a.jsonl", "one", modified_ms=9), log("b.jsonl", "two")], found)
    assert {entry.status for entry in again.values()} == {"known"}


def test_lines_of_other_rules_are_refused() -> None:
    with pytest.raises(RulesChangedError, match=r"scuttlehouse build --full-refresh") as said:
        take_stock([log("a.jsonl", "one")], KNOWN, "now", "other rules", never)
    assert "1 logs are in the warehouse and no longer in the landing folder" in str(said.value)


@given(
    st.lists(
        st.dictionaries(st.sampled_from(NAMES), st.sampled_from("uvw"), min_size=1), max_size=6
    )
)
def test_what_counts_is_the_last_content_of_every_log(builds: list[dict[str, str]]) -> None:
    known: dict[str, LedgerEntry] = {}
    last: dict[str, str] = {}
    read: dict[str, str] = {}
    for number, contents in enumerate(builds):
        found = [log(name, content, number) for name, content in contents.items()]
        known = stock(found, known, f"batch {number}")
        for name, content in contents.items():
            if last.get(name) != content:
                read[name] = f"batch {number}"
        last |= contents
        assert {name: entry.content_hash for name, entry in known.items()} == last
        assert {name: entry.batch_id for name, entry in known.items()} == read
        assert {name for name, entry in known.items() if entry.status != "vanished"} == set(
            contents
        )
