"""More of everything, for the larger sizes: busy groups, forks and public days in turn."""

from __future__ import annotations

from collections.abc import Iterator

from scuttlehouse.sample import forks, public, scenes
from scuttlehouse.sample.groups import Group
from scuttlehouse.sample.world import World

PEOPLE = {"medium": 24, "large": 80, "huge": 400}
MOST_POSTS = {"medium": 300, "large": 3_000, "huge": 10_000}
MOST_MEMBERS = 16
DAY = 400

FORKS = (
    forks.same_members,
    forks.subset_members,
    forks.overlapping_members,
    forks.resolved_members,
    forks.disjoint_members,
    forks.three_tips,
    forks.criss_cross,
)


def bulk(world: World, size: str, target: int) -> Iterator[None]:
    """Make scenes until there are `target` messages. Yields after each scene."""
    names = ["alice", "bob", *(f"peer{number}" for number in range(1, PEOPLE[size] - 1))]
    for name in names:
        world.person(name)
    yield
    number = 0
    while world.summary.distinct_messages < target:
        number += 1
        draw = world.random.random()
        if draw < 0.55:
            _public_day(world, names)
        elif draw < 0.75:
            _busy_group(world, f"group {number}", names, MOST_POSTS[size])
        elif draw < 0.8:
            people = _some(world, names, 6)
            scenes.gap(world, f"group {number}", people, world.random.randrange(20, DAY))
        else:
            others = world.random.sample(names[2:], 2)
            world.random.choice(FORKS)(world, f"group {number}", ["alice", "bob", *others])
        yield


def _some(world: World, names: list[str], count: int) -> list[str]:
    """Different people. Most often an exporter comes first; otherwise there is no exporter among them."""
    if world.random.random() < 0.2:
        return world.random.sample(names[2:], count)
    first = world.random.choice(names[:2])
    return [first, *world.random.sample([name for name in names if name != first], count - 1)]


def _busy_group(world: World, name: str, names: list[str], most_posts: int) -> None:
    """A group with many posts. Now and then the last member is excluded."""
    random = world.random
    people = _some(world, names, random.randrange(4, MOST_MEMBERS))
    labels = [f"epoch {number}" for number in range(random.randrange(1, 4))]
    group = Group(world, name, people, random.sample(labels, len(labels)))
    preferred = {}
    for number, label in enumerate(labels):
        if number == 0:
            group.start(people[0], label, people[1:])
        else:
            people, last = people[:-1], people[-1]
            group.exclude(people[0], labels[number - 1], [last])
            group.found(people[0], label, [labels[number - 1]], people)
        preferred.update(dict.fromkeys(people, label))
        group.sync(*people)
        scenes.chat(group, label, people, random.randrange(20, most_posts))
        group.sync(*people)
    group.close(preferred, labels[-1])


def _public_day(world: World, names: list[str]) -> None:
    """Public posts, threads and votes, and private notes that hardly anyone can open."""
    random = world.random
    threads = [public.Thread(world, random.choice(names)) for _ in range(4)]
    for _ in range(DAY):
        author = random.choice(names)
        thread = random.choice(threads)
        draw = random.random()
        if draw < 0.4:
            public.vote(world, author, random.choice(thread.tips))
        elif draw < 0.6:
            branch = thread.tips[-random.randrange(1, 4) :]
            thread.reply(author, branch if draw < 0.55 else [thread.root], as_list=len(branch) > 1)
        elif draw < 0.7:
            threads.append(public.Thread(world, author))
        elif draw < 0.85:
            public.post(world, author)
        else:
            public.private_notes(world, author, random.choice(names), 1)
