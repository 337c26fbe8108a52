"""Tables of messages as graphs of integers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scuttlehouse.tangles.graphs import (
    UNKNOWN,
    Column,
    followers_of,
    number_nodes,
    walk,
)
from scuttlehouse.tangles.tables import read_graph

IDS = st.sampled_from(["a", "b", "c", "", "__proto__", "toString", "\ufb01", "\U0001f600"])
PAIRS = st.tuples(st.sampled_from(["t", "u", "a"]), IDS)


def columns(rows: list[tuple[str, ...]], width: int) -> list[pa.Array]:
    return [pa.array([row[place] for row in rows], pa.string()) for place in range(width)]


@given(st.lists(PAIRS, unique=True, min_size=1), st.data())
def test_a_message_is_found_in_the_tangle_of_another_node(
    pairs: list[tuple[str, str]], data: st.DataObject
) -> None:
    asked = data.draw(st.lists(st.tuples(st.integers(0, len(pairs) - 1), st.none() | IDS)))
    nodes = number_nodes(*columns(pairs, 2))
    number_of: dict[tuple[str, str | None], int] = {p: number for number, p in enumerate(pairs)}
    beside = np.array([node for node, _ in asked], dtype=np.int64)
    found = nodes.find_beside(beside, pa.array([one for _, one in asked], pa.string()))
    assert len(nodes) == len(pairs)
    assert found.tolist() == [number_of.get((pairs[node][0], one), UNKNOWN) for node, one in asked]


@given(st.lists(PAIRS, unique=True))
def test_tangles_are_numbered_as_they_first_appear(pairs: list[tuple[str, str]]) -> None:
    first_seen = list(dict.fromkeys(tangle for tangle, _ in pairs))
    codes = number_nodes(*columns(pairs, 2)).tangle_codes
    assert codes.tolist() == [first_seen.index(tangle) for tangle, _ in pairs]


@given(st.dictionaries(PAIRS, st.none() | st.lists(IDS)))
def test_links_are_numbered_within_their_tangle(
    rows: dict[tuple[str, str], list[str] | None],
) -> None:
    lists = pa.array(rows.values(), pa.list_(pa.string()))
    names = "tangle_id", "message_id", "previous_ids"
    graph = read_graph(pa.table([*columns([*rows], 2), lists], names))
    number_of = {pair: number for number, pair in enumerate(rows)}
    links = [(pair, one) for pair, listed in rows.items() for one in listed or ()]
    assert graph.link_message.tolist() == [number_of[pair] for pair, _ in links]
    assert graph.link_previous.tolist() == [number_of.get((p[0], one), UNKNOWN) for p, one in links]


SHAPES: dict[str, Callable[[pa.Array], Column]] = {
    "string": lambda ids: ids,
    "large_string": lambda ids: ids.cast(pa.large_string()),
    "string_view": lambda ids: ids.cast(pa.string_view()),
    "dictionary": lambda ids: ids.dictionary_encode(),
    "chunked": lambda ids: pa.chunked_array([ids[:1], ids[1:]]),
    "chunked dictionary": lambda ids: pa.chunked_array([ids[:1], ids[1:]]).dictionary_encode(),
    "sliced": lambda ids: pa.concat_arrays([pa.array(["z"]), ids])[1:],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_text_type_of_arrow_is_read(shape: str) -> None:
    tangle_ids, message_ids = pa.array(["t", "t", "u"]), pa.array(["b", "a", "b"])
    reshape = SHAPES[shape]
    nodes = number_nodes(reshape(tangle_ids), reshape(message_ids))
    for asked in (message_ids, reshape(message_ids)):
        assert nodes.find_beside(np.arange(3), asked).tolist() == [0, 1, 2]


def test_a_column_without_any_id_is_unknown() -> None:
    nodes = number_nodes(pa.array(["t"]), pa.array(["a"]))
    assert nodes.find_beside(np.array([0]), pa.nulls(1)).tolist() == [UNKNOWN]


def test_an_empty_partition_has_no_nodes() -> None:
    empty = pa.array([], pa.string())
    nodes = number_nodes(empty, empty)
    assert len(nodes) == 0
    nothing = np.array([], dtype=np.int64)
    assert nodes.find_beside(nothing, empty).tolist() == []
    assert [column.tolist() for column in followers_of(0, nothing, nothing)] == [[0], []]


def test_a_repeated_pair_is_refused() -> None:
    with pytest.raises(ValueError, match="Message b occurs twice in tangle t"):
        number_nodes(pa.array(["t", "t", "t"]), pa.array(["b", "a", "b"]))


def test_null_ids_are_refused() -> None:
    with pytest.raises(ValueError, match="A tangle id is null"):
        number_nodes(pa.array([None], pa.string()), pa.array(["a"]))
    with pytest.raises(ValueError, match="A message id is null"):
        number_nodes(pa.array(["t"]), pa.array([None], pa.string()))


def test_arrow_holds_no_lone_surrogates() -> None:
    with pytest.raises(UnicodeEncodeError):
        pa.array(["\ud800"], pa.string())
    lone = pa.array([b"\xed\xa0\x80"], pa.binary())
    with pytest.raises(pa.ArrowInvalid):
        lone.cast(pa.string())


@given(st.integers(1, 6), st.data())
def test_followers_are_listed_in_the_order_of_the_links(count: int, data: st.DataObject) -> None:
    node = st.integers(0, count - 1)
    links = data.draw(st.lists(st.tuples(node, node | st.just(UNKNOWN))))
    offsets, followers = followers_of(
        count,
        np.array([message for message, _ in links], dtype=np.int64),
        np.array([previous for _, previous in links], dtype=np.int64),
    )
    for one in range(count):
        listed = followers[offsets[one] : offsets[one + 1]].tolist()
        assert listed == [message for message, previous in links if previous == one]
    assert offsets[-1] == len(followers)


@pytest.mark.parametrize(
    ("messages", "previous"), [([2], [0]), ([0], [2]), ([-1], [0]), ([0], [-2])]
)
def test_nodes_out_of_range_are_refused(messages: list[int], previous: list[int]) -> None:
    with pytest.raises(ValueError, match="A link names a node outside"):
        followers_of(2, np.array(messages), np.array(previous))


def test_columns_of_two_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="There are 2 messages and 1 previous"):
        followers_of(2, np.array([0, 1]), np.array([0]))


def test_a_walk_takes_no_node_that_still_waits() -> None:
    offsets, followers = followers_of(3, np.array([1, 2]), np.array([0, 0]))
    assert walk(offsets, followers, np.array([0, 2, 1])).tolist() == [0, -1, 1]
