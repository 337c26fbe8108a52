"""What is fuzzed: inputs that a stranger may write, and what must hold for each of them.

A target reads an input and returns how many bytes it has read. It raises where a promise is broken.
`test_fuzzing.py` tries some inputs, `benchmarks/fuzz.py` tries them for half an hour and measures their cost.
"""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import strategies as st

import forms
from conftest import FIXTURES, PROJECT
from pieces import each_line
from scuttlehouse.files import bipf, flume, jsjson
from scuttlehouse.files.listing import entry_of
from scuttlehouse.files.parts import MAX_LINE_BYTES, Kind, Line, Piece
from scuttlehouse.files.recognise import recognise
from scuttlehouse.files.streams import BROKEN
from scuttlehouse.files.unpack import opened
from scuttlehouse.landing.glued_lines import epoch_keys, land_lines, land_pzp_lines
from scuttlehouse.landing.logs import list_splits, read_lines
from scuttlehouse.landing.rejects import fold_rejects
from scuttlehouse.pzp.lines import LandedPzpLine
from scuttlehouse.pzp.rules import REASONS as PZP_REASONS
from scuttlehouse.replicas.replicas import PublishedUpdate, ReplicaError, open_replica
from scuttlehouse.ssb.bendybutt import check_message, message_bytes
from scuttlehouse.ssb.bfe import Bytes, NoBytesError, bencode, encode, with_nonce_read
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.lines import REJECT_REASONS, LandedLine

RING = KeyRing(b"pepper")


class Target(NamedTuple):
    """Inputs, and what reads one and returns how many bytes it was."""

    inputs: st.SearchStrategy[Any]
    run: Callable[[Any], int]


def messages() -> list[bytes]:
    """Lines of the sample: of both sources, public, private and opened."""
    lines = (PROJECT / "sample" / "alice.jsonl").read_bytes().splitlines()
    return [*lines[:120:4], *(PROJECT / "sample" / "devices.jsonl").read_bytes().splitlines()[:12]]


def without_time(data: bytes) -> bytes:
    """The same without the time in the head of a gzip file, so that a seed always makes the same inputs."""
    return data[:4] + bytes(4) + data[8:] if data.startswith(b"\x1f\x8b") else data


MESSAGES = messages()
VECTORS = [
    jsjson.parse(line)
    for line in (FIXTURES / "bendybutt" / "vectors.jsonl").read_text(encoding="utf-8").splitlines()
]
SIGNED = {
    vector["key"]: vector["value"]
    for vector in VECTORS
    if isinstance(vector, dict) and not vector["hmac"] and vector["error"] is None
}
LOGS = [
    without_time(forms.rewrite(forms.objects(MESSAGES[:6]), form, packed, encoding))
    for form in forms.FORMS
    for packed in forms.COMPRESSIONS
    for encoding in ("utf-8", "utf-16-le")
]

# What JSON is made of, and what our formats look for.
PIECES = [
    *b"{}[]\":,\\\n\r\0\x1e\t 0e-'",
    *(name.encode() for name in ('{"a":', '{"key":', '{"key":"%a","value":{}', '{"msg":{', "{}")),
    *(b'"value"', b'"author"', b'"content":{"type":', b'"secret":"', b"\\u0022", b"\\ud800"),
    *(
        b"1e308,",
        b"-0",
        b"true",
        b"null",
        b"NaN",
        b'"tangles":{"',
        b'"previous":[',
        b"\xef\xbb\xbf",
    ),
    *(
        b"\xff\xfe",
        b"\xe2\x80\xa8",
        b"\xed\xa0\x80",
        b'"1":1,',
        b'"__proto__":',
        b"=.sha256",
        b"%A",
    ),
]
PIECE = st.sampled_from([bytes([one]) if isinstance(one, int) else one for one in PIECES])


