"""Ranks, positions, loops and tips of tangles: compared with scuttlesort, its vectors and networkx."""

from __future__ import annotations

import gzip
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import permutations
from typing import Any

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scuttlesort import Timeline

from conftest import FIXTURES
from examples import share_of
from graphs import dags_of
from oracles import longest_paths, scuttlesort_order
from scuttlehouse.tangles.graphs import UNKNOWN
from scuttlehouse.tangles.order import UNRANKED, find_loops, find_tips, positions, ranks
from scuttlehouse.tangles.tables import read_graph

TIMELINES = FIXTURES / "timelines"
# Names with another order in UTF-16, collation or case folding than by code point.
NAMES = [
    "a",
    "B",
    "b",
    "e\u0301",
    "\u00e9",
    "\ufb01",
    "\ue000",
    "\U0001f600",
    "\U00010000",
    "10",
    "9",
]
Previous = Mapping[str, Collection[str]]


def ordered(tangles: Mapping[str, Previous]) -> dict[str, tuple[list[str], list[int]]]:
    """For each tangle its ranked messages in order, and their ranks, from Arrow columns."""
    rows = [(tangle, message) for tangle, previous in tangles.items() for message in previous]
    tangle_ids, message_ids = (pa.array([row[i] for row in rows], pa.string()) for i in (0, 1))
    lists = pa.array([[*tangles[t][m]] for t, m in rows], pa.list_(pa.string()))
    names = "tangle_id", "message_id", "previous_ids"
    nodes, *links = read_graph(pa.table([tangle_ids, message_ids, lists], names))
    node_ranks = ranks(len(nodes), *links)
    places = positions(nodes.tangle_codes, node_ranks, message_ids)
    placed: dict[str, list[tuple[int, str, int]]] = {tangle: [] for tangle in tangles}
    for (tangle, message), rank, place in zip(
        rows, node_ranks.tolist(), places.tolist(), strict=True
    ):
        assert (rank == UNRANKED) == (place == UNRANKED)
        if rank != UNRANKED:
            placed[tangle].append((place, message, rank))
    answer = {}
    for tangle, triples in placed.items():
        assert sorted(place for place, _, _ in triples) == list(range(len(triples)))
        in_order = sorted(triples)
        answer[tangle] = [name for _, name, _ in in_order], [rank for _, _, rank in in_order]
    return answer


@st.composite
def dags(draw: st.DrawFn) -> dict[str, list[str]]:
    """Events that list earlier ones, themselves, unknown ones and repeats, delivered in any order."""
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=8))
    previous = {
        name: draw(st.lists(st.sampled_from([*names[: place + 1], "nobody"]), max_size=4))
        for place, name in enumerate(names)
    }
    return {name: previous[name] for name in draw(st.permutations(names))}


