"""Logs of pzp: canonical JSON, ids in base58, the rules of a message by itself, and its row."""

from __future__ import annotations

import copy
import html
import json
import struct
import tarfile
import tracemalloc
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from nacl.signing import SigningKey

from conftest import FIXTURES
from memory import peak_memory
from rows import RING, pzp_row_of
from scuttlehouse.files import jsjson
from scuttlehouse.files.parts import Line
from scuttlehouse.landing.spark import arrow_schema, row_batches
from scuttlehouse.pzp.canonical import canonical, from_base58, hash_text, to_base58, utf16_units
from scuttlehouse.pzp.kept_content import SET_FAULTS
from scuttlehouse.pzp.lines import LandedPzpLine, land_pzp_line
from scuttlehouse.pzp.records import is_pzp
from scuttlehouse.pzp.rules import REASONS, moot_id
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.ids import any_id
from scuttlehouse.ssb.lines import epoch_key, land_line
from scuttlehouse.ssb.texts import kept_item, kept_pzp_id, token

Json = dict[str, Any]

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
DEVICE = SigningKey(bytes(range(32)))
DEVICE_KEY = to_base58(bytes(DEVICE.verify_key))
SECRET_KEY = to_base58(bytes(DEVICE) + bytes(DEVICE.verify_key))
HALF = "\ud800"


def read_fixtures() -> dict[str, Json]:
    """Logs from the reference, with its answers."""
    with tarfile.open(FIXTURES / "sets.tar.xz") as archive:
        files = [(member.name, archive.extractfile(member)) for member in archive]
        return {name: json.load(file) for name, file in files if file}


SETS = read_fixtures()
LOG: list[Json] = SETS["sets/protospec.json"]["logs"]["A1"]
ACCOUNT, SET_TANGLE = (SETS["sets/protospec.json"][name] for name in ("account", "set_tangle_id"))


def written(line: object) -> bytes:
    return json.dumps(line).replace("Infinity", "1e400").encode()


def land(line: object) -> LandedPzpLine:
    return pzp_row_of(written(line))


def find(wanted: Callable[[LandedPzpLine], object]) -> Json:
    """A copy of the first line of a real log with the wanted kind of row."""
    return copy.deepcopy(next(line for line in LOG if wanted(land(line))))


def account_root() -> Json:
    return find(lambda row: row.is_account_message and row.depth == 0)


def account_addition() -> Json:
    return find(lambda row: row.is_account_message and row.depth)


def moot() -> Json:
    return find(lambda row: row.is_moot)


def addition() -> Json:
    """A message that adds to a set."""
    return find(lambda row: row.added_items)


def identified(line: Json) -> Json:
    """The line with the id of its changed metadata. Its signature is unchanged."""
    metadata = jsjson.parse(written(line["msg"]["metadata"]).decode())
    try:
        line["id"] = hash_text(canonical(metadata))
    except ValueError:
        line["id"] = "none"
    return line


def signed(line: Json, key: SigningKey = DEVICE) -> Json:
    """The line with its true id and a new signature."""
    message = line["msg"]
    signature = key.sign(b":msg-v4:" + canonical(message["metadata"])).signature
    message["sigkey"], message["sig"] = to_base58(bytes(key.verify_key)), to_base58(signature)
    return identified(line)


def with_data(line: Json, data: Any) -> Json:
    """The line with other data, and with matching metadata."""
    text = canonical(data)
    line["msg"]["data"] = data
    line["msg"]["metadata"] |= {"dataHash": hash_text(text), "dataSize": len(text)}
    return signed(line)


def with_metadata(line: Json, **changes: Any) -> Json:
    line["msg"]["metadata"] |= changes
    return signed(line)


# Canonical JSON and base58

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
CANONICAL = st.recursive(
    st.one_of(st.none(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False), NAMES),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(NAMES, inner, max_size=6)),
    max_leaves=15,
)


def shuffled(value: Any) -> Any:
    """The same value with the members of every object in reverse order."""
    if isinstance(value, dict):
        return {name: shuffled(value[name]) for name in reversed(value)}
    return [shuffled(item) for item in value] if isinstance(value, list) else value


@given(value=CANONICAL)
def test_canonical_json_is_one_text_of_one_value(value: Any) -> None:
    text = canonical(value)
    read = jsjson.parse(text.decode())
    assert read == value
    assert canonical(read) == text
    assert canonical(shuffled(value)) == text


@given(value=st.dictionaries(NAMES, st.integers(-(2**53), 2**53), max_size=6))
def test_canonical_json_is_sorted_json_without_spaces(value: Json) -> None:
    """The slow plain oracle: Python's own JSON with members in the order of their UTF-16 units."""

    def units(name: str) -> tuple[int, ...]:
        data = name.encode("utf-16-le")
        return struct.unpack(f"<{len(data) // 2}H", data)

    members = {name: value[name] for name in sorted(value, key=units)}
    text = json.dumps(members, ensure_ascii=False, separators=(",", ":"))
    assert canonical(value) == text.encode()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # RFC 8785, 3.2.2 and 3.2.3
        (
            '{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],'
            '"string": "\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/",'
            '"literals": [null, true, false]}',
            '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
            '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
        ),
        (
            '{"\\u20ac": 1, "\\r": 2, "\\ufb33": 3, "1": 4, "\\ud83d\\ude00": 5, "\\u0080": 6,'
            '"\\u00f6": 7}',
            '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
        ),
        ('{"10": -0, "9": 9007199254740993, "": {}}', '{"":{},"10":0,"9":9007199254740992}'),
    ],
)
def test_canonical_json_of_the_rfc(text: str, expected: str) -> None:
    assert canonical(jsjson.parse(text)).decode() == expected


@pytest.mark.parametrize("text", ["[1e400]", "[-1e400]", '["\\ud800"]', '{"\\udc00": 1}'])
def test_values_without_a_canonical_form(text: str) -> None:
    with pytest.raises(ValueError, match=r"finite|surrogates"):
        canonical(jsjson.parse(text))


