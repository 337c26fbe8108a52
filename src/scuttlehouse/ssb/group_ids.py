"""The id of a group, derived from its first message: nobody else can make a message with that id.

The id hides the first message: it is derived from the key that opens the message and from its id.
(``private-group-spec``, "group-id"; ``envelope-spec``, "derive_secret", "cloaked_msg_id".) A message that
only says the id of a group proves nothing, because everybody may know the id.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from typing import Any

from nacl.bindings import crypto_secretbox_open
from nacl.exceptions import CryptoError

from scuttlehouse.ssb.bfe import NoBytesError, encode_text
from scuttlehouse.ssb.ids import any_id, feed_format
from scuttlehouse.ssb.validation import canonical_bytes, previous_text
from scuttlehouse.warehouse_key import KEY_BYTES

_SCHEME = b"envelope-large-symmetric-group"
_NO_PREVIOUS = b"\1\0" + bytes(32)
_NO_NONCE = bytes(24)
_HEADER, _SLOT = slice(32), slice(32, 64)


def made_group_id(
    message_id: str,
    value: Mapping[str, Any],
    ciphertext: str | None,
    group_key: bytes | None,
    read_key: bytes | None = None,
) -> str | None:
    """The id of the group that a ``group/init`` makes.

    Args:
        message_id: the id of the message, in any spelling.
        value: the value of the message as it was signed. Its author counts, and its previous, a text or null.
        ciphertext: the content as it was signed. None if the log does not hold it.
        group_key: the key of the group, 32 bytes.
        read_key: the key that opened the message, 32 bytes. ssb-db keeps it, and ssb-tribes puts no key of
            the group into the message, so its group has the spelling of ssb-tribes (``lib/group-id.js``).

    Returns:
        ``ssb:identity/group/...``, or ``ssb:message/cloaked/...`` if only the read key proves it. None if no
        key opens the ciphertext, the key of the group in its first slot, or one of them is not there. The
        ciphertext tells whether it was opened, so that nobody can pretend it.

    Complexity: O(1), without what encodes and decodes the ciphertext.

    >>> made_group_id("%a", {"author": "@a", "previous": None}, None, bytes(32)) is None
    True
    """
    envelope = canonical_bytes(ciphertext.partition(".box")[0]) if ciphertext else None
    author, previous = value["author"], previous_text(value.get("previous"))
    if envelope is None or len(envelope) < _SLOT.stop or feed_format(author) != "classic":
        return None
    try:
        feed, message = _id_bytes(author), _id_bytes(message_id)
        before = _NO_PREVIOUS if previous is None else _id_bytes(previous)
    except NoBytesError:
        return None
    place = (b"envelope", feed, before)
    keys = []
    if group_key is not None and len(group_key) == KEY_BYTES:
        slot_key = _derived(group_key, *place, b"slot_key", _SCHEME)
        message_key = bytes(a ^ b for a, b in zip(envelope[_SLOT], slot_key, strict=True))
        keys.append(("identity/group", _derived(message_key, *place, b"read_key")))
    if read_key is not None:
        keys.append(("message/cloaked", read_key))
    for kind, key in keys:
        if _opens(envelope[_HEADER], key, place):
            group = _derived(key, b"cloaked_msg_id", message)
            return f"ssb:{kind}/{urlsafe_b64encode(group).decode()}"
    return None


def _opens(header: bytes, read_key: bytes, place: tuple[bytes, ...]) -> bool:
    try:
        crypto_secretbox_open(header, _NO_NONCE, _derived(read_key, *place, b"header_key"))
    except CryptoError:
        return False
    return True


def _id_bytes(text: str) -> bytes:
    return encode_text(any_id(text) or text)


def _derived(key: bytes, *labels: bytes) -> bytes:
    """32 bytes that follow from a key: HKDF-Expand of RFC 5869, with SHA-256. Lengths stand before labels."""
    info = b"".join(len(label).to_bytes(2, "little") + label for label in labels)
    return hmac.digest(key, info + b"\1", "sha256")
