"""Messages that went through a table: what is null in its columns, and how its exports write texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from conftest import FIXTURES, PROJECT
from scuttlehouse.files.parts import Line
from scuttlehouse.landing.glued_lines import land_lines, land_pzp_lines
from scuttlehouse.pzp.lines import LandedPzpLine
from scuttlehouse.sample.signing import BendyFeed, ClassicFeed, Message
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.lines import LandedLine

RING = KeyRing(b"pepper")
FIRST = {"root": None, "previous": None}
CIPHERTEXT = "AAAA" * 20 + ".box2"
# Members that other messages of the log have are columns of the table, too.
CONTENTS: list[dict[str, Any]] = [
    {"type": "post", "text": "a"},
    {"type": "about", "text": "b", "name": "Ann"},
    {"type": "gathering", "tangles": {"gathering": FIRST}, "title": {"set": "c"}},
]
SEALED = {
    "type": "group/init",
    "text": "d",
    "tangles": {"group": FIRST, "epoch": FIRST, "members": FIRST},
}
OF_PZP = PROJECT / "sample" / "devices.jsonl"
OPENED_OF_PZP = FIXTURES / "reported" / "f02_pzp_decrypted_set.jsonl"


def record(message: Message, **value: Any) -> dict[str, Any]:
    return {"key": message.key, "value": message.value | value, "timestamp": 5}


@pytest.fixture
def log() -> list[dict[str, Any]]:
    """A log with public messages and an opened one."""
    feed = ClassicFeed(bytes(32))
    public = [record(feed.publish(content, at)) for at, content in enumerate(CONTENTS, 1)]
    sealed = feed.publish(SEALED, 9, ciphertext=CIPHERTEXT)
    meta = {"private": True, "originalContent": CIPHERTEXT}
    return [*public, record(sealed, content=SEALED) | {"meta": meta}]


def rows(lines: list[str]) -> list[LandedLine]:
    return [row for line in lines for row in land_lines("a", Line(1, line.encode(), None), RING)]


def of_pzp(lines: list[str]) -> list[LandedPzpLine]:
    landed = [
        row for line in lines for row in land_pzp_lines("a", Line(1, line.encode(), None), RING)
    ]
    return [row._replace(line_bytes=None, line_hash=None) for row in landed]


def through_duckdb(lines: list[str], folder: Path) -> list[str]:
    source, exported = folder / "source.json", folder / "exported.json"
    source.write_text("".join(f"{line}\n" for line in lines))
    with duckdb.connect() as database:
        read = f"read_json_auto('{source}', format='newline_delimited', sample_size=-1)"
        database.execute(f"copy (select * from {read}) to '{exported}' (format json)")
    return exported.read_text().splitlines()


def without_null(value: Any) -> Any:
    """As Spark writes JSON, and Go with omitempty."""
    if isinstance(value, list):
        return [without_null(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: without_null(part) for name, part in value.items() if part is not None}


def test_nulls_for_columns_of_other_messages_are_undone(
    log: list[dict[str, Any]], tmp_path: Path
) -> None:
    plain = [json.dumps(line) for line in log]
    exported = through_duckdb(plain, tmp_path)
    assert all('"title":null' in line for line in exported if "gathering" not in line)
    assert rows(exported) == rows(plain)
    assert {row.validity for row in rows(plain)} == {"valid"}


def test_the_order_of_columns_accuses_nobody(tmp_path: Path) -> None:
    """The second message has the members of the first in another order, which nothing in the export tells."""
    feed = ClassicFeed(bytes(32))
    contents = (
        {"type": "post", "a": "a", "b": "b", "d": "d"},
        {"type": "post", "b": "b", "c": "c", "a": "a"},
    )
    lines = [json.dumps(record(feed.publish(content, 1))) for content in contents]
    first, second = rows(through_duckdb(lines, tmp_path))
    assert (first.validity, second.validity) == ("valid", "not_checked")
    assert (second.warning, second.is_private) == ("members_reordered", False)
    changed = lines[1].replace('"c": "c"', '"c": "d"')
    assert rows([changed])[0].invalid_reason == "id_mismatch"


@pytest.mark.parametrize("key", [True, False])
def test_what_is_null_in_the_first_message_of_a_tangle_may_be_left_out(
    log: list[dict[str, Any]], key: bool
) -> None:
    plain = [line if key else {"value": line["value"]} for line in log[:3]] + log[3:]
    exported = [json.dumps(without_null(line)) for line in plain]
    assert '"gathering": {}' in exported[2]
    assert rows(exported) == rows([json.dumps(line) for line in plain])
    assert {row.validity for row in rows(exported)} == {"valid"}


@pytest.mark.parametrize("left_out", [True, False])
def test_nulls_make_no_other_plaintext(log: list[dict[str, Any]], left_out: bool) -> None:
    """Nobody has signed the text of an opened message, so it is read as authors write it (ruling R36)."""
    opened = log[3]
    tangles = SEALED["tangles"] | {"gathering": None}
    content = without_null(SEALED) if left_out else {"root": None, **SEALED, "tangles": tangles}
    [plain], [other] = (
        rows([json.dumps(opened | {"value": opened["value"] | {"content": one}})])
        for one in (SEALED, content)
    )
    assert other == plain
    assert json.loads(plain.content or "")["tangles"] == SEALED["tangles"]


def test_what_was_signed_with_a_null_keeps_it() -> None:
    """The author has written it, so that the field is none of a first message (ruling R6)."""
    content = {"type": "post", "root": None, "tangles": {"group": {}, "epoch": None}}
    [row] = rows([json.dumps(record(ClassicFeed(bytes(32)).publish(content, 1)))])
    assert row.validity == "valid"
    assert json.loads(row.content or "") == content


@pytest.mark.parametrize("field", [{}, None, {"root": None}, {"previous": None}])
def test_a_faulty_field_of_a_public_message_stays(field: object) -> None:
    """Also if nobody has signed it: a fault is told, and the message is no root (ruling R6)."""
    value = {"author": f"@{'A' * 43}=.ed25519", "sequence": 1, "hash": "sha256", "timestamp": 1}
    value |= {"previous": None, "content": {"type": "test", "tangles": {"x": field}}}
    [row] = rows([json.dumps({"key": f"%{'A' * 43}=.sha256", "value": value})])
    assert json.loads(row.content or "")["tangles"] == {"x": field}


@pytest.mark.parametrize("field", [{"root": None}, {"previous": None}])
def test_a_field_of_an_opened_message_that_lacks_one_of_two_is_none_of_a_first(
    field: object,
) -> None:
    """What leaves out null leaves out both (ruling R6)."""
    content = {"type": "group/init", "tangles": {"group": FIRST, "members": field}}
    sealed = ClassicFeed(bytes(32)).publish(content, 9, ciphertext=CIPHERTEXT)
    meta = {"private": True, "originalContent": CIPHERTEXT}
    [row] = rows([json.dumps(record(sealed, content=content) | {"meta": meta})])
    assert json.loads(row.content or "")["tangles"] == content["tangles"]


@pytest.mark.parametrize("left_out", [True, False])
def test_nulls_in_a_message_of_a_metafeed(left_out: bool) -> None:
    tangles = {"metafeed": FIRST}
    message = BendyFeed(bytes(32)).publish({"type": "metafeed/tombstone", "tangles": tangles}, 1)
    line = record(message)
    exported = without_null(line) if left_out else {**line}
    if not left_out:
        exported["value"] = line["value"] | {"content": {**line["value"]["content"], "text": None}}
    assert exported != line
    assert rows([json.dumps(exported)]) == rows([json.dumps(line)])
    assert rows([json.dumps(line)])[0].validity == "valid"
    changed = {"type": "metafeed/tombstone", "reason": "b", "text": None, "tangles": tangles}
    assert rows([json.dumps(record(message, content=changed))])[0].validity == "invalid"


@pytest.mark.parametrize("log", [OF_PZP, OPENED_OF_PZP], ids=["sample", "opened"])
def test_messages_of_pzp_in_a_table(log: Path, tmp_path: Path) -> None:
    """Nulls make no other plaintext of an opened one."""
    lines = [line for line in log.read_text().splitlines() if line.startswith('{"id"')]
    exported = through_duckdb(lines, tmp_path)
    assert all('"received":' in line and ":null" in line for line in exported)
    assert of_pzp(exported) == of_pzp(lines)
    assert [row.validity for row in of_pzp(lines)].count("valid") in (3, 35)


def test_a_content_in_a_column_of_jsonb_accuses_nobody() -> None:
    """PostgreSQL and MySQL put shorter names first, in a column for the content alone."""
    content = {"type": "vote", "vote": {"link": "%a", "value": 1}, "channel": "x", "b": 1}
    message = ClassicFeed(bytes(32)).publish(content, 1)
    by_length = {"b": 1, "type": "vote", "vote": {"link": "%a", "value": 1}, "channel": "x"}
    for written in (by_length, json.dumps(by_length)):
        [row] = rows([json.dumps(record(message, content=written))])
        assert (row.validity, row.warning, row.content_type) == (
            "not_checked",
            "members_reordered",
            "vote",
        )
    [row] = rows([json.dumps(record(message, content=json.dumps(content | {"b": 2})))])
    assert row.validity == "invalid"


def test_a_contact_in_a_column_of_jsonb_accuses_nobody() -> None:
    """Its type comes first in every order."""
    content = {"type": "contact", "contact": "@a", "following": True, "blocking": False}
    message = ClassicFeed(bytes(32)).publish(content, 1)
    names = ["type", "contact", "blocking", "following"]
    by_length = {name: content[name] for name in names}
    for written in (by_length, json.dumps(by_length)):
        [row] = rows([json.dumps(record(message, content=written))])
        assert (row.validity, row.warning) == ("not_checked", "members_reordered")
    short = {name: content[name] for name in ("type", "contact", "blocking")}
    for changed in (content | {"following": False}, short):
        [row] = rows([json.dumps(record(message, content=changed))])
        assert row.validity == "invalid"


def test_the_text_of_an_opened_content_accuses_nobody() -> None:
    """A column of text has the plaintext, and none has the ciphertext."""
    feed = ClassicFeed(bytes(32))
    content = {"type": "post", "text": "a", "recps": [feed.id]}
    message = feed.publish(content, 1, ciphertext=CIPHERTEXT)
    [as_text], [as_object] = (
        rows([json.dumps(record(message, content=one))]) for one in (json.dumps(content), content)
    )
    assert as_text == as_object
    assert (as_text.warning, as_text.is_decrypted) == ("ciphertext_not_in_log", True)


@pytest.mark.parametrize("name", ["_id", "id"])
@pytest.mark.parametrize("beside", [True, False])
def test_a_database_has_another_name_for_the_key(name: str, beside: bool) -> None:
    """It counts where the hash does not tell the id, and only if it is one of a message."""
    feed = ClassicFeed(bytes(32))
    content = {"type": "post", "text": "a", "recps": [feed.id]}
    message = feed.publish(content, 1, ciphertext=CIPHERTEXT)
    value = message.value | {"content": content}

    def exported(key: str, value: dict[str, Any]) -> str:
        return json.dumps({name: key} | ({"value": value} if beside else value))

    [row] = rows([exported(message.key, value)])
    assert row == rows([json.dumps({"key": message.key, "value": value})])[0]
    assert row.warning == "ciphertext_not_in_log"
    assert rows([exported("5f5e100", value)])[0].reject_reason == "id_is_unknown"
    public = feed.publish({"type": "post", "text": "b"}, 2)
    [row] = rows([exported(message.key, public.value)])
    assert (row.message_id, row.validity) == (public.uri, "valid")


def test_python_writes_nan_for_null(log: list[dict[str, Any]]) -> None:
    plain = [json.dumps(line) for line in log]
    first = plain[0].replace('"previous": null', '"previous": NaN')
    beside = [line[:-1] + ', "rank": NaN, "score": -Infinity}' for line in (first, *plain[1:])]
    assert first != plain[0]
    assert rows(beside) == rows(plain)
    assert rows(['{"a": Nan}'])[0].reject_reason == "not_json"


@pytest.mark.parametrize(
    "text", ["one\nline", 'he said "yes"\n', "a \\ b", "\\", "\t\u2713", '\\"']
)
@pytest.mark.parametrize("key", [True, False])
def test_copy_writes_each_backslash_twice(text: str, key: bool) -> None:
    """COPY of PostgreSQL, and INTO OUTFILE of MySQL."""
    line = record(ClassicFeed(bytes(32)).publish({"type": "post", "text": text}, 1))
    plain = json.dumps(line if key else line["value"])
    [row] = rows([plain.replace("\\", "\\\\")])
    assert row == rows([plain])[0]
    assert row.validity == "valid"
