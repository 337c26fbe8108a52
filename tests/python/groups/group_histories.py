"""Histories of groups as people and outsiders may write them. Each writes from what has reached them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping

from group_oracle import ROOT, TYPES, LogMessage
from oracles import fixpoint_graph, tangle_candidates
from scuttlehouse.groups.repairs import Repair

MEMBERS = "abcde"
OUTSIDERS = "xy"
STEPS = 22


class History:
    """A group that is being made. Everybody has a view: the messages that have reached them.

    ``is_forged``: a stranger writes messages without signed bytes, in anybody's name, under the ids of most
    messages that nobody has.
    """

    def __init__(self, seed: int, *, is_forged: bool = False) -> None:
        self.dice = random.Random(seed)
        self.entries: list[LogMessage] = []
        self.views: dict[str, set[str]] = {person: set() for person in MEMBERS + OUTSIDERS}
        self.lost: set[str] = set()
        self.forged: list[LogMessage] = []
        self.is_careful = False
        self.epochs: list[str] = []
        members = ROOT if self.dice.random() < 0.97 else {"root": None, "previous": []}
        self.root = self.say(
            "a", "group/init", {"group": ROOT, "epoch": ROOT, "members": members}, key=self.key()
        )
        self.epochs.append(self.root)
        self.add("a", self.root, set(self.dice.sample(MEMBERS, self.dice.choice([3, 5, 5]))))
        self.sync(*MEMBERS)
        for _ in range(self.dice.randint(2, STEPS)):
            self.step()
        if is_forged:
            # More is missing than nobody has: the log is that of few people.
            self.lost |= {one.id for one in self.entries[1:] if self.dice.random() < 0.04}
            self.forged = [
                self.forgery(one) for one in sorted(self.lost) if self.dice.random() < 0.8
            ]

    @property
    def log(self) -> list[LogMessage]:
        return [entry for entry in self.entries if entry.id not in self.lost] + self.forged

    def forgery(self, message: str) -> LogMessage:
        """A message without signed bytes. It lists what it likes: also what lists it.

        Or it is the true message, opened by software that does not keep the signed bytes.
        """
        dice = self.dice
        if dice.random() < 0.4:
            true = next(entry for entry in self.entries if entry.id == message)
            return true._replace(is_signed=False)
        everything = [entry.id for entry in self.entries]
        type = dice.choice(["post", "group/init", "group/add-member", "group/exclude-member"])

        def field(root: str, ids: list[str]) -> dict[str, object]:
            return {"root": root, "previous": dice.sample(ids, min(len(ids), dice.randint(1, 2)))}

        fields: dict[str, object] = {"group": field(self.root, everything)}
        if type == "group/init":
            fields |= {"epoch": field(self.root, self.epochs), "members": ROOT}
        elif type != "post":
            epoch = dice.choice(self.epochs)
            fields["members"] = field(epoch, dice.choice([everything, [epoch]]))
        author = dice.choice(MEMBERS + OUTSIDERS)
        people = frozenset(dice.sample(MEMBERS + OUTSIDERS, 2))
        epoch_of_post = dice.choice(self.epochs) if type == "post" else None
        return LogMessage(message, author, type, fields, people, None, 0, epoch_of_post, False)

    def mend(
        self, repairs: Iterable[Repair], members: Mapping[str, frozenset[str]], is_seen: bool
    ) -> None:
        """Publish repairs, as somebody with the whole log would: additions first, then each new epoch.

        ``is_seen``: a new epoch's first message knows of the exclusion that it is made for.
        """
        found, people = list(repairs), dict(members)
        creators = {entry.id: entry.author for entry in self.entries}
        for epoch, action, person, *_ in found:
            if action == "add" and person:
                self.speak_as(creators[epoch])
                self.change(creators[epoch], epoch, "group/add-member", {person})
                people[epoch] |= {person}
        for base in [one[0] for one in found if one[1] == "create_epoch"]:
            out = {one[2] for one in found if one[:2] == (base, "exclude") and one[2]}
            remaining = people[base] - out
            author = min(remaining)
            self.speak_as(author)
            self.succeed(author, base, out, set(remaining), is_seen)

    def succeed(
        self,
        author: str,
        base: str,
        out: set[str],
        members: set[str],
        is_seen: bool | None = None,
    ) -> None:
        """Exclude people in an epoch, and create the one after it."""
        if is_seen is None:
            is_seen = self.dice.random() < 0.5
        before = self.field(author, "group", self.root)
        self.change(author, base, "group/exclude-member", out)
        after = self.field(author, "group", self.root)
        fields = {
            "epoch": {"root": self.root, "previous": [base]},
            "group": after if is_seen else before,
            "members": ROOT,
        }
        init = self.say(author, "group/init", fields, key=self.key())
        self.epochs.append(init)
        if members:
            self.change(author, init, "group/add-member", members)

    def speak_as(self, person: str) -> None:
        """From now on the person has the whole log, and says nothing odd."""
        self.views[person] |= {entry.id for entry in self.log}
        self.views[person] -= self.lost
        self.is_careful = True

    def step(self) -> None:
        dice = self.dice
        author = dice.choice("aaaabbb" + MEMBERS + OUTSIDERS)
        known = [epoch for epoch in self.epochs if epoch in self.views[author]]
        if dice.random() < 0.15 or not known:
            self.sync(author, dice.choice(MEMBERS + OUTSIDERS))
            return
        epoch = dice.choice(known[-2:])
        act = dice.choice(["found", "found", "exclude", "exclude", "add", "post"])
        if act == "found":
            self.found(author, known)
        elif act == "exclude":
            self.exclude(author, epoch, set(dice.sample(MEMBERS + OUTSIDERS, dice.randint(1, 2))))
        elif act == "add":
            self.add(author, epoch, set(dice.sample(MEMBERS + OUTSIDERS, dice.randint(1, 3))))
        else:
            self.say(author, "post", {"group": self.field(author, "group", self.root)}, epoch=epoch)
        if dice.random() < 0.02:
            self.lost.add(self.entries[-1].id)

    def found(self, author: str, known: list[str]) -> None:
        dice = self.dice
        tips = self.tips(author, "epoch", self.root)
        previous = tips if dice.random() < 0.4 else dice.sample(known, min(len(known), 1))
        members: object = ROOT if dice.random() < 0.93 else dice.choice([None, {"root": None}])
        fields = {
            "epoch": {"root": self.root, "previous": previous},
            "group": self.field(author, "group", self.root),
            "members": members,
        }
        init = self.say(author, "group/init", fields, key=self.key())
        self.epochs.append(init)
        if dice.random() < 0.9:
            few = set(dice.sample(MEMBERS, dice.randint(1, 4))) | {author}
            self.add(author, init, dice.choice([few, set("abc"), set("abcd"), set("bd")]))
        if dice.random() < 0.5:
            self.sync(*MEMBERS)

    def sync(self, *people: str) -> None:
        together = set().union(*(self.views[person] for person in people))
        for person in people:
            self.views[person] |= together

    def add(self, author: str, epoch: str, people: set[str]) -> None:
        self.change(author, epoch, "group/add-member", people)

    def exclude(self, author: str, epoch: str, people: set[str]) -> None:
        self.change(author, epoch, "group/exclude-member", people)

    def change(self, author: str, epoch: str, type: str, people: set[str]) -> None:
        fields = {
            "members": self.field(author, "members", epoch),
            "group": self.field(author, "group", self.root),
        }
        self.say(author, type, fields, frozenset(people))

    def field(self, author: str, kind: str, root: str) -> object:
        """What a message lists: usually the tips in its author's view, sometimes an id that nobody has."""
        if not self.is_careful and self.dice.random() < 0.03:
            return None
        is_made_up = not self.is_careful and self.dice.random() < 0.02
        made_up = ["nothing"] if is_made_up else []
        return {"root": root, "previous": self.tips(author, kind, root) + made_up}

    def tips(self, author: str, kind: str, root: str) -> list[str]:
        seen = [entry for entry in self.entries if entry.id in self.views[author]]
        types = TYPES.get(kind)
        candidates = tangle_candidates(
            [
                (s.id, s.fields.get(kind))
                for s in seen
                if not types or s.id == root or s.type in types
            ],
            root,
        )
        graph = fixpoint_graph(candidates)
        listed = {one for message in graph for one in candidates[message] or ()}
        return sorted(graph - listed) or [root]

    def key(self) -> bytes | None:
        dice = self.dice
        # Few different keys, so that some are equal; their base64 is not hex.
        length = dice.choice([32, 32, 32, 48, 34, 16])
        if dice.random() < 0.1:
            return None
        return bytes(dice.choice(b"\x3f\xf7") for _ in range(2)) * (length // 2)

    def say(
        self,
        author: str,
        type: str,
        fields: dict[str, object],
        people: frozenset[str] = frozenset(),
        key: bytes | None = None,
        epoch: str | None = None,
    ) -> str:
        time = None if self.dice.random() < 0.1 else self.dice.randrange(6)
        # The order of ids does not follow the order of writing.
        message = f"{self.dice.randrange(16**6):06x}{len(self.entries)}"
        self.entries.append(LogMessage(message, author, type, fields, people, key, time, epoch))
        self.views[author].add(message)
        return message


class ForkedHistory(History):
    """A group of careful people with many forks. They act in epochs that they know they are members of."""

    def step(self) -> None:
        dice = self.dice
        self.is_careful = True
        author = dice.choice(MEMBERS)
        own = [epoch for epoch in self.epochs if author in self.declared(author, epoch)]
        act = dice.choice(["found", "found", "found", "add", "post", "sync", "sync", "meet"])
        if act == "meet":
            self.sync(*MEMBERS)
        elif act == "sync" or not own:
            self.sync(author, dice.choice(MEMBERS))
        elif act == "found":
            self.split(author, dice.choice(own[-3:]))
        elif act == "add":
            self.add(author, dice.choice(own[-3:]), set(dice.sample(MEMBERS, dice.randint(1, 2))))
        else:
            field = self.field(author, "group", self.root)
            self.say(author, "post", {"group": field}, epoch=dice.choice(own))

    def split(self, author: str, epoch: str) -> None:
        """Exclude one or two people, and create the epoch without them."""
        others = sorted(self.declared(author, epoch) - {author})
        if others:
            out = set(self.dice.sample(others, min(len(others), self.dice.randint(1, 2))))
            members = self.declared(author, epoch) - out if self.dice.random() < 0.9 else set()
            self.succeed(author, epoch, out, members)

    def declared(self, person: str, epoch: str) -> set[str]:
        """The members of an epoch, as far as a person knows."""
        found = set[str]()
        for entry in self.entries:
            field = entry.fields.get("members")
            is_known = entry.type == "group/add-member" and entry.id in self.views[person]
            if is_known and isinstance(field, dict) and field["root"] == epoch:
                found |= entry.people
        return found
