"""bendybutt-v1 compared with its reference. fixtures/bendybutt/make_vectors.mjs made the vectors."""

from __future__ import annotations

import base64
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from conftest import FIXTURES
from rows import row_of
from scuttlehouse.files import jsjson
from scuttlehouse.files.parts import Line
from scuttlehouse.sample.signing import BendyFeed, ClassicFeed, Signer
from scuttlehouse.ssb import bendybutt
from scuttlehouse.ssb.bendybutt import ANNOUNCEMENTS, check_message, message_bytes
from scuttlehouse.ssb.bfe import NoBytesError, bencode, encode
from scuttlehouse.ssb.checks import Check
from scuttlehouse.ssb.ids import any_id
from scuttlehouse.ssb.lines import epoch_key
from scuttlehouse.ssb.validation import check_value

VECTORS = [
    json.loads(line)
    for line in (FIXTURES / "bendybutt" / "vectors.jsonl").read_text(encoding="utf-8").splitlines()
]


def value_of(vector: dict[str, Any]) -> dict[str, Any]:
    """The value as in a log, parsed as JavaScript does."""
    value = jsjson.parse(json.dumps(vector["value"]))
    assert isinstance(value, dict)
    return value


def judge(vector: dict[str, Any], **changes: Any) -> Check:
    hmac_key = base64.b64decode(vector["hmac"]) if vector["hmac"] else None
    return check_message({**value_of(vector), **changes}, None, vector["key"], hmac_key)


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_every_vector_is_judged_as_the_reference_does(vector: dict[str, Any]) -> None:
    check = judge(vector)
    assert (check.validity == "valid") == (vector["error"] is None), check
    if check.validity == "valid":
        is_wrong = vector["isContentSigned"] is False
        assert check.warning == ("content_signature_is_wrong" if is_wrong else None)


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_the_bytes_are_those_of_the_reference(vector: dict[str, Any]) -> None:
    if judge(vector).invalid_reason == "content_signature_is_malformed":
        return
    _, native = message_bytes(value_of(vector))
    assert native.hex() == vector["native"]


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_a_message_has_the_id_of_its_hash_whatever_is_wrong_with_it(vector: dict[str, Any]) -> None:
    """Without a key it was no message, and with one its id counted as a claim that anybody can write."""
    value, key = vector["value"], vector["key"]
    row, bare = row_of({"key": key, "value": value}), row_of({"value": value})
    if row.invalid_reason == "content_signature_is_malformed":  # Its bytes are not in the log.
        assert (row.has_claimed_id, bare.reject_reason) == (True, "not_a_message")
        return
    assert (row.message_id, row.has_claimed_id) == (any_id(key), False)
    assert (bare.message_id, bare.invalid_reason) == (row.message_id, row.invalid_reason)


def test_vectors_of_every_reason() -> None:
    found = {judge(vector).invalid_reason for vector in VECTORS} - {None}
    by_json = {"member_is_missing", "id_mismatch"}
    assert found >= set(bendybutt.REASONS) - by_json | {"signature_is_wrong", "too_long"}


def test_any_change_of_a_signed_member_is_found() -> None:
    first, second = VECTORS[0], VECTORS[1]
    for name in bendybutt.MEMBERS:
        value = value_of(first)
        del value[name]
        assert check_message(value, None, first["key"], None).invalid_reason == "member_is_missing"
    for name, other in {
        "timestamp": 5.0,
        "sequence": 2.0,
        "signature": value_of(second)["signature"],
        "contentSignature": value_of(second)["contentSignature"],
        "content": value_of(second)["content"],
    }.items():
        changes = {name: other} | ({"previous": first["key"]} if name == "sequence" else {})
        assert judge(first, **changes).invalid_reason == "id_mismatch", name
        value = {**value_of(first), **changes}
        assert check_message(value, None, None, None).invalid_reason == "signature_is_wrong", name