@st.composite
def texts(draw: st.DrawFn, most_bytes: int) -> bytes:
    """Pieces, each repeated up to whatever a line may hold, or a message that they are put into."""
    text = bytearray(draw(st.sampled_from([b"", *MESSAGES])))
    for _ in range(draw(st.integers(0, 5))):
        piece = draw(PIECE | st.binary(min_size=1, max_size=6))
        times = 2 ** draw(st.integers(0, 20)) // len(piece) + 1 if draw(st.booleans()) else 1
        place = draw(st.integers(0, max(len(text), 1)))
        cut = draw(st.integers(0, 9))
        text[place : place + cut] = piece * times
    return bytes(text[:most_bytes])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A log in some form, with bytes flipped, cut out or put in."""
    data = bytearray(draw(st.sampled_from(LOGS)))
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, max(len(data) - 1, 0)))
        cut = draw(st.integers(0, 2 ** draw(st.integers(0, 10))))
        times = 2 ** draw(st.integers(0, 14)) if draw(st.booleans()) else 1
        data[place : place + cut] = draw(PIECE | st.binary(max_size=9)) * times
    return bytes(data)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.floats()
    | st.integers(-(2**60), 2**60).map(float)
    | st.text(max_size=12)
    | st.sampled_from(
        sorted({*SIGNED, "=.sha256", "@.ed25519", "%A.cloaked", "a.box2", "ssb:feed/a/b"})
    )
    | st.text(st.characters(categories=["Cs"]), max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)


@st.composite
def bendybutt_values(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A signed message with members changed, here or in its content; and its id."""
    key = draw(st.sampled_from(sorted(SIGNED)))
    value = {**SIGNED[key]}
    for _ in range(draw(st.integers(0, 3))):
        name = draw(st.sampled_from([*value, "more"]))
        inner = value.get("content")
        if isinstance(inner, dict) and draw(st.booleans()):
            changed = {**inner, draw(st.sampled_from([*inner, "more"])): draw(JSON)}
            value["content"] = changed
        elif draw(st.booleans()):
            value.pop(name, None)
        else:
            value[name] = draw(JSON)
    return key, value


UPDATES = st.lists(
    st.builds(
        PublishedUpdate,
        st.sampled_from(["s", "t", "", "\0", "\ud800", "\\u0000"]),
        st.integers(1, 3),
        st.integers(0, 3),
        st.just("build"),
        st.sampled_from(["a", "b", "", "\0", "\\"]) | st.text(max_size=3),
        st.none() | st.integers(0, 3) | st.integers(-(2**63), 2**63 - 1),
        st.none() | st.integers(0, 3) | st.integers(-(2**63), 2**63 - 1),
    ),
    max_size=12,
)


def read_line(text: bytes) -> int:
    """A line becomes rows, each a message or a reject with a reason of ours."""
    text = text.replace(b"\n", b" ")
    line = Line(1, None, "too_long") if len(text) > MAX_LINE_BYTES else Line(1, text, None)
    _check_rows(line)
    return len(text)


def _check_rows(line: Line) -> None:
    found = [*land_lines("a", line, RING), *land_pzp_lines("a", line, RING)]
    assert found, "a line is neither a message nor a reject"
    reasons = {row.reject_reason for row in found}
    assert reasons <= {None, *REJECT_REASONS, *PZP_REASONS}, reasons
    assert all(len(key) > 0 for key in epoch_keys(line))


