"""Scenes of groups with forked epochs, one function for each kind. Each scene states its own right answer.

Every scene gets the name of the group and four people, and makes a whole group. The epoch named `start` is
the first one.
"""

from __future__ import annotations

from scuttlehouse.sample.groups import Group
from scuttlehouse.sample.summary import ForkSummary
from scuttlehouse.sample.texts import POSTS, REPLIES
from scuttlehouse.sample.world import World


def same_members(world: World, name: str, people: list[str]) -> None:
    """Two people exclude the same member at once (4.4). Later a person is added to both tips (4.9).

    The late addition to the losing epoch carries the winner's secret, as real software writes it.
    """
    a, b, c, late = people
    group = Group(world, name, people, ["right", "left", "start"])
    group.start(a, "start", [b, c])
    _talk(group, "start", [a, b, c])
    for label, author in (("left", a), ("right", b)):
        group.exclude(author, "start", [c])
        group.found(author, label, ["start"], [a, b])
        group.post(author, label, _reply(group))
    group.sync(a, b)
    group.add(a, "right", [late], old_secrets=["start", "left"], text="Welcome!")
    group.add(a, "left", [late], old_secrets=["start", "left"], secret_of="right")
    group.sync()
    group.post(late, "right", _reply(group))
    both = sorted([a, b, late])
    group.forks.append(ForkSummary("left", "right", "4.4", sorted([a, b]), "right"))
    group.close({**dict.fromkeys(both, "right"), c: "start"}, "right")


def subset_members(world: World, name: str, people: list[str]) -> None:
    """One excludes two people, another one of them (4.5). The smaller epoch wins with the greater key."""
    a, b, c, d = people
    group = Group(world, name, people, ["start", "larger", "smaller"])
    group.start(a, "start", [b, c, d])
    _talk(group, "start", [a, b, c, d])
    group.exclude(a, "start", [c, d])
    group.found(a, "smaller", ["start"], [a, b])
    group.exclude(b, "start", [d])
    group.found(b, "larger", ["start"], [a, b, c])
    group.sync()
    group.post(a, "smaller", _reply(group))
    group.post(c, "larger", _reply(group))
    group.forks.append(ForkSummary("smaller", "larger", "4.5", sorted([a, b]), "smaller"))
    group.close({a: "smaller", b: "smaller", c: "larger", d: "start"}, "smaller")


def overlapping_members(world: World, name: str, people: list[str]) -> None:
    """Each person excludes another one (4.6), and nobody has resolved it yet."""
    a, b, c, d = people
    group = Group(world, name, people, ["start", "left", "right"])
    _overlap(group, people)
    group.post(c, "right", _reply(group))
    group.forks.append(ForkSummary("left", "right", "4.6", sorted([a, b]), "left"))
    group.close({a: "left", b: "left", c: "right", d: "left"}, "left")


def resolved_members(world: World, name: str, people: list[str]) -> None:
    """Each person excludes another one. Then an epoch that lists both resolves it."""
    a, b, c, d = people
    group = Group(world, name, people, ["left", "right", "resolved", "start"])
    _overlap(group, people)
    group.exclude(b, "left", [d])
    group.found(b, "resolved", ["left", "right"], [a, b])
    group.sync()
    _talk(group, "resolved", [a, b])
    group.close({a: "resolved", b: "resolved", c: "right", d: "left"}, "resolved")


def disjoint_members(world: World, name: str, people: list[str]) -> None:
    """Two pairs exclude each other (4.7). There are two groups now, each with its own preferred epoch."""
    a, b, c, d = people
    group = Group(world, name, people, ["south", "start", "north"])
    group.start(a, "start", [b, c, d])
    _talk(group, "start", [c, d])
    group.exclude(a, "start", [b, d])
    group.found(a, "north", ["start"], [a, c])
    group.exclude(b, "start", [a, c])
    group.found(b, "south", ["start"], [b, d])
    group.sync()
    group.post(c, "north", _reply(group))
    group.post(d, "south", _reply(group))
    group.forks.append(ForkSummary("north", "south", "4.7", [], None))
    group.close({a: "north", c: "north", b: "south", d: "south"}, None)


def three_tips(world: World, name: str, people: list[str]) -> None:
    """Three epochs. Each would beat the next if only pairs counted (R21)."""
    a, b, c, d = people
    group = Group(world, name, people, ["start", "three", "other", "pair"])
    group.start(a, "start", [b, c, d])
    _talk(group, "start", [b, d])
    group.exclude(b, "start", [c, d])
    group.found(b, "pair", ["start"], [a, b])
    group.exclude(c, "start", [d])
    group.found(c, "three", ["start"], [a, b, c])
    group.exclude(d, "start", [b, c], as_objects=True)
    group.found(d, "other", ["start"], [a, d])
    group.sync()
    group.post(a, "other", _reply(group))
    group.forks.extend(
        (
            ForkSummary("pair", "three", "4.5", sorted([a, b]), "pair"),
            ForkSummary("pair", "other", "4.6", [a], "other"),
            ForkSummary("three", "other", "4.6", [a], "three"),
        )
    )
    group.close({a: "other", b: "pair", c: "three", d: "other"}, "other")


def criss_cross(world: World, name: str, people: list[str]) -> None:
    """Two people resolve one fork at once, so both new epochs have two nearest ancestors."""
    a, b, c, d = people
    group = Group(world, name, people, ["second", "start", "left", "first", "right"])
    _overlap(group, people)
    for label, author, excluded in (("first", a, d), ("second", b, d)):
        group.exclude(author, "left", [excluded])
        group.found(author, label, ["left", "right"], [a, b])
    group.sync()
    group.post(b, "second", _reply(group))
    fork = ForkSummary("first", "second", "4.4", sorted([a, b]), "second", is_criss_cross=True)
    group.forks.append(fork)
    group.close({a: "second", b: "second", c: "right", d: "left"}, "second")


def _overlap(group: Group, people: list[str]) -> None:
    """From one epoch of four people: `left` without the third and `right` without the fourth."""
    a, b, c, d = people
    group.start(a, "start", [b, c, d])
    _talk(group, "start", [a, c])
    group.exclude(a, "start", [c])
    group.found(a, "left", ["start"], [a, b, d])
    group.exclude(b, "start", [d])
    group.found(b, "right", ["start"], [a, b, c])
    group.sync()


def _talk(group: Group, label: str, authors: list[str]) -> None:
    """Each author writes a post that the others have not seen yet. Then everybody sees everything."""
    group.sync()
    for author in authors:
        group.post(author, label, group.world.random.choice(POSTS))
    group.sync()


def _reply(group: Group) -> str:
    return group.world.random.choice(REPLIES)
