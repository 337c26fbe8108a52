"""Epoch keys. They must never leave the process that reads the log (ruling R29).

A decrypted log holds the keys to people's messages: seeds, epoch keys, old epoch keys. Tables hold two
things in their place. The *key hash* joins a feed to the epoch that it was announced for; a key that only
this warehouse has keys this hash. The *key rank* is the place of an epoch's key among all epoch keys of the
group in byte order (ruling R23). It decides ties (4.3 of the group exclusion specification).

A key in a later log must be ranked with keys in logs that are not read again. So the warehouse keeps all
epoch keys that it found in one sealed file (see :mod:`scuttlehouse.warehouse_key`).
"""

from __future__ import annotations

import base64
import binascii
import hmac
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from nacl.exceptions import CryptoError
from nacl.secret import SecretBox

from scuttlehouse.errors import HouseError
from scuttlehouse.printing import count
from scuttlehouse.ssb.ids import to_url
from scuttlehouse.ssb.legacy_names import ADDITION, content_type
from scuttlehouse.warehouse_key import (
    KEY_BYTES,
    PEPPER_FILE,
    PLACES_OF_KEYS,
    SEALED_FILE,
    changing_keys,
    kept_file,
    warehouse_pepper,
    write_private,
)

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}", re.ASCII)
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2})+", re.ASCII)
# A shorter text in hex is more likely a word, or a key in base64.
_LEAST_HEX_DIGITS = 32

LEAST_PURPOSE_KEY_BYTES = 16

# ssb-tribes, ssb-tribes2 1.0.0 and private-group-spec v2 call the key groupKey, ssb-tribes2 1.1.0 secret.
KEY_MEMBERS = ("secret", "groupKey")

# Messages with the key of an epoch. The first message of a group before epochs has none, its additions do.
WITH_EPOCH_KEY = frozenset({"group/init", ADDITION})


class GroupRank(NamedTuple):
    """The place of a key among the keys of its group, from 0. None for a key that is too short."""

    group_id: str
    key_hash: str
    key_rank: int | None


class SealError(HouseError):
    """The file of epoch keys cannot be opened. The message says what to do."""


class LostKeysError(HouseError):
    """Epoch keys of messages that were read are not kept, so they cannot be ranked.

    The file is lost, or the messages came into a log after its keys were looked for.

    >>> print(LostKeysError(Path("home"), 2))  # doctest: +ELLIPSIS
    home/epoch_keys.sealed lacks 2 epoch keys of the logs. If a log was written while ...
    """

    def __init__(self, home: Path, lost: int) -> None:
        super().__init__(
            f"{home / SEALED_FILE} lacks {count(lost, 'epoch key')} of the logs. If a log was written while "
            "it was read, run `scuttlehouse build` again. Otherwise, or if this comes again, run "
            "`scuttlehouse build --full-refresh`, which reads all logs again."
        )


def spelled_bytes(text: object) -> bytes | None:
    """The bytes of a text in base64 or hex, however few. None if the text is neither.

    Keys that are too short are read in this way (4.1.1 of the group exclusion specification, ruling R31).

    >>> spelled_bytes("AAAA"), spelled_bytes("00" * 16) == bytes(16), spelled_bytes("no key")
    (b'\\x00\\x00\\x00', True, None)
    """
    if not isinstance(text, str):
        return None
    if len(text) >= _LEAST_HEX_DIGITS and _HEX.fullmatch(text):
        return bytes.fromhex(text)
    if not _BASE64.fullmatch(text):
        return None
    digits = to_url(text.rstrip("="))
    try:
        return base64.urlsafe_b64decode(digits + "=" * (-len(digits) % 4))
    except binascii.Error:
        return None


def message_key(content: object) -> bytes | None:
    """The epoch key in a message, under its own name or as the purpose of an announced feed; else None.

    >>> message_key({"type": "group/init", "groupKey": "AAAA"})
    b'\\x00\\x00\\x00'
    """
    if not isinstance(content, dict):
        return None
    if content_type(content) in WITH_EPOCH_KEY:
        spellings = (spelled_bytes(content.get(name)) for name in KEY_MEMBERS)
        return next(filter(None, spellings), None)
    if content_type(content) == "metafeed/add/derived":
        return purpose_key(content.get("feedpurpose"))
    return None


def purpose_key(purpose: object) -> bytes | None:
    """The epoch key in a purpose. A short key counts, too, unless it may be a word.

    >>> purpose_key("main"), purpose_key("00" * 16) == bytes(16)
    (None, True)
    """
    key = spelled_bytes(purpose)
    return key if key and len(key) >= LEAST_PURPOSE_KEY_BYTES else None


