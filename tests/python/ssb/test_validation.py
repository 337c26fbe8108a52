"""Messages of the classic format, compared with the reference and with the rules one by one."""

from __future__ import annotations

import base64
import gzip
import hashlib
import hmac
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from chain_rule import LINK_REASONS, check_link
from conftest import FIXTURES
from scuttlehouse.files import jsjson
from scuttlehouse.ssb.checks import Check
from scuttlehouse.ssb.ids import feed_format, message_uri
from scuttlehouse.ssb.judging import check_opened
from scuttlehouse.ssb.network_key import NetworkKeyError, network_key, read_network_key
from scuttlehouse.ssb.opened import original
from scuttlehouse.ssb.validation import REASONS, WARNINGS, check_value, previous_text

FEEDS = FIXTURES / "feeds"
Json: TypeAlias = Any

ALICE, BOB = SigningKey(bytes([1]) * 32), SigningKey(bytes([2]) * 32)
NETWORK_KEY = bytes([7]) * 32


def lines(name: str) -> list[Json]:
    text = gzip.decompress((FEEDS / name).read_bytes()).decode()
    return [json.loads(line) for line in text.removesuffix("\n").split("\n")]


def raw_lines(name: str) -> list[dict[str, Json]]:
    """Log lines with the value as text, exactly as in the file."""
    text = gzip.decompress((FEEDS / name).read_bytes()).decode()
    parsed = [jsjson.parse(line) for line in text.removesuffix("\n").split("\n")]
    return [line for line in parsed if isinstance(line, dict)]


def check_message(
    value_text: str,
    *,
    key: str | None = None,
    hmac_key: bytes | None = None,
) -> Check:
    """Judge the JSON text of a message's value by itself."""
    try:
        value = jsjson.parse(value_text)
    except jsjson.TooDeepError:
        return Check(None, "invalid", "too_deep")
    except ValueError:
        return Check(None, "invalid", "not_json")
    return check_value(value, key=key, hmac_key=hmac_key)


# What the reference validator says

EDGE_CASES = lines("edge_cases.jsonl.gz")


def verdicts(case: dict[str, Json], key_text: str | None) -> tuple[bool, bool]:
    """Our append and out-of-order verdicts: the message's own, and its place after the state."""
    try:
        hmac_key = None if key_text is None else network_key(key_text)
    except NetworkKeyError:
        return False, False
    check = check_message(case["raw"], hmac_key=hmac_key)
    if check.validity != "valid":
        return False, False
    value = jsjson.parse(case["raw"])
    assert isinstance(value, dict)
    last = case["state"] and (case["state"]["id"], case["state"]["sequence"])
    follows = check_link(value["sequence"], value["previous"], last) is None
    # The only rule of the reference that is for messages out of order only.
    return follows, check.warning != "timestamp_is_no_number"


def test_all_edge_cases_are_here() -> None:
    assert len(EDGE_CASES) == 198


@pytest.mark.parametrize(
    "case", EDGE_CASES, ids=[f"{n}-{case['name'][:40]}" for n, case in enumerate(EDGE_CASES)]
)
def test_verdicts_and_ids_of_the_reference(case: dict[str, Json]) -> None:
    # The record of this case lacks the key that its name and its verdict mention.
    key_text = "" if case["name"] == "hmac empty string" else case["hmacKey"]
    assert verdicts(case, key_text) == (case["valid"], case["ooo_valid"])
    assert check_message(case["raw"]).message_key == case["id"]


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("type:ab:2", "type_is_malformed"),
        ('content-string:"AAB=.box"', "content_is_malformed"),
        ("len euro 8193 got 8193 utf8bytes 23915", "too_long"),
        ("initial seq 1.5", "sequence_is_no_integer"),
        ("initial timestamp null", "first_timestamp_is_no_number"),
        ("hash null", "hash_is_not_sha256"),
        ("no signature", "members_out_of_order"),
        ("sig 63 bytes", "signature_is_malformed"),
        ("sig bit flip S", "signature_is_wrong"),
        ("small-order key identity", "signature_is_wrong"),
        ("author null", "author_is_no_feed_id"),
        ("message []", "not_an_object"),
        ("sig 65 bytes", "signature_has_extra_bytes"),
        ("sig 66 bytes", "signature_has_extra_bytes"),
        ("seq2 timestamp null", "timestamp_is_no_number"),
        ('prev "%bad" state', "previous_is_no_message_id"),
    ],
)
def test_the_rule_that_decides_is_named(name: str, verdict: str) -> None:
    case = next(case for case in EDGE_CASES if case["name"] == name)
    check = check_message(case["raw"])
    assert verdict == (check.invalid_reason or check.warning)


