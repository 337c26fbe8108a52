"""Groups that depend on each other: a refresh that touches one of them must compute both.

In all cases except the first, no software writes such messages, but nothing forbids them. Each case is two
logs; the second arrives in a refresh.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from scuttlehouse.sample.groups import Group
from scuttlehouse.sample.lines import line_of
from scuttlehouse.sample.signing import ClassicFeed, Message, base64_text
from scuttlehouse.sample.world import World

PEOPLE = ["alice", "bob", "carol"]
ALICE = frozenset({"alice"})


class Groups:
    """Two groups of the same three people, as alice reads them."""

    def __init__(self, seed: int) -> None:
        self.world = World(seed, "crossing")
        self.first = self.started("first", "A1", "A2")
        self.second = self.started("second", "B1", "B2")

    def started(self, name: str, *epochs: str) -> Group:
        group = Group(self.world, name, PEOPLE, list(epochs))
        group.start("alice", epochs[0], ["bob", "carol"])
        group.sync()
        return group

    def lines(self) -> list[bytes]:
        """The messages published since the last call, as lines."""
        lines = []
        for message, _ in self.world._published:
            if message.readers is not None:
                message.readers = frozenset({*message.readers, "alice"})
            lines.append(line_of(message, "alice", message.at + 500))
        self.world._published.clear()
        return lines

    def say(
        self, group: Group, epoch: str, content: dict[str, object], by: str = "alice"
    ) -> Message:
        """Publish on a person's feed for an epoch of a group."""
        return self.world.publish(group.feed(by, epoch), content, ALICE)


def a_feed_that_is_announced(groups: Groups) -> list[list[bytes]]:
    """A member who has written nothing announces a feed for an epoch's key. The timeline stays the same."""
    first = groups.lines()
    groups.second.feed("bob", "B1")
    return [first, groups.lines()]


def a_post_on_a_feed_of_another_group(groups: Groups) -> list[list[bytes]]:
    """The feed belongs to an epoch of the second group. The first message of that epoch arrives later."""
    first, second = groups.first, groups.second
    second.found("alice", "B2", ["B1"], ["alice", "bob"])
    second.sync()
    field = {"root": first.root, "previous": first.tips("alice", "group")}
    content = {"type": "post", "text": "?", "recps": [first.id], "tangles": {"group": field}}
    groups.say(second, "B2", content)
    lines = groups.lines()
    late = [line for line in lines if key_of(second.epochs["B2"].init) in line[:100]]
    assert len(late) == 1
    return [[line for line in lines if line not in late], late]


def key_of(uri: str) -> bytes:
    return uri.rpartition("/")[2].replace("-", "+").replace("_", "/").encode()


def an_exclusion_told_in_another_group(
    groups: Groups, then: Callable[[], object]
) -> list[list[bytes]]:
    """An exclusion of a member of the first group's epoch, in the timeline of the second group."""
    first, second = groups.first, groups.second
    timeline = {"root": second.root, "previous": second.tips("alice", "group")}
    members = {"root": first.root, "previous": first.tips("alice", f"members {first.root}")}
    content = {
        "type": "group/exclude-member",
        "excludes": [groups.world.person("carol").root.id],
        "recps": [second.id],
        "tangles": {"group": timeline, "members": members},
    }
    message = groups.say(second, "B1", content)
    for view in second.views.values():
        view.tips["group"] = [message.uri]
        view._placed.add(message.uri)
    second.found("alice", "B2", ["B1"], PEOPLE)
    second.sync()
    before = groups.lines()
    then()
    return [before, groups.lines()]


def an_epoch_that_begins_a_third_group(groups: Groups) -> list[list[bytes]]:
    """A post in the third group, on a feed of the second group's first epoch."""
    second, world = groups.second, groups.world
    third, alice = f"ssb:identity/group/{'A' * 43}=", world.person("alice")
    nothing = {"root": None, "previous": None}
    init = {
        "type": "group/init",
        "version": "v2",
        "secret": base64_text(world.secret_for("third")),
        "recps": [second.id, alice.root.id],
        "tangles": {
            "group": nothing,
            "members": nothing,
            "epoch": {"root": second.root, "previous": [second.root]},
        },
    }
    root = groups.say(second, "B1", init).uri
    field: dict[str, object] = {"root": root, "previous": [root]}
    add = {
        "type": "group/add-member",
        "root": root,
        "recps": [third, alice.root.id],
        "tangles": {"group": field, "members": field},
    }
    previous = [world.publish(alice.additions, add, ALICE).uri]
    group = {"root": root, "previous": previous}
    post = {"type": "post", "text": "late", "recps": [third], "tangles": {"group": group}}
    groups.say(second, "B1", post, by="bob")
    before = groups.lines()
    second.post("alice", "B1", "more")
    return [before, groups.lines()]


def a_message_after_a_cut_off(groups: Groups) -> list[list[bytes]]:
    """A message on the feed of an excluded person. It is in no tangle, and for no group."""
    first = groups.first
    first.post("carol", "A1", "on time")
    first.sync()
    first.exclude("alice", "A1", ["carol"], as_objects=True)
    before = groups.lines()
    groups.say(first, "A1", {"type": "post", "text": "late"}, by="carol")
    return [before, groups.lines()]


def a_message_in_no_tangle(groups: Groups) -> list[list[bytes]]:
    """A message for a group that breaks a rule."""
    before = groups.lines()
    groups.say(groups.first, "A1", {"type": "post", "text": "?", "recps": [groups.first.id]})
    return [before, groups.lines()]


