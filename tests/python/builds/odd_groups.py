"""Groups that a stranger writes in public. The messages are valid; their fields hold anything.

Every build must read them: with random ones, nobody has to think of each field.
"""

from __future__ import annotations

import random
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from scuttlehouse.sample.signing import ClassicFeed, Message, base64_text, uri_text

Json = dict[str, Any]
AT = 1_704_067_200_000
NOTHING = {"root": None, "previous": None}
KINDS = {
    "group/init": 2.0,
    "group/add-member": 5.0,
    "group/exclude-member": 3.0,
    "post": 3.0,
    "vote": 1.0,
    "group/po-box": 0.5,
    "group/exclude": 0.5,
}


def odd_groups(count: int) -> Iterator[Json]:
    """The lines of so many groups. Of two, one is short and very odd, the other long, with forks."""
    dice = random.Random(1)
    for number in range(count):
        group = OddGroup(dice, oddness=0.2 if number % 2 else 1.0)
        messages = group.messages(dice.randint(6, 40) if number % 2 else dice.randint(3, 14))
        yield from map(line_of, messages)


def known_groups() -> Iterator[Json]:
    """Groups that each stopped every build once."""
    yield from map(line_of, [*an_epoch_that_is_no_message(), *a_group_that_its_root_is_for()])


def line_of(message: Message) -> Json:
    return {"key": message.key, "value": message.value, "timestamp": message.at + 5}


def group_id(name: str) -> str:
    return f"ssb:identity/group/{urlsafe_b64encode(sha256(name.encode()).digest()).decode()}"


def an_epoch_that_is_no_message() -> Iterator[Message]:
    """Additions to epochs whose ids are that of the group, and a text."""
    feed, group = ClassicFeed(bytes([81] * 32)), group_id("an epoch that is no message")
    tangles = {"group": NOTHING, "epoch": NOTHING, "members": NOTHING}
    first = feed.publish({"type": "group/init", "tangles": tangles}, AT)
    yield first
    root = last = first.uri
    for epoch in root, group, "an epoch":
        content = {
            "type": "group/add-member",
            "root": root,
            "recps": [group, feed.id],
            "tangles": {
                "group": {"root": root, "previous": [last]},
                "members": {"root": epoch, "previous": [epoch]},
            },
        }
        message = feed.publish(content, AT + 1000)
        last = message.uri
        yield message


def a_group_that_its_root_is_for() -> Iterator[Message]:
    """The first message is for the group, has no epoch tangle, and a field that nobody can read."""
    feed, group = ClassicFeed(bytes([82] * 32)), group_id("a group that its root is for")
    tangles = {"group": NOTHING, "other": 5}
    first = feed.publish({"type": "group/init", "recps": [group], "tangles": tangles}, AT)
    yield first
    field = {"root": first.uri, "previous": [first.uri]}
    content = {
        "type": "group/add-member",
        "root": first.uri,
        "recps": [group, feed.id],
        "tangles": {"group": field, "members": field},
    }
    yield feed.publish(content, AT + 1000)