def read_file(data: bytes) -> int:
    """A file is left out with a sentence, or all of its lines become rows, in order."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.jsonl")
        path.write_bytes(data)
        log = entry_of(path, "a.jsonl")
        kind = recognise(log)
        if isinstance(kind, str):
            assert kind.endswith("."), kind
            return len(data)
        last = 0
        for split in list_splits([replace(log, kind=kind)]):
            short = []
            for piece in read_lines(split):
                assert last <= piece.line_number <= piece.next_number
                last = piece.line_number
                if not isinstance(piece, Line):
                    short.append(("a", piece))
                    continue
                assert (piece.text is None) == (piece.fault is not None)
                _check_rows(piece)
            _check_short(short)
        return max(len(data), _unpacked_bytes(log.path, len(data), kind))


def _check_short(pieces: list[tuple[str, Piece]]) -> None:
    """Each short line is counted once, in one of both sources."""
    counted = 0
    for land, kind in ((land_lines, LandedLine), (land_pzp_lines, LandedPzpLine)):
        rows = fold_rejects(pieces, partial(land, ring=RING), RING, kind)
        counted += sum(row.line_count for row in rows)
    assert counted == sum(len(piece.texts()) for _, piece in pieces if not isinstance(piece, Line))


def _unpacked_bytes(path: str, size: int, kind: Kind) -> int:
    read = 0
    with suppress(*BROKEN), opened(path, size, Kind("", kind.compression, "binary")) as stream:
        while part := stream.read(1 << 16):
            read += len(part)
    return read


def read_json(text: bytes) -> int:
    """What is read is written as text that reads the same."""
    try:
        value = jsjson.parse(text.decode("utf-8", "replace"))
    except ValueError:
        return len(text)
    written = jsjson.stringify(value)
    assert jsjson.stringify(jsjson.parse(written)) == written
    return len(text)


def read_bipf(data: bytes) -> int:
    """A value is decoded or refused, and a log of such records becomes lines."""
    try:
        value = bipf.decode(data)
    except bipf.BipfError:
        pass
    else:
        json.dumps(value)
    pieces = [*bipf.read_records(io.BytesIO(data)), *flume.read_records(io.BytesIO(data))]
    for line in each_line(pieces):
        assert (line.text is None) == (line.fault is not None)
    return len(data)


def judge_bendybutt(message: tuple[str, dict[str, Any]]) -> int:
    """Only what the author has signed is valid, whatever was changed."""
    key, value = message
    verdict = check_message(value, None, key, None)
    assert verdict.validity in ("valid", "invalid", "not_checked")
    if verdict.validity == "valid":
        readings = [message_bytes(one) for one in (value, with_nonce_read(value))]
        assert message_bytes(SIGNED[key]) in readings
    return len(repr(value))


def encode_value(value: Any) -> int:
    """A value has bytes from which it can be read again, or none."""
    try:
        encoded = encode(value)
        data = bencode(encoded)
    except NoBytesError:
        return len(repr(value))
    decoded, end = decode_bencode(data, 0)
    assert end == len(data)
    assert decoded == _named_in_utf_8(encoded)
    return len(repr(value))


def _named_in_utf_8(value: Bytes) -> Any:
    if isinstance(value, dict):
        return {
            name.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode(): (
                _named_in_utf_8(member)
            )
            for name, member in value.items()
        }
    return [*map(_named_in_utf_8, value)] if isinstance(value, list) else value


def decode_bencode(data: bytes, place: int) -> tuple[Any, int]:
    """The value that begins at a place, and where it ends: slow, as BEP 3 has it."""
    mark = data[place : place + 1]
    if mark == b"i":
        end = data.index(b"e", place)
        return int(data[place + 1 : end]), end + 1
    if mark in (b"l", b"d"):
        items = []
        place += 1
        while data[place : place + 1] != b"e":
            item, place = decode_bencode(data, place)
            items.append(item)
        pairs = zip(items[::2], items[1::2], strict=True) if mark == b"d" else ()
        return (dict(pairs) if mark == b"d" else items), place + 1
    colon = data.index(b":", place)
    end = colon + 1 + int(data[place:colon])
    return data[colon + 1 : end], end


def follow(updates: list[PublishedUpdate]) -> int:
    """Commands are applied, or refused and change nothing."""
    with open_replica("sqlite::memory:") as replica:
        for batch in batches(updates):
            before = replica.orders(), replica.progress()
            try:
                replica.apply(batch)
            except ReplicaError:
                assert (replica.orders(), replica.progress()) == before
            assert all(len(set(order)) == len(order) for order in replica.orders().values())
    return len(repr(updates))


def batches(updates: list[PublishedUpdate]) -> Iterator[list[PublishedUpdate]]:
    """Commands one by one, then all of them."""
    yield from ([update] for update in updates)
    yield updates


NAMES = ("line", "file", "json", "bipf", "bendybutt", "bencode", "replica")


def target(name: str, most_bytes: int = MAX_LINE_BYTES + 2) -> Target:
    """A target by its name; no text that it is given is longer than some bytes."""
    return {
        "line": Target(texts(most_bytes), read_line),
        "file": Target(files(), read_file),
        "json": Target(texts(most_bytes), read_json),
        "bipf": Target(st.binary(max_size=200) | files() | texts(most_bytes), read_bipf),
        "bendybutt": Target(bendybutt_values(), judge_bendybutt),
        "bencode": Target(JSON, encode_value),
        "replica": Target(UPDATES, follow),
    }[name]
