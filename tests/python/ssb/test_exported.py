"""What exporters change in signed values: it is undone where the key or the signature proves it."""

from __future__ import annotations

import html
import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import pytest

from dialects import uri
from rows import RING, row_of
from scuttlehouse.files.parts import Line
from scuttlehouse.sample.signing import BendyFeed, ClassicFeed, Message
from scuttlehouse.ssb.exported import forms
from scuttlehouse.ssb.ids import message_uri
from scuttlehouse.ssb.lines import LandedLine, epoch_key, land_line
from scuttlehouse.ssb.validation import check_value

AT = 1445587812859
AUTHOR = ClassicFeed(bytes(32)).id
CONTENT = {"type": "post", "text": "a \u2713", "b": 1, "a": [{"y": 1, "x": 2}]}
# go-ssb 2022, private/manager.go: WrappedUnboxingSink.
REBOXED = {"hash": "", "signature": "reboxed", "meta": {"private": True}}


def post(at: float = AT, content: dict[str, Any] = CONTENT, **options: Any) -> Message:
    """The second message of a feed, so that it has a previous."""
    feed = ClassicFeed(bytes(32))
    feed.publish({"type": "first"}, 1)
    return feed.publish(content, at, **options)  # type: ignore[arg-type]


def land(value: dict[str, Any], key: str | None = None, **beside: Any) -> LandedLine:
    line = ({"key": key, "value": value} if key else value) | beside
    return row_of(line)


def in_order(value: dict[str, Any], *first: str) -> dict[str, Any]:
    return {name: value[name] for name in dict.fromkeys((*first, *value))}


def as_uris(value: dict[str, Any]) -> dict[str, Any]:
    return value | {name: uri(value[name]) for name in ("author", "previous")}


def by_jq(value: dict[str, Any]) -> dict[str, Any]:
    sorted_value: dict[str, Any] = json.loads(json.dumps(value, sort_keys=True))
    return sorted_value


def by_postgresql(value: Any) -> Any:
    """jsonb: shorter names first, then by bytes."""
    if isinstance(value, list):
        return [by_postgresql(item) for item in value]
    if not isinstance(value, dict):
        return value
    names = sorted(value, key=lambda name: (len(name.encode()), name.encode()))
    return {name: by_postgresql(value[name]) for name in names}


@pytest.mark.parametrize("key", [True, False])
@pytest.mark.parametrize("export", [dict, by_jq, as_uris])
def test_a_content_may_be_a_text_of_json(key: bool, export: Callable[[Any], Any]) -> None:
    """As a database with a column for it has it, and whatever else was done to the message."""
    signed = post(content={"type": "about", "name": "Ann", "about": AUTHOR, "10": 1e21})
    written = {**export(signed.value), "content": json.dumps(signed.value["content"])}
    row = land(written, signed.key if key else None)
    assert row == land(signed.value, signed.key)
    assert (row.validity, row.content_type) == ("valid", "about")


def test_a_ciphertext_may_be_a_text_of_json() -> None:
    signed = post(ciphertext="AAAA.box2")
    row = land({**signed.value, "content": json.dumps("AAAA.box2")}, signed.key)
    assert (row.validity, row.is_private, row.is_decrypted) == ("valid", True, False)


@pytest.mark.parametrize("text", ['{"type": "other"}', '{"type": "post"', "{" * 999, '"', '"{}"'])
def test_another_text_is_no_content(text: str) -> None:
    """Nobody can tell what was signed, so nobody is said to have changed it."""
    signed = post(content={"type": "post"})
    row = land({**signed.value, "content": text}, signed.key)
    assert (row.validity, row.invalid_reason) == ("invalid", "content_is_malformed")


@pytest.mark.parametrize("lone", ["\ud83d", "\udc4d\ud83d"])
@pytest.mark.parametrize("member", ["text", "\ufffd"])
def test_characters_that_software_has_replaced_accuse_nobody(lone: str, member: str) -> None:
    """An emoji that was cut: UTF-8 has no half of a surrogate pair, so that nobody can know which it was."""
    signed = post(content={"type": "post", member: f"a {lone}"})
    assert land(signed.value, signed.key).validity == "valid"
    text = json.dumps(signed.value["content"], ensure_ascii=False)
    content = json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    row = land(signed.value | {"content": content}, signed.key)
    assert (row.validity, row.warning) == ("not_checked", "characters_replaced")
    assert land(signed.value | {"content": content}).reject_reason == "id_is_unknown"
    other = land(signed.value | {"content": content, "hash": "other"}, signed.key)
    assert (other.validity, other.invalid_reason) == ("invalid", "hash_is_not_sha256")


@pytest.mark.parametrize("key", [True, False])
@pytest.mark.parametrize(
    "time",
    [
        "1445587812859",
        "1445587812859.0",
        "1.445587812859e12",
        "2015-10-23T08:10:12.859Z",
        "2015-10-23 10:10:12.859+02",
        "2015-10-23T08:10:12.859000",
        "2015-10-23 08:10:12.859 UTC",
        "2015-10-23 08:10:12.859 Z",
        "2015-10-23 10:10:12.859000000 +0200",
        "2015-10-23 08:10:12.859 +0000 UTC",
        {"$numberLong": "1445587812859"},
        {"$numberDouble": "1445587812859.0"},
        {"$date": "2015-10-23T08:10:12.859Z"},
        {"$date": {"$numberLong": "1445587812859"}},
    ],
)
def test_numbers_in_another_notation_are_proven(time: object, key: bool) -> None:
    signed = post()
    for sequence in (2, "2", {"$numberInt": "2"}):
        written = signed.value | {"timestamp": time, "sequence": sequence}
        row = land(written, signed.key if key else None)
        assert row == land(signed.value, signed.key)
        assert (row.validity, row.asserted_ms) == ("valid", AT)


