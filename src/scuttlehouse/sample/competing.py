"""Groups with competing epochs: random histories of exclusions, forks, repairs and late additions.

Only the histories decide which epoch wins, so the summary states neither forks nor preferred epochs of
these groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from scuttlehouse.sample import scenes
from scuttlehouse.sample.groups import Group
from scuttlehouse.sample.world import EXPORTERS, World

PEOPLE = 50
MESSAGES_PER_GROUP = 500
MOST_EPOCHS = 12
MOST_TIPS = 8

OPENERS = frozenset(EXPORTERS[:2])
"""These people export what they can open. One of them is in every epoch, so the logs show all of it."""

MOST_OBJECTS = 5
"""If more people than this are excluded, ids name them: objects would make the message too long."""


def competing(world: World, target: int) -> Iterator[None]:
    """Make groups of about 500 messages each, `target` messages in all. Yields after each group.

    There are 50 people. A group has 4 to 20 of them or, rarely, nearly all. A group has 1 to 12 epochs, and
    1 to 8 of these have no successor in the end.
    """
    for number in range(1, PEOPLE - len(world.people) + 1):
        world.person(f"peer{number}")
    names = list(world.people)
    yield
    groups = target // MESSAGES_PER_GROUP
    for number in range(groups):
        share = (target - world.summary.distinct_messages) // (groups - number)
        _compete(world, f"rivals {number + 1}", _some(world, names), share)
        yield


def _some(world: World, names: list[str]) -> list[str]:
    """The people who may open everything, then others. Now and then everybody."""
    others = [name for name in names if name not in OPENERS]
    count = world.random.randint(2, 18) if world.random.random() < 0.98 else len(others)
    return [*EXPORTERS[:2], *world.random.sample(others, count)]


def _compete(world: World, name: str, people: list[str], share: int) -> None:
    """A group of about `share` messages. Posts go on while epochs are made."""
    random = world.random
    tips = random.randint(1, MOST_TIPS)
    epochs = random.randint(1 if tips == 1 else tips + 1, MOST_EPOCHS)
    history = History(world, name, people, epochs)
    history.talk(share // epochs)
    while history.to_found:
        history.grow(tips)
        if random.random() < 0.5:
            history.settle()
            history.talk(share * (epochs - len(history.to_found)) // epochs)
    history.settle()
    history.talk(share)
    history.group.close({}, None)


class History:
    """A group and what happens to it next."""

    def __init__(self, world: World, name: str, people: list[str], epochs: int) -> None:
        self.world = world
        self.random = world.random
        labels = [f"epoch {number}" for number in range(1, epochs + 1)]
        self.group = Group(world, name, people, self.random.sample(labels, epochs))
        first, *self.to_found = labels
        self._unheard = [first]
        latecomers = self.random.randrange(min(len(people) // 3, 4))
        members = people[: len(people) - latecomers]
        creator = self.random.choice(members)
        self.group.start(creator, first, [name for name in members if name != creator])
        self.settle()

    def grow(self, wished: int) -> None:
        """Make an epoch, or two that resolve a fork at once, on the way to `wished` tips."""
        tips, left, draw = self._tips(), len(self.to_found), self.random.random()
        lacking = wished - len(tips)
        forkable = [label for label in self._peopled() if label not in tips]
        pairs = self._resolvable(tips)
        may_have_more, may_have_less = -lacking <= left - 2, lacking <= left - 2
        if forkable and len(tips) < MOST_TIPS and may_have_more and (lacking >= left or draw < 0.4):
            self._part([self.random.choice(forkable)], is_fork=True)
        elif pairs and may_have_less and (-lacking >= left or draw < 0.7):
            pair = self.random.choice(pairs)
            for _ in range(2 if may_have_more and self.random.random() < 0.3 else 1):
                self._resolve(pair)
        else:
            self._part([self.random.choice([t for t in tips if t in self._peopled()])])

    def settle(self) -> None:
        """Let members hear of new epochs from their creators. Then people may come or go."""
        for label in self._unheard:
            epoch = self.group.epochs[label]
            self._tell(epoch.creator, epoch.members)
        self._unheard.clear()
        if self.random.random() < 0.35:
            self._add_late()
        if self.random.random() < 0.08:
            self._exclude_only()

    def talk(self, until: int) -> None:
        """Post until `until` messages wait for export. Most posts are in the newest epochs."""
        while self.world.waiting < until:
            labels = self._tips() if self.random.random() < 0.9 else list(self.group.epochs)
            label = self.random.choice([label for label in labels if label in self._peopled()])
            count = self.random.randrange(1, 20)
            scenes.chat(self.group, label, self.group.writers(label), count)

    def _part(self, previous: list[str], *, is_fork: bool = False) -> None:
        """Make an epoch for some members of an epoch.

        In a fork, a creator may add nobody, or everybody except themselves.
        """
        founder = self._founder(previous)
        remaining = self._remaining(self.group.epochs[previous[0]].members, founder)
        others = [name for name in remaining if name != founder]
        members = remaining
        if is_fork and founder in OPENERS and self.random.random() < 0.1:
            members = []
        elif not OPENERS.isdisjoint(others) and self.random.random() < 0.04:
            members = others
        self._found(founder, previous, remaining, members)

    def _resolve(self, pair: list[str]) -> None:
        """Make an epoch that succeeds both sides of a fork, for the people who are in both (4.6)."""
        shared = self._shared(pair)
        self._found(self._founder(pair), pair, shared, shared)

    def _found(
        self, founder: str, previous: list[str], remaining: list[str], members: list[str]
    ) -> None:
        """Exclude those who do not remain, if any, and make the next epoch for `members`."""
        group, label = self.group, self.to_found.pop(0)
        excluded = [
            name
            for name in group.epochs[previous[0]].members
            if name not in remaining and name != founder
        ]
        if excluded:
            as_objects = len(excluded) <= MOST_OBJECTS and self.random.random() < 0.5
            group.exclude(founder, previous[0], excluded, as_objects)
        group.found(founder, label, previous, members)
        self._unheard.append(label)

    def _founder(self, previous: list[str]) -> str:
        """A member who can write in all of `previous`. If possible, one who knows no successor."""
        writers = self.group.writers(*previous)
        able = [name for name in self._shared(previous) if name in writers] or writers
        informed = {
            name
            for label, epoch in self.group.epochs.items()
            if not set(previous).isdisjoint(epoch.previous)
            for name in self.group.writers(label)
        }
        return self.random.choice([name for name in able if name not in informed] or able)

    def _remaining(self, members: list[str], founder: str) -> list[str]:
        """The people that `founder` keeps: all except a few that people quarrel about, or half of the group.

        The few are the same for everybody, so some epochs get the same members, or fewer of them. Two halves
        have nobody in common.
        """
        side = self.group.people.index(founder) % 2
        half = [name for name in members if self.group.people.index(name) % 2 == side]
        if self.random.random() < 0.12 and not OPENERS.isdisjoint(half):
            return half
        kept = next(name for name in EXPORTERS if name in members)
        quarrel = [name for name in members if name not in (founder, kept)][-3:]
        count = self.random.randint(1, len(quarrel)) if quarrel else 0
        excluded = self.random.sample(quarrel, count)
        return [name for name in members if name not in excluded]

    def _add_late(self) -> None:
        """Add somebody new or excluded to a tip. Sometimes with older keys, sometimes also to another tip."""
        group, random = self.group, self.random
        tips = [label for label in self._tips() if label in self._peopled()]
        label = random.choice(tips)
        outside = [name for name in group.people if name not in group.epochs[label].members]
        if not outside:
            return
        late = random.choice(outside)
        author = random.choice(group.writers(label))
        keys = [
            old for old, epoch in group.epochs.items() if author in epoch.readers and old != label
        ]
        old_secrets = keys if random.random() < 0.8 else None
        group.add(author, label, [late], old_secrets=old_secrets)
        others = [
            other
            for other in tips
            if author in group.writers(other) and late not in group.epochs[other].members
        ]
        if others and random.random() < 0.5:
            wrong = label if random.random() < 0.3 else None
            group.add(author, random.choice(others), [late], secret_of=wrong)
        self._tell(author, [late])

    def _exclude_only(self) -> None:
        """Exclude somebody from a tip, and make no epoch."""
        label = self.random.choice([label for label in self._tips() if label in self._peopled()])
        author = self.random.choice(self.group.writers(label))
        others = [name for name in self.group.epochs[label].members if name != author]
        if others:
            self.group.exclude(author, label, [self.random.choice(others)])

    def _tell(self, teller: str, names: list[str]) -> None:
        for name in names:
            if name != teller:
                self.group.views[name].pull(self.group.views[teller])

    def _tips(self) -> list[str]:
        listed = {label for epoch in self.group.epochs.values() for label in epoch.previous}
        return [label for label in self.group.epochs if label not in listed]

    def _peopled(self) -> list[str]:
        """The epochs with at least one added member."""
        return [label for label, epoch in self.group.epochs.items() if epoch.members]

    def _shared(self, labels: list[str]) -> list[str]:
        """The members of all of these epochs."""
        first, *others = (self.group.epochs[label].members for label in labels)
        return [name for name in first if all(name in members for members in others)]

    def _resolvable(self, tips: list[str]) -> list[list[str]]:
        """Pairs of tips that somebody in both can resolve."""
        return [
            pair
            for pair in map(list, combinations(tips, 2))
            if not OPENERS.isdisjoint(self._shared(pair))
            and not set(self._shared(pair)).isdisjoint(self.group.writers(*pair))
        ]