@st.composite
def any_links(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    count = draw(st.integers(1, 9))
    node = st.integers(0, count - 1)
    return count, draw(st.lists(st.tuples(node, node | st.just(UNKNOWN)), max_size=16))


def link_columns(links: Iterable[tuple[int, int]]) -> tuple[Any, Any]:
    pairs = np.array(list(links), dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


@given(dags())
@example({"\U0001f600": [], "\ufb01": []})
@example({"a": ["a"], "b": ["a", "a", "nobody"]})
def test_the_order_is_by_longest_path_and_then_name(previous: dict[str, list[str]]) -> None:
    order, order_ranks = ordered({"t": previous})["t"]
    lengths = longest_paths(previous)
    assert order == scuttlesort_order(previous)
    assert order_ranks == [lengths[name] for name in order]


@given(st.lists(dags(), max_size=4))
def test_tangles_are_ordered_side_by_side_as_each_is_alone(tangles: list[Previous]) -> None:
    named = {f"t{number}": previous for number, previous in enumerate(tangles)}
    orders = {name: order for name, (order, _) in ordered(named).items()}
    assert orders == {name: scuttlesort_order(named[name]) for name in named}


@given(dags())
def test_the_published_scuttlesort_gives_the_same_order(previous: dict[str, list[str]]) -> None:
    timeline = Timeline()
    for name, listed in previous.items():
        timeline.add(name, listed)
    order, order_ranks = ordered({"t": previous})["t"]
    assert list(timeline) == order
    assert [event.rank for event in timeline.linear] == order_ranks


def test_the_theorem_on_every_small_graph_in_every_delivery_order() -> None:
    graphs = dags_of("abc") + dags_of("abcd")
    assert len(graphs) == 25 + 543
    orders = ordered({str(number): graph for number, graph in enumerate(graphs)})
    for number, graph in share_of([*enumerate(graphs)]):
        for delivery in permutations(graph):
            timeline = Timeline()
            for name in delivery:
                timeline.add(name, graph[name])
            assert list(timeline) == orders[str(number)][0], (graph, delivery)


def timelines(pattern: str) -> Iterator[dict[str, Any]]:
    for path in sorted(TIMELINES.glob(pattern)):
        for line in gzip.decompress(path.read_bytes()).split(b"\n"):
            if line:
                yield json.loads(line)


def test_the_small_vectors() -> None:
    vectors = list(timelines("small.jsonl.gz"))
    assert len(vectors) == 234
    orders = ordered({vector["id"]: dict(vector["deliver"]) for vector in vectors})
    for vector in vectors:
        assert orders[vector["id"]] == (vector["final"], vector["rank"]), vector["id"]


@pytest.mark.parametrize("vector", list(timelines("vector_*.gz")), ids=lambda vector: vector["id"])
def test_the_large_vectors(vector: dict[str, Any]) -> None:
    delivered = vector["deliver"]
    for delivery in (delivered, delivered[::-1], sorted(delivered)):
        assert ordered({"t": dict(delivery)})["t"] == (vector["final"], vector["rank"])


@given(any_links())
@example((4, [(0, 1), (1, 0), (2, 1), (3, 3)]))
@example((6, [(0, 1), (1, 0), (2, 1), (3, 2), (4, 3), (3, 4), (5, 5)]))
@example((3, [(0, 0), (0, 1), (1, 0)]))
def test_loops_and_messages_behind_them(case: tuple[int, list[tuple[int, int]]]) -> None:
    count, links = case
    known = nx.DiGraph()
    known.add_nodes_from(range(count))
    known.add_edges_from((one, m) for m, one in links if one not in (m, UNKNOWN))
    loops = [loop for loop in nx.strongly_connected_components(known) if len(loop) > 1]
    in_loops = set[int]().union(*loops)
    behind = in_loops.union(*(nx.descendants(known, node) for node in in_loops))
    found = find_loops(count, *link_columns(links))
    assert set(np.flatnonzero(found)) == in_loops

    node_ranks = ranks(count, *link_columns(links))
    assert set(np.flatnonzero(node_ranks == UNRANKED)) == behind
    for rank, generation in enumerate(
        nx.topological_generations(known.subgraph(set(known) - behind))
    ):
        assert {node_ranks[node] for node in generation} == {rank}


@given(any_links())
@example((2, [(0, UNKNOWN), (1, UNKNOWN)]))
@example((4, [(1, 0), (2, 3), (3, 2), (2, 1)]))
def test_a_tip_is_ranked_and_no_ranked_message_lists_it(
    case: tuple[int, list[tuple[int, int]]],
) -> None:
    count, links = case
    node_ranks = ranks(count, *link_columns(links))
    ranked = {node for node in range(count) if node_ranks[node] != UNRANKED}
    listed = {previous for message, previous in links if message in ranked}
    found = find_tips(node_ranks, *link_columns(links))
    assert set(np.flatnonzero(found)) == ranked - listed


def test_messages_without_a_rank_take_no_place() -> None:
    tangle_codes, node_ranks = np.array([1, 1, 0, 1]), np.array([2, -1, 0, 0])
    places = positions(tangle_codes, node_ranks, pa.array(["a", "b", "c", "d"]))
    assert places.tolist() == [1, -1, 0, 0]


def test_chains_and_loops_may_be_deep() -> None:
    count = 200_000
    chain = np.arange(1, count)[::-1], np.arange(count - 1)[::-1]
    assert np.array_equal(ranks(count, *chain), np.arange(count))
    assert not find_loops(count, *chain).any()
    ring = np.arange(count), (np.arange(count) + 1) % count
    assert (ranks(count, *ring) == UNRANKED).all()
    assert find_loops(count, *ring).all()


def test_an_empty_partition_has_no_order() -> None:
    nothing = np.array([], dtype=np.int64)
    assert ranks(0, nothing, nothing).size == 0
    assert find_loops(0, nothing, nothing).size == 0
    assert positions(nothing, nothing, pa.array([], pa.string())).size == 0


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), unique=True))
@example(["\U0001f600", "\ufb01", "\ue000", "z", "\x00", "\x7f", "\x80", ""])
def test_ids_order_as_python_orders_text(ids: list[str]) -> None:
    """Python compares by code point; UTF-16 would put U+1F600 before U+FB01."""
    same = np.zeros(len(ids), dtype=np.int64)
    in_order = sorted(ids)
    for column in (pa.array(ids, pa.string()), pa.chunked_array([ids, []], pa.large_string())):
        assert positions(same, same, column).tolist() == [in_order.index(one) for one in ids]


def test_an_id_that_is_null_has_no_place() -> None:
    same = np.zeros(2, dtype=np.int64)
    with pytest.raises(ValueError, match="An id is null"):
        positions(same, same, pa.array(["a", None]))