def test_the_fraction_of_a_time_in_another_notation_is_kept() -> None:
    signed = post(AT + 0.003)
    for time in (f"{AT}.003", "2015-10-23T08:10:12.859003Z", str(AT)):
        row = land(signed.value | {"timestamp": time}, signed.key)
        assert (row.validity, row.asserted_ms) == ("valid", AT + 0.003)


@pytest.mark.parametrize("sequence", ["x", "", "2 3", "0x2", "2" * 99, [2], {"a": 2}, None, True])
def test_what_is_no_number_is_no_sequence(sequence: object) -> None:
    signed = post()
    row = land(signed.value | {"sequence": sequence}, signed.key)
    assert row.reject_reason == "not_a_message"


@pytest.mark.parametrize("key", [True, False])
def test_a_sequence_in_another_notation_that_nothing_proves_is_none(key: bool) -> None:
    """Nobody is said to have changed it, and no id is made up for it."""
    signed = post()
    row = land(signed.value | {"sequence": "3"}, signed.key if key else None)
    assert row.reject_reason == "not_a_message"
    broken = land(signed.value | {"sequence": "2", "signature": "A"}, signed.key if key else None)
    assert broken.reject_reason == "not_a_message"


# What databases and queues call the key of a record: their own, a column, or the id in another notation.
OTHER_KEYS = [1, "17", ["@a", 1], {"hash": "a"}, True, "%nothing.sha256", "\ud800", AUTHOR]


@pytest.mark.parametrize("beside", ["record", "value"])
@pytest.mark.parametrize("other", [*OTHER_KEYS, "hex", " spaces "], ids=str)
def test_a_key_that_is_no_id_of_a_message_hides_none(other: Any, beside: str) -> None:
    """The signature proves the message, and its hash is its id. What nothing proves gets no id."""
    signed = post(content={"type": "group/init", "secret": "AAAA"})
    notations = {"hex": b64decode(signed.key[1:-7]).hex(), " spaces ": f" {signed.key} "}
    key = {"key": notations.get(str(other), other)}
    whole, changed = (
        json.dumps(key | value if beside == "value" else key | {"value": value}).encode()
        for value in (signed.value, post().value | {"timestamp": 1})
    )
    assert land_line("a.jsonl", Line(1, whole, None), RING) == land(signed.value, signed.key)
    assert epoch_key(Line(1, whole, None)) == bytes(3)
    row = land_line("a.jsonl", Line(1, changed, None), RING)
    assert row == LandedLine("a.jsonl", 1, "not_a_message")


def test_an_opened_message_beside_another_key_has_the_id_of_its_document() -> None:
    """As a view of CouchDB gives it. Without that, nothing tells its id."""
    opened = post().value | {"content": {"type": "post", "recps": [AUTHOR]}}
    for beside, reason in (({"id": post().key}, None), ({}, "id_is_unknown")):
        line = json.dumps(beside | {"key": AT, "value": opened}).encode()
        row = land_line("a.jsonl", Line(1, line, None), RING)
        assert row is not None
        assert row.reject_reason == reason
        assert row.message_id == (message_uri(post().key) if beside else None)


def test_the_author_may_have_written_a_text_as_the_time() -> None:
    for time in ("soon", str(AT)):
        signed = post(timestamp=time)
        row = land(signed.value, signed.key)
        assert (row.validity, row.warning) == ("valid", "timestamp_is_no_number")


@pytest.mark.parametrize("key", [True, False])
@pytest.mark.parametrize(
    "rewrite",
    [
        lambda text: text.replace("'", "''"),
        lambda text: html.escape(text, quote=False),
        lambda text: text.replace("&", "&#38;").replace("'", "&#x27;"),
    ],
    ids=["a dump of SQL", "XML", "numeric entities"],
)
def test_texts_that_software_writes_in_another_way_are_proven(
    rewrite: Callable[[str], str], key: bool
) -> None:
    signed = post(content={"type": "post", "text": "it's 'so', isn''t \u00fc <b> &amp; \n & c"})
    text = rewrite(json.dumps(signed.value, ensure_ascii=False))
    written = json.loads(text)
    assert written != signed.value
    row = land(written, signed.key if key else None)
    assert row == land(signed.value, signed.key)
    assert row.validity == "valid"


def with_nulls(text: str) -> str:
    return json.dumps(json.loads(text) | {"channel": None, "root": None}, ensure_ascii=False)


# What software makes of a column of JSON.
COLUMNS: dict[str, Callable[[str], str]] = {
    "a dump of SQL": lambda text: text.replace("'", "''"),
    "XML": html.escape,
    "COPY": lambda text: text.replace("\\", "\\\\"),
    "a code page": lambda text: in_code_page(text, "cp850"),
    "a table": with_nulls,
}


