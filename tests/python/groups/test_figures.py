"""The figures of the group exclusion specification as logs, and the tables of a real build of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from conftest import FIXTURES, Rows, Unrelated
from scuttlehouse.sample.groups import Group
from scuttlehouse.sample.lines import line_of
from scuttlehouse.sample.world import World

FIGURES: list[dict[str, Any]] = yaml.safe_load((FIXTURES / "figures" / "figures.yml").read_text())
NAMES = {"a": "alice", "b": "bob", "c": "carol", "d": "dave", "e": "erin", "z": "zoe"}
ACTION = re.compile(
    r"(?P<who>\w) (?P<verb>starts|adds|excludes|founds|posts)(?P<rest>[^,]*)(?P<lost>, lost)?"
)


class Written(NamedTuple):
    """A figure's group, with the meaning of its ids."""

    group: Group
    missing: set[str]


def write(world: World, figure: dict[str, Any]) -> Written:
    log = figure["log"]
    labels = re.findall(r"(?:starts|founds) (\w)", log)
    keys = [*figure.get("keys", []), *(one for one in labels if one not in figure.get("keys", []))]
    letters = set(re.findall(r"\b[a-z]\b", log))
    people = [NAMES[letter] for letter in sorted(letters)]
    group = Group(world, f"figure {figure['figure']}", people, keys)
    missing = set()
    for line in log.splitlines():
        if not line or line.startswith("sync"):
            group.sync(*(NAMES[letter] for letter in line.split()[1:]))
            continue
        action = ACTION.fullmatch(line)
        assert action, line
        who, rest = NAMES[action["who"]], action["rest"]
        epochs = re.findall(r"\b[A-Z]\b", rest)
        named = [NAMES[letter] for letter in re.findall(r"\b[a-z]\b", rest)]
        match action["verb"]:
            case "starts":
                group.start(who, epochs[0], named)
            case "founds":
                group.found(who, epochs[0], epochs[1:], named)
            case "adds":
                group.add(who, epochs[0], named)
            case "excludes":
                group.exclude(who, epochs[0], named)
            case "posts":
                post = group.post(who, epochs[0], "a post", lost=bool(action["lost"]))
                if action["lost"]:
                    missing.add(post.uri)
    group.sync()
    return Written(group, missing)


TABLES = (
    "dim_groups",
    "dim_epochs",
    "dim_tangles",
    "fct_epoch_members",
    "fct_epoch_links",
    "fct_epoch_forks",
    "fct_fork_witnesses",
    "fct_preferred_epochs",
    "fct_epoch_repairs",
    "fct_replication_plan",
    "fct_membership_history",
    "fct_group_audit_log",
)


