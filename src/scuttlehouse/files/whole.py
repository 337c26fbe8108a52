"""Files that are read from their beginning, because no worker can begin in the middle of them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import BinaryIO, cast

from scuttlehouse.files import bipf, flume, parts
from scuttlehouse.files.parts import Line, Split
from scuttlehouse.files.unpack import BROKEN, buffered, opened
from scuttlehouse.files.values import split_values


def read_whole(split: Split) -> Iterator[Line]:
    """Yield the lines, values or records of a whole file.

    A file that is cut short or broken ends with the fault ``cut_short``, at the place where reading
    stopped; what is whole before it is good. So does one that is no longer there.

    Memory: O(MAX_LINE_BYTES).
    """
    last: Line | None = None
    try:
        with opened(split.path, split.end, split.kind) as stream:
            if split.kind.form == "json_lines":
                for last in numbered_lines(stream):
                    yield last
                return
            tolerant = _UpToTheBreak(stream)
            for last in _READERS[split.kind.form](buffered(tolerant)):
                yield last
    except BROKEN:
        yield Line(last.line_number + 1 if last else 1, None, "cut_short")
        return
    if tolerant.is_broken and not (last and last.fault == "cut_short"):
        yield Line(last.line_number + 1 if last else 1, None, "cut_short")


def numbered_lines(stream: BinaryIO, first_line_number: int = 1) -> Iterator[Line]:
    """Yield the lines from where a stream stands; one over MAX_LINE_BYTES is the fault ``too_long``."""
    number = first_line_number
    while text := read_line(stream):
        yield line_of(number, text)
        number += 1


def line_of(number: int, text: bytes) -> Line:
    """The line of a text that :func:`read_line` gave."""
    line = text.removesuffix(b"\n").removesuffix(b"\r")
    if len(line) > parts.MAX_LINE_BYTES:
        return Line(number, None, "too_long")
    return Line(number, line, None)


def read_line(file: BinaryIO) -> bytes:
    """The next line with its end, cut two bytes over the limit; nothing at the end of the file."""
    text = file.readline(parts.MAX_LINE_BYTES + 2)
    if len(text) == parts.MAX_LINE_BYTES + 2 and not text.endswith(b"\n"):
        skip_line(file)
    return text


def skip_line(file: BinaryIO, end: int | None = None) -> None:
    """Go to the next line, or to the first place behind ``end`` that comes before it."""
    while (chunk := file.readline(1 << 16)) and not chunk.endswith(b"\n"):
        if end is not None and file.tell() >= end:
            return


class _UpToTheBreak(io.RawIOBase):
    """A stream that ends where it breaks, so that what was read before is not lost."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.is_broken = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        if self.is_broken:
            return 0
        try:
            data = cast("io.BufferedReader", self._stream).read1(len(view))
        except BROKEN:
            self.is_broken = True
            return 0
        view[: len(data)] = data
        return len(data)


def _by_line(stream: BinaryIO) -> Iterator[Line]:
    return split_values(stream, by_line=True)


def _by_place(stream: BinaryIO) -> Iterator[Line]:
    return split_values(stream, by_line=False)


_READERS: dict[str, Callable[[BinaryIO], Iterator[Line]]] = {
    "pretty_printed": _by_line,
    "array": _by_place,
    "json_sequence": _by_place,
    "concatenated": _by_place,
    "bipf_log": bipf.read_records,
    "flume_log": flume.read_records,
}
