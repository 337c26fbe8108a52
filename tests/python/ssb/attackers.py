"""Logs of attackers: a stranger, a former member and a member of a group, each against everybody else.

The world has a group `allotment` of alice, bob, carol and dave, from which dave was excluded; a group
`choir` without carol and dave, whose epochs fork; threads, a poll, and sets of pzp. Alice and bob export
logs. Carol is the member, dave the former member, and the stranger has no keys. Each attacker has seen every
message, opens those that they have the keys of, and writes one log.
"""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from scuttlehouse.files import jsjson
from scuttlehouse.pzp.rules import SET_DOMAIN
from scuttlehouse.sample import forks, public, scenes
from scuttlehouse.sample.devices import Account, Device, Log
from scuttlehouse.sample.groups import Group
from scuttlehouse.sample.lines import json_line, line_of
from scuttlehouse.sample.sets import set_lines
from scuttlehouse.sample.signing import BendyFeed, ClassicFeed, Message
from scuttlehouse.sample.views import View
from scuttlehouse.sample.world import Person, Sighting, World

Json = dict[str, Any]
LONG_AGO = -1_000_000_000_000
MEMBERS = ["alice", "bob", "carol", "dave"]
STRANGER, FORMER, MEMBER = "a stranger", "a former member", "a member"
PEOPLE = {STRANGER: "mallory", FORMER: "dave", MEMBER: "carol"}


class Scene:
    """The world before the attack: `write` puts its logs into a folder. An attack goes on from there."""

    def __init__(self) -> None:
        self.world = world = World(1, "small")
        names = [*MEMBERS, "erin", "frank"]
        for name in names:
            world.person(name)
        public.introduce(world, names)
        public.threads(world, names)
        public.poll(world, names)
        public.private_notes(world, "alice", "bob", 2)
        self.allotment = self._allotment()
        forks.same_members(world, "choir", ["alice", "bob", "erin", "frank"])
        self.sightings = world.sightings()
        self.sets = set_lines(world)

    def _allotment(self) -> Group:
        group = Group(self.world, "allotment", MEMBERS, ["start", "third", "second", "dave's"])
        group.start("alice", "start", ["bob", "carol", "dave"])
        group.sync()
        scenes.chat(group, "start", MEMBERS, 8)
        group.sync()
        group.exclude("bob", "start", ["dave"])
        group.found("bob", "second", ["start"], ["alice", "bob", "carol"])
        group.sync()
        scenes.chat(group, "second", MEMBERS[:3], 6)
        group.sync()
        group.close({}, None)
        return group

    def write(self, folder: Path) -> list[Path]:
        """The logs of alice, of bob, of a relay that opens nothing, and of a device of pzp."""
        logs: dict[str, list[bytes]] = {"devices": self.sets}
        for received, name, message in self.sightings:
            logs.setdefault(name, []).append(line_of(message, name, received))
        paths = []
        for name, lines in logs.items():
            paths.append(folder / f"{name}.jsonl")
            paths[-1].write_bytes(b"".join(lines))
        return sorted(paths)


def attack(attacker: str) -> tuple[list[bytes], set[str]]:
    """The lines of an attacker's log, and the ids of the attacker's feeds."""
    scene = Scene()
    name = PEOPLE[attacker]
    before = {message.uri: message for _, _, message in scene.sightings}
    published = {STRANGER: _strangers, FORMER: _former_members, MEMBER: _members}[attacker](scene)
    lines = [line_of(message, name, message.at + 5_000) for message in published]
    lines += [json_line(line) for line in _changed(before.values(), name)]
    lines += [json_line(line) for line in _other_plaintexts(scene)]
    lines += [json_line(line) for line in _false_claims(scene)]
    lines += [json_line(line) for line in _invented_acts(scene)]
    lines += _of_pzp(scene)
    person = scene.world.people.get(name)
    return lines, _ids_of(scene, person, name) if person else set()


def _ids_of(scene: Scene, person: Person, name: str) -> set[str]:
    feeds = [feed.id for (one, _), feed in scene.allotment._feeds.items() if one == name]
    shards = [feed.id for feed in person._shards.values()]
    return {person.root.id, person.main.id, person.additions.id, person._tree.id, *feeds, *shards}


