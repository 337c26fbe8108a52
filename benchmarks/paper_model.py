"""Tangles and deliveries of the ScuttleSort paper (section 4), for the benchmarks."""

from __future__ import annotations

import random
from base64 import urlsafe_b64encode
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple

import pyarrow as pa


class Event(NamedTuple):
    """An event of a feed: its feed, and the numbers of the events that it lists. Its number is its index."""

    feed: int
    after: tuple[int, ...]


def pairs(size: int, feeds: int, dice: random.Random) -> Iterator[tuple[int, int]]:
    """The steps of the paper: two feeds, picked at random and extended at once."""
    for _ in range(size // 2):
        first, second = dice.sample(range(feeds), 2)
        yield first, second


def active_and_silent(
    size: int, active: int, silent: int, dice: random.Random
) -> Iterator[tuple[int, ...]]:
    """As ``pairs`` for the active feeds. Each silent feed has one event, at any time."""
    steps: list[tuple[int, ...]] = [*pairs(size - silent, active, dice)]
    steps += [(active + feed,) for feed in range(silent)]
    dice.shuffle(steps)
    return iter(steps)


def tangle(steps: Iterable[tuple[int, ...]], cross_references: int = 1) -> list[Event]:
    """A tangle in the order in which it was generated.

    The events of a step list only events before the step. An event lists the event before it in its feed,
    and the tips of other feeds with the highest rank, as many as asked for: the paper's longest feeds. If
    tips have equal rank, the older ones are listed.
    """
    events: list[Event] = []
    ranks: list[int] = []
    tips: dict[int, int] = {}
    # The tips with the highest rank, one more than are listed. A tip leaves only when the next event of its
    # feed replaces it, so no other tip can move up.
    longest: list[int] = []
    for step in steps:
        made = []
        for feed in step:
            own = tips.get(feed)
            others = [tip for tip in longest if tip != own][:cross_references]
            made.append(Event(feed, tuple(others if own is None else [own, *others])))
        for event in made:
            number = len(events)
            longest = [tip for tip in longest if tip != tips.get(event.feed)] + [number]
            tips[event.feed] = number
            events.append(event)
            ranks.append(1 + max((ranks[one] for one in event.after), default=-1))
        longest = sorted(longest, key=lambda tip: (-ranks[tip], tip))[: cross_references + 1]
    return events


def random_feeds(events: Sequence[Event], dice: random.Random) -> list[int]:
    """A delivery: each time the next event of any feed that still has one."""
    waiting: defaultdict[int, list[int]] = defaultdict(list)
    for number in reversed(range(len(events))):
        waiting[events[number].feed].append(number)
    feeds = list(waiting)
    delivery = []
    while feeds:
        place = dice.randrange(len(feeds))
        delivery.append(waiting[feeds[place]].pop())
        if not waiting[feeds[place]]:
            feeds[place] = feeds[-1]
            feeds.pop()
    return delivery


def message_id(number: int) -> str:
    digest = sha256(str(number).encode()).digest()
    return f"ssb:message/classic/{urlsafe_b64encode(digest).decode()}"


def named(events: Sequence[Event], delivery: Iterable[int]) -> list[tuple[str, list[str]]]:
    """Events as they are delivered, with message ids in place of numbers."""
    ids = [message_id(number) for number in range(len(events))]
    return [(ids[number], [ids[one] for one in events[number].after]) for number in delivery]


def columns(delivered: Sequence[tuple[str, list[str]]]) -> tuple[pa.Array, pa.Array]:
    """The arguments of ``Timeline.extend``."""
    names = pa.array([name for name, _ in delivered], pa.large_string())
    after = pa.array([listed for _, listed in delivered], pa.large_list(pa.large_string()))
    return names, after
