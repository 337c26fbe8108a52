"""The groups of the sample in SQL, compared with how they were made and with the plain functions."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict
from typing import Any

import pytest

from conftest import Build, Rows
from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.authority import judge
from scuttlehouse.groups.epochs import fork_rule, fork_winner
from scuttlehouse.groups.exclusions import knowledge
from scuttlehouse.groups.messages import GroupMessage
from scuttlehouse.groups.witnesses import Witnesses
from scuttlehouse.sample.write import Sample

RULES = {"4.4": "same", "4.5": "subset", "4.6": "overlapping", "4.7": "disjoint"}


@pytest.fixture(scope="module")
def summary() -> dict[str, Any]:
    made = Sample()
    for _ in made.lines():
        pass
    return asdict(made.summary)


@pytest.fixture(scope="module")
def sample(built: Build, summary: dict[str, Any]) -> dict[str, Rows]:
    """The rows of the sample's groups. The build also read one other group."""
    ids = {group["group_id"] for group in summary["groups"]}
    ids |= {epoch["epoch_id"] for group in summary["groups"] for epoch in group["epochs"]}
    assert len({row["group_id"] for row in built.tables["dim_groups"]} - ids) == 1
    return {
        name: [row for row in rows if any(type(one) is str and one in ids for one in row.values())]
        for name, rows in (built.tables | built.unpublished).items()
    }


def sets(rows: Rows, key: str, value: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        found[row[key]].add(row[value])
    return found


def test_groups_are_as_they_were_made(sample: dict[str, Rows], summary: dict[str, Any]) -> None:
    people = summary["people"]
    declared = sets(
        [row for row in sample["fct_epoch_members"] if row["is_declared"]], "epoch_id", "person_id"
    )
    epochs = {row["epoch_id"]: row for row in sample["dim_epochs"]}
    links = sets(sample["fct_epoch_links"], "epoch_id", "previous_epoch_id")
    groups = {row["group_id"]: row for row in sample["dim_groups"]}
    preferred = {
        (row["group_id"], row["person_id"]): row["epoch_id"]
        for row in sample["fct_preferred_epochs"]
    }
    forks = {
        frozenset([row["left_epoch_id"], row["right_epoch_id"]]): row
        for row in sample["fct_epoch_forks"]
    }
    made = [group for group in summary["groups"] if group["is_opened"]]
    assert len(made) > 10
    assert groups.keys() == {group["group_id"] for group in made}
    for group in made:
        name, group_id = group["name"], group["group_id"]
        ids = {epoch["label"]: epoch["epoch_id"] for epoch in group["epochs"]}
        for epoch in group["epochs"]:
            label = f"{name}, epoch {epoch['label']}"
            row = epochs[epoch["epoch_id"]]
            assert row["creator_id"] == people[epoch["creator"]], label
            assert row["key_rank"] == epoch["key_rank"] + 1, label
            assert row["is_tip"] == epoch["is_tip"], label
            assert links[epoch["epoch_id"]] == {ids[one] for one in epoch["previous"]}, label
            assert declared[epoch["epoch_id"]] == {people[one] for one in epoch["members"]}, label
        for fork in group["forks"]:
            row = forks.pop(frozenset([ids[fork["left"]], ids[fork["right"]]]))
            label = f"{name}, fork {fork['left']} and {fork['right']}"
            assert row["rule"] == RULES[fork["rule"]], label
            assert row["witness_count"] == len(fork["witnesses"]), label
            assert row["winner_epoch_id"] == ids.get(fork["winner"]), label
            assert row["is_criss_cross"] == fork["is_criss_cross"], label
        for person, label in group["preferred"].items():
            assert preferred.pop((group_id, people[person])) == ids[label], f"{name}, {person}"
        assert groups[group_id]["preferred_epoch_id"] == ids.get(group["group_preferred"]), name
    assert not any(row["is_current"] for row in forks.values())
    assert not preferred


def test_forks_and_correct_members_by_the_plain_functions(sample: dict[str, Rows]) -> None:
    epochs = sample["int_groups__judged_epochs"]
    members = {row["epoch_id"]: frozenset(row["member_ids"]) for row in epochs}
    keys = {row["epoch_id"]: row["key_rank"] for row in epochs}
    previous = {row["epoch_id"]: row["previous_epoch_ids"] for row in epochs}
    ancestry = Ancestry(previous)

    forks = sample["fct_epoch_forks"]
    witnesses = sample["fct_fork_witnesses"]
    assert {row["rule"] for row in forks} == set(RULES.values())
    for row in forks:
        left, right = row["left_epoch_id"], row["right_epoch_id"]
        assert row["rule"] == fork_rule(members[left], members[right]), row
        assert row["winner_epoch_id"] == fork_winner(left, right, members, keys), row
        found = {
            w["person_id"]
            for w in witnesses
            if w["left_epoch_id"] == left and w["right_epoch_id"] == right
        }
        assert found == Witnesses(members, ancestry).of(left, right), row

    correct = sets(
        [row for row in sample["fct_epoch_members"] if row["is_correct"]], "epoch_id", "person_id"
    )
    messages: dict[str, list[GroupMessage]] = defaultdict(list)
    for row in sample["int_groups__messages"]:
        own = {name: row[name] for name in GroupMessage._fields}
        messages[row["group_id"]].append(
            GroupMessage(**own | {"person_ids": own["person_ids"] or ()})
        )
    group_of = {row["epoch_id"]: row["group_id"] for row in epochs}
    excluded = 0
    for group_id, own_messages in messages.items():
        found = knowledge(own_messages, judge(own_messages))
        own_epochs = [epoch for epoch in members if group_of[epoch] == group_id]
        everybody = frozenset[str]().union(*(members[epoch] for epoch in own_epochs))
        for epoch in own_epochs:
            assert correct[epoch] == everybody - found.excluded_before[epoch], epoch
            excluded += len(found.excluded_before[epoch])
    assert excluded


def test_odd_epochs_are_flagged(sample: dict[str, Rows], summary: dict[str, Any]) -> None:
    labels = {
        epoch["epoch_id"]: (group["name"], epoch["label"])
        for group in summary["groups"]
        for epoch in group["epochs"]
    }
    flags = ("is_empty", "has_foreign_creator", "has_unfollowed_exclusion", "has_wrong_secret")
    rows = sample["dim_epochs"]
    found = {flag: {labels[row["epoch_id"]] for row in rows if row[flag]} for flag in flags}
    assert found == {
        "is_empty": {("repair day", "second")},
        "has_foreign_creator": {("repair day", "second")},
        "has_unfollowed_exclusion": {("film night", "start")},
        "has_wrong_secret": {("soup kitchen", "left")},
    }
