"""Files in any form: what they are recognised as, the messages in them, and what damage costs."""

from __future__ import annotations

import csv
import gzip
import html
import io
import json
import lzma
import os
import quopri
import re
import zlib
from base64 import b64encode, encodebytes
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from shutil import which
from subprocess import run
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest
import zstandard
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import forms
from conftest import FIXTURES, PROJECT
from memory import peak_memory
from pieces import each_line
from scuttlehouse.cli import main
from scuttlehouse.files import bipf, flume, jq_filters, pzp_log, short_values, streams, unpack
from scuttlehouse.files.encodings import as_utf_8
from scuttlehouse.files.first_values import first_values
from scuttlehouse.files.json_lines import line_object
from scuttlehouse.files.keys_beside import has_keys_before
from scuttlehouse.files.limits import recognise_within_limits
from scuttlehouse.files.listing import entry_of
from scuttlehouse.files.notations import told_notation
from scuttlehouse.files.other_files import without_messages
from scuttlehouse.files.packing import Packing
from scuttlehouse.files.parts import MAX_LINE_BYTES, PLAIN, Kind, LandingError, Line, Log
from scuttlehouse.files.recognise import HEAD_BYTES, recognise, recognise_head
from scuttlehouse.files.values import split_values
from scuttlehouse.files.whole import skip_line
from scuttlehouse.landing.folder import newest_ms
from scuttlehouse.landing.glued_lines import epoch_keys, land_lines, land_pzp_lines, line_parts
from scuttlehouse.landing.logs import list_splits, read_lines
from scuttlehouse.landing.looks import content_hash
from scuttlehouse.sample.signing import BendyFeed, ClassicFeed
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.ids import message_uri, to_url
from scuttlehouse.ssb.lines import REJECT_REASONS, LandedLine

REPORTED = FIXTURES / "reported" / "files"
PACKAGES = FIXTURES / "packages"
SAMPLE = PROJECT / "sample"
RING = KeyRing(b"pepper")
POST = b'{"key": "%a", "value": {"author": "@a", "sequence": 1, "content": {}}}'
OF_PZP = b'{"data": null, "metadata": {"v": 4}, "sigkey": "a", "sig": "a"}'
TEXT_OF_POST = json.dumps(POST.decode()).encode()
KEY = b"glTDKakoUPbVOd03b0gW7idkUX2l4CNVFK9DMWRIDXo="


def read(path: Path) -> list[Line]:
    log = entry_of(path, path.name)
    kind = recognise_within_limits(log)
    assert isinstance(kind, Kind), kind
    return [
        line
        for split in list_splits([replace(log, kind=kind)])
        for line in each_line(read_lines(split))
    ]


def rows(path: Path) -> list[LandedLine]:
    return [row for line in read(path) for row in land_lines(path.name, line, RING)]


@cache
def values() -> tuple[Any, ...]:
    """Messages of the sample, of both sources, each for itself."""
    lines = (SAMPLE / "alice.jsonl").read_bytes().splitlines()[:160]
    lines += (SAMPLE / "devices.jsonl").read_bytes().splitlines()[:20]
    return tuple(forms.objects(lines))


def parsed(lines: list[Line]) -> list[Any]:
    return [json.loads(line.text or b"null", parse_int=float) for line in lines]


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


@pytest.mark.product
@pytest.mark.parametrize("first", [*forms.TEXTS])
@pytest.mark.parametrize("second", [*forms.TEXTS])
@pytest.mark.parametrize("between", ["", "\n"])
def test_exports_in_two_forms_one_after_the_other(
    first: str, second: str, between: str, tmp_path: Path
) -> None:
    """As `ssb-server log >> log.jsonl` makes of a log."""
    records = [value for value in values() if "value" in value][:6]
    path = tmp_path / "a.json"
    parts = [forms.TEXTS[first][1](records[:3]), forms.TEXTS[second][1](records[3:])]
    path.write_text(between.join(parts))
    found = [row for row in rows(path) if row.reject_reason != "empty_line"]
    expected = [row_of(record) for record in records]
    assert [row.message_id for row in found] == [row.message_id for row in expected]


@cache
def records_with_ids() -> tuple[list[Any], list[str | None]]:
    """Messages of the classic source, and the ids of their rows."""
    records = [value for value in values() if "value" in value]
    return records, [row_of(record).message_id for record in records]


@pytest.mark.product
@pytest.mark.parametrize("encoding", [one for one in forms.ENCODINGS if "utf-8" not in one])
@pytest.mark.parametrize("first", [*forms.TEXTS])
@pytest.mark.parametrize("second", [*forms.TEXTS])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_what_another_shell_appends_in_utf_8_is_read(
    encoding: str, first: str, second: str, mark: str, tmp_path: Path
) -> None:
    records, ids = records_with_ids()
    # Longer logs take long, so not each pair of forms has them.
    for count in (2, 40) if first == second else (2,):
        path = tmp_path / "a.json"
        begun = forms.packed(forms.TEXTS[first][1](records[:count]) + "\n", "none", encoding)
        path.write_bytes(begun + (mark + forms.TEXTS[second][1](records[-count:])).encode())
        found = [row.message_id for row in rows(path) if row.message_id]
        assert found == [*filter(None, ids[:count] + ids[-count:])]


@pytest.mark.product
@pytest.mark.parametrize("first", [*forms.TEXTS])
@pytest.mark.parametrize("second", [*forms.TEXTS])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_what_another_shell_appends_in_utf_16_is_read(
    compression: str, first: str, second: str, mark: str, tmp_path: Path
) -> None:
    """However much it is. It begins where one read of the file ends, too."""
    records, ids = records_with_ids()
    for before, behind in ((2, 40), (40, 2)) if first == second else ((2, 9),):
        path = tmp_path / "a.json"
        begun = forms.TEXTS[first][1](records[:before]) + "\n"
        begun = begun.ljust(-(-len(begun) // (1 << 16)) * (1 << 16) - 3)
        appended = (mark + forms.TEXTS[second][1](records[-behind:])).replace("\n", "\r\n")
        data = begun.encode() + appended.encode("utf-16-le")
        path.write_bytes(forms.COMPRESSIONS[compression](data))
        found = [row.message_id for row in rows(path) if row.message_id]
        assert found == [*filter(None, ids[:before] + ids[-behind:])]


def in_both_encodings(
    texts: list[str], end: str, encodings: Sequence[str] = ("utf-8", "utf-16-le")
) -> bytes:
    """Lines that two shells have appended in turn."""
    return b"".join((text + end).encode(encodings[n % 2]) for n, text in enumerate(texts))


@pytest.mark.parametrize("encodings", [("utf-8", "utf-16-le"), ("utf-16-le", "utf-8")])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("compression", ["none", "gzip"])
@pytest.mark.parametrize(
    "written", [forms.text, partial(forms.text, indent=2)], ids=["lines", "pretty"]
)
def test_two_shells_append_in_turn(
    written: Callable[[Any], str],
    compression: str,
    end: str,
    encodings: Sequence[str],
    tmp_path: Path,
) -> None:
    """In UTF-16, letters of many scripts have the byte of a line end."""
    feed = ClassicFeed(bytes(32))
    posts = [feed.publish({"type": "post", "text": "\u4e0a\u0a05\u010a"}, n + 1) for n in range(9)]
    texts = [written({"key": post.key, "value": post.value}).replace("\n", end) for post in posts]
    path = tmp_path / "a.jsonl"
    path.write_bytes(forms.COMPRESSIONS[compression](in_both_encodings(texts, end, encodings)))
    found = rows(path)
    assert [(row.message_id, row.validity) for row in found] == [(p.uri, "valid") for p in posts]
    long = in_both_encodings([*texts[:1] * 1000, *texts], end, encodings)
    assert len(long) > HEAD_BYTES
    path.write_bytes(forms.COMPRESSIONS[compression](long))
    assert {row.message_id for row in rows(path)} == {post.uri for post in posts}


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["utf-8", "utf-16-le"]),
            st.text('a{"\n\u4e0a\u0a05\u010a\u0a00\u0100\u227b\u7b22', max_size=40),
            st.sampled_from([None, 2]),
            st.sampled_from(["\n", "\r\n"]),
        ),
        min_size=1,
        max_size=12,
    ),
    st.integers(1, 99),
)
def test_any_values_in_both_encodings_are_whole(
    written: list[tuple[str, str, int | None, str]], length: int
) -> None:
    """However long the pieces are that a file is read in."""
    texts = [
        json.dumps({"key": text}, ensure_ascii=False, indent=indent) + end
        for _, text, indent, end in written
    ]
    encodings = [encoding for encoding, _, _, _ in written]
    data = b"".join(map(str.encode, texts, encodings))
    stream = streams.buffered(Pieces(data, length))
    kind = Kind("pretty_printed", "none", encodings[0])
    assert as_utf_8(stream, kind).read().decode() == "".join(texts)


class Pieces(streams.Chunked):
    """Bytes that come in pieces of a length."""

    def __init__(self, data: bytes, length: int) -> None:
        self._data, self._length = data, length

    def _next(self) -> bytes | None:
        piece, self._data = self._data[: self._length], self._data[self._length :]
        return piece or None


def test_no_text_in_utf_16_behind_lines_in_utf_8_is_a_line(tmp_path: Path) -> None:
    """A stranger may write a message in somebody else's name, between two line ends, in units of UTF-16."""
    feed, other = (ClassicFeed(bytes([n]) * 32) for n in (1, 2))
    first = feed.publish({"type": "post", "text": "a"}, 1)
    meant = {"key": first.key, "value": {**first.value, "content": {"type": "x"}, "private": True}}
    line = json.dumps(meant).encode()
    hidden = b"a\n" + line + b" " * (len(line) % 2) + b"\na"
    post = other.publish({"type": "post", "text": (b"a" + hidden + b"a").decode("utf-16-le")}, 1)
    assert hidden in json.dumps(post.value, ensure_ascii=False).encode("utf-16-le")
    path = tmp_path / "a.jsonl"
    texts = [forms.text({"key": one.key, "value": one.value}) for one in (first, post)]
    path.write_bytes(in_both_encodings(texts, "\n"))
    assert [(row.message_id, row.validity) for row in rows(path)] == [
        (first.uri, "valid"),
        (post.uri, "valid"),
    ]


