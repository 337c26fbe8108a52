"""Messages that somebody has opened, and the places where software keeps their ciphertext.

The id and the signature of a private message cover its ciphertext (ruling R2). Software that opens a
message replaces the ciphertext with the plaintext, and keeps the ciphertext in another place:

==================================  ============================================================
place                               software
==================================  ============================================================
``meta.originalContent``            ssb-db2 and software that uses it: ssb-box2, ssb-tribes2, Manyverse
``meta.original``                   the same object beside the value
``value.meta.original``             ssb-db 19 and 20 (``util.js``, ``originalValue``), ssb-tribes
``value.cyphertext``                ssb-db up to 20, with ``value.private`` and ``value.unbox``; Patchwork
``misc.originalData``               pzp (``lib/encryption.js``), of a record's data
any other of a record               other software: the hash or the signature proves the ciphertext
none                                go-ssb (``private/manager.go``): an empty hash, the signature ``reboxed``
none                                go-ssb (``private/unboxlog.go``), in ``private.read``: ``go-ssb-unboxed``
                                    is the hash and the signature, and nothing says that it was private
none                                ssb-private 1 (``index.js``, ``unboxValue``): no signature
==================================  ============================================================

In gabbygrove-v1 a content may be bytes, which JSON has as base64. Encrypted ones begin with ``box1:`` or
``box2:`` (go-ssb, ``multilogs/combined.go``).

Software may also change a message that nobody has encrypted (ssb-db, ``addMap``). It keeps the members that
were signed in ``value.meta.original``, whatever they are, as it keeps a ciphertext there.

If a message says that it was private, but its ciphertext is in none of these places, nobody can tell whether
its text is what was signed. Then it is not checked, and does not count as invalid.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from scuttlehouse.ssb import bendybutt
from scuttlehouse.ssb.exported import forms, with_content_read, with_sigils
from scuttlehouse.ssb.ids import feed_format, message_uri
from scuttlehouse.ssb.validation import Check, is_ciphertext

# Members that unboxers add to a value. No signed value has these (ssb-db util.js, ssb-db2 msg-utils.js).
UNBOXER_MEMBERS = frozenset({"meta", "cyphertext", "private", "unbox"})

# The hash in an opened message of go-ssb.
_OPENED_BY_GO_SSB = "go-ssb-unboxed"
# Hashes of which software writes one, or none, in a message that it opens.
_HASHES_OF_OPENED = frozenset({"", None, _OPENED_BY_GO_SSB})

# How an encrypted content of gabbygrove-v1 begins: the base64 of "box1:" or "box2:", and of what follows.
_BOX_IN_BYTES = re.compile("Ym94M[Tj][o-r]")

# What software publishes only encrypted, though it names no recipients: a seed, and the first message of a
# group (ssb-meta-feeds; private-group-spec, "group/init").
_PRIVATE_TYPES = frozenset({"metafeed/seed", "group/init"})

# Faults that tell that something was changed.
_FAULTS_OF_HASH = frozenset({"id_mismatch", "signature_is_wrong"})
# Faults that a value can have when the signed one has none: something inside of its content was changed.
_FAULTS_OF_CONTENT = _FAULTS_OF_HASH | {"type_is_malformed", "too_long"}
# UTF-8 has no half of a surrogate pair, so what is not JavaScript writes this in its place. So does BIPF.
_REPLACED = "\ufffd"
# Software that opens a message may write what is no signature (go-ssb: "reboxed"). Plaintext is any JSON.
_FAULTS_OF_OPENED = _FAULTS_OF_CONTENT | {"signature_is_malformed", "content_is_malformed"}

# So many texts like ciphertext are tried in one record. Each may cost as much as a wrong key.
MOST_CIPHERTEXTS = 4


class Opened(NamedTuple):
    """``value``: the value as it was signed, if the log has it. ``ciphertext``: None if the log has none.

    ``is_decrypted``: somebody has opened the message.
    """

    value: dict[str, Any]
    ciphertext: str | None
    is_decrypted: bool


def original(value: dict[str, Any], meta: dict[str, Any]) -> Opened:
    """The value that id and signature cover. ``meta`` is the member beside the value.

    >>> original({"content": {"type": "post"}, "cyphertext": "AAAA.box", "private": True}, {})
    Opened(value={'content': 'AAAA.box'}, ciphertext='AAAA.box', is_decrypted=True)
    >>> original({"content": {"type": "post"}}, {"private": True}).ciphertext is None
    True
    """
    # No software has opened it. Most messages are of this kind, and none of it is copied.
    is_of_go_ssb = value.get("hash") == _OPENED_BY_GO_SSB
    if not meta and UNBOXER_MEMBERS.isdisjoint(value) and not is_of_go_ssb:
        return Opened(value, None, False)
    content = value.get("content")
    signed = {name: part for name, part in value.items() if name not in UNBOXER_MEMBERS}
    if is_ciphertext(content):
        return Opened(signed, None, False)
    # A dict keeps the order of a member that it already has.
    signed |= {name: part for name, part in _original_members(value).items() if name in signed}
    ciphertext = next(_ciphertexts(value, meta), None)
    if ciphertext is not None:
        signed["content"] = ciphertext
    inner = value.get("meta")
    is_marked = (
        value.get("private") is True
        or isinstance(value.get("unbox"), str)
        or is_of_go_ssb
        or meta.get("private") is True
        or (isinstance(inner, dict) and inner.get("private") is True)
    )
    is_opened = content is not None and (ciphertext is not None or is_marked)
    return Opened(signed, ciphertext, is_opened)


def is_marked_beside(record: dict[str, Any]) -> bool:
    """Whether what stands beside the value of a record says that the message was private.

    >>> [*map(is_marked_beside, ({"private": True}, {"misc": {"private": True}}, {}))]
    [True, True, False]
    """
    misc = record.get("misc")
    return record.get("private") is True or (isinstance(misc, dict) and misc.get("private") is True)


def opened_elsewhere(
    value: dict[str, Any], opened: Opened, record: dict[str, Any]
) -> Iterator[Opened]:
    """The message with each ciphertext that stands in any place of its record, but not in its content.

    No software is known to keep it there, so it counts only where the hash or the signature proves it.

    Complexity: O(length of the record).

    >>> value = {"content": {"type": "post"}, "ciphertext": "AAAA.box"}
    >>> [found.value for found in opened_elsewhere(value, original(value, {}), {"value": value})]
    [{'content': 'AAAA.box', 'ciphertext': 'AAAA.box'}]
    """
    beside = [part for name, part in record.items() if name != "value"]
    inside = [part for name, part in value.items() if name != "content"]
    texts = dict.fromkeys(filter(is_ciphertext, texts_in([inside, beside])))
    texts.pop(opened.ciphertext or "", None)
    is_decrypted = value.get("content") is not None
    return (Opened({**opened.value, "content": text}, text, is_decrypted) for text in texts)


def texts_in(value: object) -> Iterator[str]:
    """The texts in a JSON value, but not the names of members. O(length).

    >>> sorted(texts_in({"a": ["b", {"c": "d"}, 1]}))
    ['b', 'd']
    """
    left = [value]
    while left:
        part = left.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, list | dict):
            left.extend(part.values() if isinstance(part, dict) else part)


def is_sealed(value: dict[str, Any]) -> bool:
    """Whether the content of a value is encrypted, in any format. O(length of the content).

    >>> author = "ssb:feed/gabbygrove-v1/PETZhVe_pMOVSiZJdIm5Hs6cDE5uBMo6bkZART1ti2M="
    >>> is_sealed({"author": author, "content": "Ym94MToAAAA="}), is_sealed({"content": "AAAA.box2"})
    (True, True)
    """
    content = value.get("content")
    if isinstance(content, str) and _BOX_IN_BYTES.match(content):
        return feed_format(str(value.get("author"))) == "gabbygrove-v1"
    return is_ciphertext(content)


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
    - ``members_reordered``: its members are sorted, and so may be the members inside of its content.

    Without a key such a message has no id: ``message_key`` is None. Another has that of its hash.

    >>> value = {"author": "@nobody", "content": {"type": "post"}}
    >>> check_opened(value, original(value, {}), "%a", None).check.invalid_reason
    'author_is_no_feed_id'
    """
    if _is_bendybutt(value):
        return _check_bendybutt(value, opened, key, hmac_key)
    checks = []
    for form in forms(opened.value, key, hmac_key):
        if form.check.validity == "valid":
            # If the signature covers a text, it was never encrypted, whatever the log says.
            is_opened = opened.is_decrypted and opened.ciphertext is not None
            return Judged(form.check, is_opened, form.value)
        checks.append(form.check)
    # A key that is right proves how the message was written.
    proven = next((check for check in checks if key and has_key(check, key)), None)
    warning = None if proven else _doubt(opened, checks, has_key=key is not None)
    is_opened = opened.is_decrypted or warning == "ciphertext_not_in_log"
    if warning:
        return Judged(Check(None, "not_checked", None, warning), is_opened, opened.value)
    return Judged(proven or checks[-1 if key else 0], is_opened, opened.value)