def plain_base58(data: bytes) -> str:
    """The slow plain oracle: the digits of a number, counted up."""
    number = sum(byte * 256**place for place, byte in enumerate(reversed(data)))
    places = 0
    while 58**places <= number:
        places += 1
    digits = [ALPHABET[number // 58**place % 58] for place in reversed(range(places))]
    zeros = next((place for place, byte in enumerate(data) if byte), len(data))
    return "1" * zeros + "".join(digits)


@given(
    data=st.one_of(st.binary(max_size=70), st.integers(0, 66).map(bytes)), zeros=st.integers(0, 3)
)
def test_base58_is_what_the_oracle_says(data: bytes, zeros: int) -> None:
    data = bytes(zeros) + data
    text = to_base58(data)
    assert text == plain_base58(data)
    assert from_base58(text, len(data)) == data
    assert from_base58(text, len(data) + 1) is None
    assert from_base58("1" + text, len(data)) is None


@given(text=st.text(st.sampled_from(ALPHABET), max_size=90), size=st.integers(0, 66))
def test_base58_spells_bytes_in_one_way(text: str, size: int) -> None:
    data = from_base58(text, size)
    assert data is None or (len(data) == size and to_base58(data) == text)


@pytest.mark.parametrize("character", ["0", "O", "I", "l", " ", "+", "=", "é", "\u0661", HALF])
def test_other_characters_are_not_base58(character: str) -> None:
    assert from_base58("1" * 31 + character, 32) is None
    assert from_base58("1" * 31 + "1", 32) == bytes(32)


def test_a_text_of_a_megabyte_is_refused_at_once() -> None:
    """Without its bound this takes minutes."""
    assert from_base58("z" * 1_000_000, 64) is None
    assert from_base58(None, 32) is None


# Real logs


@pytest.mark.parametrize("name", SETS)
def test_every_line_of_a_real_log_is_valid(name: str) -> None:
    fixture = SETS[name]
    assert moot_id(fixture["account"], fixture["domain"]) == fixture["set_tangle_id"]
    devices = set(fixture["keys"].values())
    for log in fixture["logs"].values():
        for entry in log:
            row = land(entry)
            message, metadata = entry["msg"], entry["msg"]["metadata"]
            assert (row.reject_reason, row.validity, row.invalid_reason) == (None, "valid", None)
            assert row.message_id == entry["id"] == hash_text(canonical(metadata))
            assert row.device_key in devices
            assert row.received_ms == entry["received"]
            assert (row.data_bytes, row.line_bytes) == (metadata["dataSize"], len(written(entry)))
            assert row.domain == metadata["domain"]
            assert not row.is_erased
            assert row.set_fault is None
            if row.is_account_message:
                assert (row.account_id, row.tangle_id) == (row.tangle_id, row.account_id)
                assert row.added_key == message["data"]["key"]["bytes"]
            else:
                assert row.account_id in {
                    root["id"] for log in fixture["logs"].values() for root in log
                }
                assert row.tangle_id == moot_id(row.account_id or "", row.domain or "")
                assert row.added_key is None
            set_lists = (row.added_items, row.deleted_items, row.superseded_ids)
            if row.is_moot or row.is_account_message:
                assert set_lists == (None, None, None)
            else:
                assert set_lists == tuple(
                    message["data"][part] for part in ("add", "del", "supersedes")
                )
            if metadata["tangles"]:
                field = metadata["tangles"][row.tangle_id]
                assert (row.depth, row.previous_ids) == (field["depth"], field["prev"])
            else:
                assert (row.tangle_id, row.depth, row.previous_ids) == (row.message_id, 0, [])


def test_the_depths_of_a_real_tangle_are_those_of_the_reference() -> None:
    """It sorts a tangle by depth first."""
    for fixture in SETS.values():
        rows = {row.message_id: row for row in map(land, fixture["logs"]["A1"])}
        last = fixture["final"]["A1"]["topoSort"]
        kept = [rows[message_id] for message_id in last]
        assert all(row.tangle_id == fixture["set_tangle_id"] for row in kept)
        depths = [row.depth for row in kept if row.depth is not None]
        assert depths == sorted(depths)
        assert max(depths) == fixture["final"]["A1"]["maxDepth"]


@pytest.mark.parametrize("written_as", [int, str, lambda number: {"$numberInt": str(number)}])
@pytest.mark.parametrize("code_page", ["cp437", "cp850"])
def test_utf_8_that_was_read_in_a_code_page_is_undone(
    code_page: str, written_as: Callable[[int], Any]
) -> None:
    """As PowerShell 5 reads it, also what a database has exported. The hashes prove what it was."""
    data = {"add": ["Gr\xfc\xdfe"], "del": ["\u4e0a\u6d77"], "supersedes": []}
    line = signed(with_data(addition(), data))
    text = json.dumps(line, ensure_ascii=False).encode().decode(code_page)
    read = json.loads(text)
    read["msg"]["metadata"] |= {
        name: written_as(line["msg"]["metadata"][name]) for name in ("dataSize", "v")
    }
    row, expected = land(read), land(line)
    assert expected.validity == "valid"
    assert row._replace(line_bytes=0) == expected._replace(line_bytes=0)
    other = with_data(addition(), data)
    other["msg"]["data"]["add"] = ["Gr\u251c\u255d\u251c\u0192e", "x"]
    assert land(other).invalid_reason == "data_hash_differs"


def test_a_row_in_full() -> None:
    line = addition()
    metadata = line["msg"]["metadata"]
    [field] = metadata["tangles"].values()
    assert land(line) == LandedPzpLine(
        source_file="a.jsonl",
        line_number=1,
        message_id=line["id"],
        account_id=ACCOUNT,
        domain="set_v1__follows",
        tangle_id=SET_TANGLE,
        depth=field["depth"],
        previous_ids=field["prev"],
        account_tips=metadata["accountTips"],
        device_key=line["msg"]["sigkey"],
        is_moot=False,
        is_account_message=False,
        is_private=False,
        is_erased=False,
        added_items=line["msg"]["data"]["add"],
        deleted_items=[],
        superseded_ids=line["msg"]["data"]["supersedes"],
        data_bytes=metadata["dataSize"],
        line_bytes=len(written(line)),
        received_ms=line["received"],
        validity="valid",
    )


# The rules

Change = Callable[[Json, Json, Json], object]


def changes() -> list[tuple[str, str, Change]]:
    """Faults of a message of a set, one each: the reason, and a function that makes the fault.

    The function gets the message, its metadata, and the one field of its tangles.
    """

    def put(part: int, name: str, value: Any) -> Change:
        return lambda *parts: parts[part].update({name: copy.deepcopy(value)})

    def drop(part: int, name: str) -> Change:
        return lambda *parts: parts[part].pop(name)

    def tangles(value: Any) -> Change:
        return put(1, "tangles", value)

    def field(value: Any) -> Any:
        return {SET_TANGLE: value}

    cases: dict[str, dict[str, Change]] = {
        "version_is_not_4": {
            f"v {value!r}": put(1, "v", value) for value in (3, "4", None, True, [4], 4.5)
        },
        "id_differs": {
            "a number that is not finite": put(1, "dataSize", 10**400),
            "half a surrogate pair": put(1, "domain", HALF),
            "half a surrogate pair as a name": put(1, HALF, 1),
        },
        "members_missing": {
            **{f"no {name}": drop(0, name) for name in ("sigkey", "sig")},
            **{
                f"no {name}": drop(1, name)
                for name in (
                    "dataHash",
                    "dataSize",
                    "account",
                    "accountTips",
                    "tangles",
                    "domain",
                    "v",
                )
            },
        },
        "sigkey_is_no_key": {
            f"sigkey {value!r}": put(0, "sigkey", value)
            for value in ("", "1", "0" * 44, "1" + DEVICE_KEY, SECRET_KEY, None, 5, [DEVICE_KEY])
        },
        "data_is_malformed": {
            f"data {value!r}": put(0, "data", value) for value in (True, False, 0, 1.5, [], [1])
        },
        "data_size_is_malformed": {
            f"dataSize {value!r}": put(1, "dataSize", value)
            for value in (-1, 0.5, "1", None, True, 2**53, [], {})
        },
        "data_hash_differs": {
            "other data": put(0, "data", {"add": ["eve"], "del": [], "supersedes": []}),
            "text": put(0, "data", "text"),
            "no dataHash": put(1, "dataHash", None),
            "dataHash 1": put(1, "dataHash", 1),
            "dataHash of another": put(1, "dataHash", SET_TANGLE),
            "half a surrogate pair in data": put(0, "data", {"add": [HALF]}),
            "data that is not finite": put(0, "data", {"add": float("inf")}),
        },
        "data_size_differs": {"dataSize 1": put(1, "dataSize", 1)},
        "domain_is_malformed": {
            f"domain {str(value)[:9]!r} of {len(str(value))}": put(1, "domain", value)
            for value in (
                "",
                "ab",
                "a" * 101,
                "set-v1",
                "set v1",
                "abc\n",
                "äbc",
                "\u0661\u0662\u0663",
                None,
                1000,
                ["abc"],
            )
        },
        "account_is_no_text": {
            f"account {value!r}": put(1, "account", value) for value in (None, 1, [ACCOUNT], {})
        },
        "account_tips_are_malformed": {
            f"accountTips {value!r}": put(1, "accountTips", value)
            for value in ("text", 1, {}, [1], [None], ["a", ["b"]])
        }
        | {"self with tips": put(1, "account", "self")},
        "tangles_are_malformed": {
            f"tangles {str(value)[:30]}": tangles(value)
            for value in (
                None,
                [],
                "text",
                {"": {}},
                {"0" * 44: {}},
                {SET_TANGLE + "1": {}},
                field(None),
                field([]),
                field(ACCOUNT),
            )
        },
        "depth_is_malformed": {
            **{
                f"depth {value!r}": put(2, "depth", value)
                for value in (0, -1, 1.5, "1", None, True, 2**53, [1])
            },
            "no depth": drop(2, "depth"),
            "a second tangle": lambda _, metadata, field: metadata["tangles"].update(
                {ACCOUNT: {**field, "depth": 0}}
            ),
        },
        "previous_is_malformed": {
            **{
                f"prev {value!r}": put(2, "prev", value)
                for value in ([], "text", None, {}, [1], ["a", None], [["a"]])
            },
            **{
                f"prev with {uri}": put(2, "prev", sorted([SET_TANGLE, uri + SET_TANGLE]))
                for uri in ("pzp:message/v4/", "ppppp:message/v4/")
            },
            "no prev": drop(2, "prev"),
        },
        "previous_is_out_of_order": {
            f"prev {value!r}": put(2, "prev", value)
            for value in (["b", "a"], ["a", "a"], ["a", "B"], ["\uffff", "\U00010000"])
        },
        "signature_is_malformed": {
            f"sig {value!r}": put(0, "sig", value)
            for value in ("", "1", "0" * 88, DEVICE_KEY, "1" + SECRET_KEY, None, 5, ["1"])
        },
        "signature_is_wrong": {
            "another signature": put(0, "sig", SECRET_KEY),
            "another device": put(0, "sigkey", DEVICE_KEY),
            "another domain": put(1, "domain", "set_v1__blocks"),
            "another account": put(1, "account", SET_TANGLE),
            "no tips": put(1, "accountTips", []),
            "one more member": put(1, "more", 1),
            "another depth": put(2, "depth", 2**53 - 1),
        },
    }
    return [(reason, name, cases[reason][name]) for reason in cases for name in cases[reason]]


CHANGES = changes()


@pytest.mark.parametrize(
    ("reason", "change"),
    [pytest.param(reason, change, id=f"{reason}: {name}") for reason, name, change in CHANGES],
)
def test_a_message_with_one_thing_wrong(reason: str, change: Change) -> None:
    line = addition()
    metadata = line["msg"]["metadata"]
    change(line["msg"], metadata, metadata["tangles"][SET_TANGLE])
    row = land(identified(line))
    assert (row.reject_reason, row.validity, row.invalid_reason) == (None, "invalid", reason)
    assert_row(row)


def test_data_with_the_hash_were_never_encrypted() -> None:
    """So a private message with them is judged: its ciphertext is not missing."""
    line = addition() | {"misc": {"private": True}}
    line["msg"]["metadata"]["dataSize"] += 1
    assert land(identified(line)).invalid_reason == "data_size_differs"
    line["msg"]["data"]["add"].append("another")
    assert land(line).invalid_reason == "ciphertext_not_in_log"


def test_every_reason_has_a_message() -> None:
    """In the order in which the rules are checked, which is the order of REASONS."""
    assert list(dict.fromkeys(reason for reason, _, _ in CHANGES)) == [
        reason for reason in REASONS if reason not in ("not_in_its_feed", "ciphertext_not_in_log")
    ]


HALF_TOKEN = token(HALF, RING)


def test_an_id_that_the_message_does_not_have() -> None:
    for message_id in (SET_TANGLE, "", "text", HALF):
        row = land(addition() | {"id": message_id})
        expected = kept_pzp_id(message_id, RING)
        assert (row.message_id, row.invalid_reason) == (expected, "id_differs")


def test_the_id_depends_on_every_member_of_the_metadata() -> None:
    for name in addition()["msg"]["metadata"]:
        line = addition()
        line["msg"]["metadata"][name] = "changed"
        expected = "version_is_not_4" if name == "v" else "id_differs"
        assert land(line).invalid_reason == expected, name


@pytest.mark.parametrize("version", [1, 2, 3, 5])
@pytest.mark.parametrize("key", ["sigkey", "pubkey"])
@pytest.mark.parametrize("message_id", [{"id": "7rHgKLSkAz8Vb3m3Ujw9C4"}, {"hash": "7rHg"}, {}])
def test_nobody_is_accused_of_another_version(
    version: int, key: str, message_id: dict[str, str]
) -> None:
    """Of msg-v3 the id is 16 bytes of BLAKE3, and the sigkey is called pubkey (ppppp-db before 2024)."""
    line = addition()
    line["msg"]["metadata"]["v"] = version
    line["msg"][key] = line["msg"].pop("sigkey")
    del line["id"]
    for other in (line | message_id, line["msg"]):
        assert land(other).invalid_reason == "version_is_not_4"


@pytest.mark.parametrize(
    "change",
    [
        {"dataSize": 0, "dataHash": None, "accountTips": None},
        {"accountTips": []},
        {"accountTips": ["b", "a", "a", ""]},
        {"account": ""},
        {"account": "any"},
        {"domain": "abc"},
        {"domain": "A_9" * 33 + "z"},
        {"tangles": {}},
        {"tangles": {"1" * 32: {"depth": 2**53 - 1, "prev": [""]}}},
        {"tangles": {SET_TANGLE: {"depth": 1, "prev": ["\U00010000", "\uffff"], "more": 1}}},
        {"account": "self", "accountTips": None},
        {"v": 4.0, "more": {"10": 1, "9": [1e21, -0.0]}},
    ],
    ids=str,
)
def test_messages_that_look_odd_and_are_valid(change: Json) -> None:
    line = addition()
    if "dataHash" in change:
        line["msg"]["data"] = None
    assert land(with_metadata(line, **({"domain": "post"} | change))).validity == "valid"


@pytest.mark.parametrize(
    "data", ["", "text", '{"a": 1}', {}, {"1": {"b": [None, 1e-7], "a": "€"}}, "😀"], ids=str
)
def test_data_of_any_text_or_object(data: Any) -> None:
    row = land(with_data(addition(), data))
    assert (row.validity, row.data_bytes) == ("valid", len(canonical(data)))


def test_the_spelling_of_a_line_does_not_matter() -> None:
    """Spaces, escapes, the order of members, and other spellings of the same number."""
    text = json.dumps(shuffled(addition()), indent=1)
    text = text.replace('"msg"', '"\\u006dsg"').replace('"v": 4', '"v": 4.0e0')
    row = land_pzp_line("a.jsonl", Line(1, text.encode(), None), RING)
    assert row == land(addition())._replace(line_bytes=len(text))


# Moots, erased messages


def test_the_signature_of_a_moot_means_nothing() -> None:
    """Anybody can write a moot and sign it (protospec.md of pzp-db), so `validate` there ignores it."""
    device_key = moot()["msg"]["sigkey"]
    verdicts = {
        ("", ""): (None, None),
        (device_key, ""): (None, None),
        (device_key, moot()["msg"]["sig"]): (None, device_key),
        (device_key, SECRET_KEY): (None, None),
        (device_key, "text"): (None, None),
        (device_key, None): ("signature_is_malformed", None),
        ("", moot()["msg"]["sig"]): (None, None),
        ("text", ""): ("sigkey_is_no_key", None),
        (None, ""): ("sigkey_is_no_key", None),
    }
    for (sigkey, signature), verdict in verdicts.items():
        line = moot()
        line["msg"] |= {"sigkey": sigkey, "sig": signature}
        row = land(line)
        assert (row.invalid_reason, row.device_key) == verdict, (sigkey, signature)
        assert row.is_moot
        assert (row.tangle_id, row.depth, row.previous_ids) == (SET_TANGLE, 0, [])
        assert row.account_id == ACCOUNT


@pytest.mark.parametrize(
    "change",
    [
        {"dataHash": SET_TANGLE},
        {"dataSize": 1},
        {"account": "self"},
        {"accountTips": []},
        {"tangles": {SET_TANGLE: {"depth": 1, "prev": ["a"]}}},
        {"more": None},
    ],
    ids=str,
)
def test_a_message_that_is_not_a_moot_needs_a_signature(change: Json) -> None:
    line = with_metadata(moot(), **change)
    assert land(line).invalid_reason in (None, "not_in_its_feed")
    assert not land(line).is_moot
    line["msg"] |= {"sig": ""}
    assert land(line).invalid_reason == "signature_is_malformed"


def test_a_moot_has_no_content() -> None:
    line = moot()
    line["msg"]["data"] = {}
    row = land(line)
    assert (row.is_moot, row.invalid_reason) == (False, "data_hash_differs")


def test_a_moot_of_an_impossible_domain() -> None:
    line = with_metadata(moot(), domain="a b")
    assert land(line).invalid_reason == "domain_is_malformed"


def test_an_erased_message_keeps_its_place() -> None:
    line = addition()
    whole = land(line)
    line["msg"]["data"] = None
    row = land(line)
    assert row == whole._replace(
        is_erased=True,
        added_items=None,
        deleted_items=None,
        superseded_ids=None,
        line_bytes=row.line_bytes,
    )


def test_a_message_that_never_had_data_has_no_bytes_of_it() -> None:
    """Whatever length it states: dropping a thousand of them freed more bytes than a table can count."""
    line = addition()
    line["msg"]["data"] = None
    row = land(with_metadata(line, dataHash=None, dataSize=2**53 - 1))
    assert (row.validity, row.is_erased, row.data_bytes) == ("valid", False, 0)


# The place of a message


def test_an_account_message_speaks_for_the_account_of_its_tangle() -> None:
    row = land(account_root())
    assert (row.account_id, row.tangle_id, row.depth, row.previous_ids) == (ACCOUNT, ACCOUNT, 0, [])
    row = land(account_addition())
    assert (row.account_id, row.tangle_id, row.depth, row.previous_ids) == (
        ACCOUNT,
        ACCOUNT,
        1,
        [ACCOUNT],
    )
    line = account_addition()
    [field] = line["msg"]["metadata"]["tangles"].values()
    row = land(with_metadata(line, tangles={ACCOUNT: field, SET_TANGLE: field}))
    assert row[4:9:2] == (None, None, None)
    assert (row.validity, row.is_account_message) == ("valid", True)


def test_the_tangle_of_the_feed_matters_among_several() -> None:
    line = addition()
    [field] = line["msg"]["metadata"]["tangles"].values()
    other = {"depth": 9, "prev": ["other"]}
    row = land(with_metadata(line, tangles={ACCOUNT: other, SET_TANGLE: field, "1" * 32: other}))
    assert (row.tangle_id, row.depth, row.previous_ids) == (
        SET_TANGLE,
        field["depth"],
        field["prev"],
    )


@pytest.mark.parametrize(
    "change",
    [
        {"tangles": {}},
        {"tangles": {ACCOUNT: {"depth": 1, "prev": [ACCOUNT]}}},
        {"domain": "set_v1__blocks"},
        {"account": SET_TANGLE},
        {"account": "any"},
    ],
    ids=str,
)
@pytest.mark.parametrize("is_erased", [False, True])
def test_a_message_of_a_set_that_is_not_in_its_feed(change: Json, is_erased: bool) -> None:
    """It is rejected: no table of sets could have it. Other messages need be in no feed."""
    line = with_metadata(addition(), **change)
    if is_erased:
        line["msg"]["data"] = None
    row = land(line)
    assert (row.tangle_id, row.depth, row.previous_ids) == (None, None, None)
    account_id = change.get("account", ACCOUNT)
    assert row.account_id == ("any" if account_id == "any" else kept_pzp_id(account_id, RING))
    assert row.is_erased == is_erased
    assert (row.validity, row.invalid_reason) == ("invalid", "not_in_its_feed")
    other = land(with_metadata(line, domain="post"))
    assert (other.validity, other.tangle_id) == ("valid", None)


def test_a_moot_of_a_set_is_in_its_feed() -> None:
    assert (land(moot()).validity, land(moot()).is_moot) == ("valid", True)


# What a message says


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        ({"add": [], "del": [], "supersedes": []}, None),
        ({"add": ["a"], "del": ["b", "b"], "supersedes": [ACCOUNT], "more": 1}, None),
        ({"add": [], "del": []}, "no_lists"),
        ({"add": [], "del": [], "supersedes": None}, "no_lists"),
        ({"add": "a", "del": [], "supersedes": []}, "no_lists"),
        ({"add": {}, "del": [1], "supersedes": []}, "no_lists"),
        ({}, "no_lists"),
        ("text", "not_opened"),
        ("dGV4dA==.box2", "not_opened"),
        ({"add": [1], "del": [], "supersedes": []}, "item_is_no_text"),
        ({"add": [], "del": [None], "supersedes": []}, "item_is_no_text"),
        ({"add": ["a"], "del": [], "supersedes": [["c"]]}, "item_is_no_text"),
    ],
    ids=str,
)
def test_the_set_content_of_a_message(data: Any, fault: str | None) -> None:
    row = land(with_data(addition(), data))
    set_lists = (row.added_items, row.deleted_items, row.superseded_ids)
    assert (row.validity, row.set_fault) == ("valid", fault)
    if fault:
        assert fault in SET_FAULTS
        assert set_lists == (None, None, None)
    else:
        assert set_lists == (data["add"], data["del"], data["supersedes"])
    other = land(with_metadata(with_data(addition(), data), domain="post"))
    assert other[17:21] == (None, None, None, None)
    account = land(with_metadata(with_data(addition(), data), account="self", accountTips=None))
    assert account[17:21] == (None, None, None, None)


