"""Private groups as people write them. Everybody writes from their own view of what has reached them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from scuttlehouse.sample.signing import ClassicFeed, Message, base64_text, uri_text
from scuttlehouse.sample.summary import EpochSummary, ForkSummary, GroupSummary
from scuttlehouse.sample.views import Step, View
from scuttlehouse.sample.world import EXPORTERS, World

MOST_RECPS = 15
"""An add-member message adds at most this many members. More members take several messages."""


@dataclass
class Epoch:
    """An epoch: its key, its init message, and the people in its add-member messages."""

    label: str
    key: bytes
    key_rank: int
    creator: str
    previous: list[str]
    init: str = ""
    members: list[str] = field(default_factory=list)
    readers: set[str] = field(default_factory=set)


class Group:
    """A group that is being made. Epochs have labels, people have names.

    `keys` lists the labels in the order of the epoch keys, least first. So the author of a scene decides
    who wins a tie.
    """

    def __init__(self, world: World, name: str, people: list[str], keys: list[str]) -> None:
        self.world = world
        self.name = name
        self.people = people
        self.id = f"ssb:identity/group/{uri_text(world.bytes_for(f'group {name}'))}"
        self.root = ""
        self.message_count = 0
        self._place = 0
        self._is_opened = any(name in people for name in EXPORTERS)
        self.epochs: dict[str, Epoch] = {}
        self.forks: list[ForkSummary] = []
        self.excluded: list[tuple[str, str]] = []
        self.views = {person: View(person) for person in people}
        self._keys = dict(zip(keys, self._sorted_keys(len(keys)), strict=True))
        self._feeds: dict[tuple[str, str], ClassicFeed] = {}

    def _sorted_keys(self, count: int) -> list[bytes]:
        """Keys in ascending order. In base64 text the last one would come first."""
        keys = sorted(self.world.secret_for(f"{self.name} {n}") for n in range(count))
        if count > 1:
            keys[0] = bytes([keys[0][0] & 0x3F]) + keys[0][1:]
            keys[-1] = bytes([keys[-1][0] | 0xD0]) + keys[-1][1:]
            self.world.secrets[-count:] = keys
        return keys

    def feed(self, person: str, label: str) -> ClassicFeed:
        """The feed of `person` in the epoch `label`. It is announced when it is first needed."""
        if (person, label) not in self._feeds:
            epoch = self.epochs[label]
            feed = ClassicFeed(self.world.bytes_for(f"{self.name} {label} {person}"))
            self._feeds[person, label] = feed
            self.world.person(person).announce_epoch(feed, epoch.key, epoch.readers)
        return self._feeds[person, label]

    def start(self, creator: str, label: str, members: list[str]) -> None:
        """Create the group with its first epoch. Add `members` besides the creator."""
        epoch = self._new_epoch(label, creator, [])
        content = self._init_content(epoch)
        content["tangles"] = {
            name: {"root": None, "previous": None} for name in ("group", "epoch", "members")
        }
        feed = self.feed(creator, label)
        message = self.world.publish(feed, content, epoch.readers)
        self.root = epoch.init = message.uri
        if self._is_opened:
            for kind in ("group", "epoch", "members"):
                self.world.tangles.begin(kind, self.root)
        tangles: dict[str, list[str] | None] = {
            "group": None,
            "epoch": None,
            f"members {self.root}": None,
        }
        self._record(creator, message, epoch, tangles)
        self.add(creator, label, [creator], old_secrets=[])
        self.add(creator, label, members, old_secrets=[])

    def found(self, creator: str, label: str, previous: list[str], members: list[str]) -> None:
        """Create the epoch `label` after `previous`, for `members`. It may have no members."""
        epoch = self._new_epoch(label, creator, previous)
        feed = self.feed(creator, label)
        group = self.tips(creator, "group")
        epochs = [self.epochs[name].init for name in previous]
        content = self._init_content(epoch)
        content["tangles"] = {
            "members": {"root": None, "previous": None},
            "group": {"root": self.root, "previous": group},
            "epoch": {"root": self.root, "previous": epochs},
        }
        content["recps"] = [self.id, self.world.person(creator).root.id]
        message = self.world.publish(feed, content, epoch.readers)
        epoch.init = message.uri
        if self._is_opened:
            self.world.tangles.begin("members", message.uri)
        self._record(
            creator,
            message,
            epoch,
            {"group": group, "epoch": epochs, f"members {message.uri}": None},
        )
        if members:
            self.add(creator, label, members)

    def add(
        self,
        author: str,
        label: str,
        names: list[str],
        *,
        old_secrets: list[str] | None = None,
        secret_of: str | None = None,
        text: str | None = None,
    ) -> None:
        """Add `names` to the epoch `label`, in as many messages as needed.

        With `secret_of`, the message has the key of another epoch than that of its members tangle, as
        publishing software does while two epochs compete.
        """
        epoch, world = self.epochs[label], self.world
        for start in range(0, len(names), MOST_RECPS):
            added = names[start : start + MOST_RECPS]
            content: dict[str, Any] = {
                "type": "group/add-member",
                "version": "v2",
                "secret": base64_text(self.epochs[secret_of or label].key),
            }
            if old_secrets is not None:
                content["oldSecrets"] = [base64_text(self.epochs[old].key) for old in old_secrets]
            content["root"] = self.root
            content["creator"] = world.person(self.epochs[self._first()].creator).root.id
            if text is not None:
                content["text"] = text
            content["recps"] = [self.id, *(world.person(name).root.id for name in added)]
            for known in [secret_of or label, *(old_secrets or [])]:
                self.epochs[known].readers.update(added)
            epoch.members.extend(name for name in added if name not in epoch.members)
            self._publish(author, epoch, content, world.person(author).additions, with_members=True)

    def exclude(self, author: str, label: str, names: list[str], as_objects: bool = False) -> None:
        """Exclude `names` in the epoch `label`, as ids or as objects (ruling R17).

        A person who has not written there has no feed for an object, so an id names them.
        """
        excludes: list[Any] = []
        for name in names:
            root = self.world.person(name).root.id
            self.excluded.append((label, name))
            if as_objects and (name, label) in self._feeds:
                feed = self._feeds[name, label]
                excludes.append({"id": root, "groupFeedId": feed.id, "sequence": feed.sequence})
            else:
                excludes.append(root)
        content = {"type": "group/exclude-member", "excludes": excludes, "recps": [self.id]}
        self._publish(
            author, self.epochs[label], content, self.feed(author, label), with_members=True
        )

    def post(self, author: str, label: str, text: str, *, lost: bool = False) -> Message:
        """Write to the group in the epoch `label`. A `lost` message is in no file."""
        content = {"type": "post", "text": text, "recps": [self.id]}
        return self._publish(
            author, self.epochs[label], content, self.feed(author, label), lost=lost
        )

    def tips(self, author: str, tangle: str) -> list[str]:
        """The tips of `tangle` that `author` sees, shuffled as in publishing software."""
        tips = list(self.views[author].tips[tangle])
        self.world.random.shuffle(tips)
        return tips

    def writers(self, *labels: str) -> list[str]:
        """The people who hold the keys of all these epochs and have seen their first messages."""
        begun = [f"members {self.epochs[label].init}" for label in labels]
        return [
            person
            for person in self.people
            if all(tangle in self.views[person].tips for tangle in begun)
        ]

    def sync(self, *names: str) -> None:
        """Let `names`, or everybody, replicate from one another until they hold the same messages."""
        views = [self.views[name] for name in names or self.people]
        for _ in range(2):
            for view in views:
                for other in views:
                    if other is not view:
                        view.pull(other)

    def close(self, preferred: dict[str, str], group_preferred: str | None) -> GroupSummary:
        """The summary of the finished group."""
        listed = {old for epoch in self.epochs.values() for old in epoch.previous}
        epochs = [
            EpochSummary(
                epoch.label,
                epoch.init,
                epoch.creator,
                epoch.key_rank,
                epoch.previous,
                sorted(epoch.members),
                epoch.label not in listed,
            )
            for epoch in self.epochs.values()
        ]
        summary = GroupSummary(
            self.name,
            self.id,
            self.root,
            self._is_opened,
            self.message_count,
            epochs,
            self.forks,
            preferred,
            group_preferred,
            self.excluded,
            [(feed.id, person, label) for (person, label), feed in self._feeds.items()],
        )
        self.world.summary.groups.append(summary)
        return summary

    def _first(self) -> str:
        return next(iter(self.epochs))

    def _new_epoch(self, label: str, creator: str, previous: list[str]) -> Epoch:
        rank = list(self._keys).index(label)
        epoch = Epoch(label, self._keys[label], rank, creator, previous, readers={creator})
        self.epochs[label] = epoch
        return epoch

    def _init_content(self, epoch: Epoch) -> dict[str, Any]:
        return {"type": "group/init", "version": "v2", "secret": base64_text(epoch.key)}

    def _publish(
        self,
        author: str,
        epoch: Epoch,
        content: dict[str, Any],
        feed: ClassicFeed,
        *,
        with_members: bool = False,
        lost: bool = False,
    ) -> Message:
        """Publish `content` with the tips that `author` sees."""
        tangles: dict[str, list[str] | None] = {"group": self.tips(author, "group")}
        content["tangles"] = {"group": {"root": self.root, "previous": tangles["group"]}}
        if with_members:
            members = self.tips(author, f"members {epoch.init}")
            tangles[f"members {epoch.init}"] = members
            content["tangles"]["members"] = {"root": epoch.init, "previous": members}
        exporters = () if lost else None
        message = self.world.publish(feed, content, epoch.readers, exporters=exporters)
        self._record(author, message, epoch, tangles, lost=lost)
        return message

    def _record(
        self,
        author: str,
        message: Message,
        epoch: Epoch,
        tangles: dict[str, list[str] | None],
        *,
        lost: bool = False,
    ) -> None:
        """Record a published message in its author's view and in the book of tangles."""
        self.message_count += not lost
        self._place += 1
        step = Step(self._place, message.uri, epoch.readers, tangles)
        self.views[author].take([step])
        for tangle, previous in tangles.items():
            kind, _, init = tangle.partition(" ")
            if previous is not None and self._is_opened and not lost:
                self.world.tangles.add(kind, init or self.root, message.uri, previous)
