"""JSON values that are no lines: pretty-printed, in an array, in an RFC 7464 sequence, or glued.

Values are found one after the other by a JSON parser. Bytes that are no value cost the value that they
stand in: reading goes on at the next object that begins as the others do and can be read.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from functools import partial
from itertools import islice, takewhile
from json import JSONDecodeError, JSONDecoder
from typing import BinaryIO

from scuttlehouse.files.parts import MAX_LINE_BYTES, SHORT_BYTES, Line, ShortValues

_DECODER = JSONDecoder()
_BETWEEN = re.compile("[ \t\r\n,\\[\\]\x1e\ufeff]*")
_ZEROS = re.compile("\0+")
_FIRST_MEMBER = re.compile(r'\{\s*"([^"\\]{0,64})"\s*:')

# An object of JSON with objects in it, as deep as SHORT_BYTES characters can nest; whether it is one in all
# else, the parser says. Nothing in it is tried twice.
_TEXT = r'"(?:[^"\\\x00-\x1f]|\\.)*+"'
_OTHERS = r'[^{}"\0]*+'
_OBJECT = rf"\{{{_OTHERS}(?:{_TEXT}{_OTHERS})*+\}}"
for _ in range(SHORT_BYTES // len('{"":}')):
    _OBJECT = rf"\{{{_OTHERS}(?:(?:{_TEXT}|{_OBJECT}){_OTHERS})*+\}}"
# Zeros are told as one, so their end is here.
_FEW_ZEROS = rf"\0{{1,{SHORT_BYTES}}}+(?=[^\0])"
_ITEM = re.compile(rf"{_OBJECT}|{_FEW_ZEROS}")
_ITEMS = re.compile(rf"(?:(?:{_OBJECT}|{_FEW_ZEROS}){_BETWEEN.pattern}+)+")
_CHUNK = 1 << 18

# How often a damaged text is read at most, in all tries to find the next value.
_TRIES = 8

# Messages are shorter as a rule.
_SHORT = 1 << 14

# How much text is searched for short values at once: more, while there is nothing else.
_LEAST_SEARCHED = 1 << 8
_MOST_SEARCHED = 1 << 14
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


def split_values(stream: BinaryIO, *, by_line: bool) -> Iterator[Line | ShortValues]:
    """Yield the values of a stream of UTF-8 text, each as a line; short ones that follow each other together.

    A value is numbered by the line where it begins, or by its place among the values, damaged ones
    included. Damage comes as a fault: ``zero_bytes``, ``too_long`` (over ``MAX_LINE_BYTES``), ``cut_short``
    (the text ends in it) or ``damaged``. After damage, reading goes on at the next message, which is longer
    than ``SHORT_BYTES``.

    Complexity: O(bytes), memory O(MAX_LINE_BYTES).

    >>> import io
    >>> from scuttlehouse.files.parts import each_line
    >>> stream = io.BytesIO(b'[{"a":\\n1},{"a" {"key":2},{"key":3,"value":"%s"}]' % (b"." * 50))
    >>> [(line.text, line.fault) for line in each_line(split_values(stream, by_line=False))][:2]
    [(b'{"a":\\n1}', None), (None, 'damaged')]
    """
    window = _Window(stream)
    name: str | None = None
    number = 0
    while window.skip_between():
        short = window.short_values(number + 1, by_line=by_line)
        if short:
            number = short.next_number - 1
            yield short
            continue
        number = window.line if by_line else number + 1
        end = window.value_end()
        if end is None:
            yield Line(number, None, window.skip_damage(name))
            continue
        if end - window.start > SHORT_BYTES:
            first = _FIRST_MEMBER.match(window.text, window.start)
            name = re.escape(first[1]) if first else name
        text = window.take(end).encode("utf-8", "surrogateescape")
        if len(text) > MAX_LINE_BYTES:
            yield Line(number, None, "too_long")
        else:
            yield Line(number, text, None)


class _Window:
    """The part of a text that is in memory; ``start`` is where reading stands, in line ``line``."""

    _searched = _LEAST_SEARCHED

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

    def short_values(self, number: int, *, by_line: bool) -> ShortValues | None:
        """Short objects and zeros that follow each other here; they are then behind. None if there are none.

        ``number`` is that of the first one, if they are not numbered by line.
        """
        if not _ITEM.match(self.text, self.start, self.start + SHORT_BYTES + 1):
            return None
        run = _ITEMS.match(self.text, self.start, self.start + self._searched)
        found: list[str] = _ITEM.findall(run[0]) if run else []
        different = dict.fromkeys(found)
        good = {text for text in different if len(text) <= SHORT_BYTES}
        if not _are_objects(good):
            good = {text for text in good if _are_objects({text})}
        is_whole = len(good) == len(different)
        self._searched = (
            min(2 * self._searched, _MOST_SEARCHED) if is_whole else _LEAST_SEARCHED
        )
        if not is_whole:
            found = [*takewhile(good.__contains__, found)]
        if not run or not found:
            return None
        text, line = run[0], self.line
        self.take(run.end() if is_whole else self.start + _end_of(text, len(found)))
        texts = "\x1e".join(found).encode("utf-8", "surrogateescape").split(b"\x1e")
        if by_line:
            numbers = partial(_line_numbers, text, line, len(found))
            return ShortValues(line, self.line + 1, texts, numbers)
        following = number + len(found)
        return ShortValues(number, following, texts, partial(range, number, following))

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
        length = found[1] - self.start
        return 0 if length > SHORT_BYTES and _is_message(found[0]) else length


def _are_objects(texts: set[str]) -> bool:
    """Whether all of some texts are JSON, each by itself; those that are zeros are no objects, but no matter.

    The braces of each text match, so where all of them together are JSON, each one is.
    """
    objects = [text for text in texts if text[0] == "{"]
    try:
        return len(_DECODER.decode(f"[{','.join(objects)}]")) == len(objects)
    except JSONDecodeError:
        return False


def _end_of(text: str, count: int) -> int:
    """Where so many items end, at the beginning of a text."""
    return next(islice(_ITEM.finditer(text), count - 1, None)).end()


def _line_numbers(text: str, line: int, count: int) -> Iterator[int]:
    """The lines in which so many items begin, of a text that begins in a line."""
    place = 0
    for item in islice(_ITEM.finditer(text), count):
        line += text.count("\n", place, item.start())
        place = item.start()
        yield line


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