@pytest.mark.parametrize(
    ("domain", "kept"),
    [
        ("set_v1__", "set_v1__"),
        ("set_v1__follows", "set_v1__follows"),
        ("set_v1__blockedAccounts", "set_v1__blockedAccounts"),
        ("set_v1__" + "followed_hashtags_of_my_main_device", None),
        ("set_v1__" + "a" * 41, f"set_v1__{token('a' * 41, RING)}"),
        ("set_v1__" + DEVICE_KEY, f"set_v1__{token(DEVICE_KEY, RING)}"),
        ("set_v1_blockedAccounts", token("set_v1_blockedAccounts", RING)),
        ("a" * 41, token("a" * 41, RING)),
    ],
)
def test_a_set_is_known_by_its_domain(domain: str, kept: str | None) -> None:
    """Whatever follows `set_v1__`; only that becomes a token."""
    line = addition()
    [field] = line["msg"]["metadata"]["tangles"].values()
    row = land(with_metadata(line, domain=domain, tangles={moot_id(ACCOUNT, domain): field}))
    assert (row.validity, row.domain) == ("valid", kept or domain)
    assert (row.added_items is not None) == domain.startswith("set_v1__")
    line = with_metadata(moot(), domain=domain)
    assert (land(line).is_moot, land(line).domain) == (True, kept or domain)


