"""Judge a message by what was signed, also where somebody has opened it.

If a message says that it was private, but its ciphertext is in none of the places that
:mod:`scuttlehouse.ssb.opened` knows, nobody can tell whether its text is what was signed. Then it is not
checked, and does not count as invalid.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from scuttlehouse.ssb import bendybutt
from scuttlehouse.ssb.bfe import utf8
from scuttlehouse.ssb.checks import Check
from scuttlehouse.ssb.code_pages import in_utf_8
from scuttlehouse.ssb.exported import forms
from scuttlehouse.ssb.ids import feed_format, message_uri
from scuttlehouse.ssb.nulls import has_nulls, without_nulls
from scuttlehouse.ssb.numbers import with_numbers
from scuttlehouse.ssb.opened import OPENED_BY_GO_SSB, Opened, is_of_private_kind
from scuttlehouse.ssb.restored import (
    with_content_read,
    with_null_read,
    with_sigils,
    with_what_is_left_out,
)
from scuttlehouse.ssb.rewritten_texts import undone_in_texts
from scuttlehouse.ssb.validation import is_ciphertext

# Hashes of which software writes one, or none, in a message that it opens.
_HASHES_OF_OPENED = frozenset({"", None, OPENED_BY_GO_SSB})

# Faults that tell that something was changed.
_FAULTS_OF_HASH = frozenset({"id_mismatch", "signature_is_wrong"})
# Faults that a value can have when the signed one has none: something inside of its content was changed.
_FAULTS_OF_CONTENT = _FAULTS_OF_HASH | {"type_is_malformed", "too_long"}
# UTF-8 has no half of a surrogate pair, so what is not JavaScript writes this in its place. So does BIPF.
_REPLACED = "\ufffd"
# Of the 15,335 contents in the logs of ssb-tribes2 and others, 6 have so many and are in such an order.
_TELLING_MEMBERS = 4
# Software that opens a message may write what is no signature (go-ssb: "reboxed"). Plaintext is any JSON.
_FAULTS_OF_OPENED = _FAULTS_OF_CONTENT | {"signature_is_malformed", "content_is_malformed"}


def has_key(check: Check, key: str) -> bool:
    """Whether a key, in either spelling, is the hash of what was checked. O(1).

    >>> uri = "ssb:message/classic/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    >>> sigil = "%AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=.sha256"
    >>> has_key(Check(sigil, "invalid"), uri), has_key(Check(None, "invalid"), uri)
    (True, False)
    """
    return check.message_key is not None and message_uri(check.message_key) == message_uri(key)


class Judged(NamedTuple):
    """``is_decrypted``: it is an opened message. ``signed``: the value as it was signed, as far as known."""

    check: Check
    is_decrypted: bool
    signed: dict[str, Any]


def check_opened(
    value: dict[str, Any], opened: Opened, key: str | None, hmac_key: bytes | None
) -> Judged:
    """Judge a message by the value that was signed, and say whether it is an opened message.

    ``key`` is the id that the log gives the message. A message is ``not_checked`` if the log does not hold
    what was signed, and :mod:`scuttlehouse.ssb.exported` cannot find it. The warning says why:

    - ``ciphertext_not_in_log``: it is a private message without its ciphertext.
    - ``ids_respelled``: its author or its previous is a URI.
    - ``characters_replaced``: U+FFFD is in it, where half of a surrogate pair may have been.
    - ``members_reordered``: its members are sorted, and so may be the members inside of its content; or all
      members in its content are in the order of their names, and not the type first, as authors write it; or
      its content has members that are null, as tables have them, in the order of their columns.

    Without a key such a message has no id: ``message_key`` is None. Another has that of its hash.

    >>> from scuttlehouse.ssb.opened import original
    >>> value = {"author": "@nobody", "content": {"type": "post"}}
    >>> check_opened(value, original(value, {}), "%a", None).check.invalid_reason
    'author_is_no_feed_id'
    """
    if _is_bendybutt(value):
        read = opened._replace(value=with_null_read(with_numbers(opened.value)))
        return _check_bendybutt(with_null_read(with_numbers(value)), read, key, hmac_key)
    others = forms(opened.value, key, hmac_key)
    as_it_is = next(others)
    # All other forms are then those of the whole value, which is judged below.
    lacks_only = as_it_is.check.validity != "valid" and _lacks_only_members(opened.value)
    tried = []
    for form in chain([as_it_is], [] if lacks_only else others):
        if form.check.validity == "valid":
            # If the signature covers a text, it was never encrypted, whatever the log says.
            is_opened = opened.is_decrypted and opened.ciphertext is not None
            return Judged(form.check, is_opened, form.value)
        tried.append(form)
    # A key that is right proves how the message was written.
    proven = next((form for form in tried if key and has_key(form.check, key)), None)
    if proven:
        return Judged(proven.check, opened.is_decrypted, proven.value)
    whole = with_what_is_left_out(with_numbers(with_content_read(opened.value)))
    if whole is not opened.value:
        judged = check_opened(value, opened._replace(value=whole), key, hmac_key)
        is_valid = lacks_only and judged.check.validity == "valid"
        if is_valid or judged.check.validity == "not_checked":
            return judged
    checks = [form.check for form in tried]
    warning = _doubt(opened, checks, is_keyed=key is not None)
    is_opened = opened.is_decrypted or warning == "ciphertext_not_in_log"
    if warning:
        return Judged(Check(None, "not_checked", None, warning), is_opened, opened.value)
    return Judged(checks[-1 if key else 0], is_opened, opened.value)


def _lacks_only_members(value: dict[str, Any]) -> bool:
    """Whether nothing but members that are left out is undone in a value."""
    is_read = with_numbers(with_content_read(value)) is value
    return is_read and with_what_is_left_out(value) is not value


def _doubt(opened: Opened, checks: Sequence[Check], *, is_keyed: bool) -> str | None:
    """Why nobody can tell from the log whether a message is valid. None if somebody can.

    With a key, a fault that only the changed member can have leaves no doubt. Without a key, nothing tells
    which of its forms was signed, whatever else is wrong.
    """
    content, reason = opened.value.get("content"), checks[-1].invalid_reason
    is_opened = opened.is_decrypted or is_of_private_kind(content)
    is_unsigned = (reason == "hash_is_not_sha256" and _is_hash_of_opened(opened.value)) or (
        reason == "members_out_of_order" and "signature" not in opened.value
    )
    may_be_opened = is_unsigned or reason in _FAULTS_OF_OPENED
    if opened.ciphertext is None and is_opened and may_be_opened:
        return "ciphertext_not_in_log"
    is_doubtful = reason in _FAULTS_OF_CONTENT if is_keyed else reason is not None
    if is_doubtful and with_sigils(opened.value) is not opened.value:
        return "ids_respelled"
    # A value that lacks members has no other order.
    is_reordered = checks[0].invalid_reason == "members_out_of_order" and len(checks) > 1
    if is_doubtful and is_reordered:
        # With a key only the order inside of the content is unknown, and ciphertext has none.
        return "members_reordered" if isinstance(content, dict) or not is_keyed else None
    if reason in _FAULTS_OF_HASH and _REPLACED in json.dumps(content, ensure_ascii=False):
        return "characters_replaced"
    is_of_table = has_nulls(content) or _is_sorted(content)
    return "members_reordered" if reason in _FAULTS_OF_HASH and is_of_table else None


def _is_sorted(content: object) -> bool:
    """Whether the members of a content, and of all objects in it, have been sorted by their names.

    PostgreSQL (``jsonb``) and MySQL put shorter names first. Authors write the type first. If it is first in
    the order of the names, too, as in votes, only a content of four members or more tells that they were
    sorted, or of their names by the alphabet an object of three in it: authors write ``link``, ``value`` and
    ``expression`` in a vote.

    Complexity: O(length of the content).
    """
    if not isinstance(content, dict):
        return False
    if next(iter(content), "type") == "type" and len(content) < _TELLING_MEMBERS:
        is_told = any(isinstance(part, dict) and len(part) > 2 for part in content.values())
        return is_told and _has_order(content, str)
    return _has_order(content, str) or _has_order(content, lambda name: (len(utf8(name)), name))


def _has_order(content: object, key: Callable[[str], Any]) -> bool:
    left = [content]
    while left:
        part = left.pop()
        if isinstance(part, dict):
            if list(part) != sorted(part, key=key):
                return False
            left.extend(part.values())
        elif isinstance(part, list):
            left.extend(part)
    return True


def _is_hash_of_opened(value: dict[str, Any]) -> bool:
    name = value["hash"]
    return (name is None or isinstance(name, str)) and name in _HASHES_OF_OPENED


def _check_bendybutt(
    value: dict[str, Any], opened: Opened, key: str | None, hmac_key: bytes | None
) -> Judged:
    read = with_content_read(value)
    if read is not value:
        signed = opened._replace(value=with_content_read(opened.value))
        judged = _check_bendybutt(read, signed, key, hmac_key)
        if judged.check.validity != "invalid":
            return judged
    judged = _check_bendybutt_as_it_is(value, opened, key, hmac_key)
    bare = without_nulls(value.get("content"))
    if judged.check.validity != "valid" and bare is not value.get("content"):
        whole = {**value, "content": bare}
        signed = (
            opened
            if opened.ciphertext
            else opened._replace(value={**opened.value, "content": bare})
        )
        other = _check_bendybutt_as_it_is(whole, signed, key, hmac_key)
        if other.check.validity == "valid" or other.check.warning == "content_signature_only":
            return other
    if judged.check.validity == "valid" or opened.is_decrypted:
        return judged
    text = json.dumps(value.get("content"), ensure_ascii=False)
    for undone in chain(islice(in_utf_8(text), 1), undone_in_texts(text)):
        content = {"content": json.loads(undone, parse_int=float)}
        signed = opened._replace(value={**opened.value, **content})
        other = _check_bendybutt_as_it_is({**value, **content}, signed, key, hmac_key)
        if other.check.validity == "valid":
            return other
    return judged


def _check_bendybutt_as_it_is(
    value: dict[str, Any], opened: Opened, key: str | None, hmac_key: bytes | None
) -> Judged:
    # An encoder may leave out the null of a first message.
    first = {"previous": None} if value.get("sequence") == 1 else {}
    # The signature of the plaintext is in the value, wherever the ciphertext is.
    shown = {name: value[name] for name in ("content", "contentSignature") if name in value}
    may_be_opened = opened.is_decrypted or is_of_private_kind(value.get("content"))
    check = bendybutt.check_message(
        {**first, **opened.value, **shown},
        opened.ciphertext,
        key,
        hmac_key,
        is_opened=may_be_opened,
    )
    is_opened = may_be_opened if check.validity == "not_checked" else opened.is_decrypted
    if check.invalid_reason in _FAULTS_OF_HASH and _is_put_back(value, hmac_key):
        check = bendybutt.NOT_IN_LOG
    return Judged(check, is_opened, opened.value)


def _is_put_back(value: dict[str, Any], hmac_key: bytes | None) -> bool:
    """Whether a ciphertext may be put back, beside the signature of its plaintext: nobody has signed it."""
    is_sealed = is_ciphertext(value.get("content"))
    return is_sealed and not bendybutt.is_content_signed(value, value.get("author"), hmac_key)


def _is_bendybutt(value: dict[str, Any]) -> bool:
    return feed_format(str(value.get("author"))) == bendybutt.FORMAT
