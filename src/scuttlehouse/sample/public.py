"""Public messages: posts and their threads, votes, names, contacts, and a poll with its own tangle kind."""

from __future__ import annotations

from typing import Any

from scuttlehouse.sample.signing import ClassicFeed, Message
from scuttlehouse.sample.texts import POSTS, REPLIES
from scuttlehouse.sample.world import World


class Thread:
    """A post and its replies, as apps write them: `root`, and `branch` as a string or an array."""

    def __init__(self, world: World, author: str) -> None:
        self.world = world
        self.root = post(world, author)
        self.tips = [self.root]
        world.tangles.begin("thread", self.root.uri)

    def reply(
        self, author: str, branch: list[Message], *, as_list: bool = True, lost: bool = False
    ) -> Message:
        """Reply to `branch`. A `lost` reply is in no file."""
        keys = [message.key for message in branch]
        content = {
            "type": "post",
            "text": self.world.random.choice(REPLIES),
            "root": self.root.key,
            "branch": keys if as_list else keys[0],
        }
        feed = self.world.person(author).main
        message = self.world.publish(feed, content, exporters=() if lost else None)
        if not lost:
            listed = [message.uri for message in branch]
            self.world.tangles.add("thread", self.root.uri, message.uri, listed)
        self.tips = [tip for tip in self.tips if tip not in branch] + [message]
        return message


def post(world: World, author: str, text: str | None = None) -> Message:
    """A plain public post."""
    content = {"type": "post", "text": text or world.random.choice(POSTS)}
    return world.publish(world.person(author).main, content)


def vote(world: World, author: str, message: Message) -> None:
    """A like for `message`."""
    link = {"link": message.key, "value": 1, "expression": "Like"}
    world.publish(world.person(author).main, {"type": "vote", "vote": link})


def introduce(world: World, names: list[str]) -> None:
    """Everybody gives themselves a name and follows the next two people."""
    for place, name in enumerate(names):
        main = world.person(name).main
        world.publish(main, {"type": "about", "about": main.id, "name": name})
        for step in (1, 2):
            friend = world.person(names[(place + step) % len(names)]).main.id
            world.publish(main, {"type": "contact", "contact": friend, "following": True})


def threads(world: World, names: list[str]) -> None:
    """A thread that branches and merges, and a thread with a lost reply."""
    a, b, c, d, e = names[:5]
    thread = Thread(world, a)
    first = thread.reply(b, [thread.root], as_list=False)
    second = thread.reply(c, [thread.root], as_list=False)
    thread.reply(d, [first, second])
    thread.reply(a, thread.tips)
    thread.reply(b, thread.tips, as_list=False)
    vote(world, e, thread.root)
    broken = Thread(world, c)
    broken.reply(a, [broken.root], as_list=False)
    lost = broken.reply(e, [broken.root], lost=True)
    broken.reply(d, [lost])
    broken.reply(b, broken.tips)
    broken.reply(c, [broken.root])
    for name in names:
        vote(world, name, broken.root)
    question = world.person(d).main
    lost = world.publish(question, {"type": "post", "text": "Who is there?"}, exporters=())
    answer = {"type": "post", "text": "I am!", "root": lost.key, "branch": [lost.key]}
    world.summary.rootless.append(world.publish(world.person(e).main, answer).uri)


def private_notes(world: World, sender: str, recipient: str, count: int) -> None:
    """Direct messages in the old encryption, which both ends can open."""
    for _ in range(count):
        feed = world.person(sender).main
        recps = [world.person(recipient).main.id, feed.id]
        content = {"type": "post", "text": world.random.choice(POSTS), "recps": recps}
        world.publish(feed, content, frozenset((sender, recipient)), ending="box")


def poll(world: World, names: list[str]) -> None:
    """A tangle of a kind that no recipe lists, with a forged vote and wrong fields beside it."""
    a, b, c, d = names[:4]
    root = _poll_message(world, a, {"root": None, "previous": None}, "poll")
    uri = root.key
    world.tangles.begin("poll", root.uri)
    first = _poll_message(world, b, {"root": uri, "previous": [uri]})
    second = _poll_message(world, c, {"root": uri, "previous": [uri]})
    third = _poll_message(world, d, {"root": uri, "previous": [first.key, second.key]})
    never = _poll_message(world, b, {"root": uri, "previous": []})
    for message, listed in (
        (first, [root.uri]),
        (second, [root.uri]),
        (third, [first.uri, second.uri]),
        (never, []),
    ):
        world.tangles.add("poll", root.uri, message.uri, listed)
    forger = ClassicFeed(world.bytes_for("stranger who votes"))
    world.forge(forger, _poll_content({"root": uri, "previous": [uri]}))
    wrong: dict[str, Any] = {
        "a string": third.key,
        "an array": [{"root": uri, "previous": [uri]}],
        "nested previous": {"root": uri, "previous": [[uri]]},
        "previous is a string": {"root": uri, "previous": uri},
        "root null with previous": {"root": None, "previous": [uri]},
        "previous null with root": {"root": uri, "previous": None},
        "duplicate in previous": {"root": uri, "previous": [first.key, first.key]},
        "number in previous": {"root": uri, "previous": [uri, 7]},
        "no root": {"previous": [uri]},
        "no previous": {"root": uri},
        "null": None,
    }
    for place, (shape, tangle) in enumerate(wrong.items()):
        message = _poll_message(world, names[place % len(names)], tangle)
        world.summary.wrong_fields[shape] = message.uri
    content = {"type": "post", "text": "This tangles member is a word.", "tangles": "poll"}
    world.summary.wrong_fields["tangles is a string"] = world.publish(
        world.person(a).main, content
    ).uri


def _poll_content(tangle: object, kind: str = "poll-vote") -> dict[str, Any]:
    return {"type": kind, "text": "Soup or salad?", "tangles": {"poll": tangle}}


def _poll_message(world: World, author: str, tangle: object, kind: str = "poll-vote") -> Message:
    return world.publish(world.person(author).main, _poll_content(tangle, kind))
