"""Text in any encoding as UTF-8, also where several shells have written one file. Memory stays bounded."""

from __future__ import annotations

import codecs
import io
import re
from typing import BinaryIO, Literal, cast

from scuttlehouse.files.parts import FIRST_MEMBERS, Kind
from scuttlehouse.files.streams import BROKEN, CHUNK, Chunked, buffered

# What is decoded later, because what comes after it tells where units begin. No message has a text as long as
# this, so the end of the text is in it, and a name of a member behind the text.
_LOOK_AHEAD = 1 << 16

# Where a message in UTF-8 begins: a shell has appended it, whatever the encoding of the file is.
_IN_UTF_8 = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\[\s{0,32})?\{\s{0,32}"
    rb'"(?:%s)"\s?:' % FIRST_MEMBERS.encode()
)

# Where a message in UTF-16 begins: PowerShell appends it. No UTF-8 of JSON has zero bytes.
_IN_UTF_16 = re.compile(
    rb"(?:\xff\xfe)?(?:\[\0(?:[ \t\r\n]\0){0,32})?\{\0(?:[ \t\r\n]\0){0,32}\"\0"
)
_LONGEST_BEGINNING = 1 << 8
# What PowerShell writes, whatever the encoding of the file is.
_UTF_16 = "utf-16-le"
_LINE_END_IN_UTF_16 = b"\n\0"
_LONGEST_LINE_END = 4

_MARK = "scuttlehouse.mark"


def as_utf_8(stream: BinaryIO, kind: Kind) -> BinaryIO:
    """The text of an unpacked file as UTF-8; what is no text as it is.

    Of JSON lines in UTF-8, each worker reads a part, so they stay as they are.

    >>> stream = io.BytesIO(b"{}" + '{"a": 1}'.encode("utf-16-le"))
    >>> as_utf_8(stream, Kind("concatenated", "none", "utf-8")).read()
    b'{}{"a": 1}'
    """
    if kind.encoding == "binary" or kind[::2] == ("json_lines", "utf-8"):
        return stream
    if kind.encoding in ("utf-8", _UTF_16):
        return buffered(_WithUtf16(stream, kind.encoding))
    return recoded(stream, kind.encoding)


def has_utf_16(stream: BinaryIO) -> bool:
    """Whether a stream of :func:`as_utf_8` has become UTF-8 from UTF-16 in the middle of it, as far as it was
    read.

    >>> stream = as_utf_8(io.BytesIO(b"{}" + '{"a": 1}'.encode("utf-16-le")), Kind("array", "none", "utf-8"))
    >>> has_utf_16(stream), stream.read(), has_utf_16(stream)
    (False, b'{}{"a": 1}', True)
    """
    raw = cast("io.BufferedReader", stream).raw
    return isinstance(raw, _WithUtf16) and raw.has_utf_16


def recoded(stream: BinaryIO, encoding: str) -> BinaryIO:
    """A stream of UTF-8 from one of text in another encoding; see :func:`.unpack.opened`.

    >>> recoded(io.BytesIO('{"a": 1}'.encode("utf-16-le")), "utf-16-le").read()
    b'{"a": 1}'
    """
    return buffered(_Recoded(stream, encoding))


class _Appended(Chunked):
    """What a shell has appended in UTF-16, up to the next line in UTF-8. ``rest`` is what was read behind it.

    A line of JSON begins with an ASCII character, so the second byte of a line in UTF-16 is zero. No text of
    a message has a line end, so none can tell where lines begin.
    """

    def __init__(self, stream: BinaryIO, beginning: bytes) -> None:
        self._stream, self._data = stream, beginning
        self._is_over = False
        self._break: Exception | None = None
        self.rest = b""

    def _next(self) -> bytes | None:
        if self._break is not None:
            raise self._break
        if self._is_over:
            return None
        end = self._line_in_utf_8()
        if end is not None:
            self._is_over = True
            data, self.rest = self._data[:end], self._data[end:]
            return data
        # An even number of bytes: the first byte stays the first one of a unit.
        cut = (len(self._data) - _LONGEST_LINE_END) // 2 * 2
        if cut > 0:
            data, self._data = self._data[:cut], self._data[cut:]
            return data
        chunk = b""
        try:
            chunk = cast("io.BufferedReader", self._stream).read1(CHUNK)
        except BROKEN as error:
            self._break = error
        self._data += chunk
        if chunk:
            return b""
        self._is_over = True
        return self._data

    def _line_in_utf_8(self) -> int | None:
        """Where a line in UTF-8 begins. None if none does in what was read."""
        found = -1
        while (found := self._data.find(_LINE_END_IN_UTF_16, found + 1)) >= 0:
            place = found + len(_LINE_END_IN_UTF_16)
            beginning = self._data[place : place + 2]
            if len(beginning) < 2:
                return None
            is_ascii = beginning.isascii() and beginning[1] != 0
            if found % 2 == 0 and (is_ascii or codecs.BOM_UTF8.startswith(beginning)):
                return place
        return None


