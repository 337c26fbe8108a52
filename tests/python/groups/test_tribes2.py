"""Nine scenarios of real group logs, compared with the answers of the software that published them.

Each scenario is one group of people (`s12` has two groups) with a log per person at several moments.
One build takes a log of every scenario at once. Two builds take logs that differ as much as possible.
With SCUTTLEHOUSE_TEST_ALL_PEERS=1 twenty builds take every log. The two builds in every test run also read
other tests' logs, which are unrelated to these.

The rulings that go beyond the software (R24b, R30 to R35) change none of its answers here: in these logs
every author of an act was a member of the epoch it acts on, or the log cannot tell.
"""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from conftest import BesideAStranger, Build, Rows, Unrelated, Warehouse
from oracles import uri

ALL_PEERS = os.environ.get("SCUTTLEHOUSE_TEST_ALL_PEERS") == "1"

# Which log of each scenario, counted round.
USUAL_CHOICE = 12
CHOICES = range(20) if ALL_PEERS else (USUAL_CHOICE,)

Pairs = dict[str, set[str]]


@dataclass(frozen=True)
class Log:
    """One person's log of a scenario, and the library's answers from it, by group."""

    name: str
    peer: str
    path: Path
    oracles: tuple[dict[str, Any], ...]

    @cached_property
    def messages(self) -> list[dict[str, Any]]:
        with self.path.open(encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    @cached_property
    def opened(self) -> set[str]:
        """The messages of the log that its owner could read."""
        return {
            uri(message["key"])
            for message in self.messages
            if isinstance(message["value"]["content"], dict)
        }

    def answers(self) -> Iterator[tuple[dict[str, Any], dict[str, Any], str]]:
        for oracle in self.oracles:
            yield (
                oracle,
                oracle["answers"][self.peer],
                f"{self.name}, {oracle['group']['id'][20:26]}",
            )


def scenarios(folder: Path) -> dict[str, list[Log]]:
    """The logs of each scenario. A log with answers for two groups is one log."""
    found: dict[str, dict[tuple[str, bytes], list[Path]]] = defaultdict(dict)
    for path in sorted(folder.glob("*/*/oracle.json")):
        for peer in sorted(json.loads(path.read_text())["answers"]):
            key = peer, path.with_name(f"{peer}.jsonl").read_bytes()
            found[path.parts[-3]].setdefault(key, []).append(path)
    return {
        scenario: [
            Log(
                f"{scenario}/{paths[0].parent.name}/{peer}",
                peer,
                paths[0].with_name(f"{peer}.jsonl"),
                tuple(json.loads(path.read_text()) for path in paths),
            )
            for (peer, _), paths in logs.items()
        ]
        for scenario, logs in found.items()
    }


class Compared:
    """Counts the comparisons, and stores the differences."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.differences: list[str] = []

    def equal(self, what: str, where: str, ours: object, theirs: object) -> None:
        self.counts[what] += 1
        if ours != theirs:
            self.differences.append(f"{what} in {where}\n    ours   {ours}\n    theirs {theirs}")

    def check(self) -> None:
        assert not self.differences, f"{len(self.differences)} differ:\n" + "\n".join(
            self.differences
        )
        assert set(ALWAYS) <= self.counts.keys()


class Tables:
    """The warehouse's answers, read from its tables."""

    def __init__(self, warehouse: Warehouse) -> None:
        rows = warehouse.rows
        self.groups = {row["group_id"]: row for row in rows("select * from dim_groups")}
        self.epochs = {row["epoch_id"]: row for row in rows("select * from dim_epochs")}
        self.previous = pairs(rows("select epoch_id, previous_epoch_id from fct_epoch_links"))
        self.precedence = pairs(rows("select epoch_id, predecessor_id from fct_epoch_precedence"))
        members = rows("select * from fct_epoch_members")
        self.declared = pairs(members, "epoch_id", "person_id", lambda row: row["is_declared"])
        self.excluded = pairs(members, "epoch_id", "person_id", lambda row: row["is_excluded"])
        self.lacking = pairs(members, "epoch_id", "person_id", lambda row: row["is_missing"])
        self.preferred = {
            (row["group_id"], row["person_id"]): row["epoch_id"]
            for row in rows("select * from fct_preferred_epochs")
        }
        tangles = rows(
            "select dim_tangles.tangle_kind || ' ' || root_id as tangle, message_id, status, is_tip"
            " from fct_tangle_messages join dim_tangles using (tangle_id)"
        )
        self.candidates = pairs(
            tangles, "tangle", "message_id", lambda row: row["status"] != "rejected"
        )
        self.graph = pairs(tangles, "tangle", "message_id", lambda row: row["status"] == "in")
        self.tips = pairs(tangles, "tangle", "message_id", lambda row: row["is_tip"])
        self.links = pairs(
            rows(
                "select dim_tangles.tangle_kind || ' ' || root_id || ' ' || message_id as message,"
                " previous_id from fct_tangle_links join dim_tangles using (tangle_id)"
            )
        )
        self.recipients = {
            row["message_id"]: set(row["recipient_ids"] or [])
            for row in rows("select message_id, recipient_ids from stg_ssb__group_messages")
        }
        self.feeds = {row["feed_id"]: row for row in rows("select * from dim_feeds")}

    def epochs_of(self, group: str) -> set[str]:
        return {epoch for epoch, row in self.epochs.items() if row["group_id"] == group}

    def tips_of(self, group: str) -> set[str]:
        return {epoch for epoch in self.epochs_of(group) if self.epochs[epoch]["is_tip"]}

    def missing(self, epoch: str) -> set[str]:
        """The library's formula: declared in the epoch and before it, not excluded before it."""
        before = self.precedence[epoch]
        declared = set().union(*(self.declared[one] for one in before | {epoch}))
        return (
            declared - set().union(*(self.excluded[one] for one in before)) - self.declared[epoch]
        )


def pairs(
    rows: list[dict[str, Any]],
    key: str | None = None,
    value: str | None = None,
    wanted: Callable[[dict[str, Any]], bool] = bool,
) -> Pairs:
    """The values by key; without names, of rows of a key and a value."""
    found: Pairs = defaultdict(set)
    for row in rows:
        if wanted(row):
            one, other = (row[key], row[value]) if key and value else row.values()
            found[one].add(other)
    return found


def compare_epochs(log: Log, tables: Tables, seen: Compared) -> None:
    for oracle, answer, where in log.answers():
        group = oracle["group"]["id"]
        if "ok" not in answer["epochs"]:
            seen.counts["groups without an answer"] += 1
            continue
        seen.equal(
            "root of the group", where, tables.groups[group]["root_id"], oracle["group"]["root"]
        )
        theirs = {epoch["id"]: epoch for epoch in answer["epochs"]["ok"]}
        seen.equal("epochs", where, tables.epochs_of(group), set(theirs))
        for epoch, their in theirs.items():
            ours = tables.epochs.get(epoch, {})
            seen.equal("creator of an epoch", where, ours.get("creator_id"), their["author"])
            seen.equal(
                "previous of an epoch", where, tables.previous[epoch], set(their["previous"] or [])
            )
        tips = {epoch["id"] for epoch in answer["tipEpochs"]["ok"]}
        seen.equal("tip epochs", where, tables.tips_of(group), tips)
        for epoch, before in answer["predecessorEpochs"].items():
            ids = {one["id"] for one in before["ok"]}
            seen.equal("predecessors", where, tables.precedence[epoch], ids)


def compare_tangle(tangle: str, where: str, tables: Tables, theirs: Any, seen: Compared) -> None:
    ours, graph = tables.candidates[tangle], tables.graph[tangle]
    kind = tangle.split(" ")[0]
    seen.equal(
        f"{kind} tangle", where, shape(ours, graph, tables.tips[tangle]), their_shape(theirs)
    )


def compare_headless(tangle: str, where: str, tables: Tables, theirs: Any, seen: Compared) -> None:
    """A tangle with a root that nobody opened. The library counts the root, we wait for it (R6, R8).

    If the root is assumed to be there, the rest must be connected as the library says.
    """
    root = tangle.split(" ")[1]
    ours, graph = tables.candidates[tangle], {root}
    links = {message: tables.links[f"{tangle} {message}"] for message in ours}
    while grown := {one for one in ours - graph if links[one] and links[one] <= graph}:
        graph |= grown
    tips = graph - set().union(*(links[message] for message in graph - {root}))
    seen.equal("tangle without its root", where, tables.graph[tangle] | tables.tips[tangle], set())
    granted = shape(ours | {root}, graph, tips)
    seen.equal("tangle with its root granted", where, granted, their_shape(theirs))


def shape(nodes: set[str], graph: set[str], tips: set[str]) -> dict[str, object]:
    return {
        "nodes": len(nodes),
        "connected": len(graph),
        "disconnected": nodes - graph,
        "tips": tips,
    }


def their_shape(tangle: dict[str, Any]) -> dict[str, object]:
    return {
        "nodes": tangle["nodeCount"],
        "connected": tangle["connectedCount"],
        "disconnected": set(tangle["disconnected"]),
        "tips": set(tangle["graphTips"]),
    }


def compare_tangles(log: Log, tables: Tables, seen: Compared) -> None:
    for oracle, answer, where in log.answers():
        for kind in ("group", "epoch"):
            theirs = answer["tangles"][kind]["ok"]
            tangle = f"{kind} {oracle['group']['root']}"
            if oracle["group"]["root"] in log.opened:
                compare_tangle(tangle, where, tables, theirs, seen)
            else:
                compare_headless(tangle, where, tables, theirs, seen)
        for epoch, theirs in answer["tangles"]["members"].items():
            compare = compare_tangle if epoch in log.opened else compare_headless
            compare(f"members {epoch}", f"{where}, epoch {epoch}", tables, theirs["ok"], seen)


def compare_members(log: Log, tables: Tables, seen: Compared) -> None:
    for _, answer, group in log.answers():
        for epoch, theirs in answer["members"].items():
            where = f"{group}, epoch {epoch}"
            added, excluded = set(theirs["ok"]["added"]), set(theirs["ok"]["toExclude"])
            if epoch in log.opened:
                seen.equal("declared members", where, tables.declared[epoch], added)
                seen.equal("exclusions", where, tables.excluded[epoch], excluded)
            else:
                waiting = set().union(
                    *(tables.recipients[one] for one in tables.candidates[f"members {epoch}"])
                )
                seen.equal("members that wait for their epoch", where, waiting, added)
                seen.equal("exclusions", where, tables.excluded[epoch], excluded)
                seen.equal("epoch that nobody opened", where, epoch in tables.epochs, False)


def newest_of_person(answer: dict[str, Any], person: str) -> set[str]:
    """Of the epochs that declare the person in the library's answer, those without a successor (4.2)."""
    known = {epoch["id"] for epoch in answer["epochs"]["ok"]}
    own = {epoch for epoch in known if person in answer["members"][epoch]["ok"]["added"]}
    before = [answer["predecessorEpochs"][epoch]["ok"] for epoch in own]
    return own - {predecessor["id"] for ids in before for predecessor in ids}


def compare_preferences(log: Log, tables: Tables, seen: Compared) -> None:
    """The library gives one answer, the group's. It is a person's own epoch, if they are a member."""
    for oracle, answer, where in log.answers():
        if "ok" in answer["preferredEpoch"]:
            group, theirs = oracle["group"]["id"], answer["preferredEpoch"]["ok"]["id"]
            ours = tables.groups[group]["preferred_epoch_id"]
            seen.equal("group's preferred epoch", where, ours, theirs)
            compare_own_preference(log.peer, oracle, answer, where, tables, seen)


def compare_own_preference(
    peer: str,
    oracle: dict[str, Any],
    answer: dict[str, Any],
    where: str,
    tables: Tables,
    seen: Compared,
) -> None:
    person = oracle["peers"][peer]["rootMetafeed"]
    ours = tables.preferred.get((oracle["group"]["id"], person))
    theirs = answer["preferredEpoch"]["ok"]["id"]
    if person in answer["members"][theirs]["ok"]["added"]:
        seen.equal("preferred epoch of a member", where, ours, theirs)
    else:
        newest = newest_of_person(answer, person)
        seen.equal("preferred epoch of no member", where, {ours}, newest or {None})


def compare_missing_members(log: Log, tables: Tables, seen: Compared) -> None:
    """By the library's formula, computed here from our tables, and by ours (R24).

    The two differ if a parallel epoch adds or excludes somebody (test_epochs.py has both cases). In these
    logs that never happens.
    """
    for oracle, answer, where in log.answers():
        if "ok" in answer["missingMembers"]:
            theirs = {one["epoch"]: set(one["missing"]) for one in answer["missingMembers"]["ok"]}
            for epoch in tables.epochs_of(oracle["group"]["id"]) | set(theirs):
                ours = tables.missing(epoch)
                seen.equal(
                    "missing members", f"{where}, epoch {epoch}", ours, theirs.get(epoch, set())
                )
                seen.equal(
                    "missing members (R24)", f"{where}, epoch {epoch}", tables.lacking[epoch], ours
                )
                seen.counts["epochs that miss members"] += bool(ours)


def compare_people(log: Log, tables: Tables, seen: Compared) -> None:
    for feed, person in feeds_of(log).items():
        ours, where = tables.feeds[feed], f"{log.name}, {feed}"
        seen.equal("known person of a feed", where, ours["has_known_person"], person is not None)
        seen.equal("person of a feed", where, ours["person_id"], person or feed)


def feeds_of(log: Log) -> dict[str, str | None]:
    """The person of each feed in a log, as far as the software knows."""
    feeds = next(log.answers())[1]["rootMetafeedOfAuthor"]
    unknown = "ERR unable to find root feed id"
    return {feed: None if person == unknown else person for feed, person in feeds.items()}


def compare_counts(log: Log, messages: Rows, seen: Compared) -> None:
    """``messages`` are the rows of fct_messages that were read in the log."""
    answer = next(log.answers())[1]
    ours = {
        "message": len(messages),
        "decrypted": sum(row["is_decrypted"] for row in messages),
        "undecrypted": sum(row["is_private"] and not row["is_decrypted"] for row in messages),
    }
    for name, count in ours.items():
        seen.equal(f"{name} count", log.name, count, answer[f"{name}Count"])


COMPARISONS = (
    compare_epochs,
    compare_tangles,
    compare_members,
    compare_preferences,
    compare_missing_members,
)

# The things that every build compares, so that no build can pass without comparing anything.
ALWAYS = (
    "epochs",
    "creator of an epoch",
    "tip epochs",
    "predecessors",
    "group tangle",
    "epoch tangle",
    "members tangle",
    "declared members",
    "exclusions",
    "group's preferred epoch",
    "preferred epoch of a member",
    "missing members",
    "missing members (R24)",
)


def test_the_fixture_is_complete(tribes2: Path) -> None:
    logs = [log for each in scenarios(tribes2).values() for log in each]
    answers = [answer for log in logs for _, answer, _ in log.answers()]
    assert len(scenarios(tribes2)) == 9
    assert len(logs) == 80
    assert len(answers) == 85
    assert sum("ok" not in answer["epochs"] for answer in answers) == 1, "one timed out"
    assert sum(len(answer["epochs"].get("ok", [])) for answer in answers) == 179
    assert sum(len(answer["members"]) for answer in answers) == 256


def chosen(tribes2: Path, choice: int = USUAL_CHOICE) -> list[Log]:
    """A log of each scenario."""
    return [each[choice % len(each)] for each in scenarios(tribes2).values()]


def last(tribes2: Path) -> list[Log]:
    """The last log of every person."""
    return [log for each in scenarios(tribes2).values() for log in each if "/final" in log.name]


@pytest.mark.parametrize("choice", CHOICES)
def test_a_log_of_every_scenario(
    warehouse: Warehouse,
    tribes2: Path,
    built: Build,
    unrelated_logs: BesideAStranger,
    choice: int,
) -> None:
    logs = chosen(tribes2, choice)
    if choice == USUAL_CHOICE:
        tables, names = unrelated_logs.of_groups, unrelated_logs.names
        messages = unrelated_logs.tables["fct_messages"]
    else:
        names = warehouse.land(*(log.path for log in logs))
        warehouse.build_marts()
        tables = Tables(warehouse)
        messages = warehouse.rows("select * from fct_messages")
    seen = Compared()
    groups = {
        oracle["group"]["id"]
        for log in logs
        for oracle, answer, _ in log.answers()
        if "ok" in answer["epochs"]
    }
    feeds = {feed for log in logs for feed in feeds_of(log)}
    written = {row["group_id"] for row in messages if row["feed_id"] in feeds}
    seen.equal("groups", "the build", written & tables.groups.keys(), groups)
    for log in logs:
        for compare in COMPARISONS:
            compare(log, tables, seen)
        compare_people(log, tables, seen)
        # A stranger has copied the messages of the logs of `built`, so they were read in the stranger's log.
        read = built.tables["fct_messages"] if log.path in built.logs else messages
        own = [row for row in read if row["source_file"] == names[log.path]]
        compare_counts(log, own, seen)
    seen.check()


def test_every_log_in_one_build(tribes2: Path, last_logs: Unrelated) -> None:
    """The last logs of everybody together. Groups stay apart, and each is what its richest log shows.

    If one person in a group could read everything that anybody could, the result is that person's view.
    """
    tables = last_logs.of_groups
    seen = Compared()
    landed = last(tribes2)
    groups = {oracle["group"]["id"] for log in landed for oracle, _, _ in log.answers()}
    names = {f"{number:03d}-{log.path.name}" for number, log in enumerate(landed)}
    files = {row["message_id"]: row["source_file"] for row in last_logs.tables["fct_messages"]}
    found = {one for one, row in tables.groups.items() if files.get(row["root_id"], one) in names}
    seen.equal("groups", "the build", found, groups)
    for each in scenarios(tribes2).values():
        logs = [log for log in each if log in landed]
        together = set().union(*(group_messages(log) for log in logs))
        richest = [log for log in logs if group_messages(log) == together]
        seen.counts["scenarios with a richest log"] += bool(richest)
        for log in richest:
            for compare in COMPARISONS:
                compare(log, tables, seen)
            for oracle, answer, where in log.answers():
                for peer in oracle["peers"].keys() - {log.peer}:
                    compare_own_preference(peer, oracle, answer, f"{where}, {peer}", tables, seen)
    seen.check()


def test_everybody_knows_what_their_own_log_shows(tribes2: Path, last_logs: Unrelated) -> None:
    """All logs are in one build. Each owner's view is still the software's answer from that log alone."""
    rows: dict[tuple[str, str], dict[str, Any]] = defaultdict(dict)
    for row in last_logs.tables["fct_peer_epochs"]:
        rows[row["source_file"], row["group_id"]][row["epoch_id"]] = row
    seen = Compared()
    for number, log in enumerate(last(tribes2)):
        for oracle, answer, where in log.answers():
            group = oracle["group"]
            own = rows[f"{number:03d}-{log.path.name}", group["id"]]
            if "ok" not in answer["epochs"] or group["root"] not in log.opened:
                continue
            person = oracle["peers"][log.peer]["rootMetafeed"]
            seen.equal("owner", where, {row["owner_id"] for row in own.values()}, {person})
            seen.equal("epochs", where, set(own), {one["id"] for one in answer["epochs"]["ok"]})
            tips = {one["id"] for one in answer["tipEpochs"]["ok"]}
            seen.equal("tips", where, {one for one in own if own[one]["is_tip"]}, tips)
            for epoch, row in own.items():
                added = set(answer["members"][epoch]["ok"]["added"])
                seen.equal("members", where, row["member_count"], len(added))
                seen.equal("is a member", where, row["is_member"], person in added)
            if "ok" in answer["preferredEpoch"]:
                theirs = answer["preferredEpoch"]["ok"]["id"]
                ours = {epoch for epoch, row in own.items() if row["is_preferred"]}
                is_member = person in answer["members"][theirs]["ok"]["added"]
                newest = {theirs} if is_member else newest_of_person(answer, person)
                seen.equal("preferred epoch", where, ours, newest)
    assert not seen.differences, "\n".join(seen.differences)
    assert seen.counts["preferred epoch"] > 10


def group_messages(log: Log) -> set[str]:
    """The messages to a group that the owner of the log could read."""
    return {
        uri(message["key"])
        for message in log.messages
        if isinstance(message["value"]["content"], dict)
        and set(message["value"]["content"].get("tangles", {})) & {"group", "epoch", "members"}
    }
