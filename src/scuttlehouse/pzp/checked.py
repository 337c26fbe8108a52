"""A record of pzp with its message, and what the check of the message says."""

from __future__ import annotations

from typing import Any, NamedTuple

from scuttlehouse.pzp.canonical import from_base58
from scuttlehouse.pzp.records import claimed_or_own_id, is_bare, original_elsewhere
from scuttlehouse.pzp.rules import invalid_reason
from scuttlehouse.ssb.opened import has_recipients, is_marked_beside, members_of
from scuttlehouse.ssb.texts import PZP_ID_BYTES


class CheckedRecord(NamedTuple):
    """``is_opened``: somebody has opened the data. ``reason`` is None if the message is valid."""

    record: dict[str, Any]
    message: dict[str, Any]
    metadata: dict[str, Any]
    message_id: str
    is_opened: bool
    validity: str
    reason: str | None


def checked_record(parsed: dict[str, Any]) -> CheckedRecord | None:
    """Read and check the object of a line of pzp. None if it has no message with an id.

    Complexity: O(n log n) in the length of the message.

    >>> checked_record({"msg": {}}) is None, checked_record({"id": "a", "msg": {"metadata": {}}}).validity
    (True, 'invalid')
    """
    record = {**parsed, "msg": parsed} if is_bare(parsed) else parsed
    message = record["msg"]
    metadata = message.get("metadata")
    claim = record.get("id")
    # A row of a database may have a number of its own.
    is_claim = not is_bare(parsed) or from_base58(claim, PZP_ID_BYTES) is not None
    message_id = claimed_or_own_id(claim if is_claim else None, metadata)
    if not (isinstance(message_id, str) and isinstance(metadata, dict)):
        return None
    data, misc = message.get("data"), members_of(record.get("misc"))
    # The hash is that of the ciphertext (see scuttlehouse.ssb.opened).
    original_data = misc.get("originalData") or original_elsewhere(record, message, metadata)
    is_opened = isinstance(original_data, str) and data is not None and data != original_data
    signed = {**message, "data": original_data} if is_opened else message
    may_be_private = is_marked_beside(record) or is_bare(parsed)
    validity, reason = _check(message_id, signed, may_be_private)
    return CheckedRecord(record, message, metadata, message_id, is_opened, validity, reason)


def _check(message_id: str, signed: dict[str, Any], may_be_private: bool) -> tuple[str, str | None]:
    """The validity of a message and, unless it is valid, the reason.

    ``may_be_private``: the line says that the message is private, or cannot say that it is not. Its data may
    then be a plaintext, and nobody can check their hash if no log holds the ciphertext.
    """
    reason = invalid_reason(message_id, signed)
    if reason is None:
        return "valid", None
    data = signed.get("data")
    may_be_plaintext = isinstance(data, dict) and (may_be_private or has_recipients(data))
    if may_be_plaintext and reason == "data_hash_differs":
        return "not_checked", "ciphertext_not_in_log"
    return "invalid", reason