@pytest.mark.parametrize(
    ("form", "compression", "encoding"),
    [
        ("pretty_printed", "none", "utf-8"),
        ("pretty_array", "gzip", "utf-8"),
        ("pretty_array", "none", "utf-16-le"),
        ("pretty_printed", "zstd", "utf-16-be"),
    ],
)
def test_what_is_appended_to_a_long_log_is_read(
    form: str, compression: str, encoding: str, tmp_path: Path
) -> None:
    """Also where the log has been continued since. Its copies have the same form."""
    records = [value for value in values() if "value" in value]
    path = tmp_path / "a.jsonl"
    long = forms.json_lines(records) * 4
    assert len(long) > 2 * HEAD_BYTES
    appended = forms.TEXTS[form][1](records[:9])
    for behind in ("", long):
        path.write_bytes(forms.packed(long + appended + behind, compression, encoding))
        found = [row.message_id for row in rows(path) if row.message_id]
        ids = records_with_ids()[1]
        assert found == [*filter(None, ids * 4 + ids[:9] + ids * (4 if behind else 0))]
        kind = recognise_within_limits(entry_of(path, "a.jsonl"))
        assert kind == Kind("pretty_printed", compression, encoding)
    path.write_bytes(forms.packed(long, compression, encoding))
    kind = recognise_within_limits(entry_of(path, "a.jsonl"))
    assert kind == Kind("json_lines", compression, encoding)


@pytest.mark.parametrize("over", range(4))
@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_an_array_on_a_line_a_little_over_the_limit_is_read(
    over: int, end: str, tmp_path: Path
) -> None:
    lines = forms.json_lines([records_with_ids()[0][0]])
    path = tmp_path / "a.jsonl"
    path.write_text(
        lines + f"[{POST.decode()}".ljust(MAX_LINE_BYTES + over - 1) + "]" + end, newline=""
    )
    texts = [line.text for line in read(path)]
    assert [part.text for part in line_parts(Line(2, texts[1], None))] == [POST]
    assert len(texts) == 2


@pytest.mark.parametrize("form", ["array", "concatenated"])
@pytest.mark.parametrize("compression", ["none", "gzip"])
@pytest.mark.parametrize("other", ["", "null", "x", "{" * 70, f'"{"x" * 70}"'])
def test_messages_on_a_line_that_is_too_long_are_read(
    form: str, compression: str, other: str, tmp_path: Path
) -> None:
    """Behind JSON lines, as `cat` makes of two exports; with lines behind them again."""
    records, ids = records_with_ids()
    long = forms.TEXTS[form][1](records * 6)
    assert len(long) > MAX_LINE_BYTES
    lines = forms.json_lines(records[:9])
    path = tmp_path / "a.jsonl"
    end = "]" if form == "array" else ""
    text = f"{lines}{long.removesuffix(end)},{other}{end}\n{lines}"
    path.write_bytes(forms.packed(text, compression, "utf-8"))
    found = rows(path)
    assert [row.message_id for row in found if row.message_id] == [
        *filter(None, ids[:9] + ids * 6 + ids[:9])
    ]
    rejects = [(row.line_number, row.reject_reason) for row in found if row.message_id is None]
    expected = [(10, "too_long")] if other else []
    assert [one for one in rejects if one[1] == "too_long"] == expected
    assert found[-1].line_number == 19


def test_what_powershell_appends_to_a_long_log_over_several_lines_is_read(tmp_path: Path) -> None:
    records, ids = records_with_ids()
    path = tmp_path / "a.jsonl"
    appended = forms.pretty_printed(records[:9]).replace("\n", "\r\n")
    path.write_bytes((forms.json_lines(records) * 4).encode() + appended.encode("utf-16-le"))
    found = [row.message_id for row in rows(path) if row.message_id]
    assert found == [*filter(None, ids * 4 + ids[:9])]


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


def test_what_powershell_appends_is_read() -> None:
    """`>>` writes UTF-16 whatever the file has; lines are cut at the byte of the line end."""
    lines = (SAMPLE / "devices.jsonl").read_bytes().splitlines()[:9]
    lines += (SAMPLE / "alice.jsonl").read_bytes().splitlines()[:40]
    for mark in ("", "\ufeff"):
        text = mark + "".join(f"{line.decode()}\r\n" for line in lines)
        parts = text.encode("utf-16-le").split(b"\n")[:-1]
        assert len(parts) == len(lines)
        for part, line in zip(parts, lines, strict=True):
            plain, appended = Line(1, line, None), Line(1, part, None)
            assert [*land_lines("a", appended, RING)] == [*land_lines("a", plain, RING)]
            found, expected = (
                [row._replace(line_bytes=0) for row in land_pzp_lines("a", one, RING)]
                for one in (appended, plain)
            )
            assert found == expected
            assert [*epoch_keys(appended)] == [*epoch_keys(plain)]


def told(path: Path) -> str:
    """What a file is that is not read, and what to do."""
    sentence = recognise_within_limits(entry_of(path, path.name))
    assert isinstance(sentence, str)
    return sentence


def output_of(command: str, path: Path) -> Path:
    """A file with what a command of a shell makes of another one."""
    output = path.with_name("output.json")
    with path.open("rb") as stdin, output.open("wb") as stdout:
        run(["sh", "-c", command], stdin=stdin, stdout=stdout, check=True)
    return output


def row_of(value: Any) -> LandedLine:
    return row_of_text(json.dumps(value).encode())


def row_of_text(text: bytes | None) -> LandedLine:
    [row] = land_lines("a", Line(1, text, None), RING)
    return row


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


@pytest.mark.parametrize(("encoding", "indent"), [("utf-8", 0), ("utf-16", 2)])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("cells", [("1", "{}", "x"), ("{}", "x"), ("{}",)])
def test_the_command_takes_messages_out_of_csv(
    cells: tuple[str, ...], separator: str, encoding: str, indent: int, tmp_path: Path
) -> None:
    """As databases and spreadsheets write columns with JSON."""
    if len(cells) == 1:
        separator = ","
    path = tmp_path / "a.txt"
    with path.open("w", encoding=encoding, newline="") as file:
        rows = csv.writer(file, delimiter=separator)
        rows.writerow(["a", "message", "b"][: len(cells)])
        for value in values()[:3]:
            text = forms.text(value, indent)
            rows.writerow([text if cell == "{}" else cell for cell in cells])
    said = told(path)
    assert said.startswith("Messages in the cells of CSV: take them out with `python3 -c")
    taken = output_of(said.split("`")[1], path)
    assert parsed(read(taken)) == [*values()[:3]]


def in_rows(records: list[dict[str, Any]]) -> str:
    return json.dumps({"rows": records})


# What programs put around messages, or make of them, and a command takes them out of.
AROUND: dict[str, Callable[[list[dict[str, Any]]], str]] = {
    "rows": in_rows,
    "a row a line": lambda records: "\n".join(json.dumps({"doc": one}) for one in records),
    "texts": lambda records: json.dumps([json.dumps(one) for one in records]),
    "many texts": lambda records: json.dumps([*map(json.dumps, records)] * 400),
    "many rows": lambda records: in_rows(records * 400),
    "a map": lambda records: json.dumps({one["key"]: one for one in records}),
    "a map without keys": lambda records: json.dumps({one["key"]: one["value"] for one in records}),
    "a long map without keys": lambda records: json.dumps(
        {f"{one['key']}?{n}": one["value"] for n in range(300) for one in records}
    ),
    "columns": lambda records: json.dumps(
        {name: [one[name] for one in records] for name in ("key", "value")}
    ),
    "columns of pandas": lambda records: json.dumps(
        {name: {str(n): one[name] for n, one in enumerate(records)} for name in ("key", "value")}
    ),
    "pairs": lambda records: json.dumps([[one["key"], one["value"]] for one in records]),
    "a pair a line": lambda records: "\n".join(
        json.dumps([one["key"], one["value"], 1]) for one in records
    ),
    "SQLite": lambda records: "\n".join(
        f"{one['key']}|{json.dumps(one['value'])}|17" for one in records
    ),
    "SQLite with names of columns": lambda records: (
        "id|key|value\n"
        + "".join(f"{n}|{one['key']}|{json.dumps(one['value'])}\n" for n, one in enumerate(records))
    ),
    "COPY": lambda records: "".join(
        f"{one['key']}\t{json.dumps(one['value'])}\n".replace("\\", r"\\") for one in records
    ),
    "lists": lambda records: json.dumps([{"thread": records}, {"thread": records}]),
    "Python": lambda records: "\n".join(map(repr, records)),
    "cells": lambda records: "".join(f"{in_cell(one)}\n" for one in records),
    "cells of members": lambda records: in_columns(records),
    "cells of Python": lambda records: in_table(records),
    "records of Python in cells": lambda records: "".join(
        '"' + repr(one).replace('"', '""') + '"\n' for one in records
    ),
    "cells beside keys": lambda records: (
        "key;timestamp;value\n"
        + "".join(f"{one['key']};1.7E+12;{in_cell(one['value'])}\n" for one in records)
    ),
}


def in_table(records: list[dict[str, Any]]) -> str:
    """As pandas writes it: objects as Python prints them, behind a column without a name."""
    table = io.StringIO()
    rows = csv.writer(table)
    rows.writerow(["", "key", "value"])
    rows.writerows([n, one["key"], one["value"]] for n, one in enumerate(records))
    return table.getvalue()


def in_columns(records: list[dict[str, Any]]) -> str:
    """As a database exports a table with a column for each member; the content is one of JSON."""
    names = ["previous", "sequence", "author", "timestamp", "hash", "content", "signature"]
    lines = [",".join(["key", *names])]
    for one in records:
        cells = [one["key"], *(one["value"][name] for name in names)]
        lines.append(
            ",".join(in_cell(cell) if isinstance(cell, dict) else str(cell or "") for cell in cells)
        )
    return "\n".join(lines)


def in_cell(record: dict[str, Any]) -> str:
    return '"' + json.dumps(record).replace('"', '""') + '"'


