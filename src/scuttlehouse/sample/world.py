"""The world of a sample: one clock, one random source, people, and the files they export."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from scuttlehouse.files.jsjson import stringify
from scuttlehouse.sample.signing import BendyFeed, ClassicFeed, Message, Signer, base64_text
from scuttlehouse.sample.summary import Summary, TangleBook
from scuttlehouse.ssb.bendybutt import root_metafeed_seed

STARTED_AT = 1_704_067_200_000
"""The first timestamp: 2024-01-01T00:00:00Z in milliseconds."""

EXPORTERS = ("alice", "bob", "relay")
"""A sample holds the logs of these people. `relay` can open nothing."""

RECEIVE_DELAY = {"alice": (0, 900), "bob": (1_000, 9_000), "relay": (20_000, 90_000)}
"""The least and the greatest number of milliseconds from publishing to receiving, per exporter."""

ENVELOPE_BYTES = 48
SLOT_BYTES = 32


class Sighting(NamedTuple):
    """A message in an exporter's log, with the time when it got there."""

    received: int
    exporter: str
    message: Message


class World:
    """Everything that scenes share. The `seed` determines all of it."""

    def __init__(self, seed: int, size: str) -> None:
        self.seed = seed
        self.random = random.Random(seed)
        self.now = STARTED_AT
        self.summary = Summary(seed, size)
        self.tangles = TangleBook()
        self.secrets: list[bytes] = []
        self.people: dict[str, Person] = {}
        self._published: list[tuple[Message, tuple[str, ...] | None]] = []

    def bytes_for(self, label: str) -> bytes:
        """32 bytes that depend only on the seed and `label`."""
        return hashlib.sha256(f"scuttlehouse sample {self.seed} {label}".encode()).digest()

    def secret_for(self, label: str) -> bytes:
        """32 bytes that must never reach the warehouse."""
        secret = self.bytes_for(f"secret {label}")
        self.secrets.append(secret)
        return secret

    def tick(self) -> int:
        """Let some time pass, and return the new time."""
        self.now += self.random.randrange(900, 120_000)
        return self.now

    def person(self, name: str) -> Person:
        """The person called `name`. An unknown person joins now."""
        if name not in self.people:
            self.people[name] = Person(self, name)
            self.people[name].join()
        return self.people[name]

    def ciphertext(self, content: dict[str, Any], slots: int, ending: str) -> str:
        """Random text as long as an encrypted `content` for that many recipients."""
        length = len(str(content)) + ENVELOPE_BYTES + SLOT_BYTES * slots
        return f"{base64_text(self.random.randbytes(length))}.{ending}"

    def sealed(
        self, content: dict[str, Any], readers: AbstractSet[str] | None, ending: str = "box2"
    ) -> str | None:
        """The ciphertext of `content` if there are `readers`. None if everybody reads it."""
        if readers is None:
            return None
        return self.ciphertext(content, len(content.get("recps", ())), ending)

    def publish(
        self,
        feed: ClassicFeed | BendyFeed,
        content: dict[str, Any],
        readers: AbstractSet[str] | None = None,
        *,
        ending: str = "box2",
        exporters: tuple[str, ...] | None = None,
    ) -> Message:
        """Publish on `feed` now, encrypted if there are `readers`, and give it to exporters.

        With an empty tuple of `exporters`, no file ever holds it.
        """
        sealed = self.sealed(content, readers, ending)
        message = feed.publish(content, self.tick(), readers, sealed)
        self.export(message, exporters)
        return message

    def forge(self, feed: ClassicFeed, content: dict[str, Any]) -> None:
        """Publish on `feed` with a signature by another key."""
        other = Signer(self.bytes_for("forger"))
        message = feed.publish(content, self.tick(), signer=other)
        self.export(message, ("alice",))
        self.summary.invalid.setdefault("wrong_signature", []).append(message.uri)

    def export(self, message: Message, exporters: tuple[str, ...] | None) -> None:
        """Put `message` into the logs of `exporters`. With no exporters, it is missing."""
        if exporters != ():
            self._published.append((message, exporters))
            return
        self.tangles.withhold(message.uri)
        gaps = self.summary.feed_gaps.setdefault(message.author, [])
        gaps.append(message.value["sequence"])

    @property
    def waiting(self) -> int:
        """How many messages were published since the last call of `sightings`, without lost ones."""
        return len(self._published)

    def sightings(self) -> list[Sighting]:
        """Everything published since the last call, as exporters received it, oldest first."""
        found = []
        for message, exporters in self._published:
            names = exporters or self._choose(message.readers)
            self.summary.count(message, names)
            for name in names:
                received = message.at + self.random.randrange(*RECEIVE_DELAY[name])
                found.append(Sighting(received, name, message))
        self._published.clear()
        found.sort(key=lambda sighting: sighting.received)
        return found

    def _choose(self, readers: AbstractSet[str] | None) -> tuple[str, ...]:
        """Somebody who can open the message exports it, and now and then somebody else too."""
        able = [name for name in EXPORTERS[:2] if readers is None or name in readers]
        first = self.random.choice(able) if able else "relay"
        others = [name for name in EXPORTERS if name != first]
        return (first, *(name for name in others if self.random.random() < 0.08))