def test_feeds_of_a_volume_log_are_valid_from_end_to_end() -> None:
    last: dict[str, tuple[str, int]] = {}
    log = raw_lines("volume_sample.jsonl.gz")
    for line in sorted(log, key=lambda line: line["value"]["sequence"]):
        value, key = line["value"], line["key"]
        assert check_value(value, key=key) == Check(key, "valid")
        assert check_link(value["sequence"], value["previous"], last.get(value["author"])) is None
        last[value["author"]] = key, value["sequence"]
    assert len(log) == 392
    assert len(last) == 14


def test_decrypted_messages_are_judged_on_their_ciphertext() -> None:
    decrypted = 0
    for line in raw_lines("decrypted.jsonl.gz"):
        value, meta = line["value"], line.get("meta", {})
        check = check_opened(value, original(value, meta), line["key"], None).check
        if feed_format(value["author"]) != "classic":
            assert check.validity == "valid" or check.warning == "content_signature_only"
            continue
        assert check == Check(line["key"], "valid")
        if "originalContent" in meta:
            decrypted += 1
            assert check_value(value).invalid_reason == "signature_is_wrong"
            assert check_value(value, key=line["key"]).invalid_reason == "id_mismatch"
    assert decrypted == 5


# A plain oracle: one predicate per rule, independent of the others


