"""What a file is told to be if it is no log."""

from __future__ import annotations

import gzip
import json
import lzma
import zlib
from base64 import b64encode
from pathlib import Path

import pytest

import forms
from read_files import POST, told, values
from scuttlehouse.files import flume, jq_filters
from scuttlehouse.files.first_values import first_values
from scuttlehouse.files.limits import recognise_within_limits
from scuttlehouse.files.listing import entry_of
from scuttlehouse.files.parts import MAX_LINE_BYTES, PLAIN, Kind
from scuttlehouse.files.recognise import HEAD_BYTES, recognise, recognise_head
from scuttlehouse.sample.signing import ClassicFeed
from scuttlehouse.ssb.ids import to_url

OF_PZP = b'{"data": null, "metadata": {"v": 4}, "sigkey": "a", "sig": "a"}'
TEXT_OF_POST = json.dumps(POST.decode()).encode()
KEY = b"glTDKakoUPbVOd03b0gW7idkUX2l4CNVFK9DMWRIDXo="


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\xfd7zXZ\0...", "`xz -d`"),
        (lzma.compress(POST, lzma.FORMAT_ALONE), "an lzma file: unpack it with `xz -d`"),
        (b"PK\x03\x04...", "`unzip`"),
        (zlib.compress(POST), "a zlib file: unpack it with `pigz -dz`"),
        (zlib.compress(POST, 9), "a zlib file: unpack it with `pigz -dz`"),
        (b"\x02\x21\x4c\x18\x30\0\0\0", "`lz4 -d`"),
        (gzip.compress(gzip.compress(b"{}", mtime=0), mtime=0), "unpack it once"),
        (
            gzip.compress(bytes(257) + b"ustar" + bytes(500), mtime=0),
            "tar archive inside of a gzip file",
        ),
        (b"SQLite format 3\0", "SQLite database"),
        (b"ARROW1\0\0", "an Arrow file"),
        (b"age-encryption.org/v1\n-> X25519 a\n", "`age -d`"),
        (b"-----BEGIN PGP MESSAGE-----\n\nhQ\n", "`gpg -d`"),
        (b"\x85\x02\x0c\x03" + b"\xf7" * 99, "`gpg -d`"),
        (b"Salted__" + b"\xf7" * 99, "`openssl enc -d`"),
        (b"{'key': '%a', 'value': {'previous': None}}\n", "Objects as Python prints them"),
        (b"[{'id': 'a', 'msg': {'data': None}}]\n", "Objects as Python prints them"),
        (b"{ key: '%a',\n  value:\n   { previous: null } }\n", "`JSON.stringify`"),
        ("{\u201ckey\u201d: \u201c%a\u201d}".encode(), "typographic quotation marks"),
        (
            b'{ "_id" : ObjectId("5f"), "key" : "%a", "value" : { "sequence" : NumberInt(1) } }\n',
            "Objects as the shell of MongoDB prints them: export them with `mongoexport`",
        ),
        (b"- key: '%a'\n  value:\n    previous: null\n", "`yq -o json -I 0`"),
        (b"---\nkey: '%a'\nvalue:\n  previous: null\n", "YAML"),
        (b"{\\rtf1\\ansi {\\key}}", "RTF of a word processor"),
        (b"-- dump\nBEGIN;\nINSERT INTO a VALUES ('{\\\"key\\\":');\n", "SQL"),
        (b"SET x;\nCOPY a (b) FROM stdin;\n%a\t{\\n\n", "SQL, as databases dump"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "`git lfs pull`"),
        (b"\0\x05\x16\x07\0\x02\0\0Mac OS X        ", "an AppleDouble file of macOS"),
        (b"<!DOCTYPE html><p>404", "HTML"),
        (b"id,author\n1,me\n", "`jq -c .`"),
        (b"key;author;text\n%a;@a;hi\n", "CSV. Rows with parts of messages"),
        (b'key\tcontent\n%a\t"{""type"": ""post""}"\n', "CSV. Rows with parts of messages"),
        (b"\x81\x92\x93" * 99, "Binary data"),
        (
            bytes.fromhex("00000000000001b7018682582000") + b'..f6_fsha256..{"previous": null}',
            "go-ssb (margaret): export its messages with `sbotcli log`",
        ),
        (b'{"level": 30, "time": 1}\n' * 100, "JSON of other software"),
        (b"[" + b'{"a":1},' * 99 + b"{}]", "JSON of other software"),
        pytest.param(
            b'{"rows": [' + b'{"a": {"b": 1}},' * 300,
            ": its first values are no messages",
            id="a cut-off object",
        ),
        (b"[" + b'{"host": "a", "port": 1, "key": "@a"},' * 99 + b"{}]", "Peers of ssb-server"),
        (b'[{"host": "a", "port": 1, "key": "@a"}]', "Peers of ssb-server"),
        (b'{\n  "net:a:1~shs:%s": {\n    "key": "@a"\n  }\n}' % KEY, "Peers of ssb-server"),
        (
            b'{"tunnel:@a:@b~shs:a": {}, %s}' % b", ".join([b'"net:a:1~noauth": {}'] * 99),
            "Peers of ssb-server",
        ),
        (
            b'{"id": 1, "key": "%a", "author": "@a", "sequence": 1}\n' * 100,
            "Rows with parts of messages",
        ),
        (
            b"[" + b'{"key": "%a", "author": "@a", "content": "{}"},' * 99 + b"{}]",
            "Rows with parts of messages",
        ),
        (b'{"author": "@a", "sequence": 1, "content": {}}\n' * 99 + b"{}", "Rows with parts of"),
        (b'{"type": "post", "text": "a design"}\n' * 100, "Contents of messages without their"),
        (b'"AAAA.box"\n' + b'{"type": "vote", "vote": {}}\n' * 99, "Contents of messages"),
        (b"[" + b'{"type": "post", "text": "\\u00e9"},' * 99 + b"{}]", "Contents of messages"),
        (b'{"key": "a", "value": %s}' % OF_PZP, "jq -c '.[\"value\"]'"),
        (
            b'{"n": 1, "msg": "{\\"key\\": 1, \\"value\\": 2}"}',
            "jq -c '.[\"msg\"] | fromjson'",
        ),
        (b'{"seq": 1, "value": {"id": "a", "msg": %s}}' % OF_PZP, "jq -c '.[\"value\"]'"),
        (b'[{"msg": {"id": "a", "msg": %s}}]' % OF_PZP, "jq -c '.[][\"msg\"]'"),
        (b'{"source": "@a", "dest": "@b", "value": 1}\n' * 100, "JSON of other software"),
        (b'{"%a=.sha256": {"key": "%a=.sha256", "value": 1}}', "jq -c '.[]'"),
        (b'{"0": {"key": "%a", "value": 1}, "1": {', "jq -c '.[]'"),
        (b'{"%%%s.sha256": %s}' % (KEY, POST), "jq -c '.[]'"),
        (b'{"' + b"A" * 44 + b'": {"data": null', "jq -c '.[]'"),
        (b'{"1": {"node": {"key": "%a", "value": 1}}, "2"', "jq -c '.[][\"node\"]'"),
        (b'"{\\"key\\": \\"%a\\"}"\n"{}"', "`jq -r .`"),
        (b'["{\\"key\\": \\"%a\\"}"]', "`jq -r '.[]'`"),
        (b'{"msgs": [{"data": null, "metadata": {}, "sig": ""}]}', "jq -c '.[\"msgs\"][]'"),
        (b"\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00", "`zstd -d --long=31`"),
        (b'{"messages": [{"key": "%a", "value": 1}]}', "jq -c '.[\"messages\"][]'"),
        (b'{"messages": [null, null, {"key": "%a", "value": 1}]}', "jq -c '.[\"messages\"][]'"),
        (
            b'{"key": "%a", "value": 1, "replies": [{"key": "%b", "value": 1}]}',
            'jq -c \'del(.["replies"]), (.["replies"][]?)\'',
        ),
        (b'{"it\'s": [{"key": "%a", "value": 1}]}', "jq -c '.[][]'"),
        (b'{"%s": [{"key": "%%a", "value": 1}, {"key"' % KEY, "jq -c '. | .[] | arrays[]'"),
        (b'{"a": 1, "data": {"key": "%a", "value": 1}}\n' * 3, "jq -c '.[\"data\"]'"),
        (b'[{"data": {"key": "%a", "value": 1}}, {}]', "jq -c '.[][\"data\"]'"),
        (
            b'{"data": {"edges": [{"node": {"key": "%a", "value": 1}}]}}',
            'jq -c \'.["data"]["edges"][]["node"]\'',
        ),
        (b'{"%s": {"key": "%%a", "value": 1}}' % KEY, "jq -c '.[]'"),
        (
            b'{"%s": {"key": "%%a", "value": 1}, "n": 1}' % KEY,
            "jq -c '. | .[keys_unsorted[0]]'",
        ),
        (
            b'[{"key": "%a", "value": "{\\"author\\": 1, \\"content\\": 2}"}]',
            "jq -c '.[] | .value |= fromjson'",
        ),
        (
            b'{"id": "a", "msg": "{\\"metadata\\": 1, \\"sig\\": 2}"}',
            "jq -c '. | .msg |= fromjson'",
        ),
        (
            b'{"id": 1, "raw": "{\\"key\\": 1, \\"value\\": 2}"}',
            "jq -c '.[\"raw\"] | fromjson'",
        ),
        (b'{\n "v": [1],\n "a\\"b": [ {"author": "@a"', "jq -c '. | .[] | arrays[]'"),
        (b'{"n": 1, "messages": [ {"author": "@a"', "jq -c '. | .[] | arrays[]'"),
        (b'{"n": 1, "messages": [ null, {"author": "@a"', "jq -c '. | .[] | arrays[]'"),
        (b'[{"n": 1, "messages": [ {"author": "@a"', "jq -c '.[] | .[] | arrays[]'"),
        (b'{"@a": [%s, %s], "@b": [%s]}' % (POST, POST, POST), "jq -c '.[][]'"),
        (b'{"@a": {"1": %s, "2": %s}, "@b": {"1": %s}}' % (POST, POST, POST), "jq -c '.[][]'"),
        (
            b'{"root": %s, "replies": [%s], "n": 2}' % (POST, POST),
            'jq -c \'. | (.["root"]), (.["replies"][])\'',
        ),
        (
            b'{"root": %s}\n{"root": %s, "replies": [%s]}' % (POST, POST, POST),
            'jq -c \'. | (.["root"]), (.["replies"][]?)\'',
        ),
        (b'{"\\x": [%s]}' % POST, "jq -c '. | .[] | arrays[]'"),
        (b'{"id": "a", "key": "a", "value": {"rev": "1"}, "doc": %s}' % POST, "jq -c '.[\"doc\"]'"),
        (b'{"key": {"0": 1}, "value": {"0": %s}}' % POST, "jq -c '.[\"value\"][]'"),
        (
            b'{"key": {"0": "a"}, "value": {"0": %s, "1": %s}}' % (POST, POST),
            "jq -c '.[\"value\"][]'",
        ),
        (b'[["a", %s], ["b", %s]]' % (TEXT_OF_POST, TEXT_OF_POST), "jq -c '.[][1] | fromjson'"),
        (b'["a", %s]\n["b", %s]' % (TEXT_OF_POST, TEXT_OF_POST), "jq -c '.[] | fromjson?'"),
        (
            b'{"body": %s}' % json.dumps(f"[null, {POST.decode()}]").encode(),
            "jq -c '.[\"body\"] | fromjson[]'",
        ),
        (
            b'{"out": %s}' % json.dumps(f"{POST.decode()}\r\n{POST.decode()}\n").encode(),
            r"""jq -c '.["out"] | split("\n")[] | fromjson?'""",
        ),
        (
            b'{"log": %s}' % json.dumps(f"{POST.decode()}\n").encode(),
            "jq -c '.[\"log\"] | fromjson'",
        ),
        (b"Obj\x01\x04\x14avro.codec", "an Avro file: turn it into JSON with `fastavro`"),
        (b"ORC" + bytes(99), "an ORC file"),
        (b"PGDMP\x01\x0e", "restore it with `pg_restore`"),
        (bytes(8) + b"DUCK" + bytes(99), "a DuckDB database"),
        (b"\xf0\x01\0\0\x02key\0" + bytes(99), "`bsondump`"),
        (b"\xf0\x01\0\0\x07_id\0" + bytes(99), "`bsondump`"),
        (b"-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n", "`age -d`"),
        pytest.param(
            b"{%s}" % b",".join(b'"a%d": %s, "b%d": [%s]' % (n, POST, n, POST) for n in range(50)),
            "JSON objects around messages, at many places: export",
            id="many places",
        ),
        (b'{"sync": true}\n{"messages": [%s]}\n' % POST, "jq -c '.[\"messages\"][]?'"),
        (b'{"messages": []}\n{"messages": [%s]}\n' % POST, "jq -c '.[\"messages\"][]?'"),
        (b'{"id": 1, "msg": %s}\n{"id": 2, "msg": %s}' % (POST, POST), "jq -c '.[\"msg\"]'"),
        (b'"%%%s.sha256"\n\n' % KEY, "Ids and no messages: export the messages, too"),
        (b'["%%%s.sha256", {"key": "%%a", "val' % KEY, "Text without a JSON object"),
        (b'["%%%s.sha256"]' % KEY, "Ids and no messages: export the messages, too"),
        (b"ssb:message/classic/%s\n" % KEY, "Ids and no messages: export the messages, too"),
        (b"PK\x05\x06" + bytes(18), "This is a zip archive: unpack it with `unzip`"),
        (
            b'[{"id": 1, "msg": {"author": "@a", "sequence": 1, "content": 1}}]',
            "jq -c '.[][\"msg\"]'",
        ),
    ],
)
def test_what_is_no_log_is_told(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(data)
    sentence = told(path)
    assert len(sentence) < 1_100
    assert said in sentence
    assert sentence.endswith(".")
    if data[:1] in (b"{", b"["):  # A mark and blanks before JSON change nothing of what is said.
        assert recognise_head(b"\xef\xbb\xbf \r\n" + data, "none") == sentence


def test_the_name_tells_a_brotli_file(tmp_path: Path) -> None:
    """Its bytes are like any others. A file of another kind under such a name is told as what it is."""
    packed = bytes.fromhex("1b4b00f825c2d6b2b8e5e8f0fc2b0c84e1") * 9
    for data, said in ((packed, "A brotli file: unpack it with `brotli -d`."), (POST, None)):
        path = tmp_path / "a.jsonl.BR"
        path.write_bytes(data)
        kind = recognise(entry_of(path, path.name))
        assert kind == said if said else isinstance(kind, Kind)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_no_text_of_a_message_makes_its_log_an_archive(encoding: str) -> None:
    """A stranger's text may have the word that tells a tar archive, at its place."""
    width = len("x".encode(encoding))
    begun = '{"key":"%a","value":{"author":"@a","content":{"text":"' + "a" * 3
    letters = 257 // width - len(begun)
    word = b"NNNN"[: 257 % width] + b"ustar"
    odd = (word + b"N" * (-len(word) % width)).decode(encoding)
    head = (begun + "a" * letters + odd + '"}}}\n').encode(encoding)
    assert head[257:262] == b"ustar"
    assert recognise_head(head, "none") == Kind("json_lines", "none", encoding)


@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["no mark", "mark"])
def test_a_text_in_utf_16_makes_its_log_no_flume_log(mark: str) -> None:
    """A stranger's text may have the bytes of two records."""
    record = b"\0\0\x01\x7c{" + b"A" * 0x17B + b"\0\0\x01\x7c"
    text = (b"a" + 2 * record + b"a").decode("utf-16-le")
    line = '{"key":"%a","value":{"author":"@a","content":{"text":"' + text + '"}}}\n'
    head = (mark + line).encode("utf-16-le")
    assert flume.offset_width(head) == 0
    assert recognise_head(head, "none") == Kind("json_lines", "none", "utf-16-le")


