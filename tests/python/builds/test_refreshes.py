"""Refreshes: whatever arrives, in any pieces and order, the tables are those of one build of everything.

Every run splits the sample and a scenario of tribes2 at random. With `SCUTTLEHOUSE_TEST_SPLITS=100`, this
file makes a hundred splits in ten histories. Each history has the sample and all nine scenarios, which share
no people, in its own pieces and order, and two refreshes. Every second history is rolled back once. The one
history of every run has one refresh. All builds share one Spark session.
"""

from __future__ import annotations

import gzip
import json
import os
import random
from collections.abc import Mapping
from math import ceil
from pathlib import Path

import pytest

from conftest import OF_BUILDS, PROJECT, Rows, Warehouse
from crossing_groups import Groups, a_log_that_is_corrected, changed_logs, crossing_logs
from test_hostile_logs import lines_of
from test_publishing import differing, published_orders, replayed

SPLITS = int(os.environ.get("SCUTTLEHOUSE_TEST_SPLITS", "1"))
SCENARIOS = min(SPLITS, 9)
BUILD = "build", "--exclude-resource-types", "test", "unit_test"


def pieces(logs: list[Path], dice: random.Random) -> dict[str, bytes]:
    """Parts of the logs as files by name, with overlaps and repeats, in any order. Some are compressed."""
    found, seen = [], set()
    for log in logs:
        data = gzip.decompress(log.read_bytes()) if log.suffix == ".gz" else log.read_bytes()
        lines = data.splitlines(keepends=True)
        cuts = sorted(dice.sample(range(len(lines)), min(len(lines) - 1, dice.randrange(3))))
        for start, end in zip([0, *cuts], [*cuts, len(lines)], strict=True):
            overlap = dice.choice([0, 0, 5, 200])
            part = b"".join(lines[max(start - overlap, 0) : end])
            if part in seen:  # The same log twice is read once.
                continue
            seen.add(part)
            name = f"{dice.randrange(10**9):09d}-{log.parent.name}-{log.name.removesuffix('.gz')}"
            is_packed = dice.random() < 0.3
            found.append((f"{name}.gz", gzip.compress(part)) if is_packed else (name, part))
    dice.shuffle(found)
    return dict(found)


def claims(logs: list[Path], count: int, dice: random.Random) -> bytes:
    """What anybody can write under the ids of messages: it is invalid, or opened without its signed bytes.

    Each line says that the message came before all others.
    """
    messages = [line for log in logs for line in lines_of(log) if "key" in line]
    written = []
    for line in dice.sample(messages, count):
        opened = {"content": {"type": "post"}, "private": True}
        other = dice.choice([{"timestamp": 1}, {"sequence": 10**6}, opened])
        value = line["value"] | other
        written.append({"key": line["key"], "value": value, "timestamp": 1_400_000_000_000})
    return "".join(json.dumps(line) + "\n" for line in written).encode()


