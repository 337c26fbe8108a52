"""What the npm packages of Scuttlebutt write is read right: ssb-keys, ssb-uri2, ssb-tribes2 and others.

The fixtures are what the scripts beside them wrote with the packages of `package-lock.json`. With
SCUTTLEHOUSE_TEST_NPM=1 the packages are installed, and what they write now is read, too.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from conftest import FIXTURES
from pieces import each_line
from scuttlehouse.files import jsjson
from scuttlehouse.files.listing import entry_of
from scuttlehouse.files.parts import Kind, Line, Log
from scuttlehouse.files.recognise import recognise
from scuttlehouse.landing.logs import list_splits, read_lines
from scuttlehouse.ssb.bfe import Bytes, encode
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.ids import any_id, id_bytes, message_uri
from scuttlehouse.ssb.lines import LandedLine, land_line

PACKAGES = FIXTURES / "packages"
RING = KeyRing(b"pepper")
WRITTEN_NOW = pytest.param(
    "now",
    marks=pytest.mark.skipif(
        os.environ.get("SCUTTLEHOUSE_TEST_NPM") != "1", reason="installs npm packages"
    ),
)


@pytest.fixture(scope="module", params=["fixtures", WRITTEN_NOW])
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if request.param == "fixtures":
        return PACKAGES
    folder = tmp_path_factory.mktemp("packages")
    for file in [*PACKAGES.glob("*.js"), *PACKAGES.glob("package*.json")]:
        shutil.copy(file, folder)
    out = folder / "out"
    (out / "tribes2").mkdir(parents=True)
    for command in (
        ("npm", "ci", "--ignore-scripts"),
        ("node", "write_ids.js", "out"),
        ("node", "write_groups.js", "out/tribes2"),
    ):
        subprocess.run(command, cwd=folder, check=True)
    return out


def values(path: Path) -> list[Any]:
    return [jsjson.parse(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_spelling_of_ssb_uri2_is_one_id(written: Path) -> None:
    found = values(written / "ids.jsonl")
    assert len(found) == 88
    for one in found:
        assert len({any_id(text) for text in one["spellings"]}) == 1
        assert id_bytes(one["spellings"][0]) == base64.b64decode(one["data"])
        assert any_id(one["spellings"][0].replace("/", ":")) == any_id(one["spellings"][0])


def as_hex(value: Bytes) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list):
        return [as_hex(item) for item in value]
    if isinstance(value, dict):
        return {name: as_hex(part) for name, part in value.items()}
    return float(value)


def test_values_have_the_bytes_of_ssb_bfe(written: Path) -> None:
    found = values(written / "bfe.jsonl")
    assert len(found) > 100
    for one in found:
        assert as_hex(encode(one["value"])) == one["bytes"], one["value"]


def landed(name: str, line: Line, network: str | None = None) -> LandedLine:
    row = land_line(name, line, RING, base64.b64decode(network) if network else None)
    assert row is not None
    return row


@pytest.mark.parametrize("name", ["signed.jsonl", "boxed.jsonl"])
def test_messages_that_ssb_keys_has_signed_are_valid(written: Path, name: str) -> None:
    found = values(written / name)
    for one in found:
        line = Line(1, jsjson.stringify(one["message"]).encode(), None)
        row = landed(name, line, one["network"])
        assert (row.validity, row.warning) == ("valid", None)
        bare = Line(1, jsjson.stringify(one["message"]["value"]).encode(), None)
        assert landed(name, bare, one["network"]).message_id == row.message_id
        if name == "boxed.jsonl":
            is_opened = isinstance(one["message"]["value"]["content"], dict)
            assert (row.is_private, row.is_decrypted) == (True, is_opened)
        if one["network"]:
            assert landed(name, line).invalid_reason == "signature_is_wrong"


def test_a_key_has_several_feeds_in_buttwoo(written: Path) -> None:
    """They were one feed, forked at every number."""
    found = values(written / "buttwoo.jsonl")
    assert len({one["feed"] for one in found}) == 3
    for one in found:
        row = landed("buttwoo.jsonl", Line(1, jsjson.stringify(one["message"]).encode(), None))
        assert (row.feed_id, row.feed_format) == (any_id(one["feed"]), "buttwoo-v1")
        assert (row.validity, row.sequence) == ("not_checked", one["message"]["value"]["sequence"])


def tribes2(folder: Path, name: str) -> list[LandedLine]:
    path = folder / "tribes2" / name
    log = entry_of(path, name)
    kind = recognise(log)
    assert isinstance(kind, Kind)
    splits = list_splits([Log(log.path, name, log.size_bytes, 0, kind)])
    return [landed(name, line) for split in splits for line in each_line(read_lines(split))]


def test_a_group_of_ssb_tribes2(written: Path) -> None:
    logs = {name: tribes2(written, f"{name}.jsonl") for name in ("alice", "bob", "carol")}
    logs["disk"] = tribes2(written, "alice.log.bipf.gz")
    ids = {row.message_id for row in logs["alice"]}
    for rows in logs.values():
        assert {row.message_id for row in rows} == ids
        assert {row.validity for row in rows} <= {"valid", "not_checked"}
        assert {row.warning for row in rows} <= {None, "content_signature_only"}
        announced = [row for row in rows if row.is_announcement_signed is not None]
        assert all(row.is_announcement_signed for row in announced)
    assert not any(row.is_decrypted for row in logs["disk"])
    kinds = Counter(row.content_type for row in logs["alice"] if row.is_decrypted)
    assert (kinds["group/init"], kinds["group/exclude-member"], kinds["post"]) == (2, 1, 4)
    assert (kinds["metafeed/seed"], kinds["group/add-member"]) == (1, 3)
    carols = Counter(row.content_type for row in logs["carol"] if row.is_decrypted)
    assert (carols["group/init"], carols["post"]) == (1, 2)


def test_the_keys_of_epochs_join_inits_additions_and_feeds(written: Path) -> None:
    rows = tribes2(written, "alice.jsonl")
    keys = {row.key_hash: row.message_id for row in rows if row.content_type == "group/init"}
    assert len(keys) == 2
    others = [row.key_hash for row in rows if row.content_type == "group/add-member"]
    others += [row.key_hash for row in rows if row.is_announcement_signed and row.is_decrypted]
    assert Counter(others) == dict(zip(keys, (5, 3), strict=True))
    group = json.loads((written / "tribes2" / "group.json").read_text())
    assert message_uri(group["root"]) == next(iter(keys.values()))
    owners = {row.owner_id for row in rows} - {None}
    assert owners == {group["roots"]["alice"]}
