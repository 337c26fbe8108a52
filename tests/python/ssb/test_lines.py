"""Lines become rows: whatever is on a line, it is one row, and no key or text leaves it."""

from __future__ import annotations

import base64
import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entries import KEY, KEY_TEXT, assert_row, entry, land_value, nested, places, post, written
from rows import RING
from rows import row_of as land
from scuttlehouse.files.parts import Line
from scuttlehouse.sample.signing import ClassicFeed
from scuttlehouse.ssb.epoch_keys import spelled_bytes
from scuttlehouse.ssb.lines import LandedLine, epoch_key, land_line
from scuttlehouse.ssb.texts import token
from scuttlehouse.warehouse_key import KEY_BYTES

NAMES = st.sampled_from(
    [
        "key",
        "value",
        "timestamp",
        "meta",
        "originalContent",
        "author",
        "sequence",
        "previous",
        "content",
        "type",
        "tangles",
        "group",
        "epoch",
        "members",
        "root",
        "recps",
        "excludes",
        "id",
        "feedpurpose",
        "secret",
        "data",
    ]
)


TEXTS = st.one_of(
    st.text(max_size=8),
    st.text(st.characters(categories=["Cs", "Lu"]), max_size=3),
    st.sampled_from(
        [
            post(ClassicFeed(bytes(32))).key,
            ClassicFeed(bytes(32)).id,
            "ssb:feed/bendybutt-v1/" + "A" * 43 + "=",
            "group/init",
            "group/add-member",
            "metafeed/add/derived",
            "post",
            "sha256",
            "A" * 86 + "==.sig.ed25519",
            "AAAA.box2",
            KEY_TEXT,
            "a" * 64,
        ]
    ),
)


JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**70), 2**70),
        st.floats(),
        TEXTS,
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(NAMES, TEXTS), inner, max_size=5),
    ),
    max_leaves=12,
)


def message_like(key: object, value: object, meta: object, received: object) -> dict[str, Any]:
    return {"key": key, "value": value, "meta": meta, "timestamp": received}


VALUES = st.fixed_dictionaries(
    {
        "previous": st.one_of(st.none(), TEXTS, JSON),
        "sequence": st.one_of(st.integers(-1, 3), st.floats(), st.integers()),
        "author": TEXTS,
        "timestamp": JSON,
        "hash": TEXTS,
        "content": st.one_of(
            st.fixed_dictionaries(
                {"type": TEXTS},
                optional=dict.fromkeys(
                    ["tangles", "recps", "excludes", "secret", "feedpurpose", "root", "branch"],
                    JSON,
                ),
            ),
            JSON,
        ),
        "signature": TEXTS,
    }
)


MESSAGES = st.builds(
    message_like,
    st.sampled_from(
        [post(ClassicFeed(bytes(32))).key, "ssb:message/bendybutt-v1/" + "A" * 43 + "="]
    ),
    VALUES,
    st.one_of(st.fixed_dictionaries({"originalContent": TEXTS}), JSON),
    JSON,
)


@given(value=st.one_of(JSON, MESSAGES), cut=st.integers(0, 10))
@settings(max_examples=4 * settings.default.max_examples)
def test_no_line_raises(value: object, cut: int) -> None:
    text = json.dumps(value, ensure_ascii=bool(cut)).encode("utf-8", "surrogatepass")
    line = Line(1, text[: len(text) - cut] if cut > 5 else text, None)
    assert_row(land_line("a.jsonl", line, RING))
    assert epoch_key(line) in (None, KEY, bytes.fromhex("aa" * 32))


def test_messages_are_what_the_strategy_makes() -> None:
    """The property above sees messages, not only rejects."""
    seen: Counter[tuple[str | None, bool]] = Counter()

    @given(value=MESSAGES)
    @settings(max_examples=100, database=None, derandomize=True)
    def count(value: object) -> None:
        row = land(written(value))
        seen[row.reject_reason, row.content is not None] += 1

    count()
    assert seen[None, True] > 30, seen