def _doubt(opened: Opened, checks: Sequence[Check], *, has_key: bool) -> str | None:
    """Why nobody can tell from the log whether a message is valid. None if somebody can.

    With a key, a fault that only the changed member can have leaves no doubt. Without a key, nothing tells
    which of its forms was signed, whatever else is wrong.
    """
    content, reason = opened.value.get("content"), checks[-1].invalid_reason
    is_opened = opened.is_decrypted or _is_of_private_kind(content)
    is_unsigned = (reason == "hash_is_not_sha256" and _is_hash_of_opened(opened.value)) or (
        reason == "members_out_of_order" and "signature" not in opened.value
    )
    may_be_opened = is_unsigned or reason in _FAULTS_OF_OPENED
    if opened.ciphertext is None and is_opened and may_be_opened:
        return "ciphertext_not_in_log"
    is_doubtful = reason in _FAULTS_OF_CONTENT if has_key else reason is not None
    if is_doubtful and with_sigils(opened.value) is not opened.value:
        return "ids_respelled"
    # A value that lacks members has no other order.
    is_reordered = checks[0].invalid_reason == "members_out_of_order" and len(checks) > 1
    if is_doubtful and is_reordered:
        # With a key only the order inside of the content is unknown, and ciphertext has none.
        return "members_reordered" if isinstance(content, dict) or not has_key else None
    if reason in _FAULTS_OF_HASH and _REPLACED in json.dumps(content, ensure_ascii=False):
        return "characters_replaced"
    return None


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
    # An encoder may leave out the null of a first message.
    first = {"previous": None} if value.get("sequence") == 1 else {}
    # The signature of the plaintext is in the value, wherever the ciphertext is.
    shown = {name: value[name] for name in ("content", "contentSignature") if name in value}
    may_be_opened = opened.is_decrypted or _is_of_private_kind(value.get("content"))
    verdict = bendybutt.check_message(
        {**first, **opened.value, **shown},
        opened.ciphertext,
        key,
        hmac_key,
        is_opened=may_be_opened,
    )
    is_opened = may_be_opened if verdict.validity == "not_checked" else opened.is_decrypted
    if verdict.reason in _FAULTS_OF_HASH and _is_put_back(value, hmac_key):
        verdict = bendybutt.NOT_IN_LOG
    return Judged(Check(*verdict), is_opened, opened.value)