def a_person_of_a_message_in_no_tangle(groups: Groups) -> list[list[bytes]]:
    """The only message of a feed breaks a rule. Later bob announces the feed, for no epoch's key."""
    world, bob = groups.world, groups.world.person("bob")
    feed = ClassicFeed(world.bytes_for("new feed of bob"))
    world.publish(feed, {"type": "post", "text": "?", "recps": [groups.first.id]}, ALICE)
    before = groups.lines()
    bob._add(bob._shard("index"), "index", feed)
    return [before, groups.lines()]


def an_addition_told_in_another_group(groups: Groups) -> list[list[bytes]]:
    """In the first group's epoch, but for the second group. It names a feed; later bob announces the feed."""
    first, world = groups.first, groups.world
    bob, feed = world.person("bob"), ClassicFeed(world.bytes_for("named feed of bob"))
    content = {
        "type": "group/add-member",
        "recps": [groups.second.id, feed.id],
        "tangles": {
            "members": {
                "root": first.root,
                "previous": first.tips("alice", f"members {first.root}"),
            }
        },
    }
    world.publish(world.person("alice").additions, content, ALICE)
    before = groups.lines()
    bob._add(bob._shard("index"), "index", feed)
    return [before, groups.lines()]


def people_of_a_cut_off_and_an_act(groups: Groups) -> list[list[bytes]]:
    """Of feeds that nobody has announced yet. Later two people announce them, for no epoch's key.

    The first group cuts off carol's. Its messages are in no tangle, and lack their signed bytes. Bob's feed
    begins a group of its own, with a message that is for the second group.
    """
    world, first, nothing = groups.world, groups.first, {"root": None, "previous": None}
    bob, carol = world.person("bob"), world.person("carol")
    cut_off, beginning = (
        ClassicFeed(world.bytes_for(f"{name} feed")) for name in ("first", "second")
    )
    item = {"id": carol.root.id, "groupFeedId": cut_off.id, "sequence": 2}
    exclusion = {"type": "group/exclude-member", "recps": [first.id], "excludes": [item]}
    feed = first.feed("alice", "A1")
    first._publish("alice", first.epochs["A1"], exclusion, feed, with_members=True)
    tangles = {"group": nothing, "members": nothing, "epoch": nothing}
    init = {"type": "group/init", "recps": [groups.second.id], "tangles": tangles}
    world.publish(beginning, init, ALICE)
    before = groups.lines()
    for text in "first", "second", "third", "fourth", "fifth":
        world.publish(cut_off, {"type": "post", "text": text, "recps": [first.id]}, ALICE)
    before += [without_ciphertext(line) for line in groups.lines()]
    carol._add(carol._shard("index"), "index", cut_off)
    bob._add(bob._shard("index"), "index", beginning)
    return [before, groups.lines()]


def without_ciphertext(line: bytes) -> bytes:
    """An opened message as some exporters write it."""
    entry = json.loads(line)
    del entry["meta"]["originalContent"]
    return json.dumps(entry).encode() + b"\n"


def a_log_that_is_corrected(groups: Groups) -> tuple[bytes, bytes, bytes]:
    """Alice's log before and after a change, and another log with two of its messages.

    At first one of the two is forged in alice's log, then the other. So alice knows other members of both
    groups.
    """
    published = [message for message, _ in groups.world._published]
    for message in published:
        if message.readers is not None and message.content["type"] != "metafeed/seed":
            message.readers = frozenset({*message.readers, "alice"})
    additions = {
        message.content["recps"][0]: place
        for place, message in enumerate(published)
        if message.content["type"] == "group/add-member"
    }
    true = [line_of(message, "alice", message.at + 500) for message in published]
    before, after = list(true), list(true)
    for lines, group in (before, groups.first), (after, groups.second):
        place = additions[group.id]
        entry = json.loads(lines[place])
        entry["value"]["timestamp"] = 1
        lines[place] = json.dumps(entry).encode() + b"\n"
    others = [published[place] for place in additions.values()]
    other = [line_of(message, "alice", message.at + 100) for message in others]
    return b"".join(before), b"".join(after), b"".join(other)


def a_new_name(groups: Groups) -> list[list[bytes]]:
    """Of a member, who says it on a feed of theirs to everybody, and nothing to a group."""
    before = groups.lines()
    bob = groups.world.person("bob")
    groups.world.publish(
        bob.additions, {"type": "about", "about": bob.root.id, "name": "Renamed Bob"}
    )
    return [before, groups.lines()]


def crossing_logs() -> dict[str, list[bytes]]:
    """The cases by name, each as the first log and the log of the refresh."""
    worlds = [Groups(seed) for seed in range(11)]
    cases = {
        "announced": a_feed_that_is_announced(worlds[0]),
        "feed": a_post_on_a_feed_of_another_group(worlds[1]),
        "timeline": an_exclusion_told_in_another_group(
            worlds[2], lambda: worlds[2].second.post("alice", "B2", "on")
        ),
        "excluded": an_exclusion_told_in_another_group(
            worlds[3], lambda: worlds[3].first.post("alice", "A1", "on")
        ),
        "third": an_epoch_that_begins_a_third_group(worlds[4]),
        "late": a_message_after_a_cut_off(worlds[5]),
        "loose": a_message_in_no_tangle(worlds[6]),
        "name": a_new_name(worlds[7]),
        "person": a_person_of_a_message_in_no_tangle(worlds[8]),
        "added": an_addition_told_in_another_group(worlds[9]),
        "unannounced": people_of_a_cut_off_and_an_act(worlds[10]),
    }
    return {name: [b"".join(lines) for lines in logs] for name, logs in cases.items()}