@pytest.mark.product
@pytest.mark.parametrize(
    ("compression", "encoding"),
    [
        *(("none", name) for name in ("utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32")),
        *(("gzip", name) for name in ("utf-8", "utf-16")),
        ("bzip2", "utf-8"),
        ("zstd", "utf-8"),
    ],
)
@pytest.mark.parametrize("around", AROUND)
def test_the_command_reads_the_file_as_it_is(
    around: str, compression: str, encoding: str, tmp_path: Path
) -> None:
    """A shell of Windows writes what any program prints as UTF-16, with a mark.

    An opened message without its ciphertext has no id but the key that the file gives it.
    """
    if which("jq") is None and around != "Python" and "cells" not in around:
        pytest.skip("the command is one of jq")
    if compression == "zstd" and which("zstd") is None:
        pytest.skip("the command unpacks with zstd")
    signed = [ClassicFeed(bytes([n]) * 32).publish(OF_NOTATIONS, n) for n in range(1, 4)]
    opened = ClassicFeed(bytes(32)).publish({"type": "post"}, 1, ciphertext="AAAA.box")
    records = [{"key": one.key, "value": one.value} for one in signed]
    value = opened.value | {"content": OF_NOTATIONS | {"recps": [opened.author]}}
    signed.append(opened)
    path = tmp_path / "a.json"
    text = AROUND[around]([*records, {"key": opened.key, "value": value}])
    path.write_bytes(forms.COMPRESSIONS[compression](text.encode(encoding)))
    said = told(path)
    command = next(part for part in said.split("`")[1::2] if part != "json.dumps")
    taken = output_of(command, path)
    assert {row.message_id for row in rows(taken)} == {message_uri(one.key) for one in signed}
    assert {row.validity for row in rows(taken)} == {"valid", "not_checked"}


@pytest.mark.parametrize("columns", [("id", "msg"), ("data", "metadata", "sigkey", "sig")])
def test_the_command_takes_messages_of_pzp_out_of_csv_with_their_ciphertexts(
    columns: tuple[str, ...], tmp_path: Path
) -> None:
    log = FIXTURES / "reported" / "f02_pzp_decrypted_set.jsonl"
    records = [*map(json.loads, log.open())]
    path = tmp_path / "a.txt"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([*columns, "misc"])
        for record in records:
            parts = record | record["msg"]
            cells = (parts.get(name) for name in (*columns, "misc"))
            rows.writerow([json.dumps(one) if isinstance(one, dict) else one for one in cells])
    taken = output_of(told(path).split("`")[1], path)
    found, expected = (
        [row.validity for line in read(one) for row in land_pzp_lines("a", line, RING)]
        for one in (taken, log)
    )
    assert found == expected == ["valid"] * len(records)


def coloured(text: str) -> str:
    """As `jq -C` writes; the colours of other programs end with other signs."""
    texts = re.sub(r'("(?:[^"\\]|\\.)*")', "\x1b[0;32m\\1\x1b[0m", text)
    return re.sub(r"(?m)^(\{|\})", "\x1b[1;39m\\1\x1b[K", texts)


def wrapped(text: str) -> str:
    return "\r\n".join(text[start : start + 80] for start in range(0, len(text), 80))


def with_commas(text: str) -> str:
    return "/* a log:\n   mine */\n" + re.sub("(?m)}$", ",  } // one", text)


def test_a_file_may_have_an_entity_with_a_number_of_any_length(tmp_path: Path) -> None:
    """Python reads no more than 4,300 digits. The file ended every build."""
    path = tmp_path / "a.json"
    path.write_text(f"{{&quot;key&quot;: &#{'1' * 4301}; }}\n")
    assert recognise_within_limits(entry_of(path, path.name))


# What people and programs make of lines of JSON, and of JSON over several lines.
NOTATIONS: dict[str, tuple[Callable[[str], str], str]] = {
    "colours": (coloured, "JSON in the colours of a terminal"),
    "broken lines": (wrapped, "JSON whose lines are broken in the middle of texts"),
    "escapes": (
        lambda text: text.replace(r"\n", "\n").replace(r"\t", "\t").replace(r"\r", "\r"),
        "JSON with line ends or tabs inside of texts",
    ),
    "entities": (html.escape, "JSON with entities of HTML"),
    "quoted-printable": (
        lambda text: quopri.encodestring(text.encode()).decode(),
        "JSON in quoted-printable, as mail has it",
    ),
    "base64": (lambda text: encodebytes(text.encode()).decode(), "JSON in base64"),
    "hexadecimal": (lambda text: text.encode().hex("\n", 30), "JSON in hexadecimal digits"),
    "URL": (quote, "JSON in the encoding of URLs"),
    "backslashes twice": (
        lambda text: re.sub(r"(?m)^{", "x\t{", text).replace("\\", "\\\\"),
        "JSON with each backslash written twice",
    ),
    "Ruby": (
        lambda text: text.replace('": ', '"=>').replace("=>null", "=>nil"),
        "Objects as Ruby prints them",
    ),
    "backslashes": (
        lambda text: "\n".join(json.dumps(line)[1:-1] for line in text.splitlines()),
        "JSON with a backslash before each quotation mark",
    ),
    "commas": (with_commas, "JSON with comments, with commas before brackets, or with blanks"),
    "blanks": (
        lambda text: re.sub('": ', '":\u00a0', text),
        "JSON with comments, with commas before brackets, or with blanks",
    ),
}


@pytest.mark.product
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("indent", [None, 4])
@pytest.mark.parametrize("notation", NOTATIONS)
def test_the_command_turns_another_notation_back(
    notation: str, indent: int | None, encoding: str, tmp_path: Path
) -> None:
    """Each as a whole file, and behind lines of other programs."""
    write, what = NOTATIONS[notation]
    if notation == "backslashes" and (indent is not None or which("jq") is None):
        pytest.skip("an escape is undone line by line, by jq")
    signed = [ClassicFeed(bytes([n]) * 32).publish(OF_NOTATIONS, n) for n in range(1, 4)]
    texts = [json.dumps({"key": one.key, "value": one.value}, indent=indent) for one in signed]
    path = tmp_path / "a.json"
    path.write_bytes(write("\n".join(texts) + "\n").encode(encoding))
    said = told(path)
    assert said.startswith(what)
    taken = output_of(said.split("`")[1], path)
    assert {row.validity for row in rows(taken) if row.message_id} == {"valid"}
    assert {row.message_id for row in rows(taken)} >= {message_uri(one.key) for one in signed}


# What mail, a difference, a log of other programs and `cat -n` have before each line.
BEFORE = ["> ", "+", "ssb_1  | ", "\x1b[36mssb |\x1b[0m ", "Nov 30 10:00:00 host ssb[1]: ", "%6d\t"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("form", ["pretty_printed", "pretty_array"])
@pytest.mark.parametrize("before", BEFORE)
def test_the_command_cuts_off_what_is_before_each_line(
    before: str, form: str, end: str, encoding: str, tmp_path: Path
) -> None:
    signed = [ClassicFeed(bytes([n]) * 32).publish(OF_NOTATIONS, n) for n in range(1, 4)]
    text = forms.TEXTS[form][1]([{"key": one.key, "value": one.value} for one in signed])
    lines = ["ssb-server starts {", "...", *text.splitlines()]
    shown = (before % n if "%" in before else before for n in range(len(lines)))
    path = tmp_path / "a.txt"
    log = "".join(f"{one}{line}{end}" for one, line in zip(shown, lines, strict=True))
    path.write_bytes(log.encode(encoding))
    said = told(path)
    assert said.startswith("JSON with something before each of its lines: cut it off with `")
    found = [row for row in rows(output_of(said.split("`")[1], path)) if row.message_id]
    assert {row.message_id for row in found} == {message_uri(one.key) for one in signed}
    assert {row.validity for row in found} == {"valid"}


@pytest.mark.parametrize("notation", ["base64", "hexadecimal"])
def test_digits_that_end_anywhere_are_told(notation: str) -> None:
    """Those of a file that is cut, or so many as are looked at."""
    write, what = NOTATIONS[notation]
    signed = ClassicFeed(bytes(32)).publish(OF_NOTATIONS, 1)
    text = write(json.dumps({"key": signed.key, "value": signed.value}) * 2).strip()
    for cut in range(len(text) - 9, len(text) + 1):
        assert (told_notation(text[:cut], Packing()) or "").startswith(what)


def test_a_line_broken_behind_a_sign_of_mail_is_not_of_mail() -> None:
    """The command for mail would lose that sign, which is a part of an id."""
    signed = ClassicFeed(bytes(32)).publish({"type": "post"}, 1)
    text = json.dumps({"key": signed.key, "value": signed.value})
    broken = text.replace("=.ed25519", "=\n.ed25519", 1)
    assert (told_notation(broken, Packing()) or "").startswith(NOTATIONS["broken lines"][1])


@pytest.mark.parametrize(
    "names", ["key,value", "author,sequence,content,signature", "key,author,sequence"]
)
def test_line_ends_and_quotation_marks_change_nothing_of_what_is_told_of_csv(names: str) -> None:
    text = f"{names}\n{','.join('%a' for _ in names.split(','))}\n"
    said = without_messages(text, Packing())
    assert said is not None
    assert without_messages(text.replace("\n", "\r\n"), Packing()) == said
    quoted = text.replace(names, '"{}"'.format(names.replace(",", '","')))
    assert without_messages(quoted, Packing()) == said


OF_NOTATIONS = {"type": "post", "text": "a 'b' <c> & \u2713 // d /* e */ ,} ,] \u00a0 \\ \" \r\n\t"}


def test_no_text_of_a_message_is_another_notation(tmp_path: Path) -> None:
    """A stranger's message may hold all of them. So may one that is damaged, if others are whole."""
    content = {
        "type": "post",
        "text": "".join(write(POST.decode()) for write, _ in NOTATIONS.values()),
    }
    signed = ClassicFeed(bytes(32)).publish(content, 1)
    text = json.dumps({"key": signed.key, "value": signed.value}).encode()
    path = tmp_path / "a.jsonl"
    for log in (text, text[:-1] + b"\n" + text, text[:9] + b"\n" + text[9:] + b"\n" + text):
        path.write_bytes(log)
        assert [row.validity for row in rows(path) if row.message_id] == ["valid"]


@pytest.mark.parametrize(
    "text",
    [
        " " * (1 << 20),
        "%" + "a" * (1 << 20),
        "ssb:" * (1 << 18),
        "%|" * (1 << 19),
        "%a{" * (1 << 18),
    ],
    ids=["blanks", "a key", "beginnings", "cells", "objects"],
)
def test_keys_before_messages_are_looked_for_once(text: str) -> None:
    """A pattern that backtracks would not finish here."""
    assert not has_keys_before(text)


def test_a_message_as_deep_as_the_parser_goes_is_in_no_notation() -> None:
    """Only its line end in a text would make it one, and what is proven of it is written again."""
    signed = ClassicFeed(bytes(32)).publish({"type": "post", "text": "a\nb", "deep": 0}, 1)
    text = json.dumps({"value": signed.value}).replace(r"\n", "\n")
    for depth in (200, *range(900, 1000)):
        deep = text.replace('"deep": 0', f'"deep": {depth * "["}{depth * "]"}')
        assert recognise_head(deep.encode(), "none") == Kind("json_lines", "none", "utf-8")


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


@pytest.mark.skipif(which("jq") is None, reason="jq is not here")
@pytest.mark.parametrize("opening", ["", "["])
def test_the_command_turns_columns_back_into_messages(opening: str, tmp_path: Path) -> None:
    """As `json_normalize` of pandas makes them: a name has the names of the members around it."""
    feed = ClassicFeed(bytes(32))
    contents = [{"type": "post", "text": "a"}, {"type": "vote", "vote": {"value": 1}, "root": "%a"}]
    signed = [feed.publish(content, 1) for content in contents]
    records = [{"key": one.key, "value": one.value} for one in signed]
    columns = [flat(record) for record in records]
    wide = [dict.fromkeys(name for row in columns for name in row) | row for row in columns]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(wide) if opening else "\n".join(map(json.dumps, wide)))
    said = told(path)
    assert said.startswith("JSON objects around messages: take these out with `jq -c '.")
    taken = output_of(said.split("`")[1], path)
    assert [row.message_id for row in rows(taken)] == [message_uri(one.key) for one in signed]
    assert {row.validity for row in rows(taken)} <= {"valid", "not_checked"}