def test_a_message_of_pzp_in_another_is_no_record_of_it() -> None:
    """No signature covers further members of a message, so anybody may write some."""
    line = b'{"id": "a", "msg": {"msg": %s, %s}\n' % (OF_PZP, OF_PZP[1:])
    assert recognise_head(line, "none") == PLAIN
    assert recognise_head(b'{"list": [%s], %s\n' % (OF_PZP, OF_PZP[1:]), "none") == PLAIN


@pytest.mark.parametrize(
    "line",
    [
        b'{"msg": {"metadata": {}, "data": {}, "sig": ""}, "received": 1}',
        b'{"value": {"author": "@a", "sequence": 1, "content": 2}}',
        b'{"value": {"key": "%a", "value": {"author": "@a", "sequence": 1, "content": 2}}}',
        b'{"author": "@a", "sequence": 1, "content": [%s]}' % POST,
        POST[:-1] + b', "tags": ["a", {}]}',
    ],
)
def test_a_message_is_no_object_around_what_it_says(line: bytes) -> None:
    assert recognise_head(line + b"\n", "none") == PLAIN


@pytest.mark.parametrize("copies", [1, 9])
@pytest.mark.parametrize(
    ("before", "item", "behind", "way"),
    [
        ('{"messages":[', "%s", "]}", ". | .[] | arrays[]"),
        ('{"data":{"messages":[', "%s", "]}}", ". | .[] | objects | .[] | arrays[]"),
        ('{"n":1,"a":{"b":[null,', "%s", "]}}", ". | .[] | objects | .[] | arrays[]"),
        ('{"data":{"edges":[', '{"node":%s}', "]}}", ". | .[] | objects | .[] | arrays[]"),
        ('{"n":1,"@a":{', '"1":%s', "}}", ". | .[] | objects[]"),
        (
            '{"a":' * 6 + '{"b":[',
            "%s",
            "]" + "}" * 7,
            "." + " | .[] | objects" * 6 + " | .[] | arrays[]",
        ),
    ],
)
def test_messages_deep_in_a_long_object_are_told(
    before: str, item: str, behind: str, way: str, copies: int, tmp_path: Path
) -> None:
    """It is longer than what is looked at, or even than a line may be."""
    items = [item % forms.text(value) for value in values() if "value" in value] * 3 * copies
    text = before + ",".join(items) + behind
    assert len(text) > (MAX_LINE_BYTES if copies > 1 else HEAD_BYTES)
    path = tmp_path / "a.json"
    path.write_text(text)
    assert f"`jq -c '{way}'`" in told(path)