@pytest.mark.parametrize("key", [True, False])
@pytest.mark.parametrize("left_out", [[], ["hash"]])
@pytest.mark.parametrize("export", [dict, by_jq])
@pytest.mark.parametrize("column", COLUMNS)
def test_a_content_in_a_column_is_proven_in_any_notation(
    column: str, export: Callable[[Any], Any], left_out: list[str], key: bool
) -> None:
    content = {"type": "post", "text": "it's \u00fc 'so' <b> & \"c\" \n d\\e"}
    signed = post(content=content)
    text = COLUMNS[column](json.dumps(content, ensure_ascii=False))
    value = export({name: part for name, part in signed.value.items() if name not in left_out})
    row = land(value | {"content": text}, signed.key if key else None)
    assert row == land(signed.value, signed.key)
    assert row.validity == "valid"
    changed = land(value | {"content": text.replace("so", "no")}, signed.key)
    assert changed.validity != "valid"


@pytest.mark.parametrize("column", COLUMNS)
def test_an_opened_content_in_a_column_is_read_in_any_notation(column: str) -> None:
    """No hash proves it."""
    key = b64encode(b"k" * 32).decode()
    text = "it's \u00fc 'so' <b> & \"c\" \n d\\e"
    content = {"type": "group/init", "secret": key, "text": text, "tangles": {}}
    sealed = post(content=content, ciphertext="AAAA.box")
    opened = sealed.value | {"content": content, "cyphertext": "AAAA.box"}
    written = COLUMNS[column](json.dumps(content, ensure_ascii=False))
    row = land(opened | {"content": written}, sealed.key)
    assert row == land(opened, sealed.key)
    assert (row.validity, row.content_type) == ("valid", "group/init")
    assert row.key_hash is not None
    line = {"key": sealed.key, "value": opened | {"content": written}}
    assert epoch_key(Line(1, json.dumps(line).encode(), None)) == b"k" * 32


@pytest.mark.parametrize("key", [True, False])
@pytest.mark.parametrize("column", ["a dump of SQL", "XML"])
def test_a_content_of_a_metafeed_in_a_column_is_proven_in_any_notation(
    column: str, key: bool
) -> None:
    signed = BendyFeed(bytes(32)).publish({"type": "metafeed/tombstone", "reason": "it's \xfc"}, 1)
    text = COLUMNS[column](json.dumps(signed.content, ensure_ascii=False))
    row = land(signed.value | {"content": text}, signed.key if key else None)
    assert row == land(signed.value, signed.key)
    assert row.validity == "valid"


@pytest.mark.parametrize("column", ["a dump of SQL", "XML"])
def test_a_sorted_content_in_a_column_accuses_nobody_in_any_notation(column: str) -> None:
    content = {"type": "post", "text": "it's & \xfc", "channel": "c"}
    signed = post(content=content)
    text = COLUMNS[column](json.dumps(by_postgresql(content), ensure_ascii=False))
    row = land(signed.value | {"content": text}, signed.key)
    assert (row.validity, row.warning) == ("not_checked", "members_reordered")
    assert row.content_type == "post"


@pytest.mark.parametrize("key", [True, False])
@pytest.mark.parametrize("code_page", ["cp437", "cp1252"])
def test_a_text_in_a_code_page_is_written_into_a_column(code_page: str, key: bool) -> None:
    """Python writes it with escapes."""
    signed = post(content={"type": "about", "about": AUTHOR, "name": "Jos\xe9"})
    written = json.loads(in_code_page(json.dumps(signed.value, ensure_ascii=False), code_page))
    written["content"] = json.dumps(written["content"])
    row = land(written, signed.key if key else None)
    assert row == land(signed.value, signed.key)
    assert row.validity == "valid"


@pytest.mark.parametrize("text", ["&quot;", "&#0;", "&#10;", "&lt;", "''"])
def test_other_texts_with_the_same_signs_are_other_messages(text: str) -> None:
    signed = post(content={"type": "post", "text": f"a {text}"})
    assert land(signed.value, signed.key).validity == "valid"
    changed = signed.value | {"content": {"type": "post", "text": f"b {text}"}}
    assert land(changed, signed.key).invalid_reason == "id_mismatch"


# Python reads no more than 4,300 digits.
LONG_ENTITY = f"&amp;&#{'1' * 4301};"


@pytest.mark.parametrize("at_end", ["", ";", " b"])
@pytest.mark.parametrize("key", [True, False])
def test_an_entity_with_a_number_of_any_length_is_read(key: bool, at_end: str) -> None:
    """Anybody can write one. It ended every build."""
    signed = post(content={"type": "post", "text": LONG_ENTITY + at_end})
    said = signed.key if key else None
    assert land(signed.value, said).validity == "valid"
    assert land(signed.value | {"timestamp": 2}, said).validity == "invalid"
    opened = {"content": {"type": "post", "text": f"b {LONG_ENTITY}{at_end}"}, "private": True}
    assert land(signed.value | opened, signed.key).plaintext_hash


@pytest.mark.parametrize("depth", [1, 1500, 30_000])
@pytest.mark.parametrize("key", [True, False])
def test_an_entity_opens_no_list_and_ends_no_text(depth: int, key: bool) -> None:
    """The rest of the text would be JSON of any depth."""
    signed = post()
    text = f"&quot;, &quot;a&quot;: {depth * '['}{depth * ']'}, &quot;b&quot;: &quot;"
    changed = signed.value | {"content": {"type": "post", "text": text}}
    row = land(changed, signed.key if key else None)
    assert (row.reject_reason, row.validity) == (None, "invalid")


