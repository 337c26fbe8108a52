"""``db/log``, as pzp keeps its messages: the log of ppppp-db, with records in JSON.

The log is blocks of 64 KiB. A block is records and then at least four zeros. A record is the length of its
data and that of the zeros behind them (two bytes each, little endian), the data, and the zeros. A deleted
record has no data. (ppppp-db 1, lib/log/record.js and index.js.)
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from functools import partial
from itertools import islice
from json import JSONDecodeError
from typing import BinaryIO

from scuttlehouse.files.jsjson import LENIENT_DECODER
from scuttlehouse.files.parts import SHORT_BYTES, Line, Piece, ShortValues, kept_numbers

BLOCK_BYTES = 1 << 16

_LENGTHS = struct.Struct("<HH")
_OPEN, _CLOSE = b"{}"
_LONG_OBJECT = re.compile(rb"\{\s*\"")

# How many places of a damaged block are looked at, and how many records there may be no JSON.
_LOOKS = 1 << 12
_TRIES = 16


def read_records(stream: BinaryIO) -> Iterator[Piece]:
    """Yield the records as lines of JSON, numbered from 1; a deleted one has a number and no line.

    Short ones that follow each other come together. Bytes that are no record come as the fault ``damaged``,
    ``zero_bytes``, or ``cut_short`` where the file ends in them. What follows in their block is found again
    by a longer record.

    Complexity: O(bytes), memory O(BLOCK_BYTES).

    >>> import io
    >>> log = bytes([0, 0, 3, 0]) + bytes(3) + bytes([80, 0, 0, 0]) + b"{".ljust(79) + b"}"
    >>> [piece.line_number for piece in read_records(io.BytesIO(log))]
    [1, 2]
    """
    number = 1
    while block := stream.read(BLOCK_BYTES):
        short: list[bytes] = []
        for data in _records(block):
            if isinstance(data, bytes) and len(data) <= SHORT_BYTES:
                short.append(data)
                continue
            if short:
                yield _short_values(number, short)
                number, short = number + len(short), []
            yield Line(number, data, None) if isinstance(data, bytes) else Line(number, None, data)
            number += 1
        if short:
            yield _short_values(number, short)
            number += len(short)


def _short_values(number: int, found: list[bytes]) -> ShortValues:
    texts = [data for data in found if data]
    return ShortValues(number, number + len(found), texts, partial(kept_numbers, found, number))


def holds_a_record(head: bytes) -> bool:
    """Whether the blocks at the beginning of a file hold a record that is JSON, or only deleted ones.

    A record may stand behind damage.

    Complexity: O(length).

    >>> holds_a_record(bytes([2, 0, 0, 0]) + b"{}"), holds_a_record(bytes([3, 0, 0, 0]) + b"{} ")
    (True, False)
    """
    blocks = (head[start : start + BLOCK_BYTES] for start in range(0, len(head), BLOCK_BYTES))
    found = [data for block in blocks for data in _records(block)]
    if not any(found):
        return len(head) >= BLOCK_BYTES
    return any(isinstance(data, bytes) and _is_json(data) for data in found)


def _records(block: bytes) -> Iterator[bytes | str]:
    """The data of each record of a block, empty if it is deleted; the fault of each part that is none."""
    place = 0
    # Where records may be that are found again; each place is looked at once.
    begun = islice(_LONG_OBJECT.finditer(block), _LOOKS)
    tries = iter(range(_TRIES))
    while place < len(block):
        record = _record(block, place)
        if record is not None:
            data, place = record
            yield data
            continue
        if place and not block[place:].strip(b"\0"):
            return
        damage = place
        again = (
            one.start() - _LENGTHS.size for one in begun if one.start() > damage + _LENGTHS.size
        )
        place = next((one for one in again if _is_long_record(block, one, tries)), len(block))
        is_cut = place == len(block) < BLOCK_BYTES
        is_zero = not block[damage:place].strip(b"\0")
        yield "cut_short" if is_cut else "zero_bytes" if is_zero else "damaged"


def _record(block: bytes, place: int) -> tuple[bytes, int] | None:
    """The data of the record at a place, and where it ends; None if there is no whole one."""
    begin = place + _LENGTHS.size
    if begin > len(block):
        return None
    length, empty = _LENGTHS.unpack_from(block, place)
    end = begin + length
    if not length + empty or end + empty > len(block):
        return None
    if length and not (block[begin] == _OPEN and block[end - 1] == _CLOSE):
        return None
    if block[end : end + empty].strip(b"\0"):
        return None
    return block[begin:end], end + empty


def _is_long_record(block: bytes, place: int, tries: Iterator[int]) -> bool:
    """Whether a record that may be a message begins at a place behind damage."""
    record = _record(block, place)
    if record is None or len(record[0]) <= SHORT_BYTES or next(tries, None) is None:
        return False
    return _is_json(record[0])


def _is_json(data: bytes) -> bool:
    try:
        text = data.decode("utf-8", "surrogateescape")
        return LENIENT_DECODER.raw_decode(text)[1] == len(text)
    except (JSONDecodeError, RecursionError):
        return False
