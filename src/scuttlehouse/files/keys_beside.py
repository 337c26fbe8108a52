"""Messages whose keys are beside them, and the filters of jq that put both together.

They are in a map by their keys, in the columns of a table, in pairs (``Object.entries``), or behind their
keys on their lines: so SQLite, ``COPY`` of PostgreSQL and ``mysql -B`` print two columns.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from scuttlehouse.files.first_values import LOOKED_AT, value_at
from scuttlehouse.ssb.ids import message_uri
from scuttlehouse.ssb.messages import unkeyed_message

_OUT_OF_MAP = " | to_entries[] | {key, value}"
_OUT_OF_COLUMNS = " | . as $table | .value | keys_unsorted[] as $row | $table | map_values(.[$row])"
_OUT_OF_PAIR = " | {key: .[0], value: .[1]}"
# COPY writes each backslash twice.
OUT_OF_LINES = (
    r'capture("(?<key>(%|ssb:)[^{\\s|,;]+)[^{]*(?<value>[{].*[}])")'
    r' | {key, value: (.value | fromjson? // (gsub("\\\\\\\\"; "\\") | fromjson))}'
)
# What may stand before a key and between it and its message, in a line.
_KEY_BEFORE = re.compile(r"[^{\"%]{0,99}?((?:%|ssb:)[^{\s|,;\"]++)[^{\"]*+(?=\{)")


def way_to_keys_beside(value: dict[str, Any] | list[Any]) -> str | None:
    """The filter for messages whose keys are names of members, in another column, or before them in a pair.

    >>> key = "%hgtpIhsCCdlAxzCLgjPdj9CwGcFzpnKA9f6/T9WWGhw=.sha256"
    >>> message = {"author": "@a", "sequence": 1.0, "content": {}}
    >>> way_to_keys_beside({key: message}), way_to_keys_beside([key, message])
    (' | to_entries[] | {key, value}', ' | {key: .[0], value: .[1]}')
    """
    if isinstance(value, list):
        is_row = len(value) > 1 and _is_key(value[0]) and _lacks_key(value[1])
        return _OUT_OF_PAIR if is_row and not any(map(_lacks_key, value[2:])) else None
    columns = [value.get(name) for name in ("key", "value")]
    if all(isinstance(column, dict | list) for column in columns):
        key, message = map(_first_item, columns)
        return _OUT_OF_COLUMNS if _is_key(key) and _lacks_key(message) else None
    is_map = all(map(_is_key, value))
    return _OUT_OF_MAP if is_map and _lacks_key(_first_item(value)) else None


def has_keys_before(text: str) -> bool:
    """Whether the first lines of a text have messages behind their keys. The first one may name columns.

    Complexity: O(length of the text).

    >>> has_keys_before('%hgtpIhsCCdlAxzCLgjPdj9CwGcFzpnKA9f6/T9WWGhw=.sha256|{"author": "@a"}')
    False
    """
    lines = [*islice(filter(str.strip, text.split("\n")), LOOKED_AT)]
    if len(lines) > 1 and "{" not in lines[0]:
        del lines[0]
    return bool(lines) and all(map(_has_key_before, lines))


def _has_key_before(line: str) -> bool:
    found = _KEY_BEFORE.match(line)
    if not found or not _is_key(found[1]):
        return False
    for written in (line, line.replace(r"\\", "\\")):
        message = value_at(written, found.end())
        if message is not None:
            return _lacks_key(message[0]) and "{" not in written[message[1] :]
    return False


def _first_item(items: Any) -> object:
    return next(iter(items.values() if isinstance(items, dict) else items), None)


def _is_key(text: object) -> bool:
    return isinstance(text, str) and message_uri(text) is not None


def _lacks_key(message: object) -> bool:
    """Whether a message is without its key, and without anything else around its value."""
    if not isinstance(message, dict) or not message.keys().isdisjoint(("key", "value")):
        return False
    return isinstance(unkeyed_message(message), tuple)
