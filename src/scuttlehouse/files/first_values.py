"""The first values of a text of JSON, which tell what is in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from json import JSONDecodeError

from scuttlehouse.files.jsjson import LENIENT_DECODER
from scuttlehouse.ssb.messages import unkeyed_message
from scuttlehouse.ssb.validation import is_ciphertext

# So many values of a file tell what is in it.
LOOKED_AT = 4
OPENING = re.compile(r"\[\s*")
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


def _begins_with(text: str, is_one: Callable[[object], bool]) -> bool:
    opening = OPENING.match(text)
    values = [*first_values(text, opening.end() if opening else 0)]
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


def first_values(text: str, start: int) -> Iterator[object]:
    """The first few values of a text, from a place on.

    >>> list(first_values('[{"a": "b"}, "c"]', 1))
    [{'a': 'b'}, 'c']
    """
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