class Person:
    """A person: a main feed, and a root metafeed that announces every other feed."""

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name
        self.main = ClassicFeed(world.bytes_for(f"main feed of {name}"))
        self.seed = world.bytes_for(f"secret metafeed seed of {name}")
        self.root = BendyFeed(root_metafeed_seed(self.seed))
        self.additions = ClassicFeed(world.bytes_for(f"additions feed of {name}"))
        self._tree = BendyFeed(world.bytes_for(f"v1 metafeed of {name}"))
        self._shards: dict[str, BendyFeed] = {}

    def join(self) -> None:
        """Publish the metafeed tree as new software does: seed, announce, v1, main, additions."""
        self.announce()
        self._add(self.root, "v1", self._tree)
        self._add(self._shard("main"), "main", self.main, is_new=False)
        self._add(self._shard("group/additions"), "group/additions", self.additions)

    def announce(self) -> None:
        """Say on the main feed which root metafeed it belongs to."""
        world = self.world
        world.summary.people[self.name] = self.root.id
        world.secrets.append(self.seed)
        world.publish(
            self.main,
            {"type": "metafeed/seed", "metafeed": self.root.id, "seed": self.seed.hex()},
            frozenset((self.name,)),
        )
        announce: dict[str, Any] = {
            "type": "metafeed/announce",
            "metafeed": self.root.id,
            "subfeed": self.main.id,
            "tangles": {"metafeed": {"root": None, "previous": None}},
        }
        announce["signature"] = self.root.signer.sign(stringify(announce, 2).encode())
        world.publish(self.main, announce)

    def announce_epoch(self, feed: ClassicFeed, key: bytes, readers: AbstractSet[str]) -> None:
        """Announce this person's feed in the epoch with `key`, to those who hold the key."""
        recps = [
            {
                "key": {"type": "Buffer", "data": list(key)},
                "scheme": "envelope-large-symmetric-group",
            },
            self.root.id,
        ]
        purpose = base64_text(key)
        self._add(self._shard(purpose), purpose, feed, recps=recps, readers=readers)

    def _shard(self, purpose: str) -> BendyFeed:
        """The shard metafeed for `purpose`. It is announced when it is first needed."""
        nibble = self.world.bytes_for(f"{self.name} {purpose}").hex()[0]
        if nibble not in self._shards:
            feed = BendyFeed(self.world.bytes_for(f"shard {nibble} of {self.name}"))
            self._shards[nibble] = feed
            self._add(self._tree, nibble, feed)
        return self._shards[nibble]

    def _add(
        self,
        parent: BendyFeed,
        purpose: str,
        subfeed: ClassicFeed | BendyFeed,
        *,
        is_new: bool = True,
        recps: list[Any] | None = None,
        readers: AbstractSet[str] | None = None,
    ) -> None:
        content: dict[str, Any] = {"feedpurpose": purpose, "metafeed": parent.id}
        if is_new:
            nonce = self.world.bytes_for(f"nonce {parent.id} {subfeed.id}")
            content["nonce"] = {"type": "Buffer", "data": list(nonce)}
        if recps is not None:
            content["recps"] = recps
        content["subfeed"] = subfeed.id
        content["tangles"] = {"metafeed": {"previous": None, "root": None}}
        content["type"] = "metafeed/add/derived" if is_new else "metafeed/add/existing"
        sealed = self.world.sealed(content, readers)
        message = parent.publish(
            content, self.world.tick(), readers, sealed, subfeed=subfeed.signer
        )
        self.world.export(message, None)