def utf16(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def is_canonical(text: str, sizes: range) -> bool:
    if not re.fullmatch(r"[A-Za-z0-9+/]*={0,2}", text, re.ASCII) or len(text) % 4:
        return False
    data = base64.b64decode(text)
    return base64.b64encode(data).decode() == text and len(data) in sizes


def is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def author_key(value: Json) -> bytes | None:
    author = value.get("author") if isinstance(value, dict) else None
    match = isinstance(author, str) and re.fullmatch(r"@([^.]*)\.ed25519", author)
    if match and is_canonical(match[1], range(32, 33)):
        return base64.b64decode(match[1])
    return None


def signature_of(value: Json) -> bytes | None:
    signature = value.get("signature")
    match = isinstance(signature, str) and re.fullmatch(r"([^.]*)\.sig\.ed25519", signature)
    if match and is_canonical(match[1], range(64, 67)):
        return base64.b64decode(match[1])
    return None


def has_right_order(value: Json) -> bool:
    for middle in (["sequence", "author"], ["author", "sequence"]):
        if list(value) == ["previous", *middle, "timestamp", "hash", "content", "signature"]:
            return True
    return False


def has_right_sequence(value: Json) -> bool:
    sequence = value.get("sequence")
    if not is_number(sequence) or not -(2**31) <= sequence < 2**31:
        return False
    return float(sequence).is_integer()


def has_right_content(value: Json) -> bool:
    content = value.get("content")
    if isinstance(content, str):
        match = re.match(r"([^.]*)\.box([^\n\r\u2028\u2029]*)\Z", content)
        return bool(match) and is_canonical(match[1], range(len(content)))  # type: ignore[index]
    return isinstance(content, dict | list)


def has_right_type(value: Json) -> bool:
    content = value.get("content")
    if not isinstance(content, dict | list):
        return True
    kind = content.get("type") if isinstance(content, dict) else None
    return isinstance(kind, str) and 6 <= len(utf16(kind)) <= 104


def has_right_signature(value: Json, hmac_key: bytes | None) -> bool:
    key, signature = author_key(value), signature_of(value)
    if key is None or signature is None:
        return False
    try:
        VerifyKey(key).verify(signable(value, hmac_key), signature[:64])
    except BadSignatureError:
        return False
    return True


def signable(value: Json, hmac_key: bytes | None) -> bytes:
    unsigned = {name: member for name, member in value.items() if name != "signature"}
    text = jsjson.stringify(unsigned, 2).encode()
    return text if hmac_key is None else hmac.new(hmac_key, text, "sha512").digest()[:32]


def id_of(value: Json) -> str:
    units = utf16(jsjson.stringify(value, 2))
    low_bytes = bytes(units[at] for at in range(0, len(units), 2))
    return f"%{base64.b64encode(hashlib.sha256(low_bytes).digest()).decode()}.sha256"


def is_message_id(value: Json) -> bool:
    match = isinstance(value, str) and re.fullmatch(r"%([^.]*)\.sha256", value)
    return bool(match) and is_canonical(match[1], range(32, 33))  # type: ignore[index]


def oracle(value: Json, key: str | None, hmac_key: bytes | None) -> Check:
    author = value.get("author") if isinstance(value, dict) else None
    if isinstance(author, str) and re.match(r"ssb:feed/(?!classic/|ed25519/)", author):
        return Check(None, "not_checked")
    rules: dict[str, Callable[[], bool]] = {
        "author_is_no_feed_id": lambda: author_key(value) is not None,
        "members_out_of_order": lambda: has_right_order(value),
        "sequence_is_no_integer": lambda: has_right_sequence(value),
        "first_timestamp_is_no_number": lambda: (
            value.get("sequence") != 1 or is_number(value.get("timestamp"))
        ),
        "hash_is_not_sha256": lambda: value.get("hash") == "sha256",
        "content_is_malformed": lambda: has_right_content(value),
        "type_is_malformed": lambda: has_right_type(value),
        "signature_is_malformed": lambda: signature_of(value) is not None,
        "too_long": lambda: len(utf16(jsjson.stringify(value, 2))) <= 2 * 8192,
        "id_mismatch": lambda: key is None or message_uri(key) == message_uri(id_of(value)),
        "signature_is_wrong": lambda: has_right_signature(value, hmac_key),
    }
    if not isinstance(value, dict):
        return Check(id_of(value), "invalid", "not_an_object")
    broken = {reason for reason, holds in rules.items() if not holds()}
    for reason in REASONS:
        if reason in broken:
            return Check(id_of(value), "invalid", reason)
    warning = None
    if len(signature_of(value) or b"") > 64:
        warning = "signature_has_extra_bytes"
    if value["previous"] is not None and not is_message_id(value["previous"]):
        warning = "previous_is_no_message_id"
    if not is_number(value["timestamp"]):
        warning = "timestamp_is_no_number"
    return Check(id_of(value), "valid", None, warning)


# Our own signed messages, and changes to them


def sigil(kind: str, data: bytes) -> str:
    start, end = {"message": "%.sha256", "feed": "@.ed25519"}[kind].split(".")
    return f"{start}{base64.b64encode(data).decode()}.{end}"


def sign(
    value: dict[str, Json], signer: SigningKey = ALICE, hmac_key: bytes | None = None
) -> dict[str, Json]:
    signature = signer.sign(signable(value, hmac_key)).signature
    return {**value, "signature": base64.b64encode(signature).decode() + ".sig.ed25519"}


def message(**changes: Json) -> dict[str, Json]:
    return {
        "previous": None,
        "sequence": 1,
        "author": sigil("feed", bytes(ALICE.verify_key)),
        "timestamp": 1600000000000,
        "hash": "sha256",
        "content": {"type": "post", "text": "hi"},
        **changes,
    }


texts = st.text(st.characters(exclude_categories=()), max_size=60)
scalars = st.none() | st.booleans() | st.floats() | st.integers() | texts
json_values: st.SearchStrategy[Json] = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(texts | st.sampled_from(["type", "__proto__", "0", "7"]), inner)
    ),
    max_leaves=8,
)
types = st.sampled_from(["post", "ab", "abc", "x" * 52, "x" * 53, "😀a", "😀" * 26, "😀" * 27])
contents = st.builds(
    lambda kind, rest: {**rest, "type": kind},
    types | texts,
    st.dictionaries(texts, json_values, max_size=4),
)
base64_texts = st.binary(max_size=80).map(lambda data: base64.b64encode(data).decode())
ciphertexts = st.builds(
    lambda text, cut, end: text[cut:] + end,
    base64_texts,
    st.integers(0, 2),
    st.sampled_from([".box", ".box2", ".box.sig", ".bo", ".box\n", ".box\u2028", ".box ", "=.box"]),
)
ids = st.builds(sigil, st.sampled_from(["message", "feed"]), st.binary(min_size=31, max_size=33))
near_misses: dict[str, st.SearchStrategy[Json]] = {
    "previous": ids | ids.map(lambda text: [text]) | ids.map(lambda text: text + "\n"),
    "sequence": st.sampled_from(
        [0, -1, 1.0, 1.5, "1", True, -0.0, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 1e400, 10**400]
    ),
    "author": ids
    | st.sampled_from(
        [
            sigil("feed", bytes(BOB.verify_key)),
            sigil("feed", bytes(32)),
            sigil("feed", bytes(ALICE.verify_key)) + "\n",
            "ssb:feed/ed25519/" + base64.urlsafe_b64encode(bytes(ALICE.verify_key)).decode(),
            "ssb:feed/gabbygrove-v1/" + base64.urlsafe_b64encode(bytes(32)).decode(),
        ]
    ),
    "timestamp": st.sampled_from([0, -1.5, 1e21, 1e400, "1600000000000", None, True, []]),
    "hash": st.sampled_from(["sha256", "SHA256", "sha256\n", ["sha256"], None]),
    "content": contents
    | ciphertexts
    | st.sampled_from([7600, 7900, 8000, 8300]).map(lambda n: {"type": "post", "text": "€" * n})
    | st.integers(3, 80).map(lambda n: {"type": "post", "deep": nested(n)}),
    "signature": st.builds(
        lambda data, end: base64.b64encode(data).decode() + end,
        st.binary(min_size=62, max_size=68),
        st.sampled_from([".sig.ed25519", ".sig.ed25519\n", "Xsig.ed25519", ".sig.ed25518", ""]),
    ),
}