def opened(data: Any) -> Json:
    """A line whose data somebody has opened. The ciphertext is always the same."""
    line = with_data(addition(), "AAAA.box")
    line["msg"]["data"] = data
    return line | {"misc": {"private": True, "originalData": "AAAA.box"}}


def test_a_plaintext_has_a_hash() -> None:
    """No signature covers it (R36). The order of members does not matter."""
    data = {"add": ["carol"], "del": [], "supersedes": [], "more": 1e400}
    row, other = land(opened(data)), land(opened(shuffled(data)))
    assert (row.validity, row.added_items) == ("valid", ["carol"])
    assert row.plaintext_hash is not None
    assert row.plaintext_hash == other.plaintext_hash
    assert row.plaintext_hash == land(opened(data | {"more": None})).plaintext_hash
    zeros = [land(opened(data | {"more": zero})).plaintext_hash for zero in (-0.0, 0)]
    assert zeros[0] == zeros[1] != row.plaintext_hash
    changes: list[Any] = [{"add": ["eve"]}, {"more": HALF}, {"del": 1}]
    others = [land(opened(data | change)) for change in changes] + [land(opened("text"))]
    assert {one.message_id for one in others} == {row.message_id}
    assert len({one.plaintext_hash for one in [row, *others]} - {None}) == 5


