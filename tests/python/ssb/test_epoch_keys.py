"""Epoch keys of all lengths: read, ranked, sealed by the key of the warehouse, never shown (R23, R29)."""

from __future__ import annotations

import base64
import errno
import os
import random
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl.secret import SecretBox

from entries import entry, places, post, written
from houses import exit_code, fork
from memory import peak_memory
from rows import RING, row_of
from scuttlehouse.files.parts import Line
from scuttlehouse.sample.signing import ClassicFeed
from scuttlehouse.ssb.epoch_keys import (
    KeyRing,
    SealError,
    keep_sealed,
    seal_key,
    sealed_keys,
    spelled_bytes,
)
from scuttlehouse.ssb.lines import epoch_key, land_line
from scuttlehouse.ssb.network_key import NetworkKeyError, read_network_key
from scuttlehouse.warehouse_key import (
    KEY_BYTES,
    PEPPER_FILE,
    SEALED_FILE,
    WarehouseKeyError,
    warehouse_pepper,
)

LENGTHS = (1, 16, 31, 32, 33, 48, 64, 200)


def key_of(length: int) -> bytes:
    return random.Random(length).randbytes(length)


def spellings(key: bytes) -> list[str]:
    text = base64.b64encode(key).decode()
    return [text, text.rstrip("="), base64.urlsafe_b64encode(key).decode()]


@pytest.mark.parametrize("length", LENGTHS)
def test_keys_of_any_length_are_read(length: int) -> None:
    key = key_of(length)
    for text in spellings(key):
        assert spelled_bytes(text) == key
    if length >= 16:
        assert spelled_bytes(key.hex()) == spelled_bytes(key.hex().upper()) == key


@given(st.lists(st.binary(min_size=1, max_size=70), max_size=12))
def test_keys_rank_by_their_bytes_and_short_ones_have_no_rank(keys: list[bytes]) -> None:
    ranks = RING.ranked(keys).ranks
    assert ranks.keys() == {RING.hash(key) for key in keys}
    for one in keys:
        rank = ranks[RING.hash(one)]
        assert (rank is None) == (len(one) < 32)
        for other in keys:
            other_rank = ranks[RING.hash(other)]
            if rank is not None and other_rank is not None:
                # Lexicographic order in hexadecimal (4.3).
                assert (rank < other_rank) == (one.hex() < other.hex())


@pytest.mark.parametrize("length", LENGTHS)
def test_the_key_of_an_epoch_is_read_from_its_init(length: int) -> None:
    key = key_of(length)
    content = {"type": "group/init", "secret": spellings(key)[0]}
    line = Line(1, written(entry(post(ClassicFeed(bytes(32))), content=content)), None)
    row = land_line("a", line, RING)
    assert row
    assert epoch_key(line) == key
    assert row.key_hash == RING.hash(key)
    assert spellings(key)[1] not in repr(row) or length == 1


@pytest.mark.parametrize("length", [33, 48, 64])
@pytest.mark.parametrize("place", places())
def test_long_keys_leave_no_line(place: str, length: int) -> None:
    for text in [*spellings(key_of(length)), key_of(length).hex()]:
        content = {"type": "x", **places()[place](text)}
        for meta in ({}, {"originalContent": "AAAA.box2"}):
            line = entry(post(ClassicFeed(bytes(32))), content=content) | {"meta": meta}
            assert text.rstrip("=") not in repr(land_line("a", Line(1, written(line), None), RING))


def test_a_short_key_as_a_purpose_leaves_no_line() -> None:
    key = key_of(16)
    content = {"type": "metafeed/add/derived", "feedpurpose": spellings(key)[0], "subfeed": "f"}
    line = entry(post(ClassicFeed(bytes(32))), content=content)
    row = row_of(line)
    assert row.key_hash == RING.hash(key)
    assert spellings(key)[1] not in repr(row)


