"""Read a long text, of which only a part is in memory."""

from __future__ import annotations

import codecs
import re
from functools import partial
from typing import BinaryIO

from scuttlehouse.files.parts import MAX_LINE_BYTES, SHORT_BYTES, ShortValues
from scuttlehouse.files.short_values import BETWEEN, find_run, line_numbers

_BETWEEN = re.compile(BETWEEN)
_ZEROS = re.compile("\0+")
_CHUNK = 1 << 18
_DECODER_OF_TEXT = codecs.getincrementaldecoder("utf-8")

# How much text is searched for short values at once: more, while there is nothing else.
_LEAST_SEARCHED = SHORT_BYTES
_MOST_SEARCHED = 1 << 14


class TextReader:
    """``text`` is the part that is in memory, ``start`` where reading stands in it, in line ``line``.

    ``taken`` is how many characters are behind. ``is_over``: whether the text ends in memory.

    >>> import io
    >>> reader = TextReader(io.BytesIO(b",\\n{}"))
    >>> reader.skip_between(), reader.line, reader.take(4), reader.skip_between()
    (True, 2, '{}', False)
    """

    taken = 0
    _searched = _LEAST_SEARCHED

    def __init__(self, stream: BinaryIO | None, text: str = "") -> None:
        self._stream = stream
        self._decoder = _DECODER_OF_TEXT("surrogateescape") if stream else None
        self.is_over = stream is None
        self.text, self.start, self.line = text, 0, 1

    def fill(self) -> None:
        """Have as many characters as a message can have, if there are so many."""
        if self._stream is None or self._decoder is None:
            return
        if self.is_over or len(self.text) - self.start >= MAX_LINE_BYTES:
            return
        parts = [self.text[self.start :]]
        length = len(parts[0])
        while not self.is_over and length < 2 * MAX_LINE_BYTES:
            data = self._stream.read(_CHUNK)
            self.is_over = not data
            parts.append(self._decoder.decode(data, final=not data))
            length += len(parts[-1])
        self.text, self.start = "".join(parts), 0

    def take(self, end: int) -> str:
        """The text up to a place, which is then behind."""
        taken = self.text[self.start : end]
        self.line += taken.count("\n")
        self.start += len(taken)
        self.taken += len(taken)
        return taken

    def skip_between(self) -> bool:
        """Go to what comes next; False at the end."""
        while True:
            if not self.is_over:
                self.fill()
            match = _BETWEEN.match(self.text, self.start)
            end = match.end() if match else self.start
            if end > self.start:
                self.take(end)
            if end < len(self.text):
                return True
            if self.is_over:
                return False

    def short_values(self, number: int, *, by_line: bool) -> ShortValues | None:
        """Short values and zeros that follow each other here; they are then behind. None if there are none.

        ``number`` is that of the first one, if they are not numbered by line.
        """
        run = find_run(self.text, self.start, self._searched)
        is_whole = run is not None and run.is_whole
        self._searched = min(2 * self._searched, _MOST_SEARCHED) if is_whole else _LEAST_SEARCHED
        if run is None:
            return None
        found, line = run.found, self.line
        self.take(run.end)
        texts = "\x1e".join(found).encode("utf-8", "surrogateescape").split(b"\x1e")
        if by_line:
            numbers = partial(line_numbers, run.text, line, len(found))
            return ShortValues(line, self.line + 1, texts, numbers)
        following = number + len(found)
        return ShortValues(number, following, texts, partial(range, number, following))

    def skip_zeros(self) -> None:
        """Go behind the zeros that stand here."""
        while self.text.startswith("\0", self.start):
            match = _ZEROS.match(self.text, self.start)
            self.take(match.end() if match else len(self.text))
            self.fill()
