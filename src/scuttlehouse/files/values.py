"""JSON values that are no lines: pretty-printed, in an array, in an RFC 7464 sequence, or glued.

Values are found one after the other by a JSON parser. Bytes that are no value cost the value that they
stand in: reading goes on at the next object that begins as the others do and can be read.

A stranger's message may have objects in it that look like messages of other people. They are none, also
where the message is damaged, cut or too deep for the parser: what has been read as a part of an object stays
one, and what is followed by the end of an object, or by more of its members, is inside of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from scuttlehouse.files.objects import NoObject, Object, is_message, object_at
from scuttlehouse.files.parts import MAX_LINE_BYTES, SHORT_BYTES, Line, ShortValues
from scuttlehouse.files.short_values import BEGUN_TEXT, PLAIN_VALUE, PLAIN_VALUE_BETWEEN
from scuttlehouse.files.text_reader import TextReader

_PLAIN_BETWEEN = re.compile(PLAIN_VALUE_BETWEEN)
_VALUE_BEGINNING = re.compile(rf"\{{|{PLAIN_VALUE_BETWEEN}")
_FIRST_MEMBER = re.compile(r'\{\s*"([^"\\]{0,64})"\s*:')

# How often a text is read at most, in all tries to find values that are none; a short one has some tries.
_TRIES = 4
_LEAST_TRIED = 1 << 14

_LEAST_COST_OF_A_TRY = 1 << 9

# An object's beginning up to the name of its first member, if blanks are few.
_LONGEST_BEGINNING = 1 << 7

# What a message begins with in most files, beside what others of its file begin with: as a record with a key,
# an id or a place, and as a value alone. Such a value is also inside of a record, as a member of it.
_OF_RECORDS = frozenset({"key", "id", "value", "seq", "offset"})
_OF_VALUES = frozenset({"previous", "author", "hash", "data", "metadata", "sig"})
_MEMBER = re.compile(r'"\s*:\s*\Z')
_LONGEST_MEMBER = 1 << 4

# Every message has one of these words (scuttlehouse.files.objects).
_WORDS = ('"value"', '"msg"', '"content"', '"metadata"', "\\u")
_BYTES_OF_WORDS = tuple(word.encode() for word in _WORDS)
# What stands behind a value, before the next one: inside of a message, there is a comma in it. The content of
# a message has at most 8192 characters, each of which may be written as an escape of six; more if indented.
_BEHIND = re.compile(r"[\s,\[\]]*+")
_MOST_INSIDE = 1 << 16
# There, one of these marks is behind the name of a member, or a value is cut.
_VALUE_INSIDE = re.compile(
    rf'{PLAIN_VALUE}(?:\s*+[,:\]}}\0]|\Z)|{BEGUN_TEXT}(?!")|(?:tr?u?|fa?l?s?|nu?l?|[-+.eE0-9]++)\Z'
)


def split_values(stream: BinaryIO, *, by_line: bool) -> Iterator[Line | ShortValues]:
    """Yield the values of a stream of UTF-8 text, each as a line; short ones that follow each other together.

    A value is numbered by the line where it begins, or by its place among the values, damaged ones
    included. Damage comes as a fault: ``zero_bytes``, ``too_long`` (over ``MAX_LINE_BYTES``), ``cut_short``
    (the text ends in an object) or ``damaged``. After damage, reading goes on at the next message, which is
    longer than ``SHORT_BYTES`` and not inside of a damaged one.

    Complexity: O(bytes), memory O(MAX_LINE_BYTES).

    >>> import io
    >>> stream = io.BytesIO(b'[{"a":\\n1},{"a" {"key":2},{"key":3,"value":"%s"}]' % (b"." * 50))
    >>> short, damaged, _ = split_values(stream, by_line=False)
    >>> short.texts(), damaged.fault
    ([b'{"a":\\n1}'], 'damaged')
    """
    return _split(_Values(stream), by_line=by_line)


def split_line(line: bytes) -> Iterator[Line | ShortValues]:
    """The values of a line, as :func:`split_values` gives them by place; none if no message may be in it.

    >>> [*split_line(b'{"a":1}{"a":1}')]
    []
    """
    is_long = line.rfind(b"}") - line.find(b"{") >= SHORT_BYTES
    if not is_long or not any(map(line.__contains__, _BYTES_OF_WORDS)):
        return iter(())
    return _split(_Values(None, line.decode("utf-8", "surrogateescape")), by_line=False)


def _split(reader: _Values, *, by_line: bool) -> Iterator[Line | ShortValues]:
    name: str | None = None
    number = 0
    while reader.skip_between():
        short = reader.short_values(number + 1, by_line=by_line)
        if short:
            number = short.next_number - 1
            yield short
            continue
        number = reader.line if by_line else number + 1
        end = reader.value_end()
        if end is None:
            yield Line(number, None, reader.skip_damage(name))
            continue
        first = _FIRST_MEMBER.match(reader.text, reader.start)
        name = first[1] if first else name
        text = reader.take(end).encode("utf-8", "surrogateescape")
        if len(text) > MAX_LINE_BYTES:
            yield Line(number, None, "too_long")
        else:
            yield Line(number, text, None)


class _Values(TextReader):
    """A reader of a text of values."""

    # How many characters were read to find that no value begins where one may.
    _tried = 0
    # How many characters are behind once all is behind that was read as a part of an object.
    _part_until = 0
    # Whether the last object that was looked for is one in which the text ends.
    _is_open = False
    # Where the last message of a text that is over may begin, once it is asked for.
    _last_message: int | None = None

    def value_end(self) -> int | None:
        """Where the value ends that begins here; None if none does."""
        self.fill()
        self._is_open = False
        if not _VALUE_BEGINNING.match(self.text, self.start) or self._is_tried_enough():
            return None
        found = object_at(self.text, self.start)
        if isinstance(found, NoObject):
            self._tried += max(found.cost, _LEAST_COST_OF_A_TRY)
            self._part_until = self._behind(found.stop)
            self._is_open = found.is_open
            return None
        return found.end

    def _behind(self, place: int) -> int:
        """How many characters are behind at a place of the text."""
        return self.taken + place - self.start

    def _skip_part(self) -> int:
        """Skip a character, and what is surely a part of an object; how much that was."""
        # A text that is cut off ends with the first quotation mark of the message behind it.
        length = self._part_until - _LONGEST_BEGINNING - self.taken
        return len(self.take(self.start + max(length, 1)))

    def _is_tried_enough(self) -> bool:
        ahead = min(len(self.text) - self.start, MAX_LINE_BYTES)
        return self._tried > _TRIES * (self.taken + ahead) + _LEAST_TRIED

    def skip_damage(self, name: str | None) -> str:
        """Go to the next message; name the fault of what is skipped.

        ``name`` is the name of the first member in the file's messages.
        """
        if self.text.startswith("\0", self.start):
            self.skip_zeros()
            return "zero_bytes"
        own = _FIRST_MEMBER.match(self.text, self.start)
        names = {name or (own[1] if own else "")} | _OF_RECORDS | _OF_VALUES
        is_open = self._is_open
        skipped = self._skip_part()
        while self.start < len(self.text):
            place, is_beginning = self._beginning(names, self.start)
            end = min(place, self.start + MAX_LINE_BYTES)
            skipped += len(self.take(end))
            self.fill()
            if end < place or not is_beginning:
                continue
            if self._is_tried_enough():
                skipped += len(self.take(self.start + _LEAST_COST_OF_A_TRY))
                continue
            found = object_at(self.text, self.start)
            if isinstance(found, NoObject):
                cost, stop, _ = found
            elif self._is_message(found):
                break
            else:
                cost, stop = found.end - self.start, found.end
            self._tried += max(cost, _LEAST_COST_OF_A_TRY)
            self._part_until = max(self._part_until, self._behind(stop))
            skipped += self._skip_part()
        if skipped > MAX_LINE_BYTES:
            return "too_long"
        return "cut_short" if is_open and self.start == len(self.text) else "damaged"

    def _beginning(self, names: set[str], start: int) -> tuple[int, bool]:
        """Where the next object begins that may be a message; or how far there is none. And which of both."""
        last = len(self.text)
        if self.is_over:
            if self._last_message is None:
                word = max(map(self.text.rfind, _WORDS))
                self._last_message = min(word, self.text.rfind("}") - SHORT_BYTES)
            last = self._last_message
        for found in _FIRST_MEMBER.finditer(self.text, start):
            if found.start() > last:
                break
            place = found.start()
            before = self.text[max(place - _LONGEST_MEMBER, 0) : place]
            if found[1] in names and not (found[1] in _OF_VALUES and _MEMBER.search(before)):
                return place, True
        if self.is_over:
            return len(self.text), False
        return max(len(self.text) - _LONGEST_BEGINNING, start), False

    def _is_message(self, found: Object) -> bool:
        """Whether an object that begins here is a message, and no part of one that is damaged."""
        if found.end - self.start <= SHORT_BYTES or not is_message(found.members):
            return False
        return self._behind(found.end) > self._part_until and not self._is_inside(found.end)

    def _is_inside(self, end: int) -> bool:
        """Whether an object that ends at a place is inside of another: so what follows it says.

        Whole values may follow in an array, be it a list in a message or the file itself. Behind the last one
        of a list, the message ends or has a further member: then all objects up to there are inside.

        Complexity: O(_MOST_INSIDE), beside the values that are read.
        """
        most = end + _MOST_INSIDE
        while end < most:
            behind = _BEHIND.match(self.text, end)
            place = behind.end() if behind else end
            has_comma = self.text.find(",", end, place) >= 0
            following = self.text[place : place + 1]
            longest = place + _MOST_INSIDE
            if has_comma and following == "{":
                found = object_at(self.text, place)
                cost = found.cost if isinstance(found, NoObject) else found.end - place
                self._tried += max(cost, _LEAST_COST_OF_A_TRY)
                if isinstance(found, NoObject):
                    return False
                end = found.end
            elif has_comma and (plain := _PLAIN_BETWEEN.match(self.text, place, longest)):
                end = plain.end()
                self._tried += end - place
            else:
                is_inside = following in ("}", ":") or (
                    has_comma and bool(_VALUE_INSIDE.match(self.text, place, longest))
                )
                if is_inside:
                    self._part_until = max(self._part_until, self._behind(place))
                return is_inside
        return False
