"""Random threads, odd ones among them, and what rulings R6 to R8, R11, R13 and R39 say of each message."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from oracles import ThreadPost, fixpoint_graph, graph_tips, kahn_order, longest_paths, uri
from scuttlehouse.sample.signing import ClassicFeed, Signer, base64_text, uri_text

Json = dict[str, Any]
AT = 1_704_067_200_000
NO_ID = "nothing that is an id"


class Post(NamedTuple):
    """A message as its author wrote it. ``content`` is None if nobody opened it."""

    content: Json | None
    is_valid: bool
    time: int


class Place(NamedTuple):
    """What fct_tangle_messages says of a message in a thread, then fct_thread_messages."""

    status: str
    rank: int | None
    position_in_graph: int | None
    is_root: bool
    is_tip: bool
    attached_by: str | None
    position: int | None
    is_concurrent: bool | None


@dataclass
class OddThreads:
    """Messages that name each other as roots and branches, in both spellings of a thread."""

    dice: random.Random
    posts: dict[str, Post] = field(default_factory=dict)
    lines: list[Json] = field(default_factory=list)

    @classmethod
    def write(cls, seed: int, size: int) -> OddThreads:
        threads = cls(random.Random(f"odd threads {seed}"))
        dice = threads.dice
        feeds = [ClassicFeed(dice.randbytes(32)) for _ in range(3)]
        # What is not checked can have an id that others know before: it may be in a loop, or its own root.
        own, *unchecked = (threads.unchecked_id() for _ in range(1 + size // 10))
        lost = [f"ssb:message/classic/{uri_text(dice.randbytes(32))}"]
        members = {root: [root] for root in (own, lost[0])}
        for number in range(size):
            is_root = not number % (size // 4)
            root = dice.choice([*members])
            content = dice.choice([{}, {"tangles": {"thread": nothing()}}])
            if not is_root:
                others = [*lost, *unchecked, *dice.choice([*members.values()])]
                near = others if dice.random() < 0.1 else members[root][-6:]
                content = threads.reply(root, dice.choices(near, k=dice.choice([1, 1, 2])))
            content["type"] = dice.choice(["post", "post", "vote", "poll"])
            if not is_root and unchecked and dice.random() < 0.1:
                written = threads.unchecked(unchecked.pop(), content)
            else:
                written = threads.signed(dice.choice(feeds), content)
            members.setdefault(written if is_root else root, []).append(written)
        threads.unchecked(own, {"type": "post", "root": own, "branch": members[own][-1]})
        return threads

    def reply(self, root: str, some: list[str]) -> Json:
        """A message that names its root and what it answers, in one of the two spellings or in both."""
        dice = self.dice
        odd: list[Any] = [None, 5, NO_ID, "", [], {}, [5], {"link": 5}, [some]]
        said: Json = {"root": self.spelled(root), "previous": [*map(self.spelled, some)]}
        forms = [some[0], some, some * 2, {"link": some[0]}, [{"link": some[0]}]]
        old: Json = {"root": dice.choice([self.spelled(root), {"link": root}])}
        if dice.random() < 0.9:
            old["branch"] = dice.choice(odd) if dice.random() < 0.1 else dice.choice(forms)
        if dice.random() < 0.1:
            said[dice.choice(["root", "previous"])] = dice.choice(odd)
        new = {"tangles": {"thread": dice.choice(odd) if dice.random() < 0.05 else said}}
        return dice.choice([new, new, old, old, old | new])

    def spelled(self, name: str) -> str:
        kind, _, key = name.removeprefix("ssb:message/").partition("/")
        end = "sha256" if kind == "classic" else "ggmsg-v1"
        sigil = key.replace("-", "+").replace("_", "/")
        return self.dice.choice([name, name, f"%{sigil}.{end}", f"ssb:message:{kind}:{key}"])

    def unchecked_id(self) -> str:
        return f"ssb:message/gabbygrove-v1/{uri_text(self.dice.randbytes(32))}"

    def unchecked(self, name: str, content: Json) -> str:
        feed = f"ssb:feed/gabbygrove-v1/{uri_text(self.dice.randbytes(32))}"
        value = {"author": feed, "sequence": 1, "previous": None, "content": content}
        self.take(
            name,
            {"key": name, "value": value | {"signature": "x.sig.ed25519"}},
            Post(content, True, 0),
        )
        return name

    def signed(self, feed: ClassicFeed, content: Json) -> str:
        dice = self.dice
        signer = Signer(dice.randbytes(32)) if dice.random() < 0.03 else None
        sealed = f"{base64_text(dice.randbytes(40))}.box2" if dice.random() < 0.05 else None
        at = AT + dice.randrange(1000)
        message = feed.publish(content, at, ciphertext=sealed, signer=signer)
        post = Post(None if sealed else content, signer is None, at)
        self.take(message.uri, {"key": message.key, "value": message.value}, post)
        return message.uri

    def take(self, name: str, line: Json, post: Post) -> None:
        """Receive a message, before or after the time that its author asserts. Some are lost."""
        received = AT + self.dice.randrange(1000)
        line["value"].setdefault("timestamp", received)
        time = min(line["value"]["timestamp"], received)
        if self.dice.random() < 0.97:
            self.posts[name] = post._replace(time=time)
            self.lines.append(line | {"timestamp": received})


def nothing() -> Json:
    return {"root": None, "previous": None}


def ids(value: Any, *, with_links: bool) -> list[str] | None:
    """The ids of a list. With links (R11), a text or an object may stand for it. None for another form."""
    if with_links:
        listed = value if isinstance(value, list) else [value]
        value = [one.get("link") if isinstance(one, dict) else one for one in listed]
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        return None
    return None if with_links and "" in value else [uri(one) for one in value]


class Named(NamedTuple):
    """What a message says of its thread: its root, None if it is one; its previous, None if unreadable."""

    root: str | None
    previous: list[str] | None


def named(content: Json) -> Named | None:
    """The thread of a message (R6, R11). None if it names no root that can be read."""
    said = content.get("tangles", {}).get("thread")
    if said == nothing():
        return Named(None, [])
    if (
        isinstance(said, dict)
        and isinstance(said.get("root"), str)
        and said["root"] not in ("", NO_ID)
    ):
        return Named(uri(said["root"]), ids(said.get("previous"), with_links=False))
    root = ids(content.get("root"), with_links=True)
    if root:
        return Named(root[0], ids(content.get("branch"), with_links=True))
    return None


def places(posts: Mapping[str, Post]) -> dict[tuple[str, str], Place]:
    """The place of each message in each thread with a root that can be read."""
    threads: dict[str, dict[str, Named]] = {}
    for name, post in posts.items():
        said = named(post.content) if post.content else None
        if said:
            threads.setdefault(said.root or name, {})[name] = said
    found = {}
    for root, members in threads.items():
        if root in posts and members.keys() - {root}:
            members[root] = Named(None, [])  # It need not know that it is one.
        for name, place in places_in(root, members, posts).items():
            found[f"thread:{root}", name] = place
    return found


def places_in(
    root: str, members: Mapping[str, Named], posts: Mapping[str, Post]
) -> dict[str, Place]:
    valid = {name: said for name, said in members.items() if posts[name].is_valid}
    candidates = {
        name: None if said.root is None else said.previous
        for name, said in valid.items()
        if said.previous is not None
    }
    graph = fixpoint_graph(candidates)
    tips = graph_tips(candidates, graph)
    listed = {
        name: [one for one in said.previous or () if one in valid] for name, said in valid.items()
    }
    inside = {name: listed[name] for name in graph}
    depths = longest_paths(inside)
    in_graph = {name: place for place, name in enumerate(kahn_order(timed(inside, posts)))}
    whole = {name: [one for one in listed[name] if one != name] for name in valid}
    looped = [name for name in whole if any(leads_to(one, name, whole) for one in whole[name])]
    # Everything comes after the root, and what is in a loop by its time alone.
    whole |= {name: [] for name in looped}
    order = kahn_order(
        timed({name: [*{*whole[name], root} & {*valid} - {name}] for name in valid}, posts)
    )
    above = {name: other for other, name in pairwise(order)}
    places = {}
    for name, said in members.items():
        status = "in" if name in graph else "set_aside" if name in candidates else "rejected"
        attached = "linked" if name in graph else "branch_missing" if said.previous else "by_time"
        concurrent = above[name] not in (root, *(said.previous or ())) if name in above else None
        places[name] = Place(
            status,
            depths.get(name),
            in_graph.get(name),
            said.root is None,
            name in tips,
            *((attached, order.index(name), concurrent) if name in valid else (None, None, None)),
        )
    return places


def leads_to(start: str, name: str, listed: Mapping[str, list[str]]) -> bool:
    """Whether links lead from one message to another."""
    seen: set[str] = set()
    ahead = [start]
    while ahead:
        one = ahead.pop()
        if one not in seen:
            seen.add(one)
            ahead += listed[one]
    return name in seen


def timed(previous: Mapping[str, list[str]], posts: Mapping[str, Post]) -> dict[str, ThreadPost]:
    return {name: ThreadPost(listed, posts[name].time) for name, listed in previous.items()}
