"""The places where software keeps the ciphertext of an opened message, and the result without it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rows import pzp_row_of, row_of
from scuttlehouse.sample.signing import ClassicFeed, Message
from scuttlehouse.ssb.ids import message_uri
from scuttlehouse.ssb.lines import LandedLine
from scuttlehouse.ssb.validation import check_value

CONTENT = {"type": "post", "text": "hello", "recps": ["@a"]}
AUTHOR = ClassicFeed(bytes(32)).id
UNBOXED = {"private": True, "unbox": "dXV1dXV1dXV1dXV1dXV1dXV1dXV1dXV1dXV1dXV1dXU="}


def message(ciphertext: str = "AAAA.box2") -> Message:
    return ClassicFeed(bytes(32)).publish(CONTENT, 1, ciphertext=ciphertext)


def land(value: dict[str, Any], key: str, meta: dict[str, Any] | None = None) -> LandedLine:
    line = {"key": key, "value": value, "timestamp": 2} | ({"meta": meta} if meta else {})
    return row_of(line)


# Name of the place, members of the value, meta beside the value: see scuttlehouse.ssb.opened.
PLACES = [
    ("ssb-db2", {}, {"private": True, "originalContent": "AAAA.box2"}),
    ("ssb-db2, older", {}, {"private": True, "original": {"content": "AAAA.box2"}}),
    ("ssb-db 20", UNBOXED | {"cyphertext": "AAAA.box2"}, None),
    ("ssb-db 19", {"cyphertext": "AAAA.box2"}, None),
    ("ssb-tribes", {"meta": {"private": True, "original": {"content": "AAAA.box2"}}}, None),
    (
        "all of them",
        UNBOXED | {"cyphertext": "AAAA.box2", "meta": {"original": {"content": "AAAA.box2"}}},
        {"originalContent": "AAAA.box2"},
    ),
]


@pytest.mark.parametrize(("_", "members", "meta"), PLACES, ids=[place[0] for place in PLACES])
def test_every_place_gives_back_what_was_signed(
    _: str, members: dict[str, Any], meta: dict[str, Any] | None
) -> None:
    sealed = message()
    row = land({**sealed.value, "content": CONTENT} | members, sealed.key, meta)
    assert (row.validity, row.warning) == ("valid", None)
    assert (row.is_private, row.is_decrypted, row.content_type) == (True, True, "post")


@pytest.mark.parametrize(("_", "members", "meta"), PLACES, ids=[place[0] for place in PLACES])
def test_whatever_is_kept_beside_it_a_sealed_message_is_not_opened(
    _: str, members: dict[str, Any], meta: dict[str, Any] | None
) -> None:
    sealed = message("BBBB.box2")
    row = land(sealed.value | members, sealed.key, meta)
    assert (row.validity, row.is_private, row.is_decrypted) == ("valid", True, False)


@pytest.mark.parametrize("plaintext", ["hello", 7, False, ["hello"], [{"type": "post"}]])
@pytest.mark.parametrize(("_", "members", "meta"), PLACES, ids=[place[0] for place in PLACES])
def test_a_plaintext_is_any_json(
    _: str, members: dict[str, Any], meta: dict[str, Any] | None, plaintext: object
) -> None:
    sealed = message()
    row = land({**sealed.value, "content": plaintext} | members, sealed.key, meta)
    assert (row.validity, row.is_private, row.is_decrypted) == ("valid", True, True)
    assert (row.content, row.content_type) == (None, None)
    other = land({**sealed.value, "content": "other"} | members, sealed.key, meta)
    assert row.plaintext_hash is not None
    assert row.plaintext_hash != other.plaintext_hash


@pytest.mark.parametrize(("_", "members", "meta"), PLACES, ids=[place[0] for place in PLACES])
def test_null_is_no_plaintext(_: str, members: dict[str, Any], meta: dict[str, Any] | None) -> None:
    sealed = message()
    row = land({**sealed.value, "content": None} | members, sealed.key, meta)
    assert (row.validity, row.is_private, row.is_decrypted) == ("valid", True, False)
    assert row.plaintext_hash is None


def test_the_order_of_members_makes_no_other_plaintext() -> None:
    """As databases and `jq -S` write it. Otherwise two logs would seem to contradict each other (R36)."""
    link = {"link": "%a", "name": "b"}
    content = CONTENT | {"secret": "A" * 43 + "=", "mentions": [link, link | {"size": 1}]}
    for kind in ("post", "group/init"):
        hashes = set()
        for text in (content | {"type": kind}, reverse(content | {"type": kind})):
            row = land({**message().value, "content": text}, message().key, PLACES[0][2])
            hashes.add(row.plaintext_hash)
        assert len(hashes) == 1
        assert None not in hashes


def reverse(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: reverse(value[name]) for name in reversed(value)}
    return [reverse(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    "content", [CONTENT | {"text": "a \ud83d", "more": {"\udc4d": 1}}, "a \ud83d"]
)
def test_a_replaced_character_makes_no_other_plaintext(content: Any) -> None:
    """An emoji that was cut, as jq and Go write it. Members that tables keep must be the same text."""

    def hash_of(text: str) -> str | None:
        opened = {**message().value, "content": json.loads(text)}
        return land(opened, message().key, PLACES[0][2]).plaintext_hash

    text = json.dumps(content)
    replaced = text.replace("\\ud83d", "\\ufffd").replace("\\udc4d", "\\ufffd")
    assert None is not hash_of(text) == hash_of(replaced) != hash_of(text.replace("a", "b"))
    kept = json.dumps(CONTENT | {"root": "\ud83d"})
    assert hash_of(kept) != hash_of(kept.replace("\\ud83d", "\\ufffd"))


@pytest.mark.parametrize(
    ("spelled", "exported"),
    [
        ("-0", "0"),
        ("-0.0", "0"),
        ("1e400", "null"),
        ("1.0", "1"),
        ('"\\u0061"', '"a"'),
        ("1E2", "100"),
    ],
)
def test_the_spelling_of_a_number_makes_no_other_plaintext(spelled: str, exported: str) -> None:
    """JavaScript exports JSON as it writes it, and Go the text of the author."""

    def hash_of(part: str) -> str | None:
        value = {**message().value, "content": CONTENT | {"more": ["the part", "-0.0"]}}
        line = {"key": message().key, "value": value, "meta": PLACES[0][2]}
        text = json.dumps(line).replace('"the part"', part)
        return row_of(text.encode()).plaintext_hash

    assert None is not hash_of(spelled) == hash_of(exported) != hash_of('"-0"')
    assert hash_of('"-0.0"') != hash_of('"0.0"')


@pytest.mark.parametrize("other", ["", "hello", "AAAB=.box2", "AAAA"])
def test_a_text_that_is_no_ciphertext_is_in_none_of_the_places(other: str) -> None:
    """It hides neither a ciphertext in a later place, nor a content that was signed as it is."""
    sealed, public = message(), ClassicFeed(bytes(32)).publish(CONTENT, 1)
    meta = {"originalContent": other}
    row = land({**sealed.value, "content": CONTENT, "cyphertext": "AAAA.box2"}, sealed.key, meta)
    assert (row.validity, row.is_decrypted) == ("valid", True)
    row = land(public.value, public.key, meta)
    assert (row.validity, row.is_private, row.is_decrypted) == ("valid", False, False)


OTHER_PLACES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"ciphertext": "AAAA.box2"}, {}),
    ({"boxed": {"texts": [1, "AAAA.box2"]}}, {}),
    ({}, {"cyphertext": "AAAA.box2", "private": True}),
    ({}, {"misc": {"private": True, "originalContent": "AAAA.box2"}}),
    ({}, {"original": {"key": "%a", "value": {"content": "AAAA.box2"}}}),
    ({}, {"meta": {"original": {"value": {"content": "AAAA.box2"}}}}),
    ({}, {"raw": '{"author": "@a", "content": "AAAA.box2"}'}),
    ({"raw": ['{"value": {"content": "AAAA.box2"}}', "{"]}, {}),
    (
        {},
        {"meta": "{&quot;private&quot;: true, &quot;originalContent&quot;: &quot;AAAA.box2&quot;}"},
    ),
    ({"cyphertext": "AAAE.box2"}, {"copies": ["AAAI.box2", "AAAM.box2", "AAAA.box2"]}),
]


@pytest.mark.parametrize("has_key", [True, False])
@pytest.mark.parametrize(("members", "beside"), OTHER_PLACES)
def test_a_ciphertext_in_any_other_place_is_proven(
    members: dict[str, Any], beside: dict[str, Any], has_key: bool
) -> None:
    content = {"type": "post", "text": "hello"}
    sealed = message()
    record = {"value": {**sealed.value, "content": content} | members} | beside
    if has_key:
        record["key"] = sealed.key
    row = row_of(record)
    assert (row.message_id, row.validity, row.warning) == (message_uri(sealed.key), "valid", None)
    assert (row.is_private, row.is_decrypted, row.content_type) == (True, True, "post")


def test_a_ciphertext_in_a_content_is_no_ciphertext_of_its_message() -> None:
    content = {"type": "post", "text": "hello", "quoted": "AAAA.box2"}
    sealed = message()
    assert land({**sealed.value, "content": content}, sealed.key).validity == "invalid"


@pytest.mark.parametrize(
    "beside",
    [
        {"private": True},
        {"misc": {"private": True}},
        {"misc": '{"private": true}'},
        {"meta": '{"private": true}'},
        {"meta": "{&quot;private&quot;: true}"},
    ],
)
def test_a_word_beside_the_value_says_that_a_message_was_private(beside: dict[str, Any]) -> None:
    value = {**message().value, "content": {"type": "post", "text": "hello"}}
    record = {"key": message().key, "value": value} | beside
    row = row_of(record)
    assert (row.validity, row.warning) == ("not_checked", "ciphertext_not_in_log")


@pytest.mark.parametrize("content", [None, "AAAA.box", "AAAA.box2"])
def test_null_and_ciphertext_of_a_format_that_is_not_checked_are_no_plaintexts(
    content: str | None,
) -> None:
    """A log that has no content of a message says nothing against the plaintext of another log (R36)."""
    author = "ssb:feed/bamboo/PETZhVe_pMOVSiZJdIm5Hs6cDE5uBMo6bkZART1ti2M="
    value = message().value | {"author": author}
    row, other = (land({**value, "content": one}, message().key) for one in (content, CONTENT))
    assert (row.validity, other.validity) == ("not_checked", "not_checked")
    assert row.plaintext_hash is None
    assert other.plaintext_hash is not None


@pytest.mark.parametrize("plaintext", ["hello", 7, ["hello"]])
def test_any_plaintext_without_its_ciphertext_is_not_checked(plaintext: object) -> None:
    sealed = message()
    row = land({**sealed.value, "content": plaintext}, sealed.key, {"private": True})
    assert (row.validity, row.warning) == ("not_checked", "ciphertext_not_in_log")
    unmarked = land({**sealed.value, "content": plaintext}, sealed.key)
    assert unmarked.validity == "invalid"


@pytest.mark.parametrize(("_", "members", "meta"), PLACES, ids=[place[0] for place in PLACES])
def test_another_ciphertext_is_not_the_original(
    _: str, members: dict[str, Any], meta: dict[str, Any] | None
) -> None:
    sealed = message("AAAB.box2".replace("B", "E"))
    row = land({**sealed.value, "content": CONTENT} | members, sealed.key, meta)
    assert (row.validity, row.invalid_reason) == ("invalid", "id_mismatch")


@pytest.mark.parametrize(
    ("members", "meta"),
    [({"private": True}, None), (UNBOXED, None), ({}, {"private": True}), ({}, None)],
)
def test_without_its_ciphertext_a_message_is_not_checked(
    members: dict[str, Any], meta: dict[str, Any] | None
) -> None:
    sealed = message()
    row = land({**sealed.value, "content": CONTENT} | members, sealed.key, meta)
    assert (row.validity, row.invalid_reason) == ("not_checked", None)
    assert (row.warning, row.is_decrypted) == ("ciphertext_not_in_log", True)


@pytest.mark.parametrize(
    "beside",
    [
        {"unbox": "dXV1"},
        {"meta": {"unbox": "dXV1"}},
        {"misc": {"unbox": {"type": "Buffer", "data": [1]}}},
    ],
)
def test_the_key_that_opens_a_message_says_that_it_was_private(beside: dict[str, Any]) -> None:
    """ssb-db (autobox.js, `decorate`) writes it into the value."""
    sealed = message()
    content = {"type": "post", "text": "hello"}
    for value in (
        {**sealed.value, "content": content},
        {**sealed.value, "content": content, "meta": {"unbox": "dXV1"}},
    ):
        record = {"key": sealed.key, "value": value, "timestamp": 2}
        row = row_of(record | (beside if "meta" not in value else {}))
        assert (row.validity, row.warning) == ("not_checked", "ciphertext_not_in_log")
        assert (row.message_id, row.is_decrypted) == (message_uri(sealed.key), True)


@pytest.mark.parametrize("members", [{"private": True}, {}])
def test_ssb_private_leaves_out_the_signature_when_it_opens_a_message(
    members: dict[str, Any],
) -> None:
    sealed = message()
    value = {**sealed.value, "content": CONTENT} | members
    del value["signature"]
    for order in value, dict(sorted(value.items())):
        row = land(order, sealed.key)
        assert (row.validity, row.warning) == ("not_checked", "ciphertext_not_in_log")
        assert (row.is_private, row.is_decrypted, row.content_type) == (True, True, "post")


@pytest.mark.parametrize("content", [CONTENT | {"recps": []}, "AAAA.box2"])
def test_without_its_signature_a_message_that_nobody_opened_is_invalid(content: object) -> None:
    value = {**message().value, "content": content}
    del value["signature"]
    assert land(value, message().key).invalid_reason == "members_out_of_order"


@pytest.mark.parametrize(
    "content",
    [
        CONTENT | {"recps": "@a"},
        {"type": "metafeed/seed", "metafeed": "none", "seed": "00" * 32},
        {"type": "group/init", "tangles": {"group": {"root": None, "previous": None}}},
    ],
    ids=["one recipient", "a seed", "the first message of a group"],
)
def test_what_is_always_private_was_private_even_if_nothing_says_so(
    content: dict[str, Any],
) -> None:
    sealed = ClassicFeed(bytes(32)).publish(content, 1, ciphertext="AAAA.box2")
    row = land({**sealed.value, "content": content}, sealed.key)
    assert (row.validity, row.warning) == ("not_checked", "ciphertext_not_in_log")


def test_a_changed_public_message_is_invalid() -> None:
    post = ClassicFeed(bytes(32)).publish({"type": "post", "text": "a"}, 1)
    row = land({**post.value, "content": {"type": "post", "text": "b"}}, post.key)
    assert (row.validity, row.invalid_reason) == ("invalid", "id_mismatch")


@pytest.mark.parametrize("is_beside", [False, True])
@pytest.mark.parametrize(
    "changed",
    [{"content": {"type": "post", "text": "fizzBuzz!"}}, {"content": "x", "timestamp": 3}],
)
def test_a_message_that_addmap_changed_is_the_one_that_was_signed(
    changed: dict[str, Any], is_beside: bool
) -> None:
    """The README of ssb-db: "modifications may only be made after the original value is saved"."""
    signed = ClassicFeed(bytes(32)).publish({"type": "about", "name": "Ann", "about": AUTHOR}, 1)
    kept = {"original": {name: signed.value[name] for name in changed}}
    meta = {"fizz": True, **kept}
    row = land({**signed.value, **changed, "meta": meta}, signed.key, kept if is_beside else None)
    assert row == land(signed.value, signed.key)
    assert (row.validity, row.content_type, row.is_private) == ("valid", "about", False)


@pytest.mark.parametrize(
    "named", [("author",), ("sequence",), ("previous",), ("author", "sequence")]
)
def test_what_was_kept_of_a_message_names_no_other_author_and_no_other_place(
    named: tuple[str, ...],
) -> None:
    """Anybody can put a message of their own there: it would be a valid one of whom the line names."""
    kept = ClassicFeed(bytes(32)).publish({"type": "post", "text": "a"}, 1)
    other = {"author": ClassicFeed(b"b" * 32).id, "sequence": 7, "previous": kept.key}
    claimed = {name: other[name] for name in named}
    row = land({**kept.value, **claimed, "meta": {"original": kept.value}}, kept.key)
    assert row.validity == "invalid"
    whole = {**kept.value, "content": {"type": "post"}, "meta": {"original": kept.value}}
    assert land(whole, kept.key) == land(kept.value, kept.key)


@pytest.mark.parametrize("suffix", [".box", ".box2", ".box3", ".box-of-tomorrow"])
def test_any_suffix_after_box_is_ciphertext(suffix: str) -> None:
    sealed = message(f"AAAA{suffix}")
    row = land(sealed.value, sealed.key)
    assert (row.validity, row.is_private, row.is_decrypted) == ("valid", True, False)


def test_additions_and_reordering_by_an_exporter_are_undone() -> None:
    post = ClassicFeed(bytes(32)).publish({"type": "post", "text": "a"}, 1)
    assert land(dict(sorted(post.value.items())), post.key).validity == "valid"
    assert land({**post.value, "exported": 1}, post.key).validity == "valid"


def in_order(value: dict[str, Any], *middle: str) -> dict[str, Any]:
    return {name: value[name] for name in ("previous", *middle, *value)}


@pytest.mark.parametrize("signed", [("sequence", "author"), ("author", "sequence")])
@pytest.mark.parametrize("written", [("sequence", "author"), ("author", "sequence")])
def test_either_order_of_a_message_may_be_written_in_the_other(
    signed: tuple[str, str], written: tuple[str, str]
) -> None:
    """go-ssb writes all messages in one order, whichever of the two the author signed."""
    feed = ClassicFeed(bytes(32))
    unsigned = {**feed.publish({"type": "post", "text": "a"}, 1).value, "signature": None}
    value = in_order(unsigned, *signed)
    del value["signature"]
    value["signature"] = feed.signer.sign(json.dumps(value, indent=2).encode())
    key = check_value(value).message_key
    assert key is not None
    exported = in_order(value, *written)
    assert land(exported, key).validity == "valid"
    row = row_of(exported)
    assert (row.message_id, row.validity) == (message_uri(key), "valid")
    forged = {**exported, "content": {"type": "post", "text": "b"}}
    assert land(forged, key).invalid_reason == "id_mismatch"


def test_a_reordered_content_accuses_nobody() -> None:
    """As `jq -S` writes: the text that was signed cannot be found again."""
    post = ClassicFeed(bytes(32)).publish({"type": "post", "text": "a"}, 1)
    jq = json.loads(json.dumps(post.value, sort_keys=True))
    row = land(jq, post.key)
    assert (row.validity, row.warning, row.is_decrypted) == (
        "not_checked",
        "members_reordered",
        False,
    )
    broken = land(jq | {"hash": "sha512"}, post.key)
    assert (broken.validity, broken.invalid_reason) == ("invalid", "hash_is_not_sha256")
    sealed = message()
    changed = {**dict(sorted(sealed.value.items())), "content": "AAAE.box2"}
    assert land(changed, sealed.key).invalid_reason == "id_mismatch"


@pytest.mark.parametrize(
    "content",
    [
        {"type": "post", "text": "a"},
        {"type": "deep", "link": {"b": [{"d": 1, "c": 2}], "a": 1}, "10": 1},
        {"type": "vote", "vote": {"link": "%a", "value": 1, "expression": "Like"}},
    ],
)
def test_a_content_that_go_has_sorted_accuses_nobody(content: dict[str, Any]) -> None:
    """Go writes the members of a map in the order of their names, and those of a struct as they are."""
    signed = ClassicFeed(bytes(32)).publish(content, 1)
    by_name = json.loads(json.dumps(content, sort_keys=True))
    row = land(signed.value | {"content": by_name}, signed.key)
    assert (row.validity, row.warning, row.is_private) == (
        "not_checked",
        "members_reordered",
        False,
    )
    unkeyed = row_of(signed.value | {"content": by_name})
    assert unkeyed.reject_reason == "id_is_unknown"
    vote = {"type": "vote", "vote": {"link": "%a", "value": 1}}
    for changed in (content | {"type": "other"}, {"type": "other"}, vote, {}):
        other = land(signed.value | {"content": changed}, signed.key)
        assert other.validity == "invalid"


def test_a_message_that_was_written_in_another_order_is_invalid() -> None:
    post = ClassicFeed(bytes(32)).publish({"type": "post", "text": "a"}, 1)
    value = dict(sorted(post.value.items()))
    key = check_value(value).message_key
    assert key is not None
    assert land(value, key).invalid_reason == "members_out_of_order"


def test_without_a_key_the_signature_proves_the_order() -> None:
    post = ClassicFeed(bytes(32)).publish({"type": "post", "text": "a"}, 1)
    row = row_of(dict(sorted(post.value.items())))
    assert (row.message_id, row.validity) == (message_uri(post.key), "valid")


def test_pzp_data_without_its_ciphertext_is_not_checked() -> None:
    from conftest import FIXTURES

    text = (FIXTURES / "reported" / "f01_pzp_decrypted.jsonl").read_text().splitlines()[5]
    record = json.loads(text)

    def landed() -> tuple[str | None, str | None]:
        row = pzp_row_of(record)
        return row.validity, row.invalid_reason

    assert landed() == ("valid", None)
    ciphertext = record["misc"].pop("originalData")
    assert landed() == ("not_checked", "ciphertext_not_in_log")
    record["misc"]["originalData"] = "A" + ciphertext[1:]
    assert landed() == ("invalid", "data_hash_differs")
    del record["misc"]
    assert landed() == ("invalid", "data_hash_differs")
    for place in (
        {"originalData": ciphertext},
        {"meta": {"private": True, "originalContent": ciphertext}},
        {"msg": record["msg"] | {"misc": {"originalData": ciphertext}}},
        {"more": [ciphertext, "AAAA.box", "AAAA.box\ud800"]},
        {"more": ["AAAA.box\ud800", "AAAA.box", ciphertext]},
    ):
        row = pzp_row_of(record | place)
        assert (row.validity, row.invalid_reason) == ("valid", None)


def test_a_record_of_pzp_among_the_members_of_its_message() -> None:
    """As rows of databases have it. A row may have a number of its own."""
    from conftest import FIXTURES

    text = (FIXTURES / "reported" / "f01_pzp_decrypted.jsonl").read_text().splitlines()[5]
    record = json.loads(text)
    flat = record["msg"] | {name: part for name, part in record.items() if name != "msg"}
    for members in (flat, flat | {"id": 17}, flat | {"id": "17"}):
        row = pzp_row_of(members)
        assert (row.message_id, row.validity) == (record["id"], "valid")
        assert row.received_ms == record["received"]
    other = flat | {"id": "GuRQhpASpQDxSK7T3sv72YzqqVxDSWm52UvSCR6yawkg"}
    row = pzp_row_of(other)
    assert row.invalid_reason == "id_differs"