def thirds_of(log: Path) -> dict[str, bytes]:
    """The lines of a log in three files by name."""
    lines = log.read_bytes().splitlines(keepends=True)
    cuts = [len(lines) * part // 3 for part in range(4)]
    return {
        f"third-{part}.jsonl": b"".join(lines[cuts[part] : cuts[part + 1]]) for part in range(3)
    }


def unfinished(name: str, data: bytes, dice: random.Random) -> bytes:
    """A log during its export: some of its lines, or a file that is cut at any place."""
    if name.endswith(".gz"):
        return data[: dice.randrange(2, len(data))]  # One byte is not gzip.
    lines = data.splitlines(keepends=True)
    return b"".join(lines[: dice.randrange(1, len(lines) + 1)])


def compressed(name: str, data: bytes) -> dict[str, bytes]:
    """The same log under another name, compressed if it was not."""
    packed = data if name.endswith(".gz") else gzip.compress(data)
    return {f"renamed-{name}.gz": packed}


def put(warehouse: Warehouse, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        (warehouse.landing / name).write_bytes(data)


@pytest.mark.parametrize("seed", range(ceil(SPLITS / (SCENARIOS + 1))))
def test_any_history_of_a_landing_folder_ends_in_the_tables_of_one_build(
    refreshed: Warehouse, tribes2: Path, seed: int
) -> None:
    """Logs arrive, grow, move, are archived, come again. A build is rolled back. Readers replay commands."""
    dice = random.Random(seed)
    scenarios = sorted(path for path in tribes2.iterdir() if path.is_dir())
    dice.shuffle(scenarios)
    other = scenarios[-1]
    sources = [PROJECT / "sample", *scenarios[:SCENARIOS]]
    logs = [sorted(source.rglob("*.jsonl*")) for source in sources]
    files = pieces([log for found in logs for log in dice.sample(found, min(len(found), 4))], dice)
    names = list(files)
    first = names[: dice.randrange(3, len(names))]
    growing, archived, moved = first[:3]
    half = {growing: unfinished(growing, files[growing], dice)}
    # Every refresh has a part of this log, whatever else it has.
    steady = thirds_of(max(other.rglob("*.jsonl"), key=lambda log: (log.stat().st_size, log)))
    files |= steady
    later = names[len(first) :]
    parts = [first, later[::2], later[1::2]]
    at_first, second, last = ([*part, name] for part, name in zip(parts, steady, strict=True))
    for name, crossing in crossing_logs().items():
        for number, part in enumerate((at_first, last)):
            files[f"crossing-{name}-{number}.jsonl"] = crossing[number]
            part.append(f"crossing-{name}-{number}.jsonl")
    corrected, files["corrected.jsonl"], files["other.jsonl"] = a_log_that_is_corrected(Groups(11))
    at_first.append("other.jsonl")
    half["corrected.jsonl"] = corrected
    for name, (as_it_was, as_it_is) in changed_logs().items():
        half[name], files[name] = as_it_was, as_it_is
    # Some of these messages come later, or never.
    dice = random.Random(seed)
    for part, count in (at_first, 200), (last, 5):
        name = f"claims-{count}.jsonl"
        files[name] = claims([log for found in logs for log in found], count, dice)
        part.append(name)
    put(refreshed, {name: files[name] for name in at_first} | half)
    refreshed.refresh(*BUILD, "--full-refresh")
    new = {*second, *last}
    if SPLITS > 1:
        put(refreshed, {name: files[name] for name in second})
        refreshed.refresh(*BUILD)
        new = {*last}
    before = refreshed.published()

    files |= compressed(moved, files.pop(moved))
    put(refreshed, files)
    for gone in (archived, moved):
        (refreshed.landing / gone).unlink()
    refreshed.refresh(*BUILD)
    tables = refreshed.published()
    is_whole = half[growing] == files[growing]
    status = {name: "new" if name in new else "known" for name in files}
    status |= {growing: "known" if is_whole else "changed", archived: "vanished"}
    status |= {name: "changed" for name in half.keys() - {growing} if half[name] != files[name]}
    status |= {moved: "moved", f"renamed-{moved}.gz": "new"}
    assert {row["source_file"]: row["status"] for row in tables["dim_logs"]} == status, (
        f"seed {seed}"
    )
    groups, computed = (ids(refreshed, one) for one in ("dim_groups", "int_groups__judged_epochs"))
    assert computed == ids(refreshed, "int_changes__groups") & groups, f"seed {seed}"
    assert seed != 0 or computed < groups, "the first history leaves some groups as they are"
    assert 1 in {row["late_message_count"] for row in tables["fct_exclusions"]}
    assert "Renamed Bob" in {row["person_name"] for row in tables["fct_epoch_members"]}
    broken = {row["rule_id"] for row in tables["fct_rule_violations"]}
    assert "message_without_group_tangle" in broken
    replica_orders = replayed(tables["fct_timeline_updates"])
    assert replica_orders == published_orders(tables["fct_tangle_messages"]), f"seed {seed}"

    found = [tables]
    if seed % 2:
        # A refresh continues from what is published, whatever was read since.
        refreshed.roll_back()
        assert differing(refreshed.published(), before) == [], f"seed {seed}"
        refreshed.refresh(*BUILD)
        found.append(refreshed.published())
        # The next rollback goes to the same build, and not to the one before the rollback.
        refreshed.roll_back()
        assert differing(refreshed.published(), before) == [], f"seed {seed}"

    put(refreshed, files)
    refreshed.build(*BUILD)
    at_once = refreshed.published()
    for ours in found:
        for name in at_once.keys() - OF_BUILDS - {"fct_rejected_lines"}:
            different = difference(ours[name], at_once[name])
            assert different is None, f"seed {seed}, {name}: {different}"
        compare_rejects(ours["fct_rejected_lines"], at_once["fct_rejected_lines"], archived, seed)


def compare_rejects(ours: Rows, at_once: Rows, archived: str, seed: int) -> None:
    """Lines of the archived log are told no longer; what other logs have in common with it, they tell now."""
    of_archived = [row for row in at_once if row["source_file"] == archived]
    ours_alone, theirs_alone = difference(ours, at_once) or ([], [])
    assert theirs_alone == of_archived, f"seed {seed}: {theirs_alone}"
    reasons = {row["reason"] for row in of_archived}
    assert {row["reason"] for row in ours_alone} <= reasons, f"seed {seed}: {ours_alone}"
    assert archived not in {row["source_file"] for row in ours}, f"seed {seed}"


def ids(warehouse: Warehouse, model: str) -> set[str]:
    """The groups with rows in a model."""
    return {row["group_id"] for row in warehouse.rows(f"select distinct group_id from {model}")}


def difference(ours: Rows, theirs: Rows) -> tuple[Rows, Rows] | None:
    """The rows of each that the other lacks. None if the tables are equal."""
    if ours == theirs:
        return None
    return [row for row in ours if row not in theirs], [row for row in theirs if row not in ours]