def _is_put_back(value: dict[str, Any], hmac_key: bytes | None) -> bool:
    """Whether a ciphertext may be put back, beside the signature of its plaintext: nobody has signed it."""
    is_sealed = is_ciphertext(value.get("content"))
    return is_sealed and not bendybutt.is_content_signed(value, value.get("author"), hmac_key)


def _is_bendybutt(value: dict[str, Any]) -> bool:
    return feed_format(str(value.get("author"))) == bendybutt.FORMAT


def _original_members(value: dict[str, Any]) -> dict[str, Any]:
    meta = value.get("meta")
    members = meta.get("original") if isinstance(meta, dict) else None
    return members if isinstance(members, dict) else {}


def _ciphertexts(value: dict[str, Any], meta: dict[str, Any]) -> Iterator[str]:
    """The ciphertexts in the places where software keeps them."""
    return (text for text in _kept_texts(value, meta) if is_ciphertext(text))


def _kept_texts(value: dict[str, Any], meta: dict[str, Any]) -> Iterator[str]:
    inner = value.get("meta")
    for place in (meta, inner if isinstance(inner, dict) else {}):
        if isinstance(place.get("originalContent"), str):
            yield place["originalContent"]
        members = place.get("original")
        content = members.get("content") if isinstance(members, dict) else members
        if isinstance(content, str):
            yield content
    if isinstance(value.get("cyphertext"), str):
        yield value["cyphertext"]


def _is_of_private_kind(content: object) -> bool:
    """Whether software publishes such a content only encrypted: with recipients, or a key to messages."""
    kind = content.get("type") if isinstance(content, dict) else None
    return (isinstance(kind, str) and kind in _PRIVATE_TYPES) or has_recipients(content)


def has_recipients(content: object) -> bool:
    """Whether a content names recipients, in a list or one alone. Software encrypts such content."""
    recipients = content.get("recps") if isinstance(content, dict) else None
    return isinstance(recipients, list | str) and bool(recipients)
