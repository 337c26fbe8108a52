"""The filters of jq that take messages out of the JSON around them."""

from __future__ import annotations

import json
import re
from json import JSONDecodeError

from scuttlehouse.files.jsjson import LENIENT_DECODER
from scuttlehouse.files.values import is_message, is_message_at
from scuttlehouse.ssb.messages import unkeyed_message
from scuttlehouse.ssb.texts import is_word

# What messages of both sources begin with, as records and alone.
FIRST_MEMBERS = "key|value|id|msg|author|previous|data|metadata"
_LIST_OF_MESSAGES = re.compile(rf'\[\s*\{{\s*"(?:{FIRST_MEMBERS})"\s*:')
_MEMBER_NAME = re.compile(r'\s*[{,]\s*("(?:[^"\\]|\\.){1,64}")\s*:\s*')
# So deep messages are looked for inside of other objects.
_LEVELS = 6
_OPENING = re.compile(r"\[\s*")
_BETWEEN = re.compile(r"[\s,\x1e]*")


def list_inside(text: str) -> str | None:
    """The filter of jq for the first member of the object at the beginning that is a list of messages.

    None if there is none.

    >>> list_inside('{"count": 1, "messages": [{"key": "%a"}]}')
    '["messages"]'
    """
    place = number = 0
    while name := _MEMBER_NAME.match(text, place):
        if _LIST_OF_MESSAGES.match(text, name.end()):
            return _member(json.loads(name[1], strict=False), number)
        value = _value_at(text, name.end())
        if value is None:
            return None
        place = value[1]
        number += 1
    return None


def begins_with_a_message(text: str, start: int = 0) -> bool:
    """Whether the first value of a text, from a place on, is a message.

    >>> message = '{"author": "@a.ed25519", "content": {"type": "post"}, "previous": null, "sequence": 1}'
    >>> begins_with_a_message(message), begins_with_a_message('{"rows": []}')
    (True, False)
    """
    first = _value_at(text, start)
    return first is not None and _way(first[0]) == ""


def way_to_messages(text: str) -> str | None:
    """The filter of jq that takes messages out of the objects that a text begins with.

    None if these hold none, or if the first or the second is a message itself.

    >>> message = '{"author": "@a.ed25519", "content": {"type": "post"}, "previous": null, "sequence": 1}'
    >>> way_to_messages('{"node": ' + message + "}"), way_to_messages(message)
    ('["node"]', None)
    """
    opening = _OPENING.match(text)
    found = _value_at(text, opening.end() if opening else 0)
    if found is None:
        return None
    way = _way(found[0])
    following = _BETWEEN.match(text, found[1])
    if not way or (following and begins_with_a_message(text, following.end())):
        return None
    return f"[]{way}" if opening else way


def _way(value: object, levels: int = _LEVELS) -> str | None:
    """The filter of jq for the messages in a value; empty if it is a message, None if it holds none."""
    if isinstance(value, list):
        way = _way(value[0], levels - 1) if value and levels else None
        return None if way is None else f"[]{way}"
    if isinstance(value, str):
        return " | fromjson" if _is_text_of_message(value) else None
    if not isinstance(value, dict):
        return None
    for record in ("value", "msg"):
        if _is_text_of_message(value.get(record)):
            return f" | .{record} |= fromjson"
    if is_message(value) or not isinstance(unkeyed_message(value), str):
        return ""
    for number, (name, part) in enumerate(value.items() if levels else ()):
        way = _way(part, levels - 1)
        if way is not None:
            return f"{_member(name, number)}{way}"
    return None


def _is_text_of_message(text: object) -> bool:
    return isinstance(text, str) and text.startswith("{") and is_message_at(text, 0)


def _member(name: str, number: int) -> str:
    """The filter of jq for a member of an object: by its name only if a table may hold it (ruling R29)."""
    return f'["{name}"]' if is_word(name) else f" | .[keys_unsorted[{number}]]"


def _value_at(text: str, start: int) -> tuple[object, int] | None:
    try:
        value: tuple[object, int] = LENIENT_DECODER.raw_decode(text, start)
    except (JSONDecodeError, RecursionError):
        return None
    return value