def flat(value: Any, before: str = "") -> dict[str, Any]:
    if not isinstance(value, dict):
        return {before[:-1]: value}
    return {
        name: part
        for member, inner in value.items()
        for name, part in flat(inner, f"{before}{member}.").items()
    }


@pytest.mark.skipif(which("jq") is None, reason="jq is not here")
@pytest.mark.parametrize("lists", [("replies",), ("replies", "votes")], ids=len)
@pytest.mark.parametrize("is_bare", [False, True])
@pytest.mark.parametrize("form", ["json_lines", "pretty_printed", "array", "pretty_array"])
def test_the_command_takes_lists_and_the_messages_beside_them(
    form: str, is_bare: bool, lists: tuple[str, ...], tmp_path: Path
) -> None:
    """As viewers of threads keep replies. The first message has none, so that its list is empty."""
    feed = ClassicFeed(bytes(32))
    signed = [feed.publish({"type": "post", "text": f"{n}"}, n) for n in range(1, 6)]
    records = [one.value if is_bare else {"key": one.key, "value": one.value} for one in signed]
    first, second, third, *others = records
    found = [
        first | {name: [] for name in lists},
        second | {name: [third] for name in lists},
        *others,
    ]
    path = tmp_path / "a.json"
    path.write_text(forms.TEXTS[form][1](found))
    said = told(path)
    assert said.startswith("Messages with lists of messages: ")
    read_rows = rows(output_of(said.split("`")[1], path))
    assert {row.message_id for row in read_rows} == {message_uri(one.key) for one in signed}
    assert {row.validity for row in read_rows} == {"valid"}


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


# Damage


def faults(lines: list[Line]) -> list[str]:
    return [line.fault for line in lines if line.fault]


@pytest.mark.parametrize("form", [*forms.TEXTS])
@pytest.mark.parametrize("fault", ["zeros", "cut", "glued"])
def test_damage_costs_one_message(form: str, fault: str, tmp_path: Path) -> None:
    """A part of one message is overwritten by zeros, or lost; or what stands between two is lost."""
    messages = [value for value in values() if "value" in value][:30]
    data = forms.TEXTS[form][1](messages).encode()
    victim = data.index(messages[11]["key"].encode()) + 120
    beginnings = [data.rindex(b"{", 0, data.index(message["key"].encode())) for message in messages]
    if fault == "zeros":
        data = data[:victim] + bytes(100) + data[victim + 100 :]
    elif fault == "cut":
        data = data[:victim] + data[beginnings[12] :]
    else:
        data = data[: beginnings[11]].rstrip(b"\n\x1e, ") + data[beginnings[11] :]
    path = tmp_path / "a.json"
    path.write_bytes(data)
    found = rows(path)
    expected = [row_of(message).message_id for message in messages]
    if fault != "glued":
        del expected[11]
    assert [row.message_id for row in found if row.message_id] == expected
    assert [row.reject_reason for row in found if row.reject_reason] == {
        "glued": [],
        "cut": ["damaged"],
        "zeros": ["not_json" if form == "json_lines" else "damaged"],
    }[fault]


@pytest.mark.parametrize("form", [*forms.FORMS])
@pytest.mark.parametrize("member", ["value", "msg"])
@pytest.mark.parametrize("fault", ["zeros", "garbage", "cut"])
def test_damage_at_the_beginning_costs_the_first_message(
    form: str, member: str, fault: str, tmp_path: Path
) -> None:
    """The form is recognised by what comes after."""
    messages = [value for value in values() if isinstance(value.get(member), dict)][:30]
    data = forms.rewrite(messages, form, "none", "utf-8")
    path = tmp_path / "a.json"
    path.write_bytes({"zeros": bytes(90), "garbage": b"\xa5" * 90, "cut": b""}[fault] + data[90:])
    whole = parsed([part for line in read(path) for part in line_parts(line) if is_json(part)])
    # What is left of the first message may be an object.
    assert [one for one in whole if member in one] == messages[1:]


@cache
def bare_values() -> tuple[Any, ...]:
    """Public messages of both sources, without the records around them."""
    bare = [one.get("msg") or one["value"] for one in values() if "msg" in one or "value" in one]
    return tuple(one for one in bare if "data" in one or row_of(one).validity == "valid")


@pytest.mark.parametrize("form", [*forms.TEXTS])
@pytest.mark.parametrize("wrapper", ["", "seq", "offset"])
@pytest.mark.parametrize("fault", ["a line before", "cut"])
def test_values_without_records_behind_something_else(
    form: str, wrapper: str, fault: str, tmp_path: Path
) -> None:
    """None of them but the first begins with what stands at the beginning of the file."""
    for bare in (
        [value for value in bare_values() if "content" in value][:30],
        [value for value in bare_values() if "data" in value],
    ):
        messages = [{wrapper: 1.0, "value": value} if wrapper else value for value in bare]
        data = forms.rewrite(messages, form, "none", "utf-8")
        path = tmp_path / "a.json"
        path.write_bytes(b"server started\n" + data if fault == "a line before" else data[150:])
        whole = parsed([part for line in read(path) for part in line_parts(line) if is_json(part)])
        assert whole == (messages if fault == "a line before" else messages[1:])


@pytest.mark.parametrize("before", [b"msg: ", b"00ff12ab", b"cb(null, "])
@pytest.mark.parametrize(
    "behind", [b"", b", from a peer", b", true)", b", 5 ms", b', "a" ms', b", 5"]
)
def test_values_beside_something_else_on_their_lines(
    before: bytes, behind: bytes, tmp_path: Path
) -> None:
    """As debuggers print them, and as the test data of flumedb-rs has them behind their bytes in hex."""
    path = tmp_path / "a.jsonl"
    texts = (forms.text(value).encode() for value in bare_values())
    path.write_bytes(b"".join(before + text + behind + b"\n" for text in texts))
    parts = [part for line in read(path) for part in line_parts(line)]
    assert parsed([part for part in parts if is_json(part)]) == [*bare_values()]


@pytest.mark.parametrize("form", [*forms.TEXTS])
@pytest.mark.parametrize("lost", ["before it", "behind it", "around it"])
def test_a_value_inside_of_a_damaged_record_is_no_message(
    form: str, lost: str, tmp_path: Path
) -> None:
    """Its ciphertext may be beside it, in the record."""
    messages = [value for value in values() if "value" in value][:30]
    data = forms.rewrite(messages, form, "none", "utf-8").decode()
    key = data.index(messages[11]["key"])
    name = data.index('"value"', key)
    brace = data.index("{", name)
    end = brace + json.JSONDecoder().raw_decode(data[brace:])[1]
    following = data.rindex("{", 0, data.index(messages[12]["key"]))
    before = data[: name if lost == "behind it" else key + 8]
    behind = data[end if lost == "before it" else following :]
    path = tmp_path / "a.json"
    path.write_text(before + data[name:end] + behind)
    parts = [part for line in read(path) for part in line_parts(line) if is_json(part)]
    assert parsed(parts) == messages[:11] + messages[12:]


@pytest.mark.parametrize("form", [*forms.TEXTS])
@pytest.mark.parametrize("fault", ["too deep", "cut", "its beginning is lost", "damaged"])
def test_no_message_inside_of_another_counts(form: str, fault: str, tmp_path: Path) -> None:
    """A stranger may write it there, in the name of somebody else: no rule for damage takes it out."""
    messages = [value for value in values() if "value" in value][:12]
    foreign = {"key": messages[0]["key"], "value": {"author": "@a", "content": "y" * 9}}
    others = [foreign, {"a": 1.0}, foreign, None, foreign, -1.5, foreign, "\\", foreign, True]
    content = {"deep": "DEEP", "one": foreign, "some": others, "z": "end"}
    stranger = {"key": "%a", "value": {"author": "@a", "content": content, "hash": "sha256"}}
    place = len(messages) if fault == "cut" else 6
    text = forms.TEXTS[form][1]([*messages[:place], stranger, *messages[place:]])
    deep = "[" * 3000 + "]" * 3000 if fault == "too deep" else "123454321.5"
    text = text.replace('"DEEP"', deep)
    if fault == "cut":
        text = text[: text.index('"end"')]
    elif fault == "its beginning is lost":
        text = text[: text.index('"%a"') - 4] + text[text.index(deep) :]
    elif fault == "damaged":
        text = text.replace(deep, "x")
    path = tmp_path / "a.json"
    path.write_text(text)
    parts = [part for line in read(path) for part in line_parts(line) if is_json(part)]
    found = parsed(parts)
    assert foreign not in found
    assert [value for value in found if value in messages] == messages


@pytest.mark.parametrize("form", ["array", "pretty_array", "json_sequence"])
@pytest.mark.parametrize("other", [None, True, -1.5, "%a"])
def test_values_between_messages_cost_none(form: str, other: Any, tmp_path: Path) -> None:
    """JavaScript writes null in an array for what is undefined, as a message that was deleted."""
    messages = [value for value in values() if "value" in value][:12]
    between = [one for message in messages for one in (other, message)]
    path = tmp_path / "a.json"
    path.write_text(forms.TEXTS[form][1]([*between, other]))
    found = rows(path)
    assert [row.message_id for row in found if row.message_id] == [
        row_of(message).message_id for message in messages
    ]
    assert {row.reject_reason for row in found} == {None, "not_a_message"}


