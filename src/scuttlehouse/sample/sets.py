"""Sets as devices of pzp write them: follows and blocks, with what may go wrong in a log.

All of it is made after everything else, with its own random numbers, so the other logs of a sample are the
same with and without it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scuttlehouse.pzp.canonical import to_base58
from scuttlehouse.pzp.rules import SET_DOMAIN
from scuttlehouse.sample.devices import Account, Device, Log, Message
from scuttlehouse.sample.faults import stranger
from scuttlehouse.sample.summary import SetSummary
from scuttlehouse.sample.world import World
from scuttlehouse.sets.items import lipmaa_depth

NONCE_BYTES = 8


class Set:
    """A set of an account. Every device writes from the messages that it knows.

    `add`, `delete` and `squeeze` write correct messages, and the log gets them.
    """

    def __init__(self, account: Account, name: str) -> None:
        self.account = account
        self.domain = SET_DOMAIN + name
        moot = account.devices[0].message(None, account.id, self.domain)
        self.id = moot.id
        self._known = {device: {moot.id: moot} for device in account.devices}
        self._accepted = [moot.id]
        account.log.take(moot)

    def add(self, device: Device, item: str) -> Message:
        """Add an item."""
        return self.write(device, self.addition(device, item))

    def delete(self, device: Device, item: str) -> Message:
        """Delete an item."""
        return self.write(device, self.deletion(device, item))

    def squeeze(self, device: Device, items: list[str]) -> Message:
        """Write one message with all items of the set. It supersedes all that nothing has superseded yet."""
        known = self._known[device]
        superseded_ids = {one for message in known.values() for one in message.superseded}
        roots = [
            m.id for m in known.values() if (m.added or m.deleted) and m.id not in superseded_ids
        ]
        return self.write(device, {"add": items, "del": [], "supersedes": roots})

    def write(self, device: Device, data: dict[str, Any], oddity: str | None = None) -> Message:
        """Write some data. The log gets it."""
        message = self.keep(device, data)
        self._accepted.append(message.id)
        self.account.log.take(message, oddity)
        return message

    def keep(self, device: Device, data: dict[str, Any]) -> Message:
        """Write some data that no other device and no log gets."""
        message = self.next(device, data)
        self._known[device][message.id] = message
        return message

    def next(
        self, device: Device, data: dict[str, Any], *, signer: Device | None = None, steps: int = 1
    ) -> Message:
        """A message that a device may write now. Nobody knows it yet.

        With another device's `signer` it is a forgery; with more than one of `steps` its depth is too great.
        """
        known = self._known[device].values()
        depth = max(message.depth for message in known) + steps
        listed = {one for message in known for one in message.previous}
        linked = lipmaa_depth(depth)
        return (signer or device).message(
            data,
            self.account.id,
            self.domain,
            account_tips=[self.account.tip.id],
            tangle_id=self.id,
            depth=depth,
            previous=[m.id for m in known if m.id not in listed or m.depth == linked],
        )

    def addition(self, device: Device, item: str) -> dict[str, Any]:
        """The data that adds an item. It supersedes the last messages about it and all last deletions."""
        named = {name for message in self._known[device].values() for name in message.added}
        last = {name: self._last(device, name) for name in named}
        superseded = [
            message.id
            for name, messages in last.items()
            for message in messages
            if name == item or name in message.deleted
        ]
        return {"add": [item], "del": [], "supersedes": self._in_order(device, superseded)}

    def deletion(self, device: Device, item: str) -> dict[str, Any]:
        """The data that deletes an item. It supersedes the last messages about the item."""
        superseded = [message.id for message in self._last(device, item)]
        return {"add": [], "del": [item], "supersedes": self._in_order(device, superseded)}

    def sync(self) -> None:
        """Let every device know what any other device knows."""
        everything = {one: m for known in self._known.values() for one, m in known.items()}
        for known in self._known.values():
            known.update(everything)

    def close(
        self, items: list[str], lost: Iterable[str] = (), missing: Iterable[Message] = ()
    ) -> None:
        """State the items of the set, those that the reference loses, and the messages that no log has."""
        summary = SetSummary(
            account_id=self.account.id,
            domain=self.domain,
            set_id=self.id,
            accepted=self._accepted,
            items=items,
            lost_by_reference=list(lost),
            missing=[message.id for message in missing],
        )
        self.account.log.summary.sets.append(summary)

    def _last(self, device: Device, item: str) -> list[Message]:
        """Of the messages about an item that a device knows, those with the greatest depth."""
        about = [m for m in self._known[device].values() if item in (*m.added, *m.deleted)]
        greatest = max((message.depth for message in about), default=0)
        return [message for message in about if message.depth == greatest]

    def _in_order(self, device: Device, ids: list[str]) -> list[str]:
        return [message_id for message_id in self._known[device] if message_id in ids]


def set_lines(world: World) -> list[bytes]:
    """The log that alice's laptop exports: her sets, and one of bob's."""
    log = Log(world)
    laptop, phone, other = (
        Device(world.bytes_for(f"device {name}"))
        for name in ("laptop of alice", "phone of alice", "phone of bob")
    )
    alice = Account(log, laptop, world.bytes_for("account of alice")[:NONCE_BYTES])
    alice.add(phone)
    _squeezed(world, Set(alice, "follows"), laptop, phone)
    _troubled(world, Set(alice, "blocks"), laptop, phone)
    bob = Account(log, other, world.bytes_for("account of bob")[:NONCE_BYTES])
    _plain(world, Set(bob, "follows"), other)
    return log.lines()


def _squeezed(world: World, follows: Set, laptop: Device, phone: Device) -> None:
    """Two devices fork and merge. After a squeeze and a deletion the reference loses items."""
    bob, carol, dave, erin, frank = _feeds(world, "bob", "carol", "dave", "erin", "frank")
    follows.add(laptop, bob)
    first = follows.add(laptop, carol)
    follows.sync()
    follows.add(phone, dave)
    follows.sync()
    follows.delete(laptop, carol)
    follows.sync()
    follows.add(phone, erin)
    follows.sync()
    # Neither device knows what the other writes.
    left, right = follows.add(laptop, frank), follows.add(phone, carol)
    follows.delete(phone, bob)
    follows.sync()
    follows.add(laptop, bob)
    follows.sync()
    follows.delete(phone, dave)
    follows.add(phone, dave)
    follows.delete(phone, erin)
    follows.sync()
    # Both have the same depth, so the lesser id is read first.
    pair = [carol, frank] if right.id.lower() < left.id.lower() else [frank, carol]
    follows.squeeze(laptop, [*pair, bob, dave])
    follows.sync()
    follows.delete(phone, bob)
    follows.sync()
    follows.add(laptop, erin)
    # Carol was deleted and added again since.
    follows.account.log.erase(first)
    follows.close([*pair, dave, erin], lost=[*pair, dave])


def _troubled(world: World, blocks: Set, laptop: Device, phone: Device) -> None:
    """Messages that must not count, each of which would change the set, and a message without lists."""
    log = blocks.account.log
    forged, renamed, forked, gapped = (
        stranger(world, name).id for name in ("forged", "renamed", "forked", "gapped")
    )
    blocks.add(laptop, forged)
    blocks.sync()
    blocks.add(phone, renamed)
    blocks.sync()
    blocks.write(laptop, {"title": "People I would rather not read."}, "no_lists")
    blocks.sync()
    lost = blocks.keep(phone, blocks.deletion(phone, forged))
    log.take(blocks.next(phone, blocks.addition(phone, gapped)), "previous_missing")
    blocks.delete(laptop, renamed)
    gapped_too = blocks.addition(laptop, gapped)
    no_device = Device(world.bytes_for("device of nobody"))
    log.take(blocks.next(laptop, gapped_too, signer=no_device), "unknown_device")
    log.take(blocks.next(laptop, gapped_too, steps=2), "wrong_depth")
    blocks.add(laptop, forked)
    gapped_again = blocks.addition(laptop, gapped)
    claim = to_base58(world.bytes_for("wrong id of a message of pzp"))
    log.take(blocks.next(laptop, gapped_again), "wrong_id", claim=claim)
    log.take(blocks.next(laptop, blocks.deletion(laptop, forged)), "id_is_no_text", claim=0)
    blocks.add(laptop, renamed)
    blocks.close([forged, forked, renamed], missing=[lost])


def _plain(world: World, follows: Set, device: Device) -> None:
    """One device writes one message after another."""
    alice, carol, dave = _feeds(world, "alice", "carol", "dave")
    follows.add(device, alice)
    follows.add(device, carol)
    follows.delete(device, alice)
    follows.add(device, dave)
    follows.add(device, alice)
    follows.close([carol, dave, alice])


def _feeds(world: World, *names: str) -> list[str]:
    return [world.people[name].main.id for name in names]
