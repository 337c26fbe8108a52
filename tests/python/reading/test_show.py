"""`scuttlehouse show`: pages over tables with the columns of the contracts."""

from __future__ import annotations

import os
import pty
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from conftest import PROJECT
from scuttlehouse.cli import main
from scuttlehouse.drawing.names import people
from scuttlehouse.reading.engine import WarehouseError
from scuttlehouse.reading.finding import FEED, PERSON, AmbiguousIdError, find
from scuttlehouse.reading.warehouse import Warehouse
from scuttlehouse.showing import pages
from scuttlehouse.showing.paragraphs import MOST_ROWS
from small_warehouse import SmallWarehouse

TYPES = {
    "string": pa.string(),
    "boolean": pa.bool_(),
    "bigint": pa.int64(),
    "int": pa.int32(),
    "double": pa.float64(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
}
Show = Callable[..., tuple[int, str, str]]


def contracts() -> dict[str, pa.Schema]:
    """The columns of every published table, as its contract has them."""
    found = {}
    for file in (PROJECT / "models" / "marts").rglob("_*.yml"):
        # The loader in C takes a sixth of the time.
        for model in yaml.load(file.read_text(), yaml.CSafeLoader).get("models") or []:
            columns = {one["name"]: one.get("data_type") for one in model.get("columns") or []}
            if model["name"].startswith(("dim_", "fct_")) and all(columns.values()):
                fields = [(name, TYPES[kind]) for name, kind in columns.items()]
                found[model["name"]] = pa.schema(fields)
    return found


def message(letters: str) -> str:
    return f"ssb:message/classic/{letters:A<43}="


def group(letters: str) -> str:
    return f"ssb:identity/group/{letters:A<43}="


def feed(letters: str) -> str:
    return f"@{letters:A<43}=.ed25519"


def person(letters: str) -> str:
    return f"ssb:feed/bendybutt-v1/{letters:A<43}="


def pzp(letters: str) -> str:
    return f"{letters:z<43}"


AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
LATER = AT.replace(day=3)
SET = pzp("moot")
READERS, ANN, EVE = group("readers"), person("ann"), person("eve")
ROOTLESS, CROWDED = group("without"), person("crowded")
CROWD = *(group(f"a{number:02d}") for number in range(20)), group("own")
FIRST, LEFT, RIGHT, GONE = (message(one) for one in ("first", "left", "right", "gone"))
GROUP_TANGLE, THREAD = f"group:{FIRST}", f"thread:{message('lost')}"
# Whatever software wrote the warehouse, no name steers a terminal.
HOSTILE = "E\x1b[31mve\u202e"

ROWS: dict[str, list[dict[str, Any]]] = {
    "dim_groups": [
        {
            "group_id": READERS,
            "name": "Readers",
            "founder_id": ANN,
            "preferred_epoch_id": LEFT,
            "epoch_count": 3,
            "tip_count": 2,
            "fork_count": 1,
            "repair_count": 1,
            "person_count": 2,
            "current_member_count": 1,
            "message_count": 4,
            "created_at": AT,
            "last_message_at": LATER,
        },
        {"group_id": group("ready"), "name": "Group readyA"},
    ],
    "dim_people": [
        {"person_id": CROWDED},
        {"person_id": ANN, "name": "Ann", "feed_count": 2, "group_count": 1},
        {"person_id": EVE, "name": HOSTILE, "feed_count": 1},
        {
            "person_id": person("kim"),
            "name": "Kim",
            "feed_count": 1,
            "message_count": 2,
            "first_message_at": AT,
            "last_message_at": LATER,
            "group_count": 3,
            "ever_group_count": 4,
            "differing_group_count": 5,
            "received_exclusion_count": 6,
            "made_exclusion_count": 7,
        },
    ],
    "dim_feeds": [
        {"feed_id": ANN, "person_id": ANN, "feed_format": "bendybutt-v1", "gap_count": 0},
        {
            "feed_id": feed("b/long"),
            "person_id": EVE,
            "feed_format": "classic",
            "has_known_person": True,
            "feed_purpose": "main",
            "message_count": 5,
            "first_message_at": AT,
            "last_message_at": LATER,
            "first_sequence": 1,
            "last_sequence": 4,
            "valid_through_sequence": 2,
            "gap_count": 1,
            "is_forked": True,
        },
        *(
            {"feed_id": feed(name), "person_id": EVE, "feed_format": "classic"}
            | {"last_sequence": 4, "gap_count": gaps, "is_forked": is_forked}
            for name, gaps, is_forked in (("gap", 1, False), ("fork", 0, True), ("fine", 0, False))
        ),
    ],
    "dim_epochs": [
        {
            "epoch_id": one,
            "group_id": READERS,
            "group_name": "Readers",
            "creator_id": ANN,
            "depth": depth,
            "member_count": depth + 1,
            "is_tip": depth > 0,
            "is_authorized": None if one == FIRST else one != RIGHT,
            "has_valid_members_tangle": True,
            "has_short_key": one == LEFT,
            "key_rank": 5,
            "asserted_at": AT,
        }
        for one, depth in ((FIRST, 0), (LEFT, 1), (RIGHT, 1))
    ]
    + [
        {"epoch_id": message(name), "group_id": group("ready"), "is_authorized": True}
        | {"is_tip": True, "has_valid_members_tangle": name == "spare"}
        for name in ("spare", "torn")
    ],
    "fct_epoch_links": [{"epoch_id": LEFT, "previous_epoch_id": FIRST}],
    "fct_epoch_members": [
        {
            "epoch_id": LEFT,
            "group_id": READERS,
            "person_id": EVE,
            "added_by_id": ANN,
            "is_declared": True,
            "is_excluded": False,
            "is_still_excluded": False,
            "is_missing": False,
            "is_extra": True,
        },
        *(
            {
                "epoch_id": RIGHT,
                "group_id": READERS,
                "person_id": person(name),
                "is_declared": True,
                "is_excluded": True,
                "is_still_excluded": is_still_excluded,
                "is_missing": False,
                "is_extra": is_extra,
                "is_readded": is_readded,
                "added_by_id": ANN,
                "added_at": AT,
                "excluded_by_id": EVE,
                "excluded_at": LATER,
            }
            for name, is_still_excluded, is_readded, is_extra in (
                ("again", False, True, False),
                ("kept", False, True, True),
                ("out", True, False, False),
                ("twice", True, True, False),
                ("apart", False, False, False),
            )
        ),
        # Somebody should add the one; an outsider has added the other.
        *(
            {"epoch_id": RIGHT, "group_id": READERS, "person_id": person(name)}
            | {"is_declared": False, "is_excluded": False, "is_still_excluded": False}
            | {"is_missing": is_missing, "is_extra": False, "is_readded": False}
            for name, is_missing in (("lacks", True), ("alien", False))
        ),
    ],
    "fct_group_audit_log": [
        {"group_id": READERS, "message_id": message("twin1"), "action": "add", "subject_id": ANN}
    ],
    "fct_preferred_epochs": [
        {"group_id": READERS, "person_id": one, "epoch_id": LEFT, "rule": "same", "is_tip": True}
        for one in (ANN, EVE)
    ]
    + [
        {"group_id": group("ready"), "person_id": person("kim"), "epoch_id": message("torn")}
        | {"rule": "same", "is_tip": False}
    ]
    + [
        {"group_id": one, "person_id": CROWDED, "epoch_id": message("elsewhere"), "rule": "only"}
        for one in CROWD
    ],
    "fct_epoch_forks": [
        {
            "group_id": READERS,
            "left_epoch_id": LEFT,
            "right_epoch_id": RIGHT,
            "winner_epoch_id": LEFT,
            "rule": "overlapping",
            "is_current": True,
            "needs_repair": True,
            "began_at": AT,
        },
        *(
            {
                "group_id": READERS,
                "left_epoch_id": FIRST,
                "right_epoch_id": message(name),
                "rule": "same",
                "is_current": name == "now",
                "needs_repair": False,
                "healed_by_epoch_id": healed_by,
                "began_at": began_at,
            }
            for name, healed_by, began_at in (
                ("now", None, AT),
                ("old", LEFT, LATER),
                ("older", None, AT),
                ("undated", None, None),
            )
        ),
    ],
    "fct_epoch_repairs": [
        {
            "group_id": READERS,
            "epoch_id": LEFT,
            "person_id": EVE,
            "action": "exclude",
            "because": f"no witness of the fork with {RIGHT} (4.6)",
            "severity": "should",
        }
    ]
    + [
        {"group_id": one, "person_id": CROWDED, "epoch_id": message("elsewhere"), "action": "add"}
        for one in CROWD
    ],
    "fct_membership_history": [
        {"group_id": READERS, "person_id": EVE, "is_excluded": True, "is_current": True},
        {"group_id": READERS, "person_id": EVE, "is_excluded": False, "is_current": False},
    ],
    "fct_replication_plan": [
        {
            "group_id": READERS,
            "person_id": EVE,
            "missing_id": GONE,
            "rule": "missing_message",
            "should_fetch": True,
            "should_serve": True,
        },
        # Rows of two epochs count once.
        *[
            {"group_id": READERS, "person_id": EVE, "feed_id": ANN, "rule": "member"}
            | {"should_fetch": True, "should_serve": True},
            {"group_id": READERS, "person_id": EVE, "missing_id": GONE, "rule": "missing_message"},
            {"group_id": READERS, "person_id": EVE, "feed_id": feed("b/long")}
            | {"rule": "excluded_member", "should_fetch": False, "should_serve": True},
        ]
        * 2,
        {"group_id": READERS, "person_id": EVE, "feed_id": feed("c"), "rule": "no_member"}
        | {"should_fetch": False, "should_serve": False},
        *({"group_id": one, "person_id": CROWDED, "missing_id": GONE} for one in CROWD),
    ],
    "fct_feed_forks": [
        {"feed_id": feed("b/long"), "message_id": message(one), "sequence": 2}
        for one in ("twin1", "twin2")
    ],
    "fct_messages": [
        *(
            {
                "message_id": message(f"said{one[-3:]}"),
                "feed_id": CROWDED,
                "person_id": CROWDED,
                "group_id": one,
                "validity": validity,
            }
            for one, validity in (
                (group("own"), "valid"),
                (group("a05"), "not_checked"),
                (group("a06"), "invalid"),
            )
        ),
        {
            "message_id": message("twin1"),
            "feed_id": feed("b/long"),
            "person_id": EVE,
            "content_type": "vote",
            "sequence": 2,
            "validity": "valid",
            "is_private": False,
            "is_valid_in_feed": True,
            "asserted_at": AT,
            "received_at": LATER,
            "group_id": READERS,
            "epoch_id": LEFT,
            "warning": "plaintexts_differ",
            "source_file": "a\x1bb.jsonl",
            "line_number": 1_234,
        },
        {
            "message_id": message("bad"),
            "feed_id": feed("b/long"),
            "person_id": EVE,
            "sequence": 3,
            "validity": "invalid",
            "invalid_reason": "signature_is_wrong",
            "is_private": True,
            "is_decrypted": False,
            "is_valid_in_feed": False,
        },
        *(
            {"message_id": message(name), "feed_id": feed("b/long"), "person_id": EVE}
            | {"content_type": "vote", "validity": "valid", "is_valid_in_feed": False}
            | {"feed_fault": "previous_is_invalid", "feed_fault_sequence": sequence}
            for name, sequence in (("after", 3), ("later", 5))
        ),
        {"message_id": message("alone"), "feed_id": feed("b/long"), "person_id": EVE}
        | {"content_type": "vote", "validity": "valid", "is_valid_in_feed": False}
        | {"feed_fault": "previous_is_missing", "feed_fault_sequence": 9},
        {"message_id": FIRST, "feed_id": ANN, "person_id": ANN, "validity": "valid"},
        {"message_id": LEFT, "feed_id": ANN, "person_id": ANN, "validity": "valid"}
        | {"feed_fault": "previous_is_not_checked"},
        *(
            {"message_id": message(f"early{day}"), "group_id": ROOTLESS, "person_id": ANN}
            | {"content_type": "post", "asserted_at": AT.replace(day=day)}
            for day in (2, 3)
        ),
        {"message_id": message("early4"), "group_id": ROOTLESS, "person_id": person("abe")},
    ],
    "dim_tangles": [
        {
            "tangle_id": GROUP_TANGLE,
            "root_id": FIRST,
            "group_id": READERS,
            "tangle_kind": "group",
            "message_count": 2,
            "author_count": 3,
            "set_aside_count": 20,
            "rejected_count": 4,
            "depth": 5,
            "tip_count": 6,
            "gap_count": 1,
        },
        {"tangle_id": f"epoch:{FIRST}", "root_id": FIRST, "tangle_kind": "epoch"},
        {"tangle_id": THREAD, "root_id": message("lost"), "tangle_kind": "thread"},
        {"tangle_id": f"{HOSTILE}:1", "root_id": "odd", "tangle_kind": HOSTILE},
        {"tangle_id": f"group:{GONE}", "root_id": GONE, "group_id": ROOTLESS}
        | {"tangle_kind": "group", "message_count": 0, "set_aside_count": 1}
        | {"rejected_count": 0, "gap_count": 1},
    ],
    "fct_tangle_messages": [
        {
            "tangle_id": GROUP_TANGLE,
            "message_id": LEFT,
            "person_id": ANN,
            "status": "in",
            "rank": 1,
            "position": 2,
            "is_root": False,
            "is_tip": True,
            "content_type": "group/init",
            "asserted_at": AT,
        },
        {"tangle_id": GROUP_TANGLE, "message_id": RIGHT, "person_id": EVE, "status": "in"}
        | {"rank": 1, "position": 1, "is_root": False, "is_tip": True},
        *(
            {
                "tangle_id": GROUP_TANGLE,
                "message_id": message(f"aside{number:02d}"),
                "person_id": EVE,
                "status": "set_aside",
                "status_reason": "missing",
                "blocking_ids": GONE,
            }
            for number in range(20)
        ),
        *(
            {"tangle_id": GROUP_TANGLE, "message_id": message(name), "status": "rejected"}
            | {"status_reason": "type_not_allowed"}
            for name in ("odd1", "odd2")
        ),
        {"tangle_id": GROUP_TANGLE, "message_id": message("able"), "status": "set_aside"}
        | {"status_reason": "previous_set_aside"},
        {"tangle_id": THREAD, "message_id": message("twin1"), "status": "set_aside"}
        | {"status_reason": "missing", "blocking_ids": GONE, "is_root": False, "is_tip": False},
        {"tangle_id": f"thread:{message('twin1')}", "message_id": message("twin1")}
        | {"status": "in", "rank": 0, "position": 0, "is_root": True, "is_tip": True},
    ],
    "fct_tangle_links": [
        *(
            {"tangle_id": THREAD, "message_id": one, "previous_id": other}
            | {"is_in_log": other != GONE, "is_in_graph": False}
            for one, other in ((message("twin1"), GONE), (message("bad"), message("twin1")))
        ),
        {
            "tangle_id": GROUP_TANGLE,
            "message_id": message("aside00"),
            "previous_id": GONE,
            "is_in_log": False,
            "is_in_graph": False,
        },
    ],
    "fct_tangle_gaps": [
        {
            "tangle_id": GROUP_TANGLE,
            "missing_id": GONE,
            "group_id": READERS,
            "needed_by_count": 1,
            "blocked_count": 20,
        },
        {"tangle_id": GROUP_TANGLE, "missing_id": message("able"), "group_id": READERS}
        | {"needed_by_count": 1, "blocked_count": 3},
        {"tangle_id": f"group:{GONE}", "missing_id": GONE, "group_id": ROOTLESS}
        | {"needed_by_count": 1, "blocked_count": 30},
    ],
    "dim_sets": [
        {
            "set_id": SET,
            "account_id": "account",
            "domain": "set_v1__follows",
            "item_count": 2,
            "lost_by_reference_count": 1,
            "message_count": 3,
            "device_count": 1,
            "tip_count": 1,
            "depth": 2,
            "set_aside_count": 1,
            "rejected_count": 0,
            "erased_count": 0,
            "prunable_count": 1,
            "freed_bytes": 1_234,
        },
        {"set_id": pzp("other"), "domain": "set_v1__blocks", "item_count": 0},
    ],
    "fct_set_items": [
        {"set_id": SET, "item": ANN, "last_added_by_id": pzp("tip"), "position": 0}
        | {"is_lost_by_reference": True},
        {"set_id": SET, "item": HOSTILE, "last_added_by_id": pzp("tip"), "position": 1}
        | {"is_lost_by_reference": False},
    ],
    "fct_set_messages": [
        {"set_id": SET, "message_id": pzp("tip"), "status": "in", "is_tip": True, "depth": 2}
        | {"device_key": pzp("device"), "kept_because": "item_root", "is_prunable": False}
        | {"added_count": 2, "deleted_count": 0, "received_at": AT},
        {"set_id": SET, "message_id": pzp("drop"), "status": "in", "is_tip": False, "depth": 1}
        | {"superseded_by_id": pzp("tip"), "is_prunable": True, "position": 4},
        *(
            {"set_id": SET, "message_id": pzp(name), "status": "set_aside", "is_tip": False}
            | {"status_reason": "missing", "set_fault": "no_lists", "is_prunable": False}
            for name in ("aside", "beside")
        ),
    ],
    "fct_set_changes": [
        {"message_id": pzp("tip"), "item": ANN, "change": "add", "is_in_set": True},
    ],
    "fct_set_links": [
        {"set_id": SET, "message_id": pzp("tip"), "linked_id": SET, "link": "previous"}
        | {"is_in_log": True, "is_in_set": True},
        {"set_id": SET, "message_id": pzp("aside"), "linked_id": pzp("gone"), "link": "previous"}
        | {"is_in_log": False, "is_in_set": False},
    ],
    "fct_rule_violations": [
        {"group_id": READERS, "message_id": one, "rule_id": "late_exclusion", "severity": "should"}
        | {"document": "exclusion", "section": "4.2"}
        for one in (LEFT, RIGHT)
    ]
    + [
        {"message_id": message("twin1"), "rule_id": "odd", "severity": "must", "found": "5"}
        | {"document": "exclusion", "section": "4.3"}
    ],
    "fct_set_rule_violations": [
        {"set_id": SET, "message_id": pzp("tip"), "rule_id": "no_pointer", "item": ANN}
        | {"known_id": pzp("gone"), "severity": "should", "document": "sets", "section": "3"},
    ],
}

GROUP_PAGE = f"""\
Group {READERS}
  name             Readers
  founder          Ann (annAAA)
  created          2026-01-02 03:04
  last message     2026-01-03 03:04
  messages         4
  people ever      2
  epochs           3
  newest epochs    2
  preferred epoch  leftAA
  its members      1
  forks            1
  repairs          1

People (2)
  person                      in the preferred epoch         should prefer  rule  added by
  Ann (annAAA)                not in it                      leftAA         same  -
  E\\x1b[31mve\\u202e (eveAAA)  extra: should not be a member  leftAA         same  Ann (annAAA)

Epochs (3)
  epoch   step  made by       made              members  state
  leftAA     1  Ann (annAAA)  2026-01-02 03:04        2  newest, preferred
  rightA     1  Ann (annAAA)  2026-01-02 03:04        2  counts for nothing
  firstA     0  Ann (annAAA)  2026-01-02 03:04        1  past

Forks (5)
  epoch   other epoch  rule         winner  state             began
  leftAA  rightA       overlapping  leftAA  needs repair      2026-01-02 03:04
  firstA  nowAAA       same         -       current           2026-01-02 03:04
  firstA  oldAAA       same         -       healed by leftAA  2026-01-03 03:04
  firstA  olderA       same         -       past              2026-01-02 03:04
  firstA  undate       same         -       past              -

Repairs that somebody should publish (1)
  to do    person                      epoch   severity  because
  exclude  E\\x1b[31mve\\u202e (eveAAA)  leftAA  should    no witness of the fork with rightA (4.6)

Missing messages of its tangles (2)
  missing  tangle        waiting for it
  goneAA   group:firstA              20
  ableAA   group:firstA               3

Broken rules (1)
  rule            severity  messages  for example
  late_exclusion  should           2  leftAA
"""

SET_PAGE = f"""\
Set {SET}
  domain                              set_v1__follows
  account                             account
  items                               2
  items that its software would lose  1
  messages                            3
  devices                             1
  tips                                1
  steps from the first                2
  set aside                           1
  rejected                            0
  erased                              0
  messages to drop                    1
  bytes that this frees               1,234

Items (2)
  place  item               added by  would be lost
      0  Ann (annAAA)       tipzzz    yes
      1  E\\x1b[31mve\\u202e  tipzzz    no

Tips: what a new message should list as previous (1)
  message  device  depth  received
  tipzzz   device      2  2026-01-02 03:04

Set aside or rejected (1)
  status     why      messages  for example
  set aside  missing         2  asidez

Faults of messages (1)
  fault     messages  for example
  no_lists         2  asidez

Missing from the log (1)
  missing  listed as  listed by
  gonezz   previous           1

Broken rules (1)
  rule        message  item          known deletion  severity  document  section
  no_pointer  tipzzz   Ann (annAAA)  gonezz          should    sets      3
"""

SET_MESSAGE_PAGE = f"""\
Message of a set {pzp("tip")}
  set             mootzz
  device          device
  status          in
  depth           2
  items added     2
  items deleted   0
  may be dropped  no: item root
  received        2026-01-02 03:04

What it changes (1)
  change  item          in the set now
  add     Ann (annAAA)  yes

Lists (1)
  as        message  in the log  in the set
  previous  mootzz   yes         yes

Broken rules (1)
  rule        item          known deletion  severity  document  section
  no_pointer  Ann (annAAA)  gonezz          should    sets      3
"""


ROOTLESS_GROUP_PAGE = f"""\
Group without its first message {ROOTLESS}
  epochs and members  unknown without its first message, opened and checked
  messages            3
  authors             2
  first message       2026-01-02 03:04
  last message        2026-01-03 03:04

Tangles (1)
  tangle        messages  set aside  rejected  missing
  group:goneAA         0          1         0        1

Missing messages of its tangles (1)
  missing  tangle        waiting for it
  goneAA   group:goneAA              30

Who wrote to it (2)
  author        type     messages  last message
  Ann (annAAA)  post            2  2026-01-03 03:04
  abeAAA        unknown         1  -
"""


TANGLES_OF_A_MESSAGE = """
Tangles (2)
  tangle         status              rank  position  place      waits for
  thread:lostAA  set aside: missing     -         -             goneAA
  thread:twin1A  in                     0         0  root, tip  -

Lists as previous (1)
  previous  tangle         in the log  in the graph
  goneAA    thread:lostAA  no          no

Listed as previous by (1)
  message  tangle         in the graph
  badAAA   thread:lostAA  no
"""


def of_others(row: dict[str, Any]) -> dict[str, Any]:
    """The same row about other things: each id begins with another letter, which no test asks for."""
    ids = re.compile(r"(?<=/)(?=\w{42})|(?<=^@)|^(?=[a-z]+z+$)")
    return {
        name: ids.sub("Z", value) if isinstance(value, str) else value
        for name, value in row.items()
    }


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> SmallWarehouse:
    """Of every row there is another one, which no page shows."""
    small = SmallWarehouse(tmp_path_factory.mktemp("shown"))
    rows = {
        name: [*own, *(other for row in own if (other := of_others(row)) != row)]
        for name, own in ROWS.items()
    }
    small.publish(
        {
            name: pa.Table.from_pylist(rows.get(name, []), schema)
            for name, schema in contracts().items()
            if name in ROWS
        }
    )
    return small


@pytest.fixture
def show(
    small: SmallWarehouse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Show:
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(small.home))

    def shown(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(["show", *arguments])
        out, error = capsys.readouterr()
        assert not re.search(r"\bZ", out), "it shows a row about something else"
        return code, out, error

    return shown


def facts(page: str) -> dict[str, str]:
    """The lines below the heading of a page: the name of each column, and its value."""
    return dict(re.findall(r"^  (.*?) {2,}(.*)$", page.partition("\n\n")[0], re.M))


def test_the_page_of_a_group(show: Show) -> None:
    assert show("readersA") == (0, GROUP_PAGE, "")


def test_a_group_that_prefers_no_epoch(show: Show) -> None:
    _, out, _ = show("ready")
    assert re.search(r"^  Kim \(kimAAA\)  the group prefers none +tornAA ", out, re.M)
    states = dict(re.findall(r"^  (spareA|tornAA) .* {2}(\S.*)$", out, re.M))
    assert states == {"spareA": "newest", "tornAA": "counts for nothing"}


def test_what_is_counted_of_a_person_and_of_a_feed(show: Show) -> None:
    _, out, _ = show("kim")
    assert facts(out) == {
        "name": "Kim",
        "feeds": "1",
        "messages": "2",
        "first message": "2026-01-02 03:04",
        "last message": "2026-01-03 03:04",
        "groups now": "3",
        "groups ever": "4",
        "groups that prefer another epoch": "5",
        "times excluded": "6",
        "exclusions made": "7",
    }
    assert "  the group went on without them  " in out
    _, out, _ = show("b/long")
    assert facts(out) == {
        "person": "E\\x1b[31mve\\u202e (eveAAA)",
        "announced by them": "yes",
        "format": "classic",
        "purpose": "main",
        "messages": "5",
        "first sequence": "1",
        "last sequence": "4",
        "valid through": "2",
        "missing before the last": "1",
        "forked": "yes",
        "first message": "2026-01-02 03:04",
        "last message": "2026-01-03 03:04",
    }


def test_the_page_of_a_group_whose_first_message_is_missing(show: Show) -> None:
    """It has no row in dim_groups."""
    assert show("without") == (0, ROOTLESS_GROUP_PAGE, "")
    assert show(ROOTLESS) == (0, ROOTLESS_GROUP_PAGE, "")


def test_the_pages_of_a_set_and_of_its_messages(show: Show) -> None:
    """An id of a set is that of its first message, and means the set."""
    assert show("moot") == (0, SET_PAGE, "")
    assert show(pzp("tip")) == (0, SET_MESSAGE_PAGE, "")
    of_aside, of_drop = (facts(show(pzp(name))[1]) for name in ("aside", "drop"))
    assert of_aside["status"] == "set aside: missing"
    assert of_aside["fault"] == "no_lists"
    told = [of_drop[name] for name in ("may be dropped", "superseded by", "position")]
    assert told == ["yes", "tipzzz", "4"]


@pytest.mark.parametrize(
    ("epoch", "state"),
    [
        ("left", "newest"),
        ("first", "past"),
        ("right", "counts for nothing: an outsider made it"),
        ("torn", "counts for nothing: its members tangle is not valid"),
    ],
)
def test_an_epoch_counts_with_a_short_key_and_where_nobody_knows_its_creator(
    show: Show, epoch: str, state: str
) -> None:
    """Rulings R30 and R31."""
    (line,) = (one for one in show(epoch)[1].splitlines() if one.startswith("  state "))
    assert line.split(maxsplit=1)[1] == state


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("reader", f"Group {READERS}"),
        (READERS.removesuffix("="), f"Group {READERS}"),
        ("ann", f"Person {ANN}"),
        ("b/lo", f"Feed {feed('b/long')}"),
        ("@b/lo", f"Feed {feed('b/long')}"),
        (feed("b/long"), f"Feed {feed('b/long')}"),
        # An epoch is a message and the root of tangles, too: it is an epoch first.
        ("first", f"Epoch {FIRST}"),
        ("%first", f"Epoch {FIRST}"),
        (" first\n", f"Epoch {FIRST}"),
        ("%" + FIRST.removeprefix("ssb:message/classic/") + ".sha256", f"Epoch {FIRST}"),
        ("group:first", f"Tangle {GROUP_TANGLE}"),
        (GROUP_TANGLE, f"Tangle {GROUP_TANGLE}"),
        ("lost", f"Tangle {THREAD}"),
        ("ssb:message/classic/lost", f"Tangle {THREAD}"),
        ("gone", f"Missing message {GONE}"),
        ("odd", "Tangle E\\x1b[31mve\\u202e:1"),
        ("twin1", f"Message {message('twin1')}"),
        ("ssb:message/classic/twin1", f"Message {message('twin1')}"),
    ],
)
def test_what_an_id_means(show: Show, text: str, heading: str) -> None:
    code, out, _ = show(text)
    assert code == 0
    assert out.splitlines()[0] == heading


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nobody", "has the id nobody or begins with it."),
        ("Ann", "A name is no id: dim_people and dim_groups have both."),
        ("%", "has the id % or begins with it."),
        ("", "The id is empty"),
        (" ", "The id is empty"),
        ("poll:first", "has the id poll:first or begins with it."),
        ("it's", "has the id it's or begins with it."),
        ("z\x1b", "has the id z\\x1b or begins with it."),
        ("\udcff", "write it in UTF-8."),
    ],
)
def test_an_unknown_id_is_a_sentence(show: Show, text: str, sentence: str) -> None:
    code, out, error = show(text)
    assert (code, out) == (1, "")
    assert sentence in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("command", ["show", "draw group", "compare first"])
