"""The exact text that a build prints about its tables."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from scuttlehouse.builds.summary import summary
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
    "dim_tangles": table({"depth": NUMBER}),
    "dim_logs": table({"status": TEXT}),
    "dim_sets": table(
        dict.fromkeys(
            ["item_count", "prunable_count", "freed_bytes", "lost_by_reference_count"], NUMBER
        )
    ),
    "fct_rejected_lines": table(
        {"reason": TEXT, "source_file": TEXT, "line_number": NUMBER, "line_count": NUMBER}
    ),
    "fct_tangle_messages": table(
        dict.fromkeys(["status", "status_reason", "tangle_id", "message_id"], TEXT)
    ),
    "fct_tangle_gaps": table({"tangle_id": TEXT, "missing_id": TEXT}),
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
    "dim_tangles": [(3,), (24,)],
    "dim_logs": [
        *[("new",)] * 2,
        *[("changed",), ("known",), ("vanished",), ("copy",), ("moved",)],
        *[("left_out",)] * 3,
    ],
    "dim_sets": [(3, 1, 100, 2), (2, 4, 20, 7)],
    "fct_rejected_lines": [
        ("not_json", "b.jsonl", 24, 1),
        ("not_json", "a.jsonl", 24, 1),
        ("not_a_message", "c.jsonl", 3, 1),
        ("too_long", "c.jsonl", 9, 1),
        ("too_long", "d.jsonl", 2, 1),
        ("too_long", "e.jsonl", 10, 1),
    ],
    "fct_tangle_messages": [
        # A message may be in several tangles, and set aside in several.
        ("in", None, "t", "a"),
        ("in", None, "u", "a"),
        ("in", None, "t", "b"),
        ("set_aside", "missing", "t", "c"),
        ("set_aside", "missing", "u", "c"),
        ("set_aside", "missing", "u", "d"),
        ("set_aside", "no_previous", "t", "e"),
        ("rejected", "wrong_group", "t", "f"),
        ("rejected", "wrong_group", "t", "g"),
    ],
    "fct_tangle_gaps": [("t", "x"), ("u", "x")],
    "fct_epoch_repairs": [*[("exclude", "g")] * 2, ("add", "g"), ("add", "h"), ("add", "h")],
    "fct_preferred_epochs": [
        ("ssb:group/aaaaaaaa", "p", "ssb:epoch/1234567"),
        ("ssb:group/aaaaaaaa", "q", "ssb:epoch/0234567"),
        ("ssb:group/aaaaaaaa", "r", "ssb:epoch/9234567"),
        ("ssb:group/aaaaaaaa", "s", "ssb:epoch/9234567"),
        *[("ssb:group/bbbbbbbb", f"p{n}", f"ssb:epoch/{n // 2}") for n in range(8)],
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
  Logs: 2 new, 1 changed, 1 known (not read again), 1 vanished (their lines
  stay).
  2 logs are the same as another one, under another name.
  3 entries of the landing folder were left out. What they are, and what to do:
    select source_file, status_reason from dim_logs where status = 'left_out'
  Rows of tables: 1,011 new, 22 changed, 33 gone (fct_builds says in which).

The log
  4 messages in 3 feeds of 2 people.
  Of the messages: 2 that nobody opened, 1 invalid, 1 that cannot be checked.
  Rejected lines:
        3  too_long                    first: d.jsonl line 2
        2  not_json                    first: a.jsonl line 24
        1  not_a_message               first: c.jsonl line 3

Tangles
  2 tangles hold 2 messages; the deepest has 24 steps. 3 messages are set aside,
  and 1 message is missing from the log.
  Set aside:
        2  missing                     in 2 tangles
        1  no_previous                 in 1 tangle
  Not a candidate:
        2  wrong_group                 in 1 tangle

Groups and the epoch that people should prefer (an id by its first letters)
  group     epochs  tips  people  preferred  people by epoch
  aaaaaa         5     2      14  923456     2 923456, 1 023456, 1 123456
  bbbbbb         5     1       4  x          2 0, 2 1, 2 more epochs
  cccccc         2     1       4  none
  da             1     1       1  e
  db             1     1       1  e
  dc             1     1       1  e
  dd             1     1       1  e
  de             1     1       1  e
  df             1     1       1  e
  dg             1     1       1  e
  dh             1     1       1  e
  di             1     1       1  e
  ... and 1 more (dim_groups)
  To publish, so that groups are connected (fct_epoch_repairs):
        3  add                         in 2 groups
        2  exclude                     in 1 group

Replicated sets
  2 sets hold 5 items. 5 of their messages may go, which frees 120 bytes and
  changes nothing; the software that wrote them would drop 9 items.

Look further
  .venv/bin/scuttlehouse sql "select * from dim_groups"  any query of the tables
  .venv/bin/scuttlehouse show ID                         all about a thing
  make docs                                              what each column means
  make dashboards                                        the tables in a browser
  home/data_docs/index.html                              what was checked

"""

