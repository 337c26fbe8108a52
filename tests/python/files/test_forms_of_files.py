"""The messages in files of any form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import forms
from conftest import FIXTURES
from read_files import REPORTED, parsed, read, row_of, rows, values
from scuttlehouse.files import bipf
from scuttlehouse.files.listing import entry_of
from scuttlehouse.files.recognise import recognise
from scuttlehouse.sample.signing import ClassicFeed

PACKAGES = FIXTURES / "packages"
FILES = sorted(path for path in REPORTED.rglob("*") if path.is_file() and "a18" not in path.name)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_file_that_was_reported_holds_valid_messages(path: Path) -> None:
    assert len(FILES) == 21
    found = rows(path)
    assert len(found) == (4 if "good" in path.name and "a15" in str(path) else 3)
    assert {row.validity for row in found} == {"valid"}


@pytest.mark.parametrize("name", ["a18_empty.jsonl", "a18_empty.jsonl.gz", "a18_newlines.jsonl"])
def test_a_file_without_a_message(name: str) -> None:
    assert {row.reject_reason for row in rows(REPORTED / "passing" / name)} <= {"empty_line"}


@pytest.mark.parametrize("name", ["log.bipf.gz", "log32.offset", "log48.offset", "log53.offset"])
def test_what_the_npm_packages_write(name: str) -> None:
    """fixtures/packages/write_logs.js made them, and deleted the second message."""
    expected = [
        json.loads(line) for line in (PACKAGES / "messages.jsonl").read_bytes().splitlines()
    ]
    found = read(PACKAGES / name)
    assert [line.line_number for line in found] == [1, 3, 4]
    assert parsed(found) == [expected[n] for n in (0, 2, 3)]
    assert {row.validity for row in rows(PACKAGES / name)} == {"valid"}


# fixtures.json of the npm package bipf 1.9.0, and two that it lacks: false, and a text that is no UTF-8.
VECTORS = {
    "2264000000": 100,
    "22ffffffff": -1,
    "0e01": True,
    "0e00": False,
    "06": None,
    "00": "",
    "04": [],
    "05": {},
    "ec02220100000022020000002203000000220400000022050000002206000000220700000022080000002209000000": [
        *range(1, 10)
    ],
    "2868656c6c6f": "hello",
    "08ff": "\ufffd",
    "3518666f6f0e01": {"foo": True},
    "8c0122ffffffff3518666f6f0e0121deadbeef": [
        -1,
        {"foo": True},
        {"type": "Buffer", "data": [222, 173, 190, 239]},
    ],
    "2508310e01": {"1": True},
}


@pytest.mark.parametrize("vector", VECTORS)
def test_vectors_of_bipf(vector: str) -> None:
    assert bipf.decode(bytes.fromhex(vector)) == VECTORS[vector]
    for size in range(len(vector) // 2):
        with pytest.raises(bipf.BipfError):
            bipf.decode(bytes.fromhex(vector)[:size])


def test_javascripts_undefined_in_bipf() -> None:
    """As in JSON: null in an array, no member of an object."""
    assert bipf.decode(bytes.fromhex("140e02")) == [None]
    assert bipf.decode(bytes.fromhex("3518666f6f0e02")) == {}


@pytest.mark.parametrize(
    "value",
    ["0e03", "160100", "1a640000", "2a6400000000", "2300000000", "07", "0601", "0e02", "150e0106"],
    ids=[
        "neither true nor false",
        "two bytes of a boolean",
        "three bytes of an integer",
        "five bytes of an integer",
        "four bytes of a double",
        "an unknown type",
        "two values",
        "undefined alone",
        "a name that is no text",
    ],
)
def test_what_is_no_value_of_bipf(value: str) -> None:
    with pytest.raises(bipf.BipfError):
        bipf.decode(bytes.fromhex(value))


@pytest.mark.product
@pytest.mark.parametrize("form", forms.FORMS)
@pytest.mark.parametrize("compression", forms.COMPRESSIONS)
def test_the_sample_in_every_form(tmp_path: Path, form: str, compression: str) -> None:
    """With each encoding, without regard to the name. What is packed is shorter, as packing takes long."""
    messages = [*values()] if compression == "none" else [*values()][-30:]
    log = forms.FORMS[form][1](messages)
    for encoding in forms.ENCODINGS if form in forms.TEXTS else ["utf-8"]:
        path = tmp_path / "a.txt"
        path.write_bytes(forms.packed(log, compression, encoding))
        kind = recognise(entry_of(path, "a.txt"))
        assert kind == forms.kind_of(form, compression, encoding)
        lines = read(path)
        assert parsed(lines) == messages, encoding
        numbers = [line.line_number for line in lines]
        assert numbers == sorted(set(numbers))


TEXT = st.text(max_size=8)
MEMBERS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40).map(float) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


RECORDS = st.lists(
    st.fixed_dictionaries({"key": TEXT, "value": MEMBERS, "timestamp": MEMBERS}),
    min_size=2,
    max_size=8,
)


@given(
    records=RECORDS,
    form=st.sampled_from([*forms.FORMS]),
    compression=st.sampled_from([*forms.COMPRESSIONS]),
    encoding=st.sampled_from([*forms.ENCODINGS]),
)
def test_any_values_in_any_form(
    tmp_path_factory: pytest.TempPathFactory,
    records: list[Any],
    form: str,
    compression: str,
    encoding: str,
) -> None:
    path = tmp_path_factory.mktemp("landing") / "a.json"
    path.write_bytes(forms.rewrite(records, form, compression, encoding))
    assert recognise(entry_of(path, "a.json")) == forms.kind_of(form, compression, encoding)
    written = [json.loads(forms.text(record), parse_int=float) for record in records]
    lines = read(path)
    assert parsed(lines) == written
    if form in forms.BINARIES:  # A deleted record stands behind each.
        assert [line.line_number for line in lines] == [*range(1, 2 * len(records), 2)]


def test_values_without_keys_have_their_hash_as_their_key() -> None:
    classic = [v for v in values() if "value" in v and row_of(v).validity == "valid"]
    assert len(classic) > 50
    for value in classic:
        bare = row_of({**value["value"], "meta": value.get("meta")})
        if not row_of(value).is_private:
            assert row_of(value["value"]).message_id == row_of(value).message_id
        assert bare.reject_reason is None
        assert row_of({"value": value["value"], "meta": value.get("meta")}).message_id == (
            row_of(value).message_id
        )


@pytest.mark.parametrize("order", [["key", "value"], ["value", "key"]])
def test_a_key_among_the_members_of_its_message(order: list[str]) -> None:
    """As rows of a database with a column for each. The plaintext of an opened message has no other id."""
    post = ClassicFeed(bytes(32)).publish({"type": "post"}, 1)
    sealed = ClassicFeed(bytes(32)).publish({"type": "post"}, 1, ciphertext="AAAA.box")
    for message, validity, more in (
        (post, "valid", {}),
        (sealed, "valid", {}),
        (sealed, "not_checked", {"content": {"type": "post"}, "private": True}),
    ):
        parts: dict[str, Any] = {"key": {"key": message.key}, "value": {**message.value, **more}}
        row = row_of({name: part for one in order for name, part in parts[one].items()})
        assert (row.message_id, row.validity) == (message.uri, validity)


@pytest.mark.parametrize("place", ["seq", "offset"])
def test_a_message_with_its_place_in_the_log_around_it(place: str) -> None:
    """As streams of flumedb (`seqs: true`) and of the log of ssb-db2 (`offsets: true`) give it."""
    for value in values():
        if "value" in value:
            assert row_of({place: 7, "value": value}) == row_of(value)