def test_a_nonce_may_be_a_text() -> None:
    """go-metafeed writes bytes as base64. The vectors have one that is a text."""
    content = value_of(VECTORS[0])["content"]
    nonce = base64.b64encode(bytes(int(byte) for byte in content["nonce"]["data"])).decode()
    assert judge(VECTORS[0], content={**content, "nonce": nonce}).validity == "valid"


def test_a_value_without_bytes_is_not_checked() -> None:
    content = value_of(VECTORS[0])["content"]
    for kind in [["x"], {}, 5, None]:
        assert judge(VECTORS[0], content={**content, "type": kind}).invalid_reason == "id_mismatch"
    for odd in [0.5, 1e300, float("inf"), "%AAAA.ggmsg-v2", {"a": [1.5]}]:
        check = judge(VECTORS[0], content={**content, "odd": odd})
        assert check == Check(None, "not_checked", None, "signed_bytes_not_in_log"), odd


def as_go_metafeed_writes(vector: dict[str, Any]) -> dict[str, Any]:
    """The value that ``ValueContent`` of go-metafeed (``message.go``) makes of the bytes of a message."""
    value = value_of(vector)

    def texts(encoded: Any) -> Any:
        """BFE as Go's JSON writes it: every byte that is not UTF-8 becomes U+FFFD."""
        if isinstance(encoded, bytes):
            return encoded.decode("utf-8", "replace")
        if isinstance(encoded, list):
            return [texts(item) for item in encoded]
        if isinstance(encoded, dict):
            return {name: texts(item) for name, item in encoded.items()}
        return encoded

    section = encode(value["content"])
    if "contentSignature" in value:
        section = [section, encode(value.pop("contentSignature"))]
    signature = encode(value["signature"])
    assert isinstance(signature, bytes)
    return value | {
        "hash": "metafeed-v1",
        "content": texts(section),
        "signature": base64.b64encode(signature).decode() + ".metafeed-v1.sig.ed25519",
    }


def test_what_go_metafeed_writes_is_not_checked() -> None:
    """Ids, signatures and ciphertext are lost in it."""
    valid = [vector for vector in VECTORS if judge(vector).validity == "valid"]
    assert {type(as_go_metafeed_writes(vector)["content"]) for vector in valid} == {list}
    for vector in valid:
        line = {"key": vector["key"], "value": as_go_metafeed_writes(vector), "timestamp": 1}
        row = row_of(line)
        assert (row.validity, row.warning) == ("not_checked", "signed_bytes_not_in_log")
        assert (row.content, row.is_announcement_signed) == (None, None)


def test_a_list_with_a_signature_is_no_content() -> None:
    value = value_of(VECTORS[0])
    section = [value["content"], value.pop("contentSignature")]
    check = check_message({**value, "content": section}, None, VECTORS[0]["key"], None)
    assert check.invalid_reason == "content_is_malformed"


CONTENT = {
    "type": "metafeed/add/derived",
    "tangles": {"metafeed": {"root": None, "previous": None}},
}
SEALED = "AAAA.box2"


def opened(signer: Signer, feed: BendyFeed, subfeed: ClassicFeed) -> tuple[dict[str, Any], str]:
    """An opened announcement as ssb-db2 exports it. Some key signed its content."""
    content = {**CONTENT, "metafeed": feed.id, "subfeed": subfeed.id}
    message = feed.publish(content, 1, ciphertext=SEALED, subfeed=signer)
    return {**message.value, **message.opened, "content": content}, message.key


def test_an_opened_announcement_counts_by_the_signature_of_the_announced_feed() -> None:
    subfeed = ClassicFeed(bytes([2] * 32))
    value, key = opened(subfeed.signer, BendyFeed(bytes(32)), subfeed)
    check = check_message(value, SEALED, key, None)
    assert check == Check(None, "not_checked", None, "content_signature_only")
    stranger = Signer(bytes([3] * 32))
    value, key = opened(stranger, BendyFeed(bytes(32)), subfeed)
    check = check_message(value, SEALED, key, None)
    assert check == Check(None, "not_checked", None, "content_signature_is_wrong")