class GroupRows:
    """The rows of one group in the words of the seed. Each part has the same name as there."""

    def __init__(self, tables: dict[str, Rows], written: Written, people: dict[str, str]) -> None:
        self.group = written.group
        self.epoch = {epoch.init: label for label, epoch in self.group.epochs.items()}
        self.person = people
        letters = {name: letter for letter, name in NAMES.items()}
        self.feed = {
            feed.id: label + letters[person] for (person, label), feed in self.group._feeds.items()
        } | dict.fromkeys(written.missing, "Q")
        self.tables = tables

    def rows(self, table: str) -> Rows:
        return [
            row
            for row in self.tables[table]
            if row.get("group_id") == self.group.id
            or any(row[name] in self.epoch for name in row if name.endswith("epoch_id"))
        ]

    def people(self, rows: Rows, column: str = "person_id") -> str:
        return "".join(sorted(self.person[row[column]] for row in rows))

    def members_where(self, flag: str) -> dict[str, str]:
        rows = self.rows("fct_epoch_members")
        return {
            label: self.people([row for row in rows if row["epoch_id"] == epoch and row[flag]])
            for epoch, label in self.epoch.items()
        }

    def planned(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for row in self.rows("fct_replication_plan"):
            feeds = found.setdefault(self.person[row["person_id"]], set())
            if wanted(row):
                feeds.add(self.feed[row["feed_id"] or row["missing_id"]])
        return found

    @property
    def prefers_as_a_whole(self) -> str:
        (row,) = self.rows("dim_groups")
        return self.epoch.get(row["preferred_epoch_id"], "none")

    @property
    def members(self) -> dict[str, str]:
        return self.members_where("is_declared")

    @property
    def correct(self) -> dict[str, str]:
        declared = self.members
        found = self.members_where("is_correct")
        return {label: people for label, people in found.items() if people != declared[label]}

    @property
    def links(self) -> dict[str, str]:
        rows = self.rows("fct_epoch_links")
        return {self.epoch[row["epoch_id"]]: self.epoch[row["previous_epoch_id"]] for row in rows}

    @property
    def forks(self) -> dict[str, str]:
        found = {}
        for row in [row for row in self.rows("fct_epoch_forks") if row["is_current"]]:
            pair = {"left_epoch_id": row["left_epoch_id"], "right_epoch_id": row["right_epoch_id"]}
            witnesses = [w for w in self.rows("fct_fork_witnesses") if pair.items() <= w.items()]
            assert len(witnesses) == row["witness_count"]
            winner = self.epoch.get(row["winner_epoch_id"], "none")
            words = [row["rule"], self.people(witnesses) or "-", winner]
            words += ["repair"] * row["needs_repair"]
            found[" ".join(sorted(self.epoch[one] for one in pair.values()))] = " ".join(words)
        return found

    @property
    def prefers(self) -> dict[str, str]:
        return {
            self.person[row["person_id"]]: " ".join(
                [self.epoch[row["epoch_id"]], row["rule"], *["witness"] * bool(row["is_witness"])]
            )
            for row in self.rows("fct_preferred_epochs")
        }

    @property
    def repairs(self) -> list[str]:
        return sorted(
            f"{row['action']} {self.epoch[row['epoch_id']]} {self.person.get(row['person_id'], '-')}"
            for row in self.rows("fct_epoch_repairs")
        )

    @property
    def fetches(self) -> dict[str, set[str]]:
        return self.planned(lambda row: row["should_fetch"])

    @property
    def serves(self) -> dict[str, set[str]]:
        return self.planned(lambda row: row["should_serve"] and not row["should_fetch"])

    @property
    def history(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        rows = self.rows("fct_membership_history")
        for row in sorted(rows, key=lambda row: int(row["valid_from_position"])):
            words = [self.epoch[row["epoch_id"]], str(row["valid_from_position"])]
            words += [str(row["valid_to_position"])] * (not row["is_current"])
            words += ["x"] * row["is_excluded"]
            found.setdefault(self.person[row["person_id"]], []).append(" ".join(words))
        return found

    @property
    def audit(self) -> list[str]:
        return sorted(
            f"{row['position']} {self.person[row['actor_id']]} {row['action']}"
            f" {self.person.get(row['subject_id'], '-')} {self.epoch[row['epoch_id']]}"
            for row in self.rows("fct_group_audit_log")
        )

    @property
    def depths(self) -> dict[str, int]:
        return {
            self.epoch[row["root_id"]] if row["tangle_kind"] == "members" else row["tangle_kind"]: (
                row["depth"]
            )
            for row in self.tables["dim_tangles"]
            if row["root_id"] in self.epoch
        }

    @property
    def late(self) -> str:
        rows = self.rows("dim_epochs")
        return "".join(sorted(self.epoch[row["epoch_id"]] for row in rows if row["has_late_post"]))


@dataclass(frozen=True)
class Figures:
    """All figures as one log, with the meaning of their ids."""

    log: Path
    written: dict[str, Written]
    people: dict[str, str]


def write_figures(log: Path) -> Figures:
    world = World(seed=5, size="small")
    for name in NAMES.values():
        world.person(name)
    written = {str(figure["figure"]): write(world, figure) for figure in FIGURES}
    messages = {sighting.message.key: sighting for sighting in world.sightings()}
    with log.open("wb") as file:
        for received, name, message in messages.values():
            reader = min(message.readers) if message.readers else name
            file.write(line_of(message, reader, received))
    people = {world.person(name).root.id: letter for letter, name in NAMES.items()}
    return Figures(log, written, people)


@pytest.fixture(scope="module")
def figures(written_figures: Figures, unrelated_logs: Unrelated) -> dict[str, GroupRows]:
    tables = {name: unrelated_logs.tables[name] for name in TABLES}
    return {
        name: GroupRows(tables, one, written_figures.people)
        for name, one in written_figures.written.items()
    }


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: str(figure["figure"]))
def test_a_figure_gives_the_rows_that_it_must(
    figure: dict[str, Any], figures: dict[str, GroupRows]
) -> None:
    expected = {"correct": {}, "links": {}, "late": "", **figure}
    for part in {"fetches", "serves"} & figure.keys():
        expected[part] = {person: set(feeds.split()) for person, feeds in figure[part].items()}
    asked = sorted(expected.keys() - {"figure", "keys", "log"})
    found = figures[str(figure["figure"])]
    assert {part: getattr(found, part) for part in asked} == {
        part: expected[part] for part in asked
    }


def test_every_figure_is_tested() -> None:
    numbers = {str(figure["figure"]).partition(",")[0] for figure in FIGURES}
    assert numbers >= {str(number) for number in range(1, 14)}
