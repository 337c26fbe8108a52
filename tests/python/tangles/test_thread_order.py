"""Thread order compared with Kahn's algorithm in spec/3 and ruling R13, and the effect of new messages."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oracles import ThreadPost, kahn_order, thread_key
from scuttlehouse.tangles.order import UNRANKED, ranks
from scuttlehouse.tangles.tables import read_graph
from scuttlehouse.tangles.thread_order import thread_positions

Thread = Mapping[str, ThreadPost]
# Names with another order in collation or UTF-16 than by code point.
NAMES = ["a", "B", "b", "\ufb01", "\U00010000", "10", "9", "z"]
TIMES = st.sampled_from([None, -5.0, 0.0, 1.0, 2.0, 2.0, 253402300799999.0, 1e300])


@st.composite
def threads(draw: st.DrawFn, max_size: int = 8) -> dict[str, ThreadPost]:
    """Posts that list earlier ones, in any order of rows, with any times."""
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=max_size))
    posts = {
        name: ThreadPost(
            draw(st.lists(st.sampled_from(names[:place]), max_size=3)) if place else [],
            draw(TIMES),
        )
        for place, name in enumerate(names)
    }
    return {name: posts[name] for name in draw(st.permutations(names))}


def orders(threads: Mapping[str, Thread]) -> dict[str, list[str]]:
    """The orders of several threads, found together as in the model."""
    rows = [
        (tangle, name, post) for tangle, thread in threads.items() for name, post in thread.items()
    ]
    tangle_ids = pa.array([row[0] for row in rows], pa.string())
    ids = pa.array([row[1] for row in rows], pa.string())
    lists = pa.array([[*row[2].previous] for row in rows], pa.list_(pa.string()))
    names = "tangle_id", "message_id", "previous_ids"
    nodes, *pairs = read_graph(pa.table([tangle_ids, ids, lists], names))
    times = pa.array([row[2].time for row in rows], pa.float64())
    places = thread_positions(nodes.tangle_codes, ranks(len(nodes), *pairs), *pairs, times, ids)
    found: dict[str, list[str]] = {tangle: [""] * len(thread) for tangle, thread in threads.items()}
    for (tangle, name, _), place in zip(rows, places.tolist(), strict=True):
        found[tangle][place] = name
    return found


@given(threads())
@example(
    {"b": ThreadPost([], 2.0), "\U00010000": ThreadPost([], 1.0), "\ufb01": ThreadPost([], 1.0)}
)
@example({"a": ThreadPost(["z"], -5.0), "z": ThreadPost([], None), "b": ThreadPost([], 2.0)})
def test_the_order_is_kahns_with_the_earliest_first(thread: dict[str, ThreadPost]) -> None:
    assert orders({"t": thread})["t"] == kahn_order(thread)


@given(st.lists(threads(max_size=4), max_size=4))
def test_threads_are_ordered_side_by_side_as_each_is_alone(
    several: list[dict[str, ThreadPost]],
) -> None:
    named = {f"t{number}": thread for number, thread in enumerate(several)}
    assert orders(named) == {name: kahn_order(thread) for name, thread in named.items()}


@given(threads(), st.data())
def test_later_messages_reorder_nothing(thread: dict[str, ThreadPost], data: st.DataObject) -> None:
    """A part of a thread that holds all previous of its messages has the same order as in the whole."""
    known: list[str] = []
    for name in kahn_order(thread):
        if set(thread[name].previous) <= set(known) and data.draw(st.booleans()):
            known.append(name)
    part = {name: post for name, post in thread.items() if name in known}
    whole = orders({"t": thread})["t"]
    assert orders({"t": part})["t"] == [name for name in whole if name in known]


@given(threads())
def test_messages_are_ordered_by_the_latest_of_them_and_their_ancestors(
    thread: dict[str, ThreadPost],
) -> None:
    latest: dict[str, tuple[float, str]] = {}
    order = orders({"t": thread})["t"]
    for name in order:
        latest[name] = max(
            [thread_key(name, thread[name]), *(latest[one] for one in thread[name].previous)]
        )
    assert sorted(order, key=latest.__getitem__) == order


def test_only_ranked_messages_take_a_place() -> None:
    ids = pa.array(["b", "aside", "a"])
    node_ranks = np.array([0, UNRANKED, 0])
    none = np.zeros(0, np.int64)
    places = thread_positions(
        np.zeros(3, np.int64), node_ranks, none, none, pa.nulls(3, pa.float64()), ids
    )
    assert places.tolist() == [1, UNRANKED, 0]


def test_an_id_may_not_be_null() -> None:
    none, one = np.zeros(0, np.int64), np.zeros(1, np.int64)
    with pytest.raises(ValueError, match="An id is null"):
        thread_positions(one, one, none, none, pa.array([1.0]), pa.array([None], pa.string()))