@pytest.mark.parametrize("is_kept", [True, False], ids=["with its ciphertext", "without"])
def test_what_somebody_read_in_a_section_makes_no_message_invalid(is_kept: bool) -> None:
    """Its author signed the ciphertext. A table without a column for the content signature lost it."""
    subfeed = ClassicFeed(bytes([2] * 32))
    value, key = opened(subfeed.signer, BendyFeed(bytes(32)), subfeed)
    meta = {"private": True} | ({"originalContent": SEALED} if is_kept else {})
    bare = {name: part for name, part in value.items() if name != "contentSignature"}
    for read, warning in [
        (bare, "content_signature_is_wrong"),
        ({**value, "contentSignature": None}, "content_signature_is_wrong"),
        ({**value, "contentSignature": "reboxed"}, "content_signature_is_wrong"),
        ({**value, "content": ["hello"]}, "signed_bytes_not_in_log"),
        ({**value, "content": 5}, "signed_bytes_not_in_log"),
    ]:
        row = row_of({"key": key, "value": read, "meta": meta})
        assert (row.validity, row.warning) == ("not_checked", warning), read
        assert not row.is_announcement_signed


def test_an_opened_section_of_the_specification_is_checked_fully() -> None:
    """One value in BFE, without a content signature beside it. Its bytes are in the log."""
    feed, subfeed = BendyFeed(bytes(32)), ClassicFeed(bytes([2] * 32))
    value, _ = opened(subfeed.signer, feed, subfeed)
    sealed = {name: part for name, part in value.items() if name != "contentSignature"}
    sealed["content"] = SEALED
    signed, _ = message_bytes(sealed)
    sealed["signature"] = value["signature"] = feed.signer.sign(signed)
    key = check_message(sealed, None, None, None).message_key
    assert check_message(sealed, None, key, None) == Check(key, "valid")
    assert check_message(value, SEALED, key, None) == Check(key, "valid")
    del value["contentSignature"]
    assert check_message({**value, "content": [1.0]}, SEALED, key, None) == Check(key, "valid")
    assert check_message(value, "AAAB.box2".replace("B", "Q"), key, None).validity == "not_checked"


def test_a_metafeed_must_sign_its_announcement_on_a_main_feed() -> None:
    main, metafeed = ClassicFeed(bytes(32)), BendyFeed(bytes([1] * 32))
    content = {"type": "metafeed/announce", "metafeed": metafeed.id, "subfeed": main.id}
    signature = metafeed.signer.sign(jsjson.stringify(content, 2).encode())
    for announced, warning in [
        ({**content, "signature": signature}, None),
        (content, "content_signature_is_wrong"),
        (
            {**content, "signature": Signer(bytes([5] * 32)).sign(b"x")},
            "content_signature_is_wrong",
        ),
        ({**content, "signature": signature, "more": 1}, "content_signature_is_wrong"),
        ({**content, "signature": 5}, "content_signature_is_wrong"),
    ]:
        message = main.publish(announced, 1)
        assert check_value(message.value, key=message.key) == Check(
            message.key, "valid", None, warning
        )


def test_an_announcement_on_a_main_feed_counts_only_if_both_have_signed_it() -> None:
    """The main feed signs the message, the metafeed its content (R37). Ciphertext hides what was signed.

    A feed of another format is no metafeed.
    """
    main, metafeed = ClassicFeed(bytes(32)), BendyFeed(bytes([1] * 32))

    def announced(above: BendyFeed | ClassicFeed) -> dict[str, Any]:
        content = {"type": "metafeed/announce", "metafeed": above.id, "subfeed": main.id}
        return {**content, "signature": above.signer.sign(jsjson.stringify(content, 2).encode())}

    both = announced(metafeed)
    content = {name: part for name, part in both.items() if name != "signature"}
    no_metafeed = main.publish(announced(ClassicFeed(bytes([1] * 32))), 1)
    stranger = Signer(bytes([5] * 32))
    opened = main.publish(both, 1, ciphertext=SEALED)
    for message, value, is_signed in [
        (counted := main.publish(both, 1), counted.value, True),
        (claimed := main.publish(content, 1), claimed.value, False),
        (no_metafeed, no_metafeed.value, False),
        (forged := main.publish(both, 1, signer=stranger), forged.value, False),
        (
            opened,
            {**opened.value, "content": both, "meta": {"original": {"content": SEALED}}},
            False,
        ),
        (post := main.publish({"type": "post"}, 1), post.value, None),
    ]:
        row = row_of({"key": message.key, "value": value})
        assert row.is_announcement_signed is is_signed, value


