"""An object of JSON in the middle of a text: where it ends, and whether it is a message."""

from __future__ import annotations

import re
from collections.abc import Mapping
from json import JSONDecodeError
from typing import NamedTuple

from scuttlehouse.files.jsjson import LENIENT_DECODER
from scuttlehouse.files.short_values import BEGUN_TEXT

# What tells a message from an object inside of one: members of which it has all.
_PARTS = (
    {"key", "value"},
    {"id", "msg"},
    {"author", "content"},
    {"metadata", "sig"},
    *({"value", member} for member in ("timestamp", "seq", "offset")),
)

# How much of a text the parser is given at first; most messages are shorter.
_LENGTHS = (1 << 12, 1 << 16)

# The texts and brackets of JSON; the group is the end of a text.
_MARKS = re.compile(rf'{BEGUN_TEXT}(")?|[{{}}\[\]]')
# An error so near to the end of a text is that the text ends.
_NEAR = 16
# An object that is cut has no more than a piece of a word or a number behind the error.
_ENDS = frozenset('"]}')
_CLOSING = {"{": "}", "[": "]"}


class Object(NamedTuple):
    """The members of an object, and where it ends in the text."""

    members: dict[str, object]
    end: int


class NoObject(NamedTuple):
    """What shows that no object begins at a place: how many characters, and where it stops being one.

    ``is_open``: whether the text ends in it.
    """

    cost: int
    stop: int
    is_open: bool


def object_at(text: str, start: int) -> Object | NoObject:
    """The object that begins at a place of a text; without members if it is too deep for the parser.

    An error of the parser costs as much as the text that it was given, so it is given a short one first.

    Complexity: O(length of the object, or of what looks like one).

    >>> object_at('[{"a": 1}, {"b" 2}]', 1), object_at('[{"a": 1}, {"b" 2}]', 11)
    (Object(members={'a': 1.0}, end=9), NoObject(cost=8, stop=16, is_open=False))
    """
    read = stop = 0
    is_open = False
    for length in (*_LENGTHS, len(text)):
        piece = text[start : start + length]
        try:
            value, end = LENIENT_DECODER.raw_decode(piece)
        except JSONDecodeError as error:
            read, stop = read + len(piece), error.pos
            is_begun = error.msg.startswith("Unterminated")
            if not is_begun and error.pos + _NEAR <= len(piece):
                break
            if start + length >= len(text):
                is_open = is_begun or _ENDS.isdisjoint(piece[error.pos :])
                break
        except RecursionError:
            return _deep_object_at(text, start)
        else:
            return Object(value, start + end)
    return NoObject(read, start + stop, is_open)


def is_message_at(text: str, start: int) -> bool:
    """Whether a whole message begins at a place of a text.

    >>> is_message_at('ye": 1}, {"key": "%a", "value": {}}', 9)
    True
    """
    found = object_at(text, start)
    return not isinstance(found, NoObject) and is_message(found.members)


def is_message(value: Mapping[str, object]) -> bool:
    """Whether an object has the members that tell a message.

    >>> is_message({"key": "%a", "value": {}}), is_message({"key": "%a"})
    (True, False)
    """
    return any(value.keys() >= parts for parts in _PARTS)


def _deep_object_at(text: str, start: int) -> Object | NoObject:
    """An object that is too deep for the parser, without its members. O(its length)."""
    closing: list[str] = []
    for mark in _MARKS.finditer(text, start):
        first = mark[0][0]
        if first in _CLOSING:
            closing.append(_CLOSING[first])
        elif first == '"':
            if mark[1] is None:
                return NoObject(mark.start() - start, mark.start(), mark.end() == len(text))
        elif closing.pop() != first:
            return NoObject(mark.start() - start, mark.start(), is_open=False)
        elif not closing:
            return Object({}, mark.end())
    return NoObject(len(text) - start, len(text), is_open=True)
