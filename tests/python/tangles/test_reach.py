"""How many messages come after a missing one, compared with the descendants that networkx finds."""

from __future__ import annotations

import random
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scuttlehouse.tangles import reach
from scuttlehouse.tangles.reach import reach_counts


def assert_counts(size: int, links: list[tuple[int, int]], sources: list[int]) -> None:
    graph = nx.DiGraph((previous, message) for message, previous in links)
    graph.add_nodes_from(range(size))
    messages, previous = (np.array([link[side] for link in links], np.int64) for side in (0, 1))
    counts = reach_counts(size, messages, previous, np.array(sources, np.int64))
    assert counts.tolist() == [len(nx.descendants(graph, source)) for source in sources]


@given(st.randoms(use_true_random=False), st.integers(1, 30))
def test_all_that_comes_after_is_counted_once(dice: random.Random, size: int) -> None:
    """Loops and repeats are among the links."""
    links = [(dice.randrange(size), dice.randrange(size)) for _ in range(dice.randrange(2 * size))]
    assert_counts(size, links, [dice.randrange(size) for _ in range(dice.randint(0, 8))])


@pytest.mark.parametrize("count", [63, 64, 65, 128, 200])
def test_any_number_of_sources(count: int) -> None:
    """Sources are counted 64 at a time. Each has its own answer, and all are before the last node."""
    links = [(node + 1, node) for node in range(count)]
    assert_counts(count + 1, links, [*range(count)])


class Read(np.ndarray):
    """An array that counts how often it is read."""

    times = 0

    def __getitem__(self, key: Any) -> Any:
        Read.times += 1
        return super().__getitem__(key)


def test_sources_that_reach_a_chain_one_after_another_walk_it_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each missing message is needed by one message, and one follows all of these. Then comes a chain."""
    followers_of = reach.followers_of
    monkeypatch.setattr(
        reach, "followers_of", lambda *links: [one.view(Read) for one in followers_of(*links)]
    )
    for name in ("components_of", "_reach"):
        compiled = getattr(reach, name)
        monkeypatch.setattr(reach, name, compiled.py_func)
    count, length = 64, 300
    needing = [(count + source, source) for source in range(count)]
    joint = [(2 * count, node) for node, _ in needing]
    chain = [(2 * count + place + 1, 2 * count + place) for place in range(length)]
    links = [*needing, *joint, *chain]
    monkeypatch.setattr(Read, "times", 0)
    assert_counts(2 * count + length + 1, links, [*range(count)])
    assert Read.times < 20 * len(links)
