"""The parts of a message, in the JSON object that a line holds."""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple, TypeGuard

from scuttlehouse.pzp.records import is_pzp
from scuttlehouse.ssb.ids import message_uri
from scuttlehouse.ssb.judging import Judged, check_opened, has_key
from scuttlehouse.ssb.numbers import number_of, with_numbers
from scuttlehouse.ssb.opened import (
    MOST_CIPHERTEXTS,
    Opened,
    is_marked_beside,
    is_sealed,
    members_of,
    opened_elsewhere,
    original,
)


class UnkeyedMessage(NamedTuple):
    """A message, perhaps with a key, which was not looked at. ``record``: the object that its value is in.

    ``must_be_proven``: the log has its sequence in another notation than that of a number, or a key that is
    no id of a message, as databases and queues have their own.
    """

    key: str | None
    value: dict[str, Any]
    received: object
    meta: dict[str, Any]
    record: dict[str, Any]
    must_be_proven: bool


class Message(NamedTuple):
    """A message with its key, and what its check says."""

    key: str
    value: dict[str, Any]
    received: object
    opened: Opened
    judged: Judged


def unkeyed_message(message: dict[str, Any] | str) -> UnkeyedMessage | str | None:
    """The parts of a message, or the reason why it is none. None for one of pzp. O(1).

    >>> unkeyed_message({"author": "@a", "sequence": 1.0, "content": 0}).value["author"]
    '@a'
    >>> key = "%hgtpIhsCCdlAxzCLgjPdj9CwGcFzpnKA9f6/T9WWGhw=.sha256"
    >>> value = {"author": "@a", "sequence": 1.0, "content": 0}
    >>> [unkeyed_message({"key": one, **value}).key for one in (key, "17", None)] == [key, None, None]
    True
    >>> unkeyed_message({"key": "%a"}), unkeyed_message("not_json")
    ('not_a_message', 'not_json')
    """
    if isinstance(message, dict) and _is_numbered(message):
        message = message["value"]
    if is_pzp(message):
        return None
    if isinstance(message, str):
        return message
    key, value, meta = message.get("key"), message.get("value"), members_of(message.get("meta"))
    # Only a value, perhaps with its key as a member. Otherwise its hash is its key.
    if value is None:
        value, message = {name: part for name, part in message.items() if name != "key"}, {}
    has_other_key = key not in (None, "") and not _is_id(key)
    has_other_sequence = isinstance(value, dict) and isinstance(value.get("sequence"), str | dict)
    if has_other_sequence:
        value = with_numbers(value)
    if not (
        isinstance(value, dict)
        and isinstance(value.get("author"), str)
        and isinstance(value.get("sequence"), int | float)
        and not isinstance(value.get("sequence"), bool)
        and "content" in value
    ):
        return "not_a_message"
    if is_marked_beside(message):
        meta = {**meta, "private": True}
    key = key if _is_id(key) else None
    received = number_of(message.get("timestamp"))
    must_be_proven = has_other_key or has_other_sequence
    return UnkeyedMessage(key, value, received, meta, message, must_be_proven)


def checked_message(
    found: UnkeyedMessage | str | None, network_key: bytes | None
) -> Message | str | None:
    """A message with its check, under the key that the log gives it, or else its own.

    What is none comes back as it is. If a message has no key, and the log does not hold what was signed,
    whose hash it would be, it has the id under which a database keeps it, or else is ``id_is_unknown``.

    Complexity: O(length of the message).

    >>> value = {"author": "@a", "sequence": 1.0, "content": 0}
    >>> checked_message(unkeyed_message(value), None).key
    '%4kvyEfCch++krnaOWKPi+MoFhfcWvew8vXotfFbb1v0=.sha256'
    >>> author = "ssb:feed/classic/6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw="
    >>> checked_message(unkeyed_message({**value, "author": author}), None)
    'id_is_unknown'
    """
    if not isinstance(found, UnkeyedMessage):
        return found
    key, value, received, meta, record, must_be_proven = found
    opened = original(value, meta)
    judged = check_opened(value, opened, key, network_key)
    if judged.check.validity != "valid" and not is_sealed(value):
        for other in islice(opened_elsewhere(value, opened, record), MOST_CIPHERTEXTS):
            proven = check_opened(value, other, key, network_key)
            if proven.check.validity == "valid":
                opened, judged = other, proven
                break
    is_proven = judged.check.validity != "invalid" or (
        key is not None and has_key(judged.check, key)
    )
    if must_be_proven and not is_proven:
        return "not_a_message"
    if key is None and judged.check.validity == "not_checked":
        named = _id_of_database(record) or _id_of_database(value)
        return checked_message(found._replace(key=named), network_key) if named else "id_is_unknown"
    key = judged.check.message_key if key is None else key
    return Message(key, value, received, opened, judged) if key else "not_a_message"


def _id_of_database(members: dict[str, Any]) -> str | None:
    """The id of a message under a name that databases use for keys."""
    ids = (members.get(name) for name in ("_id", "id"))
    return next(filter(_is_id, ids), None)


def _is_id(key: object) -> TypeGuard[str]:
    return isinstance(key, str) and message_uri(key) is not None


def _is_numbered(message: dict[str, Any]) -> bool:
    """Whether a message has its place in the log around it, as streams of flumedb and ssb-db2 give it."""
    inner = message.get("value")
    return (
        isinstance(inner, dict) and isinstance(inner.get("value"), dict) and "author" not in inner
    )
