"""Groups that depend on each other: a refresh that touches one of them must compute both.

In all cases except the first, no software writes such messages, but nothing forbids them. Each case is two
logs; the second arrives in a refresh.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from scuttlehouse.sample.devices import Account, Device, Log
from scuttlehouse.sample.groups import Group
from scuttlehouse.sample.lines import json_line, line_of
from scuttlehouse.sample.sets import NONCE_BYTES, Set
from scuttlehouse.sample.signing import ClassicFeed, Message, base64_text, uri_text
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
    return split_off(groups.lines(), second.epochs["B2"].init)


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
    published, true = log_of_alice(groups)
    additions = {
        message.content["recps"][0]: place
        for place, message in enumerate(published)
        if message.content["type"] == "group/add-member"
    }
    before, after = list(true), list(true)
    for lines, group in (before, groups.first), (after, groups.second):
        place = additions[group.id]
        entry = json.loads(lines[place])
        entry["value"]["timestamp"] = 1
        lines[place] = json.dumps(entry).encode() + b"\n"
    others = [published[place] for place in additions.values()]
    other = [line_of(message, "alice", message.at + 100) for message in others]
    return b"".join(before), b"".join(after), b"".join(other)


def log_of_alice(groups: Groups) -> tuple[list[Message], list[bytes]]:
    """All messages published so far, and their lines in alice's log. Only her own seed is opened."""
    published = [message for message, _ in groups.world._published]
    for message in published:
        if message.readers is not None and message.content["type"] != "metafeed/seed":
            message.readers = frozenset({*message.readers, "alice"})
    return published, [line_of(message, "alice", message.at + 500) for message in published]


def a_log_that_loses_messages(groups: Groups) -> tuple[bytes, bytes, bytes]:
    """Alice's log before and after, and another log. Only the other log still has the last addition.

    The last message is in no log any more.
    """
    groups.first.post("alice", "A1", "unsaid")
    published, lines = log_of_alice(groups)
    place = max(at for at, one in enumerate(published) if one.content["type"] == "group/add-member")
    after = [line for at, line in enumerate(lines[:-1]) if at != place]
    other = line_of(published[place], "alice", published[place].at + 100)
    return b"".join(lines), b"".join(after), other


def a_log_that_shows_its_owner(groups: Groups) -> tuple[bytes, bytes]:
    """At first alice's log lacks the seed of her root metafeed."""
    published, lines = log_of_alice(groups)
    seed = groups.world.person("alice").seed.hex()
    without = [
        line
        for message, line in zip(published, lines, strict=True)
        if message.content.get("seed") != seed
    ]
    return b"".join(without), b"".join(lines)


def a_log_of_two_sets(groups: Groups) -> tuple[bytes, bytes]:
    """One set loses its last message. Of another one, the second device of its account gets known."""
    log = Log(groups.world)
    logs = []
    for name in "losing", "growing":
        laptop, phone = (Device(groups.world.bytes_for(f"{name} {one}")) for one in range(2))
        account = Account(log, laptop, groups.world.bytes_for(name)[:NONCE_BYTES])
        account.add(phone)
        items = Set(account, "follows")
        items.add(laptop, "one")
        items.sync()
        items.add(phone, "two")
        logs.append(log.lines())
    losing, both = logs
    growing = both[len(losing) :]
    unknown = [growing[0], *growing[2:]]
    return b"".join([*losing, *unknown]), b"".join([*losing[:-1], *growing])


def changed_logs() -> dict[str, tuple[bytes, bytes]]:
    """Logs by name, each before and after its change. One stays as it is."""
    before, after, other = a_log_that_loses_messages(Groups(18))
    return {
        "losing.jsonl": (before, after),
        "keeping.jsonl": (other, other),
        "owned.jsonl": a_log_that_shows_its_owner(Groups(19)),
        "devices.jsonl": a_log_of_two_sets(Groups(20)),
    }


def a_new_name(groups: Groups) -> list[list[bytes]]:
    """Of a member, who says it on a feed of theirs to everybody, and nothing to a group."""
    before = groups.lines()
    bob = groups.world.person("bob")
    groups.world.publish(
        bob.additions, {"type": "about", "about": bob.root.id, "name": "Renamed Bob"}
    )
    return [before, groups.lines()]


