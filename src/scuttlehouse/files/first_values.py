"""The first values of a text of JSON, which tell what is in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from json import JSONDecodeError
from operator import or_

from scuttlehouse.files.jsjson import LENIENT_DECODER
from scuttlehouse.ssb.ids import feed_format
from scuttlehouse.ssb.messages import unkeyed_message
from scuttlehouse.ssb.validation import is_ciphertext

# So many values of a file tell what is in it.
LOOKED_AT = 4
OPENING = re.compile(r"\[\s*")
# How programs print an object where they were asked for a text: PowerShell, Python, Java, Go, JavaScript.
_PRINTED = re.compile(r"@\{\w|\{'|\{\w+=|map\[|\[object |System\.")
_BETWEEN = re.compile(r"[\s,\x1e]*")


def begins_with_parts(text: str) -> bool:
    """Whether a text begins with a few objects that tell a message each, and do not hold it.

    The text has no signatures.

    >>> begins_with_parts('{"key": "%a"}' * 4), begins_with_parts('{"key": "%a", "value": {}}' * 4)
    (True, False)
    """
    return _begins_with(text, _is_part)


def begins_with_contents(text: str) -> bool:
    """Whether a text begins with a few contents of messages, of which some may be encrypted.

    >>> begins_with_contents('{"type": "post"}' * 3 + '"AAAA.box"'), begins_with_contents('{"text": "a"}' * 4)
    (True, False)
    """
    return _begins_with(text, _is_content)


def begins_with_printed_objects(text: str) -> bool:
    """Whether a program has printed all that the first few messages of a text say. Some may be encrypted.

    >>> logs = ('[{"value": {"content": "@{type=post}"}}]', '{"content": "AAAA.box"}', '{"content": "a"}')
    >>> [*map(begins_with_printed_objects, logs)]
    [True, False, False]
    """
    said = [*map(_said, first_values(text.lstrip("\x1e")))]
    is_printed = [isinstance(one, str) and bool(_PRINTED.match(one)) for one in said]
    return any(is_printed) and all(map(or_, is_printed, map(is_ciphertext, said)))


def _said(value: object) -> object:
    """What a message says: its content, or the metadata of one of pzp; or all of it, if it is no object."""
    for name in ("value", "msg"):
        if isinstance(value, dict):
            value = value.get(name, value)
    if not isinstance(value, dict):
        return value
    # In other formats, an author may have written any text.
    is_of_other_format = feed_format(str(value.get("author"))) not in (None, "classic")
    return None if is_of_other_format else value.get("content", value.get("metadata"))


def _begins_with(text: str, is_one: Callable[[object], bool]) -> bool:
    values = [*first_values(text)]
    return len(values) == LOOKED_AT and all(map(is_one, values))


def _is_part(value: object) -> bool:
    if not isinstance(value, dict) or not value.keys().isdisjoint(("value", "msg", "metadata")):
        return False
    if "key" in value:
        return isinstance(unkeyed_message(value), str)
    # Its hash would be its key: that of all members, and of the signature.
    return "author" in value


def _is_content(value: object) -> bool:
    if not isinstance(value, dict):
        return is_ciphertext(value)
    is_around = not value.keys().isdisjoint(("author", "value", "msg"))
    return isinstance(value.get("type"), str) and not is_around


def first_values(text: str, start: int = 0) -> Iterator[object]:
    """The first few values of a text, from a place on. Of an array there, the first few in it.

    >>> list(first_values('[{"a": "b"}, "c"]')), list(first_values('{"a": "b"} "c"'))
    ([{'a': 'b'}, 'c'], [{'a': 'b'}, 'c'])
    """
    if opening := OPENING.match(text, start):
        start = opening.end()
    for _ in range(LOOKED_AT):
        found = value_at(text, start)
        if found is None:
            return
        yield found[0]
        following = _BETWEEN.match(text, found[1])
        start = following.end() if following else found[1]


def value_at(text: str, start: int) -> tuple[object, int] | None:
    """The value at a place of a text, and the place behind it. None if none is there, as a whole.

    >>> value_at('["a", {}]', 6), value_at('{"a": [', 0)
    (({}, 8), None)
    """
    try:
        value: tuple[object, int] = LENIENT_DECODER.raw_decode(text, start)
    except (JSONDecodeError, RecursionError):
        return None
    return value