def test_a_plaintext_without_its_ciphertext_is_that_of_the_opened_message() -> None:
    """Another line may hold the ciphertext, so the row has all that an opened message has."""
    whole = opened({"add": ["carol"], "del": [], "supersedes": []})
    row = land({**whole, "misc": {"private": True}})
    assert row.validity == "not_checked"
    assert row == land(whole)._replace(
        validity="not_checked", invalid_reason="ciphertext_not_in_log", line_bytes=row.line_bytes
    )


def test_a_text_as_data_is_private_whoever_opens_it() -> None:
    rows = [land(opened(data)) for data in ("AAAA.box", {"add": ["carol"]}, None)]
    assert [row.is_private for row in rows] == [True, True, False]
    assert {land(line).is_private for line in LOG} == {False}


def test_data_that_nobody_opened_has_no_hash() -> None:
    for data in ("AAAA.box", None):
        assert land(opened(data)).plaintext_hash is None
    assert {land(line).plaintext_hash for line in LOG} == {None}


ITEM_SPELLINGS = [
    text
    for key in ("hgtpIhsCCdlAxzCLgjPdj9CwGcFzpnKA9f6_T9WWGhw=", "A" * 43 + "=")
    for base64 in (key, key.rstrip("="))
    for text in [
        *(f"ssb:{kind}{base64}" for kind in ("feed/classic/", "feed/ed25519/", "//feed:classic:")),
        *(f"ssb:{kind}{base64}" for kind in ("message/classic/", "message:sha256:")),
        *(
            f"{base64.translate(str.maketrans('-_', '+/'))}{end}"
            for end in ("", ".ed25519", ".sha256")
        ),
        f"@{base64.translate(str.maketrans('-_', '+/'))}.ed25519",
        f"%{base64.translate(str.maketrans('-_', '+/'))}.sha256",
        f"%{base64.translate(str.maketrans('-_', '+/'))}.cloaked",
    ]
]
ITEMS = st.one_of(
    st.text(max_size=4),
    st.sampled_from([ACCOUNT, "carol", "token-5-000000000000000000000000", *ITEM_SPELLINGS]),
    st.tuples(
        st.sampled_from(ITEM_SPELLINGS),
        st.sampled_from(["", "#a", "#b", "?", "/blob", "/blob?unbox=a", "\n", "="]),
    ).map("".join),
)


@given(st.lists(ITEMS, min_size=2, max_size=30, unique=True))
def test_different_texts_are_different_items(texts: list[str]) -> None:
    kept = [kept_item(text, RING) for text in texts]
    assert len(set(kept)) == len(texts)
    assert all(one in (text, token(text, RING)) for one, text in zip(kept, texts, strict=True))


@pytest.mark.parametrize("text", [text for text in ITEM_SPELLINGS if any_id(text)])
def test_an_id_stays_readable_and_its_tail_does_not(text: str) -> None:
    assert kept_item(text, RING) == text
    for tail in ("#chapter1", "?unbox=c2VjcmV0", "/blob", "/blob?unbox=c2VjcmV0"):
        assert any_id(text + tail) == any_id(text)
        assert kept_item(text + tail, RING) == token(text + tail, RING)


