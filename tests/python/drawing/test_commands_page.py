"""`scuttlehouse draw commands`: a page whose commands give the order of a tangle."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import cycle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs import Graph, random_graph
from oracles import scuttlesort_order
from scuttlehouse.cli import main
from scuttlehouse.drawing.commands import commands
from scuttlehouse.printing import visible
from small_warehouse import SmallWarehouse
from test_drawings import uri

EVIL = "\x1b\u202e@data@</script><script>alert(1)</script>"
AT = pa.timestamp("us", "UTC")


def follow(told: Sequence[Mapping[str, Any]]) -> list[str]:
    """The array of ScuttleSort, section 1.2."""
    order: list[str] = []
    for one in told:
        if one["command"] == "mov":
            assert order.pop(one["from_position"]) == one["message_id"]
        order.insert(one["to_position"], one["message_id"])
    return order


@given(seed=st.integers(0, 2**32), size=st.integers(1, 40))
def test_the_commands_give_the_order(seed: int, size: int) -> None:
    dice = random.Random(seed)
    graph = random_graph(dice, map(uri, range(size)))
    arrivals = dice.sample(sorted(graph), size)
    told = commands(arrivals, graph)
    assert follow(told) == scuttlesort_order(graph)
    inserted = [one["message_id"] for one in told if one["command"] == "ins"]
    assert inserted == arrivals


def tables(graph: Graph, arrivals: Sequence[str]) -> dict[str, pa.Table]:
    tangle, other_tangle = (f"{kind}:{next(iter(graph))}" for kind in ("thread", "group"))
    began = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    links = [(tangle, one, other) for one, listed in graph.items() for other in listed]
    links += [(other_tangle, one, arrivals[-1]) for one in arrivals]
    many = [f"{number}-person" for number in range(8)] if len(arrivals) > 500 else ["eve", "bob"]
    placed = [
        (tangle, one, author, None if author == "bob" else EVIL, "in")
        for one, author in zip(arrivals, cycle(many))
    ]
    # Of the last but one, only its author's time is known, which is late; of the last one, none.
    told = [(began + timedelta(minutes=n), None) for n in range(len(arrivals) - 2)]
    told += [(None, began + timedelta(days=1)), (None, None)]
    times = [(one, *both) for one, both in zip(arrivals, told, strict=False)]
    found = {
        "dim_tangles": ("tangle_id root_id tangle_kind", [(tangle, tangle[7:], "thread")]),
        "dim_people": ("person_id name", [("eve", EVIL), ("bob", "Robert")]),
        "fct_tangle_links": ("tangle_id message_id previous_id", links),
        "fct_tangle_messages": (
            "tangle_id message_id person_id content_type status",
            [
                *placed,
                (tangle, uri(999_999), "eve", "post", "set_aside"),
                (other_tangle, uri(999_998), "eve", "post", "in"),
            ],
        ),
        "fct_messages": (
            "message_id received_at asserted_at",
            [*times, (uri(999_999), began, began), (uri(999_998), began, began)],
        ),
    }
    return {
        name: pa.Table.from_pylist(
            [dict(zip(columns.split(), row, strict=True)) for row in rows],
            pa.schema(
                [(one, AT if one.endswith("_at") else pa.string()) for one in columns.split()]
            ),
        )
        for name, (columns, rows) in found.items()
    }


def drawn(
    folder: Path, monkeypatch: pytest.MonkeyPatch, graph: Graph, arrivals: Sequence[str]
) -> str:
    small = SmallWarehouse(folder / "home")
    small.publish(tables(graph, arrivals))
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(small.home))
    page = folder / "page.html"
    assert main(["draw", "commands", "thread:0", "--output", str(page)]) == 0
    return page.read_text(encoding="utf-8")


def data_of(page: str) -> dict[str, Any]:
    [data] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    found: dict[str, Any] = json.loads(data)
    return found


def in_node(page: str, *calls: str) -> list[Any]:
    """What the script of the page answers."""
    script = page.rpartition("<script>")[2].partition("</script>")[0]
    asked = ", ".join(
        f"(() => {{ try {{ return {one}; }} catch (e) {{ return e.message; }} }})()"
        for one in calls
    )
    program = f"{script}\nconst p = module.exports; console.log(JSON.stringify([{asked}]));"
    done = subprocess.run(["node", "-"], input=program, capture_output=True, text=True, check=True)
    answers: list[Any] = json.loads(done.stdout)
    return answers


def test_a_page_of_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the messages in the graph as they arrived, asks for nothing, and runs nothing of a stranger."""
    dice = random.Random(7)
    graph = random_graph(dice, map(uri, range(30)))
    arrivals = dice.sample(sorted(graph), len(graph))
    page = drawn(tmp_path, monkeypatch, graph, arrivals)
    data = data_of(page)
    assert data["commands"] == commands(arrivals, graph)
    assert {one["command"] for one in data["commands"]} == {"ins", "mov"}
    assert set(data["messages"]) == set(graph)
    assert follow(data["commands"]) == scuttlesort_order(graph)
    assert data["messages"][arrivals[-1]]["time"] == "no time"
    assert data["messages"][arrivals[-2]]["time"] == "2026-01-03 03:04:00"
    root = next(iter(graph)).rpartition("/")[2][:6]
    assert page.count(f">Commands of tangle thread:{root}<") == 2
    eve = visible(EVIL[:15] + "…") + " eve", visible(EVIL[:23] + "…"), "c0"
    for one, told in zip(arrivals, cycle([eve, ("Robert", "", "c1")])):
        shown = data["messages"][one]
        assert (shown["author"], shown["type"], shown["colour"]) == told
        assert shown["short"] == one.rpartition("/")[2][:6]
    assert "Left out" not in page
    assert "colours repeat" not in page
    assert page.count("<script") == 2
    assert "default-src 'none'" in page
    assert not re.search(r"https?:|src=|url\(|@import", page)
    assert "\x1b" not in page
    assert "\u202e" not in page


