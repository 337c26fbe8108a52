"""The SQL that grows tangles, compared with plain oracles: every status, reason, tip, rank and gap.

The messages skip validation: they are unsigned, and their ids are not hashes. They are written to
stg_ssb__messages, and dbt builds the tangles from them twice: with the project's number of settling steps,
and with one step. The two must differ only in what grew each tangle.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import count
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest

from conftest import Warehouse
from examples import share_of
from oracles import (
    Candidates,
    fixpoint_graph,
    graph_tips,
    longest_paths,
    scuttlesort_order,
    tangle_candidates,
)
from scuttlehouse.tangles.order import positions, ranks
from scuttlehouse.tangles.tables import read_graph
from test_growth import fixture_tangles

SEEDS = range(5)
WORLDS_PER_SEED = 300
DEEP = 1_500

STEPS = "fields candidates links settled checked walked grown ranked messages blocked"
MODELS = [
    *("tangle_kinds", "stg_ssb__tangle_fields"),
    *(f"int_tangles__{step}" for step in STEPS.split()),
    *("fct_tangle_messages", "fct_tangle_links", "fct_tangle_gaps", "fct_tangle_tips"),
    "dim_tangles",
]


class Message(NamedTuple):
    """A row of stg_ssb__messages, the columns for tangles. ``fields`` is None if nobody opened it."""

    id: str
    feed: str
    sequence: int | None
    fields: Mapping[str, Any] | None
    validity: str = "valid"


class World(NamedTuple):
    """Messages that share no feeds and kinds with other worlds. ``name`` tells how to make it again."""

    name: str
    manner: str
    messages: list[Message]


class Row(NamedTuple):
    """The warehouse's answer about a message in a tangle."""

    status: str
    reason: str | None
    blocking: str | None
    is_tip: bool
    rank: int | None
    position: int | None


class Answers(NamedTuple):
    """The tables of a build, by tangle."""

    messages: dict[str, dict[str, Row]]
    gaps: dict[str, dict[str, tuple[int, int]]]
    tips: dict[str, set[str]]
    tangles: dict[str, dict[str, Any]]


# Random worlds


def worlds(seed: int) -> Iterator[World]:
    for number in range(WORLDS_PER_SEED):
        name = f"{seed}.{number}"
        dice = random.Random(name)
        manner, make = dice.choice(
            [("lawful", lawful), ("lawful", lawful), ("wild", wild), ("lawless", lawless)]
        )
        yield World(name, manner, make(dice, name))


def lawful(dice: random.Random, name: str) -> list[Message]:
    """Authors list the tips of what has reached them, always including their own. Then some is lost."""
    feeds = [f"{name}-feed{number}" for number in range(dice.randint(1, 6))]
    kinds = [f"{name}-kind{number}" for number in range(dice.randint(1, 3))]
    size = dice.randint(1, 40)
    roots: dict[str, str] = {}
    held: dict[str, set[str]] = {feed: set() for feed in feeds}
    written: dict[str, Message] = {}
    reach = dice.random()
    for sequence, one in enumerate(ids(dice, name, size)):
        feed = dice.choice(feeds)
        held[feed] |= {other for other in written if dice.random() < reach}
        fields: dict[str, Any] = {}
        for kind in kinds:
            if kind not in roots:
                roots[kind] = one
                fields[kind] = {"root": None, "previous": None}
            elif roots[kind] in held[feed] and dice.random() < 0.8:
                known = candidates_in([written[other] for other in held[feed]], kind, roots[kind])
                tips = sorted(graph_tips(known, fixpoint_graph(known)))
                dice.shuffle(tips)
                fields[kind] = {"root": roots[kind], "previous": tips}
        written[one] = Message(one, feed, sequence + 1, fields)
        held[feed].add(one)
    return lose(dice, list(written.values()))