@pytest.mark.parametrize("quote", ["&quot;", "&#34;"])
def test_what_stands_in_a_text_is_no_message_of_another_feed(quote: str) -> None:
    """Another feed has signed it, and its hash is the key; the author that the line names has not."""
    signed = post()
    inside = json.dumps(signed.value)[1:-1].replace('"', quote)
    ending = f", {quote}a{quote}: {{{quote}b{quote}: {quote}"
    content = {"type": "post", "text": f"a{quote}}}, {inside}{ending}"}
    value = signed.value | {"author": ClassicFeed(b"b" * 32).id, "content": content}
    name = "".join(f"&#{ord(letter)};" for letter in "author")
    for forged in (value, signed.value | {"author": value["author"], name: AUTHOR}):
        assert land(forged, signed.key).validity != "valid"


def test_an_empty_key_is_none() -> None:
    signed = post()
    line = json.dumps({"key": "", "value": signed.value}).encode()
    assert land_line("a.jsonl", Line(1, line, None), RING) == land(signed.value, signed.key)


def in_code_page(text: str, code_page: str) -> str:
    """As PowerShell reads what other programs print."""
    bare = [bytes([byte]).decode(code_page, "replace") for byte in range(256)]
    read = [chr(byte) if sign == "\ufffd" else sign for byte, sign in enumerate(bare)]
    return "".join(read[byte] for byte in text.encode())


@pytest.mark.parametrize("key", [True, False])
@pytest.mark.parametrize("export", [dict, as_uris])
@pytest.mark.parametrize("code_page", ["cp437", "cp850", "cp866", "cp1252", "cp1251"])
@pytest.mark.parametrize(
    "text", ["Gr\xfc\xdfe \xe0 \xc1", "\u0417\u0434\u0440", "\u4e0a\u6d77 \U0001f600 \u2019"]
)
def test_utf_8_that_was_read_in_a_code_page_is_undone(
    text: str, code_page: str, export: Callable[[Any], Any], key: bool
) -> None:
    signed = post(content={"type": "about", "about": AUTHOR, "name": text})
    written = in_code_page(json.dumps(export(signed.value), ensure_ascii=False), code_page)
    row = land(json.loads(written), signed.key if key else None)
    assert row == land(signed.value, signed.key)
    assert row.validity == "valid"


@pytest.mark.parametrize("code_page", ["cp437", "cp850", "cp866", "cp1252", "cp1250", "cp1254"])
@pytest.mark.parametrize("text", ["\xfc\u2019 \U0001f600", "Jos\xe9", "f\xfcr", "\u010cesk\xe1"])
def test_a_plaintext_that_was_read_in_a_code_page_is_no_other(text: str, code_page: str) -> None:
    """A text that was read in one code page may be UTF-8 in another, too."""
    content = {"type": "post", "text": text}
    signed = post(content=content, ciphertext="AAAA.box")
    opened = signed.value | {"content": content, "cyphertext": "AAAA.box"}
    written = json.loads(in_code_page(json.dumps(opened, ensure_ascii=False), code_page))
    assert written != opened
    one, other = land(opened, signed.key), land(written, signed.key)
    assert (one.validity, one.plaintext_hash) == (other.validity, other.plaintext_hash)
    assert (other.validity, other.is_decrypted) == ("valid", True)


@pytest.mark.parametrize("column", [False, True])
@pytest.mark.parametrize("write", ["a dump of SQL", "XML", "COPY"])
def test_a_plaintext_in_a_dump_is_no_other(write: str, column: bool) -> None:
    """Its author may have written the same signs, and another author another text."""
    texts = ["it's & so", "isn''t &amp; d\\e", "&lt;'\\n", "another"]
    hashes = []
    for text in texts:
        content = {"type": "post", "text": text, "recps": [AUTHOR]}
        signed = post(content=content, ciphertext="AAAA.box")
        opened = signed.value | {"content": content, "cyphertext": "AAAA.box"}
        written = {name: COLUMNS[write](part) for name, part in content.items() if name != "recps"}
        written["recps"] = [AUTHOR]
        plaintext = json.dumps(written) if column else written
        one, other = land(opened, signed.key), land(opened | {"content": plaintext}, signed.key)
        assert (other.validity, other.is_decrypted) == ("valid", True)
        assert (one.plaintext_hash, one.content) == (other.plaintext_hash, other.content)
        hashes.append(one.plaintext_hash)
    assert len({*hashes}) == len(texts)


def test_a_plaintext_with_other_spellings_of_ids_is_no_other() -> None:
    """In members that no table keeps, too."""
    signed = post(ciphertext="AAAA.box")
    hashes = set()
    for link in (signed.key, signed.uri, signed.uri.replace("/", ":"), signed.uri.rstrip("=")):
        vote = {"type": "vote", "vote": {"link": link, "value": 1}, "mentions": [{"link": link}]}
        hashes.add(land(signed.value | {"content": vote, "cyphertext": "AAAA.box"}).plaintext_hash)
    assert len(hashes) == 1
    other = {"type": "vote", "vote": {"link": post().key, "value": 1}, "mentions": [{"link": link}]}
    row = land(signed.value | {"content": other, "cyphertext": "AAAA.box"})
    assert row.plaintext_hash not in hashes


def test_a_long_text_that_was_read_in_a_code_page_is_not_too_long() -> None:
    signed = post(content={"type": "post", "text": "\u4e0a" * 4000})
    written = json.loads(in_code_page(json.dumps(signed.value, ensure_ascii=False), "cp437"))
    assert check_value(written).invalid_reason == "too_long"
    assert land(written, signed.key).validity == "valid"


