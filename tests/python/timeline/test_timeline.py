"""`Timeline`, plain and compiled: compared with the published package, command by command."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache
from itertools import permutations, product
from random import Random
from typing import Any

import networkx as nx
import pyarrow as pa
import pytest
import scuttlesort
from hypothesis import example, given, settings
from hypothesis import strategies as st

from conftest import FIXTURES
from examples import share_of
from graphs import dags_of
from oracles import longest_paths, scuttlesort_order
from scuttlehouse.timeline import Timeline, compiled, fastest_order, refusals
from scuttlehouse.timeline.commands import Command, Ins, follow, read_commands
from scuttlehouse.timeline.compiled import CompiledOrder
from scuttlehouse.timeline.graph import LINKS, PASSED
from scuttlehouse.timeline.graph import NAMES as NAMED
from scuttlehouse.timeline.plain import PlainOrder
from scuttlehouse.timeline.raising import most_passed
from scuttlehouse.timeline.refusals import ConflictError, LoopError, TooManyError

TIMELINES = FIXTURES / "timelines"
# Names with another order in UTF-16, collation, case folding or their first eight bytes.
NAMES = [
    "",
    "a",
    "a\0",
    "B",
    "e\u0301",
    "\u00e9",
    "\ufb01",
    "\ue000",
    "\U0001f600",
    "\U00010000",
    "ssb:message/classic/a",
    "ssb:message/classic/b",
    "ssb:mess",
    "__proto__",
]
Delivery = Sequence[tuple[str, Sequence[str]]]


class PlainTimeline(Timeline):
    _order_type = PlainOrder


class CompiledTimeline(Timeline):
    _order_type = CompiledOrder


both = pytest.mark.parametrize("kind", [PlainTimeline, CompiledTimeline])


@st.composite
def deliveries(draw: st.DrawFn, most: int = 10) -> list[tuple[str, list[str]]]:
    """Events that list earlier ones, themselves, unknown ones and repeats, delivered in any order."""
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=most))
    events = [
        (name, draw(st.lists(st.sampled_from([*names[: place + 1], "nobody"]), max_size=4)))
        for place, name in enumerate(names)
    ]
    return draw(st.permutations(events))


@st.composite
def any_events(draw: st.DrawFn) -> list[tuple[str, list[str]]]:
    """Events with loops, and with repeated names."""
    name = st.sampled_from("abcdef")
    return draw(st.lists(st.tuples(name, st.lists(name, max_size=3)), max_size=12))


def published(delivery: Delivery) -> list[list[tuple[Any, ...]]]:
    """The commands of the published package, by event."""
    by_event: list[list[tuple[Any, ...]]] = []
    timeline = scuttlesort.Timeline(lambda *command: by_event[-1].append(command))
    for name, listed in delivery:
        by_event.append([])
        timeline.add(name, listed)
    return by_event


def spelled(commands: Sequence[Command]) -> list[tuple[Any, ...]]:
    return [("ins" if isinstance(one, Ins) else "mov", *one) for one in commands]


def add_all(timeline: Timeline, delivery: Delivery) -> list[list[tuple[Any, ...]]]:
    return [spelled(timeline.add(name, listed)) for name, listed in delivery]


def columns(delivery: Delivery) -> tuple[pa.Array, pa.Array]:
    names, after = [name for name, _ in delivery], [listed for _, listed in delivery]
    return pa.array(names, pa.string()), pa.array(after, pa.list_(pa.string()))


def extend(timeline: Timeline, delivery: Delivery) -> list[list[tuple[Any, ...]]]:
    """``add_all`` in one batch."""
    table = timeline.extend(*columns(delivery))
    by_event: list[list[tuple[Any, ...]]] = [[] for _ in delivery]
    for row, command in zip(table["row"].to_pylist(), read_commands(table), strict=True):
        by_event[row] += spelled([command])
    return by_event


def facts(timeline: Timeline) -> Any:
    """Everything that a timeline can answer."""
    order = list(timeline)
    return (
        len(timeline),
        [(name, timeline.index(name), timeline.rank(name)) for name in order],
        timeline.tips(),
        [pair for pair in product(order, repeat=2) if timeline.is_concurrent(*pair)],
        timeline.to_arrow().to_pylist(),
    )


@cache
def vectors() -> list[dict[str, Any]]:
    packed = sorted(TIMELINES.glob("*.jsonl.gz"))
    lines = [line for path in packed for line in gzip.decompress(path.read_bytes()).splitlines()]
    return [json.loads(line) for line in lines if line]


@both
@pytest.mark.parametrize("deliver", [add_all, extend])
def test_the_vectors_command_by_command(
    kind: type[Timeline], deliver: Callable[..., list[list[tuple[Any, ...]]]]
) -> None:
    published_vectors = vectors()
    assert len(published_vectors) == 236
    for vector in share_of(published_vectors):
        timeline = kind()
        by_event = deliver(timeline, vector["deliver"])
        assert by_event == [[tuple(one) for one in commands] for commands in vector["cmds"]], vector
        assert list(timeline) == vector["final"]
        assert [timeline.rank(name) for name in timeline] == vector["rank"]
        assert sorted(timeline.tips()) == sorted(vector["tips"])


@both
@given(delivery=deliveries())
@example(delivery=[("\U0001f600", []), ("\ufb01", [])])
@example(delivery=[("a", ["a"]), ("b", ["a", "a", "nobody"]), ("nobody", ["a"])])
def test_the_commands_are_those_of_the_published_package(
    kind: type[Timeline], delivery: Delivery
) -> None:
    expected = published(delivery)
    assert add_all(kind(), delivery) == expected
    assert extend(kind(), delivery) == expected


@both
@given(delivery=deliveries())
def test_the_order_is_by_longest_path_and_then_name(
    kind: type[Timeline], delivery: Delivery
) -> None:
    timeline = kind()
    replica: list[str] = []
    known: dict[str, Sequence[str]] = {}
    for name, listed in delivery:
        known[name] = listed
        follow(replica, timeline.add(name, listed))
        lengths = longest_paths(known)
        assert list(timeline) == replica == scuttlesort_order(known)
        assert [timeline.rank(one) for one in timeline] == [lengths[one] for one in timeline]
        assert [timeline.index(one) for one in timeline] == list(range(len(known)))


@both
@given(delivery=deliveries(most=7))
def test_tips_and_concurrent_events(kind: type[Timeline], delivery: Delivery) -> None:
    timeline = kind()
    add_all(timeline, delivery)
    known = nx.DiGraph()
    known.add_nodes_from(name for name, _ in delivery)
    known.add_edges_from(
        (one, name) for name, listed in delivery for one in listed if one in known and one != name
    )
    assert timeline.tips() == [name for name in timeline if not known.out_degree(name)]
    for one, other in product(known, repeat=2):
        is_apart = not nx.has_path(known, one, other) and not nx.has_path(known, other, one)
        assert timeline.is_concurrent(one, other) == is_apart


@pytest.mark.parametrize("names", ["abc", "abcd"])
def test_every_small_graph_in_every_delivery_order(names: str) -> None:
    graphs = dags_of(names)
    assert len(graphs) == {"abc": 25, "abcd": 543}[names]
    for graph in share_of(graphs):
        for order in permutations(names):
            delivery = [(name, graph[name]) for name in order]
            expected = published(delivery)
            assert add_all(PlainTimeline(), delivery) == expected, delivery
            assert add_all(CompiledTimeline(), delivery) == expected, delivery


@both
def test_graphs_of_five_events_in_some_delivery_orders(kind: type[Timeline]) -> None:
    seed = 5
    random = Random(seed)
    graphs = dags_of("abcde")
    assert len(graphs) == 29_281
    for known in random.sample(graphs, 17 * settings.default.max_examples):
        for _ in range(10):
            delivery = [(name, known[name]) for name in random.sample("abcde", 5)]
            timeline = kind()
            add_all(timeline, delivery)
            assert list(timeline) == scuttlesort_order(known), (seed, delivery)


@both
@given(events=any_events())
@example(events=[("c", ["b"]), ("b", ["a", "c"]), ("b", ["a"]), ("a", ["c"]), ("a", ["d"])])
@example(events=[("a", ["b", "c"]), ("a", ["c", "b", "b", "a"]), ("a", ["b"])])
def test_a_refused_event_changes_nothing(
    kind: type[Timeline], events: list[tuple[str, list[str]]]
) -> None:
    timeline, undisturbed = kind(), kind()
    known: dict[str, set[str]] = {}
    for name, listed in events:
        previous = set(listed) - {name}
        graph = nx.DiGraph([(one, e) for e in known for one in known[e] if one in known])
        graph.add_edges_from((one, name) for one in previous if one in known)
        graph.add_edges_from((name, e) for e in known if name in known[e])
        if name in known and known[name] == previous:
            assert timeline.add(name, listed) == []
        elif name in known:
            with pytest.raises(ConflictError) as conflict:
                timeline.add(name, listed)
            assert conflict.value.name == name
        elif not nx.is_directed_acyclic_graph(graph):
            with pytest.raises(LoopError) as refused:
                timeline.add(name, listed)
            loop = refused.value.loop
            assert name in loop
            for one, later in zip(loop, [*loop[1:], loop[0]], strict=True):
                assert one in (previous if later == name else known[later])
        else:
            known[name] = previous
            assert timeline.add(name, listed) == undisturbed.add(name, listed)
        assert facts(timeline) == facts(undisturbed)


@both
@given(events=any_events(), start=st.integers(0, 12))
@example(events=[("a", ["b"]), ("c", []), ("b", ["a"])], start=1)
def test_a_batch_is_added_whole_or_not_at_all(
    kind: type[Timeline], events: list[tuple[str, list[str]]], start: int
) -> None:
    timeline, one_by_one = kind(), kind()
    accepted = []
    for name, listed in events[:start]:
        try:
            one_by_one.add(name, listed)
        except ValueError:
            continue
        accepted.append((name, listed))
    extend(timeline, accepted)
    before = facts(timeline)
    assert before == facts(one_by_one)
    followed = timeline.links_followed - one_by_one.links_followed
    error, expected = None, []
    try:
        expected = add_all(one_by_one, events[start:])
    except (LoopError, ConflictError) as refusal:
        error = refusal
    if error:
        with pytest.raises(type(error), match=re.escape(str(error))):
            extend(timeline, events[start:])
    else:
        assert extend(timeline, events[start:]) == expected
    # A refused batch has followed links, too: as many as its events up to the one that is refused.
    assert timeline.links_followed - one_by_one.links_followed == followed
    assert facts(timeline) == (before if error else facts(one_by_one))


@both
@given(delivery=deliveries(most=8))
def test_a_timeline_continues_from_its_state(kind: type[Timeline], delivery: Delivery) -> None:
    whole = kind()
    expected = add_all(whole, delivery)
    for point in range(len(delivery) + 1):
        timeline = kind()
        add_all(timeline, delivery[:point])
        restored = kind.from_arrow(timeline.to_arrow())
        assert facts(restored) == facts(timeline)
        assert add_all(restored, delivery[point:]) == expected[point:]
        assert facts(restored) == facts(whole)


@both
def test_a_state_that_no_timeline_has(kind: type[Timeline]) -> None:
    def state(*events: tuple[str, list[str]]) -> pa.Table:
        names, after = columns(events)
        return pa.table({"name": names, "after": after})

    with pytest.raises(LoopError, match=r"2 events .*: [ab], [ab]$"):
        kind.from_arrow(state(("x", []), ("behind", ["b"]), ("a", ["b", "x"]), ("b", ["a"])))
    with pytest.raises(ConflictError, match="Event a is known"):
        kind.from_arrow(state(("a", ["b"]), ("a", ["c"])))
    assert list(kind.from_arrow(state(("a", ["b"]), ("a", ["b", "b"])))) == ["a"]


@both
def test_columns_and_names_that_do_not_fit(kind: type[Timeline]) -> None:
    timeline = kind()
    timeline.add("b", ["a"])
    before = facts(timeline)
    with pytest.raises(ValueError, match="surrogates not allowed"):
        timeline.add("c", ["new", "\ud800"])
    with pytest.raises(ValueError, match="A name is null"):
        timeline.extend(pa.array(["c", None]), pa.array([["b"], []]))
    with pytest.raises(ValueError, match="A name is null"):
        timeline.extend(pa.array(["c"]), pa.array([["b", None]]))
    with pytest.raises(ValueError, match="2 names and 1 lists"):
        timeline.extend(pa.array(["c", "d"]), pa.array([["b"]]))
    for ask in (timeline.index, timeline.rank, lambda name: timeline.is_concurrent(name, "b")):
        with pytest.raises(KeyError, match="a"):
            ask("a")
    assert facts(timeline) == before
    sliced = pa.chunked_array([["x"], ["c", "d"]]).slice(1), pa.chunked_array([[None, ["b", "c"]]])
    table = timeline.extend(*sliced)
    assert list(read_commands(table)) == [Ins("c", 1), Ins("d", 2)]
    assert timeline.extend(pa.array([], pa.string()), pa.array([], sliced[1].type)).num_rows == 0


@both
@pytest.mark.parametrize("name", ["e\u0301" * 30, "x" * 64])
def test_a_name_that_is_too_long_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, kind: type[Timeline], name: str
) -> None:
    monkeypatch.setattr(refusals, "LIMIT", 64)
    timeline = kind()
    timeline.add("b", ["x" * 63, "y" * 63])  # only all names together are too long
    before = facts(timeline)
    state = pa.table({"name": [name], "after": [["b"]]})
    for event in ((name, ["b"]), ("new", ["b", name]), ("b", [name])):
        with pytest.raises(ValueError, match="has 64 bytes or more; give a shorter one"):
            timeline.add(*event)
        with pytest.raises(ValueError, match="has 64 bytes or more; give a shorter one"):
            extend(timeline, [("first", []), event])
    with pytest.raises(ValueError, match="has 64 bytes or more; give a shorter one"):
        kind.from_arrow(state)
    assert facts(timeline) == before
    assert timeline.add("new", ["b"]) == [Ins("new", 1)]


@given(delivery=deliveries(), limit=st.integers(1, 12), is_batch=st.booleans())
@example(delivery=[("a", list("bcd")), ("e", [])], limit=4, is_batch=False)
@example(delivery=[("a", ["b"] * 4), ("e", [])], limit=4, is_batch=True)
def test_too_many_names_or_links_change_nothing(
    delivery: Delivery, limit: int, is_batch: bool
) -> None:
    deliver = extend if is_batch else add_all
    timeline = CompiledTimeline()
    names: set[str] = set()
    accepted = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "LIMIT", limit)
        for name, listed in delivery:
            all_names = names | {name, *listed}
            links = sum(len({*listed} - {name}) for name, listed in accepted)
            if len(all_names) >= limit or links + len(listed) >= limit:
                before = facts(timeline)
                with pytest.raises(ValueError, match=f"has less than {limit} names and links"):
                    deliver(timeline, [(name, listed)])
                assert facts(timeline) == before
            else:
                deliver(timeline, [(name, listed)])
                accepted.append((name, listed))
                names = all_names
    undisturbed = CompiledTimeline()
    add_all(undisturbed, accepted)
    assert facts(timeline) == facts(undisturbed)


@both
@given(deliveries(), st.integers(0, 3))
def test_an_event_that_lists_too_many_is_refused_and_changes_nothing(
    kind: type[Timeline], delivery: list[tuple[str, list[str]]], most: int
) -> None:
    free, bounded = kind(), kind(most_listed=most)
    for name, listed in delivery:
        if len({*listed} - {name}) > most:
            before = facts(bounded)
            with pytest.raises(TooManyError, match=f"this timeline allows {most}"):
                bounded.add(name, listed)
            with pytest.raises(TooManyError):
                bounded.extend(pa.array(["new", name]), pa.array([[], listed]))
            assert facts(bounded) == before
        else:
            assert bounded.add(name, listed) == free.add(name, listed)
    assert facts(bounded) == facts(free)
    state = bounded.to_arrow()
    assert facts(kind.from_arrow(state, most_listed=most)) == facts(free)
    wide = max((len(row["after"]) for row in state.to_pylist()), default=0)
    if wide:
        with pytest.raises(TooManyError):
            kind.from_arrow(state, most_listed=wide - 1)


def test_two_predecessors_need_fixed_memory_per_event() -> None:
    """2.2.1 of the paper: two links per event, in any pattern. One event that all list costs no more."""
    bytes_per_event = set()
    for wide in (False, True):
        timeline = CompiledTimeline(most_listed=2)
        names = [f"{number:09d}" for number in range(4096)]
        after = [
            [names[0 if wide else max(at - 2, 0)], names[at - 1]] if at else []
            for at in range(len(names))
        ]
        timeline.extend(pa.array(names), pa.array(after))
        order = timeline._order
        assert isinstance(order, CompiledOrder)
        used = order._state.counts
        assert used[LINKS] <= 2 * used[NAMED]
        bytes_per_event.add(order._state.links.nbytes)
    assert len(bytes_per_event) == 1


def test_without_a_compiler_the_plain_implementation_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert fastest_order() is CompiledOrder
    monkeypatch.setitem(sys.modules, "scuttlehouse.timeline.compiled", None)
    assert fastest_order() is PlainOrder


def test_where_machine_code_cannot_be_kept_the_plain_implementation_is_used() -> None:
    """As in an installation that cannot be written, of a user without a home: no folder will do."""
    script = """if True:
        from scuttlehouse.drawing.commands import commands
        from scuttlehouse.timeline import Timeline

        print(Timeline._order_type.__name__, len(commands(["b", "a"], {"b": ["a"]})))
    """
    environment = os.environ | {"NUMBA_CACHE_LOCATOR_CLASSES": "IPythonCacheLocator"}
    started = [sys.executable, "-c", script]
    done = subprocess.run(started, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("PlainOrder 2\n", "")


def late_root(count: int) -> list[tuple[str, list[str]]]:
    """A chain of events that also all list the first one, which arrives last."""
    names = [f"{number:06}" for number in range(count)]
    return [(names[place], [names[0], names[place - 1]]) for place in range(1, count)] + [
        (names[0], [])
    ]


def all_ways(count: int) -> list[tuple[str, list[str]]]:
    """Events that list all events before them. The last event to arrive raises them above a chain.

    A wave that follows every path, shortest first, raises the last events again and again.
    """
    chain = [(f"c{number:04}", [f"c{number - 1:04}"]) for number in range(count)]
    dense = [(f"d{n:04}", ["base", *(f"d{one:04}" for one in range(n))]) for n in range(count)]
    return [*chain, *dense, ("base", [chain[-1][0]])]


@both
def test_one_event_with_tens_of_thousands_of_predecessors(kind: type[Timeline]) -> None:
    count = 30_000
    names = [f"{number:06}" for number in range(count)]
    timeline = kind()
    assert timeline.add("all", names) == [Ins("all", 0)]
    assert timeline.links_followed == 0
    for place, name in enumerate(names[:500]):
        assert timeline.add(name)[0] == Ins(name, place)
    # The only waiting event is visited when the first one arrives, and is never raised again.
    assert timeline.links_followed == 0
    assert timeline.rank("all") == 1
    assert timeline.add("all", names) == []
    with pytest.raises(LoopError):
        timeline.add(names[600], ["all"])
    assert len(timeline) == 501


@both
@pytest.mark.parametrize("crafted", [late_root, all_ways])
def test_crafted_events_take_bounded_work(
    kind: type[Timeline], crafted: Callable[[int], list[tuple[str, list[str]]]]
) -> None:
    delivery = crafted(100)
    timeline = kind()
    add_all(timeline, delivery[:-1])
    before = timeline.links_followed
    timeline.add(*delivery[-1])
    links = sum(len(listed) for _, listed in delivery)
    # The search for a loop follows each link at most once, and so does the wave.
    assert 0 < timeline.links_followed - before <= 2 * links
    assert list(timeline) == scuttlesort_order(dict(delivery))


def waiting_for_one(count: int) -> list[tuple[str, list[str]]]:
    """Each event moves, one after the other, when the last one arrives. Blocks become empty."""
    return [*((f"{number:04}", ["last"]) for number in range(count)), ("last", [])]


def far_apart(count: int) -> list[tuple[str, list[str]]]:
    """Each wave of the last event raises two events, with many others between them in the order."""
    others = [(f"o{number:04}", []) for number in range(count)]
    pairs = [(f"a{number:04}", ["last"]) for number in range(20)]
    followers = [(f"b{number:04}", [f"a{number:04}"]) for number in range(20)]
    return [*others, *pairs, *followers, ("last", [])]


def test_a_wave_passes_by_few_events() -> None:
    timeline = CompiledTimeline()
    add_all(timeline, far_apart(5_000))
    order = timeline._order
    assert isinstance(order, CompiledOrder)
    assert 0 < order._state.counts[PASSED] <= 20 * most_passed(2)


@pytest.mark.parametrize(
    "delivery",
    [
        max((vector["deliver"] for vector in vectors()), key=len),
        waiting_for_one(2000),
        far_apart(2000),
    ],
    ids=["random feeds", "waiting for one", "far apart"],
)
def test_both_implementations_do_the_same_work_on_long_tangles(delivery: Delivery) -> None:
    """Long enough for blocks to be split and merged. The plain implementation has no blocks."""
    plain, compiled = PlainTimeline(), CompiledTimeline()
    for name, listed in delivery:
        assert plain.add(name, listed) == compiled.add(name, listed)
    assert plain.links_followed == compiled.links_followed
    assert list(plain) == list(compiled)
