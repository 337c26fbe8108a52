"""The records of pzp, as it stores and exports messages, and how other software changes them.

A record is ``id``, ``msg`` and ``received``, the message alone, or the message with these members among its
own. The id is the hash of the metadata, so that a record without one has the id that its message has.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any, TypeGuard

from scuttlehouse.pzp.canonical import canonical, hash_text
from scuttlehouse.ssb.nulls import without_nulls
from scuttlehouse.ssb.numbers import with_numbers
from scuttlehouse.ssb.opened import MOST_CIPHERTEXTS, members_of, texts_in
from scuttlehouse.ssb.rewritten_texts import json_in_text
from scuttlehouse.ssb.validation import is_ciphertext

# A message of SSB has the members of one of these, with a key or alone: rows of databases may call it `msg`.
_OF_SSB = ({"key", "value"}, {"author", "content"})

# Members of metadata that may be null, so that encoders which leave out null leave them out.
_MAY_BE_NULL = ("dataHash", "accountTips")

# Members of metadata that are no texts.
_NO_TEXTS = ("tangles", "accountTips")

# The numbers of metadata, and of a message's place in a tangle.
_NUMBERS = ("dataSize", "v")
_NUMBERS_OF_PLACES = ("depth",)

# The members of messages and their records that hold no ciphertext of another place.
_OF_RECORDS = frozenset({"data", "metadata", "sigkey", "sig", "id", "msg", "received"})


def is_pzp(parsed: object) -> TypeGuard[dict[str, Any]]:
    """Whether the JSON value of a line is of this source: an object that has or is a message, and no value.

    >>> is_pzp({"id": "a", "msg": {}}), is_pzp({"msg": {}, "value": {}}), is_pzp({"msg": "text"})
    (True, False, False)
    >>> is_pzp({"data": None, "metadata": {}, "sigkey": "", "sig": ""}), is_pzp({"metadata": {}})
    (True, False)
    >>> is_pzp({"id": 1, "msg": {"key": "%a", "value": {}}})
    False
    """
    if not isinstance(parsed, dict) or "value" in parsed:
        return False
    message = parsed.get("msg")
    is_record = isinstance(message, dict) and not any(map(message.keys().__ge__, _OF_SSB))
    return is_record or is_bare(parsed)


def is_bare(parsed: dict[str, Any]) -> bool:
    """Whether an object is a message alone, as ``msgs()`` of pzp gives it: nothing says if it was opened.

    >>> is_bare({"metadata": {}, "sigkey": ""}), is_bare({"msg": {}})
    (True, False)
    """
    is_record = isinstance(parsed.get("msg"), dict)
    # msg-v3 and older versions name the sigkey otherwise.
    has_key = "sigkey" in parsed or "pubkey" in parsed
    metadata = parsed.get("metadata")
    # Databases have it as a text.
    has_metadata = isinstance(metadata, dict) or (isinstance(metadata, str) and metadata[:1] == "{")
    return not is_record and has_key and has_metadata


def _message_of(parsed: dict[str, Any]) -> dict[str, Any]:
    """The message in a line that :func:`is_pzp`."""
    return parsed if is_bare(parsed) else parsed["msg"]


def _with_message(parsed: dict[str, Any], message: dict[str, Any]) -> dict[str, Any]:
    """The line with another message."""
    return message if is_bare(parsed) else {**parsed, "msg": message}


def with_metadata_read(parsed: dict[str, Any]) -> dict[str, Any]:
    """The line with its metadata, their tangles and their tips as such, if they are texts of JSON in it.

    Databases have columns for them. The same object if nothing is to be changed.

    >>> with_metadata_read({"metadata": '{"v": 4, "tangles": "{}"}', "sigkey": ""})
    {'metadata': {'v': 4.0, 'tangles': {}}, 'sigkey': ''}
    """
    message = _message_of(parsed)
    metadata = members_of(message.get("metadata"))
    read = {name: metadata[name] for name in _NO_TEXTS if isinstance(metadata.get(name), str)}
    for name, text in read.items():
        with suppress(ValueError):
            read[name] = json_in_text(text)
    if not read and (not metadata or metadata is message.get("metadata")):
        return parsed
    return _with_message(parsed, {**message, "metadata": {**metadata, **read}})


def with_nulls(parsed: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The line with the members that may be null, if software has left them out.

    The data are null if there never were any, or if somebody has erased them. This function and the next
    three take lines that are messages with metadata.

    >>> [*with_nulls({"msg": {"data": {}, "metadata": {"dataHash": "a", "accountTips": []}}})]
    []
    >>> [*with_nulls({"metadata": {"dataHash": "a"}, "sigkey": ""})]
    [{'data': None, 'metadata': {'dataHash': 'a', 'accountTips': None}, 'sigkey': ''}]
    """
    message = _message_of(parsed)
    metadata = message["metadata"]
    left_out = {name: None for name in _MAY_BE_NULL if name not in metadata}
    restored = {"data": None, **message, "metadata": metadata | left_out}
    if restored != message:
        yield _with_message(parsed, restored)