def test_an_announcement_counts_only_in_the_feed_format_that_it_is_for() -> None:
    """A classic feed announces its metafeed, and a metafeed its subfeeds: ssb-meta-feeds, validate.js.

    Elsewhere nobody checks the other feed's signature, so anybody would own any feed, or be any person.
    """
    main, metafeed, victim = ClassicFeed(bytes(32)), BendyFeed(bytes([1] * 32)), bytes([2] * 32)
    claims: list[tuple[ClassicFeed | BendyFeed, dict[str, Any]]] = [
        *((main, {"type": kind, "subfeed": BendyFeed(victim).id}) for kind in ANNOUNCEMENTS),
        *((main, {"type": kind, "subfeed": ClassicFeed(victim).id}) for kind in ANNOUNCEMENTS),
        (metafeed, {"type": "metafeed/announce", "metafeed": BendyFeed(victim).id}),
    ]
    for feed, claim in claims:
        content = {"metafeed": feed.id, "subfeed": feed.id, **claim}
        message = feed.publish(content, 1)
        value = message.value
        sealed = feed.publish(content, 1, ciphertext=SEALED)
        lines = [
            {"key": message.key, "value": value},
            {
                "key": sealed.key,
                "value": sealed.value
                | {"content": content, "meta": {"private": True, "originalContent": SEALED}},
            },
        ]
        rows = [*map(row_of, lines)]
        assert [row.is_announcement_signed for row in rows] == [False, False], content
        assert (rows[0].validity, rows[0].warning) == ("valid", "content_signature_is_wrong")


def test_an_announcement_counts_only_in_a_feed_that_it_names() -> None:
    """Nobody has signed who the author of an opened message is, and all feeds may sign what is about others.

    Otherwise a line in a stranger's name could count in place of the one with the true author.
    """
    metafeed, main, stranger = BendyFeed(bytes(32)), ClassicFeed(bytes([1] * 32)), bytes([2] * 32)
    content = {**CONTENT, "metafeed": metafeed.id, "subfeed": main.id}
    value, key = opened(main.signer, metafeed, main)
    announced = {"type": "metafeed/announce", "metafeed": metafeed.id, "subfeed": main.id}
    text = jsjson.stringify(announced, 2).encode()
    announced["signature"] = metafeed.signer.sign(text)
    of_main, of_other = (feed.publish(announced, 1) for feed in (main, ClassicFeed(stranger)))
    of_subfeed = BendyFeed(stranger).publish(content, 1, subfeed=main.signer)
    for said, message_id, is_signed in [
        (value, key, True),
        ({**value, "author": BendyFeed(stranger).id}, key, False),
        (of_main.value, of_main.key, True),
        (of_other.value, of_other.key, False),
        (of_subfeed.value, of_subfeed.key, False),
    ]:
        meta = {"private": True} if said.get("content") == value["content"] else {}
        row = row_of({"key": message_id, "value": said, "meta": meta})
        assert row.is_announcement_signed is is_signed, said