def test_a_tangle_without_its_first_message_has_no_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = drawn(tmp_path, monkeypatch, {uri(0): []}, [])
    assert data_of(page) == {"messages": {}, "commands": []}


def test_a_long_tangle_says_what_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = {uri(number): [uri(number - 1)] if number else [] for number in range(510)}
    page = drawn(tmp_path, monkeypatch, graph, list(graph))
    assert len(data_of(page)["messages"]) == 500
    assert "<p>Left out: 10 later messages.</p>" in page
    assert "<p>There are 8 authors, so colours repeat: names tell.</p>" in page


@pytest.mark.skipif(
    not shutil.which("node"), reason="the page's script needs node to run outside of a browser"
)
def test_the_page_follows_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dice = random.Random(8)
    graph = random_graph(dice, map(uri, range(40)))
    arrivals = dice.sample(sorted(graph), len(graph))
    page = drawn(tmp_path, monkeypatch, graph, arrivals)
    told = data_of(page)["commands"]
    lines = "\n".join(json.dumps(one) for one in told)
    gone = {"command": "del", "message_id": "x", "from_position": 0}
    bad = {"command": "mov", "message_id": "x", "from_position": 40, "to_position": 0}
    answers = in_node(
        page,
        *(f"p.orderAfter({json.dumps(told)}, {count})" for count in range(len(told) + 1)),
        f"p.readLines({json.dumps(lines)}).length",
        f"p.orderAfter({json.dumps([*told, gone])}, {len(told) + 1})",
        f"p.readLines({json.dumps(lines + chr(10) + json.dumps(bad))})",
        "p.readLines('\\n{')",
        "p.readLines('[]')",
        'p.readLines(\'{"command": "swap", "message_id": "a"}\')',
    )
    for count, order in enumerate(answers[: len(told) + 1]):
        assert order == follow(told[:count])
    assert answers[len(told) + 1 :] == [
        len(told),
        scuttlesort_order(graph)[1:],
        f"Command {len(told) + 1} cannot be applied: there is no position 40.",
        "Line 2 of the file is not JSON.",
        "Line 1 of the file is no command with a message_id.",
        "Command 1 cannot be applied: swap is none of ins, mov and del.",
    ]