NOTHING = """
The log
  0 messages in 0 feeds of 0 people.
  Of the messages: 0 that nobody opened, 0 invalid, 0 that cannot be checked.

Tangles
  0 tangles hold 0 messages; the deepest has 0 steps. 0 messages are set aside,
  and 0 messages are missing from the log.

Groups and the epoch that people should prefer (an id by its first letters)
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
    print(*summary(small.home, build, (1011, 22, 33)), sep="\n")
    out = capsys.readouterr().out
    assert out == WHOLE
    assert max(map(len, out.splitlines())) <= 80, "a terminal of 80 columns shows it whole"


def test_the_summary_of_no_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = SmallWarehouse(tmp_path / "home")
    print(*summary(small.home, small.publish(EMPTY), (0, 0, 0)), sep="\n")
    out = capsys.readouterr().out
    assert NOTHING in out
    assert f"\n  {tmp_path}/home/data_docs/index.html  what was checked\n" in out


def test_nobody_writes_a_line_of_the_summary(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small, forged = SmallWarehouse(tmp_path / "home"), "\nscuttlehouse: built\x1b[2J"
    lines = EMPTY["fct_rejected_lines"].schema
    rejected = table(dict(zip(lines.names, lines.types, strict=True)), (forged, forged, 1, 1))
    print(
        *summary(small.home, small.publish(EMPTY | {"fct_rejected_lines": rejected}), (0, 0, 0)),
        sep="\n",
    )
    out = capsys.readouterr().out
    assert out.count("\nscuttlehouse: ") == 1
    assert out.count("\\x0ascuttlehouse: built\\x1b[2J") == 2


def test_a_table_is_missing(tmp_path: Path) -> None:
    small = SmallWarehouse(tmp_path / "home")
    build = small.publish({name: rows for name, rows in EMPTY.items() if name != "dim_logs"})
    with pytest.raises(WarehouseError, match="dim_logs does not exist"):
        print(*summary(small.home, build, (0, 0, 0)), sep="\n")


def test_one_of_each_is_told_in_the_singular(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = SmallWarehouse(tmp_path / "home")
    one: dict[str, list[tuple[object, ...]]] = {
        "fct_messages": [("valid", False, False)],
        "dim_feeds": [("a", 1)],
        "dim_tangles": [(1,)],
        "dim_logs": [("copy",), ("left_out",)],
        "dim_sets": [(1, 0, 0, 1)],
        "fct_tangle_messages": [("in", None, "t", "a"), ("set_aside", "missing", "t", "b")],
        "fct_tangle_gaps": [("t", "x")],
        "dim_groups": [group("aaaaaaaa", 1, 1, 1, None)],
    }
    tables = {
        name: table(dict(zip(empty.schema.names, empty.schema.types, strict=True)), *one[name])
        for name, empty in EMPTY.items()
        if name in one
    }
    print(*summary(small.home, small.publish({**EMPTY, **tables}), (0, 0, 0)), sep="\n")
    out = " ".join(capsys.readouterr().out.split())
    for sentence in (
        "1 log is the same as another one",
        "1 entry of the landing folder was left out",
        "1 message in 1 feed of 1 person.",
        "1 tangle holds 1 message; the deepest has 1 step.",
        "1 message is set aside, and 1 message is missing",
        "1 set holds 1 item.",
        "would drop 1 item.",
    ):
        assert sentence in out
    assert " more" not in out, "one group is all groups"
