"""Compare timelines with the published package, and the final order with other programs; measure growth.

    python benchmarks/timeline.py [PART ...]

Parts, all if none is named (all sizes and feeds as in the paper; 1K is 1,000):

- `published`: the model of the ScuttleSort paper (`paper_model.py`) with ids as in the warehouse, delivered
  by random feeds and in the order of generation. Compares the package from PyPI, with a callback, with
  `Timeline.add` and `Timeline.extend`. All commands are hashed, and must be equal.
- `growth`: microseconds, commands and links followed per event, from 8K to 512K, in one batch.
- `order`: the final order of 1,000,000 messages with 2,000,000 links, as int_tangles__ranked finds it.
  Compares it with plain Python with dictionaries and with networkx's lexicographical topological sort.
- `attacks`: what hostile deliveries cost, compared with the published package if it finishes.
- `memory`: bytes per event that stay allocated.

Times are processor time. Ours runs RUNS times, and the median is shown. The published package by random
feeds and networkx run once, because they are slow.
"""

from __future__ import annotations

import argparse
import gc
import math
import random
import tracemalloc
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from hashlib import sha256
from itertools import count
from statistics import median
from time import process_time
from typing import Any

import networkx as nx
import numpy as np
import pyarrow as pa
import scuttlesort

from paper_model import columns, message_id, named, pairs, random_feeds, tangle
from scuttlehouse.tangles.order import positions, ranks
from scuttlehouse.tangles.tables import read_graph
from scuttlehouse.timeline import Timeline
from scuttlehouse.timeline.commands import Command, Ins, read_commands

SEED = 1
RUNS = 3

Delivered = Sequence[tuple[str, list[str]]]


def seconds(run: Callable[[], object]) -> float:
    gc.collect()
    start = process_time()
    run()
    return process_time() - start


def median_seconds(run: Callable[[], object]) -> float:
    return median(seconds(run) for _ in range(RUNS))


def paper_deliveries(size: int, feeds: int) -> tuple[Delivered, Delivered]:
    """The same events, delivered by random feeds and in the order of generation."""
    dice = random.Random(SEED)
    events = tangle(pairs(size, feeds, dice))
    return named(events, random_feeds(events, dice)), named(events, range(size))


def add_new(delivered: Delivered) -> list[tuple[Any, ...]]:
    """All commands in the form of the package, so that both keep the same data."""
    timeline = Timeline()
    told = []
    for name, listed in delivered:
        for command in timeline.add(name, listed):
            told.append(spelled(command))
    return told


def extend_new(names: pa.Array, after: pa.Array) -> pa.Table:
    return Timeline().extend(names, after)


def add_published(delivered: Delivered, told: list[tuple[Any, ...]]) -> None:
    timeline = scuttlesort.Timeline(lambda *command: told.append(command))
    for name, listed in delivered:
        timeline.add(name, listed)


def digest(commands: Iterable[tuple[Any, ...]]) -> str:
    hashed = sha256()
    for command in commands:
        hashed.update(repr(tuple(command)).encode())
    return hashed.hexdigest()[:16]


def spelled(command: Command) -> tuple[Any, ...]:
    return ("ins" if isinstance(command, Ins) else "mov", *command)


def published() -> None:
    print(
        f"{'events':>9} {'feeds':>5} {'delivery':>12} {'published':>9} {'add':>7} {'times':>6} "
        f"{'extend':>7} {'times':>6}  commands"
    )
    for size, feeds in ((32_000, 16), (32_000, 64), (128_000, 64)):
        for label, delivered in zip(
            ("random feeds", "as generated"), paper_deliveries(size, feeds), strict=True
        ):
            arrow = columns(delivered)
            told: list[tuple[Any, ...]] = []
            theirs = seconds(partial(add_published, delivered, told))
            if label == "as generated":
                theirs = median_seconds(lambda given=delivered: add_published(given, []))
            hashes = {
                digest(told),
                digest(add_new(delivered)),
                digest(map(spelled, read_commands(extend_new(*arrow)))),
            }
            if len(hashes) > 1:
                raise AssertionError("The commands are not those of the published package.")
            one_by_one = median_seconds(partial(add_new, delivered))
            batch = median_seconds(partial(extend_new, *arrow))
            print(
                f"{size:>9,} {feeds:>5} {label:>12} {theirs / size * 1e6:>9.1f} "
                f"{one_by_one / size * 1e6:>7.2f} {theirs / one_by_one:>6.1f} "
                f"{batch / size * 1e6:>7.2f} {theirs / batch:>6.1f}  "
                f"{len(told) / size:.3f} per event, hash {hashes.pop()}",
                flush=True,
            )


