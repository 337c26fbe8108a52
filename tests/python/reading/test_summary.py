"""The exact text that a build prints about its tables."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from scuttlehouse.builds.summary import print_summary
from scuttlehouse.reading.engine import WarehouseError
from small_warehouse import SmallWarehouse

NUMBER, TEXT, FLAG = pa.int64(), pa.string(), pa.bool_()


def table(columns: dict[str, pa.DataType], *rows: tuple[object, ...]) -> pa.Table:
    named = [dict(zip(columns, row, strict=True)) for row in rows]
    return pa.Table.from_pylist(named, schema=pa.schema(columns))


def group(
    name: str, epochs: int, tips: int, people: int, preferred: str | None
) -> tuple[object, ...]:
    return f"ssb:group/{name}", epochs, tips, people, preferred and f"ssb:epoch/{preferred}"


EMPTY = {
    "fct_messages": table({"validity": TEXT, "is_private": FLAG, "is_decrypted": FLAG}),
    "dim_feeds": table({"person_id": TEXT, "message_count": NUMBER}),
    "dim_tangles": table(
        dict.fromkeys(["depth", "message_count", "set_aside_count", "gap_count"], NUMBER)
    ),
    "dim_logs": table({"status": TEXT}),
    "dim_sets": table(
        dict.fromkeys(
            ["item_count", "prunable_count", "freed_bytes", "lost_by_reference_count"], NUMBER
        )
    ),
    "fct_rejected_lines": table(
        {"reason": TEXT, "source_file": TEXT, "line_number": NUMBER, "line_count": NUMBER}
    ),
    "fct_tangle_messages": table({"status": TEXT, "status_reason": TEXT, "tangle_id": TEXT}),
    "fct_epoch_repairs": table({"action": TEXT, "group_id": TEXT}),
    "fct_preferred_epochs": table({"group_id": TEXT, "person_id": TEXT, "epoch_id": TEXT}),
    "dim_groups": table(
        {
            "group_id": TEXT,
            "epoch_count": NUMBER,
            "tip_count": NUMBER,
            "person_count": NUMBER,
            "preferred_epoch_id": TEXT,
        }
    ),
}

ROWS: dict[str, list[tuple[object, ...]]] = {
    "fct_messages": [
        ("valid", False, False),
        ("invalid", True, True),
        ("not_checked", True, False),
        ("valid", True, False),
    ],
    "dim_feeds": [("a", 3), ("b", 1), ("b", 2), ("c", 0)],
    "dim_tangles": [(3, 4, 1, 2), (24, 5, 0, 0)],
    "dim_logs": [
        *[("new",)] * 2,
        *[("changed",), ("known",), ("vanished",), ("copy",), ("moved",)],
        *[("left_out",)] * 3,
    ],
    "dim_sets": [(3, 1, 100, 0), (2, 4, 20, 7)],
    "fct_rejected_lines": [
        ("not_json", "b.jsonl", 24, 1),
        ("not_json", "a.jsonl", 24, 1),
        ("not_a_message", "c.jsonl", 3, 1),
        ("too_long", "c.jsonl", 9, 1),
        ("too_long", "d.jsonl", 2, 1),
        ("too_long", "e.jsonl", 10, 1),
    ],
    "fct_tangle_messages": [
        ("in", None, "t"),
        ("set_aside", "missing", "t"),
        ("set_aside", "missing", "u"),
        ("set_aside", "no_previous", "t"),
        ("rejected", "wrong_group", "t"),
    ],
    "fct_epoch_repairs": [("exclude", "g"), ("add", "g"), ("add", "h"), ("add", "h")],
    "fct_preferred_epochs": [
        ("ssb:group/aaaaaaaa", "p", "ssb:epoch/1234567"),
        ("ssb:group/aaaaaaaa", "q", "ssb:epoch/0234567"),
        ("ssb:group/aaaaaaaa", "r", "ssb:epoch/9234567"),
        ("ssb:group/aaaaaaaa", "s", "ssb:epoch/9234567"),
    ],
    "dim_groups": [
        group("cccccccc", 2, 1, 4, None),
        group("aaaaaaaa", 5, 2, 14, "9234567"),
        group("bbbbbbbb", 5, 1, 4, "x"),
        *(group(f"d{letter}", 1, 1, 1, "e") for letter in "jihgfedcba"),
    ],
}

WHOLE = """
scuttlehouse: built, tested and published as build build-1.
  Of the logs 2 are new, 1 changed, 1 known (not read again), 1 vanished (their lines stay).
  2 are the same log under another name.
  3 entries of the landing folder were left out. What they are, and what to do: \
