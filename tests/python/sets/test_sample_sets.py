"""The log of devices in the sample, read by the package, and compared with the summary.

Plain rules decide here which messages count, so the summary can be wrong.
"""

from __future__ import annotations

import json
import tarfile
from collections import defaultdict
from typing import Any, NamedTuple

import pytest
from nacl.signing import VerifyKey

from conftest import FIXTURES, PROJECT
from scuttlehouse.files.parts import Line
from scuttlehouse.pzp.canonical import from_base58, id_key, utf16_units
from scuttlehouse.pzp.lines import LandedPzpLine, land_pzp_line
from scuttlehouse.pzp.rules import moot_id
from scuttlehouse.sample.summary import SetSummary, Summary
from scuttlehouse.sample.write import Sample
from scuttlehouse.sets.items import (
    SetMessage,
    item_roots,
    lost_by_reference,
    superseded_by,
    tips,
)
from scuttlehouse.sets.pruning import verdicts
from scuttlehouse.ssb.epoch_keys import KeyRing
from test_sets import names

RING = KeyRing(b"pepper")
FILE = "devices.jsonl"
LIPMAA_DEPTHS = [0, 1, 0, 3, 4, 5, 3, 7, 8, 9, 7, 3, 12, 13]
"""Where messages of depth 1, 2, ... link to, as the reference does."""

ODDITIES = {
    "erased": True,
    "no_lists": True,
    "previous_missing": False,
    "unknown_device": False,
    "wrong_depth": False,
    "wrong_id": False,
    "id_is_no_text": False,
}
"""What may be odd about a line, and whether its message counts in its set."""


class Log(NamedTuple):
    text: bytes
    rows: list[LandedPzpLine]
    others: dict[str, bytes]
    summary: Summary

    def sets(self) -> list[tuple[SetSummary, dict[str, SetMessage]]]:
        """Every set with all messages in its tangle."""
        return [
            (one, {r.message_id: m for r in self.rows if (m := message(r, one)) and r.message_id})
            for one in self.summary.sets
        ]

    def set(self, number: int) -> tuple[SetSummary, list[SetMessage]]:
        """A set with the messages that count by the summary."""
        one, messages = self.sets()[number]
        return one, [messages[message_id] for message_id in one.accepted]

    def oddities(self) -> dict[str | None, str]:
        return {odd.message_id: odd.oddity for odd in self.summary.odd_set_lines}


def message(row: LandedPzpLine, one: SetSummary) -> SetMessage | None:
    """The message of a row in a set. None if it is in no set or in another one."""
    if row.tangle_id != one.set_id or row.message_id is None or row.depth is None:
        return None
    lists = row.added_items, row.deleted_items, row.superseded_ids
    return SetMessage(row.message_id, row.depth, row.previous_ids or [], *lists)


def make(seed: int) -> Log:
    sample = Sample(seed)
    files: dict[str, bytes] = defaultdict(bytes)
    for name, line in sample.lines():
        files[name] += line
    text = files.pop(FILE)
    assert text.endswith(b"\n")
    rows = []
    for number, line in enumerate(text.split(b"\n")[:-1], 1):
        row = land_pzp_line(FILE, Line(number, line, None), RING)
        assert row is not None
        rows.append(row)
    return Log(text, rows, dict(files), sample.summary)


@pytest.fixture(scope="module", params=[1, 2, 77])
def log(request: pytest.FixtureRequest) -> Log:
    return make(request.param)


@pytest.fixture(scope="module")
def shipped() -> Log:
    return make(1)


# The file


def test_the_shipped_log_is_what_seed_1_makes(shipped: Log) -> None:
    assert (PROJECT / "sample" / FILE).read_bytes() == shipped.text
    assert make(1).text == shipped.text
    assert shipped.summary.files[FILE] == len(shipped.rows) == shipped.text.count(b"\n")
    assert make(2).text != shipped.text


