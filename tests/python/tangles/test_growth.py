"""The recipe of tangles, grown by arrays: compared with the recipe step by step, and with networkx."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Any

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from conftest import FIXTURES
from oracles import (
    Candidates,
    Post,
    agrees,
    fixpoint_graph,
    graph_tips,
    left_out,
    settle_step,
    settled,
    tangle_candidates,
)
from scuttlehouse.tangles.growth import grow
from scuttlehouse.tangles.tables import read_graph

FIXTURE = FIXTURES / "tangles" / "tangles.jsonl.gz"


@st.composite
def any_candidates(draw: st.DrawFn) -> dict[str, Sequence[str] | None]:
    """A root and messages that list themselves, each other, strangers, repeats or nothing."""
    ids = [f"m{number}" for number in range(draw(st.integers(0, 9)))]
    listed = st.lists(st.sampled_from(["root", "root", *ids, *ids, "lost"]), max_size=4)
    messages = draw(st.permutations(["root", *ids]))
    return {message: None if message == "root" else draw(listed) for message in messages}


@st.composite
def past_only_candidates(draw: st.DrawFn) -> dict[str, Sequence[str] | None]:
    """A root and messages that list earlier ones, sometimes a lost one."""
    candidates: dict[str, Sequence[str] | None] = {"root": None}
    for number in range(draw(st.integers(0, 14))):
        earlier = st.sampled_from([*candidates] * 3 + ["lost"])
        candidates[f"m{number}"] = draw(st.lists(earlier, max_size=3, min_size=number % 5 and 1))
    return candidates


CANDIDATES = any_candidates() | past_only_candidates()


def grown(tangles: Mapping[str, Candidates]) -> dict[str, set[str]]:
    """The graphs of many tangles, from Arrow columns to sets of ids."""
    rows = [(t, m, listed) for t, candidates in tangles.items() for m, listed in candidates.items()]
    types = pa.string(), pa.string(), pa.list_(pa.string())
    columns = [pa.array([row[place] for row in rows], kind) for place, kind in enumerate(types)]
    names = "tangle_id", "message_id", "previous_ids"
    nodes, message, previous = read_graph(pa.table(columns, names))
    is_root = np.array([listed is None for _, _, listed in rows], dtype=np.bool_)
    is_in = grow(len(nodes), is_root, message, previous)
    graphs: dict[str, set[str]] = {tangle: set() for tangle in tangles}
    for (tangle, one, _), inside in zip(rows, is_in.tolist(), strict=True):
        if inside:
            graphs[tangle].add(one)
    return graphs


def networkx_graph(candidates: Candidates) -> set[str]:
    """The messages that follow only the root: no ancestor is lost, lists nothing, or is in a loop."""
    links = nx.DiGraph()
    links.add_nodes_from(candidates)
    for message, listed in candidates.items():
        links.add_edges_from((one, message) for one in listed or ())
    faulty = {m for m in links if m not in candidates or candidates[m] == []}
    faulty |= set(nx.nodes_with_selfloops(links))
    for component in nx.strongly_connected_components(links):
        if len(component) > 1:
            faulty |= component
    return {m for m in candidates if not faulty & {m, *nx.ancestors(links, m)}}


@given(CANDIDATES)
@example({"root": None, "a": ["a", "root"], "b": ["root"], "c": ["b", "b", "root"]})
@example(
    {"root": None, "a": ["root", "b"], "b": ["root", "a"], "behind": ["a"], "beside": ["root"]}
)
@example({"root": None, "a": []})
@example({"root": None, "__proto__": ["root"], "b": ["__proto__", "toString"]})
@example({"a": ["root"]})
def test_it_grows_what_the_recipe_grows(candidates: Candidates) -> None:
    graph = grown({"t": candidates})["t"]
    assert graph == fixpoint_graph(candidates)
    assert graph == networkx_graph(candidates)


@given(st.lists(CANDIDATES, max_size=4))
def test_tangles_grow_side_by_side_as_each_does_alone(tangles: list[Candidates]) -> None:
    named = {f"t{number}": candidates for number, candidates in enumerate(tangles)}
    assert grown(named) == {name: fixpoint_graph(named[name]) for name in named}


@given(CANDIDATES, st.data())
def test_a_refresh_ends_where_a_full_build_ends(
    candidates: Candidates, data: st.DataObject
) -> None:
    """Messages that were in before count as roots. Only the root and new or waiting messages take part."""
    arrived = data.draw(st.sets(st.sampled_from(list(candidates))))
    before = fixpoint_graph({message: candidates[message] for message in arrived})
    refreshed = {m: None if m in before else listed for m, listed in candidates.items()}
    assert grown({"t": refreshed})["t"] == fixpoint_graph(candidates)


def fixture_tangles() -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(FIXTURE.read_bytes()).splitlines()]


def test_the_independent_tangles() -> None:
    tangles = {str(tangle["i"]): tangle for tangle in fixture_tangles()}
    named = {i: tangle_candidates(t["messages"], t["root"]) for i, t in tangles.items()}
    graphs = grown(named)
    for i, tangle in tangles.items():
        spec, messages = tangle["spec"], {message for message, _ in tangle["messages"]}
        assert graphs[i] == set(spec["connected"]) == fixpoint_graph(named[i]), i
        assert messages - graphs[i] == set(spec["disconnected"]), i
        assert graph_tips(named[i], graphs[i]) == set(spec["tips"]), i


def test_figure_8_of_the_group_exclusion_specification() -> None:
    candidates = {"a": None, "b": ["a"], "c": ["b"], "d": ["q", "c"], "e": ["c"]}
    assert grown({"t": candidates})["t"] == {"a", "b", "c", "e"}
    assert grown({"t": {**candidates, "q": ["b"]}})["t"] == {"a", "b", "c", "d", "e", "q"}


def test_a_chain_may_be_deep() -> None:
    count = 200_000
    is_root = np.arange(count) == 0
    is_in = grow(count, is_root, np.arange(1, count)[::-1], np.arange(count - 1)[::-1])
    assert is_in.all()


def test_root_flags_must_fit_the_nodes() -> None:
    with pytest.raises(ValueError, match="There are 2 nodes and 1 root flags"):
        grow(2, np.array([True]), np.array([1]), np.array([0]))


# What the settling steps of int_tangles__settled may be trusted with, whatever the feeds do.


@st.composite
def wild_posts(draw: st.DrawFn) -> dict[str, Post]:
    """A tangle with links and feeds that point back in time and otherwise follow no protocol."""
    count = draw(st.integers(1, 24))
    feeds = st.sampled_from(["f", "g", "h", "i"])
    root = draw(st.integers(0, count - 1))
    posts: dict[str, Post] = {}
    for number in range(count):
        earlier = st.sampled_from([*posts] * 2 + ["root"] * (number > root) + ["lost"])
        listed = draw(st.lists(earlier, min_size=number % 8 and 1, max_size=3))
        name = "root" if number == root else f"m{number}"
        # One clock for all feeds works as well as one sequence per feed, because both rise.
        posts[name] = Post(draw(feeds), number, None if number == root else listed)
    return posts


@given(wild_posts())
def test_settling_ends_below_the_graph_and_the_checks_detect_it(posts: dict[str, Post]) -> None:
    graph = fixpoint_graph({message: post.previous for message, post in posts.items()})
    marks: dict[str, int] = {}
    while (after := settle_step(posts, marks)) != marks:
        # If it stops early, some candidate does not agree with its links.
        assert not agrees(posts, settled(posts, marks))
        marks = after
    assert settled(posts, marks) <= graph
    assert (settled(posts, marks) == graph) == (not left_out(posts, settled(posts, marks)))
    assert (settled(posts, marks) == graph) == agrees(posts, settled(posts, marks))


@given(wild_posts(), st.data())
def test_settling_is_exact_for_feeds_that_list_their_tips(
    posts: dict[str, Post], data: st.DataObject
) -> None:
    """Each author holds some earlier messages, always including their own, and lists their tips."""
    held: dict[str, set[str]] = {post.feed: {"root"} for post in posts.values()}
    honest: dict[str, Post] = {"root": posts["root"]._replace(sequence=-1)}
    for name, post in posts.items():
        if name == "root":
            continue
        seen = held[post.feed]
        seen |= data.draw(st.sets(st.sampled_from([*honest])), label=f"reaches {post.feed}")
        known = {one: honest[one].previous for one in seen}
        listed = sorted(graph_tips(known, fixpoint_graph(known)))
        honest[name] = post._replace(previous=listed)
        seen.add(name)
    lost = data.draw(st.sets(st.sampled_from([*honest])), label="lost")
    posts = {name: post for name, post in honest.items() if name == "root" or name not in lost}
    marks: dict[str, int] = {}
    while (after := settle_step(posts, marks)) != marks:
        marks = after
    graph = fixpoint_graph({message: post.previous for message, post in posts.items()})
    assert settled(posts, marks) == graph