def test_a_row_of_a_message_in_full() -> None:
    message = post(
        ClassicFeed(bytes(32)), root=None, tangles={"poll": {"root": None, "previous": None}}
    )
    assert land(written(entry(message))) == LandedLine(
        source_file="a.jsonl",
        line_number=1,
        message_id=message.uri,
        feed_id=message.author,
        feed_format="classic",
        sequence=1,
        content_type="post",
        asserted_ms=1.0,
        received_ms=1.0,
        is_private=False,
        is_decrypted=False,
        content='{"type": "post", "tangles": {"poll": {"root": null, "previous": null}}, "root": null}',
        validity="valid",
        has_claimed_id=False,
    )


@pytest.mark.parametrize("time", [-62135596800000, -1, 0, -0.0, None, "one", "-1", True])
def test_a_time_that_is_not_after_1970_is_no_time_of_reception(time: object) -> None:
    """go-ssb writes the year 1, where it knows no time."""
    message = entry(post(ClassicFeed(bytes(32))))
    assert land(written(message | {"timestamp": time})).received_ms is None
    assert land(written(message | {"timestamp": 1})).received_ms == 1.0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "empty_line"),
        (b" \t ", "empty_line"),
        (b"\xff", "not_utf8"),
        (b'{"key": "\xed\xa0\x80"}', "not_utf8"),
        (b"{", "not_json"),
        (b"\xef\xbb\xbf{}", "not_json"),
        (b'{"a": "\x00"}', "not_json"),
        (b'{"a": NaN}', "not_a_message"),
        (b'{"a": Nan}', "not_json"),
        (b"{} {}", "not_json"),
        (nested(5_000), "too_deep"),
        (b"[" * 100_000, "too_deep"),
        (nested(129), "too_deep"),
        (nested(128), "not_a_message"),
        (b"null", "not_a_message"),
        (b"42", "not_a_message"),
        (b"[1]", "not_a_message"),
        (b"{}", "not_a_message"),
    ],
    ids=lambda value: value[:12] if isinstance(value, bytes) else value,
)
def test_lines_that_are_no_message(text: bytes, reason: str) -> None:
    assert land(text) == LandedLine("a.jsonl", 1, reason)


@pytest.mark.parametrize(
    "change",
    [
        {"key": 1, "author": "@nobody"},
        {"value": None},
        {"value": []},
        {"author": None},
        {"sequence": "one"},
        {"sequence": True},
        {"content": ...},
    ],
    ids=str,
)
def test_a_message_that_lacks_what_every_message_has(change: dict[str, Any]) -> None:
    whole = entry(post(ClassicFeed(bytes(32))))
    for name, value in change.items():
        part = whole if name in whole else whole["value"]
        part[name] = value
        if value is ...:
            del part[name]
    assert land(written(whole)).reject_reason == "not_a_message"


def test_deep_nesting_inside_a_message_is_a_reject() -> None:
    text = written(entry(post(ClassicFeed(bytes(32)), "DEEP")))
    assert land(text.replace(b'"DEEP"', nested(5_000))).reject_reason == "too_deep"


def test_unusual_text_in_a_valid_message() -> None:
    feed = ClassicFeed(bytes(32))
    for text in ["a\u2028b\u0085c", "\ud83d\udc1d", "\ud800 alone", "\x00", "\ufeff", "\x7f"]:
        row = land(written(entry(post(feed, text))))
        assert (row.validity, row.sequence) == ("valid", feed.sequence), repr(text)


def test_of_repeated_members_the_last_counts() -> None:
    message = post(ClassicFeed(bytes(32)), "the last")
    text = written(entry(message)).replace(b'"text":', b'"text": "the first", "text":')
    text = b'{"key": "%nothing", ' + text[1:]
    assert (land(text).message_id, land(text).validity) == (message.uri, "valid")


