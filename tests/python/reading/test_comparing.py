"""`scuttlehouse compare` and `Timeline.relation`: which of two messages came first, if any."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs import Graph, random_graph
from oracles import longest_paths, scuttlesort_order
from scuttlehouse.cli import main
from scuttlehouse.cli.compare import compare, leads_to
from scuttlehouse.reading.warehouse import open_published
from scuttlehouse.timeline import Timeline
from small_warehouse import SmallWarehouse


def uri(number: int) -> str:
    return f"ssb:message/classic/{number:042d}A="


def all_ancestors(graph: Graph) -> dict[str, set[str]]:
    """All messages before each message: the slow plain oracle. A graph lists links backwards."""
    found: dict[str, set[str]] = {}
    for name, previous in graph.items():
        found[name] = set(previous).union(*(found[one] for one in previous))
    return found


def relation(ancestors: Mapping[str, set[str]], one: str, other: str) -> str:
    if one == other:
        return "same"
    if one in ancestors[other]:
        return "before"
    return "after" if other in ancestors[one] else "concurrent"


def publish(small: SmallWarehouse, tangles: Mapping[str, Graph]) -> None:
    messages, links = [], []
    names = sorted({name for graph in tangles.values() for name in graph})
    for tangle, graph in tangles.items():
        ranks = longest_paths(graph)
        for position, name in enumerate(scuttlesort_order(graph)):
            messages.append(
                {"tangle_id": tangle, "message_id": name, "rank": ranks[name], "position": position}
                | {"status": "in", "tangle_kind": tangle.split(":")[0]}
            )
            links += [
                {"tangle_id": tangle, "message_id": name, "previous_id": one} for one in graph[name]
            ]
    small.publish(
        {
            "fct_messages": pa.table(
                {"message_id": names, "content_type": pa.nulls(len(names), pa.string())}
            ),
            "fct_tangle_messages": pa.Table.from_pylist(messages),
            "fct_tangle_links": pa.Table.from_pylist(links),
        }
    )


@given(st.randoms(use_true_random=False), st.integers(1, 12))
def test_a_timeline_agrees_with_the_links(dice: random.Random, size: int) -> None:
    graph = random_graph(dice, map(uri, range(size)))
    timeline = Timeline()
    for name in dice.sample(sorted(graph), size):
        timeline.add(name, graph[name])
    before = all_ancestors(graph)
    for one, other in product(graph, repeat=2):
        assert timeline.relation(one, other) == relation(before, one, other)


@given(st.randoms(use_true_random=False), st.integers(2, 12))
def test_links_lead_to_earlier_messages(dice: random.Random, size: int) -> None:
    graph = random_graph(dice, map(uri, range(size)))
    place = {name: position for position, name in enumerate(scuttlesort_order(graph))}
    links = sorted(((place[n], place[one]) for n in graph for one in graph[n]), reverse=True)
    before = all_ancestors(graph)
    for one, other in product(graph, repeat=2):
        if place[one] > place[other]:
            is_before = other in before[one]
            between = [(m, p) for m, p in links if m <= place[one] and p >= place[other]]
            assert leads_to(place[one], place[other], between) == is_before


def test_the_warehouse_answers_for_every_tangle_with_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    dice = random.Random(7)
    small = SmallWarehouse(tmp_path / "home")
    group = random_graph(dice, map(uri, range(9)))
    # The other tangle holds some of the same messages in another graph.
    epoch = {uri(100): [], **random_graph(dice, map(uri, range(5)))}
    publish(small, {f"group:{uri(0)}": group, f"epoch:{uri(1)}": epoch})
    seen = set()
    of_group, of_epoch = all_ancestors(group), all_ancestors(epoch)
    with open_published(small.home) as warehouse:
        for one, other in product(group, repeat=2):
            expected = [("group", f"group:{uri(0)}", relation(of_group, one, other))]
            if one in epoch and other in epoch:
                expected.insert(0, ("epoch", f"epoch:{uri(1)}", relation(of_epoch, one, other)))
            assert compare(warehouse, one, other) == expected
            seen.update(row[2] for row in expected)
    assert seen == {"before", "after", "concurrent", "same"}

    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(small.home))
    root, *rest = group
    sigil = f"%{rest[-1].split('/')[-1]}.sha256"
    short = rest[-1].split("/")[-1].removesuffix("A=")
    for spelling in (sigil, short, f" {short}\n"):
        assert main(["compare", root, spelling, "--format", "json"]) == 0
        answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert [row["relation"] for row in answers if row["tangle_kind"] == "group"] == ["before"]
    for ids, sentence in [
        ((uri(100), rest[-1] if rest[-1] not in epoch else rest[0]), "No tangle has both"),
        ((root, "x"), "No message has the id x: "),
        (("", root), "The id is empty"),
        ((root[:-4], root), "may mean 9 messages; give more of the id: "),
    ]:
        assert main(["compare", *ids]) == 1
        assert sentence in capsys.readouterr().err
