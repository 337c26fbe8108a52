"""Feeds that sign: classic messages, and the bendybutt-v1 messages of metafeeds.

A classic message is signed as JSON with two spaces of indent, in JavaScript's member order. Its id is the
SHA-256 of the low bytes of the UTF-16 units of the same text with its signature (ruling R3). Messages of
bendybutt-v1 are signed and hashed as bencode (ruling R37).
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from nacl.bindings import crypto_sign, crypto_sign_seed_keypair

from scuttlehouse.files.jsjson import stringify
from scuttlehouse.ssb import bendybutt
from scuttlehouse.ssb.bfe import bencode, encode
from scuttlehouse.ssb.validation import hashed_bytes

SIGNATURE_BYTES = 64


@dataclass(slots=True)
class Message:
    """A published message: `value` as signed, `content` as people who can open it read it.

    `readers` holds the names of those who can open it, and may still grow; None for a public message. `at`
    is when it was published, whatever its author's clock says. `opened` holds other members of the value
    that change when somebody opens it.
    """

    key: str
    uri: str
    at: int
    value: dict[str, Any]
    content: dict[str, Any]
    readers: AbstractSet[str] | None
    opened: dict[str, Any] = field(default_factory=dict)

    @property
    def author(self) -> str:
        """The feed that published the message."""
        author: str = self.value["author"]
        return author

    @property
    def encryption(self) -> str:
        """The name of the encryption, as at the end of a ciphertext."""
        ciphertext: str = self.value["content"]
        return ciphertext.rpartition(".")[2]


def base64_text(data: bytes) -> str:
    """Standard base64 with padding, as in keys and signatures."""
    return base64.b64encode(data).decode("ascii")


def uri_text(data: bytes) -> str:
    """Base64 for URIs: `-` and `_` in place of `+` and `/`, with padding."""
    return base64.urlsafe_b64encode(data).decode("ascii")


class Signer:
    """An Ed25519 key pair, made from a 32-byte seed."""

    def __init__(self, seed: bytes) -> None:
        self.public, self._secret = crypto_sign_seed_keypair(seed)

    def sign(self, data: bytes) -> str:
        """The signature of `data`, as a message has it."""
        return base64_text(crypto_sign(data, self._secret)[:SIGNATURE_BYTES]) + ".sig.ed25519"


class ClassicFeed:
    """A classic feed. `publish` appends a signed message.

    `clock` is how many milliseconds the author's clock is ahead.

    >>> feed = ClassicFeed(bytes(32))
    >>> feed.publish({"type": "post", "text": "hello"}, 1).key
    '%82Qx+dNxVti+iSqtf4KPfr8HUZZ7GlD9coimEFWMVYI=.sha256'
    """

    def __init__(self, seed: bytes) -> None:
        self.signer = Signer(seed)
        self.id = f"@{base64_text(self.signer.public)}.ed25519"
        self.clock = 0
        self.sequence = 0
        self.previous: str | None = None

    def rewind(self, message: Message) -> None:
        """Forget `message`. The next message then takes its place: a feed fork."""
        self.sequence = message.value["sequence"] - 1
        self.previous = message.value["previous"]

    def publish(
        self,
        content: dict[str, Any],
        at: int,
        readers: AbstractSet[str] | None = None,
        ciphertext: str | None = None,
        *,
        signer: Signer | None = None,
        timestamp: str | int | None = None,
    ) -> Message:
        """Sign and append `content`, or its `ciphertext`.

        With another feed's `signer` it is a forgery. `timestamp` replaces the author's clock.
        """
        self.sequence += 1
        value: dict[str, Any] = {
            "previous": self.previous,
            "sequence": self.sequence,
            "author": self.id,
            "timestamp": at + self.clock if timestamp is None else timestamp,
            "hash": "sha256",
            "content": content if ciphertext is None else ciphertext,
        }
        text = stringify(value, 2)
        signature = (signer or self.signer).sign(text.encode("utf-8"))
        value["signature"] = signature
        signed = f'{text[:-2]},\n  "signature": "{signature}"\n}}'
        digest = hashlib.sha256(hashed_bytes(signed)).digest()
        self.previous = f"%{base64_text(digest)}.sha256"
        uri = f"ssb:message/classic/{uri_text(digest)}"
        return Message(self.previous, uri, at, value, content, readers)


class BendyFeed:
    """A metafeed: messages of bendybutt-v1, signed as bencode (see :mod:`scuttlehouse.ssb.bendybutt`)."""

    def __init__(self, seed: bytes) -> None:
        self.signer = Signer(seed)
        self.id = f"ssb:feed/bendybutt-v1/{uri_text(self.signer.public)}"
        self.sequence = 0
        self.previous: str | None = None

    def publish(
        self,
        content: dict[str, Any],
        at: int,
        readers: AbstractSet[str] | None = None,
        ciphertext: str | None = None,
        *,
        subfeed: Signer | None = None,
    ) -> Message:
        """Append `content`, or its `ciphertext`. The announced feed `subfeed` signs the content.

        As in ssb-db2, an opened message shows the signature of the content in place of the signature of the
        ciphertext.
        """
        self.sequence += 1
        signer = subfeed or self.signer
        shown = content if ciphertext is None else ciphertext
        value: dict[str, Any] = {
            "author": self.id,
            "sequence": self.sequence,
            "previous": self.previous,
            "timestamp": at,
            "signature": None,
            "content": shown,
            "contentSignature": _content_signature(signer, shown),
        }
        signed, _ = bendybutt.message_bytes(value)
        value["signature"] = self.signer.sign(signed)
        _, native = bendybutt.message_bytes(value)
        digest = hashlib.sha256(native).digest()
        self.previous = f"ssb:message/bendybutt-v1/{uri_text(digest)}"
        opened = {"contentSignature": _content_signature(signer, content)}
        return Message(self.previous, self.previous, at, value, content, readers, opened)


def _content_signature(signer: Signer, content: dict[str, Any] | str) -> str:
    return signer.sign(b"bendybutt" + bencode(encode(content)))