def test_what_proves_nothing_changes_no_fault() -> None:
    """With its entities read, this message would be short enough, and another."""
    content = {"type": "post", "text": "&amp;" * 2000}
    row = land(post().value | {"content": content}, post().key)
    assert (row.validity, row.invalid_reason) == ("invalid", "too_long")


# What programs do to a message, one after the other: to its members, then to its content.
TO_MEMBERS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "sequence as a text": lambda value: value | {"sequence": "2"},
    "ids as URIs": as_uris,
    "another order": lambda value: in_order(value, "content", "author"),
    "a member more": lambda value: value | {"id": 1},
    "time cut": lambda value: value | {"timestamp": AT},
    "time as a text": lambda value: value | {"timestamp": str(value["timestamp"])},
}
TO_CONTENT: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "entities": lambda value: {
        **value,
        "content": value["content"] | {"text": html.escape(value["content"]["text"])},
    },
    "content as a text": lambda value: value | {"content": json.dumps(value["content"])},
}


@pytest.mark.parametrize(
    "names", [*combinations([*TO_MEMBERS, *TO_CONTENT], 2), (*TO_MEMBERS, "content as a text")]
)
def test_what_several_programs_have_done_is_undone_together(names: tuple[str, ...]) -> None:
    signed = post(AT + 0.003, {"type": "post", "text": "a & b \xe9", "a": 1})
    value = signed.value
    for name in names:
        value = (TO_MEMBERS | TO_CONTENT)[name](value)
    assert land(value, signed.key) == land(signed.value, signed.key)
    if "entities" not in names:  # Two ways to write a text are one too many.
        written = json.loads(in_code_page(json.dumps(value, ensure_ascii=False), "cp437"))
        assert land(written, signed.key) == land(signed.value, signed.key)


@pytest.mark.parametrize("names", [*combinations(TO_MEMBERS, 2), tuple(TO_MEMBERS)])
def test_a_key_proves_what_was_written_though_nobody_has_signed_it(names: tuple[str, ...]) -> None:
    """Its fault is that of the message, and not what a program did to it."""
    value = written = post(AT + 0.003).value | {"signature": post(1).value["signature"]}
    for name in names:
        written = TO_MEMBERS[name](written)
    row = land(written, check_value(value).message_key)
    assert row == land(value, check_value(value).message_key)
    assert (row.validity, row.invalid_reason) == ("invalid", "signature_is_wrong")


