"""Thousands of histories of groups. The product must agree with an oracle written only from the documents.

A history has outsiders, forks, people added again, several exclusions by one person, keys of odd lengths,
inits without a members tangle, messages that nobody has, and meaningless times. A failure names the seed.
SCUTTLEHOUSE_TEST_HISTORIES=5000 runs that many. `make test` runs 300, `make check` 50.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import dataclass, field

import pytest
from hypothesis import settings

from group_histories import History
from group_oracle import LogMessage, Oracle
from oracles import fixpoint_graph, scuttlesort_order, tangle_candidates
from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.authority import judge
from scuttlehouse.groups.epochs import group_preferred_epoch, preferred_epoch
from scuttlehouse.groups.exclusions import knowledge
from scuttlehouse.groups.forks import forks
from scuttlehouse.groups.messages import GroupMessage, Kind
from scuttlehouse.groups.repairs import Repair, repairs
from scuttlehouse.ssb.epoch_keys import KeyRing

COUNT = int(os.environ.get("SCUTTLEHOUSE_TEST_HISTORIES", str(10 * settings.default.max_examples)))
# Every chunk has enough histories for everything to occur.
CHUNKS = max(min(10, COUNT // 30), 1)

TYPES = {
    "group": None,
    "epoch": {"group/init"},
    "members": {"group/add-member", "group/exclude-member"},
}
KINDS: dict[str, Kind] = {"group/add-member": "add", "group/exclude-member": "exclude"}


@dataclass
class Tangle:
    """A tangle as the tables have it: what each candidate lists, and which candidates are in the graph."""

    listed: dict[str, list[str]] = field(default_factory=dict)
    graph: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, log: list[LogMessage], kind: str, root: str) -> Tangle:
        types = TYPES[kind]
        pairs = [
            (entry.id, entry.fields.get(kind))
            for entry in log
            if types is None or entry.id == root or entry.type in types
        ]
        candidates = tangle_candidates(pairs, root)
        listed = {message: list(previous or ()) for message, previous in candidates.items()}
        return cls(listed, fixpoint_graph(candidates))


class Answers:
    """The product's answers about a group."""

    def __init__(self, log: list[LogMessage], root: str) -> None:
        self.log = {entry.id: entry for entry in log}
        self.messages = group_messages(log, root)
        self.judged = judge(self.messages)
        self.previous = self.judged.previous_epochs
        self.ancestry = Ancestry(self.previous)
        self.tips = self.ancestry.unsucceeded(self.previous)
        ring = KeyRing(b"pepper").ranked(entry.key for entry in log if entry.key)
        keys = {epoch: self.log[epoch].key for epoch in self.previous}
        self.key_ranks = {
            epoch: ring.ranks[ring.hash(key)] if key else None for epoch, key in keys.items()
        }
        self.known = knowledge(self.messages, self.judged, self.key_ranks)
        additions = [
            one
            for one in self.messages
            if one.kind == "add" and one.message_id in self.judged.counting
        ]
        self.members = {
            epoch: frozenset(
                person for one in additions if one.epoch_id == epoch for person in one.person_ids
            )
            for epoch in self.previous
        }
        everybody = frozenset[str]().union(*self.members.values())
        self.correct = {
            epoch: everybody - self.known.excluded_before[epoch] for epoch in self.previous
        }

    def forks(self) -> dict[tuple[str, str], tuple[str, str | None, frozenset[str]]]:
        beginnings = {
            one.message_id: (one.position, one.asserted_ms)
            for one in self.messages
            if one.message_id in self.previous
        }
        found = forks(self.previous, self.members, self.key_ranks, beginnings)
        return {
            (one.left_epoch_id, one.right_epoch_id): (
                one.rule,
                one.winner_epoch_id,
                frozenset(one.witness_ids),
            )
            for one in found
            if one.is_current
        }

    def preferences(self) -> dict[str | None, str | None]:
        found: dict[str | None, str | None] = {
            None: group_preferred_epoch(self.tips, self.members, self.key_ranks)
        }
        for person in frozenset[str]().union(*self.members.values()):
            own = [epoch for epoch, people in self.members.items() if person in people]
            found[person] = preferred_epoch(
                own, self.members, self.ancestry, self.key_ranks
            ).epoch_id
        return found

    def repairs(self) -> list[Repair]:
        return repairs(self.tips, self.members, self.correct, self.ancestry, self.key_ranks)