@dataclass(frozen=True)
class KeyRing:
    """Hashes and ranks that replace keys in tables. Its own repr shows neither keys nor pepper.

    >>> ring = KeyRing(b"pepper").ranked([b"\\x02" * 32, b"\\x01" * 32])
    >>> ring
    KeyRing()
    >>> ring.ranks[ring.hash(b"\\x02" * 32)]
    1
    """

    pepper: bytes = field(repr=False)
    ranks: Mapping[str, int | None] = field(default_factory=dict, repr=False)

    @classmethod
    def of_home(cls, home: Path) -> KeyRing:
        """The ring of the warehouse in a home.

        Raises:
            WarehouseKeyError: as :func:`.warehouse_pepper` does.
        """
        return cls(warehouse_pepper(home))

    def hash(self, key: bytes) -> str:
        """The keyed hash of a key, as hex."""
        return hmac.digest(self.pepper, key, "sha256").hex()

    def ranked(self, keys: Iterable[bytes]) -> KeyRing:
        """A ring that ranks these keys by their bytes. Keys may have any length. O(n log n).

        A key of less than 32 bytes has no rank: None (ruling R31).
        """
        return KeyRing(
            self.pepper,
            {
                self.hash(key): rank if len(key) >= KEY_BYTES else None
                for rank, key in enumerate(sorted(set(keys)))
            },
        )

    def ranks_of_groups(self, keys: Iterable[tuple[str, str]]) -> list[GroupRank]:
        """The ranks of keys within their groups, from pairs of a group and a hash of a ranked key.

        Complexity: O(n log n).

        >>> ring = KeyRing(b"pepper").ranked([bytes([n]) * 32 for n in range(9)] + [b"short"])
        >>> hashes = [ring.hash(key) for key in (b"\x07" * 32, b"\x03" * 32, b"short")]
        >>> [rank.key_rank for rank in ring.ranks_of_groups(("g", one) for one in hashes)]
        [0, 1, None]
        """
        by_group: dict[str, set[str]] = {}
        for group_id, key_hash in keys:
            by_group.setdefault(group_id, set()).add(key_hash)
        found = []
        for group_id, hashes in by_group.items():
            ranked = {one: rank for one in hashes if (rank := self.ranks[one]) is not None}
            found += [
                GroupRank(group_id, one, place)
                for place, one in enumerate(sorted(ranked, key=ranked.__getitem__))
            ]
            found += [GroupRank(group_id, one, None) for one in hashes - ranked.keys()]
        return found


def sealed_keys(home: Path) -> frozenset[bytes]:
    """The epoch keys that this warehouse has found.

    Raises:
        SealError: another warehouse or version sealed the file, or it is damaged.
        WarehouseKeyError: it cannot be read, or as :func:`.warehouse_pepper` does.
    """
    path = home / SEALED_FILE
    sealed = kept_file(path)
    if sealed is None:
        return frozenset()
    box = SecretBox(warehouse_pepper(home))
    try:
        keys = box.decrypt(sealed)
        return frozenset(bytes.fromhex(key.decode()) for key in keys.split())
    except (CryptoError, ValueError):
        raise SealError(
            f"{path} cannot be opened with the key of this warehouse: use the key that sealed it "
            f"(of {', '.join(PLACES_OF_KEYS)}; if none is set, {PEPPER_FILE} in the home), or restore "
            f"{SEALED_FILE} from a backup. If that key is lost, put "
            f"all logs back, those in an archive too, delete {SEALED_FILE} and run `scuttlehouse build "
            "--full-refresh`, which finds the keys in the logs again."
        ) from None


def seal_key(pepper: bytes, key: bytes) -> bytes:
    """A key in a form that may leave the process that reads the log. Only this warehouse can open it.

    >>> pepper = bytes(range(32))
    >>> SecretBox(pepper).decrypt(seal_key(pepper, bytes(32))) == bytes(32)
    True
    """
    return bytes(SecretBox(pepper).encrypt(key))


def keep_sealed(home: Path, sealed: Iterable[bytes]) -> None:
    """Add keys from :func:`seal_key` to the keys that the warehouse keeps. Others may do so at the same time.

    >>> from tempfile import mkdtemp
    >>> home = Path(mkdtemp())
    >>> keep_sealed(home, [seal_key(warehouse_pepper(home), bytes(32))])
    >>> sealed_keys(home) == {bytes(32)}, bytes(32) in (home / SEALED_FILE).read_bytes()
    (True, False)
    """
    box = SecretBox(warehouse_pepper(home))
    found = frozenset(box.decrypt(one) for one in sealed)
    with changing_keys(home):
        known = sealed_keys(home)
        if found - known:
            write_private(
                home / SEALED_FILE,
                box.encrypt(b" ".join(sorted(key.hex().encode() for key in known | found))),
            )
