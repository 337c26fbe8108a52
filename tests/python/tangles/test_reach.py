"""How many messages come after a missing one, compared with the descendants that networkx finds."""

from __future__ import annotations

import random

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