def test_lines_are_as_pzp_writes_them(log: Log) -> None:
    received = 0
    for text in log.text.splitlines():
        line = json.loads(text)
        assert list(line) == ["id", "msg", "received"]
        assert list(line["msg"]) == ["data", "metadata", "sigkey", "sig"]
        metadata = ["dataHash", "dataSize", "account", "accountTips", "tangles", "domain", "v"]
        assert list(line["msg"]["metadata"]) == metadata
        assert line["received"] > received
        received = line["received"]


# Lines


def test_every_line_is_judged_as_the_summary_says(log: Log) -> None:
    odd = {one.line_number: one for one in log.summary.odd_set_lines}
    assert sorted(one.oddity for one in odd.values()) == sorted(ODDITIES)
    for row in log.rows:
        odd_line = odd.get(row.line_number)
        oddity = odd_line.oddity if odd_line else None
        assert row.message_id == (odd_line.message_id if odd_line else row.message_id)
        if oddity == "id_is_no_text":
            assert row[2:-2] == ("not_a_message", *[None] * (len(row) - 5))
            continue
        wrong = "id_differs" if oddity == "wrong_id" else None
        assert (row.reject_reason, row.invalid_reason) == (None, wrong), row
        assert row.validity == ("invalid" if wrong else "valid")
        assert row.is_erased == (oddity == "erased")
        assert row.set_fault == ("no_lists" if oddity == "no_lists" else None)
        has_lists = not (row.is_moot or row.is_account_message or oddity in ("erased", "no_lists"))
        assert (row.superseded_ids is not None) == has_lists
        assert row.device_key is not None


def test_accounts_and_devices(log: Log) -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for row in log.rows:
        if row.is_account_message:
            assert row.account_id is not None
            assert row.added_key is not None
            assert row.depth == len(found[row.account_id])
            assert row.device_key == [*found[row.account_id], row.added_key][0]
            found[row.account_id].append(row.added_key)
    assert found == log.summary.accounts
    assert [len(keys) for keys in found.values()] == [2, 1]


def reference_log() -> list[Any]:
    """Lines from the reference."""
    with tarfile.open(FIXTURES / "sets.tar.xz") as archive:
        file = archive.extractfile("sets/protospec.json")
        assert file is not None
        return list(json.load(file)["logs"]["A1"])


def test_the_second_device_consents_as_with_the_reference(log: Log) -> None:
    for lines in ([json.loads(line) for line in log.text.splitlines()], reference_log()):
        (message,) = (one["msg"] for one in lines if "consent" in (one["msg"]["data"] or {}))
        data, (account,) = message["data"], message["metadata"]["tangles"]
        assert list(data) == ["action", "key", "consent", "powers"]
        assert data["powers"] == ["add"]
        key, id_bytes = (from_base58(text, 32) for text in (data["key"]["bytes"], account))
        consent = from_base58(data["consent"], 64)
        assert key is not None
        assert id_bytes is not None
        signed = b":account-add:" + b",".join(b"%d" % byte for byte in id_bytes)
        assert VerifyKey(key).verify(signed, consent) == signed


def counting(rows: list[LandedPzpLine], one: SetSummary, keys: list[str]) -> list[str]:
    """The slow plain oracle for the messages of a set: rules of the reference, in the order of the log."""
    depths: dict[str, int] = {}
    for row in rows:
        if row.tangle_id != one.set_id or row.validity != "valid" or row.device_key not in keys:
            continue
        known = [depths[p] for p in row.previous_ids or () if p in depths]
        assert row.depth is not None
        is_whole = len(known) == len(row.previous_ids or ())
        if not row.is_moot and (
            not known or max(known) >= row.depth or (is_whole and max(known) != row.depth - 1)
        ):
            continue
        assert row.message_id is not None
        depths[row.message_id] = row.depth
    return list(depths)


