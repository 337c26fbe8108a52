"""Logs as released software writes them, in real builds: what users reported, with the right answers."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from conftest import FIXTURES, PROJECT, Rows, Unrelated
from scuttlehouse.files.parts import Line
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.ids import any_id, message_uri
from scuttlehouse.ssb.lines import epoch_key, land_line

REPORTED = FIXTURES / "reported"
TRIBES2 = FIXTURES / "packages" / "tribes2"
TRIBE = FIXTURES / "packages" / "tribes" / "alone.jsonl"
# Two logs, and those of friends, who have copies of their messages.
WITHOUT_FRIENDS = [REPORTED / "b01_ssbdb1_private.jsonl", REPORTED / "f02_pzp_decrypted_set.jsonl"]
WITH_FRIENDS = [*WITHOUT_FRIENDS, REPORTED / "b01_friend.jsonl", REPORTED / "f02_friend.jsonl"]
RELEASED = [
    *(path for path in sorted(REPORTED.glob("*.jsonl")) if path not in WITH_FRIENDS),
    *sorted((REPORTED / "passing").glob("*.jsonl")),
    *sorted(TRIBES2.glob("*.jsonl")),
    TRIBE,
]
RING = KeyRing(b"pepper")
UNBOX_KEY = "glTDKakoUPbVOd03b0gW7idkUX2l4CNVFK9DMWRIDXo="


def keys_of(name: str) -> list[str]:
    """The ids of the messages of a log, in the order of its lines."""
    lines = (REPORTED / name).read_text().splitlines()
    return [message_uri(json.loads(line)["key"]) or "" for line in lines]


@pytest.fixture(scope="module")
def tables(last_logs: Unrelated) -> dict[str, Rows]:
    return last_logs.tables


def messages(tables: dict[str, Rows], name: str) -> Rows:
    rows = {row["message_id"]: row for row in tables["fct_messages"]}
    return [rows[key] for key in keys_of(name)]


def test_ssb_db_keeps_the_ciphertext_in_the_value(unrelated_logs: Unrelated) -> None:
    is_kept(messages(unrelated_logs.tables, "b01_ssbdb1_private.jsonl"))


def is_kept(rows: Rows) -> None:
    assert [row["validity"] for row in rows] == ["valid"] * 3
    assert [row["is_valid_in_feed"] for row in rows] == [True] * 3
    assert [row["is_private"] for row in rows] == [False, True, False]
    assert [row["is_decrypted"] for row in rows] == [False, True, False]


def test_a_friends_copy_accuses_nobody(tables: dict[str, Rows]) -> None:
    is_kept(messages(tables, "b01_ssbdb1_private.jsonl"))
    rejected = {row["source_file"] for row in tables["fct_rejected_lines"]}
    assert not [name for name in rejected if "friend" in name or "b01_" in name]
    assert "forged" not in {row["reason"] for row in tables["fct_rejected_lines"]}
    assert "carol" in {row["item"] for row in tables["fct_set_items"]}


def test_other_formats_are_known_by_the_ends_of_their_sigils(tables: dict[str, Rows]) -> None:
    rows = messages(tables, "b04_gabbygrove_sigils.jsonl")
    assert [row["validity"] for row in rows] == ["not_checked"] * 3
    formats = ["gabbygrove-v1", "gabbygrove-v1", "bendybutt-v1"]
    assert [row["feed_id"].split("/")[1] for row in rows] == formats
    assert rows[1]["previous_id"] == rows[0]["message_id"]


def test_colons_between_the_parts_of_a_uri(tables: dict[str, Rows]) -> None:
    root, update = keys_of("b05_colon_uri.jsonl")
    rows = [row for row in tables["fct_tangle_messages"] if row["message_id"] == update]
    found = [(row["tangle_id"], row["status"], row["rank"]) for row in rows]
    assert found == [(f"profile:{root}", "in", 1)]


def test_no_key_of_a_query_is_in_a_table(tables: dict[str, Rows]) -> None:
    assert thread(tables, "b07_unbox_query.jsonl") == [(0, "linked"), (1, "linked")]
    bare = UNBOX_KEY.rstrip("=")
    for name, rows in tables.items():
        assert not [row for row in rows if bare in str(row) or "unbox=" in str(row)], name


def thread(tables: dict[str, Rows], name: str) -> list[tuple[int, str]]:
    """The thread of a log's first message: the line of each message, and what it is attached to."""
    keys = keys_of(name)
    rows = [row for row in tables["fct_thread_messages"] if row["tangle_id"] == f"thread:{keys[0]}"]
    rows.sort(key=lambda row: int(row["thread_position"]))
    return [(keys.index(row["message_id"]), row["attached_by"]) for row in rows]


