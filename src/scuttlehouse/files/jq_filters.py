"""The filters of jq that take messages out of the JSON around them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from json import JSONDecodeError
from typing import Any

from scuttlehouse.files.first_values import LOOKED_AT, OPENING, first_values, value_at
from scuttlehouse.files.jsjson import LENIENT_DECODER
from scuttlehouse.files.keys_beside import way_to_keys_beside
from scuttlehouse.files.objects import is_message, is_message_at
from scuttlehouse.files.parts import FIRST_MEMBERS
from scuttlehouse.pzp.records import is_bare, is_pzp
from scuttlehouse.ssb.messages import unkeyed_message
from scuttlehouse.ssb.texts import is_word

# Lists of JavaScript have null in place of what is deleted.
_LIST_OF_OBJECTS = re.compile(rf'\[\s*(?:null\s*,\s*)*+\{{\s*"(?:{FIRST_MEMBERS})"\s*:')
_MAP_OF_OBJECTS = re.compile(
    r'\{\s*"((?:%|ssb:)[^"\\\n]{1,200}|[1-9A-HJ-NP-Za-km-z]{43,44}|[0-9]{1,20})"\s*:\s*\{'
)
_MEMBER_NAME = re.compile(r'\s*[{,]\s*"((?:[^"\\]|\\.){1,64})"\s*:\s*')
_ROW = re.compile(r'\[\s*"(?:%|ssb:)')
# So deep messages are looked for inside of other objects.
_LEVELS = 6
# A member that is named for what it holds: numbers and ids name the members of maps.
_NAME = re.compile(r'\["[A-Za-z_]')
_ALL_LISTS = " | .[] | arrays"
_ALL_OBJECTS = " | .[] | objects"
# No part of a message is as long: its 8192 characters may be written as escapes of six.
_LONGER_THAN_MESSAGES = 1 << 16
# An error so near to the end of a text is that the text ends.
_NEAR = 16
# What turns the columns of a table back into the members that they hold (`value.author`).
_NESTED = ' | reduce to_entries[] as $column ({}; setpath($column.key / "."; $column.value))'
# A record of pzp has a `msg`. A message of SSB has one of these, and may be in a member of that name.
_OF_SSB = ("value", "author")
# What an object has that is a message, even if it cannot be read.
_OF_A_MESSAGE = frozenset({"author", "content", "metadata"})


def list_inside(text: str, start: int = 0, levels: int = _LEVELS) -> str | None:
    """The filter of jq for the lists in an object, if one of them is of messages. None if none is.

    None for a message itself, too. Of an object that goes on beyond the text, the last one in it is looked
    into, so many levels deep.

    >>> list_inside('{"count": 1, "messages": [{"key": "%a"'), list_inside('{"states": [{"key": "%a"}]}')
    (' | .[] | arrays', None)
    >>> [list_inside('{"log": {"all": ' + one + "a" * 70_000) for one in ('[{"key": "', '{"key": "')]
    [' | .[] | objects | .[] | arrays', None]
    """
    if (whole := value_at(text, start)) and _way(whole[0]) == "":
        return None
    place = start
    has_list = False
    while name := _MEMBER_NAME.match(text, place):
        value = value_at(text, name.end())
        if _LIST_OF_OBJECTS.match(text, name.end()):
            # An error of the parser costs as much as the text before it: only the last list has one.
            items = value[0] if value else first_values(text, text.index("{", name.end()))
            has_list = has_list or _holds_messages(items)
        if value is None:
            return _ALL_LISTS if has_list else _list_in_last(text, name.end(), levels)
        place = value[1]
    return _ALL_LISTS if has_list else None


def _holds_messages(items: Any) -> bool:
    """Whether one of the first few objects of a list is a message or holds one, or the text ends in them."""
    ways = [*map(_way, islice((one for one in items if one is not None), LOOKED_AT))]
    return not ways or any(way is not None for way in ways)


def _list_in_last(text: str, start: int, levels: int) -> str | None:
    """The same for an object of which the last member has a value that goes on beyond the text."""
    if not levels or not _goes_on(text, start):
        return None
    if way_out_of_map(text, start) is not None:
        return _ALL_OBJECTS
    if OPENING.match(text, start):
        first = next(first_values(text, start), None)
        return _ALL_LISTS if _way(first) is not None else None
    inside = list_inside(text, start, levels - 1)
    return inside and _ALL_OBJECTS + inside


def _goes_on(text: str, start: int) -> bool:
    """Whether a value goes on beyond the text, and is no part of a message that is cut there."""
    if len(text) - start < _LONGER_THAN_MESSAGES:
        return False
    try:
        LENIENT_DECODER.raw_decode(text, start)
    except JSONDecodeError as error:
        return error.msg.startswith("Unterminated") or error.pos + _NEAR > len(text)
    except RecursionError:
        return False
    return False


def way_to_lists_too(text: str) -> str | None:
    """The filter of jq for the messages that a text begins with, and for those in lists beside their values.

    Viewers keep the replies of a thread in such a list. None if none of the first few messages has one.

    >>> message = '{"author": "@a.ed25519", "content": {"type": "post"}, "previous": null, "sequence": 1'
    >>> way_to_lists_too("[" + message + '}, ' + message + ', "replies": [' + message + "}]}]")
    '.[] | del(.["replies"]), (.["replies"][]?)'
    """
    # No signature covers further members of a message of pzp, so anybody may write a list there.
    messages = (one for one in first_values(text) if isinstance(one, dict) and not is_bare(one))
    names = {
        name
        for message in messages
        if _way(message) == ""
        for name, part in message.items()
        if isinstance(part, list) and name != "content" and _way(part) == "[]"
    }
    if not names:
        return None
    name = names.pop()
    lists = _ALL_LISTS if names or not is_word(name) else f'["{name}"]'
    return f"{'.[] | ' if OPENING.match(text) else ''}del(.{lists}), (.{lists}[]?)"


def way_to_messages(text: str) -> str | None:
    """The filter of jq that takes all messages out of the objects that a text begins with.

    The first of them may be a header, or an empty page. None if one of the first few is a message itself, or
    if none holds one.

    >>> message = '{"author": "@a.ed25519", "content": {"type": "post"}, "previous": null, "sequence": 1}'
    >>> way_to_messages('{"node": ' + message + "}"), way_to_messages(message)
    ('["node"]', None)
    >>> way_to_messages('{"root": ' + message + ', "replies": [' + message + "]}")
    ' | (.["root"]), (.["replies"][])'
    """
    row = value_at(text, 0) if _ROW.match(text) else None
    if row and isinstance(row[0], list) and (pair := way_to_keys_beside(row[0])):
        return pair
    ways = [_way(value) for value in first_values(text)]
    if "" in ways:
        return None
    way = max(filter(None, ways), key=len, default=None)
    if way is None:
        return None
    # Where values differ, one may lack a list, or be another text.
    way = (
        way if len({*ways}) == 1 else way.replace("[]", "[]?").replace("| fromjson", "| fromjson?")
    )
    return f"[]{way}" if OPENING.match(text) else way


def _way(value: object, levels: int = _LEVELS) -> str | None:
    """The filter of jq for the messages in a value; empty if it is a message, None if it holds none."""
    if isinstance(value, list):
        if levels and (pair := way_to_keys_beside(value)):
            return pair
        first = next((item for item in value if item is not None), None) if levels else None
        way = _way(first, levels - 1)
        return _text_in_row(value) if way is None else f"[]{way}"
    if isinstance(value, str):
        return _way_into_text(value)
    if not isinstance(value, dict):
        return None
    inside = _way_into_record(value) or way_to_keys_beside(value)
    if inside is not None:
        return inside
    is_around = isinstance(value.get("msg"), dict) and "value" not in value and not is_pzp(value)
    if not is_around and not isinstance(unkeyed_message(value), str):
        return ""
    is_broken = not is_around and is_message(value)
    inner = value.get("value")
    members = {*value, *inner} if isinstance(inner, dict) else _OF_A_MESSAGE
    if is_broken and not _OF_A_MESSAGE.isdisjoint(members):
        return ""
    if _is_message_in_columns(value):
        return _NESTED
    ways = {
        _member(name, number): way
        for number, (name, part) in enumerate(value.items() if levels else ())
        if (way := _way(part, levels - 1)) is not None
    }
    if not ways:
        return "" if is_broken else None
    return _way_through(ways, len(value))


def _way_through(ways: Mapping[str, str], members: int) -> str:
    """The filter for the messages in an object, from the filters for those of its members that hold some.

    An object in which every member is the same is a map: the next one may have more members, or others.
    """
    different = {*ways.values()}
    is_of_names = any(map(_NAME.match, ways))
    if len(different) == 1 and len(ways) == members and not (members == 1 and is_of_names):
        return f"[]{different.pop()}"
    if len(ways) > 1:
        return " | " + ", ".join(f"(.{member}{way})" for member, way in ways.items())
    [(member, way)] = ways.items()
    return f"{member}{way}"


def way_out_of_map(text: str, start: int = 0) -> str | None:
    """The filter of jq for the messages in a map of them that goes on beyond the text. None for others.

    >>> way_out_of_map('{"1": {"key": "%a"'), way_out_of_map('{"1": {"key": "%a"}, "2"')
    ('[]', None)
    """
    opening = _MAP_OF_OBJECTS.match(text, start)
    first = opening and value_at(text, opening.end() - 1)
    if not opening or not first:
        return "[]" if opening else None
    beside, inside = way_to_keys_beside({opening[1]: first[0]}), _way(first[0])
    return beside or (None if inside is None else f"[]{inside}")


def _way_into_record(value: dict[str, object]) -> str | None:
    """The filter for a message that is a text in its record, and for a message of pzp in another record."""
    for name in ("value", "msg"):
        inner = value.get(name)
        if isinstance(inner, str) and _is_text_of_message(inner):
            if name == "msg" and not _is_text_of_pzp(inner):
                continue
            return f" | .{name} |= fromjson"
        if not is_pzp(inner) or "author" in inner:
            continue
        if name == "value" or "metadata" not in inner:
            return f'["{name}"]'
    return None


def _way_into_text(text: str) -> str | None:
    """The filter for a text that is a message, a list of messages, or lines of which the first is one."""
    if _LIST_OF_OBJECTS.match(text) and is_message_at(text, text.index("{")):
        return " | fromjson[]"
    if not _is_text_of_message(text):
        return None
    first = value_at(text, 0)
    is_one = first is None or not text[first[1] :].strip()
    return " | fromjson" if is_one else ' | split("\\n")[] | fromjson?'


def _text_in_row(row: list[object]) -> str | None:
    """The filter for a message that is one of the first texts in a row of a table."""
    places = (place for place, text in enumerate(row[:LOOKED_AT]) if _is_text_of_message(text))
    place = next(places, None)
    return None if place is None else f"[{place}] | fromjson"


def _is_message_in_columns(value: dict[str, object]) -> bool:
    """Whether an object is a message of which each member is a column of its own, as pandas writes it."""
    nested: dict[str, Any] = {}
    for name, part in value.items():
        *around, last = name.split(".")
        place = nested
        for member in around[:_LEVELS]:
            place = place.setdefault(member, {})
            if not isinstance(place, dict):
                return False
        place[last] = part
    return len(nested) < len(value) and not isinstance(unkeyed_message(nested), str)


def _is_text_of_message(text: object) -> bool:
    return isinstance(text, str) and text.startswith("{") and is_message_at(text, 0)


def _is_text_of_pzp(text: str) -> bool:
    first = value_at(text, 0)
    return first is not None and isinstance(first[0], dict) and first[0].keys().isdisjoint(_OF_SSB)


def _member(name: str, number: int) -> str:
    """The filter of jq for a member of an object: by its name only if a table may hold it (ruling R29)."""
    return f'["{name}"]' if is_word(name) else f" | .[keys_unsorted[{number}]]"
