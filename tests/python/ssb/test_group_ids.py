"""The id of a group follows from its first message, in the logs of the software that made it."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from scuttlehouse.files.parts import Line
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.group_ids import made_group_id
from scuttlehouse.ssb.lines import LandedLine, land_line

KEY = "%Y7hJ0pm4Ay2AyWqzvUqJOrOSbDhMVF2BPjnJyZbgLhs=.sha256"


@pytest.fixture(scope="module")
def lines(tribes2: Path) -> list[bytes]:
    logs = sorted(tribes2.rglob("*.jsonl"))
    return [
        line for log in logs if ".raw" not in log.name for line in log.read_bytes().split(b"\n")
    ]


@pytest.fixture(scope="module")
def rows(lines: list[bytes]) -> list[LandedLine]:
    ring = KeyRing(b"pepper")
    of_groups = [line for line in lines if b'"group/' in line]
    found = [land_line("a", Line(n, line, None), ring) for n, line in enumerate(of_groups)]
    return [row for row in found if row]


def test_the_ids_are_those_that_members_name(rows: list[LandedLine]) -> None:
    named = {}
    for row in rows:
        if row.content_type == "group/add-member":
            content = json.loads(row.content or "")
            named[content["root"]] = content["recps"][0]
    made = {row.message_id: row.made_group_id for row in rows if row.made_group_id}
    assert len(named) == 10
    assert {root: made[root] for root in named} == named


@pytest.fixture(scope="module")
def first(lines: list[bytes]) -> tuple[str, dict[str, Any], str, bytes]:
    """What the id of a group follows from: id, value, ciphertext and key of its first message."""
    entry = next(json.loads(line) for line in lines if b'"group/init"' in line)
    secret = base64.b64decode(entry["value"]["content"]["secret"])
    return entry["key"], entry["value"], entry["meta"]["originalContent"], secret


def test_no_other_message_has_the_id(first: tuple[str, dict[str, Any], str, bytes]) -> None:
    key, value, ciphertext, secret = first
    group = made_group_id(key, value, ciphertext, secret)
    assert group
    assert made_group_id(KEY, value, ciphertext, secret) not in (group, None)
    author = "@Y7hJ0pm4Ay2AyWqzvUqJOrOSbDhMVF2BPjnJyZbgLhs=.ed25519"
    for changes in ({"author": author}, {"author": "nobody"}, {"previous": KEY}):
        assert made_group_id(key, {**value, **changes}, ciphertext, secret) is None, changes
    for other in (None, "", "AAAA.box2", "A" * 200 + ".box2", "B" + ciphertext[1:]):
        assert made_group_id(key, value, other, secret) is None, other
    for wrong in (None, b"", bytes(32), secret[:-1], secret + b"\0"):
        assert made_group_id(key, value, ciphertext, wrong) is None, wrong