def nested(depth: int) -> Json:
    value: Json = 1
    for _ in range(depth):
        value = [value]
    return value


@st.composite
def mutated_messages(draw: st.DrawFn) -> tuple[Json, str | None, bytes | None]:
    """A signed message with a change before or after signing; a key; a network."""
    hmac_key = draw(st.sampled_from([None, NETWORK_KEY]))
    value = message(content=draw(contents | base64_texts.map("{}.box".format)))
    if draw(st.booleans()):
        value |= {"previous": sigil("message", draw(st.binary(min_size=32, max_size=32)))}
        value |= {"sequence": draw(st.integers(2, 2**31 - 1))}
    if draw(st.booleans()):
        value = reordered(value, ["previous", "author", "sequence"])
    if draw(st.booleans()):
        value = mutate(draw, value)
    signer = draw(st.sampled_from([ALICE, ALICE, ALICE, BOB]))
    value = sign(value, signer, draw(st.sampled_from([hmac_key, hmac_key, hmac_key, NETWORK_KEY])))
    key = draw(st.sampled_from([None, None, id_of(value), message_uri(id_of(value)), id_of(None)]))
    if draw(st.booleans()):
        value = mutate(draw, value)
    return value, key, hmac_key


def reordered(value: dict[str, Json], first: list[str]) -> dict[str, Json]:
    return {**{name: value[name] for name in first}, **value}


def mutate(draw: st.DrawFn, value: dict[str, Json]) -> dict[str, Json]:
    name = draw(st.sampled_from(sorted(value.keys() & near_misses.keys())))
    match draw(st.integers(0, 8)):
        case 0:
            return {member: value[member] for member in value if member != name}
        case 1:
            return reordered(value, draw(st.permutations(list(value))))
        case 2:
            extra = {draw(texts | st.sampled_from(["0", "__proto__", "key"])): draw(json_values)}
            return {**extra, **value} if draw(st.booleans()) else {**value, **extra}
        case 3:
            return {**value, name: draw(json_values)}
        case 4 if "signature" in value:
            data = bytearray(base64.b64decode(value["signature"][:88]))
            data[draw(st.integers(0, 63))] ^= draw(st.sampled_from([0, 1, 16, 128]))
            data += draw(st.binary(max_size=3))
            return {**value, "signature": base64.b64encode(data).decode() + ".sig.ed25519"}
    return {**value, name: draw(near_misses[name])}


