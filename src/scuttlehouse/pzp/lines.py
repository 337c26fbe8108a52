"""Logs of pzp, the second source: a line judged and taken apart into ``stg_pzp__landed_lines``.

A message of pzp belongs to an account, and devices sign for it. It is in tangles: that of its
account, if it adds or removes a device's key, or that of a feed, which is one domain of one account.
A feed begins with a *moot*, a message that says nothing and that everybody can compute. Sets are
feeds whose messages add and delete items. Of what a message says, the items of sets and the keys
that accounts add are handed on, and nothing else.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeGuard

from scuttlehouse.files.json_lines import finite_number, has_word, line_object
from scuttlehouse.files.parts import Line
from scuttlehouse.pzp.canonical import from_base58
from scuttlehouse.pzp.rules import (
    KEY_BYTES,
    SELF,
    feed_tangle_id,
    invalid_reason,
    is_moot,
    is_texts,
    whole_number,
)
from scuttlehouse.pzp.rules import REASONS as REASONS
from scuttlehouse.pzp.rules import moot_id as moot_id
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.texts import kept_item, kept_pzp_id, kept_word

SET_DOMAIN = "set_v1__"

# What lines of this source have, and most others have not. A name may be spelled with escapes.
PZP_WORDS = (b'"msg"', b"\\u")

SET_FAULTS = {
    "no_lists": "The data is no object with the arrays add, del and supersedes.",
    "item_is_no_text": "An item of add, del or supersedes is no text.",
}


class LandedPzpLine(NamedTuple):
    """A row of ``stg_pzp__landed_lines``; every field but the first three is null in a rejected line.

    A text that is no id where an id should be, and an item or a domain that is neither a word nor an id,
    stands as its token (:mod:`scuttlehouse.ssb.texts`); a member of another type is null.

    - ``account_id``: the account that the message speaks for. An account's own message is in the
      tangle of its account; the id of that is the account's. Null where it is in several tangles,
      which leaves open whose message it is.
    - ``tangle_id``, ``depth``, ``previous_ids``: the tangle that matters, of the account or of the
      feed, and the message's place in it. Null where the message is in none. The root of a tangle
      has depth 0 and lists nothing.
    - ``account_tip_ids``: what the writer knew of the account's tangle; null where it does not say.
    - ``device_key``: the public key that signed; null where the sigkey is no key.
    - ``is_erased``: whether somebody has taken the data away and left its hash.
    - ``added_key``: the public key for signing that an account's message adds; else null.
    - ``added_items``, ``deleted_items``, ``superseded_ids``: what a message of a set says; null in
      every other message. ``set_fault`` is one of ``SET_FAULTS`` where a message of a set's feed
      should say it and does not.
    - ``data_bytes``, ``line_bytes``: the length of the data as canonical JSON as the message states
      it, and of the line without its end.
    - ``received_ms``: milliseconds since 1970, null where the log has no finite number.
    - ``validity``: ``valid``, or ``invalid`` with one of ``REASONS``; ``not_checked`` with the reason
      ``ciphertext_not_in_log``. An ``id_differs`` says that
      the ``message_id`` is a claim: the message is not the one of that id.
    - ``line_hash``, ``line_count``: see :mod:`scuttlehouse.landing.rejects`.
    """

    source_file: str
    line_number: int
    reject_reason: str | None = None
    message_id: str | None = None
    account_id: str | None = None
    domain: str | None = None
    tangle_id: str | None = None
    depth: int | None = None
    previous_ids: list[str] | None = None
    account_tip_ids: list[str] | None = None
    device_key: str | None = None
    is_moot: bool | None = None
    is_account_message: bool | None = None
    is_erased: bool | None = None
    added_key: str | None = None
    added_items: list[str] | None = None
    deleted_items: list[str] | None = None
    superseded_ids: list[str] | None = None
    set_fault: str | None = None
    data_bytes: int | None = None
    line_bytes: int | None = None
    received_ms: float | None = None
    validity: str | None = None
    invalid_reason: str | None = None
    line_hash: str | None = None
    line_count: int = 1


def is_pzp(parsed: object) -> TypeGuard[dict[str, Any]]:
    """Whether the JSON value of a line is of this source: an object with a message, and no value.

    >>> is_pzp({"id": "a", "msg": {}}), is_pzp({"msg": {}, "value": {}}), is_pzp({"msg": "text"})
    (True, False, False)
    """
    return (
        isinstance(parsed, dict) and isinstance(parsed.get("msg"), dict) and "value" not in parsed
    )


def land_pzp_line(source_file: str, line: Line, ring: KeyRing) -> LandedPzpLine | None:
    """Turn a line into its row; None for a line of another source, broken ones included.

    Never raises, whatever the line holds. O(n log n) in the length of the line.

    >>> ring = KeyRing(b"pepper")
    >>> land_pzp_line("a.jsonl", Line(7, b'{"key": "%a", "value": {}}', None), ring) is None
    True
    >>> land_pzp_line("a.jsonl", Line(7, b'{"msg": {}}', None), ring).reject_reason
    'not_a_message'
    """
    if not has_word(line, PZP_WORDS):
        return None
    parsed = line_object(line)
    if not is_pzp(parsed):
        return None
    message_id, message = parsed.get("id"), parsed["msg"]
    metadata = message.get("metadata")
    if not (isinstance(message_id, str) and isinstance(metadata, dict)):
        return LandedPzpLine(source_file, line.line_number, "not_a_message")
    data, sigkey = message.get("data"), message.get("sigkey")
    misc = parsed.get("misc")
    misc = misc if isinstance(misc, dict) else {}
    # What was hashed is the ciphertext (see scuttlehouse.ssb.opened).
    original_data = misc.get("originalData")
    is_opened = isinstance(original_data, str) and data is not None
    signed = {**message, "data": original_data} if is_opened else message
    is_feed_root = is_moot(message)
    is_account_message = metadata.get("account") == SELF
    is_erased = data is None and metadata.get("dataHash") is not None
    place = _place(message_id, metadata, is_feed_root, ring)
    is_of_a_set = _is_of_a_set(metadata) and not (is_feed_root or is_erased or is_account_message)
    said = _set_message(data, ring) if is_of_a_set else None
    added, deleted, superseded = said if isinstance(said, tuple) else (None, None, None)
    reason = invalid_reason(message_id, signed)
    is_unchecked = (
        not is_opened
        and misc.get("private") is True
        and isinstance(data, dict)
        and reason in ("data_hash_differs", "data_size_differs")
    )
    if is_unchecked:
        reason = "ciphertext_not_in_log"
    return LandedPzpLine(
        source_file=source_file,
        line_number=line.line_number,
        message_id=kept_pzp_id(message_id, ring),
        account_id=_id(place.account_id, ring),
        domain=_domain(metadata.get("domain"), ring),
        tangle_id=_id(place.tangle_id, ring),
        depth=place.depth,
        previous_ids=place.previous_ids,
        account_tip_ids=_ids(metadata.get("accountTips"), ring),
        device_key=_public_key(sigkey),
        is_moot=is_feed_root,
        is_account_message=is_account_message,
        is_erased=is_erased,
        added_key=_added_key(data) if is_account_message else None,
        added_items=added,
        deleted_items=deleted,
        superseded_ids=superseded,
        set_fault=said if isinstance(said, str) else None,
        data_bytes=whole_number(metadata.get("dataSize")),
        line_bytes=len(line.text or b""),
        received_ms=finite_number(parsed.get("received")),
        validity="not_checked" if is_unchecked else "invalid" if reason else "valid",
        invalid_reason=reason,
    )


class _Place(NamedTuple):
    account_id: object = None
    tangle_id: object = None
    depth: int | None = None
    previous_ids: list[str] | None = None


def _place(message_id: str, metadata: dict[str, Any], is_moot: bool, ring: KeyRing) -> _Place:
    """The account that a message speaks for, and where it stands in the one tangle that matters."""
    account_id, tangles = metadata.get("account"), metadata.get("tangles")
    if is_moot or (account_id == SELF and tangles == {}):
        return _Place(account_id if is_moot else message_id, message_id, 0, [])
    if not isinstance(tangles, dict):
        tangles = {}
    tangle_id = feed_tangle_id(metadata)
    if account_id == SELF:
        account_id = tangle_id = next(iter(tangles)) if len(tangles) == 1 else None
    if tangle_id not in tangles:
        return _Place(account_id)
    tangle = tangles[tangle_id] if isinstance(tangles[tangle_id], dict) else {}
    depth, previous = whole_number(tangle.get("depth")), _ids(tangle.get("prev"), ring)
    return _Place(account_id, tangle_id, depth, previous)


def _is_of_a_set(metadata: dict[str, Any]) -> bool:
    domain = metadata.get("domain")
    return isinstance(domain, str) and domain.startswith(SET_DOMAIN)


def _set_message(data: object, ring: KeyRing) -> tuple[list[str], list[str], list[str]] | str:
    """What data says of a set: items added, items deleted, ids superseded; or a fault."""
    said = data if isinstance(data, dict) else {}
    added, deleted, superseded = said.get("add"), said.get("del"), said.get("supersedes")
    if not all(isinstance(items, list) for items in (added, deleted, superseded)):
        return "no_lists"
    if not (is_texts(added) and is_texts(deleted) and is_texts(superseded)):
        return "item_is_no_text"
    kept_added, kept_deleted = (
        [kept_item(item, ring) for item in items] for items in (added, deleted)
    )
    return kept_added, kept_deleted, [kept_pzp_id(one, ring) for one in superseded]


def _added_key(data: object) -> str | None:
    key = data.get("key") if isinstance(data, dict) and data.get("action") == "add" else None
    if not isinstance(key, dict) or key.get("algorithm") != "ed25519":
        return None
    return _public_key(key.get("bytes")) if key.get("purpose") in ("sig", "shs-and-sig") else None


def _public_key(text: object) -> str | None:
    return text if isinstance(text, str) and from_base58(text, KEY_BYTES) is not None else None


def _domain(value: object, ring: KeyRing) -> str | None:
    return kept_word(value, ring) if isinstance(value, str) else None


def _id(value: object, ring: KeyRing) -> str | None:
    return kept_pzp_id(value, ring) if isinstance(value, str) else None


def _ids(value: object, ring: KeyRing) -> list[str] | None:
    return [kept_pzp_id(text, ring) for text in value] if is_texts(value) else None