def with_data_read(parsed: dict[str, Any]) -> dict[str, Any]:
    """The line with what its data are the JSON text of, as databases have a column for it.

    The same object if they are no text of an object.

    >>> with_data_read({"msg": {"data": '{"add": []}', "metadata": {}}})
    {'msg': {'data': {'add': []}, 'metadata': {}}}
    """
    message = _message_of(parsed)
    data = message.get("data")
    if isinstance(data, str) and data.startswith("{"):
        with suppress(ValueError):
            return _with_message(parsed, {**message, "data": json_in_text(data)})
    return parsed


def without_nulls_of_tables(parsed: dict[str, Any]) -> dict[str, Any]:
    """The line without the members that are null because a table has a column for each member of any message.

    The same object if there are none.

    >>> without_nulls_of_tables({"msg": {"data": {"a": 1, "b": None}, "metadata": {"tangles": {"x": None}}}})
    {'msg': {'data': {'a': 1}, 'metadata': {'tangles': {}}}}
    """
    message = _message_of(parsed)
    metadata = message["metadata"]
    tangles = metadata.get("tangles")
    whole = {**message, "metadata": {**metadata, "tangles": without_nulls(tangles)}}
    if "data" in message:
        whole["data"] = without_nulls(message["data"])
    if "tangles" not in metadata or whole == message:
        return parsed
    return _with_message(parsed, whole)


def with_numbers_read(parsed: dict[str, Any]) -> dict[str, Any]:
    """The line with the numbers of its metadata as such, if software has written them otherwise.

    The same object if nothing is to be changed.

    >>> line = {"msg": {"metadata": {"v": "4", "tangles": {"a": {"depth": {"$numberInt": "1"}}}}}}
    >>> with_numbers_read(line)
    {'msg': {'metadata': {'v': 4.0, 'tangles': {'a': {'depth': 1.0}}}}}
    """
    message = _message_of(parsed)
    numbered = with_numbers(message["metadata"], _NUMBERS)
    if isinstance(tangles := numbered.get("tangles"), dict):
        places = {
            name: with_numbers(place, _NUMBERS_OF_PLACES) if isinstance(place, dict) else place
            for name, place in tangles.items()
        }
        numbered = {**numbered, "tangles": places}
    if numbered == message["metadata"]:
        return parsed
    return _with_message(parsed, {**message, "metadata": numbered})


def claimed_or_own_id(claim: object, metadata: object) -> object:
    """The id that a line gives a message, or else the one that it has; None if its metadata have no hash.

    >>> claimed_or_own_id("a", {}), claimed_or_own_id(None, "no metadata")
    ('a', None)
    """
    if claim is not None:
        return claim
    try:
        return hash_text(canonical(metadata)) if isinstance(metadata, dict) else None
    except ValueError:
        return None


def original_elsewhere(
    record: dict[str, Any], message: dict[str, Any], metadata: dict[str, Any]
) -> str | None:
    """The ciphertext of an opened message that other software keeps in another place: the hash proves it."""
    places = [part for name, part in message.items() if name not in _OF_RECORDS]
    places += [part for name, part in record.items() if name not in _OF_RECORDS]
    if not places or not isinstance(message.get("data"), dict):
        return None
    found = islice(filter(is_ciphertext, texts_in(places)), MOST_CIPHERTEXTS)
    wanted = metadata.get("dataHash")
    # Canonical JSON has no half of a surrogate pair, and no ciphertext has one.
    return next(
        (text for text in found if text.isascii() and hash_text(canonical(text)) == wanted), None
    )