@pytest.mark.parametrize(
    ("sequence", "expected"),
    [
        (2**53, 2**53),
        (2**63 - 1, None),
        (2**64, None),
        (-(2**53), -(2**53)),
        (1.5, None),
        (1e400, None),
        (0, 0),
    ],
)
def test_sequences_that_no_feed_has(sequence: float, expected: int | None) -> None:
    text = json.dumps(entry(post(ClassicFeed(bytes(32))), sequence=sequence))
    row = land(text.replace("Infinity", "1e400").encode())
    assert (row.sequence, row.validity, row.reject_reason) == (expected, "invalid", None)


def test_halves_of_surrogate_pairs_never_reach_a_table() -> None:
    half = "\ud800"
    content = {
        "type": half,
        "root": half,
        "branch": [half],
        "recps": [half, {half: half}],
        "excludes": [half, {"id": half}],
        "tangles": {half: {"root": half, "previous": [half]}, half + half: half},
        "feedpurpose": half,
    }
    row = land_value(author=half, previous=half, content=content)
    assert_row(row)
    assert row.feed_id == row.previous_id == row.content_type == token(half, RING)
    assert "\\ud800" not in (row.content or "")


def test_a_previous_that_is_no_text_is_not_the_same_as_none() -> None:
    """The first message of a feed names no previous; what names anything is not the first."""
    uri = post(ClassicFeed(bytes(32))).uri
    sigil = post(ClassicFeed(bytes(32))).key
    expected: list[tuple[object, str | None]] = [(None, None), (sigil, uri), ([[sigil]], uri)]
    expected += [(5, ""), (False, ""), ([], ""), ({}, ""), ("text", token("text", RING))]
    # The hash proves that it was null.
    expected.append(("", None))
    for previous, previous_id in expected:
        assert land_value(previous=previous).previous_id == previous_id
    feed = ClassicFeed(bytes(32))
    feed.previous = ""
    assert land(written(entry(post(feed)))).previous_id == ""


@pytest.mark.parametrize("empty", ["", {"link": ""}, [""], [{"link": "", "name": "x"}]])
def test_an_empty_link_names_no_thread(empty: object) -> None:
    """Otherwise all posts with one were in one thread, and its root a message to fetch without an id."""
    row = land_value(content={"type": "post", "root": empty, "branch": empty})
    kept = json.loads(row.content or "")
    assert (kept["root"], kept["branch"]) in [(None, None), (0, [0])]


def test_numbers_that_are_none() -> None:
    for number in ["NaN", True, "one", None, [], 10**400]:
        row = land(written(entry(post(ClassicFeed(bytes(32))), timestamp=number)))
        assert row.asserted_ms is None, number


def test_a_decrypted_message_is_checked_by_its_ciphertext() -> None:
    feed = ClassicFeed(bytes(32))
    content = {"type": "post", "text": "for a few"}
    message = feed.publish(content, 1, ciphertext="AAAA.box2")
    sealed = entry(message)
    opened = entry(message, content=content) | {"meta": {"originalContent": "AAAA.box2"}}
    forged = entry(message, content=content) | {"meta": {"originalContent": "AAAB.box2"}}
    rows = [land(written(line)) for line in (sealed, opened, forged)]
    assert [(row.is_private, row.is_decrypted, row.validity) for row in rows] == [
        (True, False, "valid"),
        (True, True, "valid"),
        (True, True, "invalid"),
    ]
    assert [row.content for row in rows[:2]] == [None, '{"type": "post"}']


FORMS = {
    "base64": KEY_TEXT,
    "base64 without padding": KEY_TEXT.rstrip("="),
    "url-safe base64": base64.urlsafe_b64encode(KEY).decode(),
    "hex": KEY.hex(),
    "upper hex": KEY.hex().upper(),
    "integers": json.dumps(list(KEY)),
}


@pytest.mark.parametrize("form", [form for form in FORMS if form != "integers"])
def test_a_key_in_any_spelling(form: str) -> None:
    assert spelled_bytes(FORMS[form]) == KEY


