"""JSON values that are no lines: pretty-printed, in an array, in an RFC 7464 sequence, or glued.

Values are found one after the other by a JSON parser. Bytes that are no value cost the value that they
stand in: reading goes on at the next object that begins as the others do and can be read.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from typing import BinaryIO

from scuttlehouse.files.parts import MAX_LINE_BYTES, SHORT_BYTES, Line, ShortLines

_DECODER = JSONDecoder()
_BETWEEN = re.compile("[ \t\r\n,\\[\\]\x1e\ufeff]*")
_ZEROS = re.compile("\0+")
_FIRST_MEMBER = re.compile(r'\{\s*"([^"\\]{0,64})"\s*:')
_SHORT_VALUE = re.compile(rf"\{{[ -z|~]{{0,{SHORT_BYTES - 2}}}\}}")
_SHORT_LINES = re.compile(rf"(?:{_SHORT_VALUE.pattern}[ \t\r]*\n)+")
_SHORT_VALUES = re.compile(rf"(?:{_SHORT_VALUE.pattern}{_BETWEEN.pattern})+")
_CHUNK = 1 << 18

# How often a damaged text is read at most, in all tries to find the next value.
_TRIES = 8

# Messages are shorter as a rule.
_SHORT = 1 << 14
_COST_OF_A_TRY = 1 << 12

# What a message begins with in most files, beside what others of its file begin with.
_KEYS = "key|id"

# What tells a message from an object inside of one: members of which it has all. Each has one of these words.
_WORDS = re.compile(r'"(?:value|msg|content|metadata)"|\\u')
_PARTS = (
    {"key", "value"},
    {"id", "msg"},
    {"author", "content"},
    {"value", "timestamp"},
    {"metadata", "sig"},
)


def split_values(stream: BinaryIO, *, by_line: bool) -> Iterator[Line | ShortLines]:
    """Yield the values of a stream of UTF-8 text, each as a line; short ones that follow each other together.

    A value is numbered by the line where it begins, or by its place among the values, damaged ones
    included. Damage comes as a fault: ``zero_bytes``, ``too_long`` (over ``MAX_LINE_BYTES``), ``cut_short``
    (the text ends in it) or ``damaged``.

    Complexity: O(bytes), memory O(MAX_LINE_BYTES).

    >>> import io
    >>> from scuttlehouse.files.parts import each_line
    >>> stream = io.BytesIO(b'[{"a":\\n1},{"a" {"key":2,"value":3}]')
    >>> [(line.text, line.fault) for line in each_line(split_values(stream, by_line=False))]
    [(b'{"a":\\n1}', None), (None, 'damaged'), (b'{"key":2,"value":3}', None)]
    """
    window = _Window(stream)
    name: str | None = None
    number = 0
    while window.skip_between():
        short = window.short_values(_SHORT_LINES if by_line else _SHORT_VALUES)
        if short:
            first = next(
                filter(None, map(_FIRST_MEMBER.match, reversed(dict.fromkeys(short)))), None
            )
            name = re.escape(first[1]) if first else name
            first_number = window.line - len(short) if by_line else number + 1
            number += len(short)
            yield ShortLines(first_number, "".join(f"{text}\n" for text in short).encode())
            continue
        number = window.line if by_line else number + 1
        end = window.value_end()
        if end is None:
            yield Line(number, None, window.skip_damage(name))
            continue
        first = _FIRST_MEMBER.match(window.text, window.start)
        name = re.escape(first[1]) if first else name
        text = window.take(end).encode("utf-8", "surrogateescape")
        if len(text) > MAX_LINE_BYTES:
            yield Line(number, None, "too_long")
        else:
            yield Line(number, text, None)


class _Window:
    """The part of a text that is in memory; ``start`` is where reading stands, in line ``line``."""

    # Up to here, in characters of the text, short values are not looked for again.
    _no_short_before = 0
    _taken = 0

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._is_over = False
        self.text, self.start, self.line = "", 0, 1

    def fill(self) -> None:
        """Have as many characters as a message can have, if there are so many."""
        if self._is_over or len(self.text) - self.start >= MAX_LINE_BYTES:
            return
        parts = [self.text[self.start :]]
        length = len(parts[0])
        while not self._is_over and length < 2 * MAX_LINE_BYTES:
            data = self._stream.read(_CHUNK)
            self._is_over = not data
            parts.append(self._decoder.decode(data, final=not data))
            length += len(parts[-1])
        self.text, self.start = "".join(parts), 0

    def take(self, end: int) -> str:
        """The text up to a place, which is then behind."""
        taken = self.text[self.start : end]
        self._taken += len(taken)
        self.line += taken.count("\n")
        self.start = end
        return taken

    def skip_between(self) -> bool:
        """Go to what comes next; False at the end."""
        while True:
            self.fill()
            match = _BETWEEN.match(self.text, self.start)
            end = match.end() if match else self.start
            self.take(end)
            if end < len(self.text):
                return True
            if self._is_over:
                return False

    def short_values(self, pattern: re.Pattern[str]) -> list[str]:
        """Short objects that follow each other here, as a pattern has it; they are then behind. Perhaps none.

        Each holds no other object, no end of a line and ASCII alone.
        """
        if self._taken < self._no_short_before:
            return []
        run = pattern.match(self.text, self.start, self.start + _SHORT)
        if not run:
            return []
        found = _SHORT_VALUE.findall(run[0])
        different = dict.fromkeys(found)
        # A text holds one opening brace. So as many values as texts are these texts.
        try:
            is_good = len(_DECODER.decode(f"[{','.join(different)}]")) == len(different)
        except JSONDecodeError:
            is_good = False
        if not is_good:
            self._no_short_before = self._taken + len(run[0])
            return []
        self.take(run.end())
        return found

    def value_end(self) -> int | None:
        """Where the object ends that begins here; None if none does."""
        self.fill()
        if not self.text.startswith("{", self.start):
            return None
        found = _object_at(self.text, self.start)
        return None if isinstance(found, int) else found[1]

    def skip_damage(self, name: str | None) -> str:
        """Go to the next message; name the fault of what is skipped.

        ``name`` is the pattern of the first member's name in the file's messages.
        """
        if self.text.startswith("\0", self.start):
            return self._skip_zeros()
        own = _FIRST_MEMBER.match(self.text, self.start)
        names = name or (re.escape(own[1]) if own else _KEYS)
        beginning = re.compile(rf'\{{\s*"(?:{names}|{_KEYS})"\s*:')
        is_object = self.text.startswith("{", self.start)
        skipped = tried = 0
        while True:
            match = beginning.search(self.text, self.start + (skipped == 0))
            if match and self._is_over:
                word = _WORDS.search(self.text, match.start())
                match = match if word else None
                tried += word.start() - match.start() if word and match else 0
            end = match.start() if match else max(len(self.text) - 128, self.start + 1)
            if not match and self._is_over:
                end = len(self.text)
            end = min(end, self.start + MAX_LINE_BYTES)
            text = self.take(end)
            skipped += len(text)
            self.fill()
            if self.start == len(self.text):
                break
            if beginning.match(self.text, self.start):
                if tried < _TRIES * (skipped + MAX_LINE_BYTES):
                    cost = self._try_message()
                    if cost == 0:
                        break
                    tried += cost
                skipped += len(self.take(self.start + 1))
        if skipped > MAX_LINE_BYTES:
            return "too_long"
        return "cut_short" if is_object and self.start == len(self.text) else "damaged"

    def _skip_zeros(self) -> str:
        while self.text.startswith("\0", self.start):
            match = _ZEROS.match(self.text, self.start)
            self.take(match.end() if match else len(self.text))
            self.fill()
        return "zero_bytes"

    def _try_message(self) -> int:
        """0 if a message begins here; otherwise what it cost to find that none does, in characters."""
        found = _object_at(self.text, self.start)
        if isinstance(found, int):
            return found + _COST_OF_A_TRY
        return 0 if _is_message(found[0]) else found[1] - self.start


def is_message_at(text: str, start: int) -> bool:
    """Whether a whole message begins at a place of a text.

    >>> is_message_at('ye": 1}, {"key": "%a", "value": {}}', 9)
    True
    """
    found = _object_at(text, start)
    return not isinstance(found, int) and _is_message(found[0])


def _is_message(value: dict[str, object]) -> bool:
    return any(value.keys() >= parts for parts in _PARTS)


def _object_at(text: str, start: int) -> tuple[dict[str, object], int] | int:
    """The object that begins at a place, and where it ends; or how many characters show that none does.

    An error of the parser costs as much as the text that it was given, so it is given a short one first.
    """
    read = 0
    for length in (_SHORT, len(text)):
        piece = text[start : start + length]
        try:
            value, end = _DECODER.raw_decode(piece)
        except JSONDecodeError as error:
            read += len(piece)
            is_open = error.msg.startswith("Unterminated") or error.pos + 16 > len(piece)
            if not is_open or start + length >= len(text):
                break
        except RecursionError:
            return len(text) - start
        else:
            return value, start + end
    return read
