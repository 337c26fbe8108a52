"""How many messages come after a missing one, compared with the descendants that networkx finds."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
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


@given(st.randoms(use_true_random=False))
def test_sources_that_are_far_apart(dice: random.Random) -> None:
    """Few nodes come after a few sources, and many others lie between."""
    size = 1000
    links = [(dice.randrange(size), dice.randrange(size)) for _ in range(size // 2)]
    assert_counts(size, links, [dice.randrange(size) for _ in range(3)])


class Read(np.ndarray):
    """An array that counts how often it is read."""

    times = 0

    def __getitem__(self, key: Any) -> Any:
        Read.times += 1
        return super().__getitem__(key)


@pytest.fixture
def read_count(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How often the walk has read the links, which counts as plain Python from here on."""
    followers_of = reach.followers_of
    monkeypatch.setattr(
        reach, "followers_of", lambda *links: [one.view(Read) for one in followers_of(*links)]
    )
    for name in ("components_of", "_reach"):
        compiled = getattr(reach, name)
        monkeypatch.setattr(reach, name, compiled.py_func)
    monkeypatch.setattr(Read, "times", 0)
    return lambda: Read.times


def test_sources_that_reach_a_chain_one_after_another_walk_it_once(
    read_count: Callable[[], int],
) -> None:
    """Each missing message is needed by one message, and one follows all of these. Then comes a chain."""
    count, length = 64, 300
    needing = [(count + source, source) for source in range(count)]
    joint = [(2 * count, node) for node, _ in needing]
    chain = [(2 * count + place + 1, 2 * count + place) for place in range(length)]
    links = [*needing, *joint, *chain]
    assert_counts(2 * count + length + 1, links, [*range(count)])
    assert read_count() < 20 * len(links)


def test_a_missing_message_for_each_of_a_chain_costs_no_walk_from_its_start(
    read_count: Callable[[], int],
) -> None:
    """Sources that come before the same messages are counted at once, in whatever order they are given."""
    length = 10 * 64
    order = random.Random(5).sample(range(2 * length), 2 * length)
    chain, missing = order[:length], order[length:]
    links = [*pairwise(chain), *zip(missing, chain, strict=True)]
    assert_counts(2 * length, [(message, one) for one, message in links], sorted(missing))
    assert read_count() < 5 * (length // 64) * len(links)


def test_many_missing_messages_that_one_message_lists_cost_one_walk(
    read_count: Callable[[], int],
) -> None:
    """Others are listed by two messages, by a loop, or by nobody."""
    count, length = 10 * 64, 300
    start = count + 2
    both = [(start, one) for one in range(count)] + [(start + 1, one) for one in range(64)]
    chain = [(start + 2 + place, start + 1 + place) for place in range(length)]
    loop = [(count, start), (start, count)]
    links = [*both, *chain, *loop]
    assert_counts(start + length + 2, links, [*range(count + 2)])
    assert read_count() < 10 * len(links)
