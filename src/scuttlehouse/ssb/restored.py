"""Members of a value as they were before an export: content, ids, what stands for null or is left out."""

from __future__ import annotations

from typing import Any, TypeGuard

from scuttlehouse.ssb.ids import feed_format, feed_id, message_sigil
from scuttlehouse.ssb.rewritten_texts import json_in_text
from scuttlehouse.ssb.validation import MEMBER_ORDERS

# Encoders that leave out null leave out the previous of a first message. All messages have this hash.
_LEFT_OUT = {"previous": None, "hash": "sha256"}

# What CSV, SQL, COPY of PostgreSQL and Python have for null in a column of texts.
TEXTS_FOR_NULL = frozenset({"", "null", "NULL", r"\N", "None"})


def with_content_read(value: dict[str, Any]) -> dict[str, Any]:
    """The value with what its content is the JSON of, an object or a text. The same object if it is neither.

    Complexity: O(length of the content).

    >>> with_content_read({"content": '{"type": "post"}'}), with_content_read({"content": "AAAA.box"})
    ({'content': {'type': 'post'}}, {'content': 'AAAA.box'})
    """
    content = value.get("content")
    if not may_be_json(content):
        return value
    try:
        return {**value, "content": json_in_text(content)}
    except ValueError:
        return value


def may_be_json(content: object) -> TypeGuard[str]:
    """Whether a content may be the JSON of one, by its first character.

    >>> may_be_json('"AAAA.box"'), may_be_json("AAAA.box"), may_be_json({})
    (True, False, False)
    """
    return isinstance(content, str) and content.startswith(("{", '"'))


def with_null_read(value: dict[str, Any]) -> dict[str, Any]:
    """The value without a ``previous`` that is a text for null. The same object if it has none.

    >>> with_null_read({"previous": "", "sequence": 1}), with_null_read({"previous": "%a"})
    ({'previous': None, 'sequence': 1}, {'previous': '%a'})
    """
    previous = value.get("previous")
    is_text_for_null = isinstance(previous, str) and previous in TEXTS_FOR_NULL
    return {**value, "previous": None} if is_text_for_null else value


def with_what_is_left_out(value: dict[str, Any]) -> dict[str, Any]:
    """The value with the members that say the same in every first message. The same object if it has them.

    They are in their places, if the others are in the order of a message. A ``previous`` that is a text for
    null counts as left out, and so does a ``hash`` that is null.

    >>> [*with_what_is_left_out({"sequence": 1, "author": "@a", "timestamp": 1, "content": {}})]
    ['previous', 'sequence', 'author', 'timestamp', 'hash', 'content']
    """
    value = with_null_read(value)
    if value.get("hash") is None and "hash" in value:
        value = {name: part for name, part in value.items() if name != "hash"}
    if value.keys() >= _LEFT_OUT.keys():
        return value
    whole = {**_LEFT_OUT, **value}
    for order in MEMBER_ORDERS:
        names = [name for name in order if name in whole]
        if [name for name in names if name in value] == list(value):
            return {name: whole[name] for name in names}
    return whole


def with_sigils(value: dict[str, Any]) -> dict[str, Any]:
    """The value with the ids of its author and its previous as sigils. The same object if they are.

    >>> with_sigils({"author": "ssb:feed/ed25519/6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw="})
    {'author': '@6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=.ed25519'}
    """
    author, previous = value.get("author"), value.get("previous")
    sigils = {}
    if isinstance(author, str) and feed_format(author) == "classic":
        sigils["author"] = feed_id(author)
    if isinstance(previous, str) and (sigil := message_sigil(previous)) is not None:
        sigils["previous"] = sigil
    is_spelled = all(value[name] == sigil for name, sigil in sigils.items())
    return value if is_spelled else {**value, **sigils}