select source_file, status_reason from dim_logs where status = 'left_out'
  In the tables 11 rows came in, 22 changed and 33 are gone; fct_builds says in which.

The log
  4 messages in 3 feeds of 2 people; 2 of them nobody opened, 1 are invalid, \
1 cannot be checked.
  Rejected lines:
        3  too_long                    first: d.jsonl line 2
        2  not_json                    first: a.jsonl line 24
        1  not_a_message               first: c.jsonl line 3

Tangles
  2 tangles hold 9 messages; the deepest has 24 steps. 1 messages wait outside for 2 missing ones.
  Set aside:
        2  missing                     in 2 tangles
        1  no_previous                 in 1 tangles
  Not a candidate:
        1  wrong_group                 in 1 tangles

Groups and the epoch that people should prefer (an id by its first letters)
  group     epochs  tips  people  preferred  people by epoch
  aaaaaa         5     2      14  923456     2 prefer 923456, 1 prefer 023456, 1 prefer 123456
  bbbbbb         5     1       4  x          {}
  cccccc         2     1       4  none       {}
  da             1     1       1  e          {}
  db             1     1       1  e          {}
  dc             1     1       1  e          {}
  dd             1     1       1  e          {}
  de             1     1       1  e          {}
  df             1     1       1  e          {}
  dg             1     1       1  e          {}
  dh             1     1       1  e          {}
  di             1     1       1  e          {}
  To publish, so that groups are connected (fct_epoch_repairs):
        3  add                         in 2 groups
        1  exclude                     in 1 groups

Replicated sets
  2 sets hold 5 items. 5 of their messages may go, which frees 120 bytes and changes nothing; \
the software that wrote them would drop 7 items.

Look further
  .venv/bin/scuttlehouse sql "select * from dim_groups"  any query over the published tables
  .venv/bin/scuttlehouse show ID                         what is known of a thing in them
  make docs                                              what every table and column means
  make dashboards                                        the tables in a browser, with drawings
  home/data_docs/index.html                              what was checked

"""

NOTHING = """
The log
  0 messages in 0 feeds of 0 people; 0 of them nobody opened, 0 are invalid, \
0 cannot be checked.

Tangles
  0 tangles hold 0 messages; the deepest has 0 steps. 0 messages wait outside for 0 missing ones.

Groups and the epoch that people should prefer (an id by its first letters)
  group     epochs  tips  people  preferred  people by epoch
  no groups in this log

Look further
"""


def test_the_summary_of_all_kinds_of_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    small = SmallWarehouse(tmp_path / "home")
    tables = {
        name: table(dict(zip(empty.schema.names, empty.schema.types, strict=True)), *ROWS[name])
        for name, empty in EMPTY.items()
    }
    build = small.publish(tables)
    small.publish(EMPTY)  # It describes its own build, and not a later one.
    print_summary(small.home, build, (11, 22, 33))
    assert capsys.readouterr().out == WHOLE.format(*[""] * 11)


def test_the_summary_of_no_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = SmallWarehouse(tmp_path / "home")
    print_summary(small.home, small.publish(EMPTY), (0, 0, 0))
    out = capsys.readouterr().out
    assert NOTHING in out
    assert f"\n  {tmp_path}/home/data_docs/index.html  what was checked\n" in out


def test_a_table_is_missing(tmp_path: Path) -> None:
    small = SmallWarehouse(tmp_path / "home")
    build = small.publish({name: rows for name, rows in EMPTY.items() if name != "dim_logs"})
    with pytest.raises(WarehouseError, match="dim_logs does not exist"):
        print_summary(small.home, build, (0, 0, 0))
