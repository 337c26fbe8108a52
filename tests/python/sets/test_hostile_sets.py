"""Sets in a real build beside the logs of strangers, with names of sets and items of every kind."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from conftest import FIXTURES, Rows, Unrelated
from scuttlehouse.files import jsjson
from scuttlehouse.pzp.canonical import canonical
from scuttlehouse.pzp.rules import ANYBODY, SELF, SIGNATURE_TAG
from scuttlehouse.sample.devices import ACCOUNT_DOMAIN, Account, Device, Log
from scuttlehouse.sample.sets import Set
from scuttlehouse.sample.world import World

Json = dict[str, Any]

OPENED = FIXTURES / "reported" / "f02_pzp_decrypted_set.jsonl"
KEY = "hgtpIhsCCdlAxzCLgjPdj9CwGcFzpnKA9f6_T9WWGhw="
CIPHERTEXT: Any = "bm9ib2R5IG9wZW5zIGl0.box2"
CHAPTER = f"ssb:message/classic/{KEY}#chapter"
NAMES = [
    *["follows", "blockedAccounts", "hashtagSubscriptions", "followed_hashtags_of_my_main_device"],
    *["000102030405060708090a0b0c0d0e0f", "followed_hashtags_of_my_main_device_and_of_all_others"],
]
SPELLINGS = [
    *["@hgtpIhsCCdlAxzCLgjPdj9CwGcFzpnKA9f6/T9WWGhw=.ed25519", f"ssb:feed/classic/{KEY}"],
    *["%hgtpIhsCCdlAxzCLgjPdj9CwGcFzpnKA9f6/T9WWGhw=.sha256", f"ssb:message/classic/{KEY}"],
    f"ssb:message:classic:{KEY}",
]


class Written:
    """Two devices of one account write sets, and a stranger signs each of their messages again."""

    def __init__(self) -> None:
        world = World(7, "small")
        log = Log(world)
        first, second, stranger = (Device(bytes([number] * 32)) for number in (71, 72, 73))
        self.devices = {first.key, second.key}
        account = Account(log, first, bytes(8))
        self.account_id = account.id
        account.add(second)
        self.ids = []
        for name in NAMES:
            one = Set(account, name)
            self.ids.append(one.id)
            one.add(second, "carol")
            one.sync()
            one.write(first, {"add": SPELLINGS, "del": [], "supersedes": []})
            one.sync()
            one.write(second, {"add": [f"{CHAPTER}1", f"{CHAPTER}2"], "del": [], "supersedes": []})
            one.sync()
            one.write(first, {"add": [], "del": [f"{CHAPTER}1"], "supersedes": []})
            one.sync()
        closed = Set(account, "closed")
        self.unopened = first.message(
            CIPHERTEXT,
            account.id,
            closed.domain,
            tangle_id=closed.id,
            depth=1,
            previous=[closed.id],
        )
        self.after = first.message(
            {"add": ["bob", "eve", "bob"], "del": ["eve", "zoe", "eve"], "supersedes": []},
            *(account.id, closed.domain),
            tangle_id=closed.id,
            depth=2,
            previous=[self.unopened.id],
        )
        outside = first.message(self.after.data, account.id, "set_v1__outside")
        letters = Set(account, "letters")
        self.letter = first.message(
            CIPHERTEXT,
            *(account.id, letters.domain),
            tangle_id=letters.id,
            depth=1,
            previous=[letters.id],
        )
        for message in (self.unopened, self.after, outside, self.letter):
            log.take(message)
        self.of_removed = self._remove(log, account, first)
        self.of_anybody = self._write_for_anybody(log, first, stranger)
        self.lines = [json.loads(line) for line in log.lines()]
        self.forged = [signed_again(line, stranger) for line in self.lines]

    def _write_for_anybody(self, log: Log, first: Device, stranger: Device) -> str:
        """A set whose account is `any`: the reference takes what any key signs (validateSigkeyAndAccount)."""
        domain = "set_v1__wishes"
        last = first.message(None, ANYBODY, domain)
        set_id = last.id
        log.take(last)
        for device, item in [(first, "cake"), (stranger, "tea")]:
            last = device.message(
                {"add": [item], "del": [], "supersedes": []},
                *(ANYBODY, domain),
                tangle_id=set_id,
                depth=last.depth + 1,
                previous=[last.id],
            )
            log.take(last)
        return set_id

    def _remove(self, log: Log, account: Account, first: Device) -> dict[str, str | None]:
        """A device that the account removes, and its messages by what the log should say of them."""
        third = Device(bytes([74] * 32))
        before = account.tip.id
        account.add(third)
        added = account.tip
        key = {"purpose": "sig", "algorithm": "ed25519", "bytes": third.key}
        removal = first.message(
            {"action": "del", "key": key},
            SELF,
            ACCOUNT_DOMAIN,
            tangle_id=account.id,
            depth=added.depth + 1,
            previous=[added.id],
        )
        log.take(removal)
        shared = Set(account, "shared")
        found: dict[str, str | None] = {}
        for tips, reason in [
            ([before], "no_device_of_the_account"),
            ([added.id], None),
            ([removal.id], "no_device_of_the_account"),
            ([removal.id, "lost"], None),
        ]:
            message = third.message(
                {"add": ["frank"], "del": [], "supersedes": []},
                *(account.id, shared.domain),
                account_tips=tips,
                tangle_id=shared.id,
                depth=1,
                previous=[shared.id],
            )
            log.take(message)
            found[message.id] = reason
        return found


def signed_again(line: Json, device: Device) -> Json:
    """The same message with another signature, on a longer line. Its id does not change."""
    metadata = jsjson.parse(json.dumps(line["msg"]["metadata"]))
    signature = device.sign(SIGNATURE_TAG + canonical(metadata))
    message = line["msg"] | {"sigkey": device.key, "sig": signature}
    return line | {"msg": message, "more": "x" * 1000}


def write_hostile_logs(folder: Path) -> list[Path]:
    """The logs of the account and of the stranger, and two more for the reported set with opened data."""
    written = Written()
    opened = [json.loads(line) for line in OPENED.read_text().splitlines()]
    logs = {
        "a_forged": [*written.forged, *map(of_mallory, opened)],
        "a_friend": [line | {"more": "another log"} for line in opened],
        "a_msgs": [written.letter.body | {"data": {"add": ["dora"], "del": [], "supersedes": []}}],
        "devices": written.lines,
    }
    paths = []
    for name, lines in logs.items():
        paths.append(folder / f"{name}.jsonl")
        paths[-1].write_text("".join(json.dumps(line) + "\n" for line in lines))
    return paths


def of_mallory(line: Json) -> Json:
    """The line with another plaintext, if somebody has opened it."""
    if "misc" not in line:
        return line
    return line | {"msg": line["msg"] | {"data": {"add": ["mallory"], "del": [], "supersedes": []}}}


@pytest.fixture(scope="module")
def tables(last_logs: Unrelated) -> dict[str, Rows]:
    return last_logs.tables


@pytest.fixture(scope="module")
def written() -> Written:
    return Written()


def test_every_set_is_there_whatever_its_name(tables: dict[str, Rows], written: Written) -> None:
    sets = {row["set_id"]: row for row in tables["dim_sets"]}
    domains = [sets[one]["domain"] for one in written.ids]
    assert domains[:4] == [f"set_v1__{name}" for name in NAMES[:4]]
    assert [domain.rpartition("-")[0] for domain in domains[4:]] == [
        "set_v1__token-32",
        "set_v1__token-53",
    ]
    assert [sets[one]["message_count"] for one in written.ids] == [5] * len(NAMES)


def test_different_texts_are_different_items(tables: dict[str, Rows], written: Written) -> None:
    items = defaultdict(list)
    for row in sorted(tables["fct_set_items"], key=lambda row: int(row["position"])):
        items[row["set_id"]].append(row["item"])
    for one in written.ids:
        *readable, chapter = items[one]
        assert readable == ["carol", *SPELLINGS]
        assert chapter.startswith(f"token-{len(CHAPTER) + 1}-")


def test_a_stranger_who_signs_again_changes_nothing(
    tables: dict[str, Rows], written: Written
) -> None:
    rows = [row for row in tables["fct_set_messages"] if row["set_id"] in written.ids]
    assert {row["status"] for row in rows} == {"in"}
    assert {row["device_key"] for row in rows} == written.devices
    freed = {
        row["freed_bytes"] for row in tables["fct_set_prunings"] if row["set_id"] in written.ids
    }
    assert all(size < 1000 for size in freed)


def test_what_nobody_has_opened_is_not_pruned(tables: dict[str, Rows], written: Written) -> None:
    [row] = [r for r in tables["fct_set_messages"] if r["message_id"] == written.unopened.id]
    assert (row["status"], row["set_fault"]) == ("in", "not_opened")
    assert (row["is_prunable"], row["kept_because"]) == (False, "unknown")


def test_a_plaintext_counts_if_another_log_holds_the_ciphertext(
    tables: dict[str, Rows], written: Written
) -> None:
    """`msgs()` of pzp gives the message alone, opened, and its `db/log` has it encrypted (R2)."""
    [row] = [row for row in tables["fct_set_messages"] if row["message_id"] == written.letter.id]
    items = [one["item"] for one in tables["fct_set_items"] if one["set_id"] == row["set_id"]]
    assert (items, row["set_fault"]) == (["dora"], None)
    assert row["device_key"] in written.devices
    rejected = {row["source_file"].partition("-")[2] for row in tables["fct_rejected_lines"]}
    assert "a_msgs.jsonl" not in rejected
    assert "devices.jsonl" in rejected


def test_an_item_counts_once_however_often_a_message_names_it(
    tables: dict[str, Rows], written: Written
) -> None:
    changes = [r for r in tables["fct_set_changes"] if r["message_id"] == written.after.id]
    assert sorted((row["item"], row["change"]) for row in changes) == [
        *[("bob", "add"), ("eve", "add"), ("eve", "delete"), ("zoe", "delete")]
    ]
    counted = Counter((row["message_id"], row["change"]) for row in tables["fct_set_changes"])
    for row in tables["fct_set_messages"]:
        one = row["message_id"]
        assert (row["added_count"] or 0) == counted[one, "add"]
        assert (row["deleted_count"] or 0) == counted[one, "delete"]


def test_a_device_counts_at_the_tips_that_its_message_names(
    tables: dict[str, Rows], written: Written
) -> None:
    """Between its addition and its removal, and wherever nobody can tell."""
    reasons = {row["message_id"]: row["status_reason"] for row in tables["fct_set_messages"]}
    assert {one: reasons[one] for one in written.of_removed} == written.of_removed


def test_anybody_may_write_a_set_of_any_account(tables: dict[str, Rows], written: Written) -> None:
    [row] = [row for row in tables["dim_sets"] if row["set_id"] == written.of_anybody]
    counts = [row[name] for name in ("message_count", "rejected_count", "set_aside_count")]
    assert (row["account_id"], counts) == ("any", [3, 0, 0])
    items = [r["item"] for r in tables["fct_set_items"] if r["set_id"] == written.of_anybody]
    assert sorted(items) == ["cake", "tea"]


def test_a_message_of_a_set_outside_its_feed_is_a_reject(tables: dict[str, Rows]) -> None:
    assert {
        row["reason"]
        for row in tables["fct_rejected_lines"]
        if row["source_file"].endswith("devices.jsonl")
    } == {"not_in_its_feed"}


def test_the_plaintext_in_more_logs_counts(tables: dict[str, Rows]) -> None:
    """R36: a_forged sorts first, and is outvoted."""
    [opened] = [json.loads(line) for line in OPENED.read_text().splitlines() if "misc" in line]
    [row] = [row for row in tables["fct_set_messages"] if row["message_id"] == opened["id"]]
    items = [one["item"] for one in tables["fct_set_items"] if one["set_id"] == row["set_id"]]
    assert items == ["carol"]
    assert row["set_fault"] is None
    files = row["differing_source_files"].split(", ")
    assert [name.partition("-")[2] for name in files] == ["a_forged.jsonl", "a_friend.jsonl"]