class OddGroup:
    """A group, now and then two that share messages. `oddness` is 1 if one value in ten is odd, or less."""

    def __init__(self, dice: random.Random, oddness: float) -> None:
        self.dice = dice
        self.oddness = oddness
        self.feeds = [ClassicFeed(dice.randbytes(32)) for _ in range(dice.randint(1, 4))]
        self.ids = [group_id(str(dice.random())) for _ in range(dice.randint(1, 2))]
        # Messages that no log has.
        self.lost = [f"ssb:message/classic/{uri_text(dice.randbytes(32))}" for _ in range(2)]
        self.known: list[str] = []
        self.epochs: list[str] = []
        self.tips: dict[tuple[str, str], list[str]] = {}
        nothing: list[Any] = [None, 5, 0, True, "", "x", "hello world!!", [], {}]
        lists: list[Any] = [[None], [5], ["x"], {"a": 1}]
        self.junk = [*nothing, *lists, self.lost[0], self.ids[0], self.feeds[0].id]

    def messages(self, count: int) -> Iterator[Message]:
        at = AT
        for _ in range(count):
            feed = self.dice.choice(self.feeds)
            content = self.content(feed)
            at += self.dice.randint(-1000, 90_000)
            message = feed.publish(content, at)
            yield message
            self.place(message)
            if feed.sequence > 1 and self.is_odd(0.05):
                feed.rewind(message)

    def is_odd(self, chance: float) -> bool:
        return self.dice.random() < chance * self.oddness

    def content(self, feed: ClassicFeed) -> Json:
        dice = self.dice
        kind = "group/init" if not self.epochs else dice.choices([*KINDS], [*KINDS.values()])[0]
        root = self.epochs[0] if self.epochs and dice.random() < 0.9 else None
        group = dice.choice(self.ids) if self.is_odd(0.3) else self.ids[0]
        tangles = {"group": self.field("group", root)}
        content: Json = {"type": kind, "recps": [group]}
        if kind == "group/init":
            content |= self.epoch(feed, group, root, tangles)
        elif kind in ("group/add-member", "group/exclude-member", "group/exclude"):
            content |= self.change(kind, group, tangles)
        elif kind == "group/po-box":
            tangles["poBox"] = self.field("poBox", root)
        elif dice.random() < 0.6:
            content |= {"root": self.any_id(), "branch": dice.choice([self.some(), self.any_id()])}
        if root is None and kind == "group/init" and not self.is_odd(0.3):
            del content["recps"]
        elif self.is_odd(0.1):
            lists = [self.junk, [feed.id], self.lost, [], "x", 5]
            content["recps"] = dice.choice(lists)
        if self.is_odd(0.15):
            name = dice.choice(["other", "thread", "Group", "", "a b", "epoch", "members"])
            tangles[name] = dice.choice([dice.choice(self.junk), self.field("other", None)])
        content["tangles"] = dice.choice(self.junk) if self.is_odd(0.03) else tangles
        return content

    def epoch(self, feed: ClassicFeed, group: str, root: str | None, tangles: Json) -> Json:
        dice, content = self.dice, dict[str, Any]()
        if not self.is_odd(0.2):
            tangles["epoch"] = self.field("epoch", root)
        if not self.is_odd(0.15):
            tangles["members"] = self.field("members", None)
        if dice.random() < 0.5:
            content["recps"] = [group, feed.id]
        if dice.random() < 0.2:
            content["name"] = dice.choice(["Soup", {"set": "x"}, 5, ""])
        if dice.random() < 0.4:
            content["secret"] = base64_text(dice.randbytes(dice.choice([32, 32, 16, 48])))
        return content

    def change(self, kind: str, group: str, tangles: Json) -> Json:
        dice = self.dice
        epoch = self.any_id() if self.is_odd(0.15) else dice.choice(self.epochs[-3:])
        tangles["members"] = self.field("members", epoch)
        people = dice.sample(self.feeds, dice.randint(0, len(self.feeds)))
        if kind != "group/add-member":
            excluded = [self.excluded(person) for person in people]
            return {"excludes": dice.choice(self.junk) if self.is_odd(0.05) else excluded}
        root = dice.choice(self.junk) if self.is_odd(0.1) else self.epochs[0]
        content = {"root": root, "recps": [group, *(person.id for person in people)]}
        if dice.random() < 0.4:
            content["secret"] = base64_text(dice.randbytes(32))
        return content

    def excluded(self, person: ClassicFeed) -> str | Json:
        if self.dice.random() < 0.5:
            return person.id
        feed = self.dice.choice([person.id, self.feeds[0].id, None, 5])
        sequence = self.dice.choice([0, 1, 2, 3, None, 2.5, "x", -1])
        return {"id": person.id, "groupFeedId": feed, "sequence": sequence}

    def field(self, kind: str, root: Any) -> Any:
        dice = self.dice
        if self.is_odd(0.08):
            return dice.choice(self.junk)
        if self.is_odd(0.06):
            return {"root": self.any_id(), "previous": dice.choice([*self.junk, self.some()])}
        if root is None:
            return NOTHING
        tips = self.tips.get((kind, str(root)), [root])
        if kind == "epoch" and dice.random() < 0.4:
            # A fork: it follows an epoch that others follow, too.
            tips = [dice.choice(self.epochs)]
        return {"root": root, "previous": self.some() if self.is_odd(0.25) else tips}

    def any_id(self) -> Any:
        return self.dice.choice([*self.known, *self.lost, *self.junk])

    def some(self) -> list[str]:
        pool = [*self.known, *self.lost, self.ids[0]]
        return self.dice.sample(pool, self.dice.randint(0, 2))

    def place(self, message: Message) -> None:
        """Later messages know of this one."""
        self.known.append(message.key if self.is_odd(0.1) else message.uri)
        if message.content["type"] == "group/init":
            self.epochs.append(message.uri)
        tangles = message.content["tangles"]
        for kind, field in tangles.items() if isinstance(tangles, dict) else ():
            if isinstance(field, dict) and isinstance(field.get("previous"), list | None):
                root = message.uri if field.get("root") is None else field["root"]
                previous = field.get("previous") or []
                if isinstance(root, str):
                    tips = self.tips.get((kind, root), [root])
                    tips = [one for one in tips if one not in previous]
                    self.tips[kind, root] = [*tips, message.uri]