# What a program prints of an object, if its JSON may not be as deep (PowerShell), or must be a text.
PRINTED = [
    "@{type=post; text=a}",
    "{'type': 'post'}",
    "{type=post, text=a}",
    "map[type:post]",
    "[object Object]",
    "System.Object",
]


@pytest.mark.parametrize("printed", PRINTED)
@pytest.mark.parametrize("place", ["content", "value", "bare", "metadata", "msg"])
def test_messages_that_a_program_has_printed_are_told(place: str, printed: str) -> None:
    """Each was invalid, or a reject, as if its author had written that."""
    value = {"author": f"@{KEY.decode()}.ed25519", "sequence": 1, "content": printed}
    message = {
        "content": {"key": f"%{KEY.decode()}.sha256", "value": value},
        "value": {"key": f"%{KEY.decode()}.sha256", "value": printed},
        "bare": value,
        "metadata": {"id": "a", "msg": {"data": printed, "metadata": printed}},
        "msg": {"id": "a", "msg": printed},
    }[place]
    sealed = {"key": f"%{KEY.decode()}.sha256", "value": value | {"content": "AAAA.box"}}
    whole = values()[0]
    other = {"value": value | {"author": f"ssb:feed/gabbygrove-v1/{to_url(KEY.decode())}"}}
    for _, write in forms.TEXTS.values():
        for log in ([message], [sealed, message, message]):
            said = recognise_head(write(log).encode(), "none")
            assert isinstance(said, str)
            assert "`ConvertTo-Json -Depth 100`" in said
        for log in ([message, whole], [sealed], [sealed, other], [sealed, {"value": {}}]):
            assert isinstance(recognise_head(write(log).encode(), "none"), Kind)


