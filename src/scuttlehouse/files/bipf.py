"""``log.bipf``, as ssb-db2 keeps its messages: async-append-only-log with records in BIPF.

The log is blocks of 64 KiB. A block is records and then zeros; a record is its length (two bytes, little
endian) and its data, which are all zero once it is deleted. (async-append-only-log 4, README and record.js;
bipf-spec: a value is a varint of its length times 8 plus its type, and then its bytes.)
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from functools import partial
from typing import BinaryIO, NamedTuple

from scuttlehouse.files import jsjson
from scuttlehouse.files.objects import is_message
from scuttlehouse.files.parts import SHORT_BYTES, Line, Piece, ShortValues, kept_numbers

BLOCK_BYTES = 1 << 16

_STRING, _BUFFER, _INT, _DOUBLE, _ARRAY, _OBJECT, _BOOLEAN_OR_NULL = range(7)
_TAG_BITS = 3
_MOST_VARINT_BYTES = 5
_UNDEFINED = object()

# How many places of a damaged block are looked at, and how many bytes are decoded in vain.
_LOOKS = 1 << 12
_MOST_TRIED = 4 * BLOCK_BYTES
# The first byte of an object that is longer than a short record.
_LONG_OBJECT = re.compile(
    b"[%s]" % b"".join(b"\\x%02x" % tag for tag in range(0x80 | _OBJECT, 0x100, 1 << _TAG_BITS))
)

# So many different short records are decoded. No message is one; the others are told as they are.
_MOST_DECODED = 2000


def _short_record(length: int) -> bytes:
    """The pattern of a record with an object of this length, or of a deleted one."""
    inner = length - 1 if length <= 16 else length - 2
    tag = inner << _TAG_BITS | _OBJECT
    tags = bytes([tag]) if length <= 16 else bytes([tag & 0x7F | 0x80, tag >> 7])
    return rb"%s(?:%s.{%d}|\0{%d})" % (
        re.escape(struct.pack("<H", length)),
        re.escape(tags),
        inner,
        length,
    )


_SHORT_RECORD = re.compile(b"|".join(map(_short_record, range(1, SHORT_BYTES + 1))), re.DOTALL)
_RUN = re.compile(b"(?:%s)+" % _SHORT_RECORD.pattern, re.DOTALL)


class BipfError(ValueError):
    """The bytes are not a value of BIPF."""


def decode(data: bytes) -> jsjson.Value:
    """The value that some bytes are in BIPF; bytes inside of it come as JavaScript writes them in JSON.

    Raises:
        BipfError: they are none, or more than one, or nest deeper than ``jsjson.MAX_DEPTH``.

    >>> decode(bytes.fromhex("3518666f6f0e01")), decode(bytes.fromhex("110001"))
    ({'foo': True}, {'type': 'Buffer', 'data': [0.0, 1.0]})
    """
    value, end = _value(data, 0, len(data))
    if end != len(data) or value is _UNDEFINED:
        raise BipfError("the value ends before its record")
    return value  # type: ignore[return-value]


def _tag(data: bytes, start: int, end: int) -> tuple[int, int, int]:
    """The type of the value at a place, and where its bytes begin and end."""
    tag = shift = 0
    for place in range(start, min(end, start + _MOST_VARINT_BYTES)):
        tag |= (data[place] & 0x7F) << shift
        shift += 7
        if data[place] < 0x80:
            length = tag >> _TAG_BITS
            if place + 1 + length > end:
                break
            return tag & (1 << _TAG_BITS) - 1, place + 1, place + 1 + length
    raise BipfError("a length is wrong")


def _value(data: bytes, start: int, end: int) -> tuple[object, int]:
    """The value at a place, and where it ends. A loop, for the reason of :func:`jsjson.written`."""
    whole: list[object] | dict[str, object] | None = None
    name = ""
    # The arrays and objects around, each with the name of its member that is read, and where it ends.
    levels: list[tuple[list[object] | dict[str, object] | None, str, int]] = []
    while True:
        if isinstance(whole, dict):
            kind, begin, start = _tag(data, start, end)
            if kind != _STRING:
                raise BipfError("the name of a member is not text")
            name = data[begin:start].decode("utf-8", "replace")
        kind, begin, stop = _tag(data, start, end)
        if len(levels) > jsjson.MAX_DEPTH:
            raise BipfError("nests too deep")
        value: object
        if kind in (_ARRAY, _OBJECT):
            levels.append((whole, name, end))
            whole = [] if kind == _ARRAY else {}
            start, end = begin, stop
        else:
            value, start = _scalar(data, kind, begin, stop), stop
            if whole is None:
                return value, start
            _put(whole, name, value)
        while start == end:
            value = whole
            whole, name, end = levels.pop()
            if whole is None:
                return value, start
            _put(whole, name, value)


def _put(whole: list[object] | dict[str, object], name: str, value: object) -> None:
    if isinstance(whole, list):
        whole.append(None if value is _UNDEFINED else value)
    elif value is not _UNDEFINED:
        whole[name] = value


def _scalar(data: bytes, kind: int, start: int, end: int) -> object:
    if kind == _STRING:
        return data[start:end].decode("utf-8", "replace")
    if kind == _BUFFER:
        return {"type": "Buffer", "data": [*map(float, data[start:end])]}
    if kind == _INT and end - start == 4:
        return float(struct.unpack_from("<i", data, start)[0])
    if kind == _DOUBLE and end - start == 8:
        return struct.unpack_from("<d", data, start)[0]
    if kind == _BOOLEAN_OR_NULL and end == start:
        return None
    if kind == _BOOLEAN_OR_NULL and end == start + 1 and data[start] <= 2:
        return (False, True, _UNDEFINED)[data[start]]
    raise BipfError("a value has an unknown type, or the wrong length")


def read_records(stream: BinaryIO) -> Iterator[Piece]:
    """Yield the records as lines of JSON, numbered from 1; a deleted one has a number and no line.

    Short ones that follow each other come together. A record that is damaged comes as the fault ``damaged``,
    or ``cut_short`` where the file ends in it. What follows in its block is found again by longer records
    that can be read.

    Complexity: O(bytes), memory O(BLOCK_BYTES).
    """
    number = 1
    known: dict[bytes, bytes] = {}
    while block := stream.read(BLOCK_BYTES):
        for record in block_records(block):
            if record.short:
                texts = [_short_text(data, known) for data in record.short if data.strip(b"\0")]
                following = number + len(record.short)
                yield ShortValues(
                    number, following, texts, partial(kept_numbers, record.short, number)
                )
                number = following
                continue
            if record.fault:
                yield Line(number, None, record.fault)
            elif record.data.strip(b"\0"):
                yield _line(number, record.data)
            number += 1


def _short_text(data: bytes, known: dict[bytes, bytes]) -> bytes:
    """A short record as JSON; as it is, if it cannot be decoded, or after many others."""
    text = known.get(data)
    if text is None:
        if len(known) == _MOST_DECODED:
            return data
        try:
            text = jsjson.stringify(decode(data)).encode("utf-8", "surrogatepass")
        except BipfError:
            text = data
        known[data] = text
    return text


def begins_a_log(block: bytes) -> bool:
    """Whether a block begins with a record that is an object, perhaps after deleted ones.

    >>> begins_a_log(bytes([3, 0]) + bytes(3) + bytes([1, 0, 5])), begins_a_log(bytes(9))
    (True, False)
    """
    place = 0
    while (end := _record_end(block, place)) is not None and end > place:
        if block[place + 2 : end].strip(b"\0"):
            return _is_object(block, place, end)
        place = end
    return place > 0 and len(block) == BLOCK_BYTES and not block[place:].strip(b"\0")


def holds_a_message(head: bytes) -> bool:
    """Whether a message is in the blocks at the beginning of a file, perhaps after damage. O(length)."""
    blocks = (head[start : start + BLOCK_BYTES] for start in range(0, len(head), BLOCK_BYTES))
    records = (record.data for block in blocks for record in block_records(block))
    found = (decode(data) for data in records if data.strip(b"\0"))
    return any(isinstance(value, dict) and is_message(value) for value in found)


class Record(NamedTuple):
    """The data of a record; or a fault, of a part of a block that is none; or short records in a row."""

    data: bytes
    fault: str | None = None
    short: tuple[bytes, ...] = ()


def block_records(block: bytes) -> Iterator[Record]:
    """The records of a block, and the parts of it that are damaged."""
    place = 0
    looks, tried = iter(range(_LOOKS)), 0
    while place < len(block):
        if run := _RUN.match(block, place):
            yield Record(b"", short=tuple(one[2:] for one in _SHORT_RECORD.findall(run[0])))
            place = run.end()
            continue
        end = _record_end(block, place)
        if end == place:
            if not block[place:].strip(b"\0"):
                if place == 0:  # No block is written without a record.
                    yield Record(b"", "zero_bytes")
                return
        elif end is not None and (
            not block[place + 2 : end].strip(b"\0") or _is_object(block, place, end)
        ):
            yield Record(block[place + 2 : end])
            place = end
            continue
        damage = place
        if end is not None:
            tried += end - damage
        place = len(block)
        for found, _ in zip(_LONG_OBJECT.finditer(block, damage + 3), looks, strict=False):
            begin = found.start() - 2
            end = _record_end(block, begin)
            if end is None or end <= begin + 2 + SHORT_BYTES or not _tag_fits(block, begin, end):
                continue
            if tried > _MOST_TRIED:
                break
            if _is_object(block, begin, end):
                place = begin
                break
            tried += end - begin
        is_cut = place >= len(block) < BLOCK_BYTES
        is_zero = not block[damage:place].strip(b"\0")
        fault = "cut_short" if is_cut else "zero_bytes" if is_zero else "damaged"
        yield Record(b"", fault)


def _record_end(block: bytes, place: int) -> int | None:
    """Where the record at a place ends: at the place itself if it is no record; None if beyond the block."""
    if place + 2 > len(block):
        return None if block[place:].strip(b"\0") else place
    length = block[place] | block[place + 1] << 8
    end = place + 2 + length if length else place
    return end if end <= len(block) else None


def _tag_fits(block: bytes, place: int, end: int) -> bool:
    """Whether an object that fills the whole record may stand there."""
    if block[place + 2] & 7 != _OBJECT:
        return False
    try:
        return _tag(block, place + 2, end)[2] == end
    except BipfError:
        return False


def _is_object(block: bytes, place: int, end: int) -> bool:
    if not _tag_fits(block, place, end):
        return False
    try:
        decode(block[place + 2 : end])
    except BipfError:
        return False
    return True


def _line(number: int, data: bytes) -> Line:
    text = jsjson.stringify(decode(data))
    return Line(number, text.encode("utf-8", "surrogatepass"), None)