@pytest.mark.parametrize("place", places())
def test_no_key_leaves_a_line(place: str) -> None:
    for name, form in FORMS.items():
        key: object = list(KEY) if name == "integers" else form
        content = {"type": "x", **places()[place](key)}
        for meta in ({}, {"originalContent": "AAAA.box2"}):
            message = post(ClassicFeed(bytes(32)))
            line = entry(message, content=content) | {"meta": meta}
            shown = repr(land(written(line)))
            for other, spelling in FORMS.items():
                assert spelling not in shown, f"a key as {name} is seen as {other}: {shown}"


@pytest.mark.parametrize("place", ["author", "previous", "hash", "signature"])
def test_no_key_leaves_the_frame_of_a_message(place: str) -> None:
    for name, form in FORMS.items():
        if name != "integers":
            shown = repr(land_value(**{place: form}))
            assert form not in shown, f"a key as {name} is seen: {shown}"


def test_public_purposes_are_kept() -> None:
    for purpose in ["main", "v1", "group/additions", "0", "f"]:
        content = {"type": "metafeed/add/derived", "feedpurpose": purpose}
        line = entry(post(ClassicFeed(bytes(32))), content=content)
        row = land(written(line | {"meta": {"originalContent": "AAAA.box2"}}))
        assert json.loads(row.content or "")["feedpurpose"] == purpose


def test_the_feed_of_additions_under_its_older_name() -> None:
    """ssb-tribes2 0.2.0: the feed is announced with the purpose `invitations`."""
    content = {"type": "metafeed/add/derived", "feedpurpose": "invitations"}
    line = entry(post(ClassicFeed(bytes(32))), content=content)
    for opened in ({}, {"meta": {"originalContent": "AAAA.box2"}}):
        row = land(written(line | opened))
        assert json.loads(row.content or "")["feedpurpose"] == "group/additions"


@pytest.mark.parametrize("sequence", [7, "7", {"$numberLong": "7"}])
def test_a_cutoff_in_any_notation_of_numbers(sequence: object) -> None:
    feed = ClassicFeed(bytes(32))
    excluded = {"id": feed.id, "groupFeedId": feed.id, "sequence": sequence}
    content = {"type": "group/exclude-member", "excludes": [excluded]}
    line = entry(post(feed), content=content) | {"meta": {"originalContent": "AAAA.box2"}}
    [kept] = json.loads(land(written(line)).content or "")["excludes"]
    assert kept == excluded | {"sequence": 7}


def test_key_hash_and_rank_stand_for_the_key() -> None:
    keys = [bytes([n]) * KEY_BYTES for n in (3, 1, 2)]
    # A key as a rank of bytes, where base64 text would say another order (ruling R23).
    keys += [base64.b64decode("+" * 43 + "="), base64.b64decode("A" * 43 + "=")]
    ring = RING.ranked(keys + keys)
    rows = [
        land_line(
            "a", Line(1, written(entry(post(ClassicFeed(bytes(32))), content=content)), None), ring
        )
        for key in keys
        for content in [{"type": "group/init", "secret": base64.b64encode(key).decode()}]
    ]
    order = sorted(keys)
    assert [ring.ranks[row.key_hash] for row in rows] == [order.index(key) for key in keys]
    assert len({row.key_hash for row in rows}) == len(keys)
    assert all(row.key_hash == ring.hash(key) for row, key in zip(rows, keys, strict=True))


def test_the_key_of_an_epoch_however_its_name_is_spelled() -> None:
    content = {"type": "group/init", "secret": KEY_TEXT}
    text = written(entry(post(ClassicFeed(bytes(32))), content=content))
    spelled = text.replace(b'"secret"', b'"\\u0073ecret"')
    other = text.replace(b"group/init", b"group/else")
    assert [epoch_key(Line(1, line, None)) for line in (text, spelled, other)] == [KEY, KEY, None]
    assert epoch_key(Line(1, None, "too_long")) is None
