"""Epoch keys, which must never leave the process that reads the log (ruling R29).

A decrypted log holds the keys to people's messages: seeds, epoch keys, old epoch keys. Tables hold
two things instead. The *key hash*, keyed with a value that only this warehouse has, joins a feed to
the epoch it was announced for. The *key rank*, the place of an epoch's key among all epoch keys of
the log in byte order (ruling R23), decides ties (4.3 of the group exclusion specification).

A key that a later log brings is ranked among those of logs that are not read again: the warehouse
keeps the epoch keys it has met in one file, sealed, beside the value that opens it.
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

from nacl.exceptions import CryptoError
from nacl.secret import SecretBox

KEY_BYTES = 32

SEALED_FILE = "epoch_keys.sealed"

_BASE64_KEY = re.compile(r"[A-Za-z0-9+/_-]{43}=?", re.ASCII)
_HEX_KEY = re.compile(r"[0-9A-Fa-f]{64}", re.ASCII)


class SealError(Exception):
    """The file of epoch keys cannot be opened; the message says what to do."""


class LostKeysError(Exception):
    """Epoch keys that were read are no longer kept, so they cannot be ranked.

    >>> print(LostKeysError(Path("home"), 2))  # doctest: +ELLIPSIS
    home/epoch_keys.sealed lacks 2 epoch keys that were read from logs: run ...
    """

    def __init__(self, home: Path, lost: int) -> None:
        super().__init__(
            f"{home / SEALED_FILE} lacks {lost} epoch keys that were read from logs: run "
            "`scuttlehouse build --full-refresh`, which finds them in the logs again."
        )


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
    >>> ring.ranks[ring.hash(b"\\x02" * 32)]
    1
    """

    pepper: bytes = field(repr=False)
    ranks: Mapping[str, int] = field(default_factory=dict, repr=False)

    def hash(self, key: bytes) -> str:
        """The keyed hash of a key, as hex."""
        return hmac.new(self.pepper, key, hashlib.sha256).hexdigest()

    def ranked(self, keys: Iterable[bytes]) -> KeyRing:
        """The ring that ranks these keys by their bytes. O(n log n)."""
        return KeyRing(
            self.pepper, {self.hash(key): rank for rank, key in enumerate(sorted(set(keys)))}
        )


def warehouse_pepper(home: Path) -> bytes:
    """The value that keys this warehouse's hashes: made once, readable by its owner alone."""
    path = home / "key_hash.pepper"
    if path.exists() and len(pepper := path.read_bytes()) == KEY_BYTES:
        return pepper
    pepper = os.urandom(KEY_BYTES)
    _write_private(path, pepper)
    return pepper


def sealed_keys(home: Path) -> frozenset[bytes]:
    """The epoch keys that this warehouse has met.

    Raises:
        SealError: the file was sealed by another warehouse, or is damaged.
    """
    path = home / SEALED_FILE
    if not path.exists():
        return frozenset()
    try:
        keys = SecretBox(warehouse_pepper(home)).decrypt(path.read_bytes())
    except (CryptoError, ValueError):
        raise SealError(
            f"{path} cannot be opened with the key of this warehouse: delete it and run "
            "`scuttlehouse build --full-refresh`, which finds the keys in the logs again."
        ) from None
    return frozenset(keys[at : at + KEY_BYTES] for at in range(0, len(keys), KEY_BYTES))


def seal_key(pepper: bytes, key: bytes) -> bytes:
    """A key as it may leave the process that reads the log: only this warehouse opens it.

    >>> pepper = bytes(range(32))
    >>> SecretBox(pepper).decrypt(seal_key(pepper, bytes(32))) == bytes(32)
    True
    """
    return bytes(SecretBox(pepper).encrypt(key))


def keep_sealed(home: Path, sealed: Iterable[bytes]) -> None:
    """Add keys that :func:`seal_key` has sealed to those that the warehouse keeps.

    >>> from tempfile import mkdtemp
    >>> home = Path(mkdtemp())
    >>> keep_sealed(home, [seal_key(warehouse_pepper(home), bytes(32))])
    >>> sealed_keys(home) == {bytes(32)}, bytes(32) in (home / SEALED_FILE).read_bytes()
    (True, False)
    """
    box = SecretBox(warehouse_pepper(home))
    known = sealed_keys(home)
    if new := frozenset(box.decrypt(one) for one in sealed) - known:
        _write_private(home / SEALED_FILE, box.encrypt(b"".join(sorted(known | new))))


def _write_private(path: Path, content: bytes) -> None:
    """Write a file that its owner alone may read, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}")
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
