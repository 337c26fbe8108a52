"""Thread order compared with Kahn's algorithm (tangle SIP, ruling R13), and the effect of new messages."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import NamedTuple

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oracles import ThreadPost, kahn_order, thread_key
from scuttlehouse.tangles.order import UNRANKED, ranks
from scuttlehouse.tangles.tables import read_graph
from scuttlehouse.tangles.thread_order import thread_positions, whole_thread_positions

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


def test_links_to_unknown_messages_and_to_itself_do_not_count() -> None:
    ids, times = pa.array(["a", "b"]), pa.array([2.0, 1.0])
    links = np.array([0, 1, 1]), np.array([-1, 1, 0])
    zeros = np.zeros(2, np.int64)
    assert thread_positions(zeros, zeros, *links, times, ids).tolist() == [0, 1]


class Whole(NamedTuple):
    """All messages that name the root of a thread. The root need not be there."""

    root: str | None
    posts: dict[str, ThreadPost]


def whole_thread(dice: random.Random) -> Whole:
    """Anything lists anything: itself, messages that are not in the thread, loops."""
    names = dice.sample(NAMES, dice.randint(0, 6))
    posts = {
        name: ThreadPost(
            dice.choices([*names, "lost"], k=dice.choice([0, 1, 1, 2])),
            dice.choice([None, -5.0, 1.0, 2.0, 2.0, 3.0]),
        )
        for name in names
    }
    return Whole(dice.choice([None, *names]), posts)


def by_ruling(thread: Whole) -> list[str]:
    """Ruling R39: after the root, and after the answered messages of the thread that are in no loop."""
    links = nx.DiGraph(
        (other, name) for name, post in thread.posts.items() for other in post.previous
    )
    loops = [part for part in nx.strongly_connected_components(links) if len(part) > 1]
    looped = set[str]().union(*loops)
    root = [] if thread.root is None else [thread.root]
    posts = {}
    for name, post in thread.posts.items():
        known = [other for other in post.previous if other in thread.posts and other != name]
        listed = [*root, *([] if name in looped else known)]
        posts[name] = post._replace(previous=[] if name == thread.root else listed)
    return kahn_order(posts)


def whole_orders(dice: random.Random, threads: Mapping[str, Whole]) -> dict[str, list[str]]:
    """The orders of several threads, found together as in the model, from rows in any order."""
    rows = [(tangle, name) for tangle, thread in threads.items() for name in thread.posts]
    dice.shuffle(rows)
    tangle_ids, ids = (pa.array([row[side] for row in rows], pa.string()) for side in (0, 1))
    posts = [threads[tangle].posts[name] for tangle, name in rows]
    lists = pa.array([[*post.previous] for post in posts], pa.list_(pa.string()))
    columns = "tangle_id", "message_id", "previous_ids"
    nodes, *pairs = read_graph(pa.table([tangle_ids, ids, lists], columns))
    places = whole_thread_positions(
        nodes.tangle_codes,
        np.array([name == threads[tangle].root for tangle, name in rows], np.bool_),
        *pairs,
        pa.array([post.time for post in posts], pa.float64()),
        ids,
    )
    found = {tangle: [""] * len(thread.posts) for tangle, thread in threads.items()}
    for (tangle, name), place in zip(rows, places.tolist(), strict=True):
        found[tangle][place] = name
    return found


@given(st.randoms(use_true_random=False), st.integers(1, 4))
def test_a_whole_thread_has_all_its_messages(dice: random.Random, count: int) -> None:
    threads = {f"t{number}": whole_thread(dice) for number in range(count)}
    expected = {tangle: by_ruling(thread) for tangle, thread in threads.items()}
    assert whole_orders(dice, threads) == expected


@given(st.randoms(use_true_random=False))
def test_an_answer_moves_when_what_it_answers_arrives(dice: random.Random) -> None:
    """Until then its time places it, which may be before others. No other message moves."""
    early, late = ThreadPost(["lost"], 5.0), ThreadPost(["root"], 7.0)
    posts = {"root": ThreadPost([], 1.0), "answer": early, "other": late}
    before = whole_orders(dice, {"t": Whole("root", posts)})["t"]
    assert before == ["root", "answer", "other"]
    posts["lost"] = ThreadPost(["root"], 9.0)
    after = whole_orders(dice, {"t": Whole("root", posts)})["t"]
    assert after == ["root", "other", "lost", "answer"]


def test_an_id_may_not_be_null() -> None:
    none, one = np.zeros(0, np.int64), np.zeros(1, np.int64)
    with pytest.raises(ValueError, match="An id is null"):
        thread_positions(one, one, none, none, pa.array([1.0]), pa.array([None], pa.string()))