def wild(dice: random.Random, name: str) -> list[Message]:
    """Links point back in time, and otherwise follow no rule."""
    feeds = [f"{name}-feed{number}" for number in range(dice.randint(1, 5))]
    kind = f"{name}-kind"
    messages: list[Message] = []
    earlier: list[str] = []
    for sequence, one in enumerate(ids(dice, name, dice.randint(2, 40))):
        field: dict[str, Any] = {"root": None, "previous": None}
        if earlier:
            listed = dice.choices(earlier, k=dice.choice([1, 1, 1, 2, 2, 3, dice.randint(0, 4)]))
            field = {"root": earlier[0], "previous": listed}
        messages.append(Message(one, dice.choice(feeds), sequence + 1, {kind: field}))
        earlier.append(one)
    return lose(dice, messages)


def lawless(dice: random.Random, name: str) -> list[Message]:
    """Any message lists any other: itself, later ones, those of other tangles, loops. Feeds fork."""
    feeds = [f"{name}-feed{number}" for number in range(dice.randint(1, 4))]
    kinds = [f"{name}-kind{number}" for number in range(dice.randint(1, 2))]
    known = ids(dice, name, dice.randint(2, 24))
    roots = dice.choices(known, k=dice.randint(1, 2))
    anything = [*known, *roots * 4, f"{name}-lost", "__proto__", ""]
    odd_fields = [[], None, "text", {}, {"root": 7}, {"root": None, "previous": []}]
    odd_lists = [None, "text", [[]], [None], [*roots, 7]]
    messages = []
    for one in known:
        fields: dict[str, Any] = {}
        for kind in kinds:
            listed = dice.choices(anything, k=dice.choice([0, 1, 1, 1, 2, 2, 3]))
            fields[kind] = {"root": dice.choice(roots), "previous": listed}
            if one in roots and dice.random() < 0.9:
                fields[kind] = {"root": None, "previous": None}
            elif dice.random() < 0.05:
                fields[kind] = dice.choice(odd_fields)
            elif dice.random() < 0.05:
                fields[kind]["previous"] = dice.choice(odd_lists)
        sequence = dice.choice([None, *range(1, 20)])
        validity = "valid" if sequence else "not_checked"
        messages.append(Message(one, dice.choice(feeds), sequence, fields, validity))
    return lose(dice, messages)


def ids(dice: random.Random, name: str, size: int) -> list[str]:
    """Ids in an order without meaning, like hashes."""
    numbers = dice.sample(range(1000), size)
    return [f"{name}-{number:03d}" for number in numbers]


def lose(dice: random.Random, messages: list[Message]) -> list[Message]:
    """Some messages do not arrive, nobody opens others, and others are invalid."""
    rate = dice.choice([0, 0, 0.03, 0.1])
    kept = []
    for message in messages:
        if dice.random() >= rate:
            kept.append(message)
        elif (fate := dice.choice(["lost", "lost", "unopened", "invalid"])) == "unopened":
            kept.append(message._replace(fields=None))
        elif fate == "invalid":
            kept.append(message._replace(validity="invalid"))
    return kept


