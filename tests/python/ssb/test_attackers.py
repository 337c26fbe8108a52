"""Logs of a stranger, a former member and a member, line by line: what is valid in whose name.

`test_hostile_logs.py` looks at what a stranger's log changes in the tables.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from attackers import FORMER, MEMBER, PEOPLE, STRANGER, Scene, attack
from scuttlehouse.files.parts import Line
from scuttlehouse.landing.glued_lines import land_lines, land_pzp_lines
from scuttlehouse.pzp.lines import LandedPzpLine
from scuttlehouse.sample.lines import json_line
from scuttlehouse.sample.signing import ClassicFeed
from scuttlehouse.ssb.bendybutt import root_metafeed
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.lines import LandedLine

RING = KeyRing(b"pepper")


def lines_of(texts: Iterable[bytes]) -> list[Line]:
    return [Line(n, text.rstrip(b"\n"), None) for n, text in enumerate(texts, 1)]


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> list[Line]:
    """The logs of others."""
    paths = Scene().write(tmp_path_factory.mktemp("known"))
    return [line for path in paths for line in lines_of(Path(path).read_bytes().splitlines())]


def messages(lines: list[Line]) -> list[LandedLine]:
    found = [row for line in lines for row in land_lines("a", line, RING)]
    return [row for row in found if row.reject_reason is None]


def messages_of_pzp(lines: list[Line]) -> list[LandedPzpLine]:
    found = [row for line in lines for row in land_pzp_lines("a", line, RING)]
    return [row for row in found if row.reject_reason is None]


@cache
def attacked(attacker: str) -> tuple[list[Line], frozenset[str]]:
    texts, ids = attack(attacker)
    return lines_of(texts), frozenset(ids)


@pytest.mark.parametrize("attacker", PEOPLE)
def test_what_is_valid_in_the_name_of_others_is_what_they_said(
    attacker: str, known: list[Line]
) -> None:
    """Only what no signature covers, the plaintext, may differ; and then its hash shows it."""
    lines, ids = attacked(attacker)
    said = {row.message_id: row for row in messages(known) if row.validity != "invalid"}
    others = {row.feed_id for row in messages(known)} - ids
    plaintexts = {(row.message_id, row.plaintext_hash) for row in messages(known)}
    forged = differing = 0
    for row in messages(lines):
        if row.validity == "valid" and row.message_id in said:
            assert row.feed_id == said[row.message_id].feed_id
        if row.feed_id not in others:
            continue
        if row.validity != "valid":
            forged += 1
            continue
        original = said[row.message_id]
        assert (row.feed_id, row.sequence, row.previous_id) == (
            original.feed_id,
            original.sequence,
            original.previous_id,
        )
        if row.is_decrypted:
            differing += (row.message_id, row.plaintext_hash) not in plaintexts
        elif not original.is_decrypted:
            assert row.content == original.content
    assert forged > 100
    assert differing > 10


@pytest.mark.parametrize("attacker", PEOPLE)
def test_no_feed_of_others_changes_its_person(attacker: str, known: list[Line]) -> None:
    """An announcement counts only if both feeds have signed it, and only a seed proves whose a log is."""
    lines, ids = attacked(attacker)
    announced = {row.message_id for row in messages(known) if row.is_announcement_signed}
    others = {row.feed_id for row in messages(known)} - ids
    unsigned = 0
    for row in messages(lines):
        if row.is_announcement_signed and row.validity != "invalid":
            content = json.loads(row.content or "{}")
            tied = {row.feed_id, content["metafeed"], content["subfeed"]}
            assert tied.isdisjoint(others) or row.message_id in announced
        unsigned += row.is_announcement_signed is False
    assert unsigned > 5
    owners = {row.owner_id for row in messages(lines) if row.owner_id}
    assert owners <= (ids if attacker != STRANGER else owners - others)


def test_a_seed_that_anybody_can_read_proves_no_owner() -> None:
    """It is in the logs of all who replicate the feed, and each of them would have another owner."""
    seed = bytes([66] * 32)
    content = {"type": "metafeed/seed", "metafeed": root_metafeed(seed), "seed": seed.hex()}
    sealed = "AAAA.box2"
    public = ClassicFeed(bytes(32)).publish(content, 1)
    private = ClassicFeed(bytes(32)).publish(content, 1, ciphertext=sealed)
    invalid = {**private.value, "sequence": 0.5}
    opened = {"meta": {"private": True, "originalContent": sealed}}
    lines = [
        {"key": public.key, "value": public.value},
        {"key": private.key, "value": {**private.value, "content": content}, **opened},
        {"key": private.key, "value": {**invalid, "content": content}, **opened},
    ]
    rows = messages(lines_of([json_line(line) for line in lines]))
    assert [row.owner_id for row in rows] == [None, root_metafeed(seed), None]


@pytest.mark.parametrize("attacker", PEOPLE)
def test_messages_of_pzp_are_of_devices_that_signed_them(attacker: str, known: list[Line]) -> None:
    lines, _ = attacked(attacker)
    said = {row.message_id for row in messages_of_pzp(known) if row.validity == "valid"}
    devices = {row.device_key for row in messages_of_pzp(known)}
    found = messages_of_pzp(lines)
    assert len({row.invalid_reason for row in found}) > 2
    for row in found:
        if row.validity == "valid" and row.device_key in devices:
            assert row.message_id in said
    assert any(row.validity == "valid" and row.device_key not in devices for row in found)


def test_members_act_with_their_keys() -> None:
    """So that the tests above do not pass because nobody did anything."""
    for attacker in (FORMER, MEMBER):
        lines, ids = attacked(attacker)
        kinds = {
            row.content_type for row in messages(lines) if row.feed_id in ids and row.is_decrypted
        }
        assert {"group/init", "group/add-member", "group/exclude-member", "post"} <= kinds
