"""Epoch keys of all lengths: read, ranked, kept sealed, and shown nowhere (rulings R23, R29 and R31)."""

from __future__ import annotations

import base64
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl.secret import SecretBox

from scuttlehouse.epoch_keys import (
    KEY_BYTES,
    SEALED_FILE,
    KeyRing,
    SealError,
    keep_sealed,
    key_bytes,
    seal_key,
    sealed_keys,
    spelled_bytes,
    warehouse_pepper,
)
from scuttlehouse.landing import Line
from scuttlehouse.lines import epoch_key, land_line
from scuttlehouse.sample.signing import ClassicFeed
from test_landing import entry, places, post, written

LENGTHS = (1, 16, 31, 32, 33, 48, 64, 200)
RING = KeyRing(b"pepper")


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
        assert key_bytes(text) == (key if length >= KEY_BYTES else None)
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
    row = land_line("a", Line(1, written(line), None), RING)
    assert row
    assert row.key_hash == RING.hash(key)
    assert spellings(key)[1] not in repr(row)


def test_the_warehouse_keeps_keys_of_all_lengths(tmp_path: Path) -> None:
    pepper = warehouse_pepper(tmp_path)
    keys = {key_of(length) for length in LENGTHS}
    for key in keys:
        keep_sealed(tmp_path, [seal_key(pepper, key)])
    assert sealed_keys(tmp_path) == keys
    kept = (tmp_path / SEALED_FILE).read_bytes()
    assert not any(key in kept or key.hex().encode() in kept for key in keys if len(key) > 1)


def test_a_file_of_keys_in_the_old_form_says_what_to_do(tmp_path: Path) -> None:
    box = SecretBox(warehouse_pepper(tmp_path))
    (tmp_path / SEALED_FILE).write_bytes(box.encrypt(key_of(32) + key_of(64)[:32]))
    with pytest.raises(SealError, match="delete it and run"):
        sealed_keys(tmp_path)