def group_messages(log: list[LogMessage], root: str) -> list[GroupMessage]:
    """The rows of int_groups__messages for a log, in the order in which read_messages reads them."""
    ids = {entry.id for entry in log if entry.is_signed}
    tangles = {kind: Tangle.of(log, kind, root) for kind in ("group", "epoch")}
    epochs = tangles["epoch"].graph & ids
    members = {epoch: Tangle.of(log, "members", epoch) for epoch in epochs}
    everything = [*tangles.values(), *members.values()]
    timeline = tangles["group"]
    order = scuttlesort_order({one: timeline.listed[one] for one in timeline.graph})
    ranks = {message: place for place, message in enumerate(order)}
    found = []
    for entry in log:
        own = [tangle for tangle in everything if entry.id in tangle.listed]
        if not own:
            continue
        is_in_epoch_graph = entry.id in tangles["epoch"].graph
        previous_epochs = tangles["epoch"].listed[entry.id] if is_in_epoch_graph else []
        if not entry.is_signed:
            found.append(unsigned(entry, previous_epochs, timeline, ranks))
            continue
        epoch = next(
            (e for e, tangle in members.items() if entry.id in tangle.graph and entry.id != e), None
        )
        found.append(
            GroupMessage(
                entry.id,
                entry.author,
                "init"
                if is_in_epoch_graph
                else KINDS.get(entry.type, "other")
                if epoch
                else "other",
                epoch or entry.epoch,
                sorted(entry.people),
                sorted({one for tangle in own for one in tangle.listed[entry.id]}),
                timeline.listed[entry.id] if entry.id in timeline.graph else None,
                previous_epochs,
                is_in_epoch_graph and entry.id in members[entry.id].graph,
                any(one not in ids for tangle in own for one in tangle.listed[entry.id]),
                entry.time,
                ranks.get(entry.id, len(ranks)),
            )
        )
    return sorted(found)


def unsigned(
    entry: LogMessage, previous_epochs: list[str], timeline: Tangle, ranks: dict[str, int]
) -> GroupMessage:
    """The row of a message that nobody has signed: it is no act, and nobody knows what it lists."""
    return GroupMessage(
        entry.id,
        entry.author,
        "other",
        entry.epoch,
        [],
        [],
        [] if entry.id in timeline.graph else None,
        previous_epochs,
        False,
        True,
        entry.time,
        ranks.get(entry.id, len(ranks)),
    )


