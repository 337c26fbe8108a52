"""The id of a group follows from its first message, in the logs of the software that made it."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from nacl.bindings import crypto_secretbox

from conftest import FIXTURES
from dialects import uri
from rows import row_of
from scuttlehouse.files.parts import Line
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.group_ids import _derived, _id_bytes, made_group_id
from scuttlehouse.ssb.ids import any_id
from scuttlehouse.ssb.lines import LandedLine, land_line

UNBOXED_BY_ANOTHER = base64.b64encode(bytes(range(32))).decode()
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


TRIBE = FIXTURES / "packages" / "tribes" / "alone.jsonl"
TRIBE_ID = "%+k9DKjGU2nNi7MJ+MZS1JRRcO0l4aOb2d7LjwzhadvA=.cloaked"


def test_the_key_that_opened_the_first_message_proves_a_group_of_ssb_tribes() -> None:
    """The message holds no key of the group, and nobody was added: no other message has both ids."""
    entry = json.loads(TRIBE.read_text().splitlines()[1])
    value = entry["value"]
    assert value["content"]["type"] == "group/init"

    def made(**changes: object) -> str | None:
        return row_of({**entry, "value": {**value, **changes}}).made_group_id

    unbox, meta = value["unbox"], value["meta"]
    assert made() == any_id(TRIBE_ID)
    assert made(unbox=base64.b64decode(unbox).hex()) == made()
    assert {made(unbox=nothing) for nothing in ("", None, False, 0)} == {made()}
    del value["unbox"]
    assert made() == any_id(TRIBE_ID)
    for wrong in (unbox[::-1], unbox[:-4], "", True, None, [unbox], UNBOXED_BY_ANOTHER):
        assert made(meta={**meta, "unbox": wrong}) is None, wrong
    assert made(meta={name: part for name, part in meta.items() if name != "unbox"}) is None


@pytest.mark.parametrize("name", ["author", "previous"])
def test_a_ciphertext_that_nobody_has_signed_proves_no_group(name: str) -> None:
    """Anybody can write one that a key of their own opens, under the id of another's first message."""
    entry = json.loads(TRIBE.read_text().splitlines()[1])
    value, key = entry["value"], bytes(range(32))
    places = [b"envelope", *(_id_bytes(value[one]) for one in ("author", "previous"))]
    header = crypto_secretbox(bytes(16), bytes(24), _derived(key, *places, b"header_key"))
    ciphertext = base64.b64encode(header + bytes(99)).decode() + ".box2"
    assert made_group_id(entry["key"], value, ciphertext, None, key)
    forged = {part: value[part] for part in value if part not in ("meta", "cyphertext")}
    forged |= {"cyphertext": ciphertext, "private": True, "unbox": UNBOXED_BY_ANOTHER}
    for written, validity in ((forged, "invalid"), (respelled(forged, name), "not_checked")):
        row = row_of({**entry, "value": written})
        assert (row.content_type, row.validity) == ("group/init", validity)
        assert row.made_group_id is None
    assert row_of({**entry, "value": respelled(value, name)}).made_group_id == any_id(TRIBE_ID)


def respelled(value: dict[str, Any], name: str) -> dict[str, Any]:
    return value | {name: uri(value[name])}


@pytest.mark.parametrize("text", [None, "", "null", r"\N"])
def test_a_text_for_null_as_previous_proves_the_same_group(
    first: tuple[str, dict[str, Any], str, bytes], text: str | None
) -> None:
    key, value, ciphertext, secret = first
    assert value["previous"] is None
    entry = {"key": key, "value": value, "meta": {"private": True, "originalContent": ciphertext}}
    made = row_of({**entry, "value": value | {"previous": text}})
    assert made.validity == "valid"
    assert made.made_group_id == made_group_id(key, value, ciphertext, secret)