@settings(max_examples=4 * settings.default.max_examples)
@given(mutated_messages())
@example((sign(message()), None, None))
@example((sign(message(), hmac_key=NETWORK_KEY), None, NETWORK_KEY))
@example((sign(message(), BOB), None, None))
@example((sign(message(previous=["%"], timestamp=None, sequence=2)), None, None))
def test_mutated_messages_get_the_verdict_of_the_plain_rules(
    mutated: tuple[Json, str | None, bytes | None],
) -> None:
    value, key, hmac_key = mutated
    expected = oracle(value, key, hmac_key)
    assert check_value(value, key=key, hmac_key=hmac_key) == expected
    text = jsjson.stringify(value)
    expected = oracle(jsjson.parse(text), key, hmac_key)
    assert check_message(text, key=key, hmac_key=hmac_key) == expected


@given(json_values, st.none() | texts)
def test_any_json_gets_a_verdict(value: Json, key: str | None) -> None:
    check = check_value(value, key=key)
    assert check.validity == "invalid"
    assert check.invalid_reason in REASONS
    assert check.warning is None


SIGNED_TEXT = jsjson.stringify(sign(message(content={"type": "post", "text": "é\ud83d"})))


@given(st.integers(0, len(SIGNED_TEXT)), st.integers(0, 3), st.text(max_size=3))
def test_a_damaged_text_gets_a_verdict(at: int, cut: int, put: str) -> None:
    damaged = SIGNED_TEXT[:at] + put + SIGNED_TEXT[at + cut :]
    check = check_message(damaged)
    try:
        value = jsjson.parse(damaged)
    except ValueError:
        assert check == Check(None, "invalid", "not_json")
    else:
        assert check == oracle(value, None, None)


@pytest.mark.parametrize("size", [8190, 8191, 8192, 8193])
@pytest.mark.parametrize("letter", ["x", "é", "€", "😀", "\n", "\ud83d"])
def test_the_length_limit_counts_utf16_units(size: int, letter: str) -> None:
    units = len(utf16(jsjson.stringify(letter))) // 2 - 2
    signed = len(utf16(jsjson.stringify(sign(message(content={"type": "post", "t": ""})), 2))) // 2
    count, rest = divmod(size - signed, units)
    value = sign(message(content={"type": "post", "t": letter * count + "a" * rest}))
    assert len(utf16(jsjson.stringify(value, 2))) == 2 * size
    check = check_message(jsjson.stringify(value))
    assert check == oracle(value, None, None)
    assert check.validity == ("valid" if size <= 8192 else "invalid")


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({"sequence": -(2**31)}, None),
        ({"sequence": -(2**31) - 1}, "sequence_is_no_integer"),
        ({"sequence": 2**31 - 1}, None),
        ({"sequence": 2**31}, "sequence_is_no_integer"),
        ({"sequence": -0.0}, None),
        ({"sequence": True}, "sequence_is_no_integer"),
        ({"sequence": 1e400}, "sequence_is_no_integer"),
        ({"timestamp": 1e400}, None),
        ({"timestamp": True}, "first_timestamp_is_no_number"),
        ({"timestamp": True, "sequence": 2}, "timestamp_is_no_number"),
        ({"previous": sigil("message", bytes(32))}, None),
        ({"previous": sigil("message", bytes(31))}, "previous_is_no_message_id"),
        ({"previous": sigil("feed", bytes(32))}, "previous_is_no_message_id"),
        ({"previous": message_uri(sigil("message", bytes(32)))}, "previous_is_no_message_id"),
    ],
    ids=str,
)
def test_the_edges_of_the_types(changes: dict[str, Json], verdict: str | None) -> None:
    value = sign(message(**changes))
    check = check_value(value)
    assert (check.invalid_reason or check.warning) == verdict
    assert check == oracle(value, None, None)


