"""Which listings are of what a message before lists, too, compared with the ancestors that networkx finds."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scuttlehouse.tangles import listings
from scuttlehouse.tangles.listings import listed_before
from test_reach import Read

Pairs = Sequence[tuple[int, int]]


def find(size: int, links: Pairs, listed: Pairs) -> list[bool]:
    after, before, nodes, places = (
        np.array([pair[side] for pair in pairs], np.int64)
        for pairs in (links, listed)
        for side in (0, 1)
    )
    return listed_before(size, (after, before), nodes, places).tolist()


def expected(size: int, links: Pairs, listed: Pairs) -> Iterable[bool]:
    graph = nx.DiGraph((before, after) for after, before in links)
    graph.add_nodes_from(range(size))
    for node, place in listed:
        yield any((one, place) in listed for one in nx.ancestors(graph, node))


@given(st.randoms(use_true_random=False), st.integers(1, 30))
def test_random_graphs_agree_with_the_definition(dice: random.Random, size: int) -> None:
    names = dice.sample(range(size), size)
    links = [
        (names[node], names[dice.randrange(node)])
        for node in range(1, size)
        for _ in range(dice.randrange(4))
    ]
    listed = list({(dice.randrange(size), dice.randrange(9)) for _ in range(2 * size)})
    assert find(size, links, listed) == [*expected(size, links, listed)]


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**32))
def test_many_places_are_answered_in_parts(seed: int) -> None:
    dice, size = random.Random(seed), 1_500
    names = dice.sample(range(size), size)
    links = [(names[node], names[max(0, node - dice.randint(1, 9))]) for node in range(1, size)]
    far = [(names[dice.randrange(size)], place) for place in range(size) for _ in range(2)]
    listed = list({*far, *links})
    graph = nx.DiGraph((before, after) for after, before in links)
    before = {node: nx.ancestors(graph, node) for node in range(size)}
    listing = {place: {node for node, one in listed if one == place} for _, place in listed}
    answers = [bool(before[node] & listing[place]) for node, place in listed]
    assert find(size, links, listed) == answers
    assert sum(answers) > 100


def reads(monkeypatch: pytest.MonkeyPatch, size: int, links: Pairs, listed: Pairs) -> int:
    """How often the walk reads the links, as plain Python."""
    followers_of = listings.followers_of
    with monkeypatch.context() as patch:
        patch.setattr(
            listings,
            "followers_of",
            lambda *links: [one.view(Read) for one in followers_of(*links)],
        )
        patch.setattr(listings, "walk", listings.walk.py_func)
        patch.setattr(listings, "_find", listings._find.py_func)
        patch.setattr(Read, "times", 0)
        find(size, links, listed)
        return Read.times


def test_places_that_are_listed_close_together_cost_about_one_walk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each of a chain lists the two before it. The last one lists a few of the first ones again."""

    def count(size: int) -> int:
        links = [(node, node - back) for node in range(2, size) for back in (1, 2)]
        again = [(size - 1, place) for place in range(20)]
        return reads(monkeypatch, size, links, [*links, *again])

    assert count(8_000) < 4.5 * count(2_000)