def growth() -> None:
    print(f"{'feeds':>5} {'events':>9} {'us/event':>9} {'commands':>9} {'links followed':>15}")
    for feeds in (16, 64):
        measured = []
        for size in (8_000, 32_000, 128_000, 512_000):
            arrow = columns(paper_deliveries(size, feeds)[0])
            spent = median_seconds(partial(extend_new, *arrow)) / size * 1e6
            timeline = Timeline()
            commands = timeline.extend(*arrow).num_rows / size
            followed = timeline.links_followed / size
            measured.append((size, spent, followed))
            print(
                f"{feeds:>5} {size:>9,} {spent:>9.2f} {commands:>9.3f} {followed:>15.1f}",
                flush=True,
            )
        (size, *first), (last_size, *last) = measured[0], measured[-1]
        powers = [
            math.log(b / a) / math.log(last_size / size) for a, b in zip(first, last, strict=True)
        ]
        print(f"      time per event grows to the power of {powers[0]:.2f}, links {powers[1]:.2f}")


def dictionary_order(ids: list[str], links: list[tuple[str, str]]) -> list[str]:
    """The order by rank and name in plain Python, with one dictionary for ranks and one for followers."""
    followers: dict[str, list[str]] = {name: [] for name in ids}
    unmet = dict.fromkeys(ids, 0)
    for name, previous in links:
        if previous in followers and previous != name:
            followers[previous].append(name)
            unmet[name] += 1
    found = {name: 0 for name, waits_for in unmet.items() if waits_for == 0}
    ready = list(found)
    for name in ready:
        for follower in followers[name]:
            unmet[follower] -= 1
            if unmet[follower] == 0:
                found[follower] = found[name] + 1
                ready.append(follower)
    return sorted(found, key=lambda name: (found[name], name))


def order() -> None:
    size = 1_000_000
    dice = random.Random(SEED)
    events = tangle(pairs(size, 64, dice))
    delivered = named(events, random_feeds(events, dice))
    ids, previous = (column.to_pylist() for column in columns(delivered))
    links = [(name, one) for name, listed in delivered for one in listed]
    tangle_ids = pa.array([f"thread:{ids[0]}"] * size)
    table = pa.table({"tangle_id": tangle_ids, "message_id": ids, "previous_ids": previous})
    shares: dict[str, list[float]] = {"id mapping": [], "ranking": [], "sorting": []}
    for _ in range(RUNS + 1):  # the first, which may compile, is not counted
        gc.collect()
        times = [process_time()]
        graph = read_graph(table)
        times.append(process_time())
        node_ranks = ranks(size, graph.link_message, graph.link_previous)
        times.append(process_time())
        places = positions(graph.nodes.tangle_codes, node_ranks, table["message_id"])
        times.append(process_time())
        for part, start, end in zip(shares, times, times[1:], strict=False):
            shares[part].append(end - start)
    spent = {part: median(each[1:]) for part, each in shares.items()}
    total = sum(spent.values())
    found: list[str] = []
    plain = median_seconds(lambda: found.__setitem__(slice(None), dictionary_order(ids, links)))
    if [ids[place] for place in np.argsort(places).tolist()] != found:
        raise AssertionError("The orders differ.")
    tangled = nx.DiGraph()

    def build() -> None:
        tangled.add_nodes_from(ids)
        tangled.add_edges_from((one, name) for name, one in links)

    built = seconds(build)
    walked = seconds(lambda: list(nx.lexicographical_topological_sort(tangled)))
    print(f"{size:,} messages, {len(links):,} links: {total:.2f} s")
    for part, one in spent.items():
        print(f"  {part}: {one:.2f} s, {one / total:.0%}")
    print(f"dictionaries: {plain:.2f} s, {plain / total:.1f} times as long")
    print(
        f"networkx: {built:.2f} s to build the graph, {walked:.2f} s to sort: "
        f"{walked / total:.1f} times as long, {(built + walked) / total:.1f} with the building"
    )