def test_no_data_without_a_hash_is_no_set_message() -> None:
    line = addition()
    line["msg"]["data"] = None
    row = land(with_metadata(line, dataHash=None, dataSize=0))
    assert (row.validity, row.is_erased, row.is_moot, row.set_fault) == (
        "valid",
        False,
        False,
        "no_lists",
    )


@pytest.mark.parametrize(
    ("change", "is_added"),
    [
        ({}, True),
        ({"purpose": "sig"}, True),
        ({"purpose": "external-encryption", "algorithm": "x25519-xsalsa20-poly1305"}, False),
        ({"purpose": "external-encryption"}, False),
        ({"purpose": ["sig"]}, False),
        ({"algorithm": None}, False),
        ({"bytes": "text"}, False),
        ({"bytes": SECRET_KEY}, False),
        ({"bytes": 1}, False),
    ],
    ids=str,
)
def test_the_key_that_an_account_adds(change: Json, is_added: bool) -> None:
    data = account_addition()["msg"]["data"]
    data["key"] |= change
    row = land(with_data(account_addition(), data))
    assert (row.validity, row.added_key) == ("valid", data["key"]["bytes"] if is_added else None)


@pytest.mark.parametrize(
    ("powers", "may_add"),
    [
        (["add"], True),
        (["del", "add"], True),
        (["del"], False),
        ([], False),
        ("add", False),
        (None, False),
        ([["add"]], False),
    ],
    ids=str,
)
def test_the_power_that_an_account_gives(powers: Any, may_add: bool) -> None:
    data = account_addition()["msg"]["data"] | {"powers": powers}
    assert land(with_data(account_addition(), data)).may_add is may_add
    may_remove = isinstance(powers, list) and "del" in powers
    assert land(with_data(account_addition(), data)).may_remove is may_remove
    del data["powers"]
    assert land(with_data(account_addition(), data)).may_add is False


@pytest.mark.parametrize(
    "data", [{"action": "del"}, {"action": None}, {"key": None}, {"key": "text"}, "text"], ids=str
)
def test_data_that_adds_no_key(data: Any) -> None:
    if isinstance(data, dict):
        data = account_addition()["msg"]["data"] | data
    row = land(with_data(account_addition(), data))
    assert (row.added_key, row.may_add) == (None, None)


def test_the_key_that_an_account_removes() -> None:
    data = account_addition()["msg"]["data"] | {"action": "del"}
    row = land(with_data(account_addition(), data))
    assert (row.added_key, row.may_add, row.may_remove) == (None, None, None)
    assert row.removed_key == data["key"]["bytes"]
    data["key"]["purpose"] = "external-encryption"
    assert land(with_data(account_addition(), data)).removed_key is None
    assert land(account_addition()).removed_key is None


@pytest.mark.parametrize("tips", [None, [], [ACCOUNT], [ACCOUNT, SET_TANGLE]], ids=str)
def test_the_tips_of_the_account(tips: list[str] | None) -> None:
    assert land(with_metadata(addition(), accountTips=tips)).account_tips == tips


def test_only_an_account_adds_and_removes_keys() -> None:
    data = account_addition()["msg"]["data"]
    for action in ("add", "del"):
        row = land(with_data(addition(), data | {"action": action}))
        assert (row.added_key, row.removed_key) == (None, None)


def test_only_items_and_keys_of_the_data_are_passed_on() -> None:
    data = account_addition()["msg"]["data"] | {"nonce": "NONCE", "text": "TEXT", "TEXT": "TEXT"}
    rows = [
        land(with_data(account_addition(), data)),
        land(with_data(addition(), {"text": "TEXT", "TEXT": ["TEXT"]})),
        land(with_data(addition(), "TEXT")),
        land(addition() | {"TEXT": "TEXT"}),
    ]
    for shown in map(repr, rows):
        assert not {part for part in ("NONCE", "TEXT", data["consent"]) if part in shown}


def test_a_secret_key_in_place_of_a_public_one_is_not_passed_on() -> None:
    line = addition()
    line["msg"]["sigkey"] = SECRET_KEY
    assert SECRET_KEY not in repr(land(line))


def test_halves_of_surrogate_pairs_never_reach_a_table() -> None:
    line = addition()
    line["id"] = HALF
    line["msg"] |= {"data": {"add": [HALF], "del": [HALF], "supersedes": [HALF]}, "sigkey": HALF}
    line["msg"]["metadata"] |= {"accountTips": [HALF], "domain": "set_v1__" + HALF}
    line["msg"]["metadata"]["tangles"][SET_TANGLE]["prev"] = [HALF]
    rows = [land(line)]
    line["msg"]["metadata"] |= {"account": "self", "tangles": {HALF: {"depth": 1, "prev": [HALF]}}}
    rows.append(land(line))
    line["msg"]["metadata"] |= {"account": HALF}
    rows.append(land(line))
    line["msg"]["data"] = None
    rows.append(land(line))
    for row in rows:
        assert_row(row)
    assert rows[0].added_items == [rows[0].message_id] == [HALF_TOKEN]
    assert rows[1].account_id == rows[1].tangle_id == rows[2].account_id == HALF_TOKEN
    assert rows[1].previous_ids == [HALF_TOKEN]


def test_a_moot_with_a_member_that_has_no_hash() -> None:
    line = moot()
    line["msg"]["metadata"]["more"] = float("inf")
    assert (land(line).is_moot, land(line).invalid_reason) == (False, "id_differs")


def test_a_line_without_an_id_has_that_of_its_message() -> None:
    for line in LOG:
        whole, message = land(line), line["msg"]
        others = [{"id": None}, {"id": ...}, {"id": ..., "received": ...}]
        for other in [*(without(line | other) for other in others), message]:
            row = land(other)
            cut = {
                name: getattr(whole, name) for name in ("line_bytes", "received_ms", "line_hash")
            }
            assert row._replace(**cut) == whole
            assert epoch_key(Line(1, written(other), None)) is None


def without(line: Json) -> Json:
    return {name: value for name, value in line.items() if value is not ...}