def _changed(messages: Iterable[Message], name: str) -> Iterator[Json]:
    """Every message as it is, but received before there was Scuttlebutt; and with parts changed."""
    for message in messages:
        line = jsjson.parse(line_of(message, name, LONG_AGO).decode())
        assert isinstance(line, dict)
        yield line
        value: Any = line["value"]
        content = value["content"]
        yield {**line, "value": _respelled(value, {"author"})}
        if isinstance(content, dict):
            yield {**line, "value": {**value, "content": _respelled(content, set(content))}}
        if message.readers is None or name not in message.readers:
            other: Any = {**content, "more": 1} if isinstance(content, dict) else "AAAA.box2"
            yield {**line, "value": {**value, "content": other}}
            yield {**line, "value": {**value, "timestamp": 1.0, "sequence": value["sequence"] + 1}}
        if isinstance(content, str):
            opened = {**value, "content": {"type": "post"}, "private": True}
            yield {**line, "key": invented_key(message.key), "value": opened}


def invented_key(key: str) -> str:
    """An id that no message has. What was opened needs no ciphertext beside it, so nobody can check it."""
    return f"%{b2a_base64(sha256(key.encode()).digest(), newline=False).decode()}.sha256"


def _invented_acts(scene: Scene) -> Iterator[Json]:
    """In the name of everybody who added somebody to the allotment: they exclude alice, and make an epoch.

    Whoever has seen the group knows all ids; a signature they have not.
    """
    group, alice = scene.allotment, scene.world.people["alice"].root.id
    for message in {one.key: one for _, _, one in scene.sightings}.values():
        content: Any = message.content
        if content.get("type") != "group/add-member" or content["recps"][0] != group.id:
            continue
        epoch = content["tangles"]["members"]["root"]
        tips = {"root": group.root, "previous": group.tips("alice", "group")}
        members = {"root": epoch, "previous": group.tips("alice", f"members {epoch}")}
        for said in (
            {
                "type": "group/exclude-member",
                "excludes": [alice],
                "tangles": {"group": tips, "members": members},
            },
            {
                "type": "group/init",
                "version": "v2",
                "secret": scene.world.bytes_for("invented").hex(),
                "tangles": {
                    "members": {"root": None, "previous": None},
                    "group": tips,
                    "epoch": {"root": group.root, "previous": [epoch]},
                },
            },
        ):
            opened = {**message.value, "content": {**said, "recps": [group.id]}, "private": True}
            key = invented_key(f"{message.key} {said['type']}")
            yield {"key": key, "value": opened, "timestamp": message.at}


def _respelled(members: Json, names: set[str]) -> Json:
    """The same members. The ids under these names end in other base64, which stands for the same bytes."""
    return {
        name: f"{part[:-2]}{chr(ord(part[-2]) + 1)}="
        if name in names and isinstance(part, str) and part.startswith("ssb:") and part[-1] == "="
        else part
        for name, part in members.items()
    }


def _other_plaintexts(scene: Scene) -> Iterator[Json]:
    """What else private messages may say, of which the author's own log is there to tell (ruling R36)."""
    people = scene.world.people
    authors = {people[name].main.id: name for name in ("alice", "bob")}
    authors |= {people[name].additions.id: name for name in ("alice", "bob")}
    authors |= {feed: name for group in scene.world.summary.groups for feed, name, _ in group.feeds}
    for _, exporter, message in scene.sightings:
        is_theirs = authors.get(message.author) == exporter
        # A seed would prove that the log is its owner's: nobody else has it.
        if message.readers is None or not is_theirs or "seed" in message.content:
            continue
        line: Any = jsjson.parse(line_of(message, exporter, LONG_AGO).decode())
        recps, owner = message.content.get("recps"), people[exporter].root.id
        other = {"type": "group/exclude-member", "excludes": [owner], "recps": recps}
        for content in ({**message.content, "more": 1}, other):
            yield {**line, "value": {**line["value"], "content": content}}
        # The same plaintext, with other things beside it, which nobody has signed.
        signature, stranger = line["value"]["signature"], BendyFeed(bytes([67] * 32)).id
        for beside in ({"contentSignature": signature}, {"author": stranger}):
            yield {**line, "value": line["value"] | beside}