def seeds(chunk: int) -> range:
    return range(chunk * COUNT // CHUNKS, (chunk + 1) * COUNT // CHUNKS)


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("is_forged", [False, True])
def test_the_product_and_the_oracle_agree(chunk: int, is_forged: bool) -> None:
    seen: Counter[str] = Counter()
    for seed in seeds(chunk):
        history = History(seed, is_forged=is_forged)
        ours, theirs = Answers(history.log, history.root), Oracle(history.log, history.root)
        acts = [*theirs.epochs, *(a for graph in theirs.members_graphs.values() for a in graph)]
        where = f"seed {seed}"
        assert ours.judged.authority == {act: theirs.authority(act) for act in acts}, where
        assert sorted(ours.previous) == theirs.standing, where
        follows = {epoch: theirs.follows(epoch) & {*theirs.standing} for epoch in theirs.standing}
        assert {epoch: {*found} for epoch, found in ours.previous.items()} == follows, where
        assert ours.members == {epoch: theirs.declared(epoch) for epoch in theirs.standing}, where
        assert ours.correct == {epoch: theirs.correct(epoch) for epoch in theirs.standing}, where
        exclusions = theirs.acts("group/exclude-member")
        following = {act: theirs.following(act) for act in exclusions}
        assert ours.known.following == following, where
        assert ours.known.late == theirs.late(), where
        assert ours.known.before_init == theirs.before_init(), where
        assert ours.known.stale == theirs.stale(), where
        assert ours.known.with_old_key == theirs.with_old_key(), where
        readded = {
            (one.epoch_id, person)
            for one in ours.messages
            for person in ours.known.readded.get(one.message_id, ())
        }
        people = [(e, person) for e, members in ours.members.items() for person in members]
        assert readded == {one for one in people if theirs.is_readded(*one)}, where
        assert ours.tips == sorted(theirs.tips), where
        assert ours.forks() == theirs.forks(), where
        assert ours.preferences() == theirs.preferences(), where
        assert {one[:3] for one in ours.repairs()} == theirs.repairs(), where
        seen.update(str(answer) for answer in ours.judged.authority.values())
        seen.update(rule for rule, _, _ in ours.forks().values())
        seen.update(one.action for one in ours.repairs())
        seen["readded"] += bool(readded)
        own = {act: theirs.own_epoch(act) for act in exclusions}
        seen["following"] += any(following[act] and not own[act] for act in exclusions)
        seen["late"] += bool(ours.known.late)
        seen["before_init"] += bool(ours.known.before_init)
        seen["stale"] += bool(ours.known.stale)
        seen["with_old_key"] += bool(ours.known.with_old_key)
        seen["late exclusion"] += bool(ours.known.late.intersection(exclusions))
        direct = {one.message_id: {*one.previous_epoch_ids} for one in ours.messages}
        seen["through"] += any({*found} - direct[e] for e, found in ours.previous.items())
    assert seen.keys() >= {
        "True",
        "False",
        "None",
        "subset",
        "overlapping",
        "add",
        "readded",
        "following",
        "late",
        "before_init",
        "stale",
        "with_old_key",
        "late exclusion",
        "through",
    }


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_in_old_epochs_of_a_large_group_only_exclusions_of_members_are_known(chunk: int) -> None:
    seen: Counter[bool] = Counter()
    for seed in seeds(chunk):
        history = History(seed)
        answers = Answers(history.log, history.root)
        everybody = frozenset[str]().union(*answers.members.values())
        most = random.Random(seed).randint(0, 2 * len(everybody))
        found = knowledge(answers.messages, answers.judged, answers.key_ranks, most)
        where = f"seed {seed}, {most} memberships at most"
        count = max(1, most // max(1, len(everybody)))
        assert len(found.complete) == min(count, len(answers.previous)), where
        positions = {one.message_id: one.position for one in answers.messages}
        newness = {epoch: (epoch in answers.tips, positions[epoch]) for epoch in answers.previous}
        others = answers.previous.keys() - found.complete
        assert all(newness[old] <= newness[new] for old in others for new in found.complete), where
        for epoch, people in answers.known.excluded_before.items():
            expected = people if epoch in found.complete else people & answers.members[epoch]
            assert found.excluded_before[epoch] == expected, where
            seen[found.excluded_before[epoch] == people] += 1
        unlimited = found._replace(
            excluded_before=answers.known.excluded_before, complete=answers.known.complete
        )
        assert unlimited == answers.known, where
    assert len(seen) == 2


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_published_repairs_leave_nothing_to_repair(chunk: int) -> None:
    mended = 0
    for seed in seeds(chunk):
        history = History(seed)
        before = Answers(history.log, history.root)
        history.mend(before.repairs(), before.members, is_seen=bool(seed % 2))
        after = Answers(history.log, history.root)
        assert after.repairs() == [], f"seed {seed}"
        mended += any(one.action == "create_epoch" for one in before.repairs())
    assert COUNT < 5000 or mended