def test_the_messages_that_count(log: Log) -> None:
    oddities = log.oddities()
    for one, messages in log.sets():
        assert counting(log.rows, one, log.summary.accounts[one.account_id]) == one.accepted
        assert one.set_id == moot_id(one.account_id, one.domain) == one.accepted[0]
        others = {oddities[message_id] for message_id in set(messages) - set(one.accepted)}
        assert not any(ODDITIES[oddity] for oddity in others)
    assert {row.tangle_id for row in log.rows if not row.is_account_message} == {
        None,
        *(one.set_id for one in log.summary.sets),
    }


def test_unusual_messages_are_unusual_in_one_way(log: Log) -> None:
    """Every message that does not count breaks the rule of its name, and would count without that."""
    messages = {m: found for _, all_of_it in log.sets() for m, found in all_of_it.items()}
    rows = {row.message_id: row for row in log.rows}
    known = {message_id for one in log.summary.sets for message_id in one.accepted}
    found = set()
    for message_id, oddity in log.oddities().items():
        if message_id is None or ODDITIES[oddity]:
            continue
        one = messages[message_id]
        is_unknown = (
            rows[message_id].device_key
            not in log.summary.accounts[str(rows[message_id].account_id)]
        )
        steps = {one.depth - messages[p].depth for p in one.previous_ids if p in known}
        found.add((oddity, is_unknown, min(steps, default=None), not steps.isdisjoint({1})))
        assert steps or known.isdisjoint(one.previous_ids)
    assert found == {
        ("previous_missing", False, None, False),
        ("unknown_device", True, 1, True),
        ("wrong_depth", False, 2, False),
        ("wrong_id", False, 1, True),
    }


def test_the_missing_messages(log: Log) -> None:
    """Everything that the log lists is in it, except what the summary names."""
    for one, messages in log.sets():
        listed = {p for m in messages.values() for p in m.previous_ids}
        listed |= {s for m in messages.values() for s in m.superseded_ids or ()}
        assert sorted(listed - set(messages)) == one.missing
    assert [len(one.missing) for one in log.summary.sets] == [0, 1, 0]


# Sets


def test_sets_hold_the_items_that_the_summary_says(log: Log) -> None:
    for number, one in enumerate(log.summary.sets):
        _, messages = log.set(number)
        assert names(messages) == one.items
        assert lost_by_reference(messages) == one.lost_by_reference


def test_a_message_that_does_not_count_would_change_its_set(log: Log) -> None:
    wrong = 0
    for number, (one, messages) in enumerate(log.sets()):
        for message_id in set(messages) - set(one.accepted):
            assert names([*log.set(number)[1], messages[message_id]]) != one.items
            wrong += 1
    assert wrong == 4


def test_items_are_feeds_of_the_sample(log: Log) -> None:
    everywhere = b"".join(text for name, text in log.others.items() if name.endswith(".jsonl"))
    for row in log.rows:
        for item in (*(row.added_items or ()), *(row.deleted_items or ())):
            assert f'"author":"{item}"'.encode() in everywhere


def test_links_are_tips_and_the_lipmaa_depth(log: Log) -> None:
    for number in range(len(log.summary.sets)):
        for one in log.set(number)[1][1:]:
            past = causes(log, number, one)
            wanted = {m.message_id for m in tips(past)}
            wanted |= {m.message_id for m in past if m.depth == LIPMAA_DEPTHS[one.depth - 1]}
            assert one.previous_ids == sorted(wanted, key=utf16_units)


def causes(log: Log, number: int, one: SetMessage) -> list[SetMessage]:
    """The messages that a message's author knew: those it lists, those they list, and so on."""
    messages = {m.message_id: m for m in log.set(number)[1]}
    found: dict[str, SetMessage] = {}
    waiting = list(one.previous_ids)
    while waiting:
        message_id = waiting.pop()
        if message_id not in found:
            found[message_id] = messages[message_id]
            waiting += messages[message_id].previous_ids
    return list(found.values())