def _false_claims(scene: Scene) -> Iterator[Json]:
    """That feeds of others are the attacker's, or the other way round, without the other signature."""
    main, metafeed = ClassicFeed(bytes([66] * 32)), BendyFeed(bytes([67] * 32))
    yield _line(_claim(main, metafeed.id))
    joining = BendyFeed(bytes([69] * 32))
    for name in ("alice", "bob", "erin"):
        victim = scene.world.people[name]
        yield _line(_claim(main, victim.root.id))
        about = {"type": "about", "about": victim.main.id, "name": "Nobody"}
        yield _line(main.publish(about, scene.world.tick()))
        # In feeds of a format in which nobody asks for the other signature.
        for feed in (victim.root.id, victim.main.id):
            yield _line(main.publish(_adding(main.id, feed), scene.world.tick()))
        announced = {"type": "metafeed/announce", "metafeed": victim.root.id}
        yield _line(joining.publish({**announced, "subfeed": joining.id}, scene.world.tick()))
        # In the victim's name, without the victim's key.
        forger = BendyFeed(bytes([68] * 32))
        forger.id = victim.root.id
        yield _line(forger.publish(_adding(victim.root.id, main.id), scene.world.tick()))
        # In the attacker's own name, without the signature of the victim's feed.
        for feed in (victim.main.id, victim.additions.id):
            yield _line(metafeed.publish(_adding(metafeed.id, feed), scene.world.tick()))
        forged = ClassicFeed(bytes([69] * 32))
        forged.id, forged.sequence, forged.previous = (
            victim.main.id,
            victim.main.sequence,
            victim.main.previous,
        )
        yield _line(forged.publish({"type": "post", "text": "No."}, scene.world.tick()))
        forged.sequence -= 1
        yield _line(forged.publish({"type": "about", "about": forged.id, "name": "No"}, 1))


def _adding(metafeed: str, subfeed: str) -> Json:
    return {"type": "metafeed/add/existing", "metafeed": metafeed, "subfeed": subfeed}


def _claim(main: ClassicFeed, metafeed: str) -> Message:
    content = {"type": "metafeed/announce", "metafeed": metafeed, "subfeed": main.id}
    signed = {**content, "signature": main.signer.sign(b"nothing")}
    return main.publish(signed, 1_700_000_000_000)


def _line(message: Message) -> Json:
    return {"key": message.key, "value": message.value, "timestamp": message.at}


def _of_pzp(scene: Scene) -> list[bytes]:
    """Messages of a device that is in no account of others, into their sets and accounts."""
    log, world = Log(scene.world), scene.world
    device = Device(bytes([70] * 32))
    own = Account(log, device, bytes(8))
    for line in scene.sets:
        entry: Any = jsjson.parse(line.decode())
        message = entry["msg"] if isinstance(entry, dict) else {}
        metadata, data = message.get("metadata"), message.get("data")
        if not isinstance(metadata, dict):
            continue
        log._entries.append({**entry, "received": LONG_AGO})
        log._entries.append({**entry, "msg": {**message, "data": {"add": ["%"], "del": []}}})
        log._entries.append(
            {**entry, "msg": {**message, "metadata": {**metadata, "domain": "a_b"}}}
        )
        if not str(metadata.get("domain")).startswith(SET_DOMAIN):
            continue
        for tangle_id, place in (metadata.get("tangles") or {}).items():
            said = {
                "add": [world.people["bob"].main.id],
                "del": [],
                "supersedes": [entry.get("id")],
            }
            for account in (metadata["account"], own.id):
                log.take(
                    device.message(
                        said if data else None,
                        account,
                        metadata["domain"],
                        account_tips=metadata["accountTips"],
                        tangle_id=tangle_id,
                        depth=int(place["depth"]) + 1,
                        previous=[entry.get("id") or account],
                    )
                )
    return [json_line(entry) for entry in log._entries]


