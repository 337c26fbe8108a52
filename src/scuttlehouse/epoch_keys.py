"""Epoch keys, which must never leave the process that reads the log (ruling R29).

A decrypted log holds the keys to people's messages: seeds, epoch keys, old epoch keys. Tables hold
two things instead. The *key hash*, keyed with a value that only this warehouse has, joins a feed to
the epoch it was announced for. The *key rank*, the place of an epoch's key among all epoch keys of
the log in byte order (ruling R23), decides ties (4.3 of the group exclusion specification).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

KEY_BYTES = 32

_BASE64_KEY = re.compile(r"[A-Za-z0-9+/_-]{43}=?", re.ASCII)
_HEX_KEY = re.compile(r"[0-9A-Fa-f]{64}", re.ASCII)


def key_bytes(text: object) -> bytes | None:
    """The 32 bytes that a text spells in base64 or hex; None where it spells no key.

    >>> key_bytes("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=") == bytes(32)
    True
    >>> key_bytes("main") is None
    True
    """
    if not isinstance(text, str):
        return None
    if _HEX_KEY.fullmatch(text):
        return bytes.fromhex(text)
    if not _BASE64_KEY.fullmatch(text):
        return None
    try:
        return base64.urlsafe_b64decode(text.rstrip("=").translate({43: 45, 47: 95}) + "=")
    except binascii.Error:  # pragma: no cover - 43 such characters always decode
        return None


@dataclass(frozen=True)
class KeyRing:
    """What stands for a key in a table. Its own text shows neither keys nor pepper.

    >>> ring = KeyRing(b"pepper").ranked([b"\\x02" * 32, b"\\x01" * 32])
    >>> ring
    KeyRing()
    >>> ring.rank(b"\\x02" * 32), ring.rank(b"\\x03" * 32)
    (1, None)
    """

    pepper: bytes = field(repr=False)
    ranks: Mapping[str, int] = field(default_factory=dict, repr=False)

    def hash(self, key: bytes) -> str:
        """The keyed hash of a key, as hex."""
        return hmac.new(self.pepper, key, hashlib.sha256).hexdigest()

    def rank(self, key: bytes) -> int | None:
        """The place of a key among the ranked ones, from 0; None if it is none of them."""
        return self.ranks.get(self.hash(key))

    def ranked(self, keys: Iterable[bytes]) -> KeyRing:
        """The ring that ranks these keys by their bytes. O(n log n)."""
        return KeyRing(
            self.pepper, {self.hash(key): rank for rank, key in enumerate(sorted(set(keys)))}
        )


def warehouse_pepper(home: Path) -> bytes:
    """The value that keys this warehouse's hashes: made once, readable by its owner alone."""
    path = home / "key_hash.pepper"
    home.mkdir(parents=True, exist_ok=True)
    if path.exists() and len(pepper := path.read_bytes()) == KEY_BYTES:
        return pepper
    pepper = os.urandom(KEY_BYTES)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(pepper)
    return pepper