def test_a_log_in_texts_is_no_log_of_other_software(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'{"n": 1, "rows": [%s]}' % b", ".join([b'["%%a", %s]' % TEXT_OF_POST] * 5000))
    assert "`jq -c '. | .[] | arrays[]'`" in told(path)


@pytest.mark.parametrize("lost", range(0, 900, 90))
def test_a_list_in_a_damaged_first_message_is_in_a_message(lost: int, tmp_path: Path) -> None:
    """However a stranger begins the objects in it: the log is read."""
    messages = [value for value in values() if "value" in value]
    content = {"type": "x", "some": [{"key": "%a", "value": {}}], "text": "é" * 1000}
    text = json.dumps({"key": "%a", "value": {"author": "@a", "content": content}}) + "\n"
    path = tmp_path / "a.json"
    path.write_text(text[:lost] + text[lost + 9 :] + forms.json_lines(messages) * 3)
    assert recognise(entry_of(path, "a.json")) == PLAIN


def test_opened_messages_without_signatures_are_no_parts() -> None:
    """As ssb-private gives them, behind something else."""
    value = {"author": "@a", "sequence": 1, "content": {"type": "post"}}
    for message in ({"key": "%a", "value": value}, {"key": "%a", **value}):
        head = "\n".join(map(json.dumps, [{"key": "%a"}, *[message] * 100])).encode()
        assert recognise_head(head, "none") == PLAIN


