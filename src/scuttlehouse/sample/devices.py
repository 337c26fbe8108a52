"""Accounts and devices of pzp that sign, and the log that one of the devices exports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Any

from nacl.bindings import crypto_sign, crypto_sign_seed_keypair

from scuttlehouse.pzp.canonical import HASH_BYTES, canonical, from_base58, hash_text, to_base58
from scuttlehouse.pzp.rules import SELF, SIGNATURE_BYTES, SIGNATURE_TAG
from scuttlehouse.sample.lines import json_line
from scuttlehouse.sample.summary import OddSetLine
from scuttlehouse.sample.world import World

ACCOUNT_DOMAIN = "account__person"
CONSENT_TAG = ":account-add:"
FIRST_POWERS = ["add", "del", "external-encryption", "internal-encryption"]


@dataclass(frozen=True, slots=True)
class Message:
    """A message: `body` as in a log, where the data may be missing, and its place in its tangle."""

    id: str
    depth: int
    previous: list[str]
    data: dict[str, Any] | None
    body: dict[str, Any]

    @property
    def added(self) -> list[str]:
        """The items that the message adds."""
        return self._list("add")

    @property
    def deleted(self) -> list[str]:
        """The items that the message deletes."""
        return self._list("del")

    @property
    def superseded(self) -> list[str]:
        """The ids of the messages that the message supersedes."""
        return self._list("supersedes")

    def _list(self, name: str) -> list[str]:
        return list(self.data.get(name, ())) if self.data is not None else []


class Device:
    """A key pair, made from a 32-byte seed.

    >>> Device(bytes(32)).message(None, "an account", "set_v1__a").id
    'F2ZX6rcuzqAeBXxweGMneUyCogfs5gcugBWQYN2MCPW9'
    """

    def __init__(self, seed: bytes) -> None:
        public, self._secret = crypto_sign_seed_keypair(seed)
        self.key = to_base58(public)

    def sign(self, data: bytes) -> str:
        """The signature of `data`, as a message has it."""
        return to_base58(crypto_sign(data, self._secret)[:SIGNATURE_BYTES])

    def message(
        self,
        data: dict[str, Any] | None,
        account_id: str,
        domain: str,
        *,
        account_tips: list[str] | None = None,
        tangle_id: str | None = None,
        depth: int = 0,
        previous: Iterable[str] = (),
    ) -> Message:
        """A signed message in a tangle. Without a `tangle_id` it is the root of one."""
        text = b"" if data is None else canonical(data)
        listed = sorted(previous)
        metadata: dict[str, Any] = {
            "dataHash": None if data is None else hash_text(text),
            "dataSize": len(text),
            "account": account_id,
            "accountTips": account_tips,
            "tangles": {} if tangle_id is None else {tangle_id: {"depth": depth, "prev": listed}},
            "domain": domain,
            "v": 4,
        }
        signed = canonical(metadata)
        signature = self.sign(SIGNATURE_TAG + signed)
        body = {"data": data, "metadata": metadata, "sigkey": self.key, "sig": signature}
        return Message(hash_text(signed), depth, listed, data, body)


class Log:
    """What a device exports, in the order in which the device got it."""

    def __init__(self, world: World) -> None:
        self.summary = world.summary
        self._random = Random(world.bytes_for("receiving devices"))
        self._now = world.now
        self._entries: list[dict[str, Any]] = []

    def take(
        self, message: Message, oddity: str | None = None, *, claim: str | int | None = None
    ) -> None:
        """Receive a message. `claim` is what the line has in place of the id."""
        self._now += self._random.randrange(1_000, 600_000)
        message_id = message.id if claim is None else claim
        entry = {"id": message_id, "msg": message.body, "received": self._now}
        self._entries.append(entry)
        if oddity is not None:
            self._note(oddity, entry)

    def erase(self, message: Message) -> None:
        """Remove the data of a message. A device that has read it still knows it."""
        message.body["data"] = None
        self._note("erased", next(e for e in self._entries if e["msg"] is message.body))

    def lines(self) -> list[bytes]:
        """All received messages, each on its own line."""
        return [json_line(entry) for entry in self._entries]

    def _note(self, oddity: str, entry: dict[str, Any]) -> None:
        number = self._entries.index(entry) + 1
        message_id = entry["id"] if isinstance(entry["id"], str) else None
        self.summary.odd_set_lines.append(OddSetLine(number, oddity, message_id))


class Account:
    """An account. Its first device makes it and may add other devices."""

    def __init__(self, log: Log, device: Device, nonce: bytes) -> None:
        self.log = log
        self.devices = [device]
        data = _addition(device, "shs-and-sig", {"nonce": to_base58(nonce)}, FIRST_POWERS)
        self.tip = device.message(data, SELF, ACCOUNT_DOMAIN)
        self.id = self.tip.id
        log.summary.accounts[self.id] = [device.key]
        log.take(self.tip)

    def add(self, device: Device) -> None:
        """Add a device. It consents by signing the id as JavaScript writes its bytes, 1,2,3."""
        id_bytes = from_base58(self.id, HASH_BYTES) or ()
        consent = device.sign(f"{CONSENT_TAG}{','.join(map(str, id_bytes))}".encode())
        self.tip = self.devices[0].message(
            _addition(device, "sig", {"consent": consent}, ["add"]),
            SELF,
            ACCOUNT_DOMAIN,
            tangle_id=self.id,
            depth=self.tip.depth + 1,
            previous=[self.tip.id],
        )
        self.devices.append(device)
        self.log.summary.accounts[self.id].append(device.key)
        self.log.take(self.tip)


def _addition(
    device: Device, purpose: str, proof: dict[str, str], powers: list[str]
) -> dict[str, Any]:
    key = {"purpose": purpose, "algorithm": "ed25519", "bytes": device.key}
    return {"action": "add", "key": key, **proof, "powers": powers}