def test_messages_supersede_what_the_specification_says(log: Log) -> None:
    """The messages with the greatest depth about an item, and for additions all deletions."""
    (erased,) = (one for one, oddity in log.oddities().items() if oddity == "erased")
    squeezes = 0
    for number in range(len(log.summary.sets)):
        for one in log.set(number)[1]:
            if one.superseded_ids is None or one.added is None or one.deleted is None:
                continue
            past = causes(log, number, one)
            if len(one.added) > 1:
                squeezes += 1
                assert one.added == names(past)
                assert set(one.superseded_ids) == {m.message_id for m in item_roots(past)}
                continue
            (item,) = one.added + one.deleted
            last: dict[str, list[SetMessage]] = defaultdict(list)
            for m in sorted(past, key=lambda m: m.depth):
                for name in (m.added or []) + (m.deleted or []):
                    last[name] = [o for o in last[name] if o.depth == m.depth] + [m]
            wanted = {m.message_id for m in last[item]}
            if one.added:
                ends = ((name, m) for name, found in last.items() for m in found)
                wanted |= {m.message_id for name, m in ends if name in (m.deleted or ())}
            # The content of an erased message is no longer known.
            assert wanted == set(one.superseded_ids) - {erased}
    assert squeezes == 1


def test_two_devices_fork_and_merge(log: Log) -> None:
    one, messages = log.set(0)
    assert max(m.depth for m in messages) == 14
    assert len(messages) == 16
    depths = defaultdict(list)
    for m in messages:
        depths[m.depth].append(m)
    ((left, right),) = (found for found in depths.values() if len(found) > 1)
    devices = {row.message_id: row.device_key for row in log.rows}
    keys = log.summary.accounts[one.account_id]
    assert [devices[m.message_id] for m in (left, right)] == keys
    assert left.added
    assert right.added
    assert left.deleted == right.deleted == []
    first, second = sorted((left, right), key=lambda m: id_key(m.message_id))
    assert one.items[:2] == [*(first.added or ()), *(second.added or ())]
    (merge,) = (m for m in messages if left.message_id in m.previous_ids)
    assert right in causes(log, 0, merge)
    assert right.message_id not in merge.previous_ids
    assert merge.depth == 8
    assert len(tips(messages)) == 1


def test_the_reference_loses_what_is_squeezed(log: Log) -> None:
    """After the squeeze one of its items is deleted: it is superseded, and still the only source."""
    one, messages = log.set(0)
    (squeeze,) = (m for m in messages if len(m.added or ()) > 1)
    deletion = superseded_by(messages)[squeeze.message_id]
    (deleting,) = (m for m in messages if m.message_id == deletion)
    assert deleting.deleted
    assert set(deleting.deleted) < set(squeeze.added or ())
    assert set(squeeze.added or ()) - set(deleting.deleted) == set(one.lost_by_reference)
    because = {v.message_id: v.kept_because for v in verdicts(messages)}
    assert because[squeeze.message_id] == "source"
    prunable = {v.message_id for v in verdicts(messages) if v.is_prunable}
    assert len(prunable) > 5
    assert names([m for m in messages if m.message_id not in prunable]) == one.items


def test_nobody_needs_erased_data(log: Log) -> None:
    """It added an item that was later deleted and added again."""
    (erased,) = (row for row in log.rows if row.is_erased)
    assert erased.data_bytes is not None
    assert erased.data_bytes > 40
    _, messages = log.set(0)
    (deleting,) = (m for m in messages if erased.message_id in (m.superseded_ids or ()))
    (item,) = deleting.deleted or ()
    (again,) = (m for m in messages if m.added == [item])
    assert again.depth > deleting.depth
    whole = SetMessage(str(erased.message_id), erased.depth or 0, [], [item], [], [])
    assert names([*(m for m in messages if m.message_id != erased.message_id), whole]) == names(
        messages
    )


def test_sets_of_two_accounts(log: Log) -> None:
    domains = [(one.account_id, one.domain) for one in log.summary.sets]
    alice, bob = log.summary.accounts
    assert domains == [
        (alice, "set_v1__follows"),
        (alice, "set_v1__blocks"),
        (bob, "set_v1__follows"),
    ]
    assert all(len(one.items) >= 3 for one in log.summary.sets)