@pytest.mark.parametrize("with_id", [True, False])
def test_what_is_null_may_be_left_out(with_id: bool) -> None:
    """As encoders of Swift, Kotlin and Go leave it out. The id and the signature prove the rest."""
    text = (FIXTURES / "reported" / "f01_pzp_decrypted.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in text]
    without = [without_nulls(record) for record in records]
    assert sum(one != other for one, other in zip(records, without, strict=True)) == 3
    for record, other in zip(records, without, strict=True):
        if not with_id:
            del other["id"]
        row, expected = land(other), land(record)
        assert row._replace(line_bytes=None) == expected._replace(line_bytes=None)
        assert row.validity == "valid"
    metadata = without[0]["msg"]["metadata"] | {"dataSize": 7}
    changed = {**without[0], "msg": without[0]["msg"] | {"metadata": metadata}}
    assert land(changed).validity == "invalid"


@pytest.mark.parametrize("with_id", [True, False])
def test_the_data_of_an_erased_message_may_be_left_out(with_id: bool) -> None:
    """They are null then, too. The message keeps its place, so that those after it are in the set."""
    line = addition()
    line["msg"]["data"] = None
    expected = land(line)
    del line["msg"]["data"]
    if not with_id:
        del line["id"]
    for other in (line, line["msg"]):
        row = land(other)
        assert row._replace(line_bytes=None, received_ms=None) == expected._replace(
            line_bytes=None, received_ms=None
        )
        assert (row.validity, row.is_erased) == ("valid", True)
    line["msg"]["sig"] = SECRET_KEY
    assert land(line).validity == "invalid"


@pytest.mark.parametrize("name", ["f01_pzp_decrypted.jsonl", "f02_pzp_decrypted_set.jsonl"])
def test_numbers_as_texts_accuse_nobody_of_an_opened_message(name: str) -> None:
    """The ciphertext is not in the log, so that nobody can check the data."""
    lines = [json.loads(line) for line in (FIXTURES / "reported" / name).open()]
    opened = [line for line in lines if "misc" in line]
    assert opened
    for line in opened:
        del line["misc"]
        line["private"] = True
        expected = land(line)
        metadata = line["msg"]["metadata"]
        line["msg"]["metadata"] |= {name: str(metadata[name]) for name in ("v", "dataSize")}
        row = land(line)
        assert row.invalid_reason == "ciphertext_not_in_log"
        assert row._replace(line_bytes=None) == expected._replace(line_bytes=None)


@pytest.mark.parametrize("name", ["f01_pzp_decrypted.jsonl", "f02_pzp_decrypted_set.jsonl"])
@pytest.mark.parametrize("nulls", [True, False])
@pytest.mark.parametrize("notation", [str, html.escape])
def test_data_may_be_a_text_of_json(name: str, nulls: bool, notation: Callable[[str], str]) -> None:
    """As databases have a column for it. The hash proves it, or an opened record has the ciphertext."""
    records = [json.loads(line) for line in (FIXTURES / "reported" / name).open()]
    for record in records:
        data = record["msg"]["data"]
        if isinstance(data, dict):
            data = notation(json.dumps(data | ({"channel": None} if nulls else {})))
        other = record | {"msg": record["msg"] | {"data": data}}
        row, expected = land(other), land(record)
        assert row._replace(line_bytes=None) == expected._replace(line_bytes=None)
        assert row.validity == "valid"
        if isinstance(record["msg"]["data"], dict) and "misc" in record:
            del other["misc"]
            marked = land(other | {"private": True})
            assert (marked.validity, marked.invalid_reason) == (
                "not_checked",
                "ciphertext_not_in_log",
            )
        elif isinstance(record["msg"]["data"], dict):
            more = notation(', "b": 1}')
            changed = record["msg"] | {"data": data[:-1] + more}
            assert land(record | {"msg": changed}).validity == "invalid"


def as_column(part: Any) -> Any:
    """As a database keeps what is no plain value."""
    return json.dumps(part) if isinstance(part, dict | list) else part


@pytest.mark.parametrize("name", ["f01_pzp_decrypted.jsonl", "f02_pzp_decrypted_set.jsonl"])
@pytest.mark.parametrize("is_deep", [True, False])
def test_a_table_has_the_parts_of_a_message_as_texts(name: str, is_deep: bool) -> None:
    for line in (FIXTURES / "reported" / name).open():
        record = json.loads(line)
        message = record["msg"]
        if is_deep:
            metadata = {name: as_column(part) for name, part in message["metadata"].items()}
            message = message | {"metadata": metadata}
        row = {name: as_column(part) for name, part in message.items()}
        beside = {name: as_column(part) for name, part in record.items() if name != "msg"}
        expected = land(record)
        for other in (beside | {"msg": message}, beside | {"msg": row}, beside | row):
            assert land(other)._replace(line_bytes=None) == expected._replace(line_bytes=None)
        assert expected.validity == "valid"


def without_nulls(value: Any) -> Any:
    if isinstance(value, list):
        return [*map(without_nulls, value)]
    if isinstance(value, dict):
        return {name: without_nulls(part) for name, part in value.items() if part is not None}
    return value


def test_without_an_id_metadata_without_a_hash_are_no_message() -> None:
    line = addition()
    del line["id"]
    line["msg"]["metadata"]["more"] = HALF
    assert land(line).reject_reason == "not_a_message"


def test_opened_data_of_a_message_alone_accuses_nobody() -> None:
    """The record would say that somebody has opened it (misc.private); a message alone cannot."""
    line = addition()
    line["msg"]["data"] = {"add": ["mallory"], "del": [], "supersedes": []}
    assert (land(line).validity, land(line).invalid_reason) == ("invalid", "data_hash_differs")
    line["msg"]["data"]["recps"] = ["a"]
    for other in (line, line["msg"]):
        row = land(other)
        assert (row.validity, row.invalid_reason) == ("not_checked", "ciphertext_not_in_log")


@pytest.mark.parametrize(
    ("misc", "is_private"),
    [
        *(({"private": word}, True) for word in (True, 1, "true")),
        *(({"private": word}, False) for word in (False, 0, "false", None)),
        ({}, False),
        (True, False),
    ],
)
def test_opened_data_without_its_ciphertext_accuses_nobody(misc: Any, is_private: bool) -> None:
    """If the record says that it was private, nobody can tell whether its data are what was signed.

    SQLite writes a truth value as a number, and tables of text as a text.
    """
    line = with_data(addition(), "AAAA.box")
    line["msg"]["data"] = {"add": ["carol"], "del": [], "supersedes": []}
    expected = ("not_checked", "ciphertext_not_in_log")
    for written in (misc, json.dumps(misc)):  # Databases have a column for it.
        row = land(line | {"misc": written})
        assert (row.validity, row.invalid_reason) == (
            expected if is_private else ("invalid", "data_hash_differs")
        )


@pytest.mark.parametrize("place", ["item", "account", "domain"])
def test_long_texts_are_not_remembered(place: str) -> None:
    """A worker would hold thousands of them, of a megabyte each, from a small file of repeated letters."""

    def land_long_texts() -> int:
        for number in range(50):
            line = addition() if place == "item" else moot()
            text = f"{number}" + "x" * 100_000
            if place == "item":
                line["msg"]["data"]["add"] = [text]
            else:
                line["msg"]["metadata"][place] = text
            land(line)
        return tracemalloc.get_traced_memory()[0]

    kept, _ = peak_memory(land_long_texts)
    assert kept < 1_000_000


def test_values_that_are_not_numbers() -> None:
    for number in ["NaN", True, "one", "-1", None, [], 10**400, 0, -1, -62135596800000]:
        assert land(addition() | {"received": number}).received_ms is None, number
    line = addition()
    del line["received"]
    assert (land(line).received_ms, land(line).validity) == (None, "valid")


# Which lines


@pytest.mark.parametrize(
    "change",
    [
        {"id": 1},
        {"id": []},
        {"msg": {}},
        {"msg": {"metadata": None}},
        {"msg": {"metadata": []}},
    ],
    ids=str,
)
def test_a_line_that_lacks_what_every_message_has(change: Json) -> None:
    line = {name: value for name, value in (addition() | change).items() if value is not ...}
    assert land(line) == LandedPzpLine("a.jsonl", 1, "not_a_message")


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\xff",
        b'"msg"',
        b'["msg"]',
        b'{"msg": {}',
        b'{"msg": "text"}',
        b'{"msg": null}',
        b'{"msg": {}, "value": null}',
        b'{"key": "%a", "value": {"content": {"msg": {}}}}',
        b'{"msg": {"data": ' + b"[" * 200 + b"]" * 200 + b"}}",
        b'{"\\u006dsg": [1]}',
        b'{"metadata": [], "sigkey": ""}',
        b'{"msg": {"data": "\xed\xa0\x80"}}',
    ],
    ids=lambda text: text[:24],
)
def test_lines_of_the_other_source(text: bytes) -> None:
    assert land_pzp_line("a.jsonl", Line(1, text, None), RING) is None
    assert land_line("a.jsonl", Line(1, text, None), KeyRing(b"pepper")) is not None