def test_the_pepper_stays_and_is_private(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"
    pepper = warehouse_pepper(home)
    assert len(pepper) == KEY_BYTES
    assert warehouse_pepper(home) == pepper
    assert [path.stat().st_mode & 0o777 for path in home.iterdir()] == [0o600]
    assert warehouse_pepper(tmp_path / "other") != pepper
    (home / "key_hash.pepper").write_bytes(b"cut")
    assert len(warehouse_pepper(home)) == KEY_BYTES


def test_the_warehouse_keeps_keys_of_all_lengths(tmp_path: Path) -> None:
    pepper = warehouse_pepper(tmp_path)
    keys = {key_of(length) for length in LENGTHS}
    for key in keys:
        keep_sealed(tmp_path, [seal_key(pepper, key)])
    assert sealed_keys(tmp_path) == keys
    kept = (tmp_path / SEALED_FILE).read_bytes()
    assert not any(key in kept or key.hex().encode() in kept for key in keys if len(key) > 1)


def test_keys_that_processes_keep_at_the_same_time_are_all_there(tmp_path: Path) -> None:
    """A developer builds beside a build that is published. Without a key, its next refresh would fail."""
    pepper = warehouse_pepper(tmp_path)
    keys = [[bytes([process, number]) * 16 for number in range(40)] for process in range(6)]

    def keep(mine: list[bytes]) -> None:
        for key in mine:
            keep_sealed(tmp_path, [seal_key(pepper, key)])

    processes = [fork(partial(keep, mine)) for mine in keys]
    assert {exit_code(process) for process in processes} == {0}
    assert sealed_keys(tmp_path) == {key for mine in keys for key in mine}


def test_processes_that_begin_a_home_at_the_same_time_have_one_key(tmp_path: Path) -> None:
    """Otherwise what the first one hashed would be hashed with a key that is lost."""
    homes = [tmp_path / f"home-{number}" for number in range(40)]

    def begin(number: int) -> None:
        peppers = b"".join(warehouse_pepper(home) for home in homes)
        (tmp_path / f"peppers-{number}").write_bytes(peppers)

    processes = [fork(partial(begin, number)) for number in range(6)]
    assert {exit_code(process) for process in processes} == {0}
    [_] = {path.read_bytes() for path in tmp_path.glob("peppers-*")}


def test_a_file_of_keys_in_the_old_form_says_what_to_do(tmp_path: Path) -> None:
    box = SecretBox(warehouse_pepper(tmp_path))
    (tmp_path / SEALED_FILE).write_bytes(box.encrypt(key_of(32) + key_of(64)[:32]))
    with pytest.raises(SealError, match=f"delete {SEALED_FILE} and run"):
        sealed_keys(tmp_path)


TEXTS_OF_A_KEY = [base64.b64encode(key_of(32)).decode(), key_of(32).hex(), f" {key_of(32).hex()}\n"]


@pytest.mark.parametrize("text", TEXTS_OF_A_KEY)
def test_the_key_of_a_warehouse_may_come_from_elsewhere(tmp_path: Path, text: str) -> None:
    """From a file, a command or the environment. The home then holds nothing that opens its sealed file."""
    home, file = tmp_path / "home", tmp_path / "a key"
    home.mkdir()
    file.write_text(text)
    for environment in [
        {"SCUTTLEHOUSE_KEY": text},
        {"SCUTTLEHOUSE_KEY_FILE": str(file)},
        {"SCUTTLEHOUSE_KEY_COMMAND": f"cat '{file}'", "SCUTTLEHOUSE_KEY": " "},
    ]:
        assert warehouse_pepper(home, environment) == key_of(32)
    assert not list(home.iterdir())


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"SCUTTLEHOUSE_KEY": "c2VjcmV0IHNlY3JldA=="}, "SCUTTLEHOUSE_KEY is not a key"),
        ({"SCUTTLEHOUSE_KEY": "secret!" * 9 + "s"}, "32 bytes in base64 or hex"),
        ({"SCUTTLEHOUSE_KEY_FILE": "/nowhere/at/all"}, "No such file"),
        ({"SCUTTLEHOUSE_KEY_FILE": "/dev/null"}, "names is not a key of a warehouse"),
        ({"SCUTTLEHOUSE_KEY_COMMAND": "/nowhere/at/all"}, r"cannot be run \(No such file"),
        ({"SCUTTLEHOUSE_KEY_COMMAND": "echo 'secret"}, "quotes are not closed"),
        ({"SCUTTLEHOUSE_KEY_COMMAND": "false"}, "has failed with 1"),
        ({"SCUTTLEHOUSE_KEY_COMMAND": "echo secret; true"}, "COMMAND is not a key"),
        ({"SCUTTLEHOUSE_KEY": "secret", "SCUTTLEHOUSE_KEY_FILE": "x"}, "is set in several places"),
    ],
)
def test_a_place_without_a_key_is_refused(
    tmp_path: Path, environment: dict[str, str], expected: str
) -> None:
    with pytest.raises(WarehouseKeyError, match=expected) as raised:
        warehouse_pepper(tmp_path, environment)
    assert "secret" not in str(raised.value)
    assert not list(tmp_path.iterdir())


