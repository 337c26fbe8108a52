"""Plain, slow answers, written from the text of the specifications, for tests of the fast ones."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

# Messages of one tangle: the ids that each lists, None for the root.
Candidates = Mapping[str, Sequence[str] | None]
Previous = Mapping[str, Collection[str]]
Members = Mapping[str, frozenset[str]]


def uri(text: str) -> str:
    """A message id in the one spelling of tables (ruling R1). A text that is no id stays."""
    if text.startswith("%"):
        key, _, end = text[1:].partition(".")
        kind = "classic" if end == "sha256" else "gabbygrove-v1"
        return f"ssb:message/{kind}/{key.replace('+', '-').replace('/', '_')}"
    return (
        text.replace("ssb:message:", "ssb:message/")
        .replace("classic:", "classic/")
        .replace("v1:", "v1/")
    )


def tangle_candidates(messages: Iterable[tuple[str, Any]], root: str) -> dict[str, Any]:
    """Tangle specification, 'Members tangle' 1, and ruling R6: the messages that could be in the tangle.

    ``messages`` are pairs of an id and the value of the message's tangle field.
    """
    candidates: dict[str, Any] = {}
    for message, field in messages:
        if not isinstance(field, dict):
            continue
        listed = field.get("previous")
        if message == root and field == {"root": None, "previous": None}:
            candidates[message] = None
        is_list_of_ids = isinstance(listed, list) and all(isinstance(one, str) for one in listed)
        if field.get("root") == root and is_list_of_ids:
            candidates[message] = listed
    return candidates


def fixpoint_graph(candidates: Candidates) -> set[str]:
    """Tangle specification, 'Members tangle' 2, step by step."""
    # a) the graph starts with the root message
    graph = {message for message, listed in candidates.items() if listed is None}
    tips = set(graph)
    while tips:
        # b) for the current tips, find candidates which list that tip in the previous field
        grown = set()
        for tip in tips:
            for message, listed in candidates.items():
                if listed is None or tip not in listed or message in graph:
                    continue
                # check that the graph contains each message in previous; if so, add it
                if all(one in graph for one in listed):
                    grown.add(message)
        # newly added messages constitute new tips; c) repeat till it does not grow
        graph |= grown
        tips = grown
    return graph


def graph_tips(candidates: Candidates, graph: Collection[str]) -> set[str]:
    """Ruling R9: messages in the graph that no message in the graph lists."""
    return set(graph) - {one for message in graph for one in candidates[message] or ()}


class Post(NamedTuple):
    """A candidate with its place in a feed. ``previous`` is None for the root."""

    feed: str
    sequence: int
    previous: Sequence[str] | None


Watermarks = dict[str, int]


def settle_step(posts: Mapping[str, Post], marks: Watermarks) -> Watermarks:
    """One settling step: per feed, the least sequence that the earlier watermarks keep out."""
    stuck: Watermarks = {}
    for post in posts.values():
        if post.previous is None:
            continue
        is_out = not post.previous or any(
            one not in posts or not is_below(posts[one], marks) for one in post.previous
        )
        if is_out:
            stuck[post.feed] = min(post.sequence, stuck.get(post.feed, post.sequence))
    return stuck


def is_below(post: Post, marks: Watermarks) -> bool:
    """Whether a candidate counts as in: the root, or a message below its feed's watermark."""
    return post.previous is None or post.sequence < marks.get(post.feed, post.sequence + 1)


def settled(posts: Mapping[str, Post], marks: Watermarks) -> set[str]:
    return {message for message, post in posts.items() if is_below(post, marks)}


def left_out(posts: Mapping[str, Post], graph: Collection[str]) -> set[str]:
    """The candidates outside that list something and have all their previous inside."""
    return {
        message
        for message, post in posts.items()
        if message not in graph and post.previous and all(one in graph for one in post.previous)
    }


def agrees(posts: Mapping[str, Post], graph: Collection[str]) -> bool:
    """Whether each message is in if and only if it lists something and all of it is in."""
    return all(
        (message in graph) == (bool(post.previous) and all(one in graph for one in post.previous))
        for message, post in posts.items()
        if post.previous is not None
    )