@pytest.mark.parametrize(
    ("name", "attached"),
    [
        ("c01_no_branch.jsonl", ["linked", "by_time", "branch_missing"]),
        ("c02_vote_in_thread.jsonl", ["linked"] * 4),
        ("c06_root_link_object.jsonl", ["linked"] * 3),
        ("c07_branch_missing.jsonl", ["linked", "branch_missing", "branch_missing"]),
    ],
)
def test_threads_read_completely(tables: dict[str, Rows], name: str, attached: list[str]) -> None:
    assert thread(tables, name) == list(enumerate(attached))


@pytest.mark.parametrize("name", ["e01_tribes1.jsonl", "e03_preepoch_group.jsonl"])
def test_a_group_before_epochs_has_one(tables: dict[str, Rows], name: str) -> None:
    first = json.loads((REPORTED / name).read_text().splitlines()[1])["value"]["content"]
    group = any_id(first["recps"][0])
    epochs = [row for row in tables["dim_epochs"] if row["group_id"] == group]
    assert [row["epoch_id"] for row in epochs] == keys_of(name)[:1]
    groups = [row for row in tables["dim_groups"] if row["group_id"] == group]
    assert [row["protocol"] for row in groups] == ["before_epochs"]
    members = [row for row in tables["fct_epoch_members"] if row["group_id"] == group]
    assert len(members) == 2
    assert all(row["is_declared"] for row in members)
    assert [row["is_excluded"] for row in members].count(True) == 1
    timeline = [
        row
        for row in tables["fct_tangle_messages"]
        if row["tangle_id"] == f"group:{epochs[0]['epoch_id']}"
    ]
    assert {row["status"] for row in timeline} == {"in"}
    assert len(timeline) == len(keys_of(name))


def test_a_group_that_ssb_tribes_made_and_nobody_was_added_to(tables: dict[str, Rows]) -> None:
    """Its messages were not for it: no message says which group its first one begins."""
    first, root, *others = [json.loads(line) for line in TRIBE.read_text().splitlines()]
    assert first["value"]["content"]["type"] == "post"
    [recipient] = {one["value"]["content"]["recps"][0] for one in others}
    root_id = message_uri(root["key"])
    [group] = [row for row in tables["dim_groups"] if row["root_id"] == root_id]
    assert (group["group_id"], group["protocol"]) == (any_id(recipient), "before_epochs")
    timeline = {
        row["message_id"]: row["status"]
        for row in tables["fct_tangle_messages"]
        if row["tangle_id"] in (f"group:{root_id}", f"poBox:{root_id}")
    }
    assert timeline == {message_uri(one["key"]): "in" for one in (root, *others)}


def test_a_group_that_ssb_tribes2_made(tables: dict[str, Rows]) -> None:
    """The npm package: alice added bob and carol, and excluded carol (fixtures/packages/write_groups.js)."""
    made = json.loads((TRIBES2 / "group.json").read_text())
    root, people = message_uri(made["root"]), made["roots"]

    def of_group(table: str) -> Rows:
        return [row for row in tables[table] if row["group_id"] == made["id"]]

    [group] = of_group("dim_groups")
    assert (group["protocol"], group["root_id"], group["epoch_count"]) == ("epochs", root, 2)
    [later] = {row["epoch_id"] for row in of_group("dim_epochs")} - {root}
    assert group["preferred_epoch_id"] == later
    correct = {
        row["person_id"]
        for row in of_group("fct_epoch_members")
        if row["epoch_id"] == later and row["is_correct"]
    }
    assert correct == {people["alice"], people["bob"]}
    assert {row["excluded_id"] for row in of_group("fct_exclusions")} == {people["carol"]}
    preferred = {row["person_id"]: row["epoch_id"] for row in of_group("fct_preferred_epochs")}
    assert (preferred[people["alice"]], preferred[people["bob"]]) == (later, later)


def test_pzp_keeps_the_ciphertext_beside_the_message(
    tables: dict[str, Rows], unrelated_logs: Unrelated
) -> None:
    of_logs = {"-f01_": (tables, {"alice", "bob"}), "-f02_": (unrelated_logs.tables, {"carol"})}
    for name, (found, items) in of_logs.items():
        rows = [row for row in found["stg_pzp__landed_lines"] if name in row["source_file"]]
        assert rows
        assert {row["validity"] for row in rows} == {"valid"}
        assert items <= {row["item"] for row in found["fct_set_items"]}


def test_an_older_name_of_the_epoch_key_changes_no_line() -> None:
    """ssb-tribes2 1.0.0 writes groupKey where later versions write secret."""
    renamed = 0
    for log in sorted((PROJECT / "sample").iterdir()):
        for text in plain(log).split(b"\n"):
            line, older = (
                Line(1, words, None) for words in (text, text.replace(b'"secret":', b'"groupKey":'))
            )
            assert len({land_line(log.name, one, RING) for one in (line, older)}) == 1
            assert epoch_key(line) == epoch_key(older)
            renamed += epoch_key(line) is not None and line != older
    assert renamed > 20


def plain(log: Path) -> bytes:
    data = log.read_bytes()
    return gzip.decompress(data) if log.suffix == ".gz" else data