def test_an_id_that_begins_with_a_dash_comes_after_two(
    show: Show, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    with pytest.raises(SystemExit):
        main([*command.split(), "-wAJ"])
    assert capsys.readouterr().err.endswith("; if -wAJ is an id, write -- before the ids\n")
    assert "the id -wAJ or begins with it" in show("--", "-wAJ")[2]
    with pytest.raises(SystemExit):
        main([*command.split(), "--nothing"])
    assert "is an id" not in capsys.readouterr().err


SQL = st.sampled_from(
    [*"'\"\\%_{};-:/@$?\n\x1b\u202e\ud800", "--", "{id}", "{{", "thread:", "ssb:", "a"]
)
TEXTS = st.lists(SQL, max_size=5).map("".join)


@given(TEXTS.filter(lambda text: "\ud800" not in text), TEXTS)
def test_no_text_is_read_as_sql(one: str, asked: str) -> None:
    """Neither an id of a table nor what somebody asks for."""
    with duckdb.connect() as connection:
        connection.execute("create table dim_people (person_id varchar, name varchar)")
        connection.execute("insert into dim_people values (?, ?), ('b', 'Bob')", [one, one])
        warehouse = Warehouse(connection, {})
        assert people(warehouse, {one, "b"}).keys() == {one, "b"}
        for text in (one, asked):
            with suppress(WarehouseError):
                assert find(warehouse, text, [PERSON]).id in (one, "b")
        if one.strip() == one and one not in ("", "@", "%"):
            assert find(warehouse, one, [PERSON]).id == one


def test_a_whole_id_may_be_the_beginning_of_another() -> None:
    with duckdb.connect() as connection:
        connection.execute("create table dim_people (person_id varchar, name varchar)")
        connection.execute("create table dim_feeds (feed_id varchar, feed_format varchar)")
        connection.execute("insert into dim_people values ('ann', 'Ann'), ('anna', 'Anna')")
        connection.execute("insert into dim_feeds values ('an1', 'classic')")
        warehouse = Warehouse(connection, {})
        assert find(warehouse, "ann", [PERSON, FEED]).name == "Ann"
        with pytest.raises(AmbiguousIdError) as caught:
            find(warehouse, "an", [PERSON, FEED])
        assert [one.id for one in caught.value.found] == ["ann", "anna", "an1"]
        with pytest.raises(WarehouseError, match="No person or feed has the id bob"):
            find(warehouse, "bob", [PERSON, FEED])


def test_the_short_id_of_a_token_tells_it_from_others() -> None:
    """Authors of invalid messages may have any text as id."""
    with duckdb.connect() as connection:
        connection.execute("create table dim_people (person_id varchar, name varchar)")
        connection.execute("insert into dim_people values ('token-5-abcdef01', null)")
        connection.execute("insert into dim_people values ('token-5-beef0123', null)")
        warehouse = Warehouse(connection, {})
        names = people(warehouse, ["token-5-abcdef01", "token-5-beef0123"])
        assert names == {"token-5-abcdef01": "abcdef", "token-5-beef0123": "beef01"}
        for one, name in names.items():
            assert find(warehouse, name, [PERSON]).id == one
        with pytest.raises(AmbiguousIdError):
            find(warehouse, "token-5", [PERSON])


def test_a_beginning_of_several_ids_lists_them(show: Show) -> None:
    code, out, error = show("read")
    assert (code, out) == (1, "")
    assert error.splitlines() == [
        "read may mean several things: give more of the id.",
        f"  group  {READERS}  Readers",
        f"  group  {group('ready')}  Group readyA",
    ]


def test_faults_of_a_feed(show: Show) -> None:
    _, out, _ = show("b/long")
    assert "  vote            4\n  unknown         1\n" in out
    faults = re.findall(r"^  (\w+) +(broken before them|invalid) +(\d+) +(\d+)$", out, re.M)
    assert faults == [
        ("previous_is_invalid", "broken before them", "2", "3"),
        ("signature_is_wrong", "invalid", "1", "3"),
        ("previous_is_missing", "broken before them", "1", "9"),
    ]
    assert "Messages with the same sequence (2)" in out
    _, out, _ = show("eve")
    assert (
        "  b/long  classic     4              2        1        1  yes     previous_is_invalid\n"
        in out
    )
    assert "  Readers (reader)  excluded" in out
    assert re.search(r"Readers \(reader\) +1 +2 +1 +1 +1\n", out)
    one_fault = re.findall(r"^  (gap|fork|fine)A+ .* - +(\d) +(\d) +(yes|no) +-$", out, re.M)
    assert sorted(one_fault) == [("fork", "0", "0", "yes"), ("gap", "1", "0", "no")]


def test_a_message_that_is_not_checked_is_no_fault_of_its_feed(show: Show) -> None:
    assert "Feeds with faults" in show("eve")[1]
    assert "Feeds with faults" not in show("ann")[1]


def test_who_was_added_again_is_a_member_again(show: Show) -> None:
    """As in fct_membership_history, also where the addition does not know of the exclusion."""
    _, out, _ = show("right")
    assert "(7)\n  person" in out, "its people, and no others"
    people = "again|kept|out|twice|apart|lacks|alien"
    states = dict(re.findall(rf"^  ({people})A* {{2,}}(\S.*?) {{2,}}", out, re.M))
    assert states == {
        "again": "member",
        "kept": "extra: added again after an exclusion",
        "out": "excluded",
        "twice": "excluded",
        "apart": "member",
        "lacks": "missing: should be a member",
        "alien": "no member",
    }
    acts = r"^  outAAA +excluded +Ann \(annAAA\)  (.{16})  E.*ve.* \(eveAAA\)  (.{16})$"
    assert re.findall(acts, out, re.M) == [("2026-01-02 03:04", "2026-01-03 03:04")]


def test_where_a_message_is_and_whether_it_is_valid(show: Show) -> None:
    _, out, _ = show("twin1")
    assert facts(out) == {
        "type": "vote",
        "author": "E\\x1b[31mve\\u202e (eveAAA)",
        "feed": "b/long",
        "sequence": "2",
        "written, its author says": "2026-01-02 03:04",
        "received": "2026-01-03 03:04",
        "epoch": "leftAA",
        "encrypted": "no",
        "validity": "valid",
        "warning": "plaintexts_differ",
        "in its feed": "valid",
        "in the log": "a\\x1bb.jsonl",
        "line": "1,234",
    }
    assert "  message  previous\n  twin2A   -\n" in out
    assert "What it does in a group (1)\n" in out
    assert TANGLES_OF_A_MESSAGE in out
    assert "  odd   -      must      exclusion  4.3      5\n" in out
    _, out, _ = show("bad")
    assert "  in its feed               not valid\n" in out
    assert "  invalid because           signature_is_wrong\n" in out
    assert "  encrypted                 yes, nobody opened it\n" in out
    _, out, _ = show("left")
    assert "  follows  firstA\n" in out
    assert facts(out)["rank of its key"] == "5"


def test_a_tangle_counts_feeds_and_not_people(show: Show) -> None:
    _, out, _ = show("group:first")
    assert facts(out) == {
        "kind": "group",
        "root": "firstA",
        "group": "Readers (reader)",
        "messages": "2",
        "from feeds": "3",
        "steps from the root": "5",
        "tips": "6",
        "set aside": "20",
        "rejected": "4",
        "missing": "1",
    }
    tips = re.search(
        r"^Tips: .* \(2\)\n.*\n  (rightA) .*\n  leftAA +Ann \(annAAA\) +(.*)$", out, re.M
    )
    assert tips
    assert tips[2].split() == ["group/init", "2", "2026-01-02", "03:04"]


def test_groups_in_which_a_person_writes_come_first(show: Show) -> None:
    """Anybody may begin groups with anybody, and write what nobody can check in anybody's name."""
    _, out, _ = show(CROWDED)
    first = re.findall(r"^(\w+)\b.*\(21\)\n.* own messages\n.* (\w+AAA) .* (\d+)$", out, re.M)
    assert first == [(title, "ownAAA", "1") for title in ("Groups", "What", "Repairs")], out


def test_a_long_paragraph_says_how_much_it_leaves_out(show: Show) -> None:
    _, out, _ = show("gone")
    assert facts(out) == {"tangles that need it": "2", "messages waiting for it, at most": "30"}
    assert re.findall(r"^  (group:\w+) .* (\d+)$", out, re.M) == [
        ("group:goneAA", "30"),
        ("group:firstA", "20"),
    ]
    _, out, _ = show("group:first")
    assert re.search(r"^  type_not_allowed +2  odd1", out, re.M)
    assert "Set aside (21)" in out
    assert out.count("goneAA\n") == MOST_ROWS, "what is missing comes before what follows from it"
    assert f"  ... and {21 - MOST_ROWS} more\n" in out


def test_only_a_terminal_has_colours(show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    _, plain, _ = show("readers")
    assert "\x1b" not in plain
    ours, theirs = pty.openpty()
    said = {}
    with os.fdopen(ours, "rb") as reader, os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stdout", terminal)
        for variable in ("", "1"):
            monkeypatch.setenv("NO_COLOR", variable)
            assert main(["show", "readers"]) == 0
            terminal.flush()
            said[variable] = ""
            while not said[variable].endswith(plain[-20:].replace("\n", "\r\n")):
                said[variable] += os.read(reader.fileno(), 4096).decode()
    assert "\x1b[1;33mRepairs that somebody should publish (1)\x1b[0m" in said[""]
    assert re.sub(r"\x1b\[[0-9;]*m", "", said[""]).replace("\r\n", "\n") == plain
    assert said["1"].replace("\r\n", "\n") == plain


def test_what_is_wrong_is_in_another_colour() -> None:
    """A title says whether all below it is wrong."""
    wrong = re.compile("repairs|missing|broken|need|faults|set aside|rejected|(same|its) sequence")
    for paragraph in (one for page in pages._PAGES.values() for one in page):
        assert paragraph.is_problem == bool(wrong.search(paragraph.title.lower())), paragraph.title


@pytest.mark.parametrize("command", ["show", "draw group"])
def test_tables_of_another_version_lack_a_column(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
) -> None:
    """One sentence says what to do. In a query of somebody the column is only unknown."""
    schemas = contracts()
    members = schemas["fct_epoch_members"]
    schemas["fct_epoch_members"] = members.remove(members.get_field_index("is_still_excluded"))
    rows = {
        name: [{key: row[key] for key in row if key in schema.names} for row in ROWS.get(name, [])]
        for name, schema in schemas.items()
    }
    SmallWarehouse(tmp_path).publish(
        {name: pa.Table.from_pylist(rows[name], schema) for name, schema in schemas.items()}
    )
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path))
    assert main([*command.split(), "readersA"]) == 1
    out, error = capsys.readouterr()
    assert "is_still_excluded" in error
    assert "Another version of scuttlehouse has built the published tables: build with" in error
    assert (out, error.count("\n")) == ("", 1)
    assert main(["sql", "select is_still_excluded from fct_epoch_members"]) == 1
    assert "version" not in capsys.readouterr().err