@pytest.mark.parametrize("is_opened", [True, False])
def test_no_entity_names_another_subfeed_than_the_one_that_has_signed(is_opened: bool) -> None:
    """A name of a member is there twice, as it is and in HTML: what was signed says another than the line."""
    metafeed, main, stranger = BendyFeed(bytes(32)), ClassicFeed(bytes([1] * 32)), bytes([2] * 32)
    if is_opened:
        value, key = opened(main.signer, metafeed, main)
    else:
        content = {**CONTENT, "metafeed": metafeed.id, "subfeed": main.id}
        sent = metafeed.publish(content, 1, subfeed=main.signer)
        value, key = sent.value, sent.key
    content = {**value["content"], "subfeed": ClassicFeed(stranger).id, "subfee&#100;": main.id}
    row = row_of(
        {"key": key, "value": {**value, "content": content}, "meta": {"private": is_opened}}
    )
    assert ClassicFeed(stranger).id not in (row.content or "") or not row.is_announcement_signed


def test_an_announcement_on_a_metafeed_counts_only_if_both_have_signed_it() -> None:
    """The metafeed signs the message, the announced feed its content (R37)."""
    feed, subfeed = BendyFeed(bytes(32)), ClassicFeed(bytes([2] * 32))
    content = {**CONTENT, "metafeed": feed.id, "subfeed": subfeed.id}
    both = feed.publish(content, 1, subfeed=subfeed.signer)
    claimed = feed.publish(content, 1)
    no_feed = {**content, "subfeed": f"%{subfeed.id[1:45]}.sha256"}
    of_no_feed = feed.publish(no_feed, 1, subfeed=subfeed.signer)
    sealed, sealed_key = opened(subfeed.signer, feed, subfeed)
    sealed_claim, claim_key = opened(feed.signer, feed, subfeed)
    for value, key, is_signed in [
        (both.value, both.key, True),
        (claimed.value, claimed.key, False),
        (of_no_feed.value, of_no_feed.key, False),
        (both.value | {"timestamp": 2}, both.key, False),
        (both.value | {"signature": Signer(bytes([5] * 32)).sign(b"x")}, None, False),
        (sealed, sealed_key, True),
        (sealed_claim, claim_key, False),
    ]:
        is_opened = key in (sealed_key, claim_key)
        meta = {"private": True, "originalContent": SEALED} if is_opened else {}
        row = row_of({"key": key, "value": value, "timestamp": 1, "meta": meta})
        assert row.is_announcement_signed is is_signed, (row.validity, row.warning)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text() | st.floats(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def plain_bencode(value: Any) -> bytes:
    if isinstance(value, bytes):
        return b"%d:" % len(value) + value
    if isinstance(value, int):
        return f"i{value}e".encode()
    if isinstance(value, list):
        return b"l" + b"".join(map(plain_bencode, value)) + b"e"
    names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    return (
        b"d"
        + b"".join(plain_bencode(name.encode()) + plain_bencode(value[name]) for name in names)
        + b"e"
    )


@given(VALUES)
def test_bencode_equals_a_plain_encoder(value: Any) -> None:
    try:
        encoded = encode(value)
    except NoBytesError:
        return
    assert bencode(encoded) == plain_bencode(encoded)


@given(st.dictionaries(st.sampled_from([*bendybutt.MEMBERS, "contentSignature"]), VALUES))
@example({"author": 5})
def test_no_value_stops_the_check(value: dict[str, Any]) -> None:
    base = value_of(VECTORS[0])
    for changed in (value, {**base, **value}):
        assert check_message(changed, None, None, None).validity in (
            "valid",
            "invalid",
            "not_checked",
        )
        assert check_message(changed, SEALED, "%a", None, is_opened=True).validity != "valid"


def test_every_announcement_of_real_logs_counts(tribes2: Path) -> None:
    """So real people keep all their feeds: opened announcements count by the announced feed's signature."""
    counted: Counter[tuple[str, str | None]] = Counter()
    for path in sorted(tribes2.glob("*/final/*.jsonl")):
        for number, text in enumerate(path.read_bytes().splitlines(), 1):
            row = row_of(text)
            if row.is_announcement_signed is not None:
                assert row.is_announcement_signed, (path, number)
                counted[str(row.validity), row.warning] += 1
            elif row.feed_format == "bendybutt-v1":
                assert row.validity == "valid"
    assert counted.keys() == {("valid", None), ("not_checked", "content_signature_only")}
    assert min(counted.values()) > 50


def test_real_logs_without_the_ciphertexts_accuse_nobody(tribes2: Path) -> None:
    """An exporter that keeps keys and values alone leaves out the member that holds the ciphertext."""
    for path in sorted(tribes2.glob("*/final/*.jsonl")):
        for number, text in enumerate(path.read_bytes().splitlines(), 1):
            record = json.loads(text)
            is_opened = record.pop("meta", None) is not None
            row = row_of(record)
            assert row.validity == ("not_checked" if is_opened else "valid"), (path, number)
            assert row.is_decrypted == is_opened
            assert row.is_announcement_signed is not False


def test_real_logs_with_contents_as_texts_say_the_same(tribes2: Path) -> None:
    for path in sorted(tribes2.glob("s1-simple/final/*.jsonl")):
        for text in path.read_bytes().splitlines():
            record = json.loads(text)
            record["value"]["content"] = json.dumps(record["value"]["content"])
            assert row_of(record) == row_of(text)
            written = json.dumps(record).encode()
            assert epoch_key(Line(1, written, None)) == epoch_key(Line(1, text, None))


def test_a_ciphertext_that_is_put_back_accuses_nobody(tribes2: Path) -> None:
    """As reEncrypt of ssb-db2 does: the signature beside it is that of the plaintext."""
    counted: Counter[str | None] = Counter()
    for path in sorted(tribes2.glob("*/final/*.jsonl")):
        for number, text in enumerate(path.read_bytes().splitlines(), 1):
            record = json.loads(text)
            meta = record.pop("meta", None)
            if meta is None:
                continue
            record["value"]["content"] = meta["originalContent"]
            row = row_of(record)
            is_metafeed = row.feed_format == "bendybutt-v1"
            assert row.validity == ("not_checked" if is_metafeed else "valid"), (path, number)
            assert (row.is_private, row.is_decrypted) == (True, False)
            counted[row.warning] += 1
    assert counted.keys() == {None, "signed_bytes_not_in_log"}


def test_a_ciphertext_beside_its_own_signature_is_checked() -> None:
    message = BendyFeed(bytes(32)).publish({"type": "post"}, 1, ciphertext=SEALED)
    for value, key, reason in (
        ({**message.value, "timestamp": 2}, message.key, "id_mismatch"),
        ({**message.value, "timestamp": 2}, None, "signature_is_wrong"),
    ):
        record = {"key": key, "value": value}
        row = row_of(record)
        assert (row.validity, row.invalid_reason) == ("invalid", reason)


def test_the_null_of_a_first_message_may_be_left_out() -> None:
    feed = BendyFeed(bytes(32))
    for is_first in True, False:
        message = feed.publish({"type": "post"}, 1)
        value = {name: part for name, part in message.value.items() if name != "previous"}
        record = {"key": message.key, "value": value}
        row = row_of(record)
        reason = None if is_first else "member_is_missing"
        assert (row.message_id, row.invalid_reason) == (message.uri, reason)


def test_a_whole_original_leaves_the_signature_of_the_plaintext() -> None:
    subfeed = ClassicFeed(bytes([2] * 32))
    value, key = opened(subfeed.signer, BendyFeed(bytes(32)), subfeed)
    outer = Signer(bytes([3] * 32)).sign(b"the ciphertext")
    original = {**value, "content": SEALED, "contentSignature": outer}
    record = {"key": key, "value": {**value, "meta": {"private": True, "original": original}}}
    row = row_of(record)
    assert (row.validity, row.warning) == ("not_checked", "content_signature_only")


def test_owners_of_real_logs_show_the_seeds_of_their_metafeeds(tribes2: Path) -> None:
    for path in sorted(tribes2.glob("*/final/*.jsonl")):
        rows = map(row_of, path.read_bytes().splitlines())
        assert len({row.owner_id for row in rows if row.owner_id}) == 1, path