def test_a_message_that_lacks_members_is_written_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is, and whole: a stranger can write many of them, and they were judged once more as a whole."""
    written = []

    def check(value: dict[str, Any], **options: Any) -> Any:
        written.append([*value])
        return check_value(value, **options)

    monkeypatch.setattr("scuttlehouse.ssb.exported.check_value", check)
    land({"author": AUTHOR, "sequence": 1, "content": {"type": "post"}})
    as_it_is = ["author", "sequence", "content"]
    assert written == [as_it_is, ["previous", *as_it_is[:2], "hash", "content"]]


def test_another_text_in_a_code_page_is_another_message() -> None:
    signed = post(content={"type": "post", "text": "a"})
    changed = signed.value | {"content": {"type": "post", "text": in_code_page("\xe9", "cp437")}}
    assert land(changed, signed.key).invalid_reason == "id_mismatch"


def test_the_author_may_have_written_the_character() -> None:
    signed = post(content={"type": "post", "text": "\ufffd"})
    row = land(signed.value, signed.key)
    assert (row.validity, row.warning) == ("valid", None)


@pytest.mark.parametrize("left_out", [[], ["previous"], ["hash"], ["previous", "hash"]])
@pytest.mark.parametrize("export", [dict, by_jq])
@pytest.mark.parametrize("sequence", [1, "1"])
@pytest.mark.parametrize("key", [True, False])
def test_members_that_are_left_out_are_proven(
    left_out: list[str], export: Callable[[Any], Any], sequence: object, key: bool
) -> None:
    """Whatever else was done to the message."""
    first = ClassicFeed(bytes(32)).publish({"text": "a & b", "type": "post"}, 1)
    value = {name: part for name, part in first.value.items() if name not in left_out}
    for author in (AUTHOR, uri(AUTHOR)):
        for text, time in product(("a & b", "a &amp; b"), (1, "1")):
            changed = {"author": author, "content": {"text": text, "type": "post"}}
            numbers = {"sequence": sequence, "timestamp": time}
            written = export(value | changed | numbers)
            # A table has null for them.
            for other in (written, export(written | dict.fromkeys(left_out))):
                assert land(other, first.key if key else None) == land(first.value, first.key)


@pytest.mark.parametrize("key", [True, False])
@pytest.mark.parametrize("export", [dict, by_jq])
@pytest.mark.parametrize("sequence", [1, "1"])
@pytest.mark.parametrize("null", ["", "null", "NULL", "\\N", "None"])
def test_a_previous_that_is_a_text_for_null_is_proven(
    null: str, sequence: object, export: Callable[[Any], Any], key: bool
) -> None:
    """As CSV has it. An author may have signed the text."""
    signed = ClassicFeed(bytes(32)).publish({"type": "post"}, 1)
    value = export(signed.value | {"previous": null, "sequence": sequence})
    assert land(value, signed.key if key else None) == land(signed.value, signed.key)
    second = post()
    row = land(second.value | {"previous": null}, second.key)
    assert (row.validity, row.invalid_reason) == ("invalid", "id_mismatch")
    feed = ClassicFeed(bytes(32))
    feed.previous = null
    other = feed.publish({"type": "post"}, 1)
    assert land(other.value, other.key).warning == "previous_is_no_message_id"
    first = BendyFeed(bytes(32)).publish({"type": "a"}, 1)
    assert land(first.value | {"previous": null}, first.key) == land(first.value, first.key)


@pytest.mark.parametrize("null", ["", "null", "NULL", r"\N", "None"])
def test_a_previous_that_is_a_text_for_null_is_none_in_an_opened_message(null: str) -> None:
    content = {"type": "post", "recps": [AUTHOR]}
    signed = ClassicFeed(bytes(32)).publish(content, 1, ciphertext="AAAA.box")
    opened = signed.value | {"content": content}
    row = land(opened | {"previous": null}, signed.key)
    assert (row.validity, row.previous_id) == ("not_checked", None)
    assert row == land(opened, signed.key)


@pytest.mark.parametrize(
    "time", ["1700000000000", "2023-11-14T22:13:20.000Z", {"$numberLong": "1"}]
)
@pytest.mark.parametrize("sequence", [1, "1"])
def test_a_time_in_another_notation_accuses_nobody(time: object, sequence: object) -> None:
    """Where nobody can tell whether the message is valid. It is the first of its feed."""
    content = {"type": "post", "recps": [AUTHOR]}
    signed = ClassicFeed(bytes(32)).publish(content, 1_700_000_000_000, ciphertext="AAAA.box")
    value = signed.value | {"content": content, "timestamp": time, "sequence": sequence}
    row = land(value, signed.key)
    assert (row.validity, row.warning) == ("not_checked", "ciphertext_not_in_log")
    assert row.asserted_ms == (1 if isinstance(time, dict) else 1_700_000_000_000)
    public = land(value | {"content": {"type": "post"}, "timestamp": "soon"}, signed.key)
    assert public.reject_reason == "not_a_message" or public.validity == "invalid"


@pytest.mark.parametrize("sequence", [1, "1"])
@pytest.mark.parametrize("left_out", [["previous"], ["hash"], ["previous", "hash"]])
def test_members_that_are_left_out_accuse_nobody(left_out: list[str], sequence: object) -> None:
    """Where nobody can tell whether the message is valid, they change nothing."""
    opened = {"type": "post", "recps": [AUTHOR]}
    shown = {"type": "post", "text": "\ufffd"}
    for content, options, warning in (
        (opened, {"content": {"type": "a"}, "ciphertext": "AAAA.box"}, "ciphertext_not_in_log"),
        (shown, {"content": {"type": "post", "text": "\ud83d"}}, "characters_replaced"),
    ):
        signed = ClassicFeed(bytes(32)).publish(at=1, **options)  # type: ignore[arg-type]
        value = signed.value | {"content": content, "sequence": sequence}
        for name in left_out:
            del value[name]
        row = land(value, signed.key)
        assert (row.reject_reason, row.validity, row.warning) == (None, "not_checked", warning)


@pytest.mark.parametrize("left_out", [["previous"], ["hash"], ["previous", "hash"]])
@pytest.mark.parametrize("export", [dict, by_jq, by_postgresql])
@pytest.mark.parametrize("more", [{}, {"id": 1}])
@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"content": {"type": "post", "text": "b"}},
        {"content": {"type": "post", "text": "\ufffd"}},
        {"content": {"type": "post", "recps": [AUTHOR]}},
        {"author": uri(AUTHOR), "content": {"type": "post"}},
        {"timestamp": 2},
    ],
)
def test_members_that_are_left_out_change_no_judgement(
    left_out: list[str], export: Callable[[Any], Any], more: dict[str, Any], changed: dict[str, Any]
) -> None:
    """Whatever else was done to a first message: all of them say the same there."""
    first = ClassicFeed(bytes(32)).publish({"text": "a", "type": "post"}, 1)
    whole = export(first.value | changed | more)
    lacking = {name: part for name, part in whole.items() if name not in left_out}
    for key in (first.key, post().key, None):
        rows = land(whole, key), land(lacking, key)
        judged = {(row.reject_reason, row.validity, row.warning) for row in rows}
        assert len(judged) == 1


def test_a_previous_that_is_left_out_is_not_made_up() -> None:
    second = post()
    value = {name: part for name, part in second.value.items() if name != "previous"}
    row = land(value, second.key)
    assert (row.validity, row.invalid_reason) == ("invalid", "members_out_of_order")


# Times


# What monotonic-timestamp 0.0.9 and 0.0.8 give for the messages of one millisecond.
@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 7, 11, 16])
@pytest.mark.parametrize("parts", [1000, None])
@pytest.mark.parametrize("first", [(), ("previous", "author")])
def test_the_key_proves_the_fraction_of_a_time(
    n: int, parts: int | None, first: tuple[str, ...]
) -> None:
    at = AT + n / (parts or n + 1000)
    signed = post(at)
    row = land(in_order(signed.value | {"timestamp": AT}, *first), signed.key)
    assert (row.validity, row.warning, row.asserted_ms) == ("valid", None, at)


def test_a_time_is_cut_and_the_members_are_sorted() -> None:
    signed = post(AT + 0.003, {"type": "post"})
    for export in by_jq, by_postgresql, as_uris:
        row = land(export(signed.value | {"timestamp": AT}), signed.key)
        assert (row.validity, row.asserted_ms) == ("valid", AT + 0.003)


@pytest.mark.parametrize("at", [AT + 0.5, AT + 1, AT - 0.003, AT + 0.1])
def test_another_time_is_another_message(at: float) -> None:
    signed = post(at)
    row = land(signed.value | {"timestamp": AT}, signed.key)
    assert (row.validity, row.invalid_reason) == ("invalid", "id_mismatch")


@pytest.mark.parametrize("time", [None, "x", True, -1, 0, 1.5, 1e300, 2**70])
def test_no_time_has_a_fraction(time: object) -> None:
    signed = post(AT + 0.003)
    assert land(signed.value | {"timestamp": time}, signed.key).validity == "invalid"


def test_a_changed_text_stays_changed() -> None:
    signed = post(AT + 0.003)
    changed = signed.value | {"timestamp": AT, "content": {"type": "post", "text": "b"}}
    assert land(changed, signed.key).invalid_reason == "id_mismatch"


@pytest.mark.parametrize(
    "word",
    [None, False, 0, "0", "false", "False", "FALSE", "f", "", "null", "NULL", r"\N", "None"],
)
def test_what_stands_for_false_excuses_no_changed_message(word: object) -> None:
    """SQLite writes a truth value as a number, and tables of text as a text."""
    signed = post(content={"type": "post"})
    changed = signed.value | {"content": {"type": "post", "text": "changed"}}
    for beside in {"private": word}, {"unbox": word}, {"misc": {"private": word}}:
        row = land(changed, signed.key, **beside)
        assert (row.validity, row.invalid_reason) == ("invalid", "id_mismatch")
    assert land(changed, signed.key, private="true").warning == "ciphertext_not_in_log"


def test_nothing_is_searched_if_nothing_can_be_found() -> None:
    signed = post()
    assert len([*forms(signed.value, signed.key, None)]) == 1
    assert len([*forms(signed.value | {"hash": "sha1"}, signed.key, None)]) == 1
    # As it is, and with the author before the sequence.
    assert len([*forms(signed.value, post(1).key, None)]) == 2


# Ids


@pytest.mark.parametrize("names", [("author",), ("previous",), ("author", "previous")])
@pytest.mark.parametrize("first", [(), ("previous", "author"), ("content",)])
def test_the_key_or_the_signature_proves_the_sigils(
    names: tuple[str, ...], first: tuple[str, ...]
) -> None:
    signed = post()
    value = signed.value | {name: uri(signed.value[name]) for name in names}
    for key in signed.key, signed.uri, None:
        row = land(in_order(value, *first), key)
        assert (row.message_id, row.validity, row.warning) == (signed.uri, "valid", None)
        assert row.feed_id == signed.author
        assert row.previous_id == message_uri(signed.value["previous"])


def test_a_message_with_uris_inside_accuses_nobody() -> None:
    signed = post(content={"type": "post", "root": post(1).key})
    value = as_uris(signed.value) | {"content": {"type": "post", "root": post(1).uri}}
    row = land(value, signed.key)
    assert (row.validity, row.warning) == ("not_checked", "ids_respelled")
    assert land(value).reject_reason == "id_is_unknown"
    broken = land(value | {"hash": "sha512"}, signed.key)
    assert (broken.validity, broken.invalid_reason) == ("invalid", "hash_is_not_sha256")


def test_a_message_that_was_written_with_a_uri_is_invalid() -> None:
    value = as_uris(post().value)
    key = next(forms(value, None, None)).check.message_key
    assert key is not None
    assert land(value, key).invalid_reason == "author_is_no_feed_id"


# Messages without keys


@pytest.mark.parametrize("export", [by_jq, by_postgresql])
def test_without_its_order_a_message_without_a_key_has_no_id(export: Any) -> None:
    signed = post()
    value = export(signed.value)
    row = land(value)
    assert (row.reject_reason, row.message_id, row.validity) == ("id_is_unknown", None, None)
    assert land({"value": value}, timestamp=5).reject_reason == "id_is_unknown"
    row = land(value, signed.key)
    assert (row.validity, row.warning) == ("not_checked", "members_reordered")


@pytest.mark.parametrize("export", [by_jq, by_postgresql])
def test_the_signature_proves_the_order_of_a_message_without_a_key(export: Any) -> None:
    for signed in post(content={"type": "post"}), post(ciphertext="AAAA.box2"):
        row = land(export(signed.value))
        assert (row.message_id, row.validity) == (signed.uri, "valid")
    changed = export(post(ciphertext="AAAA.box2").value) | {"content": "AAAE.box2"}
    assert land(changed).reject_reason == "id_is_unknown"


def test_a_message_without_a_key_in_its_order_has_the_id_of_its_hash() -> None:
    signed = post()
    value = signed.value | {"content": {"type": "post", "text": "b"}}
    row = land(value)
    assert (row.reject_reason, row.invalid_reason) == (None, "signature_is_wrong")
    assert row.message_id == message_uri(next(forms(value, None, None)).check.message_key or "")


def test_only_an_invalid_message_with_another_hash_claims_an_id() -> None:
    """Anybody can write it. With the hash for id, nobody can write another message under that id."""
    signed, other = post(), post(content={"type": "post", "text": "b"})
    forged = signed.value | {"signature": other.value["signature"]}
    key = check_value(forged).message_key
    assert land(forged, key).invalid_reason == "signature_is_wrong"
    opened = signed.value | {"private": True}
    rows = [
        land(signed.value, signed.key),
        land(forged),
        land(forged, key),
        land(opened | {"content": {"type": "a thing"}}, signed.key),
        land(forged, signed.key),
        land(signed.value | {"hash": "sha512"}, signed.key),
        land(signed.value | {"author": f"ssb:feed/bendybutt-v1/{'A' * 43}="}, signed.key),
    ]
    assert [(row.validity, row.has_claimed_id) for row in rows] == [
        ("valid", False),
        *[("invalid", False)] * 2,
        ("not_checked", False),
        *[("invalid", True)] * 3,
    ]
    assert land({"key": 1}).has_claimed_id is None


def test_a_value_that_lacks_members_has_no_other_order() -> None:
    for lacking in "timestamp", "signature":
        value = post().value
        del value[lacking]
        other = value | {"content": {"type": "post", "text": in_code_page("\xe9", "cp437")}}
        for row in (land(value), land(by_jq(value)), land(other, post().key)):
            assert (row.reject_reason, row.invalid_reason) == (None, "members_out_of_order")


def test_an_opened_message_without_a_key_has_no_id() -> None:
    content = {"type": "post", "text": "a"}
    signed = post(content=content, ciphertext="AAAA.box2")
    opened = signed.value | {"content": content}
    assert land(opened | {"private": True}).reject_reason == "id_is_unknown"
    assert land(opened | REBOXED).reject_reason == "id_is_unknown"
    row = land(opened | {"cyphertext": "AAAA.box2"})
    assert (row.message_id, row.validity, row.is_decrypted) == (signed.uri, "valid", True)


def test_another_format_without_a_key_has_no_id() -> None:
    value = post().value | {"author": f"ssb:feed/bamboo/{'A' * 43}="}
    assert land(value).reject_reason == "id_is_unknown"


# Opened messages of go-ssb


def test_go_ssb_writes_no_signature_when_it_opens_a_message() -> None:
    content = {"type": "post", "text": "a"}
    signed = post(content=content, ciphertext="AAAA.box")
    opened = in_order(signed.value | {"content": content} | REBOXED, "previous", "author")
    for value in opened, as_uris(opened), by_jq(opened), opened | {"hash": "sha256"}:
        row = land(value, signed.key)
        assert (row.validity, row.warning) == ("not_checked", "ciphertext_not_in_log")
        assert (row.is_private, row.is_decrypted, row.content_type) == (True, True, "post")
    changed = land({**opened, "hash": "sha512"}, signed.key)
    assert changed.invalid_reason == "hash_is_not_sha256"
    del opened["meta"]
    assert land(opened, signed.key).invalid_reason == "hash_is_not_sha256"


@pytest.mark.parametrize("recipients", [{}, {"recps": [AUTHOR]}])
def test_private_read_of_go_ssb_marks_an_opened_message_by_its_hash(
    recipients: dict[str, Any],
) -> None:
    """``private/unboxlog.go``: nothing else says that the message was private."""
    content = {"type": "post", "text": "a", **recipients}
    signed = post(content=content, ciphertext="AAAA.box")
    marks = {"hash": "go-ssb-unboxed", "signature": "go-ssb-unboxed"}
    opened = in_order(signed.value | {"content": content} | marks, "previous", "author")
    for value in opened, as_uris(opened), by_jq(opened):
        row = land(value, signed.key)
        assert (row.validity, row.warning) == ("not_checked", "ciphertext_not_in_log")
        assert (row.is_private, row.is_decrypted, row.content_type) == (True, True, "post")
        assert land(value).reject_reason == "id_is_unknown"


def test_an_encrypted_content_of_gabbygrove_is_no_plaintext() -> None:
    """Beside the opened message of ``private.read``, it was a second one, and none of both counted (R36)."""
    author, key = (f"ssb:{kind}/gabbygrove-v1/{'A' * 43}=" for kind in ("feed", "message"))
    value = {
        "previous": None,
        "author": author,
        "sequence": 1,
        "timestamp": 1,
        "hash": "gabbygrove-v1",
    }
    for box in b"box1:", b"box2:":
        content = b64encode(box + bytes(range(99))).decode()
        sealed = land(value | {"content": content, "signature": "x"}, key)
        assert (sealed.validity, sealed.is_private, sealed.is_decrypted) == (
            "not_checked",
            True,
            False,
        )
        assert (sealed.content, sealed.plaintext_hash) == (None, None)
    other = land(value | {"content": b64encode(b"bytes").decode(), "signature": "x"}, key)
    assert (other.is_private, other.plaintext_hash is None) == (False, False)
    marks = {"hash": "go-ssb-unboxed", "signature": "go-ssb-unboxed"}
    opened = land(value | marks | {"content": {"type": "post", "text": "a"}}, key)
    assert (opened.validity, opened.is_private, opened.is_decrypted) == ("not_checked", True, True)


def test_the_hash_of_a_plaintext_proves_that_it_was_never_encrypted() -> None:
    signed = post(content={"type": "post", "text": "a"})
    value = signed.value | {"signature": post(1).value["signature"]}
    key = next(forms(value, None, None)).check.message_key
    row = land(value | {"private": True}, key)
    assert (row.validity, row.invalid_reason) == ("invalid", "signature_is_wrong")