@pytest.mark.parametrize("depth", [40, 60, 70, 120])
def test_deep_messages_are_too_long(depth: int) -> None:
    value = sign(message(content={"type": "post", "deep": nested(depth)}))
    assert check_message(jsjson.stringify(value)) == oracle(value, None, None)


@pytest.mark.parametrize("depth", [150, 1000, 100_000])
def test_deeper_messages_have_no_id(depth: int) -> None:
    text = '{"author":' + "[" * depth + "]" * depth + "}"
    assert check_message(text) == Check(None, "invalid", "too_deep")


def test_a_value_without_end_is_too_deep() -> None:
    loop: list[Json] = []
    loop.append(loop)
    assert check_value(message(content=loop)) == Check(None, "invalid", "too_deep")


def test_the_value_is_not_changed() -> None:
    value = sign(message())
    before = jsjson.stringify(value)
    check_value(value)
    assert jsjson.stringify(value) == before


# The place in the feed


PREVIOUS: list[Json] = [
    None,
    "%a",
    "%b",
    "",
    0,
    False,
    ["%a"],
    [["%a"]],
    ["%a", "%b"],
    [["%a"], []],
    [],
    {},
]


@pytest.mark.parametrize("previous", PREVIOUS, ids=str)
@pytest.mark.parametrize("sequence", [-1, 0, 1, 2, 3, 4, 2.0, 1.5])
def test_links_follow_the_chain_rule(sequence: float, previous: Json) -> None:
    first = check_link(sequence, previous, None)
    assert (first is None) == (sequence == 1 and previous is None)
    assert first is None or first in LINK_REASONS
    for last_id in ("%a", "%b"):
        for last_sequence in (1, 2, 3):
            reason = check_link(sequence, previous, (last_id, last_sequence))
            follows = sequence == last_sequence + 1 and javascript_text(previous) == last_id
            assert (reason is None) == follows
            assert reason is None or reason in LINK_REASONS


def javascript_text(value: Json) -> str | None:
    """The text that JavaScript compares: an array becomes its members joined by commas."""
    if isinstance(value, list):
        return ",".join(javascript_text(member) or "" for member in value)
    return value if isinstance(value, str) else None


def test_a_deeply_wrapped_previous_is_followed() -> None:
    wrapped: Json = "%a"
    for _ in range(100_000):
        wrapped = [wrapped]
    assert previous_text(wrapped) == "%a"


# What is documented


def test_reasons_and_warnings_are_sentences() -> None:
    for vocabulary in (REASONS, LINK_REASONS, WARNINGS):
        for code, sentence in vocabulary.items():
            assert re.fullmatch(r"[a-z0-9_]+", code)
            assert sentence.endswith(".")
    assert not set(REASONS) & set(LINK_REASONS)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwM",
        "AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAw==",
        "AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwN=",
        "AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwM=\n",
        "éééé",
        "\ud800",
    ],
)
def test_a_bad_network_key_is_refused_without_being_shown(text: str) -> None:
    with pytest.raises(NetworkKeyError, match="32 bytes in canonical base64") as caught:
        network_key(text)
    assert not text or text not in str(caught.value)


@pytest.mark.parametrize("key", [bytes(range(32)), b"\xff" * 5 + bytes(range(27))])
def test_a_network_key_in_place_of_its_file_is_not_shown(key: bytes) -> None:
    text = base64.b64encode(key).decode()
    with pytest.raises(NetworkKeyError, match="from the file that is named") as refused:
        read_network_key(Path(text))
    assert text[-20:] not in str(refused.value)


def test_a_file_of_a_network_key_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(NetworkKeyError, match=r"from no/such/network\.key "):
        read_network_key(Path("no/such/network.key"))
    file = tmp_path / "a_folder_with_a_name_as_long_as_a_key_0123456789" / "network_key"
    file.parent.mkdir()
    with pytest.raises(NetworkKeyError, match=f"from {file} "):
        read_network_key(file)