def a_new_name_of_a_stranger(groups: Groups) -> list[list[bytes]]:
    """They are in no group. The only thing that a group's tables say of them is a rule that they broke."""
    dave = groups.world.person("dave")
    content = {"type": "post", "text": "?", "recps": [groups.first.id]}
    groups.world.publish(dave.main, content, ALICE)
    before = groups.lines()
    name = {"type": "about", "about": dave.root.id, "name": "Renamed Dave"}
    groups.world.publish(dave.additions, name)
    return [before, groups.lines()]


def a_cut_off_of_a_silent_feed(groups: Groups) -> list[list[bytes]]:
    """An exclusion that cuts off a message that is known. Nothing new is on the feed of that message."""
    first, carol = groups.first, groups.world.person("carol")
    for text in "on time", "late":
        first.post("carol", "A1", text)
    first.sync()
    before = groups.lines()
    item = {"id": carol.root.id, "groupFeedId": first.feed("carol", "A1").id, "sequence": 1}
    exclusion = {"type": "group/exclude-member", "recps": [first.id], "excludes": [item]}
    feed = first.feed("alice", "A1")
    first._publish("alice", first.epochs["A1"], exclusion, feed, with_members=True)
    return [before, groups.lines()]


def an_epoch_that_was_unknown(groups: Groups) -> list[list[bytes]]:
    """An addition in the timeline of the first group is to an epoch of the second one, which comes later.

    Until then that epoch may be the one after the exclusion in the first group.
    """
    first, second = groups.first, groups.second
    first.exclude("alice", "A1", ["carol"])
    second.found("alice", "B2", ["B1"], [])
    init = second.epochs["B2"].init
    content = {
        "type": "group/add-member",
        "recps": [first.id, groups.world.person("bob").root.id],
        "tangles": {
            "group": {"root": first.root, "previous": first.tips("alice", "group")},
            "members": {"root": init, "previous": [init]},
        },
    }
    groups.world.publish(groups.world.person("alice").additions, content, ALICE)
    return split_off(groups.lines(), init)


def an_exclusion_in_an_epoch_that_was_unknown(groups: Groups) -> list[list[bytes]]:
    """It is for the first group. The epoch is one of the second group, and comes later."""
    first, second = groups.first, groups.second
    second.found("alice", "B2", ["B1"], [])
    init = second.epochs["B2"].init
    content = {
        "type": "group/exclude-member",
        "excludes": [groups.world.person("carol").root.id],
        "recps": [first.id],
        "tangles": {
            "group": {"root": first.root, "previous": first.tips("alice", "group")},
            "members": {"root": init, "previous": [init]},
        },
    }
    groups.say(first, "A1", content)
    return split_off(groups.lines(), init)


def an_epoch_of_a_known_feed(groups: Groups) -> list[list[bytes]]:
    """Bob has announced a feed for its key, and has written there."""
    second = groups.second
    second.found("alice", "B2", ["B1"], ["alice", "bob"])
    second.sync()
    second.post("bob", "B2", "early")
    return split_off(groups.lines(), second.epochs["B2"].init)


def a_group_that_is_named(groups: Groups) -> list[list[bytes]]:
    """By its add-member messages, which are in no epoch tangle."""
    lines = groups.lines()
    first_id = groups.first.id.encode()
    late = [line for line in lines if b'"group/add-member"' in line and first_id in line]
    assert len(late) == 2
    return [[line for line in lines if line not in late], late]


def a_root_of_a_thread(groups: Groups) -> list[list[bytes]]:
    """The only answer to it follows a message that is in no log."""
    world = groups.world
    alice, bob, carol = (world.person(name).main for name in PEOPLE)
    root = world.publish(bob, {"type": "post", "text": "root"})
    answer = {"type": "post", "text": "?", "root": root.key, "branch": root.key}
    lost = world.publish(carol, answer, exporters=())
    world.publish(alice, {**answer, "branch": lost.key})
    return split_off(groups.lines(), root.uri)


def a_message_that_is_named(groups: Groups) -> list[list[bytes]]:
    """On carol's feed, in no thread. Bob's message names it as the one before it, and an answer names it."""
    world = groups.world
    alice, bob, carol = (world.person(name).main for name in PEOPLE)
    other = world.publish(carol, {"type": "post", "text": "mine"})
    bob.previous = other.key
    world.publish(bob, {"type": "post", "text": "?"})
    root = world.publish(alice, {"type": "post", "text": "root"})
    answer = {"type": "post", "text": "?", "root": root.key, "branch": other.key}
    world.publish(alice, answer)
    return split_off(groups.lines(), other.uri)


