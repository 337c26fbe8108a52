"""Graphs of messages: each message with those that it lists."""

from __future__ import annotations

import random
from collections.abc import Iterable
from functools import cache
from itertools import combinations, compress, permutations, product

Graph = dict[str, list[str]]


def random_graph(dice: random.Random, ids: Iterable[str]) -> Graph:
    """Messages, each listing one or two before it. The order of ids does not follow that of messages."""
    names = [*ids]
    dice.shuffle(names)
    return {
        name: dice.sample(names[:at], dice.randint(1, min(at, 2))) if at else []
        for at, name in enumerate(names)
    }


@cache
def dags_of(names: str) -> list[Graph]:
    """Every graph of these events without loops."""
    links = set()
    for in_time in permutations(names):
        possible = list(combinations(in_time, 2))
        for chosen in product([False, True], repeat=len(possible)):
            links.add(frozenset(compress(possible, chosen)))
    return [
        {name: [early for early, late in chosen if late == name] for name in names}
        for chosen in sorted(map(sorted, links))
    ]