def _strangers(scene: Scene) -> list[Message]:
    """Their own messages into every tangle, and acts in groups that they say somebody could open."""
    world, group = scene.world, scene.allotment
    mallory = Person(world, "mallory")
    world.people["mallory"] = mallory
    mallory.join()
    _public_messages(scene, mallory)
    for label in ("start", "second"):
        epoch = group.epochs[label]
        alice = world.people["alice"].root.id
        feed = next(feed for (_, of), feed in group._feeds.items() if of == label)
        tips = {"root": group.root, "previous": group.tips("alice", "group")}
        members = {
            "root": epoch.init,
            "previous": group.tips("alice", f"members {epoch.init}"),
        }
        for content in (
            {"type": "post", "text": "Me, too."},
            {"type": "group/exclude-member", "excludes": [alice]},
            {
                "type": "group/exclude-member",
                "excludes": [{"id": alice, "groupFeedId": feed.id, "sequence": 1}],
            },
            {
                "type": "group/add-member",
                "version": "v2",
                "secret": world.bytes_for("no secret").hex(),
                "root": group.root,
                "creator": alice,
            },
            # With the least key, which takes the first place among those of the group.
            {"type": "group/init", "version": "v2", "secret": bytes(32).hex()},
        ):
            tangles: Json = {"group": tips}
            if content["type"] == "group/init":
                tangles = {
                    "members": {"root": None, "previous": None},
                    "group": tips,
                    "epoch": {"root": group.root, "previous": [epoch.init]},
                }
            elif content["type"] != "post":
                tangles["members"] = members
            recps = [group.id, mallory.root.id]
            said = {**content, "recps": recps, "tangles": tangles}
            world.publish(mallory.main, said, frozenset(("mallory",)))
    return [sighting.message for sighting in _seen(world)]


def _public_messages(scene: Scene, person: Person) -> None:
    """Answers in threads and a vote in a poll, by anybody."""
    world = scene.world
    for message in {message.key: message for _, _, message in scene.sightings}.values():
        content = message.content
        if message.readers is None and content.get("type") == "post" and "root" not in content:
            answer = {"type": "post", "text": "No!", "root": message.key, "branch": [message.key]}
            world.publish(person.main, answer)
        tangles = content.get("tangles")
        if isinstance(tangles, dict) and tangles.get("poll") == {"root": None, "previous": None}:
            tangle = {"root": message.key, "previous": [message.key]}
            world.publish(person.main, {"type": "poll-vote", "tangles": {"poll": tangle}})


def _former_members(scene: Scene) -> list[Message]:
    """What dave's old key opens: the old epoch, as if he had not seen that he was excluded."""
    world, group = scene.world, scene.allotment
    _public_messages(scene, world.people["dave"])
    group.views["dave"] = _view_before_exclusion(group)
    group.post("dave", "start", "Still here.")
    group.exclude("dave", "start", ["alice"], as_objects=True)
    group.add("dave", "start", ["frank"])
    group.found("dave", "dave's", ["start"], ["dave", "alice", "bob"])
    # In the later epoch, whose key he has not.
    second = group.epochs["second"]
    members = {"root": second.init, "previous": [second.init]}
    tangles = {"group": {"root": group.root, "previous": [second.init]}, "members": members}
    excluding = {"type": "group/exclude-member", "excludes": [world.people["bob"].root.id]}
    content = {**excluding, "recps": [group.id], "tangles": tangles}
    world.publish(group.feed("dave", "start"), content, frozenset(("dave",)))
    return [sighting.message for sighting in _seen(world)]


def _view_before_exclusion(group: Group) -> View:
    view = View("dave")
    view.take([step for step in group.views["alice"].held if not _is_late(group, step)])
    return view


def _is_late(group: Group, step: Any) -> bool:
    """Whether a step was written when dave was being excluded, or after that."""
    first = next(
        one.place for one in group.views["alice"].held if one.uri == group.epochs["second"].init
    )
    return bool(step.place >= first - 1)


def _members(scene: Scene) -> list[Message]:
    """Valid acts of carol in her group; and acts in a group that she is no member of."""
    world, group = scene.world, scene.allotment
    _public_messages(scene, world.people["carol"])
    group.post("carol", "second", "I have a plan.")
    group.exclude("carol", "second", ["bob"], as_objects=True)
    group.found("carol", "third", ["second"], ["carol", "alice"])
    group.add("carol", "second", ["frank"])
    choir = next(one for one in world.summary.groups if one.name == "choir")
    root = choir.root
    tangles = {
        "group": {"root": root, "previous": [root]},
        "members": {"root": root, "previous": [root]},
    }
    for excluded in ("erin", "alice"):
        said = {
            "type": "group/exclude-member",
            "excludes": [world.people[excluded].root.id],
            "recps": [choir.group_id],
            "tangles": tangles,
        }
        world.publish(group.feed("carol", "second"), said, frozenset(("carol",)))
    return [sighting.message for sighting in _seen(world)]


def _seen(world: World) -> list[Sighting]:
    """What was published since, each message once, in order."""
    found = {sighting.message.uri: sighting for sighting in world.sightings()}
    return sorted(found.values(), key=lambda sighting: sighting.message.at)
