"""Sets in a real build: the logs of the fixtures must read as their publishers read them."""

from __future__ import annotations

import json
import tarfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from conftest import FIXTURES, BesideAStranger, Build, Rows
from scuttlehouse.sample.write import write_sample
from scuttlehouse.sets.items import SetMessage, read_items


def read_cases() -> list[dict[str, Any]]:
    with tarfile.open(FIXTURES / "sets.tar.xz") as archive:
        files = [archive.extractfile(member) for member in archive if member.isfile()]
        return [json.loads(file.read()) for file in files if file]


def write_logs(folder: Path) -> list[Path]:
    """The logs of all devices of all cases."""
    logs = []
    for case in read_cases():
        for device, lines in case["logs"].items():
            logs.append(folder / f"{case['name']}-{device}.jsonl")
            logs[-1].write_text("".join(json.dumps(line) + "\n" for line in lines))
    return logs


@pytest.fixture(scope="module")
def cases() -> list[dict[str, Any]]:
    return read_cases()


@pytest.fixture(scope="module")
def tables(built: Build, unrelated_logs: BesideAStranger) -> dict[str, Rows]:
    """The lines of the stranger, and of what the stranger knows, may be rejected."""
    names = unrelated_logs.names
    own = {names[log] for log in names.keys() - {*built.logs}}
    rejected = unrelated_logs.tables["fct_rejected_lines"]
    assert not [row for row in rejected if row["source_file"] in own]
    return unrelated_logs.tables


def lists(items: Rows) -> dict[str, list[str]]:
    """Each set as a list."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in sorted(items, key=lambda row: int(row["position"])):
        found[row["set_id"]].append(row["item"])
    return found


def test_every_set_reads_as_its_devices_read_it(
    cases: list[dict[str, Any]], built: Build, tables: dict[str, Rows]
) -> None:
    """In the end all devices know everything, so each set is what its first device reads."""
    items = lists(tables["fct_set_items"])
    others = {row["set_id"] for row in built.tables["dim_sets"]}
    found = {row["set_id"]: row for row in tables["dim_sets"] if row["set_id"] not in others}
    messages: dict[str, Rows] = defaultdict(list)
    placed = [row for row in tables["fct_set_messages"] if row["set_id"] in found]
    for row in sorted(placed, key=lambda row: int(row["position"])):
        messages[row["set_id"]].append(row)
    assert {one for one in found if found[one]["domain"] != "set_v1__secret"} == {
        case["set_tangle_id"] for case in cases
    }
    for case in cases:
        name, set_id, final = case["name"], case["set_tangle_id"], case["final"]["A1"]
        assert items[set_id] == final["values"], name
        own = messages[set_id]
        assert [row["message_id"] for row in own] == final["topoSort"], name
        assert {row["message_id"] for row in own if row["is_tip"]} == set(final["tips"]), name
        assert found[set_id]["account_id"] == case["account"], name
        assert found[set_id]["domain"] == case["domain"], name
        assert found[set_id]["min_required_depth"] == final["minRequiredDepth"], name
        # Some cases use another span.
        if case["ghostSpan"] == 32:
            assert found[set_id]["min_ghost_depth"] == final["minGhostDepth"], name
        assert found[set_id]["depth"] == final["maxDepth"], name
        assert {row["has_lipmaa_link"] for row in own if not row["is_moot"]} == {True}, name


def test_the_sets_of_the_sample(built: Build, tmp_path: Path) -> None:
    """The values known from how they were made, including unusual messages."""
    summary = write_sample(tmp_path, seed=1)
    items = lists(built.tables["fct_set_items"])
    messages = built.tables["fct_set_messages"]
    assert summary.sets
    for one in summary.sets:
        inside = {row["message_id"] for row in messages if row["set_id"] == one.set_id}
        inside -= {row["message_id"] for row in messages if row["status"] != "in"}
        assert inside == set(one.accepted)
        assert items[one.set_id] == one.items
    assert {
        row["item"] for row in built.tables["fct_set_items"] if row["is_lost_by_reference"]
    } == {item for one in summary.sets for item in one.lost_by_reference}
    reasons = {row["status_reason"] for row in messages} - {None}
    assert reasons == {"no_device_of_the_account", "depth_is_wrong", "missing"}
    assert {row["set_fault"] for row in messages} == {None, "no_lists"}


def test_our_pruning_changes_no_set_and_that_of_the_reference_does(
    cases: list[dict[str, Any]], tables: dict[str, Rows]
) -> None:
    going = {row["message_id"] for row in tables["fct_set_prunings"]}
    lost = {row["set_id"] for row in tables["fct_set_items"] if row["is_lost_by_reference"]}
    assert going == {row["message_id"] for row in tables["fct_set_messages"] if row["is_prunable"]}
    for case in cases:
        set_id, final = case["set_tangle_id"], case["final"]["A1"]
        lines = {line["id"]: line["msg"] for line in case["logs"]["A1"]}
        left = []
        for one in set(final["topoSort"]) - going:
            data = lines[one]["data"]
            place = lines[one]["metadata"]["tangles"].get(set_id, {"depth": 0, "prev": []})
            lists = [data[name] for name in ("add", "del", "supersedes")] if data else [None] * 3
            left.append(SetMessage(one, place["depth"], place["prev"], *lists))
        assert [item.item for item in read_items(left)] == final["values"], case["name"]
    names = {case["name"] for case in cases if case["set_tangle_id"] in lost}
    assert names >= {"protospec_figure", "rand7"}
    assert len(going) > 20