def deep_world() -> World:
    """A tangle much deeper than the number of steps: four feeds take turns in one chain. One link is lost."""
    chain = [f"deep-{number:05d}" for number in range(DEEP)]
    messages = []
    for number, one in enumerate(chain):
        field = {"root": chain[0], "previous": chain[number - 1 : number]}
        field = field if number else {"root": None, "previous": None}
        messages.append(Message(one, f"deep-feed{number % 4}", number, {"deep-kind": field}))
    del messages[DEEP * 3 // 4]
    return World("deep", "lawful", messages)


def fixture_world(tangle: dict[str, Any]) -> World:
    """The messages of a tangle of the fixture. If two have one id, the first counts (ruling R2)."""
    messages: dict[str, Message] = {}
    for (one, field), (feed, sequence) in zip(tangle["messages"], tangle["places"], strict=True):
        messages.setdefault(one, Message(one, feed, sequence, {"x": field}))
    return World(f"fixture {tangle['i']}", tangle["kind"], list(messages.values()))


# What is right, from the text of the rulings


def candidates_in(messages: list[Message], kind: str, root: str) -> Candidates:
    fields = [(m.id, m.fields[kind]) for m in messages if m.fields and kind in m.fields]
    return tangle_candidates(fields, root)


def right_answers(world: World) -> Answers:
    """Rulings R6 to R9 and R12, tangle by tangle."""
    answers = Answers({}, {}, {}, {})
    candidates_of: dict[tuple[str, str], Candidates] = {}
    for kind, root, message, _ in tangle_fields(world):
        tangle = f"{kind}:{root}"
        candidates_of[kind, root] = candidates_in(
            [m for m in world.messages if m.validity != "invalid"], kind, root
        )
        rejected = Row("rejected", None, None, False, None, None)
        answers.messages.setdefault(tangle, {})[message] = rejected
    for (kind, root), candidates in candidates_of.items():
        tangle = f"{kind}:{root}"
        answers.messages[tangle].update(right_rows(world, candidates))
        answers.gaps[tangle] = right_gaps(world, candidates, root)
        answers.tips[tangle] = graph_tips(candidates, fixpoint_graph(candidates))
    return answers


def tangle_fields(world: World) -> Iterator[tuple[str, str, str, Any]]:
    """Kind, root, message and field. A field with an unreadable root is a tangle of its own."""
    for message in world.messages:
        for kind, field in (message.fields or {}).items():
            root = field.get("root") if isinstance(field, dict) else None
            yield kind, root if isinstance(root, str) else message.id, message.id, field


def right_rows(world: World, candidates: Candidates) -> dict[str, Row]:
    known = {message.id: message for message in world.messages}
    graph = fixpoint_graph(candidates)
    tips = graph_tips(candidates, graph)
    previous = {one: candidates[one] or () for one in graph}
    rank = longest_paths(previous)
    place = {one: position for position, one in enumerate(scuttlesort_order(previous))}
    loops = loops_of(link_graph(candidates))
    rows = {}
    for one, listed in candidates.items():
        blocking = sorted({other for other in listed or () if other not in graph})
        if one in graph:
            rows[one] = Row("in", None, None, one in tips, rank[one], place[one])
            continue
        if one in loops:
            reason = "loop"
        elif not listed:
            reason = "no_previous"
        elif any(other not in known for other in blocking):
            reason = "missing"
        elif any(known[other].fields is None for other in blocking):
            reason = "previous_encrypted"
        elif any(other not in candidates for other in blocking):
            reason = "previous_no_candidate"
        else:
            reason = "previous_set_aside"
        rows[one] = Row(
            "set_aside", reason, " ".join(blocking) if listed else None, False, None, None
        )
    return rows


def right_gaps(world: World, candidates: Candidates, root: str) -> dict[str, tuple[int, int]]:
    """Per missing id, how many list it and how many wait for it. All wait for a missing root."""
    known = {message.id for message in world.messages}
    links = link_graph(candidates)
    gaps = {}
    for missing in {one for one in links if one not in known}:
        needed_by = sum(missing in (listed or ()) for listed in candidates.values())
        gaps[missing] = needed_by, len(nx.descendants(links, missing))
    if candidates and root not in known:
        gaps[root] = gaps.get(root, (0, 0))[0], len(candidates)
    return gaps


def link_graph(candidates: Candidates) -> nx.DiGraph:
    """Edges from each id to the ids that list it."""
    links = nx.DiGraph()
    links.add_nodes_from(candidates)
    for message, listed in candidates.items():
        links.add_edges_from((one, message) for one in listed or ())
    return links


def loops_of(links: nx.DiGraph) -> set[str]:
    components = nx.strongly_connected_components(links)
    return {one for c in components for one in c if len(c) > 1 or links.has_edge(one, one)}


def networkx_members(candidates: Candidates) -> set[str]:
    """The messages that follow only the root: no ancestor is lost, lists nothing, or is in a loop."""
    links = link_graph(candidates)
    faulty = {one for one in links if one not in candidates or candidates[one] == []}
    faulty |= loops_of(links)
    return {one for one in candidates if not faulty & {one, *nx.ancestors(links, one)}}


# The warehouse


def load(warehouse: Warehouse, all_worlds: list[World]) -> None:
    """Build everything from a log without messages, then insert messages into the staging table."""
    lines = count(1)
    rows = [
        {
            "message_id": message.id,
            "feed_id": message.feed,
            "sequence": message.sequence,
            "content_type": "test",
            "content": json.dumps({"type": "test", "tangles": message.fields})
            if message.fields is not None
            else None,
            "is_private": message.fields is None,
            "is_decrypted": False,
            "validity": message.validity,
            "has_claimed_id": False,
            "source_file": world.name,
            "line_number": next(lines),
        }
        for world in all_worlds
        for message in world.messages
    ]
    random.Random(0).shuffle(rows)
    warehouse.put_messages(rows, before=MODELS)


def answers_of(warehouse: Warehouse) -> Answers:
    answers = Answers({}, {}, {}, {})
    for row in warehouse.rows("select * from fct_tangle_messages"):
        answers.messages.setdefault(row["tangle_id"], {})[row["message_id"]] = Row(
            row["status"],
            row["status_reason"],
            row["blocking_ids"],
            row["is_tip"],
            row["rank"],
            row["position"],
        )
    for row in warehouse.rows("select * from dim_tangles"):
        answers.tangles[row["tangle_id"]] = row
        answers.gaps[row["tangle_id"]] = {}
        answers.tips[row["tangle_id"]] = set()
    for row in warehouse.rows("select * from fct_tangle_gaps"):
        gap = row["needed_by_count"], row["blocked_count"]
        answers.gaps[row["tangle_id"]][row["missing_id"]] = gap
    for row in warehouse.rows("select * from fct_tangle_tips"):
        answers.tips[row["tangle_id"]].add(row["message_id"])
    return answers


@cache
def random_worlds() -> list[World]:
    return [world for seed in SEEDS for world in worlds(seed)] + [deep_world()]


@pytest.fixture(scope="module")
def builds(warehouse: Warehouse) -> tuple[Answers, Answers]:
    """With the project's number of settling steps, and with one step."""
    load(warehouse, random_worlds() + [fixture_world(tangle) for tangle in fixture_tangles()])
    # These data tests read only these models.
    own_tests = ["--indirect-selection", "cautious", "--exclude-resource-type", "unit_test"]
    # The ids of these worlds are no ids of messages.
    own_tests += ["--exclude", "test_name:meets_expectations"]
    warehouse.build("run", "-s", *MODELS)
    assert warehouse.dbt("test", "-s", *MODELS, *own_tests).success
    usual = answers_of(warehouse)
    # The models before it do not depend on the number of steps.
    settled = MODELS[MODELS.index("int_tangles__settled") :]
    warehouse.build("run", "-s", *settled, "--vars", "{settle_steps: 1}")
    return usual, answers_of(warehouse)


@pytest.fixture(scope="module")
def grown(builds: tuple[Answers, Answers]) -> Answers:
    return builds[0]


def test_the_independent_tangles(grown: Answers) -> None:
    counted = Counter[str]()
    for tangle in fixture_tangles():
        spec, rows = tangle["spec"], grown.messages[f"x:{tangle['root']}"]
        named = {message for message, _ in tangle["messages"]}
        graph = {message for message in named if message in rows and rows[message].status == "in"}
        candidates = {one for one, row in rows.items() if row.status != "rejected"}
        assert graph == set(spec["connected"]), tangle["i"]
        assert named - graph == set(spec["disconnected"]), tangle["i"]
        assert grown.tips[f"x:{tangle['root']}"] == set(spec["tips"]), tangle["i"]
        assert len(candidates) == spec.get("candidates", len(candidates)), tangle["i"]
        counted["tangles"] += 1
        counted["messages"] += len(named)
        counted["candidates"] += "candidates" in spec
    assert counted == {"tangles": 137, "messages": 1383, "candidates": 134}


def test_the_oracles_agree() -> None:
    for world in share_of([*worlds(SEEDS[0])]):
        for kind, root, *_ in tangle_fields(world):
            candidates = candidates_in(world.messages, kind, root)
            assert fixpoint_graph(candidates) == networkx_members(candidates), world


@pytest.mark.parametrize("seed", [*SEEDS, "deep"])
def test_random_tangles(grown: Answers, seed: int | str) -> None:
    """Statuses, reasons, blocking ids, tips, ranks, positions and gaps, message by message."""
    prefix = f"{seed}."
    chosen = [world for world in random_worlds() if f"{world.name}.".startswith(prefix)]
    assert chosen
    for world in chosen:
        right = right_answers(world)
        for tangle, rows in right.messages.items():
            found = {
                one: row._replace(reason=None) if row.status == "rejected" else row
                for one, row in grown.messages[tangle].items()
            }
            assert found == rows, f"{tangle} of {world}"
            assert grown.gaps[tangle] == right.gaps[tangle], f"{tangle} of {world}"
            assert grown.tips[tangle] == right.tips[tangle], f"{tangle} of {world}"


def test_every_case_occurs(grown: Answers) -> None:
    """The random tangles are useful only if all cases occur in them, many times."""
    rows = [row for tangle in grown.messages.values() for row in tangle.values()]
    reasons = Counter(row.reason for row in rows if row.status == "set_aside")
    statuses = Counter(row.status for row in rows)
    growers = Counter(tangle["grown_by"] for tangle in grown.tangles.values())
    assert set(statuses) == {"in", "set_aside", "rejected"}
    assert set(reasons) == {
        *("loop", "no_previous", "missing"),
        *("previous_encrypted", "previous_no_candidate", "previous_set_aside"),
    }
    assert set(growers) == {"settled", "walked", None}
    assert min(*statuses.values(), *reasons.values(), *growers.values()) >= 50


def test_every_tangle_with_candidates_is_settled_or_walked(grown: Answers) -> None:
    for tangle, row in grown.tangles.items():
        assert (row["grown_by"] in ("settled", "walked")) == (row["candidate_count"] > 0), tangle


def test_feeds_that_follow_the_protocol_always_settle(grown: Answers) -> None:
    """For tangles of any depth, whatever is lost of them."""
    lawful_worlds = [world for world in random_worlds() if world.manner == "lawful"]
    assert len(lawful_worlds) > len(random_worlds()) / 3
    for world in lawful_worlds:
        for kind, root, *_ in tangle_fields(world):
            assert grown.tangles[f"{kind}:{root}"]["grown_by"] in ("settled", None), world


def test_the_number_of_steps_changes_no_answer(builds: tuple[Answers, Answers]) -> None:
    usual, single = builds
    assert single.messages == usual.messages
    assert single.gaps == usual.gaps
    assert single.tips == usual.tips
    walked = [
        {name for name, tangle in answers.tangles.items() if tangle["grown_by"] == "walked"}
        for answers in builds
    ]
    # One step leaves more to walk. Otherwise this test would compare a build with itself.
    assert walked[0] < walked[1]
    for answers in builds:
        for tangle in answers.tangles.values():
            del tangle["grown_by"]
    assert single.tangles == usual.tangles


def test_ranks_and_positions_are_those_of_the_pure_functions(grown: Answers) -> None:
    """All tangles together, as the model passes them, and each one sorted by Python."""
    candidates_of = {
        f"{kind}:{root}": candidates_in(world.messages, kind, root)
        for world in random_worlds()
        for kind, root, *_ in tangle_fields(world)
    }
    nodes, lists = [], []
    for tangle, rows in grown.messages.items():
        inside = [
            one for one, row in rows.items() if row.status == "in" and tangle in candidates_of
        ]
        nodes += [(tangle, one) for one in inside]
        lists += [candidates_of[tangle][one] for one in inside]
        assert sorted(inside, key=lambda one: (rows[one].rank, one)) == sorted(
            inside, key=lambda one: rows[one].position
        )
    columns = [pa.array([node[place] for node in nodes]) for place in (0, 1)]
    columns.append(pa.array(lists, pa.list_(pa.string())))
    numbered, *pairs = read_graph(pa.table(columns, ("tangle_id", "message_id", "previous_ids")))
    rank = ranks(len(numbered), *pairs)
    position = positions(numbered.tangle_codes, rank, columns[1])
    found = [grown.messages[tangle][one] for tangle, one in nodes]
    assert np.array_equal(rank, [row.rank for row in found])
    assert np.array_equal(position, [row.position for row in found])