def test_damage_before_every_message_of_an_array_costs_none() -> None:
    messages = [value for value in values() if "value" in value][:12]
    text = forms.array(messages).replace('},{"key"', '},x{"key"')
    lines = [*each_line(split_values(io.BytesIO(text.encode()), by_line=False))]
    assert parsed([line for line in lines if line.text]) == messages


@pytest.mark.parametrize("place", [0, 5])
def test_damage_costs_one_message_whatever_member_is_its_first(place: int) -> None:
    """The damaged message says how it begins, or those before it how all of the file begin."""
    messages = [{"time": 1, **value} for value in values() if "value" in value][:12]
    text = forms.array(messages)
    for _ in range(place):
        text = text.replace('{"time":1', "BEFORE", 1)
    text = text.replace('{"time":1', "x" if place else '{"time":x', 1).replace(
        "BEFORE", '{"time":1'
    )
    lines = [*each_line(split_values(io.BytesIO(text.encode()), by_line=False))]
    assert parsed([line for line in lines if line.text]) == messages[:place] + messages[place + 1 :]


@pytest.mark.parametrize("ends", ["values", "entries"])
def test_damage_in_an_array_with_other_values_costs_one_message(ends: str, tmp_path: Path) -> None:
    """Null for what is deleted; and a list of names and messages, as JavaScript writes a map."""
    messages = [value for value in values() if "value" in value]
    others = [one for message in messages for one in (message, None)]
    items = others if ends == "values" else [[message["key"], message] for message in messages]
    text = forms.array(items)
    for place in (2, len(messages) // 2, len(messages) - 2):
        number = text.index('"timestamp":', text.index(f'{{"key":"{messages[place]["key"]}')) + 12
        path = tmp_path / "a.json"
        path.write_text(text[:number] + "x" + text[number + 1 :])
        found = parsed([part for part in read(path) if is_json(part)])
        assert found == messages[:place] + messages[place + 1 :]


@pytest.mark.parametrize("form", ["pretty_printed", "json_sequence", "concatenated"])
def test_a_second_damage_costs_no_message_between_where_no_comma_joins_them(form: str) -> None:
    messages = [value for value in values() if "value" in value][:12]
    text = forms.TEXTS[form][1](messages)
    first, second = (text.index(messages[number]["key"]) for number in (3, 9))
    begins = text.rindex("{", 0, second)
    damaged = text[:first] + '"' + text[first:begins] + "}" + text[begins:]
    lines = [*each_line(split_values(io.BytesIO(damaged.encode()), by_line=False))]
    assert parsed([line for line in lines if line.text]) == messages[:3] + messages[4:]


# What a stranger may write beside an object that looks like a message.
BESIDE = st.recursive(
    st.none()
    | st.booleans()
    | st.floats(-1e9, 1e9)
    | st.sampled_from(["", "z", '"', "\\", "},{", "é" * 300]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("az"), inner, max_size=3),
    max_leaves=12,
)
OF_ANOTHER = {"key": "%" + "f" * 44, "value": {"author": "@" + "f" * 44, "content": "y" * 9}}


@given(data=st.data(), form=st.sampled_from([*forms.TEXTS]), is_ascii=st.booleans())
def test_no_damage_makes_a_message_of_what_is_inside_of_one(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, form: str, is_ascii: bool
) -> None:
    messages = [value for value in values() if "value" in value][:12]
    others = data.draw(st.lists(BESIDE | st.just(OF_ANOTHER), max_size=40))
    content = {
        "type": "x",
        "some": [OF_ANOTHER, *others, OF_ANOTHER, *others],
        "z": data.draw(BESIDE),
    }
    inner = {
        "previous": None,
        "author": "@a",
        "sequence": 1.0,
        "content": content,
        "hash": "sha256",
    }
    stranger = data.draw(st.sampled_from([inner, {"key": "%a", "value": inner, "timestamp": 1.0}]))
    nulls = data.draw(st.booleans())
    items = [*messages[:6], stranger, *messages[6:]]
    items = [one for item in items for one in ((item, None) if nulls else (item,))]
    text = forms.TEXTS[form][1](items)
    if is_ascii:
        text = "".join(mark if mark.isascii() else f"\\u{ord(mark):04x}" for mark in text)
    begins, ends = text.index(messages[5]["key"]), text.index(messages[6]["key"])
    place = data.draw(st.integers(begins, ends))
    lost = data.draw(st.sampled_from([0, 1]))
    damaged = (
        text[:place] + data.draw(st.sampled_from(["", *'x"0{}[],:\\\0'])) + text[place + lost :]
    )
    path = tmp_path_factory.mktemp("landing") / "a.json"
    path.write_text(damaged)
    found = parsed([part for line in read(path) for part in line_parts(line) if is_json(part)])
    assert OF_ANOTHER not in found
    assert [value for value in found if value in messages[:5]] == messages[:5]
    assert [value for value in found if value in messages[8:]] == messages[8:]


def is_json(line: Line) -> bool:
    return line.text is not None and isinstance(line_object(line), dict)


@pytest.mark.parametrize("form", [*forms.FORMS])
@pytest.mark.parametrize("empty", [b"\0", b" \n"])
def test_zeros_and_blanks_before_a_log(form: str, empty: bytes, tmp_path: Path) -> None:
    messages = [value for value in values() if "value" in value][:30]
    path = tmp_path / "a.json"
    size = 5 << 16
    path.write_bytes((empty * size)[:size] + forms.rewrite(messages, form, "none", "utf-8"))
    kind = recognise(entry_of(path, "a.json"))
    assert kind == forms.kind_of(form, "none", "utf-8")
    parts = [part for line in read(path) for part in line_parts(line)]
    assert parsed([part for part in parts if is_json(part)]) == messages
    assert set(faults(parts)) <= {"zero_bytes", "damaged"}


@given(
    form=st.sampled_from([*forms.TEXTS]),
    encoding=st.sampled_from([name for name in forms.ENCODINGS if "utf-8" not in name]),
    place=st.floats(0.01, 1, exclude_max=True),
    lost=st.integers(0, 3),
    new=st.binary(max_size=3),
)
def test_bytes_lost_or_put_in_cost_the_messages_they_are_in(
    tmp_path_factory: pytest.TempPathFactory,
    form: str,
    encoding: str,
    place: float,
    lost: int,
    new: bytes,
) -> None:
    """Units of UTF-16 and UTF-32 begin elsewhere after them; characters of all planes stand around."""
    chosen = [value for value in values() if "value" in value]
    messages = [
        {**value, "odd": "\u3042\u4e00\u4e00\u4e00\u4e00\U0001d11e \u2200"} for value in chosen
    ]
    name, mark = forms.ENCODINGS[encoding]
    data = mark + forms.TEXTS[form][1](messages).encode(name)
    at = int(len(data) * place)
    path = tmp_path_factory.mktemp("landing") / "a.json"
    path.write_bytes(data[:at] + new + data[at + lost :])
    parts = [part for line in read(path) for part in line_parts(line) if is_json(part)]
    kept = [value for value in parsed(parts) if value in messages]
    assert len(kept) >= len(messages) - (2 if lost > 1 else 1)


@pytest.mark.parametrize("encoding", ["utf-16-le with a mark", "utf-16-be with a mark"])
def test_a_mark_that_has_lost_a_byte_costs_no_message(encoding: str, tmp_path: Path) -> None:
    messages = [value for value in values() if "value" in value]
    data = forms.packed(forms.json_lines(messages), "none", encoding)
    for place in (0, 1):
        path = tmp_path / "a.jsonl"
        path.write_bytes(data[:place] + data[place + 1 :])
        parts = [part for line in read(path) for part in line_parts(line) if is_json(part)]
        assert parsed(parts) == messages


FOREIGN = b'{"key":"%a","value":{"author":"@a","content":{}}}'


@given(
    encoding=st.sampled_from(["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]),
    place=st.floats(0, 1),
    pieces=st.lists(
        st.tuples(
            st.sampled_from([FOREIGN, b"\n%s\n" % FOREIGN, b"\n", b'":', b'a":1', b"x" * 4000]),
            st.booleans(),
            st.integers(0, 3),
        ),
        max_size=6,
    ),
)
def test_no_text_tells_where_units_or_another_encoding_begin(
    tmp_path_factory: pytest.TempPathFactory,
    encoding: str,
    place: float,
    pieces: list[tuple[bytes, bool, int]],
) -> None:
    """A stranger's text may have the bytes of messages in UTF-8, or of messages between its units."""
    crafted = b""
    for ascii_bytes, is_encoded, shift in pieces:
        data = ascii_bytes.decode().encode(encoding) if is_encoded else ascii_bytes
        crafted += b"N" * shift + data
        crafted += b"N" * (-len(crafted) % 4)
    odd = crafted.decode(encoding, "ignore")
    messages = [{**value, "odd": "a", "after": 1.0} for value in values() if "value" in value]
    messages[int(place * (len(messages) - 1))]["odd"] = odd
    path = tmp_path_factory.mktemp("landing") / "a.jsonl"
    path.write_bytes(forms.json_lines(messages).encode(encoding, "replace"))
    assert [json.dumps(one) for one in parsed(read(path))] == [json.dumps(one) for one in messages]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("is_encoded", [False, True])
def test_no_text_across_two_pieces_of_a_file_tells_it(
    encoding: str, is_encoded: bool, tmp_path: Path
) -> None:
    """What ends a text, as long as a message allows, may not be in memory with its beginning."""
    data = FOREIGN.decode().encode(encoding) if is_encoded else FOREIGN
    crafted = b"N" * is_encoded + data
    crafted += b"N" * (-len(crafted) % 4)
    odd = (crafted.decode(encoding, "ignore") * 300)[:7500]
    messages = [{**value, "odd": odd, "after": 1.0} for value in values() if "value" in value][:20]
    path = tmp_path / "a.jsonl"
    path.write_bytes(forms.json_lines(messages).encode(encoding))
    assert [json.dumps(one) for one in parsed(read(path))] == [json.dumps(one) for one in messages]


def test_a_log_of_pzp_that_is_cut(tmp_path: Path) -> None:
    """In its last block; what is whole before it is read. Zeros may stand behind data."""
    messages = [value for value in values() if "msg" in value]
    data = forms.pzp_log(messages)
    place = data.rindex(b"{", 0, data.rindex(b'"msg"'))
    path = tmp_path / "log.log"
    path.write_bytes(data[: place + 100])
    lines = read(path)
    assert parsed(lines[:-1]) == messages[:-1]
    assert lines[-1] == Line(2 * len(messages) - 1, None, "cut_short")


def test_damage_in_the_text_of_the_first_record_of_a_log_of_pzp(tmp_path: Path) -> None:
    """The lengths are right, so only the text tells it. The records behind it tell what the file is."""
    messages = [value for value in values() if "msg" in value]
    data = bytearray(forms.pzp_log(messages))
    data[data.index(b'"msg"')] = 0xA5
    path = tmp_path / "log"
    path.write_bytes(data)
    found = read(path)
    assert parsed(found[1:]) == messages[1:]
    assert line_object(found[0]) == "not_utf8"


@pytest.mark.parametrize("beginning", [b"\x5d\0\0", b"\x1f\x8b"])
def test_no_length_of_the_first_record_makes_a_log_of_pzp_an_archive(
    beginning: bytes, tmp_path: Path
) -> None:
    """Files of lzma and of gzip begin with bytes that are lengths of records, too."""
    record = {"id": "", "msg": {"data": ""}}
    record["id"] = "a" * (int.from_bytes(beginning[:2], "little") - len(forms.text(record)))
    path = tmp_path / "log"
    path.write_bytes(forms.pzp_log([record]))
    assert path.read_bytes().startswith(beginning)
    assert parsed(read(path)) == [record]


def deleted_records(form: str, size: int) -> bytes:
    """More deleted records than are looked at to recognise a file."""
    if form == "flume_log_of_old":
        length = size.to_bytes(4)
        return 5 * forms.BLOCK // size * (length + bytes(size) + length)
    length = size.to_bytes(2, "little")
    record = (length if form == "bipf_log" else bytes(2) + length) + bytes(size)
    return 5 * (record * ((forms.BLOCK - 1) // len(record))).ljust(forms.BLOCK, b"\0")


@pytest.mark.parametrize("form", ["bipf_log", "flume_log_of_old", "pzp_log"])
@pytest.mark.parametrize("size", [10, 0x3FFF])
def test_deleted_records_at_the_beginning_of_a_log_do_not_hide_it(
    form: str, size: int, tmp_path: Path
) -> None:
    """However many there are."""
    messages = [value for value in values() if ("msg" in value) == (form == "pzp_log")]
    log = forms.rewrite(messages, form, "none", "utf-8")
    path = tmp_path / "log"
    path.write_bytes(deleted_records(form, size) + log)
    assert parsed(read(path)) == messages


@pytest.mark.parametrize("form", forms.BINARIES)
def test_short_records_keep_the_numbers_of_those_behind_them(form: str, tmp_path: Path) -> None:
    """They come together, and deleted ones among them have numbers, too."""
    message = next(value for value in values() if ("msg" in value) == (form == "pzp_log"))
    written = [message, {"a": 1}, {"b": 2}, message, {"c": 3}]
    path = tmp_path / "log"
    path.write_bytes(forms.rewrite(written, form, "gzip", "utf-8")[:-8])
    *found, end = read(path)
    assert [line.line_number for line in found] == [1, 3, 5, 7, 9]
    assert parsed(found) == written
    assert end == Line(11, None, "cut_short")


def test_brackets_of_a_damaged_record_of_pzp_hide_no_other() -> None:
    """Four brackets may be the lengths of a record that ends where a stranger has written a brace."""

    def record(value: object) -> bytes:
        data = forms.text(value).encode()
        return len(data).to_bytes(2, "little") + bytes(2) + data

    brackets = record({"id": "%a", "msg": [[[[[{"": 0}]]]] for _ in range(40)]})
    others = [{"id": str(number), "msg": {"data": "x" * 300}} for number in range(60)]
    braces = {"id": "%b", "msg": "}" * 7_000}
    log = bytes(4) + brackets[4:] + b"".join(map(record, [*others, braces, *others]))
    found = [*each_line(pzp_log.read_records(io.BytesIO(log)))]
    assert [line.fault for line in found] == ["damaged"] + [None] * 121


def test_a_file_whose_units_begin_elsewhere_at_every_sign(tmp_path: Path) -> None:
    """It is read to its end, and what is told is one line."""
    path = tmp_path / "a.jsonl"
    sign = '":'.encode("utf-16-le")
    path.write_bytes('{"a":1}\n{"b'.encode("utf-16-le") + (sign + b"x") * 100_000)
    assert [line.line_number for line in read(path)] == [1, 2]


@pytest.mark.parametrize("packed", ["none", "gzip"])
def test_a_file_that_is_shorter_than_when_it_was_listed(packed: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(forms.rewrite([{"a": n} for n in range(99)], "json_lines", packed, "utf-8"))
    log = replace(entry_of(path, "a.jsonl"), kind=Kind("json_lines", packed, "utf-8"))
    path.write_bytes(path.read_bytes()[:60])
    [split] = list_splits([log])
    assert [*each_line(read_lines(split))][-1].fault == "cut_short"
    with pytest.raises(EOFError):
        content_hash(log)


def test_bytes_in_a_log_of_ssb_db2_are_those_that_were_signed(tmp_path: Path) -> None:
    """Not only those of a nonce. JavaScript writes them in JSON as an object."""
    as_json = {"type": "Buffer", "data": [0.0, 255.0]}
    signed = BendyFeed(bytes(32)).publish({"type": "metafeed/update", "more": [as_json]}, 1)
    content = {"type": "metafeed/update", "more": [b"\0\xff"]}
    path = tmp_path / "log.bipf"
    path.write_bytes(
        forms.bipf_log([{"key": signed.key, "value": {**signed.value, "content": content}}])
    )
    assert parsed(read(path)) == [{"key": signed.key, "value": signed.value}]
    assert [row.validity for row in rows(path)] == ["valid"]


@pytest.mark.parametrize("form", ["bipf_log", "flume_log", "flume_log_53"])
@pytest.mark.parametrize("zeros", [False, True])
def test_damage_of_a_binary_log_costs_one_message(form: str, zeros: bool, tmp_path: Path) -> None:
    messages = [value for value in values() if "value" in value][:60]
    data = bytearray(forms.BINARIES[form][1](messages))
    victim = data.index(messages[30]["key"].encode()) - 16
    data[victim : victim + 60] = bytes(60) if zeros else b"\xa5" * 60
    path = tmp_path / "log.bin.bipf"
    path.write_bytes(data)
    found = read(path)
    assert parsed([line for line in found if line.text]) == messages[:30] + messages[31:]
    assert len(faults(found)) == 1


@pytest.mark.parametrize("damage", [b"\0", b"x"], ids=["zeros", "garbage"])
def test_a_message_behind_long_damage_of_a_flume_log_is_read(
    damage: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it begins. Damage that is longer than what is in memory is searched in several pieces."""
    monkeypatch.setattr(flume, "MAX_LINE_BYTES", 200)
    monkeypatch.setattr(flume, "_CHUNK", 16)
    message = json.loads(POST) | {"timestamp": 1}
    record = forms.flume_log([message])
    for length in range(1, 1000):
        log = io.BytesIO(record + damage * length + 3 * record)
        found = [*each_line(flume.read_records(log))]
        assert parsed([line for line in found if line.text]) == [message] * 4, length
        assert len(faults(found)) == 1


@pytest.mark.parametrize("width", [0, 4, 6, 8])
@pytest.mark.parametrize("longer", [(0, 12), (12, 0), (12, 12), (0, 16)])
def test_no_lengths_of_the_first_records_tell_another_width(
    width: int, longer: tuple[int, int]
) -> None:
    """The length of a record may be what a file length would be, or be where another width has a record."""
    messages = [{"key": "%a", "value": {"x": "." * (100 + more)}} for more in (0, *longer)]
    log = b""
    for message in messages:
        data = forms.text(message).encode()
        length = len(data).to_bytes(4)
        log += length + data + length
        log += (len(log) + width).to_bytes(width) if width else b""
    found = [*each_line(flume.read_records(io.BytesIO(log)))]
    assert [(line.text, line.fault) for line in found] == [
        (forms.text(message).encode(), None) for message in messages
    ]


def test_only_a_record_of_zeros_is_deleted_in_a_flume_log() -> None:
    def record(data: bytes) -> bytes:
        length = len(data).to_bytes(4)
        return length + data + length

    log = record(POST) + record(bytes(20)) + record(b"\0" + b"x" * 19) + record(POST)
    found = each_line(flume.read_records(io.BytesIO(log)))
    assert [(line.line_number, line.fault) for line in found] == [
        (1, None),
        (3, "zero_bytes"),
        (4, None),
    ]


@pytest.mark.product
@pytest.mark.parametrize("form", [*forms.FORMS])
@pytest.mark.parametrize("compression", [*forms.COMPRESSIONS])
def test_a_file_that_is_cut_keeps_its_whole_messages(
    form: str, compression: str, tmp_path: Path
) -> None:
    messages = [value for value in values() if "value" in value]
    # What is compressed breaks by whole blocks, of up to 128 KiB.
    messages = messages[:40] if compression in ("none", "gzip") else messages * 3
    data = forms.rewrite(messages, form, compression, "utf-8")
    path = tmp_path / "a.json"
    path.write_bytes(data[: len(data) * 5 // 8])
    found = read(path)
    *whole, last = [part for line in found for part in line_parts(line)]
    kept = parsed(whole)
    assert kept == messages[: len(kept)]
    assert len(kept) > len(messages) // 8
    if form == "json_lines" and compression == "none":
        assert row_of_text(last.text).reject_reason == "not_json"
    else:
        assert last.fault == "cut_short"


BREAKS = {
    "no checksum": ("gzip", lambda data: data[:-8]),
    "a byte more": ("gzip", lambda data: data + b"\n"),
    "another file": ("zstd", lambda data: data + b"PK\3\4"),
}


@pytest.mark.product
@pytest.mark.parametrize("form", [*forms.FORMS])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-32-be"])
@pytest.mark.parametrize("fault", [*BREAKS])
@pytest.mark.parametrize("count", [3, 100])
def test_a_break_behind_the_last_message_costs_none(
    form: str, encoding: str, fault: str, count: int, tmp_path: Path
) -> None:
    compression, broken = BREAKS[fault]
    messages = [value for value in values() if "value" in value][:count]
    log = forms.FORMS[form][1](messages)
    log = log.rstrip("\n") if isinstance(log, str) else log
    path = tmp_path / "a.json"
    path.write_bytes(broken(forms.packed(log, compression, encoding)))
    *whole, last = read(path)
    assert parsed(whole) == messages
    assert last.fault == "cut_short"


@pytest.mark.parametrize("compression", ["gzip", "bzip2", "zstd"])
def test_what_follows_a_compressed_log_is_told(
    compression: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Somebody has appended plain lines: no program unpacks them, and they are not dropped silently.

    The same bytes, copied again, would be told again.
    """
    path = tmp_path / "a.jsonl"
    packed = forms.COMPRESSIONS[compression](forms.json_lines([*values()[:2]]).encode())
    expected = [(1, None), (2, None)]
    path.write_bytes(packed)
    assert [(line.line_number, line.fault) for line in read(path)] == expected
    path.write_bytes(packed + packed)
    assert len(read(path)) == 4
    path.write_bytes(packed + POST + b"\n")
    assert [(line.line_number, line.fault) for line in read(path)] == [*expected, (3, "cut_short")]
    assert main(["inspect", str(path)]) == 0
    assert "or other bytes follow a compressed part: compress them, too" in capsys.readouterr().out


@pytest.mark.parametrize("compression", ["gzip", "bzip2"])
def test_zeros_behind_a_compressed_log_are_padding(compression: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    packed = forms.COMPRESSIONS[compression](forms.json_lines([*values()[:2]]).encode())
    path.write_bytes(packed + bytes(100_000) + packed + bytes(512))
    assert [line.fault for line in read(path)] == [None] * 4


@pytest.mark.parametrize("short", [b"", b"{}\n{}\n"])
def test_a_line_that_breaks_off_is_one_reject(short: bytes, tmp_path: Path) -> None:
    message = json.dumps(values()[0]).encode()
    for cut in (1, 40, 400):
        path = tmp_path / "a.jsonl.gz"
        path.write_bytes(gzip.compress(short + message + b"\n" + short + message[:cut])[:-8])
        lines = read(path)
        assert sum(line.text == message for line in lines) == 1
        assert [line.fault for line in lines] == [None] * (len(lines) - 1) + ["cut_short"]
        assert [line.line_number for line in lines] == [*range(1, len(lines) + 1)]


def test_a_value_of_50_megabytes_costs_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_UNPACK_LIMIT", "1000000")
    message = json.dumps(values()[0])
    path = tmp_path / "a.json.gz"
    with gzip.open(path, "wt", compresslevel=1) as file:
        file.write(f'[{message},{{"key": "')
        for _ in range(50):
            file.write("x" * 1_000_000)
        file.write(f'"}},{message}]')
    found, peak = peak_memory(partial(read, path))
    assert [line.fault for line in found] == [None, "too_long", None]
    assert peak < 24 * MAX_LINE_BYTES, f"reading took {peak} bytes of memory"


def test_a_bomb_of_zstd_costs_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_UNPACK_LIMIT", "1000000")
    path = tmp_path / "a.jsonl.zst"
    path.write_bytes(forms.COMPRESSIONS["zstd"](b"{}\n" + bytes(60_000_000)))
    found, peak = peak_memory(partial(read, path))
    assert [line.fault for line in found] == [None, "too_long"]
    assert peak < 48 * MAX_LINE_BYTES, f"reading took {peak} bytes of memory"


def test_many_parts_of_zstd_are_unpacked_by_one_decompressor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each has memory of its own, which costs more than a small part."""
    made = []

    def counted() -> zstandard.ZstdDecompressor:
        made.append(zstandard.ZstdDecompressor())
        return made[-1]

    monkeypatch.setattr(unpack, "zstandard", SimpleNamespace(ZstdDecompressor=counted))
    parts = zstandard.ZstdCompressor().compress(b"a") * 1_000
    assert unpack.unpacked(io.BytesIO(parts), "zstd").read() == b"a" * 1_000
    assert len(made) == 1


def test_a_file_that_grows_is_read_as_it_was_listed(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[{"a":1}')
    log = entry_of(path, "a.json")
    kind = recognise(log)
    assert isinstance(kind, Kind)
    path.write_text('[{"a":1},{"a":2}]')
    [split] = list_splits([replace(log, kind=kind)])
    assert [line.text for line in each_line(read_lines(split))] == [b'{"a":1}']


@pytest.mark.parametrize("length", [0, 70_000, 200_000])
@pytest.mark.parametrize("end", [None, 1, 150_000, 300_000])
def test_a_line_is_skipped_to_its_end_however_long_it_is(length: int, end: int | None) -> None:
    """A worker that begins inside of a line leaves all of it to the worker before, or its own part."""
    file = io.BytesIO(b"x" * length + b"\n" + b"y" * 100)
    skip_line(file, end)
    is_behind_end = end is not None and end <= file.tell() <= length
    assert file.tell() == length + 1 or is_behind_end


def test_a_file_that_goes_away_is_told(tmp_path: Path) -> None:
    for kind in (Kind("json_lines", "none", "utf-8"), Kind("array", "gzip", "utf-8")):
        [split] = list_splits([Log(str(tmp_path / "gone"), "gone", 9, 0, kind)])
        assert [*read_lines(split)] == [Line(1, None, "cut_short")]


def test_glued_messages_of_both_sources() -> None:
    """Each is a row of its source; the keys of epochs are found, and damage is told once."""
    lines = (SAMPLE / "alice.jsonl").read_bytes().splitlines()
    inits = [line for line in lines if [*epoch_keys(Line(1, line, None))]]
    assert len(inits) > 5
    posts = [line for line in lines if b'"type": "post"' in line or b'"type":"post"' in line]
    sets = (SAMPLE / "devices.jsonl").read_bytes().splitlines()
    glued = Line(
        7, b"".join([inits[0], inits[1][:200], sets[0], posts[0], inits[2], sets[1]]), None
    )
    alone = [Line(7, text, None) for text in (inits[0], sets[0], posts[0], inits[2], sets[1])]
    found = [*land_lines("a", glued, RING)]
    assert found[:-1] == [row for line in alone for row in land_lines("a", line, RING)]
    assert (found[-1].reject_reason, found[-1].line_number) == ("damaged", 7)
    expected = [row for line in alone for row in land_pzp_lines("a", line, RING)]
    assert len(expected) == 2
    assert [*land_pzp_lines("a", glued, RING)] == expected
    assert [*epoch_keys(glued)] == [key for line in alone for key in epoch_keys(line)]


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        (b"2023-01-01 12:00:00 INFO ", b""),
        (b"<34>Oct 11 22:14:15 host ssb: ", b""),
        (b"data: ", b"\n"),
        (b"7\t", b"\tpeer"),
        (b'["%a",', b"]"),
        (b"\x1b[32m", b"\x1b[0m"),
    ],
)
def test_lines_with_something_before_their_messages_are_numbered_as_lines(
    before: bytes, behind: bytes, tmp_path: Path
) -> None:
    """As programs print them, with the time or the name of a peer; syslog begins with a bracket."""
    path = tmp_path / "a.jsonl"
    texts = [forms.text(value).encode() for value in values()[:40]]
    path.write_bytes(b"".join(before + text + behind + b"\n" for text in texts))
    found = [part for part in read(path) if part.text and part.text.startswith(b"{")]
    assert [part.text for part in found] == texts
    step = 1 + behind.count(b"\n")
    numbers = [*range(1, step * len(texts) + 1, step)]
    assert [part.line_number for part in found] == numbers
    assert {part.line_number for part in read(path)} == set(numbers)


@pytest.mark.parametrize(
    ("last", "fault"),
    [
        (
            b'{"key": "%a", "value": {"author": "@a", "sequence": 1, "content": {"a": "b',
            "cut_short",
        ),
        (b'{"key": "%a", "value": {"author": "@a", "sequence": 1, "content": {', "cut_short"),
        (b'{"key": "%a", "value" {"author": "@a", "sequence": 1, "content": {}}}', "damaged"),
        (b'{"key": "%a", "value": {"author": "@a", "sequence": 1, "content": {}},}', "damaged"),
        (b"{key: '%a', value: {author: '@a', sequence: 1, content: {type: 'post'}}}", "damaged"),
    ],
)
@pytest.mark.parametrize(("opening", "ending"), [(b"[", b","), (b"", b"\n\n")])
def test_a_file_is_cut_only_if_it_ends_in_a_message(
    opening: bytes, ending: bytes, last: bytes, fault: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.json"
    first = forms.text(values()[0], 2).encode()
    behind = b"" if fault == "cut_short" else b"\n]" if opening else b"\n"
    path.write_bytes(opening + first + ending + last + behind)
    found = read(path)
    assert [line.fault for line in found] == [None, fault]


def test_a_text_beside_a_message_on_its_line_is_damage() -> None:
    message, text = b'{"key":"%%a","value":{"content":"%s"}}' % (b"b" * 50), b'"%s"' % (b"b" * 70)
    parts = [*line_parts(Line(7, message + b"," + text + b",5", None))]
    assert parts == [Line(7, message, None), Line(7, None, "damaged")]
    alone = Line(7, text + b",5,", None)
    assert [*line_parts(alone)] == [alone]


# Any bytes


PIECES = st.sampled_from(
    [
        b"{",
        b"}",
        b"[",
        b'"',
        b"\\",
        b"\n",
        b"\0",
        b"\x1e",
        b",",
        b'{"key":"%a","value":{}}',
        b'{"key":',
        b'{\n  "key": 1\n}\n',
        b"null",
        b"-1.5",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\0\0\0\x02{}\0\0\0\x02\0\0\0\x0e",
        b"\x0c\x00\x55\x18key\x2868656",
        gzip.compress(b"{}"),
        b"\x28\xb5\x2f\xfd",
        b"BZh91AY&SY",
    ]
)
SEEDS = st.sampled_from(
    [
        forms.rewrite(
            [{"key": "%a", "value": {"content": n}} for n in range(3)], form, packed, code
        )
        for form in forms.FORMS
        for packed in forms.COMPRESSIONS
        for code in ("utf-8", "utf-16-le")
    ]
)


@st.composite
def damaged_files(draw: st.DrawFn) -> bytes:
    """A log in some form, with bytes flipped, cut out or put in."""
    data = bytearray(draw(SEEDS))
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, min(len(data), 400)))
        length = draw(st.integers(0, 12))
        data[place : place + length] = draw(PIECES | st.binary(max_size=9))
    return bytes(data)


@given(data=st.one_of(damaged_files(), st.lists(PIECES | st.binary(max_size=4)).map(b"".join)))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_any_bytes_are_told_or_read(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """Every line becomes rows: messages, or one reject; nothing crashes."""
    path = tmp_path_factory.mktemp("landing") / "a.jsonl"
    path.write_bytes(data)
    log = entry_of(path, "a.jsonl")
    kind = recognise(log)
    if isinstance(kind, str):
        assert kind
        return
    last = 0
    for line in read(path):
        assert line.line_number >= last
        last = line.line_number
        assert (line.text is None) == (line.fault is not None)
        found = [*land_lines("a", line, RING), *land_pzp_lines("a", line, RING)]
        assert found
        assert {row.reject_reason for row in found} <= {None, *REJECT_REASONS}


@given(data=st.lists(PIECES | st.binary(max_size=4)).map(b"".join))
def test_all_bytes_of_a_text_are_in_values_or_damage(data: bytes) -> None:
    """What is in no value is damage: cut the values out, and faults are left, or nothing but separators."""
    found = [*each_line(split_values(io.BytesIO(data), by_line=False))]
    assert [line.line_number for line in found] == [*range(1, len(found) + 1)]
    rest = data
    for line in found:
        if line.text is not None:
            value = json.loads(line.text.decode("utf-8", "surrogateescape"))
            assert not isinstance(value, list)
            assert line.text in rest
            rest = rest.replace(line.text, b"", 1)
    is_clean = not rest.replace(b"\xef\xbb\xbf", b"").strip(b" \t\r\n,[]\x1e")
    assert is_clean == (not faults(found))


@given(data=st.binary(max_size=600))
@example(data=b'{"a": 1, "a.b": 2}')
@example(data=b'{"a": ["' + b"a" * 70_000)
@example(data=b'{"a": ' + b'{"a":' * 20_000)
def test_any_head_is_recognised_or_told(data: bytes) -> None:
    assert recognise_head(data, "none")


# The command


def test_the_newest_log_may_be_hidden_and_is_a_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a build reads them: names that begin with a dot or an underscore, and no other files."""
    monkeypatch.setenv("SCUTTLEHOUSE_LANDING", str(tmp_path))
    with pytest.raises(LandingError, match="holds no log: put logs there"):
        newest_ms()
    names = ["a.jsonl", "sub/2026-01-01T03:00.jsonl", "_b.jsonl", ".c.jsonl"]
    # The last two have names of logs, and a build leaves them out.
    peers = b'[{"host": "localhost", "port": 8008, "key": "@a"}]'
    others = {"picture.png": b"", "page.txt": b"<html></html>", "gossip.json": peers}
    for seconds, name in enumerate([*names, *others], 1):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(others.get(name, b""))
        os.utime(path, (seconds, seconds))
        assert newest_ms() == min(seconds, len(names)) * 1000
    (tmp_path / "nothing.jsonl").symlink_to(tmp_path / "gone")
    assert newest_ms() == len(names) * 1000


def test_a_log_from_the_future_does_not_hide_that_no_other_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever writes a log may give it any time. It would pass for fresh until then."""
    monkeypatch.setenv("SCUTTLEHOUSE_LANDING", str(tmp_path))
    for name, seconds in (("future.jsonl", 4_000_000_000), ("far.jsonl", 6_000_000_000)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (seconds, seconds))
    assert newest_ms() == 6_000_000_000_000
    (tmp_path / "a.jsonl").touch()
    os.utime(tmp_path / "a.jsonl", (5, 5))
    assert newest_ms() == 5000


def test_inspect_says_what_a_file_is_and_what_is_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = {"type": "\x1b[31mred\nline", "text": "hello"}
    lines = [
        json.dumps(values()[0]),
        json.dumps({"key": "%" + "A" * 43 + "=.sha256", "value": value_of(odd)}),
        "{}",
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    (tmp_path / "b.json").write_bytes(b"PK\x03\x04")
    assert main(["inspect", str(tmp_path / "a.jsonl")]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{tmp_path}/a.jsonl: json_lines, not compressed, utf-8, ")
    assert "\n  2 messages, by type:\n" in said
    assert "           1  (a text of 13 characters)\n" in said
    assert "\x1b" not in said
    assert "  1 line would be rejected:\n           1  not_a_message, first at line 3. " in said
    assert main(["inspect", str(tmp_path), str(tmp_path / "gone"), "/dev/null"]) == 1
    said = capsys.readouterr().out
    assert "b.json: This is a zip archive: unpack it with `unzip`.\n" in said
    assert f"{tmp_path}/gone: There is no such file, or you may not look into its folder.\n" in said
    assert "/dev/null: A device and no file: " in said


def test_inspect_counts_what_is_in_a_file_of_both_sources(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    contents: list[Any] = [{"type": f"kind{number % 20:02d}"} for number in range(40)]
    records = [
        {"key": "%" + "A" * 43 + "=.sha256", "value": value_of(content)}
        for content in [*contents, *["AAAA.box", {"a": 1}] * 3]
    ]
    of_pzp = (REPORTED.parent / "f01_pzp_decrypted.jsonl").read_text().splitlines()
    lines = [*map(json.dumps, records), '{"msg": {}}', *of_pzp, "{}", "{}"]
    good, bad = tmp_path / "a.jsonl.gz", tmp_path / "b.json"
    good.write_bytes(gzip.compress("\n".join(lines).encode()))
    bad.write_bytes(b"PK\x03\x04")
    assert main(["inspect", str(good)]) == 0
    first, *said = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{good}: json_lines, gzip, utf-8, ")
    assert said[:5] == [
        "  52 messages, by type:",
        "           3  (encrypted)",
        "           3  (without a type)",
        "           3  pzp set_v1__follows",
        "           2  kind00",
    ]
    assert said[21:-1] == [
        "           9  of 5 more types",
        "  each by itself:",
        "          43  invalid (id_mismatch)",
        "           6  valid",
        "           3  invalid (type_is_malformed)",
        "  3 lines would be rejected:",
    ]
    assert said[-1].startswith("           3  not_a_message, first at line 47. ")
    good.write_bytes(gzip.compress(of_pzp[0].encode()))
    assert main(["inspect", str(bad), str(good)]) == 1
    assert "rejected" not in capsys.readouterr().out


def test_inspect_tells_what_another_line_has_as_ciphertext(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = map(json.loads, (REPORTED.parent / "f01_pzp_decrypted.jsonl").open())
    encrypted = next(record for record in records if "misc" in record)
    ciphertext = encrypted.pop("misc")["originalData"]
    opened = encrypted | {"private": True}
    encrypted |= {"msg": encrypted["msg"] | {"data": ciphertext}}
    path = tmp_path / "a.jsonl"
    for lines in ([opened], [opened, encrypted], [encrypted, opened]):
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        assert main(["inspect", str(path)]) == 0
        said = capsys.readouterr().out
        is_alone = encrypted not in lines
        assert ("1 line would be rejected" in said) == is_alone
        assert ("1  not_checked (ciphertext_not_in_log)\n" in said) != is_alone
        assert f"  {len(lines) - is_alone} message" in said


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "An empty name: There is no such file, or you may not look into its folder."),
        (".", ".: The folder holds no files."),
        ("s3://logs/a.jsonl", "s3://logs/a.jsonl: What is in S3 is not inspected: copy it to "),
    ],
)
def test_inspect_of_no_file_is_a_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    sentence: str,
) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    assert main(["inspect", name]) == 1
    said = capsys.readouterr().out
    assert said.startswith(sentence)
    assert said.count("\n") == 1


def test_inspect_shows_no_mark_of_direction(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A name may have one, and a folder."""
    folder = tmp_path / "a\u202eb"
    folder.mkdir()
    (folder / "rtl\u202egnp.jsonl").write_bytes(b"{}\n")
    (folder / "sheet\u2066.csv").write_bytes(b"a,b\n")
    main(["inspect", str(folder), str(folder / "rtl\u202egnp.jsonl"), str(folder / "gone\x1b")])
    said = capsys.readouterr().out
    assert said.count("rtl\\u202egnp.jsonl: json_lines") == 2
    assert not set("\u202e\u2066\x1b") & set(said)


def value_of(content: dict[str, Any]) -> dict[str, Any]:
    return {**values()[0]["value"], "content": content}


def test_inspect_of_a_name_that_is_not_that_of_a_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "export").write_bytes(forms.bipf_log([*values()]))
    assert main(["inspect", str(tmp_path / "export")]) == 0
    said = capsys.readouterr().out
    assert ": bipf_log, not compressed, binary, " in said
    assert "  Its name is not that of a log: " in said
    assert " messages, by type:" in said
    assert "  not_checked (content_signature_only)\n" in said


VALUES = st.sampled_from(
    [
        "{}",
        '{"a":1}',
        '{"key":"%a","value":{}}',
        '{\n  "key": {\n    "a": [{}, "}\\""]\n  }\n}\n',
        '{"key":"%a","value":{"a":"' + "b" * 50 + '"}}',
        '{"":' * 12 + "{}" + "}" * 12,
        '{"":' * 13 + "{" + "}" * 14,
        "\0" * 3,
        "\0" * 65,
        '{"a":"\n"}',
        '{"a":[}',
        "{]}",
        '{"a":"}',
        '{":1}',
        "{x}",
        '{"a":NaN}',
        '{"a":"\u00e9"}',
        "{",
        "}",
        '"',
        "null",
        "nul",
        "true",
        "-0.5e+3",
        "01",
        '"a\\""',
        '"\\q"',
        f'"{"b" * 63}"',
    ]
    + [f'{{"a":"{"b" * length}"}}' for length in (50, 56, 57, 58, 59, 70)]
)


@given(
    pieces=st.lists(
        VALUES | st.sampled_from([",", "\n", " ", "\r\n", "[", "]", "\x1e", "\0"]), max_size=40
    ),
    by_line=st.booleans(),
)
def test_short_values_are_read_as_all_others(pieces: list[str], by_line: bool) -> None:
    """Many at a time, and one by one."""
    data = "".join(pieces).encode()
    many = [*each_line(split_values(io.BytesIO(data), by_line=by_line))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(short_values, "_ITEMS", re.compile("(?!)"))
        one_by_one = [*split_values(io.BytesIO(data), by_line=by_line)]
    assert many == one_by_one