def test_what_is_around_messages_without_signatures_is_no_content() -> None:
    value = {"author": "@a", "sequence": 1, "content": {"type": "post"}}
    lines = [{"type": "data", "value": value}, {"type": "data", "key": "%a", "value": value}]
    for line in lines:
        head = "\n".join([json.dumps(line)] * 100).encode()
        assert recognise_head(head, "none") == PLAIN


def test_a_command_names_no_member_by_what_may_be_a_key_or_a_quotation_mark() -> None:
    """Tables have the command, and people run it. Members that all hold messages are those of a map."""
    post = json.loads(POST)
    for name in ("it's", b64encode(bytes(range(32))).decode()):
        around = {name: post, "note": 1}
        for value in (post | {name: [post]}, around, {"list": [around], "note": 1}):
            said = recognise_head(json.dumps(value).encode(), "none")
            assert "`jq -c '" in str(said)
            assert name not in str(said)
    assert jq_filters.way_to_messages(json.dumps({"ann": post, "bob": post})) == "[]"


@pytest.mark.parametrize(
    "part",
    [
        *('"5"', '"{"', '""', "[]", "[5]", "null", '"{} {}"', "{}"),
        pytest.param('{"a":' * 600 + "1" + "}" * 600, id="deep"),
    ],
)
def test_objects_without_messages_are_lines(part: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"a": {part}, "value": {part}}}\n')
    assert recognise(entry_of(path, "a.jsonl")) == Kind("json_lines", "none", "utf-8")


