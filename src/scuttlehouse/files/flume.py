"""``log.offset``, as ssb-db keeps its messages: flumelog-offset.

A record is the length of its data (four bytes, big endian), the data, the length again, and the length of
the file up to here (four, six or eight bytes; none in the oldest format). The data are JSON; they are all
zero once the record is deleted. (flumelog-offset 3, README and frame/recoverable.js; frame/basic.js.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import BinaryIO

from scuttlehouse.files.parts import (
    MAX_LINE_BYTES,
    SHORT_BYTES,
    Line,
    Piece,
    ShortValues,
    kept_numbers,
)

_WIDTHS = (4, 6, 8, 0)
_CHUNK = 1 << 18
_MOST_SEARCHED = 1 << 14

# A length that a record may have, before the data of a message.
_BEGINNING = re.compile(rb"\0(?=[\0-\x10]..\{)", re.DOTALL)

# Records with short data: no message is one, so they are found many at a time.
_SHORT_RECORD = "|".join(
    rf"\x{length:02x}[{{\0].{{{length - 1}}}\0\0\0\x{length:02x}"
    for length in range(1, SHORT_BYTES + 1)
)
_SHORT_RECORDS = {
    width: re.compile(rf"(?:\0\0\0(?:{_SHORT_RECORD}).{{{width}}})".encode(), re.DOTALL)
    for width in _WIDTHS
}
_RUNS = {
    width: re.compile(b"(?:%s)+" % record.pattern, re.DOTALL)
    for width, record in _SHORT_RECORDS.items()
}


def offset_width(head: bytes) -> int | None:
    """How many bytes a file length takes in a log that begins so; None if it is no such log.

    The first record that is whole tells it, so that damage at the beginning does not hide the log.

    >>> offset_width(bytes([0, 0, 0, 2]) + b"{}" + bytes([0, 0, 0, 2, 0, 0, 0, 14])), offset_width(b"{}")
    (4, None)
    """
    places = chain((0,), (beginning.start() for beginning in _BEGINNING.finditer(head)))
    for place in places:
        length = _record_length(head, place)
        if length is not None:
            width = _width_after(head, place + 8 + length)
            if width is not None:
                return width
    return None


def _width_after(head: bytes, end: int) -> int | None:
    """The width of the file length that stands behind a record, by its value and by the next record.

    Each of them alone may be chance: the length of a record may look like the value.
    """
    by_record = [w for w in _WIDTHS if _record_length(head, end + w) is not None]
    by_value = [
        w
        for w in _WIDTHS[:-1]
        if len(head) >= end + w and int.from_bytes(head[end : end + w]) == end + w
    ]
    both = [w for w in by_value if w in by_record]
    return next(iter(both + by_record + by_value), 0 if len(head) == end else None)


def _record_length(data: bytes, place: int) -> int | None:
    """The length of the data of the record at a place; None if there is no whole record."""
    length = int.from_bytes(data[place : place + 4])
    if not 0 < length <= MAX_LINE_BYTES or len(data) < place + 8 + length:
        return None
    if data[place + 4] not in b"{\0":
        return None
    return (
        length if data[place + 4 + length : place + 8 + length] == data[place : place + 4] else None
    )


def read_records(stream: BinaryIO) -> Iterator[Piece]:
    """Yield the records as lines of JSON, numbered from 1; a deleted one has a number and no line.

    Short ones that follow each other come together. After damage, reading goes on at a longer one.

    Bytes that are no record come as the fault ``damaged``, ``zero_bytes``, or ``cut_short`` where the file
    ends in them.

    Complexity: O(bytes), memory O(MAX_LINE_BYTES).
    """
    window = _Window(stream)
    width = offset_width(window.data) or 0
    number = 0
    while window.fill():
        if found := window.short_data(width):
            texts = [data for data in found if data.strip(b"\0")]
            numbers = partial(kept_numbers, found, number + 1)
            yield ShortValues(number + 1, number + 1 + len(found), texts, numbers)
            number += len(found)
            continue
        number += 1
        length = _record_length(window.data, window.start)
        if length is None:
            yield Line(number, None, window.skip_damage())
            continue
        begin = window.start + 4
        data = window.data[begin : begin + length]
        window.start = begin + length + 4 + width
        if data.strip(b"\0"):
            yield Line(number, data, None)


class _Window:
    """The part of a log that is in memory; ``start`` is where reading stands."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._is_over = False
        self.data, self.start = b"", 0
        self.fill()

    def fill(self) -> bool:
        """Have a whole record, if there is one; False at the end."""
        needed = MAX_LINE_BYTES + 16
        if not self._is_over and len(self.data) - self.start < needed:
            parts = [self.data[self.start :]]
            length = len(parts[0])
            while not self._is_over and length < 2 * needed:
                parts.append(self._stream.read(_CHUNK))
                self._is_over = not parts[-1]
                length += len(parts[-1])
            self.data, self.start = b"".join(parts), 0
        return self.start < len(self.data)

    def short_data(self, width: int) -> list[bytes]:
        """The data of short records that follow each other here; they are then behind. Perhaps none."""
        run = _RUNS[width].match(self.data, self.start, self.start + _MOST_SEARCHED)
        if not run:
            return []
        self.start = run.end()
        return [record[4 : -4 - width] for record in _SHORT_RECORDS[width].findall(run[0])]

    def skip_damage(self) -> str:
        """Go to the next record that is whole and may be a message; name the fault of what is skipped."""
        is_zero = True
        first = 1  # No record begins where reading stands.
        while self.fill():
            # A record that begins later may not be in memory as a whole.
            last = len(self.data) - (0 if self._is_over else MAX_LINE_BYTES + 15)
            found = next(
                (
                    beginning.start()
                    # What tells a beginning are the four bytes behind it.
                    for beginning in _BEGINNING.finditer(self.data, self.start + first, last + 4)
                    if (_record_length(self.data, beginning.start()) or 0) > SHORT_BYTES
                ),
                None,
            )
            end = last if found is None else found
            is_zero = is_zero and not self.data[self.start : end].strip(b"\0")
            self.start, first = end, 0
            if found is not None:
                return "zero_bytes" if is_zero else "damaged"
        return "zero_bytes" if is_zero else "cut_short"