def longest_paths(previous: Previous) -> dict[str, int]:
    """The longest path of known links that ends at each message. A link to itself does not count."""
    lengths = dict.fromkeys(previous, 0)
    for _ in previous:
        for message, listed in previous.items():
            for one in listed:
                if one in previous and one != message:
                    lengths[message] = max(lengths[message], lengths[one] + 1)
    return lengths


def scuttlesort_order(previous: Previous) -> list[str]:
    lengths = longest_paths(previous)
    return sorted(previous, key=lambda message: (lengths[message], message))


def precedence_by_steps(previous: Previous) -> dict[str, dict[str, int]]:
    """Follow the links of all epochs one step at a time, as often as there are epochs."""
    reached: dict[str, dict[str, int]] = {epoch: {} for epoch in previous}
    pairs = {(epoch, one) for epoch in previous for one in previous[epoch] if one in previous}
    step = pairs
    for distance in range(1, len(previous) + 1):
        for epoch, ancestor in step:
            if epoch != ancestor:
                reached[epoch].setdefault(ancestor, distance)
        step = {(epoch, older) for epoch, one in step for newer, older in pairs if one == newer}
    return reached


def nearest_by_definition(
    left: str, right: str, ancestors: Mapping[str, Collection[str]]
) -> set[str]:
    """Section 3: common predecessors that no other common predecessor succeeds."""
    common = {
        epoch
        for epoch in ancestors
        if (epoch == left or epoch in ancestors[left])
        and (epoch == right or epoch in ancestors[right])
    }
    return {x for x in common if not any(x in ancestors[y] for y in common if y != x)}


def preference_by_sets(
    declaring: Collection[str],
    members: Members,
    ancestors: Mapping[str, Collection[str]],
    key_ranks: Mapping[str, int | None],
) -> list[str]:
    """Ruling R21, sentence by sentence: what 4.2, 4.5 and 4.4 leave, the least key first."""
    kept = [e for e in declaring if not any(e in ancestors[other] for other in declaring)]
    kept = [e for e in kept if not any(members[other] < members[e] for other in kept)]

    def comes_before(a: str, b: str) -> bool:
        rank_a, rank_b = key_ranks[a], key_ranks[b]
        if rank_a is None or rank_b is None:
            return rank_a is not None or (rank_b is None and a < b)
        return (rank_a, a) < (rank_b, b)

    kept = [
        e for e in kept if not any(members[o] == members[e] and comes_before(o, e) for o in kept)
    ]
    return sorted(set(kept), key=lambda e: sum(comes_before(other, e) for other in set(kept)))


def missing_members_by_library(
    added: Mapping[str, Collection[str]],
    to_exclude: Mapping[str, Collection[str]],
    ancestors: Mapping[str, Collection[str]],
) -> dict[str, set[str]]:
    """The people whom the publishing JavaScript library would add to each epoch. This is not our ruling R24.

    Declared in the epoch and its ancestors, without those excluded in proper ancestors and those declared in
    the epoch.
    """
    missing = {}
    for epoch in added:
        declared = set(added[epoch]).union(*(added[one] for one in ancestors[epoch]))
        excluded = set[str]().union(*(to_exclude[one] for one in ancestors[epoch]))
        missing[epoch] = declared - excluded - set(added[epoch])
    return missing


class ThreadPost(NamedTuple):
    """A message of a thread: the ids that it lists, and the earlier of its times, None without a time."""

    previous: Sequence[str]
    time: float | None


def thread_key(name: str, post: ThreadPost) -> tuple[float, str]:
    """Ruling R13: a message without a time comes last; ids compare by code point."""
    return (math.inf if post.time is None else post.time, name)


def kahn_order(thread: Mapping[str, ThreadPost]) -> list[str]:
    """Tangle SIP, section 2d, and ruling R13: Kahn's algorithm, one message after the other."""
    placed: list[str] = []
    while len(placed) < len(thread):
        free = [
            name
            for name, post in thread.items()
            if name not in placed and set(post.previous) <= set(placed)
        ]
        placed.append(min(free, key=lambda name: thread_key(name, thread[name])))
    return placed