@pytest.mark.parametrize("many", [1, 20_000])
def test_nothing_is_to_be_taken_out_of_what_holds_no_messages(many: int, tmp_path: Path) -> None:
    """Plugins that fold messages into states, and all other software, write such names, too."""
    values = [
        {"key": "%a", "type": "gathering", "states": [{"key": "%a", "title": "a"}] * many},
        {"items": [{"id": n, "name": "a"} for n in range(many)]},
        {f"{n}": {"id": n} for n in range(many)},
        {f"%{n:043}=.sha256": {"author": "@a", "votes": n} for n in range(many)},
        {"key": [f"%{n:043}=.sha256" for n in range(many)], "value": [*range(many)]},
    ]
    for value in values:
        path = tmp_path / "a.json"
        path.write_text(json.dumps(value))
        kind = recognise_within_limits(entry_of(path, "a.json"))
        assert "take" not in str(kind)


def test_lists_in_an_object_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a text ends in the middle of a list, the parser has an error, which costs as much as the text."""
    read = []

    def counted(text: str, start: int = 0) -> list[object]:
        found = [*first_values(text, start)]
        read.append(start)
        return found

    monkeypatch.setattr(jq_filters, "first_values", counted)
    lists = ", ".join(f'"a{n}": [{{"id": {n}}}]' for n in range(1000))
    assert jq_filters.list_inside(f'{{{lists}, "b": [{{"id": ') == " | .[] | arrays"
    assert len(read) == 1
    # A list behind those of messages, which the end of the text is behind, has none.
    text = json.dumps({"messages": values()[:1], "states": [{"key": "%a"}], "next": 1})
    assert jq_filters.list_inside(text[:-1]) == " | .[] | arrays"


def test_a_message_is_no_object_around_messages(tmp_path: Path) -> None:
    """Whatever an author has written into it, and whatever stands before it."""
    post = ClassicFeed(bytes(32)).publish({"type": "post", "quoted": [*values()[:2]]}, 1)
    record = {"key": post.key, "value": post.value}
    header = {"latest": record}
    path = tmp_path / "a.jsonl"
    for form, write in forms.TEXTS.values():
        for before in ([], [header]):
            path.write_text(write([*before, record, record]))
            assert recognise(entry_of(path, "a.jsonl")) == Kind(form, "none", "utf-8")