class _WithUtf16(Chunked):
    """UTF-8, in which what begins as an object in UTF-16 is UTF-16 up to the next line in UTF-8.

    The beginning may be in either. ``has_utf_16``: whether UTF-16 was found behind UTF-8.
    """

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self._stream = stream
        self._data = b""
        self._break: Exception | None = None
        self._appended: _Appended | None = None
        self._in_utf_16: BinaryIO | None = None
        self.has_utf_16 = False
        if encoding == _UTF_16:
            self._begin_utf_16(b"")

    def _begin_utf_16(self, data: bytes) -> None:
        self._appended = _Appended(self._stream, data)
        self._in_utf_16 = recoded(buffered(self._appended), _UTF_16)

    def _next(self) -> bytes | None:
        if self._break is not None:
            raise self._break
        if self._appended is not None and self._in_utf_16 is not None:
            data = cast("io.BufferedReader", self._in_utf_16).read1(CHUNK)
            if not data:
                self._data, self._appended = self._appended.rest, None
            return data
        # What is here may have many beginnings. No more is read before it has none.
        data, found, chunk = self._data, _in_utf_16(self._data), b""
        if found is None:
            try:
                chunk = cast("io.BufferedReader", self._stream).read1(CHUNK)
            except BROKEN as error:
                self._break = error
            data += chunk
            found = _in_utf_16(data)
        if found is not None:
            self._begin_utf_16(data[found:])
            self._data, self.has_utf_16 = b"", True
            return data[:found]
        kept = min(_LONGEST_BEGINNING, len(data)) if chunk else 0
        self._data = data[len(data) - kept :]
        is_over = not data and self._break is None
        return None if is_over else data[: len(data) - kept]


def _in_utf_16(data: bytes) -> int | None:
    """Where an object in UTF-16 begins; None if none does."""
    # The pattern looks at each byte. This looks for two of them, and few texts have these.
    found = _IN_UTF_16.search(data) if b"{\0" in data else None
    return None if found is None else found.start()


def _mark(error: UnicodeError) -> tuple[str, int]:
    """Replace what cannot be decoded by half a surrogate pair, which has no UTF-8."""
    assert isinstance(error, UnicodeDecodeError)
    return "\udfff", error.end


codecs.register_error(_MARK, _mark)


class _Recoded(Chunked):
    """Text of units of two or four bytes as UTF-8, also where a byte is lost or came in between.

    What JSON writes after the name of a member, a quotation mark and a colon, shows where units begin.
    Where they begin elsewhere than before, reading goes on at the first ASCII character before that. From the
    first message in UTF-8 on, the bytes stay as they are.

    A stranger's text can have any bytes, and so what looks like both. But behind it the message goes on as
    before. So units begin elsewhere only where no name follows that stands as before, and UTF-8 begins only
    where no zero byte follows.
    """

    def __init__(self, file: BinaryIO, encoding: str) -> None:
        self._file = file
        self._encoding = encoding
        self._unit = len("x".encode(encoding))
        self._order: Literal["little", "big"] = "little" if encoding.endswith("le") else "big"
        self._sign = re.compile(re.escape('":'.encode(encoding)))
        self._data = b""
        self._is_over = self._is_utf_8 = False
        self._break: Exception | None = None

    def _next(self) -> bytes | None:
        if self._break is not None:
            raise self._break
        if self._is_over:
            return None
        self._data += self._chunk()
        if self._is_utf_8:
            data, self._data = self._data, b""
            return data
        appended = self._appended()
        if appended is None:
            return self._decoded(is_last=self._is_over and self._break is None)
        self._is_utf_8 = True
        data, self._data = self._data[appended:], self._data[:appended]
        return self._decoded(is_last=True) + data

    def _appended(self) -> int | None:
        """Where a message in UTF-8 begins; None if none does, or if what comes next must tell."""
        zero = 0
        while found := _IN_UTF_8.search(self._data, zero):
            end = found.start() + _LOOK_AHEAD
            zero = self._data.find(b"\0", found.start(), end)
            if zero < 0:
                return found.start() if self._is_over or len(self._data) >= end else None
        return None

    def _decoded(self, *, is_last: bool) -> bytes:
        """The data that are here as UTF-8, but for what may belong to what comes next."""
        signs = [sign.start() for sign in self._sign.finditer(self._data)]
        last = {sign % self._unit: sign for sign in signs}
        end = len(self._data) if is_last or self._is_over else len(self._data) - _LOOK_AHEAD
        texts = []
        start = 0
        for sign in signs:
            if sign < end and last.get(start % self._unit, 0) < sign:
                place = self._first_ascii(start, sign)
                texts.append(self._data[start:place].decode(self._encoding, _MARK))
                start = place
        end = max(start, end)
        decoder = codecs.getincrementaldecoder(self._encoding)(_MARK)
        texts.append(decoder.decode(self._data[start:end], final=is_last))
        self._data = b"" if is_last else decoder.getstate()[0] + self._data[end:]
        return "".join(texts).encode("utf-8", "surrogatepass")

    def _chunk(self) -> bytes:
        """The next bytes. What can be read before a break comes first."""
        parts: list[bytes] = []
        left = CHUNK
        try:
            while left > 0 and (data := cast("io.BufferedReader", self._file).read1(left)):
                parts.append(data)
                left -= len(data)
        except BROKEN as error:
            self._break = error
        self._is_over = left > 0
        return b"".join(parts)

    def _first_ascii(self, start: int, place: int) -> int:
        """Where the ASCII characters begin that stand before a place."""
        while place - self._unit >= start:
            unit = self._data[place - self._unit : place]
            if not 0 < int.from_bytes(unit, self._order) < 128:
                break
            place -= self._unit
        return place