def many_predecessors(size: int) -> Delivered:
    names = [message_id(number) for number in range(size)]
    return [("all", names), *((name, []) for name in names)]


def all_ways(size: int) -> Delivered:
    """Each event of the second half lists all events before it, and the last one to arrive raises them all.

    A wave that follows every path, shortest first, raises the last events again and again.
    """
    half = size // 2
    chain = [(f"c{number:06}", [f"c{number - 1:06}"]) for number in range(1, half)]
    dense = [(f"d{n:06}", ["base", *(f"d{one:06}" for one in range(n))]) for n in range(half)]
    return [("c000000", []), *chain, *dense, ("base", [chain[-1][0]])]


def late_root(size: int) -> Delivered:
    """A tangle of 16 feeds as in the warehouse. Its root arrives last."""
    events = tangle(pairs(size, 16, random.Random(SEED)))
    return [
        *((name, ["root", *listed]) for name, listed in named(events, range(size))),
        ("root", []),
    ]


def attacks() -> None:
    cases = (
        ("an event with predecessors", many_predecessors, 100_000, False),
        ("all ways", all_ways, 800, True),
        ("all ways", all_ways, 3_200, False),
        ("root arrives last", late_root, 2_000, True),
        ("root arrives last", late_root, 100_000, False),
    )
    print(
        f"{'case':>26} {'events':>8} {'all ms':>9} {'worst add ms':>12} {'published: worst ms':>20}"
    )
    for label, make, size, is_compared in cases:
        delivered = make(size)
        timeline = Timeline()
        spent = [seconds_of_add(timeline.add, *event) for event in delivered]
        theirs = ""
        if is_compared:
            add = scuttlesort.Timeline(lambda *_: None).add
            theirs = f"{max(seconds_of_add(add, *event) for event in delivered) * 1e3:.1f}"
        print(
            f"{label:>26} {size:>8,} {sum(spent) * 1e3:>9.1f} {max(spent) * 1e3:>12.2f} {theirs:>20}",
            flush=True,
        )


def seconds_of_add(add: Callable[[str, list[str]], object], name: str, listed: list[str]) -> float:
    start = process_time()
    add(name, listed)
    return process_time() - start


def filled(timeline: Timeline | scuttlesort.Timeline, delivered: Delivered) -> object:
    for name, listed in delivered:
        timeline.add(str(name.encode(), "utf-8"), listed)  # a new text object for each event
    return timeline


def memory() -> None:
    size, feeds = 128_000, 64
    delivered = paper_deliveries(size, feeds)[1]
    state = pa.table(dict(zip(("name", "after"), columns(delivered), strict=True)))
    print(f"{size:,} events, {feeds} feeds, names of {len(delivered[0][0])} characters")
    for label, fill in (
        ("ours, event by event", lambda: filled(Timeline(), delivered)),
        ("ours, from its state", lambda: Timeline.from_arrow(state)),
        ("published", lambda: filled(scuttlesort.Timeline(), delivered)),
    ):
        gc.collect()
        tracemalloc.start()
        timeline = fill()
        gc.collect()
        print(f"{label}: {tracemalloc.get_traced_memory()[0] / size:.0f} bytes per event")
        tracemalloc.stop()
        del timeline


PARTS = {part.__name__: part for part in (published, growth, order, attacks, memory)}


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure timelines.")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART")
    Timeline().add("compiled by now")
    for number, part in zip(count(), parser.parse_args().parts or PARTS):
        print("\n" * (number > 0) + part)
        PARTS[part]()


if __name__ == "__main__":
    main()
