"""Scenes of groups without forks: busy groups, a group with a gap, and unfinished groups."""

from __future__ import annotations

from typing import Any

from scuttlehouse.sample.groups import Group
from scuttlehouse.sample.signing import uri_text
from scuttlehouse.sample.texts import POSTS, REPLIES
from scuttlehouse.sample.world import World


def garden(world: World, name: str, people: list[str]) -> None:
    """A busy group. A member is excluded, which makes a second epoch, and is added again."""
    a, b, c, d = people
    group = Group(world, name, people, ["start", "second"])
    group.start(a, "start", [b, c, d])
    group.sync()
    chat(group, "start", people, 30)
    group.sync()
    group.exclude(b, "start", [d])
    group.found(b, "second", ["start"], [a, b, c])
    group.sync()
    chat(group, "second", [a, b, c], 10)
    group.sync()
    group.add(a, "second", [d], old_secrets=["start"], text="Come back, the beans miss you.")
    group.sync()
    group.post(d, "second", "Thank you for having me again.")
    group.close(dict.fromkeys(people, "second"), "second")


def gap(world: World, name: str, people: list[str], count: int = 16) -> None:
    """A group with a post that reached no exporter, so the messages after it are set aside."""
    group = Group(world, name, people, ["start"])
    group.start(people[0], "start", people[1:])
    group.sync()
    chat(group, "start", people, count // 2)
    group.post(people[-1], "start", "This one got lost on its way.", lost=True)
    group.post(people[-1], "start", "Did you see what I wrote?")
    group.sync(*people[-2:])
    chat(group, "start", people, count - count // 2)
    group.close(dict.fromkeys(people, "start"), "start")


def exclusion_only(world: World, name: str, people: list[str]) -> None:
    """A member is excluded, and no epoch follows. The member stays declared."""
    group = Group(world, name, people, ["start"])
    group.start(people[0], "start", people[1:])
    group.sync()
    chat(group, "start", people, 5)
    group.sync()
    group.post(people[-1], "start", "I may be away for a while.")
    group.sync()
    group.exclude(people[1], "start", [people[-1]], as_objects=True)
    group.close(dict.fromkeys(people, "start"), "start")


def empty_epoch(world: World, name: str, people: list[str]) -> None:
    """An epoch was created and nobody was ever added to it."""
    group = Group(world, name, people, ["second", "start"])
    group.start(people[0], "start", people[1:])
    group.sync()
    chat(group, "start", people, 4)
    group.sync()
    group.exclude(people[0], "start", [people[-1]])
    group.found(people[0], "second", ["start"], [])
    group.close(dict.fromkeys(people, "start"), "second")


def strays(world: World, name: str, people: list[str]) -> None:
    """Messages that name a tangle of the group, but that its recipe does not allow (ruling R10)."""
    author = people[0]
    group = Group(world, name, people, ["start"])
    group.start(author, "start", people[1:])
    group.sync()
    chat(group, "start", people, 3)
    elsewhere = f"ssb:identity/group/{uri_text(world.bytes_for(f'not {name}'))}"
    for breach, tangle, recps in (
        ("a post in the members tangle", "members", [group.id]),
        ("a post in the epoch tangle", "epoch", [group.id]),
        ("recps of another group", "group", [elsewhere]),
        ("no recps", "group", None),
    ):
        seen = f"members {group.root}" if tangle == "members" else tangle
        content: dict[str, Any] = {"type": "post", "text": "I am in the wrong place."}
        if recps is not None:
            content["recps"] = recps
        content["tangles"] = {tangle: {"root": group.root, "previous": group.tips(author, seen)}}
        readers = group.epochs["start"].readers
        stray = world.publish(group.feed(author, "start"), content, readers)
        world.summary.strays[breach] = stray.uri
    group.close(dict.fromkeys(people, "start"), "start")


def chat(group: Group, label: str, people: list[str], count: int) -> None:
    """`count` posts by random people. Each writes from what has reached them so far."""
    random = group.world.random
    for _ in range(count):
        author = random.choice(people)
        other = random.choice(people)
        if other != author and random.random() < 0.6:
            group.views[author].pull(group.views[other])
        group.post(author, label, random.choice(POSTS if random.random() < 0.5 else REPLIES))