def test_a_large_file_in_place_of_a_key_is_not_read_whole(tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as file:
        file.truncate(64 << 20)

    def refuse() -> None:
        with pytest.raises(WarehouseKeyError, match="is not a key of a warehouse"):
            warehouse_pepper(tmp_path, {"SCUTTLEHOUSE_KEY_FILE": file.name})
        with pytest.raises(NetworkKeyError, match="must be 32 bytes in canonical base64"):
            read_network_key(Path(file.name))

    _, peak = peak_memory(refuse)
    assert peak < 8 << 20


@pytest.mark.parametrize("name", [PEPPER_FILE, SEALED_FILE])
def test_a_file_of_keys_that_cannot_be_read_is_a_sentence(tmp_path: Path, name: str) -> None:
    """As after a restore by another user. A folder stands for it here: root may read every file."""
    warehouse_pepper(tmp_path)
    (tmp_path / name).unlink(missing_ok=True)
    (tmp_path / name).mkdir()
    with pytest.raises(WarehouseKeyError, match=rf"{name} cannot be read \(.*\): correct its perm"):
        keep_sealed(tmp_path, [])


@pytest.mark.parametrize(("content", "fault"), [(None, "missing"), (b"", "damaged")])
def test_a_lost_key_is_not_replaced(tmp_path: Path, content: bytes | None, fault: str) -> None:
    """A new key would open nothing. Whoever then deleted the sealed file would lose the keys in it."""
    keep_sealed(tmp_path, [seal_key(warehouse_pepper(tmp_path), key_of(32))])
    pepper = tmp_path / PEPPER_FILE
    kept = pepper.read_bytes()
    if content is None:
        pepper.unlink()
    else:
        pepper.write_bytes(content)
    with pytest.raises(
        WarehouseKeyError,
        match=f"{fault}, and .*: restore {PEPPER_FILE} from a backup.* put all logs back",
    ):
        warehouse_pepper(tmp_path)
    assert (pepper.read_bytes() if pepper.exists() else None) == content
    pepper.write_bytes(kept)
    assert sealed_keys(tmp_path) == {key_of(32)}
    pepper.unlink()
    (tmp_path / SEALED_FILE).unlink()
    assert len(warehouse_pepper(tmp_path)) == 32


def test_a_full_disk_leaves_the_keys_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no other file: nobody would remove it, and a backup of the home would have it."""
    pepper = warehouse_pepper(tmp_path)
    keep_sealed(tmp_path, [seal_key(pepper, key_of(32))])
    files = {*tmp_path.iterdir()}

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        keep_sealed(tmp_path, [seal_key(pepper, key_of(33))])
    assert {*tmp_path.iterdir()} == files
    assert sealed_keys(tmp_path) == {key_of(32)}


def test_another_key_opens_no_sealed_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_sealed(tmp_path, [seal_key(warehouse_pepper(tmp_path), key_of(32))])
    monkeypatch.setenv("SCUTTLEHOUSE_KEY", key_of(33)[1:].hex())
    # First what loses nothing: after a refresh without them, the keys of archived logs are gone.
    advice = (
        r"use the key that sealed it .* restore .* If that key is lost, put all logs back.* delete "
    )
    with pytest.raises(SealError, match=f"{advice}{SEALED_FILE} and run"):
        sealed_keys(tmp_path)


@given(st.dictionaries(st.binary(min_size=1, max_size=40), st.sampled_from("gh")))
def test_ranks_of_a_group_are_those_of_its_keys_alone(keys: dict[bytes, str]) -> None:
    ring = KeyRing(b"pepper").ranked(keys)
    found = ring.ranks_of_groups((group, ring.hash(key)) for key, group in keys.items())
    for group in {*keys.values()}:
        own = sorted(key for key in keys if keys[key] == group and len(key) >= 32)
        ranks = {rank.key_hash: rank for rank in found if rank.group_id == group}
        assert [ranks[ring.hash(key)].key_rank for key in own] == [*range(len(own))]
        short = ranks.keys() - {ring.hash(key) for key in own}
        assert {ranks[one].key_rank for one in short} <= {None}
        assert len(ranks) == sum(keys[key] == group for key in keys)
