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
==================================  ============================================================

If a message says that it was private, but its ciphertext is in none of these places, nobody can tell whether
its text is what was signed. Then it is not checked, and does not count as invalid.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from scuttlehouse.ssb import bendybutt
from scuttlehouse.ssb.ids import feed_format, message_sigil
from scuttlehouse.ssb.validation import MEMBER_ORDERS, Check, check_value, is_ciphertext

# Members that unboxers add to a value. No signed value has these (ssb-db util.js, ssb-db2 msg-utils.js).
UNBOXER_MEMBERS = frozenset({"meta", "cyphertext", "private", "unbox"})

# Faults that the plaintext can have when the ciphertext has none.
_FAULTS_OF_CONTENT = frozenset(
    {"type_is_malformed", "too_long", "id_mismatch", "signature_is_wrong"}
)


# Faults that a value has if its members are in another order than the signed one. A key that is right proves
# the order.
_FAULTS_OF_ORDER = frozenset({"members_out_of_order", "id_mismatch"})
_FAULTS_OF_ORDER_WITHOUT_KEY = _FAULTS_OF_ORDER | {"signature_is_wrong"}


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
    is_open = isinstance(value.get("content"), dict)
    signed = {name: part for name, part in value.items() if name not in UNBOXER_MEMBERS}
    if not is_open:
        return Opened(signed, None, False)
    members = _original_members(value)
    ciphertext = next(_ciphertexts(value, meta), None)
    if ciphertext is not None:
        # A dict keeps the order of a member that it already has.
        signed |= {name: part for name, part in members.items() if name in signed}
        signed["content"] = ciphertext
    inner = value.get("meta")
    is_marked = (
        value.get("private") is True
        or isinstance(value.get("unbox"), str)
        or meta.get("private") is True
        or (isinstance(inner, dict) and inner.get("private") is True)
    )
    return Opened(signed, ciphertext, ciphertext is not None or is_marked)


def check_opened(
    value: dict[str, Any],
    opened: Opened,
    key: str,
    hmac_key: bytes | None,
    unkeyed: Sequence[Check] = (),
) -> tuple[Check, bool]:
    """Judge a message by the value that was signed, and say whether it is an opened message.

    A private message without its ciphertext is ``not_checked``, with the warning ``ciphertext_not_in_log``.
    If an exporter added members to a value or reordered them, that is undone when the key of the message
    proves it. If that proves nothing, members inside of the content may have another order, too, as ``jq -S``
    and databases write them: then the message is ``not_checked``, with the warning ``members_reordered``.

    ``unkeyed`` is what :func:`unkeyed_checks` gave for the value, if it had no key: nothing is checked twice.

    >>> value = {"author": "@nobody", "content": {"type": "post"}}
    >>> check_opened(value, original(value, {}), "%a", None)[0].invalid_reason
    'author_is_no_feed_id'
    """
    if _is_bendybutt(value):
        value_in_log = {**opened.value, "content": value.get("content")}
        verdict = bendybutt.check_message(
            value_in_log, opened.ciphertext, key, hmac_key, is_opened=opened.is_decrypted
        )
        return Check(*verdict), opened.is_decrypted
    checks = []
    keyed = (_with_key(check, key) for check in unkeyed)
    for check in keyed if unkeyed else _checks_in_every_order(opened.value, key, hmac_key):
        if check.validity == "valid":
            # If the signature covers a text, it was never encrypted, whatever the log says.
            return check, opened.ciphertext is not None
        checks.append(check)
    # The key proves in which order a message was written.
    proven = next((check for check in checks if _has_key(check, key)), checks[-1])
    if opened.ciphertext is not None:
        return proven, True
    is_opened = opened.is_decrypted or _is_of_private_kind(value.get("content"))
    if is_opened and checks[-1].invalid_reason in _FAULTS_OF_CONTENT:
        return Check(None, "not_checked", None, "ciphertext_not_in_log"), True
    is_reordered = checks[0].invalid_reason == "members_out_of_order" and len(checks) > 1
    is_proven = any(_has_key(check, key) for check in checks)
    may_be_inside = (
        isinstance(value.get("content"), dict) and proven.invalid_reason in _FAULTS_OF_CONTENT
    )
    if is_reordered and may_be_inside and not is_proven:
        return Check(None, "not_checked", None, "members_reordered"), opened.is_decrypted
    return proven, opened.is_decrypted


def unkeyed_checks(opened: Opened, hmac_key: bytes | None) -> list[Check]:
    """The checks of a message from a log without keys, in each order of its members that may be signed."""
    return [*_checks_in_every_order(opened.value, None, hmac_key)]


def own_key(unkeyed: Sequence[Check]) -> str | None:
    """The key of such a message: the hash of the value in the order that was signed.

    >>> own_key(unkeyed_checks(original({"author": "ssb:feed/bamboo/none"}, {}), None)) is None
    False
    """
    return next((check for check in unkeyed if check.validity == "valid"), unkeyed[0]).message_key


def _with_key(check: Check, key: str) -> Check:
    """The check that a value has with a key; the signature is looked at after the key."""
    is_looked_at = check.validity == "valid" or check.invalid_reason == "signature_is_wrong"
    if is_looked_at and not _has_key(check, key):
        return Check(check.message_key, "invalid", "id_mismatch")
    return check


def _is_bendybutt(value: dict[str, Any]) -> bool:
    return feed_format(str(value.get("author"))) == bendybutt.FORMAT


def _checks_in_every_order(
    value: dict[str, Any], key: str | None, hmac_key: bytes | None
) -> Iterator[Check]:
    """The checks of a value as it is and, if that is not what was signed, in each other order of a message.

    Some software writes all messages in one of the two orders, whichever their authors signed (go-ssb).
    """
    check = check_value(value, key=key, hmac_key=hmac_key)
    yield check
    if check.invalid_reason in (_FAULTS_OF_ORDER if key else _FAULTS_OF_ORDER_WITHOUT_KEY):
        for order in MEMBER_ORDERS:
            if value.keys() >= set(order) and list(value) != order:
                signed = {name: value[name] for name in order}
                yield check_value(signed, key=key, hmac_key=hmac_key)


def _has_key(check: Check, key: str) -> bool:
    return check.message_key is not None and check.message_key == message_sigil(key)


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
    """Whether software publishes such a content only encrypted: one with recipients, or a metafeed's seed."""
    is_seed = isinstance(content, dict) and content.get("type") == "metafeed/seed"
    return is_seed or has_recipients(content)


def has_recipients(content: object) -> bool:
    """Whether a content names recipients. Software encrypts such content."""
    recipients = content.get("recps") if isinstance(content, dict) else None
    return isinstance(recipients, list) and bool(recipients)