def test_a_line_that_cannot_be_read_is_of_the_other_source() -> None:
    assert land_pzp_line("a.jsonl", Line(1, None, "too_long"), RING) is None


def test_a_real_line_is_of_one_source() -> None:
    for line in LOG:
        landed = Line(1, written(line | {"secret": "secret"}), None)
        assert is_pzp(line)
        assert land_pzp_line("a.jsonl", landed, RING)
        assert land_line("a.jsonl", landed, KeyRing(b"pepper")) is None
        assert epoch_key(landed) is None


# Any line at all


def texts(cell: object) -> list[str]:
    return [cell] if isinstance(cell, str) else cell if isinstance(cell, list) else []


def assert_row(row: LandedPzpLine) -> None:
    for text in [text for cell in row for text in texts(cell)]:
        assert text == text.encode("utf-8", "ignore").decode(), row
    [batch] = row_batches([row], arrow_schema(LandedPzpLine))
    assert [tuple(cells.values()) for cells in batch.to_pylist()] == [tuple(row)]
    if row.reject_reason:
        assert set(row[3:-2]) == {None}
        return
    assert None not in (row.message_id, row.is_moot, row.is_account_message, row.is_erased)
    assert (row.validity == "invalid") == (row.invalid_reason is not None)
    assert row.invalid_reason is None or row.invalid_reason in REASONS
    assert row.set_fault is None or row.set_fault in SET_FAULTS
    nulls = {cell is None for cell in (row.added_items, row.deleted_items, row.superseded_ids)}
    assert len(nulls) == 1
    if row.validity == "valid":
        assert None not in (row.account_id, row.domain, row.data_bytes) or row.is_account_message
        assert len({cell is None for cell in (row.tangle_id, row.depth, row.previous_ids)}) == 1
        assert row.device_key or row.is_moot
        assert from_base58(row.message_id, 32)


MEMBERS = st.sampled_from(
    [
        *["id", "msg", "received", "value", *addition()["msg"], *addition()["msg"]["metadata"]],
        *["depth", "prev", *addition()["msg"]["data"], *account_root()["msg"]["data"]],
        *account_root()["msg"]["data"]["key"],
    ]
)
TEXTS = st.one_of(
    st.text(max_size=5),
    st.text(st.characters(categories=["Cs", "Lu"]), max_size=3),
    st.sampled_from([ACCOUNT, SET_TANGLE, DEVICE_KEY, SECRET_KEY, "self", "set_v1__a", "add", ""]),
)
ANY = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.integers(0, 5),
        st.floats(allow_nan=False),
        TEXTS,
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(MEMBERS, TEXTS), inner, max_size=4),
    ),
    max_leaves=10,
)


def parts(value: Any) -> list[tuple[Any, Any]]:
    """Every place inside a value: a list or an object, and the index or name in it."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    inner = [(place, member) for place, member in pairs if isinstance(member, dict | list)]
    here = [(value, place) for place in (value if isinstance(value, dict) else range(len(value)))]
    return here + [part for _, member in inner for part in parts(member)]


@given(data=st.data(), count=st.integers(1, 3), is_identified=st.booleans(), is_ascii=st.booleans())
@settings(max_examples=4 * settings.default.max_examples)
def test_no_line_raises(
    data: st.DataObject, count: int, is_identified: bool, is_ascii: bool
) -> None:
    """Real lines with other values in place of some of their parts."""
    line = copy.deepcopy(data.draw(st.sampled_from(LOG)))
    for _ in range(count):
        holder, place = data.draw(st.sampled_from(parts(line)))
        holder[place] = data.draw(ANY)
    if is_identified and is_pzp(line) and isinstance(line["msg"].get("metadata"), dict):
        identified(line)
    text = json.dumps(line, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass")
    landed = Line(1, text, None)
    row = land_pzp_line("a.jsonl", landed, RING)
    assert (row is None) == (land_line("a.jsonl", landed, KeyRing(b"pepper")) is not None)
    if row:
        assert_row(row)


@given(
    text=st.one_of(
        st.binary(max_size=40),
        st.binary(max_size=40).map(lambda data: b'{"msg":' + data),
        ANY.map(lambda value: json.dumps({"id": "a", "msg": value}).encode()),
        ANY.map(lambda value: json.dumps({"id": "a", "msg": {"metadata": value}}).encode()),
    )
)
def test_any_bytes_are_a_line_of_one_source(text: bytes) -> None:
    row = land_pzp_line("a.jsonl", Line(1, text, None), RING)
    other = land_line("a.jsonl", Line(1, text, None), KeyRing(b"pepper"))
    assert (row is None) != (other is None)
    if row:
        assert_row(row)


def test_the_tried_lines_are_of_every_kind() -> None:
    """The properties above see messages that pass many rules, not only rejects."""
    seen: Counter[str | None] = Counter()

    @given(data=st.data())
    @settings(max_examples=150, database=None, derandomize=True)
    def count(data: st.DataObject) -> None:
        line = copy.deepcopy(data.draw(st.sampled_from(LOG)))
        holder, place = data.draw(st.sampled_from(parts(line["msg"])))
        holder[place] = data.draw(ANY)
        assume(isinstance(line["msg"].get("metadata"), dict))
        seen[land(identified(line)).invalid_reason] += 1

    count()
    assert len(seen) > len(REASONS) / 2, seen


def test_texts_in_the_order_of_javascript() -> None:
    assert sorted(["b", "\U00010000", "\uffff", "B", "a", ""], key=utf16_units) == [
        *["", "B", "a", "b"],
        *["\U00010000", "\uffff"],
    ]