def a_feed_of_a_thread(groups: Groups) -> list[list[bytes]]:
    """It is announced after its last message."""
    world, bob = groups.world, groups.world.person("bob")
    feed = ClassicFeed(world.bytes_for("new feed of bob"))
    root = world.publish(feed, {"type": "post", "text": "root"})
    answer = {"type": "post", "text": "!", "root": root.key, "branch": root.key}
    world.publish(feed, answer)
    before = groups.lines()
    bob._add(bob._shard("index"), "index", feed)
    return [before, groups.lines()]


def a_field_that_nobody_can_read(groups: Groups) -> list[list[bytes]]:
    """Of a post. A stranger to the group names the post as the root of that tangle."""
    world, first = groups.world, groups.first
    timeline = {"root": first.root, "previous": first.tips("alice", "group")}
    tangles = {"group": timeline, "poBox": 5}
    content = {"type": "post", "text": "?", "recps": [first.id], "tangles": tangles}
    post = groups.say(first, "A1", content)
    before = groups.lines()
    field = {"root": post.uri, "previous": [post.uri]}
    answer = {"type": "group/po-box", "tangles": {"poBox": field}}
    world.publish(world.person("dave").main, answer)
    return [before, groups.lines()]


def a_feed_of_the_owner(groups: Groups) -> tuple[list[bytes], list[bytes]]:
    """Alice's log and another one, each with a line of a refresh. They differ in what two messages say.

    Alice's counts, but that their feeds are hers is told later. One is on a feed below another one of
    buttwoo-v1: the announcement names the key.
    """
    world, alice = groups.world, groups.world.person("alice")
    feed, shard = ClassicFeed(world.bytes_for("new feed of alice")), alice._shard("index")
    message = world.publish(feed, {"type": "post", "text": "mine"}, ALICE)
    published, lines = log_of_alice(groups)
    world._published.clear()
    key = ClassicFeed(world.bytes_for("key of alice"))
    key.id = f"ssb:feed/buttwoo-v1/{uri_text(key.signer.public)}"
    above, below = (
        f"ssb:message/buttwoo-v1/{uri_text(world.bytes_for(name))}" for name in ("above", "below")
    )
    value = {"author": key.id, "parent": above, "sequence": 1, "previous": None, "timestamp": 1}
    lines.append(json_line({"key": below, "value": {**value, "content": message.content}}))
    others = [json.loads(line) for line in lines[-2:]]
    for other in others:
        other["value"]["content"]["text"] = "another"
    alice._add(shard, "index", feed)
    alice._add(shard, "posts", key)
    announcements = groups.lines()
    assert message is published[-1]
    return (
        [b"".join(lines), b"".join(announcements)],
        [b"".join(map(json_line, others)), lines[0]],
    )


def split_off(lines: list[bytes], message_id: str) -> list[list[bytes]]:
    """The line of a message arrives after the others."""
    late = [line for line in lines if key_of(message_id) in line[:100]]
    assert len(late) == 1
    return [[line for line in lines if line not in late], late]


def crossing_logs() -> dict[str, list[bytes]]:
    """The cases by name, each as the first log and the log of the refresh."""
    worlds = [Groups(seed) for seed in [*range(11), *range(21, 32)]]
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
        "stranger": a_new_name_of_a_stranger(worlds[11]),
        "silent": a_cut_off_of_a_silent_feed(worlds[12]),
        "named": a_group_that_is_named(worlds[13]),
        "root": a_root_of_a_thread(worlds[14]),
        "previous": a_message_that_is_named(worlds[15]),
        "thread": a_feed_of_a_thread(worlds[16]),
        "unknown": an_epoch_that_was_unknown(worlds[17]),
        "epoch": an_epoch_of_a_known_feed(worlds[18]),
        "unreadable": a_field_that_nobody_can_read(worlds[20]),
        "elsewhere": an_exclusion_in_an_epoch_that_was_unknown(worlds[21]),
    }
    own, others = a_feed_of_the_owner(worlds[19])
    return {
        **{name: [b"".join(lines) for lines in logs] for name, logs in cases.items()},
        "own": own,
        "others": others,
    }
