"""The parts of a message, in the JSON object that a line holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from scuttlehouse.pzp.lines import is_pzp
from scuttlehouse.ssb.ids import message_uri
from scuttlehouse.ssb.opened import Opened, original, own_key, unkeyed_checks
from scuttlehouse.ssb.validation import Check


class UnkeyedMessage(NamedTuple):
    """A message, perhaps with a key, which was not looked at."""

    key: object
    value: dict[str, Any]
    received: object
    meta: dict[str, Any]


class Message(NamedTuple):
    """A message with its key, its signed value, and its checks if the log gives it no key."""

    key: str
    value: dict[str, Any]
    received: object
    opened: Opened
    unkeyed: Sequence[Check]


def unkeyed_message(message: dict[str, Any] | str) -> UnkeyedMessage | str | None:
    """The parts of a message, or the reason why it is none. None for one of pzp. O(1).

    >>> unkeyed_message({"author": "@a", "sequence": 1.0, "content": 0}).value["author"]
    '@a'
    >>> unkeyed_message({"key": "%a"}), unkeyed_message("not_json")
    ('not_a_message', 'not_json')
    """
    if isinstance(message, dict) and _is_numbered(message):
        message = message["value"]
    if is_pzp(message):
        return None
    if isinstance(message, str):
        return message
    key, value, meta = message.get("key"), message.get("value"), message.get("meta")
    meta = meta if isinstance(meta, dict) else {}
    if key is None and value is None:  # Only a value. Its hash is its key.
        value, message = message, {}
    if not (
        isinstance(value, dict)
        and isinstance(value.get("author"), str)
        and isinstance(value.get("sequence"), int | float)
        and not isinstance(value.get("sequence"), bool)
        and "content" in value
    ):
        return "not_a_message"
    return UnkeyedMessage(key, value, message.get("timestamp"), meta)


def with_key(found: UnkeyedMessage | str | None, network_key: bytes | None) -> Message | str | None:
    """A message with the key that the log gives it, or else its own; what is none comes back as it is.

    Complexity: O(length of the message).

    >>> with_key(unkeyed_message({"author": "@a", "sequence": 1.0, "content": 0}), None).key
    '%4kvyEfCch++krnaOWKPi+MoFhfcWvew8vXotfFbb1v0=.sha256'
    """
    if not isinstance(found, UnkeyedMessage):
        return found
    key, value, received, meta = found
    opened = original(value, meta)
    unkeyed = unkeyed_checks(opened, network_key) if key is None else []
    key = own_key(unkeyed) if key is None else key
    if not (isinstance(key, str) and message_uri(key)):
        return "not_a_message"
    return Message(key, value, received, opened, unkeyed)


def _is_numbered(message: dict[str, Any]) -> bool:
    """Whether a message has its place in the log around it, as streams of flumedb and ssb-db2 give it."""
    inner = message.get("value")
    return (
        isinstance(inner, dict) and isinstance(inner.get("value"), dict) and "author" not in inner
    )
