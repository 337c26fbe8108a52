"""Files that are read from their beginning, because no worker can begin in the middle of them."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import BinaryIO, cast

from scuttlehouse.files import bipf, flume, parts, pzp_log
from scuttlehouse.files.json_lines import line_object
from scuttlehouse.files.parts import Line, Piece, ShortLines, Split
from scuttlehouse.files.streams import BROKEN, Chunked, Raw, buffered
from scuttlehouse.files.unpack import opened
from scuttlehouse.files.values import split_values

_BLOCK = 1 << 17
# What a line begins with that is an array, or values without line ends between them.
_JSON_BEGINNING = re.compile(rb"[\s,\x1e\xef\xbb\xbf]*+[\[{]")
_LONG_LINE = re.compile(rb"[^\n]{%d,}" % (parts.SHORT_BYTES + 1))


def read_whole(split: Split) -> Iterator[Piece]:
    """Yield the lines, values or records of a whole file.

    A file that is cut short or broken ends with the fault ``cut_short``, at the place where reading
    stopped; what is whole before it is good. So does one that is no longer there.

    Memory: O(MAX_LINE_BYTES).
    """
    last: Piece | None = None
    try:
        with opened(split.path, split.end, split.kind) as stream:
            tolerant = _UpToTheBreak(stream)
            for piece in _READERS[split.kind.form](buffered(tolerant)):
                if last is not None:
                    yield last
                last = piece
            if tolerant.is_broken:
                is_in_line = split.kind.form == "json_lines" and not tolerant.ends_a_line
                yield from _up_to_the_break(last, is_in_line=is_in_line)
            elif last is not None:
                yield last
    except BROKEN:
        yield Line(1, None, "cut_short")


def _up_to_the_break(last: Piece | None, *, is_in_line: bool) -> Iterator[Piece]:
    """The last piece of a stream that breaks, and the place of the break.

    If the stream breaks in a line, what is there of the line is kept only if it is a whole object.
    """
    number = last.next_number if last else 1
    if is_in_line and isinstance(last, ShortLines):
        number -= 1
        whole = last.text[: last.text.rfind(b"\n") + 1]
        last = ShortLines(last.line_number, whole) if whole else None
    elif is_in_line and isinstance(last, Line) and not isinstance(line_object(last), dict):
        last = Line(last.line_number, None, last.fault or "cut_short")
    if last is not None:
        yield last
    if not (isinstance(last, Line) and last.fault == "cut_short"):
        yield Line(number, None, "cut_short")


def numbered_lines(
    stream: BinaryIO,
    first_line_number: int = 1,
    end: int | None = None,
    words: tuple[bytes, ...] = (),
) -> Iterator[Line | ShortLines]:
    """Yield the lines that begin where a stream stands, or later, but before a place of it.

    Short lines come together, so that millions of them cost little. Of a line over MAX_LINE_BYTES come the
    objects in it that are none inside of another, and the fault ``too_long`` if that is not all. With
    ``words``, lines that have none of them are left out, but not short ones, nor those over the limit, nor
    those beside zeros, which may be UTF-16.

    Complexity: O(bytes), memory O(MAX_LINE_BYTES).

    Raises:
        EOFError: the stream ends before the place.

    >>> [*numbered_lines(io.BytesIO(b"a\\nb\\n" + bytes(65) + b"\\nc"))][::2]
    [ShortLines(line_number=1, text=b'a\\nb\\n'), ShortLines(line_number=4, text=b'c')]
    """
    number = first_line_number
    for block in _whole_lines(stream, end):
        if isinstance(block, _LongLine):
            yield from _values_of(block, number)
            number += 1
            continue
        wanted = _line_starts(block, words) if words and b"\0" not in block else None
        place = 0
        for start, end_of_line in _long_lines(block):
            if place < start:
                yield ShortLines(number, block[place:start])
                number += block.count(b"\n", place, start)
            if wanted is None or start in wanted:
                yield _line_of(number, block[start:end_of_line])
            number += 1
            place = end_of_line + 1
        if place < len(block):
            yield ShortLines(number, block[place:])
            number += block.count(b"\n", place)


def _long_lines(block: bytes) -> Iterator[tuple[int, int]]:
    """Where the lines of a block that are not short begin and end. O(bytes), and fast if most are long."""
    place = 0
    while len(block) - place > parts.SHORT_BYTES:
        least = place + parts.SHORT_BYTES + 1
        if block.find(b"\n", place, least) < 0:
            end = block.find(b"\n", least)
            span = place, end if end >= 0 else len(block)
        elif found := _LONG_LINE.search(block, place):
            span = found.span()
        else:
            return
        yield span
        place = span[1] + 1


def _line_starts(block: bytes, words: tuple[bytes, ...]) -> set[int]:
    """Where the lines of a block begin that have one of some words. O(bytes * words)."""
    starts = set()
    for word in words:
        place = block.find(word)
        while place >= 0:
            starts.add(block.rfind(b"\n", 0, place) + 1)
            end = block.find(b"\n", place)
            place = block.find(word, end) if end >= 0 else -1
    return starts


class _LongLine(Chunked):
    """A line over the limit up to its end, which is behind once it is read."""

    def __init__(self, beginning: bytes, stream: BinaryIO) -> None:
        self._ready, self._stream = memoryview(beginning), stream
        self._is_over = beginning.endswith(b"\n")

    def _next(self) -> bytes | None:
        if self._is_over:
            return None
        data = self._stream.readline(_BLOCK)
        self._is_over = not data or data.endswith(b"\n")
        return data or None


def _whole_lines(stream: BinaryIO, end: int | None) -> Iterator[bytes | _LongLine]:
    """Blocks of whole lines; a line over the limit by itself."""
    while end is None or stream.tell() < end:
        most = _BLOCK if end is None else min(_BLOCK, end - stream.tell())
        block = cast("io.BufferedReader", stream).read1(most)
        if not block:
            if end is None:
                return
            raise EOFError
        cut = block.rfind(b"\n") + 1
        if cut:
            # Reading on may break: what is whole comes first.
            yield block[:cut]
        if cut < len(block):
            yield _rest_of_line(stream, block[cut:])


def _rest_of_line(stream: BinaryIO, beginning: bytes) -> bytes | _LongLine:
    most = parts.MAX_LINE_BYTES + 2
    line = beginning + stream.readline(most - len(beginning))
    if len(line.removesuffix(b"\n").removesuffix(b"\r")) <= parts.MAX_LINE_BYTES:
        return line
    if _JSON_BEGINNING.match(line):
        return _LongLine(line, stream)
    if not line.endswith(b"\n"):
        skip_line(stream)
    return line


def _values_of(line: _LongLine, number: int) -> Iterator[Line]:
    """The objects of a line over the limit; and the fault, if it has something else or nothing."""
    objects = others = 0
    for piece in split_values(buffered(line), by_line=False):
        if isinstance(piece, Line) and piece.text is not None and piece.text.startswith(b"{"):
            objects += 1
            yield piece._replace(line_number=number)
        else:
            others += 1
    if others or not objects:
        yield Line(number, None, "too_long")


def _line_of(number: int, text: bytes) -> Line:
    line = text.removesuffix(b"\r")
    if len(line) > parts.MAX_LINE_BYTES:
        return Line(number, None, "too_long")
    return Line(number, line, None)


def skip_line(file: BinaryIO, end: int | None = None) -> None:
    """Go to the next line, or to the first place behind ``end`` that comes before it."""
    while (chunk := file.readline(1 << 16)) and not chunk.endswith(b"\n"):
        if end is not None and file.tell() >= end:
            return


class _UpToTheBreak(Raw):
    """A stream that ends where it breaks, so that what was read before is not lost."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.is_broken = False
        self.ends_a_line = True

    def _up_to(self, most: int) -> bytes:
        if self.is_broken:
            return b""
        try:
            data = cast("io.BufferedReader", self._stream).read1(most)
        except BROKEN:
            self.is_broken = True
            return b""
        self.ends_a_line = data.endswith(b"\n")
        return data


_by_place = partial(split_values, by_line=False)
_READERS: dict[str, Callable[[BinaryIO], Iterator[Piece]]] = {
    "json_lines": numbered_lines,
    "pretty_printed": partial(split_values, by_line=True),
    "array": _by_place,
    "json_sequence": _by_place,
    "concatenated": _by_place,
    "bipf_log": bipf.read_records,
    "flume_log": flume.read_records,
    "pzp_log": pzp_log.read_records,
}
